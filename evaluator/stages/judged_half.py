"""The half of a comparison that a judge decides: whether two runs can be compared, and how far it is believed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evaluator.comparison import critical, sheet
from evaluator.comparison.enforcement import Belief
from evaluator.model.base import digest
from evaluator.model.comparison import JudgeTerms, Judging
from evaluator.model.config import Judge
from evaluator.stages.measuring import ABSTENTION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from evaluator.model.calibration import Calibration
    from evaluator.model.comparison import CriticalOutcome
    from evaluator.model.config import Config
    from evaluator.model.golden import Labels
    from evaluator.model.run import History, JudgeInfo, RunHead
    from evaluator.model.score import Metric
    from evaluator.stages.measuring import Ruler

REMEDY = "run rag-assay rescore on the baseline, or set judge.rescore_baseline: true; accepted.yml can name the row"

UNJUDGED = "run the baseline's branch in tier full, or compare with its last full run"


def judged_names(names: Iterable[str], declared: Mapping[str, Metric]) -> frozenset[str]:
    """Those metrics, by their text, that a judge decides in tier full: abstention is one."""
    known = {name: declared.get(name.partition("@")[0]) for name in names}
    return frozenset(
        name
        for name, metric in known.items()
        if name == str(ABSTENTION) or (metric is not None and metric.reads == "judge")
    )


def is_judged(head: RunHead) -> bool:
    """Whether a run was judged."""
    return head.tier == "full" and "judge" in head.fingerprint


def was_judged(history: History, declared: Mapping[str, Metric]) -> bool:
    """Whether a judge has spoken in a run that a history came through."""
    # Where nobody noted which judge it was: abstention is also told without one.
    anchored = judged_names((name for name, values in history.anchor.items() if values), declared)
    return history.judge is not None or not anchored <= {str(ABSTENTION)}


def is_same_judge(mine: JudgeInfo | None, fingerprint: str | None, baseline: RunHead) -> bool:
    """Whether the judge of a run, of that fingerprint, is the baseline's.

    Where in one run no model said anything, it is if the same one was to be asked. Where every answer is empty there is
    nothing to ask: what is known then is known without a judge, and it must not look like another one's word.
    """
    if baseline.fingerprint.get("judge") == fingerprint:
        return True
    theirs = baseline.judge
    if mine is None or theirs is None or (mine.answered and theirs.answered):
        return False
    return (mine.provider, mine.model, mine.prompts) == (theirs.provider, theirs.model, theirs.prompts)


def unjudged(held: critical.Held, *, is_same: bool) -> critical.Held:
    """What can be compared of a case about which the judges, the same or not, were asked different things."""
    said = held.judged is not None and held.judged.decides
    others = tuple(unjudged(each, is_same=is_same) for each in held.others)
    return held._replace(judged=None, abstention=None if said and not is_same else held.abstention, others=others)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedHalf:
    """Both runs' judges.

    Attributes:
        candidate, baseline: the heads of the runs; no baseline is None.
        mine, theirs: their configurations.
        calibration: what the candidate's judge.calibration holds now.
    """

    candidate: RunHead
    baseline: RunHead | None
    mine: Config
    theirs: Config | None
    calibration: Calibration | None

    @property
    def has_baseline(self) -> bool:
        """Whether the baseline was judged."""
        return self.baseline is not None and is_judged(self.baseline)

    @property
    def continues_anchor(self) -> bool:
        """Whether the baseline was not judged, and hands on what this judge said in an earlier run."""
        if self.baseline is None or self.has_baseline:
            return False
        return self.baseline.history.judge == self.candidate.fingerprint.get("judge", "none")

    def is_lost(self, declared: Mapping[str, Metric]) -> bool:
        """Whether the baseline was not judged although a run before it was."""
        return self.baseline is not None and not self.has_baseline and was_judged(self.baseline.history, declared)

    def lost(self, declared: Mapping[str, Metric], *, old: bool) -> str | None:
        """Why there is too little to compare a judge's word with, although there was once."""
        if self.baseline is None:
            return None
        if self.has_baseline:
            stopped = self.baseline.judge.stopped if self.baseline.judge is not None else None
            text = (
                f"judging of the baseline stopped before it was done ({stopped}): judge it again with rag-assay rescore"
            )
            return text if stopped is not None else None
        if self.is_lost(declared):
            return f"the baseline is of tier retrieval, and a run before it was judged: {UNJUDGED}"
        config = self.theirs if old and self.theirs is not None else self.mine
        if config.baseline.required:
            return f"baseline.required is set, and the baseline is of tier retrieval: {UNJUDGED}"
        return None

    @cached_property
    def other_judge(self) -> str | None:
        """Why what the two judges said cannot be compared; None where it can."""
        if self.baseline is None or not self.has_baseline:
            return None
        if is_same_judge(self.candidate.judge, self.candidate.fingerprint.get("judge"), self.baseline):
            return None
        before, after = _named(self.baseline), _named(self.candidate)
        same = f"with other {_what_differs(self.baseline, self.candidate)}"
        other = same if before == after else f"{before}, this run by {after}"
        return f"the baseline was judged by another judge: {other}; {REMEDY}"

    @property
    def fingerprint(self) -> str | None:
        """Of the judge that spoke."""
        judge = self.candidate.judge
        is_silent = judge is not None and not judge.answered and self.is_comparable
        speaker = self.baseline if is_silent and self.baseline is not None else self.candidate
        return speaker.fingerprint.get("judge")

    @property
    def is_comparable(self) -> bool:
        """Whether what a judge said of a case asked alike can be compared."""
        return self.has_baseline and self.other_judge is None

    def without_judge(self, held: critical.Held) -> tuple[critical.Held, str]:
        """What the baseline had of a critical case that cannot be compared as it was judged, and why it cannot."""
        if not self.has_baseline:
            return held._replace(judged=None, abstention=None, others=()), "no judged baseline"
        if self.other_judge is None:
            return unjudged(held, is_same=True), "its facts, reference or expect changed"
        return unjudged(held, is_same=False), self.other_judge

    @staticmethod
    def is_labelled_alike(before: Labels, after: Labels) -> bool:
        """Whether a case was judged by the same labels in both runs."""
        return all(getattr(before, name) == getattr(after, name) for name in ("facts", "reference", "expect"))

    @cached_property
    def samples_less(self) -> bool:
        """Whether the candidate's judge was asked about fewer cases of a category than the baseline's, or others."""
        before, after = self._judge(old=True), self._judge(old=False)
        if not self.has_baseline or after.sample is None:
            return False
        return before.sample is None or after.sample < before.sample or after.seed != before.seed

    def of_sheet(self, ruler: Ruler, *, old: bool) -> sheet.JudgedHalf:
        """What rows need of it, under the baseline's terms or the candidate's."""
        return sheet.JudgedHalf(
            ruler.judged_names, self.belief(old=old), self.has_baseline, self.other_judge, self.replaced
        )  # fmt: skip

    def belief(self, *, old: bool) -> Belief:
        """How far the judge is believed, under the baseline's terms or the candidate's."""
        judge = self._judge(old=old)
        return Belief(judge.min_kappa, self._calibration(old=old), self.fingerprint)

    @cached_property
    def replaced(self) -> Belief | None:
        """How far the judge was believed that judged the baseline first; None where the same one judges now.

        A baseline that was judged again keeps the calibration of the first judge, which names it.
        """
        if self.baseline is None or not self.has_baseline or self.baseline.calibration is None:
            return None
        is_rescored = "rescored" in self.baseline.fingerprint
        known = self.baseline.calibration
        first = known.judge_fingerprint if is_rescored else self.baseline.fingerprint["judge"]
        if first == self.fingerprint or not (is_rescored or self.other_judge):
            return None
        return Belief(self._judge(old=True).min_kappa, known, first)

    def taken_over(self, outcomes: Sequence[CriticalOutcome], languages: Mapping[str, str]) -> Collection[str]:
        """Critical cases that a believed judge decided by the baseline's rules, and that another one decides now."""
        if self.replaced is None or self.theirs is None:
            return ()
        limits = self.theirs.gate.critical
        ruled = [outcome for outcome in outcomes if getattr(limits, outcome.rule) is not None]
        read = [(outcome.id, critical.READ_FROM.get(outcome.rule)) for outcome in ruled]
        found = [case for case, by in read if by is not None and self.replaced.doubt(by, [languages[case]]) is None]
        return tuple(dict.fromkeys(found))

    def doubts(self, language: str, *, old: bool) -> Mapping[str, str]:
        """Why the judge is not enforced for a critical case, by rule."""
        belief = self.belief(old=old)
        found = {str(rule): belief.doubt(metric, [language]) for rule, metric in critical.READ_FROM.items()}
        return {rule: doubt for rule, doubt in found.items() if doubt is not None}

    def of_exam(self, ruler: Ruler, *, old: bool, pairable: int, paired: int) -> Judging:
        """What the gate needs of it."""
        judge, calibration = self._judge(old=old), self._calibration(old=old)
        terms = JudgeTerms(
            min_kappa=judge.min_kappa, advisory=judge.advisory, sample=judge.sample, seed=judge.seed,
            calibration=None if calibration is None else digest(calibration.model_dump(mode="json"))[:12],
        )  # fmt: skip
        info = self.candidate.judge
        return Judging(
            terms=terms, metrics=tuple(sorted(ruler.judged_names)), has_baseline=self.has_baseline,
            pairable=pairable, paired=paired, stopped=info.stopped if info is not None else None,
            lost=self.lost(ruler.declared, old=old),
        )  # fmt: skip

    def sayings(self) -> Iterator[str]:
        """What a reader of judged rows has to know."""
        if self.belief(old=False).is_stale:
            yield "judge.calibration is of another judge and counts as none: calibrate this one."
        elif self.calibration is None:
            yield "The judge is not calibrated: what it decides is advisory."

    @property
    def _older_terms(self) -> Judge | None:
        """The baseline's section, to which the candidate is held; one that had none asks for nothing."""
        return self.theirs.judge if self.theirs is not None else None

    def _calibration(self, *, old: bool) -> Calibration | None:
        if not old or self.baseline is None or self._older_terms is None:
            return self.calibration
        return self.baseline.calibration

    def _judge(self, *, old: bool) -> Judge:
        return (self._older_terms if old else None) or self.mine.judge or Judge(provider="none", model="none")


def _named(head: RunHead) -> str:
    if head.judge is None:
        return "an unnamed judge"
    return f"{head.judge.provider} {' and '.join(head.judge.answered or (head.judge.model,))}"


def _what_differs(before: RunHead, after: RunHead) -> str:
    """In what one model is two judges."""
    then, now = before.judge, after.judge
    settings = [(head.config.get("judge") or {}) for head in (before, after)]
    parameters = [(each.get("seed"), each.get("base_url")) for each in settings]
    found = {
        "prompts": then is not None and now is not None and then.prompts != now.prompts,
        "parameters": parameters[0] != parameters[1]
        or (then is not None and now is not None and then.adapted != now.adapted),
        f"definitions ({before.tool})": before.tool != after.tool,
    }
    return " and ".join(name for name, differs in found.items() if differs) or "parameters, prompts or definitions"
