"""What judging a case costs beside Ragas and DeepEval: calls, tokens, and how often a context is sent.

    python benchmarks/judge_cost.py [DATA] [--peers NAME ...]

DATA is a folder with inputs_rag.json; without it the one in the shared folder beside the repository is used, and where
that is absent nothing is measured. Its 20 answerable questions, with their answers and references, are judged twice by
each tool, once with the best chunk of each and once with five. Each tool asks the same counting server on the loopback
interface, and is let to no other machine. The peers are installed into .rag-assay/bench, one environment each; one
that cannot be installed is skipped. What is assumed of the model is printed: see support/obedient.py.

The metrics of the peers are their usual five or six for answers that have a reference. Those of RAG Assay are what tier
full computes by itself and, in a second line, all that it has on request as well.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.asking import MODEL, Work
from support.counting import Counted, Server, counting
from support.measure import REPOSITORY, assay
from support.peers import Peer, answering

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DATA = REPOSITORY.parent / "shared" / "data" / "tool_exports"
PEERS = (
    Peer("Ragas 0.4.3", ("ragas==0.4.3", "langchain-community==0.3.31"), "ask_ragas.py"),
    Peer("DeepEval 4.3.1", ("deepeval==4.3.1",), "ask_deepeval.py"),
)
ALL_JUDGED = [
    "faithfulness", "answer_relevance", "answer_completeness", "correctness", "abstention", "context_sufficiency",
    "context_utilisation", "noise_sensitivity", "context_recall", "context_precision_judged",
    "context_relevance_judged", "answer_relevance_embedding",
]  # fmt: skip
ASSUMED = """\
Assumed of the model: it obeys. A text that is taken apart has one claim, statement, truth or question for each of its
sentences; every verdict is the best; a reason is one short sentence. One token is four bytes; schemas that are sent
beside the messages and texts that are embedded are read, too. Per case: "calls" of a first run to the model; "again",
the same once more; "changed", once more with every answer worded differently ("-": as the first, nothing is kept);
"embeds", calls that embed; tokens of the first run; "contexts", how often the whole text of a chunk was sent. By
default the peers keep no replies: "own cache" is Ragas with DiskCacheBackend (its three questions for an answer become
one) and DeepEval with use_cache."""
OWN_CACHE = ", own cache"
HEADING = ("calls", "again", "changed", "embeds", "read", "written", "contexts")


class Line(NamedTuple):
    """What a tool was seen to ask in its runs, metric by metric where it computes them one by one."""

    title: str
    runs: Sequence[dict[str, Counted]]

    def printed(self, cases: int, contexts: int) -> str:
        """The line of the table, for a case."""
        first = self.runs[0].values()
        asked = [f"{sum(each.asked for each in run.values()) / cases:9.2f}" for run in self.runs]
        shown = [
            *(asked + ["        -"] * (3 - len(asked))),
            f"{sum(each.embeddings for each in first) / cases:9.2f}",
            f"{sum(each.read for each in first) / cases:9.0f}",
            f"{sum(each.written for each in first) / cases:9.0f}",
            f"{sum(each.sent for each in first) / contexts:9.2f}",
        ]
        return f"{self.title:<34}{''.join(shown)}"

    def split(self, cases: int) -> str:
        """The calls of the first run by metric, or else by what was asked for."""
        calls: Counter[str] = Counter()
        for metric, counted in self.runs[0].items():
            calls.update(counted.calls if metric.startswith("all") else {metric: counted.asked})
        return f"  {self.title}: " + ", ".join(f"{name} {each / cases:.2f}" for name, each in calls.items())


def cases_of(data: Path, chunks: int) -> list[dict[str, Any]]:
    """The answerable cases, each with so many chunks, best first."""
    given = json.loads((data / "inputs_rag.json").read_text())
    texts = {each["id"]: each["text"] for each in given["corpus"]}
    return [
        {
            "id": each["qid"],
            "question": each["question"],
            "answer": each["answer"],
            "reference": each["reference"],
            "chunks": [hit["id"] for hit in each["retrieved"][:chunks]],
            "contexts": [texts[hit["id"]] for hit in each["retrieved"][:chunks]],
        }
        for each in given["items"]
        if each["category"] == "answerable"
    ]


def write_rows(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """A JSON Lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def reworded(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases with other answers, which have as many sentences."""
    return [{**case, "answer": f"In short, {case['answer']}"} for case in cases]


def write_answers(folder: Path, cases: Sequence[dict[str, Any]]) -> None:
    """What the pipeline answered."""
    rows = (
        {"id": case["id"], "answer": case["answer"], "retrieved": [{"id": each} for each in case["chunks"]]}
        for case in cases
    )
    write_rows(folder / "answers.jsonl", rows)


def write_suite(folder: Path, cases: Sequence[dict[str, Any]], metrics: Sequence[str] | None, url: str) -> None:
    """Golden set, fixture, recorded answers and configuration."""
    (folder / "fixture").mkdir(parents=True)
    texts = {chunk: text for case in cases for chunk, text in zip(case["chunks"], case["contexts"], strict=True)}
    write_rows(folder / "fixture" / "chunks.jsonl", ({"id": each, "text": text} for each, text in texts.items()))
    fields = ("id", "question", "reference")
    golden = ({**{name: case[name] for name in fields}, "relevant": case["chunks"][:1]} for case in cases)
    write_rows(folder / "golden.jsonl", golden)
    write_answers(folder, cases)
    judge = {"provider": "openai", "model": MODEL, "base_url": url, "max_cost_usd": None}
    embeddings = {"provider": "openai", "model": "text-embedding-3-small", "base_url": url}
    config = {
        "suite": "cost", "golden": "golden.jsonl", "fixture": "fixture",
        "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}},
        "judge": {**judge, "embeddings": embeddings} if metrics else judge,
        **({"metrics": metrics} if metrics else {}),
    }  # fmt: skip
    (folder / "rag-assay.yml").write_text(json.dumps(config))  # JSON is YAML


def judged(folder: Path) -> None:
    """A run of tier full.

    Raises:
        SystemExit: the run ended in an error, or left something unscored.
    """
    command = assay("run", "--tier", "full", "--config", "rag-assay.yml", "--out", "out")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    for case in json.loads((folder / "out" / "run.json").read_text())["cases"]:
        if case["unscored"]:
            raise SystemExit(f"{case['id']} is unscored: {case['unscored']}")


def ours(
    title: str, metrics: Sequence[str] | None, cases: Sequence[dict[str, Any]], server: Server, folder: Path
) -> Line:
    """What RAG Assay asks."""
    write_suite(folder, cases, metrics, server.url)
    runs = []
    for given in (cases, cases, reworded(cases)):
        write_answers(folder, given)
        judged(folder)
        runs.append({"all": server.since()})
    return Line(f"RAG Assay, {title}", runs)


def scored(peer: Peer, python: Path, work: Work, server: Server, folder: Path) -> dict[str, Counted]:
    """What a peer asks in one run, by metric.

    Raises:
        SystemExit: the run ended in an error, a call failed or a metric has no value.
    """
    found: dict[str, Counted] = {}
    with answering(peer, python, work, folder) as metrics:
        for metric, values in metrics:
            found[metric] = server.since()
            wrong = (
                not values or len(values) % len(work.cases) or any(each is None or math.isnan(each) for each in values)
            )
            if wrong or found[metric].failed:
                raise SystemExit(f"{peer.name}: {metric} is not scored: {values}, {found[metric]}")
    return found


def theirs(peer: Peer, python: Path, cases: list[dict[str, Any]], server: Server, folder: Path) -> Iterator[Line]:
    """What a peer asks as it is, and with a cache of its own."""
    for title, cached in (("", False), (OWN_CACHE, True)):
        place = folder / f"{peer.name}{title}"
        place.mkdir()
        rounds = (cases, cases, reworded(cases)) if cached else (cases, cases)
        runs = [scored(peer, python, Work(server.url, given, cached), server, place) for given in rounds]
        yield Line(f"{peer.name}{title}", runs)


def measure(cases: list[dict[str, Any]], peers: Sequence[tuple[Peer, Path]], folder: Path) -> None:
    """Print the table of one set of cases."""
    texts = [text for case in cases for text in case["contexts"]]
    folder.mkdir()
    with counting(texts, folder) as server:
        lines = [
            ours("tier full", None, cases, server, folder / "full"),
            ours("all judged metrics", ALL_JUDGED, cases, server, folder / "all"),
        ]
        for peer, python in peers:
            lines += theirs(peer, python, cases, server, folder)
    chunks = len(texts) // len(cases)
    title = f"{len(cases)} cases, {chunks} chunk{'s' if chunks > 1 else ''} each"
    print(f"\n{title:<34}" + "".join(f"{name:>9}" for name in HEADING))
    print(*(line.printed(len(cases), len(texts)) for line in lines), sep="\n")
    split = (line.split(len(cases)) for line in lines if not line.title.endswith(OWN_CACHE))
    print("calls of the first run", *split, sep="\n", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--peers", nargs="*", default=[each.name for each in PEERS], help="those to be measured")
    parser.add_argument("--chunks", type=int, nargs="+", default=[1, 5], help="chunks of a case")
    options = parser.parse_args()
    if not (options.data / "inputs_rag.json").is_file():
        print(f"{options.data} is not there: nothing measured")
        return
    wanted = [each for each in PEERS if each.name in options.peers]
    peers = [(each, python) for each in wanted if (python := each.python())]
    print(ASSUMED)
    with tempfile.TemporaryDirectory() as folder:
        for chunks in options.chunks:
            measure(cases_of(options.data, chunks), peers, Path(folder, str(chunks)))


if __name__ == "__main__":
    main()
