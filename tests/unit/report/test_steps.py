from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.run import FoundInStep, Gathered, RunCase, RunNeed, RunStep
from evaluator.report.steps import LAST_STEP, MAX_OTHERS, MAX_SHOWN, Agents, Walks, part


def need(written: Any, *ways: str, found: tuple[int, int] | None = None) -> RunNeed:
    """A need with its ways in one-letter chunks."""
    where = None if found is None else FoundInStep(step=found[0], rank=found[1])
    return RunNeed(
        need=written, chunks=tuple(map(tuple, ways or (written,))), digest=None, grade=1, rank=None, found=where
    )


def case(*needs: RunNeed, context: str = "", name: str = "q", **fields: Any) -> RunCase:
    """A case of two steps."""
    steps = tuple(RunStep(query=query, retrieved=(), scores={}) for query in ("first", "then\n  this"))
    gathered = Gathered(union={"recall": 1.0, "fact_coverage": None}, context={"recall": 0.5, "fact_coverage": None})
    base: dict[str, Any] = {
        "id": name, "category": "c", "critical": False, "split": "dev", "language": "en", "question": "?",
        "input_hash": "", "labels_hash": "", "labels": {}, "scores": {}, "unscored": {}, "not_applicable": {},
        "failure": None, "diagnosis": None, "answer": None, "abstained": None, "context": tuple(context),
        "steps": steps, "gathered": gathered, "usage": None, "duplicates": (), "retrieved": None,
    }  # fmt: skip
    return RunCase(needs=needs, **{**base, **fields})


def walked(*cases: RunCase, mentioned: str = "q") -> Agents | None:
    """What is collected of some cases."""
    walks = Walks({mentioned})
    for each in cases:
        walks.take(each)
    return walks.agents()


def notes(*needs: RunNeed, context: str = "") -> list[str]:
    """What is said of the needs of a case, each after its name."""
    agents = walked(case(*needs, context=context))
    assert agents is not None
    return [f"{note.about}: {note.text}" for note in agents.walks["q"]]


@pytest.mark.parametrize(
    ("one", "context", "said"),
    [
        (need("a", found=(1, 4)), "a", "a: found in step 1 ('first'), rank 4"),
        (need("a", found=(2, 1)), "b", "a: found in step 2 ('then this'), rank 1; not in what the model got"),
        (need("a"), "", "a: found in no step"),
        (need("a"), "a", "a: found in no step; in what the model got"),
        (need({"doc": "d"}, "a", "b"), "b", "document d: found in no step; in what the model got"),
        (need({"any_of": ["a", "b"]}, "a", "b", found=(1, 1)), "ab", "one of a, b: found in step 1 ('first'), rank 1"),
        (need({"quote": "some words"}, "ab"), "a", "some words: found in no step"),
        (need({"chunk": "a", "grade": 2}, "a"), "", "a: found in no step"),
    ],
)
def test_what_is_said_of_a_need(one: RunNeed, context: str, said: str) -> None:
    """Where it was found, and whether the model got it where that is not what one would think."""
    assert notes(one, context=context) == [said]


def test_a_long_need_and_a_long_query_leave_room_for_what_became_of_it() -> None:
    """A line on the terminal holds both, cut, and the end of the sentence."""
    steps = (RunStep(query="q" * 500, retrieved=(), scores={}),)
    agents = walked(case(need("a" * 500, found=(1, 1)), steps=steps))
    assert agents is not None
    [note] = agents.walks["q"]

    assert (len(note.about or ""), note.text.count("q")) == (MAX_SHOWN, MAX_SHOWN - 1)
    assert note.text.endswith("…'), rank 1; not in what the model got")


def test_needs_are_counted_by_the_step_that_found_them() -> None:
    """Late steps together, those that none found last; beside each how many reached the model."""
    needs = [need("a", found=(1, 1)), need("b", found=(2, 1)), need("c", found=(LAST_STEP + 3, 1)), need("d")]
    steps = tuple(RunStep(query="x", retrieved=(), scores={}) for _ in range(LAST_STEP + 3))
    shown = part(walked(case(*needs, context="ab", steps=steps), case(need("a", found=(1, 1)), name="r")), [])
    assert shown.table is not None

    assert shown.title == "Steps of the agent: 2 questions"
    assert [row.cells for row in shown.table.rows.items] == [
        ("step 1", "2", "1"), ("step 2", "1", "1"), (f"step {LAST_STEP} or later", "1", "0"), ("no step", "1", "0"),
    ]  # fmt: skip


def test_means_are_over_the_cases_that_have_the_value() -> None:
    """A case without facts has no fact coverage, neither of its steps nor of its context."""
    shown = part(walked(case(need("a"))), [])

    assert [note.text for note in shown.notes.items if note.about is None] == [
        "recall of all steps together 1.000, of what the model got 0.500"
    ]


def test_cases_behind_what_failed_come_first() -> None:
    """Then those that changed, then others that lost something, as many as fit a page; what is complete is not told."""
    lost = [case(need("a", found=(1, 1)), name=f"lost {number}") for number in range(MAX_OTHERS + 5)]
    complete = case(need("a", found=(1, 1)), context="a", name="complete")
    agents = walked(complete, *lost, case(need("a"), name="failed"), mentioned="failed")
    names = [note.about for note in part(agents, ["failed", "elsewhere"]).notes.items if note.about is not None]

    assert names == ["failed", *(f"lost {number}" for number in range(MAX_OTHERS))]


def test_without_steps_nothing_is_said() -> None:
    """A pipeline that searches once has no such part."""
    assert walked(case(need("a"), steps=None, gathered=None)) is None
    assert not part(None, [])
