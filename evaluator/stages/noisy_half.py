"""Which rows of a comparison move by chance, and by how much: what noise.json says of these two runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import noise as measured
from evaluator.comparison import noisy
from evaluator.comparison.sheet import Noisiness, pairs
from evaluator.model.base import digest
from evaluator.model.counting import counted
from evaluator.stages import known_noise
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from evaluator.comparison.sheet import Sheet
    from evaluator.model.config import Config
    from evaluator.model.noise import MetricNoise, Noise
    from evaluator.model.run import RunHead

MOST = 10
"""So many flaky cases are named."""

MEASURE = "run rag-assay noise"

STALE = " (stale: another judge, pipeline.kind or pipeline.repeats)"

LEAST_ALPHA = 1e-30
"""Chances below this are as good as none, and nothing overflows above it."""


class _Run(NamedTuple):
    head: RunHead
    config: Config


class NoisyHalf(NamedTuple):
    """Both runs and what is known of their noise.

    Attributes:
        candidate, baseline: the heads of the runs; no baseline is None.
        mine, theirs: their configurations.
        noise: what the candidate's noise.json holds now.
    """

    candidate: RunHead
    baseline: RunHead | None
    mine: Config
    theirs: Config | None
    noise: Noise | None

    @property
    def is_live(self) -> bool:
        """Whether either run's pipeline may answer otherwise the next time."""
        return any(known_noise.is_live(config) for config in (self.mine, self.theirs) if config is not None)

    def _varies(self, *, old: bool) -> bool:
        """Whether values vary by the pipeline; a change shakes off no steady baseline by being live itself."""
        return known_noise.is_live(self._run(old=old).config) if old else self.is_live

    def of_sheet(self, judged: Collection[str], *, old: bool) -> Noisiness:
        """What rows need of it, under the baseline's terms or the candidate's; ``judged`` are a judge's metrics."""
        known, config = self._known(old=old), self._run(old=old).config
        alpha = max(config.gate.alpha, LEAST_ALPHA)
        if known is None:
            return Noisiness(is_live=self._varies(old=old), alpha=alpha)
        impossible = known_noise.impossible(known)
        found = {
            name: _wider(each, self._widening(old=old))
            for name, each in known.metrics.items()
            if name not in impossible and self._holds(known, is_judged=name in judged, old=old)
        }
        return Noisiness(found, known.repeats, self._varies(old=old), alpha)

    def _widening(self, *, old: bool) -> float:
        """By how much more two runs differ where one of them asked less often than those that were measured."""
        measured_by = known_noise.repeats(self._run(old=old).config)
        least = min(known_noise.repeats(config) for config in (self.mine, self.theirs) if config is not None)
        return math.sqrt((1 + measured_by / least) / 2)

    def digest(self, *, old: bool) -> str | None:
        """Of the noise.json that the rows are held to, and whether it is believed."""
        known = self._known(old=old)
        if known is None:
            return None
        parts = {False, self._run(old=old).head.tier == "full"}
        is_believed = all(self._holds(known, is_judged=each, old=old) for each in parts)
        return digest(known.model_dump(mode="json"))[:12] + ("" if is_believed else STALE)

    def _known(self, *, old: bool) -> Noise | None:
        return self.baseline.noise if old and self.baseline is not None else self.noise

    def _run(self, *, old: bool) -> _Run:
        """Whose terms an exam is held under."""
        if old and self.baseline is not None and self.theirs is not None:
            return _Run(self.baseline, self.theirs)
        return _Run(self.candidate, self.mine)

    def _holds(self, known: Noise, *, is_judged: bool, old: bool = False) -> bool:
        """Whether a noise.json is of such runs; only what a judge decides depends on the judge.

        The baseline's is of the baseline: a change that runs the pipeline otherwise does not shake it off.
        """
        run = self._run(old=old)
        without_judge = known.pipeline_fingerprint or known.fingerprint
        if is_judged:
            return known.fingerprint == run.head.fingerprint.get("noise")
        return without_judge == known_noise.fingerprint(run.config, None)

    def sayings(self, sheet: Sheet, needed: Mapping[str, int], judged: Collection[str]) -> Iterator[str]:
        """What a reader of noisy rows has to know; ``needed`` is how many cases a row needs, by metric of a rule."""
        repeats = known_noise.repeats(self.mine)
        if repeats > 1:
            yield (
                f"Every question was asked {repeats} times: values are means over them, and the answer, context and "
                "claims shown of a case are those of the first time."
            )
        if self.baseline is None:
            return
        gated = list(needed)
        yield from self._stale(gated, judged)
        impossible = known_noise.impossible(self.noise) if self.noise is not None else []
        if lost := [metric for metric in gated if metric in impossible]:
            yield f"T{known_noise.IMPOSSIBLE[1:].format(', '.join(lost))}: {MEASURE} again."
        tested = [metric for metric in gated if noisy.kind(sheet, metric) == "tested"]
        if tested:
            yield (
                f"Noise not measured: {MEASURE}. Until then a fall of {', '.join(tested)} fails only where sign flips "
                "of its cases show it to be more than chance, which takes more cases."
            )
        few = [metric for metric in tested if len(pairs(sheet.cases, sheet.column[metric])) < needed[metric]]
        if few:
            most = max(needed[metric] for metric in few)
            yield f"There are too few cases to tell any fall of {', '.join(few)} from chance: {most} are needed."
        taken = [
            metric for metric in gated if self.is_live and metric not in judged
            and metric not in sheet.noise.measured and noisy.kind(sheet, metric) == "steady"
        ]  # fmt: skip
        if taken:
            are = "is" if len(taken) == 1 else "are"
            yield (
                f"Noise not measured: {MEASURE}. Until then {', '.join(taken)} {are} gated as if the pipeline always "
                "retrieved alike."
            )
        known = self.noise
        held = [metric for metric in gated if known and self._holds(known, is_judged=metric in judged)]
        yield from self._flaky(held, {case.id for case in sheet.cases if case.after is not None})

    def _stale(self, gated: Sequence[str], judged: Collection[str]) -> Iterator[str]:
        known = self.noise
        if known is None:
            return
        lost = [
            metric for metric in gated if metric in known.metrics
            and (self.is_live or metric in judged) and not self._holds(known, is_judged=metric in judged)
        ]  # fmt: skip
        if lost:
            yield (
                f"The noise of {', '.join(lost)} was measured on {known.date} with another judge, "
                f"pipeline.kind or pipeline.repeats and counts for nothing: {MEASURE} again."
            )

    def _flaky(self, gated: Sequence[str], asked: Collection[str]) -> Iterator[str]:
        """The cases that do not keep their values; only those that are still asked, and not held out."""
        if self.noise is None:
            return
        cases = {
            case: {metric: rate for metric, rate in rates.items() if metric in gated}
            for case, rates in self.noise.cases.items()
            if case in asked
        }
        found = measured.flaky(cases)
        if found:
            named = ", ".join(f"{visible(each.case)} ({each.metric}, {each.rate:.0%})" for each in found[:MOST])
            more = f" and {len(found) - MOST:,} more" if len(found) > MOST else ""
            yield f"Two equal runs often disagree about {counted(len(found), 'case')}: {named}{more}."


def _wider(known: MetricNoise, by: float) -> MetricNoise:
    if by == 1:
        return known
    categories = {name: each.but(sd=by * each.sd) for name, each in known.categories.items()}
    return known.but(sd=by * known.sd, categories=categories)
