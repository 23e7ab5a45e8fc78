"""Callables that stand in for a user's Python pipeline: right, odd and fatal ones, chosen by the question's text."""

# What they print is part of what they are for.

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import Any


class Document:
    """The shape of a LangChain document."""

    def __init__(self, page_content: str, metadata: dict[str, Any], id: str | None = None) -> None:  # noqa: A002 - its own name
        self.page_content = page_content
        self.metadata = metadata
        self.id = id


def node(identifier: str, text: str, score: float | None) -> Any:
    """The shape of a LlamaIndex node with its score."""
    return SimpleNamespace(
        node=SimpleNamespace(id_=identifier, text=text, ref_doc_id="guide", metadata={}), score=score
    )


def responses(request: dict[str, Any]) -> Any:
    """Return whatever the question names."""
    return RESPONSES[request["question"]](request)


def _generator(_: Any) -> Any:
    yield {"id": "a"}
    yield {"id": "b"}


def _text_generator(_: Any) -> Any:
    yield from ("thirty", " ", "days")


def _response_generator(_: Any) -> Any:
    yield {"answer": "thirty days", "retrieved": ["a"]}


async def _coroutine(_: Any) -> Any:
    await asyncio.sleep(0)
    return [{"id": "a"}]


async def _async_generator(_: Any) -> Any:
    for identifier in "ab":
        await asyncio.sleep(0)
        yield {"id": identifier}


def _raise(_: Any) -> Any:
    raise ValueError("the index\nis gone")


def _numpy(_: Any) -> Any:
    import numpy as np

    return [{"id": np.int64(7), "score": np.float32(0.5)}, {"id": "b", "score": np.float64("nan")}]


RESPONSES: dict[str, Any] = {
    "request": lambda request: {"answer": repr(sorted(request))},
    "response": lambda _: {
        "retrieved": [{"id": "a", "text": "A", "doc": "d", "score": 2}],
        "context": ["a"],
        "answer": "yes",
    },
    "hits": lambda _: [{"id": "a", "score": 1.5, "embedding": object()}, "b", 3],
    "text": lambda _: "thirty days",
    "documents": lambda _: [
        Document("A", {"source": "guide.md"}, id="a"),
        Document("B", {"id": "b", "doc_id": "guide"}),
        (Document("C", {"chunk_id": 7}), 0.25),
    ],
    "nodes": lambda _: [node("a", "A", 0.9), node("b", "B", None)],
    "pair": lambda _: (Document("A", {}, id="a"), 0.5),
    "steps": lambda _: {"answer": "yes", "steps": [{"query": "first", "retrieved": [Document("A", {}, id="a")]}]},
    "context documents": lambda _: {"answer": "yes", "retrieved": ["a"], "context": [Document("A", {}, id="a")]},
    "generator": _generator,
    "text generator": _text_generator,
    "response generator": _response_generator,
    "coroutine": _coroutine,
    "async generator": _async_generator,
    "empty": lambda _: [],
    "none": lambda _: None,
    "number": lambda _: 42,
    "nameless": lambda _: [Document("A", {"page": 3})],
    "strange hit": lambda _: ["a", object()],
    "mixed": lambda _: iter([{"answer": "yes"}, {"id": "a"}]),
    "not json": lambda _: {"answer": "yes", "meta": {"when": object()}},
    "too large": lambda _: {"answer": "x" * (65 << 20)},
    "half a pair": lambda _: {"answer": "\ud800"},
    "raise": _raise,
    "raise half a pair": lambda _: (_ for _ in ()).throw(ValueError("\ud800")),
    "exit": lambda _: sys.exit(3),
    "numpy": _numpy,
}


def by_question(question: str, k: int, language: str, history: list[Any], depth: str = "untouched") -> str:
    """Asked with the question and whatever else it names."""
    return repr((question, k, language, history, depth))


def by_annotation(text: str) -> str:
    """Asked with the question because its only parameter is annotated so."""
    return f"asked {text}"


def by_keyword(*, query: str) -> str:
    """Asked with the question by keyword."""
    return f"asked {query}"


class Loop:
    """Asked with a coroutine that remembers its loop."""

    def __init__(self) -> None:
        self.loops: list[Any] = []

    async def __call__(self, _request: dict[str, Any]) -> str:
        """How many loops have been seen."""
        loop = asyncio.get_running_loop()
        if loop not in self.loops:
            self.loops.append(loop)
        return str(len(self.loops))


one_loop = Loop()


def fatal(request: dict[str, Any]) -> Any:
    """Come to the end that the question names; answer with the process id otherwise."""
    return FATAL.get(request["question"], lambda: str(os.getpid()))()


def _forever() -> None:
    while True:
        pass


def _print_forever() -> None:
    while True:
        os.write(1, b"x" * 65536)


def _sleeper(start_session: bool, *, twice: bool = False) -> int:
    """Fork a process that outlives the call, by itself or as a daemon; its id."""
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        if start_session:
            os.setsid()
        if twice and os.fork() != 0:
            os._exit(0)
        os.write(write_end, str(os.getpid()).encode())
        while True:
            signal.pause()
    return int(os.read(read_end, 100))


def _bare() -> int:
    """Start a program that has none of the environment."""
    return subprocess.Popen(["/bin/sleep", "1000"], env={}, start_new_session=True).pid


def _leave(*sleepers: int) -> str:
    return " ".join(map(str, sleepers))


def _end_supervisor() -> None:
    print(_sleeper(True, twice=True), flush=True)
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()


def _many_processes() -> None:
    for _ in range(60):
        _sleeper(False)
    signal.pause()


def _shared_out_memory() -> None:
    for _ in range(4):
        if os.fork() == 0:
            held = bytearray(100 << 20)
            held[::4096] = b"x" * len(held[::4096])
            signal.pause()
    signal.pause()


def _fork_and_return() -> str:
    return "child" if os.fork() == 0 else "parent"


def _print_commands() -> str:
    print("::set-output name=x::y")
    print("   ::add-mask::word")
    print("before ##[error]after")
    sys.stderr.write("no line end")
    return "printed"


FATAL: dict[str, Any] = {
    "os._exit": lambda: os._exit(3),
    "segfault": lambda: ctypes.string_at(0),
    "8 GB": lambda: str(len(bytearray(8 << 30))),
    "endless loop": _forever,
    "endless output": _print_forever,
    "leave": lambda: _leave(_sleeper(False), _sleeper(True), _sleeper(True, twice=True), _bare()),
    "leave and end": lambda: (print(_sleeper(True, twice=True), flush=True), os._exit(0)),
    "leave and hang": lambda: (print(_sleeper(True, twice=True), flush=True), signal.pause()),
    "end the supervisor": _end_supervisor,
    "many processes": _many_processes,
    "shared out memory": _shared_out_memory,
    "who watches": lambda: str(os.getppid()),
    "fork and return": _fork_and_return,
    "print": _print_commands,
    "close": lambda: os.closerange(3, 1000) or "closed",
    "environment": lambda: " ".join(sorted(os.environ)),
    "input": input,
    "shadowed": lambda: __import__("http").__file__,
}
