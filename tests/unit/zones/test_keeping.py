"""Which runs of a workflow leave something for later ones to be compared with."""

from __future__ import annotations

import pytest

from evaluator.model.config import Baseline
from evaluator.zones.keeping import Keeping

OTHER = "release"


def kept(event: str, ref: str, default_branch: str = "main") -> Keeping | None:
    """That of a run, by the variables that GitHub sets."""
    number = {"GITHUB_RUN_ID": "12", "GITHUB_RUN_ATTEMPT": "2"}
    return Keeping.of({"GITHUB_EVENT_NAME": event, "GITHUB_REF": ref, **number}, default_branch, "")


@pytest.mark.parametrize(
    ("event", "ref", "wanted"),
    [
        ("push", "refs/heads/main", True),
        ("schedule", "refs/heads/main", True),
        ("workflow_dispatch", "refs/heads/main", True),
        ("push", "refs/heads/feature", False),
        ("workflow_dispatch", "refs/heads/feature", False),
        # The ref of a pull request that is merged is the base's branch.
        ("pull_request", "refs/heads/main", False),
        ("merge_group", "refs/heads/main", False),
        ("release", "refs/heads/main", False),
    ],
)
def test_baselines_are_kept_of_the_baselines_branch_alone(event: str, ref: str, *, wanted: bool) -> None:
    """And of events that run what is merged."""
    found = kept(event, ref)

    assert found is not None
    assert found.is_wanted(Baseline()) is wanted


@pytest.mark.parametrize("ref", ["refs/tags/main", "refs/pull/7/merge", "main", ""])
def test_what_is_no_branch_keeps_nothing(ref: str) -> None:
    """A tag may be called like one."""
    assert kept("push", ref) is None
    assert Keeping.of({}, "main", "") is None


def test_the_branch_may_be_another_one_or_not_be_told() -> None:
    """The configuration can name it; without either there is none."""
    other, untold = kept("push", f"refs/heads/{OTHER}"), kept("push", "refs/heads/main", default_branch="")

    assert other is not None
    assert untold is not None
    assert (other.is_wanted(Baseline()), other.is_wanted(Baseline(branch=OTHER))) == (False, True)
    assert (untold.is_wanted(Baseline()), untold.is_wanted(Baseline(branch="main"))) == (False, True)
    assert (other.run, other.attempt) == (12, 2)
