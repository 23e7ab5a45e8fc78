"""A run through all zones, each fed with what the one before it wrote."""

from __future__ import annotations

import io
import json
import math
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.baseline import Manifest
from evaluator.stores.values import read_value
from evaluator.zones.collect import Manner, collect
from evaluator.zones.decide import decide
from evaluator.zones.keeping import Keeping, Person, copy
from evaluator.zones.keys import Keys
from evaluator.zones.prepare import Preparation, prepare
from evaluator.zones.score import score
from evaluator.zones.seal import seal
from tests.zones import fetched_of, files_in, site, stream_of, tree_of, write_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMIT = "a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0"


class Flow:
    """One attempt over a repository."""

    def __init__(self, repo: Path, place: Path) -> None:
        self.repo = repo
        self.place = place
        self.said = io.StringIO()

    def collected(self, interpreter: Path | None = None, deadline: float = math.inf) -> io.BytesIO:
        """What leaves collect."""
        ready, out = io.BytesIO(), io.BytesIO()
        parts = stream_of({"tree.tar": tree_of(self.repo).getvalue()})
        prepare(parts, ready, Preparation("collect"), site(self.place / "prepare", self.said))
        ready.seek(0)
        place = site(self.place / "collect", self.said)
        collect(ready, out, place, Manner(interpreter, (), deadline))
        return io.BytesIO(out.getvalue())

    def sealed(self, stream: io.BytesIO) -> bytes:
        """What leaves seal."""
        out = io.BytesIO()
        (self.place / "seal").mkdir()
        seal(stream, out, Keys({}), folder=self.place / "seal")
        return out.getvalue()

    def scored(self, sealed: bytes) -> bytes:
        """What leaves score."""
        out = io.BytesIO()
        parts = stream_of({"tree.tar": tree_of(self.repo).getvalue(), "sealed.tar": sealed})
        score(parts, out, site(self.place / "score", self.said, COMMIT))
        return files_in(out)["scored.tar"]

    def decided(
        self, scored: bytes, baseline: bytes | None = None, nonce: str = "n1", kept: Keeping | None = None, **found: Any
    ) -> dict[str, bytes]:
        """What leaves decide."""
        out = io.BytesIO()
        parts = {"tree.tar": tree_of(self.repo).getvalue(), "scored.tar": scored}
        parts |= {"fetched.tar": fetched_of(baseline, **found)} if baseline is not None or found else {}
        decide(stream_of(parts), out, site(self.place / "decide", self.said), nonce=nonce, kept=kept)
        return files_in(out)

    def whole(self, baseline: bytes | None = None, **found: Any) -> dict[str, bytes]:
        """All of it."""
        return self.decided(self.scored(self.sealed(self.collected())), baseline, **found)


@pytest.fixture
def flow(tmp_path: Path) -> Callable[..., Flow]:
    """Makes an attempt over a repository with this configuration."""

    def make(name: str = "one", **config: Any) -> Flow:
        repo = tmp_path / f"repo-{name}"
        write_repository(repo, **config)
        return Flow(repo, tmp_path / f"zones-{name}")

    return make


def changed(stream: io.BytesIO, name: str, change: Callable[[bytes], bytes]) -> io.BytesIO:
    """A stream with one file changed."""
    files = files_in(stream)
    return stream_of(files | {name: change(files[name])})


def test_a_first_run_passes_and_can_be_the_next_ones_baseline(flow: Callable[..., Flow]) -> None:
    """Without a baseline the run is measured; with it as baseline nothing changed."""
    first = flow("first").whole()
    second = flow("second").whole(first["run.json"])

    decision = json.loads(second["decision.json"])
    assert json.loads(first["decision.json"])["outcome"] == "passed"
    assert json.loads(first["run.json"])["commit"] == COMMIT
    assert (decision["outcome"], decision["nonce"]) == ("passed", "n1")
    assert b"eval/run.json as of 0123abc" in second["comment.md"]
    assert second["outputs"] == (
        b"outcome=passed\nexit-code=0\ncases=6\nregressions=0\nfailures=0\nunscored=0\n"
    )  # fmt: skip


def test_a_regression_is_seen(flow: Callable[..., Flow]) -> None:
    """A pull request that loses chunks fails, by the golden set that collect never saw."""
    baseline = flow("main").whole()["run.json"]
    worse = flow("worse")
    path = worse.repo / "eval" / "fixture" / "chunks.jsonl"
    path.write_text(path.read_text().replace("All about parcels and", "All about nothing, so"))

    files = worse.whole(baseline)

    assert json.loads(files["decision.json"])["outcome"] == "failed"
    assert b"regressions=1\n" in files["outputs"]


def test_the_baseline_of_the_pull_request_is_not_read(flow: Callable[..., Flow]) -> None:
    """A baseline that the configuration names comes from the change itself and decides nothing."""
    attempt = flow(baseline={"file": "eval/own.json"})
    (attempt.repo / "eval" / "own.json").write_text("{}")

    files = attempt.whole()

    assert json.loads(files["comparison.json"])["baseline"] is None


def test_a_baseline_of_another_suite_is_a_mistake(flow: Callable[..., Flow]) -> None:
    """It is refused before anything is compared."""
    other = flow("other", suite="other").whole()["run.json"]

    with pytest.raises(errors.BaselineError, match="'other'"):
        flow("mine").whole(other)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), "at 'invoices'"),
        (lambda data: data + data.splitlines(keepends=True)[0].replace(b"returns", b"returnz"), "after the last"),
        (lambda data: b"".join(reversed(data.splitlines(keepends=True))), "at 'returns'"),
    ],
)
def test_every_question_has_to_be_answered_once(
    change: Callable[[bytes], bytes], says: str, flow: Callable[..., Flow]
) -> None:
    """Records that user code left out, added or moved are no run: a bad answer cannot be hidden."""
    attempt = flow()
    sealed = attempt.sealed(changed(attempt.collected(), "records.jsonl", change))

    with pytest.raises(errors.ZoneProblem, match=says):
        attempt.scored(sealed)


def test_a_record_of_another_question_is_refused(flow: Callable[..., Flow]) -> None:
    """A changed input hash would unpair a case and so take it out of the comparison."""
    attempt = flow()
    first = json.loads(files_in(attempt.collected())["records.jsonl"].splitlines()[0])["input_hash"]
    again = Flow(attempt.repo, attempt.place.with_name("again"))
    forged = changed(again.collected(), "records.jsonl", lambda data: data.replace(first.encode(), b"0" * 64))

    with pytest.raises(errors.ZoneProblem, match="did not ask the question of 'returns'"):
        again.scored(again.sealed(forged))


def test_what_collect_says_of_itself_is_not_believed(flow: Callable[..., Flow]) -> None:
    """Suite, digests, commit and settings are those of the repository, whatever was written beside the user's code."""
    attempt = flow()

    def lie(data: bytes) -> bytes:
        lies = {"suite": "x", "golden_sha256": "x", "config_sha256": "x", "commit": "x", "tool": "x"}
        said = json.loads(data)
        said["timing"]["alerts"] = ["everything is fine"]
        said["timing"]["uncommitted"] = True
        return json.dumps(said | lies).encode()

    scored = attempt.scored(attempt.sealed(changed(attempt.collected(), "collect.json", lie)))

    said = json.loads(files_in(io.BytesIO(scored))["collect.json"])
    assert (said["suite"], said["commit"]) == ("shop", COMMIT)
    assert "x" not in {said["golden_sha256"], said["config_sha256"], said["tool"]}
    assert said["timing"]["alerts"] == []
    assert said["timing"]["uncommitted"] is False


def test_the_installed_interpreter_runs_the_pipeline(flow: Callable[..., Flow], tmp_path: Path) -> None:
    """A Python pipeline runs by what was installed, and the run looks as if nothing had been exchanged."""
    attempt = flow(pipeline={"kind": "python", "python": {"target": "app:answer", "python": ".venv/bin/python"}})
    (attempt.repo / "app.py").write_text(
        "import sys\ndef answer(question): return {'retrieved': [], 'answer': sys.executable}\n"
    )
    interpreter = tmp_path / "venv" / "python"
    interpreter.parent.mkdir()
    interpreter.symlink_to(sys.executable)

    collected = attempt.collected(interpreter)
    run = json.loads(files_in(io.BytesIO(attempt.scored(attempt.sealed(collected))))["run.json"])

    assert {case["answer"] for case in run["cases"]} == {str(interpreter)}
    assert run["config"]["pipeline"]["python"]["python"] == ".venv/bin/python"


def test_a_pipeline_that_fails_everywhere_is_inconclusive(flow: Callable[..., Flow]) -> None:
    """Every case stays in the denominator, and nothing passes."""
    pipeline = {"kind": "python", "python": {"target": "app:answer"}}
    attempt = flow(pipeline=pipeline, gate={"critical": {"wrong_abstention": None}})
    (attempt.repo / "app.py").write_text("def answer(question): raise ValueError('down')\n")

    files = attempt.whole()

    assert json.loads(files["decision.json"])["outcome"] == "inconclusive"
    assert b"failures=6\n" in files["outputs"]


SLOW = """
import pathlib, threading
def answer(request):
    if request["id"] not in ("returns", "refunds", "invoices"):
        threading.Event().wait()
    return {"retrieved": [{"id": "c-" + request["id"]}]}
"""


def slow(flow: Flow, code: str = SLOW) -> Flow:
    """An attempt with a pipeline of its own, in which each question has a worker of its own."""
    (flow.repo / "app.py").write_text(code)
    return flow


PYTHON = {"kind": "python", "python": {"target": "app:answer", "python": sys.executable}, "workers": 6}


def test_a_deadline_keeps_what_was_answered_and_decides_nothing(flow: Callable[..., Flow]) -> None:
    """Cases that there was no time for are no losses: nothing fails by them, and nothing passes without them."""
    quick = SLOW.replace("threading.Event().wait()", "pass")
    baseline = slow(flow("main", pipeline=PYTHON), quick).whole()["run.json"]
    run = slow(flow("slow", pipeline=PYTHON))
    files = run.decided(run.scored(run.sealed(run.collected(deadline=5.0))), baseline)

    decision, found = (json.loads(files[name]) for name in ("decision.json", "run.json"))
    cases = {case["id"]: case for case in found["cases"]}
    assert (decision["outcome"], decision["exit_code"]) == ("inconclusive", 3)
    assert [reason["code"] for reason in decision["reasons"]] == ["deadline"]
    assert "3 cases not answered before the deadline" in decision["reasons"][0]["text"]
    assert cases["returns"]["scores"] == {"recall@2": 1.0}
    assert {name: case["failure"] and case["failure"]["kind"] for name, case in cases.items()} == {
        "returns": None, "refunds": None, "parcels": "deadline", "islands": "deadline", "batteries": "deadline",
        "invoices": None,
    }  # fmt: skip
    assert cases["parcels"]["unscored"] == {"recall@2": "there was no time to ask"}
    assert cases["parcels"]["diagnosis"] is None
    assert found["summary"]["all"]["recall@2"] == {"mean": 1.0, "n": 3, "of": 6}
    assert b"the worst value" not in files["comment.md"]
    assert b"failures=0\n" in files["outputs"]


HANGS_AT_IMPORT = "import threading\nthreading.Event().wait()\ndef answer(request): ..."


def test_an_import_without_end_is_inconclusive(flow: Callable[..., Flow]) -> None:
    """The deadline holds for the start of the pipeline, too: no case is asked, and what hung is named."""
    run = slow(flow("slow", pipeline=PYTHON), HANGS_AT_IMPORT)
    files = run.decided(run.scored(run.sealed(run.collected(deadline=1.0))))

    decision, found = (json.loads(files[name]) for name in ("decision.json", "run.json"))
    said = {reason["code"]: reason["text"] for reason in decision["reasons"]}
    assert (decision["outcome"], decision["exit_code"]) == ("inconclusive", 3)
    assert "6 cases not answered before the deadline" in said["deadline"]
    assert {case["failure"]["kind"] for case in found["cases"]} == {"deadline"}
    late = "the pipeline was not ready when the time to collect (collect-timeout) was over: "
    assert f"{late}it was still importing app:answer" in found["timing"]["warnings"]
    assert b"it was still importing app:answer" in files["comment.md"]


def test_a_pipeline_that_cannot_start_is_no_question_of_time(flow: Callable[..., Flow]) -> None:
    """What fails before the deadline fails as it does without one."""
    run = slow(flow("broken", pipeline=PYTHON), "import not_there")

    with pytest.raises(errors.PipelineError, match="No module named 'not_there'"):
        run.collected(deadline=60.0)


def mute() -> socket.socket:
    """A server that takes every connection and says nothing."""
    return socket.create_server(("127.0.0.1", 0))


def test_a_command_or_an_endpoint_that_never_gets_ready_is_inconclusive(flow: Callable[..., Flow]) -> None:
    """They are ready when they answer their first question: there is nothing else to wait for."""
    silent = "import threading; threading.Event().wait()"
    command = {"kind": "command", "command": {"run": [sys.executable, "-c", silent]}}
    with mute() as server:
        http = {"kind": "http", "http": {"url": f"http://127.0.0.1:{server.getsockname()[1]}/"}}
        for name, pipeline in (("command", command), ("http", http)):
            run = flow(name, pipeline=pipeline)
            decision = json.loads(run.decided(run.scored(run.sealed(run.collected(deadline=1.0))))["decision.json"])

            assert decision["outcome"] == "inconclusive"
            assert "6 cases not answered before the deadline" in {
                reason["code"]: reason["text"] for reason in decision["reasons"]
            }["deadline"]  # fmt: skip


def test_a_deadline_hides_no_regression(flow: Callable[..., Flow]) -> None:
    """What was answered is compared all the same: a critical case that lost its chunk fails the run."""
    quick = SLOW.replace("threading.Event().wait()", "pass")
    baseline = slow(flow("main", pipeline=PYTHON), quick).whole()["run.json"]
    run = slow(flow("slow", pipeline=PYTHON), SLOW.replace('"c-" + request["id"]', '"c-parcels"'))
    files = run.decided(run.scored(run.sealed(run.collected(deadline=5.0))), baseline)

    decision = json.loads(files["decision.json"])
    assert decision["outcome"] == "failed"
    lost = {case["id"] for case in decision["cases"] if case["status"] == "failed"}
    assert lost == {"returns", "refunds", "invoices"}


def late(
    flow: Flow, code: str = SLOW, baseline: bytes | None = None, deadline: float = 5.0, **found: Any
) -> dict[str, bytes]:
    """A run that had no time for the cases that its pipeline does not answer."""
    return flow.decided(flow.scored(flow.sealed(slow(flow, code).collected(deadline=deadline))), baseline, **found)


def test_a_baseline_without_time_hides_no_regression(flow: Callable[..., Flow]) -> None:
    """What it had no time for cannot be seen to fall: it is never accepted, and one that is named is lost."""
    before = late(flow("main", pipeline=PYTHON, baseline={"accept": "always"}))
    lost = SLOW.replace("threading.Event().wait()", "return {'retrieved': []}")
    after = late(flow("lost", pipeline=PYTHON), lost, before["run.json"], math.inf)

    decision = json.loads(after["decision.json"])
    assert not json.loads(before["decision.json"])["accepted"]
    assert (decision["outcome"], decision["exit_code"]) == ("inconclusive", 3)
    assert [(reason["code"], reason["text"]) for reason in decision["reasons"]] == [
        ("baseline-lost", "the baseline had no time for 3 cases: give collect more, and run it again")
    ]


def test_what_the_base_had_no_time_for_is_not_inherited(flow: Callable[..., Flow]) -> None:
    """The base lost one case and was cut off in another; a change that loses both has lost the second itself."""
    rules = [{"metric": "recall@2", "per": "all", "max_drop": 0.0}]
    unguarded = dict.fromkeys(("lost_needs", "lost_facts", "wrong_abstention"))
    config = {"pipeline": PYTHON, "gate": {"rules": rules, "min_cases": 1, "critical": unguarded}}
    answers = "def answer(request):\n    return {'retrieved': [{'id': 'c-' + request['id']}]}\n"
    one = answers.replace("    return", "    if request['id'] == 'returns': return {'retrieved': []}\n    return")
    both = one.replace("== 'returns'", "in ('returns', 'parcels')")
    cut = "import threading\n" + one.replace(
        "    if", "    if request['id'] == 'parcels': threading.Event().wait()\n    if", 1
    )
    good = late(flow("good", **config), answers, deadline=math.inf)["run.json"]
    base = late(flow("base", **config), cut, good)["run.json"]

    files = late(flow("change", **config), both, good, math.inf, base=base)

    assert json.loads(files["decision.json"])["outcome"] == "failed"


def test_a_person_accepts_no_run_without_time(flow: Callable[..., Flow], tmp_path: Path) -> None:
    """Every later run would be compared with what is not known."""
    kept = Keeping("main", "main", 12, 1, "push")
    files = late(flow("main", pipeline=PYTHON), kept=kept)
    for name in ("run.json", "baseline.json"):
        (tmp_path / name).write_bytes(files[name])
    said = read_value(tmp_path / "baseline.json", Manifest)

    with pytest.raises(errors.UsageError, match="had no time for all cases"):
        copy(tmp_path, said, tmp_path / "copy", Person("ada", "a better corpus"))


def test_a_builtin_pipeline_has_a_deadline_too(flow: Callable[..., Flow]) -> None:
    """Without any time nothing is asked, and that is no verdict about the pipeline."""
    run = flow("slow")
    files = run.decided(run.scored(run.sealed(run.collected(deadline=0.0))))

    decision = json.loads(files["decision.json"])
    said = {reason["code"]: reason["text"] for reason in decision["reasons"]}
    assert decision["outcome"] == "inconclusive"
    assert "6 cases not answered before the deadline" in said["deadline"]
