"""Has a judge judge the answers of a run: about which cases it is asked what, and what it came to (section 9)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evaluator.judging import case as conversations
from evaluator.judging.requesting import INTERRUPTED
from evaluator.model.judgement import Judged, Judgement, Preference, draw
from evaluator.model.score import Unscored
from evaluator.stages.judged_run import JudgedRun, interrupted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.judging.subject import Subject
    from evaluator.model.config import Judge as JudgeConfig
    from evaluator.stages.answered import Answered, Measures
    from evaluator.stages.bench import Bench

LOST = Preference(first="loss", second="loss", value=0.0, reason="the pipeline failed, and the baseline answered")


def judge(bench: Bench, measures: Measures, answered: Sequence[Answered]) -> dict[str, Judged]:
    """What a judge says of each answer, by case; nothing of one that the pipeline failed on.

    After an interrupt it returns what there is: what was not judged says so.

    Raises:
        JudgeError: the judge can answer nothing.
        TemplateError: a prompt does not render.
    """
    drawn = frozenset(sampled(answered, bench.config))
    asked = _subjects(bench, measures, [each for each in answered if not each.failed and each.case in drawn])
    found = bench.ask({case: conversations.conversation(subject) for case, subject in asked.items()})
    for case in found:
        try:
            found[case] = _with_similarities(found[case], asked[case].question, bench)
        except KeyboardInterrupt:
            bench.stop(INTERRUPTED)
            found[case] = _with_similarities(found[case], asked[case].question, bench)
    return dict(_not_asked(answered, drawn)) | found


def _subjects(bench: Bench, measures: Measures, answered: Sequence[Answered]) -> dict[str, Subject]:
    return {each.case: each.subject(bench, measures.wanted(each.labels)) for each in answered}


def result(bench: Bench, measures: Measures, turns: Sequence[Mapping[str, Judged]]) -> JudgedRun:
    """What score writes down of it, for every time that the questions were asked."""
    fingerprint = bench.fingerprint(measures.declared)
    first, *repeats = turns
    stopped = _interrupted([judged for found in turns for judged in found.values()], bench)
    return JudgedRun(first, bench.info(), bench.spent(), fingerprint, stopped, repeats=tuple(repeats))


def _interrupted(found: Sequence[Judged], bench: Bench) -> str | None:
    """What a person is told whose interrupt ended the judging; None where none did."""
    if bench.info().stopped != INTERRUPTED:
        return None
    done = sum(INTERRUPTED not in judged.judgement.unscored.values() for judged in found)
    return interrupted(done, len(found))


def sampled(cases: Iterable[Answered], judge: JudgeConfig) -> Iterator[str]:
    """The cases that ``judge.sample`` draws: of each category the critical ones and, up to its number, others.

    Those are first what was judged before, up to that number in the category that it was judged in: no case that is
    added, moved or made critical takes the place of one that may have been lost. Then come the first by a hash over
    seed and id, so that two runs draw the same.
    """
    ordered = sorted(cases, key=lambda each: (not each.labels.critical, draw(judge.seed, each.case)))
    limit = len(ordered) if judge.sample is None else judge.sample
    again = Counter[str]()
    drawn: dict[str, str] = {}
    for each in ordered:
        if each.judged_in is not None:
            again[each.judged_in] += 1
        if each.labels.critical or (each.judged_in is not None and again[each.judged_in] <= limit):
            drawn[each.case] = each.labels.category
    taken = Counter(drawn.values())
    for each in ordered:
        if each.case not in drawn and taken[each.labels.category] < limit:
            taken[each.labels.category] += 1
            drawn[each.case] = each.labels.category
    yield from drawn


def _not_asked(answered: Sequence[Answered], drawn: frozenset[str]) -> Iterator[tuple[str, Judged]]:
    """Cases that nobody is asked about: those not drawn, and failed ones that the baseline answered."""
    for each in answered:
        if each.case not in drawn:
            yield each.case, Judged(None, Judgement(drawn=False))
        elif each.failed and each.before is not None:
            yield each.case, Judged(None, Judgement(preference=LOST))


def _with_similarities(judged: Judged, question: str, bench: Bench) -> Judged:
    """With the cosines of the generated questions to the one that was asked, where there are any."""
    judgement = judged.judgement
    if not judgement.questions:
        return judged
    found = bench.similarities(question, judgement.questions)
    if isinstance(found, Unscored):
        return judged._replace(judgement=judgement.but(unscored={**judgement.unscored, "embedding": found.reason}))
    return judged._replace(judgement=judgement.but(similarities=found))
