from __future__ import annotations

import threading
import time

import pytest

from evaluator.model.record import Answer, AnswerFailure, Reply, Request
from evaluator.stages import asking
from evaluator.stages.asking import Until, ask_all
from tests import workbench

REQUESTS = [workbench.request(identifier=f"q{number}") for number in range(40)]


class Fake:
    """A pipeline in this process; ``broken`` names the question at which it is faulty."""

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.is_closed = False
        self.slots: dict[int, set[int]] = {}

    def ask(self, request: Request, slot: int) -> Reply:
        """Answer with the slot it was asked in."""
        self.slots.setdefault(slot, set()).add(threading.get_ident())
        if request.id == self.broken:
            raise RuntimeError("this pipeline is faulty")
        return Answer(retrieved=(), answer=str(slot))

    def close(self) -> None:
        """Remember that it was closed."""
        self.is_closed = True


@pytest.mark.parametrize("workers", [1, 3])
def test_every_question_is_kept_once(workers: int) -> None:
    """However many ask, each question is asked once and its own reply kept."""
    kept: list[str] = []
    fake = Fake()
    until = Until(lambda: 0.0)
    ask_all(fake, REQUESTS, lambda request, _reply, _: kept.append(request.id), workers=workers, until=until)

    assert sorted(kept) == sorted(request.id for request in REQUESTS)
    assert not fake.is_closed


def test_each_slot_is_one_thread() -> None:
    """A pipeline may keep a process per slot: no two threads ever ask in the same one."""
    fake = Fake()
    ask_all(fake, REQUESTS, lambda *_: None, workers=4, until=Until(lambda: 0.0))

    assert all(len(threads) == 1 for threads in fake.slots.values())
    assert set(fake.slots) <= set(range(4))


def test_the_time_of_each_answer_is_measured() -> None:
    """The clock that was passed in is read before and after each question."""
    ticks = iter([1.0, 3.5, 4.0, 4.25])
    took: list[float] = []
    ask_all(
        Fake(),
        REQUESTS[:2],
        lambda _request, _reply, seconds: took.append(seconds),
        workers=1,
        until=Until(lambda: next(ticks)),
    )

    assert took == [2.5, 0.25]


def test_a_faulty_pipeline_is_closed_and_its_error_raised() -> None:
    """A bug in a pipeline is not swallowed by the thread it happened in."""
    fake = Fake(broken="q3")
    kept: list[str] = []
    with pytest.raises(RuntimeError, match="this pipeline is faulty"):
        ask_all(fake, REQUESTS, lambda request, _reply, _: kept.append(request.id), workers=1, until=Until(lambda: 0.0))

    assert kept == ["q0", "q1", "q2"]
    assert fake.is_closed


def test_what_cannot_be_kept_ends_the_asking() -> None:
    """A full disk stops the run instead of asking on for nothing."""
    asked = Fake()

    def keep(_request: Request, _reply: Reply, _seconds: float) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        ask_all(asked, REQUESTS, keep, workers=1, until=Until(lambda: 0.0))

    assert asked.is_closed


def test_failures_that_closing_causes_are_not_kept() -> None:
    """Once the asking has been stopped, a failure says only that the pipeline was closed."""
    both = threading.Barrier(2)
    kept: list[tuple[str, str]] = []

    class Waiting(Fake):
        def __init__(self) -> None:
            super().__init__()
            self.closed = threading.Event()

        def ask(self, request: Request, slot: int) -> Reply:  # noqa: ARG002 - the port's signature
            both.wait()
            if slot == 0:
                raise RuntimeError("faulty")
            self.closed.wait()
            return AnswerFailure("died", "closed")

        def close(self) -> None:
            self.closed.set()

    with pytest.raises(RuntimeError):
        ask_all(
            Waiting(), REQUESTS, lambda request, reply, _: kept.append((request.id, str(reply))), workers=2,
            until=Until(lambda: 0.0),
        )  # fmt: skip

    assert kept == []


class Stuck(Fake):
    """Answers two questions; what is asked then is answered only when nobody waits for it any more."""

    def __init__(self, *, lets_go: bool) -> None:
        super().__init__()
        self.lets_go = lets_go
        self.closed, self.abandoned = threading.Event(), threading.Event()
        self.late = threading.Event()

    def ask(self, request: Request, slot: int) -> Reply:
        """Answer the first two."""
        if request.id in {"q0", "q1"}:
            return super().ask(request, slot)
        (self.closed if self.lets_go else self.abandoned).wait()
        self.late.set()
        return AnswerFailure("died", "closed") if self.lets_go else Answer(retrieved=(), answer="too late")

    def close(self) -> None:
        """End what is being asked, unless that does not let go."""
        self.is_closed = True
        self.closed.set()


@pytest.mark.parametrize("lets_go", [True, False])
def test_when_time_is_over_what_was_answered_is_kept(monkeypatch: pytest.MonkeyPatch, *, lets_go: bool) -> None:
    """No more is asked, and neither a failure that closing causes nor an answer that comes later counts."""
    monkeypatch.setattr(asking, "GRACE_SECONDS", 0.0)
    kept: list[str] = []
    fake = Stuck(lets_go=lets_go)
    ask_all(
        fake, REQUESTS, lambda request, _reply, _: kept.append(request.id), workers=1,
        until=Until(time.monotonic, time.monotonic() + 0.2),
    )  # fmt: skip
    fake.abandoned.set()
    fake.late.wait()

    assert kept == ["q0", "q1"]
    assert fake.is_closed
