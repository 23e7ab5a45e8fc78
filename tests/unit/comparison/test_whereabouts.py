"""Which keys of the configuration made the exam easier."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.comparison import whereabouts
from evaluator.model.comparison import Exam
from tests import sheets
from tests.sheets import cases, rule, sheet

DROPPED = sheet(cases(*[(0.9, 0.8)] * 6))


def exam(*rules: dict[str, Any], gate: dict[str, Any] | None = None, written: bool = True) -> Exam:
    """An exam by these rules."""
    return sheets.exam(DROPPED, *(rule(**fields) for fields in rules), gate=gate, written=written)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([{"max_drop": 0.02}], [{"max_drop": 0.05}], "gate.rules[0].max_drop: 0.02 → 0.05"),
        ([{"max_drop": 0.02}], [{"max_drop": 0.02, "min_lost": 9}], "gate.rules[0].min_lost: none → 9"),
        ([{"max_drop": 0.02, "min": 0.8}], [{"max_drop": 0.02}], "gate.rules[0].min: 0.8 → none"),
        ([{"max_drop": 0.02}], [], "gate.rules[0] of the baseline is gone"),
        ([{"max_drop": 0.02}], [{"max_drop": 0.02, "optional": True}], "gate.rules[0].optional: false → true"),
        ([{"max_drop": 0.02}], [{"max_drop": 0.02}, {"min": 0.1}], None),
    ],
)
def test_a_rule_over_all_cases(old: list[dict[str, Any]], new: list[dict[str, Any]], expected: str | None) -> None:
    """The key is named with both its values; a rule that came does not make anything easier."""
    assert whereabouts.of_row(exam(*new), exam(*old), "recall@5", "all") == expected


def test_a_rule_of_categories_is_named_once() -> None:
    """The row over all cases that it carries is of the same key."""
    old, new = exam({"per": "category"}), exam({"per": "category", "max_drop": 0.05})

    for scope in ("category", "small", "all", None):
        assert whereabouts.of_row(new, old, "recall@5", scope) == "gate.rules[0].max_drop: 0.02 → 0.05"


def test_settings_of_the_gate_count_for_every_row() -> None:
    """More cases needed, or drift allowed, can turn a row green as a rule can."""
    new = exam({}, gate={"min_cases": 50, "drift": {"max_drop": 0.5}})

    assert whereabouts.of_row(new, exam({}), "recall@5", "all") == (
        "gate.min_cases: 5 → 50; gate.drift.max_drop: 0.05 → 0.5"
    )


def test_default_rules_have_no_place_in_a_file() -> None:
    """A default that was replaced is named as one."""
    assert whereabouts.of_row(exam(), exam({}, written=False), "recall@5", "all") == (
        "the default rule on recall@5 of the baseline is gone"
    )


def test_a_rule_on_critical_cases() -> None:
    """Only the key of the rule in question is named."""
    new = exam({}, gate={"critical": {"lost_needs": 1, "lost_facts": None}})

    assert whereabouts.of_critical(new, exam({}), "lost_needs") == "gate.critical.lost_needs: 0 → 1"
    assert whereabouts.of_critical(new, exam({}), "lost_facts") == "gate.critical.lost_facts: 0 → none"
    assert whereabouts.of_critical(new, exam({}), "wrong_abstention") is None
