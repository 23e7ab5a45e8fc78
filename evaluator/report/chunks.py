"""What the chunks have to do with the numbers: other chunking, and results that nobody has labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.comparison.rows import RECHUNKED_SHARE
from evaluator.model.counting import counted
from evaluator.report import numbers
from evaluator.report.parts import Listing, Note, Part, Table, TableRow
from evaluator.templates import Name, cut, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.report.inputs import Inputs

CONTEXT_TOKENS = "context_tokens"
MAX_BEGINNING = 100
"""Code points of a chunk by which a person knows it."""


def other_chunking(inputs: Inputs) -> Part:
    """How many cases are re-chunked, what that means for rows, and what the contexts cost now."""
    number, paired = inputs.exhibits.rechunked, inputs.comparison.paired
    if not number:
        return Part("")
    share = f"more than {RECHUNKED_SHARE:.0%} of a row's cases"
    meaning = f"The needs of {number:,} of {counted(paired, 'case')} stand in other chunks than in the baseline."
    rule = f"Metrics that count chunks are advisory where that is {share}; those that count needs or facts decide."
    return Part("Other chunking", notes=Listing.of([Note(text) for text in (meaning, rule, *_cost(inputs))]))


def _cost(inputs: Inputs) -> Iterator[str]:
    for row in inputs.comparison.rows:
        if (row.metric, row.scope) == (CONTEXT_TOKENS, "all") and row.baseline is not None:
            before, after = numbers.values(CONTEXT_TOKENS, row.baseline, row.candidate)
            yield f"{CONTEXT_TOKENS} {before} → {after}: about how much the model reads for a question."


def to_label(inputs: Inputs) -> Part:
    """The results to be labelled before some rows can be decided."""
    found = inputs.exhibits.unlabelled
    rows = [
        TableRow((Name(each.id), Name(each.chunk), str(each.rank), cut(one_line(each.text or ""), MAX_BEGINNING)))
        for each in found
    ]
    said = "New results that nobody has labelled as relevant or irrelevant. A drop may be their doing: label them."
    return Part(
        f"To be labelled: {counted(len(found), 'result')}",
        notes=Listing.of([Note(said)] if rows else []),
        table=Table(("Case", "Chunk", "Rank", "Text"), Listing.of(rows)) if rows else None,
    )
