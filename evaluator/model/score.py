"""What a metric says of one case, and how a metric is named and declared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.model.view import CaseView


class Scored(NamedTuple):
    """A finite value."""

    value: float


class Unscored(NamedTuple):
    """We could not judge: neither zero nor one."""

    reason: str


class NotApplicable(NamedTuple):
    """The question does not arise for this case."""

    reason: str


Score: TypeAlias = Scored | Unscored | NotApplicable


class MetricId(NamedTuple):
    """A metric as it is asked for; parses from and prints to the same text (``recall@5``, ``mrr``)."""

    name: str
    k: int | None = None

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @classmethod
    def parse(cls, text: str) -> MetricId:
        """Read ``name`` or ``name@k``.

        Raises:
            ValueError: for any other text, a leading zero or k = 0 included.
        """
        found = re.fullmatch(r"([a-z][a-z0-9_]*)(?:@([1-9][0-9]*))?", text, re.ASCII)
        if not found:
            raise ValueError(f"{text!r} is not a metric name such as recall@5")
        return cls(found[1], int(found[2]) if found[2] else None)


class Summary(NamedTuple):
    """A mean over the cases that were scored, of those the metric applies to."""

    mean: float | None
    n: int
    of: int


Reads: TypeAlias = Literal["ranking", "context", "answer", "usage", "clock", "judge"]
Counts: TypeAlias = Literal["needs", "chunks", "facts", "other"]
Asked: TypeAlias = Literal["claims", "statements", "sufficiency", "recall", "useful", "questions", "preference"]
Cutoff: TypeAlias = Literal["optional", "none"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's declaration: one short file each under evaluator/metrics, as the module constant METRIC.

    Attributes:
        name: as written before the ``@``.
        title: what it says of a case, in one line.
        formula: the definition, in plain text.
        source: where the definition comes from.
        score: the pure function; gets the case's view and the cut-off (None where none was written).
        cutoff: whether ``@k`` may be written.
        reads: what the value depends on; ``clock`` values differ between identical runs and live in timing; ``judge``
            values are computed in tier full only, from what a judge said.
        counts: what is counted; values that count chunks are advisory when the chunking changed.
        higher_is_better: direction.
        bounded: within [0, 1]; a failed case scores the worst end where the metric applies.
        precision_like: falls when unlabelled chunks enter the ranking.
        asks: what a judge is asked for it, beside what it is always asked.
        group: reads a group of paraphrases; a case that failed is then one failed member of it.
        labels: of which a case must have one at least, where a metric is of no use in a suite without any.
        compares: holds two runs beside each other itself, so no run has a value before it, and its rule is min_win.
    """

    name: str
    title: str
    formula: str
    source: str
    score: Callable[[CaseView, int | None], Score]
    reads: Reads
    counts: Counts
    cutoff: Cutoff = "optional"
    higher_is_better: bool = True
    bounded: bool = True
    precision_like: bool = False
    group: bool = False
    labels: tuple[Literal["facts", "reference"], ...] = ()
    compares: bool = False
    asks: tuple[Asked, ...] = ()
