"""Cases and answers made into the records of another tool again, with what an import kept of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.stores.importers._leaving import fields_of
from evaluator.stores.importers._mapping import pairs
from evaluator.stores.importers._records import DERIVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evaluator.model.exchange import Settings, Suite
    from evaluator.model.golden import Case
    from evaluator.stores.importers._records import Layout

INFERRED = {"expect", "relevant", "irrelevant", "facts"}
"""Fields that every format says in its own way, or names by itself."""


class Returned(NamedTuple):
    """One case for another tool.

    Attributes:
        fields: what it has a field for, by the name of that.
        kept: fields of theirs that an import kept in the notes.
        scores: fields of theirs that an import kept in the answer's meta.
        case: the case.
    """

    fields: dict[str, Any]
    kept: dict[str, Any]
    scores: dict[str, Any]
    case: Case


def returned(suite: Suite, layout: Layout, settings: Settings) -> Iterator[Returned]:
    """Every case; what has no field there is named."""
    targets = {**layout.writes, **dict(pairs(settings, "map"))}
    texts = {**_answered_texts(suite), **suite.texts}
    for case in suite.cases:
        said = {name: value for name, value in fields_of(case).items() if name not in INFERRED}
        notes, kept = _split(said.pop("notes", ""), layout.kind)
        answer = suite.answers.get(case.id, {})
        said |= {"notes": notes} if notes else {}
        said |= _passages(case, texts, suite, layout.kind) | _of_answer(answer, texts, suite)
        for name in said.keys() - targets.keys():
            suite.remark(f"field '{name}', which {layout.kind} cannot hold")
        fields = {targets[name]: value for name, value in said.items() if name in targets}
        meta = answer.get("meta")
        scores = meta.get(layout.kind) if isinstance(meta, dict) else None
        yield Returned(fields, kept, scores if isinstance(scores, dict) else {}, case)


def _split(notes: str, kind: str) -> tuple[str, dict[str, Any]]:
    """Notes of people, and the fields that an import of this format kept among them."""
    own, kept = [], {}
    for line in notes.splitlines():
        found = _kept(line, kind)
        if found is None:
            own.append(line)
        else:
            kept[found[0]] = found[1]
    return "\n".join(own), kept


def _kept(line: str, kind: str) -> tuple[str, Any] | None:
    name, sign, value = line.removeprefix(f"{kind} ").partition(" = ")
    if not sign or not line.startswith(f"{kind} "):
        return None
    try:
        return name, json.loads(value)
    except ValueError:
        return None


def _answered_texts(suite: Suite) -> dict[str, str]:
    return {
        hit["id"]: hit["text"]
        for answer in suite.answers.values()
        for hit in answer.get("retrieved") or ()
        if isinstance(hit.get("text"), str)
    }


def _passages(case: Case, texts: Mapping[str, str], suite: Suite, kind: str) -> dict[str, Any]:
    """Texts of what is relevant, and ids where all of it has one."""
    ids, passages = [], []
    for need in case.labels.relevant:
        chunk = need.chunk or (need.any_of[0] if need.any_of else None)
        if need.any_of is not None and len(need.any_of) > 1:
            suite.remark(f"any_of need, of which {kind} holds the first chunk")
        if need.grade != 1:
            suite.remark(f"grade of a need, which {kind} cannot hold")
        if need.quote is not None:
            passages.append(need.quote)
        elif chunk is not None:
            ids.append(chunk)
            passages += [texts[chunk]] if chunk in texts else []
        else:
            suite.remark(f"need of a document, which {kind} cannot hold: it is left out")
    found: dict[str, Any] = {"relevant_texts": passages} if passages else {}
    whole = len(passages) == len(case.labels.relevant)
    if ids and not whole:
        suite.remark("relevant chunk whose text is not known; --fixture or answers with texts would tell it")
    return {**found, "relevant": ids} if ids and len(ids) >= len(passages) else found


def _of_answer(answer: Mapping[str, Any], texts: Mapping[str, str], suite: Suite) -> dict[str, Any]:
    hits = answer.get("retrieved") or []
    ids = [hit["id"] for hit in hits]
    passages = [hit.get("text") or texts.get(hit["id"]) for hit in hits]
    found: dict[str, Any] = {}
    if None in passages:
        suite.remark("retrieved chunk whose text is not known; --fixture or answers with texts would tell it")
    elif hits:
        found["retrieved_texts"] = passages
    if any(not name.startswith(DERIVED) for name in ids):
        found["retrieved"] = ids
    if isinstance(answer.get("answer"), str):
        found["answer"] = answer["answer"]
    if isinstance(answer.get("failure"), dict):
        suite.remark("answer that failed, written as none")
    return found
