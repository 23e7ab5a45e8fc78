"""A model that Python can load: ``module:name`` of a function, an object or a factory without arguments."""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.ports import EmbedderKind, EmbedderSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SPOKEN = (("encode_document", "encode_query"), ("encode", "encode"))
"""Methods for texts and for questions: those of Sentence Transformers, newer and older."""


class _Callable:
    """Two functions that take a list of texts."""

    def __init__(self, documents: Callable[[list[str]], Any], questions: Callable[[list[str]], Any]) -> None:
        self._documents = documents
        self._questions = questions

    def documents(self, texts: Sequence[str]) -> Any:
        return self._documents(list(texts))

    def questions(self, texts: Sequence[str]) -> Any:
        return self._questions(list(texts))


def _open(setting: EmbedderSetting) -> _Callable:
    target = _find(setting)
    if not _speaks(target) and callable(target) and not _takes_texts(target):
        target = target()
    for documents, questions in SPOKEN:
        if hasattr(target, documents) and hasattr(target, questions):
            return _Callable(getattr(target, documents), getattr(target, questions))
    if hasattr(target, "embed_documents") and hasattr(target, "embed_query"):
        # LangChain's embeddings take questions one by one.
        return _Callable(target.embed_documents, lambda texts: [target.embed_query(text) for text in texts])
    if callable(target):
        return _Callable(target, target)
    raise errors.UsageError(
        f"--embedder {setting.argument} is neither a function of a list of texts nor a model with encode or "
        "embed_documents and embed_query"
    )


def _find(setting: EmbedderSetting) -> Any:
    module, _, name = setting.argument.partition(":")
    if str(setting.folder) not in sys.path:
        sys.path.insert(0, str(setting.folder))
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise errors.UsageError(f"--embedder {setting.argument} cannot be imported: {error}") from error
    return found


def _speaks(target: Any) -> bool:
    return not inspect.isclass(target) and (hasattr(target, "encode") or hasattr(target, "embed_documents"))


def _takes_texts(target: Callable[..., Any]) -> bool:
    """Whether it cannot be called without an argument."""
    try:
        inspect.signature(target).bind()
    except TypeError:
        return True
    except ValueError:
        # A function of an extension module that does not say what it takes.
        return not inspect.isclass(target)
    return False


EMBEDDER = EmbedderKind(name="python", open=_open)
