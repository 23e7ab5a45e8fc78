"""How a peer is run in its own environment: one metric after the other, each when it is told to.

``ask_ragas.py`` and ``ask_deepeval.py`` read a ``Work`` from the first line of standard input. For each metric they
print a JSON object with its name and values, and go on at the next line. Nothing here needs more than Python.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOOPBACK = ("127.0.0.1", "::1", "localhost")
MODEL = "gpt-4o-2024-11-20"
KEY = "any"


class Work(NamedTuple):
    """What a peer has to do.

    Attributes:
        url: of the model, as OpenAI's clients take it.
        cases: with question, answer, reference and contexts.
        cached: whether it shall use a cache of its own, kept in the working directory.
    """

    url: str
    cases: list[dict[str, Any]]
    cached: bool


def stay_here() -> None:
    """Refuse every connection but those to this machine, for the rest of the process."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        host = None
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host = arguments[1][0]
        elif event == "socket.getaddrinfo":
            host = arguments[0]
        if host is not None and host not in LOOPBACK:
            raise OSError(f"{host} is not this machine")

    sys.addaudithook(refuse)


def begin() -> tuple[Work, Callable[[str, Sequence[float | None]], None]]:
    """What is to be done, and a function that tells the values of a metric and waits to be told to go on.

    Everything else that is printed goes to standard error.
    """
    stay_here()
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(metric: str, values: Sequence[float | None]) -> None:
        print(json.dumps({"metric": metric, "values": list(values)}), file=told, flush=True)
        sys.stdin.readline()

    return Work(**json.loads(sys.stdin.readline())), tell
