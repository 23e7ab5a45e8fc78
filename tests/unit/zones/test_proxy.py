"""The proxy that is a pipeline's only way out, with real sockets on this machine's loopback interface."""

from __future__ import annotations

import asyncio
import io
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from evaluator.zones import outgoing
from evaluator.zones.egress import Rule, read_rules
from evaluator.zones.proxy import MOST_HEAD, Proxy, Times

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from typing import Any

QUICK = Times(head=0.3, connect=5.0, idle=0.3)
LOOPBACK = "127.0.0.1"


class Names:
    """A resolver that gives the next answer each time it is asked; the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> list[str]:
        """The addresses of a name."""
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not answer:
            raise OSError("no such name")
        return list(answer)


HERE = Names([LOOPBACK])


class Server:
    """A server that answers what it was sent with its own name, and remembers it."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read once, answer, and read on until there is nothing more."""
        while piece := await reader.read(1 << 16):
            self.heard.append(piece)
            writer.write(b"heard: " + piece)
            await writer.drain()
        writer.write(b"bye")
        writer.close()


@asynccontextmanager
async def a_server(host: str = LOOPBACK, port: int = 0) -> AsyncIterator[Server]:
    """A server on a port, one of its own where none is named."""
    made = Server()
    listening = await asyncio.start_server(made.serve, host, port)
    made.port = listening.sockets[0].getsockname()[1]
    yield made
    listening.close()


class Place:
    """A proxy and how to speak to it."""

    def __init__(
        self, *rules: str, names: Names = HERE, times: Times = QUICK, variables: dict[str, str] | None = None
    ) -> None:
        self.log: list[str] = []
        ways = outgoing.read(variables or {})
        self.proxy = Proxy(read_rules(rules), ways, self.log.append, names, times)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection to it."""
        listening = await self.proxy.listen(LOOPBACK, 0)
        reader, writer = await asyncio.open_connection(LOOPBACK, listening.sockets[0].getsockname()[1])
        yield reader, writer
        writer.close()
        listening.close()

    async def says(self, request: bytes) -> bytes:
        """All that it answers to a request."""
        async with self.connection() as (reader, writer):
            writer.write(request)
            return await asyncio.wait_for(reader.read(), 10)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a test."""
    asyncio.run(asyncio.wait_for(work, 30))


def connect(host: str, port: int) -> bytes:
    """A request for a tunnel."""
    return f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()


def test_a_tunnel_passes_everything_on_both_ways() -> None:
    """To a service that is named with its port; an end of one side is told to the other, which may still speak."""

    async def work() -> None:
        async with a_server() as server:
            place = Place(f"{LOOPBACK}:{server.port}")
            async with place.connection() as (reader, writer):
                writer.write(connect(LOOPBACK, server.port))
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
                writer.write(b"\x16\x03\x01 no text at all")
                assert await reader.readexactly(25) == b"heard: \x16\x03\x01 no text at all"[:25]
                writer.write_eof()
                assert (await reader.read()).endswith(b"bye")
            assert place.log == []

    run(work())


def test_a_plain_request_is_passed_on_without_what_is_between_client_and_proxy() -> None:
    """The server sees its own path and host; the proxy's headers are gone, the client's own are there."""

    async def work() -> None:
        async with a_server() as server:
            place = Place(f"{LOOPBACK}:{server.port}")
            where = f"{LOOPBACK}:{server.port}"
            request = (
                f"POST http://{where}/ask?q=1 HTTP/1.1\r\nHost: other.example.com\r\nAuthorization: Bearer k\r\n"
                "Proxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbody"
            )
            await place.says(request.encode())
            heard = b"".join(server.heard)
        head, _, body = heard.partition(b"\r\n\r\n")
        assert head.split(b"\r\n") == [
            b"POST /ask?q=1 HTTP/1.1", f"Host: {where}".encode(), b"Connection: close", b"Authorization: Bearer k",
            b"Content-Length: 4",
        ]  # fmt: skip
        assert body == b"body"

    run(work())


def test_what_is_refused_is_named_once_as_inert_text() -> None:
    """By a tunnel and by a plain request, however often; nobody is connected to, and no name is looked up."""

    async def work() -> None:
        names = Names([LOOPBACK])
        place = Place("api.example.com", names=names)
        for _ in range(3):
            assert b"403 Forbidden" in await place.says(connect("evil.example.org", 443))
        answer = await place.says(b"GET http://evil.example.org:443/x HTTP/1.1\r\n\r\n")
        assert b"evil.example.org:443 is not among the hosts of the input egress-hosts" in answer
        assert b"403 Forbidden" in await place.says(connect("api.example.com", 8443))
        assert place.log == [
            "refused: evil.example.org:443 is not among the hosts of the input egress-hosts",
            "refused: api.example.com:8443 is not among the hosts of the input egress-hosts",
        ]
        assert names.asked == []

    run(work())


def test_a_log_of_refusals_has_an_end() -> None:
    """A pipeline that tries every name there is fills no log."""

    async def work() -> None:
        place = Place("api.example.com")
        for number in range(110):
            await place.says(connect(f"x{number}.example.org", 443))
        assert len(place.log) == 100
        assert place.log[-1].endswith("; no more are named")

    run(work())


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "fd00:ec2::254"])
def test_a_name_that_leads_inward_is_refused(address: str) -> None:
    """An allowed name whose address is one of the machine, its network or its cloud."""

    async def work() -> None:
        place = Place("api.example.com", names=Names([address]))
        assert b"403 Forbidden" in await place.says(connect("api.example.com", 443))
        assert place.log == [
            "refused: api.example.com:443 has an address that is not on the internet; egress-hosts can name its port"
        ]

    run(work())


def test_a_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere the next time (DNS rebinding) is connected to where it was looked at."""
    outside = "127.0.0.2"
    monkeypatch.setattr(Rule, "allows_address", lambda _rule, address: str(address) == outside)

    async def work() -> None:
        async with a_server(outside) as server, a_server(LOOPBACK, server.port) as inside:
            names = Names([LOOPBACK, outside], [LOOPBACK])
            place = Place(f"api.example.com:{server.port}", names=names)
            async with place.connection() as (reader, writer):
                writer.write(connect("api.example.com", server.port))
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"who is there?")
                writer.write_eof()
                assert await reader.read() == b"heard: who is there?bye"
            assert (names.asked, server.heard, inside.heard) == (["api.example.com"], [b"who is there?"], [])

    run(work())


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n", b"400"),
        (b"GET https://api.example.com/ HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://api.example.com@evil.org/ HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://api.example.com:99999/ HTTP/1.1\r\n\r\n", b"400"),
        (b"CONNECT api.example.com HTTP/1.1\r\n\r\n", b"400"),
        (b"CONNECT api.example.com:443@evil.org:443 HTTP/1.1\r\n\r\n", b"400"),
        (b"CONNECT api.example.com:443 HTTP/1.1\r\nX: " + b"x" * (MOST_HEAD * 2) + b"\r\n\r\n", b"431"),
    ],
)
def test_what_is_no_request_to_a_proxy_is_answered_and_ended(request_: bytes, status: bytes) -> None:
    """Also one whose headers have no end."""

    async def work() -> None:
        place = Place("api.example.com")
        assert (await place.says(request_)).split(b" ")[1] == status

    run(work())


def test_a_connection_that_says_nothing_is_ended() -> None:
    """One that never asks, and a tunnel in which both sides are silent."""

    async def work() -> None:
        async with a_server() as server:
            place = Place(f"{LOOPBACK}:{server.port}")
            async with place.connection() as (reader, writer):
                writer.write(b"CONNECT half")
                assert await reader.read() == b""
            async with place.connection() as (reader, writer):
                writer.write(connect(LOOPBACK, server.port))
                assert (await reader.read()).startswith(b"HTTP/1.1 200 ")

    run(work())


def test_a_server_that_is_not_there_is_told_to_the_client_alone() -> None:
    """It is no refusal, so the log has nothing of it."""

    async def work() -> None:
        place = Place(f"{LOOPBACK}:1", "gone.example.com", names=Names([LOOPBACK], []))
        assert b"127.0.0.1:1 cannot be reached" in await place.says(connect(LOOPBACK, 1))
        assert b"gone.example.com:443 has no address" in await place.says(connect("gone.example.com", 443))
        assert place.log == []

    run(work())


def test_the_machines_proxy_is_asked_with_its_password() -> None:
    """By name, for tunnels and plain requests; what it answers with is not passed on, and neither is the password."""

    async def work() -> None:
        async with a_server() as parent:
            there = f"http://me:p%40ss@{LOOPBACK}:{parent.port}"
            names = Names([])
            place = Place("api.example.com", names=names, variables={"HTTPS_PROXY": there, "http_proxy": there})
            refused = await place.says(connect("api.example.com", 443))
            assert await place.says(b"GET http://api.example.com/x HTTP/1.1\r\n\r\n")
            tunnel, plain = parent.heard
        password = b"Proxy-Authorization: Basic bWU6cEBzcw=="
        assert tunnel.startswith(b"CONNECT api.example.com:443 HTTP/1.1\r\n")
        assert plain.startswith(b"GET http://api.example.com:80/x HTTP/1.1\r\nHost: api.example.com\r\n")
        assert password in tunnel
        assert password in plain
        # This server is no proxy: it says back what it heard.
        assert refused.startswith(b"HTTP/1.1 502 ")
        assert b"heard" not in refused

    run(work())


PLAIN = b"GET http://api.example.com/ HTTP/1.1\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        pytest.param(PLAIN.replace(b"GET", b"TRACE") + b"Max-Forwards: 0\r\n\r\n", b"405", id="what was sent, back"),
        pytest.param(
            PLAIN + b"X: a\n\nGET http://evil.internal/ HTTP/1.1\nHost: evil.internal\r\n\r\n",
            b"400",
            id="a second one",
        ),
        pytest.param(PLAIN + b" , keep-alive\r\n\r\n", b"400", id="a header of ours that goes on"),
        pytest.param(PLAIN + b"Connection : keep-alive\r\n\r\n", b"400", id="a name with a space"),
    ],
)
def test_the_machines_proxy_gets_one_request_and_tells_no_password(request_: bytes, status: bytes) -> None:
    """What two servers may read in two ways never reaches it, nor what it would answer with what it was sent."""

    async def work() -> None:
        async with a_server() as server:
            variables = {"http_proxy": f"http://me:p%40ss@{LOOPBACK}:{server.port}"}
            place = Place("api.example.com", names=Names(["93.184.216.34"]), variables=variables)
            answer = await place.says(request_)
            assert answer.split(b" ")[1] == status
            assert server.heard == []

    run(work())


def test_the_machines_proxy_decides_nothing() -> None:
    """A host that the workflow does not name is refused before it is asked, and NO_PROXY is heeded."""

    async def work() -> None:
        async with a_server() as parent, a_server() as server:
            variables = {"ALL_PROXY": f"{LOOPBACK}:{parent.port}", "NO_PROXY": LOOPBACK}
            place = Place("api.example.com", f"{LOOPBACK}:{server.port}", variables=variables)
            assert b"403" in await place.says(connect("evil.example.org", 443))
            assert b"200" in await place.says(connect(LOOPBACK, server.port))
            assert parent.heard == []

    run(work())


def test_it_ends_with_its_standard_input(capsys: pytest.CaptureFixture[str]) -> None:
    """Which is how it learns that whoever started it is gone."""
    place = Place("api.example.com")
    run(place.proxy.run(io.BytesIO(b"127.0.0.1\n")))

    assert place.log == ["listening: 1 hosts are allowed"]
    assert capsys.readouterr().err == ""
