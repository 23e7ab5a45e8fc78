"""Every command as a user starts it: a real process, its exit code, and what it says where."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import root

ROOT = Path(__file__).parents[2]
STAGES = ["collect", "score", "compare", "gate", "report"]
WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"]
RULES = "gate: {min_cases: 2, rules: [{metric: recall@1, per: category, max_drop: 0.02}]}"


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Start ``rag-assay`` in a folder."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, "-m", "evaluator", *arguments]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, env=variables, text=True, encoding="utf-8", **pipes)


def rag_assay(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``rag-assay`` in a folder to its end."""
    with start(folder, *arguments, **environment) as process:
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def configure(folder: Path, extra: str = "", name: str = "rag-assay.yml") -> None:
    """Write a configuration that searches the fixture unless ``extra`` names another pipeline."""
    text = f"suite: words\ngolden: golden.jsonl\nfixture: fixture\nmetrics: [recall@1, mrr]\n{RULES}\n{extra}\n"
    (folder / name).write_text(text)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Eight questions in two categories, each answered by the one chunk that holds its word."""
    (tmp_path / "fixture").mkdir()
    chunks = [{"id": f"c-{word}", "text": f"About {word} alone.", "doc": word} for word in WORDS]
    cases = [
        {"id": f"q-{word}", "question": f"{word}?", "category": f"k{number % 2}", "relevant": [f"c-{word}"]}
        for number, word in enumerate(WORDS)
    ]
    (tmp_path / "fixture" / "chunks.jsonl").write_text("".join(f"{json.dumps(chunk)}\n" for chunk in chunks))
    (tmp_path / "golden.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases))
    configure(tmp_path)
    return tmp_path


def record(folder: Path, lost: list[str]) -> None:
    """Write recorded replies that miss the chunks of these words, and a configuration that reads them."""
    replies = [{"id": f"q-{word}", "retrieved": [{"id": "c-amber" if word in lost else f"c-{word}"}]} for word in WORDS]
    (folder / "answers.jsonl").write_text("".join(f"{json.dumps(reply)}\n" for reply in replies))
    configure(folder, "pipeline: {kind: recorded, recorded: {file: answers.jsonl}}", "recorded.yml")


def decision(text: str) -> dict[str, Any]:
    """A decision as it is printed or stored."""
    read: dict[str, Any] = json.loads(text)
    return read


class TestRun:
    """The one command that does all of it."""

    def test_a_first_run_passes_and_names_its_files(self, suite: Path) -> None:
        """Without a baseline the run is measured, the table is shown, and standard output stays empty."""
        done = rag_assay(suite, "run")
        out = suite / ".rag-assay" / "out"

        assert (done.returncode, done.stdout) == (0, "")
        assert "No baseline. Passed" in done.stderr
        assert [file.name for file in out.iterdir() if f"wrote {file}\n" not in done.stderr] == []
        assert done.stderr.endswith("passed: exit code 0\n")

    def test_a_regression_fails(self, suite: Path) -> None:
        """Two lost passages in one category: exit code 1, and the comment names category, question and chunk."""
        rag_assay(suite, "run", "--out", "main")
        record(suite, lost=["birch", "dune"])
        done = rag_assay(suite, "run", "-c", "recorded.yml", "--out", "change", "--baseline", "main/run.json")
        comment = (suite / "change" / "comment.md").read_text()

        assert done.returncode == 1
        assert "❌ Failed" in comment
        assert all(name in comment for name in ("k1", "birch?", "c-birch"))
        assert "main/run.json" in comment
        assert str(suite) not in comment.partition("Compared with")[2].partition("\n")[0]

    def test_a_case_that_fails_cannot_raise_the_mean(self, suite: Path) -> None:
        """A case at 0 that raises today stays in the mean at 0; one at 1 that raises lowers it."""
        record(suite, lost=["birch"])
        answers = suite / "answers.jsonl"
        replies = answers.read_text().splitlines(keepends=True)
        means = []
        for left_out in ([], [1], [0, 1]):
            answers.write_text("".join(line for place, line in enumerate(replies) if place not in left_out))
            rag_assay(suite, "run", "-c", "recorded.yml", "--out", "out")
            means.append(json.loads((suite / "out" / "run.json").read_text())["summary"]["all"]["recall@1"])

        assert means == [{"mean": mean, "n": 8, "of": 8} for mean in (7 / 8, 7 / 8, 6 / 8)]

    def test_json_is_the_decision_and_nothing_else(self, suite: Path) -> None:
        """``--format json`` prints decision.json on standard output."""
        done = rag_assay(suite, "run", "--format", "json", "--out", "out")

        assert decision(done.stdout) == decision((suite / "out" / "decision.json").read_text())
        assert decision(done.stdout)["outcome"] == "passed"

    def test_quiet_leaves_the_outcome(self, suite: Path) -> None:
        """``--quiet`` prints the verdict with its reasons, no progress and no table."""
        done = rag_assay(suite, "run", "-q")

        assert done.stderr.splitlines()[0] == "passed"
        assert "no baseline" in done.stderr
        assert "recall@1" not in done.stderr

    def test_a_part_of_the_questions_decides_nothing(self, suite: Path) -> None:
        """``--only`` runs the named cases; the decision is inconclusive."""
        done = rag_assay(suite, "run", "--only", "q-birch", "--only", "q-cedar", "--out", "out")
        run = json.loads((suite / "out" / "run.json").read_text())

        assert done.returncode == 3
        assert [case["id"] for case in run["cases"]] == ["q-birch", "q-cedar"]

    def test_a_case_that_is_not_there_is_named_with_the_nearest(self, suite: Path) -> None:
        """``--only`` with a misspelt id is a mistake, not an empty run."""
        done = rag_assay(suite, "run", "--only", "q-brich")

        assert done.returncode == 2
        assert "the nearest id is 'q-birch'" in done.stderr

    def test_an_old_decision_does_not_outlive_a_run_that_could_not_be(self, suite: Path) -> None:
        """A run that stops at a mistake leaves no green decision of an earlier one behind."""
        rag_assay(suite, "run", "--out", "out")
        (suite / "golden.jsonl").write_text("{}\n")
        done = rag_assay(suite, "run", "--out", "out")

        assert done.returncode == 2
        left = {file.name for file in (suite / "out").iterdir()}
        assert left & {"decision.json", "comment.md", "summary.md", "comparison.json", "run.json"} == set()

    def test_stale_labels_stop_it_unless_they_are_allowed(self, suite: Path) -> None:
        """A label the fixture does not hold is an error; ``--allow-stale`` makes it a case that finds nothing."""
        golden = suite / "golden.jsonl"
        golden.write_text(golden.read_text().replace('["c-birch"]', '["c-brich"]'))
        refused, allowed = rag_assay(suite, "run"), rag_assay(suite, "run", "--allow-stale", "--out", "out")

        assert refused.returncode == 2
        column = golden.read_text().splitlines()[1].index('"c-brich"') + 1
        assert (
            f"golden.jsonl:2:{column}: the fixture holds no chunk 'c-brich'; the nearest id is 'c-birch'"
            in refused.stderr
        )
        assert allowed.returncode == 0
        assert json.loads((suite / "out" / "run.json").read_text())["summary"]["all"]["recall@1"]["mean"] == 7 / 8

    @pytest.mark.parametrize(
        ("extra", "arguments", "said"),
        [
            ("accepted: accepted.yml", [], "accepted.yml:1:37: this entry expired on 2020-01-01"),
            ("", ["--baseline", "main/run.json"], "is of suite 'others', this run is of 'words'"),
            ("baseline: {file: main/run.json}", [], "is of suite 'others', this run is of 'words'"),
            ("gate: {rules: [{metric: recall@5, max_drop: 0}]}", [], "rag-assay.yml:6:25: a rule reads 'recall@5'"),
        ],
    )
    def test_no_question_is_asked_for_the_sake_of_a_mistake(
        self, extra: str, arguments: list[str], said: str, suite: Path
    ) -> None:
        """Rules, accepted.yml and the baseline are looked at before a pipeline costs anything."""
        configure(suite)
        config = suite / "rag-assay.yml"
        config.write_text(config.read_text().replace("suite: words", "suite: others"))
        rag_assay(suite, "run", "--out", "main")
        (suite / "accepted.yml").write_text("- {case: q-amber, reason: r, until: 2020-01-01}\n")
        (suite / "app.py").write_text("import pathlib\npathlib.Path('asked.txt').touch()\ndef answer(question): ...\n")
        configure(suite, f"{extra}\npipeline: {{kind: python, python: {{target: 'app:answer'}}}}")
        if extra.startswith("gate"):
            config.write_text(config.read_text().replace(f"{RULES}\n", "\n"))
        done = rag_assay(suite, "run", *arguments)

        assert done.returncode == 2
        assert said in done.stderr
        assert not (suite / "asked.txt").exists()

    def test_the_commit_is_recorded(self, suite: Path) -> None:
        """``--commit`` names what was measured; outside a repository there is none, which is no error."""
        rag_assay(suite, "run", "--out", "named", "--commit", "0a1b2c3")
        rag_assay(suite, "run", "--out", "unnamed")

        assert json.loads((suite / "named" / "run.json").read_text())["commit"] == "0a1b2c3"
        assert json.loads((suite / "unnamed" / "run.json").read_text())["commit"] is None

    def test_the_full_tier_is_refused(self, suite: Path) -> None:
        """``--tier full`` says what it needs and exits 2."""
        done = rag_assay(suite, "run", "--tier", "full")

        assert done.returncode == 2
        assert "needs a judge: section" in done.stderr
        assert "rag-assay --explain usage" in done.stderr


class TestStages:
    """The same, one command after the other."""

    def test_the_stages_alone_decide_what_run_decides(self, suite: Path) -> None:
        """Each stage exits 0 and gate with the decision; the files are those of one run."""
        rag_assay(suite, "run", "--out", "main")
        record(suite, lost=["birch", "dune"])
        common = ["-c", "recorded.yml", "--out"]
        rag_assay(suite, "run", *common, "whole", "--baseline", "main/run.json")
        codes = [
            rag_assay(suite, stage, *common, "parts", *(["--baseline", "main/run.json"] if stage == "compare" else []))
            for stage in STAGES
        ]

        assert [done.returncode for done in codes] == [0, 0, 0, 1, 0]
        assert {done.stdout for done in codes} == {""}
        for name in ("decision.json", "comparison.json", "records.jsonl"):
            assert (suite / "parts" / name).read_bytes() == (suite / "whole" / name).read_bytes()

    @pytest.mark.parametrize("stage", STAGES[1:])
    def test_a_stage_without_what_it_reads_says_which_file(self, stage: str, suite: Path) -> None:
        """A stage out of order is a mistake that names the missing file."""
        done = rag_assay(suite, stage)

        assert done.returncode == 2
        assert "does not exist" in done.stderr
        assert ".rag-assay/out/" in done.stderr
        assert "Traceback" not in done.stderr

    def test_compare_warns_of_what_it_could_not_use(self, suite: Path) -> None:
        """An entry of accepted.yml that nothing needs is a warning, in run and in compare alone."""
        configure(suite, "accepted: accepted.yml")
        (suite / "accepted.yml").write_text("- {case: q-amber, reason: gone, until: 2999-01-01}\n")
        run, compare = rag_assay(suite, "run"), rag_assay(suite, "compare")

        for done in (run, compare):
            assert done.returncode == 0
            [warning] = [line for line in done.stderr.splitlines() if "accepted.yml" in line or "q-amber" in line]
            assert warning.startswith("warning: ")

    def test_gate_prints_its_decision(self, suite: Path) -> None:
        """``gate --format json`` exits with the decision and prints it."""
        for stage in STAGES[:3]:
            rag_assay(suite, stage)
        done = rag_assay(suite, "gate", "--format", "json")

        assert done.returncode == decision(done.stdout)["exit_code"] == 0


class TestBaselines:
    """What ``--baseline`` may name."""

    @pytest.mark.parametrize(
        ("name", "said"),
        [("gone.json", "there is no baseline gone.json"), ("golden.jsonl", "the baseline cannot be used")],
    )
    def test_one_that_cannot_be_used_is_a_mistake(self, name: str, said: str, suite: Path) -> None:
        """A baseline that is missing, or no run at all, stops the command."""
        done = rag_assay(suite, "run", "--baseline", name)

        assert done.returncode == 2
        assert said in done.stderr

    def test_one_of_another_suite_is_a_mistake(self, suite: Path) -> None:
        """Two suites cannot be compared."""
        rag_assay(suite, "run", "--out", "main")
        config = suite / "rag-assay.yml"
        config.write_text(config.read_text().replace("suite: words", "suite: others"))
        done = rag_assay(suite, "run", "--baseline", "main/run.json")

        assert done.returncode == 2
        assert "'words'" in done.stderr

    def test_the_run_itself_is_not_its_own_baseline(self, suite: Path) -> None:
        """A baseline in the output folder is not removed to be looked for afterwards."""
        rag_assay(suite, "run", "--out", "main")
        before = (suite / "main" / "run.json").read_bytes()
        done = rag_assay(suite, "run", "--out", "main", "--baseline", "main/run.json")

        assert done.returncode == 2
        assert (suite / "main" / "run.json").read_bytes() == before


class TestCheckAndFreeze:
    """The commands about files that people write."""

    def test_check_is_clean_after_freeze(self, suite: Path) -> None:
        """``freeze`` writes the manifest that ``check`` had missed, and says what it froze."""
        before, frozen, after = (
            rag_assay(suite, "check"),
            rag_assay(suite, "freeze", "fixture"),
            rag_assay(suite, "check"),
        )

        assert "[no-manifest]" in before.stderr
        assert "frozen fixture: 8 chunks, 8 documents" in frozen.stderr
        assert "no-manifest" not in after.stderr
        assert [done.returncode for done in (before, frozen, after)] == [0, 0, 0]

    def test_check_lists_problems_for_programs(self, suite: Path) -> None:
        """``--format json`` is a list with code, severity, file, line, column and message."""
        (suite / "golden.jsonl").write_text('{"id": "q", "question": "x", "relevant": [], "expect": "maybe"}')
        done = rag_assay(suite, "check", "--format", "json", "-q")
        [problem] = [each for each in json.loads(done.stdout) if each["severity"] == "error"]

        assert done.returncode == 2
        assert {key: problem[key] for key in ("code", "file", "line", "column")} == {
            "code": "wrong-value", "file": "golden.jsonl", "line": 1, "column": 56,
        }  # fmt: skip

    @pytest.mark.parametrize("name", ["github", "sarif"])
    def test_check_annotates_the_line_in_a_pull_request(self, name: str, suite: Path) -> None:
        """Paths begin at the checkout, wherever the command is run; what people read stays on stderr."""
        question = json.dumps({"id": "q", "question": "x", "relevant": ["birch"], "notes": "of anna.berg@firma.se"})
        (suite / "golden.jsonl").write_text(question + "\n")
        command = [sys.executable, "-m", "evaluator", "check", "--format", name]
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "GITHUB_WORKSPACE": str(suite.parent)}
        done = subprocess.run(command, cwd=suite, env=variables, capture_output=True, text=True, check=False)
        column = question.index("anna") + 1

        assert f"golden.jsonl:1:{column}: notes holds what looks like a mail address" in done.stderr
        assert "anna.berg" not in done.stdout + done.stderr
        if name == "github":
            place = f"file={suite.name}/golden.jsonl,line=1,col={column},title=personal-data"
            assert f"::warning {place}::notes holds what looks like a mail address" in done.stdout
        else:
            results = json.loads(done.stdout)["runs"][0]["results"]
            [place] = [each["locations"][0] for each in results if each["ruleId"] == "personal-data"]
            assert place["physicalLocation"]["region"] == {"startLine": 1, "startColumn": column}
            assert place["physicalLocation"]["artifactLocation"]["uri"] == f"{suite.name}/golden.jsonl"

    def test_remarks_about_the_size_count_for_nothing(self, suite: Path) -> None:
        """They are neither errors nor warnings, ``--quiet`` leaves them out, and so does ``check.ignore``."""
        loud, quiet = rag_assay(suite, "check"), rag_assay(suite, "check", "-q")
        listed = json.loads(rag_assay(suite, "check", "--format", "json").stdout)
        configure(suite, "check: {ignore: [resolution]}")

        assert "info: golden.jsonl: over all 8 cases: recall@" in loud.stderr
        assert "info:" not in quiet.stderr
        assert "0 errors, 2 warnings" in loud.stderr
        assert "0 errors, 2 warnings" in quiet.stderr
        assert {each["severity"] for each in listed if each["code"] == "resolution"} == {"info"}
        assert "over all" not in rag_assay(suite, "check").stderr

    def test_a_fixture_is_made_of_chunks(self, suite: Path) -> None:
        """``freeze --chunks --out`` makes a folder that can be searched at once."""
        (suite / "fixture" / "chunks.jsonl").rename(suite / "chunks.jsonl")
        done = rag_assay(suite, "freeze", "--chunks", "chunks.jsonl", "--out", "fixture")

        assert done.returncode == 0
        assert rag_assay(suite, "run").returncode == 0

    def test_an_index_is_made_searched_and_compared(self, suite: Path) -> None:
        """Documents are cut and embedded with the golden questions of the configuration, searched, and compared."""
        (suite / "docs").mkdir()
        for word in WORDS:
            (suite / "docs" / f"{word}.md").write_text(f"# {word}\n\nAbout {word} alone.\n")
        (suite / "model.py").write_text(
            f"def embed(texts):\n    return [[0.1] + [1.0 * (w in t) for w in {WORDS}] for t in texts]\n"
        )
        frozen = rag_assay(
            suite, "freeze", "--documents", "docs", "--out", "fixture", "--force", "--embedder", "model:embed"
        )
        cases = [
            {"id": word, "question": f"{word}?", "category": f"k{number % 2}", "relevant": [{"doc": f"{word}.md"}]}
            for number, word in enumerate(WORDS)
        ]
        (suite / "golden.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases))
        for retriever in ("dense", "hybrid"):
            configure(suite, f"pipeline: {{kind: builtin, retriever: {retriever}}}")
            assert rag_assay(suite, "check").returncode == 0
            assert rag_assay(suite, "run").returncode == 0
            summary = json.loads((suite / ".rag-assay" / "out" / "run.json").read_text())
            assert summary["summary"]["all"]["recall@1"]["mean"] == 1.0
            assert {"embedding", "vectors"} <= set(summary["fingerprint"])
        rag_assay(suite, "freeze", "--documents", "docs", "--split", "sentences", "--size", "1", "--out", "new")
        found = rag_assay(suite, "freeze", "--diff", "fixture", "new", "--format", "json")

        again = rag_assay(suite, "freeze", "new")

        assert "questions with a vector: 8" in frozen.stderr
        assert "not read again; if they changed: rag-assay freeze --documents DIR --out new --force" in again.stderr
        assert "not read again" not in frozen.stderr
        assert json.loads(found.stdout)["documents"]["unchanged"] == 8
        assert "vectors: model:embed (9) -> none" in found.stderr

    def test_questions_without_a_vector_are_named_before_anything_is_asked(self, suite: Path) -> None:
        """Every one at once, with its line in the golden file and what to run; ``check`` and ``run`` agree."""
        configure(suite, "pipeline: {kind: builtin, retriever: dense}")
        none = rag_assay(suite, "run")
        (suite / "model.py").write_text("def embed(texts):\n    return [[1.0, len(t)] for t in texts]\n")
        rag_assay(suite, "freeze", "fixture", "--embedder", "model:embed")
        text = (suite / "golden.jsonl").read_text()
        (suite / "golden.jsonl").write_text(text.replace("birch?", "a birch?").replace("cedar?", "a cedar?"))
        checked, done = rag_assay(suite, "check"), rag_assay(suite, "run")

        assert (none.returncode, checked.returncode, done.returncode) == (2, 2, 2)
        assert "there is no vectors.npy; run rag-assay freeze" in none.stderr
        for said in (checked.stderr, done.stderr):
            assert "golden.jsonl:2:" in said
            assert "golden.jsonl:3:" in said
            assert said.count("[no-vector]") == 2

    @pytest.mark.parametrize("arguments", [[], ["fixture", "--out", "x"], ["--chunks", "x"]])
    def test_freeze_says_what_it_takes(self, arguments: list[str], suite: Path) -> None:
        """Half of the options, or both ways at once, is a mistake."""
        done = rag_assay(suite, "freeze", *arguments)

        assert done.returncode == 2
        assert "either FOLDER, or --chunks FILE and --out DIR" in done.stderr


class TestMistakes:
    """Command lines that cannot be obeyed."""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["rnu"], "did you mean 'run'?"),
            (["sample"], "rag-assay sample is not yet supported"),
            (["run", "--shard", "1/2"], "--shard is not yet supported"),
            (["run", "--basline", "x"], "Did you mean '--baseline'?"),
            (["run", "--tier", "ful"], "'full'"),
            (["run", "--config", "rag-asay.yml"], "there is no such file"),
            (["check", "--only", "x"], "no such option '--only'"),
        ],
    )
    def test_each_gets_one_sentence_and_the_nearest_name(self, arguments: list[str], said: str, suite: Path) -> None:
        """A slip of the keyboard is answered with what was probably meant, without a traceback."""
        done = rag_assay(suite, *arguments)

        assert done.returncode == 2
        assert said in done.stderr
        assert "rag-assay --explain " in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""

    @pytest.mark.parametrize("name", root.COMMANDS)
    def test_no_command_takes_an_argument_it_does_not_know(self, name: str, suite: Path) -> None:
        """Two arguments too many are a mistake everywhere."""
        assert rag_assay(suite, name, "one", "two").returncode == 2

    def test_an_internal_error_is_no_pass(self, suite: Path) -> None:
        """A fault of ours exits 4; its traceback is in a file and not on the screen."""
        rag_assay(suite, "run", "--out", "out")
        exam = suite / "out" / "exam.json"
        broken = json.loads(exam.read_text())
        broken["exam"]["rows"] = [{**row, "rule": 99} for row in broken["exam"]["rows"]]
        exam.write_text(json.dumps(broken))
        done = rag_assay(suite, "gate", "--out", "out")

        assert done.returncode == 4
        assert "Traceback" not in done.stderr
        assert "Traceback" in (suite / "out" / "internal-error.txt").read_text()
        assert not (suite / "out" / "decision.json").exists()


class TestHostileOutput:
    """What a pipeline prints cannot command whoever reads the log."""

    def test_workflow_commands_of_a_pipeline_are_inert(self, suite: Path) -> None:
        """Lines that a workflow runner would obey are shown, and are no commands any more."""
        hostile = ["::set-output name=x::y", "::add-mask::secret", "##[error] gone", "\x1b[2Jx"]
        (suite / "serve.py").write_text(
            "import json, sys\n"
            f"for line in {hostile!r}: print(line, file=sys.stderr, flush=True)\n"
            f"print({hostile[0]!r}, flush=True)\n"
            "for line in sys.stdin:\n"
            "    name = json.loads(line)['id']\n"
            "    print(json.dumps({'id': name, 'error': '::error::' + name}), flush=True)\n"
        )
        configure(suite, f"pipeline: {{kind: command, command: {{run: [{sys.executable}, serve.py]}}}}")
        done = rag_assay(suite, "run")

        assert "add-mask" in done.stderr + (suite / ".rag-assay" / "out" / "comment.md").read_text()
        for line in done.stderr.splitlines():
            assert not line.lstrip().startswith(("::", "##["))
            assert "\x1b" not in line

    def test_a_hostile_case_id_is_inert_in_every_message(self, suite: Path) -> None:
        """Ids of a golden file that look like commands are shown as text by check."""
        case = {"id": "::error::q", "question": "x", "relevant": ["::stop-commands::c"]}
        (suite / "golden.jsonl").write_text(json.dumps(case) + "\n")
        done = rag_assay(suite, "check")

        assert done.returncode == 2
        assert "stop-commands" in done.stderr
        assert [line for line in done.stderr.splitlines() if line.lstrip().startswith("::")] == []


class TestEndings:
    """Ways in which a command ends early."""

    def test_a_reader_that_left_does_not_change_the_verdict(self, suite: Path) -> None:
        """Standard output that nobody reads is no error: the exit code is still the decision."""
        rag_assay(suite, "run", "--out", "main")
        record(suite, lost=["birch", "dune"])
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "evaluator", "run", "-c", "recorded.yml", "--baseline", "main/run.json"]
        done = subprocess.run(
            [*command, "--format", "json"], cwd=suite, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
            stdout=writer, stderr=writer,
        )  # fmt: skip
        os.close(writer)

        assert done.returncode == 1

    def test_help_for_a_reader_that_left_is_quiet(self, suite: Path) -> None:
        """``--help | head`` prints no traceback."""
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "evaluator", "--help"]
        variables = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=suite, env=variables, stdout=writer, stderr=subprocess.PIPE, check=False)
        os.close(writer)

        assert done.stderr == b""

    def test_a_terminated_collect_keeps_its_replies_and_goes_on(self, suite: Path) -> None:
        """SIGTERM after some replies: exit code 3, and the same command asks only the rest."""
        # What the pipeline itself writes is kept away from its code, which has to stay the same.
        kept = suite / ".rag-assay"
        kept.mkdir()
        (suite / "app.py").write_text(
            "import pathlib, time\n"
            "def answer(question, k):\n"
            "    log = pathlib.Path('.rag-assay/asked.txt')\n"
            "    with log.open('a') as file: file.write(question + '\\n')\n"
            "    if question.startswith('ember') and not pathlib.Path('.rag-assay/go').exists(): time.sleep(60)\n"
            "    return [{'id': 'c-' + question.rstrip('?')}]\n"
        )
        configure(suite, "pipeline: {kind: python, python: {target: 'app:answer', path: [.]}}")
        with start(suite, "run", "--out", "out") as process:
            while "ember" not in (kept / "asked.txt").read_text() if (kept / "asked.txt").exists() else True:
                assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=30)
        (kept / "go").touch()
        again = rag_assay(suite, "run", "--out", "out")
        asked = (kept / "asked.txt").read_text().splitlines()

        assert process.returncode == 3
        assert "the same command goes on from there" in said
        assert again.returncode == 0
        assert [word for word in WORDS if asked.count(f"{word}?") != (2 if word == "ember" else 1)] == []
