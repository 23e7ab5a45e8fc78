"""Has a judge judge the answers of a run: about which cases it is asked what, and what it came to (section 9)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from evaluator.judging import case as conversations
from evaluator.judging.requesting import INTERRUPTED
from evaluator.judging.subject import Chunk, Fact, Subject, Wanted
from evaluator.model.judgement import Judged, Judgement
from evaluator.model.record import union
from evaluator.model.score import Unscored
from evaluator.stages.bench import Bench
from evaluator.stages.judged_run import JudgedRun, interrupted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.config import Config
    from evaluator.model.config import Judge as JudgeConfig
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.model.record import Record
    from evaluator.model.score import Asked, Metric, MetricId
    from evaluator.stages.workspace import Workspace

QUESTIONS = 3
"""Generated questions that are compared with the one that was asked."""


class Judgeable(NamedTuple):
    """What is judged by: the suite as score read it."""

    config: Config
    cases: Sequence[Case]
    fixture: Fixture | None
    metrics: Sequence[MetricId]
    declared: Mapping[str, Metric]


def judge_run(workspace: Workspace, suite: Judgeable, answered: Iterable[tuple[Case, Record]]) -> JudgedRun:
    """Judge every answer that is to be judged. After an interrupt it returns what there is; ``info.stopped`` says so.

    Raises:
        UsageError: the judge's key is missing, or there is no such provider.
        JudgeError: the judge can answer nothing.
        TemplateError: a prompt does not render.
    """
    with Bench(workspace) as bench:
        drawn = frozenset(sampled(suite.cases, bench.config))
        subjects = [
            _subject(suite, case, record, bench)
            for case, record in answered
            if record.failure is None and case.id in drawn
        ]
        found = bench.ask({subject.case: conversations.conversation(subject) for subject in subjects})
        asked = {subject.case: subject.question for subject in subjects}
        found = {case: _with_similarities(judged, asked[case], bench) for case, judged in found.items()}
        left_out = {case.id: Judged(None, Judgement(drawn=False)) for case in suite.cases if case.id not in drawn}
        return JudgedRun(
            left_out | found, bench.info(), bench.spent(), bench.fingerprint(suite.declared),
            _interrupted(found, bench),
        )  # fmt: skip


def _interrupted(found: Mapping[str, Judged], bench: Bench) -> str | None:
    """What a person is told whose interrupt ended the judging; None where none did."""
    if bench.info().stopped != INTERRUPTED:
        return None
    done = sum(INTERRUPTED not in judged.judgement.unscored.values() for judged in found.values())
    return interrupted(done, len(found))


def sampled(cases: Iterable[Case], judge: JudgeConfig) -> Iterator[str]:
    """The cases that ``judge.sample`` draws: of each category the critical ones and, up to its number, others.

    Those are the first by a hash over seed and id, so that two runs draw the same.
    """
    if judge.sample is None:
        yield from (case.id for case in cases)
        return
    by_category: dict[str, list[Case]] = {}
    for case in cases:
        by_category.setdefault(case.category, []).append(case)
    for members in by_category.values():
        critical = [case.id for case in members if case.critical]
        others = sorted((case.id for case in members if not case.critical), key=lambda each: _drawn(judge.seed, each))
        yield from critical
        yield from others[: max(0, judge.sample - len(critical))]


def _drawn(seed: int | None, case: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{case}".encode()).digest()


def _subject(suite: Judgeable, case: Case, record: Record, bench: Bench) -> Subject:
    config = suite.config
    context = [(chunk, _text(chunk, record, suite.fixture)) for chunk in record.context]
    return Subject(
        case=case.id, question=case.question, prompts=bench.prompts,
        history=[turn.model_dump(mode="json") for turn in case.history], language=case.language or config.language,
        answer=record.answer, reported=record.abstained, chunks=[Chunk(chunk, text or "") for chunk, text in context],
        lacks_text=any(text is None for _, text in context),
        reference=case.reference, facts=[Fact(fact.id, fact.text) for fact in case.facts], expect=case.expect,
        seed=bench.config.seed or 0, window=bench.window, wanted=wanted(suite, case),
    )  # fmt: skip


def wanted(suite: Judgeable, case: Case) -> Wanted:
    """What is asked about a case: what its metrics read and, of a critical one, what its rules do."""
    asked: set[Asked] = {part for metric in suite.metrics for part in suite.declared[metric.name].asks}
    if case.critical and suite.config.gate.critical.new_unsupported_claims is not None:
        asked.add("claims")
    has_reference = bool((case.reference or "").strip())
    return Wanted(
        claims="claims" in asked, statements="statements" in asked and has_reference,
        sufficiency="sufficiency" in asked, recall="recall" in asked and has_reference, useful="useful" in asked,
        questions=QUESTIONS if "questions" in asked else 0,
    )  # fmt: skip


def _text(chunk: str, record: Record, fixture: Fixture | None) -> str | None:
    """A chunk of the context as the model got it: what the record says of it goes before what the fixture does."""
    said = (hit.text for hit in (*record.retrieved, *union(record.steps or ())) if hit.id == chunk)
    known = next((text for text in said if text is not None), None)
    if known is None and fixture is not None and chunk in fixture.by_id:
        return fixture.by_id[chunk].text
    return known


def _with_similarities(judged: Judged, question: str, bench: Bench) -> Judged:
    """With the cosines of the generated questions to the one that was asked, where there are any."""
    judgement = judged.judgement
    if not judgement.questions:
        return judged
    found = bench.similarities(question, judgement.questions)
    if isinstance(found, Unscored):
        return judged._replace(judgement=judgement.but(unscored={**judgement.unscored, "embedding": found.reason}))
    return judged._replace(judgement=judgement.but(similarities=found))
