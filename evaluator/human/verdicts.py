"""What the judge of a run said of the things that people label."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import pydantic

from evaluator import errors
from evaluator.model import judgement
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evaluator.model.judgement import Judged, Judgement, Opinion
    from evaluator.model.verdicts import Part
    from evaluator.stores.runs import RunReader, StoredCase


HALF = 0.5


class Thing(NamedTuple):
    """Something the judge had to say a word about.

    Attributes:
        id: its id; empty where a case has one such thing.
        text: what it says, None where that is not known.
        verdict: the judge's label, None where it gave none.
        why: why it gave none.
    """

    id: str
    text: str | None
    verdict: str | None
    why: str = ""


class Case(NamedTuple):
    """What matters of a case: its language, the length of its answer in characters, and what the judge said, by kind.

    ``why`` says why nothing is known of a kind at all.
    """

    id: str
    language: str
    is_held_out: bool
    length: int
    things: Mapping[str, tuple[Thing, ...]]
    why: Mapping[str, str]
    preference: judgement.Preference | None = None

    def find(self, kind: str, named: str) -> list[Thing]:
        """The things that an id or a text names: the one of that id, else all of that text."""
        of_kind = self.things.get(kind, ())
        by_id = [thing for thing in of_kind if thing.id == named]
        wanted = plain(named)
        return by_id or [thing for thing in of_kind if thing.text is not None and plain(thing.text) == wanted]


def plain(text: str) -> str:
    """A text as it is compared: Unicode NFC, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def of_run(run: RunReader) -> Iterator[Case]:
    """Every case of a judged run.

    Raises:
        FileProblem: a case cannot be read, or holds what no judge said.
    """
    for stored in run.cases():
        try:
            judged = judgement.read(stored.case.claims, stored.case.judgement)
        except pydantic.ValidationError as error:
            place = f"{run.path}:{run.line(stored.case.id)}"
            sentence = f"{place}: what a judge said of case '{visible(stored.case.id)}' cannot be read"
            raise errors.FileProblem(f"{sentence}; score the run again") from error
        yield of_case(stored, judged)


def of_case(stored: StoredCase, judged: Judged | None) -> Case:
    """What a judge said of one case; None where it was not asked."""
    case = stored.case
    things, why = _things(stored, judged)
    return Case(
        case.id, case.language, case.split == "holdout", len(plain(case.answer or "")), things, why,
        judged.judgement.preference if judged is not None else None,
    )  # fmt: skip


def _things(stored: StoredCase, judged: Judged | None) -> tuple[dict[str, tuple[Thing, ...]], dict[str, str]]:
    if judged is None or not judged.judgement.drawn:
        return {}, dict.fromkeys(_PARTS, "the case was not judged" if judged is None else "judge.sample left it out")
    said = judged.judgement
    found = {
        "claim": _claims(judged),
        "statement": _statements(said),
        "fact": _facts(stored, said),
        "relevance": _opinion(said, said.relevance, ("relevant", "irrelevant")),
        "abstention": _abstention(said),
        "chunk": _chunks(stored, said),
        "preference": _preference(said),
    }
    return found, {kind: _why(said, *parts) for kind, parts in _PARTS.items()}


_PARTS: Mapping[str, tuple[Part, ...]] = {
    "claim": ("claims", "context"),
    "statement": ("statements", "answer"),
    "fact": ("answer",),
    "relevance": ("answer",),
    "abstention": ("answer",),
    "chunk": ("context",),
    "preference": ("preference",),
}
"""Kind -> the questions to the judge that it is read from."""


def _why(said: Judgement, *parts: Part) -> str:
    """Why the judge said nothing; empty where it did, or nobody asked."""
    return next((said.unscored[part] for part in parts if part in said.unscored), "")


def _claims(judged: Judged) -> tuple[Thing, ...]:
    why = _why(judged.judgement, *_PARTS["claim"])
    return tuple(Thing(each.id, each.text, each.verdict, why) for each in judged.claims or ())


def _statements(said: Judgement) -> tuple[Thing, ...]:
    why = _why(said, *_PARTS["statement"])
    return tuple(Thing(each.id, each.text, each.answer, why) for each in said.statements)


def _facts(stored: StoredCase, said: Judgement) -> tuple[Thing, ...]:
    why = _why(said, *_PARTS["fact"])
    verdicts = {each.fact: "present" if each.present else "missing" for each in said.facts}
    # Nobody asks whether the reference itself states its facts.
    unasked = "present" if said.same else None
    required = [fact for fact in stored.case.labels.get("facts") or () if isinstance(fact, dict)]
    return tuple(
        Thing(str(fact.get("id")), str(fact.get("text")), verdicts.get(str(fact.get("id")), unasked), why)
        for fact in required
    )


def _opinion(said: Judgement, opinion: Opinion | None, words: tuple[str, str]) -> tuple[Thing, ...]:
    if opinion is None:
        return (Thing("", None, None, _why(said, "answer") or "the judge was not asked"),)
    return (Thing("", None, words[0] if opinion.value else words[1]),)


def _abstention(said: Judgement) -> tuple[Thing, ...]:
    if said.sure:
        # Decided without a call, and gated all the same.
        return (Thing("", None, "abstained"),)
    return _opinion(said, said.abstained, ("abstained", "answered"))


def _chunks(stored: StoredCase, said: Judgement) -> tuple[Thing, ...]:
    why = _why(said, *_PARTS["chunk"])
    verdicts = {each.chunk: "relevant" if each.useful else "irrelevant" for each in said.useful}
    texts = {hit.id: hit.text for hit in (*stored.retrieved, *stored.context_only)}
    return tuple(
        Thing(chunk, texts.get(chunk), verdicts.get(chunk), why) for chunk in dict.fromkeys(stored.case.context)
    )


def _preference(said: Judgement) -> tuple[Thing, ...]:
    if said.preference is None:
        return (Thing("", None, None, _why(said, "preference") or "the judge was not asked"),)
    value = said.preference.value
    return (Thing("", None, "tie" if value == HALF else "win" if value > HALF else "loss"),)
