"""What a judge says of critical cases, of which a single answer counts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.court import BROKEN, FACTS, RECALL, C, Court, S, U, calibration, case, claim, outcomes, reasons, ten

LOST: dict[str, Any] = {"again": (False, False), "before": (True, True)}
"""What further judgings say of something that is lost."""


def test_a_fact_that_is_no_longer_in_the_answer(court: Court) -> None:
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


def test_a_fact_that_one_judging_does_not_find_is_neither_lost_nor_passed(court: Court) -> None:
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


def test_a_judge_that_broke_on_a_critical_case_does_not_pass_it(court: Court) -> None:
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
    court: Court, verdict: str, again: tuple[str, ...], outcome: str
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
    court: Court, before: tuple[str, ...], outcome: str
) -> None:
    """The majority of the further judgings of the baseline decides whether there was anything to lose."""
    court.calibrate(calibration())
    court.config["gate"] = {"rules": [RECALL]}
    old, new = claim("Refunds take 30 days."), claim("Refunds take 30 days.", U, again=(U, U), before=before)
    baseline = court.run("base", [{"id": "c0", "claims": [old], "critical": True}, *ten(S)[1:]])
    court.run("new", [{"id": "c0", "claims": [new], "critical": True}, *ten(S)[1:]])
    assert court.decide("new", baseline).outcome == outcome


def test_what_an_abstention_claimed_is_not_new(court: Court) -> None:
    """The baseline's judge took an answer for an abstention; what it found unsupported there was there."""
    court.calibrate(calibration())
    court.config["gate"] = {"rules": [RECALL], "critical": {"wrong_abstention": None}}
    baseline = court.run("base", [case("c0", U, critical=True, abstained=True), *ten(S)[1:]])
    court.run("new", [case("c0", U, critical=True), *ten(S)[1:]])
    assert court.decide("new", baseline).outcome == "passed"


def test_an_unsupported_claim_that_nobody_judged_before_is_in_doubt(court: Court) -> None:
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


def test_a_wrong_abstention_by_an_unbelieved_judge_is_advisory_and_an_empty_answer_is_not(court: Court) -> None:
    """Whether an answer is empty needs no judge."""
    court.config["gate"] = {"rules": [RECALL]}
    baseline = court.run("base", [case("c0", S, critical=True, sure=True, answer="", labels={"expect": "abstain"})])
    said = {"": {"again": (False, False)}}
    court.run("new", [case("c0", U, critical=True, further=said, labels={"expect": "abstain"})])
    decision = court.decide("new", baseline)
    assert outcomes(decision, "critical wrong_abstention") == {("advisory", "1 case of 1: c0")}
