"""Critical cases: what a single case may not lose, whatever the means do."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import claims
from evaluator.model.comparison import CriticalOutcome, CriticalRule
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluator.model.judgement import Claim


class JudgedCase(NamedTuple):
    """What a judge said of a case in one run.

    Attributes:
        facts: ids of the required facts that the answer contains; None where that is not known.
        claims: the claims of the answer, none where it abstains; None where they or their verdicts are not known.
        reason: why something is not known.
        decides: whether it is the judge who says that the case abstained or did not.
        broke: whether a judge was asked and gave no usable reply.
    """

    facts: frozenset[str] | None
    claims: Sequence[Claim] | None
    reason: str = ""
    decides: bool = False
    broke: bool = False


class Held(NamedTuple):
    """What one run had of a case: needs and facts in its context, by name, and the abstention score (None: unknown).

    ``judged`` is None where no judge was asked.
    """

    needs: frozenset[str]
    facts: frozenset[str]
    abstention: float | None
    judged: JudgedCase | None = None


class Sides(NamedTuple):
    """One critical case in both runs.

    Attributes:
        case: its id.
        before: None for a case that is not paired; its ``judged`` is None where that cannot be compared.
        after: this run.
        missing: why ``before`` is None, or the judged part of it.
        is_absolute: whether there was never anything to compare an abstention with.
        new_claims: unsupported claims that were not before.
        doubts: why the judge is not enforced for the case, by rule; no entry where it is.
    """

    case: str
    before: Held | None
    after: Held
    missing: str = ""
    is_absolute: bool = False
    new_claims: Sequence[Claim] = ()
    doubts: Mapping[str, str] = {}


HELD: dict[CriticalRule, Callable[[Held], frozenset[str]]] = {
    "lost_needs": attrgetter("needs"),
    "lost_facts": attrgetter("facts"),
}
LONGEST_NAME = 80
RULES: tuple[CriticalRule, ...] = (*HELD, "wrong_abstention")
JUDGED_RULES: tuple[CriticalRule, ...] = ("lost_answer_facts", "new_unsupported_claims")
"""Rules about a critical case that only a judge can decide."""

READ_FROM: Mapping[CriticalRule, str] = {
    "lost_answer_facts": "answer_completeness",
    "new_unsupported_claims": "faithfulness",
    "wrong_abstention": "abstention",
}
"""Rule -> the metric by which the judge that decides it is calibrated."""


def outcomes(sides: Sides) -> Iterator[CriticalOutcome]:
    """The outcome of every rule for one critical case."""
    for rule, held in HELD.items():
        then = held(sides.before) if sides.before is not None else None
        yield _lost(_undecided(sides, rule), then, held(sides.after), "the context")
    yield _abstention(sides)
    if sides.after.judged is not None:
        yield _answer_facts(sides, sides.after.judged)
        yield _claims(sides, sides.after.judged)


def _undecided(sides: Sides, rule: CriticalRule) -> CriticalOutcome:
    return CriticalOutcome(
        id=sides.case, rule=rule, before=None, after=None, lost=None, reason=sides.missing,
        unenforced=sides.doubts.get(rule),
    )  # fmt: skip


def _lost(outcome: CriticalOutcome, then: frozenset[str] | None, now: frozenset[str], where: str) -> CriticalOutcome:
    if then is None:
        return outcome.but(after=len(now))
    gone = sorted(then - now)
    reason = f"no longer in {where}: {', '.join(map(_short, gone))}" if gone else "nothing was lost"
    return outcome.but(before=len(then), after=len(now), lost=len(gone), reason=reason)


def _short(name: str) -> str:
    """A name that fits in a sentence; a quote may be a paragraph."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _abstention(sides: Sides) -> CriticalOutcome:
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
    wrong = now == 0 and then != 0
    reason = "answered where it should abstain, or abstained where it should answer" if wrong else "nothing was lost"
    return outcome.but(lost=int(wrong), reason=reason)


def _answer_facts(sides: Sides, after: JudgedCase) -> CriticalOutcome:
    outcome = _undecided(sides, "lost_answer_facts")
    before = sides.before.judged if sides.before is not None else None
    if before is None or before.facts is None:
        return outcome if before is None else outcome.but(reason=f"not judged in the baseline: {before.reason}")
    if after.facts is None:
        return outcome.but(reason=f"not judged: {after.reason}", missing=True)
    return _lost(outcome, before.facts, after.facts, "the answer")


def _claims(sides: Sides, after: JudgedCase) -> CriticalOutcome:
    outcome = _undecided(sides, "new_unsupported_claims")
    before = sides.before.judged if sides.before is not None else None
    if before is None:
        return outcome
    if before.claims is None:
        return _claims_in_doubt(outcome, before, after.claims or ())
    if after.claims is None:
        return outcome.but(reason=f"not judged: {after.reason}", missing=True)
    found = claims.sort(sides.new_claims)
    return outcome.but(
        before=sum(map(claims.is_unsupported, before.claims)), after=sum(map(claims.is_unsupported, after.claims)),
        lost=len(found.confirmed), unconfirmed=len(found.unconfirmed), reason=_about(found),
    )  # fmt: skip


def _claims_in_doubt(outcome: CriticalOutcome, before: JudgedCase, now: Sequence[Claim]) -> CriticalOutcome:
    """Where nobody knows what was unsupported before, what is now may be new."""
    outcome = outcome.but(reason=f"not judged in the baseline: {before.reason}")
    found = claims.sort(list(filter(claims.is_unsupported, now)))
    doubtful = len(found.confirmed) + len(found.unconfirmed)
    if not before.broke or not doubtful:
        return outcome
    may_be = f"{counted(doubtful, 'unsupported claim')} may be new; {outcome.reason}"
    return outcome.but(after=doubtful, lost=0, unconfirmed=doubtful, reason=may_be)


def _about(found: claims.Sorted) -> str:
    if found.confirmed:
        return f"new and unsupported: {'; '.join(_short(claim.text) for claim in found.confirmed)}"
    if found.unconfirmed:
        new = counted(len(found.unconfirmed), "new unsupported claim")
        return f"{new} not confirmed by two further judgings, which score --against BASELINE asks for"
    return "no claim is new and unsupported"
