"""Requests to judges for tests, and judges at the fake server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import judges
from evaluator.model.judge import Block, JudgeRequest, JudgeSetting
from tests.fakes.llm_server import KEY

if TYPE_CHECKING:
    from evaluator.model.judge import Judge
    from tests.fakes.llm_server import LlmServer

OPEN: list[Judge] = []
"""Judges that a fixture closes at the end of the test."""
TOKEN = "0123456789abcdef"  # noqa: S105 - it fences, and is no secret
CLAIM = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "verdict": {"type": "string", "enum": ["supported", "unsupported", "unclear"]},
        "quote": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["id", "verdict", "quote"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": CLAIM}},
    "required": ["claims"],
    "additionalProperties": False,
}
REPLY = '{"claims": [{"id": "s1.1", "verdict": "supported", "quote": "Returns are free within 30 days"}]}'
"""What the fake replies to ``request()``."""


def fence(name: str, text: str) -> str:
    """A block of data as prompts lay it out."""
    return f"<<{TOKEN} {name}>>\n{text}\n<<{TOKEN} end>>"


def request(**changes: Any) -> JudgeRequest:
    """A question about one chunk and one claim."""
    blocks = (
        Block(fence("chunk c1", "Returns are free within 30 days."), cached=True),
        Block(fence("claims", '{"id": "s1.1", "text": "Returns are free."}')),
        Block("The data ends here.\n- claims: s1.1"),
    )
    return JudgeRequest("context", "You check claims.", blocks, SCHEMA, 500)._replace(**changes)


def judge(kind: str, server: LlmServer, model: str, **changes: Any) -> Judge:
    """A provider's judge at the fake server."""
    url = server.url if kind == "anthropic" else server.openai_url
    found = judges.kind(kind).open(JudgeSetting(model, KEY, url, 0)._replace(**changes))
    OPEN.append(found)
    return found
