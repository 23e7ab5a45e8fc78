"""Runs a user's callable in a process of the user's own interpreter.

A script of its own: Python 3.8 or later, standard library only, no module of ours, so that the user's environment
needs nothing but itself. ``python _worker.py REQUESTS REPLIES``: lines of JSON over two file descriptors, so that what
the callable prints does not get in the way; the first one says what to import.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and sys.path and sys.path[0] == __file__.rpartition("/")[0]:
    # Python put our folder first, where modules such as http.py would hide the standard library's.
    del sys.path[0]

import collections.abc
import contextlib
import difflib
import faulthandler
import importlib
import inspect
import json
import os
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterable, Mapping

    Json = dict[str, Any]

HIT_KEYS = ("id", "text", "doc", "score")
QUESTION_NAMES = ("question", "query")
EXTRAS = ("k", "history", "language")
ID_KEYS = ("id", "_id", "chunk_id", "source")
DOC_KEYS = ("doc", "doc_id", "document_id", "source")
MAX_REPLY, MAX_DETAIL = 64 * 1024 * 1024, 20_000
LISTS = (list, tuple)
OURS = (__file__, importlib.__file__, "<frozen importlib")


class Refusal(Exception):
    """What the callable returned is no answer."""


def main() -> None:
    """Import what the first line says, then answer line after line until there is none."""
    requests, replies = int(sys.argv[1]), int(sys.argv[2])
    for descriptor in (requests, replies):
        os.set_inheritable(descriptor, False)
    faulthandler.enable()
    for stream in (sys.stdout, sys.stderr):
        # What was printed before a crash must not be lost in a buffer.
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with os.fdopen(requests, "rb") as lines:
        start = json.loads(lines.readline())
        sys.argv[:] = [start["target"]]
        try:
            caller = Caller(load(start["target"], start["path"]))
        except BaseException as error:  # noqa: BLE001 - whatever the user's module raises is told
            send(replies, json.dumps({"failed": describe(error), "detail": trace(error)}))
            return
        send(replies, json.dumps({"ready": True}))
        serve(caller, lines, replies)


def serve(caller: Caller, lines: Iterable[bytes], replies: int) -> None:
    """Answer every request."""
    owner = os.getpid()
    for line in lines:
        reply = caller.reply(json.loads(line))
        if os.getpid() != owner:
            # The callable forked and the copy came back, too: there is nothing for it to do.
            os._exit(0)
        send(replies, reply)


def send(replies: int, line: str) -> None:
    """Write a line; what was printed before it is on its way before it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    data = memoryview(line.encode("ascii") + b"\n")
    while data:
        data = data[os.write(replies, data) :]


def load(target: str, path: list[str]) -> Callable[..., Any]:
    """Import ``module:callable``, looking into ``path`` first."""
    sys.path[:0] = path
    module_name, _, attributes = target.partition(":")
    found: Any = importlib.import_module(module_name)
    for name in attributes.split("."):
        if not hasattr(found, name):
            near = "".join(f"; {each} may be meant" for each in difflib.get_close_matches(name, dir(found), 1))
            raise AttributeError(f"{getattr(found, '__name__', found)} has no {name}{near}")
        found = getattr(found, name)
    if not callable(found):
        raise TypeError(f"{target} is {a(found)} and cannot be called")
    return found  # type: ignore[no-any-return]


class Caller:
    """Calls the target as it wants to be called and makes a line of JSON of whatever comes of it."""

    def __init__(self, target: Callable[..., Any]) -> None:
        self._target = target
        self._arguments = arguments_of(target)
        self._loop: AbstractEventLoop | None = None

    def reply(self, request: Json) -> str:
        """The line for a request: ``reply`` or ``failure``."""
        try:
            positional, named = self._arguments(request)
            return reply_line(to_response(self._settled(self._target(*positional, **named))))
        except Refusal as refusal:
            return failure_line("invalid", str(refusal))
        except BaseException as error:  # noqa: BLE001 - one case fails, the run goes on
            return failure_line("error", describe(error), trace(error))

    def _settled(self, result: Any) -> Any:
        """What a coroutine, a generator or an asynchronous generator comes to."""
        if inspect.isawaitable(result):
            result = self._run(result)
        if isinstance(result, collections.abc.AsyncIterable):
            pieces = result

            async def collected() -> list[Any]:
                return [piece async for piece in pieces]

            result = from_pieces(self._run(collected()))
        if isinstance(result, collections.abc.Iterator):
            result = from_pieces(list(result))
        return result

    def _run(self, awaitable: Any) -> Any:
        import asyncio  # noqa: PLC0415 - slow to import, and most callables are not asynchronous

        if self._loop is None:
            # One loop for all questions: clients that live longer than a call are bound to theirs.
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(awaitable)


def arguments_of(target: Callable[..., Any]) -> Callable[[Json], tuple[list[Any], Json]]:
    """How the target wants a request: whole, or the question with what else it names."""
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if not named or (named[0].name not in QUESTION_NAMES and named[0].annotation not in (str, "str")):
        return lambda request: ([request], {})
    first, *others = named
    extras = [each.name for each in others if each.name in EXTRAS and each.kind != each.POSITIONAL_ONLY]
    if first.kind == first.KEYWORD_ONLY:
        return lambda request: ([], {first.name: request["question"], **{name: request[name] for name in extras}})
    return lambda request: ([request["question"]], {name: request[name] for name in extras})


def from_pieces(pieces: list[Any]) -> Any:
    """What the pieces of a generator are together: a text, one response, or a list of results."""
    if pieces and all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    responses = [piece for piece in pieces if isinstance(piece, collections.abc.Mapping) and "id" not in piece]
    if responses and len(pieces) > 1:
        raise Refusal(
            f"the callable yielded a response among {len(pieces)} things; yield one response and nothing else"
        )
    return responses[0] if responses else pieces


def to_response(result: Any) -> Json:
    """The response dict that a callable's return value stands for."""
    if isinstance(result, str):
        return {"answer": result}
    if isinstance(result, LISTS):
        return {"retrieved": to_hits([result] if is_scored(result) else result, "")}
    if not isinstance(result, collections.abc.Mapping):
        raise Refusal(f"the callable returned {a(result)}; return a response dict, a list of results or a text")
    response = dict(result)
    if "retrieved" in response:
        response["retrieved"] = to_hits(response["retrieved"], " of retrieved")
    if "context" in response:
        found = to_hits(response["context"], " of context")
        response["context"] = [hit.get("id") for hit in found] if isinstance(found, list) else found
    if isinstance(response.get("steps"), LISTS):
        response["steps"] = [to_step(step) for step in response["steps"]]
    return response


def to_step(step: Any) -> Any:
    """A step with its results as dicts; what is no step stays as it is."""
    if not isinstance(step, collections.abc.Mapping):
        return step
    return {"query": step.get("query"), "retrieved": to_hits(step.get("retrieved", []), " of a step")}


def to_hits(items: Any, where: str) -> Any:
    """Results as dicts; what is no list stays as it is, to be refused by whoever reads it."""
    if not isinstance(items, LISTS):
        return items
    return [to_hit(item, f"result {place}{where}") for place, item in enumerate(items, 1)]


def is_scored(value: Any) -> bool:
    """Whether a value is a pair of a result and its score, a number of whatever library."""
    return isinstance(value, tuple) and len(value) == len(("result", "score")) and hasattr(value[1], "__float__")


def to_hit(item: Any, where: str) -> Json:
    """One result as a dict: from a dict, an id, a document of a well-known shape, or one of them with a score."""
    if is_scored(item):
        return {**to_hit(item[0], where), "score": item[1]}
    if isinstance(item, (str, int)) and not isinstance(item, bool):
        return {"id": item}
    if isinstance(item, collections.abc.Mapping):
        return {key: item[key] for key in HIT_KEYS if key in item}
    if hasattr(item, "node"):
        return {**from_node(item.node), "score": getattr(item, "score", None)}
    if hasattr(item, "id_"):
        return from_node(item)
    if hasattr(item, "page_content"):
        return from_document(item, where)
    raise Refusal(f"{where} is {a(item)}; a result is an id, a dict with one, or an object with page_content or node")


def from_node(node: Any) -> Json:
    """A LlamaIndex node: ``id_``, ``text``, the id of the document it comes from."""
    metadata = getattr(node, "metadata", None) or {}
    text = node.text if hasattr(node, "text") else node.get_content()
    return {"id": node.id_, "text": text, "doc": getattr(node, "ref_doc_id", None) or first_of(metadata, DOC_KEYS)}


def from_document(document: Any, where: str) -> Json:
    """A LangChain document: ``page_content``, ``metadata`` and, in newer versions, ``id``."""
    metadata = getattr(document, "metadata", None) or {}
    identifier = getattr(document, "id", None) or first_of(metadata, ID_KEYS)
    if identifier is None:
        raise Refusal(f"{where} is {a(document)} without an id; set its id or its metadata['id'] when indexing")
    return {"id": identifier, "text": document.page_content, "doc": first_of(metadata, DOC_KEYS)}


def first_of(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of some entries that is there."""
    return next((metadata[key] for key in keys if metadata.get(key) is not None), None)


def reply_line(response: Json) -> str:
    """The line that carries a response."""
    try:
        line = json.dumps({"reply": response}, default=plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal(f"what the callable returned cannot be written as JSON: {error}") from error
    if len(line) > MAX_REPLY:
        raise Refusal(f"what the callable returned is larger than {MAX_REPLY >> 20} MB")
    return line


def failure_line(kind: str, message: str, detail: str = "") -> str:
    """The line that carries a failure."""
    return json.dumps({"failure": {"kind": kind, "message": whole(message), "detail": detail}})


def plain(value: Any) -> Any:
    """A value of a numeric library as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"it holds {a(value)}")


def describe(error: BaseException) -> str:
    """``TypeName: message``."""
    return whole(f"{type(error).__name__}: {error}".removesuffix(": "))


def trace(error: BaseException) -> str:
    """The traceback without our own frames and the import system's; empty where it says no more than the message."""
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code.co_filename.startswith(OURS):
        place = place.tb_next
    lines = traceback.format_exception(type(error), error, place)
    return whole("".join(lines)[-MAX_DETAIL:]) if len(lines) > 1 else ""


def whole(text: str) -> str:
    """A text without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def a(value: Any) -> str:
    """A value's type, as a sentence names it."""
    return "None" if value is None else f"of type {type(value).__name__}"


if __name__ == "__main__":
    main()
