from __future__ import annotations

import io
import json
import subprocess
import time
from pathlib import Path

import pytest

from evaluator import errors
from evaluator.cli import edges, root
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.judging.cache import Cache, Entry, derive
from evaluator.model.judge import TokenUsage

JUDGE = "judge: {provider: scripted, model: m, cache: kept/replies.sqlite}"


def call(*arguments: str) -> tuple[int, str]:
    """The exit code of ``rag-assay cache`` and what it said to people."""
    stream = io.StringIO()
    code = root.invoke(["cache", *arguments], Session(environment={}, console=Console(stream)))
    return code, stream.getvalue()


def fill(file: Path) -> Path:
    """A cache with three replies, one of them from long ago, one used twice since."""
    cache = Cache(file, derive(None), time.time, print)
    for number, age in enumerate((0.0, 10.0, 100.0)):
        created = time.time() - age * 86_400
        part = "answer" if number else "claims"
        cache.put(bytes([number]) * 32, Entry(part, "{}", "stop", "model-1", TokenUsage(1, 1), (), created))
    for _ in range(2):
        cache.get(b"\0" * 32)
    cache.close()
    return file


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a configuration that names a cache, which is there."""
    (tmp_path / "rag-assay.yml").write_text(f"suite: s\ngolden: golden.jsonl\nfixture: fixture\n{JUDGE}\n")
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "kept" / "replies.sqlite")
    return tmp_path


class TestStats:
    """``cache stats``."""

    def test_it_says_what_the_configured_cache_holds(self, suite: Path) -> None:
        """Size, replies, the oldest, and each part and model with how often it was used again."""
        code, said = call("stats")
        day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 100 * 86_400))

        assert code == 0
        assert said.splitlines() == [
            f"{suite / 'kept' / 'replies.sqlite'}: 0.0 MB, 3 replies, used again 2 times",
            f"  the oldest is of {day}",
            "  answer by model-1: 2 replies, used again 0 times",
            "  claims by model-1: 1 reply, used again 2 times",
        ]

    def test_programs_get_json(self, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
        """The same as numbers, on standard output."""
        call("stats", "--format", "json", "--file", str(fill(tmp_path / "c.sqlite")))
        value = json.loads(capfdbinary.readouterr().out)

        assert (value["entries"], value["hits"], value["parts"][1]) == (
            3, 2, {"part": "claims", "model": "model-1", "entries": 1, "hits": 2},
        )  # fmt: skip

    def test_a_configuration_without_a_judge_has_no_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The sentence names the way out."""
        (tmp_path / "rag-assay.yml").write_text("suite: s\ngolden: golden.jsonl\nfixture: fixture\n")
        monkeypatch.chdir(tmp_path)

        with pytest.raises(errors.UsageError, match="has no judge, and so no cache; name a file with --file"):
            call("stats")


class TestPrune:
    """``cache prune``."""

    @pytest.mark.parametrize(
        ("arguments", "removed"),
        [
            (["--older-than", "30"], "1 reply"),
            (["--older-than", "5"], "2 replies"),
            (["--max-mb", "1"], "0 replies"),
            (["--all"], "3 replies"),
        ],
    )
    def test_it_removes_what_it_was_told_to(self, tmp_path: Path, arguments: list[str], removed: str) -> None:
        """By the days since a reply was last used, by size, or all."""
        file = fill(tmp_path / "c.sqlite")

        assert call("prune", "--file", str(file), *arguments) == (
            0, f"removed {removed} from {file}, which has 0.0 MB now\n",
        )  # fmt: skip

    def test_it_removes_nothing_unless_told_what(self, suite: Path) -> None:
        """A command without an option is no order to forget everything."""
        with pytest.raises(errors.UsageError, match="say what to remove"):
            call("prune")
        assert "3 replies" in call("stats", "--file", str(suite / "kept" / "replies.sqlite"))[1]


class TestTracked:
    """Whether a commit could bring a cache."""

    def test_git_says_which_files_it_tracks(self, tmp_path: Path) -> None:
        """A file that was added, one that was not, one whose name looks like a pattern, and a link to the first."""
        for name in ("added", "left", "*"):
            (tmp_path / name).write_text("")
        (tmp_path / "link").symlink_to(tmp_path / "added")
        for command in (["init", "--quiet"], ["add", "added"]):
            subprocess.run(["git", *command], cwd=tmp_path, check=True)  # noqa: S607 - git is found as it is by people

        assert [edges.is_tracked(tmp_path / name) for name in ("added", "left", "*", "link", "none")] == [
            True, False, False, True, False,
        ]  # fmt: skip

    def test_outside_of_a_repository_nothing_is_tracked(self, tmp_path: Path) -> None:
        """A folder that is not even there is no error."""
        assert not edges.is_tracked(tmp_path / "none" / "c.sqlite")
