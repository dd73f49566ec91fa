# SPDX-License-Identifier: MIT
"""Which files on disk tracea trusts, and how it writes them: one set of rules for binaries and measurements.

Loading a cached binary is code execution, so a directory or file is used only if it belongs to this user and nobody
else may write to it. Writing goes to a temporary file that is renamed into place, so a reader sees the old content or
the new, never half of either. Functions here raise `OSError`; their callers turn that into one warning and go on
without a disk.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import threading
from pathlib import Path

import platformdirs

log = logging.getLogger("tracea.storage")

TEMPORARY_PREFIX = ".writing-"
"""How names of temporary files begin; one that is an hour old belongs to a process that died."""

_FOREIGN_WRITE = stat.S_IWGRP | stat.S_IWOTH
_warned: set[tuple[str, str]] = set()
_warned_guard = threading.Lock()


class UntrustedError(PermissionError):
    """A directory or file exists, but someone else owns it or may write to it."""


def cache_root() -> Path:
    """Return the directory of everything tracea stores: ``TRACEA_CACHE_DIR``, or the platform's cache directory.

    The directory need not exist; see `private_directory`.
    """
    chosen = os.environ.get("TRACEA_CACHE_DIR")
    return Path(os.path.expanduser(chosen) if chosen else platformdirs.user_cache_dir("tracea", appauthor=False))


def distrust(status: os.stat_result) -> str | None:
    """Return why something with this status must not be trusted, or None.

    Windows has neither owners nor modes in this sense: its user profile is private by access control lists.
    """
    if not hasattr(os, "geteuid"):
        return None
    if status.st_uid != os.geteuid():
        return f"it belongs to user {status.st_uid}, not to user {os.geteuid()}"
    if status.st_mode & _FOREIGN_WRITE:
        return f"others may write to it (mode {stat.S_IMODE(status.st_mode):04o}); run chmod go-w on it"
    return None


def private_directory(path: Path) -> None:
    """Create `path` and the directories above it with mode 0700 if they are missing, and check that it can be trusted.

    Raises
    ------
    UntrustedError
        If the directory, or the symbolic link leading to it, belongs to someone else or is writable by others.
    OSError
        If it cannot be created, or is not a directory.
    """
    missing = [path] if not os.path.lexists(path) else []
    while missing and not os.path.lexists(missing[-1].parent):
        missing.append(missing[-1].parent)
    for directory in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster; what it made is checked like ours
            directory.mkdir(mode=0o700)
    status = os.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{path} is not a directory")
    reason = distrust(status)
    link = os.lstat(path)
    if reason is None and stat.S_ISLNK(link.st_mode) and hasattr(os, "geteuid") and link.st_uid != os.geteuid():
        reason = f"the symbolic link belongs to user {link.st_uid}"
    if reason:
        raise UntrustedError(f"{path} is not trusted: {reason}")


def check_file(path: Path) -> os.stat_result:
    """Return the status of the regular file `path` if it can be trusted.

    Raises
    ------
    UntrustedError
        If it belongs to someone else, is writable by others, or is not a regular file (a symbolic link is not).
    FileNotFoundError
        If it does not exist.
    """
    status = os.lstat(path)
    reason = distrust(status) if stat.S_ISREG(status.st_mode) else "it is not a regular file"
    if reason:
        raise UntrustedError(f"{path} is not trusted: {reason}")
    return status


def read_private(path: Path) -> bytes:
    """Return the content of a trusted file; the check is made on the opened file, so nothing can be swapped in between.

    Raises
    ------
    UntrustedError
        As for `check_file`.
    OSError
        If it cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        reason = distrust(status) if stat.S_ISREG(status.st_mode) else "it is not a regular file"
        if reason:
            raise UntrustedError(f"{path} is not trusted: {reason}")
        return file.read()


def write_atomic(path: Path, content: bytes, *, private: bool = True) -> None:
    """Replace `path` by a file with `content`, in one step as seen by every reader.

    Parameters
    ----------
    private : bool
        Give the file mode 0600; otherwise, the mode of the file it replaces, or what the umask leaves of 0666.

    Raises
    ------
    OSError
        If the directory cannot be written to or the disk is full; no temporary file is left behind.
    """
    import tempfile  # who only reads what is stored does without

    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        if not private:
            os.chmod(name, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):  # the error that matters is on its way
            os.unlink(name)
        raise


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    with _warned_guard:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def warn_once(place: Path | str, kind: str, message: str) -> bool:
    """Log `message` as a warning the first time this process says `kind` about `place`; return whether it did."""
    with _warned_guard:
        if (str(place), kind) in _warned:
            return False
        _warned.add((str(place), kind))
    log.warning("%s", message)
    return True
