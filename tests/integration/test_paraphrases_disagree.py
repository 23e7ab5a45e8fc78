"""Questions that ask the same in other words and are answered worse than one another are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.court import Court, calibration, case
from tests.recorded import Done, Recorded

FACTS = [{"id": "f1", "text": "30 days"}, {"id": "f2", "text": "free of charge"}]
GROUP = ("g", "g2", "g3")
FOUND = {
    "retrieved": [{"id": "k", "text": "Within 30 days, free of charge."}],
    "answer": "30 days.",
    "abstained": False,
}


def repository(folder: Path, **fields: Any) -> Recorded:
    """A group of three, and cases beside it; a pair of which one is held out."""
    cases: list[dict[str, Any]] = [
        {"id": name, "question": f"{name}?", "relevant": ["k"], "facts": FACTS, **fields} for name in GROUP
    ]
    cases[1]["paraphrase_of"] = cases[2]["paraphrase_of"] = "g"
    cases += [{"id": f"c{n}", "question": f"Of {n}?", "relevant": ["k"]} for n in range(6)]
    cases += [{"id": "h", "question": "Held?", "relevant": ["k"], "split": "holdout"}]
    cases += [{"id": "h2", "question": "Held too?", "relevant": ["k"], "split": "holdout", "paraphrase_of": "h"}]
    metrics = ["recall@5", "fact_coverage@5", "abstention"]
    rules = [{"metric": name, "per": "all", "max_drop": 0.02} for name in metrics]
    return Recorded(folder, cases, config={"metrics": metrics, "gate": {"rules": rules}})


def rows(done: Done) -> list[str]:
    """The lines below the heading of the table; none where there is no table."""
    found = done.text().split("<summary>Paraphrases that disagree: ")
    return (
        [line for line in found[1].split("</details>")[0].splitlines() if line.startswith("| `")]
        if len(found) > 1
        else []
    )


def test_the_one_that_is_worse_is_named_with_all_that_it_lacks(tmp_path: Path) -> None:
    """One lost its passage and so both facts, one abstained: each is set beside one that did well, the worst first."""
    answers = {
        "g": FOUND, "g2": {"retrieved": [{"id": "x", "text": "Nothing."}], "answer": "30 days.", "abstained": False},
        "g3": {**FOUND, "answer": "I do not know.", "abstained": True},
    }  # fmt: skip
    done = repository(tmp_path).run("new", answers)
    assert "<summary>Paraphrases that disagree: 1 of 1 group</summary>" in done.text()
    lacks = "its context lacks “30 days”, “free of charge”, which that of g has"
    assert rows(done) == [
        f"| `g` | `g2` | {lacks}; recall@5 0.000, g has 1.000; fact_coverage@5 0.000, g has 1.000 |",
        "| `g` | `g3` | was not answered, g was answered |",
    ]


def test_a_part_of_the_facts_is_a_difference_too(tmp_path: Path) -> None:
    """The root itself may be the one that is worse: half of its facts are missing."""
    half = {**FOUND, "retrieved": [{"id": "k", "text": "Within 30 days."}]}
    done = repository(tmp_path).run("new", {"g": half, "g2": FOUND, "g3": FOUND})
    assert rows(done) == [
        "| `g` | `g` | its context lacks “free of charge”, which that of g2 has; fact_coverage@5 0.500, g2 has 1.000 |"
    ]


def test_one_that_failed_is_worse(tmp_path: Path) -> None:
    """A failure is the worst value of all that applies, and no abstention."""
    failed = {"failure": {"kind": "error", "message": "down"}}
    [row] = rows(repository(tmp_path).run("new", {"g": FOUND, "g2": failed, "g3": FOUND}))
    assert row.startswith("| `g` | `g2` | failed, g was answered; its context lacks ")


def test_a_group_that_is_alike_is_not_listed(tmp_path: Path) -> None:
    """Whether all of them are good or all of them bad."""
    for name, answer in (("good", FOUND), ("bad", {**FOUND, "retrieved": []})):
        done = repository(tmp_path).run(name, dict.fromkeys(GROUP, answer))
        assert rows(done) == []
        assert done.file("exam.json")["exhibits"]["groups"] == 1


def test_all_are_right_where_they_expect_different_things(tmp_path: Path) -> None:
    """One is to be left unanswered and was: that is no disagreement of the pipeline."""
    found = repository(tmp_path)
    found.cases[2] = {"id": "g3", "question": "g3?", "expect": "abstain", "paraphrase_of": "g"}
    silent = {"retrieved": [], "answer": "I do not know.", "abstained": True}
    assert rows(found.run("new", {"g": FOUND, "g2": FOUND, "g3": silent})) == []


def test_held_out_groups_are_neither_counted_nor_named(tmp_path: Path) -> None:
    """The pair disagrees; of the holdout there are means only."""
    done = repository(tmp_path).run("new", {**dict.fromkeys(GROUP, FOUND), "h2": {"retrieved": []}})
    assert (rows(done), done.file("exam.json")["exhibits"]["groups"]) == ([], 1)


def test_a_judge_says_which_answer_lacks_a_fact(tmp_path: Path) -> None:
    """Tier full: facts of the answer, and judged metrics that a rule names."""
    court = Court(tmp_path)
    court.calibrate(calibration())
    labels = {"facts": FACTS}
    root = {**case("g", "supported", labels=labels), "paraphrases": ("g2",)}
    court.run(
        "new",
        [root, case("g2", "supported", labels=labels, present=["f1"]), *(case(f"c{n}", "supported") for n in range(6))],
    )
    court.decide("new", None)
    [worse] = court.exam("new").exhibits.paraphrases
    assert [(each.kind, each.facts, each.metric, each.value) for each in worse.differences] == [
        ("answer", ("free of charge",), None, None), ("value", (), "answer_completeness", 0.5),
    ]  # fmt: skip
