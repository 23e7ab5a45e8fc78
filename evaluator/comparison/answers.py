"""Critical cases whose question was asked several times: what a judge says of every answer, not of the first alone.

The first answer is the one that is judged again; each other was judged once. What most of the answers have lost is in
doubt for that reason. A decision to answer or to abstain that was mostly right and is mostly wrong is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison.suspicions import of_claim, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluator.comparison.critical import Held, Sides
    from evaluator.comparison.suspicions import State, Suspicion
    from evaluator.model.comparison import CriticalOutcome, CriticalRule

    Found = Sequence[Suspicion]

OF_FIRST: Mapping[State, bool | None] = {"lost": True, "open": None, "found": False, "never": True}
"""Whether the first answer has lost a thing, once it was judged again; None where that is not known."""


class Shown(NamedTuple):
    """In how many answers of this run something is lost.

    Attributes:
        name: the fact, a claim of one of them, or nothing.
        answers: of each answer, whether it has lost it; None where that is not known.
        number: so many such things more than half of the answers have lost, or may have.
        first: so many the first has lost, or may have, by the outcome that is about it alone.
    """

    name: str
    answers: Sequence[bool | None]
    number: int = 1
    first: int = 0

    @property
    def lost(self) -> int:
        """So many answers are known to have lost it."""
        return self.answers.count(True)

    @property
    def may_be_in_most(self) -> bool:
        """Whether more than half have lost it, or may have."""
        return 2 * (len(self.answers) - self.answers.count(False)) > len(self.answers)

    def __str__(self) -> str:
        upper = len(self.answers) - self.answers.count(False)
        return f"in {self.lost}{f' to {upper}' if upper > self.lost else ''} of {len(self.answers)} answers"


def counted(outcome: CriticalOutcome, sides: Sides, found: Found, words: tuple[str, str]) -> CriticalOutcome:
    """What the first answers come to, with what the others show.

    ``found`` is what the first may have lost; ``words`` say that something was lost, and that nothing was.
    """
    before, after = sides.before, sides.after
    if outcome.missing or not (after.others or (before is not None and before.others)):
        return outcome
    about = [each for each in found if each.rule == outcome.rule]
    shown = list(_SHOWN[outcome.rule](sides, about))
    if outcome.lost or outcome.unconfirmed:
        most = max((each for each in shown if each.first), key=lambda each: each.lost, default=None)
        outcome = outcome.but(reason=f"{outcome.reason} ({most})") if most is not None else outcome
    more = [each for each in shown if each.may_be_in_most and each.number > each.first]
    if not more:
        return outcome
    reasons = [f"{words[0]}, {each}{each.name and f': {each.name}'}" for each in more]
    reasons = [outcome.reason, *reasons] if outcome.reason != words[1] else reasons
    return outcome.but(
        lost=outcome.lost or 0, reason="; ".join(reasons),
        unconfirmed=outcome.unconfirmed + sum(each.number - each.first for each in more),
    )  # fmt: skip


def decided(outcome: CriticalOutcome, sides: Sides, found: Found, words: tuple[str, str]) -> CriticalOutcome:
    """The same of the decision to answer or to abstain: one that is mostly wrong is lost."""
    if outcome.lost is None or outcome.lost:
        return outcome if outcome.lost is None else counted(outcome, sides, found, words)
    told = counted(outcome, sides, found, words)
    shown = next(_decision(sides, [each for each in found if each.rule == outcome.rule]), None)
    if told == outcome or shown is None:
        return told
    if 2 * shown.lost > len(shown.answers):
        told = told.but(lost=1, unconfirmed=0, reason=f"{words[0]}, {shown}")
    sided = [each for held in (sides.before, sides.after) if held is not None for each in (held, *held.others)]
    is_judged = any(each.judged is not None and each.judged.decides for each in sided)
    return told.but(unenforced=sides.doubts.get(outcome.rule) if is_judged else None)


def _every(held: Held, others: Sequence[bool | None], *, first: bool | None) -> list[bool | None]:
    return [first] * (1 + held.alike) + [*others]


def _facts(sides: Sides, found: Found) -> Iterator[Shown]:
    before, after = sides.before, sides.after
    if before is None or before.judged is None or after.judged is None:
        return
    states = {each.name: each.state for each in found}
    never = {name for name, state in states.items() if state == "never"}
    then = before.judged.facts
    had = [None if then is None else then - never] * (1 + before.alike)
    had += [each.judged.facts for each in before.others if each.judged is not None]
    known = [facts for facts in had if facts is not None]
    for fact in sorted(frozenset(states).union(*known)):
        is_gone = states.get(fact) in ("lost", "open")
        if is_gone or 2 * sum(fact in facts for facts in known) > len(known):
            others = [_lacks(each, fact) for each in after.others]
            first = OF_FIRST[states[fact]] if fact in states else _once(after.judged.reads, _lacks(after, fact))
            yield Shown(short(fact), _every(after, others, first=first), first=int(is_gone))


def _once(is_said: bool, gone: bool | None) -> bool | None:  # noqa: FBT001 - what is said, and who says it
    """Whether the first answer has lost what was not judged again there: one verdict of a judge loses nothing."""
    return None if gone and is_said else gone


def _lacks(held: Held, fact: str) -> bool | None:
    facts = held.judged.facts if held.judged is not None else None
    return None if facts is None else fact not in facts


def _claims(sides: Sides, found: Found) -> Iterator[Shown]:
    if not sides.new_in:
        return
    new = [None if claims is None else [*map(of_claim, claims)] for claims in sides.new_in]
    gone = [None if each is None else [one for one in each if one.state in ("lost", "open")] for each in new]
    states = {each.state for each in (*found, *(new[0] or ()))}
    first = True if "lost" in states else None if "open" in states else False
    of_first = [each for each in found if each.state in ("lost", "open")]
    most = max(1, *(len(each) for each in gone if each is not None), len(of_first))
    others = [most if each is None else len(each) for each in gone[1:]]
    numbers = [max(len(gone[0] or ()), len(of_first))] * (1 + sides.after.alike) + others
    answers = _every(sides.after, [None if each is None else bool(each) for each in gone[1:]], first=first)
    named = next((one.text for each in gone[1:] for one in each or ()), "")
    # More than half have at least the number in the middle.
    yield Shown(short(named), answers, sorted(numbers, reverse=True)[len(numbers) // 2], len(of_first))


def _decision(sides: Sides, found: Found) -> Iterator[Shown]:
    before, after = sides.before, sides.after
    state = found[0].state if found else None
    if not sides.is_absolute:
        if before is None:
            return
        then = [0.0 if state == "never" else before.abstention] * (1 + before.alike)
        known = [each for each in (*then, *(each.abstention for each in before.others)) if each is not None]
        if 2 * sum(known) <= len(known):
            return
    is_said = after.judged is not None and after.judged.decides
    first = OF_FIRST[state] if state is not None else _once(is_said, _is_wrong(after))
    others = [*map(_is_wrong, after.others)]
    yield Shown("", _every(after, others, first=first), first=int(state in ("lost", "open")))


def _is_wrong(held: Held) -> bool | None:
    return None if held.abstention is None else held.abstention == 0


_SHOWN: Mapping[CriticalRule, Callable[[Sides, Found], Iterator[Shown]]] = {
    "lost_answer_facts": _facts, "new_unsupported_claims": _claims, "wrong_abstention": _decision,
}  # fmt: skip
