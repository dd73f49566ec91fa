# SPDX-License-Identifier: MIT
"""What addresses and tests ask of rows and columns."""

from __future__ import annotations

import pytest
from tracea_core.emit.c.coordinate_uses import adds_its_column, folded
from tracea_core.semantic.index import COLUMN, ROW, Index, Sym, less
from tracea_core.semantic.steps import Access, BufferRef


@pytest.mark.parametrize(
    ("offset", "adds"),
    [
        (COLUMN, True),
        (Sym("base") + COLUMN, True),
        (Sym("base") + (Sym("step") * 64 + COLUMN), True),
        (Sym("base") + COLUMN * 2, False),
        (Sym("base") + COLUMN * Sym("stride"), False),
        (Sym("base") + COLUMN // 8 * 8, False),
        (ROW * Sym("stride") + COLUMN, False),
        (Sym("base"), False),
    ],
)
def test_only_columns_that_are_added_alone_are_told_apart(offset: Index, adds: bool) -> None:
    assert adds_its_column(Access("x", offset)) is adds


def test_places_in_buffers_are_left_as_they_are() -> None:
    assert not adds_its_column(BufferRef("tile", (Sym("row0"), COLUMN)))


def test_low_bits_of_rows_are_told_from_rows() -> None:
    assert folded("row", (ROW % 8 * 4, less(Sym("k"), Sym("n"))))
    assert not folded("row", (ROW % 8 * 4, less(ROW, Sym("m"))))
    assert not folded("row", (Sym("k"),)), "nothing is asked"
    assert not folded("column", (COLUMN % 8,))
