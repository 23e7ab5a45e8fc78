"""What a model or an endpoint turned out not to take: learnt once, kept for the run, and told.

Parameters that it names are left out. Where it does not take a JSON Schema, the reply is asked for in a looser form.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from evaluator.judges._http import Failure

REFUSES_PARAMETERS = frozenset({400, 422, 500, 501})
REFUSES_FORMS = frozenset({400, 422, 500, 501})
NAMES_FORMS = REFUSES_FORMS | {404}
REFUSING = re.compile(
    r"unsupport|not (be )?(support|permit|allow|accept|enabled)|deprecat|extra|unrecogni|unknown|unexpected|invalid|"
    r"cannot|can't|removed|only the default|may only|must be|incompatible|not (a )?valid",
    re.IGNORECASE,
)
FORM_NAMES = re.compile(
    r"(response|output)[_ ]?format|json_?schema|json_?object|output_?config|structured.?output|tool_?choice|"
    r"\btools?\b|grammar|\bschema\b|\bstrict\b",
    re.IGNORECASE,
)
TOO_MUCH_ROOM = re.compile(r"too (large|high|big)|at most|maximum|exceed|less than|greater than|<=|>", re.IGNORECASE)
ROOM = ("max_tokens", "max_completion_tokens")
"""What providers call the most tokens of a reply."""
INSIDE = {"system": r"system (role|message|prompt)s?|role\W{1,12}system", "cache_control": r"cache_control"}
"""What may be left out and is no parameter of its own, and how servers speak of it."""
LEAST_ROOM = 256
"""Numbers below are no limit of a reply."""
TRIALS = 3
"""How often other forms are tried in vain for calls that fail without naming the form."""


class Manner(NamedTuple):
    """How calls are put: the form of the reply, the parameters left out, and the most room a reply may have."""

    form: str
    without: frozenset[str] = frozenset()
    most: int | None = None


class Adapting:
    """What was learnt. Used from many threads.

    Args:
        forms: in which the reply can be asked for, the strictest first.
        optional: the parameters that may be left out.
        described: short words for parameters that are left out.
    """

    def __init__(
        self, forms: Sequence[str], optional: Iterable[str], described: Callable[[frozenset[str]], Iterable[str]]
    ) -> None:
        self._forms = tuple(forms)
        self._optional = frozenset(optional)
        self._described = described
        self._lock = threading.Lock()
        self._manner = Manner(self._forms[0])
        self._own: dict[str, str] = {}
        self._answered = False
        self._trials = TRIALS
        self.trial = threading.Lock()
        """Held while other forms are tried, so that one call finds out for all."""

    def manner(self, name: str) -> Manner:
        """How calls of a name are put now."""
        with self._lock:
            return self._manner._replace(form=self._own.get(name, self._manner.form))

    def below(self, form: str) -> tuple[str, ...]:
        """The forms that ask for less than this one, the strictest first."""
        return self._forms[self._forms.index(form) + 1 :]

    @property
    def answered(self) -> bool:
        """Whether any call was answered yet."""
        return self._answered

    def worked(self) -> None:
        """A call was answered as it was put."""
        self._answered = True

    def settle(self, name: str, form: str) -> None:
        """Ask in this form from now on: for all that is asked, or where others were answered before, for this alone."""
        with self._lock:
            if self._answered:
                self._own[name] = form
            else:
                self._manner = self._manner._replace(form=form)
                self._answered = True

    def learn(self, failure: Failure, manner: Manner, sent: Mapping[str, object]) -> bool:
        """Take what a failure says of the parameters that were sent; False if it says nothing of them."""
        if failure.status not in REFUSES_PARAMETERS:
            return False
        name = self._named(failure, [each for each in (*sent, *INSIDE) if each not in manner.without])
        if name is None:
            return False
        with self._lock:
            now = self._manner
            most = _most(failure, sent.get(name)) if name in ROOM else None
            if most is not None:
                self._manner = now._replace(most=min(most, now.most or most))
            elif name in self._optional:
                self._manner = now._replace(without=now.without | {name})
            return most is not None or name in self._optional

    def _named(self, failure: Failure, sent: Collection[str]) -> str | None:
        """The parameter that is refused: the one the server names, or the first that its words mention."""
        known = (self._optional | set(ROOM)) & set(sent)
        head = re.split(r"[.\[]", failure.param)[0]
        if head in known:
            return head
        if not REFUSING.search(failure.said) and not TOO_MUCH_ROOM.search(failure.said):
            return None
        spelled = {name: INSIDE.get(name, re.escape(name)) for name in known}
        places = [
            (place.start(), name)
            for name, each in spelled.items()
            if (place := re.search(rf"(?<!\w)({each})(?!\w)", failure.said, re.IGNORECASE)) is not None
        ]
        found = sorted(places)
        return found[0][1] if found else None

    def may_be_the_form(self, failure: Failure, manner: Manner) -> bool:
        """Whether other forms are worth a try after a failure."""
        if not self.below(manner.form):
            return False
        if names_the_form(failure):
            return failure.status in NAMES_FORMS
        if failure.status not in REFUSES_FORMS:
            return False
        return not self._answered and self._trials > 0

    def tried(self) -> None:
        """Other forms were tried in vain: not too often, or an endpoint that is down is asked many times over."""
        with self._lock:
            self._trials -= 1

    def adapted(self) -> list[str]:
        """What is left out or asked for otherwise, as short stable words, sorted.

        A limit of the room is none of it: a reply that it cuts off is never used, so that it changes no value.
        """
        with self._lock:
            words = list(self._described(self._manner.without))
            if self._manner.form != self._forms[0]:
                words.append(f"{self._manner.form} instead of {self._forms[0]}")
            words += [f"{form} instead of {self._forms[0]} for {name}" for name, form in self._own.items()]
            return sorted(words)


def names_the_form(failure: Failure) -> bool:
    """Whether a failure speaks of the form of the reply."""
    return FORM_NAMES.search(f"{failure.param} {failure.code} {failure.said}") is not None


def _most(failure: Failure, sent: object) -> int | None:
    """The most room a server says it gives, where it refused the room that was asked for as too much."""
    if not isinstance(sent, int) or not TOO_MUCH_ROOM.search(failure.said):
        return None
    numbers = (int(each) for each in re.findall(r"(?<![\w.])\d{3,9}(?![\w.]\d)", failure.said.replace(",", "")))
    return max((each for each in numbers if LEAST_ROOM <= each < sent), default=None)
