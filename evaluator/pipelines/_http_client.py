"""Sends requests over HTTP so that nothing hangs, nothing is done twice and no credential leaves its server.

Imported only where a pipeline of kind http is opened: it brings requests.
"""

from __future__ import annotations

import email.utils
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from evaluator.pipelines._http_connection import Slot
from evaluator.pipelines._http_failure import Failed, translated
from evaluator.pipelines._http_request import origin
from evaluator.pipelines._reply import MAX_REPLY, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import requests

    from evaluator.pipelines._http_request import Outgoing

CONNECT_SECONDS = 10.0
TRIES = 5
FIRST_WAIT = 0.25
"""Seconds before the second try where the server does not say; each wait is twice the one before."""

MAX_REDIRECTS = 5
MAX_ERROR = 64 * 1024
"""Bytes that are read of a reply that is an error."""

PIECE = 64 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})
KEEPS_METHOD = frozenset({307, 308})
BUSY = frozenset({429, 503})
"""Statuses of a server that has not done what it was asked, and may say when to come back: RFC 9110 and RFC 6585."""

PASSING = frozenset({502, 503, 504})


class Received(NamedTuple):
    """A reply: ``seconds`` is how long the last try took, ``tries`` how many there were."""

    status: int
    content_type: str
    body: bytes
    seconds: float
    tries: int


class Client:
    """Sends one request per slot at a time, with a deadline that holds whatever the server does."""

    def __init__(self, slots: int, proxies: Mapping[str, str], certificates: str | None) -> None:
        self.closed = threading.Event()
        self._slots = [Slot(self.closed) for _ in range(slots)]
        self._options: dict[str, Any] = {"proxies": dict(proxies), "verify": certificates or True}

    def close(self) -> None:
        """End every connection, also those that a reply is being waited for on."""
        self.closed.set()
        for slot in self._slots:
            slot.stop()
            slot.session.close()

    def send(self, outgoing: Outgoing, slot: int, timeout: float) -> Received:
        """The reply to a request, whatever its status.

        Tried again are: what was never sent, because there was no connection; what the server turned away with the time
        to come back; and, of requests that do the same when done twice, those that were cut off or passed on in vain.

        Raises:
            Failed: there is none in ``timeout`` seconds, all tries included, or none that can be read.
        """
        own, deadline = self._slots[slot], time.monotonic() + timeout
        timer = threading.Timer(timeout, own.expire, [own.begin()])
        timer.daemon = True
        timer.start()
        try:
            outcome: Received | Failed = self._send(outgoing, own, deadline)
        except Failed as failed:
            outcome = failed
        finally:
            timer.cancel()
        # A connection that we ended looks like a reply that came to its end, if the reply did not state its length.
        if own.expired:
            raise Failed("timeout", f"no reply in {timeout:g} seconds")
        if self.closed.is_set():
            raise Failed("died", "the run was stopped")
        if isinstance(outcome, Failed):
            raise outcome
        return outcome

    def _send(self, outgoing: Outgoing, slot: Slot, deadline: float) -> Received:
        wait = FIRST_WAIT
        for number in range(1, TRIES + 1):
            last = number == TRIES
            try:
                received, told = self._follow(outgoing, slot, deadline)
            except Failed as failed:
                if last or not failed.again or not (failed.unsent or outgoing.may_be_repeated):
                    raise
                pause = wait
            else:
                received = received._replace(tries=number)
                turned_away = received.status in BUSY and told is not None
                passing = received.status in PASSING and outgoing.may_be_repeated
                if last or not (turned_away or passing):
                    return received
                pause = wait if told is None else told
                if pause >= deadline - time.monotonic():
                    return received
            if self.closed.wait(min(pause, max(deadline - time.monotonic(), 0))) or slot.expired:
                raise Failed("timeout", "the time was over before the next try")
            wait *= 2
        raise AssertionError("the last try returns or raises")

    def _follow(self, outgoing: Outgoing, slot: Slot, deadline: float) -> tuple[Received, float | None]:
        """One try, along redirects on the same server, and the seconds after which it wants to be asked again."""
        url, began = outgoing.url, time.monotonic()
        for _ in range(MAX_REDIRECTS + 1):
            with translated(), self._ask(outgoing._replace(url=url), slot, deadline) as response:
                if response.status_code not in REDIRECTS or "Location" not in response.headers:
                    body = b"".join(_pieces(response))
                    kind = response.headers.get("Content-Type", "")
                    taken = time.monotonic() - began
                    return Received(response.status_code, kind, body, taken, 1), _wait_of(response)
                url = _next(outgoing, url, response)
        raise Failed("error", f"more than {MAX_REDIRECTS} redirects")

    def _ask(self, outgoing: Outgoing, slot: Slot, deadline: float) -> requests.Response:
        left = max(deadline - time.monotonic(), 0.001)
        return slot.session.request(
            outgoing.method, outgoing.url, headers=dict(outgoing.headers), data=outgoing.body, stream=True,
            allow_redirects=False, timeout=(min(CONNECT_SECONDS, left), left), **self._options,
        )  # fmt: skip


def _next(outgoing: Outgoing, url: str, response: requests.Response) -> str:
    """Where a redirect leads, if it stays on the server and changes nothing about the request.

    Raises:
        Failed: it does not; the headers would tell another server what is meant for this one.
    """
    status = response.status_code
    try:
        target = urljoin(url, response.headers["Location"])
        scheme, host, port = origin(target)
        same = (scheme, host, port) == origin(url)
    except ValueError:
        raise Failed("error", f"HTTP {status} redirects to what is no address") from None
    if not same:
        where = one_line(f"{scheme}://{host}:{port}")
        raise Failed("error", f"HTTP {status} redirects to {where}, another server; nothing was sent there")
    if status not in KEEPS_METHOD and outgoing.method != "GET":
        raise Failed("error", f"HTTP {status} redirects a {outgoing.method}, which would become a GET without its body")
    # Two libraries may disagree about what the host of an odd address is: ours stays as it was.
    return urlsplit(target)._replace(scheme=scheme, netloc=urlsplit(url).netloc).geturl()


def _pieces(response: requests.Response) -> Iterator[bytes]:
    """The body, decompressed; only the beginning of an error's."""
    limit = MAX_REPLY if response.ok else MAX_ERROR
    size = 0
    for piece in response.iter_content(PIECE):
        size += len(piece)
        if size > limit:
            if not response.ok:
                return
            raise Failed("invalid", f"the reply is larger than {MAX_REPLY >> 20} MB")
        yield piece


def _wait_of(response: requests.Response) -> float | None:
    """Seconds of Retry-After: a number, or a date against the server's own clock."""
    written = response.headers.get("Retry-After", "").strip()
    if written.isascii() and written.isdigit():
        return float(written)
    try:
        until = email.utils.parsedate_to_datetime(written)
        return max((until - email.utils.parsedate_to_datetime(response.headers["Date"])).total_seconds(), 0.0)
    except (KeyError, TypeError, ValueError):
        return None
