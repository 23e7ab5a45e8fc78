"""What ``calibrate`` and ``agreement`` print, for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evaluator.cli import problems
from evaluator.model.counting import counted
from evaluator.report.terminal import width
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.human.annotators import Agreement, Disagreement
    from evaluator.human.calibration import Measured, Outcome
    from evaluator.human.effects import Position
    from evaluator.human.joining import Pair

MOST_LISTED = 20
"""So many disagreements are printed; ``--format json`` has all."""

MEASURES = {"cohen": "Cohen's kappa", "fleiss": "Fleiss' kappa", "krippendorff": "Krippendorff's alpha"}


def number(value: float | None) -> str:
    """Three decimals, or a dash for what is not defined."""
    return "-" if value is None else f"{value:.3f}"


def calibrated(outcome: Outcome) -> Iterator[str]:
    """The tables by metric and language, what would be enforced, and what was left out."""
    for group in outcome.groups:
        yield from _group(group)
        yield ""
    yield from _position(outcome.position)
    yield from _disagreements(outcome.disagreements)
    for name in outcome.unlabelled:
        yield f"{name}: advisory: no label speaks for it"
    if outcome.left_out:
        yield f"warning: {counted(len(outcome.left_out), 'label')} left out:"
        yield from (f"  {line}" for line in problems.lines(outcome.left_out[:MOST_LISTED]))
        yield from _more(len(outcome.left_out))
    yield f"what would be enforced at judge.min_kappa {outcome.min_kappa:g}:"
    for group in outcome.groups:
        yield f"  {_name(group)}: {'enforced' if group.doubt is None else f'advisory: {group.doubt}'}"


def _name(group: Measured) -> str:
    return f"{group.kind.metric} ({visible(group.language)})"


def _group(group: Measured) -> Iterator[str]:
    found = group.found
    classes = ", ".join(f"{count:,} {name}" for name, count in found.classes.items())
    yield f"{_name(group)}: {counted(found.n, 'label')} of {counted(group.cases, 'case')}: {classes}"
    yield from _confusion(group.kind.scale, group.counts, "people", "judge")
    between = (
        "" if found.interval is None else f", 95 % interval {number(found.interval[0])} to {number(found.interval[1])}"
    )
    bound = "" if found.lower is None else f", one-sided bound {number(found.lower)}"
    yield f"  kappa {number(found.kappa)}{bound}{between}{_undefined(group)}"
    weighted = f", weighted kappa {number(group.weighted)}" if len(group.kind.scale) > len(group.kind.classes) else ""
    yield f"  agreement {number(found.agreement)}, AC1 {number(found.ac1)}{weighted}"
    yield f"  '{group.kind.rest}': precision {number(group.precision)}, recall {number(group.recall)}"
    yield from _length(group)
    yield from _more_labels(group)


def _undefined(group: Measured) -> str:
    if group.found.kappa is None:
        return ": not defined, people and judge always say the same one thing"
    if group.found.lower is None:
        return ", no bound: all labels are of one case"
    judge = [sum(column) for column in zip(*group.counts, strict=True)]
    if judge[0] in (0, sum(judge)):
        always = group.kind.classes[0] if judge[0] else group.kind.rest
        return f": the judge always says '{always}', which tells nothing apart"
    return ""


def _confusion(scale: Sequence[str], counts: Sequence[Sequence[int]], rows: str, columns: str) -> Iterator[str]:
    """Counts as a table whose corner names the two sides."""
    head = [f"{visible(rows)} \\ {visible(columns)}", *scale]
    table = [head, *([label, *(f"{count:,}" for count in row)] for label, row in zip(scale, counts, strict=True))]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    for line in table:
        first, *others = (" " * (room - width(cell)) for cell, room in zip(line, widths, strict=True))
        cells = (space + cell for space, cell in zip(others, line[1:], strict=True))
        yield f"  {'  '.join((line[0] + first, *cells))}".rstrip()


def _length(group: Measured) -> Iterator[str]:
    if group.length.parts:
        parts = (
            f"{part.shortest:,} to {part.longest:,} characters {part.errors} of {part.n}" for part in group.length.parts
        )
        yield f"  errors by length of the answer: {'; '.join(parts)}"
    if group.length.correlation is not None:
        yield f"  rank correlation of errors and length: {group.length.correlation:+.2f}"


def _more_labels(group: Measured) -> Iterator[str]:
    if group.more_to_narrow:
        yield f"  about {counted(group.more_to_narrow, 'more label')} for an interval of 0.1 to both sides"
    if group.more_to_enforce:
        yield f"  about {counted(group.more_to_enforce, 'more label')} until it is enforced, if agreement stays"


def _position(position: Position | None) -> Iterator[str]:
    if position is not None:
        swayed = position.first + position.second
        yield (
            f"place: it changed the verdict in {swayed:,} of {counted(position.pairs, 'pair')} of answers, "
            f"{position.first:,} for the one shown first and {position.second:,} for the second "
            f"(sign test p = {position.p:.2g})"
        )


def _disagreements(pairs: Sequence[Pair]) -> Iterator[str]:
    if pairs:
        yield f"{counted(len(pairs), 'disagreement')} of judge and people:"
    for pair in pairs[:MOST_LISTED]:
        text = f": {visible(pair.thing.text, 160)}" if pair.thing.text else ""
        label = pair.label
        yield f"  {label.named}: people {label.label}, judge {pair.judge} ({label.file}:{label.line}){text}"
    yield from _more(len(pairs))


def _more(found: int) -> Iterator[str]:
    if found > MOST_LISTED:
        yield f"  and {found - MOST_LISTED:,} more (--format json has all)"


def calibrated_json(outcome: Outcome) -> str:
    """All that was found, as one JSON document; numbers as they are."""
    return _json(
        {
            "calibration": outcome.calibration.model_dump(mode="json"),
            "min_kappa": outcome.min_kappa,
            "groups": [_group_json(group) for group in outcome.groups],
            "unlabelled": outcome.unlabelled,
            "position": outcome.position and outcome.position._asdict(),
            "left_out": [problems.as_json(each) for each in outcome.left_out],
            "disagreements": [_pair_json(pair) for pair in outcome.disagreements],
        }
    )


def _group_json(group: Measured) -> dict[str, Any]:
    scale = group.kind.scale
    return {
        "metric": group.kind.metric, "language": group.language, "cases": group.cases,
        **group.found.model_dump(mode="json"),
        "confusion": {
            label: dict(zip(scale, row, strict=True)) for label, row in zip(scale, group.counts, strict=True)
        },
        "weighted_kappa": group.weighted, "precision": group.precision, "recall": group.recall,
        "length": {
            "parts": [part._asdict() for part in group.length.parts], "correlation": group.length.correlation,
        },
        "enforced": group.doubt is None, "reason": group.doubt,
        "more_to_narrow": group.more_to_narrow, "more_to_enforce": group.more_to_enforce,
    }  # fmt: skip


def _pair_json(pair: Pair) -> dict[str, Any]:
    label = pair.label
    return {
        "kind": label.kind.name, "case": label.case, "id": pair.thing.id, "text": pair.thing.text,
        "people": label.label, "judge": pair.judge, "file": label.file, "line": label.line,
    }  # fmt: skip


def agreed(found: Sequence[Agreement]) -> Iterator[str]:
    """A paragraph for each kind of label, and what annotators differ on."""
    for each in found:
        names = ", ".join(visible(name) for name in each.annotators)
        yield f"{each.kind.name}: {counted(each.items, 'item')}, {each.shared:,} labelled by at least two of {names}"
        if each.missing:
            yield f"  {counted(each.missing, 'label')} missing"
        value = number(each.value) if each.value is not None else f"not defined: {each.why}"
        gated = f", as it is gated ({each.kind.scale[0]} against the rest) {number(each.gated)}"
        yield f"  {MEASURES[each.measure]} {value}{gated if len(each.kind.scale) > len(each.kind.classes) else ''}"
        yield f"  all alike on {number(each.alike)} of what two or more labelled"
        yield from _pairs(each)
        yield from _differing(each.disagreements)


def _pairs(found: Agreement) -> Iterator[str]:
    for both in found.pairs:
        if len(found.pairs) == 1:
            yield from _confusion(found.kind.scale, both.counts, both.first, both.second)
        names = f"{visible(both.first)} and {visible(both.second)}"
        weighted = f", weighted {number(both.weighted)}" if len(found.kind.scale) > len(found.kind.classes) else ""
        yield (
            f"  {names}: {counted(both.n, 'item')}, agreement {number(both.agreement)}, kappa {number(both.kappa)}"
            f"{weighted}, AC1 {number(both.ac1)}"
        )


def _differing(those: Sequence[Disagreement]) -> Iterator[str]:
    if those:
        yield f"  {counted(len(those), 'disagreement')}:"
    for each in those[:MOST_LISTED]:
        thing = f" '{visible(each.thing)}'" if each.thing else ""
        said = ", ".join(f"{visible(name)} {label} ({each.places[name]})" for name, label in each.said.items())
        yield f"    case '{visible(each.case)}', {each.kind}{thing}: {said}"
    yield from (f"  {line}" for line in _more(len(those)))


def agreed_json(found: Sequence[Agreement]) -> str:
    """The same as one JSON list; numbers as they are."""
    return _json([_agreement_json(each) for each in found])


def _agreement_json(found: Agreement) -> dict[str, Any]:
    both = [{**each._asdict(), "annotators": [each.first, each.second]} for each in found.pairs]
    return {
        **found._asdict(), "kind": found.kind.name, "scale": found.kind.scale,
        "pairs": [{key: value for key, value in each.items() if key not in {"first", "second"}} for each in both],
        "disagreements": [each._asdict() for each in found.disagreements],
    }  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
