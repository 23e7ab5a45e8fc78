"""Texts a passage is looked for in: in each chunk, and across the chunks of a document (design section 4, ``quote``).

A document is read twice: its chunks one after the other, and, where a chunk begins with the end of the one before, with
what both repeat laid over one another. A passage that stands in either is there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._forms import Form, Span, chains, everywhere, overlap
from evaluator.model.quoting import CUT, GAP, dense, folded, spaced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

STRIDES = ((32, 32), (16, 16), (8, 8), (4, 4))
"""Every so many bytes of a text so many are looked up; a passage has to be as long as both together, less one.

The more are looked up, the less often other passages begin alike.
"""

FEW = 12
"""So many passages are found sooner one by one."""

MAX_LOOKED_UP = 10_000
"""A passage in so many places stands in some of them as whole words, or is one letter over and over."""

NEAR_STRIDE, NEAR_LENGTH = 8, 12
"""Every so many bytes of the documents so many are looked up, to find what is most like a text."""

MAX_NEAR = 3
NEAR_SHARE = 0.2
"""A chunk that is named as where a text went holds so much of it, and a third of what the first one holds."""


class _Sheet(NamedTuple):
    """A document's text in one reading; ``is_first`` where there is a second one, without what chunks repeat."""

    document: int
    is_first: bool


class Corpus:
    """Chunks that passages are looked for in; ``documents`` holds the texts of each document's chunks, in order."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        documents = list(documents)
        joined = f"\n{CUT}\n".join(folded(text) for texts in documents for text in texts)
        words = spaced(joined)
        cut = CUT.encode()
        parts = zip(words.split(cut), dense(words).split(cut), strict=True)
        self._forms = [Form(part.strip(b" "), whole) for part, whole in parts]
        self._spans: list[Span] = []
        self._sheets: list[_Sheet] = []
        self._text = self._laid_out(documents)
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]

    def _laid_out(self, documents: Sequence[Sequence[str]]) -> bytes:
        """All documents in one text, those that repeat themselves twice."""
        found: list[bytes] = []
        first = 0
        at = 0
        for number, texts in enumerate(documents):
            chunks = [chunk for chunk in range(first, first + len(texts)) if self._forms[chunk].dense]
            first += len(texts)
            texts_of = [self._forms[chunk].dense for chunk in chunks]
            shared = [0, *(overlap(*pair) for pair in pairwise(texts_of))] if chunks else []
            for repeats in ([0] * len(chunks), shared) if any(shared) else (shared,):
                self._sheets += [_Sheet(number, is_first=repeats is not shared)] * len(chunks)
                text = self._joined(chunks, repeats, at)
                found.append(text)
                at += len(text) + 1
        return CUT.encode().join(found)

    def _joined(self, chunks: Sequence[int], repeats: Sequence[int], at: int) -> bytes:
        """The text of a document that begins at an offset; the spans of its chunks are noted."""
        text = bytearray()
        for chunk, repeated in zip(chunks, repeats, strict=True):
            new = self._forms[chunk].dense
            if not repeated and text:
                self._join(text, new)
            start = at + len(text) - repeated
            text += new[repeated:]
            self._spans.append(Span(start, at + len(text), chunk))
        return bytes(text)

    def _join(self, text: bytearray, new: bytes) -> None:
        """Make a word that was broken at a hyphen whole, and keep two numbers apart."""
        last = self._spans[-1]
        if text[-1:] == b"-" and _is_letter(text[-2:-1]) and _is_letter(new[:1]):
            del text[-1:]
            self._spans[-1] = last._replace(end=last.end - 1)
        elif text[-1:].isdigit() and new[:1].isdigit():
            text += GAP
            self._spans[-1] = last._replace(end=last.end + 1)

    def places(self, passages: Collection[bytes], most: int) -> dict[bytes, list[int]]:
        """Where each dense passage stands as whole words and numbers, in ascending order; ``most`` of them at most."""
        found: dict[bytes, set[int]] = {passage: set() for passage in passages}
        by_stride: dict[tuple[int, int], list[bytes]] = defaultdict(list)
        for passage in found:
            fitting = (each for each in STRIDES if len(passage) >= sum(each) - 1)
            by_stride[next(fitting, (0, 0))].append(passage)
        alone = set(by_stride.pop((0, 0), ()))
        for (stride, length), longer in by_stride.items():
            if len(longer) <= FEW:
                alone.update(longer)
            else:
                self._look_up(longer, stride, length, found)
        return {
            passage: self._whole(everywhere(self._text, passage) if passage in alone else sorted(places), passage, most)
            for passage, places in found.items()
        }

    def _whole(self, places: Iterable[int], passage: bytes, most: int) -> list[int]:
        return list(islice((at for at in places if self._is_whole(at, at + len(passage))), most))

    def _is_whole(self, at: int, end: int) -> bool:
        if self._cuts(at) or self._cuts(end):
            return False
        # Of a document that is read twice, the second reading knows better what stands around a passage in one chunk.
        first = bisect_right(self._ends, at)
        return not self._sheets[first].is_first or self._ends[first] < end

    def _look_up(self, passages: Iterable[bytes], stride: int, length: int, found: Mapping[bytes, set[int]]) -> None:
        """Look only at every ``stride``-th place: so many parts of a passage in a row meet each of its places once."""
        wanted: dict[bytes, list[tuple[bytes, int]]] = defaultdict(list)
        for passage in passages:
            # Passages begin and end alike more often than they are alike in the middle.
            middle = (len(passage) - (stride + length - 1)) // 2
            for offset in range(middle, middle + stride):
                wanted[passage[offset : offset + length]].append((passage, offset))
        text = self._text
        for at in [at for at in range(0, len(text), stride) if text[at : at + length] in wanted]:
            for passage, offset in wanted[text[at : at + length]]:
                places = found[passage]
                if at >= offset and len(places) < MAX_LOOKED_UP and text.startswith(passage, at - offset):
                    places.add(at - offset)

    def _cuts(self, at: int) -> bool:
        """Whether some chunk shows that a word or number goes on; what two chunks part may be two words."""
        place = bisect_right(self._ends, at)
        if place == len(self._spans) or self._starts[place] >= at:
            return False
        span = self._spans[place]
        return self._forms[span.chunk].cuts(at - span.start)

    def chains(self, at: int, passage: bytes) -> Iterator[tuple[int, ...]]:
        """The chunks, counted over all documents, that together hold a passage at one of its places."""
        end = at + len(passage)
        within = self._spans[bisect_right(self._ends, at) : bisect_left(self._starts, end)]
        return chains(within, at, end)

    def occurrences(self, places: Iterable[int]) -> int:
        """How often a passage stands in the documents, however they are cut: what overlaps is counted once."""
        counts = Counter(self._sheets[bisect_right(self._ends, at)] for at in places)
        once = {sheet.document: count for sheet, count in counts.items() if sheet.is_first}
        return sum(
            {**once, **{sheet.document: count for sheet, count in counts.items() if not sheet.is_first}}.values()
        )

    def nearest(self, texts: Sequence[bytes]) -> list[tuple[int, ...]]:
        """For each dense text the chunks that hold most of it, the three most like it at most, in their order."""
        wanted: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts):
            for offset in range(len(text) - NEAR_LENGTH + 1):
                wanted[text[offset : offset + NEAR_LENGTH]].append((number, offset))
        counts: list[Counter[tuple[int, int]]] = [Counter() for _ in texts]
        whole = self._text
        for at in range(0, len(whole), NEAR_STRIDE):
            for number, offset in wanted.get(whole[at : at + NEAR_LENGTH], ()):
                # What two texts have in common and in the same order is as far apart in both.
                counts[number][self._spans[bisect_right(self._ends, at)].chunk, at - offset] += 1
        return [_most_like(found, len(text) / NEAR_STRIDE) for found, text in zip(counts, texts, strict=True)]


def _most_like(counts: Counter[tuple[int, int]], whole: float) -> tuple[int, ...]:
    """The chunks with the most in common with a text, of which ``whole`` would be all."""
    best: dict[int, int] = {}
    for (chunk, _), count in counts.most_common():
        best.setdefault(chunk, count)
    enough = max(1.0, NEAR_SHARE * whole, max(best.values(), default=0) / MAX_NEAR)
    return tuple(sorted(chunk for chunk, count in [*best.items()][:MAX_NEAR] if count >= enough))


def _is_letter(byte: bytes | bytearray) -> bool:
    return byte.isalpha() or byte >= b"\x80"
