# SPDX-License-Identifier: MIT
"""The schedule of long rows on a GPU: the warps of a block hold a row together, so that it is read once, or sweep it together.

Each warp takes neighbouring columns and reduces them among its lanes; what it found it leaves in shared memory, and after a barrier a few
lanes of every warp read by runs what all have left, and reduce it. A statistic has places of its own there, so that one barrier for each
is enough.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.row_lanes import chains_of, shared_out
from tracea_core.semantic.build.warp_rows import BLOCK, WARP, WarpRows, kernel_of
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import COLUMN, Const, Index, Sym, less
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, SemanticKernel, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.row_steps import Fold
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import Barrier, BufferRef, If, Let, Load, Node, Scope, Store, Transfer
from tracea_core.target import CapabilityProfile

_FOUND = "found"
"""What each warp has found, in shared memory."""
_RUN_BYTES, _WORD = 16, 4
"""Bytes of what warps have found that a lane reads together, where it is of words."""


def block_rows_kernel(
    form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `form` on a GPU whose blocks take a row each.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_n`` columns for each of ``warps`` warps, ``vector_a`` of them together in a lane; ``row_block`` is 1. With ``block_k`` equal
        to ``tile_n`` the row stays in registers, and must not be longer; else the block sweeps it.

    Raises
    ------
    ConfigurationError
        If lanes do not divide a warp's columns, there are more warps than lanes, registers do not suffice, or elements that should move
        together do not lie together.
    """
    return kernel_of(BlockRows(form, configuration, profile), profile, variant, name)


class BlockRows(WarpRows):
    """The schedule of a block."""

    def __init__(self, form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        super().__init__(form, configuration, profile)
        warps, lanes = configuration.warps, profile.lanes
        if configuration.row_block != 1:
            raise ConfigurationError(
                "the warps of a block take one row together", hint="row_block=1", configuration=configuration.describe()
            )
        if not 1 < warps <= lanes or warps * lanes > profile.max_threads_per_block:
            raise ConfigurationError(
                f"{warps} warps of {lanes} lanes do not share a row on {profile.name}",
                configuration=configuration.describe(),
            )
        self.rows_of_block = 1
        self.longest = configuration.tile_n * warps
        self.step = self.step if self.resident else self.longest
        bits = tuple((0, 1 << bit) for bit in range(lanes.bit_length() - 1))
        self.own = Fragment("own", form.compute, FragmentLayout.from_bits((1, lanes), bits, ()))
        self.across = Fragment("across", form.compute, shared_out(warps, lanes, _run(form.compute)))

    def every_fragment(self) -> list[Fragment]:
        """All registers that some program of this schedule uses."""
        return [*super().every_fragment(), self.own, self.across]

    def buffers(self) -> tuple[Buffer, ...]:
        """What each warp has found of each statistic."""
        run = _run(self.f.compute)
        places = -(-self.config.warps // run) * run
        layout = Layout.row_major(("statistic", len(self.f.statistics)), ("warp", places))
        return (Buffer(_FOUND, Space.SHARED, self.f.compute, layout, Lifetime.TILE, alignment=_RUN_BYTES),)

    def body(self) -> tuple[Node, ...]:
        """One row for each block."""
        return (
            Let("at_row", BLOCK),
            *(() if self.resident else (Let("steps", self.f.n // self.step),)),
            If((less(Sym("at_row"), self.f.m),), self._row()),
        )

    def _column(self, step: Index) -> Index:
        return step * self.step + (WARP * self.columns + COLUMN)

    def _exchange(self, number: int) -> list[Node]:
        statistic, total = self.f.statistics[number], self.totals[number].name
        own, across, place = self.own.name, self.across.name, (Const(number),)
        run = 1 << self.across.layout.register_bits
        return [
            computed(own, Operand(0), self.f.compute, (), (total,)),
            Store(BufferRef(_FOUND, (*place, WARP)), own, Transfer.GATHER, (less(COLUMN, 1),)),
            Barrier(Scope.BLOCK, f"{statistic.name}_found"),
            Load(across, BufferRef(_FOUND, (*place, COLUMN)), Transfer.GATHER, width=run),
            Fold(total, across, statistic.fold, chains_of(self.across.layout.registers)),
        ]


def _run(dtype: DType) -> int:
    """How many numbers a lane reads together."""
    return _RUN_BYTES // dtype.bytes if dtype.bytes <= _WORD else 1
