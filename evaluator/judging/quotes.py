"""Whether a quote stands in a text, where white space, case, typography and marks of layout do not count."""

from __future__ import annotations

import functools
import re
import unicodedata

_KEPT = re.compile(
    r"[^\W_]+|(?<=\d)[.,:/-](?=\d)|(?<!\w)[-+](?=\d)|[%‰°=<>≤≥≠±×÷$€£¥§](?=\s*\w)|(?<=\w)\s*[%‰°$€£¥]|[=<>≤≥≠±×÷]"
)
_WHITE = re.compile(r"\s+")


def occurs(quote: str, text: str) -> bool:
    """Whether the letters, digits and signs of a quote stand in a row in a text; never of one that has none."""
    wanted = common(quote)
    return bool(wanted) and wanted in common(text)


@functools.lru_cache(maxsize=256)
def common(text: str) -> str:
    """A text without what typesetting changes: its letters and digits, and the signs that belong to a number."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2212", "-")
    return _WHITE.sub("", "".join(_KEPT.findall(plain)))
