from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.base import to_json
from evaluator.model.golden import Case, Fact
from evaluator.model.judgement import Judged, write
from evaluator.model.record import Hit, Record
from evaluator.model.run import RunCase
from evaluator.model.score import MetricId, Scored
from evaluator.model.view import Replied
from evaluator.stages.held import HeldCase, HeldRun, judged_of
from evaluator.stages.paraphrases import Groups, Meeting
from evaluator.stores.runs import StoredCase
from evaluator.stores.spans import Span
from tests.builders import build_head
from tests.judgements import claims, judgement

FACT = Fact(id="f", text="30 days")
ROOT = Case(id="root", question="How long?", facts=(FACT,))
OTHER = Case(id="other", question="For how long?", facts=(FACT,), paraphrase_of="root")
SAID = Judged(claims("+A in", "-"), judgement(facts={"f": True}, statements=("present",), sentences=("An answer.",)))


def record(case: Case) -> Record:
    """An answer from one result."""
    return Record(
        id=case.id, input_hash="i", retrieved=(Hit(id="A"),), context=("A",), answer="An answer.", abstained=None,
        steps=None, usage=None, meta=None, duplicates=(), failure=None,
    )  # fmt: skip


def stored(case: Case, judged: Judged | None, **fields: Any) -> StoredCase:
    """A case as it is read from run.json."""
    kept = write(judged) if judged is not None else {}
    base: dict[str, Any] = {
        "id": case.id, "category": "c", "critical": False, "split": "dev", "language": "en", "question": case.question,
        "input_hash": "i", "labels_hash": "l", "labels": case.labels.written, "needs": [], "scores": {},
        "unscored": {}, "not_applicable": {}, "failure": None, "diagnosis": None, "answer": "An answer.",
        "abstained": None, "context": ["A"], "steps": None, "usage": None, "duplicates": [],
        "paraphrases": ["other"] if case is ROOT else [], "retrieved": None,
    }  # fmt: skip
    read = RunCase.model_validate(json.loads(to_json({**base, **kept, **fields})))
    return StoredCase(read, (Hit(id="A", text="30 days"),), ())


class TestWhatAJudgeSaid:
    """The answers of a group reach its root beside the rankings."""

    def test_while_scoring(self) -> None:
        """With labels, answer and judgement; where nobody was asked a ranking and no more."""
        records = [record(ROOT), record(OTHER)]

        asked = Groups((ROOT, OTHER), Path("unread"), records, {"other": SAID.judgement}).of("root")
        assert asked.rankings == (Replied(("A",), OTHER.labels, "An answer.", None, SAID.judgement),)
        assert Groups((ROOT, OTHER), Path("unread"), records).of("root").rankings == (Replied(("A",)),)

    def test_out_of_a_stored_run(self) -> None:
        """The same as while scoring, so that nothing is measured twice."""

        def alone(judged: Judged | None, **fields: Any) -> tuple[Replied | None, ...]:
            cases = {"root": stored(ROOT, None), "other": stored(OTHER, judged, **fields)}
            run: Any = HeldRun(build_head(), {}, cases, Path("unread"), Span(0, 0))  # type: ignore[arg-type] - read like one that is held
            return Meeting(run, None, wanted=True).alone(cases["root"], is_candidate=True)

        assert alone(SAID) == (Replied(("A",), OTHER.labels, "An answer.", None, SAID.judgement),)
        assert alone(None) == (Replied(("A",)),)
        assert alone(SAID, failure={"kind": "error", "message": "m"}) == (None,)

    def test_it_is_read_as_it_was_written(self) -> None:
        """Claims and the rest, from the file or from the case that this process holds."""
        read = stored(ROOT, SAID)
        view = scoring.view_of(read, ROOT.labels, (), {}, beside=scoring.Beside(judged=SAID))
        plain = scoring.view_of(read, ROOT.labels, (), {})

        assert judged_of(read) == SAID
        assert judged_of(HeldCase(read.case, read.retrieved, (), view, {})) == SAID
        assert judged_of(HeldCase(read.case, read.retrieved, (), plain, {})) is None
        assert judged_of(stored(ROOT, None)) is None

    @pytest.mark.parametrize(("claimed", "expected"), [(SAID.claims, 0.5), ((), None), (None, None)])
    def test_metrics_read_it(self, claimed: Any, expected: float | None) -> None:
        """What stands in the run is what is measured; without claims there is no value."""
        view = scoring.view_of(
            stored(ROOT, SAID), ROOT.labels, (), {}, beside=scoring.Beside(judged=Judged(claimed, SAID.judgement))
        )
        score = scoring.score_case(view, [MetricId("faithfulness")], metrics.load())[MetricId("faithfulness")]

        assert (score.value if isinstance(score, Scored) else None) == expected
