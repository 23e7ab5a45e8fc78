"""Reading a judge's reply: the object it holds, and whether that is exactly what was asked for.

What is not is an :class:`InvalidReply` that says so; no value is converted, filled in or guessed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging import refusals, shapes
from evaluator.judging.calls import InvalidReply, Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

MOST_PROBLEMS = 12
"""How many problems of a reply a judge is told of."""

_DEEPEST = 32
_LONGEST_NAME = 40
_OPENING = re.compile(r'\{(?=\s*["}])|\[(?=\s*\{)')
_MARKS = re.compile(r'["{}\[\]]')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_HALF = re.compile(r"[\ud800-\udfff]")


def read(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object a reply holds, exactly as the schema has it.

    Raises:
        InvalidReply: it holds none, or another one.
        Refusal: it declines instead, in prose or where a value should stand.
    """
    value = _last_value(text)
    found = list(shapes.faults(schema, value))
    if any(isinstance(fault.value, str) and refusals.declines(fault.value) for fault in found):
        raise Refusal("the judge declined where a value should stand")
    refuse_invalid(fault.text for fault in found)
    return dict(value)


def refuse_invalid(problems: Iterable[str]) -> None:
    """Refuse a reply that has problems; the judge is told of the first ones, and how many more there are.

    Raises:
        InvalidReply: there are any.
    """
    said = list(dict.fromkeys(problems))
    if not said:
        return
    more = [f"there are {len(said) - MOST_PROBLEMS} more problems"] if len(said) > MOST_PROBLEMS else []
    raise InvalidReply(*said[:MOST_PROBLEMS], *more)


def refuse_declining(reasons: Iterable[str]) -> None:
    """Take a reason that is nothing but a refusal for one.

    Raises:
        Refusal: one of them is.
    """
    if any(map(refusals.is_only_a_refusal, reasons)):
        raise Refusal("the judge declined where its reason should stand")


def is_wordless(text: str) -> bool:
    """Whether a text holds no letter and no digit, and so says nothing."""
    return not any(map(str.isalnum, text))


def wrong_ids(where: str, given: Sequence[str], wanted: Collection[str]) -> list[str]:
    """Sentences on ids that did not come back, came back twice, or were not asked for."""
    counted = Counter(given)
    return [
        *(f"{where} lacks {each}" for each in wanted if each not in counted),
        *(f"{where} has {each} {times} times" for each, times in counted.items() if times > 1 and each in wanted),
        *(f"{where} has {named(each)}, which was not asked for" for each in counted if each not in wanted),
    ]


def named(text: str) -> str:
    """A word of a reply, as a sentence on it quotes it."""
    return repr(text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…")


class _Region(NamedTuple):
    """A stretch of a reply that begins as JSON does: where it ends (None if it is cut off), how deep it nests."""

    start: int
    end: int | None
    depth: int


def _last_value(text: str) -> Any:
    """The last JSON value of a reply that begins as an object or a list of objects does.

    Prose and code fences around it are passed over. The last one counts even when it is broken: an earlier draft is not
    what the judge said in the end, and what stands inside a broken one is not all that it said.
    """
    last: _Region | None = None
    while (opening := _OPENING.search(text, (last.end or 0) if last else 0)) is not None:
        last = _region(text, opening.start())
        if last.end is None:
            raise InvalidReply("the JSON object of the reply ends before it is complete")
    if last is None:
        if refusals.declines(text):
            raise Refusal("the judge declined in prose")
        raise InvalidReply("the reply holds no JSON object")
    if last.depth > _DEEPEST:
        raise InvalidReply("the JSON object of the reply is nested too deep")
    return _decoded(text[last.start : last.end])


def _region(text: str, start: int) -> _Region:
    depth = deepest = 0
    place = start
    while (found := _MARKS.search(text, place)) is not None:
        place = found.end()
        if found[0] == '"':
            string = _STRING.match(text, found.start())
            if string is None:
                break
            place = string.end()
        elif found[0] in "{[":
            depth += 1
            deepest = max(depth, deepest)
        else:
            depth -= 1
            if depth == 0:
                return _Region(start, place, deepest)
    return _Region(start, None, deepest)


def _decoded(text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refused, parse_float=_refused)
    except json.JSONDecodeError as problem:
        raise InvalidReply(
            f"the JSON object of the reply is broken: {problem.msg} at its character {problem.pos + 1}"
        ) from problem
    except ValueError as problem:
        raise InvalidReply("the JSON object of the reply has a number that is too long") from problem
    if (half := _HALF.search(json.dumps(value, ensure_ascii=False))) is not None:
        raise InvalidReply(f"the reply holds half a character, U+{ord(half[0]):04X}")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise InvalidReply(f"an object of the reply has the key {named(twice)} twice")
    return value


def _refused(number: str) -> Any:
    raise InvalidReply(f"the reply holds the number {named(number)}, where no number was asked for")
