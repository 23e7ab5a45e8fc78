"""Pipelines that want what they must not have or be what they must not be; fakes/spy.py is the curious one."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.container.world import ROOT, Forge, stand_in_for_docker, suite

if TYPE_CHECKING:
    from collections.abc import Iterator

SPY = (ROOT / "tests" / "fakes" / "spy.py").read_text()
KEY = 'sk-live/4f8"a9+0123456789=abc'


def token() -> str:
    return f"planted-{uuid.uuid4().hex}"


@pytest.fixture
def service() -> Iterator[int]:
    """The port of a service on this machine's loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def _accept(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            server.accept()[0].close()


@pytest.fixture
def curious(forge: Forge, service: int) -> Forge:
    """A repository with the curious pipeline, and a token that it is bound to find: its own."""
    targets = [["127.0.0.1", service], ["169.254.169.254", 80]]
    suite(forge, SPY)
    forge.commit({"targets.json": json.dumps(targets)})
    forge.inputs["upload"] = "full"
    return forge


def test_nothing_that_was_planted_is_found(curious: Forge) -> None:
    """Tokens in the step, .git/config, RUNNER_TEMP and HOME, labels, sockets and services stay out of reach.

    The token in a tracked file shows that the pipeline looks.
    """
    mine = token()
    curious.secrets |= {
        name: token() for name in ("IN_STEP", "IN_TEMP", "IN_HOME", "IN_GIT", "IN_FILE", "IN_JOB", "IN_URL")
    }
    curious.environment |= {"GITHUB_TOKEN": "${{ secrets.IN_STEP }}", "SOME_KEY": "${{ secrets.IN_STEP }}"}
    curious.environment |= {
        "HTTPS_PROXY": "http://me:${{ secrets.IN_URL }}@127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }
    curious.runner |= {"RUNNER_SECRET": token()}
    curious.before = """
        echo "$IN_TEMP" > "$RUNNER_TEMP/token"
        echo "$IN_HOME" > "$HOME/token"
        echo "$IN_FILE" > untracked
        git config http.extraheader "AUTHORIZATION: basic $IN_GIT"
        echo "SECRET=$IN_JOB" >> "$GITHUB_ENV"
    """
    for name, target in (("etc", "/etc"), ("up", "../../.."), ("git", ".git/config"), ("environ", "/proc/1/environ")):
        (curious.repo / name).symlink_to(target)
    for step in range(1, 40):
        (curious.repo / f"farm{step}").symlink_to(f"farm{step - 1}/farm{step - 1}")
    (curious.repo / "farm0").symlink_to(".")
    curious.commit({"mine.txt": mine}, branch="change")

    result = curious.pull_request()
    found = result.answers()["q0"]

    assert found["tokens"] == {mine: found["tokens"][mine]}
    assert found["labels"] == {}
    assert found["connected"] == []
    assert found["sockets"] == []
    assert found["git"] == []
    assert found["writable"] == []
    assert found["user"] == 10002
    assert set(found["environment"]) <= {"PATH", "HOME", "LANG", "TMPDIR", "LC_CTYPE", "RAG_ASSAY_WORKER"}
    assert "left out: the link 'etc'" in result.log
    assert_inert(result.log)
    assert result.outputs["outcome"] == "passed"


def assert_inert(log: str) -> None:
    """What the pipeline printed is in the log as text."""
    printed = [line.partition("  | ")[2] for line in log.split("\n") if "from-the-pipeline" in line]
    assert printed
    assert [line for line in printed if not line.startswith("│ ") or "\r" in line or "##[" in line] == []
    assert "set-output:: outcome=from-the-pipeline" not in log


def test_the_workflow_can_open_the_network(curious: Forge) -> None:
    """With ``network: host`` the same pipeline reaches the runner's loopback interface; without it, it does not."""
    curious.inputs["network"] = "host"
    curious.commit({}, branch="change")

    assert "127.0.0.1" in curious.pull_request().answers()["q0"]["connected"]


HOGS = """
import os, json, threading
def answer(question):
    if question.endswith("0?"):
        while True:
            try:
                os.fork()
            except OSError:
                pass
    if question.endswith("1?"):
        return {"retrieved": [], "answer": "x" * 2_000_000_000}
    if question.endswith("2?"):
        hoard = []
        while True:
            hoard.append(bytearray(50_000_000))
    if question.endswith("3?"):
        os.kill(os.getpid(), 9)
    return {"retrieved": [], "answer": json.dumps("well")}
"""


def test_a_hog_harms_itself_only(forge: Forge) -> None:
    """A fork bomb, an answer of 2 GB, endless memory and a worker that kills itself lose their own case only."""
    suite(forge, HOGS, questions=6, limits={"memory_mb": 3000, "processes": 64}, timeout=30)
    forge.inputs["upload"] = "full"
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.code, result.outputs["failures"]) == (3, "4")
    assert result.answers() == {"q4": "well", "q5": "well"}


FLOOD = """
def answer(question):
    with open("/proc/1/fd/1", "wb") as stream:
        print("the stream is open", flush=True)
        for _ in range(2_000):
            stream.write(bytes(1_000_000))
    return []
"""


def test_a_flood_in_the_stream_is_no_verdict(forge: Forge) -> None:
    """A pipeline that writes 2 GB into the stream of its zone, past the program that owns it, gets no verdict."""
    suite(forge, FLOOD, questions=1)
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code, result.outputs["outcome"]) == (False, 4, "error")
    assert "the stream is open" in result.log
    assert "the zone collect hands on more than 1024 MB" in result.summary


FORGER = """
import os, pathlib
def answer(question):
    for process in filter(str.isdigit, os.listdir("/proc")):
        command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        if b"evaluator" in command and int(process) != os.getpid():
            os.kill(int(process), 9)
    return []
"""


def test_whoever_kills_his_zone_gets_no_verdict(forge: Forge) -> None:
    """User code may end the zone it runs in; what had come out by then is no run."""
    suite(forge, FORGER, questions=1)
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 4)


SHADOWS = ("json.py", "click.py", "evaluator/__init__.py", "sitecustomize.py", "usercustomize.py", "tarfile.py")


def test_the_repository_cannot_replace_our_modules(forge: Forge) -> None:
    """Files of the repository that are named like ours or Python's run in no zone of ours."""
    suite(forge, "def answer(question):\n    return []\n")
    forge.commit(dict.fromkeys(SHADOWS, "import sys\nsys.exit('shadowed')\n") | {"x": ""}, branch="change")
    forge.commit({"rag-assay.yml": (forge.repo / "rag-assay.yml").read_text().replace('"app:', '"app:')})

    result = forge.pull_request()

    assert result.code in {0, 3}
    assert "shadowed" not in result.log.split("zone seal")[1]


LEAK = """
import base64, json, os, urllib.parse
KEY = os.environ["RAG_KEY"]
print("calling with", KEY, flush=True)
print(base64.b64encode(b"user:" + KEY.encode()).decode(), flush=True)
def answer(question):
    forms = [KEY, base64.b64encode(b"x" + KEY.encode()).decode(), urllib.parse.quote(KEY, safe=""), json.dumps(KEY)]
    return {"retrieved": [], "answer": forms[int(question[-2])], "meta": {"other": os.environ.get("NOT_GRANTED")}}
"""


def test_a_granted_key_never_leaves(forge: Forge) -> None:
    """A key that is put into answers and printed, in four forms, is replaced; the run fails and names the variable."""
    suite(forge, LEAK, questions=4, env=["RAG_KEY"])
    forge.environment |= {"RAG_KEY": KEY, "NOT_GRANTED": token()}
    forge.inputs |= {"pipeline-env": "RAG_KEY", "upload": "full"}
    forge.commit({}, branch="change")

    result = forge.pull_request()

    left = result.everything()
    forms = {KEY, quote(KEY, safe=""), json.dumps(KEY)[1:-1]}
    forms |= {base64.b64encode(b"x" * shift + KEY.encode()).decode()[4:-4] for shift in range(6)}
    assert (result.passed, result.code) == (False, 2)
    assert "the value of RAG_KEY is in 4 of the pipeline's answers" in result.summary
    assert "calling with [the value of RAG_KEY]" in left
    assert [form for form in forms if form in without_the_workflow(left)] == []


FORGERY = """
import io, os, tarfile
def answer(question):
    with open("/proc/1/fd/1", "wb") as stream, tarfile.open(fileobj=stream, mode="w|") as tar:
        tar.addfile(tarfile.TarInfo(os.environ["RAG_KEY"]), io.BytesIO())
    return []
"""


def test_what_seal_finds_wrong_holds_no_key(forge: Forge) -> None:
    """A stream is quoted in the message that refuses it, but not the key in it."""
    suite(forge, FORGERY, questions=1, env=["RAG_KEY"])
    forge.environment["RAG_KEY"] = KEY
    forge.inputs["pipeline-env"] = "RAG_KEY"
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 4)
    assert "'[the value of RAG_KEY]' has no place in this stream" in result.summary
    assert KEY not in without_the_workflow(result.everything())


def without_the_workflow(text: str) -> str:
    """The text without lines in which the runner itself repeats the workflow file."""
    return "\n".join(line for line in text.splitlines() if "::set-env" not in line)


def test_without_the_seal_a_key_would_leave(forge: Forge, tmp_path: Path) -> None:
    """The same pipeline without the zone seal: the key is in the artifact, so the test above tests the seal."""
    suite(forge, LEAK, questions=4, env=["RAG_KEY"])
    forge.environment |= {"RAG_KEY": KEY, "NOT_GRANTED": ""}
    forge.inputs |= {"pipeline-env": "RAG_KEY", "upload": "full"}
    forge.runner["PATH"] = stand_in_for_docker(tmp_path, "seal", "cat")
    forge.commit({}, branch="change")

    assert KEY in {json.loads(line)["answer"] for line in records(forge.pull_request().artifact)}


def records(artifact: Path) -> list[str]:
    return (artifact / "records.jsonl").read_text().splitlines()
