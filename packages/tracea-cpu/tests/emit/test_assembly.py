# SPDX-License-Identifier: MIT
"""The register tile stays in registers: no stack access in the innermost multiply loop, on any instruction set."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.activations import SwiGLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import as_chain
from tracea_core.policy.budget import vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_blocks import packs_rows
from tracea_core.policy.cpu_tiles import cpu_heroes
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.build import blocked
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.testing.assembled import main_loop
from tracea_core.testing.cases import dense
from tracea_cpu.compile import assembly
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.variants import variants

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
MACHINES = {"avx2": (LINUX, "haswell"), "avx512": (LINUX, "skylake-avx512"), "neon": (ARM, "neoverse-n1")}
TYPES = (DType.FP32, DType.FP64, DType.BF16, DType.FP16, DType.INT8)


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
    assert loop.multiplies == rows * columns // profile.lanes * unroll
    assert not loop.stack


@pytest.mark.parametrize("rows, columns", [(4, 24), (6, 16), (2, 40)])
@pytest.mark.parametrize("block_k", [0, 64])
def test_eight_steps_in_a_row_stay_in_registers(
    rows: int, columns: int, block_k: int, built: Callable[..., Any]
) -> None:
    config = PipelineConfig(tile_m=rows, tile_n=columns, tile_k=8, block_k=block_k)
    loop = main_loop(assembly(built(product(DType.FP32, 1), config).source.text, LINUX, "znver3"))
    assert loop.multiplies == rows * columns
    assert not loop.stack


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
    assert loop.multiplies == rows * columns // profile.lanes * 4
    assert not loop.stack


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 96])
def test_rows_that_pass_over_a_large_b_stay_in_registers(rows: int, built: Callable[..., Any]) -> None:
    """Lines of the next block are asked for beside the multiply-adds, from one address."""
    a, b = (TensorSpec.contiguous(shape, DType.FP32) for shape in ((rows, 4096), (4096, 4096)))
    problem, profile = Problem(GemmOp(rows, 4096, 4096), (a, b), a), preset("avx512")
    hero = PolicyEngine(profile).decide(problem).hero
    loop = main_loop(assembly(built(problem, hero, profile).source.text, LINUX, "znver4"))
    asked = [line for line in loop.lines if line.startswith("\tprefetch")]
    assert loop.multiplies == hero.tile_m * hero.tile_n // 16 * hero.tile_k
    assert len(asked) == (hero.tile_n // 16 * hero.tile_k if hero.stages == 2 else 0)
    assert not loop.stack, hero.describe()


@pytest.mark.parametrize("size", [256, 4096])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 16])
def test_rows_over_a_b_along_k_keep_sums_and_blocks_in_registers(
    rows: int, size: int, built: Callable[..., Any]
) -> None:
    """Blocks of 16 rows that are turned in registers have more addresses than there are registers; no vector is ever put away."""
    a, b = TensorSpec.contiguous((rows, size), DType.FP32), TensorSpec((size, size), DType.FP32, (1, size))
    problem, profile = Problem(GemmOp(rows, size, size), (a, b), a), preset("avx512")
    hero = PolicyEngine(profile).decide(problem).hero
    loop = main_loop(assembly(built(problem, hero, profile).source.text, LINUX, "znver4"))
    steps = hero.tile_k if hero.pack_b else hero.tile_n  # of a block that is turned in registers, all
    vectors = -(-hero.tile_n // profile.lanes)
    assert loop.multiplies == hero.tile_m * vectors * steps
    asked = [line for line in loop.lines if line.startswith("\tprefetch")]
    assert len(asked) == (hero.tile_n if size == 4096 and rows <= 4 else 0)  # each of the rows that are turned
    assert not loop.spills, hero.describe()
    if hero.pack_b or hero.tile_n < profile.lanes:
        assert len(loop.stack) <= (rows == 4), hero.describe()


@pytest.mark.parametrize("channels", [64, 256])
@pytest.mark.parametrize("padding, stride, size", [(1, 1, 3), (1, 2, 3), (0, 2, 1)])
def test_windows_stay_in_registers(
    channels: int, padding: int, stride: int, size: int, built: Callable[..., Any]
) -> None:
    op = Conv2dOp(8, channels, 14, 14, 256, size, size, (stride, stride), (padding, padding))
    x, w = (TensorSpec(s, DType.FP32, (s[1] * s[2] * s[3], 1, s[1] * s[3], s[1])) for s in op.input_shapes())
    n, k, h, width = op.output_shape()
    out = TensorSpec((n, k, h, width), DType.FP32, (k * h * width, 1, k * width, k))
    problem, profile = Problem(op, (x, w), out), preset("avx512")
    for hero in PolicyEngine(profile).decide(problem).heroes:
        assert (hero.halo, hero.in_flight) == ((False, 1) if padding and stride > 1 else (True, 0))
        loop = main_loop(assembly(built(problem, hero, profile).source.text, LINUX, "znver4"))
        assert loop.multiplies == hero.tile_m * hero.tile_n // 16 * hero.tile_k
        assert not loop.spills and len(loop.stack) <= hero.in_flight, hero.describe()  # the bound, behind the loop


@pytest.mark.parametrize("preset_name", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("size, stride", [(7, 1), (3, 1), (3, 2), (5, 2)])
def test_strips_stay_in_registers(preset_name: str, size: int, stride: int) -> None:
    op = Conv2dOp(8, 96, 56, 56, 96, size, size, (stride, stride), (size // 2, size // 2), groups=96)
    tensors = [dense(shape, DType.FP32, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape())]
    problem, profile = Problem(op, tuple(tensors[:2]), tensors[2]), preset(preset_name)
    (variant,) = (one for one in variants(profile) if one.schedule == "strips" and one.accumulate is DType.FP32)
    for hero in PolicyEngine(profile).decide(problem, variant).heroes[:2]:
        kernel = build_kernel(lower_any(problem, variant).form, hero, profile, variant)
        text = emit_contraction(kernel, Certificate(kernel.digest(), ())).text
        loop = main_loop(assembly(text, *MACHINES[preset_name]))
        assert loop.multiplies == hero.tile_m * size, hero.describe()
        assert not loop.spills and len(loop.stack) <= 1, hero.describe()  # a row's distance, once a row


def product(dtype: DType, gates: int) -> Problem:
    """A product of 256 × 256 matrices; with two gates, of SwiGLU's halves."""
    stored = DType.FP32 if dtype is DType.INT8 and gates == 2 else DType.INT32 if dtype is DType.INT8 else dtype
    op = GemmOp(256, 256 * gates, 256, dtype=dtype, out_dtype=stored)
    inputs = (TensorSpec.contiguous((256, 256), dtype), TensorSpec.contiguous((256, 256 * gates), dtype))
    epilogue = as_chain(SwiGLU() if gates == 2 else None).epilogue
    return Problem(op, inputs, TensorSpec.contiguous((256, 256), stored), epilogue)


@pytest.mark.parametrize("gates", [1, 2])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", MACHINES)
def test_every_shipped_tile_stays_in_registers(name: str, dtype: DType, gates: int, built: Callable[..., Any]) -> None:
    problem, profile, (triple, cpu) = product(dtype, gates), preset(name), MACHINES[name]
    topology = topology_of(problem)
    for hero in cpu_heroes(profile, topology):
        loop = main_loop(assembly(built(problem, hero, profile).source.text, triple, cpu))
        wanted = gates * hero.tile_m * hero.tile_n * hero.tile_k // vector_lanes(profile, topology.accumulator)
        assert loop.multiplies == wanted, hero.describe()
        assert not loop.stack, hero.describe()


@pytest.mark.parametrize("gates", [1, 2])
@pytest.mark.parametrize("name", ["avx2", "avx512"])
def test_packed_rows_are_widened_once(name: str, gates: int, built: Callable[..., Any]) -> None:
    problem, profile, (triple, cpu) = product(DType.BF16, gates), preset(name), MACHINES[name]
    for hero in cpu_heroes(profile, topology_of(problem), widened=False):
        source = built(problem, hero.replace(pack_a=True, block_k=64), profile).source
        loop = main_loop(assembly(source.text, triple, cpu))
        assert loop.multiplies == gates * hero.tile_m * hero.tile_n // profile.lanes * 4
        assert not loop.stack, hero.describe()


def test_a_tile_that_is_too_large_is_noticed(built: Callable[..., Any]) -> None:
    plain = TensorSpec.contiguous((256, 256), DType.FP32)
    problem = Problem(GemmOp(256, 256, 256), (plain, plain), plain)
    profile = preset("avx2").replace(vector_registers=32)  # a claim that the processor does not keep
    kernel = built(problem, PipelineConfig(tile_m=6, tile_n=32, tile_k=2), profile)
    assert main_loop(assembly(kernel.source.text, LINUX, "haswell")).spills


@pytest.mark.parametrize("rows, width", [(1, 24), (2, 24), (3, 24), (4, 24), (6, 16), (1, 16)])
@pytest.mark.parametrize("fields", [{"stages": 2}, {"stages": 2, "block_k": 64}, {"stages": 1, "block_k": 64}])
def test_tiles_over_panels_stay_in_registers(
    rows: int, width: int, fields: dict[str, int], built: Callable[..., Any]
) -> None:
    loop = main_loop(_over_panels(rows, width, width, fields, built))
    assert loop.multiplies == rows * width // 8 * 4
    assert not loop.stack
    assert bool([line for line in loop.lines if "prefetch" in line]) == (fields["stages"] == 2)


@pytest.mark.parametrize("rows, width", [(4, 24), (6, 16)])
def test_eight_steps_over_whole_panels_stay_in_registers(rows: int, width: int, built: Callable[..., Any]) -> None:
    loop = main_loop(_over_panels(rows, width, width, {"stages": 1, "tile_k": 8, "row_block": 48}, built))
    assert loop.multiplies == rows * width
    assert not loop.stack


@pytest.mark.parametrize("rows, width, together", [(1, 24, 2), (1, 16, 3), (2, 16, 2), (1, 8, 4)])
def test_several_panels_at_a_time_stay_in_registers(
    rows: int, width: int, together: int, built: Callable[..., Any]
) -> None:
    loop = main_loop(_over_panels(rows, width, together * width, {"stages": 1}, built))
    assert loop.multiplies == rows * width * together // 8 * 4
    assert not loop.stack


@pytest.mark.parametrize("limit, spills", [(blocked._MANY_REGISTERS, False), (64, True)])
def test_masked_steps_over_the_last_panel_stay_in_registers(
    limit: int, spills: bool, built: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four masked steps in a row would not: without the limit a quarter of that panel's instructions touch the stack."""
    monkeypatch.setattr(blocked, "_MANY_REGISTERS", limit)
    text = _over_panels(6, 48, 48, {"stages": 1}, built, "avx512")
    parts = re.split(r"^(?=\.L\w+:)", text, flags=re.MULTILINE)
    (masked,) = (part for part in parts if "{%k" in part and part.count("vfmadd") == (72 if spills else 36))
    assert any("%zmm" in line and "(%rsp" in line for line in masked.splitlines()) == spills


def _over_panels(
    rows: int, width: int, columns: int, fields: dict[str, int], built: Callable[..., Any], machine: str = "avx2"
) -> str:
    weight = TensorSpec((256, 256), DType.FP32, (width, 1))
    plain = TensorSpec.contiguous
    problem = Problem(
        GemmOp(64, 256, 256), (plain((64, 256), DType.FP32), weight), plain((64, 256), DType.FP32),
        options=Options(panel_columns=width),
    )  # fmt: skip
    config = PipelineConfig(**{"tile_m": rows, "tile_n": columns, "tile_k": 4, "pack_b": False, "warps": 1, **fields})  # type: ignore[arg-type]
    return assembly(built(problem, config, preset(machine)).source.text, *MACHINES[machine])
