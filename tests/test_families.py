# SPDX-License-Identifier: MIT
"""Every preset serves every family: a kernel is chosen, built, certified and printed."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_names, preset_target
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.ops.spec import TensorSpec
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import row_problem
from tracea_cpu.plugin import tracea_register_backend as cpu
from tracea_cuda.plugin import tracea_register_backend as cuda
from tracea_hip.plugin import tracea_register_backend as hip
from tracea_metal.plugin import tracea_register_backend as metal
from tracea_sycl.oneapi.plugin import tracea_register_backend as oneapi
from tracea_sycl.plugin import tracea_register_backend as sycl

BACKENDS = {manifest.name: manifest for manifest in (cpu(), cuda(), hip(), metal(), sycl(), oneapi())}
PLACES = [
    (name, backend)
    for name in preset_names()
    for backend in (preset_target(name).backend, *(("oneapi",) if preset_target(name).backend == "sycl" else ()))
]


def attention(dtype: DType, **mask: object) -> Problem:
    return chain_problem(AttentionOp(2, 8, 512, 512, 64, dtype=dtype, **mask))  # type: ignore[arg-type]


def grouped(dtype: DType) -> Problem:
    op = GroupedGemmOp(m=300, groups=4, n=192, k=128, dtype=dtype)
    x, w, ends = map(dense, op.input_shapes(), op.input_dtypes())
    return Problem(op, (x, w, ends), dense(op.output_shape(), op.output_dtype()))


def convolution(dtype: DType, *, stride: int = 1) -> Problem:
    op = Conv2dOp(2, 64, 28, 28, 128, 3, 3, stride=(stride, stride), padding=(1, 1), dtype=dtype)
    last = (0, 2, 3, 1)
    tensors = tuple(dense(shape, dtype, last) for shape in op.input_shapes())
    return Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), last))


def sequence(dtype: DType, keys: int, causal: bool) -> Problem:
    """One of a batch whose sequences have as many keys as each says, in a cache that is as long as the longest may be."""
    op = AttentionOp(1, 8, 256, keys, 64, causal=causal, dtype=dtype)
    cache = TensorSpec((1, 8, keys, 64), dtype, (8 * 512 * 64, 512 * 64, 64, 1))
    return chain_problem(op, input1=cache, input2=cache).replace(options=Options())


def lists(dtype: DType, sparse: SparseOperand) -> Problem:
    """A product with a matrix of few blocks, whose lists are data."""
    op = BlockSparseGemmOp.of(64, BlockPattern.from_mask(np.eye(3, 4), 32, 64), sparse, dtype)
    tensors = tuple(map(dense, op.input_shapes(), op.input_dtypes()))
    return Problem(op, tensors, dense(op.output_shape(), op.output_dtype()))


PROBLEMS: dict[str, Problem] = {
    f"{name}_{dtype.value}": problem.replace(options=Options())
    for dtype in (DType.FP16, DType.FP32)
    for name, problem in {
        "product": gemm((256, 192, 128), dtype),
        "full": attention(dtype),
        "causal_gqa": attention(dtype, causal=True, kv_heads=2),
        "window": attention(dtype, left=100, right=0),
        "low_rank": chain_problem(LowRankOp(64, 256, 128, 16, dtype=dtype)),
        "softmax": row_problem(SoftmaxOp((64, 512), dtype)),
        "log_softmax": row_problem(SoftmaxOp((64, 512), dtype, log=True)),
        "layer_norm": row_problem(NormOp((64, 512), NormKind.LAYER, bias=True, dtype=dtype)),
        "rms_norm": row_problem(NormOp((64, 512), NormKind.RMS, dtype=dtype)),
        "batched": gemm((256, 192, 128), dtype, batch=(3,)),
        "grouped": grouped(dtype),
        "convolution": convolution(dtype),
    }.items()
} | {
    name: problem.replace(options=Options())
    for name, problem in {
        "strided_convolution": convolution(DType.FP16, stride=2),
        "lists_left": lists(DType.FP16, SparseOperand.A),
        "lists_right": lists(DType.FP16, SparseOperand.B),
        "lists_fp32": lists(DType.FP32, SparseOperand.B),
    }.items()
}
"""What stands for the families; half precision may be computed in single where a device has no other."""


def served(manifest: BackendManifest, preset: str, problem: Problem) -> SemanticKernel:
    """Walk down to the printed text, as a call would.

    Raises
    ------
    UnsupportedError
        If no kind of kernel takes the problem.
    """
    target = preset_target(preset).replace(backend=manifest.name)
    profile = target.profile
    choice = choose(problem, target, manifest.variants(profile))
    lowered = lower_any(choice.problem, choice.variant)
    heroes = PolicyEngine(profile).decide(choice.problem, choice.variant).heroes
    config = first_buildable(lowered, heroes, profile, choice.variant)
    kernel = build_kernel(lowered.form, config, profile, choice.variant)
    text = manifest.emitters[problem.op.family](kernel, certify(kernel, lowered.form, profile)).text
    assert kernel.name in text
    return kernel


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("preset", "backend"), PLACES, ids=[f"{preset}-{backend}" for preset, backend in PLACES])
def test_every_preset_serves_every_family(preset: str, backend: str, name: str) -> None:
    served(BACKENDS[backend], preset, PROBLEMS[name])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("preset", "backend"), PLACES, ids=[f"{preset}-{backend}" for preset, backend in PLACES])
def test_one_kernel_attends_to_sequences_of_any_length(preset: str, backend: str, causal: bool) -> None:
    kernels = {served(BACKENDS[backend], preset, sequence(DType.FP16, keys, causal)).digest() for keys in (3, 300, 512)}
    assert len(kernels) == 1
