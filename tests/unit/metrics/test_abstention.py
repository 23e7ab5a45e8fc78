from __future__ import annotations

import pytest

from evaluator.model.golden import Labels
from tests.views import outcome, view

UNKNOWN = "needs the judge or `abstained`"
NO_ANSWER = "the pipeline gave no answer"


@pytest.mark.parametrize(
    ("answer", "abstained", "when_answer", "when_abstain"),
    [
        ("Thirty days.", False, 1.0, 0.0),
        ("I cannot say.", True, 0.0, 1.0),
        ("", None, 0.0, 1.0),
        (" \n", False, 0.0, 1.0),
        (None, True, 0.0, 1.0),
        (None, False, 1.0, 0.0),
        ("I don't know.", None, UNKNOWN, UNKNOWN),
        (None, None, NO_ANSWER, NO_ANSWER),
    ],
)
def test_whether_the_behaviour_is_what_was_expected(
    answer: str | None, abstained: bool | None, when_answer: float | str, when_abstain: float | str
) -> None:
    """An empty answer abstains; a non-empty one only by the pipeline's own report, never by its wording."""
    seen = [
        outcome("abstention", view("A", answer=answer, abstained=abstained, labels=Labels(expect=expect)))
        for expect in ("answer", "abstain")
    ]

    assert seen == [when_answer, when_abstain]


@pytest.mark.parametrize("expect", ["answer", "abstain"])
def test_a_failure_is_neither_answer_nor_abstention(expect: str) -> None:
    """A pipeline that fails does not do what was expected, whatever that was."""
    case = view("", failed=True, labels=Labels.model_validate({"expect": expect}))

    assert outcome("abstention", case) == 0.0
