"""The anchor: what replaces it, what enters it, and what it remembers."""

from __future__ import annotations

from evaluator.comparison import drift
from evaluator.model.exam import ExamFile
from evaluator.model.run import History
from tests.sheets import exam, rule, sheet


def state(anchor: dict[str, float], values: dict[str, float], pending: tuple[str, ...] = ()) -> ExamFile:
    """One metric and one category."""
    history = History(anchor={"recall@5": anchor}, pending={"recall@5": pending} if pending else {}, chain=("one",))
    return ExamFile(
        exam=exam(sheet([]), rule()),
        history=history,
        values={"recall@5": values},
        categories=dict.fromkeys(values, "a"),
    )


def moved(found: ExamFile, *, accepted: bool = True) -> History:
    """The history after a run that was compared with run two."""
    return drift.next_history(found, accepted=accepted, higher_is_better={"recall@5": True}, link="two")


def test_the_first_run_is_its_own_anchor() -> None:
    """Without an anchor every case enters at its value."""
    found = moved(state({}, {"x": 0.5}))
    assert found.anchor == {"recall@5": {"x": 0.5}}


def test_a_worse_run_does_not_lower_the_anchor() -> None:
    """Ten small drops are measured from where they began."""
    assert moved(state({"x": 0.8}, {"x": 0.79})).anchor == {"recall@5": {"x": 0.8}}


def test_the_anchor_rises_at_the_second_better_run_in_succession() -> None:
    """Once may be luck: the first better run is remembered, the second moves the anchor."""
    once = moved(state({"x": 0.8}, {"x": 0.9}))
    assert (once.anchor, once.pending) == ({"recall@5": {"x": 0.8}}, {"recall@5": ("a",)})
    twice = moved(state({"x": 0.8}, {"x": 0.85}, pending=("a",)))
    assert (twice.anchor, twice.pending) == ({"recall@5": {"x": 0.85}}, {})


def test_a_run_in_between_that_was_not_better_starts_the_count_again() -> None:
    """Two better runs must follow one another."""
    assert moved(state({"x": 0.8}, {"x": 0.8}, pending=("a",))).pending == {}


def test_a_run_that_was_not_accepted_moves_nothing() -> None:
    """A red run neither raises the anchor nor starts the count."""
    found = moved(state({"x": 0.8}, {"x": 0.9}, pending=("a",)), accepted=False)
    assert (found.anchor, found.pending) == ({"recall@5": {"x": 0.8}}, {"recall@5": ("a",)})


def test_new_cases_enter_and_removed_ones_leave() -> None:
    """The anchor holds exactly the cases of this run."""
    assert moved(state({"x": 0.8, "gone": 1.0}, {"x": 0.8, "new": 0.1})).anchor == {"recall@5": {"x": 0.8, "new": 0.1}}


def test_the_chain_names_the_runs_it_came_through() -> None:
    """Oldest first, the run that was compared with last."""
    assert moved(state({"x": 0.8}, {"x": 0.8})).chain == ("one", "two")
