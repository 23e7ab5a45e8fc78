from __future__ import annotations

import os
import threading
import time

from hypothesis import given
from hypothesis import strategies as st

from evaluator.pipelines._channel import Channel, Lines


@given(st.lists(st.binary()))
def test_lines_do_not_depend_on_how_they_were_cut(pieces: list[bytes]) -> None:
    """The lines of a stream are the same however its bytes arrive."""
    lines = Lines()
    found = []
    for piece in pieces:
        lines.feed(piece)
        found += list(iter(lines.take, None))

    *whole, rest = b"".join(pieces).split(b"\n")
    assert found == whole
    assert len(lines) == len(rest)


def test_more_than_a_pipe_holds_passes_both_ways_at_once() -> None:
    """Sending does not wait for the other side to read: neither side can block the other."""
    out, back = os.pipe(), os.pipe()
    received = bytearray()
    channel = Channel(out[1], {back[0]: received.extend})
    echo = threading.Thread(target=_echo, args=(out[0], back[1]))
    echo.start()
    data = os.urandom(1 << 20)
    channel.send(data)
    while len(received) < len(data):
        assert channel.turn(time.monotonic() + 10)
    channel.close()
    echo.join()

    assert received == data


def _echo(source: int, target: int) -> None:
    """Write back whatever is read, piece by piece."""
    with os.fdopen(source, "rb", buffering=0) as reader, os.fdopen(target, "wb", buffering=0) as writer:
        while data := reader.read(4096):
            writer.write(data)


def test_a_reader_that_is_gone_is_no_error() -> None:
    """Sending to a worker that has just died fails quietly: the news of its death comes another way."""
    out, back = os.pipe(), os.pipe()
    channel = Channel(out[1], {back[0]: bytearray().extend})
    for descriptor in (out[0], back[1]):
        os.close(descriptor)
    channel.send(b"question\n")
    while channel.turn(0.0):
        pass

    assert not channel.is_open(back[0])
    channel.close()


def test_waiting_ends_with_the_deadline() -> None:
    """Where nothing comes, the caller is told so in time."""
    out, back = os.pipe(), os.pipe()
    channel = Channel(out[1], {back[0]: bytearray().extend})

    assert channel.turn(time.monotonic() + 0.01) is False
    assert channel.wait_for_close(back[0], 0.0) is False
    for descriptor in (out[0], back[1]):
        os.close(descriptor)
    channel.close()
