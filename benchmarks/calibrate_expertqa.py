"""What ``calibrate`` makes of two naive judges over the claims of six systems that experts labelled (ExpertQA).

    python benchmarks/calibrate_expertqa.py [FOLDER]

FOLDER holds rand_test.jsonl; without it the one in the shared folder beside the repository is used, and where that is
absent nothing is measured. A claim is supported where its expert says that its evidence supports it completely;
claims whose expert says that the question does not arise are left out. The data brings no judge. One that believes
everything and one that looks for words stand in, to show what agreement by chance looks like.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from support import labelled
from support.labelled import Answer, Claim

LABELS = {
    "Complete": "supported", "Partial": "unsupported", "Incomplete": "unsupported", "Missing": "unsupported",
}  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=labelled.DATA / "expertqa")
    found = labelled.lines_of(parser.parse_args().folder, "rand_test.jsonl")
    if found is not None:
        labelled.report([answer for number, each in enumerate(found) for answer in answers(number, each)],
                        labelled.STAND_INS)  # fmt: skip


def answers(number: int, line: dict[str, Any]) -> list[Answer]:
    """The answers to a question, with the claims that its expert could label."""
    found = []
    for system, answer in line["answers"].items():
        claims = tuple(
            Claim(each["claim_string"], LABELS[each["support"]], "\n".join(each["evidence"]))
            for each in answer["claims"]
            if each["support"] in LABELS
        )
        found.append(Answer(f"{number}-{system}", line["question"], answer["answer_string"], claims))
    return found


if __name__ == "__main__":
    main()
