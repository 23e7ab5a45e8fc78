from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.model.config import Judge as JudgeConfig
from evaluator.model.golden import Labels
from evaluator.stages.answered import Answered
from evaluator.stages.judging import sampled
from tests.fakes import llm_brain
from tests.fakes.llm_brain import Asked
from tests.fakes.llm_server import LlmServer
from tests.judging import RIGHT, WRONG, Judged

PROMPTS = Path(__file__).parents[3] / "templates" / "prompts"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A judge that believes what it finds word for word."""
    with LlmServer(brain=llm_brain.literal, dated={"judge-1": "judge-1-2026"}) as found:
        yield found


def cases(*names: str, **fields: Any) -> list[dict[str, Any]]:
    """Golden cases that differ in their names alone."""
    return [{"id": name, **fields} for name in names]


def answered(name: str, **labels: Any) -> Answered:
    """A case with an answer; only its labels matter."""
    return Answered(name, "", (), "en", Labels.model_validate(labels), "", None, (), (), failed=False, input_hash="")


class TestSample:
    """judge.sample."""

    def test_the_same_cases_are_drawn_each_time_and_the_critical_ones_always(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """Two of each category; what is not drawn is asked nothing about and is not applicable."""
        names = [f"q{number}" for number in range(8)]
        golden = [*cases(*names[:6], category="a"), *cases(*names[6:], category="b")]
        golden[5]["critical"] = True
        made = Judged.of(tmp_path, server, golden, metrics=["faithfulness"], judge={"sample": 2})
        first = made.score()
        drawn = {name for name, case in first.items() if case["judgement"]["drawn"]}
        assert {len(drawn & set(names[:6])), len(drawn & set(names[6:]))} == {2}
        assert "q5" in drawn
        assert made.asked() == 3 * 4
        left = [case for name, case in first.items() if name not in drawn]
        assert {case["not_applicable"]["faithfulness"] for case in left} == {"not drawn by judge.sample"}
        assert {case["scores"]["faithfulness"] for case in left} == {None}
        made.answers = dict.fromkeys(names, WRONG)
        again = made.score("again")
        assert {name for name, case in again.items() if case["judgement"]["drawn"]} == drawn

    def test_critical_cases_are_judged_even_where_they_are_more_than_the_sample(self) -> None:
        """Five critical ones and a sample of two: five."""
        found = [answered(f"c{number}", critical=number < 5) for number in range(9)]
        judge = JudgeConfig(provider="scripted", model="m", sample=2)
        assert sorted(sampled(found, judge)) == ["c0", "c1", "c2", "c3", "c4"]

    def test_another_seed_draws_others_and_a_new_case_displaces_few(self) -> None:
        """By a hash of seed and id: a case that is added may take one place, never all."""
        found = [answered(f"c{number}") for number in range(40)]

        def drawn(count: int, seed: int) -> set[str]:
            judge = JudgeConfig(provider="scripted", model="m", sample=10, seed=seed)
            return set(sampled(found[:count], judge))

        assert len(drawn(39, 0) & drawn(40, 0)) >= 9
        assert drawn(40, 0) != drawn(40, 1)

    def test_what_was_judged_before_is_drawn_before_what_is_added(self) -> None:
        """Ten of one category were judged, and a hundred come: those ten, and no more than ten."""
        old = [answered(f"c{number}", category="a") for number in range(10)]
        new = [answered(f"n{number}", category="a") for number in range(100)]
        judge = JudgeConfig(provider="scripted", model="m", sample=10)
        assert not set(sampled([*old, *new], judge)) >= {each.case for each in old}
        again = [*new, *(each._replace(judged_in="a") for each in old)]
        assert set(sampled(again, judge)) == {each.case for each in old}

    def test_neither_a_critical_case_nor_a_moved_one_pushes_out_what_was_judged_before(self) -> None:
        """Four of each category were judged; one of b moves to a, where a critical one comes: all nine are judged."""
        a, b = ([answered(f"{name}{n}", category=name)._replace(judged_in=name) for n in range(4)] for name in "ab")
        moved = answered("b0", category="a")._replace(judged_in="b")
        critical, added = answered("k", category="a", critical=True), answered("n", category="b")
        judge = JudgeConfig(provider="scripted", model="m", sample=4)
        drawn = set(sampled([*a, moved, *b[1:], critical, added], judge))
        assert drawn == {each.case for each in (*a, *b, critical, added)}

    def test_a_smaller_sample_is_drawn_from_what_was_judged_before(self) -> None:
        """Of eight that were judged four are asked again, and none that was not."""
        old = [answered(f"c{number}", category="a")._replace(judged_in="a") for number in range(8)]
        judge = JudgeConfig(provider="scripted", model="m", sample=4)
        drawn = list(sampled([answered("n", category="a"), *old], judge))
        assert len(drawn) == 4
        assert "n" not in drawn

    def test_an_added_case_takes_no_place_of_one_that_the_baseline_judged(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """All four that were judged are judged again, which many new ones would have pushed out; another one is not."""
        golden = cases(*(f"q{number}" for number in range(4)))
        Judged.of(tmp_path, server, golden, metrics=["faithfulness"], judge={"sample": 4}).score()
        golden = [*cases(*(f"n{number}" for number in range(40))), *golden]
        made = Judged.of(tmp_path, server, golden, metrics=["faithfulness"], judge={"sample": 4})
        alone, beside = (
            {name for name, case in found.items() if case["judgement"]["drawn"]}
            for found in (made.score("alone"), made.score("beside", "out"))
        )
        assert (len(alone), beside) == (4, {f"q{number}" for number in range(4)})
        assert alone != beside


class TestAsked:
    """What is asked, and of which text."""

    def test_of_critical_cases_claims_and_facts_are_asked_for_their_rules(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """No metric reads them; another case takes the one call its metric needs."""
        golden = [
            {"id": "c", "critical": True, "facts": [{"id": "f", "text": "thirty days"}]},
            {"id": "o", "facts": [{"id": "f", "text": "thirty days"}]},
        ]
        made = Judged.of(tmp_path, server, golden, metrics=["answer_relevance"])
        found = made.score()
        assert [fact["fact"] for fact in found["c"]["judgement"]["facts"]] == ["f"]
        assert [claim["verdict"] for claim in found["c"]["claims"]] == ["supported"]
        assert found["o"]["claims"] is None
        assert made.asked() == 3 + 1

    def test_a_rule_that_is_switched_off_asks_nothing(self, tmp_path: Path, server: LlmServer) -> None:
        """Then a critical case takes one call as well."""
        critical = {"new_unsupported_claims": None}
        made = Judged.of(
            tmp_path, server, cases("c", critical=True), metrics=["answer_relevance"], gate={"critical": critical}
        )
        assert made.score()["c"]["claims"] is None
        assert made.asked() == 1

    def test_the_text_that_is_judged_is_the_one_the_ranking_holds(self, tmp_path: Path, server: LlmServer) -> None:
        """Not what a step said of the same id; what a step alone found counts; a blank text stays blank."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.answers["q"] = {
            "retrieved": [{"id": "k1", "text": "As the model got it."}, {"id": "k2", "text": " "}],
            "steps": [
                {"query": "x", "retrieved": [{"id": "k1", "text": "A step's."}, {"id": "k9", "text": "Step only."}]}
            ],
            "context": ["k1", "k2", "k3", "k9"], "answer": RIGHT,
        }  # fmt: skip
        made.score()
        (sent,) = [text for call in server.answered if "chunk c1" in (text := str(call.body["messages"]))]
        assert re.findall(r"chunk (c\d)>>\\n(.*?)\\n<<", sent) == [
            ("c1", "As the model got it."), ("c2", "Gift cards expire after two years."), ("c3", "Step only."),
        ]  # fmt: skip

    def test_a_failed_case_is_asked_nothing_about(self, tmp_path: Path, server: LlmServer) -> None:
        """It scores the worst value where the metric applies."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.answers["q"] = None
        found = made.score()["q"]
        assert (made.asked(), found["scores"]["faithfulness"], found["judgement"]) == (0, 0.0, None)


class TestPinning:
    """What makes another judge."""

    def test_another_prompt_is_another_judge_and_asks_again(self, tmp_path: Path, server: LlmServer) -> None:
        """N3: one word in one prompt; what its replies do not depend on stays in the cache."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.score()
        before = made.read()["fingerprint"]["judge"]
        assert made.asked() == 3
        made.score("same")
        assert (made.asked(), made.read("same")["fingerprint"]["judge"]) == (0, before)
        (tmp_path / "prompts" / "en").mkdir(parents=True)
        text = (PROMPTS / "en" / "answer.j2").read_text()
        (tmp_path / "prompts" / "en" / "answer.j2").write_text(
            text.replace("{% endblock %}", "Be brief.{% endblock %}", 1)
        )
        made.judge["prompts"] = "prompts"
        made.score("other")
        assert (made.asked(), made.read("other")["fingerprint"]["judge"] != before) == (1, True)

    @pytest.mark.parametrize("changed", [{"seed": 7}, {"model": "judge-2"}])
    def test_other_parameters_are_another_judge(
        self, tmp_path: Path, server: LlmServer, changed: dict[str, Any]
    ) -> None:
        """N3: everything is asked again."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.score()
        made.judge.update(changed)
        made.score("other")
        assert made.asked() == 6
        assert made.read("other")["fingerprint"]["judge"] != made.read()["fingerprint"]["judge"]

    def test_a_script_that_was_edited_is_another_judge(self, tmp_path: Path, server: LlmServer) -> None:
        """N3: its old replies are not taken from the cache for new ones, and its calibration says nothing any more."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.bench.config["judge"] = {"provider": "scripted", "model": "replies.json", "cache": "cache.sqlite"}
        found = {}
        for out, claim in (("old", "It is so."), ("new", "It is not so."), ("same", "It is not so.")):
            entry = {"id": "s1", "claims": [claim], "no_claim": None}
            (tmp_path / "replies.json").write_text(json.dumps({"claims": [{"sentences": [entry]}]}))
            [stated] = made.score(out)["q"]["claims"]
            found[out] = (stated["text"], made.read(out)["fingerprint"]["judge"])
        assert found["new"] == found["same"]
        assert found["new"][0] == "It is not so."
        assert found["old"][1] != found["new"][1]

    def test_what_it_may_cost_and_how_fast_it_is_asked_make_no_other_judge(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """Nor does the gate."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.score()
        made.asked()
        made.judge.update(max_cost_usd=99.0, max_concurrency=1, timeout=9.0, min_kappa=0.9)
        made.score("other")
        assert made.asked() == 0
        assert made.read("other")["fingerprint"]["judge"] == made.read()["fingerprint"]["judge"]


class TestConfirming:
    """New unsupported claims of critical cases."""

    def test_they_are_judged_twice_more_past_the_cache(self, tmp_path: Path, server: LlmServer) -> None:
        """N2: with a warm cache two calls more for the critical case, none for the other, and none a second time."""
        made = Judged.of(tmp_path, server, [*cases("c", critical=True), *cases("o")], metrics=["faithfulness"])
        made.score("base")
        made.answers = {"c": f"{RIGHT} {WRONG}", "o": WRONG}
        alone = made.score("new")
        assert [claim["again"] for claim in alone["c"]["claims"]] == [[], []]
        made.asked()
        found = made.score("new", "base")
        assert made.asked() == 2
        assert [(claim["verdict"], claim["again"]) for claim in found["c"]["claims"]] == [
            ("supported", []), ("unsupported", ["unsupported", "unsupported"]),
        ]  # fmt: skip
        assert [claim["again"] for claim in found["o"]["claims"]] == [[]]
        made.score("new", "base")
        assert made.asked() == 0

    def test_a_claim_that_was_unsupported_before_is_not_asked_about_again(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """Nor where the baseline was judged by another judge, or by none."""
        made = Judged.of(tmp_path, server, cases("c", critical=True), metrics=["faithfulness"])
        made.answers["c"] = WRONG
        made.score("base")
        made.score("plain", tier="retrieval")
        made.asked()
        for baseline in ("base", "plain"):
            made.score("new", baseline)
            assert made.asked() == 0
        made.answers["c"] = RIGHT
        made.judge["seed"] = 3
        made.score("other")
        made.answers["c"] = WRONG
        made.judge["seed"] = 4
        made.asked()
        made.score("new", "other")
        assert made.asked() == 3

    def test_a_judge_that_changes_its_mind_fails_nobody(self, tmp_path: Path, server: LlmServer) -> None:
        """One of the two further judgings finds support: the verdict stays, the rule does not count it."""
        made = Judged.of(tmp_path, server, cases("c", critical=True), metrics=["faithfulness"])
        made.score("base")
        made.answers["c"] = WRONG
        said: list[int] = []

        def wavering(asked: Asked) -> dict[str, Any]:
            if not asked.chunks:
                return llm_brain.literal(asked)
            said.append(1)
            return (llm_brain.agree if len(said) == 2 else llm_brain.literal)(asked)

        server.brain = wavering
        decision = made.decide("new", "base")
        assert sorted(made.cases("new")["c"]["claims"][0]["again"]) == ["supported", "unsupported"]
        assert [case.status for case in decision.cases if case.rule == "critical new_unsupported_claims"] in (
            [], ["passed"]
        )  # fmt: skip


def prefers(wanted: str) -> Any:
    """A judge to which the answer that holds a text is the better one, wherever it stands."""

    def brain(asked: Asked) -> dict[str, Any]:
        if "answer first" not in asked.blocks:
            return llm_brain.literal(asked)
        is_it = {place: wanted in asked.blocks[f"answer {place}"] for place in ("first", "second")}
        better = next((place for place, holds in is_it.items() if holds), "tie")
        return {"reason": "read", "better": better}

    return brain


class TestPreference:
    """This answer against the baseline's."""

    def test_wins_ties_and_losses(self, tmp_path: Path, server: LlmServer) -> None:
        """In both orders: better, worse, the same, a judge that likes the first place, failed, and no answer before."""
        golden = cases("better", "worse", "same", "equal", "failed", "new")
        made = Judged.of(tmp_path, server, golden, metrics=["preference"])
        made.answers = {
            "better": WRONG, "worse": "In full.", "same": RIGHT, "equal": WRONG, "failed": WRONG, "new": None,
        }  # fmt: skip
        made.score("base")
        made.asked()
        server.brain = prefers("In full.")
        made.answers = {
            "better": "In full.", "worse": WRONG, "same": RIGHT, "equal": RIGHT, "failed": None, "new": RIGHT,
        }  # fmt: skip
        found = made.score("new", "base")
        values = {name: case["scores"]["preference"] for name, case in found.items()}
        assert values == {"better": 1, "worse": 0, "same": 0.5, "equal": 0.5, "failed": 0, "new": None}
        preferences = [(case["judgement"] or {}).get("preference") for case in found.values()]
        assert [(each["first"], each["second"]) if each else None for each in preferences] == [
            ("win", "win"), ("loss", "loss"), ("tie", "tie"), ("tie", "tie"), ("loss", "loss"), None,
        ]  # fmt: skip

    def test_a_judge_that_likes_the_first_place_decides_nothing(self, tmp_path: Path, server: LlmServer) -> None:
        """One win and one loss are a half."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["preference"])
        made.score("base")
        made.answers["q"] = WRONG
        server.brain = prefers("")
        found = made.score("new", "base")["q"]
        assert found["scores"]["preference"] == 0.5
        assert {found["judgement"]["preference"][key] for key in ("first", "second")} == {"win", "loss"}

    def test_another_question_is_compared_with_nothing(self, tmp_path: Path, server: LlmServer) -> None:
        """Nor is there anything to compare with where no baseline is given."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["preference"])
        assert made.score("base")["q"]["not_applicable"].keys() == {"preference"}
        made.bench.cases[0]["question"] = "Something else?"
        assert made.score("new", "base")["q"]["scores"]["preference"] is None


class TestTold:
    """What becomes of it in the report."""

    def test_what_is_held_out_is_in_no_comment(self, tmp_path: Path, server: LlmServer) -> None:
        """Its claims, reasons and id are in run.json alone."""
        golden = [*cases("open-1", "open-2"), {"id": "secret-1", "split": "holdout", "critical": True}]
        made = Judged.of(tmp_path, server, golden, metrics=["faithfulness", "answer_relevance"])
        made.score("base")
        made.answers = {"open-1": WRONG, "open-2": WRONG, "secret-1": "Vouchers are void in Narnia."}
        made.decide("new", "base")
        assert "Narnia" in str(made.cases("new")["secret-1"]["claims"])
        for name in ("comment.md", "summary.md", "decision.json"):
            text = (tmp_path / "new" / name).read_text()
            assert "Narnia" not in text
            assert "secret-1" not in text
        assert WRONG in (tmp_path / "new" / "comment.md").read_text()

    def test_an_alias_and_a_judge_of_its_own_answers_are_told(self, tmp_path: Path, server: LlmServer) -> None:
        """The judge answered by a dated name; nothing of that is said of one that is asked by it."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.score("base")
        made.decide("new", "base")
        comment = (tmp_path / "new" / "comment.md").read_text()
        assert "The judge is asked for as judge-1 and answered as judge-1-2026" in comment
        made.judge["model"] = "judge-1-2026"
        made.score("pinned")
        made.decide("again", "pinned")
        assert "The judge is asked for as" not in (tmp_path / "again" / "comment.md").read_text()

    def test_what_it_cost_is_in_the_comment(self, tmp_path: Path, server: LlmServer) -> None:
        """Three calls for one case and, where it did not change, three from the cache."""
        made = Judged.of(tmp_path, server, cases("q"), metrics=["faithfulness"])
        made.score("base")
        made.decide("new", "base")
        assert "judge 0 calls, 3 from the cache" in (tmp_path / "new" / "comment.md").read_text()


def test_generated_questions_are_embedded_once(tmp_path: Path, server: LlmServer) -> None:
    """Their cosines are kept as replies are."""
    embeddings = {"provider": "openai", "model": "e", "base_url": server.openai_url, "api_key_env": "JUDGE_KEY"}
    metrics = ["answer_relevance_embedding"]
    made = Judged.of(tmp_path, server, cases("q"), metrics=metrics, judge={"embeddings": embeddings})
    value = made.score()["q"]["scores"]["answer_relevance_embedding"]
    assert -1 <= value <= 1
    before = len(server.calls)
    assert made.score("again")["q"]["scores"]["answer_relevance_embedding"] == value
    assert len(server.calls) == before
