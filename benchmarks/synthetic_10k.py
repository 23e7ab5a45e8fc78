"""What a run of 200 cases over 10,000 distinct chunks costs, from process start to written comment, index cold.

    python benchmarks/synthetic_10k.py [--cases 200] [--chunks 10000] [--words 60] [--times 5] [--quotes]

Chunks are made of words drawn with Zipf's frequencies from a made-up vocabulary, so that tokens, document frequencies
and vocabulary grow as they do in prose; a question is a few words of the chunk it asks for. The same seed makes the
same files. The budget is 1.0 s of CPU for the line "run"; "plain Python" is what no program can go below.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from itertools import accumulate
from pathlib import Path

from support.measure import CPU_HEADING, PLAIN_PYTHON, assay, cpu_line

VOCABULARY = 30_000
ENDINGS = ("", "", "", "s", "ed", "ing", "ly", "ation", "er")


def vocabulary(source: random.Random) -> list[str]:
    """Distinct made-up words with English endings, so that stemming has work to do."""
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        stem = "".join(source.choice("bcdfglmnprstv") + source.choice("aeiou") for _ in range(source.randint(1, 4)))
        made[stem + source.choice(ENDINGS)] = None
    return list(made)


def write_suite(folder: Path, *, cases: int, chunks: int, words: int, quotes: bool = False) -> Path:
    """Write fixture, golden set and configuration; the configuration's path."""
    source = random.Random(0)  # noqa: S311 - the same files every time
    known = vocabulary(source)
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    texts = [source.choices(known, cum_weights=weights, k=words) for _ in range(chunks)]
    (folder / "fixture").mkdir()
    with (folder / "fixture" / "chunks.jsonl").open("w") as file:
        for number, text in enumerate(texts):
            chunk = {"id": f"doc{number // 5}#{number % 5}", "text": " ".join(text) + ".", "doc": f"doc{number // 5}"}
            file.write(json.dumps(chunk) + "\n")
    with (folder / "golden.jsonl").open("w") as file:
        for number in range(cases):
            place = source.randrange(chunks)
            question = " ".join(source.sample(texts[place], 7)) + "?"
            quote = {"quote": " ".join(texts[place][words // 4 : words // 2])}
            need = quote if quotes else f"doc{place // 5}#{place % 5}"
            case = {"id": f"case{number}", "question": question, "category": f"c{number % 8}", "relevant": [need]}
            file.write(json.dumps(case) + "\n")
    config = folder / "rag-assay.yml"
    config.write_text("suite: synthetic\ngolden: golden.jsonl\nfixture: fixture\npipeline: {kind: builtin}\n")
    return config


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=60, help="words a chunk")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--quotes", action="store_true", help="label passages instead of chunk ids")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = {"cases": options.cases, "chunks": options.chunks, "words": options.words}
        config = write_suite(Path(folder), **sizes, quotes=options.quotes)
        places = ("--config", config, "--out", Path(folder, "out"))
        print(f"{options.cases} cases, {options.chunks} chunks of {options.words} words", CPU_HEADING, sep="\n")
        print(cpu_line("plain Python", PLAIN_PYTHON, options.times))
        print(cpu_line("--help", assay("--help"), options.times))
        print(cpu_line("run", assay("run", *places), options.times))


if __name__ == "__main__":
    main()
