"""run.json: everything needed to explain or re-score a run without running it again (design section 13)."""

from typing import Annotated, Any, Literal, TypeAlias

import pydantic

from evaluator.model.base import FORMAT, Id, Strings, Value
from evaluator.model.calibration import Calibration
from evaluator.model.noise import Noise
from evaluator.model.record import Failure

MAX_INLINE_CASES = 5000
"""Above so many cases run.json names records.jsonl by digest instead of holding rankings."""

How: TypeAlias = Literal["text", "regex", "stems", "characters"]
"""How a fact was found: as it is written, by a pattern, by word stems, or by characters."""


class FoundInStep(Value):
    """Where a step of an agentic pipeline found something; both count from 1."""

    step: int
    rank: int


class RunNeed(Value):
    """A need as it was resolved in this run's own fixture.

    ``rank`` is where ``retrieved`` satisfied it, ``found`` where all steps together first did.
    """

    need: str | dict[str, Any]
    chunks: Annotated[tuple[Strings, ...], pydantic.Field(strict=False)]
    digest: str | None
    grade: int
    rank: int | None
    found: FoundInStep | None = None


class RunStep(Value):
    """A step of an agentic pipeline; ``scores`` are of the configured metrics that read a ranking, over its own."""

    query: str
    retrieved: Strings
    scores: dict[str, float | None]


class Gathered(Value):
    """Recall, hit and fact coverage of all steps together, and of what reached the model."""

    union: dict[str, float | None]
    context: dict[str, float | None]


class RunFact(Value):
    """A required fact in the context.

    ``chunks`` are the chunk, or the two chunks in document order, that state it, and ``rank`` completes them. ``span``
    is where it starts in the text of the first and ends in that of the last, in characters from 0, the end excluded;
    None where it was not found, or where that cannot be told.
    """

    fact: Id
    found: bool
    chunks: Strings
    rank: int | None
    span: Annotated[tuple[int, int], pydantic.Field(strict=False)] | None
    how: How | None


class RunHit(Value):
    """A retrieved result; ``text`` is a key of the run's ``texts``."""

    id: Id
    doc: str | None
    score: float | None
    text: str | None


class RunCase(Value):
    """One case of a run.

    ``retrieved`` is None where the run points to records.jsonl instead. ``context_only`` holds what the model got
    although it was not retrieved (a parent passage, say). ``paraphrases`` are the cases that name this one as the root
    of their group, of the same split. ``claims`` and ``judgement`` are what a judge said, as JSON of
    :mod:`evaluator.model.judgement`: only a run that was judged pays for checking them. ``repeats`` are the further
    times that the question was asked, each with the fields of a case that may differ then; ``scores`` are means over
    all, everything else here is of the first.
    """

    id: Id
    category: Id
    critical: bool
    split: Literal["dev", "holdout"]
    language: str
    question: str
    history: Annotated[tuple[dict[str, str], ...], pydantic.Field(strict=False)] = ()
    input_hash: str
    labels_hash: str
    labels: dict[str, Any]
    needs: Annotated[tuple[RunNeed, ...], pydantic.Field(strict=False)]
    facts: Annotated[tuple[RunFact, ...], pydantic.Field(strict=False)] = ()
    scores: dict[str, float | None]
    unscored: dict[str, str]
    not_applicable: dict[str, str]
    failure: Failure | None
    diagnosis: str | None
    answer: str | None
    abstained: bool | None
    context: Strings
    context_only: Annotated[tuple[RunHit, ...], pydantic.Field(strict=False)] = ()
    claims: Annotated[tuple[dict[str, Any], ...], pydantic.Field(strict=False)] | None = None
    judgement: dict[str, Any] | None = None
    steps: Annotated[tuple[RunStep, ...], pydantic.Field(strict=False)] | None
    gathered: Gathered | None = None
    usage: dict[str, Any] | None
    duplicates: Strings
    paraphrases: Strings = ()
    retrieved: Annotated[tuple[RunHit, ...], pydantic.Field(strict=False)] | None
    repeats: Annotated[tuple[dict[str, Any], ...], pydantic.Field(strict=False)] = ()

    @property
    def is_unasked(self) -> bool:
        """Whether there was no time for the case."""
        return self.failure is not None and self.failure.is_unasked


class SummaryValue(Value):
    """A mean over the scored cases (``n``) of those the metric applies to (``of``)."""

    mean: float | None
    n: int
    of: int


class RunSummary(Value):
    """Means over all cases that are not held out, per category, and over the holdout apart."""

    all: dict[str, SummaryValue]
    categories: dict[str, dict[str, SummaryValue]]
    holdout: dict[str, SummaryValue]


class RecordsFile(Value):
    """The file that holds a large run's rankings, beside run.json."""

    file: str
    sha256: str


class History(Value):
    """What drift is measured against; filled by gate.

    ``anchor``: metric -> case id -> value. ``pending``: metric -> categories whose row exceeded the anchor once.
    ``chain``: the accepted runs it came through, oldest first. ``judge``: the fingerprint of the judge whose word the
    judged metrics' anchors are; None where no run that was handed on was judged.
    """

    anchor: dict[str, dict[str, float]] = {}
    pending: dict[str, Strings] = {}
    chain: Strings = ()
    judge: str | None = None


class JudgeInfo(Value):
    """Who judged a run.

    ``model`` is what was asked for, ``answered`` every model as the API named it in its replies. ``adapted`` are
    sentences about parameters that the model refused and that were left out, ``prompts`` digests by language.
    ``stopped`` says why judging ended before it was done (budget, deadline, interrupt); None where it was done.
    ``against`` is the SHA-256 of the run that answers and claims were held beside, None where there was none.
    """

    provider: Id
    model: Id
    answered: Strings = ()
    adapted: Strings = ()
    prompts: dict[str, str] = {}
    stopped: str | None = None
    against: str | None = None


class SelfReported(Value):
    """That the records of a run were uploaded by a stranger's own run, and how far what was measured of them goes.

    Attributes:
        not_judged: why no judge was asked although the configuration has one; None where one was, or there is none.
        other_fixture: whether the stranger's run says that it searched another fixture than the one it is measured by.
        unvouched: names of metrics, without cut-off, that read what nobody but the stranger knows: times, costs, and
            the text of results where there is no fixture.
    """

    not_judged: str | None = None
    other_fixture: bool = False
    unvouched: Strings = ()


class RunHead(Value):
    """Everything of run.json but its cases, ``texts`` (key -> text) and ``places`` (chunk id -> index in its document).

    ``timing`` holds all that differs between two identical runs: started_at, latencies and the values of metrics
    that read the clock (``timing["scores"][metric][case]``, ``timing["summary"]``). ``judge`` is None where none
    judged; ``calibration`` and ``noise`` are what judge.calibration and noise held when the run was scored, so that a
    later run can be held to them. ``self_reported`` is None of a run that this repository made itself.
    """

    format: Literal[1] = FORMAT
    tool: str
    suite: str
    tier: Literal["retrieval", "full"]
    commit: str | None
    fingerprint: dict[str, str]
    config: dict[str, Any]
    records: RecordsFile | None = None
    judge: JudgeInfo | None = None
    calibration: Calibration | None = None
    noise: Noise | None = None
    self_reported: SelfReported | None = None
    summary: RunSummary
    timing: dict[str, Any]
    history: History
