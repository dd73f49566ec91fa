# SPDX-License-Identifier: MIT
"""Honest kernels of limited precision stay within the bound; planted mistakes leave it."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ShapeError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, spacing_at, tolerance, worst

RNG = np.random.default_rng(3)


def problem_of(op, epilogue: Epilogue = IDENTITY, out: DType | None = None, options: Options | None = None) -> Problem:
    shape = epilogue.output_shape(op.output_shape())
    return Problem(
        op,
        tuple(TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True)),
        TensorSpec.contiguous(shape, out or op.output_dtype()),
        epilogue,
        tuple(
            TensorSpec.contiguous(epilogue.operand_shape(slot, shape, op.column_axis), DType.FP32)
            for slot in range(len(epilogue.operands))
        ),
        options or Options(),
    )


def stored(shape, dtype: DType, scale: float = 1.0) -> np.ndarray:
    """Random exact values of a type."""
    return dtype.decode(dtype.encode(RNG.standard_normal(shape) * scale))


def serial_matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The plainest float32 kernel: one product and one rounding after another."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total += a[:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
    return total


@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16, DType.FP16, DType.FP8_E4M3, DType.FP8_E5M2])
@pytest.mark.parametrize("k", [1, 7, 300])
def test_a_float32_product_passes_and_a_few_ulps_more_fail(dtype: DType, k: int) -> None:
    problem = problem_of(GemmOp(9, 11, k, dtype=dtype))
    a, b = stored((9, k), dtype), stored((k, 11), dtype)
    expected, bound = reference(problem, [a, b]), tolerance(problem, [a, b])
    for product in (serial_matmul(a, b), a.astype(np.float32) @ b.astype(np.float32)):
        actual = dtype.decode(dtype.encode(product.astype(np.float64)))
        assert agrees(actual, expected, bound).all()
        assert worst(actual, expected, bound) <= 1.0
    beyond = expected + bound
    broken = dtype.decode(dtype.encode(beyond + 4 * spacing_at(np.maximum(np.abs(expected), np.abs(beyond)), dtype)))
    assert not agrees(broken, expected, bound).any()
    assert worst(broken, expected, bound) > 1.0


def test_a_forgotten_last_product_fails() -> None:
    problem = problem_of(GemmOp(16, 16, 64, dtype=DType.BF16, out_dtype=DType.FP32))
    a, b = stored((16, 64), DType.BF16), stored((64, 16), DType.BF16)
    short = serial_matmul(a[:, :-1], b[:-1])
    assert agrees(short, reference(problem, [a, b]), tolerance(problem, [a, b])).mean() < 0.05


def test_a_half_precision_accumulator_fails_where_float32_was_asked_for() -> None:
    op = GemmOp(16, 16, 512, dtype=DType.FP16, out_dtype=DType.FP32)
    a, b = stored((16, 512), DType.FP16), stored((512, 16), DType.FP16)
    total = np.zeros((16, 16), np.float16)
    for k in range(512):
        total += (a[:, k : k + 1] * b[k : k + 1]).astype(np.float16)
    bound = tolerance(op, [a, b])
    assert not agrees(total, reference(op, [a, b]), bound).all()
    relaxed = tolerance(op.replace(accumulate=DType.FP16), [a, b])
    assert agrees(total, reference(op, [a, b]), relaxed).all()


def test_the_bound_is_the_formula() -> None:
    k, u = 100, 2.0**-24
    op = GemmOp(3, 4, k)
    a, b = stored((3, k), DType.FP32), stored((k, 4), DType.FP32)
    gamma = (k + 1) * u / (1 - (k + 1) * u)
    floor = gamma * (np.abs(a) @ np.abs(b))
    # Both ends are rounded to float32, which moves them by at most half a spacing.
    assert (np.abs(tolerance(op, [a, b]) - floor) <= 1e-6 * floor + spacing_at(reference(op, [a, b]), DType.FP32)).all()


def test_integers_are_exact_until_they_can_wrap() -> None:
    op = GemmOp(4, 5, 60, dtype=DType.INT8)
    a, b = (RNG.integers(-128, 128, shape).astype(np.float64) for shape in ((4, 60), (60, 5)))
    assert (tolerance(op, [a, b]) == 0).all()
    assert not agrees(reference(op, [a, b]) + 1, reference(op, [a, b]), tolerance(op, [a, b])).any()
    long = GemmOp(1, 1, 2**18, dtype=DType.INT8)
    tensors = [np.full((1, 2**18), 127.0), np.full((2**18, 1), 127.0)]
    assert agrees([[-(2.0**31)], [0.0], [2.0**31 - 1]], reference(long, tensors), tolerance(long, tensors)).all()


def test_quantizing_allows_the_neighbour_only_at_a_tie() -> None:
    problem = problem_of(GemmOp(2, 2, 1, out_dtype=DType.INT8), parse_epilogue("quantize:int8"))
    a, b = np.array([[1.0], [1000.0]]), np.array([[2.5, 3.2]])
    bound = tolerance(problem, [a, b])
    assert agrees([[2.0, 3.0], [127.0, 127.0]], reference(problem, [a, b]), bound).all()
    assert agrees(3.0, reference(problem, [a, b]), bound)[0, 0]  # 2.5 is a tie, which any error tips
    assert not agrees(4.0, reference(problem, [a, b]), bound)[0, 1]
    assert not agrees(126.0, reference(problem, [a, b]), bound)[1].any()


def test_truncated_tf32_products_pass_only_where_allowed() -> None:
    op = GemmOp(8, 8, 256)
    a, b = np.abs(stored((8, 256), DType.FP32)), np.abs(stored((256, 8), DType.FP32))

    def truncate(x: np.ndarray) -> np.ndarray:
        return (x.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)

    actual = serial_matmul(truncate(a), truncate(b))
    assert not agrees(actual, reference(op, [a, b]), tolerance(op, [a, b])).any()
    allowed = problem_of(op, options=Options(allow_tf32=True))
    assert agrees(actual, reference(allowed, [a, b]), tolerance(allowed, [a, b])).all()


def test_two_parts_of_tf32_pass_where_three_products_are_added_and_no_fewer() -> None:
    op = GemmOp(8, 8, 4)
    a, b = (np.full(shape, np.float32(1.0003), np.float64) for shape in ((8, 4), (4, 8)))

    def nearest(x: np.ndarray) -> np.ndarray:
        word = x.astype(np.float32).view(np.uint32) + np.uint32(0x1000) & np.uint32(0xFFFFE000)
        return word.view(np.float32).astype(np.float64)

    (a_high, b_high), allowed = (nearest(a), nearest(b)), problem_of(op, options=Options(tf32x3=True))
    a_low, b_low = nearest(a - a_high), nearest(b - b_high)
    bound, exact = tolerance(allowed, [a, b]), reference(allowed, [a, b])
    two = a_high @ b_high + a_high @ b_low
    assert agrees(two + a_low @ b_high, exact, bound).all() and not agrees(two, exact, bound).any()
    assert (bound > tolerance(op, [a, b])).all()


def float32_epilogue(epilogue: Epilogue, product: np.ndarray, operands: list[np.ndarray]) -> np.ndarray:
    """Evaluate an epilogue with every node rounded to float32."""
    from tracea_core.ops.evaluate import apply, leaf_value
    from tracea_core.ops.expr import linearize

    values: list[np.ndarray] = []
    with np.errstate(all="ignore"):
        for node, places in linearize(epilogue.expr):
            value = apply(node, [values[p] for p in places]) if places else leaf_value(node, [product], operands)
            values.append(np.asarray(value, np.float32).astype(np.float64))
    return values[-1]


@pytest.mark.parametrize(
    "stages",
    ["bias,gelu", "gelu_tanh", "silu,residual", "sigmoid", "tanh", "batch_norm,relu", "scale:3,clamp:-1:1", "mish,row_scale",
     "softplus", "hardswish", "elu", "leaky_relu", "square", "bias,relu6"],
)  # fmt: skip
@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_epilogues_in_float32_pass_and_wrong_ones_fail(stages: str, scale: float) -> None:
    epilogue = parse_epilogue(stages)
    problem = problem_of(GemmOp(13, 17, 64), epilogue)
    a, b = stored((13, 64), DType.FP32, scale), stored((64, 17), DType.FP32)
    operands = [np.abs(stored(spec.shape, DType.FP32)) for spec in problem.epilogue_inputs]
    expected, bound = reference(problem, [a, b], operands), tolerance(problem, [a, b], operands)
    product = serial_matmul(a, b).astype(np.float64)
    actual = float32_epilogue(epilogue, product, epilogue.spread(operands, (13, 17)))
    assert agrees(actual, expected, bound).all()
    assert np.isfinite(bound).all()
    assert np.median(bound) < 1e-3 * max(1.0, np.abs(expected).max())  # tight enough to mean something
    off = Epilogue(Binary(BinaryFn.MUL, epilogue.expr, Constant(1.001)), epilogue.operands)
    wrong = off.reference(product, operands)
    moved = np.abs(wrong - expected) > 2 * bound
    assert moved.any()
    assert not agrees(wrong, expected, bound)[moved].any()


def test_gated_conv_and_fused_problems_have_the_shape_of_their_output() -> None:
    gated = problem_of(GemmOp(6, 8, 5), parse_epilogue("bias,swiglu"))
    a, b, lower, upper = (stored(shape, DType.FP32) for shape in ((6, 5), (5, 8), (4,), (4,)))
    x, w = a @ b[:, :4] + lower, a @ b[:, 4:] + upper
    assert np.allclose(reference(gated, [a, b], [lower, upper]), x / (1 + np.exp(-x)) * w)
    assert tolerance(gated, [a, b], [lower, upper]).shape == (6, 4)
    conv = problem_of(Conv2dOp(2, 3, 5, 6, 4, 3, 3, padding=(1, 1)), parse_epilogue("bias,relu"))
    image, filters, bias = stored((2, 3, 5, 6), DType.FP32), stored((4, 3, 3, 3), DType.FP32), np.arange(4.0)
    plain = conv.op.reference(image, filters)
    expected = np.maximum(plain + bias[:, np.newaxis, np.newaxis], 0)
    assert np.allclose(reference(conv, [image, filters], [bias]), expected)
    assert agrees(expected.astype(np.float32), expected, tolerance(conv, [image, filters], [bias])).all()
    fused = FusedGemmOp(GemmOp(6, 8, 5), parse_epilogue("bias,relu"))
    wide = stored((8,), DType.FP32)
    assert np.allclose(reference(fused, [a, b, wide]), np.maximum(a @ b + wide, 0))
    assert tolerance(fused, [a, b, wide]).shape == (6, 8)


def test_alpha_and_beta_round_in_the_accumulator() -> None:
    op = GemmOp(5, 6, 32, alpha=0.3, beta=1.7)
    a, b, c = stored((5, 32), DType.FP32), stored((32, 6), DType.FP32), stored((5, 6), DType.FP32, 100)
    actual = np.float32(0.3) * serial_matmul(a, b) + np.float32(1.7) * c.astype(np.float32)
    bound = tolerance(op, [a, b, c])
    assert agrees(actual, reference(op, [a, b, c]), bound).all()
    assert not agrees(np.float32(1.7) * c, reference(op, [a, b, c]), bound).any()


@pytest.mark.parametrize("log", [False, True])
def test_softmax(log: bool) -> None:
    op = SoftmaxOp((6, 200), log=log)
    x = stored((6, 200), DType.FP32, 20.0)
    single = x.astype(np.float32)
    shifted = single - single.max(-1, keepdims=True)
    total = np.exp(shifted).sum(-1, keepdims=True, dtype=np.float32)
    actual = shifted - np.log(total) if log else np.exp(shifted) / total
    expected, bound = reference(op, [x]), tolerance(op, [x])
    assert agrees(actual, expected, bound).all()
    wrong = op.reference(np.where(np.arange(200) == 3, x + 0.01, x))
    assert not agrees(wrong, expected, bound).all()


@pytest.mark.parametrize("kind", list(NormKind))
def test_norms(kind: NormKind) -> None:
    op = NormOp((7, 300), kind, weight=True, bias=True)
    x, w, b = stored((7, 300), DType.FP32, 3.0) + 1.0, stored((300,), DType.FP32), stored((300,), DType.FP32)
    x = DType.FP32.decode(DType.FP32.encode(x))
    single = x.astype(np.float32)
    if kind is NormKind.LAYER:
        single = single - single.mean(-1, keepdims=True)
    actual = single / np.sqrt((single * single).mean(-1, keepdims=True) + np.float32(op.eps))
    actual = actual * w.astype(np.float32) + b.astype(np.float32)
    expected, bound = reference(op, [x, w, b]), tolerance(op, [x, w, b])
    assert agrees(actual, expected, bound).all()
    assert np.median(bound) < 1e-3
    unbiased = expected * np.sqrt(299 / 300)
    assert not agrees(unbiased, expected, bound).all()


@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
def test_attention_with_an_online_softmax(dtype: DType) -> None:
    op = AttentionOp(1, 4, 24, 48, 16, kv_heads=2, causal=True, dtype=dtype)
    q, k, v = (stored(shape, dtype) for shape in op.input_shapes())
    expected, bound = reference(op, [q, k, v]), tolerance(op, [q, k, v])
    actual = np.zeros(op.output_shape())
    mask = op.mask()
    for head in range(4):
        keys, values = (x[0, head // 2].astype(np.float32) for x in (k, v))
        top = np.full((24, 1), -1e30, np.float32)
        total, out = np.zeros((24, 1), np.float32), np.zeros((24, 16), np.float32)
        for start in range(0, 48, 16):
            block = slice(start, start + 16)
            scores = np.float32(0.25) * (q[0, head].astype(np.float32) @ keys[block].T)
            scores = np.where(mask[:, block], scores, np.float32(-1e30))
            new = np.maximum(top, scores.max(-1, keepdims=True))
            weights = np.exp(scores - new)
            total = total * np.exp(top - new) + weights.sum(-1, keepdims=True)
            rounded = dtype.decode(dtype.encode(weights.astype(np.float64))).astype(np.float32)
            out = out * np.exp(top - new) + rounded @ values[block]
            top = new
        actual[0, head] = out / total
    actual = dtype.decode(dtype.encode(actual))
    assert agrees(actual, expected, bound).all()
    uncovered = op.replace(causal=False).reference(q, k, v)
    assert not agrees(uncovered, expected, bound).all()


def test_low_rank_with_a_rounded_middle() -> None:
    op = LowRankOp(10, 12, 64, 8, middle=parse_epilogue("relu"), dtype=DType.BF16)
    x, a, b = (stored(shape, DType.BF16) for shape in op.input_shapes())
    middle = np.maximum(serial_matmul(x, a), 0).astype(np.float64)
    rounded = DType.BF16.decode(DType.BF16.encode(middle))
    actual = DType.BF16.decode(DType.BF16.encode(serial_matmul(rounded, b).astype(np.float64)))
    expected, bound = reference(op, [x, a, b]), tolerance(op, [x, a, b])
    assert agrees(actual, expected, bound).all()
    assert not agrees(np.matmul(x, a) @ b, expected, bound).all()  # without relu


def test_nan_and_infinity_have_to_be_matched() -> None:
    op = GemmOp(1, 3, 1)
    a, b = np.array([[1.0]]), np.array([[np.nan, np.inf, -np.inf]])
    expected, bound = reference(op, [a, b]), tolerance(op, [a, b])
    assert agrees([[np.nan, np.inf, -np.inf]], expected, bound).all()
    assert not agrees([[1.0, -np.inf, np.nan]], expected, np.zeros((1, 3))).any()


def test_empty_sums_and_outputs() -> None:
    assert (tolerance(GemmOp(2, 3, 0), [np.zeros((2, 0)), np.zeros((0, 3))]) == 0).all()
    assert tolerance(GemmOp(0, 3, 4), [np.zeros((0, 4)), np.zeros((4, 3))]).shape == (0, 3)
    assert worst(np.zeros(0), np.zeros(0), np.zeros(0)) == 0.0


def test_missing_tensors_are_reported() -> None:
    with pytest.raises(ShapeError, match="2 inputs"):
        reference(GemmOp(2, 2, 2), [np.zeros((2, 2))])
    assert problem_of(GemmOp(2, 2, 2)).epilogue.expr == Accumulator()
