"""What judging a run came to, as score writes it down; a run of tier retrieval was not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.judgement import Judged, Judgement
    from evaluator.model.run import JudgeInfo
    from evaluator.model.spent import Spent


class JudgedRun(NamedTuple):
    """By case what was said of it, who judged, what that took, and the digest of all that a verdict depends on.

    ``alerts`` are what a reader must know before reading numbers, ``repeats`` what was said of the answers to the same
    questions asked again.
    """

    by_case: Mapping[str, Judged]
    info: JudgeInfo | None = None
    spent: Spent | None = None
    digest: str | None = None
    interrupted: str | None = None
    alerts: tuple[str, ...] = ()
    repeats: tuple[Mapping[str, Judged], ...] = ()

    @property
    def every(self) -> tuple[Mapping[str, Judged], ...]:
        """By case, for every time the questions were asked; empty where no judge was asked."""
        return () if self.info is None else (self.by_case, *self.repeats)

    def judgements(self) -> dict[str, Judgement]:
        """What was said of each case, apart from its claims."""
        return {case: judged.judgement for case, judged in self.by_case.items()}

    def fingerprint(self) -> dict[str, str]:
        """What ``fingerprint`` in run.json has of it."""
        return {} if self.digest is None else {"judge": self.digest}

    def timing(self) -> dict[str, Any]:
        """What ``timing`` has of it: what was cached differs between two runs that are otherwise the same."""
        return {} if self.spent is None else {"judge": self.spent.model_dump(mode="json")["parts"]}


NOT_JUDGED = JudgedRun({})

RESCORED = "baseline-rescored.json"
"""The baseline as today's judge judges it, beside run.json."""


def interrupted(done: int, total: int) -> str:
    """What a person is told whose interrupt ended the judging."""
    return (
        f"interrupted; {done} of {counted(total, 'answer')} are judged and kept in the judge's cache and in run.json: "
        "the same command goes on from there"
    )
