"""Whether two claims say the same (design section 8, "new_unsupported_claims"); in doubt they do not."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics import _negation
from evaluator.metrics._normal import has_decimal_comma, normal, subtag
from evaluator.metrics._scripts import count_unspaced
from evaluator.metrics._spelled import in_digits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ALIKE = 0.8
"""F1 of the tokens from which two claims may say the same, where nothing else speaks against it."""

_NUMBER = re.compile(r"\d+(?:[.,:/'-]\d+)*%?")
_NUMERALS = re.compile("[零〇一二三四五六七八九十百千万億亿两兩半]")
_ENDING = ".!?。!?…;:, "
_PART = re.compile(rf"{_negation.WORD.pattern}|[<>≤≥≠=%‰°€$£¥+]|(?<!\w)[-−](?=\d)")
"""A word, or a sign that changes what a number says."""

_EMPTY = {
    "en": "a an the that which is are be been being of its also",
    "sv": "en ett den det de som är vara att också",
    "de": "ein eine einen einem einer eines der die das den dem des ist sind sein auch",
    "fr": "un une le la les l de des du d qui que est sont être aussi",
    "es": "un una el la los las de del que es son ser también",
    "pl": "to jest są być że także również",
    "hu": "a az egy hogy van vannak is",
    "zh": "的 了 地 得",
    "ja": "の は が を",
}
"""Words that can go, or come, without a claim saying anything else. Nothing that has a past, a place or a side."""

_TURNING = {
    "en": "by from to into onto only hardly rarely seldom barely scarcely few less least more most except unless until "
    "till before after former formerly almost nearly about half double twice fails fail failed lacks lack lacked "
    "refuses refuse refused denies deny denied stops stopped ceases against or but if than over under above below "
    "sometimes may might could should would can must up down off out was were had did false fake alleged supposed "
    "some all every each any both either other another same different opposite partly partially wrongly falsely",
    "sv": "av från till bara endast sällan knappt utom förrän innan före efter nästan ungefär mindre minst mer mest "
    "mot eller men om än över under hälften halva dubbla kan får måste bör skulle ibland några alla varje annan annat "
    "andra samma var hade tidigare delvis falskt falsk",
}
"""Words of which one makes another claim of it. In a language without a list any word does."""


class _Form(NamedTuple):
    """A claim as it is compared; ``core`` is what is left of it in its order, without empty words."""

    text: str
    tokens: Counter[str]
    numbers: list[str]
    negations: list[str]
    core: list[str]


def same_claim(first: str, second: str, language: str) -> bool:
    """Whether two claims of a language have equal normalised text, or nearly the same words, numbers and negations.

    Nearly the same: the F1 of the tokens is at least ``ALIKE``, and apart from empty words nothing was replaced or
    moved, for words in another order or in each other's place make another claim of the same numbers and negations.
    One word may have come or gone, if it is none that turns a claim and stands beside no number and no negation.
    In a language whose negations are not known, only equal text says the same.
    """
    one, other = _form(first, language), _form(second, language)
    if one.text == other.text:
        return True
    if not _negation.is_known(language) or (one.numbers, one.negations) != (other.numbers, other.negations):
        return False
    total = one.tokens.total() + other.tokens.total()
    is_near = total > 0 and 2 * (one.tokens & other.tokens).total() / total >= ALIKE
    return is_near and (one.core == other.core or _is_but_a_word_longer(one, other, subtag(language)))


def _is_but_a_word_longer(one: _Form, other: _Form, language: str) -> bool:
    """Whether one core is the other with a word more that says nothing of what stands beside it."""
    short, long = sorted((one.core, other.core), key=len)
    turning = _words(_TURNING, language)
    if len(long) - len(short) != 1 or not turning:
        return False
    # Of two equal words side by side either may be the one that came.
    places = [place for place in range(len(long)) if long[:place] + long[place + 1 :] == short]
    return bool(places) and all(_is_harmless(long, place, turning, language) for place in places)


def _is_harmless(core: Sequence[str], place: int, turning: frozenset[str], language: str) -> bool:
    around = core[max(0, place - 1) : place + 2]
    return core[place] not in turning and not any(_is_marked(word, language) for word in around)


def _is_marked(word: str, language: str) -> bool:
    """Whether a word denies, counts, or is a sign."""
    is_sign = not word[0].isalnum()
    return is_sign or any(each.isdigit() for each in word) or _negation.is_negation(word, language)


def _words(lists: Mapping[str, str], language: str) -> frozenset[str]:
    return frozenset(lists.get(language, "").split())


@lru_cache(maxsize=4096)
def _form(claim: str, language: str) -> _Form:
    flat = normal(in_digits(claim, language), has_decimal_comma(language)).flat.strip(_ENDING)
    tag = subtag(language)
    numbers = _NUMBER.findall(flat)
    if tag in ("zh", "ja"):
        numbers += _NUMERALS.findall(flat)
    return _Form(flat, Counter(_tokens(flat)), numbers, list(_negations(flat, tag)), list(_core(flat, tag)))


def _core(flat: str, language: str) -> Iterator[str]:
    """Words and signs in their order, without empty words; where no spaces part them, every character."""
    empty = _words(_EMPTY, language)
    for found in _PART.finditer(flat):
        parts = found[0] if count_unspaced(found[0]) else [found[0]]
        yield from (part for part in parts if part not in empty)


def _tokens(flat: str) -> Iterator[str]:
    """Words; where no spaces part them, every two characters that stand together."""
    for found in _negation.WORD.finditer(flat):
        word = found[0]
        if count_unspaced(word) and len(word) > 1:
            yield from map("".join, pairwise(word))
        else:
            yield word


def _negations(flat: str, language: str) -> Iterator[str]:
    yield from (flat[start:end] for start, end in _negation.negations_of(flat, language))
    yield from (found[0] for found in _negation.WORD.finditer(flat) if _negation.is_negation(found[0], language))
