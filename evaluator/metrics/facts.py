"""Finds required facts in text without a model (design section 7, "Facts").

A fact is found where one chunk, or two adjacent chunks of one document that are both there, holds one of its
alternatives: as whole words of the text in its common form (:mod:`evaluator.metrics._normal`), unless a short one
stands under a negation (:mod:`evaluator.metrics._written`), or as a match of a ``/pattern/``. Where none of them does
so anywhere, the words of an alternative are looked for in other forms and apart: by their stems
(:mod:`evaluator.metrics._phrases`), or in Chinese and Japanese by characters (:mod:`evaluator.metrics._characters`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics import _spans
from evaluator.metrics._apart import Parts, Search
from evaluator.metrics._denials import unstruck
from evaluator.metrics._normal import CACHED_TEXTS, Normal, has_decimal_comma, normal, normal_pair, plain
from evaluator.metrics._patterns import pattern_of
from evaluator.metrics._written import Needle, Place, Window, is_denied_around, needle_of, other_forms, place_of
from evaluator.model.patterns import match, regex_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.golden import Fact
    from evaluator.model.run import How
    from evaluator.model.view import CaseView, Passage


class FoundFact(NamedTuple):
    """What became of one required fact.

    Attributes:
        fact: its id.
        found: whether it was found.
        chunks: the chunk, or the two chunks in document order, that it was found in.
        rank: the rank from 1 that completes them; None if it was not found.
        how: as it is written, by a pattern, by word stems or by characters.
        problem: why it is not known whether the fact is there (a pattern took too long), as a sentence.
        place: where it stands in the form of the text that was searched; :func:`evaluator.metrics._spans.span` tells
            where that is in the text itself.
    """

    fact: str
    found: bool
    chunks: tuple[str, ...] = ()
    rank: int | None = None
    how: How | None = None
    problem: str | None = None
    place: Place | None = None


class _Wanted(NamedTuple):
    """What a fact is looked for by; ``trouble`` is what is wrong with a pattern that cannot be used."""

    needles: tuple[Needle, ...]
    patterns: tuple[str, ...]
    trouble: str | None


def find_facts(facts: Iterable[Fact], passages: Sequence[tuple[str, Passage]], language: str) -> list[FoundFact]:
    """Look for every fact in the passages, in rank order; a repeated id counts as a rank and is not read again.

    Chunks without text are not read. Adjacent are chunks whose ``place`` in their document is consecutive.
    """
    wanted = tuple(facts)
    if not wanted:
        return []
    forms = _Forms(_windows(passages), decimal_comma=has_decimal_comma(language))
    found = [_find(fact, forms, language) for fact in wanted]
    missing = {place: wanted[place] for place, each in enumerate(found) if not each.found}
    if missing and Search.is_for(language):
        for place, each in _find_apart(missing, forms, language):
            found[place] = each
    return found


def facts_in(view: CaseView, chunks: Sequence[str]) -> list[FoundFact]:
    """What became of the facts of a case in the text of some of its chunks; looked for once."""
    if not view.labels.facts:
        return []
    key = ("facts", tuple(chunks))
    if key not in view.shared:
        view.shared[key] = find_facts(view.labels.facts, view.described(chunks), view.language)
    found: list[FoundFact] = view.shared[key]
    return found


def span_in(view: CaseView, found: FoundFact) -> Place | None:
    """Where a fact that was found starts in the text of the first of its chunks and ends in that of the last."""
    texts = [passage.text or "" for _, passage in view.described(found.chunks)]
    return _spans.span(found, texts, view.language)


def alternative_problem(alternative: str) -> str | None:
    """Why an alternative could never be found, or always would be, as the end of a sentence; None if it is sound."""
    pattern = pattern_of(alternative)
    if pattern is not None:
        return regex_problem(pattern)
    return None if normal(alternative, False).flat else "has no character that could be found"


def signs(alternatives: tuple[str, ...], language: str) -> list[tuple[str, ...]] | None:
    """What a text that states a fact holds somewhere in its common form: all of one of these at least.

    None where only reading the text tells, as it does for patterns.
    """
    wanted = _wanted(alternatives, language)
    if wanted.patterns or wanted.trouble:
        return None
    written = [needle.text for needle in wanted.needles if needle.text]
    apart = Search(language).phrases(written) if Search.is_for(language) else []
    other = [form for needle in wanted.needles for form in other_forms(needle, language)]
    return [*((text,) for text in (*written, *other)), *(phrase.hints for phrase in apart)]


def _windows(passages: Sequence[tuple[str, Passage]]) -> list[Window]:
    """Windows by the rank that completes them, single chunks first."""
    windows = []
    seen = set()
    placed: dict[tuple[str, int], tuple[str, str]] = {}
    for rank, (chunk, (doc, text, place)) in enumerate(passages, 1):
        if chunk in seen or text is None:
            continue
        seen.add(chunk)
        if doc is None or place is None:
            windows.append(Window(rank, (chunk,), (text,)))
            continue
        # What follows in rank order is placed before any window is searched.
        windows.append(Window(rank, (chunk,), (text,), (doc, place), placed))
        placed[doc, place] = (chunk, text)
        for first, second in ((place - 1, place), (place, place + 1)):
            if (doc, first) in placed and (doc, second) in placed:
                chunks, texts = zip(placed[doc, first], placed[doc, second], strict=True)
                windows.append(Window(rank, chunks, texts))
    return windows


class _Forms:
    """Windows with what they are searched in, made when they are first come to: most facts stand in the first ones."""

    def __init__(self, windows: Iterable[Window], *, decimal_comma: bool) -> None:
        self._left = iter(windows)
        self._made: list[tuple[Window, Normal]] = []
        self._decimal_comma = decimal_comma

    def __iter__(self) -> Iterator[tuple[Window, Normal]]:
        yield from self._made
        for window in self._left:
            made = window, _form(window.texts, decimal_comma=self._decimal_comma)
            self._made.append(made)
            yield made


def _form(texts: tuple[str, ...], *, decimal_comma: bool) -> Normal:
    read = normal(texts[0], decimal_comma) if len(texts) == 1 else normal_pair(*texts, decimal_comma=decimal_comma)
    lines = unstruck(read.lines)
    return read if lines is read.lines else Normal(lines.replace("\n", " "), lines)


def _find(fact: Fact, forms: _Forms, language: str) -> FoundFact:
    wanted = _wanted(fact.alternatives, language)
    patterns, trouble = wanted.patterns, wanted.trouble
    for window, form in forms:
        for needle in wanted.needles:
            place = place_of(needle, window, form, language)
            if place is not None:
                return FoundFact(fact.id, True, window.chunks, window.rank, "text", None, place)
        try:
            place = _matched(patterns, window) if patterns else None
        except TimeoutError:
            patterns, trouble = (), "took too long"
            continue
        if place is not None:
            return FoundFact(fact.id, True, window.chunks, window.rank, "regex", None, place)
    return FoundFact(fact.id, False, problem=f"a pattern of fact {fact.id!r} {trouble}" if trouble else None)


def _matched(patterns: Sequence[str], window: Window) -> Place | None:
    text = unstruck(plain(" ".join(window.texts)))
    return next((place for pattern in patterns if (place := match(pattern, text)) is not None), None)


def _find_apart(missing: Mapping[int, Fact], forms: _Forms, language: str) -> Iterator[tuple[int, FoundFact]]:
    """Those of the facts that were not found as they are written and are found otherwise, by their places.

    Each text is searched for all of them before the next, so that it is cut into words once.
    """
    search = Search(language)
    needles = {place: _wanted(fact.alternatives, language).needles for place, fact in missing.items()}
    phrases = {
        place: made for place, each in needles.items() if (made := search.phrases([needle.text for needle in each]))
    }
    for window, form in forms:
        parts = Parts(form, window.texts)
        for place, each in tuple(phrases.items()):
            at = search.find(each, parts)
            if at is not None and not is_denied_around(needles[place], window, form.lines, at, language):
                del phrases[place]
                yield place, FoundFact(missing[place].id, True, window.chunks, window.rank, search.how, None, at)


@lru_cache(maxsize=CACHED_TEXTS)
def _wanted(alternatives: tuple[str, ...], language: str) -> _Wanted:
    written = [pattern for text in alternatives if (pattern := pattern_of(text)) is not None]
    problems = {pattern: regex_problem(pattern) for pattern in written}
    return _Wanted(
        tuple(needle_of(text, language) for text in alternatives if pattern_of(text) is None),
        tuple(pattern for pattern in written if problems[pattern] is None),
        next((problem for problem in problems.values() if problem is not None), None),
    )
