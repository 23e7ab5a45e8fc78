"""Why the cases of a run fail, counted by category by a program that shares nothing with RAG Assay.

    python benchmarks/clapnq_causes.py [--run RUN.JSON] [--golden GOLDEN.JSONL] [--fixture FOLDER]

Without --run the suite in the shared folder beside the repository is run first; where that is absent nothing is
counted. Needs and facts are resolved anew from the golden set and the fixture (see support/recount.py): of the run only
rankings, contexts and answers are read, and the diagnoses that are held beside the count. Exits with 1 where any
differs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support import recount
from support.measure import REPOSITORY, assay, run
from support.recount import Suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SUITE = REPOSITORY.parent / "shared" / "suites" / "clapnq"


def main() -> None:
    """Count, print, and say where the two differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, help="a run without a judge")
    parser.add_argument("--golden", type=Path, default=SUITE / "golden.jsonl")
    parser.add_argument("--fixture", type=Path, default=SUITE / "fixture")
    options = parser.parse_args()
    if not options.golden.is_file():
        print(f"{options.golden} is not there: nothing counted")
        return
    suite = Suite(options.golden, options.fixture)
    stored = (
        json.loads(options.run.read_text(encoding="utf-8")) if options.run else made(options.golden, options.fixture)
    )
    print(*table(suite, stored), sep="\n")
    different = differences(suite, stored)
    print(f"{len(stored['cases'])} cases, {len(different)} with another diagnosis", *different, sep="\n")
    if different:
        raise SystemExit(1)


def made(golden: Path, fixture: Path) -> Any:
    """A run of a suite by BM25."""
    config = {"suite": "clapnq", "golden": str(golden.resolve()), "fixture": str(fixture.resolve())}
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder, "rag-assay.yml"), Path(folder, "out")
        file.write_text(json.dumps({**config, "pipeline": {"kind": "builtin"}}), encoding="utf-8")  # JSON is YAML
        run(assay("run", "-q", "--config", file, "--out", out))
        return json.loads((out / "run.json").read_text(encoding="utf-8"))


def told(stored: Mapping[str, Any]) -> dict[str, str | None]:
    """The diagnoses of a run."""
    return {case["id"]: case["diagnosis"] for case in stored["cases"]}


def differences(suite: Suite, stored: Mapping[str, Any]) -> list[str]:
    """The cases of which the count says something else."""
    counted = recount.causes(suite, stored)
    return [f"{case}: {said}, counted {counted[case]}" for case, said in told(stored).items() if said != counted[case]]


def table(suite: Suite, stored: Mapping[str, Any]) -> Iterator[str]:
    """Causes by category, as counted / as RAG Assay says."""
    counted, said = (recount.by_category(suite, found) for found in (recount.causes(suite, stored), told(stored)))
    names = sorted({name for each in (*counted.values(), *said.values()) for name in each})
    wide = max([14, *map(len, names)]) + 2
    yield f"{'counted / said':<16}{''.join(f'{name:>{wide}}' for name in names)}"
    for category in sorted({*counted, *said}):
        mine, theirs = counted.get(category, Counter()), said.get(category, Counter())
        yield f"{category:<16}{''.join(f'{mine[name]:>{wide - 6}} /{theirs[name]:>4}' for name in names)}"


if __name__ == "__main__":
    main()
