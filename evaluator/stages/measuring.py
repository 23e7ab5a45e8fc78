"""Every metric of two runs, recomputed from what they stored, under one set of labels or the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.comparison.sheet import CaseValues, Values
from evaluator.metrics import scoring
from evaluator.metrics._repeats import together
from evaluator.model.golden import Labels, Need
from evaluator.model.score import Metric, MetricId, Scored, Unscored
from evaluator.stages import judgements
from evaluator.stages.held import HeldCase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.config import Tier
    from evaluator.model.run import RunCase, RunHead
    from evaluator.model.score import Score
    from evaluator.model.view import CaseView, Paraphrases, ResolvedNeed, Way
    from evaluator.stages.held import Run
    from evaluator.stores.runs import StoredCase

ABSTENTION = MetricId("abstention")
ANSWERS = ("answer", "judge")
"""What metrics read that look at what an answer says, and so at what it cites."""


class Judged(NamedTuple):
    """How what a judge said of a case is read.

    Attributes:
        is_paired: whether both runs were judged, by the same labels; otherwise the case is not paired there.
        is_comparable: whether they were by the same judge, too.
        undrawn_is_missing: whether a case that is not judged now by the sample counts as one that could not be.
        told: places of what is known of the candidate by the baseline's labels, although it was judged by others.
        is_accepted: whether a person accepted that the case is labelled otherwise.
    """

    is_paired: bool = True
    is_comparable: bool = True
    undrawn_is_missing: bool = False
    told: frozenset[int] = frozenset()
    is_accepted: bool = False


ALIKE = Judged()


class Measured(NamedTuple):
    """One case of one run under one set of labels. ``unscored`` are places in ``values``.

    ``repeats`` are how it looked the further times that its question was asked; ``values`` are of all.
    """

    view: CaseView
    values: Values
    unscored: frozenset[int]
    repeats: tuple[CaseView, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Ruler:
    """What is measured: the metrics, in the order of every ``Values``, and their declarations.

    Both runs are read by the candidate's ``tier``. ``citations`` is the run whose pattern of citations answers are read
    by; None: each run's by its own. ``older`` are the metrics that the baseline's configuration names.
    """

    metrics: Sequence[MetricId]
    declared: Mapping[str, Metric]
    tier: Tier = "retrieval"
    citations: RunHead | None = None
    older: frozenset[MetricId] = frozenset()

    def measure(
        self,
        run: Run,
        stored: StoredCase,
        labels: Labels,
        known: Mapping[Any, Sequence[Way]],
        paraphrases: Paraphrases = (),
    ) -> Measured:
        """Measure one stored case; ``known`` are ways of needs that the run itself did not resolve.

        What this process has just measured under these very labels is not measured again. A run that was read from a
        file always is: its values are of the code it was made with.
        """
        views, scores = self.scores(run, stored, labels, known, paraphrases)
        found = [scores[metric] for metric in self.metrics]
        values = tuple(score.value if isinstance(score, Scored) else None for score in found)
        unscored = frozenset(place for place, score in enumerate(found) if isinstance(score, Unscored))
        return Measured(views[0], values, unscored, tuple(views[1:]))

    def scores(
        self,
        run: Run,
        stored: StoredCase,
        labels: Labels,
        known: Mapping[Any, Sequence[Way]],
        paraphrases: Paraphrases = (),
    ) -> tuple[Sequence[CaseView], Mapping[MetricId, Score]]:
        """How one stored case is seen every time it was asked, and what it scores, as for :meth:`measure`.

        Of a group of paraphrases only what was found the first time is read.
        """
        found = [self._once(run, stored, labels, known, paraphrases)]
        found.extend(self._once(run, each, labels, known, None) for each in stored.repeats)
        return [view for view, _ in found], together([scores for _, scores in found])

    def _once(
        self,
        run: Run,
        stored: StoredCase,
        labels: Labels,
        known: Mapping[Any, Sequence[Way]],
        paraphrases: Paraphrases | None,
    ) -> tuple[CaseView, Mapping[MetricId, Score]]:
        scores: Mapping[MetricId, Score] = {}
        beside = scoring.Beside(citations_of(self.citations or run.head), paraphrases or ())
        if isinstance(stored, HeldCase) and labels is stored.view.labels and beside == _beside(stored.view):
            view, scores = stored.view, stored.scores
        else:
            view = scoring.view_of(
                stored, labels, scoring.needs_under(stored.case, labels, known, stored.retrieved + stored.context_only),
                run.places,
                latency_ms=run.head.timing.get("latency_ms", {}).get(stored.case.id),
                beside=beside._replace(judged=judgements.of_case(run, stored) if self.tier == "full" else None),
            )  # fmt: skip
        missing = [
            metric for metric in self.metrics
            if metric not in scores and (paraphrases is not None or not self.declared[metric.name].group)
        ]  # fmt: skip
        return view, {**scores, **scoring.score_case(view, missing, self.declared)}

    def line(
        self, case: RunCase, labels: Labels, before: Measured | None, after: Measured | None, judged: Judged = ALIKE
    ) -> CaseValues:
        """A line of the sheet; what the baseline measured and the candidate no longer lets be measured is missing."""
        rechunked, missing = False, after.unscored if after else frozenset[int]()
        unscored_before, relabelled, abstained = frozenset[int](), frozenset[int](), frozenset[int]()
        values = before.values if before else None
        if values is not None:
            # What the baseline was found to be beside a run of its own says nothing of this one.
            absent = self._comparing if judged.is_paired else self._comparing | (self.judged - judged.told)
            if after is not None and not judged.is_accepted:
                relabelled = frozenset(place for place in absent - self._comparing if values[place] is not None)
            values = tuple(None if place in absent else value for place, value in enumerate(values))
        if before is not None and values is not None and after is not None:
            rechunked = _rechunked(before.view.needs, after.view.needs)
            gone = {place for place in self._expected if values[place] is not None and after.values[place] is None}
            known = frozenset(place for place, value in enumerate(after.values) if value is not None)
            unscored_before = before.unscored & known & self._judged_before if judged.is_paired else frozenset()
            if judgements.abstains(after.view):
                abstained = self.judged & gone - after.unscored
            may_be_left = judgements.is_left_out(after.view) and not judged.undrawn_is_missing
            missing |= gone.difference(self.judged if may_be_left else abstained)
        return CaseValues(
            case.id, labels.category, labels.critical, values, after.values if after else None,
            rechunked=rechunked, unscored=missing, language=case.language,
            unscored_before=unscored_before, relabelled=relabelled, abstained=abstained,
            is_answerable=labels.expect == "answer",
        )  # fmt: skip

    @cached_property
    def judged(self) -> frozenset[int]:
        """The places of what a judge decides in tier full, abstention among it; none in tier retrieval."""
        if self.tier == "retrieval":
            return frozenset()
        found = enumerate(self.metrics)
        return frozenset(
            place for place, metric in found if self.declared[metric.name].reads == "judge" or metric == ABSTENTION
        )

    @cached_property
    def judged_names(self) -> frozenset[str]:
        """The same by their text."""
        return frozenset(str(self.metrics[place]) for place in self.judged)

    @cached_property
    def _judged_before(self) -> frozenset[int]:
        """The places of what the baseline's judge was asked for; a metric that is new is none."""
        return frozenset(place for place in self.judged if self.metrics[place] in self.older) - self._comparing

    @cached_property
    def _comparing(self) -> frozenset[int]:
        return frozenset(place for place, metric in enumerate(self.metrics) if self.declared[metric.name].compares)

    @cached_property
    def labelled(self) -> list[tuple[int | None, int]]:
        """The depths to which precisions read, each with the place of the share of labelled results there."""
        depths = dict.fromkeys(metric.k for metric in self.metrics if self.declared[metric.name].precision_like)
        places = {metric: place for place, metric in enumerate(self.metrics)}
        return [(k, places[MetricId("judged", k)]) for k in depths if MetricId("judged", k) in places]

    @cached_property
    def sufficiency(self) -> int | None:
        """The place of context_sufficiency; None where it is not asked for."""
        return next((place for place, metric in enumerate(self.metrics) if metric.name == "context_sufficiency"), None)

    @cached_property
    def reads_answers(self) -> bool:
        """Whether any metric looks at what an answer says, and so at what it cites."""
        return any(self.declared[metric.name].reads in ANSWERS for metric in self.metrics)

    def reads_otherwise(self, metric: MetricId) -> bool:
        """Whether a metric reads the answers of one of the runs by the other's pattern of citations."""
        return self.citations is not None and self.declared[metric.name].reads in ANSWERS

    @cached_property
    def _expected(self) -> list[int]:
        """Metrics whose value does not go away by itself; a clock reading does where nothing was retrieved."""
        declared = [self.declared[metric.name] for metric in self.metrics]
        return [place for place, metric in enumerate(declared) if metric.bounded or metric.reads == "usage"]


def citations_of(head: RunHead) -> str | None:
    """The pattern of citations that a run was configured with; None without one."""
    pattern: str | None = (head.config.get("citations") or {}).get("pattern")
    return pattern


def _beside(view: CaseView) -> scoring.Beside:
    return scoring.Beside(view.citations, view.paraphrases)


def failed(stored: StoredCase) -> bool:
    """Whether the pipeline answered a case no more often than it failed on it."""
    failures = [each.case.failure is not None for each in stored.each]
    return 2 * sum(failures) >= len(failures)


def labels_of(stored: StoredCase) -> Labels:
    """The labels a case was measured by in its own run."""
    return stored.view.labels if isinstance(stored, HeldCase) else Labels.model_validate(stored.case.labels)


def ways_of(case: RunCase) -> dict[Any, Sequence[Way]]:
    """How the needs of a case were resolved in its own run, by what declares them."""
    return {Need.model_validate(need.need).declared(): need.chunks for need in case.needs}


def _rechunked(before: Sequence[ResolvedNeed], after: Sequence[ResolvedNeed]) -> bool:
    return any(
        old.digest != new.digest
        for old, new in zip(before, after, strict=True)
        if old.digest is not None and new.digest is not None
    )
