"""Entries of accepted.yml to copy out of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator.metrics import load
from evaluator.model.comparison import Loosened
from evaluator.report import acceptance
from evaluator.stores.accepted import read_accepted
from tests.builders import build_comparison, build_head, build_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.report.inputs import Inputs

IDS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=40)
"""No file holds a NUL."""


def loosened(*entries: dict[str, Any] | None, accepted: str | None = None, **head: Any) -> Inputs:
    """A report's inputs with something loosened for each entry."""
    found = tuple(Loosened(kind="removed", text="x", entry=entry, accepted=accepted) for entry in entries)
    return build_inputs(build_comparison(loosened=found), head=build_head(**head))


def lines(inputs: Inputs) -> list[str]:
    """The lines to copy."""
    snippet = acceptance.snippet(inputs)
    return list(snippet.lines.items) if snippet else []


def test_cases_share_an_entry_and_each_row_has_its_own() -> None:
    """The run began on the 4th of March: entries are valid until the 2nd of June, and lack only their reason."""
    row = {"metric": "recall@5", "category": "billing", "floor": 0.8125}

    assert lines(loosened({"case": "a"}, row, {"case": "b"}, None)) == [
        '- {case: [a, b], reason: "", until: 2026-06-02}',
        '- {metric: recall@5, category: billing, floor: 0.8125, reason: "", until: 2026-06-02}',
    ]


def test_nothing_is_offered_where_nothing_can_be_accepted() -> None:
    """What is accepted already, and what no entry can accept, needs none."""
    assert acceptance.snippet(loosened({"case": "a"}, accepted="a duplicate")) is None
    assert acceptance.snippet(loosened(None)) is None


def test_the_file_is_named_or_the_key_that_names_one() -> None:
    """A reader learns where the lines go."""
    named = acceptance.snippet(loosened({"case": "a"}, config={"accepted": "eval/accepted.yml"}))
    nameless = acceptance.snippet(loosened({"case": "a"}))

    assert named is not None
    assert named.purpose == "To accept it, add to eval/accepted.yml, with a reason:"
    assert nameless is not None
    assert nameless.purpose == "To accept it, name a file as accepted in the configuration, and add, with a reason:"


@pytest.mark.parametrize("started", [None, "yesterday", "9999-12-31T00:00:00Z"])
def test_a_date_is_left_open_where_none_can_be_known(started: str | None) -> None:
    """A run that does not say when it began offers no date."""
    assert lines(loosened({"case": "a"}, timing={"started_at": started})) == [
        '- {case: a, reason: "", until: YYYY-MM-DD}'
    ]


def test_a_thousand_cases_stand_in_lines_that_can_be_read() -> None:
    """Every case is in exactly one entry, and no entry is much longer than a paragraph."""
    found = lines(loosened(*({"case": f"case-{number}"} for number in range(1000))))

    assert sum(line.count("case-") for line in found) == 1000
    assert all(len(line) < 2000 for line in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(IDS, min_size=1, max_size=5, unique=True), IDS)
def test_what_is_copied_names_exactly_what_was_meant(tmp_path: Path, cases: list[str], category: str) -> None:
    """Whatever an id or a category holds, the reader of accepted.yml gets it back, once a reason is written."""
    row = {"metric": "recall@5", "category": category, "floor": 0.5}
    text = "\n".join(lines(loosened(*({"case": case} for case in cases), row)))
    file = tmp_path / "accepted.yml"
    file.write_text(text.replace('reason: ""', "reason: why"), encoding="utf-8")
    accepted = read_accepted(file, known_metrics=load(), today="2026-03-04")

    assert [entry.case for entry in accepted.cases] == [tuple(cases)]
    assert [(entry.metric, entry.category, entry.floor) for entry in accepted.rows] == [("recall@5", category, 0.5)]


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_no_name_ends_the_block_of_code(text: str) -> None:
    """Nothing that is copied holds a line end, a backtick or a tag."""
    assert not set(acceptance.quoted(text)) & set("\n\r`<>&")
