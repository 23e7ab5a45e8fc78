"""What every stage is handed: the configuration, where files are, and the edges it may use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evaluator.config import Tier
    from evaluator.metrics.scoring import Quoted
    from evaluator.model.base import Value
    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.ports import ProgressFactory
    from evaluator.model.record import Record
    from evaluator.model.run import SelfReported
    from evaluator.stages.held import HeldRun
    from evaluator.stores.golden import GoldenSet

MAX_HANDED = 64 * 1024 * 1024
"""Largest records.jsonl, in bytes, whose records are handed on in memory; a larger one is streamed."""


class Clock(NamedTuple):
    """Time, passed in: ``now`` gives an ISO 8601 UTC time, ``today`` a date, ``seconds`` a monotonic reading."""

    now: Callable[[], str]
    today: Callable[[], str]
    seconds: Callable[[], float]


@dataclass
class Handed:
    """What a stage leaves in memory for the stages after it, beside the files it writes all the same.

    A stage that finds something here does not read it again; the files it writes are the same either way. It is empty
    where a stage is a process of its own. Only what was just read or computed by this process is ever here: a baseline
    is not.

    Attributes:
        golden: as collect read it.
        fixture: as collect read it.
        quoted: what became of the quotes of the golden set in the fixture; None without a fixture.
        records: all that collect wrote, in order; None where they are too many, or did not come in order.
        run: what score wrote, if it had the records from here.
        values: what compare and gate wrote, by the file's name.
    """

    golden: GoldenSet | None = None
    fixture: Fixture | None = None
    quoted: Quoted | None = None
    records: Sequence[Record] | None = None
    run: HeldRun | None = None
    values: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Workspace:
    """One configuration and one output folder.

    Attributes:
        config: the validated configuration.
        config_file: where it was read from.
        out: the folder that stages read from and write to; made when first written to.
        commit: the commit the run is of, if there is one.
        uncommitted: whether tracked files are other than that commit has them.
        environment: the caller's variables; a pipeline sees only the ones it is allowed.
        clock: time.
        log: takes one line for a person.
        progress: makes progress displays.
        only: case ids to run; empty for all.
        allow_stale: golden ids and quotes the fixture does not hold are warnings instead of errors.
        tier: the tier that was asked for.
        reads_own_baseline: whether ``baseline.file`` of the configuration counts.
        judge_cache: where a judge's replies are kept, whatever the configuration says; None: as that says.
        alerts: what stands on top of the comment, found before anything was asked.
        warnings: what a person should know besides.
        repeat: 0, or which judging past the judge's cache this is.
        self_reported: what is to be said of records that a stranger's run uploaded; None of our own.
        spent: what judging has cost before, in USD: it counts towards judge.max_cost_usd.
        handed: what earlier stages left in memory.
    """

    config: Config
    config_file: Path
    out: Path
    commit: str | None
    environment: Mapping[str, str]
    clock: Clock
    log: Callable[[str], None]
    progress: ProgressFactory
    only: tuple[str, ...] = ()
    allow_stale: bool = False
    tier: Tier = "retrieval"
    uncommitted: bool = False
    reads_own_baseline: bool = True
    judge_cache: Path | None = None
    repeat: int = 0
    spent: float = 0.0
    self_reported: SelfReported | None = None
    alerts: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    handed: Handed = field(default_factory=Handed)

    @property
    def folder(self) -> Path:
        """The configuration's folder, which its paths are relative to."""
        return self.config_file.parent

    def path(self, written: str) -> Path:
        """A path of the configuration; absolute ones are taken as they are."""
        return self.folder / written
