from __future__ import annotations

import sys
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics._within import NEGATION, NUMBER, Phrase, Tokens, find
from evaluator.metrics.facts import find_facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage

LETTERS = "abc!"


def text(keys: str, sentences: tuple[int, ...] = ()) -> Tokens:
    """A text of one-letter keys; ``!`` is a negation and ``#`` a number."""
    return Tokens(
        list(keys), (range(len(keys)), range(1, len(keys) + 1)), sentences=sentences, clauses=(), apart=sentences
    )


def wanted(keys: str, spread: int = 2, near: int = 1) -> Phrase:
    """A phrase of one-letter keys in any order."""
    return Phrase(
        wanted=tuple(((key,),) for key in keys),
        length=len(keys),
        reach=len(keys) + spread,
        numbers=frozenset(filter(NUMBER.startswith, keys)),
        units=frozenset(),
        negations=tuple(filter(NEGATION.startswith, keys)),
        near=near,
        in_clause=False,
        repeated=(),
        hints=(),
    )


def naive(phrase: Phrase, keys: str, sentences: tuple[int, ...]) -> bool:
    """The same, by looking at every stretch of every sentence."""
    starts = [0, *sentences, len(keys)]
    for first, last in pairwise(starts):
        sentence = keys[first:last]
        for start in range(len(sentence)):
            for end in range(start + 1, min(len(sentence), start + phrase.reach) + 1):
                around = sentence[max(0, start - phrase.near) : end + phrase.near]
                if all(gram[0][0] in sentence[start:end] for gram in phrase.wanted) and "!" not in around:
                    return True
    return False


@given(
    st.text(LETTERS, max_size=24),
    st.sets(st.integers(1, 23), max_size=4),
    st.sampled_from(["a", "ab", "abc"]),
    st.integers(0, 4),
    st.integers(0, 3),
)
def test_it_is_what_looking_at_every_stretch_gives(
    keys: str, ends: set[int], phrase: str, spread: int, near: int
) -> None:
    """Steps over the whole text at once find neither more nor less than a look at each place."""
    sentences = tuple(sorted(end for end in ends if end < len(keys)))
    looked_for = wanted(phrase, spread, near)

    assert (find(looked_for, text(keys, sentences)) is not None) == naive(looked_for, keys, sentences)


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("a.b..ba", (5, 7)),
        ("ba", (0, 2)),
        ("a...b", None),
        ("a..b", (0, 4)),
        ("", None),
    ],
)
def test_the_closest_place_is_told(keys: str, place: tuple[int, int] | None) -> None:
    """The fewest tokens that hold everything are the best evidence."""
    assert find(wanted("ab"), text(keys)) == place


class TestHostileText:
    """Whoever writes golden sets and chunks cannot make the search take time out of proportion to them."""

    def found(self, alternatives: list[str], chunk: str, language: str = "en") -> list[bool]:
        """Look for one fact an alternative in one chunk."""
        facts = [Fact.model_construct(id=str(at), text=each, any=()) for at, each in enumerate(alternatives)]
        return [fact.found for fact in find_facts(facts, [("c", Passage(None, chunk, 0))], language)]

    def test_the_steps_of_a_search_do_not_grow_with_the_text(self) -> None:
        """Whatever stands there, and however often the phrase is nearly found or ruled out."""
        steps = []
        for times in (10, 10_000):
            tokens = text("a....!ab.b...." * times + "c")
            find(wanted("abc"), tokens)
            counted = 0

            def count(*_: object) -> None:
                nonlocal counted
                counted += 1

            sys.setprofile(count)
            try:
                assert find(wanted("abc"), tokens) is None
            finally:
                sys.setprofile(None)
            steps.append(counted)

        assert steps[0] == steps[1]

    def test_ten_thousand_alternatives_that_are_nearly_there(self) -> None:
        """Words that are all there, and never close enough; each search is a few steps over bits of the whole text."""
        names = ["alder", "birch", "cedar", "elder", "maple", "rowan", "spruce", "walnut"]
        chunk = ". ".join(f"{name} tree" for name in names * 500)
        alternatives = [" ".join(order[:7]) for order in permutations(names)][:10_000]

        assert len(chunk) > 40_000
        assert not any(self.found(alternatives, chunk))

    def test_a_chunk_of_two_megabytes(self) -> None:
        """A long text is read once, whatever is looked for in it."""
        chunk = "not returned. " * 150_000
        alternatives = [f"items number {at} returns" for at in range(500)]

        assert len(chunk) > 2_000_000
        assert not any(self.found(["returning not later", *alternatives], chunk))
        assert self.found(["item return"], chunk + " An item is returned.") == [True]

    def test_one_long_word_of_which_many_alternatives_are_parts(self) -> None:
        """A part of a word is passed over together with the whole of it."""
        chunk = "a" * 1_000_000
        assert not any(self.found([f"{'a' * length}" for length in range(1, 2000)], chunk))

    @pytest.mark.parametrize("language", ["zh", "ja"])
    def test_characters_without_an_end(self, language: str) -> None:
        """The same holds where every character is a token."""
        chunk = "可退" * 100_000
        assert not any(self.found([f"退款{each}天内" for each in range(500)], chunk, language))
