"""Which field of another tool's records becomes which of ours: by default, or as ``--map OURS=THEIRS`` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import errors
from evaluator.model.exchange import Option

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from evaluator.model.exchange import Settings
    from evaluator.stores.importers._json_files import Entry

TEXTS = ("question", "category", "language", "reference", "source", "paraphrase_of", "expect", "split")
LISTS = ("relevant", "relevant_texts", "relevant_docs", "irrelevant", "facts", "tags")
CASE = ("id", *TEXTS, *LISTS, "critical", "history", "notes")
ANSWER = (
    "retrieved", "retrieved_texts", "context", "answer", "abstained", "failure", "latency_ms", "cost_usd", "tokens",
)  # fmt: skip
OURS = (*CASE, *ANSWER)
"""What a field can become. Texts of chunks become needs or results by their text: see ``--chunks``."""

MAP = Option(
    "--map",
    "Which of their fields becomes which of ours, ours first: --map question=prompt. May be repeated. Ours are "
    f"{', '.join(OURS)}.",
    "texts",
    "OURS=THEIRS",
)
ABSTAIN = Option(
    "--abstain", "Cases whose field has this value expect an abstention, such as category=unanswerable; with nothing "
    "after the sign, cases without that field. May be repeated.", "texts", "OURS=VALUE",
)  # fmt: skip
CHUNKS = Option(
    "--chunks", "A chunks.jsonl: texts of chunks become ids where it has the same text. [default: texts stay quotes]"
)
OPTIONS = (MAP, ABSTAIN, CHUNKS)


class Column(NamedTuple):
    """A field of ours and the field of theirs that it is read from."""

    ours: str
    theirs: str


def pairs(settings: Settings, name: str) -> list[tuple[str, str]]:
    """What ``--map`` or ``--abstain`` was given.

    Raises:
        UsageError: a value is not ``OURS=THEIRS``, or names a field that we do not have.
    """
    found = []
    for text in settings.get(name) or ():
        ours, sign, theirs = text.partition("=")
        if not sign or ours not in OURS:
            near = errors.nearest(ours, OURS)
            hint = f"did you mean {near!r}?" if near else f"fields are {', '.join(OURS)}"
            raise errors.UsageError(f"--{name} {text}: {hint}" if sign else f"--{name} {text} is not OURS=THEIRS")
        found.append((ours, theirs))
    return found


def columns(records: Sequence[Entry], defaults: Mapping[str, Sequence[str]], settings: Settings) -> dict[str, str]:
    """The field of theirs for each of ours: as ``--map`` says, else the first of the defaults that any record has.

    Raises:
        UsageError: ``--map`` names a field that no record has.
    """
    present = dict.fromkeys(name for record in records for name in record.value)
    given = dict(pairs(settings, "map"))
    for ours, theirs in given.items():
        if theirs not in present:
            near = nearest(theirs, present)
            hint = f"did you mean {near!r}? " if near else ""
            raise errors.UsageError(f"--map {ours}={theirs}: no record has such a field; {hint}{_listed(present)}")
    taken = set(given.values())
    found = dict(given)
    for ours, candidates in defaults.items():
        if ours not in given and ours != "id":
            chosen = next((name for name in candidates if name in present and name not in taken), None)
            if chosen is not None:
                found[ours] = chosen
    if "id" not in given:
        chosen = _identifying(records, defaults.get("id", ()))
        if chosen is not None:
            found["id"] = chosen
    return found


def _identifying(records: Sequence[Entry], candidates: Iterable[str]) -> str | None:
    """The first field that tells all records apart."""
    for name in candidates:
        values = [record.value.get(name) for record in records]
        texts = [str(value) for value in values if isinstance(value, str | int) and str(value).strip()]
        if texts and len(set(texts)) == len(records):
            return name
    return None


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that is most like another, upper and lower case being the same; empty where none is near."""
    by_fold = {each.casefold(): each for each in known}
    return by_fold.get(errors.nearest(name.casefold(), by_fold, cutoff), "")


def _listed(names: Iterable[str]) -> str:
    return f"there are {', '.join(names) or 'none'}"


def target_names(found: Mapping[str, str], wanted: Collection[str], present: Collection[str], kind: str) -> None:
    """Refuse records without what every case needs; ``present`` are the fields that they have.

    Raises:
        UsageError: a field is missing.
    """
    missing = [name for name in wanted if name not in found]
    if missing:
        likely = nearest(missing[0], set(present) - set(found.values())) or "THEIRS"
        raise errors.UsageError(
            f"{kind}: no field says which is the {' or the '.join(missing)}; {_listed(present)}: say which, as in "
            f"--map {missing[0]}={likely}"
        )


def flattened(value: Mapping[str, Any], containers: Collection[str]) -> dict[str, Any]:
    """A record whose inner objects, where named, become fields with dotted names; what says nothing is left out."""
    found: dict[str, Any] = {}
    for name, part in value.items():
        if name in containers and isinstance(part, dict):
            found.update({f"{name}.{inner}": each for inner, each in part.items() if each is not None})
        elif part is not None:
            found[name] = part
    return found
