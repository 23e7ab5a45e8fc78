"""Runs that were judged before: what an answer is compared with, and judging their answers again by today's judge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.judging.requesting import INTERRUPTED
from evaluator.model import judgement
from evaluator.stages import against as baselines
from evaluator.stages import answered, confirming, judgements, judging, known_noise, measuring
from evaluator.stages.bench import Bench
from evaluator.stages.judged_run import RESCORED
from evaluator.stages.paraphrases import Meeting, are_read
from evaluator.stages.scoring_case import by_outcome, key_of
from evaluator.stages.totals import Totals
from evaluator.stores.runs import RunWriter, StoredCase, read_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.config import Config
    from evaluator.model.config import Judge as JudgeConfig
    from evaluator.model.judgement import Judged
    from evaluator.model.record import Hit
    from evaluator.model.run import History
    from evaluator.model.score import Metric
    from evaluator.stages.answered import Answered, Measures
    from evaluator.stages.held import Run
    from evaluator.stages.judged_run import JudgedRun
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import RunReader, RunStart


EXAM = ("when", "advisory", "min_kappa", "sample", "seed")
"""Keys of ``judge`` that a change is held to as the baseline had them: judging it again must not replace them."""


def judged_beside(
    workspace: Workspace, bench: Bench, measures: Measures, turns: Sequence[Sequence[Answered]], against: Path | None
) -> JudgedRun:
    """Judge answers, beside those of a run to compare with where there is one.

    ``turns`` are those to every time that the questions were asked: what is the same again is not judged again.

    Raises:
        BaselineError: that run cannot be used.
        JudgeError: the judge can answer nothing.
    """
    path = baselines.baseline_path(workspace, against)
    if path is None:
        judged = [judging.judge(bench, measures, found) for found in turns]
        judged[0] = confirming.confirm(bench, measures, turns[0], judged[0], None)
        return judging.result(bench, measures, judged)
    baseline = baselines.read_baseline(path, workspace.config.suite)
    turns = [beside(found, baseline, measures) for found in turns]
    judged = [judging.judge(bench, measures, found) for found in turns]
    sha256 = baseline.sha256
    if bench.config.rescore_baseline and baseline.head.fingerprint.get("judge") != bench.fingerprint(measures.declared):
        baseline = rescore(bench, baseline, workspace.out / RESCORED, measures)
    judged[0] = confirming.confirm(bench, measures, turns[0], judged[0], baseline)
    result = judging.result(bench, measures, judged)
    return result._replace(info=result.info and result.info.but(against=sha256))


def beside(found: Sequence[Answered], baseline: Run, measures: Measures) -> list[Answered]:
    """Each case with what matters here of the same question in the same words of the baseline.

    That is its answer, where answers are compared, and whether it was judged, where not all are.
    """
    if not measures.reads_baseline:
        return list(found)
    compares = "preference" in measures.asks
    ids = frozenset(baseline.ids)

    def placed(each: Answered) -> Answered:
        stored = baseline.case(each.case).case if each.case in ids else None
        if stored is None or stored.input_hash != each.input_hash:
            return each
        answer = stored.answer if compares else None
        return each._replace(
            before=answer, judged_in=stored.category if judgements.is_drawn(stored.judgement) else None
        )

    return [placed(each) for each in found]


class _Texts:
    """The texts of results by their keys, as run.json holds them."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def written(self, stored: StoredCase) -> dict[str, Any]:
        """What a case has texts in, with keys for them."""
        found: dict[str, Any] = {
            "retrieved": self._keyed(stored.retrieved), "context_only": self._keyed(stored.context_only),
        }  # fmt: skip
        if stored.repeats:
            found["repeats"] = [{**each.differing(), **self.written(each)} for each in stored.repeats]
        return found

    def _keyed(self, hits: Sequence[Hit]) -> list[dict[str, Any]]:
        """Results with keys for texts."""
        return [{**hit.model_dump(mode="json"), "text": key_of(hit.text, self.known)} for hit in hits]


class _Rejudged:
    """A run with what another judge says of its answers."""

    def __init__(self, run: RunReader, turns: Sequence[Mapping[str, Judged]]) -> None:
        self.head = run.head
        self.places = run.places
        self.ids = run.ids
        self.sha256 = run.sha256
        self._run = run
        self._turns = turns

    def case(self, case: str) -> StoredCase:
        """One case.

        Raises:
            KeyError: the run has no such case.
        """
        stored = self._run.case(case)
        first, *repeats = (_with(each, turn.get(case)) for each, turn in zip(stored.each, self._turns, strict=False))
        return replace(first, repeats=tuple(repeats))

    def cases(self) -> Iterator[StoredCase]:
        """Every case in the run's order."""
        return map(self.case, self.ids)


def _with(stored: StoredCase, judged: Judged | None) -> StoredCase:
    said = {"claims": None, "judgement": None} if judged is None else judgement.write(judged)
    return replace(stored, case=stored.case.but(**said), repeats=())


def rescore_run(workspace: Workspace, path: Path) -> Path:
    """Judge the answers of a stored run again; the run with that is run.json in the output folder.

    Raises:
        BaselineError: the run cannot be read, or is of another suite or version.
        JudgeError: the judge can answer nothing.
        Interrupted: a person or the system stopped it; what was judged is in the cache.
    """
    run = baselines.read_baseline(path, workspace.config.suite)
    with Bench(workspace) as bench:
        again = rescore(bench, run, workspace.out / "run.json")
    if again.head.judge is not None and again.head.judge.stopped == INTERRUPTED:
        raise errors.Interrupted(
            f"interrupted; what was judged is kept in {workspace.path(bench.config.cache)}: "
            "the same command goes on from there"
        )
    return again.path


def rescore(bench: Bench, run: RunReader, target: Path, beside: Measures | None = None) -> RunReader:
    """Judge the answers of a run again, and write the run anew with that; everything else of it stays.

    What ``beside`` measures of the run that it is to be compared with is asked as well.

    Raises:
        BaselineError: this version cannot use the run's configuration.
        JudgeError: the judge can answer nothing.
        FileProblem: what stands in the run cannot be read.
    """
    declared = metrics.load()
    config = _examined(baselines.older_config(run), bench.config)
    measures = answered.Measures(config, configuration.resolve_metrics(config, declared, tier="full"), declared)
    asked = measures
    if beside is not None:
        asked = beside._replace(metrics=tuple(dict.fromkeys((*measures.metrics, *beside.metrics))))
    turns: dict[int, list[Answered]] = {0: []}
    for stored in run.cases():
        for turn, each in enumerate(stored.each):
            turns.setdefault(turn, []).append(answered.of_stored(each, measuring.labels_of(each)))
    found = [judging.judge(bench, asked, turns[turn]) for turn in sorted(turns)]
    _write(target, _Rejudged(run, found), measures, judging.result(bench, measures, found))
    return read_run(target)


def _examined(config: Config, judge: JudgeConfig) -> Config:
    """A run's configuration with another judge, whose word counts for as much as the run's own said it does."""
    own = config.judge
    return config.but(judge=judge if own is None else judge.but(**{key: getattr(own, key) for key in EXAM}))


def _of_this_judge(history: History, declared: Mapping[str, Metric], judge: str | None) -> History:
    """A run's history without what another judge said: against it, drift would be that of the judges."""
    if judge is not None and history.judge == judge:
        return history

    def is_judged(metric: str) -> bool:
        name = metric.partition("@")[0]
        return name == str(measuring.ABSTENTION) or (name in declared and declared[name].reads == "judge")

    return history.but(
        anchor={metric: values for metric, values in history.anchor.items() if not is_judged(metric)},
        pending={metric: categories for metric, categories in history.pending.items() if not is_judged(metric)},
        judge=judge,
    )


def _write(target: Path, run: _Rejudged, measures: Measures, judged: JudgedRun) -> None:
    head, ids = run.head, measures.metrics
    config = {**measures.config.model_dump(mode="json"), "metrics": [str(metric) for metric in ids]}
    start: RunStart = {
        "tool": head.tool, "suite": head.suite, "tier": "full", "commit": head.commit,
        "fingerprint": {
            **head.fingerprint, **judged.fingerprint(), "rescored": run.sha256,
            "noise": known_noise.fingerprint(measures.config, judged.digest),
        },
        "config": config, "records": None,
        "judge": judged.info, "calibration": head.calibration, "noise": head.noise,
        "self_reported": head.self_reported,
    }  # fmt: skip
    ruler, totals = measuring.Ruler(ids, measures.declared, "full"), Totals(ids, measures.declared)
    groups, texts = Meeting(run, None, are_read(ids, measures.declared)), _Texts()
    with RunWriter(target, **start) as writer:
        for stored in run.cases():
            case, labels = stored.case, measuring.labels_of(stored)
            around = groups.alone(stored, is_candidate=True)
            _, scores = ruler.scores(run, stored, labels, measuring.ways_of(case), around)
            totals.add(case, scores)
            writer.add(case.but(**by_outcome(scores, measures.declared)), **texts.written(stored))
        timing = {**head.timing, **totals.timing(), **judged.timing()}
        history = _of_this_judge(head.history, measures.declared, judged.fingerprint().get("judge"))
        writer.finish(totals.summary(), texts.known, run.places, timing, history)
