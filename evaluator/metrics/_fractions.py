"""Fractions of a text written as decimal numbers, and square and cubic metres as words."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from evaluator.metrics._normal import has_decimal_comma
from evaluator.metrics._units import units_of

if TYPE_CHECKING:
    from evaluator.metrics._units import Units

_SIGN = re.compile(
    "(?:(?<![0-9])([0-9]{1,9}) ?)?(?:([\u00bc-\u00be\u2150-\u215e])|(?<![0-9])([0-9]{1,3})\u2044([0-9]{1,3}))"
)
_TYPED = re.compile(
    r"(?<![0-9/.,:-])(?<![0-9/.,:-] )(?:([0-9]{1,3}) )?([1-9])/([2-9])(?![0-9/])(?=[ -](?:of an? |an? )?([^\W\d_]+))"
)
_CUPS = (
    "cup cups tsp tsps tbsp teaspoon teaspoons tablespoon tablespoons pint pints tasse tassen teelöffel tl el tasses "
    "cuillère cuillères taza tazas cucharada cucharadas tsk msk kopp dl szklanki szklanka łyżki łyżeczki"
)
"""What recipes measure by, and is no unit of :mod:`evaluator.metrics._units`."""
_MEASURES = frozenset(_CUPS.split())
_POWER = re.compile(r"(?<=[0-9 ])(mm|cm|km|m|ft)(?:([\u00b22])|[\u00b33])(?!\w)")
_PLACES = 4


def fractions(text: str, language: str) -> str:
    """A text with its fractions as decimal numbers: signs wherever they stand, ``1/2`` before a unit only."""
    comma = has_decimal_comma(language)
    if not text.isascii():
        text = _SIGN.sub(lambda found: _decimal(found[1], _part(found), decimal_comma=comma), text)
    if "/" in text:
        units = units_of(language)
        text = _TYPED.sub(lambda found: _typed(found, units, decimal_comma=comma), text)
    text = text.replace("U.S.", "US")
    return _POWER.sub(lambda found: f"{'sq' if found[2] else 'cu'}{found[1]}", text)


def _part(found: re.Match[str]) -> float:
    if found[2]:
        return unicodedata.numeric(found[2])
    return int(found[3]) / (int(found[4]) or 1)


def _typed(found: re.Match[str], units: Units, *, decimal_comma: bool) -> str:
    above, below = int(found[2]), int(found[3])
    if above >= below or not (units.of(found[4]) or found[4].casefold() in _MEASURES):
        return found[0]
    return _decimal(found[1], above / below, decimal_comma=decimal_comma)


def _decimal(whole: str | None, part: float, *, decimal_comma: bool) -> str:
    decimals = f"{part % 1:.{_PLACES}f}"[2:].rstrip("0") or "0"
    number = f"{int(whole or 0) + int(part)}.{decimals}"
    return number.replace(".", ",") if decimal_comma else number
