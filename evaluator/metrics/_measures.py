"""Common units of time, length, area, volume, weight, temperature and data, by what they are called in a language."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SYMBOLS = """
second s sec secs|millisecond ms|minute min mins|hour h hr hrs|day d|week w|year y
kilometre km|metre m|centimetre cm|millimetre mm|foot ft|square-metre sqm|square-kilometre sqkm|square-centimetre sqcm
square-foot sqft|cubic-metre cum|cubic-centimetre cucm|litre l L|decilitre dl|centilitre cl|millilitre ml mL
kilogram kg kilo kilos|gram g|milligram mg|microgram μg|tonne t|pound lb lbs|ounce oz
byte byte bytes|kilobyte kb|megabyte mb|gigabyte gb|terabyte tb|watt-hour kwh|kilowatt kw|km/h km/h kmh kph|m/s m/s
celsius °C|fahrenheit °F|celsius °|fahrenheit °|minute m|oclock h
"""
"""A line end or a bar between units, the unit first. Some are of two: ``30 m`` may be metres or minutes."""

_WORDS = {
    "en": """
second second seconds|millisecond millisecond milliseconds|minute minute minutes|hour hour hours|day day days
night night nights|week week weeks wk wks|month month months mth mths mo mos|year year years yr yrs
quarter quarter quarters|decade decade decades|kilometre kilometre kilometres kilometer kilometers
metre metre metres meter meters|centimetre centimetre centimetres centimeter centimeters
millimetre millimetre millimetres millimeter millimeters|mile mile miles|foot foot feet|inch inch inches
yard yard yards|acre acre acres|hectare hectare hectares|litre litre litres liter liters
millilitre millilitre millilitres milliliter milliliters|gallon gallon gallons|kilogram kilogram kilograms
gram gram grams|milligram milligram milligrams|tonne ton tons tonne tonnes|pound pound pounds|ounce ounce ounces
celsius degree degrees|fahrenheit degree degrees|megabyte megabyte megabytes|gigabyte gigabyte gigabytes
terabyte terabyte terabytes|mile/h mph
""",
    "sv": """
second sekund sekunder sekunders sek|minute minut minuter minuters|hour timme timmar timmars timmarna tim
day dag dagar dagars dagarna dygn dygns|week vecka veckor veckors veckorna|month månad månader månaders månaderna mån
year år års åren årens|quarter kvartal|kilometre kilometer|metre meter|mil mil|millimetre millimeter
centimetre centimeter|litre liter|decilitre deciliter|millilitre milliliter|kilogram kilogram|gram gram
tonne ton|pound pund|celsius grad grader|square-metre kvadratmeter kvm|cubic-metre kubikmeter|hectare hektar
working-day arbetsdag arbetsdagar arbetsdagars bankdag bankdagar bankdagars|weekday vardag vardagar vardagars
day kalenderdag kalenderdagar kalenderdagars|pp procentenhet procentenheter
night natt nätter
""",
    "de": """
second sekunde sekunden|minute minute minuten minütig*|hour stunde stunden std stündig*|day tag tage tagen tages tägig*
week woche wochen wöchig*|month monat monate monaten monats monatig*|year jahr jahre jahren jahres jährig*
quarter quartal quartale quartalen|night nacht nächte nächten|kilometre kilometer kilometern|metre meter metern
centimetre zentimeter|millimetre millimeter|litre liter litern|millilitre milliliter|kilogram kilogramm|gram gramm
tonne tonne tonnen|pound pfund|celsius grad|square-metre quadratmeter qm|cubic-metre kubikmeter|hectare hektar
working-day arbeitstag arbeitstage arbeitstagen geschäftstag geschäftstage geschäftstagen banktage bankarbeitstage
weekday werktag werktage werktagen|day kalendertag kalendertage kalendertagen
pp prozentpunkt prozentpunkte prozentpunkten
""",
    "fr": """
second seconde secondes|minute minute minutes|hour heure heures|oclock heure heures|day jour jours journée journées
week semaine semaines|month mois|year an ans année années|quarter trimestre trimestres|night nuit nuits nuitées
kilometre kilomètre kilomètres|metre mètre mètres|centimetre centimètre centimètres|millimetre millimètre millimètres
litre litre litres|kilogram kilogramme kilogrammes|gram gramme grammes|milligram milligramme milligrammes
tonne tonne tonnes|pound livre livres|celsius degré degrés|hectare hectare hectares|megabyte mo|gigabyte go
""",
    "es": """
second segundo segundos|minute minuto minutos|hour hora horas|oclock horas|day día días|week semana semanas
month mes meses|year año años|quarter trimestre trimestres|night noche noches|kilometre kilómetro kilómetros
metre metro metros|centimetre centímetro centímetros|millimetre milímetro milímetros|litre litro litros
kilogram kilogramo kilogramos|gram gramo gramos|milligram miligramo miligramos|tonne tonelada toneladas
pound libra libras|celsius grado grados|hectare hectárea hectáreas
""",
    "pl": """
second sekund*|minute minut*|hour godz godzin*|day dzień dni dnia dniach dniom dniowy dniowa dniowe dniowego dniowym
day doba dób doby|week tydzień tygodni*|month miesiąc* miesięc* mies
year rok roku lat lata latach latami letni letnia letnie
quarter kwartał*|night noc noce nocy|kilometre kilometr*|metre metr metry metrów metra|centimetre centymetr*
millimetre milimetr*|litre litr litry litrów litra|kilogram kilogram*|gram gram gramy gramów grama|tonne tona tony ton
pound funt funty funtów|celsius stopni stopnie stopień stopnia|hectare hektar*
""",
    "hu": """
second másodperc*|minute perc percen perces percet percig percre percnyi|hour óra órán órás órát óráig órára órával
day nap napon napos napot napig napra nappal napnyi napja napi napokon|week hét héten hetes hetet hétig hétre héttel
week heti|month hónap*|year év éven éves évet évig évre évvel évnyi évi
quarter negyedév*|night éjszaka éjszakát éjszakára
working-day munkanap*|weekday hétköznap*|kilometre kilométer*|metre méter méteres métert|centimetre centi centiméter*
millimetre milliméter*|litre liter litert literes|kilogram kilogramm*|gram gramm grammot grammos|tonne tonna tonnát
pound font fontot|celsius fok fokos fokot fokra|hectare hektár*|square-metre négyzetméter*|cubic-metre köbméter*
""",
    "zh": """
second 秒 秒钟 秒鐘|minute 分钟 分鐘|hour 小时 小時 个小时 個小時 个钟头|day 天 日|week 周 週 星期 个星期 個星期 礼拜
month 个月 個月|year 年|quarter 个季度|working-day 个工作日 個工作日 工作日 个工作天|night 晚
kilometre 公里 千米|metre 米
centimetre 厘米|millimetre 毫米|square-metre 平方米 平米
cubic-metre 立方米|litre 升|millilitre 毫升|kilogram 公斤 千克
gram 克|milligram 毫克|tonne 吨 噸|pound 磅|celsius 度 摄氏度|fahrenheit 度 华氏度|hectare 公顷
""",
    "ja": """
second 秒 秒間|minute 分 分間|hour 時間|day 日 日間|week 週 週間
month か月 ヶ月 カ月 ヵ月 ケ月 か月間 ヶ月間|year 年 年間
night 泊|working-day 営業日|kilometre キロメートル キロ|kilogram キロ キログラム
metre メートル|centimetre センチ センチメートル
millimetre ミリ ミリメートル|litre リットル|millilitre ミリリットル|gram グラム|milligram ミリグラム|tonne トン
celsius 度|fahrenheit 度|square-metre 平方メートル 平米
""",
}

_PLAIN = (
    "full whole calendar consecutive complete further additional more extra other long short good hela ytterligare "
    "volle vollen ganze ganzen weitere weiteren derniers dernières premiers premières últimos últimas primeros "
    "primeras teljes naptári pełnych pełne kolejnych kolejne dalsze kalendarzowych"
)
_BETWEEN = {
    "business": "working", "working": "working", "work": "working", "square": "square", "cubic": "cubic",
    **dict.fromkeys(_PLAIN.split(), ""),
}  # fmt: skip
"""Words between a number and its unit, and what they make of the unit."""

_BEHIND = {
    "ouvrés": "working", "ouvré": "working", "hábiles": "working", "hábil": "working", "laborables": "working",
    "laborable": "working", "robocze": "working", "roboczych": "working", "roboczy": "working", "roboczego": "working",
    "ouvrables": "week", "ouvrable": "week", "carrés": "square", "cuadrados": "square", "kwadratowych": "square",
    "cubes": "cubic", "cúbicos": "cubic", "celsius": "celsius", "celsjusza": "celsius", "fahrenheit": "fahrenheit",
    "c": "celsius", "f": "fahrenheit",
}  # fmt: skip
"""Words behind a unit, and what they make of it."""

_SCALES_OF_DEGREES = frozenset(["celsius", "fahrenheit"])
_CALENDAR_YEARS = (1000, 3000)
_LONGEST_ENDING = 6


def with_between(units: frozenset[str], word: str) -> frozenset[str]:
    """Units as a word between them and their number changes them; empty if it is not known to stand there."""
    how = _BETWEEN.get(word.casefold())
    return frozenset() if how is None else _modified(units, how)


def with_behind(units: frozenset[str], word: str) -> frozenset[str]:
    """Units as a word behind them changes them: working days, square metres, degrees Celsius."""
    return _modified(units, _BEHIND.get(word.casefold(), ""))


def _modified(units: frozenset[str], how: str) -> frozenset[str]:
    if not how:
        return units
    if how in _SCALES_OF_DEGREES:
        return frozenset({how}) if how in units else units
    return frozenset("weekday" if (how, unit) == ("week", "day") else f"{how}-{unit}" for unit in units)


def of_number(units: frozenset[str], number: str) -> frozenset[str]:
    """The units a number can be of: 2024 年 is a date, not so many years."""
    first, end = _CALENDAR_YEARS
    is_date = "year" in units and number.isdecimal() and first <= int(number[:5]) < end
    return units - {"year"} if is_date else units


def by_stem(word: str, tongue: str) -> frozenset[str] | None:
    """The units that a word begins with, where a language has many forms of them."""
    begun = _read(tongue)[1]
    if not begun:
        return None
    ends = range(len(word), max(1, len(word) - _LONGEST_ENDING) - 1, -1)
    return next((begun[word[:end]] for end in ends if word[:end] in begun), None)


@cache
def names(tongue: str) -> Mapping[str, frozenset[str]]:
    """Units by the words and signs of a language, of English and of everywhere."""
    return _read(tongue)[0]


@cache
def _read(tongue: str) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    whole: dict[str, frozenset[str]] = {}
    begun: dict[str, frozenset[str]] = {}
    # A table of one script costs another nothing, and chunks are often of two.
    own = {"en", tongue, "zh" if tongue != "ja" else "ja"}
    for table in (_SYMBOLS, *(words for language, words in _WORDS.items() if language in own)):
        for entry in table.replace("\n", "|").split("|"):
            unit, *words = entry.split() or [""]
            for word in words:
                into, name = (begun, word[:-1]) if word.endswith("*") else (whole, word)
                into[name] = into.get(name, frozenset()) | {unit}
    return whole, begun
