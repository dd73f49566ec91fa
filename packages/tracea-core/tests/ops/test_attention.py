# SPDX-License-Identifier: MIT
"""Attention against PyTorch, masks against their definition."""

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.attention import AttentionOp

BASE = {"batch": 2, "heads": 4, "queries": 5, "keys": 7, "head_dim": 3}
CASES = [
    {},
    {"causal": True},
    {"kv_heads": 2, "value_dim": 6},
    {"kv_heads": 1, "left": 2, "right": 1},
    {"causal": True, "left": 0, "scale": 0.3},
    {"queries": 9, "causal": True},
    {"queries": 1, "causal": True},
]


def data(op):
    rng = np.random.default_rng(6)
    return [rng.standard_normal(shape) for shape in op.input_shapes()[:3]]


@pytest.mark.parametrize("changes", CASES)
def test_agrees_with_torch(changes):
    torch = pytest.importorskip("torch")
    op = AttentionOp(**BASE | changes)
    q, k, v = data(op)
    share = op.heads // op.groups_of_keys
    mask = op.mask()
    theirs = torch.nn.functional.scaled_dot_product_attention(
        torch.tensor(q),
        torch.tensor(np.repeat(k, share, axis=1)),
        torch.tensor(np.repeat(v, share, axis=1)),
        attn_mask=torch.tensor(mask),
        scale=op.factor,
    ).numpy()
    theirs = np.where(mask.any(axis=1)[:, np.newaxis], theirs, 0.0)
    np.testing.assert_allclose(op.reference(q, k, v), theirs, atol=1e-12)
    assert AttentionOp.from_json(op.to_json()) == op
    assert op.flops() == 2 * op.batch * op.heads * int(mask.sum()) * (op.head_dim + op.values_extent)


@pytest.mark.parametrize("changes", CASES)
@pytest.mark.parametrize("valid", [None, 0, 3])
def test_masks_are_their_definition(changes, valid):
    op = AttentionOp(**BASE | changes)
    keys = op.keys if valid is None else valid
    right = 0 if op.causal else op.right
    mask = op.mask(valid)
    for i, j in np.ndindex(mask.shape):
        distance = j - (i + keys - op.queries)
        wanted = j < keys and (op.left is None or distance >= -op.left) and (right is None or distance <= right)
        assert mask[i, j] == wanted


def test_lengths_hide_the_rest():
    op = AttentionOp(**BASE, causal=True, lengths=True)
    assert op.input_dtypes()[3] is DType.INT32
    q, k, v = data(op)
    result = op.reference(q, k, v, np.array([7.0, 4.0]))
    short = AttentionOp(**BASE | {"keys": 4, "batch": 1}, causal=True)
    np.testing.assert_allclose(result[1:], short.reference(q[1:], k[1:, :, :4], v[1:, :, :4]))
    np.testing.assert_allclose(
        result[:1], AttentionOp(**BASE | {"batch": 1}, causal=True).reference(q[:1], k[:1], v[:1])
    )
    np.testing.assert_array_equal(op.reference(q, k, v, np.zeros(2)), 0.0)


@pytest.mark.parametrize("field", ["batch", "heads", "queries", "keys"])
def test_empty(field):
    op = AttentionOp(**BASE | {field: 0})
    result = op.reference(*data(op))
    assert result.shape == op.output_shape()
    assert not result.any()
    assert op.flops() == 0


def test_causal_halves_the_work():
    full, causal = (AttentionOp(1, 1, 100, 100, 8, causal=c).flops() for c in (False, True))
    assert causal * 200 == full * 101


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (ShapeError, {"queries": -1}),
        (ShapeError, {"value_dim": -1}),
        (ShapeError, {"batch": 2**40, "keys": 2**20}),
        (OptionError, {"kv_heads": 3}),
        (OptionError, {"kv_heads": 0}),
        (OptionError, {"left": -1}),
        (OptionError, {"right": 1.5}),
        (OptionError, {"causal": True, "right": 1}),
        (OptionError, {"scale": float("inf")}),
        (OptionError, {"head_dim": 0}),
        (DTypeError, {"dtype": DType.INT8}),
        (DTypeError, {"bias": DType.INT8}),
        (DTypeError, {"bias": DType.FP8_E4M3}),
        (DTypeError, {"bias": DType.FP64}),
        (OptionError, {"bias": DType.FP32, "lengths": True}),
        (DTypeError, {"accumulate": DType.INT32}),
    ],
)
def test_bad_options(error, changes):
    with pytest.raises(error):
        AttentionOp(**BASE | changes)


def test_masks_in_memory():
    torch = pytest.importorskip("torch")
    numbers, booleans = (AttentionOp(**BASE, bias=kind) for kind in (DType.FP32, DType.UINT8))
    assert numbers.input_shapes()[3] == (2, 4, 5, 7) and booleans.input_dtypes()[3] is DType.UINT8
    assert AttentionOp.from_json(booleans.to_json()) == booleans
    q, k, v = data(numbers)
    random = np.random.default_rng(8)
    seen, mask = random.random((2, 4, 5, 7)) < 0.7, random.standard_normal((2, 4, 5, 7))
    seen[..., 0] = True
    attend = torch.nn.functional.scaled_dot_product_attention
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    for op, given in ((numbers, mask), (booleans, seen)):
        exact = attend(*tensors, attn_mask=torch.from_numpy(given)).numpy()
        np.testing.assert_allclose(op.reference(q, k, v, given.astype(float)), exact, rtol=1e-9)


def test_a_row_of_nothing_but_minus_infinity_gives_nothing():
    op = AttentionOp(**BASE, bias=DType.FP32, causal=True)
    mask = np.zeros((2, 4, 5, 7))
    mask[:, 1, 2] = -np.inf
    result = op.reference(*data(op), mask)
    assert not result[:, 1, 2].any() and result[:, 1, 3].any() and np.isfinite(result).all()
