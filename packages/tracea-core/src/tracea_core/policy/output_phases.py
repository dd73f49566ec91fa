# SPDX-License-Identifier: MIT
"""A transposed convolution as convolutions: the rows and columns of its output that agree modulo the stride are one of them.

Output row Y gathers w[r] of image row y wherever Y + padding = y·stride + r·dilation. All rows Y = φ + q·stride of one phase φ meet
the same taps, those with r·dilation ≡ φ + padding (mod stride): every (stride / g)-th of them with g = gcd(stride, dilation), and
none if g does not divide φ + padding. From one tap to the next the image row moves by dilation / g, and from one q to the next by one.
So a phase is a convolution of stride 1 by some of the filters' rows, turned round, whose output is every stride-th row of the whole.

Its tensors are views: filters and output are addressed with other strides from another element on, and nothing is copied. Together the
phases multiply exactly what the transposed convolution does. One kernel that gathers through a test on the remainder would take every
tap for every output, stride² times as many products, to save stride² − 1 launches: at stride 2 that is worth it only for an output whose
whole work takes a launch or two, so it is not offered.

Phases that meet no tap are zeros to which the epilogue is applied. Where several of them do (a 1×1 filter at stride 2 has three), the
whole output is written so first, in long runs, and the others then write their elements again: cheaper than launches that write every
other pixel. That takes an epilogue that reads nothing of the output's shape, which could be the output itself.

Where a kernel may begin while the one before ends, the longest phase comes first, and zeros that no epilogue changes are passes over
rows, and over columns, of their own, so that no pixel is written twice and none waits for them (H200, 64 images: 2 to 9 % less for 1×1
filters at stride 2, 1 to 4 for 3×3). Phases on some of the processors each, so that all run at once, took two and a half times as long.

Before: a 2×2 filter at stride 2 onto 8×8 pixels tests four taps at each of 64 pixels. After: four 1×1 convolutions onto 4×4 pixels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tracea_core.data import Data
from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Neighbour, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.budget import is_cpu
from tracea_core.target import CapabilityProfile

_WIDEST = 16
_BARE = 2
"""Phases without taps from which on they are written together."""
_ZEROS = 2
"""Passes of zeros up to which those phases are written by themselves."""


class Phase(Data, frozen=True):
    """One of the convolutions, and where its tensors begin: `shifts` elements from those of the whole, by name."""

    problem: Problem
    shifts: dict[str, int]


class Taps(NamedTuple):
    """One phase along one axis.

    Attributes
    ----------
    phase : int
        The first of its rows.
    size : int
        How many there are.
    taps, last, step : int
        How many taps it meets, the last of them, which comes first, and how far apart they are.
    begin : int
        The image row at which the first window begins; it may lie outside.
    spread : int
        Rows of the image between neighbouring taps.
    """

    phase: int
    size: int
    taps: int
    last: int = 0
    step: int = 1
    begin: int = 0
    spread: int = 1


def taps_of(stride: int, padding: int, dilation: int, taps: int, size: int) -> tuple[Taps, ...]:
    """Return the phases of one axis with `size` outputs.

    >>> [(one.phase, one.taps, one.begin) for one in taps_of(2, 1, 1, 3, 8)]
    [(0, 1, 0), (1, 2, 0)]
    """
    common = math.gcd(stride, dilation)
    step, spread = stride // common, dilation // common
    found = []
    for phase in range(min(stride, size)):
        count = -(-(size - phase) // stride)
        place = phase + padding
        met = [tap for tap in range(min(step, taps)) if (place - tap * dilation) % stride == 0]
        if not met:
            found.append(Taps(phase, count, 0))
            continue
        number = -(-(taps - met[0]) // step)
        begin = (place - met[0] * dilation) // stride - (number - 1) * spread
        found.append(Taps(phase, count, number, met[0] + (number - 1) * step, step, begin, spread))
    return tuple(found)


def phases_on(problem: Problem, profile: CapabilityProfile) -> tuple[Phase, ...]:
    """Return the convolutions of a `ConvTranspose2dOp` problem as a device runs them.

    Raises
    ------
    UnsupportedError
        As `output_phases`.
    """
    return output_phases(problem, turned=not is_cpu(profile), overlapping=profile.has("griddepcontrol"))


def output_phases(problem: Problem, *, turned: bool = False, overlapping: bool = False) -> tuple[Phase, ...]:
    """Return the convolutions whose outputs, in this order, are that of a `ConvTranspose2dOp` problem.

    Parameters
    ----------
    turned : bool
        Filters keep the order in which they lie, and windows are read from their last element on (`CroppedConv2dOp.turned`), as copy
        engines want it, whose strides are not negative; else filters are read from their last tap on.
    overlapping : bool
        Whether a kernel may begin while the one before it on the stream ends.

    Raises
    ------
    UnsupportedError
        If the epilogue is gated, or there are more phases than a plan should have.
    """
    op = problem.op
    assert isinstance(op, ConvTranspose2dOp)
    if problem.epilogue.gated:
        raise UnsupportedError("a gated epilogue pairs columns of a matrix product", op="conv_transpose2d")
    if math.prod(op.stride) > _WIDEST:
        raise UnsupportedError(
            f"stride {op.stride} makes {math.prod(op.stride)} convolutions, more than {_WIDEST}", op="conv_transpose2d"
        )
    down, across = (
        taps_of(op.stride[axis], op.padding[axis], op.dilation[axis], (op.r, op.s)[axis], op.output_size[axis])
        for axis in (0, 1)
    )
    places = [(rows, columns) for rows in down for columns in across]
    bare = [place for place in places if not all(axis.taps for axis in place)]
    separate = not any(spec.shape == problem.output.shape for spec in problem.epilogue_inputs)
    if len(bare) < _BARE or not separate:
        return _beside((), tuple(_phase(problem, rows, columns, turned) for rows, columns in places), overlapping)
    if overlapping and (passes := _zeros(problem, down, across)):
        multiplied = tuple(_phase(problem, *place, turned) for place in places if place not in bare)
        return _beside(passes, multiplied, overlapping)
    height, width = (Taps(0, size, 0) for size in op.output_size)
    zeros = _phase(problem, height, width, turned, step=(1, 1))
    rest = [_phase(problem, *place, turned) for place in places if place not in bare]
    if len(rest) > 1:  # the second could not be sure that the zeros have been written
        return (zeros, *rest)
    return _told(zeros, Neighbour.FIRST), *(_told(one, Neighbour.AFTER) for one in rest)


def _beside(passes: tuple[Phase, ...], phases: tuple[Phase, ...], overlapping: bool) -> tuple[Phase, ...]:
    """The same, told that none of them needs anything of another; where they overlap, those that multiply most first."""
    if len(passes) + len(phases) == 1:
        return (*passes, *phases)
    if overlapping:
        phases = tuple(sorted(phases, key=lambda one: one.problem.flops(), reverse=True))
    first, *others = *passes, *phases
    return _told(first, Neighbour.FIRST), *(_told(one, Neighbour.BESIDE) for one in others)


def _zeros(problem: Problem, down: tuple[Taps, ...], across: tuple[Taps, ...]) -> tuple[Phase, ...]:
    """The phases without taps as products of no elements, whose results are passes of zeros: rows as they lie, then columns of the rest.

    There are none where an epilogue makes something of the zeros, pixels have gaps, or it would take more than a few passes.
    """
    out = problem.output
    images, channels, _, width = out.shape
    by_image, by_channel, by_row, by_column = out.strides
    count = sum(not rows.taps or not columns.taps for rows in down for columns in (across if rows.taps else across[:1]))
    dense = by_channel == 1 and by_column == channels and by_row >= width * channels
    if problem.epilogue != IDENTITY or count > _ZEROS or not dense:
        return ()
    found = []
    for rows in down:
        apart = len(down) * by_row
        if images > 1 and by_image != rows.size * apart:
            return ()
        lines = images * rows.size
        if not rows.taps:
            spec = TensorSpec((lines, width * channels), out.dtype, (apart, 1))
            found.append(_nothing(problem, spec, _begin(out, rows, across[0])))
            continue
        for columns in (one for one in across if not one.taps):
            strides = (len(across) * by_column, apart, 1)
            spec = TensorSpec((columns.size, lines, channels), out.dtype, strides)
            found.append(_nothing(problem, spec, _begin(out, rows, columns)))
    return tuple(found)


def _nothing(problem: Problem, out: TensorSpec, shift: int) -> Phase:
    """A product of no elements into some matrices of the output."""
    op = problem.op
    assert isinstance(op, ConvTranspose2dOp)
    batch, (m, n) = out.shape[:-2], out.shape[-2:]
    product = GemmOp(m, n, 0, batch, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate)
    inputs = tuple(
        TensorSpec.contiguous(shape, dtype)
        for shape, dtype in zip(product.input_shapes(), product.input_dtypes(), strict=True)
    )
    alignment = math.gcd(problem.options.alignment, shift * out.dtype.bytes)
    options = problem.options.replace(alignment=alignment, allow_fallback=False)
    return Phase(Problem(product, inputs, out, options=options), {"input0": 0, "input1": 0, "output": shift})


def _told(phase: Phase, neighbour: Neighbour) -> Phase:
    options = phase.problem.options.replace(neighbour=neighbour)
    return phase.replace(problem=phase.problem.replace(options=options))


def _phase(problem: Problem, rows: Taps, columns: Taps, turned: bool, step: tuple[int, int] | None = None) -> Phase:
    op = problem.op
    assert isinstance(op, ConvTranspose2dOp)
    step = step or op.stride
    x, w = problem.inputs
    size = (rows.size, columns.size)
    empty = not rows.taps or not columns.taps
    filters, first = _filters(op, w, rows, columns, turned)
    if empty:  # nothing is multiplied, and the epilogue is that of zeros
        stated: Conv2dOp = _convolution(op, c=0, h=size[0], w=size[1], k=op.k, r=1, s=1)
        wide = 16  # elements between pixels that have none, which every kernel can address
        image = TensorSpec((op.n, 0, *size), x.dtype, (size[0] * size[1] * wide, 1, size[1] * wide, wide))
        filters, first = TensorSpec((op.k, 0, 1, 1), w.dtype, filters.strides[-4:]), 0
    else:
        stated, image = _stated(op, rows, columns, turned and rows.taps * columns.taps > 1), x
    out = _view(problem.output, rows, columns, step)
    whole = problem.output.shape
    extra = [_view(spec, rows, columns, step) if spec.shape == whole else spec for spec in problem.epilogue_inputs]
    shifts = {"input0": 0, "input1": first, "output": _begin(problem.output, rows, columns)}
    for slot, spec in enumerate(problem.epilogue_inputs):
        shifts[f"epilogue{slot}"] = _begin(spec, rows, columns) if spec.shape == whole else 0
    specs = dict(zip(("input0", "input1", "output"), (x, w, problem.output), strict=True))
    specs |= {f"epilogue{slot}": spec for slot, spec in enumerate(problem.epilogue_inputs)}
    apart = [abs(shift) * specs[name].dtype.bytes for name, shift in shifts.items()]
    options = problem.options.replace(alignment=math.gcd(problem.options.alignment, *apart), allow_fallback=False)
    return Phase(Problem(stated, (image, filters), out, problem.epilogue, tuple(extra), options), shifts)


def _stated(op: ConvTranspose2dOp, rows: Taps, columns: Taps, turned: bool) -> Conv2dOp:
    """The convolution: cropped only where its padding is not the same at both ends, or filters lie turned."""
    pads, origin = [], []
    for axis, extent in ((rows, op.h), (columns, op.w)):
        beyond = axis.begin + axis.size - 1 + (axis.taps - 1) * axis.spread - (extent - 1)
        pads.append(max(0, -axis.begin, beyond))
        origin.append(axis.begin + pads[-1])
    stated: dict[str, Any] = dict(
        c=op.c, h=op.h, w=op.w, k=op.k, r=rows.taps, s=columns.taps,
        padding=(pads[0], pads[1]), dilation=(rows.spread, columns.spread), groups=op.groups,
    )  # fmt: skip
    size = (rows.size, columns.size)
    if op.groups == 1 and origin == [0, 0] and not turned:
        plain = _convolution(op, **stated)
        if plain.output_size == size:
            return plain
    return _convolution(op, CroppedConv2dOp, **stated, size=size, origin=(origin[0], origin[1]), turned=turned)


def _convolution(op: ConvTranspose2dOp, kind: type[Conv2dOp] = Conv2dOp, **stated: Any) -> Conv2dOp:
    return kind(n=op.n, dtype=op.dtype, out_dtype=op.out_dtype, accumulate=op.accumulate, **stated)


def _filters(op: ConvTranspose2dOp, w: TensorSpec, rows: Taps, columns: Taps, turned: bool) -> tuple[TensorSpec, int]:
    """The filters of one phase: input and output channels exchanged, the last tap first unless `turned`; and the element they begin at."""
    by_input, by_output, by_row, by_column = w.strides
    taps = (rows.taps, columns.taps)
    if turned:
        first = (rows.last - (rows.taps - 1) * rows.step) * by_row + (
            columns.last - (columns.taps - 1) * columns.step
        ) * by_column
        along = (rows.step * by_row, columns.step * by_column)
    else:
        first = rows.last * by_row + columns.last * by_column
        along = (-rows.step * by_row, -columns.step * by_column)
    deep, wide = op.c // op.groups, op.k // op.groups
    if op.groups == 1:
        return TensorSpec((wide, deep, *taps), w.dtype, (by_output, by_input, *along)), first
    strides = (deep * by_input, by_output, by_input, *along)
    return TensorSpec((op.groups, wide, deep, *taps), w.dtype, strides), first


def _view(spec: TensorSpec, rows: Taps, columns: Taps, stride: tuple[int, int]) -> TensorSpec:
    """Every stride-th pixel of a tensor of the output's shape."""
    images, channels, down, across = spec.strides
    strides = (images, channels, down * stride[0], across * stride[1])
    return TensorSpec((*spec.shape[:2], rows.size, columns.size), spec.dtype, strides)


def _begin(spec: TensorSpec, rows: Taps, columns: Taps) -> int:
    return rows.phase * spec.strides[2] + columns.phase * spec.strides[3]
