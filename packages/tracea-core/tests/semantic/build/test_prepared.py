# SPDX-License-Identifier: MIT
"""Slow parts of an epilogue that depend on one axis are computed once; what depends on more stays in the tiles."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.activations import BatchNorm, BiasAdd, Gelu, ReLU, Residual, Scale
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand, walk
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import StageLike, as_chain
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.prepared import split
from tracea_core.semantic.contraction import Contraction, I
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Loop
from tracea_core.semantic.verify.certify import certify

AVX2 = preset("avx2")
VECTOR = np.ones(8, np.float32)
NORM = BatchNorm(VECTOR, VECTOR, VECTOR, VECTOR) | ReLU()


def convolution(epilogue: StageLike, groups: int = 1) -> Contraction:
    op = Conv2dOp(2, 4, 7, 6, 8, 3, 3, padding=(1, 1), groups=groups)
    bound, operands = as_chain(epilogue).bind()
    shapes = ((2, 4, 7, 6), (8, 4 // groups, 3, 3))
    inputs = tuple(TensorSpec.contiguous(shape, DType.FP32) for shape in shapes)
    specs = tuple(TensorSpec.contiguous(np.shape(x), DType.FP32) for x in operands)
    out = TensorSpec.contiguous(op.output_shape(), DType.FP32)
    return lower(Problem(op, inputs, out, bound, specs)).contraction


def built(contraction: Contraction, **fields: object) -> SemanticKernel:
    config = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, **fields)  # type: ignore[arg-type]
    return panel_kernel(contraction, config, AVX2, "cpu.contraction.test", "kernel")


def test_the_root_of_a_norm_is_taken_out_and_its_operands_with_it() -> None:
    contraction = convolution(NORM)
    found = split(contraction)
    assert [part.axis for part in found.parts] == [I]  # channels are rows there
    assert len(contraction.epilogue_terms) == 4 and len(found.slots) == 2  # mean and shift
    used = {leaf.slot for leaf in walk(found.expr) if isinstance(leaf, Operand)}
    assert used == {0, 1, 2}


@pytest.mark.parametrize("epilogue", [BiasAdd(VECTOR), Scale(2.0) | Gelu(), BiasAdd(VECTOR) | ReLU()])
def test_what_is_fast_or_depends_on_the_sums_stays(epilogue: StageLike) -> None:
    contraction = convolution(epilogue)
    assert split(contraction).parts == ()
    assert split(contraction).expr == contraction.epilogue.expr
    assert [buffer.name for buffer in built(contraction).buffers] == ["panel"]


def test_what_depends_on_the_batch_or_on_both_axes_stays() -> None:
    assert split(convolution(NORM, groups=2)).parts == ()
    op = GemmOp(5, 7, 3)
    chain = Residual(np.ones((5, 7), np.float32))
    bound, _ = as_chain(chain).bind()
    divided = bound.replace(expr=Binary(BinaryFn.DIV, Accumulator(), Operand(0)))
    specs = tuple(TensorSpec.contiguous(shape, DType.FP32) for shape in ((5, 3), (3, 7), (5, 7), (5, 7)))
    problem = Problem(op, specs[:2], specs[2], divided, specs[3:])
    assert split(lower(problem).contraction).parts == ()


@pytest.mark.parametrize("halo", [False, True])
def test_kernels_with_prepared_values_are_certified(halo: bool) -> None:
    contraction = convolution(NORM)
    kernel = built(contraction, halo=halo)
    certify(kernel, contraction, AVX2)
    first = kernel.roles[0].body[0]
    assert isinstance(first, Loop)
    assert kernel.buffer("prepared0").extent == first.stop


@pytest.mark.parametrize("halo", [False, True])
def test_a_preparation_that_is_missing_or_too_short_is_caught(halo: bool) -> None:
    contraction = convolution(NORM)
    kernel = built(contraction, halo=halo)
    (role,) = kernel.roles
    first = role.body[0]
    assert isinstance(first, Loop)
    for body in (role.body[1:], (first.replace(start=Const(AVX2.lanes)), *role.body[1:])):
        with pytest.raises(CertificationError):
            certify(kernel.replace(roles=(role.replace(body=body),)), contraction, AVX2)
