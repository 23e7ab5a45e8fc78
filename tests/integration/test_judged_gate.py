"""What a judge said, from two stored runs to the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator import errors
from evaluator.model.run import JudgeInfo
from evaluator.stages import against
from tests.court import BAD, GOOD, RECALL, RULE, Court, S, U, calibration, case, claim, outcomes, reasons, ten


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
