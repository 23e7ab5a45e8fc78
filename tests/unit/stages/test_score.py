from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model import run as run_model
from evaluator.stages import score as stage
from evaluator.stages.score import score
from evaluator.stores.runs import read_run
from tests.workbench import Bench, recorded, write_lines

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = [
    {"id": "a#0", "doc": "a", "text": "The warranty lasts"},
    {"id": "a#1", "doc": "a", "text": "two years."},
    {"id": "b#0", "doc": "b", "text": "Returns take 30 days."},
]
CASES: list[dict[str, Any]] = [
    {"id": "q1", "question": "how long is the warranty?", "category": "warranty", "relevant": ["a#1", {"doc": "a"}],
     "facts": [{"id": "f", "text": "warranty lasts two years"}]},
    {"id": "q2", "question": "how long do returns take?", "category": "returns", "relevant": ["b#0"]},
    {"id": "q3", "question": "who founded it?", "category": "returns", "expect": "abstain"},
    {"id": "q4", "question": "kept apart?", "category": "returns", "relevant": ["b#0"], "split": "holdout"},
]  # fmt: skip
RESPONSES: list[dict[str, Any]] = [
    {"id": "q1", "retrieved": [{"id": "b#0"}, {"id": "a#1"}, {"id": "a#0", "score": 0.5}], "context": ["a#1", "a#0"],
     "answer": "Two years.", "usage": {"total_tokens": 12}, "meta": {"latency_ms": 40}},
    {"id": "q2", "retrieved": [{"id": "a#0"}, {"id": "a#0"}], "context": ["b#0"], "abstained": True,
     "steps": [{"query": "returns", "retrieved": [{"id": "a#0"}]}]},
    {"id": "q3", "retrieved": [{"id": "b#0", "text": "Another text."}], "answer": ""},
    {"id": "q4", "retrieved": [{"id": "b#0"}]},
]  # fmt: skip
METRICS = ["recall@2", "ndcg@3", "fact_coverage", "abstention", "tokens"]


def bench(folder: Path, **fields: Any) -> Bench:
    """Three cases and one that is held out, answered from a file; collected."""
    config = {"metrics": METRICS, **fields.pop("config", {})}
    pipeline = recorded(folder, fields.pop("responses", RESPONSES))
    made = Bench(folder, fields.pop("cases", CASES), pipeline, fields.pop("chunks", CHUNKS), config)
    made.collect(**fields)
    return made


def scored(folder: Path, **fields: Any) -> dict[str, Any]:
    """run.json of the bench."""
    made = bench(folder, **fields)
    score(made.workspace())
    return whole(made)


def whole(made: Bench) -> dict[str, Any]:
    """run.json as it is."""
    found: dict[str, Any] = json.loads((made.out / "run.json").read_text(encoding="utf-8"))
    return found


def by_id(run: dict[str, Any]) -> dict[str, Any]:
    """The cases of a run."""
    return {case["id"]: case for case in run["cases"]}


class TestCases:
    """What run.json says of a case."""

    def test_facts_are_told_with_where_and_how_they_were_found(self, tmp_path: Path) -> None:
        """Rank and chunks are those of the context; the span starts in the first text and ends in the last."""
        facts = [
            {"id": "f", "text": "warranty lasts two years"},
            {"id": "g", "text": "lasting warranties"},
            {"id": "h", "text": "30 days"},
            {"id": "p", "text": "years", "any": ["/two +years/"]},
        ]
        case = by_id(scored(tmp_path, cases=[{**CASES[0], "facts": facts}, *CASES[1:]]))["q1"]

        assert case["facts"] == [
            {"fact": "f", "found": True, "chunks": ["a#0", "a#1"], "rank": 2, "span": [4, 9], "how": "text"},
            {"fact": "g", "found": True, "chunks": ["a#0"], "rank": 2, "span": [4, 18], "how": "stems"},
            {"fact": "h", "found": False, "chunks": [], "rank": None, "span": None, "how": None},
            {"fact": "p", "found": True, "chunks": ["a#1"], "rank": 1, "span": [0, 9], "how": "regex"},
        ]

    def test_scores_are_the_configured_metrics_and_nothing_else(self, tmp_path: Path) -> None:
        """Two needs of q1 at rank 2, its fact across the context's two chunks; a reason where there is no value."""
        case = by_id(scored(tmp_path))["q1"]

        assert list(case["scores"]) == METRICS
        assert case["scores"]["recall@2"] == 1.0
        # a#1 satisfies both needs: 2 at rank 2, where the ideal has 2 at rank 1.
        assert case["scores"]["ndcg@3"] == pytest.approx(0.6309297535714575)
        assert (case["scores"]["fact_coverage"], case["scores"]["tokens"]) == (1.0, 12.0)
        assert (case["scores"]["abstention"], case["not_applicable"]) == (
            None, {"abstention": "needs the judge or `abstained`"},
        )  # fmt: skip

    def test_needs_carry_their_ways_their_rank_and_a_digest(self, tmp_path: Path) -> None:
        """A need that is not satisfied has no rank."""
        cases = by_id(scored(tmp_path))
        needs = [
            (need["need"], need["chunks"], need["rank"], need["digest"] is None)
            for name in ("q1", "q2")
            for need in cases[name]["needs"]
        ]

        assert needs == [
            ("a#1", [["a#1"]], 2, False),
            ({"doc": "a"}, [["a#0"], ["a#1"]], 2, False),
            ("b#0", [["b#0"]], None, False),
        ]

    def test_the_exact_text_is_kept(self, tmp_path: Path) -> None:
        """The pipeline's own text, else the fixture's, each once; results name it by key."""
        run = scored(tmp_path)
        cases = by_id(run)
        texts = [[run["texts"][hit["text"]] for hit in cases[name]["retrieved"]] for name in ("q2", "q3")]

        assert texts == [["The warranty lasts", "The warranty lasts"], ["Another text."]]
        assert len(run["texts"]) == 4

    def test_what_the_model_got_without_retrieving_it_is_kept_too(self, tmp_path: Path) -> None:
        """With the fixture's text, so that facts of the context can be looked for again."""
        run = scored(tmp_path)
        (only,) = by_id(run)["q2"]["context_only"]

        assert (only["id"], only["doc"], run["texts"][only["text"]]) == ("b#0", "b", "Returns take 30 days.")

    def test_steps_name_what_they_retrieved(self, tmp_path: Path) -> None:
        """By id, beside their query."""
        assert by_id(scored(tmp_path))["q2"]["steps"] == [
            {"query": "returns", "retrieved": ["a#0"], "scores": {"recall@2": 0.0, "ndcg@3": 0.0}}
        ]

    def test_places_are_those_of_the_fixture(self, tmp_path: Path) -> None:
        """Which chunk follows which can be known later, without the fixture."""
        assert scored(tmp_path)["places"] == {"b#0": 0, "a#1": 1, "a#0": 0}

    def test_without_a_fixture_text_and_documents_come_from_the_responses(self, tmp_path: Path) -> None:
        """A document is what was retrieved of it; facts need text."""
        hit = {"id": "a#1", "doc": "a", "text": "The warranty lasts two years."}
        run = scored(tmp_path, chunks=[], responses=[{"id": "q1", "retrieved": [hit]}], cases=CASES[:1])
        case = by_id(run)["q1"]

        assert (case["scores"]["recall@2"], case["scores"]["fact_coverage"], run["places"]) == (1.0, 1.0, {})

    def test_a_failed_case_is_at_its_worst(self, tmp_path: Path) -> None:
        """It stays in every mean that its labels put it in."""
        run = scored(tmp_path, responses=RESPONSES[1:])
        case = by_id(run)["q1"]

        assert case["failure"]["message"]
        assert case["scores"] == {
            "recall@2": 0.0, "ndcg@3": 0.0, "fact_coverage": 0.0, "abstention": 0.0, "tokens": None,
        }  # fmt: skip
        assert run["summary"]["all"]["recall@2"] == {"mean": 0.0, "n": 2, "of": 2}


class TestSummary:
    """Means over cases."""

    def test_all_categories_and_holdout_stand_apart(self, tmp_path: Path) -> None:
        """A held-out case is in no row but its own; an unanswerable one is in no recall."""
        summary = scored(tmp_path)["summary"]

        assert summary["all"]["recall@2"] == {"mean": 0.5, "n": 2, "of": 2}
        assert summary["categories"]["returns"]["recall@2"] == {"mean": 0.0, "n": 1, "of": 1}
        assert summary["categories"]["warranty"]["recall@2"] == {"mean": 1.0, "n": 1, "of": 1}
        assert summary["holdout"]["recall@2"] == {"mean": 1.0, "n": 1, "of": 1}
        # q2 abstained where it should have answered, q3 abstained where it should.
        assert summary["all"]["abstention"] == {"mean": 0.5, "n": 2, "of": 2}

    def test_without_held_out_cases_there_is_no_such_row(self, tmp_path: Path) -> None:
        """Nothing is made up."""
        assert scored(tmp_path, cases=CASES[:3])["summary"]["holdout"] == {}

    def test_where_every_case_is_held_out_the_others_are_empty(self, tmp_path: Path) -> None:
        """No mean over no case."""
        summary = scored(tmp_path, cases=CASES[3:])["summary"]

        assert summary["all"]["recall@2"] == {"mean": None, "n": 0, "of": 0}
        assert summary["categories"] == {}


class TestReproducibility:
    """Two runs on the same input."""

    CONFIG = {"metrics": [*METRICS, "latency_ms"]}  # noqa: RUF012 - never written to

    def test_are_equal_but_for_timing(self, tmp_path: Path) -> None:
        """Everything the clock says is in one place."""
        made = bench(tmp_path, config=self.CONFIG)
        collection = made.collection()
        runs = []
        for started_at, latency in (("then", 1.5), ("later", 2.5)):
            timing = {"started_at": started_at, "latency_ms": dict.fromkeys(("q1", "q2", "q3", "q4"), latency)}
            (made.out / "collect.json").write_text(json.dumps({**collection, "timing": timing}))
            score(made.workspace())
            runs.append(whole(made))
        first, second = runs

        assert first.pop("timing") != second.pop("timing")
        assert json.dumps(first) == json.dumps(second)

    def test_clock_readings_live_in_timing(self, tmp_path: Path) -> None:
        """With their spread over the cases that are not held out; scores and summary say where to look."""
        made = bench(tmp_path, config=self.CONFIG)
        collection = made.collection()
        collection["timing"] = {"started_at": "then", "latency_ms": {"q1": 40.0, "q2": 10.0, "q3": 20.0, "q4": 999.0}}
        (made.out / "collect.json").write_text(json.dumps(collection))
        score(made.workspace())
        run = whole(made)
        case = by_id(run)["q1"]

        assert (case["scores"]["latency_ms"], case["not_applicable"]["latency_ms"]) == (
            None, "a clock reading: see timing",
        )  # fmt: skip
        assert run["summary"]["all"]["latency_ms"] == {"mean": None, "n": 0, "of": 0}
        assert run["timing"]["started_at"] == "then"
        assert run["timing"]["scores"]["latency_ms"] == {"q1": 40.0, "q2": 10.0, "q3": 20.0, "q4": 999.0}
        assert run["timing"]["summary"]["latency_ms"] == pytest.approx(
            {"mean": 70 / 3, "n": 3, "of": 3, "p50": 20.0, "p95": 40.0}
        )


class TestHead:
    """What a run says of itself."""

    def test_names_everything_it_depends_on(self, tmp_path: Path) -> None:
        """Digests by name, the effective configuration, the commit of the collect, an empty history."""
        made = bench(tmp_path)
        score(made.workspace(commit="another"))
        head = read_run(made.out / "run.json").head
        collection = made.collection()

        assert (head.suite, head.tier, head.commit) == ("bench", "retrieval", "c0ffee")
        assert head.fingerprint["config"] == collection["config_sha256"]
        assert head.fingerprint["golden"] == collection["golden_sha256"]
        assert {name: head.fingerprint[name] for name in ("chunks", "documents")} == collection["fixture"]
        assert head.fingerprint.keys() == {"config", "golden", "chunks", "documents", "metrics", "noise", "cases"}
        assert (head.config["metrics"], head.config["k"], head.history.anchor) == (METRICS, 5, {})

    def test_default_metrics_are_written_out(self, tmp_path: Path) -> None:
        """A later run is compared by what this one computed."""
        made = Bench(tmp_path, CASES, recorded(tmp_path, RESPONSES), CHUNKS, {"k": 3})
        made.collect()
        score(made.workspace())

        assert whole(made)["config"]["metrics"] == [
            "recall@3", "hit@3", "mrr@10", "ndcg@10", "context_precision@3", "fact_coverage@3",
        ]  # fmt: skip

    def test_says_whether_it_is_whole(self, tmp_path: Path) -> None:
        """Part of a golden set is no run of it."""
        assert scored(tmp_path)["fingerprint"]["cases"] == "all"
        assert scored(tmp_path, only=("q1", "q3"))["fingerprint"]["cases"] == "only 2 of 4"


class TestRefusals:
    """What is not scored."""

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"config": {"metrics": ["recall@3"]}}, "another configuration"),
            ({"cases": [{**CASES[0], "relevant": ["b#0"]}, *CASES[1:]]}, "another golden set"),
            ({"chunks": [*CHUNKS[:2], {**CHUNKS[2], "text": "Returns take 40 days."}]}, "another fixture"),
        ],
    )
    def test_records_of_something_else(self, tmp_path: Path, change: dict[str, Any], told: str) -> None:
        """What changed since the collect is named, with what to do."""
        made = bench(tmp_path)
        for name, value in change.items():
            setattr(made, name, value)

        with pytest.raises(errors.FileProblem, match=rf"{told}; run collect again"):
            score(made.workspace())

    def test_missing_files(self, tmp_path: Path) -> None:
        """Score needs what collect wrote."""
        made = bench(tmp_path)
        (made.out / "collect.json").unlink()

        with pytest.raises(errors.FileProblem, match=r"collect\.json does not exist"):
            score(made.workspace())

    @pytest.mark.parametrize("order", [(1, 0, 2, 3), (0, 1, 2, 0)])
    def test_records_out_of_place(self, tmp_path: Path, order: tuple[int, ...]) -> None:
        """Records in another order, or twice, are not those that collect wrote."""
        made = bench(tmp_path)
        lines = made.records()
        write_lines(made.out / "records.jsonl", [lines[index] for index in order])

        with pytest.raises(errors.FileProblem):
            score(made.workspace())
        assert not (made.out / "run.json").exists()

    def test_no_records(self, tmp_path: Path) -> None:
        """An empty file is no run of no case."""
        made = bench(tmp_path)
        (made.out / "records.jsonl").write_text("\n")

        with pytest.raises(errors.FileProblem, match="holds no case"):
            score(made.workspace())

    def test_labels_that_cannot_be_used(self, tmp_path: Path) -> None:
        """A quote needs a letter, and a pattern has to be one: each with its file and line."""
        made = bench(tmp_path)
        made.cases = [
            CASES[1],
            {"id": "q5", "question": "?", "relevant": [{"quote": "—"}],
             "facts": [{"id": "f", "text": "x", "any": ["/(/"]}]},
        ]  # fmt: skip

        with pytest.raises(errors.InputError) as caught:
            score(made.workspace())
        assert [(problem.code, problem.line) for problem in caught.value.problems] == [
            ("unsound-quote", 2), ("unsound-fact", 2),
        ]  # fmt: skip

    def test_two_texts_made_to_have_one_key(self, tmp_path: Path) -> None:
        """A text is never shown in the place of another."""
        made = bench(tmp_path)
        workspace = made.workspace()
        scorer = stage.Scorer(workspace.config, None, (), {}, latencies={}, inline=True)
        record = next(iter(stage.records.iter_records(made.out / "records.jsonl")))
        scorer.keyed(record.retrieved)
        scorer.texts.update(dict.fromkeys(scorer.texts, "forged"))
        scorer._last.clear()

        with pytest.raises(errors.FileProblem, match="two different texts"):
            scorer.keyed(record.retrieved)


class TestLargeRuns:
    """Above 5,000 cases rankings stay in records.jsonl."""

    def test_rankings_are_named_by_digest_and_read_alike(self, tmp_path: Path) -> None:
        """The same cases, texts and places for a reader as in a small run."""
        count = run_model.MAX_INLINE_CASES + 1
        cases = [{"id": f"q{number}", "question": "?", "relevant": ["a#1"]} for number in range(count)]
        responses = [{"id": f"q{number}", "retrieved": [{"id": "b#0"}, {"id": "a#1"}]} for number in range(count)]
        made = bench(tmp_path, cases=cases, responses=responses, config={"metrics": ["mrr@10"]})
        score(made.workspace())
        run = read_run(made.out / "run.json")
        last = run.case(f"q{count - 1}")

        assert run.head.records is not None
        assert (last.case.retrieved, last.case.scores) == (None, {"mrr@10": 0.5})
        assert [(hit.id, hit.text) for hit in last.retrieved] == [
            ("b#0", "Returns take 30 days."), ("a#1", "two years."),
        ]  # fmt: skip
        assert (run.places["a#1"], run.head.summary.all["mrr@10"].mean, run.texts) == (1, 0.5, {})
