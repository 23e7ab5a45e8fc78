"""Labels by id whose chunk came to say something else between two runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.stages.compare import compare
from evaluator.stages.gate import gate
from evaluator.stages.renumbered import are_unlike
from evaluator.stages.report import report
from evaluator.stages.score import score
from tests.workbench import Bench

if TYPE_CHECKING:
    from pathlib import Path

RETURNS = "A product can be returned within thirty days of delivery if it was not used."
SHIPPING = "Express delivery arrives the next morning when the order was placed before noon."
CASES: list[dict[str, Any]] = [
    {"id": "q1", "question": "product delivery", "relevant": ["c-0"]},
    {"id": "q2", "question": "express morning delivery", "relevant": [{"any_of": ["c-1", "c-2"]}]},
    {"id": "q3", "question": "product used", "relevant": [{"quote": "returned within thirty days"}]},
]


def alerts(folder: Path, *texts: str, cases: list[dict[str, Any]] = CASES) -> list[str]:
    """What stands on top when the fixture holds these texts instead of the two it had, under the ids c-0 and so on."""
    made = []
    for name, found in (("old", (RETURNS, SHIPPING, "Nothing else.")), ("new", texts)):
        (folder / name).mkdir(parents=True)
        chunks = [{"id": f"c-{place}", "text": text} for place, text in enumerate(found)]
        bench = Bench(folder / name, cases, {"kind": "builtin"}, chunks, {"metrics": ["recall@5"], "k": 5})
        bench.collect()
        score(bench.workspace())
        made.append(bench)
    workspace = made[1].workspace()
    compare(workspace, made[0].out / "run.json")
    gate(workspace)
    report(workspace)
    said: list[str] = json.loads((made[1].out / "exam.json").read_bytes())["alerts"]
    comment = (made[1].out / "comment.md").read_text(encoding="utf-8")
    assert all(each in comment.partition("###")[0] for each in said)
    assert all(each in workspace.warnings for each in said)
    return said


def test_ids_given_anew_are_named_though_every_id_is_still_retrieved(tmp_path: Path) -> None:
    """The two chunks changed places: recall stays 1, and each label by id means the other one. A quote moved along."""
    assert alerts(tmp_path, SHIPPING, RETURNS, "Nothing else.") == [
        "2 labels mean other text than in the baseline, under the same id: 'c-0' (case 'q1'), 'c-1' (case 'q2')."
    ]


@pytest.mark.parametrize(
    "text",
    [
        RETURNS,
        f"{RETURNS} Postage is paid by whoever sends it back, unless it arrived broken.",
        RETURNS.replace("product", "gadget"),
        "Product returned within thirty days of delivery.",
    ],
)
def test_an_edited_passage_is_still_the_same_one(tmp_path: Path, text: str) -> None:
    """Text added, a word changed, or cut shorter: the documents changed, not what the label means."""
    assert alerts(tmp_path, text, SHIPPING, "Nothing else.") == []


def test_many_are_counted_and_some_named(tmp_path: Path) -> None:
    """Five cases name the same chunk."""
    cases = [{"id": f"q{n}", "question": "delivery", "relevant": ["c-0"]} for n in range(5)]

    [said] = alerts(tmp_path, SHIPPING, RETURNS, cases=cases)

    assert said.startswith("5 labels mean other text")
    assert said.endswith(": 'c-0' (case 'q0'), 'c-0' (case 'q1'), 'c-0' (case 'q2') and 2 others.")


def test_a_case_that_is_held_out_is_never_named(tmp_path: Path) -> None:
    """It is compared nowhere."""
    assert alerts(tmp_path, SHIPPING, RETURNS, cases=[{**CASES[0], "split": "holdout"}]) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (RETURNS, SHIPPING, True),
        (RETURNS, RETURNS.upper(), False),
        (RETURNS, f"# Returns\n\n{RETURNS}", False),
        ("Refunds are paid.", "We ship abroad.", True),
        ("Refunds are paid.", "Refunds are made.", False),
        ("商品可以在三十天内退货，运费由买家承担。", "快递次日上午送达，下单须在中午之前。", True),
        ("商品可以在三十天内退货，运费由买家承担。", "商品可以在二十天内退货，运费由卖家承担。", False),
        ("", "", False),
    ],
)
def test_when_two_texts_are_about_different_things(first: str, second: str, *, expected: bool) -> None:
    """By words, and by characters where there are few words or none; in both directions alike."""
    assert are_unlike(first, second) is expected
    assert are_unlike(second, first) is expected
