from __future__ import annotations

import ast
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import evaluator
from evaluator.pipelines import _supervisor, _worker
from tests.fakes import callables

if TYPE_CHECKING:
    from collections.abc import Callable

PIPELINES = Path(evaluator.__file__).parent / "pipelines"


def reply(target: Callable[..., Any], question: str, times: int = 1) -> Any:
    """The last of some replies to the same question; the worker's own process would end here, and its loop with it."""
    request = {"id": "q1", "question": question, "history": [], "k": 5, "depth": 20, "language": "sv"}
    caller = _worker.Caller(target)
    lines = [caller.reply(request) for _ in range(times)]
    if caller._loop:
        caller._loop.close()
    return json.loads(lines[-1])


def response(question: str) -> Any:
    return reply(callables.responses, question)["reply"]


def failure(question: str) -> tuple[str, str]:
    found = reply(callables.responses, question)["failure"]
    return found["kind"], found["message"]


@pytest.mark.parametrize("name", ["_worker", "_supervisor"])
def test_a_script_of_another_process_needs_the_standard_library_only(name: str) -> None:
    """What runs outside our process imports nothing of ours and nothing that is to be installed."""
    tree = ast.parse((PIPELINES / f"{name}.py").read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert {each.partition(".")[0] for each in names} <= sys.stdlib_module_names


def test_the_worker_is_written_for_old_interpreters() -> None:
    """The file that the user's interpreter runs has nothing that Python 3.8 cannot read."""
    ast.parse((PIPELINES / "_worker.py").read_text(), feature_version=(3, 8))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("request", {"answer": "['depth', 'history', 'id', 'k', 'language', 'question']"}),
        (
            "response",
            {"retrieved": [{"id": "a", "text": "A", "doc": "d", "score": 2}], "context": ["a"], "answer": "yes"},
        ),
        ("hits", {"retrieved": [{"id": "a", "score": 1.5}, {"id": "b"}, {"id": 3}]}),
        ("text", {"answer": "thirty days"}),
        (
            "documents",
            {
                "retrieved": [
                    {"id": "a", "text": "A", "doc": "guide.md"},
                    {"id": "b", "text": "B", "doc": "guide"},
                    {"id": 7, "text": "C", "doc": None, "score": 0.25},
                ]
            },
        ),
        (
            "nodes",
            {
                "retrieved": [
                    {"id": "a", "text": "A", "doc": "guide", "score": 0.9},
                    {"id": "b", "text": "B", "doc": "guide", "score": None},
                ]
            },
        ),
        ("pair", {"retrieved": [{"id": "a", "text": "A", "doc": None, "score": 0.5}]}),
        (
            "steps",
            {"answer": "yes", "steps": [{"query": "first", "retrieved": [{"id": "a", "text": "A", "doc": None}]}]},
        ),
        ("context documents", {"answer": "yes", "retrieved": [{"id": "a"}], "context": ["a"]}),
        ("generator", {"retrieved": [{"id": "a"}, {"id": "b"}]}),
        ("text generator", {"answer": "thirty days"}),
        ("response generator", {"answer": "thirty days", "retrieved": [{"id": "a"}]}),
        ("coroutine", {"retrieved": [{"id": "a"}]}),
        ("async generator", {"retrieved": [{"id": "a"}, {"id": "b"}]}),
        ("empty", {"retrieved": []}),
    ],
)  # fmt: skip
def test_whatever_is_an_answer_is_understood(question: str, expected: Any) -> None:
    """Responses, lists of results, documents and nodes of well-known shapes, texts, generators and coroutines (P1)."""
    assert response(question) == expected


def test_numbers_of_a_numeric_library_are_numbers() -> None:
    """Scores and ids that come out of numpy are taken for what they are."""
    first, second = response("numpy")["retrieved"]

    assert first == {"id": 7, "score": 0.5}
    assert second["score"] != second["score"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("none", "the callable returned None"),
        ("number", "the callable returned of type int"),
        ("nameless", "result 1 is of type Document without an id"),
        ("strange hit", "result 2 is of type object"),
        ("mixed", "a response among 2 things"),
        ("not json", "it holds of type object"),
        ("too large", "larger than 64 MB"),
    ],
)
def test_what_is_no_answer_is_refused_by_its_type(question: str, said: str) -> None:
    """None, numbers and strange objects are invalid, and the message names what came instead of an answer (P1)."""
    kind, message = failure(question)

    assert kind == "invalid"
    assert said in message


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("raise", "ValueError: the index\nis gone"),
        ("exit", "SystemExit: 3"),
        ("raise half a pair", "ValueError: ?"),
    ],
)
def test_an_exception_is_an_error_with_its_type(question: str, said: str) -> None:
    """Whatever the callable raises fails the case under the exception's own name (P1)."""
    assert failure(question) == ("error", said)


def test_the_traceback_begins_where_the_users_code_does() -> None:
    """The detail shows the user's frames and none of ours."""
    detail = reply(callables.responses, "raise")["failure"]["detail"]

    assert "in _raise" in detail
    assert "_worker.py" not in detail


def test_a_question_comes_with_what_is_named_beside_it() -> None:
    """A first parameter called question gets the text; k, language and history come by name, nothing else does."""
    assert reply(callables.by_question, "why")["reply"]["answer"] == repr(("why", 5, "sv", [], "untouched"))


@pytest.mark.parametrize("target", [callables.by_annotation, callables.by_keyword])
def test_a_question_is_recognised_by_annotation_and_keyword(target: Callable[..., Any]) -> None:
    """A parameter annotated as a text, or keyword-only, gets the question, too."""
    assert reply(target, "why")["reply"] == {"answer": "asked why"}


def test_a_callable_without_a_signature_gets_the_request() -> None:
    """A built-in that cannot be looked into is asked with the whole request."""
    assert reply(dict, "why")["reply"]["question"] == "why"


def test_every_question_runs_in_one_loop() -> None:
    """A client that is bound to an event loop works for the second question, too."""
    assert reply(callables.Loop(), "why", times=3)["reply"] == {"answer": "1"}


def test_a_misspelt_callable_is_named_with_the_nearest() -> None:
    """A typing mistake in the target is answered with the right name."""
    with pytest.raises(AttributeError, match="has no dumpz; dump may be meant"):
        _worker.load("json:dumpz", [])


def test_the_supervisor_sees_its_own_descendants() -> None:
    """Both ways of finding the children of a process agree: as the kernel lists them, and by everyone's parent."""
    parent = os.getppid()

    assert os.getpid() in _supervisor._children(parent)
    assert os.getpid() in _supervisor._children_by_parent()(parent)
    assert os.getpid() in _supervisor.descendants(parent)
