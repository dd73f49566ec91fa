# SPDX-License-Identifier: MIT
"""Calls that run as several kernels, from a bound plan down to the emulated device: operands in any order, addresses of any alignment."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, tolerance
from tracea_core.pipeline import path as paths
from tracea_core.pipeline import runtimes
from tracea_core.plugin.select import Selection
from tracea_core.policy import arrange_time
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.runtime import SimtMemory, SimtRuntime, emulated

from tracea import dispatch

BF16 = DType.BF16


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimtRuntime]:
    """An emulated H200 as the only device; copies and launches cost nothing, and single elements much, so that small products are arranged
    like large ones.
    """
    plugin = pytest.importorskip("tracea_cuda.plugin")
    need_emulator()
    manifest = emulated(plugin.tracea_register_backend(), "h200")
    target = manifest.probe().devices[0]
    runtime = manifest.open_runtime(target.device)
    assert isinstance(runtime, SimtRuntime)
    monkeypatch.setattr(paths, "resolve", lambda *words, **more: Selection(target, manifest))
    monkeypatch.setitem(runtimes._runtimes, (target.backend, target.device), runtime)
    monkeypatch.setattr(runtimes, "_kernels", {})
    monkeypatch.setattr(arrange_time, "LAUNCH_SECONDS", 0.0)
    monkeypatch.setattr(arrange_time, "COPY_SHARE", 1e6)
    monkeypatch.setattr(arrange_time, "ACCESSES_PER_CLOCK", 1e-3)
    monkeypatch.setattr(arrange_time, "STORES_PER_CLOCK", 1e-3)
    yield runtime


def place(runtime: SimtRuntime, values: npt.NDArray[np.float64], offset: int = 0) -> SimtMemory:
    """Return memory that holds bf16 values from its byte `offset` on."""
    encoded = np.ascontiguousarray(BF16.encode(values)).view(np.uint8).ravel()
    return runtime.place(np.concatenate([np.zeros(offset, np.uint8), encoded]))


@pytest.mark.toolchain
@pytest.mark.parametrize("offset", [0, 2])
def test_a_bound_plan_of_several_kernels(device: SimtRuntime, offset: int) -> None:
    """Of a and b only b has odd rows, so it is the plan's first operand, and so has the result, which is copied at the end; at addresses
    of 2 bytes another plan copies both operands.
    """
    m, n, k = 40, 48, 72
    random = np.random.default_rng(2)
    a, b = (BF16.decode(BF16.encode(random.standard_normal(shape))) for shape in ((m, k), (n, k)))
    padded = np.zeros((n, k + 3))
    padded[:, :k] = b
    tensors = (TensorSpec.contiguous((m, k), BF16), TensorSpec((k, n), BF16, (1, k + 3)))
    problem = Problem(GemmOp(m, n, k, dtype=BF16), tensors, TensorSpec((m, n), BF16, (n + 1, 1)))
    plan = dispatch.BoundPlan(problem, None, "cuda:0", lambda: None)
    assert plan.path is not None and [len(plan.path.before), len(plan.path.after)] == [1, 1]
    assert plan.order[0] == 1, "the copied operand comes first"
    out = device.place(np.full(m * (n + 1) * 2, 0xFF, np.uint8))
    inputs = [place(device, a, offset), place(device, padded, offset)]
    pointers = [*(memory.address + offset for memory in inputs), out.address]
    before = len(device.reports)
    assert plan.launch is not None
    plan.launch(*[pointers[i] for i in plan.order])
    held = out.read().view(BF16.storage).reshape(m, n + 1)
    assert agrees(BF16.decode(held[:, :n]), a @ b.T, tolerance(problem, [a, b.T])).all()
    assert (held[:, n].view(np.uint16) == 0xFFFF).all(), "what lies between the rows is as it was"
    assert len(device.reports) - before == 3
    if offset:
        (looser,) = plan.looser.values()
        assert looser.path is not None and looser.path.arrangement.problem.options.placed == (0, 1)
