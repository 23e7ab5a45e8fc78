"""What a stored run comes to, counted again: no code is shared with RAG Assay, and neither scores nor needs are read.

Of run.json only what the pipeline did is read: rankings, contexts, answers, failures. Needs and facts come from the
golden set and texts from the fixture. A fact counts as found where one chunk holds it word for word, in any case; that
is less than what RAG Assay finds, and enough for facts that were copied from the chunks.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

WORD = re.compile(r"[^\W_]+")
EPSILON = 1e-9
K = 5
MIN_CASES = 5
DRIFT = 0.05
RULES = {
    "recall@5": ("category", 0.02, 2),
    "fact_coverage@5": ("category", 0.02, 2),
    "context_precision@5": ("all", 0.05, 2),
}
"""The documented default rules: metric -> per, max_drop, min_lost."""


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def words(text: str) -> str:
    """The words of a text in one form, each between two spaces."""
    found = WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(found)} "


class Suite:
    """A golden set with the chunks it is asked over."""

    def __init__(self, golden: Path, fixture: Path) -> None:
        self.cases = {case["id"]: case for case in lines(golden)}
        self._chunks = lines(fixture / "chunks.jsonl")

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The words of every chunk."""
        return {chunk["id"]: words(chunk["text"]) for chunk in self._chunks}

    @cached_property
    def documents(self) -> Mapping[str, list[str]]:
        """The chunks of every document."""
        found: dict[str, list[str]] = defaultdict(list)
        for chunk in self._chunks:
            found[chunk.get("doc") or ""].append(chunk["id"])
        return found

    def serving(self, need: Any) -> set[str]:
        """The chunks of which any one satisfies a need; a quote is more than this program knows."""
        if isinstance(need, str):
            return {need}
        if "any_of" in need:
            return set(need["any_of"])
        return {need["chunk"]} if "chunk" in need else set(self.documents[need["doc"]])

    def states(self, chunks: Iterable[str], fact: Mapping[str, Any]) -> bool:
        """Whether one of some chunks holds a fact."""
        alternatives = [words(text) for text in fact.get("any") or [fact["text"]]]
        return any(text in self.texts.get(chunk, "") for chunk in chunks for text in alternatives)


class Did(NamedTuple):
    """What a pipeline did for a case."""

    ranking: list[str]
    context: list[str]
    failed: bool
    abstained: bool | None

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Did:
        """From a case of run.json. An empty answer is an abstention, and without a judge no other answer tells."""
        answer = stored["answer"]
        abstained = True if answer is not None and not answer.strip() else stored["abstained"]
        ranking = [hit["id"] for hit in stored["retrieved"]]
        return cls(ranking, stored["context"], stored["failure"] is not None, abstained)


def cause(suite: Suite, case: Mapping[str, Any], did: Did) -> str | None:
    """Why a case fails, as docs/diagnosis.md has it for a run without a judge; None where it does not."""
    if did.failed:
        return "pipeline failed"
    expects_abstention = case.get("expect") == "abstain"
    is_wrong = did.abstained is not None and did.abstained != expects_abstention
    if is_wrong and expects_abstention:
        return "abstention"
    served = [suite.serving(need) for need in case.get("relevant", [])]
    missing = [chunks for chunks in served if not chunks & set(did.context)]
    if missing:
        if any(not chunks & set(suite.texts) for chunks in missing):
            return "content gap"
        return "retrieval" if any(not chunks & set(did.ranking) for chunks in missing) else "ranking"
    found = _facts(suite, case, did, set[str]().union(*served))
    for each in ("content gap", "retrieval", "ranking"):
        if each in found:
            return each
    return "check the golden label or the judge" if found else "abstention" if is_wrong else None


def _facts(suite: Suite, case: Mapping[str, Any], did: Did, needed: set[str]) -> set[str]:
    """What is to be said of each fact that the context lacks."""
    said = set()
    for fact in case.get("facts", []):
        if suite.states(did.context, fact):
            continue
        where = needed or set(suite.texts)
        if suite.states((needed & set(did.ranking)) if needed else did.ranking, fact):
            said.add("ranking")
        elif suite.states(where, fact):
            said.add("retrieval")
        else:
            said.add("label" if needed else "content gap")
    return said


def causes(suite: Suite, run: Mapping[str, Any]) -> dict[str, str | None]:
    """The cause of every case of a run."""
    return {each["id"]: cause(suite, suite.cases[each["id"]], Did.of(each)) for each in run["cases"]}


def by_category(suite: Suite, found: Mapping[str, str | None]) -> dict[str, Counter[str]]:
    """How often each cause is given in each category; held-out cases are nobody's to see."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, each in found.items():
        case = suite.cases[name]
        if each is not None and case.get("split") != "holdout":
            counts[case.get("category", "uncategorised")][each] += 1
    return dict(sorted(counts.items()))


def values(suite: Suite, case: Mapping[str, Any], did: Did) -> dict[str, float]:
    """The default metrics of a case, by their textbook definitions; those that do not apply are left out."""
    found = {}
    needs = [suite.serving(need) for need in case.get("relevant", [])]
    if needs:
        hits = [rank for rank, chunk in enumerate(did.ranking, 1) if any(chunk in need for need in needs)]
        top, deep = [rank for rank in hits if rank <= K], [rank for rank in hits if rank <= 2 * K]
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(needs), 2 * K) + 1))
        precisions = [(place + 1) / rank for place, rank in enumerate(top)]
        found |= {
            "recall@5": sum(bool(need & set(did.ranking[:K])) for need in needs) / len(needs),
            "hit@5": float(bool(top)),
            "mrr@10": 1 / deep[0] if deep else 0.0,
            "ndcg@10": sum(1 / math.log2(rank + 1) for rank in deep) / ideal,
            "context_precision@5": sum(precisions) / len(precisions) if precisions else 0.0,
        }
    facts = case.get("facts", [])
    if facts:
        found["fact_coverage@5"] = sum(suite.states(did.ranking[:K], fact) for fact in facts) / len(facts)
    return found


class Row(NamedTuple):
    """A metric over some cases of two runs; ``fails`` names the limits that it breaks."""

    n: int
    before: float
    after: float
    status: str | None
    fails: frozenset[str]


Values = dict[str, dict[str, float]]
"""Case -> metric -> value."""


def measured(suite: Suite, run: Mapping[str, Any]) -> Values:
    """The values of every case of a run."""
    return {each["id"]: values(suite, suite.cases[each["id"]], Did.of(each)) for each in run["cases"]}


def rows(suite: Suite, before: Values, after: Values) -> dict[tuple[str, str | None], Row]:
    """Every metric over all cases (None) and in every category, with what the default rules say of it."""
    found = {}
    for metric in dict.fromkeys(name for each in after.values() for name in each):
        pairs: dict[str | None, list[tuple[float, float]]] = defaultdict(list)
        for name, now in after.items():
            if metric in now:
                pair = (before[name][metric], now[metric])
                pairs[None].append(pair)
                pairs[suite.cases[name].get("category", "uncategorised")].append(pair)
        for category, each in pairs.items():
            found[metric, category] = _row(metric, category, each)
    return found


def _row(metric: str, category: str | None, pairs: Sequence[tuple[float, float]]) -> Row:
    n = len(pairs)
    before, after = (math.fsum(side) / n for side in zip(*pairs, strict=True))
    per, most, least = RULES.get(metric, ("none", 0.0, 0))
    if per == "none" or (per == "all" and category is not None):
        return Row(n, before, after, None, frozenset())
    if category is not None and n < MIN_CASES:
        return Row(n, before, after, "too few cases", frozenset())
    worse, drop = sum(now < then - EPSILON for then, now in pairs), before - after
    fallen = worse >= least and drop > most + EPSILON
    drifted = worse >= least and drop > DRIFT + EPSILON
    status = "unchanged" if abs(drop) <= EPSILON else "improved" if drop < 0 else "within noise"
    fails = frozenset(limit for limit, is_broken in (("max_drop", fallen), ("drift", drifted)) if is_broken)
    return Row(n, before, after, "regressed" if fallen else status, fails)
