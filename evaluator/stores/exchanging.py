"""From another tool's files to a golden set with recorded answers and a fixture, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import errors
from evaluator.model.exchange import Intake, Suite
from evaluator.model.fixture import Chunk
from evaluator.model.golden import Case
from evaluator.stores import atomic, fixtures, golden, located, words
from evaluator.stores.json_text import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.base import Value
    from evaluator.model.exchange import Draft, Format, Settings

GOLDEN = "golden.jsonl"
ANSWERS = "answers.jsonl"
FIXTURE = "fixture"


class _Made(NamedTuple):
    """A draft as something that ``located`` can place a mistake in: all of it stands on one line."""

    value: Any
    line: int

    def place(self, path: words.Path, at: words.At = "value") -> Place:  # noqa: ARG002 - the port's signature
        """The line; there is no column of ours in a file of another tool."""
        return Place(self.line, 0)

    def inside(self, path: words.Path, offset: int) -> Place:  # noqa: ARG002 - as in place
        """The same."""
        return self.place(path)


def read(kind: Format, settings: Settings) -> Intake:
    """What another tool's files hold, checked.

    Raises:
        InputError: every problem of every file.
    """
    intake = Intake()
    kind.read(settings, intake)
    if not intake.problems:
        _check(intake)
    if intake.problems:
        raise errors.InputError(intake.problems)
    return intake


def _check(intake: Intake) -> None:
    for model, drafts in ((Case, intake.cases), (Chunk, intake.chunks or [])):
        seen: dict[str, Draft] = {}
        for draft in drafts:
            if _valid(model, draft, intake) is None:
                continue
            first = seen.setdefault(draft.value["id"], draft)
            if first is not draft:
                place = f", on line {first.line}" if first.line else ""
                sentence = f"the id '{words.visible(draft.value['id'])}' is there already{place}"
                intake.problem("duplicate-id", sentence, draft.file, draft.line)
    if not intake.cases and not intake.problems:
        intake.problem("no-cases", "there is no question in what was read", "")


def _valid(model: type[Value], draft: Draft, intake: Intake) -> Value | None:
    value = located.validate(model, _Made(draft.value, draft.line), draft.file, intake.problems)
    names = [draft.value.get(name) for name in ("id", "doc")]
    if value is not None and any(words.CONTROL.search(name) for name in names if isinstance(name, str)):
        shown = words.visible(str(draft.value["id"]))
        intake.problem("bad-id", f"the id '{shown}' holds control characters", draft.file, draft.line)
    return value


def write(intake: Intake, out: Path, *, force: bool) -> list[Path]:
    """Write golden set, answers and fixture, as far as there are any; the files.

    Raises:
        UsageError: one of them is there already, and ``force`` is false.
        FileProblem: the system refuses.
    """
    contents: dict[Path, Iterable[Mapping[str, Any]]] = {out / GOLDEN: (draft.value for draft in intake.cases)}
    if intake.answers is not None:
        answers = intake.answers
        contents[out / ANSWERS] = (answers[name].value for name in _answered(intake))
    if intake.chunks is not None:
        contents[out / FIXTURE / fixtures.CHUNKS] = (draft.value for draft in intake.chunks)
    refuse_to_replace(contents, force=force)
    if intake.chunks is not None and (out / FIXTURE / "vectors.npy").exists():
        raise errors.UsageError(f"{out / FIXTURE / 'vectors.npy'} belongs to other chunks; name another --out")
    for path, values in contents.items():
        with atomic.atomic_file(path) as file:
            file.writelines(f"{json.dumps(value, ensure_ascii=False)}\n".encode() for value in values)
    if intake.chunks is not None:
        fixtures.write_manifest(out / FIXTURE)
        return [*contents, out / FIXTURE / fixtures.MANIFEST]
    return [*contents]


def _answered(intake: Intake) -> Iterator[str]:
    return (draft.value["id"] for draft in intake.cases if draft.value["id"] in (intake.answers or {}))


def refuse_to_replace(paths: Iterable[Path], *, force: bool) -> None:
    """Nothing that is there is overwritten unless a person says so.

    Raises:
        UsageError: one of the files is there already, and ``force`` is false.
    """
    there = [str(path) for path in paths if path.exists()]
    if there and not force:
        raise errors.UsageError(f"{' and '.join(there)} would be replaced; name another --out, or give --force")


def read_suite(golden_files: Sequence[Path], answers: Path | None, fixture: Path | None) -> Suite:
    """A golden set with what was answered to it, and the texts of its fixture.

    Raises:
        InputError: every problem of every file.
        FileProblem: the fixture's manifest cannot be read.
    """
    found, problems = golden.look(golden_files)
    suite = Suite(found.cases)
    if answers is not None:
        suite.answers = dict(_answers(answers, problems))
    if fixture is not None:
        loaded, more = fixtures.look(fixture)
        problems += [problem for problem in more if problem.severity == "error"]
        suite.chunks = [chunk.model_dump(exclude_none=True) for chunk in loaded.chunks] if loaded is not None else ()
        suite.texts = {chunk["id"]: chunk["text"] for chunk in suite.chunks}
    if problems:
        raise errors.InputError(problems)
    return suite


def _answers(path: Path, problems: list[errors.Problem]) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in located.read_json_lines(path, str(path), problems):
        value = item.value
        hits = value.get("retrieved") or [] if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(value.get("id"), str):
            sentence = "a response is an object with an id, which is a text"
            problems.append(errors.Problem("response", sentence, str(path), item.line))
        elif not isinstance(hits, list) or not all(
            isinstance(hit, dict) and isinstance(hit.get("id"), str) for hit in hits
        ):
            sentence = "retrieved is no list of results, each with an id"
            problems.append(errors.Problem("response", sentence, str(path), item.line))
        else:
            yield value["id"], value


def write_files(files: Mapping[str, bytes], out: Path, *, force: bool) -> list[Path]:
    """Write the files of an export; their paths.

    Raises:
        UsageError: one of them is there already, and ``force`` is false.
        FileProblem: the system refuses.
    """
    paths = {out / name: content for name, content in files.items()}
    refuse_to_replace(paths, force=force)
    for path, content in paths.items():
        atomic.write_bytes(path, content)
    return list(paths)


def files_of(kind: Format, suite: Suite, settings: Settings) -> dict[str, bytes]:
    """The files of a golden set in another format, by name.

    Raises:
        UsageError: the format is read only, or cannot hold what is asked of it at all.
    """
    if kind.write is None:
        raise errors.UsageError(f"{kind.name} can be imported, not exported")
    return kind.write(suite, settings)
