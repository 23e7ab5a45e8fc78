"""Questions that ask nearly the same: one of them counts twice, or a held-out case is no longer unseen.

Two questions are compared by their stems, each weighted by how rare it is in the set (weighted Jaccard index). Frames
that many questions share therefore weigh little, and what tells them apart weighs much. A misspelt word counts as the
word. Numbers and negations must be equal, and so must what was said before. Where one question only has words more than
the other, which are polite or idle more often than not, less overlap is enough than where each has words of its own.

Pairs are looked for by prefixes (Bayardo, Ma and Srikant, WWW 2007): two questions can overlap enough only where they
share some of their rarest stems. So the work grows with the pairs that are alike, not with all pairs.
"""

from __future__ import annotations

import collections
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._negation import holds_negation
from evaluator.metrics._normal import normal
from evaluator.pipelines._tokens import words
from evaluator.stages.lint import Doubt
from evaluator.stages.lints.stems import Stems
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.golden import Case
    from evaluator.stores.golden import GoldenSet, Place

ALIKE = 0.85
"""Overlap from which two questions with words of their own ask nearly the same."""

CONTAINED = 0.7
"""Overlap from which a question asks nearly the same as one that has all of its words."""

SAME_HISTORY = 0.8
SHORTEST_MISSPELT = 5
SHORTEST_MISTYPED = 7
"""A word with another letter at one place is a word of its own more often than one with two letters swapped."""

LONGEST_WORD = 30
MOST_CANDIDATES = 100
"""How many earlier questions with one rare stem in common are looked at: bounds what a hostile set can cost."""


class _Question(NamedTuple):
    """A question as it is compared."""

    case: Case
    stems: frozenset[str]
    before: frozenset[str]
    fixed: frozenset[str]
    denies: bool

    @property
    def key(self) -> tuple[object, ...]:
        """What is equal where nothing at all tells two questions apart."""
        return self.stems, self.before, self.denies

    @property
    def root(self) -> str:
        """The group of paraphrases it belongs to."""
        return self.case.paraphrase_of or self.case.id


def questions(golden: GoldenSet, language: str) -> Iterator[Doubt]:
    """Questions that ask nearly the same as an earlier one: within a split, and across dev and holdout, a leak.

    Cases of one group of paraphrases are alike on purpose, unless they are on both sides of the split.
    """
    for question, others in _matches(list(_read(golden.cases, language))):
        leaks = [other for other in others if other.case.split != question.case.split]
        twins = [other for other in others if other.root != question.root]
        if leaks or twins:
            yield _doubt(question.case, (leaks or twins)[0].case, golden.places)


def _doubt(case: Case, other: Case, places: Mapping[str, Place]) -> Doubt:
    file, line = places[other.id]
    name = "a held-out case" if other.split == "holdout" else f"case '{visible(other.id)}'"
    text = f"this asks nearly the same as {name} ({visible(Path(file).name)}:{line})"
    if case.split != other.split:
        return Doubt("holdout-leak", f"{text}, on the other side of the split", case.id, ("question",))
    return Doubt("near-duplicate", f"{text}; name it in paraphrase_of if that is meant", case.id, ("question",))


def _read(cases: Iterable[Case], default: str) -> Iterator[_Question]:
    stems, spelling = Stems(), _Spelling()
    for case in cases:
        language = case.language or default
        own = frozenset(stems.each(map(spelling.of, words(case.question)), language))
        before = frozenset(stem for turn in case.history for stem in stems.of(turn.content, language))
        fixed = frozenset(stem for stem in own if any(map(str.isdigit, stem)))
        negated = holds_negation(normal(case.question, False).flat, language)
        if own:
            yield _Question(case, own, before, fixed, negated)


class _Spelling(dict[str, str]):
    """One spelling for words that differ by a slip of the keyboard: the one that was met first.

    Words are found by what is left of them without one letter, which a missing, an added, a wrong and two swapped
    letters have in common.
    """

    def __init__(self) -> None:
        super().__init__()
        self._without: dict[str, str] = {}

    def of(self, word: str) -> str:
        """A word in the spelling that it counts as."""
        if word not in self:
            self[word] = self._known(word)
        return self[word]

    def _known(self, word: str) -> str:
        if not SHORTEST_MISSPELT <= len(word) <= LONGEST_WORD or not word.isalpha():
            return word
        shorter = dict.fromkeys([word, *(word[:place] + word[place + 1 :] for place in range(1, len(word)))])
        for part in shorter:
            other = self._without.get(part)
            if other is not None and _is_slip(word, other):
                return other
        for part in shorter:
            self._without.setdefault(part, word)
        return word


def _is_slip(one: str, two: str) -> bool:
    """Whether two words that differ by one letter are one word: a wrong letter counts in longer words only."""
    swapped = sorted(one) == sorted(two)
    return len(one) != len(two) or swapped or len(one) >= SHORTEST_MISTYPED


def _matches(asked: Sequence[_Question]) -> Iterator[tuple[_Question, list[_Question]]]:
    """Every question that has earlier ones like it, with those, the most alike first."""
    index = _Index(asked)
    same: dict[tuple[object, ...], list[_Question]] = {}
    for question in asked:
        twins = same.setdefault(question.key, [])
        others = twins or index.alike(question)
        if others:
            yield question, others
        if not twins:
            index.add(question)
        if len(twins) < MOST_CANDIDATES:
            same[question.key] = [*twins, question]


class _Entry(NamedTuple):
    """A question in the index: the weight of all its stems, and of those after its prefix."""

    question: _Question
    weight: float
    rest: float


class _Index:
    """Questions by the rarest of their stems."""

    def __init__(self, asked: Sequence[_Question]) -> None:
        counts = collections.Counter(stem for question in asked for stem in question.stems)
        self._weights = {stem: math.log(1 + len(asked) / count) for stem, count in counts.items()}
        self._entries: list[_Entry] = []
        self._by_stem: dict[str, collections.deque[int]] = collections.defaultdict(
            lambda: collections.deque(maxlen=MOST_CANDIDATES)
        )

    def add(self, question: _Question) -> None:
        """Let later questions find this one."""
        prefix, entry = self._entry(question)
        for stem in prefix:
            self._by_stem[stem].append(len(self._entries))
        self._entries.append(entry)

    def alike(self, question: _Question) -> list[_Question]:
        """The questions that ask nearly the same, the most alike first."""
        prefix, mine = self._entry(question)
        shared: dict[int, float] = collections.defaultdict(float)
        for stem in prefix:
            for place in self._by_stem[stem]:
                shared[place] += self._weights[stem]
        found = []
        for place, weight in shared.items():
            theirs = self._entries[place]
            # What both have beyond the shorter prefix is part of that one's rest.
            most = weight + max(mine.rest, theirs.rest)
            if most >= CONTAINED / (1 + CONTAINED) * (mine.weight + theirs.weight):
                overlap = _overlap(mine, theirs, self._weights)
                found.extend([(overlap, place)] if overlap else [])
        return [self._entries[place].question for _, place in sorted(found, key=lambda pair: (-pair[0], pair[1]))]

    def _entry(self, question: _Question) -> tuple[list[str], _Entry]:
        ordered = sorted(question.stems, key=lambda stem: (-self._weights[stem], stem))
        weight = rest = sum(self._weights[stem] for stem in ordered)
        prefix: list[str] = []
        for stem in ordered:
            if rest < CONTAINED * weight:
                break
            rest -= self._weights[stem]
            prefix.append(stem)
        return prefix, _Entry(question, weight, rest)


def _overlap(mine: _Entry, theirs: _Entry, weights: Mapping[str, float]) -> float:
    """The weighted Jaccard index of two questions that ask nearly the same; 0 for others."""
    one, two = mine.question, theirs.question
    if one.fixed != two.fixed or one.denies != two.denies:
        return 0.0
    both = one.stems & two.stems
    shared = sum(map(weights.__getitem__, both))
    overlap = shared / (mine.weight + theirs.weight - shared)
    enough = CONTAINED if len(both) in (len(one.stems), len(two.stems)) else ALIKE
    return overlap if overlap >= enough and _same_history(one.before, two.before) else 0.0


def _same_history(one: frozenset[str], two: frozenset[str]) -> bool:
    return len(one & two) >= SAME_HISTORY * len(one | two)
