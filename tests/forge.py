"""What the forge makes of Markdown: its own parser, and what it looks for in the text afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

UNTOUCHED = ("code", "pre", "a")
"""Text inside these is not searched for references."""

REFERENCES = {
    "mention": re.compile(r"(?<![A-Za-z0-9_`])@[A-Za-z0-9]"),
    "issue": re.compile(r"#\d|(?<![A-Za-z0-9])GH-\d", re.IGNORECASE),
    "ticket": re.compile(r"\b[A-Z]{2,}-\d"),
    "address": re.compile(r"[A-Za-z0-9._+-]@[A-Za-z0-9-]+\.[A-Za-z]"),
    "link": re.compile(r"\w+://|\bwww\.", re.IGNORECASE),
    "emoji": re.compile(r":[A-Za-z0-9_+-]+:"),
    "mathematics": re.compile(r"\$.+\$"),
}


def to_html(markdown: str) -> str:
    """HTML of a comment, raw tags included: cleaning up is done later and elsewhere."""
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


@dataclass
class Page(HTMLParser):
    """Text and markup of a rendered comment."""

    texts: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []

    @classmethod
    def of(cls, markdown: str) -> Page:
        """A comment as a reader meets it."""
        page = cls()
        page.feed(to_html(markdown))
        page.close()
        assert page._open == [], "a tag is left open"
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not [name for name, _ in attrs if name not in ("align", "start")], (tag, attrs)
        self.tags.append(tag)
        if tag not in ("br", "hr"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if not set(self._open) & set(UNTOUCHED):
            self.searched.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def text(self) -> str:
        """All text, run together as the parts of a line are."""
        return "".join(self.texts)

    @property
    def references(self) -> list[tuple[str, str]]:
        """Everything the forge would turn into something else; it looks at one piece of text at a time."""
        return [(name, text) for text in self.searched for name, pattern in REFERENCES.items() if pattern.search(text)]
