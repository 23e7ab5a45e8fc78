"""What the documents show is what happens: the README's examples, the demo, and the wheel that people install."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evaluator.stores.alone import alone

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
EXCERPT = re.findall(r"^````markdown\n(.*?)^````$", README, re.MULTILINE | re.DOTALL)


RETURNED = "A product can be returned within 30 days."


def rag_assay(folder: Path, *arguments: str, package: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``rag-assay`` in a folder, from a checkout or an unpacked wheel."""
    command = [sys.executable, "-m", "evaluator", *arguments]
    variables = {**os.environ, "PYTHONPATH": str(package)}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The files that the README shows."""
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


class TestReadme:
    """A reader who types what the README says."""

    def test_the_first_golden_set_works_as_it_is_written(self, example: Path) -> None:
        """Freeze, check and run succeed, every question finds what it needs, and a second run changes nothing."""
        frozen, checked = rag_assay(example, "freeze", "eval/fixture"), rag_assay(example, "check")
        first = rag_assay(example, "run", "--out", ".rag-assay/main")
        second = rag_assay(example, "run", "--out", ".rag-assay/feature", "--baseline", ".rag-assay/main/run.json")
        run = json.loads((example / ".rag-assay" / "main" / "run.json").read_text())

        assert [done.returncode for done in (frozen, checked, first, second)] == [0, 0, 0, 0]
        assert "0 errors, 0 warnings" in checked.stderr
        assert run["summary"]["all"]["recall@3"] == {"mean": 1.0, "n": 6, "of": 6}

    def test_the_first_golden_set_is_one_that_a_colleague_would_like(self, example: Path) -> None:
        """What the README teaches is not what ``check`` warns of; how few questions these are it does say."""
        rag_assay(example, "freeze", "eval/fixture")
        found = json.loads(rag_assay(example, "check", "--format", "json").stdout)

        assert {each["code"] for each in found} == {"resolution"}

    @pytest.mark.parametrize("kind", ["builtin", "python", "command", "recorded"])
    def test_each_kind_of_pipeline_runs_as_it_is_written(self, kind: str, example: Path) -> None:
        """The minimal example of a pipeline answers every question."""
        done = rag_assay(example, "run", "--config", f"{kind}.yml", "--out", "out")
        records = [json.loads(line) for line in (example / "out" / "records.jsonl").read_text().splitlines()]

        assert done.returncode == 0, done.stderr
        assert [record["failure"] for record in records] == [None] * 8
        # What people copy first is not what a run warns of.
        assert "fewer than" not in done.stderr

    def test_the_http_pipeline_asks_as_it_is_written(self, example: Path) -> None:
        """A server at the address that the README names is asked with its key, and its hits are scored."""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asks.append((self.headers["Authorization"], sorted(asked), asked["top_k"]))
                data = json.dumps({"answer": "yes", "hits": [{"id": "returns-1", "text": "t"}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        asks: list[tuple[str | None, list[str], int]] = []
        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            text = (example / "http.yml").read_text().replace(":8000/", f":{server.server_address[1]}/")
            (example / "http.yml").write_text(text)
            os.environ["RAG_KEY"] = "key-of-nobody"
            try:
                checked = rag_assay(example, "check", "--config", "http.yml")
                done = rag_assay(example, "run", "--config", "http.yml", "--out", "out")
            finally:
                del os.environ["RAG_KEY"]
                server.shutdown()
                thread.join()

        assert (checked.returncode, done.returncode) == (0, 0), done.stderr
        records = [json.loads(line) for line in (example / "out" / "records.jsonl").read_text().splitlines()]
        assert asks == [("Bearer key-of-nobody", ["query", "top_k"], 20)] * len(records)
        assert {record["answer"] for record in records} == {"yes"}
        written = "".join(file.read_text() for file in (example / "out").iterdir() if file.is_file())
        assert "key-of-nobody" not in written + done.stderr


class TestJudgeWithoutAModel:
    """The shop of the README, judged by the replies that docs/configuration.md shows."""

    def shop(self, folder: Path, **answers: str) -> None:
        """Recorded replies, some with answers, and a scripted judge."""
        text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
        [replies] = re.findall(r"^```jsonl replies.jsonl\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        (folder / "replies.jsonl").write_text(replies)
        recorded = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
        lines = [json.dumps({**reply, "answer": answers.get(reply["id"])}) for reply in recorded]
        (folder / "answers.jsonl").write_text("\n".join(lines))
        judge = "judge: {provider: scripted, model: replies.jsonl}\n"
        (folder / "rag-assay.yml").write_text((folder / "recorded.yml").read_text() + judge)
        assert rag_assay(folder, "freeze", "eval/fixture").returncode == 0

    def test_the_replies_judge_the_answer_that_is_named(self, example: Path) -> None:
        """Nothing is unscored, and every judged metric that applies has its value."""
        self.shop(example, r1=RETURNED, r2="Refunds are paid within five working days.")
        checked, done = rag_assay(example, "check"), rag_assay(example, "run", "--tier", "full", "--out", "out")
        first = json.loads((example / "out" / "run.json").read_text())["cases"][:2]

        assert (checked.returncode, done.returncode) == (0, 0), done.stderr
        assert "returned no answers" not in checked.stderr + done.stderr
        names = ("faithfulness", "answer_relevance", "answer_completeness")
        assert [case["judgement"]["unscored"] for case in first] == [{}, {}]
        assert {case["scores"][name] for case in first for name in names} == {1.0}

    def test_without_answers_every_command_says_that_there_is_nothing_to_judge(self, example: Path) -> None:
        """check, run and estimate; the comment has it too."""
        self.shop(example)
        said = [rag_assay(example, *command) for command in (["check"], ["run", "--tier", "full"], ["estimate"])]

        assert all("returned no answers, so there is nothing to judge" in done.stderr for done in said)
        assert "0 answers to judge" in said[-1].stderr
        assert "returned no answers" in (example / ".rag-assay" / "out" / "comment.md").read_text()

    def test_why_an_answer_was_not_judged_stands_in_the_comment_and_on_the_terminal(self, example: Path) -> None:
        """An answer that the script has no reply to: how many, and the most frequent reason."""
        self.shop(example, r1=RETURNED, r2="Soon after.")
        done = rag_assay(example, "run", "--tier", "full")
        comment = (example / ".rag-assay" / "out" / "comment.md").read_text()

        assert "1 answer could not be judged whole:" in done.stderr
        assert "1 answer could not be judged whole:" in comment
        assert "the script has no reply left for" in done.stderr


class TestDemo:
    """The bundled example."""

    def test_it_prints_the_comment_and_exits_0(self, tmp_path: Path) -> None:
        """The comment of the regressed change is on standard output; stderr says what the gate would do, and where."""
        done = rag_assay(tmp_path, "demo", "--out", "demo")
        out = tmp_path / "demo" / "out"

        assert done.returncode == 0, done.stderr
        assert done.stdout == (out / "candidate" / "comment.md").read_text(encoding="utf-8")
        assert done.stdout.startswith("## ❌ Failed")
        assert "the gate would exit 1" in done.stderr
        assert json.loads((out / "main" / "decision.json").read_text())["outcome"] == "passed"
        assert f"wrote {out / 'candidate' / 'comment.md'}" in done.stderr

    def test_the_readme_shows_how_it_begins(self, tmp_path: Path) -> None:
        """The excerpt in the README is the beginning of that comment."""
        [excerpt] = EXCERPT

        assert rag_assay(tmp_path, "demo", "-q", "--out", "demo").stdout.startswith(excerpt)

    def test_a_folder_that_holds_something_is_left_alone(self, tmp_path: Path) -> None:
        """The example is not written over anything of the user's."""
        (tmp_path / "mine.txt").touch()
        done = rag_assay(tmp_path, "demo", "--out", ".")

        assert done.returncode == 2
        assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]

    def test_one_temporary_folder_is_used_again_and_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Ten demos leave one folder, with the files that the last one named and nothing of those before."""
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        first = rag_assay(tmp_path, "demo", "-q")
        [folder] = tmp_path.iterdir()
        (folder / "out" / "old.txt").touch()
        second = rag_assay(tmp_path, "demo")
        named = re.findall("^wrote (.*)$", second.stderr, re.MULTILINE)

        assert (first.returncode, second.returncode) == (0, 0)
        assert list(tmp_path.iterdir()) == [folder]
        assert not (folder / "out" / "old.txt").exists()
        assert folder / "out" / "candidate" / "comment.md" in map(Path, named)
        assert all(Path(name).is_file() for name in named)
        assert "the next demo replaces these files" in second.stderr

    @pytest.mark.parametrize("kind", ["a link", "writable by all", "in use", "a file"])
    def test_a_temporary_folder_that_is_not_ours_alone_is_left_as_it_is(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        """Where somebody else prepared the place, or another demo is at work in it, a new folder is made."""
        (tmp_path / "tmp").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
        usual, other = tmp_path / "tmp" / f"rag-assay-demo-{os.getuid()}", tmp_path / "other"
        place = other if kind == "a link" else usual
        if kind == "a file":
            usual.touch()
        else:
            place.mkdir()
            place.chmod(0o777 if kind == "writable by all" else 0o700)
            (place / "mine.txt").touch()
        if kind == "a link":
            usual.symlink_to(other)
        with alone(place) if kind == "in use" else contextlib.nullcontext():
            done = rag_assay(tmp_path, "demo", "-q")

        assert done.returncode == 0, done.stderr
        assert kind == "a file" or [file.name for file in place.iterdir()] == ["mine.txt"]
        assert len(list((tmp_path / "tmp").iterdir())) == 2

    def test_an_example_that_does_not_regress_is_a_fault(self, tmp_path: Path) -> None:
        """Where the bundled example does not show what it should, the demo exits 4 and prints no comment."""
        package, example = tmp_path / "package", tmp_path / "package" / "examples" / "handbook"
        shutil.copytree(ROOT / "examples" / "handbook", example)
        (package / "evaluator").symlink_to(ROOT / "evaluator")
        (package / "templates").symlink_to(ROOT / "templates")
        (example / "rag-assay.candidate.yml").write_bytes((example / "rag-assay.yml").read_bytes())
        done = rag_assay(tmp_path, "demo", "--out", "demo", package=package)

        assert (done.returncode, done.stdout) == (4, "")


def test_the_wheel_holds_all_it_needs(tmp_path: Path) -> None:
    """What people install shows the demo from its own files, far from any checkout."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    done = rag_assay(tmp_path, "demo", "--out", "demo", package=tmp_path / "installed")
    wrong = rag_assay(tmp_path, "rnu", package=tmp_path / "installed")
    command, says = wrong.stderr.splitlines()[-1].split(" says ")
    told = rag_assay(tmp_path, *command.split()[1:], package=tmp_path / "installed")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("## ❌ Failed")
    assert (says, told.returncode) == ("what to do", 0)
    assert told.stdout.startswith("The command line cannot be obeyed")


def test_the_handbook_is_a_set_that_a_colleague_would_like() -> None:
    """``check`` has nothing to say against the example but how small a drop it shows."""
    done = rag_assay(ROOT, "check", "--config", "examples/handbook/rag-assay.yml")

    assert "0 errors, 0 warnings" in done.stderr
    assert "category 'policy-version', 13 cases: recall@5 moves by 0.077 with one lost question" in done.stderr
