"""What a pipeline answered, made into an Answer or a failure that says what is wrong: one way for every kind."""

from __future__ import annotations

import math
from typing import Any, get_args

import jiter
import pydantic

from evaluator import errors
from evaluator.model.record import UNASKED, Answer, AnswerFailure, FailureKind, Hit, Reply, Step, union

MAX_REPLY = 64 * 1024 * 1024
"""Longest reply, in bytes."""

MAX_TEXT = 2_000_000
"""Longest answer, text, id or query, in characters."""

MAX_MESSAGE = 300
"""Longest failure message, in characters."""

KEYS = ("retrieved", "context", "answer", "abstained", "steps", "usage", "meta")
"""What a reply may say; every other key is ignored."""

BAD_SCORE = "scores that are no finite numbers were left out"
RISING_SCORES = "scores rise down the ranking; the order in which results were given is what counts"
BAD_USAGE = "entries of usage that are no finite numbers were left out"
BAD_META = "NaN or Infinity in meta was replaced by null"
BAD_LATENCY = "a latency_ms that is no number of at least 0 was left out"
LARGEST_LATENCY = 1e12
"""Milliseconds; no pipeline took that long, and sums of larger numbers end beyond what a float can hold."""

# Built when it is first used: most runs never do.
_HITS = pydantic.TypeAdapter(tuple[Hit, ...], config=pydantic.ConfigDict(defer_build=True))


class Invalid(ValueError):
    """A reply that cannot be used, in one sentence."""


def decode(line: bytes) -> Any:
    """A reply's JSON. NaN and Infinity are kept: whoever reads them decides.

    Raises:
        Invalid: no JSON, a duplicate key, no UTF-8 or half a surrogate pair.
    """
    try:
        return jiter.from_json(line, allow_inf_nan=True, catch_duplicate_keys=True)
    except ValueError as error:
        said = str(error)
    if "surrogate" in said or "hex escape" in said or "unicode" in said:
        raise Invalid(f"it holds characters that are no text: {said}")
    raise Invalid(f"it is not valid JSON: {said}")


def one_line(value: object) -> str:
    """A foreign message on one line, of bounded length."""
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 1]}…"


def invalid(problem: object) -> AnswerFailure:
    """The failure of a reply that cannot be used."""
    return AnswerFailure("invalid", one_line(problem))


def to_failure(value: object) -> AnswerFailure:
    """The failure that a ``{"kind", "message", "detail"?}`` states."""
    kinds: tuple[FailureKind, ...] = get_args(FailureKind)
    stated = value if isinstance(value, dict) else {}
    message, detail = stated.get("message"), stated.get("detail", "")
    for kind in kinds:
        if kind == stated.get("kind") and isinstance(message, str) and isinstance(detail, str):
            # Whether there was time to ask is for us to know; a record of an earlier run may say so.
            return AnswerFailure("error" if kind == UNASKED else kind, one_line(message), detail)
    return invalid("the reply states a failure that has no kind and message")


def to_reply(value: object, size: int) -> Reply:
    """The reply that a decoded response dict (design section 6) of ``size`` bytes stands for.

    The order of ``retrieved`` is never changed. What can be left out without changing its meaning (scores that are no
    numbers, say) is, and the answer's ``warnings`` say so.
    """
    reader = _Reader(may_hold_long_texts=size > MAX_TEXT)
    try:
        return reader.answer(value)
    except Invalid as problem:
        return AnswerFailure("invalid", one_line(problem), warnings=tuple(reader.warnings))


class _Reader:
    """Reads one response; ``warnings`` are the sentences about what was left out, each once, in order."""

    def __init__(self, *, may_hold_long_texts: bool) -> None:
        self.warnings: dict[str, None] = {}
        self._may_hold_long_texts = may_hold_long_texts

    def answer(self, value: object) -> Answer:
        if not isinstance(value, dict):
            raise Invalid(f"the reply is {_named(value)}, not an object with {', '.join(KEYS)}")
        self._look_at_keys(value)
        usage = self._usage(value.get("usage"))
        meta = self._meta(value.get("meta"))
        given = self._hits(value["retrieved"], "retrieved") if "retrieved" in value else None
        steps = self._steps(value.get("steps"))
        return Answer(
            retrieved=union(steps or ()) if given is None else given,
            context=_ids(value.get("context")),
            answer=_text(value.get("answer"), "answer"),
            abstained=_flag(value.get("abstained")),
            steps=steps,
            latency_ms=self._latency(usage, meta),
            usage=usage,
            meta=meta,
            warnings=tuple(self.warnings),
        )

    def _warn(self, sentence: str) -> None:
        self.warnings[sentence] = None

    def _look_at_keys(self, value: dict[str, Any]) -> None:
        if not any(key in value for key in KEYS):
            keys = ", ".join(value) or "nothing"
            raise Invalid(f"the reply has none of {', '.join(KEYS)}; it has {keys}")
        for key in value:
            near = errors.nearest(key, KEYS, 0.8) if key not in KEYS else ""
            if near and near not in value:
                self._warn(f"the unknown key {key!r} of the reply was ignored; {near!r} may be meant")

    def _hits(self, value: object, where: str) -> tuple[Hit, ...]:
        if not isinstance(value, list):
            raise Invalid(f"{where} is {_named(value)}, not a list of results")
        try:
            # Nearly every list is as it should be, and this looks at it many times faster than we could.
            hits = _HITS.validate_python(value)
        except pydantic.ValidationError:
            hits = tuple(self._hit(item, f"result {place} of {where}") for place, item in enumerate(value, 1))
        if self._may_hold_long_texts:
            for hit in hits:
                _text(hit.text, f"a text of {where}")
        scores = [hit.score for hit in hits if hit.score is not None]
        if scores != sorted(scores, reverse=True):
            self._warn(RISING_SCORES)
        return hits

    def _hit(self, item: object, where: str) -> Hit:
        if not isinstance(item, dict):
            raise Invalid(f"{where} is {_named(item)}, not an object with an id")
        score, doc = item.get("score"), item.get("doc")
        return Hit(
            id=_identifier(item.get("id"), f"the id of {where}"),
            doc=None if doc is None else _identifier(doc, f"the doc of {where}"),
            score=None if score is None else self._score(score),
            text=_text(item.get("text"), f"the text of {where}"),
        )

    def _score(self, value: object) -> float | None:
        number = _finite(value)
        if number is None:
            self._warn(BAD_SCORE)
        return number

    def _steps(self, value: object) -> tuple[Step, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list):
            raise Invalid(f"steps is {_named(value)}, not a list")
        return tuple(self._step(step, place) for place, step in enumerate(value, 1))

    def _step(self, value: object, place: int) -> Step:
        query = _text(value.get("query"), f"the query of step {place}") if isinstance(value, dict) else None
        if not isinstance(value, dict) or query is None:
            raise Invalid(f"step {place} is not an object with a query")
        return Step(query=query, retrieved=self._hits(value.get("retrieved", []), f"step {place}"))

    def _usage(self, value: object) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise Invalid(f"usage is {_named(value)}, not an object with numbers")
        kept = {key: number for key, number in value.items() if _finite(number) is not None}
        if len(kept) != len(value):
            self._warn(BAD_USAGE)
        return kept

    def _meta(self, value: object) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise Invalid(f"meta is {_named(value)}, not an object")
        return {key: self._finite_inside(part) for key, part in value.items()}

    def _finite_inside(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._finite_inside(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._finite_inside(part) for part in value]
        if isinstance(value, float) and not math.isfinite(value):
            self._warn(BAD_META)
            return None
        return value

    def _latency(self, usage: dict[str, Any] | None, meta: dict[str, Any] | None) -> float | None:
        """The pipeline's own measurement, taken out of where it stood: times differ between identical runs."""
        stated = [part.pop("latency_ms") for part in (usage, meta) if part and "latency_ms" in part]
        if not stated:
            return None
        number = _finite(stated[0])
        if number is None or not 0 <= number <= LARGEST_LATENCY:
            self._warn(BAD_LATENCY)
            return None
        return number


def _finite(value: object) -> float | None:
    """A finite number as it is, or None for anything else; true and false are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _identifier(value: object, where: str) -> str:
    if type(value) is int:
        return str(value)
    if not isinstance(value, str) or not value:
        raise Invalid(f"{where} is {'empty' if value == '' else _named(value)}, not a text")
    return _short(value, where)


def _ids(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise Invalid(f"context is {_named(value)}, not a list of ids")
    return tuple(_identifier(item, f"item {place} of context") for place, item in enumerate(value, 1))


def _text(value: object, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise Invalid(f"{where} is {_named(value)}, not a text")
    return None if value is None else _short(value, where)


def _short(text: str, where: str) -> str:
    if len(text) > MAX_TEXT:
        raise Invalid(f"{where} is longer than {MAX_TEXT:,} characters")
    return text


def _flag(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise Invalid(f"abstained is {_named(value)}, not true or false")
    return value


def _named(value: object) -> str:
    """A value's JSON type, as a sentence names it."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "a number")
