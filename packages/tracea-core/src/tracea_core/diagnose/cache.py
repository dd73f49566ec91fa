# SPDX-License-Identifier: MIT
"""The cache directory: may it be used, does it hold what it should, is there room. Looks, and changes nothing but one probe file.

Whatever is wrong here costs a call nothing but time: kernels are compiled again and measurements are forgotten.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

from tracea_core.diagnose.report import Cache
from tracea_core.diagnose.text import readable
from tracea_core.plugin.manifest import Finding, Severity
from tracea_core.runtime.cache import BinaryCache
from tracea_core.storage import TEMPORARY_PREFIX, cache_root, distrust

SCARCE_BYTES = 256 << 20
"""Less free space than this is worth a warning: a tuned project holds that much."""
_READ_AT_MOST = 256 << 20
_ANOTHER = "Set TRACEA_CACHE_DIR to a directory of your own"
_COST = "until then kernels are compiled in every process"


def examine_cache() -> tuple[Cache, tuple[Finding, ...]]:
    """Return the state of the cache directory and what to do about it."""
    chosen_by = "TRACEA_CACHE_DIR" if os.environ.get("TRACEA_CACHE_DIR") else "the platform's default"
    root = cache_root()
    cache = Cache(directory=readable(root), chosen_by=chosen_by)
    findings: list[Finding] = []
    if not root.is_absolute():
        message = f"{readable(root)} is relative, so every working directory has a cache of its own"
        findings.append(_warning(message, "Give TRACEA_CACHE_DIR as an absolute path"))
    if not os.path.lexists(root):
        cache, found = _missing(cache, root)
        return cache, (*findings, *found)
    cache = cache.replace(exists=True)
    problem = _problem(root)
    if problem:
        return cache, (*findings, problem)
    cache = cache.replace(usable=True, free_bytes=_free_bytes(root))
    cache, found = _space(cache)
    findings += found
    cache, found = _binaries(cache, root / "binaries")
    findings += found
    cache, found = _measurements(cache, root / "measurements.sqlite")
    findings += found
    if not findings:
        findings.append(Finding(Severity.OK, "cache", f"{cache.directory} is private and usable"))
    return cache, tuple(findings)


def _warning(message: str, hint: str = _ANOTHER) -> Finding:
    return Finding(Severity.WARNING, "cache", readable(message), hint)


def _missing(cache: Cache, root: Path) -> tuple[Cache, list[Finding]]:
    """Say whether a directory that is not there could be made."""
    parent = root.parent
    while not os.path.lexists(parent) and parent != parent.parent:
        parent = parent.parent
    if not parent.is_dir():
        return cache, [_warning(f"{root} cannot be created: {parent} is not a directory; {_COST}")]
    try:
        _write_probe(parent)
    except OSError as error:
        return cache, [_warning(f"{root} cannot be created in {parent}: {_why(error)}; {_COST}")]
    cache, found = _space(cache.replace(usable=True, free_bytes=_free_bytes(parent)))
    return cache, found or [Finding(Severity.OK, "cache", readable(f"{root} will be created when it is needed"))]


def _problem(root: Path) -> Finding | None:
    """Return what keeps an existing directory from being used."""
    try:
        status = os.stat(root)
    except OSError as error:
        what = "is a symbolic link that leads nowhere" if root.is_symlink() else f"cannot be read: {_why(error)}"
        return _warning(f"{root} {what}; {_COST}")
    if not stat.S_ISDIR(status.st_mode):
        return _warning(f"{root} is not a directory; {_COST}", f"Remove it, or s{_ANOTHER[1:]}")
    reason = distrust(status)
    if reason:
        return _warning(f"{root} is not trusted, since loading a kernel runs it: {reason}; {_COST}")
    try:
        with os.scandir(root) as entries:
            next(entries, None)
        _write_probe(root)
    except OSError as error:
        return _warning(f"{root} cannot be used: {_why(error)}; {_COST}")
    return None


def _write_probe(directory: Path) -> None:
    """Write a small file and remove it: permissions, read-only file systems, quotas and full disks all show here only."""
    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=directory)
    try:
        os.write(handle, bytes(4096))
        os.fsync(handle)
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):  # another process tidied up
            os.unlink(name)


def _why(error: OSError) -> str:
    meaning = {
        "ENOSPC": "the disk is full",
        "EDQUOT": "your quota is used up",
        "EROFS": "the file system is read-only",
        "EACCES": "permission is denied",
        "EPERM": "permission is denied",
    }.get(errno.errorcode.get(error.errno or 0, ""))
    return meaning or f"{type(error).__name__}: {error}"


def _free_bytes(directory: Path) -> int:
    try:
        return shutil.disk_usage(directory).free
    except OSError:
        return -1


def _space(cache: Cache) -> tuple[Cache, list[Finding]]:
    if 0 <= cache.free_bytes < SCARCE_BYTES:
        message = f"only {cache.free_bytes / 2**20:.0f} MiB are free where {cache.directory} lies"
        return cache, [_warning(message, "Free some space, or run `tracea cache clear`")]
    return cache, []


def _binaries(cache: Cache, directory: Path) -> tuple[Cache, list[Finding]]:
    """Count the compiled kernels, and read them if they are few enough."""
    if not os.path.lexists(directory):
        return cache, []
    problem = _problem(directory)
    if problem:
        return cache, [problem]
    kernels = BinaryCache(directory)
    held = kernels.stats()
    cache = cache.replace(entries=held.entries, bytes=held.bytes)
    if held.bytes > _READ_AT_MOST:
        return cache, []
    damaged = held.entries - len(kernels.keys())
    if damaged <= 0:
        return cache, []
    message = (
        f"{damaged} of {held.entries} kernels in {directory} are damaged; each is compiled again when it is needed"
    )
    return cache.replace(damaged=damaged), [_warning(message, "Run `tracea cache clear` to be rid of them")]


def _measurements(cache: Cache, path: Path) -> tuple[Cache, list[Finding]]:
    """Check the measurement store without opening it for writing."""
    if not os.path.lexists(path):
        return cache, []
    status = os.lstat(path)
    reason = distrust(status) if stat.S_ISREG(status.st_mode) else "it is not a regular file"
    if reason:
        return cache, [_warning(f"{path} is not trusted: {reason}; measurements are forgotten", "Remove it")]
    try:
        import sqlite3
    except ImportError as error:
        message = f"this Python has no SQLite ({error}); measurements are forgotten"
        return cache, [_warning(message, "Install a Python that has it")]
    try:
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=2)
        try:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            count = 0
            if "measurements" in tables:
                (count,) = connection.execute("SELECT count(*) FROM measurements").fetchone()
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeError) as error:
        verdict, count = str(error), 0
    if verdict != "ok":
        message = f"{path} is damaged ({verdict})"
        return cache, [_warning(message, "It is set aside and begun anew at the next measurement")]
    return cache.replace(measurements=count), []
