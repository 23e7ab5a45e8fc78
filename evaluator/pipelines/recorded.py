"""Responses that were recorded before: a file of JSON Lines, read one response at a time (design section 6)."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import errors
from evaluator.model.base import digest
from evaluator.model.ports import PipelineKind, PipelineSetting
from evaluator.model.record import AnswerFailure
from evaluator.pipelines._reply import MAX_REPLY, Invalid, decode, invalid, to_failure, to_reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.record import Reply, Request

BOM = b"\xef\xbb\xbf"
SHOWN_IDS = 5
OTHER_QUESTION = (
    "the recorded response is to another wording, history or language of the question (its input_hash differs)"
)


class _Place(NamedTuple):
    """Where a response stands in the file, in bytes, and on which line, from 1."""

    offset: int
    length: int
    line: int


class _Recorded:
    """Answers with what the file says."""

    def __init__(self, file: BinaryIO, places: dict[str, _Place]) -> None:
        self._file = file
        self._places = places

    def ask(self, request: Request, slot: int) -> Reply:  # noqa: ARG002 - the port's signature
        """The response with the question's id."""
        place = self._places.get(request.id)
        if place is None:
            return AnswerFailure("error", "no recorded response for this id")
        try:
            value: dict[str, Any] = decode(os.pread(self._file.fileno(), place.length, place.offset))
        except Invalid as problem:
            return invalid(f"{problem} (the file was changed while it was read)")
        hashed = value.pop("input_hash", None)
        for key in ("id", "duplicates", "repeats"):
            value.pop(key, None)
        failure = value.pop("failure", None)
        reply = to_reply(value, place.length) if failure is None else to_failure(failure)
        if hashed is None or hashed == _input_hash(request):
            return reply
        return reply._replace(warnings=(*reply.warnings, OTHER_QUESTION))

    def close(self) -> None:
        """Nothing was started; the file is closed by whoever opened it."""


def _input_hash(request: Request) -> str:
    return digest({"question": request.question, "history": list(request.history), "language": request.language})


def _index(file: BinaryIO, shown: str) -> dict[str, _Place]:
    """Where every response stands; each line is looked at once and forgotten.

    Raises:
        InputError: all lines that are no response, and ids that are there twice.
    """
    problems: list[errors.Problem] = []
    places: dict[str, _Place] = {}
    for line, place in _lines(file):
        where = (shown, place.line)
        try:
            identifier = _identifier(line)
        except Invalid as problem:
            message, column = _located(str(problem), line)
            problems.append(errors.Problem("response", message, *where, column))
            continue
        first = places.setdefault(identifier, place)
        if first != place:
            message = f"a second response for the id {identifier!r}, which line {first.line} has already"
            problems.append(errors.Problem("duplicate-id", message, *where, 1))
    if problems:
        raise errors.InputError(problems)
    return places


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, _Place]]:
    """Every line that is not blank, with its place; of one that is too long, only the beginning."""
    offset, number = 0, 0
    while data := file.readline(MAX_REPLY + 1):
        start, number = offset, number + 1
        offset += len(data)
        if len(data) > MAX_REPLY:
            while (rest := file.readline(MAX_REPLY)) and not rest.endswith(b"\n"):
                offset += len(rest)
            offset += len(rest)
        skipped = len(BOM) if start == 0 and data.startswith(BOM) else 0
        if data[skipped:].strip():
            yield data[skipped:], _Place(start + skipped, len(data) - skipped, number)


def _identifier(line: bytes) -> str:
    if len(line) > MAX_REPLY:
        raise Invalid(f"this line is larger than {MAX_REPLY >> 20} MB")
    value = decode(line)
    identifier = value.get("id") if isinstance(value, dict) else None
    if type(identifier) is int:
        return str(identifier)
    if not isinstance(identifier, str) or not identifier:
        raise Invalid("a response is an object with an id, which is a text")
    return identifier


def _located(message: str, line: bytes) -> tuple[str, int]:
    """A message without the place that a parser put at its end, in bytes, and that place in characters."""
    found = re.fullmatch(r"(.*) at line \d+ column (\d+)", message, re.DOTALL)
    if not found:
        return message, 1
    return found[1], len(line[: max(int(found[2]) - 1, 0)].decode(errors="replace")) + 1


@contextmanager
def _open(setting: PipelineSetting) -> Iterator[_Recorded]:
    recorded = setting.config.recorded
    if recorded is None:
        raise errors.PipelineError("pipeline.kind is recorded, so pipeline.recorded must be given")
    path = setting.folder / recorded.file
    if path.exists() and not path.is_file():
        raise errors.PipelineError(f"pipeline.recorded.file {path} cannot be read: it is not a regular file")
    try:
        file = path.open("rb")
    except OSError as error:
        raise errors.PipelineError(f"pipeline.recorded.file {path} cannot be read: {error.strerror}") from error
    with file:
        places = _index(file, str(path))
        _warn_of_unknown(places, setting)
        yield _Recorded(file, places)


def _warn_of_unknown(places: dict[str, _Place], setting: PipelineSetting) -> None:
    unknown = [identifier for identifier in places if identifier not in setting.ids] if setting.ids else []
    if unknown:
        first = ", ".join([*map(repr, unknown[:SHOWN_IDS]), *(["…"] if len(unknown) > SHOWN_IDS else [])])
        setting.warnings.append(f"{len(unknown)} recorded responses are to ids that are not in the golden set: {first}")


def _settings(config: PipelineConfig) -> dict[str, object]:
    return {"file": config.recorded.file} if config.recorded else {}


PIPELINE = PipelineKind(name="recorded", open=_open, settings=_settings)
