# SPDX-License-Identifier: MIT
"""Which products of an operator are wanted: all, those through a rank, of present blocks, in a window, of groups of rows, or none."""

from __future__ import annotations

from typing import TypeAlias

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.policy.channelwise import Channelwise


class Dense(Data, frozen=True, tag=True):
    """Every product is wanted."""


class LowRank(Data, frozen=True, tag=True):
    """(x·A)·B with A of shape (k, r) and B of shape (r, n)."""

    r: int

    def __post_init__(self) -> None:
        if self.r < 1:
            raise ConfigurationError("the rank of a low-rank operator is at least 1", r=self.r)


class BlockSparse(Data, frozen=True, tag=True):
    """One operand consists of blocks, a share `density` of which is present."""

    block_m: int
    block_k: int
    density: float

    def __post_init__(self) -> None:
        if min(self.block_m, self.block_k) < 1 or not 0 <= self.density <= 1:
            raise ConfigurationError("blocks are at least 1 × 1 and density lies in [0, 1]", kind=self)


class Windowed(Data, frozen=True, tag=True):
    """Row i of m sees `left` positions of k before and `right` after the diagonal; None leaves a side open."""

    left: int | None
    right: int | None

    def __post_init__(self) -> None:
        if min(self.left or 0, self.right or 0) < 0:
            raise ConfigurationError("a window has sides of at least 0", kind=self)


class Causal(Data, frozen=True, tag=True):
    """Row i of m sees the positions of k up to the diagonal, which ends at the bottom right."""


class Grouped(Data, frozen=True, tag=True):
    """Several problems with their own number of rows (a ragged batch); m of the topology is their sum."""

    rows: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.rows or min(self.rows) < 0:
            raise ConfigurationError("a grouped operator lists the rows of each group", kind=self)


class Rows(Data, frozen=True, tag=True):
    """No products: each of m rows of n elements is on its own, and k is 1."""


AnyTopology: TypeAlias = Channelwise | Dense | LowRank | BlockSparse | Windowed | Causal | Grouped | Rows


class TopologyKind:
    """The kinds of topology under one name: ``TopologyKind.LowRank(r=32)`` is ``LowRank(r=32)``."""

    Dense = Dense
    LowRank = LowRank
    BlockSparse = BlockSparse
    Windowed = Windowed
    Causal = Causal
    Grouped = Grouped
    Rows = Rows
