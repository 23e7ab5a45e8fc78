"""Critical cases in full: a reviewer can decide about them from the comment alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report import regressions
from evaluator.report.causes import LOST_ANSWER_FACTS, LOST_FACTS
from evaluator.report.parts import Full, Given, Listing, Part
from evaluator.templates import Name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.comparison import CaseChange
    from evaluator.model.exhibits import CriticalCase, Finding, Passage, Reply
    from evaluator.report.inputs import Inputs
    from evaluator.report.parts import Example

_VERDICTS = {
    "advisory": "would have failed",
    "open": "not decided",
    "older": "by the rules and labels of the baseline",
}


def in_full(inputs: Inputs, examples: Listing[Example]) -> Listing[Example]:
    """Questions, each critical one that failed with all that the model got and said."""
    known = {case.id: case for case in inputs.exhibits.critical if has_failed(case)}
    return examples._replace(items=tuple(_with_full(example, known) for example in examples.items))


def in_question(inputs: Inputs) -> dict[str, Sequence[CaseChange]]:
    """The critical cases that did not fail and may have to, with what changed for them."""
    open_cases = [case for case in inputs.exhibits.critical if not has_failed(case) and case.id in inputs.cases]
    return {
        case.id: [change for (name, _), change in inputs.change_of.items() if name == case.id] for case in open_cases
    }


def part(inputs: Inputs, changes: Mapping[str, Sequence[CaseChange]]) -> Part:
    """The cases that are :func:`in_question`."""
    known = {case.id: case for case in inputs.exhibits.critical}
    found = tuple(_with_full(regressions.example(inputs, case, changes[case]), known) for case in changes)
    return Part(f"In question: {counted(len(found), 'critical case')}", examples=Listing.of(found))


def has_failed(case: CriticalCase) -> bool:
    """Whether the case fails the run."""
    return any(finding.verdict == "failed" for finding in case.findings)


def _with_full(example: Example, known: Mapping[str, CriticalCase]) -> Example:
    case = known.get(str(example.id))
    if case is None:
        return example
    # What it lost is said in full.
    left = tuple(note for note in example.causes if note.text not in (LOST_FACTS, LOST_ANSWER_FACTS))
    return example._replace(full=_full(case), causes=left)


def _full(case: CriticalCase) -> Full:
    return Full(
        findings=tuple(map(_finding, case.findings)), said=tuple(_said(case)), heading=_heading(case),
        given=Listing.of([Given(Name(each.chunk), _where(each), _text(each)) for each in case.context]),
    )  # fmt: skip


def _finding(finding: Finding) -> str:
    if finding.verdict == "failed":
        return finding.reason
    name = regressions.CRITICAL_METRICS.get(finding.rule, finding.rule)
    return f"{name}, {_VERDICTS[finding.verdict]}: {finding.reason}"


def _said(case: CriticalCase) -> Iterator[tuple[str, str]]:
    if case.expect == "abstain":
        yield "expected", "no answer"
    elif case.reference is not None:
        yield "expected", case.reference
    before, after = case.before, case.after
    if _is_silent(after) and (before is None or _is_silent(before)):
        return
    if before is not None and before == after:
        yield "answer before and now", _words(after)
        return
    if before is not None:
        yield "answer before", _words(before)
    yield "answer now", _words(after)


def _is_silent(reply: Reply) -> bool:
    """Whether nothing is known of an answer: many pipelines only retrieve."""
    return reply.answer is None and reply.abstained is None and not reply.failed


def _words(reply: Reply) -> str:
    if reply.failed:
        return "nothing: the pipeline failed"
    abstained = " (abstained)" if reply.abstained else ""
    return f"{(reply.answer or '').strip() or 'nothing'}{abstained}"


def _heading(case: CriticalCase) -> str:
    now = sum(each.after is not None for each in case.context)
    if case.before is None:
        return f"What the model got: {counted(now, 'chunk')}"
    new = sum(each.before is None for each in case.context)
    gone = sum(each.after is None for each in case.context)
    return f"What the model got: {counted(now, 'chunk')}, {new} of them new, {gone} gone"


def _where(passage: Passage) -> str:
    if passage.after is None:
        return f"gone, was number {passage.before}"
    if passage.before is None:
        return f"number {passage.after}, new"
    moved = f", was number {passage.before}" if passage.before != passage.after else ""
    return f"number {passage.after}{moved}"


def _text(passage: Passage) -> str:
    return "its text is not known" if passage.text is None else passage.text
