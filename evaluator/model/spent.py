"""What judging took: calls, tokens and money, for ``timing`` in run.json and for the report."""

from __future__ import annotations

from evaluator.model.base import Value
from evaluator.model.verdicts import Part


class PartSpent(Value):
    """What one kind of question took.

    ``calls`` are replies that a provider gave, repairs among them; ``cached`` are questions that needed none, because
    the cache held the reply or the same question was being asked. ``retries`` are attempts that failed and were made
    again. ``read``, ``written`` and ``from_cache`` are tokens as the provider counted them; ``from_cache`` are those of
    ``read`` that its own cache held. ``usd`` is what they cost by the prices that were configured or assumed.
    """

    calls: int = 0
    cached: int = 0
    retries: int = 0
    repairs: int = 0
    read: int = 0
    written: int = 0
    from_cache: int = 0
    usd: float = 0.0

    def __add__(self, other: PartSpent) -> PartSpent:
        return PartSpent(**{name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields})


class Spent(Value):
    """What all of it took, by part.

    ``stopped`` says why not everything was asked, None where it was. ``ignored`` counts entries of the cache that were
    not signed with this judge's key.
    """

    parts: dict[Part, PartSpent] = {}
    stopped: str | None = None
    ignored: int = 0

    def total(self) -> PartSpent:
        """All parts together."""
        return sum(self.parts.values(), PartSpent())
