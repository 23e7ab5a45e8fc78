"""Words and signs that multiply the number before them: 2.5 million, 2 mln, 3万."""

from __future__ import annotations

import re
from functools import cache

from evaluator.metrics._units import any_of, is_word

_SCALES = {
    2: "hundred hundra hundert",
    3: "thousand tusen tausend mille mil mila duizend tysiąc tysiące tysięcy tys ezer tuhat tuhatta tisíc тыс тысяч "
    "тысячи тысяча 千",
    4: "万 萬 만",
    6: "million millions miljon miljoner millionen mio mill millioner millón millones milhão milhões milione milioni "
    "miljoen milion miliony milionów milionu mln millió miljoona miljoonaa milionů млн миллион миллиона миллионов 百万",
    8: "亿 億 억",
    9: "billion billions miljard miljarder milliarde milliarden mrd milliard milliards miliard miliardy miliardów mld "
    "milliárd miljardia miljardi miliardo miliardi млрд миллиард миллиарда миллиардов",
    12: "trillion trillions 兆",
}


@cache
def scales() -> dict[str, int]:
    """How many zeros each of them stands for."""
    return {word: zeros for zeros, words in _SCALES.items() for word in words.split()}


@cache
def sign_behind() -> re.Pattern[str]:
    """Matches one that is no word between spaces."""
    return re.compile(f" ?({any_of(name for name in scales() if not is_word(name))})")


def scaled(number: str, zeros: int) -> str:
    """A number in its one form times a power of ten."""
    if not zeros:
        return number
    whole, _, fraction = number.partition(".")
    fraction = fraction.ljust(zeros, "0")
    rest = fraction[zeros:].rstrip("0")
    whole = (whole + fraction[:zeros]).lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole


def scale_in(text: str) -> int:
    """How many zeros the one multiplier that a heading names stands for; 0 if it names none."""
    found = {scales().get(word.casefold(), 0) for word in re.findall(r"[^\W\d_]{2,}", text)} - {0}
    return found.pop() if len(found) == 1 else 0
