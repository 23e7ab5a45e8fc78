"""A provider of models in a process of its own, which counts what it is asked.

    python benchmarks/support/counting.py TEXTS

Prints its address. TEXTS is a JSON list of texts to look for. For each line on standard input it prints what was asked
since the line before, a ``Counted`` as JSON; it serves until its standard input ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.support.obedient import obey
from tests.fakes.llm_server import Call, LlmServer
from tests.fakes.llm_wires import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Counted(NamedTuple):
    """What was asked.

    Attributes:
        calls: to the model, by the name of the schema asked for (empty where none has a name).
        failed: of them, those that were answered with an error.
        embeddings: calls that embed texts.
        read: tokens of all messages and schemas, and of the texts embedded.
        written: tokens of all replies.
        sent: how often the texts looked for were sent to the model, all in all.
    """

    calls: dict[str, int]
    failed: int
    embeddings: int
    read: int
    written: int
    sent: int

    @property
    def asked(self) -> int:
        """Calls to the model."""
        return sum(self.calls.values())


def spellings(text: str) -> set[str]:
    """A text as it may stand in a prompt: as it is, in JSON, in JSON of ASCII alone, in a list as Python shows it."""
    bare = text.strip()
    return {bare, json.dumps(bare)[1:-1], json.dumps(bare, ensure_ascii=False)[1:-1], repr(bare)[1:-1]}


def message_text(body: dict[str, Any]) -> str:
    """All that the messages of a chat say."""
    contents = [each["content"] for each in body["messages"]]
    return "\n".join(
        each if isinstance(each, str) else "\n".join(part.get("text", "") for part in each) for each in contents
    )


def asked_schema(body: dict[str, Any]) -> dict[str, Any]:
    """What says the form of the reply beside the messages: its name and the schema."""
    return body.get("response_format", {}).get("json_schema", {})


def counted(calls: Sequence[Call], texts: Sequence[str]) -> Counted:
    """What was asked in some calls."""
    chats = [call for call in calls if call.path.endswith("/chat/completions")]
    read = sum(call.read for call in calls)
    said = [message_text(call.body) for call in chats]
    schemas = [asked_schema(call.body) for call in chats]
    return Counted(
        calls=dict(Counter(each.get("name", "") for each in schemas)),
        failed=sum(call.status != 200 for call in calls),  # noqa: PLR2004 - HTTP's OK
        embeddings=len(calls) - len(chats),
        read=read + sum(tokens(json.dumps(each["schema"])) for each in schemas if "schema" in each),
        written=sum(call.written for call in calls),
        sent=sum(one.count(spelt) for text in texts for spelt in spellings(text) for one in said),
    )


class Server(NamedTuple):
    """The address, as OpenAI's clients take it, and a function that says what was asked since its last call."""

    url: str
    since: Callable[[], Counted]


@contextmanager
def counting(texts: Sequence[str], folder: Path) -> Iterator[Server]:
    """The server, in a process of its own, that looks for these texts; the folder is for its files."""
    file = folder / "texts.json"
    file.write_text(json.dumps(list(texts)))
    command = [sys.executable, __file__, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        told, said = server.stdin, server.stdout
        if told is None or said is None:
            raise SystemExit("the counting server has no pipes")

        def since() -> Counted:
            told.write("\n")
            told.flush()
            return Counted(**json.loads(said.readline()))

        yield Server(f"{said.readline().strip()}/v1", since)
        told.close()


def main() -> None:
    """Serve, and count when asked to."""
    texts = set(json.loads(Path(sys.argv[1]).read_text()))
    with LlmServer(brain=obey, keys=None) as server:
        print(server.url, flush=True)
        seen = 0
        for _ in sys.stdin:
            calls, seen = server.calls[seen:], len(server.calls)
            print(json.dumps(counted(calls, sorted(texts))._asdict()), flush=True)


if __name__ == "__main__":
    main()
