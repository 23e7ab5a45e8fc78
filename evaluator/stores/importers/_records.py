"""Records of another tool, one a question, made into cases and answers; what has no place is named and kept."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.model.exchange import Draft, path
from evaluator.stores.importers._cells import (
    HIT,
    asked,
    fact_of,
    flag_of,
    hit_of,
    list_of,
    need_of,
    number_of,
    text_of,
    turns_of,
)
from evaluator.stores.importers._json_files import json_lines, shortened
from evaluator.stores.importers._mapping import ANSWER, LISTS, OURS, TEXTS, columns, nearest, pairs, target_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.exchange import Intake, Settings
    from evaluator.stores.importers._json_files import Entry

DERIVED = "text-"
"""How the id of a chunk begins that has none of its own: it is made of its text."""

MAX_SLUG = 60

ALIKE = 0.8
"""How like a name of ours a foreign one must be to be taken for a slip of the pen."""

WORDY = 5
"""An id of so many words is more likely a passage."""

SENTENCE_END = re.compile(r"[。！？]|\w{3}[.!?]\s")
USAGE = ("latency_ms", "cost_usd", "tokens")


class Layout(NamedTuple):
    """How the records of a tool are read.

    Attributes:
        kind: the tool's name.
        defaults: fields of theirs for each of ours, the likeliest first.
        results: whether a field that becomes none of ours tells of an answer, rather than of the case.
        writes: the field of theirs for each of ours when a suite is written.
        separator: between the items of a list that is written as one text.
    """

    kind: str
    defaults: Mapping[str, Sequence[str]]
    results: Callable[[str, Any], bool]
    writes: Mapping[str, str]
    separator: str = "|"


def read_records(records: Sequence[Entry], layout: Layout, file: Path, settings: Settings, intake: Intake) -> None:
    """Fill an intake from flat records."""
    if intake.problems:
        return
    if not records:
        intake.problem("no-cases", "there is no question in this file", file)
        return
    found = columns(records, layout.defaults, settings)
    target_names(found, ["question"], dict.fromkeys(name for record in records for name in record.value), layout.kind)
    reader = _Reader(layout, found, file, settings, intake)
    for record in records:
        reader.add(record)
    reader.finish()


class _Reader:
    """Makes drafts of records."""

    def __init__(
        self, layout: Layout, found: Mapping[str, str], file: Path, settings: Settings, intake: Intake
    ) -> None:
        self._layout = layout
        self._columns = found
        self._file = file
        self._intake = intake
        self._abstain = pairs(settings, "abstain")
        self._chunks = known_chunks(path(settings, "chunks"), intake)
        self._answers: dict[str, Draft] = {}
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        self._guesses: dict[str, str] = {}

    def add(self, record: Entry) -> None:
        """Take one record."""
        taken = set(self._columns.values())
        rest = {name: value for name, value in record.value.items() if name not in taken and _says(value)}
        given = {ours: record.value.get(theirs) for ours, theirs in self._columns.items()}
        # An empty list of results does say something: that nothing was retrieved.
        given = {ours: value for ours, value in given.items() if value is not None and value != ""}
        try:
            case = self._case(given)
            answer = self._answer(given, case)
        except ValueError as error:
            self._intake.problem("wrong-value", str(error), self._file, record.line)
            return
        of_answer = {name: value for name, value in rest.items() if self._layout.results(name, value)}
        of_case = {name: value for name, value in rest.items() if name not in of_answer}
        self._keep(case, answer, of_case, of_answer)
        self._intake.cases.append(Draft(case, str(self._file), record.line))
        if len(answer) > 1:
            self._answers[case["id"]] = Draft(answer, str(self._file), record.line)

    def finish(self) -> None:
        """Hand over the answers, if there is any."""
        if self._answers:
            self._intake.answers = self._answers
            missing = len(self._intake.cases) - len(self._answers)
            if missing:
                self._intake.remark("case without an answer, which a run of these answers counts as failed", missing)
        if self._texts:
            self._intake.remark(
                f"{self._columns['relevant']!r} is taken for ids of chunks and holds text, such as "
                f"{shortened(self._texts[0])!r}; passages that must be found are mapped by "
                f"--map relevant_texts={self._columns['relevant']}", len(self._texts),
            )  # fmt: skip
        if "id" not in self._columns:
            self._intake.remark("ids were made of the questions; name a field with --map id=THEIRS if there is one")

    def _case(self, given: Mapping[str, Any]) -> dict[str, Any]:
        question, before = asked(given.get("question", ""))
        case: dict[str, Any] = {"id": self._identifier(given, question), "question": question}
        case |= {name: text_of(given[name], name) for name in (*TEXTS, "notes") if name in given and name != "question"}
        if "critical" in given:
            case["critical"] = flag_of(given["critical"], "critical")
        history = turns_of(given["history"]) if "history" in given else before
        found = {**self._lists(given), "history": history}
        case |= {name: value for name, value in found.items() if value}
        for name, value in self._abstain:
            if str(case.get(name, "")) == value:
                case["expect"] = "abstain"
        if case.get("expect") == "abstain" and case.pop("facts", None):
            self._intake.remark("facts of a case that expects an abstention, left out")
        return case

    def _lists(self, given: Mapping[str, Any]) -> dict[str, list[Any]]:
        lists = {name: self._list(given, name) for name in LISTS}
        texts = {name: [text_of(each, name) for each in lists[name]] for name in ("irrelevant", "tags")}
        facts = [fact_of(each, number) for number, each in enumerate(lists["facts"], 1)]
        return {"relevant": self._needs(lists), "facts": facts, **texts}

    def _identifier(self, given: Mapping[str, Any], question: str) -> str:
        if "id" in self._columns:
            if "id" not in given:
                raise ValueError(f"this record has no {self._columns['id']!r}, which is the id")
            return text_of(given["id"], "id")
        slug = re.sub(r"\W+", "-", question.casefold())[:MAX_SLUG].strip("-") or "question"
        self._ids[slug] = self._ids.get(slug, 0) + 1
        return slug if self._ids[slug] == 1 else f"{slug}-{self._ids[slug]}"

    def _needs(self, lists: Mapping[str, Sequence[Any]]) -> list[Any]:
        needs = [need_of(each) for each in lists.get("relevant", ())]
        self._texts += [need for need in needs if isinstance(need, str) and self._is_text(need)]
        needs += [{"doc": text_of(each, "relevant_docs")} for each in lists.get("relevant_docs", ())]
        if needs:
            return needs
        texts = [text_of(each, "relevant_texts") for each in lists.get("relevant_texts", ())]
        return [self._chunks.get(normal(text)) or self._quote(text) for text in texts if text.strip()]

    def _is_text(self, need: str) -> bool:
        """Whether what stands in place of an id reads like a passage."""
        wordy = len(need.split()) >= WORDY or bool(SENTENCE_END.search(need))
        return wordy and need not in self._chunks.values()

    def _quote(self, text: str) -> dict[str, str]:
        if self._chunks:
            self._intake.remark("passage that is no chunk of --chunks: it stays a quote")
        return {"quote": text}

    def _answer(self, given: Mapping[str, Any], case: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {"id": case["id"]}
        if not any(name in given for name in ANSWER):
            return answer
        if "failure" in given:
            return {**answer, "failure": {"kind": "error", "message": text_of(given["failure"], "failure")}}
        answer["retrieved"] = self._retrieved(given)
        if "retrieved" not in given and "retrieved_texts" not in given:
            self._intake.remark("answer that does not say what was retrieved: ranking metrics take it as nothing")
        if "context" in given:
            answer["context"] = [text_of(each, "context") for each in self._list(given, "context")]
        if "answer" in given:
            answer["answer"] = text_of(given["answer"], "answer")
        if "abstained" in given:
            answer["abstained"] = flag_of(given["abstained"], "abstained")
        usage = {name: number_of(given[name], name) for name in USAGE if name in given}
        return {**answer, "usage": usage} if usage else answer

    def _list(self, given: Mapping[str, Any], name: str) -> list[Any]:
        return list_of(given[name], self._layout.separator, name) if name in given else []

    def _retrieved(self, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = self._list(given, "retrieved")
        for name in {name for each in found if isinstance(each, dict) for name in each} - {*HIT}:
            self._intake.remark(f"field '{name}' of a retrieved result, left out")
        hits = [hit_of(each) for each in found]
        texts = [text_of(each, "retrieved_texts") for each in self._list(given, "retrieved_texts")]
        if not hits:
            return [{"id": self._chunks.get(normal(text)) or derived_id(text), "text": text} for text in texts]
        if texts and len(texts) != len(hits):
            raise ValueError(f"there are {len(hits)} retrieved ids and {len(texts)} texts; they must go together")
        return [{**hit, "text": text} for hit, text in zip(hits, texts, strict=True)] if texts else hits

    def _meant(self, name: str) -> str:
        """The end of a sentence that names the field of ours that a foreign one was likely to be."""
        if name not in self._guesses:
            near = nearest(name, [ours for ours in OURS if ours not in self._columns], ALIKE)
            self._guesses[name] = f"; if {near!r} is meant, --map {near}={name}" if near else ""
        return self._guesses[name]

    def _keep(
        self, case: dict[str, Any], answer: dict[str, Any], of_case: dict[str, Any], of_answer: dict[str, Any]
    ) -> None:
        """Name what became no field of ours, and keep it where a person, or an export, can find it."""
        for name in of_case:
            self._intake.remark(f"field '{name}' has no place in a golden case; kept in notes{self._meant(name)}")
        for name in of_answer:
            self._intake.remark(f"field '{name}' has no place in an answer; kept in its meta")
        kept = [kept_line(self._layout.kind, name, value) for name, value in of_case.items()]
        if kept:
            case["notes"] = "\n".join([*([case["notes"]] if "notes" in case else []), *kept])
        if of_answer:
            answer.setdefault("retrieved", [])
            answer["meta"] = {self._layout.kind: of_answer}


def _says(value: Any) -> bool:
    """Whether there is anything: null, empty text and empty lists say nothing, 0 and false do."""
    return value is not None and (not isinstance(value, str | list | dict) or bool(value))


def known_chunks(file: Path | None, intake: Intake) -> dict[str, str]:
    """Ids of chunks by their text, the first of equal ones."""
    found: dict[str, str] = {}
    for entry in json_lines(file, intake) if file is not None else ():
        name, text = entry.value.get("id", entry.value.get("_id")), entry.value.get("text")
        if isinstance(name, str) and isinstance(text, str):
            found.setdefault(normal(text), name)
        elif file is not None:
            intake.problem("missing-field", "a chunk has an id and a text", file, entry.line)
    return found


def normal(text: str) -> str:
    """A text as it is looked up: white space apart."""
    return " ".join(text.split())


def derived_id(text: str) -> str:
    """The id of a chunk that has none: equal texts have the same."""
    return DERIVED + hashlib.sha256(normal(text).encode()).hexdigest()[:16]


def kept_line(kind: str, name: str, value: Any) -> str:
    """A foreign field as a line of notes, which an export reads back."""
    return f"{kind} {name} = {json.dumps(value, ensure_ascii=False)}"
