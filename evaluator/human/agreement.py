"""Measures of agreement over counts: pure, exact where one side is constant, and never NaN.

A measure that is not defined is None. Cohen's kappa of two who never differ because both always say the same is such
one; where only one of them always says the same, it is exactly 0, for nothing was told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[np.int64]
    """How often, K x K: rows are what the first said, columns what the second said, both in the scale's order."""

Weights: TypeAlias = Literal["linear", "quadratic"]


def confusion(pairs: Iterable[tuple[str, str]], scale: Sequence[str]) -> Counts:
    """Pairs of labels counted, K x K in the order of the scale.

    Raises:
        KeyError: a label is not on the scale.
    """
    place = {label: index for index, label in enumerate(scale)}
    found = np.zeros((len(scale), len(scale)), dtype=np.int64)
    for first, second in pairs:
        found[place[first], place[second]] += 1
    return found


def gated(counts: Counts) -> Counts:
    """The same as two classes, 2 x 2: the first of the scale against the rest."""
    good, row, column = int(counts[0, 0]), int(counts[0].sum()), int(counts[:, 0].sum())
    total = int(counts.sum())
    return np.array([[good, row - good], [column - good, total - row - column + good]], dtype=np.int64)


def raw(counts: Counts) -> float | None:
    """Share of pairs that are equal; None of none."""
    total = int(counts.sum())
    return int(np.trace(counts)) / total if total else None


def kappa(counts: Counts) -> float | None:
    """Cohen's kappa (Cohen 1960): (observed - expected) / (1 - expected); None where that is 0 / 0."""
    total, same = int(counts.sum()), int(np.trace(counts))
    # Whole numbers of any size: a judge that always says the same gets 0 and not some 1e-17.
    rows, columns = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
    expected = sum(row * column for row, column in zip(rows, columns, strict=True))
    possible = total * total - expected
    return (total * same - expected) / possible if possible else None


def weighted(counts: Counts, weights: Weights = "linear") -> float | None:
    """Weighted kappa (Cohen 1968) on an ordered scale: far disagreements count more; None where it is 0 / 0."""
    size, total = len(counts), int(counts.sum())
    power = 1 if weights == "linear" else 2
    rows, columns = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
    cells = [(i, j, abs(i - j) ** power) for i in range(size) for j in range(size)]
    observed = sum(weight * int(counts[i, j]) for i, j, weight in cells)
    expected = sum(weight * rows[i] * columns[j] for i, j, weight in cells)
    return 1 - total * observed / expected if expected else None


def ac1(counts: Counts) -> float | None:
    """Gwet's AC1 (Gwet 2008), which stays high where nearly all is of one class; None of none."""
    total, same = int(counts.sum()), int(np.trace(counts))
    if not total:
        return None
    shares = [(row + column) / (2 * total) for row, column in zip(counts.sum(1), counts.sum(0), strict=True)]
    chance = float(sum(share * (1 - share) for share in shares)) / (len(counts) - 1)
    return (same / total - chance) / (1 - chance)


def precision(counts: Counts) -> float | None:
    """Of what the second calls the last class, the share that the first does; None where it calls nothing so."""
    said = int(counts[:, -1].sum())
    return int(counts[-1, -1]) / said if said else None


def recall(counts: Counts) -> float | None:
    """Of what the first calls the last class, the share that the second does; None where there is none."""
    return precision(counts.T)


def fleiss(ratings: Counts) -> float | None:
    """Fleiss' kappa (Fleiss 1971) of N items x K classes, each cell how many annotators said so.

    None where all always said the same, or there is no item.

    Raises:
        ValueError: items have different numbers of annotators, or fewer than two.
    """
    if not len(ratings):
        return None
    each = {int(number) for number in ratings.sum(axis=1)}
    if len(each) > 1 or min(each) < 2:  # noqa: PLR2004 - agreement is of two at least
        raise ValueError("each item needs the same number of annotators, two at least")
    [annotators] = each
    items = len(ratings)
    same = int((ratings * (ratings - 1)).sum())
    totals = ratings.sum(axis=0).tolist()
    all_labels = items * annotators
    # Observed and expected over one denominator, in whole numbers as in kappa.
    expected: int = sum(number * number for number in totals)
    if expected == all_labels * all_labels:
        return None
    observed = same / (items * annotators * (annotators - 1))
    chance = expected / (all_labels * all_labels)
    return (observed - chance) / (1 - chance)


def krippendorff(ratings: Counts) -> float | None:
    """Krippendorff's alpha (2011) for nominal labels of N items x K classes; annotators may have left items out.

    Items with one label say nothing and are left out. None where no item has two, or all of those say the same.
    """
    several = ratings[ratings.sum(axis=1) > 1]
    totals = several.sum(axis=0)
    labels = int(totals.sum())
    apart = labels * labels - int((totals * totals).sum())
    if not apart:
        return None
    each = several.sum(axis=1)
    differing = (each * each - (several * several).sum(axis=1)) / (each - 1)
    return 1 - (labels - 1) * float(differing.sum()) / apart


def ranks_together(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation, ties sharing their mean rank; None where a side is constant."""
    one, two = _ranks(first), _ranks(second)
    one, two = one - one.mean() if len(one) else one, two - two.mean() if len(two) else two
    size = float(np.sqrt((one * one).sum() * (two * two).sum()))
    return float((one * two).sum()) / size if size else None


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    found: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return found
