"""Embedders as people write them: words hashed into a few numbers, so that nothing is downloaded."""

import hashlib
import re

ASKED = []


def embed(texts):
    ASKED.extend(texts)
    rows = []
    for text in texts:
        row = [0.01] * 32
        for word in re.findall(r"\w+", text.lower()):
            row[hashlib.sha256(word.encode()).digest()[0] % 32] += 1.0
        rows.append(row)
    return rows


def other(texts):
    return [row[::-1] for row in embed(texts)]


def failing(_):
    raise ConnectionError("the model is not there")


def ragged(texts):
    return [[1.0] * (1 + len(text)) for text in texts]


def nothing(texts):
    return [[0.0, 0.0] for _ in texts]


def too_few(texts):
    return embed(texts)[:-1] or [[1.0, 2.0], [1.0, 2.0]]


class Model:
    def __init__(self, device=None):
        self.device = device

    def encode(self, texts):
        return embed(texts)


class Asymmetric(Model):
    def encode_document(self, texts):
        return embed(texts)

    def encode_query(self, texts):
        return other(texts)


class Chain:
    def embed_documents(self, texts):
        return embed(texts)

    def embed_query(self, text):
        return other([text])[0]


def load(device=None):
    return Model(device)


instance = Model()
number = 3
