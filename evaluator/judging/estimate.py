"""What judging will take, before anything is asked: calls, tokens and money by part.

The tokens that are read are counted; those that are written are expected by the constants below, which say how many
claims an answer has and how long a judge's words on each are. A first run tells more than they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.judging.budget import cost
from evaluator.model.judge import TokenUsage
from evaluator.model.spent import PartSpent, Spent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluator.model.config import Prices
    from evaluator.model.verdicts import Part

CLAIMS_PER_SENTENCE = 1.3

TOKENS_PER_STATEMENT = 25
"""Of a reference, to one statement."""

ITEM = 30
"""Tokens of a claim or statement with its id, as JSON."""

VERDICT = 90
"""Tokens of a verdict on a claim: reason, chunks and quote."""

OPINION = 45
"""Tokens of a reason with a word from a list."""

OPINIONS = 2
"""Relevance and abstention."""


class Subject(NamedTuple):
    """A case that is to be judged: which calls it makes, and what they are about, in tokens.

    ``parts`` are the calls that no cache answers; ``statements`` belongs to one case of those that share a reference.
    ``sentences`` and ``facts`` are numbers of them.
    """

    parts: frozenset[Part]
    question: int
    answer: int
    sentences: int
    context: int = 0
    reference: int = 0
    facts: int = 0


def estimate(subjects: Iterable[Subject], fixed: Mapping[Part, int], prices: Prices) -> Spent:
    """What all of them take together, by part; ``fixed`` are the tokens that every call of a part has alike.

    Nothing is counted for repairs, and nothing off for what a provider's own cache may hold.
    """
    found: dict[Part, PartSpent] = {}
    for subject in subjects:
        for part, (read, written) in _calls(subject):
            usage = TokenUsage(read + fixed.get(part, 0), written)
            one = PartSpent(calls=1, read=usage.read, written=usage.written, usd=cost(usage, prices))
            found[part] = found.get(part, PartSpent()) + one
    return Spent(parts={part: found[part] for part in sorted(found)})


def _calls(subject: Subject) -> Iterable[tuple[Part, tuple[int, int]]]:
    """Each call of a case: tokens read, without the fixed ones, and written."""
    asked, claims = subject.question + subject.answer, round(CLAIMS_PER_SENTENCE * subject.sentences)
    statements = -(-subject.reference // TOKENS_PER_STATEMENT)
    listed = ITEM * claims
    items = claims + statements + subject.facts
    calls: dict[Part, tuple[int, int]] = {
        "claims": (asked, listed),
        "context": (subject.question + subject.context + listed, VERDICT * claims + OPINION),
        "answer": (asked + ITEM * items, OPINION * (OPINIONS + items)),
        "statements": (subject.question + subject.reference, ITEM * statements),
    }
    return ((part, calls[part]) for part in sorted(subject.parts & calls.keys()))
