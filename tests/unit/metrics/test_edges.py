"""What stands right before or after a fact as it is written, and makes another number or another unit of it."""

from __future__ import annotations

import pytest

from evaluator.metrics.facts import find_facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage


def is_found(fact: str, text: str, language: str) -> bool:
    """Whether a fact is found in one chunk."""
    return find_facts([Fact(id="f", text=fact)], [("c", Passage(None, text))], language)[0].found


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "two days", "Delivery lasts thirty-two days."),
        ("en", "twenty euros", "It costs one hundred twenty euros."),
        ("en", "twenty euros", "It costs one hundred and twenty euros."),
        ("en", "thousand euros", "It costs 5 thousand euros."),
        ("en", "two", "Two hundred people came."),
        ("en", "twenty", "It takes twenty-five minutes."),
        ("fr", "quatre jours", "La livraison prend vingt-quatre jours."),
        ("es", "cinco días", "La entrega tarda treinta y cinco días."),
        ("pl", "dwa dni", "Dostawa trwa dwadzieścia dwa dni."),
        ("sv", "tusen kronor", "Det kostar fem tusen kronor."),
        ("fr", "3 ans", "La garantie est de 3 ans et demi."),
        ("es", "3 años", "La garantía es de 3 años y medio."),
        ("zh", "百分之三", "利率为百分之三点五。"),
        ("zh", "五", "利率为三点五。"),
        ("zh", "三", "利率为百分之三。"),
        ("zh", "三年", "保修三年半。"),
        ("zh", "三天", "第三天发货。"),
        ("zh", "2年", "保修2年6个月。"),
        ("zh", "十天", "等了数十天。"),
        ("zh", "试用期三个月", "试用期一般三个月半。"),
        ("ja", "3年", "保証は3年半です。"),
        ("ja", "3年", "保証は3年目から有料です。"),
        ("ja", "3割", "割引は3割5分です。"),
        ("ja", "9時", "9時30分に開きます。"),
    ],
)
def test_a_part_of_a_longer_number_is_another_number(language: str, fact: str, text: str) -> None:
    """L3: what holds for digits ("30 days" in "130 days") holds for numbers in words, halves and ordinals."""
    assert not is_found(fact, text, language)
    assert is_found(fact, f"{fact}.", language)


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "$30", "It costs $30 million."),
        ("en", "$30", "It costs $30m."),
        ("en", "€5", "They lost €5 billion."),
        ("en", "30", "The rate is 30%."),
        ("en", "30", "The rate is 30 per cent."),
        ("sv", "30", "Räntan är 30 procent."),
        ("en", "$30", "It costs A$30."),
        ("en", "1/2", "On 1/2/2024 it opens."),
        ("en", "2/2024", "On 1/2/2024 it opens."),
        ("en", "30 days", "It lasts 1/30 days."),
        ("en", "5 km", "It goes at 5 km/h."),
        ("fr", "30 jours", "Remboursé sous 30 jours ouvrés."),
        ("fr", "trente jours", "Remboursé sous trente jours ouvrables."),
        ("es", "30 días", "Se devuelve en 30 días hábiles."),
        ("pl", "30 dni", "Zwrot w ciągu 30 dni roboczych."),
    ],
)
def test_a_multiplier_a_sign_or_another_unit_makes_something_else_of_it(language: str, fact: str, text: str) -> None:
    """L3: thirty dollars are not thirty million, nor thirty days thirty working days."""
    assert not is_found(fact, text, language)
    assert is_found(fact, f"{fact}.", language)


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "thirty days", "It takes between twenty and thirty days."),
        ("es", "treinta días", "Tarda entre veinte y treinta días."),
        ("en", "thousand euros", "It costs a thousand euros."),
        ("sv", "två dagar", "Det är en två dagar lång kurs."),
        ("en", "two people", "In 2015 two people came."),
        ("en", "two", "Two of a hundred came."),
        ("en", "two years", "It lasts two years and one month."),
        ("en", "$30", "It costs $30 a month."),
        ("en", "$30", "It costs US$30."),
        ("zh", "$30", "共$30。"),
        ("en", "30%", "The rate is 30 %."),
        ("en", "30", "There are 30 people."),
        ("en", "30", "There are 30 millers."),
        ("en", "5 million", "It costs 5 million euros."),
        ("en", "1/2", "About 1/2 of it."),
        ("en", "2023", "The season of 2023/24 is over."),
        ("en", "30 days", "Within 10-30 days."),
        ("en", "5 km", "About 5 km / 3 miles."),
        ("en", "30 days", "30 days/one month"),
        ("sv", "20 kr", "Det kostar 20 kr/mån."),
        ("fr", "30 jours", "Remboursé sous 30 jours calendaires."),
        ("fr", "jours", "Tous les jours ouvrables."),
        ("es", "30 días", "En 30 días. Hábiles son cinco."),
        ("pl", "30 dni", "W ciągu 30 dni od zakupu."),
        ("zh", "三年", "保修三年，半年后另计。"),
        ("zh", "30天", "前30天半价。"),
        ("zh", "2024年", "2024年5月1日开始。"),
        ("zh", "30天", "30天目标。"),
        ("ja", "3年", "保証は3年間です。"),
        ("ja", "3割", "割引は3割です。"),
        ("zh", "三年半", "保修三年半。"),
    ],
)
def test_what_only_stands_beside_it_changes_nothing(language: str, fact: str, text: str) -> None:
    """A range, a rate of money, a word that only begins like a half: the fact is there."""
    assert is_found(fact, text, language)


@pytest.mark.parametrize(
    ("fact", "text", "found"),
    [
        ("Python 3.1 is required", "Python 3.10 is required.", False),
        ("version 1.1", "Since version 1.10.", False),
        ("Section 4.1", "See Section 4.10.", False),
        ("Python 3.1", "Python 3.9, 3.10 and 3.11 are supported.", False),
        ("3.10", "Python 3.10 is required.", True),
        ("Python 3.10", "Python 3.10 is required.", True),
        ("3.10 or later", "It needs Python >= 3.10 or later.", True),
        ("costs 3.5 euros", "It costs 3.50 euros.", True),
        ("3.50 euros", "It costs 3.5 euros.", True),
        ("USB 3", "It has USB 3.0.", True),
    ],
)
def test_the_second_part_of_a_version_is_no_decimal(fact: str, text: str, found: bool) -> None:
    """L3: 3.10 comes after 3.9, and is not 3.1; an amount of 3.50 is one of 3.5."""
    assert is_found(fact, text, "en") == found
