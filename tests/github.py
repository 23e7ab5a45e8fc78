"""A fake GitHub with a clock that stands still until somebody sleeps, and the headers every request to it has."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.fakes.github.server import TOKEN

NOON = 1_790_000_000.0
HEADERS = {
    "Authorization": f"Bearer {TOKEN}", "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28",
    "User-Agent": "tests",
}  # fmt: skip


@dataclass
class StoppedClock:
    """Seconds since 1970, which pass only while somebody sleeps; ``slept`` are the waits in their order."""

    at: float = NOON
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
