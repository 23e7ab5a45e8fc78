"""One case of a run: its record and its golden case made into what run.json holds."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.metrics import facts, scoring
from evaluator.model.record import Hit, union
from evaluator.model.run import RunCase, RunFact, RunNeed
from evaluator.model.score import NotApplicable, Unscored
from evaluator.stages.diagnosing import Diagnoser
from evaluator.stages.foreign import Foreign
from evaluator.stages.held import HeldCase
from evaluator.stages.paraphrases import ALONE
from evaluator.stages.steps import Walk
from evaluator.stores.runs import StoredCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.metrics.scoring import Quoted
    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.model.judgement import Judged
    from evaluator.model.record import Record
    from evaluator.model.run import FoundInStep
    from evaluator.model.score import Metric, MetricId, Score
    from evaluator.model.view import CaseView
    from evaluator.stages.paraphrases import Group

CLOCK = "a clock reading: see timing"


class Scorer:
    """Scores cases one by one and keeps what the run needs of them all.

    Attributes:
        texts: every text the cases name, by its key.
        places: index within its document of every chunk the cases name, where a fixture knows it; of every chunk of
            the fixture where the rankings are not inline.
        judged: what a judge said of cases, by id, for every time they were asked; empty where none was.
        quoted: what became of the quotes of all cases, where a fixture holds them; without it each case looks itself.
        foreign: text of the results that the fixture does not hold.
    """

    def __init__(
        self, config: Config, fixture: Fixture | None, metrics: Sequence[MetricId], declared: Mapping[str, Metric], *,
        latencies: Mapping[str, float], inline: bool,
    ) -> None:  # fmt: skip
        by_doc = fixture.by_doc if fixture is not None else {}
        self._all_places = {chunk: place for chunks in by_doc.values() for place, chunk in enumerate(chunks)}
        self.texts: dict[str, str] = {}
        self.quoted: Quoted | None = None
        self.judged: Sequence[Mapping[str, Judged]] = ()
        self.places: dict[str, int] = {} if inline else self._all_places
        self._language = config.language
        self._citations = config.citations.pattern if config.citations is not None else None
        self._fixture = fixture
        self._metrics = metrics
        self._declared = declared
        self._latencies = latencies
        self._inline = inline
        self._last: dict[str, tuple[str | None, str | None]] = {}
        self._diagnoser = Diagnoser(fixture, self._all_places)
        self.foreign = Foreign(fixture)

    def score(self, case: Case, record: Record, group: Group = ALONE) -> HeldCase:
        """Score one case, the root of a group or none; the scores include clock readings.

        Of a group only what was found the first time is read.
        """
        first, *others = (
            self._once(case, each, turn, ALONE if turn else group) for turn, each in enumerate(record.each())
        )
        if not others:
            return first
        whole = replace(first, repeats=tuple(others))
        return replace(whole, case=whole.case.but(**by_outcome(whole.means, self._declared)))

    def _once(self, case: Case, record: Record, turn: int, group: Group) -> HeldCase:
        """One of the times that the question was asked, from 0."""
        judged = self.judged[turn] if self.judged else {}
        context_only = tuple(self._context_only(record))
        stored = StoredCase(self._draft(case, record), record.retrieved, context_only)
        # A document or a quote may have been found by a step alone, and handed to the model all the same.
        hits = (*record.retrieved, *union(record.steps)) if record.steps else record.retrieved
        needs = scoring.resolve_needs(case.labels, fixture=self._fixture, hits=hits, quoted=self.quoted)
        view = scoring.view_of(
            stored, case.labels, needs, self._all_places, latency_ms=self._latencies.get(case.id),
            beside=scoring.Beside(self._citations, group.rankings, judged.get(case.id)),
        )  # fmt: skip
        metrics = self._metrics if not turn else [each for each in self._metrics if not self._declared[each.name].group]
        scores = scoring.score_case(view, metrics, self._declared)
        stated = _facts(view)
        self.foreign.take(case, record, view, stated)
        walked = self._walked(record, view)
        found = {
            **walked, "facts": stated, "paraphrases": group.ids, **_said(judged.get(case.id)),
            "diagnosis": self._diagnoser.of(view, walked["needs"]), **by_outcome(scores, self._declared),
        }  # fmt: skip
        return HeldCase(stored.case.but(**found), record.retrieved, context_only, view, scores)

    def _walked(self, record: Record, view: CaseView) -> dict[str, Any]:
        """The needs and, where the pipeline went in steps, what each of them and all together came to."""
        if record.steps is None:
            return {"needs": _needs(view, {}), "steps": None}
        walk = Walk(record.steps, view, self._all_places, self._declared)
        return {
            "needs": _needs(view, walk.found()),
            "steps": walk.scored(self._metrics),
            "gathered": walk.gathered(),
        }

    def _context_only(self, record: Record) -> Iterator[Hit]:
        if record.context == tuple(hit.id for hit in record.retrieved[: len(record.context)]):
            return  # the best of the ranking, as nearly always
        retrieved = {hit.id for hit in record.retrieved}
        missing = [chunk for chunk in dict.fromkeys(record.context) if chunk not in retrieved]
        in_steps = {hit.id: hit for hit in union(record.steps)} if missing and record.steps else {}
        for chunk in missing:
            known = self._fixture.by_id.get(chunk) if self._fixture is not None else None
            other = Hit(id=chunk, doc=known.doc, text=known.text) if known is not None else Hit(id=chunk)
            # What the pipeline says of it goes before what the fixture does, as in the ranking.
            yield in_steps.get(chunk, other)

    def _draft(self, case: Case, record: Record) -> RunCase:
        labels = case.labels
        return RunCase.known(
            id=case.id, category=case.category, critical=case.critical, split=case.split,
            language=case.language or self._language, question=case.question,
            history=tuple({"role": turn.role, "content": turn.content} for turn in case.history),
            input_hash=record.input_hash, labels_hash=labels.hash, labels=labels.written, needs=(), facts=(),
            scores={}, unscored={}, not_applicable={}, failure=record.failure, diagnosis=None, answer=record.answer,
            abstained=record.abstained, context=record.context, context_only=(), claims=None, judgement=None,
            steps=None, gathered=None, usage=record.usage, duplicates=record.duplicates, paraphrases=(),
            retrieved=None, repeats=(),
        )  # fmt: skip

    def written(self, scored: HeldCase) -> dict[str, Any]:
        """What run.json holds of a case with texts in it, keys in their place."""
        found: dict[str, Any] = {
            "context_only": self.keyed(scored.context_only),
            "retrieved": self.keyed(scored.retrieved) if self._inline else None,
        }
        if scored.repeats:
            found["repeats"] = [{**each.differing(), **self.written(each)} for each in scored.repeats]
        return found

    def keyed(self, hits: Iterable[Hit]) -> list[dict[str, Any]]:
        """Results as run.json holds them, with keys for texts.

        Raises:
            FileProblem: two different texts have one key.
        """
        found = []
        for hit in hits:
            # A chunk has the same text in nearly every case, so that comparing is enough.
            last = self._last.get(hit.id)
            key = last[1] if last is not None and last[0] == hit.text else self._noted(hit)
            found.append({**vars(hit), "text": key})
        return found

    def _noted(self, hit: Hit) -> str | None:
        key = key_of(hit.text, self.texts)
        self._last[hit.id] = (hit.text, key)
        if hit.id in self._all_places:
            self.places[hit.id] = self._all_places[hit.id]
        return key


def key_of(text: str | None, known: dict[str, str]) -> str | None:
    """The key by which a text stands once in a run, noted among the known ones; None of none.

    Raises:
        FileProblem: another text has that key.
    """
    if text is None:
        return None
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    if known.setdefault(key, text) != text:
        raise errors.FileProblem(f"two different texts have the key {key}: one of them was made to")
    return key


def _said(judged: Judged | None) -> dict[str, Any]:
    """What a judge said of the case, as run.json holds it."""
    if judged is None:
        return {}
    from evaluator.model import judgement  # noqa: PLC0415 - only a run that is judged pays for it

    return judgement.write(judged)


def by_outcome(scores: Mapping[MetricId, Score], declared: Mapping[str, Metric]) -> dict[str, dict[str, Any]]:
    """Values, and reasons where there are none, as a case of run.json holds them."""
    values: dict[str, float | None] = {}
    unscored: dict[str, str] = {}
    absent: dict[str, str] = {}
    for metric, score in scores.items():
        name = str(metric)
        values[name] = None
        if isinstance(score, NotApplicable):
            absent[name] = score.reason
        elif isinstance(score, Unscored):
            unscored[name] = score.reason
        elif declared[metric.name].reads == "clock":
            absent[name] = CLOCK
        else:
            values[name] = score.value
    return {"scores": values, "unscored": unscored, "not_applicable": absent}


def _needs(view: CaseView, found_in: Mapping[int, FoundInStep]) -> tuple[RunNeed, ...]:
    rank_of = {need: rank for rank, needs in view.gains.satisfactions for need in needs}
    return tuple(
        RunNeed(
            need=need.to_golden(),
            chunks=found.ways,
            digest=found.digest,
            grade=found.grade,
            rank=rank_of.get(index),
            found=found_in.get(index),
        )
        for index, (need, found) in enumerate(zip(view.labels.relevant, view.needs, strict=True))
    )


def _facts(view: CaseView) -> tuple[RunFact, ...]:
    return tuple(
        RunFact(
            fact=found.fact,
            found=found.found,
            chunks=found.chunks,
            rank=found.rank,
            span=facts.span_in(view, found),
            how=found.how,
        )
        for found in facts.facts_in(view, view.context)
    )
