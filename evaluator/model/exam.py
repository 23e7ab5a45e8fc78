"""exam.json: what compare hands to gate and report and comparison.json has no place for (design section 8)."""

from typing import Annotated, Literal

import pydantic

from evaluator.model.base import FORMAT, Id, Strings, Value
from evaluator.model.comparison import Exam
from evaluator.model.exhibits import Exhibits
from evaluator.model.run import History
from evaluator.model.verdicts import Verdict


class CaseSpread(Value):
    """What is known of how a case varies.

    Attributes:
        sd: its standard deviation from run to run.
        df: the degrees of freedom by which that is known.
        kurtosis: the excess kurtosis of the difference between two runs.
    """

    sd: float
    df: int
    kurtosis: float = 0.0


class Noisy(Value):
    """What chance makes of a noisy metric.

    ``tail`` is how often it may exceed its limit in one row, ``spreads`` what was measured, by category; None where
    nothing was, so that a row is tested by sign flips.
    """

    tail: float
    spreads: dict[str, CaseSpread] | None = None


class Spread(Value):
    """Mean and nearest-rank percentiles."""

    mean: float
    p50: float
    p95: float


class SpreadRow(Value):
    """How an amount without bounds is spread over the paired cases, or without a baseline over all (``n`` of them)."""

    metric: Id
    n: int
    baseline: Spread | None
    candidate: Spread | None


class Unsupported(Value):
    """A claim of a case that is unsupported now and was not before.

    ``again`` are further verdicts on it. ``chunk`` and ``quote`` supported the claim in the baseline, if it was there.
    """

    id: Id
    claim: str
    verdict: Verdict
    reason: str
    again: Annotated[tuple[Verdict, ...], pydantic.Field(strict=False)] = ()
    chunk: str | None = None
    quote: str | None = None


class Regressed(Value):
    """A paired case of which some metric fell, beside the ranks of its chunks.

    ``before`` is the baseline's own diagnosis, None where it gave none. ``facts`` are the texts of required facts that
    stood in the context and do not now, ``answer_facts`` the same of the answer, as the judge says. ``answer`` and
    ``context`` are characters before and now, None where that is not known of both.
    """

    id: Id
    before: str | None = None
    facts: Strings = ()
    answer_facts: Strings = ()
    answer: Annotated[tuple[int, int], pydantic.Field(strict=False)] | None = None
    context: Annotated[tuple[int, int], pydantic.Field(strict=False)] | None = None


class ExamFile(Value):
    """The file.

    ``history`` is the anchor and its accompaniment as the baseline brought them, complete for every paired case whose
    labels are unchanged. ``values`` are the candidate's: metric -> case -> value, for every metric with a drop rule.
    ``alerts``, ``warnings``, ``spreads`` and ``uncommitted`` (the baseline is of a commit with uncommitted changes) are
    for the report, as are ``claims``, ``regressed``, ``doubts`` (what is to be said of judge and noise) and
    ``exhibits``. ``noise`` says of noisy metrics what a category has to exceed its anchor by.
    """

    format: Literal[1] = FORMAT
    exam: Exam
    history: History
    values: dict[str, dict[str, float]]
    categories: dict[str, str]
    alerts: Strings = ()
    warnings: Strings = ()
    spreads: Annotated[tuple[SpreadRow, ...], pydantic.Field(strict=False)] = ()
    uncommitted: bool = False
    claims: Annotated[tuple[Unsupported, ...], pydantic.Field(strict=False)] = ()
    doubts: Strings = ()
    noise: dict[str, Noisy] = {}
    regressed: Annotated[tuple[Regressed, ...], pydantic.Field(strict=False)] = ()
    exhibits: Exhibits = Exhibits()
