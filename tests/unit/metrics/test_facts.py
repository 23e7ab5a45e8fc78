from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics import _apart
from evaluator.metrics.facts import FoundFact, alternative_problem, find_facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage


def search(alternatives: str | tuple[str, ...], *texts: str | None, language: str = "en") -> FoundFact:
    """Look for one fact in chunks named by their rank, each of a document of its own."""
    wanted = (alternatives,) if isinstance(alternatives, str) else alternatives
    fact = Fact.model_construct(id="f", text="not looked for", any=wanted)
    passages = [(f"c{rank}", Passage(f"d{rank}", text, 0)) for rank, text in enumerate(texts, 1)]
    return find_facts([fact], passages, language)[0]


class TestWholeWords:
    """An alternative is found as whole words and whole numbers."""

    @pytest.mark.parametrize(
        ("alternative", "text"),
        [
            ("30 days", "Returns are taken for 30 days."),
            ("30 days", "(30 days)"),
            ("30 Days", "within 30\u00a0\n  DAYS of purchase"),
            ("30 days", "10-30 days"),
            ("straße", "Hauptstrasse? Nein, STRASSE."),
            ("ﬁve days", "five days"),
            ("３０ days", "30 days"),
            ("café", "at the Cafe\u0301"),
            ("don't panic", "Don’t panic"),
            ('"fragile"', "marked “fragile”"),
            ("pre-paid", "pre–paid"),
            ("cooperate", "co\u00adoperate"),
            ("C++", "written in C++ and Rust"),
            ("30", "30."),
            ("30", "It lasts 30, then it ends"),
            ("退款", "可以退款。"),
            ("30天", "在30天内"),
            ("保証", "保証期間は2年"),
            ("2年", "保証期間は2年です"),
            ("นโยบาย", "ดูนโยบายนี้"),
            ("30일", "30일은"),
        ],
    )  # fmt: skip
    def test_found(self, alternative: str, text: str) -> None:
        """What only looks different is the same; scripts without spaces need no word boundary."""
        assert search(alternative, text).found

    @pytest.mark.parametrize(
        ("alternative", "text"),
        [
            ("30 days", "130 days"),
            ("30 days", "30 daysish"),
            ("30", "30.5"),
            ("30", "1,030"),
            ("30", "10:30"),
            ("30", "0.30"),
            ("5", "costs .5 units"),
            ("5", "2½5"),
            ("30 °C", "-30 °C"),
            ("art", "the party"),
            ("हिन्द", "हिन्दी"),
            ("30天", "130天"),
            ("三十天", "一百三十天"),
            ("30", "30万元"),
            ("30 days", ""),
            ("30 days", " \n "),
            ("30 days", "thirty days"),
            (" ", "anything"),
        ],
    )
    def test_not_found(self, alternative: str, text: str) -> None:
        """A part of a word or of a number is something else, and an alternative of nothing is nowhere."""
        assert not search(alternative, text).found

    @given(st.text(max_size=30), st.text(max_size=30))
    def test_any_text_can_be_looked_for_in_any_other(self, alternative: str, text: str) -> None:
        """Foreign text breaks nothing, and what does not occur even in pieces is not found."""
        found = search(alternative, text)

        assert found.problem is None
        assert not (found.found and not text.strip())

    @given(st.text("ab 30.,'-", min_size=1, max_size=12).filter(str.strip))
    def test_a_text_holds_itself(self, text: str) -> None:
        """Whatever the form, both sides are brought into the same one."""
        assert search(text, text).found


class TestNumbers:
    """Digits and separators are unified by language."""

    @pytest.mark.parametrize(
        ("language", "alternative", "text"),
        [
            ("en", "1,000.50", "1000.5 USD"),
            ("en", "1,000.50", "1 000,50 EUR"),
            ("en", "1,000.50", "1\u00a0000,50 EUR"),
            ("en", "1,000.50", "1.000,50 EUR"),
            ("en", "1,234,567", "1234567"),
            ("en", "1,000", "1\u202f000"),
            ("en", "1,000", "1'000"),
            ("en", "1,000", "１，０００"),
            ("en", "3.5%", "3,5 %"),
            ("en", "3.50", "3.5"),
            ("sv", "1 000,50", "1000,5 kr"),
            ("sv", "1 000,50", "1\u00a0000,50 kr"),
            ("sv", "1 000,50", "1,000.50 SEK"),
            ("sv", "3,5 %", "3.5%"),
            ("sv", "12 300", "12300"),
            ("de", "1.000", "1000 €"),
            ("de", "1.000,50", "1000,5 €"),
            ("de-CH", "1'000.50", "1000.5"),
            ("fr", "10 000", "10\u202f000 €"),
            ("es", "1.000.000", "1000000"),
            ("pl", "1 000,50", "1000,50 zł"),
            ("hu", "20 °C", "20°C"),
            ("zh", "1,000", "共1000元"),
            ("ja", "1,000円", "1000円"),
        ],
    )  # fmt: skip
    def test_the_same_number(self, language: str, alternative: str, text: str) -> None:
        """One number, written in two ways."""
        assert search(alternative, text, language=language).found

    @pytest.mark.parametrize(
        ("language", "alternative", "text"),
        [
            ("en", "1000", "1.000"),
            ("sv", "1000", "1,000"),
            ("de", "1.000", "1,000"),
            ("en", "1000", "in room 1 000 people"),
            ("en", "2015300", "in 2015 300 people"),
            ("sv", "2015300", "år 2015 300 personer"),
            ("en", "version 1.1", "version v1.10"),
            ("en", "v1.1", "v1.10"),
            ("en", "12.5", "12.05.2024"),
            ("en", "5", "1,2,5"),
            ("sv", "855512345", "ring 08 555 123 45"),
            ("zh", "30.5", "共30，5人"),
        ],
    )
    def test_another_number(self, language: str, alternative: str, text: str) -> None:
        """What the language reads otherwise, or what is no number, stays apart."""
        assert not search(alternative, text, language=language).found


class TestNegation:
    """A short alternative does not count where a negation stands close to it in its sentence."""

    @pytest.mark.parametrize(
        ("language", "alternative", "text"),
        [
            ("en", "refundable", "Tickets are not refundable."),
            ("en", "refundable", "Tickets aren’t refundable."),
            ("en", "refundable", "Tickets cannot be called refundable."),
            ("en", "refundable", "non-refundable"),
            ("en", "refundable", "Refundable they are never."),
            ("en", "refundable", "Tickets are not\nrefundable."),
            ("en", "full refund", "There is no full refund, e.g. after 30 days."),
            ("en", "refund", "No refund, approx. 3.5 days late."),
            ("en", "30 days", "It is not within approx. 30 days."),
            ("en-GB", "30 days", "Never 30 days."),
            ("sv", "återbetalas", "Avgiften kan inte återbetalas."),
            ("sv", "30 dagar", "Det gäller ej 30 dagar."),
            ("de", "erstattet", "Gebühren werden nicht erstattet."),
            ("de", "Gebühr", "Es fällt keine Gebühr an."),
            ("fr", "remboursable", "Ce billet n’est pas remboursable."),
            ("es", "reembolsable", "El billete no es reembolsable."),
            ("pl", "zwrot", "Bez prawa do zwrot."),
            ("hu", "visszatéríthető", "A jegy nem visszatéríthető."),
            ("hu", "díj", "díj nélkül"),
            ("zh", "退款", "本商品不支持退款。"),
            ("zh", "退款", "未经允许不可退款。"),
            ("zh-Hant", "退款", "本商品無法退款。"),
            ("ja", "返金", "返金はできません。"),
            ("ja", "返金", "返金は承っておりません。"),
            ("ja", "対応", "この機種は非対応です。"),
        ],
    )
    def test_not_found_under_one(self, language: str, alternative: str, text: str) -> None:
        """The text says the opposite of the fact."""
        assert not search(alternative, text, language=language).found

    @pytest.mark.parametrize(
        ("language", "alternative", "text"),
        [
            ("en", "refundable", "Is it not? Refundable it is."),
            ("en", "refundable", "It does not expire. Refundable tickets cost more."),
            ("en", "refundable", "- not this\n- Refundable"),
            ("en", "refundable", "The tickets that you did not buy from us are refundable."),
            ("en", "refundable", "These are refundable and those that you lost are not."),
            ("en", "refundable", "Tickets are not refundable. Passes are refundable."),
            ("en", "not refundable", "Tickets are not refundable."),
            ("en", "no later than 30 days", "It is not possible no later than 30 days."),
            ("en", "within 30 days of purchase", "not within 30 days of purchase"),
            ("en", "5 bar", "Valve no. 5 bar"),
            ("en", "ship", "a knot ship"),
            ("sv", "avgift", "se not 3: avgift"),
            ("nl", "terugbetaald", "wordt niet terugbetaald"),
            ("zh", "退款", "本商品是否可以退款？可以退款。"),
            ("zh", "不支持退款", "本商品不支持退款。"),
            ("zh", "退款", "概不赊账。七天内可以退款。"),
            ("zh", "保修", "非常好的保修"),
            ("ja", "30日以内", "30日以内に申請しなければならない。"),
            ("ja", "返金", "少なくとも全額を返金"),
            ("ja", "返金", "無料ではありません。返金します。"),
        ],
    )
    def test_found_without_one_nearby(self, language: str, alternative: str, text: str) -> None:
        """A negation in another sentence, further away, of the alternative itself or of a longer one rules nothing out.

        A language without a word list has no negations.
        """
        assert search(alternative, text, language=language).found


class TestPatterns:
    """An alternative between slashes is a regular expression."""

    @pytest.mark.parametrize(
        ("pattern", "text"),
        [
            (r"/\b30[- ]day/", "A 30-Day guarantee"),
            (r"/thirty\s+days?/", "THIRTY\u00a0DAYS"),
            (r"/30 days/", "within 30\n   days"),
            (r"/not refundable/", "not refundable"),
        ],
    )
    def test_found(self, pattern: str, text: str) -> None:
        """Upper and lower case are the same, and white space of any kind is one space."""
        assert search(pattern, text).found

    def test_the_report_can_say_how_a_fact_was_found(self) -> None:
        """Plain text and patterns are told apart."""
        assert [search(wanted, "30 days").how for wanted in ("30 days", r"/\d+ days/", "40 days")] == [
            "text",
            "regex",
            None,
        ]

    def test_a_pattern_that_never_ends_is_a_problem_and_not_a_miss(self) -> None:
        """Nobody can hang a run, and nobody learns that the fact is missing."""
        began = time.process_time()
        found = search(r"/(x+x+)+y/", *["x" * 5000] * 5)

        assert (found.found, found.problem) == (False, "a pattern of fact 'f' took too long")
        assert time.process_time() - began < 2

    def test_a_pattern_that_cannot_be_used_is_a_problem_too(self) -> None:
        """Labels of an older run are not looked over again before they are used."""
        found = search(("/a{1,99999999999}/", "30 days"), "aa")

        assert (found.found, found.problem) == (False, "a pattern of fact 'f' repeats too much")
        assert search(("/(/", "30 days"), "30 days").found

    def test_a_plain_alternative_is_found_beside_a_pattern_that_never_ends(self) -> None:
        """What can be decided is decided."""
        found = search((r"/(x+x+)+y/", "30 days"), "x" * 5000, "30 days")

        assert (found.found, found.rank, found.problem) == (True, 2, None)

    @pytest.mark.parametrize(
        ("alternative", "problem"),
        [
            ("/(/", "is not a valid regular expression"),
            (f"/{'(' * 700}/", "is not a valid regular expression"),
            ("/a*/", "matches the empty text"),
            ("/(?V1)[a--b]/", "uses (?V1), which is not supported"),
            ("/a(?R)?b/", "uses (?R), which is not supported"),
            (f"/{'a' * 2000}/", "is longer than 1000 characters"),
            (" \u200b", "has no character that could be found"),
        ],
    )
    def test_what_could_not_work_is_said_before(self, alternative: str, problem: str) -> None:
        """An alternative that would never or always be found is a mistake in the golden set."""
        assert (alternative_problem(alternative) or "").startswith(problem)

    @pytest.mark.parametrize(
        "alternative", ["30 days", "?", "/", "//", r"/\b30/", "/[[:alpha:]]x/", "1/2", "/[0-9]{4}-[(]{2}-{2}/"]
    )
    def test_what_can_work_is_no_problem(self, alternative: str) -> None:
        """Ordinary alternatives, slashes among them, are sound."""
        assert alternative_problem(alternative) is None


class TestChunks:
    """A fact stands in one chunk, or in two adjacent chunks of one document."""

    FACT = Fact.model_construct(id="f", text="the warranty lasts two years")

    def find(self, *passages: tuple[str, Passage]) -> FoundFact:
        """Look for the fact in these passages."""
        return find_facts([self.FACT], passages, "en")[0]

    def test_in_one_chunk(self) -> None:
        """The chunk and its rank are named."""
        found = self.find(("a", Passage(None, "nothing")), ("b", Passage(None, "The warranty lasts two years.")))

        assert found == FoundFact("f", True, ("b",), 2, "text", None, (0, 28))

    @pytest.mark.parametrize("turned", [False, True])
    def test_across_two_adjacent_chunks(self, turned: bool) -> None:
        """In whatever order they were retrieved: the text is joined in document order, the later rank completes it."""
        halves = [("a", Passage("d", "The warranty lasts", 3)), ("b", Passage("d", "two years.", 4))]
        first, second = reversed(halves) if turned else halves

        assert self.find(first, ("x", Passage("e", "", 0)), second) == FoundFact(
            "f", True, ("a", "b"), 3, "text", None, (0, 28)
        )

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (Passage("d", "The warranty lasts", 3), Passage("d", "two years.", 5)),
            (Passage("d", "The warranty lasts", 4), Passage("d", "two years.", 3)),
            (Passage("d", "The warranty lasts", 3), Passage("e", "two years.", 4)),
            (Passage(None, "The warranty lasts", 3), Passage(None, "two years.", 4)),
            (Passage("d", "The warranty lasts"), Passage("d", "two years.")),
            (Passage("d", "The warranty lasts", 3), Passage("d", None, 4)),
        ],
    )
    def test_not_across_chunks_that_do_not_follow_each_other(self, first: Passage, second: Passage) -> None:
        """A gap, the wrong order, another document, or not knowing, is no adjacency."""
        assert not self.find(("a", first), ("b", second)).found

    def test_a_repeated_chunk_is_read_once_and_keeps_its_rank(self) -> None:
        """The rank is that of the ranking, copies included."""
        copy = ("x", Passage(None, "nothing"))

        assert self.find(copy, copy, ("b", Passage(None, "the warranty lasts two years"))).rank == 3

    @pytest.mark.parametrize(
        ("first", "second", "language", "alternative"),
        [
            ("The price is 12", "300 kr.", "sv", "12300 kr"),
            ("The rate is 3,5", "% a year", "sv", "3.5%"),
        ],
    )
    def test_a_number_may_go_on_in_the_next_chunk(
        self, first: str, second: str, language: str, alternative: str
    ) -> None:
        """Two chunks are read as one text, numbers included."""
        fact = Fact.model_construct(id="f", text=alternative)
        passages = [("a", Passage("d", first, 0)), ("b", Passage("d", second, 1))]

        assert find_facts([fact], passages, language)[0].found

    def test_every_fact_is_answered_in_order(self) -> None:
        """Facts with the same id are still two facts."""
        facts = [Fact(id="f", text="one"), Fact(id="g", text="two"), Fact(id="f", text="three")]

        assert [found.found for found in find_facts(facts, [("a", Passage(None, "one; three"))], "en")] == [
            True, False, True,
        ]  # fmt: skip


def test_a_document_that_is_one_chunk_is_cut_into_words_once_for_all_cases() -> None:
    """Two megabytes in the context of every case would else cost most of a second each."""
    passages = [("big", Passage("d", "The fees of the office were raised twice. " * 1_000))]
    before = _apart._large_tokens.cache_info().misses
    for number in range(5):
        find_facts([Fact(id="f", text=f"fee raised {number} times")], passages, "en")

    assert _apart._large_tokens.cache_info().misses - before == 1
