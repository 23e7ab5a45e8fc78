"""noise.json: how much a suite's values change by themselves from run to run (design section 13)."""

from typing import Annotated, Literal

import pydantic

from evaluator.model.base import FORMAT, Id, Value

# Beyond these nothing was measured, and what is worked out of it could overflow.
Amount = Annotated[float, pydantic.Field(ge=0, le=1e12)]
Count = Annotated[int, pydantic.Field(ge=1, le=10**9)]
Rate = Annotated[float, pydantic.Field(ge=0, le=1)]


class CategoryNoise(Value):
    """``sd`` is the standard deviation of a case from run to run, pooled over the ``n`` cases of a category."""

    sd: Amount
    n: Count


class MetricNoise(Value):
    """The same over all categories of a metric.

    ``kurtosis`` is the excess kurtosis of the difference between two runs of a case: far above 0 where values mostly
    stay and sometimes jump, as verdicts on a few claims do. ``judge`` is the part of ``sd`` that is there when the same
    answers are judged again, ``pipeline`` the rest (their squares add up); both are None where they were not told
    apart.
    """

    sd: Amount
    categories: dict[Id, CategoryNoise]
    kurtosis: Amount = 0.0
    pipeline: Amount | None = None
    judge: Amount | None = None


class Noise(Value):
    """noise.json.

    Attributes:
        fingerprint: the ``fingerprint.noise`` of the runs it was measured with: a judge's values vary as here only if
            that judge judges such a pipeline.
        pipeline_fingerprint: the part of it that no judge is in: by it the other metrics are held to.
        date: when it was measured.
        repeats: how often.
        metrics: by the metric's text.
        cases: for every case whose value changed, by metric: how often two runs disagree about it.
    """

    format: Literal[1] = FORMAT
    fingerprint: Id
    pipeline_fingerprint: Id | None = None
    date: str
    repeats: Annotated[int, pydantic.Field(ge=2, le=10**4)]
    metrics: dict[Id, MetricNoise]
    cases: dict[Id, dict[Id, Rate]] = {}
