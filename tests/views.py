"""Factories for what metrics read: each takes only what a test is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.golden import Labels
from evaluator.model.score import MetricId, Scored
from evaluator.model.view import CaseView, Passage, ResolvedNeed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def one_of(*chunks: str, grade: int = 1) -> ResolvedNeed:
    """A need that any one of some chunks satisfies."""
    return ResolvedNeed(tuple((chunk,) for chunk in chunks), grade)


def all_of(*chunks: str, grade: int = 1) -> ResolvedNeed:
    """A need that only all of some chunks satisfy."""
    return ResolvedNeed((chunks,), grade)


def view(ranking: str = "", *needs: str | ResolvedNeed, **fields: Any) -> CaseView:
    """A case with a ranking of one-letter chunks; a need in letters is satisfied by any one of them.

    The context is the whole ranking and no text is known, unless fields say otherwise.
    """
    resolved = tuple(one_of(*need) if isinstance(need, str) else need for need in needs)
    known = fields.get("passages", {})
    context = fields.get("context", tuple(ranking))
    base = {
        "labels": Labels(), "needs": resolved, "ranking": tuple(ranking), "context": context,
        "passages": {chunk: known.get(chunk, Passage(None, None)) for chunk in (*ranking, *context)},
    }  # fmt: skip
    return CaseView(**{**base, **{name: value for name, value in fields.items() if name != "passages"}})


def read(texts: Mapping[str, str], **fields: Any) -> CaseView:
    """A case that retrieved these texts, in this order, all of one document and in its order."""
    passages = {chunk: Passage("doc", text, place) for place, (chunk, text) in enumerate(texts.items())}
    return view("".join(texts), passages=passages, **fields)


def outcome(metric: str, case: CaseView) -> float | str:
    """The value of a metric, or the reason why there is none."""
    wanted = MetricId.parse(metric)
    score = scoring.score_case(case, [wanted], metrics.load())[wanted]
    return score.value if isinstance(score, Scored) else score.reason


def outcomes(case: CaseView, names: Iterable[str]) -> dict[str, float | str]:
    """Several metrics of one case."""
    return {name: outcome(name, case) for name in names}
