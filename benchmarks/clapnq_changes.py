"""What four changes of a search come to on 600 real questions: RAG Assay's verdict beside an independent count.

    python benchmarks/clapnq_changes.py [SUITE] [--embedder WordLlama|Lsa]

BM25 is compared with itself, with BM25 without stemming, with k1 = 0 (how often a word occurs does not count), and with
a hybrid of BM25 and the vectors of a named embedder, by the default metrics and rules. For each change every row (mean
before and after, number of cases, status), the limits it breaks, the outcome, and the diagnosis of every case are
counted again from the rankings of the two runs by support/recount.py, which shares nothing with RAG Assay. Both are
printed; exits with 1 where they differ. SUITE is a folder with golden.jsonl and fixture/; without it the one in the
shared folder beside the repository is used, and where that is absent nothing is measured. WordLlama is taken where it
is installed (`make bench` installs it), else latent semantic analysis of the corpus itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support import embedding, recount
from support.measure import REPOSITORY, assay
from support.recount import EPSILON, Suite

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE = REPOSITORY.parent / "shared" / "suites" / "clapnq"
CHANGES: dict[str, Any] = {
    "nothing": "bm25",
    "no stemming": {"bm25": {"stem": False}},
    "k1 = 0": {"bm25": {"k1": 0}},
    "hybrid": "hybrid",
}
"""Name -> ``pipeline.retriever``. The baseline is ``bm25``."""

LIMITS = ("max_drop", "drift")


class Bench:
    """A folder with a copy of the suite, its vectors, and a run of every change."""

    def __init__(self, suite: Path, folder: Path, embedder: str) -> None:
        self.folder = folder
        self.golden, self.fixture = suite / "golden.jsonl", folder / "fixture"
        shutil.copytree(suite / "fixture", self.fixture)
        self.fixture.chmod(0o755)
        name = getattr(embedding, embedder).NAME
        freeze = ("freeze", self.fixture, "--golden", self.golden, "--embedder", f"embedding:{embedder}")
        self._call(0, *freeze, "--model", name, "-q")

    def run(self, name: str, baseline: str | None = None) -> Path:
        """Run a change, compared with another; the folder of its files."""
        config, out = self.folder / f"{name}.yml", self.folder / name
        values = {
            "suite": "clapnq", "golden": str(self.golden), "fixture": str(self.fixture),
            "pipeline": {"kind": "builtin", "retriever": CHANGES[name]},
        }  # fmt: skip
        config.write_text(json.dumps(values), encoding="utf-8")  # JSON is YAML
        beside = ("--baseline", self.folder / baseline / "run.json") if baseline else ()
        self._call(1, "run", "-q", "--config", config, "--out", out, *beside)
        return out

    def _call(self, most: int, *arguments: str | Path) -> None:
        environment = {**os.environ, embedding.CORPUS: str(self.fixture / "chunks.jsonl")}
        environment["PYTHONPATH"] = str(REPOSITORY)
        done = subprocess.run(
            assay(*arguments), cwd=Path(embedding.__file__).parent, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        if done.returncode > most:
            raise SystemExit(f"{' '.join(map(str, arguments))} exited with {done.returncode}:\n{done.stderr}")


class Held:
    """What RAG Assay says of a change, beside what is counted."""

    def __init__(self, suite: Suite, before: Path, after: Path) -> None:
        self._suite = suite
        self._before, self._after = read(before / "run.json"), read(after / "run.json")
        self.comparison, self.decision = read(after / "comparison.json"), read(after / "decision.json")
        sides = (recount.measured(suite, run) for run in (self._before, self._after))
        self.rows = recount.rows(suite, *sides)
        self.causes = recount.causes(suite, self._after)

    def report(self) -> Iterator[str]:
        """What is printed of a change."""
        fails = {f"{metric} {limit}" for (metric, _), row in self.rows.items() for limit in row.fails}
        said = sorted({rule["rule"] for rule in self.decision["rules"] if rule["outcome"] == "failed"})
        yield f"  said:    {self.decision['outcome']}{': ' if said else ''}{', '.join(said)}"
        yield f"  counted: {'failed' if fails else 'passed'}{': ' if fails else ''}{', '.join(sorted(fails))}"
        for (metric, category), row in self.rows.items():
            if row.fails or (category is None and metric in recount.RULES):
                change = f"{row.before:.3f} -> {row.after:.3f} {row.after - row.before:+.3f}"
                yield f"    {metric:<20}{category or 'all cases':<12}{change}  {row.status}"
        found = Counter(cause for cause in self.causes.values() if cause is not None)
        yield f"    causes: {', '.join(f'{name} {number}' for name, number in sorted(found.items()))}"

    def differences(self) -> Iterator[str]:
        """Everything in which the two differ; nothing where all agrees."""
        yield from self._rows()
        yield from self._limits()
        outcome = "failed" if any(row.fails for row in self.rows.values()) else "passed"
        if self.decision["outcome"] != outcome:
            yield f"outcome {self.decision['outcome']}, counted {outcome}"
        told = {case["id"]: case["diagnosis"] for case in self._after["cases"]}
        yield from (
            f"{case}: {said}, counted {self.causes[case]}" for case, said in told.items() if said != self.causes[case]
        )

    def _rows(self) -> Iterator[str]:
        said = {(row["metric"], row["category"]): row for row in self.comparison["rows"] if row["scope"] != "small"}
        yield from (f"row {key} is in one of the two only" for key in said.keys() ^ self.rows.keys())
        for key in said.keys() & self.rows.keys():
            one, other = said[key], self.rows[key]
            means = zip((one["baseline"], one["candidate"]), other[1:3], strict=True)
            same = one["n"] == other.n and all(abs(mine - theirs) <= EPSILON for mine, theirs in means)
            if not same or (other.status is not None and one["status"] != other.status):
                yield f"row {key}: {one}, counted {other}"

    def _limits(self) -> Iterator[str]:
        said = {
            (*rule["rule"].split(), rule["category"]) for rule in self.decision["rules"] if rule["outcome"] == "failed"
        }
        counted = {(metric, limit, category) for (metric, category), row in self.rows.items() for limit in row.fails}
        yield from (f"limit {each} is broken in one of the two only" for each in said ^ counted)


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Run, count, print both."""
    known = importlib.util.find_spec("wordllama") is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="?", type=Path, default=SUITE)
    parser.add_argument("--embedder", choices=("WordLlama", "Lsa"), default="WordLlama" if known else "Lsa")
    options = parser.parse_args()
    if not (options.suite / "golden.jsonl").is_file():
        print(f"{options.suite} is not there: nothing measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.suite.resolve(), Path(folder), options.embedder)
        differ = sum(compared(bench, options.embedder))
    if differ:
        raise SystemExit(1)


def compared(bench: Bench, embedder: str) -> Iterator[int]:
    """How many differences each change showed."""
    suite = Suite(bench.golden, bench.fixture)
    first = next(iter(CHANGES))
    before = bench.run(first)
    shutil.copytree(before, bench.folder / "before")
    for name in CHANGES:
        title = f"{name}, vectors of {getattr(embedding, embedder).NAME}" if name == "hybrid" else name
        held = Held(suite, bench.folder / "before", bench.run(name, "before"))
        different = list(held.differences())
        print(f"BM25 against {title}", *held.report(), sep="\n")
        print(
            f"  {len(held.rows)} rows, {len(held.causes)} cases: {len(different)} differences",
            *different[:20],
            sep="\n  ",
        )
        yield len(different)


if __name__ == "__main__":
    main()
