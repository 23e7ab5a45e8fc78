"""Small embedding models that need no network, for ``rag-assay freeze --embedder embedding:NAME``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

CORPUS = "BENCHMARK_CORPUS"
"""The variable with the file of chunks that :class:`Lsa` is made from."""

LEAST_LENGTH = 0.5
"""A unit vector is longer, and what rounding leaves of none is shorter."""


class WordLlama:
    """WordLlama, 256 dimensions: static token embeddings taken from Llama 2 models (the weights are in its package)."""

    NAME = "WordLlama l2_supercat 256"

    def __init__(self) -> None:
        import wordllama

        home = Path(wordllama.__file__).parent
        self._model = wordllama.WordLlama.load(cache_dir=home, disable_download=True)

    def encode(self, texts: list[str]) -> Any:
        """Unit vectors, a row for each text."""
        return self._model.embed(texts, norm=True)


class Lsa:
    """Latent semantic analysis (Deerwester et al. 1990): a truncated SVD of the corpus's own tf-idf."""

    NAME = "LSA of tf-idf, 128 dimensions (scikit-learn)"

    def __init__(self) -> None:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import Normalizer

        lines = Path(os.environ[CORPUS]).read_text(encoding="utf-8").splitlines()
        svd = TruncatedSVD(128, algorithm="arpack", random_state=0)
        self._model = make_pipeline(TfidfVectorizer(sublinear_tf=True, stop_words="english"), svd, Normalizer())
        self._model.fit([json.loads(line)["text"] for line in lines if line.strip()])

    def encode(self, texts: list[str]) -> Any:
        """Unit vectors, a row for each text; a text without a word of the corpus has one beside all others."""
        found = self._model.transform(texts)
        found[np.linalg.norm(found, axis=1) < LEAST_LENGTH, 0] = -1.0
        return found
