"""The verdict: precedence, floors, critical cases, and everything that leaves the outcome open."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.comparison import critical, gate
from evaluator.comparison.critical import Held, Sides
from tests import sheets
from tests.sheets import cases, exam, rule, sheet

KEPT = (1.0, 1.0)
LOST = (1.0, 0.0)


def codes(verdict: gate.Verdict) -> list[str]:
    """The reasons, by code."""
    return [reason.code for reason in verdict.reasons]


def test_nothing_lost_is_passed() -> None:
    """An unchanged run passes with every rule decided and no reason left."""
    verdict = gate.decide(exam(sheet(cases(*[KEPT] * 6)), rule(per="category")))
    assert (verdict.outcome, verdict.reasons) == ("passed", ())
    assert {outcome.outcome for outcome in verdict.rules} == {"passed"}


def test_a_regressed_row_fails_and_says_where() -> None:
    """The reason names the metric, the category and both numbers."""
    values = sheet([*cases(*[KEPT] * 50), *cases(*[LOST] * 2, *[KEPT] * 8, category="table")])
    verdict = gate.decide(exam(values, rule(per="category", min_lost=2)))
    assert verdict.outcome == "failed"
    assert [reason.text for reason in verdict.reasons if "table" in reason.text] == [
        "recall@5 max_drop in table: worse by 0.2, 0.02 is allowed; 2 cases lost",
    ]


def test_failed_goes_before_inconclusive() -> None:
    """A regression is not hidden by a run that is incomplete as well; both reasons are given."""
    verdict = gate.decide(exam(sheet(cases(*[LOST] * 6)), rule(), failures=3, cases=6))
    assert verdict.outcome == "failed"
    assert "too-many-failures" in codes(verdict)


@pytest.mark.parametrize(
    ("minimum", "after", "outcome"),
    [(1.0, 1.0, "passed"), (0.7, 0.7 - 1e-12, "passed"), (0.7, 0.69, "failed"), (0.7, 0.71, "passed")],
)
def test_a_floor_reads_the_candidates_mean(minimum: float, after: float, outcome: str) -> None:
    """A perfect run reaches a floor of 1.0; what machines differ by does not matter (S6)."""
    verdict = gate.decide(exam(sheet(cases(*[(after, after)] * 6)), rule(min=minimum)))
    assert verdict.outcome == outcome


def test_a_floor_counts_new_cases_too() -> None:
    """A floor is about the candidate as it is: six cases at 1 and six new ones at 0 have a mean of 0.5."""
    new = [sheets.CaseValues(f"n{n}", "a", critical=False, before=None, after=(0.0,)) for n in range(6)]
    verdict = gate.decide(exam(sheet([*cases(*[KEPT] * 6), *new]), rule(min=0.6)))
    assert verdict.outcome == "failed"


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [(0.5, 0.5, "passed"), (0.5, 0.4, "failed"), (0.8, 0.6, "failed")],
)
def test_floor_policy_no_worse(before: float, after: float, outcome: str) -> None:
    """A row already below its floor may stay there but not fall; one that was above must reach it."""
    values = sheet(cases(*[(before, after)] * 6))
    verdict = gate.decide(exam(values, rule(min=0.7), gate={"floor_policy": "no_worse"}))
    assert verdict.outcome == outcome


def test_floors_decide_without_a_baseline_and_drops_do_not() -> None:
    """A first run is judged by its floors; its drop rules are not evaluated and leave nothing open."""
    first = [sheets.CaseValues(f"c{n}", "a", critical=False, before=None, after=(0.8,)) for n in range(6)]
    values = sheet(first, has_baseline=False)
    assert gate.decide(exam(values, rule(max_drop=0.02, min=0.7))).outcome == "passed"
    verdict = gate.decide(exam(values, rule(max_drop=0.02, min=0.9)))
    assert verdict.outcome == "failed"
    assert [(found.rule, found.outcome) for found in verdict.rules] == [
        ("recall@5 max_drop", "not_evaluated"),
        ("recall@5 min", "failed"),
    ]


OPEN: list[Any] = [
    pytest.param({"failures": 4, "cases": 60}, ["too-many-failures"], id="4 of 60 cases failed"),
    pytest.param({"failures": 3, "cases": 60}, [], id="3 of 60 are 5 %"),
    pytest.param(
        {"failures": 0, "cases": 0, "all_failed": True},
        ["too-many-failures"],
        id="every holdout case failed",
    ),
    pytest.param({"pairable": 10, "paired": 9}, [], id="nine of ten paired"),
    pytest.param({"pairable": 10, "paired": 8}, ["too-few-paired"], id="eight of ten paired"),
    pytest.param({"unasked": 1}, ["deadline"], id="one case had no time"),
    pytest.param({"unasked": 6, "cases": 0, "all_failed": True}, ["deadline"], id="no case had time"),
    pytest.param({"partial": "only 3 of 600 cases"}, ["partial-run"], id="a part of the set"),
]


@pytest.mark.parametrize(("fields", "expected"), OPEN)
def test_what_leaves_the_outcome_open(fields: dict[str, Any], expected: list[str]) -> None:
    """Each reason for an inconclusive outcome, and the last value that is still in order."""
    verdict = gate.decide(exam(sheet(cases(*[KEPT] * 10)), rule(), **fields))
    assert (codes(verdict), verdict.outcome) == (expected, "inconclusive" if expected else "passed")


def test_all_failed_is_never_passed() -> None:
    """Even where max_failures allows everything."""
    found = exam(sheet(cases(*[(0.0, 0.0)] * 6)), rule(), gate={"max_failures": 1.0}, failures=6, all_failed=True)
    assert gate.decide(found).outcome == "inconclusive"


def test_a_written_drop_rule_that_no_row_decides_is_inconclusive() -> None:
    """A rule on a metric that applies to nothing protects nothing, and says so."""
    found = exam(sheet(cases(*[(None, None)] * 6)), rule())
    assert codes(gate.decide(found)) == ["undecided-rule", "nothing-decided"]


def test_an_optional_rule_may_be_undecided() -> None:
    """Where another rule was decided, an optional one leaves nothing open."""
    metrics = (sheets.MetricId("recall", 5), sheets.MetricId("latency_ms"))
    values = sheets.Sheet(
        metrics, sheets.METRICS,
        [sheets.CaseValues(f"c{n}", "a", critical=False, before=(1.0, None), after=(1.0, None)) for n in range(6)],
        has_baseline=True,
    )  # fmt: skip
    optional = rule("latency_ms", max_rise="20%", optional=True)
    assert gate.decide(exam(values, rule(), optional)).outcome == "passed"
    assert codes(gate.decide(exam(values, rule(), rule("latency_ms", max_rise="20%")))) == ["undecided-rule"]


def test_default_rules_that_apply_to_nothing_count_for_nothing_beside_a_decided_one() -> None:
    """A default rule is no promise a person made."""
    metrics = (sheets.MetricId("recall", 5), sheets.MetricId("ndcg", 10))
    values = sheets.Sheet(
        metrics, sheets.METRICS,
        [sheets.CaseValues(f"c{n}", "a", critical=False, before=(1.0, None), after=(1.0, None)) for n in range(6)],
        has_baseline=True,
    )  # fmt: skip
    assert gate.decide(exam(values, rule(), rule("ndcg@10"), written=False)).outcome == "passed"


def test_no_rule_at_all_beside_a_baseline_is_inconclusive() -> None:
    """An empty list of rules compares nothing; that is not a pass."""
    assert codes(gate.decide(exam(sheet(cases(*[KEPT] * 6))))) == ["nothing-decided"]


def test_a_floor_alone_is_a_gate() -> None:
    """A team that wants floors only gets a verdict from them."""
    assert gate.decide(exam(sheet(cases(*[KEPT] * 6)), rule(min=0.5))).outcome == "passed"


def test_a_written_floor_that_applies_to_no_case_is_inconclusive() -> None:
    """A floor under nothing holds nothing up."""
    values = sheet(cases(*[(None, None)] * 6))
    assert codes(gate.decide(exam(values, rule(min=0.5)))) == ["undecided-rule"]


def test_a_category_rule_whose_categories_are_all_small_is_decided_by_the_row_over_all() -> None:
    """Two categories of one case: the pooled row would equal the row over all, which another rule carries."""
    values = sheet([*cases(KEPT, category="a"), *cases((0.5, 0.6), category="b")])
    verdict = gate.decide(exam(values, rule(per="category"), rule(per="all")))
    assert verdict.outcome == "passed"


def test_a_row_that_is_gone_is_inconclusive_unless_accepted() -> None:
    """A category without a case left takes its protection with it."""
    went = [sheets.CaseValues(f"o{n}", "old", critical=False, before=(1.0,), after=None) for n in range(3)]
    found = exam(sheet([*cases(*[KEPT] * 6), *went]), rule(per="category"))
    assert codes(gate.decide(found)) == ["removed"]
    rows = tuple(entry.model_copy(update={"accepted": "merged"}) for entry in found.rows)
    assert gate.decide(found.model_copy(update={"rows": rows})).outcome == "passed"


def test_an_advisory_row_fails_nothing_and_leaves_nothing_open() -> None:
    """Other chunking: the row is shown, and the rule counts as decided. Alone it decides nothing: all may be lost."""
    found = [sheets.case(f"c{n}", 1.0, 0.0, rechunked=True) for n in range(6)]
    verdict = gate.decide(exam(sheet(found, "ndcg@10"), rule("ndcg@10")))
    assert [outcome.outcome for outcome in verdict.rules] == ["advisory"]
    assert (verdict.outcome, codes(verdict)) == ("inconclusive", ["nothing-decided"])


@pytest.mark.parametrize(
    ("unscored", "outcome"),
    [
        pytest.param(0, "passed", id="all judged"),
        pytest.param(1, "inconclusive", id="one of ten, which at worst costs 0.1"),
    ],
)
def test_cases_that_could_not_be_judged(unscored: int, outcome: str) -> None:
    """Where the worst value for what could not be judged would change the verdict, nothing is decided."""
    missing = [
        sheets.CaseValues(f"u{n}", "a", False, (1.0,), (None,), unscored=frozenset({0})) for n in range(unscored)
    ]  # fmt: skip
    values = sheet([*cases(*[KEPT] * (10 - unscored)), *missing])
    verdict = gate.decide(exam(values, rule(), gate={"max_unscored": 0.5}))
    assert verdict.outcome == outcome


def test_a_floor_without_a_baseline_sees_what_could_not_be_judged() -> None:
    """Two of three values reach the floor; the third is not known and could pull the mean below it."""
    lines = [sheets.CaseValues(f"c{n}", "a", critical=False, before=None, after=(0.8,)) for n in range(2)]
    lines.append(sheets.CaseValues("u", "a", critical=False, before=None, after=(None,), unscored=frozenset({0})))
    values = sheet(lines, has_baseline=False)
    half = {"max_unscored": 0.5}
    assert codes(gate.decide(exam(values, rule(min=0.7), gate=half))) == ["unscored"]
    assert gate.decide(exam(values, rule(), gate=half)).outcome == "passed"


def test_too_many_unscored_leave_a_run_open_that_has_no_baseline() -> None:
    """Such a run would be the next one's baseline, and whatever it does not know could fall unseen."""
    lines = [sheets.CaseValues(f"c{n}", "a", critical=False, before=None, after=(1.0,)) for n in range(19)]
    missing = [
        sheets.CaseValues(f"u{n}", "a", critical=False, before=None, after=(None,), unscored=frozenset({0}))
        for n in range(2)
    ]
    assert gate.decide(exam(sheet([*lines, *missing[:1]], has_baseline=False), rule())).outcome == "passed"
    assert codes(gate.decide(exam(sheet([*lines, *missing], has_baseline=False), rule()))) == ["unscored"]


def test_a_category_in_which_nothing_could_be_scored_has_a_row() -> None:
    """Two of sixty are few over all cases, and everything there is in their category."""
    lines = [sheets.CaseValues(f"c{n}", "a", critical=False, before=None, after=(1.0,)) for n in range(58)]
    missing = [
        sheets.CaseValues(f"u{n}", "b", critical=False, before=None, after=(None,), unscored=frozenset({0}))
        for n in range(2)
    ]
    verdict = gate.decide(exam(sheet([*lines, *missing], has_baseline=False), rule(per="category")))
    assert [reason.text for reason in verdict.reasons] == [
        "recall@5 in b: 2 cases without a value: not judged, or no longer measured"
    ]


def test_few_unscored_cases_that_cannot_change_the_verdict_are_left() -> None:
    """One of a hundred at worst costs 0.01, which is allowed."""
    missing = sheets.CaseValues("u", "a", critical=False, before=(1.0,), after=(None,), unscored=frozenset({0}))
    verdict = gate.decide(exam(sheet([*cases(*[KEPT] * 99), missing]), rule()))
    assert verdict.outcome == "passed"


@pytest.mark.parametrize("before", [1.0, None])
@pytest.mark.parametrize(("count", "outcome"), [(1, "passed"), (2, "inconclusive")])
def test_what_could_not_be_judged_may_have_drifted(before: float | None, count: int, outcome: str) -> None:
    """At 1 when the anchor was set: one of 24 at 0 is a fall of 0.042, which drift may; two are one of 0.083."""
    missing = [
        sheets.CaseValues(f"u{n}", "a", False, (before,), (None,), unscored=frozenset({0})) for n in range(count)
    ]
    found = [*cases(*[KEPT] * (24 - count)), *missing]
    values = sheet(found, anchor={"recall@5": {case.id: 1.0 for case in found}})
    limits = {"max_unscored": 0.1, "drift": {"max_drop": 0.05}}
    assert gate.decide(exam(values, rule(max_drop=0.5), gate=limits)).outcome == outcome


@pytest.mark.parametrize(("before", "outcome"), [(0.0, "passed"), (0.5, "inconclusive")])
def test_a_row_below_its_floor_before_may_lack_what_was_at_the_worst(before: float, outcome: str) -> None:
    """``floor_policy: no_worse``: what was at 0 cannot have fallen; what was at 0.5 may have."""
    missing = sheets.CaseValues("u", "a", critical=False, before=(before,), after=(None,), unscored=frozenset({0}))
    values = sheet([*cases(*[(0.5, 0.5)] * 9), missing])
    settings = {"floor_policy": "no_worse", "max_unscored": 0.1}
    assert gate.decide(exam(values, rule(min=0.7), gate=settings)).outcome == outcome


def test_drift_fails_where_no_single_change_did() -> None:
    """0.06 below the anchor is more than the 0.05 allowed, though the last step was only 0.01."""
    anchor = {"recall@5": {f"a{n}": 0.80 for n in range(6)}}
    values = sheet(cases(*[(0.75, 0.74)] * 6), anchor=anchor)
    verdict = gate.decide(exam(values, rule(min_lost=2)))
    assert verdict.outcome == "failed"
    assert [(found.rule, found.outcome) for found in verdict.rules] == [
        ("recall@5 max_drop", "passed"),
        ("recall@5 drift", "failed"),
    ]


@pytest.mark.parametrize(("value", "outcome"), [(0.76, "passed"), (0.75, "passed"), (0.7499, "failed")])
def test_drift_limit(value: float, outcome: str) -> None:
    """0.05 below the anchor is allowed, anything more is not."""
    anchor = {"recall@5": {f"a{n}": 0.80 for n in range(6)}}
    values = sheet(cases(*[(0.76, value)] * 6), anchor=anchor)
    assert gate.decide(exam(values, rule(max_drop=0.03))).outcome == outcome


NEEDS = Held(frozenset({"n1", "n2"}), frozenset(), None)
LESS = Held(frozenset({"n1", "n3"}), frozenset(), None)


def test_a_critical_case_that_lost_a_need_fails_though_it_won_another() -> None:
    """One need lost is one too many, whatever came instead; the case is named."""
    found = tuple(critical.outcomes(Sides("c1", NEEDS, LESS)))
    verdict = gate.decide(exam(sheet(cases(*[KEPT] * 6)), rule(), critical=found))
    assert verdict.outcome == "failed"
    assert [case.status for case in verdict.cases] == ["failed", "passed", "not_evaluated"]
    assert verdict.reasons[0].text == "critical lost_needs in a critical case: 1 case of 1: c1"


def test_a_lost_need_that_is_a_long_quote_is_named_in_short() -> None:
    """Two quotes that begin alike are two needs, and a paragraph does not fill the reason."""
    long = [f"quote {'word ' * 50}{end}" for end in ("one", "two")]
    then, now = Held(frozenset(long), frozenset(), None), Held(frozenset(long[:1]), frozenset(), None)
    found = next(iter(critical.outcomes(Sides("c1", then, now))))

    assert (found.lost, len(found.reason)) == (1, len("no longer in the context: ") + 80)


@pytest.mark.parametrize(("limit", "outcome"), [(0, "failed"), (1, "passed"), (None, "passed")])
def test_critical_limits(limit: int | None, outcome: str) -> None:
    """A limit says how much one case may lose; null switches the rule off."""
    found = tuple(critical.outcomes(Sides("c1", NEEDS, LESS)))
    values = sheet(cases(*[KEPT] * 6))
    verdict = gate.decide(exam(values, rule(), critical=found, gate={"critical": {"lost_needs": limit}}))
    assert verdict.outcome == outcome


@pytest.mark.parametrize(
    ("before", "after", "has_baseline", "lost"),
    [
        (1.0, 0.0, True, 1),
        (0.0, 0.0, True, 0),
        (1.0, 1.0, True, 0),
        (None, 0.0, True, None),
        (1.0, None, True, None),
        (None, 0.0, False, 1),
        (None, 1.0, False, 0),
    ],
)
def test_wrong_abstention(before: float | None, after: float | None, has_baseline: bool, lost: int | None) -> None:
    """Right before and wrong now; absolute without a baseline; not known on a side decides nothing."""
    then = Held(frozenset(), frozenset(), before) if has_baseline else None
    found = list(
        critical.outcomes(Sides("c", then, Held(frozenset(), frozenset(), after), "", is_absolute=not has_baseline))
    )
    assert found[-1].lost == lost


def test_a_row_that_cannot_be_compared_does_not_fail_as_drift() -> None:
    """What fell for want of labels fell below its anchor for want of labels."""
    metrics = (sheets.MetricId("precision", 5), sheets.MetricId("judged", 5))
    fell = [sheets.CaseValues(f"c{n}", "a", critical=False, before=(0.6, 1.0), after=(0.4, 0.8)) for n in range(6)]
    anchor = {"precision@5": {f"c{n}": 0.6 for n in range(6)}}
    values = sheets.Sheet(metrics, sheets.METRICS, fell, has_baseline=True, anchor=anchor)
    verdict = gate.decide(exam(values, rule("precision@5")))
    assert (verdict.outcome, codes(verdict)) == (
        "inconclusive",
        ["not-comparable", "undecided-rule", "nothing-decided"],
    )


def test_critical_rules_that_need_a_judge_are_named_as_not_evaluated() -> None:
    """A reader of the decision sees that nobody looked at the answers."""
    found = tuple(critical.outcomes(Sides("c1", NEEDS, NEEDS)))
    verdict = gate.decide(exam(sheet(cases(*[KEPT] * 6)), rule(), critical=found))
    assert [(outcome.rule, outcome.outcome) for outcome in verdict.rules if outcome.reason == "tier retrieval"] == [
        ("critical lost_answer_facts", "not_evaluated"),
        ("critical new_unsupported_claims", "not_evaluated"),
    ]
