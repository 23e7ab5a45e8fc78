from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.human import calibration, effects, labels
from evaluator.human.calibration import Outcome
from evaluator.model import judgement
from evaluator.model.calibration import Calibrated
from evaluator.model.judgement import Claim, Judged, JudgedChunk, JudgedFact, Judgement, Opinion, Preference, Statement
from evaluator.stores.runs import read_run
from tests.court import FINGERPRINT, Court, case

S, U, C = "supported", "unsupported", "unclear"


@pytest.fixture
def court(tmp_path: Path) -> Court:
    """A folder for a run."""
    return Court(tmp_path)


def said(case_: str, label: str, annotator: str = "anna", **thing: Any) -> dict[str, Any]:
    """A label, of the claim s0.1 unless it is of something else."""
    return {"case": case_, "annotator": annotator, "label": label, **(thing or {"claim": "s0.1"})}


def calibrate(court: Court, cases: list[dict[str, Any]], lines: list[dict[str, Any]], **options: Any) -> Outcome:
    """The judge of a run of these cases, held to these labels."""
    path = court.folder / "labels.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return calibration.calibrate(labels.read([path]), read_run(court.run("run", cases)), **options)


def refused(court: Court, cases: list[dict[str, Any]], lines: list[dict[str, Any]], **options: Any) -> list[str]:
    """What is said of labels that are refused."""
    with pytest.raises(errors.InputError) as caught:
        calibrate(court, cases, lines, **options)
    return [str(problem).removeprefix(f"{court.folder}/labels.jsonl:") for problem in caught.value.problems]


def claims(people: str, judge: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Cases of one claim each, and its labels, by letters: + - ? for supported, unsupported and unclear."""
    verdict = {"+": S, "-": U, "?": C}
    cases = [case(f"c{place}", verdict[each]) for place, each in enumerate(judge)]
    return cases, [said(f"c{place}", verdict[each]) for place, each in enumerate(people)]


class TestClaims:
    """Claims and faithfulness."""

    def test_a_judge_that_believes_everything_has_no_kappa_and_stays_advisory(self, court: Court) -> None:
        """90 of 100 claims are supported: raw agreement of 90 %, kappa of 0, and nothing of it is enforced."""
        [group] = calibrate(court, *claims("+" * 90 + "-" * 10, "+" * 100)).groups

        assert (group.found.agreement, group.found.kappa, group.found.lower) == (0.9, 0.0, 0.0)
        assert group.doubt == "kappa 0 below 0.6 for en"
        assert (group.precision, group.recall) == (None, 0.0)
        assert group.more_to_enforce is None

    def test_a_good_judge_is_enforced(self, court: Court) -> None:
        """40 + 16 alike of 60: observed 56/60, expected (42 x 42 + 18 x 18) / 3600, so kappa 0.8413."""
        people, judge = "+" * 40 + "+" * 2 + "-" * 2 + "-" * 16, "+" * 40 + "--" + "++" + "-" * 8 + "?" * 8
        outcome = calibrate(court, *claims(people, judge))
        [group] = outcome.groups
        expected = (42 * 42 + 18 * 18) / 3600
        assert group.found.kappa == pytest.approx((56 / 60 - expected) / (1 - expected))
        assert group.found.classes == {S: 42, U: 18}
        assert group.counts == ((40, 0, 2), (0, 0, 0), (2, 8, 8))
        assert group.recall == group.precision == pytest.approx(16 / 18)
        assert group.doubt is None
        assert group.found.lower is not None
        assert 0.6 < group.found.lower < group.found.kappa
        assert outcome.calibration.judge_fingerprint == FINGERPRINT
        assert outcome.calibration.metrics["faithfulness"].languages["en"] == group.found
        assert len(outcome.disagreements) == 4

    def test_unclear_is_gated_as_unsupported(self, court: Court) -> None:
        """To the gate an unclear claim is not supported: no error where people say unsupported, one elsewhere."""
        outcome = calibrate(court, *claims("--++", "?-?+"))
        assert outcome.groups[0].found.agreement == 0.75
        assert [pair.case.id for pair in outcome.disagreements] == ["c2"]

    def test_claims_are_named_by_text_as_well(self, court: Court) -> None:
        """White space and composed letters do not matter; a text that two claims share needs an id if they differ."""
        texts = [{"id": f"s{n}.1", "text": text, "sentence": n, "verdict": verdict} for n, text, verdict in (
            (1, "It  is\u00e9 open.", S), (2, "Closed.", S), (3, "Closed.", U), (4, "Free.", U), (5, "Free.", U),
        )]  # fmt: skip
        cases = [{"id": "c", "claims": [Claim.model_validate(each) for each in texts]}]
        good = [said("c", S, claim="It ise\u0301 open."), said("c", U, claim="Free.")]

        assert calibrate(court, cases, good).groups[0].found.agreement == 1
        [found] = refused(court, cases, [*good, said("c", S, claim="Closed.")])
        assert found.startswith(
            "3:1: more than one of the run is the claim 'Closed.' of case 'c'; name it by its id: s2.1, "
        )

    def test_held_out_cases_count_and_are_never_named(self, court: Court) -> None:
        """What is held out may calibrate a judge, but nobody who reads the result learns its questions."""
        cases, lines = claims("+-", "-+")
        cases[0]["split"] = "holdout"
        outcome = calibrate(court, cases, lines)

        assert outcome.groups[0].found.n == 2
        assert [pair.case.id for pair in outcome.disagreements] == ["c1"]


class TestMissing:
    """Labels of what the judge said nothing about."""

    LINES = (said("c0", S), said("c1", U), said("c9", U), said("c0", U, claim="s9.9"), said("gone", S))
    NAMED = (
        "3:1: the judge has no verdict on the claim 's0.1' of case 'c9': the model refused [not-judged]",
        "4:1: the run does not hold the claim 's9.9' of case 'c0'; known are s0.1, claim 0 of c0 [unknown-item]",
        "5:1: the run has no case 'gone'; known are c0, c1, c9 [unknown-case]",
    )

    @pytest.fixture
    def cases(self) -> list[dict[str, Any]]:
        """Two that were judged and one whose claims could not be had."""
        return [case("c0", S), case("c1", U), {**case("c9"), "unscored": {"claims": "the model refused"}}]

    def test_each_is_named_and_nothing_is_measured(self, court: Court, cases: list[dict[str, Any]]) -> None:
        """A judge that fails on what is hard would look better than it is; all are named at once."""
        assert refused(court, cases, [*self.LINES]) == [*self.NAMED]

    def test_they_are_left_out_on_demand_and_listed(self, court: Court, cases: list[dict[str, Any]]) -> None:
        """With skip_missing the rest is measured, and what was left out is said."""
        outcome = calibrate(court, cases, [*self.LINES], skip_missing=True)
        assert outcome.groups[0].found.n == 2
        left = [str(each).removeprefix(f"{court.folder}/labels.jsonl:") for each in outcome.left_out]
        assert left == [*self.NAMED]

    def test_nothing_left_is_refused(self, court: Court, cases: list[dict[str, Any]]) -> None:
        """Where no label remains, nothing is written about the judge."""
        assert refused(court, cases, [said("gone", S)], skip_missing=True)[-1] == (
            "1:1: there is no label that the judge can be held to [no-labels]"
        )

    def test_cases_that_were_not_judged_say_why(self, court: Court) -> None:
        """One that judge.sample left out has no verdict."""
        cases = [case("c0", S), {"id": "c1", "claims": [], "drawn": False}]
        assert refused(court, cases, [said("c0", S), said("c1", U)])[0].startswith(
            "2:1: the judge has no verdict on the claim 's0.1' of case 'c1': judge.sample left it out"
        )

    def test_a_run_without_a_judge_is_refused(self, court: Court) -> None:
        """Tier retrieval has no judge that could be calibrated."""
        run = read_run(court.run("plain", [case("c0", S)], tier="retrieval"))
        path = court.folder / "labels.jsonl"
        path.write_text(json.dumps(said("c0", S)))
        with pytest.raises(errors.FileProblem, match=r"no judge judged .*run\.json; score it with --tier full"):
            calibration.calibrate(labels.read([path]), run)


class TestClasses:
    """Labels of one class only, and annotators who differ."""

    def test_one_class_is_refused_by_name(self, court: Court) -> None:
        """Any judge that always says so would agree with such labels."""
        [found] = refused(court, *claims("+++", "++-"))
        assert found == (
            "1:1: the labels of faithfulness are of one class (3 claim labels, all 'supported'): any judge that always "
            "says so would agree; label some that are 'unsupported', or take these out [one-class]"
        )

    def test_one_class_in_one_language_is_not_defined_there(self, court: Court) -> None:
        """Where both always say the same, there is no kappa, and the language stays advisory with the reason."""
        cases, lines = claims("+-++", "+-++")
        for place in (2, 3):
            cases[place]["language"] = "sv-FI"
        groups = {group.language: group for group in calibrate(court, cases, lines).groups}

        assert groups["en"].found.kappa == 1
        assert (groups["sv"].found.kappa, groups["sv"].found.lower, groups["sv"].found.interval) == (None, None, None)
        assert groups["sv"].doubt == "2 labels, 50 are needed for sv"

    def test_labels_of_one_case_have_no_bound(self, court: Court) -> None:
        """A hundred claims of one answer say nothing about another answer."""
        cases = [case("c", *[S] * 50, *[U] * 50)]
        lines = [said("c", S if n < 50 else U, claim=f"s{n}.1") for n in range(100)]
        [group] = calibrate(court, cases, lines).groups

        assert (group.found.kappa, group.found.lower) == (1.0, None)
        assert group.doubt == "kappa has no lower bound for en"

    def test_the_majority_decides_and_an_even_split_is_left_out(self, court: Court) -> None:
        """Three annotators on one claim count as one label; what two are divided on is named and not used."""
        cases, lines = claims("+-+", "+-+")
        more = [said("c0", U, "bo"), said("c0", S, "cy"), said("c2", C, "bo")]
        outcome = calibrate(court, cases, [*lines, *more])

        assert outcome.groups[0].found.n == 2
        assert [each.message for each in outcome.left_out] == [
            "annotators are evenly divided on the claim 's0.1' of case 'c2'"
        ]

    def test_one_claim_labelled_by_id_and_by_text_is_labelled_twice(self, court: Court) -> None:
        """Nobody can know which of the two an annotator means."""
        cases, lines = claims("+-", "+-")
        assert "labelled by 'anna' already" in refused(court, cases, [*lines, said("c0", U, claim="claim 0 of c0")])[0]


def judged(name: str, **fields: Any) -> dict[str, Any]:
    """A case of which a judge said this."""
    claims_, facts = fields.pop("claims", ()), fields.pop("required", {})
    stored = judgement.write(Judged(claims_, Judgement(**fields)))
    labels_ = {"facts": [{"id": fact, "text": text} for fact, text in facts.items()]}
    return {"id": name, **stored, "labels": labels_}


def test_each_kind_of_label_calibrates_its_metric(court: Court) -> None:
    """Statements, facts, relevance, abstention, chunks and preferences, in both classes, each against its verdict."""
    cases = [
        judged(
            f"c{n}", abstained=Opinion(value=bool(n)), relevance=Opinion(value=not n),
            statements=(Statement(id="r1", text="It opens.", answer="contradicted" if n else "present"),),
            facts=(JudgedFact(fact="f1", present=not n),), required={"f1": "At nine."},
            useful=(JudgedChunk(chunk="k1", useful=not n),),
            preference=Preference(first="win", second="loss" if n else "win", value=0.5 if n else 1.0),
        )
        for n in (0, 1)
    ]  # fmt: skip
    things = {
        "statement": ("r1", "present", "missing"), "fact": ("At nine.", "present", "missing"),
        "relevance": (True, "relevant", "irrelevant"), "abstention": (True, "answered", "abstained"),
        "chunk": ("k1", "relevant", "irrelevant"), "preference": (True, "win", "tie"),
    }  # fmt: skip
    lines = [said(f"c{n}", words[n + 1], **{kind: words[0]}) for kind, words in things.items() for n in (0, 1)]
    outcome = calibrate(court, cases, lines)

    assert {group.kind.metric: group.found.kappa for group in outcome.groups} == dict.fromkeys(
        ("correctness", "answer_completeness", "answer_relevance", "abstention", "context_relevance_judged",
         "preference"), 1.0,
    )  # fmt: skip
    # Correctness: one of two a step apart, and by chance 2 + 1 + 1 steps over 2.
    assert outcome.groups[0].weighted == pytest.approx(1 - 1 / 2)


def test_a_sure_abstention_and_the_reference_itself_need_no_verdict(court: Court) -> None:
    """What is gated without a call counts as what it is gated as."""
    cases = [
        judged("c0", sure=True),
        judged("c1", same=True, abstained=Opinion(value=False), required={"f": "x"}),
        judged("c2", facts=(JudgedFact(fact="f", present=False),), required={"f": "x"}),
    ]
    lines = [
        said("c0", "abstained", abstention=True), said("c1", "answered", abstention=True),
        said("c1", "present", fact="f"), said("c2", "missing", fact="f"),
    ]  # fmt: skip
    assert [group.found.kappa for group in calibrate(court, cases, lines).groups] == [1.0, 1.0]


def test_metrics_that_no_label_speaks_for_are_named(court: Court) -> None:
    """The run's judged metrics without labels stay advisory, and the reader is told which they are."""
    path = court.run("run", claims("+-", "+-")[0])
    run = json.loads(path.read_text())
    names = ("recall@5", "faithfulness", "correctness", "context_sufficiency")
    run["summary"]["all"] = {name: {"mean": 1.0, "n": 2, "of": 2} for name in names}
    path.write_text(json.dumps(run))
    file = court.folder / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in claims("+-", "+-")[1]))

    assert calibration.calibrate(labels.read([file]), read_run(path)).unlabelled == ("correctness",)


def calibrated(**fields: Any) -> Calibrated:
    """100 labels with a kappa of 0.7 and an interval of 0.2 to both sides."""
    known = {"n": 100, "classes": {S: 80, U: 20}, "kappa": 0.7, "lower": 0.5, "interval": (0.5, 0.9)}
    return Calibrated.model_validate({**known, **fields})


class TestMore:
    """How many more labels it takes."""

    def test_half_the_width_takes_four_times_as_many(self) -> None:
        """From 0.2 to 0.1 on both sides: 400 in all, 300 more; and none where it is narrow enough."""
        assert calibration.to_narrow(calibrated()) == 300
        assert calibration.to_narrow(calibrated(interval=(0.65, 0.75))) == 0
        assert calibration.to_narrow(calibrated(interval=(1, 1))) is None
        assert calibration.to_narrow(calibrated(interval=None)) is None

    @pytest.mark.parametrize(
        ("fields", "more"),
        [
            ({}, 0),
            # The bound may lie 0.3 below instead of 0.6: four times the labels.
            ({"lower": 0.1}, 300),
            # Of 100 labels 10 are of the rarer class.
            ({"n": 60, "classes": {S: 54, U: 6}}, 40),
            ({"n": 20, "classes": {S: 10, U: 10}}, 30),
            ({"kappa": 0.59}, None),
            ({"kappa": None, "lower": None}, None),
            ({"classes": {S: 100, U: 0}}, None),
        ],
    )
    def test_until_it_is_enforced(self, fields: dict[str, Any], more: int | None) -> None:
        """50 labels, 10 of each class, and a bound of 0.4 at a min_kappa of 0.6; a low kappa no label mends."""
        assert calibration.to_enforce(calibrated(**fields), 0.6) == more


class TestEffects:
    """What sways a judge."""

    def test_errors_go_with_length(self, court: Court) -> None:
        """Nine answers; the three longest are judged wrongly: thirds say 0, 0 and 3 of 3, the correlation is high."""
        cases, lines = claims("+-+-+-+-+", "+-+-+--+-")
        for place, each in enumerate(cases):
            each["answer"] = "x" * (10 + place)
        length = calibrate(court, cases, lines).groups[0].length

        assert length.parts == ((10, 12, 3, 0), (13, 15, 3, 0), (16, 18, 3, 3))
        # Ranks 1 to 9 against six of 3.5 and three of 8: 9 x 1.5 + 9 x 3 = 40.5 together, 60 and 40.5 alone.
        assert length.correlation == pytest.approx(40.5 / (60 * 40.5) ** 0.5)

    def test_few_cases_are_not_split(self, court: Court) -> None:
        """Two of a part say nothing about lengths, nor does the order of four."""
        assert calibrate(court, *claims("+-+-", "+--+")).groups[0].length == ((), None)

    def test_two_labels_make_no_correlation(self, court: Court) -> None:
        """Of two answers the longer is judged wrongly: that would be a perfect correlation."""
        cases, lines = claims("+-", "++")
        cases[1]["answer"] = "x" * 500

        assert calibrate(court, cases, lines).groups[0].length.correlation is None

    def test_place_is_told_from_the_seed_of_the_run(self, court: Court) -> None:
        """Twelve pairs are won by whichever answer stands first, two by neither: p of 12 coins alike is 2 / 4096."""
        cases, lines = claims("+-" * 7, "+-" * 7)
        for each in cases:
            led = judgement.is_first(7, each["id"])
            first, second = ("win", "loss") if led else ("loss", "win")
            if each["id"] in ("c12", "c13"):
                first = second = "win"
            value = 1.0 if first == second else 0.5
            found = Judgement(preference=Preference(first=first, second=second, value=value))
            each.update(judgement.write(Judged(tuple(each["claims"]), found)))
        court.config["judge"] = {"provider": "scripted", "model": "m", "seed": 7}

        assert calibrate(court, cases, lines).position == (14, 12, 0, pytest.approx(2 / 4096))

    @pytest.mark.parametrize(("first", "second", "p"), [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 0.0625), (8, 2, 0.109375)])
    def test_a_sign_test_by_hand(self, first: int, second: int, p: float) -> None:
        """Two-sided, never above 1."""
        assert effects.sign_test(first, second) == effects.sign_test(second, first) == p
