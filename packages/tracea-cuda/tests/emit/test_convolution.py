# SPDX-License-Identifier: MIT
"""Convolutions in CUDA: golden text, compiled without a spill, and executed in the emulator across images, borders and strides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import emit, tracea_register_backend
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "conv"
LAST = (0, 2, 3, 1)
UNIFORM = PipelineConfig(
    tile_m=64,
    tile_n=64,
    tile_k=32,
    stages=4,
    warps=4,
    swizzle=SwizzleMode.XOR4,
    vector_a=8,
    vector_b=8,
    vector_c=8,
    unroll_k=2,
)
SINGLE = UNIFORM.replace(vector_a=1, vector_b=1, vector_c=1)


def conv(
    epilogue: str = "", order: tuple[int, ...] = LAST, gap: int = 0, *, planes: bool = False, **fields: Any
) -> Problem:
    """Return a convolution of dense tensors, channels last; between pixels of the result there are `gap` elements more.

    With `planes`, the result and what is read for each of its elements are a plane for each channel.
    """
    sizes: dict[str, Any] = {
        "n": 2,
        "c": 64,
        "h": 14,
        "w": 14,
        "k": 64,
        "r": 3,
        "s": 3,
        "padding": (1, 1),
        "dtype": DType.FP16,
    }
    op = Conv2dOp(**(sizes | fields))
    stored = DType.FP32 if op.dtype is DType.TF32 else op.dtype
    inputs = tuple(dense(shape, stored, order) for shape in op.input_shapes())
    last = None if planes else order
    out = dense(op.output_shape(), op.output_dtype(), last, gap)
    if not epilogue:
        return Problem(op, inputs, out)
    fused = parse_epilogue(epilogue)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(
        dense(shape, stored, last, gap) if shape == out.shape else dense(shape, DType.FP32) for shape in shapes
    )
    return Problem(op, inputs, out, fused, extra)


WINDOWS = UNIFORM.replace(
    tile_m=64, tile_n=64, tile_k=64, stages=3, warps=8, swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER, in_flight=1,
    unroll_k=1,
)  # fmt: skip

BYTES = "relu,quantize:int8:0.05"
KERNELS: dict[str, tuple[Problem, PipelineConfig, str, str]] = {
    "gather_fp16_bias_residual_relu": (conv("bias,residual,relu"), UNIFORM, "a100", "mma_fp16"),
    "gather_bf16_grouped_strided": (
        conv(dtype=DType.BF16, groups=2, stride=(2, 1), dilation=(1, 2)), UNIFORM.replace(tile_m=128, tile_n=32), "h200", "mma_bf16",
    ),
    "windows_fp16_bias_residual_relu": (conv("bias,residual,relu"), WINDOWS, "h200", "wgmma_windows_fp16"),
    "windows_bf16_strided_cluster": (
        conv(dtype=DType.BF16, stride=(2, 1), dilation=(1, 2)), WINDOWS.replace(cluster_m=2), "h200", "wgmma_windows_bf16",
    ),
    "windows_tf32_relu": (
        conv("relu", dtype=DType.TF32), WINDOWS.replace(tile_k=32, tile_n=32, vector_a=4, vector_b=4, vector_c=4), "h200",
        "wgmma_windows_tf32",
    ),
    "windows_tf32_planes": (
        conv("bias,residual,relu", planes=True, dtype=DType.TF32),
        WINDOWS.replace(tile_k=32, tile_n=32, vector_a=4, vector_b=4, vector_c=4), "h200", "wgmma_windows_tf32",
    ),
    "windows_int8": (
        conv(dtype=DType.INT8), WINDOWS.replace(tile_k=128, tile_n=32, vector_a=16, vector_b=16, vector_c=4), "h200",
        "wgmma_windows_int8",
    ),
    "windows_fp16_ragged_rows": (conv("bias,residual,relu", gap=5, k=67), WINDOWS.replace(tile_n=48), "h200", "wgmma_windows_fp16"),
    "windows_bf16_grouped_strided_relu": (
        conv("relu", dtype=DType.BF16, c=192, k=144, groups=3, stride=(2, 1)),
        WINDOWS.replace(tile_n=48), "h200", "wgmma_windows_bf16",
    ),
    "gather_fp16_three_channels": (conv(c=3, r=7, s=7, padding=(3, 3), stride=(2, 2)), SINGLE, "h200", "mma_fp16"),
    "gather_int8_grouped": (
        conv(dtype=DType.INT8, groups=2), UNIFORM.replace(tile_k=64, vector_a=16, vector_b=16, vector_c=4), "a100", "mma_int8",
    ),
    "gather_int8_odd_strided": (
        conv(dtype=DType.INT8, c=6, k=10, groups=2, stride=(2, 1)), SINGLE.replace(tile_m=32, stages=3, unroll_k=1), "h200", "mma_int8",
    ),
    "gather_fp16_looked_up": (conv(c=5, r=3, s=3), SINGLE.replace(stages=2, hoisted=4), "h200", "mma_fp16"),
    "gather_fp16_divided": (conv(c=5, r=3, s=3), SINGLE.replace(stages=2, divided=1), "h200", "mma_fp16"),
    "simt_fp32_to_fp16_relu": (
        conv("relu", dtype=DType.FP32, out_dtype=DType.FP16, c=12, k=32),
        SINGLE.replace(tile_n=32, tile_k=16, stages=2, swizzle=SwizzleMode.NONE, vector_a=4, vector_b=4, vector_c=8), "a100",
        "simt_fp32",
    ),
    "gather_int8_bytes": (
        conv(BYTES, dtype=DType.INT8, c=6, k=96, out_dtype=DType.INT8), SINGLE.replace(stages=3, vector_c=16), "a100", "mma_int8",
    ),
    "windows_int8_bytes": (
        conv(BYTES, dtype=DType.INT8, k=64, out_dtype=DType.INT8), WINDOWS.replace(tile_k=128, vector_a=16, vector_b=16, vector_c=16),
        "h200", "wgmma_windows_int8",
    ),
}  # fmt: skip


@functools.cache
def source(name: str) -> KernelSource:
    problem, configuration, device, word = KERNELS[name]
    profile = preset(device)
    variant = next(v for v in variants(profile) if v.name == f"cuda.contraction.{word}")
    form = lower_any(problem, variant).form
    kernel = build_kernel(form, configuration, profile, variant)
    return emit(kernel, certify(kernel, form, profile))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_the_compiler_keeps_the_schedule(name: str, kept: Callable[..., None]) -> None:
    kept(source(name))


@pytest.mark.parametrize("name", [name for name in KERNELS if name.startswith("windows")])
def test_windows_may_be_taken_backwards_in_odd_rounds(name: str) -> None:
    problem, configuration, device, word = KERNELS[name]
    variant = next(v for v in variants(preset(device)) if v.name == f"cuda.contraction.{word}")
    form = lower_any(problem, variant).form
    kernel = build_kernel(form, configuration.replace(returning=1), preset(device), variant)
    assert certify(kernel, form, preset(device)).kernel == kernel.digest()


SERVED: list[tuple[str, list[dict[str, Any]]]] = [
    ("gather_fp16_bias_residual_relu", [{"n": 3, "h": 4, "w": 6, "c": 8, "k": 72}, {"n": 9, "h": 2, "w": 3, "c": 16, "k": 8}]),
    ("gather_bf16_grouped_strided", [{"n": 3, "h": 6, "w": 9, "c": 16, "k": 16}]),
    ("windows_fp16_bias_residual_relu", [{"n": 3, "h": 4, "w": 6, "c": 72, "k": 8}]),
    ("windows_bf16_strided_cluster", [{"n": 3, "h": 9, "w": 7, "c": 8, "k": 16}]),
    ("windows_tf32_relu", [{"n": 3, "h": 4, "w": 6, "c": 36, "k": 8}]),
    ("windows_tf32_planes", [{"n": 3, "h": 4, "w": 6, "c": 36, "k": 9}, {"n": 2, "h": 7, "w": 11, "c": 8, "k": 40}]),
    ("windows_int8", [{"n": 2, "h": 5, "w": 6, "c": 144, "k": 20}]),
    ("windows_fp16_ragged_rows", [{"n": 3, "h": 4, "w": 6, "c": 8, "k": 67}, {"n": 1, "h": 9, "w": 9, "c": 72, "k": 43}]),
    ("windows_bf16_grouped_strided_relu", [
        {"n": 3, "h": 9, "w": 7, "c": 24, "k": 24}, {"n": 1, "h": 6, "w": 5, "c": 240, "k": 168}, {"n": 2, "h": 5, "w": 4},
    ]),
    ("gather_int8_grouped", [{"n": 2, "h": 5, "w": 6, "c": 96, "k": 40}]),
    ("gather_int8_odd_strided", [{"n": 2, "h": 5, "w": 6, "c": 10, "k": 6}, {"n": 1, "h": 4, "w": 3, "c": 2, "k": 2}]),
    ("gather_fp16_three_channels", [{"n": 2, "h": 9, "w": 10, "c": 2, "k": 7}]),
    ("gather_fp16_looked_up", [{"n": 2, "h": 5, "w": 6, "c": 3, "k": 7}, {"n": 1, "h": 4, "w": 7, "c": 29, "k": 3}]),
    ("gather_fp16_divided", [{"n": 2, "h": 5, "w": 6, "c": 3, "k": 7}, {"n": 1, "h": 4, "w": 7, "c": 29, "k": 3}]),
    ("simt_fp32_to_fp16_relu", [{"n": 3, "h": 5, "w": 6, "k": 40}, {"n": 1, "h": 9, "w": 4, "c": 20}]),
    ("gather_int8_bytes", [{"n": 3, "h": 5, "w": 6, "c": 3, "k": 80}, {"n": 1, "h": 9, "w": 4, "c": 7, "k": 32}]),
    ("windows_int8_bytes", [{"n": 2, "h": 5, "w": 6, "c": 144, "k": 80}, {"n": 1, "h": 9, "w": 4, "c": 16, "k": 16}]),
]  # fmt: skip


@pytest.mark.toolchain
@pytest.mark.parametrize(("name", "sizes"), SERVED)
def test_the_emulator_agrees(name: str, sizes: list[dict[str, Any]]) -> None:
    need_emulator()
    problem, configuration, device, word = KERNELS[name]
    served = Served(tracea_register_backend(), device, problem, configuration, f"cuda.contraction.{word}")
    epilogue = "bias,residual,relu" if problem.epilogue.operands else "relu" if name.endswith("relu") else ""
    epilogue = BYTES if name.endswith("bytes") else epilogue
    kept = {
        f: getattr(problem.op, f)
        for f in ("r", "s", "c", "k", "stride", "padding", "dilation", "groups", "dtype", "out_dtype")
    }
    for seed, changes in enumerate(sizes):
        asked = kept | changes
        gap = -asked["k"] % 8 if name.endswith("ragged_rows") else 0
        planes = name.endswith("planes")
        assert served.run(conv(epilogue, gap=gap, planes=planes, **asked), seed).findings == ()


def test_lanes_exchange_until_each_stores_16_bytes_but_at_the_edge() -> None:
    """Whether a tile has all of its columns is asked at each tile; the residual comes as the result goes."""
    text = source("gather_fp16_bias_residual_relu").text
    inside, edge = text[text.index("if (warp_column + 31 < n)") :].split("\n      else {", 1)
    assert (
        inside.count("*(uint4*)&out[") == inside.count("*(const uint4*)&residual_1[") == 4
        and "*(unsigned*)&out[" not in inside
    )
    for name in ("gather_int8_bytes", "windows_int8_bytes"):
        assert "*(uint4*)&out[" in source(name).text
    for name in ("windows_tf32_relu", "windows_int8"):  # the copy engine stores whole chunks of 16 bytes
        assert "box_store(&out_boxes" in source(name).text and "&out[" not in source(name).text
    assert edge.count("*(unsigned*)&out[") == 8 and "__shfl" not in edge and "uint4" not in edge


def test_boxes_store_what_is_whole_and_lanes_the_rest_of_ragged_rows() -> None:
    """Which it is is asked at every chunk of a tile: only where a pixel's whole chunks end do lanes store, elements one by one."""
    found = trace(conv(c=64, k=67, gap=5, n=8, h=28, w=28), preset="h200")
    assert found.configuration.vector_c == 8 and found.arrangement.kernels == 1 and found.source is not None
    assert "box_store(&out_boxes" in found.source.text and "n / 8 * 8 <= column0" in found.source.text
    for other in (conv(c=64, k=67), conv(c=64, k=72), conv(c=64, k=64, gap=8)):
        source = trace(other, preset="h200").source
        assert source is not None and "n / 8 * 8" not in source.text


def test_strided_pointwise_filters_of_odd_channels_in_wide_pixels_gather() -> None:
    """An engine steps from one element of a filter to the next by its channels, even where there is but one."""
    for kind, gap in ((DType.FP16, 4), (DType.INT8, 4)):
        op = Conv2dOp(2, 12, 9, 8, 24, 1, 1, (1, 2), dtype=kind)
        inputs = tuple(dense(shape, kind, LAST, gap) for shape in op.input_shapes())
        path = trace(Problem(op, inputs, dense(op.output_shape(), op.output_dtype(), LAST)), preset="h200")
        assert path.source is not None and path.choice.variant.name == f"cuda.contraction.mma_{kind.value}"


def test_pointwise_convolutions_go_the_way_of_products() -> None:
    path = trace(conv("bias,residual,relu", r=1, s=1, padding=(0, 0)), preset="h200")
    assert path.choice.variant.name == "cuda.contraction.wgmma_fp16" and path.arrangement.kernels == 1
    assert path.lowered.operands == ("input0", "input1", "output", "epilogue0", "epilogue1")


def test_convolutions_have_no_buffer_of_columns() -> None:
    for fields, wanted in (
        ({}, "wgmma_windows_fp16"),
        ({"c": 3}, "mma_fp16"),
        ({"groups": 16}, "depthwise"),
        ({"groups": 8, "h": 4, "w": 4}, "wgmma_windows_fp16"),
    ):
        path = trace(conv("bias,relu", **fields), preset="h200")
        assert path.arrangement.kernels == 1 and path.source is not None and path.source.workspaces == ()
        assert path.choice.variant.name == f"cuda.contraction.{wanted}"
    path = trace(conv("bias,relu", c=67, k=131, n=32, h=55, w=55), preset="h200")
    assert path.arrangement.kernels == 3 and path.choice.variant.name == "cuda.contraction.wgmma_windows_fp16"
    copies = 144 * (32 * 55 * 57 + 131 * 9)
    assert sum(packing.bytes for packing in path.arrangement.packed) == copies < 32 << 20


def test_the_compiler_keeps_products_beside_single_stores_of_odd_channels(kept: Callable[..., None]) -> None:
    """Conversions one by one were read into the next tile's instructions, which the assembler then serialized."""
    printed = trace(conv(c=67, k=131, n=32, h=55, w=55), preset="h200").source
    assert printed is not None and "part16(rows" in printed.text
    kept(printed)
