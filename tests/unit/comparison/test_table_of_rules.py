"""Every rule and every critical rule, with values worked out by hand."""

from __future__ import annotations

from typing import get_args

import pytest

from evaluator.comparison import critical, gate
from evaluator.comparison.critical import Sides
from evaluator.comparison.rules import PARTS
from evaluator.model.comparison import CriticalRule
from tests.exams import CRITICAL, RULES, CriticalCase, RuleCase, of_critical


@pytest.mark.parametrize("given", CRITICAL.values(), ids=CRITICAL)
def test_a_critical_case_comes_to_what_was_worked_out(given: CriticalCase) -> None:
    """How much it lost, and the sentence that says so."""
    found = {
        each.rule: each for each in critical.outcomes(Sides("c", given.before, given.after, **(given.sides or {})))
    }
    assert (found[given.rule].lost, found[given.rule].reason) == (given.lost, given.reason)


def test_no_critical_rule_is_without_a_case() -> None:
    """One that is added to the model is added to the table."""
    assert {given.rule for given in CRITICAL.values()} == set(get_args(CriticalRule))
    assert {given.rule for given in CRITICAL.values() if given.lost} == set(get_args(CriticalRule))


@pytest.mark.parametrize("given", RULES.values(), ids=RULES)
def test_a_rule_comes_to_what_was_worked_out(given: RuleCase) -> None:
    """Outcome, limit and reason of the rule over all cases."""
    found = [each for each in gate.decide(given.exam).rules if each.rule.split()[1] == given.rule]
    assert [(each.outcome, each.limit, each.reason) for each in found] == [(given.outcome, given.limit, given.reason)]


def test_no_rule_is_without_a_case_that_fails_and_one_that_does_not() -> None:
    """The parts of a rule as the configuration has them, drift, and the rules on critical cases."""
    failing = {given.rule for given in RULES.values() if given.outcome in ("failed", "advisory")}
    passing = {given.rule for given in RULES.values() if given.outcome in ("passed", "not_evaluated")}
    assert failing >= {*PARTS, "drift", "lost_needs"}
    assert passing >= {*PARTS, "drift", "lost_needs"}
    assert {each.rule.removeprefix("critical ") for each in gate.decide(of_critical("a need")).rules} >= set(
        get_args(CriticalRule)
    )
