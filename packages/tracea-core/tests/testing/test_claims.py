# SPDX-License-Identifier: MIT
"""Kernels that differ by a claim alone are one program; those that do something else are two."""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.testing.cases import gemm
from tracea_core.testing.claims import program
from tracea_core.testing.faults import faults


def kernel() -> SemanticKernel:
    config = PipelineConfig(
        tile_m=32, tile_n=32, tile_k=32, stages=2, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )
    lowered = lower(gemm((64, 64, 64), DType.BF16, "nt"))
    return multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")


def same(original: SemanticKernel, wanted: Callable[[str], bool]) -> list[bool]:
    found = [program(fault.kernel) == program(original) for fault in faults(original) if wanted(fault.words)]
    assert found
    return found


def test_claims_do_not_tell_kernels_apart() -> None:
    original = kernel()
    for words in ("a_tile_map: bits 0 and 1 exchanged", "a0: bits 3 and 4 exchanged"):
        assert all(same(original, lambda text, words=words: words in text)), words  # type: ignore[misc]


def test_addresses_and_elements_do() -> None:
    original = kernel()
    for words in ("a_tile_map: bits 3 and 4 exchanged", "a0: transposed", "source.address offset + 1", "left out"):
        assert not any(same(original, lambda text, words=words: words in text)), words  # type: ignore[misc]
