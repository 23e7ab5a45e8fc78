"""One request over HTTP and its answer: bounded in size and time, and no credential but to GitHub's API itself."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple

import requests
import urllib3.exceptions as low

from evaluator import __version__, errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TIMEOUT = (10.0, 30.0)
"""Seconds for a connection to be made, and for each piece of an answer to come."""

LONGEST = 120.0
"""Seconds that one answer may take as a whole."""

LARGEST = 64 << 20
"""Bytes of an answer: a hundred comments of the greatest length are less, however they are escaped."""

PIECE = 64 << 10
AGENT = f"rag-assay/{__version__}"
OURS = {
    "Accept": "application/vnd.github+json",
    "Content-Type": "application/json",
    "User-Agent": AGENT,
    "X-GitHub-Api-Version": "2022-11-28",
}
THEIRS = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": AGENT}


class Request(NamedTuple):
    """What is asked; ``ours`` where it is asked of the API, the only place that is shown the token."""

    method: str
    url: str
    params: Mapping[str, str | int] | None = None
    data: bytes | None = None
    ours: bool = True


class Received(NamedTuple):
    """An answer: ``next`` is the address of the next page, if there is one; ``headers`` by any case of their names."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    next: str | None = None


class Sink(NamedTuple):
    """Where the body of a good answer goes instead: a stream, ``most`` bytes of it."""

    stream: IO[bytes]
    most: int


class Broken(Exception):
    """No answer came, or not all of one.

    Attributes:
        unsent: whether the request never reached the server.
        passing: whether another try could be luckier.
    """

    def __init__(self, sentence: str, *, unsent: bool = False, passing: bool = True) -> None:
        super().__init__(sentence)
        self.unsent, self.passing = unsent, passing


class TooLarge(Exception):
    """An answer is larger than is taken."""


class Transport:
    """Sends requests. Redirects are never followed: whoever asks decides who is shown the token."""

    def __init__(self, session: requests.Session, token: str, seconds: Callable[[], float]) -> None:
        self._session, self._seconds = session, seconds
        self._bearer = _Bearer(token)

    def exchange(self, request: Request, sink: Sink | None = None) -> Received:
        """The answer to one request, whatever its status.

        Raises:
            Broken: there is none.
            TooLarge: it is larger than is taken.
            FileProblem: it cannot be written.
        """
        ours = request.ours
        try:
            with self._session.request(
                request.method, request.url, params=request.params, data=request.data, headers=OURS if ours else THEIRS,
                auth=self._bearer if ours else _nobody, allow_redirects=False, stream=True, timeout=TIMEOUT,
            ) as response:  # fmt: skip
                body = self._body(response, sink)
                link = response.links.get("next", {}).get("url")
                return Received(response.status_code, response.headers, body, link)
        except (requests.RequestException, low.HTTPError, OSError, ValueError) as error:
            raise _broken(error) from None

    def _body(self, response: requests.Response, sink: Sink | None) -> bytes:
        if sink is None or response.status_code != requests.codes.ok:
            return b"".join(self._pieces(response, LARGEST))
        for piece in self._pieces(response, sink.most):
            try:
                sink.stream.write(piece)
            except OSError as error:
                raise errors.FileProblem(f"a download cannot be written: {error.strerror}") from None
        return b""

    def _pieces(self, response: requests.Response, most: int) -> Iterator[bytes]:
        size, end = 0, self._seconds() + LONGEST
        for piece in response.iter_content(PIECE):
            size += len(piece)
            if size > most:
                raise TooLarge
            if self._seconds() > end:
                raise Broken(f"its answer was not there after {LONGEST:.0f} s")
            yield piece


class _Bearer(requests.auth.AuthBase):
    """Shows the token. That there is such an object keeps a .netrc from being read in its place."""

    def __init__(self, token: str) -> None:
        self._value = f"Bearer {token}"

    def __call__(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        prepared.headers["Authorization"] = self._value
        return prepared


def _nobody(prepared: requests.PreparedRequest) -> requests.PreparedRequest:
    return prepared


class _Meaning(NamedTuple):
    """An error of requests' or of what lies under it, and what a person is told of it."""

    kind: type[Exception]
    sentence: str
    unsent: bool = True
    passing: bool = True


_MEANINGS = (
    _Meaning(requests.exceptions.ProxyError, "the proxy lets nothing through"),
    _Meaning(
        requests.exceptions.SSLError, "its certificate is not trusted: REQUESTS_CA_BUNDLE names one's own",
        passing=False,
    ),
    _Meaning(low.NameResolutionError, "there is no server of that name"),
    _Meaning(low.NewConnectionError, "no connection could be made"),
    _Meaning(requests.ConnectTimeout, "no connection could be made"),
    _Meaning(requests.Timeout, "its answer did not come in time", unsent=False),
    _Meaning(ValueError, "the address, the proxy or the token cannot be put into a request", passing=False),
    _Meaning(
        requests.RequestException, "the connection ended before the whole answer was there", unsent=False
    ),
    _Meaning(low.HTTPError, "the connection ended before the whole answer was there", unsent=False),
    _Meaning(OSError, "the file that REQUESTS_CA_BUNDLE names is not there", passing=False),
)  # fmt: skip
"""The special ones first."""


def _broken(error: Exception) -> Broken:
    """In sentences of ours: those of requests repeat the address, which may hold a signature, or the token."""
    first = error.args[0] if error.args else None
    reason = first.reason if isinstance(first, low.MaxRetryError) else None
    found = next(each for each in _MEANINGS if isinstance(error, each.kind) or isinstance(reason, each.kind))
    return Broken(found.sentence, unsent=found.unsent, passing=found.passing)
