"""What a report says of the judge."""

from __future__ import annotations

import pytest

from evaluator.model.run import JudgeInfo
from evaluator.report import judge
from tests.builders import build_head


@pytest.mark.parametrize(
    ("model", "answered", "beginnings"),
    [
        ("sonnet-20250929", ("sonnet-20250929",), []),
        ("openai/gpt-5-2026-01-01", ("gpt-5-2026-01-01",), []),
        ("sonnet", ("sonnet-20250929",), ["The judge is asked for as sonnet and answered as sonnet-20250929"]),
        ("sonnet-latest", (), ["The judge is asked for as sonnet-latest: a name"]),
        ("a", ("a", "b"), ["Several models answered as the judge (a, b)"]),
        ("writer", ("writer",), ["The judge is the model that wrote the answers (writer)"]),
    ],
)
def test_a_judge_that_is_not_what_it_should_be_is_a_warning(
    model: str, answered: tuple[str, ...], beginnings: list[str]
) -> None:
    """An alias, several models under one name, and the generator judging itself."""
    config = {"pipeline": {"generator": {"model": "writer"}}}
    head = build_head(tier="full", config=config, judge=JudgeInfo(provider="p", model=model, answered=answered))
    found = list(judge.warnings(head))
    assert len(found) == len(beginnings)
    assert all(sentence.startswith(beginning) for sentence, beginning in zip(found, beginnings, strict=True))


def test_what_judging_cost_is_one_line() -> None:
    """Sums over the parts; what was not needed is not said."""
    spent = {
        "claims": {"calls": 3, "cached": 1, "read": 1000, "written": 50, "from_cache": 0, "usd": 0.0, "repairs": 0},
        "answer": {"calls": 2, "cached": 0, "read": 500, "written": 25, "from_cache": 0, "usd": 0.0, "retries": 2},
    }
    head = build_head(judge=JudgeInfo(provider="p", model="m"), timing={"judge": spent})
    assert judge.cost(head) == "judge 5 calls (2 retries), 1 from the cache, 1,500 tokens read, 75 written"


@pytest.mark.parametrize(
    "timing", [{}, {"judge": None}, {"judge": {"claims": "many"}}, {"judge": {"a": {"calls": -1}}}]
)
def test_a_run_that_cost_nothing_or_says_nonsense_has_no_such_line(timing: dict[str, object]) -> None:
    """The timing of a run is open to whatever a file holds."""
    assert judge.cost(build_head(judge=JudgeInfo(provider="p", model="m"), timing=timing)) == ""
