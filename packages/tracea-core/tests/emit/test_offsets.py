# SPDX-License-Identifier: MIT
"""Offsets in buffers as expressions: they evaluate to where the layout itself says that an element lies."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.emit.offsets import buffer_offset
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.index import Sym, evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import BufferRef
from tracea_core.testing.cases import gemm
from tracea_core.testing.null import null_backend


def hero(manifest: BackendManifest) -> SemanticKernel:
    problem, profile = gemm((300, 200, 100), DType.FP32, "tn"), manifest.probe().devices[0].profile
    variant = next(one for one in manifest.variants(profile) if DType.FP32 in one.operand_dtypes)
    lowered = lower(problem)
    config = first_buildable(lowered, PolicyEngine(profile).decide(problem, variant).heroes, profile, variant)
    return build_kernel(lowered.contraction, config, profile, variant)


def test_offsets_are_those_of_the_layout() -> None:
    kernel = hero(null_backend())
    assert kernel.buffers
    for buffer in kernel.buffers:
        names = [f"at{axis}" for axis in range(len(buffer.layout.shape) + (buffer.extent is not None))]
        places = tuple(Sym(name) for name in names)
        offset = buffer_offset(buffer, BufferRef(buffer.name, places, slot=Sym("slot") if buffer.slots > 1 else None))
        for turn in range(40):
            inner = [(turn * 7 + 3 * axis) % extent for axis, extent in enumerate(buffer.layout.shape)]
            outer = [turn % 3] if buffer.extent is not None else []
            slot = turn % buffer.slots
            expected = int(buffer.layout.at(*inner)) + (sum(outer) + slot) * buffer.layout.size
            given = {**dict(zip(names, [*outer, *inner], strict=True)), "slot": slot}
            assert evaluate(offset, given) == expected
