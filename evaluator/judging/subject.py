"""What is judged: one case with its answer, as every question reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging import fencing
from evaluator.judging.fencing import Datum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.judging.prompts import Prompt, Prompts


class Chunk(NamedTuple):
    """A chunk of the context: its id, and the text as the model got it."""

    id: str
    text: str


class Fact(NamedTuple):
    """A required fact."""

    id: str
    text: str


@dataclass(frozen=True)
class Wanted:
    """Which questions are asked; those that are on are what the judged metrics need by default.

    Attributes:
        claims: the answer's claims, their verdicts and what the reference says of them.
        statements: the reference's statements, and what the answer says of them.
        sufficiency: whether the context suffices to answer.
        recall: per statement of the reference, whether the context states it.
        useful: per chunk, whether it helps to answer.
        questions: how many questions the answer fits, for comparing them with the one that was asked.
    """

    claims: bool = True
    statements: bool = True
    sufficiency: bool = False
    recall: bool = False
    useful: bool = False
    questions: int = 0


@dataclass(frozen=True)
class Subject:
    """One case to judge.

    Attributes:
        case: its id.
        question: as the user typed it.
        prompts: the questions to the judge, by language.
        history: earlier turns, each ``{"role", "content"}``.
        language: of the case (BCP 47).
        answer: None where the pipeline gave none.
        reported: what the pipeline says of having abstained.
        chunks: the context in order, blank texts and repeated ids included.
        lacks_text: whether the text of any chunk of the context is not known; such a context cannot be judged.
        reference: the reviewed answer.
        facts: what an answer has to contain.
        against: the baseline's answer, where the two are to be compared.
        seed: which of the two stands first in the first comparison.
        window: how many tokens the judge takes at once, None where that is not known.
        repeat: 0, or which judging past the cache this is.
        wanted: which questions are asked.
    """

    case: str
    question: str
    prompts: Prompts
    history: Sequence[Mapping[str, str]] = ()
    language: str = "en"
    answer: str | None = None
    reported: bool | None = None
    chunks: Sequence[Chunk] = ()
    lacks_text: bool = False
    reference: str | None = None
    facts: Sequence[Fact] = ()
    against: str | None = None
    seed: int = 0
    window: int | None = None
    repeat: int = 0
    wanted: Wanted = Wanted()

    def prompt(self, name: str, schema: Mapping[str, Any]) -> Prompt:
        """A question to the judge in the language of the case."""
        return self.prompts.of(name, self.language, schema)

    def asked_for(self) -> tuple[Datum, ...]:
        """What was said before, if anything, and the question, as data."""
        turns = fencing.turns((each.get("role", ""), each.get("content", "")) for each in self.history)
        return (*([Datum("history", turns)] if turns else []), Datum("question", self.question))

    @property
    def answered(self) -> str:
        """The answer, empty where there is none."""
        return self.answer or ""

    def shown(self) -> dict[str, Chunk]:
        """The chunks that a judge is shown, by the short ids that it knows them by; blank and repeated ones are not."""
        once = {chunk.id: chunk for chunk in reversed(self.chunks) if not fencing.is_blank(chunk.text)}
        kept = [each for each in dict.fromkeys(chunk.id for chunk in self.chunks) if each in once]
        return {f"c{place}": once[each] for place, each in enumerate(kept, 1)}
