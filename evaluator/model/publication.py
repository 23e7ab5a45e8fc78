"""What is published of a decision beside the comment: finished text, for whoever holds a token and nothing else."""

from typing import Annotated, Literal, TypeAlias

import pydantic

from evaluator.model.base import FORMAT, Value
from evaluator.model.decision import Outcome

Level: TypeAlias = Literal["failure", "warning"]


class Remark(Value):
    """A remark on a line of a golden file; ``path`` is relative to the repository's root, ``line`` counts from 1."""

    path: str
    line: Annotated[int, pydantic.Field(ge=1)]
    level: Level
    title: str
    message: str


class Publication(Value):
    """The verdict in one line and what is remarked on single cases, the worst first.

    ``changed`` says whether anything is other than in the baseline. ``more`` cases are behind the verdict, too, and
    have no remark. Where it is ``quiet``, there is no comment unless one is there.
    """

    format: Literal[1] = FORMAT
    outcome: Outcome
    sentence: str
    changed: bool
    remarks: Annotated[tuple[Remark, ...], pydantic.Field(strict=False)] = ()
    more: int = 0
    quiet: bool = False
