"""The measured values of two runs under one set of labels, case by case."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evaluator.model.score import Metric, MetricId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.comparison.enforcement import Belief
    from evaluator.model.noise import MetricNoise

EPSILON = 1e-9
"""Changes up to this size are none: what two machines may differ by."""

Values: TypeAlias = tuple[float | None, ...]
"""One value per metric of the sheet; None where it is not applicable or could not be judged."""


class Paraphrases(NamedTuple):
    """Of the paraphrases that the baseline's group of a case had: those that cannot be compared, and all."""

    lost: int = 0
    total: int = 0


class CaseValues(NamedTuple):
    """One case that is not held out, in both runs, or in one of them (the other side is None).

    ``whole`` is what the candidate has where ``after`` leaves out what the baseline was not asked: floors read it.
    ``unscored`` are places that the candidate has no value for and should, ``unscored_before`` those that only the
    baseline's judge could not score. ``relabelled`` are places of what a judge said of the case in the baseline, by
    labels that are others now, and that nobody accepted. ``abstained`` are judged places that had a value and have none
    because the pipeline abstained; it should not have where the case ``is_answerable``.
    """

    id: str
    category: str
    critical: bool
    before: Values | None
    after: Values | None
    rechunked: bool = False
    unscored: frozenset[int] = frozenset()
    language: str = "en"
    whole: Values | None = None
    paraphrases: Paraphrases = Paraphrases()
    unscored_before: frozenset[int] = frozenset()
    relabelled: frozenset[int] = frozenset()
    abstained: frozenset[int] = frozenset()
    is_answerable: bool = True

    @property
    def paired(self) -> bool:
        """Whether both runs asked the same."""
        return self.before is not None and self.after is not None


class PairValue(NamedTuple):
    """One metric of one paired case, scored on both sides."""

    case: CaseValues
    before: float
    after: float


class JudgedHalf(NamedTuple):
    """What holds for everything that a judge decides.

    Attributes:
        metrics: the metrics, by their text; abstention is one where a judge says who abstained.
        belief: how far the judge is believed.
        has_baseline: whether the baseline was judged at all.
        other_judge: why the two runs' values cannot be compared; None where they can.
        replaced: how far the judge was believed that judged the baseline first; None where it is still the judge.
    """

    metrics: frozenset[str]
    belief: Belief
    has_baseline: bool = True
    other_judge: str | None = None
    replaced: Belief | None = None


class Noisiness(NamedTuple):
    """How values vary by themselves.

    Attributes:
        measured: what noise.json says, by metric, where it is of such a pipeline and such a judge.
        repeats: by how many runs it was measured.
        is_live: whether a pipeline answered that may answer otherwise the next time.
        alpha: how often all noisy rows together may fail by chance.
    """

    measured: Mapping[str, MetricNoise] = {}
    repeats: int = 2
    is_live: bool = False
    alpha: float = 0.05


ROWS_SHARE = 0.8
"""What noisy rows may spend of alpha where critical cases can fail by a judge's word, too."""

STEADY = Noisiness()
"""Nothing was measured, and no pipeline is live: what a judge decides varies all the same."""


@dataclass(frozen=True, eq=False, repr=False)
class Sheet:
    """Values per case and metric.

    ``anchor`` is what drift is measured against: metric -> case -> value. ``shallow`` holds the metrics whose cut-off
    lies deeper than the stored rankings reach, with that depth. ``judged`` is None where no judge was asked. ``noise``
    says which rows move by chance.
    """

    metrics: Sequence[MetricId]
    declared: Mapping[str, Metric]
    cases: Sequence[CaseValues]
    has_baseline: bool
    anchor: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    shallow: Mapping[str, int] = field(default_factory=dict)
    judged: JudgedHalf | None = None
    noise: Noisiness = STEADY

    @cached_property
    def column(self) -> Mapping[str, int]:
        """Place of a metric, by its text, in every ``Values``."""
        return {str(metric): place for place, metric in enumerate(self.metrics)}

    @cached_property
    def by_category(self) -> Mapping[str, Sequence[CaseValues]]:
        """Cases per category, categories in alphabetical order."""
        found: dict[str, list[CaseValues]] = {}
        for case in self.cases:
            found.setdefault(case.category, []).append(case)
        return {name: found[name] for name in sorted(found)}

    @cached_property
    def paraphrases(self) -> Paraphrases:
        """Those of every group of the baseline together."""
        found = [case.paraphrases for case in self.cases]
        return Paraphrases(sum(each.lost for each in found), sum(each.total for each in found))

    def declaration(self, metric: str) -> Metric:
        """What a metric, named with its cut-off, is declared as."""
        return self.declared[MetricId.parse(metric).name]

    def better(self, metric: str) -> int:
        """The sign of a change for the better."""
        return 1 if self.declaration(metric).higher_is_better else -1

    def has_baseline_of(self, metric: str) -> bool:
        """Whether there is something to compare a metric with."""
        half = self._half(metric)
        return self.has_baseline and (half is None or half.has_baseline)

    def other_judge(self, metric: str) -> str | None:
        """Why a judged metric cannot be compared; None where it can, and where it is not judged."""
        half = self._half(metric)
        return half.other_judge if half is not None and half.has_baseline else None

    def doubt(self, metric: str, cases: Sequence[CaseValues]) -> str | None:
        """Why a metric is not enforced over some cases; None where it is, and where it is not judged."""
        half = self._half(metric)
        return None if half is None else half.belief.doubt(metric, self._languages(metric, cases))

    def is_taken_over(self, metric: str, cases: Sequence[CaseValues]) -> bool:
        """Whether a metric was enforced over some cases by another judge than the one that decides it now."""
        half = self._half(metric)
        if half is None or half.replaced is None:
            return False
        return half.replaced.doubt(metric, self._languages(metric, cases)) is None

    def _languages(self, metric: str, cases: Sequence[CaseValues]) -> list[str]:
        """Those that a row is about: of the pairs, so that no new case decides how far the others are believed."""
        column = self.column[metric]
        paired = [
            case for case in cases
            if case.before is not None and case.after is not None
            and not case.before[column] is case.after[column] is None
        ]  # fmt: skip
        scored = [case for case in cases if case.after is not None and case.after[column] is not None]
        return [case.language for case in paired or scored or cases]

    @cached_property
    def level(self) -> float:
        """How often all noisy rows together may fail by chance."""
        shares = self.judged is not None and any(case.critical for case in self.cases)
        return self.noise.alpha * (ROWS_SHARE if shares else 1.0)

    def is_judged(self, metric: str) -> bool:
        """Whether a judge decides a metric."""
        return self._half(metric) is not None or self.declaration(metric).reads == "judge"

    def worst(self, metric: str) -> float | None:
        """The worst value of a metric; None where it has none."""
        declared = self.declaration(metric)
        return (0.0 if declared.higher_is_better else 1.0) if declared.bounded else None

    def _half(self, metric: str) -> JudgedHalf | None:
        return self.judged if self.judged is not None and metric in self.judged.metrics else None


def pairs(cases: Sequence[CaseValues], column: int) -> list[PairValue]:
    """The cases scored on both sides."""
    return [
        PairValue(case, before, after)
        for case in cases
        if case.before is not None and case.after is not None
        and (before := case.before[column]) is not None and (after := case.after[column]) is not None
    ]  # fmt: skip


def scored_after(cases: Sequence[CaseValues], column: int) -> list[float]:
    """The candidate's values, paired or not."""
    found = (case.after if case.whole is None else case.whole for case in cases)
    return [value for values in found if values is not None and (value := values[column]) is not None]


def scored_before(cases: Sequence[CaseValues], column: int) -> list[float]:
    """The baseline's values, paired or not."""
    return [value for case in cases if case.before is not None and (value := case.before[column]) is not None]
