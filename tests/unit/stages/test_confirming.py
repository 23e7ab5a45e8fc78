"""What critical cases may have lost is judged again, of this run and of the baseline, before it counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluator import errors
from tests.fakes import llm_brain
from tests.fakes.llm_brain import Asked
from tests.fakes.llm_server import LlmServer
from tests.judging import RIGHT, WRONG, Judged

RULES = ("lost_answer_facts", "wrong_abstention", "new_unsupported_claims")
OTHER = "Returns take thirty days."
"""An answer that is not the baseline's."""


class Mind:
    """A judge that says what a test sets, judging by judging: ``+`` there (or right), ``-`` not, ``x`` no reply.

    ``before`` is what it says of the baseline, ``now`` of this run: of facts and of the abstention, or of claims.
    """

    def __init__(self, now: str, before: str, rule: str = "lost_answer_facts") -> None:
        self.left = {"now": list(now), "before": list(before)}
        self.of_claims = rule == "new_unsupported_claims"

    def __call__(self, asked: Asked) -> Any:
        """The reply."""
        reply = llm_brain.literal(asked)
        if bool(asked.chunks) != self.of_claims or not ("abstention" in reply or asked.chunks):
            return reply
        if asked.chunks:
            # Both runs make the same claim, and this one on a context of two chunks.
            said = self._next(asked, "before" if len(asked.chunks) == 3 else "now")
            holds = {"verdict": "supported", "chunks": ["c1"], "quote": llm_brain.quote(asked.chunks["c1"])}
            fails = {"verdict": "unsupported", "chunks": [], "quote": None}
            reply["claims"] = [{**claim, **(holds if said == "+" else fails)} for claim in reply["claims"]]
        else:
            said = self._next(asked, "before" if asked.blocks["answer"] == RIGHT else "now")
            reply["abstention"]["abstained"] = said == "-"
            reply["facts"] = [{**fact, "present": said == "+"} for fact in reply["facts"]]
        return "no JSON" if said == "x" else reply

    def _next(self, asked: Asked, whose: str) -> str:
        # A repair is part of the judging that it mends.
        return "x" if "reply" in asked.blocks else self.left[whose].pop(0)


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A judge."""
    with LlmServer(brain=llm_brain.literal, dated={"judge-1": "judge-1-2026"}) as found:
        yield found


def court(folder: Path, server: LlmServer, *rules: str, **fields: Any) -> Judged:
    """A critical case with one fact, under some of the rules."""
    critical = {rule: 0 if rule in rules else None for rule in RULES}
    golden = [{"id": "c", "critical": True, "facts": [{"id": "f", "text": "thirty days"}], **fields}]
    return Judged.of(
        folder, server, golden, metrics=["recall@5", "answer_relevance"], gate={"critical": critical}
    )  # fmt: skip


def answers(rule: str) -> dict[str, Any]:
    """This run's: another one, or, where claims are held against the context, the same on another context."""
    if rule == "new_unsupported_claims":
        return {"c": {"retrieved": [{"id": "k1"}, {"id": "k3"}], "answer": RIGHT}}
    return {"c": OTHER}


def outcome(made: Judged, rule: str, out: str = "new") -> dict[str, Any]:
    """What a critical rule came to."""
    found: list[dict[str, Any]] = made.read(out, "exam.json")["exam"]["critical"]
    return next(each for each in found if each["rule"] == rule)


def stored(made: Judged, rule: str) -> dict[str, Any]:
    """What run.json holds of the further judgings."""
    case = made.cases("new")["c"]
    if rule != "new_unsupported_claims":
        (further,) = case["judgement"]["further"]
        assert further["fact"] == ("f" if rule == "lost_answer_facts" else None)
        # The answer is right where it does not abstain.
        right = rule == "lost_answer_facts"
        return {key: ["+" if holds == right else "-" for holds in further[key]] for key in ("again", "before")}
    (claim,) = case["claims"]
    return {key: ["+" if each == "supported" else "-" for each in claim[key]] for key in ("again", "before")}


class Told(NamedTuple):
    """What a judge says, what is kept of the further judgings of both runs, the calls of those, and what that means."""

    now: str
    before: str
    again: str
    known: str
    calls: int
    lost: int = 0
    unconfirmed: int = 0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "told",
    [
        pytest.param(Told("---", "+++", "--", "++", 4, lost=1), id="confirmed"),
        pytest.param(Told("--+", "+", "+-", "", 2), id="not confirmed"),
        pytest.param(Told("---", "+--", "--", "--", 4), id="the baseline's judge was wrong"),
        pytest.param(Told("---", "++-+", "--", "++-", 5, lost=1), id="a third decides that it was there"),
        pytest.param(Told("---", "+-+-", "--", "+--", 5), id="a third decides that it was not"),
        # An unusable reply takes one call more, its repair.
        pytest.param(Told("--x", "+", "-", "", 3, unconfirmed=1), id="one of this run's could not be had"),
        pytest.param(Told("---", "+x++", "--", "++", 6, lost=1), id="a third for one that could not be had"),
        pytest.param(Told("---", "+xx", "--", "", 6, unconfirmed=1), id="none of the baseline's could be had"),
        pytest.param(Told("---", "+x+x", "--", "+", 7, unconfirmed=1), id="one of the baseline's is not enough"),
    ],
)
def test_a_suspicion_is_judged_again(tmp_path: Path, server: LlmServer, rule: str, told: Told) -> None:
    """N2: so many calls, each judging kept where compare finds it, and none of them made a second time."""
    made, mind = court(tmp_path, server, rule), Mind(told.now, told.before, rule)
    server.brain = mind
    made.score("base")
    base = made.path("base").read_bytes()
    made.asked()
    made.answers = answers(rule)
    made.decide("new", "base")
    # One call is the first judging of what is new.
    assert made.asked() == 1 + told.calls
    assert mind.left == {"now": [], "before": []}
    found = {side: "".join(sorted(said)) for side, said in stored(made, rule).items()}
    assert found == {"again": "".join(sorted(told.again)), "before": "".join(sorted(told.known))}
    decided = outcome(made, rule)
    assert (decided["lost"], decided["unconfirmed"]) == (told.lost, told.unconfirmed), decided
    if "x" not in told.now + told.before:
        made.decide("new", "base")
        assert made.asked() == 0
        assert outcome(made, rule) == decided
    assert made.path("base").read_bytes() == base


@pytest.mark.parametrize("rule", RULES)
def test_an_unchanged_case_raises_no_suspicion(tmp_path: Path, server: LlmServer, rule: str) -> None:
    """What was wrong in the baseline is wrong now by the same reply: no call is made."""
    made, server.brain = court(tmp_path, server, rule), Mind("", "-++" if rule == "wrong_abstention" else "-", rule)
    made.score("base")
    made.asked()
    made.decide("new", "base")
    assert made.asked() == 0
    assert outcome(made, rule)["lost"] == 0


def test_a_claim_that_nobody_made_before_needs_no_second_look_at_the_baseline(
    tmp_path: Path, server: LlmServer
) -> None:
    """Two calls, and it is new; what the judge says of the baseline's other claims is left alone."""
    made = court(tmp_path, server, "new_unsupported_claims")
    made.score("base")
    made.answers = {"c": f"{RIGHT} {WRONG}"}
    made.score("new")
    made.asked()
    made.decide("new", "base")
    assert made.asked() == 2
    claims = made.cases("new")["c"]["claims"]
    assert [(claim["again"], claim["before"]) for claim in claims] == [([], []), (["unsupported"] * 2, [])]
    assert outcome(made, "new_unsupported_claims")["reason"] == f"new and unsupported: {WRONG}"


@pytest.mark.parametrize(("abstains", "calls"), [(False, 2 * 2 + 2), (True, 2 + 2)])
def test_facts_and_the_abstention_share_a_call_and_claims_have_their_own(
    tmp_path: Path, server: LlmServer, calls: int, *, abstains: bool
) -> None:
    """What an abstention says is not about the context, so that either is in doubt beside the fact."""

    def brain(asked: Asked) -> dict[str, Any]:
        reply = llm_brain.literal(asked)
        if "abstention" in reply and asked.blocks["answer"] == WRONG:
            reply["facts"] = [{**fact, "present": False} for fact in reply["facts"]]
            reply["abstention"]["abstained"] = abstains
        return reply

    made, server.brain = court(tmp_path, server, *RULES), brain
    made.score("base")
    made.asked()
    made.answers = {"c": WRONG}
    made.decide("new", "base")
    assert made.asked() == 3 + calls
    assert [outcome(made, rule)["lost"] for rule in RULES] == [1, int(abstains), int(not abstains)]


def test_an_answer_that_is_empty_asks_only_whether_the_baseline_had_it(tmp_path: Path, server: LlmServer) -> None:
    """Nothing of it needs a judge, also where none of all answers did: its judge is the baseline's all the same."""
    made, server.brain = court(tmp_path, server, *RULES), Mind("", "++++")
    made.score("base")
    made.asked()
    made.answers = {"c": ""}
    made.decide("new", "base")
    # Both questions are of one answer, and one call holds both.
    assert made.asked() == 2
    assert [outcome(made, rule)["lost"] for rule in RULES] == [1, 1, 0]
    facts = next(each for each in made.cases("new")["c"]["judgement"]["further"] if each["fact"] == "f")
    assert facts == {"fact": "f", "again": [], "before": [True, True]}


def test_a_case_that_the_pipeline_failed_on_has_lost_what_it_had_without_a_call(
    tmp_path: Path, server: LlmServer
) -> None:
    """Whatever the baseline's judge was right about."""
    made = court(tmp_path, server, *RULES)
    made.score("base")
    made.asked()
    made.answers = {"c": None}
    made.decide("new", "base")
    assert made.asked() == 0
    assert [outcome(made, rule)["lost"] for rule in RULES] == [1, 1, 0]


def test_nothing_is_asked_where_the_judged_half_is_lost(tmp_path: Path, server: LlmServer) -> None:
    """The baseline was not judged and a run before it was: nothing can be compared, and nothing decides by itself."""
    made, server.brain = court(tmp_path, server, *RULES), Mind("", "-")
    made.score("plain", tier="retrieval")
    path = made.path("plain")
    path.write_text(path.read_text().replace('"chain":[],"judge":null', f'"chain":[],"judge":"{"j" * 64}"', 1))
    assert made.read("plain")["history"]["judge"] is not None
    assert made.score("new", "plain")["c"]["judgement"]["further"] == []


def test_a_baseline_that_is_the_reference_itself_is_not_doubted(tmp_path: Path, server: LlmServer) -> None:
    """No judge said that the fact was there: only this run is asked about."""
    made = court(tmp_path, server, "lost_answer_facts", reference=RIGHT)
    server.brain = Mind("---", "+")
    made.score("base")
    made.answers = {"c": OTHER}
    made.score("new")
    made.asked()
    made.decide("new", "base")
    assert made.asked() == 2
    assert outcome(made, "lost_answer_facts")["lost"] == 1


def test_without_a_baseline_a_wrong_abstention_is_confirmed_as_well(tmp_path: Path, server: LlmServer) -> None:
    """It decides by itself then, and one wrong verdict would fail the first run of a suite."""
    made, server.brain = court(tmp_path, server, *RULES), Mind("", "-+-")
    made.score("new")
    assert made.cases("new")["c"]["judgement"]["further"][0]["before"] == []
    assert sorted(made.cases("new")["c"]["judgement"]["further"][0]["again"]) == [False, True]


def test_what_was_critical_in_the_baseline_is_asked_about_though_the_flag_is_gone(
    tmp_path: Path, server: LlmServer
) -> None:
    """The outcome has to be computable under the baseline's labels, too; held-out cases are decided by neither."""
    made, server.brain = court(tmp_path, server, "lost_answer_facts"), Mind("---", "+++")
    made.score("base")
    made.answers = {"c": OTHER}
    made.bench.cases[0]["critical"] = False
    made.decide("new", "base")
    assert made.cases("new")["c"]["judgement"]["further"][0]["before"] == [True, True]
    assert any(each["kind"] == "flag" for each in made.read("new", "comparison.json")["loosened"])
    made.bench.cases[0]["split"] = "holdout"
    assert made.score("new", "base")["c"]["judgement"]["further"] == []


def test_what_is_compared_without_the_judge_of_the_baseline_is_judged_again_in_this_run_alone(
    tmp_path: Path, server: LlmServer
) -> None:
    """That an empty answer abstained needed no judge; that this one does not is the word of another judge."""
    made, server.brain = court(tmp_path, server, "wrong_abstention", expect="abstain"), Mind("+++", "")
    made.answers = {"c": ""}
    made.score("base")
    made.answers = {"c": OTHER}
    made.judge["seed"] = 3
    made.decide("new", "base")
    # The judge finds no abstention, three times.
    assert stored(made, "wrong_abstention")["again"] == ["+", "+"]
    assert (outcome(made, "wrong_abstention")["lost"], outcome(made, "wrong_abstention")["unconfirmed"]) == (1, 0)


def test_a_decision_is_compared_though_a_fact_is_labelled_otherwise(tmp_path: Path, server: LlmServer) -> None:
    """The fact is not; whether the answer abstains has nothing to do with it."""
    made, server.brain = court(tmp_path, server, "wrong_abstention"), Mind("---", "+")
    made.score("base")
    made.answers = {"c": OTHER}
    made.bench.cases[0]["facts"] = [{"id": "f", "text": "one month"}]
    made.decide("new", "base")
    assert made.cases("new")["c"]["judgement"]["further"] == [{"fact": None, "again": [True, True], "before": []}]
    assert outcome(made, "wrong_abstention")["lost"] == 1


def test_a_case_that_is_labelled_or_asked_otherwise_is_not_asked_about(tmp_path: Path, server: LlmServer) -> None:
    """Nothing of it is compared."""
    made, server.brain = court(tmp_path, server, "lost_answer_facts"), Mind("--", "+")
    made.score("base")
    made.answers = {"c": OTHER}
    made.bench.cases[0]["facts"] = [{"id": "f", "text": "one month"}]
    assert made.score("new", "base")["c"]["judgement"]["further"] == []
    made.bench.cases[0].update(facts=[{"id": "f", "text": "thirty days"}], question="Something else?")
    assert made.score("new", "base")["c"]["judgement"]["further"] == []


def test_what_stands_in_a_run_is_read_strictly(tmp_path: Path, server: LlmServer) -> None:
    """A word in the place of yes or no is refused with its case."""
    made, server.brain = court(tmp_path, server, "lost_answer_facts"), Mind("---", "+++")
    made.score("base")
    made.answers = {"c": OTHER}
    made.decide("new", "base")
    path = made.path("new")
    path.write_text(path.read_text().replace('"before":[true,true]', '"before":["yes","yes"]', 1))
    made.path("next").parent.mkdir()
    with pytest.raises(errors.FileProblem, match=r"case 'c' cannot be read: further\.0\.before"):
        made.decide("next", "new")
