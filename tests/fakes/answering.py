"""Stands in for a user's command: answers JSON lines rightly, oddly or not at all, as the question says."""

# What it prints is what it is for.

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

BANNER = """Loading the index ...
{ port: 8000 }
[1, 2]
{"level": "info"}"""


def main() -> None:
    """Answer line after line."""
    if "--banner" in sys.argv:
        print(BANNER, flush=True)
    if "--dead" in sys.argv:
        sys.exit("no index here")
    print("ready", file=sys.stderr, flush=True)
    for count, line in enumerate(sys.stdin, 1):
        request = json.loads(line)
        ODD.get(request["question"], answer)(request, count)


def answer(request: dict[str, Any], count: int) -> None:
    """The usual answer."""
    say({"id": request["id"], "retrieved": [{"id": "a", "score": 1.0}], "answer": f"{os.getpid()} {count}"})


def say(value: Any) -> None:
    """Write one line."""
    print(value if isinstance(value, str) else json.dumps(value), flush=True)


def noise(request: dict[str, Any], count: int) -> None:
    """Think aloud before answering."""
    say("")
    say("thinking")
    answer(request, count)


def die(_request: dict[str, Any], _count: int) -> None:
    """End in the middle of a question."""
    print("Traceback: the index\nOutOfCoffee: no more", file=sys.stderr, flush=True)
    os._exit(7)


def twice(request: dict[str, Any], count: int) -> None:
    """Answer once too often."""
    answer(request, count)
    answer(request, count)


def reply_and_die(request: dict[str, Any], count: int) -> None:
    """Answer and end."""
    answer(request, count)
    os._exit(0)


def close_output(_request: dict[str, Any], _count: int) -> None:
    """Stop talking, but do not end."""
    os.close(1)
    os.close(2)
    while True:
        time.sleep(1000)


def endless_line(_request: dict[str, Any], _count: int) -> None:
    """Write a line that never ends."""
    while True:
        os.write(1, b'{"id": "' + b"x" * 65536)


def endless_noise(_request: dict[str, Any], _count: int) -> None:
    """Write lines that are no reply, without end and as fast as they are taken."""
    while True:
        os.write(1, b"thinking\n" * 5000)


def answer_and_talk_on(request: dict[str, Any], count: int) -> None:
    """Answer, then never stop writing."""
    answer(request, count)
    endless_noise(request, count)


ODD = {
    "answer and talk on": answer_and_talk_on,
    "endless noise": endless_noise,
    "noise": noise,
    "die": die,
    "twice": twice,
    "reply and die": reply_and_die,
    "close output": close_output,
    "endless line": endless_line,
    "hang": lambda *_: time.sleep(1000),
    "error": lambda request, _: say({"id": request["id"], "error": "no luck\ntoday"}),
    "error object": lambda request, _: say({"id": request["id"], "error": {"code": 5}}),
    "no error": lambda request, _: say({"id": request["id"], "error": None, "answer": "yes"}),
    "other id": lambda *_: say({"id": "another", "answer": "yes"}),
    "no id": lambda *_: say({"answer": "yes"}),
    "number id": lambda request, _: say({"id": int(request["id"]), "answer": "yes"}),
    "half a pair": lambda request, _: say('{"id": "' + request["id"] + '", "answer": "\\ud800"}'),
    "torn": lambda request, _: say('{"id": "' + request["id"] + '", "answer": '),
    "nan": lambda request, _: say('{"id": "' + request["id"] + '", "retrieved": [{"id": "a", "score": NaN}]}'),
    "environment": lambda request, _: say({"id": request["id"], "answer": " ".join(sorted(os.environ))}),
    "request": lambda request, _: say({"id": request["id"], "answer": json.dumps(request)}),
}

if __name__ == "__main__":
    main()
