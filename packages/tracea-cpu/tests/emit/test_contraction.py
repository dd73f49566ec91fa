# SPDX-License-Identifier: MIT
"""Emitted contractions compute what they say, at every edge, in every type, and touch nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Cast, Constant, Expr, Operand, Unary, UnaryFn
from tracea_core.ops.gemm import GemmOp
from tracea_core.policy.config import PipelineConfig

TILE = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
WINDOWS = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, halo=True)
DOUBLE = PipelineConfig(tile_m=4, tile_n=12, tile_k=2)
ACC, X = Accumulator(), Operand(0)


def _binary(fn: BinaryFn, x: Expr, y: Expr) -> Expr:
    return Binary(fn, x, y)


def add(x: Expr, y: Expr) -> Expr:
    """x + y."""
    return _binary(BinaryFn.ADD, x, y)


def mul(x: Expr, y: Expr) -> Expr:
    """X·y."""
    return _binary(BinaryFn.MUL, x, y)


def relu(x: Expr) -> Expr:
    """max(x, 0)."""
    return _binary(BinaryFn.MAXIMUM, x, Constant(0.0))


def gelu(x: Expr) -> Expr:
    """x/2·(1 + erf(x/√2))."""
    return mul(mul(x, Constant(0.5)), add(Constant(1.0), Unary(UnaryFn.ERF, mul(x, Constant(0.5**0.5)))))


def _numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Any:
    if dtype.is_float:
        return random.standard_normal(shape)
    low, high = (0, 256) if dtype is DType.UINT8 else (-128, 128)
    return random.integers(low, high, shape)


RAGGED = [(1, 1, 1), (4, 24, 4), (5, 25, 5), (3, 23, 3), (13, 50, 0), (8, 48, 17), (0, 5, 3), (37, 1, 9), (1, 71, 33)]


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("transposed_out", [False, True])
@pytest.mark.parametrize("parts", [1, 3])
def test_gemm_is_right_at_every_edge(
    layout: str,
    transposed_out: bool,
    parts: int,
    random: Any,
    poisoned: Callable[..., Any],
    check: Callable[..., float],
) -> None:
    for (m, n, k), (workers, splits) in zip(RAGGED, itertools.cycle([(2, 1), (2, 3), (1, 2)]), strict=False):
        a = poisoned((m, k), DType.FP32, (0, 1) if layout[0] == "n" else (1, 0), gap=3).fill(
            random.standard_normal((m, k))
        )
        b = poisoned((k, n), DType.FP32, (0, 1) if layout[1] == "n" else (1, 0), gap=1).fill(
            random.standard_normal((k, n))
        )
        out = poisoned((m, n), DType.FP32, (1, 0) if transposed_out else (0, 1), gap=2)
        check(GemmOp(m, n, k), (a, b), out, TILE.replace(split_k=parts), workers=workers, splits=splits)


def test_gemm_with_no_unit_stride_scatters_and_gathers(
    random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    def sparse(shape: tuple[int, ...]) -> Any:
        tensor = poisoned((*shape, 2), DType.FP32, gap=1)
        strides = tensor.spec.strides[:-1]
        tensor.spec = tensor.spec.replace(shape=shape, strides=strides)
        return tensor

    a, b, out = sparse((6, 9)), sparse((9, 31)), sparse((6, 31))
    check(GemmOp(6, 31, 9), (a.fill(random.random((6, 9))), b.fill(random.random((9, 31)))), out, TILE)


@pytest.mark.parametrize(
    "dtype, out_dtype",
    [
        (DType.FP32, DType.FP32), (DType.FP32, DType.BF16), (DType.FP32, DType.FP16), (DType.BF16, DType.BF16),
        (DType.BF16, DType.FP32), (DType.FP16, DType.FP16), (DType.FP64, DType.FP64), (DType.INT8, DType.INT32),
        (DType.UINT8, DType.INT32), (DType.FP32, DType.TF32), (DType.FP32, DType.FP8_E4M3), (DType.FP32, DType.FP8_E5M2),
        (DType.FP8_E4M3, DType.FP32), (DType.FP8_E5M2, DType.BF16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_gemm_is_right_in_every_type(
    dtype: DType, out_dtype: DType, layout: str, random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    for m, n, k in [(7, 29, 13), (9, 24, 40)]:
        a = poisoned((m, k), dtype, (0, 1) if layout[0] == "n" else (1, 0), gap=1).fill(_numbers(random, (m, k), dtype))
        b = poisoned((k, n), dtype, (0, 1) if layout[1] == "n" else (1, 0)).fill(_numbers(random, (k, n), dtype))
        out = poisoned((m, n), out_dtype, gap=3)
        check(GemmOp(m, n, k, dtype=dtype, out_dtype=out_dtype), (a, b), out, DOUBLE if dtype is DType.FP64 else TILE)


def test_unsigned_times_signed(random: Any, poisoned: Callable[..., Any], check: Callable[..., float]) -> None:
    a = poisoned((6, 33), DType.UINT8).fill(random.integers(0, 256, (6, 33)))
    b = poisoned((33, 26), DType.INT8).fill(random.integers(-128, 128, (33, 26)))
    out = poisoned((6, 26), DType.INT32)
    check(GemmOp(6, 26, 33, dtype=DType.UINT8, b_dtype=DType.INT8, out_dtype=DType.INT32), (a, b), out, TILE)


def test_batches_share_and_stride(random: Any, poisoned: Callable[..., Any], check: Callable[..., float]) -> None:
    a = poisoned((2, 3, 5, 7), DType.FP32, (1, 0, 2, 3), gap=2).fill(random.random((2, 3, 5, 7)))
    b = poisoned((3, 7, 26), DType.FP32).fill(random.random((3, 7, 26)))
    out = poisoned((2, 3, 5, 26), DType.FP32, (0, 2, 1, 3))
    check(GemmOp(5, 26, 7, batch=(2, 3)), (a, b), out, TILE, splits=2)


EPILOGUES = {
    "bias gelu": (gelu(add(ACC, X)), [OperandAxes.COLUMN]),
    "row": (relu(add(ACC, X)), [OperandAxes.ROW]),
    "residual scaled": (add(mul(ACC, Operand(1)), X), [OperandAxes.FULL, OperandAxes.SCALAR]),
    "normalized": (
        relu(add(mul(_binary(BinaryFn.SUB, ACC, X), Operand(1)), Operand(2))),
        [OperandAxes.COLUMN] * 3,
    ),
}


@pytest.mark.parametrize("name", EPILOGUES)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("operand_dtype", [DType.FP32, DType.BF16])
def test_epilogues(
    name: str,
    order: tuple[int, int],
    operand_dtype: DType,
    random: Any,
    poisoned: Callable[..., Any],
    check: Callable[..., float],
) -> None:
    expr, axes = EPILOGUES[name]
    m, n, k = 10, 53, 21
    shapes = {OperandAxes.COLUMN: (n,), OperandAxes.ROW: (m,), OperandAxes.FULL: (m, n), OperandAxes.SCALAR: (1,)}
    operands = [
        poisoned(shapes[axis], operand_dtype, gap=1).fill(random.standard_normal(shapes[axis])) for axis in axes
    ]
    a = poisoned((m, k), DType.FP32).fill(random.standard_normal((m, k)))
    b = poisoned((k, n), DType.FP32).fill(random.standard_normal((k, n)))
    epilogue = Epilogue(expr, tuple(EpilogueOperand(f"x{i}", axis) for i, axis in enumerate(axes)))
    for parts in (1, 2):
        out = poisoned((m, n), DType.FP32, order, gap=1)
        check(GemmOp(m, n, k), (a, b), out, TILE.replace(split_k=parts), epilogue, operands)


def test_a_gated_epilogue_uses_two_accumulators(
    random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    gate, up = Accumulator(0), Accumulator(1)
    one_plus = add(Constant(1.0), Unary(UnaryFn.EXP, Unary(UnaryFn.NEG, gate)))
    silu = _binary(BinaryFn.DIV, gate, one_plus)
    a = poisoned((5, 9), DType.FP32).fill(random.standard_normal((5, 9)))
    b = poisoned((9, 58), DType.FP32).fill(random.standard_normal((9, 58)))
    out = poisoned((5, 29), DType.FP32)
    tile = PipelineConfig(tile_m=2, tile_n=16, tile_k=2)
    check(GemmOp(5, 58, 9), (a, b), out, tile, Epilogue(mul(silu, up), gated=True))


@pytest.mark.parametrize("out_dtype", [DType.INT8, DType.UINT8, DType.FP32, DType.INT32])
def test_integer_sums_are_scaled_and_saturate(
    out_dtype: DType, random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    a = poisoned((6, 40), DType.INT8).fill(random.integers(-128, 128, (6, 40)))
    b = poisoned((40, 30), DType.INT8).fill(random.integers(-128, 128, (40, 30)))
    scale = poisoned((30,), DType.FP32).fill(random.random(30) * 0.01)
    narrow = out_dtype in (DType.INT8, DType.UINT8)
    scaled = Cast(out_dtype, mul(ACC, X)) if narrow else mul(ACC, X)
    epilogue = Epilogue(scaled, (EpilogueOperand("scale", OperandAxes.COLUMN),))
    out = poisoned((6, 30), out_dtype)
    check(GemmOp(6, 30, 40, dtype=DType.INT8, out_dtype=out_dtype), (a, b), out, TILE, epilogue, [scale])


def test_integer_relu_is_exact(random: Any, poisoned: Callable[..., Any], check: Callable[..., float]) -> None:
    a = poisoned((6, 400), DType.INT8).fill(random.integers(-128, 128, (6, 400)))
    b = poisoned((400, 30), DType.INT8).fill(random.integers(-128, 128, (400, 30)))
    out = poisoned((6, 30), DType.INT32)
    error = check(GemmOp(6, 30, 400, dtype=DType.INT8, out_dtype=DType.INT32), (a, b), out, TILE, Epilogue(relu(ACC)))
    assert error == 0.0


def test_integer_sums_are_halved_in_floating_point(
    random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    a = poisoned((6, 40), DType.INT8).fill(random.integers(-128, 128, (6, 40)))
    b = poisoned((40, 30), DType.INT8).fill(random.integers(-128, 128, (40, 30)))
    out = poisoned((6, 30), DType.INT32)
    half = Epilogue(mul(ACC, Constant(0.5)))
    check(GemmOp(6, 30, 40, dtype=DType.INT8, out_dtype=DType.INT32), (a, b), out, TILE, half)


CONVOLUTIONS = [
    ((1, 1), (1, 1), (1, 1), 1),
    ((2, 1), (0, 2), (1, 2), 1),
    ((1, 1), (1, 1), (1, 1), 2),
    ((2, 2), (3, 3), (1, 1), 4),
    ((1, 1), (0, 0), (1, 1), 1),
]


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("stride, padding, dilation, groups", CONVOLUTIONS)
@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16, DType.INT8])
def test_conv2d(
    channels_last: bool,
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    groups: int,
    dtype: DType,
    random: Any,
    poisoned: Callable[..., Any],
    check: Callable[..., float],
) -> None:
    order = (0, 2, 3, 1) if channels_last else (0, 1, 2, 3)
    for filter_size in ((3, 2), (1, 1)):
        op = Conv2dOp(2, 8, 7, 9, 12, *filter_size, stride, padding, dilation, groups, dtype=dtype)
        x = poisoned((2, 8, 7, 9), dtype, order).fill(_numbers(random, (2, 8, 7, 9), dtype))
        shape = (12, 8 // groups, *filter_size)
        w = poisoned(shape, dtype, order).fill(_numbers(random, shape, dtype))
        out = poisoned(op.output_shape(), op.output_dtype(), order)
        bias = poisoned((12,), DType.FP32).fill(random.standard_normal(12))
        epilogue = Epilogue(relu(add(ACC, X)), (EpilogueOperand("bias", OperandAxes.COLUMN),))
        has_windows = groups == 1 and (channels_last if padding == (0, 0) else filter_size != (1, 1))
        for config in (TILE, WINDOWS) if has_windows else (TILE,):
            if dtype is DType.INT8:
                check(op, (x, w), out, config)
            else:
                check(op, (x, w), out, config, epilogue, [bias], splits=2)


def test_conv2d_with_a_residual(random: Any, poisoned: Callable[..., Any], check: Callable[..., float]) -> None:
    op = Conv2dOp(1, 3, 6, 5, 4, 3, 3, (1, 1), (1, 1), (1, 1), 1)
    x = poisoned((1, 3, 6, 5), DType.FP32).fill(random.random((1, 3, 6, 5)))
    w = poisoned((4, 3, 3, 3), DType.FP32).fill(random.random((4, 3, 3, 3)))
    residual = poisoned(op.output_shape(), DType.FP32, (0, 2, 3, 1), gap=2).fill(random.random(op.output_shape()))
    out = poisoned(op.output_shape(), DType.FP32)
    epilogue = Epilogue(add(ACC, X), (EpilogueOperand("residual", OperandAxes.FULL),))
    for config in (TILE, WINDOWS):
        check(op, (x, w), out, config, epilogue, [residual])


def test_the_check_sees_planted_mistakes(
    random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    a = poisoned((4, 4), DType.FP32).fill(random.random((4, 4)))
    b = poisoned((4, 24), DType.FP32).fill(random.random((4, 24)))
    out = poisoned((4, 24), DType.FP32, gap=1)
    check(GemmOp(4, 24, 4), (a, b), out, TILE)
    out.memory[-1] ^= 1
    assert not out.outside_is_untouched()
    out.memory[-1] ^= 1
    assert out.outside_is_untouched()
    between = (64 + 24) * 4  # the gap after the first row
    out.memory[between] ^= 1
    assert not out.outside_is_untouched()
    with pytest.raises(AssertionError, match="differ"):
        _compare_wrong(check, a, b, poisoned)


def _compare_wrong(check: Callable[..., float], a: Any, b: Any, poisoned: Callable[..., Any]) -> None:
    """Launch on inputs that change between the launch and the reference."""

    class Moving(type(a)):  # type: ignore[misc]
        @property
        def values(self) -> Any:
            return super().values * (1.0 + 2.0**-15)

    moving = Moving(a.spec, a.memory)
    check(GemmOp(4, 24, 4), (moving, b), poisoned((4, 24), DType.FP32), TILE)


BLOCKED = {
    "blocks": TILE.replace(block_k=8),
    "rows packed": TILE.replace(block_k=8, pack_a=True),
    "rows packed, whole": TILE.replace(pack_a=True, tile_m=6, tile_n=16),
    "streamed": TILE.replace(tile_m=1, tile_n=56, tile_k=8, block_k=8, pack_b=False),
    "streamed, not asked for ahead": TILE.replace(block_k=8, pack_b=False, stages=1),
    "turned in place": PipelineConfig(tile_m=3, tile_n=8, tile_k=4, pack_b=False),
    "turned in half vectors": PipelineConfig(tile_m=3, tile_n=4, tile_k=4, pack_b=False),
}


@pytest.mark.parametrize("name", BLOCKED)
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16, DType.INT8])
def test_blocks_are_right_at_every_edge(
    name: str, layout: str, dtype: DType, random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    parts = itertools.cycle([(1, 1, 1, 1), (2, 3, 2, 2), (3, 1, 2, 1)])
    for (m, n, k), (rows, columns, blocks, held) in zip(RAGGED, parts, strict=False):
        a, b = (
            poisoned(shape, dtype, (0, 1) if way == "n" else (1, 0), gap=3).fill(_numbers(random, shape, dtype))
            for shape, way in zip(((m, k), (k, n)), layout, strict=True)
        )
        bias = poisoned((n,), DType.FP32).fill(random.standard_normal(n))
        epilogue = Epilogue(relu(add(ACC, X)), (EpilogueOperand("bias", OperandAxes.COLUMN),))
        symbols = {"column_splits": columns, "k_blocks": blocks, "row_blocks": held}
        out = poisoned((m, n), DType.FP32, gap=5)
        op = GemmOp(m, n, k, dtype=dtype, out_dtype=DType.FP32)
        check(op, [a, b], out, BLOCKED[name], epilogue, [bias], workers=2, splits=rows, symbols=symbols)


def test_doubles_are_turned_too(random: Any, poisoned: Callable[..., Any], check: Callable[..., float]) -> None:
    for m, n, k in RAGGED:
        a = poisoned((m, k), DType.FP64).fill(random.standard_normal((m, k)))
        b = poisoned((k, n), DType.FP64, (1, 0), gap=1).fill(random.standard_normal((k, n)))
        for config in (DOUBLE, PipelineConfig(tile_m=2, tile_n=4, tile_k=4, pack_b=False)):
            more = {"column_splits": 2, "row_blocks": 1}
            check(GemmOp(m, n, k, dtype=DType.FP64), [a, b], poisoned((m, n), DType.FP64), config, symbols=more)
