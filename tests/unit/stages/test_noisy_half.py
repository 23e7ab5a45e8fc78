"""Which runs vary by themselves, under the terms of either."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.config import Config
from evaluator.model.run import RunHead
from evaluator.stages.noisy_half import NoisyHalf

RECORDED = {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}
LIVE = {"kind": "python", "python": {"target": "app:answer"}}


@pytest.mark.parametrize(
    ("before", "now", "new", "old"),
    [
        (RECORDED, RECORDED, False, False),
        (RECORDED, LIVE, True, False),
        (LIVE, RECORDED, True, True),
        (LIVE, LIVE, True, True),
    ],
)
def test_a_change_shakes_off_no_steady_baseline_by_being_live(
    before: dict[str, Any], now: dict[str, Any], *, new: bool, old: bool
) -> None:
    """Its own exam allows for noise where either run was live; the baseline's where the baseline was."""
    theirs, mine = (
        Config.model_validate({"suite": "s", "golden": "golden.jsonl", "pipeline": pipeline})
        for pipeline in (before, now)
    )
    half = NoisyHalf(RunHead.model_construct(), RunHead.model_construct(), mine, theirs, None)
    assert half.of_sheet((), old=False).is_live is new
    assert half.of_sheet((), old=True).is_live is old
