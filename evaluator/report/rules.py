"""What became of the gate's rules: each that was added, removed or changed, instead of two whole lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.model.base import to_json
from evaluator.report.numbers import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY = "gate.rules"
DEFAULTS = "the default rules"
IDENTITY = ("metric", "per", "at")
"""What a rule is about; all else is what it says of it."""


class Changed(NamedTuple):
    """One line: what it is about, what stood there, and what stands there now."""

    key: str
    before: str
    after: str


def changed(before: Any, after: Any) -> list[Changed]:
    """The rules that differ between two values of ``gate.rules``, each None where the defaults applied.

    Values that are no rules are shown whole.
    """
    if not (_are_rules(before) and _are_rules(after)):
        return [Changed(KEY, to_json(before).decode(), to_json(after).decode())]
    found = list(_differences(before or (), after or ()))
    if before is None or after is None:
        return [Changed(KEY, _number(before), _number(after)), *found]
    return found or [Changed(KEY, "the same rules", "in another order")]


def _are_rules(value: Any) -> bool:
    return value is None or (isinstance(value, list | tuple) and all(isinstance(rule, Mapping) for rule in value))


def _number(rules: Sequence[object] | None) -> str:
    return DEFAULTS if rules is None else f"{len(rules)} written"


def _differences(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> Iterator[Changed]:
    old, new = _by_identity(before), _by_identity(after)
    for name in {**old, **new}:
        then, now = old.get(name), new.get(name)
        if then is None or now is None:
            yield Changed(f"{KEY}: {name}", _says(then), _says(now))
        elif then != now:
            keys = [key for key in {**then, **now} if then.get(key) != now.get(key)]
            yield Changed(f"{KEY}: {name}", _says(then, keys), _says(now, keys))


def _by_identity(rules: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rules by what they are about; a second one about the same is numbered."""
    found: dict[str, dict[str, Any]] = {}
    for rule in rules:
        metric, per, at = (rule.get(key) for key in IDENTITY)
        name = f"{metric} per {per or 'all'}{f' at {at}' if at not in (None, 'mean') else ''}"
        same = sum(other == name or other.startswith(f"{name} (") for other in found)
        said = {key: value for key, value in rule.items() if key not in IDENTITY and _is_set(value)}
        found[f"{name} ({same + 1})" if same else name] = said
    return found


def _is_set(value: object) -> bool:
    return value is not None and value is not False


def _says(rule: Mapping[str, Any] | None, keys: Sequence[str] | None = None) -> str:
    """What a rule says, or of some keys only; a dash where there is no rule."""
    if rule is None:
        return NOTHING
    shown = [_one(key, rule.get(key)) for key in (rule if keys is None else keys)]
    return ", ".join(shown)


def _one(key: str, value: Any) -> str:
    if value is None:
        return f"no {key}"
    if value is True:
        return key
    return f"{key} {value if isinstance(value, str) else to_json(value).decode()}"
