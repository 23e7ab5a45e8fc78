"""The Action's shell, without a container: inputs, base commit, files, log, ends and names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from evaluator.model.decision import EXIT_CODES, Decision, Outcome
from evaluator.stores.values import write_value
from evaluator.zones.egress import read_rules
from evaluator.zones.judging import Change
from tests.container.world import copy_action

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
INPUTS: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
NONCE = "0123456789abcdef0123456789abcdef"


class Runner:
    """A machine on which the scripts run, and a repository on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.repo.mkdir()
        (folder / "temporary").mkdir()
        defaults = {f"ASSAY_{name.upper().replace('-', '_')}": value["default"] for name, value in INPUTS.items()}
        self.environment = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder),
            "GITHUB_WORKSPACE": str(self.repo), "GITHUB_RUN_ID": "5",
            "GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKFLOW": "w", "GITHUB_JOB": "j", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "RUNNER_TEMP": str(folder / "temporary"),
            "ASSAY_JOB_INDEX": "0", "ASSAY_PULL": "", "ASSAY_HEAD_SHA": "", "ASSAY_BASE_SHA": "", "ASSAY_BASE_REF": "",
            "ASSAY_HANDED_DIGEST": "", "ASSAY_HANDED_NONCE": "",
            "ASSAY_HANDED_FOLDER": str(folder / "temporary" / "handed"),
            "ASSAY_JUDGE_CACHE": str(folder / "temporary" / "judged"), "GITHUB_TOKEN": "ghs_very_secret",
            "GITHUB_EVENT_PATH": str(folder / "event.json"), "ASSAY_DEFAULT_BRANCH": "main",
            "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@e", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@e",
            **defaults,
        }  # fmt: skip
        (folder / "event.json").write_text("{}")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("start")

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        """Run git."""
        return self._run(["git", *arguments], folder or self.repo)

    def commit(self, name: str, *, files: dict[str, str] | None = None) -> str:
        """Commit a change; its name."""
        for path, text in (files or {f"{name}.txt": name}).items():
            (self.repo / path).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / path).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", name)
        return self.git("rev-parse", "HEAD")

    def shell(self, commands: str, folder: Path | None = None, **variables: str) -> str:
        """Run commands after all functions of run.sh were read, as it would call them; what they print."""
        script = f"set -euo pipefail; source {SCRIPTS}/run.sh; cd {folder or self.repo}; {commands}"
        return self.bash(script, **variables)

    def bash(self, script: str, **variables: str) -> str:
        """Run a script."""
        return self._run(["bash", "-c", script], self.repo, variables)

    def attempt(self, commands: str, **variables: str) -> str:
        """Run commands within an attempt."""
        return self.shell(f"prepare_attempt; {commands}; trap - EXIT", **variables)

    def docker(self, script: str) -> None:
        """Put a stand-in for docker onto the machine: what it does, in this shell."""
        file = self.folder / "bin" / "docker"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the step; the last one of a name counts."""
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())

    @property
    def summary(self) -> str:
        """The step summary."""
        return (self.folder / "summary").read_text()

    def _run(self, command: list[str], folder: Path, variables: dict[str, str] | None = None) -> str:
        environment = self.environment | (variables or {})
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return done.stdout.strip()


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A machine."""
    return Runner(tmp_path)


# Ends


def gate(folder: Path, nonce: str | None = NONCE, outcome: Outcome = "passed", **variables: str) -> int:
    """The exit code of the last step after a decision."""
    decision = Decision(
        outcome=outcome, exit_code=EXIT_CODES[outcome], reasons=(), rules=(), cases=(), accepted=False, nonce=nonce
    )
    write_value(folder / "decision.json", decision)
    return last_step(folder, **variables)


def last_step(folder: Path, **variables: str) -> int:
    environment = {
        "PATH": os.environ["PATH"], "ASSAY_ZONES": "passed", "ASSAY_NONCE": NONCE, "ASSAY_REPORT": str(folder),
        "ASSAY_EXIT_CODE": "0", "ASSAY_FAIL_ON": "inconclusive", "ASSAY_PHASE": "all", **variables,
    }  # fmt: skip
    return subprocess.run([SCRIPTS / "gate.sh"], env=environment, capture_output=True, check=False).returncode


@pytest.mark.parametrize(
    ("fail_on", "codes"),
    [
        ("inconclusive", {"passed": 0, "failed": 1, "inconclusive": 3}),
        ("regression", {"passed": 0, "failed": 1, "inconclusive": 0}),
        ("never", {"passed": 0, "failed": 0, "inconclusive": 0}),
    ],
)
def test_the_last_step_ends_with_the_decision(fail_on: str, codes: dict[str, int], tmp_path: Path) -> None:
    """What fails the job is the workflow's choice; a regression and an undecided run fail it by default."""
    found = {outcome: gate(tmp_path, outcome=outcome, ASSAY_FAIL_ON=fail_on) for outcome in get_args(Outcome)}

    assert found == codes


@pytest.mark.parametrize("fail_on", ["inconclusive", "regression", "never"])
@pytest.mark.parametrize(
    "variables",
    [
        {"ASSAY_ZONES": ""},
        {"ASSAY_ZONES": "failed"},
        {"ASSAY_NONCE": ""},
        {"ASSAY_NONCE": NONCE[:-1]},
        {"ASSAY_REPORT": "/missing"},
        {"ASSAY_ZONES": "", "ASSAY_EXIT_CODE": ""},
        {"ASSAY_ZONES": "", "ASSAY_EXIT_CODE": "4"},
    ],
    ids=str,
)
def test_whatever_is_no_verdict_is_four(variables: dict[str, str], fail_on: str, tmp_path: Path) -> None:
    """A zone that failed, another attempt's decision or none: never green, whatever the workflow chose."""
    assert gate(tmp_path, ASSAY_FAIL_ON=fail_on, **variables) == 4


@pytest.mark.parametrize("nonce", [None, "", "f" * 32, NONCE.upper()])
def test_a_decision_without_this_attempts_nonce_is_four(nonce: str | None, tmp_path: Path) -> None:
    """A green decision that was left over does not count."""
    assert gate(tmp_path, nonce=nonce) == 4


def test_a_mistake_is_two_whatever_fails_the_job(tmp_path: Path) -> None:
    """A job is never green because its configuration is wrong."""
    assert last_step(tmp_path, ASSAY_ZONES="", ASSAY_EXIT_CODE="2", ASSAY_FAIL_ON="never") == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"outcome":"passed","exit_code":0,"nonce":"' + NONCE + '"}',
        '{"outcome":"passed",\n"exit_code":1,\n"nonce":"' + NONCE + '"}',
        '{"outcome":"green",\n"exit_code":0,\n"nonce":"' + NONCE + '"}',
        '{"outcome":"failed",\n"outcome":"passed",\n"exit_code":0,\n"nonce":"' + NONCE + '"}',
        "",
    ],
)
def test_a_decision_that_contradicts_itself_is_four(text: str, tmp_path: Path) -> None:
    """Outcome and exit code have to be there once and to agree."""
    (tmp_path / "decision.json").write_text(text)

    assert last_step(tmp_path) == 4


def test_no_verdict_is_told_in_the_summary(runner: Runner) -> None:
    """The message and what the zone said are shown as text, and the step ends well so that the report is uploaded."""
    runner.attempt("""said=$temporary/said; printf '<b>@org\\n' > "$said"; stop 2 'mend </pre> & more'""")

    assert (runner.outputs["outcome"], runner.outputs["exit-code"]) == ("error", "2")
    assert "mend &lt;/pre&gt; &amp; more" in runner.summary
    assert "&lt;b&gt;@org" in runner.summary
    assert (runner.repo / "rag-assay-report" / "summary.md").read_text() == runner.summary
    assert list((runner.folder / "temporary").iterdir()) == []


def test_a_script_that_breaks_is_no_verdict(runner: Runner) -> None:
    """An error that nobody foresaw ends with 4."""
    runner.shell("prepare_attempt; false")

    assert (runner.outputs["outcome"], runner.outputs["exit-code"]) == ("error", "4")


def test_what_an_earlier_run_left_is_removed(runner: Runner) -> None:
    """The report's folder is new for every attempt."""
    (runner.repo / "rag-assay-report").mkdir()
    (runner.repo / "rag-assay-report" / "decision.json").write_text("{}")

    runner.attempt("true")

    assert list((runner.repo / "rag-assay-report").iterdir()) == []


# Inputs


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("tier", "ful", "one of: auto retrieval full"),
        ("install-policy", "", "one of: hashes wheels source"),
        ("network", "container:judge", "the name of a docker network"),
        ("network", "-v", "the name of a docker network"),
        ("network", "", "the name of a docker network"),
        ("egress-hosts", "api.example.com", "is for network: egress"),
        ("fail-on", "always", "one of: inconclusive regression never"),
        ("upload", "all", "one of: report full none"),
        ("collect-timeout", "1h", "a number of seconds"),
        ("collect-timeout", "0", "a number of seconds"),
        ("retention-days", "ten", "a number of days"),
        ("python", "3", "a version such as"),
        ("python", "3.12; id", "a version such as"),
        ("config", "../rag-assay.yml", "a path in the repository"),
        ("config", "/etc/passwd", "a path in the repository"),
        ("config", "", "a path in the repository"),
        ("baseline-file", "a/../../b", "a path in the repository"),
        ("requirements", "/requirements.txt", "a path in the repository"),
        ("include", "missing", "does not exist"),
        ("include", "../up", "a path in the repository"),
        ("pipeline-env", "A-B", "no name of a variable"),
        ("pipeline-env", "$(id)", "no name of a variable"),
        ("pipeline-env", "NOT_SET_ANYWHERE", "is not set"),
        ("pipeline-env", "GITHUB_TOKEN", "never granted"),
        ("pipeline-env", "actions_runtime_token", "never granted"),
        ("pipeline-env", "RUNNER_TEMP", "never granted"),
        ("pipeline-env", "INPUT_KEY", "never granted"),
        ("pipeline-env", "ASSAY_TIER", "never granted"),
        ("pipeline-env", "LD_PRELOAD", "never granted"),
        ("pipeline-env", "PYTHONPATH", "never granted"),
        ("judge-key-env", "A-B", "no name of a variable"),
        ("judge-key-env", "NOT_SET_ANYWHERE", "is not set"),
        ("judge-key-env", "GITHUB_TOKEN", "never granted"),
        ("judge-key-env", "PATH", "never granted"),
        ("judge-hosts", "https://llm.example.com", "no host"),
        ("judge-hosts", "llm.example.com/v1", "no host"),
        ("judge-hosts", "llm.example.com:x", "no host"),
        ("judge-hosts", "me@llm.example.com", "no host"),
        ("judge-hosts", "*.example.com", "no host"),
        ("judge-hosts", "--keep", "no host"),
        ("judge-timeout", "1h", "a number of seconds"),
    ],
)
def test_an_input_that_cannot_be_is_a_mistake(name: str, value: str, says: str, runner: Runner) -> None:
    """Exit code 2, the input's name and what it can be."""
    runner.attempt("check_inputs", **{f"ASSAY_{name.upper().replace('-', '_')}": value})

    assert runner.outputs["exit-code"] == "2"
    assert f"the input {name} " in runner.summary
    assert says in runner.summary


@pytest.mark.parametrize("out", [".", "..", "a/..", "/srv/x", "", "src", "a b", "$(id)", "-rf"])
def test_the_folder_of_the_report_has_to_be_one_of_its_own(out: str, runner: Runner) -> None:
    """It is removed before each run: nothing that somebody needs may be named, and nothing is removed then."""
    runner.commit("source", files={"src/app.py": "x"})

    runner.attempt("true", ASSAY_OUT=out)

    assert runner.outputs["exit-code"] == "2"
    assert "the input out " in runner.summary
    assert (runner.repo / "src" / "app.py").exists()
    assert "report" not in runner.outputs


def test_grants_are_names_and_never_values(runner: Runner) -> None:
    """Docker is given the names: a value on a command line could be read by every process of the machine."""
    said = runner.attempt(
        'check_inputs; whose=ours; grant; echo "${grants[@]}"; echo "${keys[@]}"',
        ASSAY_PIPELINE_ENV="RAG_KEY, OTHER\n\tRAG_URL", RAG_KEY="sk-secret", OTHER="o", RAG_URL="",
    )  # fmt: skip

    assert "--env RAG_KEY --env OTHER --env RAG_URL" in said
    assert "--key RAG_KEY --key OTHER --key RAG_URL" in said
    assert "sk-secret" not in said
    assert "::warning title=RAG Assay::RAG_URL is empty" in said


JUDGING = 'check_inputs; grant_judge; echo "${judge_grants[@]}"; echo "${judge_keys[@]}"; echo "${hosts[@]}"'


def test_the_judges_key_is_granted_by_its_name(runner: Runner) -> None:
    """An empty one, as a secret is that does not exist, is granted to nobody; hosts are handed on as they are."""
    said = runner.attempt(
        JUDGING, ASSAY_JUDGE_KEY_ENV="JUDGE_KEY, OTHER\nEMPTY", JUDGE_KEY="sk-secret", OTHER="o", EMPTY="",
        ASSAY_JUDGE_HOSTS="llm.example.com, 10.0.0.5:8000\n[::1]:1",
    )  # fmt: skip

    assert said.splitlines() == [
        "--env=JUDGE_KEY --env=OTHER", "--key=JUDGE_KEY --key=OTHER",
        "--host llm.example.com --host 10.0.0.5:8000 --host [::1]:1",
    ]  # fmt: skip


def test_the_pipeline_and_the_judge_do_not_share_a_key(runner: Runner) -> None:
    """What the pipeline sees, its code may send anywhere."""
    runner.attempt("check_inputs", ASSAY_JUDGE_KEY_ENV="KEY", ASSAY_PIPELINE_ENV="RAG_KEY KEY", KEY="k", RAG_KEY="r")

    assert runner.outputs["exit-code"] == "2"
    assert "judge-key-env names KEY, which pipeline-env grants to the pipeline" in runner.summary


def prepared(runner: Runner, tmp_path: Path, whose: str, **variables: str) -> tuple[str, list[str]]:
    """What is granted once the zone prepare has said whose a change is; and the calls of docker by then."""
    about = tmp_path / ".rag-assay" / "about"
    about.parent.mkdir()
    about.write_text(f"shop\nfull\nShop\nsome\n{whose}\n")
    tar = f"tar --create --directory {tmp_path} ./.rag-assay/about"
    runner.docker(f'[ $1 != run ] || {{ echo "$*" >>{tmp_path}/calls; cat >{tmp_path}/given.tar; {tar}; }}')
    commands = (
        'pack_repository; suite=(); hidden=(); prepare_repository; echo "granted ${grants[*]} ${judge_grants[*]}"'
    )
    said = runner.attempt(f"check_inputs; image=ours; {commands}", **variables)
    return said, (tmp_path / "calls").read_text().splitlines()


BOTH = {
    "ASSAY_PIPELINE_ENV": "RAG_KEY", "RAG_KEY": "sk-rag", "ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "sk-judge",
}  # fmt: skip


@pytest.mark.parametrize(("whose", "granted"), [("ours", "--env RAG_KEY --env=JUDGE_KEY"), ("stranger", "")])
def test_a_strangers_pull_request_gets_no_key(whose: str, granted: str, runner: Runner, tmp_path: Path) -> None:
    """G4, G6: even where there is one. The zone that says whose it is gets the event and no key either."""
    said, (call,) = prepared(runner, tmp_path, whose, GITHUB_ACTOR="eve", **BOTH)

    assert said.splitlines()[-1].removeprefix("granted").strip() == granted
    assert "--event pull_request --actor eve --key=JUDGE_KEY --granted=RAG_KEY" in call
    assert "--env RAG_KEY" not in call
    assert "JUDGE_KEY" not in call.partition(" action ")[0]
    assert "event.json" in names_in(tmp_path / "given.tar")


@pytest.mark.parametrize("whose", ["", "mine", "ours too"])
def test_who_a_stranger_is_has_to_be_said(whose: str, runner: Runner, tmp_path: Path) -> None:
    """Nothing is granted for want of an answer."""
    said, _ = prepared(runner, tmp_path, whose, **BOTH)

    assert "granted" not in said
    assert runner.outputs["exit-code"] == "4"


def test_an_own_image_brings_its_own_packages(runner: Runner) -> None:
    """Both at once would leave open which of them runs."""
    runner.attempt("check_inputs", ASSAY_IMAGE="team/app", ASSAY_REQUIREMENTS="requirements.txt")

    assert runner.outputs["exit-code"] == "2"


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
    """A push is compared with what was there before, a queue with its base, a schedule with the commit itself."""
    before = runner.git("rev-parse", "HEAD")
    middle = runner.commit("one")
    head = runner.commit("two")

    def base(event: str, sha: str = "") -> str:
        return runner.attempt(FIND, GITHUB_EVENT_NAME=event, ASSAY_BASE_SHA=sha)

    assert base("push", before) == before
    assert base("push", "0" * 40) == middle
    assert base("push", "1" * 40) == middle
    assert base("merge_group", before) == before
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
    """The status of the last group can be enough to merge those before it (HEADGREEN), whatever theirs are."""
    target = runner.git("rev-parse", "HEAD")
    before = runner.commit("search")
    last = runner.commit("docs")
    given = {
        "GITHUB_EVENT_NAME": "merge_group", "GITHUB_SHA": last, "ASSAY_BASE_SHA": before,
        "ASSAY_BASE_REF": "refs/heads/main",
    }  # fmt: skip

    # Where the branch that it is to be merged into is not in the clone, nobody knows what waits before it.
    assert runner.attempt(DESCRIBE, **given) == ""
    runner.git("update-ref", "refs/remotes/origin/main", target)
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
    assert runner.attempt("true", GITHUB_SHA=main, ASSAY_HEAD_SHA=head) == ""


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


# What was judged


def judged(runner: Runner, commands: str, **variables: str) -> str:
    """Run commands where a judge's key is granted and tier full was chosen."""
    given = {"ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "sk-secret", **variables}
    return runner.attempt(f"check_inputs; grant_judge; tier=full; {commands}", **given)


def stream(runner: Runner, *names: str) -> Path:
    """A stream of what leaves the zone that judges."""
    path = runner.folder / "out.tar"
    with tarfile.open(path, "w") as tar:
        for name in names:
            (runner.folder / name).write_text(f"new {name}")
            tar.add(runner.folder / name, arcname=name)
    return path


def test_what_was_judged_is_kept_for_the_next_run(runner: Runner) -> None:
    """As bytes, at the one place that is restored and saved."""
    file = runner.folder / "temporary" / "judged" / "judge-cache.sqlite"

    judged(runner, f"keep_judged {stream(runner, 'scored.tar', 'judge-cache.sqlite')}")

    assert file.read_text() == "new judge-cache.sqlite"
    assert runner.outputs["judge-cache"] == str(file.parent)
    assert judged(runner, 'parts=(); take_kept; echo "${parts[@]}"; cat "$temporary/$KEPT"').splitlines() == [
        "judge-cache.sqlite", "new judge-cache.sqlite",
    ]  # fmt: skip


@pytest.mark.parametrize("names", [("scored.tar",), ()])
def test_nothing_new_is_not_saved_again(names: tuple[str, ...], runner: Runner) -> None:
    """Nor is a stream that broke off."""
    judged(runner, f"keep_judged {stream(runner, *names)}")
    path = stream(runner, "judge-cache.sqlite")
    path.write_bytes(path.read_bytes()[:600])
    judged(runner, f"keep_judged {path}")

    assert "judge-cache" not in runner.outputs


@pytest.mark.parametrize("variables", [{"JUDGE_KEY": ""}, {"ASSAY_JUDGE_KEY_ENV": ""}])
def test_without_a_key_nothing_is_taken_over(variables: dict[str, str], runner: Runner) -> None:
    """There is nothing that could tell our entries from somebody's."""
    judged(runner, f"keep_judged {stream(runner, 'judge-cache.sqlite')}")

    assert judged(runner, 'parts=(); take_kept; echo "${parts[@]}"', **variables) == ""


def started(runner: Runner, tier: str, **variables: str) -> list[str]:
    """The calls of docker by which the answers are scored."""
    runner.docker(
        f'[ $1 != run ] || echo "$*" >>{runner.folder}/calls\n'
        f'case "$*" in *" action score "*) cat {stream(runner, "scored.tar")};; *" action log "*) cat >&2;; esac'
    )
    prepared = 'touch "$temporary/tree.tar" "$temporary/sealed.tar" "$temporary/fetched.tar"; image=ours'
    runner.attempt(
        f"check_inputs; grant_judge; {prepared}; tier={tier}; source=base; "
        f"score_answers --config rag-assay.yml --tier {tier}",
        ASSAY_JUDGE_HOSTS="llm.example.com", **variables,
    )  # fmt: skip
    return (runner.folder / "calls").read_text().splitlines()


def telling(runner: Runner, commands: str, zone: str = "true", **variables: str) -> list[str]:
    """The calls of docker by which GitHub is told; ``zone`` is what its zone does in this shell."""
    kept = f'echo "$*" >>{runner.folder}/calls; cat >{runner.folder}/given.tar'
    runner.docker(f"[ $1 != run ] || {{ {kept}; {zone}; }}")
    (runner.folder / "calls").write_text("")
    runner.attempt(f"check_inputs; image=ours; {commands}", **variables)
    return (runner.folder / "calls").read_text().splitlines()


def names_in(stream: Path) -> set[str]:
    """The names in a tar stream."""
    with tarfile.open(stream) as tar:
        return set(tar.getnames())


DECIDED = 'for name in comment.md decision.json publication.json; do echo "{}" >"$temporary/$name"; done; '


def test_who_publishes_gets_the_token_and_finished_text(runner: Runner) -> None:
    """The token goes by its name, with a network and what is known of the run; and no file but the report's."""
    (begun,) = telling(runner, "announce", ASSAY_CHECK="true", ASSAY_VARIANT="py 3.12")
    given = names_in(runner.folder / "given.tar")
    (ended,) = telling(runner, f"{DECIDED} suite_name='Our shop'; publish_decision", ASSAY_COMMENT="on-failure")

    assert "--network bridge --env GITHUB_TOKEN --env=GITHUB_ACTOR --env=GITHUB_API_URL" in begun
    assert "action publish --config rag-assay.yml --suite  --comment always --status --check" in begun
    assert "--variant py 3.12 --leg " in begun
    assert begun.endswith(" --pending")
    assert "--suite Our shop --comment on-failure --status --variant" in ended
    assert " --nonce " in ended
    assert "ghs_very_secret" not in begun + ended
    assert given == {"event.json"}
    assert names_in(runner.folder / "given.tar") == {"comment.md", "decision.json", "event.json", "publication.json"}


@pytest.mark.parametrize(
    ("content", "trusted"), [("-----BEGIN CERTIFICATE-----\nabc\n", True), ("x" * 100_001, False), (None, False)]
)
def test_certificates_of_the_machine_go_to_zones_with_a_network(
    content: str | None, trusted: bool, runner: Runner
) -> None:
    """By a variable, which no other zone sees; what is no such file is a warning."""
    file = runner.folder / "own.pem"
    if content is not None:
        file.write_text(content)
    calls = telling(runner, "announce; start seal ours -- action seal </dev/null", NODE_EXTRA_CA_CERTS=str(file))

    assert ["--env RAG_ASSAY_CA" in call for call in calls] == [trusted, False]
    assert len(calls) == 2


def test_no_other_zone_gets_the_token(runner: Runner) -> None:
    """Not even one with a network."""
    assert [call for call in started(runner, "full", **KEYED) if "GITHUB_TOKEN" in call] == []


def test_a_run_without_a_verdict_is_told_once(runner: Runner) -> None:
    """What ends a run is told as an error, if it was told that there is a run (G18)."""
    calls = telling(runner, "announce; stop 4 'the zone collect was killed'")

    assert len(calls) == 2
    assert calls[1].endswith("--failure the zone collect was killed")
    assert telling(runner, "stop 4 'no docker'") == []


def test_a_cancelled_run_does_not_stay_pending(runner: Runner) -> None:
    """Its status is an error; its comment and issue are left to the run that may come after it."""
    begun, ended = telling(runner, "announce; cancelled", ASSAY_ISSUE="true")

    assert ended.endswith("--failure the run was cancelled")
    assert ("--comment always" in begun, "--comment off" in ended) == (True, True)
    assert ("--issue" in begun, "--issue" in ended) == (True, False)


@pytest.mark.parametrize(
    "zone", ["exit 1", "exit 2", "exit 137", "head -c 2000 /dev/zero", "echo no comment", "kill -9 $PPID"]
)
def test_whatever_becomes_of_publishing_the_run_goes_on(zone: str, runner: Runner) -> None:
    """A zone that fails, is killed or writes nonsense costs a warning and nothing else (G18)."""
    telling(runner, f"output zones passed; {DECIDED} publish_decision; output reached end", zone)

    assert (runner.outputs["zones"], runner.outputs["reached"]) == ("passed", "end")
    assert "exit-code" not in runner.outputs


def test_what_could_not_be_told_is_one_warning(runner: Runner) -> None:
    """A sentence of the zone is shown as what it is, whatever it holds (G4, G15)."""
    runner.docker("[ $1 != run ] || { cat >/dev/null; printf 'forbidden 100%%\\n::set-output name=x::y'; }")
    said = runner.attempt(f"check_inputs; image=ours; {DECIDED} publish_decision")

    assert [line for line in said.splitlines() if line.startswith("::")] == [
        "::warning title=RAG Assay::forbidden 100%25%0A::set-output name=x::y"
    ]


def test_with_everything_switched_off_nothing_is_started(runner: Runner) -> None:
    """No container, no token."""
    off = {"ASSAY_COMMENT": "off", "ASSAY_STATUS": "false"}

    assert telling(runner, "announce; stop 4 'killed'", **off) == []
    assert len(telling(runner, "announce; stop 4 'killed'", ASSAY_ISSUE="true", **off)) == 2


KEYED = {"ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "sk-very-secret"}


def test_only_a_judge_gets_a_key_and_a_network(runner: Runner) -> None:
    """By name, with what it prints going through a zone that takes the key out, and with the hosts it may ask."""
    score, log = sorted(started(runner, "full", **KEYED), key=lambda call: " action log " in call)

    assert "--network bridge --env=JUDGE_KEY" in score
    assert "score --key=JUDGE_KEY --host llm.example.com --commit" in score
    assert "--network none" not in score
    assert "--env=JUDGE_KEY" in log
    assert "action log --key=JUDGE_KEY" in log
    assert "--network none" in log
    assert "sk-very-secret" not in score + log


def test_in_tier_retrieval_scoring_gets_neither(runner: Runner) -> None:
    """The key may be there for other runs of the same workflow."""
    (score,) = started(runner, "retrieval", **KEYED)

    assert "JUDGE_KEY" not in score
    assert "llm.example.com" not in score
    assert "--network none" in score


def test_judging_has_time_of_its_own(runner: Runner) -> None:
    """As the workflow says, in tier full alone; who listens stays longer."""
    said = runner.shell("for tier in retrieval full; do seconds_of score; echo; seconds_of score-log; echo; done")

    plain, listens, judges, hears = map(int, said.splitlines())
    assert (plain, judges) == (1800, 3900)
    assert (listens > plain, hears > judges) == (True, True)


def test_what_prepare_tells_is_of_a_known_form(runner: Runner) -> None:
    """The tier and the suite's name are handed to other zones and to the workflow, so nothing else passes."""

    def told(text: str) -> dict[str, str]:
        about = runner.folder / "prepared" / ".rag-assay" / "about"
        about.parent.mkdir(parents=True, exist_ok=True)
        about.write_text(text)
        tar = f'tar --create --directory {runner.folder}/prepared --file "$temporary/prepared.tar" ./.rag-assay/about'
        (runner.folder / "output").write_text("")
        runner.attempt(f"{tar}; read_about")
        return runner.outputs

    assert told("shop\nfull\nOur shop\nsome\nours\n")["tier"] == "full"
    wrong = (
        "shop\nfuller\nShop\nsome\nours\n", "shop\n", "../x\nfull\nShop\nsome\nours\n", "", "shop\nfull\n",
        "shop\nfull\nsh\rop\nsome\nours\n", "shop\nfull\nShop\n", "shop\nfull\nShop\nnothing\nours\n",
    )  # fmt: skip
    assert [told(text).get("exit-code") for text in wrong] == ["4"] * 8


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


# Images


class Registry:
    """A docker that has some images, can pull some, builds whatever it is asked for, and writes its calls down."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.action = copy_action(runner.folder / "action")
        self.calls = runner.folder / "calls"
        self.offers(has="", pulls="")
        self.hash = subprocess.run(
            [self.action / "scripts" / "source_hash.sh"], capture_output=True, text=True, check=True
        ).stdout.strip()

    def offers(self, *, has: str, pulls: str) -> None:
        """What is there already and what can be pulled."""
        self.runner.docker(
            f"""
            echo "$*" >> {self.calls}
            case "$*" in
            "image inspect "*) [ "$3" = "{has}" ] ;;
            "pull --quiet "*) [ "$3" = "{pulls}" ] || {{ echo "::error::denied"; exit 1; }} ;;
            build*) ;;
            *--version) echo "rag-assay 9.9.9" ;;
            esac
            """
        )

    def lock(self, source: str, image: str) -> None:
        """Write image.lock as a release does."""
        (self.action / "image.lock").write_text(f"# a comment\nsource={source}\nimage={image}\n")

    def chosen(self, image: str = "") -> str:
        """What the script says it uses."""
        script = f"source {self.action}/scripts/run.sh; prepare_attempt; choose_images; trap - EXIT"
        return self.runner.bash(f"set -euo pipefail; {script}", ASSAY_IMAGE=image)


PUBLISHED = f"ghcr.io/x/rag-assay@sha256:{'a' * 64}"


@pytest.fixture
def registry(runner: Runner) -> Registry:
    """A stand-in for docker."""
    return Registry(runner)


def test_a_published_image_is_used_for_the_folder_it_was_made_from(registry: Registry) -> None:
    """The lock names this folder's hash, so its image is pulled by digest."""
    registry.lock(registry.hash, PUBLISHED)
    registry.offers(has="", pulls=PUBLISHED)

    assert f"image: {PUBLISHED} (published for this version)" in registry.chosen()
    assert "build" not in registry.calls.read_text()


@pytest.mark.parametrize(
    ("source", "image", "wanted"),
    [
        ("", "", ""),
        ("f" * 64, PUBLISHED, ""),
        (None, "ghcr.io/x/rag-assay:latest", ""),
        (None, PUBLISHED, "build"),
    ],
)
def test_for_any_other_folder_the_image_is_built(
    source: str | None, image: str, wanted: str, registry: Registry
) -> None:
    """An empty lock, one of other sources, one without a digest, or a workflow that asks for it: nothing is pulled."""
    registry.lock(registry.hash if source is None else source, image)
    registry.offers(has="", pulls=image)

    assert f"image: rag-assay:{registry.hash[:16]} (built from this version now)" in registry.chosen(wanted)
    assert "pull" not in registry.calls.read_text()


def test_a_change_of_the_folder_makes_the_lock_worthless(registry: Registry) -> None:
    """One changed line of the package, and the published image is not used."""
    registry.lock(registry.hash, PUBLISHED)
    with (registry.action / "evaluator" / "__init__.py").open("a") as file:
        file.write("# changed\n")

    assert "(built from this version now)" in registry.chosen()


def test_a_published_image_that_cannot_be_pulled_is_no_verdict(runner: Runner, registry: Registry) -> None:
    """It is not built in its place unless the workflow asks for that; what docker says commands nothing."""
    registry.lock(registry.hash, PUBLISHED)

    said = registry.chosen()

    assert runner.outputs["exit-code"] == "4"
    assert "cannot be pulled" in runner.summary
    assert "│ ::error::denied" in said
    assert "build" not in registry.calls.read_text()


def test_an_image_of_the_team_has_to_have_this_version(registry: Registry) -> None:
    """Its own command is asked; ours answers the same in this world."""
    registry.offers(has="team/app:1", pulls="")

    said = registry.chosen("team/app:1")

    assert "image of the pipeline: team/app:1" in said
    (call,) = [line for line in registry.calls.read_text().splitlines() if line.endswith("team/app:1 --version")]
    assert all(option in call for option in ("--entrypoint rag-assay", "--network none", "--pids-limit", "--memory"))


# Ends of a zone


@pytest.mark.parametrize(
    ("status", "limit", "code", "says"),
    [
        (2, 9, "2", "the zone prepare found a mistake"),
        (3, 9, "4", "the zone prepare ended with exit code 3"),
        (124, 9, "4", "the zone prepare did not end in time"),
        (125, 9, "4", "the zone prepare could not be started"),
        (137, 9, "4", "the zone prepare was killed; out of memory?"),
        (137, 0, "4", "the zone prepare did not end in time"),
    ],
)
def test_how_a_zone_ends_is_told(status: int, limit: int, code: str, says: str, runner: Runner) -> None:
    """A mistake is 2, everything else is no verdict; one that had to be killed at its time was too slow."""
    runner.docker(f"[ $1 != run ] || exit {status}")
    replaced = f'timeout() {{ shift 3; "$@"; }}; seconds_of() {{ echo {limit}; }}'

    runner.attempt(f"{replaced}; run_zone prepare image /dev/null $temporary/x -- prepare")

    assert runner.outputs["exit-code"] == code
    assert says in runner.summary


def test_who_listens_outlives_who_speaks(runner: Runner) -> None:
    """What a pipeline prints is read for as long as it may run, however long the workflow lets it."""
    said = runner.shell("seconds_of collect-log; echo; seconds_of collect", ASSAY_COLLECT_TIMEOUT="90000")

    listens, speaks = map(int, said.splitlines())
    assert listens > speaks > 90_000


# Log and names


def test_what_a_zone_prints_commands_nothing(runner: Runner) -> None:
    """Every line is prefixed, ``##[`` is broken wherever it stands or comes to stand, and controls are gone."""
    lines = [
        "::set-output name=x::y",
        "  ::add-mask::y",
        "a##[error]x",
        "a\r::error::x",
        "\x1b[31m::x",
        "/work/tree/a.py:1",
        "##/work/tree/[error]x",
        "##/work/tr/work/tree/ee/[error]x",
        "ü 文",
    ]
    (runner.folder / "printed").write_text("\n".join(lines))

    said = runner.shell(f"inert {runner.folder}/said < {runner.folder}/printed").splitlines()

    assert said == [
        "│ ::set-output name=x::y", "│   ::add-mask::y", "│ a## [error]x", "│ a ::error::x", "│  [31m::x",
        "│ a.py:1", "│ ## [error]x", "│ ##/work/tree/[error]x", "│ ü 文",
    ]  # fmt: skip


def test_a_log_without_end_is_cut(runner: Runner) -> None:
    """Whatever a zone prints, the log stays of a size that can be read."""
    said = runner.shell(f"head -c 5000000 /dev/zero | tr '\\0' 'x' | fold | inert {runner.folder}/said | tail -n 2")

    assert len((runner.folder / "said").read_bytes()) < 4_100_000
    assert said.splitlines()[-1] == "│ (what it prints from here on is not shown)"


def test_names_differ_where_runs_do(runner: Runner) -> None:
    """Two suites, two workflows, the legs of a matrix and a second attempt each have an artifact of their own."""

    def name(**variables: str) -> str:
        runner.attempt("true", **variables)
        return runner.outputs["artifact-name"]

    names = [
        name(), name(ASSAY_CONFIG="other.yml"), name(GITHUB_WORKFLOW="v"), name(ASSAY_JOB_INDEX="1"),
        name(GITHUB_RUN_ATTEMPT="2"), name(GITHUB_JOB="k"), name(ASSAY_OUT="another"),
    ]  # fmt: skip
    assert len(set(names)) == len(names)
    assert name() == names[0]


def test_a_job_keeps_its_name_when_it_is_repeated(runner: Runner) -> None:
    """Another runner has other folders, another day another reservation; else it were a rival of its own status."""
    later = {"ASSAY_JUDGE_CACHE": "/b/judge", "ASSAY_HANDED_FOLDER": "/b/handed", "ASSAY_RESERVATION": "judged-2"}
    legs = {runner.attempt('echo "$leg"', GITHUB_RUN_ATTEMPT=n, **more) for n, more in (("1", {}), ("2", later))}

    assert len(legs) == 1


def test_each_attempt_has_a_nonce_of_its_own(runner: Runner) -> None:
    """Nobody can know it before."""
    nonces = []
    for _ in range(3):
        runner.attempt("true")
        nonces.append(runner.outputs["nonce"])

    assert len(set(nonces)) == 3
    assert all(len(nonce) == 32 for nonce in nonces)


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_events_with_more_rights_are_refused(event: str, runner: Runner) -> None:
    """The Action exists to run the pull request's code; where that has secrets it does not run."""
    runner.shell("main", GITHUB_EVENT_NAME=event)

    assert runner.outputs["exit-code"] == "2"
    assert event in runner.summary


def test_a_machine_without_docker_is_no_verdict(runner: Runner, tmp_path: Path) -> None:
    """The message says what is missing."""
    (tmp_path / "bin").mkdir()
    for program in (
        "bash", "env", "sort", "grep", "sha256sum", "cut", "mktemp", "od", "tr", "sed", "git", "rm", "mkdir", "cat",
        "tee", "tail", "dirname", "realpath", "cp",
    ):  # fmt: skip
        (tmp_path / "bin" / program).symlink_to(str(shutil.which(program)))

    runner.shell("main", PATH=str(tmp_path / "bin"))

    assert runner.outputs["exit-code"] == "4"
    assert "docker is not on this machine" in runner.summary


def test_the_stream_of_decide_is_taken_by_names(runner: Runner) -> None:
    """Only known files reach the report's folder, and only outputs of a known form the workflow."""
    source = runner.folder / "decided"
    source.mkdir()
    for name in ("comment.md", "summary.md", "decision.json", "comparison.json", "publication.json", "evil.sh"):
        (source / name).write_text(json.dumps(name))
    annotation = "::error file=eval/golden.jsonl,line=3,title=q1::lost%0A::set-output name=x::y"
    (source / "annotations").write_text(f"{annotation}\n")
    (source / "outputs").write_text("outcome=passed\nexit-code=0\ncases=3\n")
    hand_on = f'tar --create --directory {source} --file "$temporary/decided.tar" $(ls {source}); hand_on'

    said = runner.attempt(hand_on)

    assert annotation in said.splitlines()
    assert sorted(path.name for path in (runner.repo / "rag-assay-report").iterdir()) == [
        "comment.md", "comparison.json", "decision.json", "summary.md",
    ]  # fmt: skip
    assert runner.outputs["zones"] == "passed"
    (source / "outputs").write_text("outcome=passed\nPATH=/evil\n")
    runner.attempt(hand_on)
    assert runner.outputs["exit-code"] == "4"


@pytest.mark.parametrize(
    "written", ["::set-output name=x::y\n", "::add-mask::x\n", "a ##[error]\n", "::error file=a,line=1::b\n" * 11]
)
def test_only_annotations_annotate(written: str, runner: Runner) -> None:
    """Other commands, other text and more lines than GitHub shows are no verdict (G15)."""
    said = runner.attempt(f"printf '{written}' >\"$temporary/annotations\"; annotate")

    assert runner.outputs["exit-code"] == "4"
    assert written.splitlines()[0] not in said.splitlines() or written.startswith("::error")


# The network of the pipeline


@pytest.mark.parametrize(
    "hosts",
    [
        "",
        "https://api.example.com",
        "*",
        "*.com",
        "a..b",
        "host:0",
        "host:x",
        "a;b",
        "$(id)",
        "-x",
        "[::1",
        "a.b:65536",
    ],
)
def test_egress_without_a_host_that_can_be_is_a_mistake(runner: Runner, hosts: str) -> None:
    """Before a container is started, with the input's name."""
    runner.attempt("check_inputs", ASSAY_NETWORK="egress", ASSAY_EGRESS_HOSTS=hosts)

    assert runner.outputs["exit-code"] == "2"
    assert "egress-hosts" in runner.summary


def test_hosts_are_handed_on_as_they_are_written(runner: Runner) -> None:
    """One a line, or separated by spaces or commas; what the scripts let through is what the proxy takes."""
    hosts = "api.example.com, *.Example.org:8443\n10.0.0.5:8000 [2001:db8::1]:80 qdrant:6333\nlast.example.com."
    said = runner.attempt(
        'check_inputs; printf "%s\n" "${egress_hosts[@]}"', ASSAY_NETWORK="egress", ASSAY_EGRESS_HOSTS=hosts
    )

    given = [line for line in said.splitlines() if line != "--host"]
    assert given == [
        "api.example.com", "*.Example.org:8443", "10.0.0.5:8000", "[2001:db8::1]:80", "qdrant:6333",
        "last.example.com.",
    ]  # fmt: skip
    assert len(read_rules(given)) == 6


@pytest.mark.parametrize(("zone", "goes"), [("egress", True), ("fetch", True), ("collect", False), ("decide", False)])
def test_the_machines_proxy_is_for_zones_that_go_out(runner: Runner, zone: str, *, goes: bool) -> None:
    """Handed on by name, so that no list of processes shows its password; not one at the machine's loopback."""
    calls = containers(
        runner, f"start {zone} ours -- action {zone}", HTTPS_PROXY="http://me:pw@proxy.corp:3128",
        http_proxy="http://127.0.0.1:9",
    )  # fmt: skip

    (call,) = calls
    words = call.split()
    assert ("HTTPS_PROXY" in words) is goes
    assert ("HTTPS_PROXY=" in words) is not goes
    assert "http_proxy" not in words
    assert "pw@" not in call


def containers(runner: Runner, commands: str, **variables: str) -> list[str]:
    """The containers that commands start: docker's arguments of each."""
    runner.docker(f'[ "$1" != run ] || echo "$@" >>{runner.folder}/started')
    (runner.folder / "started").touch()
    runner.attempt(commands, **variables)
    return (runner.folder / "started").read_text().splitlines()


def test_a_container_ends_by_itself_after_its_zone_should_have(runner: Runner) -> None:
    """Should a runner die with nobody left to end what it started."""
    (call,) = containers(runner, "start collect ours -- action collect", ASSAY_COLLECT_TIMEOUT="100")

    limits = runner.attempt("seconds_of collect", ASSAY_COLLECT_TIMEOUT="100")
    assert int(limits) > 100
    assert f"RAG_ASSAY_SECONDS={int(limits) + 60}" in call
