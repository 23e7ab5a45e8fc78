"""What became of the gate's rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.config import Rule
from evaluator.report.rules import changed

RECALL = {"metric": "recall@5", "per": "category", "max_drop": 0.02, "min_lost": 2}
LATENCY = {"metric": "latency_ms", "at": "p95", "max_rise": "20%", "optional": True}


def dumped(*rules: dict[str, Any]) -> list[dict[str, Any]]:
    """Rules as a run keeps them: every key, set or not."""
    return [Rule.model_validate(rule).model_dump(mode="json") for rule in rules]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            [RECALL, LATENCY], [RECALL | {"max_drop": 0.05}, LATENCY],
            [("gate.rules: recall@5 per category", "max_drop 0.02", "max_drop 0.05")],
            id="a changed number",
        ),
        pytest.param(
            [RECALL], [RECALL | {"max_drop": 0}],
            [("gate.rules: recall@5 per category", "max_drop 0.02", "max_drop 0.0")],
            id="nothing allowed any more",
        ),
        pytest.param(
            [RECALL], [{"metric": "recall@5", "per": "category", "max_drop": 0.02, "min": 0.8}],
            [("gate.rules: recall@5 per category", "min_lost 2, no min", "no min_lost, min 0.8")],
            id="one key for another",
        ),
        pytest.param(
            [RECALL], [RECALL, LATENCY],
            [("gate.rules: latency_ms per all at p95", "–", "max_rise 20%, optional")],
            id="one more rule",
        ),
        pytest.param(
            [LATENCY, RECALL], [LATENCY],
            [("gate.rules: recall@5 per category", "max_drop 0.02, min_lost 2", "–")],
            id="one rule less",
        ),
        pytest.param(
            [RECALL], [RECALL | {"per": "all"}],
            [
                ("gate.rules: recall@5 per category", "max_drop 0.02, min_lost 2", "–"),
                ("gate.rules: recall@5 per all", "–", "max_drop 0.02, min_lost 2"),
            ],
            id="a rule about something else",
        ),
        pytest.param(
            [RECALL, RECALL], [RECALL, RECALL | {"max_drop": 0.1}],
            [("gate.rules: recall@5 per category (2)", "max_drop 0.02", "max_drop 0.1")],
            id="the second of two about the same",
        ),
        pytest.param(
            [RECALL, LATENCY], [LATENCY, RECALL], [("gate.rules", "the same rules", "in another order")], id="an order"
        ),
    ],
)  # fmt: skip
def test_only_what_differs_is_told(
    before: list[dict[str, Any]], after: list[dict[str, Any]], expected: list[tuple[str, str, str]]
) -> None:
    """A reviewer reads which rule became what, and nothing of the rules that stayed."""
    assert changed(dumped(*before), dumped(*after)) == expected


def test_written_rules_in_place_of_the_defaults_are_each_told() -> None:
    """Defaults have no list of their own: that they went is the first line."""
    assert changed(None, dumped(RECALL)) == [
        ("gate.rules", "the default rules", "1 written"),
        ("gate.rules: recall@5 per category", "–", "max_drop 0.02, min_lost 2"),
    ]
    assert changed(dumped(), None) == [("gate.rules", "0 written", "the default rules")]


def test_what_is_no_list_of_rules_is_shown_whole() -> None:
    """A comparison that another program wrote does not end the report."""
    assert changed({"x": 1}, [3]) == [("gate.rules", '{"x":1}', "[3]")]


@given(st.lists(st.sampled_from([RECALL, LATENCY, RECALL | {"max_drop": 0.5}, {"metric": "mrr", "min": 0.1}])))
def test_equal_lists_never_tell_of_a_rule(rules: list[dict[str, Any]]) -> None:
    """However often a rule is repeated, it is the same rule on both sides."""
    assert changed(dumped(*rules), dumped(*rules)) == [("gate.rules", "the same rules", "in another order")]
