# SPDX-License-Identifier: MIT
"""A convolution of some images at a time, where copies of all of them would take more memory than a convolution may.

Images whose channels are not what runs fastest are copied before they are walked over, within `tracea_core.policy.arrange_images.ROOM`.
What exceeds it would be gathered element by element. As many images as there is room for are copied, multiplied and copied back instead,
then the next ones in the same workspaces: 64 images of 64 channels, 56×56 pixels each, in NCHW by 3×3 in bf16 go in two parts, which took
an H200 less than a fifth of the time of the gather (85 µs and 475). So do first layers, by lines.
"""

from __future__ import annotations

import math

from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange_images import ROOM, arranged_images, needed_room
from tracea_core.policy.arrangement import CHUNK
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.output_phases import Phase
from tracea_core.target import CapabilityProfile


def image_parts(problem: Problem, profile: CapabilityProfile) -> tuple[Phase, ...]:
    """Return a convolution as several, each of as many neighbouring images as can be copied; none where it need not or cannot be one."""
    op = problem.op
    by_row = any(operand.axes is OperandAxes.ROW for operand in problem.epilogue.operands)
    if not isinstance(op, Conv2dOp | ConvTranspose2dOp) or isinstance(op, CroppedConv2dOp):
        return ()
    if op.n < 2 or is_cpu(profile) or by_row:
        return ()
    if any(arranged_images(problem)):
        return ()
    room = needed_room(problem)
    if not room:
        return ()
    grain = _grain(problem)
    for count in range(max(-(-room // ROOM), 2), op.n + 1):
        images = -(-op.n // (count * grain)) * grain
        if images < op.n and any(arranged_images(_part(problem, 0, images).problem)):
            return tuple(_part(problem, first, min(images, op.n - first)) for first in range(0, op.n, images))
        if images == grain:
            break
    return ()


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
