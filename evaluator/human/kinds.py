"""What people label, on which scale, and which metric is read from the same verdict (design section 13)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Kind(NamedTuple):
    """One thing that people label.

    Attributes:
        name: the field of a label that names it.
        metric: what its labels calibrate.
        scale: the labels there are, in order; the first is the one that a metric counts.
        rest: what the others are called together, as they are gated.
        is_flag: the field is ``true``, for there is one such thing in a case; else it is an id or a text.
    """

    name: str
    metric: str
    scale: tuple[str, ...]
    rest: str
    is_flag: bool = False

    @property
    def classes(self) -> tuple[str, str]:
        """The two classes that are gated."""
        return self.scale[0], self.rest

    def gated(self, label: str) -> str:
        """The class of a label."""
        return self.scale[0] if label == self.scale[0] else self.rest


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("claim", "faithfulness", ("supported", "unclear", "unsupported"), "unsupported"),
        Kind("statement", "correctness", ("present", "missing", "contradicted"), "not present"),
        Kind("fact", "answer_completeness", ("present", "missing"), "missing"),
        Kind("relevance", "answer_relevance", ("relevant", "irrelevant"), "irrelevant", is_flag=True),
        Kind("abstention", "abstention", ("answered", "abstained"), "abstained", is_flag=True),
        Kind("chunk", "context_relevance_judged", ("relevant", "irrelevant"), "irrelevant"),
        Kind("preference", "preference", ("win", "tie", "loss"), "no win", is_flag=True),
    )
}


def majority(kind: Kind, labels: Iterable[str]) -> str | None:
    """What most annotators say, by the classes that are gated first; None where they are evenly divided on those.

    Within the class, the most frequent label, and of several the first of the scale.
    """
    counts = Counter(labels)
    good = counts[kind.scale[0]]
    rest = counts.total() - good
    if good == rest:
        return None
    return kind.scale[0] if good > rest else max(kind.scale[1:], key=counts.__getitem__)
