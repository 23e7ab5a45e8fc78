"""The judge's cache with several real processes, some of them killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from evaluator.judging import cache_file
from evaluator.judging.cache import Cache, Entry, derive
from evaluator.model.judge import TokenUsage

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from pathlib import Path
from evaluator.judging.cache import Cache, Entry, derive
from evaluator.model.judge import TokenUsage

file, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
cache = Cache(file, derive("key"), lambda: 0.0, lambda line: print("!" + line, flush=True))
for number in range(count):
    text = f"{name} {number} " + "x" * 2000
    cache.put(f"{name} {number}".encode().ljust(32), Entry("claims", text, "stop", "m", TokenUsage(1, 1), (), 0.0))
    print(number, flush=True)
cache.close()
"""


def start(file: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A process that writes so many entries and says each number when it is kept."""
    command = [sys.executable, "-c", WRITER, str(file), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def held(file: Path, name: str, count: int) -> list[bool]:
    """Which of a process's entries are there, whole."""
    cache = Cache(file, derive("key"), lambda: 0.0, print)
    keys = [f"{name} {number}".encode().ljust(32) for number in range(count)]
    found = [cache.get(key) for key in keys]
    cache.close()
    return [
        each == Entry("claims", f"{name} {number} " + "x" * 2000, "stop", "m", TokenUsage(1, 1), (), 0.0)
        for number, each in enumerate(found)
    ]


def test_several_processes_make_and_fill_one_file(tmp_path: Path) -> None:
    """Four that begin at once, when there is no file yet, keep all of theirs and complain of nothing."""
    file = tmp_path / "new" / "cache.sqlite"
    processes = [start(file, name, 100) for name in "abcd"]
    said = [process.communicate(timeout=60)[0] for process in processes]

    assert [process.returncode for process in processes] == [0] * 4
    assert [line for text in said for line in text.splitlines() if line.startswith("!")] == []
    assert all(all(held(file, name, 100)) for name in "abcd")


def test_a_killed_process_loses_nothing_that_it_had_kept(tmp_path: Path) -> None:
    """J11: SIGKILL in the middle, beside another process: what was kept is there, and the file is whole."""
    file = tmp_path / "cache.sqlite"
    with start(file, "other", 200) as other:
        for round_ in range(5):
            with start(file, f"killed{round_}", 10_000) as process:
                assert process.stdout is not None
                for number in range(20 + 7 * round_):
                    assert process.stdout.readline() == f"{number}\n"
                process.kill()
            assert process.returncode == -signal.SIGKILL
            assert all(held(file, f"killed{round_}", 20 + 7 * round_))
        assert "!" not in other.communicate(timeout=60)[0]
    assert all(held(file, "other", 200))
    with cache_file.connect(file) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
