"""The claims of one case in two runs: which are unsupported now and were not before."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from evaluator.comparison import claims
from evaluator.metrics._claims import same_claim
from evaluator.model.exam import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.comparison.claims import NewClaim
    from evaluator.comparison.critical import Held
    from evaluator.model.judgement import Claim


def new_unsupported(before: Sequence[Claim], after: Sequence[Claim], language: str) -> tuple[NewClaim, ...]:
    """The claims that are unsupported now and that no claim said that was unsupported before; in doubt one is new.

    ``language`` is the case's.
    """
    return tuple(claims.new_unsupported(before, after, partial(same_claim, language=language)))


def new_in_answers(before: Held, after: Held, language: str) -> list[Sequence[NewClaim] | None]:
    """What is new in the first answer and in each other one, beside most answers of the baseline.

    None of an answer whose claims are not known. Without further answers in either run there is nothing to tell.
    """
    if not (before.others or after.others):
        return []
    then = [before.judged] * (1 + before.alike) + [each.judged for each in before.others]
    known = [said.known for said in then if said is not None and said.claims is not None]
    mine = [each.judged.claims if each.judged is not None else None for each in (after, *after.others)]
    return [None if each is None else _mostly_new(known or [()], each, language) for each in mine]


def _mostly_new(before: Sequence[Sequence[Claim]], after: Sequence[Claim], language: str) -> list[NewClaim]:
    found = [new_unsupported(claims, after, language) for claims in before]
    times = Counter(new.claim.id for each in found for new in each)
    by_id = {new.claim.id: new for each in reversed(found) for new in each}
    # Not new is what more than half of the baseline's answers claim without support.
    return [new for name, new in by_id.items() if 2 * times[name] >= len(before)]


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
