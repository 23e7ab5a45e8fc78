"""Text that results came with and that the fixture does not hold under their ids.

The metrics read what the model got. So a need that is named by id is met by whatever comes under that id, and a fact is
found in text that nobody has frozen: a person has to know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics.scoring import as_seen
from evaluator.model.counting import counted
from evaluator.model.record import union
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.fixture import Chunk, Fixture
    from evaluator.model.golden import Case
    from evaluator.model.record import Record
    from evaluator.model.run import RunFact
    from evaluator.model.view import CaseView


class _Text(NamedTuple):
    """A text that came: whether it is another than the fixture's, and whether that is within it (below a heading)."""

    text: str
    is_other: bool
    holds: bool


class Foreign:
    """Looks at every case, in golden order; of one that is held out only counts are kept."""

    def __init__(self, fixture: Fixture | None) -> None:
        self._known: Mapping[str, Chunk] = fixture.by_id if fixture is not None else {}
        self._last: dict[str, _Text] = {}
        self._other = Named()
        self._needed = Named()
        self._facts = Named()

    def take(self, case: Case, record: Record, view: CaseView, facts: Sequence[RunFact]) -> None:
        """Note what a case came with."""
        if not self._known:
            return
        lost = set()
        for hit in (*record.retrieved, *union(record.steps)) if record.steps else record.retrieved:
            chunk = self._known.get(hit.id)
            if chunk is None or hit.text is None or hit.text is chunk.text or hit.text == chunk.text:
                continue
            came = self._looked_at(hit.text, chunk)
            if not came.holds:
                lost.add(hit.id)
            if came.is_other:
                self._other.add(case, hit.id)
        if lost:
            needed = (chunk_id for need in view.needs for way in need.ways for chunk_id in way if chunk_id in lost)
            for chunk_id in dict.fromkeys(needed):
                self._needed.add(case, chunk_id)
        for fact in facts:
            if fact.found and self._is_foreign(fact, view):
                self._facts.add(case, fact.fact)

    def _looked_at(self, text: str, chunk: Chunk) -> _Text:
        # A chunk comes with the same text in nearly every case.
        last = self._last.get(chunk.id)
        if last is None or last.text != text:
            came, own = as_seen(text), as_seen(chunk.text)
            last = self._last[chunk.id] = _Text(text, is_other=came != own, holds=own in came)
        return last

    def _is_foreign(self, fact: RunFact, view: CaseView) -> bool:
        """Whether the fixture's own text of the chunks lacks the words in which a fact was found."""
        first, last = fact.chunks[0], fact.chunks[-1]
        for chunk_id in fact.chunks:
            came, chunk = view.passages[chunk_id].text or "", self._known.get(chunk_id)
            if chunk is None:
                return True
            start, end = fact.span or (0, len(came))
            part = came[start if chunk_id == first else 0 : end if chunk_id == last else len(came)]
            if came != chunk.text and as_seen(part) not in as_seen(chunk.text):
                return True
        return False

    def alerts(self) -> Iterator[str]:
        """What belongs on top of a comment."""
        if self._needed:
            chunks, where = self._needed.said("chunk"), self._needed.where()
            yield f"{chunks} that labels name came with another text than the fixture's{where}; ids count all the same."
        if self._facts:
            facts, where = counted(self._facts.count, "required fact"), self._facts.where()
            yield f"{facts} found in text that the fixture does not hold{where}."

    def warnings(self) -> Iterator[str]:
        """What a person should know besides."""
        if self._other:
            yield (
                f"{self._other.said('chunk')} came with another text than the fixture's{self._other.where()}; "
                "facts and values are looked for in what came"
            )


class Named:
    """Names found in some cases."""

    def __init__(self) -> None:
        self.count = 0
        self._names: dict[str, bool] = {}
        self._cases: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, case: Case, name: str) -> None:
        """Note one name in one case."""
        is_shown = case.split == "dev"
        self.count += 1
        self._names[name] = self._names.get(name, False) or is_shown
        self._cases[case.id] = is_shown

    def said(self, noun: str) -> str:
        """How many names there are, and the first that may be shown."""
        first = next((name for name, is_shown in self._names.items() if is_shown), None)
        named = (
            ""
            if first is None
            else f" ('{visible(first)}')"
            if len(self._names) == 1
            else f" (first '{visible(first)}')"
        )
        return f"{counted(len(self._names), noun)}{named}"

    def where(self) -> str:
        """How many cases, and the first that may be shown."""
        first = next((case for case, is_shown in self._cases.items() if is_shown), None)
        named = "" if first is None else f", first '{visible(first)}'"
        return f" ({counted(len(self._cases), 'case')}{named})"
