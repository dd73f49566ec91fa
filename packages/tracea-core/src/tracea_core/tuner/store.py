# SPDX-License-Identifier: MIT
"""Every measurement, kept: a small SQLite database that can be damaged, locked or read-only without anyone noticing much.

Rows are only ever added. Each carries a checksum over all of it, so a bit that flipped on disk never becomes a winning
time. A database that SQLite or a checksum rejects is renamed, never overwritten; what can still be read is carried over.
Where the disk cannot be used the store works in memory, after one warning.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tracea_core.data import Data
from tracea_core.errors import MalformedDataError, TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.storage import UntrustedError, check_file, private_directory, warn_once, write_atomic
from tracea_core.tuner.additions import added, store_path
from tracea_core.tuner.record import Key, Record

_SCHEMA = """
CREATE TABLE IF NOT EXISTS measurements (
    digest TEXT PRIMARY KEY, hardware TEXT NOT NULL, driver TEXT NOT NULL, compiler TEXT NOT NULL, problem TEXT NOT NULL,
    variant TEXT NOT NULL, configuration TEXT NOT NULL, source TEXT NOT NULL, status TEXT NOT NULL, seconds REAL,
    low REAL, high REAL, samples INTEGER, clock_mhz REAL, timestamp REAL NOT NULL, record TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_key ON measurements (problem, hardware, variant, seconds);
"""
_INSERT = "INSERT OR IGNORE INTO measurements VALUES (" + ", ".join("?" * 16) + ")"
_WHERE = "hardware = ? AND driver = ? AND compiler = ? AND problem = ? AND variant = ?"
_VERSION = 1
_BUSY_SECONDS = 5.0


class ImportReport(Data, frozen=True):
    """What `MeasurementStore.load` did: records added, records that were there already, and lines refused with reasons."""

    added: int
    known: int
    refused: tuple[str, ...]


class MeasurementStore:
    """All measurements of this user. Methods that serve a call (`add`, `best`, …) never raise for what a disk does.

    Parameters
    ----------
    path : path, optional
        The database; defaults to ``measurements.sqlite`` under `cache_root()`. Its directory is created with mode 0700.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path) if path is not None else store_path()
        self.problem = ""
        self._guard = threading.RLock()
        self._process = os.getpid()
        self._memory = _connect(":memory:")
        self._disk: sqlite3.Connection | None = None
        self._writable = False
        self._identity: tuple[int, int] | None = None
        self._inherited: list[sqlite3.Connection | None] = []
        self._open()

    def add(self, record: Record) -> None:
        """Keep `record`; a time of 0 is replaced by now."""
        if record.timestamp == 0:
            record = record.replace(timestamp=time.time())
        self._insert([record])
        added(self.path, on_disk=self._writable)

    def best(self, key: Key, source: Callable[[PipelineConfig], str | None] | None = None) -> Record | None:
        """Return the record with the smallest median for `key`, or None.

        Of several records of one configuration the newest counts, so one that crashed or failed later is left out.

        Parameters
        ----------
        source : callable, optional
            Returns the digest of the source that a configuration gives today (None if it gives none). Records of other
            sources are skipped: they timed another kernel. Called for few configurations, the fastest first.
        """
        latest: dict[tuple[PipelineConfig, str], Record] = {}
        for record in self.records(key):
            latest[record.configuration, record.source if source else ""] = record
        for record in sorted((r for r in latest.values() if r.measurement), key=_seconds):
            if source is None or source(record.configuration) == record.source:
                return record
        return None

    def blacklist(
        self, key: Key, source: Callable[[PipelineConfig], str | None] | None = None
    ) -> frozenset[PipelineConfig]:
        """Return the configurations that crashed or hung when last measured under `key`. A later success clears them.

        With a `source` (see `best`), crashes of a kernel that would be emitted differently today do not count.
        """
        latest = {(record.configuration, record.source if source else ""): record for record in self.records(key)}
        crashed = [record for record in latest.values() if record.status.blacklists]
        return frozenset(
            record.configuration
            for record in crashed
            if source is None or source(record.configuration) == record.source
        )

    def records(self, key: Key | None = None) -> tuple[Record, ...]:
        """Return all records (of `key`, if given) whose checksums hold, oldest first."""
        query = "SELECT digest, record FROM measurements"
        arguments: tuple[str, ...] = ()
        if key is not None:
            query += f" WHERE {_WHERE}"
            arguments = (key.hardware, key.driver, key.compiler, key.problem, key.variant)
        with self._guard:
            self._after_fork()
            found: dict[str, str] = {}
            for attempt in (1, 2):
                if self._disk is None:
                    break
                try:
                    found = dict(self._disk.execute(query, arguments).fetchall())
                    break
                except sqlite3.Error as error:
                    self._recover(error, again=attempt == 1)
            found.update(self._memory.execute(query, arguments).fetchall())
        records = [record for digest, text in found.items() if (record := self._checked(digest, text))]
        return tuple(sorted(records, key=lambda record: record.timestamp))

    def dump(self, path: str | os.PathLike[str], key: Key | None = None) -> int:
        """Write all records (of `key`, if given) as JSON lines that other machines can `load`; return how many.

        Raises
        ------
        OSError
            If the file cannot be written: unlike the store itself, it was asked for by name.
        """
        records = self.records(key)
        write_atomic(Path(path), "".join(record.to_json() + "\n" for record in records).encode())
        return len(records)

    def load(self, path: str | os.PathLike[str]) -> ImportReport:
        """Add the records of a file that `dump` wrote; lines that are not records are refused one by one.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        records, refused = [], []
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    records.append(Record.from_json(line))
                except (MalformedDataError, TuningError) as error:
                    refused.append(f"line {number}: {error}")
        fresh = self._insert(records)
        added(self.path, on_disk=self._writable)
        return ImportReport(fresh, len(records) - fresh, tuple(refused))

    def close(self) -> None:
        """Close the database; the store goes on in memory."""
        with self._guard:
            self._drop()
            self._writable = False

    def __len__(self) -> int:
        return len(self.records())

    def _insert(self, records: Iterable[Record]) -> int:
        rows = [_row(record) for record in records]
        with self._guard:
            self._after_fork()
            for attempt in (1, 2):
                if self._disk is None or not self._writable:
                    break
                try:
                    with self._disk:
                        before = self._disk.total_changes
                        self._disk.executemany(_INSERT, rows)
                        return self._disk.total_changes - before
                except sqlite3.Error as error:
                    self._recover(error, again=attempt == 1)
            with self._memory:
                before = self._memory.total_changes
                self._memory.executemany(_INSERT, rows)
                return self._memory.total_changes - before

    def _checked(self, digest: str, text: str) -> Record | None:
        try:
            if hashlib.sha256(text.encode()).hexdigest() == digest:
                return Record.from_json(text)
        except (AttributeError, MalformedDataError, TuningError, UnicodeError):
            digest = f"{digest} (not a record)"
        warn_once(self.path, "row", f"{self.path}: the measurement {digest} is damaged and left out")
        return None

    def _open(self) -> None:
        """Open the database, or say once why not."""
        try:
            private_directory(self.path.parent)
            if not os.path.lexists(self.path):
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._identity = _identity(check_file(self.path))
            self._disk = _connect(self.path)
            self._writable = True
        except UntrustedError as error:
            self._degrade(str(error))
        except sqlite3.Error as error:
            self._recover(error, again=True)
        except (OSError, ValueError) as error:
            self._open_readonly(error)

    def _open_readonly(self, reason: Exception) -> None:
        """Read what is there even if nothing can be added; additions go to memory."""
        for options in ("mode=ro", "mode=ro&immutable=1"):  # the second needs no lock, so a read-only directory will do
            try:
                check_file(self.path)
                self._disk = _uri(self.path, options)
                self._disk.execute("SELECT digest, record FROM measurements LIMIT 1").fetchone()
                break
            except (OSError, ValueError, sqlite3.Error):
                self._drop()
        self._degrade(f"{self.path} cannot be written to: {reason}")

    def _recover(self, error: sqlite3.Error, *, again: bool) -> None:
        """Deal with an error of the database: set a damaged one aside and start afresh, else go on in memory."""
        self._drop()
        if not _is_damage(error) or not again:
            self._open_readonly(error)
            return
        try:
            saved = self._set_aside(error)
            self._identity = _identity(os.stat(self.path))
            self._disk = _connect(self.path)
            self._writable = True
            self._insert(saved)
        except (OSError, RuntimeError, sqlite3.Error) as second:
            self._drop()
            self._degrade(f"{self.path} is damaged and cannot be replaced: {second}")

    def _set_aside(self, error: sqlite3.Error) -> list[Record]:
        """Rename the damaged database, unless another process was faster; return the records that can still be read."""
        import filelock  # imports much, and is needed here alone

        with filelock.FileLock(f"{self.path}.lock", timeout=_BUSY_SECONDS, mode=0o600):
            if not os.path.lexists(self.path) or _identity(os.stat(self.path)) != self._identity:
                return []
            saved = [record for digest, text in _salvage(self.path) if (record := self._checked(digest, text))]
            aside = self.path.with_name(f"{self.path.stem}.damaged-{time.time_ns()}{self.path.suffix}")
            os.replace(self.path, aside)
            for suffix in ("-wal", "-shm"):
                if os.path.lexists(f"{self.path}{suffix}"):
                    os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        warn_once(
            aside,
            "aside",
            f"{self.path} is damaged ({error}); it was renamed to {aside.name} and {len(saved)} measurements in it that "
            "are whole were carried over",
        )
        return saved

    def _degrade(self, problem: str) -> None:
        self._writable = False
        self.problem = self.problem or problem
        warn_once(self.path, "degraded", f"new measurements are kept in memory only: {problem}")

    def _drop(self) -> None:
        if self._disk is not None:
            self._disk.close()
        self._disk = None

    def _after_fork(self) -> None:
        """A child must not use its parent's connection (SQLite's locks do not survive a fork): open another."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._inherited.append(self._disk)  # kept alive, since closing it would drop the parent's locks
            self._disk = None
            self._open()


def _seconds(record: Record) -> float:
    return record.measurement.seconds if record.measurement else float("inf")


def _row(record: Record) -> tuple[str | float | int | None, ...]:
    """Return a row of the table. Columns repeat parts of the JSON for queries by other tools; the JSON is what counts."""
    text, key, m = record.to_json(), record.key, record.measurement
    times = (m.seconds, m.low, m.high, m.samples, m.clock_mhz) if m else (None,) * 5
    return (
        hashlib.sha256(text.encode()).hexdigest(), key.hardware, key.driver, key.compiler, key.problem, key.variant,
        record.configuration.to_json(), record.source, record.status.value, *times, record.timestamp, text,
    )  # fmt: skip


def _connect(path: Path | str) -> sqlite3.Connection:
    """Open a database, check it and prove that it can be written to.

    WAL lets readers and a writer work at once but needs shared memory, which network file systems lack: if a write fails
    under WAL, the classic journal is used.
    """
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            return _connect_now(path)
        except sqlite3.OperationalError as error:  # switching to WAL does not wait for others as other statements do
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _connect_now(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    connection.text_factory = _decode
    try:
        _check(connection)  # before anything is changed: what is set aside must be what was found
        if path != ":memory:":
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
                _create(connection)
                return connection
            except sqlite3.OperationalError as error:
                if _is_damage(error) or "readonly" in str(error) or "locked" in str(error):
                    raise
                connection.rollback()
                connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        _create(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    """Raise if the database is damaged, holds another table, or belongs to a newer version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > _VERSION:
        raise sqlite3.OperationalError(f"written by a newer tracea (format {version}, this one writes {_VERSION})")
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(f"malformed: {verdict}")
    columns = len(connection.execute("PRAGMA table_info(measurements)").fetchall())
    if columns not in (0, 16):
        raise sqlite3.DatabaseError(f"malformed: the table has {columns} columns")


def _create(connection: sqlite3.Connection) -> None:
    """Make the table if there is none. Being a write, it also shows whether the database can be written to."""
    connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")


def _uri(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, check_same_thread=False)
    connection.text_factory = _decode
    return connection


def _decode(text: bytes) -> str:
    """Decode a column; damaged text must reach the checksum rather than fail the whole query."""
    return text.decode(errors="replace")


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _is_damage(error: sqlite3.Error) -> bool:
    text = str(error)
    return any(sign in text for sign in ("malformed", "not a database", "corrupt", "no such column", "short read"))


def _salvage(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (digest, record) of the rows of a damaged database until SQLite gives up."""
    try:
        connection = _uri(path, "mode=ro")
    except sqlite3.Error:
        return
    try:
        connection.execute("PRAGMA writable_schema = ON")  # or a file shorter than it should be is not read at all
        yield from connection.execute("SELECT digest, record FROM measurements NOT INDEXED")
    except sqlite3.Error:
        return  # what came before the damage has been yielded
    finally:
        connection.close()
