# SPDX-License-Identifier: MIT
"""Factors read from shared memory as they are multiplied: what registers would have held, and refused where lanes disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.interpret_lockstep import LockstepInterpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lockstep_operands import LockstepOperands, Operand, Reading, parts_of
from tracea_core.semantic.lockstep_state import BlockState
from tracea_core.semantic.lower import lower
from tracea_core.testing.cases import gemm

MATRICES, SINGLES = "mma_m16n8k16_bf16", "simt_4x8_2x4_fp32"
"""Of the first instruction each element is held once, of the second by several lanes."""


def machine(name: str, dtype: DType) -> LockstepInterpreter:
    """A run of a small product whose warps use an instruction, before its first step."""
    problem = gemm((64, 64, 64), dtype, "nt")
    width = 8 if dtype is DType.BF16 else 4
    config = PipelineConfig(
        tile_m=64, tile_n=64, tile_k=32, stages=3, warps=4, vector_a=width, vector_b=width, vector_c=width
    )
    target = preset("a100")
    kernel: SemanticKernel = multistage_kernel(lower(problem).contraction, config, target, "x.y.z", "x", name)
    symbols = {symbol.name: 64 for symbol in kernel.symbols}
    return LockstepInterpreter(kernel, symbols, {p.name: np.zeros(64 * 64) for p in kernel.parameters}, 2)


def readings(run: LockstepInterpreter, layout: FragmentLayout, turns: int) -> tuple[Reading, ...]:
    """Loads of `turns` fragments from places of each block's own, in a buffer whose elements are numbered."""
    run.join(np.arange(2))
    (name, *_) = run.tables.sizes
    place = next(node for node in _loads(run.kernel) if node.source.buffer == name)
    memory = run._shared_memory(place.source)
    memory.values[:] = np.arange(memory.values.size)
    held, (height, width) = run._held(layout), layout.shape
    elements = held.flat + np.arange(run.team.width)[:, None, None] * height * width
    places = run.tables.once(("test", turns), lambda: np.stack([elements + 3 * turn for turn in range(turns)]))
    return (Reading(place, tuple(f"f{turn}" for turn in range(turns)), memory, places),)


def _loads(kernel: SemanticKernel) -> Sequence:
    from tracea_core.semantic.kernel import walk
    from tracea_core.semantic.steps import BufferRef, Load

    return [n for n in walk(kernel.roles[0].body) if isinstance(n, Load) and isinstance(n.source, BufferRef)]


@pytest.mark.parametrize("right", (False, True))
@pytest.mark.parametrize(("name", "dtype"), ((MATRICES, DType.BF16), (SINGLES, DType.FP32)))
def test_a_factor_holds_what_registers_would(name: str, dtype: DType, right: bool) -> None:
    run = machine(name, dtype)
    lanes = instruction(name)
    layout = lanes.b if right else lanes.a
    assert layout is not None
    (one,) = readings(run, layout, 3)
    operand = run._operand([[(one, 0), (one, 1)], [(one, 2), (one, 0)]], layout, right=right)
    assert operand is not None
    whole = run._read_operand(operand)
    registers = one.memory.values.take(run._everywhere(one.memory, one.places))
    for (_, number), matrix in parts_of(operand, whole):
        assert np.array_equal(matrix, run._matrix_of(layout, registers[number]))
        block = BlockState(len(run.warps))
        block.hold_part("f", layout, matrix)
        assert block.holds("f") and np.array_equal(run._content(block, "f"), registers[number])
    along = whole.shape[2] if right else whole.shape[1]
    assert along == 2 * (layout.shape[1] if right else layout.shape[0])


def test_lanes_that_load_one_element_from_different_places_are_left_to_their_values() -> None:
    run, layout = machine(SINGLES, DType.FP32), instruction(SINGLES).a
    assert layout is not None
    (one,) = readings(run, layout, 1)
    astray = one.places.copy()
    astray[0, 0, -1, -1] += 1
    wrong = one._replace(places=run.tables.once(("astray",), lambda: astray))
    assert run._operand([[(one, 0)]], layout, right=False) is not None
    assert run._operand([[(wrong, 0)]], layout, right=False) is None


def test_registers_and_places_of_all_blocks_are_no_such_factor() -> None:
    run, layout = machine(MATRICES, DType.BF16), instruction(MATRICES).a
    assert layout is not None
    (one,) = readings(run, layout, 1)
    assert run._operand([[(one, 0)], [np.zeros(3)]], layout, right=False) is None
    assert run._operand([[(one._replace(places=one.places.copy()), 0)]], layout, right=False) is None


def test_a_part_gives_way_to_what_is_held_later_and_goes_with_some_warps() -> None:
    layout, matrix = instruction(MATRICES).c, np.arange(3 * 16 * 8, dtype=np.float64).reshape(3, 16, 8)
    block = BlockState(3)
    block.hold_part("f", layout, matrix)
    assert np.array_equal(block.some(slice(1, 3)).loaded["f"][1], matrix[1:])
    block.hold("f", np.zeros((3, 32, 4)))
    assert not block.loaded and block.holds("f")
    block.hold_part("f", layout, matrix)
    assert not block.registers
    block.keep_grid(("f",), layout, matrix, (16, 8))
    assert not block.loaded


def test_shipped_products_are_read_like_that(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Operand | None] = []
    original = LockstepOperands._operand

    def counted(self: LockstepOperands, *given: object, **named: bool) -> Operand | None:
        found.append(original(self, *given, **named))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(LockstepOperands, "_operand", counted)
    run = machine(MATRICES, DType.BF16)
    run.run()
    assert found and all(one is not None for one in found)
