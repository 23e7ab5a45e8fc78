from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.stores import golden, located

if TYPE_CHECKING:
    from pathlib import Path

A, B = '{"id":"a","question":"q?"}', '{"id":"b","question":"q?"}'


def problems_of(*paths: Path) -> list[tuple[str, int, int, str]]:
    """Code, line, column and message of every problem of golden files."""
    with pytest.raises(errors.InputError) as caught:
        golden.read_golden(paths)
    return [(each.code, each.line, each.column, each.message) for each in caught.value.problems]


def write(path: Path, *lines: str) -> Path:
    """A golden file of some lines."""
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_byte_order_mark_crlf_and_blank_lines_are_accepted(tmp_path: Path) -> None:
    """What editors and Git do to a file is no mistake, and lines are still those of the file (L6)."""
    path = tmp_path / "golden.jsonl"
    path.write_bytes(f"\ufeff{A}\r\n\r\n  \t\r\n{B}\r\n".encode())
    found = golden.read_golden([path])
    assert [case.id for case in found.cases] == ["a", "b"]
    assert found.places == {"a": (str(path), 1), "b": (str(path), 4)}


def test_a_bad_line_does_not_hide_the_next(tmp_path: Path) -> None:
    """A trailing comma, a duplicate id or key and the rest are one problem each, with line and column (L6)."""
    path = write(
        tmp_path / "golden.jsonl",
        A,
        '{"id":"b","question":"åäö",}',
        '{"id":"a","question":"again"}',
        '{"id":"c","question":"q?","id":"d"}',
        '{"id":"e","question":" \\u3000\\n"}',
        '{"id":"f\\u0007","question":"q?"}',
        '{"id":"g","question":"q?","relevent":["x"]}',
        '{"id":"h","question":"q?","relevant":["x",{"chunk":"y","grade":0}]}',
        '{"id":"i","question":"q?","facts":[{"id":"f","text":"t","any":"x"}]}',
        '["j"]',
    )
    assert problems_of(path) == [
        ("syntax", 2, 28, "not valid JSON: trailing comma"),
        ("duplicate-id", 3, 7, f"the id 'a' is there already, at {path}:1"),
        ("duplicate-key", 4, 27, 'duplicate key "id"'),
        ("wrong-value", 5, 22, "the question is only white space"),
        ("bad-id", 6, 7, "the id 'f\\x07' holds control characters"),
        ("unknown-field", 7, 27, "unknown field 'relevent'; did you mean 'relevant'?"),
        ("wrong-value", 8, 64, "relevant[1].grade must be at least 1, not 0"),
        ("wrong-value", 9, 63, "facts[0].any must be a list, not 'x'"),
        ("wrong-value", 10, 1, "this must be a mapping of fields, not a list"),
    ]


def test_the_place_of_a_duplicate_in_another_file(tmp_path: Path) -> None:
    """Ids are unique over all files; the problem names where the id was first."""
    one, two = write(tmp_path / "one.jsonl", A, B), write(tmp_path / "two.jsonl", B)
    with pytest.raises(errors.InputError) as caught:
        golden.read_golden([one, two])
    (problem,) = caught.value.problems
    assert str(problem) == f"{two}:1:7: the id 'b' is there already, at {one}:2 [duplicate-id]"


def test_two_facts_of_one_id_are_a_problem(tmp_path: Path) -> None:
    """What a critical case may not lose is told by the fact's id, so an id names one fact."""
    facts = [{"id": "f", "text": "thirty days"}, {"id": "f", "text": "sixty days"}]
    (problem,) = problems_of(write(tmp_path / "golden.jsonl", json.dumps({"id": "a", "question": "q", "facts": facts})))
    assert problem[0] == "duplicate-id"
    assert "'f'" in problem[3]


def test_a_line_of_two_megabytes_is_one_problem_with_its_place(tmp_path: Path) -> None:
    """A file that was pasted into a question is told, and the lines around it are read (L6)."""
    path = write(tmp_path / "golden.jsonl", A, json.dumps({"id": "b", "question": "x" * 2_000_000}), "{}")
    assert [(code, line) for code, line, _, _ in problems_of(path)][:1] == [("line-too-long", 2)]
    assert {line for _, line, _, _ in problems_of(path)} == {2, 3}


def test_a_line_beyond_all_measure_is_one_problem(tmp_path: Path) -> None:
    """A line far above the limit is not decoded, and the lines after it are."""
    path = write(tmp_path / "golden.jsonl", "x" * (3 * located.MAX_LINE), A, "{")
    assert [(code, line) for code, line, _, _ in problems_of(path)] == [("line-too-long", 1), ("syntax", 3)]


HOSTILE_IDS = ["a|b", "a/b", "../../x", "#1", "two words", "😀", "x" * 300, "Case", "case", "CASE", "a.b@5"]


def test_ids_are_kept_exactly(tmp_path: Path) -> None:
    """Any printable id is kept as it is; ids that differ only in case are different (L4)."""
    lines = [json.dumps({"id": each, "question": "q?", "category": each}) for each in HOSTILE_IDS]
    found = golden.read_golden([write(tmp_path / "golden.jsonl", *lines)])
    assert [case.id for case in found.cases] == HOSTILE_IDS
    assert [case.category for case in found.cases] == HOSTILE_IDS


@pytest.mark.parametrize("content", ["", "\ufeff\r\n\n"])
@pytest.mark.parametrize("name", ["golden.jsonl", "golden.yml"])
def test_an_empty_golden_set_is_an_error(tmp_path: Path, name: str, content: str) -> None:
    """Nothing to ask is one clear problem (L7)."""
    path = write(tmp_path / name, content)
    assert problems_of(path) == [("no-cases", 0, 0, "there is no case in the golden set")]


def test_one_file_may_be_empty(tmp_path: Path) -> None:
    """Only a set without any case is empty."""
    found = golden.read_golden([write(tmp_path / "empty.jsonl", ""), write(tmp_path / "one.jsonl", A)])
    assert len(found.cases) == 1


@pytest.mark.parametrize("name", ["golden.jsonl", "golden.yaml"])
def test_files_that_cannot_be_read_are_problems(tmp_path: Path, name: str) -> None:
    """A missing path and a folder are named, beside the problems of other files."""
    (tmp_path / "folder").mkdir()
    bad = write(tmp_path / "bad.jsonl", "{")
    codes = [code for code, *_ in problems_of(tmp_path / name, tmp_path / "folder", bad)]
    assert codes == ["missing-file", "unreadable-file", "syntax"]


def test_paraphrases_name_a_root(tmp_path: Path) -> None:
    """paraphrase_of names another case that is no paraphrase itself; a root whose own line is bad is not missing."""
    paraphrases = [("b", "a"), ("c", "b"), ("d", "d"), ("e", "aa"), ("f", "broken")]
    path = write(
        tmp_path / "golden.jsonl",
        A,
        *(json.dumps({"id": each, "question": "q?", "paraphrase_of": root}) for each, root in paraphrases),
        '{"id":"broken"}',
    )
    assert problems_of(path) == [
        ("missing-field", 7, 1, "field 'question' is missing"),
        ("paraphrase", 3, 48, "paraphrase_of names 'b', itself a paraphrase: name 'a'"),
        ("paraphrase", 4, 48, "paraphrase_of names the case itself"),
        ("paraphrase", 5, 48, "paraphrase_of names 'aa', which is no case; did you mean 'a'?"),
    ]


CASES = [
    {"id": "ö|", "question": "Får jag?", "relevant": ["c1", {"any_of": ["a", "b"], "grade": 2}], "tags": ["x"]},
    {"id": "2", "question": "when", "category": "on", "notes": "2030-12-31", "expect": "abstain"},
]


def test_yaml_and_json_lines_are_the_same_set(tmp_path: Path) -> None:
    """The digest is of the cases: format, layout and written defaults do not change it, any content does."""
    lines = write(tmp_path / "golden.jsonl", *(json.dumps(case) for case in CASES))
    spread = write(tmp_path / "two.jsonl", *(json.dumps({**case, "critical": False}) + "\n" for case in CASES))
    text = yaml.safe_dump(CASES, allow_unicode=True, sort_keys=False)
    listed = write(tmp_path / "golden.yml", text.replace("'on'", "on").replace("'2030-12-31'", "2030-12-31"))
    found = [golden.read_golden([path]) for path in (lines, spread, listed)]
    assert found[0].cases == found[1].cases == found[2].cases
    assert len({each.sha256 for each in found}) == 1
    other = write(tmp_path / "other.jsonl", *(json.dumps(case) for case in reversed(CASES)))
    assert golden.read_golden([other]).sha256 != found[0].sha256


def test_yaml_mistakes_have_a_place(tmp_path: Path) -> None:
    """A YAML golden file tells line and column of every mistake of every case."""
    path = write(
        tmp_path / "golden.yaml",
        "- id: a",
        "  question: q?",
        "- id: 7",
        "  question: q?",
        "  fact: []",
        "- {id: a, question: q?}",
        "- text",
    )
    assert problems_of(path) == [
        ("wrong-value", 3, 7, "id must be text, not 7 (put it in quotes)"),
        ("unknown-field", 5, 3, "unknown field 'fact'; did you mean 'facts'?"),
        ("duplicate-id", 6, 8, f"the id 'a' is there already, at {path}:1"),
        ("wrong-value", 7, 3, "this must be a mapping of fields, not 'text'"),
    ]


def test_a_yaml_mapping_is_no_golden_set(tmp_path: Path) -> None:
    """A YAML file that is not a list is one problem."""
    path = write(tmp_path / "golden.yml", "cases: []")
    assert problems_of(path) == [("wrong-value", 1, 1, "a golden file is a list of cases")]


def test_another_encoding_is_named(tmp_path: Path) -> None:
    """A file that is not UTF-8 says so, with the place of the first such byte."""
    for name in ("golden.jsonl", "golden.yml"):
        path = tmp_path / name
        path.write_bytes('\n- {"id": "a", "question": "å"}'[2 if name.endswith("l") else 0 :].encode("latin-1"))
        assert [code for code, *_ in problems_of(path)] == ["encoding"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "question", "x"]), inner),
    max_leaves=6,
)
FIELDS = ["id", "question", "relevant", "facts", "critical", "split", "history", "paraphrase_of", "irrelevant", "tags"]


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON) | JSON, max_size=3), st.binary(max_size=20))
def test_whatever_a_file_holds_it_is_read_or_refused(tmp_path_factory: Any, values: list[Any], junk: bytes) -> None:
    """No content ends in anything but a golden set or problems that print in one line each."""
    path = tmp_path_factory.mktemp("golden") / "golden.jsonl"
    path.write_bytes("\n".join(json.dumps(value) for value in values).encode() + b"\n" + junk)
    try:
        found, problems = golden.read_golden([path]).cases, ()
    except errors.InputError as error:
        found, problems = (), error.problems
    assert bool(found) != bool(problems)
    assert all(problem.message.isprintable() and len(problem.message) < 1000 for problem in problems)


@pytest.mark.shared
def test_the_real_suite(shared: Path) -> None:
    """The 600 real questions are read without a problem, each where it stands."""
    path = shared / "suites" / "clapnq" / "golden.jsonl"
    found = golden.read_golden([path])
    assert len(found.cases) == 600
    assert [place.line for place in found.places.values()] == list(range(1, 601))


def test_a_yaml_file_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    """A YAML file above 64 MB is one problem."""
    with (tmp_path / "golden.yml").open("wb") as file:
        file.truncate(located.MAX_YAML + 1)
    assert problems_of(tmp_path / "golden.yml") == [("file-too-large", 0, 0, "this file is larger than 64 MB")]
