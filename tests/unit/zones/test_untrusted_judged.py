"""A stranger's answers before the base's judge: where one is asked, what it sees, and what is said where none is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.zones.untrusted import Stranger
from tests.fakes import llm_brain
from tests.fakes.llm_server import LlmServer
from tests.uploads import Fork, case_of, codes_of, decision_of
from tests.zones import TOPICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NO_KEY = "no key: JUDGE_KEY is not granted"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A provider."""
    with LlmServer(brain=llm_brain.literal) as found:
        yield found


@pytest.fixture
def fork(tmp_path: Path, server: LlmServer) -> Callable[..., Fork]:
    """Makes a base with a judge, whose key is granted."""

    def make(**config: Any) -> Fork:
        judge = {
            "provider": "openai", "model": "gpt-4o-2024-08-06", "api_key_env": "JUDGE_KEY",
            "base_url": server.openai_url, "max_concurrency": 4,
        }  # fmt: skip
        fork = Fork(
            tmp_path / "one",
            **{"metrics": ["recall@2", "faithfulness", "correctness"], "judge": judge, "gate": {}} | config,
        )
        fork.hosts = (server.openai_url.split("/")[2],)
        return fork

    return make


def asked(server: LlmServer) -> str:
    """Everything that the judge was sent."""
    return "\n".join(json.dumps(call.body, ensure_ascii=False) for call in server.calls)


class TestAsked:
    """A judge with a key."""

    def test_it_sees_no_text_but_the_bases(self, fork: Callable[..., Fork], server: LlmServer) -> None:
        """Neither that of an invented chunk, in the ranking or in a step, nor another one under a known id."""
        mine = fork()
        lies = [{"id": "made-up", "text": "INVENTED-1"}, {"id": "c-parcels", "text": "INVENTED-2"}]
        mine.retrieve("islands", *lies)
        mine.records["returns"] |= {"steps": [{"query": "q", "retrieved": [{"id": "x", "text": "INVENTED-3"}]}]}
        mine.records["returns"]["context"] = ["x"]

        run = mine.run()

        assert "All about parcels and nothing else." in asked(server)
        assert "INVENTED" not in asked(server)
        assert case_of(run, "returns")["scores"]["faithfulness"] == 0.0
        assert run["self_reported"]["not_judged"] is None

    def test_what_it_finds_counts(self, fork: Callable[..., Fork]) -> None:
        """A stranger's run is judged as ours, and is still self-reported."""
        mine = fork()
        files = mine.decided(mine.own())

        assert codes_of(files) == ["self-reported", "passed"]
        assert json.loads(files["run.json"])["tier"] == "full"
        assert b"was not measured" not in files["comment.md"]

    def test_nobody_is_asked_about_another_fixture(self, fork: Callable[..., Fork], server: LlmServer) -> None:
        """It would be paid for, and could not be compared."""
        mine = fork()
        mine.collect["fixture"] = None

        run = mine.run()

        assert (run["tier"], server.calls) == ("retrieval", [])
        assert run["self_reported"]["not_judged"] == "the change's run searched another fixture than the base's"

    def test_what_holds_by_his_own_contexts_decides_nothing(self, fork: Callable[..., Fork]) -> None:
        """Without a fixture an answer is as faithful as he likes; what it says of the reference is the judge's word."""
        mine = fork(fixture=None)

        files = mine.decided(mine.own())

        reasons = {row["metric"]: row["reason"] for row in json.loads(files["comparison.json"])["rows"]}
        assert reasons["faithfulness"].endswith("(self-reported)")
        assert not reasons["correctness"].endswith("(self-reported)")


class TestNotAsked:
    """No key, or answers that need one."""

    def test_what_was_judged_before_is_not_comparable(self, fork: Callable[..., Fork]) -> None:
        """Each row says why, the run is inconclusive, and the first lines of the comment say that half is missing."""
        mine = fork()
        baseline = mine.own()
        mine.hosts = ()

        scored = mine.scored(stranger=Stranger("JUDGE_KEY is not granted"))
        files = mine.decided(baseline, scored)

        rows = [
            row
            for row in json.loads(files["comparison.json"])["rows"]
            if row["metric"] in {"faithfulness", "correctness"}
        ]
        assert {(row["status"], row["reason"], row["candidate"], row["n"]) for row in rows} == {
            ("not comparable", NO_KEY, None, 0)
        }
        assert {(row["metric"], row["category"]) for row in rows} == {
            (metric, category) for metric in ("faithfulness", "correctness") for category in (None, "label-category")
        }
        [reason] = [each["text"] for each in decision_of(files)["reasons"] if each["code"] == "no-key"]
        assert reason == (
            f"nothing was judged ({NO_KEY}), so faithfulness, correctness, critical lost_answer_facts, "
            "critical new_unsupported_claims cannot be compared; "
            "a maintainer has to run the change from a branch of the repository"
        )
        assert decision_of(files)["outcome"] == "inconclusive"
        first = files["comment.md"].decode().splitlines()[:8]
        assert f"**The judged half was not measured: {NO_KEY}.**" in first

    def test_what_no_rule_names_leaves_nothing_open(self, fork: Callable[..., Fork]) -> None:
        """The row is shown, and the run passes by what was measured, which it says."""
        rules = [{"metric": "recall@2", "per": "all", "max_drop": 0.0}]
        mine = fork(
            gate={
                "rules": rules,
                "min_cases": 1,
                "critical": {"lost_answer_facts": None, "new_unsupported_claims": None},
            }
        )
        baseline = mine.own()
        mine.hosts = ()

        files = mine.decided(baseline)

        assert codes_of(files) == ["self-reported", "unjudged", "passed"]
        assert b"The judged half was not measured: no key." in files["comment.md"]
        sentence = json.loads(files["publication.json"])["sentence"]
        assert sentence == "self-reported by a fork: passed: nothing was judged: no key; and 1 more reason"

    def test_what_nobody_ever_judged_is_not_missing(self, fork: Callable[..., Fork]) -> None:
        """A base whose judge has never spoken; only that is said."""
        mine = fork()
        mine.hosts = ()

        files = mine.decided(mine.own())

        assert codes_of(files) == ["self-reported", "unjudged", "passed"]

    def test_what_an_earlier_run_was_judged_by_is_missed(self, fork: Callable[..., Fork]) -> None:
        """The baseline was not judged, and hands on what was: a night's run is not forgotten by a day's."""
        mine = fork()
        mine.hosts = ()
        baseline = json.loads(mine.own())
        baseline["history"] |= {"anchor": {"faithfulness": dict.fromkeys(TOPICS, 0.5)}, "judge": "0" * 64}

        files = mine.decided(json.dumps(baseline).encode())

        assert codes_of(files)[:2] == ["self-reported", "no-key"]
        [row] = [row for row in json.loads(files["comparison.json"])["rows"] if row["metric"] == "faithfulness"]
        assert (row["baseline"], row["status"]) == (0.5, "not comparable")

    def test_a_regression_is_one_all_the_same(self, fork: Callable[..., Fork]) -> None:
        """What was measured fails before what was not leaves anything open."""
        mine = fork()
        baseline = mine.own()
        mine.hosts = ()
        for case in TOPICS[:3]:
            mine.retrieve(case, "made-up")

        assert decision_of(mine.decided(baseline))["outcome"] == "failed"
