"""Which cases are compared."""

from __future__ import annotations

from evaluator.comparison.pairing import Asked, pair


def asked(**cases: str) -> dict[str, Asked]:
    """Cases by id; an exclamation mark puts one into the holdout."""
    return {name: Asked(text.rstrip("!"), holdout=text.endswith("!")) for name, text in cases.items()}


def test_pairs_new_changed_and_removed() -> None:
    """Equal id and equal input make a pair; everything else is named for what it is."""
    found = pair(asked(same="q", changed="q2", new="q"), asked(same="q", changed="q1", gone="q"))
    assert (found.paired, found.new, found.changed, found.removed) == (("same",), ("new",), ("changed",), ("gone",))
    assert found.pairable == 3


def test_holdout_cases_are_counted_and_never_named() -> None:
    """A held-out case is in no list that is published, not even when it was deleted."""
    found = pair(asked(a="q", h="q!"), asked(a="q", h="q!", gone="q!"))
    assert (found.paired, found.new, found.removed, found.pairable) == (("a",), (), (), 1)
    assert found.holdout_removed == ("gone",)


def test_moving_a_case_into_the_holdout_removes_it_from_the_exam() -> None:
    """It leaves the rows that rules read, so it counts as removed."""
    assert pair(asked(a="q!"), asked(a="q")).removed == ("a",)
