"""How often the gate cries wolf, and what it catches: simulated pull requests, decided by the gate's own code.

A suite has 8 categories and 3 judged metrics under the default rules (max_drop 0.03, min_lost 2, drift 0.05). A case
has 6 claims, each with a true verdict that a run gets wrong with probability 0.04: a score moves in sixths, with a
standard deviation of 0.08 per case and run whatever its level. Two cases of each category are critical; beside their
claims they have two required facts and an abstention, which the judge gets wrong as often. What it takes for lost is
judged again as ``score --against`` does: twice in the candidate, where both have to agree, and then in the baseline,
where the majority of three says whether it was there. The judge is calibrated. ``noise.json`` is measured in the
simulation itself, by 5 repeats. Beside the gate stands a naive one that fails where the mean of any row fell by more
than 0.02. A drop counts as caught where a row or its drift fails; that critical rules fail too is set aside.

Usage: python benchmarks/gate_quality.py [--pulls N] [--seed N] [--check]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from evaluator import metrics
from evaluator.comparison import drift, gate, noise, noisy, rows, rules
from evaluator.comparison.critical import JUDGED_RULES
from evaluator.comparison.critical import RULES as RULED
from evaluator.comparison.enforcement import Belief
from evaluator.comparison.sheet import CaseValues, JudgedHalf, Noisiness, Sheet
from evaluator.model.calibration import Calibration
from evaluator.model.comparison import CriticalOutcome, Exam, JudgeTerms, Judging
from evaluator.model.config import Gate, Rule
from evaluator.model.exam import ExamFile
from evaluator.model.run import History
from evaluator.model.score import MetricId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

METRICS = ("faithfulness", "answer_completeness", "correctness")
CATEGORIES = 8
CLAIMS = 6
WRONG = 0.04
"""6 x 0.04 x 0.96 / 36 = 0.08 squared."""

REPEATS = 5
CRITICAL = 2
FACTS = 2
"""Required facts of a critical case."""

RULES = tuple(part.rule for part in rules.expand([
    Rule(metric=name, per="category", max_drop=0.03, min_lost=2) for name in METRICS
]))  # fmt: skip
GATE = Gate()
LEVEL = 0.85
"""The share of claims that are truly supported."""

CHAIN = 50
FROM_ONE = 20
"""So many pull requests are made from each suite that has a history, which costs as many runs as it is long."""

NAIVE = 0.02
FALSE_ALARMS = 0.05
CAUGHT = 0.8


class Verdict(NamedTuple):
    """What the two gates say of a pull request."""

    failed: bool
    naive: bool
    by: frozenset[str] = frozenset()

    @property
    def caught(self) -> bool:
        """Whether a row fell too far, since the baseline or since its anchor."""
        return not self.by.isdisjoint({"max_drop", "drift"})


@dataclass
class System:
    """A suite and the truth about a pipeline.

    ``truth`` is true where a claim is supported, metric x case x claim; ``held`` where a critical case has a fact in
    its answer or abstains rightly, case x (facts, abstention).
    """

    per_category: int
    random: np.random.Generator
    truth: npt.NDArray[np.bool_] = field(init=False)
    held: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        """Draw the truth."""
        shape = (len(METRICS), CATEGORIES * self.per_category, CLAIMS)
        self.truth = self.random.random(shape) < LEVEL
        # The cases that the second kind of drop takes from 1 to 0, none of them critical.
        self.truth[0, CRITICAL : CRITICAL + 3] = True
        self.held = self.random.random((self.count, FACTS + 1)) < LEVEL

    @property
    def count(self) -> int:
        """How many cases there are."""
        return CATEGORIES * self.per_category

    def category(self, place: int) -> str:
        """The category of a case."""
        return f"category {place // self.per_category}"

    def judged(self, truth: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """What a judge says once."""
        wrong = self.random.random(truth.shape) < WRONG
        return truth ^ wrong

    def is_critical(self, place: int) -> bool:
        """Whether a case is critical: the first ones of each category."""
        return place % self.per_category < CRITICAL


def scores(verdicts: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Case x metric."""
    return np.asarray(verdicts.mean(axis=2).T, dtype=np.float64)


def measured(system: System) -> Noisiness:
    """noise.json of 5 runs of the unchanged system, by the code that writes it."""
    runs = [
        {
            str(case): dict(zip(METRICS, values, strict=True))
            for case, values in enumerate(scores(system.judged(system.truth)))
        }
        for _ in range(REPEATS)
    ]
    categories = {str(case): system.category(case) for case in range(system.count)}
    return Noisiness(noise.spread(runs, categories), REPEATS, is_live=True, alpha=GATE.alpha)


class Sides(NamedTuple):
    """Verdicts of two runs, or the truth about both, case by case."""

    before: npt.NDArray[np.bool_]
    after: npt.NDArray[np.bool_]


@dataclass
class Line:
    """A branch under the gate: the last accepted run and the anchor that came with it."""

    system: System
    noise: Noisiness
    before: npt.NDArray[np.bool_]
    history: History = field(default_factory=History)
    before_truth: npt.NDArray[np.bool_] = field(init=False)
    before_held: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        """The first baseline is of the system as it is."""
        self.before_truth, self.before_held = self.system.truth, self.system.judged(self.system.held)

    def compare(self, truth: npt.NDArray[np.bool_], *, accept: bool = False) -> Verdict:
        """Decide about a run of a system; an accepted one becomes the baseline."""
        after, held = self.system.judged(truth), self.system.judged(self.system.held)
        sheet = self._sheet(after)
        found = exam(sheet, self._critical(truth, after, held))
        decided = gate.decide(found)
        failing = {
            outcome.rule.split()[1] if outcome.scope != "run" else "critical"
            for outcome in decided.rules
            if outcome.outcome == "failed"
        }
        if decided.outcome == "inconclusive":
            raise RuntimeError(f"the simulation is inconclusive: {decided.reasons}")
        if accept:
            passed = decided.outcome == "passed"
            self._accept(sheet, found, after, passed=passed)
            if passed:
                self.before, self.before_truth, self.before_held = after, truth, held
        return Verdict(decided.outcome == "failed", naive(sheet), frozenset(failing))

    def _sheet(self, after: npt.NDArray[np.bool_]) -> Sheet:
        old, new = scores(self.before), scores(after)
        cases = [
            CaseValues(
                str(case),
                self.system.category(case),
                self.system.is_critical(case),
                tuple(old[case].tolist()),
                tuple(new[case].tolist()),
            )
            for case in range(self.system.count)
        ]
        anchor = self.history.anchor or {
            name: {str(case): float(old[case, place]) for case in range(self.system.count)}
            for place, name in enumerate(METRICS)
        }
        half = JudgedHalf(frozenset(METRICS), BELIEF)
        ids = tuple(map(MetricId.parse, METRICS))
        return Sheet(ids, metrics.load(), cases, has_baseline=True, anchor=anchor, judged=half, noise=self.noise)

    def _critical(
        self, truth: npt.NDArray[np.bool_], after: npt.NDArray[np.bool_], held: npt.NDArray[np.bool_]
    ) -> list[CriticalOutcome]:
        """What critical cases lost by the judge's word; what their contexts hold is as it was."""
        claims = self._lost(Sides(self.before[0], after[0]), Sides(self.before_truth[0], truth[0]))
        others = self._lost(Sides(self.before_held, held), Sides(self.system.held, self.system.held))
        lost = {
            "new_unsupported_claims": claims.sum(axis=1),
            "lost_answer_facts": others[:, :FACTS].sum(axis=1),
            "wrong_abstention": others[:, FACTS],
        }
        nothing = np.zeros(self.system.count)
        return [
            CriticalOutcome(
                id=str(case), rule=rule, before=0, after=0, lost=int(lost.get(rule, nothing)[case]), reason=""
            )
            for rule in (*RULED, *JUDGED_RULES)
            for case in range(self.system.count) if self.system.is_critical(case)
        ]  # fmt: skip

    def _lost(self, said: Sides, true: Sides) -> npt.NDArray[np.bool_]:
        """What was there by the baseline's judge and is not by the candidate's, each asked again."""
        judged = self.system.judged
        gone = said.before & ~said.after & ~judged(true.after) & ~judged(true.after)
        further = [judged(true.before) for _ in range(3)]
        return np.asarray(gone & (np.sum(further, axis=0) > 1), dtype=np.bool_)

    def _accept(self, sheet: Sheet, found: Exam, after: npt.NDArray[np.bool_], *, passed: bool) -> None:
        new = scores(after)
        state = ExamFile(
            exam=found, history=self.history.but(anchor=dict(sheet.anchor)),
            values={
                name: {str(case): float(new[case, place]) for case in range(self.system.count)}
                for place, name in enumerate(METRICS)
            },
            categories={case.id: case.category for case in sheet.cases},
            noise=noisy.noisy(sheet, METRICS, found.rows),
        )  # fmt: skip
        self.history = drift.next_history(
            state, accepted=passed, higher_is_better=dict.fromkeys(METRICS, True), link=None
        )


FINGERPRINT = "f"
BELIEF = Belief(0.6, Calibration.model_validate({
    "judge_fingerprint": FINGERPRINT,
    "metrics": {
        name: {"languages": {"en": {
            "n": 200, "classes": {"yes": 150, "no": 50}, "kappa": 0.8, "lower": 0.7,
        }}} for name in METRICS
    },
}), FINGERPRINT)  # fmt: skip


def exam(sheet: Sheet, critical: Sequence[CriticalOutcome]) -> Exam:
    """What the gate decides from, as the comparison of two runs makes it."""
    terms = JudgeTerms(min_kappa=0.6, advisory="inconclusive", sample=None, seed=0, calibration="c")
    count = len(sheet.cases)
    return Exam(
        gate=GATE, written=False, rules=RULES, origins=tuple(range(len(RULES))),
        rows=tuple(rows.gated_rows(sheet, RULES, GATE.min_cases)), critical=tuple(critical), failures=0, cases=count,
        all_failed=False, pairable=count, paired=count, has_baseline=True,
        judging=Judging(terms=terms, metrics=METRICS, has_baseline=True, pairable=count, paired=count),
    )  # fmt: skip


def naive(sheet: Sheet) -> bool:
    """Whether the mean of any row fell by more than 0.02."""
    delta = np.array([case.after for case in sheet.cases], float) - np.array(
        [case.before for case in sheet.cases], float
    )
    by_category = delta.reshape(CATEGORIES, -1, len(METRICS)).mean(axis=1)
    return bool((by_category < -NAIVE).any() or (delta.mean(axis=0) < -NAIVE).any())


def spread_evenly(system: System, truth: npt.NDArray[np.bool_], size: float) -> npt.NDArray[np.bool_]:
    """A drop of the measured mean in the first category of the first metric: claims lost one by one, case after case.

    A lost claim is still called supported as often as a judge is wrong, so that a few more are lost than the size says.
    """
    changed = truth.copy()
    lost, case = round(size * system.per_category * CLAIMS / (1 - 2 * WRONG)), 0
    order = system.random.permutation(system.per_category)
    while lost:
        claims = changed[0, order[case % len(order)]]
        if claims.any():
            claims[int(np.argmax(claims))] = False
            lost -= 1
        case += 1
    return changed


def three_cases(_system: System, truth: npt.NDArray[np.bool_], _size: float) -> npt.NDArray[np.bool_]:
    """Exactly three cases of the first category fall from 1 to 0 in the first metric."""
    changed = truth.copy()
    changed[0, CRITICAL : CRITICAL + 3] = False
    return changed


def unchanged(_system: System, truth: npt.NDArray[np.bool_], _size: float) -> npt.NDArray[np.bool_]:
    """Nothing happened."""
    return truth


def begun(per_category: int, seed: Sequence[int], *, with_noise: bool) -> Line:
    """A suite with its first baseline."""
    system = System(per_category, np.random.default_rng(seed))
    known = measured(system) if with_noise else Noisiness(is_live=True, alpha=GATE.alpha)
    return Line(system, known, system.judged(system.truth))


def pulls(count: int, per_category: int, change: Change, size: float = 0.0, *, options: Options) -> list[Verdict]:
    """Verdicts about so many pull requests, each to a suite of its own; a few to each where it has a history."""
    found: list[Verdict] = []
    each = FROM_ONE if options.chain else 1
    for number in range(max(1, count // each)):
        line = begun(per_category, (options.seed, number, per_category), with_noise=options.with_noise)
        for _ in range(options.chain):
            line.compare(line.system.truth, accept=True)
        found.extend(line.compare(change(line.system, line.system.truth, size)) for _ in range(each))
    return found


def in_a_row(count: int, per_category: int, *, options: Options) -> float:
    """How often one of ten accepted drops of 0.02 in succession is caught by drift."""
    caught = 0
    for number in range(count):
        line = begun(per_category, (options.seed, number, per_category), with_noise=options.with_noise)
        truth = line.system.truth
        for _ in range(10):
            truth = spread_evenly(line.system, truth, 0.02)
            if "drift" in line.compare(truth, accept=True).by:
                caught += 1
                break
    return caught / count


class Options(NamedTuple):
    """How pull requests are simulated: the seed, after how many accepted runs, and whether noise was measured."""

    seed: int
    chain: int = 0
    with_noise: bool = True


Change: TypeAlias = "Callable[[System, npt.NDArray[np.bool_], float], npt.NDArray[np.bool_]]"


class Shown(NamedTuple):
    """A line of the table."""

    what: str
    gate: float
    naive: float | None
    budget: str
    is_kept: bool


def table(options: Options, count: int) -> Iterator[Shown]:
    """Every line, as soon as it is known."""
    for chain in (0, CHAIN):
        for n in (8, 12, 25):
            found = pulls(count, n, unchanged, options=options._replace(chain=chain))
            rate = share(found, "failed")
            said = f"unchanged, {n} cases a category" + (f", after {chain} accepted runs" if chain else "")
            yield Shown(said, rate, share(found, "naive"), f"at most {FALSE_ALARMS:.0%}", rate <= FALSE_ALARMS)
    for n in (8, 12, 25):
        is_asked = options.with_noise and n == 25  # noqa: PLR2004 - the largest of the three
        for said, change in (("a drop of 0.10, spread evenly", spread_evenly), ("3 cases from 1 to 0", three_cases)):
            found = pulls(max(20, count // 2), n, change, 0.1, options=options)
            rate = share(found, "caught")
            budget = f"at least {CAUGHT:.0%}" if is_asked else ""
            yield Shown(f"{said}, {n} cases", rate, share(found, "naive"), budget, not is_asked or rate >= CAUGHT)
        rate = in_a_row(max(20, count // 10), n, options=options)
        budget = f"at least {CAUGHT:.0%}" if is_asked else ""
        yield Shown(f"ten drops of 0.02 by drift, {n} cases", rate, None, budget, not is_asked or rate >= CAUGHT)


def share(found: Sequence[Verdict], name: str) -> float:
    """The share of verdicts of which something holds."""
    return sum(bool(getattr(each, name)) for each in found) / len(found)


def main() -> int:
    """Print the table; with ``--check`` exit 1 where the gate does not keep its budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pulls", type=int, default=400, help="pull requests of a line [400]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="exit 1 where a budget is not kept")
    given = parser.parse_args()
    kept = True
    for with_noise in (True, False):
        print(f"\n{'noise.json of 5 repeats' if with_noise else 'noise not measured'}")
        print(f"{'':58} {'gate':>6} {'naive':>6}  budget")
        for line in table(Options(given.seed, with_noise=with_noise), given.pulls):
            other = "" if line.naive is None else f"{line.naive:.1%}"
            mark = "" if line.is_kept else "  MISSED"
            print(f"{line.what:58} {line.gate:6.1%} {other:>6}  {line.budget}{mark}", flush=True)
            kept = kept and line.is_kept
    return int(given.check and not kept)


if __name__ == "__main__":
    sys.exit(main())
