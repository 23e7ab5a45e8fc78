"""Answers of which no judge need be asked whether they abstain, or whether they are the reference."""

from __future__ import annotations

import functools
import re
import unicodedata

_APART = re.compile(r"[\W_]+")
_APOLOGIES = {
    "en": "sorry|im sorry|i am sorry|im afraid|unfortunately|apologies",
    "sv": "tyvärr|förlåt|ledsen|jag är ledsen|jag beklagar|beklagar",
    "hu": "sajnos|sajnálom|elnézést|bocsánat",
    "pl": "niestety|przepraszam|przykro mi",
    "zh": "抱歉|很抱歉|非常抱歉|对不起|對不起|不好意思",
    "de": "leider|tut mir leid|es tut mir leid|entschuldigung",
}
_PHRASES = {
    "en": (
        "i dont know|i do not know|i dont know the answer|i do not know the answer|i dont know that"
        "|i cannot answer that|i cant answer that|i cannot answer this question"
        "|i cant answer this question|i cannot answer the question|i cant answer the question"
        "|i cannot answer that question|i cant answer that question|i cannot help with that"
        "|i cant help with that|i cant help you with that|i cannot help you with that"
        "|i dont have that information|i do not have that information|i dont have information about that"
        "|i dont have an answer|no answer found|i could not find an answer|i couldnt find an answer"
        "|i could not find the answer|i couldnt find the answer|but i dont know|but i do not know"
        "|but i cant help with that|but i cannot help with that|but i cant answer that"
        "|but i cannot answer that|but i cant answer that question|but i cannot answer that question"
    ),
    "sv": (
        "jag vet inte|det vet jag inte|vet inte|jag kan inte svara på det|jag kan inte svara på frågan"
        "|det kan jag inte svara på|jag kan inte besvara frågan|jag kan inte hjälpa till med det"
        "|jag kan inte hjälpa dig med det|jag har inte den informationen|den informationen har jag inte"
        "|jag hittade inget svar|jag kunde inte hitta något svar|vet jag inte|kan jag inte svara på det"
        "|kan jag inte hjälpa till med det"
    ),
    "hu": (
        "nem tudom|nem tudom a választ|nem tudok válaszolni|erre nem tudok válaszolni"
        "|erre a kérdésre nem tudok válaszolni|nem tudok erre válaszolni|ezt nem tudom"
        "|ebben nem tudok segíteni|nem tudok ebben segíteni|nincs erről információm"
        "|erről nincs információm|nem találtam választ|nem találtam választ a kérdésre"
    ),
    "pl": (
        "nie wiem|nie znam odpowiedzi|nie potrafię odpowiedzieć|nie mogę odpowiedzieć"
        "|nie mogę odpowiedzieć na to pytanie|nie potrafię odpowiedzieć na to pytanie"
        "|nie mogę w tym pomóc|nie mogę ci w tym pomóc|nie mam takich informacji|nie mam tej informacji"
        "|nie znalazłem odpowiedzi|nie znalazłam odpowiedzi|nie znaleziono odpowiedzi|tego nie wiem"
    ),
    "zh": (
        "我不知道|不知道|我不清楚|我不知道答案|我无法回答|我无法回答这个问题|我不能回答这个问题|无法回答|无法回答这个问题|我没有相关信息|没有找到答案|未找到答案|我没有找到答案"
        "|我无法提供帮助|我帮不了您|我帮不了你|我不知道這個問題的答案|我無法回答|我無法回答這個問題|無法回答|沒有找到答案|我沒有相關資訊"
    ),
    "de": (
        "ich weiß es nicht|das weiß ich nicht|weiß ich nicht|ich weiß das nicht"
        "|ich kann das nicht beantworten|das kann ich nicht beantworten"
        "|ich kann diese frage nicht beantworten|ich kann die frage nicht beantworten"
        "|dabei kann ich nicht helfen|damit kann ich nicht helfen|dabei kann ich ihnen nicht helfen"
        "|dazu habe ich keine informationen|dazu liegen mir keine informationen vor"
        "|ich habe keine antwort gefunden|kann ich das nicht beantworten"
        "|kann ich diese frage nicht beantworten"
    ),
}
"""Whole answers that abstain whatever the question is; a phrase that could answer one ("none", "no") is not here."""


def is_sure(answer: str, language: str) -> bool:
    """Whether a whole answer is a stock phrase of not answering, in its language or in English."""
    plain = _plain(answer)
    spoken = {language.lower().partition("-")[0], "en"} & _PHRASES.keys()
    return any(_stock(each).fullmatch(plain) for each in spoken)


@functools.cache
def _stock(language: str) -> re.Pattern[str]:
    sorries, phrases = ("|".join(map(_plain, table[language].split("|"))) for table in (_APOLOGIES, _PHRASES))
    return re.compile(rf"(?:{sorries}){{0,2}}(?:{phrases})")


def _plain(text: str) -> str:
    return _APART.sub("", unicodedata.normalize("NFKC", text).casefold())


def is_same(answer: str, reference: str) -> bool:
    """Whether two texts are the same but for white space, case and how their characters are composed."""
    return _collapsed(answer) == _collapsed(reference) != ""


def _collapsed(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).split()).casefold())
