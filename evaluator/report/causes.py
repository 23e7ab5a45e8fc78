"""Why cases fail: beside each question, by half near the verdict, and counted by category."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evaluator.comparison.diagnosis import CAUSES, CONFLICTING, RANKING, RETRIEVAL
from evaluator.model.counting import counted
from evaluator.report.parts import FAILING, CauseNote, Listing, Note, Part, Table, TableRow
from evaluator.templates import Name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from evaluator.comparison.diagnosis import Half
    from evaluator.model.exam import Regressed
    from evaluator.model.run import RunCase, RunHead, SummaryValue

HALVES: Mapping[Half, str] = {
    "pipeline": "the pipeline itself",
    "corpus": "the corpus",
    "retrieval": "retrieval",
    "generation": "generation",
    "labels": "labels or judge",
}
MAX_CHUNKS = 3
"""Chunks that are named behind one case."""

LOST_FACTS = "required facts that the model no longer got"
LOST_ANSWER_FACTS = "required facts that the answer no longer has"

NOTABLE = 0.25
"""Share of the longer text from which on another length is told: other chunks nearly always have one."""

HIGH_RECALL = 0.8
"""From here on most of what is needed is found."""

FAR_DOWN = 0.2
"""By so much at least the order lags behind what was found, where re-ranking may help."""

ORDERS = ("mrr", "ndcg")
_DEEPER = ", mostly for chunks that were found further down: re-rank, or hand on more."
SEARCHES = frozenset(
    {"recall", "hit", "mrr", "ndcg", "ndcg_exp", "map", "precision", "context_precision", "fact_coverage"}
)
"""Metrics that say how well something was found."""


@dataclass
class Causes:
    """The diagnoses of the cases that are not held out.

    Attributes:
        of: by case, its diagnosis.
        counts: by category, how often each was given.
        conflicting: by case, the chunks that support what contradicts the reference.
        has_fixture: whether it is known what else there was to be found.
    """

    of: dict[str, str] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    conflicting: dict[str, tuple[str, ...]] = field(default_factory=dict)
    has_fixture: bool = True

    def take(self, case: RunCase) -> None:
        """Note a case. A file may hold any text for a diagnosis, and any claims."""
        cause = case.diagnosis
        if cause is None or cause not in CAUSES or case.split == "holdout":
            return
        self.of[case.id] = cause
        self.counts.setdefault(case.category, Counter())[cause] += 1
        if cause == CONFLICTING:
            self.conflicting[case.id] = tuple(dict.fromkeys(_conflicting(case.claims or ())))

    @property
    def total(self) -> Counter[str]:
        """How often each was given."""
        return sum(self.counts.values(), Counter())


def _conflicting(claims: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for claim in claims:
        if claim.get("verdict") == "supported" and claim.get("reference") == "contradicts":
            yield from (chunk for chunk in claim.get("chunks") or () if isinstance(chunk, str))


def lines(causes: Causes, case: str, lost: Regressed | None) -> Iterator[CauseNote]:
    """What is said beside a question: its cause and what to change first, what was lost, and what changed in length."""
    cause = causes.of.get(case)
    if cause is not None:
        yield CauseNote(_diagnosis(causes, cause, lost.before if lost is not None else None))
    yield from _named("supports what contradicts the reference", causes.conflicting.get(case, ()))
    if lost is None:
        return
    yield from _named(LOST_FACTS, lost.facts)
    yield from _named(LOST_ANSWER_FACTS, lost.answer_facts)
    for what, sizes in (("the answer", lost.answer), ("what the model got", lost.context)):
        if sizes is not None and abs(sizes[1] - sizes[0]) >= NOTABLE * max(sizes) > 0:
            yield CauseNote(f"{what}: {sizes[0]:,} → {sizes[1]:,} characters")


def _diagnosis(causes: Causes, cause: str, before: str | None) -> str:
    was = f" (before: {before})" if before in CAUSES and before != cause else ""
    lever = CAUSES[cause].lever
    if cause == RETRIEVAL and not causes.has_fixture:
        lever = f"whether the documents hold it, for there is no fixture to tell; then {lever}"
    return f"diagnosis: {cause}{was}; change first: {lever}"


def _named(text: str, names: Sequence[str]) -> Iterator[CauseNote]:
    if names:
        yield CauseNote(text, Listing.of([Name(name) for name in names]))


def halves(causes: Causes, behind: Collection[str]) -> Iterator[Note]:
    """Which half broke, in the questions behind what failed; where no question is, in all that fail."""
    found = Counter(causes.of[case] for case in behind if case in causes.of) if behind else causes.total
    if not found:
        return
    total = len(behind) or found.total()
    by_half: dict[str, Counter[str]] = {}
    for cause in CAUSES:
        if found[cause]:
            by_half.setdefault(HALVES[CAUSES[cause].half], Counter())[cause] = found[cause]
    ranked = sorted(by_half.items(), key=lambda item: -item[1].total())
    where = f"{counted(total, 'question')} behind it" if behind else counted(total, "failing question")
    (half, of), *others = ranked
    said = [f"{half[:1].upper()}{half[1:]} broke in {of.total():,} of {where}{_apart(half, of)}"]
    said += [f"{half} in {of.total():,}{_apart(half, of)}" for half, of in others]
    rest = total - found.total()
    said += [f"nothing that is known to be needed is missing or wrong in {rest:,}"] if rest else []
    yield Note(f"{'; '.join(said)}.")


def _apart(half: str, found: Counter[str]) -> str:
    names = [cause for cause in CAUSES if found[cause]]
    if names == [half]:
        return ""
    return f" ({', '.join(f'{name} {found[name]:,}' for name in names)})"


def advice(head: RunHead, causes: Causes, categories: Iterable[str | None]) -> list[Note]:
    """What recall beside the order of what was found says to change, over all cases (None) or in some categories."""
    said: dict[str, list[str]] = {}
    for category in dict.fromkeys(categories):
        means = head.summary.all if category is None else head.summary.categories.get(category, {})
        found = causes.total if category is None else causes.counts.get(category, Counter())
        where = "over all cases" if category is None else f"in {category}"
        for lever, values in _levers(means, found):
            said.setdefault(lever, []).append(f"{where} ({values})")
    return [Note(lever.format(_listed(where))) for lever, where in said.items()]


def _levers(means: Mapping[str, SummaryValue], found: Counter[str]) -> Iterator[tuple[str, str]]:
    recall = _first(means, ("recall",))
    if recall is None:
        return
    name, value = recall
    if value < HIGH_RECALL:
        what = _DEEPER if found[RANKING] > found[RETRIEVAL] else ": look at chunking, embeddings and the query."
        yield f"Recall is low {{}}{what}", f"{name} {value:.3f}"
        return
    orders = (_first(means, (order,)) for order in ORDERS)
    low = [order for order in orders if order is not None and order[1] <= value - FAR_DOWN]
    if low:
        values = ", ".join(f"{metric} {mean:.3f}" for metric, mean in [recall, *low])
        yield "Recall is high and the order is not {}: re-rank.", values


def _first(means: Mapping[str, SummaryValue], names: Collection[str]) -> tuple[str, float] | None:
    """The first metric of these that was scored, at whatever cut-off."""
    found = ((name, value.mean) for name, value in means.items() if name.partition("@")[0] in names)
    return next(((name, mean) for name, mean in found if mean is not None), None)


def _listed(places: Sequence[str], most: int = 3) -> str:
    more = len(places) - most
    return ", ".join([*places[:most], *([f"and {more} more"] if more > 0 else [])])


def part(causes: Causes, head: RunHead) -> Part:
    """The cases that fail, by category and cause."""
    total = causes.total
    shown = [cause for cause in CAUSES if total[cause]]
    rows = [
        TableRow((category, str(found.total()), *(str(found[cause] or "") for cause in shown)))
        for category, found in sorted(causes.counts.items())
    ]
    table = Table(("Category", FAILING, *shown), Listing.of(rows)) if rows else None
    return Part(
        f"Why cases fail: {counted(total.total(), 'case')}",
        notes=Listing.of(advice(head, causes, [None]) if rows else []),
        table=table,
    )
