"""calibration.json: how far a judge agrees with people, by metric and language (design sections 9 and 13)."""

from typing import Annotated, Literal

import pydantic

from evaluator.model.base import FORMAT, Id, Value

Agreement = Annotated[float, pydantic.Field(ge=-1, le=1)]
Count = Annotated[int, pydantic.Field(ge=0)]


class Calibrated(Value):
    """The judge against people over one metric's labels in one language.

    ``classes`` counts the people's labels as they are gated, two classes (``supported`` against the rest). ``kappa`` is
    Cohen's, None where it is not defined (everybody always said the same); ``lower`` its one-sided 95 % bound by a
    bootstrap over cases and ``interval`` the two-sided one; ``ac1`` is Gwet's.
    """

    n: Count
    classes: dict[Id, Count]
    kappa: Agreement | None
    lower: Agreement | None
    interval: Annotated[tuple[Agreement, Agreement], pydantic.Field(strict=False)] | None = None
    agreement: Annotated[float, pydantic.Field(ge=0, le=1)] | None = None
    ac1: Agreement | None = None


class CalibratedMetric(Value):
    """What is known of one metric, by language tag."""

    languages: dict[Id, Calibrated]


class Calibration(Value):
    """calibration.json; ``judge_fingerprint`` is the ``fingerprint.judge`` of the runs whose judge was held to it."""

    format: Literal[1] = FORMAT
    judge_fingerprint: Id
    metrics: dict[Id, CalibratedMetric]
