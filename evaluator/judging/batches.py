"""What is asked of a context in one call, and how it is parted where that is more than a judge takes at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluator.judging import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.judging.subject import Chunk
    from evaluator.model.judgement import Claim, Statement

ITEM_ROOM = 160
"""Tokens that the reply on a claim or a statement may need."""


@dataclass(frozen=True)
class Batch:
    """Chunks by the ids the judge knows them by, and what is checked against them."""

    chunks: Mapping[str, Chunk]
    claims: tuple[Claim, ...] = ()
    statements: tuple[Statement, ...] = ()
    sufficiency: bool = False
    useful: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked."""
        return not (self.claims or self.statements or self.sufficiency or self.useful)

    @property
    def checked(self) -> list[str]:
        """The texts of the claims and the statements."""
        return [*(claim.text for claim in self.claims), *(each.text for each in self.statements)]

    def halves(self) -> tuple[Batch, Batch] | None:
        """The same in two parts, by chunks or by what is checked, whichever is larger; None where neither has two.

        Each claim and statement still meets each chunk in just one of them.
        """
        shown = sum(tokens.estimate(chunk.text) for chunk in self.chunks.values())
        checked = sum(tokens.estimate(text) + ITEM_ROOM for text in self.checked)
        has_chunks, has_items = len(self.chunks) > 1, len(self.checked) > 1
        if has_chunks and (shown >= checked or not has_items):
            return self._by_chunks()
        return self._by_items() if has_items else None

    def _by_chunks(self) -> tuple[Batch, Batch]:
        names = list(self.chunks)
        middle = len(names) // 2
        first, second = ({name: self.chunks[name] for name in part} for part in (names[:middle], names[middle:]))
        return replace(self, chunks=first), replace(self, chunks=second)

    def _by_items(self) -> tuple[Batch, Batch]:
        middle = len(self.checked) // 2
        rest = max(middle - len(self.claims), 0)
        first = replace(self, claims=self.claims[:middle], statements=self.statements[:rest])
        claims, statements = self.claims[middle:], self.statements[rest:]
        return first, replace(self, claims=claims, statements=statements, sufficiency=False, useful=False)
