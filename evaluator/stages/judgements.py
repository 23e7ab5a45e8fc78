"""What a judge said of one stored case, as the comparison needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic

from evaluator import errors
from evaluator.comparison.critical import JudgedCase
from evaluator.metrics import scoring
from evaluator.stages.held import judged_of
from evaluator.stores.runs import RunReader
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from evaluator.model.judgement import Claim, Further, Judged
    from evaluator.model.view import CaseView
    from evaluator.stages.held import Run
    from evaluator.stores.runs import StoredCase


PARTS = ("answer", "claims", "statements", "context", "embedding", "preference")
"""Of a judgement; that an answer has no claims may follow from what is not known of the answer itself."""


def of_case(run: Run, stored: StoredCase) -> Judged | None:
    """What a run holds of a case; None where no judge was asked.

    Raises:
        FileProblem: it is not what a run holds.
    """
    case = stored.case
    try:
        return judged_of(stored)
    except pydantic.ValidationError as error:
        place = f"{run.path}:{run.line(case.id)}" if isinstance(run, RunReader) else "the run"
        first = error.errors(include_url=False)[0]
        key = visible(".".join(map(str, first["loc"])))
        sentence = f"{place}: what a judge said of case '{visible(case.id)}' cannot be read: {key}: {first['msg']}"
        raise errors.FileProblem(f"{sentence}; score the run again") from error


def is_drawn(stored: Mapping[str, Any] | None) -> bool:
    """Whether a judge was asked about a case, as a run holds it."""
    return stored is not None and stored.get("drawn") is not False


def was_drawn(view: CaseView) -> bool:
    """Whether a judge was asked about a case."""
    return view.judgement is not None and view.judgement.drawn


def abstained(stored: Mapping[str, Any] | None) -> bool | None:
    """Whether a case abstained, as a run holds it of the judge; None where it was not asked or is not known."""
    opinion = stored.get("abstained") if stored is not None else None
    value = opinion.get("value") if isinstance(opinion, dict) else None
    return value if isinstance(value, bool) else None


def unscored(stored: Mapping[str, Any] | None) -> list[str]:
    """Why parts of a judgement could not be had, as a run holds it: what was asked first comes first."""
    found = stored.get("unscored") if stored is not None else None
    reasons = [found.get(part) for part in PARTS] if isinstance(found, dict) else []
    return [reason for reason in reasons if isinstance(reason, str)]


def is_left_out(view: CaseView) -> bool:
    """Whether the sample leaves a case out, so that it has no judged value."""
    judged = view.judgement
    return judged is not None and not view.failed and not judged.drawn


def abstains(view: CaseView) -> bool:
    """Whether a case has no value of what is claimed because the pipeline abstained: by the judge, or for sure."""
    judged = view.judgement
    return judged is not None and not view.failed and judged.drawn and _abstains(view)


def gives_none(view: CaseView) -> bool:
    """Whether a case has no answer, or one that abstains."""
    return view.failed or _abstains(view)


def replied(view: CaseView) -> tuple[object, ...]:
    """What a judge reads of a reply: where it is the same again, so is what is said of it."""
    context = [(chunk, passage.text) for chunk, passage in view.described(view.context)]
    return view.failed, view.answer, view.abstained, context


def told(view: CaseView) -> JudgedCase:
    """What a judge said of a critical case; one that the pipeline failed on has no facts and no claims."""
    judged = view.judgement
    if view.failed:
        return JudgedCase(frozenset(), (), failed=True)
    if judged is None or not judged.drawn:
        return JudgedCase(None, None, "no judge was asked")
    reason = next((judged.unscored[part] for part in ("answer", "claims", "context") if part in judged.unscored), "")
    facts = scoring.facts_in_answer(view)
    claims = _judged_claims(view)
    return JudgedCase(
        facts if isinstance(facts, frozenset) else None,
        # What an abstention says is not about the context.
        () if _abstains(view) else claims,
        reason or "it was not asked for", decides=not judged.sure, broke=bool(reason),
        reads=not (judged.sure or judged.same), known=claims or (),
        further={each.fact or "": _of_rightness(each, view) for each in judged.further},
    )  # fmt: skip


def _of_rightness(said: Further, view: CaseView) -> Further:
    """Whether a fact is there, as it is; of the abstention not whether it was one but whether it is right."""
    if said.fact is not None:
        return said
    wanted = view.labels.expect == "abstain"
    return said.but(**{side: tuple(each == wanted for each in getattr(said, side)) for side in ("again", "before")})


def _abstains(view: CaseView) -> bool:
    judged = view.judgement
    return judged is not None and (judged.sure or (judged.abstained is not None and judged.abstained.value))


def _judged_claims(view: CaseView) -> Sequence[Claim] | None:
    return None if view.claims is None or any(claim.verdict is None for claim in view.claims) else view.claims
