# SPDX-License-Identifier: MIT
"""Slots that nobody touched lately need no look: the same refusals as where every place is looked at and every read stamped at once."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret_lockstep import LockstepInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lockstep_recent import Recent
from tracea_core.semantic.lockstep_team import Divergence, Launch
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import AsyncCopy, Barrier, BufferRef, Load, Node, Store, Wait
from tracea_core.testing.cases import gemm
from tracea_core.testing.edit import edited

SIZES = ((40, 24, 80), (70, 36, 16), (32, 32, 200), (2, 8, 64), (33, 64, 96))
STAGES = 3


@pytest.fixture(scope="module", params=[DType.BF16, DType.FP32])
def kernel(request: pytest.FixtureRequest) -> SemanticKernel:
    """Copies that land by themselves, and copies through registers besides."""
    half = request.param is DType.BF16
    width, name = (8, "mma_m16n8k16_bf16") if half else (4, "simt_4x8_2x4_fp32")
    swizzle = SwizzleMode.XOR4 if half else SwizzleMode.NONE
    config = PipelineConfig(
        tile_m=32, tile_n=32 if half else 64, tile_k=32, stages=STAGES if half else 2, warps=4,
        vector_a=width, vector_b=width, vector_c=2 if half else 4, swizzle=swizzle,
    )  # fmt: skip
    lowered = lower(gemm(SIZES[0], request.param, "nt"))
    return multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", name)


def found(kernel: SemanticKernel, sizes: tuple[tuple[int, int, int], ...] = SIZES) -> object:
    """What every launch writes, or what is refused, in words."""
    given = []
    for number, (m, n, k) in enumerate(sizes):
        random = np.random.default_rng(number)
        symbols = lower(gemm((m, n, k), kernel.parameters[0].dtype, "nt")).symbols
        memory = {"a": random.integers(-9, 10, m * k), "b": random.integers(-9, 10, n * k), "out": np.zeros(m * n)}
        given.append(Launch(symbols, {name: np.float64(held) for name, held in memory.items()}, 1 + number % 3, number))
    try:
        run = LockstepInterpreter(kernel, *given[0], more=given[1:])
        run.run()
    except (InterpretError, Divergence) as error:
        return type(error), str(error)
    return [(m.values.tolist(), m.written.tolist()) for m in (run.memory_after(n, "out") for n in range(len(sizes)))]


def look_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamp every read where it happens, and look at every place."""
    monkeypatch.setattr(Recent, "meets_writes", lambda *given: True)
    monkeypatch.setattr(Recent, "meets_reads", lambda *given: True)
    of_blocks = LockstepInterpreter._saw_of_blocks

    def at_once(self: LockstepInterpreter, memory: Memory, *given: Integers) -> None:
        of_blocks(self, memory, *given)
        for one in self._recent(memory).waiting:
            self._stamp(one)
        self._recent(memory).waiting.clear()

    monkeypatch.setattr(LockstepInterpreter, "_saw_of_blocks", at_once)


def planted(kernel: SemanticKernel) -> list[SemanticKernel]:
    """The kernel, and copies of it without one of its barriers or waits, or with a step at the next slot of its buffer."""
    count = sum(isinstance(node, Barrier | Wait) for node in walk(kernel.roles[0].body))
    moves = [node for node in walk(kernel.roles[0].body) if _slotted(node) is not None]

    def edit(node: Node, number: list[int]) -> tuple[Node, ...]:
        if isinstance(node, Barrier | Wait):
            number[0] -= 1
            return () if not number[0] else (node,)
        if _slotted(node) is not None and number[0] > count:
            number[1] -= 1
            end = "source" if isinstance(node, Load) else "target"
            place = getattr(node, end)
            slots = kernel.buffer(place.buffer).slots
            return (node.replace(**{end: place.replace(slot=(place.slot + 1) % slots)}),) if not number[1] else (node,)
        return (node,)

    kernels = [kernel]
    for first, second in [*((n + 1, 0) for n in range(count)), *((10**6, n + 1) for n in range(0, len(moves), 3))]:
        left = [first, second]
        kernels.append(edited(kernel, lambda node, left=left: edit(node, left)))  # type: ignore[misc]
    return kernels


def _slotted(node: Node) -> object:
    """The slot of shared memory that a step moves to or from."""
    if not isinstance(node, Load | Store | AsyncCopy):
        return None
    place = node.source if isinstance(node, Load) else node.target
    return place.slot if isinstance(place, BufferRef) else None


def test_what_is_not_looked_at_changes_nothing(kernel: SemanticKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = planted(kernel)
    quick = [found(one) for one in kernels]
    assert isinstance(quick[0], list)
    refused = [outcome for outcome in quick if isinstance(outcome, tuple)]
    assert len(refused) > 5
    assert any("without a barrier" in words for _, words in refused)
    look_everywhere(monkeypatch)
    assert [found(one) for one in kernels] == quick


def test_reads_are_stamped_where_a_write_may_meet_them(kernel: SemanticKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    stamped: list[object] = []
    original = LockstepInterpreter._stamp
    monkeypatch.setattr(LockstepInterpreter, "_stamp", lambda self, one: (stamped.append(one), original(self, one))[1])
    alike = ((32, 32, 256), (32, 32, 256))  # blocks that pass all barriers together
    assert isinstance(found(kernel, alike), list)
    assert not stamped
    outcomes = [found(one, alike) for one in planted(kernel)]
    assert stamped
    assert sum(isinstance(outcome, tuple) for outcome in outcomes) > 5
