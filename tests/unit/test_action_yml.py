"""Holds the Action together: action.yml, its scripts, the zones' command line, the templates and the documentation."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluator import __version__
from evaluator.cli.action import action as zones
from evaluator.model.baseline import MANIFEST
from evaluator.zones.decide import DECIDED

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
KEEPING: dict[str, Any] = yaml.safe_load((ROOT / "baseline" / "action.yml").read_text())
UNTRUSTED: dict[str, Any] = yaml.safe_load((ROOT / "untrusted" / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
BY_NAME = {step["name"]: step for step in STEPS}
RESTORE, RUN, UPLOAD, SAVE = (
    BY_NAME[name]
    for name in ("Restore what was judged before", "Measure and decide", "Upload the report", "Save what was judged")
)
SCRIPTS = {path.name: path.read_text() for path in sorted((ROOT / "scripts").glob("*.sh"))}
SHELL = "\n".join(SCRIPTS.values())
DOCUMENT = (ROOT / "README.md").read_text()
WORKFLOWS = sorted((ROOT / "templates" / "workflows").glob("*.yml"))
STRANGERS = "rag-assay/rag-assay/untrusted"
PINNED = re.compile(r"uses: ([\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$", re.MULTILINE)

INPUTS = [
    "config", "tier", "baseline-file", "baseline-workflows", "include", "requirements", "install-policy", "python",
    "pipeline-env", "network", "egress-hosts", "out", "image", "fail-on", "upload", "comment", "status", "check",
    "issue", "variant", "github-token", "retention-days", "collect-timeout", "phase", "handed", "judge-key-env",
    "judge-hosts", "judge-timeout",
]  # fmt: skip
OUTPUTS = [
    "outcome", "exit-code", "report", "artifact-name", "cases", "regressions", "failures", "unscored", "tier",
    "baseline-name", "handed", "judge-cost-usd",
]  # fmt: skip


def variable(name: str) -> str:
    """The variable by which the scripts are given an input."""
    return "GITHUB_TOKEN" if name == "github-token" else f"ASSAY_{name.upper().replace('-', '_')}"


def rows(heading: str) -> dict[str, list[str]]:
    """The rows of the table below a heading of the README, by what its first column names."""
    section = DOCUMENT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line] for line in lines]
    return {row[0].strip("` "): row[1:] for row in cells}


def test_inputs_and_outputs_are_the_documented_ones() -> None:
    """What action.yml takes and gives is what the contract names, in its order."""
    assert list(ACTION["inputs"]) == INPUTS
    assert list(ACTION["outputs"]) == OUTPUTS


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_reaches_the_scripts_by_a_variable(name: str) -> None:
    """An input is handed over once, by name, and used; nothing is expanded inside a script."""
    given = RUN["env"] | STEPS[-1]["env"]

    # The token has the name by which everything knows it, also where it is no action.
    known = "GITHUB_TOKEN" if name == "github-token" else variable(name)
    assert given[known] == f"${{{{ inputs.{name} }}}}"
    assert known in SHELL


def test_no_variable_is_used_that_is_not_given() -> None:
    """A misspelt variable in a script would be an error only when that line runs."""
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "rag-assay-jobs.yml").read_text())["jobs"]
    own = [step for job in jobs.values() for step in job["steps"]]
    given = {
        name
        for step in (*STEPS, *KEEPING["runs"]["steps"], *UNTRUSTED["runs"]["steps"], *own)
        for name in step.get("env", {})
    }

    assert set(re.findall(r"\$\{?(ASSAY_[A-Z_]+)", SHELL)) <= given


def test_nothing_is_expanded_inside_a_script() -> None:
    """An expression inside ``run`` would let a value become code."""
    commands = [step["run"] for step in STEPS if "run" in step]

    assert [command for command in commands if "${{" in command] == []
    assert all(re.fullmatch(r'"\$GITHUB_ACTION_PATH/scripts/[a-z_]+\.sh"', command) for command in commands)


def test_every_output_is_written() -> None:
    """Each output comes from the step that runs the zones, under its own name."""
    assert {name: value["value"] for name, value in ACTION["outputs"].items()} == {
        name: f"${{{{ steps.run.outputs.{name} }}}}" for name in OUTPUTS
    }
    by_hand = set(re.findall(r"\boutput ([a-z-]+) ", SHELL))
    by_zone = {name for name in OUTPUTS if name in SCRIPTS["run.sh"].split("=~ ^(")[1].split(")=")[0].split("|")}
    assert set(OUTPUTS) <= by_hand | by_zone


def test_the_decision_is_the_last_step() -> None:
    """A regression is uploaded before the job fails, and a cancelled job decides nothing."""
    assert STEPS[-1]["run"].endswith('gate.sh"')
    assert STEPS[-1]["if"] == UPLOAD["if"].split(" && ")[0] + " }}" == "${{ !cancelled() }}"


def test_what_was_judged_is_kept_from_run_to_run() -> None:
    """It is restored and saved at one place under one key, from the newest of the suite; no fault of it fails a job."""
    own, any_of_the_suite = RESTORE["with"]["restore-keys"].split("\n")[:2]

    assert RESTORE["with"]["path"] == SAVE["with"]["path"] == RUN["env"]["ASSAY_JUDGE_CACHE"]
    assert SAVE["with"]["key"].startswith(own)
    assert own.startswith(any_of_the_suite)
    assert RESTORE["continue-on-error"] is SAVE["continue-on-error"] is True
    assert "inputs.judge-key-env != ''" in RESTORE["if"]
    # The job that runs the pull request's code takes none and leaves none.
    assert "(inputs.phase == 'all' || inputs.phase == 'score')" in RESTORE["if"]


def test_other_actions_are_pinned() -> None:
    """Everything we use of others is named by commit, with its version beside it."""
    for path in (ROOT / "action.yml", *ROOT.glob("*/action.yml"), *ROOT.glob("ghes/*/action.yml"), *WORKFLOWS):
        text = path.read_text()
        foreign = [line for line in re.findall(r"\buses: .*", text) if "rag-assay/rag-assay" not in line]
        assert len(PINNED.findall(text)) == len(foreign), path.name


def test_who_allows_only_some_actions_is_told_of_all() -> None:
    """A runner fetches all that a composite action names, whatever its conditions say."""
    used = {"/".join(name.split("/")[:2]) for name, _, _ in PINNED.findall((ROOT / "action.yml").read_text())}
    document = (ROOT / "docs" / "action.md").read_text()
    said = document.split("\n## The baseline\n")[0], document.split("\n## GitHub Enterprise Server\n")[1]

    assert used
    assert [name for name in used for text in said if f"`{name}`" not in text] == []


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_is_documented_with_its_default(name: str) -> None:
    """The table in the README says what action.yml says."""
    default = ACTION["inputs"][name]["default"]

    assert rows("Inputs")[name][0] == (f"`{default}`" if default else "")


def test_no_other_input_and_every_output_is_documented() -> None:
    """The tables have neither more nor fewer rows."""
    assert list(rows("Inputs")) == INPUTS
    assert list(rows("Outputs")) == OUTPUTS


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tier", ["auto", "retrieval", "full"]),
        ("install-policy", ["hashes", "wheels", "source"]),
        ("fail-on", ["inconclusive", "regression", "never"]),
        ("upload", ["report", "full", "none"]),
        ("comment", ["always", "on-change", "on-failure", "off"]),
        ("status", ["true", "false"]),
        ("check", ["true", "false"]),
        ("issue", ["true", "false"]),
    ],
)
def test_a_choice_is_the_same_everywhere(name: str, values: list[str]) -> None:
    """Scripts, description and documentation allow the same words, and the default is one of them."""
    allowed = re.search(rf'one_of {name} "\${variable(name)}" (.*)', SCRIPTS["inputs.sh"])

    assert allowed is not None
    assert allowed[1].split() == values
    assert ACTION["inputs"][name]["default"] in values
    assert all(value in ACTION["inputs"][name]["description"] for value in values)
    assert all(f"`{value}`" in rows("Inputs")[name][1] for value in values)


def zone_calls() -> list[tuple[str, set[str]]]:
    """Every call of a zone in the scripts: its name and the options it is given."""
    joined = re.sub(r"\\\n\s*", " ", SHELL)
    names = "prepare|install|collect|egress|seal|log|fetch|keep|receive|score|decide|publish"
    calls = re.findall(rf" -- +(?:action )?((?:{names})\b[^\n|>]*)", joined)
    return [(call.split()[0], set(re.findall(r"(?<=\s)--([a-z-]+)", call))) for call in calls]


def test_the_scripts_call_zones_that_there_are() -> None:
    """Each zone of the command line is called, and with options that it has."""
    assert {name for name, _ in zone_calls()} == {
        name for name, command in zones.commands.items() if not command.hidden
    }
    for name, options in zone_calls():
        known = {opt.lstrip("-") for param in zones.commands[name].params for opt in param.opts}
        assert options <= known, name


def test_what_the_host_takes_is_what_decide_writes() -> None:
    """Only files that decide hands on are looked for in its stream."""
    listed = re.findall(r"files\+?=\(([^)]*)\)", SCRIPTS["run.sh"])
    listed += re.findall(r'take_parts "\$temporary/decided\.tar" \S+ ([a-z. ]+)$', SCRIPTS["run.sh"], re.MULTILINE)

    assert {name for names in listed for name in names.split()} == {*DECIDED, MANIFEST}


def test_a_container_gets_nothing_of_the_machine() -> None:
    """One place starts containers, with every right taken away and no folder of the machine."""
    start = SCRIPTS["lib.sh"].split("\nstart() {")[1].split("\n}")[0]
    wanted = (
        "--cap-drop=ALL", "--security-opt=no-new-privileges", "--read-only", "--init", "--pids-limit", "--memory",
        "--network none", "--rm", "--tmpfs", "--stop-timeout 0",
    )  # fmt: skip

    assert [option for option in wanted if option not in start] == []
    assert re.findall(r"--(?:volume|mount) \S+", SHELL) == [
        '--volume "$volume:/deps:ro")',
        '--volume "$volume:/deps"',
    ]


def test_the_lock_is_empty_or_whole() -> None:
    """A release writes both lines, and nobody else either."""
    values = dict(re.findall(r"^(source|image)=(.*)$", (ROOT / "image.lock").read_text(), re.MULTILINE))

    assert set(values) == {"source", "image"}
    assert bool(values["source"]) == bool(values["image"])


def test_the_locked_requirements_hold_every_dependency() -> None:
    """What pyproject.toml names is in requirements-image.txt, at one version and with hashes."""
    locked = (ROOT / "requirements-image.txt").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {re.split("[^A-Za-z0-9_-]", requirement)[0].lower() for requirement in project["dependencies"]}
    entries = re.findall(r"^([\w-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", locked, re.MULTILINE)

    assert named | {"uv", "anthropic", "openai"} <= set(entries)
    assert len(re.findall(r"^[\w-]+==", locked, re.MULTILINE)) == len(entries)


def test_only_what_the_image_is_made_of_goes_to_the_builder() -> None:
    """Each COPY of the Dockerfile names something that .dockerignore lets through, and nothing else is let through."""
    copied = re.findall(r"^COPY (?!--from)(\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    let_through = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)

    assert sorted(copied) == sorted(let_through)


def test_the_hash_covers_what_the_image_is_made_of() -> None:
    """A change of anything that is copied into the image makes another image."""
    copied = re.findall(r"^COPY (?!--from)(\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    done = subprocess.run([ROOT / "scripts" / "source_hash.sh"], capture_output=True, text=True, check=True)

    assert re.fullmatch(r"[0-9a-f]{64}\n", done.stdout)
    for path in (*copied, "action.yml", "baseline", "untrusted", "ghes", "Dockerfile"):
        assert re.search(rf"\b{re.escape(path.split('/rag-assay')[0])}\b", SCRIPTS["source_hash.sh"]), path


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_to_copy_asks_for_no_more_than_it_needs(path: Path) -> None:
    """No permission by default, what is published in the job, and no credentials left in the checkout."""
    workflow = yaml.safe_load(path.read_text())
    reads = {"contents": "read"} | ({} if path.name == "rag-assay-pip.yml" else {"actions": "read"})

    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values() if path.name != "rag-assay-untrusted.yml" else ():
        checkout = job["steps"][0]
        used = {step.get("uses", "").partition("@")[0] for step in job["steps"]}
        reads = {} if path.name == "rag-assay-pip.yml" else {"actions": "read"}
        writes = {"pull-requests": "write", "statuses": "write"} if "rag-assay/rag-assay" in used else {}
        writes |= {"issues": "write"} if writes and "schedule" in workflow[True] else {}
        assert job["permissions"] == {"contents": "read", **reads, **writes}
        assert checkout["uses"].startswith("actions/checkout@")
        assert checkout["with"].pop("fetch-depth", 0) == 0
        assert checkout["with"] == {"persist-credentials": False}
        assert "timeout-minutes" in job


def test_the_workflow_for_strangers_runs_nothing_of_theirs() -> None:
    """No checkout; people look before the key is there; what says that a run has begun holds nothing.

    Where the lines of the matrix are not the same, a head is not pending by the name that is required, or for ever.
    """
    jobs = yaml.safe_load((ROOT / "templates/workflows/rag-assay-untrusted.yml").read_text())["jobs"]
    begin, judge = jobs["begin"], jobs["judge"]
    foreign = judge["if"].partition("(github.event.workflow_run.head_repository")[2]

    assert all([step["uses"].partition("@")[0] for step in job["steps"]] == [STRANGERS] for job in jobs.values())
    assert judge["permissions"] == {
        "actions": "read", "contents": "read", "pull-requests": "write", "statuses": "write",
    }  # fmt: skip
    assert judge["environment"] == "rag-assay-untrusted"
    assert begin["permissions"] == {"contents": "read", "pull-requests": "read", "statuses": "write"}
    assert "environment" not in begin
    assert "secrets." not in str(begin)
    assert "env" not in begin["steps"][0]
    assert begin["if"].startswith("${{ github.event.action == 'requested' && ")
    assert foreign
    assert begin["if"].endswith(foreign)
    assert begin["strategy"] == judge["strategy"]
    assert all("timeout-minutes" in job for job in jobs.values())


def test_the_workflow_with_the_action_uses_inputs_that_there_are() -> None:
    """Copied as they are, they work."""
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()]
    used = [
        (step["uses"].partition("@")[0], set(step.get("with", {}))) for job in jobs for step in job["steps"]
        if step.get("uses", "").startswith("rag-assay/")
    ]  # fmt: skip

    actions = {"": ACTION, "/baseline": KEEPING, "/untrusted": UNTRUSTED}
    assert {name for name, _ in used} == {f"rag-assay/rag-assay{place}" for place in actions}
    assert all(inputs <= set(actions[name.removeprefix("rag-assay/rag-assay")]["inputs"]) for name, inputs in used)


def test_versions_agree() -> None:
    """What the templates and the documentation install or use is this version."""
    texts = [path.read_text() for path in (*WORKFLOWS, ROOT / "docs" / "action.md")]
    named = [set(re.findall(r"rag-assay(?:/baseline|/untrusted)?(?:==|@v)(\d+\.\d+\.\d+)", text)) for text in texts]

    assert named == [{__version__}] * len(texts)
