"""Facts in nine languages: pairs written by hand, and what holds of every text."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluator.metrics.facts import FoundFact, find_facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage
from tests import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLD = Path(__file__).parents[2] / "gold" / "facts"
LANGUAGES = ["de", "en", "es", "fr", "hu", "ja", "pl", "sv", "zh"]
PAIRS: dict[str, list[dict[str, Any]]] = {
    path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in sorted(GOLD.glob("*.jsonl"))
}
EVERY = [
    pytest.param(language, pair, id=f"{language}-{number}-{pair['because'][:30]}")
    for language, pairs in PAIRS.items()
    for number, pair in enumerate(pairs, 1)
]
FOUND = [(language, pair["alternative"], pair["text"]) for language, pairs in PAIRS.items() for pair in pairs]


def search(alternative: str, *texts: str, language: str) -> FoundFact:
    """Look for one fact in chunks of one document that follow one another."""
    fact = Fact.model_construct(id="f", text="not looked for", any=(alternative,))
    passages = [(f"c{place}", Passage("d", text, place)) for place, text in enumerate(texts)]
    return find_facts([fact], passages, language)[0]


@pytest.mark.parametrize(("language", "pair"), EVERY)
def test_a_pair_written_by_hand(language: str, pair: dict[str, Any]) -> None:
    """L1, L2, L3: inflected forms, characters and numbers; never the opposite, another number, unit or date."""
    assert search(pair["alternative"], pair["text"], language=language).found == pair["found"], pair["because"]


def test_there_are_enough_pairs_of_each_language() -> None:
    """Each has at least ten, and at least half of them must not be found."""
    assert list(PAIRS) == LANGUAGES
    for pairs in PAIRS.values():
        assert len(pairs) >= 10
        assert sum(pair["found"] for pair in pairs) <= len(pairs) / 2


EXAMPLES = [
    row
    for section in documents.sections("golden-set.md").values()
    for table in documents.tables(section)
    for row in table
    if len(row) == 4 and row[2] in LANGUAGES
]


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{row[2]}-{row[1]}" for row in EXAMPLES])
def test_the_examples_of_the_documents_are_true(example: Sequence[str]) -> None:
    """What docs/golden-set.md says is found is found, and as it says."""
    text, alternative, language, said = example
    found = search(documents.bare(alternative), text, language=language)

    assert found.found == said.startswith("yes")
    assert not said.startswith("yes, by") or said == f"yes, by {found.how}"


class TestForms:
    """What only looks different changes nothing, however a fact is found."""

    @pytest.mark.parametrize(("language", "alternative", "text"), FOUND)
    def test_case_white_space_composition_and_width(self, language: str, alternative: str, text: str) -> None:
        """L3: upper case, other spaces, decomposed letters and full-width digits, on either side."""
        expected = search(alternative, text, language=language).found

        for change in (_decomposed, _wide_digits, _spaced):
            assert search(alternative, change(text), language=language).found == expected
            assert search(change(alternative), text, language=language).found == expected
        for change in (str.upper, str.lower):
            assert search(change(alternative), text, language=language).found == expected

    @given(st.sampled_from(FOUND), st.data())
    def test_upper_case_of_any_letters(self, pair: tuple[str, str, str], data: st.DataObject) -> None:
        """Within a sentence, no upper case changes what is found."""
        language, alternative, text = pair
        raised = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
        shouted = "".join(
            letter.upper() if up and letter.upper().lower() == letter else letter
            for letter, up in zip(text, raised, strict=True)
        )

        assert search(alternative, shouted, language=language) == search(alternative, text, language=language)

    @pytest.mark.parametrize("tag", ["sv", "sv-SE", "sv_FI", "SV"])
    def test_the_region_of_a_language_does_not_matter(self, tag: str) -> None:
        """L1: the primary subtag decides."""
        assert search("avgifter betalas", "Avgiften betalas i maj.", language=tag).how == "stems"

    @pytest.mark.parametrize("language", ["nl", "fi", "tlh", "", "x-private"])
    def test_another_language_has_whole_words_only(self, language: str) -> None:
        """Where nobody knows what a negation is, forms of words are not guessed at."""
        assert search("avgifter betalas", "avgifter betalas", language=language).how == "text"
        assert not search("avgifter betalas", "avgift betalas", language=language).found


class TestStems:
    """All stems within so many words as the alternative has, and five."""

    @pytest.mark.parametrize("between", range(8))
    def test_five_more_words_may_stand_between(self, between: int) -> None:
        """Two words are found among seven, and not among eight."""
        text = f"Returns {'so ' * between}cost"

        assert search("return costs", text, language="en").found == (between <= 5)

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            (1, False),
            (2, True),
            (8, True),
            (9, False),
        ],
    )
    def test_two_to_eight_words(self, words: int, found: bool) -> None:
        """A word alone is too little and a long sentence is its own: both are found as they are written."""
        names = ["apples", "lemons", "grapes", "melons", "onions", "carrots", "turnips", "garlics", "radishes"][:words]
        text = " ".join(name.removesuffix("s") if name != "radishes" else "radish" for name in names)

        assert search(" ".join(names), text, language="en").found == found
        assert search(" ".join(names), " ".join(names), language="en").how == "text"

    @pytest.mark.parametrize(
        ("language", "alternative", "text"),
        [
            ("sv", "faktura", "Fakturor betalas inom 30 dagar."),
            ("sv", "fakturan", "Bifoga fakturorna."),
            ("hu", "szerződés", "A szerződést aláírta."),
            ("hu", "számla", "A számlákat elküldjük."),
            ("pl", "umowa", "Podpisano umowę."),
        ],
    )
    def test_one_word_alone_in_languages_that_inflect_nouns(self, language: str, alternative: str, text: str) -> None:
        """L1: an ending is no other word there."""
        assert search(alternative, text, language=language).how == "stems"

    @pytest.mark.parametrize(
        ("alternative", "text"),
        [
            ("30 days of leave", "You may leave for some of the 30 nights or days."),
            ("range of 5 km", "Ranges are of 5 km/h."),
            ("paid in SEK 400", "It is paid with EUR 400 in SEK notes."),
            ("permits F-120", "Permit F-210 of 120"),
            ("articles 12", "In this article rule 12 applies"),
            ("weeks of 2 holidays", "2 weeks of holiday"),
            ("discount of 5%", "Discounts of 5 points or 7 % of it"),
            ("warranties of 24 months", "A warranty of 24 days, renewed in months of need"),
        ],
    )
    def test_a_number_stands_with_what_it_counts(self, alternative: str, text: str) -> None:
        """Number and unit elsewhere, each beside something else, are another statement."""
        assert not search(alternative, text, language="en").found

    @pytest.mark.parametrize(
        ("alternative", "text"),
        [
            ("refunds of $30", "A refund of 30 $"),
            ("costs SEK 400", "It will cost 400 SEK"),
            ("opened on March 5", "The office opens on Monday March 5"),
            ("permits F-120", "The permit is called F-120"),
            ("weights of 5kg", "A weight of 5 kg"),
            ("30-day returns", "Return of goods: 30 days"),
        ],
    )
    def test_a_number_may_be_written_in_another_way(self, alternative: str, text: str) -> None:
        """Money before or after its number, a unit with or without a space."""
        assert search(alternative, text, language="en").how == "stems"

    @pytest.mark.parametrize(
        "text",
        [
            "Returns are never free.",
            "It isn't true every return is free.",
            "Return it without a receipt, it is free",
            "A free gift. Returns cost 5 euros.",
            "A free gift\nReturns",
            "Everything is free; returns are charged",
            "A gift is free, returns are not",
        ],
    )
    def test_not_under_a_negation_and_not_across_sentences(self, text: str) -> None:
        """What denies it close by, or another sentence, is not what the fact says."""
        assert not search("free return", text, language="en").found

    def test_the_negation_of_the_fact_must_deny_the_same(self) -> None:
        """A negation of something else nearby is none of the fact's."""
        assert search("tickets are not refundable", "Children's tickets are not refundable.", language="en").found
        assert not search("tickets are not refundable", "Tickets are refundable, not resaleable.", language="en").found
        assert not search("tickets are not refundable", "No tickets we sell are not refundable.", language="en").found

    def test_two_adjacent_chunks_are_read_as_one_text(self) -> None:
        """The words may stand on both sides, and a number may run from the one to the other."""
        found = search("warranties last two years", "Each warranty", "lasts for two years.", language="en")

        assert (found.how, found.chunks, found.rank) == ("stems", ("c0", "c1"), 2)
        assert search("priser på 12300 kr", "Ett pris på 12", "300 kr.", language="sv").how == "stems"

    def test_what_is_written_as_in_the_fact_goes_first(self) -> None:
        """The stronger evidence is reported, at whatever rank it stands."""
        found = search("return costs", "A return will cost.", "nothing", "The return costs", language="en")

        assert (found.how, found.rank) == ("text", 3)


LONG = "The warranty of a bicycle covers its frame and fork"
FILLER = st.text(st.sampled_from("abc xyz,.\n"), max_size=60)


@given(before=FILLER, after=FILLER)
@example("not", "")
def test_more_text_never_hides_a_long_alternative(before: str, after: str) -> None:
    """Text without a negation in other sentences of a chunk leaves a find as it is."""
    text = "Warranties of bicycles will cover the frame"

    assert search("warranty of bicycles covers the frame", text, language="en").how == "stems"
    whole = f"{before}.\n\n{text}.\n\n{after}"
    assert search("warranty of bicycles covers the frame", whole, language="en").found
    assert search(LONG, f"{before} {LONG} {after}", language="en").how == "text"


def _decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _wide_digits(text: str) -> str:
    return text.translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)})


def _spaced(text: str) -> str:
    return f" \u2003{text}\t ".replace(" ", " \u2002")


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("en", "employer pays the fee", "The employee pays the fee.", False),
        ("en", "employee pays the fee", "The employer pays the fee.", False),
        ("en", "insurer covers the loss", "The insured covers the loss.", False),
        ("es", "el asegurador paga", "El asegurado paga.", False),
        ("de", "der Mieter trägt die Kosten", "Die Miete trägt die Kosten.", False),
        ("en", "employers pay the fee", "The employer pays the fee.", True),
        ("en", "employee pays the fee", "Employees pay the fee.", True),
        ("es", "los aseguradores pagan", "La aseguradora paga.", True),
        ("de", "die Mieter tragen die Kosten", "Die Kosten tragen die Mieterinnen.", True),
    ],
)
def test_those_who_do_something_are_others_than_those_it_is_done_to(
    language: str, fact: str, text: str, found: bool
) -> None:
    """L3: the stemmer has one stem for both."""
    read = find_facts([Fact(id="f", text=fact)], [("c", Passage(None, text))], language)
    assert read[0].found == found
