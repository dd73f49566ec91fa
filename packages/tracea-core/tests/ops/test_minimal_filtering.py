# SPDX-License-Identifier: MIT
"""The bound of minimal filtering: its formula by hand, fp32 kernels within it, mistakes that are not, and what leaves the range."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.error_bounds import gamma, op_error
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance

PIXELS = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]], np.float32)
WEIGHTS = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)
SUMS = np.array([[1, 1, 1, 0], [0, 1, -1, -1]], np.float32)
UNIT = DType.FP32.eps + DType.FP64.eps
OPS = (Conv2dOp(2, 5, 7, 6, 3, 3, 3, padding=(1, 2)), Conv2dOp(1, 6, 5, 8, 4, 3, 3, padding=(1, 1), groups=2))


def problem(op: Conv2dOp, allowed: bool = True) -> Problem:
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, (specs[0], specs[1]), specs[2], options=Options(allow_winograd=allowed))


def filtered(op: Conv2dOp, x, w, pixels=PIXELS, weights=WEIGHTS, sums=SUMS, middle=np.float32) -> np.ndarray:
    """Filter in fp32, a tile at a time, with the factors of weights rounded to `middle`."""
    p, q = op.output_size
    padded = np.pad(x, ((0, 0), (0, 0), (op.padding[0], op.padding[0] + 1), (op.padding[1], op.padding[1] + 1)))
    out = np.zeros((op.n, op.k, p + 1, q + 1), np.float32)
    channels, apart = op.c // op.groups, op.k // op.groups
    factors = (weights @ w @ weights.T).astype(middle).astype(np.float32)
    for n, k, i, j in np.ndindex(op.n, op.k, -(-p // 2), -(-q // 2)):
        places = np.zeros((4, 4), np.float32)
        for c in range(channels):
            seen = padded[n, k // apart * channels + c, 2 * i : 2 * i + 4, 2 * j : 2 * j + 4]
            seen = np.pad(seen, ((0, 4 - seen.shape[0]), (0, 4 - seen.shape[1])))
            places += factors[k, c] * (pixels @ seen @ pixels.T)
        out[n, k, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = sums @ places @ sums.T
    return out[:, :, :p, :q]


def drawn(op: Conv2dOp, kind: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    x, w = (random.standard_normal(shape).astype(np.float32) for shape in op.input_shapes())
    if kind == "cancelling":
        x[:, :, ::3, ::3] *= 1e6
        w[:, :, ::2, ::2] = 0.0
    if kind == "tiny":  # halves of weights are not exact
        x, w = x * np.float32(1e35), w * np.float32(3e-45)
    return x, w


@pytest.mark.parametrize("kind", ["normal", "cancelling", "tiny"])
@pytest.mark.parametrize("op", OPS)
def test_filtering_in_float32_stays_within_its_bound(op: Conv2dOp, kind: str) -> None:
    given = drawn(op, kind)
    exact, result = reference(problem(op), given), filtered(op, *given)
    assert agrees(result, exact, tolerance(problem(op), given)).all()
    if kind == "cancelling":  # and would not within that of windows
        assert not agrees(result, exact, tolerance(problem(op, allowed=False), given)).all()


def _wrong(matrix: np.ndarray, row: int, column: int, value: float) -> np.ndarray:
    changed = matrix.copy()
    changed[row, column] = value
    return changed


@pytest.mark.parametrize(
    "wrong",
    [
        {"pixels": _wrong(PIXELS, 2, 1, 1)},
        {"weights": _wrong(WEIGHTS, 1, 2, 0.0)},
        {"weights": _wrong(WEIGHTS, 2, 1, 0.5)},
        {"sums": _wrong(SUMS, 1, 3, 1)},
        {"middle": np.float16},
    ],
)
def test_a_wrong_sign_a_lost_weight_and_factors_of_half_precision_leave_it(wrong: dict) -> None:
    op = OPS[0]
    given = drawn(op, "normal")
    assert not agrees(filtered(op, *given, **wrong), reference(problem(op), given), tolerance(problem(op), given)).all()


@pytest.mark.parametrize("op", OPS)
def test_the_bound_is_the_formula_of_the_tile_that_a_pixel_lies_in(op: Conv2dOp) -> None:
    x, w = (array.astype(float) for array in drawn(op, "normal"))
    bound = op_error(op, [x, w], op.reference(x, w), allow_winograd=True)
    channels, n, k = op.c // op.groups, op.n - 1, op.k - 1
    group = k // (op.k // op.groups) * channels
    padded = np.pad(np.abs(x), ((0, 0), (0, 0), (op.padding[0],) * 2, (op.padding[1],) * 2))
    for row, column in ((0, 0), (1, 0), (0, 3), (3, 1)):
        i, j = row // 2 * 2, column // 2 * 2
        places = sum(
            (abs(WEIGHTS) @ np.abs(w[k, c]) @ abs(WEIGHTS).T)
            * (abs(PIXELS) @ padded[n, group + c, i : i + 4, j : j + 4] @ abs(PIXELS).T)
            for c in range(channels)
        )
        by_hand = gamma(channels + 10, UNIT) * (abs(SUMS) @ places @ abs(SUMS).T)[row - i, column - j]
        windows = op_error(op, [x, w], op.reference(x, w))[n, k, row, column]
        assert bound[n, k, row, column] == pytest.approx(max(by_hand, windows), rel=1e-9)


def test_only_results_that_see_a_pixel_depend_on_it() -> None:
    op = Conv2dOp(1, 2, 9, 9, 2, 3, 3, padding=(1, 1))
    x, w = drawn(op, "normal")
    usual = tolerance(problem(op), [x, w])
    x[0, 1, 4, 5] = np.inf
    seen = np.zeros((9, 9), bool)
    seen[3:6, 4:7] = True
    bound = tolerance(problem(op), [x, w])
    assert np.isinf(bound[:, :, seen]).all()
    np.testing.assert_array_equal(bound[:, :, ~seen], usual[:, :, ~seen])


def test_sums_of_pixels_may_leave_the_range_where_products_do_not() -> None:
    op = Conv2dOp(1, 1, 4, 4, 1, 3, 3, padding=(1, 1))
    x, w = np.full((1, 1, 4, 4), 3e38, np.float32), np.full((1, 1, 3, 3), 1e-3, np.float32)
    assert np.isfinite(tolerance(problem(op, allowed=False), [x, w])).all()
    assert np.isinf(tolerance(problem(op), [x, w])).any()
    assert np.isfinite(tolerance(problem(op), [x / 8, w])).all()
