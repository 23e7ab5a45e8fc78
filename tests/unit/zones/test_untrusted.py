"""A stranger's upload, measured by the base: whatever it holds, every case counts, and nothing is believed twice."""

from __future__ import annotations

import io
import json
import resource
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from evaluator import errors
from evaluator.zones.keeping import Keeping
from tests.uploads import COMMIT, Fork, case_of, codes_of, decision_of
from tests.zones import TOPICS, files_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MEGABYTE = 1 << 20
FACTS = {"metrics": ["recall@2", "fact_coverage", "grounded_values", "context_tokens"]}
LOOSE = {"critical": dict.fromkeys(("lost_needs", "lost_facts", "wrong_abstention")), "min_cases": 1}
"""A gate whose rows alone decide."""


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    """A base, and what a change's run uploads."""
    return Fork(tmp_path / "one")


class TestCases:
    """Which cases are measured."""

    def test_an_honest_upload_is_measured_as_our_own_run(self, fork: Fork) -> None:
        """The same values for the same answers, and a run that says whose they are."""
        mine, theirs = fork.run(stranger=None), fork.run()

        assert theirs["cases"] == mine["cases"]
        assert theirs["summary"] == mine["summary"]
        assert mine["self_reported"] is None
        assert theirs["self_reported"] == {
            "not_judged": None, "other_fixture": False, "unvouched": ["cost_usd", "latency_ms", "tokens"],
        }  # fmt: skip

    def test_a_case_that_is_left_out_is_lost(self, fork: Fork) -> None:
        """Who is bad at a question cannot leave it out: it counts as the worst value, by its own code."""
        baseline = fork.own()
        del fork.records["islands"]

        files = fork.decided(baseline)

        failure = case_of(json.loads(files["run.json"]), "islands")["failure"]
        assert failure["kind"] == "invalid"
        assert failure["message"].startswith("missing-record: ")
        assert decision_of(files)["outcome"] == "failed"
        assert (
            b"**1 case ('islands') without a record in what was uploaded: each counts as failed.**"
            in files["comment.md"]
        )

    def test_nothing_at_all_is_a_run_in_which_everything_failed(self, fork: Fork) -> None:
        """An empty file is no way round the gate either, with a baseline or without one."""
        scored = fork.scored(fork.sealed(fork.uploaded([])))

        files = fork.decided(scored=scored)

        assert decision_of(files)["outcome"] != "passed"
        assert b"failures=6\n" in files["outputs"]

    def test_a_held_out_case_that_is_left_out_is_not_named(self, fork: Fork) -> None:
        """Neither in the comment nor in the log, as anywhere."""
        fork.relabel("islands", split="holdout")
        del fork.records["islands"]

        files = fork.decided()

        assert b"1 case without a record" in files["comment.md"]
        assert b"islands" not in files["comment.md"] + files["summary.md"]
        assert "islands" not in fork.said.getvalue()

    def test_an_answer_to_another_question_is_lost(self, fork: Fork) -> None:
        """The change edited the question, or says that it did: the base's was not answered."""
        baseline = fork.own()
        fork.records["islands"]["input_hash"] = "0" * 64

        files = fork.decided(baseline)

        case = case_of(json.loads(files["run.json"]), "islands")
        assert case["failure"]["message"].startswith("other-question: ")
        assert case["input_hash"] == fork.cases["islands"].input_hash("en")
        assert json.loads(files["comparison.json"])["paired"] == 6
        assert decision_of(files)["outcome"] == "failed"

    def test_records_of_other_cases_change_no_row(self, fork: Fork) -> None:
        """A case that the change adds, or a thousand that nobody asked: not scored, counted and named."""
        baseline = fork.own()
        before = fork.decided(baseline)
        for number in range(1_000):
            fork.records[f"new-{number}"] = fork.record("islands", id=f"new-{number}")

        after = fork.decided(baseline)

        old, new = (json.loads(files["comparison.json"]) for files in (before, after))
        assert (new["rows"], new["cases"], new["paired"], new["new"]) == (old["rows"], old["cases"], 6, [])
        assert decision_of(after) == decision_of(before)
        assert (
            b"1,000 records (first 'new-0') of no case that the base's golden set has: not scored"
            in after["comment.md"]
        )

    def test_the_order_of_an_upload_means_nothing(self, fork: Fork) -> None:
        """Everything that follows is in the golden order."""
        assert fork.run(fork.sealed(fork.uploaded([*fork.records.values()][::-1])))["cases"] == fork.run()["cases"]

    @pytest.mark.parametrize(("times", "failed"), [(1, 1), (2, 0), (3, 0)])
    def test_a_question_counts_as_often_as_the_base_asks_it(self, tmp_path: Path, times: int, failed: int) -> None:
        """Who asks less often fails for the rest, and who asks more often cannot choose which answers count."""
        fork = Fork(tmp_path / "live", pipeline={"kind": "python", "python": {"target": "app:f"}, "repeats": 2})
        for record in fork.records.values():
            once = {key: record[key] for key in record if key not in {"id", "input_hash"}}
            record["repeats"] = [once] * (times - 1)

        run = fork.run()

        assert [len(case["repeats"]) for case in run["cases"]] == [1] * 6
        found = [case["repeats"][0]["failure"] for case in run["cases"]]
        assert sum(each is not None for each in found) == 6 * failed
        assert all(each["message"].startswith("missing-repeat: ") for each in found if each)
        assert run["summary"]["all"]["recall@2"]["mean"] == 1 - failed / 2


CHUNKS = some.sampled_from([*(f"c-{topic}" for topic in TOPICS), "made-up", "c-islands|x"])
HITS = some.fixed_dictionaries(
    {"id": CHUNKS}, optional={"text": some.sampled_from([None, "", "islands"]), "doc": some.just("islands")}
)


ROWS = some.fixed_dictionaries(
    {},
    optional={
        "retrieved": some.lists(HITS, max_size=4), "context": some.lists(CHUNKS, max_size=3),
        "input_hash": some.just("x"), "answer": some.sampled_from([None, "", "5 islands"]),
        "failure": some.just({"kind": "died", "message": "m"}), "duplicates": some.just(["c-islands"]),
        "steps": some.lists(
            some.fixed_dictionaries({"query": some.just("q"), "retrieved": some.lists(HITS, max_size=2)}), max_size=2
        ),
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Fork:
    """A base whose facts and values are measured, for many uploads."""
    return Fork(tmp_path_factory.mktemp("facts") / "one", **FACTS)


@settings(max_examples=40, deadline=None)
@given(rows=some.dictionaries(some.sampled_from([*TOPICS, "new", "Returns", "returns\n"]), ROWS))
def test_no_records_make_a_case_disappear(rows: dict[str, dict[str, Any]], facts: Fork) -> None:
    """Each case of the base has a value of what applies to it: 1 where its chunk was retrieved, and else 0."""
    lines = [facts.record(name if name in TOPICS else "islands", id=name) | row for name, row in rows.items()]

    run = facts.run(facts.sealed(facts.uploaded(lines)))

    assert [case["id"] for case in run["cases"]] == list(TOPICS)
    uploaded = {line["id"]: line for line in lines if line["input_hash"] != "x" and line["failure"] is None}
    for case in run["cases"]:
        retrieved = [hit["id"] for hit in uploaded.get(case["id"], {"retrieved": []})["retrieved"]]
        assert case["scores"]["recall@2"] == (f"c-{case['id']}" in retrieved[:2])
        assert case["scores"]["fact_coverage"] in {0.0, 1.0}


@settings(max_examples=15, deadline=None)
@given(rows=some.dictionaries(some.text(min_size=1).filter(lambda name: name not in TOPICS), ROWS, min_size=1))
def test_no_other_records_change_what_is_measured(rows: dict[str, dict[str, Any]], facts: Fork) -> None:
    """Whatever they are called and hold, and wherever they stand."""
    others = [facts.record("islands", id=name) | row for name, row in rows.items()]
    lines = [*others[::2], *facts.records.values(), *others[1::2]]

    run, alone = facts.run(facts.sealed(facts.uploaded(lines))), facts.run()

    assert (run["cases"], run["summary"], run["texts"]) == (alone["cases"], alone["summary"], alone["texts"])
    assert run["timing"]["alerts"] == alone["timing"]["alerts"]
    assert len(run["timing"]["warnings"]) == len(alone["timing"]["warnings"]) + 1


class TestChunks:
    """Whose texts are read."""

    def test_invented_chunks_are_irrelevant_and_say_nothing(self, tmp_path: Path) -> None:
        """Neither facts nor values are found in what nobody has frozen, and no document makes it relevant."""
        fork = Fork(tmp_path / "facts", **FACTS)
        fork.relabel("islands", relevant=[{"doc": "islands"}], facts=[{"id": "f", "text": "900 islands"}])
        fork.records["islands"]["answer"] = "There are 900 islands."
        fork.retrieve("islands", {"id": "made-up", "doc": "islands", "text": "There are 900 islands."})

        run = fork.run()

        scores = case_of(run, "islands")["scores"]
        assert (scores["recall@2"], scores["fact_coverage"], scores["grounded_values"]) == (0.0, 0.0, 0.0)
        assert "There are 900 islands." not in run["texts"].values()
        assert "1 chunk ('made-up') that the base's fixture does not hold (1 case, first 'islands')" in "".join(
            run["timing"]["alerts"]
        )

    def test_a_context_of_invented_chunks_alone_is_no_way_out(self, tmp_path: Path) -> None:
        """Text that is not known would make the facts not applicable; none at all makes them missing."""
        fork = Fork(tmp_path / "facts", **FACTS)
        fork.records["islands"] |= {"context": ["nowhere", "nor-here"], "answer": "There are 900 of them."}

        scores = case_of(fork.run(), "islands")["scores"]

        assert (scores["recall@2"], scores["fact_coverage"], scores["grounded_values"]) == (1.0, 0.0, 0.0)
        assert scores["context_tokens"] == 0.0

    def test_a_known_chunk_has_the_text_of_the_base(self, tmp_path: Path) -> None:
        """Also in the steps of an agent, and the report says that another one came."""
        fork = Fork(tmp_path / "facts", **FACTS)
        fork.relabel("islands", facts=[{"id": "f", "text": "900 islands"}])
        lie = {"id": "c-parcels", "doc": "islands", "text": "There are 900 islands."}
        fork.retrieve("islands", lie)
        fork.records["islands"]["steps"] = [{"query": "q", "retrieved": [lie]}]

        run = fork.run()

        assert case_of(run, "islands")["scores"]["fact_coverage"] == 0.0
        assert "There are 900 islands." not in run["texts"].values()
        [hit] = case_of(run, "islands")["retrieved"]
        assert (hit["doc"], run["texts"][hit["text"]]) == ("parcels", "All about parcels and nothing else.")
        assert "1 chunk ('c-parcels') came with another text than the base's fixture's" in run["timing"]["warnings"][0]

    def test_repeated_chunks_are_counted_here(self, fork: Fork) -> None:
        """Whatever the upload says of them."""
        fork.retrieve("islands", "c-parcels", "c-parcels")
        fork.records["parcels"]["duplicates"] = ["c-parcels"]

        run = fork.run()

        assert case_of(run, "islands")["duplicates"] == ["c-parcels"]
        assert case_of(run, "parcels")["duplicates"] == []

    def test_a_change_of_the_fixture_is_neither_passed_nor_failed(self, fork: Fork) -> None:
        """Its chunks are not the base's, so that everything seems lost: somebody has to look at it."""
        baseline = fork.own()
        for case in TOPICS:
            fork.retrieve(case, f"new-{case}")
        fork.collect["fixture"]["chunks"] = "0" * 64

        files = fork.decided(baseline)

        assert (decision_of(files)["outcome"], codes_of(files)) == ("inconclusive", ["self-reported", "other-fixture"])
        rows = json.loads(files["comparison.json"])["rows"]
        assert {row["status"] for row in rows} == {"not comparable"}
        assert b"regressions=0\n" in files["outputs"]
        said = b"Inconclusive: the change's run searched another fixture than the base's"
        assert said in files["comment.md"].splitlines()[0]

    def test_a_change_of_the_fixture_never_passes_for_want_of_a_baseline(self, fork: Fork) -> None:
        """Nor for answers that are right."""
        fork.collect["fixture"] = None

        assert codes_of(fork.decided()) == ["self-reported", "no-baseline", "other-fixture"]


class TestOwnText:
    """A suite without a fixture: the text of the contexts is the stranger's own."""

    @pytest.fixture
    def bare(self, tmp_path: Path) -> Callable[..., Fork]:
        """A base without a fixture, in which facts or nothing are gated."""

        def make(*metrics: str) -> Fork:
            rules = [{"metric": metric, "per": "all", "max_drop": 0.0} for metric in metrics]
            fork = Fork(
                tmp_path / "bare", fixture=None, metrics=["recall@2", "fact_coverage"], gate=LOOSE | {"rules": rules}
            )
            for case in TOPICS:
                fork.relabel(case, facts=[{"id": "f", "text": f"All about {case} and nothing else"}])
            return fork

        return make

    def test_what_holds_by_it_decides_nothing(self, bare: Callable[..., Fork]) -> None:
        """Who writes the text writes the facts into it."""
        fork = bare("fact_coverage")

        files = fork.decided(fork.own())

        assert decision_of(files)["outcome"] == "inconclusive"
        assert "nothing-decided" in codes_of(files)
        assert b"the text of the contexts is the stranger's own, too" in files["comment.md"]

    def test_beside_what_decides_it_is_marked(self, bare: Callable[..., Fork]) -> None:
        """Rankings are self-reported as much as everything, and not text."""
        fork = bare("fact_coverage", "recall@2")

        files = fork.decided(fork.own())

        assert decision_of(files)["outcome"] == "passed"
        reasons = {row["metric"]: row["reason"] for row in json.loads(files["comparison.json"])["rows"]}
        assert reasons["fact_coverage"] == "no change (self-reported)"
        assert reasons["recall@2"] == "no change"

    def test_what_falls_by_it_counts(self, bare: Callable[..., Fork]) -> None:
        """Nobody makes himself worse than he is."""
        fork = bare("fact_coverage", "recall@2")
        baseline = fork.own()
        fork.records["islands"]["retrieved"][0]["text"] = "Nothing."

        files = fork.decided(baseline)

        assert codes_of(files) == ["self-reported", "max-drop", "drift"]
        reasons = {row["metric"]: row["reason"] for row in json.loads(files["comparison.json"])["rows"]}
        assert not reasons["fact_coverage"].endswith("(self-reported)")

    def test_quotes_are_looked_for_in_it(self, bare: Callable[..., Fork]) -> None:
        """Then a ranking rests on that text as well."""
        fork = bare("recall@2")
        fork.relabel("islands", relevant=[{"quote": "All about islands"}])
        fork.records["islands"] = fork.record("islands")

        assert "nothing-decided" in codes_of(fork.decided(fork.own()))


class TestWhatIsClaimed:
    """What collect.json and the records say beside answers and rankings."""

    LIE = "<img src=x> **fine** @everyone | \n## x"

    def test_nothing_of_it_reaches_the_report(self, fork: Fork) -> None:
        """Times, alerts, versions, settings, commit and suite are ours; the rest is escaped."""
        lie, baseline = self.LIE, fork.own()
        fork.collect |= {
            "tool": lie, "suite": lie, "commit": lie, "config_sha256": lie, "golden_sha256": lie,
            "pipeline": {"kind": lie, "version": lie, "settings": {lie: lie}},
        }  # fmt: skip
        fork.collect["timing"] |= {"started_at": "2999-01-01", "alerts": [lie], "warnings": [lie], "uncommitted": True}
        fork.records["islands"] |= {
            "usage": {"cost_usd": 1e308, "tokens": lie}, "meta": {lie: lie}, "answer": lie,
            "failure": {"kind": "error", "message": lie},
        }  # fmt: skip
        fork.records[lie] = fork.record("islands", id=lie)
        fork.retrieve("parcels", {"id": lie, "text": lie})

        files = fork.decided(baseline)

        run = json.loads(files["run.json"])
        assert (run["suite"], run["commit"], run["timing"]["uncommitted"]) == ("shop", COMMIT, False)
        assert not run["timing"]["started_at"].startswith("2999")
        assert lie not in run["timing"]["alerts"] + run["timing"]["warnings"]
        for name in ("comment.md", "summary.md"):
            text = files[name].decode()
            assert not any(mark in text for mark in ("<img", "**fine**", "@everyone", "\n## x"))
        assert b"\n## x" not in files["publication.json"] + files["annotations"]

    def test_times_and_costs_that_hold_decide_nothing(self, tmp_path: Path) -> None:
        """A stranger's clock is his own; a run of no other rule is inconclusive, and a slower one fails."""
        gate = LOOSE | {"rules": [{"metric": "latency_ms", "per": "all", "max_rise": "20%"}]}
        fork = Fork(tmp_path / "clock", metrics=["recall@2", "latency_ms"], gate=gate)
        baseline = fork.own()
        fork.collect["timing"]["latency_ms"] = dict.fromkeys(TOPICS, 0.0)

        files = fork.decided(baseline)
        fork.collect["timing"]["latency_ms"] = dict.fromkeys(TOPICS, 50.0)

        assert (decision_of(files)["outcome"], codes_of(files)[-1]) == ("inconclusive", "nothing-decided")
        assert decision_of(fork.decided(baseline))["outcome"] == "failed"

    @pytest.mark.parametrize("amount", [1e308, 1e13])
    def test_times_beyond_all_sums_are_none(self, tmp_path: Path, amount: float) -> None:
        """And are no fault of ours."""
        fork = Fork(tmp_path / "clock", metrics=["recall@2", "latency_ms"])
        fork.collect["timing"]["latency_ms"] = dict.fromkeys([*TOPICS, "unknown"], amount)

        assert fork.run()["timing"]["latency_ms"] == {}


class TestRefused:
    """What leaves seal not at all."""

    @pytest.mark.parametrize(
        ("records", "says"),
        [
            (b"{", "not valid JSON"),
            (b"[" * (10 * MEGABYTE), "longer than 8 MB"),
            (b'{"id": "returns", "meta": ' + b'{"a": ' * 2_000_000, "longer than 8 MB"),
            (b'{"id": "returns", "meta": ' + b"[" * 100_000 + b"\n", "."),
            (b'{"id": "returns", "score": NaN}\n', "NaN"),
            (b'{"id": "returns", "id": "islands"}\n', 'duplicate key "id"'),
            (b"\xff\xfe", "not valid JSON"),
        ],
    )
    def test_what_is_no_record_is_refused_in_bounds(self, fork: Fork, records: bytes, says: str) -> None:
        """With a sentence, no traceback, and not in the memory of what it pretends to be."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        with pytest.raises(errors.ZoneProblem, match=says) as caught:
            fork.sealed(fork.uploaded() | {"records.jsonl": records})

        assert str(caught.value).startswith("what collect wrote is no run: ")
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 * 1024

    def test_a_case_that_is_recorded_twice_is_refused(self, fork: Fork) -> None:
        """No run of ours writes that: nobody chooses between two answers for him."""
        with pytest.raises(errors.ZoneProblem, match="line 1 is recorded a second time"):
            fork.sealed(fork.uploaded([*fork.records.values(), fork.records["returns"]]))

    def test_a_number_that_is_too_large_is_refused(self, fork: Fork) -> None:
        """1e999 is none."""
        line = json.dumps(fork.records["returns"] | {"usage": {"tokens": 17}}).replace("17", "1e999")

        with pytest.raises(errors.ZoneProblem, match="too large for a number"):
            fork.sealed(fork.uploaded() | {"records.jsonl": line.encode()})


class TestDecided:
    """What is told of it."""

    def test_it_is_said_first_whose_word_it_is(self, fork: Fork) -> None:
        """In the status, in the heading of the comment, and in two sentences below it."""
        files = fork.decided(fork.own())

        told = json.loads(files["publication.json"])["sentence"]
        assert told == "self-reported by a fork: passed: every rule that could be decided was kept"
        lines = files["comment.md"].decode().splitlines()
        assert lines[0].startswith("## ✅ Self-reported by a fork. Passed: ")
        assert lines[4] == (
            "**Self-reported by a fork: answers, rankings, times and costs come from the stranger's own run. "
            "Labels, rules, texts, baseline and judge are the base's.**"
        )
        assert lines[:5] == files["summary.md"].decode().splitlines()[:5]

    def test_it_is_never_a_baseline(self, tmp_path: Path) -> None:
        """Whatever the base accepts, and however it comes to be handed over as one."""
        fork = Fork(tmp_path / "always", baseline={"accept": "always"})
        kept = Keeping("main", "main", run=1, attempt=1, event="push")
        files = fork.decided(fork.own(), kept=kept)

        assert decision_of(files)["accepted"] is False
        assert "baseline.json" not in files
        with pytest.raises(errors.BaselineError, match="its records are a stranger's own"):
            fork.decided(files["run.json"])

    def test_it_is_taken_for_nothing_else(self, fork: Fork) -> None:
        """Score and decide have to agree whose records they are."""
        theirs, ours = fork.scored(), fork.scored(stranger=None)

        for scored, said in ((theirs, False), (ours, True)):
            with pytest.raises(errors.ZoneProblem, match="a stranger's records"):
                fork.decided(scored=scored, self_reported=said)

    def test_a_large_suite_is_in_golden_order_as_well(self, fork: Fork) -> None:
        """What is handed on is what was measured, not what was uploaded."""
        del fork.records["returns"]
        fork.records["new"] = fork.record("islands", id="new")

        records = files_in(io.BytesIO(fork.scored()))["records.jsonl"].splitlines()

        assert [json.loads(line)["id"] for line in records] == list(TOPICS)
