"""What judging will take, before anything is asked: calls, tokens and money by part.

The questions are put as they would be, but for what follows from replies that nobody has yet: those are supposed. So
the tokens that are read are counted; those that are written are expected by the constants below, which say how many
claims an answer has and how long a judge's words on each are. A first run tells more than they do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evaluator.judging import tokens
from evaluator.judging.budget import cost
from evaluator.judging.claims import ClaimsFound
from evaluator.model.judge import TokenUsage
from evaluator.model.judgement import Claim, Statement
from evaluator.model.score import Unscored
from evaluator.model.spent import PartSpent, Spent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from evaluator.judging.calls import Call, Conversation
    from evaluator.model.config import Prices
    from evaluator.model.verdicts import Part

CLAIMS_PER_SENTENCE = 1.3

TOKENS_PER_STATEMENT = 25
"""Of a reference, to one statement."""

ITEM = 30
"""Tokens of a claim, a statement or a question with its id, as JSON."""

VERDICT = 90
"""Tokens of a verdict on a claim: reason, chunks and quote."""

OPINION = 45
"""Tokens of a reason with a word from a list."""

OPINIONS = 2
"""Relevance and abstention."""

NOT_ASKED = Unscored("it is only supposed to be asked")

TOKEN = "\x00" * 16
"""In place of a random delimiter: no fenced text can hold it."""


def calls(talk: Conversation[object], known: Callable[[Call[Any]], Any | None]) -> Iterator[Call[Any]]:
    """The calls that a conversation makes, as far as they are not ``known``: what they are about may be supposed."""
    outcomes: list[Any] = []
    try:
        asked = next(talk)
        while True:
            outcomes = [known(call) for call in asked]
            yield from (call for call, outcome in zip(asked, outcomes, strict=True) if outcome is None)
            asked = talk.send([
                supposed(call) if outcome is None else outcome for call, outcome in zip(asked, outcomes, strict=True)
            ])  # fmt: skip
    except StopIteration:
        return


def supposed(call: Call[Any]) -> ClaimsFound | tuple[Statement, ...] | Unscored:
    """A reply from which the next calls follow: claims that repeat their sentence, statements of a usual length."""
    if call.part == "claims":
        return ClaimsFound(tuple(_claims(_listed(call, "answer"))), ())
    if call.part == "statements":
        return tuple(_statements(_datum(call, "reference")))
    return NOT_ASKED


def _claims(sentences: Mapping[str, str]) -> Iterator[Claim]:
    for place, (name, text) in enumerate(sentences.items()):
        count = int(CLAIMS_PER_SENTENCE * (place + 1)) - int(CLAIMS_PER_SENTENCE * place)
        yield from (Claim(id=f"{name}.{number + 1}", text=text, sentence=place + 1) for number in range(count))


def _statements(reference: str) -> Iterator[Statement]:
    size = max(1, -(-len(reference) // _statement_count(reference)))
    for place, start in enumerate(range(0, len(reference), size), 1):
        yield Statement(id=f"r{place}", text=reference[start : start + size])


def _statement_count(reference: str) -> int:
    return max(1, -(-tokens.estimate(reference) // TOKENS_PER_STATEMENT))


def _datum(call: Call[Any], name: str) -> str:
    return next((text for each, text in call.given["data"] if each == name), "")


def _listed(call: Call[Any], name: str) -> dict[str, str]:
    items = [json.loads(line) for line in _datum(call, name).split("\n")]
    return {item["id"]: item["text"] for item in items}


def estimate(asked: Iterable[Call[Any]], prices: Prices) -> Spent:
    """What calls take together, by part.

    Nothing is counted for repairs, and nothing off for what a provider's own cache may hold.
    """
    found: dict[Part, PartSpent] = {}
    for call in asked:
        usage = TokenUsage(tokens.of_request(call.put(TOKEN)), written(call))
        one = PartSpent(calls=1, read=usage.read, written=usage.written, usd=cost(usage, prices))
        found[call.part] = found.get(call.part, PartSpent()) + one
    return Spent(parts={part: found[part] for part in sorted(found)})


def written(call: Call[Any]) -> int:
    """Tokens that a reply is expected to have."""
    values = call.given["values"]
    claims, statements, facts, useful = (
        len(values.get(name, ())) for name in ("claims", "statements", "facts", "useful")
    )
    by_part: dict[Part, int] = {
        "claims": ITEM * round(CLAIMS_PER_SENTENCE * len(values.get("sentences", ()))),
        "context": VERDICT * claims + OPINION * (statements + useful + bool(values.get("sufficiency"))),
        "answer": OPINION * (OPINIONS + claims + statements + facts),
        "statements": ITEM * _statement_count(_datum(call, "reference")),
        "embedding": ITEM * values.get("count", 0),
        "preference": OPINION,
    }
    return by_part[call.part]
