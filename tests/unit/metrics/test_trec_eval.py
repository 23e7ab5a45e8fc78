from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.golden import Labels
from evaluator.model.score import MetricId, Scored
from evaluator.model.view import CaseView, ResolvedNeed
from tests.trec import NAMES, printed

if TYPE_CHECKING:
    from pathlib import Path


def cases(folder: Path) -> dict[str, CaseView]:
    """trec_eval's own test data: its order is by score, then by document, both descending."""
    needs: dict[str, list[ResolvedNeed]] = defaultdict(list)
    for line in (folder / "qrels.test").read_text().splitlines():
        topic, _, document, grade = line.split()
        if int(grade) > 0:
            needs[topic].append(ResolvedNeed(((document,),), int(grade)))
    ranked: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in (folder / "results.test").read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        ranked[topic].append((float(score), document))
    rankings = {topic: [document for _, document in sorted(found, reverse=True)] for topic, found in ranked.items()}
    return {topic: CaseView(Labels(), needs[topic], ranking, ranking, {}) for topic, ranking in rankings.items()}


@pytest.mark.shared
@pytest.mark.parametrize("theirs", NAMES)
def test_values_are_those_of_trec_eval(theirs: str, shared: Path) -> None:
    """On trec_eval's own data every topic has the value that NIST's program printed."""
    folder = shared / "data" / "trec_eval"
    expected = {topic: value for topic, value in printed(folder / "out.test.aq")[theirs].items() if topic != "all"}
    wanted = MetricId.parse(NAMES[theirs])
    found = {topic: scoring.score_case(case, [wanted], metrics.load())[wanted] for topic, case in cases(folder).items()}

    assert expected
    assert {topic: f"{score.value:.4f}" for topic, score in found.items() if isinstance(score, Scored)} == expected
