"""What ``calibrate`` makes of three published judges over 100 Wikipedia claims that people labelled (WiCE).

    python benchmarks/calibrate_wice.py [FOLDER]

FOLDER holds the data set as it was published, with the scores of the judges; without it the one in the shared folder
beside the repository is used, and where that is absent nothing is measured. A claim counts as supported where people
say that all of it is, and where a judge's score is above the threshold that was published with it. F1 and accuracy
must be those of the published table. This shows that our arithmetic is right, and nothing about a judge of ours: these
judges were asked in their own words, and none of them is ours.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from support import labelled
from support.labelled import Answer, Claim

if TYPE_CHECKING:
    from collections.abc import Callable

PUBLISHED = {
    "gpt-4-0613": ("GPT-4", 61.0, 77.0),
    "gpt-3.5-turbo-0613": ("GPT-3.5", 39.3, 32.0),
    "t5-3b-anli": ("T5-3B (ANLI)", 61.8, 74.0),
    "t5-3b-anli-wice": ("T5-3B (ANLI+WiCE)", 77.8, 88.0),
}
"""Folder of a judge -> its name, F1 and accuracy in per cent, of claims, as published."""

GATED = "0_vs_1,2"
"""The published evaluation of supported against the rest."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=labelled.DATA / "wice")
    folder = parser.parse_args().folder
    claims = labelled.lines_of(folder, "entailment_retrieval_claim_test.jsonl")
    if claims is None:
        return
    by_id = {claim["meta"]["id"]: claim for claim in claims}
    print(f"{labelled.HEADING}   F1 and accuracy as published")
    for name, (title, f1, accuracy) in PUBLISHED.items():
        scores, judge = judge_of(folder / "judge_outputs" / "claim" / name)
        answers = [
            Answer(each, by_id[each]["claim"], by_id[each]["claim"], (Claim(each, people(by_id[each]["label"]), ""),))
            for each in scores
        ]
        group = labelled.calibrated(answers, judge)
        found = (round(100 * (labelled.f1(group) or 0), 1), round(100 * group["agreement"], 1))
        same = "the same" if found == (f1, accuracy) else f"OTHER: {found}"
        print(f"{labelled.line(title, group)}   {f1}, {accuracy}: {same}")


def people(label: str) -> str:
    """Our label for one of theirs: what is supported in part is not supported."""
    return "supported" if label == "supported" else "unsupported"


def judge_of(folder: Path) -> tuple[dict[str, float], Callable[[Claim], str]]:
    """The scores of a judge by claim, and the judge they make; a claim's text is its id here."""
    scores = json.loads((folder / "test.entailment_score.json").read_text())
    evaluation = json.loads((folder / "test.entailment_score.evaluation.json").read_text())
    threshold = evaluation["f1"][GATED]["threshold"]
    return scores, lambda claim: "supported" if scores[claim.text] > threshold else "unsupported"


if __name__ == "__main__":
    main()
