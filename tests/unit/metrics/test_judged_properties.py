"""What holds for the judged metrics whatever a judge says."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.golden import Fact, Labels
from evaluator.model.judgement import Claim
from evaluator.model.score import MetricId, NotApplicable, Scored, Unscored
from evaluator.model.view import CaseView
from tests.judgements import judgement, replied, view
from tests.views import one_of

if TYPE_CHECKING:
    from evaluator.model.judgement import Judgement
    from evaluator.model.score import Score

JUDGED = [MetricId(name) for name, metric in metrics.load().items() if metric.reads == "judge"]
OF_CLAIMS = [MetricId(name) for name in ("faithfulness", "correctness", "noise_sensitivity", "citation_precision")]
CHUNKS = "ABC"
ANSWER = "One [A]. Two [B][C]. Three [1]."
SENTENCES = ("One [A].", "Two [B][C].", "Three [1].")

opinions = st.sampled_from([True, False, None])
claims = st.builds(
    Claim, id=st.uuids().map(str), text=st.just("claim"), sentence=st.integers(1, 3),
    verdict=st.sampled_from(["supported", "unsupported", "unclear"]),
    chunks=st.lists(st.sampled_from(CHUNKS), unique=True).map(tuple), jointly=st.booleans(),
    reference=st.sampled_from(["in_reference", "contradicts", "beyond"]),
)  # fmt: skip
judgements = st.builds(
    judgement, abstained=opinions, relevance=opinions, sufficiency=opinions, sure=st.booleans(), same=st.booleans(),
    drawn=st.sampled_from([True, True, True, False]), sentences=st.just(SENTENCES),
    statements=st.lists(st.sampled_from(["present", "missing", "contradicted", None]), max_size=4),
    attributable=st.lists(opinions, max_size=4),
    facts=st.dictionaries(st.sampled_from(["f", "g"]), st.booleans()),
    useful=st.dictionaries(st.sampled_from(CHUNKS), st.booleans()),
    similarities=st.lists(st.floats(-1, 1), max_size=3).map(tuple),
    preference=st.sampled_from([None, "win win", "win loss", "tie tie", "loss loss"]),
    unscored=st.dictionaries(st.sampled_from(["claims", "context", "answer", "statements", "embedding"]), st.just("r")),
)  # fmt: skip
labels = st.builds(
    Labels, expect=st.sampled_from(["answer", "abstain"]), reference=st.sampled_from([None, "r"]),
    facts=st.sampled_from([(), (Fact(id="f", text="f"),), (Fact(id="f", text="f"), Fact(id="g", text="g"))]),
)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> CaseView:
    """Any case of any judgement, labels and claims; a judge may contradict itself."""
    base = view(
        draw(st.sampled_from(["", "A", "ABC", "CBA"])),
        *draw(st.lists(st.sampled_from(["A", "BC"]), unique=True)),
        said=draw(judgements), labels=draw(labels), answer=draw(st.sampled_from([ANSWER, "", None])),
        paraphrases=draw(st.lists(st.none() | st.builds(replied, labels, facts=st.just({"f": True})), max_size=3)),
        failed=draw(st.sampled_from([False, False, False, True])),
    )  # fmt: skip
    return dataclasses.replace(base, claims=draw(st.none() | st.lists(claims, max_size=5)))


def scores(case: CaseView, ids: list[MetricId] = JUDGED) -> dict[str, Score]:
    """The judged metrics of a case."""
    return {str(metric): score for metric, score in scoring.score_case(case, ids, metrics.load()).items()}


def answered(found: list[Claim], **said: Any) -> CaseView:
    """A case whose answer makes these claims, with a reference of which half is there."""
    known = judgement(sentences=SENTENCES, statements=("present", "missing"), **said)
    base = view(CHUNKS, one_of("A"), said=known, labels=Labels(reference="r"), answer=ANSWER)
    return dataclasses.replace(base, claims=found)


@given(cases())
def test_no_value_is_outside_0_and_1(case: CaseView) -> None:
    """Whatever the judge says, and however it contradicts itself: a value within the range, or a reason for none."""
    for score in scores(case).values():
        assert 0 <= score.value <= 1 if isinstance(score, Scored) else score.reason


@given(cases())
def test_a_failed_case_is_never_better_for_having_failed(case: CaseView) -> None:
    """Each metric that applies to it is at its worst, and none is unscored but preference, which has no baseline."""
    for name, score in scores(dataclasses.replace(case, failed=True, judgement=None, paraphrases=())).items():
        worst = Scored(0.0 if metrics.load()[name].higher_is_better else 1.0)
        assert isinstance(score, NotApplicable) or score == worst


@given(st.lists(claims, min_size=1, max_size=6), claims)
def test_one_more_supported_claim_never_lowers_faithfulness(found: list[Claim], other: Claim) -> None:
    """Nor does one more that is not supported raise it."""
    before, after = (scores(answered(each))["faithfulness"] for each in (found, [*found, other]))

    assert isinstance(before, Scored)
    assert isinstance(after, Scored)
    assert after.value >= before.value if other.verdict == "supported" else after.value <= before.value


@given(st.lists(claims, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_claims_changes_nothing(found: list[Claim], random: Any) -> None:
    """A judge may list them as it likes."""
    shuffled = random.sample(found, len(found))

    assert scores(answered(shuffled)) == scores(answered(found))


@given(st.lists(claims, min_size=1, max_size=6))
def test_wrong_claims_are_of_a_relevant_chunk_or_of_irrelevant_ones(found: list[Claim]) -> None:
    """The two halves of noise sensitivity add up to the whole."""
    values = [
        score.value if isinstance(score, Scored) else None
        for name, score in scores(answered(found)).items()
        if name.startswith("noise_sensitivity")
    ]
    whole, *halves = sorted(each for each in values if each is not None)[::-1]

    assert abs(whole - sum(halves)) < 1e-12


@given(cases())
def test_unscored_never_becomes_a_value(case: CaseView) -> None:
    """With every part broken and nothing left of it, no metric that needed the judge has a number from it."""
    broken: Judgement = judgement(
        abstained=None, relevance=None,
        unscored=dict.fromkeys(("claims", "context", "answer", "statements", "embedding", "preference"), "broken"),
    )  # fmt: skip
    blind = dataclasses.replace(case, judgement=broken, claims=None, failed=False, paraphrases=(), answer=ANSWER)

    for name, score in scores(blind).items():
        if isinstance(score, Scored):
            # An empty context is one without asking.
            assert (case.context, score.value) == ((), 0.0), name
        else:
            assert isinstance(score, NotApplicable) or score == Unscored("broken"), name


@given(st.lists(claims, min_size=1, max_size=6), st.integers(0, 5))
def test_a_claim_without_a_verdict_takes_the_value_away(found: list[Claim], place: int) -> None:
    """A judge that breaks on unsupported claims does not raise faithfulness (S1, S12)."""
    place %= len(found)
    cut = [claim.but(verdict=None) if number == place else claim for number, claim in enumerate(found)]
    case = answered(cut, unscored={"context": "broken"})

    assert scores(case, OF_CLAIMS[:1])["faithfulness"] == Unscored("broken")
