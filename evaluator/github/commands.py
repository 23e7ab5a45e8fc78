"""Workflow commands: lines in a log that the runner obeys. What goes into one can end it nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ANNOTATIONS = 10
"""How many annotations of one level GitHub shows of a step; the rest it drops without a word."""


def command(name: str, properties: Mapping[str, object], text: str) -> str:
    """A command; properties without a value are left out."""
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value)
    return f"::{name}{f' {given}' if given else ''}::{data(text)}"


def data(text: str) -> str:
    """A text as the value of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return data(text).replace(":", "%3A").replace(",", "%2C")
