"""Which claims of an answer are unsupported, and were not before (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluator.model.judgement import Claim

JUDGINGS = 2
"""So many further verdicts, past the cache, have to agree."""


class Sorted(NamedTuple):
    """New unsupported claims: those the further judgings confirmed, and those that were not asked about often enough.

    A claim that any further judging found supported is in neither.
    """

    confirmed: tuple[Claim, ...]
    unconfirmed: tuple[Claim, ...]


def is_unsupported(claim: Claim) -> bool:
    """Whether a claim counts as unsupported: the context was judged, and is not said to support it."""
    return claim.verdict not in (None, "supported")


def new_unsupported(
    before: Sequence[Claim], after: Sequence[Claim], same: Callable[[str, str], bool]
) -> tuple[Claim, ...]:
    """The claims that are unsupported now and that no claim said that was unsupported before.

    ``same`` tells whether two claims say the same.
    """
    known = [claim.text for claim in before if is_unsupported(claim)]
    return tuple(
        claim for claim in after if is_unsupported(claim) and not any(same(claim.text, text) for text in known)
    )


def sort(found: Sequence[Claim]) -> Sorted:
    """New unsupported claims by what the further judgings said of them."""
    open_claims = [claim for claim in found if "supported" not in claim.again]
    return Sorted(
        tuple(claim for claim in open_claims if len(claim.again) >= JUDGINGS),
        tuple(claim for claim in open_claims if len(claim.again) < JUDGINGS),
    )
