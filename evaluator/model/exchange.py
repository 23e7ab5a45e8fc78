"""What import and export hand over: formats of other tools, declared as data, and what is read and written of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from evaluator.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.golden import Case

Kind: TypeAlias = Literal["file", "text", "texts"]
Settings: TypeAlias = "Mapping[str, Any]"
"""What a command was given, by option name: a Path, a text, a tuple of texts, or None."""


class Option(NamedTuple):
    """An option of ``rag-assay import`` or ``export``; one whose ``flag`` has no dashes is the command's argument."""

    flag: str
    help: str
    kind: Kind = "file"
    metavar: str = "FILE"
    required: bool = False

    @property
    def name(self) -> str:
        """The name under which its value is found."""
        return self.flag.lstrip("-").replace("-", "_").lower()


class Draft(NamedTuple):
    """A golden case or a recorded answer as JSON types, and where it comes from; line 0 where that is no line."""

    value: dict[str, Any]
    file: str
    line: int = 0


@dataclass
class Intake:
    """What is read of a file of another tool.

    Attributes:
        problems: what cannot be used; where there is one, nothing is written.
        remarks: what a person should know, each sentence with how often it came up.
        cases: golden cases in the order of the file.
        answers: recorded answers by the id of their case; None where the file holds none at all.
        chunks: the corpus, None where the file holds none.
    """

    problems: list[Problem] = field(default_factory=list)
    remarks: dict[str, int] = field(default_factory=dict)
    cases: list[Draft] = field(default_factory=list)
    answers: dict[str, Draft] | None = None
    chunks: list[Draft] | None = None

    def problem(self, code: str, message: str, file: object, line: int = 0) -> None:
        """Note what cannot be used."""
        self.problems.append(Problem(code, message, str(file), line))

    def remark(self, sentence: str, count: int = 1) -> None:
        """Note what a person should know; equal sentences are shown once."""
        self.remarks[sentence] = self.remarks.get(sentence, 0) + count


@dataclass
class Suite:
    """What is written for another tool: a golden set, answers to it as in a recorded file, and the corpus."""

    cases: Sequence[Case]
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    chunks: Sequence[Mapping[str, Any]] = ()
    remarks: dict[str, int] = field(default_factory=dict)

    def remark(self, sentence: str, count: int = 1) -> None:
        """Note what the other format cannot hold."""
        self.remarks[sentence] = self.remarks.get(sentence, 0) + count


@dataclass(frozen=True, slots=True)
class Format:
    """A format of another tool: one file each under evaluator/stores/importers, as the module constant FORMAT.

    Attributes:
        name: as typed after ``rag-assay import``.
        title: what it is, in one line.
        options: of import, beside the common ones.
        examples: command lines to copy, without ``rag-assay``; they begin with import or export.
        read: fills an intake from the files that were named.
        write: the files of an export by name; None where the format is read only.
        export_options: of export, beside the common ones.
    """

    name: str
    title: str
    options: Sequence[Option]
    examples: Sequence[str]
    read: Callable[[Settings, Intake], None]
    write: Callable[[Suite, Settings], dict[str, bytes]] | None = None
    export_options: Sequence[Option] = ()


def path(settings: Settings, name: str) -> Path | None:
    """A file that was named, or None."""
    found: Path | None = settings.get(name)
    return found
