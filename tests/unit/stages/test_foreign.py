"""What is said of results whose text is not the fixture's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from evaluator.stages.compare import compare
from evaluator.stages.gate import gate
from evaluator.stages.report import report
from evaluator.stages.score import score
from tests.workbench import Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = [
    {"id": "a", "text": "Returns take 30 days."},
    {"id": "b", "text": "The warranty lasts two years."},
    {"id": "c", "text": "We ship abroad."},
]
JUNK = "Buy now, it is cheap."
OTHER = "; facts and values are looked for in what came"


class Told(NamedTuple):
    """What run.json holds for the report, and the scores of the first case."""

    alerts: list[str]
    warnings: list[str]
    scores: dict[str, float]


def case(identifier: str, **fields: Any) -> dict[str, Any]:
    """A question that needs chunk a, and a fact that stands in it."""
    facts = [{"id": "f", "text": "30 days"}]
    return {"id": identifier, "question": f"{identifier}?", "relevant": ["a"], "facts": facts, **fields}


def bench(folder: Path, cases: list[dict[str, Any]], *hits: dict[str, Any], **fields: Any) -> Bench:
    """Every case is answered with the same results."""
    replies = [{"id": each["id"], "retrieved": list(hits), **fields} for each in cases]
    config = {"k": 3, "metrics": ["recall@3", "fact_coverage@3"]}
    return Bench(folder, cases, recorded(folder, replies), CHUNKS, config)


def told(made: Bench) -> Told:
    """Collect and score, each with what is in memory and from files: they say the same."""
    made.collect()
    score(made.workspace())
    run = json.loads((made.out / "run.json").read_bytes())
    collected = made.collection()["timing"]
    new = [each for each in run["timing"]["warnings"] if each not in collected["warnings"]]
    assert all(f"warning: {each}" in made.log for each in (*new, *run["timing"]["alerts"]))
    return Told(run["timing"]["alerts"], new, run["cases"][0]["scores"])


def test_the_fixtures_own_texts_need_no_word(tmp_path: Path) -> None:
    """Whether a pipeline leaves the text out, gives it, or gives it with other white space or invisible characters."""
    given = [{"id": "a"}, {"id": "b", "text": CHUNKS[1]["text"]}, {"id": "c", "text": "We  ship\nabroad\u200b."}]

    assert told(bench(tmp_path, [case("q1")], *given))[:2] == ([], [])


def test_a_needed_id_with_junk_stands_on_top_of_the_report(tmp_path: Path) -> None:
    """The need is met by its id, and the fact is found in no text: the score stays, and a person is told."""
    found = told(bench(tmp_path, [case("q1"), case("q2")], {"id": "a", "text": JUNK}, {"id": "c", "text": "And more."}))

    named = "1 chunk ('a') that labels name came with another text than the fixture's (2 cases, first 'q1')"
    assert found.alerts == [f"{named}; ids count all the same."]
    assert found.warnings == [
        f"2 chunks (first 'a') came with another text than the fixture's (2 cases, first 'q1'){OTHER}"
    ]
    assert found.scores == {"recall@3": 1.0, "fact_coverage@3": 0.0}


@pytest.mark.parametrize("need", ["a", {"any_of": ["b", "a"]}, {"quote": "take 30 days"}])
def test_whatever_way_a_need_names_its_chunk(tmp_path: Path, need: Any) -> None:
    """A quote was found in the fixture's text and counts where the chunk comes, whatever it says now."""
    assert len(told(bench(tmp_path, [case("q1", relevant=[need])], {"id": "a", "text": JUNK})).alerts) == 1


def test_a_heading_before_the_text_is_worth_a_warning_only(tmp_path: Path) -> None:
    """What was labelled is still within it, and so is the fact."""
    found = told(bench(tmp_path, [case("q1")], {"id": "a", "text": f"Terms > Returns\n{CHUNKS[0]['text']}"}))

    assert found.alerts == []
    assert found.warnings == [f"1 chunk ('a') came with another text than the fixture's (1 case, first 'q1'){OTHER}"]


@pytest.mark.parametrize(
    "hits",
    [
        [{"id": "c", "text": "Returns within 30 days."}],
        [{"id": "unknown", "text": "Returns within 30 days."}],
        [{"id": "c", "text": f"{CHUNKS[2]['text']} Returns within 30 days."}],
    ],
)
def test_a_fact_that_stands_in_no_frozen_text_is_named(tmp_path: Path, hits: list[dict[str, Any]]) -> None:
    """It counts, because the model read it, and nobody has reviewed it."""
    found = told(bench(tmp_path, [case("q1")], *hits))

    assert found.alerts == ["1 required fact found in text that the fixture does not hold (1 case, first 'q1')."]
    assert found.scores["fact_coverage@3"] == 1.0


def test_a_context_that_the_fixture_does_not_hold_is_called_what_it_is(tmp_path: Path) -> None:
    """It is irrelevant to every need, and its text counts for facts: the warning says both."""
    step = {"query": "x", "retrieved": [{"id": "web", "text": "30 days"}]}
    made = bench(tmp_path, [case("q1")], {"id": "c"}, context=["web"], steps=[step])

    assert told(made).alerts == ["1 required fact found in text that the fixture does not hold (1 case, first 'q1')."]
    assert (
        "1 result not in the fixture, counted as irrelevant (1 case, first 'q1'); "
        "facts and values are looked for in the text they came with"
    ) in made.collection()["timing"]["warnings"]


def test_a_case_that_is_held_out_is_never_named(tmp_path: Path) -> None:
    """Nor is what only it has come with."""
    hits = [{"id": "a", "text": JUNK}, {"id": "c", "text": "30 days"}]
    found = told(bench(tmp_path, [case("secret", split="holdout")], *hits))

    assert len([*found.alerts, *found.warnings]) == 3
    assert not any("secret" in each or "'a'" in each for each in (*found.alerts, *found.warnings))


def test_without_a_fixture_there_is_nothing_to_differ_from(tmp_path: Path) -> None:
    """Then the texts of the replies are all there is."""
    made = bench(tmp_path, [case("q1")], {"id": "a", "text": JUNK})
    made.chunks = []

    assert told(made)[:2] == ([], [])


def test_the_comment_says_it_before_any_number(tmp_path: Path) -> None:
    """The alert stands between the verdict and what else there is."""
    made = bench(tmp_path, [case("q1")], {"id": "a", "text": JUNK})
    told(made)
    compare(made.workspace(), None)
    gate(made.workspace())
    report(made.workspace())
    comment = (made.out / "comment.md").read_text(encoding="utf-8")

    assert "**1 chunk ('a') that labels name came with another text than the fixture's" in comment.partition("###")[0]
