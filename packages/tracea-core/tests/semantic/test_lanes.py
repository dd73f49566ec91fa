# SPDX-License-Identifier: MIT
"""Lane maps against the vendors' formulas, written out again as loops, and against an executed multiplication."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.lanes import fma_outer, instruction, matrix_move, mfma, wgmma

NAMES = (
    "fma_outer_6x4x16_fp32",
    "fma_outer_4x3x8_fp32",
    "fma_outer_8x3x4_fp32",
    "fma_outer_14x2x8_fp64",
    "fma_outer_6x4x16_bf16",
    "fma_outer_6x4x16_int8",
    "mma_m8n8k4_fp64",
    "mma_m16n8k4_tf32",
    "mma_m16n8k8_tf32",
    "mma_m16n8k8_fp16",
    "mma_m16n8k16_fp16_fp16",
    "mma_m16n8k16_bf16",
    "mma_m8n8k16_int8",
    "mma_m16n8k16_int8",
    "mma_m16n8k32_uint8",
    "mma_m16n8k32_fp8_e4m3",
    "wgmma_m64n8k16_bf16",
    "wgmma_m64n208k16_fp16_fp16",
    "wgmma_m64n256k32_fp8_e5m2",
    "wgmma_ra_m64n192k16_bf16",
    "wgmma_ra_m64n24k8_tf32",
    "wgmma_ra_m64n48k32_int8",
    "mfma_32x32x8_fp16",
    "mfma_16x16x16_bf16",
    "mfma_32x32x16_bf16",
    "mfma_16x16x32_fp8_e4m3",
    "mfma_32x32x16_int8",
    "mfma_16x16x4_fp64",
    "mfma_16x16x8_tf32",
    "mfma_32x32x8_bf16_x2",
    "mfma_16x16x4_fp32_x4",
    "wmma_gfx11_16x16x16_fp16",
    "wmma_gfx12_16x16x16_bf16",
    "wmma_gfx12_16x16x16_fp8_e5m2",
    "dpas_sg16_8x16x16_bf16",
    "dpas_sg8_8x8x16_fp16",
    "dpas_sg8_8x8x32_int8",
    "simdgroup_8x8x8_fp16",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_instruction_holds_its_operands_and_multiplies(name):
    found = instruction(name)
    assert found.name == name
    assert found.faults() == ()
    assert found.source
    assert found.from_json(found.to_json()) == found
    assert found.summary().name == name
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (found.m, found.k)), rng.integers(-4, 5, (found.k, found.n))
    seen = []
    for matrix, layout in ((a, found.a), (b, found.b)):
        if layout is None:
            seen.append(matrix)
            continue
        registers = matrix[layout.elements()]  # what the lanes hold
        rebuilt = np.full(layout.shape, 99)
        rebuilt[layout.elements()] = registers
        seen.append(rebuilt)
    product = (seen[0] @ seen[1])[found.c.elements()]
    result = np.full((found.m, found.n), 99)
    result[found.c.elements()] = product
    assert (result == a @ b).all()


def pairs(layout):
    """The map as {(lane, register): (row, column)}."""
    return {
        (lane, register): tuple(int(x) for x in layout.element(lane, register))
        for lane in range(layout.lanes)
        for register in range(layout.registers)
    }


def test_m16n8k16_of_16_bit_types_is_the_formula_of_the_ptx_isa():
    found = instruction("mma_m16n8k16_bf16")
    a, b, c = pairs(found.a), pairs(found.b), pairs(found.c)
    for lane in range(32):
        group, thread = lane >> 2, lane % 4
        for i in range(8):
            row = group if i < 2 or 4 <= i < 6 else group + 8
            column = thread * 2 + (i & 1) if i < 4 else thread * 2 + (i & 1) + 8
            assert a[lane, i] == (row, column)
        for i in range(4):
            row = thread * 2 + (i & 1) if i < 2 else thread * 2 + (i & 1) + 8
            assert b[lane, i] == (row, group)
            assert c[lane, i] == (group if i < 2 else group + 8, thread * 2 + (i & 1))
    assert len(a) == 256
    assert len(b) == len(c) == 128


def test_m16n8k8_of_tf32_is_the_formula_of_the_ptx_isa():
    found = instruction("mma_m16n8k8_tf32")
    a, b = pairs(found.a), pairs(found.b)
    for lane in range(32):
        group, thread = lane >> 2, lane % 4
        for i in range(4):
            assert a[lane, i] == (group if i in (0, 2) else group + 8, thread if i < 2 else thread + 4)
        for i in range(2):
            assert b[lane, i] == (thread if i == 0 else thread + 4, group)
    assert len(a) == 128


def test_m16n8k8_of_16_bit_types_is_the_formula_of_the_ptx_isa():
    found = instruction("mma_m16n8k8_fp16")
    a, b = pairs(found.a), pairs(found.b)
    for lane in range(32):
        group, thread = lane >> 2, lane % 4
        for i in range(4):
            assert a[lane, i] == (group if i < 2 else group + 8, thread * 2 + (i & 1))
        for i in range(2):
            assert b[lane, i] == (thread * 2 + i, group)
    assert len(a) == 128


@pytest.mark.parametrize("name", ["mma_m16n8k32_int8", "mma_m16n8k32_fp8_e4m3"])
def test_m16n8k32_of_8_bit_types_is_the_formula_of_the_ptx_isa(name):
    found = instruction(name)
    a, b, c = pairs(found.a), pairs(found.b), pairs(found.c)
    for lane in range(32):
        group, thread = lane >> 2, lane % 4
        for i in range(16):
            row = group if i < 4 or 8 <= i < 12 else group + 8
            column = thread * 4 + (i & 3) if i < 8 else thread * 4 + (i & 3) + 16
            assert a[lane, i] == (row, column)
        for i in range(8):
            row = thread * 4 + (i & 3) if i < 4 else thread * 4 + (i & 3) + 16
            assert b[lane, i] == (row, group)
        for i in range(4):
            assert c[lane, i] == (group if i < 2 else group + 8, thread * 2 + (i & 1))
    assert len(a) == 512


def test_m8n8k4_of_fp64_is_the_formula_of_the_ptx_isa():
    found = instruction("mma_m8n8k4_fp64")
    for lane in range(32):
        group, thread = lane >> 2, lane % 4
        assert pairs(found.a)[lane, 0] == (group, thread)
        assert pairs(found.b)[lane, 0] == (thread, group)
        for i in range(2):
            assert pairs(found.c)[lane, i] == (group, thread * 2 + i)


@pytest.mark.parametrize("n", [8, 16, 112, 192, 208, 256])
def test_warpgroup_accumulators_are_the_formula_of_the_ptx_isa(n):
    found = wgmma(n, DType.BF16, a_from_shared=False)
    c = pairs(found.c)
    assert len(c) == 64 * n
    for (lane, i), element in c.items():
        warp, group, thread = lane // 32, (lane % 32) // 4, lane % 4
        assert element == (16 * warp + group + 8 * ((i // 2) % 2), 8 * (i // 4) + 2 * thread + i % 2)
    a = pairs(found.a)
    for (lane, i), element in a.items():
        warp, group, thread = lane // 32, (lane % 32) // 4, lane % 4
        assert element == (16 * warp + group + 8 * ((i // 2) % 2), 8 * (i // 4) + 2 * thread + i % 2)
    assert wgmma(n, DType.BF16).a is None
    assert wgmma(n, DType.BF16).a_from_shared


@pytest.mark.parametrize(
    ("size", "k", "dtype"),
    [(32, 8, DType.FP16), (16, 16, DType.BF16), (32, 16, DType.FP16), (16, 32, DType.INT8), (32, 2, DType.FP32)],
)
def test_mfma_is_the_formula_of_the_instruction_calculator(size, k, dtype):
    found = mfma(size, k, dtype)
    run = k * size // 64
    for (lane, i), element in pairs(found.a).items():
        assert element == (lane % size, run * (lane // size) + i)
    for (lane, i), element in pairs(found.b).items():
        assert element == (run * (lane // size) + i, lane % size)
    for (lane, i), element in pairs(found.c).items():
        assert element == ((i // 4) * (256 // size) + (lane // size) * 4 + i % 4, lane % size)
    assert found.c.registers == size * size // 64


@pytest.mark.parametrize(
    ("size", "k", "dtype", "times"), [(32, 8, DType.BF16, 2), (16, 32, DType.INT8, 2), (32, 2, DType.FP32, 4)]
)
def test_instructions_in_a_row_share_the_k_of_a_longer_run(size, k, dtype, times):
    one, row = mfma(size, k, dtype), mfma(size, k, dtype, times)
    assert row.c == one.c
    single, long_a, long_b = pairs(one.a), pairs(row.a), pairs(row.b)
    seen = set()
    for part in range(times):
        meant = {}  # which k of the row each k of this instruction is, by every lane and operand that holds it
        for (lane, i), (m, own) in single.items():
            place = lane, part * one.a.registers + i
            assert long_a[place][0] == m == long_b[place][1]
            meant.setdefault(own, set()).update((long_a[place][1], long_b[place][0]))
        assert all(len(found) == 1 for found in meant.values())
        seen |= {found for known in meant.values() for found in known}
    assert seen == set(range(k * times))


def test_fp64_mfma_wmma_dpas_and_simdgroup_formulas():
    for (lane, i), element in pairs(mfma(16, 4, DType.FP64).c).items():
        assert element == (4 * i + lane // 16, lane % 16)
    older, newer = instruction("wmma_gfx11_16x16x16_fp16"), instruction("wmma_gfx12_16x16x16_fp16")
    for (lane, i), element in pairs(older.a).items():
        assert element == (lane % 16, i)
    for (lane, i), element in pairs(older.c).items():
        assert element == (2 * i + lane // 16, lane % 16)
    for (lane, i), element in pairs(newer.a).items():
        assert element == (lane % 16, 8 * (lane // 16) + i)
    for (lane, i), element in pairs(newer.c).items():
        assert element == (8 * (lane // 16) + i, lane % 16)
    assert older.a.replication == 2
    assert newer.a.replication == 1
    wide, narrow = instruction("dpas_sg16_8x16x16_fp16"), instruction("dpas_sg8_8x8x16_fp16")
    for (lane, i), element in pairs(wide.a).items():
        assert element == (i, lane)
    for (lane, i), element in pairs(narrow.a).items():
        assert element == (i // 2, 2 * lane + i % 2)
    for (lane, i), element in pairs(wide.b).items():
        assert element == (i, lane)
    for (lane, i), element in pairs(instruction("simdgroup_8x8x8_fp32").c).items():
        quad = lane // 4
        assert element == ((quad & 4) + (lane // 2) % 4, (quad & 2) * 2 + (lane % 2) * 2 + i)


@pytest.mark.parametrize(("rows", "vectors", "lanes"), [(6, 4, 16), (4, 3, 8), (8, 3, 4), (1, 1, 2)])
def test_a_register_tile_is_rows_of_vectors(rows, vectors, lanes):
    found = fma_outer(rows, vectors, lanes)
    assert (found.m, found.n, found.k) == (rows, vectors * lanes, 1)
    for (lane, i), element in pairs(found.c).items():
        assert element == (i // vectors, i % vectors * lanes + lane)
    for (_, i), element in pairs(found.a).items():
        assert element == (i, 0)
    for (lane, i), element in pairs(found.b).items():
        assert element == (0, i * lanes + lane)
    assert found.a.replication == lanes
    groups = fma_outer(rows, vectors, lanes, DType.INT8)
    assert (groups.k, groups.accumulator) == (4, DType.INT32)
    for (lane, i), element in pairs(groups.b).items():
        assert element == (i % 4, i // 4 * lanes + lane)


@pytest.mark.parametrize("matrices", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_matrix_moves_are_the_figures_of_the_ptx_isa(matrices, transposed):
    move = matrix_move(matrices, transposed)
    assert move.fragment.is_partition()
    for (lane, i), element in pairs(move.fragment).items():
        matrix, (outer, inner) = i // 2, (lane // 4, 2 * (lane % 4) + i % 2)
        assert element == ((8 * matrix + inner, outer) if transposed else (8 * matrix + outer, inner))
    for (lane, _), element in pairs(move.address).items():
        assert element == (lane % (8 * matrices), 0)


def test_a_matrix_load_feeds_the_warp_instruction():
    """x4 of a 16x16 tile, the matrices in the order (0,0), (8,0), (0,8), (8,8), is operand A of m16n8k16."""
    a, move = instruction("mma_m16n8k16_fp16").a, matrix_move(4).fragment
    row, column = move.elements()
    matrix = row // 8
    wanted_row, wanted_column = a.elements()
    assert (row % 8 + 8 * (matrix % 2) == wanted_row).all()
    assert (column + 8 * (matrix // 2) == wanted_column).all()


def test_planted_faults_are_caught():
    found = instruction("mma_m16n8k16_bf16")
    assert "operand a has shape (16, 8)" in found.replace(a=found.c).faults()[0]
    transposed = found.replace(c=found.c.transposed()).faults()
    assert any("operand c has shape (8, 16)" in fault for fault in transposed)
    twice = found.c.atom.replace(columns=(found.c.atom.columns[1], *found.c.atom.columns[1:]))
    assert "operand c leaves elements unheld" in found.replace(c=found.c.replace(atom=twice)).faults()
    assert any("held 2 times" in fault for fault in found.replace(c=found.c.broadcast(2)).faults())
    assert any("64 lanes" in fault for fault in found.replace(a=found.a.broadcast(2)).faults())
    assert any("neither" in fault for fault in found.replace(a=None).faults())
    assert any("both" in fault for fault in found.replace(a_from_shared=True).faults())


@pytest.mark.parametrize(
    "name",
    [
        "mma_m16n8k64_bf16",
        "mma_m16n8k16_fp32",
        "mma_m16n8k16_bf16_fp16",
        "wgmma_m64n264k16_bf16",
        "wgmma_m64n12k16_bf16",
        "wgmma_m64n40k32_int8",
        "wgmma_m64n64k8_bf16",
        "wgmma_m64n64k4_fp64",
        "mfma_32x32x64_fp16",
        "mfma_32x16x8_fp16",
        "mfma_32x32x8_fp16_x3",
        "wmma_gfx11_16x16x16_fp8_e4m3",
        "wmma_gfx11_16x16x32_fp16",
        "dpas_sg32_8x32x16_fp16",
        "dpas_sg16_8x8x16_fp16",
        "simdgroup_8x8x8_int8",
        "fma_outer_6x4x12_fp32",
        "fma_outer_0x4x16_fp32",
        "fma_outer_6x4x16_fp8_e4m3",
        "tensor_of_the_future",
    ],
)
def test_unknown_instructions_are_refused(name):
    with pytest.raises(ConfigurationError):
        instruction(name)


def test_matrix_move_counts_are_checked():
    with pytest.raises(ConfigurationError, match="1, 2 or 4"):
        matrix_move(3)
