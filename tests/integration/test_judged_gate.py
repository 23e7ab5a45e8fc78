"""What a judge said, from two stored runs to the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.model.calibration import Calibration
from evaluator.model.decision import Decision
from evaluator.model.run import JudgeInfo
from evaluator.stages import against
from tests.court import FINGERPRINT, Court, calibration, case, claim

S, U, C = "supported", "unsupported", "unclear"
BROKEN: dict[str, Any] = {"unscored": {"claims": "no valid reply"}}
GOOD, BAD = [S] * 9 + [U], [S] * 2 + [U] * 8
RULE = {"metric": "faithfulness", "per": "category", "max_drop": 0.03, "min_lost": 2}
RECALL = {"metric": "recall@5", "per": "category", "max_drop": 0.02}


@pytest.fixture
def court(tmp_path: Path) -> Court:
    """A court with the default rules."""
    return Court(tmp_path)


def ten(*verdicts: str, **fields: Any) -> list[dict[str, Any]]:
    """Ten cases alike."""
    return [case(f"c{number}", *verdicts, **fields) for number in range(10)]


def reasons(decision: Decision) -> dict[str, str]:
    """The reasons by code; the last of a code."""
    return {reason.code: reason.text for reason in decision.reasons}


def outcomes(decision: Decision, rule: str) -> set[tuple[str, str]]:
    """What a rule came to, and why, wherever it was read."""
    return {(found.outcome, found.reason) for found in decision.rules if found.rule == rule}


def test_an_uncalibrated_judge_leaves_a_drop_undecided_and_says_both_ways_out(court: Court) -> None:
    """Faithfulness from 0.9 to 0.2: nobody knows whether this judge can tell, so nobody passes it either."""
    baseline = court.run("base", ten(*GOOD))
    court.run("new", ten(*BAD))
    decision = court.decide("new", baseline)
    assert (decision.outcome, decision.exit_code) == ("inconclusive", 3)
    assert reasons(decision)["judge-advisory"] == (
        "faithfulness max_drop over all cases would have failed: worse by 0.7, 0.03 is allowed, p = 0.00098 "
        "among all rows; 10 cases lost; the judge "
        "is not enforced (not calibrated): calibrate the judge (judge.calibration), "
        "or set judge.advisory: pass in a change of its own"
    )
    assert {row.advisory for row in court.comparison("new").rows if row.metric == "faithfulness"} == {True}


def test_a_calibrated_judge_fails_the_same_drop(court: Court) -> None:
    """With agreement of at least min_kappa the row is enforced."""
    baseline = court.run("base", ten(*GOOD))
    court.run("new", ten(*BAD))
    court.calibrate(calibration())
    decision = court.decide("new", baseline)
    assert (decision.outcome, decision.exit_code) == ("failed", 1)
    assert reasons(decision)["max-drop"].startswith("faithfulness max_drop over all cases: worse by 0.7")


def test_judge_advisory_pass_lets_it_through_and_says_so(court: Court) -> None:
    """The row is shown as regressed and fails nothing; the baseline allowed it too, so no exam was made easier."""
    court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
    baseline = court.run("base", ten(*GOOD))
    court.run("new", ten(*BAD))
    decision = court.decide("new", baseline)
    assert decision.outcome == "passed"
    assert reasons(decision)["not-enforced"].startswith("judged rows not enforced")
    assert (
        "advisory",
        "worse by 0.7, 0.03 is allowed, p = 0.00098 among all rows; 10 cases lost (advisory: not calibrated)",
    ) in outcomes(decision, "faithfulness max_drop")


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"kappa": 0.41}, "kappa 0.41 below 0.6 for en"),
        ({"lower": 0.39}, "kappa may be as low as 0.39, below 0.4 for en"),
        ({"n": 49}, "49 labels, 50 are needed for en"),
        ({"classes": {S: 51, U: 9}}, "9 labels of the rarer class, 10 are needed for en"),
        ({"classes": {S: 60}}, "0 labels of the rarer class, 10 are needed for en"),
        ({"kappa": None}, "kappa is not defined for en"),
        ({"fingerprint": "o" * 64}, "calibrated for another judge"),
        ({"metrics": ("correctness",)}, "not calibrated"),
    ],
)
def test_what_a_calibration_lacks_is_named(court: Court, known: dict[str, Any], why: str) -> None:
    """Each condition of enforcement fails by itself."""
    baseline = court.run("base", ten(*GOOD))
    court.run("new", ten(*BAD))
    court.calibrate(calibration(**known))
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert f"the judge is not enforced ({why})" in reasons(decision)["judge-advisory"]
    stale = [said for said in court.exam("new").doubts if "is of another judge and counts as none" in said]
    assert bool(stale) == ("fingerprint" in known)


@pytest.mark.parametrize(("swedish", "outcome"), [(1, "failed"), (2, "inconclusive")])
def test_a_language_counts_from_a_fifth_of_the_rows_cases(court: Court, swedish: int, outcome: str) -> None:
    """One Swedish case in ten needs no Swedish labels; two do."""
    languages = ["sv"] * swedish + ["en-GB"] * (10 - swedish)
    runs = [
        [case(f"c{number}", *verdicts, language=language) for number, language in enumerate(languages)]
        for verdicts in (GOOD, BAD)
    ]
    baseline = court.run("base", runs[0])
    court.run("new", runs[1])
    court.calibrate(calibration())
    decision = court.decide("new", baseline)
    assert decision.outcome == outcome
    assert ("for sv" in str(decision.reasons)) == (outcome == "inconclusive")


@pytest.mark.parametrize("swedish", [0, 4])
def test_new_cases_of_another_language_do_not_take_the_row_of_the_others(court: Court, swedish: int) -> None:
    """Ten English cases fall under a judge that is calibrated for English, whatever else is asked now."""
    court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
    baseline = court.run("base", ten(*GOOD))
    court.run("new", [*ten(*BAD), *[case(f"s{number}", *GOOD, language="sv") for number in range(swedish)]])
    court.calibrate(calibration())
    assert court.decide("new", baseline).outcome == "failed"


def test_a_calibration_that_is_not_there_is_refused_by_its_name(court: Court) -> None:
    """A misspelt path must not look like a judge that nobody calibrated."""
    baseline = court.run("base", ten(S))
    court.run("new", ten(S))
    court.config["judge"] = {"provider": "scripted", "model": "m", "calibration": "gone.json"}
    with pytest.raises(errors.FileProblem, match=r"judge\.calibration names .*gone\.json, which does not exist"):
        court.decide("new", baseline)
    with pytest.raises(errors.FileProblem, match="does not exist"):
        against.refuse_early(court.workspace("new"), None)
    (court.folder / "gone.json").write_text('{"format": 1, "judge_fingerprint": 5, "metrics": {}}')
    with pytest.raises(errors.FileProblem, match=r"gone\.json:1:\d+: judge_fingerprint must be text, not 5"):
        court.decide("new", baseline)


def test_a_judge_that_breaks_on_every_ungrounded_answer_does_not_raise_faithfulness(court: Court) -> None:
    """Half the answers became ungrounded and cannot be judged: more than max_unscored, so nothing is decided (J5)."""
    court.calibrate(calibration())
    baseline = court.run("base", ten(*GOOD))
    broken = [case(f"c{number}", *[U] * 10, unscored={"claims": "no valid reply"}) for number in range(5)]
    court.run("new", [*broken, *[case(f"c{number}", *[S] * 10) for number in range(5, 10)]])
    decision = court.decide("new", baseline)
    assert (decision.outcome, decision.exit_code) == ("inconclusive", 3)
    assert reasons(decision)["unscored"] == (
        "faithfulness over all cases: 5 cases without a value: not judged, or no longer measured"
    )


@pytest.mark.parametrize(("fallen", "outcome"), [(4, "inconclusive"), (3, "passed")])
def test_a_single_case_without_a_value_matters_where_its_worst_would_change_the_verdict(
    court: Court, fallen: int, outcome: str
) -> None:
    """Of 40 cases some fell and one broke: at 0 it would be the fifth, by one way of 32, or the fourth of 16 (J5)."""
    court.calibrate(calibration())
    names = [f"c{number}" for number in range(40)]
    baseline = court.run("base", [case(name, S) for name in names])
    broken = case("c39", S, unscored={"context": "cut off"}, claims=[claim("x", verdict=None)])
    court.run("new", [*[case(name, U if place < fallen else S) for place, name in enumerate(names[:39])], broken])
    decision = court.decide("new", baseline)
    assert (decision.outcome, "unscored" in reasons(decision)) == (outcome, outcome == "inconclusive")


@pytest.mark.parametrize(("count", "is_open"), [(5, True), (4, False)])
def test_the_worst_of_a_metric_of_which_less_is_better_is_one(court: Court, count: int, *, is_open: bool) -> None:
    """Noise sensitivity cannot be had of some cases in thirty: five at 1 would be more than chance makes."""
    court.calibrate(calibration())
    court.config |= {
        "metrics": ["recall@5", "noise_sensitivity"],
        "gate": {"rules": [{"metric": "noise_sensitivity", "per": "all", "max_rise": 0.03}], "max_unscored": 0.2},
    }  # fmt: skip
    right = {"labels": {"reference": "As it is."}}
    names = [f"c{number}" for number in range(30)]

    def said(name: str) -> dict[str, Any]:
        return {"id": name, "claims": [claim("x", reference="in_reference")], **right}

    def broken(name: str) -> dict[str, Any]:
        return {"id": name, "claims": [claim("x", verdict=None)], "unscored": {"context": "a refusal"}, **right}

    baseline = court.run("base", list(map(said, names)))
    court.run("new", [*map(broken, names[:count]), *map(said, names[count:])])
    found = reasons(court.decide("new", baseline))
    text = f"noise_sensitivity over all cases: {count} cases without a value: not judged, or no longer measured"
    assert found.get("unscored") == (text if is_open else None)


def test_a_system_that_abstains_on_everything_fails(court: Court) -> None:
    """Nothing it claims is unsupported any more, and it answers nothing: relevance and abstention say so."""
    court.calibrate(calibration())
    baseline = court.run("base", ten(*GOOD))
    court.run("new", ten(answer="I don't know.", sure=True))
    decision = court.decide("new", baseline)
    assert decision.outcome == "failed"
    assert {"answer_relevance max_drop", "abstention max_drop"} <= {
        found.rule for found in decision.rules if found.outcome == "failed"
    }


@pytest.mark.parametrize(("model", "outcome"), [("m", "failed"), ("other", "inconclusive")])
def test_a_run_in_which_there_was_nothing_to_ask_is_not_of_another_judge(
    court: Court, model: str, outcome: str
) -> None:
    """No reply names a model where every answer is empty: the silence of the same judge still fails."""
    court.calibrate(calibration())
    baseline = court.run("base", ten(*GOOD))
    silent = JudgeInfo(provider="scripted", model=model)
    court.run("new", ten(answer="", sure=True), judge=silent, fingerprint="n" * 64)
    assert court.decide("new", baseline).outcome == outcome


def test_learning_to_abstain_where_one_should_is_no_missing_value(court: Court) -> None:
    """Faithfulness of what is rightly left unanswered now does not arise; that is no hole in the row."""
    court.calibrate(calibration())
    never = [case(f"n{number}", U, labels={"expect": "abstain"}) for number in range(6)]
    baseline = court.run("base", [*ten(*GOOD), *never])
    silent = [case(f"n{number}", labels={"expect": "abstain"}, abstained=True) for number in range(6)]
    court.run("new", [*ten(*GOOD), *silent])
    assert court.decide("new", baseline).outcome == "passed"


def test_a_category_that_learned_to_abstain_is_no_lost_row(court: Court) -> None:
    """All it says was wrong to say: faithfulness applies to none of it, and abstention rose from 0 to 1."""
    court.calibrate(calibration())
    never = {"labels": {"expect": "abstain"}, "category": "b"}
    baseline = court.run("base", [*ten(*GOOD), *[case(f"n{number}", U, **never) for number in range(8)]])
    silent = [case(f"n{number}", abstained=True, **never) for number in range(8)]
    court.run("new", [*ten(*GOOD), *silent])
    comment = court.report("new", baseline)
    assert court.decide("new", baseline).outcome == "passed"
    [row] = [row for row in court.comparison("new").rows if (row.metric, row.category) == ("faithfulness", "b")]
    assert (row.status, row.reason) == ("not evaluated", "every case of it abstains now, as it should")
    assert "applies to no case any more" not in comment
    court.run("new", [*ten(*GOOD), *silent[1:], case("n0", sure=True, drawn=False, **never)])
    gone = reasons(court.decide("new", baseline))["removed"]
    assert gone == "faithfulness in b: applies to no case any more; accepted.yml can name the row"


@pytest.mark.parametrize(
    ("metrics", "silent", "outcome"),
    [
        pytest.param([], 1, "passed", id="it is lost where abstention is ruled on, and once"),
        pytest.param([], 9, "failed", id="all of it is lost there"),
        pytest.param(["recall@5", "faithfulness"], 2, "inconclusive", id="nothing else counts it"),
    ],
)
def test_an_answer_that_is_said_to_abstain_is_no_missing_value(
    court: Court, metrics: list[str], silent: int, outcome: str
) -> None:
    """A slip of the judge, or a fall: abstention and the metrics that are 0 there say which."""
    court.calibrate(calibration())
    court.config |= {"metrics": metrics} if metrics else {}
    baseline = court.run("base", ten(*GOOD))
    court.run("new", [*[case(f"c{n}", abstained=True) for n in range(silent)], *ten(*GOOD)[silent:]])
    decision = court.decide("new", baseline)
    assert (decision.outcome, "unscored" in reasons(decision)) == (outcome, outcome == "inconclusive")


@pytest.mark.parametrize(
    ("believed", "rules", "is_open"),
    [
        (("faithfulness", "abstention"), {"max_drop": 0.0}, False),
        (("faithfulness",), {"max_drop": 0.0}, True),
        ((), {"max_drop": 0.0}, False),
        (("faithfulness", "abstention"), {"min": 0.1}, True),
    ],
)
def test_what_an_abstention_hides_is_missing_where_no_enforced_rule_counts_it(
    court: Court, believed: tuple[str, ...], rules: dict[str, float], *, is_open: bool
) -> None:
    """An abstention that no judge is calibrated to tell, or that may fall as it likes, does not excuse faithfulness."""
    court.calibrate(calibration(believed) if believed else None)
    court.config["gate"] = {"rules": [RULE, {"metric": "abstention", "per": "all", **rules}]}
    baseline = court.run("base", ten(*GOOD))
    court.run("new", [case("c0", abstained=True), *ten(*GOOD)[1:]])
    assert ("unscored" in reasons(court.decide("new", baseline))) == is_open


class TestTierRetrieval:
    """A run without a judge says nothing of what one would."""

    def test_a_written_rule_on_faithfulness_is_not_evaluated(self, court: Court) -> None:
        """Nor is it in the way: the rule on recall decides, whatever tier the baseline had."""
        court.config["gate"] = {"rules": [RECALL, RULE]}
        for tier in ("full", "retrieval"):
            baseline = court.run(f"base-{tier}", ten(*GOOD, critical=True), tier=tier)
            court.run("new", ten(*BAD, critical=True), tier="retrieval")
            decision = court.decide("new", baseline)
            assert decision.outcome == "passed"
            assert outcomes(decision, "faithfulness max_drop") == {("not_evaluated", "tier retrieval")}
            assert outcomes(decision, "critical lost_answer_facts") == {("not_evaluated", "tier retrieval")}
            assert outcomes(decision, "critical new_unsupported_claims") == {("not_evaluated", "tier retrieval")}
            assert {row.metric for row in court.comparison("new").rows} == {"recall@5"}

    def test_a_suite_of_judged_rules_alone_is_not_inconclusive(self, court: Court) -> None:
        """Every pull request would be, whatever it changes."""
        court.config["gate"] = {"rules": [RULE]}
        baseline = court.run("base", ten(*GOOD))
        court.run("new", ten(*GOOD), tier="retrieval")
        assert court.decide("new", baseline).outcome == "passed"

    def test_a_first_judged_run_has_no_baseline_for_that_half(self, court: Court) -> None:
        """Its drops are not evaluated, its floor decides where the judge is enforced and is shown where it is not."""
        court.config["gate"] = {"rules": [RECALL, {**RULE, "min": 0.8}]}
        baseline = court.run("base", ten(*GOOD), tier="retrieval")
        court.run("new", ten(*BAD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "passed"
        assert outcomes(decision, "faithfulness max_drop") == {("not_evaluated", "no judged baseline")}
        assert ("advisory", "0.2 is below the floor 0.8") in outcomes(decision, "faithfulness min")
        assert court.report("new", baseline).startswith("## ✅ No baseline for what a judge decides. Passed:")
        court.calibrate(calibration())
        assert court.decide("new", baseline).outcome == "failed"


class TestComparable:
    """Two judges, or two sets of labels, cannot be compared."""

    def test_another_judge_is_not_comparable_and_says_what_to_do(self, court: Court) -> None:
        """Every judged row is open, and that is said once; recall is compared as ever (G11)."""
        baseline = court.run("base", ten(*GOOD), fingerprint="o" * 64, judge=JudgeInfo(provider="a", model="old"))
        court.run("new", ten(*GOOD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert reasons(decision)["not-comparable"].endswith(
            "the baseline was judged by another judge: a old, this run by scripted m; run rag-assay rescore on the "
            "baseline, or set judge.rescore_baseline: true; accepted.yml can name the row"
        )
        statuses = {row.metric: row.status for row in court.comparison("new").rows if row.scope == "all"}
        assert statuses["recall@5"] == "unchanged"
        assert statuses["faithfulness"] == statuses["abstention"] == "not comparable"
        above = court.report("new", baseline).split("\n### ")[0].splitlines()
        assert [line.partition(": ")[0] for line in above if line.startswith("- ") and "rescore" in line] == [
            "- abstention in uncategorised, abstention over all cases, faithfulness in uncategorised and 3 more rows"
        ]

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"judge": JudgeInfo(provider="scripted", model="m", answered=("m",), prompts={"en": "1"})}, "prompts"),
            ({"judge": JudgeInfo(provider="scripted", model="m", answered=("m",), adapted=("x",))}, "parameters"),
            ({}, "parameters, prompts or definitions"),
        ],
    )
    def test_one_model_that_is_two_judges_is_told_in_what(
        self, court: Court, fields: dict[str, Any], said: str
    ) -> None:
        """Its name is the same: what differs is what a person has to look at."""
        baseline = court.run("base", ten(*GOOD), fingerprint="o" * 64, **fields)
        court.run("new", ten(*GOOD))
        text = reasons(court.decide("new", baseline))["not-comparable"]
        assert f"the baseline was judged by another judge: with other {said}; run rag-assay rescore" in text

    def test_another_judge_that_a_person_accepted(self, court: Court) -> None:
        """Every row that accepted.yml names is decided by that; the written rule then holds nothing up."""
        court.config |= {"accepted": "accepted.yml", "gate": {"rules": [RECALL, RULE]}}
        entries = [
            {"metric": "faithfulness", "floor": 0.5, "reason": "a new judge", "until": "2026-12-31"} | place
            for place in ({}, {"category": "uncategorised"})
        ]
        (court.folder / "accepted.yml").write_text(json.dumps(entries))
        baseline = court.run("base", ten(*GOOD), fingerprint="o" * 64)
        court.run("new", ten(*GOOD))
        assert court.decide("new", baseline).outcome == "passed"
        (court.folder / "accepted.yml").write_text(json.dumps(entries[:1]))
        assert court.decide("new", baseline).outcome == "inconclusive"

    def test_another_judges_values_are_no_anchor(self, court: Court) -> None:
        """Drift starts anew with the new judge."""
        baseline = court.run("base", ten(*GOOD), fingerprint="o" * 64)
        court.run("new", ten(*BAD))
        court.decide("new", baseline)
        anchor = json.loads((court.folder / "new" / "run.json").read_text())["history"]["anchor"]
        assert set(anchor["faithfulness"].values()) == {0.2}
        assert set(anchor["recall@5"].values()) == {1.0}

    def test_a_case_with_other_labels_leaves_the_judged_rows(self, court: Court) -> None:
        """It is listed as changed, and too many of them leave nothing to decide by."""
        court.calibrate(calibration())
        baseline = court.run("base", ten(*GOOD))
        relabelled = [case("c0", *BAD, labels=FACTS["labels"]), *ten(*GOOD)[1:]]
        court.run("new", relabelled)
        decision = court.decide("new", baseline)
        found = court.comparison("new")
        assert (found.judged_changed, found.changed, decision.outcome) == (("c0",), ("c0",), "passed")
        assert {row.n for row in found.rows if row.metric == "faithfulness"} == {9}
        many = [case(f"c{number}", *BAD, labels={"expect": "abstain"}) for number in range(2)]
        court.run("new", [*many, *ten(*GOOD)[2:]])
        assert "only 8 of 10 cases have the facts, reference and expect" in str(court.decide("new", baseline).reasons)

    def test_a_category_that_is_labelled_anew_is_not_decided_until_a_person_says_so(self, court: Court) -> None:
        """A dot less in every reference of it, while it falls: what a judge said before is about other labels."""
        court.calibrate(calibration())
        court.config["metrics"] = ["recall@5", "faithfulness"]
        labels = {"labels": {"reference": "It closes at 5."}}
        others = [case(f"d{number}", *GOOD) for number in range(90)]
        baseline = court.run("base", [*ten(*GOOD, category="x", **labels), *others], calibration=calibration())
        labels = {"labels": {"reference": "It closes at 5"}}
        court.run("new", [*ten(*GOOD, category="x", **labels), *others])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert {reason.code for reason in decision.reasons} == {"not-comparable"}
        said = "10 of 10 cases judged by other facts, reference or expect than before; accepted.yml can name them"
        assert f"faithfulness in x: {said}" in [reason.text for reason in decision.reasons]
        named = [{"case": [f"c{number}" for number in range(10)], "reason": "r", "until": "2026-12-31"}]
        (court.folder / "accepted.yml").write_text(json.dumps(named))
        court.config["accepted"] = "accepted.yml"
        baseline = court.run("base", [*ten(*GOOD, category="x", labels={"reference": "It closes at 5."}), *others])
        court.run("new", [*ten(*GOOD, category="x", **labels), *others])
        assert court.decide("new", baseline).outcome == "passed"

    def test_other_references_do_not_hide_what_is_judged_without_them(self, court: Court) -> None:
        """Ten of a hundred answers make things up, and each gets another reference in the same change."""
        court.calibrate(calibration())
        others = [case(f"d{number}", *GOOD) for number in range(90)]
        baseline = court.run("base", [*ten(*GOOD), *others], calibration=calibration())
        court.run("new", [*ten(*BAD, labels={"reference": "It closes at 5."}), *others])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        loosened = [entry.text for entry in court.comparison("new").loosened]
        assert any(text.startswith("faithfulness max_drop over all cases fails under the") for text in loosened)
        assert not any("answer_completeness" in text for text in loosened)

    @pytest.mark.parametrize("given", [{"answer": "", "sure": True}, {"abstained": True}])
    def test_an_answer_that_was_lost_is_missed_by_the_labels_it_had(self, court: Court, given: Any) -> None:
        """Ten of a hundred cases answer no more, and are to abstain by the same change."""
        court.calibrate(calibration())
        others = [case(f"d{number}", *GOOD) for number in range(90)]
        baseline = court.run("base", [*ten(*GOOD, **FACTS), *others], calibration=calibration())
        labels = {**FACTS["labels"], "expect": "abstain"}
        court.run("new", [*ten(labels=labels, **given), *others])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        loosened = [entry.text for entry in court.comparison("new").loosened]
        for metric in ("abstention", "answer_relevance", "answer_completeness"):
            assert any(text.startswith(f"{metric} max_drop over all cases fails") for text in loosened)

    def test_a_critical_case_with_other_labels_counts_as_removed(self, court: Court) -> None:
        """Or an edited reference would take the case out of what the judge protects."""
        court.calibrate(calibration())
        baseline = court.run("base", ten(*GOOD, critical=True))
        court.run("new", [case("c0", *BAD, critical=True, labels={"reference": "x"}), *ten(*GOOD, critical=True)[1:]])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert "c0: the critical case" in reasons(decision)["loosened"]

    def test_what_a_baseline_says_of_a_case_is_read_strictly(self, court: Court) -> None:
        """A verdict that there is not is refused with the file, the line and the case."""
        baseline = court.run("base", ten(S))
        court.run("new", ten(S))
        baseline.write_text(baseline.read_text().replace('"verdict":"supported"', '"verdict":"yes"', 1))
        with pytest.raises(
            errors.FileProblem, match=r"run\.json:\d+: what a judge said of case 'c0' .*claims\.0\.verdict"
        ):
            court.decide("new", baseline)


FACTS: dict[str, Any] = {
    "labels": {"facts": [{"id": "f1", "text": "one"}, {"id": "f2", "text": "two"}]}, "critical": True,
}  # fmt: skip


LOST: dict[str, Any] = {"again": (False, False), "before": (True, True)}
"""What further judgings say of something that is lost."""


class TestCriticalCases:
    """What a single answer may not lose."""

    def test_a_fact_that_is_no_longer_in_the_answer(self, court: Court) -> None:
        """One fact of one critical case fails, and is named."""
        court.calibrate(calibration())
        baseline = court.run("base", [case("c0", S, **FACTS), *ten(S)[1:]])
        court.run("new", [case("c0", S, present=["f2"], further={"f1": LOST}, **FACTS), *ten(S)[1:]])
        decision = court.decide("new", baseline)
        assert decision.outcome == "failed"
        assert outcomes(decision, "critical lost_answer_facts") == {("failed", "1 case of 1: c0")}
        court.calibrate(None)
        decision = court.decide("new", baseline)
        assert (decision.outcome, {found.status for found in decision.cases if "answer_facts" in found.rule}) == (
            "inconclusive", {"advisory"},
        )  # fmt: skip

    def test_a_fact_that_one_judging_does_not_find_is_neither_lost_nor_passed(self, court: Court) -> None:
        """Nobody asked again: score was not told what to compare with."""
        court.calibrate(calibration())
        court.config["gate"] = {"rules": [RECALL]}
        baseline = court.run("base", [case("c0", S, **FACTS), *ten(S)[1:]])
        court.run("new", [case("c0", S, present=["f2"], **FACTS), *ten(S)[1:]])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert reasons(decision)["critical-undecided"] == (
            "critical lost_answer_facts in 1 case (c0): 1 lost fact not confirmed by further judgings, which score "
            "--against BASELINE asks for: f1"
        )

    def test_a_judge_that_broke_on_a_critical_case_does_not_pass_it(self, court: Court) -> None:
        """Its facts were there and nobody knows whether they still are."""
        court.calibrate(calibration())
        court.config["gate"] = {"rules": [RECALL]}
        baseline = court.run("base", [case("c0", S, **FACTS), *ten(S)[1:]])
        court.run("new", [case("c0", S, unscored={"answer": "no valid reply"}, **FACTS), *ten(S)[1:]])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert "critical-undecided" in reasons(decision)

    @pytest.mark.parametrize(
        ("verdict", "again", "outcome"),
        [
            (U, (U, U), "failed"),
            (C, (U, C), "failed"),
            (U, (U, S), "passed"),
            (U, (S,), "passed"),
            (U, (U,), "inconclusive"),
            (U, (), "inconclusive"),
        ],
    )
    def test_a_new_unsupported_claim_counts_when_two_further_judgings_agree(
        self, court: Court, verdict: str, again: tuple[str, ...], outcome: str
    ) -> None:
        """With fewer than two it is neither passed nor failed."""
        court.calibrate(calibration())
        court.config["gate"] = {"rules": [RECALL]}
        old = [claim("Refunds take 30 days."), claim("Shipping is free.", U)]
        new = [claim("Shipping is free", U), claim("Refunds take 13 days.", verdict, again=again)]
        baseline = court.run("base", [{"id": "c0", "claims": old, "critical": True}, *ten(S)[1:]])
        court.run("new", [{"id": "c0", "claims": new, "critical": True}, *ten(S)[1:]])
        decision = court.decide("new", baseline)
        assert decision.outcome == outcome
        assert court.exam("new").claims[0].claim == "Refunds take 13 days."
        assert len(court.exam("new").claims) == 1

    @pytest.mark.parametrize(
        ("before", "outcome"),
        [((S, S), "failed"), ((S, C, S), "failed"), ((U, C), "passed"), ((S, U, C), "passed"), ((S,), "inconclusive")],
    )
    def test_a_claim_that_lost_its_support_counts_when_the_baseline_had_it(
        self, court: Court, before: tuple[str, ...], outcome: str
    ) -> None:
        """The majority of the further judgings of the baseline decides whether there was anything to lose."""
        court.calibrate(calibration())
        court.config["gate"] = {"rules": [RECALL]}
        old, new = claim("Refunds take 30 days."), claim("Refunds take 30 days.", U, again=(U, U), before=before)
        baseline = court.run("base", [{"id": "c0", "claims": [old], "critical": True}, *ten(S)[1:]])
        court.run("new", [{"id": "c0", "claims": [new], "critical": True}, *ten(S)[1:]])
        assert court.decide("new", baseline).outcome == outcome

    def test_what_an_abstention_claimed_is_not_new(self, court: Court) -> None:
        """The baseline's judge took an answer for an abstention; what it found unsupported there was there."""
        court.calibrate(calibration())
        court.config["gate"] = {"rules": [RECALL], "critical": {"wrong_abstention": None}}
        baseline = court.run("base", [case("c0", U, critical=True, abstained=True), *ten(S)[1:]])
        court.run("new", [case("c0", U, critical=True), *ten(S)[1:]])
        assert court.decide("new", baseline).outcome == "passed"

    def test_an_unsupported_claim_that_nobody_judged_before_is_in_doubt(self, court: Court) -> None:
        """The baseline's judge broke on the case: the claim may be new, whatever the row does."""
        court.calibrate(calibration())
        court.config["gate"] = {"rules": [RECALL]}
        base = court.run("base", [case("c0", S, critical=True, **BROKEN), *ten(S)[1:]])
        court.run("new", [case("c0", U, critical=True), *ten(S)[1:]])
        decision = court.decide("new", base)
        assert decision.outcome == "inconclusive"
        assert reasons(decision)["critical-undecided"].startswith(
            "critical new_unsupported_claims in 1 case (c0): 1 unsupported claim may be new; not judged in the baseline"
        )
        court.run("new", [case("c0", S, critical=True), *ten(S)[1:]])
        assert court.decide("new", base).outcome == "passed"

    def test_a_wrong_abstention_by_an_unbelieved_judge_is_advisory_and_an_empty_answer_is_not(
        self, court: Court
    ) -> None:
        """Whether an answer is empty needs no judge."""
        court.config["gate"] = {"rules": [RECALL]}
        baseline = court.run("base", [case("c0", S, critical=True, sure=True, answer="", labels={"expect": "abstain"})])
        said = {"": {"again": (False, False)}}
        court.run("new", [case("c0", U, critical=True, further=said, labels={"expect": "abstain"})])
        decision = court.decide("new", baseline)
        assert outcomes(decision, "critical wrong_abstention") == {("advisory", "1 case of 1: c0")}


class TestTheExam:
    """A change may not make its own exam easier by what it says of the judge."""

    def test_a_calibration_that_is_taken_away(self, court: Court) -> None:
        """Under the baseline's calibration the row fails; without it, and with advisory: pass, it would be green."""
        baseline = court.run("base", ten(*GOOD), calibration=calibration())
        court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
        court.run("new", ten(*BAD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        texts = [entry.where for entry in court.comparison("new").loosened if entry.metric == "faithfulness"]
        assert "judge.advisory: inconclusive → pass" in str(texts)
        assert "judge.calibration" in str(texts)

    def test_advisory_pass_that_the_baseline_did_not_have(self, court: Court) -> None:
        """What was undecided under the baseline's terms is not passed by a word of the change."""
        baseline = court.run("base", ten(*GOOD))
        court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
        court.run("new", ten(*BAD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert "faithfulness max_drop" in reasons(decision)["loosened"]

    def test_a_baseline_without_a_judge_holds_nobody_to_its_terms(self, court: Court) -> None:
        """The change that brings the judge chooses how far it is believed."""
        said = {"": {"again": (False, False)}}
        cases = [case("c0", U, critical=True, further=said, labels={"expect": "abstain"}), *ten(S)[1:]]
        court.config |= {"judge": None, "metrics": ["recall@5", "abstention"], "gate": {"rules": [RECALL]}}
        baseline = court.run("base", cases, tier="retrieval")
        court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
        court.run("new", cases)
        decision = court.decide("new", baseline)
        assert (decision.outcome, court.comparison("new").loosened) == ("passed", ())
        assert "not-enforced" in reasons(decision)

    @pytest.mark.parametrize("known", [None, calibration()])
    @pytest.mark.parametrize("critical", [False, True])
    def test_a_judge_that_the_change_brings(self, court: Court, known: Calibration | None, *, critical: bool) -> None:
        """The baseline was judged again by it; believed or not, it is not the one that held this row until now."""
        old = calibration(fingerprint="o" * 64)
        again = {"fingerprint": FINGERPRINT, "calibration": old, "rescored": "b" * 64}
        rules = {"rules": [RECALL] if critical else [RECALL, RULE]}
        court.config |= {"gate": rules, "judge": {"provider": "scripted", "model": "m", "advisory": "pass"}}
        cases = [case("c0", *GOOD, critical=critical), *ten(*GOOD)[1:]]
        court.calibrate(known)
        baseline = court.run("base", cases, **again)
        court.run("new", cases)
        assert court.decide("new", baseline).outcome == "inconclusive"
        row, named = {"metric": "faithfulness", "floor": 0.9}, {"case": "c0"}
        found = court.comparison("new").loosened
        assert [entry.entry for entry in found] == (
            [named] if critical else [{**row, "category": "uncategorised"}, row]
        )
        assert "is decided by another judge, and the baseline's was enforced by its calibration" in found[0].text
        entries = [{**entry.entry, "reason": "a new judge", "until": "2026-12-31"} for entry in found if entry.entry]
        (court.folder / "accepted.yml").write_text(json.dumps(entries))
        court.config["accepted"] = "accepted.yml"
        baseline = court.run("base", cases, **again)
        court.run("new", cases)
        assert court.decide("new", baseline).outcome == "passed"
        assert court.exam("new").warnings == ()

    def test_a_judge_that_nobody_believed_may_be_replaced(self, court: Court) -> None:
        """Its rows held nothing up, so nothing is loosened."""
        court.config |= {"gate": {"rules": [RECALL, RULE]}}
        baseline = court.run("base", ten(*GOOD), rescored="b" * 64, calibration=calibration(kappa=0.3))
        court.run("new", ten(*GOOD), fingerprint="n" * 64)
        court.run("base", ten(*GOOD), rescored="b" * 64, fingerprint="n" * 64, calibration=calibration(kappa=0.3))
        assert court.decide("new", baseline).outcome == "passed"

    def test_a_judge_that_is_deleted(self, court: Court) -> None:
        """In tier retrieval too: what is not judged any more cannot be seen to have become worse."""
        baseline = court.run("base", ten(*GOOD))
        court.config |= {"judge": None, "metrics": ["recall@5"]}
        court.run("new", ten(*BAD), tier="retrieval")
        decision = court.decide("new", baseline)
        assert (decision.outcome, decision.exit_code) == ("inconclusive", 3)
        assert "has a judge: section and this run's has none" in str(decision.reasons)

    def test_a_lower_min_kappa(self, court: Court) -> None:
        """A judge that is only believed by the change's own terms decides nothing alone."""
        weak = calibration(kappa=0.5, lower=0.45)
        court.config |= {"gate": {"rules": [RULE]}, "judge": {"provider": "scripted", "model": "m"}}
        baseline = court.run("base", ten(*GOOD), calibration=weak)
        court.config["judge"]["min_kappa"] = 0.4
        court.calibrate(weak)
        court.run("new", ten(*GOOD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert "judge.min_kappa: 0.6 → 0.4" in str([entry.where for entry in court.comparison("new").loosened])

    def test_a_smaller_sample(self, court: Court) -> None:
        """The cases that are judged no more are missing under the baseline's terms, and said to be."""
        court.calibrate(calibration())
        baseline = court.run("base", ten(*GOOD), calibration=calibration())
        court.config["judge"]["sample"] = 6
        court.run("new", [*ten(*GOOD)[:6], *[case(f"c{n}", drawn=False) for n in range(6, 10)]])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert "judge.sample: none → 6" in str([entry.where for entry in court.comparison("new").loosened])

    def test_cases_that_were_judged_and_are_not_drawn_now_leave_it_undecided(self, court: Court) -> None:
        """Those that others took the place of may have lost anything; one in ten is no matter."""
        court.calibrate(calibration())
        court.config["judge"]["sample"] = 20
        baseline = court.run("base", [*ten(*GOOD), *[case(f"d{n}", *GOOD) for n in range(10)]])
        for gone, outcome in ((2, "passed"), (3, "inconclusive")):
            left = [case(f"c{n}", drawn=n >= gone) if n < gone else case(f"c{n}", *GOOD) for n in range(10)]
            court.run(
                "new", [*left, *[case(f"d{n}", *GOOD) for n in range(10)], *[case(f"n{n}", *GOOD) for n in range(9)]]
            )
            decision = court.decide("new", baseline)
            assert decision.outcome == outcome
        assert "only 17 of 20 cases that were judged in the baseline are drawn" in reasons(decision)["too-few-paired"]

    def test_the_same_sample_is_no_smaller_one(self, court: Court) -> None:
        """Cases that neither run drew are not applicable on both sides."""
        court.calibrate(calibration())
        court.config["judge"]["sample"] = 6
        cases = [*ten(*GOOD)[:6], *[case(f"c{n}", drawn=False) for n in range(6, 10)]]
        baseline = court.run("base", cases, calibration=calibration())
        court.run("new", cases)
        assert court.decide("new", baseline).outcome == "passed"

    def test_a_judged_metric_that_is_no_longer_measured(self, court: Court) -> None:
        """Its rows are gone under the baseline's rules."""
        court.calibrate(calibration())
        baseline = court.run("base", ten(*GOOD), calibration=calibration())
        court.config["metrics"] = ["recall@5", "answer_relevance", "abstention"]
        court.run("new", [{**each, "claims": []} for each in ten()])
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert any(entry.metric == "faithfulness" for entry in court.comparison("new").loosened)


def test_the_comment_shows_what_lost_its_support_and_who_disagrees(court: Court) -> None:
    """From two stored runs to the words: claim, verdict, reason, and the chunk that said it before."""
    court.calibrate(calibration())
    spent = {"judge": {"claims": {"calls": 10, "cached": 0, "read": 900, "written": 90, "usd": 0.5}}}
    baseline = court.run("base", [{"id": f"c{n}", "claims": [claim("Refunds take 30 days.")]} for n in range(9)])
    lost = [claim("Refunds take 30 days.", U, reason="It says <b>14</b> days.")]
    cases = [{"id": f"c{n}", "claims": lost, "reported": n == 0} for n in range(9)]
    court.run("new", cases, timing=spent)
    comment = court.report("new", baseline)
    assert "faithfulness fell in uncategorised" in comment
    assert (
        "unsupported now: Refunds take 30 days. – It says &#60;b&#62;14&#60;/b&#62; days.; before, `k1` supported it"
        in comment
    )
    assert "Pipeline and judge disagree on who abstained: 1 case" in comment
    assert "Noise not measured: run rag-assay noise" in comment
    assert "judge 10 calls, 0 from the cache, 900 tokens read, 90 written, 0.50 USD" in comment


def test_a_judge_that_was_stopped_decides_nothing(court: Court) -> None:
    """What was judged is kept and shown; the rest is unknown."""
    court.calibrate(calibration())
    baseline = court.run("base", ten(*GOOD))
    stopped = JudgeInfo(provider="scripted", model="m", answered=("m",), stopped="judge.max_cost_usd is reached")
    court.run("new", ten(*GOOD), judge=stopped)
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert reasons(decision)["judge-stopped"].endswith("judge.max_cost_usd is reached")


class TestMissingInTheBaseline:
    """What nobody could judge before must not hide what fell since."""

    def test_a_first_run_that_the_judge_declined_is_not_accepted(self, court: Court) -> None:
        """Default rules, no baseline, no value: inconclusive, whether the judge is calibrated or not."""
        court.run("new", ten(**BROKEN))
        decision = court.decide("new", None)
        assert (decision.outcome, decision.accepted) == ("inconclusive", False)
        assert reasons(decision)["unscored"].startswith("faithfulness over all cases: 10 cases without a value")
        court.calibrate(calibration())
        assert court.decide("new", None).outcome == "inconclusive"

    def test_nor_is_one_beside_a_baseline_without_a_judge(self, court: Court) -> None:
        """The judged half has nothing to compare with, and hands nothing on either."""
        baseline = court.run("base", ten(*GOOD), tier="retrieval")
        court.run("new", ten(**BROKEN))
        assert court.decide("new", baseline).outcome == "inconclusive"

    def test_a_judge_that_decides_nothing_leaves_nothing_open(self, court: Court) -> None:
        """advisory: pass without a calibration: its rows are shown, on either side of the comparison."""
        court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
        baseline = court.run("base", ten(**BROKEN))
        assert court.decide("base", None).outcome == "passed"
        court.run("new", ten(*BAD))
        assert "baseline-unscored" not in reasons(court.decide("new", baseline))

    @pytest.mark.parametrize("known", [None, calibration()])
    def test_a_baseline_of_which_nothing_was_judged_is_lost(self, court: Court, known: Any) -> None:
        """The run that fell is new to the baseline, and is not passed for that."""
        baseline = court.run("base", ten(**BROKEN))
        court.run("new", ten(*BAD))
        court.calibrate(known)
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert reasons(decision)["baseline-unscored"].endswith(
            "10 cases not scored in the baseline: judge it again with rag-assay rescore"
        )

    @pytest.mark.parametrize(("missing", "outcome"), [(1, "passed"), (2, "inconclusive")])
    def test_so_is_a_row_of_which_more_than_max_unscored_was_not(
        self, court: Court, missing: int, outcome: str
    ) -> None:
        """Of 21 cases two are more than a twentieth; they fall to 0.2 and are in no pair."""
        court.calibrate(calibration())
        names = [f"c{number}" for number in range(21)]
        broken = [case(name, **BROKEN) for name in names[:missing]]
        baseline = court.run("base", [*broken, *[case(name, *GOOD) for name in names[missing:]]])
        court.run("new", [case(name, *(BAD if place < missing else GOOD)) for place, name in enumerate(names)])
        decision = court.decide("new", baseline)
        assert decision.outcome == outcome
        assert ("baseline-unscored" in reasons(decision)) == (outcome == "inconclusive")

    def test_what_the_baselines_judge_was_not_asked_is_not_missing(self, court: Court) -> None:
        """A metric that the change brings, a case that abstained and one that the sample left out."""
        court.calibrate(calibration())
        court.config["metrics"] = ["recall@5", "answer_relevance"]
        baseline = court.run("base", ten(**BROKEN))
        court.config["metrics"] = ["recall@5", "answer_relevance", "faithfulness"]
        court.run("new", ten(*GOOD))
        assert court.decide("new", baseline).outcome == "passed"
        silent = [case(f"c{n}", abstained=True, labels={"expect": "abstain"}) for n in range(2)]
        undrawn = [case(f"c{n}", drawn=False) for n in range(2, 4)]
        baseline = court.run("base", [*silent, *undrawn, *ten(*GOOD)[4:]])
        court.run("new", [*[case(f"c{n}", *GOOD, labels={"expect": "abstain"}) for n in range(2)], *ten(*GOOD)[2:]])
        assert "baseline-unscored" not in reasons(court.decide("new", baseline))


class TestAJudgedHalfThatIsLost:
    """A run without a judge between two with one must not make the second look like the first."""

    LOST = "the baseline is of tier retrieval, and a run before it was judged"

    def history(self, court: Court, name: str) -> dict[str, Any]:
        """What a run hands on."""
        found: dict[str, Any] = json.loads((court.folder / name / "run.json").read_text())["history"]
        return found

    def chain(self, court: Court, **fields: Any) -> Path:
        """A full run, and one of tier retrieval that was compared with it."""
        first = court.run("first", ten(*GOOD, **fields))
        assert court.decide("first", None).outcome == "passed"
        middle = court.run("middle", ten(*GOOD, **fields), tier="retrieval")
        assert court.decide("middle", first).outcome == "passed"
        return middle

    def test_a_run_of_tier_retrieval_hands_the_judged_anchors_on(self, court: Court) -> None:
        """Abstention's is one of them, although it has a value without a judge, too."""
        self.chain(court, reported=False)
        before, after = self.history(court, "first"), self.history(court, "middle")
        assert (before["anchor"], before["judge"]) == (after["anchor"], after["judge"])
        assert set(after["anchor"]["faithfulness"].values()) == {0.9}
        assert set(after["anchor"]["abstention"].values()) == {1.0}

    def test_the_next_full_run_is_not_excused_and_drift_sees_what_fell(self, court: Court) -> None:
        """0.9, a run without a judge, 0.2: failed by drift where the judge is enforced, else inconclusive."""
        middle = self.chain(court)
        court.run("new", ten(*BAD))
        decision = court.decide("new", middle)
        assert (decision.outcome, decision.accepted) == ("inconclusive", False)
        assert self.LOST in reasons(decision)["baseline-lost"]
        assert "no-baseline" not in reasons(decision)
        assert set(self.history(court, "new")["anchor"]["faithfulness"].values()) == {0.9}
        court.calibrate(calibration())
        decision = court.decide("new", middle)
        assert decision.outcome == "failed"
        assert reasons(decision)["drift"].startswith("faithfulness drift over all cases: 0.7 below its anchor")

    def test_however_many_runs_lie_between(self, court: Court) -> None:
        """The anchors go through each of them; a full run that is as good as ever stays undecided, not failed."""
        court.calibrate(calibration())
        middle = self.chain(court)
        again = court.run("again", ten(*GOOD), tier="retrieval")
        assert court.decide("again", middle).outcome == "passed"
        court.run("new", ten(*GOOD))
        decision = court.decide("new", again)
        assert decision.outcome == "inconclusive"
        assert set(reasons(decision)) == {"baseline-lost"}

    def test_another_judge_is_not_held_to_what_this_one_said(self, court: Court) -> None:
        """The half is lost, and drift starts anew."""
        court.calibrate(calibration(fingerprint="o" * 64))
        middle = self.chain(court)
        court.run("new", ten(*BAD), fingerprint="o" * 64)
        decision = court.decide("new", middle)
        assert decision.outcome == "inconclusive"
        assert outcomes(decision, "faithfulness drift") == set()
        assert self.history(court, "new")["judge"] == "o" * 64

    def test_a_required_baseline_of_tier_retrieval_is_too_little_for_a_full_run(self, court: Court) -> None:
        """Also where no run before it was ever judged."""
        court.config["baseline"] = {"required": True}
        baseline = court.run("base", ten(*GOOD), tier="retrieval")
        court.run("new", ten(*GOOD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert reasons(decision)["baseline-lost"].startswith("baseline.required is set, and the baseline is of tier")

    def test_a_baseline_whose_judge_was_stopped(self, court: Court) -> None:
        """Lost, whatever of it was judged; rescore goes on from there."""
        court.calibrate(calibration())
        stopped = JudgeInfo(provider="scripted", model="m", answered=("m",), stopped="the budget is spent")
        baseline = court.run("base", ten(*GOOD), judge=stopped)
        court.run("new", ten(*GOOD))
        decision = court.decide("new", baseline)
        assert decision.outcome == "inconclusive"
        assert "(the budget is spent): judge it again with rag-assay rescore" in reasons(decision)["baseline-lost"]

    def test_a_case_that_broke_once_keeps_its_anchor(self, court: Court) -> None:
        """Two of 41 fall to nothing over two runs, in the first of which the judge broke on them."""
        court.calibrate(calibration())
        names = [f"c{number}" for number in range(41)]
        first = court.run("first", [case(name, S) for name in names])
        court.decide("first", None)
        broken = [case(name, S, unscored={"claims": "no valid reply"}) for name in names[:2]]
        second = court.run("second", [*broken, *[case(name, S) for name in names[2:]]])
        court.decide("second", first)
        court.run("third", [*[case(name, U) for name in names[:2]], *[case(name, S) for name in names[2:]]])
        court.decide("third", second)
        anchor = self.history(court, "third")["anchor"]["faithfulness"]
        assert (anchor["c0"], anchor["c1"]) == (1.0, 1.0)
