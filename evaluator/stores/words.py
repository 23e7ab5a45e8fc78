"""What is wrong with a value, in plain words: nothing here reads a file."""

from __future__ import annotations

import inspect
import re
import typing
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import pydantic

from evaluator.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from evaluator.model.score import Metric

At: TypeAlias = Literal["key", "value"]
Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes that lead from a document to a value in it."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""What no id may hold: it could be neither printed nor written down again."""

SHOWN = 80
"""At most so many characters of somebody else's text are repeated in a message."""


MAX_COMPARED = 1000
MAX_LISTED = 25


class Finding(NamedTuple):
    """Something wrong at a path; ``at`` says whether its key or its value is to blame."""

    code: str
    path: Path
    at: At
    sentence: str


def visible(text: str, limit: int = SHOWN) -> str:
    """Foreign text that is safe to print: cut to ``limit`` characters, and what does not print is escaped."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, or all where none is near and few are known.

    Empty where names are too many or too long for the comparison to be quick.
    """
    short = [each for each in known if len(each) <= SHOWN]
    if len(name) > SHOWN or len(short) > MAX_COMPARED:
        return ""
    near = nearest(name, short)
    if near:
        return f"; did you mean '{visible(near)}'?"
    return f"; known are {', '.join(map(visible, short))}" if 0 < len(short) <= MAX_LISTED else ""


def metric_mistake(text: str, known: Mapping[str, Metric]) -> tuple[str, str] | None:
    """What is wrong with a metric as it is written: a code, and the end of a sentence that begins with its name."""
    name, mark, cutoff = text.partition("@")
    if name not in known:
        return "unknown-metric", f"is no metric{did_you_mean(name, known)}"
    if mark and known[name].cutoff == "none":
        return "wrong-value", f"has a cut-off, which {name} does not take"
    if mark and not (cutoff.isascii() and cutoff.isdigit() and not cutoff.startswith("0")):
        return "wrong-value", "has a cut-off that is no whole number above 0"
    return None


def spelled(path: Path) -> str:
    """A path as people write it: ``gate.rules[1].max_drop``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{visible(step)}" for step in path)
    return text.removeprefix(".")


def explain(error: pydantic.ValidationError, model: type[pydantic.BaseModel], value: Any) -> list[Finding]:
    """Every mistake of a value that a model refused; what several alternatives refuse is one mistake."""
    findings: dict[Any, Finding] = {}
    wanted: dict[Path, list[str]] = {}
    for detail in error.errors(include_url=False):
        path, found = _follow(detail["loc"], value)
        special = _SPECIAL.get(detail["type"])
        if special:
            finding = special(detail, path, model)
            findings[finding] = finding
        else:
            phrases = wanted.setdefault(path, [])
            phrases.extend({_expected(detail, path)} - set(phrases))
            findings[path] = Finding("wrong-value", path, "value", _must_be(path, phrases, found))
    # A missing field is often the consequence of a misspelt one, so that one comes first.
    return sorted(findings.values(), key=lambda finding: finding.code == "missing-field")


def _follow(location: tuple[str | int, ...], value: Any) -> tuple[Path, Any]:
    """The part of an error's location that is in the value (the rest names alternatives), and what is there."""
    path: list[str | int] = []
    for step in location:
        inside = step in value if isinstance(value, dict) else isinstance(value, list) and isinstance(step, int)
        if not inside:
            break
        path.append(step)
        value = value[step]
    return tuple(path), value


def _missing(detail: Any, path: Path, _: type[pydantic.BaseModel]) -> Finding:
    where = f"{spelled(path)}: " if path else ""
    return Finding("missing-field", path, "value", f"{where}field '{detail['loc'][-1]}' is missing")


def _unknown(_: Any, path: Path, model: type[pydantic.BaseModel]) -> Finding:
    name = str(path[-1])
    hint = did_you_mean(name, _model_at(model, path[:-1]).model_fields)
    where = f" in {spelled(path[:-1])}" if len(path) > 1 else ""
    return Finding("unknown-field", path, "key", f"unknown field '{visible(name)}'{where}{hint}")


def _said_by_the_model(detail: Any, path: Path, _: type[pydantic.BaseModel]) -> Finding:
    where = f"{spelled(path)}: " if path else ""
    return Finding("wrong-value", path, "value", where + visible(str(detail["ctx"]["error"]), 3 * SHOWN))


_SPECIAL: dict[str, Callable[[Any, Path, type[pydantic.BaseModel]], Finding]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "value_error": _said_by_the_model,
}


def _model_at(model: type[pydantic.BaseModel], path: Path) -> type[pydantic.BaseModel]:
    for step in path:
        field = model.model_fields.get(step) if isinstance(step, str) else None
        if field is not None:
            model = [*_models(field.annotation), model][0]
    return model


def _models(annotation: Any) -> Iterator[type[pydantic.BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, pydantic.BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)


def _must_be(path: Path, phrases: list[str], value: Any) -> str:
    quotes = " (put it in quotes)" if "text" in phrases and type(value) in {int, float, bool} else ""
    subject = spelled(path) or "this"
    return f"{subject} must be {' or '.join(phrases)}, not {described(value)}{quotes}"


def described(value: Any) -> str:
    """A value of somebody else's, named in a few words."""
    if isinstance(value, str):
        return f"'{visible(value)}'" if value else "empty text"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    names = {None: "null", True: "true", False: "false"}
    return names[value] if value is None or isinstance(value, bool) else visible(str(value))


_PHRASES = {
    "bool_type": "true or false",
    "date_from_datetime_inexact": "a date such as 2030-12-31",
    "date_from_datetime_parsing": "a date such as 2030-12-31",
    "date_type": "a date such as 2030-12-31",
    "dict_type": "a mapping",
    "finite_number": "a finite number",
    "float_type": "a number",
    "greater_than": "greater than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_type": "a mapping of fields",
    "none_required": "null",
    "string_too_long": "at most {max_length} characters long",
    "string_too_short": "text that is not empty",
    "string_type": "text",
    "too_short": "a list that is not empty",
    "tuple_type": "a list",
}

_FORMS = {"target": "text such as 'app.rag:answer'", "max_rise": "text such as '20%'"}
"""Fields whose text must have a certain form, with an example of it."""


def _expected(detail: Any, path: Path) -> str:
    if detail["type"] == "string_pattern_mismatch":
        return _FORMS.get(str(path[-1]), f"text that matches {detail['ctx']['pattern']}")
    return _PHRASES.get(detail["type"], "another kind of value").format(**detail.get("ctx", {}))
