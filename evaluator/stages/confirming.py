"""Has what a critical case may have lost judged again, past the cache, before it counts (design section 8).

What is asked follows from what compare will decide by: it is asked as long as that leaves something open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluator.comparison import critical
from evaluator.comparison.suspicions import JUDGINGS
from evaluator.judging import case as conversations
from evaluator.judging.case import Matter
from evaluator.judging.subject import Fact, Wanted
from evaluator.judging.talks import together
from evaluator.model.judgement import Further, Judged
from evaluator.model.view import CaseView
from evaluator.stages import against, answered, claims, judgements, losing, measuring
from evaluator.stages.judged_half import JudgedHalf, is_judged, is_same_judge, unjudged, was_judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.comparison.critical import Held
    from evaluator.comparison.suspicions import Suspicion
    from evaluator.judging.calls import Conversation
    from evaluator.judging.case import Said
    from evaluator.model.config import Config
    from evaluator.model.judgement import Claim
    from evaluator.model.verdicts import Verdict
    from evaluator.stages.answered import Answered, Measures
    from evaluator.stages.bench import Bench
    from evaluator.stores.runs import RunReader

CLAIMS, FACTS = "new_unsupported_claims", "lost_answer_facts"


class Step(NamedTuple):
    """Whose answer is judged, this run's (``again``) or the baseline's, and in which further judgings, from 1."""

    side: Literal["again", "before"]
    times: Sequence[int]
    settles: bool = False


STEPS = (
    Step("again", range(1, JUDGINGS + 1)),
    Step("before", range(1, JUDGINGS + 1)),
    Step("before", (JUDGINGS + 1,), settles=True),
)


class _Case(NamedTuple):
    """A critical case in both runs, with the rules that read it; without ``then`` there was nothing to compare with."""

    rules: frozenset[str]
    now: Answered
    then: Answered | None = None
    before: Held | None = None

    def suspicions(self, judged: Judged) -> list[Suspicion]:
        """What it may have lost by what is known so far."""
        after = _held(self.now, judged)
        known = self.before.judged.known if self.before is not None and self.before.judged is not None else ()
        claimed = after.judged.claims if after.judged is not None else None
        sides = critical.Sides(
            self.now.case, self.before, after, is_absolute=self.then is None,
            new_claims=claims.new_unsupported(known, claimed or (), self.now.language),
        )  # fmt: skip
        return [suspected for suspected in critical.suspicions(sides) if suspected.rule in self.rules]

    def asked(self, judged: Judged, step: Step) -> list[Suspicion]:
        """What is still open, and is asked about in a step."""
        return [suspected for suspected in self.suspicions(judged) if _is_asked(suspected, step)]


def confirm(
    bench: Bench,
    measures: Measures,
    found: Sequence[Answered],
    judged: Mapping[str, Judged],
    baseline: RunReader | None,
) -> dict[str, Judged]:
    """The same with what further judgings say of all that critical cases may have lost.

    What this run's judge says is gone is judged twice more. What is still gone then, and was there by the word of the
    baseline's judge, is judged twice more in the baseline, and a third time where those two do not agree.

    Raises:
        BaselineError: this version cannot use the baseline's configuration.
        JudgeError: the judge can answer nothing.
        FileProblem: what a judge said of a case of the baseline cannot be read.
    """
    talks = {}
    for case in _cases(bench, measures, found, baseline):
        said = judged.get(case.now.case)
        if said is not None and any(case.asked(said, step) for step in STEPS):
            talks[case.now.case] = _talk(bench, case, said)
    return {**judged, **bench.ask(talks)}


def _cases(bench: Bench, measures: Measures, found: Sequence[Answered], baseline: RunReader | None) -> Iterator[_Case]:
    """The critical cases of which a judge's word is compared, or decides by itself."""
    mine, declared = _rules(measures.config), measures.declared
    if baseline is None or not (is_judged(baseline.head) or was_judged(baseline.head.history, declared)):
        yield from (_Case(mine, each) for each in found if each.labels.critical and each.labels.split != "holdout")
    elif is_judged(baseline.head):
        is_same = is_same_judge(bench.info(), bench.fingerprint(declared), baseline.head)
        yield from _compared(found, baseline, mine | _rules(against.older_config(baseline)), is_same=is_same)


def _compared(
    found: Sequence[Answered], baseline: RunReader, rules: frozenset[str], *, is_same: bool
) -> Iterator[_Case]:
    """Both exams have to be computable: what was critical in the baseline is among them as well."""
    ids = frozenset(baseline.ids)
    for each in found:
        stored = baseline.case(each.case) if each.case in ids else None
        if stored is None or stored.case.input_hash != each.input_hash:
            continue
        labels = measuring.labels_of(stored)
        critical_in_one = each.labels.critical or labels.critical
        if critical_in_one and "holdout" not in (each.labels.split, labels.split):
            then = answered.of_stored(stored, each.labels)
            before = _held(then, judgements.of_case(baseline, stored))
            if not (is_same and JudgedHalf.is_labelled_alike(labels, each.labels)):
                before = unjudged(before, is_same=is_same)
            yield _Case(rules, each, then, before)


def _rules(config: Config) -> frozenset[str]:
    return frozenset(rule for rule, limit in config.gate.critical if limit is not None)


def _held(each: Answered, judged: Judged | None) -> Held:
    """What a judge said of a case, as compare sees it; what needs no judge is left out."""
    said, stated = judged or (None, None)
    view = CaseView(
        labels=each.labels, needs=(), ranking=(), context=(), passages={}, language=each.language, answer=each.answer,
        abstained=each.reported, failed=each.failed, case=each.case, judgement=stated, claims=said,
    )  # fmt: skip
    return losing.held(measuring.Measured(view, (), frozenset()), is_judged=True)


def _is_asked(suspected: Suspicion, step: Step) -> bool:
    """Whether a step can still decide something: a third judging only where one of the first two was had."""
    if step.side == "again":
        return suspected.again is not None and not suspected.again
    return suspected.stands and suspected.was_there is None and bool(suspected.before) == step.settles


def _talk(bench: Bench, case: _Case, judged: Judged) -> Conversation[Judged]:
    """Ask step by step, as long as something is open."""
    for step in STEPS:
        asked = case.asked(judged, step)
        whose = case.now if step.side == "again" else case.then
        if asked and whose is not None:
            subject, matter = whose.subject(bench, Wanted()), _matter(whose, judged, asked, step)
            said = yield from together(*(conversations.again(subject, matter, time) for time in step.times))
            judged = _noted(judged, asked, step, said)
    return judged


def _matter(whose: Answered, judged: Judged, asked: Sequence[Suspicion], step: Step) -> Matter:
    """What of an answer is judged once more."""
    told = [claim for suspected in asked for claim in suspected.then]
    if step.side == "again":
        told = [claim for claim in judged.claims or () if _of(asked, CLAIMS, claim.id)]
    return Matter(
        tuple({claim.id: claim for claim in told}.values()),
        tuple(Fact(fact.id, fact.text) for fact in whose.labels.facts if _of(asked, FACTS, fact.id)),
        any(suspected.rule not in (CLAIMS, FACTS) for suspected in asked),
    )


def _of(asked: Sequence[Suspicion], rule: str, name: str) -> Suspicion | None:
    return next((suspected for suspected in asked if (suspected.rule, suspected.name) == (rule, name)), None)


def _noted(judged: Judged, asked: Sequence[Suspicion], step: Step, said: Sequence[Said]) -> Judged:
    """A judgement with what was said of the things that were asked about."""
    further = {each.fact or "": each for each in judged.judgement.further}
    for suspected in asked:
        if suspected.rule != CLAIMS:
            known = further.get(suspected.name, Further(fact=suspected.name or None))
            holds = (*getattr(known, step.side), *_holds(suspected, said))
            further[suspected.name] = known.but(**{step.side: holds})
    told = judged.claims and tuple(
        _with_verdicts(claim, _of(asked, CLAIMS, claim.id), step, said) for claim in judged.claims
    )
    return Judged(told, judged.judgement.but(further=tuple(further.values())))


def _holds(suspected: Suspicion, said: Sequence[Said]) -> Iterator[bool]:
    """Of each judging that could be had, whether the fact is there, or whether the answer abstains."""
    for each in said:
        holds = each.facts.get(suspected.name) if suspected.rule == FACTS else each.abstained
        if holds is not None:
            yield holds


def _with_verdicts(claim: Claim, suspected: Suspicion | None, step: Step, said: Sequence[Said]) -> Claim:
    if suspected is None:
        return claim
    names = [claim.id] if step.side == "again" else [then.id for then in suspected.then]
    found = [_best([each.claims.get(name) for name in names]) for each in said]
    verdicts = (*getattr(claim, step.side), *(verdict for verdict in found if verdict is not None))
    return claim.but(**{step.side: verdicts})


def _best(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """The verdict on what several claims say alike: it is enough that one of them is supported."""
    return "supported" if "supported" in verdicts else None if None in verdicts else verdicts[0]
