"""rag-assay.yml as values: every key of the contract, with its default (design section 12).

Keys whose work comes later are parsed here and refused by :mod:`evaluator.config`, never ignored. Defaults that are
values themselves are made by ``model_construct``: validating them would build a validator each, at import.
"""

from typing import Annotated, Any, Literal, Self

import pydantic

from evaluator.model.base import Id, Strings, Value

Fraction = Annotated[float, pydantic.Field(ge=0, le=1)]
Positive = Annotated[int, pydantic.Field(ge=1)]
PositiveNumber = Annotated[float, pydantic.Field(gt=0)]
NonNegative = Annotated[float, pydantic.Field(ge=0)]
Limit = Annotated[int, pydantic.Field(ge=0)] | None


class Bm25(Value):
    """BM25 parameters; ``stem: false`` compares words as they stand."""

    k1: NonNegative = 1.5
    b: Fraction = 0.75
    stem: bool = True


class Hybrid(Value):
    """Reciprocal rank fusion of BM25 and dense retrieval."""

    bm25: Bm25 = Bm25.model_construct()
    k: Positive = 60


class Retriever(Value):
    """``bm25``, ``dense`` or ``hybrid``, or one of them with parameters; exactly one is set."""

    bm25: Bm25 | None = None
    dense: Literal[True] | None = None
    hybrid: Hybrid | None = None

    @pydantic.model_validator(mode="before")
    @classmethod
    def _accept_names(cls, value: Any) -> Any:
        defaults = {"bm25": {"bm25": {}}, "dense": {"dense": True}, "hybrid": {"hybrid": {}}}
        if isinstance(value, str) and value not in defaults:
            raise ValueError(f"retriever {value!r} is not one of bm25, dense, hybrid")
        return defaults[value] if isinstance(value, str) else value

    @pydantic.model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(part is not None for part in (self.bm25, self.dense, self.hybrid)) != 1:
            raise ValueError("retriever is exactly one of bm25, dense, hybrid")
        return self


class Limits(Value):
    """What a worker of the pipeline may use."""

    memory_mb: Positive = 4096
    processes: Positive = 256


class PythonTarget(Value):
    """``module:callable``, where to import it from and which interpreter runs it (None: our own)."""

    target: Annotated[str, pydantic.StringConstraints(pattern=r"^[\w.]+:[\w.]+$")]
    path: Strings = ()
    python: str | None = None


class Command(Value):
    """A long-lived process that answers JSON lines."""

    run: Annotated[tuple[str, ...], pydantic.Field(strict=False, min_length=1)]


class Http(Value):
    """An HTTP endpoint."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = {}
    body: Any = None
    fields: dict[str, str] = {}


class Recorded(Value):
    """A file of responses."""

    file: str


class Prices(Value):
    """USD per million tokens; ``cached`` are those read from a provider's cache (None: as any other input)."""

    input: NonNegative
    output: NonNegative
    cached: NonNegative | None = None


class Generator(Value):
    """A prompt template and the model that answers it: what makes the builtin pipeline answer."""

    template: Id
    provider: Id
    model: Id
    api_key_env: Id | None = None
    base_url: str | None = None
    max_tokens: Positive = 1024


class Embeddings(Value):
    """The model that embeds questions for answer_relevance_embedding."""

    provider: Id
    model: Id
    api_key_env: Id | None = None
    base_url: str | None = None


class Judge(Value):
    """The model that judges answers, what it may cost, and how far it is believed.

    ``window`` is how many tokens it reads at once, where its provider does not know the model.
    """

    provider: Id
    model: Id
    base_url: str | None = None
    api_key_env: Id | None = None
    prompts: str | None = None
    max_concurrency: Annotated[int, pydantic.Field(ge=1, le=256)] = 16
    timeout: PositiveNumber = 60.0
    deadline: PositiveNumber = 3600.0
    seed: int | None = 0
    max_cost_usd: NonNegative | None = 5.0
    prices: Prices | None = None
    window: Positive | None = None
    embeddings: Embeddings | None = None
    min_kappa: Annotated[float, pydantic.Field(ge=-1, le=1)] = 0.6
    calibration: str | None = None
    advisory: Literal["inconclusive", "pass"] = "inconclusive"
    cache: str = ".rag-assay/judge-cache.sqlite"
    sample: Positive | None = None
    when: Strings = ()
    rescore_baseline: bool = False


class Pipeline(Value):
    """The system under test; the section of its kind must be there (builtin needs none)."""

    kind: Literal["builtin", "python", "command", "http", "recorded"] = "builtin"
    retriever: Retriever = Retriever.model_construct(bm25=Bm25.model_construct())
    generator: Generator | None = None
    python: PythonTarget | None = None
    command: Command | None = None
    http: Http | None = None
    recorded: Recorded | None = None
    workers: Annotated[int, pydantic.Field(ge=1, le=64)] = 1
    repeats: Positive = 1
    timeout: PositiveNumber = 60.0
    limits: Limits = Limits.model_construct()
    env: Strings = ()
    version: str | None = None

    @pydantic.model_validator(mode="after")
    def _has_its_section(self) -> Self:
        if self.kind != "builtin" and getattr(self, self.kind) is None:
            raise ValueError(f"pipeline.kind is {self.kind}, so pipeline.{self.kind} must be given")
        return self


class Rule(Value):
    """One gate rule: a metric, where it is read, and what its mean may not do."""

    metric: Id
    per: Literal["all", "category"] = "all"
    max_drop: NonNegative | None = None
    min_lost: Positive | None = None
    min: float | None = None
    max_rise: NonNegative | Annotated[str, pydantic.StringConstraints(pattern=r"^\d+(\.\d+)?%$")] | None = None
    at: Literal["mean", "p50", "p95"] = "mean"
    min_win: Fraction | None = None
    optional: bool = False

    @pydantic.model_validator(mode="after")
    def _says_something(self) -> Self:
        if all(part is None for part in (self.max_drop, self.min, self.max_rise, self.min_win)):
            raise ValueError("a rule needs at least one of max_drop, min, max_rise, min_win")
        if self.min_lost is not None and self.max_drop is None:
            raise ValueError("min_lost only makes sense beside max_drop")
        return self


class Critical(Value):
    """How much a single critical case may lose; null switches a rule off."""

    lost_needs: Limit = 0
    lost_facts: Limit = 0
    lost_answer_facts: Limit = 0
    wrong_abstention: Limit = 0
    new_unsupported_claims: Limit = 0


class Drift(Value):
    """How far a row may fall below its anchor over any number of accepted runs."""

    max_drop: NonNegative = 0.05


class Gate(Value):
    """The rules a run is decided by. ``rules`` is None where none were written: the defaults apply."""

    rules: Annotated[tuple[Rule, ...], pydantic.Field(strict=False)] | None = None
    critical: Critical = Critical.model_construct()
    min_cases: Positive = 5
    max_unscored: Fraction = 0.05
    max_failures: Fraction = 0.05
    floor_policy: Literal["strict", "no_worse"] = "strict"
    drift: Drift = Drift.model_construct()
    alpha: Annotated[float, pydantic.Field(gt=0, lt=1)] = 0.05
    correction: Literal["holm"] = "holm"


class Baseline(Value):
    """Where the last accepted run is found."""

    branch: str | None = None
    accept: Literal["on-pass", "manual", "always"] = "on-pass"
    file: str | None = None
    required: bool = False


class Check(Value):
    """Codes of ``check`` that are not reported."""

    ignore: Strings = ()


class ReportSettings(Value):
    """How much the report shows."""

    max_examples: Positive = 10
    html: bool = True
    language: str = "en"


class Citations(Value):
    """How an answer marks what it cites: a regular expression whose group ``id`` holds what is named."""

    pattern: Id


class Config(Value):
    """The whole configuration. Paths are as written: relative to the configuration's folder."""

    suite: Annotated[str, pydantic.StringConstraints(min_length=1, max_length=200)]
    when: Strings = ()
    golden: Annotated[tuple[str, ...], pydantic.Field(strict=False, min_length=1)]
    fixture: str | None = None
    language: str = "en"
    k: Positive = 5
    metrics: Annotated[tuple[str, ...], pydantic.Field(strict=False)] | None = None
    pipeline: Pipeline = Pipeline.model_construct()
    citations: Citations | None = None
    judge: Judge | None = None
    gate: Gate = Gate.model_construct()
    noise: str | None = None
    accepted: str | None = None
    baseline: Baseline = Baseline.model_construct()
    check: Check = Check.model_construct()
    report: ReportSettings = ReportSettings.model_construct()

    @pydantic.field_validator("golden", mode="before")
    @classmethod
    def _one_file_is_a_list(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @pydantic.field_validator("when")
    @classmethod
    def _only_known_wildcards(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for glob in value:
            # Read as it stands it would name nothing, and so no change would ever be measured.
            if unknown := set(glob) & set("{}[]!\\"):
                raise ValueError(
                    f"{glob!r} has {min(unknown)}; a glob has *, ? and **, and everything else stands for itself"
                )
        return value

    @pydantic.model_validator(mode="after")
    def _builtin_needs_a_fixture(self) -> Self:
        if self.pipeline.kind == "builtin" and self.fixture is None:
            raise ValueError("pipeline.kind builtin searches the fixture, so fixture must be given")
        return self
