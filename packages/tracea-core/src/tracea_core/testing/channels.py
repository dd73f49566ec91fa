# SPDX-License-Identifier: MIT
"""Channels filtered on their own, as backends' tests look at them: one problem at the edges of lines and channels, and its emulation."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.cases import dense
from tracea_core.testing.errors import demand
from tracea_core.testing.simt.served import Served

CHANNELS = 36
"""No multiple of what a warp holds, so that lanes beyond the last channel are seen to."""
_LAST = (0, 2, 3, 1)


def channels_problem(images: int, height: int, width: int) -> Problem:
    """Return 3×3 filters of 36 fp16 channels, every second column, a border of zeros, channels last."""
    sizes = (images, CHANNELS, height, width, CHANNELS, 3, 3)
    op = Conv2dOp(*sizes, (1, 2), (1, 1), groups=CHANNELS, dtype=DType.FP16)
    tensors = [dense(shape, DType.FP16, _LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def check_channels(manifest: BackendManifest, device: str, configuration: PipelineConfig) -> None:
    """The kernel of a published device computes images of other sizes, and the emulator finds nothing.

    Raises
    ------
    ConformanceError
        If a value is wrong, or the emulator finds a fault.
    BackendUnavailableError
        If there is no compiler for the emulator.
    """
    variant = f"{manifest.name}.contraction.depthwise"
    served = Served(manifest, device, channels_problem(2, 9, 37), configuration, variant)
    for seed, sizes in enumerate([(1, 3, 39), (2, 4, 35)]):
        demand(not served.run(channels_problem(*sizes), seed).findings, "the emulator finds nothing", sizes=sizes)
