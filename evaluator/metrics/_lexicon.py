"""Words that facts are compared by in another way than by their stem: articles, numbers, months, irregular forms.

One table a language (primary subtag of BCP 47). Words are in the common form of :mod:`evaluator.metrics._normal`, so
that a German sharp s is written ``ss``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_ARTICLES = {
    "en": "the", "sv": "den det de", "de": "der die das den dem des", "fr": "le la les l'", "es": "el la los las lo",
    "hu": "a az",
}  # fmt: skip
"""Definite articles: a text may have another, or none."""

_ONES = {
    "en": "a an", "sv": "en ett", "de": "ein eine einen einem einer eines", "fr": "un une", "es": "un uno una",
    "hu": "egy",
}  # fmt: skip
"""Articles that can also be the number one."""

_NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions half dozen dozens several many few couple both",
    "sv": "halv halva halvt flera många några båda miljon miljoner miljard miljarder",
    "de": "million millionen milliarde milliarden zweier dreier halb halbe halber halbes halben halbem mehrere "
    "mehrerer mehreren viele vieler vielen einige einiger einigen wenige weniger wenigen beide beider beiden",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente "
    "quarante cinquante soixante septante octante huitante nonante cent cents mille million millions milliard "
    "milliards demi demie demis plusieurs quelques dizaine douzaine quinzaine vingtaine trentaine",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta "
    "cincuenta sesenta setenta ochenta noventa cien ciento cientos quinientos quinientas mil millón millones medio "
    "media varios varias muchos muchas pocos pocas ambos ambas algunos algunas",
    "hu": "fél több sok néhány pár kevés",
    "pl": "dwa dwie dwóch dwom dwu dwoma dwiema trzy trzech trzem trzema cztery czterech czterem czterema pięć pięciu "
    "sześć sześciu siedem siedmiu osiem ośmiu dziewięć dziewięciu dziesięć dziesięciu sto stu dwieście dwustu trzysta "
    "trzystu czterysta czterystu pięćset pięciuset jeden jedna jedno jedną jednego jednej jednym jednemu pół półtora "
    "półtorej kilka kilku kilkoma wiele wielu parę paru oba obie obu",
}
"""Numbers in words, and words that say how many without a number. A number in words is not one in digits."""

_COMPOUND_NUMBERS = {
    "sv": r"(?:en|ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv|(?:tret|fjor|fem|sex|sjut|ar|nit)ton|tjugo"
    r"|trettio|fyrtio|femtio|sextio|sjuttio|åttio|nittio|hundra|tusen)+",
    "de": r"(?!(?:ein|und)+$)(?:ein|zwei|zwo|drei|vier|fünf|sechs?|sieb(?:en)?|acht|neun|zehn|elf|zwölf|zwanzig"
    r"|dreissig|(?:vier|fünf|sech|sieb|acht|neun)zig|hundert|tausend|und)+",
    "es": r"dieci[a-zé]+|veinti[a-zéó]+|[a-z]+cient[oa]s",
    "hu": r"(?!hét$)(?:egy|két|kettő|három|négy|öt|hat|hét|nyolc|kilenc|tíz|tizen|húsz|huszon|harminc|negyven|ötven"
    r"|hatvan|hetven|nyolcvan|kilencven|száz|ezer|millió|milliárd)+",
    "pl": r"[a-zęść]+na(?:ście|stu)|dwadzieścia|dwudziestu|(?:trzy|czter)dzie[sś](?:ci|tu)|[a-zęść]+dziesi(?:ąt|ęciu)"
    r"|(?:sześć|siedem|osiem|dziewięć)set|tysi[ąę]c[a-zęó]{0,3}|milion[a-zęó]{0,3}",
}
"""Those that are put together, as patterns for the whole word."""

_MONTHS = {
    "en": "january february march april may june july august september october november december jan feb mar apr jun "
    "jul aug sep sept oct nov dec",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "de": "januar jänner februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia styczeń "
    "luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
}

_FORMS = {
    "en": "an:a people:person men:man women:woman children:child feet:foot",
    "sv": "ett:en året:år åren:år årens:år års:år årets:år dygnet:dygn dygns:dygn dagen:dag dagens:dag män:man",
    "de": "im:in ins:in am:an ans:an zum:zu zur:zu vom:von beim:bei eine:ein einen:ein einem:ein einer:ein eines:ein",
    "fr": "du:de des:de d':de au:à aux:à une:un ans:an année:an années:an qu':que s':se j':je m':me t':te c':ce "
    "jusqu':jusque lorsqu':lorsque puisqu':puisque quoiqu':quoique",
    "es": "del:de al:a uno:un una:un años:año días:día meses:mes veces:vez",
    "hu": "napos:nap napi:nap napja:nap napok:nap hetes:hét heti:hét hetet:hét hetek:hét hónapos:hónap havi:hónap "
    "hónapja:hónap éves:év évi:év évet:év évek:év éve:év órás:óra órát:óra órán:óra órával:óra perces:perc "
    "ügyfelek:ügyfél ügyfelet:ügyfél ügyfeleket:ügyfél ügyfélnek:ügyfél díja:díj díjak:díj díjat:díj két:kettő",
    "pl": "dzień:dzien dnia:dzien dniu:dzien dniem:dzien dni:dzien dniom:dzien dniach:dzien dniami:dzien "
    "miesiąc:miesiac miesiąca:miesiac miesiącu:miesiac miesiącem:miesiac miesiące:miesiac miesięcy:miesiac "
    "miesiącom:miesiac miesiącach:miesiac miesiącami:miesiac rok:rok roku:rok rokiem:rok lata:rok lat:rok "
    "latach:rok latami:rok tydzień:tydzien tygodnia:tydzien tygodniu:tydzien tygodniem:tydzien tygodnie:tydzien "
    "tygodni:tydzien tygodniach:tydzien umów:umow umowom:umow osób:osob osoba:osob osoby:osob osobę:osob "
    "osobom:osob pieniędzy:pieniądz pieniądze:pieniądz dwie:dwa dwóch:dwa dwu:dwa dwom:dwa dwoma:dwa dwiema:dwa "
    "trzech:trzy trzem:trzy trzema:trzy czterech:cztery czterem:cztery czterema:cztery pięciu:pięć sześciu:sześć "
    "siedmiu:siedem ośmiu:osiem dziewięciu:dziewięć dziesięciu:dziesięć dwudziestu:dwadzieścia "
    "trzydziestu:trzydzieści czterdziestu:czterdzieści stu:sto tysiąca:tysiąc tysiące:tysiąc tysięcy:tysiąc "
    "piętnastu:piętnaście czternastu:czternaście dwunastu:dwanaście",
}
"""Forms of one word that the stemmer takes for two: contractions, units of time, plurals, numbers in words."""

_APART = {
    "en": "employer employers employer's|insurer insurers insurer's|interviewer interviewers|examiner examiners",
    "sv": "köpare köparen köparens köpares köparna|hyrare",
    "de": "mieter mieters mietern mieterin mieterinnen|vermieter vermieters vermietern vermieterin vermieterinnen"
    "|käufer käufers käufern käuferin käuferinnen|verkäufer verkäufers verkäufern verkäuferin verkäuferinnen"
    "|versicherer versicherers versicherern|zahler zahlers zahlern",
    "es": "asegurador aseguradora aseguradores aseguradoras|arrendador arrendadora arrendadores arrendadoras"
    "|licenciador licenciadora licenciadores",
}
"""Those who do something, where the stemmer has one stem for them and for what they do or whom they do it to."""

_NEGATIONS = {
    "en": "never:not non:not ",
    "sv": "icke:inte ej:inte aldrig:inte inget:ingen inga:ingen",
    "de": "keine:kein keinen:kein keinem:kein keiner:kein keines:kein niemals:nie",
    "fr": "aucune:aucun aucuns:aucun aucunes:aucun n':ne ouvré:ouvrés ouvrable:ouvrables",
    "es": "nunca:no jamás:no ninguno:ningún ninguna:ningún ningunos:ningún ningunas:ningún "
    "hábil:hábiles laborable:laborables",
    "hu": "nincsen:nincs nincsenek:nincs sem:nem se:nem ne:nem",
    "pl": "żadna:żaden żadne:żaden żadni:żaden żadnego:żaden żadnej:żaden żadnemu:żaden żadnym:żaden żadnych:żaden "
    "żadnymi:żaden żadną:żaden "
    "robocze:roboczych roboczy:roboczych roboczym:roboczych roboczego:roboczych roboczymi:roboczych",
}
"""Negations that say the same: the one on the left is taken for the one on the right."""

_CONTRARY = {
    "en": "unless except excepting excluding excluded excludes exclude unable refuse refuses refused refusal refusing "
    "deny denies denied lack lacks lacked lacking fail fails failed failing hardly barely scarcely rarely seldom "
    "instead prohibit prohibits prohibited forbid forbids forbidden",
    "sv": "förutom såvida undantag undantaget undantagen undantagna vägra vägrar vägras vägrade sakna saknar saknas "
    "saknade saknades förbjuden förbjudet förbjudna neka nekas istället",
    "de": "ausser ausgenommen ausgeschlossen ausschluss verboten untersagt statt anstatt stattdessen verweigert "
    "abgelehnt unmöglich",
    "fr": "sauf excepté hormis interdit interdite interdits interdites refus refusé refusée refusés refusées refuse "
    "refuser exclu exclue exclus exclues impossible hors",
    "es": "salvo excepto apenas prohibido prohibida prohibidos prohibidas imposible excluido excluida excluidos "
    "excluidas excluye excluyen rechaza rechazado rechazada rechazados rechazadas excepción",
    "hu": "kivéve kizárt kizárja kizárva hacsak aligha helyett megtagad* elutasít*",
    "pl": "oprócz poza chyba zamiast zabron* zakaz* wyklucz* odmaw* odmów* wyjątk*",
}
"""Words that turn a statement round without being a negation; they count where words are looked for apart. A star
stands for any ending."""

_QUALIFIERS = {
    "fr": "ouvré ouvrés ouvrable ouvrables",
    "es": "hábil hábiles laborable laborables",
    "pl": "robocz*",
}
"""Words that make another unit of the one before them (working days)."""

_HALVES = {
    "en": "and a half", "sv": "och en halv|och ett halvt", "es": "y medi[oa]", "fr": "et demie?", "pl": "i pół",
    "hu": "és fél",
}  # fmt: skip
"""What adds a half to the unit before it."""

HALF = "half "
"""What makes half of it where it stands before the article: half a year. Elsewhere the article stands first."""

HALVES = frozenset({"half", "halv", "halva", "halvt", "demi", "demie", "medio", "media", "fél", "pół"})
"""Words for a half that may stand before or after a unit with an article."""

_JOINED = {
    "en": r"\b(?:hundred|thousand|million|billion) and \w+$",
    "es": r"\b(?:treinta|\w+enta) y (?:un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)$",
    "fr": r"\bsoixante et onze$",
}
"""Where a word between two numbers makes one of them; elsewhere, as in "between ten and twenty", they are two."""

_MONEY = "sek nok dkk eur usd gbp chf pln huf czk cny jpy rmb kr kronor ft forint zł yen yuan euro euros"
CURRENCIES = frozenset(_MONEY.split())
"""Names of money that may stand before or after its number."""

_RATES = {
    "en": r"per \w+",
    "sv": r"per \w+|i (?:månad(?:en)?|år(?:et)?|dag(?:en)?|veckan?|timmen?)",
    "de": r"(?:pro|je) \w+",
    "fr": r"par (?:heure|jour|semaine|mois|an|année|trimestre|personne|utilisateur)",
    "es": r"(?:por|al|a la) (?:hora|día|semana|mes|trimestre|año|persona|usuario)",
    "pl": r"na (?:godzinę|dzień|tydzień|miesiąc|kwartał|rok|osobę)",
}
"""What something is paid or counted by: the two words stand together."""


class Lexicon(NamedTuple):
    """The tables of one language.

    Attributes:
        articles: words that need not be there.
        ones: articles that can be a number.
        numbers: words that are numbers.
        compound: matches a whole word that is a number put together of others; None where there are none.
        months: names of months.
        contrary: words that turn a statement round or make another unit.
        contrary_stems: what such words begin with.
        half: matches what adds a half to the unit before it; None where nothing does.
        changed: matches what makes more of the unit before it, or another unit; None where there is nothing.
        joined: matches at its end a number made of two with a word between; None where there are none.
        rate: matches two words that say what something is paid by; None where nothing does.
        forms: word -> the word it counts as.
        negations: the same for negations.
        apart: words that have another stem than the stemmer's -> that stem.
    """

    articles: frozenset[str]
    ones: frozenset[str]
    numbers: frozenset[str]
    compound: re.Pattern[str] | None
    months: frozenset[str]
    contrary: frozenset[str]
    contrary_stems: tuple[str, ...]
    half: re.Pattern[str] | None
    changed: re.Pattern[str] | None
    joined: re.Pattern[str] | None
    rate: re.Pattern[str] | None
    forms: dict[str, str]
    negations: dict[str, str]
    apart: dict[str, str]

    def is_number(self, word: str) -> bool:
        """Whether a word is a number."""
        return word in self.numbers or (self.compound is not None and self.compound.fullmatch(word) is not None)

    def is_contrary(self, word: str) -> bool:
        """Whether a word turns a statement round."""
        return word in self.contrary or word.startswith(self.contrary_stems)

    def changes_unit(self, text: str) -> bool:
        """Whether a text begins with what makes another unit of the one before it, or half a unit more."""
        return self.changed is not None and self.changed.match(text) is not None


def has_lexicon(language: str) -> bool:
    """Whether a language has these tables."""
    return language in _NUMBERS


@cache
def lexicon(language: str) -> Lexicon:
    """The tables of a language that has them."""
    qualifiers = _QUALIFIERS.get(language, "").split()
    contrary = [*_CONTRARY[language].split(), *qualifiers]
    changed = [_HALVES.get(language, ""), *(word.replace("*", r"\w*") for word in qualifiers)]
    return Lexicon(
        frozenset(_ARTICLES.get(language, "").split()),
        frozenset(_ONES.get(language, "").split()),
        frozenset(_NUMBERS[language].split()),
        _pattern(_COMPOUND_NUMBERS.get(language)),
        frozenset(_MONTHS[language].split()),
        frozenset(contrary),
        tuple(word[:-1] for word in contrary if word.endswith("*")),
        _pattern(rf"(?:{_HALVES[language]})(?!\w)" if language in _HALVES else None),
        _pattern(rf"(?:{'|'.join(filter(None, changed))})(?!\w)" if any(changed) else None),
        _pattern(_JOINED.get(language)),
        _pattern(_RATES.get(language)),
        _pairs(_FORMS[language]),
        _pairs(_NEGATIONS[language]),
        _apart(_APART[language]) if language in _APART else {},
    )


def _apart(written: str) -> dict[str, str]:
    """The forms of each word by a key that no stem is."""
    return {form: f"{words.split()[0]}=" for words in written.split("|") for form in words.split()}


def _pattern(written: str | None) -> re.Pattern[str] | None:
    return re.compile(written) if written is not None else None


def _pairs(written: str) -> dict[str, str]:
    return {pair.partition(":")[0]: pair.partition(":")[2] for pair in written.split()}
