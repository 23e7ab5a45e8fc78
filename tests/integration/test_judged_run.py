"""``run --tier full`` against a served judge: from questions and answers to the exit code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import llm_brain
from tests.fakes.llm_server import LlmServer
from tests.shop import RIGHT, WRONG, Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A shop with its judge."""
    # An alias: a run in which nothing is asked never learns what it stands for.
    with LlmServer(brain=llm_brain.literal, dated={"judge-1": "judge-1-2026"}) as server:
        yield Shop(tmp_path, server)


def test_a_drop_is_undecided_by_a_judge_nobody_calibrated_and_fails_by_one_that_was(shop: Shop) -> None:
    """Eight of ten answers are no longer supported: exit 3 and why, then exit 1."""
    assert shop.run("base")[0] == 0
    shop.answers = [WRONG] * 8 + [RIGHT] * 2
    code, decision = shop.run("new", "base")
    assert code == 3
    assert {reason["code"] for reason in decision["reasons"]} == {"judge-advisory"}
    assert "not calibrated" in decision["reasons"][0]["text"]
    shop.calibrate("new")
    code, decision = shop.run("new", "base")
    assert code == 1
    comment = (shop.folder / "new" / "comment.md").read_text()
    assert "faithfulness fell in uncategorised" in comment
    assert f"unsupported now: {WRONG}" in comment
    assert "Generation broke in 8 of 8 questions behind it (generation: unsupported 8)." in comment
    assert "diagnosis: generation: unsupported; change first: the prompt" in comment


def test_a_system_that_abstains_on_everything_fails(shop: Shop) -> None:
    """Saying nothing is never unsupported, and never an answer."""
    shop.run("base")
    shop.calibrate("base")
    assert shop.run("same", "base")[0] == 0
    shop.answers = [""] * 10
    code, decision = shop.run("new", "base")
    assert code == 1
    assert "answer_relevance" in str(decision["reasons"])
    comment = (shop.folder / "new" / "comment.md").read_text()
    assert "Generation broke in 10 of 10 questions behind it (abstention 10)." in comment


def test_tier_retrieval_beside_a_judged_baseline_says_nothing_of_it(shop: Shop) -> None:
    """The same configuration in the other tier: recall decides, what a judge would say is not evaluated."""
    shop.config["gate"] = {
        "rules": [{"metric": "recall@5", "max_drop": 0.02}, {"metric": "faithfulness", "max_drop": 0.03}]
    }
    shop.run("base")
    shop.answers = [WRONG] * 10
    code, decision = shop.run("new", "base", tier="retrieval")
    assert code == 0
    assert [rule["reason"] for rule in decision["rules"] if rule["rule"] == "faithfulness max_drop"] == [
        "tier retrieval"
    ]


def test_what_was_judged_beside_one_run_says_nothing_of_another(shop: Shop) -> None:
    """A worse answer cannot be held beside a run that is worse still, and be compared with the real baseline."""
    shop.config["metrics"] = ["recall@5", "preference"]
    shop.run("base")
    shop.answers = [WRONG] * 10
    shop.run("poor")
    out = ("--out", str(shop.folder / "new"))
    shop.command("collect", *out)
    assert shop.command("score", "--tier", "full", "--against", "poor/run.json", *out).code == 0
    done = shop.command("compare", "--baseline", "base/run.json", *out)
    assert done.code == 2
    assert "run.json was scored against another run" in done.told
    assert shop.command("score", "--tier", "full", "--against", "base/run.json", *out).code == 0
    assert shop.command("compare", "--baseline", "base/run.json", *out).code == 0
