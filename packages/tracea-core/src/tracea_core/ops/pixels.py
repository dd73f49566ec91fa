# SPDX-License-Identifier: MIT
"""When the pixels of images are the rows of one matrix: how tensors lie, asked by whoever chooses, lowers or requires it."""

from __future__ import annotations

from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

_CHUNK = 16
"""Bytes that a copy engine stores together."""
_FEWEST_CHANNELS = 16
"""Channels of a run for which it pays to sweep it where it lies."""
MOST_TESTED_CHANNELS = 2048
"""Channels of images with padding up to which windows are tested where they lie: there are as many zeros, to be met instead of padding."""


def rows_are_pixels(problem: Problem, walked: bool = False) -> bool:
    """Whether the output pixels of all images can be the rows of one matrix: a convolution of channels-last tensors.

    The pixels of the output, and of operands of its shape, then follow one another at one distance, across rows and images. For a copy
    engine that has `walked` to them, those of the output may lie at any distances (`pixels_are_decoded`) or in planes
    (`stored_in_planes`).
    """
    if walked and (pixels_are_decoded(problem) or stored_in_planes(problem)):
        return True
    if not isinstance(problem.op, Conv2dOp):
        return False
    image = problem.inputs[0].settled()
    stored = [problem.output, *(spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape)]
    return image.strides[1] == 1 and all(pixel_step(spec.settled()) is not None for spec in stored)


def read_by_windows(problem: Problem) -> bool:
    """Whether a processor can sweep the windows of a convolution of one group, runs of channels one after the other.

    Images with padding around them are copied for it, with their channels together, and so are single pixels of planar ones
    (`copied_pixels`); others have their channels together already, enough of them for a run, in the type of the sums.
    """
    op, image = problem.op, problem.inputs[0].settled()
    if not isinstance(op, Conv2dOp) or op.groups != 1:
        return False
    if op.padding != (0, 0):
        return op.r * op.s > 1
    if copied_pixels(problem):
        return True
    return image.strides[1] == 1 and op.c >= _FEWEST_CHANNELS and image.dtype is op.accumulator


def tested_in_place(problem: Problem) -> bool:
    """Whether windows of images with padding can be swept where they lie, and pass over pixels: each then reads what no other has read.

    Channels lie next to each other, enough of them for a run, in the type of the sums.
    """
    op, image = problem.op, problem.inputs[0].settled()
    if not read_by_windows(problem) or not isinstance(op, Conv2dOp) or op.padding == (0, 0) or op.stride[1] == 1:
        return False
    return image.strides[1] == 1 and _FEWEST_CHANNELS <= op.c <= MOST_TESTED_CHANNELS and image.dtype is op.accumulator


def copied_pixels(problem: Problem) -> bool:
    """Whether windows are single pixels of whole images whose channels lie apart: those that are used can be copied, channels together."""
    op = problem.op
    if not isinstance(op, Conv2dOp) or isinstance(op, CroppedConv2dOp):
        return False
    return (op.r, op.s, op.groups, op.padding) == (1, 1, 1, (0, 0)) and problem.inputs[0].settled().strides[1] != 1


def pixels_are_decoded(problem: Problem) -> bool:
    """Whether rows can be output pixels at any distances, channels contiguous, of a convolution of one group: those of a phase."""
    op = problem.op
    if not isinstance(op, Conv2dOp) or op.groups != 1:
        return False
    image, out = problem.inputs[0].settled(), problem.output.settled()
    whole = [spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape]
    return (
        image.strides[1] == out.strides[1] == 1
        and min(out.strides) > 0
        and all(pixel_step(s.settled()) is not None for s in whole)
    )


def stored_in_planes(problem: Problem) -> bool:
    """Whether a convolution of one group reads channels-last images and writes a plane of words of 32 bits for each channel (NCHW).

    Eight lanes that hold a column of results store a whole sector then; of 16 bits it would be half of one.
    """
    return may_be_planes(problem) and problem.inputs[0].settled().strides[1] == 1


def may_be_planes(problem: Problem) -> bool:
    """Whether results of a convolution of one group, and what its epilogue reads for each of them, are planes of words of 32 bits."""
    op = problem.op
    if not isinstance(op, Conv2dOp) or op.groups != 1 or op.k == 1 or problem.output.dtype.bytes != 4:
        return False
    whole = [spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape]
    stored = [spec.settled() for spec in (problem.output, *whole)]
    apart = all(spec.strides[1] >= spec.shape[2] * spec.shape[3] for spec in stored)
    return apart and all(map(is_planar, stored))


def is_planar(spec: TensorSpec) -> bool:
    """Whether the pixels of each channel of an image tensor follow one another, across rows."""
    return spec.strides[3] == 1 and spec.strides[2] == spec.shape[3]


def pixel_step(spec: TensorSpec) -> int | None:
    """Return the distance at which the pixels of an image tensor follow one another, across rows and images; None if there is none.

    In elements; channels are contiguous. Of rows, columns and images that there is only one of, strides address nothing: images of one
    column are rows at the distance of rows, and those of one pixel are as far apart as they lie.

    >>> from tracea_core.dtypes import DType
    >>> pixel_step(TensorSpec((8, 64, 5, 5), DType.FP32, (1600, 1, 320, 64)))
    64
    >>> pixel_step(TensorSpec((8, 64, 5, 1), DType.FP32, (320, 1, 64, 1)))
    64
    >>> pixel_step(TensorSpec((8, 64, 1, 1), DType.FP32, (64, 1, 1, 1)))
    64
    """
    (images, _, rows, columns), (by_image, by_channel, by_row, by_column) = spec.shape, spec.strides
    step = by_column if columns > 1 else by_row if rows > 1 else by_image
    lines = 1 in (rows, columns) or by_row == columns * step
    apart = 1 in (images, rows * columns) or by_image == rows * columns * step
    return step if by_channel == 1 and lines and apart else None


def ragged_channels(problem: Problem) -> bool:
    """Whether pixels of a convolution's 16-bit result begin at multiples of 16 bytes, and its channels end within 16.

    So lie some channels of a wider tensor (67 in pixels of 72). A copy engine stores the whole chunks, and lanes what is left of a pixel.
    """
    op, out = problem.op, problem.output.settled()
    whole = _CHUNK // out.dtype.bytes
    if not isinstance(op, Conv2dOp) or op.groups != 1 or out.dtype.bytes != 2 or problem.options.alignment < _CHUNK:
        return False
    step = pixel_step(out)
    return step is not None and step % whole == 0 and op.k % whole != 0 and op.k > whole


def filters_are_rows(spec: TensorSpec) -> bool:
    """Whether each filter is one run of memory, channels fastest, then columns, then rows."""
    _, channels, _, columns = spec.shape
    steps = spec.settled().strides[1:]
    wanted = (1, columns * channels, channels)
    return all(extent == 1 or step == want for extent, step, want in zip(spec.shape[1:], steps, wanted, strict=True))


def filters_are_columns(spec: TensorSpec) -> bool:
    """Whether neighbouring filters lie side by side and rows of elements are some elements apart, as where channels have changed places."""
    _, _, rows, columns = spec.shape
    by_filter, by_channel, by_row, by_column = spec.settled().strides
    positive = min(by_channel, by_row, by_column) > 0
    return by_filter == 1 and positive and (1 in (rows, columns) or by_row % by_column == 0)


def filters_are_walked(problem: Problem) -> bool:
    """Whether a gradient of filters sums over the pixels of channels-last tensors, its own filters channels-last as well."""
    op = problem.op
    if not isinstance(op, Conv2dFiltersOp) or op.groups != 1:
        return False
    x, g, out = (spec.settled() for spec in (*problem.inputs[:2], problem.output))
    filters = TensorSpec(out.shape[-4:], out.dtype, out.strides[-4:])
    whole = [spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape]
    rows = all(filters_are_rows(TensorSpec(spec.shape[-4:], spec.dtype, spec.settled().strides[-4:])) for spec in whole)
    return x.strides[1] == 1 and pixel_step(g) is not None and filters_are_rows(filters) and rows


def matrices_of_pixels(spec: TensorSpec) -> TensorSpec | None:
    """Return an image tensor as the matrix of its pixels by its channels, or as one for each image; None if it is neither.

    Of filters, pixels are their elements and images the filters.
    """
    plain = spec.settled()
    (images, channels, rows, columns), (by_image, by_channel, by_row, by_column) = plain.shape, plain.strides
    if rows > 1 and columns > 1 and by_row != columns * by_column:
        return None
    step = by_column if columns > 1 else by_row
    if rows * columns == 1:
        step = by_image
    if images == 1 or rows * columns == 1 or by_image == rows * columns * step:
        return TensorSpec((images * rows * columns, channels), spec.dtype, (step, by_channel))
    return TensorSpec((images, rows * columns, channels), spec.dtype, (by_image, step, by_channel))
