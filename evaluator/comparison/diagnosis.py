"""Why a case fails: the first question of a fixed list that is answered with no (design section 8, "Diagnosis").

Nothing is said here that is not known: what a judge could not score is neither a yes nor a no, and a cause that only
what it would have said can tell is ``NOT_KNOWN``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Known: TypeAlias = Literal["yes", "no", "n/a", "unknown"]
"""The answer to a question about a case: ``n/a`` where it does not arise, ``unknown`` where nobody could say."""

Where: TypeAlias = Literal["nowhere", "not retrieved", "deeper", "unmatched"]
"""What became of something that the context lacks.

``nowhere``: the fixture does not hold it. ``deeper``: the pipeline found it and did not hand it to the model.
``unmatched``: a fact that the passages labelled as needed do not state, all of which are in the context.
"""

Half: TypeAlias = Literal["pipeline", "corpus", "retrieval", "generation", "labels"]

FAILED = "pipeline failed"
CONTENT_GAP = "content gap"
RETRIEVAL = "retrieval"
RANKING = "ranking"
UNSUPPORTED = "generation: unsupported"
CONFLICTING = "retrieval: outdated or conflicting chunk"
OFF_QUESTION = "generation: off the question"
INCOMPLETE = "generation: incomplete"
ABSTENTION = "abstention"
LABEL_OR_JUDGE = "check the golden label or the judge"
NOT_KNOWN = "not known"


class Cause(NamedTuple):
    """A leaf of the table: the half that broke, and what to change first."""

    half: Half
    lever: str


CAUSES: Mapping[str, Cause] = {
    FAILED: Cause("pipeline", "the pipeline's error or its time limit"),
    CONTENT_GAP: Cause("corpus", "the documents: add what is missing, or mend the label"),
    RETRIEVAL: Cause("retrieval", "chunking, embeddings or the query"),
    RANKING: Cause("retrieval", "re-ranking, or how much of what was found is handed on"),
    UNSUPPORTED: Cause("generation", "the prompt: keep to the context; then the model"),
    CONFLICTING: Cause("retrieval", "the corpus: remove, date or rank down what is outdated"),
    OFF_QUESTION: Cause("generation", "the prompt: answer what was asked; then the model"),
    INCOMPLETE: Cause("generation", "the prompt: ask for every part of the answer; then its length limit"),
    ABSTENTION: Cause("generation", "the prompt: when to answer and when to say that nothing is known"),
    LABEL_OR_JUDGE: Cause("labels", "the golden label; then the judge's calibration"),
    NOT_KNOWN: Cause("labels", "judge the case again: part of it could not be judged, or was not asked"),
}
"""Every diagnosis, in the order in which the questions are asked."""


class Evidence(NamedTuple):
    """What is known of one case; without a judge the last four are ``n/a``.

    Attributes:
        failed: whether the pipeline did.
        expects_abstention: whether the question is to be left unanswered.
        missing: what became of each need and fact that the context lacks. Facts are only looked at where every need is
            there, since a fact is expected to stand where a need is.
        abstention: whether it answered or abstained rightly.
        supported: whether the context supports every claim.
        consistent: whether no supported claim contradicts the reference.
        relevant: whether the answer addresses the question; like the next, n/a for an abstention.
        complete: whether the answer contains everything that it must.
        has_facts: whether ``complete`` counts required facts: only a missing fact makes a case fail by itself.
        correct: whether correctness is at least ``LEAST_CORRECT``.
    """

    failed: bool = False
    expects_abstention: bool = False
    missing: Sequence[Where] = ()
    abstention: Known = "n/a"
    supported: Known = "n/a"
    consistent: Known = "n/a"
    relevant: Known = "n/a"
    complete: Known = "n/a"
    has_facts: bool = False
    correct: Known = "n/a"


_MISSING: Mapping[Where, str] = {
    "nowhere": CONTENT_GAP, "not retrieved": RETRIEVAL, "deeper": RANKING,
    # No prompt can make up what the passages do not say, so the answer is not asked about.
    "unmatched": LABEL_OR_JUDGE,
}  # fmt: skip

LEAST_CORRECT = 0.5


def fails(case: Evidence) -> bool:
    """Whether a case fails: one thing that is known to be wrong is enough."""
    lacks_fact = case.has_facts and case.complete == "no"
    known = (case.supported, case.relevant, case.abstention, case.correct)
    return case.failed or bool(case.missing) or lacks_fact or "no" in known


def diagnose(case: Evidence) -> str | None:
    """The cause of a failing case, one of ``CAUSES``; None for a case that does not fail."""
    if not fails(case):
        return None
    if case.failed:
        return FAILED
    return next(_causes(case))


def _causes(case: Evidence) -> Iterator[str]:
    """Every cause that is known, the first first."""
    if case.expects_abstention and case.abstention == "no":
        yield ABSTENTION
    yield from (cause for where, cause in _MISSING.items() if where in case.missing)
    questions = {
        UNSUPPORTED: case.supported, CONFLICTING: case.consistent, OFF_QUESTION: case.relevant,
        INCOMPLETE: case.complete, ABSTENTION: case.abstention,
    }  # fmt: skip
    yield from (cause for cause, answer in questions.items() if answer == "no")
    yield NOT_KNOWN if "unknown" in questions.values() else LABEL_OR_JUDGE
