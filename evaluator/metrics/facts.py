"""Finds required facts in text without a model (design section 7, "Facts").

A fact is found where one chunk, or two adjacent chunks of one document that are both there, holds one of its
alternatives: as whole words of the text in its common form (:mod:`evaluator.metrics._normal`), unless a short one
stands under a negation (:mod:`evaluator.metrics._negation`), or as a match of a ``/pattern/``.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluator.metrics._negation import is_negated, may_be_negated
from evaluator.metrics._normal import CACHED_TEXTS, Normal, has_decimal_comma, normal, normal_pair, plain
from evaluator.metrics._patterns import pattern_of
from evaluator.metrics._scripts import is_unspaced
from evaluator.model.patterns import matches, regex_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.model.golden import Fact
    from evaluator.model.view import Passage

_CONTINUES = ".,':\u2044"
"""What stands between the parts of one number; the last is the fraction slash of ``\u00bd`` in NFKC."""


class FoundFact(NamedTuple):
    """What became of one required fact.

    Attributes:
        fact: its id.
        found: whether it was found.
        chunks: the chunk, or the two chunks in document order, that it was found in.
        rank: the rank from 1 that completes them; None if it was not found.
        how: by plain text or by a pattern.
        problem: why it is not known whether the fact is there (a pattern took too long), as a sentence.
    """

    fact: str
    found: bool
    chunks: tuple[str, ...] = ()
    rank: int | None = None
    how: Literal["text", "regex"] | None = None
    problem: str | None = None


class _Window(NamedTuple):
    """A text facts are looked for in: a chunk, or two adjacent ones."""

    rank: int
    chunks: tuple[str, ...]
    texts: tuple[str, ...]


class _Needle(NamedTuple):
    """A plain alternative in its common form; ``guarded`` if a negation nearby rules it out."""

    text: str
    guarded: bool


class _Wanted(NamedTuple):
    """What a fact is looked for by; ``trouble`` is what is wrong with a pattern that cannot be used."""

    needles: tuple[_Needle, ...]
    patterns: tuple[str, ...]
    trouble: str | None


def find_facts(facts: Iterable[Fact], passages: Sequence[tuple[str, Passage]], language: str) -> list[FoundFact]:
    """Look for every fact in the passages, in rank order; a repeated id counts as a rank and is not read again.

    Chunks without text are not read. Adjacent are chunks whose ``place`` in their document is consecutive.
    """
    comma = has_decimal_comma(language)
    forms = [(window, _form(window.texts, decimal_comma=comma)) for window in _windows(passages)]
    return [_find(fact, forms, language) for fact in facts]


def alternative_problem(alternative: str) -> str | None:
    """Why an alternative could never be found, or always would be, as the end of a sentence; None if it is sound."""
    pattern = pattern_of(alternative)
    if pattern is not None:
        return regex_problem(pattern)
    return None if normal(alternative, False).flat else "has no character that could be found"


def _windows(passages: Sequence[tuple[str, Passage]]) -> list[_Window]:
    """Windows by the rank that completes them, single chunks first."""
    windows = []
    seen = set()
    placed: dict[tuple[str, int], tuple[str, str]] = {}
    for rank, (chunk, (doc, text, place)) in enumerate(passages, 1):
        if chunk in seen or text is None:
            continue
        seen.add(chunk)
        windows.append(_Window(rank, (chunk,), (text,)))
        if doc is None or place is None:
            continue
        placed[doc, place] = (chunk, text)
        for first, second in ((place - 1, place), (place, place + 1)):
            if (doc, first) in placed and (doc, second) in placed:
                chunks, texts = zip(placed[doc, first], placed[doc, second], strict=True)
                windows.append(_Window(rank, chunks, texts))
    return windows


def _form(texts: tuple[str, ...], *, decimal_comma: bool) -> Normal:
    if len(texts) == 1:
        return normal(texts[0], decimal_comma)
    return normal_pair(texts[0], texts[1], decimal_comma=decimal_comma)


def _find(fact: Fact, forms: Sequence[tuple[_Window, Normal]], language: str) -> FoundFact:
    wanted = _wanted(fact.alternatives, language)
    patterns, trouble = wanted.patterns, wanted.trouble
    for window, form in forms:
        if any(_occurs(needle, form, language) for needle in wanted.needles):
            return FoundFact(fact.id, True, window.chunks, window.rank, "text")
        try:
            if patterns and any(matches(pattern, plain(" ".join(window.texts))) for pattern in patterns):
                return FoundFact(fact.id, True, window.chunks, window.rank, "regex")
        except TimeoutError:
            patterns, trouble = (), "took too long"
    return FoundFact(fact.id, False, problem=f"a pattern of fact {fact.id!r} {trouble}" if trouble else None)


@lru_cache(maxsize=CACHED_TEXTS)
def _wanted(alternatives: tuple[str, ...], language: str) -> _Wanted:
    comma = has_decimal_comma(language)
    texts = [normal(text, comma).flat for text in alternatives if pattern_of(text) is None]
    written = [pattern for text in alternatives if (pattern := pattern_of(text)) is not None]
    problems = {pattern: regex_problem(pattern) for pattern in written}
    return _Wanted(
        tuple(_Needle(text, may_be_negated(text, language)) for text in texts),
        tuple(pattern for pattern in written if problems[pattern] is None),
        next((problem for problem in problems.values() if problem is not None), None),
    )


def _occurs(needle: _Needle, form: Normal, language: str) -> bool:
    """Whether the needle stands in the text as whole words, somewhere without a negation if it is guarded."""
    start = form.flat.find(needle.text) if needle.text else -1
    while start >= 0:
        end = start + len(needle.text)
        whole = _is_edge(form.flat, start, -1) and _is_edge(form.flat, end - 1, 1)
        if whole and not (needle.guarded and is_negated(form.lines, start, end, language)):
            return True
        start = form.flat.find(needle.text, start + 1)
    return False


def _is_edge(text: str, position: int, step: Literal[-1, 1]) -> bool:
    """Whether the word or number at a position ends there, going left (-1) or right (1)."""
    here, there = text[position], _at(text, position + step)
    if _is_word(here) and _is_word(there):
        return (is_unspaced(here) or is_unspaced(there)) and not (here.isnumeric() and there.isnumeric())
    if not here.isdigit():
        return True
    beyond = _at(text, position + 2 * step)
    if step < 0 and there == "-":
        return _is_word(beyond)
    starts_with_point = step < 0 and there == "." and beyond in ("", " ")
    return not (starts_with_point or (there != "" and there in _CONTINUES and beyond.isdigit()))


def _at(text: str, position: int) -> str:
    return text[position] if 0 <= position < len(text) else ""


def _is_word(character: str) -> bool:
    return character.isalnum() or (character > "\u02ff" and unicodedata.category(character).startswith("M"))
