"""``python -m evaluator`` is the command ``rag-assay``."""

from __future__ import annotations

from evaluator.cli import main

if __name__ == "__main__":
    main()
