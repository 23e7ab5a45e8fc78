from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.model.run import History
from evaluator.stages import score as scoring
from evaluator.stages.compare import compare
from evaluator.stages.rescoring import rescore_run
from evaluator.stores.runs import read_run
from tests.fakes import llm_brain
from tests.fakes.llm_server import LlmServer
from tests.judging import WRONG, Judged

METRICS = ["recall@5", "faithfulness", "answer_relevance", "abstention", "latency_ms"]
NAMES = [f"q{number}" for number in range(6)]


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A judge that believes what it finds word for word; another one, judge-2, believes everything."""

    def brain(asked: llm_brain.Asked) -> dict[str, Any]:
        return (llm_brain.agree if asked.model == "judge-2" else llm_brain.literal)(asked)

    with LlmServer(brain=brain) as found:
        yield found


def build(folder: Path, server: LlmServer, **config: Any) -> Judged:
    """Six cases, of which one has an answer that nothing supports."""
    golden = [{"id": name, "reference": "Free for thirty days."} for name in NAMES]
    made = Judged.of(folder, server, golden, **{"metrics": METRICS, **config})
    made.answers["q1"] = WRONG
    return made


def rescore(made: Judged, source: str, out: str) -> dict[str, Any]:
    """Judge a run again by the judge of the configuration as it is now."""
    rescore_run(made.workspace(out), made.path(source))
    return made.read(out)


class TestAgain:
    """A run that is judged again."""

    def test_the_same_judge_says_and_scores_the_same(self, tmp_path: Path, server: LlmServer) -> None:
        """Not one call is made, and the cases are the same to the byte."""
        made = build(tmp_path, server)
        made.score("base")
        made.asked()
        again = rescore(made, "base", "again")
        assert made.asked() == 0
        base = made.read("base")
        assert again["cases"] == base["cases"]
        assert again["summary"] == base["summary"]
        assert again["texts"] == base["texts"]
        assert again["fingerprint"]["judge"] == base["fingerprint"]["judge"]
        assert again["fingerprint"]["rescored"] == read_run(made.path("base")).sha256
        assert again["timing"]["scores"] == base["timing"]["scores"]

    def test_another_judge_leaves_all_but_its_word_as_it_was(self, tmp_path: Path, server: LlmServer) -> None:
        """What is deterministic, the answers and the clock stay; verdicts and judged means are the other judge's."""
        made = build(tmp_path, server)
        made.score("base")
        made.judge["model"] = "judge-2"
        again, base = rescore(made, "base", "again"), made.read("base")
        assert base["summary"]["all"]["faithfulness"]["mean"] == pytest.approx(5 / 6)
        assert again["summary"]["all"]["faithfulness"]["mean"] == 1
        assert again["fingerprint"]["judge"] != base["fingerprint"]["judge"]
        assert again["judge"]["answered"] == ["judge-2"]
        judged = {"scores", "claims", "judgement"}
        for one, other in zip(base["cases"], again["cases"], strict=True):
            assert {key: one[key] for key in one.keys() - judged} == {key: other[key] for key in one.keys() - judged}
            assert one["scores"]["recall@5"] == other["scores"]["recall@5"]

    def test_a_run_that_nobody_judged_can_be_judged(self, tmp_path: Path, server: LlmServer) -> None:
        """From tier retrieval to tier full without asking the pipeline."""
        made = build(tmp_path, server)
        made.score("plain", tier="retrieval")
        again = rescore(made, "plain", "again")
        assert (again["tier"], again["summary"]["all"]["faithfulness"]["n"]) == ("full", 6)

    def test_terms_and_history_are_those_of_the_run_without_the_other_judges_anchor(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """Drift against another judge's word would be the judges' own; what it counts for is the old exam's."""
        made = build(tmp_path, server, judge={"min_kappa": 0.7, "sample": 50})
        made.score("base")
        anchor = {"recall@5": {"q1": 1.0}, "faithfulness": {"q1": 1.0}, "abstention": {"q1": 1.0}}
        pending = {"recall@5": ("a",), "faithfulness": ("a",)}
        read_run(made.path("base")).with_history(History(anchor=anchor, pending=pending, chain=("r1",)))
        made.judge.update(model="judge-2", min_kappa=0.0, advisory="pass", sample=100)
        again = rescore(made, "base", "again")
        judge = again["fingerprint"]["judge"]
        assert again["history"] == {
            "anchor": {"recall@5": {"q1": 1.0}}, "pending": {"recall@5": ["a"]}, "chain": ["r1"], "judge": judge,
        }  # fmt: skip
        kept = History(anchor=anchor, pending=pending, chain=("r1",), judge=judge)
        read_run(made.path("base")).with_history(kept)
        assert rescore(made, "base", "once-more")["history"]["anchor"] == anchor
        judge = again["config"]["judge"]
        assert (judge["model"], judge["min_kappa"], judge["advisory"], judge["sample"]) == (
            "judge-2", 0.7, "inconclusive", 50,
        )  # fmt: skip

    def test_a_large_run_is_judged_by_its_records(
        self, tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its rankings are in a records file; the run that comes of it stands alone."""
        monkeypatch.setattr(scoring, "MAX_INLINE_CASES", 3)
        made = build(tmp_path, server)
        made.score("base")
        assert made.read("base")["records"] is not None
        made.asked()
        again = rescore(made, "base", "again")
        assert made.asked() == 0
        assert again["records"] is None
        assert again["summary"] == made.read("base")["summary"]
        assert [hit["id"] for hit in again["cases"][0]["retrieved"]] == ["k1", "k2", "k3"]

    def test_groups_of_paraphrases_are_judged_as_groups(self, tmp_path: Path, server: LlmServer) -> None:
        """What a root scores beside its group stays."""
        made = build(tmp_path, server, metrics=["paraphrase_consistency", "paraphrase_overlap"])
        made.bench.cases[1]["paraphrase_of"] = "q0"
        made.answers["q1"] = "I don't know."
        base = made.score("base")
        again = {case["id"]: case for case in rescore(made, "base", "again")["cases"]}
        assert base["q0"]["scores"] == again["q0"]["scores"]
        assert again["q0"]["scores"]["paraphrase_consistency"] == 0
        assert again["q1"]["scores"]["paraphrase_consistency"] is None

    def test_what_a_text_became_is_judged_as_the_run_has_it(self, tmp_path: Path, server: LlmServer) -> None:
        """The fixture may have changed since: the run holds the texts the model got."""
        made = build(tmp_path, server)
        made.score("base")
        made.bench.chunks = [{**chunk, "text": "Nothing of it."} for chunk in made.bench.chunks]
        made.asked()
        again = rescore(made, "base", "again")
        assert (made.asked(), again["summary"]) == (0, made.read("base")["summary"])


class TestBaseline:
    """judge.rescore_baseline."""

    def decide(self, made: Judged) -> tuple[str, dict[str, Any]]:
        """The outcome of a run beside ``base``, and its comparison."""
        decision = made.decide("new", "base")
        return decision.outcome, made.read("new", "comparison.json")

    def test_another_judge_is_compared_by_its_own_word_on_both(self, tmp_path: Path, server: LlmServer) -> None:
        """Without the key its rows cannot be compared; with it both runs are of one judge."""
        made = build(tmp_path, server)
        made.score("base")
        made.judge["model"] = "judge-2"
        outcome, comparison = self.decide(made)
        rows = {row["metric"]: row["status"] for row in comparison["rows"] if row["scope"] == "all"}
        assert (outcome, rows["faithfulness"]) == ("inconclusive", "not comparable")
        made.judge["rescore_baseline"] = True
        outcome, comparison = self.decide(made)
        rows = {row["metric"]: row["status"] for row in comparison["rows"] if row["scope"] == "all"}
        assert (outcome, rows["faithfulness"]) == ("passed", "unchanged")
        assert made.read("new", "baseline-rescored.json")["judge"]["model"] == "judge-2"

    def test_what_the_baseline_was_not_asked_is_asked_of_it(self, tmp_path: Path, server: LlmServer) -> None:
        """A metric that is new with the judge has a value on both sides."""
        made = build(tmp_path, server)
        made.score("base")
        made.judge.update(model="judge-2", rescore_baseline=True)
        made.bench.config["metrics"] = [*METRICS, "context_sufficiency"]
        self.decide(made)
        stored = made.read("new", "baseline-rescored.json")["cases"]
        assert {case["judgement"]["sufficiency"]["value"] for case in stored} == {True}

    def test_a_change_cannot_replace_its_exam_by_judging_the_baseline_again(
        self, tmp_path: Path, server: LlmServer
    ) -> None:
        """A new judge, and with it ``advisory: pass``: by the baseline's terms a drop is still undecided."""
        made = build(tmp_path, server)
        made.score("base")
        made.answers = dict.fromkeys(NAMES, "")
        made.judge.update(model="judge-2", rescore_baseline=True, advisory="pass", min_kappa=-1.0)
        outcome, comparison = self.decide(made)
        assert outcome != "passed"
        keys = {change["key"] for change in comparison["configuration"]}
        assert {"judge.advisory", "judge.min_kappa"} <= keys

    def test_the_same_judge_judges_nothing_again(self, tmp_path: Path, server: LlmServer) -> None:
        """Then there is no such file."""
        made = build(tmp_path, server, judge={"rescore_baseline": True})
        made.score("base")
        self.decide(made)
        assert not (tmp_path / "new" / "baseline-rescored.json").exists()

    def test_a_file_of_another_baseline_is_not_used(self, tmp_path: Path, server: LlmServer) -> None:
        """It names the run that it was made of."""
        made = build(tmp_path, server)
        made.score("base")
        made.answers["q2"] = WRONG
        made.score("other")
        made.judge.update(model="judge-2", rescore_baseline=True)
        made.score("new", "base")
        with pytest.raises(errors.BaselineError, match="scored against another run"):
            compare(made.workspace("new"), made.path("other"))


def test_a_budget_that_is_spent_is_told_and_the_next_one_goes_on(tmp_path: Path, server: LlmServer) -> None:
    """N5, for a stored run."""
    made = build(tmp_path, server)
    made.score("base", tier="retrieval")
    made.judge.update(max_cost_usd=0.0, prices={"input": 1.0, "output": 1.0})
    assert rescore(made, "base", "again")["judge"]["stopped"] == "the budget of 0 USD is spent"
    made.judge.update(max_cost_usd=5.0)
    assert rescore(made, "base", "again")["judge"]["stopped"] is None
