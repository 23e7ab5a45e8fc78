"""The map from a foreign reply to ours: JMESPath expressions, and what is wrong with them before any reply is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import errors, registry
from evaluator.model.counting import counted
from evaluator.model.ports import Mistake
from evaluator.pipelines._reply import KEYS, Invalid, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EXTRA = "http"


class Fields:
    """A map from a foreign reply to ours: JMESPath expressions by the key that each gives."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self._written = written
        self._expressions: dict[str, Any] = {}
        if written:
            library = registry.library("jmespath", EXTRA)
            self._failed = library.exceptions.JMESPathError
            self._expressions = {key: library.compile(text) for key, text in written.items()}

    def read(self, value: Any) -> Any:
        """Our reply.

        Raises:
            Invalid: an expression cannot be applied, or there is nothing where the results should be.
        """
        if not self._expressions:
            return value
        found = {}
        for key, expression in self._expressions.items():
            try:
                found[key] = expression.search(value)
            except (self._failed, TypeError, ValueError, ArithmeticError, RecursionError) as error:
                raise Invalid(f"fields.{key} cannot be applied to the reply: {error}") from None
        if "retrieved" in found and found["retrieved"] is None:
            raise Invalid(f"fields.retrieved finds nothing in the reply: {self._written['retrieved']}")
        return {key: part for key, part in found.items() if part is not None or key == "answer"}


def mistakes(written: Mapping[str, str]) -> Iterator[Mistake]:
    """What is wrong with a map whatever a reply holds."""
    if not written:
        return
    library = registry.library("jmespath", EXTRA)
    for key, expression in written.items():
        if key not in KEYS:
            near = errors.nearest(key, KEYS)
            yield Mistake(
                ("fields", key),
                f"a reply has no '{key}'" + (f"; did you mean '{near}'?" if near else f", but {', '.join(KEYS)}"),
            )
        try:
            parsed = library.compile(expression).parsed
        except (library.exceptions.JMESPathError, ValueError, RecursionError) as error:
            yield Mistake(("fields", key), f"it is no JMESPath expression: {one_line(error)}")
            continue
        table = library.functions.Functions.FUNCTION_TABLE
        yield from (Mistake(("fields", key), sentence) for sentence in _inapplicable(parsed, table))
    if not {"retrieved", "answer"} & written.keys():
        yield Mistake(("fields",), "it gives neither retrieved nor answer, so there would be nothing to measure")


def _inapplicable(node: Any, table: Mapping[str, Any]) -> Iterator[str]:
    """What no reply could be given to, in a parsed expression and all of its parts.

    JMESPath looks functions up when it applies them, so a parser alone takes any name.
    """
    if not isinstance(node, dict):
        return
    children = node.get("children", ())
    if node.get("type") == "slice" and children[2] == 0:
        yield "the step of a slice cannot be 0"
    if node.get("type") == "function_expression":
        name = node["value"]
        if name not in table:
            near = errors.nearest(name, table)
            hint = f"did you mean {near}()?" if near else f"there are {', '.join(table)}"
            yield f"JMESPath has no function {name}(); {hint}"
        else:
            yield from _misused(name, table[name]["signature"], children)
    for child in children:
        yield from _inapplicable(child, table)


def _misused(name: str, signature: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    endless = bool(signature and signature[-1].get("variadic"))
    if len(given) < len(signature) or (len(given) > len(signature) and not endless):
        least = "at least " if endless else ""
        yield f"{name}() takes {least}{counted(len(signature), 'argument')}, and there are {len(given)}"
        return
    for number, (expected, argument) in enumerate(zip(signature, given, strict=False), 1):
        wanted, got = expected["types"] == ["expref"], argument["type"] == "expref"
        if wanted and not got:
            yield f"argument {number} of {name}() is an expression behind an &, as in {_example(name)}"
        elif got and not wanted and expected["types"]:
            yield f"argument {number} of {name}() is a value, so nothing with an & before it"


def _example(name: str) -> str:
    return f"{name}(&id, hits)" if name == "map" else f"{name}(hits, &score)"
