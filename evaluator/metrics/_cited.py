"""Which claims the citations of an answer stand with (docs/metrics.md, "Citations")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._citations import find_citations
from evaluator.metrics._judged import Settled, claims_of, judgement_of
from evaluator.model.score import Unscored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.metrics._citations import Citation
    from evaluator.model.judgement import Claim
    from evaluator.model.view import CaseView


class Cited(NamedTuple):
    """A chunk that is cited with a sentence, counted from 1; not ``known`` is one that the context does not hold."""

    sentence: int
    name: str
    known: bool


class Sentence(NamedTuple):
    """Where a sentence stands in the answer, from and to."""

    start: int
    end: int


class CitedClaims(NamedTuple):
    """The claims of an answer and what it cites, each once a sentence."""

    claims: Sequence[Claim]
    citations: Sequence[Cited]

    def supports(self, citation: Cited) -> bool:
        """Whether a citation supports any claim of its sentence."""
        return citation.known and any(
            citation.name in claim.chunks and self.is_cited(claim)
            for claim in self.claims
            if claim.sentence == citation.sentence
        )

    def is_cited(self, claim: Claim) -> bool:
        """Whether what supports a claim is cited with it: any such chunk, or all that only do so together."""
        if claim.verdict != "supported" or not claim.chunks:
            return False
        cited = {each.name for each in self.citations if each.known and each.sentence == claim.sentence}
        return cited.issuperset(claim.chunks) if claim.jointly else not cited.isdisjoint(claim.chunks)


def cited_claims(view: CaseView) -> CitedClaims:
    """The claims of an answer with its citations.

    Raises:
        Settled: there are no claims, or they could not be judged; the pattern of citations took too long.
    """
    claims = claims_of(view)
    try:
        found = find_citations(view)
    except TimeoutError:
        raise Settled(Unscored("citations.pattern took too long")) from None
    answer = view.answer or ""
    sentences = _places(answer, judgement_of(view).sentences) if found else ()
    return CitedClaims(claims, list(dict.fromkeys(_standing(answer, found, sentences))))


def _places(answer: str, sentences: Sequence[str]) -> Sequence[Sentence]:
    """Where each sentence stands in the answer, white space aside.

    Raises:
        Settled: they are not the sentences of this answer.
    """
    where = [place for place, character in enumerate(answer) if not character.isspace()]
    squeezed, begin = "".join(answer[place] for place in where), 0
    found = []
    for sentence in sentences:
        bare = "".join(sentence.split())
        start = squeezed.find(bare, begin)
        begin = start + len(bare)
        if start >= 0 and bare:
            found.append(Sentence(where[start], where[begin - 1] + 1))
    if not found or len(found) < len(sentences):
        raise Settled(Unscored("the judged sentences are not those of the answer"))
    return found


def _standing(answer: str, found: Sequence[Citation], sentences: Sequence[Sentence]) -> Iterator[Cited]:
    """Each citation with its sentence.

    That is the one it stands in. What begins a sentence on the line where another ended belongs to that other, as in
    ``Within 30 days. [1] Shipping is free.``, and so does what stands in no sentence of words.
    """
    marks = {place for citation in found for place in range(citation.start, citation.end)}
    for citation in found:
        number = max(sum(sentence.start <= citation.start for sentence in sentences), 1)
        while number > 1 and _is_of_previous(answer, marks, citation, sentences[number - 2 : number]):
            number -= 1
        yield Cited(number, citation.name, citation.known)


def _is_of_previous(answer: str, marks: set[int], citation: Citation, sentences: Sequence[Sentence]) -> bool:
    """Whether a citation in or after the second of two sentences belongs to the first."""
    previous, own = sentences

    def says(start: int, end: int) -> bool:
        return any(answer[place].isalnum() for place in range(start, end) if place not in marks)

    if not says(own.start, own.end):
        return True
    return not says(own.start, citation.start) and "\n" not in answer[previous.end : citation.start]
