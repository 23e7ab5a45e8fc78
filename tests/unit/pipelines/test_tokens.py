from __future__ import annotations

import re
import unicodedata

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from evaluator.pipelines import _tokens
from evaluator.pipelines._tokens import Lexicon, stemmer, stemmer_name, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't STOP_me: 3rd, v1.2!", ["don", "t", "stop_me", "3rd", "v1", "2"]),
        ("", []),
        (" .,;!? \n\t—…", []),
        ("ＡＢＣ１２ ﬁle", ["abc12", "file"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("Brand™ 20℃", ["brandtm", "20", "c"]),
        ("don´t", ["don", "t"]),
        ("co\u00adoperate", ["cooperate"]),
        ("İstanbul I\u0307stanbul", ["istanbul", "istanbul"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("I ❤\ufe0f 1\ufe0f\u20e3 👍🏽", ["i", "1"]),
        ("a\ud800b\x00c", ["a", "b", "c"]),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text: str, expected: list[str]) -> None:
    """Words keep their marks in every script; case, width and invisible characters do not matter."""
    assert words(text) == [unicodedata.normalize("NFC", word) for word in expected]


def test_composed_and_decomposed_spellings_are_one_word() -> None:
    """The same word typed on two systems is the same token."""
    assert words("naïve ガム ΐ") == words(unicodedata.normalize("NFD", "naïve ガム ΐ")) == ["naïve", "ガム", "ΐ"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("东京都。水", ["东京", "京都", "水"]),
        ("東京に行く？", ["東京", "京に", "に行", "行く"]),
        ("ｶﾞﾒﾗ", ["ガメ", "メラ"]),
        ("iPhone手机壳15 pro", ["iphone", "手机", "机壳", "15", "pro"]),
        ("ไทย ๑๒", ["ไท", "ทย", "๑๒"]),
        ("ລາວ", ["ລາ", "າວ"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ"]),
        ("မြန်", ["မြ", "ြန", "န်"]),
        ("葛\U000e0100城市", ["葛城", "城市"]),
        ("한국어 문장", ["한국어", "문장"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text: str, expected: list[str]) -> None:
    """Chinese, Japanese, Thai, Lao, Khmer and Burmese runs are cut into character pairs, apart from what they touch."""
    assert words(text) == expected


LATIN = st.characters(max_codepoint=0x24F, categories=["L", "N", "P", "S", "Z", "Cc"], exclude_characters="İǰ")


@given(st.text(LATIN))
def test_latin_text_is_cut_as_the_regular_expression_would(text: str) -> None:
    """For Latin script the words are those of the regular expression for words after NFKC and case folding."""
    assert words(text) == re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


@given(st.text())
def test_words_hold_no_spaces_and_are_never_empty(text: str) -> None:
    """Whatever the text, a word is something that can be looked up."""
    assert all(word and word.split() == [word] for word in words(text))


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("en", "english"),
        ("EN-gb", "english"),
        ("pt-BR", "portuguese"),
        ("nb", "norwegian"),
        ("zh-Hans", None),
        ("", None),
    ],
)
def test_the_stemmer_goes_by_the_primary_language(tag: str, name: str | None) -> None:
    """Region, script and case of a tag do not matter; a language without a stemmer has none."""
    assert stemmer_name(tag) == name


def test_every_stemmer_exists() -> None:
    """Snowball has all the stemmers that languages are mapped to."""
    assert set(_tokens.STEMMERS.values()) <= set(Stemmer.algorithms())


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("english", ("connection", "connections", "connected", "connecting")),
        ("swedish", ("dag", "dagar", "dagars")),
        ("hindi", ("लड़का", "लड़के", "लड़कों")),
        ("russian", ("договора", "договоров", "договорами")),
    ],
)
def test_inflected_forms_share_a_stem(name: str, forms: tuple[str, ...]) -> None:
    """Forms of a word meet in one stem."""
    assert len(set(map(stemmer(name), forms))) == 1


def test_stemming_goes_on_until_nothing_changes() -> None:
    """A suffix that one pass uncovers is removed by the next."""
    once = Stemmer.Stemmer("english").stemWord
    assert [once("occasionally"), once("occasion"), once("occas"), once("occa")] == [
        "occasion",
        "occas",
        "occa",
        "occa",
    ]
    assert stemmer("english")("occasionally") == "occa"


@given(st.sampled_from(sorted(set(_tokens.STEMMERS.values()))), st.text(st.characters(categories=["Ll", "Lo", "Mn"])))
def test_the_stem_of_a_stem_is_itself(name: str, word: str) -> None:
    """Stems are fixed points in every language, whatever the letters."""
    stem = stemmer(name)
    assert stem(stem(word)) == stem(word)


def test_a_made_up_word_is_not_stemmed_for_ever() -> None:
    """A megabyte of suffixes, which would take a pass each, is left as it is."""
    word = "ing" * 400_000
    assert stemmer("english")(word) == word


def test_known_words_keep_their_id_and_new_ones_are_left_out() -> None:
    """A question speaks the vocabulary of the corpus: forms of known stems are found, other words ignored."""
    lexicon = Lexicon(stemmer("english"))
    assert lexicon.learn("cats chase a cat") == [0, 1, 2, 0]
    assert lexicon.known("The cat was chasing cats") == [0, 1, 0]
    assert lexicon.vocabulary == {"cat": 0, "chase": 1, "a": 2}
