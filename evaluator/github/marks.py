"""The mark of a comment of ours: which one it is, and which run wrote it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = re.compile(r"<!-- rag-assay((?: [a-z]+=[^\s=<>]+)+) -->")
_RED = re.compile(r"(\d{1,18})\.(\d{1,9})\.([a-z]{1,20})")
MOST_RED = 10
SEVERITY = ("passed", "pending", "inconclusive", "failed", "error")
"""Outcomes, the worst last: of two jobs that share a name the worse one stays, and one that has yet to end blocks."""


class Stamp(NamedTuple):
    """Who wrote something: a job of an attempt of a run, and with what outcome.

    ``leg`` tells jobs of one attempt apart, ``workflow`` runs of different workflows, ``pull`` those of different pull
    requests, which may have one head; it is 0 where there is none.
    """

    run: int
    attempt: int
    leg: str = ""
    outcome: str = ""
    workflow: str = ""
    pull: int = 0

    @property
    def thread(self) -> tuple[str, int]:
        """Within which a newer run takes the place of an older one."""
        return self.workflow, self.pull

    @property
    def order(self) -> tuple[int, int]:
        """Grows with time: GitHub counts runs up."""
        return self.run, self.attempt

    def is_rival(self, other: Stamp) -> bool:
        """Whether they are of two jobs of the same attempt."""
        return self.order == other.order and self.leg != other.leg

    @property
    def severity(self) -> int:
        """How bad its outcome is; one that is not known is as bad as can be."""
        return SEVERITY.index(self.outcome) if self.outcome in SEVERITY else len(SEVERITY)


class Mark(NamedTuple):
    """The last line of a comment of ours.

    Attributes:
        key: which comment it is: slugs of suite, workflow and variant.
        stamp: who wrote it.
        head: the commit it is about.
        red: earlier runs on that commit that did not pass, oldest first.
        by: the account that writes; empty where it is the usual one.
    """

    key: tuple[str, str, str]
    stamp: Stamp
    head: str
    red: tuple[Stamp, ...] = ()
    by: str = ""

    def __str__(self) -> str:
        suite, workflow, variant = self.key
        stamp = self.stamp
        parts = {
            "suite": suite, "workflow": workflow, "variant": variant, "run": stamp.run, "attempt": stamp.attempt,
            "leg": stamp.leg, "outcome": stamp.outcome, "head": self.head, "by": self.by,
            "red": ",".join(f"{each.run}.{each.attempt}.{each.outcome}" for each in self.red),
        }  # fmt: skip
        return f"<!-- rag-assay {' '.join(f'{name}={value}' for name, value in parts.items() if value)} -->"

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The mark of a text: the last line that is one, for people add lines of their own below; None without one."""
        found = [mark for line in text.splitlines() if (mark := _MARK.fullmatch(line.strip()))]
        if not found:
            return None
        parts = dict(part.split("=", 1) for part in found[-1][1].split())
        run, attempt = (parts.get(name, "") for name in ("run", "attempt"))
        if not (_is_number(run) and _is_number(attempt)):
            return None
        red = (Stamp(int(each[0]), int(each[1]), outcome=each[2]) for each in _RED.findall(parts.get("red", "")))
        return cls(
            key=(parts.get("suite", ""), parts.get("workflow", ""), parts.get("variant", "")),
            stamp=Stamp(int(run), int(attempt), parts.get("leg", ""), parts.get("outcome", "")),
            head=parts.get("head", ""), red=tuple(red), by=parts.get("by", ""),
        )  # fmt: skip

    def put_into(self, text: str) -> str:
        """A text that has a mark, with this one in its place."""
        lines = text.splitlines()
        at = max(place for place, line in enumerate(lines) if _MARK.fullmatch(line.strip()))
        return "\n".join([*lines[:at], str(self), *lines[at + 1 :], ""])

    def after(self, earlier: Iterable[Mark]) -> Mark:
        """This mark with the red runs on its commit that earlier ones tell of."""
        found: dict[tuple[int, int], Stamp] = {}
        for mark in earlier:
            if mark.head == self.head:
                own = (mark.stamp,) if mark.stamp.outcome not in {"passed", "pending"} else ()
                found |= {each.order: each for each in (*mark.red, *own)}
        found.pop(self.stamp.order, None)
        return self._replace(red=tuple(found[order] for order in sorted(found))[-MOST_RED:])


def _is_number(written: str) -> bool:
    return re.fullmatch(r"[1-9][0-9]{0,17}", written) is not None
