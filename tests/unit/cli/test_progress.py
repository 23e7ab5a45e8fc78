from __future__ import annotations

import io
import threading

from evaluator.cli import progress
from evaluator.cli.console import Console


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def watch(times: list[float]) -> tuple[progress.Lines, list[str]]:
    """A plain display that reads these times one after the other, the last one for ever, and the lines it prints."""
    lines: list[str] = []

    def seconds() -> float:
        return times.pop(0) if len(times) > 1 else times[0]

    return progress.Lines("collect", 20, lines.append, seconds), lines


class TestPlainLines:
    """What a log of continuous integration shows."""

    def test_quick_work_prints_its_end_only(self) -> None:
        """Work that takes no time gives one line, not ten."""
        display, lines = watch([0.0])
        for _ in range(20):
            display.step()

        assert lines == ["collect: 20/20"]

    def test_slow_work_prints_every_tenth(self) -> None:
        """Where each unit takes three seconds, every second of twenty units gives a line."""
        now = [0.0]
        lines: list[str] = []
        display = progress.Lines("collect", 20, lines.append, lambda: now[0])
        for done in range(20):
            now[0] = 3.0 * (done + 1)
            display.step()

        assert lines == [f"collect: {done}/20" for done in range(2, 21, 2)]

    def test_very_slow_work_is_never_silent_for_long(self) -> None:
        """A unit that took more than ten seconds is told at once."""
        display, lines = watch([0.0, 11.0, 11.0])
        display.step()

        assert lines == ["collect: 1/20"]

    def test_failures_are_counted(self) -> None:
        """The line says how many of the units failed."""
        display, lines = watch([0.0])
        for done in range(20):
            display.step(failed=done % 10 == 0)

        assert lines == ["collect: 20/20, 2 failed"]

    def test_a_note_stands_behind_the_count(self) -> None:
        """What it cost so far is in the line, and does not cause one."""
        display, lines = watch([0.0])
        display.note("3 calls, 0.10 USD")
        for _ in range(20):
            display.step()

        assert lines == ["collect: 20/20, 3 calls, 0.10 USD"]


class TestBar:
    """What a terminal shows."""

    def test_it_ends_full_and_leaves_the_line(self) -> None:
        """After the last unit the bar is full, and what comes next starts on a line of its own."""
        stream = Terminal()
        console = Console(stream)
        bar = console.progress("collect", 4)
        for _ in range(4):
            bar.step()
        bar.close()

        last = stream.getvalue().rpartition(progress.ERASE)[2]
        assert last == f"collect [{'#' * 30}] 4/4\n"

    def test_a_note_is_drawn_at_once_and_once(self) -> None:
        """The bar does not wait for the next case to tell what it cost, and makes room for it."""
        stream = Terminal()
        bar = Console(stream).progress("judge", 4)
        for _ in range(3):
            bar.note("3 calls, 0.10 USD")

        assert stream.getvalue() == f"{progress.ERASE}judge [{'.' * 30}] 0/4, 3 calls, 0.10 USD"

    def test_it_is_not_drawn_for_every_unit_of_many(self) -> None:
        """Ten thousand units redraw it a hundred times, not ten thousand."""
        stream = Terminal()
        bar = Console(stream).progress("collect", 10_000)
        for _ in range(10_000):
            bar.step()

        assert stream.getvalue().count("\r") <= 101

    def test_a_line_is_printed_above_it(self) -> None:
        """A message erases the bar, stands on its own line, and the bar is drawn again below."""
        stream = Terminal()
        console = Console(stream)
        console.progress("collect", 4).step()
        console.block(["case q1 timed out"])

        assert stream.getvalue().endswith(f"{progress.ERASE}case q1 timed out\ncollect [{'#' * 7}{'.' * 23}] 1/4")

    def test_a_narrow_terminal_is_not_overrun(self) -> None:
        """Where there is no room for a bar, the count alone is shown."""
        bar = progress.Bar("x" * 200, 4, redraw=lambda: None, end=lambda: None)

        assert str(bar) == f"{'x' * 200} [] 0/4"

    def test_threads_do_not_tear_lines(self) -> None:
        """Lines that several threads print stay whole."""
        stream = Terminal()
        console = Console(stream)
        threads = [threading.Thread(target=console.block, args=(["a" * 50],)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert stream.getvalue() == ("a" * 50 + "\n") * 20


class TestQuiet:
    """What ``--quiet`` leaves out."""

    def test_no_progress_and_no_log(self) -> None:
        """Neither progress nor narration is printed; problems still are."""
        stream = io.StringIO()
        console = Console(stream)
        console.quiet = True
        console.progress("collect", 1).step()
        console.log("reading")
        console.say("a problem")

        assert stream.getvalue() == "a problem\n"
