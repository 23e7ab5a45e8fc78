"""Holds docs/reading.md to the reports: a reader finds every part that a comment can have."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
REPORTS = sorted((ROOT / "tests" / "gold" / "reports").glob("*-summary.md"))
BY_METRIC = re.compile(r"\S+ by category")


def titles() -> set[str]:
    """Every title of a part in the reports of tests/gold, without its number and with a floor's left open."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in REPORTS)
    found = re.findall(r"^### (.+)$|<summary>(.+?)</summary>", text, re.MULTILINE)
    bare = {re.sub(r"fewer than \d+", "fewer than …", re.sub(r"[:(].*", "", "".join(each)).strip()) for each in found}
    return {title for title in bare if not BY_METRIC.fullmatch(title)}


def test_every_part_of_a_report_is_explained() -> None:
    """A part that is added is explained where a reader of the comment looks."""
    assert len(titles()) > 20
    assert {title for title in titles() if title not in GUIDE} == set()


def test_every_link_leads_to_a_heading() -> None:
    """What is explained elsewhere is there."""
    for name, anchor in re.findall(r"\]\(([\w.-]+\.md)(?:#([\w-]+))?\)", GUIDE):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        headings = {
            re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-")
            for line in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        }
        assert not anchor or anchor in headings, (name, anchor)
