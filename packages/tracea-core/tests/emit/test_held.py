# SPDX-License-Identifier: MIT
"""What is held in words or tiles follows from the steps; arithmetic on either, or tiles of two shapes, is refused."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.held import raises_bytes, tiles_of, words_of
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.semantic.kernel import Actor, Fragment, Role
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.steps import Compute, Mma, Node

DOTS, TILES = "fma_outer_4x2x8_int8", "amx_2x2_int8"


def role(name: str, *more: Node, raised: DType = DType.UINT8) -> Role:
    """A role that multiplies `a` by `b` by an instruction, with what else it does."""
    lanes = instruction(name)
    assert lanes.a is not None and lanes.b is not None
    fragments = (
        Fragment("a", lanes.operand, lanes.a), Fragment("b", lanes.operand, lanes.b), Fragment("sums", DType.INT32, lanes.c),
        Fragment("plain", DType.INT8, lanes.c), Fragment("raised", raised, lanes.c),
    )  # fmt: skip
    body = (Mma(name, "sums", "a", "b"), *more)
    return Role("worker", Actor.WORKER, 1, lanes.lanes, fragments, body)


def test_operands_of_groups_are_words() -> None:
    assert words_of(role(DOTS)) == {"a": 4, "b": 4}
    assert tiles_of(role(DOTS)) == {}


def test_operands_and_sums_of_tiles_have_registers_of_their_own() -> None:
    tiles = tiles_of(role(TILES))
    assert tiles == {"sums": (0, 1, 2, 3), "a": (4, 5), "b": (6, 7)}
    assert words_of(role(TILES)) == {}


@pytest.mark.parametrize("name", [DOTS, TILES])
def test_arithmetic_on_what_no_lane_holds_is_refused(name: str) -> None:
    step = Compute("plain", Accumulator(0), DType.FP32, ("a",))
    with pytest.raises(EmitError, match="a is held in groups"):
        words_of(role(name, step))


@pytest.mark.parametrize(
    ("added", "raised", "found"),
    [(128.0, DType.UINT8, True), (127.0, DType.UINT8, False), (128.0, DType.INT8, False)],
)
def test_only_128_raises_signed_bytes(added: float, raised: DType, found: bool) -> None:
    step = Compute("raised", Binary(BinaryFn.ADD, Accumulator(0), Constant(added)), DType.INT32, ("plain",))
    assert raises_bytes(step, role(DOTS, step, raised=raised)) is found
