from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.pipelines._output import Output
from tests import workbench


def shown(*parts: bytes, **limits: int) -> list[str]:
    log: list[str] = []
    output = Output(log.append, **limits)
    for part in parts:
        output.feed(part)
    output.flush()
    return log


def test_lines_are_marked_as_foreign() -> None:
    """Each line of a worker stands in the log behind a bar, however it arrived."""
    assert shown(b"one\ntw", b"o\n\nlast") == ["│ one", "│ two", "│ ", "│ last"]


def test_a_progress_bar_is_one_line() -> None:
    """Of a line that is drawn again and again, the last state is shown, as on a terminal."""
    assert shown(b"10%\r50%\r", b"100%\r\n", b"next\r\n") == ["│ 100%", "│ next"]


def test_bytes_that_are_no_text_do_no_harm() -> None:
    """Output in another encoding is shown as well as it can be."""
    assert shown("å\n".encode("latin-1")) == ["│ \ufffd"]


def test_a_line_without_end_is_cut() -> None:
    """A megabyte without a line end takes no more room than a long line."""
    (line,) = shown(*[b"x" * 1000] * 1000, b"\n")

    assert len(line) == 2 + 2000


def test_output_beyond_the_limit_is_not_shown() -> None:
    """What is shown ends with a sentence that says so, once."""
    lines = shown(*[b"12345678\n"] * 50, max_shown=30)

    assert lines == ["│ 12345678"] * 4 + ["│ … (what this worker prints from here on is not shown)"]


def test_the_last_lines_are_remembered_beyond_the_limit() -> None:
    """Why a worker died stands at the end of what it printed, however much that was."""
    output = Output(lambda _: None, max_shown=10)
    output.feed(b"".join(b"line %d\n" % number for number in range(100)) + b"the reason\n\n")

    assert output.last_line == "the reason"
    assert output.tail.splitlines() == [*(f"line {number}" for number in range(82, 100)), "the reason"]


def test_nothing_said_is_nothing_remembered() -> None:
    """A silent worker has no last words, and a new one none of the old one's."""
    output = Output(lambda _: None)
    assert output.last_line == ""

    output.feed(b"words\n")
    output.forget()
    assert (output.last_line, output.tail) == ("", "")


@given(st.lists(st.sampled_from(["::", "##[", "error", "]", "set-output", " ", "\r", "a", "\u2028"])).map("".join))
def test_no_line_commands_the_runner(text: str) -> None:
    """Whatever a worker prints, the runner finds neither of its two forms of a command in the log (G15)."""
    assert not any(workbench.runner_obeys(line) for line in shown(text.encode() + b"\n"))
