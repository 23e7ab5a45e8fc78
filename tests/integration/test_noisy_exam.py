"""A change may not loosen its own exam by what it says of noise, of the judge, or of how sure one has to be.

In every attack four of ten answers lose four of their nine supported claims. The baseline's noise.json makes that
0.16 a regression by far; sign flips alone, of four cases, show nothing: one way of sixteen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.config import load_config
from evaluator.model.decision import Decision
from evaluator.model.noise import Noise
from evaluator.stages import known_noise
from evaluator.stages.check import check
from tests.court import FINGERPRINT, Court, calibration, case

if TYPE_CHECKING:
    from collections.abc import Callable

S, U = "supported", "unsupported"
RULE = {"metric": "faithfulness", "per": "category", "max_drop": 0.03, "min_lost": 2}
GOOD = [case(f"c{n}", *[S] * 9, U) for n in range(10)]
FALLEN = [case(f"c{n}", *[S] * 5, *[U] * 5) for n in range(4)] + GOOD[4:]
HTTP = {"kind": "http", "http": {"url": "http://127.0.0.1:9/ask"}}
MEASURED = 0.05


@pytest.fixture
def court(tmp_path: Path) -> Court:
    """A court with one rule, a judge that is believed, and noise that was measured."""
    court = Court(tmp_path, {"gate": {"rules": [RULE]}})
    court.calibrate(calibration())
    write(court, noise(court))
    return court


def noise(court: Court, sd: float = MEASURED, **fields: Any) -> dict[str, Any]:
    """What noise.json says of the pipeline and the judge that the configuration names now."""
    config = load_config(court.write())
    known = {"sd": sd, "categories": {"uncategorised": {"sd": sd, "n": 10}}}
    return {
        "format": 1, "fingerprint": known_noise.fingerprint(config, FINGERPRINT), "date": "2026-11-01", "repeats": 5,
        "pipeline_fingerprint": known_noise.fingerprint(config, None), "metrics": {"faithfulness": known}, **fields,
    }  # fmt: skip


def write(court: Court, found: dict[str, Any] | str, name: str = "noise.json") -> None:
    """Put noise.json where the configuration names it."""
    text = found if isinstance(found, str) else json.dumps(found)
    court.config.pop("noise", None)
    (court.folder / name).write_text(text)
    court.config["noise"] = name


def settings(court: Court, section: str, **fields: Any) -> None:
    """Change keys of a section."""
    court.config[section] = {**court.config[section], **fields}


def base(court: Court, known: dict[str, Any] | None) -> Path:
    """The baseline, with the noise.json that it was decided by."""
    stored = Noise.model_validate(known) if known is not None else None
    return court.run("base", GOOD, calibration=calibration(), noise=stored)


def fall(court: Court, attack: Callable[[Court], Any], cases: list[dict[str, Any]] = FALLEN) -> Decision:
    """The decision on a change that makes answers worse and does something besides."""
    baseline = base(court, noise(court))
    attack(court)
    court.run("new", cases)
    return court.decide("new", baseline)


def blamed(court: Court) -> set[str | None]:
    """The keys that are said to have made the exam easier."""
    return {entry.where for entry in court.comparison("new").loosened}


def test_the_fall_itself_is_red(court: Court) -> None:
    """0.16 where t(0.95, 40) x 0.05 x root(2 / 10) and the like are far less."""
    decision = fall(court, lambda _: None)
    assert decision.outcome == "failed"
    assert blamed(court) == set()


def test_no_fall_is_green_whatever_is_said_of_noise(court: Court) -> None:
    """Measuring again, even with much more noise, is nothing a person has to accept."""
    decision = fall(court, lambda court: write(court, noise(court, 0.5)), GOOD)
    assert (decision.outcome, blamed(court)) == ("passed", set())


def _forget_noise(court: Court) -> None:
    del court.config["noise"]


def _uncalibrate(court: Court) -> None:
    court.calibrate(None)
    settings(court, "judge", advisory="pass")


def _distrust(court: Court) -> None:
    court.calibrate(calibration(kappa=0.3))
    settings(court, "judge", advisory="pass")


ATTACKS: list[Any] = [
    pytest.param(lambda court: write(court, noise(court, 0.5)), "contents of noise", id="a noisier noise.json"),
    pytest.param(_forget_noise, "contents of noise", id="no noise.json any more"),
    pytest.param(lambda court: write(court, noise(court, 0.5), "b.json"), "contents of noise", id="another file"),
    pytest.param(lambda court: write(court, noise(court, metrics={})), "contents of noise", id="a file of nothing"),
    pytest.param(
        lambda court: write(court, noise(court, fingerprint="x", pipeline_fingerprint=None)), "(stale: another judge",
        id="a noise.json of something else",
    ),
    pytest.param(lambda court: settings(court, "gate", alpha=1e-9), "gate.alpha: 0.05 → 1e-09", id="alpha"),
    pytest.param(
        lambda court: settings(court, "gate", alpha=5e-324), "gate.alpha: 0.05 → 4.94066e-324", id="the least alpha"
    ),
    pytest.param(
        lambda court: settings(court, "gate", rules=[{**RULE, "max_drop": 0.5}], drift={"max_drop": 0.5}),
        "gate.rules[0].max_drop: 0.03 → 0.5; gate.drift.max_drop: 0.05 → 0.5", id="limits",
    ),
    pytest.param(
        lambda court: settings(court, "gate", rules=[{**RULE, "min_lost": 5}]), "gate.rules[0].min_lost: 2 → 5",
        id="min_lost",
    ),
    pytest.param(
        lambda court: settings(court, "gate", min_cases=50, alpha=1e-9), "gate.min_cases: 5 → 50", id="min_cases"
    ),
    pytest.param(_uncalibrate, "judge.advisory: inconclusive → pass; judge.calibration", id="no calibration"),
    pytest.param(_distrust, "judge.calibration", id="a worse calibration"),
    pytest.param(
        lambda court: settings(court, "judge", min_kappa=0.99, advisory="pass"), "judge.min_kappa: 0.6 → 0.99",
        id="min_kappa",
    ),
    pytest.param(
        lambda court: court.config.update(pipeline=HTTP), "(stale: another judge, pipeline.kind", id="another kind"
    ),
    pytest.param(
        lambda court: (court.config.update(pipeline=HTTP), write(court, noise(court, 0.5))), "contents of noise",
        id="another kind with noise of its own",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("attack", "key"), ATTACKS)
def test_what_hides_a_fall_from_the_changes_own_exam(court: Court, attack: Callable[[Court], Any], key: str) -> None:
    """It is red under the baseline's: inconclusive, with the key to blame, until a person accepts the row."""
    decision = fall(court, attack)
    assert (decision.outcome, decision.exit_code) == ("inconclusive", 3)
    assert decision.reasons[0].code == "loosened"
    assert {entry.metric for entry in court.comparison("new").loosened} == {"faithfulness"}
    assert all(key in (where or "") for where in blamed(court)), blamed(court)
    baseline = court.folder / "base" / "run.json"
    assert "this change makes its own exam easier" in court.report("new", baseline).splitlines()[0]
    entries = [
        {**entry.entry, "reason": "agreed", "until": "2099-01-01"}
        for entry in court.comparison("new").loosened
        if entry.entry is not None
    ]
    (court.folder / "accepted.yml").write_text(json.dumps(entries))
    court.config["accepted"] = "accepted.yml"
    court.run("new", FALLEN)
    assert "loosened" not in {reason.code for reason in court.decide("new", baseline).reasons}
    assert {entry.accepted for entry in court.comparison("new").loosened} == {"agreed"}


def test_a_pipeline_that_is_asked_more_often_does_not_shake_its_noise_off(court: Court) -> None:
    """With pipeline.repeats the file is stale for the change's own exam, and as good as before for the baseline's."""
    court.config["pipeline"] = HTTP
    write(court, noise(court))
    decision = fall(court, lambda court: settings(court, "pipeline", repeats=3))
    assert decision.outcome == "inconclusive"
    assert all("(stale: another judge, pipeline.kind or pipeline.repeats)" in (where or "") for where in blamed(court))


def test_a_change_of_alpha_that_is_red_all_the_same(court: Court) -> None:
    """What fails by the change's own rules is a failure and needs no second name."""
    decision = fall(court, lambda court: settings(court, "gate", alpha=0.01))
    assert (decision.outcome, blamed(court)) == ("failed", set())


def test_noise_that_the_change_measures_first_is_held_to_what_sign_flips_say(court: Court) -> None:
    """All ten fell, by one way of 1,024: red without noise.json, and green beside the one that the change brings."""
    del court.config["noise"]
    baseline = base(court, None)
    write(court, noise(court, 0.5))
    court.run("new", [case(f"c{n}", *[S] * 7, *[U] * 3) for n in range(10)])
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert all("the contents of noise: none → " in (where or "") for where in blamed(court))


def test_a_calmer_noise_json_is_stricter_and_hides_nothing(court: Court) -> None:
    """Beside the baseline's 0.2 the fall was chance, and beside the change's own it is none: red by its own exam."""
    baseline = base(court, noise(court, 0.2))
    court.run("new", FALLEN)
    assert court.decide("new", baseline).outcome == "failed"
    assert blamed(court) == set()


def test_a_stale_noise_json_is_ignored_aloud(court: Court) -> None:
    """The report names the metric, the day and the remedy, and the row is tested as if nothing had been measured."""
    stale = noise(court, fingerprint="x", pipeline_fingerprint="y")
    baseline = base(court, stale)
    write(court, stale)
    court.run("new", FALLEN)
    assert court.decide("new", baseline).outcome == "passed"
    (row,) = [row for row in court.comparison("new").rows if (row.metric, row.scope) == ("faithfulness", "all")]
    assert (row.noise, row.status) == (None, "within noise")
    assert court.exam("new").doubts[0] == (
        "The noise of faithfulness was measured on 2026-11-01 with another judge, pipeline.kind or "
        "pipeline.repeats and counts for nothing: run rag-assay noise again."
    )


def test_a_suite_that_is_too_small_to_tell_is_told(court: Court) -> None:
    """Four cases can show no fall, however far: the report says so before anything falls."""
    del court.config["noise"]
    baseline = base(court, None)
    court.run("new", GOOD)
    court.decide("new", baseline)
    assert len(court.exam("new").doubts) == 1
    baseline = court.run("base", GOOD[:4], calibration=calibration())
    court.run("new", GOOD[:4])
    court.decide("new", baseline)
    assert "too few cases to tell any fall of faithfulness from chance" in court.exam("new").doubts[1]


def test_noise_that_could_make_any_fall_decides_nothing(court: Court) -> None:
    """By 0.7 and so small an alpha the band is wider than all there is: a rule that cannot fail is undecided.

    It makes no difference who wrote the rule.
    """
    settings(court, "gate", alpha=0.001)
    loud = noise(court, 0.7)
    baseline = base(court, loud)
    write(court, loud)
    court.run("new", FALLEN)
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    blind = ["blind-noise"] * 2
    assert [reason.code for reason in decision.reasons] == [*blind, "undecided-rule", "nothing-decided"]
    court.run("new", GOOD)
    assert court.decide("new", baseline).outcome == "passed"
    del court.config["gate"]["rules"]
    baseline = base(court, loud)
    court.run("new", FALLEN)
    decision = court.decide("new", baseline)
    assert [reason.code for reason in decision.reasons] == blind
    assert "chance alone makes" in decision.reasons[0].text
    assert decision.reasons[0].text.endswith("; that could make any fall: measure the noise again, or add cases")


def test_noise_that_no_values_can_have_counts_for_nothing(court: Court) -> None:
    """Two values from 0 to 1 lie apart by 1 at most: check and the report name the metric, and sign flips decide."""
    loud = noise(court, 2.0)
    baseline = base(court, loud)
    write(court, loud)
    court.run("new", [case(f"c{n}", *[U] * 10) for n in range(10)])
    assert court.decide("new", baseline).outcome == "failed"
    ignored = "he noise of faithfulness is above 0.7072, which no values from 0 to 1 can have, and counts for nothing"
    assert court.exam("new").doubts[0] == f"T{ignored}: run rag-assay noise again."
    found = [each for each in check(court.write(), today="2026-11-30") if each.code == "impossible-noise"]
    assert [(each.severity, each.message) for each in found] == [
        ("warning", f"t{ignored}: measure it again with rag-assay noise")
    ]
    write(court, noise(court, 0.7071))
    assert "impossible-noise" not in {each.code for each in check(court.write(), today="2026-11-30")}


def test_check_says_that_noise_json_cannot_be_read(court: Court) -> None:
    """As a run would."""
    write(court, "{}")
    assert "noise.json" in {Path(each.file).name for each in check(court.write(), today="2026-11-30")}


def test_a_smaller_sample_beside_measured_noise(court: Court) -> None:
    """The four that fell are not drawn any more: missing under the baseline's terms."""
    undrawn = [case(f"c{n}", drawn=False) for n in range(4)]
    decision = fall(court, lambda court: settings(court, "judge", sample=6), undrawn + GOOD[4:])
    assert decision.outcome == "inconclusive"
    assert all("judge.sample: none → 6" in (where or "") for where in blamed(court))


def replaced(text: str, old: str, new: str) -> str:
    """A text in which something stood once."""
    assert text.count(old) == 1
    return text.replace(old, new)


HOSTILE: list[Any] = [
    pytest.param('"repeats": 5', '"repeats": 1', "repeats must be at least 2", id="one repeat"),
    pytest.param('"repeats": 5', f'"repeats": {10**400}', "repeats must be at most 10000", id="repeats without end"),
    pytest.param('"repeats": 5', '"repeats": 5, "repeats": 5', "repeats", id="a key twice"),
    pytest.param('"sd": 0.05, "cat', '"sd": NaN, "cat', "NaN and Infinity are no JSON numbers", id="NaN"),
    pytest.param('"sd": 0.05, "cat', '"sd": -1, "cat', "sd must be at least 0", id="below zero"),
    pytest.param('"sd": 0.05, "cat', '"sd": 1e308, "cat', "sd must be at most 1e", id="a number that overflows"),
    pytest.param('"sd": 0.05, "cat', '"kurtosis": 1e308, "sd": 0, "cat', "kurtosis must be at most 1e", id="kurtosis"),
    pytest.param('"n": 10', f'"n": {10**400}', "n must be at most 1e", id="cases without end"),
    pytest.param('"n": 10', '"n": 0', "n must be at least 1", id="no case"),
    pytest.param('"format": 1', '"format": 2', "format", id="another format"),
    pytest.param('"date"', '"datum": "x", "date"', "datum", id="an unknown key"),
]


@pytest.mark.parametrize(("old", "new", "said"), HOSTILE)
def test_a_hostile_noise_json_is_one_clear_sentence(court: Court, old: str, new: str, said: str) -> None:
    """It names the file and what is wrong in it."""
    baseline = base(court, noise(court))
    court.run("new", FALLEN)
    write(court, replaced(json.dumps(noise(court)), old, new))
    with pytest.raises(errors.FileProblem, match=r"noise\.json") as caught:
        court.decide("new", baseline)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 300


def test_the_largest_numbers_that_are_read_overflow_nothing(court: Court) -> None:
    """Whatever stands in the file: a decision, and no crash."""
    known = {"sd": 1e12, "kurtosis": 1e12, "categories": {"uncategorised": {"sd": 1e12, "n": 1}}}
    loudest = noise(court, metrics={"faithfulness": known}, repeats=2)
    decision = fall(court, lambda court: (write(court, loudest), settings(court, "gate", alpha=5e-324)))
    assert decision.outcome == "inconclusive"


def test_metrics_and_cases_that_there_are_not_are_ignored(court: Court) -> None:
    """What a noise.json says of something else changes no row; no case is named that is not asked or is held out."""
    known = noise(court)
    known["metrics"]["faithfulnes"] = {"sd": 0.9, "categories": {}}
    known["cases"] = {name: {"faithfulness": 1.0, "faithfulnes": 1.0} for name in ("gone", "held", "c3")}
    held = case("held", S, split="holdout")
    decision = fall(court, lambda court: write(court, known), [*FALLEN, held])
    assert decision.outcome == "failed"
    assert court.exam("new").doubts == ("Two equal runs often disagree about 1 case: c3 (faithfulness, 100%).",)
