"""Required facts that the fixture states nowhere, which no change can mend, or nearly everywhere, which say nothing."""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics import facts
from evaluator.model.golden import Fact
from evaluator.stages.candidates import Candidates, Mask, by_place, passages_of
from evaluator.stages.lint import Doubt
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.stages.candidates import Passages

EVERYWHERE = 0.2
"""Share of the chunks from which on a fact says nothing: five chunks drawn blindly state it two times out of three."""

FEWEST_CHUNKS = 5
"""A fact that fewer chunks state is not everywhere, however small the fixture."""

NEAR = 50
"""So many chunks of a document that a case needs are looked at before all others."""

SAMPLE = 40
"""Chunks, evenly spread, in which every fact is counted; in all of them only those that are frequent there."""

FREQUENT = EVERYWHERE / 2
"""Share of the sample from which on all chunks are counted."""

LOOKS = 100_000
"""So many looks at a chunk, at most, tell which of the facts that are frequent in the sample are everywhere."""

FEWEST_LOOKS = 200
"""Chunks, evenly spread, in which a frequent fact is counted, however many facts are."""

AT_ONCE = 4000
"""Facts that are counted together: what was read of them is still there for the next chunk."""


class _Wanted(NamedTuple):
    """What is looked for, in which language. Alike facts of several cases are looked for once."""

    alternatives: tuple[str, ...]
    language: str


def facts_in(cases: Sequence[Case], fixture: Fixture, language: str) -> Iterator[Doubt]:
    """Facts that no chunk, nor two adjacent ones, or too many chunks state; patterns that are too slow for either."""
    looks = _first_looks(cases, fixture.by_doc, language)
    wanted = [each for each in looks if not any(map(facts.alternative_problem, each.alternatives))]
    candidates = Candidates(passages_of(fixture))
    slow: set[_Wanted] = set()
    nowhere = _nowhere(wanted, looks, candidates, slow)
    counts = _frequent([each for each in wanted if each not in nowhere], candidates, slow)
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
                looked, holding = counts[each]
                share = f"{holding} of {looked} chunks" + (
                    " that were looked at" if looked < len(fixture.chunks) else ""
                )
                text = f"{name} is stated in {share}: finding it says nothing about what was retrieved"
                yield Doubt("fact-everywhere", text, case.id, path)


def _first_looks(
    cases: Iterable[Case], by_doc: Mapping[str, Sequence[str]], language: str
) -> Mapping[_Wanted, frozenset[str]]:
    """Every fact, and the chunks in which it most likely is: those that its cases need."""
    looks: dict[_Wanted, frozenset[str]] = {}
    for case in cases:
        named = {chunk for need in case.relevant for chunk in need.any_of or (need.chunk,) if chunk is not None}
        for need in case.relevant:
            named.update(by_doc.get(need.doc or "", ())[:NEAR])
        for fact in case.facts:
            each = _Wanted(fact.alternatives, case.language or language)
            looks[each] = looks.get(each, frozenset()) | named
    return looks


def _nowhere(
    wanted: Iterable[_Wanted],
    looks: Mapping[_Wanted, frozenset[str]],
    candidates: Candidates,
    slow: set[_Wanted],
) -> set[_Wanted]:
    by_id = dict(candidates.passages)
    left = []
    for each in wanted:
        likely = [(chunk, by_id[chunk]) for chunk in sorted(looks[each]) if chunk in by_id]
        if each not in _found([each], likely, set()):
            left.append(each)
    return set(left) - _somewhere(left, candidates, slow)


def may_state(candidates: Candidates, alternatives: tuple[str, ...], language: str) -> bool:
    """Whether a fact stands in some chunk, or two adjacent ones, or has a pattern that takes too long to tell."""
    slow: set[_Wanted] = set()
    return bool(_somewhere([_Wanted(alternatives, language)], candidates, slow) or slow)


def _somewhere(wanted: Sequence[_Wanted], candidates: Candidates, slow: set[_Wanted]) -> set[_Wanted]:
    masks = {each: candidates.mask(*each) for each in wanted}
    known = {each: mask for each, mask in masks.items() if mask is not None}
    found = _found([each for each in wanted if each not in known], candidates.passages, slow)
    found |= _anywhere({each: mask.alone for each, mask in known.items()}, candidates.passages, 1)
    # Most facts that are anywhere are in one chunk: only the others are looked for in two.
    rest = {each: mask.with_next for each, mask in known.items() if each not in found}
    return found | _anywhere(rest, candidates.passages, 2)


def _anywhere(masks: Mapping[_Wanted, int], everything: Passages, size: int) -> set[_Wanted]:
    """The facts that so many chunks from a place of their mask on state."""
    found: set[_Wanted] = set()
    for place, facts_here in by_place(masks):
        left = [each for each in facts_here if each not in found]
        if left:
            found |= _found(left, everything[place : place + size], set())
    return found


class _Count(NamedTuple):
    """In how many chunks a fact was looked for, and how many of them state it."""

    looked: int
    holding: int


def _frequent(wanted: Sequence[_Wanted], candidates: Candidates, slow: set[_Wanted]) -> Mapping[_Wanted, _Count]:
    """How many chunks state each fact that is everywhere."""
    everything = candidates.passages
    sample = Candidates(everything[:: max(1, len(everything) // SAMPLE)])
    enough = FREQUENT * len(sample.passages)
    masks = _alone(wanted, sample)
    likely = {each: mask for each, mask in masks.items() if mask.bit_count() >= enough}
    few = _counted(likely, sample.passages, range(len(sample.passages)), slow)
    suspects = [each for each in likely if few[each] >= enough]
    looked = range(0, len(everything), _step(len(everything), len(suspects)))
    counts = _counted(_alone(suspects, candidates), everything, looked, slow)
    return {each: _Count(len(looked), count) for each, count in counts.items() if count >= _least(len(looked))}


def _alone(wanted: Iterable[_Wanted], candidates: Candidates) -> Mapping[_Wanted, int]:
    """Where each fact could stand in one chunk."""
    unknown = Mask(alone=(1 << len(candidates.passages)) - 1, with_next=0)
    return {each: (candidates.mask(*each) or unknown).alone for each in wanted}


def _least(chunks: int) -> float:
    return max(FEWEST_CHUNKS, EVERYWHERE * chunks)


def _step(chunks: int, suspects: int) -> int:
    """Of how many chunks one is looked at, so that many frequent facts cost no more than a few in all chunks."""
    return max(1, chunks // max(FEWEST_LOOKS, LOOKS // max(1, suspects)))


def _counted(
    wanted: Mapping[_Wanted, int], everything: Passages, places: Iterable[int], slow: set[_Wanted]
) -> collections.Counter[_Wanted]:
    """In how many of the chunks at some places each fact stands, which are looked at where they could state it."""
    counts: collections.Counter[_Wanted] = collections.Counter()
    facts_of = list(wanted.items())
    for start in range(0, len(facts_of), AT_ONCE):
        batch = facts_of[start : start + AT_ONCE]
        for place in places:
            here = [each for each, mask in batch if mask >> place & 1 and each not in slow]
            counts.update(_found(here, [everything[place]], slow))
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
