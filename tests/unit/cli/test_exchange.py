from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.cli import root
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.stores import importers

if TYPE_CHECKING:
    from pathlib import Path

WRITABLE = [name for name, kind in importers.load().items() if kind.write is not None]
COMMANDS = [("import", name) for name in importers.load()] + [("export", name) for name in WRITABLE]


def call(*arguments: str | Path) -> str:
    """Run a command line, letting its errors out; what it says on stderr."""
    said = io.StringIO()
    assert root.invoke([str(each) for each in arguments], Session(environment={}, console=Console(said))) == 0
    return said.getvalue()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of one question."""
    file = tmp_path / "table.csv"
    file.write_text("id,question,relevant\nq,why,a|b\n")
    return file


@pytest.mark.parametrize(("verb", "name"), COMMANDS)
def test_each_format_has_help_with_examples(verb: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its own options are explained, and there are command lines to copy."""
    call(verb, name, "--help")
    shown = capsys.readouterr().out

    assert f"  rag-assay {verb} {name} " in shown
    assert "--out DIR" in shown
    for option in importers.load()[name].options if verb == "import" else ():
        assert option.flag in shown


@pytest.mark.parametrize("verb", ["import", "export"])
def test_the_formats_are_listed(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The overview has a line for each."""
    call(verb, "--help")
    shown = capsys.readouterr().out

    assert [name for command, name in COMMANDS if command == verb and f"\n  {name} " not in shown] == []


def test_nothing_is_replaced_unless_it_is_said(table: Path, tmp_path: Path) -> None:
    """A golden set that somebody has worked on is not lost to a second import."""
    golden = tmp_path / "out" / "golden.jsonl"
    call("import", "csv", table, "--out", golden.parent)
    golden.write_text("worked on\n")
    with pytest.raises(errors.UsageError, match=r"golden\.jsonl would be replaced"):
        call("import", "csv", table, "--out", golden.parent)
    assert golden.read_text() == "worked on\n"
    call("import", "csv", table, "--out", golden.parent, "--force")

    assert golden.read_text() == '{"id": "q", "question": "why", "relevant": ["a", "b"]}\n'


def test_an_export_replaces_nothing_either(table: Path, tmp_path: Path) -> None:
    """Files of another tool are as dear."""
    call("import", "csv", table, "--out", tmp_path)
    export = ("export", "trec", "--golden", tmp_path / "golden.jsonl", "--out", tmp_path / "trec")
    call(*export)
    with pytest.raises(errors.UsageError, match="would be replaced"):
        call(*export)
    call(*export, "--force")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "trek"], "import knows no format 'trek'; did you mean 'trec'?"),
        (["import", "xyzzy"], "known are"),
        (["import", "csv", "TABLE", "--map", "question=quesion"], "did you mean 'question'?"),
        (["import", "csv", "TABLE", "--map", "qestion=id"], "did you mean 'question'?"),
        (["import", "csv", "TABLE", "--map", "question"], "is not OURS=THEIRS"),
        (["import", "csv", "TABLE", "--delimiter", ";;"], "is not one character"),
        (
            ["import", "ragas", "TABLE", "--map", "reference=question"],
            "there are id, question, relevant: say which, as in",
        ),
        (["import", "beir", "FOLDER"], "there is no qrels/*.tsv either"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(arguments: list[str], said: str, table: Path, tmp_path: Path) -> None:
    """Formats, fields and options, each in one sentence, and nothing is written."""
    places = {"TABLE": str(table), "FOLDER": str(tmp_path)}
    out = [] if len(arguments) == 2 else ["--out", tmp_path / "out"]
    with pytest.raises(errors.UsageError) as caught:
        call(*(places.get(each, each) for each in arguments), *out)

    assert said in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("question,id\nwhy,a\nhow,a,b\nwho\n", [("syntax", 3), ("syntax", 4)]),
        ("question,critical\nwhy,maybe\nhow,true\nwho,perhaps\n", [("wrong-value", 2), ("wrong-value", 4)]),
        ("question,question\nwhy,how\n", [("duplicate-key", 1)]),
        ('question,relevant\nwhy,"[""a"", "\n', [("wrong-value", 2)]),
        ('question\n"why\n', [("syntax", 2)]),
        ('question,id\n"one\n\ntwo",a\nthree,a\n', []),
        ("question\n", [("no-cases", 0)]),
        ("id,question,relevant\na,why,[[]]\n", [("wrong-value", 2)]),
    ],
)
def test_mistakes_of_a_table_are_named_with_their_lines(
    text: str, found: list[tuple[str, int]], tmp_path: Path
) -> None:
    """All at once; a cell may hold lines of its own. Ids that do not tell rows apart are not taken for ids."""
    file = tmp_path / "table.csv"
    file.write_text(text)
    try:
        call("import", "csv", file, "--out", tmp_path / "out")
        problems: tuple[errors.Problem, ...] = ()
    except errors.InputError as error:
        problems = error.problems

    assert [(problem.code, problem.line) for problem in problems] == found
