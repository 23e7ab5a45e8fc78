from __future__ import annotations

import io
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.cli import edges
from evaluator.cli.console import Console
from evaluator.cli.options import Given
from evaluator.cli.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.stages.workspace import Workspace

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c")


def suite(folder: Path, extra: str = "") -> Path:
    """A configuration that can be loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "rag-assay.yml"
    file.write_text(f"suite: s\ngolden: golden.jsonl\nfixture: fixture\n{extra}")
    return file


def workspace(**given: object) -> Workspace:
    """The workspace of a command that was given these options."""
    everything = {"config": None, "out": None, "quiet": False, "debug": False, **given}
    session = Session(environment={"A": "1"}, console=Console(io.StringIO()))
    return edges.workspace(session, Given(**everything))  # type: ignore[typeddict-item]


class TestPlaces:
    """Where configuration and output folder are."""

    def test_the_configuration_is_found_upwards(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without ``--config`` the nearest rag-assay.yml above is used, and the output goes beside it."""
        file = suite(tmp_path)
        (tmp_path / "a" / "b").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "a" / "b")
        made = workspace()

        assert (made.config_file, made.out) == (file, tmp_path / ".rag-assay" / "out")

    def test_paths_of_the_command_line_are_relative_to_the_working_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """``--config`` and ``--out`` mean what they would mean to any other program."""
        file = suite(tmp_path / "project")
        monkeypatch.chdir(tmp_path)
        made = workspace(config=file.relative_to(tmp_path), out=tmp_path.joinpath("elsewhere").relative_to(tmp_path))

        assert (made.config_file, made.out) == (file, tmp_path / "elsewhere")
        assert made.path("golden.jsonl") == tmp_path / "project" / "golden.jsonl"

    def test_an_output_folder_that_is_a_file_is_refused(self, tmp_path: Path) -> None:
        """``--out`` on a file is a mistake with a sentence."""
        file = suite(tmp_path)

        with pytest.raises(errors.UsageError, match="is a file; name a folder"):
            workspace(config=file, out=file)


class TestCommit:
    """Which commit a run is of."""

    def test_outside_a_repository_there_is_none(self, tmp_path: Path) -> None:
        """Being outside a git repository is no error."""
        assert workspace(config=suite(tmp_path)).commit is None

    def test_it_is_the_head_of_the_configurations_repository(self, tmp_path: Path) -> None:
        """The commit checked out where the configuration is, not where the command was started."""
        file = suite(tmp_path)
        for command in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x")):
            subprocess.run([*GIT, *command], cwd=tmp_path, check=True)
        head = subprocess.run([*GIT, "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True)

        assert workspace(config=file).commit == head.stdout.strip()

    def test_changes_that_are_not_committed_are_seen(self, tmp_path: Path) -> None:
        """A tracked file that differs, staged or not, makes it more than the commit; a new file does not."""
        file = suite(tmp_path)
        for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "x")):
            subprocess.run([*GIT, *command], cwd=tmp_path, check=True)
        (tmp_path / "new.txt").touch()
        clean = workspace(config=file)
        file.write_text(f"{file.read_text()}# edited\n")
        edited = workspace(config=file)
        subprocess.run([*GIT, "add", "."], cwd=tmp_path, check=True)
        staged, named = workspace(config=file), workspace(config=file, commit="0a1b2c3")

        assert [made.uncommitted for made in (clean, edited, staged, named)] == [False, True, True, False]
        assert clean.commit == edited.commit == staged.commit

    def test_an_old_git_still_names_the_commit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where git does not know what is asked of it, the commit is known and changes are not."""
        (tmp_path / "git").write_text('#!/bin/sh\n[ "$1" = rev-parse ] || exit 129\necho c0ffee\n')
        (tmp_path / "git").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        made = workspace(config=suite(tmp_path / "project"))

        assert (made.commit, made.uncommitted) == ("c0ffee", False)

    def test_a_repository_without_a_commit_has_none(self, tmp_path: Path) -> None:
        """A repository that was just made is no error either."""
        subprocess.run([*GIT, "init", "-q"], cwd=tmp_path, check=True)

        assert workspace(config=suite(tmp_path)).commit is None

    @pytest.mark.parametrize("git", [None, "no program", "#!/bin/sh\nexit 3\n"], ids=["none", "broken", "failing"])
    def test_without_a_git_that_works_there_is_none(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: str | None
    ) -> None:
        """A machine without git, or with a broken one, is no error."""
        file = suite(tmp_path / "project")
        if git is not None:
            (tmp_path / "git").write_text(git)
            (tmp_path / "git").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

        assert workspace(config=file).commit is None

    def test_the_one_that_was_named_wins(self, tmp_path: Path) -> None:
        """``--commit`` goes before git."""
        assert workspace(config=suite(tmp_path), commit="0a1b2c3").commit == "0a1b2c3"

    @pytest.mark.parametrize("written", ["", "a b", "a\nb", "\x1b[31m"])
    def test_what_is_no_name_is_refused(self, tmp_path: Path, written: str) -> None:
        """White space and control characters are in no name of a commit."""
        with pytest.raises(errors.UsageError, match="is no name of a commit"):
            workspace(config=suite(tmp_path), commit=written)


class TestTier:
    """What is measured."""

    @pytest.mark.parametrize("written", ["auto", "retrieval"])
    def test_without_a_judge_it_is_retrieval(self, tmp_path: Path, written: str) -> None:
        """``auto`` chooses the only tier there is without a judge."""
        assert workspace(config=suite(tmp_path), tier=written).tier == "retrieval"

    def test_full_is_refused_with_what_it_needs(self, tmp_path: Path) -> None:
        """``--tier full`` says what to write into the configuration."""
        with pytest.raises(errors.UsageError, match="needs a judge: section"):
            workspace(config=suite(tmp_path), tier="full")


class TestBaseline:
    """What is compared with."""

    def test_the_command_line_goes_before_the_configuration(self, tmp_path: Path) -> None:
        """``--baseline`` wins over ``baseline.file``, which is relative to the configuration."""
        made = workspace(config=suite(tmp_path, "baseline: {file: kept.json}\n"))
        for name in ("kept.json", "other.json"):
            (tmp_path / name).touch()

        assert edges.baseline(made, None) == tmp_path / "kept.json"
        assert edges.baseline(made, tmp_path / "other.json") == tmp_path / "other.json"

    def test_none_is_none(self, tmp_path: Path) -> None:
        """A first run has nothing to compare with."""
        assert edges.baseline(workspace(config=suite(tmp_path)), None) is None

    def test_one_that_is_missing_is_named_before_anything_runs(self, tmp_path: Path) -> None:
        """A baseline that is not there is a mistake, found before the pipeline is asked anything."""
        with pytest.raises(errors.BaselineError, match=re.escape(f"there is no baseline {tmp_path / 'gone.json'}")):
            edges.baseline(workspace(config=suite(tmp_path)), tmp_path / "gone.json")

    def test_a_folder_of_an_earlier_run_is_told_which_file_is_meant(self, tmp_path: Path) -> None:
        """Whoever names the folder learns the file's name."""
        (tmp_path / "main").mkdir()
        (tmp_path / "main" / "run.json").touch()
        with pytest.raises(errors.BaselineError, match=re.escape(f"name {tmp_path / 'main' / 'run.json'}") + "$"):
            edges.baseline(workspace(config=suite(tmp_path)), tmp_path / "main")

    def test_one_that_would_be_replaced_is_refused(self, tmp_path: Path) -> None:
        """A run cannot be compared with the file it writes; the file is left alone."""
        made = workspace(config=suite(tmp_path), out=tmp_path / "out")
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "run.json").write_text("{}")

        with pytest.raises(errors.UsageError, match="would be replaced by this run"):
            edges.baseline(made, tmp_path / "out" / ".." / "out" / "run.json")
        assert (tmp_path / "out" / "run.json").read_text() == "{}"


def test_the_clock_speaks_utc() -> None:
    """Times are ISO 8601 in UTC, days are days, and the stop watch does not run backwards."""
    clock = edges.clock()

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", clock.now())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", clock.today())
    assert clock.seconds() <= clock.seconds()
