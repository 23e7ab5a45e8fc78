"""The zone that judges: what it hands on, what it keeps for the next run, and what never leaves it."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.judging import cache_file
from evaluator.zones import kept
from evaluator.zones.collect import collect
from evaluator.zones.decide import decide
from evaluator.zones.judging import Granted
from evaluator.zones.keys import Keys
from evaluator.zones.prepare import Preparation, prepare
from evaluator.zones.score import score
from evaluator.zones.seal import seal
from tests.fakes import llm_brain
from tests.fakes.llm_server import KEY, Fault, LlmServer
from tests.zones import HOW, TOPICS, fetched_of, files_in, site, stream_of, tree_of, write_repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evaluator.config import Tier

CASES = len(TOPICS)


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A provider."""
    with LlmServer(brain=llm_brain.literal) as found:
        yield found


class Attempt:
    """One repository whose answers are recorded, and the zones of it."""

    def __init__(self, place: Path, server: LlmServer, **judge: Any) -> None:
        self.place, self.repo = place, place / "repo"
        place.mkdir(exist_ok=True)
        self.said = io.StringIO()
        asked = {"provider": "openai", "model": "gpt-4o-2024-08-06", "api_key_env": "JUDGE_KEY"}
        write_repository(
            self.repo, metrics=["recall@2", "faithfulness", "correctness"], gate={},
            pipeline={"kind": "recorded", "recorded": {"file": "answers.jsonl"}},
            judge={**asked, "base_url": server.openai_url, "max_concurrency": 4, **judge},
        )  # fmt: skip
        answers = [
            {"id": topic, "retrieved": [{"id": f"c-{topic}"}], "answer": f"All about {topic}. We close at noon."}
            for topic in TOPICS
        ]
        (self.repo / "answers.jsonl").write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
        self.hosts = (server.openai_url.split("/")[2],)
        self.count = 0

    def sealed(self) -> bytes:
        """What leaves seal."""
        ready, collected, out = io.BytesIO(), io.BytesIO(), io.BytesIO()
        parts = stream_of({"tree.tar": tree_of(self.repo).getvalue()})
        prepare(parts, ready, Preparation("collect"), site(self.place / "prepare"))
        collect(io.BytesIO(ready.getvalue()), collected, site(self.place / "collect"))
        (self.place / "seal").mkdir()
        seal(io.BytesIO(collected.getvalue()), out, Keys({}), folder=self.place / "seal")
        return out.getvalue()

    def lose(self, *topics: str) -> None:
        """Retrieve nothing for these."""
        lines = (self.repo / "answers.jsonl").read_text().splitlines()
        answers = [json.loads(line) for line in lines]
        kept = [answer | {"retrieved": []} if answer["id"] in topics else answer for answer in answers]
        (self.repo / "answers.jsonl").write_text("".join(f"{json.dumps(answer)}\n" for answer in kept))

    def judged(
        self, sealed: bytes, out: io.BytesIO | None = None, *, tier: Tier = "full", **parts: bytes
    ) -> dict[str, bytes]:
        """What leaves score; ``cache`` and ``baseline`` may be handed over."""
        self.count += 1
        names = {"cache": kept.NAME, "baseline": "fetched.tar"}
        extra = {names[name]: data for name, data in parts.items()}
        stream = stream_of({"tree.tar": tree_of(self.repo).getvalue(), "sealed.tar": sealed, **extra})
        place = site(self.place / f"score-{self.count}", self.said, tier=tier, variables={"JUDGE_KEY": KEY})
        out = out or io.BytesIO()
        score(stream, out, place, Granted(("JUDGE_KEY",), self.hosts), Keys({"JUDGE_KEY": KEY}))
        return files_in(out)


def run_of(parts: dict[str, bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files_in(io.BytesIO(parts["scored.tar"]))["run.json"])
    return found


def test_what_was_judged_once_is_not_asked_again(tmp_path: Path, server: LlmServer) -> None:
    """The cache leaves the zone beside the run, and comes back to the next one; with nothing new it stays there."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()

    first = attempt.judged(sealed)
    asked = len(server.calls)
    second = attempt.judged(sealed, cache=first[kept.NAME])

    assert asked > 0
    assert len(server.calls) == asked
    assert sorted(first) == [kept.NAME, "scored.tar"]
    assert sorted(second) == ["scored.tar"]
    assert run_of(first)["tier"] == "full"
    assert run_of(first)["summary"] == run_of(second)["summary"]
    assert not (attempt.repo / ".rag-assay").exists()


def test_the_key_is_in_nothing_that_leaves_the_zone(tmp_path: Path, server: LlmServer) -> None:
    """Neither in the run, nor in the cache, nor in what is printed."""
    attempt = Attempt(tmp_path, server)

    parts = attempt.judged(attempt.sealed())

    assert all(KEY.encode() not in data for data in parts.values())
    assert KEY not in attempt.said.getvalue()


@pytest.mark.parametrize("told", [base64.b64encode(KEY.encode()).decode(), KEY.encode().hex()])
def test_a_key_that_comes_back_ends_the_run(told: str, tmp_path: Path, server: LlmServer) -> None:
    """An endpoint that repeats the key in some form: nothing is handed on, and the key has to be changed."""
    attempt, out = Attempt(tmp_path, server), io.BytesIO()
    server.fault = lambda _number, _body: Fault(400, f"bad request: {told}")

    with pytest.raises(errors.LeakedKey, match="change the key"):
        attempt.judged(attempt.sealed(), out)

    assert out.getvalue() == b""


@pytest.mark.parametrize("broken", [b"", b"no database", b"SQLite format 3\0" + bytes(4096)])
def test_a_broken_cache_is_left_out_and_said(broken: bytes, tmp_path: Path, server: LlmServer) -> None:
    """Judging begins anew, and a whole file is handed on; an empty one is as good as none."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()

    parts = attempt.judged(sealed, cache=broken)

    assert len(server.calls) > 0
    assert run_of(parts)["summary"]["all"]["faithfulness"]["n"] == CASES
    assert ("what the judge said in earlier runs is not used" in attempt.said.getvalue()) == bool(broken)
    (tmp_path / "again").write_bytes(parts[kept.NAME])
    assert cache_file.stats(tmp_path / "again").entries > 0


def test_a_damaged_page_is_seen_before_it_is_used(tmp_path: Path, server: LlmServer) -> None:
    """A file whose beginning is sound would else be kept and handed on for ever."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()
    data = bytearray(attempt.judged(sealed)[kept.NAME])
    data[-4096:] = bytes(4096)
    asked = len(server.calls)

    attempt.judged(sealed, cache=bytes(data))

    assert "what the judge said in earlier runs is not used" in attempt.said.getvalue()
    assert len(server.calls) == 2 * asked


def test_a_cache_that_is_too_large_is_left_out(
    tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No run of ours made it."""
    monkeypatch.setattr(kept, "MOST_TAKEN", 1000)
    monkeypatch.setattr(kept, "CHUNK", 300)
    attempt = Attempt(tmp_path, server)

    attempt.judged(attempt.sealed(), cache=bytes(5000))

    assert "judge-cache.sqlite has more than" in attempt.said.getvalue()


def test_entries_of_another_key_say_nothing(tmp_path: Path, server: LlmServer) -> None:
    """Whoever can write the file still cannot say what the judge said."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()
    cache = attempt.judged(sealed)[kept.NAME]
    (tmp_path / "forged").write_bytes(cache)
    with cache_file._existing(tmp_path / "forged") as db:
        db.execute("UPDATE replies SET entry = replace(CAST(entry AS TEXT), 'unsupported', 'supported')")
        db.execute("UPDATE replies SET entry = CAST(entry AS BLOB)")
    asked = len(server.calls)

    parts = attempt.judged(sealed, cache=(tmp_path / "forged").read_bytes())

    assert run_of(parts)["summary"]["all"]["faithfulness"]["mean"] == 0.5
    assert len(server.calls) > asked


def test_a_judge_without_the_key_takes_nothing_over(tmp_path: Path, server: LlmServer) -> None:
    """Its entries are signed by what everybody knows: neither are any taken, nor are any handed on."""
    server.keys = None
    attempt = Attempt(tmp_path, server, api_key_env=None)
    sealed = attempt.sealed()
    first = attempt.judged(sealed)
    asked = len(server.calls)
    second = attempt.judged(sealed, cache=b"")

    assert sorted(first) == sorted(second) == ["scored.tar"]
    assert len(server.calls) == 2 * asked


@pytest.mark.parametrize("judge", [{"api_key_env": "HOME"}, {"api_key_env": "PATH"}])
def test_nothing_else_is_taken_for_the_key(judge: dict[str, Any], tmp_path: Path, server: LlmServer) -> None:
    """A pull request that names a variable whose value it knows could sign its own replies."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()
    config = json.loads((attempt.repo / "rag-assay.yml").read_text())
    (attempt.repo / "rag-assay.yml").write_text(json.dumps(config | {"judge": config["judge"] | judge}))

    with pytest.raises(errors.UsageError, match="which the input judge-key-env does not name"):
        attempt.judged(sealed)

    assert server.calls == []


def test_what_was_paid_for_is_kept_though_the_zone_fails(tmp_path: Path, server: LlmServer) -> None:
    """A judge that is gone in the middle: no run leaves the zone, but the replies do."""
    attempt, out = Attempt(tmp_path, server, max_concurrency=1), io.BytesIO()
    sealed = attempt.sealed()
    server.fault = lambda number, _: Fault(401, "gone") if number >= 4 else None

    with pytest.raises(errors.JudgeError):
        attempt.judged(sealed, out)

    parts = files_in(out)
    assert sorted(parts) == [kept.NAME]
    (tmp_path / "kept").write_bytes(parts[kept.NAME])
    assert cache_file.stats(tmp_path / "kept").entries == 4


def test_a_host_that_the_workflow_does_not_name_is_not_asked(tmp_path: Path, server: LlmServer) -> None:
    """The zone with the key looks for itself, whatever prepare said."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()
    attempt.hosts = ("llm.example.com",)

    with pytest.raises(errors.UsageError, match="judge-hosts"):
        attempt.judged(sealed)

    assert server.calls == []


def test_a_cache_in_the_repository_is_never_used(tmp_path: Path, server: LlmServer) -> None:
    """Whatever the configuration calls its place: a pull request would bring its own judgements."""
    attempt = Attempt(tmp_path, server, cache="kept.sqlite")
    (attempt.repo / "kept.sqlite").write_bytes(b"no database")
    sealed = attempt.sealed()

    parts = attempt.judged(sealed)

    assert run_of(parts)["summary"]["all"]["faithfulness"]["n"] == CASES
    assert "kept.sqlite" not in attempt.said.getvalue()


def test_decide_takes_the_run_and_tells_what_it_cost(tmp_path: Path, server: LlmServer) -> None:
    """It needs neither the key nor the cache."""
    attempt = Attempt(tmp_path, server)
    parts, out = attempt.judged(attempt.sealed()), io.BytesIO()
    stream = stream_of({"tree.tar": tree_of(attempt.repo).getvalue(), "scored.tar": parts["scored.tar"]})

    decide(stream, out, site(tmp_path / "decide", tier="full"), nonce="n1")

    files = files_in(out)
    outputs = dict(line.split("=") for line in files["outputs"].decode().splitlines())
    assert 0 < float(outputs["judge-cost-usd"]) < 1
    assert b"faithfulness" in files["comment.md"]


def test_the_baseline_is_the_actions_and_goes_on_to_decide(tmp_path: Path, server: LlmServer) -> None:
    """What is judged against comes in the stream; judged again, it is handed on beside the run and compared with."""
    first, second = (
        Attempt(tmp_path / model, server, model=model, rescore_baseline=True)
        for model in ("gpt-4o-2024-08-06", "gpt-4o-2024-11-20")
    )
    baseline = files_in(io.BytesIO(first.judged(first.sealed())["scored.tar"]))["run.json"]

    scored = second.judged(second.sealed(), baseline=fetched_of(baseline))["scored.tar"]
    parts = {"tree.tar": tree_of(second.repo).getvalue(), "scored.tar": scored, "fetched.tar": fetched_of(baseline)}
    out = io.BytesIO()
    decide(stream_of(parts), out, site(tmp_path / "decide", tier="full"), nonce="n1")

    rows = json.loads(files_in(out)["comparison.json"])["rows"]
    assert "baseline-rescored.json" in files_in(io.BytesIO(scored))
    assert {row["status"] for row in rows if row["metric"] == "faithfulness"} == {"unchanged"}


@pytest.mark.parametrize(("lost", "outcome"), [(TOPICS[:2], "failed"), ((), "passed")])
def test_a_judged_run_keeps_what_retrieval_gained_since_the_last_judged_one(
    tmp_path: Path, server: LlmServer, lost: tuple[str, ...], outcome: str
) -> None:
    """Two passages were found in a run of main that nobody judged; a change without them is as good as before that."""
    old, new, change = (Attempt(tmp_path / name, server) for name in ("old", "new", "change"))
    old.lose(*TOPICS[:2])
    change.lose(*lost)
    judged, gained = (
        files_in(io.BytesIO(each.judged(each.sealed(), tier=tier)["scored.tar"]))["run.json"]
        for each, tier in ((old, "full"), (new, "retrieval"))
    )
    found = fetched_of(gained, judged=judged)
    scored = change.judged(change.sealed(), baseline=found)["scored.tar"]
    parts = {"tree.tar": tree_of(change.repo).getvalue(), "scored.tar": scored, "fetched.tar": found}
    out = io.BytesIO()
    decision = decide(stream_of(parts), out, site(tmp_path / "decide", tier="full"), nonce="n1")

    assert json.loads(files_in(out)["comparison.json"])["baseline"]["source"] == HOW
    assert (decision.outcome, decision.accepted) == (outcome, outcome == "passed")
    if lost:
        assert decision.reasons[0].code == "nearer-baseline"
        assert decision.reasons[0].text.startswith(f"beside {HOW}: recall@2 max_drop")
        assert b"beside eval/run.json as of 0123abc" in files_in(out)["comment.md"]


def test_a_baseline_of_the_configuration_is_not_judged_against(tmp_path: Path, server: LlmServer) -> None:
    """It is the pull request's own: against a bad one of its choice every answer would win."""
    attempt = Attempt(tmp_path, server)
    sealed = attempt.sealed()
    own = {"baseline": {"file": "own.json"}}
    config = json.loads((attempt.repo / "rag-assay.yml").read_text())
    (attempt.repo / "rag-assay.yml").write_text(json.dumps(config | own))
    (attempt.repo / "own.json").write_text("{}")

    assert run_of(attempt.judged(sealed))["tier"] == "full"
