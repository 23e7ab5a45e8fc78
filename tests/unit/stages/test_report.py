"""report: files in, files out, and nothing of a held-out case in any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.config import Config
from evaluator.model.exam import ExamFile
from evaluator.model.record import Failure
from evaluator.model.run import History, How, RunCase, RunFact, RunHit, RunSummary, SummaryValue
from evaluator.stages.report import report
from evaluator.stages.workspace import Clock, Workspace
from evaluator.stores.runs import RunWriter
from evaluator.stores.values import write_value
from tests.builders import build_case_outcome, build_change, build_comparison, build_decision, build_row, build_rule
from tests.sheets import exam, rule, sheet

if TYPE_CHECKING:
    from pathlib import Path


def run_case(name: str, *, results: int = 5, **fields: Any) -> RunCase:
    """A case that retrieved so many chunks."""
    base: dict[str, Any] = {
        "id": name, "category": "billing", "critical": False, "split": "dev", "language": "en",
        "question": f"What about {name}?", "input_hash": "0", "labels_hash": "0", "labels": {}, "needs": (),
        "scores": {"recall@5": 0.5}, "unscored": {}, "not_applicable": {}, "failure": None, "diagnosis": None,
        "answer": None, "abstained": None, "context": (), "steps": None, "usage": None, "duplicates": (),
        "retrieved": tuple(RunHit(id=f"c{rank}", doc=None, score=None, text=None) for rank in range(results)),
    }  # fmt: skip
    return RunCase(**{**base, **fields})


def fact(name: str, how: How | None) -> RunFact:
    """A fact that was found in this way, or not."""
    chunks, rank = (("c1",), 2) if how else ((), None)
    return RunFact(fact=name, found=how is not None, chunks=chunks, rank=rank, span=None, how=how)


TOLD = {"alerts": ["2 labels of 1 case cannot be retrieved."], "warnings": ["the fixture has no manifest"]}


def decided(out: Path, *cases: RunCase, unchanged: tuple[RunCase, ...] = ()) -> Workspace:
    """A folder in which the cases' recall fell and the gate has decided."""
    summary = RunSummary(all={"recall@5": SummaryValue(mean=0.5, n=3, of=3)}, categories={}, holdout={})
    start: dict[str, Any] = {
        "tool": "rag-assay 0.1.0", "suite": "support", "tier": "retrieval", "commit": None, "fingerprint": {},
        "config": {"gate": {"min_cases": 5}}, "records": None, "judge": None, "calibration": None,
        "noise": None, "self_reported": None,
    }  # fmt: skip
    with RunWriter(out / "run.json", **start) as writer:
        for case in (*cases, *unchanged):
            writer.add(case)
        writer.finish(summary, {}, {}, {"started_at": "2026-03-04T09:00:00Z", **TOLD}, History())
    row = build_row("billing", 0.9, 0.5, reason="worse by 0.4, 0.02 is allowed")
    changes = tuple(build_change(case.id, lost=[("c9", 1, None)]) for case in cases)
    write_value(out / "comparison.json", build_comparison((row,), changes))
    outcomes = tuple(build_case_outcome(case.id) for case in cases)
    state = ExamFile(exam=exam(sheet([]), rule()), history=History(), values={}, categories={}, warnings=("odd entry",))
    write_value(out / "exam.json", state)
    write_value(out / "decision.json", build_decision("failed", (build_rule(row),), cases=outcomes))
    return workspace(out)


def workspace(out: Path) -> Workspace:
    """A workspace that shows two examples and touches nothing outside its folder."""
    config = Config.model_validate(
        {"suite": "support", "golden": "golden.jsonl", "fixture": "fixture", "report": {"max_examples": 2}}
    )
    return Workspace(
        config=config, config_file=out / "rag-assay.yml", out=out, commit=None, environment={},
        clock=Clock(now=str, today=str, seconds=float), log=lambda _line: None, progress=lambda _title, _total: None,
    )  # fmt: skip


class TestReport:
    """The report of a decided run."""

    def test_says_how_required_facts_were_found(self, tmp_path: Path) -> None:
        """Those in other words than the golden set's are named, for people to look over; held-out ones are not."""
        facts = [fact("days", "stems"), fact("price", "text"), fact("place", None)]
        report(decided(tmp_path, run_case("a", facts=tuple(facts)), run_case("h", split="holdout", facts=tuple(facts))))

        text = (tmp_path / "comment.md").read_text(encoding="utf-8")
        assert "Required facts in the context: 3 facts" in text
        assert "1 as written, 1 by word stems, 1 not found." in text
        assert "| `a` | `days` | `c1` | 2 | by word stems |" in text
        assert "`price`" not in text

    def test_writes_comment_and_summary_and_returns_the_table(self, tmp_path: Path) -> None:
        """Both files say what failed; what is printed names the files."""
        printed = report(decided(tmp_path, run_case("a"), run_case("b"), unchanged=(run_case("same"),)))

        for name in ("comment.md", "summary.md"):
            text = (tmp_path / name).read_text(encoding="utf-8")
            assert text.startswith("## ❌ Failed: recall@5 fell in billing\n")
            assert "- What about a?\n  - `a`, billing: recall@5 1.000 → 0.000\n  - needed `c9`: rank 1" in text
            assert "same" not in text
            assert f"wrote {tmp_path / name}" in printed.splitlines()
        assert printed.startswith("Failed: recall@5 fell in billing\n")

    def test_shows_as_many_questions_as_the_configuration_says(self, tmp_path: Path) -> None:
        """report.max_examples is the number in the comment; the summary has room for more."""
        report(decided(tmp_path, *(run_case(name) for name in "abcd")))
        shown = [
            (tmp_path / name).read_text(encoding="utf-8").count("- What about") for name in ("comment.md", "summary.md")
        ]

        assert shown == [2, 4]

    def test_names_nothing_of_a_held_out_case(self, tmp_path: Path) -> None:
        """Neither id nor question of a held-out case is published, even where another file names it."""
        secret = run_case(
            "secret", split="holdout", failure=Failure(kind="error", message="secret failed"), duplicates=("x",)
        )
        printed = report(decided(tmp_path, run_case("a", failure=Failure(kind="died", message="exit code 9")), secret))
        comment, summary = ((tmp_path / name).read_text(encoding="utf-8") for name in ("comment.md", "summary.md"))

        assert not [text for text in (comment, summary, printed) if "secret" in text]
        assert "2 cases, 1 of them held out" in comment
        assert "- 1 held-out case failed too." in comment

    def test_lists_failures_and_what_other_stages_told(self, tmp_path: Path) -> None:
        """A case that failed, what collect found and what compare found are told by a process of its own."""
        failed = run_case("a", failure=Failure(kind="timeout", message="no reply within 60 s"), results=0)
        report(decided(tmp_path, failed, run_case("b"), run_case("c")))
        comment = (tmp_path / "comment.md").read_text(encoding="utf-8")

        assert "**The pipeline failed for 1 of 3 cases; each counts as the worst value.**" in comment
        assert "- `a`: timeout: no reply within 60 s" in comment
        assert "- the fixture has no manifest" in comment
        assert "- odd entry" in comment
        assert comment.index("2 labels of 1 case cannot be retrieved") < comment.index("### What failed")

    def test_says_which_file_is_missing(self, tmp_path: Path) -> None:
        """Without a decision there is nothing to report, and no half of it is written."""
        setting = decided(tmp_path, run_case("a"))
        (tmp_path / "decision.json").unlink()

        with pytest.raises(errors.FileProblem, match=r"decision\.json does not exist"):
            report(setting)
        assert not (tmp_path / "comment.md").exists()
