# SPDX-License-Identifier: MIT
"""CUDA kernels: the text is golden, and NVRTC keeps its schedule: no spill, no dropped register budget, no serialized wgmma."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CertificationError, ConfigurationError, EmitError
from tracea_core.ops.activations import Scale
from tracea_core.ops.epilogue import IDENTITY, OperandAxes
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.golden import check_golden, unused
from tracea_cuda import compile as compiler
from tracea_cuda.plugin import emit
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden"


def hopper(**fields: Any) -> PipelineConfig:
    defaults: dict[str, Any] = {
        "tile_m": 128, "tile_n": 256, "tile_k": 64, "stages": 4, "cluster_m": 2, "warps": 12, "swizzle": SwizzleMode.B128,
        "barrier_mode": BarrierMode.PRODUCER_CONSUMER, "order": Order.GROUPED, "group": 8, "vector_a": 8, "vector_b": 8,
        "vector_c": 8, "in_flight": 1,
    }  # fmt: skip
    return PipelineConfig(**{**defaults, **fields})


def uniform(**fields: Any) -> PipelineConfig:
    defaults: dict[str, Any] = {
        "tile_m": 64, "tile_n": 64, "tile_k": 32, "stages": 4, "warps": 4, "swizzle": SwizzleMode.XOR4, "order": Order.GROUPED,
        "group": 8, "vector_a": 8, "vector_b": 8, "vector_c": 8, "unroll_k": 2,
    }  # fmt: skip
    return PipelineConfig(**{**defaults, **fields})


def lanes(**fields: Any) -> PipelineConfig:
    """Return a configuration of lanes that multiply themselves."""
    shape = {"tile_m": 256, "tile_n": 128, "tile_k": 8, "stages": 2, "warps": 8}
    return uniform(**{**shape, "swizzle": SwizzleMode.NONE, "vector_a": 4, "vector_b": 4, "vector_c": 4, **fields})


def narrow(operand: DType, **fields: Any) -> PipelineConfig:
    """Return a configuration for operands of one or four bytes: rows of 128 bytes."""
    vector = 16 // operand.bytes
    return hopper(**{"tile_k": 8 * vector, "vector_a": vector, "vector_b": vector, **fields})


def scaled(operand: DType, out: DType, *stages: Stage, **options: bool) -> Problem:
    """Return a product of other operands, stored as `out` after `stages`."""
    m = n = k = 512
    epilogue, arrays = functools.reduce(or_, stages).bind() if stages else (IDENTITY, ())
    stored = DType.FP32 if operand is DType.TF32 else operand
    inputs = (TensorSpec.contiguous((m, k), stored), TensorSpec((k, n), stored, (1, k)))
    extra = tuple(TensorSpec.contiguous(np.shape(array), DType.FP32) for array in arrays)
    op = GemmOp(m, n, k, dtype=operand, out_dtype=out)
    return Problem(op, inputs, TensorSpec.contiguous((m, n), out), epilogue, extra, Options(**options))


def gemm(layout: str = "nt", dtype: DType = DType.BF16, epilogue: str = "", pad: int = 0, items: int = 0) -> Problem:
    m = n = k = 512
    fused = parse_epilogue(epilogue) if epilogue else None
    columns = 2 * n if fused is not None and fused.gated else n

    def matrix(rows: int, columns: int, turned: bool) -> TensorSpec:
        pitch = (rows if turned else columns) + pad
        strides = (1, pitch) if turned else (pitch, 1)
        if not items:
            return TensorSpec((rows, columns), dtype, strides)
        return TensorSpec((items, rows, columns), dtype, (pitch * (columns if turned else rows), *strides))

    shapes = {OperandAxes.SCALAR: (), OperandAxes.ROW: (m,), OperandAxes.COLUMN: (n,), OperandAxes.FULL: (m, n)}
    op = GemmOp(m, columns, k, batch=(items,) if items else (), dtype=dtype)
    inputs = (matrix(m, k, layout[0] == "t"), matrix(k, columns, layout[1] == "t"))
    if fused is None:
        return Problem(op, inputs, matrix(m, n, False))
    operands = tuple(TensorSpec.contiguous(shapes[operand.axes], dtype) for operand in fused.operands)
    return Problem(op, inputs, matrix(m, n, False), fused, operands)


KERNELS: dict[str, tuple[Problem, PipelineConfig, str]] = {
    "hopper_bf16_nt": (gemm(), hopper(), "h200"),
    "hopper_fp16_tn_batched": (gemm("tn", DType.FP16, items=3), hopper(tile_n=192, cluster_m=1), "h200"),
    "hopper_bf16_bias_silu_residual": (gemm(epilogue="bias,silu,residual"), hopper(tile_n=128, stages=6), "h200"),
    "hopper_bf16_bias_auxiliary_gelu": (gemm(epilogue="bias,auxiliary,gelu"), hopper(tile_n=128, stages=6), "h200"),
    "mma_bf16_bias_auxiliary_gelu": (gemm(epilogue="bias,auxiliary,gelu"), uniform(), "a100"),
    "hopper_bf16_swiglu": (gemm(epilogue="swiglu"), hopper(tile_n=128), "h200"),
    "hopper_bf16_turns": (
        gemm(epilogue="bias,gelu"),
        hopper(tile_m=128, tile_n=128, stages=5, barrier_mode=BarrierMode.PING_PONG), "h200",
    ),
    "hopper_bf16_turns_wide": (gemm(), hopper(tile_n=192, barrier_mode=BarrierMode.PING_PONG), "h200"),
    "hopper_bf16_divided": (gemm(), hopper(tile_m=64, tile_n=128, warps=8, cluster_m=1, split_k=4), "h200"),
    "hopper_bf16_returning": (gemm("nn"), hopper(tile_m=64, tile_n=128, warps=8, order=Order.SERPENTINE, returning=1), "h200"),
    "hopper_bf16_exchanged": (
        gemm(epilogue="bias,relu").replace(options=Options(exchanged=True)),
        hopper(tile_m=64, tile_n=24, tile_k=128, stages=8, warps=8, cluster_m=1, order=Order.ROW), "h200",
    ),
    "hopper_int8_scales": (
        scaled(DType.INT8, DType.BF16, Scale(np.ones(512, np.float32), "row"), Scale(np.ones(512, np.float32), "column")),
        narrow(DType.INT8, tile_n=128), "h200",
    ),
    "hopper_fp8_put_aside": (
        scaled(DType.FP8_E4M3, DType.BF16), narrow(DType.FP8_E4M3, tile_n=128, block_k=128, in_flight=0), "h200",
    ),
    "hopper_fp8_fast_quantized": (
        scaled(DType.FP8_E5M2, DType.FP8_E4M3, Scale(np.float32(0.5)), fast_accumulation=True), narrow(DType.FP8_E5M2), "h200",
    ),
    "hopper_tf32": (scaled(DType.TF32, DType.FP32, allow_tf32=True), narrow(DType.TF32, tile_n=192), "h200"),
    "hopper_tf32_turned": (
        gemm("nn", DType.FP32, "bias,relu").replace(
            op=GemmOp(512, 512, 512, dtype=DType.TF32, out_dtype=DType.FP32), options=Options(allow_tf32=True, exchanged=True)
        ),
        narrow(DType.TF32, tile_m=128, tile_n=128, cluster_m=1, in_flight=0), "h200",
    ),
    "mma_bf16_nn": (gemm("nn"), uniform(), "a100"),
    "simt_fp32_nt": (gemm("nt", DType.FP32), lanes(), "h200"),
    "mma_tf32x3_nt": (
        gemm("nt", DType.FP32).replace(options=Options(tf32x3=True)),
        lanes(tile_m=128, tile_k=16, stages=4, unroll_k=1), "h200",
    ),
    "simt_fp32_nn_bias": (gemm("nn", DType.FP32, "bias"), lanes(tile_m=128, tile_n=64, warps=4), "a100"),
    "mma_fp16_odd_bias_gelu": (
        gemm("tn", DType.FP16, "bias,gelu", pad=1), uniform(tile_m=32, vector_a=1, vector_b=1, vector_c=1), "h200",
    ),
}  # fmt: skip


@functools.cache
def certified(name: str) -> tuple[SemanticKernel, Certificate]:
    problem, configuration, device = KERNELS[name]
    profile, schedule = preset(device), "warp_specialized" if name.startswith("hopper") else "multistage"
    variant = next(
        v for v in variants(profile) if v.schedule == schedule and problem.op.input_dtypes()[0] in v.operand_dtypes
    )
    if problem.options.tf32x3:
        variant = next(v for v in variants(profile) if v.name.endswith("tf32x3"))
    contraction = lower(problem).contraction
    kernel = build_kernel(contraction, configuration, profile, variant)
    return kernel, certify(kernel, contraction, profile)


def source(name: str) -> KernelSource:
    return emit(*certified(name))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_the_compiler_keeps_the_schedule(name: str, kept: Callable[..., None]) -> None:
    kept(source(name))


def _disassembler() -> str | None:
    """The one from PyPI (nvidia-cuda-nvdisasm) or the toolkit's."""
    packaged = Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "bin", "nvdisasm")
    return str(packaged) if packaged.exists() else shutil.which("nvdisasm")


TWICE = frozenset({"hopper_bf16_swiglu", "hopper_bf16_turns", "hopper_bf16_turns_wide", "hopper_bf16_exchanged"})
"""Kernels whose step multiplies two tiles of rows, two gates or 256 bytes of each row: eight instructions for four."""


@pytest.mark.toolchain
@pytest.mark.parametrize("name", [name for name in KERNELS if name.startswith("hopper")])
def test_the_main_loop_of_hopper_waits_for_no_memory_barrier(name: str, tmp_path: Path) -> None:
    """A step of the reduction is matrix instructions and uniform arithmetic: no barrier, no spill, no move into uniform registers."""
    disassembler = _disassembler()
    if disassembler is None:
        pytest.skip("nvdisasm is not installed (pip install nvidia-cuda-nvdisasm)")
    printed = source(name)
    try:
        binary = compiler.compile_nvrtc(printed.text, printed.arch, printed.entry).binary
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    path = tmp_path / "kernel.cubin"
    path.write_bytes(binary)
    lines = subprocess.run([disassembler, "-c", path], capture_output=True, text=True, check=True).stdout.splitlines()
    loops = [body for body in _loops(lines) if any("GMMA" in line for line in body)]
    innermost = min(loops, key=len)
    assert sum("GMMA" in line for line in innermost) == (8 if name in TWICE else 4)
    assert not [line for line in innermost if re.search(r"MEMBAR|CCTL|LDL|STL|ERRBAR|R2UR|\sBAR[.]", line)]


def _loops(lines: list[str]) -> list[list[str]]:
    """The instructions between each label and the last branch back to it."""
    labels = {match.group(1): i for i, line in enumerate(lines) if (match := re.match(r"\s*(\.L_x_\d+):", line))}
    found = []
    for i, line in enumerate(lines):
        match = re.search(r"BRA.*`\((\.L_x_\d+)\)", line)
        if match and labels.get(match.group(1), i) < i:
            found.append(lines[labels[match.group(1)] : i])
    return found


@pytest.mark.parametrize("n", [16, 12, 7])
def test_gated_results_may_be_stored_by_columns(n: int) -> None:
    """Boxes of the second gate begin n columns further: with a chunk of 16 bytes, or another kernel is found."""
    m, k, kind = 128, 64, DType.BF16
    inputs = (TensorSpec.contiguous((m, k), kind), TensorSpec.contiguous((k, 2 * n), kind))
    problem = Problem(
        GemmOp(m, 2 * n, k, dtype=kind), inputs, TensorSpec((m, n), kind, (1, m)), parse_epilogue("swiglu"),
        options=Options(allow_fallback=False),
    )  # fmt: skip
    path = trace(problem, preset="h200", backend="cuda")
    assert path.kernel is not None
    (columns,) = (symbol for symbol in path.kernel.symbols if symbol.name == "n")
    by_boxes = "wgmma" in path.choice.variant.name
    assert n % columns.multiple == 0 and by_boxes == (n == 16) and (columns.multiple == 8 or not by_boxes)


def test_a_schedule_that_gathers_nothing_takes_no_tables_and_divides_for_nothing() -> None:
    problem, configuration, device = KERNELS["hopper_bf16_swiglu"]
    variant = next(v for v in variants(preset(device)) if v.schedule == "warp_specialized")
    with pytest.raises(ConfigurationError, match="warp_specialized looks no coordinates up"):
        build_kernel(lower(problem).contraction, configuration.replace(hoisted=4), preset(device), variant)
    with pytest.raises(ConfigurationError, match="warp_specialized divides for no coordinates"):
        build_kernel(lower(problem).contraction, configuration.replace(divided=1), preset(device), variant)


def test_a_schedule_without_a_producer_takes_no_reduction_backwards() -> None:
    problem, configuration, device = KERNELS["mma_bf16_nn"]
    variant = next(v for v in variants(preset(device)) if v.schedule == "multistage")
    with pytest.raises(ConfigurationError, match="multistage takes no reduction backwards"):
        build_kernel(lower(problem).contraction, configuration.replace(returning=1), preset(device), variant)


def test_another_kernels_certificate_is_refused() -> None:
    kernel, _ = certified("hopper_bf16_nt")
    with pytest.raises(CertificationError):
        emit(kernel, certified("hopper_bf16_swiglu")[1])


def test_a_type_without_arithmetic_is_refused_by_name() -> None:
    from tracea_cuda.emit.dialect import CudaDialect

    with pytest.raises(EmitError, match="arithmetic in int8"):
        CudaDialect().cast("x", DType.FP32, DType.INT8)
