# SPDX-License-Identifier: MIT
"""One figure of a table against its bar."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure against its bar: `peer` is the other side, in the same unit, where there is one.

    `pending` says why a figure cannot be had on this machine; such a row is not missed.
    """

    name: str
    unit: str
    value: float
    peer: float | None
    bar: float
    at_most: bool
    pending: str = ""

    @property
    def met(self) -> bool:
        """Whether the bar is met."""
        return bool(self.pending) or (self.value <= self.bar if self.at_most else self.value >= self.bar)

    def __str__(self) -> str:
        if self.pending:
            return f"wait {self.name}: pending, {self.pending}"
        relation = "at most" if self.at_most else "at least"
        peer = "" if self.peer is None else f" (peer {_digits(self.peer)})"
        mark = "ok  " if self.met else "MISS"
        return f"{mark} {self.name}: {_digits(self.value)} {self.unit}{peer}, bar {relation} {self.bar:g}"


def _digits(value: float) -> str:
    """Return three digits of a number, and all that stand before its point: 2499 lines are not 2.5e+03."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
