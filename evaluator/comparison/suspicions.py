"""What a critical case may have lost by a judge's word, and what judging it again makes of that (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.comparison.claims import NewClaim
    from evaluator.model.comparison import CriticalRule
    from evaluator.model.judgement import Claim

JUDGINGS = 2
"""So many further judgings, past the cache, have to agree."""
LONGEST_NAME = 80

State: TypeAlias = Literal["lost", "open", "never", "found"]
"""``never``: the baseline's judge was wrong to say that it was there. ``found``: this run's was wrong to say that it is
gone. ``open``: the judge was not asked often enough."""


class Suspicion(NamedTuple):
    """Something that may be lost: a claim's support, a fact, or the right decision to answer or to abstain.

    Attributes:
        rule: the rule that counts it.
        name: the id of the claim or fact; empty for the decision.
        text: what a reader knows it by.
        again: of each further judging of this run, whether it is there; None where no judge said that it is not.
        before: the same of the baseline; None where no judge said that it was.
        then: the claims of the baseline that said the same.
    """

    rule: CriticalRule
    name: str
    text: str
    again: Sequence[bool] | None
    before: Sequence[bool] | None
    then: tuple[Claim, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether this run has lost it if the baseline had it."""
        return self.again is None or (len(self.again) >= JUDGINGS and not any(self.again))

    @property
    def was_there(self) -> bool | None:
        """Whether the baseline had it; None where that takes another judging."""
        if self.before is None or self.before.count(True) >= JUDGINGS:
            return True
        return False if self.before.count(False) >= JUDGINGS else None

    @property
    def state(self) -> State:
        """What has become of it."""
        if self.again is not None and any(self.again):
            return "found"
        if self.was_there is False:
            return "never"
        return "lost" if self.stands and self.was_there else "open"


def of_claim(new: NewClaim) -> Suspicion:
    """A claim that is unsupported now and was not before."""
    claim = new.claim
    again, before = (tuple(verdict == "supported" for verdict in said) for said in (claim.again, claim.before))
    return Suspicion("new_unsupported_claims", claim.id, claim.text, again, before if new.then else None, new.then)


def short(name: str) -> str:
    """A name that fits in a sentence; a quote may be a paragraph."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
