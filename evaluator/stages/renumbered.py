"""Labels by id whose chunk says something else in the candidate than it did in the baseline.

An id is met by whatever stands under it. Where documents were cut or numbered anew, a label can so come to mean another
passage, and what is measured by it is no longer what somebody once reviewed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evaluator.metrics._scripts import count_unspaced
from evaluator.metrics.scoring import as_seen
from evaluator.model.counting import counted
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.view import CaseView

RUN = 3
WORDS_IN_COMMON, CHARACTERS_IN_COMMON = 0.05, 0.2
"""Below so large a share of runs of three words, or of three characters, of the shorter text, two texts are about
different things: any two texts of a language have some characters in common."""
MAX_NAMED = 3


def renumbered(before: CaseView, after: CaseView) -> Iterator[str]:
    """Chunks that labels of a case name by id, and that came in both runs with texts that have nothing in common.

    A chunk whose text either run does not hold says nothing: where the candidate did not retrieve it, the need is lost.
    """
    for need, old, new in zip(after.labels.relevant, before.needs, after.needs, strict=True):
        if need.doc is not None or need.quote is not None or old.digest == new.digest:
            continue
        for chunk in dict.fromkeys(chunk for way in new.ways for chunk in way):
            then, now = before.passages.get(chunk), after.passages.get(chunk)
            if then is not None and now is not None and then.text and now.text and are_unlike(then.text, now.text):
                yield chunk


def are_unlike(first: str, second: str) -> bool:
    """Whether two texts have next to nothing in common; one that is within the other has all of it."""
    one, other = as_seen(first.casefold()), as_seen(second.casefold())
    if one in other or other in one:
        return False
    words, others = (re.findall(r"\w+", text.casefold()) for text in (first, second))
    # Scripts without spaces have no words to compare, and short texts too few.
    few = min(len(words), len(others)) < 2 * RUN or any(2 * count_unspaced(text) > len(text) for text in (one, other))
    if few:
        return _in_common(one, other) < CHARACTERS_IN_COMMON
    return _in_common(words, others) < WORDS_IN_COMMON


def _in_common(first: Sequence[str], second: Sequence[str]) -> float:
    """Share of the runs of the shorter one that both have."""
    one, other = _runs(first), _runs(second)
    return len(one & other) / min(len(one), len(other))


def _runs(parts: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(parts[start : start + RUN]) for start in range(max(1, len(parts) - RUN + 1))}


def alert(found: Mapping[str, Sequence[str]]) -> str:
    """The sentence on top of a comment; ``found`` are chunks by case."""
    named = [f"'{visible(chunk)}' (case '{visible(case)}')" for case, chunks in found.items() for chunk in chunks]
    more = f" and {counted(len(named) - MAX_NAMED, 'other')}" if len(named) > MAX_NAMED else ""
    labels = "label means" if len(named) == 1 else "labels mean"
    shown = ", ".join(named[:MAX_NAMED])
    return f"{len(named):,} {labels} other text than in the baseline, under the same id: {shown}{more}."
