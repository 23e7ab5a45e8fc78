"""The Action's shell: the base commit, the change, and the files that the zones get."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

import pytest

from evaluator.zones.judging import Change
from tests.runner import SCRIPTS, Runner

# The base commit


FIND = 'file=eval/run.json; find_base; echo "$base"'


def test_a_pull_request_is_compared_with_the_first_parent_of_its_merge(runner: Runner) -> None:
    """The base branch moved on after the payload was written: what counts is what was tested."""
    old = runner.git("rev-parse", "HEAD")
    runner.git("switch", "--quiet", "--create", "change")
    head = runner.commit("change")
    runner.git("switch", "--quiet", "main")
    moved = runner.commit("moved")
    runner.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
    merge = runner.git("rev-parse", "HEAD")

    bases = {
        runner.attempt(FIND, ASSAY_HEAD_SHA=head, ASSAY_BASE_SHA=old, GITHUB_SHA=merge, GITHUB_EVENT_NAME=event)
        for event in ("pull_request", "pull_request_review")
    }

    assert bases == {moved}


def test_a_merge_that_somebody_made_himself_has_no_say_in_the_base(runner: Runner) -> None:
    """Where a branch is checked out by its name, its newest commit may be a merge with whatever its author likes."""
    base = runner.git("rev-parse", "HEAD")
    runner.git("switch", "--quiet", "--create", "change")
    head = runner.commit("change")
    runner.git("switch", "--quiet", "--create", "mine", base)
    runner.commit("mine", files={"eval/run.json": "mine"})
    runner.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")

    found = runner.attempt(FIND, ASSAY_HEAD_SHA=head, ASSAY_BASE_SHA=base, GITHUB_SHA="f" * 40)

    assert found == base


def test_a_branch_from_before_the_first_baseline_is_told_to_merge(runner: Runner) -> None:
    """Being compared with nothing would let it pass whatever it does."""
    runner.git("switch", "--quiet", "--create", "change")
    head = runner.commit("change")
    runner.git("switch", "--quiet", "main")
    base = runner.commit("accepted", files={"eval/run.json": "accepted"})
    runner.git("switch", "--quiet", "change")
    event = {"ASSAY_HEAD_SHA": head, "ASSAY_BASE_SHA": base, "GITHUB_SHA": head}

    runner.attempt("read_baseline", ASSAY_BASELINE_FILE="eval/run.json", **event)

    assert runner.outputs["exit-code"] == "2"
    assert "merge the base into the branch" in runner.summary


def test_a_checked_out_head_is_compared_with_where_it_left_its_base(runner: Runner) -> None:
    """A workflow that checks the head out, not the merge, is compared with the common commit."""
    left = runner.git("rev-parse", "HEAD")
    runner.git("switch", "--quiet", "--create", "change")
    head = runner.commit("change")
    runner.git("switch", "--quiet", "main")
    moved = runner.commit("moved")
    runner.git("switch", "--quiet", "change")

    assert runner.attempt(FIND, ASSAY_HEAD_SHA=head, ASSAY_BASE_SHA=moved) == left


def test_a_merge_that_is_the_head_itself_is_no_merge_to_be_tested(runner: Runner) -> None:
    """A pull request whose last commit merges its base branch is not taken for the forge's merge commit."""
    runner.git("switch", "--quiet", "--create", "change")
    runner.commit("change")
    runner.git("switch", "--quiet", "main")
    moved = runner.commit("moved")
    runner.git("switch", "--quiet", "change")
    runner.git("merge", "--quiet", "--message", "merge", "main")
    head = runner.git("rev-parse", "HEAD")

    assert runner.attempt(FIND, ASSAY_HEAD_SHA=head, ASSAY_BASE_SHA=moved, GITHUB_SHA=head) == moved


def test_events_without_a_pull_request_have_a_base_too(runner: Runner) -> None:
    """A push is compared with what was there before, a schedule with the commit itself."""
    before = runner.git("rev-parse", "HEAD")
    middle = runner.commit("one")
    head = runner.commit("two")

    def base(event: str, sha: str = "") -> str:
        return runner.attempt(FIND, GITHUB_EVENT_NAME=event, ASSAY_BASE_SHA=sha)

    assert base("push", before) == before
    assert base("push", "0" * 40) == middle
    assert base("push", "1" * 40) == middle
    assert [base(event) for event in ("schedule", "workflow_dispatch", "release")] == [head] * 3


@pytest.mark.parametrize("event", ["issue_comment", "repository_dispatch", "pull_request_comment"])
def test_an_event_that_names_no_commit_has_no_baseline(event: str, runner: Runner) -> None:
    """What is checked out then may be a pull request, which would bring the baseline it is measured by."""
    runner.attempt(FIND, GITHUB_EVENT_NAME=event)

    assert runner.outputs["exit-code"] == "2"
    assert f"the event {event} names no commit to read" in runner.summary


def test_a_checkout_that_is_too_shallow_is_told_what_to_do(runner: Runner, tmp_path: Path) -> None:
    """One commit without its parent: the message names the setting that is missing."""
    before = runner.git("rev-parse", "HEAD")
    runner.commit("change")
    shallow = tmp_path / "shallow"
    runner.git("clone", "--quiet", "--depth=1", f"file://{runner.repo}", str(shallow))
    runner.git("remote", "set-url", "origin", "/missing", folder=shallow)

    runner.shell(
        "prepare_attempt; find_base", shallow, GITHUB_WORKSPACE=str(shallow), GITHUB_EVENT_NAME="merge_group",
        ASSAY_BASE_SHA=before,
    )  # fmt: skip

    assert runner.outputs["exit-code"] == "2"
    assert f"the base commit {before} is not in this clone: give actions/checkout fetch-depth: 0" in runner.summary


def test_the_baseline_is_the_base_commits(runner: Runner) -> None:
    """What the pull request made of the file is not read; a file that is new has no baseline yet, and that is said."""
    base = runner.commit("base", files={"eval/run.json": "accepted"})
    runner.commit("change", files={"eval/run.json": "mine", "eval/new.json": "mine"})
    event = {"GITHUB_EVENT_NAME": "push", "ASSAY_BASE_SHA": base}

    read = 'read_baseline; echo "source=$source"; cat "$temporary/run.json" 2>/dev/null || true'
    said = runner.attempt(read, ASSAY_BASELINE_FILE="./eval/run.json", **event)
    new = runner.attempt(read, ASSAY_BASELINE_FILE="eval/new.json", **event)

    assert f"source=eval/run.json as of {base[:12]}\naccepted" in said
    assert "::warning title=RAG Assay::no baseline: 'eval/new.json' is not in the base commit" in new
    assert new.endswith("source=")


def test_a_baseline_that_only_lfs_has_is_named(runner: Runner) -> None:
    """The commit has a pointer, which is no run; the message says so and not that the file is broken."""
    base = runner.commit("base", files={"eval/run.json": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"})

    runner.attempt("read_baseline", ASSAY_BASELINE_FILE="eval/run.json", GITHUB_EVENT_NAME="push", ASSAY_BASE_SHA=base)

    assert runner.outputs["exit-code"] == "2"
    assert f"'eval/run.json' in the base commit {base} is a pointer of Git LFS" in runner.summary


# The change


DESCRIBE = (
    'describe_change; for part in "${change[@]}"; do echo "$part:"; tr "\\0" "\\n" <"$temporary/$part" |'
    " grep -v '^:' || true; echo; done"
)


def test_prepare_is_told_what_changed_and_what_the_configuration_was(runner: Runner) -> None:
    """Since the first parent of the merge commit, without renames; the configuration is the base's, under its name."""
    base = runner.commit("base", files={"eval/rag-assay.yml": "suite: old\n", "old name": "x" * 500})
    runner.git("switch", "--quiet", "--create", "change")
    runner.git("mv", "old name", "neu ü")
    head = runner.commit("change", files={"eval/rag-assay.yml": "suite: new\n"})
    runner.git("switch", "--quiet", "main")
    runner.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
    merge = runner.git("rev-parse", "HEAD")

    said = runner.attempt(
        DESCRIBE, ASSAY_CONFIG="./eval/rag-assay.yml", ASSAY_HEAD_SHA=head, ASSAY_BASE_SHA=base, GITHUB_SHA=merge
    )

    assert said.split("\n") == [
        "changed:", "eval/rag-assay.yml", "neu ü", "old name", "", "older.yml:", "suite: old",
    ]  # fmt: skip


def test_prepare_is_told_of_links_and_submodules(runner: Runner) -> None:
    """What is or was no file is told from one: something below it may be what changed."""
    runner.commit("base", files={"was a link/x": "x", "a file": "x"})
    (runner.repo / "link").symlink_to("a file")
    runner.git("add", "link")
    base = runner.commit("links")
    runner.git("rm", "--quiet", "-r", "was a link", "link")
    (runner.repo / "was a link").symlink_to("a file")
    (runner.repo / "link").write_text("now a file")
    runner.git("add", "--all")
    runner.git("update-index", "--add", "--cacheinfo", f"160000,{base},a submodule")
    runner.git("commit", "--quiet", "--message", "change")

    runner.attempt(f"{DESCRIBE}; cp $temporary/changed {runner.folder}", GITHUB_EVENT_NAME="push", ASSAY_BASE_SHA=base)
    change = Change()
    with (runner.folder / "changed").open("rb") as file:
        change.take_files(file)

    assert change.files == ["a submodule/", "link/", "was a link/", "was a link/x"]


def test_what_waits_before_it_in_a_queue_is_part_of_a_group(runner: Runner) -> None:
    """The status of the last group can be enough to merge those before it (HEADGREEN), whatever theirs are.

    So its base is the branch's own commit, and a baseline that the group before brings is not read.
    """
    target = runner.git("rev-parse", "HEAD")
    before = runner.commit("search")
    last = runner.commit("docs")
    given = {
        "GITHUB_EVENT_NAME": "merge_group", "GITHUB_SHA": last, "ASSAY_BASE_SHA": before,
        "ASSAY_BASE_REF": "refs/heads/main",
    }  # fmt: skip

    # Where the branch that it is to be merged into is not in the clone, nobody knows what waits before it.
    assert runner.attempt(DESCRIBE, **given) == ""
    missing = "the branch main, which the merge queue is of, is not in this clone: give actions/checkout fetch-depth: 0"
    assert missing in runner.attempt(FIND, **given)
    runner.git("update-ref", "refs/remotes/origin/main", target)
    assert runner.attempt(FIND, **given) == target
    assert runner.attempt(DESCRIBE, **given).split("\n") == ["changed:", "docs.txt", "search.txt"]


def test_a_checkout_without_the_head_is_refused(runner: Runner) -> None:
    """Else main would be measured, and its success would stand on the head of the pull request."""
    main = runner.commit("main")
    head = runner.commit("head")

    assert runner.attempt("true", GITHUB_SHA="f" * 40, ASSAY_HEAD_SHA=main) == ""
    runner.git("checkout", "--quiet", main)
    said = runner.attempt("true", GITHUB_SHA="f" * 40, ASSAY_HEAD_SHA=head)
    assert f"head {head} of the pull request or merge group is not in what is checked out ({main})" in said
    queued = runner.attempt("true", GITHUB_EVENT_NAME="merge_group", GITHUB_SHA=head, ASSAY_HEAD_SHA="")
    assert f"head {head} of the pull request or merge group is not in what" in queued
    stale = runner.attempt("true", GITHUB_SHA=main, ASSAY_HEAD_SHA=head)
    assert f"is not in what is checked out ({main}): GitHub had no merge of it yet" in stale


def test_a_merge_of_a_head_that_was_taken_back_is_refused(runner: Runner) -> None:
    """The older head is in its history, and what came after that was measured too: it may be what mends it."""
    main = runner.commit("main")
    head = runner.commit("head")
    taken_back = runner.commit("later")
    runner.git("checkout", "--quiet", "--detach", main)
    runner.git("merge", "--quiet", "--no-ff", "--message", "merge", taken_back)
    merge = runner.git("rev-parse", "HEAD")

    assert runner.attempt("true", GITHUB_SHA=merge, ASSAY_HEAD_SHA=taken_back) == ""
    assert "GitHub had no merge of it yet" in runner.attempt("true", GITHUB_SHA=merge, ASSAY_HEAD_SHA=head)
    # Whoever merges more on top of the head himself has it in what he measures.
    assert runner.attempt("true", GITHUB_SHA="f" * 40, ASSAY_HEAD_SHA=head) == ""


def test_a_merge_in_a_clone_without_history_has_the_head(runner: Runner) -> None:
    """It names its parents, whether they are there or not."""
    main = runner.commit("main")
    runner.git("checkout", "--quiet", "-b", "change", "HEAD~1")
    head = runner.commit("head")
    runner.git("checkout", "--quiet", "--detach", main)
    runner.git("merge", "--quiet", "--no-ff", "-m", "merge", head)
    (runner.repo / ".git" / "shallow").write_text(runner.git("rev-parse", "HEAD") + "\n")

    assert runner.attempt("true", GITHUB_SHA=runner.git("rev-parse", "HEAD"), ASSAY_HEAD_SHA=head) == ""


DEPENDS = 'describe_dependencies; printf "%s\n" "${depends[@]}"'


def test_only_what_the_event_is_about_may_be_passed_by(runner: Runner) -> None:
    """What is checked out is the merge or the head, with its history; nothing is installed unseen."""
    behind = runner.commit("behind")
    head = runner.commit("head")
    given = {"ASSAY_REQUIREMENTS": "requirements.txt", "ASSAY_INCLUDE": "head.txt", "ASSAY_BASELINE_FILE": "run.json"}

    said = [
        runner.attempt(f"check_includes; {DEPENDS}", **variables, **given)
        for variables in (
            {"GITHUB_SHA": head}, {"ASSAY_HEAD_SHA": head, "ASSAY_BASE_SHA": head},
            {"GITHUB_SHA": "f" * 40, "ASSAY_HEAD_SHA": behind}, {},
            {"GITHUB_SHA": head, "ASSAY_INSTALL_POLICY": "source"},
        )
    ]  # fmt: skip

    shallow = runner.folder / "shallow"
    runner.git("clone", "--quiet", "--depth", "1", f"file://{runner.repo}", str(shallow))
    assert runner.shell(f"cd {shallow}; includes=(); {DEPENDS}", GITHUB_SHA=head) == ""
    needs = ["--needs", "./head.txt", "--needs", "requirements.txt", "--needs", "run.json"]
    passing = "\n".join(["--may-pass-by", *needs, "--installs"])
    assert said == [passing, passing, "", "", ""]


def test_a_head_that_left_its_base_twice_is_measured(runner: Runner) -> None:
    """Both have merged both commits, and the head takes one of them back: seen from the other, it changed nothing."""
    runner.git("switch", "--quiet", "--create", "mended")
    mended = runner.commit("mended", files={"search.txt": "mended"})
    runner.git("switch", "--quiet", "main")
    other = runner.commit("other")
    runner.git("merge", "--quiet", "--no-ff", "--message", "merge", "mended")
    base = runner.git("rev-parse", "HEAD")
    runner.git("switch", "--quiet", "--create", "change", mended)
    runner.git("merge", "--quiet", "--no-ff", "--message", "merge", other)
    runner.git("rm", "--quiet", "search.txt")
    head = runner.commit("docs")

    said = runner.attempt(f"includes=(); {DEPENDS}", GITHUB_SHA="f" * 40, ASSAY_HEAD_SHA=head, ASSAY_BASE_SHA=base)

    assert said == ""


@pytest.mark.parametrize(("folder", "needs"), [(".", "."), ("tools/assay", "tools/assay")])
def test_an_action_of_the_repository_itself_is_needed(folder: str, needs: str, runner: Runner) -> None:
    """A workflow that uses ./ or a copy measures by what the change makes of it."""
    shutil.copytree(SCRIPTS, runner.repo / folder / "scripts", dirs_exist_ok=True)
    head = runner.commit("action", files={"head.txt": "x"})

    source = f"set -euo pipefail; source ./{folder}/scripts/run.sh; includes=(); {DEPENDS}"
    said = runner.bash(source, GITHUB_SHA=head)

    assert said == f"--may-pass-by\n--needs\n{needs}"


def test_a_tier_that_was_named_needs_no_history(runner: Runner) -> None:
    """Nothing is fetched for what nobody asks."""
    base = runner.git("rev-parse", "HEAD")
    runner.commit("change")

    said = [
        runner.attempt(DESCRIBE, ASSAY_TIER=tier, GITHUB_EVENT_NAME="push", ASSAY_BASE_SHA=base)
        for tier in ("auto", "full", "retrieval")
    ]

    assert [text.split("\n")[:2] for text in said] == [["changed:", "change.txt"], [""], [""]]


def test_a_change_that_is_not_known_is_not_told(runner: Runner) -> None:
    """An event that names no commit, or a history that is not there: no mistake, for a baseline may not be wanted."""
    said = [
        runner.attempt(DESCRIBE, GITHUB_EVENT_NAME="issue_comment"),
        runner.attempt(DESCRIBE, ASSAY_HEAD_SHA="", ASSAY_BASE_SHA="f" * 40),
    ]

    assert said == ["", ""]
    assert "exit-code" not in runner.outputs


# Files


def packed(runner: Runner, **variables: str) -> dict[str, bytes]:
    """What the zones are given."""
    runner.attempt(
        f'check_inputs; pack_repository; cp "$temporary/repository.tar" {runner.folder}/tree.tar', **variables
    )
    with tarfile.open(runner.folder / "tree.tar") as tar:
        content = {member.name: tar.extractfile(member) for member in tar if member.isfile()}
        return {name: file.read() for name, file in content.items() if file is not None}


def test_only_what_git_tracks_is_packed(runner: Runner) -> None:
    """Odd names, links and changes that are not committed come along; untracked files and .git do not."""
    names = ["a b", "-x", "ünï", "line\nend", "dir/deep/x", "'quote'"]
    runner.commit("names", files=dict.fromkeys(names, "x"))
    (runner.repo / "untracked").write_text("secret")
    (runner.repo / "start.txt").write_text("changed")
    (runner.repo / "a b").unlink()

    files = packed(runner)

    assert set(files) == {*names, "start.txt"} - {"a b"}
    assert files["start.txt"] == b"changed"


def test_a_name_that_is_no_text_hides_no_other(runner: Runner) -> None:
    """A name that ends within a character does not swallow the next one, and names that collate alike are two."""
    odd = [b"a\xe9", b"a\xe9\xa0", "①".encode(), "⑴".encode(), b"z"]
    for name in odd:
        Path(os.fsdecode(os.fsencode(runner.repo) + b"/" + name)).write_text("x")
    runner.git("add", "--all")

    for locale in ("C.UTF-8", "en_US.UTF-8", "POSIX"):
        files = packed(runner, LC_ALL=locale, LANG=locale)
        assert set(files) == {*map(os.fsdecode, odd), "start.txt"}


def test_a_link_does_not_lead_what_is_included_or_written_out_of_the_repository(runner: Runner) -> None:
    """A pull request may make a folder a link; the workflow's words keep their meaning, and nothing is removed."""
    (runner.folder / "outside" / "data").mkdir(parents=True)
    (runner.folder / "outside" / "data" / "precious").write_text("x")
    (runner.repo / "built").symlink_to("../outside")

    runner.attempt("check_inputs", ASSAY_INCLUDE="built/data")
    assert "'built/data', which lies behind a symbolic link" in runner.summary
    runner.attempt("true", ASSAY_OUT="built/data")

    assert "the input out is 'built/data'" in runner.summary
    assert (runner.folder / "outside" / "data" / "precious").exists()


def test_included_paths_come_along(runner: Runner) -> None:
    """A file or a folder that was built in the job, without a repository that lies in it."""
    for name in ("built/index/data", "built/vendored/.git/config", "one file"):
        (runner.repo / name).parent.mkdir(parents=True, exist_ok=True)
        (runner.repo / name).write_text("x")

    files = packed(runner, ASSAY_INCLUDE="built\n./one file\n")

    assert set(files) == {"start.txt", "built/index/data", "one file"}


def test_a_folder_that_is_no_checkout_is_told_so(runner: Runner, tmp_path: Path) -> None:
    """The workflow lacks a step."""
    (tmp_path / "empty" / "src").mkdir(parents=True)

    runner.shell("prepare_attempt", tmp_path / "empty", ASSAY_OUT="src")

    assert runner.outputs["exit-code"] == "2"
    assert "run actions/checkout before" in runner.summary
    assert (tmp_path / "empty" / "src").exists()
