"""What judging will take, before any call is made: by the answers that were collected, or by supposed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.judging import answer, case, claims, context_reading, statements, tokens
from evaluator.judging.budget import prices_of
from evaluator.judging.estimate import Subject, estimate
from evaluator.judging.sentences import sentences
from evaluator.model.base import to_json
from evaluator.model.counting import counted
from evaluator.model.record import Collection
from evaluator.stages import answered
from evaluator.stages.bench import Bench
from evaluator.stages.judging import sampled
from evaluator.stores import golden, records
from evaluator.stores.fixtures import read_fixture
from evaluator.stores.values import read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.golden import Case
    from evaluator.model.spent import PartSpent, Spent
    from evaluator.model.verdicts import Part
    from evaluator.stages.answered import Answered, Measures
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

SUPPOSED = " ".join(["word"] * 60) + "."
"""An answer of a case that says nothing of how long its answer may be."""

SUPPOSED_CHUNK = " ".join(["word"] * 150) + "."

SCHEMAS = {
    "claims": claims.SCHEMA, "context": context_reading.SCHEMA, "answer": answer.SCHEMA,
    "statements": statements.SCHEMA,
}  # fmt: skip


class Estimate(NamedTuple):
    """What was found, by part, of how many answers; ``supposed`` where none were collected."""

    spent: Spent
    judged: int
    supposed: bool
    cap: float | None

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

    Raises:
        UsageError: there is no judge.
        InputError: golden set, fixture or configuration have mistakes.
    """
    declared, config = metrics.load(), workspace.config
    if config.judge is None:
        raise errors.UsageError("there is nothing to estimate: the configuration has no judge: section")
    ids = configuration.resolve_metrics(config, declared, workspace.config_file, tier="full")
    cases = golden.read_golden([workspace.path(file) for file in config.golden])
    found, supposed = _answers(workspace, cases)
    measures = answered.Measures(config, ids, declared)
    with Bench(workspace, is_asked=False) as bench:
        drawn = frozenset(sampled({each.case: each.labels for each in found}, bench.config))
        judged = [each for each in found if not each.failed and each.case in drawn]
        seen: set[str] = set()
        subjects = [subject for each in judged if (subject := _subject(bench, measures, each, seen)) is not None]
        spent = estimate(
            subjects, _fixed(bench, config.language), prices_of(bench.config.prices, bench.config.provider)
        )
    return Estimate(spent, len(judged), supposed, config.judge.max_cost_usd)


def _answers(workspace: Workspace, cases: GoldenSet) -> tuple[list[Answered], bool]:
    """The collected answers of this golden set, else supposed ones, and whether they are supposed."""
    config = workspace.config
    fixture = read_fixture(workspace.path(config.fixture)).fixture if config.fixture is not None else None
    made, file = workspace.out / "collect.json", workspace.out / "records.jsonl"
    if made.is_file() and file.is_file() and read_value(made, Collection).golden_sha256 == cases.sha256:
        by_id = {case.id: case for case in cases.cases}
        return [answered.of_record(by_id[each.id], each, config, fixture) for each in records.iter_records(file)], False
    known = fixture.chunks if fixture is not None else ()
    texts = [chunk.text for chunk in known[: config.k]] or [SUPPOSED_CHUNK] * config.k
    return [_supposed(case, texts, config.language) for case in cases.cases], True


def _supposed(case: Case, texts: Sequence[str], language: str) -> Answered:
    return answered.Answered(
        case.id, case.question, (), case.language or language, case.labels, case.reference or SUPPOSED, None,
        [str(place) for place in range(len(texts))], texts, failed=False, input_hash="",
    )  # fmt: skip


def _subject(bench: Bench, measures: Measures, each: Answered, seen: set[str]) -> Subject | None:
    """What a case makes the judge read; None where the cache answers all of it, or nobody has to be asked."""
    subject = each.subject(bench, measures.wanted(each.labels))
    parts = bench.missing(case.conversation(subject))
    if "claims" in parts:
        # What follows from claims that are not known yet is asked for as well.
        parts.add("answer")
        if subject.shown():
            parts.add("context")
    reference = each.labels.reference or ""
    if "statements" in parts and reference in seen:
        parts -= {"statements"}
    seen.add(reference)
    if not parts:
        return None
    return Subject(
        parts=frozenset(parts), question=tokens.estimate(each.question), answer=tokens.estimate(each.answer or ""),
        sentences=len(sentences(each.answer or "", each.language)),
        context=sum(tokens.estimate(text or "") for text in each.texts), reference=tokens.estimate(reference),
        facts=len(each.labels.facts),
    )  # fmt: skip


def _fixed(bench: Bench, language: str) -> Mapping[Part, int]:
    """Tokens that every call of a part has alike: what the prompt says, and the schema."""
    found: dict[Part, int] = {}
    for part, schema in SCHEMAS.items():
        prompt = bench.prompts.of(part, language, schema)
        found[part] = tokens.estimate(prompt.source.text) + tokens.estimate(to_json(schema).decode())  # type: ignore[index]
    return found
