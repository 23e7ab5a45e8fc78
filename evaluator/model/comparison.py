"""comparison.json: what changed between a baseline and a candidate (design sections 8 and 13)."""

from typing import Annotated, Any, Literal, TypeAlias

import pydantic

from evaluator.model.base import FORMAT, Id, Strings, Value
from evaluator.model.config import Gate, Rule
from evaluator.model.run import SelfReported

Status: TypeAlias = Literal[
    "unchanged",
    "within noise",
    "regressed",
    "improved",
    "too few cases",
    "not comparable",
    "new",
    "removed",
    "not evaluated",
]
Scope: TypeAlias = Literal["all", "category", "small"]


class Row(Value):
    """A metric's mean over the paired cases of one scope.

    ``tolerance`` is the rule's max_drop or max_rise (None: no rule names the row). Of noisy rows ``interval`` is the
    95 % bootstrap interval of ``delta``, and ``noise`` how far two equal runs may lie apart by chance, where that was
    measured. ``n`` counts the pairs scored on both sides.
    """

    scope: Scope
    category: str | None
    metric: Id
    baseline: float | None
    candidate: float | None
    delta: float | None
    interval: Annotated[tuple[float, float], pydantic.Field(strict=False)] | None = None
    n: int
    status: Status
    reason: str
    tolerance: float | None = None
    noise: float | None = None
    advisory: bool = False


class Lost(Value):
    """A need's chunk that fell in rank or out of the ranking (``rank_after`` None)."""

    need: str | dict[str, Any]
    chunk: str
    rank_before: int
    rank_after: int | None


class CaseChange(Value):
    """A case whose value of one metric changed.

    ``metric`` is a metric or, for a critical case, the name of a rule on critical cases.
    """

    id: Id
    metric: Id
    before: float | None
    after: float | None
    lost: Annotated[tuple[Lost, ...], pydantic.Field(strict=False)] = ()


class ConfigurationChange(Value):
    """A key of the configuration (or a fingerprint) that differs between the runs."""

    key: str
    before: Any
    after: Any


class Loosened(Value):
    """Something that made the exam easier, or a case that left it.

    Attributes:
        kind: rule (red under the baseline's exam, green under the candidate's), undecided (inconclusive under the
            baseline's exam only), removed (a case), flag (a critical flag).
        text: one sentence.
        case: the case it is about, if it is about one.
        metric: the metric of the row it is about, if it is about one.
        category: the row's category; None for the row ``all`` and the pooled small categories.
        candidate: the candidate's mean in that row under the baseline's exam.
        where: which keys of the configuration, or which labels, are to blame; of a case, where it stands.
        entry: what accepted.yml would have to say beside reason and date; None for what it cannot accept.
        accepted: the reason given in accepted.yml, None where it is not accepted.
    """

    kind: Literal["rule", "undecided", "removed", "flag"]
    text: str
    case: str | None = None
    metric: str | None = None
    category: str | None = None
    candidate: float | None = None
    where: str | None = None
    entry: dict[str, Any] | None = None
    accepted: str | None = None


class BaselineInfo(Value):
    """The run that was compared with."""

    commit: str | None
    created_at: str | None
    source: str
    suite: str


class Comparison(Value):
    """comparison.json. Holdout cases are in none of its lists.

    ``judged_changed`` are paired cases whose facts, reference or expect changed: what a judge says of them cannot be
    compared. ``changed`` holds them too, beside the cases that ask something else now.
    """

    format: Literal[1] = FORMAT
    baseline: BaselineInfo | None
    paired: int
    new: Strings
    removed: Strings
    changed: Strings
    judged_changed: Strings = ()
    configuration: Annotated[tuple[ConfigurationChange, ...], pydantic.Field(strict=False)]
    loosened: Annotated[tuple[Loosened, ...], pydantic.Field(strict=False)]
    rows: Annotated[tuple[Row, ...], pydantic.Field(strict=False)]
    cases: Annotated[tuple[CaseChange, ...], pydantic.Field(strict=False)]

    @property
    def asked_otherwise(self) -> tuple[str, ...]:
        """The changed cases that ask something else now."""
        return tuple(case for case in self.changed if case not in set(self.judged_changed))


class RuledRow(Value):
    """A row with what one rule needs beside the means.

    ``rule`` is the index of the rule. ``worse`` counts paired cases that got worse. ``floor`` is the candidate's mean
    over all its scored cases of the row (``floor_n`` of them), ``floor_before`` the baseline's. ``anchor`` is the mean
    of the anchor's values over the paired cases that have one, ``anchored`` the candidate's over the same cases, and
    ``anchor_worse`` counts those that fell below. ``unscored`` candidate cases could not be judged. ``accepted`` is the
    reason accepted.yml gives for a row that is gone. ``unenforced`` says why a judged row is not enforced (None: it is,
    or no judge decides it), ``taken_over`` that another judge enforced it in the baseline. ``unscored_before`` paired
    cases are scored now, and the baseline's judge could not score them. ``anchor_within`` says that the fall below the
    anchor is no more than noise makes, ``is_blind`` that noise could make any fall, however far.
    ``is_doubted``: it has too few cases for a test, and fell by more than chance makes, alone or with all such rows.
    ``floor_noise`` is how far ``floor`` may lie below ``floor_before`` by chance.
    ``inherited``: the base of the change had lost it already, and it is no worse now. ``self_reported``: it holds by
    what nobody but a stranger knows, which decides nothing.
    """

    rule: int
    row: Row
    worse: int = 0
    floor: float | None = None
    floor_n: int = 0
    floor_before: float | None = None
    floor_noise: float = 0.0
    unscored: int = 0
    anchor: float | None = None
    anchored: float | None = None
    anchor_worse: int = 0
    anchor_within: bool = False
    is_blind: bool = False
    is_doubted: bool = False
    accepted: str | None = None
    unenforced: str | None = None
    unscored_before: int = 0
    taken_over: bool = False
    inherited: bool = False
    self_reported: bool = False

    @property
    def is_noisy(self) -> bool:
        """Whether chance has a part in what is decided: such rows have an interval."""
        return self.row.interval is not None


class GatedRow(RuledRow):
    """A row that decides.

    ``at_worst`` is the row there would be, had each case that could not be judged the worst value; None where none is
    missing, or where there would be no such row.
    """

    at_worst: RuledRow | None = None


CriticalRule: TypeAlias = Literal[
    "lost_needs", "lost_facts", "lost_answer_facts", "wrong_abstention", "new_unsupported_claims"
]


class CriticalOutcome(Value):
    """One critical case under one critical rule.

    ``before`` and ``after`` are needs or facts in the context, facts in the answer, unsupported claims, or the
    abstention score. ``lost`` counts what was there and is not now, or unsupported claims that are new (None: not
    decided, see ``reason``). ``unconfirmed`` more may be: a judge has not been asked about them often enough.
    ``missing`` says that it could be decided before and cannot now. ``unenforced`` says why the judge that decides is
    not enforced (None: it is, or no judge decides).
    """

    id: Id
    rule: CriticalRule
    before: float | None
    after: float | None
    lost: int | None
    reason: str
    unconfirmed: int = 0
    missing: bool = False
    unenforced: str | None = None


class JudgeTerms(Value):
    """What decides how far a judge is believed; ``calibration`` is a digest of the file's contents."""

    min_kappa: float
    advisory: Literal["inconclusive", "pass"]
    sample: int | None
    seed: int | None
    calibration: str | None


class Judging(Value):
    """The half of an exam that a judge decides; tier retrieval has none.

    Attributes:
        terms: how far the judge is believed.
        metrics: the metrics it decides, abstention among them.
        has_baseline: whether the baseline was judged.
        pairable, paired: of the cases that both runs were asked alike, those not accepted as changed, and those whose
            facts, reference and expect are the same.
        judged, undrawn: of those, how many the baseline's judge was asked about, and of how many judge.sample left out
            now.
        stopped: why judging ended before it was done.
        lost: why there is nothing to compare with, or too little, although there was once; None: there is, or there
            never was.
    """

    terms: JudgeTerms
    metrics: Strings
    has_baseline: bool
    pairable: int = 0
    paired: int = 0
    judged: int = 0
    undrawn: int = 0
    stopped: str | None = None
    lost: str | None = None


class Exam(Value):
    """Everything the gate decides by: once under the candidate's rules and labels, once under the baseline's.

    ``rules`` are the ones that apply, each for one kind of row (see :func:`evaluator.comparison.rules.expand`), and
    ``origins`` the place of the rule each came from; ``written`` is false where they are defaults. ``failures`` of
    ``cases`` candidate cases that are not held out failed; ``all_failed`` looks at the holdout too. ``pairable`` counts
    the baseline's cases that are not held out and whose absence accepted.yml does not name; ``paired`` those of them
    that were. ``partial`` says what was left out on purpose (None: nothing); ``unasked`` cases, in none of these
    counts, had no time. ``judging`` is None in tier retrieval;
    ``unmeasured`` are the written rules on what only tier full measures, there. ``noise`` is a digest of the noise.json
    that the rows were held to (None: of none). ``lost`` says why there is no baseline, although there was one;
    ``inherits`` that something is no failure only because the base of the change had lost it already.
    ``self_reported`` is what is to be said of a stranger's records (None: they are our own), ``unjudged`` the metrics
    and rules that a judge would have decided and none was asked about.
    """

    gate: Gate
    written: bool
    rules: Annotated[tuple[Rule, ...], pydantic.Field(strict=False)]
    origins: Annotated[tuple[int, ...], pydantic.Field(strict=False)]
    rows: Annotated[tuple[GatedRow, ...], pydantic.Field(strict=False)]
    critical: Annotated[tuple[CriticalOutcome, ...], pydantic.Field(strict=False)]
    failures: int
    cases: int
    all_failed: bool
    pairable: int
    paired: int
    has_baseline: bool
    baseline_required: bool = False
    partial: str | None = None
    unasked: int = 0
    judging: Judging | None = None
    unmeasured: Annotated[tuple[Rule, ...], pydantic.Field(strict=False)] = ()
    noise: str | None = None
    lost: str | None = None
    inherits: bool = False
    self_reported: SelfReported | None = None
    unjudged: Strings = ()
