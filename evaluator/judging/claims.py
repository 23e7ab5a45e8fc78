"""The claims of an answer, sentence by sentence: the first question that is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging import abstaining, fencing, refusals, replies, tokens
from evaluator.judging.fencing import Datum
from evaluator.judging.prompts import Ask
from evaluator.judging.shapes import TEXT, listed, obj, or_null
from evaluator.model.judgement import Claim, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.judging.calls import Call
    from evaluator.judging.subject import Subject

SCHEMA = obj(sentences=listed(obj(id=TEXT, claims=listed(TEXT), no_claim=or_null(TEXT))))


class ClaimsFound(NamedTuple):
    """Claims in the order of the answer, without verdicts, and the sentences that claim nothing."""

    claims: tuple[Claim, ...]
    silent: tuple[Silent, ...]


def call(subject: Subject, numbered: Sequence[str], *, again: bool = False) -> Call[ClaimsFound]:
    """Ask for the claims of an answer's sentences; ``again`` where none was found though it is no abstention."""
    ids = [f"s{place}" for place in range(1, len(numbered) + 1)]
    data = (*subject.asked_for(), Datum("answer", fencing.listed(zip(ids, numbered, strict=True))))
    room = 256 + 40 * len(ids) + 3 * sum(map(tokens.estimate, numbered))
    ask = Ask(subject.case, "claims", data, {"sentences": ids, "again": again}, room, repeat=subject.repeat)
    return subject.prompt("claims", SCHEMA).call(ask, lambda text: _read(text, dict(zip(ids, numbered, strict=True))))


def _read(text: str, sentences: Mapping[str, str]) -> ClaimsFound:
    found = replies.read(text, SCHEMA)["sentences"]
    problems = replies.wrong_ids("sentences", [entry["id"] for entry in found], sentences)
    replies.refuse_invalid([*problems, *(problem for entry in found for problem in _problems(entry))])
    replies.refuse_declining(each for entry in found for each in _own_words(entry, sentences[entry["id"]]))
    by_id = {entry["id"]: entry for entry in found}
    return ClaimsFound(
        tuple(
            Claim(id=f"{each}.{place}", text=claim.strip(), sentence=number)
            for number, each in enumerate(sentences, 1)
            for place, claim in enumerate(by_id[each]["claims"], 1)
        ),
        tuple(
            Silent(sentence=number, reason=by_id[each]["no_claim"].strip())
            for number, each in enumerate(sentences, 1)
            if not by_id[each]["claims"]
        ),
    )


def _own_words(entry: Mapping[str, Any], sentence: str) -> Iterator[str]:
    """What the judge says of a sentence by itself: a sentence that declines has such claims, and may be repeated."""
    if not refusals.holds_one(sentence):
        yield from entry["claims"]
    if entry["no_claim"] is not None and not abstaining.is_same(entry["no_claim"], sentence):
        yield entry["no_claim"]


def _problems(entry: Mapping[str, Any]) -> list[str]:
    where = f"the entry of {replies.named(entry['id'])}"
    if any(map(replies.is_wordless, entry["claims"])):
        return [f"{where} has an empty claim"]
    if entry["claims"]:
        return [] if entry["no_claim"] is None else [f"{where} has claims, so its no_claim must be null"]
    speaks = entry["no_claim"] is not None and not replies.is_wordless(entry["no_claim"])
    return [] if speaks else [f"{where} has no claims, so its no_claim must say why"]
