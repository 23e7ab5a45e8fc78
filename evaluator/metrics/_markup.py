"""Text without the marks that only say how it looks: emphasis, code, line breaks and entities of Markdown and HTML.

What is not surely such a mark stays: one without its other half, and one that would join two words or numbers
(``2*3*4``). Within code nothing is markup.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from evaluator.metrics._scripts import is_unspaced

_TAGS = "abbr|b|bdi|big|cite|code|em|font|i|ins|kbd|mark|q|samp|small|span|strong|tt|u|var"
"""Elements that say how their text looks."""

_FAR = 2000
"""Characters that emphasis and code take at most."""

_RAISED = str.maketrans("0123456789+-", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b")


class Cut(NamedTuple):
    """A part of a text that is left out, and what stands there instead."""

    start: int
    end: int
    instead: str


class Unmarked(NamedTuple):
    """A text without its marks, and where its parts come from.

    Attributes:
        text: what is left.
        cuts: what is not, in order.
    """

    text: str
    cuts: tuple[Cut, ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of what is left stands in the text with its marks."""
        gone = 0
        first, last = start, end
        for cut in self.cuts:
            at, length = cut.start - gone, len(cut.instead)
            gone += cut.end - cut.start - length
            if at + length <= start:
                first = start + gone
            if at < end and at + length <= end:
                last = end + gone
        return first, last


def unmarked(text: str) -> str:
    """A text without its marks."""
    return _joined(text, _cuts(text)) if _may_have_marks(text) else text


def read_unmarked(text: str) -> Unmarked:
    """A text without its marks, with the places that were left out."""
    cuts = _cuts(text) if _may_have_marks(text) else []
    return Unmarked(_joined(text, cuts), tuple(cuts))


def _may_have_marks(text: str) -> bool:
    if "``" in text and "''" in text:
        # Corpora write all quotation marks like that: then two backticks are no mark of code.
        text = text.replace("``", "")
    return "*" in text or "_" in text or "`" in text or "&" in text or "<" in text


def _joined(text: str, cuts: list[Cut]) -> str:
    if not cuts:
        return text
    ends = [0, *(cut.end for cut in cuts)]
    kept = (text[end : cut.start] + cut.instead for end, cut in zip(ends, cuts, strict=False))
    return "".join(kept) + text[ends[-1] :]


def _cuts(text: str) -> list[Cut]:
    """Every mark of a text; halves that belong together are looked for within a paragraph."""
    found: list[Cut] = []
    opened: dict[str, tuple[int, int]] = {}
    code = 0
    for mark in _marks().finditer(text):
        start, end = mark.span()
        if start < code:
            continue
        kind = mark.lastgroup
        if kind == "paragraph":
            opened.clear()
        elif kind == "code":
            close = text.find(mark[0], end, end + _FAR)
            if close >= 0 and not _parts_code(text, mark[0], end, close):
                code = close + len(mark[0])
                found += [Cut(start, end, ""), Cut(close, code, "")]
        elif kind == "emphasis":
            _pair(text, mark[0], mark.span(), opened, found)
        elif kind == "tag":
            name = mark["name"].lower()
            if not mark["close"]:
                opened[name] = (start, end)
            elif name in opened:
                found += [Cut(*opened.pop(name), ""), Cut(start, end, "")]
        else:
            found.append(Cut(start, end, _instead(mark)))
    found = sorted(found)
    return [each for each, after in pairwise([*found, Cut(len(text) + 1, 0, "")]) if each.end <= after.start]


def _parts_code(text: str, mark: str, start: int, end: int) -> bool:
    """Whether what stands between two marks of code is none."""
    inside = text[start:end]
    if not inside.strip() or text[end + len(mark) : end + len(mark) + 1] == "`" or "\n\n" in inside:
        return True
    # Corpora write quotation marks as ``these'' or `` these ''.
    return len(mark) == len("``") and ("''" in inside or (inside[0].isspace() and "`" not in inside))


def _pair(text: str, mark: str, place: tuple[int, int], opened: dict[str, tuple[int, int]], found: list[Cut]) -> None:
    """Note two signs of emphasis that belong together, or the first of two."""
    before, after = text[: place[0]][-1:], text[place[1] : place[1] + 1]
    if _is_within_word(before, after):
        return
    closes = before != "" and not before.isspace() and (mark[0] != "_" or not after.isalnum() or is_unspaced(after))
    if closes and mark in opened:
        first = opened.pop(mark)
        if place[0] - first[1] <= _FAR:
            found += [Cut(*first, ""), Cut(*place, "")]
            return
    if after != "" and not after.isspace():
        opened[mark] = place


def _is_within_word(before: str, after: str) -> bool:
    """Whether nothing would part two words or numbers without what stands between them."""
    if not (before.isalnum() and after.isalnum()):
        return False
    return not (is_unspaced(before) or is_unspaced(after)) or (before.isdigit() and after.isdigit())


def _instead(mark: re.Match[str]) -> str:
    if mark.lastgroup == "raised":
        return mark["power"].translate(_RAISED)
    if mark.lastgroup == "entity":
        import html  # noqa: PLC0415 - its tables of names are large, and few texts have any

        return html.unescape(mark[0])
    return "\n" if mark.lastgroup == "line" else ""


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(
        r"(?P<paragraph>\n[^\S\n]*\n)|(?<!\\)(?P<code>`+)|(?<!\\)(?P<emphasis>(?<!\*)\*{1,3}(?!\*)|(?<!_)_{1,3}(?!_))"
        rf"|(?P<raised><sup>(?P<power>[+-]?[0-9]{{1,4}})</sup>)|(?P<line><br ?/?>)"
        rf"|(?P<tag><(?P<close>/?)(?P<name>{_TAGS})(?:\s[^<>]{{0,500}})?>)"
        r"|(?P<entity>&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)",
        re.IGNORECASE,
    )
