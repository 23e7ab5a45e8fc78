"""Questions that an answer fits, for comparing them with the one that was asked.

They are asked for apart from everything else, by the answer alone: a judge that has seen the question writes it down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.judging import replies
from evaluator.judging.fencing import Datum
from evaluator.judging.prompts import Ask
from evaluator.judging.shapes import TEXT, listed, obj

if TYPE_CHECKING:
    from evaluator.judging.calls import Call
    from evaluator.judging.subject import Subject

SCHEMA = obj(questions=listed(TEXT))


def call(subject: Subject) -> Call[tuple[str, ...]]:
    """Ask for as many questions as the subject wants."""
    count = subject.wanted.questions
    data = (Datum("answer", subject.answered),)
    ask = Ask(subject.case, "embedding", data, {"count": count}, 256 + 80 * count, repeat=subject.repeat)
    return subject.prompt("questions", SCHEMA).call(ask, lambda text: _read(text, count))


def _read(text: str, count: int) -> tuple[str, ...]:
    found = replies.read(text, SCHEMA)["questions"]
    problems = [] if len(found) == count else [f"questions holds {len(found)}, but {count} were asked for"]
    replies.refuse_invalid([*problems, *("a question is empty" for each in found if not each.strip())])
    return tuple(each.strip() for each in found)
