"""A fake GitHub with a clock that stands still until somebody sleeps, and the headers every request to it has."""

from __future__ import annotations

from dataclasses import dataclass, field

import requests

from evaluator.github.client import Access, Budget, Client, Time
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


class Connect:
    """Makes clients of a fake GitHub, whose waits the stopped clock takes; ``log`` is what they said of them."""

    def __init__(self, clock: StoppedClock) -> None:
        self.clock = clock
        self.log: list[str] = []
        self.sessions: list[requests.Session] = []

    def __call__(self, url: str, *, token: str = TOKEN, **budget: float) -> Client:
        self.sessions.append(requests.Session())
        time = Time(self.clock.now, self.clock.now, self.clock.sleep)
        return Client(self.sessions[-1], Access(url, token), time, self.log.append, Budget(**budget))
