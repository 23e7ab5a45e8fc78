"""Cuts documents into chunks: by headings, by sentences or by tokens, with libraries that know how.

Nothing but the document and the settings decides where it is cut, and without overlap the chunks of a document hold all
its text, in its order. The libraries are an extra: only ``freeze`` on documents needs them.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evaluator import errors, registry
from evaluator.model.fixture import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.stores.documents import Document

EXTRA = "freeze"
By = Literal["headings", "sentences", "tokens"]
SIZES: dict[str, int] = {"headings": 800, "sentences": 3, "tokens": 400}
"""How large a chunk is where nothing is said: at most so many tokens, or so many sentences."""

LIBRARIES: dict[str, tuple[str, ...]] = {
    "headings": ("markdown-it-py", "semantic-text-splitter"),
    "sentences": ("markdown-it-py", "sentencex"),
    "tokens": ("markdown-it-py", "semantic-text-splitter"),
}
HASH = 8
"""How many characters of its text's digest make a chunk's id."""

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---(?:\n|\Z)", re.DOTALL)


class Section(NamedTuple):
    """A part of a document, in characters: its headings from ``start`` to ``body``, what is under them to ``end``.

    ``path`` holds the headings that it stands under, the outermost first.
    """

    start: int
    body: int
    end: int
    path: tuple[str, ...]


LONGEST_WORD = 20_000
"""Characters without a space: tokenizers take the square of that, and answer no signal meanwhile."""


def _refuse_endless_words(document: Document) -> None:
    found = re.search(rf"[^\s\u3000-\u9fff]{{{LONGEST_WORD}}}", document.text)
    if found is not None:
        line = document.text.count("\n", 0, found.start()) + 1
        raise errors.UsageError(
            f"{document.name}, line {line}: {LONGEST_WORD:,} characters without a space are no text to be cut by "
            "tokens; leave the file out, or use --split sentences"
        )


class _Heading(NamedTuple):
    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True)
class Splitting:
    """How documents are cut.

    Attributes:
        by: at headings, after so many sentences, or after so many tokens.
        size: sentences of a chunk, or the most tokens it may have.
        overlap: sentences or tokens that a chunk repeats of the one before it.
        tokenizer: the model whose tokens are counted, as tiktoken names it, or a tokenizer.json.
        language: BCP 47 tag of the documents, for what ends a sentence.
    """

    by: By = "headings"
    size: int = SIZES["headings"]
    overlap: int = 0
    tokenizer: str = "gpt-4o"
    language: str = "en"

    def __post_init__(self) -> None:
        if self.by == "headings" and self.overlap:
            raise errors.UsageError("--overlap is about sentences and tokens; chunks cut at headings share nothing")
        if self.size < 1 or not 0 <= self.overlap < self.size:
            raise errors.UsageError("--size is at least 1, and --overlap at least 0 and below --size")

    def __str__(self) -> str:
        """What the manifest says of it, with the versions of what did the work."""
        size = f"{self.size} sentences" if self.by == "sentences" else f"at most {self.size} tokens of {self.tokenizer}"
        overlap = f", overlap {self.overlap}" if self.overlap else ""
        tools = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES[self.by])
        return f"{self.by}: {size}{overlap} ({tools})"


class Splitter:
    """Cuts documents one way."""

    def __init__(self, splitting: Splitting) -> None:
        self._splitting = splitting
        self._markdown = registry.library("markdown_it", EXTRA).MarkdownIt("commonmark")
        if splitting.by == "sentences":
            self._sentences = registry.library("sentencex", EXTRA)
        else:
            self._splitters = {is_markdown: self._sized(is_markdown=is_markdown) for is_markdown in (True, False)}

    def chunks(self, document: Document) -> Iterator[Chunk]:
        """The chunks of a document, in its order.

        An id is the document's name, ``#`` and the beginning of the SHA-256 of the chunk's text without white space:
        it stays the same while the text does, whatever is written before it. Equal texts in one document are numbered.
        """
        known: dict[str, int] = {}
        for text, path in self._pieces(document):
            digest = hashlib.sha256("".join(text.split()).encode()).hexdigest()[:HASH]
            known[digest] = known.get(digest, 0) + 1
            copy = f"-{known[digest]}" if known[digest] > 1 else ""
            meta = {"heading": " > ".join(path)} if path else None
            yield Chunk(id=f"{document.name}#{digest}{copy}", text=text, doc=document.name, meta=meta)

    def _pieces(self, document: Document) -> Iterator[tuple[str, tuple[str, ...]]]:
        whole = Section(0, 0, len(document.text), ())
        sections = list(self._sections(document.text)) if document.is_markdown else [whole]
        if self._splitting.by == "tokens":
            _refuse_endless_words(document)
            for start, text in self._splitters[document.is_markdown].chunk_indices(document.text):
                yield text, next((each.path for each in sections if start < each.end), ())
            return
        for section in sections:
            for text in self._cut(document, section):
                if text.strip():
                    yield text.strip(), section.path

    def _cut(self, document: Document, section: Section) -> Iterator[str]:
        if self._splitting.by == "headings":
            yield from self._splitters[document.is_markdown].chunks(document.text[section.start : section.end])
            return
        sentences = self._sentences_of(document.text[section.body : section.end])
        step = self._splitting.size - self._splitting.overlap
        heading = document.text[section.start : section.body]
        for first in range(0, max(len(sentences) - self._splitting.overlap, 1), step):
            yield (heading if first == 0 else "") + "".join(sentences[first : first + self._splitting.size])

    def _sentences_of(self, text: str) -> list[str]:
        """Sentences with the white space that follows them: all of the text, in its order."""
        found: list[str] = []
        for piece in self._sentences.segment(self._splitting.language, text):
            if piece.strip() or not found:
                found.append(piece)
            else:
                found[-1] += piece
        if "".join(found) != text:
            raise RuntimeError("the sentences of a text are not the text")
        return found

    def _sections(self, text: str) -> Iterator[Section]:
        """Parts that begin with a heading; headings with nothing under them belong to the part that follows."""
        path: list[_Heading] = []
        start, body = 0, 0
        for heading in (*self._headings(text), _Heading(len(text), len(text), 0, "")):
            if text[body : heading.start].strip():
                yield Section(start, body, heading.start, tuple(each.title for each in path))
                start = heading.start
            body = heading.end
            path = [*(each for each in path if each.level < heading.level), heading]
        if start < len(text) and text[start:].strip():
            yield Section(start, len(text), len(text), tuple(each.title for each in path[:-1]))

    def _headings(self, text: str) -> Iterator[_Heading]:
        lines = [0, *(found.end() for found in re.finditer("\n", text)), len(text), len(text)]
        # A document's front matter would be read as a heading that is underlined.
        readable = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text)
        tokens = self._markdown.parse(readable)
        for token, inline in itertools.pairwise(tokens):
            if token.type == "heading_open" and token.level == 0:
                first, last = token.map
                yield _Heading(lines[first], lines[last], int(token.tag[1:]), " ".join(inline.content.split()))

    def _sized(self, *, is_markdown: bool) -> Any:
        library = registry.library("semantic_text_splitter", EXTRA)
        kind = library.MarkdownSplitter if is_markdown else library.TextSplitter
        tokenizer, size, overlap = self._splitting.tokenizer, self._splitting.size, self._splitting.overlap
        is_file = tokenizer.endswith(".json")
        make = kind.from_huggingface_tokenizer_file if is_file else kind.from_tiktoken_model
        try:
            return make(tokenizer, size, overlap=overlap)
        except Exception as error:
            raise errors.UsageError(
                f"--tokenizer {tokenizer} is neither a model that tiktoken knows nor a tokenizer.json: {error}"
            ) from error
