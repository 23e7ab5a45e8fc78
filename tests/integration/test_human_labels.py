"""Public labels of people, converted and calibrated: the published numbers come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
BENCHMARKS = ROOT / "benchmarks"


def printed(script: str, *arguments: str) -> list[str]:
    """What a benchmark prints."""
    command = [sys.executable, str(BENCHMARKS / script), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "wice").is_dir(), reason="the labels of WiCE are not beside this repository")
def test_the_published_table_of_wice_is_reproduced() -> None:
    """F1 and accuracy of all four judges are the published ones, and GPT-4's kappa with people is 0.4616."""
    heading, *rows = printed("calibrate_wice.py")

    assert heading.split()[:5] == ["judge", "labels", "cases", "agree", "kappa"]
    assert [row.endswith(": the same") for row in rows] == [True] * 4
    assert rows[0].split()[:5] == ["GPT-4", "100", "100", "0.7700", "0.4616"]


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "data", "start"),
    [
        ("calibrate_expertqa.py", "expertqa", ["1,230", "219", "0.5959", "0.0000", "0.0000"]),
        ("calibrate_ragtruth.py", "ragtruth_summary", ["5,109", "900", "0.9403", "0.0000", "0.0000"]),
    ],
)
def test_a_judge_that_believes_everything_gets_nothing(script: str, data: str, start: list[str]) -> None:
    """733 of 1,230 claims, and 94 % of the sentences, are supported: raw agreement is that, kappa 0, rows advisory."""
    if not (DATA / data).is_dir():
        pytest.skip(f"{data} is not beside this repository")
    row = printed(script)[1]

    assert row.split()[2:7] == start
    assert "advisory: kappa 0 below 0.6" in row


@pytest.mark.parametrize("script", sorted(path.name for path in BENCHMARKS.glob("calibrate_*.py")))
def test_without_the_data_they_say_so(script: str, tmp_path: Path) -> None:
    """Nothing is downloaded and nothing fails."""
    [said] = printed(script, str(tmp_path))

    assert said.startswith(str(tmp_path))
    assert said.endswith("is not there: nothing is calibrated")
