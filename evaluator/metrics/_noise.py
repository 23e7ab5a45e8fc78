"""Claims that are wrong and stand in the context: what the metrics of noise sensitivity share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._citations import relevant_chunks
from evaluator.metrics._judged import Settled, against_reference, claims_of, has_text, of_answer, require_reference
from evaluator.metrics._ranking import NO_NEEDS, NOTHING_RETRIEVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.view import CaseView


class Wrong(NamedTuple):
    """For each wrong claim the chunks that support it, and how many claims there are in all."""

    chunks: Sequence[Sequence[str]]
    of: int


def wrong_claims(view: CaseView) -> Wrong:
    """Claims that contradict the reference and that the context supports.

    Raises:
        Settled: there is no reference, no claim or nothing in the context; something could not be judged.
    """
    require_reference(view)
    of_answer(view)
    if not has_text(view):
        raise Settled(NOTHING_RETRIEVED)
    claims = claims_of(view)
    against = zip(claims, against_reference(view, claims), strict=True)
    wrong = [claim.chunks for claim, said in against if said == "contradicts" and claim.verdict == "supported"]
    return Wrong(wrong, len(claims))


def labelled(view: CaseView) -> set[str]:
    """Chunks that are relevant by the labels.

    Raises:
        Settled: there are no labels to tell.
    """
    if not view.needs:
        raise Settled(NO_NEEDS)
    return relevant_chunks(view.needs)
