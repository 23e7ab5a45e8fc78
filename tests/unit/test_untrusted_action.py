"""The Action for strangers' pull requests, without a container: its inputs, who gets what, and what leaves it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from evaluator.github.strangers import NAME
from tests.runner import Runner
from tests.zones import stream_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "untrusted" / "action.yml").read_text())
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
RUN = STEPS["Measure and decide"]
README = (ROOT / "README.md").read_text()
HEAD, NUMBER = "a" * 40, 7
ZONE = re.compile(r"^ZONE (\S+) (.*)$", re.MULTILINE)
STAND_INS = """
run_zone() {
    printf 'ZONE %s %s\\n' "$1" "${*:5}"
    { tar --list --file "$3" 2>/dev/null || true; } >"$CANNED/$1.in"
    cp "$CANNED/$1.tar" "$4"
}
need() { :; }
choose_images() { image=ours; }
"""
DECIDED = {
    "comment.md": b"## words", "summary.md": b"summary", "decision.json": b"{}", "comparison.json": b"{}",
    "annotations": b"", "publication.json": b"{}", "outputs": b"outcome=passed\nexit-code=0\n",
}  # fmt: skip
RECEIVED = {
    "pull.json": json.dumps({"number": NUMBER}).encode(), "tree.tar": stream_of({}).getvalue(),
    "answers.tar": stream_of({"collect.json": b"{}", "records.jsonl": b""}).getvalue(),
}  # fmt: skip


class Second:
    """The machine of the second workflow; its zones are stand-ins, which say what they are given."""

    def __init__(self, runner: Runner, folder: Path) -> None:
        self.runner, self.canned = runner, folder
        folder.mkdir()
        self.have("receive", RECEIVED)
        self.have("seal", {"collect.json": b"{}", "records.jsonl": b""})
        self.have("prepare", {"./.rag-assay/about": b"shop\nfull\nShop\nsome\nstranger\nthe base has a judge\n"})
        self.have("fetch", {})
        self.have("score", {"scored.tar": b""})
        self.have("decide", DECIDED)
        for zone in ("publish", "publish-pending"):
            (folder / f"{zone}.tar").write_bytes(b"")
        # Only what this action gives its script is there.
        for name in [name for name in runner.environment if name.startswith("ASSAY_")]:
            del runner.environment[name]
        given = {name: value for name, value in RUN["env"].items() if name.startswith("ASSAY_")}
        defaults = {f"${{{{ inputs.{name} }}}}": each["default"] for name, each in ACTION["inputs"].items()}
        runner.environment |= {name: str(defaults.get(value, "")) for name, value in given.items()}
        runner.environment |= {
            "ASSAY_HEAD_SHA": HEAD, "GITHUB_EVENT_NAME": "workflow_run", "CANNED": str(folder),
            "ASSAY_JUDGE_CACHE": str(runner.folder / "judged"), "ASSAY_JUDGE_KEY_ENV": "JUDGE_KEY", "JUDGE_KEY": "k-1",
        }  # fmt: skip

    def have(self, zone: str, files: Mapping[str, bytes]) -> None:
        """What a zone hands on."""
        (self.canned / f"{zone}.tar").write_bytes(stream_of(files).getvalue())

    def measure(self, **variables: str) -> dict[str, str]:
        """Run it; each zone with its options and arguments, in their order."""
        script = f"set -euo pipefail; source {ROOT}/scripts/untrusted.sh; {STAND_INS} measure_strangers"
        return dict(ZONE.findall(self.runner.bash(script, **variables)))

    def given(self, zone: str) -> set[str]:
        """The parts of the stream that a zone was given."""
        return set((self.canned / f"{zone}.in").read_text().split())


@pytest.fixture
def second(tmp_path: Path) -> Second:
    """A machine on which all goes well."""
    return Second(Runner(tmp_path), tmp_path / "canned")


def test_every_input_reaches_the_script_and_is_documented() -> None:
    """By a variable and never as text of a script; the table in docs/action.md has the same defaults."""
    document = (ROOT / "docs" / "action.md").read_text()
    given = set(RUN["env"].values()) | set(STEPS["Decision"]["env"].values())

    for name, each in ACTION["inputs"].items():
        assert f"${{{{ inputs.{name} }}}}" in given, name
        default = f"`{each['default']}`" if each["default"] else ""
        assert re.search(rf"^\| `{name}` \| {re.escape(default)} ?\| ", document, re.MULTILINE), name
    commands = [step["run"] for step in STEPS.values() if "run" in step]
    assert all(re.fullmatch(r'"\$GITHUB_ACTION_PATH/\.\./scripts/[a-z_]+\.sh"', command) for command in commands)


@pytest.mark.parametrize("name", ["Decision", "Reserve a part of the day's budget", "End what was cancelled"])
def test_a_script_that_is_shared_is_given_all_that_it_reads(name: str) -> None:
    """One that lacks a variable would end the job with 1, which means a regression."""
    step = STEPS[name]
    script = (ROOT / "scripts" / step["run"].strip('"').rpartition("/")[2]).read_text()

    assert set(re.findall(r"\bASSAY_[A-Z_]+", script)) <= step["env"].keys()


def test_the_zones_get_what_they_may_have(second: Second) -> None:
    """The token for those that ask GitHub, the key for the one that judges; records are a stranger's, by name."""
    zones = second.measure()

    order = ["receive", "publish-pending", "seal", "prepare", "fetch", "score", "decide", "publish"]
    assert list(zones) == order
    assert [zone for zone in order if "GITHUB_TOKEN" in zones[zone]] == [
        "receive", "publish-pending", "fetch", "publish",
    ]  # fmt: skip
    assert [zone for zone in order if "--env=JUDGE_KEY" in zones[zone]] == ["score"]
    assert [zone for zone in order if "--network bridge" in zones[zone]] == [
        "receive", "publish-pending", "fetch", "score", "publish",
    ]  # fmt: skip
    assert "--untrusted --no-key-reason the base has a judge" in zones["score"]
    assert f"--commit {HEAD}" in zones["score"]
    assert "--self-reported" in zones["decide"]
    assert "--event workflow_run" in zones["prepare"]
    assert "event.json" not in second.given("prepare")
    assert "--workflow .github/workflows/rag-assay.yml " in zones["receive"]
    for workflow in ("rag-assay.yml", "rag-assay-baseline.yml"):
        assert f"--workflow=.github/workflows/{workflow}" in zones["fetch"]
    assert second.given("fetch") == {"event.json", "pull.json"}
    assert second.given("publish-pending") == {"event.json", "pull.json"}
    assert "pull.json" in second.given("publish")
    outputs = second.runner.outputs
    assert (outputs["outcome"], outputs["zones"], outputs["tier"]) == ("passed", "passed", "full")


def test_answers_that_need_a_secret_are_not_judged(second: Second) -> None:
    """The zone prepare is told which ones, and says why."""
    about = b"shop\nretrieval\nShop\nsome\nstranger\nthe pipeline needs APP_KEY\n"
    second.have("prepare", {"./.rag-assay/about": about})
    zones = second.measure(ASSAY_PIPELINE_ENV="APP_KEY, OTHER")

    assert "--answers-need-keys APP_KEY --answers-need-keys OTHER" in zones["prepare"]
    assert "JUDGE_KEY" not in zones["score"]
    assert "--no-key-reason the pipeline needs APP_KEY" in zones["score"]


def test_a_used_up_budget_judges_nothing(second: Second) -> None:
    """Whatever the judge is, a free one too: tier retrieval is asked for, and the reason is the budget."""
    second.have("receive", RECEIVED | {"unjudged": b"max-cost-usd-per-day is 5, and this is run 3 today"})
    second.have("prepare", {"./.rag-assay/about": b"shop\nretrieval\nShop\nsome\nstranger\nit was asked for\n"})
    zones = second.measure(ASSAY_MAX_COST_USD_PER_DAY="5", ASSAY_RESERVATION="reserved-today")

    assert "--cap 5 --reservation reserved-today" in zones["receive"]
    assert "--tier retrieval" in zones["prepare"]
    assert "--no-key-reason max-cost-usd-per-day is 5, and this is run 3 today" in zones["score"]


def test_nothing_to_do_is_a_good_end(second: Second) -> None:
    """Nobody is told anything, and the job does not end by a decision that there is none of."""
    second.have("receive", {"nothing": b"no stranger's open pull request has the head"})
    zones = second.measure()

    assert (list(zones), second.runner.outputs["outcome"]) == (["receive"], "skipped")
    assert "outcome != 'skipped'" in STEPS["Decision"]["if"]
    assert not list((second.runner.folder / "temporary").glob("rag-assay.????????"))


def test_of_a_run_that_has_begun_nothing_else_is_told(second: Second) -> None:
    """Its head is pending from then on; nothing is measured yet, and that is a good end."""
    second.have("receive", {"pull.json": RECEIVED["pull.json"], "begun": b"the run before has only begun"})
    zones = second.measure()

    assert (list(zones), second.runner.outputs["outcome"]) == (["receive", "publish-pending"], "skipped")
    assert second.given("publish-pending") == {"event.json", "pull.json"}
    assert not list((second.runner.folder / "temporary").glob("rag-assay.????????"))


def test_what_cannot_be_measured_is_told_and_ends_with_2(second: Second) -> None:
    """The status is an error with the reason, on the pull request that GitHub names."""
    second.have("receive", {"pull.json": RECEIVED["pull.json"], "refused": b"the run left no answers"})
    zones = second.measure()

    assert list(zones) == ["receive", "publish-pending", "publish"]
    assert "--failure the run left no answers" in zones["publish"]
    assert second.given("publish") == {"event.json", "pull.json"}
    assert (second.runner.outputs["outcome"], second.runner.outputs["exit-code"]) == ("error", "2")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("WORKFLOW", "rag-assay.yml", "the input workflow names 'rag-assay.yml', which is no file of a workflow"),
        ("PIPELINE_ENV", "a-b", "is no name of a variable"),
        ("JUDGE_TIMEOUT", "soon", "it is a number of seconds"),
        ("COMMENT", "never", "it is one of"),
        ("CONFIG", "../x.yml", "it is a path in the repository"),
    ],
)
def test_inputs_are_checked(second: Second, name: str, value: str, why: str) -> None:
    """A mistake is one before anything is asked."""
    assert second.measure(**{f"ASSAY_{name}": value}) == {}
    assert why in second.runner.summary


def test_only_what_was_kept_is_reserved() -> None:
    """An upload that failed leaves the reservation of an earlier attempt, which that attempt has spent."""
    kept = STEPS["Keep the reservation"]

    assert RUN["env"]["ASSAY_RESERVATION"].startswith(f"${{{{ steps.{kept['id']}.outcome == 'success' && ")


def test_a_reservation_has_one_name_a_day(tmp_path: Path) -> None:
    """By configuration and variant, so that suites have a budget each; the artifact is told the run, for people."""
    runner = Runner(tmp_path)
    for config in ("rag-assay.yml", "other.yml"):
        runner.bash(str(ROOT / "scripts" / "reserve.sh"), ASSAY_CONFIG=config, ASSAY_VARIANT="")
        digest = hashlib.sha256(f"{config}\n".encode()).hexdigest()[:8]
        assert re.fullmatch(rf"rag-assay-untrusted-judged-{digest}-20\d{{6}}", runner.outputs["name"])
        assert (Path(runner.outputs["folder"]) / "run").read_text() == "5\n"
        assert NAME.fullmatch(runner.outputs["name"]) is None


class TestFirst:
    """What the run on the pull request does for it."""

    def test_a_strangers_answers_are_handed_on(self, tmp_path: Path) -> None:
        """As they left seal, under a name that the second workflow reads."""
        runner = Runner(tmp_path)
        sealed = stream_of({"collect.json": b"{}", "records.jsonl": b"1\n"}).getvalue()
        (tmp_path / "sealed.tar").write_bytes(sealed)
        handed = f'cp {tmp_path}/sealed.tar "$temporary"; suite_slug=shop; whose=stranger; hand_on_answers'

        runner.attempt(handed, ASSAY_PULL="7", GITHUB_RUN_ATTEMPT="2", ASSAY_VARIANT="py3")

        named = NAME.fullmatch(runner.outputs["answers-name"])
        assert named is not None
        assert named.groups() == ("shop", hashlib.sha256(b"py3").hexdigest()[:8], "7", "2")
        folder = Path(runner.outputs["answers"])
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
            "collect.json": b"{}", "records.jsonl": b"1\n",
        }  # fmt: skip

    @pytest.mark.parametrize(("whose", "pull"), [("ours", "7"), ("stranger", "")])
    def test_others_leave_none(self, tmp_path: Path, whose: str, pull: str) -> None:
        """Our own pull request, and what is no pull request."""
        runner = Runner(tmp_path)
        runner.attempt(f"suite_slug=shop; whose={whose}; hand_on_answers", ASSAY_PULL=pull)

        assert "answers" not in runner.outputs

    def test_a_strangers_pipeline_gets_no_secret(self, tmp_path: Path) -> None:
        """Not even where the settings of a repository send it one."""
        runner = Runner(tmp_path)
        show = 'check_inputs; whose=%s; grant; echo "grants: ${grants[*]} ${judge_grants[*]}"'
        given = {"ASSAY_PIPELINE_ENV": "APP_KEY", "APP_KEY": "a-secret", "ASSAY_JUDGE_KEY_ENV": "JUDGE", "JUDGE": "j-1"}

        ours, strangers = (runner.attempt(show % whose, **given) for whose in ("ours", "stranger"))

        assert ours.endswith("grants: --env APP_KEY --env=JUDGE")
        assert "APP_KEY is not granted" in strangers
        assert strangers.endswith("grants:")


def test_nothing_is_unpacked_by_the_names_of_a_stream() -> None:
    """Files are taken as bytes, by names that the scripts know."""
    lines = [line for script in (ROOT / "scripts").glob("*.sh") for line in script.read_text().splitlines()]
    taking = [line for line in lines if "tar --extract" in line]

    assert taking
    assert all("--to-stdout" in line for line in taking)
