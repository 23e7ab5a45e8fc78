"""GitHub's own description of its API: whether a request and its answer are what it documents.

The description (npm package @octokit/openapi) is put beside the linters by ``make e2e`` and is never committed.
Without it nothing is checked here, and the fake's own rules alone hold.
"""

from __future__ import annotations

import functools
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

FILE = Path(__file__).parents[3] / ".venv-action" / "openapi" / "package" / "generated" / "api.github.com.json"
EVERYWHERE = {401, 403, 404, 422, 429, 500, 502, 503, 504}
"""Statuses that every endpoint may answer, whatever is listed for it: bad credentials, no permission or a limit, a
repository that is hidden, a value that is not valid, a server that fails."""

DELETED = ("pull-request", "pull-request-simple")
"""Here ``head.repo`` is null where the fork was deleted and ``head.user`` where its owner was. Not described."""

WITH_SLASHES = {"path", "ref", "basehead"}
"""Parts of a path that hold a branch or a file."""

COMBINED = ("allOf", "anyOf", "oneOf")
SHOWN = 200
FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("date-time", raises=ValueError)
def _is_time(value):
    return not isinstance(value, str) or (value.endswith("Z") and datetime.fromisoformat(value) is not None)


@functools.cache
def load() -> Description | None:
    """The description, read once; None where it is not installed."""
    return Description(json.loads(FILE.read_bytes())) if FILE.is_file() else None


class Description:
    """What is documented."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        for name in DELETED:
            head = self._schema(name)["properties"]["head"]["properties"]
            head.update({key: {"nullable": True, "allOf": [head[key]]} for key in ("repo", "user")})
        self._paths = [(_pattern(path), methods) for path, methods in document["paths"].items()]
        self._validators: dict[str, jsonschema.Draft202012Validator] = {}

    def operation(self, method: str, path: str) -> dict[str, Any] | None:
        """What is documented of a method and a path without a query: of several, the path that says most."""
        found = [(pattern, methods) for pattern, methods in self._paths if pattern.fullmatch(path)]
        fitting = [(pattern, methods[method.lower()]) for pattern, methods in found if method.lower() in methods]
        said = [len(pattern.pattern) - 8 * pattern.groups for pattern, _ in fitting]
        return fitting[said.index(max(said))][1] if fitting else None

    def mistakes_of_request(self, method: str, path: str, query: dict[str, str], body: Any) -> list[str]:
        """What a request has that is not documented."""
        operation = self.operation(method, path)
        if operation is None:
            return ["no such endpoint is documented"]
        known = {each["name"]: each for each in map(self._resolved, operation.get("parameters", ()))}
        known = {name: each for name, each in known.items() if each["in"] == "query"}
        found = [f"no parameter {name} is documented" for name in query if name not in known]
        for name in query.keys() & known.keys():
            found += self._compare(f"{operation['operationId']} {name}", known[name]["schema"], _read(query[name]))
        taken = self._resolved(operation.get("requestBody", {})).get("content", {}).get("application/json")
        if taken is None:
            return found if body is None else [*found, "no body is documented"]
        return found + self._compare(f"{operation['operationId']} body", taken["schema"], {} if body is None else body)

    def mistakes_of_answer(self, method: str, path: str, status: int, body: Any) -> list[str]:
        """What an answer has that is not documented; ``body`` None stands for none."""
        operation = self.operation(method, path) or {"responses": {}, "operationId": path}
        documented = self._resolved(operation["responses"].get(str(status), {}))
        if not documented and status not in EVERYWHERE:
            return [f"no status {status} is documented"]
        if not documented:
            name = "validation-error" if status == 422 else "basic-error"
            return self._compare(name, self._schema(name), body)
        content = documented.get("content", {}).get("application/json")
        if content is None:
            return [] if body is None else [f"no body of status {status} is documented"]
        return self._compare(f"{operation['operationId']} {status}", content["schema"], body)

    def _compare(self, name: str, schema: dict[str, Any], value: Any) -> list[str]:
        if name not in self._validators:
            made = self._closed(schema, ())
            self._validators[name] = jsonschema.Draft202012Validator(made, format_checker=FORMATS)
        return [_told(best_match([error])) for error in self._validators[name].iter_errors(value)]

    def _schema(self, name: str) -> dict[str, Any]:
        return self._document["components"]["schemas"][name]

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            node = functools.reduce(lambda place, key: place[key], node["$ref"][2:].split("/"), self._document)
        return node

    def _closed(self, node: dict[str, Any], within: tuple[str, ...], *, part: bool = False) -> dict[str, Any]:
        """A schema of OpenAPI 3.0 as JSON Schema that allows no property beyond those named; ``part`` of one alone."""
        name = node.get("$ref", "")
        if name in within:
            return {}
        node, within = self._resolved(node), (*within, name) if name else within
        made = {key: value for key, value in node.items() if key in KEPT}
        # GitHub's own alternatives overlap, so one of them is any of them.
        for kind in COMBINED:
            if kind in node:
                parts = [self._closed(each, within, part=True) for each in node[kind]]
                made["allOf" if kind == "allOf" else "anyOf"] = parts
        if "items" in node:
            made["items"] = self._closed(node["items"], within)
        if "properties" in node:
            made["properties"] = {key: self._closed(value, within) for key, value in node["properties"].items()}
        if isinstance(node.get("additionalProperties"), dict):
            made["additionalProperties"] = self._closed(node["additionalProperties"], within)
        if not part and _names_properties(made):
            made["unevaluatedProperties"] = False
        return {"anyOf": [made, {"type": "null"}]} if node.get("nullable") else made


KEPT = {
    "type", "enum", "required", "pattern", "format", "minimum", "maximum", "minLength", "maxLength", "minItems",
    "maxItems", "maxProperties", "additionalProperties",
}  # fmt: skip


def _told(error: jsonschema.ValidationError) -> str:
    # A message begins with the whole value and ends with what is wrong with it.
    return f"{error.json_path}: {error.validator}: {error.message[-SHOWN:]}"


def _names_properties(schema: dict[str, Any]) -> bool:
    parts = [each for kind in COMBINED for each in schema.get(kind, ())]
    return "properties" in schema or any(_names_properties(each) for each in parts)


def _pattern(path: str) -> re.Pattern[str]:
    """A documented path as a pattern."""
    parts = re.split(r"\{([^}]+)\}", path)
    gaps = [("(.+)" if name in WITH_SLASHES else "([^/]+)") for name in parts[1::2]]
    return re.compile("".join(re.escape(text) + gap for text, gap in zip(parts[::2], [*gaps, ""], strict=True)))


def _read(text: str) -> Any:
    """A value of a query as what it is."""
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d+", text) else text
