from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evaluator.stages.check import check
from evaluator.stores.fixtures import write_manifest

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.errors import Problem

TODAY = "2026-03-01"
CHUNKS = '{"id": "c-1", "text": "one", "doc": "d"}\n{"id": "c-2", "text": "two", "doc": "d"}\n'
GOLDEN = (
    '{"id": "q1", "question": "one?", "relevant": ["c-1"]}\n{"id": "q2", "question": "three?", "expect": "abstain"}\n'
)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite without a problem."""
    (tmp_path / "fixture").mkdir()
    (tmp_path / "fixture" / "chunks.jsonl").write_text(CHUNKS)
    write_manifest(tmp_path / "fixture")
    (tmp_path / "golden.jsonl").write_text(GOLDEN)
    configure(tmp_path)
    return tmp_path


def configure(folder: Path, extra: str = "", golden: str = "golden.jsonl") -> None:
    """Write a configuration."""
    text = f"suite: s\ngolden: {golden}\nfixture: fixture\n{extra or 'gate: {min_cases: 1}'}\n"
    (folder / "rag-assay.yml").write_text(text)


def found(folder: Path) -> list[Problem]:
    """The problems of a suite, without what is said of its size."""
    return [each for each in check(folder / "rag-assay.yml", today=TODAY) if each.severity != "info"]


def told(folder: Path) -> list[tuple[str, str, int, int]]:
    """Code, file name, line and column of every problem."""
    return [(each.code, each.file.rpartition("/")[2], each.line, each.column) for each in found(folder)]


def test_a_suite_without_a_problem_has_none(suite: Path) -> None:
    """Nothing is reported where nothing is wrong."""
    assert found(suite) == []


def test_problems_of_all_files_come_at_once(suite: Path) -> None:
    """A broken line of the golden set hides neither the fixture's problems nor those of accepted.yml."""
    configure(suite, "accepted: accepted.yml\nmetrics: [recal@5]")
    (suite / "golden.jsonl").write_text('{"id": "q1", "question": "one?",}\n{"id": "q2"}\n')
    (suite / "fixture" / "chunks.jsonl").write_text('{"id": "c-1"}\n')
    (suite / "accepted.yml").write_text("- {case: q1, reason: moved, until: 2026-02-28}\n")

    assert told(suite) == [
        ("unknown-metric", "rag-assay.yml", 5, 11),
        ("syntax", "golden.jsonl", 1, 33),
        ("missing-field", "golden.jsonl", 2, 1),
        ("missing-field", "chunks.jsonl", 1, 1),
        ("expired", "accepted.yml", 1, 36),
    ]


def test_a_mistake_of_the_configuration_hides_no_other_file(suite: Path) -> None:
    """Whatever keys are sound are followed: golden set, fixture and accepted.yml are looked at all the same."""
    configure(suite, "accepted: accepted.yml\nmetircs: [mrr]\njudge: {provider: x}\nk: five\ngate: {min_cases: no}")
    (suite / "golden.jsonl").write_text(GOLDEN.replace("c-1", "c-9") + '{"id": "q3"}\n')
    (suite / "fixture" / "manifest.json").unlink()
    (suite / "accepted.yml").write_text("- {case: q1, reason: moved, until: 2026-02-28}\n")

    assert told(suite) == [
        ("unknown-field", "rag-assay.yml", 5, 1),
        ("missing-field", "rag-assay.yml", 6, 8),
        ("wrong-value", "rag-assay.yml", 7, 4),
        ("wrong-value", "rag-assay.yml", 8, 19),
        ("missing-field", "golden.jsonl", 3, 1),
        ("no-manifest", "manifest.json", 0, 0),
        ("expired", "accepted.yml", 1, 36),
        ("unknown-chunk", "golden.jsonl", 1, 47),
    ]


@pytest.mark.parametrize(
    ("line", "kept"),
    [("golden: 5\nfixture: fixture", "chunks.jsonl"), ("golden: golden.jsonl\nfixture: 5", "golden.jsonl")],
)
def test_a_path_that_is_none_hides_only_its_own_file(suite: Path, line: str, kept: str) -> None:
    """Without a golden set that can be named the fixture is still looked at, and the other way round."""
    (suite / "rag-assay.yml").write_text(f"suite: s\n{line}\n")
    (suite / "golden.jsonl").write_text("{}\n")
    (suite / "fixture" / "chunks.jsonl").write_text("{}\n")

    assert {file for _, file, *_ in told(suite)} == {"rag-assay.yml", kept}


def test_mistakes_of_the_schema_hide_none_of_metrics_and_rules(suite: Path) -> None:
    """A misspelt key, a misspelt metric and a rule against its metric are told at once."""
    configure(
        suite, "kk: 5\nmetrics: [recal@5, ndcg@0]\ngate: {min_cases: 1, rules: [{metric: recall@5, max_rise: 0.1}]}"
    )

    assert told(suite) == [
        ("unknown-field", "rag-assay.yml", 4, 1),
        ("unknown-metric", "rag-assay.yml", 5, 11),
        ("wrong-value", "rag-assay.yml", 5, 20),
        ("wrong-value", "rag-assay.yml", 6, 49),
    ]


def test_a_bad_line_does_not_hide_the_labels_of_the_others(suite: Path) -> None:
    """The cases that can be read are looked at; what the set as a whole lacks is not known then, and not told."""
    (suite / "golden.jsonl").write_text(
        '{"id": "q1", "question": "one?",}\n'
        '{"id": "q2", "question": "two?", "relevant": ["c-9", {"quote": "x"}], "facts": [{"id": "f", "text": "/(/"}]}\n'
    )

    assert [code for code, *_ in told(suite)] == ["syntax", "unknown-chunk", "unknown-quote", "unsound-fact"]


def test_a_need_is_pointed_at_in_its_line(suite: Path) -> None:
    """An id the fixture does not hold is named with the column of the need, not of the line."""
    line = '{"id": "q3", "question": "x", "relevant": ["c-1", {"any_of": ["c-9"]}]}'
    (suite / "golden.jsonl").write_text(GOLDEN + line + "\n")

    assert told(suite) == [("unknown-chunk", "golden.jsonl", 3, line.index('{"any_of') + 1)]


def test_a_need_in_yaml_is_pointed_at_too(suite: Path) -> None:
    """Golden files in YAML have the same positions."""
    configure(suite, golden="golden.yml")
    (suite / "golden.yml").write_text(
        "- id: q1\n  question: x\n  relevant:\n    - c-1\n    - c-9\n- {id: q2, question: y, expect: abstain}\n"
    )

    assert told(suite) == [("unknown-chunk", "golden.yml", 5, 7)]


def test_an_index_that_was_cut_anew_is_told_whole(suite: Path) -> None:
    """A fixture that is not the frozen one is a problem, and the ids it lost are named beside it."""
    (suite / "fixture" / "chunks.jsonl").write_text(CHUNKS.replace("c-1", "c-01"))
    codes = [code for code, *_ in told(suite)]

    assert "manifest" in codes
    assert "unknown-chunk" in codes


def test_an_index_that_was_not_frozen_is_a_warning(suite: Path) -> None:
    """A missing manifest is said, and stops nothing."""
    (suite / "fixture" / "manifest.json").unlink()
    [problem] = found(suite)

    assert (problem.code, problem.severity) == ("no-manifest", "warning")


def test_without_a_fixture_ids_are_not_checked(suite: Path) -> None:
    """A pipeline that brings its own index has no list of ids to hold labels against."""
    (suite / "rag-assay.yml").write_text(
        "suite: s\ngolden: golden.jsonl\npipeline: {kind: command, command: {run: [x]}}\ngate: {min_cases: 1}\n"
    )
    (suite / "golden.jsonl").write_text(GOLDEN.replace("c-1", "anything"))

    assert found(suite) == []


def test_codes_that_are_ignored_are_left_out(suite: Path) -> None:
    """``check.ignore`` silences a code, and that code alone."""
    configure(suite, "check: {ignore: [thin-category]}")
    (suite / "golden.jsonl").write_text(GOLDEN.replace("c-1", "c-9"))

    assert [code for code, *_ in told(suite)] == ["unknown-chunk"]


def test_a_rule_on_what_is_not_measured_is_an_error(suite: Path) -> None:
    """A gate rule must name a metric of this configuration."""
    configure(suite, "metrics: [recall@5]\ngate: {min_cases: 1, rules: [{metric: recal@5, max_drop: 0.1}]}")
    [problem] = found(suite)

    assert (problem.code, problem.line) == ("unknown-metric", 5)
    assert "did you mean 'recall@5'?" in problem.message


class TestWhatARunWouldRefuse:
    """Nothing that stops a run is left out."""

    @pytest.mark.parametrize(
        ("extra", "place", "said"),
        [
            ("accepted: gone.yml", (4, 11), "accepted: there is no file 'gone.yml'"),
            ("baseline: {file: fixture}", (4, 18), "baseline.file: there is no file 'fixture'"),
            (
                "pipeline: {kind: recorded, recorded: {file: gone.jsonl}}",
                (4, 45),
                "pipeline.recorded.file: there is no file 'gone.jsonl'",
            ),
            (
                "pipeline: {kind: python, python: {target: 'a:b', path: [gone]}}",
                (4, 57),
                "pipeline.python.path[0]: there is no folder 'gone'",
            ),
            (
                "pipeline: {kind: python, python: {target: 'a:b', python: .venv/bin/gone}}",
                (4, 58),
                "pipeline.python.python: there is no interpreter '.venv/bin/gone'",
            ),
        ],
    )
    def test_a_file_that_is_not_there_is_named_where_it_is_written(
        self, suite: Path, extra: str, place: tuple[int, int], said: str
    ) -> None:
        """Each file that the configuration names is looked for."""
        configure(suite, extra + "\ngate: {min_cases: 1}")
        [problem] = found(suite)

        assert (problem.code, problem.line, problem.column) == ("missing-file", *place)
        assert problem.message.partition(";")[0] == said

    def test_it_stands_in_the_order_of_the_file(self, suite: Path) -> None:
        """What is missing is told between the other mistakes of the configuration."""
        configure(suite, "kk: 5\naccepted: gone.yml\nk: five\ngate: {min_cases: 1}")

        assert [(code, line) for code, _, line, _ in told(suite)] == [
            ("unknown-field", 4),
            ("missing-file", 5),
            ("wrong-value", 6),
        ]

    def test_sections_of_other_pipelines_are_not_followed(self, suite: Path) -> None:
        """A file of a pipeline that is not chosen is not looked for by a run either."""
        configure(suite, "pipeline: {recorded: {file: gone.jsonl}, python: {target: 'gone:x'}}\ngate: {min_cases: 1}")

        assert found(suite) == []

    def test_a_variable_of_the_runner(self, suite: Path) -> None:
        """A grant that no run gives is told."""
        configure(suite, "pipeline: {env: [GITHUB_TOKEN]}\ngate: {min_cases: 1}")

        assert told(suite) == [("wrong-value", "rag-assay.yml", 4, 18)]

    def test_a_baseline_that_is_none(self, suite: Path) -> None:
        """A file that is there and no run of this suite is told, too."""
        configure(suite, "baseline: {file: golden.jsonl}\ngate: {min_cases: 1}")
        [problem] = found(suite)

        assert problem.code == "baseline"
        assert problem.message.startswith("the baseline cannot be used: ")


@pytest.mark.parametrize("text", ["", "suite: [", "- a\n", "suite: s\nsuite: t\n", "\x00"])
def test_a_configuration_that_cannot_be_read_is_told_and_nothing_else(suite: Path, text: str) -> None:
    """Without a configuration nothing else is known; its own problems are in its own file."""
    (suite / "rag-assay.yml").write_text(text)

    assert {problem.file for problem in found(suite)} == {str(suite / "rag-assay.yml")}


class TestGoldenFiles:
    """The ways in which golden files arrive."""

    def test_byte_order_marks_line_ends_and_blank_lines_are_no_problem(self, suite: Path) -> None:
        """What editors on other systems add is accepted (L6)."""
        (suite / "golden.jsonl").write_bytes(b"\xef\xbb\xbf" + GOLDEN.replace("\n", "\r\n\r\n").encode())

        assert found(suite) == []

    def test_a_trailing_comma_and_a_duplicate_id_are_one_problem_each(self, suite: Path) -> None:
        """Each mistake is told once, with line and column (L6)."""
        (suite / "golden.jsonl").write_text(GOLDEN + '{"id": "q3", "question": "x",}\n{"id": "q1", "question": "x"}\n')

        assert told(suite) == [("syntax", "golden.jsonl", 3, 30), ("duplicate-id", "golden.jsonl", 4, 8)]

    def test_an_empty_golden_set_is_an_error(self, suite: Path) -> None:
        """No question at all is no suite (L7)."""
        (suite / "golden.jsonl").write_text("\n")

        assert [code for code, *_ in told(suite)] == ["no-cases"]

    def test_every_case_held_out_is_a_warning(self, suite: Path) -> None:
        """A set of which nothing may be shown is said to decide nothing (L7)."""
        (suite / "golden.jsonl").write_text('{"id": "q", "question": "x", "relevant": ["c-1"], "split": "holdout"}\n')
        [problem] = found(suite)

        assert (problem.code, problem.severity) == ("all-holdout", "warning")


HTTP = "pipeline: {kind: http, http: {url: 'http://127.0.0.1:9/', body: {q: '{{ question%s }}'}, fields: %s}}"


@pytest.mark.parametrize(
    ("attribute", "fields", "lines"),
    [
        (".text", "{answer: a}", [4]),
        ("", "{answer: 'lenght(a)'}", [4]),
        (" | uper", "{answer: a}", [4]),
        ("", "{}", []),
    ],
)
def test_an_endpoint_that_could_be_asked_nothing_is_a_mistake_of_the_configuration(
    suite: Path, attribute: str, fields: str, lines: list[int]
) -> None:
    """A template's attribute, filter or field function that does not exist is found without a question being asked."""
    configure(suite, HTTP % (attribute, fields))
    assert [(each.code, each.line) for each in found(suite) if each.file.endswith(".yml")] == [
        ("wrong-value", line) for line in lines
    ]
