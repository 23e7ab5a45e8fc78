from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.cli import root
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.model.calibration import Calibration
from evaluator.model.decision import Decision
from evaluator.stores.values import read_value
from tests.court import FINGERPRINT, Court, case

S, U = "supported", "unsupported"


def call(*arguments: str) -> str:
    """What a command that worked said to people."""
    stream = io.StringIO()
    assert root.invoke([*arguments], Session(environment={}, console=Console(stream))) == 0
    return stream.getvalue()


def write(path: Path, *lines: dict[str, Any]) -> str:
    """A file of labels."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def label(case_: str, label_: str, annotator: str = "anna", claim: str = "s0.1") -> dict[str, Any]:
    """The label of a claim."""
    return {"case": case_, "annotator": annotator, "claim": claim, "label": label_}


@pytest.fixture
def court(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Court:
    """The working folder, with a run of 60 cases: the judge supports 42 of their claims."""
    monkeypatch.chdir(tmp_path)
    court = Court(tmp_path)
    court.run("run", [case(f"c{n}", S if n < 42 else U) for n in range(60)])
    return court


class TestCalibrate:
    """``calibrate``."""

    def test_what_it_writes_is_what_the_gate_believes(self, court: Court) -> None:
        """From labels to a drop that fails: before, the judge was not enforced and the same drop undecided."""
        write(court.folder / "labels.jsonl", *(label(f"c{n}", S if n < 40 else U) for n in range(60)))
        baseline = court.folder / "run" / "run.json"
        court.run("new", [case(f"c{n}", S if n < 10 else U) for n in range(60)])
        assert court.decide("new", baseline).outcome == "inconclusive"

        said = call("calibrate", "--labels", "labels.jsonl", "--run", "run/run.json")
        known = read_value(court.folder / "calibration.json", Calibration)
        court.calibrate(known)
        decision: Decision = court.decide("new", baseline)

        assert known.judge_fingerprint == FINGERPRINT
        assert decision.outcome == "failed"
        assert "faithfulness (en): enforced" in said
        assert f"wrote {court.folder / 'calibration.json'}" in said

    def test_people_read_tables_and_what_is_missing(self, court: Court) -> None:
        """Confusion, kappa with its bounds, AC1, the class that matters, disagreements, and what enforcing takes."""
        write(court.folder / "labels.jsonl", *(label(f"c{n}", S) for n in (0, 1, 2, 43)), label("c50", "unclear"))
        said = call("calibrate", "--labels", "labels.jsonl", "--run", "run/run.json", "--out", "out/c.json")
        lines = said.splitlines()

        assert lines[:5] == [
            "faithfulness (en): 5 labels of 5 cases: 4 supported, 1 unsupported",
            "  people \\ judge  supported  unclear  unsupported",
            "  supported               3        0            1",
            "  unclear                 0        0            1",
            "  unsupported             0        0            0",
        ]
        # Observed 4/5, expected (4 x 3 + 1 x 2) / 25: kappa is 0.24 / 0.44; 3 steps of 21 / 5.
        assert lines[5].startswith("  kappa 0.545, one-sided bound ")
        assert lines[6] == "  agreement 0.800, AC1 0.655, weighted kappa 0.286"
        assert lines[7] == "  'unsupported': precision 0.500, recall 1.000"
        assert "1 disagreement of judge and people:" in lines
        assert (
            f"  the claim 's0.1' of case 'c43': people supported, judge unsupported "
            f"({court.folder / 'labels.jsonl'}:4): claim 0 of c43"
        ) in lines
        assert lines[-3:] == [
            "what would be enforced at judge.min_kappa 0.6:",
            "  faithfulness (en): advisory: 5 labels, 50 are needed for en",
            f"wrote {court.folder / 'out' / 'c.json'}",
        ]

    def test_programs_read_all_of_it(self, court: Court, capfd: pytest.CaptureFixture[str]) -> None:
        """``--format json`` has what was written and everything else, without a number that JSON does not know."""
        write(court.folder / "labels.jsonl", label("c0", S), label("c1", U))
        call("calibrate", "--labels", "labels.jsonl", "--run", "run/run.json", "--format", "json")
        found = json.loads(capfd.readouterr().out)

        assert found["calibration"] == json.loads((court.folder / "calibration.json").read_text())
        [group] = found["groups"]
        assert group["confusion"][U] == {S: 1, "unclear": 0, U: 0}
        assert (group["kappa"], group["precision"], group["enforced"]) == (0.0, None, False)
        assert found["disagreements"] == [
            {
                "kind": "claim", "case": "c1", "id": "s0.1", "text": "claim 0 of c1", "people": U, "judge": S,
                "file": str(court.folder / "labels.jsonl"), "line": 2,
            }
        ]  # fmt: skip

    def test_the_same_labels_give_the_same_file(self, court: Court) -> None:
        """Byte by byte, in whatever order they stand; another seed moves the bounds alone."""
        lines = [label(f"c{n}", S if n % 7 else U) for n in range(60)]
        found = []
        for each, seed in ((lines, "0"), (lines[::-1], "0"), (lines, "1")):
            write(court.folder / "labels.jsonl", *each)
            call("calibrate", "--labels", "labels.jsonl", "--run", "run/run.json", "--seed", seed)
            found.append((court.folder / "calibration.json").read_bytes())
        assert found[0] == found[1]
        one, other = (json.loads(each)["metrics"]["faithfulness"]["languages"]["en"] for each in found[1:])
        assert one["kappa"] == other["kappa"]

    def test_refused_labels_leave_the_old_file(self, court: Court) -> None:
        """A calibration that was there stays as it was, and the mistakes are named."""
        (court.folder / "calibration.json").write_text("old")
        write(court.folder / "labels.jsonl", label("c0", S), label("nowhere", U))
        with pytest.raises(errors.InputError, match="has no case 'nowhere'"):
            call("calibrate", "--labels", "labels.jsonl", "--run", "run/run.json")

        assert (court.folder / "calibration.json").read_text() == "old"

    def test_what_the_run_lacks_is_left_out_on_demand(self, court: Court) -> None:
        """And said, even where little is."""
        write(court.folder / "labels.jsonl", label("c0", S), label("c59", U), label("nowhere", U))
        said = call("calibrate", "--labels", "labels.jsonl", "--run", "run/run.json", "--skip-missing", "-q")

        assert "warning: 1 label left out:" in said

    def test_it_does_not_write_over_what_it_reads(self, court: Court) -> None:
        """Neither the labels nor the run are ever replaced by the result."""
        write(court.folder / "calibration.json", label("c0", S), label("c1", U))
        for options in ((), ("--out", "run/run.json")):
            with pytest.raises(errors.UsageError, match="would replace what is read"):
                call("calibrate", "--labels", "calibration.json", "--run", "run/run.json", *options)


class TestAgreement:
    """``agreement``."""

    def test_two_annotators(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """A table, the measure that fits, and each disagreement with both places."""
        anna = write(tmp_path / "anna.jsonl", *(label(f"c{n}", S if n < 3 else U) for n in range(4)))
        bo = write(tmp_path / "bo.jsonl", *(label(f"c{n}", S if n < 2 else "unclear", "bo") for n in range(4)))
        lines = call("agreement", anna, bo, "--format", "json").splitlines()

        assert lines == [
            "claim: 4 items, 4 labelled by at least two of anna, bo",
            "  Cohen's kappa 0.200, as it is gated (supported against the rest) 0.500",
            "  all alike on 0.500 of what two or more labelled",
            "  anna \\ bo    supported  unclear  unsupported",
            "  supported            2        1            0",
            "  unclear              0        0            0",
            "  unsupported          0        1            0",
            "  anna and bo: 4 items, agreement 0.500, kappa 0.200, weighted 0.333, AC1 0.319",
            "  2 disagreements:",
            f"    case 'c2', claim 's0.1': anna supported ({anna}:3), bo unclear ({bo}:3)",
            f"    case 'c3', claim 's0.1': anna unsupported ({anna}:4), bo unclear ({bo}:4)",
        ]
        [found] = json.loads(capfd.readouterr().out)
        assert (found["measure"], found["value"]) == ("cohen", pytest.approx(0.2))
        assert found["pairs"][0]["annotators"] == ["anna", "bo"]

    def test_missing_labels_are_counted(self, tmp_path: Path) -> None:
        """With a hole it is alpha, and what is not defined says why."""
        file = write(tmp_path / "l.jsonl", label("c0", S), label("c0", S, "bo"), label("c1", U))
        said = call("agreement", file)

        assert "  1 label missing" in said
        assert "  Krippendorff's alpha not defined: everybody always said 'supported'" in said
