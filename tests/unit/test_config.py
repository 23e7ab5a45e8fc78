from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluator import config, errors
from evaluator.model.config import Bm25, Config, Retriever, Rule
from evaluator.model.score import Metric, MetricId, Scored

if TYPE_CHECKING:
    from pathlib import Path

TABS = (
    "scanning for the next token; indent with spaces, never with a tab, "
    "and put a text that begins with %, @ or ` in quotes [syntax]"
)
MINIMAL = "suite: support\ngolden: eval/golden.jsonl\nfixture: eval/fixture\n"
PLAIN = Metric(
    name="", title="", formula="", source="", score=lambda _view, _k: Scored(0.0), reads="ranking", counts="needs"
)
KNOWN = {
    name: replace(PLAIN, name=name)
    for name in ("recall", "hit", "mrr", "ndcg", "context_precision", "fact_coverage", "precision")
} | {
    "abstention": replace(PLAIN, name="abstention", cutoff="none"),
    "latency_ms": replace(PLAIN, name="latency_ms", cutoff="none", higher_is_better=False, bounded=False),
}


def load(folder: Path, text: str) -> Config:
    """The configuration of a text."""
    (folder / "rag-assay.yml").write_text(text)
    return config.load_config(folder / "rag-assay.yml")


def problems_of(folder: Path, text: str) -> list[str]:
    """Line, column, message and code of every problem, without the folder."""
    with pytest.raises(errors.InputError) as caught:
        load(folder, text)
    return [str(problem).removeprefix(f"{folder}/rag-assay.yml:") for problem in caught.value.problems]


def build(**fields: Any) -> Config:
    """A configuration with what a test is about."""
    return Config.model_validate({"suite": "s", "golden": "g", "fixture": "f", **fields})


def mistakes(call: Any) -> list[str]:
    """The messages of the problems a call ends in."""
    with pytest.raises(errors.InputError) as caught:
        call()
    return [problem.message for problem in caught.value.problems]


def test_three_lines_are_a_configuration(tmp_path: Path) -> None:
    """Everything but suite, golden and fixture has a default, and no default is refused."""
    found = load(tmp_path, MINIMAL)
    assert (found.suite, found.golden, found.fixture, found.k) == ("support", ("eval/golden.jsonl",), "eval/fixture", 5)
    assert found.pipeline.retriever == Retriever(bm25=Bm25())
    assert found.gate.rules is None


WHOLE = """\
# yaml-language-server: $schema=docs/schema/rag-assay.schema.json
suite: support
golden: [a.jsonl, b.yml]
fixture: eval/fixture
language: sv
k: 8
metrics: [recall@8, latency_ms]
pipeline:
  kind: python
  retriever: {bm25: {k1: 0, b: 0.5, stem: false}}
  generator: null
  python: {target: "app.rag:answer", path: [src], python: .venv/bin/python}
  command: {run: [node, rag.js]}
  recorded: {file: answers.jsonl}
  workers: 2
  repeats: 1
  timeout: 2.5
  limits: {memory_mb: 512, processes: 8}
  env: [RAG_KEY, "${HOME}"]
  version: prompt 14
citations: {pattern: '<(?P<id>[^>]+)>'}
judge: null
gate:
  rules:
    - {metric: recall@8, per: category, max_drop: 0.02, min_lost: 2, min: 0.5}
    - {metric: latency_ms, per: all, max_rise: "20%", at: p95, optional: true}
  critical: {lost_needs: 1, lost_facts: null}
  min_cases: 4
  max_unscored: 0.1
  max_failures: 0
  floor_policy: no_worse
  drift: {max_drop: 0.1}
  alpha: 0.01
noise: eval/noise.json
accepted: eval/accepted.yml
baseline: {branch: null, accept: on-pass, file: old/run.json, required: true}
check: {ignore: [thin-category]}
report: {max_examples: 3, html: false, language: en}
"""


def test_every_supported_key_is_read(tmp_path: Path) -> None:
    """Sections of other pipeline kinds may stand beside the chosen one, and later keys that ask for nothing."""
    found = load(tmp_path, WHOLE)
    assert found.golden == ("a.jsonl", "b.yml")
    assert found.pipeline.python is not None
    assert found.pipeline.python.target == "app.rag:answer"
    assert found.pipeline.limits.memory_mb == 512
    assert found.gate.rules is not None
    assert [(rule.max_drop, rule.max_rise) for rule in found.gate.rules] == [(0.02, None), (None, "20%")]
    assert found.gate.critical.lost_facts is None
    assert found.baseline.required
    assert found.citations is not None
    assert found.citations.pattern == "<(?P<id>[^>]+)>"


def test_nothing_is_expanded(tmp_path: Path) -> None:
    """What looks like a variable stays as it is written."""
    assert load(tmp_path, WHOLE).pipeline.env == ("RAG_KEY", "${HOME}")


def test_every_mistake_is_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Unknown keys get the nearest known one, wrong values what they must be, all with line and column."""
    text = """\
suit: s
golden: []
fixture: 5
k: five
langauge: en
metrics: []
pipeline:
  kind: pyton
  retriever: bm26
  workers: 0
  timeout: "60"
  limits: {memory: 5}
  python: {target: app}
gate:
  rules:
    - {metric: recall@5, per: categry, max_dro: 0.02}
    - {metric: recall@5}
    - {metric: recall@5, min: 0.5, min_lost: 2}
    - {metric: recall@5, min: 0.5, at: p95}
    - {metric: latency_ms, max_rise: a lot}
  max_failures: 5
  critical: {lost_need: 0}
baseline: {accept: sometimes}
"""
    assert problems_of(tmp_path, text) == [
        "1:1: unknown field 'suit'; did you mean 'suite'? [unknown-field]",
        "1:1: field 'suite' is missing [missing-field]",
        "2:9: golden must be a list that is not empty, not an empty list [wrong-value]",
        "3:10: fixture must be text, not 5 (put it in quotes) [wrong-value]",
        "4:4: k must be a whole number, not 'five' [wrong-value]",
        "5:1: unknown field 'langauge'; did you mean 'language'? [unknown-field]",
        "6:10: metrics is empty, so nothing would be measured: leave it out for the default [wrong-value]",
        "8:9: pipeline.kind must be 'builtin', 'python', 'command', 'http' or 'recorded', not 'pyton' [wrong-value]",
        "9:14: pipeline.retriever: retriever 'bm26' is not one of bm25, dense, hybrid [wrong-value]",
        "10:12: pipeline.workers must be at least 1, not 0 [wrong-value]",
        "11:12: pipeline.timeout must be a number, not '60' [wrong-value]",
        "12:12: unknown field 'memory' in pipeline.limits; did you mean 'memory_mb'? [unknown-field]",
        "13:20: pipeline.python.target must be text such as 'app.rag:answer', not 'app' [wrong-value]",
        "16:31: gate.rules[0].per must be 'all' or 'category', not 'categry' [wrong-value]",
        "16:40: unknown field 'max_dro' in gate.rules[0]; did you mean 'max_drop'? [unknown-field]",
        "17:7: gate.rules[1]: a rule needs at least one of max_drop, min, max_rise, min_win [wrong-value]",
        "18:7: gate.rules[2]: min_lost only makes sense beside max_drop [wrong-value]",
        "19:40: gate.rules[3].at: p95 is read by max_rise only [wrong-value]",
        "20:38: gate.rules[4].max_rise must be a number or text such as '20%', not 'a lot' [wrong-value]",
        "21:17: gate.max_failures must be at most 1, not 5 [wrong-value]",
        "22:14: unknown field 'lost_need' in gate.critical; did you mean 'lost_needs'? [unknown-field]",
        "23:20: baseline.accept must be 'on-pass', 'manual' or 'always', not 'sometimes' [wrong-value]",
    ]


NO_MAPPING = "1:1: the configuration is a mapping of keys such as suite, golden and fixture [wrong-value]"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1: the configuration is a mapping of keys such as suite, golden and fixture [wrong-value]"),
        ("# nothing\n", "1:1: the configuration is a mapping of keys such as suite, golden and fixture [wrong-value]"),
        ("- a\n", "1:1: the configuration is a mapping of keys such as suite, golden and fixture [wrong-value]"),
        (
            "suite: s\ngolden: g\n",
            "1:1: pipeline.kind builtin searches the fixture, so fixture must be given [wrong-value]",
        ),
        (
            "suite: s\ngolden: g\npipeline: {kind: python}\n",
            "3:11: pipeline: pipeline.kind is python, so pipeline.python must be given [wrong-value]",
        ),
        (MINIMAL + "suite: t\n", "4:1: duplicate key 'suite', first on line 1 [duplicate-key]"),
        (
            MINIMAL + "k: [1\n",
            "5:1: not valid YAML: did not find expected ',' or ']' while parsing a flow sequence [syntax]",
        ),
        (
            MINIMAL + "gate:\n\tmin_cases: 5\n",
            f"5:1: not valid YAML: found character that cannot start any token while {TABS}",
        ),
        (MINIMAL + "gate: {max_failures: .nan}\n", "4:22: .nan is not a finite number [not-finite]"),
    ],
)
def test_one_clear_error(tmp_path: Path, text: str, problem: str) -> None:
    """What is wrong as a whole is one problem."""
    assert problems_of(tmp_path, text) == [problem]


LATER = [
    ("report: {html: true}", "report.html: true is not yet supported; leave it out or write false"),
    ("report: {language: sv}", "report.language: 'sv' is not yet supported; leave it out or write 'en'"),
]


@pytest.mark.parametrize(("line", "sentence"), LATER)
def test_what_comes_later_is_refused(tmp_path: Path, line: str, sentence: str) -> None:
    """A key, value or metric of the contract whose work comes later is named, never ignored."""
    found = problems_of(tmp_path, MINIMAL + line + "\n")
    assert [each for each in found if "[not-yet-supported]" in each] == [found[-1]]
    assert found[-1].partition(": ")[2] == f"{sentence} [not-yet-supported]"
    assert found[-1].startswith("4:")


def test_all_that_comes_later_is_told_beside_the_mistakes(tmp_path: Path) -> None:
    """A mistake does not hide what is not yet supported."""
    found = problems_of(tmp_path, MINIMAL + "k: 0\nreport: {language: sv}\n")
    assert [each.rpartition("[")[2] for each in found] == ["wrong-value]", "not-yet-supported]"]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"\[(\d+)\]", "has no group named id, as in (?P<id>...)"),
        (r"\[(?P<name>\d+)\]", "has no group named id, as in (?P<id>...)"),
        (r"(?P<id>\d*)", "matches the empty text, so it would always be found"),
        (r"\[(?P<id>\d+", "is not a valid regular expression: missing ) at position 12"),
        ("(?P<id>(a{1000}){1000})", "repeats too much"),
        ("(?P<id>" + "a" * 1000 + ")", "is longer than 1000 characters"),
    ],
)
def test_a_pattern_of_citations_that_cannot_be_used_is_refused(tmp_path: Path, pattern: str, problem: str) -> None:
    """At its place, before anything is asked: its group id is what an answer cites."""
    text = f"citations:\n  pattern: '{pattern}'\n"

    assert problems_of(tmp_path, MINIMAL + text) == [f"5:12: citations.pattern {problem} [wrong-value]"]


def test_citations_without_a_pattern_say_nothing(tmp_path: Path) -> None:
    """Neither a section without its key nor an empty pattern is taken for the default."""
    [missing] = problems_of(tmp_path, MINIMAL + "citations: {}\n")
    [empty] = problems_of(tmp_path, MINIMAL + "citations: {pattern: ''}\n")

    assert missing == "4:12: citations: field 'pattern' is missing [missing-field]"
    assert "citations.pattern" in empty


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "RUNNER_TEMP", "INPUT_KEY", "github_token"])
def test_the_runners_variables_are_never_granted(tmp_path: Path, name: str) -> None:
    """A configuration that asks for one of the runner's variables is refused at its place, set or not."""
    assert problems_of(tmp_path, MINIMAL + f"pipeline: {{env: [RAG_KEY, {name}]}}\n") == [
        (
            f"4:27: pipeline.env[1]: '{name}' is the runner's: a pipeline sees no variable that begins with GITHUB_, "
            "ACTIONS_, RUNNER_, INPUT_; pass what it needs under another name [wrong-value]"
        )
    ]


def test_a_code_that_check_does_not_have_cannot_be_ignored(tmp_path: Path) -> None:
    """A misspelt code would silence nothing, and nobody would know."""
    assert problems_of(tmp_path, MINIMAL + "check: {ignore: [no-needs, thin-categry]}\n") == [
        "4:28: check.ignore[1]: 'thin-categry' is no code of check; did you mean 'thin-category'? [wrong-value]"
    ]


def test_mistakes_of_the_schema_do_not_hide_those_of_metrics_and_rules(tmp_path: Path) -> None:
    """Whoever knows the metrics is told everything at once, and which keys are sound."""
    text = MINIMAL + (
        "kk: 5\nmetrics: [recal@5, ndcg@0, 7]\n"
        "gate: {rules: [{metric: recall@5, max_rise: 0.1}, {metric: rcall, min: 0.5}, 5], min_case: 3}\n"
    )
    (tmp_path / "rag-assay.yml").write_text(text)
    found, problems = config.look(tmp_path / "rag-assay.yml", KNOWN)
    assert [(each.line, each.column, each.message.partition(";")[0]) for each in problems] == [
        (4, 1, "unknown field 'kk'"),
        (5, 11, "metrics[0]: 'recal@5' is no metric"),
        (5, 20, "metrics[1]: 'ndcg@0' has a cut-off that is no whole number above 0"),
        (5, 28, "metrics[2] must be text, not 7 (put it in quotes)"),
        (6, 35, "higher is better for recall@5, so its rule is max_drop, not max_rise"),
        (6, 60, "a rule reads 'rcall', which metrics does not name"),
        (6, 78, "gate.rules[2] must be a mapping of fields, not 5"),
        (6, 82, "unknown field 'min_case' in gate"),
    ]
    assert found is not None
    assert (found.golden, found.fixture, found.metrics, found.gate.rules) == (
        ("eval/golden.jsonl",),
        "eval/fixture",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("there", "asked", "meant"),
    [
        ("other.txt", "rag-assay.yml", ""),
        ("rag-assay.yml", "rag-asay.yml", "; did you mean 'rag-assay.yml'?"),
        ("eval/help.yml", "evall/help.yml", "; did you mean 'eval/help.yml'?"),
        ("eval/help.yml", "evall/desk.yml", ""),
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, there: str, asked: str, meant: str) -> None:
    """A configuration that is not there is one problem, and one that differs a little in one place is named."""
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).touch()
    with pytest.raises(errors.InputError) as caught:
        config.load_config(tmp_path / asked)

    assert f"{asked}: there is no such file{meant} [missing-file]" in str(caught.value)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab@\0\n"),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["kind", "rules", "metric", "at", "retriever", "http", "min_win", "max_rise", "x"]), inner
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*Config.model_fields, "x"]), JUNK))
def test_whatever_a_file_holds_it_is_read_or_refused(tmp_path_factory: Any, value: dict[str, Any]) -> None:
    """No mapping ends in anything but a configuration or problems with a place."""
    path = tmp_path_factory.mktemp("config") / "rag-assay.yml"
    path.write_text(yaml.safe_dump(value))
    found, problems = None, ()
    try:
        found = config.load_config(path)
    except errors.InputError as error:
        problems = error.problems
    assert (found is None) == bool(problems)
    assert all(problem.line and problem.column and problem.message.isprintable() for problem in problems)


def test_the_configuration_is_found_upwards(tmp_path: Path) -> None:
    """The nearest file above the working directory counts; without one the error says what to do."""
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "rag-assay.yml").write_text(MINIMAL)
    assert config.find_config(deep) == tmp_path / "rag-assay.yml"
    (tmp_path / "a" / "rag-assay.yml").write_text(MINIMAL)
    assert config.find_config(deep) == tmp_path / "a" / "rag-assay.yml"
    with pytest.raises(errors.UsageError, match=r"there is no rag-assay\.yml in .* or above it"):
        config.find_config(tmp_path.parent)


def test_the_default_metrics_follow_k() -> None:
    """Without a list, the metrics of the contract are computed at k."""
    found = config.resolve_metrics(build(k=8), KNOWN)
    assert [str(metric) for metric in found] == [
        "recall@8", "hit@8", "mrr@10", "ndcg@10", "context_precision@8", "fact_coverage@8",
    ]  # fmt: skip


def test_written_metrics_are_taken_as_they_are() -> None:
    """Names are kept in their order, with a cut-off or without."""
    found = config.resolve_metrics(build(metrics=["ndcg@100", "mrr", "abstention"]), KNOWN)
    assert found == (MetricId("ndcg", 100), MetricId("mrr"), MetricId("abstention"))


def test_every_wrong_metric_and_rule_is_told() -> None:
    """Unknown names, cut-offs where there are none, repetitions and rules against a metric's direction or range."""
    wrong = build(
        metrics=["recal@5", "abstention@5", "mrr", "mrr", "recall@05", "recall@", "Recall@5", "latency_ms"],
        gate={
            "rules": [
                {"metric": "mrr", "max_rise": 0.1},
                {"metric": "latency_ms", "max_drop": 5},
                {"metric": "recall@5", "max_drop": 2, "min": 80},
                {"metric": "latency_ms", "max_rise": 200, "min": 5},
                {"metric": "nonsense", "max_rise": 200},
                {"metric": "mrr", "min": -0.5},
            ]
        },
    )
    assert mistakes(lambda: config.resolve_metrics(wrong, KNOWN)) == [
        "metrics[0]: 'recal@5' is no metric; did you mean 'recall'?",
        "metrics[1]: 'abstention@5' has a cut-off, which abstention does not take",
        "metrics[3]: 'mrr' is named twice",
        "metrics[4]: 'recall@05' has a cut-off that is no whole number above 0",
        "metrics[5]: 'recall@' has a cut-off that is no whole number above 0",
        "metrics[6]: 'Recall@5' is no metric; did you mean 'recall'?",
        "higher is better for mrr, so its rule is max_drop, not max_rise",
        "lower is better for latency_ms, so its rule is max_rise, not max_drop",
        "recall@5 lies between 0 and 1, so a max_drop of 2 decides nothing",
        "recall@5 lies between 0 and 1, so a min of 80 decides nothing",
        "lower is better for latency_ms, so its rule is max_rise, not min",
        f"a rule reads 'nonsense', which metrics does not name; known are {', '.join(KNOWN)}",
        "mrr lies between 0 and 1, so a min of -0.5 decides nothing",
    ]


def test_wrong_metrics_have_a_place_where_the_file_is_known(tmp_path: Path) -> None:
    """Given the file, a metric that is unknown and a rule on one that is not computed are pointed at."""
    file = tmp_path / "rag-assay.yml"
    for metrics, place in (("[mrr, rr]", (4, 16)), ("[mrr]", (5, 25))):
        found = load(tmp_path, MINIMAL + f"metrics: {metrics}\ngate: {{rules: [{{metric: mrr@10, min: 0.5}}]}}\n")
        with pytest.raises(errors.InputError) as caught:
            config.resolve_metrics(found, KNOWN, file)
        assert [(each.file, each.line, each.column) for each in caught.value.problems] == [(str(file), *place)]


def test_default_rules_are_those_of_the_contract() -> None:
    """Each default rule needs two lost cases, and abstention is ruled only where there are answers."""
    ids = [*config.resolve_metrics(build(), KNOWN), MetricId("abstention")]
    rules = config.effective_rules(build(), ids, answers_exist=True)
    assert [(rule.metric, rule.per, rule.max_drop, rule.min_lost) for rule in rules] == [
        ("recall@5", "category", 0.02, 2),
        ("fact_coverage@5", "category", 0.02, 2),
        ("context_precision@5", "all", 0.05, 2),
        ("abstention", "category", 0.0, 2),
    ]
    assert config.effective_rules(build(), ids, answers_exist=False) == rules[:3]


def test_default_rules_are_for_computed_metrics_only() -> None:
    """A default rule whose metric is not computed, or at another cut-off, is not there."""
    ids = [MetricId("recall", 10), MetricId("fact_coverage", 5)]
    rules = config.effective_rules(build(), ids, answers_exist=True)
    assert [rule.metric for rule in rules] == ["fact_coverage@5"]


def test_written_rules_replace_the_defaults() -> None:
    """Written rules are taken as they are, none at all included."""
    rule = Rule(metric="mrr", max_drop=0.1)
    ids = config.resolve_metrics(build(), KNOWN)
    assert config.effective_rules(build(gate={"rules": []}), ids, answers_exist=True) == ()
    written = build(metrics=["mrr"], gate={"rules": [rule.model_dump(exclude_none=True)]})
    assert config.effective_rules(written, [MetricId("mrr")], answers_exist=True) == (rule,)


def test_a_rule_on_a_metric_that_is_not_computed_is_an_error() -> None:
    """Each such rule is told, with the nearest metric that is computed."""
    rules = [{"metric": "recall@10", "max_drop": 0.1}, {"metric": "x", "min": 0.1}, {"metric": "mrr@10", "min": 0.1}]
    found = build(metrics=["recall@5", "mrr@10"], gate={"rules": rules})
    assert mistakes(lambda: config.resolve_metrics(found, KNOWN)) == [
        "a rule reads 'recall@10', which metrics does not name; did you mean 'recall@5'?",
        "a rule reads 'x', which metrics does not name; known are recall@5, mrr@10",
    ]


@pytest.mark.parametrize(
    ("names", "k", "deep"),
    [([], 5, 20), (["mrr", "recall@5"], 5, 20), (["recall@50", "ndcg@10"], 5, 50), (["recall@5"], 30, 30)],
)
def test_rankings_reach_the_deepest_cut_off(names: list[str], k: int, deep: int) -> None:
    """The depth is the largest cut-off or what the generator gets, at least 20."""
    assert config.depth(build(k=k), [MetricId.parse(name) for name in names]) == deep


def test_the_json_schema_knows_the_short_forms() -> None:
    """Editors are told every key, and that golden and retriever may be a word."""
    schema = config.json_schema()
    assert set(schema["properties"]) == set(Config.model_fields)
    assert [each["type"] for each in schema["properties"]["golden"]["anyOf"]] == ["string", "array"]
    assert schema["$defs"]["Retriever"]["anyOf"][0] == {"enum": ["bm25", "dense", "hybrid"]}
    assert schema["additionalProperties"] is False
    assert schema == config.json_schema()


def test_the_judges_key_is_granted_to_no_pipeline(tmp_path: Path) -> None:
    """By its usual name or its own: a pipeline that could read it could buy its verdicts."""
    for judge, name in (
        ("{provider: openai, model: m}", "OPENAI_API_KEY"),
        ("{provider: openai, model: m, api_key_env: K}", "K"),
    ):
        [problem] = problems_of(tmp_path, MINIMAL + f"judge: {judge}\npipeline: {{env: [A, {name}]}}\n")
        assert problem.startswith(f"5:21: pipeline.env[1]: '{name}' is the judge's key")


@pytest.mark.parametrize(
    ("address", "held"),
    [
        ("https://usr:PASSW0RD@host/v1", "a user name"),
        ("usr:PASSW0RD@host/v1", "a user name"),
        ("https:/\\\\usr:PASSW0RD@host/v1", "a user name"),
        ("https://host/v1?api-key=PASSW0RD", "a query (?…)"),
        ("https://host/v1#PASSW0RD", "a fragment (#…)"),
        ("https://usr:PASSW0RD@host?a#b", "a user name and a query (?…) and a fragment (#…)"),
    ],
)
@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("judge: {{provider: openai, model: m, base_url: '{}'}}", "judge"),
        (
            "judge: {{provider: openai, model: m, embeddings: {{provider: openai, model: e, base_url: '{}'}}}}",
            "judge.embeddings",
        ),
        (
            "pipeline: {{generator: {{template: a.j2, provider: openai, model: m, base_url: '{}'}}}}",
            "pipeline.generator",
        ),
    ],
)
def test_an_address_with_a_secret_in_it_is_refused_and_not_shown(
    tmp_path: Path, section: str, key: str, address: str, held: str
) -> None:
    """It would stand in run.json and in the comment that everybody reads, and no request would find its path."""
    [problem] = problems_of(tmp_path, MINIMAL + section.format(address) + "\n")
    assert f"{key}.base_url holds {held}; write the address alone" in problem
    assert f"a variable that {key}.api_key_env names" in problem
    assert "PASSW0RD" not in problem


def test_an_address_with_an_at_sign_in_its_path_is_one(tmp_path: Path) -> None:
    """Gateways name models like this."""
    written = MINIMAL + "judge: {provider: openai, model: m, base_url: 'https://host:8000/@cf/v1'}\n"
    judge = load(tmp_path, written).judge
    assert judge is not None
    assert judge.base_url == "https://host:8000/@cf/v1"


def test_a_generator_is_builtins_alone(tmp_path: Path) -> None:
    """Another pipeline answers by itself."""
    generator = "{template: a.j2, provider: openai, model: m}"
    line = f"pipeline: {{kind: recorded, recorded: {{file: a.jsonl}}, generator: {generator}}}\n"
    assert problems_of(tmp_path, MINIMAL + line) == [
        "4:55: pipeline.generator writes the answers of kind builtin alone [wrong-value]"
    ]
    assert load(tmp_path, MINIMAL + f"pipeline: {{generator: {generator}}}\n").pipeline.generator is not None
