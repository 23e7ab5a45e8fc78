"""What writers share: what the other format cannot hold is named, never dropped silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from evaluator.model.exchange import Suite
    from evaluator.model.golden import Case

ALWAYS = {"id", "question"}


def fields_of(case: Case) -> dict[str, Any]:
    """The fields of a case that say something, as they stand in a golden file, in the order of the model."""
    found = case.model_dump(mode="json", exclude_defaults=True)
    if case.relevant:
        found["relevant"] = [need.to_golden() for need in case.relevant]
    facts = found.get("facts", ())
    for fact in facts:
        if not fact.get("any", True):
            del fact["any"]
    return found


def name_lost(suite: Suite, held: Collection[str], kind: str) -> None:
    """Name the fields of cases that a format cannot hold."""
    for case in suite.cases:
        for name in fields_of(case):
            if name not in held and name not in ALWAYS:
                suite.remark(f"field '{name}', which {kind} cannot hold")


def graded(case: Case, suite: Suite, kind: str) -> Iterator[tuple[str, int]]:
    """Chunk ids with grades, 0 for what is irrelevant: all that a format of judgements can hold of a case."""
    found: dict[str, int] = {}
    for need in case.labels.relevant:
        if need.chunk is None and need.any_of is None:
            suite.remark(f"need of a document or a quote, which {kind} cannot hold: it is left out")
        elif need.any_of is not None and len(set(need.any_of)) > 1:
            suite.remark(f"any_of need, each of whose chunks {kind} holds as relevant by itself")
        for chunk in need.any_of or ([need.chunk] if need.chunk is not None else []):
            found[chunk] = max(need.grade, found.get(chunk, 0))
    for chunk in case.irrelevant:
        found.setdefault(chunk, 0)
    yield from found.items()


def results(suite: Suite, kind: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The ranking of every case that was answered, each chunk once."""
    for case in suite.cases:
        answer = suite.answers.get(case.id)
        if answer is None or answer.get("failure") is not None:
            suite.remark(f"case without an answer, which {kind} cannot tell from one that retrieved nothing")
            continue
        once: dict[str, Mapping[str, Any]] = {}
        for hit in answer.get("retrieved") or ():
            if once.setdefault(hit["id"], hit) is not hit:
                suite.remark(f"result that repeats an earlier one, which {kind} refuses: it is left out")
        yield case.id, list(once.values())


def unspaced(name: str, kind: str) -> str:
    """An id for a format whose columns are separated by white space.

    Raises:
        UsageError: the id holds white space, or nothing.
    """
    if name.split() != [name]:
        raise errors.UsageError(f"{kind} separates its columns by white space, so the id {name!r} cannot be written")
    return name
