# SPDX-License-Identifier: MIT
"""Convolution, forward and transposed, against direct loops and against PyTorch."""

import itertools

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp

GEOMETRY = [
    ((1, 1), (0, 0), (1, 1), 1),
    ((2, 1), (1, 2), (1, 1), 1),
    ((1, 2), (2, 0), (2, 1), 2),
    ((3, 2), (1, 1), (1, 2), 4),
]


def forward(geometry):
    stride, padding, dilation, groups = geometry
    return Conv2dOp(2, 4, 7, 6, 8, 3, 2, stride, padding, dilation, groups)


def transposed(geometry, extra=(0, 0)):
    stride, padding, dilation, groups = geometry
    return ConvTranspose2dOp(2, 4, 5, 6, 8, 3, 2, stride, padding, extra, dilation, groups)


def data(op):
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape) for shape in op.input_shapes()]


@pytest.mark.parametrize("geometry", GEOMETRY)
def test_forward_is_its_definition(geometry):
    op = forward(geometry)
    x, w = data(op)
    (sh, sw), (ph, pw), (dh, dw), groups = geometry
    expected = np.zeros(op.output_shape())
    per_group = op.c // groups
    for n, k, p, q in np.ndindex(*expected.shape):
        first = k // (op.k // groups) * per_group
        for c, r, s in itertools.product(range(per_group), range(op.r), range(op.s)):
            y, z = p * sh + r * dh - ph, q * sw + s * dw - pw
            if 0 <= y < op.h and 0 <= z < op.w:
                expected[n, k, p, q] += x[n, first + c, y, z] * w[k, c, r, s]
    np.testing.assert_allclose(op.reference(x, w), expected, atol=1e-12)
    assert Conv2dOp.from_json(op.to_json()) == op
    assert op.flops() == 2 * expected.size * per_group * op.r * op.s
    assert op.bytes() == 4 * (x.size + w.size + expected.size)


@pytest.mark.parametrize("geometry", GEOMETRY)
@pytest.mark.parametrize("extra", [(0, 0), (1, 0)])
def test_both_directions_agree_with_torch(geometry, extra):
    torch = pytest.importorskip("torch")
    stride, padding, dilation, groups = geometry
    x, w = data(forward(geometry))
    theirs = torch.nn.functional.conv2d(torch.tensor(x), torch.tensor(w), None, stride, padding, dilation, groups)
    np.testing.assert_allclose(forward(geometry).reference(x, w), theirs.numpy(), atol=1e-12)
    if extra[0] >= max(stride[0], dilation[0]):
        with pytest.raises(OptionError, match="output_padding"):
            transposed(geometry, extra)
        return
    op = transposed(geometry, extra)
    x, w = data(op)
    theirs = torch.nn.functional.conv_transpose2d(
        torch.tensor(x), torch.tensor(w), None, stride, padding, extra, groups, dilation
    )
    np.testing.assert_allclose(op.reference(x, w), theirs.numpy(), atol=1e-12)
    assert op.output_shape() == tuple(theirs.shape)
    assert ConvTranspose2dOp.from_json(op.to_json()) == op


@pytest.mark.parametrize("geometry", GEOMETRY)
def test_transposed_is_the_adjoint_of_forward(geometry):
    stride, padding, dilation, groups = geometry
    op = forward(geometry)
    x, w = data(op)
    p, q = op.output_size
    y = np.random.default_rng(4).standard_normal(op.output_shape())
    back = ConvTranspose2dOp(2, 8, p, q, 4, 3, 2, stride, padding, (0, 0), dilation, groups)
    missing = op.h - back.output_size[0], op.w - back.output_size[1]  # rows and columns that a stride steps over
    result = back.replace(output_padding=missing).reference(y, w)
    np.testing.assert_allclose(np.vdot(op.reference(x, w), y), np.vdot(x, result))


@pytest.mark.parametrize("geometry", GEOMETRY)
def test_transposed_reduction_length_is_reached(geometry):
    op = transposed(geometry)
    counts = op.reference(*(np.ones(shape) for shape in op.input_shapes()))
    assert counts.max() <= op.reduction_length()
    if geometry == GEOMETRY[0]:
        assert counts.max() == op.reduction_length() == 4 * 3 * 2
    flops = 2 * op.n * op.c * op.h * op.w * (op.k // op.groups) * op.r * op.s
    assert op.flops() == flops


def test_strided_taps_shorten_the_transposed_sum():
    assert ConvTranspose2dOp(1, 1, 4, 4, 1, 3, 3, (2, 2)).reduction_length() == 4
    assert ConvTranspose2dOp(1, 1, 4, 4, 1, 3, 3, (2, 2), dilation=(2, 2)).reduction_length() == 9


def test_empty_batches_and_channels():
    assert Conv2dOp(0, 3, 8, 8, 4, 3, 3).flops() == 0
    op = Conv2dOp(1, 0, 8, 8, 4, 3, 3)
    np.testing.assert_array_equal(op.reference(np.zeros((1, 0, 8, 8)), np.zeros((4, 0, 3, 3))), np.zeros((1, 4, 6, 6)))


@pytest.mark.parametrize("kind", [Conv2dOp, ConvTranspose2dOp])
@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (ShapeError, {"n": -1}),
        (ShapeError, {"h": 2.0}),
        (ShapeError, {"r": 0}),
        (ShapeError, {"n": 2**40, "h": 2**20}),
        (OptionError, {"stride": (0, 1)}),
        (OptionError, {"stride": 2}),
        (OptionError, {"padding": (-1, 0)}),
        (OptionError, {"padding": (1.0, 0)}),
        (OptionError, {"dilation": (1, 0)}),
        (OptionError, {"dilation": [1, 1]}),
        (OptionError, {"groups": 3}),
        (OptionError, {"groups": 0}),
        (DTypeError, {"dtype": "fp32"}),
        (DTypeError, {"accumulate": DType.INT32}),
    ],
)
def test_bad_options(kind, error, changes):
    good = {"n": 1, "c": 4, "h": 8, "w": 8, "k": 4, "r": 3, "s": 3}
    kind(**good)
    with pytest.raises(error):
        kind(**good | changes)


def test_filters_must_fit():
    Conv2dOp(1, 1, 5, 5, 1, 3, 3, dilation=(2, 2))
    with pytest.raises(ShapeError, match="does not fit a 4x5 image"):
        Conv2dOp(1, 1, 4, 5, 1, 3, 3, dilation=(2, 2))
    with pytest.raises(ShapeError, match="does not fit a 5x4 image"):
        Conv2dOp(1, 1, 5, 4, 1, 3, 3, dilation=(2, 2))
    with pytest.raises(ShapeError, match="leaves no output"):
        ConvTranspose2dOp(1, 1, 1, 1, 1, 2, 2, padding=(1, 1))


@pytest.mark.parametrize("groups", [1, 2])
def test_cropped_is_a_part_of_the_whole(groups):
    whole = Conv2dOp(2, 4, 9, 8, 6, 3, 2, (1, 1), (2, 1), (1, 2), groups)
    x, w = data(whole)
    part = CroppedConv2dOp(
        2, 4, 9, 8, 6, 3, 2, (3, 2), (2, 1), (1, 2), groups, size=(3, 2), origin=(1, 3)
    )  # fmt: skip
    expected = whole.reference(x, w)[:, :, 1 : 1 + 3 * 3 : 3, 3 : 3 + 2 * 2 : 2]
    np.testing.assert_allclose(part.reference(x, w.reshape(part.input_shapes()[1])), expected, atol=1e-12)
    assert len(part.input_shapes()[1]) == (4 if groups == 1 else 5)
    assert part.output_shape() == expected.shape and CroppedConv2dOp.from_json(part.to_json()) == part


def test_cropped_stays_within_the_padded_image():
    stated = dict(n=1, c=1, h=4, w=4, k=1, r=2, s=2, padding=(1, 1))
    assert CroppedConv2dOp(**stated, size=(2, 2), origin=(3, 3)).output_shape() == (1, 1, 2, 2)
    for size, origin in (((3, 2), (3, 3)), ((2, 2), (3, 4))):
        with pytest.raises(ShapeError, match="leave"):
            CroppedConv2dOp(**stated, size=size, origin=origin)
    with pytest.raises(OptionError, match="origin"):
        CroppedConv2dOp(**stated, size=(2, 2), origin=(-1, 0))
