"""What trec_eval calls the measures that are metrics here, and its own test data."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NAMES = {
    "map": "map",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "set_P": "precision",
    "set_recall": "recall",
    **{f"P_{k}": f"precision@{k}" for k in CUTS},
    **{f"recall_{k}": f"recall@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"map@{k}" for k in CUTS},
    **{f"success_{k}": f"hit@{k}" for k in (1, 5, 10)},
}
"""trec_eval's name -> ours."""


def printed(file: Path) -> dict[str, dict[str, str]]:
    """What trec_eval printed, by measure and topic; ``all`` is the mean."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for line in file.read_text().splitlines():
        measure, topic, value = line.split()
        found[measure][topic] = value
    return found
