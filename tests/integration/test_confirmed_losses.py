"""A critical fact that is lost, from the command line to the exit code: one wrong verdict is none, a loss is red."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import llm_brain
from tests.fakes.llm_brain import Asked
from tests.fakes.llm_server import Fault, LlmServer
from tests.shop import RIGHT, WRONG, Shop

COUNT = 10
"""Cases, and so calls of a run: one question each."""


def honest(asked: Asked) -> dict[str, Any]:
    """A judge that finds the fact where the answer states it."""
    reply = llm_brain.literal(asked)
    reply["facts"] = [{**fact, "present": "thirty days" in asked.blocks["answer"]} for fact in reply["facts"]]
    return reply


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """An honest judge."""
    with LlmServer(brain=honest) as found:
        yield found


@pytest.fixture
def shop(tmp_path: Path, server: LlmServer) -> Shop:
    """Ten cases that have to name the time; the first is critical, and alone decides."""
    found = Shop(tmp_path, server, COUNT)
    fact = {"facts": [{"id": "time", "text": "thirty days"}]}
    found.labels = [{**fact, "critical": number == 0} for number in range(COUNT)]
    found.config |= {
        "metrics": ["recall@5", "answer_completeness"],
        "gate": {
            "rules": [{"metric": "recall@5", "per": "category", "max_drop": 0.02}],
            "critical": {"new_unsupported_claims": None},
        },
    }  # fmt: skip
    return found


def lose(shop: Shop) -> None:
    """Lose the fact of the critical case."""
    shop.answers[0] = WRONG


def questions(server: LlmServer) -> Counter[str]:
    """What was answered, each question without its random delimiter, and how often."""
    texts = [json.dumps(call.body["messages"]) for call in server.answered]
    return Counter(text.replace(text[(start := text.index("<<") + 2) : start + 16], "TOKEN") for text in texts)


def reply(*, present: bool) -> dict[str, Any]:
    """What a script says of an answer."""
    return {
        "relevance": {"reason": "read", "relevant": True}, "abstention": {"reason": "read", "abstained": False},
        "statements": [], "claims": [], "facts": [{"id": "f1", "reason": "read", "present": present}],
    }  # fmt: skip


def test_a_fact_that_is_truly_lost_fails_and_one_slip_of_the_judge_does_not(tmp_path: Path, shop: Shop) -> None:
    """By a scripted judge: exit 1, the case named; then one that errs once about the same right answer: exit 0."""
    script: list[dict[str, Any]] = [
        {"name": "answer", "contains": WRONG, "times": None, "reply": reply(present=False)},
        {"name": "answer", "times": None, "reply": reply(present=True)},
    ]
    (tmp_path / "replies.json").write_text(json.dumps(script))
    shop.config["judge"] = {"provider": "scripted", "model": "replies.json", "cache": "cache.sqlite"}
    assert shop.run("base")[0] in (0, 3)
    shop.calibrate("base")
    assert shop.run("same", "base")[0] == 0
    lose(shop)
    code, decision = shop.run("new", "base")
    assert (code, [reason["code"] for reason in decision["reasons"]]) == (1, ["critical"])
    assert "critical lost_answer_facts in a critical case: 1 case of 1: c0" in str(decision["reasons"])


def test_a_judge_that_errs_once_about_either_run_fails_nobody(server: LlmServer, shop: Shop) -> None:
    """4 % of verdicts are wrong: here one about this run's answer, and then one about the baseline's."""
    shop.run("base")
    shop.calibrate("base")
    slips = [1]
    shop.answers[0] = f"{RIGHT} Keep the receipt."

    def slipping(asked: Asked) -> dict[str, Any]:
        said = honest(asked)
        if "receipt" in asked.blocks["answer"] and slips:
            slips.pop()
            said["facts"][0]["present"] = False
        return said

    server.brain = slipping
    assert shop.run("now", "base")[0] == 0
    assert shop.cases("now")["c0"]["judgement"]["further"] == [{"fact": "time", "again": [True, True], "before": []}]

    # The baseline's judge called the fact present in an answer without it.
    lose(shop)
    server.brain = lambda asked: {**honest(asked), "facts": [{"id": "f1", "reason": "read", "present": True}]}
    shop.run("wrong")
    server.brain = honest
    shop.answers[0] = f"{WRONG} Nor do vouchers."
    assert shop.run("then", "wrong")[0] == 0
    (told,) = [
        entry for entry in shop.read("then", "exam.json")["exam"]["critical"] if entry["rule"] == "lost_answer_facts"
    ]
    assert told["reason"] == "the baseline's judge called it present once, and asked again does not: time"
    assert shop.cases("then")["c0"]["judgement"]["further"] == [
        {"fact": "time", "again": [False, False], "before": [False, False]}
    ]


def test_a_budget_that_is_spent_leaves_it_open_and_a_greater_one_decides(server: LlmServer, shop: Shop) -> None:
    """N5: nothing is passed for want of money, and what was judged is not judged twice."""
    shop.run("base")
    shop.calibrate("base")
    lose(shop)
    shop.run("new")
    shop.judge.update(max_cost_usd=0.000001, prices={"input": 3.0, "output": 15.0})
    asked = len(server.answered)
    code, decision = shop.run("new", "base")
    assert (code, len(server.answered)) == (3, asked)
    assert {"judge-stopped", "critical-undecided"} <= {reason["code"] for reason in decision["reasons"]}
    shop.judge["max_cost_usd"] = 5.0
    assert shop.run("new", "base")[0] == 1
    assert len(server.answered) == asked + 4
    assert set(questions(server).values()) == {1}


def test_an_interrupt_while_it_is_judged_again_goes_on_from_there(server: LlmServer, shop: Shop) -> None:
    """J11: exit 3 and no decision; the same command asks what is left, once, and fails."""
    shop.run("base")
    shop.calibrate("base")
    lose(shop)
    reached, go_on = threading.Event(), threading.Event()

    def fault(count: int, _: dict[str, Any]) -> Fault | None:
        # This run's new answer took one call and two more; the baseline's is being judged again.
        if count == COUNT + 4:
            reached.set()
            go_on.wait(20)
        return None

    server.fault = fault
    baseline = str(shop.folder / "base" / "run.json")
    arguments = ("run", "--tier", "full", "--out", "new", "--baseline", baseline)
    process = shop.start(*arguments)
    assert reached.wait(60)
    process.send_signal(signal.SIGINT)
    threading.Timer(0.3, go_on.set).start()
    _, told = process.communicate(timeout=60)
    assert process.returncode == 3, told
    assert "the same command goes on from there" in told
    assert not (shop.folder / "new" / "decision.json").exists()
    assert shop.command(*arguments).code == 1
    assert set(questions(server).values()) == {1}
    assert len(questions(server)) == COUNT + 5
