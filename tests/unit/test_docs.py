"""Holds the documents to the code: messages, commands, schema, and the sentence every test begins with."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluator import __version__, config, errors, metrics
from evaluator.cli import failures, root
from tests import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluator.model.score import Metric

ROOT = Path(__file__).parents[2]
SOURCES = [path for path in sorted((ROOT / "evaluator").rglob("*.py")) if "_data" not in path.parts]
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
HEADINGS = re.findall(r"^### (\S+)$", (ROOT / "docs" / "messages.md").read_text(), re.MULTILINE)
KEBAB = re.compile(r"[a-z]+(-[a-z]+)+")
SAYS_A_CODE = {"Problem", "Finding", "Doubt", "Reason"}
RULES = {"max-drop", "max-rise", "min", "min-win", "drift", "critical"}
"""Codes that the gate makes from the parts of a rule, and from the statuses that leave a question open."""
STATUSES = {"not-comparable", "removed", "too-few-cases"}
NO_CODES = {
    "baseline-files",
    "baseline-name",
    "content-length",
    "en-us",
    "content-type",
    "corpus-id",
    "exit-code",
    "get-url",
    "judge-cost-usd",
    "ls-files",
    "markdown-it-py",
    "on-change",
    "on-failure",
    "on-pass",
    "query-id",
    "rag-assay",
    "retry-after",
    "retry-after-ms",
    "rev-parse",
    "semantic-text-splitter",
    "transfer-encoding",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
}
ASSERTIONS = {
    "contains-all", "contains-any", "icontains-all", "icontains-any", "rouge-n", "context-recall",
    "model-graded-factuality",
}  # fmt: skip
"""Text that looks like a code and is none; and what promptfoo calls its assertions."""


def subclasses(kind: type[errors.AssayError]) -> list[type[errors.AssayError]]:
    """A class of the tree and all below it."""
    return [kind, *(below for child in kind.__subclasses__() for below in subclasses(child))]


def codes_in(path: Path) -> set[str]:
    """Codes a file gives to a problem or a reason, and every other text in it that looks like one."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            if name in SAYS_A_CODE:
                found |= {each.value for each in given if isinstance(each, ast.Constant)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and KEBAB.fullmatch(node.value):
            found.add(node.value)
    return found - NO_CODES - ASSERTIONS


class TestMessages:
    """docs/messages.md."""

    @pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
    def test_every_code_of_a_file_has_its_heading(self, path: Path) -> None:
        """A person who meets a code in a message finds what to do about it."""
        assert codes_in(path) - set(HEADINGS) == set()

    def test_every_error_has_its_heading(self) -> None:
        """The link under each error leads somewhere."""
        slugs = {kind.slug for kind in subclasses(errors.AssayError)}

        assert slugs - set(HEADINGS) == set()

    def test_no_heading_is_about_nothing(self) -> None:
        """A code that was removed from the code is removed from the document."""
        said = set().union(*map(codes_in, SOURCES)) | {kind.slug for kind in subclasses(errors.AssayError)}

        assert set(HEADINGS) - said - RULES - STATUSES == set()

    def test_each_heading_is_there_once(self) -> None:
        """A link leads to one place."""
        assert len(HEADINGS) == len(set(HEADINGS))

    def test_the_codes_that_check_may_ignore_are_those_it_reports(self) -> None:
        """What ``check.ignore`` takes is what stands under mistakes and warnings, and what a file of ours can be."""
        text = (ROOT / "docs" / "messages.md").read_text()
        mistakes = text.partition("## Mistakes in files")[2].partition("## Commands that")[0]
        headings = set(re.findall(r"^### (\S+)$", mistakes, re.MULTILINE))

        # Replies are read by a run alone.
        assert {*headings, "baseline", "file-problem", "template"} - {"response"} == errors.CODES

    def test_every_warning_of_check_is_in_the_table_of_the_golden_set(self) -> None:
        """A person who labels questions reads in one place what is looked for."""
        text = (ROOT / "docs" / "messages.md").read_text()
        warnings = re.findall(r"^### (\S+)$", text.partition("## Warnings of")[2].partition("\n## ")[0], re.MULTILINE)
        [table] = documents.tables(documents.sections("golden-set.md")["What check says of a set"])

        assert sorted(row[0].partition("`")[2].partition("`")[0] for row in table) == warnings

    def test_internal_errors_are_told_where_their_traceback_is(self) -> None:
        """The file that holds a traceback is named as it is called."""
        assert failures.TRACEBACK_FILE in (ROOT / "docs" / "messages.md").read_text()


class TestSchema:
    """docs/schema/rag-assay.schema.json."""

    def test_it_is_the_configurations_own(self) -> None:
        """The published schema is what the configuration's model says; ``make schema`` writes it."""
        script = ROOT / "docs" / "schema" / "write_schema.py"
        code = f"import runpy; print(runpy.run_path({str(script)!r})['text'](), end='')"
        made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

        assert (script.parent / "rag-assay.schema.json").read_text() == made.stdout

    @pytest.mark.parametrize("file", sorted(ROOT.glob("examples/*/*.yml")), ids=lambda file: file.name)
    def test_every_example_names_it(self, file: Path) -> None:
        """An editor that opens an example completes its keys."""
        named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", file.read_text())

        assert named is not None
        assert (file.parent / named[1]).resolve() == ROOT / "docs" / "schema" / "rag-assay.schema.json"

    def test_it_knows_every_key(self) -> None:
        """Every key of the configuration, down to those of a rule, is in it."""
        schema = config.json_schema()

        assert {"suite", "golden", "gate", "accepted", "baseline", "report"} <= set(schema["properties"])
        assert "max_drop" in json.dumps(schema)


class TestReadme:
    """README.md and its like."""

    def test_every_command_is_named(self) -> None:
        """The README shows what the tool can do."""
        text = (ROOT / "README.md").read_text()

        assert [name for name in root.COMMANDS if f"rag-assay {name}" not in text and f"`{name}`" not in text] == []

    @pytest.mark.parametrize("metric", metrics.load().values(), ids=lambda metric: metric.name)
    def test_every_metric_is_explained_as_it_is_declared(self, metric: Metric) -> None:
        """The README's table says of a metric what the metric says of itself."""
        assert f"| `{metric.name}` | {metric.title} |" in (ROOT / "README.md").read_text()

    def test_every_link_leads_to_a_file(self) -> None:
        """A relative link in a document of ours names something that is there."""
        broken = []
        for document in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"):
            for link in re.findall(r"\]\((?!https?://|#)([^)#]+)", document.read_text()):
                broken += [] if (document.parent / link).exists() else [f"{document.name}: {link}"]

        assert broken == []

    def test_every_make_target_it_names_exists(self) -> None:
        """What a document tells people to type works."""
        targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = set()
        for document in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
            named |= set(re.findall(r"(?:^ {4}|`)make ([a-z0-9-]+)", document.read_text(), re.MULTILINE))

        assert named - targets == set()


def test_the_package_is_what_its_metadata_says() -> None:
    """Command, licence and version are declared where they are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["scripts"] == {"rag-assay": "evaluator.cli:main"}
    assert "Apache License" in (ROOT / project["license-files"][0]).read_text()
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_every_test_says_what_it_protects() -> None:
    """Each test begins with one sentence about a behaviour, and no file is without a test."""
    found = {path: named_tests(ast.parse(path.read_text()).body) for path in TESTS}

    assert [
        f"{path}: {node.name}" for path, tests in found.items() for node in tests if not ast.get_docstring(node)
    ] == []
    assert [str(path) for path, tests in found.items() if not tests] == []


def named_tests(statements: Iterable[ast.stmt]) -> list[ast.FunctionDef]:
    """The tests among these, and those of their classes."""
    found = []
    for node in statements:
        if isinstance(node, ast.ClassDef):
            found += named_tests(node.body)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found.append(node)
    return found
