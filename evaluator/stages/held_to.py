"""How a run stands to what was found for it: what is lost, what has another name now, and what the base had lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import inherited

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.baseline import Found
    from evaluator.model.comparison import Exam, Judging


class Standard(NamedTuple):
    """What was found for a run, and where: the runs that it is compared with.

    Attributes:
        found: everything that is to be said of the search.
        baseline: the accepted run.
        inherited: the run of the base itself, where that was not accepted.
        source: where the baseline comes from, for the report.
    """

    found: Found
    baseline: Path | None = None
    inherited: Path | None = None
    source: str = ""


class Base(NamedTuple):
    """The base itself, which was not accepted: its exams, and the exam of the change held to it."""

    commit: str
    new: Exam
    old: Exam | None
    since: Exam


class Standing(NamedTuple):
    """What one run's exams have to know.

    Attributes:
        standard: what was found; None where nobody looked.
        base: where the base was not accepted.
    """

    standard: Standard | None = None
    base: Base | None = None

    def marked(self, exam: Exam, *, old: bool) -> Exam:
        """An exam that says what is lost, and blames a run for nothing that the base had lost."""
        found = self.standard.found if self.standard is not None else None
        if found is not None and not exam.has_baseline:
            exam = exam.but(lost=found.lost.get("deterministic"))
        if found is not None and exam.judging is not None:
            exam = exam.but(judging=_judging(exam.judging, found))
        if self.base is None:
            return exam
        return inherited.mark(exam, self.base.old if old else self.base.new, self.base.since, self.base.commit)

    def renamed(self, suite: str) -> str | None:
        """The suite's name at the base, where that is another."""
        before = self.standard.found.suite if self.standard is not None else None
        return before if before not in {None, suite} else None

    def moved(self, branch: str | None) -> str | None:
        """The branch of which baselines are kept at the base, where a change keeps those of another."""
        found = self.standard.found if self.standard is not None else None
        if found is None or found.branch in {None, branch or found.default_branch}:
            return None
        return found.branch


UNKNOWN = Standing()


def _judging(judging: Judging, found: Found) -> Judging:
    lost = found.lost.get("judged")
    return judging if judging.has_baseline or lost is None else judging.but(lost=lost)
