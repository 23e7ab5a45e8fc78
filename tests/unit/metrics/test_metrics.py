from __future__ import annotations

from evaluator import metrics
from evaluator.model.score import MetricId


def test_every_metric_is_found_under_its_name() -> None:
    """A file in the package is enough; helpers are no metrics."""
    assert set(metrics.load()) == {
        "recall", "hit", "precision", "mrr", "ndcg", "ndcg_exp", "map", "judged", "context_precision",
        "context_relevance", "fact_coverage", "abstention", "latency_ms", "context_tokens", "cost_usd", "tokens",
        "grounded_values", "citation_precision_labels", "citation_recall_labels", "paraphrase_overlap",
        "faithfulness", "context_utilisation", "noise_sensitivity", "noise_sensitivity_relevant",
        "noise_sensitivity_irrelevant", "answer_relevance", "answer_completeness", "correctness",
        "context_sufficiency", "context_recall", "context_relevance_judged", "context_precision_judged",
        "citation_precision", "citation_recall", "paraphrase_consistency", "answer_relevance_embedding", "preference",
    }  # fmt: skip


def test_every_metric_says_what_it_is() -> None:
    """Name, definition and source are declared, and the name can be written in a configuration."""
    for name, metric in metrics.load().items():
        assert MetricId.parse(name) == MetricId(metric.name)
        assert metric.title
        assert metric.formula
        assert metric.source


def test_what_counts_chunks_is_what_another_chunking_moves() -> None:
    """Needs and facts are the same under any chunking; ranks of chunks are not."""
    counting = {name for name, metric in metrics.load().items() if metric.counts == "chunks"}

    assert counting == {
        "precision", "context_relevance", "context_precision", "map", "ndcg", "ndcg_exp", "judged",
        "citation_precision_labels", "context_relevance_judged", "context_precision_judged", "citation_precision",
    }  # fmt: skip
