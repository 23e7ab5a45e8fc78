"""Resolves needs given as a quote: which chunks hold the passage, alone or together (design section 4, ``quote``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._scripts import is_unspaced
from evaluator.model.quoting import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.metrics._corpus import Corpus
    from evaluator.model.fixture import Chunk, Fixture
    from evaluator.model.golden import Need
    from evaluator.model.record import Hit
    from evaluator.model.view import Way

MAX_PLACES = 20
"""A passage that stands in more places than this names none of them."""


_MARKUP = frozenset("<>[]()&#+=~|*_`\\")
"""A quote with one of these may be a piece of markup, which the normal form of a text does not have."""

_JOINS = "-.,:'/"
"""What may stand within a word or a number."""


class Found(NamedTuple):
    """Where a quote was found.

    Attributes:
        ways: the chunks that hold it, each alone or several of one document together, in fixture order. No way holds
            all chunks of another. None where there are more than :data:`MAX_PLACES` places.
        places: how often it stands in the documents, counted no further than it takes to know that it is too often.
            What two chunks both hold because they overlap is one place.
    """

    ways: tuple[Way, ...] = ()
    places: int = 0


def resolve(needs: Iterable[Need], fixture: Fixture) -> dict[str, Found]:
    """Where every quote among some needs stands in a fixture, by :func:`~evaluator.model.quoting.normal_form`.

    A quote is found as whole words and numbers, in the normal form of the texts; one that no text has in that form is
    looked for in single chunks as it is written.
    """
    quoted = (need.quote for need in needs if need.quote is not None)
    wanted = {form: quote for quote in quoted if (form := normal_form(quote))}
    return Index(fixture).resolve(wanted) if wanted else {}


class Index:
    """A fixture as passages are looked for in it."""

    def __init__(self, fixture: Fixture) -> None:
        from evaluator.metrics._corpus import Corpus  # noqa: PLC0415 - most golden sets have no quote

        documents: dict[tuple[str | None, int], list[Chunk]] = {}
        for place, chunk in enumerate(fixture.chunks):
            documents.setdefault((chunk.doc, place if chunk.doc is None else -1), []).append(chunk)
        self._chunks = [chunk for chunks in documents.values() for chunk in chunks]
        self._order = {chunk.id: place for place, chunk in enumerate(fixture.chunks)}
        self._corpus: Corpus = Corpus([chunk.text for chunk in chunks] for chunks in documents.values())

    def resolve(self, wanted: Mapping[str, str]) -> dict[str, Found]:
        """Where each quote stands; ``wanted`` has them by their normal form."""
        passages = {form: form.encode() for form in wanted}
        # Where chunks overlap, one place is met twice at most.
        places = self._corpus.places(passages.values(), 2 * MAX_PLACES + 1)
        return {
            form: self._found(passage, places[passage]) if places[passage] else self._as_written(wanted[form])
            for form, passage in passages.items()
        }

    def _found(self, passage: bytes, places: Sequence[int]) -> Found:
        count = self._corpus.occurrences(places)
        if count > MAX_PLACES:
            return Found(places=count)
        numbers = (chain for at in places for chain in self._corpus.chains(at, passage))
        ways = {tuple(self._chunks[number].id for number in chain): None for chain in numbers}
        return Found(tuple(sorted(_needed(ways), key=self._place)), count)

    def _place(self, way: Way) -> list[int]:
        return [self._order[chunk] for chunk in way]

    def _as_written(self, quote: str) -> Found:
        if _MARKUP.isdisjoint(quote):
            return Found()
        found = sorted((chunk.id for chunk in self._chunks if _holds(chunk.text, quote)), key=self._order.__getitem__)
        ways = tuple((chunk,) for chunk in found)
        return Found(ways if len(found) <= MAX_PLACES else (), len(found))

    def nearest(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """For each text the chunks that hold most of it now, a few at most, in fixture order."""
        forms = [normal_form(text).encode() for text in texts]
        found = ([self._chunks[number].id for number in numbers] for numbers in self._corpus.nearest(forms))
        return [tuple(sorted(ids, key=self._order.__getitem__)) for ids in found]


def _needed(ways: Iterable[Way]) -> list[Way]:
    """The ways of which no other is a part."""
    found = list(ways)
    alone = {way[0] for way in found if len(way) == 1}
    longer = [way for way in found if len(way) > 1 and alone.isdisjoint(way)]
    needless = {way for way in longer for other in longer if set(other) < set(way)}
    return [way for way in found if len(way) == 1 or (alone.isdisjoint(way) and way not in needless)]


def _holds(text: str, quote: str) -> bool:
    """Whether a text has a quote as it is written, as whole words and numbers."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not (_goes_on(text[max(0, at - 2) : at + 1][::-1]) or _goes_on(text[end - 1 : end + 2])):
            return True
        at = text.find(quote, at + 1)
    return False


def _goes_on(end: str) -> bool:
    """Whether a word or number goes on beyond the first of up to three characters, which are read away from a quote."""
    inner, outer, next_one = end[:1], end[1:2], end[2:]
    if outer in _JOINS and outer:
        return inner.isalnum() and (outer == "-" or next_one.isalnum())
    return inner.isalnum() and outer.isalnum() and not (is_unspaced(inner) or is_unspaced(outer))


def ways_among(quote: str, hits: Sequence[Hit]) -> tuple[Way, ...]:
    """The ways of satisfying a quote among results: a text that holds it, or several of one document that join to it.

    Without a fixture nobody says which chunks are adjacent: those are whose texts go on from one to the next within
    the passage.
    """
    from evaluator.metrics import _forms as forms  # noqa: PLC0415 - most golden sets have no quote

    passage = normal_form(quote).encode()
    if not passage:
        return ()
    chunks = list({hit.id: hit for hit in reversed(hits) if hit.text is not None}.values())[::-1]
    found: dict[Way, None] = {}
    parts: dict[str, list[Hit]] = {}
    for hit in chunks:
        if forms.holds(str(hit.text), passage) or _holds(str(hit.text), quote):
            found[(hit.id,)] = None
        elif hit.doc is not None:
            parts.setdefault(hit.doc, []).append(hit)
    for part in parts.values():
        for numbers in forms.joined([str(hit.text) for hit in part], passage):
            found[tuple(part[number].id for number in numbers)] = None
    return tuple(_needed(found))
