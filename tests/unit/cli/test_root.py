from __future__ import annotations

import io

import click
import pytest

from evaluator import __version__, errors
from evaluator.cli import root
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.model.later import LATER_COMMANDS


def call(*arguments: str, command: click.Command = root.rag_assay) -> int:
    """Run a command line, letting its errors out."""
    return root.invoke(list(arguments), Session(environment={}, console=Console(io.StringIO())), command)


class TestExplain:
    """What a person reads who met a code."""

    def test_it_prints_what_the_page_says(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Wherever the command was installed, without a link that a terminal cannot follow."""
        assert call("--explain", "unknown-quote") == 0
        shown = capsys.readouterr().out

        assert shown.startswith("A need's quote stands in no chunk")
        assert "](" not in shown

    def test_a_code_may_be_copied_with_its_brackets(self, capsys: pytest.CaptureFixture[str]) -> None:
        """As it stands at the end of a message."""
        assert call("--explain", "[resolution]") == 0
        assert capsys.readouterr().out.strip()

    def test_a_code_that_does_not_exist_is_answered_with_the_nearest(self) -> None:
        """A slip of the pen, a word that is like none, and the title of a part, which is no code."""
        for code, said in (
            ("unknown-qoute", "did you mean unknown-quote"),
            ("zzz", "lists them"),
            ("Messages", "no code .Messages."),
        ):
            with pytest.raises(errors.UsageError, match=said):
                call("--explain", code)


class TestCommands:
    """The list of commands."""

    @pytest.mark.parametrize("name", root.COMMANDS)
    def test_each_has_help_with_examples(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Every command explains itself and shows command lines to copy."""
        assert call(name, "--help") == 0
        shown = capsys.readouterr().out

        assert f"Usage: rag-assay {name}" in shown
        assert "Examples:" in shown
        assert f"  rag-assay {name}" in shown

    @pytest.mark.parametrize("flag", ["--help", "-h"])
    def test_help_lists_all_of_them_with_a_line_each(self, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
        """The overview names every command."""
        assert call(flag) == 0
        shown = capsys.readouterr().out

        assert [name for name in root.COMMANDS if f"\n  {name} " not in shown] == []

    def test_the_version_is_the_packages(self, capsys: pytest.CaptureFixture[str]) -> None:
        """``--version`` prints name and version on standard output."""
        assert call("--version") == 0
        assert capsys.readouterr().out == f"rag-assay {__version__}\n"

    @pytest.mark.parametrize(
        ("typed", "hint"),
        [
            ("chek", "did you mean 'check'?"),
            ("smaple", "did you mean 'sample'? It is not yet supported"),
            ("xyzzy", "rag-assay --help lists them"),
            ("", "rag-assay --help lists them"),
        ],
    )
    def test_a_misspelt_one_is_named_with_the_nearest(self, typed: str, hint: str) -> None:
        """An unknown command is answered with the nearest known name, or with where to find them."""
        with pytest.raises(errors.UsageError) as caught:
            call(typed)

        assert str(caught.value) == f"there is no command {typed!r}; {hint}"


class TestLater:
    """What the documents name and a later version brings."""

    @pytest.mark.parametrize("name", LATER_COMMANDS)
    def test_a_command_of_a_later_version_is_told_as_one(self, name: str) -> None:
        """Whoever types it learns that it will come, not that it was misspelt; its help is refused as well."""
        for arguments in ([name], [name, "--help"], [name, "x", "--y"]):
            with pytest.raises(errors.NotYetSupported, match=f"^rag-assay {name} is not yet supported$"):
                call(*arguments)

    @pytest.mark.parametrize("arguments", [["run", "--shard", "1/4"], ["collect", "--shard", "1/4"]])
    def test_an_option_of_a_later_version_is_told_as_one(
        self, arguments: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It is refused before anything is read, and no help lists it."""
        with pytest.raises(errors.NotYetSupported, match=f"^{arguments[1]} is not yet supported; leave it out$"):
            call(*arguments)
        assert call(arguments[0], "--help") == 0
        assert arguments[1] not in capsys.readouterr().out

    def test_no_help_lists_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        """``--help`` lists only what works."""
        assert call("--help") == 0
        shown = capsys.readouterr().out

        assert [name for name in LATER_COMMANDS if f"\n  {name} " in shown] == []


@pytest.mark.parametrize("returned", [None, "0", 0.0])
def test_a_command_that_forgets_its_exit_code_has_not_passed(returned: object) -> None:
    """What is no whole number is a fault, not exit code 0."""
    command = click.Command("x", callback=lambda: returned)

    with pytest.raises(TypeError, match="instead of an exit code"):
        call(command=command)
