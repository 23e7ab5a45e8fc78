from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator.metrics import _forms, quotes
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Need
from evaluator.model.record import Hit
from tests import documents

if TYPE_CHECKING:
    from collections.abc import Sequence


def fixture(*chunks: tuple[str, str | None, str]) -> Fixture:
    """A fixture of ids, documents and texts."""
    made = tuple(Chunk(id=name, doc=doc, text=text) for name, doc, text in chunks)
    return Fixture(made, Digests(chunks="", documents=None))


def found(quote: str, *chunks: tuple[str, str | None, str]) -> quotes.Found:
    """What became of a quote."""
    need = Need(quote=quote)
    return quotes.resolve([need], fixture(*chunks))[need.declared()[1]]


def among(quote: str, *chunks: tuple[str, str | None, str]) -> tuple[tuple[str, ...], ...]:
    """The ways of a quote among results."""
    return quotes.ways_among(quote, [Hit(id=name, doc=doc, text=text) for name, doc, text in chunks])


def cut(text: str, *places: int, doc: str = "d") -> list[tuple[str, str | None, str]]:
    """A document in chunks named by letters, white space at their ends left out."""
    ends = [0, *places, len(text)]
    parts = [text[start:end].strip() for start, end in itertools.pairwise(ends)]
    return [("ABCDEFGH"[number], doc, part) for number, part in enumerate(parts)]


class TestChunks:
    """A quote within single chunks."""

    def test_every_chunk_that_holds_it_is_a_way(self) -> None:
        """In fixture order, in any document or none, however the text is set."""
        chunks = [
            ("b", None, "Within **30 days**."),
            ("a", "x", "no"),
            ("c", "y", "pay within 30\ndays"),
            ("d", "y", "30"),
        ]

        assert found("within 30 days", *chunks) == quotes.Found((("b",), ("c",)), 2)

    @pytest.mark.parametrize(
        "text",
        [
            "within 130 days", "within 30 daysies", "xwithin 30 days", "within 30 days-off", "not-within 30 days",
        ],
    )  # fmt: skip
    def test_words_are_not_cut(self, text: str) -> None:
        """What stands within a longer word or number is something else."""
        assert found("within 30 days", ("a", "d", text)).ways == ()

    @pytest.mark.parametrize("text", ["is 5.5", "is 5,000", "is 5-a", "is 5-10", "is 5'000", "is 5:30", "this 5"])
    def test_numbers_are_not_cut(self, text: str) -> None:
        """What follows a separator may not be left out."""
        assert found("is 5", ("a", "d", f"it {text}")).ways == ()

    @pytest.mark.parametrize("text", ["-5 V", "1.5 V", "at (-5 V)", "AP-5 V", "10-5 V", "1/5 V", "15 V"])
    def test_nothing_before_a_number_is_left_out(self, text: str) -> None:
        """Neither a sign nor a part of the number."""
        assert found("5 V", ("a", "d", text)).ways == ()

    @pytest.mark.parametrize(
        "text", ["is 5.", "(is 5)", "is 5, not 6", "is 5. 6 are", "is 5 - a", "is 5 %", "is 5: a", "6. is 5"]
    )
    def test_punctuation_cuts_nothing(self, text: str) -> None:
        """A passage may end where a sentence goes on."""
        assert found("is 5", ("a", "d", text)).ways == (("a",),)

    def test_scripts_without_spaces_have_no_words_to_cut(self) -> None:
        """A passage in Chinese stands between other characters."""
        assert found("三十天内", ("a", "d", "请在三十天内退货")).ways == (("a",),)

    @pytest.mark.parametrize("quote", ["# 5 screws", "+ 5 V"])
    def test_what_reads_as_markup_is_found_as_it_is_written(self, quote: str) -> None:
        """A mark that a line would not begin with in the text is looked for literally, and words are not cut then."""
        assert found(quote, ("a", "d", f"see {quote} here"), ("b", "d", f"see {quote}s here")).ways == (("a",),)

    def test_nowhere(self) -> None:
        """A passage that the documents do not hold has no way and no place."""
        assert found("within 31 days", ("a", "d", "within 30 days")) == quotes.Found((), 0)

    @pytest.mark.parametrize(("times", "ways"), [(20, 20), (21, 0)])
    def test_too_many_places_mean_none(self, times: int, ways: int) -> None:
        """Twenty places are alternatives; one more, and the passage names nothing."""
        what = found("page of", *((str(n), str(n), f"this is page of {n}") for n in range(times)))

        assert (len(what.ways), what.places) == (ways, times)


TEXT = "alpha beta gamma delta epsilon zeta eta theta"


class TestRuns:
    """A quote across chunks of one document."""

    @pytest.mark.parametrize(
        ("quote", "ways"),
        [
            ("beta gamma", (("A",),)),
            ("gamma delta", (("A", "B"),)),
            ("gamma delta epsilon zeta", (("A", "B", "C"),)),
            (TEXT, (("A", "B", "C"),)),
            ("gamma epsilon", ()),
        ],
    )
    def test_adjacent_chunks_hold_it_together(self, quote: str, ways: tuple[tuple[str, ...], ...]) -> None:
        """The chunks from where it begins to where it ends, and no more."""
        assert found(quote, *cut(TEXT, 16, 30)).ways == ways

    def test_not_across_documents_or_chunks_of_none(self) -> None:
        """Text goes on within a document only."""
        first, second = ("a", "d", "alpha beta"), ("b", "e", "gamma delta")

        assert found("beta gamma", first, second).ways == ()
        assert found("beta gamma", ("a", None, "alpha beta"), ("b", None, "gamma delta")).ways == ()

    def test_a_document_s_chunks_need_not_stand_together_in_the_file(self) -> None:
        """Its order is theirs in the file, whatever stands between; a blank chunk parts nothing."""
        chunks = [("a", "d", "alpha beta"), ("x", "e", "other"), ("n", "d", " \n"), ("b", "d", "gamma delta")]

        assert found("beta gamma", *chunks).ways == (("a", "b"),)

    @pytest.mark.parametrize(
        ("quote", "first", "second"),
        [
            ("a broken example", "a broken exam-", "ple"),
            ("a broken example", "a broken exa", "mple"),
            ("in steps of 1 5 times", "in steps of 1", "5 times"),
            ("不可以退货", "不可", "以退货"),
        ],
    )
    def test_a_border_may_stand_anywhere(self, quote: str, first: str, second: str) -> None:
        """Within a word, at a hyphen, between two numbers or two characters of a script without spaces."""
        assert found(quote, ("A", "d", first), ("B", "d", second)).ways == (("A", "B"),)
        assert found("steps of 15", ("A", "d", first), ("B", "d", second)).ways == ()

    def test_a_chunk_alone_makes_a_run_with_it_needless(self) -> None:
        """No way holds all chunks of another."""
        chunks = [("A", "d", "alpha beta"), ("B", "d", "gamma. Again: beta gamma"), ("C", "e", "see beta gamma")]

        assert found("beta gamma", *chunks) == quotes.Found((("B",), ("C",)), 3)

    def test_the_same_passage_in_two_runs(self) -> None:
        """Every minimal run is a way."""
        twice = [
            *cut("alpha beta gamma", 10, doc="d"),
            *(("CD"[n], "e", text) for n, text in enumerate(["x beta", "gamma"])),
        ]

        assert found("beta gamma", *twice) == quotes.Found((("A", "B"), ("C", "D")), 2)


class TestOverlap:
    """Chunkers that repeat the end of a chunk at the beginning of the next."""

    CHUNKS = (
        ("A", "d", "alpha beta gamma delta"), ("B", "d", "delta epsilon zeta eta"), ("C", "d", "eta theta iota kappa"),
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("quote", "ways"),
        [
            ("delta", (("A",), ("B",))),
            ("gamma delta epsilon", (("A", "B"),)),
            ("delta epsilon zeta eta", (("B",),)),
            ("zeta eta theta", (("B", "C"),)),
            ("beta gamma delta epsilon zeta eta theta", (("A", "B", "C"),)),
            ("delta theta", ()),
        ],
    )
    def test_what_two_chunks_repeat_is_there_once(self, quote: str, ways: tuple[tuple[str, ...], ...]) -> None:
        """A passage is found whole, as one place, by every chunk and every run that holds it."""
        assert found(quote, *self.CHUNKS) == quotes.Found(ways, min(len(ways), 1))

    def test_chunks_that_overlap_by_more_than_half(self) -> None:
        """Each two that hold the passage together are a way, adjacent or not; a third that adds nothing is in none."""
        words = TEXT.split()
        windows = [(str(n), "d", " ".join(words[n : n + 4])) for n in range(5)]

        assert found("beta gamma delta epsilon zeta", *windows).ways == (
            ("0", "2"), ("0", "3"), ("0", "4"), ("1", "2"), ("1", "3"), ("1", "4"),
        )  # fmt: skip

    def test_a_chunk_within_the_next(self) -> None:
        """A chunk that another one begins with adds no place."""
        assert found("alpha beta", ("A", "d", "alpha beta"), ("B", "d", "alpha beta gamma")) == quotes.Found(
            (("A",), ("B",)), 1
        )

    def test_a_chunk_that_begins_within_a_word_shows_no_word_of_its_own(self) -> None:
        """Where the chunk before shows how the word begins, a passage is not found in its end."""
        windows = ("A", "d", "you are unable to return"), ("B", "d", "able to return it later")

        assert found("able to return", *windows).ways == ()
        assert found("to return it", *windows).ways == (("B",),)

    def test_texts_that_only_repeat_themselves_are_read_in_proportion(self) -> None:
        """A hostile index of one letter does not take for ever."""
        chunks = [(str(n), "d", "a" * 30_000 + "b" * (n % 2)) for n in range(6)]

        assert found("a" * 40_000, *chunks).places == 0


class TestAmongResults:
    """Without a fixture, in the texts that were retrieved."""

    def test_single_texts_and_those_that_go_on_from_one_another(self) -> None:
        """In any order of the ranking; only within a document."""
        first, second = ("A", "d", "alpha beta"), ("B", "d", "gamma delta")

        assert among("beta gamma", second, first, ("C", "d", "beta gamma")) == (("C",), ("A", "B"))
        assert among("beta gamma", first, ("B", "e", "gamma delta")) == ()
        assert among("beta gamma", ("A", None, "alpha beta"), ("B", None, "gamma delta")) == ()

    def test_three_texts(self) -> None:
        """One within the passage is found between two others."""
        assert among(TEXT, *cut(TEXT, 16, 30)[::-1]) == (("A", "B", "C"),)

    def test_overlap(self) -> None:
        """What two texts repeat is read once."""
        assert among("beta gamma delta epsilon zeta eta theta", *TestOverlap.CHUNKS) == (("A", "B", "C"),)

    def test_a_text_that_ends_and_begins_the_passage_the_wrong_way_round_is_no_way(self) -> None:
        """A passage does not go on from the end of a text to its beginning."""
        assert among("beta gamma", ("A", "d", "gamma alpha beta")) == ()

    def test_words_are_not_cut(self) -> None:
        """Neither in a text, nor where two texts join, and a repeated id is its first text."""
        assert among("beta gamma", ("A", "d", "alphabeta"), ("B", "d", "gamma")) == ()
        assert among("beta", ("A", "d", "alphabeta"), ("A", "d", "beta")) == ()

    def test_marks_alone_are_nowhere(self) -> None:
        """A quote that no text could be known by is not in all of them."""
        assert among("***", ("A", "d", "a *** b")) == ()


words = st.lists(st.sampled_from(["ab", "cd", "ef", "gh", "abx", "5", "15", "x1"]), min_size=1, max_size=14)
borders = st.sets(st.integers(1, 13), max_size=5)


def expected(chunks: Sequence[Sequence[str]], quote: Sequence[str]) -> set[tuple[int, ...]]:
    """The minimal runs whose words hold a quote's, by trying them all."""
    size = len(quote)
    runs = [
        run
        for first in range(len(chunks))
        for last in range(first, len(chunks))
        if (run := tuple(range(first, last + 1)))
        and (text := [word for number in run for word in chunks[number]])
        and any(text[at : at + size] == list(quote) for at in range(len(text) - size + 1))
    ]
    return {run for run in runs if not any(set(other) < set(run) for other in runs)}


@given(words, borders, st.data())
def test_runs_are_those_that_trying_all_would_find(text: list[str], at: set[int], data: st.DataObject) -> None:
    """On documents without repetition at a border, whatever the words and however they are cut."""
    ends = [0, *sorted(place for place in at if place < len(text)), len(text)]
    chunks = [text[start:end] for start, end in itertools.pairwise(ends)]
    joined = ["".join(chunk).encode() for chunk in chunks]
    assume(not any(_forms.overlap(*pair) for pair in itertools.pairwise(joined)))
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    ways = found(" ".join(quote), *((str(n), "d", " ".join(chunk)) for n, chunk in enumerate(chunks))).ways

    assert set(ways) == {tuple(map(str, run)) for run in expected(chunks, quote)}


@given(st.integers(2, 30), st.integers(1, 9), st.integers(0, 8), st.data())
def test_a_passage_of_a_document_is_found_however_it_is_cut(
    length: int, size: int, shared: int, data: st.DataObject
) -> None:
    """Windows of any size and overlap; each way holds all its words and needs each of its chunks."""
    text = [f"word{number:02}" for number in range(length)]
    step = max(1, size - shared)
    windows = [text[at : at + size] for at in range(0, length, step)]
    start = data.draw(st.integers(0, length - 1))
    quote = text[start : data.draw(st.integers(start + 1, length))]
    ways = found(" ".join(quote), *((str(n), "d", " ".join(window)) for n, window in enumerate(windows))).ways

    assert ways
    for way in ways:
        parts = [set(windows[int(chunk)]) for chunk in way]
        assert set(quote) <= set().union(*parts)
        assert not any(set(quote) <= set().union(*parts[:n], *parts[n + 1 :]) for n in range(len(parts)))


@given(st.text("ab", max_size=60), st.text("ab", max_size=60))
def test_the_longest_overlap_is_found(first: str, second: str) -> None:
    """As many characters as one text ends and the other begins with, unless they are too few to mean anything."""
    longest = max(n for n in range(min(len(first), len(second)) + 1) if first.endswith(second[:n]))
    wanted = longest if longest >= _forms.MIN_OVERLAP else 0

    assert _forms.overlap(first.encode(), second.encode()) == wanted


class TestNearest:
    """Where the text of a chunk went."""

    def test_the_chunks_that_hold_most_of_it(self) -> None:
        """At most three, in fixture order; a text that is gone is nowhere."""
        sentences = [" ".join(f"{letter}{n}" for n in range(20)) for letter in "abcdefgh"]
        chunks = [(f"c{n}", "d", " ".join(sentences[n : n + 2])) for n in range(0, 8, 2)]
        index = quotes.Index(fixture(*chunks))

        assert index.nearest([" ".join(sentences[3:7]), sentences[0], "Nothing of the kind was ever written."]) == [
            ("c2", "c4", "c6"), ("c0",), (),
        ]  # fmt: skip


EXAMPLES = documents.tables(documents.sections("golden-set.md")["Quotes"])[0]


@pytest.mark.parametrize(("texts", "quote", "satisfied_by"), EXAMPLES, ids=[row[1] for row in EXAMPLES])
def test_the_document_s_examples(texts: str, quote: str, satisfied_by: str) -> None:
    """docs/golden-set.md says truly which chunks hold a quote."""
    parts = [part.replace("<br>", "\n").replace("`", "") for part in re.split("` and `|`, `", texts)]
    what = found(quote, *((str(n), "d", part) for n, part in enumerate(parts)))
    ways = {"the chunk": (("0",),), "both chunks": (("0", "1"),), "either chunk": (("0",), ("1",)), "none": ()}

    assert what.ways == ways[satisfied_by]
