from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.human import annotators
from evaluator.human.kinds import KINDS
from evaluator.human.labels import Label

LETTERS = {"+": "supported", "?": "unclear", "-": "unsupported", "r": "relevant", "i": "irrelevant"}
LINES = st.lists(st.text("+?-.", min_size=3, max_size=3), min_size=1, max_size=8)


def labelled(kind: str = "claim", **said: str) -> list[Label]:
    """Labels by annotator, a letter for each thing; a dot where there is none."""
    return [
        Label(KINDS[kind], f"c{place}", "x", name, LETTERS[letter], f"{name}.jsonl", place + 1)
        for name, letters in said.items()
        for place, letter in enumerate(letters)
        if letter != "."
    ]


def test_two_are_compared_by_cohens_kappa() -> None:
    """20 and 15 alike of 50: kappa 0.4; the fifteen others are listed with both places."""
    [found] = annotators.agreements(labelled(anna="+" * 25 + "-" * 25, bo="+" * 20 + "-" * 5 + "+" * 10 + "-" * 15))

    assert (found.measure, found.items, found.shared, found.missing) == ("cohen", 50, 50, 0)
    assert found.value == found.gated == pytest.approx(0.4)
    assert found.alike == 0.7
    assert len(found.disagreements) == 15
    assert found.disagreements[0] == (
        "claim", "c20", "x", {"anna": "supported", "bo": "unsupported"},
        {"anna": "anna.jsonl:21", "bo": "bo.jsonl:21"},
    )  # fmt: skip


def test_more_are_compared_by_fleiss_and_missing_labels_ask_for_alpha() -> None:
    """Three complete annotators, then one with a hole; every two are compared as well."""
    [whole] = annotators.agreements(labelled("chunk", a="rrii", b="rrii", c="riri"))
    [holed] = annotators.agreements(labelled("chunk", a="rrii", b="rri.", c="riri"))
    # Alike pairs: 3 + 1 + 1 + 3 of 12, and half of each class: (8/12 - 1/2) / (1/2).
    assert (whole.measure, whole.value) == ("fleiss", pytest.approx(1 / 3))
    assert [(pair.first, pair.second, pair.kappa) for pair in whole.pairs] == [
        ("a", "b", 1.0), ("a", "c", 0.0), ("b", "c", 0.0)
    ]  # fmt: skip
    # 11 labels, 6 and 5; items differ by 0, 4/2, 4/2 and 0 counted pairs: 1 - 10 x 4 / (121 - 36 - 25).
    assert (holed.measure, holed.missing) == ("krippendorff", 1)
    assert holed.value == holed.krippendorff == pytest.approx(1 - 10 * 4 / 60)


def test_classes_that_are_gated_may_agree_more() -> None:
    """Two who differ only on how a claim lacks support agree to the gate."""
    [found] = annotators.agreements(labelled(anna="++--", bo="++??"))

    assert found.gated == 1
    assert found.value is not None
    assert found.value < 1


def test_what_is_not_defined_says_why() -> None:
    """Everybody always said the same: no measure has a value, and none is NaN."""
    for said in ({"a": "++", "b": "++"}, {"a": "++", "b": "++", "c": "++"}, {"a": "++", "b": "+."}):
        [found] = annotators.agreements(labelled(**said))
        assert (found.value, found.why) == (None, "everybody always said 'supported'")


def test_kinds_stand_apart() -> None:
    """Labels of relevance and of claims are two tables."""
    found = annotators.agreements([*labelled(a="+-", b="+-"), *labelled("chunk", a="ri", b="ir")])

    assert [(each.kind.name, each.value) for each in found] == [("claim", 1.0), ("chunk", -1.0)]


@pytest.mark.parametrize(
    ("said", "why"),
    [({"anna": "+-"}, "all labels are by 'anna'"), ({"anna": "+.", "bo": ".+"}, "no claim, chunk or other thing has")],
)
def test_labels_without_a_second_opinion_are_refused(said: dict[str, str], why: str) -> None:
    """One annotator, or several who labelled different things."""
    with pytest.raises(errors.InputError, match=why):
        annotators.agreements(labelled(**said))


@given(LINES)
def test_swapping_annotators_changes_no_measure(lines: list[str]) -> None:
    """Whoever is called a, b or c."""
    sides: Any = dict(zip("abc", map("".join, zip(*lines, strict=True)), strict=True))
    swapped = dict(zip("abc", (sides["c"], sides["a"], sides["b"]), strict=True))
    assume(any(len(line.replace(".", "")) > 1 for line in lines))
    one, other = (annotators.agreements(labelled(**each)) for each in (sides, swapped))

    for before, after in zip(one, other, strict=True):
        for name in ("measure", "items", "shared", "missing", "value", "gated", "krippendorff", "alike"):
            assert getattr(before, name) == pytest.approx(getattr(after, name))
        assert sorted(str(pair.kappa) for pair in before.pairs) == sorted(str(pair.kappa) for pair in after.pairs)
