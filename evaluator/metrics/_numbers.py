"""One way of writing for every number: no group separators, a decimal point, no zeros at its end.

A number whose own separators show how it is written (``1,000.50``, ``1.000,50``, ``3,5``) is read so in every
language. Where they do not (``1,000``, ``1.000``) the language decides. What is no number (``12.05.2024``,
``1.2.3``, ``v1.10``) stays as it is.
"""

from __future__ import annotations

import re
from functools import cache, partial

_LANGUAGES = "bg bs ca cs da de el es et fi fr hr hu id is it lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tr uk vi"
DECIMAL_COMMA = frozenset(_LANGUAGES.split())
"""Languages that write a decimal comma; all others write a decimal point and group by commas."""

_FIXED_SPACES = "\u00a0\u2007\u2009\u202f"
_GROUPED = r"(?<![\d.,'])(?!0)\d{{1,3}}(?:{space}\d{{3}})+(?!{space}?\d)"
_FIXED_GROUPS = re.compile(_GROUPED.format(space="\x1f"))
_SPACED_GROUPS = re.compile(_GROUPED.format(space=" "))
_DECIMAL_COMMA = r",\d{1,2}(?!\d)"
_SPACED_DECIMAL = re.compile(rf"{_GROUPED.format(space=' ')}(?={_DECIMAL_COMMA})")
_ENDS_SPACED_DECIMAL = re.compile(rf" \d{{3}}{_DECIMAL_COMMA}")
_SEPARATED = re.compile(r"(?<![a-z\d.,'])\d+(?:[.,']\d+)+")
_TWO_PARTS = re.compile(r"\d[ .,']\d")
_UNIT = re.compile(r"(?<=\d) (?=[%‰°])")
_GROUP = 3
_FAR = 60

NAMED = (
    "versions? ver v release verzió wersj[aie] versión versione versão versionen 版本 バージョン "
    "sections? sec chapters? articles? clauses? paragraphs? figures? fig tables? appendix annex rule § §§ "
    "kapitel avsnitt paragraf artikel abschnitt ziffer tabelle abbildung chapitre sección capítulo artículo rozdział "
    "punkt pkt fejezet pont "
    "python java javascript typescript node nodejs npm php perl ruby rails golang rust kotlin scala django flask "
    "numpy pandas pytorch torch tensorflow postgres postgresql mysql mariadb sqlite redis kafka elasticsearch mongodb "
    "kubernetes k8s docker helm terraform ansible linux ubuntu debian fedora rhel centos windows macos ios ipados "
    "android chrome firefox safari openssl tls ssl http usb bluetooth oauth sdk api cuda kernel firmware gcc cmake "
    "gradle maven git \\.net dotnet"
)
"""Names, as patterns, whose number is one of parts."""


def join_fixed_groups(text: str) -> str:
    """Join digits grouped by spaces nobody puts between two numbers, which every language means as groups."""
    for space in _FIXED_SPACES:
        text = text.replace(space, "\x1f")
    return _FIXED_GROUPS.sub(_join, text) if "\x1f" in text else text


def unify(text: str, *, decimal_comma: bool, keeps_zeros: bool = False) -> str:
    """Rewrite the numbers of a text that is in NFKC, case-folded and collapsed to single spaces and line ends.

    A space before a percent, per mille or degree sign goes too. With ``keeps_zeros`` those at the end of decimals stay.
    """
    if _TWO_PARTS.search(text):
        if decimal_comma:
            text = _SPACED_GROUPS.sub(_join, text)
        elif _ENDS_SPACED_DECIMAL.search(text):
            text = _SPACED_DECIMAL.sub(_join, text)
        text = _SEPARATED.sub(partial(_read, decimal_comma=decimal_comma, keeps_zeros=keeps_zeros), text)
    return _UNIT.sub("", text) if not text.isascii() or "%" in text else text


def is_named(found: re.Match[str]) -> bool:
    """Whether a number is that of a version or of a part of a text, whose second part counts: 3.10 comes after 3.9."""
    return _named().search(found.string, max(0, found.start() - _FAR), found.start()) is not None


@cache
def _named() -> re.Pattern[str]:
    listed = r"\d[\d.]*\W{1,3}(?:[^\W\d_]{1,3} )?"
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(NAMED.split())})[^\w\n]{{0,4}}(?:{listed}){{0,8}}$", re.IGNORECASE)


def _join(found: re.Match[str]) -> str:
    return found[0].replace(" ", "").replace("\x1f", "")


def _read(found: re.Match[str], *, decimal_comma: bool, keeps_zeros: bool) -> str:
    """Read digits with separators between them as one number, if that is what they are."""
    written = found[0]
    separators = [character for character in written if character in ".,'"]
    parts = re.split("[.,']", written)
    last = separators[-1]
    if len(set(separators)) > 1:
        whole = _grouped(parts[:-1]) if len(set(separators[:-1])) == 1 and last not in separators[:-1] else None
        return written if whole is None or last == "'" else _decimal(whole, parts[-1])
    if (len(separators) > 1 or _groups_by(last, decimal_comma=decimal_comma)) and (whole := _grouped(parts)):
        return whole
    foreign_comma = last == "," and not decimal_comma and len(parts[-1]) >= _GROUP
    if len(separators) > 1 or last == "'" or foreign_comma:
        return written
    if last == "." and parts[-1][-1] == "0" and parts[-1].strip("0") and (keeps_zeros or is_named(found)):
        return written
    return _decimal(*parts)


def _groups_by(separator: str, *, decimal_comma: bool) -> bool:
    return separator == "'" or (separator == ".") == decimal_comma


def _grouped(parts: list[str]) -> str | None:
    """The digits of groups of three after a first one of one to three, None if they are no such groups."""
    first, rest = parts[0], parts[1:]
    fits = len(first) <= _GROUP and not first.startswith("0") and all(len(part) == _GROUP for part in rest)
    return "".join(parts) if fits else None


def _decimal(whole: str, fraction: str) -> str:
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
