"""What ``calibrate`` makes of two naive judges over the sentences of 900 summaries that people labelled (RAGTruth).

    python benchmarks/calibrate_ragtruth.py [FOLDER]

FOLDER holds ragtruth_summary.jsonl; without it the one in the shared folder beside the repository is used, and where
that is absent nothing is measured. People marked the passages of each summary that its article does not bear out. Each
sentence is a claim here, unsupported where part of it is marked. The data brings no judge. One that believes everything
and one that looks for words stand in: 94 % of the sentences are supported, so the first agrees with people nearly
always, and kappa says how little that means.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from support import labelled
from support.labelled import Answer, Claim

from evaluator.judging.sentences import sentences


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=labelled.DATA / "ragtruth_summary")
    found = labelled.lines_of(parser.parse_args().folder, "ragtruth_summary.jsonl")
    if found is not None:
        labelled.report([answer for each in found for answer in answers(each)], labelled.STAND_INS)


def answers(line: dict[str, Any]) -> list[Answer]:
    """The summaries of an article, sentence by sentence."""
    return [
        Answer(
            f"{line['source_id']}-{each['model']}", "Summarise the article.", each["response"],
            tuple(claims(each["response"], each["labels"], line["source"])),
        )
        for each in line["responses"]
    ]  # fmt: skip


def claims(text: str, marked: list[dict[str, Any]], source: str) -> list[Claim]:
    """The sentences of a summary, each with what people say of it."""
    found, at = [], 0
    for sentence in sentences(text, "en"):
        start = text.index(sentence, at)
        at = start + len(sentence)
        touched = any(each["start"] < at and each["end"] > start for each in marked)
        found.append(Claim(sentence, "unsupported" if touched else "supported", source))
    return found


if __name__ == "__main__":
    main()
