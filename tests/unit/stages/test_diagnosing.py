"""Diagnoses of hand-made runs: a leaf of the table each, worked out by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.comparison import diagnosis
from evaluator.metrics.facts import FoundFact
from evaluator.model.golden import Labels
from evaluator.stages.diagnosing import Diagnoser
from evaluator.stages.score import score
from tests import judgements
from tests.judgements import judgement, labels
from tests.workbench import Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = [
    {"id": "a#0", "doc": "a", "text": "The warranty lasts two years."},
    {"id": "a#1", "doc": "a", "text": "Call us at night."},
    {"id": "b#0", "doc": "b", "text": "Returns take 30 days."},
]
TWO_YEARS, MARS = [{"id": "f", "text": "two years"}], [{"id": "f", "text": "delivery to Mars"}]
TWO_FACTS = [*TWO_YEARS, {**MARS[0], "id": "g"}]


def diagnosed(
    folder: Path, case: dict[str, Any], reply: dict[str, Any], chunks: list[dict[str, Any]] | None = CHUNKS
) -> str | None:
    """What a run of one case says of it; the model gets one result."""
    pipeline = recorded(folder, [{"id": "q", **reply}])
    config = {"metrics": ["recall@1"], "k": 1}
    made = Bench(folder, [{"id": "q", "question": "how long?", **case}], pipeline, chunks, config)
    made.collect(allow_stale=True)
    score(made.workspace(allow_stale=True))
    found: str | None = json.loads((made.out / "run.json").read_text(encoding="utf-8"))["cases"][0]["diagnosis"]
    return found


def found(*chunks: str, **fields: Any) -> dict[str, Any]:
    """A reply with these results."""
    return {"retrieved": [{"id": chunk} for chunk in chunks], **fields}


class TestWithoutAJudge:
    """Tier retrieval: what rankings, contexts and chunk texts tell."""

    @pytest.mark.parametrize(
        ("case", "reply", "cause"),
        [
            pytest.param({"relevant": ["a#0"]}, found("a#0"), None, id="there"),
            pytest.param({"relevant": ["a#0"]}, found("b#0"), diagnosis.RETRIEVAL, id="not found"),
            pytest.param({"relevant": ["a#0"]}, found(), diagnosis.RETRIEVAL, id="nothing found"),
            pytest.param({"relevant": ["a#0"]}, found("b#0", "a#0"), diagnosis.RANKING, id="below what is handed on"),
            pytest.param(
                {"relevant": ["a#0"]}, found("a#0", "b#0", context=["b#0"]), diagnosis.RANKING, id="not handed on",
            ),
            pytest.param({"relevant": ["a#0"]}, found("b#0", context=["a#0"]), None, id="handed on from elsewhere"),
            pytest.param(
                {"relevant": ["a#0"]},
                found("b#0", steps=[{"query": "x", "retrieved": [{"id": "a#0"}]}]), diagnosis.RANKING,
                id="found by a step",
            ),
            pytest.param({"relevant": ["gone#0"]}, found("b#0"), diagnosis.CONTENT_GAP, id="not in the fixture"),
            pytest.param(
                {"relevant": [{"any_of": ["gone#0", "a#0"]}]}, found("b#0"), diagnosis.RETRIEVAL, id="one is there",
            ),
            pytest.param(
                {"relevant": ["a#0", "b#0"]}, found("b#0", "a#0"), diagnosis.RANKING, id="one of two is deeper",
            ),
            pytest.param(
                {"relevant": ["a#0"], "facts": MARS}, found("b#0"), diagnosis.RETRIEVAL, id="a need before its fact",
            ),
            pytest.param({"facts": TWO_YEARS}, found("a#0"), None, id="fact there"),
            pytest.param({"facts": TWO_YEARS}, found("b#0"), diagnosis.RETRIEVAL, id="fact not found"),
            pytest.param({"facts": TWO_YEARS}, found("b#0", "a#0"), diagnosis.RANKING, id="fact deeper"),
            pytest.param({"facts": MARS}, found("b#0", "a#0"), diagnosis.CONTENT_GAP, id="fact nowhere"),
            pytest.param(
                {"facts": [{"id": "f", "text": "warranty lasts four years"}]},
                found("b#0"),
                diagnosis.CONTENT_GAP,
                id="all its words but the number",
            ),
            pytest.param(
                {"facts": [{"id": "f", "text": "lasting warranties"}]},
                found("b#0"),
                diagnosis.RETRIEVAL,
                id="stated in other forms",
            ),
            pytest.param(
                {"facts": [{"id": "f", "text": "x", "any": ["/two +years/"]}]},
                found("b#0"),
                diagnosis.RETRIEVAL,
                id="stated as a pattern has it",
            ),
            pytest.param({"facts": TWO_FACTS}, found("b#0"), diagnosis.CONTENT_GAP, id="one of two is nowhere"),
            pytest.param(
                {"relevant": ["a#0"], "facts": MARS}, found("a#0"), diagnosis.LABEL_OR_JUDGE,
                id="its need does not state a fact",
            ),
            pytest.param(
                {"relevant": [{"doc": "a"}], "facts": TWO_YEARS}, found("a#1"), diagnosis.RETRIEVAL,
                id="another part of the document states it",
            ),
            pytest.param(
                {"relevant": [{"doc": "a"}], "facts": TWO_YEARS}, found("a#1", "a#0"), diagnosis.RANKING,
                id="another part of the document that was found states it",
            ),
            pytest.param(
                {"relevant": [{"doc": "a"}], "facts": MARS}, found("a#1"), diagnosis.LABEL_OR_JUDGE,
                id="no part of the document states it",
            ),
            pytest.param({"expect": "abstain"}, found("a#0", answer="Two."), None, id="nobody knows"),
            pytest.param({"expect": "abstain"}, found("a#0", abstained=True), None, id="abstained rightly"),
            pytest.param(
                {"expect": "abstain", "relevant": ["a#0"]}, found("b#0", answer="Two.", abstained=False),
                diagnosis.ABSTENTION, id="answered wrongly",
            ),
            pytest.param(
                {"relevant": ["a#0"]}, found("a#0", abstained=True), diagnosis.ABSTENTION, id="abstained for nothing",
            ),
            pytest.param(
                {"relevant": ["a#0"]}, found("b#0", abstained=True), diagnosis.RETRIEVAL, id="abstained without it",
            ),
            pytest.param(
                {"relevant": ["a#0"], "facts": TWO_YEARS}, found("a#0", answer="Three years."), None,
                id="only a judge can say that an answer lacks a fact",
            ),
            pytest.param({"relevant": ["a#0"]}, {"error": "boom"}, diagnosis.FAILED, id="failed"),
            pytest.param({"expect": "abstain"}, {"error": "boom"}, diagnosis.FAILED, id="failed where to abstain"),
        ],
    )  # fmt: skip
    def test_the_cause_of_a_run_of_one_case(
        self, tmp_path: Path, case: dict[str, Any], reply: dict[str, Any], cause: str | None
    ) -> None:
        """What run.json says of it."""
        assert diagnosed(tmp_path, case, reply) == cause

    def test_without_a_fixture_nobody_knows_that_something_is_nowhere(self, tmp_path: Path) -> None:
        """It was not retrieved: that is all that is known."""
        reply = {"retrieved": [{"id": "b#0", "text": "Returns take 30 days."}]}

        for case in ({"relevant": ["gone#0"]}, {"relevant": [{"doc": "gone"}]}, {"facts": MARS}):
            assert diagnosed(tmp_path, case, reply, chunks=None) == diagnosis.RETRIEVAL

    def test_a_fact_in_a_context_without_text_is_not_missing(self, tmp_path: Path) -> None:
        """Nobody knows what stands there."""
        assert diagnosed(tmp_path, {"facts": TWO_YEARS}, found("x"), chunks=None) is None


class TestWithAJudge:
    """Tier full: the context has all that is needed, unless a test says otherwise."""

    @pytest.mark.parametrize(
        ("fields", "cause"),
        [
            pytest.param({"claimed": "+A"}, None, id="all well"),
            pytest.param({"claimed": "+A, -"}, diagnosis.UNSUPPORTED, id="unsupported"),
            pytest.param({"claimed": "+A, ?"}, diagnosis.UNSUPPORTED, id="unclear counts as unsupported"),
            pytest.param({"claimed": "., -"}, diagnosis.UNSUPPORTED, id="one of them is known"),
            pytest.param({"claimed": "."}, None, id="not judged"),
            pytest.param({"claimed": None}, None, id="no claims could be had"),
            pytest.param(
                {"claimed": "+A against", "said": judgement(statements=["contradicted"]),
                 "labels": Labels(reference="Otherwise.")},
                diagnosis.CONFLICTING, id="a chunk says otherwise",
            ),
            pytest.param({"said": judgement(relevance=False)}, diagnosis.OFF_QUESTION, id="off the question"),
            pytest.param({"said": judgement(relevance=None)}, None, id="relevance not judged"),
            pytest.param(
                {"said": judgement(facts={"text of A": False}), "labels": labels("text of A")},
                diagnosis.INCOMPLETE, id="a fact is not in the answer",
            ),
            pytest.param(
                {"said": judgement(statements=["missing", "missing", "present"]), "claimed": "+A in",
                 "labels": Labels(reference="One. Two. Three.")},
                # Recall 1/3, precision 1: F1 is 0.5, which is enough.
                None, id="half right",
            ),
            pytest.param(
                {"said": judgement(statements=["missing", "missing", "missing", "present"]), "claimed": "+A in",
                 "labels": Labels(reference="One. Two. Three. Four.")},
                # Recall 1/4, precision 1: F1 is 0.4.
                diagnosis.INCOMPLETE, id="less than half",
            ),
            pytest.param(
                {"said": judgement(abstained=True, relevance=False, facts={"text of A": False}),
                 "labels": labels("text of A", reference="Yes."), "claimed": "-"},
                diagnosis.ABSTENTION, id="an abstention is nothing else",
            ),
            pytest.param(
                {"claimed": "-", "labels": Labels(expect="abstain")}, diagnosis.ABSTENTION, id="answered wrongly",
            ),
            pytest.param(
                {"claimed": "-", "labels": Labels(expect="abstain"), "said": judgement(abstained=True)}, None,
                id="abstained rightly",
            ),
            pytest.param(
                {"said": judgement(facts={"text of A": True}, statements=["missing"]), "claimed": "+A beyond",
                 "labels": labels("text of A", reference="Another thing.")},
                diagnosis.LABEL_OR_JUDGE, id="facts there and the reference wrong",
            ),
            pytest.param(
                {"said": judgement(facts={"text of A": True}, statements=["missing"]), "claimed": ". beyond",
                 "labels": labels("text of A", reference="Another thing.")},
                diagnosis.NOT_KNOWN, id="the same where support is not known",
            ),
            pytest.param({"said": judgement(drawn=False), "claimed": None}, None, id="not drawn"),
            pytest.param({"failed": True, "claimed": "-"}, diagnosis.FAILED, id="failed"),
            pytest.param({"claimed": "+A", "labels": labels("30 days")}, diagnosis.RETRIEVAL, id="a fact is missing"),
        ],
    )  # fmt: skip
    def test_the_cause_of_a_judged_case(self, fields: dict[str, Any], cause: str | None) -> None:
        """One chunk, A, in the context; nothing is known of a fixture."""
        assert Diagnoser(None, {}).of(judgements.view(**fields), ()) == cause


def test_a_fact_that_nobody_could_look_for_is_not_missing() -> None:
    """Its pattern took too long: whether the text states it is not known."""
    view = judgements.view(judgement=None, labels=labels("f"))
    view.shared["facts", view.context] = [FoundFact("f", found=False, problem="a pattern of fact 'f' took too long")]

    assert Diagnoser(None, {}).of(view, ()) is None
