"""Whether a text is a refusal to judge, in the languages we have prompts in, and in German."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 200
"""Characters within which a refusal shows itself; a longer text says more than that."""

_HELP = (
    "help|assist|comply|do that|provide|answer|judge|evaluat|assess|rate|fulfil|engage|continue|discuss|process|grade"
)
_PATTERNS = (
    rf"\bi(?:'m| am)? (?:can'?t|can ?not|won'?t|will not|unable to|not able to|not comfortable) ?.{{0,20}}(?:{_HELP})",
    r"\bi (?:must |have to |need to )?(?:decline|refuse) to\b|\bi (?:must|have to) (?:decline|refuse)\b",
    (
        r"\bjag (?:kan|får|vill|tänker|måste) (?:tyvärr |därför )?"
        r"(?:inte (?:hjälpa|besvara|svara på|bedöma|bistå|göra|utföra|uppfylla|fortsätta)|avböja|avstå)"
    ),
    (
        r"\b(?:(?:ebben|erre|ezt) )?(?:nem tudok|nem áll módomban|nem vagyok képes|nem fogok|nem szeretnék)\b.{0,30}"
        r"\b(?:segíteni|válaszolni|megválaszolni|értékelni|megítélni|teljesíteni|eleget tenni)"
        r"|\b(?:(?:ebben|erre|ezt) )?nem (?:segíthetek|válaszolhatok|értékelhetem|ítélhetem|teljesíthetem)"
    ),
    (
        r"\bnie (?:mogę|jestem w stanie|będę mógł|będę mogła|zamierzam) (?:\w+ ){0,3}"
        r"(?:pomóc|odpowiedzieć|odpowiadać|ocenić|oceniać|spełnić|wykonać|udzielić)|\bmuszę odmówić"
    ),
    (
        "我(?![们們]).{0,6}(?:不能|无法|無法|不可以|不便|拒绝|拒絕).{0,10}"
        "(?:帮助|幫助|协助|協助|帮忙|幫忙|回答|作答|评估|評估|评判|評判|判断|判斷|满足|滿足|处理这|處理這|继续|繼續)"
    ),
    (
        r"(?:\bich (?:kann|darf|werde|möchte)|\b(?:kann|darf|werde|möchte) ich) (?:\w+ ){0,5}nicht (?:\w+ ){0,3}"
        r"(?:helfen|weiterhelfen|beantworten|antworten|bewerten|beurteilen|erfüllen|nachkommen|unterstützen)"
    ),
)
_REFUSAL = re.compile("|".join(_PATTERNS), re.DOTALL)
_APOLOGY = re.compile(
    r"(?:[\s,.;:!，。、]|\b(?:i'm (?:so |very )?sorry|i am (?:so |very )?sorry|sorry|but|apologies|unfortunately|"
    r"tyvärr|förlåt|jag beklagar|beklagar|men|sajnálom|sajnos|elnézést|de|przykro mi|przepraszam|niestety|ale|leider|"
    r"es tut mir leid|tut mir leid|aber)\b|非常|很|抱歉|对不起|對不起|但是?)+"
)


def _plain(text: str, longest: int | None = _LONGEST) -> str:
    return unicodedata.normalize("NFKC", text[:longest]).casefold().replace("\u2019", "'")


def declines(text: str) -> bool:
    """Whether a text that should hold a judgement declines to give one."""
    return _REFUSAL.search(_plain(text)) is not None


def holds_one(judged: str) -> bool:
    """Whether a text that is judged speaks as a refusal does anywhere, so that what is taken from it may too."""
    return _REFUSAL.search(_plain(judged, None)) is not None


def is_only_a_refusal(reason: str) -> bool:
    """Whether a reason is nothing but a refusal: under a forced schema, that is where one ends up.

    It may speak of refusals, as where an answer is one: then it begins otherwise, or quotes.
    """
    if len(reason) > _LONGEST:
        return False
    text = _plain(reason)
    apology = _APOLOGY.match(text)
    return _REFUSAL.match(text, apology.end() if apology else 0) is not None
