"""Makes a report fit: whole parts are left out, tier by tier, and what failed stays longest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from evaluator import templates
from evaluator.templates import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.report.parts import Example, Listing, Part, ReportView, Table

MAX_LOST = 5
"""Chunks shown of one question."""

MAX_GIVEN = 20
"""Chunks shown of what the model got in one critical case."""

TEMPLATE = "report/comment.md.j2"


class Limit(NamedTuple):
    """What a place takes: code points or UTF-16 units, whichever are more, and UTF-8 bytes."""

    characters: int
    size: int

    def holds(self, text: str) -> bool:
        """Whether a text fits."""
        return (
            len(text.encode("utf-16-le", "surrogatepass")) // 2 <= self.characters
            and len(text.encode("utf-8", "surrogatepass")) <= self.size
        )


class Tier(NamedTuple):
    """How much is shown.

    Attributes:
        examples: questions behind the regressions, and in each folded part.
        items: entries of every other list.
        rows: rows of every table.
        text: code points of any one text that is not ours.
        critical: critical cases that are shown in full; the others are named as long as any question is.
        full: code points of any one text of these.
        left_out: what a reader is told is missing.
        tables: whether the tables are shown.
        quiet: whether rows that tell of no change are shown.
        details: whether anything is folded away.
    """

    examples: int
    items: int
    rows: int
    text: int
    critical: int = 0
    full: int = 0
    left_out: str = ""
    tables: bool = True
    quiet: bool = True
    details: bool = True


ALL = 1_000
"""Every critical case."""

SMALLER = (
    Tier(
        examples=5, items=5, rows=100, text=200, critical=ALL, full=300, left_out="most questions and long lists"
    ),
    Tier(
        examples=5, items=5, rows=60, text=160, critical=ALL, full=200, quiet=False, details=False,
        left_out="unchanged categories, improvements and all details",
    ),
    Tier(
        examples=3, items=5, rows=30, text=140, critical=10, full=160, tables=False, details=False,
        left_out="every table but the regressions, and all details",
    ),
    Tier(
        examples=3, items=5, rows=30, text=120, tables=False, details=False,
        left_out="every table but the regressions, what the model got and said in critical cases, and all details",
    ),
    Tier(
        examples=0, items=3, rows=3, text=80, tables=False, details=False,
        left_out="nearly everything but the verdict",
    ),
)  # fmt: skip
"""From what is dropped first to what always fits."""

NOT_IN_FULL = SMALLER[-1]


def tiers(full: Tier) -> Iterator[Tier]:
    """``full``, then shorter texts, then ever fewer questions and shorter lists, then all that is ``SMALLER``."""
    yield full
    least = SMALLER[0]
    tier = full._replace(
        text=min(full.text, least.text), full=min(full.full, 2 * least.full), left_out="the ends of long texts"
    )
    yield tier
    while tier.examples // 2 > least.examples:
        tier = tier._replace(examples=tier.examples // 2, items=max(tier.items // 2, least.items),
            rows=max(tier.rows // 2, least.rows), full=least.full,
            left_out="some questions and the ends of long texts and lists",
        )  # fmt: skip
        yield tier
    yield from SMALLER


def fitting(view: ReportView, full: Tier, limit: Limit, elsewhere: str) -> str:
    """The comment in the first tier that fits, ``full`` first; ``elsewhere`` names where the rest is."""
    for tier in tiers(full):
        loose = templates.render(TEMPLATE, text_limit=tier.text, view=trimmed(view, tier), elsewhere=elsewhere)
        text = re.sub(r"\n{3,}", "\n\n", f"{loose}\n")
        if limit.holds(text):
            break
    return text


def trimmed(view: ReportView, tier: Tier) -> ReportView:
    """What a tier shows of a view."""
    return view._replace(
        reasons=_part(view.reasons, tier),
        loosened=_part(view.loosened, tier),
        failed=_part(view.failed, tier),
        judged=_part(view.judged, tier),
        in_question=_part(view.in_question, tier),
        tables=tuple(filter(_says_something, (_part(part, tier) for part in view.tables))) if tier.tables else (),
        details=tuple(_part(part, tier) for part in view.details) if tier.details else (),
        left_out=tier.left_out,
    )


def _part(part: Part, tier: Tier) -> Part:
    return part._replace(
        notes=part.notes.top(tier.items),
        snippet=part.snippet._replace(lines=part.snippet.lines.top(tier.items)) if part.snippet else None,
        table=_rows(part.table, tier) if part.table else None,
        examples=_examples(part.examples, tier),
        names=part.names.top(tier.items),
    )


def _says_something(part: Part) -> bool:
    """Whether anything is left of a part; that quiet rows are left out is said of the whole."""
    rows = part.table.rows.items if part.table else ()
    return bool(rows or part.notes.items or part.examples.items or part.names.items)


def _rows(table: Table, tier: Tier) -> Table:
    kept = [row for row in table.rows.items if tier.quiet or not row.quiet]
    return table._replace(rows=table.rows._replace(items=tuple(kept[: tier.rows])))


def _examples(examples: Listing[Example], tier: Tier) -> Listing[Example]:
    # Critical cases stand first; not one of them is left out for being one too many.
    in_full = sum(example.full is not None for example in examples.items)
    shown = examples.top(max(tier.examples, in_full) if tier.examples else 0)
    short = tuple(
        _full(example, tier if place < tier.critical else NOT_IN_FULL)._replace(
            lost=example.lost.top(MAX_LOST),
            steps=example.steps.top(MAX_LOST),
            claims=example.claims.top(MAX_LOST),
            causes=tuple(note._replace(names=note.names.top(MAX_LOST)) for note in example.causes),
        )
        for place, example in enumerate(shown.items)
    )
    return shown._replace(items=short)


def _full(example: Example, tier: Tier) -> Example:
    full = example.full
    if full is None or not tier.full:
        return example._replace(full=None)
    given = full.given.top(MAX_GIVEN)
    return example._replace(
        case=example.case._replace(question=cut(example.case.question, tier.full)),
        full=full._replace(
            said=tuple((which, cut(text, tier.full)) for which, text in full.said),
            given=given._replace(items=tuple(each._replace(text=cut(each.text, tier.full)) for each in given.items)),
        ),
    )  # fmt: skip
