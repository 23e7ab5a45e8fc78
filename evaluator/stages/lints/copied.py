"""Questions that repeat their chunk: people who do not know the answer ask in words of their own.

A set of such questions, which is what models write when they are shown the chunk, makes lexical search look better
than it is.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from evaluator.stages.lint import Doubt
from evaluator.stages.lints.stems import Stems
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case, Need

FEWEST_WORDS = 6
"""Shorter questions cannot help repeating a name and a few words around it."""

COPIED = 0.8
"""Share of the question's stems that stand close together in the chunk."""

IN_ONE_PIECE = 0.5
"""Share of them that stand there one after the other."""

SPARE = 5
"""How many words more than the question a place in the chunk may have."""


def wording(cases: Iterable[Case], fixture: Fixture, language: str) -> Iterator[Doubt]:
    """Questions most of whose words stand together in a passage that they are meant to find."""
    stems = Stems()
    texts: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        tongue = case.language or language
        question = stems.of(case.question, tongue)
        if len(question) < FEWEST_WORDS:
            continue
        for name, text in _needed(case, fixture):
            if (text, tongue) not in texts:
                texts[text, tongue] = stems.of(text, tongue)
            passage = texts[text, tongue]
            there = set(passage)
            if sum(stem in there for stem in question) < COPIED * len(question):
                continue
            together = _together(question, passage)
            if together >= COPIED and _run(question, passage) >= IN_ONE_PIECE * len(question):
                share = f"{together:.0%} of the question's words stand together in {name}"
                said = f"{share}: people ask in words of their own, and a copied question is found too easily"
                yield Doubt("copied-wording", said, case.id, ("question",))
                break


def _needed(case: Case, fixture: Fixture) -> Iterator[tuple[str, str]]:
    """Every passage a case wants, with what to call it."""
    for need in case.relevant:
        if need.quote is not None:
            yield "the quote it is to find", need.quote
        for chunk in _chunks(need, fixture.by_doc):
            if chunk in fixture.by_id:
                yield f"chunk '{visible(chunk)}'", fixture.by_id[chunk].text


def _chunks(need: Need, by_doc: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if need.doc is not None:
        return by_doc.get(need.doc, ())
    return need.any_of or ((need.chunk,) if need.chunk is not None else ())


def _together(question: Sequence[str], passage: Sequence[str]) -> float:
    """The largest share of the question's stems within a stretch of the passage that is little longer than it."""
    wanted, seen = collections.Counter(question), collections.Counter[str]()
    width = len(question) + SPARE
    found = most = 0
    for place, stem in enumerate(passage):
        seen[stem] += 1
        found += seen[stem] <= wanted[stem]
        if place >= width:
            gone = passage[place - width]
            found -= seen[gone] <= wanted[gone]
            seen[gone] -= 1
        most = max(most, found)
    return most / len(question)


def _run(question: Sequence[str], passage: Sequence[str]) -> int:
    """How many stems the longest piece has that both have in common."""
    places = collections.defaultdict(list)
    for place, stem in enumerate(passage):
        places[stem].append(place)
    longest, ending = 0, dict[int, int]()
    for stem in question:
        ending = {place: ending.get(place - 1, 0) + 1 for place in places.get(stem, ())}
        longest = max(longest, *ending.values(), 0)
    return longest
