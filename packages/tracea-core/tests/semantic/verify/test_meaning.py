# SPDX-License-Identifier: MIT
"""The sizes and strides that kernels are evaluated at: outputs without overlaps, in memory not much larger than they are."""

from __future__ import annotations

import numpy as np
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.meaning import Instance, samples


def test_free_strides_of_many_batch_axes_keep_elements_apart_and_memory_small() -> None:
    op = GemmOp(5, 7, 3, batch=(2, 3, 2))
    inputs = (TensorSpec.contiguous((2, 3, 2, 5, 3), DType.FP32), TensorSpec.contiguous((2, 3, 2, 3, 7), DType.FP32))
    out = TensorSpec((2, 3, 2, 5, 7), DType.FP32, (7, 140, 14, 420, 1))  # rows outermost: no two axes merge into one
    lowered = lower(Problem(op, inputs, out))
    tile = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
    kernel = panel_kernel(lowered.contraction, tile, preset("avx2"), "cpu.test", "kernel")
    strides = [symbol.name for symbol in lowered.contraction.symbols if symbol.name.startswith("out_")]
    assert len(strides) == 4
    sizes = []
    for values, _ in samples(kernel, lowered.contraction, 0):
        offsets, _ = Instance(lowered.contraction, values, 0).expected()
        if offsets.size:
            assert len(np.unique(offsets)) == offsets.size
            assert offsets.max() < 100 * offsets.size + 1000
            sizes.append(offsets.size)
    assert max(sizes) > 24
