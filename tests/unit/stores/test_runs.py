from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.record import Hit, Record, Repeat
from evaluator.model.run import History, RecordsFile, RunCase, RunHit, RunSummary, SummaryValue
from evaluator.stores import layout, records, runs

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = RunSummary(all={"recall@5": SummaryValue(mean=0.5, n=2, of=2)}, categories={}, holdout={})
HIT = RunHit(id="c1", doc="d", score=2.5, text="t1")
TEXTS = {"t1": "the text\n", "t2": "parent"}
START: Any = {
    "tool": "rag-assay 1", "suite": "s", "tier": "retrieval", "commit": None, "fingerprint": {"a": "b"},
    "config": {"k": 5}, "records": None, "judge": None, "calibration": None, "noise": None,
    "self_reported": None,
}  # fmt: skip
KEYS = [
    "format", "tool", "suite", "tier", "commit", "fingerprint", "config", "records", "judge", "calibration", "noise",
    "self_reported", "cases", "summary", "texts", "places", "timing", "history",
]  # fmt: skip


def build_case(case: str = "q1", **fields: Any) -> RunCase:
    """A case that retrieved one chunk and whose model got another."""
    base: dict[str, Any] = {
        "id": case, "category": "c", "critical": False, "split": "dev", "language": "en", "question": "q?",
        "input_hash": "i", "labels_hash": "l", "labels": {"weight": 12345}, "needs": [], "scores": {"recall@5": 0.5},
        "unscored": {}, "not_applicable": {}, "failure": None, "diagnosis": None, "answer": None, "abstained": None,
        "context": ["c1"], "context_only": [RunHit(id="p", doc=None, score=None, text="t2")], "steps": None,
        "usage": None, "duplicates": [], "retrieved": [HIT],
    }  # fmt: skip
    return RunCase.model_validate(base | fields)


def write(path: Path, *cases: RunCase, kept: RecordsFile | None = None) -> Path:
    """A run.json of some cases."""
    with runs.RunWriter(path, **(START | {"records": kept})) as writer:
        for case in cases:
            writer.add(case)
        writer.finish(SUMMARY, TEXTS, {"c1": 0}, {"started_at": "now"}, History())
    return path


def any_layout(path: Path, indent: int | None) -> None:
    """Rewrite a file in a layout that is not ours, with a byte order mark."""
    text = json.dumps(json.loads(path.read_bytes()), indent=indent, ensure_ascii=False)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())


IDS = ["q1", "å|/# 😀", "A", "a", "x" * 300, '"quoted\\"']


def test_every_top_level_key_and_every_case_has_its_line(tmp_path: Path) -> None:
    """The file is JSON with the keys of the contract in order, one a line, and one case a line."""
    path = write(tmp_path / "run.json", build_case("a"), build_case("b"))
    lines = path.read_text().splitlines()
    assert list(json.loads(path.read_bytes())) == KEYS
    assert [re.match(r'\{?"(\w+)":', line)[1] for line in lines if '"id"' not in line and line != "],"] == KEYS  # type: ignore[index]
    assert [line[:9] for line in lines if '"id"' in line] == ['{"id":"a"', '{"id":"b"']


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """Nothing in the file depends on when or where it is written."""
    one = write(tmp_path / "one" / "run.json", build_case())
    assert one.read_bytes() == write(tmp_path / "two.json", build_case()).read_bytes()


@pytest.mark.parametrize("shape", ["ours", None, 0, 2])
@pytest.mark.parametrize("ids", [[], IDS[:1], IDS])
def test_a_run_is_read_back_with_its_texts(tmp_path: Path, shape: Any, ids: list[str]) -> None:
    """In our layout and in any other, cases come in order, whatever their ids, with the real texts."""
    path = write(tmp_path / "run.json", *(build_case(case) for case in ids))
    if shape != "ours":
        any_layout(path, shape)
    run = runs.read_run(path)
    assert run.ids == tuple(ids)
    assert (run.head.tool, run.head.config, run.head.summary) == ("rag-assay 1", {"k": 5}, SUMMARY)
    assert (run.texts, run.places) == (TEXTS, {"c1": 0})
    expected = [build_case(case, retrieved=None, context_only=[]) for case in ids]
    assert [stored.case for stored in run.cases()] == expected
    for case in ids:
        stored = run.case(case)
        assert stored.retrieved == (Hit(id="c1", doc="d", score=2.5, text="the text\n"),)
        assert stored.context_only == (Hit(id="p", text="parent"),)


def test_no_such_case(tmp_path: Path) -> None:
    """Asking for a case that the run does not have is the caller's mistake."""
    run = runs.read_run(write(tmp_path / "run.json", build_case()))
    with pytest.raises(KeyError):
        run.case("Q1")


@pytest.mark.parametrize("shape", ["ours", None, 2])
def test_a_new_history_keeps_every_other_byte(tmp_path: Path, shape: Any) -> None:
    """Only the value of history changes; the reader that was open before still reads its run."""
    path = write(tmp_path / "run.json", build_case("å"), build_case("b"))
    if shape != "ours":
        any_layout(path, shape)
    before = path.read_bytes()
    run = runs.read_run(path)
    history = History(anchor={"recall@5": {"å": 0.5}}, chain=("abc",))
    run.with_history(history)
    after = path.read_bytes()
    new = history.model_dump_json().encode()
    start = after.index(new)
    assert before[:start] == after[:start]
    assert before.endswith(after[start + len(new) :])
    assert runs.read_run(path).head.history == history
    assert [stored.case.id for stored in run.cases()] == ["å", "b"]


AGAIN: dict[str, Any] = {
    "needs": [], "failure": {"kind": "died", "message": "killed"}, "answer": None, "context": [], "claims": None,
    "judgement": None, "usage": None, "duplicates": [],
}  # fmt: skip


def test_every_time_a_question_was_asked_is_read_with_its_texts(tmp_path: Path) -> None:
    """What a further time does not say is as the first; what it may not say of its own is not read."""
    again = {**AGAIN, "id": "other", "retrieved": [{"id": "c9", "doc": None, "score": None, "text": "t2"}]}
    path = write(tmp_path / "run.json", build_case(repeats=[again, {**AGAIN, "retrieved": [], "context_only": []}]))
    first, second, third = runs.read_run(path).case("q1").each
    assert (first.retrieved[0].text, first.case.failure, first.case.repeats) == ("the text\n", None, ())
    assert [hit.text for hit in second.retrieved] == ["parent"]
    assert (second.case.id, second.case.question, second.case.context) == ("q1", "q?", ())
    assert second.case.failure is not None
    assert (third.retrieved, third.context_only, third.repeats) == ((), (), ())


@pytest.mark.parametrize("broken", [{"answer": 5}, {"retrieved": 7}, {"retrieved": [{"id": "c", "text": "gone"}]}])
def test_a_damaged_further_time_is_refused(tmp_path: Path, broken: dict[str, Any]) -> None:
    """It is checked as a case is."""
    path = write(tmp_path / "run.json", build_case(repeats=[{**AGAIN, **broken}]))
    with pytest.raises(errors.FileProblem, match=r"run\.json"):
        runs.read_run(path).case("q1")


def test_a_large_run_finds_the_ranking_of_every_time_in_its_records(tmp_path: Path) -> None:
    """They are in the line of the case; a line that was asked less often has none."""
    base: dict[str, Any] = {**dict.fromkeys(Record.model_fields), "id": "q1", "input_hash": "i", "duplicates": []}
    times = [{"retrieved": [Hit(id=name)], "context": [name]} for name in ("first", "second")]
    again = {key: base[key] for key in Repeat.model_fields} | times[1]
    records.write_records(tmp_path / "records.jsonl", [Record.model_validate(base | times[0] | {"repeats": [again]})])
    named = RecordsFile(file="records.jsonl", sha256=records.sha256_of(tmp_path / "records.jsonl"))
    turns: list[dict[str, Any]] = [{**AGAIN, "retrieved": None}] * 2
    path = write(tmp_path / "run.json", build_case(retrieved=None, repeats=turns[:1]), kept=named)
    assert [each.retrieved[0].id for each in runs.read_run(path).case("q1").each] == ["first", "second"]
    path = write(tmp_path / "run.json", build_case(retrieved=None, repeats=turns), kept=named)
    with pytest.raises(errors.FileProblem, match="the ranking of case 'q1' is in no records file"):
        runs.read_run(path).case("q1")


def write_large(folder: Path) -> Path:
    """A run of two cases whose rankings are in records.jsonl."""
    base: dict[str, Any] = {**dict.fromkeys(Record.model_fields), "repeats": []}
    base |= {"input_hash": "i", "context": ["c1"], "duplicates": []}
    kept = [
        Record.model_validate(base | {"id": case, "retrieved": [Hit(id=f"{case}1", text="whole text")]})
        for case in ("a", "b")
    ]
    records.write_records(folder / "records.jsonl", kept)
    named = RecordsFile(file="records.jsonl", sha256=records.sha256_of(folder / "records.jsonl"))
    return write(folder / "run.json", *(build_case(case, retrieved=None) for case in ("a", "b")), kept=named)


def test_a_large_runs_rankings_come_from_its_records(tmp_path: Path) -> None:
    """A run that points to records.jsonl is read like one that holds its rankings."""
    run = runs.read_run(write_large(tmp_path))
    assert run.case("b").retrieved == (Hit(id="b1", text="whole text"),)
    assert [stored.retrieved[0].id for stored in run.cases()] == ["a1", "b1"]
    assert run.case("a").context_only == (Hit(id="p", text="parent"),)


def test_other_records_are_refused(tmp_path: Path) -> None:
    """Records that changed since the run was made are not taken for its own."""
    path = write_large(tmp_path)
    with (tmp_path / "records.jsonl").open("ab") as file:
        file.write(b'{"id":"c"}\n')
    with pytest.raises(errors.FileProblem, match=r"records\.jsonl is not the file .*run\.json was made from"):
        runs.read_run(path).case("a")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            '"file":"records.jsonl"',
            '"file":"../records.jsonl"',
            "names the records file '../records.jsonl', which is not",
        ),
        ('"file":"records.jsonl"', '"file":"x\\u0000"', r"names the records file 'x\\x00', which is not one beside it"),
        ('"file":"records.jsonl"', '"file":"gone.jsonl"', r"gone\.jsonl does not exist"),
        ('"file":"records.jsonl"', '"file":"run.json"', r"run\.json holds a line that is not a record"),
        ('"id":"a"', '"id":"z"', "the ranking of case 'z' is in no records file"),
    ],
)
def test_records_that_do_not_belong_to_the_run(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    """A run names a file beside it that holds all its cases, or the sentence says what is wrong."""
    path = write_large(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(errors.FileProblem, match=sentence):
        list(runs.read_run(path).cases())


def test_a_run_without_rankings_anywhere(tmp_path: Path) -> None:
    """A case whose ranking is neither in the run nor in records is refused."""
    run = runs.read_run(write(tmp_path / "run.json", build_case(retrieved=None)))
    with pytest.raises(errors.FileProblem, match="the ranking of case 'q1' is in no records file"):
        run.case("q1")


HEAD_MISTAKES = [
    ('"format":1', '"format":7', " has format 7; this version of rag-assay reads format 1"),
    ('"format":1,\n', "", " is not a file of rag-assay: it names no format"),
    ('"tool":"rag-assay 1"', '"tool":"x",\n"tool":"y"', ':3:1: duplicate key "tool"'),
    ('"k":5', '"k":NaN', ":7:15: NaN and Infinity are no JSON numbers"),
    ('"k":5', '"k":1e999', r":7:\d+: config\.k is too large for a number"),
    ('"mean":0.5', '"mean":1e999', r": summary\.all\.recall@5\.mean must be a finite number, not inf"),
    ('"places":{"c1":0},\n', "", ": field 'places' is missing"),
    ('"suite":"s"', '"suit":"s"', r": unknown field 'suit'; did you mean 'suite'\? \(and 1 more\)"),
    ('"history":{', '"histories":{', r": unknown field 'histories'; did you mean 'history'\? \(and 1 more\)"),
    ('"cases":[', '"questions":[', ": unknown field 'questions'"),
    ('{"id":"b"', '{"id":"a"', " holds the case 'a' twice"),
    ('{"id":"b"', '{"no":"b"', " holds a case without an id"),
    ('"cases":[\n', '"cases":[\n7,\n', " holds a case without an id"),
    ("}\n],", "},\n],", r":16:1: not valid JSON: trailing comma"),
    ("},\n{", "}\n{", r": not valid JSON: expected `,` or `\]`"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), HEAD_MISTAKES)
def test_a_damaged_run_is_refused_at_once(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    """What is wrong outside the cases, or with their ids, is one sentence when the file is opened."""
    path = write(tmp_path / "run.json", build_case("a"), build_case("b"))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(errors.FileProblem, match=rf"run\.json(:\d+:\d+)?{sentence}"):
        runs.read_run(path)


CASE_MISTAKES = [
    ('"scores":{"recall@5":0.5}', '"scores":{"recall@5":1e999}', r"scores\.recall@5 must be a finite number, not inf"),
    ('"scores":{"recall@5":0.5}', '"scores":{"recall@5":NaN}', "NaN and Infinity are no JSON numbers"),
    ('"weight":12345', '"weight":1e999', r"labels\.weight is too large for a number"),
    ('"critical":false', '"critical":"no"', "critical must be true or false, not 'no'"),
    ('"critical":false', '"critical":false,"critical":true', 'duplicate key "critical"'),
    ('"score":2.5', '"score":"2.5"', r"retrieved\[0\]\.score must be a number, not '2\.5'"),
    ('"text":"t1"', '"text":[1]', r"retrieved\[0\]\.text must be text, not a list"),
    ('"text":"t1"', '"text":"t9"', "a case names the text 't9', which is not there"),
    ('"retrieved":[{', '"retrieved":[5,{', r"retrieved\[0\] must be a mapping of fields, not 5"),
    ('"retrieved":[{', '"retrieved":7,"other":[{', "unknown field 'other'"),
]


@pytest.mark.parametrize("shape", ["ours", 2])
@pytest.mark.parametrize(("old", "new", "sentence"), CASE_MISTAKES)
def test_a_damaged_case_is_refused(tmp_path: Path, shape: Any, old: str, new: str, sentence: str) -> None:
    """What is wrong with a case is one sentence with its line, in any layout (S2)."""
    path = write(tmp_path / "run.json", build_case("a"), build_case("b"))
    head, mark, last = path.read_text().partition('{"id":"b"')
    assert old in last
    path.write_text(head + mark + last.replace(old, new, 1))
    if shape != "ours" and "NaN" not in new and "duplicate" not in sentence:
        path.write_text(re.sub(r"(?<=[,{])(?=\S)", "\n", path.read_text()))
    with pytest.raises(errors.FileProblem, match=sentence):
        list(runs.read_run(path).cases())


def test_the_line_of_a_damaged_case_is_named(tmp_path: Path) -> None:
    """The line is that of the file and the column that of the value."""
    path = write(tmp_path / "run.json", build_case("a"), build_case("b"))
    path.write_text(path.read_text().replace('{"id":"b","category":"c"', '{"id":"b","category":5'))
    with pytest.raises(errors.FileProblem, match=r"run\.json:15:22: category must be text, not 5"):
        runs.read_run(path).case("b")


def test_a_torn_run_is_refused_wherever_it_was_cut(tmp_path: Path) -> None:
    """A file that was cut anywhere is never taken for a whole one."""
    path = write(tmp_path / "run.json", build_case("å"), build_case("b"))
    whole = path.read_bytes()
    for cut in range(0, len(whole) - 2, 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(errors.FileProblem):
            runs.read_run(path)


def test_nothing_appears_of_a_run_that_was_not_finished(tmp_path: Path) -> None:
    """A writer that is left early, by an error or by mistake, leaves the old file (S2)."""
    path = write(tmp_path / "run.json", build_case("old"))
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="never called"), runs.RunWriter(path, **START) as writer:
        writer.add(build_case())
    with (
        pytest.raises(errors.FileProblem, match="case 'q1' cannot be written: NaN"),
        runs.RunWriter(path, **START) as writer,
    ):
        writer.add(build_case().model_copy(update={"scores": {"recall@5": float("nan")}}))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_a_missing_run_is_named(tmp_path: Path) -> None:
    """A run that is not there is one sentence."""
    with pytest.raises(errors.FileProblem, match=r"run\.json does not exist"):
        runs.read_run(tmp_path / "run.json")


def test_a_run_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    """A file that would have to be read whole is refused above 256 MB, before it is."""
    path = tmp_path / "run.json"
    with path.open("wb") as file:
        file.truncate(layout.MAX_WHOLE + 1)
    with pytest.raises(errors.FileProblem, match="does not have one case a line and is too large"):
        runs.read_run(path)
