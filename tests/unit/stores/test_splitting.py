from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.stores.documents import Document
from evaluator.stores.splitting import Splitter, Splitting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.fixture import Chunk

HANDBOOK = """---
title: A title
---
Before any heading.

# Leave

## Annual leave

You have 25 days. Ask in May.

```
# not a heading
```

Sick leave
----------

Call before nine. Then rest. Then call again. Get well.

## Nothing here
"""


def cut(text: str, *, is_markdown: bool = True, **splitting: Any) -> Sequence[Chunk]:
    """The chunks of one document."""
    return list(Splitter(Splitting(**splitting)).chunks(Document("hr/a.md", text, is_markdown)))


def texts(text: str, *, is_markdown: bool = True, **splitting: Any) -> list[str]:
    """Their texts."""
    return [chunk.text for chunk in cut(text, is_markdown=is_markdown, **splitting)]


def test_markdown_is_cut_at_its_headings() -> None:
    """Each section is a chunk with the headings it stands under; front matter and code make no heading."""
    found = cut(HANDBOOK)
    assert [(chunk.text.split("\n")[0], (chunk.meta or {}).get("heading")) for chunk in found] == [
        ("---", None),
        ("# Leave", "Leave > Annual leave"),
        ("Sick leave", "Leave > Sick leave"),
        ("## Nothing here", None),
    ]
    assert found[1].text == "# Leave\n\n## Annual leave\n\nYou have 25 days. Ask in May.\n\n```\n# not a heading\n```"


def test_a_long_section_is_cut_further() -> None:
    """No chunk has more tokens than it may, by headings as by tokens."""
    long = "# T\n\n" + "One more sentence of seven words here. " * 30
    for by in ("headings", "tokens"):
        found = texts(long, by=by, size=40)
        assert len(found) >= 6
        # A token of English is rarely shorter than three letters.
        assert max(len(text.split()) for text in found) <= 40


def test_sentences_are_counted_within_a_section() -> None:
    """So many sentences a chunk, none across a heading, and the heading stands before its first."""
    found = texts("# A\n\nOne. Two! Three? Four.\n\n## B\n\nFive costs 3.50 EUR. Six.", by="sentences", size=3)
    assert found == ["# A\n\nOne. Two! Three?", "Four.", "## B\n\nFive costs 3.50 EUR. Six."]


def test_sentences_may_overlap() -> None:
    """A chunk begins with the last sentences of the one before, and none is only a repetition."""
    found = texts("One. Two. Three. Four. Five.", is_markdown=False, by="sentences", size=3, overlap=1)
    assert found == ["One. Two. Three.", "Three. Four. Five."]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "年假为十天。病假另计！可以吗？", ["年假为十天。", "病假另计！", "可以吗？"]),
        ("ja", "休暇は十日です。病欠は別です。", ["休暇は十日です。", "病欠は別です。"]),
        (
            "sv",
            "Semestern är 25 dagar. Den tas ut bl.a. i juli.",
            ["Semestern är 25 dagar.", "Den tas ut bl.a. i juli."],
        ),
    ],
)
def test_a_language_ends_its_sentences_its_own_way(language: str, text: str, expected: list[str]) -> None:
    """L2: full-width marks end a sentence without a space, and an abbreviation ends none."""
    assert texts(text, is_markdown=False, by="sentences", size=1, language=language) == expected


BLOCKS = st.lists(
    st.sampled_from(
        [
            "# One", "## Two", "### 三", "Some text. And more! Is it?", "- item\n- item", "> quoted\n> # no heading",
            "| a | b |\n|---|---|\n| 1 | 2 |", "```\n# code\n```", "Setext\n===", "汉字。再来。", "", "   ",
            "\u2028x\x0b", "e.g. 3.5 %",
        ]
    ),
    max_size=12,
)  # fmt: skip


@given(BLOCKS, st.sampled_from(["headings", "sentences", "tokens"]), st.integers(1, 30), st.booleans())
def test_nothing_of_a_document_is_lost_or_repeated(blocks: list[str], by: str, size: int, is_markdown: bool) -> None:
    """However it is cut, a document's chunks are its text, white space aside, with ids of their own."""
    text = "\n\n".join(blocks)
    found = cut(text, is_markdown=is_markdown, by=by, size=size)
    assert "".join("".join(chunk.text.split()) for chunk in found) == "".join(text.split())
    assert len({chunk.id for chunk in found}) == len(found)
    assert all(chunk.text.strip() and chunk.doc == "hr/a.md" for chunk in found)


def test_an_id_stays_while_the_text_does() -> None:
    """A section written before another, and a paragraph laid out anew, leave the other ids as they were."""
    before = {chunk.id for chunk in cut("# A\n\nOne line.\n\n# B\n\nTwo\nlines.\n")}
    after = {chunk.id for chunk in cut("# New\n\nText.\n\n# A\n\nOne line.\n\n# B\n\nTwo lines.\n")}
    changed = {chunk.id for chunk in cut("# A\n\nOne line more.\n\n# B\n\nTwo lines.\n")}
    assert before < after
    assert len(before & changed) == 1
    assert all(name.startswith("hr/a.md#") for name in before)


def test_equal_texts_are_numbered() -> None:
    """Two sections alike are two chunks."""
    one, two = (chunk.id for chunk in cut("# A\n\nSame.\n\n# A\n\nSame.\n"))
    assert two == f"{one}-2"


@pytest.mark.parametrize(
    ("splitting", "said"),
    [
        ({"by": "headings", "overlap": 1}, "share nothing"),
        ({"by": "sentences", "size": 0}, "at least 1"),
        ({"by": "tokens", "size": 5, "overlap": 5}, "below --size"),
        ({"by": "tokens", "tokenizer": "nonesuch"}, "nonesuch is neither a model that tiktoken knows"),
        ({"by": "tokens", "tokenizer": "/nowhere/tokenizer.json"}, "nor a tokenizer.json"),
    ],
)
def test_what_cannot_be_done_is_said(splitting: dict[str, Any], said: str) -> None:
    """Sizes that make no chunk, and a tokenizer that is not there, are one sentence each."""
    with pytest.raises(errors.UsageError, match=said):
        cut("text", **splitting)


def test_a_word_without_an_end_is_refused() -> None:
    """A tokenizer would take hours over it, and answer no signal meanwhile; Chinese has no spaces and is not meant."""
    with pytest.raises(errors.UsageError, match=r"hr/a\.md, line 3: 20,000 characters without a space"):
        cut(f"# Data\n\n{'a' * 30_000}\n", by="tokens", size=20)
    assert len(cut("年假二十五天。" * 4_000, by="tokens", size=8_000)) > 1


def test_the_manifest_says_how_it_was_cut() -> None:
    """Unit, size, overlap and the versions of what did it."""
    said = str(Splitting(by="sentences", size=5, overlap=2))
    assert said.startswith("sentences: 5 sentences, overlap 2 (markdown-it-py ")
