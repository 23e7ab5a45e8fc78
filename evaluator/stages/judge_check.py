"""What is wrong with the section of the judge that only its provider, its files and the golden set can tell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evaluator import config as configuration
from evaluator import embedders, errors, judges, metrics, registry
from evaluator.errors import Problem
from evaluator.judging import answer, claims, context_reading, statements, tokens
from evaluator.judging.prompts import Ask, Prompts
from evaluator.model.base import to_json
from evaluator.model.calibration import Calibration
from evaluator.stages import answered, known_noise
from evaluator.stages.bench import unknown
from evaluator.stores.values import read_value
from evaluator.stores.words import Finding, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from evaluator.model.config import Config, Judge
    from evaluator.model.golden import Case
    from evaluator.model.score import Metric

SCHEMAS = {
    "claims": claims.SCHEMA, "context": context_reading.SCHEMA, "answer": answer.SCHEMA,
    "statements": statements.SCHEMA,
}  # fmt: skip

REPLY = Ask._field_defaults["room"]
"""The least room in tokens that a reply is given."""


def mistakes(config: Config, folder: Path, cases: Sequence[Case]) -> Iterator[Finding]:
    """Mistakes in the section itself; ``folder`` is the configuration's."""
    judge = config.judge
    if judge is None:
        return
    known = judges.load()
    if judge.provider not in known:
        sentence = unknown("judge.provider", judge.provider, known)
        yield Finding("wrong-value", ("judge", "provider"), "value", sentence)
    elif judges.kind(judge.provider).lacks(judge.model, folder):
        sentence = f"judge.model: there is no file '{visible(judge.model)}'"
        yield Finding("missing-file", ("judge", "model"), "value", sentence)
    if judge.embeddings is not None and judge.embeddings.provider not in embedders.load():
        sentence = unknown("judge.embeddings.provider", judge.embeddings.provider, embedders.load())
        yield Finding("wrong-value", ("judge", "embeddings", "provider"), "value", sentence)
    if judge.prompts is not None and not (folder / judge.prompts).is_dir():
        sentence = f"judge.prompts: there is no folder '{visible(judge.prompts)}'"
        yield Finding("missing-file", ("judge", "prompts"), "value", sentence)
    elif judge.window is not None and not any(_in_prompts(judge, folder)):
        languages = dict.fromkeys([config.language, *(case.language or config.language for case in cases)])
        yield from _too_small(judge.window, Prompts(_own(judge, folder)), languages)
    if judge.calibration is not None and not (folder / judge.calibration).is_file():
        sentence = f"judge.calibration: there is no file '{visible(judge.calibration)}'"
        yield Finding("missing-file", ("judge", "calibration"), "value", sentence)


def _too_small(window: int, found: Prompts, languages: Iterable[str]) -> Iterator[Finding]:
    """A window that not even a question about nothing fits into: everything would be unscored."""
    sizes = [(size, part) for language in languages for part, size in _fixed(found, language).items()]
    size, part = max(sizes)
    if size + REPLY > window:
        said = f"the prompt '{part}' takes about {size} tokens and its reply {REPLY}, before there is anything to judge"
        yield Finding("wrong-value", ("judge", "window"), "value", f"judge.window: {window} is too small: {said}")


def _fixed(prompts: Prompts, language: str) -> dict[str, int]:
    """Tokens that every call of a part has alike: what the prompt says, and the schema."""
    found: dict[str, int] = {}
    for part, schema in SCHEMAS.items():
        prompt = prompts.of(part, language, schema)
        found[part] = tokens.estimate(prompt.source.text) + tokens.estimate(to_json(schema).decode())
    return found


def problems(config: Config, folder: Path) -> Iterator[Problem]:
    """What is wrong with the files that the section names."""
    if config.judge is None:
        return
    yield from _in_prompts(config.judge, folder)
    known = folder / (config.judge.calibration or "")
    if known.is_file():
        try:
            read_value(known, Calibration)
        except errors.FileProblem as error:
            yield Problem(error.slug, str(error), str(known))


def _own(judge: Judge, folder: Path) -> Path | None:
    return folder / judge.prompts if judge.prompts is not None else None


def _in_prompts(judge: Judge, folder: Path) -> Iterator[Problem]:
    own = _own(judge, folder)
    if own is not None and own.is_dir():
        for path, sentence in Prompts(own, is_trusted=True).mistakes():
            yield Problem("template", f"judge.prompts: {sentence}", str(path))


def doubts(config: Config, file: Path, cases: Sequence[Case]) -> Iterator[Problem]:
    """A model that may move, repeats of what never differs, and named metrics that nothing lets be computed."""
    yield from _placed([*_unpinned(config), *_uninstalled(config), *_pointless(config)], file)
    declared = metrics.load()
    yield from _placed(_silent(config, file.parent), file)
    yield from _placed(_never_asked(config), file, "info")
    for place, text in enumerate(config.metrics or ()):
        metric = declared.get(text.partition("@")[0])
        for code, severity, sentence in _about(metric, config, cases) if metric is not None else ():
            finding = Finding(code, ("metrics", place), "value", f"metrics[{place}]: '{visible(text)}' {sentence}")
            yield from _placed([finding], file, severity)


def _placed(found: Iterable[Finding], file: Path, severity: str = "warning") -> Iterator[Problem]:
    for problem in configuration.place(found, file):
        yield problem._replace(severity=severity)


def _unpinned(config: Config) -> Iterator[Finding]:
    """A provider's own model by a name that may move; what another server means by a name its owner decides."""
    judge = config.judge
    if judge is None or judge.base_url is not None or judge.provider not in judges.load():
        return
    if not judges.kind(judge.provider).is_pinned(judge.model):
        sentence = f"judge.model: '{visible(judge.model)}' is no exact version: it may come to mean another model"
        yield Finding("unpinned-model", ("judge", "model"), "value", sentence)


def _pointless(config: Config) -> Iterator[Finding]:
    """Repeats of a pipeline that answers the same every time."""
    if config.pipeline.repeats > known_noise.repeats(config):
        kind = config.pipeline.kind
        sentence = f"pipeline.repeats: {kind} answers the same every time, and is asked once; leave it out"
        yield Finding("pointless-repeats", ("pipeline", "repeats"), "value", sentence)


def _silent(config: Config, folder: Path) -> Iterator[Finding]:
    """A judge beside a pipeline that returns no answers; what it asks of the context alone needs none."""
    named = [metrics.load().get(text.partition("@")[0]) for text in config.metrics or ()]
    if config.judge is None or any(set(metric.asks) & answered.CONTEXT_ALONE for metric in named if metric):
        return
    recorded = config.pipeline.recorded if config.pipeline.kind == "recorded" else None
    if answered.makes_none(config) or (recorded is not None and _holds_none(folder / recorded.file)):
        yield Finding("nothing-to-measure", ("judge",), "key", f"judge: {answered.NO_ANSWERS}")


def _never_asked(config: Config) -> Iterator[Finding]:
    """A judge that no change asks for."""
    if config.judge is not None and not config.judge.when:
        sentence = "judge.when names no files: pull requests are not judged, only schedules and runs by hand"
        yield Finding("no-when", ("judge",), "key", sentence)


def _holds_none(file: Path) -> bool:
    """Whether none of the recorded replies has an answer; a file that cannot be read says nothing."""
    try:
        with file.open(encoding="utf-8-sig") as lines:
            replies = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError, RecursionError):
        return False
    return bool(replies) and all(isinstance(each, dict) and each.get("answer") is None for each in replies)


def _uninstalled(config: Config) -> Iterator[Finding]:
    """The library of a judge's provider, where the judge is asked elsewhere than here; no mistake in the files."""
    said = lacking(config.judge.provider) if config.judge is not None else None
    if said is not None:
        yield Finding("missing-extra", ("judge", "provider"), "value", f"judge.provider: {said}")


def lacking(provider: str) -> str | None:
    """What has to be installed before a judge of this provider can be asked; None where all is there."""
    library = judges.kind(provider).library if provider in judges.load() else None
    return None if library is None else registry.lacking(library, library)


def _about(metric: Metric, config: Config, cases: Sequence[Case]) -> Iterator[tuple[str, str, str]]:
    if metric.labels and cases and not any(getattr(case.labels, label) for case in cases for label in metric.labels):
        wanted = " or ".join({"facts": "facts", "reference": "a reference"}[label] for label in metric.labels)
        yield "nothing-to-measure", "warning", f"needs {wanted}, and no case has any"
    embeds = "questions" in metric.asks
    if embeds and config.judge is not None and config.judge.embeddings is None:
        yield "nothing-to-measure", "warning", "needs judge.embeddings, which names no model"
    rules = config.gate.rules or ()
    if metric.compares and not any(rule.min_win is not None for rule in rules):
        yield "no-rule", "info", "is judged by two calls a case, and no rule with min_win reads it"
