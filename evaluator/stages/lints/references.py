"""References that do not state what the case requires: another number, a denial, or nothing of it at all."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from evaluator.metrics import facts
from evaluator.metrics._negation import holds_negation
from evaluator.metrics._normal import has_decimal_comma, normal
from evaluator.metrics._patterns import pattern_of
from evaluator.model.view import Passage
from evaluator.stages.lint import Doubt
from evaluator.stages.lints.stems import Stems
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.model.golden import Case, Fact

NEAR = 3
"""How many words before and after a place are looked at for a negation."""

FEW_WORDS = 5
"""Longer alternatives are sentences, which a reference may well put in other words."""

STATED = "states"
DENIED = "denies"

BOUND = re.compile(
    r"\b(?:no|not) (?:later|more|less|fewer|longer|earlier|sooner|greater|higher|lower) than\b"
    r"|\b(?:nicht|nie) (?:später|mehr|länger|weniger|früher|höher) als\b"
    r"|\binte (?:mer|senare|längre|mindre|tidigare) än\b"
    r"|\bpas plus (?:tard )?(?:de|que)\b|\bno más (?:tarde )?(?:de|que)\b|\bnem (?:több|később|kevesebb|hosszabb)\b"
    r"|\bnie (?:więcej|później|dłużej|mniej|wcześniej) niż\b|不(?:超过|晚于|多于|少于|低于|高于)",
    re.IGNORECASE,
)
"""What limits a number and denies nothing."""

CLAUSE = re.compile(r"[,;:.!?]\s|[，；：。！？\n]")
SHORT_NOT = re.compile(
    r"\b(can)(?:['\u2019]t|not)\b"
    r"|\b(could|do|does|did|is|are|was|were|has|have|must|should|would)n['\u2019]t\b",
    re.IGNORECASE,
)
"""A negation that is written together with its verb in English."""

NUMBER = "0"
"""Stands for every number where only the words around it are compared."""


def contradicting(cases: Iterable[Case], language: str) -> Iterator[Doubt]:
    """Facts of which the reference states the opposite, another number, or nothing."""
    stems = Stems()
    for case in cases:
        if not case.reference or not case.reference.strip() or not case.facts:
            continue
        tongue = case.language or language
        found = facts.find_facts(case.facts, [("reference", Passage(None, case.reference))], tongue)
        missing = {each.fact for each in found if not each.found and each.problem is None}
        reader = _Reader(case.reference, tongue, stems)
        for fact in case.facts:
            if fact.id in missing:
                yield from _doubts(case, fact, reader)


def _doubts(case: Case, fact: Fact, reader: _Reader) -> Iterator[Doubt]:
    name, plain = f"fact '{visible(fact.id)}'", [each for each in fact.alternatives if pattern_of(each) is None]
    found = list(map(reader.read, plain))
    why = next((each for each in found if each not in ("", STATED)), None)
    if STATED in found or not plain:
        return
    if why is not None:
        yield Doubt("reference-contradicts-fact", f"the reference {why} {name}", case.id, ("reference",))
    elif all(reader.length(each) <= FEW_WORDS for each in plain):
        text = f"the reference does not state {name} in any of its alternatives"
        yield Doubt("reference-without-fact", text, case.id, ("reference",))


class _Reader:
    """A reference, asked whether it says something else where a fact should stand."""

    def __init__(self, reference: str, language: str, stems: Stems) -> None:
        self._language = language
        self._stems = stems
        self._text = self._stems_of(reference)
        self._frames = list(map(_frame, self._text))
        self._reference = reference

    def read(self, alternative: str) -> str:
        """How the reference contradicts an alternative that was not found in it; empty where it says nothing of it."""
        wanted = self._stems_of(alternative)
        frame = list(map(_frame, wanted))
        if not any(map(str.isalpha, "".join(wanted))):
            return ""
        places = [start for start in range(len(self._text)) if self._frames[start : start + len(frame)] == frame]
        if any(self._text[start : start + len(wanted)] == wanted for start in places):
            # Punctuation can keep a fact from being found; a short one that is there and is not found is denied.
            return STATED if len(wanted) > NEAR or self._is_plain(wanted) else DENIED
        if self._is_parted(wanted):
            return DENIED
        if places and not _numbers(wanted) <= set(self._text):
            return "has another number than"
        return self._affirmed(wanted)

    def length(self, alternative: str) -> int:
        """How many words an alternative has."""
        return len(self._stems_of(alternative))

    def _is_plain(self, wanted: Sequence[str]) -> bool:
        """Whether a clause states an alternative without a negation in it: "5 bar, not 6", "no later than 30 days"."""
        clauses = CLAUSE.split(BOUND.sub(" ", self._reference))
        return any(_at(wanted, self._stems_of(clause)) and not self._has_negation(clause) for clause in clauses)

    def _is_parted(self, wanted: Sequence[str]) -> bool:
        """Whether the reference states an alternative but for a negation between its words."""
        return _at(wanted, self._affirmative) and not self._denies(wanted)

    @cached_property
    def _affirmative(self) -> list[str]:
        """The reference without its negations; empty where it has none."""
        if not self._has_negation(self._reference):
            return []
        apart = SHORT_NOT.sub(r"\1\2 not", self._reference).split()
        return self._stems_of(" ".join(word for word in apart if not self._has_negation(word)))

    def _has_negation(self, text: str) -> bool:
        return holds_negation(normal(text, has_decimal_comma(self._language)).flat, self._language)

    def _affirmed(self, wanted: Sequence[str]) -> str:
        """Whether the reference states, without its negation, what an alternative denies."""
        kept = [stem for stem in wanted if not self._denies([stem])]
        if len(kept) == len(wanted) or not any(len(stem) > NEAR for stem in kept):
            return ""
        for start in range(len(self._text) - len(kept) + 1):
            end = start + len(kept)
            if self._text[start:end] == kept and not self._denied(start, end):
                return "affirms what is denied by"
        return ""

    def _denied(self, start: int, end: int) -> bool:
        return self._denies(self._text[max(0, start - NEAR) : end + NEAR])

    def _denies(self, stems: Sequence[str]) -> bool:
        return holds_negation(" ".join(stems), self._language)

    def _stems_of(self, text: str) -> list[str]:
        return self._stems.of(normal(text, has_decimal_comma(self._language)).flat, self._language)


def _at(wanted: Sequence[str], text: Sequence[str]) -> bool:
    """Whether stems stand one after the other in a text."""
    size = len(wanted)
    return any(text[start : start + size] == wanted for start in range(len(text) - size + 1))


def _frame(stem: str) -> str:
    return NUMBER if stem.isdecimal() else stem


def _numbers(stems: Iterable[str]) -> set[str]:
    return {stem for stem in stems if stem.isdecimal()}
