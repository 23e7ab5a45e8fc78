"""``estimate`` and ``rescore`` from the command line, beside what a real run asks of a served judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import llm_brain
from tests.fakes.llm_server import LlmServer
from tests.fakes.llm_wires import tokens
from tests.shop import RIGHT, WRONG, Shop
from tests.workbench import read_lines

EXPORT = Path(__file__).parents[3] / "shared" / "data" / "tool_exports" / "ragas" / "evaluation_dataset.jsonl"
REFERENCE = "A damaged device can be returned within thirty days. Then the whole fee is refunded to the customer."


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A judge that believes what it finds word for word."""
    with LlmServer(brain=llm_brain.literal) as found:
        yield found


def estimated(shop: Shop) -> dict[str, Any]:
    """What ``estimate --format json`` prints."""
    done = shop.command("estimate", "--out", "out", "--format", "json")
    assert done.code == 0, done.told
    found: dict[str, Any] = json.loads(done.output)
    return found


def test_the_calls_are_those_of_the_run_and_none_when_it_was_made(tmp_path: Path, server: LlmServer) -> None:
    """Empty, failed, repeated, undrawn and abstaining answers among them, and references that cases share."""
    shop = Shop(tmp_path, server, 14)
    shop.config["metrics"] = [
        "faithfulness", "correctness", "answer_completeness", "context_sufficiency", "answer_relevance_embedding",
    ]  # fmt: skip
    shop.judge["embeddings"] = {
        "provider": "openai", "model": "e", "base_url": server.openai_url, "api_key_env": "JUDGE_KEY",
    }  # fmt: skip
    shop.judge["sample"] = 10
    shop.labels = [{"reference": REFERENCE, "critical": n < 6, "category": "ab"[n % 2]} for n in range(14)]
    shop.labels[3] = {"question": "Question 2?", "reference": REFERENCE, "critical": True}
    shop.answers[4], shop.answers[5], shop.answers[6] = "", None, "I don't know."
    shop.answers[7:10] = [WRONG, f"{RIGHT} {WRONG}", REFERENCE]
    shop.command("collect", "--out", "out")
    before = estimated(shop)
    assert before["supposed"] is False
    assert server.calls == []
    shop.command("score", "--tier", "full", "--out", "out")
    chat = [call for call in server.answered if "messages" in call.body]
    assert before["total"]["calls"] == len(chat)
    spent = shop.read("out")["timing"]["judge"]
    assert {part: each["calls"] for part, each in before["parts"].items()} == {
        part: each["calls"] for part, each in spent.items()
    }
    after = estimated(shop)
    assert (after["total"]["calls"], after["total"]["usd"], after["answers"]) == (0, 0, before["answers"])
    shop.labels[8]["reference"] = f"Otherwise. {REFERENCE}"
    shop.command("collect", "--out", "out")
    assert {part: each["calls"] for part, each in estimated(shop)["parts"].items()} == {"statements": 1, "answer": 1}


def test_without_answers_some_are_supposed_and_the_sample_is_kept_to(tmp_path: Path, server: LlmServer) -> None:
    """Four calls for each of the three cases that are drawn, three where a reference is shared; nothing is asked."""
    shop = Shop(tmp_path, server, 9)
    shop.config["metrics"] = ["faithfulness", "correctness"]
    shop.judge["sample"] = 3
    shop.labels = [{"reference": REFERENCE}] * 9
    found = estimated(shop)
    assert (found["supposed"], found["answers"], found["max_cost_usd"]) == (True, 3, 5.0)
    assert {part: each["calls"] for part, each in found["parts"].items()} == {
        "answer": 3, "claims": 3, "context": 3, "statements": 1,
    }  # fmt: skip
    assert server.calls == []


@pytest.mark.skipif(not EXPORT.is_file(), reason="the tools' own exports are not beside this repository")
def test_on_real_answers_calls_and_tokens_are_near_those_of_the_run(tmp_path: Path, server: LlmServer) -> None:
    """25 real questions with five contexts: the same calls, and tokens read within 30 % of four bytes to a token.

    Providers count the schema of a reply as read, which the server here does not.
    """
    rows = read_lines(EXPORT)
    shop = Shop(tmp_path, server, len(rows))
    shop.config["metrics"] = ["faithfulness", "answer_relevance", "answer_completeness", "correctness"]
    shop.labels = [
        {"question": row["user_input"], "reference": row.get("reference") or None, "relevant": []} for row in rows
    ]
    shop.write()
    answers = [
        {
            "id": f"c{n}", "answer": row["response"],
            "retrieved": [{"id": f"{n}-{place}", "text": text} for place, text in enumerate(row["retrieved_contexts"])],
        }
        for n, row in enumerate(rows)
    ]  # fmt: skip
    shop.config["pipeline"]["recorded"]["file"] = "real.jsonl"
    (tmp_path / "real.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    shop.command("collect", "--out", "out")
    found = estimated(shop)["total"]
    shop.command("score", "--tier", "full", "--out", "out")
    assert found["calls"] == len(server.answered) > 3 * len(rows) - 5
    schemas = sum(tokens(json.dumps(call.body["response_format"])) for call in server.answered)
    assert found["read"] == pytest.approx(server.read + schemas, rel=0.3)


def test_rescore_writes_apart_from_other_runs(tmp_path: Path, server: LlmServer) -> None:
    """By default in a folder of its own; never over a run, nor beside what another one collected."""
    shop = Shop(tmp_path, server, 3)
    shop.run("out")
    run = str(tmp_path / "out" / "run.json")
    before = (tmp_path / "out" / "run.json").read_bytes()
    for out in ("out", str(tmp_path / "out")):
        done = shop.command("rescore", run, "--out", out)
        assert (done.code, "would be replaced" in done.told) == (2, True), done.told
    shop.command("collect", "--out", "other")
    done = shop.command("rescore", run, "--out", "other")
    assert (done.code, "holds what another run collected" in done.told) == (2, True), done.told
    asked = len(server.calls)
    done = shop.command("rescore", run)
    assert (done.code, len(server.calls)) == (0, asked), done.told
    again = shop.read(".rag-assay/rescored")
    assert again["summary"] == shop.read("out")["summary"]
    assert (tmp_path / "out" / "run.json").read_bytes() == before
    done = shop.command("run", "--tier", "full", "--baseline", ".rag-assay/rescored/run.json", "--out", "next")
    assert done.code == 0, done.told


def test_a_run_that_is_not_there_is_told(tmp_path: Path, server: LlmServer) -> None:
    """One sentence, exit 2, before anything is asked."""
    done = Shop(tmp_path, server, 1).command("rescore", "nowhere.json")
    assert (done.code, "nowhere.json does not exist" in done.told, server.calls) == (2, True, [])
