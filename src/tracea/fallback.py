# SPDX-License-Identifier: MIT
"""What happens when no kernel of tracea takes a call on torch tensors: PyTorch computes it, and the log says why, once.

``fallback="error"`` raises instead. NumPy arrays have nothing to fall back to, so for them the error is always raised.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator
from typing import Any

from tracea_core.errors import OptionError, TraceaError, UnsupportedError

from tracea.tracing import constant_while_tracing

_log = logging.getLogger("tracea")
_told: set[str] = set()
MODES = ("torch", "error")


def check_mode(fallback: str) -> None:
    """Raise unless `fallback` is a known mode."""
    if fallback not in MODES:
        raise OptionError(f"fallback={fallback!r} is unknown", hint="Use 'torch' or 'error'")


def to_torch(op: str, reason: TraceaError | str, fallback: str, compute: Callable[[], Any]) -> Any:
    """Return ``compute()`` and log why, or raise if the caller asked for errors.

    Raises
    ------
    UnsupportedError
        With the reason, if ``fallback="error"``.
    """
    if fallback == "error":
        if isinstance(reason, TraceaError):
            raise reason
        raise UnsupportedError(reason, op=op, hint="Allow fallback='torch'")
    _tell(f"{op} runs in PyTorch: {reason if isinstance(reason, str) else reason.message}")
    return compute()


@constant_while_tracing
def _tell(text: str) -> None:
    """Log `text` the first time. Followed into the logger, Dynamo would break the graph there, and refuse ``fullgraph=True``."""
    for heard in _listeners:
        heard[text] = None
    if text not in _told:
        _told.add(text)
        _log.warning("%s", text)


_listeners: list[dict[str, None]] = []


@contextlib.contextmanager
def overheard() -> Iterator[Collection[str]]:
    """Give the reasons told inside, each once and in order, whether or not they have been logged before."""
    heard: dict[str, None] = {}
    _listeners.append(heard)
    try:
        yield heard
    finally:
        _listeners[:] = [other for other in _listeners if other is not heard]
