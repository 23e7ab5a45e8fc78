"""Several scores of one case as one."""

from __future__ import annotations

import pytest

from evaluator.metrics._repeats import together
from evaluator.model.score import MetricId, NotApplicable, Score, Scored, Unscored

RECALL, GROUP = MetricId("recall", 5), MetricId("paraphrase_overlap", 10)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([Scored(1.0), Scored(0.0), Scored(0.5)], Scored(0.5)),
        ([Scored(1.0), NotApplicable("abstained"), Scored(0.0)], Scored(0.5)),
        ([NotApplicable("abstained"), Scored(0.25)], NotApplicable("abstained")),
        ([Scored(1.0), *[NotApplicable("not reported")] * 4], NotApplicable("not reported")),
        ([NotApplicable("first"), NotApplicable("second")], NotApplicable("first")),
        ([Scored(1.0), Unscored("refused"), Scored(1.0)], Unscored("refused")),
        ([NotApplicable("abstained"), Unscored("refused")], Unscored("refused")),
        ([Scored(0.1)], Scored(0.1)),
    ],
)
def test_a_value_is_the_mean_over_the_times_that_have_one(scores: list[Score], expected: Score) -> None:
    """More than half must have one; one that could not be judged leaves all unscored: few say nothing of the rest."""
    assert together([{RECALL: score} for score in scores]) == {RECALL: expected}


def test_what_only_the_first_time_measures_is_its_value() -> None:
    """Groups of paraphrases are compared by what was found the first time."""
    found = together([{RECALL: Scored(1.0), GROUP: Scored(0.3)}, {RECALL: Scored(0.0)}])
    assert found == {RECALL: Scored(0.5), GROUP: Scored(0.3)}
