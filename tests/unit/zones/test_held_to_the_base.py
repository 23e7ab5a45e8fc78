"""What a change answers for: what it made worse, and neither what its base had lost nor what it never had."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.zones.keeping import Keeping
from tests.unit.zones.test_flow import COMMIT, Flow
from tests.zones import HOW, write_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BASE = "b" * 40
MAIN = Keeping("main", "main", 12, 2, "push")


@pytest.fixture
def measured(tmp_path: Path) -> Callable[..., dict[str, bytes]]:
    """Measures the small repository with some topics that its index lost; ``config`` changes its configuration."""
    count = 0

    def measure(
        *lost: str, baseline: bytes | None = None, config: dict[str, Any] | None = None, kept: Keeping | None = None,
        **found: Any,
    ) -> dict[str, bytes]:  # fmt: skip
        nonlocal count
        count += 1
        repo = tmp_path / f"repo-{count}"
        write_repository(repo, **(config or {}))
        chunks = repo / "eval" / "fixture" / "chunks.jsonl"
        text = chunks.read_text()
        for topic in lost:
            text = text.replace(f"All about {topic} and nothing else.", "Nothing.")
        chunks.write_text(text)
        flow = Flow(repo, tmp_path / f"zones-{count}")
        return flow.decided(flow.scored(flow.sealed(flow.collected())), baseline, kept=kept, **found)

    return measure


def decision(files: dict[str, bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files["decision.json"])
    return found


def codes(files: dict[str, bytes]) -> set[str]:
    return {reason["code"] for reason in decision(files)["reasons"]}


RULES = [{"metric": "recall@2", "per": "all", "max_drop": 0.0}]
UNGUARDED = dict.fromkeys(("lost_needs", "lost_facts", "wrong_abstention"))
PLAIN: dict[str, Any] = {"gate": {"rules": RULES, "min_cases": 1, "critical": UNGUARDED}}


class TestInherited:
    """Main regressed and was merged anyway: its older accepted baseline stands, and every change is held to that."""

    @pytest.mark.parametrize("config", [PLAIN, {}], ids=["rows", "critical cases"])
    def test_what_the_base_had_lost_is_shown_and_does_not_block(
        self, measured: Callable[..., dict[str, bytes]], config: dict[str, Any]
    ) -> None:
        """A change that makes it no worse passes, and is not acceptable for that (G12)."""
        good, base = (measured(*lost, config=config)["run.json"] for lost in ((), ("returns",)))

        files = measured("returns", baseline=good, base=base, config=config)

        assert (decision(files)["outcome"], decision(files)["accepted"]) == ("passed", False)
        assert f"inherited: the base commit {COMMIT[:12]} had lost it already" in files["comment.md"].decode()

    @pytest.mark.parametrize("config", [PLAIN, {}], ids=["rows", "critical cases"])
    def test_what_a_change_makes_worse_blocks(
        self, measured: Callable[..., dict[str, bytes]], config: dict[str, Any]
    ) -> None:
        """One case more than the base had lost."""
        good, base = (measured(*lost, config=config)["run.json"] for lost in ((), ("returns",)))

        files = measured("returns", "islands", baseline=good, base=base, config=config)

        assert decision(files)["outcome"] == "failed"

    def test_another_loss_of_the_same_size_blocks_where_it_is_critical(
        self, measured: Callable[..., dict[str, bytes]]
    ) -> None:
        """The mean is the same; the case is not."""
        good, base = measured()["run.json"], measured("returns")["run.json"]

        files = measured("islands", baseline=good, base=base)

        assert decision(files)["outcome"] == "failed"
        assert [each["id"] for each in decision(files)["cases"] if each["status"] == "failed"] == ["islands"]

    def test_nothing_is_inherited_from_a_base_that_was_in_order(
        self, measured: Callable[..., dict[str, bytes]]
    ) -> None:
        """It was not accepted for another reason."""
        good = measured(config=PLAIN)["run.json"]

        files = measured("returns", baseline=good, base=measured(config=PLAIN)["run.json"], config=PLAIN)

        assert decision(files)["outcome"] == "failed"

    def test_a_floor_is_nobodys_to_inherit(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """It asks nothing of a baseline."""
        rules = [{"metric": "recall@2", "per": "all", "max_drop": 0.0, "min": 0.9}]
        config = {"gate": {**PLAIN["gate"], "rules": rules}}
        good, base = (measured(*lost, config=config)["run.json"] for lost in ((), ("returns",)))

        files = measured("returns", baseline=good, base=base, config=config)

        assert codes(files) == {"min"}

    def test_a_rule_that_the_change_drops_is_not_inherited(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """Loosening the exam stays what it is, beside an inherited row."""
        good, base = (measured(*lost, config=PLAIN)["run.json"] for lost in ((), ("returns",)))
        looser = {
            "gate": {
                **PLAIN["gate"],
                "drift": {"max_drop": 1.0},
                "rules": [{"metric": "recall@2", "per": "all", "max_drop": 0.9}],
            }
        }

        files = measured("returns", "islands", baseline=good, base=base, config=looser)

        assert decision(files)["outcome"] == "inconclusive"
        assert "loosened" in codes(files)

    def test_a_mended_main_passes_and_is_accepted(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """Nothing is inherited any more."""
        good, base = measured()["run.json"], measured("returns")["run.json"]

        files = measured(baseline=good, base=base)

        assert (decision(files)["outcome"], decision(files)["accepted"]) == ("passed", True)


class TestWhatWasFound:
    """The report says what fetch found, and a lost half leaves the outcome open."""

    def test_a_lost_baseline_is_inconclusive(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """With its reason; floors were kept (G11)."""
        files = measured(lost={"deterministic": "it has expired"})

        assert decision(files)["outcome"] == "inconclusive"
        assert [reason["text"] for reason in decision(files)["reasons"]] == ["it has expired"]

    def test_one_that_never_was_is_no_reason_to_wait(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """Floors and absolute rules decide, and 'no baseline' stands first (G11)."""
        files = measured(suite="shop")

        assert decision(files)["outcome"] == "passed"
        assert decision(files)["reasons"][0]["code"] == "no-baseline"

    def test_the_report_names_what_it_was_compared_with(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """How it was found, and what is to be said of the search."""
        run = measured()["run.json"]

        files = measured(baseline=run, notes=["Set baseline.required: true"])

        assert HOW in files["comment.md"].decode()
        assert "Set baseline.required: true" in files["comment.md"].decode().replace("\\", "")

    @pytest.mark.parametrize("has_baseline", [True, False])
    def test_a_renamed_suite_leaves_it_open(
        self, measured: Callable[..., dict[str, bytes]], *, has_baseline: bool
    ) -> None:
        """A new name has no baseline of its own: the old one is compared with, and a person has to say so."""
        run = measured()["run.json"] if has_baseline else None

        files = measured(baseline=run, config={"suite": "store"}, suite="shop")

        assert decision(files)["outcome"] == "inconclusive"
        assert "the suite was called 'shop'" in decision(files)["reasons"][not has_baseline]["text"]

    @pytest.mark.parametrize("has_baseline", [True, False])
    def test_another_branch_of_baselines_leaves_it_open(
        self, measured: Callable[..., dict[str, bytes]], *, has_baseline: bool
    ) -> None:
        """It has none yet, so that the change after this one would be compared with nothing: a person has to say so."""
        run = measured()["run.json"] if has_baseline else None

        files = measured(
            baseline=run, config={"baseline": {"branch": "release"}}, suite="shop", branch="main", default_branch="main"
        )  # fmt: skip

        assert decision(files)["outcome"] == "inconclusive"
        assert "kept of the branch 'main'" in decision(files)["reasons"][not has_baseline]["text"]

    @pytest.mark.parametrize(("before", "after"), [("main", "main"), ("main", None), ("release", "release")])
    def test_the_same_branch_is_no_other(
        self, measured: Callable[..., dict[str, bytes]], before: str, after: str | None
    ) -> None:
        """Whether it is named or is the default."""
        run = measured()["run.json"]

        files = measured(
            baseline=run, config={"baseline": {"branch": after}}, suite="shop", branch=before, default_branch="main"
        )  # fmt: skip

        assert decision(files)["outcome"] == "passed"


class TestKept:
    """What a run on the baseline's branch leaves for later ones."""

    def test_it_says_what_it_is(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """Every key of design section 13, and the name by which it is found."""
        first = measured()["run.json"]

        files = measured(baseline=first, kept=MAIN)

        said = json.loads(files["baseline.json"])
        assert said.pop("created_at") == json.loads(files["run.json"])["timing"]["started_at"]
        assert said == {
            "format": 1, "suite": "shop", "tier": "retrieval", "branch": "main", "commit": COMMIT, "run_id": 12,
            "attempt": 2, "event": "push", "accepted": True, "accepted_by": "gate", "reason": None, "kind": "run",
            "run_sha256": hashlib.sha256(files["run.json"]).hexdigest(), "chain": [COMMIT],
        }  # fmt: skip
        outputs = dict(line.split("=", 1) for line in files["outputs"].decode().splitlines())
        assert outputs["baseline-name"] == "rag-assay-baseline-shop-retrieval-main-75b78fe7"
        assert outputs["baseline-files"] == "2"

    @pytest.mark.parametrize(
        ("accept", "lost", "accepted", "by", "reason"),
        [
            ("on-pass", (), True, "gate", None),
            ("on-pass", ("returns",), False, None, "failed"),
            ("manual", (), False, None, "baseline.accept is manual: a person accepts it"),
            ("always", (), True, "gate", None),
            ("always", ("returns",), True, "always", None),
        ],
    )
    def test_who_accepts_it_is_configured(
        self, measured: Callable[..., dict[str, bytes]], accept: str, lost: tuple[str, ...], *, accepted: bool,
        by: str | None, reason: str | None,
    ) -> None:  # fmt: skip
        """``baseline.accept``: whoever passes, a person alone, or everybody."""
        config = {"baseline": {"accept": accept}}
        good = measured(config=config)["run.json"]

        said = json.loads(measured(*lost, baseline=good, config=config, kept=MAIN)["baseline.json"])

        assert (said["accepted"], said["accepted_by"], said["reason"]) == (accepted, by, reason)

    @pytest.mark.parametrize(
        ("change", "branch"),
        [
            ({"branch": "feature"}, None),
            ({"event": "pull_request"}, None),
            ({"event": "merge_group"}, None),
            ({"default_branch": ""}, None),
            ({}, "stable"),
        ],
    )
    def test_others_leave_nothing(
        self, measured: Callable[..., dict[str, bytes]], change: dict[str, Any], branch: str | None
    ) -> None:
        """Another branch, another event, or a configuration that keeps the baselines of another branch."""
        files = measured(config={"baseline": {"branch": branch}}, kept=MAIN._replace(**change))

        assert "baseline.json" not in files
        assert "baseline-name" not in files["outputs"].decode()

    def test_another_branch_can_keep_them(self, measured: Callable[..., dict[str, bytes]]) -> None:
        """``baseline.branch`` names it."""
        kept = MAIN._replace(branch="release/1")

        files = measured(config={"baseline": {"branch": "release/1"}}, kept=kept)

        assert json.loads(files["baseline.json"])["branch"] == "release/1"
