"""Cut the handbook's Markdown documents into `fixture/chunks.jsonl`.

A chunk is one numbered section under the document's title. A short piece joins its
neighbour, a long section is split between paragraphs, and a table stays whole, together with
the paragraph before it. Nothing but the documents decides the result, so that two runs
write the same bytes.

    python make_fixture.py            # writes fixture/chunks.jsonl
    python make_fixture.py --check    # exit 1 if the file on disk is not what the documents give
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
TARGET = HERE / "fixture" / "chunks.jsonl"
SHORT, LONG = 40, 160
HAN = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"\w+")


def size(text: str) -> int:
    """Words; a Chinese character counts as half a word."""
    return len(WORD.findall(HAN.sub(" ", text))) + len(HAN.findall(text)) // 2


def sections(markdown: str) -> tuple[str, list[tuple[str | None, list[str]]]]:
    """Return the title and a list of (heading or None, [blocks])."""
    title, found = "", [(None, [])]
    for block in re.split(r"\n\s*\n", markdown.strip()):
        if block.startswith("# "):
            title = block[2:].strip()
        elif block.startswith("## "):
            found.append((block[3:].strip(), []))
        else:
            found[-1][1].append(block.strip())
    return title, [(heading, blocks) for heading, blocks in found if blocks]


def glue_tables(blocks: list[str]) -> list[str]:
    """Join every table to the paragraph before it."""
    glued = []
    for block in blocks:
        if block.startswith("|") and glued:
            glued[-1] += "\n\n" + block
        else:
            glued.append(block)
    return glued


def split(heading: str | None, blocks: list[str]) -> list[tuple[str | None, str]]:
    """Cut one section into pieces of (heading, text), none longer than LONG where paragraphs allow."""
    if size("\n".join(blocks)) <= LONG:
        return [(heading, "\n\n".join(blocks))]
    pieces = []
    for block in glue_tables(blocks):
        if pieces and (size(pieces[-1] + block) <= LONG or size(block) < SHORT):
            pieces[-1] += "\n\n" + block
        else:
            pieces.append(block)
    return [(heading, piece) for piece in pieces]


def join_short(pieces: list[tuple[str | None, str]]) -> list[tuple[str | None, str]]:
    """Let a piece below SHORT words join the next one, or the one before, while the sum fits."""
    joined = []
    for heading, text in pieces:
        before = joined[-1] if joined else None
        too_short = before and min(size(before[1]), size(text)) < SHORT
        if too_short and size(before[1] + text) <= LONG:
            body = f"{heading}\n\n{text}" if heading and heading != before[0] else text
            joined[-1] = (before[0] or heading, f"{before[1]}\n\n{body}")
        else:
            joined.append((heading, text))
    return joined


def chunks_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the chunks of one document."""
    title, found = sections(path.read_text(encoding="utf-8"))
    pieces = [piece for heading, blocks in found for piece in split(heading, blocks)]
    for number, (heading, text) in enumerate(join_short(pieces), start=1):
        head = title if heading is None or f"{heading}\n" in text else f"{title}\n{heading}"
        yield {
            "id": f"{path.stem}#{number}",
            "text": f"{head}\n\n{text}",
            "doc": path.stem,
            "meta": {"title": title, "section": heading, "language": path.parent.name},
        }


def fixture() -> str:
    """Return the whole file as text, documents in the order of their paths."""
    paths = sorted((HERE / "documents").glob("*/*.md"), key=lambda path: path.as_posix())
    rows = [chunk for path in paths for chunk in chunks_of(path)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main(arguments: list[str]) -> int:
    """Write the fixture, or say whether it is up to date."""
    text = fixture()
    if "--check" in arguments:
        fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        print("fixture is up to date" if fresh else "fixture differs: run make_fixture.py")
        return 0 if fresh else 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text, encoding="utf-8", newline="\n")
    print(f"{text.count(chr(10))} chunks written to {TARGET.relative_to(HERE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
