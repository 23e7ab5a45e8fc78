"""Whether a judged row is enforced or only shown: what calibration says of the judge (design section 9)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evaluator.model.calibration import Calibrated, Calibration

MIN_LABELS = 50
MIN_OF_A_CLASS = 10
CLASSES = 2
LOWER_BY = 0.2
"""How far below ``min_kappa`` the one-sided bound may lie."""

TINY = 1e-9
SHARE = 0.2
"""A language that makes up so large a part of a row's cases must be calibrated."""

STANDS_FOR = {
    "context_utilisation": "faithfulness",
    "noise_sensitivity": "faithfulness",
    "noise_sensitivity_relevant": "faithfulness",
    "noise_sensitivity_irrelevant": "faithfulness",
    "citation_precision": "faithfulness",
    "citation_recall": "faithfulness",
    "context_sufficiency": "faithfulness",
    "context_recall": "faithfulness",
    "context_relevance_judged": "context_relevance_judged",
    "context_precision_judged": "context_relevance_judged",
    "paraphrase_consistency": "answer_completeness",
    "answer_relevance_embedding": "answer_relevance",
}
"""Metric -> the one whose labels show how far its judge can be believed.

People label claims, statements, facts, relevance, abstention and chunks. What has no labels of its own is believed as
far as the reply it is read from: verdicts on claims and the context as faithfulness, facts as answer_completeness.
"""


class Belief(NamedTuple):
    """How far a judge is believed.

    Attributes:
        min_kappa: the least agreement that is asked for.
        calibration: what is known of the judge; None where nothing is.
        fingerprint: of the judge that judged: a calibration of another says nothing.
    """

    min_kappa: float
    calibration: Calibration | None
    fingerprint: str | None

    @property
    def is_stale(self) -> bool:
        """Whether the calibration is of another judge."""
        return self.calibration is not None and self.calibration.judge_fingerprint != self.fingerprint

    def doubt(self, metric: str, languages: Iterable[str]) -> str | None:
        """Why a metric is not enforced over cases of these languages, one entry a case; None where it is."""
        if self.calibration is None or self.is_stale:
            return "calibrated for another judge" if self.is_stale else "not calibrated"
        name = metric.partition("@")[0]
        known = self.calibration.metrics.get(STANDS_FOR.get(name, name))
        if known is None or not known.languages:
            return "not calibrated"
        counts = Counter(map(_tag, languages))
        by_tag = {_tag(language): found for language, found in known.languages.items()}
        # Of many languages none may make up so much; then the most frequent ones stand for all.
        least = min([SHARE * counts.total(), *([max(counts.values())] if counts else [])])
        for language in sorted(language for language, count in counts.items() if count >= least):
            found = by_tag.get(language) or by_tag.get(language.partition("-")[0])
            for reason in _weaknesses(found, self.min_kappa):
                return f"{reason} for {language}"
        return None


def _tag(language: str) -> str:
    """A language tag as every other is written: neither case nor ``_`` tells two apart (BCP 47)."""
    return language.lower().replace("_", "-")


def _weaknesses(found: Calibrated | None, min_kappa: float) -> Iterator[str]:
    if found is None:
        yield "not calibrated"
        return
    if found.n < MIN_LABELS:
        yield f"{found.n} labels, {MIN_LABELS} are needed"
    fewest = min(found.classes.values(), default=0) if len(found.classes) >= CLASSES else 0
    if fewest < MIN_OF_A_CLASS:
        yield f"{fewest} labels of the rarer class, {MIN_OF_A_CLASS} are needed"
    if found.kappa is None:
        yield "kappa is not defined"
    elif found.lower is None:
        yield "kappa has no lower bound"
    elif found.kappa < min_kappa:
        yield "kappa {} below {}".format(*numbers.apart(found.kappa, min_kappa))
    elif found.lower < min_kappa - LOWER_BY - TINY:
        yield "kappa may be as low as {}, below {}".format(*numbers.apart(found.lower, min_kappa - LOWER_BY))
