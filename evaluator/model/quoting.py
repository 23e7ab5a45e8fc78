"""Passages as they are compared: one form for texts that differ only in how they are set (design section 4, ``quote``).

Three steps. :func:`folded` unifies characters, :func:`spaced` takes the markup away and leaves words with one space
between them, :func:`dense` takes the spaces away, so that it does not matter where lines and words were broken. Two
numbers stay apart in every step: ``1 5`` is not ``15``, and a sign or a decimal point is never lost.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

CUT = "\x00"
"""Parts texts that are brought into their form together; no text holds it once it is folded."""

GAP = b"\x01"
"""Stands in a dense text where something parted two digits."""

_SET = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    **dict.fromkeys("\u2014\u2015", " - "),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict.fromkeys("\u0085\u2028\u2029", "\n"),
    **dict.fromkeys("\u2022\u2023\u25aa\u25cf\u25e6", " "),
}
"""Typographic characters and how a typewriter would set them; bullets say nothing."""

_DROPPED = bytes.maketrans(b'\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x01"*_|\\`', b" " * 16)

_TAGS = (
    "a|abbr|b|big|blockquote|br|caption|center|cite|code|col|colgroup|dd|del|details|div|dl|dt|em|figcaption|figure|"
    "font|footer|h[1-6]|header|hr|i|img|ins|kbd|li|main|mark|nav|ol|p|pre|q|s|samp|section|small|span|strike|strong|"
    "sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|wbr"
)


class _Patterns(NamedTuple):
    """What markup looks like. Nothing is looked for beyond a bounded distance: texts are foreign data."""

    typography: re.Pattern[str]
    raised: re.Pattern[str]
    tag: re.Pattern[str]
    entity: re.Pattern[str]
    link: re.Pattern[str]
    reference: re.Pattern[str]
    address: re.Pattern[str]
    footnote: re.Pattern[str]
    fence: re.Pattern[str]
    closing: re.Pattern[str]
    rule: re.Pattern[str]
    mark: re.Pattern[str]
    spaces: re.Pattern[bytes]
    hyphen: re.Pattern[bytes]


@cache
def _patterns() -> _Patterns:
    # Compiled when a quote is first met: most golden sets have none.
    letter = rb"[a-z\x80-\xff]"
    return _Patterns(
        typography=re.compile(f"[{''.join(_SET)}]"),
        raised=re.compile("(?<=[0-9])(?=[⁰¹²³⁴-⁹])"),
        tag=re.compile(rf"<(?:/?(?:{_TAGS})(?:\s[^<>{CUT}]{{0,1000}}+)?/?|!--[^<>{CUT}]{{0,1000}}+(?<=--))>"),
        entity=re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});"),
        link=re.compile(
            rf"!?\[([^\[\]{CUT}]{{1,1000}}+)\]\([^(){CUT}]{{0,1000}}+(?:\([^(){CUT}]{{0,1000}}+\)[^(){CUT}]{{0,1000}}+)?\)"
        ),
        # The label begins with a letter: what two numbers in brackets mean, nobody can tell.
        reference=re.compile(rf"(?<![\w\]])!?\[([^\W\d_][^\[\]{CUT}]{{0,1000}}+)\]\[[^\[\]{CUT}]{{0,200}}+\]"),
        address=re.compile(
            rf"<((?:https?|ftp|mailto):[^\s<>{CUT}]{{1,1000}}+|[^\s<>@{CUT}]{{1,64}}+@[^\s<>@{CUT}]{{1,255}}+)>"
        ),
        footnote=re.compile(r"\[\^\w[\w-]{0,50}+\]:?"),
        fence=re.compile(
            # A fence that ends its text opens nothing, wherever that text is put before another.
            r"\n[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+[\w+#.:-]{0,30}+(?:[ \t]*+\{[^\n{}]{0,80}+\})?[ \t]*+"
            rf"(?=\n(?!{CUT}))"
        ),
        closing=re.compile(
            rf"(\n[ \t]*+\#{{1,6}}+[ \t][^\n{CUT}]{{0,1000}}?)(?<![ \t])[ \t]++\#++[ \t]*+(?=[\n{CUT}]|\Z)"
        ),
        rule=re.compile(rf"\n[ \t]*+[-=+:|*_~][-=+:|*_~ \t]*+(?=[\n{CUT}]|\Z)"),
        mark=re.compile(r"\n[ \t]*+(?:(?:[-+*]|\#{1,6}+|>(?![ \t]*[0-9]))[ \t]++)+"),
        spaces=re.compile(rb"  +"),
        hyphen=re.compile(rb"-(?:(?<=%b-)|(?<=%b -)) ?(?=%b)" % (letter, letter, letter)),
    )


def folded(text: str) -> str:
    """A text without differences of case, width, composition and typography; its lines stay."""
    if text.isascii():
        return text.lower().replace(CUT, " ")
    text = _patterns().typography.sub(lambda found: _SET[found[0]], text)
    # 10² is not 102: composition would set the power beside the digits.
    text = _patterns().raised.sub("^", text)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return text.replace(CUT, " ")


def spaced(text: str) -> bytes:
    """UTF-8 of a folded text without Markdown, HTML and quotation marks, hyphens between letters included.

    Words have one space between them. Several texts may be given at once, with a line end, :data:`CUT` and a line end
    between them; they keep the cut, a space beside it, and each is else as it would be alone.
    """
    text = _without_markup(f"\n{text}")
    found = text.encode("utf-8", "replace").translate(_DROPPED)
    if b"--" in found:
        found = re.sub(rb"--+", b" - ", found)
    found = _patterns().spaces.sub(b" ", found)
    if b"-" in found:
        found = _patterns().hyphen.sub(b"", found)
    return found.strip(b" ")


def _without_markup(text: str) -> str:
    """Only what is there is looked for: each test is a fraction of a pattern's time."""
    patterns = _patterns()
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<" in text:
        text = patterns.tag.sub(" ", patterns.address.sub(r" \1 ", text))
    if "&" in text:
        text = patterns.entity.sub(_unescaped, text)
    if "](" in text:
        text = patterns.link.sub(r" \1 ", text)
    if "][" in text:
        text = patterns.reference.sub(r" \1 ", text)
    if "[^" in text:
        text = patterns.footnote.sub(" ", text)
    if "```" in text or "~~~" in text:
        text = patterns.fence.sub("\n", text)
    if "#" in text:
        text = patterns.closing.sub(r"\1", text)
    text = patterns.mark.sub("\n", patterns.rule.sub("\n", text))
    for pair in ("''", "~~"):
        text = text.replace(pair, " ")
    return text


def _unescaped(found: re.Match[str]) -> str:
    import html  # noqa: PLC0415 - its table of names is loaded for texts that need it

    return folded(html.unescape(found[0]))


def dense(text: bytes) -> bytes:
    """A spaced text without its spaces, a :data:`GAP` where one stood between two digits."""
    digits = text.translate(_AS_ZERO)
    place = digits.find(b"0 0")
    if place >= 0:
        marked = bytearray(text)
        while place >= 0:
            marked[place + 1 : place + 2] = GAP
            place = digits.find(b"0 0", place + 2)
        text = bytes(marked)
    return text.translate(None, b" ")


_AS_ZERO = bytes.maketrans(b"123456789", b"0" * 9)


@lru_cache(maxsize=8192)
def normal_form(quote: str) -> str:
    """What makes two quotes the same; empty for one without a letter or digit, which no text could be known by."""
    form = dense(spaced(folded(quote))).decode("utf-8", "replace")
    return form if any(map(str.isalnum, form)) else ""
