"""Which JSON Schemas the providers take for structured output: what they refuse is refused in their words."""

from __future__ import annotations

from typing import Any

DEEPEST = 10
NEVER = (
    "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties",
    "unevaluatedProperties", "propertyNames", "contains", "uniqueItems", "prefixItems", "default",
)  # fmt: skip
BOUNDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems",
    "minProperties", "maxProperties", "pattern",
)  # fmt: skip
"""What the second provider refuses beside the others (``minItems`` of 0 and 1 it takes)."""


def openai_problem(schema: Any) -> str | None:
    """What a strict response format is refused for."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "schema must be a JSON Schema of 'type: \"object\"'"
    return _problem(schema, (), strict=True)


def anthropic_problem(schema: Any) -> str | None:
    """What an output format is refused for: properties may be optional there, bounds are not taken."""
    if not isinstance(schema, dict):
        return "schema: Input should be a valid dictionary"
    return _problem(schema, (), strict=False)


def _problem(schema: dict[str, Any], path: tuple[str, ...], *, strict: bool) -> str | None:  # noqa: PLR0911 - a rule a line
    where = f"In context={path}, "
    if len([each for each in path if each in ("properties", "items")]) > DEEPEST:
        return f"{where}nesting is too deep"
    for keyword in (*NEVER, *(() if strict else BOUNDS)):
        if keyword in schema:
            return f"{where}'{keyword}' is not permitted."
    if "anyOf" in schema:
        if not path:
            return f"{where}'anyOf' is not permitted at the root."
        return _first(_problem(each, (*path, "anyOf"), strict=strict) for each in schema["anyOf"])
    if "type" not in schema and "enum" not in schema and "$ref" not in schema:
        return f"{where}schema must have a 'type' key."
    if schema.get("type") == "object":
        return _of_object(schema, path, where, strict=strict)
    if schema.get("type") == "array":
        if "items" not in schema:
            return f"{where}array schema missing items."
        return _problem(schema["items"], (*path, "items"), strict=strict)
    return None


def _of_object(schema: dict[str, Any], path: tuple[str, ...], where: str, *, strict: bool) -> str | None:
    if schema.get("additionalProperties") is not False:
        return f"{where}'additionalProperties' is required to be supplied and to be false."
    properties = schema.get("properties", {})
    if strict and set(schema.get("required", ())) != set(properties):
        return (
            f"{where}'required' is required to be supplied and to be an array including every key in properties. "
            f"Differing: {sorted(set(properties) ^ set(schema.get('required', ())))}."
        )
    return _first(_problem(each, (*path, "properties", name), strict=strict) for name, each in properties.items())


def _first(problems: Any) -> str | None:
    return next((each for each in problems if each is not None), None)
