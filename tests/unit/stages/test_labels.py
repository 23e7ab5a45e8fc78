from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.stages.labels import unsound
from evaluator.stores.golden import read_golden
from tests.workbench import Bench, recorded, write_lines

if TYPE_CHECKING:
    from pathlib import Path

SOUND: dict[str, Any] = {"id": "q1", "question": "?", "relevant": ["a"], "facts": [{"id": "f", "text": "30 days"}]}
QUOTE: dict[str, Any] = {"id": "q2", "question": "?", "relevant": ["a", {"quote": "***"}]}
PATTERN: dict[str, Any] = {"id": "q3", "question": "?", "facts": [{"id": "f", "text": "x", "any": ["/a*/", "/(/"]}]}


def test_every_label_that_cannot_be_found_is_named_with_its_place(tmp_path: Path) -> None:
    """A quote needs a letter or digit; a pattern has to be one, and may not match everything."""
    file = tmp_path / "golden.jsonl"
    write_lines(file, [SOUND, QUOTE, PATTERN])
    _, quote, pattern = file.read_text().splitlines()

    assert [(each.code, each.file, each.line, each.column) for each in unsound(read_golden([file]))] == [
        ("unsound-quote", str(file), 2, quote.index('{"quote"') + 1),
        ("unsound-fact", str(file), 3, pattern.index('"/a*/"') + 1),
        ("unsound-fact", str(file), 3, pattern.index('"/(/"') + 1),
    ]


def test_places_in_yaml_are_those_of_the_file(tmp_path: Path) -> None:
    """A golden file in YAML has the line of the label itself."""
    file = tmp_path / "golden.yml"
    file.write_text("- id: q1\n  question: x\n  relevant:\n    - a\n    - quote: '***'\n")

    assert [(each.line, each.column) for each in unsound(read_golden([file]))] == [(5, 7)]


def test_no_pipeline_is_asked_for_the_sake_of_a_label_that_cannot_be_used(tmp_path: Path) -> None:
    """Collect refuses the golden set before it starts anything."""
    bench = Bench(tmp_path, [SOUND, QUOTE], recorded(tmp_path, [{"id": "q1", "retrieved": []}]))

    with pytest.raises(errors.InputError, match="no letter and no digit"):
        bench.collect()
    assert not (bench.out / "records.jsonl").exists()
