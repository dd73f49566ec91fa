# SPDX-License-Identifier: MIT
"""A convolution of some images, lines or filters at a time, where copies of all would take more memory than a convolution may.

Images whose channels are not what runs fastest are copied before they are walked over, within `tracea_core.policy.arrange_images.ROOM`.
What exceeds it would be gathered element by element. As many images as there is room for are copied, multiplied and copied back instead,
then the next ones in the same workspaces: 64 images of 64 channels, 56×56 pixels each, in NCHW by 3×3 in bf16 go in two parts, which took
an H200 less than a fifth of the time of the gather (85 µs and 475). So do first layers, by lines.

Where a single image has no room, some lines of its result are a convolution of those lines that their windows see, with the image's padding
at its ends alone. Where filters have none, some of them are a convolution to as many channels. Which way, and how many parts, is what
estimates say (`tracea_core.pipeline.parts`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange_images import ROOM, arranged_images, needed_room, stores_planes
from tracea_core.policy.arrangement import CHUNK
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.output_phases import Phase
from tracea_core.target import CapabilityProfile

_MOST_BANDS = 256
"""Of an image at most."""
_FEWEST_FILTERS = 64
"""Of a part at least, and what their number is a multiple of: columns of a tile, and whole runs of results."""
_WAYS, _MORE = 8, 2
"""Further ways that are weighed, and how many times as many parts they may have."""


def image_parts(problem: Problem, profile: CapabilityProfile) -> tuple[Phase, ...]:
    """Return a convolution as several, each of as much as can be copied; none where it need not or cannot be one."""
    return next(ways_to_divide(problem, profile), ())


def ways_to_divide(problem: Problem, profile: CapabilityProfile) -> Iterator[tuple[Phase, ...]]:
    """Yield the ways in which a convolution is several: of neighbouring images, or else of lines of each image; then of some filters.

    Of each kind the fewest come first. Some more may fill a device's last wave of tiles.
    """
    op = problem.op
    by_row = any(operand.axes is OperandAxes.ROW for operand in problem.epilogue.operands)
    if not isinstance(op, Conv2dOp | ConvTranspose2dOp) or isinstance(op, CroppedConv2dOp):
        return
    if is_cpu(profile) or by_row or _fits(problem, profile):
        return
    room = needed_room(problem, planes=stores_planes(problem, profile))
    if not room:
        return
    plain = isinstance(op, Conv2dOp) and op.groups == 1
    found = tuple(_some(_images(problem, profile, room))) or (tuple(_some(_bands(problem, profile))) if plain else ())
    yield from found
    if plain:
        yield from _some(_filters(problem, profile))


def _fits(problem: Problem, profile: CapabilityProfile) -> bool:
    """Whether a convolution runs in several kernels with what room there is."""
    return any(arranged_images(problem, planes=stores_planes(problem, profile)))


def _some(ways: Iterator[tuple[Phase, ...]]) -> Iterator[tuple[Phase, ...]]:
    """The way of the fewest parts, and some of those that have a few more."""
    fewest = next(ways, ())
    if fewest:
        yield fewest
        yield from itertools.takewhile(lambda parts: len(parts) <= _MORE * len(fewest), itertools.islice(ways, _WAYS))


def _images(problem: Problem, profile: CapabilityProfile, room: int) -> Iterator[tuple[Phase, ...]]:
    """Parts of some images each, none if a single one has no room."""
    op = problem.op
    assert isinstance(op, Conv2dOp | ConvTranspose2dOp)
    grain, before = _grain(problem), op.n
    for count in range(max(-(-room // ROOM), 2), op.n + 1):
        images = -(-op.n // (count * grain)) * grain
        if images < before and _fits(_part(problem, 0, images).problem, profile):
            yield tuple(_part(problem, first, min(images, op.n - first)) for first in range(0, op.n, images))
            before = images
        if images == grain:
            break


def _bands(problem: Problem, profile: CapabilityProfile) -> Iterator[tuple[Phase, ...]]:
    """Parts of some lines of one image each, none if a single line has no room, or they would be too many."""
    op = problem.op
    assert isinstance(op, Conv2dOp)
    height = before = op.output_size[0]
    for count in range(2, _MOST_BANDS + 1):
        lines = -(-height // count)
        if lines < before and all(
            _fits(_band(problem, 0, first, lines).problem, profile) for first in _different(height, lines)
        ):
            yield tuple(
                _band(problem, image, first, min(lines, height - first))
                for image in range(op.n)
                for first in range(0, height, lines)
            )
            before = lines


def _filters(problem: Problem, profile: CapabilityProfile) -> Iterator[tuple[Phase, ...]]:
    """Parts of some filters each, for all images."""
    op = problem.op
    assert isinstance(op, Conv2dOp)
    before = op.k
    for count in range(2, -(-op.k // _FEWEST_FILTERS) + 1):
        each = -(-op.k // (count * _FEWEST_FILTERS)) * _FEWEST_FILTERS
        if each < before and _fits(_of_filters(problem, 0, each).problem, profile):
            yield tuple(_of_filters(problem, first, min(each, op.k - first)) for first in range(0, op.k, each))
            before = each


def _different(height: int, lines: int) -> tuple[int, ...]:
    """The first lines of bands that differ: the first one, and one in the middle, whose windows see lines on both sides."""
    return (0, lines) if 2 * lines < height else (0,)


def _grain(problem: Problem) -> int:
    """Images after which every tensor is at a multiple of 16 bytes again, where it is wherever it begins."""
    grain = 1
    for spec in _of_images(problem).values():
        grain = math.lcm(grain, CHUNK // math.gcd(CHUNK, spec.strides[0] * spec.dtype.bytes))
    return grain


def _of_images(problem: Problem) -> dict[str, TensorSpec]:
    """The tensors that have a part for each image, by name."""
    found = {"input0": problem.inputs[0].settled(), "output": problem.output.settled()}
    for slot, (operand, spec) in enumerate(zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)):
        if operand.axes is OperandAxes.FULL:
            found[f"epilogue{slot}"] = spec.settled()
    return found


def _part(problem: Problem, first: int, count: int) -> Phase:
    """The convolution of `count` images from the `first` on."""
    op, whole = problem.op, _of_images(problem)
    assert isinstance(op, Conv2dOp | ConvTranspose2dOp)
    parts = {name: TensorSpec((count, *spec.shape[1:]), spec.dtype, spec.strides) for name, spec in whole.items()}
    extra = tuple(parts.get(f"epilogue{slot}", spec) for slot, spec in enumerate(problem.epilogue_inputs))
    of_part = problem.replace(
        op=op.replace(n=count),
        inputs=(parts["input0"], *problem.inputs[1:]),
        output=parts["output"],
        epilogue_inputs=extra,
    )
    return Phase(of_part, {name: first * spec.strides[0] for name, spec in whole.items()})


def _band(problem: Problem, image: int, first: int, count: int) -> Phase:
    """The convolution of `count` lines of the output from the `first` on, by those lines of the image that their windows see.

    Bands at the image's ends have its padding at one of theirs.
    """
    op, whole = problem.op, _of_images(problem)
    assert isinstance(op, Conv2dOp)
    begin = first * op.stride[0] - op.padding[0]
    end = begin + (count - 1) * op.stride[0] + op.dilation[0] * (op.r - 1) + 1
    inside = max(begin, 0), min(end, op.h)
    stated = {field: getattr(op, field) for field in op.__struct_fields__} | {"n": 1, "h": inside[1] - inside[0]}
    if begin >= 0 and end <= op.h:
        of_band = Conv2dOp(**stated | {"padding": (0, op.padding[1])})
    else:
        size, origin = (count, op.output_size[1]), (begin - inside[0] + op.padding[0], 0)
        of_band = CroppedConv2dOp(**stated, size=size, origin=origin)
    lines = {"input0": (inside[0], of_band.h)}
    parts, shifts = {}, {}
    for name, spec in whole.items():
        start, extent = lines.get(name, (first, count))
        parts[name] = TensorSpec((1, spec.shape[1], extent, spec.shape[3]), spec.dtype, spec.strides)
        shifts[name] = image * spec.strides[0] + start * spec.strides[2]
    apart = [shift * whole[name].dtype.bytes for name, shift in shifts.items()]
    extra = tuple(parts.get(f"epilogue{slot}", spec) for slot, spec in enumerate(problem.epilogue_inputs))
    part = problem.replace(
        op=of_band,
        inputs=(parts["input0"], *problem.inputs[1:]),
        output=parts["output"],
        epilogue_inputs=extra,
        options=problem.options.replace(alignment=math.gcd(problem.options.alignment, *apart)),
    )
    return Phase(part, shifts)


def _of_filters(problem: Problem, first: int, count: int) -> Phase:
    """The convolution by `count` filters from the `first` on, whose channels of the output are neighbours."""
    op, whole, w = problem.op, _of_images(problem), problem.inputs[1].settled()
    assert isinstance(op, Conv2dOp)
    shifts = {name: 0 if name == "input0" else first * spec.strides[1] for name, spec in whole.items()}
    shifts["input1"] = first * w.strides[0]
    extra = []
    for slot, (operand, spec) in enumerate(zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)):
        of_channel = operand.axes is not OperandAxes.SCALAR and operand.axes is not OperandAxes.FULL and spec.size > 1
        shape = spec.shape
        if operand.axes is OperandAxes.FULL:
            shape = (shape[0], count, *shape[2:])
        elif of_channel:
            shape = (count,)
            shifts[f"epilogue{slot}"] = first * spec.settled().strides[-1]
        extra.append(TensorSpec(shape, spec.dtype, spec.settled().strides))
    specs = whole | {"input1": w} | {f"epilogue{slot}": spec for slot, spec in enumerate(extra)}
    apart = [shift * specs[name].dtype.bytes for name, shift in shifts.items()]
    part = problem.replace(
        op=op.replace(k=count),
        inputs=(problem.inputs[0], TensorSpec((count, *w.shape[1:]), w.dtype, w.strides)),
        output=TensorSpec((op.n, count, *problem.output.shape[2:]), problem.output.dtype, whole["output"].strides),
        epilogue_inputs=tuple(extra),
        options=problem.options.replace(alignment=math.gcd(problem.options.alignment, *apart)),
    )
    return Phase(part, shifts)
