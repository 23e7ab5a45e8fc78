"""Values: made of parts that are known, and copied."""

from __future__ import annotations

import pytest

from evaluator.model.base import to_json
from evaluator.model.record import Hit


def test_a_value_of_known_parts_is_the_one_that_is_checked() -> None:
    """It is equal, is written alike, and a copy of it is one of the other."""
    known = Hit.known(id="c1", doc=None, score=0.5, text="A text.")
    checked = Hit(id="c1", doc=None, score=0.5, text="A text.")
    assert known == checked
    assert to_json(known) == to_json(checked)
    assert known.but(score=0.25) == Hit(id="c1", score=0.25, text="A text.")
    assert known.score == 0.5


def test_a_value_of_known_parts_has_all_of_them() -> None:
    """A default that was forgotten, or a field that was renamed, would only be noticed by a reader."""
    with pytest.raises(TypeError, match="score, txt"):
        Hit.known(id="c1", doc=None, text="A text.", txt="")
    with pytest.raises(TypeError, match="Hit has no rank"):
        Hit(id="c1").but(rank=1)
