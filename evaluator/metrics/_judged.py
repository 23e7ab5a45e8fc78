"""What the judged metrics share: what must be known first (docs/metrics.md, "Judged metrics")."""

from __future__ import annotations

import math
from functools import wraps
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._answers import NO_ANSWER, of_failed
from evaluator.metrics.abstention import NOT_DRAWN, did_abstain
from evaluator.model.score import NotApplicable, Score, Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluator.model.golden import Labels
    from evaluator.model.judgement import Claim, Judgement, Statement
    from evaluator.model.verdicts import Part
    from evaluator.model.view import CaseView

NOT_ASKED = Unscored("no judge was asked")
NO_REFERENCE = NotApplicable("no reference")
NO_CLAIMS = NotApplicable("the answer claims nothing")
NO_TEXT = NotApplicable("no chunk text")
ABSTAINED = NotApplicable("the pipeline abstained")
NONE_EXPECTED = NotApplicable("no answer was expected")


class Settled(Exception):
    """The score of a case is known, or known to be none, before all that the metric reads was looked at."""

    def __init__(self, score: Score) -> None:
        self.score = score
        super().__init__(score)


def judged(value: Callable[[CaseView], float]) -> Callable[[CaseView, int | None], Score]:
    """The ``score`` of a metric from its value, which may raise :class:`Settled`."""

    @wraps(value)
    def score(view: CaseView, _k: int | None) -> Score:
        try:
            return Scored(value(view))
        except Settled as settled:
            return settled.score

    return score


def lacking(judgement: Judgement, *parts: Part) -> Settled:
    """That the judge gave no answer to any of these questions, with the first reason that is stored."""
    reasons = [judgement.unscored[part] for part in parts if part in judgement.unscored]
    return Settled(Unscored(reasons[0] if reasons else "the judge was not asked for it"))


def judgement_of(view: CaseView) -> Judgement:
    """What the judge said of a case that it was asked about.

    Raises:
        Settled: nobody asked, or the case was not drawn.
    """
    if view.judgement is None:
        raise Settled(NOT_ASKED)
    if not view.judgement.drawn:
        raise Settled(NOT_DRAWN)
    return view.judgement


def of_answer(view: CaseView) -> Judgement:
    """What the judge said of a case that has an answer.

    Raises:
        Settled: the pipeline failed or gave no answer; as :func:`judgement_of`.
    """
    if view.failed:
        raise Settled(of_failed(view))
    if view.answer is None:
        raise Settled(NO_ANSWER)
    return judgement_of(view)


def of_expected(view: CaseView) -> Judgement:
    """What the judge said of an answer where one was expected.

    Raises:
        Settled: none was expected; the pipeline abstained, which is 0, or nobody knows whether it did; as
            :func:`of_answer`.
    """
    if view.labels.expect == "abstain":
        raise Settled(NONE_EXPECTED)
    judgement = of_answer(view)
    abstained = did_abstain(view)
    if not isinstance(abstained, bool):
        raise Settled(abstained)
    if abstained:
        raise Settled(Scored(0.0))
    return judgement


def is_reference(view: CaseView) -> bool:
    """Whether the answer that was expected was given word for word, so that nothing of it needs to be judged."""
    if view.failed or view.labels.expect == "abstain" or not has_reference(view.labels):
        return False
    return view.judgement is not None and view.judgement.drawn and view.judgement.same


def has_reference(labels: Labels) -> bool:
    """Whether there is a reference to hold an answer against."""
    return labels.reference is not None and bool(labels.reference.strip())


def require_reference(view: CaseView) -> None:
    """Go on only with a reference.

    Raises:
        Settled: there is none.
    """
    if not has_reference(view.labels):
        raise Settled(NO_REFERENCE)


def has_text(view: CaseView) -> bool:
    """Whether anything stands in the context; blank chunks are nothing.

    Raises:
        Settled: there are chunks, and of none is the text known.
    """
    texts = [passage.text for _, passage in view.described(view.context)]
    if texts and all(text is None for text in texts):
        raise Settled(NO_TEXT)
    return any(text is not None and text.strip() for text in texts)


def claims_listed(view: CaseView) -> Sequence[Claim]:
    """What the answer claims, whatever the context says of it.

    Raises:
        Settled: nobody knows.
    """
    if view.claims is None or (view.judgement is not None and "claims" in view.judgement.unscored):
        raise lacking(judgement_of(view), "claims")
    return view.claims


def claims_of(view: CaseView) -> Sequence[Claim]:
    """The claims of an answer that is no abstention, at least one, each held against the context.

    Where the context is empty nothing supports them. Whether the pipeline abstained need not be known: what was claimed
    and judged counts unless it is known that it did.

    Raises:
        Settled: it abstained or claimed nothing; something of it could not be judged; as :func:`of_answer`.
    """
    judgement = of_answer(view)
    if did_abstain(view) is True:
        raise Settled(ABSTAINED)
    claims = claims_listed(view)
    if not claims:
        raise Settled(NO_CLAIMS)
    if has_text(view) and any(claim.verdict is None for claim in claims):
        raise lacking(judgement, "context")
    return claims


def against_reference(view: CaseView, claims: Sequence[Claim]) -> list[str]:
    """What the reference says of each claim.

    Raises:
        Settled: that could not be judged of all of them.
    """
    if is_reference(view):
        return ["in_reference"] * len(claims)
    found = [claim.reference for claim in claims if claim.reference is not None]
    if len(found) < len(claims):
        raise lacking(judgement_of(view), "statements", "answer")
    return [*found]


def statements_of(judgement: Judgement) -> Sequence[Statement]:
    """The statements of the reference, each with what the answer says of it.

    Raises:
        Settled: that could not be had of all of them.
    """
    if not judgement.statements or any(each.answer is None for each in judgement.statements):
        raise lacking(judgement, "statements", "answer")
    return judgement.statements


def facts_of(judgement: Judgement, labels: Labels) -> Mapping[str, bool]:
    """Whether the answer contains each required fact, by its id.

    Raises:
        Settled: that could not be judged of all of them.
    """
    said = {each.fact: each.present for each in judgement.facts}
    if any(fact.id not in said for fact in labels.facts):
        raise lacking(judgement, "answer")
    return {fact.id: said[fact.id] for fact in labels.facts}


class Use(NamedTuple):
    """Whether each chunk of the context, in its order, is of use for the question."""

    useful: Sequence[bool]

    @property
    def share(self) -> float:
        """Useful chunks over all."""
        return sum(self.useful) / len(self.useful) if self.useful else 0.0

    @property
    def precision(self) -> float:
        """Mean over the places of useful chunks of the share of useful ones down to there."""
        places = [place for place, useful in enumerate(self.useful, 1) if useful]
        found = [number / place for number, place in enumerate(places, 1)]
        return math.fsum(found) / len(found) if found else 0.0


def use_of(view: CaseView) -> Use:
    """What the judge said of the chunks; a blank or repeated one is of no use. A failed case has none.

    Raises:
        Settled: a chunk could not be judged, or nobody asked.
    """
    if view.failed:
        return Use(())
    judgement = judgement_of(view)
    if not has_text(view):
        return Use(())
    said = {each.chunk: each.useful for each in judgement.useful}
    found, seen = [], set[str]()
    for chunk, passage in view.described(view.context):
        is_judged = chunk not in seen and passage.text is not None and bool(passage.text.strip())
        if is_judged and chunk not in said:
            raise lacking(judgement, "context")
        found.append(is_judged and said[chunk])
        seen.add(chunk)
    return Use(found)
