"""Golden files: JSON Lines with one case a line, or a YAML list of cases (design section 4)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.errors import Problem
from evaluator.model.base import to_json
from evaluator.model.golden import Case
from evaluator.stores import located, words
from evaluator.stores.words import CONTROL, Finding

MAX_LINE = 1024 * 1024
"""Longest line of a golden set: a case that long is a file that was pasted in, not a question."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.stores.located import Located

YAML_SUFFIXES = {".yml", ".yaml"}


class Place(NamedTuple):
    """The file, as it was asked for, and the line (from 1) on which a case stands."""

    file: str
    line: int


class GoldenSet(NamedTuple):
    """All cases, in the order of the files and of their lines.

    ``sha256`` is over the cases themselves: the same for JSON Lines and YAML, and whatever the layout.
    """

    cases: tuple[Case, ...]
    places: Mapping[str, Place]
    sha256: str


def read_golden(paths: Sequence[Path]) -> GoldenSet:
    """All cases of all files.

    Raises:
        InputError: every problem of every file; also when there is no case at all.
    """
    found, problems = look(paths)
    if problems:
        raise errors.InputError(problems)
    return found


def look(paths: Sequence[Path]) -> tuple[GoldenSet, list[Problem]]:
    """The cases that can be read, and every problem of every file; no case at all is one, too."""
    reader = _Reader()
    for path in paths:
        for item in items(path, reader.problems):
            reader.add(item, str(path))
    reader.check_paraphrases()
    if not reader.cases and not reader.problems:
        reader.problems.append(
            Problem("no-cases", "there is no case in the golden set", str(paths[0]) if paths else "")
        )
    cases = tuple(reader.cases.values())
    return GoldenSet(cases, reader.places, hashlib.sha256(to_json(cases)).hexdigest()), reader.problems


def items(path: Path, problems: list[Problem]) -> Iterator[Located]:
    """What stands in a golden file, with its place; ``problems`` takes what cannot be read."""
    if path.suffix.lower() not in YAML_SUFFIXES:
        yield from located.read_json_lines(path, str(path), problems, longest=MAX_LINE)
        return
    document = located.read_yaml(path, str(path), problems)
    if document is None or document.value is None:
        return
    if isinstance(document.value, list):
        yield from document.items()
    else:
        problems.append(Problem("wrong-value", "a golden file is a list of cases", str(path), *document.place(())))


class _Reader:
    """Collects cases, where they stand and what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.cases: dict[str, Case] = {}
        self.places: dict[str, Place] = {}
        self._broken: set[str] = set()
        self._paraphrases: list[tuple[Case, Located, str]] = []

    def add(self, item: Located, file: str) -> None:
        """Take one case, or note what is wrong with it."""
        case = located.validate(Case, item, file, self.problems)
        if case is None:
            self._broken.add(str(item.value.get("id")) if isinstance(item.value, dict) else "")
            return
        self.problems.extend(located.locate(item, finding, file) for finding in self._mistakes(case))
        self.places.setdefault(case.id, Place(file, item.line))
        self.cases.setdefault(case.id, case)
        if case.paraphrase_of is not None:
            self._paraphrases.append((case, item, file))

    def _mistakes(self, case: Case) -> Iterator[Finding]:
        if CONTROL.search(case.id):
            yield Finding("bad-id", ("id",), "value", f"the id '{words.visible(case.id)}' holds control characters")
        if not case.question.strip():
            yield Finding("wrong-value", ("question",), "value", "the question is only white space")
        if case.id in self.cases:
            file, line = self.places[case.id]
            sentence = f"the id '{words.visible(case.id)}' is there already, at {file}:{line}"
            yield Finding("duplicate-id", ("id",), "value", sentence)
        seen: set[str] = set()
        for index, fact in enumerate(case.facts):
            if fact.id in seen:
                sentence = f"two facts of this case have the id '{words.visible(fact.id)}'"
                yield Finding("duplicate-id", ("facts", index, "id"), "value", sentence)
            seen.add(fact.id)

    def check_paraphrases(self) -> None:
        """Note every ``paraphrase_of`` that does not name the root of a group."""
        for case, item, file in self._paraphrases:
            name = str(case.paraphrase_of)
            sentence = self._not_a_root(name, case.id)
            if sentence:
                finding = Finding("paraphrase", ("paraphrase_of",), "value", sentence)
                self.problems.append(located.locate(item, finding, file))

    def _not_a_root(self, name: str, own: str) -> str:
        root, shown = self.cases.get(name), words.visible(name)
        if name == own:
            return "paraphrase_of names the case itself"
        if root is None:
            hint = words.did_you_mean(name, self.cases)
            return "" if name in self._broken else f"paraphrase_of names '{shown}', which is no case{hint}"
        if root.paraphrase_of is not None:
            return f"paraphrase_of names '{shown}', itself a paraphrase: name '{words.visible(root.paraphrase_of)}'"
        return ""
