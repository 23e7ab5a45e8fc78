"""Runs the metrics of DeepEval; see asking.py. As its documentation has it: ``evaluate`` with the default settings."""

from __future__ import annotations

from asking import KEY, MODEL, Work, begin
from deepeval import evaluate
from deepeval.evaluate.configs import CacheConfig, DisplayConfig
from deepeval.metrics import (
    AnswerRelevancyMetric,
    BaseMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ContextualRelevancyMetric,
    FaithfulnessMetric,
    GEval,
)
from deepeval.models import OpenAIModel
from deepeval.test_case import LLMTestCase, SingleTurnParams

STEPS = [
    "Check whether the facts in 'actual output' contradict any facts in 'expected output'.",
    "Lower the score for what 'expected output' says and 'actual output' leaves out.",
]
"""Given, so that the model is not asked for them for every case."""


def metrics(model: OpenAIModel) -> list[BaseMetric]:
    """The metrics."""
    plain = (
        FaithfulnessMetric, AnswerRelevancyMetric, ContextualPrecisionMetric, ContextualRecallMetric,
        ContextualRelevancyMetric,
    )  # fmt: skip
    fields = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT]
    correctness = GEval(name="Correctness", evaluation_steps=STEPS, evaluation_params=fields, model=model)
    return [*(each(model=model) for each in plain), correctness]


def values(work: Work, metrics: list[BaseMetric]) -> list[float | None]:
    """The values of all cases."""
    cases = [
        LLMTestCase(
            input=case["question"],
            actual_output=case["answer"],
            expected_output=case["reference"],
            retrieval_context=case["contexts"],
        )
        for case in work.cases
    ]
    shown = DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False)
    kept = CacheConfig(write_cache=work.cached, use_cache=work.cached)
    found = evaluate(cases, metrics, display_config=shown, cache_config=kept)
    return [data.score for result in found.test_results for data in result.metrics_data or ()]


def main() -> None:
    """All cases by each metric; with the cache by all at once, since it keeps no more than the last evaluation."""
    work, tell = begin()
    chosen = metrics(OpenAIModel(model=MODEL, base_url=work.url, api_key=KEY))
    if work.cached:
        tell("all six", values(work, chosen))
        return
    for metric in chosen:
        tell("GEval (correctness)" if isinstance(metric, GEval) else type(metric).__name__, values(work, [metric]))


if __name__ == "__main__":
    main()
