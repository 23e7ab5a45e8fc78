"""What a reader has to know of numbers that a stranger's own run reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.run import SelfReported

TEXT = "fact_coverage"
"""A metric that reads the text of results: where nobody vouches for it, nobody vouches for that text."""


def sayings(said: SelfReported) -> Iterator[str]:
    """Sentences for the top of a comment."""
    texts = "" if TEXT in said.unvouched else " texts,"
    yield (
        "Self-reported by a fork: answers, rankings, times and costs come from the stranger's own run. "
        f"Labels, rules,{texts} baseline and judge are the base's."
    )
    if TEXT in said.unvouched:
        yield (
            "There is no fixture, so the text of the contexts is the stranger's own, too: what falls by it counts, and "
            "what holds by it shows nothing."
        )
    if said.not_judged is not None:
        yield f"The judged half was not measured: {said.not_judged}."
