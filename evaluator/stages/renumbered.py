"""Labels by id whose chunk or document says something else in the candidate than it did in the baseline.

An id is met by whatever stands under it. Where documents were cut, numbered or named anew, a label can so come to mean
other text, and what is measured by it is no longer what somebody once reviewed.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from evaluator.metrics._scripts import count_unspaced
from evaluator.metrics.scoring import as_seen
from evaluator.model.counting import counted
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluator.model.fixture import Fixture
    from evaluator.model.view import CaseView, Passage, ResolvedNeed

RUN = 3
WORDS_IN_COMMON, CHARACTERS_IN_COMMON = 0.05, 0.2
"""Below so large a share of runs of three words, or of three characters, of the shorter text, two texts are about
different things: any two texts of a language have some characters in common."""
MAX_NAMED = 3


class Renumbered:
    """Looks at one paired case after the other; ``fixture`` gives the candidate's, if it has one and it can be read."""

    def __init__(self, fixture: Callable[[], Fixture | None]) -> None:
        self._read = fixture
        self._known: dict[tuple[str, str], bool] = {}
        self._wholes: dict[str, str] = {}

    def of(self, before: CaseView, after: CaseView) -> Iterator[str]:
        """Chunks and documents that labels of a case name by id, and whose texts have nothing in common in both runs.

        A chunk whose text either run does not hold says nothing: where the candidate did not retrieve it, the need is
        lost. Of a document the baseline has to hold a text, and no chunk of the candidate's fixture may be like it.
        """
        for need, old, new in zip(after.labels.relevant, before.needs, after.needs, strict=True):
            if need.quote is not None or old.digest == new.digest:
                continue
            if need.doc is not None:
                then = [passage.text for passage in _came(before, old) if passage.text]
                if then and all(self._is_foreign(need.doc, text) for text in then):
                    yield need.doc
                continue
            for chunk in dict.fromkeys(chunk for way in new.ways for chunk in way):
                then_one, now = before.passages.get(chunk), after.passages.get(chunk)
                if then_one and now and then_one.text and now.text and are_unlike(then_one.text, now.text):
                    yield chunk

    def _is_foreign(self, doc: str, text: str) -> bool:
        """Whether a document is in the candidate's fixture and has nothing like a text; a text comes in many cases."""
        key = (doc, text)
        if key not in self._known:
            self._known[key] = self._looks_foreign(doc, text)
        return self._known[key]

    def _looks_foreign(self, doc: str, text: str) -> bool:
        fixture = self._fixture
        chunks = [fixture.by_id[chunk].text for chunk in fixture.by_doc.get(doc, ())] if fixture is not None else []
        if doc not in self._wholes:
            self._wholes[doc] = "".join(map(as_seen, chunks))
        is_held = as_seen(text) in self._wholes[doc]
        return bool(chunks) and not is_held and all(are_unlike(text, chunk) for chunk in chunks)

    @cached_property
    def _fixture(self) -> Fixture | None:
        return self._read()


def _came(view: CaseView, need: ResolvedNeed) -> Iterator[Passage]:
    """What a run holds of the chunks of a need."""
    found = (view.passages.get(chunk) for way in need.ways for chunk in way)
    return (passage for passage in found if passage is not None)


def are_unlike(first: str, second: str) -> bool:
    """Whether two texts have next to nothing in common; one that is within the other has all of it."""
    one, other = as_seen(first.casefold()), as_seen(second.casefold())
    if one in other or other in one:
        return False
    words, others = (re.findall(r"\w+", text.casefold()) for text in (first, second))
    # Scripts without spaces have no words to compare, and short texts too few.
    few = min(len(words), len(others)) < 2 * RUN or any(2 * count_unspaced(text) > len(text) for text in (one, other))
    if few:
        return _in_common(one, other) < CHARACTERS_IN_COMMON
    return _in_common(words, others) < WORDS_IN_COMMON


def _in_common(first: Sequence[str], second: Sequence[str]) -> float:
    """Share of the runs of the shorter one that both have."""
    one, other = _runs(first), _runs(second)
    return len(one & other) / min(len(one), len(other))


def _runs(parts: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(parts[start : start + RUN]) for start in range(max(1, len(parts) - RUN + 1))}


def alert(found: Mapping[str, Sequence[str]]) -> str:
    """The sentence on top of a comment; ``found`` are chunks and documents by case."""
    named = [f"'{visible(chunk)}' (case '{visible(case)}')" for case, chunks in found.items() for chunk in chunks]
    more = f" and {counted(len(named) - MAX_NAMED, 'other')}" if len(named) > MAX_NAMED else ""
    labels = "label means" if len(named) == 1 else "labels mean"
    shown = ", ".join(named[:MAX_NAMED])
    return f"{len(named):,} {labels} other text than in the baseline, under the same id: {shown}{more}."
