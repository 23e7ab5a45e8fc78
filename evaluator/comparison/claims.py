"""Which claims of an answer are unsupported, and were not before (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evaluator.model.judgement import Claim


class NewClaim(NamedTuple):
    """A claim that is unsupported now and was not before; ``then`` are the claims that said it and were supported."""

    claim: Claim
    then: tuple[Claim, ...]


def is_unsupported(claim: Claim) -> bool:
    """Whether a claim counts as unsupported: the context was judged, and is not said to support it."""
    return claim.verdict not in (None, "supported")


def new_unsupported(
    before: Sequence[Claim], after: Sequence[Claim], same: Callable[[str, str], bool]
) -> Iterator[NewClaim]:
    """The claims that are unsupported now and that no claim said that was unsupported before.

    ``same`` tells whether two claims say the same.
    """
    for claim in filter(is_unsupported, after):
        alike = tuple(old for old in before if same(claim.text, old.text))
        if not any(map(is_unsupported, alike)):
            yield NewClaim(claim, tuple(old for old in alike if old.verdict == "supported"))
