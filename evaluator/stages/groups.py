"""Looks for groups of paraphrases that disagree in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.comparison import groups
from evaluator.metrics import scoring
from evaluator.stages import measuring
from evaluator.stages.behaviour import behaviour_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from evaluator.comparison.groups import Member
    from evaluator.model.exhibits import Worse
    from evaluator.model.view import CaseView
    from evaluator.stages.measuring import Ruler
    from evaluator.stages.tally import Tally


def disagreeing(seen: Tally, metrics: Collection[str]) -> list[Worse]:
    """Members that are worse than another of their group, the worst first, by what ``metrics`` and labels say."""
    declared = seen.ruler.declared
    ids = {str(metric): declared[metric.name] for metric in seen.ruler.metrics if str(metric) in metrics}
    # Who abstained is told in words; a value of the whole group is of no member.
    told = {name: metric for name, metric in ids.items() if metric.bounded and not metric.group and not metric.compares}
    told.pop("abstention", None)
    lower = [name for name, metric in told.items() if not metric.higher_is_better]
    found = [
        each
        for root, names in seen.grouped.items()
        for each in groups.worse(root, list(_members(seen, names, list(told))), lower)
    ]
    return sorted(found, key=lambda each: -groups.size(each))


def _members(seen: Tally, names: Sequence[str], metrics: Sequence[str]) -> Iterator[Member]:
    places = {str(metric): place for place, metric in enumerate(seen.ruler.metrics)}
    for name in names:
        if name in seen.asked:
            stored = seen.candidate.case(name)
            measured = seen.ruler.measure(seen.candidate, stored, measuring.labels_of(stored), {})
            known = {metric: measured.values[places[metric]] for metric in metrics}
            values = {metric: value for metric, value in known.items() if value is not None}
            yield _member(name, seen.ruler, measured.view, values)


def _member(name: str, ruler: Ruler, view: CaseView, values: Mapping[str, float]) -> Member:
    did = behaviour_of(view)
    is_right = None if did == "unknown" else (did == "abstained") == (view.labels.expect == "abstain")
    in_context = frozenset(scoring.facts_in_context(view))
    in_answer = scoring.facts_in_answer(view) if ruler.tier == "full" else None
    texts = {fact.id: " ".join(fact.text.split()) for fact in view.labels.facts}
    return groups.Member(
        name, did, is_right and did != "failed", {text: fact in in_context for fact, text in texts.items()},
        {text: fact in in_answer for fact, text in texts.items()} if isinstance(in_answer, frozenset) else {}, values,
    )  # fmt: skip
