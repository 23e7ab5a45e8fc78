"""Changes of the configuration, in words, and what they mean for reading the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.comparison import ConfigurationChange
from evaluator.model.config import Config
from evaluator.report import configuration
from evaluator.report.configuration import OTHER_DOCUMENTS, SAME_DOCUMENTS, SEVERAL, UNKNOWN_DOCUMENTS
from evaluator.report.view import build_view
from tests.builders import build_comparison, build_head, build_inputs

DOCUMENTS, CHUNKS, VECTORS = (
    ("fixture documents", "a", "b"),
    ("fixture chunks", "c", "d"),
    ("fixture vectors", "e", "f"),
)
Change = tuple[str, Any, Any]


def inputs_of(*changes: Change, documents: str | None = "a") -> Any:
    """A run whose configuration differs from the baseline's so."""
    found = tuple(ConfigurationChange(key=key, before=before, after=after) for key, before, after in changes)
    head = build_head(fingerprint={} if documents is None else {"documents": documents})
    return build_inputs(build_comparison(configuration=found), head=head)


@pytest.mark.parametrize(
    ("change", "cells"),
    [
        (("k", 5, 8), ("how many chunks the model gets", "k", "5", "8")),
        (("pipeline.version", None, "prompt 15"), ("the pipeline's version", "pipeline.version", "–", "prompt 15")),
        (("pipeline.retriever.bm25.b", 1, None), ("the retriever", "pipeline.retriever.bm25.b", "1", "–")),
        (("pipeline.generator.model", "a", "b"), ("the model that answers", "pipeline.generator.model", "a", "b")),
        (("pipeline.generator.template", "a", "b"), ("the prompt", "pipeline.generator.template", "a", "b")),
        (("judge.model", "a-1", "b-2"), ("the judge", "judge.model", "a-1", "b-2")),
        (("judge.min_kappa", 0.6, 0.5), ("how far the judge is believed", "judge.min_kappa", "0.6", "0.5")),
        (("metrics", ["hit@5"], ["hit@5", "mrr"]), ("the metrics", "metrics", '["hit@5"]', '["hit@5","mrr"]')),
        (("something.else", 1, 2), ("–", "something.else", "1", "2")),
    ],
)  # fmt: skip
def test_a_change_is_said_in_words_with_its_key_before_and_now(change: Change, cells: tuple[str, ...]) -> None:
    """Whoever does not know the key by heart reads what it is about."""
    part = configuration.part(inputs_of(change))
    assert part.table is not None
    assert [row.cells for row in part.table.rows.items] == [cells]


def test_every_key_of_the_configuration_has_words() -> None:
    """A key that is added is given its meaning here too."""
    for key in Config.model_fields:
        part = configuration.part(inputs_of((key, 1, 2)))
        assert part.table is not None
        assert part.table.rows.items[0].cells[0] != "–", key


@pytest.mark.parametrize(
    ("changes", "warned"),
    [
        ([("k", 5, 8)], False),
        ([("k", 5, 8), ("pipeline.retriever", "bm25", "hybrid")], True),
        ([("k", 5, 8), ("gate.min_cases", 5, 6), ("report.html", True, False), ("judge.timeout", 60, 90)], False),
        ([DOCUMENTS, CHUNKS, VECTORS], False),
        ([DOCUMENTS, CHUNKS, ("fixture embedding", "small", "large")], True),
        ([CHUNKS, ("text of pipeline.generator.template", "1", "2")], True),
        ([("version", "rag-assay 1", "rag-assay 2"), ("k", 5, 8)], False),
    ],
)
def test_what_moves_values_is_counted_and_only_that(changes: list[Change], *, warned: bool) -> None:
    """Two changes to the pipeline at once are no experiment; a lower limit or another timeout moves no value."""
    notes = [note.text for note in configuration.part(inputs_of(*changes)).notes.items]
    assert (SEVERAL in notes) is warned


@pytest.mark.parametrize(
    ("changes", "documents", "alert", "note"),
    [
        ([DOCUMENTS, CHUNKS], "b", OTHER_DOCUMENTS, None),
        ([CHUNKS], "a", None, SAME_DOCUMENTS),
        ([CHUNKS], None, None, UNKNOWN_DOCUMENTS),
        ([("fixture documents", None, "b"), CHUNKS], "b", None, UNKNOWN_DOCUMENTS),
        ([("fixture chunks", None, "d"), ("fixture documents", None, "b")], "b", None, None),
        ([("k", 5, 8)], "a", None, None),
    ],
)  # fmt: skip
def test_a_changed_corpus_is_told_from_changed_chunks(
    changes: list[Change], documents: str | None, alert: str | None, note: str | None
) -> None:
    """Other documents stand on top: they must not be taken for the effect of another search."""
    view = build_view(inputs_of(*changes, documents=documents))
    [part] = [part for part in view.details if part.title.startswith("Configuration")]
    about_data = {OTHER_DOCUMENTS, SAME_DOCUMENTS, UNKNOWN_DOCUMENTS}
    assert view.alerts == (() if alert is None else (alert,))
    assert {each.text for each in part.notes.items} & about_data == ({note} if note else set())
