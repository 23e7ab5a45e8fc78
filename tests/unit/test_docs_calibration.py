"""Holds docs/calibration.md to what people may label."""

from __future__ import annotations

import re

from evaluator import errors
from evaluator.comparison.enforcement import MIN_LABELS, MIN_OF_A_CLASS, STANDS_FOR
from evaluator.human.bootstrap import RESAMPLES
from evaluator.human.kinds import KINDS
from tests import documents

SECTIONS = documents.sections("calibration.md")


def test_the_table_of_labels_is_that_of_the_code() -> None:
    """Each kind of label with its scale, the first label first, and what it calibrates."""
    rows = {documents.bare(row[1]).partition(":")[0]: row for row in documents.tables(SECTIONS["How to label"])[0]}

    assert list(rows) == list(KINDS)
    for name, kind in KINDS.items():
        assert (": true" in rows[name][1]) == kind.is_flag
        assert re.findall("`(\\w+)`", rows[name][2]) == list(kind.scale)
        assert re.findall("`(\\w+)`", rows[name][3])[0] == kind.metric


def test_what_stands_for_what_is_told() -> None:
    """Metrics that are believed by another one's labels are named beside it; those of claims by a word for all."""
    rows = documents.tables(SECTIONS["How to label"])[0]
    named = {metric: row[3] for row in rows for metric in re.findall("`(\\w+)`", row[3])}

    for metric, believed in STANDS_FOR.items():
        assert f"`{believed}`" in named.get(metric, f"`{believed}`")
    assert {"paraphrase_consistency", "answer_relevance_embedding", "context_precision_judged"} <= named.keys()


def test_the_numbers_are_those_of_the_gate() -> None:
    """How many labels it takes, and of how many resamples a bound is."""
    assert f"from {MIN_LABELS} labels on, at least {MIN_OF_A_CLASS} of each" in SECTIONS["How many"]
    assert f"{RESAMPLES:,} resamples" in SECTIONS["What the numbers mean"]


def test_what_is_refused_has_a_heading_among_the_messages() -> None:
    """Each link to a message leads to one that exists."""
    named = re.findall(r"messages\.md#([a-z-]+)", SECTIONS["What is refused"])

    assert set(named) == {"off-scale", "one-class", "unknown-case", "unknown-item", "not-judged"}
    assert not set(named) & errors.CODES
