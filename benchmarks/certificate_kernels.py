# SPDX-License-Identifier: MIT
"""The kernels whose certificates are measured: what the policy builds first for each problem, on the device of every preset."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.base import Op
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.plugin.manager import plugins
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.forms import AnyLowered, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import row_problem

from benchmarks.mutant_problems import LAST, PLANES, longest_phase

_LARGE = (4096, 4096, 4096)
_TYPES = {"cpu": DType.FP32, "cuda": DType.BF16}
"""Of operands, by backend; fp16 elsewhere."""


def _of(op: Op, order: tuple[int, ...] | None = None, **options: bool) -> Problem:
    """A problem of dense tensors, images and filters in one order in memory."""
    pairs = [*zip(op.input_shapes(), op.input_dtypes(), strict=True), (op.output_shape(), op.output_dtype())]
    tensors = [dense(shape, dtype, order if len(shape) == len(LAST) else None) for shape, dtype in pairs]
    return Problem(op, tuple(tensors[:-1]), tensors[-1], options=Options(allow_fallback=False, **options))


def _convolution(
    dtype: DType, channels: int = 64, size: int = 56, taps: int = 3, stride: int = 1, groups: int = 1
) -> Conv2dOp:
    pair, padding = (stride, stride), (taps // 2, taps // 2)
    return Conv2dOp(8, channels, size, size, 64, taps, taps, pair, padding, groups=groups, dtype=dtype)


def _filters(dtype: DType, stride: int = 1) -> Problem:
    return _of(Conv2dFiltersOp(8, 64, 28, 28, 64, 3, 3, (stride, stride), (1, 1), dtype=dtype), LAST)


def _transposed(dtype: DType, stride: int) -> Problem:
    return _of(ConvTranspose2dOp(8, 64, 28, 28, 64, 3, 3, (stride, stride), (1, 1), dtype=dtype), LAST)


def _lists(dtype: DType, sparse: SparseOperand) -> Problem:
    return _of(BlockSparseGemmOp.of(512, BlockPattern.from_mask(np.eye(32, dtype=np.bool_), 64, 64), sparse, dtype))


def _fused(dtype: DType) -> Problem:
    extra = (dense(_LARGE[:1], dtype), dense(_LARGE[:2], dtype))
    return gemm(_LARGE, dtype, "nt", epilogue=parse_epilogue("bias,residual,relu"), extra=extra)


def _attention(dtype: DType, deep: int = 64, **mask: int) -> Problem:
    return chain_problem(AttentionOp(2, 8, 512, 512, deep, dtype=dtype, **mask))  # type: ignore[arg-type]


PROBLEMS: dict[str, Callable[[DType], Problem]] = {
    "product": lambda dtype: gemm(_LARGE, dtype, "nt"),
    "product, nn": lambda dtype: gemm(_LARGE, dtype, "nn"),
    "product, tn": lambda dtype: gemm(_LARGE, dtype, "tn"),
    "product, bias, residual, ReLU": _fused,
    "product, odd": lambda dtype: gemm((1111, 2222, 3333), dtype, "nt"),
    "product, 16 rows": lambda dtype: gemm((16, 4096, 4096), dtype, "nt"),
    "product, 1 row": lambda dtype: gemm((1, 4096, 4096), dtype, "nt"),
    "product, deep": lambda dtype: gemm((256, 256, 65536), dtype, "nt"),
    "product, batched": lambda dtype: gemm((512, 512, 512), dtype, "nt", batch=(8,)),
    "product, fp32": lambda _: gemm(_LARGE, DType.FP32, "nt"),
    "product, tf32": lambda _: gemm(_LARGE, DType.FP32, "nt").replace(options=Options(allow_tf32=True)),
    "product, int8": lambda _: gemm(_LARGE, DType.INT8, "nt"),
    "grouped": lambda dtype: _of(GroupedGemmOp(m=4096, groups=8, n=1024, k=1024, dtype=dtype)),
    "lists, left": lambda dtype: _lists(dtype, SparseOperand.A),
    "lists, right": lambda dtype: _lists(dtype, SparseOperand.B),
    "lists, fp32": lambda _: _lists(DType.FP32, SparseOperand.B),
    "convolution 3x3": lambda dtype: _of(_convolution(dtype), LAST),
    "convolution 3x3, planes": lambda dtype: _of(_convolution(dtype), PLANES),
    "convolution 3x3, fp32": lambda _: _of(_convolution(DType.FP32), LAST),
    "convolution 3x3, stride 2": lambda dtype: _of(_convolution(dtype, stride=2), LAST),
    "convolution 3x3, 4 groups": lambda dtype: _of(_convolution(dtype, groups=4), LAST),
    "convolution 1x1": lambda dtype: _of(_convolution(dtype, taps=1), LAST),
    "convolution 7x7, stride 2": lambda dtype: _of(_convolution(dtype, 3, 224, 7, 2), LAST),
    "minimal filtering": lambda dtype: _of(_convolution(dtype), LAST, allow_winograd=True),
    "minimal filtering, planes": lambda dtype: _of(_convolution(dtype), PLANES, allow_winograd=True),
    "depthwise 3x3": lambda dtype: _of(_convolution(dtype, groups=64), LAST),
    "depthwise 3x3, stride 2": lambda dtype: _of(_convolution(dtype, stride=2, groups=64), LAST),
    "depthwise 7x7": lambda dtype: _of(_convolution(dtype, taps=7, groups=64), LAST),
    "depthwise 3x3, planes": lambda dtype: _of(_convolution(dtype, groups=64), PLANES),
    "depthwise 7x7, planes": lambda dtype: _of(_convolution(dtype, taps=7, groups=64), PLANES),
    "transposed 3x3": lambda dtype: _transposed(dtype, 1),
    "transposed 3x3, stride 2": lambda dtype: _transposed(dtype, 2),
    "gradient of filters": _filters,
    "gradient of filters, stride 2": lambda dtype: _filters(dtype, 2),
    "attention, causal": lambda dtype: _attention(dtype, causal=True),
    "attention, causal, fp32": lambda _: _attention(DType.FP32, causal=True),
    "attention": _attention,
    "attention, window": lambda dtype: _attention(dtype, left=100, right=0),
    "attention, shared keys": lambda dtype: _attention(dtype, 128, causal=True, kv_heads=2),
    "low rank": lambda dtype: chain_problem(LowRankOp(512, 1024, 1024, 64, dtype=dtype)),
    "low rank, fp32": lambda _: chain_problem(LowRankOp(512, 1024, 1024, 64, dtype=DType.FP32)),
    "softmax": lambda dtype: row_problem(SoftmaxOp((1024, 1024), dtype=dtype)),
    "layer norm": lambda dtype: row_problem(NormOp((1024, 1024), NormKind.LAYER, bias=True, dtype=dtype)),
    "RMS norm": lambda dtype: row_problem(NormOp((1024, 1024), NormKind.RMS, dtype=dtype)),
}


def hero(device: str, problem: str) -> tuple[SemanticKernel, AnyLowered, CapabilityProfile]:
    """Return the kernel that the policy builds first for a problem on a preset's device, with what it must compute.

    Raises
    ------
    UnsupportedError
        If no variant of the device's backend takes the problem.
    """
    target = preset_target(device)
    asked = longest_phase(PROBLEMS[problem](_TYPES.get(target.backend, DType.FP16)), target.profile)
    choice = choose(asked, target, plugins().manifest(target.backend).variants(target.profile))
    decision = PolicyEngine(target.profile).decide(choice.problem, choice.variant)
    lowered = lower_any(choice.problem, choice.variant)
    configuration = first_buildable(lowered, decision.heroes, target.profile, choice.variant)
    return build_kernel(lowered.form, configuration, target.profile, choice.variant), lowered, target.profile
