"""What is doubtful about a golden set that can be read: labels nothing can satisfy, questions that decide little."""

from __future__ import annotations

import bisect
import collections
from typing import TYPE_CHECKING, NamedTuple

from evaluator.errors import nearest
from evaluator.metrics import facts
from evaluator.model.counting import counted
from evaluator.model.golden import Fact
from evaluator.model.view import Passage
from evaluator.stores.words import Path, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case

    Trail = Callable[[Collection[str]], Mapping[str, Sequence[str]]]
    """Takes chunks that are gone; for those it knows of, the chunks that hold their text now."""

NAMED = 3
"""So many chunks are named as the likely ones."""

NEIGHBOURS = 20
"""How many names before and after an unknown one, in the alphabet, are looked at for the nearest."""


class Doubt(NamedTuple):
    """Something doubtful about one case, or about the whole set where ``case`` is None.

    ``path`` leads to the place within the case, as keys and indexes; ``offset`` is how many characters into the text
    there it is, None for the value itself.
    """

    code: str
    message: str
    case: str | None = None
    path: Path = ()
    severity: str = "warning"
    offset: int | None = None


class Names:
    """Known names, asked for the nearest to an unknown one; quick for any number of them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._sorted = sorted((name.casefold(), name) for name in names)

    def hint(self, name: str) -> str:
        """The end of a sentence that names the nearest of the names that begin alike, if there is one."""
        at = bisect.bisect(self._sorted, (name.casefold(),))
        near = dict(self._sorted[max(0, at - NEIGHBOURS) : at + NEIGHBOURS])
        found = nearest(name.casefold(), near)
        return f"; the nearest id is '{visible(near[found])}'" if found else ""


def listed(chunks: Sequence[str]) -> str:
    """Ids in a sentence."""
    *most, last = (f"'{visible(chunk)}'" for chunk in chunks)
    return f"{', '.join(most)} and {last}" if most else last


def stale_ids(cases: Iterable[Case], fixture: Fixture, language: str, trail: Trail | None = None) -> Iterator[Doubt]:
    """Ids of chunks and documents that the fixture does not hold: what they name can never be retrieved.

    For a chunk, the likely new ones are named by the best evidence there is: where the text stands now that it had in
    an earlier run (``trail``); else how its id is spelt, and where the required facts of the case stand. ``language``
    is that of cases without one.
    """
    suspects = [case for case in cases if not _is_held(case, fixture)]
    if not suspects:
        return
    chunks, documents = Names(fixture.by_id), Names(fixture.by_doc)
    stale = [case for case in suspects if any(chunk not in fixture.by_id for _, chunk in needed(case))]
    holders = _holders(stale, fixture, language)
    gone = {chunk for case in suspects for _, chunk in (*needed(case), *_irrelevant(case))} - fixture.by_id.keys()
    went = trail(gone) if trail is not None and gone else {}
    for case in suspects:
        facts_in = f"; the case's facts stand in {listed(holders[case.id])}" if case.id in holders else ""
        for path, chunk in (*needed(case), *_irrelevant(case)):
            if chunk not in fixture.by_id:
                holder = facts_in if path[0] == "relevant" else ""
                guess = f"{chunks.hint(chunk)}{holder}"
                hint = f"; its text in the last run stands in {listed(went[chunk])} now" if chunk in went else guess
                text = f"the fixture holds no chunk '{visible(chunk)}'{hint}"
                yield Doubt("unknown-chunk", text, case.id, path, "error")
        for index, need in enumerate(case.relevant):
            if need.doc is not None and need.doc not in fixture.by_doc:
                text = f"the fixture holds no document '{visible(need.doc)}'{documents.hint(need.doc)}"
                yield Doubt("unknown-document", text, case.id, ("relevant", index), "error")


def _is_held(case: Case, fixture: Fixture) -> bool:
    """Whether the fixture holds every chunk and document that a case names."""
    named = {chunk for need in case.relevant for chunk in need.any_of or (need.chunk,)}.union(case.irrelevant) - {None}
    documents = {need.doc for need in case.relevant} - {None}
    return named <= fixture.by_id.keys() and documents <= fixture.by_doc.keys()


def _holders(cases: Sequence[Case], fixture: Fixture, language: str) -> Mapping[str, tuple[str, ...]]:
    """By case, the chunks that state most of its facts and that it does not name already, :data:`NAMED` at most.

    Only the first alternative of each fact is looked for, and only where the fixture states it first.
    """
    wanted: dict[str, list[tuple[Case, Fact]]] = collections.defaultdict(list)
    for case in cases:
        first = [Fact(id=fact.id, text=fact.alternatives[0]) for fact in case.facts]
        if first:
            wanted[case.language or language] += [(case, fact) for fact in first]
    passages = [(chunk.id, Passage(chunk.doc, chunk.text)) for chunk in fixture.chunks]
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for tongue, pairs in wanted.items():
        found = facts.find_facts([fact for _, fact in pairs], passages, tongue)
        for (case, _), fact in zip(pairs, found, strict=True):
            counts[case.id].update(set(fact.chunks) - {chunk for _, chunk in needed(case)})
    return {case: tuple(chunk for chunk, _ in count.most_common(NAMED)) for case, count in counts.items() if count}


def needed(case: Case) -> Iterator[tuple[Path, str]]:
    """The chunks that the needs of a case name, each with the place of its need."""
    for index, need in enumerate(case.relevant):
        yield from ((("relevant", index), chunk) for chunk in need.any_of or (need.chunk,) if chunk is not None)


def _irrelevant(case: Case) -> Iterator[tuple[Path, str]]:
    yield from ((("irrelevant", index), chunk) for index, chunk in enumerate(case.irrelevant))


def unsound_facts(cases: Iterable[Case]) -> Iterator[Doubt]:
    """Alternatives of required facts that could never be found."""
    for case in cases:
        for index, fact in enumerate(case.facts):
            for place, alternative in enumerate(fact.alternatives):
                problem = facts.alternative_problem(alternative)
                if problem is None:
                    continue
                text = f"the alternative '{visible(alternative)}' {problem}"
                path = ("facts", index, "any", place) if fact.any else ("facts", index, "text")
                yield Doubt("unsound-fact", text, case.id, path, "error")


def contradictions(cases: Iterable[Case]) -> Iterator[Doubt]:
    """Labels of one case that cannot all be meant."""
    for case in cases:
        if case.expect == "answer" and not case.relevant:
            text = "an answer is expected and nothing is labelled relevant, so retrieval is not measured here"
            yield Doubt("no-needs", text, case.id)
        wanted = {chunk for _, chunk in needed(case)}
        for path, chunk in _irrelevant(case):
            if chunk in wanted:
                text = f"the chunk '{visible(chunk)}' is labelled both relevant and irrelevant"
                yield Doubt("relevant-and-irrelevant", text, case.id, path)


def coverage(cases: Sequence[Case], min_cases: int) -> Iterator[Doubt]:
    """What the set as a whole is too small to say."""
    shown = [case for case in cases if case.split == "dev"]
    if not shown:
        yield Doubt("all-holdout", "every case is held out: reports show totals only, and no rule decides anything")
        return
    for category, count in collections.Counter(case.category for case in shown).items():
        if count < min_cases:
            few = counted(count, "case")
            text = f"the category '{visible(category)}' has {few}, fewer than gate.min_cases ({min_cases})"
            first = next(case.id for case in shown if case.category == category)
            yield Doubt("thin-category", f"{text}: it is pooled with others", first)
    if all(case.expect == "answer" for case in cases):
        yield Doubt("no-abstention", "no case expects an abstention: answering everything would go unnoticed")
