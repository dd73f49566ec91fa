# SPDX-License-Identifier: MIT
"""How many workers a launch of the CPU's row-wise schedule wakes: one for what is done before another has woken."""

from __future__ import annotations

from tracea_core.semantic.index import evaluate
from tracea_core.semantic.lower_rowwise import LoweredRows
from tracea_core.target import CapabilityProfile

_ALONE_BELOW = 1 << 14
"""Elements under which waking other workers costs more than they save: about 5 µs at 3 G elements a second."""


def row_symbols(lowered: LoweredRows, profile: CapabilityProfile) -> dict[str, int]:
    """Return every symbol's value for one launch, and the number of workers."""
    values = lowered.symbols
    rows, columns = (int(evaluate(extent, values)) for extent in (lowered.form.m, lowered.form.n))
    values["workers"] = 1 if rows * columns <= _ALONE_BELOW or rows == 1 else profile.processors
    return values
