"""What a person would write into accepted.yml to accept what made the exam easier: all but the reason."""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any

from evaluator.report.parts import Listing, Snippet
from evaluator.templates import Safe, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evaluator.report.inputs import Inputs

DAYS = 90
"""So long an entry to copy is valid; whoever accepts may write another date."""

MAX_LINE = 1_000
"""Cases share an entry up to so many characters."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]*", re.ASCII)
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""What YAML takes for something else than text."""

_ACTIVE = frozenset('"\\`<>&@#$~')
"""Characters that could end a quoted text, or a block of code, or be taken for markup."""


def snippet(inputs: Inputs) -> Snippet | None:
    """The entries, cases together in one; None where nothing can be accepted."""
    open_entries = [item.entry for item in inputs.comparison.loosened if item.accepted is None and item.entry]
    lines = [Safe(line) for line in dict.fromkeys(_lines(open_entries, _until(inputs)))]
    if not lines:
        return None
    written = inputs.head.config.get("accepted")
    named = f"add to {written}" if isinstance(written, str) else "name a file as accepted in the configuration, and add"
    return Snippet(f"To accept it, {named}, with a reason:", Listing.of(lines))


def _lines(entries: list[dict[str, Any]], until: str) -> Iterator[str]:
    cases = dict.fromkeys(quoted(str(entry["case"])) for entry in entries if "case" in entry)
    for ids in _shared(cases):
        yield _entry({"case": f"[{', '.join(ids)}]" if len(ids) > 1 else ids[0]}, until)
    for entry in entries:
        if "metric" in entry:
            named: dict[str, str] = {key: quoted(str(entry[key])) for key in ("metric", "category") if key in entry}
            yield _entry({**named, "floor": json.dumps(entry["floor"])}, until)


def _shared(ids: Iterable[str]) -> Iterator[list[str]]:
    """Ids in as few lists as make entries that can be read."""
    shared: list[str] = []
    for name in ids:
        if shared and sum(map(len, shared)) + len(name) > MAX_LINE:
            yield shared
            shared = []
        shared.append(name)
    yield from [shared] if shared else []


def _entry(fields: dict[str, str], until: str) -> str:
    said = ", ".join(f"{key}: {value}" for key, value in {**fields, "reason": '""', "until": until}.items())
    return f"- {{{said}}}"


def _until(inputs: Inputs) -> str:
    started = inputs.head.timing.get("started_at")
    try:
        day = datetime.datetime.fromisoformat(started) if isinstance(started, str) else None
        return "YYYY-MM-DD" if day is None else (day + datetime.timedelta(days=DAYS)).date().isoformat()
    except (ValueError, OverflowError):
        return "YYYY-MM-DD"


def quoted(text: str) -> str:
    """A text as YAML within a list or mapping, every character that is more than text to anybody spelt out."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return f'"{"".join(map(_character, text))}"'


def _character(character: str) -> str:
    if character not in _ACTIVE and visible(character) == character:
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"  # noqa: PLR2004 - what four digits can hold
