# SPDX-License-Identifier: MIT
"""What warps hold together: parts of large matrices, what some of them make of it, and runs that are looked at by their ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.kernel import Role, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lockstep_elements import Table
from tracea_core.semantic.lockstep_grains import grains, put, taken
from tracea_core.semantic.lockstep_state import BlockState, span
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import AsyncCopy, Load, Node
from tracea_core.testing.cases import gemm

NAMES = ("upper", "lower")
LAYOUT = instruction("mma_m16n8k16_bf16").c


def state() -> tuple[BlockState, np.ndarray]:
    """Three warps whose two fragments are the parts of one matrix."""
    block, total = BlockState(3), np.arange(3 * 32 * 8, dtype=np.float64).reshape(3, 32, 8)
    block.keep_grid(NAMES, LAYOUT, total.copy(), (16, 8))
    return block, total


def factors(warps: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.integers(-9, 9, (warps, 32, 4)).astype(float), random.integers(-9, 9, (warps, 4, 8)).astype(float)


def test_products_that_wait_are_added_before_anybody_looks() -> None:
    block, total = state()
    several = [factors(3, seed) for seed in range(5)]
    for tall, wide in several:
        block.add(NAMES, tall, wide)
    assert block.adding
    block.add_up()
    assert not block.adding
    expected = total + sum(tall @ wide for tall, wide in several)
    assert np.array_equal(block.grid(NAMES), expected)
    assert np.array_equal(block.sums["lower"][1], expected[:, 16:])


@pytest.mark.parametrize("chosen", ((1, 2), (0, 2)))
@pytest.mark.parametrize("anew", (False, True))
def test_what_some_warps_make_of_a_matrix_is_taken_over(chosen: tuple[int, ...], anew: bool) -> None:
    """Those that follow each other see the others' matrix itself; whoever makes a new one of it gives that."""
    block, total = state()
    warps = span(np.array(chosen))
    inner = block.some(warps)
    tall, wide = factors(len(chosen), 7)
    if anew:
        inner.keep_grid(NAMES, LAYOUT, np.ones((len(chosen), 32, 8)), (16, 8))
    inner.add(NAMES, tall, wide)
    assert block.take_grids(inner, warps) == set(NAMES)
    expected = total.copy()
    expected[list(chosen)] = (1.0 if anew else total[list(chosen)]) + tall @ wide
    assert np.array_equal(block.grid(NAMES), expected)


def test_a_fragment_that_holds_something_else_is_no_part_any_more() -> None:
    block, _ = state()
    block.hold("upper", np.zeros((3, 32, 4)))
    assert block.grid(NAMES) is None
    block, _ = state()
    block.later["upper"] = [(slice(1, 2), np.zeros((1, 32, 4)))]
    assert block.grid(NAMES) is None and not block.some(slice(0, 2)).sums.keys() & {"upper"}


def test_a_grain_is_what_every_step_moves_whole() -> None:
    config = PipelineConfig(
        tile_m=32, tile_n=32, tile_k=32, stages=3, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )
    lowered = lower(gemm((40, 24, 80), DType.BF16, "nt"))
    kernel = multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")
    (role,) = kernel.roles
    found = grains(role)
    assert set(found.values()) == {8}
    narrow = _flat(role, lambda node: node.replace(width=4) if isinstance(node, AsyncCopy) else node)
    assert set(grains(narrow).values()) == {4}
    guarded = next(node.guard for node in walk(role.body) if isinstance(node, AsyncCopy) and node.guard)
    masked = _flat(role, lambda node: node.replace(guard=guarded) if isinstance(node, Load) else node)
    assert set(grains(masked).values()) == {1}  # lanes of a row may part


def _flat(role: Role, change: Callable[[Node], Node]) -> Role:
    """All steps one after the other, changed; what matters is which there are."""
    return role.replace(body=tuple(change(node) for node in walk(role.body) if isinstance(node, AsyncCopy | Load)))


def test_runs_move_as_one() -> None:
    values = np.arange(32.0)
    assert taken(values, np.array([[3, 0]]), 4).tolist() == [[12, 13, 14, 15, 0, 1, 2, 3]]
    put(values, np.array([[3, 0]]), -np.arange(8.0)[None], 4)
    assert values[:4].tolist() == [-4, -5, -6, -7] and values[12:16].tolist() == [0, -1, -2, -3]


@pytest.mark.parametrize(
    ("row", "course"),
    ((np.arange(16), 1), (np.repeat([5, 9], 8), 0), (np.r_[0:8, 20:28], 1), (np.arange(16) * 2, None), (np.r_[0:4, 9:21], None)),
)  # fmt: skip
def test_tables_grow_by_one_or_stay_within_runs_or_are_looked_at_element_by_element(
    row: np.ndarray, course: int | None
) -> None:
    assert Table(row[None, None, :], {}).course(8) == course
    assert Table(np.broadcast_to(row, (3, 2, 16)), {}).course(8) == course
    assert Table(row[None, :, None], {}).course(8) == 0  # the same in all columns
