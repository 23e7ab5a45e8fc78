"""The sentences of an answer, numbered so that none of them can be passed over when its claims are taken.

Nothing of the answer is lost, and a sentence is rather too long than cut in two: what a judge is to find in a sentence
it finds as well in two that were left together, but a "not" or a number cut away from its words could mislead it. List
items, table rows and headings stand for themselves; a block of code is one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FENCE = re.compile(r"\s*(```+|~~~+)")
_ITEM = re.compile(
    r"\s*(?:[-*+•·‣–]\s|\(?(?:\d{1,3}|[a-z])[.)]\s|#{1,6}\s|\||[（(]?[一二三四五六七八九十]{1,3}[）)、])"
)
_WIDE = 60
"""From how many characters on a line without an end may be wrapped text; half as many in scripts without spaces."""

_NEAR = 80
"""How many characters before and after a stop are looked at."""

_UNSPACED = re.compile("[\u3041-\u9fff\uac00-\ud7ff\uff01-\uff60]")
_CLOSING = r"[\"'\u2019\u201d\u00bb\u203a)\]}*_\u300d\u300f\u300b\u3011\uff09]*+"
_CITED = r"(?:[ \t]?\[[^\]\n]{1,80}\](?!\())*+"
_END = re.compile(
    rf"(?P<full>[。！？｡]++(?P<quote>[\u201d\u2019\"」』）\)]*){_CITED})"
    rf"|(?<![.!?…।॥؟۔።։])(?P<sign>[.!?…।॥؟۔።։]++){_CLOSING}{_CITED}(?=\s)"
)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_WORD_BEFORE = re.compile(r"[\w.&'\u2019-]+\Z")
_DOTTED = re.compile(r"[^\W\d_]{1,3}(?:\.[^\W\d_]{1,3})+")
_LINE_START = re.compile(r"\s*[(\[*_>#]*\s*\Z")

_ALWAYS = frozenset(
    re.findall(
        r"\w+",
        "mr mrs ms dr drs prof st rev hon gen col capt cpl cmdr maj lt sgt gov sen rep jr sr vs approx incl excl cf "
        "dipl ing hr fr ca cca kb ung resp bzw ggf evtl inkl exkl zzgl vgl sog dvs jfr tel pl ún özv ifj np tj tzn tzw "
        "ul al św im godz min mgr inż mm jan feb mar apr jun jul aug sep sept okt oct nov dec dez",
    )
)
"""Abbreviations that a sentence hardly ever ends with, in the languages we have prompts in."""

_BEFORE_NUMBERS = frozenset(
    re.findall(
        r"\S+",
        "no nos nr art arts fig figs sec secs ch chap vol p pp eq par paras abs pkt ust poz str kap sid tab bd rz s st "
        "sz bek §",
    )
)
_ORDINALS = frozenset({"cs", "da", "de", "fi", "hr", "hu", "no", "nb", "pl", "sk", "sl"})
"""Languages that write "3rd" as "3."."""

_ORDINAL_DAYS = frozenset(map(str, range(1, 32)))


def sentences(text: str, language: str) -> tuple[str, ...]:
    """The sentences of a text, each without white space around it; none only where the text is blank.

    Every character that is no white space is in exactly one of them, in order. What has neither letter nor digit stays
    with what is before it.
    """
    primary = language.lower().partition("-")[0]
    pieces = (piece for segment in _segments(text) for piece in _cut(segment, primary))
    return tuple(_with_words(pieces))


def _segments(text: str) -> Iterator[str]:
    """Paragraphs, list items, rows, headings and blocks of code."""
    held: list[str] = []
    fence: str | None = None
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence is not None:
            held.append(line)
            if mark and mark[1].startswith(fence) and not line.strip(" \t`~"):
                fence = None
                yield "\n".join(held)
                held = []
            continue
        if held and (mark or _begins_anew(held[-1], line)):
            yield "\n".join(held)
            held = []
        fence = mark[1] if mark else None
        if line.strip():
            held.append(line)
    yield "\n".join(held)


def _begins_anew(before: str, line: str) -> bool:
    if not line.strip() or _ITEM.match(line) or re.match(r"\s*(?:#|\|)", before):
        return True
    ended, start = before.rstrip(), line.lstrip()[0]
    if start.islower():
        return False
    width = _WIDE // 2 if _UNSPACED.search(ended) else _WIDE
    return len(ended) < width or ended[-1] in ".!?:;…。！？：；"


def _cut(segment: str, language: str) -> Iterator[str]:
    if _FENCE.match(segment) or segment.lstrip().startswith("|"):
        yield segment
        return
    code = iter([*(found.span() for found in _CODE.finditer(segment)), (len(segment), len(segment))])
    first, last = next(code)
    start = 0
    for found in _END.finditer(segment):
        while last <= found.start():
            first, last = next(code)
        if found.start() < first and _ends(segment, found, start, language):
            yield segment[start : found.end()]
            start = found.end()
    yield segment[start:]


def _ends(segment: str, found: re.Match[str], start: int, language: str) -> bool:
    rest = segment[found.end() : found.end() + _NEAR].lstrip()
    if not rest:
        # Blank up to the end, or blank for so long that nothing belongs together across it.
        return len(segment) > found.end() + _NEAR
    if found["full"]:
        # “好。”他说: what was said and who said it are one sentence.
        return not found["quote"] or segment[found.end()].isspace() or not rest[0].isalpha()
    opened = rest.lstrip("\"'\u201c\u201e\u2018\u00ab([*_`")
    if opened[:1].islower():
        return False
    near = max(start, found.start() - _NEAR)
    return found["sign"] != "." or not _is_abbreviated(segment[near : found.start()], opened, language)


def _is_abbreviated(before: str, after: str, language: str) -> bool:
    """Whether a full stop belongs to the word before it and may well not end the sentence."""
    found = _WORD_BEFORE.search(before)
    if found is None:
        return False
    word = found[0].strip("'\u2019-").casefold()
    if word.isdecimal():
        is_item = _LINE_START.match(before[: found.start()]) is not None
        return is_item or (language in _ORDINALS and word in _ORDINAL_DAYS)
    if word in _BEFORE_NUMBERS and after[:1].isdecimal():
        return True
    is_letter = len(word) == 1 and word.isalpha() and (found[0].isupper() or word != "i")
    return is_letter or word in _ALWAYS or _DOTTED.fullmatch(word) is not None


def _with_words(pieces: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    spoken = False
    for piece in pieces:
        if not piece.strip():
            continue
        has_words = any(map(str.isalnum, piece))
        if spoken and has_words:
            yield "\n".join(held).strip()
            held, spoken = [], False
        held.append(piece)
        spoken = spoken or has_words
    if held:
        yield "\n".join(held).strip()
