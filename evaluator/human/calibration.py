"""How far the judge of a run agrees with people, by metric and language (design section 9, "Calibration")."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evaluator import errors
from evaluator.comparison.enforcement import LOWER_BY, MIN_LABELS, MIN_OF_A_CLASS, STANDS_FOR, TINY, Belief
from evaluator.human import agreement, bootstrap, effects, joining, verdicts
from evaluator.human.kinds import KINDS
from evaluator.model.calibration import Calibrated, CalibratedMetric, Calibration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from evaluator.errors import Problem
    from evaluator.human.effects import Length, Position
    from evaluator.human.joining import Pair
    from evaluator.human.kinds import Kind
    from evaluator.human.labels import Label
    from evaluator.stores.runs import RunReader

NARROW = 0.1
"""Half the width of an interval that one can rely on."""

DEFAULT_MIN_KAPPA = 0.6


class Measured(NamedTuple):
    """The judge against people on one kind of thing in one language.

    Attributes:
        cases: how many cases the labels are of.
        found: what calibration.json says of it.
        counts: how often, by the whole scale: rows are people, columns the judge.
        weighted: kappa on the whole scale with linear weights.
        precision: of what the judge puts into the second class, the share that people do.
        recall: of what people put there, the share that the judge does.
        length: errors by the length of the answer.
        doubt: why rows of it would be advisory; None where they would be enforced.
        more_to_narrow: how many more labels an interval of 0.1 to both sides takes; None where that is not known.
        more_to_enforce: how many more labels enforcing takes if agreement stays as it is; None where none would do.
    """

    kind: Kind
    language: str
    cases: int
    found: Calibrated
    counts: tuple[tuple[int, ...], ...]
    weighted: float | None
    precision: float | None
    recall: float | None
    length: Length
    doubt: str | None
    more_to_narrow: int | None
    more_to_enforce: int | None


class Outcome(NamedTuple):
    """All that a calibration found.

    Attributes:
        calibration: what is written.
        min_kappa: what the run's configuration asks for.
        groups: by metric and language.
        unlabelled: judged metrics of the run that no label speaks for.
        position: what place did where answers were compared; None where none were.
        left_out: labels that were not used, each with its reason.
        disagreements: where judge and people differ as it is gated; never a held-out case.
    """

    calibration: Calibration
    min_kappa: float
    groups: tuple[Measured, ...]
    unlabelled: tuple[str, ...]
    position: Position | None
    left_out: tuple[Problem, ...]
    disagreements: tuple[Pair, ...]


def calibrate(
    labels: Sequence[Label], run: RunReader, *, seed: int = bootstrap.SEED, skip_missing: bool = False
) -> Outcome:
    """Hold the judge of a run to labels.

    Raises:
        FileProblem: no judge judged the run, or a case cannot be read.
        InputError: as :func:`evaluator.human.joining.join`.
    """
    fingerprint = run.head.fingerprint.get("judge")
    if not fingerprint:
        raise errors.FileProblem(f"no judge judged {run.path}; score it with --tier full")
    cases = {case.id: case for case in verdicts.of_run(run)}
    joined = joining.join(labels, cases, skip_missing=skip_missing)
    settings: Mapping[str, Any] = run.head.config.get("judge") or {}
    min_kappa = _number(settings, "min_kappa", DEFAULT_MIN_KAPPA)
    groups = tuple(_groups(joined.pairs, Belief(min_kappa, None, fingerprint), seed))
    return Outcome(
        calibration(groups, fingerprint), min_kappa, groups, _unlabelled(run, groups),
        effects.of_position(cases.values(), int(_number(settings, "seed", 0))), joined.left_out,
        tuple(pair for pair in joined.pairs if pair.is_error and not pair.case.is_held_out),
    )  # fmt: skip


def _number(settings: Mapping[str, Any], key: str, default: float) -> float:
    """A setting of the run's configuration; the default where it has none that is a number."""
    value = settings.get(key)
    return value if isinstance(value, int | float) else default


def calibration(groups: Iterable[Measured], fingerprint: str) -> Calibration:
    """What calibration.json holds of these groups."""
    found: dict[str, dict[str, Calibrated]] = {}
    for group in groups:
        found.setdefault(group.kind.metric, {})[group.language] = group.found
    metrics = {metric: CalibratedMetric(languages=languages) for metric, languages in found.items()}
    return Calibration(judge_fingerprint=fingerprint, metrics=metrics)


def _unlabelled(run: RunReader, groups: Iterable[Measured]) -> tuple[str, ...]:
    labelled = {group.kind.metric for group in groups}
    known = {kind.metric for kind in KINDS.values()}
    names = dict.fromkeys(metric.partition("@")[0] for metric in run.head.summary.all)
    return tuple(name for name in names if STANDS_FOR.get(name, name) in known - labelled)


def _groups(pairs: Sequence[Pair], belief: Belief, seed: int) -> Iterable[Measured]:
    for kind in KINDS.values():
        of_kind = [pair for pair in pairs if pair.label.kind is kind]
        for language in sorted({pair.language for pair in of_kind}):
            yield measure(kind, language, [pair for pair in of_kind if pair.language == language], belief, seed)


def measure(kind: Kind, language: str, pairs: Sequence[Pair], belief: Belief, seed: int) -> Measured:
    """The judge against people on these pairs, of one kind and language."""
    counts = agreement.confusion(((pair.label.label, pair.judge) for pair in pairs), kind.scale)
    two = agreement.gated(counts)
    by_case = _by_case(kind, pairs)
    found = _calibrated(kind, two, bootstrap.bounds(by_case, seed))
    known = Calibration(
        judge_fingerprint=belief.fingerprint or "", metrics={kind.metric: CalibratedMetric(languages={language: found})}
    )
    return Measured(
        kind, language, len(by_case), found, tuple(tuple(row) for row in counts.tolist()), agreement.weighted(counts),
        agreement.precision(two), agreement.recall(two), effects.of_length(pairs),
        belief._replace(calibration=known).doubt(kind.metric, [language]),
        to_narrow(found), to_enforce(found, belief.min_kappa),
    )  # fmt: skip


def _by_case(kind: Kind, pairs: Sequence[Pair]) -> agreement.Counts:
    """2 x 2 counts of each case, in a row."""
    cases: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs:
        both = (kind.gated(pair.label.label), kind.gated(pair.judge))
        cases.setdefault(pair.case.id, []).append(both)
    return np.array([agreement.confusion(those, kind.classes).ravel() for those in cases.values()], dtype=np.int64)


def _calibrated(kind: Kind, two: agreement.Counts, bounds: bootstrap.Bounds | None) -> Calibrated:
    kappa = agreement.kappa(two)
    # Where kappa is not defined, resamples that count as 0 say nothing about it.
    known = bounds if kappa is not None else None
    return Calibrated(
        n=int(two.sum()),
        classes=dict(zip(kind.classes, (int(number) for number in two.sum(axis=1)), strict=True)),
        kappa=kappa, lower=known.lower if known else None, interval=known.interval if known else None,
        agreement=agreement.raw(two), ac1=agreement.ac1(two),
    )  # fmt: skip


def to_narrow(found: Calibrated) -> int | None:
    """More labels of the same kind for an interval of 0.1 to both sides, whose width goes with 1 / sqrt(labels).

    None where there is no interval, or one without width, from which nothing can be told.
    """
    if found.interval is None or found.interval[0] == found.interval[1]:
        return None
    half = (found.interval[1] - found.interval[0]) / 2
    return max(math.ceil(found.n * (half / NARROW) ** 2) - found.n, 0)


def to_enforce(found: Calibrated, min_kappa: float) -> int | None:
    """More labels until the judge would be enforced, should agreement and the shares of the classes stay as they are.

    None where agreement is too low for that, or a class has no label yet.
    """
    fewest = min(found.classes.values())
    if found.kappa is None or found.lower is None or found.kappa < min_kappa or not fewest:
        return None
    needed = max(MIN_LABELS, math.ceil(MIN_OF_A_CLASS * found.n / fewest))
    if found.lower < min_kappa - LOWER_BY - TINY:
        allowed = found.kappa - (min_kappa - LOWER_BY)
        needed = max(needed, math.ceil(found.n * ((found.kappa - found.lower) / allowed) ** 2))
    return max(needed - found.n, 0)
