"""Judging that ends before it is done: by a person, the budget, the deadline, or a judge that breaks."""

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
from tests.fakes.llm_server import BROKEN, HANGING, Fault, LlmServer
from tests.shop import RIGHT, WRONG, Shop

COUNT = 12


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A judge that believes what it finds word for word."""
    with LlmServer(brain=llm_brain.literal) as found:
        yield found


def questions(server: LlmServer) -> Counter[str]:
    """What was answered by the server, each question without its random delimiter, and how often."""
    return Counter(key_of(call.body) for call in server.answered)


def key_of(body: dict[str, Any]) -> str:
    """A question whatever its delimiter is."""
    text = json.dumps(body["messages"])
    start = text.index("<<") + 2
    return text.replace(text[start : start + 16], "TOKEN")


def done(shop: Shop, out: str) -> list[str]:
    """The cases that were judged to the end."""
    return [name for name, case in shop.cases(out).items() if not case["unscored"]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_judged_and_the_same_command_goes_on(
    tmp_path: Path, server: LlmServer, number: signal.Signals
) -> None:
    """J11: exit 3, run.json with what was judged, the rest unscored, no decision; then nothing is judged twice."""
    shop = Shop(tmp_path, server, COUNT)
    shop.judge["max_concurrency"] = 2
    reached, go_on = threading.Event(), threading.Event()

    def fault(count: int, _: dict[str, Any]) -> Fault | None:
        # Two calls of the thirty-six are under way when the signal comes, and end a little later.
        if count == 14:
            reached.set()
            go_on.wait(20)
        return None

    server.fault = fault
    shop.run("out", tier="retrieval")
    process = shop.start("run", "--tier", "full", "--out", "out")
    assert reached.wait(60)
    process.send_signal(number)
    threading.Timer(0.3, go_on.set).start()
    _, told = process.communicate(timeout=60)
    assert process.returncode == 3, told
    assert "the same command goes on from there" in told
    assert "Traceback" not in told

    judged = done(shop, "out")
    assert 3 <= len(judged) < COUNT
    assert f"{len(judged)} of {COUNT} answers are judged" in told
    assert shop.read("out")["judge"]["stopped"] == "interrupted"
    left = [case for name, case in shop.cases("out").items() if name not in judged]
    assert {reason for case in left for reason in case["unscored"].values()} == {"interrupted"}
    assert not (tmp_path / "out" / "decision.json").exists()

    assert shop.command("run", "--tier", "full", "--out", "out").code == 0
    assert len(done(shop, "out")) == COUNT
    assert set(questions(server).values()) == {1}
    assert len(questions(server)) == 3 * COUNT


def test_a_budget_that_is_too_small_is_told_before_and_can_be_raised(tmp_path: Path, server: LlmServer) -> None:
    """N5: 0.01 USD for 200 cases; estimate warns, the run stops below it and is inconclusive, and nothing is lost."""
    shop = Shop(tmp_path, server, 200)
    shop.judge.update(max_cost_usd=0.01, prices={"input": 0.15, "output": 0.6}, max_concurrency=2)
    said = shop.command("estimate")
    assert said.code == 0
    assert "warning: that is more than judge.max_cost_usd (0.01 USD)" in said.told
    assert server.calls == []

    code, decision = shop.run("out")
    assert code == 3
    assert "judge-stopped" in {reason["code"] for reason in decision["reasons"]}
    assert "the budget of 0.01 USD is spent" in str(decision["reasons"])
    spent = sum(part["usd"] for part in shop.read("out")["timing"]["judge"].values())
    assert 0 < spent <= 0.01
    kept, asked = done(shop, "out"), len(server.answered)
    assert kept
    assert {
        reason for case in shop.cases("out").values() for reason in case["unscored"].values()
    } == {"the budget of 0.01 USD is spent"}  # fmt: skip

    shop.judge["max_cost_usd"] = 5.0
    assert shop.run("out")[0] == 0
    assert len(done(shop, "out")) == 200
    assert set(questions(server).values()) == {1}
    assert len(server.answered) == 600 > asked


def test_a_deadline_ends_a_judge_that_hangs(tmp_path: Path, server: LlmServer) -> None:
    """J10: what was judged stays, the rest says why, and the run is inconclusive."""
    shop = Shop(tmp_path, server, 6)
    shop.judge.update(max_concurrency=2, deadline=3.0, timeout=60)
    server.fault = lambda count, _: HANGING if count >= 9 else None
    code, decision = shop.run("out")
    assert code == 3
    assert "judge-stopped" in {reason["code"] for reason in decision["reasons"]}
    assert 1 <= len(done(shop, "out")) <= 3
    reasons = {reason for case in shop.cases("out").values() for reason in case["unscored"].values()}
    assert reasons
    assert all("deadline of 3 s has passed" in reason or "no reply" in reason for reason in reasons), reasons


def test_a_judge_that_breaks_on_what_is_wrong_does_not_raise_faithfulness(tmp_path: Path, server: LlmServer) -> None:
    """S1: of ten answers four are ungrounded and never judged: inconclusive, with a calibrated judge as well."""
    shop = Shop(tmp_path, server)
    shop.judge["deadline"] = 20.0
    shop.answers = [WRONG] * 4 + [RIGHT] * 6
    shop.run("base")
    before = shop.read("base")["summary"]["all"]["faithfulness"]
    assert before == {"mean": 0.6, "n": 10, "of": 10}
    shop.calibrate("base")
    shop.judge["cache"] = "other.sqlite"
    server.brain = lambda asked: "no JSON at all" if asked.chunks and WRONG in asked.user else llm_brain.literal(asked)
    code, decision = shop.run("new", "base")
    assert code == 3
    assert {"unscored", "too-many-unscored"} & {reason["code"] for reason in decision["reasons"]}, decision["reasons"]
    after = shop.read("new")["summary"]["all"]["faithfulness"]
    assert (after["n"], after["of"]) == (6, 10)
    comparison = shop.read("new", "comparison.json")
    rows = [row for row in comparison["rows"] if row["metric"] == "faithfulness"]
    assert rows
    assert {row["status"] for row in rows} <= {"unchanged", "not evaluated", "too few cases"}, rows


def test_failures_are_not_kept(tmp_path: Path, server: LlmServer) -> None:
    """N4: what broke in the first run is asked again in the second one, and only that."""
    shop = Shop(tmp_path, server, 3)
    shop.answers[1] = WRONG
    server.brain = lambda asked: "sorry, no" if asked.chunks and WRONG in asked.user else llm_brain.literal(asked)
    shop.run("out")
    assert done(shop, "out") == ["c0", "c2"]
    before = len(server.answered)
    server.brain = llm_brain.literal
    shop.run("out")
    assert len(done(shop, "out")) == 3
    assert len(server.answered) == before + 1


def test_a_key_that_is_refused_ends_the_run_at_once(tmp_path: Path, server: LlmServer) -> None:
    """Exit 2 and what the provider said; the file of an earlier decision is gone."""
    shop = Shop(tmp_path, server)
    shop.run("out")
    server.keys = {"another"}
    shop.judge["cache"] = "other.sqlite"
    ended = shop.command("run", "--tier", "full", "--out", "out")
    assert (ended.code, "the judge cannot be asked" in ended.told) == (2, True)
    assert not (tmp_path / "out" / "decision.json").exists()


def test_an_extractor_that_leaves_a_sentence_out_is_caught(tmp_path: Path, server: LlmServer) -> None:
    """S12: the ungrounded sentence of each answer is left out, twice; no answer is believed to be grounded."""
    shop = Shop(tmp_path, server, 6)
    shop.answers = [f"{RIGHT} {WRONG}"] * 6

    def forgetful(asked: Asked) -> dict[str, Any]:
        reply = llm_brain.literal(asked)
        if "sentences" in reply:
            reply["sentences"] = reply["sentences"][:1]
        return reply

    shop.run("base")
    assert shop.read("base")["summary"]["all"]["faithfulness"] == {"mean": 0.5, "n": 6, "of": 6}
    shop.calibrate("base")
    shop.judge["cache"] = "other.sqlite"
    server.brain = forgetful
    code, decision = shop.run("new", "base")
    assert shop.read("new")["summary"]["all"]["faithfulness"] == {"mean": None, "n": 0, "of": 6}
    assert (code, shop.read("new")["timing"]["judge"]["claims"]["repairs"]) == (3, 6)
    assert "faithfulness" in str(decision["reasons"])


def test_cases_that_share_a_reference_share_its_statements(tmp_path: Path, server: LlmServer) -> None:
    """One call for the statements of one reference, however many cases have it; counted as cached for the others."""
    shop = Shop(tmp_path, server, 5)
    reference = "A damaged device can be returned within thirty days. Then the whole fee is refunded to the customer."
    shop.labels = [{"reference": reference}] * 5
    shop.config["metrics"] = ["correctness"]
    shop.run("out")
    spent = shop.read("out")["timing"]["judge"]["statements"]
    assert (spent["calls"], spent["cached"]) == (1, 4)


def test_a_judge_that_fails_at_random_is_asked_again(tmp_path: Path, server: LlmServer) -> None:
    """J9: from the command line; every third call fails, nothing is lost."""
    shop = Shop(tmp_path, server, 4)
    server.fault = lambda count, _: BROKEN if count % 3 == 0 else None
    shop.run("out")
    assert len(done(shop, "out")) == 4
