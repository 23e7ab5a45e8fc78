"""A case with its answer, as a judge is to see it: from what collect has just recorded, or from a run on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.judging.subject import Chunk, Fact, Subject, Wanted
from evaluator.model.record import union
from evaluator.stages import judgements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case, Labels
    from evaluator.model.record import Hit, Record
    from evaluator.model.score import Asked, Metric, MetricId
    from evaluator.stages.bench import Bench
    from evaluator.stores.runs import StoredCase

QUESTIONS = 3
"""Generated questions that are compared with the one that was asked."""


CONTEXT_ALONE = frozenset({"sufficiency", "recall", "useful"})
"""What a judge is asked of a context, whether there is an answer or not."""
NO_ANSWERS = (
    "the pipeline returned no answers, so there is nothing to judge; "
    "add pipeline.generator (kind builtin) or return an answer"
)


class Answered(NamedTuple):
    """One case. ``texts`` are those of its context, in order; None where one is not known.

    ``before`` is the baseline's answer to the same question, where it is to be compared; ``judged_in`` is the case's
    category there, where the baseline's judge was asked about it.
    """

    case: str
    question: str
    history: Sequence[Mapping[str, Any]]
    language: str
    labels: Labels
    answer: str | None
    reported: bool | None
    context: Sequence[str]
    texts: Sequence[str | None]
    failed: bool
    input_hash: str
    before: str | None = None
    judged_in: str | None = None

    def subject(self, bench: Bench, wanted: Wanted) -> Subject:
        """What the conversations with a judge are about."""
        labels = self.labels
        return Subject(
            case=self.case, question=self.question, prompts=bench.prompts, history=list(self.history),
            language=self.language, answer=self.answer, reported=self.reported,
            chunks=[Chunk(chunk, text or "") for chunk, text in zip(self.context, self.texts, strict=True)],
            lacks_text=any(text is None for text in self.texts), reference=labels.reference,
            facts=[Fact(fact.id, fact.text) for fact in labels.facts], against=self.before,
            seed=bench.config.seed or 0, window=bench.window, repeat=bench.repeat, wanted=wanted,
        )  # fmt: skip


class Measures(NamedTuple):
    """What is measured: the configuration, the metrics of it and their declarations."""

    config: Config
    metrics: Sequence[MetricId]
    declared: Mapping[str, Metric]

    @property
    def asks(self) -> frozenset[Asked]:
        """What a judge is asked for them."""
        return frozenset(part for metric in self.metrics for part in self.declared[metric.name].asks)

    @property
    def reads_baseline(self) -> bool:
        """Whether what the baseline says of a case decides what a judge is asked."""
        judge = self.config.judge
        return "preference" in self.asks or (judge is not None and judge.sample is not None)

    def wanted(self, labels: Labels) -> Wanted:
        """What is asked about a case: what its metrics read and, of a critical one, what its rules do."""
        asked = set(self.asks)
        if labels.critical and self.config.gate.critical.new_unsupported_claims is not None:
            asked.add("claims")
        has_reference = bool((labels.reference or "").strip())
        return Wanted(
            claims="claims" in asked, statements="statements" in asked and has_reference,
            sufficiency="sufficiency" in asked, recall="recall" in asked and has_reference, useful="useful" in asked,
            questions=QUESTIONS if "questions" in asked else 0,
        )  # fmt: skip


def makes_none(config: Config) -> bool:
    """Whether a pipeline can be told to return no answer by its configuration alone."""
    pipeline = config.pipeline
    if pipeline.kind == "builtin":
        return pipeline.generator is None
    fields = pipeline.http.fields if pipeline.kind == "http" and pipeline.http is not None else {}
    return bool(fields) and "answer" not in fields


def lack_answers(found: Sequence[Answered], measures: Measures) -> bool:
    """Whether there is nothing to judge, because no case has an answer; failed cases are another matter."""
    replied = [each for each in found if not each.failed]
    return bool(replied) and not measures.asks & CONTEXT_ALONE and all(each.answer is None for each in replied)


def of_record(case: Case, record: Record, config: Config, fixture: Fixture | None) -> Answered:
    """What collect recorded of a case; a chunk's own text in the record goes before the fixture's."""
    said = _by_id((*record.retrieved, *union(record.steps or ())))
    return Answered(
        case.id, case.question, [turn.model_dump(mode="json") for turn in case.history],
        case.language or config.language, case.labels, record.answer, record.abstained, record.context,
        [said[chunk].text if chunk in said else _stored(chunk, fixture) for chunk in record.context],
        record.failure is not None,
        record.input_hash,
    )  # fmt: skip


def of_stored(stored: StoredCase, labels: Labels) -> Answered:
    """What a run holds of a case."""
    case, said = stored.case, _by_id((*stored.retrieved, *stored.context_only))
    return Answered(
        case.id, case.question, case.history, case.language, labels, case.answer, case.abstained, case.context,
        [said[chunk].text if chunk in said else None for chunk in case.context], case.failure is not None,
        case.input_hash, judged_in=case.category if judgements.is_drawn(case.judgement) else None,
    )  # fmt: skip


def _by_id(hits: Sequence[Hit]) -> dict[str, Hit]:
    """The first of each id, as metrics see them: the ranking goes before what a step alone found."""
    return {hit.id: hit for hit in reversed(hits)}


def _stored(chunk: str, fixture: Fixture | None) -> str | None:
    known = fixture.by_id.get(chunk) if fixture is not None else None
    return known.text if known is not None else None
