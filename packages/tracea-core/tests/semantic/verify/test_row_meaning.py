# SPDX-License-Identifier: MIT
"""Row-wise kernels are certified, and every planted mistake is found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.expr import BinaryFn
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.row_steps import Count, Fold, Mask, Prefetch
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import Compute, Fill, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.row_meaning import compare
from tracea_core.testing.edit import edited

AVX2 = preset("avx2")
SOFTMAX = SoftmaxOp((5, 37))
LAYER = NormOp((5, 37), NormKind.LAYER, bias=True)


def made(op: SoftmaxOp | NormOp, rows: int = 1, columns: int = 16) -> tuple[SemanticKernel, Rowwise]:
    specs = [TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True)]
    form = lower_rowwise(Problem(op, tuple(specs), TensorSpec.contiguous(op.output_shape(), op.output_dtype()))).form
    config = PipelineConfig(tile_m=rows, tile_n=columns, tile_k=1, stages=1, warps=1)
    return rows_kernel(form, config, AVX2, "cpu.rowwise.x", "rows"), form


@pytest.mark.parametrize("op", [SOFTMAX, SOFTMAX.replace(log=True, scale=-2.0), LAYER, NormOp((2, 3, 37))])
@pytest.mark.parametrize("tile", [(1, 32), (1, 8), (2, 8)])
def test_kernels_are_certified(op: SoftmaxOp | NormOp, tile: tuple[int, int]) -> None:
    kernel, form = made(op, *tile)
    assert any(proof.property == "meaning" for proof in certify(kernel, form, AVX2).proofs)


def test_the_expensive_term_is_kept_and_the_cheap_one_computed_again() -> None:
    assert [buffer.name for buffer in made(SOFTMAX)[0].buffers] == ["kept"]
    assert not made(LAYER)[0].buffers and not made(SOFTMAX.replace(log=True))[0].buffers


def test_types_of_sums_follow_the_input() -> None:
    for dtype, wide in ((DType.BF16, DType.FP32), (DType.FP64, DType.FP64)):
        assert made(SoftmaxOp((5, 37), dtype))[1].compute is wide


BUGS: dict[str, tuple[SoftmaxOp | NormOp, Callable[[Node], tuple[Node, ...]]]] = {
    "no mask": (SOFTMAX, lambda n: () if isinstance(n, Mask) else (n,)),
    "mask with 1": (LAYER, lambda n: (n.replace(value=1.0),) if isinstance(n, Mask) else (n,)),
    "maximum from 0": (SOFTMAX, lambda n: (n.replace(value=0.0),) if isinstance(n, Fill) else (n,)),
    "sum from 1": (LAYER, lambda n: (n.replace(value=1.0),) if isinstance(n, Fill) else (n,)),
    "sums folded by maximum": (LAYER, lambda n: (n.replace(fn=BinaryFn.MAXIMUM),) if isinstance(n, Fold) else (n,)),
    "maximum folded by a sum": (
        SOFTMAX,
        lambda n: (n.replace(fn=BinaryFn.ADD),) if isinstance(n, Fold) and n.target == "top_total" else (n,),
    ),
    "one column too many": (LAYER, lambda n: (n.replace(value=n.value + 1),) if isinstance(n, Count) else (n,)),
    "a step too few": (SOFTMAX, lambda n: (n.replace(stop=n.stop - 1),) if isinstance(n, Loop) else (n,)),
    "a load without its guard": (SOFTMAX, lambda n: (n.replace(guard=()),) if isinstance(n, Load) else (n,)),
    "a store without its guard": (SOFTMAX, lambda n: (n.replace(guard=()),) if isinstance(n, Store) else (n,)),
    "a maximum that misses steps": (
        SOFTMAX,
        lambda n: () if isinstance(n, Compute) and n.target == "top_part" and "elements" in n.accumulators else (n,),
    ),
}


@pytest.mark.parametrize("name", BUGS)
@pytest.mark.parametrize("tile", [(1, 16), (2, 8)])
def test_planted_mistakes_are_found(name: str, tile: tuple[int, int]) -> None:
    op, edit = BUGS[name]
    kernel, form = made(op, *tile)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form, AVX2)


def test_a_hint_changes_nothing() -> None:
    kernel, form = made(SOFTMAX)
    assert any(isinstance(node, Prefetch) for node in walk(kernel.roles[0].body))
    certify(edited(kernel, lambda n: () if isinstance(n, Prefetch) else (n,)), form, AVX2)


def test_a_fold_needs_one_place_for_each_row() -> None:
    kernel, form = made(SOFTMAX, 2, 8)
    wrong = edited(kernel, lambda n: (n.replace(target="term"),) if isinstance(n, Fold) else (n,))
    with pytest.raises(CertificationError, match="one element for each row"):
        certify(wrong, form, AVX2)


def test_rounding_of_a_mean_is_allowed_and_a_wrong_small_element_is_not() -> None:
    """Where elements lie far from 0, the row's mean is off by their rounding, which an element near 0 shows whole."""
    expected = np.array([[3.0, 1e-5, -2.0]])
    offsets = np.arange(3)[None, :]
    compare(np.ones(3, np.int64), expected.ravel() + 1e-13, offsets, expected, "sizes")
    with pytest.raises(CertificationError, match="1 of 3 output elements are wrong"):
        compare(np.ones(3, np.int64), expected.ravel() + np.array([0, 1e-10, 0]), offsets, expected, "sizes")


def test_what_is_no_number_by_definition_does_not_spoil_its_row() -> None:
    """A batch norm of random variances has roots of negative numbers."""
    expected = np.array([[3.0, np.nan, -2.0]])
    offsets = np.arange(3)[None, :]
    compare(np.ones(3, np.int64), expected.ravel(), offsets, expected, "sizes")
    with pytest.raises(CertificationError, match="1 of 3 output elements are wrong"):
        compare(np.ones(3, np.int64), np.array([3.0, np.nan, np.nan]), offsets, expected, "sizes")
    with pytest.raises(CertificationError, match="1 of 3 output elements are wrong"):
        compare(np.ones(3, np.int64), np.array([3.0, 1.0, -2.0]), offsets, expected, "sizes")
