"""What a paired case lost of which some metric fell: facts, and length of the answer and of what the model got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics import scoring
from evaluator.model.exam import Regressed

if TYPE_CHECKING:
    from evaluator.model.run import RunCase
    from evaluator.model.view import CaseView

Pair = tuple[int, int]


def told(theirs: RunCase, before: CaseView, after: CaseView) -> Regressed:
    """The case in both runs under the candidate's labels; ``theirs`` is as the baseline holds it."""
    reached = set(scoring.facts_in_context(after))
    texts = {fact.id: fact.text for fact in after.labels.facts}
    return Regressed(
        id=theirs.id,
        before=theirs.diagnosis,
        facts=tuple(texts.get(fact, fact) for fact in scoring.facts_in_context(before) if fact not in reached),
        answer_facts=tuple(_lost_from_answer(before, after)),
        answer=_answers(before, after),
        context=_contexts(before, after),
    )


def _lost_from_answer(before: CaseView, after: CaseView) -> list[str]:
    """In golden order; none where a judge did not say it of both."""
    if before.judgement is None or after.judgement is None:
        return []
    then, now = map(scoring.facts_in_answer, (before, after))
    if not isinstance(then, frozenset) or not isinstance(now, frozenset):
        return []
    return [fact.text for fact in after.labels.facts if fact.id in then - now]


def _answers(before: CaseView, after: CaseView) -> Pair | None:
    if before.answer is None or after.answer is None:
        return None
    return len(before.answer), len(after.answer)


def _contexts(before: CaseView, after: CaseView) -> Pair | None:
    then, now = (_size(view) for view in (before, after))
    return None if then is None or now is None else (then, now)


def _size(view: CaseView) -> int | None:
    """Characters of what the model got; None where not every text is known."""
    texts = [passage.text for _, passage in view.described(view.context)]
    known = [text for text in texts if text is not None]
    return sum(map(len, known)) if len(known) == len(texts) else None
