"""The statements of a reference answer: taken without any answer in sight, once for every text of a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.judging import refusals, replies, tokens
from evaluator.judging.fencing import Datum
from evaluator.judging.prompts import Ask
from evaluator.judging.quotes import UNSPACED
from evaluator.judging.sentences import sentences
from evaluator.judging.shapes import TEXT, listed, obj
from evaluator.model.judgement import Statement

if TYPE_CHECKING:
    from evaluator.judging.calls import Call
    from evaluator.judging.subject import Subject

SCHEMA = obj(statements=listed(TEXT))

SHORT_WORDS, SHORT_CHARACTERS = 12, 25
"""A reference of one sentence up to so many words, or characters of a script without spaces, is its own statement."""


def own(reference: str, language: str) -> tuple[Statement, ...] | None:
    """The statements of a reference that need no judge: none of a blank one, itself of a short one."""
    found = sentences(reference, language)
    if not found:
        return ()
    unspaced = len(UNSPACED.findall(reference))
    words = len(UNSPACED.sub(" ", reference).split())
    is_short = words + unspaced * SHORT_WORDS / SHORT_CHARACTERS <= SHORT_WORDS
    return _numbered(found) if len(found) == 1 and is_short else None


def call(subject: Subject, reference: str) -> Call[tuple[Statement, ...]]:
    """Ask for the statements of a reference. Neither case, question nor answer is in it: its reply is kept for all."""
    room = 256 + 3 * tokens.estimate(reference)
    ask = Ask(subject.case, "statements", (Datum("reference", reference.strip()),), {}, room)
    return subject.prompt("statements", SCHEMA).call(ask, lambda text: _read(text, reference))


def _read(text: str, reference: str) -> tuple[Statement, ...]:
    found = replies.read(text, SCHEMA)["statements"]
    problems = [] if found else ["statements is empty, but the reference states something"]
    replies.refuse_invalid([*problems, *("a statement is empty" for each in found if replies.is_wordless(each))])
    if not refusals.holds_one(reference):
        replies.refuse_declining(found)
    return _numbered(found)


def _numbered(texts: list[str] | tuple[str, ...]) -> tuple[Statement, ...]:
    return tuple(Statement(id=f"r{place}", text=each.strip()) for place, each in enumerate(texts, 1))
