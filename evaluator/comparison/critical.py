"""Critical cases: what a single case may not lose, whatever the means do."""

from __future__ import annotations

import itertools
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import answers, claims
from evaluator.comparison.suspicions import State, Suspicion, of_claim, short
from evaluator.model.comparison import CriticalOutcome, CriticalRule
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluator.comparison.claims import NewClaim
    from evaluator.model.judgement import Claim, Further


class JudgedCase(NamedTuple):
    """What a judge said of a case in one run.

    Attributes:
        facts: ids of the required facts that the answer contains; None where that is not known.
        claims: the claims of the answer, none where it abstains; None where they or their verdicts are not known.
        reason: why something is not known.
        decides: whether it is the judge who says that the case abstained or did not.
        broke: whether a judge was asked and gave no usable reply.
        failed: whether the pipeline did.
        reads: whether it is the judge who says which facts the answer contains.
        known: all claims that were judged, those of an abstention too.
        further: what further judgings say of a fact, by its id, and by "" of whether it rightly abstained or answered.
    """

    facts: frozenset[str] | None
    claims: Sequence[Claim] | None
    reason: str = ""
    decides: bool = False
    broke: bool = False
    failed: bool = False
    reads: bool = False
    known: Sequence[Claim] = ()
    further: Mapping[str, Further] = {}

    def again(self, name: str) -> tuple[bool, ...]:
        """What further judgings say of this answer."""
        return self.further[name].again if name in self.further else ()

    def before(self, name: str) -> tuple[bool, ...]:
        """What further judgings say of the baseline's answer."""
        return self.further[name].before if name in self.further else ()


class Held(NamedTuple):
    """What one run had of a case: needs and facts in its context, by name, and the abstention score (None: unknown).

    ``judged`` is None where no judge was asked. Where one was, it is about the first answer, as ``abstention`` is;
    ``alike`` further answers are that one again, and ``others`` what is known of those that are not.
    """

    needs: frozenset[str]
    facts: frozenset[str]
    abstention: float | None
    judged: JudgedCase | None = None
    alike: int = 0
    others: tuple[Held, ...] = ()


class Sides(NamedTuple):
    """One critical case in both runs.

    Attributes:
        case: its id.
        before: None for a case that is not paired; its ``judged`` is None where that cannot be compared.
        after: this run.
        missing: why ``before`` is None, or the judged part of it.
        is_absolute: whether there was never anything to compare an abstention with.
        new_claims: unsupported claims that were not before.
        new_in: where a question was asked several times, those of the first answer and of each other one that were not
            in most answers before; None where they are not known.
        doubts: why the judge is not enforced for the case, by rule; no entry where it is.
    """

    case: str
    before: Held | None
    after: Held
    missing: str = ""
    is_absolute: bool = False
    new_claims: Sequence[NewClaim] = ()
    new_in: Sequence[Sequence[NewClaim] | None] = ()
    doubts: Mapping[str, str] = {}


HELD: dict[CriticalRule, Callable[[Held], frozenset[str]]] = {
    "lost_needs": attrgetter("needs"),
    "lost_facts": attrgetter("facts"),
}
RULES: tuple[CriticalRule, ...] = (*HELD, "wrong_abstention")
JUDGED_RULES: tuple[CriticalRule, ...] = ("lost_answer_facts", "new_unsupported_claims")
"""Rules about a critical case that only a judge can decide."""

READ_FROM: Mapping[CriticalRule, str] = {
    "lost_answer_facts": "answer_completeness",
    "new_unsupported_claims": "faithfulness",
    "wrong_abstention": "abstention",
}
"""Rule -> the metric by which the judge that decides it is calibrated."""


class _Words(NamedTuple):
    """How a rule is told: what was lost, what may be, and what a judge says of a thing that was not lost."""

    lost: str
    may_be: str
    there: str
    nothing: str = "nothing was lost"


_WORDS: Mapping[CriticalRule, _Words] = {
    "lost_answer_facts": _Words("no longer in the answer", "lost fact", "present"),
    "new_unsupported_claims": _Words(
        "new and unsupported", "new unsupported claim", "supported", "no claim is new and unsupported"
    ),
    "wrong_abstention": _Words(
        "answered where it should abstain, or abstained where it should answer", "wrong abstention", "right"
    ),
}


def in_most(found: Sequence[frozenset[str]]) -> frozenset[str]:
    """What is in more than half of some sets: a case that is asked several times had what it mostly had."""
    times = Counter(itertools.chain(*found))
    return frozenset(name for name, count in times.items() if 2 * count > len(found))


def outcomes(sides: Sides) -> Iterator[CriticalOutcome]:
    """The outcome of every rule for one critical case."""
    for rule, held in HELD.items():
        then = held(sides.before) if sides.before is not None else None
        yield _lost(_undecided(sides, rule), then, held(sides.after))
    found = list(suspicions(sides))
    yield answers.decided(_abstention(sides, found), sides, found, _told("wrong_abstention"))
    if sides.after.judged is not None:
        facts, said = _answer_facts(sides, sides.after.judged, found), _claims(sides, sides.after.judged, found)
        yield from (answers.counted(each, sides, found, _told(each.rule)) for each in (facts, said))


def _told(rule: CriticalRule) -> tuple[str, str]:
    return _WORDS[rule].lost, _WORDS[rule].nothing


def suspicions(sides: Sides) -> Iterator[Suspicion]:
    """What a critical case may have lost, as far as a judge decides, with what further judgings say of it.

    Of a case that the pipeline failed on nothing has to be asked: what it had is gone.
    """
    before, after = sides.before.judged if sides.before is not None else None, sides.after.judged
    then, now = (sides.before.abstention if sides.before is not None else None), sides.after.abstention
    if now == 0 and (sides.is_absolute or then is not None) and then != 0:
        was_said = before is not None and before.decides
        yield _suspicion("wrong_abstention", "", after, is_said=after is not None and after.decides, was_said=was_said)
    if before is None or after is None:
        return
    if before.facts is not None and after.facts is not None:
        for fact in sorted(before.facts - after.facts):
            yield _suspicion("lost_answer_facts", fact, after, is_said=after.reads, was_said=before.reads)
    if before.claims is not None or before.broke:
        yield from map(of_claim, sides.new_claims)


def _suspicion(rule: CriticalRule, name: str, after: JudgedCase | None, *, is_said: bool, was_said: bool) -> Suspicion:
    return Suspicion(
        rule, name, name,
        again=after.again(name) if after is not None and is_said else None,
        before=after.before(name) if after is not None and was_said and not after.failed else None,
    )  # fmt: skip


def _undecided(sides: Sides, rule: CriticalRule) -> CriticalOutcome:
    return CriticalOutcome(
        id=sides.case, rule=rule, before=None, after=None, lost=None, reason=sides.missing,
        unenforced=sides.doubts.get(rule),
    )  # fmt: skip


def _lost(outcome: CriticalOutcome, then: frozenset[str] | None, now: frozenset[str]) -> CriticalOutcome:
    if then is None:
        return outcome.but(after=len(now))
    gone = sorted(then - now)
    reason = f"no longer in the context: {', '.join(map(short, gone))}" if gone else "nothing was lost"
    return outcome.but(before=len(then), after=len(now), lost=len(gone), reason=reason)


def _abstention(sides: Sides, found: Sequence[Suspicion]) -> CriticalOutcome:
    before, after = sides.before, sides.after
    then, now = (before.abstention if before else None), after.abstention
    outcome = _undecided(sides, "wrong_abstention").but(before=then, after=now)
    if not any(held is not None and held.judged is not None and held.judged.decides for held in (before, after)):
        outcome = outcome.but(unenforced=None)
    if now is None or (not sides.is_absolute and before is not None and then is None):
        gone = after.judged is not None and now is None and (then is not None or sides.is_absolute)
        return outcome.but(reason="whether it abstained is not known on both sides", missing=gone)
    if not sides.is_absolute and before is None:
        return outcome
    return _decided(outcome, found)


def _answer_facts(sides: Sides, after: JudgedCase, found: Sequence[Suspicion]) -> CriticalOutcome:
    outcome = _undecided(sides, "lost_answer_facts")
    before = sides.before.judged if sides.before is not None else None
    if before is None or before.facts is None:
        return outcome if before is None else outcome.but(reason=f"not judged in the baseline: {before.reason}")
    if after.facts is None:
        return outcome.but(reason=f"not judged: {after.reason}", missing=True)
    return _decided(outcome.but(before=len(before.facts), after=len(after.facts)), found)


def _claims(sides: Sides, after: JudgedCase, found: Sequence[Suspicion]) -> CriticalOutcome:
    outcome = _undecided(sides, "new_unsupported_claims")
    before = sides.before.judged if sides.before is not None else None
    if before is None:
        return outcome
    if before.claims is None:
        return _claims_in_doubt(outcome, before, found)
    if after.claims is None:
        return outcome.but(reason=f"not judged: {after.reason}", missing=True)
    numbers = [sum(map(claims.is_unsupported, each)) for each in (before.claims, after.claims)]
    return _decided(outcome.but(before=numbers[0], after=numbers[1]), found)


def _claims_in_doubt(outcome: CriticalOutcome, before: JudgedCase, found: Sequence[Suspicion]) -> CriticalOutcome:
    """Where nobody knows what was unsupported before, what is now may be new."""
    outcome = outcome.but(reason=f"not judged in the baseline: {before.reason}")
    doubtful = sum(each.rule == outcome.rule and each.state in ("lost", "open") for each in found)
    if not doubtful:
        return outcome
    may_be = f"{counted(doubtful, 'unsupported claim')} may be new; {outcome.reason}"
    return outcome.but(after=doubtful, lost=0, unconfirmed=doubtful, reason=may_be)


def _decided(outcome: CriticalOutcome, found: Sequence[Suspicion]) -> CriticalOutcome:
    """What a judge's word comes to once it was asked again."""
    by_state: dict[State, list[str]] = {}
    for each in found:
        if each.rule == outcome.rule:
            by_state.setdefault(each.state, []).append(short(each.text))
    words = _WORDS[outcome.rule]
    may_be = counted(len(by_state.get("open", ())), words.may_be)
    said: Mapping[State, str] = {
        "lost": words.lost,
        "open": f"{may_be} not confirmed by further judgings, which score --against BASELINE asks for",
        "never": f"the baseline's judge called it {words.there} once, and asked again does not",
        "found": f"asked again, the judge calls it {words.there}",
    }
    reasons = [_naming(sentence, by_state[state]) for state, sentence in said.items() if state in by_state]
    return outcome.but(
        lost=len(by_state.get("lost", ())), unconfirmed=len(by_state.get("open", ())),
        reason="; ".join(reasons) or words.nothing,
    )  # fmt: skip


def _naming(sentence: str, names: Sequence[str]) -> str:
    named = "; ".join(filter(None, names))
    return f"{sentence}: {named}" if named else sentence
