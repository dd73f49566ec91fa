# SPDX-License-Identifier: MIT
"""Turning blocks in registers: the shuffles put every element where the other layout wants it, for any number of lanes."""

from __future__ import annotations

import re

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_cpu.emit.builder import Builder
from tracea_cpu.emit.registers import registers
from tracea_cpu.emit.turn import turn

_SHUFFLE = re.compile(r"(%\S+) = shufflevector <\d+ x \w+> (%\S+), <\d+ x \w+> (%\S+), <\d+ x i32> <(.*)>")


def shuffled(lines: list[str], values: dict[str, list[tuple[int, int]]]) -> dict[str, list[tuple[int, int]]]:
    """Run the printed shuffles on the (row, column) that every lane holds."""
    for line in lines:
        name, a, b, mask = _SHUFFLE.fullmatch(line).groups()  # type: ignore[union-attr]
        both = values[a] + values[b]
        values[name] = [both[int(index.split()[1])] for index in mask.split(",")]
    return values


@pytest.mark.parametrize("lanes, size", [(2, 8), (4, 4), (4, 8), (8, 4), (8, 8), (16, 4)])
@pytest.mark.parametrize("vectors", [1, 3])
def test_every_lane_receives_its_element(lanes: int, size: int, vectors: int) -> None:
    target = fma_outer(lanes, vectors, lanes, DType.FP32).c
    source = fma_outer(lanes * vectors, 1, lanes, DType.FP32).c.transposed()
    values = {
        f"%in{number}": list(zip(register.rows, register.columns, strict=True))
        for number, register in enumerate(registers(source))
    }
    builder = Builder()
    result = turn(builder, list(values), source, target, f"<{lanes} x float>", size)
    found = shuffled([str(item) for item in builder.root.items if _SHUFFLE.fullmatch(str(item))], values)
    for name, register in zip(result, registers(target), strict=True):
        assert found[name] == list(zip(register.rows, register.columns, strict=True))


def test_what_is_not_square_is_refused() -> None:
    target, source = fma_outer(4, 1, 8).c, fma_outer(8, 1, 8).c.transposed()
    with pytest.raises(EmitError, match="square blocks"):
        turn(Builder(), [f"%in{i}" for i in range(8)], source, target, "<8 x float>", 4)
