"""Connections that can be ended from another thread, and sessions that send nothing of their own accord."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

import requests
import requests.adapters
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

if TYPE_CHECKING:
    import urllib3


class Slot:
    """What one thread sends with: a session of its own, and the connection that a reply is being waited for on."""

    def __init__(self, closed: threading.Event) -> None:
        self.session = _session()
        self.expired = False
        self._stopped = False
        self._closed = closed
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._question = object()

    def begin(self) -> object:
        """A question begins in this thread; what is given back stands for it."""
        _THREAD.slot = self
        with self._lock:
            self.expired, self._stopped, self._question = False, self._closed.is_set(), object()
            return self._question

    def connected(self, connection: socket.socket) -> None:
        """A connection was made; it is ended at once if its time is over already."""
        self._socket = connection
        if self._stopped:
            self.stop()

    def expire(self, question: object) -> None:
        """The time for a question is over, unless the next one has begun."""
        with self._lock:
            if question is not self._question:
                return
            self.expired = True
        self.stop()

    def stop(self) -> None:
        """End the connection: whoever reads from it, in whatever thread, reads its end."""
        self._stopped = True
        if self._socket is not None:
            with suppress(OSError):
                # The method of an encrypted socket would take its state apart under the reader.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


_THREAD = threading.local()


class _Plain(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _THREAD.slot.connected(self.sock)


class _Encrypted(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _THREAD.slot.connected(self.sock)


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _EncryptedPool(HTTPSConnectionPool):
    ConnectionCls = _Encrypted


class _Adapter(requests.adapters.HTTPAdapter):
    """Hands out connections that can be ended from another thread; it tries nothing again by itself."""

    def init_poolmanager(self, *arguments: Any, **keywords: Any) -> None:
        super().init_poolmanager(*arguments, **keywords)
        self._watch(self.poolmanager)

    def proxy_manager_for(self, *arguments: Any, **keywords: Any) -> Any:
        manager = super().proxy_manager_for(*arguments, **keywords)
        self._watch(manager)
        return manager

    @staticmethod
    def _watch(manager: urllib3.PoolManager) -> None:
        manager.pool_classes_by_scheme = {"http": _PlainPool, "https": _EncryptedPool}


class _Session(requests.Session):
    """A session that leaves redirects to us: even told to follow none, it would look at where they lead."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Nowhere."""


def _session() -> requests.Session:
    session = _Session()
    # No .netrc, no proxies and no certificates but those of the variables that the pipeline was granted.
    session.trust_env = False
    session.headers.clear()
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(pool_connections=1, pool_maxsize=1))
    return session
