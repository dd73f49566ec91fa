# SPDX-License-Identifier: MIT
"""The schedule of long rows on a GPU: the warps of a block hold a row together, so that it is read once.

Each warp takes neighbouring columns and reduces them among its lanes; what it found it leaves in shared memory, and after a barrier every
warp reduces what all have left. A statistic has places of its own there, so that one barrier for each is enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.warp_rows import BLOCK, WARP, WarpRows, kernel_of
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import COLUMN, Const, Index, Sym, less
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, SemanticKernel, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.row_steps import Fold, Mask
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import Barrier, BufferRef, If, Let, Load, Node, Scope, Store, Transfer
from tracea_core.target import CapabilityProfile

_FOUND = "found"
"""What each warp has found, in shared memory."""
_ALIGNED = 16
_THREADS = 1536
"""Of a processor: with as many, rows on their way hide the waits of others."""
_ADDRESSES, _GRAIN = 1.4, 8
"""Registers of a thread over those of its fragments (kernels for sm_90a spill none with as many), and what they are dealt by."""


def block_rows_kernel(
    form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `form` on a GPU whose blocks take a row each.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_n`` columns (which is ``block_k``) for each of ``warps`` warps, ``vector_a`` of them together in a lane; ``row_block`` is 1.

    Raises
    ------
    ConfigurationError
        If lanes do not divide a warp's columns, there are more warps than lanes, registers do not suffice, or elements that should move
        together do not lie together.
    """
    builder = BlockRows(form, configuration, profile)
    found = kernel_of(builder, profile, variant, name)
    return found.replace(launch=found.launch.replace(together=builder.together(found.roles[0].fragments)))


class BlockRows(WarpRows):
    """The schedule of a block."""

    def __init__(self, form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        super().__init__(form, configuration, profile)
        warps, lanes = configuration.warps, profile.lanes
        if configuration.row_block != 1 or not self.resident:
            raise ConfigurationError(
                "the warps of a block hold one row together", hint="row_block=1, and block_k as large as tile_n",
                configuration=configuration.describe(),
            )  # fmt: skip
        if not 1 < warps <= lanes or warps * lanes > profile.max_threads_per_block:
            raise ConfigurationError(
                f"{warps} warps of {lanes} lanes do not share a row on {profile.name}",
                configuration=configuration.describe(),
            )
        self.registers = profile.registers_per_processor
        self.rows_of_block, self.longest = 1, configuration.tile_n * warps
        bits = tuple((0, 1 << bit) for bit in range(lanes.bit_length() - 1))
        self.across = Fragment("across", form.compute, FragmentLayout.from_bits((1, lanes), bits, ()))

    def together(self, fragments: Sequence[Fragment]) -> int:
        """Return how many blocks shall fit a processor: as many as have room by what fragments hold, up to `_THREADS` threads.

        Compilers take more registers than they need where nobody says so: an RMS norm of 8192 columns 48, with which two blocks fit,
        where 40 do, with which three do. What columns have of their own is loaded last, a run at a time. Elements that are moved one by
        one have addresses and tests of their own, for which nothing is known.
        """
        if self.width == 1 or self.f.compute.bytes > 4:
            return 1
        threads = self.config.warps * self.tile.lanes
        held = self.words([one for one in fragments if one not in self.operands])
        words = math.ceil(held * _ADDRESSES / _GRAIN) * _GRAIN
        return max(min(_THREADS // threads, self.registers // (words * threads)), 1)

    def every_fragment(self) -> list[Fragment]:
        """All registers that some program of this schedule uses."""
        return [*super().every_fragment(), self.across]

    def buffers(self) -> tuple[Buffer, ...]:
        """What each warp has found of each statistic, a place for each lane."""
        layout = Layout.row_major(("statistic", len(self.f.statistics)), ("warp", self.lanes))
        return (Buffer(_FOUND, Space.SHARED, self.f.compute, layout, Lifetime.TILE, alignment=_ALIGNED),)

    def body(self) -> tuple[Node, ...]:
        """One row for each block."""
        return (Let("at_row", BLOCK), If((less(Sym("at_row"), self.f.m),), self._row()))

    def _column(self, step: Index) -> Index:
        return WARP * self.columns + COLUMN

    def _fold(self, number: int, terms: str) -> list[Node]:
        statistic, total = self.f.statistics[number], self.totals[number].name
        across, place = self.across.name, (Const(number),)
        found = less(COLUMN, self.config.warps)
        return [
            Fold(total, terms, statistic.fold),
            computed(across, Operand(0), self.f.compute, (), (total,)),
            Store(BufferRef(_FOUND, (*place, WARP)), across, Transfer.GATHER, (less(COLUMN, 1),)),
            Barrier(Scope.BLOCK, f"{statistic.name}_found"),
            Load(across, BufferRef(_FOUND, (*place, COLUMN)), Transfer.GATHER, (found,)),
            Mask(across, (found,), self._nothing(statistic)),
            Fold(total, across, statistic.fold),
        ]
