"""Judged runs in a folder: every case says only what a test is about, and a judge is said to have said the rest."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.config import load_config
from evaluator.model import judgement
from evaluator.model.base import canonical, to_json
from evaluator.model.calibration import Calibration
from evaluator.model.comparison import Comparison
from evaluator.model.decision import Decision
from evaluator.model.exam import ExamFile
from evaluator.model.golden import Labels
from evaluator.model.judgement import Claim, Further, Judged, JudgedFact, Judgement, Opinion
from evaluator.model.run import History, JudgeInfo, RunCase, RunHit, RunSummary
from evaluator.stages import known_noise
from evaluator.stages.compare import compare
from evaluator.stages.gate import gate
from evaluator.stages.report import report
from evaluator.stages.workspace import Clock, Workspace
from evaluator.stores.runs import RunWriter
from evaluator.stores.values import read_value
from tests.workbench import Steps

FINGERPRINT = "j" * 64
METRICS = ["recall@5", "faithfulness", "answer_relevance", "answer_completeness", "abstention"]
WELL = {"n": 60, "classes": {"supported": 40, "unsupported": 20}, "kappa": 0.7, "lower": 0.6}
"""Enough to be believed."""

S, U, C = "supported", "unsupported", "unclear"
GOOD, BAD = [S] * 9 + [U], [S] * 2 + [U] * 8
BROKEN: dict[str, Any] = {"unscored": {"claims": "no valid reply"}}
FACTS: dict[str, Any] = {
    "labels": {"facts": [{"id": "f1", "text": "one"}, {"id": "f2", "text": "two"}]}, "critical": True,
}  # fmt: skip
RULE = {"metric": "faithfulness", "per": "category", "max_drop": 0.03, "min_lost": 2}
RECALL = {"metric": "recall@5", "per": "category", "max_drop": 0.02}


def calibration(metrics: tuple[str, ...] = (), fingerprint: str = FINGERPRINT, **fields: Any) -> Calibration:
    """What is known of the judge in English: enough for every metric, but for what a test says."""
    known = {**WELL, "agreement": 0.9, "ac1": 0.8, **fields}
    names = metrics or ("faithfulness", "answer_relevance", "answer_completeness", "correctness", "abstention")
    value = {
        "format": 1, "judge_fingerprint": fingerprint,
        "metrics": {name: {"languages": {"en": known}} for name in names},
    }  # fmt: skip
    return Calibration.model_validate(value)


def claim(text: str, verdict: str = "supported", **fields: Any) -> Claim:
    """A claim; a supported one has its chunk and quote."""
    support = {"chunks": ("k1",), "quote": "as it says"} if verdict == "supported" else {}
    return Claim.model_validate({"id": "s1.1", "text": text, "sentence": 1, "verdict": verdict, **support, **fields})


def case(name: str, *verdicts: str, **fields: Any) -> dict[str, Any]:
    """A case with a claim for each verdict; see :meth:`Court.run` for the other fields."""
    claims = [claim(f"claim {place} of {name}", verdict, id=f"s{place}.1") for place, verdict in enumerate(verdicts)]
    return {"id": name, "claims": claims, **fields}


def ten(*verdicts: str, **fields: Any) -> list[dict[str, Any]]:
    """Ten cases alike."""
    return [case(f"c{number}", *verdicts, **fields) for number in range(10)]


def reasons(decision: Decision) -> dict[str, str]:
    """The reasons by code; the last of a code."""
    return {reason.code: reason.text for reason in decision.reasons}


def outcomes(decision: Decision, rule: str) -> set[tuple[str, str]]:
    """What a rule came to, and why, wherever it was read."""
    return {(found.outcome, found.reason) for found in decision.rules if found.rule == rule}


def _stored(given: dict[str, Any]) -> RunCase:
    case, labels = given["id"], {"relevant": ["k1"], **given.get("labels", {})}
    for key in ("category", "critical", "split"):
        if key in given:
            labels[key] = given[key]
    wanted = Labels.model_validate(labels)
    said = _said(given, wanted)
    return RunCase(
        id=case, category=wanted.category, critical=wanted.critical, split=wanted.split,
        language=given.get("language", "en"), question=f"{case}?", input_hash=given.get("input", case),
        labels_hash=wanted.hash, labels=wanted.written,
        needs=(), scores={}, unscored={}, not_applicable={}, failure=given.get("failure"), diagnosis=None,
        answer=given.get("answer", "An answer."), abstained=given.get("reported"), context=("k1",), steps=None,
        usage=None, duplicates=(), paraphrases=given.get("paraphrases", ()),
        retrieved=(RunHit(id=given.get("found", "k1"), doc=None, score=None, text="t"),),
        **said,
    )  # fmt: skip


def _said(given: dict[str, Any], labels: Labels) -> dict[str, Any]:
    if given.get("judgement") is not None:
        return {"judgement": given["judgement"], "claims": given.get("claims")}
    unscored, abstained = given.get("unscored", {}), given.get("abstained", False)
    present = given.get("present", [fact.id for fact in labels.facts])
    if given.get("sure") or not given.get("drawn", True):
        found = Judgement(drawn=given.get("drawn", True), sure=given.get("sure", False))
        return judgement.write(Judged(None, found))
    found = Judgement(
        abstained=None if "answer" in unscored else Opinion(value=abstained),
        relevance=None if "answer" in unscored else Opinion(value=given.get("relevant", True)),
        facts=tuple(JudgedFact(fact=fact.id, present=fact.id in present) for fact in labels.facts),
        further=tuple(Further(fact=name or None, **said) for name, said in given.get("further", {}).items()),
        unscored=unscored,
    )  # fmt: skip
    return judgement.write(Judged(None if "claims" in unscored else tuple(given["claims"]), found))


@dataclass
class Court:
    """A folder in which runs are compared."""

    folder: Path
    config: dict[str, Any] = field(default_factory=dict)

    def run(self, name: str, cases: list[dict[str, Any]], **fields: Any) -> Path:
        """Write a run.

        A case has ``claims`` and may have ``labels``, ``answer``, ``abstained``, ``relevant``, ``present`` (facts),
        ``further`` (judgings by fact, of the abstention by ""), ``sure``, ``drawn``, ``unscored``, ``category``,
        ``critical``, ``language`` and so on.

        ``fields`` are of the run's head; ``tier``, ``fingerprint``, ``judge`` and ``calibration`` have defaults;
        ``rescored`` is the digest of the run that it judges again.
        """
        path = self.folder / name / "run.json"
        path.parent.mkdir(exist_ok=True)
        tier = fields.pop("tier", "full")
        prints = {"cases": "all", **({"judge": fields.pop("fingerprint", FINGERPRINT)} if tier == "full" else {})}
        prints |= {"rescored": fields.pop("rescored")} if "rescored" in fields else {}
        prints["noise"] = known_noise.fingerprint(load_config(self.write()), prints.get("judge"))
        judge = fields.pop("judge", JudgeInfo(provider="scripted", model="m", answered=("m",)))
        start: Any = {
            "tool": "rag-assay 1", "suite": "s", "tier": tier, "commit": None, "fingerprint": prints,
            "config": load_config(self.write()).model_dump(mode="json"), "records": None,
            "judge": judge if tier == "full" else None, "calibration": fields.pop("calibration", None),
            "noise": fields.pop("noise", None), "self_reported": fields.pop("self_reported", None),
        }  # fmt: skip
        timing = fields.pop("timing", {})
        with RunWriter(path, **start) as writer:
            for given in cases:
                stored = _stored(given)
                writer.add(stored if tier == "full" else stored.but(claims=None, judgement=None))
            summary = RunSummary(all={}, categories={}, holdout={})
            writer.finish(summary, {"t": "as it says"}, {}, timing, fields.pop("history", History()))
        assert not fields
        return path

    def write(self) -> Path:
        """Write the configuration; its path."""
        (self.folder / "golden.jsonl").write_text("")
        base = {
            "suite": "s", "golden": "golden.jsonl", "metrics": METRICS,
            "pipeline": {"kind": "recorded", "recorded": {"file": "x"}},
            "judge": {"provider": "scripted", "model": "m"},
        }  # fmt: skip
        path = self.folder / "rag-assay.yml"
        path.write_bytes(canonical({**base, **self.config}))
        return path

    def calibrate(self, known: Calibration | None) -> None:
        """Write calibration.json and name it in the configuration; None: name none."""
        judge = {"provider": "scripted", "model": "m", **self.config.get("judge", {})}
        judge.pop("calibration", None)
        if known is not None:
            (self.folder / "calibration.json").write_bytes(to_json(known))
            judge["calibration"] = "calibration.json"
        self.config["judge"] = judge

    def workspace(self, name: str) -> Workspace:
        """What stages are handed."""
        file = self.write()
        return Workspace(
            config=load_config(file), config_file=file, out=self.folder / name, commit=None, environment={},
            log=lambda _: None, progress=lambda _title, _total: Steps(), tier="full",
            clock=Clock(now=lambda: "2026-03-01T08:00:00Z", today=lambda: "2026-03-01", seconds=time.monotonic),
        )  # fmt: skip

    def decide(self, name: str, baseline: Path | None) -> Decision:
        """Compare and gate a run; the decision."""
        workspace = self.workspace(name)
        compare(workspace, baseline)
        return gate(workspace)

    def report(self, name: str, baseline: Path | None) -> str:
        """Compare, gate and report a run; the comment."""
        self.decide(name, baseline)
        report(self.workspace(name))
        return (self.folder / name / "comment.md").read_text(encoding="utf-8")

    def comparison(self, name: str) -> Comparison:
        """comparison.json."""
        return read_value(self.folder / name / "comparison.json", Comparison)

    def exam(self, name: str) -> ExamFile:
        """exam.json."""
        return read_value(self.folder / name / "exam.json", ExamFile)
