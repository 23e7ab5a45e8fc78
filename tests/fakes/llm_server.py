"""A provider of models on the loopback interface: OpenAI's and Anthropic's wire formats, strict, counting, scripted.

In a test ``with LlmServer() as server`` serves ``server.url`` (``server.openai_url`` ends in /v1). Faults are handed to
it beforehand (``server.script``) or decided call by call (``server.fault``); what was asked stands in ``server.calls``.
As a program it prints its address and serves until it is ended: ``python tests/fakes/llm_server.py --latency 0.5``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import struct
import sys
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fakes import llm_brain, llm_wires
from tests.fakes.listening import Listening
from tests.fakes.llm_wires import Anthropic, OpenAI, Refused, Replied

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

KEY = "sk-test-0123456789abcdef"


class Fault(NamedTuple):
    """What happens to a call instead of a reply, or before it.

    Attributes:
        status: the error that is answered; None for the ordinary reply.
        message: the error's words.
        headers: of the reply, error or not.
        wait: seconds before anything happens.
        cut: ``before`` (the connection is reset before a reply), ``body`` (in the middle of its body), ``headers``.
        hang: nothing ever comes.
        body: a body of one's own, as text, in place of the error's or the reply's.
    """

    status: int | None = None
    message: str = "scripted"
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    wait: float = 0.0
    cut: str | None = None
    hang: bool = False
    body: str | None = None


def limited(after: float | str | None = None, **headers: str) -> Fault:
    """HTTP 429, with ``Retry-After`` or without."""
    told = {} if after is None else {"Retry-After": str(after)}
    return Fault(429, "Rate limit reached.", {**told, **{name.replace("_", "-"): v for name, v in headers.items()}})


OVERLOADED = Fault(529, "Overloaded")
BROKEN = Fault(500, "Internal server error")
RESET = Fault(cut="body")
DROPPED = Fault(cut="before")
HANGING = Fault(hang=True)


@dataclass
class Call:
    """One request as it came, and what became of it; times by the monotonic clock."""

    path: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any] = field(repr=False)
    began: float
    status: int | None = None
    ended: float | None = None
    read: int = 0
    written: int = 0


class LlmServer:
    """The server and what it does.

    Attributes:
        host: the address of this machine at which it listens.
        brain: makes a reply of what is asked (``llm_brain.agree``): a text, an object or a ``Said``.
        keys: those that are let in; None lets all in.
        models: those that are known; None knows all.
        latency: seconds that every proper reply takes.
        window, windows: tokens read at once, by default and by model.
        most_written: the largest room that a reply may have.
        refused_parameters: refused by name for every model.
        refused_formats: status by refused format: ``json_schema``, ``json_object``, ``output_config`` or ``tools``.
        says_why: whether such a refusal names the format.
        takes_schema_in_object: as llama-cpp-python does.
        headers: put on every proper reply.
        script: faults for the next calls, None for none.
        fault: decides by the number of a call, from 0, and its body.
        dated: the dated names that aliases are answered as.
    """

    def __init__(self, port: int = 0, **settings: Any) -> None:
        self.host = "127.0.0.1"
        self.brain: Callable[[llm_brain.Asked], Any] = llm_brain.agree
        self.keys: set[str] | None = {KEY}
        self.models: set[str] | None = None
        self.latency = 0.0
        self.window = 200_000
        self.windows: dict[str, int] = {}
        self.most_written = 128_000
        self.refused_parameters: set[str] = set()
        self.refused_formats: dict[str, int] = {}
        self.says_why = True
        self.takes_schema_in_object = False
        self.headers: dict[str, str] = {}
        self.script: deque[Fault | None] = deque()
        self.fault: Callable[[int, dict[str, Any]], Fault | None] = lambda _number, _body: None
        self.dated: dict[str, str] = {}
        for name, value in settings.items():
            if not hasattr(self, name):
                raise TypeError(f"the server has no {name}")
            setattr(self, name, value)
        self.calls: list[Call] = []
        self.most_at_once = 0
        self._at_once = 0
        self._remembered: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._port = port
        self._listening: Listening | None = None

    @property
    def url(self) -> str:
        """Its address, as Anthropic's client takes it."""
        return f"http://{self.host}:{self._port}"

    @property
    def openai_url(self) -> str:
        """Its address, as OpenAI's client takes it."""
        return f"{self.url}/v1"

    @property
    def read(self) -> int:
        """Tokens read by all calls."""
        return sum(call.read for call in self.calls)

    @property
    def written(self) -> int:
        """Tokens written in all calls."""
        return sum(call.written for call in self.calls)

    @property
    def answered(self) -> list[Call]:
        """Calls that got a proper reply."""
        return [call for call in self.calls if call.status == 200]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Listen: on the port it had before, if any."""
        self._stopped.clear()
        self._listening = Listening((self.host, self._port), _Handler, self)
        self._port = self._listening.server_address[1]
        self._listening.start()

    def stop(self) -> None:
        """End: open connections are reset, hanging calls too."""
        listening, self._listening = self._listening, None
        if listening is None:
            return
        self._stopped.set()
        listening.stop()

    def restart(self) -> None:
        """Stop and listen again at the same address; what was counted stays."""
        self.stop()
        self.start()

    def next_fault(self, body: dict[str, Any], call: Call) -> Fault:
        """What happens to a call."""
        with self._lock:
            self.calls.append(call)
            number = len(self.calls) - 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            scripted = self.script.popleft() if self.script else None
        return scripted or self.fault(number, body) or Fault()

    def done(self, call: Call) -> None:
        """A call has ended."""
        with self._lock:
            self._at_once -= 1
            call.ended = call.ended or time.monotonic()

    def wait(self, seconds: float | None) -> None:
        """Wait, at most until the server stops."""
        if seconds != 0 and self._stopped.wait(seconds):
            raise ConnectionResetError

    def think(self, asked: llm_brain.Asked) -> llm_brain.Said:
        """The model's reply."""
        try:
            return llm_wires.as_said(self.brain(asked))
        except Exception as error:
            traceback.print_exc()
            raise Refused(418, f"the brain of the fake failed: {error!r}") from error

    def embed(self, text: str) -> list[float]:
        """The model's vector of a text."""
        return llm_wires.embedding(text)

    def check_model(self, model: str, message: str) -> None:
        """Refuse a model that is not known."""
        if self.models is not None and model not in self.models:
            raise Refused(404, message, "model_not_found", "model")

    def answers_as(self, model: str) -> str:
        """The name that a reply gives."""
        return self.dated.get(model, model)

    def remember(self, prefix: str) -> bool:
        """Whether a prefix was kept before; from now on it is."""
        with self._lock:
            known = prefix in self._remembered
            self._remembered.add(prefix)
            return known

    def kept(self, model: str, system: str) -> int:
        """Tokens of a system text that were read before, in steps of 128 as OpenAI counts them."""
        size = llm_wires.tokens(system)
        return size // 128 * 128 if size >= llm_wires.KEPT_FROM and self.remember(f"{model}\0{system}") else 0


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Listening
    PATHS: ClassVar = {
        "/v1/chat/completions": (OpenAI, OpenAI.chat),
        "/v1/embeddings": (OpenAI, OpenAI.embeddings),
        "/v1/messages": (Anthropic, Anthropic.messages),
        "/v1/messages/count_tokens": (Anthropic, Anthropic.count),
    }

    def do_POST(self) -> None:
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        call = Call(self.path, headers, body, time.monotonic())
        fault = owner.next_fault(body, call)
        try:
            self._reply(call, fault)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        finally:
            owner.done(call)

    def do_GET(self) -> None:
        self._send(404, {"error": {"message": f"Invalid URL (GET {self.path})"}}, {})

    def _reply(self, call: Call, fault: Fault) -> None:
        owner = self.server.owner
        if fault.hang:
            owner.wait(None)
        owner.wait(fault.wait)
        if fault.cut == "before":
            self._reset()
            return
        wire, answer = self.PATHS.get(call.path, (OpenAI, None))
        try:
            replied = self._proper(call, fault, wire, answer)
            status, found, headers = 200, replied.body, {**owner.headers, **fault.headers}
        except Refused as refused:
            status, found, headers = refused.status, wire.error(refused), fault.headers
        if fault.cut is None:
            # Told before it is sent: whoever has the reply may look.
            call.status, call.ended = status, time.monotonic()
        self._send(status, found if fault.body is None else fault.body, headers, cut=fault.cut)

    def _proper(self, call: Call, fault: Fault, wire: Any, answer: Any) -> Replied:
        owner = self.server.owner
        if fault.status is not None and fault.status != 200:
            raise Refused(fault.status, fault.message)
        if answer is None:
            raise Refused(404, f"Invalid URL (POST {call.path})")
        wire.check_key(call.headers, owner)
        replied: Replied = answer(call.body, owner)
        owner.wait(owner.latency)
        call.read, call.written = replied.read, replied.written
        return replied

    def _send(self, status: int, body: Any, headers: dict[str, str], cut: str | None = None) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response_only(status)
        given = {"Date": formatdate(usegmt=True), "Content-Type": "application/json", **headers}
        for name, value in {**given, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data if cut is None else data[: len(data) // 2])
        if cut is not None:
            self.wfile.flush()
            self._reset()

    def _reset(self) -> None:
        """Close so that the other side sees a reset and no proper end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    """Serve until ended; prints the address first, and on the end what was counted."""
    parser = argparse.ArgumentParser(description="A fake provider of models on the loopback interface.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that every reply takes")
    parser.add_argument("--any-key", action="store_true", help=f"let every key in, not {KEY} alone")
    parser.add_argument("--brain", choices=("agree", "literal"), default="agree")
    given = parser.parse_args()
    brain = getattr(llm_brain, given.brain)
    server = LlmServer(given.port, latency=given.latency, brain=brain, keys=None if given.any_key else {KEY})
    with server:
        print(server.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt, EOFError):
            # A line on standard input asks for the counts, its end is ours.
            for _ in sys.stdin:
                counted = {"calls": len(server.calls), "answered": len(server.answered)}
                counted |= {"read": server.read, "written": server.written, "most_at_once": server.most_at_once}
                print(json.dumps(counted), flush=True)


if __name__ == "__main__":
    main()
