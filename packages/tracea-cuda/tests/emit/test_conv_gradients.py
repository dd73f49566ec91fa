# SPDX-License-Identifier: MIT
"""Convolutions backwards in CUDA: phases of a transposed one and gradients of filters, as golden text and in the emulator."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.output_phases import output_phases
from tracea_core.testing.cases import dense
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "conv_gradients"
GOLDEN_NAMES = ("phase_fp16_bias_relu", "phase_fp16_runs", "filters_fp16", "image_bf16_walked", "filters_fp16_walked")
LAST = (0, 2, 3, 1)
TILE = PipelineConfig(
    tile_m=64, tile_n=32, tile_k=16, stages=3, warps=4, swizzle=SwizzleMode.NONE, vector_a=1, vector_b=1, vector_c=1, unroll_k=1
)  # fmt: skip
RUNS = TILE.replace(vector_c=8)


def phase(groups: int = 1, turned: bool = False, **sizes: Any) -> Problem:
    """Return the phase of most taps of a transposed convolution at stride 2, padded at one end only."""
    given = {"n": 2, "c": 16, "h": 5, "w": 4, "k": 24, "r": 3, "s": 3} | sizes
    op = ConvTranspose2dOp(
        **given, stride=(2, 2), padding=(1, 1), output_padding=(1, 1), groups=groups, dtype=DType.FP16
    )
    fused = parse_epilogue("bias,relu")
    x, w, out = (dense(shape, DType.FP16, LAST) for shape in (*op.input_shapes(), op.output_shape()))
    whole = Problem(op, (x, w), out, fused, (dense((op.k,), DType.FP32),))
    return output_phases(whole, turned=turned)[-1].problem


def walked(**sizes: Any) -> Problem:
    """Return the one phase of a transposed convolution at stride 1: windows from their last element on, filters as they lie."""
    given = {"n": 2, "c": 16, "h": 5, "w": 6, "k": 24, "r": 3, "s": 2} | sizes
    op = ConvTranspose2dOp(**given, stride=(1, 1), padding=(1, 1), dtype=DType.BF16)
    x, w, out = (dense(shape, DType.BF16, LAST) for shape in (*op.input_shapes(), op.output_shape()))
    (only,) = output_phases(Problem(op, (x, w), out), turned=True)
    return only.problem


def filters(groups: int = 1, parts: int = 1, **sizes: Any) -> Problem:
    """Return the gradient of a strided convolution's filters, images padded."""
    given = {"n": 2, "c": 8, "h": 7, "w": 6, "k": 24, "r": 3, "s": 2} | sizes
    op = Conv2dFiltersOp(**given, stride=(2, 1), padding=(1, 1), groups=groups, parts=parts, dtype=DType.FP16)
    x, g, out = (dense(shape, DType.FP16, LAST[: len(shape)]) for shape in (*op.input_shapes(), op.output_shape()[-4:]))
    return Problem(op, (x, g), out if parts == 1 else dense(op.output_shape(), DType.FP16, (0, 1, 3, 4, 2)))


WALK = PipelineConfig(
    tile_m=64, tile_n=32, tile_k=64, stages=3, warps=8, swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    vector_a=8, vector_b=8, vector_c=8, in_flight=1,
)  # fmt: skip

KERNELS: dict[str, tuple[Callable[..., Problem], dict[str, int], list[dict[str, int]]]] = {
    "phase": (phase, {}, [{}, {"n": 1, "c": 10, "h": 3, "w": 7, "k": 70}]),
    "filters, grouped, in parts": (
        filters,
        {"groups": 2, "parts": 2},
        [{"c": 6, "k": 14}, {"n": 4, "c": 10, "h": 8, "w": 5, "k": 70}],
    ),
}


@functools.cache
def printed(name: str) -> KernelSource:
    problem = {
        "image_bf16_walked": walked, "phase_fp16_bias_relu": phase, "filters_fp16": filters,
        "filters_fp16_walked": lambda: filters(c=64, parts=2), "phase_fp16_runs": phase,
    }[name]()  # fmt: skip
    walks = WALK.replace(tile_n=64) if name.startswith("filters") else WALK
    device, tile = ("h200", walks) if name.endswith("walked") else ("a100", RUNS if name.endswith("runs") else TILE)
    source = trace(problem, preset=device, backend="cuda", configuration=tile).source
    assert source is not None
    return source


@pytest.mark.parametrize("name", GOLDEN_NAMES)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", printed(name).text)


@pytest.mark.toolchain
@pytest.mark.parametrize("name", GOLDEN_NAMES)
def test_the_compiler_keeps_the_schedule(name: str, kept: Callable[[KernelSource], None]) -> None:
    kept(printed(name))


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in GOLDEN_NAMES}) == []


@pytest.mark.toolchain
@pytest.mark.parametrize("name", KERNELS)
def test_the_emulator_agrees(name: str) -> None:
    need_emulator()
    function, fixed, sizes = KERNELS[name]
    served = Served(tracea_register_backend(), "a100", function(**fixed), TILE, "cuda.contraction.mma_fp16")
    for seed, changes in enumerate(sizes):
        assert served.run(function(**(fixed | changes)), seed).findings == ()


@pytest.mark.toolchain
def test_lanes_exchange_channels_of_pixels_that_lie_apart() -> None:
    """Rows are channels here, so that runs follow rows; pixels are decoded for each of a lane's columns."""
    assert printed("phase_fp16_runs").text.count("*(uint4*)&out[") == 2
    need_emulator()
    served = Served(tracea_register_backend(), "a100", phase(), RUNS, "cuda.contraction.mma_fp16")
    for seed, fields in enumerate(({}, {"n": 1, "c": 10, "h": 3, "w": 7, "k": 72}, {"n": 3, "h": 9, "w": 8, "k": 64})):
        assert served.run(phase(**fields), seed).findings == ()


@pytest.mark.toolchain
def test_a_copy_engine_walks_over_windows_from_their_end() -> None:
    need_emulator()
    served = Served(tracea_register_backend(), "h200", walked(), WALK, "cuda.contraction.wgmma_windows_bf16")
    for seed, changes in enumerate(({}, {"n": 3, "c": 72, "h": 4, "w": 9, "k": 40})):
        assert served.run(walked(**changes), seed).findings == ()
    served = Served(
        tracea_register_backend(),
        "h200",
        filters(parts=2, c=64),
        WALK.replace(tile_n=128),
        "cuda.contraction.wgmma_windows_fp16",
    )
    for seed, fields in enumerate(({"c": 64}, {"n": 4, "c": 128, "h": 5, "w": 9, "k": 72})):
        assert served.run(filters(parts=2, **fields), seed).findings == ()


@pytest.mark.toolchain
def test_lanes_store_pixels_that_lie_apart() -> None:
    need_emulator()
    tile = WALK.replace(tile_m=128, tile_n=64)
    served = Served(tracea_register_backend(), "h200", phase(turned=True), tile, "cuda.contraction.wgmma_windows_fp16")
    for seed, fields in enumerate(({}, {"n": 3, "c": 72, "h": 9, "w": 3, "k": 136})):
        assert served.run(phase(turned=True, **fields), seed).findings == ()


def test_all_phases_of_a_strided_gradient_are_walked() -> None:
    op = ConvTranspose2dOp(64, 128, 28, 28, 128, 3, 3, (2, 2), (1, 1), (1, 1), dtype=DType.FP16)
    x, w, out = (dense(shape, DType.FP16, LAST) for shape in (*op.input_shapes(), op.output_shape()))
    path = trace(Problem(op, (x, w), out), preset="h200", backend="cuda")
    assert {one.choice.variant.name for _, one in path.phases} == {"cuda.contraction.wgmma_windows_fp16"}


def test_planar_gradients_in_fp32_with_a_residual_take_few_results_a_lane() -> None:
    """Every element of images, filters and residual has an address of its own: more than a thread's registers with 32 results."""
    op = ConvTranspose2dOp(3, 72, 11, 6, 24, 3, 3, (1, 2), (1, 2), (0, 1), dtype=DType.FP32)
    x, w, out = (dense(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape()))
    path = trace(Problem(op, (x, w), out, parse_epilogue("residual,silu"), (out,)), preset="h200", backend="cuda")
    assert all(one.source is not None for _, one in path.phases)
    heroes = {(one.configuration.tile_m * one.configuration.tile_n, one.configuration.warps) for _, one in path.phases}
    assert heroes == {(2048, 4)}, "16 results a lane"


def test_gradients_of_images_go_the_way_of_convolutions() -> None:
    op = ConvTranspose2dOp(8, 64, 14, 14, 128, 3, 3, padding=(1, 1), dtype=DType.FP16)
    x, w, out = (dense(shape, DType.FP16, LAST) for shape in (*op.input_shapes(), op.output_shape()))
    path = trace(Problem(op, (x, w), out), preset="h200", backend="cuda")
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_fp16" and len(path.kernels) == 1


def test_plans_need_no_buffer_of_columns() -> None:
    path = trace(filters(c=32, k=64, h=12, w=12), preset="h200")
    assert path.arrangement.kernels == 1 and path.source is not None and path.source.workspaces == ()
    assert path.choice.variant.name == "cuda.contraction.mma_fp16"
