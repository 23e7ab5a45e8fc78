"""accepted.yml: what a person accepted although it makes the exam easier (design section 8)."""

import datetime
from typing import Annotated

import pydantic

from evaluator.model.base import Id, Value

Date = Annotated[datetime.date, pydantic.Field(strict=False)]


class AcceptedRow(Value):
    """Under the baseline's exam the candidate's mean in this row must reach ``floor``."""

    metric: Id
    category: Id | None = None
    floor: float
    reason: Id
    until: Date


class AcceptedCase(Value):
    """These cases may be removed, changed, relabelled or lose their critical flag."""

    case: Annotated[tuple[Id, ...], pydantic.Field(strict=False, min_length=1)]
    reason: Id
    until: Date

    @pydantic.field_validator("case", mode="before")
    @classmethod
    def _one_id_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value


class Accepted(Value):
    """All entries in file order; ``places`` of those about cases say which of the file's entries each is, from 1."""

    rows: tuple[AcceptedRow, ...] = ()
    cases: tuple[AcceptedCase, ...] = ()
    places: tuple[int, ...] = ()
