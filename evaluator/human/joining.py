"""Labels beside what the judge of a run said of the same things."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.human import labels as reading
from evaluator.human.kinds import majority
from evaluator.stores.words import did_you_mean, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.errors import Problem
    from evaluator.human.labels import Label
    from evaluator.human.verdicts import Case, Thing

UNKNOWN = "und"
"""The language of a case that names none, as BCP 47 has it."""

MOST_NAMED = 5


class Pair(NamedTuple):
    """One thing, by people and by the judge.

    ``label`` is what most of its annotators say, at the place of the first who said so, with the thing's id.
    """

    label: Label
    case: Case
    thing: Thing
    judge: str

    @property
    def language(self) -> str:
        """The primary language of the case."""
        return self.case.language.partition("-")[0] or UNKNOWN

    @property
    def is_error(self) -> bool:
        """Whether the judge is in the other of the two classes that are gated."""
        kind = self.label.kind
        return kind.gated(self.label.label) != kind.gated(self.judge)


class Joined(NamedTuple):
    """What can be compared, and what was left out with the reason."""

    pairs: tuple[Pair, ...]
    left_out: tuple[Problem, ...]


def join(labels: Sequence[Label], cases: Mapping[str, Case], *, skip_missing: bool) -> Joined:
    """Put labels and verdicts together; what annotators are evenly divided on is left out.

    Raises:
        InputError: labels of what the run does not hold or its judge gave no verdict on, unless they are to be skipped;
            labels of a kind that are all of one class; what was labelled twice, by id and by text; no label is left.
    """
    finder = _Finder(cases)
    found = [(label, *where) for label in labels if (where := finder.find(label)) is not None]
    resolved = [label._replace(thing=thing.id) for label, _, thing in found]
    problems = [*([] if skip_missing else finder.missing), *reading.again(resolved)]
    groups: dict[tuple[str, str, str], list[tuple[Label, Case, Thing]]] = {}
    for label, (_, case, thing) in zip(resolved, found, strict=True):
        groups.setdefault(label.item, []).append((label, case, thing))
    pairs, divided = _decided(groups.values())
    problems += reading.one_class([pair.label for pair in pairs])
    left_out = (*(finder.missing if skip_missing else ()), *divided)
    if not pairs and not problems:
        problems += [*left_out, labels[0].problem("no-labels", "there is no label that the judge can be held to")]
    if problems:
        raise errors.InputError(problems)
    return Joined(tuple(pairs), left_out)


def _decided(groups: Iterable[Sequence[tuple[Label, Case, Thing]]]) -> tuple[list[Pair], list[Problem]]:
    pairs, divided = [], []
    for group in groups:
        first, case, thing = group[0]
        said = majority(first.kind, (label.label for label, _, _ in group))
        if said is None:
            divided.append(first.problem("evenly-divided", f"annotators are evenly divided on {first.named}"))
        else:
            label = next(label for label, _, _ in group if label.label == said)
            pairs.append(Pair(label, case, thing, thing.verdict or ""))
    return pairs, divided


class _Finder:
    """Finds what labels are about; ``missing`` are those of which the run has no verdict."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self.missing: list[Problem] = []
        self._cases = cases

    def find(self, label: Label) -> tuple[Case, Thing] | None:
        case = self._cases.get(label.case)
        if case is None:
            sentence = f"the run has no case '{visible(label.case)}'{did_you_mean(label.case, self._cases)}"
            self.missing.append(label.problem("unknown-case", sentence))
            return None
        things = case.find(label.kind.name, label.thing)
        problem = _missing(label, case, things)
        if problem is not None:
            self.missing.append(problem)
            return None
        return case, things[0]


def _missing(label: Label, case: Case, things: Sequence[Thing]) -> Problem | None:
    """Why there is no verdict for a label, if there is none."""
    known = case.things.get(label.kind.name, ())
    if not things and (not known or label.kind.is_flag):
        why = case.why.get(label.kind.name) or f"it gave no {label.kind.name} of this case"
        return label.problem("not-judged", f"the judge has no verdict on {label.named}: {visible(why)}")
    if not things:
        texts = [thing.text for thing in known if thing.text]
        hint = did_you_mean(label.thing, [*(thing.id for thing in known), *texts])
        return label.problem("unknown-item", f"the run does not hold {label.named}{hint}")
    if len({thing.verdict for thing in things}) > 1:
        ids = ", ".join(visible(thing.id) for thing in things[:MOST_NAMED])
        return label.problem("unknown-item", f"more than one of the run is {label.named}; name it by its id: {ids}")
    if things[0].verdict is None:
        why = things[0].why or "nobody asked it"
        return label.problem("not-judged", f"the judge has no verdict on {label.named}: {visible(why)}")
    return None
