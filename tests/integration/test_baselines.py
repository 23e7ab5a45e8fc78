"""What a run is compared with: none, another golden set, and a baseline that stays when a regressed run was merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.recorded import Done, Recorded

LOST = {"retrieved": [{"id": "x"}]}
RULES = [{"metric": "recall@5", "per": "category", "max_drop": 0.02, "min_lost": 2, "min": 0.5}]


@pytest.fixture
def repository(tmp_path: Path) -> Recorded:
    """Ten cases with a rule on falls and a floor; accepted.yml is there and empty."""
    cases = [{"id": f"q{n}", "question": f"Of {n}?", "relevant": ["k"], "category": "c"} for n in range(10)]
    (tmp_path / "accepted.yml").write_text("[]")
    return Recorded(tmp_path, cases, config={"gate": {"rules": RULES}, "accepted": "accepted.yml"})


def lost(number: int) -> dict[str, dict[str, Any]]:
    """Answers of which so many lost their passage."""
    return {f"q{n}": LOST for n in range(number)}


def rules(done: Done) -> dict[str, set[str]]:
    """The outcomes of each rule."""
    found: dict[str, set[str]] = {}
    for rule in done.file("decision.json")["rules"]:
        found.setdefault(rule["rule"], set()).add(rule["outcome"])
    return found


@pytest.mark.parametrize(("number", "outcome", "exit_code"), [(3, "passed", 0), (6, "failed", 1)])
def test_the_first_run_ever_is_decided_by_floors_alone(
    repository: Recorded, number: int, outcome: str, exit_code: int
) -> None:
    """No baseline stands first; recall of 0.7 is above the floor of 0.5 and 0.4 is not; no fall is evaluated (G11)."""
    done = repository.run("first", lost(number))
    assert (done.outcome, done.exit_code) == (outcome, exit_code)
    assert rules(done)["recall@5 max_drop"] == {"not_evaluated"}
    assert rules(done)["recall@5 min"] == {outcome}
    assert done.text().startswith(f"## {'✅' if outcome == 'passed' else '❌'} No baseline. {outcome.capitalize()}: ")
    assert "There is no baseline to compare with: only absolute limits were checked." in done.text()


def test_a_baseline_that_is_required_and_not_there_is_inconclusive(repository: Recorded) -> None:
    """It was lost, or never found: nothing says that nothing fell (G11)."""
    repository.config["baseline"] = {"required": True}
    done = repository.run("new", {})
    assert (done.outcome, done.exit_code) == ("inconclusive", 3)
    assert "baseline-lost" in done.codes


class TestChangedGoldenSet:
    """A pull request that changes the golden set is held to both sets of labels."""

    def test_green_under_the_new_labels_alone_is_inconclusive(self, repository: Recorded) -> None:
        """Three cases lost their passage, and the change makes another one the right one (G11)."""
        base = repository.run("base", {})
        for case in repository.cases[:3]:
            case["relevant"] = ["x"]
        done = repository.run("new", lost(3), baseline=base.run)
        assert (done.outcome, done.exit_code) == ("inconclusive", 3)
        rows = [row for row in done.file("comparison.json")["rows"] if row["scope"] == "all"]
        # The candidate's labels decide the rows: under them the baseline found 7 of 10.
        assert [(row["baseline"], row["candidate"], row["status"]) for row in rows] == [(0.7, 1.0, "improved")]
        assert {each["candidate"] for each in done.file("comparison.json")["loosened"]} == {0.7}
        assert "What made the exam easier" in done.text()

    def test_red_under_the_new_labels_alone_fails(self, repository: Recorded) -> None:
        """Under the old ones nothing was lost; under the new ones three cases are missed that were found (G11)."""
        for case in repository.cases[:3]:
            case["relevant"] = ["x"]
        both = {f"q{n}": {"retrieved": [{"id": "x"}, {"id": "k"}]} for n in range(3)}
        base = repository.run("base", both)
        for case in repository.cases[:3]:
            case["relevant"] = ["k"]
        done = repository.run("new", lost(3), baseline=base.run)
        assert done.outcome == "failed"

    def test_green_under_both_passes(self, repository: Recorded) -> None:
        """A label that both runs meet as they met the one before (G11)."""
        both = {f"q{n}": {"retrieved": [{"id": "k"}, {"id": "x"}]} for n in range(3)}
        base = repository.run("base", both)
        for case in repository.cases[:3]:
            case["relevant"] = ["x"]
        done = repository.run("new", both, baseline=base.run)
        assert (done.outcome, done.file("comparison.json")["loosened"]) == ("passed", [])


class TestMergedRegression:
    """A regressed change was merged anyway."""

    def test_the_accepted_baseline_before_it_still_stands(self, repository: Recorded) -> None:
        """The next change is compared with the older run, which passed, and fails until the fall is mended (G12)."""
        accepted = repository.run("accepted", {})
        regressed = repository.run("regressed", lost(3), baseline=accepted.run)
        nothing_new = repository.run("next", lost(3), baseline=accepted.run)
        mended = repository.run("mended", {}, baseline=accepted.run)
        assert (accepted.outcome, regressed.outcome) == ("passed", "failed")
        assert not regressed.file("decision.json")["accepted"]
        assert (nothing_new.outcome, mended.outcome) == ("failed", "passed")

    def test_the_regressed_run_hands_on_the_anchor_of_the_accepted_one(self, repository: Recorded) -> None:
        """Compared with the regressed run itself, the next one is held to the older values by drift (G12)."""
        accepted = repository.run("accepted", {})
        regressed = repository.run("regressed", lost(3), baseline=accepted.run)
        anchor = regressed.file("run.json")["history"]["anchor"]["recall@5"]
        following = repository.run("next", lost(3), baseline=regressed.run)
        assert set(anchor.values()) == {1.0}
        assert following.outcome == "failed"
        assert rules(following)["recall@5 max_drop"] == {"passed"}
        assert "failed" in rules(following)["recall@5 drift"]

    def test_a_person_can_accept_it(self, repository: Recorded) -> None:
        """Compared with a run that hands on no older anchor it passes: what baseline accept does (G12)."""
        first = repository.run("first", lost(3))
        following = repository.run("next", lost(3), baseline=first.run)
        assert (first.outcome, following.outcome) == ("passed", "passed")


def test_an_unanswerable_case_is_in_no_mean_of_recall(tmp_path: Path) -> None:
    """Of two answerable cases one is found: 0.500 of 2, in run.json, rows and report; the third is n/a (S13)."""
    cases = [{"id": "a", "question": "A?", "relevant": ["k"]}, {"id": "b", "question": "B?", "relevant": ["k"]}]
    cases += [{"id": "none", "question": "None?", "expect": "abstain"}]
    found = Recorded(tmp_path, cases)
    answers = {"b": LOST, "none": {"retrieved": [{"id": "k"}], "answer": "", "abstained": True}}
    base = found.run("base", answers)
    done = found.run("new", answers, baseline=base.run)
    run = done.file("run.json")
    [row] = [row for row in done.file("comparison.json")["rows"] if row["scope"] == "all"]
    assert run["summary"]["all"]["recall@5"] == {"mean": 0.5, "n": 2, "of": 2}
    assert run["cases"][2]["scores"]["recall@5"] is None
    assert "recall@5" in run["cases"][2]["not_applicable"]
    assert (row["baseline"], row["candidate"], row["n"]) == (0.5, 0.5, 2)
    assert "| recall@5 | 2 | 0.500 | 0.500 |" in done.text()
