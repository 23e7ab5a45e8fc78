from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.metrics.quotes import Found
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Case, Fact, Labels, Need
from evaluator.model.record import Failure, Hit
from evaluator.model.run import RunCase, RunNeed
from evaluator.model.score import Metric, MetricId, NotApplicable, Score, Scored, Summary, Unscored
from evaluator.model.view import Passage, Replied, ResolvedNeed
from tests.views import outcomes, view

FIXTURE = Fixture(
    tuple(Chunk(id=name, text=f"text {name}", doc=doc) for name, doc in (("a1", "a"), ("b1", "b"), ("a2", "a"))),
    Digests(chunks="", documents=None),
)


class Stored(NamedTuple):
    """A stored case in memory."""

    case: RunCase
    retrieved: tuple[Hit, ...] = ()
    context_only: tuple[Hit, ...] = ()


def labels(*needs: Any, **fields: Any) -> Labels:
    """Labels with needs as a golden file has them."""
    return Case.model_validate({"id": "q", "question": "?", "relevant": list(needs), **fields}).labels


def run_case(*needs: RunNeed, **fields: Any) -> RunCase:
    """A case of a run."""
    base: dict[str, Any] = {
        "id": "q1", "category": "c", "critical": False, "split": "dev", "language": "sv", "question": "?",
        "input_hash": "", "labels_hash": "", "labels": {}, "scores": {}, "unscored": {}, "not_applicable": {},
        "failure": None, "diagnosis": None, "answer": None, "abstained": None, "context": (), "steps": None,
        "usage": None, "duplicates": (), "retrieved": None,
    }  # fmt: skip
    return RunCase(needs=needs, **{**base, **fields})


class TestNeeds:
    """Needs become ways of satisfying them."""

    def test_with_a_fixture(self) -> None:
        """Chunks and groups are taken literally, a document is any of its chunks in fixture order."""
        wanted = labels("b1", {"any_of": ["b1", "a1"], "grade": 2}, {"doc": "a"}, {"doc": "gone"})
        found = scoring.resolve_needs(wanted, fixture=FIXTURE, hits=())

        assert [(need.ways, need.grade) for need in found] == [
            ((("b1",),), 1), ((("b1",), ("a1",)), 2), ((("a1",), ("a2",)), 1), ((), 1),
        ]  # fmt: skip

    def test_without_a_fixture_a_document_is_what_was_retrieved_of_it(self) -> None:
        """In ranking order, repeated ids once."""
        hits = [Hit(id="z", doc="b"), Hit(id="y", doc="a"), Hit(id="x", doc="a"), Hit(id="y", doc="a")]

        assert scoring.resolve_needs(labels({"doc": "a"}), fixture=None, hits=hits)[0].ways == (("y",), ("x",))

    def test_a_quote_is_the_chunks_that_hold_it(self) -> None:
        """In fixture order, whether it was resolved for all cases before or not; one that is nowhere has no ways."""
        wanted = labels({"quote": "Text **a2**", "grade": 2}, {"quote": "other words"})
        found = scoring.resolve_needs(wanted, fixture=FIXTURE, hits=())
        known = {"texta2": Found((("b1",), ("a1", "a2")), 2)}

        assert [(need.ways, need.grade) for need in found] == [((("a2",),), 2), ((), 1)]
        assert scoring.resolve_needs(wanted, fixture=FIXTURE, hits=(), quoted=known)[0].ways == (("b1",), ("a1", "a2"))

    def test_without_a_fixture_a_quote_is_looked_for_in_what_was_retrieved(self) -> None:
        """In single texts, and in texts of one document of which one goes on where the other ends."""
        hits = [
            Hit(id="z", doc="d", text="within 30 days of delivery."), Hit(id="y", doc="d", text="Return it within 30"),
            Hit(id="x", doc="e", text="You may return it, within 30"),
            Hit(id="w", doc="e", text="return it within 30 days"),
            Hit(id="v", doc="d"),
        ]  # fmt: skip
        found = scoring.resolve_needs(labels({"quote": "return it within 30 days"}), fixture=None, hits=hits)[0]

        assert (found.ways, found.digest) == ((("w",), ("y", "z")), None)

    def test_the_digest_is_over_the_texts_of_all_chunks(self) -> None:
        """Equal texts under other ids give the same digest, another text another one."""
        known = scoring.resolve_needs(labels("a1"), fixture=FIXTURE, hits=())[0].digest
        same = scoring.resolve_needs(labels("n"), fixture=None, hits=[Hit(id="n", text="text a1")])[0].digest
        other = scoring.resolve_needs(labels("n"), fixture=None, hits=[Hit(id="n", text="text a2")])[0].digest
        unseen = scoring.resolve_needs(labels("n"), fixture=None, hits=[Hit(id="n", text="text \n a1\u200b ")])[0]
        assert unseen.digest == known, "what nobody sees is no other chunking"

        assert known == same != other

    @pytest.mark.parametrize(
        ("need", "hits"),
        [
            ("n", [Hit(id="n")]),
            ("n", []),
            ({"any_of": ["n", "m"]}, [Hit(id="n", text="known")]),
            ({"doc": "d"}, []),
        ],
    )
    def test_without_all_the_texts_there_is_no_digest(self, need: Any, hits: list[Hit]) -> None:
        """What a run happened to retrieve must not look like another chunking."""
        assert scoring.resolve_needs(labels(need), fixture=None, hits=hits)[0].digest is None


class TestStoredNeeds:
    """Needs of any labels, as they are in a run that was made under others."""

    STORED = run_case(
        RunNeed(need="a1", chunks=(("a1",),), digest="one", grade=1, rank=1),
        RunNeed(need={"doc": "a"}, chunks=(("a1",), ("a2",)), digest="two", grade=1, rank=1),
    )

    def test_a_need_the_run_resolved_keeps_its_ways(self) -> None:
        """Only the grade is that of the labels."""
        found = scoring.needs_under(self.STORED, labels({"doc": "a", "grade": 3}, {"any_of": ["a1"]}), {}, ())

        assert found == (ResolvedNeed((("a1",), ("a2",)), 3, "two"), ResolvedNeed((("a1",),), 1, "one"))

    def test_another_takes_the_ways_that_are_known_elsewhere(self) -> None:
        """The other run's ways, where the caller says that they hold here."""
        found = scoring.needs_under(self.STORED, labels({"doc": "b"}), {("doc", "b"): [("b1",), ("b2",)]}, ())

        assert found == (ResolvedNeed((("b1",), ("b2",)), 1, None),)

    def test_else_what_it_names_is_taken_literally(self) -> None:
        """A chunk by its id, a document by what was retrieved of it."""
        hits = [Hit(id="c1", doc="c", text="t")]
        chunk, document = scoring.needs_under(self.STORED, labels("b1", {"doc": "c"}), {}, hits)

        assert (chunk.ways, document.ways) == ((("b1",),), (("c1",),))

    def test_a_quote_is_looked_for_in_the_texts_that_are_stored(self) -> None:
        """One the run resolved itself keeps its ways, however it is set now."""
        hits = [Hit(id="c1", doc="c", text="It takes 30 days."), Hit(id="c2", doc="c", text="It takes 3 days.")]
        stored = run_case(RunNeed(need={"quote": "No refund"}, chunks=(("a1",),), digest="one", grade=1, rank=1))
        kept, new = scoring.needs_under(stored, labels({"quote": "*no*  refund"}, {"quote": "takes 30 days"}), {}, hits)

        assert (kept, new) == (ResolvedNeed((("a1",),), 1, "one"), ResolvedNeed((("c1",),)))


class TestViews:
    """Stored cases as metrics read them."""

    def test_holds_what_the_case_held(self) -> None:
        """Ranking, context, texts, places, answer, usage and language."""
        hits = (Hit(id="x", doc="d", text="first"), Hit(id="y"), Hit(id="x", doc="d", text="second"))
        case = run_case(context=("x", "p"), answer="a", abstained=False, usage={"total_tokens": 3})
        found = scoring.view_of(
            Stored(case, hits, (Hit(id="p", text="parent"),)), labels("x"), (), {"x": 4}, latency_ms=2.5
        )

        assert (found.ranking, found.context, found.language) == (["x", "y", "x"], ("x", "p"), "sv")
        assert dict(found.passages) == {
            "x": Passage("d", "first", 4), "y": Passage(None, None), "p": Passage(None, "parent"),
        }  # fmt: skip
        assert (found.answer, found.abstained, found.usage, found.latency_ms) == ("a", False, {"total_tokens": 3}, 2.5)

    def test_a_failed_case_retrieved_nothing(self) -> None:
        """Whatever was recorded beside the failure does not count."""
        case = run_case(failure=Failure(kind="died", message="gone"), context=("x",))
        found = scoring.view_of(Stored(case, (Hit(id="x"),)), labels("x"), (), {})

        assert (found.failed, found.ranking, found.context) == (True, (), ())

    def test_a_context_that_nobody_described_has_no_text(self) -> None:
        """A run may name what the model got without holding it."""
        found = scoring.view_of(Stored(run_case(context=("gone",))), labels(), (), {})

        assert outcomes(found, ["context_tokens"]) == {"context_tokens": "no chunk text"}

    def test_facts_of_the_context(self) -> None:
        """The facts a critical case may not lose, by id."""
        case = run_case(context=("x",), language="en")
        wanted = labels(facts=[{"id": "f", "text": "thirty days"}, {"id": "g", "text": "free"}])
        hits = (Hit(id="x", text="Thirty days."), Hit(id="y", text="free"))

        assert scoring.facts_in_context(scoring.view_of(Stored(case, hits), wanted, (), {})) == ("f",)


class TestFailures:
    """A case the pipeline did not answer stays in every mean that its labels put it in."""

    CASE = view(
        "", "A", failed=True, latency_ms=3.0, usage={"cost_usd": 0.1, "total_tokens": 3},
        labels=Labels(facts=(Fact(id="f", text="f"),), reference="f"), paraphrases=(Replied("A"),),
    )  # fmt: skip

    def test_bounded_metrics_are_at_their_worst_and_others_not_applicable(self) -> None:
        """No metric can get better because a case failed (S1)."""
        unbounded = {"latency_ms", "cost_usd", "tokens", "context_tokens"}
        worst = {name: 0.0 if metric.higher_is_better else 1.0 for name, metric in metrics.load().items()}
        uncompared = {"preference": "not compared: needs `score --against` and a paired case of the baseline"}

        assert outcomes(self.CASE, metrics.load()) == (
            worst | dict.fromkeys(unbounded, "the pipeline failed") | uncompared
        )

    def test_metrics_without_their_label_stay_not_applicable(self) -> None:
        """A failure is no label: only abstention applies to every case."""
        found = outcomes(view("", failed=True), ["recall@5", "judged@5", "fact_coverage@5", "abstention"])

        assert found == {
            "recall@5": "no needs",
            "judged@5": "no needs",
            "fact_coverage@5": "no facts",
            "abstention": 0.0,
        }

    @pytest.mark.parametrize("score", [Scored(1.0), Unscored("too slow")])
    def test_no_metric_can_say_otherwise(self, score: Score) -> None:
        """A metric that scores a failed case, or cannot, is overruled, in its own direction."""
        better = replace(metrics.load()["recall"], score=lambda _view, _k: score)
        worse = replace(better, higher_is_better=False)

        assert score_with(better, self.CASE) == Scored(0.0)
        assert score_with(worse, self.CASE) == Scored(1.0)

    def test_a_failure_never_raises_a_mean(self) -> None:
        """A case at 1.0 and one at 0.0: when the second fails, the mean stays; when the first fails, it falls (S1)."""
        right, wrong, failed = view("A", "A"), view("X", "A"), self.CASE

        def mean(*cases: Any) -> float | None:
            metric = MetricId("recall", 5)
            return scoring.summarise(scoring.score_case(case, [metric], metrics.load())[metric] for case in cases).mean

        assert (mean(right, wrong), mean(right, failed), mean(failed, wrong)) == (0.5, 0.5, 0.0)


def score_with(metric: Metric, case: Any) -> Score:
    """What becomes of a case under a metric."""
    wanted = MetricId(metric.name)
    return scoring.score_case(case, [wanted], {metric.name: metric})[wanted]


class TestValues:
    """What a metric may say."""

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.1, 1.0000001, 7.0])
    def test_a_value_that_cannot_be_is_refused_with_the_case(self, value: float) -> None:
        """It is neither clamped nor stored: a metric that says so has a fault (S2)."""
        faulty = replace(metrics.load()["recall"], score=lambda _view, _k: Scored(value))

        with pytest.raises(scoring.InvalidScore, match=r"recall of case 'q 7' is "):
            score_with(faulty, replace(view("A", "A"), case="q 7"))

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_an_unbounded_value_has_to_be_finite(self, value: float) -> None:
        """There is no range to hold it to, but there is no NaN anywhere (S2)."""
        faulty = replace(metrics.load()["latency_ms"], score=lambda _view, _k: Scored(value))

        with pytest.raises(scoring.InvalidScore, match="latency_ms"):
            score_with(faulty, view("A", "A"))

    def test_an_unbounded_value_may_be_large(self) -> None:
        """Milliseconds are no share."""
        assert score_with(metrics.load()["latency_ms"], view("A", latency_ms=1e6)) == Scored(1e6)

    def test_a_metric_that_is_asked_for_twice_is_one_value(self) -> None:
        """Every metric is one value a case."""
        recall = MetricId("recall")

        assert scoring.score_case(view("A", "A"), [recall, recall], metrics.load()) == {recall: Scored(1.0)}


class TestRepeatedResults:
    """A ranking that holds a chunk twice."""

    def test_the_second_copy_is_an_irrelevant_result(self) -> None:
        """Of A, A, X with A needed all is found at rank 1, and a third of what was read was of use (S9)."""
        wanted = ["recall@3", "ndcg@3", "map@3", "mrr@3", "precision@3", "context_precision@3", "context_relevance"]
        found = outcomes(view("AAX", "A", context=("A", "A", "X")), wanted)

        assert found == {
            "recall@3": 1.0, "ndcg@3": 1.0, "map@3": 1.0, "mrr@3": 1.0, "precision@3": 1 / 3,
            "context_precision@3": 1.0, "context_relevance": 1 / 3,
        }  # fmt: skip

    def test_a_group_of_which_one_member_is_found_counts_once(self) -> None:
        """Nothing is missing of a need that either of two chunks satisfies, and the other one adds nothing (S10)."""
        wanted = ["recall@2", "ndcg@2", "map@2"]

        assert outcomes(view("AX", "AB"), wanted) == dict.fromkeys(wanted, 1.0)
        assert outcomes(view("AB", "AB"), wanted) == dict.fromkeys(wanted, 1.0)


class TestSummaries:
    """Means and counts."""

    def test_the_mean_is_over_what_was_scored(self) -> None:
        """Unscored cases count as applicable, not as zero; others do not count."""
        scores = [Scored(1.0), Scored(0.0), Scored(0.5), Unscored("?"), NotApplicable("-")]

        assert scoring.summarise(scores) == Summary(0.5, 3, 4)

    def test_nothing_scored_has_no_mean(self) -> None:
        """Neither 0 nor 1."""
        assert scoring.summarise([NotApplicable("-"), Unscored("?")]) == Summary(None, 0, 1)

    def test_no_needs_do_not_touch_a_recall_mean(self) -> None:
        """An unanswerable case among answerable ones is left out (S13)."""
        wanted = MetricId("recall", 5)
        cases = [view("A", "A"), view("A"), view("X", "A")]
        scores = [scoring.score_case(case, [wanted], metrics.load())[wanted] for case in cases]

        assert scoring.summarise(scores) == Summary(0.5, 2, 2)

    def test_the_sum_is_exact(self) -> None:
        """Ten tenths are one, in any order."""
        assert scoring.summarise([Scored(0.1)] * 10).mean == 0.1


def test_a_document_need_without_a_fixture_is_never_a_rechunking() -> None:
    """Which chunks of a document were retrieved differs from run to run; their texts say nothing of the chunking."""
    labels = Labels(relevant=(Need(doc="d"),))
    hits = [Hit(id="d#1", doc="d", text="one"), Hit(id="d#2", doc="d", text="two")]
    found = [scoring.resolve_needs(labels, fixture=None, hits=some)[0] for some in (hits, hits[:1])]
    assert [need.digest for need in found] == [None, None]
