"""Paraphrase consistency: whether questions that ask the same in other words are answered alike."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from evaluator.metrics._judged import (
    NOT_ASKED,
    Settled,
    facts_of,
    has_reference,
    judged,
    judgement_of,
    statements_of,
)
from evaluator.metrics.abstention import NOT_DRAWN, did_abstain
from evaluator.model.score import Metric, NotApplicable, Unscored
from evaluator.model.view import Replied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.golden import Labels
    from evaluator.model.judgement import Judgement
    from evaluator.model.view import CaseView

NOTHING_SHARED = NotApplicable("the cases of the group share no facts and no reference")


def value(view: CaseView) -> float:
    """Share of the pairs that are answered alike; a pair with a failed member is not, and who was not drawn is in none.

    Pairs whose labels have nothing in common that an answer must contain are left out, as nothing tells them apart.
    """
    if not view.paraphrases:
        raise Settled(NotApplicable("not the root of a group of paraphrases"))
    if not (view.labels.facts or has_reference(view.labels) or view.labels.expect == "abstain"):
        raise Settled(NOTHING_SHARED)
    if not view.failed:
        judgement_of(view)
    root = None if view.failed else Replied((), view.labels, view.answer, view.abstained, view.judgement)
    members = [root, *(other for other in view.paraphrases if other is None or _is_drawn(other))]
    if len(members) == 1:
        raise Settled(NOT_DRAWN)
    found = [_are_alike(first, second) for first, second in itertools.combinations(members, 2)]
    alike = [each for each in found if each is not None]
    if not alike:
        raise Settled(NOTHING_SHARED)
    return sum(alike) / len(alike)


def _is_drawn(other: Replied) -> bool:
    return other.judgement is None or other.judgement.drawn


def _are_alike(first: Replied | None, second: Replied | None) -> bool | None:
    """Whether both abstained or both answered with the same facts; None where their labels do not let it be told."""
    if first is None or second is None:
        return False
    facts = _facts(_labels(first)).keys() & _facts(_labels(second)).keys()
    is_same_reference = _normal(_labels(first).reference) == _normal(_labels(second).reference) != ""
    is_expected = "answer" in (_labels(first).expect, _labels(second).expect)
    if not facts and not is_same_reference and is_expected:
        return None
    abstained = _abstained(first)
    if abstained != _abstained(second) or abstained:
        return abstained == _abstained(second)
    if facts:
        return _agree(_facts_said(first), _facts_said(second))
    return not is_same_reference or _agree(_statements_said(first), _statements_said(second))


def _agree(one: Mapping[str, bool] | None, other: Mapping[str, bool] | None) -> bool:
    """Whether both contain the same; None is an answer that contains everything."""
    if one is None or other is None:
        return all((one or {}).values()) and all((other or {}).values())
    shared = one.keys() & other.keys()
    if not shared:
        raise Settled(Unscored("the reference was taken apart in two ways"))
    return all(one[text] == other[text] for text in shared)


def _labels(replied: Replied) -> Labels:
    if replied.labels is None:
        raise Settled(NOT_ASKED)
    return replied.labels


def _abstained(replied: Replied) -> bool:
    abstained = did_abstain(replied)
    if not isinstance(abstained, bool):
        raise Settled(abstained)
    return abstained


def _facts(labels: Labels) -> dict[str, str]:
    """Ids of facts by what they say: the cases of a group number them each for itself."""
    return {_normal(fact.text): fact.id for fact in labels.facts}


def _facts_said(replied: Replied) -> Mapping[str, bool]:
    """Whether the answer contains each fact, by what that says; the text of the reference contains all."""
    labels, judgement = _labels(replied), _judgement(replied)
    if judgement.same:
        return dict.fromkeys(_facts(labels), True)
    said = facts_of(judgement, labels)
    return {text: said[fact] for text, fact in _facts(labels).items()}


def _statements_said(replied: Replied) -> Mapping[str, bool] | None:
    """Whether the answer contains each statement of the reference; None for its own text."""
    judgement = _judgement(replied)
    if judgement.same:
        return None
    return {_normal(each.text): each.answer == "present" for each in statements_of(judgement)}


def _judgement(replied: Replied) -> Judgement:
    if replied.judgement is None:
        raise Settled(NOT_ASKED)
    return replied.judgement


def _normal(text: str | None) -> str:
    return " ".join((text or "").casefold().split())


METRIC = Metric(
    name="paraphrase_consistency",
    title="how alike the answers to questions that ask the same are",
    formula="share of the pairs of a group that abstained alike and contain the same facts, or statements of the "
    "reference where they share no facts; 0 for a pair with a failed case; stored on the root",
    source="our own; after consistency of answers to paraphrases (Elazar et al. 2021)",
    score=judged(value),
    reads="judge",
    counts="facts",
    cutoff="none",
    group=True,
    asks=("statements",),
)
