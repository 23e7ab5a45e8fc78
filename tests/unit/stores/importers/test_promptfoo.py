"""Assertions of promptfoo as references and facts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.stages import importing
from evaluator.stores.importers.promptfoo import FORMAT as PROMPTFOO

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.exchange import Intake


def read(folder: Path, text: str, name: str) -> Intake:
    """What a file of tests holds."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return importing.read(PROMPTFOO, {"file": file})


def case(folder: Path, *assertions: dict[str, Any], **variables: Any) -> tuple[dict[str, Any], list[str]]:
    """The case that a test with these assertions and variables becomes, and what was said of it."""
    test = {"vars": {"question": "why?", **variables}, "assert": assertions}
    found = read(folder, json.dumps([test]), "tests.json")
    return found.cases[0].value, list(found.remarks)


def texts(value: dict[str, Any]) -> list[list[str]]:
    """The alternatives of every fact."""
    return [fact.get("any", [fact["text"]]) for fact in value.get("facts", ())]


def test_a_value_may_be_a_variable_of_its_test(tmp_path: Path) -> None:
    """As promptfoo renders it before it compares."""
    value, _ = case(
        tmp_path,
        {"type": "contains", "value": "{{expected}}"},
        {"type": "similar", "value": "It takes {{ days }} days."},
        expected="thirty days",
        days=30,
    )
    assert texts(value) == [["thirty days"]]
    assert value["reference"] == "It takes 30 days."


@pytest.mark.parametrize("written", ["{{missing}}", "{{ expected | upper }}", "{% if x %}a{% endif %}", "file://a.txt"])
def test_what_only_promptfoo_can_make_is_named_and_no_fact(tmp_path: Path, written: str) -> None:
    """A fact that no answer could state would be lost in every run."""
    assertions = [{"type": kind, "value": written} for kind in ("icontains", "factuality")]
    value, remarks = case(tmp_path, *assertions, expected="x")

    assert not {"facts", "reference"} & value.keys()
    said = "takes its value from a file or a template, which is not read"
    assert {f"assertion 'icontains' {said}", f"assertion 'factuality' {said}"} <= set(remarks)


def test_a_list_may_be_written_as_one_text(tmp_path: Path) -> None:
    """With commas between, which quotation marks hold together; other assertions take their text as it is."""
    value, _ = case(
        tmp_path,
        {"type": "contains-all", "value": "free, receipt"},
        {"type": "icontains-any", "value": '"a, b", c'},
        {"type": "contains", "value": "one, two"},
    )
    assert texts(value) == [["free"], ["receipt"], ["a, b", "c"], ["one, two"]]


def test_a_text_between_slashes_is_no_pattern_there(tmp_path: Path) -> None:
    """Here it would be one, so it becomes the pattern that finds the text itself."""
    value, _ = case(tmp_path, {"type": "contains", "value": "/etc/a.conf/"}, {"type": "contains", "value": "/etc"})

    assert texts(value) == [[r"//etc/a\.conf//"], ["/etc"]]


def test_every_expectation_of_a_row_counts(tmp_path: Path) -> None:
    """Each column of them, with a threshold or without, and variables; a sentence with a colon is an answer."""
    header = "question,days,__expected1,__expected2,__expected3\n"
    rows = [
        'why?,30,"icontains-all: a, b",contains: {{days}} days,similar(0.8): It is so.',
        'how?,,"contains-any(0.5): x, y",,Answer: by post',
    ]
    first, second = (draft.value for draft in read(tmp_path, header + "\n".join(rows), "tests.csv").cases)

    assert texts(first) == [["a"], ["b"], ["30 days"]]
    assert first["reference"] == "It is so."
    assert texts(second) == [["x", "y"]]
    assert second["reference"] == "Answer: by post"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("file://q.txt", "the question stands in another file, which is not read"),
        (["why?", "how?"], "the question is a list of values, which is not expanded: write one record for each"),
    ],
)
def test_a_question_that_is_none_is_refused(tmp_path: Path, question: Any, said: str) -> None:
    """What promptfoo reads or expands before it asks."""
    with pytest.raises(errors.InputError, match=said):
        case(tmp_path, question=question)
