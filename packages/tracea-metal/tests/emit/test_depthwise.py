# SPDX-License-Identifier: MIT
"""Channels filtered on their own, in Metal: golden text, and the result in the emulator at the edges of lines and channels."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.cases import dense
from tracea_core.testing.golden import check_golden
from tracea_core.testing.simt import find_compiler
from tracea_core.testing.simt.served import Served
from tracea_metal.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden"
LAST = (0, 2, 3, 1)
VARIANT = "metal.contraction.depthwise"
STRIP = PipelineConfig(tile_m=4, tile_n=64, tile_k=1, stages=1, warps=4, vector_a=2, vector_c=2)


def conv(images: int, height: int, width: int) -> Problem:
    op = Conv2dOp(images, 36, height, width, 36, 3, 3, (1, 2), (1, 1), groups=36, dtype=DType.FP16)
    tensors = [dense(shape, DType.FP16, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def test_golden_text() -> None:
    path = trace(conv(2, 9, 37), preset="m1", configuration=STRIP)
    assert path.choice.variant.name == VARIANT and path.source is not None
    check_golden(GOLDEN / "depthwise_fp16.metal", path.source.text)


@pytest.mark.toolchain
def test_the_emulator_agrees() -> None:
    try:
        find_compiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    served = Served(tracea_register_backend(), "m1", conv(2, 9, 37), STRIP, VARIANT)
    for seed, sizes in enumerate([(1, 3, 39), (2, 4, 35)]):
        assert served.run(conv(*sizes), seed).findings == ()
