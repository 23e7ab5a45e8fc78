"""Required facts that the fixture states nowhere, which no change can mend, or nearly everywhere, which say nothing."""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evaluator.metrics import facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage
from evaluator.stages.lint import Doubt
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.fixture import Chunk, Fixture
    from evaluator.model.golden import Case

EVERYWHERE = 0.2
"""Share of the chunks from which on a fact says nothing: five chunks drawn blindly state it two times out of three."""

FEWEST_CHUNKS = 5
"""A fact that fewer chunks state is not everywhere, however small the fixture."""

SAMPLE = 40
"""Chunks, evenly spread, in which every fact is counted; in all of them only those that are frequent there."""

FREQUENT = EVERYWHERE / 2
"""Share of the sample from which on all chunks are counted."""

AT_ONCE = 4000
"""Facts that are counted together: what was read of them is still there for the next chunk."""

Passages: TypeAlias = "list[tuple[str, Passage]]"


class _Wanted(NamedTuple):
    """What is looked for, in which language. Alike facts of several cases are looked for once."""

    alternatives: tuple[str, ...]
    language: str


def facts_in(cases: Sequence[Case], fixture: Fixture, language: str) -> Iterator[Doubt]:
    """Facts that no chunk, nor two adjacent ones, or too many chunks state; patterns that are too slow for either."""
    looks = _first_looks(cases, language)
    wanted = [each for each in looks if not any(map(facts.alternative_problem, each.alternatives))]
    passages = _passages(fixture)
    slow: set[_Wanted] = set()
    nowhere = _nowhere(wanted, looks, passages, slow)
    counts = _frequent([each for each in wanted if each not in nowhere], passages, slow)
    for case in cases:
        for index, fact in enumerate(case.facts):
            each = _Wanted(fact.alternatives, case.language or language)
            name, path = f"the fact '{visible(fact.id)}'", ("facts", index)
            if each in slow:
                text = f"a pattern of {name} takes too long on the fixture's texts, so a run may not know the fact"
                yield Doubt("unsound-fact", text, case.id, path)
            elif each in nowhere:
                text = f"{name} is stated nowhere in the fixture: add it to the documents, or mend its alternatives"
                yield Doubt("content-gap", text, case.id, path)
            elif each in counts:
                share = f"{counts[each]} of {len(fixture.chunks)} chunks"
                text = f"{name} is stated in {share}: finding it says nothing about what was retrieved"
                yield Doubt("fact-everywhere", text, case.id, path)


def _passages(fixture: Fixture) -> Passages:
    next_place: collections.Counter[str] = collections.Counter()
    return [(chunk.id, Passage(chunk.doc, chunk.text, _place(chunk, next_place))) for chunk in fixture.chunks]


def _place(chunk: Chunk, next_place: collections.Counter[str]) -> int | None:
    if chunk.doc is None:
        return None
    next_place[chunk.doc] += 1
    return next_place[chunk.doc] - 1


def _first_looks(cases: Iterable[Case], language: str) -> Mapping[_Wanted, frozenset[str]]:
    """Every fact, and the chunks in which it most likely is: those that its cases need."""
    looks: dict[_Wanted, frozenset[str]] = {}
    for case in cases:
        named = {chunk for need in case.relevant for chunk in need.any_of or (need.chunk,) if chunk is not None}
        for fact in case.facts:
            each = _Wanted(fact.alternatives, case.language or language)
            looks[each] = looks.get(each, frozenset()) | named
    return looks


def _nowhere(
    wanted: Iterable[_Wanted], looks: Mapping[_Wanted, frozenset[str]], passages: Passages, slow: set[_Wanted]
) -> set[_Wanted]:
    by_id = dict(passages)
    left = []
    for each in wanted:
        likely = [(chunk, by_id[chunk]) for chunk in sorted(looks[each]) if chunk in by_id]
        if each not in _found([each], likely, set()):
            left.append(each)
    return set(left) - _found(left, passages, slow)


def _frequent(wanted: Sequence[_Wanted], passages: Passages, slow: set[_Wanted]) -> Mapping[_Wanted, int]:
    """How many chunks state each fact that is everywhere."""
    step = max(1, len(passages) // SAMPLE)
    sample = passages[::step]
    few = _counted(wanted, sample, slow)
    suspects = [each for each in wanted if few[each] >= FREQUENT * len(sample)]
    counts = few if step == 1 else _counted(suspects, passages, slow)
    least = max(FEWEST_CHUNKS, EVERYWHERE * len(passages))
    return {each: count for each, count in counts.items() if count >= least}


def _counted(wanted: Sequence[_Wanted], passages: Passages, slow: set[_Wanted]) -> collections.Counter[_Wanted]:
    counts: collections.Counter[_Wanted] = collections.Counter()
    for start in range(0, len(wanted), AT_ONCE):
        batch = wanted[start : start + AT_ONCE]
        for place in passages:
            counts.update(_found([each for each in batch if each not in slow], [place], slow))
    return counts


@functools.lru_cache(maxsize=AT_ONCE)
def _fact(alternatives: tuple[str, ...]) -> Fact:
    return Fact.model_construct(id="x", text=alternatives[0], any=alternatives)


def _found(wanted: Iterable[_Wanted], passages: Passages, slow: set[_Wanted]) -> set[_Wanted]:
    """Which of the facts the passages state; ``slow`` takes those of which it is not known."""
    by_language: dict[str, list[_Wanted]] = collections.defaultdict(list)
    for each in wanted:
        by_language[each.language].append(each)
    found = set()
    for language, group in by_language.items():
        asked = [_fact(each.alternatives) for each in group]
        for each, result in zip(group, facts.find_facts(asked, passages, language), strict=True):
            if result.found:
                found.add(each)
            elif result.problem:
                slow.add(each)
    return found
