# SPDX-License-Identifier: MIT
"""The register tile stays in registers: no stack access in the innermost multiply loop, on any instruction set."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_blocks import packs_rows
from tracea_cpu.compile import assembly

LINUX, ARM, MAC = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin"
CASES = [
    ("avx2", 4, 24, LINUX, "haswell"),
    ("avx2", 4, 24, LINUX, "znver3"),
    ("avx512", 6, 64, LINUX, "skylake-avx512"),
    ("avx512", 6, 64, LINUX, "znver4"),
    ("avx512", 6, 64, LINUX, "sapphirerapids"),
    ("neon", 8, 12, ARM, "neoverse-n1"),
    ("neon", 8, 12, MAC, "apple-m1"),
]
_STACK = re.compile(r"%[re]?[sb]p\)|\[sp|\[x29")
_MULTIPLY = re.compile(r"\t(vfmadd\d+[ps]s|fmla(\.[24]s)?)\s")


def main_loop(text: str) -> list[str]:
    """Return the instructions of the basic block with the most multiply-adds."""
    blocks = re.split(r"^(?=\.?L\w+:)", text, flags=re.MULTILINE)
    best = max(blocks, key=lambda block: len(_MULTIPLY.findall(block)))
    return [line for line in best.splitlines() if re.match(r"\t[a-z]", line)]


def stack_accesses(instructions: list[str]) -> list[str]:
    """Return the instructions that read or write the stack. A frame pointer never moves; a register that does is none."""
    moved = {"%rbp)"} if any(re.match(r"\t(add|lea|inc)q\s.*%rbp$", line) for line in instructions) else set()
    found = [line for line in instructions if _STACK.search(line)]
    return [line for line in found if not any(name in line for name in moved)]


@pytest.mark.parametrize(
    "name, rows, columns, triple, cpu, a_strides",
    [(*case, strides) for case in CASES for strides in ((256, 1), (1, 256)) if case[3] != MAC or strides[1] == 1],
)
@pytest.mark.parametrize("unroll", [2, 4])
def test_the_main_loop_does_not_touch_the_stack(
    name: str,
    rows: int,
    columns: int,
    triple: str,
    cpu: str,
    a_strides: tuple[int, int],
    unroll: int,
    built: Callable[..., Any],
) -> None:
    plain = TensorSpec.contiguous((256, 256), DType.FP32)
    problem = Problem(GemmOp(256, 256, 256), (plain.replace(strides=a_strides), plain), plain)
    profile = preset(name)
    kernel = built(problem, PipelineConfig(tile_m=rows, tile_n=columns, tile_k=unroll), profile)
    loop = main_loop(assembly(kernel.source.text, triple, cpu))
    multiplies = [line for line in loop if _MULTIPLY.match(line)]
    assert len(multiplies) == rows * columns // profile.lanes * unroll
    assert stack_accesses(loop) == []


@pytest.mark.parametrize("name, rows, columns, triple, cpu", [case for case in CASES if case[3] != MAC])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_keep_their_sums_in_registers(
    name: str, rows: int, columns: int, triple: str, cpu: str, packed: bool, built: Callable[..., Any]
) -> None:
    plain = TensorSpec.contiguous((256, 256), DType.FP32)
    problem = Problem(GemmOp(256, 256, 256), (plain.replace(strides=(1, 256)) if packed else plain, plain), plain)
    profile = preset(name)
    if packed and not packs_rows(profile):
        pytest.skip("the policy does not pack rows there")
    config = PipelineConfig(tile_m=rows, tile_n=columns, tile_k=4, block_k=64, pack_a=packed)
    loop = main_loop(assembly(built(problem, config, profile).source.text, triple, cpu))
    assert len([line for line in loop if _MULTIPLY.match(line)]) == rows * columns // profile.lanes * 4
    assert stack_accesses(loop) == []


def test_a_tile_that_is_too_large_is_noticed(built: Callable[..., Any]) -> None:
    plain = TensorSpec.contiguous((256, 256), DType.FP32)
    problem = Problem(GemmOp(256, 256, 256), (plain, plain), plain)
    profile = preset("avx2").replace(vector_registers=32)  # a claim that the processor does not keep
    kernel = built(problem, PipelineConfig(tile_m=6, tile_n=32, tile_k=2), profile)
    assert stack_accesses(main_loop(assembly(kernel.source.text, LINUX, "haswell")))
