# SPDX-License-Identifier: MIT
"""Places that several launches touch at once: each in its own part of the memory, wherever the offsets come from."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import COLUMN, ROW, Index
from tracea_core.semantic.interpret_lockstep import LockstepInterpreter
from tracea_core.semantic.lockstep_team import Launch
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Access, Node, Store
from tracea_core.testing.cases import gemm
from tracea_core.testing.edit import edited

SIZE = 16
ONE = PipelineConfig(tile_m=SIZE, tile_n=SIZE, tile_k=16, stages=2, warps=1, vector_a=8, vector_b=8, vector_c=1)


@pytest.mark.parametrize("offset", [ROW * SIZE + COLUMN, ROW * SIZE + COLUMN + SIZE])
def test_offsets_that_all_launches_share_reach_the_memory_of_each(offset: Index) -> None:
    """No symbol of a block or of a launch is in them, so they are one matrix for all."""
    lowered = lower(gemm((2 * SIZE, SIZE, SIZE), DType.BF16, "nt"))
    kernel = multistage_kernel(lowered.contraction, ONE, preset("a100"), "v", "k", "mma_m16n8k16_bf16")

    def moved(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, Store) or not isinstance(node.target, Access):
            return (node,)
        return (node.replace(target=node.target.replace(offset=offset), guard=(), width=1),)

    planted = edited(kernel, moved)
    launches = []
    for number in range(2):
        memory = {
            "a": np.full(2 * SIZE * SIZE, 1.0 + number),
            "b": np.ones(SIZE * SIZE),
            "out": np.zeros(2 * SIZE * SIZE),
        }
        launches.append(Launch(lowered.symbols, memory, 1, number))
    run = LockstepInterpreter(planted, *launches[0], more=launches[1:])
    run.run()
    for number in range(2):
        held = run.memory_after(number, "out")
        assert set(held.values[held.written > 0].tolist()) == {SIZE * (1.0 + number)}
        assert held.written.sum() == 2 * SIZE * SIZE
