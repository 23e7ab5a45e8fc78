"""The proxies by which the machine itself goes out: the pipeline's proxy uses them, and the pipeline sees none."""

from __future__ import annotations

import asyncio
import base64
import ssl
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.zones.egress import Target

USUAL = {"http": 80, "https": 443}


class Parent(NamedTuple):
    """One proxy of the machine's."""

    host: str
    port: int
    is_secure: bool
    authorization: str = ""

    async def connect(self, target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A tunnel to a target; for a plain request the proxy itself, which takes such requests.

        Raises:
            OSError: the proxy cannot be reached, or makes none.
        """
        context = ssl.create_default_context() if self.is_secure else None
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=context)
        if target.how == "http":
            return reader, writer
        authority = target.authority
        head = f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{self.authorization}\r\n"
        try:
            writer.write(head.encode())
            answer = await reader.readuntil(b"\r\n\r\n")
        except BaseException:
            writer.close()
            raise
        if answer.split(b" ", 2)[1:2] != [b"200"]:
            writer.close()
            raise OSError("the machine's proxy refuses")
        return reader, writer


@dataclass(frozen=True)
class Outgoing:
    """What the environment says of proxies: by scheme, and whom they are not for."""

    parents: Mapping[str, Parent]
    bypass: str = ""

    def for_target(self, target: Target) -> Parent | None:
        """The proxy to reach a target by; None where it is reached directly."""
        parent = self.parents.get("http" if target.how == "http" else "https")
        # typeshed does not know this function.
        bypasses = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined]
        return None if parent is None or bypasses(target.host, {"no": self.bypass}) else parent


def read(environment: Mapping[str, str]) -> Outgoing:
    """The proxies of an environment: ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``, in either case.

    Raises:
        UsageError: one of them is no address of an HTTP proxy; what it is may hold a password, and is not repeated.
    """

    def of(name: str) -> str:
        return environment.get(name) or environment.get(name.upper()) or ""

    found = {scheme: of(f"{scheme}_proxy") or of("all_proxy") for scheme in USUAL}
    return Outgoing({scheme: _parent(url, scheme) for scheme, url in found.items() if url}, of("no_proxy"))


def _parent(url: str, scheme: str) -> Parent:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname, parts.port or USUAL.get(parts.scheme)
    except ValueError:
        host, port = None, None
    if not host or port is None:
        raise errors.UsageError(f"the runner's {scheme.upper()}_PROXY is no address of an HTTP proxy")
    authorization = ""
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        authorization = f"Proxy-Authorization: Basic {base64.b64encode(user).decode()}\r\n"
    return Parent(host, port, parts.scheme == "https", authorization)
