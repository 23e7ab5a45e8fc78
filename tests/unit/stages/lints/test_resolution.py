from __future__ import annotations

import random
from typing import Any

import pytest

from evaluator.model.config import Config
from evaluator.model.golden import Case
from evaluator.stages.lints import resolution

COMMAND = {"kind": "command", "command": {"run": ["x"]}}


def config(*rules: dict[str, Any], **fields: Any) -> Config:
    """A configuration with these rules."""
    gate = {"rules": list(rules), "min_cases": fields.pop("min_cases", 5)} if rules else {}
    return Config.model_validate({"suite": "s", "golden": "g", "fixture": "f", "gate": gate, **fields})


def cases(count: int, **fields: Any) -> list[Case]:
    """Cases of one category."""
    base = {"question": "?", "category": "returns", "relevant": ["c"], **fields}
    return [Case.model_validate({"id": f"{base['category']}{number}", **base}) for number in range(count)]


def said(golden: list[Case], settings: Config) -> list[str]:
    """What is said, over all first."""
    doubts = list(resolution.resolved(golden, settings))
    assert {(doubt.code, doubt.severity) for doubt in doubts} <= {("resolution", "info")}
    return [doubt.message for doubt in doubts]


RECALL = {"metric": "recall@5", "per": "category", "max_drop": 0.02, "min_lost": 2}


def test_one_lost_question_of_twelve_is_a_twelfth() -> None:
    """1 / 12 = 0.083; the rule wants two lost questions, and 2 / 12 = 0.167."""
    sentence = "recall@5 moves by 0.083 with one lost question; the rule fails from 2 lost questions on (0.167)"

    assert said(cases(12), config(RECALL)) == [
        f"over all 12 cases: {sentence}",
        f"category 'returns', 12 cases: {sentence}",
    ]


def test_a_case_of_several_needs_moves_in_smaller_steps() -> None:
    """One need of three in one case of ten: 1 / 30 = 0.033."""
    golden = [*cases(9), *cases(1, category="x", relevant=["a", "b", "c"])]

    assert "0.100 with one lost question, by 0.033 with one need of 3; " in said(golden, config(RECALL))[0]


def test_facts_are_counted_in_cases_that_have_some() -> None:
    """A metric that applies to four cases of ten moves by a quarter."""
    golden = [*cases(6), *cases(4, category="x", facts=[{"id": "f", "text": "x"}, {"id": "g", "text": "y"}])]
    rule = {**RECALL, "metric": "fact_coverage@5"}

    assert "moves by 0.250 with one lost question, by 0.125 with one fact of 2; " in said(golden, config(rule))[0]


def test_small_categories_and_held_out_cases_decide_nothing_by_themselves() -> None:
    """A category below gate.min_cases is pooled, which is said once elsewhere; a held-out case is under no rule."""
    few = [*cases(2, category="few"), *cases(9, category="few", relevant=[], expect="abstain")]
    golden = [*cases(20), *cases(4, category="rare"), *few, *cases(9, category="held", split="holdout")]
    everything, returns, applies_to_two = said(golden, config(RECALL))

    assert everything.startswith("over all 35 cases: ")
    assert returns.startswith("category 'returns', 20 cases: ")
    assert applies_to_two.startswith("category 'few', 11 cases: ")
    assert "gated with other small categories only" in applies_to_two
    assert said(cases(3, split="holdout"), config(RECALL)) == []


def test_a_rule_over_all_says_nothing_of_categories() -> None:
    """What no rule limits still shows how far one question moves it."""
    everything, returns = said(cases(10), config({"metric": "mrr@10", "per": "all", "max_drop": 0.25}))

    assert everything.endswith(
        "mrr@10 moves by 0.100 with one lost question; the rule fails from 3 lost questions on (0.300)"
    )
    assert returns.endswith("recall@5 moves by 0.100 with one lost question; no rule limits its drop")


def test_a_rule_over_all_replaces_what_a_category_rule_carries() -> None:
    """As the gate does: the explicit rule has no min_lost and another limit."""
    everything, returns = said(cases(10), config(RECALL, {"metric": "recall@5", "per": "all", "max_drop": 0.5}))

    assert "fails from 6 lost" in everything
    assert "fails from 2 lost" in returns


def test_a_metric_that_does_not_apply_is_not_spoken_of() -> None:
    """Questions without an answer have no needs to lose."""
    assert said(cases(7, relevant=[], expect="abstain"), config(RECALL))[1] == (
        "category 'returns', 7 cases: no metric with a rule about drops applies to them"
    )


def test_a_rule_that_can_never_fail_is_told() -> None:
    """A limit of everything, or more lost questions than there are."""
    assert "can never fail" in said(cases(10), config({**RECALL, "max_drop": 1.0}))[0]
    assert "can never fail" in said(cases(5), config({**RECALL, "min_lost": 6}))[0]


def test_the_default_rules_are_spoken_of_where_none_were_written() -> None:
    """What the gate would use is what is shown."""
    assert "the rule fails from 2 lost questions on (0.167)" in said(cases(12), config())[1]


def test_answers_of_a_live_pipeline_vary() -> None:
    """Two rows (all, one category) at 0.05: 2^-5 is above 0.025, 2^-6 is not. A recorded pipeline does not vary."""
    rule = {"metric": "abstention", "per": "category", "max_drop": 0.0, "min_lost": 2}
    live = config(rule, metrics=["abstention"], pipeline=COMMAND)
    recorded = config(rule, metrics=["abstention"], pipeline={"kind": "recorded", "recorded": {"file": "a"}})

    assert said(cases(12), live)[0].endswith("; answers vary by themselves, and fewer than 6 worse cases can be chance")
    assert "by themselves" not in said(cases(12), recorded)[0]
    assert "by themselves" not in said(cases(12), config(RECALL, pipeline=COMMAND))[0]


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_loss_is_what_the_gate_sees(seed: int) -> None:
    """Losing so many questions breaks the rule and losing one less does not, by the rule's own definition."""
    drawn = random.Random(seed)  # noqa: S311 - a test table
    count, min_lost = drawn.randint(1, 400), drawn.randint(1, 4)
    max_drop = drawn.choice([0.0, 0.02, 0.05, 0.1, 1 / 3, drawn.random()])
    fails = [lost for lost in range(count + 1) if lost >= min_lost and lost / count > max_drop + 1e-9]

    assert resolution.smallest_loss(count, max_drop, min_lost) == (fails[0] if fails else None)


def test_a_hostile_category_is_shown_escaped() -> None:
    """A name reaches a terminal as text."""
    assert "\x1b" not in said(cases(5, category="a\x1b[2J"), config(RECALL))[1]


JUDGE = {"provider": "scripted", "model": "m"}


def test_judged_metrics_with_one_rule_are_one_sentence() -> None:
    """Two of 12 are 0.167. Four metrics in two rows each are 8 noisy rows: 2^-8 is the first below 0.05 / 8."""
    golden = cases(12, reference="It is so.")

    assert said(golden, config(judge=JUDGE))[1].split(". ")[-1] == (
        "each of faithfulness, answer_relevance, answer_completeness, correctness moves by 0.083 with one lost question"
        "; the rule fails from 2 lost questions on (0.167); what a judge says varies by itself, and fewer than 8 worse "
        "cases can be chance"
    )
    assert "faithfulness" not in str(said(golden, config()))


def test_a_judged_metric_counts_the_cases_that_have_its_label() -> None:
    """Correctness needs a reference, which 5 of 10 cases have: one of them is a fifth. None expects an abstention."""
    golden = [
        *cases(5, category="x", reference="It is so."), *cases(5, category="y"),
        *cases(5, category="z", expect="abstain", relevant=[]),
    ]  # fmt: skip
    rule = {"metric": "correctness", "max_drop": 0.1}
    settings = config(rule, judge=JUDGE, metrics=["correctness", "preference"])

    assert said(golden, settings)[0].startswith(
        "over all 15 cases: correctness moves by 0.200 with one lost question; the rule fails from 1 lost question on"
    )
    other = config({"metric": "faithfulness", "max_drop": 0.1}, judge=JUDGE, metrics=["faithfulness"])
    assert "faithfulness moves by 0.100 with one lost question" in said(golden, other)[0]
