from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors, templates
from evaluator.model.config import Pipeline as PipelineConfig
from evaluator.model.ports import PipelineSetting
from evaluator.model.record import Answer, AnswerFailure, Request
from evaluator.pipelines import _http_client, _http_request
from evaluator.pipelines.http import PIPELINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evaluator.model.record import Reply

SECRET = 's3cret/val"ue+éX'  # noqa: S105 - nobody's
REPLY = {"retrieved": [{"id": "a", "text": "A"}], "answer": "yes"}
QUESTION = Request("q|1", "what & why?", 5, 20, "en", ({"role": "user", "content": "hi"},))


class Asked:
    """What the server was asked."""

    def __init__(self, handler: Handler, body: bytes) -> None:
        self.method, self.path = handler.command, handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = body


class Server(ThreadingHTTPServer):
    """A real server on loopback whose replies are functions of its handler, the last one for ever."""

    daemon_threads = True

    def __init__(self, *replies: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[Asked] = []
        self.replies = list(replies)
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """Answers as the server was told."""

    protocol_version = "HTTP/1.1"
    server: Server

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append(Asked(self, body))
        reply = self.server.replies[0] if len(self.server.replies) == 1 else self.server.replies.pop(0)
        reply(self)

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def says(
    body: object = REPLY, status: int = 200, kind: str = "application/json", **headers: str
) -> Callable[[Handler], None]:
    """A whole reply."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def reply(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def drops(handler: Handler) -> None:
    """No reply: the connection ends."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def hangs(handler: Handler) -> None:
    """No reply, and no end."""
    handler.server.over.wait(20)
    handler.close_connection = True


def drips(start: bytes) -> Callable[[Handler], None]:
    """A byte every moment, so that no wait for one is ever long."""

    def reply(handler: Handler) -> None:
        handler.close_connection = True
        try:
            handler.wfile.write(start)
            while not handler.server.over.wait(0.02):
                handler.wfile.write(b"x")
        except OSError:
            return

    return reply


@contextmanager
def serving(*replies: Callable[[Handler], None]) -> Iterator[Server]:
    """A server that runs."""
    with Server(*(replies or (says(),))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def setting(url: str, env: Mapping[str, str] | None = None, **fields: Any) -> PipelineSetting:
    """A setting whose pipeline is at an address; ``fields`` are of pipeline.http, but for workers and timeout."""
    environment = dict(env or {})
    shared = {key: fields.pop(key) for key in ("workers", "timeout") if key in fields}
    config = {"kind": "http", "http": {"url": url, **fields}, "env": list(environment), "timeout": 10.0, **shared}
    return PipelineSetting(
        config=PipelineConfig.model_validate(config), folder=Path(), fixture=None, environment=environment,
        language="en", log=print, templates=templates.of_config,
    )  # fmt: skip


def ask(url: str, env: Mapping[str, str] | None = None, **fields: Any) -> Reply:
    """One question."""
    with PIPELINE.open(setting(url, env, **fields)) as pipeline:
        return pipeline.ask(QUESTION, 0)


def answered(reply: Reply) -> Answer:
    """The reply, which is an answer."""
    assert isinstance(reply, Answer), reply
    return reply


def failed(reply: Reply) -> tuple[str, str]:
    """Kind and message of the reply, which is a failure."""
    assert isinstance(reply, AnswerFailure), reply
    return reply.kind, reply.message


def mistakes(**http: Any) -> list[tuple[str, str]]:
    """Where and what is wrong with a section."""
    env = http.pop("env", [])
    config = PipelineConfig.model_validate({"kind": "http", "http": {"url": "http://h/", **http}, "env": env})
    return [(".".join(map(str, path)), text) for path, text in PIPELINE.mistakes(config, templates.of_config)]


class TestRequests:
    """What is sent."""

    def test_the_whole_request_is_the_body_by_default(self) -> None:
        """Without a body of its own, an endpoint is asked what every pipeline is asked."""
        with serving() as server:
            reply = answered(ask(server.url + "/ask"))
            [asked] = server.asked
        assert (asked.method, asked.path, asked.headers["content-type"]) == ("POST", "/ask", "application/json")
        assert json.loads(asked.body) == QUESTION.to_dict()
        assert ([hit.id for hit in reply.retrieved], reply.answer) == (["a"], "yes")

    def test_every_text_of_the_body_is_a_template(self) -> None:
        """One that is only a value keeps its type; the rest is text; what a question says is never a template."""
        question = QUESTION._replace(question='{{ 7 * 7 }} "quoted"\n')
        body = {
            "q": "Q: {{ question }}", "k": "{{ k }}", "turns": "{{history}}", "n": 3, "deep": [{"x": "{{ k + 1 }}"}],
            "{{ k }}": None,
        }  # fmt: skip
        with serving() as server, PIPELINE.open(setting(server.url, body=body)) as pipeline:
            pipeline.ask(question, 0)
            sent = json.loads(server.asked[0].body)
        assert sent == {
            "q": f"Q: {question.question}", "k": 5, "turns": list(QUESTION.history), "n": 3, "deep": [{"x": "6"}],
            "{{ k }}": None,
        }  # fmt: skip

    def test_a_body_of_text_is_sent_as_it_is(self) -> None:
        """A format that is not JSON is written out, under the type that the headers say."""
        with serving() as server:
            ask(server.url, body="<q>{{ question }}</q>\n", headers={"Content-Type": "text/xml"})
            [asked] = server.asked
        assert (asked.body, asked.headers["content-type"]) == (b"<q>what & why?</q>\n", "text/xml")

    def test_a_question_in_the_address_stays_one_value(self) -> None:
        """It is encoded whole, once, whether the template says so or not, and reaches neither path nor host."""
        with serving() as server:
            for template in ("{{ question }}", "{{ question | urlencode }}"):
                ask(f"{server.url}/s?q={template}&k={{{{ k }}}}", method="get")
            paths = {asked.path for asked in server.asked}
        assert paths == {"/s?q=what%20%26%20why%3F&k=5"}
        assert [(asked.method, asked.body) for asked in server.asked] == [("GET", b"")] * 2

    def test_headers_hold_the_values_of_granted_variables(self) -> None:
        """``${NAME}`` anywhere in a value; nothing else of the environment is sent, nor read from files of the user."""
        with serving() as server:
            ask(server.url, {"RAG_KEY": "abc", "OTHER": "no"}, headers={"Authorization": "Bearer ${RAG_KEY}!"})
            headers = server.asked[0].headers
        assert headers["authorization"] == "Bearer abc!"
        assert headers["user-agent"].startswith("rag-assay/")
        assert set(headers) == {
            "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host",
            "user-agent",
        } - ({"connection"} - set(headers))  # fmt: skip

    @pytest.mark.parametrize("value", ["", "two\nlines", "trailing\n", "tab\t ", "über–lang"])
    def test_a_variable_that_no_header_may_hold_stops_the_run(self, value: str) -> None:
        """Unset, or with a line end: it is named, and its value is not shown."""
        with pytest.raises(errors.PipelineError, match=r"RAG_KEY|X-Key") as caught:
            ask("http://127.0.0.1:9", {"RAG_KEY": value}, headers={"X-Key": "${RAG_KEY}"})
        assert not value or value.strip() not in str(caught.value)

    def test_questions_share_a_connection_and_no_cookies(self) -> None:
        """A connection is kept for the next question; what a server wants remembered is not."""
        with serving(says(Set_Cookie="user=1; Path=/")) as server, PIPELINE.open(setting(server.url)) as pipeline:
            for _ in range(3):
                answered(pipeline.ask(QUESTION, 0))
            assert all("cookie" not in asked.headers for asked in server.asked)

    def test_workers_ask_at_the_same_time(self) -> None:
        """Each slot waits for its own reply: the last of three questions lets go of all."""
        gate = threading.Barrier(3)

        def together(handler: Handler) -> None:
            gate.wait(10)
            says()(handler)

        with (
            serving(together) as server,
            PIPELINE.open(setting(server.url, workers=3)) as pipeline,
            ThreadPoolExecutor(3) as pool,
        ):
            replies = list(pool.map(lambda slot: pipeline.ask(QUESTION, slot), range(3)))
        assert [answered(reply).answer for reply in replies] == ["yes"] * 3

    def test_a_proxy_is_used_only_where_its_variable_is_granted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The caller's own proxy says nothing; a granted one is used, unless no_proxy, granted too, says otherwise."""
        with serving() as server, serving(says({"answer": "from the proxy"})) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.url)
            monkeypatch.setenv("NO_PROXY", "nowhere")
            assert answered(ask(server.url)).answer == "yes"
            assert answered(ask(server.url, {"http_proxy": proxy.url})).answer == "from the proxy"
            assert answered(ask(server.url, {"HTTP_PROXY": proxy.url, "NO_PROXY": "127.0.0.1"})).answer == "yes"
        assert proxy.asked[0].path == f"{server.url}/"


class TestReplies:
    """What is read."""

    def test_a_foreign_reply_is_mapped(self) -> None:
        """JMESPath expressions pick out our keys; numbers as ids are texts."""
        body = {"out": {"text": "yes"}, "hits": [{"ref": 7, "body": "A", "d": "x"}, {"ref": "b", "body": "B"}], "ms": 3}
        fields = {
            "answer": "out.text",
            "retrieved": "hits[].{id: ref, text: body, doc: d}",
            "usage": "{latency_ms: ms}",
        }
        with serving(says(body)) as server:
            reply = answered(ask(server.url, fields=fields))
        assert [(hit.id, hit.text, hit.doc) for hit in reply.retrieved] == [("7", "A", "x"), ("b", "B", None)]
        assert (reply.answer, reply.latency_ms) == ("yes", 3)

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ({"hits": None}, "fields.retrieved finds nothing"),
            ({"error": "busy"}, "fields.retrieved finds nothing"),
            ([], "fields.retrieved finds nothing"),
            ({"hits": [{"no": 1}]}, "the id of result 1 of retrieved"),
            ({"hits": 7}, "cannot be applied"),
        ],
    )
    def test_a_map_that_finds_nothing_is_a_failure(self, body: object, said: str) -> None:
        """Nothing where the results should be is never an empty ranking."""
        with serving(says(body)) as server:
            kind, message = failed(ask(server.url, fields={"retrieved": "sort_by(hits, &no)[].{id: x}"}))
        assert kind == "invalid"
        assert said in message or "fields.retrieved" in message

    def test_nothing_retrieved_is_an_answer(self) -> None:
        """An empty list is what the pipeline found."""
        with serving(says({"hits": [], "a": None})) as server:
            reply = answered(ask(server.url, fields={"retrieved": "hits[].{id: id}", "answer": "a"}))
        assert (reply.retrieved, reply.answer) == ((), None)

    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            (gzip.compress(json.dumps(REPLY).encode(), mtime=0), "gzip"),
            ('{"answer": "åäö"}'.encode("latin-1"), "application/json; charset=iso-8859-1"),
            ('{"answer": "åäö"}'.encode("utf-16"), "text/plain; charset=utf-16"),
            ("\ufeff" + '{"answer": "åäö"}', "application/json"),
            ('{"answer": "åäö"}', "text/html"),
        ],
    )
    def test_encodings_are_undone(self, body: bytes | str, kind: str) -> None:
        """P5: gzip, Latin-1 and whatever else the headers state, a byte order mark, and JSON under a wrong type."""
        data = body if isinstance(body, bytes) else body.encode()
        reply = says(data, Content_Encoding="gzip") if kind == "gzip" else says(data, kind=kind)
        with serving(reply) as server:
            assert answered(ask(server.url)).answer in {"yes", "åäö"}

    @pytest.mark.parametrize(
        ("reply", "kind", "said"),
        [
            (
                says(b"<!DOCTYPE html>\n<h1>Oops</h1>", kind="text/html"),
                "invalid",
                "is text/html, not JSON: <!DOCTYPE html>",
            ),
            (says(b'{"answer": "\xe5"}'), "invalid", "is not the utf-8 text"),
            (says(b'{"answer": "a"}', kind="application/json; charset=nonesuch"), "invalid", "nonesuch"),
            (says(b'{"answer": "\\ud800"}', kind="a/b; charset=unicode_escape"), "invalid", "not JSON"),
            (says(b'{"answer": '), "invalid", "not valid JSON"),
            (says(b""), "invalid", "not valid JSON"),
            (says([1]), "invalid", "the reply is a list"),
            (says({"answer": 3}), "invalid", "answer is a number"),
            (says(b"no gzip", Content_Encoding="gzip"), "invalid", "not compressed the way it says"),
            (says({"detail": "it broke"}, 500), "error", 'HTTP 500: {"detail": "it broke"}'),
            (says(b"\n\n  Bad Gateway\nmore", 502, "text/html"), "error", "HTTP 502: Bad Gateway"),
            (says(b"\xff\xfe", 404), "error", "HTTP 404"),
            (says(b"", 401), "error", "HTTP 401"),
            (says(b"x" * 200_000, 500), "error", "HTTP 500: xxx"),
            (says(b"", 304), "error", "HTTP 304"),
        ],
    )
    def test_a_reply_that_cannot_be_used_fails_with_its_status_and_first_line(
        self, reply: Callable[[Handler], None], kind: str, said: str
    ) -> None:
        """P5: an error, a page of HTML, bytes of another encoding: a failure that says which, on one bounded line."""
        with serving(reply) as server:
            found, message = failed(ask(server.url))
        assert found == kind
        assert said in message
        assert len(message) <= 300
        assert "\n" not in message

    def test_a_reply_in_pieces_is_read_whole(self) -> None:
        """Chunked transfer is put together; one that breaks off is no reply."""

        def chunked(*pieces: bytes) -> Callable[[Handler], None]:
            def reply(handler: Handler) -> None:
                handler.send_response(200)
                handler.send_header("Transfer-Encoding", "chunked")
                handler.end_headers()
                for piece in pieces:
                    handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                handler.close_connection = True

            return reply

        with serving(chunked(b'{"answer"', b': "yes"}', b"")) as server:
            assert answered(ask(server.url)).answer == "yes"
        with serving(chunked(b'{"answer": "yes"}')) as server:
            assert failed(ask(server.url)) == ("died", "the connection ended before the whole reply was there")

    def test_a_reply_has_a_largest_size(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Neither a long reply nor a small one that unpacks to a long one is read to its end."""
        monkeypatch.setattr(_http_client, "MAX_REPLY", 1 << 20)
        data = json.dumps({"answer": "x" * (2 << 20)}).encode()
        for reply in (says(data), says(gzip.compress(data, mtime=0), Content_Encoding="gzip")):
            with serving(reply) as server:
                assert failed(ask(server.url)) == ("invalid", "the reply is larger than 1 MB")


class TestTime:
    """Deadlines hold whatever the server does."""

    @pytest.mark.parametrize(
        "reply",
        [
            hangs,
            drips(b""),
            drips(b"HTTP/1.1 200 OK\r\nX-"),
            drips(b"HTTP/1.1 200 OK\r\n\r\n"),
            says(b"", 503, Retry_After="1"),
        ],
        ids=["silent", "status", "headers", "body", "busy"],
    )
    def test_a_question_ends_with_its_time(self, reply: Callable[[Handler], None]) -> None:
        """P5: a server that is silent, or sends a byte now and then for ever, or always says later."""
        with serving(reply) as server, PIPELINE.open(setting(server.url, timeout=1.5)) as pipeline:
            began = time.monotonic()
            kind, message = failed(pipeline.ask(QUESTION, 0))
            taken = time.monotonic() - began
            server.replies = [says()]
            assert answered(pipeline.ask(QUESTION, 0)).answer == "yes"
        assert (kind, message) in {("timeout", "no reply in 1.5 seconds"), ("error", "HTTP 503")}
        assert taken < 10

    def test_closing_ends_what_is_being_waited_for(self) -> None:
        """A person who stops the run does not wait for a server that hangs."""
        with (
            serving(hangs) as server,
            PIPELINE.open(setting(server.url, timeout=20)) as pipeline,
            ThreadPoolExecutor(1) as pool,
        ):
            waiting = pool.submit(pipeline.ask, QUESTION, 0)
            while not server.asked:
                threading.Event().wait(0.01)
            pipeline.close()
            assert failed(waiting.result(5)) == ("died", "the run was stopped")


class TestTryingAgain:
    """Nothing is done twice that should be done once."""

    @pytest.fixture(autouse=True)
    def _no_long_waits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_http_client, "FIRST_WAIT", 0.01)

    @pytest.mark.parametrize("status", [429, 503])
    def test_a_server_that_says_when_is_asked_again(self, status: int) -> None:
        """It has not done what it was asked, so any method may be; the wait is not the pipeline's latency."""
        with serving(says(b"", status, Retry_After="0"), says(b"", status, Retry_After="1"), says()) as server:
            reply = answered(ask(server.url))
            assert len(server.asked) == 3
        assert reply.latency_ms is not None
        assert reply.latency_ms < 900

    def test_a_date_to_come_back_is_read_by_the_servers_clock(self) -> None:
        """Whatever our clock says, it is a second later than the reply."""
        past, date = "Fri, 02 Jan 2015 10:00:01 GMT", "Fri, 02 Jan 2015 10:00:00 GMT"

        def dated(handler: Handler) -> None:
            handler.send_response_only(503)
            for name, value in (("Retry-After", past), ("Date", date), ("Content-Length", "0")):
                handler.send_header(name, value)
            handler.end_headers()

        with serving(dated, says()) as server:
            began = time.monotonic()
            answered(ask(server.url))
            assert 0.9 < time.monotonic() - began < 5

    def test_a_wait_beyond_the_time_is_a_failure_at_once(self) -> None:
        """An hour is not waited for."""
        with serving(says(b"slow down", 429, Retry_After="3600")) as server:
            assert failed(ask(server.url)) == ("error", "HTTP 429: slow down")
            assert len(server.asked) == 1

    @pytest.mark.parametrize("reply", [drops, says(b"", 500), says(b"", 502), says(b"", 503), says(b"", 429)])
    def test_a_question_that_may_have_been_answered_is_not_sent_twice(self, reply: Callable[[Handler], None]) -> None:
        """A POST that was sent may have been done, and paid for, whatever became of the reply."""
        with serving(reply, says()) as server:
            assert isinstance(ask(server.url), AnswerFailure)
            assert len(server.asked) == 1

    @pytest.mark.parametrize("reply", [drops, says(b"", 502), says(b"", 503), says(b"", 504)])
    def test_what_can_be_done_twice_is_sent_again(self, reply: Callable[[Handler], None]) -> None:
        """A GET asks and changes nothing."""
        with serving(reply, reply, says()) as server:
            assert answered(ask(server.url + "/?q={{ question }}", method="GET")).answer == "yes"
            assert len(server.asked) == 3

    def test_a_server_that_is_always_busy_is_not_asked_for_ever(self) -> None:
        """The last reply is the failure."""
        with serving(says(b"busy", 503, Retry_After="0")) as server:
            assert failed(ask(server.url)) == ("error", "HTTP 503: busy")
            assert len(server.asked) == _http_client.TRIES

    def test_what_was_never_sent_is_sent_again(self) -> None:
        """No connection, no request: a server that starts late is reached."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        kind, message = failed(ask(f"http://127.0.0.1:{port}"))
        assert (kind, message) == ("error", "no connection: connection refused")
        with PIPELINE.open(setting(f"http://127.0.0.1:{port}")) as pipeline, ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(pipeline.ask, QUESTION, 0)
            late = Server.__new__(Server)
            late.replies, late.asked, late.over = [says()], [], threading.Event()
            ThreadingHTTPServer.__init__(late, ("127.0.0.1", port), Handler)
            with late:
                thread = threading.Thread(target=late.serve_forever, kwargs={"poll_interval": 0.01})
                thread.start()
                reply = waiting.result(20)
                late.shutdown()
                thread.join()
        assert answered(reply).answer == "yes"


HEADERS = {"Authorization": "Bearer ${RAG_KEY}", "X-Api-Key": "${RAG_KEY}"}


class TestRedirects:
    """Credentials never reach another server."""

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_another_server_gets_nothing(self, status: int, method: str) -> None:
        """P5: another port is another server: no header, no question and no connection goes there."""
        with serving() as other, serving(says(b"", status, Location=f"{other.url}/x")) as server:
            query = "?q={{ question }}" if method == "GET" else ""
            reply = ask(server.url + query, {"RAG_KEY": "abc"}, headers=HEADERS, method=method)
            kind, message = failed(reply)
            assert other.asked == []
        assert (kind, message) == (
            "error", f"HTTP {status} redirects to {other.url}, another server; nothing was sent there",
        )  # fmt: skip

    @pytest.mark.parametrize(
        "location",
        [
            "//localhost:1/", "https://127.0.0.1/", "http://user:pw@127.0.0.1:{port}/", "http://127.0.0.1:{port}@evil/",
            "http://[::1/", "ftp://127.0.0.1:{port}/", "http:\\\\evil/", "http://127.0.0.1\\@evil:{port}/",
            "javascript:1",
        ],
    )  # fmt: skip
    def test_odd_addresses_are_not_followed(self, location: str) -> None:
        """Another name for this machine, another scheme, a user in the address, or no address at all."""
        with serving(says()) as server:
            target = location.format(port=server.server_address[1])
            server.replies = [says(b"", 307, Location=target), says()]
            reply = ask(server.url)
            assert len(server.asked) == 1 or all(asked.path.startswith("/") for asked in server.asked)
        assert isinstance(reply, AnswerFailure) or len(server.asked) == 2

    def test_the_same_server_may_move_a_question(self) -> None:
        """Kept method and body, a relative address, headers and all."""
        with serving(says(b"", 308, Location="/new/?x=1"), says()) as server:
            assert answered(ask(server.url + "/old", {"RAG_KEY": "abc"}, headers=HEADERS)).answer == "yes"
            one, two = server.asked
        assert (two.method, two.path, two.body) == ("POST", "/new/?x=1", one.body)
        assert two.headers["x-api-key"] == "abc"

    def test_a_post_never_becomes_a_get(self) -> None:
        """A 302 would lose the question."""
        with serving(says(b"", 302, Location="/new"), says()) as server:
            kind, message = failed(ask(server.url))
        assert (kind, len(server.asked)) == ("error", 1)
        assert "redirects a POST" in message

    def test_a_circle_ends(self) -> None:
        """Redirects are counted."""
        with serving(says(b"", 307, Location="/")) as server:
            assert failed(ask(server.url)) == ("error", "more than 5 redirects")


class TestSecrets:
    """Values of variables stay where they belong."""

    def test_a_secret_that_comes_back_is_replaced_everywhere(self) -> None:
        """In an error's first line, in texts, keys and metadata of an answer, which then says so."""
        env, headers = {"RAG_KEY": SECRET}, {"X-Key": "${RAG_KEY}"}
        body = {"retrieved": [{"id": SECRET, "text": f"a {SECRET} b"}], "answer": SECRET, "meta": {SECRET: [SECRET]}}
        replies = says(body), says(SECRET.encode(), 500), says(SECRET.encode(), kind="text/html")
        with serving(*replies) as server, PIPELINE.open(setting(server.url, env, headers=headers)) as pipeline:
            reply, error, page = (pipeline.ask(QUESTION, 0) for _ in range(3))
        assert answered(reply).answer == "[the value of RAG_KEY]"
        assert any("repeated the value of RAG_KEY" in warning for warning in reply.warnings)
        assert failed(error) == ("error", "HTTP 500: [the value of RAG_KEY]")
        assert failed(page)[1].endswith("[the value of RAG_KEY]")
        for each in (reply, error, page):
            assert SECRET not in repr(each._asdict())

    def test_settings_hold_no_header_values(self) -> None:
        """What collect.json records are names, never what somebody wrote into a header."""
        config = setting(
            "http://h/", {"K": "v"}, headers={"X-Key": "literal ${K}"}, body={"q": "{{ question }}"}
        ).config
        assert PIPELINE.settings(config) == {
            "url": "http://h/", "method": "POST", "body": {"q": "{{ question }}"}, "fields": {}, "headers": ["X-Key"],
        }  # fmt: skip


class TestMistakes:
    """What is wrong is found before anything is sent, all of it, each where it stands."""

    @pytest.mark.parametrize(
        ("http", "place", "said"),
        [
            ({"url": "ftp://h/"}, "http.url", "begins with http"),
            ({"url": "http:///x"}, "http.url", "and a host"),
            ({"url": "http://h:99999/"}, "http.url", "no address"),
            ({"url": "http://{{ question }}/"}, "http.url", "must not choose the server"),
            ({"url": "http://me:pw@h/"}, "http.url", "in a header, from a variable"),
            ({"url": "http://h/{{ questoin }}"}, "http.url", "did you mean 'question'"),
            ({"url": "http://h/{% if %}"}, "http.url", "no template"),
            ({"method": "FETCH"}, "http.method", "none of GET"),
            ({"method": "GET", "body": {"q": "{{ question }}"}}, "http.body", "has no body"),
            ({"method": "GET"}, "http", "neither url nor body says what is asked"),
            ({"body": {"q": "question"}}, "http", "neither url nor body says what is asked"),
            ({"body": {"q": ["{{ nope }}"]}}, "http.body.q.0", "nothing that is asked"),
            ({"headers": {"X": "${KEY}"}}, "http.headers.X", "KEY is not among pipeline.env"),
            ({"headers": {"X": "${KEI}"}, "env": ["KEY"]}, "http.headers.X", "did you mean KEY?"),
            ({"headers": {"X": "${K"}, "env": ["K"]}, None, ""),
            ({"headers": {"X": "${a-b}"}}, "http.headers.X", "written ${NAME}"),
            ({"headers": {"X Y": "1"}}, "http.headers.X Y", "no header may be called so"),
            ({"headers": {"X": "a\r\nY: b"}}, "http.headers.X", "a line end"),
            ({"headers": {"content-length": "3"}}, "http.headers.content-length", "leave it out"),
            ({"fields": {"retreived": "x", "answer": "y"}}, "http.fields.retreived", "did you mean 'retrieved'"),
            ({"fields": {"answer": "x["}}, "http.fields.answer", "no JMESPath expression"),
            ({"fields": {"meta": "x"}}, "http.fields", "nothing to measure"),
            (
                {"fields": {"answer": "x", "retrieved": "hits[].{id: id, n: lenght(t)}"}},
                "http.fields.retrieved",
                "no function lenght(); did you mean length()?",
            ),
            ({"fields": {"answer": "hits[?qqqq(@)]"}}, "http.fields.answer", "no function qqqq(); there are abs,"),
            ({"fields": {"answer": "join(parts)"}}, "http.fields.answer", "join() takes 2 arguments, and there are 1"),
            ({"fields": {"answer": "merge()"}}, "http.fields.answer", "merge() takes at least 1 argument"),
            ({"fields": {"answer": "merge(a, b, c)"}}, None, ""),
            ({"fields": {"retrieved": "sort_by(hits, score)"}}, "http.fields.retrieved", "as in sort_by(hits, &score)"),
            ({"fields": {"retrieved": "map(hits, &id)"}}, "http.fields.retrieved", "as in map(&id, hits)"),
            ({"fields": {"retrieved": "keys(&a)"}}, "http.fields.retrieved", "nothing with an & before it"),
            ({"fields": {"retrieved": "hits[::0]"}}, "http.fields.retrieved", "the step of a slice cannot be 0"),
            ({"fields": {"retrieved": "reverse(sort_by(hits, &score))[:5].{id: id, text: not_null(t, x)}"}}, None, ""),
        ],
    )
    def test_a_mistake_has_its_place_and_a_sentence(self, http: dict[str, Any], place: str | None, said: str) -> None:
        """The key it stands under, what is wrong, and the nearest name."""
        found = mistakes(**http)
        if place is None:
            assert found == []
            return
        assert place in [where for where, _ in found]
        assert any(said in text for where, text in found if where == place)

    def test_a_sound_section_has_none(self) -> None:
        """The example of the contract."""
        assert mistakes(
            url="http://127.0.0.1:8000/ask", headers={"Authorization": "Bearer ${RAG_KEY}"}, env=["RAG_KEY"],
            body={"question": "{{ question }}"},
            fields={"answer": "answer", "retrieved": "hits[].{id: id, text: text}"},
        ) == []  # fmt: skip

    def test_a_template_that_no_question_fits_is_told_before_the_first_is_asked(self) -> None:
        """An attribute that no value has would fail every case; one that some have is theirs to fail by."""

        def refused(*asked: Request, **http: Any) -> list[tuple[str, str]]:
            config = PipelineConfig.model_validate({"kind": "http", "http": {"url": "http://h/", **http}})
            found = PIPELINE.rehearse(config, templates.of_config, asked)
            return [(".".join(map(str, path)), text) for path, text in found]

        alone = QUESTION._replace(history=())
        [(place, said)] = refused(QUESTION, alone, body={"q": [{"x": "{{ question.text }}"}], "k": "{{ k }}"})
        assert place == "http.body.q.0.x"
        assert said == (
            "pipeline.http.body.q.0.x: it cannot be filled in for any of the 2 questions that were tried: it does not "
            "render: 'str object' has no attribute 'text'"
        )
        assert [place for place, _ in refused(QUESTION, url="http://h/{{ id.x }}", method="GET")] == ["http.url"]
        last = {"q": "{{ question }}", "last": "{{ history[-1].content }}"}
        assert [place for place, _ in refused(alone, body=last)] == ["http.body.last"]
        assert refused(QUESTION, alone, body=last) == refused(body=last) == []

    def test_a_template_is_held_in_a_sandbox(self) -> None:
        """It reaches nothing behind the values, and one that does not render fails the case."""
        with serving() as server:
            for template in ("{{ question.__class__.__mro__ }}", "{{ range(10 ** 9) | list }}", "{{ 1 / 0 }}{{ k }}"):
                kind, message = failed(ask(server.url, body={"q": template}))
                assert kind == "error"
                assert "cannot be filled in" in message
            assert server.asked == []

    def test_certificates_that_are_not_there_stop_the_run(self) -> None:
        """A wrong path is named, not met at every question."""
        with pytest.raises(errors.PipelineError, match="SSL_CERT_FILE names certificates"):
            ask("https://127.0.0.1:9", {"SSL_CERT_FILE": "/nowhere.pem"})


def test_a_certificate_that_nobody_trusts_is_refused() -> None:
    """Encryption without trust hides a question from nobody: nothing is sent."""
    with socket.socket() as plain:
        plain.bind(("127.0.0.1", 0))
        plain.listen()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        ended = threading.Thread(target=_refuse_one, args=(plain, context))
        ended.start()
        kind, message = failed(ask(f"https://127.0.0.1:{plain.getsockname()[1]}"))
        ended.join(10)
    assert (kind, "not trusted" in message) == ("error", True)


def _refuse_one(listening: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listening.accept()
    with connection:
        try:
            context.wrap_socket(connection, server_side=True)
        except OSError:
            return


def test_origins_are_compared_with_their_default_ports() -> None:
    """The same server written in two ways is the same."""
    assert _http_request.origin("http://H/") == _http_request.origin("http://h:80/x")
    assert _http_request.origin("http://h/") != _http_request.origin("https://h/")
    assert _http_request.origin("http://h/") != _http_request.origin("http://h:8080/")
