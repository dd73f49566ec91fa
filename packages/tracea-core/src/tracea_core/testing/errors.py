# SPDX-License-Identifier: MIT
"""The one error of the conformance kit: a promise that a backend broke, told so that its author knows what to change."""

from __future__ import annotations

from typing import Any

from tracea_core.errors import TraceaError


class ConformanceError(TraceaError, AssertionError):
    """A backend does not keep a promise of the plugin contract; the message says which one and what was seen."""


def demand(holds: bool, promise: str, **facts: Any) -> None:
    """Raise unless `holds`.

    Raises
    ------
    ConformanceError
        With `promise` in words and the facts that were seen.
    """
    if not holds:
        raise ConformanceError(promise, **facts)
