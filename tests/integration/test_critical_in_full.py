"""A critical case that failed or is in question is shown in full: a person can decide from the comment alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluator.comparison.critical import RULES
from tests.court import Court, calibration, case
from tests.forge import Page
from tests.recorded import Recorded

CONFIRMED: dict[str, Any] = {"again": (False, False), "before": (True, True)}
"""What further judgings said of a lost fact, of this answer and of the baseline's."""

LABELS = {"facts": [{"id": "f1", "text": "one"}, {"id": "f2", "text": "two"}], "reference": "One and two."}


def others(verdict: str = "supported") -> list[dict[str, Any]]:
    """Nine cases that do not matter."""
    return [case(f"c{number}", verdict) for number in range(1, 10)]


def below(comment: str, question: str) -> list[str]:
    """The lines of the comment that belong to a question."""
    lines = comment.split(f"{question}\n")[1].splitlines()
    end = next((place for place, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    return [line.strip() for line in lines[:end] if line.strip()]


def test_a_failed_one_shows_what_the_model_got_and_said_before_and_now(tmp_path: Path) -> None:
    """One of three chunks went, one came, one moved; the answer is another."""
    chunks = [{"id": name, "text": f"text of {name}", "doc": name} for name in ("a", "b", "c", "d")]
    cases = [{"id": "x", "question": "What of a?", "relevant": ["a"], "critical": True, "reference": "It is a."}]
    cases += [{"id": f"q{n}", "question": f"Why {n}?", "relevant": ["b"]} for n in range(20)]
    repository = Recorded(tmp_path, cases, chunks=chunks)
    before = [{"id": "a"}, {"id": "b"}, {"id": "c"}]
    base = repository.run("base", {"x": {"retrieved": before, "answer": "It is **a**."}})
    done = repository.run(
        "new", {"x": {"retrieved": [{"id": "b"}, {"id": "d"}, {"id": "c"}], "answer": "No idea."}}, baseline=base.run
    )
    assert done.exit_code == 1
    shown = below(done.text(), "**Critical:** What of a?")
    assert shown[0] == "- `x`, uncategorised: needs in the context 1 → 0"
    assert shown[shown.index("- no longer in the context: chunk a") :] == [
        "- no longer in the context: chunk a",
        "- expected: It is a.",
        "- answer before: It is &#42;&#42;a&#42;&#42;.",
        "- answer now: No idea.",
        "- <details><summary>What the model got: 3 chunks, 1 of them new, 1 gone</summary>",
        "- `b` (number 1, was number 2): text of b",
        "- `d` (number 2, new): text of d",
        "- `c` (number 3): text of c",
        "- `a` (gone, was number 1): text of a",
        "</details>",
    ]


def test_one_in_question_is_shown_apart(tmp_path: Path) -> None:
    """A new claim that nobody asked about twice is neither a failure nor none; the other case is not listed."""
    court = Court(tmp_path)
    court.calibrate(calibration())
    base = court.run("base", [case("c0", "supported", critical=True), *others(), case("k", "supported", critical=True)])
    court.run("new", [case("c0", "unsupported", critical=True), *others(), case("k", "supported", critical=True)])
    comment = court.report("new", base)

    assert "### In question: 1 critical case\n" in comment
    assert "k?" not in comment
    shown = below(comment, "**Critical:** c0?")
    assert shown[0] == "- `c0`, uncategorised: faithfulness 1.000 → 0.000"
    assert shown[2].startswith("- unsupported claims, not decided: 1 new unsupported claim not confirmed by further")
    assert shown[3] == "- answer before and now: An answer."


def test_one_that_an_uncalibrated_judge_would_fail_is_in_question(tmp_path: Path) -> None:
    """A fact went from the answer, says a judge whom nobody has checked: a person has to look."""
    court = Court(tmp_path)
    base = court.run("base", [case("c0", "supported", critical=True, labels=LABELS, answer="One, two."), *others()])
    court.run(
        "new",
        [
            case(
                "c0",
                "supported",
                critical=True,
                labels=LABELS,
                present=["f1"],
                further={"f2": CONFIRMED},
                answer="One.",
            ),
            *others(),
        ],
    )
    shown = below(court.report("new", base), "**Critical:** c0?")
    lost = "no longer in the answer: f2 (the judge is not enforced: not calibrated)"
    assert f"- facts in the answer, would have failed: {lost}" in shown
    assert shown[-6:-3] == ["- expected: One and two.", "- answer before: One, two.", "- answer now: One."]


def test_one_that_fails_by_the_labels_of_the_baseline_only_is_in_question(tmp_path: Path) -> None:
    """The need that went was taken out of the golden set in the same change: a person looks."""
    cases = [{"id": "x", "question": "What of a?", "relevant": ["a", "b"], "critical": True}]
    cases += [{"id": f"q{n}", "question": f"Why {n}?", "relevant": ["b"]} for n in range(20)]
    repository = Recorded(tmp_path, cases)
    base = repository.run("base", {"x": {"retrieved": [{"id": "a"}, {"id": "b"}]}})
    repository.cases[0]["relevant"] = ["b"]
    done = repository.run("new", {"x": {"retrieved": [{"id": "b"}]}}, baseline=base.run)
    assert done.outcome == "inconclusive"
    assert (
        "- needs in the context, by the rules and labels of the baseline: no longer in the context: chunk a"
        in below(done.text(), "**Critical:** What of a?")
    )


def test_all_of_them_are_named_however_long_their_texts_are(tmp_path: Path) -> None:
    """Forty cases of five chunks of 70,000 characters: the comment fits and not one critical case is left out (G1)."""
    chunks = [{"id": f"k{n}", "text": f"{n} " + "wörd | " * 10_000} for n in range(6)]
    cases = [{"id": f"x{n}", "question": f"What of {n}?", "relevant": ["k0"], "critical": True} for n in range(40)]
    repository = Recorded(tmp_path, cases, chunks=chunks, config={"report": {"max_examples": 3}})
    base = repository.run("base", {})
    lost = {"retrieved": [{"id": f"k{n}"} for n in range(1, 6)], "answer": "y" * 70_000}
    done = repository.run("new", dict.fromkeys((case["id"] for case in cases), lost), baseline=base.run)
    comment, summary = done.text(), done.text("summary.md")

    assert len(comment) <= 65_000
    assert all(f"  - `x{n}`, uncategorised" in comment for n in range(40))
    assert "Left out for length" in comment
    assert comment.count("<summary>What the model got: 5 chunks, 5 of them new, 1 gone") >= 10
    assert summary.count("<summary>What the model got: 5 chunks, 5 of them new, 1 gone") == 40
    assert Page.of(comment).references == Page.of(summary).references == []
    assert (done.out / "exam.json").stat().st_size < 3_000_000


def test_a_held_out_one_is_shown_nowhere(tmp_path: Path) -> None:
    """It is critical and lost all it needs; of the holdout there are aggregates only."""
    secret = {"id": "s", "question": "A secret?", "relevant": ["a"], "critical": True, "split": "holdout"}
    repository = Recorded(tmp_path, [secret, *({"id": f"q{n}", "question": "?", "relevant": ["b"]} for n in range(9))])
    base = repository.run("base", {})
    done = repository.run("new", {"s": {"retrieved": [{"id": "b"}]}}, baseline=base.run)
    assert done.file("exam.json")["exhibits"]["critical"] == []
    assert {case["rule"] for case in done.file("decision.json")["cases"]} <= {f"critical {rule}" for rule in RULES}
