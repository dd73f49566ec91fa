# SPDX-License-Identifier: MIT
"""The orders in which tiles run.

Tiles that run at the same time share rows of A and columns of B through a cache, so the order decides how much is read
again.
"""

from __future__ import annotations

import enum


class Order(enum.Enum):
    """An execution order over a grid of tiles."""

    ROW = "row"
    COLUMN = "column"
    GROUPED = "grouped"
    Z = "z"
    HILBERT = "hilbert"
    LONGEST_FIRST = "longest_first"
    WAVEFRONT = "wavefront"
