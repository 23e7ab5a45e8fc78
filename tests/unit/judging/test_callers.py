from __future__ import annotations

import threading

import pytest

from evaluator.judging.callers import Callers, Hung
from evaluator.judging.flights import Flights


class TestCallers:
    """Calls that may never return."""

    def test_what_a_call_returns_or_raises_comes_back(self) -> None:
        """From another thread, as if there were none."""
        callers = Callers(threading.Event.wait)

        assert callers.call(lambda: 7, 10) == 7
        with pytest.raises(ZeroDivisionError):
            callers.call(lambda: 1 // 0, 10)

    def test_one_thread_serves_calls_that_follow_each_other(self) -> None:
        """Connections that a client keeps for each thread are used again."""
        callers = Callers(threading.Event.wait)
        first = callers.call(threading.get_ident, 10)
        while not callers._idle:
            pass

        assert callers.call(threading.get_ident, 10) == first

    def test_a_call_that_hangs_is_left_alone(self) -> None:
        """The next call gets another thread."""
        release = threading.Event()
        callers = Callers(lambda event, seconds: event.wait(10) if seconds else False)
        with pytest.raises(Hung):
            callers.call(lambda: release.wait(10), 0)

        assert callers.call(lambda: "next", 1) == "next"
        release.set()

    def test_no_thread_outlives_the_end(self) -> None:
        """Neither one that was idle nor one whose call came back later."""
        release, begun = threading.Event(), threading.Event()
        callers = Callers(lambda event, seconds: event.wait(10) if seconds else begun.wait(10) and False)
        idle: threading.Thread = callers.call(threading.current_thread, 1)
        late: list[threading.Thread] = []

        def hang() -> None:
            late.append(threading.current_thread())
            begun.set()
            release.wait(10)

        with pytest.raises(Hung):
            callers.call(hang, 0)
        callers.close()
        release.set()
        for thread in (idle, *late):
            thread.join(10)
            assert not thread.is_alive()

    def test_those_who_wait_can_be_sent_on(self) -> None:
        """Abandoned, they get no result, whatever comes later."""
        release, waiting, ends = threading.Event(), threading.Event(), list[str]()
        callers = Callers(threading.Event.wait)

        def wait() -> None:
            try:
                callers.call(lambda: waiting.set() or release.wait(10), 10)
            except Hung:
                ends.append("hung")

        thread = threading.Thread(target=wait)
        thread.start()
        assert waiting.wait(10)
        callers.abandon()
        thread.join(10)
        release.set()

        assert ends == ["hung"]


class TestFlights:
    """What is made once for all who ask."""

    def test_another_time_it_is_made_again(self) -> None:
        """Only what is being made is shared; keeping is somebody else's work."""
        flights, made = Flights[int](), list[int]()

        assert [flights.once("k", lambda: made.append(0) or len(made)) for _ in range(2)] == [(1, True), (2, True)]

    def test_an_error_is_everybodys(self) -> None:
        """Whoever waited for it gets it too, and the next one tries again."""
        flights, begun, go = Flights[int](), threading.Event(), threading.Event()
        errors: list[str] = []

        def fail() -> int:
            begun.set()
            go.wait(10)
            raise ValueError

        def ask() -> None:
            try:
                flights.once("k", fail)
            except ValueError:
                errors.append("failed")

        threads = [threading.Thread(target=ask) for _ in range(3)]
        threads[0].start()
        assert begun.wait(10)
        for thread in threads[1:]:
            thread.start()
        [flight] = flights._open.values()
        while len(flight.over._cond._waiters) < 2:  # type: ignore[attr-defined]
            pass
        go.set()
        for thread in threads:
            thread.join(10)

        assert errors == ["failed"] * 3
        assert flights.once("k", lambda: 1) == (1, True)
