"""Writes the JSON Schema of rag-assay.yml beside this file; ``make schema`` runs it."""

from __future__ import annotations

import json
from pathlib import Path

from evaluator import config

FILE = Path(__file__).parent / "rag-assay.schema.json"


def text() -> str:
    """The schema as it is published."""
    return json.dumps(config.json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
