"""What is known of a case by labels other than those it was measured or judged by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.stages import judgements

if TYPE_CHECKING:
    from evaluator.comparison.sheet import Values
    from evaluator.stages.measuring import Judged, Measured, Ruler

LABELLED = frozenset({"statements", "recall"})
"""What a judge is asked about facts or a reference."""


def told(ruler: Ruler, after: Measured) -> frozenset[int]:
    """The places of what a judge decides and what is known of a case by labels that it was not judged by.

    That is what a judge says without looking at facts or reference. Where there is no answer, or one that abstains,
    what it would have to contain is missing by any labels.
    """
    needed = frozenset({"recall"}) if judgements.gives_none(after.view) else LABELLED
    declared = {place: ruler.declared[ruler.metrics[place].name] for place in ruler.judged}
    return frozenset(
        place for place, metric in declared.items() if not metric.group and not needed.intersection(metric.asks)
    )


def unmoved(ruler: Ruler, new: Values, old: Values, judged: Judged) -> frozenset[int]:
    """The places of what the baseline scores alike by both labels: what changed in them says nothing to those."""
    same = frozenset(place for place, value in enumerate(new) if value == old[place])
    return same if judged.is_paired else same - ruler.judged
