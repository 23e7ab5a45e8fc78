"""The Action's image: its size over its base, and how long a container takes to its first line over plain Python.

Needs docker and the image ``rag-assay:dev`` (``make image``); says so and measures nothing where they are missing.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import time
from typing import NamedTuple

IMAGE = "rag-assay:dev"
BASE = "python:3.13-slim-trixie"
MAX_MEGABYTES = 200
MAX_SECONDS = 0.3
ROUNDS = 15

PLAIN = ("--entrypoint", "python", IMAGE, "-c", "print()")
MEASURED = {"--help": (IMAGE, "--help"), "a zone": (IMAGE, "action", "seal")}
"""A zone without input says so: its own modules are loaded by then."""


class Start(NamedTuple):
    """Median seconds from ``docker run`` to the first byte, over those of plain Python in the same rounds."""

    seconds: float
    over_plain: float


def docker(*arguments: str) -> str:
    """What docker says."""
    command = [str(shutil.which("docker")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def seconds_to_first_byte(*arguments: str) -> float:
    """How long a container takes until it says something."""
    command = [
        str(shutil.which("docker")), "run", "--rm", "--interactive", "--network", "none", "--read-only",
        "--cap-drop=ALL", "--tmpfs", "/work:mode=1777", *arguments,
    ]  # fmt: skip
    began = time.monotonic()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        said = running.stdout.read(1) if running.stdout else b""
        taken = time.monotonic() - began
    if not said:
        raise RuntimeError(f"{' '.join(arguments)} said nothing")
    return taken


def starts() -> dict[str, Start]:
    """Every command and plain Python in turn, so that a slow moment of the machine meets all of them."""
    plain: list[float] = []
    taken: dict[str, list[float]] = {name: [] for name in MEASURED}
    for _ in range(ROUNDS):
        plain.append(seconds_to_first_byte(*PLAIN))
        for name, arguments in MEASURED.items():
            taken[name].append(seconds_to_first_byte(*arguments))
    return {
        name: Start(
            statistics.median(found),
            statistics.median(mine - theirs for mine, theirs in zip(found, plain, strict=True)),
        )
        for name, found in taken.items()
    }


def is_there() -> bool:
    """Whether the image can be run on this machine."""
    found = shutil.which("docker")
    if found is None:
        return False
    return subprocess.run([found, "image", "inspect", IMAGE], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Print what was measured."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    if not is_there():
        print(f"skipped: there is no docker that has {IMAGE} (make image)")
        return
    size, base = (int(docker("image", "inspect", "--format", "{{.Size}}", name)) for name in (IMAGE, BASE))
    print(f"size: {size / 1e6:.0f} MB, {(size - base) / 1e6:.0f} MB over {BASE} (budget {MAX_MEGABYTES})")
    for name, start in starts().items():
        print(f"{name}: first line after {start.seconds:.2f} s, {start.over_plain:+.3f} s over plain Python")
    print(f"budget: --help below {MAX_SECONDS} s over plain Python")


if __name__ == "__main__":
    main()
