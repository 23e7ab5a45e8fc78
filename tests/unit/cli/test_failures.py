from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import evaluator.cli
from evaluator import errors
from evaluator.cli import failures
from evaluator.cli.console import Console
from evaluator.cli.session import Session

if TYPE_CHECKING:
    from types import TracebackType


def explained(error: BaseException, *, out: Path | None = None, debug: bool = False) -> tuple[int, str]:
    """The exit code an error gives and what is printed of it."""
    stream = io.StringIO()
    session = Session(environment={}, console=Console(stream), debug=debug, out=out)
    code = failures.explain(error.with_traceback(_somewhere()), session)
    return code, stream.getvalue()


def _somewhere() -> TracebackType | None:
    try:
        return Path("nowhere").read_text() and None
    except FileNotFoundError as error:
        return error.__traceback__


class TestMistakes:
    """Errors that a sentence explains."""

    def test_one_sentence_and_where_to_read_more(self) -> None:
        """The sentence, the place in the documentation, and no traceback."""
        code, text = explained(errors.BaselineError("main/run.json is a run of suite 'a', not of 'b'"))

        assert code == 2
        assert text == "main/run.json is a run of suite 'a', not of 'b'\nrag-assay --explain baseline says what to do\n"

    def test_all_problems_of_a_file_are_told(self) -> None:
        """Every problem has its line, and each kind its heading."""
        problems = [
            errors.Problem("duplicate-id", 'the id "q1" is taken', "golden.jsonl", 3, 8),
            errors.Problem("duplicate-id", 'the id "q2" is taken', "golden.jsonl", 4, 8),
            errors.Problem("bad-json", "a comma too many", "golden.jsonl", 9, 1),
        ]
        code, text = explained(errors.InputError(problems))

        assert code == 2
        assert text.splitlines() == [
            'golden.jsonl:3:8: the id "q1" is taken [duplicate-id]',
            'golden.jsonl:4:8: the id "q2" is taken [duplicate-id]',
            "golden.jsonl:9:1: a comma too many [bad-json]",
            "rag-assay --explain bad-json says what to do; also duplicate-id",
        ]

    def test_a_hostile_id_cannot_start_a_line_of_its_own(self) -> None:
        """An id with a line end and a workflow command stays one line."""
        _, text = explained(errors.InputError([errors.Problem("x", "the id\n::error::gone", "g.jsonl", 1, 1)]))

        assert len(text.splitlines()) == 2
        assert not any(line.startswith("::") for line in text.splitlines())

    def test_clicks_own_mistakes_are_told_alike(self) -> None:
        """What click finds wrong becomes a sentence in our style."""
        code, text = explained(click.BadParameter("'x' is no number."))

        assert (code, text) == (2, "invalid value: 'x' is no number\nrag-assay --explain usage says what to do\n")

    def test_a_file_that_may_not_be_used_is_a_mistake(self, tmp_path: Path) -> None:
        """The system's refusal of a file names the file."""
        code, text = explained(PermissionError(13, "Permission denied", str(tmp_path / "x")))

        assert code == 2
        assert text.startswith(f"cannot use {tmp_path / 'x'}: Permission denied\n")


class TestInterruptions:
    """A person or the system stops a command."""

    def test_it_is_inconclusive_and_says_what_is_kept(self, tmp_path: Path) -> None:
        """The exit code is 3, and the folder that holds what was done is named."""
        code, text = explained(KeyboardInterrupt(), out=tmp_path)

        assert code == 3
        assert f"kept in {tmp_path}" in text

    def test_a_stage_says_it_itself(self) -> None:
        """An interruption that a stage explains is told in its words."""
        code, text = explained(errors.Interrupted("12 of 40 questions were asked"))

        assert (code, text) == (3, "12 of 40 questions were asked\nrag-assay --explain interrupted says what to do\n")


class TestInternalErrors:
    """Faults of our own."""

    @pytest.mark.parametrize("error", [ZeroDivisionError(), SystemExit(0), MemoryError(), GeneratorExit(), OSError()])
    def test_nothing_ends_as_passed(self, error: BaseException, tmp_path: Path) -> None:
        """Whatever is raised, a library's wish to exit with 0 included, the exit code is 4."""
        assert explained(error, out=tmp_path)[0] == 4

    def test_the_traceback_is_kept_in_a_file(self, tmp_path: Path) -> None:
        """People see one sentence; the traceback is in the output folder."""
        out = tmp_path / "new" / "out"
        _, text = explained(ZeroDivisionError("by nought"), out=out)

        assert "internal error: ZeroDivisionError: by nought" in text
        assert "Traceback" not in text
        assert "ZeroDivisionError: by nought" in (out / "internal-error.txt").read_text()

    def test_a_folder_that_cannot_be_written_hides_nothing(self, tmp_path: Path) -> None:
        """Where the traceback cannot be kept, the exit code is still 4."""
        (tmp_path / "file").touch()
        code, text = explained(ZeroDivisionError("x"), out=tmp_path / "file")

        assert code == 4
        assert "could not be written" in text

    def test_debug_prints_it(self, tmp_path: Path) -> None:
        """With ``--debug`` the traceback is on stderr and in no file."""
        _, text = explained(ZeroDivisionError("x"), out=tmp_path, debug=True)

        assert "Traceback (most recent call last)" in text
        assert list(tmp_path.iterdir()) == []


def test_no_arguments_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """``rag-assay`` alone lists the commands on stderr and exits 2: nothing was done."""
    stream = io.StringIO()
    code = evaluator.cli.outcome([], Session(environment={}, console=Console(stream)))

    assert code == 2
    assert "Commands:" in stream.getvalue()
    assert capsys.readouterr().out == ""


def test_the_variable_for_debugging_is_heard() -> None:
    """RAG_ASSAY_DEBUG does what ``--debug`` does."""
    assert Session(environment={"RAG_ASSAY_DEBUG": "1"}, console=Console(io.StringIO())).debug
