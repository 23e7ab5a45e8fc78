"""Documents are cut anew: what becomes of labels by quote and by id, and of the comparison with the run before (L5)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SUITE = Path(__file__).parents[3] / "shared" / "suites" / "clapnq"
OWN_SIZE = 3
PRECISION_LIKE = ("precision@5", "context_precision@5", "map@10", "ndcg@10")
CONFIG: dict[str, Any] = {
    "suite": "cut", "golden": "golden.jsonl", "fixture": "fixture", "k": 5,
    "metrics": ["recall@5", "hit@5", "mrr@10", *PRECISION_LIKE, "context_tokens"],
    "pipeline": {"kind": "builtin", "retriever": "bm25"},
    "gate": {"rules": [
        {"metric": "recall@5", "per": "category", "max_drop": 0.02},
        *({"metric": name, "per": "all", "max_drop": 0.02} for name in PRECISION_LIKE),
    ]},
}  # fmt: skip
COLOURS = ("red", "blue", "green", "amber", "white", "black", "grey", "pink", "brown", "violet", "ochre", "beige")
PARTS = ("pump", "valve", "sensor", "gasket", "flange", "housing")


class Result(NamedTuple):
    """What a command came to."""

    exit_code: int
    stderr: str
    out: Path

    def file(self, name: str) -> Any:
        """A JSON file it wrote."""
        return json.loads((self.out / name).read_text())

    def rows(self, metric: str) -> list[dict[str, Any]]:
        """The rows of one metric."""
        return [row for row in self.file("comparison.json")["rows"] if row["metric"] == metric]


class Repository:
    """A golden set and an index in a folder."""

    def __init__(self, folder: Path, cases: list[dict[str, Any]], documents: dict[str, list[str]]) -> None:
        self.folder = folder
        self.cases = cases
        self.documents = documents
        self.config: dict[str, Any] = json.loads(json.dumps(CONFIG))

    def cut(self, size: int) -> None:
        """Put the index on disk, so many sentences a chunk."""
        (self.folder / "fixture").mkdir(exist_ok=True)
        lines = [
            {"id": f"{doc}/{size}/{at}", "doc": doc, "text": " ".join(sentences[at : at + size])}
            for doc, sentences in self.documents.items()
            for at in range(0, len(sentences), size)
        ]
        self.write("fixture/chunks.jsonl", lines)

    def write(self, name: str, lines: list[Any]) -> None:
        """Write JSON Lines."""
        (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))

    def command(self, name: str, *arguments: str, out: str = ".rag-assay/out") -> Result:
        """Run a command of ours."""
        self.write("golden.jsonl", self.cases)
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))
        command = [sys.executable, "-m", "evaluator", name, *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        assert "Traceback" not in done.stderr
        return Result(done.returncode, done.stdout if name == "check" else done.stderr, self.folder / out)

    def run(self, out: str, baseline: Result | None = None, *arguments: str) -> Result:
        """Run everything."""
        against = ["--baseline", str(baseline.out / "run.json")] if baseline is not None else []
        return self.command("run", "-q", "--out", out, *against, *arguments, out=out)

    def check(self) -> list[dict[str, Any]]:
        """The problems of the golden set that ``check`` names."""
        found = json.loads(self.command("check", "--format", "json").stderr)
        return [problem for problem in found if problem["file"].endswith("golden.jsonl")]


def sentence(colour: str, part: str) -> str:
    """What a manual says of a part."""
    return f"The {colour} {part} is torqued to {COLOURS.index(colour)}.{PARTS.index(part)} Nm before **{part}** use."


@pytest.fixture
def manual(tmp_path: Path) -> Repository:
    """A document of six sentences for each of twelve colours; half of the questions need one sentence, half two."""
    documents = {colour: [sentence(colour, part) for part in PARTS] for colour in COLOURS}
    cases: list[dict[str, Any]] = [
        {
            "id": colour, "question": f"torque of the {colour} valve", "category": "one" if number % 2 else "two",
            "relevant": [{"quote": f"the {colour} valve is torqued to {number}.1 Nm before valve use."}],
        }
        for number, colour in enumerate(COLOURS)
    ]  # fmt: skip
    for case in cases[::2]:
        colour = case["id"]
        case["relevant"] = [{"quote": f"{sentence(colour, 'valve')}\n{sentence(colour, 'sensor')}".replace("*", "")}]
        case["question"] = f"torque of the {colour} valve and the {colour} sensor"
    return Repository(tmp_path, cases, documents)


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 6)])
def test_the_recall_of_quotes_is_compared_across_chunkings(manual: Repository, before: int, after: int) -> None:
    """Needs are counted alike on both sides and stay gated; what counts chunks is shown, and fails nothing."""
    manual.cut(before)
    main = manual.run("main")
    manual.cut(after)
    result = manual.run("cut", main)

    assert (main.exit_code, result.exit_code) == (0, 0), result.stderr
    assert {(row["status"], row["baseline"], row["advisory"]) for row in result.rows("recall@5")} == {
        ("unchanged", 1.0, False)
    }
    for metric in PRECISION_LIKE:
        assert all(row["advisory"] for row in result.rows(metric)), metric
        assert all("other chunking" in row["reason"] for row in result.rows(metric)), metric
    needs = [need for case in result.file("run.json")["cases"] for need in case["needs"]]
    assert len(needs) == len(manual.cases)
    assert all(need["chunks"] and need["digest"] for need in needs)


def test_what_a_new_chunking_really_loses_fails_the_gate(manual: Repository) -> None:
    """A regression of retrieval is not excused by the chunks being others."""
    manual.cut(1)
    main = manual.run("main")
    manual.cut(3)
    manual.config["pipeline"] = {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}
    lost = ("blue", "amber", "black")
    manual.write(
        "answers.jsonl",
        [
            {"id": case["id"], "retrieved": [{"id": f"{'red' if case['id'] in lost else case['id']}/3/0"}]}
            for case in manual.cases
        ],
    )
    result = manual.run("cut", main)

    assert result.exit_code == 1
    assert {row["category"]: row["status"] for row in result.rows("recall@5")}["one"] == "regressed"


def test_an_edited_need_is_looked_for_in_what_the_baseline_stored(manual: Repository) -> None:
    """Labels by id made labels by quote in the change that cuts documents anew: both runs are measured by quotes."""
    quoted = manual.cases
    manual.cases = [{**case, "relevant": [f"{case['id']}/1/1"]} for case in quoted]
    manual.cut(1)
    main = manual.run("main")
    manual.cut(3)
    manual.cases = quoted
    result = manual.run("cut", main)

    assert {(row["baseline"], row["candidate"]) for row in result.rows("recall@5")} == {(1.0, 1.0)}
    # Under the old labels, of ids that are gone, nothing is found: a change may not loosen its own exam unseen.
    assert result.exit_code == 3
    assert result.file("comparison.json")["loosened"]


def test_a_quote_that_the_documents_no_longer_hold(manual: Repository) -> None:
    """An edited document is an error of check and of run, with line and column; --allow-stale counts it as missed."""
    manual.cut(2)
    main = manual.run("main")
    manual.documents["blue"][1] = "The blue valve is torqued to 99.9 Nm before **valve** use."
    manual.cut(2)
    refused = manual.run("refused", main)
    [problem] = [problem for problem in manual.check() if problem["severity"] == "error"]

    line = (manual.folder / "golden.jsonl").read_text().splitlines()[1]
    column = line.index('{"quote"') + 1
    assert (problem["code"], problem["line"], problem["column"]) == ("unknown-quote", 2, column)
    assert "what is most like it stands in " in problem["message"]
    assert "'blue/2/0'" in problem["message"]
    assert refused.exit_code == 2
    assert f"golden.jsonl:2:{column}: the quote 'the blue valve" in refused.stderr
    allowed = manual.run("allowed", main, "--allow-stale")
    assert "1 label of 1 case cannot be retrieved" in (allowed.out / "comment.md").read_text()
    assert {row["category"]: row["candidate"] for row in allowed.rows("recall@5")}["one"] == pytest.approx(5 / 6)


SENTENCE_END = re.compile(r"(?<= [.?!]) ")


def clapnq() -> tuple[list[dict[str, Any]], dict[str, str], dict[str, list[str]]]:
    """Cases, text by chunk, and documents as sentences."""
    cases = [json.loads(line) for line in (SUITE / "golden.jsonl").read_text().splitlines()]
    chunks = [json.loads(line) for line in (SUITE / "fixture" / "chunks.jsonl").read_text().splitlines()]
    documents: dict[str, list[str]] = defaultdict(list)
    for chunk in chunks:
        documents[chunk["doc"]] += SENTENCE_END.split(chunk["text"].strip())
    return cases, {chunk["id"]: chunk["text"] for chunk in chunks}, dict(documents)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The clapnq suite, collected in its own chunks into the default folder, with the labels it came with."""
    cases, texts, documents = clapnq()
    repository = Repository(tmp_path_factory.mktemp("clapnq"), cases, documents)
    repository.config["check"] = {"ignore": ["no-needs", "no-manifest"]}
    (repository.folder / "fixture").mkdir()
    (repository.folder / "fixture" / "chunks.jsonl").write_bytes((SUITE / "fixture" / "chunks.jsonl").read_bytes())
    assert repository.run(".rag-assay/out").exit_code == 0
    # Whole chunks, which other chunkings cut through, and single sentences in turn.
    quoted = []
    for number, case in enumerate(cases):
        passages = [
            texts[chunk] if number % 2 else SENTENCE_END.split(texts[chunk].strip())[0]
            for chunk in case.get("relevant", ())
        ]
        quoted.append({**case, "relevant": [{"quote": passage} for passage in passages]})
    repository.cases = quoted
    assert repository.run("main").exit_code == 0
    return repository


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.skipif(not SUITE.is_dir(), reason="the clapnq suite is not beside this repository")
@pytest.mark.parametrize("size", [2, 3, 5])
def test_quotes_of_clapnq_survive_where_ids_die(suite: Repository, size: int) -> None:
    """Every quote is found in chunks of 2, 3 and 5 sentences; every id is gone, and check says where its text is."""
    quoted, (cases, texts, _) = suite.cases, clapnq()
    suite.cut(size)
    assert [problem for problem in suite.check() if problem["severity"] == "error"] == []
    result = suite.run(f"cut{size}", Result(0, "", suite.folder / "main"))
    run = result.file("run.json")
    assert all(need["chunks"] for case in run["cases"] for need in case["needs"])
    assert run["summary"]["all"]["recall@5"]["of"] == 300
    # The suite's own chunks have three sentences: cut so again, most texts are the same under other ids.
    rows = [row for metric in PRECISION_LIKE for row in result.rows(metric)]
    assert size == OWN_SIZE or all(row["advisory"] for row in rows)
    assert not any(row["advisory"] for row in result.rows("recall@5"))

    suite.cases = cases
    gone = [problem for problem in suite.check() if problem["code"] == "unknown-chunk"]
    suite.cases = quoted
    assert len(gone) == sum(len(case.get("relevant", ())) for case in cases)
    lines = (suite.folder / "fixture" / "chunks.jsonl").read_text().splitlines()
    now = {chunk["id"]: set(chunk["text"].split()) for chunk in map(json.loads, lines)}
    by_text = [problem["message"] for problem in gone if "its text in the last run" in problem["message"]]
    assert len(by_text) > 0.8 * len(gone)
    for message in by_text:
        words, new = set(texts[re.findall("'(.+?)'", message)[0]].split()), re.findall(r"'(\S+/\d+/\d+)'", message)
        assert len(words & set.union(*(now[chunk] for chunk in new))) > 0.5 * len(words), message
    # What was never retrieved is known by the facts of its case.
    others = [problem["message"] for problem in gone if problem["message"] not in by_text]
    assert all("the case's facts stand in '" in message for message in others)
