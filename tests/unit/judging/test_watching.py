from __future__ import annotations

import pytest

from evaluator.cli.progress import Lines
from evaluator.judging.pool import converse
from evaluator.judging.watching import Watch, duration
from evaluator.model.config import Prices
from tests.judges import FakeJudge, FakeTime, build_asker, build_call, build_reply, talk


class TestWatch:
    """What a person sees while it is judged."""

    def test_lines_say_calls_money_and_time_left(self) -> None:
        """Four cases of one call, each 0.5 USD and 30 s: after two, two are left, which is a minute."""
        now, lines = [0.0], list[str]()
        asker = build_asker(
            FakeJudge(lambda _: build_reply(usage=(500_000, 0))),
            prices=Prices.model_construct(input=1.0, output=1.0, cached=None),
        )
        watch = Watch(Lines("judge", 4, lines.append, lambda: now[0]), 4, asker, lambda: now[0])
        for number in range(4):
            now[0] += 30
            asker.resolve(build_call(str(number)))
            watch.told()
            watch.ended(str(number), None)

        assert lines == [
            "judge: 1/4, 1 call, 0.50 USD, 2 min left",
            "judge: 2/4, 2 calls, 1.00 USD, 1 min left",
            "judge: 3/4, 3 calls, 1.50 USD, 30 s left",
            "judge: 4/4, 4 calls, 2.00 USD",
        ]

    def test_a_pool_tells_it(self) -> None:
        """Every case is a step."""
        steps: list[str] = []

        class Display:
            def step(self, *, failed: bool = False) -> None:
                steps.append(f"step {failed}")

            def note(self, text: str) -> None: ...

            def close(self) -> None: ...

        asker = build_asker(FakeJudge())
        watch = Watch(Display(), 2, asker, FakeTime().seconds)
        converse([("a", talk([build_call("a")])), ("b", talk())], asker, watch.told, watch.ended)

        assert steps == ["step False"] * 2


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "1 s"),
        (40, "40 s"),
        (60, "1 min"),
        (61, "2 min"),
        (3540, "59 min"),
        (3600, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_are_said_as_people_say_them(seconds: float, words: str) -> None:
    """Rounded up, for a wait that is longer than was said annoys."""
    assert duration(seconds) == words
