"""Whether a few words stand under a negation: a word list per language, looked for near them in their sentence."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import NamedTuple

from evaluator.metrics._denials import unasked
from evaluator.metrics._normal import subtag
from evaluator.metrics._scripts import count_unspaced

NEAR_WORDS = 3
"""How many words before and after are looked at, and how many an alternative may have to be looked at like this."""

REACH = 160
"""Characters that are enough for so many words."""

_WORD = r"[^\W_]+(?:'[^\W_]+)*"
WORD = re.compile(_WORD)
_END = re.compile(r"[\n!?。]|\.(?=[\s\"')\]]|$)")
_LAST_WORD = re.compile(r"[^\W_]+$")
_ASIDE = r"(?:, [^,]{1,60},| \([^()]{1,60}\)| - [^-]{1,60} -) $"
"""What is put in between: "not, under any circumstances, refundable"."""
_DIGIT_FOLLOWS = r"\. ?\d"
_SIGN_FOLLOWS = r"\. ?(?:\d|$)"


class _Spaced(NamedTuple):
    """Negations of a language with spaces between its words, and what is read as one of its words."""

    words: re.Pattern[str]
    token: re.Pattern[str]

    def near(self, before: str, after: str) -> bool:
        """Whether one is among the nearest words, or right before an aside."""
        nearest = list(self.token.finditer(before))[-NEAR_WORDS:]
        aside = re.search(_ASIDE, before)
        if aside is not None:
            nearest += list(self.token.finditer(before, 0, aside.start()))[-1:]
        behind = islice(self.token.finditer(after), NEAR_WORDS)
        return any(map(self._denies, nearest)) or any(self._denies(word, _DIGIT_FOLLOWS) for word in behind)

    def inside(self, text: str) -> bool:
        """Whether a text holds one."""
        return any(map(self._denies, self.token.finditer(text)))

    def denies(self, word: str) -> bool:
        """Whether a word is one."""
        return self.words.fullmatch(word) is not None

    def _denies(self, word: re.Match[str], sign: str = _SIGN_FOLLOWS) -> bool:
        """English "no. 5" counts rather than denies."""
        counts = word[0] == "no" and re.match(sign, word.string[word.end() :]) is not None
        return not counts and self.denies(word[0])


class _Unspaced(NamedTuple):
    """Negations of a language without spaces: looked for within six characters before, and some more after."""

    forms: re.Pattern[str]
    prefixes: str
    neutral: re.Pattern[str]
    reach_after: int

    def near(self, before: str, after: str) -> bool:
        """Whether one is within reach."""
        prefixed = before != "" and before[-1] in self.prefixes
        before, after = self.neutral.sub("-", before)[-2 * NEAR_WORDS :], self.neutral.sub("-", after)
        return prefixed or any(self.forms.search(part) for part in (before, after[: self.reach_after]))

    def inside(self, text: str) -> bool:
        """Whether a text holds one."""
        rest = self.neutral.sub("-", text)
        return self.forms.search(rest) is not None or any(prefix in rest for prefix in self.prefixes)


_WORDS = {
    "en": r"no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|non|\w+n't|(?:ai|ca|do|does|is|wo)nt"
    r"|prohibited|forbidden",
    "sv": r"inte|icke|ej|aldrig|ingen|inget|inga|ingenting|ingenstans|utan|varken|knappast|knappt"
    r"|ingalunda|nej|förbjud(?:en|et|na)",
    "de": r"nicht|nichts|nie|niemals|niemand(?:e[mns])?|nirgends|nirgendwo|kein(?:e[mnrs]?|erlei|esfalls|eswegs)?"
    r"|weder|ohne|kaum|mitnichten|nein|verboten\w{0,2}|untersagt",
    "fr": r"ne|non|pas|jamais|aucune?s?|nul(?:le)?s?|nullement|ni|sans|rien|guère|n'\w*"
    r"|aucunement|interdite?s?",
    "es": r"no|nunca|jamás|ning(?:ún|uno|una|unos|unas)|ni|sin|nada|nadie|tampoco"
    r"|prohibid[oa]s?",
    "pl": r"nie|nigdy|nigdzie|nikt|nikogo|nikomu|nic|niczego|ani|bez|brak|brakuje"
    r"|bynajmniej|zabronion\w{1,3}|zakazan\w{1,3}|zabrania|żad(?:en|na|ne|ni|nego|nej|nemu|nym|nych|nymi|ną)",
    "hu": r"nem|ne|sem|se|nincs(?:en)?|nincsenek|soha|sohasem|sose|sehol|senki\w{0,4}|semmi\w{0,4}|nélkül|anélkül"
    r"|tilos",
}
_SEVERAL = {
    "en": r"\b(?:anything but|far from being)\b|\b(?:un|semi|bi|quasi|pseudo)-(?!\W)",
    "sv": r"\ballt annat än\b",
    "de": r"\balles andere als\b|\bun-(?!\W)",
    "fr": r"\b(?:tout sauf|loin d'être)\b",
    "es": r"\b(?:todo menos|lejos de ser)\b",
}
"""Negations of several words, and syllables that deny: each is read as one word."""
_DENIED = (
    "無い|無く|無かっ|ない|なく|なかっ|なけれ|なし|ません|せず|できず|られず|ずに|かね(?:ます|る)|不可|不能|不要|無効|対象外|お断り|いいえ"
    "|禁止|(?<=[かがさたなばまらわきぎしちにびみりけげせてねべめれ])ず(?=[、,。]|$)"
)
_FORMS = {
    "zh": (
        "[不没沒无無非未勿莫别別]|禁止|[严嚴]禁|谢[绝絕]|謝絕|(?:停止|[暂暫]停|[终終]止)(?![后後前时時的])|拒[绝絕]|免[于於收除]",
        "免",
        6,
    ),
    "ja": (
        _DENIED,
        "不無非未",
        12,
    ),
}
"""Negations anywhere near, those that count directly before only, and how far after one is looked for."""

_NEUTRAL = {
    "zh": "非常|非洲|未[来來]|不[仅僅但过過论論管同断斷]|[无無][论論线線]|[是能可]否"
    "|[特分個个区區][别別]|[别別]的|免[费費]",
    "ja": "(?:なければ|なくては)(?:なら|いけ)(?:ない|ません)|少な[いく]|かもしれ(?:ない|ません)|だけ[でじ]ゃ?なく"
    "|必ず|まず|無料|無事|無線|非常|未[来満]|不可欠",
}
"""Words that only look like a negation."""
_ABBREVIATIONS = {
    "en": "approx art cf co corp dept dr eq etc est fig figs gen gov hon inc jr ltd max min mr mrs ms no nos pp prof "
    "ref resp rev sec sgt sr st tel vol vs",
    "sv": "bl ca dvs ev fr ggr inkl exkl kl kr max min mån nr resp st tel tex tom vd",
    "de": "abs art bzgl bzw ca dr evtl exkl ggf inkl max min mio mrd nr prof sog st str tel usw vgl zzgl",
    "fr": "art cf dr env etc ex fig max min mm mme nb no réf st ste tél vol",
    "es": "art dr dra ej etc fig máx mín núm pág sr sra sta tel vol",
    "pl": "al art dr godz im inż itd itp max min mln mld np nr ok pkt por prof ref str św tel tj tys tzn tzw ul "
    "ust zob",
    "hu": "dr ill ifj kb kft krt max min pl sz stb szt tel ti ún vö zrt",
}


@cache
def _rules(language: str) -> _Spaced | _Unspaced | None:
    if language in _WORDS:
        several = several_words(language)
        return _Spaced(re.compile(f"{_WORDS[language]}|{several}"), re.compile(f"{several}|{_WORD}"))
    if language not in _FORMS:
        return None
    forms, prefixes, reach_after = _FORMS[language]
    return _Unspaced(re.compile(forms), prefixes, re.compile(_NEUTRAL[language]), reach_after)


@cache
def _abbreviations(language: str) -> frozenset[str]:
    return frozenset(_ABBREVIATIONS.get(language, "").split())


def is_known(language: str) -> bool:
    """Whether the negations of a language are known."""
    return _rules(subtag(language)) is not None


def holds_negation(text: str, language: str) -> bool:
    """Whether a text in its common form holds a negation; in a language without a word list none does."""
    rules = _rules(subtag(language))
    return rules is not None and rules.inside(text)


def has_few_words(text: str) -> bool:
    """Whether a text has at most three words; where no spaces part them, two characters make one."""
    if text.isascii():
        return sum(1 for _ in islice(WORD.finditer(text), NEAR_WORDS + 1)) <= NEAR_WORDS
    spaced = sum(count_unspaced(word) < len(word) for word in WORD.findall(text))
    return spaced + (count_unspaced(text) + 1) // 2 <= NEAR_WORDS


def is_negated(lines: str, start: int, end: int, language: str) -> bool:
    """Whether a negation is near what stands from start to end of a text in its common form.

    In a language without a word list none is.
    """
    tag = subtag(language)
    rules = _rules(tag)
    before, after = lines[max(0, start - REACH) : start], unasked(lines[end : end + REACH], tag)
    if _END.match(lines, end - 1):
        after = ""
    ends = [found.end() for found in _END.finditer(before) if _ends_sentence(before, found, tag)]
    until = next((found.start() for found in _END.finditer(after) if _ends_sentence(after, found, tag)), None)
    return rules is not None and rules.near(before[ends[-1] if ends else 0 :], after[:until])


def _ends_sentence(text: str, found: re.Match[str], language: str) -> bool:
    """A point does not end a sentence after one letter ("e.g.") or a common abbreviation."""
    last = _LAST_WORD.search(text[: found.start()])
    if found[0] != "." or last is None:
        return True
    return not is_abbreviation(last[0], language)


def is_negation(word: str, language: str) -> bool:
    """Whether a word of a language with spaces denies something."""
    rules = _rules(language)
    return isinstance(rules, _Spaced) and rules.denies(word)


def several_words(language: str) -> str:
    """A pattern for what denies and is read as one word of a language with spaces, though it is none."""
    return _SEVERAL.get(language, "(?!)")


def negations_of(text: str, language: str) -> list[tuple[int, int]]:
    """Where the negations of a text without spaces start and end; words that only look like one left out."""
    rules = _rules(language)
    if not isinstance(rules, _Unspaced):
        return []
    rest = rules.neutral.sub(lambda found: "-" * len(found[0]), text)
    found = [match.span() for match in rules.forms.finditer(rest)]
    return sorted({*found, *((place, place + 1) for place, each in enumerate(rest) if each in rules.prefixes)})


def is_abbreviation(word: str, language: str) -> bool:
    """Whether a point after a word belongs to it: one letter, or a common abbreviation."""
    return (len(word) == 1 and word.isalpha()) or word in _abbreviations(language)
