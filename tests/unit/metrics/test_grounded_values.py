from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.metrics._values import stated, values_of
from evaluator.model.golden import Labels
from tests.views import outcome, read, view

if TYPE_CHECKING:
    from collections.abc import Callable

GROUNDED: list[tuple[str, str, str, float | str]] = [
    # Numbers, and how languages group their digits and mark their decimals.
    ("en", "Returns are free within 30 days.", "You have 30 days to return it.", 1),
    ("en", "Returns are free within 30 days.", "You have 130 days, or 3 days, or 30.5 days.", 0),
    ("en", "It holds 1,000 litres.", "The volume is 1000 litres.", 1),
    ("en", "It holds 1,000 litres.", "The volume is 1\u00a0000 litres.", 1),
    ("sv", "Den rymmer 1 000,50 liter.", "Volym: 1.000,5 liter", 1),
    ("sv", "Den rymmer 1,000 liter.", "Volym: 1000 liter", 0),
    ("de", "Es fasst 1.000 Liter.", "Volumen 1000 Liter", 1),
    ("en", "It weighs 1.000 kg.", "The weight is 1000 kg.", 0),
    ("de", "Es wiegt 2,50 kg.", "Gewicht 2.5 kg", 1),
    ("en", "About 2.5 million users.", "2,500,000 users in all", 1),
    ("en", "About 2.5 million users.", "2.5 billion users in all", 0),
    ("pl", "Ma 2 mln użytkowników.", "2 000 000 użytkowników", 1),
    ("zh", "人口为３００万。", "人口3000000", 1),
    ("en", "It fell to -5 degrees.", "a low of 5 degrees", 0),
    ("en", "It fell to −5 degrees.", "a low of -5 degrees", 1),
    # A text may write in words what the answer writes in digits; the other way round there is no value to look for.
    ("en", "It takes 15 days.", "It takes fifteen days.", 1),
    ("en", "It takes 25 days.", "It takes twenty-five days, not twenty.", 1),
    ("en", "It takes 5 days.", "It takes twenty-five days, not fiveish.", 0),
    ("en", "It takes 1 day.", "This one takes a day.", 0),
    ("en", "It costs $30.", "It costs thirty dollars.", 1),
    ("en", "About 200 people.", "Two hundred people came.", 1),
    ("sv", "Det tar 32 dagar.", "Det tar trettiotvå dagar.", 1),
    ("de", "Es dauert 21 Tage.", "Es dauert einundzwanzig Tage.", 1),
    ("fr", "Il faut 17 jours.", "Il faut dix-sept jours.", 1),
    ("es", "Son 35 días.", "Son treinta y cinco días.", 1),
    ("pl", "To trwa 42 dni.", "To trwa czterdzieści dwa dni.", 1),
    ("hu", "Ez 25 nap.", "Ez huszonöt nap.", 1),
    ("zh", "需要30天，共215元。", "需要三十天，共两百一十五元。", 1),
    ("zh", "利率30%。", "利率为百分之三十。", 1),
    ("zh", "需要1天。", "一般需要两天。", 0),
    ("en", "It takes thirty days.", "30 days", "the answer states no values"),
    # Halves in words.
    ("fr", "Il faut 2,5 ans.", "Il faut deux ans et demi.", 1),
    ("fr", "Il faut 2 ans.", "Il faut deux ans et demi.", 0),
    ("fr", "Il faut 1,5 an.", "Il faut un an et demi.", 1),
    ("de", "Es dauert 2,5 Jahre.", "Es dauert zweieinhalb Jahre.", 1),
    ("de", "Es dauert 1,5 Jahre.", "Es dauert anderthalb Jahre.", 1),
    ("sv", "Det tar 1,5 timme.", "Det tar en och en halv timme.", 1),
    ("en", "It takes 1.5 hours.", "It takes an hour and a half.", 1),
    ("en", "It takes 2.5 years.", "It takes two years and a half.", 1),
    ("en", "It takes 2.5 years.", "It takes two years and a day.", 0),
    ("es", "Dura 1,5 años.", "Dura un año y medio.", 1),
    ("pl", "Trwa 1,5 roku.", "Trwa półtora roku.", 1),
    ("hu", "Ez 1,5 év.", "Ez másfél év.", 1),
    ("zh", "需要2.5年。", "需要两年半。", 1),
    ("zh", "需要2年半。", "需要两年半。", 1),
    ("zh", "需要1.5小时。", "需要一个半小时。", 1),
    ("zh", "需要2.5年。", "需要两年,半价。", 0),
    ("ja", "3.5年かかる。", "3年半かかる。", 1),
    ("en", "Add 3/4 cup.", "Add ¾ cup.", 1),
    ("en", "Add 3/4 cup.", "Add 3 or 4 cups.", 0),
    # Money in words, small money, times by parts of the day, numbers of versions.
    ("zh", "共30美元。", "共30元。", 0),
    ("zh", "共30英镑。", "共30元。", 0),
    ("zh", "共30港元。", "共30元。", 0),
    ("zh", "共30韩元。", "共30元。", 0),
    ("zh", "共30美金。", "共$30。", 1),
    ("zh", "共30元。", "共30块。", 1),
    ("ja", "30ドルです。", "30円です。", 0),
    ("ja", "30ポンドです。", "30円です。", 0),
    ("ja", "30セントです。", "30ドルです。", 0),
    ("ja", "30ドルです。", "$30です。", 1),
    ("en", "It costs 30 cents.", "It costs 30 dollars.", 0),
    ("en", "It costs 30 cents.", "It costs 30¢.", 1),
    ("de", "Es kostet 30 Cent.", "Es kostet 30 EUR.", 0),
    ("fr", "Il coûte 30 centimes.", "Il coûte 30 €.", 0),
    ("fr", "Il coûte 30 francs.", "Il coûte 30 €.", 0),
    ("fr", "Il coûte 30 francs.", "Il coûte 30 CHF.", 1),
    ("fr", "Il coûte 2 cents.", "Il coûte 2 cents.", 1),
    ("pl", "Kosztuje 30 groszy.", "Kosztuje 30 zł.", 0),
    ("pl", "Kosztuje 30 koron.", "Kosztuje 30 zł.", 0),
    ("pl", "Kosztuje 30 koron.", "Kosztuje 30 CZK.", 1),
    ("zh", "上午2点开门。", "下午2点开门。", 0),
    ("zh", "下午2点开门。", "14:00开门。", 1),
    ("zh", "下午2点半开门。", "14:30开门。", 1),
    ("zh", "下午2点开门。", "14点开门。", 1),
    ("zh", "晚上12点关门。", "0:00关门。", 1),
    ("zh", "中午12点开门。", "12:00开门。", 1),
    ("zh", "晚上9点关门。", "9:00关门。", 0),
    ("ja", "午前2時に開く。", "午後2時に開く。", 0),
    ("ja", "午後2時に開く。", "14:00に開く。", 1),
    ("ja", "14時30分に開く。", "午後2時30分に開く。", 1),
    ("en", "It needs Python 3.10.", "It needs Python 3.1.", 0),
    ("en", "It needs Python 3.1 now.", "It needs Python 3.10 now.", 0),
    ("en", "It needs Python 3.10.", "It needs Python 3.10.", 1),
    ("en", "See Section 4.10.", "4.10 Refunds", 1),
    # Percent and per mille; a table says once, in its heading, what its numbers count.
    ("sv", "Räntan är 3,5 %.", "en ränta på 3.5% per år", 1),
    ("de", "Der Zins beträgt 3,5 Prozent.", "Zins: 3,5 %", 1),
    ("zh", "利率为百分之30。", "利率30%", 1),
    ("en", "The rate is 30%.", "within 30 days", 0),
    ("en", "The rate is 30%.", "| Plan | Rate (%) |\n| Pro | 30 |", 1),
    # Money: the currency before, after and as a word.
    ("en", "It costs €30.", "The fee is 30 EUR.", 1),
    ("en", "It costs 30 euros.", "The fee is €30.00.", 1),
    ("en", "It costs $30.", "The fee is 30 EUR.", 0),
    ("en", "It costs $30.", "It takes 30 days and dollars.", 0),
    ("en", "It costs $1.2bn.", "USD 1,200 million", 1),
    ("es", "Cuesta 30EUR al mes.", "30 € al mes", 1),
    ("es", "Cuesta 2 mil millones de euros.", "2.000.000.000 de euros", 1),
    ("sv", "Det kostar 1 500 kr.", "Avgiften är 1500 SEK.", 1),
    ("hu", "Az ára 1 500 forint.", "1.500 Ft", 1),
    ("ja", "料金は2.5万円です。", "料金：25,000円", 1),
    ("pl", "Opłata wynosi 1 200,50 zł.", "1200,50 PLN", 1),
    ("en", "The Pro plan is $49.", "| Plan | USD a month |\n| Pro | 49 |", 1),
    # Dates: ISO, American, European, in words.
    ("en", "It opened on 12 May 2024.", "opened 2024-05-12", 1),
    ("en", "It opened on May 12th, 2024.", "opened on the 12th of May 2024", 1),
    ("en", "It opened on 12 May 2024.", "opened 2024-05-13", 0),
    ("en", "It opened on 12 May.", "opened 2024-05-12", 1),
    ("en", "It opened on 12 May 2024.", "opened 12 May", 0),
    ("en", "It opened in May 2024.", "opened 2024-05-12", 1),
    ("en", "It opened in 2024.", "opened 12 May 2024", 1),
    ("en-US", "It opened on 05/12/2024.", "opened May 12, 2024", 1),
    ("en-US", "It opened on 05/12/2024.", "opened December 5, 2024", 0),
    ("en-GB", "It opened on 05/12/2024.", "opened 5 December 2024", 1),
    ("en", "It opened on 05/12/2024.", "opened 12/05/2024", 0),
    ("en", "It opened on 05/12/2024.", "opened 05/12/2024", 1),
    ("de", "Eröffnet am 12. Mai 2024.", "Eröffnung: 12.05.2024", 1),
    ("cs", "Otevřeno 12. 5. 2024.", "otevřeno 12. května 2024", 1),
    ("sv", "Öppnade den 12:e maj 2024.", "öppnade 2024-05-12", 1),
    ("hu", "2024. május 12-én nyílt.", "megnyitva: 2024. 05. 12.", 1),
    ("es", "Abrió el 12 de mayo de 2024.", "apertura: 12/5/24", 1),
    ("fr", "Ouvert le 1er mai 2024.", "ouverture : 01.05.2024", 1),
    ("zh", "2024年5月12日开业。", "开业日期：2024-05-12", 1),
    ("en", "You may enter 5 may be too late.", "at most 5", 1),
    # Times.
    ("en", "It opens at 2:30 pm.", "open from 14:30", 1),
    ("en", "It opens at 2 p.m.", "open from 2 am", 0),
    ("sv", "Det öppnar kl. 14.30.", "öppet från 14:30", 1),
    ("de", "Es öffnet um 14.30 Uhr.", "ab 14:30", 1),
    ("ja", "14時30分に開きます。", "14:30から", 1),
    # Ranges are two numbers; a hyphen before a number is no minus.
    ("en", "It takes 10-20 days.", "between 10 and 20 days", 1),
    ("en", "It takes 10–20 days.", "between 10 and 25 days", 0.5),
    ("en", "A discount of 10–20 %.", "from 10% to 20%", 1),
    # Numbers of lists and citations are no values.
    ("en", "1. Open it.\n2. Wait 5 minutes.\n3. Close it.", "wait 5 minutes", 1),
    ("en", "Step 1: open it.\nStep 2: close it.", "open and close", "the answer states no values"),
    ("en", "Either 1) ask or 2) wait.", "ask, wait", "the answer states no values"),
    ("de", "12. Mai ist ein Feiertag.", "Der 12. Mai", 1),
    ("en", "Wait\n30. Then go.", "wait 20", 0),
    ("en", "Free within 30 days [3], or 45 days [1, 2].", "30 days", 0.5),
    ("en", "Free within 30 days【3†source】.", "30 days", 1),
    ("en", "Free within 30 days².", "30 days", 1),
    # Quotations, by each kind of marks.
    ("en", 'It has a "grace period."', "There is a grace period of a week.", 1),
    ("en", "It has a “Grace Period”.", "There is a grace\nperiod.", 1),
    ("en", "It has a ‘grace period’.", "no such thing", 0),
    ("de", "Es gilt die „gesetzliche Frist“.", "Die gesetzliche Frist gilt.", 1),
    ("fr", "Il y a une « garantie légale ».", "la garantie légale", 1),
    ("zh", "商品「不可退款」。", "该商品不可退款。", 1),
    ("en", 'It says "30 days".', "within 130 days", 0),
    ("en", "It says \"free\" and 'no' and don't.", "it is free", 1),
    # Ordinals, versions, codes.
    ("en", "It is on the 3rd floor.", "floor 3", 1),
    ("en", "It needs version 1.10.", "Requires 1.10 or later.", 1),
    ("en", "It needs version 1.10.", "Requires version 1.1 or later.", 0),
    ("en", "It needs v2.1.3.", "since 2.1.3", 1),
    ("en", "Order AB-1234.", "item ab-1234", 1),
    ("en", "Order AB-1234.", "item AB-1235, 1234", 0),
    ("en", "It is 10km away.", "a distance of 10 km", 1),
    ("en", "It is 10km away.", "a distance of 10 miles", 0),
    ("en", "A 30-day limit since mid-2024.", "30 days, 2024", 1),
    ("en", "See https://example.com/2024/05 or write to a1@example.com.", "nothing", "the answer states no values"),
    # A unit is named by what heads the column or the line of a number, not by another sentence.
    ("en", "It costs $30.", "Pay in dollars. There are 30 seats.", 0),
    ("en", "It costs $30.", "Pay in dollars. See page 30.", 0),
    ("en", "The rate is 30%.", "A discount in percent is given. Item 30.", 0),
    ("en", "It costs $30.", "| No. | Price in dollars |\n|---|---|\n| 30 | 5 |", 0),
    ("en", "It costs $5.", "| No. | Price in dollars |\n|---|---|\n| 30 | 5 |", 1),
    ("en", "It costs €49.", "Plan\tPrice (EUR)\nBasic\t19\nPro\t49", 1),
    ("en", "It costs €49.", "Plan    Price (EUR)\nBasic   19\nPro     49", 1),
    ("en", "It costs €49.", "Plan,Price in EUR\nBasic,19\nPro,49", 1),
    ("en", "It costs €49.", "<table><tr><th>Plan</th><th>EUR</th></tr><tr><td>Pro</td><td>49</td></tr></table>", 1),
    ("en", "It costs €49.", "| Plan | Pro |\n| Price (EUR) | 49 |", 1),
    ("en", "It costs €49.", "| Fee | 49 | EUR |", 1),
    ("en", "It costs €49.", "All prices in EUR\n\n| Plan | Price |\n| Pro | 49 |", 1),
    ("en", "It costs $30 million.", "| Year | Revenue (USD million) |\n| 2023 | 30 |", 1),
    ("en", "It costs €30.", "Price (EUR): 30", 1),
    ("en", "It costs €30.", "Price in EUR: see page 30", 0),
    ("zh", "价格为30元。", "价格（元）：30", 1),
    ("en", "It costs €30.", "The fee is 30\nEUR a month.", 1),
    ("en", "It takes 30 weeks.", "| Plan | Days |\n| Pro | 30 |", 0),
    ("en", "It takes 30 days.", "| Plan | Days |\n| Pro | 30 |", 1),
    ("en", "It takes 30 weeks.", "Notice period in days: 30", 0),
    # Units of time, size, weight and data.
    ("en", "It takes 30 weeks.", "It takes 30 days.", 0),
    ("en", "It takes 30 days.", "It takes 30\ndays.", 1),
    ("en", "It takes 30 minutes.", "30 min", 1),
    ("en", "It takes 30 days.", "The limit is 30.", 1),
    ("en", "It takes 30 days.", "30% of all, and $30", 0),
    ("en", "It takes 30 days.", "30 working days", 0),
    ("en", "It takes 30 business days.", "30 working days", 1),
    ("en", "It takes 30 calendar days.", "30 days", 1),
    ("en", "It takes 10-20 weeks.", "10-20 days", 0),
    ("en", "It takes 10 weeks.", "10 to 20 days", 0),
    ("en", "It takes 10 days.", "between 10 and 20 days", 1),
    ("en", "It is 10%.", "10–20 %", 1),
    ("en", "It costs $20.", "$10-20", 1),
    ("en", "It weighs 5 kg.", "5 lb", 0),
    ("en", "It weighs 5 kilograms.", "5kg", 1),
    ("en", "It weighs 5 pounds.", "5 lb", 1),
    ("en", "It holds 30 GB.", "30 MB of memory", 0),
    ("en", "It holds 30GB.", "30 gigabytes", 1),
    ("en", "It is 5 km long.", "5 miles", 0),
    ("en", "It is 30 m² large.", "30 square metres", 1),
    ("en", "It is 30 m2 large.", "30 metres", 0),
    ("en", "It is 20 °C.", "20 degrees Fahrenheit", 0),
    ("en", "It is 20 °C.", "20 degrees", 1),
    ("en", "A limit of 90 km/h.", "90 km", 0),
    ("en", "It happened in 2024, a year ago.", "the year 2024", 1),
    ("en", "There are 30 bikes.", "30 weeks", 1),
    ("sv", "Det tar 30 veckor.", "Det tar 30 dagar.", 0),
    ("sv", "Det tar 30 dygn.", "inom 30 dagar", 1),
    ("sv", "Det tar 30 dagar.", "inom 30 arbetsdagar", 0),
    ("de", "Es dauert 30 Wochen.", "30 Tage", 0),
    ("de", "Es gilt eine 30-tägige Frist.", "innerhalb von 30 Tagen", 1),
    ("fr", "Il faut 30 mois.", "30 jours", 0),
    ("fr", "Il faut 30 jours.", "30 jours ouvrés", 0),
    ("fr", "Le 30 août, 30 ans.", "30 années, le 30 août", 1),
    ("fr", "Ouvert à 14 h.", "ouvert à 14:00", 1),
    ("es", "Son 30 meses.", "30 días", 0),
    ("es", "Son 30 y 40 días.", "30 y 40 días", 1),
    ("pl", "To trwa 30 tygodni.", "30 dni", 0),
    ("pl", "To trwa 30 miesięcy.", "30 miesiącach", 1),
    ("hu", "Ez 30 hét.", "30 nap", 0),
    ("hu", "30 napon belül", "30 napos", 1),
    ("hu", "Ez 2 hét.", "Két hét alatt.", 1),
    ("zh", "需要30周。", "需要30天。", 0),
    ("zh", "需要3个月。", "三个月，即3个月内", 1),
    ("zh", "在2024年。", "2024-05-12", 1),
    ("ja", "30分かかります。", "30日間", 0),
    ("ja", "3ヶ月です。", "3か月", 1),
    ("en", "It takes 30 weeks.", "within thirty (30) days", 0),
    ("en", "It takes 30 days.", "within 30 (thirty) days", 1),
    ("en", "It takes thirty (30) days.", "30 weeks", 0),
    ("en", "It costs $5.", "5 Canadian dollars", 1),
    ("en", "It costs 5 USD.", "5 Canadian dollars", 0),
    ("en", "It costs 5 USD.", "5 U.S. dollars", 1),
    ("en", "It rose by 3 percentage points.", "It rose by 3%.", 0),
    ("en", "A limit of 90 miles per hour.", "90 miles", 0),
    ("en", "A limit of 90 mph.", "90 miles per hour", 1),
    ("en", "Take 2 tablets (500 mg) every 6-8 hours.", "2 tablets of 500 mg, 6 to 8 hours", 1),
    ("en", "It has 5G.", "a 5G network", 1),
    ("en", "A 21st-century law from the 1990s.", "the 21st century, 1990s", 1),
    # A minus in words, halves and other fractions.
    ("en", "It fell to minus 5 degrees.", "5 degrees", 0),
    ("en", "It fell to -5 degrees.", "minus 5 degrees", 1),
    ("en", "It is 5 degrees below zero.", "-5 degrees", 1),
    ("en", "It rose to 5 degrees.", "minus 5 degrees", 0),
    ("fr", "Il fait 5 degrés.", "au moins 5 degrés", 1),
    ("en", "It takes ½ hour.", "1 or 2 hours", 0),
    ("en", "It takes ½ hour.", "half an hour", 1),
    ("en", "It takes 2½ hours.", "two and a half hours", 1),
    ("en", "It takes 1 1/2 hours.", "1.5 hours", 1),
    ("sv", "Det tar 0,5 timmar.", "Det tar ½ timme.", 1),
    # A place in an order is no number of things; the same place may be written in both ways.
    ("en", "There are 2 rooms.", "on the 2nd floor", 0),
    ("en", "It is on the 2nd floor.", "2 rooms", 0),
    ("en", "It is on floor 2.", "on the 2nd floor", 1),
    ("en", "It is on the 2nd floor.", "Floor 2 has a kitchen", 1),
    ("sv", "På 2:a våningen.", "2 rum", 0),
    ("zh", "有2条。", "第2条", 0),
    ("en", "There are 12 rooms.", "since 12 May", 0),
    ("en", "There are 1234 rooms.", "room AB-1234", 0),
    ("en", "A war of 40 years.", "the 40th anniversary of the outbreak", 1),
    ("en", "An F-15E flew.", "the F-15E", 1),
    ("en", "An F-15E flew.", "15 planes", 0),
    # Parts of a time are no numbers.
    ("en", "It opens at 10.", "until 22:10", 0),
    ("en", "It opens at 10.", "from 10:00", 1),
    # No values, and a value that is there twice.
    ("en", "Yes, you can.", "30 days", "the answer states no values"),
    ("en", "30 days, I said 30 days, not 45.", "30 days", 0.5),
]


def grounded(language: str, answer: str, *texts: str, **fields: Any) -> float | str:
    """The value of an answer over a context of these texts."""
    case = read(dict(zip("abc", texts, strict=False)), answer=answer, language=language, **fields)
    return outcome("grounded_values", case)


@pytest.mark.parametrize(("language", "answer", "text", "expected"), GROUNDED)
def test_what_is_a_value_and_where_it_is_stated(language: str, answer: str, text: str, expected: float | str) -> None:
    """Cases L2 and L3 and others, worked out by hand: share of the answer's values that the text states."""
    assert grounded(language, answer, text) == expected


class TestContext:
    """Where values are looked for."""

    def test_any_result_of_the_context_will_do(self) -> None:
        """Two values in two results, a third in none."""
        assert grounded("en", "30 days, $5, 2024", "30 days", "a fee of $5") == 2 / 3

    def test_what_was_retrieved_and_not_given_to_the_model_does_not_count(self) -> None:
        """The model cannot have it from there."""
        assert grounded("en", "30 days", "30 days", "nothing", context=("b",)) == 0

    def test_without_a_context_no_value_is_grounded(self) -> None:
        """A confident answer from nothing (S5)."""
        assert outcome("grounded_values", view("", answer="30 days")) == 0

    def test_blank_chunks_state_nothing(self) -> None:
        """They are retrieved all the same (S5)."""
        assert grounded("en", "30 days", "", "  \n") == 0

    def test_a_context_without_text_says_nothing_of_an_answer(self) -> None:
        """Texts may be unknown without a fixture."""
        assert outcome("grounded_values", view("A", answer="30 days")) == "no chunk text"

    def test_a_quotation_is_looked_for_as_it_is_written(self) -> None:
        """A citation within it is no part of it."""
        assert grounded("en", 'It is "free for 30 days [1]".', "free for 30 days") == 1


class TestCitations:
    """Marks of a configured pattern are no values."""

    def test_the_configured_pattern(self) -> None:
        """Whatever it finds is no value, and brackets with positions are none either way."""
        answer = "30 days (source: 7), [1]"
        assert grounded("en", answer, "30 days") == 0.5
        assert grounded("en", answer, "30 days", citations=r"\(source: (?P<id>\d+)\)") == 1

    def test_a_pattern_that_never_ends_is_no_value(self) -> None:
        """Nobody knows what it would have found."""
        found = grounded("en", "1" * 40 + " days", "1 day", citations=r"(?P<id>(1|1|1)+(1|1)+)x")
        assert found == "citations.pattern took too long"


class TestOutcomes:
    """What a case gets that has no answer to look at."""

    def test_without_an_answer_it_does_not_apply(self) -> None:
        """A pipeline that only retrieves, and one that abstains."""
        assert outcome("grounded_values", view("A")) == "the pipeline gave no answer"
        assert grounded("en", "", "30 days") == "the answer states no values"

    def test_a_failed_case_is_at_its_worst_where_an_answer_was_expected(self) -> None:
        """Where it was to abstain, no value is missing."""
        abstain = Labels(expect="abstain")

        assert outcome("grounded_values", view("", failed=True)) == 0
        assert outcome("grounded_values", view("", failed=True, labels=abstain)) == (
            "the pipeline failed where it was to abstain"
        )


def test_every_value_of_a_text_is_stated_by_that_text() -> None:
    """An answer that repeats its context is grounded, in each language and form."""
    for language, answer, text, _ in GROUNDED:
        for written in (answer, text):
            assert all(stated(written, language).holds(value) for value in values_of(written, language)), written


HOSTILE = [
    "1 111", "a@", "1.", '"a', "A1-", "5 may ", "1/2/", "$5 ", "(1) ", "¹a", "1 ½ ", "| 1 ", "a: 1 ", "1\t", "</td>",
    "</td> ", "-", " ", "1", "1,", "\t", "(a ", "a (1", "10-", "=", "\n", ";1",
]  # fmt: skip


@pytest.mark.parametrize("read", [values_of, stated.__wrapped__])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_read_in_time_linear_in_its_length(text: str, read: Callable[[str, str], object]) -> None:
    """Four times the text takes about four times as long, not sixteen times, as an answer and as a result."""
    short, long = (_cpu(read, f"é a:1{text * repeats}x") for repeats in (500, 2_000))

    assert long < 10 * short + 0.01


def _cpu(read: Callable[[str, str], object], text: str) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        read(text, "sv")
        times.append(time.process_time() - start)
    return min(times)
