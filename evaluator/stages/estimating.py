"""What judging will take, before any call is made: by the answers that were collected, or by supposed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.judging import case
from evaluator.judging.budget import prices_of
from evaluator.judging.estimate import estimate
from evaluator.model.base import to_json
from evaluator.model.counting import counted
from evaluator.model.record import Collection
from evaluator.stages import against, answered, judge_check, known_noise, rescoring
from evaluator.stages.bench import Bench
from evaluator.stages.judging import sampled
from evaluator.stores import golden, records
from evaluator.stores.fixtures import read_fixture
from evaluator.stores.values import read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from evaluator.judging.calls import Call
    from evaluator.model.config import Config
    from evaluator.model.golden import Case
    from evaluator.model.spent import PartSpent, Spent
    from evaluator.stages.answered import Answered, Measures
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

SUPPOSED = " ".join(["word"] * 60) + "."
"""An answer of a case that says nothing of how long its answer may be."""

SUPPOSED_CHUNK = " ".join(["word"] * 150) + "."


class Estimate(NamedTuple):
    """What was found, by part, of how many answers; ``supposed`` where none were collected.

    ``warnings`` say what stands in the way of judging.
    """

    spent: Spent
    judged: int
    supposed: bool
    cap: float | None
    warnings: Sequence[str] = ()

    def lines(self) -> Iterator[str]:
        """For people."""
        whose = "supposed answers, as long as the references: collect some for a better figure" if self.supposed else ""
        yield f"{counted(self.judged, 'answer')} to judge{f' ({whose})' if whose else ''}"
        for part, each in self.spent.parts.items():
            yield f"  {part:<11} {_said(each)}"
        total = self.spent.total()
        yield f"  {'all':<11} {_said(total)}"
        if self.cap is not None and total.usd > self.cap:
            yield f"warning: that is more than judge.max_cost_usd ({self.cap:g} USD): the run would stop there"
        yield from (f"warning: {warning}" for warning in self.warnings)

    def text(self) -> str:
        """As JSON."""
        parts = {part: each.model_dump(mode="json") for part, each in self.spent.parts.items()}
        value = {
            "answers": self.judged, "supposed": self.supposed, "max_cost_usd": self.cap, "parts": parts,
            "total": self.spent.total().model_dump(mode="json"),
        }  # fmt: skip
        return f"{to_json(value).decode()}\n"


def _said(spent: PartSpent) -> str:
    return f"{spent.calls:>7,} calls {spent.read:>11,} tokens read {spent.written:>9,} written {spent.usd:>9,.2f} USD"


def estimate_run(workspace: Workspace) -> Estimate:
    """What judging the answers in the output folder would take, without what the judge's cache holds.

    Beside a configured baseline what compares answers with its own is counted; that what critical cases may have lost
    may have to be judged again is not.

    Raises:
        UsageError: there is no judge.
        InputError: golden set, fixture or configuration have mistakes.
        BaselineError: the configured baseline cannot be used.
    """
    declared, config = metrics.load(), workspace.config
    if config.judge is None:
        raise errors.UsageError("there is nothing to estimate: the configuration has no judge: section")
    ids = configuration.resolve_metrics(config, declared, workspace.config_file, tier="full")
    cases = golden.read_golden([workspace.path(file) for file in config.golden])
    found, supposed = _answers(workspace, cases)
    measures = answered.Measures(config, ids, declared)
    silent = answered.lack_answers(found, measures)
    path = against.baseline_path(workspace, None)
    if path is not None and measures.reads_baseline:
        found = rescoring.beside(found, against.read_baseline(path, config.suite), measures)
    with Bench(workspace, is_asked=False) as bench:
        drawn = frozenset(sampled(found, bench.config))
        judged = [each for each in found if not each.failed and each.case in drawn and not silent]
        spent = estimate(_calls(bench, measures, judged), prices_of(config.judge.prices, config.judge.provider))
    return Estimate(
        spent, len(judged), supposed, config.judge.max_cost_usd, tuple(_warnings(config, measures, silent=silent))
    )


def _warnings(config: Config, measures: Measures, *, silent: bool) -> Iterator[str]:
    lacking = judge_check.lacking(config.judge.provider) if config.judge is not None else None
    if lacking is not None:
        yield f"the judge {lacking}"
    if silent or (answered.makes_none(config) and not measures.asks & answered.CONTEXT_ALONE):
        yield answered.NO_ANSWERS


def _calls(bench: Bench, measures: Measures, judged: Sequence[Answered]) -> Iterator[Call[Any]]:
    """Every call that has to be made, once: cases may ask the same."""
    seen: set[bytes] = set()
    for each in judged:
        missing = bench.missing(case.conversation(each.subject(bench, measures.wanted(each.labels))))
        yield from (call for key, call in missing.items() if key not in seen)
        seen.update(missing)


def _answers(workspace: Workspace, cases: GoldenSet) -> tuple[list[Answered], bool]:
    """The collected answers of this golden set, else supposed ones, and whether they are supposed."""
    config = workspace.config
    fixture = read_fixture(workspace.path(config.fixture)).fixture if config.fixture is not None else None
    made, file = workspace.out / "collect.json", workspace.out / "records.jsonl"
    if made.is_file() and file.is_file() and read_value(made, Collection).golden_sha256 == cases.sha256:
        by_id = {case.id: case for case in cases.cases}
        made_of = [(by_id[each.id], each) for each in records.iter_records(file) if each.id in by_id]
        found = ((case, each) for case, record in made_of for each in record.each())
        return [answered.of_record(case, record, config, fixture) for case, record in found], False
    known = fixture.chunks if fixture is not None else ()
    texts = [chunk.text for chunk in known[: config.k]] or [SUPPOSED_CHUNK] * config.k
    times = range(1, 1 + known_noise.repeats(config))
    return [_supposed(case, texts, config.language, turn) for case in cases.cases for turn in times], True


def _supposed(case: Case, texts: Sequence[str], language: str, turn: int) -> Answered:
    return answered.Answered(
        case.id, case.question, (), case.language or language, case.labels, _supposed_answer(case, turn), None,
        [str(place) for place in range(len(texts))], texts, failed=False, input_hash="",
    )  # fmt: skip


def _supposed_answer(case: Case, turn: int) -> str:
    """As long as the reference, and not the same: nothing would have to be asked about that; another every turn."""
    return f"{SUPPOSED if case.reference is None else f'Supposed: {case.reference}'}{' Again.' * (turn - 1)}"
