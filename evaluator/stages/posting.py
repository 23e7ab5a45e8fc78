"""The texts that publish writes: each within GitHub's limits, and never cut in the middle."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from evaluator.github.publishing import (
    LONGEST_COMMENT,
    LONGEST_CONTEXT,
    LONGEST_DESCRIPTION,
    LONGEST_SUMMARY,
    LONGEST_TITLE,
)
from evaluator.report.sizes import Limit
from evaluator.templates import cut, md, one_line

if TYPE_CHECKING:
    from evaluator.github.marks import Mark, Stamp
    from evaluator.model.publication import Publication, Remark

BYTES = 262_144
COMMENT = Limit(LONGEST_COMMENT, BYTES)
SUMMARY = Limit(LONGEST_SUMMARY, BYTES)
NO_VERDICT = "No verdict"
KEPT = (
    "This issue is changed in its place by every run on the schedule that does not pass, and closed by one that does. "
    "If it is closed before, the next one opens another."
)
LONGEST_HEADING = 1_000
LONGEST_REASON = 4_000
_ASTRAL = re.compile("[\U00010000-\U0010ffff]+")
"""What takes four bytes. GitHub refuses a status that has any, and a required one would stay pending."""

_OF_REPORT = re.compile(r"\s*^<!-- rag-assay suite=[a-z0-9-]+ -->\s*\Z", re.MULTILINE)


class Verdict(NamedTuple):
    """What is told: finished text, and which state it is.

    Attributes:
        outcome: ``passed``, ``failed``, ``inconclusive`` or ``error``.
        sentence: all of it in one line.
        comment: the comment as the report has it, without its marker.
        changed: whether anything is other than in the baseline.
        remarks: on lines of the golden files.
        more: cases that have none.
        quiet: no reason for a comment where there is none.
    """

    outcome: str
    sentence: str
    comment: str
    changed: bool = True
    remarks: tuple[Remark, ...] = ()
    more: int = 0
    quiet: bool = False

    @classmethod
    def of(cls, publication: Publication, comment: str) -> Verdict:
        """That of a decision; ``comment`` is comment.md."""
        text = _OF_REPORT.sub("", comment)
        return cls(
            publication.outcome, publication.sentence, text, publication.changed, publication.remarks,
            publication.more, publication.quiet,
        )  # fmt: skip

    @classmethod
    def none(cls, why: str) -> Verdict:
        """That there is none."""
        shown = one_line(why) or "not every zone ended well"
        return cls("error", f"{NO_VERDICT}: {shown}", f"## ⚠️ RAG Assay: no verdict\n\n{md(cut(shown, LONGEST_REASON))}")


class Pages(NamedTuple):
    """Where runs are shown; ``root`` is the address of the repository on GitHub."""

    root: str

    def of(self, stamp: Stamp) -> str:
        """The page of an attempt."""
        return f"{self.root}/actions/runs/{stamp.run}/attempts/{stamp.attempt}"


def comment(verdict: Verdict, mark: Mark, pages: Pages) -> str:
    """The comment: the report, earlier red runs on its commit, where all of it is, and the mark."""
    end = f"{_page(mark, pages)}\n\n{mark}\n"
    linked, counted = _red(mark, pages), _red(mark._replace(red=mark.red[-1:]), pages)
    for body, red in ((verdict.comment, linked), (verdict.comment, counted), (_short(verdict.comment), counted)):
        text = f"{body}\n\n{red}{end}"
        if COMMENT.holds(text):
            break
    return text


def issue(verdict: Verdict, mark: Mark, pages: Pages) -> str:
    """The text of the issue of runs on a schedule."""
    return comment(verdict._replace(comment=f"{verdict.comment.rstrip()}\n\n{KEPT}"), mark, pages)


def title(shown: str) -> str:
    """That of the issue; ``shown`` is the suite as people know it."""
    return cut(f"RAG Assay: {shown} does not pass on a schedule", LONGEST_TITLE // 2)


def passed(stamp: Stamp, pages: Pages) -> str:
    """What is said in an issue that is closed."""
    return f"The suite has passed again: [run {stamp.run}, attempt {stamp.attempt}]({pages.of(stamp)})."


def summary(verdict: Verdict, more: str = "") -> str:
    """What a check run says."""
    text = f"{verdict.comment}\n{more}"
    return text if SUMMARY.holds(text) else _short(verdict.comment)


def description(verdict: Verdict) -> str:
    """A status in so many words as it takes, without what GitHub refuses there: emoji and the like."""
    return cut(_ASTRAL.sub("\N{REPLACEMENT CHARACTER}", verdict.sentence), LONGEST_DESCRIPTION)


def context(shown: str) -> str:
    """The name of a status; what GitHub refuses is spelt out, so that unlike names stay unlike."""
    return cut(_ASTRAL.sub(lambda found: "".join(f"‹U+{ord(each):X}›" for each in found[0]), shown), LONGEST_CONTEXT)


def _short(text: str) -> str:
    heading = text.lstrip().partition("\n")[0]
    shown = heading if len(heading) <= LONGEST_HEADING else "## RAG Assay"
    return f"{shown}\n\nThe report is longer than GitHub takes here: the summary of the run has it."


def _red(mark: Mark, pages: Pages) -> str:
    if not mark.red:
        return ""
    links = (f"[run {each.run}, attempt {each.attempt}]({pages.of(each)}): {each.outcome}" for each in mark.red)
    return f"Earlier on this commit: {'; '.join(links)}.\n\n"


def _page(mark: Mark, pages: Pages) -> str:
    return f"<sub>[Summary and log of this run]({pages.of(mark.stamp)}), attempt {mark.stamp.attempt}</sub>"
