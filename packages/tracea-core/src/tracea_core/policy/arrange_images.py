# SPDX-License-Identifier: MIT
"""Whether a convolution runs in one kernel or in several: images and filters copied into aligned channels-last rows before it.

A copy engine walks over windows whose pixels are rows of channels, aligned to 16 bytes. Images whose channels are odd, or whose channels
are not what runs fastest (NCHW), are copied into such rows first, and results that do not lie so are stored in a workspace and copied
from there. The copies are those of products: an image tensor is the matrix of its pixels by its channels, or one matrix for each image
where pixels do not follow one another at one distance. What is copied is at most `ROOM`, so a convolution that takes more is gathered.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.pixels import matrices_of_pixels, pixels_follow
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrangement import CHUNK, Arrangement, Packing

ROOM = 32 << 20
"""Bytes that the workspaces of a convolution may take together."""


def arranged_images(problem: Problem) -> Iterator[Arrangement]:
    """Yield the ways to run a convolution in several kernels: with what has to be copied, and with an output that need not be."""
    op = problem.op
    assert isinstance(op, Conv2dOp)
    if problem.is_empty or op.groups != 1 or not _epilogue_follows(problem):
        return
    faults = {i: fault for i in (0, 1) if (fault := image_fault(problem, i))}
    step = CHUNK // problem.inputs[0].dtype.bytes
    if faults and op.c % step:  # zeros of one operand meet zeros of the other
        faults = {i: faults.get(i, f"{op.c} channels are no multiple of {step}") for i in (0, 1)}
    packed = tuple(found for i, fault in faults.items() if (found := _packing(problem, i, fault)))
    if len(packed) < len(faults):
        return
    stored = _stored(problem)
    places = (None, stored) if pixels_follow(problem.output.settled()) else (stored,)
    for place in dict.fromkeys(places):
        way = _with(problem, packed, place)
        if way.kernels > 1 and sum(one.bytes for one in packed) + way.stored_bytes <= ROOM:
            yield way


def image_fault(problem: Problem, operand: int) -> str | None:
    """Return why a copy engine does not read images or filters where they lie, or None."""
    spec = problem.inputs[operand].settled()
    if problem.options.aligned(operand) < CHUNK:
        return f"addresses are multiples of {problem.options.aligned(operand)} bytes only"
    if not pixels_follow(spec) if operand else spec.strides[1] != 1:
        return "it is not channels-last"
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    odd = [stride * spec.dtype.bytes for stride in steps if stride * spec.dtype.bytes % CHUNK]
    return f"a stride of {min(odd)} bytes is no multiple of {CHUNK}" if odd else None


def _epilogue_follows(problem: Problem) -> bool:
    """Whether what the epilogue reads for each element lies as results do."""
    whole = (spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape)
    return all(pixels_follow(spec.settled()) for spec in whole)


def _packing(problem: Problem, operand: int, reason: str) -> Packing | None:
    """The copy of images or filters into aligned rows of channels, None if no pass follows them."""
    spec = problem.inputs[operand]
    rows = matrices_of_pixels(spec)
    if rows is None:
        return None
    channels = rows.shape[-1]
    step = CHUNK // spec.dtype.bytes
    depth = -(-channels // step) * step
    return Packing(
        operand=operand,
        copied=TensorSpec(rows.shape, spec.dtype, TensorSpec.contiguous((*rows.shape[:-1], depth), spec.dtype).strides),
        along=-1,
        depth=depth,
        reason=reason,
        transposed=rows.strides[-1] != 1,
    )


def _stored(problem: Problem) -> TensorSpec | None:
    """The output in aligned rows of channels, None if it lies so itself or no pass copies it from there."""
    out = problem.output
    rows = matrices_of_pixels(out)
    step = CHUNK // out.dtype.bytes
    if rows is None or (pixels_follow(out.settled()) and not rows.strides[-2] % step):
        return None
    paired = any(spec.shape and spec.shape != out.shape for spec in problem.epilogue_inputs)
    if problem.options.alignment < CHUNK or (paired and out.shape[1] % 2):
        return None  # what is read for pairs of columns is masked with them
    row = -(-rows.shape[-1] // step) * step
    return TensorSpec(rows.shape, out.dtype, TensorSpec.contiguous((*rows.shape[:-1], row), out.dtype).strides)


def _with(problem: Problem, packed: tuple[Packing, ...], stored: TensorSpec | None) -> Arrangement:
    """The arrangement that copies these operands, zeros in further channels, and stores the output there."""
    specs, op, options = list(problem.inputs), problem.op, problem.options
    for one in packed:
        images, _, *extent = specs[one.operand].shape
        specs[one.operand] = _images((images, one.depth, *extent), one.copied)
        op = op.replace(c=one.depth)
    if packed:
        options = options.replace(placed=tuple(one.operand for one in packed))
    output = problem.output if stored is None else _images(problem.output.shape, stored)
    inner = problem.replace(op=op, inputs=tuple(specs), output=output, options=options)
    return Arrangement(problem=inner, packed=packed, stored=stored)


def _images(shape: tuple[int, ...], matrices: TensorSpec) -> TensorSpec:
    """The tensor of that shape whose pixels are the rows of `matrices`."""
    _, _, rows, columns = shape
    pixel = matrices.strides[-2]
    return TensorSpec(shape, matrices.dtype, (rows * columns * pixel, 1, columns * pixel, pixel))
