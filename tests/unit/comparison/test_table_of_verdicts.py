"""Every reason for an outcome, with values worked out by hand."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from evaluator.comparison import critical, gate, judged, least
from evaluator.comparison.rules import PARTS
from evaluator.comparison.sheet import CaseValues, Noisiness, Sheet
from evaluator.model.baseline import Found
from evaluator.model.comparison import Exam
from evaluator.model.decision import SELF_REPORTED
from evaluator.model.noise import CategoryNoise, MetricNoise
from evaluator.model.run import SelfReported
from evaluator.model.score import MetricId
from evaluator.stages import gate as stage
from evaluator.stages.compare import compare, compare_retrieval
from evaluator.stages.held_to import Standard
from tests import sheets
from tests.court import Court, case
from tests.exams import (
    CRITICAL,
    DOUBTED,
    KEPT,
    LOST,
    OLD,
    RULES,
    SLOW,
    exam,
    judging,
    new,
    of_critical,
    of_judge,
    unscored,
)
from tests.sentences import unsaid

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class ReasonCase(NamedTuple):
    """An exam, its outcome and its reasons."""

    exam: Exam
    outcome: str
    reasons: list[tuple[str, str]]


FEW = tuple(MetricId.parse(name) for name in ("faithfulness", "b", "c", "d"))


def _self_reported(found: Exam) -> Exam:
    """With every row that holds by a stranger's word alone."""
    return found.but(rows=tuple(entry.but(self_reported=True) for entry in found.rows))


def of_four() -> Exam:
    """Four judged metrics of six cases, of which one fell from 1 to 0: see test_together.py."""
    declared = {str(name): sheets.metric(str(name), reads="judge") for name in FEW}
    lines = [CaseValues(f"c{n}", "a", critical=False, before=(1.0,) * 4, after=(0.0, *[0.99] * 3)) for n in range(6)]
    values = Sheet(FEW, declared, lines, has_baseline=True)
    return sheets.exam(values, *(sheets.rule(str(name), optional=name != FEW[0]) for name in FEW))


LOUD = Noisiness({"faithfulness": MetricNoise(sd=0.7, categories={"a": CategoryNoise(sd=0.7, n=10)})}, 4)
ALIKE = "still asked alike; accepted.yml can name the others"
NOTHING = ("nothing-decided", "there is a baseline, and no rule about a drop could be decided")
WAYS = "calibrate the judge (judge.calibration), or set judge.advisory: pass in a change of its own"
ADVISED = (
    "faithfulness max_drop over all cases would have failed: worse by 1, 0.02 is allowed, p = 0.016 among all rows; "
    f"6 cases lost; the judge is not enforced (not calibrated): {WAYS}"
)
REASONS: dict[str, ReasonCase] = {
    "nothing": ReasonCase(exam(), "passed", []),
    "max-drop": ReasonCase(
        exam(*[LOST] * 6), "failed",
        [("max-drop", "recall@5 max_drop over all cases: worse by 1, 0.02 is allowed; 6 cases lost")],
    ),
    "max-drop in a category and in small ones": ReasonCase(
        exam(*[LOST] * 5, *[sheets.case(f"b{n}", *KEPT, "b") for n in range(5)], sheets.case("s", *LOST, "s"),
             rule={"per": "category"}), "failed",
        [
            ("max-drop", "recall@5 max_drop in a: worse by 1, 0.02 is allowed; 5 cases lost"),
            ("max-drop", "recall@5 max_drop in the small categories: worse by 1, 0.02 is allowed; 1 case lost"),
            ("max-drop", "recall@5 max_drop over all cases: worse by 0.5455, 0.02 is allowed; 6 cases lost"),
        ],
    ),
    "max-rise": ReasonCase(
        exam(*[SLOW] * 6, name="latency_ms", rule={"max_rise": 5.0}), "failed",
        [("max-rise", "latency_ms max_rise over all cases: worse by 30, 5 is allowed; 6 cases lost")],
    ),
    "min": ReasonCase(
        exam(rule={"min": 1.5}), "failed", [("min", "recall@5 min over all cases: 1 is below the floor 1.5")]
    ),
    "min-win": ReasonCase(
        exam(*[(None, 0.0)] * 6, name="preference", rule={"min_win": 0.5}), "failed",
        [("min-win", "preference min_win over all cases: 0 is below the 0.5 that is asked for")],
    ),
    "drift": ReasonCase(
        exam(*[(0.75, 0.74)] * 6, sheet={"anchor": OLD}), "failed",
        [("drift", "recall@5 drift over all cases: 0.06 below its anchor, 0.05 is allowed")],
    ),
    "critical": ReasonCase(
        of_critical("a need", "two facts"), "failed",
        [
            ("critical", "critical lost_needs in a critical case: 1 case of 2: k0"),
            ("critical", "critical lost_facts in a critical case: 1 case of 2: k1"),
        ],
    ),
    # 4 of 60 are 6.7 %, of which 5 % are allowed.
    "too-many-failures": ReasonCase(
        exam(failures=4, cases=60), "inconclusive",
        [("too-many-failures", "the pipeline failed for 4 of 60 cases, more than max_failures allows")],
    ),
    "all failed": ReasonCase(
        exam(failures=6, cases=6, all_failed=True, gate={"max_failures": 1.0}), "inconclusive",
        [("too-many-failures", "the pipeline failed for every case")],
    ),
    # It fell as well, and of that nothing can be said.
    "other-fixture": ReasonCase(
        exam(*[LOST] * 6, self_reported=SelfReported(other_fixture=True)), "inconclusive",
        [(
            "other-fixture",
            ("the change's run searched another fixture than the base's, whose chunks and texts it is measured by: "
            "a maintainer has to run the change from a branch of the repository"),
        )],
    ),
    "no-key": ReasonCase(
        exam(self_reported=SelfReported(not_judged="no key: none is granted"), unjudged=("faithfulness", "preference")),
        "inconclusive",
        [(
            "no-key",
            ("nothing was judged (no key: none is granted), so faithfulness, preference cannot be compared; "
            "a maintainer has to run the change from a branch of the repository"),
        )],
    ),
    "nothing-decided by a stranger's word": ReasonCase(
        _self_reported(exam(rule={"max_drop": 0.02})), "inconclusive",
        [("nothing-decided", "there is a baseline, and no rule about a drop could be decided")],
    ),
    "deadline": ReasonCase(
        exam(unasked=3), "inconclusive",
        [("deadline", "3 cases not answered before the deadline: the others decide nothing by themselves")],
    ),
    "partial-run": ReasonCase(
        exam(partial="3 of 600 cases"), "inconclusive", [("partial-run", "3 of 600 cases: a part decides nothing")]
    ),
    "baseline-lost": ReasonCase(
        exam(new("n", 1.0), sheet={"has_baseline": False}, baseline_required=True), "inconclusive",
        [("baseline-lost", "baseline.required is set, and there is no baseline to compare with")],
    ),
    "baseline-lost for the judge": ReasonCase(
        of_judge(judging=judging(lost="judging of the baseline stopped")), "inconclusive",
        [("baseline-lost", "judging of the baseline stopped")],
    ),
    # 8 of 10 are less than nine tenths.
    "too-few-paired": ReasonCase(
        exam(pairable=10, paired=8), "inconclusive",
        [("too-few-paired", f"only 8 of the baseline's 10 cases are {ALIKE}")],
    ),
    "too-few-paired for the judge": ReasonCase(
        of_judge(judging=judging(pairable=6, paired=5)), "inconclusive",
        [(
            "too-few-paired", ("only 5 of 6 cases have the facts, reference and expect of the baseline, so what a "
            "judge says of the others cannot be compared"),
        )],
    ),
    "too few of those that were judged": ReasonCase(
        of_judge(judging=judging(judged=10, undrawn=2)), "inconclusive",
        [(
            "too-few-paired", ("only 8 of 10 cases that were judged in the baseline are drawn by judge.sample: score "
            "--against the baseline draws them first"),
        )],
    ),
    # One of ten, which at the worst value would cost 0.1.
    "unscored": ReasonCase(
        exam(*[KEPT] * 9, unscored("u"), gate={"max_unscored": 0.5}), "inconclusive",
        [("unscored", "recall@5 over all cases: 1 case without a value: not judged, or no longer measured")],
    ),
    "not-comparable": ReasonCase(
        exam(*[LOST] * 6, sheet={"shallow": {"recall@5": 3}}, rule={"optional": True}), "inconclusive",
        [
            (
                "not-comparable",
                "recall@5 over all cases: the stored rankings reach 3 results only; run the baseline again",
            ),
            NOTHING,
        ],
    ),
    "removed": ReasonCase(
        exam(
            *[KEPT] * 6, CaseValues("o", "old", critical=False, before=(1.0,), after=None), rule={"per": "category"}
        ), "inconclusive", [("removed", "recall@5 in old: no case of it is left; accepted.yml can name the row")],
    ),
    # 1.697 x 0.7 x root(2 / 2) is more than there is to lose.
    "blind-noise": ReasonCase(
        exam(LOST, LOST, name="faithfulness", rule={"min_lost": 2}, written=False, sheet={"noise": LOUD}),
        "inconclusive",
        [
            (
                "blind-noise", ("faithfulness over all cases: within noise: 2 cases lost; worse by 1, chance alone "
                "makes 1.188; about 3 cases would tell; that could make any fall: measure the noise again, or add "
                "cases"),
            ),
            NOTHING,
        ],
    ),
    "too-few-cases": ReasonCase(
        of_four(), "inconclusive",
        [
            (
                "too-few-cases", ("faithfulness over all cases: 6 cases, {} are needed; worse by 1, 0.02 is allowed; "
                "6 cases lost; p = 0.016 together with all such rows: run rag-assay noise or add cases"),
            ),
            ("undecided-rule", "the rule on faithfulness could be decided in no row"), NOTHING,
        ],
    ),
    "undecided-rule": ReasonCase(
        exam(*[(None, None)] * 6), "inconclusive",
        [("undecided-rule", "the rule on recall@5 could be decided in no row"), NOTHING],
    ),
    "undecided floor": ReasonCase(
        exam((None, None), rule={"min": 0.5}), "inconclusive",
        [("undecided-rule", "the floor on recall@5 applies to no case")],
    ),
    "undecided wins": ReasonCase(
        exam((None, None), name="preference", rule={"min_win": 0.5}), "inconclusive",
        [(
            "undecided-rule", ("the rule on preference could be decided in no row: no answer was compared with the "
            "baseline's"),
        )],
    ),
    "nothing-decided": ReasonCase(exam(rule={}), "inconclusive", [NOTHING]),
    "judge-stopped": ReasonCase(
        of_judge(judging=judging(stopped="max_cost_usd is spent")), "inconclusive",
        [("judge-stopped", "judging stopped before it was done: max_cost_usd is spent")],
    ),
    # 1 of 6 is more than a twentieth.
    "baseline-unscored": ReasonCase(
        of_judge(*[KEPT] * 6, sheets.case("u", None, 1.0, unscored_before=frozenset({0}))), "inconclusive",
        [(
            "baseline-unscored", ("faithfulness over all cases: 1 case not scored in the baseline: judge it again with "
            "rag-assay rescore"),
        )],
    ),
    "judge-advisory": ReasonCase(
        of_judge(*[LOST] * 6, belief=DOUBTED), "inconclusive", [("judge-advisory", ADVISED), NOTHING]
    ),
    "judge-advisory of a critical case": ReasonCase(
        of_critical("a fact of the answer", judging=judging(), doubt="not calibrated"), "inconclusive",
        [(
            "judge-advisory",
            ("critical lost_answer_facts would have failed: 1 case of 1: k0; the judge is not enforced "
            f"(not calibrated): {WAYS}"),
        )],
    ),
    "critical-undecided": ReasonCase(
        of_critical("an answer that broke", judging=judging()), "inconclusive",
        [
            ("critical-undecided", f"critical {rule} in 1 case (k0): not judged: no valid reply")
            for rule in ("lost_answer_facts", "new_unsupported_claims")
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("given", REASONS.values(), ids=REASONS)
def test_a_verdict_comes_to_what_was_worked_out(given: ReasonCase) -> None:
    """Outcome and every reason; how many cases a test needs is worked out where that is tested."""
    verdict = gate.decide(given.exam)
    needed = max((word for word in str(verdict.reasons).split() if word.isdigit()), default="")
    expected = [(code, text.replace("{}", needed)) for code, text in given.reasons]
    assert (verdict.outcome, [(each.code, each.text) for each in verdict.reasons]) == (given.outcome, expected)


def test_what_the_configuration_lets_pass_is_said() -> None:
    """judge.advisory: pass."""
    found = of_judge(*[LOST] * 6, belief=DOUBTED, judging=judging("pass"))
    verdict = gate.decide(found)
    (reason,) = judged.not_enforced(found, verdict.rules)
    assert (verdict.outcome, reason.code) == ("passed", "not-enforced")
    assert reason.text == NOT_ENFORCED


NOT_ENFORCED = "judged rows not enforced (judge.advisory: pass): faithfulness max_drop would have failed"


def _first(court: Court) -> Path | None:
    court.config["gate"] = {"rules": [{"metric": "recall@5", "max_drop": 0.02}]}
    return None


def _unjudged(court: Court) -> Path:
    _first(court)
    return court.run("base", [case(f"c{n}", "supported") for n in range(6)], tier="retrieval")


def _same(court: Court) -> Path:
    _first(court)
    return court.run("base", [case(f"c{n}", "supported") for n in range(6)])


def _fewer(court: Court) -> Path:
    _first(court)
    return court.run("base", [case(f"c{n}", "supported") for n in range(7)])


STAGE: dict[str, tuple[Callable[[Court], Path | None], str, list[tuple[str, str]]]] = {
    "no-baseline": (
        _first, "passed", [("no-baseline", "no baseline: drops are not evaluated, floors and absolute rules decide")]
    ),
    "no-baseline for the judge": (
        _unjudged, "passed",
        [
            ("no-baseline", "no judged baseline: judged drops are not evaluated, floors and absolute rules decide"),
            ("passed", "every rule that could be decided was kept"),
        ],
    ),
    "passed": (_same, "passed", [("passed", "every rule that could be decided was kept")]),
    # Six of seven are less than nine tenths, too.
    "loosened": (
        _fewer, "inconclusive",
        [
            ("loosened", "c6: the case was removed; accepted.yml can accept it"),
            ("too-few-paired", f"only 6 of the baseline's 7 cases are {ALIKE}"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STAGE)
def test_a_decision_comes_to_what_was_worked_out(tmp_path: Path, name: str) -> None:
    """Reasons that only two whole runs give."""
    court = Court(tmp_path)
    before, outcome, reasons = STAGE[name]
    baseline = before(court)
    court.run("new", [case(f"c{n}", "supported") for n in range(6)])
    decision = court.decide("new", baseline)
    assert (decision.outcome, [(each.code, each.text) for each in decision.reasons]) == (outcome, reasons)


def test_a_run_has_to_keep_to_a_nearer_baseline_as_well(tmp_path: Path) -> None:
    """Beside the judged one nothing changed; of what a later run without a judge asked, a question is gone."""
    court = Court(tmp_path)
    judged_before, near = _same(court), court.run("near", [case(f"c{n}") for n in range(7)], tier="retrieval")
    court.run("new", [case(f"c{n}", "supported") for n in range(6)])
    workspace = court.workspace("new")
    compare(workspace, judged_before)
    standard = Standard(Found(suite=None, base=None), near, source="near")
    decision = stage.gate(workspace, nearer=compare_retrieval(workspace, standard))
    assert (decision.outcome, decision.accepted) == ("inconclusive", False)
    assert [(each.code, each.text) for each in decision.reasons] == NEARER


NEARER = [
    ("nearer-baseline", "beside near: c6: the case was removed; accepted.yml can accept it"),
    ("nearer-baseline", f"beside near: only 6 of the baseline's 7 cases are {ALIKE}"),
]


def test_a_strangers_records_are_never_accepted(tmp_path: Path) -> None:
    """Nothing changed beside a baseline that nobody judged: it passes, and says of itself what it is."""
    court = Court(tmp_path)
    baseline = _unjudged(court)
    said = SelfReported(not_judged="no key")
    court.run("new", [case(f"c{n}") for n in range(6)], tier="retrieval", self_reported=said)
    decision = court.decide("new", baseline)
    assert (decision.outcome, decision.accepted, decision.is_self_reported) == ("passed", False, True)
    assert [(each.code, each.text) for each in decision.reasons] == REPORTED


REPORTED = [
    ("self-reported", "answers and rankings come from the stranger's own run"),
    ("unjudged", "nothing was judged: no key"),
    ("passed", "every rule that could be decided was kept"),
]


def codes(module: Any) -> set[str]:
    """The codes that a module gives to reasons."""
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.Call)]
    keys = [key for call in calls if getattr(call.func, "id", "") == "Reason" for key in call.keywords]
    return {key.value.value for key in keys if key.arg == "code" and isinstance(key.value, ast.Constant)}


def test_no_code_is_without_a_case() -> None:
    """Those that the code writes out, and those that it makes of the parts of rules and of statuses."""
    rules = {part.replace("_", "-") for part in (*PARTS, "drift", "critical")}
    statuses = {status.replace(" ", "-") for status in (*gate.UNDECIDABLE, "too few cases", "blind noise")}
    every = (
        rules | statuses | {SELF_REPORTED} | {code for module in (gate, judged, least, stage) for code in codes(module)}
    )
    found = {code for given in REASONS.values() for code, _ in given.reasons} | {"not-enforced"}
    whole = [*(reasons for _, _, reasons in STAGE.values()), NEARER, REPORTED]
    assert found | {code for reasons in whole for code, _ in reasons} == every


@pytest.mark.parametrize("module", [gate, judged, least, critical])
def test_no_sentence_is_without_a_case(module: Any) -> None:
    """A reason that is added to the code is added to a table."""
    said = [text for given in REASONS.values() for _, text in given.reasons]
    said += [given.reason for given in (*RULES.values(), *CRITICAL.values())]
    said += [NOT_ENFORCED, " (advisory: not calibrated)"]
    said += [f"recall@5 {part}" for part in PARTS]
    assert unsaid(module, said) - {"within noise", "not comparable"} == set()
