# SPDX-License-Identifier: MIT
"""The schedule of rows on a GPU that no block holds in registers: they wait in shared memory from one sweep to the next.

Each lane leaves what it reads in the first sweep in places of its own, and reads it from there in all others: nobody waits for anybody,
and memory is read once.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.block_rows import BlockRows
from tracea_core.semantic.build.warp_rows import kernel_of
from tracea_core.semantic.index import Const, Guard, Index
from tracea_core.semantic.kernel import Buffer, Lifetime, SemanticKernel, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import BufferRef, Load, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

_WAITING = "waiting"
"""The row, in shared memory."""
_RUN_BYTES = 16
_BESIDE, _RESERVED = 512, 1024
"""Bytes of shared memory beside a row, at most, and that CUDA keeps of each block for itself: a processor has as many more than a block."""


def waiting_rows_kernel(
    form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `form` on a GPU whose blocks keep a row each in shared memory.

    Parameters
    ----------
    configuration : PipelineConfig
        As for `tracea_core.semantic.build.block_rows.block_rows_kernel`; ``block_k`` columns of the longest row, a multiple of a block's
        step.

    Raises
    ------
    ConfigurationError
        If shared memory holds no such row, or as for blocks that sweep theirs.
    """
    return kernel_of(WaitingRows(form, configuration, profile), profile, variant, name)


class WaitingRows(BlockRows):
    """The schedule of a block whose row waits in shared memory."""

    def __init__(self, form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        super().__init__(form, configuration, profile)
        self.running = None  # which would save a sweep from memory
        columns = configuration.block_k
        if columns % self.step or columns * form.x.dtype.bytes > profile.shared_bytes:
            raise ConfigurationError(
                f"{columns} columns of {form.x.dtype.value} do not wait in {profile.shared_bytes} bytes in steps of {self.step}",
                configuration=configuration.describe(),
            )  # fmt: skip
        self.run = self._run(form.x)

    @property
    def most_columns(self) -> int:
        """Columns of the longest row that waits."""
        return self.config.block_k

    def buffers(self) -> tuple[Buffer, ...]:
        """The row, and what each warp has found of each statistic."""
        step = Layout.row_major(("column", self.step))
        steps = self.config.block_k // self.step
        return (
            Buffer(_WAITING, Space.SHARED, self.f.x.dtype, step, Lifetime.TILE, steps, alignment=_RUN_BYTES),
            *super().buffers(),
        )

    def together(self) -> int:
        """Two blocks, if a processor's shared memory holds both rows: one reads while the other stores."""
        row = self.config.block_k * self.f.x.dtype.bytes + _BESIDE
        return 2 if 2 * (row + _RESERVED) <= self.profile.shared_bytes + _RESERVED else 1

    def _swept_elements(self, sweep: int, step: Index, guard: Guard) -> list[Node]:
        place = BufferRef(_WAITING, (self._column(Const(0)),), step)
        if sweep:
            return [Load(self.x.name, place, Transfer.GATHER, guard, width=self.run)]
        kept = Store(place, self.x.name, Transfer.GATHER, guard, self.run)
        return [self._load(self.f.x, self.x, step, guard), kept]
