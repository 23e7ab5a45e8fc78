"""A change may not make its own exam easier by what it says of the judge."""

from __future__ import annotations

import json

import pytest

from evaluator.model.calibration import Calibration
from tests.court import BAD, FINGERPRINT, GOOD, RECALL, RULE, Court, S, U, calibration, case, reasons, ten


def test_a_calibration_that_is_taken_away(court: Court) -> None:
    """Under the baseline's calibration the row fails; without it, and with advisory: pass, it would be green."""
    baseline = court.run("base", ten(*GOOD), calibration=calibration())
    court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
    court.run("new", ten(*BAD))
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    texts = [entry.where for entry in court.comparison("new").loosened if entry.metric == "faithfulness"]
    assert "judge.advisory: inconclusive → pass" in str(texts)
    assert "judge.calibration" in str(texts)


def test_advisory_pass_that_the_baseline_did_not_have(court: Court) -> None:
    """What was undecided under the baseline's terms is not passed by a word of the change."""
    baseline = court.run("base", ten(*GOOD))
    court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
    court.run("new", ten(*BAD))
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert "faithfulness max_drop" in reasons(decision)["loosened"]


def test_a_baseline_without_a_judge_holds_nobody_to_its_terms(court: Court) -> None:
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
def test_a_judge_that_the_change_brings(court: Court, known: Calibration | None, *, critical: bool) -> None:
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
    assert [entry.entry for entry in found] == ([named] if critical else [{**row, "category": "uncategorised"}, row])
    assert "is decided by another judge, and the baseline's was enforced by its calibration" in found[0].text
    entries = [{**entry.entry, "reason": "a new judge", "until": "2026-12-31"} for entry in found if entry.entry]
    (court.folder / "accepted.yml").write_text(json.dumps(entries))
    court.config["accepted"] = "accepted.yml"
    baseline = court.run("base", cases, **again)
    court.run("new", cases)
    assert court.decide("new", baseline).outcome == "passed"
    assert court.exam("new").warnings == ()


def test_a_judge_that_nobody_believed_may_be_replaced(court: Court) -> None:
    """Its rows held nothing up, so nothing is loosened."""
    court.config |= {"gate": {"rules": [RECALL, RULE]}}
    baseline = court.run("base", ten(*GOOD), rescored="b" * 64, calibration=calibration(kappa=0.3))
    court.run("new", ten(*GOOD), fingerprint="n" * 64)
    court.run("base", ten(*GOOD), rescored="b" * 64, fingerprint="n" * 64, calibration=calibration(kappa=0.3))
    assert court.decide("new", baseline).outcome == "passed"


def test_a_judge_that_is_deleted(court: Court) -> None:
    """In tier retrieval too: what is not judged any more cannot be seen to have become worse."""
    baseline = court.run("base", ten(*GOOD))
    court.config |= {"judge": None, "metrics": ["recall@5"]}
    court.run("new", ten(*BAD), tier="retrieval")
    decision = court.decide("new", baseline)
    assert (decision.outcome, decision.exit_code) == ("inconclusive", 3)
    assert "has a judge: section and this run's has none" in str(decision.reasons)


def test_a_lower_min_kappa(court: Court) -> None:
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


def test_a_smaller_sample(court: Court) -> None:
    """The cases that are judged no more are missing under the baseline's terms, and said to be."""
    court.calibrate(calibration())
    baseline = court.run("base", ten(*GOOD), calibration=calibration())
    court.config["judge"]["sample"] = 6
    court.run("new", [*ten(*GOOD)[:6], *[case(f"c{n}", drawn=False) for n in range(6, 10)]])
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert "judge.sample: none → 6" in str([entry.where for entry in court.comparison("new").loosened])


def test_cases_that_were_judged_and_are_not_drawn_now_leave_it_undecided(court: Court) -> None:
    """Those that others took the place of may have lost anything; one in ten is no matter."""
    court.calibrate(calibration())
    court.config["judge"]["sample"] = 20
    baseline = court.run("base", [*ten(*GOOD), *[case(f"d{n}", *GOOD) for n in range(10)]])
    for gone, outcome in ((2, "passed"), (3, "inconclusive")):
        left = [case(f"c{n}", drawn=n >= gone) if n < gone else case(f"c{n}", *GOOD) for n in range(10)]
        court.run("new", [*left, *[case(f"d{n}", *GOOD) for n in range(10)], *[case(f"n{n}", *GOOD) for n in range(9)]])
        decision = court.decide("new", baseline)
        assert decision.outcome == outcome
    assert "only 17 of 20 cases that were judged in the baseline are drawn" in reasons(decision)["too-few-paired"]


def test_the_same_sample_is_no_smaller_one(court: Court) -> None:
    """Cases that neither run drew are not applicable on both sides."""
    court.calibrate(calibration())
    court.config["judge"]["sample"] = 6
    cases = [*ten(*GOOD)[:6], *[case(f"c{n}", drawn=False) for n in range(6, 10)]]
    baseline = court.run("base", cases, calibration=calibration())
    court.run("new", cases)
    assert court.decide("new", baseline).outcome == "passed"


def test_a_judged_metric_that_is_no_longer_measured(court: Court) -> None:
    """Its rows are gone under the baseline's rules."""
    court.calibrate(calibration())
    baseline = court.run("base", ten(*GOOD), calibration=calibration())
    court.config["metrics"] = ["recall@5", "answer_relevance", "abstention"]
    court.run("new", [{**each, "claims": []} for each in ten()])
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert any(entry.metric == "faithfulness" for entry in court.comparison("new").loosened)
