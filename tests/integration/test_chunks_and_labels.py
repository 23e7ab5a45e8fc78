"""Precisions that fall for want of labels, and rows under another chunking: what is said, listed and decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.recorded import Done, Recorded

LABELLED, NEW = ["a", "b", "c", "d", "e"], ["a", "x", "c", "d", "y"]
RULE = {"metric": "precision@5", "per": "category", "max_drop": 0.02}


def hits(ids: list[str]) -> dict[str, Any]:
    """A reply."""
    return {"retrieved": [{"id": chunk} for chunk in ids]}


def repository(folder: Path, categories: dict[str, int], *rules: dict[str, Any]) -> Recorded:
    """So many cases of each category; two needs and three results labelled irrelevant each."""
    names = [f"{category}{n}" for category, number in categories.items() for n in range(number)]
    labels = {"relevant": ["a", "b"], "irrelevant": ["c", "d", "e"]}
    cases = [{"id": name, "question": f"Of {name}?", "category": name[0], **labels} for name in names]
    chunks = [{"id": chunk, "text": f"The text of {chunk} " + "is long " * 40} for chunk in [*LABELLED, "x", "y"]]
    return Recorded(
        folder, cases, chunks=chunks, config={"metrics": ["precision@5", "recall@5"], "gate": {"rules": list(rules)}}
    )


def unlabelled(done: Done) -> list[tuple[str, str, int]]:
    """What the report asks to label."""
    return [(each["id"], each["chunk"], each["rank"]) for each in done.file("exam.json")["exhibits"]["unlabelled"]]


class TestUnlabelled:
    """Where judged@k fell by more than 0.05."""

    def test_the_new_results_are_listed_and_the_drop_decides_nothing(self, tmp_path: Path) -> None:
        """Precision falls from 2/5 to 1/5 and the labelled share from 1 to 3/5: two results a case."""
        found = repository(tmp_path, {"p": 6, "q": 6}, RULE)
        base = found.run("base", {case["id"]: hits(LABELLED) for case in found.cases})
        new = {case["id"]: hits(NEW if case["category"] == "p" else LABELLED) for case in found.cases}
        done = found.run("new", new, baseline=base.run)
        comment = done.text()

        assert (done.exit_code, done.outcome) == (3, "inconclusive")
        reason = "precision@5 in p: unlabelled chunks: the share of labelled results fell by 0.400; label the new ones"
        assert reason in [each["text"] for each in done.file("decision.json")["reasons"]]
        assert unlabelled(done) == [(f"p{n}", chunk, rank) for n in range(6) for chunk, rank in (("x", 2), ("y", 5))]
        assert "<summary>To be labelled: 12 results</summary>" in comment
        beginning = f"The text of x {'is long ' * 40}"[:99].rstrip()
        assert f"| `p0` | `x` | 2 | {beginning}… |" in comment
        assert comment.count("| `p") == 12

    def test_they_are_not_listed_once_they_are_labelled(self, tmp_path: Path) -> None:
        """With x and y labelled irrelevant the same drop is a regression."""
        found = repository(tmp_path, {"p": 6}, RULE)
        base = found.run("base", {case["id"]: hits(LABELLED) for case in found.cases})
        for case in found.cases:
            case["irrelevant"] = [*case["irrelevant"], "x", "y"]
        done = found.run("new", {case["id"]: hits(NEW) for case in found.cases}, baseline=base.run)
        assert (done.exit_code, unlabelled(done)) == (1, [])
        assert "To be labelled" not in done.text()

    def test_of_a_pool_only_the_small_categories_are_listed(self, tmp_path: Path) -> None:
        """Three cases each in p and q are pooled; those of r are a row of their own, which kept its precision."""
        found = repository(tmp_path, {"p": 3, "q": 3, "r": 60}, RULE)
        base = found.run("base", {case["id"]: hits(LABELLED) for case in found.cases})
        # One of r swaps a labelled chunk for a new one and a need stays: its row does not fall by more than 0.02.
        new = {case["id"]: hits(NEW if case["category"] in "pq" else LABELLED) for case in found.cases}
        new["r0"] = hits(["a", "b", "x", "d", "e"])
        done = found.run("new", new, baseline=base.run)
        assert {case for case, _, _ in unlabelled(done)} == {f"{name}{n}" for name in "pq" for n in range(3)}

    def test_nothing_of_the_holdout_is_listed(self, tmp_path: Path) -> None:
        """A held-out case fell like the others."""
        found = repository(tmp_path, {"p": 7}, RULE)
        found.cases[0]["split"] = "holdout"
        base = found.run("base", {case["id"]: hits(LABELLED) for case in found.cases})
        done = found.run("new", {case["id"]: hits(NEW) for case in found.cases}, baseline=base.run)
        assert {case for case, _, _ in unlabelled(done)} == {f"p{n}" for n in range(1, 7)}


@pytest.mark.parametrize(("cut", "is_advisory"), [(1, False), (2, True)])
def test_rows_are_advisory_where_more_than_a_tenth_of_their_cases_are_rechunked(
    tmp_path: Path, cut: int, *, is_advisory: bool
) -> None:
    """One or two of ten passages stand in other chunks; recall stays gated, and what contexts cost is shown."""
    rules = [{**RULE, "per": "all"}, {"metric": "recall@5", "per": "all", "max_drop": 0.02}]
    cases = [
        {"id": f"c{n}", "question": f"Of {n}?", "relevant": [{"quote": f"passage number {n} is here"}]}
        for n in range(10)
    ]
    config = {"metrics": ["precision@5", "recall@5"], "gate": {"rules": rules}}
    found = Recorded(tmp_path, cases, config=config)
    found.chunks = [{"id": f"k{n}", "doc": f"d{n}", "text": f"The passage number {n} is here."} for n in range(10)]
    base = found.run("base", {f"c{n}": hits([f"k{n}"]) for n in range(10)})
    # Both sentences in one chunk: 59 more characters in each context that holds it.
    for n in range(cut):
        found.chunks[n] = {
            "id": f"k{n}",
            "doc": f"d{n}",
            "text": f"The passage number {n} is here. " + "More of it. " * 10,
        }
    done = found.run("new", {f"c{n}": hits([f"k{n}"]) for n in range(10)}, baseline=base.run)
    rows = {row["metric"]: row for row in done.file("comparison.json")["rows"] if row["scope"] == "all"}

    assert (done.exit_code, done.file("exam.json")["exhibits"]["rechunked"]) == (0, cut)
    assert rows["precision@5"]["advisory"] is is_advisory
    assert (rows["recall@5"]["advisory"], rows["recall@5"]["status"]) == (False, "unchanged")
    # 30 characters are 8 tokens, 151 are 38: of ten contexts one or two grew by 30.
    assert (rows["context_tokens"]["baseline"], rows["context_tokens"]["candidate"]) == (8.0, 8.0 + 3 * cut)
    comment = done.text()
    assert f"- The needs of {cut} of 10 cases stand in other chunks than in the baseline." in comment
    assert f"- context_tokens 8 → {8 + 3 * cut}: about how much the model reads for a question." in comment
    assert "The documents are not those of the baseline" in comment


def test_nothing_is_said_of_chunks_that_are_the_same(tmp_path: Path) -> None:
    """No part and no row about contexts that nobody asked for."""
    found = repository(tmp_path, {"p": 6}, RULE)
    base = found.run("base", {case["id"]: hits(LABELLED) for case in found.cases})
    done = found.run("new", {case["id"]: hits(LABELLED) for case in found.cases}, baseline=base.run)
    assert "Other chunking" not in done.text()
    assert "context_tokens" not in done.text("comparison.json")
