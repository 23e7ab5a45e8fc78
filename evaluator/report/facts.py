"""How the required facts of the cases were found: what is not written as the golden set has it can be looked over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report.parts import Listing, Note, Part, Table, TableRow
from evaluator.templates import Name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.run import How
    from evaluator.report.inputs import Inputs

IN_WORDS: Mapping[How | None, str] = {
    "text": "as written",
    "regex": "by a pattern",
    "stems": "by word stems",
    "characters": "by characters",
    None: "not found",
}


def found(inputs: Inputs) -> Part:
    """How many facts were found in which way, and which of them in other words than the golden set's."""
    counts = [f"{inputs.facts[how]:,} {words}" for how, words in IN_WORDS.items() if inputs.facts.get(how)]
    rows = [
        TableRow((Name(each.case), Name(each.fact), Name(" + ".join(each.chunks)), str(each.rank), IN_WORDS[each.how]))
        for each in inputs.inferred
    ]
    table = Table(("Case", "Fact", "Found in", "Rank", "How"), Listing.of(rows)) if rows else None
    return Part(
        f"Required facts in the context: {counted(sum(inputs.facts.values()), 'fact')}",
        notes=Listing.of([Note(f"{', '.join(counts)}.")] if counts else []),
        table=table,
    )
