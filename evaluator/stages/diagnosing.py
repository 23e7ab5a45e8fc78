"""What is known of a scored case, so that its failure can be diagnosed: from what scoring has at hand already."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from evaluator.comparison.claims import is_unsupported
from evaluator.comparison.diagnosis import LEAST_CORRECT, Evidence, diagnose
from evaluator.metrics import _judged, abstention, facts
from evaluator.model.score import NotApplicable, Scored
from evaluator.model.view import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.comparison.diagnosis import Known, Where
    from evaluator.model.fixture import Chunk, Fixture
    from evaluator.model.golden import Fact
    from evaluator.model.run import RunNeed
    from evaluator.model.score import Score
    from evaluator.model.view import CaseView
    from evaluator.stages.candidates import Candidates


FEW = 20
"""So many chunks are read for a fact before all are sorted by their words."""

_WORD = re.compile(r"\w{4,}")


class Diagnoser:
    """Diagnoses the cases of one run; ``places`` are those of the fixture's chunks in their documents."""

    def __init__(self, fixture: Fixture | None, places: Mapping[str, int]) -> None:
        self._fixture = fixture
        self._places = places
        self._stated: dict[tuple[tuple[str, ...], str], bool] = {}

    def of(self, view: CaseView, needs: Sequence[RunNeed]) -> str | None:
        """The cause why a case fails; None where it does not. ``needs`` are its own, as they were resolved."""
        if not view.asked:
            return None
        missing = () if view.failed else self._missing(view, needs)
        if not missing and not view.failed and view.answer is None and view.abstained is None:
            # Nothing else is known of a case without an answer, and most cases are such.
            return None
        known = Evidence(
            failed=view.failed, expects_abstention=view.labels.expect == "abstain", missing=missing,
            abstention=_known(abstention.METRIC.score(view, None)),
        )  # fmt: skip
        return diagnose(known if view.judgement is None or view.failed else _judged_too(known, view))

    def _missing(self, view: CaseView, needs: Sequence[RunNeed]) -> Sequence[Where]:
        lacking = _lacking(view, needs) if needs else ()
        if lacking:
            return [self._where(need) for need in lacking]
        return self._missing_facts(view) if view.labels.facts else ()

    def _where(self, need: RunNeed) -> Where:
        if need.rank is not None or need.found is not None:
            return "deeper"
        if self._fixture is None:
            # Nobody knows what else there is to be found.
            return "not retrieved"
        known = self._fixture.by_id
        return "not retrieved" if any(all(chunk in known for chunk in way) for way in need.chunks) else "nowhere"

    def _missing_facts(self, view: CaseView) -> Sequence[Where]:
        found, wanted = facts.facts_in(view, view.context), view.labels.facts
        lacking = [wanted[place] for place, each in enumerate(found) if not each.found and each.problem is None]
        if not lacking or (view.context and all(passage.text is None for _, passage in view.described(view.context))):
            return ()
        return [*(self._beside_needs(view, lacking) if view.needs else self._anywhere(view, lacking))]

    def _beside_needs(self, view: CaseView, lacking: Sequence[Fact]) -> Iterator[Where]:
        """Where facts are that should stand where the needs do: a document or an alternative has more chunks."""
        reached, retrieved = set(view.context), set(view.ranking)
        chunks = list(dict.fromkeys(chunk for need in view.needs for way in need.ways for chunk in way))
        if reached.issuperset(chunks):
            yield "unmatched"
            return
        for each in facts.find_facts(lacking, [(chunk, self._passage(view, chunk)) for chunk in chunks], view.language):
            if not each.found:
                yield "unmatched"
            else:
                yield "deeper" if retrieved.issuperset(each.chunks) else "not retrieved"

    def _passage(self, view: CaseView, chunk: str) -> Passage:
        known = self._fixture.by_id.get(chunk) if self._fixture is not None else None
        if known is None:
            return dict(view.described((chunk,)))[chunk]
        return Passage(known.doc, known.text, self._places.get(chunk))

    def _anywhere(self, view: CaseView, lacking: Sequence[Fact]) -> Iterator[Where]:
        """Where facts are of a case that names no needs."""
        for fact, each in zip(
            lacking, facts.find_facts(lacking, view.described(view.ranking), view.language), strict=True
        ):
            if each.found:
                yield "deeper"
            else:
                yield "not retrieved" if self._is_stated(fact, view.language) else "nowhere"

    def _is_stated(self, fact: Fact, language: str) -> bool:
        """Whether the fixture may state a fact; without one nobody knows that it does not."""
        if self._fixture is None:
            return True
        key = (fact.alternatives, language)
        if key not in self._stated:
            self._stated[key] = self._is_near_its_words(fact, language) or self._may_be_stated(fact, language)
        return self._stated[key]

    def _is_near_its_words(self, fact: Fact, language: str) -> bool:
        """Whether a chunk with the longest words of an alternative states a fact: most are found so at once."""
        for alternative in fact.alternatives:
            words = sorted(_WORD.findall(alternative.casefold()), key=len, reverse=True)
            near = self._folded if words else []
            for word in words:
                near = [each for each in near if word in each[1]]
                if len(near) <= FEW:
                    break
            passages = [(chunk.id, Passage(None, chunk.text)) for chunk, _ in near[:FEW]]
            if facts.find_facts([fact], passages, language)[0].found:
                return True
        return False

    def _may_be_stated(self, fact: Fact, language: str) -> bool:
        from evaluator.stages.lints import stated  # noqa: PLC0415 - only what is hard to find, or nowhere

        return stated.may_state(self._candidates, fact.alternatives, language)

    @cached_property
    def _folded(self) -> list[tuple[Chunk, str]]:
        chunks = self._fixture.chunks if self._fixture is not None else ()
        return [(chunk, chunk.text.casefold()) for chunk in chunks]

    @cached_property
    def _candidates(self) -> Candidates:
        from evaluator.stages.candidates import Candidates, passages_of  # noqa: PLC0415 - as above

        if self._fixture is None:
            raise AssertionError("facts are looked for in a fixture")
        return Candidates(passages_of(self._fixture))


def _lacking(view: CaseView, needs: Sequence[RunNeed]) -> Sequence[RunNeed]:
    """The needs that the context does not satisfy."""
    size = len(view.context)
    if view.ranking[:size] == [*view.context]:
        return [need for need in needs if need.rank is None or need.rank > size]
    reached = {index for _, found in view.context_gains.satisfactions for index in found}
    return [need for index, need in enumerate(needs) if index not in reached]


def _judged_too(known: Evidence, view: CaseView) -> Evidence:
    """With what a judge said of the answer. An abstention says nothing that could be wrong but itself."""
    if view.answer is None or abstention.did_abstain(view) is True:
        return known
    from evaluator.metrics import answer_completeness, answer_relevance, correctness  # noqa: PLC0415 - only tier full

    return known._replace(
        supported=_supported(view), consistent=_consistent(view),
        relevant=_known(answer_relevance.METRIC.score(view, None)),
        complete=_known(answer_completeness.METRIC.score(view, None)), has_facts=bool(view.labels.facts),
        correct=_known(correctness.METRIC.score(view, None), LEAST_CORRECT),
    )  # fmt: skip


def _known(score: Score, least: float = 1.0) -> Known:
    if isinstance(score, Scored):
        return "yes" if score.value >= least else "no"
    return "n/a" if isinstance(score, NotApplicable) else "unknown"


def _supported(view: CaseView) -> Known:
    try:
        claims = _judged.claims_of(view)
    except _judged.Settled as settled:
        # One claim that is known to be unsupported is enough, whatever could not be said of the others.
        return "no" if any(map(is_unsupported, view.claims or ())) else _known(settled.score)
    return "yes" if all(claim.verdict == "supported" for claim in claims) else "no"


def _consistent(view: CaseView) -> Known:
    if not _judged.has_reference(view.labels) or _judged.is_reference(view):
        return "n/a"
    if any(claim.verdict == "supported" and claim.reference == "contradicts" for claim in view.claims or ()):
        return "no"
    try:
        _judged.against_reference(view, _judged.claims_of(view))
    except _judged.Settled as settled:
        return _known(settled.score)
    return "yes"
