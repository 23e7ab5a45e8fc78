"""A GitHub on the loopback interface: its API with state, pages, limits and permissions, and the host of archives.

In a test ``with GitHub() as github`` serves ``github.api``; ``github.world`` is what there is, ``github.calls`` what
was asked. ``github.fail(...)`` scripts refusals. Where GitHub's own description is installed, every request and answer
is compared with it, and leaving the ``with`` fails for anything that is not documented.

As a program, ``python tests/fakes/github/server.py``, it prints its addresses as JSON and does what the lines on its
standard input say, until they end: ``{"do": "add_comment", "with": {"number": 1, "body": "x"}}`` calls a method of the
world, ``{"do": "calls"}`` lists what was asked, ``{"do": "world"}`` tells what there is.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.fakes.github import description
from tests.fakes.github.routes import ROUTES, Asked, Files, Listed, Refused, Reply, Route
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import World
from tests.fakes.listening import Listening

TOKEN = "ghs_0123456789abcdef0123456789abcdef0123"  # noqa: S105 - lets nobody in anywhere else
READ = ("metadata", "contents", "actions", "pull-requests", "issues", "statuses", "checks")
ALL = frozenset(f"{name}:{access}" for name in READ for access in ("read", "write"))
READ_ONLY = frozenset(f"{name}:read" for name in READ)
NO_PERMISSION = "Resource not accessible by integration"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
DOCS = "https://docs.github.com/rest"
MOST_PER_PAGE = 100


class Fault(NamedTuple):
    """What happens to a call instead of its answer.

    Attributes:
        status: of the answer.
        message: its words.
        headers: put on it.
        cut: ``before`` (the connection ends without an answer) or ``body`` (in the middle of one).
        body: a body of one's own, as text; it is not compared with the description.
        after: whether the call did what it asked for all the same.
    """

    status: int = 500
    message: str = "Server Error"
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    cut: str | None = None
    body: str | None = None
    after: bool = False


FORBIDDEN = Fault(403, NO_PERMISSION)
DROPPED = Fault(cut="before")


def limited(status: int = 403, message: str = SECONDARY, **headers: str | float) -> Fault:
    """A limit that was reached; headers are written with underscores."""
    return Fault(status, message, {name.replace("_", "-"): str(value) for name, value in headers.items()})


@dataclass
class Call:
    """A request, and the status it got; None where the connection was cut."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str] = field(repr=False)
    status: int | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}" + (f"?{urlencode(self.query)}" if self.query else "")


@dataclass
class Scripted:
    """A fault for calls whose method and path fit a pattern, so many times."""

    fault: Fault
    pattern: re.Pattern[str]
    left: float


class GitHub:
    """The server.

    Attributes:
        world: what there is.
        tokens: those that are let in, and what each may do.
        prefix: what the API's paths begin with: ``/api/v3`` on GitHub Enterprise.
        calls: what was asked of the API.
        downloads: what was asked of the host of archives.
        mistakes: what no GitHub would have let pass or said.
        limit: requests an hour.
        certificate: a file with a certificate and its key, for both servers to speak TLS.
    """

    def __init__(self, world: World | None = None, *, prefix: str = "", host: str = "127.0.0.1", ports=(0, 0)) -> None:
        self.world = world or World()
        self.tokens = {TOKEN: ALL}
        self.prefix, self.host, self.limit = prefix, host, 1000
        self.certificate: Path | None = None
        self.calls: list[Call] = []
        self.downloads: list[Call] = []
        self.mistakes: list[str] = []
        self.files = Files()
        self.described = description.load()
        self._ports, self._scripted, self._lock = ports, [], threading.RLock()
        self._listening: list[Listening] = []

    @property
    def api(self) -> str:
        """The address of the API, as GITHUB_API_URL has it."""
        return f"{self.web}{self.prefix}"

    @property
    def web(self) -> str:
        """The address of the pages, as GITHUB_SERVER_URL has it."""
        return self._url(0)

    def _url(self, which: int) -> str:
        return f"http{'s' if self.certificate else ''}://{self.host}:{self._ports[which]}"

    def fail(self, fault: Fault, call: str = "", times: float = 1) -> None:
        """Let the next calls fail whose ``METHOD /path`` has a match of the pattern; of several, the first scripted."""
        self._scripted.append(Scripted(fault, re.compile(call), times))

    def made(self, method: str) -> list[Call]:
        """Calls of a method."""
        return [call for call in self.calls if call.method == method]

    def __enter__(self) -> Self:
        handlers = (_Api, _Archives)
        self._listening = [
            Listening((self.host, port), handler, self) for port, handler in zip(self._ports, handlers, strict=True)
        ]
        self._ports = tuple(each.server_address[1] for each in self._listening)
        self.files.url = self._url(1)
        for each in self._listening:
            if self.certificate:
                each.encrypt(self.certificate)
            each.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for each in self._listening:
            each.stop()
        if kind is None:
            assert self.mistakes == [], "what is not documented:\n" + "\n".join(self.mistakes)

    def answer(self, call: Call) -> tuple[Reply, Fault | None]:
        """What a call gets. One at a time: the world has no locks of its own."""
        with self._lock:
            self.calls.append(call)
            fault = self._fault(call)
            if fault is not None and not fault.after:
                return self._refusal(Refused(fault.status, fault.message)), fault
            try:
                reply = self._let_in(call)
            except Refused as refused:
                reply = self._refusal(refused)
            if fault is not None:
                reply = self._refusal(Refused(fault.status, fault.message))
            return reply, fault

    def _fault(self, call: Call) -> Fault | None:
        for each in self._scripted:
            if each.left > 0 and each.pattern.search(f"{call.method} {call.path}"):
                each.left -= 1
                return each.fault
        return None

    def _refusal(self, refused: Refused) -> Reply:
        if refused.status == 302:
            return Reply(refused.status)
        body = {"message": refused.message, "documentation_url": DOCS, "status": str(refused.status)}
        if refused.status == 422:
            body.pop("status")
            body |= {"errors": refused.errors} if refused.errors is not None else {}
        return Reply(refused.status, body)

    def _let_in(self, call: Call) -> Reply:
        allowed = self._allowed(call)
        moved = self._moved(call)
        if moved is not None:
            return moved
        path = self._named(call.path)
        if call.path == "/user":
            raise Refused(403, NO_PERMISSION)
        route, gaps = self._route(call.method, path)
        self._check_request(call, path)
        if not allowed & set(route.needs) and not {need.replace(":read", ":write") for need in route.needs} & allowed:
            raise Refused(403, NO_PERMISSION)
        shapes = Shapes(self.world, self.api, self.web)
        answer = route.answer(Asked(self.world, shapes, gaps, call.query, call.body or {}, self.files))
        return self._page(call, answer) if isinstance(answer, Listed) else answer

    def _allowed(self, call: Call) -> frozenset[str]:
        given = call.headers.get("authorization", "")
        kind, _, token = given.partition(" ")
        if not given:
            raise Refused(401, "Requires authentication")
        if kind.lower() not in {"bearer", "token"} or token not in self.tokens:
            raise Refused(401, "Bad credentials")
        if not call.headers.get("user-agent"):
            raise Refused(403, "Request forbidden by administrative rules: there is no User-Agent header.")
        return self.tokens[token]

    def _moved(self, call: Call) -> Reply | None:
        old = next((name for name in self.world.renamed if f"{call.path}/".startswith(f"/repos/{name}/")), None)
        if old is None:
            return None
        rest = call.path.removeprefix(f"/repos/{old}") + (f"?{urlencode(call.query)}" if call.query else "")
        to = f"{self.api}/repositories/{self.world.repo.id}{rest}"
        status = 301 if call.method == "GET" else 307
        return Reply(status, {"message": "Moved Permanently", "url": to, "documentation_url": DOCS}, {"Location": to})

    def _named(self, path: str) -> str:
        """The path by the repository's name: links and redirects of GitHub have its number."""
        here = f"/repos/{self.world.repo.full_name}"
        return re.sub(rf"^/repositories/{self.world.repo.id}(?=/|$)", here, path)

    def _route(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        for route in ROUTES:
            found = route.pattern.fullmatch(path) if route.method == method else None
            if found is not None:
                gaps = {name: unquote(value) for name, value in found.groupdict().items()}
                if f"{gaps['owner']}/{gaps['repo']}".lower() != self.world.repo.full_name.lower():
                    raise Refused(404, "Not Found")
                return route, gaps
        self.mistakes.append(f"{method} {path}: the fake has no such endpoint")
        raise Refused(404, "Not Found")

    def _check_request(self, call: Call, path: str) -> None:
        """Refuse what GitHub's description does not have; bodies as they should be are all an endpoint can read."""
        found = []
        if self.described is not None:
            found = self.described.mistakes_of_request(call.method, path, call.query, call.body)
        if call.headers.get("accept") != "application/vnd.github+json":
            found.append("Accept should be application/vnd.github+json")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", call.headers.get("x-github-api-version", "")):
            found.append("X-GitHub-Api-Version should name a version")
        if int(call.query.get("per_page", 30)) > MOST_PER_PAGE:
            found.append("per_page is 100 at most")
        # What is too much is refused by the endpoint itself, in GitHub's words, and is no mistake of the test's.
        serious = [each for each in found if ": maxItems: " not in each and ": maxLength: " not in each]
        self.mistakes += [f"{call}: {each}" for each in serious]
        if serious:
            raise Refused(422, f"Invalid request.\n\n{serious[0]}")

    def _page(self, call: Call, listed: Listed) -> Reply:
        size = min(int(call.query.get("per_page", 30)), MOST_PER_PAGE)
        page = int(call.query.get("page", 1))
        shown = [listed.show(each) for each in listed.things[(page - 1) * size : page * size]]
        last = max(-(-len(listed.things) // size), 1)
        pages = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        if page >= last:
            pages = {"prev": min(page - 1, last), "first": 1} if page > 1 else {}
        elif page == 1:
            pages = {"next": 2, "last": last}
        rest = self._named(call.path).removeprefix(f"/repos/{self.world.repo.full_name}")
        url = f"{self.api}/repositories/{self.world.repo.id}{quote(rest)}"
        links = [f'<{url}?{urlencode(call.query | {"page": at})}>; rel="{name}"' for name, at in pages.items()]
        body = shown if listed.key is None else {"total_count": len(listed.things), listed.key: shown}
        return Reply(200, body, {"Link": ", ".join(links)} if links else {})

    def check_answer(self, call: Call, reply: Reply) -> None:
        """Note what an answer has that is not documented. GitHub redirects what was renamed wherever it is asked."""
        path = self._named(call.path)
        moved = reply.status in {301, 307} and "Location" in reply.headers
        if self.described is not None and path.startswith("/repos/") and not moved:
            found = self.described.mistakes_of_answer(call.method, path, reply.status, reply.body)
            self.mistakes += [f"{call}: answered {reply.status}: {each}" for each in found]


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Listening

    def _call(self) -> Call:
        url = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        raw = self.rfile.read(int(headers.get("content-length", 0)))
        owner: GitHub = self.server.owner
        return Call(
            self.command, url.path.removeprefix(owner.prefix) if owner.prefix else url.path, dict(parse_qsl(url.query)),
            json.loads(raw) if raw else None, headers,
        )  # fmt: skip

    def _send(self, status: int, headers: dict[str, str], data: bytes, *, cut: bool = False) -> None:
        self.send_response_only(status)
        for name, value in ({"date": self.date_time_string()} | headers | {"Content-Length": str(len(data))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self.close_connection = True

    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(self.server.owner.world.clock() if timestamp is None else timestamp, usegmt=True)

    def log_message(self, *_: object) -> None:
        """Nothing."""


class _Api(_Handler):
    """A connection to the API."""

    def do_GET(self) -> None:
        owner: GitHub = self.server.owner
        if owner.prefix and not urlsplit(self.path).path.startswith(f"{owner.prefix}/"):
            self._send(404, {"Content-Type": "text/html"}, b"<html>This is not the API.</html>")
            return
        call = self._call()
        reply, fault = owner.answer(call)
        if fault is not None and fault.cut == "before":
            self.close_connection = True
            return
        if fault is None or fault.body is None:
            owner.check_answer(call, reply)
        call.status = reply.status
        left = max(owner.limit - len(owner.calls), 0)
        headers = {"x-ratelimit-limit": str(owner.limit), "x-ratelimit-remaining": str(left)}
        headers |= {"x-ratelimit-reset": str(int(owner.world.clock()) + 3600), "x-ratelimit-resource": "core"}
        headers |= reply.headers
        headers |= {name.lower(): value for name, value in fault.headers.items()} if fault is not None else {}
        data = b"" if reply.body is None else json.dumps(reply.body).encode()
        if data:
            headers["Content-Type"] = "application/json; charset=utf-8"
        if fault is not None and fault.body is not None:
            data = fault.body.encode()
        self._send(reply.status, headers, data, cut=fault is not None and fault.cut == "body")

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls


class _Archives(_Handler):
    """A connection to the host of archives, which takes a signature in the address and no other credential."""

    def do_GET(self) -> None:
        owner: GitHub = self.server.owner
        call = self._call()
        owner.downloads.append(call)
        data, until = owner.files.kept.get(call.query.get("sig", ""), (None, 0.0))
        headers, body = {"Content-Type": "application/xml"}, b"<Error><Code>AuthenticationFailed</Code></Error>"
        call.status = 403
        if "authorization" in call.headers:
            call.status, body = 400, b"<Error><Code>InvalidAuthenticationInfo</Code></Error>"
            owner.mistakes.append(f"{call.path}: the token was sent to the host of archives")
        elif data is not None and owner.world.clock() <= until:
            call.status, headers, body = 200, {"Content-Type": "application/zip"}, data
        self._send(call.status, headers, body)


def obey(github: GitHub, order: dict[str, Any]) -> Any:
    """Do what a line of standard input says; files are given as text."""
    given = order.get("with", {})
    if order["do"] == "calls":
        return [str(call) for call in github.calls]
    if order["do"] == "mistakes":
        return github.mistakes
    if order["do"] == "world":
        return dataclasses.asdict(_Told(**{name: getattr(github.world, name) for name in _Told.__annotations__}))
    if "files" in given:
        given["files"] = {name: text.encode() for name, text in given["files"].items()}
    if "run" in given:
        given["run"] = github.world.runs[given["run"]]
    method: Callable[..., Any] = getattr(github.world, order["do"])
    return method(**given)


@dataclass
class _Told:
    """What a program is told of the world."""

    pulls: Any
    comments: Any
    statuses: Any
    checks: Any
    issues: Any
    dispatched: Any
    branches: Any


def serve(lines: Iterable[str], github: GitHub) -> None:
    """Serve until the lines end."""
    with github:
        print(json.dumps({"api": github.api, "web": github.web, "token": TOKEN}), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            for line in lines:
                answer = obey(github, json.loads(line))
                print(json.dumps(answer, default=_plain), flush=True)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return dataclasses.asdict(value)


def main() -> None:
    """Serve until standard input ends; exit 1 for anything that was asked and is not documented."""
    parser = argparse.ArgumentParser(description="A fake GitHub.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--prefix", default="", help="what the API's paths begin with, as /api/v3")
    parser.add_argument("--name", default="acme/shop")
    given = parser.parse_args()
    github = GitHub(World(given.name, clock=time.time), prefix=given.prefix, host=given.host, ports=(given.port, 0))
    serve(sys.stdin, github)


if __name__ == "__main__":
    main()
