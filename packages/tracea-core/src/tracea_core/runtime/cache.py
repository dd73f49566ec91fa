# SPDX-License-Identifier: MIT
"""The cache of compiled binaries: named by what they were made from, checked at every read, and never in the way.

A key digests everything that decides the bytes of a binary, so an entry is never stale; a checksum over key and
content catches what disks, crashes and copying do to files. Whatever goes wrong with the disk costs one warning: the
cache goes on in memory and the call goes on. Nothing here is ever unpickled or evaluated.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import struct
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tracea_core.data import Data
from tracea_core.storage import (
    TEMPORARY_PREFIX,
    cache_root,
    private_directory,
    read_private,
    warn_once,
    write_atomic,
)

DEFAULT_LIMIT_BYTES = 1 << 30
_MAGIC = b"tracea-binary 1\n"
_SUFFIX = ".bin"
_HEX = re.compile(r"[0-9a-f]{64}")
_RESCAN_PUTS = 64  # other processes add entries too, so the running total is corrected now and then
_EVICT_TO = 0.9  # evicting a little more than needed saves doing it again at the next put


class CacheStats(Data, frozen=True, kw_only=True):
    """What a cache holds and how it has been doing since this process opened it.

    Attributes
    ----------
    directory : str
        Where it lives, even if nothing can be stored there.
    entries, bytes, limit_bytes : int
        Entries on disk and in memory, their size, and the size at which the least recently used ones go.
    hits, misses, corrupt, evicted : int
        Counts of this process; a corrupt entry also counts as a miss.
    problem : str
        Why the disk is not (fully) used; empty if all is well.
    """

    directory: str
    entries: int
    bytes: int
    limit_bytes: int
    hits: int
    misses: int
    corrupt: int
    evicted: int
    problem: str


def host_abi() -> str:
    """Return what machine code of this process must agree with: system, machine, pointer size and byte order."""
    return f"{sys.platform}-{platform.machine()}-{struct.calcsize('P') * 8}-{sys.byteorder}"


def key_digest(*, arch: str, toolchain: str, source: str, flags: Sequence[str] = (), abi: str | None = None) -> str:
    """Return the key of a binary: 64 hexadecimal digits that change with anything that changes the binary.

    Parameters
    ----------
    arch : str
        The full compiler target, CPU features included (``sm_90a``, ``znver4 +avx512bf16 …``).
    toolchain : str
        Compiler and driver with their versions (`Runtime.toolchain`).
    source : str
        Digest of the source text.
    flags : sequence of str
        Compiler options, in order.
    abi : str, optional
        What the binary must agree with at load time; `host_abi()` if not given.
    """
    parts = [arch, toolchain, source, list(flags), host_abi() if abi is None else abi]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


class BinaryCache:
    """A directory of binaries by key. No method raises for anything a disk, another process or another user does.

    Parameters
    ----------
    directory : path, optional
        Created with mode 0700 when first written to. Defaults to ``binaries`` under `cache_root()`.
    limit_bytes : int
        Size beyond which the least recently used entries are removed.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.directory = Path(directory) if directory is not None else cache_root() / "binaries"
        self.limit_bytes = limit_bytes
        self._memory: dict[str, bytes] = {}
        self._guard = threading.RLock()
        self._counts = {"hits": 0, "misses": 0, "corrupt": 0, "evicted": 0}
        self._problem = ""
        self._readable = self._writable = True
        self._checked = False
        self._total: int | None = None
        self._puts = 0
        self._check()

    def get(self, key: str) -> bytes | None:
        """Return the binary stored under `key`, or None if there is none that can be trusted."""
        with self._guard:
            content = self._memory.get(key)
            if content is not None:
                self._memory[key] = self._memory.pop(key)  # dictionaries keep order: the newest use comes last
            else:
                self._check()
                content = self._read(key) if self._readable else None
            self._counts["misses" if content is None else "hits"] += 1
            return content

    def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`: on disk if possible, in memory otherwise."""
        with self._guard:
            if self._writable and self._prepare():
                packed = _pack(key, content)
                if len(packed) <= self.limit_bytes and self._write(key, packed):
                    return
            self._remember(key, content)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all entries, sorted. Entries that cannot be read or belong elsewhere are left out."""
        with self._guard:
            found = set(self._memory)
            for path, _, _ in self._scan() if self._readable else ():
                try:
                    unpacked = _unpack(read_private(path))
                except OSError:
                    continue  # gone or unreadable since the scan: not an entry
                if unpacked is not None and _name(unpacked[0]) == path.name:
                    found.add(unpacked[0])
            return tuple(sorted(found))

    def stats(self) -> CacheStats:
        """Return counts and sizes; works for a cache that has degraded."""
        with self._guard:
            files = self._scan() if self._readable else []
            return CacheStats(
                directory=str(self.directory),
                entries=len(files) + len(self._memory),
                bytes=sum(size for _, size, _ in files) + sum(map(len, self._memory.values())),
                limit_bytes=self.limit_bytes,
                problem=self._problem,
                **self._counts,
            )

    def clear(self) -> int:
        """Remove every entry and return how many were removed."""
        with self._guard:
            removed = len(self._memory)
            self._memory.clear()
            return removed + self._evict_to(-1, wait=10.0)

    def evict(self, limit_bytes: int | None = None) -> int:
        """Remove the least recently used entries until at most `limit_bytes` are left; return how many were removed."""
        with self._guard:
            return self._evict_to(self.limit_bytes if limit_bytes is None else limit_bytes, wait=10.0)

    def _check(self) -> None:
        """Look at the directory before the first use of what is in it; a missing one is not created yet."""
        if not self._checked and os.path.lexists(self.directory):
            self._checked = True
            self._prepare()

    def _prepare(self) -> bool:
        """Make sure that the directory exists and is ours; degrade otherwise."""
        try:
            private_directory(self.directory)
        except (OSError, ValueError) as error:  # ValueError: a path that no file system can hold
            self._degrade(str(error), readable=False)
        return self._writable

    def _degrade(self, problem: str, *, readable: bool) -> None:
        self._writable, self._readable = False, self._readable and readable
        self._problem = self._problem or problem
        warn_once(self.directory, "degraded", f"compiled kernels are kept in memory only: {problem}")

    def _path(self, key: str) -> Path:
        return self.directory / _name(key)

    def _read(self, key: str) -> bytes | None:
        path = self._path(key)
        try:
            packed = read_private(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            if not os.access(self.directory, os.R_OK | os.X_OK):
                self._degrade(str(error), readable=False)
            else:
                warn_once(
                    self.directory, "unreadable", f"a cached kernel is ignored and will be compiled again: {error}"
                )
            return None
        unpacked = _unpack(packed)
        if unpacked is None or unpacked[0] != key:
            self._counts["corrupt"] += 1
            warn_once(
                self.directory, "corrupt", f"{path} is damaged (its checksum does not match) and will be compiled again"
            )
            self._remove(path)
            return None
        with contextlib.suppress(OSError):  # the time of last use is for eviction, and a read-only cache has none
            os.utime(path)
        return unpacked[1]

    def _write(self, key: str, packed: bytes) -> bool:
        path = self._path(key)
        try:
            write_atomic(path, packed)
        except OSError as error:
            if os.name == "nt" and path.exists():
                return True  # another process holds the entry open: the same content, as keys are digests
            self._degrade(f"{path.parent} cannot be written to: {error}", readable=True)
            return False
        self._puts += 1
        if self._total is None or self._puts % _RESCAN_PUTS == 0:
            self._total = sum(size for _, size, _ in self._scan())
        else:
            self._total += len(packed)
        if self._total > self.limit_bytes:
            self._evict_to(int(self.limit_bytes * _EVICT_TO), wait=0.0, keep=path)
        return True

    def _remember(self, key: str, content: bytes) -> None:
        self._memory.pop(key, None)
        self._memory[key] = content
        held = sum(map(len, self._memory.values()))
        for oldest in list(self._memory)[:-1]:
            if held <= self.limit_bytes:
                break
            held -= len(self._memory.pop(oldest))
            self._counts["evicted"] += 1

    def _scan(self) -> list[tuple[Path, int, float]]:
        """Return (path, size, time of last use) of every entry on disk."""
        found = []
        try:
            with os.scandir(self.directory) as entries:
                for entry in entries:
                    if entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        found.append((Path(entry.path), status.st_size, status.st_mtime))
        except OSError:
            return found  # missing, unreadable, or changing under us: what was seen so far is the answer
        return found

    def _evict_to(self, limit: int, *, wait: float, keep: Path | None = None) -> int:
        """Remove old entries under a lock between processes; with a `wait` of 0, leave it to whoever holds that."""
        if not self._readable or not os.path.isdir(self.directory):
            return 0
        import filelock  # imports much, and few processes evict

        removed = 0
        try:
            with filelock.FileLock(self.directory / ".lock", timeout=wait, mode=0o600):
                files = sorted(self._scan(), key=lambda file: file[2])
                total = sum(size for _, size, _ in files)
                for path, size, _ in files:
                    if total <= limit:
                        break
                    if path != keep and self._remove(path):
                        total -= size
                        removed += 1
                self._total = total
                self._sweep()
        except filelock.Timeout:
            return removed
        except (OSError, RuntimeError) as error:  # RuntimeError: a file system without locks
            if self._writable:  # otherwise it has been said
                warn_once(self.directory, "evict", f"{self.directory} cannot be tidied up: {error}")
        self._counts["evicted"] += removed
        return removed

    def _sweep(self) -> None:
        """Remove temporary files of processes that died while writing."""
        for path in self.directory.glob(TEMPORARY_PREFIX + "*"):
            try:
                if path.lstat().st_mtime < time.time() - 3600:
                    path.unlink()
            except OSError:
                continue  # its writer has just finished, or it is not ours to remove

    def _remove(self, path: Path) -> bool:
        try:
            path.unlink()
        except FileNotFoundError:
            return True
        except OSError as error:
            warn_once(self.directory, "remove", f"{path} cannot be removed: {error}")
            return False
        return True


def _name(key: str) -> str:
    """Return the file name of `key`; keys that are not digests are digested, so any string is a safe name."""
    return (key if _HEX.fullmatch(key) else hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()) + _SUFFIX


def _pack(key: str, content: bytes) -> bytes:
    """Return magic, checksum, length of key, key, content. The checksum covers all that follows it."""
    encoded = key.encode(errors="surrogatepass")
    body = struct.pack("<I", len(encoded)) + encoded + content
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpack(packed: bytes) -> tuple[str, bytes] | None:
    """Return (key, content), or None for anything that `_pack` did not write."""
    start = len(_MAGIC) + 32
    body = packed[start:]
    if packed[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != packed[len(_MAGIC) : start]:
        return None
    length = struct.unpack_from("<I", body)[0]
    return body[4 : 4 + length].decode(errors="surrogatepass"), body[4 + length :]
