"""A writer that is killed at any point leaves the whole old file or the whole new one."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHUNKS = 5
STEPS = CHUNKS + 2
"""Before the file is opened, after each chunk, and after it took its place."""

WRITER = f"""
import sys
from pathlib import Path
from evaluator.stores.atomic import atomic_file

path, free_after = Path(sys.argv[1]), int(sys.argv[2])
step = 0

def reached():
    global step
    step += 1
    sys.stdout.write(".")
    sys.stdout.flush()
    if step <= free_after:
        sys.stdin.read(1)

generation = 0
while True:
    generation += 1
    reached()
    with atomic_file(path) as file:
        for _ in range({CHUNKS}):
            file.write(b"%d\\n" % generation * 20_000)
            file.flush()
            reached()
    reached()
"""

POINTS = random.Random(2).sample(range(1, 6 * STEPS), 20)  # noqa: S311 - chosen once, the same ones for ever


def content(generation: int) -> bytes:
    """What the writer writes as its n-th file."""
    return b"%d\n" % generation * 20_000 * CHUNKS


def kill_at(path: Path, point: int, *, free: bool) -> None:
    """Let a writer go on to a point and kill it there: while it waits, or just after it was let go for good."""
    command = [sys.executable, "-c", WRITER, str(path), str(point - 1 if free else 10**9)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for step in range(1, point + 1):
            assert writer.stdout.read(1) == b"."
            if step < point:
                writer.stdin.write(b".")
        writer.kill()
    assert writer.returncode == -signal.SIGKILL


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_it_waits_at_a_point(tmp_path: Path, point: int) -> None:
    """Between any two steps of writing, exactly the last file that was finished is there."""
    path = tmp_path / "file"
    kill_at(path, point, free=False)
    finished = point // STEPS
    assert (path.read_bytes() if path.exists() else b"") == (content(finished) if finished else b"")


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_it_writes(tmp_path: Path, point: int) -> None:
    """Wherever a running writer is when it dies, one whole file is there, and none older than was finished."""
    path = tmp_path / "file"
    path.write_bytes(content(0))
    kill_at(path, point, free=True)
    found = path.read_bytes()
    generation = int(found.partition(b"\n")[0])
    assert found == content(generation)
    assert generation >= point // STEPS
