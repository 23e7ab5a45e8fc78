"""Where what made the exam easier stands in the golden set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.model.score import MetricId
from evaluator.stages import measuring
from evaluator.stores import golden
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.model.comparison import Comparison, Loosened
    from evaluator.stages.tally import Tally
    from evaluator.stages.workspace import Workspace

MAX_NAMED = 3
"""So many relabelled cases are named behind one row."""


def situate(workspace: Workspace, comparison: Comparison, seen: Tally) -> Comparison:
    """Say of each case its line and category, and of each row that no key of the configuration explains its labels."""
    if not comparison.loosened:
        return comparison
    lines, categories = _lines(workspace), {line.id: line.category for line in seen.new}
    found = []
    for entry in comparison.loosened:
        place = _of_case(entry, lines, categories) if entry.case is not None else _of_row(entry, lines, seen)
        where = "; ".join(filter(None, (entry.where, place)))
        found.append(entry.but(where=where or None))
    return comparison.but(loosened=tuple(found))


def _of_case(entry: Loosened, lines: Mapping[str, str], categories: Mapping[str, str]) -> str:
    case = entry.case or ""
    category = f"category {categories[case]}" if case in categories else ""
    return ", ".join(filter(None, (lines.get(case), category)))


def _of_row(entry: Loosened, lines: Mapping[str, str], seen: Tally) -> str:
    """Another pattern of citations, else the relabelled cases of a row, where nothing else can be to blame."""
    if entry.where is not None or entry.metric is None:
        return ""
    if seen.baseline is not None and seen.old_ruler.reads_otherwise(MetricId.parse(entry.metric)):
        before, after = (measuring.citations_of(run.head) for run in (seen.baseline, seen.candidate))
        return f"citations.pattern: {_pattern(before)} → {_pattern(after)}"
    # A flag that is gone is a change of labels too, and said on its own.
    relabelled = seen.relabelled.keys() - set(seen.flags)
    cases = [line.id for line in seen.new if line.id in relabelled and entry.category in (None, line.category)]
    return f"labels changed: {_listed(cases, lines)}" if cases else ""


def _pattern(text: str | None) -> str:
    return "none" if text is None else visible(text)


def _listed(cases: Sequence[str], lines: Mapping[str, str]) -> str:
    named = [f"{case} ({lines[case]})" if case in lines else case for case in cases[:MAX_NAMED]]
    more = len(cases) - len(named)
    return ", ".join([*named, *([f"and {counted(more, 'case')} more"] if more else [])])


def _lines(workspace: Workspace) -> dict[str, str]:
    """``eval/golden.jsonl:12`` of every case that can be read, files as the configuration names them."""
    written = {str(workspace.path(name)): name for name in workspace.config.golden}
    cases = workspace.handed.golden or golden.look([workspace.path(name) for name in workspace.config.golden])[0]
    return {case: f"{written.get(place.file, place.file)}:{place.line}" for case, place in cases.places.items()}
