"""The claims of one case in two runs: which are unsupported now and were not before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evaluator.comparison import claims
from evaluator.metrics._claims import same_claim
from evaluator.model.exam import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.comparison.claims import NewClaim
    from evaluator.model.judgement import Claim


def new_unsupported(before: Sequence[Claim], after: Sequence[Claim], language: str) -> tuple[NewClaim, ...]:
    """The claims that are unsupported now and that no claim said that was unsupported before; in doubt one is new.

    ``language`` is the case's.
    """
    return tuple(claims.new_unsupported(before, after, partial(same_claim, language=language)))


def told(case: str, before: Sequence[Claim], after: Sequence[Claim], language: str) -> list[Unsupported]:
    """The same for a report: with what supported the claim before, if something did."""
    found = []
    for claim, known in new_unsupported(before, after, language):
        then = known[0] if known else None
        found.append(
            Unsupported(
                id=case, claim=claim.text, verdict=claim.verdict or "unclear", reason=claim.reason, again=claim.again,
                chunk=then.chunks[0] if then is not None and then.chunks else None,
                quote=then.quote if then is not None else None,
            )
        )  # fmt: skip
    return found
