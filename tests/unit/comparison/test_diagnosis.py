from __future__ import annotations

import itertools
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.comparison import diagnosis
from evaluator.comparison.diagnosis import CAUSES, Evidence, Known, Where, diagnose, fails

LEAVES: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"supported": "unknown", "relevant": "unknown", "complete": "unknown", "correct": "unknown"}, None),
    ({"consistent": "no"}, None),
    ({"complete": "no"}, None),
    ({"failed": True}, diagnosis.FAILED),
    ({"missing": ("deeper", "not retrieved", "nowhere")}, diagnosis.CONTENT_GAP),
    ({"missing": ("deeper", "not retrieved")}, diagnosis.RETRIEVAL),
    ({"missing": ("unmatched", "deeper")}, diagnosis.RANKING),
    ({"supported": "no", "relevant": "no"}, diagnosis.UNSUPPORTED),
    ({"correct": "no", "consistent": "no", "complete": "no"}, diagnosis.CONFLICTING),
    ({"relevant": "no", "complete": "no", "has_facts": True}, diagnosis.OFF_QUESTION),
    ({"complete": "no", "has_facts": True}, diagnosis.INCOMPLETE),
    ({"complete": "no", "correct": "no"}, diagnosis.INCOMPLETE),
    ({"abstention": "no"}, diagnosis.ABSTENTION),
    ({"abstention": "no", "missing": ("not retrieved",)}, diagnosis.RETRIEVAL),
    ({"abstention": "no", "missing": ("not retrieved",), "expects_abstention": True}, diagnosis.ABSTENTION),
    ({"abstention": "no", "supported": "no", "expects_abstention": True}, diagnosis.ABSTENTION),
    ({"abstention": "yes", "missing": ("deeper",), "expects_abstention": True}, diagnosis.RANKING),
    ({"abstention": "unknown", "supported": "no", "expects_abstention": True}, diagnosis.UNSUPPORTED),
    ({"missing": ("unmatched",)}, diagnosis.LABEL_OR_JUDGE),
    ({"missing": ("unmatched",), "supported": "no", "complete": "no"}, diagnosis.LABEL_OR_JUDGE),
    ({"missing": ("unmatched",), "abstention": "no"}, diagnosis.LABEL_OR_JUDGE),
    ({"missing": ("unmatched",), "abstention": "no", "expects_abstention": True}, diagnosis.ABSTENTION),
    ({"missing": ("unmatched",), "supported": "unknown"}, diagnosis.LABEL_OR_JUDGE),
    ({"correct": "no", "supported": "yes", "complete": "yes"}, diagnosis.LABEL_OR_JUDGE),
    ({"correct": "no", "supported": "unknown", "complete": "yes"}, diagnosis.NOT_KNOWN),
    ({"correct": "no", "consistent": "unknown"}, diagnosis.NOT_KNOWN),
]

known = st.sampled_from(get_args(Known))
cases = st.builds(
    Evidence, failed=st.booleans(), expects_abstention=st.booleans(),
    missing=st.lists(st.sampled_from(get_args(Where)), max_size=4).map(tuple), has_facts=st.booleans(),
    **dict.fromkeys(("abstention", "supported", "consistent", "relevant", "complete", "correct"), known),
)  # fmt: skip


@pytest.mark.parametrize(("evidence", "cause"), LEAVES)
def test_the_first_question_that_is_answered_with_no_is_the_cause(evidence: dict[str, Any], cause: str | None) -> None:
    """Every leaf of the table, and the cases that stand between two of them."""
    assert diagnose(Evidence(**evidence)) == cause


def test_every_leaf_is_reached_and_has_a_lever() -> None:
    """The table above leaves none out."""
    assert {cause for _, cause in LEAVES} - {None} == set(CAUSES)
    assert all(cause.lever for cause in CAUSES.values())


@given(cases)
def test_a_case_has_a_cause_exactly_where_it_fails(case: Evidence) -> None:
    """One cause for every case that fails, and none for a case that does not."""
    assert (diagnose(case) in CAUSES) == fails(case)
    assert (diagnose(case) is None) != fails(case)


@given(cases)
def test_what_nobody_could_say_makes_no_case_fail_and_changes_no_cause_to_a_guess(case: Evidence) -> None:
    """Where an answer becomes unknown, the cause stays, or is one that another known answer gives, or is not known."""
    for name in ("abstention", "supported", "consistent", "relevant", "complete", "correct"):
        less = case._replace(**{name: "unknown"})
        before, after = diagnose(case), diagnose(less)
        if after in (None, diagnosis.NOT_KNOWN) or before == after:
            continue
        # Another cause shows only where this very answer was the no that stood before it.
        assert getattr(case, name) == "no"
        assert list(CAUSES).index(after or "") > list(CAUSES).index(before or "") or before == diagnosis.ABSTENTION


@given(cases)
def test_the_order_in_which_things_are_missing_changes_nothing(case: Evidence) -> None:
    """The same needs and facts in any order."""
    orders = itertools.permutations(case.missing)
    assert len({diagnose(case._replace(missing=order)) for order in orders}) == 1
