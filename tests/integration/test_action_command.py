"""The command ``action`` as the Action's scripts call it: one process a zone, streams between them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.stores.fixtures import write_manifest
from tests.uploads import Fork
from tests.zones import files_in, stream_of, tree_of, write_repository

ROOT = Path(__file__).parents[2]
JUDGE = {"provider": "openai", "model": "gpt-4o-2024-08-06", "api_key_env": "JUDGE_KEY"}
KEY = "sk-very-secret-0123456789"
LEAKS = """
import os
print("printed by the pipeline", os.environ["RAG_KEY"], flush=True)
def answer(question):
    os.write(1, b"and this too\\n")
    return {"retrieved": ["c-returns"], "answer": "the key is " + os.environ["RAG_KEY"]}
"""


class Zones:
    """Starts one process a zone, each with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def run(self, zone: str, *options: str, given: bytes = b"", **variables: str) -> tuple[int, bytes, str]:
        """Exit code, stream and log of a zone."""
        self.count += 1
        work = self.folder / f"work-{self.count}"
        work.mkdir()
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
        command = [sys.executable, "-m", "evaluator", "action", "--work", str(work), zone, *options]
        done = subprocess.run(command, input=given, cwd=self.folder, env=environment, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr.decode()

    def well(self, zone: str, *options: str, given: bytes = b"", **variables: str) -> bytes:
        """The stream of a zone that has to end well."""
        code, stream, said = self.run(zone, *options, given=given, **variables)
        assert code == 0, said
        return stream


def parts_of(repo: Path) -> bytes:
    """The stream that prepare takes."""
    return stream_of({"tree.tar": tree_of(repo).getvalue()}).getvalue()


@pytest.fixture
def zones(tmp_path: Path) -> Zones:
    """A place for processes."""
    return Zones(tmp_path)


def test_a_whole_attempt_by_real_processes(zones: Zones, tmp_path: Path) -> None:
    """Prepare, collect, seal, score and decide hand streams on, and the last one repeats the nonce."""
    write_repository(tmp_path / "repo")
    tree, config = tree_of(tmp_path / "repo").getvalue(), ("--config", "rag-assay.yml")

    prepared = zones.well("prepare", "--for", "collect", *config, given=parts_of(tmp_path / "repo"))
    collected = zones.well("collect", *config, given=prepared)
    sealed = zones.well("seal", given=collected)
    to_score = stream_of({"tree.tar": tree, "sealed.tar": sealed}).getvalue()
    scored = files_in(io.BytesIO(zones.well("score", *config, "--commit", "f" * 40, given=to_score)))["scored.tar"]
    to_decide = stream_of({"tree.tar": tree, "scored.tar": scored}).getvalue()
    decided = files_in(io.BytesIO(zones.well("decide", *config, "--nonce", "n1", given=to_decide)))

    decision = json.loads(decided["decision.json"])
    assert (decision["outcome"], decision["nonce"]) == ("passed", "n1")
    assert decided["summary.md"]


def test_files_are_named_as_the_repository_names_them(zones: Zones, tmp_path: Path) -> None:
    """No mistake in a file, no command that mends it and no traceback shows where a zone keeps the files (P1)."""
    repo, config = tmp_path / "repo", ("--config", "rag-assay.yml")
    write_repository(repo, pipeline={"kind": "python", "python": {"target": "app:answer"}})
    (repo / "app.py").write_text("def answer(question):\n    raise ValueError(question)\n")
    collected = zones.run(
        "collect", *config, given=zones.well("prepare", "--for", "collect", *config, given=parts_of(repo))
    )
    golden, chunks = repo / "eval" / "golden.jsonl", repo / "eval" / "fixture" / "chunks.jsonl"
    write_manifest(repo / "eval" / "fixture")
    chunks.write_text(chunks.read_text().replace("nothing else", "more"))
    frozen = zones.run("prepare", "--for", "collect", *config, given=parts_of(repo))
    golden.write_text(golden.read_text() + "{\n")
    broken = zones.run("prepare", "--for", "collect", *config, given=parts_of(repo))

    assert 'File "app.py", line 2, in answer' in collected[2]
    assert frozen[2].startswith("eval/fixture/manifest.json: chunks.jsonl is not the file that was frozen: ")
    assert "run rag-assay freeze eval/fixture; if not" in frozen[2]
    assert broken[2].startswith("eval/golden.jsonl:7:")
    assert str(zones.folder) not in collected[2] + frozen[2] + broken[2].partition("see ")[0]


def test_what_a_pipeline_prints_is_no_part_of_the_stream(zones: Zones, tmp_path: Path) -> None:
    """Standard output carries the stream alone, and a leaked key ends the run at the seal with 2."""
    env = {"kind": "python", "python": {"target": "app:answer"}, "env": ["RAG_KEY"]}
    write_repository(tmp_path / "repo", pipeline=env)
    (tmp_path / "repo" / "app.py").write_text(LEAKS)
    config = ("--config", "rag-assay.yml")
    prepared = zones.well("prepare", "--for", "collect", *config, given=parts_of(tmp_path / "repo"))

    code, collected, said = zones.run("collect", *config, given=prepared, RAG_KEY=KEY)
    cleaned = zones.run("log", "--key", "RAG_KEY", given=said.encode(), RAG_KEY=KEY)[2]
    sealed_code, sealed, refused = zones.run("seal", "--key", "RAG_KEY", given=collected, RAG_KEY=KEY)

    assert code == 0
    assert sorted(files_in(io.BytesIO(collected))) == ["collect.json", "records.jsonl"]
    assert "printed by the pipeline" in said
    assert "printed by the pipeline [the value of RAG_KEY]" in cleaned
    assert KEY not in cleaned
    assert sealed_code == 2
    assert "RAG_KEY" in refused
    assert KEY.encode() not in sealed


def test_what_a_stranger_uploaded_is_measured_by_the_base(zones: Zones, tmp_path: Path) -> None:
    """The second workflow's zones by the options of its script: nothing is judged, and the report says why."""
    config, fork = ("--config", "rag-assay.yml"), Fork(tmp_path / "one", judge=JUDGE)
    del fork.records["islands"]
    tree = tree_of(fork.repo).getvalue()
    asked = ("--key", "JUDGE_KEY", "--answers-need-keys", "RAG_KEY", "--event", "workflow_run")

    sealed = zones.well("seal", given=stream_of(fork.uploaded()).getvalue())
    prepared = zones.well("prepare", "--for", "collect", *asked, *config, given=parts_of(fork.repo))
    _, tier, *_, why = files_in(io.BytesIO(prepared))[".rag-assay/about"].decode().splitlines()
    score = ("score", "--untrusted", "--no-key-reason", why, "--tier", tier, "--commit", "f0" * 20)
    scored = zones.well(*score, *config, given=stream_of({"tree.tar": tree, "sealed.tar": sealed}).getvalue())
    to_decide = {"tree.tar": tree, "scored.tar": files_in(io.BytesIO(scored))["scored.tar"]}
    decide = ("decide", "--nonce", "n", *config, "--tier", tier)
    code, _, said = zones.run(*decide, given=stream_of(to_decide).getvalue())
    decided = files_in(io.BytesIO(zones.well(*decide, "--self-reported", given=stream_of(to_decide).getvalue())))

    assert tier == "retrieval"
    assert (code, "a stranger's records were scored as our own" in said) == (4, True)
    assert decided["comment.md"].decode().startswith("## ❌ Self-reported by a fork. No baseline. Failed: ")
    assert b"not measured: no key: the pipeline needs RAG" in decided["comment.md"]
    assert b"failures=1\n" in decided["outputs"]


def test_a_stream_that_is_none_is_four(zones: Zones) -> None:
    """Whatever is no verdict has an exit code of its own, and a sentence instead of a traceback."""
    code, stream, said = zones.run("seal", given=b"no tar")

    assert (code, stream) == (4, b"")
    assert "rag-assay --explain zone" in said
    assert "Traceback" not in said


def test_a_value_that_is_too_short_is_named(zones: Zones) -> None:
    """A person learns that a variable is not looked for."""
    said = zones.run("seal", "--key", "MODE", given=b"", MODE="fast")[2]

    assert "MODE has too few characters" in said


def test_a_stream_that_nobody_reads_is_no_verdict(tmp_path: Path) -> None:
    """A reader that leaves early does not make a zone end well."""
    write_repository(tmp_path / "repo")
    (tmp_path / "repo" / "large").write_bytes(bytes(1 << 22))
    (tmp_path / "parts.tar").write_bytes(parts_of(tmp_path / "repo"))
    (tmp_path / "work").mkdir()
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "evaluator", "action", "--work", str(tmp_path / "work"), "prepare"]
    with (tmp_path / "parts.tar").open("rb") as tree:
        done = subprocess.run(
            [*command, "--for", "collect", "--config", "rag-assay.yml"], stdin=tree, stdout=write,
            stderr=subprocess.PIPE, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    os.close(write)

    assert done.returncode == 4
