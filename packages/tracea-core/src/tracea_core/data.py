# SPDX-License-Identifier: MIT
"""The base of every value that passes between two stages: frozen, comparable, and the same after a JSON round trip.

Every stage of the pipeline hands the next one such a value, so anything the pipeline decided can be printed, stored,
sent to another machine and compared. Decoding is strict: an unknown field or a wrong type is an error, never a guess.
"""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Any, Self

import msgspec

from tracea_core.errors import MalformedDataError

_decoders: dict[type, msgspec.json.Decoder[Any]] = {}
_lock = threading.RLock()


def _decoder(kind: type) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a class, made by one thread at a time.

    msgspec learns the fields of a class and of those within it when the class is decoded first. Two threads that find one another
    at that read what is half written, and the process dies.
    """
    found = _decoders.get(kind)
    if found is None:
        with _lock:
            found = _decoders[kind] = msgspec.json.Decoder(kind)
    return found


def _after_fork() -> None:
    """Take a new lock in a child: a thread that does not exist there may hold the old one."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, cache_hash=True):
    """Frozen, strict data. Subclasses that stand in a union pass ``tag=True`` (the class name is then stored).

    Frozen values of frozen values form no cycles, so the garbage collector need not walk them, and their hashes stay.
    """

    def to_json(self) -> str:
        """Return this value as compact JSON; equal values give equal text in every process."""
        return msgspec.json.encode(self, order="deterministic").decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the value that `to_json` wrote.

        Raises
        ------
        MalformedDataError
            If the text is not JSON, has unknown or missing fields, or holds a value that the class rejects.
        """
        try:
            value: Self = _decoder(cls).decode(text)
            return value
        except (msgspec.DecodeError, ValueError, TypeError) as error:
            raise MalformedDataError(f"this is not the JSON of a {cls.__name__}: {error}") from error

    def digest(self) -> str:
        """Return the SHA-256 of the JSON form as 64 hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed (and validated again)."""
        return msgspec.structs.replace(self, **changes)
