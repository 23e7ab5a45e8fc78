"""What denies a fact: answers, marks, struck text, words around it and in the next chunk; and what does not."""

from __future__ import annotations

import pytest

from evaluator.metrics._denials import unasked, unstruck
from evaluator.metrics.facts import find_facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage

LONG = "refundable within thirty days of purchase"


def is_found(fact: str, *texts: str, language: str = "en") -> bool:
    """Whether a fact is found in chunks of one document that follow one another."""
    passages = [(f"c{place}", Passage("d", text, place)) for place, text in enumerate(texts)]
    return find_facts([Fact(id="f", text=fact)], passages, language)[0].found


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "refundable", "Refundable: No."),
        ("en", "refundable", "**Refundable:** No"),
        ("en", "refundable", "| Refundable | No |"),
        ("en", "refundable", "Is it refundable? no!"),
        ("en", "refundable", "Refundable? Never."),
        ("en", "refundable", "Q: Is it refundable?\nA: No."),
        ("en", LONG, f"Is it {LONG}? No, it is not."),
        ("en", "tickets are refundable", "Ticket: are they refundable? No!"),
        ("sv", "återbetalas", "Kan avgiften återbetalas? Nej."),
        ("de", "erstattbar", "Ist das Ticket erstattbar? Nein."),
        ("zh", "退款", "可以退款吗？不可以。"),
        ("zh", "七天内可以退款", "七天之内可以退款吗？不可以。"),
        ("ja", "返金", "返金できますか？いいえ。"),
        ("ja", "30日以内に返品できる", "30日以内であれば返品できますか？いいえ。"),
    ],
)
def test_an_answer_denies_what_was_asked(language: str, fact: str, text: str) -> None:
    """A "No" of its own belongs to the words before it, whatever stands between."""
    assert not is_found(fact, text, language=language)


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "refundable", "Refundable: Yes."),
        ("en", "refundable", "Refundable: no. 5 of the list"),
        ("en", "refundable", "Is it refundable? Yes!"),
        ("en", "refundable", "Is it refundable? No problem."),
        ("en", "refundable", "Q: Is it refundable?\nA: Yes. No fee."),
        ("en", LONG, f"Is it {LONG}? Yes, no doubt."),
        ("de", "erstattbar", "Ist das Ticket erstattbar? Ja."),
        ("zh", "七天内可以退款", "七天之内可以退款吗？可以。"),
        ("ja", "返金", "返金できますか？はい。"),
    ],
)
def test_another_answer_does_not(language: str, fact: str, text: str) -> None:
    """A "Yes", and a "no" that goes on to something else."""
    assert is_found(fact, text, language=language)


@pytest.mark.parametrize(
    ("fact", "text", "found"),
    [
        ("refundable", "❌ refundable", False),
        ("refundable", "refundable ❌", False),
        ("pets", "| Free wifi | ✅ | Pets | ❌ |", False),
        (LONG, f"✗ Tickets are {LONG}", False),
        ("refundable tickets", "❌ Ticket refundable", False),
        ("refundable tickets", "Ticket refundable ❌", False),
        ("refundable", "✅ refundable", True),
        ("free wifi", "| Free wifi | ✅ | Pets | ❌ |", True),
        ("free wifi", "✅ free wifi ❌ pets", True),
        ("free wifi", "Pets ❌, free wifi ✅", True),
        ("free wifi", "- Pets ❌\n- Free wifi", True),
        ("refundable tickets", "✅ Ticket refundable ❌ pets", True),
        ("refundable tickets", "❌ pets ✅ Ticket refundable", True),
    ],
)
def test_a_cross_denies_what_it_is_put_at(fact: str, text: str, found: bool) -> None:
    """Before the words, or after them at the end of a line or a cell; not what has a tick of its own."""
    assert is_found(fact, text) == found


@pytest.mark.parametrize(
    ("fact", "text", "found"),
    [
        ("30 days", "~~30 days~~ 14 days", False),
        (LONG, f"~~It is {LONG}.~~", False),
        ("30 days", "<del>30 days</del> 14 days", False),
        ("refunds within 30 days", "A refund ~~within 30~~ within 14 days", False),
        (r"/30 days/", "~~30 days~~ 14 days", False),
        ("14 days", "~~30 days~~ 14 days", True),
        ("30 days", '<s class="old">14 days</s> 30 days', True),
        ("refunds within 14 days", "A refund ~~within 30 days~~ within 14 days", True),
        ("30 days", "~~ 30 days ~~", True),
        ("30 days", "~~~\n30 days\n~~~", True),
        ("30 days", "about ~~30 days", True),
    ],
)
def test_what_has_a_line_through_it_is_not_said(fact: str, text: str, found: bool) -> None:
    """Markdown and HTML; tildes that strike nothing stay what they are."""
    assert is_found(fact, text) == found


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("en", "refundable", "It is not, under any circumstances, refundable.", False),
        ("en", "refundable", "It is not (whatever we said) refundable.", False),
        ("en", "refundable", "It does not expire and is, as we said, refundable.", True),
        ("en", "refundable", "The ticket is un-refundable.", False),
        ("en", "refundable", "The ticket is non\u2011refundable.", False),
        ("en", "every ticket is refundable", "Every ticket is un-refundable.", False),
        ("en", "members", "All UN members met.", True),
        ("en", "free", "Parking is anything but free.", False),
        ("en", "free", "Take anything, but free it first.", True),
        ("de", "erstattbar", "Das Ticket ist mitnichten erstattbar.", False),
        ("de", "erstattbar", "Das Ticket ist alles andere als erstattbar.", False),
        ("de", "Tickets sind erstattbar", "Ein Ticket ist alles andere als erstattbar.", False),
        ("de", "erstattbar", "Alles andere ist erstattbar.", True),
        ("zh", "收费", "停车免收费。", False),
        ("zh", "收费", "停车免于收费。", False),
        ("zh", "停车场收费", "停车场全天免收费。", False),
        ("zh", "停车", "免费停车。", True),
        ("zh", "停车免费", "停车全天免费。", True),
        ("ja", "返金", "セール品は返金対象外です。", False),
        ("ja", "返金", "セール品は返金の対象です。", True),
    ],
)
def test_words_that_deny(language: str, fact: str, text: str, found: bool) -> None:
    """Several words that deny together, syllables, and what is put between a negation and what it denies."""
    assert is_found(fact, text, language=language) == found


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("en", "employees may smoke in the office", "No employees may smoke in the office.", False),
        ("en", "employees may smoke in the office", "It is forbidden that employees may smoke in the office.", False),
        ("en", "employees may smoke", "It is prohibited that employees may smoke.", False),
        ("en", "employees may smoke in the office", "No, employees may smoke in the office.", True),
        ("en", "employees may smoke in the office", "Rule no. 5: employees may smoke in the office.", True),
        ("en", "customers may cancel at any time", "Under no circumstances may customers cancel at any time.", False),
        ("de", "Gäste dürfen Hunde mitbringen", "Keine Gäste dürfen Hunde mitbringen.", False),
        ("sv", "gäster får ta med hund", "Inga gäster får ta med hund.", False),
        ("fr", "les clients fument au bureau", "Il est interdit que les clients fument au bureau.", False),
        ("es", "perro puede entrar en casa", "Ningún perro puede entrar en casa.", False),
        ("pl", "pies może wejść do domu", "Żaden pies może wejść do domu.", False),
    ],
)
def test_what_rules_out_a_whole_sentence(language: str, fact: str, text: str, found: bool) -> None:
    """However many words the fact has: what begins with "no employees" is said of nobody."""
    assert is_found(fact, text, language=language) == found


@pytest.mark.parametrize(
    ("language", "fact", "texts", "found"),
    [
        ("en", "30 days", ("It is not", "30 days but 14."), False),
        ("en", "30 days", ("It takes 30 days", "never."), False),
        ("en", "refund to members", ("Deposits are not", "refunded to members"), False),
        ("zh", "退款", ("本商品不支持", "退款。"), False),
        ("en", "30 days", ("It is not so.", "30 days it is."), True),
        ("en", "30 days", ("It is", "30 days."), True),
        ("en", "refundable", ("No exchange", "Refundable tickets"), True),
        ("en", "not refundable", ("It is not", "not refundable"), True),
        ("en", "refunds to members", ("Deposits are", "refunded to members"), True),
        ("zh", "退款", ("本商品不支持换货。", "退款可以。"), True),
    ],
)
def test_a_negation_at_the_end_of_the_chunk_before(
    language: str, fact: str, texts: tuple[str, str], found: bool
) -> None:
    """A sentence that a chunker cut in two is still one sentence, where both its chunks were retrieved."""
    assert is_found(fact, *texts, language=language) == found


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("en", "20 euros per month", "It is 20 euros per year, paid by month.", False),
        ("en", "20 euros per month", "It is 20 euros per year paid by month.", False),
        ("en", "price is 20 euros per user", "The price is 20 euros per monthly user.", False),
        ("sv", "20 kr per månad", "Det kostar 20 kr per år betalat varje månad.", False),
        ("de", "Kosten 20 Euro pro Monat", "Die Kosten sind 20 Euro pro Jahr im Monat.", False),
        ("fr", "frais de 20 € par mois", "Les frais sont de 20 € par an payés chaque mois.", False),
        ("es", "cuesta 20 € al mes", "Cuesta 20 € al año cada mes.", False),
        ("en", "rate of 30", "The rates of 30% differ.", False),
        ("en", "costs $30", "The cost is A$30.", False),
        ("en", "20 euros per month", "It is 20 euros net per month.", True),
        ("de", "Kosten 20 Euro pro Monat", "Die Kosten von 20 Euro netto pro Monat.", True),
        ("fr", "envoyé par courrier", "Ils sont envoyés par le courrier.", True),
        ("en", "costs $30", "The cost is US$30.", True),
        ("en", "rates of 30%", "The rate of 30 % is new.", True),
    ],
)
def test_what_something_is_paid_by_stands_together(language: str, fact: str, text: str, found: bool) -> None:
    """L3: by stems, "per" and its word, a number and its percent sign, a sign and its currency are one."""
    assert is_found(fact, text, language=language) == found


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("zh", "支持在线退款", "支持在线退款：否", False),
        ("zh", "支持在线退款", "是否支持在线退款？否。", False),
        ("zh", "支持在线退款", "❌ 支持在线退款", False),
        ("zh", "支持在线退款", "支持在线退款：❌", False),
        ("ja", "喫煙が可能", "❌ 喫煙が可能", False),
        ("ja", "返金可能です", "返金可能：❌", False),
        ("zh", "支持在线退款", "支持在线退款：是", True),
        ("zh", "支持在线退款", "❌ 现金\n支持在线的退款", True),
        ("ja", "返金可能です", "返金が可能：✅", True),
    ],
)
def test_what_is_denied_as_a_whole_is_not_found_by_characters(language: str, fact: str, text: str, found: bool) -> None:
    """L3: a "No" or a cross beside it denies what was only found with others between."""
    assert is_found(fact, text, language=language) == found


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("en", "refund possible", "Is a refund possible? Unfortunately not.", False),
        ("en", "refund possible", "Refund possible? Not at all.", False),
        ("en", "SSO included", "SSO included: False", False),
        ("en", LONG, f"{LONG}: not available", False),
        ("sv", "återbetalning möjlig", "Är återbetalning möjlig? Tyvärr inte.", False),
        ("de", "erstattbar", "Ist das Ticket erstattbar? Leider nein.", False),
        ("en", "annual fee", "There is a semi-annual fee.", False),
        ("ja", "無料", "これは無料では無い。", False),
        ("zh", "退款", "本店停止退款。", False),
        ("zh", "退款", "谢绝退款。", False),
        ("zh", "吸烟", "严禁吸烟。", False),
        ("en", "semi-annual fee", "There is a semi-annual fee.", True),
        ("en", "claims", "The claims: falsely made.", True),
        ("ja", "無料", "これは無料です。", True),
        ("zh", "退款", "停止后退款。", True),
    ],
)
def test_other_ways_to_say_no(language: str, fact: str, text: str, found: bool) -> None:
    """L3: "Unfortunately not", "False", syllables and Chinese words that deny what follows."""
    assert is_found(fact, text, language=language) == found


@pytest.mark.parametrize("text", ["~~30~~ x", "<s>a</s>b</s>", "a? No.\nb? no!", "Is it so?\nA: No, 30", "吗？不是。"])
def test_places_in_a_text_stay_the_same(text: str) -> None:
    """What is passed over leaves spaces, so that a fact is shown where it stands."""
    assert len(unstruck(text)) == len(text)
    assert len(unasked(text.lower(), "en")) == len(text)
