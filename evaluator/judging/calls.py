"""One question to a judge as a value: what identifies it, how it is put, and how its reply is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from evaluator.model.judge import JudgeRequest
    from evaluator.model.score import Unscored
    from evaluator.model.verdicts import Part

Found = TypeVar("Found")


class InvalidReply(Exception):
    """A reply that is not what was asked for; ``problems`` are sentences that tell the judge what was wrong."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


class Refusal(Exception):
    """A reply in which the judge declines to judge."""


@dataclass(frozen=True)
class Call(Generic[Found]):
    """One question to a judge.

    Attributes:
        case: the case it is about, for messages.
        part: which question it is.
        prompt: SHA-256 of everything that words the question but the case: template, language and schema.
        given: what it is about, as JSON: with ``prompt``, the judge and ``repeat`` it is what a reply is cached under.
        put: the request, given the random delimiter that fences what is judged.
        read: the reply's meaning. Raises InvalidReply or Refusal; nothing is clamped, defaulted or guessed.
        mend: the request once more, given the same delimiter, the reply that was invalid and what was wrong with it.
        repeat: 0, or which judging past the cache this is.
    """

    case: str
    part: Part
    prompt: str
    given: Mapping[str, Any]
    put: Callable[[str], JudgeRequest]
    read: Callable[[str], Found]
    mend: Callable[[str, str, Sequence[str]], JudgeRequest]
    repeat: int = 0


Outcome: TypeAlias = "Found | Unscored | TooMuch"
"""What became of a call: its reply as it was read, or why there is none."""


@dataclass(frozen=True)
class TooMuch:
    """The model does not take so much at once: the same is to be asked in smaller parts."""


Conversation: TypeAlias = "Generator[Sequence[Call[Any]], Sequence[Any], Found]"
"""The judging of one case without any input or output of its own.

It yields calls that may be made side by side, is sent their outcomes in the same order, and returns what it found. The
one who drives it makes the calls, so that it can be tested by a list of replies and run by any number of threads.
"""
