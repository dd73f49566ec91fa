# SPDX-License-Identifier: MIT
"""Vectors that are turned are loaded in halves, which their first shuffles join; nothing else can take such halves."""

from __future__ import annotations

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import Target
from tracea_core.testing.assembled import main_loop
from tracea_core.testing.cases import gemm
from tracea_cpu.compile import assembly
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.variants import variants
from tracea_llvm.builder import Builder
from tracea_llvm.halves import half_of, halves_are_joined, join, load_halves

HALVES = {"a": ("%a0", "%a1"), "b": ("%b0", "%b1")}
LINUX = "x86_64-unknown-linux-gnu"


def printed(config: PipelineConfig, layout: str, dtype: DType = DType.FP32) -> str:
    """The text of a product for AVX2."""
    profile, problem = preset("avx2"), gemm((config.tile_m, 512, 512), dtype, layout)
    chosen = choose(problem, Target(backend="cpu", device="preset:avx2", profile=profile), variants(profile))
    kernel = build_kernel(lower_any(chosen.problem, chosen.variant).form, config, profile, chosen.variant)
    return emit_contraction(kernel, Certificate(kernel.digest(), ())).text


def test_both_halves_are_loaded_and_joined_by_a_shuffle() -> None:
    builder = Builder()
    first, second = (load_halves(builder, "<8 x float>", f"%{name}", 32, name) for name in "pq")
    builder.shuffle("<8 x float>", first, second, (4, 5, 6, 7, 12, 13, 14, 15))
    writer = SourceWriter(comment=";")
    builder.render(writer)
    lines = [line.strip() for line in writer.text().splitlines()]
    assert lines[:3] == [
        "%p_lower = load <4 x float>, ptr %p, align 32",
        "%p_upper_at = getelementptr <4 x float>, ptr %p, i64 1",
        "%p_upper = load <4 x float>, ptr %p_upper_at, align 16",
    ]
    lanes = ", ".join(f"i32 {lane}" for lane in range(8))
    assert lines[-1] == f"%turned = shufflevector <4 x float> %p_upper, <4 x float> %q_upper, <8 x i32> <{lanes}>"


def test_the_same_half_of_both_is_joined_and_nothing_else() -> None:
    every = list(range(8))
    assert join(HALVES, "<8 x float>", "a", "b", [0, 1, 2, 3, 8, 9, 10, 11]) == ("<4 x float>", "%a0", "%b0", every)
    assert join(HALVES, "<8 x float>", "a", "b", [4, 5, 6, 7, 12, 13, 14, 15]) == ("<4 x float>", "%a1", "%b1", every)
    assert join(HALVES, "<4 x double>", "b", "a", [2, 3, 6, 7]) == ("<2 x double>", "%b1", "%a1", [0, 1, 2, 3])
    for mask in ([0, 1, 2, 3, 12, 13, 14, 15], [4, 5, 6, 7, 0, 1, 2, 3], [0, 8, 1, 9, 4, 12, 5, 13]):
        with pytest.raises(EmitError, match="not the same half"):
            join(HALVES, "<8 x float>", "a", "b", mask)
    with pytest.raises(EmitError, match="not the same half"):
        join(HALVES, "<8 x float>", "a", "%whole", [0, 1, 2, 3, 8, 9, 10, 11])


def test_only_vectors_of_256_bits_are_loaded_in_halves() -> None:
    assert halves_are_joined(8, DType.FP32) and halves_are_joined(4, DType.FP64)
    assert not halves_are_joined(16, DType.FP32) and not halves_are_joined(4, DType.FP32)
    assert not halves_are_joined(16, DType.BF16)
    assert half_of("<4 x double>") == "<2 x double>"


@pytest.mark.parametrize("dtype", [DType.FP32, DType.FP64])
def test_no_halves_are_exchanged_between_registers(dtype: DType) -> None:
    """Where rows of B are turned; columns of B lie as they are multiplied, so that nothing is turned and whole vectors are loaded."""
    width = 32 // dtype.bytes
    tile = PipelineConfig(tile_m=1, tile_n=width, tile_k=4, stages=1, warps=1, pack_b=False)
    text = printed(tile, "nt", dtype)
    loop = main_loop(assembly(text, LINUX, "x86-64-v3"))
    joined = [line for line in loop.lines if "vinsertf128" in line]
    assert len(joined) == width and all("(%" in line for line in joined)
    assert not any("vperm2f128" in line for line in loop.lines)
    assert "_lower" not in printed(tile.replace(block_k=8), "nn", dtype)
