"""egress: the only way out of the network that a pipeline is in, to the hosts that the workflow names.

It is an HTTP proxy: tunnels by CONNECT, and plain requests with a whole address. It holds no key, reads nothing of what
goes through a tunnel, and ends when its standard input does, which is when whoever started it has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from evaluator.zones.egress import USUAL, Target, canonical, chosen, rule_for

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import IO

    from evaluator.zones.egress import Rule
    from evaluator.zones.outgoing import Outgoing, Parent

PORT = 3128
MOST_CONNECTIONS = 256
MOST_HEAD = 32 << 10
"""Bytes of a request's first line and headers."""

MOST_NAMED = 100
"""So many refused hosts are named in the log."""

PIECE = 64 << 10
AUTHORITY = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):([0-9]{1,5})")
REQUEST = re.compile(r"([A-Z]{1,20}) ([!-~]{1,16384}) HTTP/1\.[01]")
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\0\r\n]*")
"""A line that nobody reads in another way: not folded, and without an end of its own that some take for one."""

ONLY_OURS = re.compile(r"(connection|keep-alive|proxy-connection|proxy-authorization|te|upgrade|host):", re.IGNORECASE)
"""Headers of a plain request that are about this connection, or written anew."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Times(NamedTuple):
    """How long things may take, in seconds: to say what is wanted, to connect, and to be silent."""

    head: float = 30.0
    connect: float = 30.0
    idle: float = 600.0


TIMES = Times()


class Refused(Exception):
    """What the client is told instead: an HTTP status and a sentence."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Requested(NamedTuple):
    """A request: its target, and where it is a plain one its method, the rest of the address, and headers to keep."""

    target: Target
    method: str = ""
    path: str = ""
    kept: Sequence[str] = ()

    def request(self, parent: Parent | None) -> bytes:
        """What is sent on to the server, or to a proxy that asks it."""
        where, own = self.path, [f"Host: {self.target.authority.removesuffix(':80')}", "Connection: close"]
        if parent is not None:
            where = f"http://{self.target.authority}{self.path}"
            own += [parent.authorization.strip()] if parent.authorization else []
        return "\r\n".join([f"{self.method} {where} HTTP/1.1", *own, *self.kept, "", ""]).encode("latin-1")


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name.

    Raises:
        OSError: it has none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


@dataclass
class Proxy:
    """Lets connections out to what some rules allow.

    Attributes:
        rules: the hosts.
        outgoing: the machine's own proxies.
        say: takes lines for the log.
        resolve: finds the addresses of a name.
        times: how long things may take.
    """

    rules: Sequence[Rule]
    outgoing: Outgoing
    say: Callable[[str], None]
    resolve: Callable[[str, int], Awaitable[list[str]]] = resolve
    times: Times = TIMES
    _open: int = 0
    _named: set[Target] = field(default_factory=set)

    async def listen(self, host: str, port: int = PORT) -> asyncio.Server:
        """Begin to take connections at one address."""
        return await asyncio.start_server(self._serve, host, port, limit=MOST_HEAD)

    async def run(self, told: IO[bytes]) -> None:
        """Listen at the address that the first line of a stream tells, until that stream ends."""
        address = (await asyncio.to_thread(told.readline)).decode().strip()
        server = await self.listen(address)
        self.say(f"listening: {len(self.rules)} hosts are allowed")
        while await asyncio.to_thread(told.read, PIECE):
            pass
        # Connections that are still open end with the program.
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            await self._let_out((reader, writer))
        except Refused as refused:
            with contextlib.suppress(OSError, TimeoutError):
                writer.write(_reply(refused))
                await asyncio.wait_for(writer.drain(), self.times.head)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # somebody hung up
        finally:
            self._open -= 1
            writer.close()

    async def _let_out(self, client: Streams) -> None:
        if self._open > MOST_CONNECTIONS:
            raise Refused("503 Service Unavailable", f"more than {MOST_CONNECTIONS} connections at once")
        wanted = _wanted(await self._head(client[0]))
        parent = self.outgoing.for_target(wanted.target)
        server = await self._connect(wanted.target, parent)
        try:
            if wanted.target.how == "http":
                server[1].write(wanted.request(parent))
            else:
                client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _join(client, server, self.times.idle)
        finally:
            server[1].close()

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), self.times.head)
        except asyncio.LimitOverrunError:
            raise Refused("431 Request Header Fields Too Large", f"more than {MOST_HEAD} bytes of headers") from None

    async def _connect(self, target: Target, by_proxy: Parent | None) -> Streams:
        """A connection to a target, by the machine's own proxy where there is one.

        Raises:
            Refused: it is not allowed, or cannot be made.
        """
        rule = rule_for(self.rules, target)
        if rule is None:
            raise self._forbidden(target, "is not among the hosts of the input egress-hosts")
        try:
            addresses = await asyncio.wait_for(self.resolve(target.host, target.port), self.times.connect)
        except (OSError, UnicodeError, TimeoutError):
            addresses = []
            if by_proxy is None:
                raise Refused("502 Bad Gateway", f"{target} has no address") from None
        allowed = chosen(rule, addresses)
        if addresses and not allowed:
            raise self._forbidden(target, "has an address that is not on the internet; egress-hosts can name its port")
        try:
            async with asyncio.timeout(self.times.connect):
                return await (by_proxy.connect(target) if by_proxy else _first(allowed, target.port))
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            # A machine's proxy may have a password: nothing of how it answered is passed on.
            reason = type(error).__name__ if by_proxy else str(error) or "no answer in time"
            raise Refused("502 Bad Gateway", f"{target} cannot be reached: {reason}") from None

    def _forbidden(self, target: Target, why: str) -> Refused:
        plain = target._replace(how="")
        if plain not in self._named and len(self._named) < MOST_NAMED:
            self._named.add(plain)
            more = "; no more are named" if len(self._named) == MOST_NAMED else ""
            self.say(f"refused: {target} {why}{more}")
        return Refused("403 Forbidden", f"{target} {why}")


async def _first(addresses: Sequence[str], port: int) -> Streams:
    """A connection to the first of some addresses that answers."""
    for number, address in enumerate(addresses, 1):
        try:
            return await asyncio.open_connection(address, port)
        except OSError:
            if number == len(addresses):
                raise
    raise OSError("it has no address")


def _wanted(head: bytes) -> Requested:
    """What a request asks for.

    Raises:
        Refused: it is no request to a proxy.
    """
    lines = head.decode("latin-1").split("\r\n")[:-2]
    found = REQUEST.fullmatch(lines[0])
    if found is None:
        raise Refused("400 Bad Request", "this is no request that a proxy takes")
    method, where = found.groups()
    if method == "CONNECT":
        return Requested(_target(where, "connect"))
    if method == "TRACE":
        # The machine's proxy would answer with all that it was sent, its password among it.
        raise Refused("405 Method Not Allowed", "TRACE is not passed on")
    if not all(map(HEADER.fullmatch, lines[1:])):
        raise Refused("400 Bad Request", "a header is needed in each line, from its beginning to its end")
    try:
        url = urlsplit(where)
        port = url.port or USUAL["http"]
    except ValueError:
        raise Refused("400 Bad Request", "the address cannot be read") from None
    if url.scheme != "http" or not url.hostname or url.username is not None:
        raise Refused("400 Bad Request", "a whole address that begins with http:// is needed, or CONNECT")
    authority = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    target = _target(f"{authority}:{port}", "http")
    path = where[len(url.scheme) + 3 + len(url.netloc) :].partition("#")[0]
    kept = [line for line in lines[1:] if not ONLY_OURS.match(line)]
    return Requested(target, method, path if path.startswith("/") else f"/{path}", kept)


def _target(authority: str, how: str) -> Target:
    found = AUTHORITY.fullmatch(authority)
    if found is None or not 0 < int(found[2]) < 1 << 16:
        raise Refused("400 Bad Request", "a host and its port are needed")
    return Target(canonical(found[1]), int(found[2]), how)


def _reply(refused: Refused) -> bytes:
    body = f"RAG Assay: {refused}\n".encode()
    head = f"HTTP/1.1 {refused.status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body


async def _join(one: Streams, other: Streams, idle: float) -> None:
    """Pass on both ways until both ends have said all, or neither says anything for ``idle`` seconds."""
    heard = asyncio.Event()
    passing = asyncio.gather(_pass(one[0], other[1], heard), _pass(other[0], one[1], heard))
    try:
        while not passing.done():
            heard.clear()
            hearing = asyncio.ensure_future(heard.wait())
            either: list[asyncio.Future[Any]] = [passing, hearing]
            done, _ = await asyncio.wait(either, timeout=idle, return_when=asyncio.FIRST_COMPLETED)
            hearing.cancel()
            if not done:
                return
        passing.result()
    finally:
        passing.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await passing


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: asyncio.Event) -> None:
    while piece := await reader.read(PIECE):
        heard.set()
        writer.write(piece)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
