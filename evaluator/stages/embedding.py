"""Embeds the chunks and the questions of a fixture: only what has no vector yet, and never half of two models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluator import errors
from evaluator.model.fixture import Embedding, question_key
from evaluator.stores import vectors
from evaluator.stores.making import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from evaluator.model.fixture import Fixture
    from evaluator.model.ports import Embedder, ProgressFactory
    from evaluator.stores.embedded import Part

BATCH = 64
"""Texts that a model is handed at once."""

ALIKE = 0.999
"""Cosine from which two vectors of a text are of one model: servers and kernels differ in the last digits only."""

DOCUMENT, QUESTION = "d", "q"


@dataclass(frozen=True)
class Wanted:
    """What to embed.

    Attributes:
        texts: of the chunks, in fixture order.
        questions: the golden questions; None keeps the vectors of those that the fixture has.
        given: vectors of the chunks that were computed elsewhere, by the same model.
        model: the name that the manifest gives to the model.
    """

    texts: Sequence[str]
    questions: Sequence[str] | None
    given: NDArray[np.float32] | None
    model: str


class Work:
    """One embedding with one model.

    Args:
        embedder: the model.
        part: makes the file that keeps what was done, for a model and its dimension.
        progress: makes the display.
        log: takes a line for a person.
    """

    def __init__(
        self, embedder: Embedder, part: Callable[[Embedding], Part], progress: ProgressFactory,
        log: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._ask = {DOCUMENT: embedder.documents, QUESTION: embedder.questions}
        self._make_part = part
        self._progress = progress
        self._log = log

    def freeze(self, wanted: Wanted, before: Fixture | None) -> Frozen:
        """The vectors of a fixture; ``before`` is the one of an earlier freeze in the same folder, with its vectors.

        Raises:
            UsageError: the model gave what is no vector for each text, or vectors of another model than stated.
        """
        first = self._embed(DOCUMENT, wanted.texts[:1])
        embedding = Embedding(model=wanted.model, dimension=first.shape[1])
        if wanted.given is not None and not _alike(wanted.given[:1], first):
            raise errors.UsageError(
                "the vectors that were given are not of --embedder: it gives another one for the first chunk, and "
                "questions embedded by another model could not be compared with them"
            )
        earlier = before if before is not None and _model_of(before) == embedding else None
        part = self._make_part(embedding)
        known = self._trusted({**_known(earlier), **part.read()}, wanted)
        todo = [(QUESTION, text) for text in wanted.questions or ()]
        if wanted.given is None:
            todo = [(DOCUMENT, text) for text in wanted.texts] + todo
        self._complete(todo, known, part)
        chunks = wanted.given if wanted.given is not None else _rows(DOCUMENT, wanted.texts, known)
        if wanted.questions is None:
            return _with_earlier_questions(embedding, chunks, earlier if known else None)
        keys = list(dict.fromkeys(map(question_key, wanted.questions)))
        queries = np.stack([known[QUESTION + key] for key in keys]) if keys else None
        return Frozen(embedding, chunks, keys, queries)

    def _complete(self, todo: Sequence[tuple[str, str]], known: dict[str, NDArray[np.float32]], part: Part) -> None:
        """Embed what is not known yet; what was done is kept if this is interrupted."""
        texts = {_key(kind, text): (kind, text) for kind, text in todo}
        missing = [key for key in texts if key not in known]
        if len(missing) < len(texts):
            self._log(f"{len(texts) - len(missing)} of {len(texts)} texts have their vectors already")
        if not missing:
            return
        display = self._progress("embed", len(missing))
        try:
            with part:
                for kind in (DOCUMENT, QUESTION):
                    keys = [key for key in missing if texts[key][0] == kind]
                    for start in range(0, len(keys), BATCH):
                        batch = keys[start : start + BATCH]
                        found = self._embed(kind, [texts[key][1] for key in batch])
                        for key, vector in zip(batch, found, strict=True):
                            known[key] = vector
                            part.add(key, vector)
                            display.step()
                        part.flush()
        except KeyboardInterrupt:
            raise errors.Interrupted(
                f"interrupted; the vectors so far are kept in {part.path}: the same command goes on from there"
            ) from None
        finally:
            display.close()

    def _trusted(self, known: dict[str, NDArray[np.float32]], wanted: Wanted) -> dict[str, NDArray[np.float32]]:
        """The vectors of an earlier time, if the model still gives the same for one text of each kind."""
        for kind, texts in ((DOCUMENT, wanted.texts), (QUESTION, wanted.questions or ())):
            text = next((text for text in texts if _key(kind, text) in known), None)
            if text is not None and not _alike(known[_key(kind, text)][None], self._embed(kind, [text])):
                self._log(f"{wanted.model} gives other vectors than before: everything is embedded anew")
                return {}
        return dict(known)

    def _embed(self, kind: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text, single precision.

        Raises:
            UsageError: the model gave something else.
        """
        try:
            said: Any = self._ask[kind](texts)
        except errors.AssayError:
            raise
        except Exception as error:
            raise errors.UsageError(f"--embedder failed: {type(error).__name__}: {error}") from error
        try:
            found = np.asarray([*said] if not isinstance(said, np.ndarray) else said, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise errors.UsageError(f"--embedder gave no vectors of one length: {error}") from error
        if found.ndim != 2 or len(found) != len(texts) or found.shape[1] == 0:  # noqa: PLR2004 - rows and columns
            raise errors.UsageError(
                f"--embedder was given {len(texts)} texts and gave an array of shape {found.shape}, not a row each"
            )
        mistake = vectors.unsound(found)
        if mistake is not None:
            raise errors.UsageError(f"--embedder gave a vector that cannot be compared: {mistake}")
        return found


def _key(kind: str, text: str) -> str:
    return kind + question_key(text)


def _rows(kind: str, texts: Sequence[str], known: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    try:
        return np.stack([known[_key(kind, text)] for text in texts])
    except ValueError as error:
        raise errors.UsageError(f"--embedder gave vectors of different lengths: {error}") from error


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    if one.shape != other.shape:
        return False
    lengths = vectors.lengths_of(one) * vectors.lengths_of(other)
    return bool(((one.astype(np.float64) * other).sum(axis=1) / lengths >= ALIKE).all())


def _model_of(fixture: Fixture) -> Embedding | None:
    return fixture.manifest.embedding if fixture.manifest is not None and fixture.vectors is not None else None


def _known(fixture: Fixture | None) -> dict[str, NDArray[np.float32]]:
    """The vectors of an earlier freeze by the key of their text."""
    if fixture is None or fixture.vectors is None:
        return {}
    found = fixture.vectors
    chunks = {_key(DOCUMENT, chunk.text): row for chunk, row in zip(fixture.chunks, found.chunks, strict=True)}
    return chunks | {QUESTION + key: found.queries[row] for key, row in found.rows.items()}


def _with_earlier_questions(embedding: Embedding, chunks: NDArray[np.float32], earlier: Fixture | None) -> Frozen:
    if earlier is None or earlier.vectors is None or not earlier.vectors.rows:
        return Frozen(embedding, chunks, (), None)
    return Frozen(embedding, chunks, tuple(earlier.vectors.rows), np.array(earlier.vectors.queries))
