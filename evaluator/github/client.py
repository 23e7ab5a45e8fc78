"""A client of GitHub's API: pages, limits, redirects and a budget. It knows no endpoint.

Imported only where GitHub is asked: it brings requests.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import jiter

from evaluator import errors
from evaluator.github import _refusals
from evaluator.github._transport import Broken, Received, Request, Sink, TooLarge, Transport
from evaluator.model.base import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import requests

PER_PAGE = 100
MOST_REDIRECTS = 3


@dataclass(frozen=True)
class Access:
    """Where the API is and who asks it.

    Attributes:
        url: as ``GITHUB_API_URL`` has it; on GitHub Enterprise it has a path, with a slash at its end or without.
        token: never shown.
    """

    url: str
    token: str = field(repr=False)


class Time(NamedTuple):
    """Time, passed in: ``now`` gives seconds since 1970, ``seconds`` a monotonic reading, ``sleep`` waits."""

    now: Callable[[], float]
    seconds: Callable[[], float]
    sleep: Callable[[float], None]


class Budget(NamedTuple):
    """What one run may ask of GitHub.

    Attributes:
        calls: requests to the API, each try and each page counted.
        tries: of one request.
        waiting: seconds of all waits together.
    """

    calls: int = 25
    tries: int = 4
    waiting: float = 120.0


ORDINARY = Budget()


class Listing(NamedTuple):
    """Things of a list; ``complete`` unless there are more pages than were read."""

    items: tuple[Any, ...]
    complete: bool


class Client:
    """Asks the API, one request at a time. What it decodes is JSON that nobody has looked at yet.

    ``log`` is told of every wait.
    """

    def __init__(
        self, session: requests.Session, access: Access, time: Time, log: Callable[[str], None],
        budget: Budget = ORDINARY,
    ) -> None:  # fmt: skip
        self._base = _base(access.url)
        self._transport = Transport(session, access.token.strip(), time.seconds)
        self._time, self._log, self._budget = time, log, budget
        self._waiting = budget.waiting
        self._shut: tuple[float, errors.GitHubError] | None = None
        self.calls = 0

    def get(self, path: str, **params: str | int) -> Any:
        """What is at a path.

        Raises:
            GitHubError: it is not to be had; its kinds say why.
        """
        request = Request("GET", f"{self._base}{path}", params)
        return self._decoded(request, self._ask(request))

    def send(self, method: str, path: str, body: Any = None, *, repeatable: bool = False) -> Any:
        """Change something; ``repeatable`` where doing it twice is as good as once, so that no answer is no end.

        Raises:
            GitHubError: it was not done, or nobody knows whether it was.
        """
        request = Request(method, f"{self._base}{path}", data=None if body is None else to_json(body))
        return self._decoded(request, self._ask(request, repeatable=repeatable))

    def pages(self, path: str, key: str | None = None, **params: str | int) -> Iterator[tuple[list[Any], bool]]:
        """The pages of a list, read as they are wanted, and whether another follows each.

        ``key`` names the list where an answer holds more than that.

        Raises:
            GitHubError: a page is not to be had.
        """
        request = Request("GET", f"{self._base}{path}", {"per_page": PER_PAGE, **params})
        while True:
            received = self._ask(request)
            items = self._decoded(request, received)
            if key is not None:
                items = items.get(key) if isinstance(items, dict) else None
            if not isinstance(items, list):
                raise errors.GitHubError(f"GitHub's answer to {self._call(request)} is no list")
            yield items, received.next is not None
            if received.next is None:
                return
            request = Request("GET", self._ours(request, received.next))

    def listed(self, path: str, key: str | None = None, most: int = 10, **params: str | int) -> Listing:
        """A list of at most so many pages.

        Raises:
            GitHubError: a page is not to be had.
        """
        items: list[Any] = []
        more = False
        for page, more in itertools.islice(self.pages(path, key, **params), most):  # noqa: B007 - the last one is used
            items += page
        return Listing(tuple(items), complete=not more)

    def download(self, path: str, into: IO[bytes], most: int) -> None:
        """Write what a path leads to into an empty stream that can be rewound, at most so many bytes of it.

        It is usually on another server, which is not shown the token.

        Raises:
            GitHubError: it is not to be had, or larger.
        """
        request = Request("GET", f"{self._base}{path}")
        self._retried(request, lambda: self._fetched(request, Sink(into, most)), repeatable=True)

    def _fetched(self, request: Request, sink: Sink) -> Received:
        """The last answer of a chain of redirects, its body in the sink if it is a good one."""
        sink.stream.seek(0)
        sink.stream.truncate()
        for _ in range(MOST_REDIRECTS + 1):
            received = self._exchange(request, sink)
            if not _is_moved(received):
                break
            url = _location(request, received)
            if request.url.startswith("https:") and not url.startswith("https:"):
                raise errors.GitHubError(f"{self._call(request)} leads to an address that is not encrypted")
            request = Request("GET", url, ours=False)
        else:
            raise errors.GitHubError(f"{self._call(request)} was moved too often")
        if not request.ours and received.status >= 400:  # noqa: PLR2004 - HTTP's failures
            # Not GitHub's answer: its addresses of archives live a minute, and another try gets a new one.
            raise Broken(f"the server it leads to answers {received.status}")
        return received

    def _ask(self, request: Request, *, repeatable: bool = False) -> Received:
        """The answer to a request that GitHub does not refuse, wherever on this server it was moved."""
        repeatable = repeatable or request.method == "GET"
        for _ in range(MOST_REDIRECTS + 1):
            asked = request
            received = self._retried(asked, lambda: self._exchange(asked), repeatable=repeatable)  # noqa: B023 - called at once
            if not _is_moved(received):
                return received
            request = asked._replace(url=self._ours(asked, _location(asked, received)), params=None)
        raise errors.GitHubError(f"{self._call(request)} was moved too often")

    def _retried(self, request: Request, ask: Callable[[], Received], *, repeatable: bool) -> Received:
        for tries in itertools.count(1):
            try:
                received = ask()
            except Broken as broken:
                said = f"GitHub does not answer {self._call(request)}: {broken}"
                refusal = _refusals.Refusal(errors.Unreachable(said), passing=broken.passing)
                again = repeatable or broken.unsent
            else:
                if received.status < 400:  # noqa: PLR2004 - HTTP's failures
                    return received
                refusal = _refusals.meaning(self._call(request), received, self._time.now())
                again = refusal.limited or repeatable
            if not (again and refusal.passing):
                raise refusal.error
            self._wait(refusal, tries)
        raise AssertionError  # pragma: no cover - counting has no end

    def _wait(self, refusal: _refusals.Refusal, tries: int) -> None:
        """Wait before the next try, or raise: there is none, or it would come too late."""
        seconds = refusal.wait(tries)
        if seconds > self._waiting:
            if refusal.limited:
                self._shut = (self._time.now() + seconds, refusal.error)
            raise type(refusal.error)(f"{refusal.error}; it asks to wait longer than this run does")
        if tries >= self._budget.tries:
            raise refusal.error
        self._waiting -= seconds
        self._log(f"{refusal.error}; trying again in {seconds:.0f} s")
        self._time.sleep(seconds)

    def _exchange(self, request: Request, sink: Sink | None = None) -> Received:
        """One request, counted."""
        if self._shut is not None and self._time.now() < self._shut[0]:
            # GitHub blocks who goes on asking.
            raise self._shut[1]
        if request.ours and self.calls >= self._budget.calls:
            raise errors.RateLimited(f"this run has made its {self._budget.calls} calls of GitHub and makes no more")
        self.calls += request.ours
        try:
            return self._transport.exchange(request, sink)
        except TooLarge:
            most = f" than {sink.most} bytes" if sink is not None else ""
            raise errors.GitHubError(f"what GitHub has for {self._call(request)} is larger{most}") from None

    def _ours(self, request: Request, url: str) -> str:
        """An address that GitHub names, if it is on the server of the API: no other is shown the token.

        Raises:
            GitHubError: it is elsewhere.
        """
        if _origin(url) != _origin(self._base):
            raise errors.GitHubError(f"GitHub's answer to {self._call(request)} leads to another server")
        return url

    def _call(self, request: Request) -> str:
        """A request as messages name it: no query, which may hold a signature."""
        path = urlsplit(request.url).path if request.ours else "a download"
        return f"{request.method} {_refusals.printable(path)}"

    def _decoded(self, request: Request, received: Received) -> Any:
        if not received.body:
            return None
        try:
            return jiter.from_json(received.body, allow_inf_nan=False)
        except ValueError:
            raise errors.GitHubError(f"GitHub's answer to {self._call(request)} is not JSON") from None


def _base(url: str) -> str:
    """The address of the API without a slash at its end.

    Raises:
        UsageError: it is no address of a server.
    """
    origin = _origin(url)
    if origin is None or origin[0] not in {"http", "https"} or not origin[1] or re.search(r"[@?#\s]", url):
        raise errors.UsageError(f"'{_refusals.printable(url)}' is no address of GitHub's API; GITHUB_API_URL names it")
    return url.rstrip("/")


def _origin(url: str) -> tuple[str, str | None, int | None] | None:
    """Scheme, host and port; None for what is no address."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None


def _is_moved(received: Received) -> bool:
    return 300 <= received.status < 400  # noqa: PLR2004 - HTTP's redirections


def _location(request: Request, received: Received) -> str:
    return urljoin(request.url, received.headers.get("location", ""))
