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
        ("en", "two years", "It lasts two years and it is free."),
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


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "two years", "It lasts two years and one month."),
        ("en", "2 years", "It lasts 2 years and 6 months."),
        ("en", "delivery takes 2 hours", "Delivery takes 2 hours 30 minutes."),
        ("en", "6 feet", "It is 6 feet 2 inches tall."),
        ("de", "um 14 Uhr", "Es beginnt um 14 Uhr 30."),
        ("fr", "à 14 h", "Elle ouvre à 14 h 30."),
        ("sv", "två år", "Garantin gäller två år och sex månader."),
        ("fr", "un an", "La garantie est d'un an et demi."),
        ("es", "un año", "Dura un año y medio."),
        ("en", "a year", "It lasts a year and a half."),
        ("en", "within a year", "Within half a year."),
        ("en", "within a year", "It is paid within a year and a half."),
        ("en", "a year", "It lasts half a year."),
        ("pl", "rok", "Gwarancja trwa rok i pół."),
        ("en", "two hundred", "It costs two hundred and fifty."),
        ("en", "$30", "It costs $30-50."),
        ("en", "5 m", "It has 5 m^2."),
        ("zh", "两年", "保修期为两年半。"),
        ("zh", "两年", "保修期为两年六个月。"),
        ("zh", "两年", "两年级的学生。"),
        ("zh", "两个小时", "需要两个小时三十分。"),
        ("zh", "百元", "共两百元。"),
        ("zh", "两百", "共一千两百。"),
        ("zh", "三米", "长三米五。"),
        ("zh", "2天", "需要2天3小时。"),
        ("ja", "2時間", "2時間と30分かかります。"),
    ],
)
def test_a_quantity_that_goes_on_in_a_smaller_unit_is_a_larger_one(language: str, fact: str, text: str) -> None:
    """L3: two hours and a half are not two hours, by stems and characters neither."""
    assert not is_found(fact, text, language)
    assert is_found(fact, f"{fact}.", language)


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "3 days", "A trip of 3 days 2 nights."),
        ("en", "30 days", "Returns for 30 days and 12 months of warranty."),
        ("en", "5 days", "Open 5 days, 8 hours each."),
        ("en", "a year", "A year and a month of rain."),
        ("en", "within a year", "Paid within a year of purchase."),
        ("en", "within half a year", "Paid within half a year."),
        ("en", "$30", "It costs $30 - a bargain."),
        ("de", "14 Uhr", "Um 14 Uhr am Markt."),
        ("zh", "两年", "保修期为两年。"),
        ("zh", "三米", "长三米,宽五米。"),
        ("zh", "两百元", "共两百元。"),
    ],
)
def test_another_quantity_beside_it_is_no_part_of_it(language: str, fact: str, text: str) -> None:
    """What is of a larger or of no smaller unit is counted for itself."""
    assert is_found(fact, text, language)


@pytest.mark.parametrize(
    ("language", "fact", "text", "found"),
    [
        ("en", "store it at 18 degrees", "Store it at minus 18 degrees.", False),
        ("en", "18 degrees", "Keep it at 18 degrees below zero.", False),
        ("en", "10 °C", "Keep it at minus 10 °C.", False),
        ("de", "bei 18 Grad lagern", "Bei minus 18 Grad lagern.", False),
        ("fr", "à 18 degrés", "À conserver à moins 18 degrés.", False),
        ("zh", "5度", "保存于零下5度。", False),
        ("zh", "保存温度5度", "保存温度为零下5度。", False),
        ("ja", "5度", "マイナス5度で保存。", False),
        ("en", "store it at -18 degrees", "Store it at minus 18 degrees.", True),
        ("en", "store it at minus 18 degrees", "Store it always at minus 18 degrees.", True),
        ("fr", "18 degrés", "Il faut au moins 18 degrés.", True),
        ("en", "5 degrees", "It varies by plus or minus 5 degrees.", True),
        ("en", "the costs", "Revenue minus the costs.", True),
    ],
)
def test_a_minus_in_words_makes_another_number(language: str, fact: str, text: str, found: bool) -> None:
    """L3: as "-18" is not 18."""
    assert is_found(fact, text, language) == found
