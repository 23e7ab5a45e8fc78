"""What computing the retrieval metrics alone costs, against pytrec_eval and ranx, each in a process of its own.

    python benchmarks/metric_stage.py [--queries 20000 100000] [--results 100] [--times 3]

Every tool gets the same judgements and rankings in its own in-memory form, made before the clock starts: case views
for us, dicts of dicts for pytrec_eval, its own Qrels and Run for ranx, which is also run once before, so that it has
compiled ("warm"). All compute recall@10, recall@100, hit@10, precision@10, mrr, ndcg@10 and map per query and the
means over the queries, which must agree. CPU seconds of the process, least and median of several; ratios are ours over
theirs, of the least. The budget is a ratio of at most 1.0. A tool that is not installed is left out, and named
(make bench installs both).
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluator.cli import GARBAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.model.score import Score

OURS = ("recall@10", "recall@100", "hit@10", "precision@10", "mrr", "ndcg@10", "map")
PYTREC_EVAL = ("recall_10", "recall_100", "success_10", "P_10", "recip_rank", "ndcg_cut_10", "map")
RANX = ("recall@10", "recall@100", "hit_rate@10", "precision@10", "mrr", "ndcg@10", "map")
CORPUS = 1_000_000

Judged: TypeAlias = dict[str, dict[str, int]]
Ranked: TypeAlias = dict[str, list[str]]
Prepared: TypeAlias = "tuple[Callable[[], Any], Callable[[Any], list[float]]]"
"""What makes the tool's own form, and what computes the means of it; the clock runs for the second only."""


def data(queries: int, results: int) -> tuple[Judged, Ranked]:
    """Judgements and rankings: ten judged a query, graded 0 to 2, and about half of the relevant ones retrieved."""
    source = random.Random(0)  # noqa: S311 - the same data every time
    judged, ranked = {}, {}
    for number in range(queries):
        ids = [f"doc{each}" for each in source.sample(range(CORPUS), results + 10)]
        ranking, others = ids[:results], ids[results:]
        labelled = source.sample(ranking, 5) + others[:5]
        judged[f"q{number}"] = {name: place % 3 for place, name in enumerate(labelled, 1)}
        ranked[f"q{number}"] = ranking
    return judged, ranked


def ours(judged: Judged, ranked: Ranked) -> Prepared:
    """This package: views with resolved needs. A view remembers its gains, so that each time begins with new ones."""
    from evaluator import metrics
    from evaluator.metrics import scoring
    from evaluator.model.golden import Labels
    from evaluator.model.score import MetricId
    from evaluator.model.view import CaseView, ResolvedNeed

    labels, ids, declared = Labels(), [MetricId.parse(name) for name in OURS], metrics.load()
    needs = {
        query: [ResolvedNeed(((name,),), grade) for name, grade in names.items() if grade]
        for query, names in judged.items()
    }

    def views() -> list[CaseView]:
        return [
            CaseView(labels, needs[query], ranking, ranking[:5], {}, case=query) for query, ranking in ranked.items()
        ]

    def compute(views: list[CaseView]) -> list[float]:
        columns: list[list[Score]] = [[] for _ in ids]
        # Case by case, as a run of so many cases goes: what was measured of one is kept, its view is not.
        views.reverse()
        while views:
            found = scoring.score_case(views.pop(), ids, declared)
            for column, score in zip(columns, found.values(), strict=True):
                column.append(score)
        return [scoring.summarise(column).mean or 0.0 for column in columns]

    return views, compute


def pytrec_eval(judged: Judged, ranked: Ranked) -> Prepared:
    """trec_eval's code under Python: an evaluator that holds the judgements, and a dict of scores a query."""
    import pytrec_eval as theirs

    families = {"recall.10,100", "success.10", "P.10", "recip_rank", "ndcg_cut.10", "map"}
    evaluator = theirs.RelevanceEvaluator(judged, families)
    run = {query: {name: float(-place) for place, name in enumerate(names)} for query, names in ranked.items()}

    def compute(run: Any) -> list[float]:
        found = evaluator.evaluate(run).values()
        return [math.fsum([values[name] for values in found]) / len(found) for name in PYTREC_EVAL]

    return lambda: run, compute


def ranx(judged: Judged, ranked: Ranked) -> Prepared:
    """The structures of ranx, sorted and compiled before."""
    from ranx import Qrels, Run, evaluate

    qrels = Qrels({query: {name: grade for name, grade in names.items() if grade} for query, names in judged.items()})
    run = Run({query: {name: float(-place) for place, name in enumerate(names)} for query, names in ranked.items()})

    def compute(run: Any) -> list[float]:
        found = evaluate(qrels, run, list(RANX))
        return [float(found[name]) for name in RANX]

    compute(run)
    return lambda: run, compute


TOOLS: dict[str, Callable[[Judged, Ranked], Prepared]] = {
    "rag-assay": ours, "pytrec_eval": pytrec_eval, "ranx": ranx,
}  # fmt: skip


def measure(tool: str, queries: int, results: int, times: int) -> dict[str, Any]:
    """In this process: CPU seconds of each computation, and the means."""
    try:
        prepare, compute = TOOLS[tool](*data(queries, results))
    except ImportError as error:
        return {"missing": str(error)}
    # As the command does, and for every tool alike.
    gc.set_threshold(GARBAGE)
    seconds, means = [], []
    for _ in range(times):
        prepared = prepare()
        gc.collect()
        gc.freeze()
        begin = time.process_time()
        means = compute(prepared)
        seconds.append(time.process_time() - begin)
    return {"seconds": seconds, "means": means}


def measured(tool: str, queries: int, results: int, times: int) -> dict[str, Any]:
    """The same in a process of its own, on one core."""
    command = [sys.executable, __file__, "--tool", tool, "--queries", str(queries), "--results", str(results)]
    single = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "--times", str(times)], env={**os.environ, **single}, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compare(queries: int, results: int, times: int) -> None:
    """Print a line for each tool.

    Raises:
        SystemExit: two tools do not agree on a mean.
    """
    print(
        f"\n{queries:,} queries x {results} results",
        f"{'CPU seconds':<14}{'least':>8}{'median':>8}{'ratio':>8}",
        sep="\n",
    )
    found = {tool: measured(tool, queries, results, times) for tool in TOOLS}
    own = found["rag-assay"]
    for tool, values in found.items():
        if "missing" in values:
            print(f"{tool:<14}not installed: {values['missing']}")
            continue
        least = min(values["seconds"])
        ratio = min(own["seconds"]) / least
        print(f"{tool:<14}{least:8.3f}{statistics.median(values['seconds']):8.3f}{ratio:8.2f}")
        if not all(map(lambda one, two: math.isclose(one, two, abs_tol=1e-6), own["means"], values["means"])):
            raise SystemExit(f"{tool} says {values['means']}, rag-assay {own['means']}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--results", type=int, default=100)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--tool", choices=TOOLS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tool:
        print(json.dumps(measure(options.tool, options.queries[0], options.results, options.times)))
        return
    for queries in options.queries:
        compare(queries, options.results, options.times)


if __name__ == "__main__":
    main()
