"""Public labels of people as a run and a labels.jsonl, and what ``rag-assay calibrate`` says of a judge by them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.measure import REPOSITORY

sys.path.insert(0, str(REPOSITORY))

from evaluator.model import judgement
from evaluator.model.base import digest
from evaluator.model.judgement import Judged, Judgement
from evaluator.model.run import History, RunCase, RunSummary
from evaluator.stores.runs import RunWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DATA = REPOSITORY.parent / "shared" / "data"
HEADING = f"{'judge':22}{'labels':>8}{'cases':>7}{'agree':>8}{'kappa':>8}{'lower':>8}{'AC1':>8}{'F1':>8}  gate"
WORD = re.compile(r"\w{4,}")
ENOUGH = 0.8


class Claim(NamedTuple):
    """A claim with what people say of it, and the text it is to be found in."""

    text: str
    people: str
    evidence: str


class Answer(NamedTuple):
    """An answer as a case, with its claims."""

    id: str
    question: str
    text: str
    claims: tuple[Claim, ...]


def everything(_: Claim) -> str:
    """A judge that believes all it is told."""
    return "supported"


def by_words(claim: Claim) -> str:
    """A judge that looks for words: supported where at least 80 % of those with four letters stand in the evidence."""
    words = set(WORD.findall(claim.text.casefold()))
    there = words & set(WORD.findall(claim.evidence.casefold()))
    return "supported" if len(there) >= ENOUGH * len(words) else "unsupported"


STAND_INS: dict[str, Callable[[Claim], str]] = {"believes everything": everything, "looks for words": by_words}
"""Judges without a model, for data that brings none of its own: they show what calibration makes of bad ones."""


def calibrated(answers: Sequence[Answer], judge: Callable[[Claim], str]) -> dict[str, Any]:
    """The group "faithfulness" of what ``calibrate --format json`` says of a judge."""
    with tempfile.TemporaryDirectory() as folder:
        run, labels = Path(folder) / "run.json", Path(folder) / "labels.jsonl"
        write_run(run, answers, judge)
        labels.write_text("".join(json.dumps(line) + "\n" for line in _labels(answers)))
        command = [sys.executable, "-m", "evaluator", "calibrate", "--labels", str(labels), "--run", str(run)]
        done = subprocess.run(
            [*command, "--format", "json"], cwd=REPOSITORY, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(done.stderr)
        [group] = json.loads(done.stdout)["groups"]
        return dict(group)


def _labels(answers: Iterable[Answer]) -> Iterable[dict[str, str]]:
    for answer in answers:
        for place, claim in enumerate(answer.claims, 1):
            yield {"case": answer.id, "annotator": "people", "claim": f"s{place}.1", "label": claim.people}


def write_run(path: Path, answers: Iterable[Answer], judge: Callable[[Claim], str]) -> None:
    """A run of these answers, as if the judge had judged it; its texts are left out."""
    with RunWriter(
        path, tool="rag-assay benchmarks", suite="labelled", tier="full", commit=None,
        fingerprint={"judge": digest(getattr(judge, "__name__", "judge"))}, config={}, records=None, judge=None,
        calibration=None, noise=None, self_reported=None,
    ) as writer:  # fmt: skip
        for answer in answers:
            writer.add(_case(answer, judge))
        writer.finish(RunSummary(all={}, categories={}, holdout={}), {}, {}, {}, History())


def _case(answer: Answer, judge: Callable[[Claim], str]) -> RunCase:
    claims = tuple(
        judgement.Claim.model_validate(
            {"id": f"s{place}.1", "text": claim.text, "sentence": place, "verdict": judge(claim)}
        )
        for place, claim in enumerate(answer.claims, 1)
    )
    return RunCase(
        id=answer.id, category="uncategorised", critical=False, split="dev", language="en", question=answer.question,
        input_hash="", labels_hash="", labels={}, needs=(), scores={}, unscored={}, not_applicable={}, failure=None,
        diagnosis=None, answer=answer.text, abstained=None, context=(), steps=None, usage=None, duplicates=(),
        retrieved=(), **judgement.write(Judged(claims, Judgement())),
    )  # fmt: skip


def line(name: str, group: dict[str, Any]) -> str:
    """A row under :data:`HEADING`."""
    numbers = (group["agreement"], group["kappa"], group["lower"], group["ac1"], f1(group))
    shown = "".join(f"{'-' if value is None else format(value, '.4f'):>8}" for value in numbers)
    gate = "enforced" if group["enforced"] else f"advisory: {group['reason']}"
    return f"{name:22}{group['n']:>8,}{group['cases']:>7,}{shown}  {gate}"


def f1(group: dict[str, Any]) -> float | None:
    """F1 of "supported", from the confusion matrix."""
    counts = group["confusion"]
    both = counts["supported"]["supported"]
    people, judge = sum(counts["supported"].values()), sum(row["supported"] for row in counts.values())
    return 2 * both / (people + judge) if people + judge else None


def report(answers: Sequence[Answer], judges: dict[str, Callable[[Claim], str]]) -> None:
    """Print a row for each judge, and how its errors go with the length of the answer."""
    print(HEADING)
    for name, judge in judges.items():
        group = calibrated(answers, judge)
        print(line(name, group))
        parts = group["length"]["parts"]
        if parts:
            shares = ", ".join(f"{part['errors'] / part['n']:.2f}" for part in parts)
            print(f"  share of errors in the short, middling and long answers: {shares}")


def lines_of(folder: Path, file: str) -> list[dict[str, Any]] | None:
    """A JSON Lines file of a data set; None, saying so, where it is absent."""
    path = folder / file
    if not path.is_file():
        print(f"{path} is not there: nothing is calibrated")
        return None
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
