"""rag-assay.yml -> one frozen Config; every mistake is reported at once (design section 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pydantic

from evaluator import config_checks, errors
from evaluator.config_checks import indexed
from evaluator.errors import Problem
from evaluator.model.config import Config, Rule
from evaluator.model.score import MetricId
from evaluator.stores import located
from evaluator.stores.located import Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.score import Metric

NAME = "rag-assay.yml"
MIN_DEPTH = 20

Tier: TypeAlias = Literal["retrieval", "full"]
"""What is measured: what needs no judge, or what one says as well."""

JUDGED_BY_DEFAULT = ("faithfulness", "answer_relevance", "answer_completeness", "correctness", "abstention")
"""What tier full adds where no judged metric is named."""


def find_config(start: Path) -> Path:
    """The nearest rag-assay.yml in a folder or above it.

    Raises:
        UsageError: there is none.
    """
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / NAME).is_file():
            return folder / NAME
    raise errors.UsageError(f"there is no {NAME} in {start} or above it; write one, or name it with --config")


def load_config(path: Path) -> Config:
    """The configuration of a file. Nothing in it is expanded and no other file is read.

    Raises:
        InputError: every mistake, with line and column; keys whose work comes later are among them, with the code
            ``not-yet-supported``.
    """
    config, problems = look(path)
    if config is None or problems:
        raise errors.InputError(problems)
    return config


def look(path: Path, known: Mapping[str, Metric] | None = None) -> tuple[Config | None, list[Problem]]:
    """What is sound of a configuration file, and every problem of it in the order of the file.

    Where there are problems, a key that is not sound by itself has its default (``suite`` and ``golden`` are empty);
    None where the file is no mapping at all. With the ``known`` metrics, metrics and rules are held against them too.
    """
    problems: list[Problem] = []
    document = located.read_yaml(path, str(path), problems)
    if document is None:
        return None, problems
    if not isinstance(document.value, dict):
        sentence = "the configuration is a mapping of keys such as suite, golden and fixture"
        return None, [located.locate(document, Finding("wrong-value", (), "value", sentence), str(path))]
    config = located.validate(Config, document, str(path), problems)
    findings = [*config_checks.later(document.value), *config_checks.contradictions(document.value)]
    findings += _mistakes(document.value, known) if known is not None else ()
    problems += [located.locate(document, finding, str(path)) for finding in findings]
    problems.sort(key=lambda problem: (problem.line, problem.column))
    return config or _sound_keys(document.value), problems


def _sound_keys(value: dict[str, Any]) -> Config:
    needed = {"suite": "s", "golden": "g", "fixture": "f"}
    sound: dict[str, Any] = {"suite": "", "golden": ()}
    for key in value.keys() & Config.model_fields:
        try:
            sound[key] = getattr(Config.model_validate({**needed, key: value[key]}), key)
        except pydantic.ValidationError:
            continue
    return Config.model_construct(**sound)


def resolve_metrics(
    config: Config, known: Mapping[str, Metric], file: Path | None = None, *, tier: Tier = "retrieval"
) -> tuple[MetricId, ...]:
    """The metrics of a tier that a configuration asks for, or the default ones; rules are held against those of both.

    ``file`` is where the configuration was read from: with it, mistakes have a line and a column. Judged metrics are
    computed in tier full only, which adds the default ones where none is named.

    Raises:
        InputError: every metric that is unknown, named twice or has a cut-off it does not take, or that needs a judge
            that is not there, and every rule on what neither tier computes or that its metric's direction or range
            makes meaningless.
    """
    value = config.model_dump(mode="json", include={"metrics": True, "gate": {"rules"}, "k": True})
    value["judge"] = {} if config.judge is not None else None
    findings = list(_mistakes(value, known))
    if findings:
        raise errors.InputError(place(findings, file))
    written = _default_metrics(config.k) if config.metrics is None else config.metrics
    ids = [MetricId.parse(text) for text in written]
    if tier == "retrieval":
        return tuple(each for each in ids if known[each.name].reads != "judge")
    return tuple(dict.fromkeys([*ids, *map(MetricId.parse, _added_by_the_judge(written, known))]))


def _added_by_the_judge(written: Collection[str], known: Mapping[str, Metric]) -> tuple[str, ...]:
    """The metrics that tier full adds where no judged one is named."""
    named = (known.get(text.partition("@")[0]) for text in written)
    return () if any(metric is not None and metric.reads == "judge" for metric in named) else JUDGED_BY_DEFAULT


def _default_metrics(k: int) -> tuple[str, ...]:
    return (f"recall@{k}", f"hit@{k}", "mrr@10", "ndcg@10", f"context_precision@{k}", f"fact_coverage@{k}")


def _mistakes(value: Mapping[str, Any], known: Mapping[str, Metric]) -> Iterator[Finding]:
    """What is wrong with the metrics and the rules of a configuration as it was written, sound otherwise or not."""
    wrong = False
    written: list[str] = []
    for path, text in indexed(value, ("metrics",)):
        findings = list(_metric_mistakes(text, path, written, known)) if isinstance(text, str) else []
        findings += _needs_a_judge(text, path, value, known)
        yield from findings
        wrong |= bool(findings) or not isinstance(text, str)
        written.append(text)
    metrics, k = value.get("metrics"), value.get("k", Config.model_fields["k"].default)
    if metrics is None and type(k) is int:
        written.extend(_default_metrics(k))
    elif wrong or not isinstance(metrics, list):
        # What is computed is not known, so no rule can be said to read anything else.
        written.clear()
    if written and isinstance(value.get("judge"), dict):
        written.extend(_added_by_the_judge(written, known))
    for path, rule in indexed(value, ("gate", "rules")):
        if isinstance(rule, dict) and isinstance(rule.get("metric"), str):
            yield from _rule_mistakes(rule, path, written, known)


def _metric_mistakes(
    text: str, path: located.Path, before: Collection[str], known: Mapping[str, Metric]
) -> Iterator[Finding]:
    shown = f"{located.spelled(path)}: '{located.visible(text)}'"
    mistake = located.metric_mistake(text, known)
    if mistake is not None:
        yield Finding(mistake[0], path, "value", f"{shown} {mistake[1]}")
    elif text in before:
        yield Finding("wrong-value", path, "value", f"{shown} is named twice")


def _needs_a_judge(
    text: Any, path: located.Path, value: Mapping[str, Any], known: Mapping[str, Metric]
) -> Iterator[Finding]:
    metric = known.get(text.partition("@")[0]) if isinstance(text, str) else None
    if metric is not None and metric.reads == "judge" and value.get("judge") is None:
        sentence = f"{located.spelled(path)}: '{text}' is judged by a model, and no judge: section names one"
        yield Finding("unknown-metric", path, "value", sentence)


def _rule_mistakes(
    rule: Mapping[str, Any], path: located.Path, computed: Collection[str], known: Mapping[str, Metric]
) -> Iterator[Finding]:
    text = rule["metric"]
    name = text.partition("@")[0]
    if text not in computed and (computed or name not in known):
        hint = located.did_you_mean(text, computed or known)
        sentence = f"a rule reads '{located.visible(text)}', which metrics does not name{hint}"
        yield Finding("unknown-metric", (*path, "metric"), "value", sentence)
    if name in known:
        yield from _limit_mistakes(rule, path, known[name])


def _limit_mistakes(rule: Mapping[str, Any], path: located.Path, metric: Metric) -> Iterator[Finding]:
    text = located.visible(rule["metric"])
    if metric.compares or rule.get("min_win") is not None:
        yield from _win_mistakes(rule, path, metric)
        return
    better, right = ("higher", "max_drop") if metric.higher_is_better else ("lower", "max_rise")
    for key in ("max_rise",) if metric.higher_is_better else ("max_drop", "min"):
        if rule.get(key) is not None:
            sentence = f"{better} is better for {text}, so its rule is {right}, not {key}"
            yield Finding("wrong-value", (*path, key), "key", sentence)
    for key in ("max_drop", "min"):
        limit: Any = rule.get(key)
        if metric.bounded and type(limit) in (int, float) and (limit > 1 or (limit < 0 and key == "min")):
            sentence = f"{text} lies between 0 and 1, so a {key} of {limit:g} decides nothing"
            yield Finding("wrong-value", (*path, key), "value", sentence)


def _win_mistakes(rule: Mapping[str, Any], path: located.Path, metric: Metric) -> Iterator[Finding]:
    """Wins are counted of what compares two runs itself, and nothing else is read of it."""
    text = located.visible(rule["metric"])
    if not metric.compares:
        sentence = f"{located.spelled(path)}: min_win counts the wins of preference; {text} has none"
        yield Finding("wrong-value", (*path, "min_win"), "key", sentence)
        return
    for key in ("max_drop", "max_rise", "min"):
        if rule.get(key) is not None:
            sentence = f"{text} compares with the baseline itself, so its rule is min_win, not {key}"
            yield Finding("wrong-value", (*path, key), "key", sentence)


def effective_rules(config: Config, metric_ids: Sequence[MetricId], *, answers_exist: bool) -> tuple[Rule, ...]:
    """The written rules, or the default ones for the metrics that are computed."""
    if config.gate.rules is not None:
        return config.gate.rules
    computed = [str(metric) for metric in metric_ids]
    default = [rule for rule in _default_rules(config.k) if rule.metric in computed]
    return tuple(rule for rule in default if answers_exist or rule.metric != "abstention")


def _default_rules(k: int) -> Iterator[Rule]:
    yield Rule(metric=f"recall@{k}", per="category", max_drop=0.02, min_lost=2)
    yield Rule(metric=f"fact_coverage@{k}", per="category", max_drop=0.02, min_lost=2)
    yield Rule(metric=f"context_precision@{k}", per="all", max_drop=0.05, min_lost=2)
    yield Rule(metric="abstention", per="category", max_drop=0.0, min_lost=2)
    for metric in JUDGED_BY_DEFAULT:
        if metric != "abstention":
            yield Rule(metric=metric, per="category", max_drop=0.03, min_lost=2)


def depth(config: Config, metric_ids: Sequence[MetricId]) -> int:
    """How deep rankings must reach: the largest cut-off or what the generator gets, at least 20."""
    return max([MIN_DEPTH, config.k, *(metric.k for metric in metric_ids if metric.k is not None)])


def place(findings: Iterable[Finding], file: Path | None) -> list[Problem]:
    """Findings about a configuration as problems of its file, with line and column where the file is known."""
    # Places are looked up only now: what is wrong is known, and the file is as it was a moment ago.
    document = located.read_yaml(file, str(file), []) if file is not None else None
    if document is None:
        return [Problem(finding.code, finding.sentence, str(file or "")) for finding in findings]
    return [located.locate(document, finding, str(file)) for finding in findings]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of rag-assay.yml, short forms included."""
    schema = Config.model_json_schema()
    golden = schema["properties"]["golden"]
    schema["properties"]["golden"] = {"anyOf": [{"type": "string"}, golden], "title": golden.pop("title")}
    retriever = schema["$defs"]["Retriever"]
    schema["$defs"]["Retriever"] = {"anyOf": [{"enum": ["bm25", "dense", "hybrid"]}, retriever]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": NAME}
