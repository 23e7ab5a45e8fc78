"""What a case lost of which some metric fell, in two runs of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator.model.exam import ExamFile, Regressed
from evaluator.stages.compare import compare
from evaluator.stages.regressed import told
from evaluator.stages.score import score
from evaluator.stores.values import read_value
from tests import judgements
from tests.judgements import judgement, labels
from tests.unit.report.test_steps import case as run_case
from tests.workbench import Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = [
    {"id": "a", "text": "The warranty lasts two years."},
    {"id": "b", "text": "Returns take 30 days."},
]
CASES: list[dict[str, Any]] = [
    {"id": "q", "question": "how long?", "relevant": ["a"], "facts": [{"id": "years", "text": "two years"}]},
    {"id": "same", "question": "how long do returns take?", "relevant": ["b"]},
    {"id": "hidden", "question": "kept apart", "relevant": ["a"], "split": "holdout"},
]


def run(folder: Path, **found: list[str]) -> Bench:
    """A scored run; every case retrieves ``b``, unless it is said what, and has an answer of that many words."""
    folder.mkdir()
    replies = [
        {"id": case["id"], "retrieved": [{"id": chunk} for chunk in found.get(case["id"], ["b"])],
         "answer": "word " * len(found.get(case["id"], ["b"]))}
        for case in CASES
    ]  # fmt: skip
    made = Bench(folder, CASES, recorded(folder, replies), CHUNKS, {"metrics": ["recall@1", "fact_coverage@1"], "k": 1})
    made.collect()
    score(made.workspace())
    return made


def test_compare_tells_what_a_fallen_case_lost(tmp_path: Path) -> None:
    """``q`` lost its passage and with it its fact; the same loss of a held-out case is not told."""
    run(tmp_path / "before", q=["a", "b"], hidden=["a"])
    after = run(tmp_path / "after")
    compare(after.workspace(), tmp_path / "before" / "out" / "run.json")
    state = read_value(after.out / "exam.json", ExamFile)

    # 29 characters of chunk a, 21 of b; two words of five characters, then one.
    assert state.regressed == (Regressed(id="q", before=None, facts=("two years",), answer=(10, 5), context=(29, 21)),)


def test_the_baselines_own_diagnosis_is_told(tmp_path: Path) -> None:
    """It fell from rank 2 to nowhere: recall at 1 is 0 in both, so only a deeper metric shows it."""
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, chunks in ((before, ["b", "a"]), (after, ["b"])):
        folder.mkdir()
        replies = [{"id": "q", "retrieved": [{"id": chunk} for chunk in chunks]}]
        made = Bench(folder, CASES[:1], recorded(folder, replies), CHUNKS, {"metrics": ["recall@2"], "k": 1})
        made.collect()
        score(made.workspace())
    compare(made.workspace(), before / "out" / "run.json")

    [lost] = read_value(made.out / "exam.json", ExamFile).regressed
    assert (lost.before, lost.facts) == ("ranking", ())


def test_facts_of_an_answer_are_lost_where_a_judge_said_so_of_both() -> None:
    """One that was there before and is not now; nothing where one of them was not judged."""
    wanted = labels("f", "g")
    then = judgements.view(labels=wanted, said=judgement(facts={"f": True, "g": False}))
    now = judgements.view(labels=wanted, said=judgement(facts={"f": False, "g": False}))
    silent = judgements.view(labels=wanted, said=judgement(facts={}))

    assert told(run_case(), then, now).answer_facts == ("f",)
    assert told(run_case(), then, silent).answer_facts == ()
    assert told(run_case(), then, then).answer_facts == ()


def test_lengths_are_told_where_both_are_known() -> None:
    """``text of A`` has nine characters."""
    one, two = judgements.view("A", answer="Yes."), judgements.view("AB", answer=None)

    assert (told(run_case(), one, two).answer, told(run_case(), one, two).context) == (None, (9, 18))
    assert told(run_case(), one, judgements.view("A", passages={})).context is None
