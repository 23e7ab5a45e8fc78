"""What loosens the exam, and what accepted.yml accepts."""

from __future__ import annotations

import datetime

import pytest

from evaluator.comparison import departures, loosened
from evaluator.model.accepted import Accepted, AcceptedCase, AcceptedRow
from evaluator.model.comparison import Exam
from tests import sheets
from tests.sheets import cases, exam, rule, sheet

LATER = datetime.date(2099, 1, 1)
NOTHING = loosened.Acceptance(Accepted())
DROPPED = sheet(cases(*[(0.9, 0.8)] * 6))


def under(limit: float) -> Exam:
    """A drop of 0.1 under a limit."""
    return exam(DROPPED, rule(max_drop=limit, min_lost=2), gate={"drift": {"max_drop": 1.0}})


def accepted_row(floor: float, category: str | None = None) -> loosened.Acceptance:
    """One entry for recall@5."""
    entry = AcceptedRow(metric="recall@5", category=category, floor=floor, reason="smaller model", until=LATER)
    return loosened.Acceptance(Accepted(rows=(entry,)))


def test_a_limit_that_was_raised_over_a_regression_is_found() -> None:
    """Red under the baseline's rules and green under the candidate's is what loosening looks like."""
    (found,) = loosened.find(under(0.2), under(0.02), (), NOTHING)
    assert (found.kind, found.metric, found.category) == ("rule", "recall@5", None)
    assert found.candidate == pytest.approx(0.8)
    assert found.accepted is None


def test_red_under_both_is_a_failure_and_not_a_loosening() -> None:
    """What fails by the candidate's own rules needs no second name."""
    assert loosened.find(under(0.05), under(0.02), (), NOTHING) == ()


def test_an_accepted_row_must_reach_its_floor() -> None:
    """0.8 reaches a floor of 0.8 and not one of 0.81; another category's entry says nothing."""

    def reason(accepted: loosened.Acceptance) -> str | None:
        return loosened.find(under(0.2), under(0.02), (), accepted)[0].accepted

    assert reason(accepted_row(0.8)) == "smaller model"
    assert reason(accepted_row(0.81)) is None
    assert reason(accepted_row(0.1, category="a")) is None


@pytest.mark.parametrize(("name", "values"), [("recall@5", (0.9, 0.81234567)), ("latency_ms", (100.0, 123.456789))])
def test_the_entry_that_is_offered_accepts_what_it_is_offered_for(name: str, values: tuple[float, float]) -> None:
    """Its floor is rounded to the side on which the row still reaches it, and names what failed where."""
    limit = "max_drop" if name == "recall@5" else "max_rise"
    values_of = sheet(cases(*[values] * 6, category="b"), name)
    gate = {"drift": {"max_drop": 1000.0}}
    old = exam(values_of, rule(name, per="category", **{limit: 0.01}), gate=gate)
    new = exam(values_of, rule(name, per="category", **{limit: 50.0}), gate=gate)
    found = loosened.find(new, old, (), loosened.Acceptance(Accepted(), frozenset({"latency_ms"})))

    assert [entry.entry for entry in found] == [
        {"metric": name, "category": "b", "floor": 0.8123 if name == "recall@5" else 123.4568},
        {"metric": name, "floor": 0.8123 if name == "recall@5" else 123.4568},
    ]
    assert [entry.text.partition(" fails")[0] for entry in found] == [
        f"{name} {limit} in b", f"{name} {limit} over all cases",
    ]  # fmt: skip
    rows = tuple(
        AcceptedRow.model_validate({**entry.entry, "reason": "why", "until": LATER}) for entry in found if entry.entry
    )
    acceptance = loosened.Acceptance(Accepted(rows=rows), frozenset({"latency_ms"}))
    assert [entry.accepted for entry in loosened.find(new, old, (), acceptance)] == ["why", "why"]


def test_cases_that_left_are_found_and_accepted_one_by_one() -> None:
    """An entry accepts the ids that it names and no other."""
    leaving = list(departures.departures(removed=["x", "y"], changed_critical=["z"], flags=["w"]))
    accepted = Accepted(cases=(AcceptedCase(case=("x", "w"), reason="duplicates", until=LATER),))
    found = loosened.find(under(0.2), None, leaving, loosened.Acceptance(accepted))
    assert [(entry.kind, entry.case, entry.accepted) for entry in found] == [
        ("removed", "x", "duplicates"),
        ("removed", "y", None),
        ("removed", "z", None),
        ("flag", "w", "duplicates"),
    ]


def test_an_entry_that_matches_nothing_is_named() -> None:
    """A list of exceptions that nobody needs any more is a hole kept open."""
    accepted = Accepted(
        rows=accepted_row(0.5).accepted.rows,
        cases=(AcceptedCase(case=("x",), reason="gone", until=LATER),),
        places=(2,),
    )
    sentences = list(loosened.unmatched((), exam(DROPPED, rule()), (), accepted))
    assert sentences == [
        "accepted.yml: the entry for recall@5 matches nothing; remove it",
        "accepted.yml: in entry 2, 1 of 1 case neither left nor changed; remove what is done",
    ]


def test_a_metric_that_left_the_exam_while_it_stopped_applying_is_found_and_can_be_accepted() -> None:
    """Under the baseline's rules its row is removed; the candidate's rules no longer ask."""
    metrics = (sheets.MetricId("recall", 5), sheets.MetricId("ndcg", 10))
    lines = [sheets.CaseValues(f"c{n}", "a", critical=False, before=(1.0, 1.0), after=(None, 1.0)) for n in range(6)]
    values = sheets.Sheet(metrics, sheets.METRICS, lines, has_baseline=True)
    gone, silent = exam(values, rule()), exam(values, rule("ndcg@10"))
    (row, undecided) = loosened.find(silent, gone, (), NOTHING)
    assert (row.kind, row.metric, undecided.kind, undecided.metric) == (
        "undecided",
        "recall@5",
        "undecided",
        "recall@5",
    )
    assert {entry.accepted for entry in loosened.find(silent, gone, (), accepted_row(0.5))} == {"smaller model"}


def test_a_limit_on_failures_that_was_raised_is_found_and_no_row_can_accept_it() -> None:
    """Ten failures of sixty are more than the 5 % the baseline allows, and less than the candidate's 20 %."""
    values = sheet(cases(*[(1.0, 1.0)] * 6))
    strict, lax = exam(values, rule(), failures=10, cases=60), exam(values, rule(), failures=10, cases=60)
    lax = lax.model_copy(update={"gate": lax.gate.model_copy(update={"max_failures": 0.2})})
    (found,) = loosened.find(lax, strict, (), accepted_row(0.0))
    assert (found.kind, found.metric, found.accepted) == ("undecided", None, None)


def test_no_case_is_named_by_an_entry_that_matches_nothing() -> None:
    """accepted.yml is read by few, the comment by many; of a case that is gone nobody knows that it was held out."""
    accepted = Accepted(cases=(AcceptedCase(case=("secret", "x", "y"), reason="gone", until=LATER),), places=(5,))
    (sentence,) = loosened.unmatched((), exam(DROPPED, rule()), {"x"}, accepted)
    assert sentence == "accepted.yml: in entry 5, 2 of 3 cases neither left nor changed; remove what is done"


def test_a_floor_is_the_most_that_is_accepted_where_less_is_better() -> None:
    """150 ms accept 140 and not 100,000."""
    entry = AcceptedRow(metric="latency_ms", floor=150.0, reason="slower model", until=LATER)
    acceptance = loosened.Acceptance(Accepted(rows=(entry,)), {"latency_ms"})
    assert acceptance.of_row("latency_ms", None, 140.0) == "slower model"
    assert acceptance.of_row("latency_ms", None, 100_000.0) is None
