from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import __version__, errors
from evaluator.model.base import digest, to_json
from evaluator.model.fixture import Digests, Manifest
from evaluator.model.record import Collection, Record
from evaluator.stores import values
from tests import workbench
from tests.workbench import Bench

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [
    "id", "input_hash", "retrieved", "context", "answer", "abstained", "steps", "usage", "meta", "duplicates",
    "failure",
]  # fmt: skip
CHUNKS = [{"id": identifier, "text": f"text of {identifier}", "doc": f"doc-{identifier}"} for identifier in "abcdefgh"]


def case(identifier: str, *relevant: str, **fields: Any) -> dict[str, Any]:
    return {"id": identifier, "question": f"question {identifier}", "relevant": list(relevant), **fields}


def hits(ids: str) -> list[dict[str, Any]]:
    return [{"id": identifier} for identifier in ids]


def bench(
    folder: Path, responses: list[dict[str, Any]], cases: list[dict[str, Any]] | None = None, **fields: Any
) -> Bench:
    """Recorded responses to q1, q2 and q3, with k = 2 and metrics that read three results."""
    base = {"chunks": CHUNKS, "config": {"k": 2, "metrics": ["recall@3", "mrr"]}}
    golden = cases or [case("q1", "a"), case("q2", "b"), case("q3")]
    return Bench(folder, golden, workbench.recorded(folder, responses), **{**base, **fields})


def test_records_stand_in_golden_order_with_exactly_the_keys_of_the_format(tmp_path: Path) -> None:
    """One line a case, in golden order, whatever order the answers have; absent parts are null."""
    found = bench(
        tmp_path, [{"id": f"q{number}", "retrieved": hits("abc")} for number in (3, 1, 2)]
    ).collect()  # fmt: skip

    assert [record["id"] for record in found] == ["q1", "q2", "q3"]
    assert [list(record) for record in found] == [KEYS] * 3
    assert [list(hit) for hit in found[0]["retrieved"]] == [["id", "doc", "score", "text"]] * 3
    assert all(Record.model_validate(record) for record in found)


def test_what_is_missing_comes_from_the_fixture(tmp_path: Path) -> None:
    """Text and document are filled in by id; what the pipeline gave is kept, though it differs."""
    given = [{"id": "a"}, {"id": "b", "text": "as the model got it"}, {"id": "c", "doc": "other"}, {"id": "unknown"}]
    responses = [{"id": "q1", "retrieved": given, "steps": [{"query": "first", "retrieved": hits("d")}]}]
    (record,) = bench(tmp_path, responses, [case("q1")]).collect()

    assert [(hit["doc"], hit["text"]) for hit in record["retrieved"]] == [
        ("doc-a", "text of a"), ("doc-b", "as the model got it"), ("other", "text of c"), (None, None),
    ]  # fmt: skip
    assert record["steps"] == [
        {"query": "first", "retrieved": [{"id": "d", "doc": "doc-d", "score": None, "text": "text of d"}]}
    ]


@pytest.mark.parametrize(
    ("ids", "duplicates", "context"),
    [
        ("abc", [], ["a", "b"]),
        ("aax", ["a"], ["a", "a"]),
        ("aaaaab", ["a"], ["a", "a"]),
        ("abba", ["b", "a"], ["a", "b"]),
    ],
)
def test_a_repeated_id_keeps_its_slot_and_is_listed(
    tmp_path: Path, ids: str, duplicates: list[str], context: list[str]
) -> None:
    """Later chunks do not move up; the context is the first k as they were retrieved (S9)."""
    (record,) = bench(tmp_path, [{"id": "q1", "retrieved": hits(ids)}], [case("q1")]).collect()

    assert "".join(hit["id"] for hit in record["retrieved"]) == ids
    assert record["duplicates"] == duplicates
    assert record["context"] == context


def test_a_context_that_is_reported_is_kept(tmp_path: Path) -> None:
    """What the model really got need not be the first k."""
    (record,) = bench(tmp_path, [{"id": "q1", "retrieved": hits("abc"), "context": ["c"]}], [case("q1")]).collect()

    assert record["context"] == ["c"]


def test_a_failure_is_a_record_with_nothing_in_it(tmp_path: Path) -> None:
    """A case that was not answered stays in the records, with the reason, and is counted as failed."""
    work = bench(tmp_path, [{"id": "q1", "retrieved": hits("abc")}, {"id": "q2", "answer": 42}])
    _, second, third = work.collect()

    assert second["failure"] == {"kind": "invalid", "message": "answer is a number, not a text"}
    assert third["failure"] == {"kind": "error", "message": "no recorded response for this id"}
    assert (third["retrieved"], third["context"], third["answer"], third["duplicates"]) == ([], [], None, [])
    assert work.progress.steps == [False, True, True]
    assert work.progress.is_closed
    assert "q3: no recorded response for this id [error]" in work.log


def test_the_collection_says_what_the_records_were_made_from(tmp_path: Path) -> None:
    """Digests of configuration, golden set and fixture, the pipeline, the commit; what varies is in timing."""
    work = bench(tmp_path, [{"id": "q1", "answer": "yes", "meta": {"latency_ms": 12.5}}], [case("q1")])
    work.pipeline["version"] = "prompt 14"
    work.collect()
    found = values.read_value(work.out / "collect.json", Collection)

    assert (found.tool, found.suite, found.commit) == (f"rag-assay {__version__}", "bench", "c0ffee")
    assert found.config_sha256 == digest(work.workspace().config.model_dump(mode="json"))
    assert found.fixture is not None
    assert len(found.fixture.chunks) == len(found.golden_sha256) == 64
    assert found.pipeline.model_dump() == {
        "kind": "recorded", "version": "prompt 14", "settings": {"file": "responses.jsonl"},
    }  # fmt: skip
    assert list(found.timing) == ["started_at", "seconds", "latency_ms", "uncommitted", "alerts", "warnings"]
    assert found.timing["latency_ms"] == {"q1": 12.5}


def test_two_collects_differ_in_timing_only(tmp_path: Path) -> None:
    """The same pipeline twice gives the same bytes, but for what is under timing."""
    work = bench(tmp_path, [{"id": "q1", "retrieved": hits("abc")}])
    work.collect()
    first = ((work.out / "records.jsonl").read_bytes(), work.collection())
    work.collect()
    second = ((work.out / "records.jsonl").read_bytes(), work.collection())

    assert first[0] == second[0]
    assert {**first[1], "timing": None} == {**second[1], "timing": None}


def test_the_time_of_looking_up_a_recording_is_no_latency(tmp_path: Path) -> None:
    """Where a recorded response has no latency, none is invented."""
    work = bench(tmp_path, [{"id": "q1", "answer": "yes"}], [case("q1")])
    work.collect()

    assert work.collection()["timing"]["latency_ms"] == {}


def test_the_builtin_pipeline_is_timed_and_needs_no_warning(tmp_path: Path) -> None:
    """The built-in search has a latency for each case, and finding few results is no fault of its own."""
    work = Bench(
        tmp_path, [case("q1"), case("q2")], {"kind": "builtin"}, chunks=CHUNKS, config={"metrics": ["recall@8"]}
    )
    work.cases[0]["question"] = "a"
    workspace = work.workspace()
    work.collect()

    assert list(work.collection()["timing"]["latency_ms"]) == ["q1", "q2"]
    assert workspace.warnings == []


def said(work: Bench, **fields: Any) -> list[str]:
    """What a collect warns of, beside the missing manifest."""
    workspace = work.workspace(**fields)
    from evaluator.stages.collect import collect  # noqa: PLC0415 - the workspace is looked at afterwards

    collect(workspace)
    assert all(f"warning: {warning}" in work.log for warning in workspace.warnings)
    return [warning for warning in workspace.warnings if "manifest" not in warning]


def test_results_that_the_fixture_does_not_hold_are_counted(tmp_path: Path) -> None:
    """Ids of another index are reported with their number and the first case."""
    responses = [
        {"id": "q1", "retrieved": hits("axy")},
        {"id": "q2", "retrieved": hits("abz")},
        {"id": "q3", "retrieved": hits("abc")},
    ]

    assert said(bench(tmp_path, responses)) == [
        "3 results not in the fixture, counted as irrelevant (2 cases, first 'q1')"
    ]


def test_repeated_results_are_reported(tmp_path: Path) -> None:
    """A pipeline that returns chunks twice is told so once, not once a case (S9)."""
    responses = [{"id": f"q{number}", "retrieved": hits("aab")} for number in (1, 2, 3)]

    assert said(bench(tmp_path, responses)) == [
        "results that were there already, counted as irrelevant (3 cases, first 'q1')"
    ]


DEPTH = ": a ranking goes down to depth, which stands in each request"
NOT_K = ", but as many as k: k is what the generator gets, and a ranking goes down to depth"


@pytest.mark.parametrize(
    ("metrics", "k", "expected"),
    [
        (["recall@3", "hit@1"], 1, [f"fewer than the 3 results that recall@3 reads{DEPTH} (1 case, first 'q2')"]),
        (["recall@3", "hit@1"], 2, [f"fewer than the 3 results that recall@3 reads{NOT_K} (1 case, first 'q2')"]),
        (["recall@2", "mrr"], 2, []),
        (["recall@2", "ndcg@20"], 2, [f"fewer than the 8 results that ndcg@20 reads{DEPTH} (2 cases, first 'q1')"]),
    ],
)
def test_rankings_that_are_too_short_are_named(tmp_path: Path, metrics: list[str], k: int, expected: list[str]) -> None:
    """A pipeline that returns fewer results than a cut-off needs, or than the fixture holds, is told what to return."""
    responses = [{"id": "q1", "retrieved": hits("abc")}, {"id": "q2", "retrieved": hits("ab")}]
    cases = [case("q1"), case("q2")]

    assert said(bench(tmp_path, responses, cases, config={"k": k, "metrics": metrics})) == expected


def test_what_was_left_out_of_replies_is_said_once(tmp_path: Path) -> None:
    """Scores that were dropped in three hundred cases make one sentence, with the first case in golden order."""
    responses = [{"id": f"q{n}", "retrieved": [{"id": "a", "score": "0.5"}, *hits("bc")]} for n in (3, 2, 1)]

    assert said(bench(tmp_path, responses)) == ["scores that are no finite numbers were left out (3 cases, first 'q1')"]


def test_a_case_that_is_held_out_is_never_named(tmp_path: Path) -> None:
    """Neither a warning, which is published, nor the log names a held-out case."""
    work = bench(
        tmp_path,
        [{"id": "secret", "retrieved": hits("aax")}],
        [case("secret", split="holdout"), case("hidden", split="holdout")],
    )
    warnings = said(work)

    assert warnings == [
        "1 result not in the fixture, counted as irrelevant (1 case)",
        "results that were there already, counted as irrelevant (1 case)",
    ]
    assert "a case that is held out failed [error]" in work.log
    assert not any("hidden" in line or "secret" in line for line in work.log)


def test_labels_the_fixture_does_not_hold_stop_the_run(tmp_path: Path) -> None:
    """Golden ids of another chunking are listed with file, line and column before anything is asked."""
    cases = [case("q1", "a"), case("q2", "gone"), case("q3", "b", irrelevant=["lost"])]
    with pytest.raises(errors.InputError) as caught:
        bench(tmp_path, [], cases).collect()

    lines = (tmp_path / "golden.jsonl").read_text().splitlines()
    assert [(problem.file, problem.line, problem.column) for problem in caught.value.problems] == [
        (str(tmp_path / "golden.jsonl"), 2, lines[1].index('"gone"') + 1),
        (str(tmp_path / "golden.jsonl"), 3, lines[2].index('"lost"') + 1),
    ]
    assert "'gone'" in caught.value.problems[0].message
    assert not (tmp_path / "out" / "records.jsonl").exists()


def test_the_problems_of_golden_set_and_fixture_are_told_at_once(tmp_path: Path) -> None:
    """A broken line hides neither a stale label of another nor a fixture that is not the frozen one."""
    work = bench(tmp_path, [], [case("q1", "gone"), {"id": "q2"}])
    work.write()
    (tmp_path / "fixture" / "manifest.json").write_bytes(to_json(Manifest(
        files={}, chunks=1, documents=None, digests=Digests(chunks="x", documents=None),
    )))  # fmt: skip
    with pytest.raises(errors.InputError) as caught:
        work.collect()

    assert list(dict.fromkeys(problem.code for problem in caught.value.problems)) == [
        "missing-field", "manifest", "unknown-chunk",
    ]  # fmt: skip


def test_a_rule_on_what_is_not_measured_stops_the_run(tmp_path: Path) -> None:
    """A rule that could never be decided is a mistake with its place, before anything is asked."""
    work = bench(tmp_path, [])
    work.config = {"metrics": ["mrr"], "gate": {"rules": [{"metric": "recall@5", "max_drop": 0.1}]}}
    with pytest.raises(
        errors.InputError, match=r"rag-assay\.yml:1:\d+: a rule reads 'recall@5', which metrics does not"
    ):
        work.collect()
    assert not (tmp_path / "out" / "records.jsonl").exists()


def test_stale_labels_can_be_allowed(tmp_path: Path) -> None:
    """With --allow-stale they are one sentence on top of the report, which a later process writes."""
    cases = [case("q1", "a"), case("q2", "gone", "lost")]
    responses = [{"id": f"q{number}", "retrieved": hits("abc")} for number in (1, 2)]
    work = bench(tmp_path, responses, cases)

    assert said(work, allow_stale=True) == []
    assert work.collection()["timing"]["alerts"] == [
        "2 labels of 1 case cannot be retrieved: the fixture does not hold what they name."
    ]


def test_only_the_cases_that_were_named_are_asked(tmp_path: Path) -> None:
    """--only keeps golden order, and responses to the other cases are not called unknown."""
    responses = [{"id": f"q{number}", "retrieved": hits("abc")} for number in (1, 2, 3)]
    work = bench(tmp_path, responses)

    assert [record["id"] for record in work.collect(only=("q3", "q1"))] == ["q1", "q3"]
    assert not any("golden set" in line for line in work.log)


def test_a_case_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    """A mistyped id of --only is a mistake, not an empty run."""
    cases = [case("returns-1"), case("shipping-1")]
    with pytest.raises(errors.UsageError, match="the golden set has no case 'retuns-1'; the nearest id is 'returns-1'"):
        bench(tmp_path, [], cases).collect(only=("retuns-1",))


def test_a_variable_that_is_not_set_is_reported(tmp_path: Path) -> None:
    """A key that the workflow does not pass explains the failures that follow."""
    work = bench(tmp_path, [{"id": "q1", "retrieved": hits("abc")}], [case("q1")])
    work.pipeline["env"] = ["RAG_KEY", "OTHER"]

    assert said(work, environment={"OTHER": "x"}) == ["pipeline.env names RAG_KEY, which is not set"]


def test_a_record_that_no_reader_would_take_is_a_failure(tmp_path: Path) -> None:
    """A case whose texts are too large together fails with a sentence instead of spoiling the whole file."""
    large = [{"id": f"c{number}", "text": "x" * 1_900_000} for number in range(5)]
    work = bench(tmp_path, [{"id": "q1", "retrieved": large}, {"id": "q2", "retrieved": hits("abc")}], chunks=[])
    first, second, _ = work.collect()

    assert first["failure"] == {"kind": "invalid", "message": "the record would be larger than 8 MB"}
    assert second["failure"] is None


def test_hostile_ids_are_kept_and_harmless(tmp_path: Path) -> None:
    """An id with a workflow command is kept exactly in the records and cannot command the log (L4, G15)."""
    name = "::error::x|/#🦊"
    work = bench(tmp_path, [], [case(name)])
    (record,) = work.collect()

    assert record["id"] == name
    assert record["input_hash"] == json.loads((work.out / "records.jsonl").read_text())["input_hash"]


def test_a_collect_that_fails_leaves_the_old_files(tmp_path: Path) -> None:
    """A pipeline that cannot be started does not cost the records of the run before."""
    work = bench(tmp_path, [{"id": "q1", "retrieved": hits("abc")}], [case("q1")])
    work.collect()
    before = {file.name: file.read_bytes() for file in work.out.iterdir()}
    (tmp_path / "responses.jsonl").unlink()
    with pytest.raises(errors.PipelineError):
        work.collect()

    assert {file.name: file.read_bytes() for file in work.out.iterdir()} == before


def test_an_interrupt_of_a_pipeline_that_answers_at_once_keeps_nothing(tmp_path: Path) -> None:
    """Such a run begins anew; it says so and leaves no half-written file."""

    class Interrupting(workbench.Steps):
        def step(self, *, failed: bool = False) -> None:  # noqa: ARG002 - the port's signature
            raise KeyboardInterrupt

    work = dataclasses.replace(bench(tmp_path, []), progress=Interrupting())
    with pytest.raises(errors.Interrupted, match="interrupted; nothing is kept"):
        work.collect()

    assert list(work.out.iterdir()) == []


def test_a_pipeline_that_fails_throughout_does_not_fill_the_log(tmp_path: Path) -> None:
    """The first hundred failures are shown; the records have them all."""
    work = bench(tmp_path, [], [case(f"q{number}") for number in range(150)])
    found = work.collect()

    assert sum(record["failure"] is not None for record in found) == 150
    assert sum("no recorded response" in line for line in work.log) == 100
    assert "more than 100 cases may have failed; records.jsonl names them all" in work.log


def test_a_template_that_no_question_fits_stops_the_run_before_the_first(tmp_path: Path) -> None:
    """It is a mistake of the configuration, not a failure of every case."""
    http = {"url": "http://127.0.0.1:9/", "body": {"q": "{{ question.text }}"}}
    with pytest.raises(errors.InputError, match=r"pipeline\.http\.body\.q: it cannot be filled in for the question"):
        Bench(tmp_path, [case("q1")], {"kind": "http", "http": http}).collect()
