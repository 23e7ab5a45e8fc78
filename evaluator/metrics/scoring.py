"""From stored values to scores: resolves needs, makes the view the metrics read, and computes each metric once."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluator.metrics import _judged, facts, quotes
from evaluator.model.golden import Need
from evaluator.model.score import NotApplicable, Score, Scored, Summary, Unscored
from evaluator.model.view import CaseView, Passage, ResolvedNeed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Labels
    from evaluator.model.judgement import Judged
    from evaluator.model.record import Hit
    from evaluator.model.run import RunCase, RunNeed
    from evaluator.model.score import Metric, MetricId
    from evaluator.model.view import Paraphrases, Way

    Quoted = Mapping[str, quotes.Found]
    """What became of quotes, by their normal form."""

FAILED = NotApplicable("the pipeline failed")
NOT_ASKED = Unscored("there was no time to ask")


class InvalidScore(AssertionError):
    """A metric gave a value it may never give: a fault of ours, not of a case."""


class Stored(Protocol):
    """A case of a run with what it retrieved, and what else the model got, texts included."""

    @property
    def case(self) -> RunCase:
        """The case."""
        ...

    @property
    def retrieved(self) -> Sequence[Hit]:
        """The ranking."""
        ...

    @property
    def context_only(self) -> Sequence[Hit]:
        """What is in the context and not in the ranking."""
        ...


class Passages(Mapping[str, Passage]):
    """Results by id, the first of a repeated id. What nobody asks for is not made: most metrics ask for none."""

    def __init__(self, hits: Sequence[Hit], places: Mapping[str, int]) -> None:
        self._hits = hits
        self._places = places

    @cached_property
    def _by_id(self) -> dict[str, Hit]:
        return {hit.id: hit for hit in reversed(self._hits)}

    def __getitem__(self, chunk: str) -> Passage:
        hit = self._by_id[chunk]
        return Passage(hit.doc, hit.text, self._places.get(chunk))

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)


def resolve_needs(
    labels: Labels, *, fixture: Fixture | None, hits: Sequence[Hit], quoted: Quoted | None = None
) -> tuple[ResolvedNeed, ...]:
    """Every way of satisfying each need of some labels, in their order.

    A document is satisfied by any of its chunks, a quote by those that hold it: without a fixture by those that were
    retrieved, so that the need has no ways where none was. ``quoted`` holds what was resolved before, of all labels at
    once, because that takes no longer than one.
    """
    if fixture is None:
        return _resolve_among(labels.relevant, hits)
    if quoted is None:
        quoted = quotes.resolve(labels.relevant, fixture)
    chunks = fixture.by_id
    return tuple(
        _resolved(
            need, _ways(need, fixture.by_doc, quoted), lambda chunk: chunks[chunk].text if chunk in chunks else None
        )
        for need in labels.relevant
    )


def _resolve_among(needs: Sequence[Need], hits: Sequence[Hit]) -> tuple[ResolvedNeed, ...]:
    texts = {hit.id: hit.text for hit in reversed(hits)} if needs else {}
    docs = _documents(hits) if any(need.doc is not None for need in needs) else {}
    found = []
    for need in needs:
        ways = quotes.ways_among(need.quote, hits) if need.quote is not None else _ways(need, docs, {})
        # The chunks of a document or a quote are not all known, and those that were retrieved differ from run to run.
        is_listed = need.doc is None and need.quote is None
        found.append(_resolved(need, ways, texts.get if is_listed else lambda _: None))
    return tuple(found)


def needs_under(
    case: RunCase, labels: Labels, known: Mapping[Any, Sequence[Way]], hits: Sequence[Hit]
) -> tuple[ResolvedNeed, ...]:
    """The needs of any labels as they are in a stored run.

    A need the run resolved keeps its ways; another takes those in ``known`` (``Need.declared()`` -> ways), else the ids
    it names, for a document or a quote the results that ``hits`` hold of it.
    """
    stored = {_declared(need): need for need in case.needs}
    found = []
    for need in labels.relevant:
        own = stored.get(need.declared())
        if own is not None:
            found.append(ResolvedNeed(own.chunks, need.grade, own.digest))
        elif (ways := known.get(need.declared())) is not None:
            found.append(_resolved(need, tuple(ways), {hit.id: hit.text for hit in hits}.get))
        else:
            found.extend(_resolve_among((need,), hits))
    return tuple(found)


def _declared(need: RunNeed) -> tuple[str, Any]:
    return ("chunk", need.need) if isinstance(need.need, str) else Need.model_validate(need.need).declared()


def _documents(hits: Sequence[Hit]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for hit in hits:
        if hit.doc is not None:
            found.setdefault(hit.doc, {})[hit.id] = None
    return {doc: tuple(chunks) for doc, chunks in found.items()}


def _ways(need: Need, by_doc: Mapping[str, Sequence[str]], quoted: Quoted) -> tuple[Way, ...]:
    if need.chunk is not None:
        return ((need.chunk,),)
    if need.any_of is not None:
        return tuple((chunk,) for chunk in dict.fromkeys(need.any_of))
    if need.doc is not None:
        return tuple((chunk,) for chunk in by_doc.get(need.doc, ()))
    _, form = need.declared()
    return quoted[form].ways if form in quoted else ()


def _resolved(need: Need, ways: tuple[Way, ...], text_of: Callable[[str], str | None]) -> ResolvedNeed:
    return ResolvedNeed(ways, need.grade, _digest(ways, text_of))


def _digest(ways: Iterable[Way], text_of: Callable[[str], str | None]) -> str | None:
    """Over the texts of all chunks; None where one is unknown: what a run happened to retrieve is no re-chunking."""
    texts = [text_of(chunk) for chunk in dict.fromkeys(chunk for way in ways for chunk in way)]
    known = [text for text in texts if text is not None]
    if not known or len(known) < len(texts):
        return None
    return hashlib.sha256(b"".join(map(_sha256, known))).hexdigest()


@lru_cache(maxsize=8192)
def _sha256(text: str) -> bytes:
    """Of what a reader sees: an invisible edit is no other chunking, which would take rules on ranks out of force."""
    return hashlib.sha256(as_seen(text).encode()).digest()


def as_seen(text: str) -> str:
    """What a reader sees of a text, whatever its white space."""
    unseen = [] if text.isascii() else [each for each in set(text) if unicodedata.category(each) == "Cf"]
    for each in unseen:
        text = text.replace(each, "")
    return "".join(text.split())


class Beside(NamedTuple):
    """What a case is measured by that is not in it: the run's pattern of citations, paraphrases, and a judge's word."""

    citations: str | None = None
    paraphrases: Paraphrases = ()
    judged: Judged | None = None


ALONE = Beside()


def view_of(
    stored: Stored,
    labels: Labels,
    needs: Sequence[ResolvedNeed],
    places: Mapping[str, int],
    *,
    latency_ms: float | None = None,
    beside: Beside = ALONE,
) -> CaseView:
    """The view of a stored case under any labels, with their needs; a failed case has retrieved nothing.

    ``places`` gives a chunk's index within its document, where it is known.
    """
    case = stored.case
    failed = case.failure is not None
    claims, judgement = beside.judged or (None, None)
    hits = (*stored.retrieved, *stored.context_only)
    return CaseView(
        labels=labels, needs=needs, passages=Passages(hits, places), language=case.language,
        ranking=() if failed else [hit.id for hit in stored.retrieved], context=() if failed else case.context,
        answer=case.answer, abstained=case.abstained, usage=case.usage, latency_ms=latency_ms,
        failed=failed, asked=not case.is_unasked, case=case.id, citations=beside.citations,
        paraphrases=beside.paraphrases, judgement=judgement, claims=claims,
    )  # fmt: skip


def facts_in_context(view: CaseView) -> tuple[str, ...]:
    """Ids of the required facts that the context states."""
    return tuple(fact.fact for fact in facts.facts_in(view, view.context) if fact.found)


def facts_in_answer(view: CaseView) -> frozenset[str] | NotApplicable | Unscored:
    """Ids of the required facts that the answer contains by the judge's word; a failed or empty one contains none."""
    every = frozenset(fact.id for fact in view.labels.facts)
    if view.failed or not every or (view.answer is not None and not view.answer.strip()):
        return frozenset()
    try:
        judgement = _judged.of_answer(view)
        if judgement.sure or judgement.same:
            return every if judgement.same else frozenset()
        present = _judged.facts_of(judgement, view.labels)
    except _judged.Settled as settled:
        return frozenset() if isinstance(settled.score, Scored) else settled.score
    return frozenset(fact for fact in every if present[fact])


def score_case(view: CaseView, ids: Iterable[MetricId], metrics: Mapping[str, Metric]) -> dict[MetricId, Score]:
    """Every metric that is asked for.

    Where the pipeline failed, bounded metrics that the labels make applicable are at their worst and all others are not
    applicable. Where there was no time to ask it, nothing is known of either.

    Raises:
        InvalidScore: a value is not finite, or a bounded one is outside [0, 1].
    """
    found: dict[MetricId, Score] = {}
    failed = view.failed
    for metric in ids:
        name, k = metric
        declared = metrics[name]
        score = _of_failed(view, metric, declared) if failed else declared.score(view, k)
        if isinstance(score, Scored) and not (0 <= score.value <= 1 or _is_allowed(score.value, declared)):
            raise InvalidScore(f"{metric} of case {view.case!r} is {score.value!r}, which it may never be")
        found[metric] = score
    return found


def _of_failed(view: CaseView, metric: MetricId, declared: Metric) -> Score:
    score = declared.score(view, metric.k) if declared.bounded else FAILED
    if not view.asked and not isinstance(score, NotApplicable):
        return NOT_ASKED
    if declared.group or isinstance(score, NotApplicable):
        return score
    return Scored(0.0 if declared.higher_is_better else 1.0)


def _is_allowed(value: float, declared: Metric) -> bool:
    """Whether a value outside [0, 1] is what it may be."""
    return not declared.bounded and math.isfinite(value)


def summarise(scores: Iterable[Score]) -> Summary:
    """Mean of what was scored, how many that is, and how many cases the metric applies to."""
    listed = list(scores)
    values = [score.value for score in listed if isinstance(score, Scored)]
    others = len(listed) - len(values)
    absent = sum(isinstance(score, NotApplicable) for score in listed) if others else 0
    return Summary(math.fsum(values) / len(values) if values else None, len(values), len(listed) - absent)
