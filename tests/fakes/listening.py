"""A socket of a fake server: a thread for each connection, all of which end when it does."""

from __future__ import annotations

import contextlib
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Listening(ThreadingHTTPServer):
    """Listens on an address for ``owner``, whom its handlers ask what to do."""

    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], owner: Any) -> None:
        self.owner = owner
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(address, handler)
        self.loop = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)

    def encrypt(self, certificate: Path) -> None:
        """Speak TLS from the first byte on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def start(self) -> None:
        self.loop.start()

    def stop(self) -> None:
        self.shutdown()
        self.loop.join()
        self.server_close()

    def get_request(self) -> Any:
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._guard:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        self.socket.close()
        with self._guard:
            still_open = list(self._open)
        for connection in still_open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections break on purpose here; anything else is a mistake of the fake's and is shown."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError, ValueError, OSError)):
            super().handle_error(request, client_address)
