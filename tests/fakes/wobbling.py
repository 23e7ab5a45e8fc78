"""A scripted judge that changes its mind: about claims that hold the word Wobbly, the third time it is asked.

Of answers that hold the word Garbled it says nothing that can be read.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.fakes.llm_brain import Asked, literal

if TYPE_CHECKING:
    from evaluator.model.judge import JudgeRequest

MODEL = "tests.fakes.wobbling:reply"
TURN = 3
asked_about: Counter[str] = Counter()


def reply(request: JudgeRequest) -> dict[str, Any] | str:
    """As ``literal``, but for that."""
    text = "\n".join(block.text for block in request.blocks)
    if "Garbled" in text:
        return "no JSON"
    asked = Asked(request.name, request.system, text, dict(request.schema), MODEL)
    found = literal(asked)
    if request.name == "context" and any("Wobbly" in claim for claim in asked.listed("claims").values()):
        question = asked.blocks["question"]
        asked_about[question] += 1
        if asked_about[question] == TURN:
            for claim in found["claims"]:
                claim.update(verdict="unsupported", quote=None, chunks=[])
    return found
