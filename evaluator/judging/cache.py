"""A judge's replies from earlier runs: what was judged once costs nothing again.

Only replies that were read and accepted are kept, each under a digest of everything it depends on, with a signature by
a key that is derived from the judge's: a file from somewhere else cannot say what the judge said. A judge without a key
has signatures by a constant, which protect against accidents only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import errors
from evaluator.judging import cache_file
from evaluator.model.judge import TokenUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evaluator.judging.calls import Call

FORMAT = 1
"""Part of every key: a later format finds none of this one's entries."""

LARGEST_ENTRY = 4_000_000
"""Bytes; no reply of a judge is as long."""

TOUCHES = 256
"""Uses that are noted in the file at once: a read should not cost a write."""

PUTS_BETWEEN_CHECKS = 64

DEFAULT_MEGABYTES = 512
"""Some 200,000 replies."""

PRIMARY = 0xFF
"""The part of SQLite's error codes that says what kind of error it is."""

NO_KEY = b"rag-assay: no judge key"


class Identity(NamedTuple):
    """Who is asked: provider, model as configured, and every parameter that a reply depends on."""

    provider: str
    model: str
    parameters: Mapping[str, Any]


class Entry(NamedTuple):
    """A reply as it is kept; ``model`` as the provider named it, ``adapted`` what it would not take."""

    part: str
    text: str
    finish: str
    model: str
    usage: TokenUsage
    adapted: tuple[str, ...]
    created: float


def key_of(identity: Identity, call: Call[Any]) -> bytes:
    """SHA-256 over everything that a reply depends on; never the delimiter, which is another each time."""
    value = [FORMAT, *identity[:2], dict(identity.parameters), call.prompt, dict(call.given), call.repeat]
    # Escaped, for lone surrogates of hostile text have no UTF-8.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=dict)
    return hashlib.sha256(text.encode()).digest()


def derive(key: str | None) -> bytes:
    """The signing key of a judge's key: HKDF (RFC 5869) with SHA-256 and one block, which does not give it away."""
    material = NO_KEY if key is None else key.encode(errors="surrogateescape")
    extracted = hmac.digest(b"rag-assay judge cache", material, "sha256")
    return hmac.digest(extracted, b"entries\x01", "sha256")


def refuse_tracked(file: Path, *, tracked: bool) -> None:
    """Where git tracks a cache, whoever may change a file may say what the judge said.

    Raises:
        FileProblem: it is tracked.
    """
    if tracked:
        raise errors.FileProblem(
            f"the judge's cache {file} is tracked by git, so that a change could bring its own judgements: "
            f"git rm --cached {file}, and name it in .gitignore"
        )


class Cache:
    """The cache of one judge. Several threads, and several processes, may use it at once.

    A file that cannot be read or written is said once and then not used: judging goes on and costs what it costs.
    """

    def __init__(self, file: Path, signing: bytes, now: Callable[[], float], log: Callable[[str], None]) -> None:
        """Open it. ``now`` is in seconds since 1970.

        Raises:
            FileProblem: the file is something else.
        """
        self.ignored = 0
        self.limit = DEFAULT_MEGABYTES * cache_file.MEGABYTE
        self._file = file
        self._signing = signing
        self._now = now
        self._log = log
        self._said: set[str] = set()
        self._touched: dict[bytes, int] = {}
        self._puts = 0
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        try:
            self._db = cache_file.connect(file)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def get(self, key: bytes) -> Entry | None:
        """The reply under a key, if there is one that was signed with our key."""
        with self._lock:
            row = self._do("SELECT entry, mac FROM replies WHERE key = ? AND length(entry) <= ?", key, LARGEST_ENTRY)
            if row is None:
                return None
            if not self._is_signed(key, *row):
                self._ignore()
                return None
            self._touched[key] = self._touched.get(key, 0) + 1
            if len(self._touched) >= TOUCHES:
                self._note_uses()
            return _decoded(row[0])

    def put(self, key: bytes, entry: Entry) -> None:
        """Keep a reply that was accepted; it is there for other processes when this returns."""
        data = json.dumps(entry._asdict(), separators=(",", ":")).encode()
        if len(data) > LARGEST_ENTRY:
            return
        with self._lock:
            self._do(
                "INSERT OR REPLACE INTO replies (key, part, model, entry, mac, created, used) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                key, entry.part, entry.model, data, self._signature(key, data), entry.created, entry.created,
            )  # fmt: skip
            self._puts += 1
            if self._puts % PUTS_BETWEEN_CHECKS == 0:
                self._prune()

    def close(self) -> None:
        """Note what was used, keep within the limit, and leave one whole file. Later calls find and keep nothing."""
        with self._lock:
            self._note_uses()
            self._prune()
            if self._db is not None:
                cache_file.finish(self._db)
                self._db.close()
            self._db = None

    def _do(self, statement: str, *values: object) -> Any:
        """The first row of a statement; None where there is none or the file cannot be used."""
        if self._db is None:
            return None
        try:
            return self._db.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            self._failed(error)
            return None

    def _failed(self, error: sqlite3.Error) -> None:
        if getattr(error, "sqlite_errorcode", 0) & PRIMARY == sqlite3.SQLITE_BUSY:
            self._say(f"the judge's cache {self._file} is held by another process; some replies are not kept")
        else:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._say(f"the judge's cache {self._file} cannot be used ({error}); judging goes on without it")
        if self._db is not None:
            self._db.close()
        self._db = None

    def _note_uses(self) -> None:
        uses, self._touched = self._touched, {}
        now = self._now()
        if not uses or self._db is None:
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "UPDATE replies SET used = ?, hits = hits + ? WHERE key = ?",
                [(now, times, key) for key, times in uses.items()],
            )
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._failed(error)

    def _prune(self) -> None:
        if self._db is None:
            return
        try:
            cache_file.prune(self._db, self.limit)
        except sqlite3.Error as error:
            self._failed(error)

    def _signature(self, key: bytes, data: bytes) -> bytes:
        return hmac.digest(self._signing, key + data, "sha256")

    def _is_signed(self, key: bytes, data: object, mac: object) -> bool:
        if not (isinstance(data, bytes) and isinstance(mac, bytes)):
            return False
        return hmac.compare_digest(mac, self._signature(key, data))

    def _ignore(self) -> None:
        self.ignored += 1
        self._say(f"entries of the judge's cache {self._file} are not signed with this judge's key: they are ignored")

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            self._log(sentence)


def _decoded(data: bytes) -> Entry:
    value = json.loads(data)
    return Entry(**{**value, "usage": TokenUsage(*value["usage"]), "adapted": tuple(value["adapted"])})
