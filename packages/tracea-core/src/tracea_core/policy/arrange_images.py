# SPDX-License-Identifier: MIT
"""Whether a convolution runs in one kernel or in several: images and filters copied into aligned channels-last rows before it.

A copy engine walks over windows whose pixels are rows of channels, aligned to 16 bytes. Images whose channels are odd, or whose channels
are not what runs fastest (NCHW), are copied into such rows first, and results that do not lie so are stored in a workspace and copied
from there. The copies are those of products: an image tensor is the matrix of its pixels by its channels, or one matrix for each image
where pixels do not follow one another at one distance.

A few channels (the three of a first layer) would fill little of such a row, and an odd number of them ends within a step of the
reduction. All that a line of a window holds lies together in memory, though: seven pixels of three channels are a run of 28 elements in
pixels of four, three pixels of 67 channels one of 211 in pixels of 72. So lines are copied with zeros around them, and the convolution
becomes one whose filters are one column wide, of as many channels as a line of a window has elements; its pixels overlap. What a copy
engine takes for a pixel's row of a window hardly depends on its bytes (whole kernels: 2.7 ns of an H200's processor for 32, 2.5 for 64), so
where windows go down by several lines of few channels those share a row: one of 7×7 at stride 2 has four rows of 128 bytes, not seven of
64.

Windows that do not overlap (the patches of a vision transformer) are copied as they are, none of their elements twice: the convolution
becomes one of single pixels, of as many channels as a window has elements, in the order in which filters lie.

What is copied is at most `ROOM`; a convolution that takes more is several of fewer images (`tracea_core.policy.image_parts`), or gathered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.pixels import matrices_of_pixels, may_be_planes, pixel_step
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrangement import CHUNK, Arrangement, Packing
from tracea_core.target import CapabilityProfile

ROOM = 32 << 20
"""Bytes that the workspaces of a convolution may take together."""
_SWEPT = (16, 128)
"""Rows and columns of a tile of a pass whose elements have to be found (`tracea_core.semantic.build.sweep`)."""
_INSTRUCTION_BYTES = 32
"""Of each row that one matrix instruction multiplies."""


class Copied(NamedTuple):
    """A convolution that reads copies: its op, its inputs, and what is copied."""

    op: Conv2dOp | ConvTranspose2dOp
    inputs: tuple[TensorSpec, ...]
    packed: tuple[Packing, ...] = ()


def arranged_images(problem: Problem, *, planes: bool = False) -> Iterator[Arrangement]:
    """Yield the ways to run a convolution in several kernels: with what has to be copied, and with an output that need not be.

    Parameters
    ----------
    planes : bool
        Whether a kernel that reads pixels may store planes (`stores_planes`).
    """
    return (way for way in _ways(problem, planes) if room_of(way) <= ROOM)


def needed_room(problem: Problem, *, planes: bool = False) -> int:
    """Return the least bytes of workspaces with which a convolution runs in several kernels, 0 if it does with none."""
    return min(map(room_of, _ways(problem, planes)), default=0)


def stores_planes(problem: Problem, profile: CapabilityProfile) -> bool:
    """Whether a device stores planes of results well from tiles of pixels: warpgroup instructions do, and fp32 wants tf32 for those."""
    single = problem.op.input_dtypes()[0] is DType.FP32
    return profile.has("wgmma") and may_be_planes(problem) and (problem.options.allow_tf32 or not single)


def room_of(way: Arrangement) -> int:
    """Return the bytes that the workspaces of an arrangement take."""
    return sum(one.bytes for one in way.packed) + way.stored_bytes


def _ways(problem: Problem, planes: bool) -> Iterator[Arrangement]:
    """The same, however much memory they take."""
    op = problem.op
    if isinstance(op, ConvTranspose2dOp):
        yield from filter(None, (channels_last(problem),))
        return
    assert isinstance(op, Conv2dOp)
    if _phase_of_others(op) or problem.is_empty or not op.c:
        return
    if op.groups != 1:
        yield from filter(None, (channels_last(problem),))
        return
    places = _places(problem, planes)
    for copied in filter(None, (_pixels(problem, op), _lines(problem, op), _windows(problem, op))):
        for place in dict.fromkeys(places):
            way = _with(problem, copied, place)
            if way.kernels > 1:
                yield way


def _places(problem: Problem, planes: bool) -> tuple[TensorSpec | None, ...]:
    """Where results may be stored: where they belong (None), as pixels or as `planes`, and in rows of channels."""
    if not _epilogue_follows(problem):
        return (None,) if planes else ()
    direct = planes or pixel_step(problem.output.settled()) is not None
    return (None, _stored(problem)) if direct else (_stored(problem),)


def _phase_of_others(op: Conv2dOp) -> bool:
    """Whether it is a phase of a transposed convolution, whose images are copied for all of them at once, if they are."""
    return isinstance(op, CroppedConv2dOp) and (op.turned or op.r * op.s == 1 or op.groups != 1)


def image_fault(problem: Problem, operand: int) -> str | None:
    """Return why a copy engine does not read images or filters where they lie, or None."""
    spec = problem.inputs[operand].settled()
    if problem.options.aligned(operand) < CHUNK:
        return f"addresses are multiples of {problem.options.aligned(operand)} bytes only"
    if pixel_step(spec) is None if operand else spec.strides[1] != 1:
        return "it is not channels-last"
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    odd = [stride * spec.dtype.bytes for stride in steps if stride * spec.dtype.bytes % CHUNK]
    return f"a stride of {min(odd)} bytes is no multiple of {CHUNK}" if odd else None


def _epilogue_follows(problem: Problem) -> bool:
    """Whether what the epilogue reads for each element lies as results do."""
    whole = (spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape)
    return all(pixel_step(spec.settled()) is not None for spec in whole)


def _with(problem: Problem, copied: Copied, stored: TensorSpec | None) -> Arrangement:
    """The arrangement that reads these copies and stores the output there."""
    options, output = problem.options, problem.output
    if copied.packed:
        options = options.replace(placed=tuple(one.operand for one in copied.packed))
    if stored is not None:
        output = _images(output.shape, stored)
    inner = problem.replace(op=copied.op, inputs=copied.inputs, output=output, options=options)
    return Arrangement(problem=inner, packed=copied.packed, stored=stored)


# ---- pixels as rows of channels


def _pixels(problem: Problem, op: Conv2dOp) -> Copied | None:
    """Images and filters with whole rows of channels, copied where they have to be; None if no pass follows them."""
    faults = {i: fault for i in (0, 1) if (fault := image_fault(problem, i))}
    step = CHUNK // problem.inputs[0].dtype.bytes
    if faults and op.c % step:  # zeros of one operand meet zeros of the other
        faults = {i: faults.get(i, f"{op.c} channels are no multiple of {step}") for i in (0, 1)}
    packed = tuple(found for i, fault in faults.items() if (found := _rows(problem, i, fault)))
    if len(packed) < len(faults):
        return None
    specs = list(problem.inputs)
    for one in packed:
        images, _, *extent = specs[one.operand].shape
        specs[one.operand] = _images((images, one.depth, *extent), one.copied)
        op = op.replace(c=one.depth)
    return Copied(op, tuple(specs), packed)


def _rows(problem: Problem, operand: int, reason: str) -> Packing | None:
    """The copy of images or filters into aligned rows of channels, None if no pass follows them."""
    spec = problem.inputs[operand]
    rows = matrices_of_pixels(spec)
    if rows is None:
        return None
    step = CHUNK // spec.dtype.bytes
    depth = -(-rows.shape[-1] // step) * step
    copied = TensorSpec(rows.shape, spec.dtype, TensorSpec.contiguous((*rows.shape[:-1], depth), spec.dtype).strides)
    across = rows.strides[-1] != 1
    return Packing(operand=operand, copied=copied, along=-1, depth=depth, reason=reason, transposed=across)


def _stored(problem: Problem) -> TensorSpec | None:
    """The output in aligned rows of channels, None if it lies so itself or no pass copies it from there."""
    out = problem.output
    rows = matrices_of_pixels(out)
    step = CHUNK // out.dtype.bytes
    if rows is None or 1 not in rows.strides[-2:]:
        return None  # neither channels nor pixels lie together, as in every second line of an image of one column
    if pixel_step(out.settled()) is not None and not rows.strides[-2] % step:
        return None
    paired = any(spec.shape and spec.shape != out.shape for spec in problem.epilogue_inputs)
    if problem.options.alignment < CHUNK or (paired and out.shape[1] % 2):
        return None  # what is read for pairs of columns is masked with them
    row = -(-rows.shape[-1] // step) * step
    return TensorSpec(rows.shape, out.dtype, TensorSpec.contiguous((*rows.shape[:-1], row), out.dtype).strides)


def _images(shape: tuple[int, ...], matrices: TensorSpec) -> TensorSpec:
    """The tensor of that shape whose pixels are the rows of `matrices`."""
    _, _, rows, columns = shape
    pixel = matrices.strides[-2]
    return TensorSpec(shape, matrices.dtype, (rows * columns * pixel, 1, columns * pixel, pixel))


# ---- channels of groups


def images_of_groups(problem: Problem) -> Arrangement | None:
    """Return a convolution of groups that reads and writes channels-last pixels, filters as they are; None if no pass follows tensors.

    It may be one kernel: of tensors that lie so already.
    """
    op = problem.op
    assert isinstance(op, Conv2dOp | ConvTranspose2dOp)
    if isinstance(op, CroppedConv2dOp) or problem.is_empty or not _epilogue_follows(problem):
        return None
    stored = _stored(problem)
    if stored is None and pixel_step(problem.output.settled()) is None:
        return None
    fault = image_fault(problem, 0)
    if fault is None:
        return _with(problem, Copied(op, problem.inputs), stored)
    images = None if op.c * op.dtype.bytes % CHUNK else _rows(problem, 0, fault)
    if images is None:
        return None
    given = problem.inputs[0]
    return _with(problem, Copied(op, (_images(given.shape, images.copied), *problem.inputs[1:]), (images,)), stored)


def channels_last(problem: Problem) -> Arrangement | None:
    """Return a convolution of groups, or a transposed one, all of whose tensors are channels-last; None if they are, or no pass follows."""
    op, w = problem.op, problem.inputs[1].settled()
    assert isinstance(op, Conv2dOp | ConvTranspose2dOp)
    found = images_of_groups(problem)
    if found is None:
        return None
    if w.shape[1] > 1 and pixel_step(w) is None:
        rows = matrices_of_pixels(w)
        if rows is None:
            return None
        copied = TensorSpec.contiguous(rows.shape, w.dtype)
        packing = Packing(
            operand=1, copied=copied, along=-1, depth=rows.shape[-1], reason="it is not channels-last", transposed=rows.strides[-1] != 1
        )  # fmt: skip
        found = with_filters(found, op, packing, _images(w.shape, copied))
    return found if found.kernels > 1 else None


def with_filters(
    way: Arrangement, op: Conv2dOp | ConvTranspose2dOp, packing: Packing, filters: TensorSpec
) -> Arrangement:
    """Return an arrangement that copies filters, too, for the op that reads the copy."""
    inner = way.problem
    options = inner.options.replace(placed=(*(one.operand for one in way.packed), 1))
    stated = inner.replace(op=op, inputs=(inner.inputs[0], filters, *inner.inputs[2:]), options=options)
    return way.replace(problem=stated, packed=(*way.packed, packing))


# ---- lines of windows as rows of channels


def _lines(problem: Problem, op: Conv2dOp) -> Copied | None:
    """Images of few or odd channels as lines with zeros around them, and filters to match; None if they have others, or do not lie so."""
    x, w = (spec.settled() for spec in problem.inputs[:2])
    size = x.dtype.bytes
    chunk = CHUNK // size
    if op.c % chunk == 0 or op.dilation[1] != 1 or not (_lines_follow(x) and _lines_follow(w)):
        return None
    if op.c > chunk and op.s == 1:
        return None  # lines of windows are rows of channels
    together = op.stride[0] if op.c < chunk and op.r > 1 and op.dilation[0] == 1 else 1
    origin = op.origin if isinstance(op, CroppedConv2dOp) else (0, 0)
    above = op.padding[0] - origin[0] if together > 1 else 0
    if above < 0 or origin[1]:
        return None
    pixel = 1 << (op.c - 1).bit_length() if op.c < chunk else -(-op.c // chunk) * chunk
    while op.stride[1] * together * pixel * size % CHUNK:  # windows begin at multiples of 16 bytes
        pixel *= 2
    step = _INSTRUCTION_BYTES // size if op.c < chunk else chunk  # of many channels, no other pixel's are read
    column = together * pixel
    depth = -(-op.s * column // step) * step
    height, width = op.output_size
    tall = -(-op.r // together)
    rows = height + tall - 1 if together > 1 else op.h  # those above and below images are copied with them, or not read
    line = -(-((width - 1) * op.stride[1] * column + depth) // chunk) * chunk
    reason = f"{op.c} channels fill rows worse than lines of windows do"
    images = Packing(
        operand=0, copied=TensorSpec.contiguous((op.n * rows, line), x.dtype), along=-1, depth=line, reason=reason, pixel=pixel,
        lead=op.padding[1], together=together, above=above,
    )  # fmt: skip
    filters = Packing(
        operand=1, copied=TensorSpec.contiguous((op.k * tall, depth), w.dtype), along=-1, depth=depth, reason=reason, pixel=pixel,
        together=together,
    )  # fmt: skip
    down = (1, 0) if together > 1 else (op.stride[0], op.padding[0])
    begin = {"origin": (0, 0)} if isinstance(op, CroppedConv2dOp) and together > 1 else {}
    walked = op.replace(
        c=depth,
        h=rows,
        w=width,
        r=tall,
        s=1,
        stride=(down[0], 1),
        padding=(down[1], 0),
        dilation=(op.dilation[0], 1),
        **begin,
    )
    inputs = (
        TensorSpec((op.n, depth, rows, width), x.dtype, (rows * line, 1, line, op.stride[1] * column)),
        TensorSpec((op.k, depth, tall, 1), w.dtype, (tall * depth, 1, depth, depth)),
        *problem.inputs[2:],
    )
    return Copied(walked, inputs, (images, filters))


def _lines_follow(spec: TensorSpec) -> bool:
    """Whether a pass reads lines: planes, or contiguous channels whose lines, across images, follow one another at one distance."""
    (images, channels, rows, _), (by_image, by_channel, by_row, _) = spec.shape, spec.strides
    planes = channels > 1 and by_channel != 1
    return planes or images == 1 or by_image == rows * by_row


# ---- windows as pixels


def _windows(problem: Problem, op: Conv2dOp) -> Copied | None:
    """Images of few channels as windows that do not overlap, and filters to match; None if they do, or hold what is in no window."""
    x, w = (spec.settled() for spec in problem.inputs[:2])
    window = (op.r, op.s)
    chunk = CHUNK // x.dtype.bytes
    apart = op.stride == window and op.padding == (0, 0) and op.dilation == (1, 1) and type(op) is Conv2dOp
    if not apart or op.h % op.r or op.w % op.s or op.c >= chunk or op.r * op.s == 1:
        return None
    elements = op.c * op.r * op.s
    depth = -(-elements // chunk) * chunk
    planes = TensorSpec.contiguous(w.shape, w.dtype).strides
    last = (elements, 1, op.s * op.c, op.c)
    lying = {last: True, planes: False}.get(w.strides)
    rows, columns = op.output_size
    reason = f"{op.c} channels fill rows worse than windows do"
    channels_last = x.strides[1] == 1 if lying is None else lying
    shape = min((rows, columns * depth), (rows * columns, depth), key=_swept)
    copied = TensorSpec.contiguous((op.n * shape[0], shape[1]), x.dtype)
    images = Packing(
        operand=0, copied=copied, along=-1, depth=shape[1], reason=reason, window=window, channels_last=channels_last
    )  # fmt: skip
    filters = Packing(
        operand=1, copied=TensorSpec.contiguous((op.k, depth), w.dtype), along=-1, depth=depth, reason=reason, window=window,
        channels_last=channels_last,
    )  # fmt: skip
    in_place = lying is not None and elements == depth and problem.options.aligned(1) >= CHUNK
    walked = op.replace(c=depth, h=rows, w=columns, r=1, s=1, stride=(1, 1))
    inputs = (
        TensorSpec((op.n, depth, rows, columns), x.dtype, (rows * columns * depth, 1, columns * depth, depth)),
        TensorSpec((op.k, depth, 1, 1), w.dtype, (depth, 1, depth, depth)),
        *problem.inputs[2:],
    )
    return Copied(walked, inputs, (images,) if in_place else (images, filters))


def _swept(shape: tuple[int, int]) -> int:
    """The elements of a matrix, and those of tiles that a pass takes of it beyond its edges."""
    return math.prod(-(-extent // tile) * tile for extent, tile in zip(shape, _SWEPT, strict=True))
