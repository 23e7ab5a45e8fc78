"""Has what a critical case may have lost judged again, past the cache, before it counts (design section 8).

What is asked follows from what compare will decide by: it is asked as long as that leaves something open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluator.comparison import critical
from evaluator.comparison.doubts import JUDGINGS
from evaluator.judging import case as conversations
from evaluator.judging.case import Matter
from evaluator.judging.subject import Fact, Wanted
from evaluator.judging.talks import together
from evaluator.model.judgement import Further, Judged
from evaluator.model.view import CaseView
from evaluator.stages import against, answered, claims, judgements, measuring
from evaluator.stages.judged_half import JudgedHalf, is_judged, is_same_judge, was_judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.comparison.critical import Held
    from evaluator.comparison.doubts import Doubt
    from evaluator.judging.calls import Conversation
    from evaluator.judging.case import Said
    from evaluator.model.config import Config
    from evaluator.model.golden import Labels
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

    def doubts(self, judged: Judged) -> list[Doubt]:
        """What it may have lost by what is known so far."""
        after = _held(self.now, judged)
        known = self.before.judged.known if self.before is not None and self.before.judged is not None else ()
        claimed = after.judged.claims if after.judged is not None else None
        sides = critical.Sides(
            self.now.case, self.before, after, is_absolute=self.then is None,
            new_claims=claims.new_unsupported(known, claimed or (), self.now.language),
        )  # fmt: skip
        return [doubt for doubt in critical.doubts(sides) if doubt.rule in self.rules]

    def asked(self, judged: Judged, step: Step) -> list[Doubt]:
        """What is still open, and is asked about in a step."""
        return [doubt for doubt in self.doubts(judged) if _is_asked(doubt, step)]


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
    elif is_judged(baseline.head) and is_same_judge(bench.info(), bench.fingerprint(declared), baseline.head):
        # Both exams have to be computable: what was critical in the baseline is asked about as well.
        rules, ids = mine | _rules(against.older_config(baseline)), frozenset(baseline.ids)
        for each in found:
            stored = baseline.case(each.case) if each.case in ids else None
            then = answered.of_stored(stored, measuring.labels_of(stored)) if stored is not None else None
            if stored is not None and then is not None and _is_compared(each, then):
                yield _Case(rules, each, then, _held(then, judgements.of_case(baseline, stored)))


def _rules(config: Config) -> frozenset[str]:
    return frozenset(rule for rule, limit in config.gate.critical if limit is not None)


def _is_compared(now: Answered, then: Answered) -> bool:
    labels = now.labels, then.labels
    return (
        now.input_hash == then.input_hash
        and any(each.critical for each in labels)
        and all(each.split != "holdout" for each in labels)
        and JudgedHalf.is_labelled_alike(*labels)
    )


def _held(each: Answered, judged: Judged | None) -> Held:
    """What a judge said of a case, as compare sees it; what needs no judge is left out."""
    said, stated = judged or (None, None)
    view = CaseView(
        labels=each.labels, needs=(), ranking=(), context=(), passages={}, language=each.language, answer=each.answer,
        abstained=each.reported, failed=each.failed, case=each.case, judgement=stated, claims=said,
    )  # fmt: skip
    return measuring.held(measuring.Measured(view, (), frozenset()), is_judged=True)


def _is_asked(doubt: Doubt, step: Step) -> bool:
    """Whether a step can still decide something: a third judging only where one of the first two was had."""
    if step.side == "again":
        return doubt.again is not None and not doubt.again
    return doubt.stands and doubt.was_there is None and bool(doubt.before) == step.settles


def _talk(bench: Bench, case: _Case, judged: Judged) -> Conversation[Judged]:
    """Ask step by step, as long as something is open."""
    for step in STEPS:
        asked = case.asked(judged, step)
        whose = case.now if step.side == "again" else case.then
        if asked and whose is not None:
            subject, matter = whose.subject(bench, Wanted()), _matter(whose, judged, asked, step)
            said = yield from together(*(conversations.again(subject, matter, time) for time in step.times))
            judged = _noted(judged, asked, step, said, whose.labels)
    return judged


def _matter(whose: Answered, judged: Judged, asked: Sequence[Doubt], step: Step) -> Matter:
    """What of an answer is judged once more."""
    told = [claim for doubt in asked for claim in doubt.then]
    if step.side == "again":
        told = [claim for claim in judged.claims or () if _of(asked, CLAIMS, claim.id)]
    return Matter(
        tuple({claim.id: claim for claim in told}.values()),
        tuple(Fact(fact.id, fact.text) for fact in whose.labels.facts if _of(asked, FACTS, fact.id)),
        any(doubt.rule not in (CLAIMS, FACTS) for doubt in asked),
    )


def _of(asked: Sequence[Doubt], rule: str, name: str) -> Doubt | None:
    return next((doubt for doubt in asked if (doubt.rule, doubt.name) == (rule, name)), None)


def _noted(judged: Judged, asked: Sequence[Doubt], step: Step, said: Sequence[Said], labels: Labels) -> Judged:
    """A judgement with what was said of the things that were asked about."""
    further = {each.fact or "": each for each in judged.judgement.further}
    for doubt in asked:
        if doubt.rule != CLAIMS:
            known = further.get(doubt.name, Further(fact=doubt.name or None))
            holds = (*getattr(known, step.side), *_holds(doubt, said, labels))
            further[doubt.name] = known.but(**{step.side: holds})
    told = judged.claims and tuple(
        _with_verdicts(claim, _of(asked, CLAIMS, claim.id), step, said) for claim in judged.claims
    )
    return Judged(told, judged.judgement.but(further=tuple(further.values())))


def _holds(doubt: Doubt, said: Sequence[Said], labels: Labels) -> Iterator[bool]:
    """Of each judging that could be had, whether the fact is there or the decision is right."""
    if doubt.rule == FACTS:
        yield from (each.facts[doubt.name] for each in said if doubt.name in each.facts)
    else:
        yield from ((each.abstained == (labels.expect == "abstain")) for each in said if each.abstained is not None)


def _with_verdicts(claim: Claim, doubt: Doubt | None, step: Step, said: Sequence[Said]) -> Claim:
    if doubt is None:
        return claim
    names = [claim.id] if step.side == "again" else [then.id for then in doubt.then]
    found = [_best([each.claims.get(name) for name in names]) for each in said]
    verdicts = (*getattr(claim, step.side), *(verdict for verdict in found if verdict is not None))
    return claim.but(**{step.side: verdicts})


def _best(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """The verdict on what several claims say alike: it is enough that one of them is supported."""
    return "supported" if "supported" in verdicts else None if None in verdicts else verdicts[0]
