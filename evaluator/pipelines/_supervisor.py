"""Runs one worker and answers for everything that it starts: when it ends, or our side does, nothing of it is left.

A script of its own, run by our interpreter between us and the worker, so that a worker's children are its descendants
whatever they do: it is their *subreaper*, so a process whose parent died (a fork that outlives its call, a daemon that
called setsid and forked twice) becomes its child instead of nobody's.

    standard input:  one line of JSON that says what to run, then nothing; its end is the order to end the worker.
                     The kernel closes it when we die, however we die.
    standard output: a line of JSON when the worker was started or could not be, and one when nothing of it is left.

Linux only: reads /proc. Standard library only, and no module of ours.
"""

# pathlib would cost more than all the rest: this starts with every worker and looks around ten times a second.
# ruff: noqa: PTH110, PTH123, PTH208

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
TICK_SECONDS = 0.1
CONTROL, STATUS = 0, 1
MEBIBYTE = 1024 * 1024

_libc = ctypes.CDLL(None)


def main() -> None:
    """Run the worker that standard input describes to its end."""
    spec = json.loads(_first_line() or sys.exit(0))
    wake = _watch_for_deaths()
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    worker, problem = _start(spec)
    if problem:
        _tell({"failed": problem})
        return
    _tell({"started": worker})
    end = _watch(worker, wake, spec)
    end_descendants()
    _tell({"ended": end})


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(CONTROL, 1 << 20)
        if not data:
            return b""
        line += data
    return line


def _tell(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        os.write(STATUS, json.dumps(message).encode() + b"\n")


def _watch_for_deaths() -> int:
    """A file descriptor that can be read from whenever a child has ended."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    os.set_blocking(read_end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    return read_end


def _start(spec: dict[str, Any]) -> tuple[int, str]:
    """Start the worker; its process id, and why it could not be started (empty if it could)."""
    read_end, write_end = os.pipe()
    worker = os.fork()
    if worker == 0:
        try:
            _become_worker(spec)
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            os.write(write_end, f"{spec['argv'][0]}: {said}".encode(errors="replace"))
        finally:
            os._exit(127)
    os.close(write_end)
    for descriptor in spec["descriptors"]:
        os.close(descriptor)
    with os.fdopen(read_end, "rb") as file:
        return worker, file.read().decode()


def _become_worker(spec: dict[str, Any]) -> None:
    os.setsid()
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for number in (
        signal.SIGPIPE,
        signal.SIGXFSZ,
    ):  # Python ignores these, and what is ignored stays so in a new program
        signal.signal(number, signal.SIG_DFL)
    os.chdir(spec["folder"])
    nowhere = os.open(os.devnull, os.O_RDWR)
    for target, source in enumerate(spec["stdio"]):
        os.dup2(nowhere if source is None else source, target)
    for descriptor in spec["descriptors"]:
        if descriptor not in spec["keep"]:
            os.close(descriptor)
    # Memory that is written to, not address space: a runtime that reserves much and uses little is not hurt.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = spec["memory_mb"] * MEBIBYTE
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    os.execvpe(spec["argv"][0], spec["argv"], spec["environment"])  # noqa: S606 - a program, never a shell


def _watch(worker: int, wake: int, spec: dict[str, Any]) -> dict[str, Any]:
    """Wait until the worker ends, exceeds its limits or is to be ended; how it came to its end."""
    while True:
        ready, _, _ = select.select([CONTROL, wake], [], [], TICK_SECONDS)
        if CONTROL in ready:
            return {"told": True}
        if wake in ready:
            os.read(wake, 4096)
        status = _reap().get(worker)
        if status is not None:
            return {"signal": os.WTERMSIG(status)} if os.WIFSIGNALED(status) else {"exit": os.WEXITSTATUS(status)}
        family = descendants(os.getpid())
        if len(family) > spec["processes"]:
            return {"limit": "processes"}
        if uses_more_than(spec["memory_mb"] * MEBIBYTE, family):
            return {"limit": "memory"}


def _reap() -> dict[int, int]:
    """The children that have ended since the last call, with how."""
    ended = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                break
            ended[child] = status
    return ended


def end_descendants() -> None:
    """Kill everything below us, and what it starts meanwhile, until nothing is left."""
    while True:
        for process in descendants(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
        _reap()


def descendants(process: int) -> list[int]:
    """The ids of everything below a process, dead but unburied ones included."""
    children = _children if os.path.exists("/proc/thread-self/children") else _children_by_parent()
    found: dict[int, None] = {}
    unseen = [process]
    while unseen:
        for child in children(unseen.pop()):
            if child not in found:
                found[child] = None
                unseen.append(child)
    return list(found)


def _children(process: int) -> list[int]:
    """The children of every thread of a process, as the kernel lists them."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            found += map(int, _read(f"/proc/{process}/task/{thread}/children").split())
    return found


def _children_by_parent() -> Callable[[int], list[int]]:
    """The same for kernels that do not list them: every process says who its parent is."""
    found: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        # The name of the program, in brackets, may hold anything.
        fields = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()
        if fields:
            found.setdefault(int(fields[1]), []).append(int(name))
    return lambda process: found.get(process, [])


def uses_more_than(limit: int, processes: list[int]) -> bool:
    """Whether processes together hold more than ``limit`` bytes that are no file's.

    What forked processes share counts once; where the kernel does not tell, the answer is no.
    """
    quick = sum(_kibibytes(f"/proc/{process}/status", b"RssAnon:", b"RssShmem:") for process in processes)
    if quick * 1024 <= limit:
        return False
    shared = sum(_kibibytes(f"/proc/{process}/smaps_rollup", b"Pss_Anon:", b"Pss_Shmem:") for process in processes)
    return shared * 1024 > limit


def _kibibytes(file: str, *names: bytes) -> int:
    return sum(int(line.split()[1]) for line in _read(file).splitlines() if line.startswith(names))


def _read(file: str) -> bytes:
    """What a file of /proc says; nothing where its process has gone."""
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        return b""


if __name__ == "__main__":
    main()
