# SPDX-License-Identifier: MIT
"""Channels filtered on their own, in CUDA: golden text, compiled without a spill, and executed in the emulator at every edge."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate, Proof
from tracea_core.testing.cases import dense
from tracea_core.testing.faults import faults
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "depthwise"
LAST = (0, 2, 3, 1)
VARIANT = "cuda.contraction.depthwise"


def conv(epilogue: str = "", **fields: Any) -> Problem:
    """Return a depthwise convolution of channels-last tensors."""
    sizes = {
        "n": 2,
        "c": 36,
        "h": 9,
        "w": 21,
        "k": 36,
        "r": 3,
        "s": 3,
        "padding": (1, 1),
        "groups": 36,
        "dtype": DType.FP16,
    }
    op = Conv2dOp(**(sizes | fields))
    inputs = tuple(dense(shape, op.dtype, LAST) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), LAST)
    if not epilogue:
        return Problem(op, inputs, out)
    fused = parse_epilogue(epilogue)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(dense(shape, op.dtype, LAST) if shape == out.shape else dense(shape, DType.FP32) for shape in shapes)
    return Problem(op, inputs, out, fused, extra)


def strip(pixels: int, channels: int, warps: int, read: int, stored: int) -> PipelineConfig:
    return PipelineConfig(
        tile_m=pixels, tile_n=channels, tile_k=1, stages=1, warps=warps, vector_a=read, vector_c=stored
    )


def bands(warps: int, lines: int, stages: int) -> PipelineConfig:
    return strip(16, 8 * warps, warps, 8, 8).replace(tile_k=lines, stages=stages, halo=True)


KERNELS: dict[str, tuple[str, dict[str, Any], PipelineConfig]] = {
    "fp16_7x7_bias_residual_relu": (
        "bias,residual,relu", {"w": 14, "c": 40, "k": 40, "groups": 40, "r": 7, "s": 7, "padding": (3, 3)}, strip(14, 64, 8, 2, 2),
    ),
    "bf16_3x3_strided": ("", {"dtype": DType.BF16, "stride": (2, 2), "w": 35}, strip(5, 128, 4, 4, 4)),
    "fp32_spread": (
        "relu", {"dtype": DType.FP32, "s": 5, "stride": (1, 3), "dilation": (2, 2), "padding": (0, 2), "w": 60}, strip(4, 64, 8, 2, 2),
    ),
    "fp16_7x7_exchanged": (
        "bias,relu", {"w": 14, "c": 64, "k": 64, "groups": 64, "r": 7, "s": 7, "padding": (3, 3)}, strip(14, 64, 8, 2, 8),
    ),
    "bf16_5x5_lines": (
        "bias", {"dtype": DType.BF16, "c": 40, "k": 40, "groups": 40, "r": 5, "s": 5, "padding": (2, 2)},
        strip(6, 64, 4, 2, 8).replace(tile_k=2, stages=2),
    ),
    "fp16_3x3_copied": (
        "bias,relu", {"c": 40, "k": 40, "groups": 40}, strip(7, 64, 4, 8, 8).replace(tile_k=5, unroll_k=3, stages=4),
    ),
    "bf16_3x3_copied_alone": (
        "bias,gelu", {"dtype": DType.BF16, "c": 40, "k": 40, "groups": 40, "stride": (2, 2)},
        strip(4, 64, 4, 2, 8).replace(tile_k=3, unroll_k=3, stages=3),
    ),
    "fp16_3x3_side_by_side": (
        "bias,relu", {"c": 72, "k": 72, "groups": 72},
        strip(2, 128, 2, 4, 4).replace(tile_k=5, unroll_k=3, stages=4, row_block=3),
    ),
    "fp16_7x7_bands": (
        "bias,residual,relu", {"w": 14, "c": 40, "k": 40, "groups": 40, "r": 7, "s": 7, "padding": (3, 3)}, bands(4, 16, 1),
    ),
    "bf16_5x5_bands_ahead": (
        "bias,gelu", {"dtype": DType.BF16, "w": 35, "c": 40, "k": 40, "groups": 40, "r": 5, "s": 5, "stride": (2, 2), "padding": (2, 2)},
        bands(2, 8, 2),
    ),
    "fp16_grouped_multiplied": ("bias", {"c": 24, "k": 48, "groups": 8}, strip(4, 64, 8, 1, 2)),
}  # fmt: skip


@functools.cache
def source(name: str) -> KernelSource:
    epilogue, fields, configuration = KERNELS[name]
    path = trace(conv(epilogue, **fields), preset="h200", configuration=configuration)
    assert path.choice.variant.name == VARIANT and path.source is not None
    return path.source


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_the_compiler_keeps_everything_in_registers(name: str, kept: Callable[..., None]) -> None:
    # two blocks of 256 threads run at once, or three of 128 where lanes hold addresses of copies, too
    registers = (
        255 if "bands" in name else 168 if "copied" in name else 128
    )  # sums of 16 lines, and what is added to them
    kept(source(name), registers=registers)


def test_a_part_that_reaches_beyond_its_fragment_is_refused() -> None:
    """A fragment of one row serves every row elsewhere, so that a row too far would print the same."""
    single = strip(1, 64, 2, 2, 2).replace(tile_k=3, unroll_k=3, stages=3, row_block=6)
    path = trace(conv(), preset="a100", configuration=single)
    moved = [fault for fault in faults(path.kernel) if "Extract part: row" in fault.words]
    refused = []
    for fault in moved:
        try:
            text = _printed(fault.kernel, path.certificate.proofs)
        except EmitError as error:
            refused.append(error.message)
        else:
            assert text != _printed(path.kernel, path.certificate.proofs), fault.words
    assert "a part of a fragment lies within it" in refused


def _printed(kernel: SemanticKernel, proofs: tuple[Proof, ...]) -> str:
    """Return a kernel's text without the comments at its head, which name digests."""
    emit = tracea_register_backend().emitters[kernel.family]
    return emit(kernel, Certificate(kernel.digest(), proofs)).text.partition("#ifndef")[2]


SERVED: list[tuple[str, list[dict[str, Any]]]] = [
    ("fp16_7x7_bias_residual_relu", [{"n": 1, "h": 4}]),
    ("bf16_3x3_strided", [{"w": 35}, {"n": 1, "h": 8, "w": 34}]),
    ("fp32_spread", [{"w": 56}, {"n": 1, "h": 12, "w": 60}]),
    ("fp16_7x7_exchanged", [{"n": 1, "h": 4}]),
    ("bf16_5x5_lines", [{"h": 5}, {"n": 1, "h": 8, "w": 17}]),
    ("fp16_3x3_copied", [{"h": 5}, {"n": 3, "h": 12, "w": 17}]),
    ("bf16_3x3_copied_alone", [{"h": 5}, {"n": 1, "h": 15}]),
    ("fp16_3x3_side_by_side", [{"h": 5}, {"n": 3, "h": 12, "w": 17}]),
    ("fp16_7x7_bands", [{"n": 1, "h": 4}, {"n": 3, "h": 17}]),
    ("bf16_5x5_bands_ahead", [{"h": 5}, {"n": 3, "h": 19, "w": 66}]),
    ("fp16_grouped_multiplied", [{"h": 5, "w": 18}]),
]


@pytest.mark.toolchain
@pytest.mark.parametrize(("name", "sizes"), SERVED)
def test_the_emulator_agrees(name: str, sizes: list[dict[str, Any]]) -> None:
    need_emulator()
    epilogue, fields, configuration = KERNELS[name]
    served = Served(tracea_register_backend(), "h200", conv(epilogue, **fields), configuration, VARIANT)
    for seed, changes in enumerate(sizes):
        assert served.run(conv(epilogue, **(fields | changes)), seed).findings == ()


CHOSEN: list[tuple[dict[str, Any], str]] = [
    ({}, VARIANT),
    ({"k": 72}, VARIANT),
    ({"c": 64, "k": 64, "groups": 16}, VARIANT),
    ({"c": 64, "k": 64, "groups": 4}, "cuda.contraction.wgmma_windows_fp16"),
    ({"c": 64, "k": 64, "groups": 1}, "cuda.contraction.wgmma_windows_fp16"),
]


@pytest.mark.parametrize(("fields", "variant"), CHOSEN)
def test_few_channels_in_a_group_are_no_product_of_matrices(fields: dict[str, Any], variant: str) -> None:
    path = trace(conv(**fields), preset="h200")
    assert path.choice.variant.name == variant
    assert path.arrangement.kernels == 1 and path.source is not None and path.source.workspaces == ()
