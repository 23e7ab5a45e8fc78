"""The mark of a comment: read back as it was written, and by nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.github.marks import MOST_RED, SEVERITY, Mark, Stamp
from evaluator.model.slugs import slug

NUMBERS = st.integers(1, 10**15)
OUTCOMES = st.sampled_from(SEVERITY)
SLUGS = st.text(max_size=60).map(slug)
RED = st.builds(
    lambda run, attempt, outcome: Stamp(run, attempt, outcome=outcome), NUMBERS, st.integers(1, 99), OUTCOMES
)
REDS = st.lists(RED, max_size=MOST_RED)
MARKS = st.builds(
    lambda key, run, attempt, outcome, red: Mark(
        key, Stamp(run, attempt, "0a", outcome), "a" * 40, tuple(red), "our-app[bot]"
    ),
    st.tuples(SLUGS, SLUGS, SLUGS), NUMBERS, st.integers(1, 99), OUTCOMES, REDS,
)  # fmt: skip


@given(MARKS, st.text(max_size=50))
def test_a_mark_is_read_as_it_was_written(mark: Mark, before: str) -> None:
    """Below any text, as one HTML comment that ends nowhere earlier."""
    line = str(mark)

    assert Mark.read(f"{before}\n{line}\n") == mark
    assert "--" not in line.removeprefix("<!-- ").removesuffix(" -->").replace("<!--", "")
    assert "\n" not in line


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!-- rag-assay suite=shop-1 -->",
        "> <!-- rag-assay suite=shop-1 run=5 attempt=1 -->",
        "see <!-- rag-assay suite=shop-1 run=5 attempt=1 -->",
        "<!-- rag-assay suite=shop-1 run=0 attempt=1 -->",
        "<!-- rag-assay suite=shop-1 run=٣ attempt=1 -->",
        f"<!-- rag-assay suite=shop-1 run={'9' * 4400} attempt=1 -->",
    ],
)
def test_anything_else_is_no_mark(text: str) -> None:
    """Quoted in a line, without a run, or with a number that is none (G3)."""
    assert Mark.read(text) is None


def test_only_the_newest_red_runs_are_kept() -> None:
    """A commit whose run was repeated without end has a mark of bounded length."""
    mark = Mark(("s", "w", ""), Stamp(1, 1, "a", "failed"), "a" * 40)
    for attempt in range(2, 40):
        mark = mark._replace(stamp=Stamp(1, attempt, "a", "failed")).after([mark])

    assert [each.attempt for each in mark.red] == list(range(29, 39))


def test_slugs_of_unlike_names_are_unlike() -> None:
    """Names that have the same letters, or none, are told apart (G13)."""
    names = ["Shop", "shop", "sh-op", "sh op", "店", "店舗", "", "x" * 100, "x" * 101, "\ud800"]

    assert len({slug(name) for name in names}) == len(names)
