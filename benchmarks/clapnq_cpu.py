"""What a run over 600 real questions and 1,837 chunks costs, from process start to written comment.

    python benchmarks/clapnq_cpu.py [SUITE] [--times 7] [--imports]

SUITE is a folder with golden.jsonl and fixture/; without it the one in the shared folder beside the repository is
used, and where that is absent nothing is measured. The budget is 0.9 s of CPU for the line "run". The lines above it
show where that goes: each is a process of its own, so each stage includes what starting it costs (compare "--help").
With --imports the slowest imports of a run follow, in milliseconds on the wall and with what they import in turn.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

from support.measure import CPU_HEADING, PLAIN_PYTHON, REPOSITORY, assay, cpu_line, run

SUITE = REPOSITORY.parent / "shared" / "suites" / "clapnq"
STAGES = ("collect", "score", "compare", "gate", "report", "run")
IMPORT = re.compile(r"import time: +\d+ \| +(?P<microseconds>\d+) \| (?P<depth> *)(?P<name>[\w.]+)")


def configuration(suite: Path) -> dict[str, object]:
    """The configuration of the suite, as values of its keys."""
    return {
        "suite": "clapnq",
        "golden": str(suite / "golden.jsonl"),
        "fixture": str(suite / "fixture"),
        "k": 5,
        "metrics": [
            "recall@5", "hit@5", "mrr@10", "ndcg@10", "map@10", "context_precision@5", "precision@5", "fact_coverage@5",
        ],
        "pipeline": {"kind": "builtin", "retriever": "bm25"},
        "gate": {
            "rules": [
                {"metric": "recall@5", "per": "category", "max_drop": 0.02},
                {"metric": "ndcg@10", "per": "all", "max_drop": 0.02},
            ],
            "min_cases": 5,
        },
    }  # fmt: skip


def slowest_imports(command: tuple[str, ...], count: int = 25) -> list[str]:
    """The imports of a command that take longest, those within others included."""
    python, *rest = command
    traced = subprocess.run(
        [python, "-X", "importtime", *rest], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    found = [match for line in traced.stderr.splitlines() if (match := IMPORT.match(line))]
    found.sort(key=lambda match: -int(match["microseconds"]))
    return [f"{int(match['microseconds']) / 1000:8.1f}  {match['name']}" for match in found[:count]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="?", type=Path, default=SUITE)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--imports", action="store_true")
    options = parser.parse_args()
    if not (options.suite / "golden.jsonl").is_file():
        print(f"{options.suite} is not there: nothing measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        config, out = Path(folder, "rag-assay.yml"), Path(folder, "out")
        config.write_text(json.dumps(configuration(options.suite.resolve())))  # JSON is YAML
        places = ("--config", config, "--out", out)
        run(assay("run", *places))
        print(CPU_HEADING)
        print(cpu_line("plain Python", PLAIN_PYTHON, options.times))
        print(cpu_line("--help", assay("--help"), options.times))
        for stage in STAGES:
            print(cpu_line(stage, assay(stage, *places), options.times), flush=True)
        if options.imports:
            print("slowest imports, ms", *slowest_imports(assay("run", *places)), sep="\n")


if __name__ == "__main__":
    main()
