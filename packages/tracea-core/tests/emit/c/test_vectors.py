# SPDX-License-Identifier: MIT
"""A worker's steps in a language that has nothing but vectors: whole ones inside, lanes at edges, and names that meet nothing."""

from __future__ import annotations

from typing import ClassVar

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term, symbol
from tracea_core.emit.c.vectors import VectorSteps
from tracea_core.emit.c.words import Words
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.semantic.index import COLUMN, Const, Sym, less
from tracea_core.semantic.kernel import Actor, Fragment, Role
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.steps import Access, Load, Store, Transfer, Turn

TILE = fma_outer(4, 3, 8)
SQUARE = fma_outer(8, 1, 8).c


class Vectors(Words):
    """The words of vectors, and no others."""

    types: ClassVar[dict[DType, str]] = {DType.FP32: "float"}

    def vector(self, dtype: DType, lanes: int) -> str:
        return f"vector{lanes}"

    def vector_load(self, lanes: int, address: str) -> str:
        return f"whole({address})"

    def vector_store(self, lanes: int, value: str, address: str) -> str:
        return f"{address} = whole({value});"

    def vector_part(self, vector: str, lane: int) -> str:
        return f"{vector}<{lane}>"

    def vector_of(self, kind: str, parts: list[str]) -> str:
        return " ".join(parts)


def steps() -> tuple[VectorSteps, SourceWriter]:
    assert TILE.b is not None
    fragments = (
        Fragment("sums", DType.FP32, TILE.c), Fragment("b", DType.FP32, TILE.b), Fragment("square", DType.FP32, SQUARE),
        Fragment("turned", DType.FP32, SQUARE.transposed()),
    )  # fmt: skip
    role, writer = Role("worker", Actor.WORKER, 0, 8, fragments, ()), SourceWriter()
    return VectorSteps(role, Vectors(), writer, lambda name: symbol(name, 0), _nowhere, frozenset("b")), writer


def _nowhere(reference: object, coordinates: tuple[Term, ...], slot: Term | None) -> tuple[object, Term]:
    raise EmitError("there is no buffer")


ROW = Access("b", Sym("column0") + COLUMN)


def text(*nodes: Load | Store | Turn) -> str:
    printer, writer = steps()
    for node in nodes:
        printer.turn(node) if isinstance(node, Turn) else printer.step(node)
    return writer.text()


def test_lanes_side_by_side_move_at_once_and_names_do_not_meet() -> None:
    inside = text(Load("b", ROW, Transfer.VECTOR))
    assert "b_held[reg] = whole(b[column0 + column]);" in inside and "lane" not in inside


def test_edges_count_lanes() -> None:
    edge = text(Load("b", ROW, Transfer.VECTOR, (less(Sym("column0") + COLUMN, Sym("n")),)))
    assert "for (int lane = 0; lane < 8; ++lane)" in edge and "b_held[reg][lane] = column0 + column < n ? " in edge
    assert "const int column = reg * 8 + lane;" in edge
    stored = text(Store(Access("out", COLUMN), "b", Transfer.GATHER))
    assert "out[column] = b_held[reg][lane];" in stored


def test_one_element_reaches_all_lanes_but_is_not_stored_by_them() -> None:
    assert "b_held[reg] = b[0];" in text(Load("b", Access("b", Const(0)), Transfer.BROADCAST))
    with pytest.raises(EmitError, match="do not store one element together"):
        text(Store(Access("out", Const(0)), "b", Transfer.BROADCAST))


def test_a_turned_square_takes_a_lane_of_each_register() -> None:
    lines = text(Turn("square", "turned")).splitlines()
    assert lines[3].strip() == "square[3] = " + " ".join(f"turned[{r}]<3>" for r in range(8)) + ";"


def test_partners_of_rows_and_columns_of_any_number() -> None:
    printer, _ = steps()
    assert TILE.b is not None
    columns = printer._partner(TILE.c, TILE.b, symbol("reg", 0, 11), "b")
    assert columns.text == "reg % 3"
    rows = fma_outer(4, 1, 8).a
    assert rows is not None and printer._partner(TILE.c, rows, symbol("reg", 0, 11), "a").text == "reg / 3"
