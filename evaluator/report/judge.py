"""What a reader has to know of the judge: who it is, how far it is believed, what it said and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.model.counting import counted
from evaluator.report.parts import ClaimNote, Listing, Note, Part
from evaluator.templates import Name, cut, num, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.comparison import CaseChange
    from evaluator.model.exam import Unsupported
    from evaluator.model.run import JudgeInfo, RunHead

CLAIM_METRICS = ("faithfulness", "new_unsupported_claims")
"""Changes behind which unsupported claims are."""

MAX_REASONS, MAX_REASON = 3, 120
"""Reasons that are shown, and code points of each."""

MOVING = ("latest", "default", "stable", "preview")
"""How names of models end that stand for another model from time to time."""


class Disagreed(NamedTuple):
    """A case of which the pipeline and the judge say different things about whether it abstained."""

    case: str
    reported: bool


class Unjudged(NamedTuple):
    """How many answers could not be judged whole, and how many of them for which reason (the first of each)."""

    answers: int
    reasons: Mapping[str, int]


def part(doubts: Sequence[str], unjudged: Unjudged | None = None) -> Part:
    """What is to be known before judged rows are read."""
    missing = [Note(_missing(unjudged))] if unjudged is not None and unjudged.answers else []
    return Part(
        "How far these values can be believed", notes=Listing.of([*missing, *(Note(doubt) for doubt in doubts)])
    )


def _missing(unjudged: Unjudged) -> str:
    """The most frequent reasons; those of one answer each may be many, and say less."""
    ranked = sorted(unjudged.reasons.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{cut(one_line(reason), MAX_REASON)} ({number:,})" for reason, number in ranked[:MAX_REASONS]]
    more = len(ranked) - MAX_REASONS
    shown += [f"and {counted(more, 'more reason')}"] if more > 0 else []
    return f"{counted(unjudged.answers, 'answer')} could not be judged whole: {', '.join(shown)}"


def warnings(head: RunHead) -> Iterator[str]:
    """Sentences about a judge that is not what it should be."""
    judge = head.judge
    if judge is None:
        return
    if _is_alias(judge):
        answered = f" and answered as {' and '.join(judge.answered)}" if judge.answered else ""
        yield f"The judge is asked for as {judge.model}{answered}: a name that may come to mean another model. Pin one."
    if len(judge.answered) > 1:
        yield f"Several models answered as the judge ({', '.join(judge.answered)}): their values are not of one judge."
    if _generator(head) in {judge.model, *judge.answered}:
        yield f"The judge is the model that wrote the answers ({judge.model}): it tends to like its own."
    yield from (f"The judge: {sentence}" for sentence in judge.adapted)


def _is_alias(judge: JudgeInfo) -> bool:
    asked = judge.model.rpartition("/")[2].casefold()
    others = [name for name in judge.answered if name.rpartition("/")[2].casefold() != asked]
    # Several answers are a warning of their own, whatever was asked for.
    return asked.endswith(MOVING) or (len(judge.answered) == 1 and bool(others))


def _generator(head: RunHead) -> str | None:
    generator = (head.config.get("pipeline") or {}).get("generator")
    return generator.get("model") if isinstance(generator, dict) else None


def cost(head: RunHead) -> str:
    """Calls, tokens and money of judging, in one line; empty where nothing was judged."""
    parts = [spent for spent in _spent(head.timing.get("judge")) if any(spent.values())]
    if head.judge is None or not parts:
        return ""
    total = {key: sum(spent.get(key, 0) for spent in parts) for key in {key for spent in parts for key in spent}}
    calls, cached = int(total.get("calls", 0)), int(total.get("cached", 0))
    read, written, kept = (int(total.get(key, 0)) for key in ("read", "written", "from_cache"))
    again = [(int(total.get("repairs", 0)), "repair"), (int(total.get("retries", 0)), "retry")]
    extra = ", ".join(counted(number, word) for number, word in again if number)
    said = [
        f"judge {counted(calls, 'call')}{f' ({extra})' if extra else ''}",
        f"{cached:,} from the cache",
        f"{counted(read, 'token')} read{f' ({kept:,} from the provider cache)' if kept else ''}",
        f"{written:,} written",
    ]
    return ", ".join([*said, *([f"{num(total['usd'], 2)} USD"] if total.get("usd") else [])])


def _spent(found: object) -> Iterator[Mapping[str, Any]]:
    """What was spent on each part of judging; a file may hold anything."""
    for spent in found.values() if isinstance(found, dict) else ():
        if isinstance(spent, dict):
            yield {key: value for key, value in spent.items() if type(value) in (int, float) and value >= 0}


def claims(found: Sequence[Unsupported], changes: Sequence[CaseChange]) -> Listing[ClaimNote]:
    """The claims of a case that became unsupported, where a change shown is about them."""
    if not any(change.metric in CLAIM_METRICS for change in changes):
        return Listing()
    return Listing.of([
        ClaimNote(
            each.claim, each.verdict, each.reason, Name(each.chunk) if each.chunk is not None else None, each.quote
        )
        for each in found
    ])  # fmt: skip


def disagreements(found: Sequence[Disagreed]) -> Part:
    """Cases in which the pipeline's report is not what the judge says."""
    said = {
        True: "the pipeline says that it abstained, the judge that it answered",
        False: "the pipeline says that it answered, the judge that it abstained",
    }
    notes = [Note(said[each.reported], Name(each.case)) for each in found]
    return Part(f"Pipeline and judge disagree on who abstained: {counted(len(found), 'case')}", notes=Listing.of(notes))
