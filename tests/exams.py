"""Exams of one rule, and tables of what rules and critical cases come to, worked out by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluator.comparison import critical
from evaluator.comparison.claims import NewClaim
from evaluator.comparison.critical import Held, JudgedCase, Sides
from evaluator.comparison.enforcement import Belief
from evaluator.comparison.sheet import CaseValues, JudgedHalf, Noisiness, Sheet
from evaluator.model.comparison import CriticalRule, Exam, JudgeTerms, Judging
from evaluator.model.judgement import Claim, Further
from evaluator.model.noise import CategoryNoise, MetricNoise
from evaluator.model.score import MetricId
from tests import sheets
from tests.court import calibration, claim

DECLARED = {
    **sheets.METRICS, "faithfulness": sheets.metric("faithfulness", reads="judge"),
    "preference": sheets.metric("preference", compares=True),
}  # fmt: skip
SLOW = (100.0, 130.0)
OLD = {"recall@5": {f"c{n}": 0.80 for n in range(6)}}
KEPT, LOST = (1.0, 1.0), (1.0, 0.0)
JUDGE = "j" * 64
BELIEVED, DOUBTED = Belief(0.6, calibration(), JUDGE), Belief(0.6, None, JUDGE)


def exam(*pairs: Any, rule: dict[str, Any] | None = None, name: str = "recall@5", **fields: Any) -> Exam:
    """An exam of one rule over cases of category a; six that were kept unless others are given."""
    lines = [
        each if isinstance(each, CaseValues) else sheets.case(f"c{place}", *each)
        for place, each in enumerate(pairs or [KEPT] * 6)
    ]
    about = {"has_baseline": True, **fields.pop("sheet", {})}
    values = Sheet((MetricId.parse(name),), DECLARED, lines, **about)
    return sheets.exam(values, *([] if rule == {} else [sheets.rule(name, **(rule or {}))]), **fields)


def judging(advisory: str = "inconclusive", **fields: Any) -> Judging:
    """What an exam knows of its judge."""
    given = {"min_kappa": 0.6, "advisory": advisory, "sample": None, "seed": 0, "calibration": None}
    base = {"metrics": ("faithfulness",), "has_baseline": True, "pairable": 6, "paired": 6}
    return Judging(terms=JudgeTerms.model_validate(given), **{**base, **fields})


def of_judge(*pairs: Any, belief: Belief = BELIEVED, **fields: Any) -> Exam:
    """An exam in which a judge decides faithfulness."""
    half = JudgedHalf(frozenset({"faithfulness"}), belief)
    given = {"judging": judging(), "name": "faithfulness", **fields}
    return exam(*pairs, sheet={"judged": half}, **given)


def new(name: str, value: float | None, **fields: Any) -> CaseValues:
    """A case that only the candidate has."""
    return CaseValues(name, "a", critical=False, before=None, after=(value,), **fields)


def unscored(name: str) -> CaseValues:
    """A case that was at 1 and has no value now."""
    return CaseValues(name, "a", critical=False, before=(1.0,), after=(None,), unscored=frozenset({0}))


def held(needs: str = "", facts: str = "", abstention: float | None = None, judged: JudgedCase | None = None) -> Held:
    """What a run had of a case; each letter is a need or a fact."""
    return Held(frozenset(needs), frozenset(facts), abstention, judged)


def said(facts: str | None = "", *claims: Claim, **fields: Any) -> JudgedCase:
    """What a judge said of a case."""
    return JudgedCase(None if facts is None else frozenset(facts), claims, **fields)


def again(fact: str, now: tuple[bool, ...], then: tuple[bool, ...] = ()) -> JudgedCase:
    """An answer without a fact, and what further judgings say of it and of the baseline's."""
    return said("x", reads=True, further={fact: Further(fact=fact, again=now, before=then)})


class CriticalCase(NamedTuple):
    """A critical case in both runs, and what one rule comes to."""

    rule: CriticalRule
    before: Held | None
    after: Held
    lost: int | None
    reason: str
    sides: dict[str, Any] | None = None


UNKNOWN = JudgedCase(None, None, "no valid reply", broke=True)
BAD = claim("We close at 5.", "unsupported")
CONFIRMED = claim("We close at 5.", "unsupported", again=("unsupported", "unsupported"))
FOUND = claim("We close at 5.", "unsupported", again=("unsupported", "supported"))
ASKED = "which score --against BASELINE asks for"
CRITICAL: dict[str, CriticalCase] = {
    "a need": CriticalCase("lost_needs", held("ab"), held("ac"), 1, "no longer in the context: b"),
    "no need": CriticalCase("lost_needs", held("ab"), held("abc"), 0, "nothing was lost"),
    "no case before": CriticalCase("lost_needs", None, held("a"), None, "new case", {"missing": "new case"}),
    "two facts": CriticalCase("lost_facts", held("", "xyz"), held("", "y"), 2, "no longer in the context: x, z"),
    "a fact of the answer": CriticalCase(
        "lost_answer_facts", held(judged=said("xy")), held(judged=said("x")), 1, "no longer in the answer: y"
    ),
    "an answer that broke": CriticalCase(
        "lost_answer_facts", held(judged=said("xy")), held(judged=UNKNOWN), None, "not judged: no valid reply"
    ),
    "an answer that broke before": CriticalCase(
        "lost_answer_facts", held(judged=UNKNOWN), held(judged=said("x")), None,
        "not judged in the baseline: no valid reply",
    ),
    "a wrong answer": CriticalCase(
        "wrong_abstention", held("", "", 1.0), held("", "", 0.0), 1,
        "answered where it should abstain, or abstained where it should answer",
    ),
    "wrong as before": CriticalCase("wrong_abstention", held("", "", 0.0), held("", "", 0.0), 0, "nothing was lost"),
    "nobody knows": CriticalCase(
        "wrong_abstention", held("", "", 1.0), held(), None, "whether it abstained is not known on both sides"
    ),
    "a fact that nobody asked about again": CriticalCase(
        "lost_answer_facts", held(judged=said("xy", reads=True)), held(judged=said("x", reads=True)), 0,
        f"1 lost fact not confirmed by further judgings, {ASKED}: y",
    ),
    "a fact that was overlooked": CriticalCase(
        "lost_answer_facts", held(judged=said("xy", reads=True)), held(judged=again("y", (False, True))), 0,
        "asked again, the judge calls it present: y",
    ),
    "a fact that never was there": CriticalCase(
        "lost_answer_facts", held(judged=said("xy", reads=True)), held(judged=again("y", (False,) * 2, (False,) * 2)),
        0, "the baseline's judge called it present once, and asked again does not: y",
    ),
    "a fact that is gone for sure": CriticalCase(
        "lost_answer_facts", held(judged=said("xy", reads=True)), held(judged=again("y", (False,) * 2, (True,) * 2)),
        1, "no longer in the answer: y",
    ),
    "a decision that nobody asked about again": CriticalCase(
        "wrong_abstention", held("", "", 1.0), held("", "", 0.0, said(decides=True)), 0,
        f"1 wrong abstention not confirmed by further judgings, {ASKED}",
    ),
    "a claim that two more confirm": CriticalCase(
        "new_unsupported_claims", held(judged=said()), held(judged=said("", CONFIRMED)), 1,
        "new and unsupported: We close at 5.", {"new_claims": (NewClaim(CONFIRMED, ()),)},
    ),
    "a claim that nobody confirmed": CriticalCase(
        "new_unsupported_claims", held(judged=said()), held(judged=said("", BAD)), 0,
        f"1 new unsupported claim not confirmed by further judgings, {ASKED}: We close at 5.",
        {"new_claims": (NewClaim(BAD, ()),)},
    ),
    "a claim that is supported after all": CriticalCase(
        "new_unsupported_claims", held(judged=said()), held(judged=said("", FOUND)), 0,
        "asked again, the judge calls it supported: We close at 5.", {"new_claims": (NewClaim(FOUND, ()),)},
    ),
    "the same claims": CriticalCase(
        "new_unsupported_claims", held(judged=said("", BAD)), held(judged=said("", BAD)), 0,
        "no claim is new and unsupported",
    ),
    "claims that broke": CriticalCase(
        "new_unsupported_claims", held(judged=said()), held(judged=UNKNOWN), None, "not judged: no valid reply"
    ),
    "claims that broke before": CriticalCase(
        "new_unsupported_claims", held(judged=UNKNOWN), held(judged=said("", BAD)), 0,
        "1 unsupported claim may be new; not judged in the baseline: no valid reply",
        {"new_claims": (NewClaim(BAD, ()),)},
    ),
}  # fmt: skip


def of_critical(name: str, *others: str, **fields: Any) -> Exam:
    """An exam of critical cases of the table beside a row that was kept."""
    found = []
    for place, each in enumerate((name, *others)):
        given = CRITICAL[each]
        found += critical.outcomes(Sides(f"k{place}", given.before, given.after, **(given.sides or {})))
    doubt = fields.pop("doubt", None)
    return exam(critical=tuple(each.but(unenforced=doubt) for each in found), **fields)


NOISE = MetricNoise(sd=0.1, categories={"a": CategoryNoise(sd=0.1, n=10)})


class RuleCase(NamedTuple):
    """An exam, and what a rule of it comes to: its outcome, limit and reason."""

    rule: str
    exam: Exam
    outcome: str
    limit: float | None
    reason: str


RULES: dict[str, RuleCase] = {
    "a drop": RuleCase("max_drop", exam(*[LOST] * 6), "failed", 0.02, "worse by 1, 0.02 is allowed; 6 cases lost"),
    "no drop": RuleCase("max_drop", exam(), "passed", 0.02, "no change"),
    "a drop without a baseline": RuleCase(
        "max_drop", exam(new("n", 1.0), sheet={"has_baseline": False}), "not_evaluated", 0.02, "no baseline"
    ),
    "a rise": RuleCase(
        "max_rise", exam(*[SLOW] * 6, name="latency_ms", rule={"max_rise": "20%"}), "failed", 20.0,
        "worse by 30, 20 is allowed; 6 cases lost",
    ),
    "a rise that is allowed": RuleCase(
        "max_rise", exam(*[SLOW] * 6, name="latency_ms", rule={"max_rise": 30.0}), "passed", 30.0,
        "within noise: 6 cases lost; worse by 30, 30 is allowed",
    ),
    "a floor": RuleCase(
        "min", exam(*[LOST] * 3, *[KEPT] * 3, rule={"min": 0.6}), "failed", 0.6, "0.5 is below the floor 0.6"
    ),
    "a floor that is reached": RuleCase("min", exam(rule={"min": 1.0}), "passed", 1.0, "1 reaches the floor 1"),
    "a floor by a hair": RuleCase(
        "min", exam(*[(1.0, 0.59996)] * 6, rule={"min": 0.6}), "failed", 0.6, "0.59996 is below the floor 0.6"
    ),
    "a floor under nothing": RuleCase(
        "min", exam((None, None), rule={"min": 0.5}), "not_evaluated", 0.5, "applies to no case"
    ),
    "no worse": RuleCase(
        "min", exam(*[(0.5, 0.5)] * 6, rule={"min": 0.6}, gate={"floor_policy": "no_worse"}), "passed", 0.6,
        "below the floor 0.6 before, and no worse",
    ),
    "no worse than chance": RuleCase(
        "min", exam(
            *[(0.5, 0.49)] * 6, name="faithfulness", rule={"min": 0.6}, gate={"floor_policy": "no_worse"},
            sheet={"noise": Noisiness({"faithfulness": NOISE}, 5)},
        ), "passed", 0.6, "below the floor 0.6 before, and no worse than chance makes it",
    ),
    "wins": RuleCase(
        "min_win", exam(*[(None, 1.0), (None, 0.0)] * 3, name="preference", rule={"min_win": 0.5}), "passed", 0.5,
        "0.5 reaches the 0.5 that is asked for",
    ),
    "too few wins": RuleCase(
        "min_win", exam(*[(None, 1.0), (None, 0.0)] * 3, name="preference", rule={"min_win": 0.55}), "failed", 0.55,
        "0.5 is below the 0.55 that is asked for",
    ),
    # 0.80 at the anchor and 0.74 now.
    "drift": RuleCase(
        "drift", exam(*[(0.75, 0.74)] * 6, sheet={"anchor": OLD}), "failed", 0.05,
        "0.06 below its anchor, 0.05 is allowed",
    ),
    "no drift": RuleCase(
        "drift", exam(*[(0.76, 0.75)] * 6, sheet={"anchor": OLD}), "passed", 0.05, "within reach of its anchor"
    ),
    # One of six fell by 0.48 since, by one way of two.
    "drift by chance": RuleCase(
        "drift", exam(
            (0.5, 0.5), *[KEPT] * 5, name="faithfulness",
            sheet={"anchor": {"faithfulness": {f"c{n}": 1.0 for n in range(6)}}},
        ), "passed", 0.05, "0.08333 below its anchor, which is within the noise",
    ),
    "critical": RuleCase("lost_needs", of_critical("a need"), "failed", 0, "1 case of 1: k0"),
    "critical and kept": RuleCase("lost_needs", of_critical("no need"), "passed", 0, "nothing was lost"),
    "critical and switched off": RuleCase(
        "lost_needs", of_critical("a need", gate={"critical": {"lost_needs": None}}), "not_evaluated", None,
        "switched off",
    ),
    "critical and allowed": RuleCase(
        "lost_facts", of_critical("two facts", gate={"critical": {"lost_facts": 2}}), "passed", 2, "nothing was lost"
    ),
    "critical and new": RuleCase("lost_needs", of_critical("no case before"), "not_evaluated", 0, "new case"),
    "critical of an unbelieved judge": RuleCase(
        "lost_answer_facts", of_critical("a fact of the answer", judging=judging(), doubt="not calibrated"),
        "advisory", 0, "1 case of 1: k0",
    ),
    "critical without a judge": RuleCase(
        "lost_answer_facts", of_critical("a need"), "not_evaluated", None, "tier retrieval"
    ),
    "critical in part": RuleCase(
        "new_unsupported_claims",
        of_critical("a claim that nobody confirmed", "the same claims", judging=judging()), "not_evaluated", 0,
        "not decided in every case",
    ),
    "a judged rule without a judge": RuleCase(
        "max_drop", exam(rule={}, unmeasured=(sheets.rule("faithfulness"),)), "not_evaluated", None, "tier retrieval"
    ),
}  # fmt: skip
