"""Groups of paraphrases that disagree: which question of a group is answered worse than another one of it, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison.sheet import EPSILON
from evaluator.model.exhibits import Difference, Worse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from evaluator.model.exhibits import Behaviour


class Member(NamedTuple):
    """One question of a group in one run.

    Attributes:
        id: its case.
        behaviour: what the pipeline did.
        is_right: whether it answered or abstained as expected; None where that is not known.
        context: its required facts, by text, and whether they are in the context.
        answer: the same for the answer; empty where no judge said so.
        values: of the metrics that rules name.
    """

    id: str
    behaviour: Behaviour
    is_right: bool | None
    context: Mapping[str, bool]
    answer: Mapping[str, bool]
    values: Mapping[str, float]


def worse(root: str, members: Sequence[Member], lower: Collection[str]) -> Iterator[Worse]:
    """Each member that some other one surpasses; ``lower`` are metrics of which less is better."""
    for member in members:
        found = [*_behaviour(member, members), *_facts(member, members), *_values(member, members, lower)]
        if found:
            yield Worse(root=root, id=member.id, differences=tuple(found))


def size(found: Worse) -> float:
    """How much worse a member is: what it should have done, its facts and its values weigh alike."""
    return sum(_size(difference) for difference in found.differences)


def _size(difference: Difference) -> float:
    if difference.value is None or difference.other_value is None:
        return 1.0
    return abs(difference.other_value - difference.value)


def _behaviour(member: Member, members: Sequence[Member]) -> Iterator[Difference]:
    right = next((other for other in members if other.is_right), None)
    if member.is_right is False and right is not None:
        yield Difference(kind="behaviour", other=right.id, behaviour=member.behaviour, other_behaviour=right.behaviour)


def _facts(member: Member, members: Sequence[Member]) -> Iterator[Difference]:
    context = _most_lacking([(other.id, member.context, other.context) for other in members])
    if context is not None:
        yield Difference(kind="context", other=context[0], facts=context[1])
    answer = _most_lacking([(other.id, member.answer, other.answer) for other in members])
    if answer is not None:
        yield Difference(kind="answer", other=answer[0], facts=answer[1])


def _most_lacking(
    beside: Sequence[tuple[str, Mapping[str, bool], Mapping[str, bool]]],
) -> tuple[str, tuple[str, ...]] | None:
    """The other member that has most of what is lacking, with the facts."""
    lacking = [
        (other, tuple(fact for fact, found in mine.items() if not found and theirs.get(fact)))
        for other, mine, theirs in beside
    ]
    most = max(lacking, key=lambda found: len(found[1]))
    return most if most[1] else None


def _values(member: Member, members: Sequence[Member], lower: Collection[str]) -> Iterator[Difference]:
    for metric, value in member.values.items():
        sign = -1 if metric in lower else 1
        known = [other for other in members if metric in other.values]
        best = max(known, key=lambda other: sign * other.values[metric])
        if sign * (best.values[metric] - value) > EPSILON:
            yield Difference(
                kind="value", other=best.id, metric=metric, value=value, other_value=best.values[metric]
            )  # fmt: skip
