"""Whole runs as a reviewer would meet them; what the reports make of them is kept in tests/gold."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from evaluator.comparison.diagnosis import CONFLICTING
from evaluator.model.comparison import ConfigurationChange, Loosened
from evaluator.model.decision import Reason, RuleOutcome
from evaluator.model.exam import Regressed, Unsupported
from evaluator.model.exhibits import (
    Cell,
    CriticalCase,
    Difference,
    Exhibits,
    Finding,
    HoldoutRow,
    Passage,
    Reply,
    Unlabelled,
    Worse,
)
from evaluator.model.run import JudgeInfo, RunSummary, SummaryValue
from evaluator.report.causes import Causes
from evaluator.report.inputs import CaseText, Failed, Inputs
from evaluator.report.judge import Disagreed
from evaluator.report.parts import Note
from evaluator.report.steps import Agents
from evaluator.templates import Name
from tests.builders import (
    build_case_outcome,
    build_change,
    build_comparison,
    build_decision,
    build_head,
    build_inputs,
    build_row,
    build_rule,
)

QUESTIONS = {
    "notice-07": CaseText("How long is the notice period during probation?", "contracts", critical=False),
    "notice-11": CaseText("Who has to sign a termination of contract?", "contracts", critical=False),
    "refund-02": CaseText("How many days do I have to return a damaged device?", "billing", critical=False),
    "refund-05": CaseText("Is the shipping fee refunded as well?", "billing", critical=False),
    "safety-01": CaseText("Whom do I call when the fire alarm goes off at night?", "safety", critical=True),
    "ship-03": CaseText("Which carrier delivers to Åland?", "shipping", critical=False),
}
ALARM = CriticalCase(
    id="safety-01", expect="answer", reference="Call the guard on 112 and leave the building.",
    findings=(Finding(rule="lost_needs", verdict="failed", reason="no longer in the context: chunk alarm-3"),),
    before=Reply(answer="Call the guard on 112, then leave.", abstained=False),
    after=Reply(answer="Call the front desk.", abstained=False),
    context=(
        Passage(chunk="desk-1", text="The front desk is open from 8 to 17.", before=2, after=1),
        Passage(chunk="keys-4", text="Lost keys are reported to the front desk.", before=None, after=2),
        Passage(chunk="alarm-3", text="At night, call the guard on 112.", before=1, after=None),
    ),
)  # fmt: skip
"""Everything a reviewer needs to decide about a critical case."""

WHY = Causes(
    of={
        "refund-02": "retrieval", "refund-05": "pipeline failed", "notice-07": "ranking",
        "notice-11": "generation: unsupported", "safety-01": "ranking",
    },
    counts={
        "billing": Counter({"retrieval": 1, "pipeline failed": 1}),
        "contracts": Counter({"ranking": 1, "generation: unsupported": 1}), "safety": Counter({"ranking": 1}),
    },
)  # fmt: skip
"""Why the questions fail."""

TWO_AT_ONCE = (
    ConfigurationChange(key="pipeline.retriever.bm25.k1", before=1.5, after=0.0),
    ConfigurationChange(key="pipeline.version", before="prompt 14, chunker 3", after="prompt 14, chunker 4"),
)


def failed() -> Inputs:
    """Two categories fell, one below its floor; a critical case lost a passage; two questions were not answered."""
    everything = build_row(
        None, 0.812, 0.794, n=598, reason="within noise: 22 cases lost; worse by 0.018, 0.02 is allowed"
    )
    billing = build_row("billing", 0.8125, 0.6875, n=144, reason="worse by 0.125, 0.02 is allowed; 18 cases lost")
    contracts = build_row("contracts", 0.9, 0.8795, n=97, reason="worse by 0.0205, 0.02 is allowed; 2 cases lost")
    returns, shipping = build_row("returns", 0.75, 0.77, n=203), build_row("shipping", 0.75, 0.75, n=150)
    safety = build_row("safety", 0.75, 0.5, n=4, status="too few cases", reason="4 cases, 5 are needed")
    ndcg = build_row(
        None,
        0.7121,
        0.7,
        metric="ndcg@10",
        n=598,
        reason="within noise: 40 cases lost; worse by 0.0121, 0.02 is allowed",
    )
    latency = build_row(
        None, 812.4, 930.2, metric="latency_ms", n=598, tolerance=None,
        status="not evaluated", reason="worse; no rule sets a limit",
    )  # fmt: skip
    changes = (
        build_change("refund-02", lost=[("returns-4", 3, None), ("returns-5", 1, 7)]),
        build_change("refund-02", 0.93, 0.21, metric="ndcg@10"),
        build_change("refund-05", 1.0, 0.5, lost=[("fees-2", 5, 6)]),
        build_change("notice-07", 1.0, 0.5, lost=[("probation-1", 2, 9)]),
        build_change("notice-11", 0.8, 0.4, metric="ndcg@10"),
        build_change("ship-03", 0.5, 1.0),
        build_change("safety-01", 2, 1, metric="lost_needs", lost=[("alarm-3", 2, 11)]),
    )
    critical = RuleOutcome(
        rule="critical lost_needs", scope="run", category=None, outcome="failed",
        before=None, after=None, limit=0, reason="1 case of 2: safety-01",
    )  # fmt: skip
    rules = (
        *(build_rule(row) for row in (everything, billing, contracts, returns, shipping, ndcg)),
        build_rule(safety, outcome="not_evaluated"),
        build_rule(billing, "min", outcome="failed", limit=0.7, reason="0.6875 is below the floor 0.7"),
        critical,
    )
    cases = (
        *(
            build_case_outcome(change.id, change.metric, "better" if change.id == "ship-03" else "worse")
            for change in changes[:-1]
        ),
        build_case_outcome("safety-01", "critical lost_needs", "failed", before=2, after=1),
        build_case_outcome("safety-02", "critical lost_needs", "passed", before=1, after=1),
    )
    comparison = build_comparison(
        (everything, billing, contracts, returns, shipping, safety, ndcg, latency), changes, paired=598,
        new=("notice-31", "notice-32"), changed=("refund-09",), configuration=TWO_AT_ONCE,
        loosened=(
            Loosened(
                kind="removed", text="the case was removed", case="refund-44", where="category billing",
                entry={"case": "refund-44"},
            ),
            Loosened(kind="removed", text="the case was removed", case="refund-45", accepted="a duplicate"),
        ),
    )  # fmt: skip
    means = {"recall@5": 0.794, "ndcg@10": 0.7, "latency_ms": 930.2}
    holdout = {"recall@5": SummaryValue(mean=0.8, n=20, of=20)}
    head = build_head(means)
    return build_inputs(
        comparison, build_decision("failed", rules, cases=cases),
        head=head.model_copy(update={"summary": head.summary.model_copy(update={"holdout": holdout})}),
        cases=QUESTIONS, total=620, held_out=20,
        failures=[Failed("refund-05", "timeout", "no reply within 60 s"), Failed("ship-09", "error", "KeyError: 't'")],
        held_out_failures=1, warnings=["13 cases with fewer than 10 results, which the metrics read."],
        exhibits=Exhibits(critical=(ALARM,)), causes=WHY,
        regressed={
            "refund-02": Regressed(id="refund-02", before="ranking", facts=("thirty-days", "damage")),
            "safety-01": Regressed(id="safety-01", facts=("number",), answer=(31, 20), context=(120, 118)),
        },
    )  # fmt: skip


def passed() -> Inputs:
    """Nothing fell further than it may; one category got better."""
    rows = (
        build_row(None, 0.8, 0.8125, n=40),
        build_row("billing", 0.85, 0.9, n=20),
        build_row(
            "contracts",
            0.75,
            0.725,
            n=20,
            status="within noise",
            reason="within noise: 1 case lost, 2 are needed; worse by 0.025",
        ),
    )
    changes = (build_change("refund-02", 0.0, 1.0), build_change("notice-07", 1.0, 0.5, lost=[("probation-1", 4, 6)]))
    cases = (build_case_outcome("refund-02", status="better"), build_case_outcome("notice-07"))
    rules = tuple(build_rule(row) for row in rows)
    reasons = (Reason(code="passed", text="every rule that could be decided was kept"),)
    return build_inputs(
        build_comparison(rows, changes), build_decision("passed", rules, cases=cases, reasons=reasons), cases=QUESTIONS
    )


def inconclusive() -> Inputs:
    """A rule was lowered so that a fall no longer fails, and too many cases went."""
    row = build_row(
        None,
        0.8,
        0.76,
        tolerance=0.05,
        status="within noise",
        reason="within noise: 3 cases lost; worse by 0.04, 0.05 is allowed",
    )
    text = (
        "recall@5 max_drop over all cases fails under the baseline's rules and labels: worse by 0.04, 0.02 is allowed; "
        "3 cases lost"
    )
    fewer = "only 30 of the baseline's 40 cases are still asked alike; accepted.yml can name the others"
    reasons = (
        Reason(code="loosened", text=f"{text}; accepted.yml can accept it"),
        Reason(code="too-few-paired", text=fewer),
    )
    comparison = build_comparison(
        (row,), (build_change("notice-07", 1.0, 0.5),), paired=30,
        removed=tuple(f"old-{number:02}" for number in range(10)),
        loosened=(
            Loosened(
                kind="rule", text=text, metric="recall@5", candidate=0.76,
                where="gate.rules[0].max_drop: 0.02 → 0.05", entry={"metric": "recall@5", "floor": 0.76},
            ),
        ),
        configuration=(
            ConfigurationChange(
                key="gate.rules", before=[{"metric": "recall@5", "per": "all", "max_drop": 0.02}],
                after=[{"metric": "recall@5", "per": "all", "max_drop": 0.05}],
            ),
        ),
    )  # fmt: skip
    decision = build_decision(
        "inconclusive", (build_rule(row),), reasons=reasons, cases=(build_case_outcome("notice-07"),)
    )
    return build_inputs(comparison, decision, cases=QUESTIONS, total=30)


def looked_at() -> Inputs:
    """Nothing fell; other chunking, missing labels, paraphrases that disagree, a critical case in question."""
    row = build_row(None, 0.8, 0.8, n=40)
    cut = build_row(
        None, 0.6, 0.5, metric="precision@5", n=40, tolerance=0.05, status="not comparable",
        reason="unlabelled chunks: the share of labelled results fell by 0.150; label the new ones",
    )  # fmt: skip
    tokens = build_row(
        None, 512.0, 780.5, metric="context_tokens", n=40, tolerance=None, status="not evaluated",
        reason="worse; no rule sets a limit",
    )  # fmt: skip
    asked = "1 new unsupported claim not confirmed by two further judgings, which score --against BASELINE asks for"
    open_case = ALARM.but(
        findings=(Finding(rule="new_unsupported_claims", verdict="open", reason=asked),), context=ALARM.context[:2]
    )
    behaviour = {
        ("answer", "answered"): (35, 34), ("answer", "abstained"): (1, 2), ("abstain", "answered"): (0, 1),
        ("abstain", "abstained"): (4, 3), ("sufficient", "answered"): (33, 32), ("sufficient", "abstained"): (1, 1),
        ("insufficient", "answered"): (2, 3), ("insufficient", "abstained"): (4, 4),
    }  # fmt: skip
    exhibits = Exhibits(
        critical=(open_case,), rechunked=7,
        unlabelled=(
            Unlabelled(id="refund-02", chunk="returns-9", rank=2, text="Returns of damaged devices are free."),
            Unlabelled(id="refund-05", chunk="fees-7", rank=4, text=None),
        ),
        behaviour=tuple(
            Cell.model_validate({"side": side, "behaviour": did, "before": before, "after": after})
            for (side, did), (before, after) in behaviour.items()
        ),
        groups=3, held_out=18, holdout=(HoldoutRow(metric="recall@5", n=18, baseline=0.75, candidate=0.8125),),
        paraphrases=(
            Worse(root="refund-02", id="refund-03", differences=(
                Difference(kind="behaviour", other="refund-02", behaviour="abstained", other_behaviour="answered"),
                Difference(kind="context", other="refund-02", facts=("30 days",)),
                Difference(kind="value", other="refund-02", metric="recall@5", value=0.0, other_value=1.0),
            )),
        ),
    )  # fmt: skip
    text = "precision@5 {}: unlabelled chunks: the share of labelled results fell by 0.150; label the new ones"
    reasons = [Reason(code="not-comparable", text=text.format(place)) for place in ("over all cases", "in billing")]
    asked_again = Reason(
        code="critical-undecided", text=f"critical new_unsupported_claims in 1 case (safety-01): {asked}"
    )
    rules = (build_rule(row), build_rule(cut, outcome="not_evaluated"))
    configuration = (
        ConfigurationChange(key="pipeline.generator.model", before="small-1", after="small-2"),
        ConfigurationChange(key="text of pipeline.generator.template", before="0f3a6c1d9b2e", after="7c4e0d5a1f88"),
        ConfigurationChange(key="fixture documents", before="1d2c3b4a5f60", after="9a8b7c6d5e4f"),
        ConfigurationChange(key="fixture chunks", before="aa11bb22cc33", after="dd44ee55ff66"),
    )
    return build_inputs(
        build_comparison((row, cut, tokens), configuration=configuration),
        build_decision("inconclusive", rules, reasons=(*reasons, asked_again)),
        cases=QUESTIONS, held_out=20, total=60, exhibits=exhibits,
    )  # fmt: skip


def no_baseline() -> Inputs:
    """A first run, with a floor that one category misses."""
    rows = tuple(
        build_row(name, tolerance=None, n=20, status="not evaluated", reason="no baseline").model_copy(
            update={"baseline": None, "candidate": mean, "delta": None}
        )
        for name, mean in ((None, 0.75), ("billing", 0.85), ("contracts", 0.65))
    )
    floors = ("passed", "passed", "failed")
    rules = (
        *(build_rule(row, outcome="not_evaluated", reason="no baseline", limit=0.02) for row in rows),
        *(
            build_rule(row, "min", outcome=outcome, limit=0.7, reason="0.65 is below the floor 0.7")
            for row, outcome in zip(rows, floors, strict=True)
        ),
    )
    summary = RunSummary(
        all={
            "recall@5": SummaryValue(mean=0.75, n=40, of=40),
            "fact_coverage@5": SummaryValue(mean=0.9996, n=38, of=39),
        },
        categories={
            "billing": {"recall@5": SummaryValue(mean=0.85, n=20, of=20)},
            "contracts": {"recall@5": SummaryValue(mean=0.65, n=20, of=20)},
        },
        holdout={},
    )
    comparison = build_comparison(rows, baseline=None, paired=0)
    reasons = (
        Reason(code="no-baseline", text="no baseline: drops are not evaluated, floors and absolute rules decide"),
        Reason(code="min", text="recall@5 min in contracts: 0.65 is below the floor 0.7"),
    )
    head = build_head().model_copy(update={"summary": summary, "commit": None})
    return build_inputs(comparison, build_decision("failed", rules, reasons=reasons), head=head)


def agent() -> Inputs:
    """An agent that searches once more and hands on less; one question changed, another lost a passage before, too."""
    row = build_row("billing", 0.8, 0.6, n=6, reason="worse by 0.2, 0.02 is allowed; 2 cases lost")
    changes = (build_change("refund-02", lost=[("returns-4", 2, None)]),)
    walks = {
        "refund-05": (Note("found in step 1 ('shipping fee'), rank 2; not in what the model got", Name("fees-2")),),
        "refund-02": (
            Note(
                "found in step 2 ('refund policy damaged'), rank 3; not in what the model got", Name("document returns")
            ),
            Note("found in no step", Name("one of returns-5, returns-6")),
        ),
    }
    agents = Agents(
        cases=6, needs={1: (4, 3), 2: (3, 1), None: (1, 0)}, walks=walks,
        values={"recall": [(1.0, 0.5), (0.75, 0.5)], "hit": [(1.0, 1.0), (1.0, 1.0)]},
    )  # fmt: skip
    decision = build_decision("failed", (build_rule(row),), cases=(build_case_outcome("refund-02"),))
    cases = {"refund-02": QUESTIONS["refund-02"]}
    return build_inputs(build_comparison((row,), changes), decision, cases=cases, total=6, agents=agents)


JUDGE = JudgeInfo(provider="anthropic", model="sonnet", answered=("sonnet-20250929",))
SPENT = {
    "claims": {"calls": 40, "cached": 3, "read": 21_000, "written": 4_200, "from_cache": 0, "usd": 0.126, "repairs": 1},
    "context": {"calls": 38, "cached": 2, "read": 120_500, "written": 9_000, "from_cache": 60_000, "usd": 0.36},
}
UNSUPPORTED = (
    Unsupported(
        id="refund-02",
        claim="A damaged device can be returned for 60 days.",
        verdict="unsupported",
        reason="The terms give 30 days.",
        again=("unsupported", "unclear"),
        chunk="returns-4",
        quote="within 30 days of delivery",
    ),
    Unsupported(id="refund-02", claim="Returns are free.", verdict="unclear", reason="No fee is named."),
)
NOISE = (
    "Noise not measured: run rag-assay noise. Until then a fall of faithfulness fails only where sign flips of its "
    "cases show it to be more than chance, which takes more cases."
)


FLAKY = "Two equal runs often disagree about 1 case: refund-02 (faithfulness, 40%)."


def judged() -> Inputs:
    """The answers of one category are less supported by their context; a critical one claims something new."""
    everything = build_row(
        None, 0.91, 0.885, metric="faithfulness", n=40, tolerance=0.03, status="within noise",
        reason="within noise: 3 cases lost; worse by 0.025, 0.03 is allowed", interval=(-0.045, -0.005), noise=0.055,
    )  # fmt: skip
    billing = build_row(
        "billing", 0.9, 0.8, metric="faithfulness", n=10, tolerance=0.03, interval=(-0.165, -0.0425), noise=0.0712,
        reason="worse by 0.1, 0.03 is allowed, chance alone makes 0.0712; 3 cases lost",
    )  # fmt: skip
    returns = build_row(
        "returns", 0.9, 0.84, metric="faithfulness", n=12, tolerance=0.03, interval=(-0.12, 0.01), noise=0.0712,
        status="within noise",
        reason="within noise: 2 cases lost; worse by 0.06, chance alone makes 0.0712; about 17 cases would tell",
    )  # fmt: skip
    swedish = build_row(
        "shipping", 0.95, 0.9, metric="faithfulness", n=6, tolerance=0.03, advisory=True,
        reason="worse by 0.05, 0.03 is allowed; 2 cases lost (advisory: kappa 0.41 below 0.6 for sv)",
    )  # fmt: skip
    won, lost = (
        build_row(
            category, 1.0, mean, metric="preference", n=n, baseline=None, delta=None, status="not evaluated",
            reason="compared answer by answer", tolerance=None,
        )
        for category, mean, n in ((None, 0.55, 40), ("billing", 0.35, 10))
    )  # fmt: skip
    changes = (
        build_change("refund-02", 1.0, 0.5, metric="faithfulness"),
        build_change("refund-02", 0, 1, metric="new_unsupported_claims"),
    )
    critical = RuleOutcome(
        rule="critical new_unsupported_claims", scope="run", category=None, outcome="failed",
        before=None, after=None, limit=0, reason="1 case of 2: refund-02",
    )  # fmt: skip
    advisory = (
        "faithfulness max_drop in shipping would have failed: worse by 0.05, 0.03 is allowed; 2 cases lost; the judge "
        "is not enforced (kappa 0.41 below 0.6 for sv): calibrate the judge (judge.calibration), or set "
        "judge.advisory: pass in a change of its own"
    )
    rules = (
        build_rule(everything), build_rule(billing), build_rule(returns), build_rule(swedish, outcome="advisory"),
        build_rule(swedish, "min", outcome="advisory", limit=0.92, reason="0.9 is below the floor 0.92"), critical,
        build_rule(won, "min_win", outcome="passed", limit=0.5, reason="0.55 reaches the 0.5 that is asked for"),
        build_rule(lost, "min_win", outcome="failed", limit=0.5, reason="0.35 is below the 0.5 that is asked for"),
    )  # fmt: skip
    reasons = (
        Reason(code="max-drop", text=f"faithfulness max_drop in billing: {billing.reason}"),
        Reason(code="critical", text="critical new_unsupported_claims in a critical case: 1 case of 2: refund-02"),
        Reason(code="judge-advisory", text=advisory),
    )
    cases = (
        build_case_outcome("refund-02", "faithfulness", after=0.5, delta=-0.5),
        build_case_outcome("refund-02", "critical new_unsupported_claims", "failed", before=0, after=1, delta=1),
    )
    rows = (everything, billing, returns, swedish, won, lost)
    comparison = build_comparison(rows, changes, judged_changed=("notice-11",))
    head = build_head({"faithfulness": 0.885, "preference": 0.55}, tier="full", judge=JUDGE)
    return build_inputs(
        comparison, build_decision("failed", rules, reasons=reasons, cases=cases),
        head=head.model_copy(update={"timing": {**head.timing, "judge": SPENT}}),
        cases={"refund-02": QUESTIONS["refund-02"]._replace(critical=True)}, claims={"refund-02": UNSUPPORTED},
        doubts=(FLAKY,), disagreed=(Disagreed("ship-03", reported=True),),
    )  # fmt: skip


def advisory() -> Inputs:
    """Nobody calibrated the judge, and the configuration lets that pass."""
    row = build_row(
        None, 0.9, 0.2, metric="faithfulness", n=40, tolerance=0.03, advisory=True,
        reason="worse by 0.7, 0.03 is allowed; 10 cases lost (advisory: not calibrated)",
    )  # fmt: skip
    reasons = (
        Reason(code="passed", text="every rule that could be decided was kept"),
        Reason(
            code="not-enforced",
            text="judged rows not enforced (judge.advisory: pass): faithfulness max_drop would have failed",
        ),
    )
    changes = (build_change("refund-02", 1.0, 0.0, metric="faithfulness"),)
    decision = build_decision(
        "passed", (build_rule(row, outcome="advisory"),), reasons=reasons,
        cases=(build_case_outcome("refund-02", "faithfulness"),),
    )  # fmt: skip
    return build_inputs(
        build_comparison((row,), changes), decision, cases={"refund-02": QUESTIONS["refund-02"]},
        head=build_head({"faithfulness": 0.2}, tier="full", judge=JUDGE.but(answered=("sonnet",))),
        claims={"refund-02": UNSUPPORTED}, doubts=(NOISE, "The judge is not calibrated: what it decides is advisory."),
    )  # fmt: skip


HOSTILE = (
    "a | b\n# c [x](http://e.example) ![](http://t.example/p.png) @org/team #1 GH-2 `tick`` </details> "
    "<!-- rag-assay suite=s --> \u202eabc $x$ <script>alert(1)</script> :smile: www.e.example a@e.example"
)


def hostile_case(case: str, verdict: Literal["open", "failed"] = "open") -> CriticalCase:
    """A critical case of which question, answers and context are attacks."""
    said = Reply(answer=HOSTILE, abstained=None)
    return CriticalCase(
        id=case, expect="answer", reference=HOSTILE, before=said, after=said.but(abstained=True),
        findings=(Finding(rule="lost_needs", verdict=verdict, reason=HOSTILE),),
        context=(Passage(chunk=HOSTILE, text=f"{HOSTILE}\n\n</details>\n\n# {HOSTILE}", before=None, after=1),),
    )  # fmt: skip


def hostile() -> Inputs:
    """Every text that somebody else wrote tries to be something else."""
    category = f"cat {HOSTILE}"
    row = build_row(category, 0.9, 0.5, reason=f"worse by 0.4; {HOSTILE}")
    judged_row = build_row(category, 0.9, 0.5, metric="faithfulness", reason=f"{HOSTILE} (advisory: {HOSTILE})")
    comparison = build_comparison(
        (build_row(None, 0.9, 0.5), row, judged_row),
        (build_change(HOSTILE, lost=[(HOSTILE, 1, None)]), build_change(HOSTILE, metric="faithfulness")),
        judged_changed=(f"judged {HOSTILE}",),
        new=(f"new {HOSTILE}",), removed=(f"removed {HOSTILE}",), changed=(f"changed {HOSTILE}",),
        configuration=(ConfigurationChange(key=HOSTILE, before=HOSTILE, after={HOSTILE: HOSTILE}),),
        loosened=(
            Loosened(kind="removed", text=HOSTILE, case=HOSTILE, where=HOSTILE, entry={"case": HOSTILE}),
            Loosened(kind="undecided", text="x", accepted=HOSTILE),
        ),
    )  # fmt: skip
    baseline = comparison.baseline
    assert baseline is not None
    comparison = comparison.model_copy(
        update={"baseline": baseline.model_copy(update={"commit": HOSTILE, "source": HOSTILE, "created_at": HOSTILE})}
    )
    rules = (
        build_rule(row), build_rule(row, "min", outcome="not_evaluated", reason=HOSTILE),
        build_rule(judged_row, outcome="failed"),
    )  # fmt: skip
    reasons = (Reason(code="other", text=HOSTILE),)
    other = f"other {HOSTILE}"
    critical = build_case_outcome(other, "critical lost_needs", "failed", before=1, after=0)
    decision = build_decision("failed", rules, reasons=reasons, cases=(build_case_outcome(HOSTILE), critical))
    judge = JudgeInfo(provider=HOSTILE, model=HOSTILE, answered=(f"a {HOSTILE}", f"b {HOSTILE}"), adapted=(HOSTILE,))
    head = build_head({"recall@5": 0.5, "faithfulness": 0.5}).model_copy(
        update={"suite": HOSTILE, "commit": HOSTILE, "tool": HOSTILE, "judge": judge}
    )
    claim = Unsupported(
        id=HOSTILE, claim=HOSTILE, verdict="unclear", reason=HOSTILE, chunk=HOSTILE, quote=HOSTILE
    )  # fmt: skip
    return build_inputs(
        comparison, decision, head=head, claims={HOSTILE: (claim,)}, doubts=(HOSTILE,),
        disagreed=(Disagreed(HOSTILE, reported=False),),
        cases={case: CaseText(HOSTILE, category, critical=True) for case in (HOSTILE, other)},
        failures=[Failed(HOSTILE, "error", HOSTILE)], warnings=[HOSTILE],
        exhibits=Exhibits(
            critical=(hostile_case(HOSTILE), hostile_case(other, "failed")),
            unlabelled=(Unlabelled(id=HOSTILE, chunk=HOSTILE, rank=3, text=HOSTILE),), groups=2,
            paraphrases=(Worse(root=HOSTILE, id=other, differences=(
                Difference(kind="context", other=HOSTILE, facts=(HOSTILE, other)),
                Difference(kind="behaviour", other=HOSTILE, behaviour="failed", other_behaviour="answered"),
            )),),
        ),
        causes=Causes(
            of={HOSTILE: CONFLICTING}, counts={category: Counter({CONFLICTING: 1})}, conflicting={HOSTILE: (HOSTILE,)}
        ),
        regressed={HOSTILE: Regressed(id=HOSTILE, before=HOSTILE, facts=(HOSTILE,), answer_facts=(HOSTILE,))},
        agents=Agents(1, {1: (1, 0)}, {}, {HOSTILE: (Note(f"found in step 1 ('{HOSTILE}'), rank 1", Name(HOSTILE)),)}),
    )  # fmt: skip


def huge(cases: int = 3000, categories: int = 400, length: int = 70_000) -> Inputs:
    """Everything fell: more than any comment can say."""
    names = [f"category {number} " + "x" * length for number in range(categories)]
    rows = tuple(build_row(name, 0.9, 0.5 - place / 10_000, reason="fell") for place, name in enumerate(names))
    changes = tuple(build_change(f"case-{number}", lost=[(f"chunk-{number}", 1, None)]) for number in range(cases))
    texts = {
        change.id: CaseText("日本語のとても長い質問👩\u200d👩\u200d👧" * 50, names[place % categories], critical=False)
        for place, change in enumerate(changes)
    }
    rules = tuple(build_rule(row) for row in rows)
    comparison = build_comparison((build_row(None, 0.9, 0.5), *rows), changes, new=tuple(names))
    return build_inputs(comparison, build_decision("failed", rules), cases=texts, total=cases)
