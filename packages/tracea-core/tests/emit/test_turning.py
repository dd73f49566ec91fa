# SPDX-License-Identifier: MIT
"""Turning blocks in registers: the shuffles put every element where the other layout wants it, for any number of lanes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.registers import registers
from tracea_core.emit.turning import turn
from tracea_core.errors import EmitError
from tracea_core.semantic.lanes_cpu import fma_outer

Places = list[tuple[int, int]]
"""The (row, column) that every lane of a register holds."""


class Shuffles:
    """Carries out the shuffles that are asked for, on registers whose lanes say what they hold."""

    def __init__(self, values: dict[str, Places]) -> None:
        self.values = values

    def __call__(self, a: str, b: str, mask: Sequence[int]) -> str:
        name, both = f"%turned{len(self.values)}", self.values[a] + self.values[b]
        self.values[name] = [both[lane] for lane in mask]
        return name


@pytest.mark.parametrize("lanes, size", [(2, 8), (4, 4), (4, 8), (8, 4), (8, 8), (16, 4)])
@pytest.mark.parametrize("vectors", [1, 3])
def test_every_lane_receives_its_element(lanes: int, size: int, vectors: int) -> None:
    target = fma_outer(lanes, vectors, lanes, DType.FP32).c
    source = fma_outer(lanes * vectors, 1, lanes, DType.FP32).c.transposed()
    values = {
        f"%in{number}": list(zip(register.rows, register.columns, strict=True))
        for number, register in enumerate(registers(source))
    }
    given, shuffles = list(values), Shuffles(values)
    result = turn(shuffles, given, source, target, size)
    for name, register in zip(result, registers(target), strict=True):
        assert shuffles.values[name] == list(zip(register.rows, register.columns, strict=True))


def test_what_is_not_square_is_refused() -> None:
    target, source = fma_outer(4, 1, 8).c, fma_outer(8, 1, 8).c.transposed()
    with pytest.raises(EmitError, match="square blocks"):
        turn(Shuffles({}), [f"%in{i}" for i in range(8)], source, target, 4)
