# SPDX-License-Identifier: MIT
"""Register tiles of CPUs that compilers keep in registers, so that a search starts near its end.

A tile's sums, a row of B and one broadcast of A must fit the vector registers; what is computed on the way needs more. A gated
epilogue uses each broadcast twice, so all rows' are live; an operand that is widened as it is broadcast is held before and after;
integers are multiplied into a register of their own before they are added. Each list below is what LLVM 22 compiles without touching
the stack in the main loop (``tests/emit/test_assembly.py`` of the CPU backend looks at every one of them).
"""

from __future__ import annotations

from tracea_core.policy.budget import vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import HALVED_VECTORS, CapabilityProfile

_Shapes = tuple[tuple[int, int], ...]

_PLAIN: dict[str, _Shapes] = {
    "few registers": ((4, 3), (6, 2), (2, 5)),
    "halved vectors": ((6, 2), (4, 3), (2, 5)),
    "many registers": ((6, 4), (6, 3), (4, 5)),
    "short vectors": ((8, 3), (6, 4), (5, 4)),
}
"""Rows × vectors. 6×4 was measured at 92 to 98 % of the register-only limit of a Zen 4 core; 8×3 on short vectors is the 8×12 tile of
BLIS and OpenBLAS on Neoverse. Where vectors are halved, 12 multiply-adds take 12 cycles, in which the second cache gives about 84 bytes: 64
of a 6×2 arrive, 96 of a 4×3 do not. Two cores of Zen 1, panels packed before, multiply-adds alone reaching 92 GFLOP/s: 512³ 83 and 67
GFLOP/s, 1024³ 87 and 76."""
_GATED: dict[str, _Shapes] = {
    "few registers": ((4, 1), (2, 2)),
    "many registers": ((5, 2), (3, 3)),
    "short vectors": ((8, 1), (5, 2), (4, 2)),
}
_WIDENED: dict[str, _Shapes] = {
    "few registers": ((3, 3), (2, 4)),
    "many registers": ((5, 4), (6, 3), (4, 5)),
    "short vectors": ((6, 3), (5, 4)),
}
_INTEGERS: dict[str, _Shapes] = {
    "few registers": ((2, 3), (2, 2)),
    "many registers": ((6, 2), (4, 3)),
    "short vectors": ((6, 3), (4, 3)),
}
_GATED_INTEGERS: dict[str, _Shapes] = {
    "few registers": ((3, 1),),
    "many registers": ((6, 1),),
    "short vectors": ((5, 2), (8, 1)),
}
_MANY_REGISTERS = 32
_SHORT_LANES = 4


def cpu_heroes(
    profile: CapabilityProfile, topology: OperatorTopology, *, widened: bool | None = None
) -> tuple[PipelineConfig, ...]:
    """Return the tiles that are known to be good, the best for a large square problem first.

    Parameters
    ----------
    widened : bool, optional
        Whether elements of A are widened as they are broadcast; by default if they are narrower than the sums. Packed rows are not.
    """
    if not topology.accumulator.is_float:
        table = _INTEGERS if topology.gates == 1 else _GATED_INTEGERS
    elif topology.gates == 2:
        table = _GATED
    else:
        table = _WIDENED if (is_widened(topology) if widened is None else widened) else _PLAIN
    kind = "few registers"
    if profile.vector_registers >= _MANY_REGISTERS:
        kind = "short vectors" if profile.lanes <= _SHORT_LANES else "many registers"
    elif profile.has(HALVED_VECTORS) and table is _PLAIN:
        kind = "halved vectors"
    lanes = vector_lanes(profile, topology.accumulator)
    return tuple(
        PipelineConfig(tile_m=rows, tile_n=vectors * lanes, tile_k=4, stages=1, warps=1)
        for rows, vectors in table[kind]
    )


def is_widened(topology: OperatorTopology) -> bool:
    """Whether the operands are floats narrower than their sums."""
    return topology.dtype.is_float and topology.dtype.bytes < topology.accumulator.bytes
