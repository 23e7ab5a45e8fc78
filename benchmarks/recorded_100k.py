"""How time and memory of a run grow with recorded results: 10,000, 30,000 and 100,000 cases of 100 results each.

    python benchmarks/recorded_100k.py [--sizes 10000 30000 100000] [--results 100]

Each size is a run with pipeline.kind recorded over files made for it. Two things are to be seen: the peak stays below
2,000 MB (a run is streamed, never held), and cost is linear: microseconds of CPU for each further case, printed from
one size to the next, do not grow. Needs about 1.5 GB of temporary disk space for the largest size.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from pathlib import Path

from support.measure import Cost, assay, run

POOL = 50_000
"""How many chunks the results are taken from."""


def write_suite(folder: Path, cases: int, results: int) -> Path:
    """Write golden set, recorded responses and configuration; the configuration's path."""
    source = random.Random(0)  # noqa: S311 - the same files every time
    hits = [
        json.dumps({"id": f"chunk-{n}", "doc": f"doc-{n // 20}", "score": round(99 - n / POOL, 4)}) for n in range(POOL)
    ]
    with (folder / "golden.jsonl").open("w") as golden, (folder / "answers.jsonl").open("w") as answers:
        for number in range(cases):
            first = source.randrange(POOL - 2 * results)
            needs = [f"chunk-{source.randrange(first, first + 2 * results)}" for _ in range(3)]
            case = {
                "id": f"case-{number}",
                "question": f"question {number}?",
                "category": f"c{number % 20}",
                "relevant": needs,
            }
            golden.write(json.dumps(case) + "\n")
            answers.write(f'{{"id": "case-{number}", "retrieved": [{", ".join(hits[first : first + results])}]}}\n')
    config = folder / "rag-assay.yml"
    config.write_text(
        "suite: recorded\ngolden: golden.jsonl\npipeline: {kind: recorded, recorded: {file: answers.jsonl}}\n"
    )
    return config


def measure(cases: int, results: int) -> Cost:
    """The cost of one run over so many cases."""
    with tempfile.TemporaryDirectory() as folder:
        config = write_suite(Path(folder), cases, results)
        return run(assay("run", "--config", config, "--out", Path(folder, "out")))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--results", type=int, default=100)
    options = parser.parse_args()
    print(f"{'cases':>8}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}{'CPU us for each further case':>32}")
    before: tuple[int, Cost] | None = None
    for cases in sorted(options.sizes):
        cost = measure(cases, options.results)
        slope = f"{(cost.cpu - before[1].cpu) / (cases - before[0]) * 1e6:32.0f}" if before else ""
        print(f"{cases:8}{cost.wall:10.2f}{cost.cpu:10.2f}{cost.peak_mb:10.0f}{slope}", flush=True)
        before = (cases, cost)


if __name__ == "__main__":
    main()
