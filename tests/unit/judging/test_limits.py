from __future__ import annotations

import threading

from evaluator.judging.limits import Limiter


def answer(limiter: Limiter, times: int) -> None:
    """Have a limiter see so many answered calls."""
    for _ in range(times):
        with limiter.slot():
            limiter.answered()


def refuse(limiter: Limiter, times: int) -> None:
    """Have a limiter see so many calls refused for being one too many."""
    for _ in range(times):
        with limiter.slot():
            limiter.limited()


class TestHowManyAtOnce:
    """Additive up, multiplicative down."""

    def test_it_begins_with_the_most(self) -> None:
        """Nothing is lost by going slow at a provider that limits nothing."""
        assert Limiter(16, lambda: 0.0).limit == 16

    def test_a_round_of_refusals_halves_it(self) -> None:
        """J9: sixteen calls at once that are all refused leave eight, and eight more four."""
        limiter = Limiter(16, lambda: 0.0)
        refuse(limiter, 16)
        first = limiter.limit
        refuse(limiter, 8)

        assert (first, limiter.limit) == (8, 4)

    def test_few_refusals_take_little(self) -> None:
        """J9: one in five refused, whatever the load, settles at about eight places: 0.8 / 8 = 0.2 x 0.5."""
        limiter = Limiter(32, lambda: 0.0)
        for _ in range(200):
            answer(limiter, 4)
            refuse(limiter, 1)

        assert limiter.limit in (7, 8)

    def test_it_never_falls_below_one(self) -> None:
        """However often a provider refuses, one call at a time is tried."""
        limiter = Limiter(4, lambda: 0.0)
        refuse(limiter, 20)

        assert limiter.limit == 1

    def test_a_round_of_answers_allows_one_more(self) -> None:
        """From four at once the fifth answer makes five: 4, 4.25, 4.49, 4.71, 4.92, 5.12. It stops at the most."""
        limiter = Limiter(8, lambda: 0.0)
        refuse(limiter, 8)
        answer(limiter, 4)
        after_four = limiter.limit
        answer(limiter, 1)
        after_five = limiter.limit
        answer(limiter, 100)

        assert (after_four, after_five, limiter.limit) == (4, 5, 8)

    def test_never_more_than_allowed_are_let_in(self) -> None:
        """Of five that come while two are allowed, three wait, and each that leaves lets in the one that came first."""
        limiter = Limiter(2, lambda: 0.0)
        inside: list[int] = []
        came = [threading.Event() for _ in range(5)]
        leave = [threading.Event() for _ in range(5)]

        def visit(number: int) -> None:
            with limiter.slot():
                inside.append(number)
                came[number].set()
                leave[number].wait(10)

        threads = []
        for number in range(5):
            threads.append(threading.Thread(target=visit, args=(number,)))
            threads[-1].start()
            if number < 2:
                assert came[number].wait(10)
            else:
                while len(limiter._waiting) < number - 1:
                    pass
        assert inside == [0, 1]
        leave[1].set()
        assert came[2].wait(10)
        leave[0].set()
        assert came[3].wait(10)
        assert inside == [0, 1, 2, 3]
        for event in leave:
            event.set()
        for thread in threads:
            thread.join(10)
        assert inside == [0, 1, 2, 3, 4]

    def test_a_closed_one_keeps_nobody_waiting(self) -> None:
        """Whoever waits for a place when all is stopped gets to know it at once."""
        limiter = Limiter(1, lambda: 0.0)
        passed = threading.Event()

        def visit() -> None:
            with limiter.slot():
                passed.set()

        with limiter.slot():
            waiting = threading.Thread(target=visit)
            waiting.start()
            limiter.close()
            assert passed.wait(10)
        waiting.join(10)


class TestPauses:
    """What a provider asks for."""

    def test_the_longest_pause_counts(self) -> None:
        """A shorter one that is asked for later does not cut it."""
        now = [0.0]
        limiter = Limiter(4, lambda: now[0])
        limiter.pause(20)
        limiter.pause(5)
        now[0] = 8

        assert limiter.rest() == 12

    def test_what_is_no_time_is_no_pause(self) -> None:
        """Zero, negative seconds and NaN pause nothing."""
        limiter = Limiter(4, lambda: 0.0)
        for seconds in (0.0, -3.0, float("nan")):
            limiter.pause(seconds)

        assert limiter.rest() == 0
