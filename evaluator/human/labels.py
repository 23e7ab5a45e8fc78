"""labels.jsonl: what people said of claims, statements, facts, chunks and answers (design section 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.errors import Problem
from evaluator.human.kinds import KINDS
from evaluator.model.base import Id, Value
from evaluator.model.counting import counted
from evaluator.stores import located, words
from evaluator.stores.words import Finding, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evaluator.human.kinds import Kind
    from evaluator.stores.located import Located


class LabelLine(Value):
    """One line of labels.jsonl, of which exactly one thing is labelled; what a case has one of is ``true``."""

    case: Id
    annotator: Id
    label: Id
    note: str | None = None
    claim: Id | None = None
    statement: Id | None = None
    fact: Id | None = None
    relevance: bool | None = None
    abstention: bool | None = None
    chunk: Id | None = None
    preference: bool | None = None


class Label(NamedTuple):
    """A label and where it stands.

    Attributes:
        thing: the id or the text of what is labelled; empty where a case has one such thing.
        file: the file, as it was asked for.
        line: its line, from 1.
    """

    kind: Kind
    case: str
    thing: str
    annotator: str
    label: str
    file: str
    line: int

    @property
    def item(self) -> tuple[str, str, str]:
        """What is labelled: kind, case and thing."""
        return self.kind.name, self.case, self.thing

    @property
    def named(self) -> str:
        """What is labelled, in words."""
        thing = f" '{visible(self.thing)}'" if self.thing else ""
        return f"the {self.kind.name}{thing} of case '{visible(self.case)}'"

    def problem(self, code: str, sentence: str) -> Problem:
        """Something that is wrong with it."""
        return Problem(code, sentence, self.file, self.line, 1)


def read(paths: Sequence[Path]) -> tuple[Label, ...]:
    """The labels of all files, in the order of the files and of their lines.

    Raises:
        InputError: every problem of every file: a field that is missing, unknown or empty, a label that is not on its
            scale, a line that labels nothing or several things, and what an annotator labelled twice; also when there
            is no label at all.
    """
    problems: list[Problem] = []
    found = [label for path in paths for label in _of_file(path, problems)]
    problems += again(found)
    if not found and not problems:
        problems.append(Problem("no-labels", "there is no label in it", str(paths[0])))
    if problems:
        raise errors.InputError(problems)
    return tuple(found)


def _of_file(path: Path, problems: list[Problem]) -> Iterator[Label]:
    shown = str(path)
    for item in located.read_json_lines(path, shown, problems):
        line = located.validate(LabelLine, item, shown, problems)
        if line is None:
            continue
        mistake = _mistake(line)
        if mistake is not None:
            problems.append(located.locate(item, mistake, shown))
        else:
            yield _label(line, item, shown)


def _things(line: LabelLine) -> list[str]:
    return [name for name in KINDS if getattr(line, name) is not None]


def _mistake(line: LabelLine) -> Finding | None:
    things = _things(line)
    if not things:
        return Finding("wrong-value", (), "value", f"nothing is labelled: one of {', '.join(KINDS)} is missing")
    if len(things) > 1:
        sentence = f"{' and '.join(things)} are labelled in one line; give each a line of its own"
        return Finding("wrong-value", (things[1],), "key", sentence)
    kind = KINDS[things[0]]
    if getattr(line, kind.name) is False:
        return Finding("wrong-value", (kind.name,), "value", f"{kind.name} must be true; leave it out otherwise")
    if line.label in kind.scale:
        return None
    scale = f"a {kind.name} is {', '.join(kind.scale[:-1])} or {kind.scale[-1]}"
    hint = words.did_you_mean(line.label, kind.scale) if errors.nearest(line.label[: words.SHOWN], kind.scale) else ""
    return Finding("off-scale", ("label",), "value", f"'{visible(line.label)}' is not on the scale: {scale}{hint}")


def _label(line: LabelLine, item: Located, shown: str) -> Label:
    kind = KINDS[_things(line)[0]]
    thing = "" if kind.is_flag else getattr(line, kind.name)
    return Label(kind, line.case, thing, line.annotator, line.label, shown, item.line)


def again(labels: Sequence[Label]) -> Iterator[Problem]:
    """What an annotator labelled a second time: nobody can know which of the two is meant."""
    seen: dict[tuple[str, ...], Label] = {}
    for each in labels:
        first = seen.setdefault((each.annotator, *each.item), each)
        if first is not each:
            sentence = f"{each.named} was labelled by '{visible(each.annotator)}' already, at {first.file}:{first.line}"
            yield each.problem("duplicate-label", sentence)


def one_class(labels: Sequence[Label]) -> Iterator[Problem]:
    """Kinds whose labels are all of one class: no judge can be told from one that always says the same."""
    for kind in KINDS.values():
        those = [each for each in labels if each.kind is kind]
        classes = {kind.gated(each.label) for each in those}
        if len(classes) == 1:
            [only] = classes
            other = next(each for each in kind.classes if each != only)
            them = f"{counted(len(those), f'{kind.name} label')}, all '{only}'" if len(those) > 1 else f"one, '{only}'"
            yield those[0].problem(
                "one-class",
                f"the labels of {kind.metric} are of one class ({them}): any judge that always says so would agree; "
                f"label some that are '{other}', or take these out",
            )
