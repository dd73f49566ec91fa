# SPDX-License-Identifier: MIT
"""Workers that share partial sums race without their barrier, whatever the interleaving; with it they are right."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.interpret_workers import WorkersInterpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Barrier
from tracea_core.testing.cases import gemm

SIZES = (5, 9, 12)


def run(drop_barrier: bool, workers: int, seed: int) -> np.ndarray:
    m, n, k = SIZES
    lowered = lower(gemm(SIZES, DType.FP32))
    config = PipelineConfig(tile_m=2, tile_n=8, tile_k=2, split_k=3)
    kernel: SemanticKernel = panel_kernel(lowered.contraction, config, preset("avx2"), "v", "k")
    if drop_barrier:
        (role,) = kernel.roles
        body = tuple(node for node in role.body if not isinstance(node, Barrier))
        assert body != role.body
        kernel = kernel.replace(roles=(role.replace(body=body),))
    symbols = {symbol.name: symbol.minimum for symbol in kernel.symbols} | lowered.symbols
    memory = {"a": np.arange(m * k) % 7.0, "b": np.arange(k * n) % 5.0, "out": np.zeros(m * n)}
    machine = interpreter(kernel, symbols, memory, workers, seed)
    assert type(machine) is WorkersInterpreter
    found = machine.run()["out"]
    assert np.array_equal(found.reshape(m, n), memory["a"].reshape(m, k) @ memory["b"].reshape(k, n))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_missing_barrier_is_found_in_every_interleaving(seed: int) -> None:
    run(False, 3, seed)
    with pytest.raises(InterpretError, match=r"without a barrier|nothing was written"):
        run(True, 3, seed)


def test_one_worker_needs_no_barrier() -> None:
    assert np.array_equal(run(True, 1, 0), run(False, 1, 0))
