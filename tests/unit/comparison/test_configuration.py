"""What differs between the configurations of two runs, and between what they were made with."""

from __future__ import annotations

from typing import Any

from evaluator.comparison.configuration import changes, of_head
from evaluator.model.run import JudgeInfo
from tests.builders import build_head

OLD = {"k": 5, "pipeline": {"kind": "builtin", "retriever": {"bm25": {"k1": 1.5, "b": 0.75}}}, "metrics": ["hit@5"]}


def told(
    before: dict[str, Any], after: dict[str, Any], **prints: tuple[str | None, str | None]
) -> list[tuple[str, ...]]:
    """Every change as key, before and after."""
    sides = [{name: pair[at] for name, pair in prints.items() if pair[at] is not None} for at in (0, 1)]
    return [(each.key, each.before, each.after) for each in changes(before, after, *sides)]  # type: ignore[arg-type]


def test_nested_keys_are_compared_one_by_one_and_lists_whole() -> None:
    """A parameter that went is null now."""
    new = {"k": 8, "pipeline": {"kind": "builtin", "retriever": {"bm25": {"k1": 0.9}}}, "metrics": ["hit@5", "mrr"]}
    assert told(OLD, new) == [
        ("k", 5, 8), ("metrics", ["hit@5"], ["hit@5", "mrr"]), ("pipeline.retriever.bm25.b", 0.75, None),
        ("pipeline.retriever.bm25.k1", 1.5, 0.9),
    ]  # fmt: skip
    assert told(OLD, OLD) == []


def test_data_is_told_by_the_beginnings_of_its_digests() -> None:
    """Documents and chunks apart; a model of embeddings by its name."""
    found = told(
        OLD, OLD, documents=("a" * 64, "b" * 64), chunks=("c" * 64, "c" * 64), embedding=("small-embedder-v2", "x")
    )
    assert found == [
        ("fixture documents", "a" * 12, "b" * 12), ("fixture embedding", "small-embedder-v2", "x"),
    ]  # fmt: skip


def test_the_same_prompt_file_with_another_text_is_a_change() -> None:
    """One that only one of the runs could read says nothing."""
    assert told(OLD, OLD, prompt=("1" * 64, "2" * 64)) == [("text of pipeline.generator.template", "1" * 12, "2" * 12)]
    assert told(OLD, OLD, prompt=(None, "2" * 64)) == []


def test_a_judge_that_answered_under_another_name_or_by_other_prompts_is_a_change() -> None:
    """The configuration may say the same: an alias moved on, a file of prompts was edited."""
    judge = JudgeInfo(provider="p", model="m", answered=("m-1",), prompts={"sv": "2" * 64, "en": "1" * 64})
    then, now = (
        of_head(build_head(judge=judge)),
        of_head(build_head(judge=judge.but(answered=("m-2",), prompts={"en": "3" * 64}))),
    )
    found = [(each.key, each.before, each.after) for each in changes(OLD, OLD, then, now)]
    assert found == [
        ("judge, as it answered", "m-1", "m-2"),
        ("text of the judge's prompts", "en 111111111111, sv 222222222222", "en 333333333333"),
    ]
    assert changes(OLD, OLD, then, of_head(build_head())) == (), "a run that was not judged has no other judge"


def test_another_version_of_the_tool_is_told() -> None:
    """What it computes may differ."""
    then, now = (of_head(build_head(tool=f"rag-assay {number}")) for number in (1, 2))
    assert [(each.key, each.before, each.after) for each in changes(OLD, OLD, then, now)] == [
        ("version", "rag-assay 1", "rag-assay 2")
    ]
