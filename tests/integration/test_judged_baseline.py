"""What a judged run is compared with: another judge, other labels, what was never judged, or judged before that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.model.run import JudgeInfo
from tests.court import BAD, BROKEN, FACTS, GOOD, RECALL, RULE, Court, S, U, calibration, case, outcomes, reasons, ten


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
