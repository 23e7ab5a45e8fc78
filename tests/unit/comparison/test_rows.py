"""Rows and their statuses; every value is worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.comparison import rows, rules
from evaluator.comparison.sheet import Sheet
from evaluator.model.score import MetricId
from tests import sheets
from tests.sheets import case, cases, rule, sheet

if TYPE_CHECKING:
    from evaluator.model.comparison import GatedRow, Row

KEPT = (1.0, 1.0)
LOST = (1.0, 0.0)
WON = (0.0, 1.0)


def gated(values: Sheet, *written: object, min_cases: int = 5) -> list[GatedRow]:
    """Rows of some rules."""
    expanded = [part.rule for part in rules.expand(written)]  # type: ignore[arg-type]
    return rows.gated_rows(values, expanded, min_cases)


def only(values: Sheet, written: object) -> Row:
    """The one row of a ``per: all`` rule."""
    (entry,) = gated(values, written)
    return entry.row


@pytest.mark.parametrize(
    ("values", "written", "status", "delta"),
    [
        pytest.param([KEPT] * 10, {}, "unchanged", 0.0, id="no change"),
        pytest.param([(0.5, 0.5 + 1e-10)] * 10, {}, "unchanged", 1e-10, id="what machines differ by"),
        pytest.param([WON] + [KEPT] * 9, {}, "improved", 0.1, id="better"),
        pytest.param([LOST] + [KEPT] * 9, {}, "regressed", -0.1, id="a drop of 0.1 where 0.02 is allowed"),
        pytest.param([LOST] + [KEPT] * 49, {}, "within noise", -0.02, id="a drop of exactly what is allowed"),
        pytest.param([LOST] + [KEPT] * 48, {}, "regressed", -1 / 49, id="a little more than is allowed"),
        pytest.param([LOST] + [KEPT] * 9, {"min_lost": 2}, "within noise", -0.1, id="one case lost of two needed"),
        pytest.param([LOST] * 2 + [KEPT] * 8, {"min_lost": 2}, "regressed", -0.2, id="two of two"),
        pytest.param(
            [LOST] * 3 + [WON] * 2 + [KEPT] * 5,
            {"min_lost": 2},
            "regressed",
            -0.1,
            id="wins are not set against losses",
        ),
        pytest.param([(None, None)] * 3, {}, "not evaluated", None, id="applies to nothing"),
        pytest.param([(0.5, None)] * 3, {}, "removed", None, id="applies to no case any more"),
        pytest.param([LOST], {}, "regressed", -1.0, id="the row over all cases has no least size"),
    ],
)
def test_status_of_the_row_over_all_cases(
    values: list[tuple[float, float]],
    written: dict[str, object],
    status: str,
    delta: float | None,
) -> None:
    """A row's status is what section 8 says of its mean change and its lost cases."""
    row = only(sheet(cases(*values)), rule(**written))
    assert (row.status, row.delta) == (status, pytest.approx(delta))


def test_small_categories_have_no_status_of_their_own_and_are_pooled() -> None:
    """Two categories of two cases are too few each; pooled they regress."""
    small = [*cases(LOST, KEPT, category="b"), *cases(LOST, KEPT, category="c")]
    found = gated(sheet([*cases(*[KEPT] * 5), *small]), rule(per="category"))
    assert [(entry.row.scope, entry.row.category, entry.row.status, entry.row.n) for entry in found] == [
        ("category", "a", "unchanged", 5),
        ("category", "b", "too few cases", 2),
        ("category", "c", "too few cases", 2),
        ("small", None, "regressed", 4),
        ("all", None, "regressed", 9),
    ]


def test_an_unchanged_small_category_is_unchanged() -> None:
    """No number of cases is too few to see that nothing moved."""
    found = gated(sheet([*cases(*[KEPT] * 5), *cases(KEPT, category="b")]), rule(per="category"))
    assert {entry.row.status for entry in found} == {"unchanged"}


def test_the_pooled_row_is_left_out_where_it_would_be_the_row_over_all() -> None:
    """With nothing but small categories the row over all cases says it already."""
    found = gated(sheet([*cases(LOST, category="a"), *cases(KEPT, category="b")]), rule(per="category"))
    assert [entry.row.scope for entry in found] == ["category", "category", "all"]


def test_a_category_that_came_and_one_that_went() -> None:
    """A category without a case on one side is new or removed, not compared."""
    came = sheets.CaseValues("n", "new", critical=False, before=None, after=(1.0,))
    went = sheets.CaseValues("o", "old", critical=False, before=(1.0,), after=None)
    found = gated(sheet([*cases(*[KEPT] * 5), came, went]), rule(per="category"))
    statuses = {entry.row.category: entry.row.status for entry in found if entry.row.scope == "category"}
    assert statuses == {"a": "unchanged", "new": "new", "old": "removed"}


def test_an_explicit_rule_over_all_replaces_what_a_category_rule_carries() -> None:
    """The row over all cases is judged by the explicit rule's limit only."""
    values = sheet(cases(LOST, *[KEPT] * 9))
    found = gated(values, rule(per="category"), rule(per="all", max_drop=0.5))
    assert [(entry.row.scope, entry.row.status) for entry in found] == [
        ("category", "regressed"),
        ("all", "within noise"),
    ]


def test_a_floor_over_all_does_not_replace_the_carried_drop() -> None:
    """Only the part that is said again is replaced."""
    expanded = rules.expand([rule(per="category"), rule(per="all", min=0.5)])
    assert [(part.rule.per, part.rule.max_drop, part.rule.min) for part in expanded] == [
        ("category", 0.02, None),
        ("all", 0.02, None),
        ("all", None, 0.5),
    ]


@pytest.mark.parametrize(
    ("before", "after", "limit", "at", "status"),
    [
        ([100, 200], [110, 220], "20%", "mean", "within noise"),
        ([100, 200], [130, 260], "20%", "mean", "regressed"),
        ([100, 200], [90, 200], "20%", "mean", "improved"),
        ([100] * 19 + [200], [100] * 19 + [900], "20%", "p95", "unchanged"),
        ([100] * 18 + [200] * 2, [100] * 18 + [900] * 2, "20%", "p95", "regressed"),
        ([100, 200], [105, 205], 10, "mean", "within noise"),
        ([100, 200], [111, 211], 10, "mean", "regressed"),
    ],
)
def test_a_rise_of_a_lower_is_better_metric(
    before: list[float],
    after: list[float],
    limit: object,
    at: str,
    status: str,
) -> None:
    """Latency may rise by a number or a share of the baseline, at the mean or a nearest-rank percentile."""
    values = sheet(cases(*zip(map(float, before), map(float, after), strict=True)), "latency_ms")
    assert only(values, rule("latency_ms", max_rise=limit, at=at)).status == status


@pytest.mark.parametrize(("rechunked", "advisory"), [(1, False), (2, True)])
def test_rows_that_count_chunks_are_advisory_above_a_tenth_of_rechunked_cases(rechunked: int, advisory: bool) -> None:
    """Of ten cases, one re-chunked is a tenth and two are more."""
    found = [case(f"c{place}", 1.0, 0.5, rechunked=place < rechunked) for place in range(10)]
    row = only(sheet(found, "ndcg@10"), rule("ndcg@10"))
    assert (row.status, row.advisory) == ("regressed", advisory)


def test_rows_that_count_needs_stay_gated_when_rechunked() -> None:
    """Recall survives another chunking."""
    found = [case(f"c{place}", 1.0, 0.5, rechunked=True) for place in range(10)]
    assert not only(sheet(found), rule()).advisory


def test_a_precision_that_fell_with_the_labels_is_not_comparable() -> None:
    """Where judged@5 fell by 0.2, the results that came in may be relevant for all anyone knows."""
    metrics = (MetricId("precision", 5), MetricId("judged", 5))
    pairs = [sheets.CaseValues(f"c{n}", "a", critical=False, before=(0.6, 1.0), after=(0.4, 0.8)) for n in range(6)]
    values = Sheet(metrics, sheets.METRICS, pairs, has_baseline=True)
    assert only(values, rule("precision@5")).status == "not comparable"


def test_a_precision_that_fell_among_labelled_chunks_regressed() -> None:
    """With every result labelled a fall of precision is one."""
    metrics = (MetricId("precision", 5), MetricId("judged", 5))
    pairs = [sheets.CaseValues(f"c{n}", "a", critical=False, before=(0.6, 1.0), after=(0.4, 1.0)) for n in range(6)]
    values = Sheet(metrics, sheets.METRICS, pairs, has_baseline=True)
    assert only(values, rule("precision@5")).status == "regressed"


def test_without_a_baseline_rows_carry_this_runs_means() -> None:
    """Nothing is compared, and the candidate's own means are still there."""
    values = sheet([sheets.CaseValues("x", "a", critical=False, before=None, after=(0.25,))], has_baseline=False)
    row = only(values, rule())
    assert (row.baseline, row.candidate, row.n, row.status) == (None, 0.25, 1, "not evaluated")


UNIT = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])
PAIRS = st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=30)


@given(PAIRS)
def test_swapping_baseline_and_candidate_flips_the_sign(values: list[tuple[float, float]]) -> None:
    """The change is antisymmetric to the last bit."""
    forth = only(sheet(cases(*values)), rule())
    back = only(sheet(cases(*[(after, before) for before, after in values])), rule())
    assert forth.delta is not None
    assert back.delta == -forth.delta


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_cases_changes_nothing(values: list[tuple[float, float]], shuffler: object) -> None:
    """Rows are the same however the golden file is sorted."""
    found = [case(f"c{n}", before, after, f"k{n % 3}") for n, (before, after) in enumerate(values)]
    mixed = list(found)
    shuffler.shuffle(mixed)  # type: ignore[attr-defined]
    assert gated(sheet(found), rule(per="category")) == gated(sheet(mixed), rule(per="category"))


@given(PAIRS, UNIT)
def test_a_new_case_changes_no_row(values: list[tuple[float, float]], value: float) -> None:
    """An unpaired case is in no mean that is compared."""
    new = sheets.CaseValues("new", "a", critical=False, before=None, after=(value,))
    without, with_new = only(sheet(cases(*values)), rule()), only(sheet([*cases(*values), new]), rule())
    assert without == with_new
