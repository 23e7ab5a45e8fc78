"""Judged text as data: between lines that carry a random word, so that nothing in it can end or begin such a block.

    <<3f9c0a1b2c3d4e5f chunk c1>>
    the text
    <<3f9c0a1b2c3d4e5f end>>

The word is drawn anew and never stands in what is judged. Text that looks like such a line is made to look otherwise,
and what nobody sees is left out: an order written in invisible characters is read by models.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.model.base import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

LAYOUT = 1
"""Counts the ways in which data has been laid out in messages: it is a part of what identifies a prompt."""

_APART = "\u200a"
_OPENING = "<\u2039\u00ab\u226a\u22d8\u27e8\u27ea\u2329\u276e\u2770\u3008\u300a\ufe64\uff1c"
_CLOSING = ">\u203a\u00bb\u226b\u22d9\u27e9\u27eb\u232a\u276f\u2771\u3009\u300b\ufe65\uff1e"
_RUN = re.compile(
    rf"[{_OPENING}](?=[^\S\u200a]*[{_OPENING}])|[{_CLOSING}](?=[^\S\u200a]*[{_CLOSING}])"
    rf"|[{_OPENING[1:]}{_CLOSING[1:]}](?=[^\S\u200a]*[0-9A-Fa-f]{{8}})"
)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SHAPED = rf"[^\x00-\x7f{_OPENING[1:]}{_CLOSING[1:]}\u200c\u200d\ufe0e\ufe0f]"
_SHAPES_NOTHING = re.compile(
    rf"(?<!{_SHAPED})(?<!\ufe0f)[\u200c\u200d]|[\u200c\u200d](?!{_SHAPED})|(?<!{_SHAPED})[\ufe0e\ufe0f](?!\u20e3)"
)
"""Joiners and selectors where no visible characters can be joined by them: between Latin letters they hide bits."""
_LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_HALF = re.compile(r"[\ud800-\udfff]")


class Datum(NamedTuple):
    """A block of data: what the fence calls it, and the text."""

    name: str
    text: str


def clean(text: str) -> str:
    """A text as a judge is shown it: no fence in it, nothing invisible, line ends alike."""
    seen = _HALF.sub("\ufffd", _UNSEEN.sub("", _LINE_END.sub("\n", text)))
    seen = seen if seen.isascii() else _SHAPES_NOTHING.sub("", seen)
    return _RUN.sub(lambda found: found[0] + _APART, seen)


def is_blank(text: str) -> bool:
    """Whether a judge would see nothing of a text."""
    return not clean(text).strip()


def block(delimiter: str, data: Sequence[Datum]) -> str:
    """The data of a message, each text fenced.

    Raises:
        ValueError: the delimiter stands in a text, which would let that text end its block.
    """
    texts = [(datum.name, clean(datum.text)) for datum in data]
    if any(delimiter in text for _, text in texts):
        raise ValueError("the delimiter stands in what it is to fence")
    return "\n".join(f"<<{delimiter} {name}>>\n{text}\n<<{delimiter} end>>" for name, text in texts)


def listed(items: Iterable[tuple[str, str]]) -> str:
    """Texts with their ids, a JSON object a line: no text can pass for another one or take its id."""
    return "\n".join(to_json({"id": each, "text": clean(text)}).decode() for each, text in items)


def turns(said: Iterable[tuple[str, str]]) -> str:
    """Earlier turns as a JSON object a line: none can pass for two."""
    return "\n".join(to_json({"role": role, "content": clean(content)}).decode() for role, content in said)


def delimiter(given: Mapping[str, Any], draw: Callable[[], str] = lambda: secrets.token_hex(8)) -> str:
    """A random word of 16 hexadecimal digits that stands nowhere in what a call is about."""
    texts = [clean(text).casefold() for text in _strings(given)]
    drawn = draw()
    while any(drawn in text for text in texts):
        drawn = draw()
    return drawn


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)
    elif hasattr(value, "items"):
        for key, each in value.items():
            yield key
            yield from _strings(each)
