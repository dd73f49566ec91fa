# SPDX-License-Identifier: MIT
"""Row-wise kernels in CUDA: the text is golden, NVRTC keeps rows in registers, and the emulator agrees with float64."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.row_cases import row_problem
from tracea_core.testing.simt.runtime import emulated
from tracea_cuda.plugin import emit, tracea_register_backend
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "rows"
H200 = preset("h200")


def rows(columns: int, width: int, held: bool, together: int = 0, parts: int = 1) -> PipelineConfig:
    return PipelineConfig(
        tile_m=1, tile_n=columns, tile_k=1, stages=1, warps=together or 4, vector_a=width, block_k=columns if held else 0,
        row_block=1 if together else 0, unroll_k=parts,
    )  # fmt: skip


KERNELS = {
    "softmax_fp32_held": (SoftmaxOp((64, 512)), rows(512, 4, True)),
    "log_softmax_fp32_swept": (SoftmaxOp((64, 512), log=True), rows(128, 1, False)),
    "layer_norm_bf16_held": (NormOp((64, 1024), NormKind.LAYER, bias=True, dtype=DType.BF16), rows(1024, 8, True)),
    "rms_norm_bf16_swept": (NormOp((64, 4096), dtype=DType.BF16), rows(512, 8, False)),
    "rms_norm_bf16_block": (NormOp((64, 4096), dtype=DType.BF16), rows(512, 8, True, together=8)),
    "softmax_fp32_block": (SoftmaxOp((64, 4096)), rows(512, 4, True, together=8)),
    "layer_norm_bf16_parts": (
        NormOp((64, 16384), NormKind.LAYER, bias=True, dtype=DType.BF16), rows(1024, 8, True, together=16, parts=4)
    ),
    "layer_norm_bf16_single": (
        NormOp((64, 3001), NormKind.LAYER, bias=True, dtype=DType.BF16), rows(512, 1, True, together=6)
    ),
    "log_softmax_bf16_waiting": (
        SoftmaxOp((64, 50304), log=True, dtype=DType.BF16), rows(1024, 8, True, together=8).replace(block_k=57344)
    ),
    "softmax_bf16_short": (SoftmaxOp((64, 96), dtype=DType.BF16), rows(96, 8, True).replace(tile_m=8)),
    "layer_norm_fp32_short": (NormOp((64, 96), NormKind.LAYER, bias=True), rows(96, 4, True).replace(tile_m=4)),
    "log_softmax_bf16_block_swept": (SoftmaxOp((64, 50000), log=True, dtype=DType.BF16), rows(512, 8, False, together=16)),
}  # fmt: skip


def source(name: str) -> KernelSource:
    return printed(*KERNELS[name])


def printed(op: SoftmaxOp | NormOp, configuration: PipelineConfig) -> KernelSource:
    variant = next(v for v in variants(H200) if v.schedule == "warp_rows")
    form = lower_rowwise(row_problem(op)).form
    kernel = build_kernel(form, configuration, H200, variant)
    return emit(kernel, certify(kernel, form, H200))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", source(name).text)


@pytest.mark.parametrize("columns", [8, 70, 1500, 40000])
def test_rows_of_doubles_are_printed_as_they_are_chosen(columns: int) -> None:
    """An element has two registers: runs of them are no access, and fewer of them fit a thread."""
    op = NormOp((3, columns), NormKind.LAYER, bias=True, dtype=DType.FP64)
    path = trace(row_problem(op), preset="h200", backend="cuda")
    assert path.choice.variant.name == "cuda.rowwise.warp_fp64" and path.source is not None
    assert "double" in path.source.text and path.configuration.vector_a == 1
    assert bool(path.configuration.block_k) == (columns <= 1500), "long rows are swept"


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_rows_stay_in_registers(name: str, kept: Callable[..., None]) -> None:
    kept(source(name))


@pytest.mark.parametrize("warps", [8, 16, 32])
@pytest.mark.parametrize("dtype", [DType.BF16, DType.FP16])
@pytest.mark.parametrize("kind", ["softmax", "log softmax", "layer norm", "rms norm"])
def test_64_registers_are_enough_for_rows_in_parts(
    kind: str, dtype: DType, warps: int, kept: Callable[..., None]
) -> None:
    shape = (64, 1024 * warps)
    ops = {
        "softmax": SoftmaxOp(shape, dtype=dtype), "log softmax": SoftmaxOp(shape, log=True, dtype=dtype),
        "layer norm": NormOp(shape, NormKind.LAYER, bias=True, dtype=dtype), "rms norm": NormOp(shape, dtype=dtype),
    }  # fmt: skip
    found = printed(ops[kind], rows(1024, 8, True, together=warps, parts=4))
    assert f"__launch_bounds__({32 * warps}, {32 // warps})" in found.text
    kept(found)


@pytest.mark.parametrize("columns", [301, 1001, 1002, 3001, 4100, 12001])
@pytest.mark.parametrize("dtype", [DType.BF16, DType.FP32])
@pytest.mark.parametrize("kind", ["softmax", "layer norm", "rms norm"])
def test_rows_that_no_run_divides_stay_in_registers(
    kind: str, dtype: DType, columns: int, kept: Callable[..., None]
) -> None:
    shape = (64, columns)
    ops = {
        "softmax": SoftmaxOp(shape, dtype=dtype), "layer norm": NormOp(shape, NormKind.LAYER, bias=True, dtype=dtype),
        "rms norm": NormOp(shape, dtype=dtype),
    }  # fmt: skip
    path = trace(row_problem(ops[kind]), preset="h200", backend="cuda")
    assert path.source is not None
    kept(path.source)


def test_lanes_and_registers_are_added_to_an_address_each_by_itself() -> None:
    """A compiler then adds a constant for each element, which takes it no instruction."""
    text = source("layer_norm_bf16_single").text
    assert "x[x_base + (i64)warp * 512 + r * 32 + lane]" in text
    assert "warp * 512 + column < n ? " in text, "a test names the column"


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "case",
    [
        "softmax-fp32-9x33",
        "softmax-fp32-1x1500",
        "layer_norm-fp32-1x1500",
        "rows-gaps",
        "rows-layer_norm-residual-relu",
        "rms_norm-bf16-7x3",
        "rows-permuted-runs",
        "rows-long",
        "layer_norm-bf16-11x40",
        "softmax-fp32-11x40",
    ],
)
def test_the_emulator_agrees(case: str) -> None:
    need_emulator()
    checks = [c for c in collect(emulated(tracea_register_backend(), "h200")) if c.name.endswith(f"warp_fp32/{case}")]
    assert len(checks) == 1
    checks[0]()
