from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import embedders, errors
from evaluator.model.ports import EmbedderSetting

if TYPE_CHECKING:
    from collections.abc import Iterator


class Server(ThreadingHTTPServer):
    """An endpoint that embeds a text as its length, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str | None, dict[str, Any]]] = []
        self.answers: list[tuple[int, dict[str, Any]]] = []


class Handler(BaseHTTPRequestHandler):
    """Answers as prepared, else properly but in the opposite order."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.headers["Authorization"], body))
        rows = [{"index": index, "embedding": [float(len(text)), 1.0]} for index, text in enumerate(body["input"])]
        status, answer = self.server.answers.pop(0) if self.server.answers else (200, {"data": rows[::-1]})
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A real server on loopback."""
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def setting(server: Server | None, **environment: str) -> EmbedderSetting:
    """The endpoint with these variables."""
    url = f"http://127.0.0.1:{server.server_address[1]}/v1" if server is not None else None
    return EmbedderSetting("small", Path.cwd(), environment, url, "MY_KEY")


def test_an_endpoint_is_asked_for_each_text(server: Server) -> None:
    """Rows come back in the order of the texts, whatever that of the reply; the key is the named variable's."""
    kind, argument = embedders.choose("openai:small")
    embedder = kind.open(setting(server, MY_KEY="k-123"))
    assert argument == "small"
    assert embedder.documents(["a", "bbb"]) == [[1.0, 1.0], [3.0, 1.0]]
    assert embedder.questions(["cc"]) == [[2.0, 1.0]]
    assert server.asked[0] == ("Bearer k-123", {"input": ["a", "bbb"], "model": "small", "encoding_format": "float"})


def test_what_an_endpoint_refuses_is_one_sentence_without_the_key(server: Server) -> None:
    """Status and message, never the key."""
    server.answers = [(401, {"error": {"message": "bad key"}})]
    embedder = embedders.load()["openai"].open(setting(server, MY_KEY="k-123"))
    with pytest.raises(errors.UsageError, match=r"HTTP 401: .*bad key") as caught:
        embedder.documents(["a"])
    assert "k-123" not in str(caught.value)


def test_a_reply_with_other_vectors_is_refused(server: Server) -> None:
    """One text unanswered would shift every row after it."""
    server.answers = [(200, {"data": [{"index": 1, "embedding": [1.0]}]})]
    with pytest.raises(errors.UsageError, match="asked for 2 vectors and gave others"):
        embedders.load()["openai"].open(setting(server)).documents(["a", "b"])


def test_a_key_is_needed_only_where_there_is_no_other_endpoint() -> None:
    """Without a base URL the variable must be set."""
    with pytest.raises(errors.UsageError, match="MY_KEY is not set"):
        embedders.load()["openai"].open(setting(None))


@pytest.mark.parametrize("written", ["", "x", ":x", "openai:"])
def test_what_names_no_embedder_is_refused(written: str) -> None:
    """The forms that exist are named."""
    with pytest.raises(errors.UsageError, match="MODULE:CALLABLE, nor one of openai:"):
        embedders.choose(written)


def test_anything_else_is_a_callable_of_ones_own() -> None:
    """MODULE:CALLABLE needs no name before it."""
    kind, argument = embedders.choose("my.module:load.model")
    assert (kind.name, argument) == ("python", "my.module:load.model")
