"""Every status of a row and every sentence that gives its reason, with values worked out by hand.

Noise is measured over four runs of ten cases, 30 degrees of freedom, and t(0.05, 30) = 1.697 in any printed table. A
band for n cases is t x sd x root(2 / n); where the test is about a text, the number in it is this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import pytest

from evaluator.comparison import noisy, rows, rules, statuses, together
from evaluator.comparison.enforcement import Belief
from evaluator.comparison.sheet import CaseValues, JudgedHalf, Noisiness, Paraphrases, Sheet
from evaluator.comparison.tails import t_quantile
from evaluator.model.comparison import GatedRow, Row, Status
from evaluator.model.noise import CategoryNoise, MetricNoise
from evaluator.model.score import MetricId
from tests import sheets
from tests.sentences import unsaid

if TYPE_CHECKING:
    from collections.abc import Mapping

DECLARED = {
    **sheets.METRICS, "faithfulness": sheets.metric("faithfulness", reads="judge"),
    "noise_sensitivity": sheets.metric("noise_sensitivity", reads="judge", higher_is_better=False),
    "overlap": sheets.metric("overlap", group=True), "preference": sheets.metric("preference", compares=True),
}  # fmt: skip
TAIL = 0.05
"""How often all noisy rows together may fail; each exam here asks one question of noise."""

KEPT, LOST, WON = (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)
JUDGE = frozenset({"faithfulness"})


def known(sd: float) -> dict[str, Any]:
    """Noise of faithfulness measured over four runs of ten cases."""
    return {
        "measured": {"faithfulness": MetricNoise(sd=sd, categories={"a": CategoryNoise(sd=sd, n=10)})},
        "repeats": 4,
    }


def band(sd: float, n: int) -> str:
    """How far two means of n cases lie apart by chance."""
    return f"{t_quantile(TAIL, 30) * sd * (2 / n) ** 0.5:.4g}"


class Case(NamedTuple):
    """Pairs of one metric and what its row over all cases, or the one that is named, comes to."""

    pairs: list[Any]
    status: Status
    reason: str
    metric: str = "recall@5"
    rule: Mapping[str, Any] | None = {}
    scope: tuple[str, str | None] = ("all", None)
    noise: Mapping[str, Any] = {}
    sheet: Mapping[str, Any] = {}


def lines(case: Case) -> list[CaseValues]:
    """The pairs as cases of category a, those that are cases already as they are."""
    return [
        each if isinstance(each, CaseValues) else sheets.case(f"c{place}", *each)
        for place, each in enumerate(case.pairs)
    ]


def row(case: Case) -> Row:
    """The row that a case is about."""
    noise = Noisiness(**{"measured": {}, **case.noise})
    metrics = tuple(MetricId.parse(name) for name in case.metric.split("+"))
    sheet = Sheet(metrics, DECLARED, lines(case), **{"has_baseline": True, "noise": noise, **case.sheet})
    if case.rule is None:
        found: list[Row] = rows.ungated_rows(sheet, [str(metrics[0])], [], 5)
    else:
        given = {"per": "all" if case.scope[0] == "all" else "category", **case.rule}
        expanded = [part.rule for part in rules.expand([sheets.rule(str(metrics[0]), **given)])]
        gated: list[GatedRow] = rows.gated_rows(sheet, expanded, 5)
        found = [entry.row for entry in gated]
    return next(each for each in found if (each.scope, each.category) == case.scope)


def gone(name: str, value: float, category: str = "old") -> CaseValues:
    """A case that only the baseline has."""
    return CaseValues(name, category, critical=False, before=(value,), after=None)


def new(name: str, value: float | None, category: str = "new") -> CaseValues:
    """A case that only the candidate has."""
    return CaseValues(name, category, critical=False, before=None, after=(value,))


def relabelled(name: str, value: float | None, category: str = "a") -> CaseValues:
    """A case that the baseline's judge judged by other labels."""
    return CaseValues(name, category, critical=False, before=(None,), after=(value,), relabelled=frozenset({0}))


def half(**fields: Any) -> dict[str, Any]:
    """A judge that decides faithfulness and is not believed."""
    return {"judged": JudgedHalf(JUDGE, Belief(0.6, None, None), **fields)}


FEWER = [sheets.CaseValues(f"c{n}", "a", False, (0.6, 1.0), (0.4, 0.8)) for n in range(6)]
OTHERWISE = "judged by other facts, reference or expect than before; accepted.yml can name them"
F, N = "faithfulness", "noise_sensitivity"
TABLE: dict[str, Case] = {
    "nothing changed": Case([KEPT] * 6, "unchanged", "no change"),
    "two machines": Case([(0.5, 0.5 + 1e-10)] * 6, "unchanged", "no change"),
    "better": Case([WON, *[KEPT] * 4], "improved", "better"),
    "less is better": Case([(100.0, 90.0)] * 2, "improved", "better", "latency_ms", {"max_rise": 10.0}),
    # 1 / 50 of what is allowed, and exactly that; 1 / 49 is more.
    "exactly the limit": Case(
        [LOST, *[KEPT] * 49], "within noise", "within noise: 1 case lost; worse by 0.02, 0.02 is allowed"
    ),
    "above the limit": Case([LOST, *[KEPT] * 48], "regressed", "worse by 0.02041, 0.02 is allowed; 1 case lost"),
    "a hair above": Case(
        [(1.0, 0.97999)] * 10, "regressed", "worse by 0.02001, 0.02 is allowed; 10 cases lost"
    ),
    "too few lost": Case(
        [LOST, *[KEPT] * 9], "within noise", "within noise: 1 case lost, 2 are needed; worse by 0.1",
        rule={"max_drop": 0.02, "min_lost": 2},
    ),
    "a share of the baseline": Case(
        [(100.0, 130.0), (200.0, 260.0)], "regressed", "worse by 45, 30 is allowed; 2 cases lost", "latency_ms",
        {"max_rise": "20%"},
    ),
    "a percentile": Case(
        [(100.0, 100.0)] * 18 + [(200.0, 900.0)] * 2, "regressed", "p95 worse by 700, 40 is allowed; 2 cases lost",
        "latency_ms", {"max_rise": "20%", "at": "p95"},
    ),
    "a floor limits no change": Case(
        [LOST, *[KEPT] * 5], "not evaluated", "worse; no rule sets a limit", rule={"min": 0.1}
    ),
    "no rule at all": Case([LOST, *[KEPT] * 5], "not evaluated", "worse; no rule sets a limit", rule=None),
    "time that no rule names": Case([(1.0, 2.0)] * 6, "not evaluated", "no rule names it", "latency_ms", None),
    "a small category": Case(
        [*[KEPT] * 5, sheets.case("b0", *LOST, "b")], "too few cases", "1 case, 5 are needed", scope=("category", "b")
    ),
    "a small category that is unchanged": Case(
        [*[KEPT] * 5, sheets.case("b0", *KEPT, "b")], "unchanged", "no change", scope=("category", "b")
    ),
    "small categories together": Case(
        [*[KEPT] * 5, sheets.case("b0", *LOST, "b"), sheets.case("c0", *KEPT, "c")], "regressed",
        "worse by 0.5, 0.02 is allowed; 1 case lost", scope=("small", None),
    ),
    "a category that came": Case([*[KEPT] * 5, new("n", 1.0)], "new", "not in the baseline", scope=("category", "new")),
    "a category that went": Case(
        [*[KEPT] * 5, gone("o", 1.0)], "removed", "no case of it is left", scope=("category", "old")
    ),
    "a metric that applies no more": Case([(0.5, None)] * 3, "removed", "applies to no case any more"),
    "a category that abstains rightly": Case(
        [sheets.case(f"c{n}", 0.5, None, abstained=frozenset({0}), is_answerable=False) for n in range(3)],
        "not evaluated", "every case of it abstains now, as it should", F,
    ),
    "a category that abstains wrongly in part": Case(
        [sheets.case(f"c{n}", 0.5, None, abstained=frozenset({0}), is_answerable=n == 0) for n in range(3)],
        "removed", "applies to no case any more", F,
    ),
    "a metric that applies to nothing": Case([(None, None)] * 3, "not evaluated", "not applicable to any case"),
    "other questions": Case([new("n", 1.0), gone("o", 1.0)], "too few cases", "no case is the same in both runs"),
    "values that nothing was before": Case(
        [(None, 1.0)] * 3, "new", "the baseline has no value to compare with"
    ),
    # A judge's word on one case in six is about other labels; on four in seven, of one category, it decides nothing.
    "a case with other labels": Case(
        [*[KEPT] * 5, relabelled("r", 0.0)], "unchanged", "no change (1 relabelled case left out)", F
    ),
    "cases with other labels": Case(
        [*[KEPT] * 3, *[relabelled(f"r{n}", 0.0) for n in range(4)], *sheets.cases(*[KEPT] * 9, category="b")],
        "not comparable", f"4 of 7 cases {OTHERWISE}", F, scope=("category", "a"),
    ),
    "a fall beside cases with other labels": Case(
        [*[LOST] * 6, *[relabelled(f"r{n}", 0.0) for n in range(7)]], "regressed",
        "worse by 1, 0.02 is allowed, p = 0.016 among all rows; 6 cases lost (7 relabelled cases left out)", F,
    ),
    "only cases with other labels": Case(
        [relabelled(f"r{n}", 0.0) for n in range(7)], "not comparable", f"7 of 7 cases {OTHERWISE}", F
    ),
    "only cases with other labels, which are to abstain": Case(
        [relabelled(f"r{n}", None) for n in range(7)], "not comparable", f"7 of 7 cases {OTHERWISE}", F
    ),
    "the one case of a category, with other labels": Case(
        [*[KEPT] * 6, relabelled("r", 0.0, "b")], "too few cases", "1 relabelled case left out", F,
        scope=("category", "b"),
    ),
    "a case of a small category, with other labels": Case(
        [*[KEPT] * 6, sheets.case("b0", *KEPT, "b"), relabelled("r", 0.0, "b"), relabelled("s", 0.0, "b")],
        "unchanged", "no change (2 relabelled cases left out)", F, scope=("category", "b"),
    ),
    "no baseline": Case([new("n", 0.25)], "not evaluated", "no baseline", sheet={"has_baseline": False}),
    "no baseline and no value": Case(
        [new("n", None)], "not evaluated", "not applicable to any case", sheet={"has_baseline": False}
    ),
    "a baseline that no judge saw": Case(
        [(None, 0.5)] * 6, "not evaluated", "no judged baseline", F, sheet=half(has_baseline=False)
    ),
    "another judge": Case([LOST] * 6, "not comparable", "judged by m", F, sheet=half(other_judge="judged by m")),
    "an unbelieved judge": Case(
        [LOST] * 6, "regressed",
        "worse by 1, 0.02 is allowed, p = 0.016 among all rows; 6 cases lost (advisory: not calibrated)", F,
        sheet=half(),
    ),
    "rankings that end too early": Case(
        [LOST] * 6, "not comparable", "the stored rankings reach 3 results only; run the baseline again",
        sheet={"shallow": {"recall@5": 3}},
    ),
    "chunks cut anew": Case(
        [sheets.case(f"c{n}", 1.0, 0.5, rechunked=n < 2) for n in range(10)], "regressed",
        "worse by 0.5, 0.02 is allowed; 10 cases lost (advisory: other chunking)", "ndcg@10",
    ),
    "chunks that nobody labelled": Case(
        FEWER, "not comparable",
        "unlabelled chunks: the share of labelled results fell by 0.200; label the new ones", "precision@5+judged@5",
    ),
    "groups asked in other words": Case(
        [
            *(sheets.case(f"r{n}", 0.5, 0.5, paraphrases=Paraphrases(0, 4)) for n in range(5)),
            sheets.case("x", None, 0.5, "b", paraphrases=Paraphrases(1, 1)),
        ], "too few cases", "every group is asked in other words than before", "overlap@5", scope=("category", "b"),
    ),
    "a group of which too much is left out": Case(
        [sheets.case("r", 0.5, 0.6, paraphrases=Paraphrases(2, 10))], "not comparable",
        "2 of 10 paraphrases are not asked as in the baseline; accepted.yml can name them", "overlap@5",
    ),
    "answers side by side": Case([(None, 0.5)] * 2, "not evaluated", "compared answer by answer", "preference"),
    "answers that nobody compared": Case(
        [(None, None)] * 2, "not evaluated", "no answer was compared with the baseline's", "preference"
    ),
    "no answers to compare with": Case(
        [new("n", None)], "not evaluated", "no baseline to compare answers with", "preference",
        sheet={"has_baseline": False},
    ),
    # Noise that was measured: 1.697 x 0.1 x root(2 / 10) = 0.0759.
    "beyond the measured noise": Case(
        [(1.0, 0.5)] * 2 + [KEPT] * 8, "regressed",
        f"worse by 0.1, 0.02 is allowed, chance alone makes {band(0.1, 10)}; 2 cases lost", F, noise=known(0.1),
    ),
    # It takes n cases for 1.697 x 0.1 x root(2 / n) = 0.05: 2 x (0.1697 / 0.05)^2 = 23.04.
    "within the measured noise": Case(
        [(1.0, 0.75)] * 2 + [KEPT] * 8, "within noise",
        f"within noise: 2 cases lost; worse by 0.05, chance alone makes {band(0.1, 10)}; about 24 cases would tell", F,
        noise=known(0.1),
    ),
    "less is better, within the noise": Case(
        [(0.0, 0.25)] * 2 + [(0.0, 0.0)] * 8, "within noise",
        f"within noise: 2 cases lost; worse by 0.05, chance alone makes {band(0.1, 10)}; about 24 cases would tell", N,
        {"max_rise": 0.02}, noise={**known(0.1), "measured": {N: known(0.1)["measured"][F]}},
    ),
    "better by luck": Case(
        [(0.75, 1.0)] * 2 + [KEPT] * 8, "within noise",
        f"within noise: better by 0.05, chance alone makes {band(0.1, 10)}", F, noise=known(0.1),
    ),
    # Nobody asked by how much it moves: no more is said than of a fall.
    "better, of what moves by itself": Case([WON] * 6, "not evaluated", "better; no rule sets a limit", F, rule=None),
    "better, of what does not": Case([WON] * 6, "improved", "better", rule=None),
    "better beyond the noise": Case(
        [(0.5, 1.0)] * 2 + [KEPT] * 8, "improved", "better, by more than chance makes", F, noise=known(0.1)
    ),
    "measured not to vary": Case(
        [(1.0, 0.75)] * 2 + [KEPT] * 8, "regressed", "worse by 0.05, 0.02 is allowed; 2 cases lost", F, noise=known(0.0)
    ),
    # Sign flips: all of n that fell are one way of 2^n. 1.645^2 x 0.5 / 0.25 = 5.4 cases like 4 of 8 by 1.
    "sign flips that tell": Case(
        [LOST] * 7, "regressed", "worse by 1, 0.02 is allowed, p = 0.0078 among all rows; 7 cases lost", F
    ),
    "sign flips that do not": Case(
        [LOST] * 4 + [KEPT] * 4, "within noise",
        "within noise: 4 cases lost; worse by 0.5, p = 0.062 among all rows; about 6 cases would tell", F,
    ),
    "sign flips of too few": Case([LOST] * 2 + [KEPT] * 2, "too few cases", "4 cases, 5 are needed", F),
    "too few that collapsed": Case(
        [LOST] * 4, "too few cases",
        "4 cases, 5 are needed; worse by 1, 0.02 is allowed; 4 cases lost; noise makes no fall of more than 0.5: "
        "run rag-assay noise or add cases", F,
    ),
    "better by a sign flip": Case(
        [WON, *[KEPT] * 6], "within noise", "within noise: better by 0.1429, p = 0.5 among all rows", F
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE.values(), ids=TABLE)
def test_a_row_comes_to_what_was_worked_out(case: Case) -> None:
    """Status and reason, to the digit."""
    found = row(case)
    assert (found.status, found.reason) == (case.status, case.reason)


def test_no_status_is_without_a_case() -> None:
    """A status that is added to the model is added to the table."""
    assert {case.status for case in TABLE.values()} == set(get_args(Status))


# In test_together.py.
TOGETHER = (
    "worse by 1, 0.03 is allowed; 6 cases lost; p = 0.016 together with all such rows: run rag-assay noise or add"
)


@pytest.mark.parametrize("module", [statuses, rows, noisy, together])
def test_no_sentence_is_without_a_case(module: Any) -> None:
    """A reason that is added to the code is added to the table; a name of a status is no reason."""
    said = [case.reason for case in TABLE.values()] + [f"6 cases, 7 are needed; {TOGETHER} cases"]
    assert unsaid(module, said) - set(get_args(Status)) == set()
