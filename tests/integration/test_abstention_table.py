"""Who answered and who abstained, beside what was expected and beside the context."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluator.model.judgement import Judged, Judgement, Opinion, write
from tests.court import METRICS, Court, calibration, case
from tests.recorded import Done, Recorded

SAID, SILENT = {"answer": "So.", "abstained": False}, {"answer": "I do not know.", "abstained": True}
UNKNOWN = {"answer": "Perhaps."}


def repository(folder: Path, answerable: int, unanswerable: int) -> Recorded:
    """Cases a0, a1 ... that can be answered and n0, n1 ... that cannot."""
    cases = [{"id": f"a{n}", "question": f"Of {n}?", "relevant": ["k"]} for n in range(answerable)]
    cases += [{"id": f"n{n}", "question": f"Not {n}?", "expect": "abstain"} for n in range(unanswerable)]
    return Recorded(folder, cases)


def table(done: Done, title: str = "Abstention") -> list[str]:
    """The lines of a table of the comment."""
    part = done.text().split(f"<summary>{title}: ")[1].split("</details>")[0]
    return [line for line in part.splitlines() if line.startswith("|")]


def test_the_table_counts_paired_cases_before_and_now(tmp_path: Path) -> None:
    """Of five to be answered one more abstains, of three not to be two are answered; a new one does not count."""
    found = repository(tmp_path, 5, 3)
    before: dict[str, dict[str, Any]] = {**dict.fromkeys(["a0", "a1", "a2", "a3"], SAID), "a4": SILENT}
    before |= dict.fromkeys(["n0", "n1", "n2"], SILENT)
    base = found.run("base", before)
    found.cases.append({"id": "a9", "question": "New?", "relevant": ["k"]})
    done = found.run("new", {**before, "a3": SILENT, "n0": SAID, "n1": SAID, "a9": SAID}, baseline=base.run)
    assert "<summary>Abstention: 8 cases</summary>" in done.text()
    assert table(done) == [
        "| Expected | Answered | Abstained |", "| :-- | :-- | :-- |", "| an answer | 4 → 3 | 1 → 2 |",
        "| no answer | 0 → 2 | 3 → 1 |",
    ]  # fmt: skip


def test_failures_and_what_nobody_knows_are_columns_of_their_own(tmp_path: Path) -> None:
    """A case that failed did neither; of an answer without a report nobody knows."""
    found = repository(tmp_path, 3, 1)
    done = found.run(
        "new", {"a0": SAID, "a1": {"failure": {"kind": "error", "message": "down"}}, "a2": UNKNOWN, "n0": SILENT}
    )
    assert table(done) == [
        "| Expected | Answered | Abstained | Failed | Not known |", "| :-- | :-- | :-- | :-- | :-- |",
        "| an answer | 1 | 0 | 1 | 1 |", "| no answer | 0 | 1 | 0 | 0 |",
    ]  # fmt: skip


def test_there_is_no_table_where_nobody_abstains_or_should(tmp_path: Path) -> None:
    """Nor for a pipeline that gives no answers."""
    assert "Abstention" not in repository(tmp_path, 3, 0).run("said", dict.fromkeys(["a0", "a1", "a2"], SAID)).text()
    assert "Abstention" not in repository(tmp_path, 3, 0).run("mute", {}).text()


def test_held_out_cases_are_not_counted(tmp_path: Path) -> None:
    """The table is about what anybody may look at."""
    found = repository(tmp_path, 2, 2)
    found.cases[3]["split"] = "holdout"
    done = found.run("new", {"a0": SAID, "a1": SAID, "n0": SILENT, "n1": SAID})
    assert table(done)[2:] == ["| an answer | 2 | 0 |", "| no answer | 0 | 1 |"]


class TestJudged:
    """Tier full: a judge says who abstained and whether the context sufficed."""

    def judged(self, name: str, *, suffices: bool, abstained: bool) -> dict[str, Any]:
        """A case of which a judge said that."""
        said = Judgement(abstained=Opinion(value=abstained), sufficiency=Opinion(value=suffices))
        return {"id": name, "claims": None, "judgement": write(Judged((), said))["judgement"]}

    def test_answers_from_a_context_that_does_not_suffice_are_counted(self, tmp_path: Path) -> None:
        """Before, the two that lacked their context abstained; now one of them is answered anyway."""
        court = Court(tmp_path, {"metrics": [*METRICS, "context_sufficiency"]})
        court.calibrate(calibration())
        well = [self.judged(f"c{n}", suffices=True, abstained=False) for n in range(8)]
        base = court.run("base", [*well, *(self.judged(f"d{n}", suffices=False, abstained=True) for n in range(2))])
        now = [self.judged(f"d{n}", suffices=False, abstained=n == 0) for n in range(2)]
        court.run("new", [*well, *now])
        text = court.report("new", base)
        part = text.split("<summary>Abstention and the context: 10 cases</summary>")[1].split("</details>")[0]
        assert [line for line in part.splitlines() if line] == [
            "- 1 question was answered although the context does not suffice.",
            "| The context | Answered | Abstained |", "| :-- | :-- | :-- |", "| suffices | 8 | 0 |",
            "| does not suffice | 0 → 1 | 2 → 1 |",
        ]  # fmt: skip

    def test_what_another_judge_said_is_not_set_beside_it(self, tmp_path: Path) -> None:
        """Only what this judge says is counted, and no change is shown."""
        court = Court(tmp_path)
        base = court.run("base", [case(f"c{n}", "supported", abstained=n < 2) for n in range(6)], fingerprint="o" * 64)
        court.run("new", [case(f"c{n}", "supported", abstained=n < 3) for n in range(6)])
        assert "| an answer | 3 | 3 |" in court.report("new", base)
