# SPDX-License-Identifier: MIT
"""A 1×1 convolution of channels-last tensors is a matrix product of the same memory: pixels by channels times channels by filters.

So it goes the way of products, with their copy engines, clusters, blocks and plans of several kernels, and nothing is copied for it. Planar
images are products as well, one for each image, on a CPU and where a copy engine reaches their planes. On a CPU channels-last ones of many
pixels stay convolutions where vectors are wide, and are swept by windows: blocks of pixels meet all panels of weights while a cache holds
them.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.pixels import copied_pixels, is_planar, pixel_step, read_by_windows, rows_are_pixels
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrangement import CHUNK
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.runs import span
from tracea_core.target import SEPARATE_WORKERS, CapabilityProfile

_WIDE_LANES, _MANY_PIXELS = 8, 256
"""Lanes of vectors, and pixels of all images, beyond which windows sweep channels-last images. On two cores of Zen 4 (16 lanes), 8 images
each, windows took 0.87 of a product's time for 56×56 pixels of 256 to 128 channels, 0.85 for 64 to 256, 0.89 for 28×28 of 512 to 128, 0.89
for 14×14 of 256 to 1024, 0.94 for 7×7 of 512 to 2048, and 0.97 to 0.98 where channels are many on both sides."""
_FEW_PIXELS, _DEEP_PLANES = 256, 256
"""Pixels of a planar image up to which a product of its own wastes lanes, and channels from which windows repay the copy. They took 0.83
for 7×7 pixels of 2048 to 512 channels or the other way, 0.92 to 0.95 for 14×14 of 1024 to 256, of 1024 to 512 and of 256 to 1024, about
as long for 28×28 and 56×56, and with one image of 28×28 or 56×56, which a single worker copies, 1.3 to 1.4 times as long."""


def as_product(problem: Problem, profile: CapabilityProfile) -> Problem:
    """Return `problem` as a product of matrices if it is such a convolution, else as it is.

    Its tensors keep their order, their addresses and their types: only their shapes and strides are those of matrices.
    """
    op = problem.op
    if isinstance(op, ConvTranspose2dOp):
        return _of_one_pixel(problem, op)
    if isinstance(op, Conv2dFiltersOp):
        return problem if is_cpu(profile) else _of_filters(problem, op)
    if not isinstance(op, Conv2dOp) or not _pointwise(op):
        return problem
    if not rows_are_pixels(problem):
        if _swept(problem, op, profile) or not (is_cpu(profile) or _boxes_reach_planes(problem, profile)):
            return problem
        return _by_image(problem, op)
    x, w = (spec.settled() for spec in problem.inputs[:2])
    if pixel_step(x) is None or _swept(problem, op, profile):
        return problem
    pixels = op.n * op.h * op.w
    product = GemmOp(pixels, op.k, op.c, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    extra = tuple(
        _rows(spec, pixels) if spec.shape == problem.output.shape else spec for spec in problem.epilogue_inputs
    )
    inputs = (_rows(x, pixels), TensorSpec((op.c, op.k), w.dtype, (w.strides[1], w.strides[0])))
    return problem.replace(op=product, inputs=inputs, output=_rows(problem.output, pixels), epilogue_inputs=extra)


def _boxes_reach_planes(problem: Problem, profile: CapabilityProfile) -> bool:
    """Whether a copy engine reads and writes planar images where they lie; otherwise they are copied into rows of channels and back.

    On an H200 64 images of 56×56 pixels, 64 channels to 256 in bf16, take 41 µs so, and 133 with the copies.
    """
    shape = problem.output.shape
    images = [problem.inputs[0], *(spec for spec in (problem.output, *problem.epilogue_inputs) if spec.shape == shape)]
    steps = [step * spec.dtype.bytes for spec in images for step in spec.settled().strides[:2]]
    dtype = problem.inputs[0].dtype
    read = dtype.bytes == 2 or (dtype is DType.FP32 and problem.options.allow_tf32)
    boxes = profile.has("tma") and read and problem.options.alignment >= CHUNK
    return boxes and not any(step % CHUNK for step in steps)


def _swept(problem: Problem, op: Conv2dOp, profile: CapabilityProfile) -> bool:
    """Whether windows are faster than products: their parts are chosen for the caches of each worker, not to be dealt out."""
    wide = is_cpu(profile) and profile.lanes > _WIDE_LANES and not profile.has(SEPARATE_WORKERS)
    many = op.n * op.h * op.w > _MANY_PIXELS and op.k >= profile.lanes and problem.inputs[0].dtype is op.accumulator
    small = (
        op.h * op.w <= _FEW_PIXELS and op.c >= _DEEP_PLANES and op.n >= profile.processors
    )  # workers share copies by images
    return wide and many and (small or not copied_pixels(problem)) and read_by_windows(problem)


def _of_one_pixel(problem: Problem, op: ConvTranspose2dOp) -> Problem:
    """Return the transposed convolution of single pixels as a product: an image of the result is its channels by all that filters hold.

    So generators of images begin: on an H200 64×100×1² to 512 channels by 4×4 took 315 µs in fp16 as a convolution of planes.
    """
    single = (op.h, op.w, op.groups) == (1, 1, 1) and op.padding == op.output_padding == (0, 0)
    shape = problem.output.shape
    images = [problem.output, *(spec for spec in problem.epilogue_inputs if spec.shape == shape)]
    by_channel = any(one.axes in (OperandAxes.ROW, OperandAxes.COLUMN) for one in problem.epilogue.operands)
    if not single or shape[2:] != (op.r, op.s) or by_channel or problem.epilogue.gated:
        return problem
    filters = problem.inputs[1].settled()
    lying = {spec.settled().strides[1:] for spec in (filters, *images)}
    columns = op.k * op.r * op.s
    if len(lying) != 1 or span(TensorSpec(shape[1:], filters.dtype, filters.strides[1:])) != columns:
        return problem
    x = problem.inputs[0].settled()
    product = GemmOp(op.n, columns, op.c, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    rows = TensorSpec((op.n, op.c), x.dtype, x.strides[:2])
    extra = tuple(_flat(spec) if spec.shape == shape else spec for spec in problem.epilogue_inputs)
    return problem.replace(
        op=product, inputs=(rows, _flat(filters)), output=_flat(problem.output), epilogue_inputs=extra
    )


def _flat(spec: TensorSpec) -> TensorSpec:
    """Return what lies together behind the first axis as columns."""
    plain = spec.settled()
    return TensorSpec((spec.shape[0], spec.size // max(spec.shape[0], 1)), spec.dtype, (plain.strides[0], 1))


def _of_filters(problem: Problem, op: Conv2dFiltersOp) -> Problem:
    """Return the gradient of 1×1 filters as the product of images and gradients, pixels along the reduction, filters as columns."""
    plain = (op.r, op.s, op.groups, op.parts) == (1, 1, 1, 1) and op.stride == (1, 1) and op.padding == (0, 0)
    x, g = (spec.settled() for spec in problem.inputs[:2])
    if not plain or None in (pixel_step(x), pixel_step(g)):
        return problem
    pixels = op.n * op.h * op.w
    product = GemmOp(op.c, op.k, pixels, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    rows = _rows(x, pixels)
    inputs = (TensorSpec((op.c, pixels), x.dtype, rows.strides[::-1]), _rows(g, pixels))
    shape = problem.output.shape
    extra = tuple(_by_channel(spec) if spec.shape == shape else spec for spec in problem.epilogue_inputs)
    return problem.replace(op=product, inputs=inputs, output=_by_channel(problem.output), epilogue_inputs=extra)


def _by_channel(spec: TensorSpec) -> TensorSpec:
    """Return 1×1 filters as a matrix, channels by filters."""
    plain = spec.settled()
    return TensorSpec((spec.shape[1], spec.shape[0]), spec.dtype, (plain.strides[1], plain.strides[0]))


def _by_image(problem: Problem, op: Conv2dOp) -> Problem:
    """Return the product of each image's pixels and the filters, where the pixels of every tensor follow one another.

    All matrices are stored column by column, so the schedule computes the transpose: filters by pixels.
    """
    shape = problem.output.shape
    images = [problem.inputs[0], problem.output, *(spec for spec in problem.epilogue_inputs if spec.shape == shape)]
    if not all(is_planar(spec.settled()) for spec in images):
        return problem
    w = problem.inputs[1].settled()
    product = GemmOp(op.h * op.w, op.k, op.c, (op.n,), dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    extra = tuple(_planes(spec) if spec.shape == shape else spec for spec in problem.epilogue_inputs)
    inputs = (_planes(problem.inputs[0]), TensorSpec((op.c, op.k), w.dtype, (w.strides[1], w.strides[0])))
    return problem.replace(op=product, inputs=inputs, output=_planes(problem.output), epilogue_inputs=extra)


def _planes(spec: TensorSpec) -> TensorSpec:
    """Return images as one matrix each, pixels by channels."""
    (images, channels, rows, columns), strides = spec.shape, spec.settled().strides
    return TensorSpec((images, rows * columns, channels), spec.dtype, (strides[0], 1, strides[1]))


def _pointwise(op: Conv2dOp) -> bool:
    whole = not isinstance(op, CroppedConv2dOp)
    return whole and (op.r, op.s, op.groups) == (1, 1, 1) and op.stride == (1, 1) and op.padding == (0, 0)


def _rows(spec: TensorSpec, pixels: int) -> TensorSpec:
    plain = spec.settled()
    step = pixel_step(plain)
    assert step is not None
    return TensorSpec((pixels, spec.shape[1]), spec.dtype, (step, plain.strides[1]))
