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
    from collections.abc import Iterator

ALIKE = 0.8
"""F1 of the tokens from which two claims say the same, where their numbers and negations are equal."""

_NUMBER = re.compile(r"\d+(?:[.,:/'-]\d+)*%?")
_NUMERALS = re.compile("[零〇一二三四五六七八九十百千万億亿两兩半]")
_ENDING = ".!?。!?…;:, "


class _Form(NamedTuple):
    """A claim as it is compared."""

    text: str
    tokens: Counter[str]
    numbers: Counter[str]
    negations: Counter[str]


def same_claim(first: str, second: str, language: str) -> bool:
    """Whether two claims of a language have equal normalised text, or nearly the same words, numbers and negations.

    In a language whose negations are not known, only equal text says the same.
    """
    one, other = _form(first, language), _form(second, language)
    if one.text == other.text:
        return True
    if not _negation.is_known(language) or (one.numbers, one.negations) != (other.numbers, other.negations):
        return False
    total = one.tokens.total() + other.tokens.total()
    return total > 0 and 2 * (one.tokens & other.tokens).total() / total >= ALIKE


@lru_cache(maxsize=4096)
def _form(claim: str, language: str) -> _Form:
    flat = normal(in_digits(claim, language), has_decimal_comma(language)).flat.strip(_ENDING)
    numbers = Counter(_NUMBER.findall(flat))
    if subtag(language) in ("zh", "ja"):
        numbers.update(_NUMERALS.findall(flat))
    return _Form(flat, Counter(_tokens(flat)), numbers, Counter(_negations(flat, subtag(language))))


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
