"""The SQLite file that a judge's replies are kept in: opening it, what is in it, and keeping it small."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLE = (
    "CREATE TABLE replies (key BLOB PRIMARY KEY, part TEXT NOT NULL, model TEXT NOT NULL, entry BLOB NOT NULL, "
    "mac BLOB NOT NULL, created REAL NOT NULL, used REAL NOT NULL, hits INTEGER NOT NULL DEFAULT 0)"
)

APPLICATION = 0x52414A43
"""Marks the file as ours for programs that look (SQLite's application_id)."""

BUSY_SECONDS = 10.0
"""How long another process may hold the file."""

ROW_BYTES = 200
"""What a row takes beside its entry, roughly."""

MEGABYTE = 1_000_000

AFTER_PRUNING = 0.8
"""The share of its limit that a file is pruned to, so that it is not pruned again at once."""


class PartStats(NamedTuple):
    """Entries of one part and model, and how often they were used again."""

    part: str
    model: str
    entries: int
    hits: int


class Stats(NamedTuple):
    """What a cache holds; ``size`` in bytes, ``oldest`` in seconds since 1970, None where it is empty."""

    size: int
    entries: int
    hits: int
    oldest: float | None
    parts: tuple[PartStats, ...]


class Pruned(NamedTuple):
    """How many entries were removed, and how many bytes the file has now."""

    removed: int
    size: int


def connect(file: Path) -> sqlite3.Connection:
    """Open a cache, or make one.

    Raises:
        FileProblem: the file is something else; it is left as it is.
        sqlite3.Error, OSError: it cannot be opened or is damaged.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(db, file)
    except BaseException:
        db.close()
        raise
    return db


def size(db: sqlite3.Connection) -> int:
    """Bytes that are in use, free pages of the file left out."""
    pages, free, page = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * page)


def prune(db: sqlite3.Connection, limit: int) -> int:
    """Remove the entries that were not used for longest where the file is larger than a limit in bytes; how many."""
    if size(db) <= limit:
        return 0
    return _delete(
        db,
        "key IN (SELECT key FROM (SELECT key, SUM(length(entry) + ?) OVER (ORDER BY used DESC, key) AS kept "
        "FROM replies) WHERE kept > ?)",
        (ROW_BYTES, int(limit * AFTER_PRUNING)),
    )


def prune_file(
    file: Path, *, before: float | None = None, limit: int | None = None, everything: bool = False
) -> Pruned:
    """Remove entries that were last used before a time, then the least recently used above a limit, or all.

    Raises:
        FileProblem: there is no such file, or it cannot be used.
    """
    with _existing(file) as db:
        removed = _delete(db, "1", ()) if everything else 0
        if before is not None:
            removed += _delete(db, "used < ?", (before,))
        if limit is not None:
            removed += prune(db, limit)
    return Pruned(removed, file.stat().st_size)


def stats(file: Path) -> Stats:
    """What a cache holds.

    Raises:
        FileProblem: there is no such file, or it cannot be used.
    """
    with _existing(file) as db:
        entries, hits, oldest = db.execute(
            "SELECT COUNT(*), COALESCE(SUM(hits), 0), MIN(created) FROM replies"
        ).fetchone()
        rows = db.execute(
            "SELECT part, model, COUNT(*), SUM(hits) FROM replies GROUP BY part, model ORDER BY part, model"
        )
        parts = tuple(PartStats(*row) for row in rows)
    return Stats(file.stat().st_size, entries, hits, oldest, parts)


def newest(file: Path) -> float | None:
    """When the newest entry was made, in seconds since 1970; None where there is none. The whole file is looked at.

    Raises:
        FileProblem: there is no such file, or it cannot be used or is damaged.
    """
    with _existing(file) as db:
        if [row[0] for row in db.execute("PRAGMA quick_check(1)")] != ["ok"]:
            raise errors.FileProblem(f"the judge's cache {file} is damaged")
        (found,) = db.execute("SELECT MAX(created) FROM replies").fetchone()
    return float(found) if isinstance(found, int | float) else None


@contextmanager
def _existing(file: Path) -> Iterator[sqlite3.Connection]:
    if not file.is_file():
        raise errors.FileProblem(f"there is no judge's cache {file}; a judged run makes one")
    try:
        with closing(connect(file)) as db:
            yield db
            finish(db)
    except (sqlite3.Error, OSError) as error:
        raise errors.FileProblem(f"the judge's cache {file} cannot be used: {error}") from error


def finish(db: sqlite3.Connection) -> None:
    """Give free pages back and write everything into the one file, as far as other processes let us."""
    with suppress(sqlite3.OperationalError):
        # As a script, for otherwise only the first free page would be given back.
        db.executescript("PRAGMA incremental_vacuum")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _prepare(db: sqlite3.Connection, file: Path) -> None:
    # What a file's own schema defines must not act: the file may come from somebody else.
    db.execute("PRAGMA trusted_schema = OFF")
    if not _is_ours(db, file):
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("BEGIN IMMEDIATE")
        # Another process may have made it meanwhile.
        if not _is_ours(db, file):
            db.execute(TABLE)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute("COMMIT")
    # Another process that is doing the same locks the file for a moment in a way that is not waited for.
    with suppress(sqlite3.OperationalError):
        db.execute("PRAGMA journal_mode = WAL")
    # A killed process loses nothing by this; a machine that loses its power may lose the last replies.
    db.execute("PRAGMA synchronous = NORMAL")


def _is_ours(db: sqlite3.Connection, file: Path) -> bool:
    """Whether the file is a cache; false where it is new."""
    try:
        found = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        found = [""]
    if found not in ([], [TABLE]):
        raise errors.FileProblem(
            f"{file} is no judge's cache of this version; name another file in judge.cache, or remove this one"
        )
    return found == [TABLE]


def _delete(db: sqlite3.Connection, where: str, values: tuple[float, ...]) -> int:
    return db.execute(f"DELETE FROM replies WHERE {where}", values).rowcount  # noqa: S608 - the conditions are ours
