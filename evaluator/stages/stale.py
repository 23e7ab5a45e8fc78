"""Labels that documents cut anew leave behind: quotes that stand nowhere, and where the text of a lost chunk went."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.metrics import quotes
from evaluator.model import record
from evaluator.model.counting import counted
from evaluator.model.quoting import normal_form
from evaluator.model.run import MAX_INLINE_CASES
from evaluator.stages.lint import Doubt, listed, needed
from evaluator.stores.records import iter_records
from evaluator.stores.runs import read_run
from evaluator.stores.values import read_value
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.metrics.scoring import Quoted
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.model.record import Hit
    from evaluator.stores.words import Path as Place

TOO_OFTEN = f"stands in more than {quotes.MAX_PLACES} places: quote more of the passage, or name the document"
GONE = "mend the label, or run with --allow-stale, which counts it as not retrieved"
"""What to do about a quote that no chunk holds any more."""
SHOWN = 60
"""So many characters of a quote say which one is meant."""


def unsound_quotes(cases: Iterable[Case]) -> Iterator[Doubt]:
    """Quotes without anything that a text could be known by."""
    for case, path, quote in _quotes(cases):
        if not normal_form(quote):
            text = f"the quote '{visible(quote, SHOWN)}' has no letter and no digit"
            yield Doubt("unsound-quote", text, case.id, path, "error")


def lost_quotes(cases: Iterable[Case], found: Quoted, fixture: Fixture) -> list[Doubt]:
    """Quotes that stand nowhere in a fixture, or in too many places to mean one; those that are unsound left out."""
    doubts: list[Doubt] = []
    lost: list[tuple[int, str]] = []
    for case, path, quote in _quotes(cases):
        what = found.get(normal_form(quote))
        if what is None or 0 < what.places <= quotes.MAX_PLACES:
            continue
        lost += [] if what.places else [(len(doubts), quote)]
        code, wrong = ("common-quote", TOO_OFTEN) if what.places else ("unknown-quote", "is in no chunk of the fixture")
        doubts.append(Doubt(code, f"the quote '{visible(quote, SHOWN)}' {wrong}", case.id, path, "error"))
    if lost:
        near = quotes.Index(fixture).nearest([quote for _, quote in lost])
        for (place, _), chunks in zip(lost, near, strict=True):
            hint = f"; what is most like it stands in {listed(chunks)}" if chunks else ""
            hint += f"; {GONE}"
            doubts[place] = doubts[place]._replace(message=doubts[place].message + hint)
    return doubts


def contradicted_quotes(cases: Iterable[Case], found: Quoted) -> Iterator[Doubt]:
    """Chunks that are labelled irrelevant and hold a passage that is needed."""
    for case, path, quote in _quotes(cases):
        what = found.get(normal_form(quote))
        for way in what.ways if what is not None and case.irrelevant else ():
            if len(way) == 1 and way[0] in case.irrelevant:
                text = f"the chunk '{visible(way[0])}' is labelled irrelevant and holds the quote"
                yield Doubt("relevant-and-irrelevant", text, case.id, path)


def _quotes(cases: Iterable[Case]) -> Iterator[tuple[Case, Place, str]]:
    for case in cases:
        for index, need in enumerate(case.relevant):
            if need.quote is not None:
                yield case, ("relevant", index), need.quote


class Trail:
    """What earlier runs stored of chunks, and where it stands in a fixture of other chunks.

    These are the committed baseline and what was last collected in ``out``. One that cannot be read says nothing, nor
    does one of the same chunks.
    """

    def __init__(self, fixture: Fixture, baseline: Path | None, out: Path | None) -> None:
        self.fixture = fixture
        self._baseline = baseline
        self._out = out

    def texts(self, chunks: Collection[str]) -> dict[str, str]:
        """The texts that some chunks had, as far as they are known."""
        found: dict[str, str] = {}
        for place, read in ((self._out, _collected), (self._baseline, _of_run)):
            wanted = set(chunks) - found.keys()
            if place is None or not wanted:
                continue
            try:
                digest, hits = read(place)
                if digest not in {None, self.fixture.digests.chunks}:
                    _note(hits, wanted, found)
            except errors.FileProblem:
                continue
        return found

    def lead(self, texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The chunks that hold most of each text now; a text that went nowhere is left out."""
        near = quotes.Index(self.fixture).nearest(list(texts.values())) if texts else []
        return {chunk: now for chunk, now in zip(texts, near, strict=True) if now}

    def __call__(self, chunks: Collection[str]) -> dict[str, tuple[str, ...]]:
        """For chunks that are gone those that hold most of their text now, where that is known."""
        return self.lead(self.texts(chunks))


def renumbered(cases: Sequence[Case], trail: Trail) -> Iterator[Doubt]:
    """Ids that the fixture holds and that named another text when the last run was made: the label went with the id."""
    fixture = trail.fixture
    named = {chunk for case in cases for _, chunk in needed(case) if chunk in fixture.by_id}
    before = trail.texts(named)
    changed = {
        chunk: text for chunk, text in before.items() if normal_form(text) != normal_form(fixture.by_id[chunk].text)
    }
    now = trail.lead(changed)
    for case in cases:
        for path, chunk in needed(case):
            if chunk in changed and chunk not in now.get(chunk, ()):
                went = f"stands in {listed(now[chunk])} now" if chunk in now else "is in no chunk now"
                text = f"the chunk '{visible(chunk)}' had another text in the last run, which {went}"
                yield Doubt("moved-chunk", text, case.id, path)


def alert(doubts: Sequence[Doubt]) -> str:
    """The sentence on top of a comment about labels that nothing can satisfy."""
    named = f"{counted(len(doubts), 'label')} of {counted(len({doubt.case for doubt in doubts}), 'case')}"
    common = any(doubt.code == "common-quote" for doubt in doubts)
    often = ", or holds it in too many places" if common else ""
    return f"{named} cannot be retrieved: the fixture does not hold what they name{often}."


def _collected(out: Path) -> tuple[str | None, Iterator[Sequence[Hit]]]:
    """The digest of the chunks that were searched, and the results of every case."""
    made = read_value(out / "collect.json", record.Collection).fixture
    hits = (each.retrieved for each in iter_records(out / "records.jsonl"))
    return made.chunks if made is not None else None, hits


def _of_run(path: Path) -> tuple[str | None, Iterator[Sequence[Hit]]]:
    run = read_run(path)
    return run.head.fingerprint.get("chunks"), (stored.retrieved for stored in run.cases())


def _note(results: Iterable[Sequence[Hit]], wanted: set[str], found: dict[str, str]) -> None:
    for hits in islice(results, MAX_INLINE_CASES):
        for hit in hits:
            if hit.id in wanted and hit.text is not None:
                found[hit.id] = hit.text
                wanted.remove(hit.id)
        if not wanted:
            return
