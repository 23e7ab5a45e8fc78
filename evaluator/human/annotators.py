"""How far annotators agree with one another, by what they label."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from evaluator import errors
from evaluator.human import agreement
from evaluator.human.kinds import KINDS
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.human.kinds import Kind
    from evaluator.human.labels import Label

TWO = 2

Measure: TypeAlias = Literal["cohen", "fleiss", "krippendorff"]


class Disagreement(NamedTuple):
    """A thing on which annotators differ: who said what, and where each label stands."""

    kind: str
    case: str
    thing: str
    said: Mapping[str, str]
    places: Mapping[str, str]


class Both(NamedTuple):
    """Two annotators over what both labelled; ``counts`` have the first one's labels as rows, by the scale."""

    first: str
    second: str
    n: int
    agreement: float | None
    kappa: float | None
    gated: float | None
    weighted: float | None
    ac1: float | None
    counts: tuple[tuple[int, ...], ...]


class Agreement(NamedTuple):
    """How far annotators agree on one kind of thing.

    Attributes:
        items: how many things were labelled.
        shared: how many of them by at least two annotators.
        missing: how many labels there would be more if everybody had labelled everything.
        measure: the measure to quote: ``cohen`` of two, ``fleiss`` of more, ``krippendorff`` where labels are missing.
        value: its value over all labels of the scale; None where it is not defined, and ``why`` says so.
        gated: the same over the two classes that are gated.
        krippendorff: alpha over all labels, whatever is missing.
        pairs: every two annotators who labelled a thing both.
        alike: share of the shared things on which all who labelled them agree.
    """

    kind: Kind
    annotators: tuple[str, ...]
    items: int
    shared: int
    missing: int
    measure: Measure
    value: float | None
    gated: float | None
    why: str
    krippendorff: float | None
    alike: float | None
    pairs: tuple[Both, ...]
    disagreements: tuple[Disagreement, ...]


def agreements(labels: Sequence[Label]) -> tuple[Agreement, ...]:
    """How far annotators agree, for each kind of thing that at least two of them labelled.

    Raises:
        InputError: nothing was labelled by two annotators.
    """
    found = []
    for kind in KINDS.values():
        those = [label for label in labels if label.kind is kind]
        if len({label.annotator for label in those}) >= TWO:
            found.append(_agreement(kind, those))
    if not any(each.shared for each in found):
        raise errors.InputError([labels[0].problem("no-labels", _nobody(labels))])
    return tuple(found)


def _nobody(labels: Sequence[Label]) -> str:
    names = sorted({label.annotator for label in labels})
    if len(names) == 1:
        return f"all labels are by '{visible(names[0])}'; agreement is between two annotators at least"
    return "no claim, chunk or other thing has labels of two annotators; both have to name it by the same id or text"


def _agreement(kind: Kind, labels: Sequence[Label]) -> Agreement:
    items: dict[tuple[str, str, str], dict[str, Label]] = {}
    for label in labels:
        items.setdefault(label.item, {})[label.annotator] = label
    names = tuple(sorted({label.annotator for label in labels}))
    missing = len(items) * len(names) - len(labels)
    measure: Measure = "krippendorff" if missing else "cohen" if len(names) == TWO else "fleiss"
    ratings = _ratings([*items.values()], kind.scale)
    two = np.column_stack([ratings[:, 0], ratings[:, 1:].sum(axis=1)])
    shared = [said for said in items.values() if len(said) >= TWO]
    pairs = tuple(_pairs(kind, shared, names))
    value, gated = _value(measure, ratings, pairs), _value(measure, two, pairs, is_gated=True)
    return Agreement(
        kind, names, len(items), len(shared), missing, measure, value, gated,
        "" if value is not None else _undefined(shared), agreement.krippendorff(ratings),
        sum(map(_is_alike, shared)) / len(shared) if shared else None, pairs,
        tuple(_disagreement(said) for said in shared if not _is_alike(said)),
    )  # fmt: skip


def _value(
    measure: Measure, ratings: agreement.Counts, pairs: Sequence[Both], *, is_gated: bool = False
) -> float | None:
    if measure == "cohen":
        return pairs[0].gated if is_gated else pairs[0].kappa
    return agreement.fleiss(ratings) if measure == "fleiss" else agreement.krippendorff(ratings)


def _undefined(shared: Sequence[Mapping[str, Label]]) -> str:
    if not shared:
        return "no two annotators labelled the same thing"
    [label] = {label.label for said in shared for label in said.values()}
    return f"everybody always said '{label}'"


def _ratings(items: Sequence[Mapping[str, Label]], scale: Sequence[str]) -> agreement.Counts:
    found = np.zeros((len(items), len(scale)), dtype=np.int64)
    for row, said in enumerate(items):
        for label in said.values():
            found[row, scale.index(label.label)] += 1
    return found


def _pairs(kind: Kind, items: Sequence[Mapping[str, Label]], names: Sequence[str]) -> Iterator[Both]:
    for first, second in itertools.combinations(names, TWO):
        both = [(said[first].label, said[second].label) for said in items if first in said and second in said]
        if both:
            counts = agreement.confusion(both, kind.scale)
            yield Both(
                first, second, len(both), agreement.raw(counts), agreement.kappa(counts),
                agreement.kappa(agreement.gated(counts)), agreement.weighted(counts), agreement.ac1(counts),
                tuple(tuple(row) for row in counts.tolist()),
            )  # fmt: skip


def _is_alike(said: Mapping[str, Label]) -> bool:
    return len({label.label for label in said.values()}) == 1


def _disagreement(said: Mapping[str, Label]) -> Disagreement:
    in_order = dict(sorted(said.items()))
    first = next(iter(in_order.values()))
    return Disagreement(
        *first.item, {name: label.label for name, label in in_order.items()},
        {name: f"{label.file}:{label.line}" for name, label in in_order.items()},
    )  # fmt: skip
