# SPDX-License-Identifier: MIT
"""Where buffers and barriers lie in a block's shared memory: one plan for builders, verifier and emitters.

Buffers follow each other in the kernel's order, each at a multiple of its alignment; behind them every ring has its
full barriers, then its empty ones, 8 bytes each, and behind those lie the barriers of the cluster. Every language aligns the
base to 16 bytes; where a buffer wants more, the base is rounded up, which the plan's size leaves room for.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.kernel import Buffer, Ring, SemanticKernel, Space, walk
from tracea_core.semantic.steps import Barrier, Scope

BARRIER_BYTES = 8
BASE_ALIGNMENT = 16
"""Bytes to which shared memory is aligned without rounding."""


class SharedPlan(Data, frozen=True):
    """Byte offsets from the aligned base.

    Attributes
    ----------
    buffers : tuple of (str, int)
        Offset of each shared buffer's first slot.
    full, empty : tuple of (str, int)
        Offset of each ring's first full and first empty barrier.
    meetings : tuple of (str, int)
        Offset of the barrier at which the blocks of a cluster meet, by its name.
    alignment : int
        Alignment of the base.
    bytes : int
        Dynamic shared memory to ask for, room to align the base included.
    """

    buffers: tuple[tuple[str, int], ...]
    full: tuple[tuple[str, int], ...]
    empty: tuple[tuple[str, int], ...]
    meetings: tuple[tuple[str, int], ...]
    alignment: int
    bytes: int

    def offset(self, buffer: str) -> int:
        """Return the offset of a buffer's first slot."""
        for name, offset in self.buffers:
            if name == buffer:
                return offset
        raise ConfigurationError(f"{buffer!r} has no place in shared memory")


def slot_bytes(buffer: Buffer) -> int:
    """Return the bytes of one slot of `buffer`."""
    return buffer.layout.size * buffer.dtype.bytes


def plan_of(kernel: SemanticKernel) -> SharedPlan:
    """Return the plan of a whole kernel."""
    names = (
        node.name
        for role in kernel.roles
        for node in walk(role.body)
        if isinstance(node, Barrier) and node.scope is Scope.CLUSTER
    )
    return shared_plan(kernel.buffers, kernel.rings, tuple(dict.fromkeys(names)))


def shared_plan(buffers: tuple[Buffer, ...], rings: tuple[Ring, ...], meetings: tuple[str, ...] = ()) -> SharedPlan:
    """Return the plan for a kernel with these buffers, rings and barriers of a cluster."""
    position, alignment = 0, BARRIER_BYTES
    places: list[tuple[str, int]] = []
    for buffer in buffers:
        if buffer.space is Space.SHARED:
            position = -(-position // buffer.alignment) * buffer.alignment
            places.append((buffer.name, position))
            position += slot_bytes(buffer) * buffer.slots
            alignment = max(alignment, buffer.alignment)
    position = -(-position // BARRIER_BYTES) * BARRIER_BYTES
    full, empty = [], []
    for ring in rings:
        full.append((ring.name, position))
        empty.append((ring.name, position + BARRIER_BYTES * ring.slots))
        position += 2 * BARRIER_BYTES * ring.slots
    met = tuple((name, position + BARRIER_BYTES * number) for number, name in enumerate(meetings))
    position += BARRIER_BYTES * len(meetings)
    if not places and not full:
        return SharedPlan((), (), (), (), alignment, 0)
    room = alignment if alignment > BASE_ALIGNMENT else 0
    return SharedPlan(tuple(places), tuple(full), tuple(empty), met, alignment, position + room)
