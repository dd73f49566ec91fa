# SPDX-License-Identifier: MIT
"""Arrays copied once into aligned rows: equal values, aligned rows, and nothing copied that is aligned already."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange import alignment_fault

import tracea
from tracea import ops

torch = pytest.importorskip("torch")


def make(library: str, *shape: int) -> Any:
    values = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    return values if library == "numpy" else torch.from_numpy(values).bfloat16()


def step(array: Any) -> tuple[int, ...]:
    """Strides in bytes."""
    if isinstance(array, np.ndarray):
        return array.strides
    return tuple(stride * array.element_size() for stride in array.stride())


def address(array: Any) -> int:
    return array.ctypes.data if isinstance(array, np.ndarray) else array.data_ptr()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("shape", [(5, 7), (1, 3), (4, 64), (2, 5, 33), (3, 1)])
def test_rows_are_aligned_and_values_the_same(library: str, shape: tuple[int, ...]) -> None:
    given = make(library, *shape)
    found = ops.aligned(given)
    assert tuple(found.shape) == shape and found.dtype == given.dtype
    assert bool((found == given).all())
    assert address(found) % 16 == 0
    assert all(size % 128 == 0 for extent, size in zip(shape[:-1], step(found)[:-1], strict=True) if extent > 1)
    assert ops.aligned(found) is found


def test_contiguous_columns_stay_contiguous() -> None:
    given = make("torch", 6, 35).t()
    found = ops.aligned(given)
    assert step(found) == (2, 128) and torch.equal(found, given)


def test_the_copy_is_a_copy() -> None:
    given = make("numpy", 3, 5)
    found = ops.aligned(given)
    given[:] = 0
    assert found.any()


def test_products_of_aligned_operands_copy_nothing() -> None:
    weight = ops.aligned(make("torch", 2222, 333))
    spec = TensorSpec(tuple(weight.shape), DType.BF16, tuple(weight.stride()))
    op = GemmOp(16, 2222, 333, dtype=DType.BF16)
    b = TensorSpec((333, 2222), DType.BF16, spec.strides[::-1])
    problem = Problem(
        op, (TensorSpec.contiguous((16, 333), DType.BF16), b), TensorSpec.contiguous((16, 2222), DType.BF16)
    )
    assert alignment_fault(problem, 0) is not None and alignment_fault(problem, 1) is None


def test_a_product_with_an_aligned_weight_is_the_same() -> None:
    x, weight = make("numpy", 4, 9), make("numpy", 9, 5)
    np.testing.assert_allclose(ops.matmul(x, ops.aligned(weight)), x @ weight, rtol=1e-5)


def test_vectors_have_no_rows() -> None:
    with pytest.raises(tracea.ShapeError, match="two or more axes"):
        ops.aligned(np.ones(4))
