# SPDX-License-Identifier: MIT
"""Main loops read from disassemblies: made-up ones, and those of the largest shipped tiles."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import gemm
from tracea_hip import compile as compiler
from tracea_hip.mainloop import disassemble, main_loop
from tracea_hip.plugin import emit
from tracea_hip.variants import variants

TEXT = """
0000000000001000 <scale>:
	s_mov_b32 s0, 0                                            // 000000001000: BE800080
	v_mfma_f32_32x32x8_bf16 v[0:15], v[20:21], v[22:23], v[0:15] // 000000001004: D3E00000
	ds_read2st64_b64 v[0:3], v9 offset1:8                      // 00000000100C: D8EE0800
	s_waitcnt lgkmcnt(0)                                       // 000000001014: BF8CC07F
	v_mfma_f32_32x32x8_bf16 v[0:15], v[20:21], v[22:23], v[0:15] // 000000001018: D3E00000
	ds_read_b128 v[0:3], v9                                    // 000000001020: D9FE0000
	v_mfma_f32_32x32x8_bf16 v[0:15], v[20:21], v[22:23], v[0:15] // 000000001028: D3E00000
	s_cbranch_scc1 65530                                       // 000000001030: BF85FFF6 <scale+0xc>
	v_add_u32_e32 v0, v1, v2                                   // 000000001034: 68000501
	s_cbranch_scc1 65520                                       // 000000001038: BF85FFF0 <scale+0x4>
	s_endpgm                                                   // 00000000103C: BF810000
"""


def test_the_innermost_loop_is_counted() -> None:
    found = main_loop(TEXT)
    assert (found.instructions, found.matrix_instructions, found.waits) == (6, 2, 1)
    assert (found.density, found.shared_bytes) == (1 / 3, 16.0)


def test_a_kernel_without_matrix_instructions() -> None:
    with pytest.raises(CompileError, match="no loop"):
        main_loop(TEXT.replace("v_mfma_f32", "v_add_f32"))


TRITON = {"mi210": (32 / 90, 8.0), "mi300x": (32 / 71, 6.0), "mi355x": (32 / 236, 12.0)}
"""Of Triton 3.9 for the same tile, step, stages and waves: matrix instructions of all, and bytes of LDS a lane for each of them."""


def hero(device: str) -> KernelSource:
    """The first of the policy's configurations that fits, of a large product whose operands lie along k."""
    profile = preset(device)
    variant = next(v for v in variants(profile) if DType.BF16 in v.operand_dtypes)
    problem = gemm((4096, 4096, 4096), DType.BF16, "nt")
    lowered = lower(problem)
    contraction, heroes = lowered.contraction, PolicyEngine(profile).decide(problem, variant).heroes
    kernel = build_kernel(contraction, first_buildable(lowered, heroes, profile, variant), profile, variant)
    assert kernel.configuration.tile_m * kernel.configuration.tile_n >= 256 * 128
    return emit(kernel, certify(kernel, contraction, profile))


@pytest.mark.toolchain
@pytest.mark.parametrize("device", ["mi210", "mi300x", "mi355x"])
def test_heroes_have_no_spills(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = hero(device)
    try:
        code = compiler.binary(source)
        loop = main_loop(disassemble(code))
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    found = compiler.report(code)
    with capsys.disabled():
        print(f"\n{source.arch}: {loop.describe()}; {found.describe()}")
    assert (found.spills, found.scratch_bytes) == (0, 0)
    assert found.shared_bytes == source.launch.shared_bytes
    waves = source.launch.threads // 64
    assert found.vector_registers <= 4 * 512 // waves, "the block would not fit a compute unit"
    density, shared_bytes = TRITON[device]
    assert loop.density >= density
    assert loop.shared_bytes <= shared_bytes
