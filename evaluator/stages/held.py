"""A run as score has just made it: what compare and report would otherwise read back from run.json."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from evaluator.metrics._repeats import together
from evaluator.stores import runs, values
from evaluator.stores.runs import StoredCase
from evaluator.stores.spans import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.judgement import Judged
    from evaluator.model.run import History, RunHead
    from evaluator.model.score import MetricId, Score
    from evaluator.model.view import CaseView
    from evaluator.stores.spans import Span


@dataclass(frozen=True, slots=True)
class HeldCase(StoredCase):
    """A case with how it was seen under its own labels and what it scored."""

    view: CaseView
    scores: Mapping[MetricId, Score]
    repeats: tuple[HeldCase, ...] = field(default=(), kw_only=True)

    @property
    def means(self) -> Mapping[MetricId, Score]:
        """The scores over every time the question was asked; ``scores`` are of one."""
        return together([self.scores, *(each.scores for each in self.repeats)])


def judged_of(stored: StoredCase) -> Judged | None:
    """What a judge said of a case; None where none was asked.

    Raises:
        pydantic.ValidationError: the run holds something else.
    """
    view = stored.view if isinstance(stored, HeldCase) else None
    if (stored.case if view is None else view).judgement is None:
        return None
    from evaluator.model import judgement  # noqa: PLC0415 - only a run that was judged pays for it

    if view is None or view.judgement is None:
        return judgement.read(stored.case.claims, stored.case.judgement)
    return judgement.Judged(None if view.claims is None else (*view.claims,), view.judgement)


class HeldRun(NamedTuple):
    """A whole run in memory, to be used as a :class:`evaluator.stores.runs.RunReader` is.

    Attributes:
        head: everything but cases, texts and places; the history is empty.
        places: chunk id -> index in its document.
        by_id: every case, in the run's order.
        path: the file.
        history: where its history is.
    """

    head: RunHead
    places: Mapping[str, int]
    by_id: Mapping[str, HeldCase]
    path: Path
    history: Span

    @property
    def ids(self) -> Sequence[str]:
        """The cases, in the run's order."""
        return tuple(self.by_id)

    def case(self, case: str) -> StoredCase:
        """One case.

        Raises:
            KeyError: the run has no such case.
        """
        return self.by_id[case]

    def cases(self) -> Iterator[StoredCase]:
        """Every case in the run's order."""
        return iter(self.by_id.values())

    def with_history(self, history: History) -> None:
        """Put another history into the file, as :meth:`evaluator.stores.runs.RunReader.with_history` does."""
        with values.opened(self.path) as file:
            runs.put_history(self.path, Source(file), self.history, history)


class Run(Protocol):
    """A run on disk, or one that this process has just made."""

    @property
    def head(self) -> RunHead:
        """Everything but cases, texts and places."""
        ...

    @property
    def places(self) -> Mapping[str, int]:
        """Chunk id -> index in its document."""
        ...

    @property
    def ids(self) -> Sequence[str]:
        """The cases, in the run's order."""
        ...

    def case(self, case: str) -> StoredCase:
        """One case; KeyError where there is none of that name."""
        ...

    def cases(self) -> Iterator[StoredCase]:
        """Every case in the run's order."""
        ...
