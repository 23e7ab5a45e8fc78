"""How many tokens a text is, about: for what a call may cost at most, and whether a model takes it at once.

An approximation, stated so that it can be judged: four characters of plain Latin text to a token, two of other
alphabets and of Latin letters with marks, one of scripts written without spaces, two digits. It is on the high side of
what today's tokenizers need for all of these, and far on the low side for none.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from evaluator.model.base import to_json

if TYPE_CHECKING:
    from evaluator.model.judge import JudgeRequest

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff01-\uffef\U00010000-\U0003ffff]"
)
_DENSE = re.compile(r"[0-9{}\[\]\":,.;!?()<>/\\|*#=_-]")

MESSAGE = 16
"""Tokens of a message beside its text."""


def estimate(text: str) -> int:
    """About how many tokens a text is."""
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    other = 0 if text.isascii() else sum(character > "\x7f" for character in text) - unspaced
    dense = len(_DENSE.findall(text))
    plain = len(text) - unspaced - other - dense
    return math.ceil(unspaced + (other + dense) / 2 + plain / 4)


def of_request(request: JudgeRequest) -> int:
    """About how many tokens a judge reads for a request, its schema included."""
    schema = estimate(to_json(request.schema).decode())
    return estimate(request.system) + sum(estimate(each.text) for each in request.blocks) + schema + MESSAGE
