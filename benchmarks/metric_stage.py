"""What computing ranking metrics costs, beside pytrec_eval (C) and ranx (numba).

    python benchmarks/metric_stage.py [--queries 20000 100000] [--results 100] [--times 3]

Each tool scores the same made-up rankings by the same measures: recall, precision and nDCG at 10, average precision
and reciprocal rank over the whole ranking, a value per query each. It is measured in a process of its own, from its
own form in memory to the values: making that form is not counted, neither is ranx's compilation (it is warm).
The values themselves are compared to six digits. The budget: ours at most 1.0 of each of the others.
A peer that is not installed is named and left out ("make bench" installs both).
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from evaluator import metrics
from evaluator.metrics.scoring import score_case
from evaluator.model.golden import Labels
from evaluator.model.score import MetricId
from evaluator.model.view import CaseView, ResolvedNeed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MEASURES = ("recall@10", "precision@10", "ndcg@10", "map", "mrr")
TREC = ("recall_10", "P_10", "ndcg_cut_10", "map", "recip_rank")
RANX = ("recall@10", "precision@10", "ndcg@10", "map", "mrr")
SAME = 5e-7
TOOLS = ("ours", "pytrec_eval", "ranx")


class Task(NamedTuple):
    """Grades of the relevant documents, and the ranking, by query."""

    grades: Mapping[str, Mapping[str, int]]
    rankings: Mapping[str, list[str]]


def task(queries: int, results: int) -> Task:
    """Rankings of distinct documents with one to eight relevant ones a query, most of them in the ranking."""
    source = random.Random(0)  # noqa: S311 - the same rankings every time
    grades, rankings = {}, {}
    for number in range(queries):
        first = source.randrange(1_000_000)
        ranking = [f"d{first + place}" for place in range(results)]
        wanted = source.sample(range(2 * results), source.randint(1, 8))
        grades[f"q{number}"] = {f"d{first + place}": source.randint(1, 3) for place in wanted}
        rankings[f"q{number}"] = ranking
    return Task(grades, rankings)


def ours(given: Task) -> Callable[[], list[float]]:
    """Cases as ``score`` sees them, each gone when it is scored."""
    labels, ids, declared = Labels(), [MetricId.parse(name) for name in MEASURES], metrics.load()
    needs = {
        query: [ResolvedNeed(((document,),), grade) for document, grade in wanted.items()]
        for query, wanted in given.grades.items()
    }
    # Reading a ranking looks for repeated ids, which computes the hash that every string keeps.
    views = [
        CaseView(labels, needs[query], ranking, (), {})
        for query, ranking in reversed(given.rankings.items())
        if len(set(ranking)) == len(ranking)
    ]

    def measure() -> list[float]:
        found: list[list[float]] = [[] for _ in ids]
        while views:
            scores = score_case(views.pop(), ids, declared)
            for values, score in zip(found, scores.values(), strict=True):
                values.append(score.value)
        return [math.fsum(values) / len(values) for values in found]

    return measure


def pytrec_eval(given: Task) -> Callable[[], list[float]]:
    """Dictionaries of scores, as pytrec_eval takes them; its own reading of the labels is not counted."""
    import pytrec_eval as peer  # noqa: PLC0415 - a peer is imported where it is measured

    run = {
        query: {document: float(-place) for place, document in enumerate(ranking)}
        for query, ranking in given.rankings.items()
    }
    names = {name.rpartition("_")[0] + "." + name.rpartition("_")[2] if name[-1].isdigit() else name for name in TREC}
    evaluator = peer.RelevanceEvaluator(given.grades, names)

    def measure() -> list[float]:
        found = evaluator.evaluate(run)
        return [math.fsum(values[name] for values in found.values()) / len(found) for name in TREC]

    return measure


def ranx(given: Task) -> Callable[[], list[float]]:
    """Qrels and Run of ranx, after a first evaluation that compiles."""
    import ranx as peer  # noqa: PLC0415 - as above

    labels = peer.Qrels({query: dict(wanted) for query, wanted in given.grades.items()})
    run = peer.Run(
        {
            query: {document: float(len(ranking) - place) for place, document in enumerate(ranking)}
            for query, ranking in given.rankings.items()
        }
    )

    def measure() -> list[float]:
        found = peer.evaluate(labels, run, list(RANX), make_comparable=False)
        return [float(found[name]) for name in RANX]

    measure()
    return measure


def child(tool: str, queries: int, results: int) -> None:
    """Measure one tool once, in this process, and print seconds and means as JSON."""
    measure = {"ours": ours, "pytrec_eval": pytrec_eval, "ranx": ranx}[tool](task(queries, results))
    # As the command itself does: a collection in the middle would be charged to whoever it happens to.
    gc.freeze()
    gc.disable()
    begin, cpu = time.perf_counter(), time.process_time()
    means = measure()
    print(json.dumps({"wall": time.perf_counter() - begin, "cpu": time.process_time() - cpu, "means": means}))


def once(tool: str, queries: int, results: int) -> dict[str, object] | None:
    """What one process measured; None where the tool is not installed."""
    command = [sys.executable, __file__, "--child", tool, "--queries", str(queries), "--results", str(results)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(f"{tool} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def least(queries: int, results: int, times: int) -> dict[str, dict[str, object] | None]:
    """The quickest process of each tool. They take turns, so that a busy minute is everybody's."""
    rounds = [{tool: once(tool, queries, results) for tool in TOOLS} for _ in range(times)]
    return {
        tool: min((each[tool] for each in rounds), key=lambda found: found["cpu"]) if rounds[0][tool] else None
        for tool in TOOLS
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--results", type=int, default=100)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--child", choices=TOOLS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.queries[0], options.results)
        return
    print(f"{'queries':>8}  {'tool':<12}{'CPU s':>8}{'wall s':>8}{'ours / tool':>13}")
    for queries in options.queries:
        measured = least(queries, options.results, options.times)
        mine = measured[TOOLS[0]]
        for tool, found in measured.items():
            if found is None:
                print(f"{queries:>8}  {tool:<12} not installed")
                continue
            if any(abs(a - b) > SAME for a, b in zip(mine["means"], found["means"], strict=True)):
                raise SystemExit(f"{tool} gives other values: {found['means']}, ours {mine['means']}")
            print(f"{queries:>8}  {tool:<12}{found['cpu']:8.3f}{found['wall']:8.3f}{mine['cpu'] / found['cpu']:13.2f}")


if __name__ == "__main__":
    main()
