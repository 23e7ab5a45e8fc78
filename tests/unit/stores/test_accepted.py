from __future__ import annotations

import datetime
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.model.accepted import Accepted, AcceptedCase, AcceptedRow
from evaluator.model.score import Metric, Scored
from evaluator.stores.accepted import read_accepted

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = Metric(
    name="", title="", formula="", source="", score=lambda _view, _k: Scored(0.0), reads="ranking", counts="needs"
)
KNOWN = {name: replace(PLAIN, name=name) for name in ("recall", "mrr")}
KNOWN["abstention"] = replace(PLAIN, name="abstention", cutoff="none")


def read(path: Path, text: str) -> Accepted:
    """What a file of that text accepts on the last day of 2030."""
    (path / "accepted.yml").write_text(text)
    return read_accepted(path / "accepted.yml", known_metrics=KNOWN, today="2030-12-31")


def problems_of(path: Path, text: str) -> list[tuple[str, int, int, str]]:
    """Code, line, column and message of every problem."""
    with pytest.raises(errors.InputError) as caught:
        read(path, text)
    return [(each.code, each.line, each.column, each.message) for each in caught.value.problems]


def test_rows_and_cases_are_read(tmp_path: Path) -> None:
    """Both kinds of entry are read in order; an entry is good on its last day; one id needs no list."""
    text = """
- {metric: recall@5, category: on, floor: 0.7, reason: fewer chunks, until: 2030-12-31}
- {metric: abstention, floor: 1, reason: r, until: "2031-01-01"}
- {case: q|1, reason: rewritten, until: 2031-06-30}
- {case: [a, A], reason: duplicates, until: 2031-06-30}
"""
    day = datetime.date(2030, 12, 31)
    later = datetime.date(2031, 6, 30)
    assert read(tmp_path, text) == Accepted(
        rows=(
            AcceptedRow(metric="recall@5", category="on", floor=0.7, reason="fewer chunks", until=day),
            AcceptedRow(metric="abstention", floor=1, reason="r", until=datetime.date(2031, 1, 1)),
        ),
        cases=(
            AcceptedCase(case=("q|1",), reason="rewritten", until=later),
            AcceptedCase(case=("a", "A"), reason="duplicates", until=later),
        ),
        places=(3, 4),
    )


@pytest.mark.parametrize("text", ["", "# nothing is accepted any more\n", "[]"])
def test_a_file_without_entries_accepts_nothing(tmp_path: Path, text: str) -> None:
    """Entries come and go; the file may stay."""
    assert read(tmp_path, text) == Accepted()


@pytest.mark.parametrize(
    ("metric", "code", "sentence"),
    [
        ("recall@banana", "wrong-value", "'recall@banana' has a cut-off that is no whole number above 0"),
        ("recall@", "wrong-value", "'recall@' has a cut-off that is no whole number above 0"),
        ("abstention@5", "wrong-value", "'abstention@5' has a cut-off, which abstention does not take"),
        ("abstentoin", "unknown-metric", "'abstentoin' is no metric; did you mean 'abstention'?"),
    ],
)
def test_a_metric_is_written_as_in_the_configuration(tmp_path: Path, metric: str, code: str, sentence: str) -> None:
    """An entry for a metric that nothing could ever compute would match nothing, silently."""
    text = f"- {{metric: {metric}, floor: 0.7, reason: r, until: 2031-01-01}}"
    assert problems_of(tmp_path, text) == [(code, 1, 12, sentence)]


def test_every_mistake_with_its_place(tmp_path: Path) -> None:
    """Expired entries, misspelt metrics, unknown keys and the rest are all told at once."""
    text = """
- {metric: recal@5, floor: 0.7, reason: r, until: 2030-12-30}
- {metric: recall@5, flor: 0.7, reason: r, until: soon}
- {cas: q1, reason: r, until: 2031-01-01}
- {case: [], reason: "", until: 2031-01-01}
- {case: q1, metric: mrr, reason: r, until: 20311231}
- {case: q1, reason: r, until: 1956528000}
- {metric: mrr, floor: high, reason: r, until: 2031-02-30}
"""
    assert problems_of(tmp_path, text) == [
        ("expired", 2, 51, "this entry expired on 2030-12-30: remove it or renew it"),
        ("unknown-metric", 2, 12, "'recal@5' is no metric; did you mean 'recall'?"),
        ("wrong-value", 3, 51, "until must be a date such as 2030-12-31, not 'soon'"),
        ("unknown-field", 3, 22, "unknown field 'flor'; did you mean 'floor'?"),
        ("missing-field", 3, 3, "field 'floor' is missing"),
        ("unknown-field", 4, 4, "unknown field 'cas'; did you mean 'case'?"),
        ("missing-field", 4, 3, "field 'case' is missing"),
        ("wrong-value", 5, 10, "case must be a list that is not empty, not an empty list"),
        ("wrong-value", 5, 22, "reason must be text that is not empty, not empty text"),
        ("wrong-value", 6, 45, "until must be a date such as 2030-12-31, not 20311231"),
        ("unknown-field", 6, 14, "unknown field 'metric'; known are case, reason, until"),
        ("wrong-value", 7, 32, "until must be a date such as 2030-12-31, not 1956528000"),
        ("wrong-value", 8, 24, "floor must be a number, not 'high'"),
        ("wrong-value", 8, 48, "until must be a date such as 2030-12-31, not '2031-02-30'"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("metric: recall@5", ("wrong-value", 1, 1, "this file is a list of what is accepted")),
        ("- text", ("wrong-value", 1, 3, "this must be a mapping of fields, not 'text'")),
        (
            "- {case: q1, case: q2, reason: r, until: 2031-01-01}",
            ("duplicate-key", 1, 14, "duplicate key 'case', first on line 1"),
        ),
    ],
)
def test_what_is_no_list_of_entries(tmp_path: Path, text: str, problem: tuple[str, int, int, str]) -> None:
    """A file of another shape is one problem."""
    assert problems_of(tmp_path, text) == [problem]


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    """A file that the configuration names must be there."""
    with pytest.raises(errors.InputError, match=r"accepted\.yml: there is no such file \[missing-file\]"):
        read_accepted(tmp_path / "accepted.yml", known_metrics=KNOWN, today="2030-12-31")
