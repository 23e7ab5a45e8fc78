"""rag-assay.yml -> one frozen Config; every mistake is reported at once (design section 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.errors import Problem
from evaluator.model.config import Config, Rule
from evaluator.model.score import Metric, MetricId
from evaluator.stores import located
from evaluator.stores.located import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "rag-assay.yml"
MIN_DEPTH = 20

LATER_KEYS: Mapping[located.Path, tuple[object, ...]] = {
    ("pipeline", "http"): (None,),
    ("pipeline", "retriever", "dense"): (None,),
    ("pipeline", "retriever", "hybrid"): (None,),
    ("pipeline", "generator"): (None,),
    ("pipeline", "repeats"): (1,),
    ("citations",): (None,),
    ("judge",): (None,),
    ("noise",): (None,),
    ("gate", "alpha"): (0.05,),
    ("baseline", "branch"): (None,),
    ("report", "html"): (False,),
    ("report", "language"): ("en",),
}
"""Keys whose work comes later, with the values that ask for none of it."""

LATER_VALUES: Mapping[located.Path, tuple[str, ...]] = {
    ("pipeline", "kind"): ("http",),
    ("pipeline", "retriever"): ("dense", "hybrid"),
    ("baseline", "accept"): ("manual", "always"),
}
"""Values whose work comes later, of keys whose other values are supported."""

LATER_METRICS = frozenset(
    {
        "answer_completeness",
        "answer_relevance",
        "answer_relevance_embedding",
        "citation_precision",
        "citation_precision_labels",
        "citation_recall",
        "citation_recall_labels",
        "context_precision_judged",
        "context_recall",
        "context_relevance_judged",
        "context_sufficiency",
        "context_utilisation",
        "correctness",
        "faithfulness",
        "grounded_values",
        "noise_sensitivity",
        "paraphrase_consistency",
        "paraphrase_overlap",
        "preference",
    }
)
_ABSENT = object()


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
    problems: list[Problem] = []
    document = located.read_yaml(path, str(path), problems)
    if document is None:
        raise errors.InputError(problems)
    if not isinstance(document.value, dict):
        sentence = "the configuration is a mapping of keys such as suite, golden and fixture"
        raise errors.InputError([located.locate(document, Finding("wrong-value", (), "value", sentence), str(path))])
    config = located.validate(Config, document, str(path), problems)
    findings = [*_later(document.value), *_contradictions(document.value)]
    problems.extend(located.locate(document, finding, str(path)) for finding in findings)
    if config is None or problems:
        raise errors.InputError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return config


def _later(value: dict[str, Any]) -> Iterator[Finding]:
    for path, harmless in LATER_KEYS.items():
        written = _at(value, path)
        if written is not _ABSENT and written not in harmless:
            value_shown = f": {located.described(written)}" if isinstance(written, str | int | float) else ""
            yield _not_yet(path, "key", f"{located.spelled(path)}{value_shown} is not yet supported; leave it out")
    for path, refused in LATER_VALUES.items():
        written = _at(value, path)
        if isinstance(written, str) and written in refused:
            yield _not_yet(path, "value", f"{located.spelled(path)}: {located.described(written)} is not yet supported")
    named = [*_indexed(value, ("metrics",)), *_rule_members(value, "metric")]
    for path, metric in named:
        if isinstance(metric, str) and metric.partition("@")[0] in LATER_METRICS:
            yield _not_yet(path, "value", f"the metric {located.visible(metric)} is not yet supported")
    for path, _ in _rule_members(value, "min_win"):
        yield _not_yet(path, "key", f"{located.spelled(path)} is not yet supported; leave it out")


def _not_yet(path: located.Path, at: located.At, sentence: str) -> Finding:
    return Finding(errors.NotYetSupported.slug, path, at, sentence)


def _contradictions(value: dict[str, Any]) -> Iterator[Finding]:
    """Mistakes that no single key shows."""
    if value.get("metrics") == []:
        sentence = "metrics is empty, so nothing would be measured: leave it out for the default"
        yield Finding("wrong-value", ("metrics",), "value", sentence)
    for path, at in _rule_members(value, "at"):
        if at in ("p50", "p95") and _at(value, (*path[:-1], "max_rise")) in (_ABSENT, None):
            yield Finding("wrong-value", path, "value", f"{located.spelled(path)}: {at} is read by max_rise only")


def _at(value: Any, path: located.Path) -> Any:
    for step in path:
        if not (isinstance(value, list) if isinstance(step, int) else isinstance(value, dict) and step in value):
            return _ABSENT
        value = value[step]
    return value


def _indexed(value: Any, path: located.Path) -> Iterator[tuple[located.Path, Any]]:
    items = _at(value, path)
    for index, item in enumerate(items if isinstance(items, list) else []):
        yield (*path, index), item


def _rule_members(value: Any, key: str) -> Iterator[tuple[located.Path, Any]]:
    for path, rule in _indexed(value, ("gate", "rules")):
        if isinstance(rule, dict) and key in rule:
            yield (*path, key), rule[key]


def resolve_metrics(config: Config, known: Mapping[str, Metric], file: Path | None = None) -> tuple[MetricId, ...]:
    """The metrics that a configuration asks for, or the default ones; rules are held against what metrics declare.

    ``file`` is where the configuration was read from: with it, mistakes have a line and a column.

    Raises:
        InputError: every metric that is unknown, named twice or has a cut-off it does not take, and every rule that
            its metric's direction or range makes meaningless.
    """
    k = config.k
    default = (f"recall@{k}", f"hit@{k}", "mrr@10", "ndcg@10", f"context_precision@{k}", f"fact_coverage@{k}")
    written = default if config.metrics is None else config.metrics
    findings = [
        finding
        for index, text in enumerate(written)
        for finding in _metric_mistakes(text, ("metrics", index), written[:index], known)
    ]
    for index, rule in enumerate(config.gate.rules or ()):
        metric = known.get(rule.metric.partition("@")[0])
        findings.extend(_rule_mistakes(rule, ("gate", "rules", index), metric) if metric is not None else ())
    _refuse(findings, file)
    return tuple(MetricId.parse(text) for text in written)


def _metric_mistakes(
    text: str, path: located.Path, before: Sequence[str], known: Mapping[str, Metric]
) -> Iterator[Finding]:
    name, mark, cutoff = text.partition("@")
    metric = known.get(name)
    shown = f"{located.spelled(path)}: '{located.visible(text)}'"
    if metric is None:
        yield Finding("unknown-metric", path, "value", f"{shown} is no metric{located.did_you_mean(name, known)}")
    elif mark and metric.cutoff == "none":
        yield Finding("wrong-value", path, "value", f"{shown} has a cut-off, which {name} does not take")
    elif mark and not _is_cutoff(cutoff):
        yield Finding("wrong-value", path, "value", f"{shown} has a cut-off that is no whole number above 0")
    elif text in before:
        yield Finding("wrong-value", path, "value", f"{shown} is named twice")


def _is_cutoff(text: str) -> bool:
    return text.isascii() and text.isdigit() and not text.startswith("0")


def _rule_mistakes(rule: Rule, path: located.Path, metric: Metric) -> Iterator[Finding]:
    direction = "higher" if metric.higher_is_better else "lower"
    wrong = "max_rise" if metric.higher_is_better else "max_drop"
    if getattr(rule, wrong) is not None:
        right = "max_drop" if metric.higher_is_better else "max_rise"
        sentence = f"{direction} is better for {rule.metric}, so its rule is {right}, not {wrong}"
        yield Finding("wrong-value", (*path, wrong), "key", sentence)
    for key in ("max_drop", "min"):
        limit = getattr(rule, key)
        if metric.bounded and limit is not None and limit > 1:
            sentence = f"{rule.metric} lies between 0 and 1, so a {key} of {limit:g} decides nothing"
            yield Finding("wrong-value", (*path, key), "value", sentence)


def effective_rules(
    config: Config, metric_ids: Sequence[MetricId], *, answers_exist: bool, file: Path | None = None
) -> tuple[Rule, ...]:
    """The written rules, or the default ones for the metrics that are computed.

    ``file`` is as for :func:`resolve_metrics`.

    Raises:
        InputError: every written rule on a metric that is not computed.
    """
    computed = [str(metric) for metric in metric_ids]
    if config.gate.rules is None:
        default = [rule for rule in _default_rules(config.k) if rule.metric in computed]
        return tuple(rule for rule in default if answers_exist or rule.metric != "abstention")
    findings = [
        Finding("unknown-metric", ("gate", "rules", index, "metric"), "value", _uncomputed(rule.metric, computed))
        for index, rule in enumerate(config.gate.rules)
        if rule.metric not in computed
    ]
    _refuse(findings, file)
    return config.gate.rules


def _uncomputed(metric: str, computed: Sequence[str]) -> str:
    hint = located.did_you_mean(metric, computed)
    return f"a rule reads '{located.visible(metric)}', which metrics does not name{hint}"


def _default_rules(k: int) -> Iterator[Rule]:
    yield Rule(metric=f"recall@{k}", per="category", max_drop=0.02, min_lost=2)
    yield Rule(metric=f"fact_coverage@{k}", per="category", max_drop=0.02, min_lost=2)
    yield Rule(metric=f"context_precision@{k}", per="all", max_drop=0.05, min_lost=2)
    yield Rule(metric="abstention", per="category", max_drop=0.0, min_lost=2)


def depth(config: Config, metric_ids: Sequence[MetricId]) -> int:
    """How deep rankings must reach: the largest cut-off or what the generator gets, at least 20."""
    return max([MIN_DEPTH, config.k, *(metric.k for metric in metric_ids if metric.k is not None)])


def _refuse(findings: Sequence[Finding], file: Path | None) -> None:
    if not findings:
        return
    # Places are looked up only now: what is wrong is known, and the file is as it was a moment ago.
    document = located.read_yaml(file, str(file), []) if file is not None else None
    if document is None:
        raise errors.InputError(Problem(finding.code, finding.sentence, str(file or "")) for finding in findings)
    raise errors.InputError(located.locate(document, finding, str(file)) for finding in findings)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of rag-assay.yml, short forms included."""
    schema = Config.model_json_schema()
    golden = schema["properties"]["golden"]
    schema["properties"]["golden"] = {"anyOf": [{"type": "string"}, golden], "title": golden.pop("title")}
    retriever = schema["$defs"]["Retriever"]
    schema["$defs"]["Retriever"] = {"anyOf": [{"enum": ["bm25", "dense", "hybrid"]}, retriever]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": NAME}
