"""What is wrong with a configuration that no single key's type shows: what contradicts, and what comes later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from evaluator import errors
from evaluator.model.later import LATER_KEYS
from evaluator.stores import located
from evaluator.stores.located import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

NEVER_GRANTED = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_")
"""Variables that begin like this are the runner's: no pipeline sees them, whatever the configuration says."""

ADDRESSES = (
    ("judge", "base_url"),
    ("judge", "embeddings", "base_url"),
    ("pipeline", "generator", "base_url"),
)
"""Where a model's address stands."""

ABSENT: Final = object()


def later(value: dict[str, Any]) -> Iterator[Finding]:
    """Keys whose work comes in a later version."""
    for path, harmless in LATER_KEYS.items():
        written = at(value, path)
        if written is not ABSENT and written not in harmless:
            value_shown = f": {located.described(written)}" if isinstance(written, str | int | float) else ""
            instead = f" or write {located.described(harmless[0])}" if harmless[0] is not None else ""
            sentence = f"{located.spelled(path)}{value_shown} is not yet supported; leave it out{instead}"
            yield Finding(errors.NotYetSupported.slug, path, "key", sentence)


def contradictions(value: dict[str, Any]) -> Iterator[Finding]:
    """Mistakes that no single key shows."""
    if value.get("metrics") == []:
        sentence = "metrics is empty, so nothing would be measured: leave it out for the default"
        yield Finding("wrong-value", ("metrics",), "value", sentence)
    for path, read in rule_members(value, "at"):
        if read in ("p50", "p95") and at(value, (*path[:-1], "max_rise")) in (ABSENT, None):
            yield Finding("wrong-value", path, "value", f"{located.spelled(path)}: {read} is read by max_rise only")
    for path, name in indexed(value, ("pipeline", "env")):
        if isinstance(name, str) and name.upper().startswith(NEVER_GRANTED):
            shown = f"{located.spelled(path)}: '{located.visible(name)}'"
            refused = f"a pipeline sees no variable that begins with {', '.join(NEVER_GRANTED)}"
            sentence = f"{shown} is the runner's: {refused}; pass what it needs under another name"
            yield Finding("wrong-value", path, "value", sentence)
    for path, code in indexed(value, ("check", "ignore")):
        if isinstance(code, str) and code not in errors.CODES:
            hint = located.did_you_mean(code, errors.CODES)
            shown = f"{located.spelled(path)}: '{located.visible(code)}'"
            yield Finding("wrong-value", path, "value", f"{shown} is no code of check{hint}")
    yield from _unusable_patterns(value)
    yield from _about_models(value)
    yield from _telling_addresses(value)


def _about_models(value: dict[str, Any]) -> Iterator[Finding]:
    """The judge's key is no pipeline's, and only builtin has its answers written."""
    variable = at(value, ("judge", "api_key_env"))
    provider = at(value, ("judge", "provider"))
    own = variable if isinstance(variable, str) else f"{provider}_API_KEY".upper() if isinstance(provider, str) else ""
    for path, name in indexed(value, ("pipeline", "env")):
        if isinstance(name, str) and name == own:
            sentence = f"{located.spelled(path)}: '{located.visible(name)}' is the judge's key, which no pipeline sees"
            yield Finding("wrong-value", path, "value", f"{sentence}; give the pipeline a key of its own")
    kind = at(value, ("pipeline", "kind"))
    if isinstance(at(value, ("pipeline", "generator")), dict) and kind not in (ABSENT, "builtin"):
        path = ("pipeline", "generator")
        yield Finding("wrong-value", path, "key", "pipeline.generator writes the answers of kind builtin alone")


def _telling_addresses(value: dict[str, Any]) -> Iterator[Finding]:
    """Addresses that hold more than a place; what else they hold may be a secret, so it is never shown."""
    for path in ADDRESSES:
        written = at(value, path)
        if not isinstance(written, str):
            continue
        place, query, fragment = re.split(r"[?#]", written, maxsplit=1)[0], "?" in written, "#" in written
        has_user = "@" in re.split(r"[/\\]", re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:[/\\]+", "", place), maxsplit=1)[0]
        held = [("a user name", has_user), ("a query (?…)", query), ("a fragment (#…)", fragment)]
        wrong = " and ".join(name for name, is_there in held if is_there)
        if wrong:
            sentence = f"{located.spelled(path)} holds {wrong}; write the address alone, and a key into a variable"
            variable = located.spelled((*path[:-1], "api_key_env"))
            yield Finding("wrong-value", path, "value", f"{sentence} that {variable} names")


def _unusable_patterns(value: dict[str, Any]) -> Iterator[Finding]:
    path = ("citations", "pattern")
    written = at(value, path)
    if isinstance(written, str) and written:
        from evaluator.model import patterns  # noqa: PLC0415 - few configurations have one

        problem = patterns.group_problem(written, "id")
        if problem is not None:
            yield Finding("wrong-value", path, "value", f"{located.spelled(path)} {problem}")


def at(value: Any, path: located.Path) -> Any:
    """What stands at a path, ABSENT where nothing does."""
    for step in path:
        if not (isinstance(value, list) if isinstance(step, int) else isinstance(value, dict) and step in value):
            return ABSENT
        value = value[step]
    return value


def indexed(value: Any, path: located.Path) -> Iterator[tuple[located.Path, Any]]:
    """The items of the list at a path, each with its own path."""
    items = at(value, path)
    for index, item in enumerate(items if isinstance(items, list) else []):
        yield (*path, index), item


def rule_members(value: Any, key: str) -> Iterator[tuple[located.Path, Any]]:
    """A key of every gate rule that has it."""
    for path, rule in indexed(value, ("gate", "rules")):
        if isinstance(rule, dict) and key in rule:
            yield (*path, key), rule[key]
