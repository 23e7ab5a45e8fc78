"""noise: runs a suite several times as it is, and writes down how much its values vary by themselves."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.comparison import noise as measured
from evaluator.model.base import digest
from evaluator.model.counting import counted
from evaluator.model.noise import Noise
from evaluator.model.spent import PartSpent
from evaluator.stages import code, known_noise, measuring
from evaluator.stages.collect import COLLECTION, RECORDS, collect
from evaluator.stages.estimating import estimate_run
from evaluator.stages.score import score
from evaluator.stages.workspace import Handed
from evaluator.stores import atomic
from evaluator.stores.runs import read_run
from evaluator.stores.values import MAX_BYTES, read_whole, write_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evaluator.comparison.noise import Values
    from evaluator.model.noise import MetricNoise
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import RunReader

FOLDER = "noise"
"""Where the repeats are kept, in the output folder: an interrupted measurement goes on from there."""

DEFAULT = "noise.json"
"""The file beside the configuration that is written where ``noise`` names none."""

COLLECTED = "collected"
"""A file that says what the answers beside it are answers of."""

LEAST = 2


def measure(workspace: Workspace, repeats: int) -> tuple[Path, Noise]:
    """Run the suite ``repeats`` times and write noise.json; its path, and what it says.

    Every repeat asks a live pipeline again, and the judge past its cache. Where both are there, the first run's answers
    are judged again as often, which tells the judge's noise from the pipeline's.

    Raises:
        UsageError: fewer than two repeats, or nothing that could vary.
        AssayError: a run cannot be done, its pipeline failed too often, or its judge stopped early.
    """
    if repeats < LEAST:
        raise errors.UsageError(f"--repeats {repeats}: it takes {LEAST} runs at least to see what varies")
    config = workspace.config
    if workspace.tier != "full" and not known_noise.is_live(config):
        judge = "there is no judge: section" if config.judge is None else "tier retrieval asks no judge"
        same = f"pipeline.kind {config.pipeline.kind} answers the same every time"
        raise errors.UsageError(f"there is nothing to measure: {same}, and {judge}")
    return _Measuring(workspace, repeats).write()


@dataclass
class _Measuring:
    """One measurement; ``calls`` is how often the judge answered so far, ``spent`` what that cost in USD."""

    workspace: Workspace
    repeats: int
    spent: float = field(default=0.0)
    calls: int = field(default=0)

    @property
    def _is_live(self) -> bool:
        return known_noise.is_live(self.workspace.config)

    @property
    def _is_judged(self) -> bool:
        return self.workspace.tier == "full"

    def write(self) -> tuple[Path, Noise]:
        """Do all the runs, and write what they say."""
        workspace = self.workspace
        if self._is_judged:
            self._say_what_it_will_take()
        runs = [self._run(repeat) for repeat in range(self.repeats)]
        again = self._judged_again(runs)
        _refuse_other_judges([*runs, *again])
        categories = dict(_categories(runs[0]))
        whole = measured.spread([_values(run) for run in runs], categories)
        judged = measured.spread([_values(run) for run in again], categories) if again else None
        whole = dict(self._on_enough(whole))
        noise = Noise(
            fingerprint=runs[0].head.fingerprint["noise"],
            pipeline_fingerprint=known_noise.fingerprint(workspace.config, None),
            date=workspace.clock.today(), repeats=self.repeats, metrics=measured.split(whole, judged),
            cases=measured.flips([_values(run) for run in runs], list(categories)),
        )  # fmt: skip
        path = workspace.path(workspace.config.noise or DEFAULT)
        write_value(path, noise)
        # The next measurement is one of its own.
        for note in (workspace.out / FOLDER).glob(f"*/{COLLECTED}"):
            note.unlink()
        if self._is_judged:
            workspace.log(f"noise: the judge answered {counted(self.calls, 'call')} for {self.spent:,.2f} USD")
        return path, noise

    def _say_what_it_will_take(self) -> None:
        """Say what all judgings together would cost, without what the judge's cache holds."""
        judged = [("run", repeat) for repeat in range(self.repeats)]
        judged += [("judge", repeat) for repeat in range(1, self.repeats)] if self._is_live else []
        found = [estimate_run(self._with_answers(*each)) for each in judged]
        total = sum((each.spent.total() for each in found), PartSpent())
        supposed = ", by supposed answers as long as the references" if any(each.supposed for each in found) else ""
        self.workspace.log(
            f"noise: {counted(len(found), 'judged run')}, about {counted(total.calls, 'call')}, {total.read:,} tokens "
            f"read and {total.written:,} written, {total.usd:,.2f} USD{supposed}"
        )
        cap = found[0].cap
        if cap is not None and total.usd > cap:
            self.workspace.log(
                f"warning: that is more than judge.max_cost_usd ({cap:g} USD): the measurement would stop there, and "
                "the same command would go on"
            )

    def _with_answers(self, kind: str, repeat: int) -> Workspace:
        """The workspace of one repeat, with the likeliest answers there are to be judged in it."""
        own, first = self._folder(kind, repeat), self._folder("run", 0)
        known = next((each for each in (own, first) if (each / COLLECTION).is_file()), self.workspace.out)
        return self._within(known, repeat)

    def _judged_again(self, runs: list[RunReader]) -> list[RunReader]:
        """The runs in which only the judge can have changed its mind; none without a judge."""
        if not self._is_judged:
            return []
        if not self._is_live:
            return runs
        others = range(1, self.repeats)
        return [runs[0], *(self._judge(self._folder("judge", repeat), repeat) for repeat in others)]

    def _folder(self, kind: str, repeat: int) -> Path:
        return self.workspace.out / FOLDER / f"{kind}-{repeat + 1}"

    def _run(self, repeat: int) -> RunReader:
        self.workspace.log(f"noise: run {repeat + 1} of {self.repeats}")
        folder = self._folder("run", repeat)
        if repeat and self._is_judged and not self._is_live:
            # It would answer the same again: only the judge can change.
            return self._judge(folder, repeat)
        workspace = self._within(folder, repeat)
        self._collect(workspace)
        return self._scored(workspace)

    def _judge(self, folder: Path, repeat: int) -> RunReader:
        """The first run's answers, judged past the cache."""
        self.workspace.log(f"noise: the first answers judged again, {repeat + 1} of {self.repeats}")
        folder.mkdir(parents=True, exist_ok=True)
        for name in (COLLECTION, RECORDS):
            shutil.copyfile(self._folder("run", 0) / name, folder / name)
        return self._scored(self._within(folder, repeat))

    def _within(self, folder: Path, repeat: int) -> Workspace:
        """The workspace of one repeat: nothing is compared, and nothing that is written here is read here."""
        config = self.workspace.config
        config = config.but(noise=None, baseline=config.baseline.but(file=None))
        return replace(
            self.workspace, config=config, out=folder, repeat=repeat, spent=self.spent, handed=Handed(), alerts=[],
            warnings=[],
        )  # fmt: skip

    def _collect(self, workspace: Workspace) -> None:
        """Ask the pipeline, unless an interrupted measurement of the same code already had its answers."""
        workspace.out.mkdir(parents=True, exist_ok=True)
        identity = self._identity(workspace) if self._is_live else None
        note = workspace.out / COLLECTED
        if identity is not None and note.is_file() and note.read_text(encoding="utf-8") == identity:
            workspace.log("the answers of an interrupted measurement are used again")
            return
        note.unlink(missing_ok=True)
        collect(workspace)
        if identity is not None:
            atomic.write_bytes(note, identity.encode())

    def _identity(self, workspace: Workspace) -> str | None:
        """What answers depend on; None where that cannot be known."""
        found = code.digest_of_code(workspace, frozenset())
        if found is None:
            return None
        config = workspace.config
        golden = [hashlib.sha256(read_whole(workspace.path(file), MAX_BYTES)).hexdigest() for file in config.golden]
        return digest([config.model_dump(mode="json"), found, golden])

    def _scored(self, workspace: Workspace) -> RunReader:
        score(workspace)
        run = read_run(workspace.out / "run.json")
        judge = run.head.judge
        for part in run.head.timing.get("judge", {}).values():
            self.spent += part["usd"]
            self.calls += part["calls"]
        self._refuse_failures(run)
        if judge is not None and judge.stopped is not None:
            raise errors.UsageError(
                f"judging stopped before it was done: {judge.stopped}; nothing is written, and what was judged is kept "
                "in the judge's cache: the same command goes on from there"
            )
        self._refuse_unscored(run)
        return run

    def _on_enough(self, found: Mapping[str, MetricNoise]) -> Iterator[tuple[str, MetricNoise]]:
        """What was measured, without what too few cases say not to vary: its rows would have no noise at all."""
        least = self.workspace.config.gate.min_cases
        for metric, known in found.items():
            cases = sum(each.n for each in known.categories.values())
            if known.sd > 0 or cases >= least:
                yield metric, known
            else:
                self.workspace.log(
                    f"{metric}: does not vary in {counted(cases, 'case')}, fewer than gate.min_cases ({least}): not "
                    "written, so it counts as not measured"
                )

    def _refuse_unscored(self, run: RunReader) -> None:
        """A judge that fails varies by nothing, too."""
        unscored, applicable = Counter[str](), Counter[str]()
        for stored in run.cases():
            if stored.case.split != "holdout":
                unscored.update(stored.case.unscored.keys())
                applicable.update({*stored.case.unscored, *_scored(stored.case.scores)})
        for metric, count in unscored.items():
            if count > self.workspace.config.gate.max_unscored * applicable[metric]:
                raise errors.JudgeError(
                    f"{metric} could not be scored for {count} of {counted(applicable[metric], 'case')} in "
                    f"{run.path.parent.name}, more than gate.max_unscored: nothing is measured, and nothing written"
                )

    def _refuse_failures(self, run: RunReader) -> None:
        """A pipeline that is down varies by nothing, which would let every later fall count."""
        failed = [measuring.failed(stored) for stored in run.cases()]
        if sum(failed) > self.workspace.config.gate.max_failures * len(failed):
            raise errors.PipelineError(
                f"the pipeline failed for {sum(failed)} of {counted(len(failed), 'case')} in {run.path.parent.name}, "
                "more than gate.max_failures: nothing is measured, and nothing written"
            )


def _scored(scores: Mapping[str, float | None]) -> Iterator[str]:
    yield from (metric for metric, value in scores.items() if value is not None)


def _categories(run: RunReader) -> Iterator[tuple[str, str]]:
    """The category of every case that is not held out."""
    for stored in run.cases():
        if stored.case.split != "holdout":
            yield stored.case.id, stored.case.category


def _values(run: RunReader) -> Values:
    """What a run scored; what reads the clock stands apart in it."""
    clocked: Mapping[str, Mapping[str, float]] = run.head.timing.get("scores", {})
    return {
        stored.case.id: {
            **stored.case.scores, **{metric: found.get(stored.case.id) for metric, found in clocked.items()},
        }
        for stored in run.cases()
    }  # fmt: skip


def _refuse_other_judges(runs: list[RunReader]) -> None:
    if len({run.head.fingerprint["noise"] for run in runs}) > 1:
        raise errors.UsageError(
            "the judge answered as another model, or by other parameters, in some of the runs; pin an exact model "
            "version in judge.model, and measure again"
        )
