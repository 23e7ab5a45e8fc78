"""Factories for what a judge says, in short forms: chunks are letters, as in tests/views.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator.model.golden import Fact, Labels
from evaluator.model.judgement import (
    Claim,
    JudgedChunk,
    JudgedFact,
    Judgement,
    Opinion,
    Preference,
    Statement,
)
from evaluator.model.view import CaseView, Passage, Replied
from tests import views

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.model.view import ResolvedNeed

VERDICTS: dict[str, dict[str, Any]] = {
    "+": {"verdict": "supported"},
    "&": {"verdict": "supported", "jointly": True},
    "-": {"verdict": "unsupported"},
    "?": {"verdict": "unclear"},
    ".": {"verdict": None},
}
REFERENCE = {"in": "in_reference", "against": "contradicts", "beyond": "beyond"}


def claims(*texts: str) -> tuple[Claim, ...]:
    """Claims, each of a sentence of its own unless it says which.

    ``+AB``: A and B each support it; ``&AB``: both only together; ``-`` unsupported, ``?`` unclear, ``.`` not judged.
    A word behind that (``in``, ``against``, ``beyond``) is what the reference says; ``2:`` before it the sentence.
    """
    return tuple(_claim(number, text) for number, text in enumerate(texts, 1))


def _claim(number: int, text: str) -> Claim:
    sentence, _, rest = text.rpartition(":")
    verdict, _, reference = rest.partition(" ")
    return Claim(
        id=f"s{number}.1", text=f"claim {number}", sentence=int(sentence or number), chunks=tuple(verdict[1:]),
        reference=REFERENCE[reference] if reference else None, **VERDICTS[verdict[0]],
    )  # fmt: skip


def judgement(
    *, statements: Sequence[str | None] = (), attributable: Sequence[bool | None] = (),
    facts: Mapping[str, bool] | None = None, useful: Mapping[str, bool] | None = None, preference: str | None = None,
    **fields: Any,
) -> Judgement:  # fmt: skip
    """What a judge said of an answer that it takes for one and for relevant, unless fields say otherwise.

    Opinions are given as True, False or None; ``preference`` as ``"win loss"``, first order first.
    """
    count = max(len(statements), len(attributable))
    of = dict(enumerate(statements)), dict(enumerate(attributable))
    opinions = {name: fields.pop(name, default) for name, default in OPINIONS.items()}
    return Judgement(
        statements=tuple(
            Statement(id=f"r{n + 1}", text=f"statement {n + 1}", answer=of[0].get(n), attributable=of[1].get(n))
            for n in range(count)
        ),
        facts=tuple(JudgedFact(fact=fact, present=present) for fact, present in (facts or {}).items()),
        useful=tuple(JudgedChunk(chunk=chunk, useful=use) for chunk, use in (useful or {}).items()),
        preference=_preference(*preference.split()) if preference else None,
        **{name: None if value is None else Opinion(value=value) for name, value in opinions.items()}, **fields,
    )  # fmt: skip


OPINIONS: dict[str, bool | None] = {"abstained": False, "relevance": True, "sufficiency": None}


def _preference(first: Any, second: Any) -> Preference:
    both = {first, second}
    return Preference(first=first, second=second, value=1.0 if both == {"win"} else 0.0 if both == {"loss"} else 0.5)


def labels(*facts: str, **fields: Any) -> Labels:
    """Labels with facts that are called as what they say."""
    return Labels(facts=tuple(Fact(id=fact, text=fact) for fact in facts), **fields)


def view(
    context: str = "A",
    *needs: str | ResolvedNeed,
    said: Judgement | None = None,
    claimed: str | None = "",
    **fields: Any,
) -> CaseView:
    """A judged case whose context is its ranking, each chunk with a text.

    ``claimed`` is as for :func:`claims`, with commas between; None where they could not be had.
    """
    base: dict[str, Any] = {
        "answer": "An answer.", "labels": Labels(), "judgement": said if said is not None else judgement(),
        "passages": {chunk: Passage("doc", f"text of {chunk}", place) for place, chunk in enumerate(context)},
        "claims": None if claimed is None else claims(*filter(None, claimed.split(", "))),
    }  # fmt: skip
    return views.view(context, *needs, **{**base, **fields})


def replied(of: Labels | None = None, answer: str | None = "An answer.", **fields: Any) -> Replied:
    """What another case of a group replied; fields are those of :func:`judgement`."""
    return Replied((), of if of is not None else Labels(), answer, None, judgement(**fields))
