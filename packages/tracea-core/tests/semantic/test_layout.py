# SPDX-License-Identifier: MIT
"""Layouts: the offsets against formulas written out, the proofs against enumeration, and planted faults."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.layout import Axis, Digit, Layout

SWIZZLED = Layout.swizzled(("row", 128), ("column", 64), bits=3, base=3, shift=3)

SAMPLES = (
    SWIZZLED,
    Layout.row_major(("row", 192), ("column", 208)),
    Layout.row_major(("row", 19), ("column", 24), pad=8),
    Layout.column_major(("row", 6), ("column", 64)),
    Layout.column_major(("row", 8), ("column", 10), pad=4),
    Layout.panels(("column", 48), ("k", 10), 24),
    Layout.panels(("row", 12), ("k", 33), 6),
    Layout.panels(("column", 192), ("k", 64), 64),
    Layout.strided((("a", 3), ("b", 4)), (4, 3)),
    Layout.strided((("a", 4), ("b", 4)), (4, 4)),
    Layout.strided((("a", 1), ("b", 1)), (0, 0)),
    Layout.swizzled(("stage", 4), ("row", 208), ("column", 128), bits=3, base=3, shift=3, width=64),
    Layout.swizzled(("row", 16), ("column", 32), bits=2, base=3, shift=3),
    Layout.swizzled(("row", 4), ("column", 64), bits=3, base=3, shift=3),
    Layout.swizzled(("row", 3), ("column", 1024), bits=3, base=3, shift=3),
    Layout.xored(("row", 8), ("column", 8), xor=Matrix(6, (1, 2, 4, 8, 16, 4))),
)


def test_the_128_byte_swizzle_is_its_formula():
    row, column = np.mgrid[:128, :64]
    plain = row * 64 + column
    assert (SWIZZLED.offset(row=row, column=column) == plain ^ (((plain >> 6) & 7) << 3)).all()
    assert SWIZZLED.shape == (128, 64)
    assert SWIZZLED.size == SWIZZLED.count == 8192
    assert SWIZZLED.is_dense()


def test_wide_tiles_are_column_blocks_and_stages_are_outer():
    layout = Layout.swizzled(("stage", 3), ("row", 24), ("column", 192), bits=3, base=3, shift=3, width=64)
    stage, row, column = np.mgrid[:3, :24, :192]
    plain = row * 64 + column % 64
    expected = stage * 24 * 192 + (column // 64) * 24 * 64 + (plain ^ (((plain >> 6) & 7) << 3))
    assert (layout.offsets() == expected).all()
    assert layout.is_dense()


def test_panels_row_major_column_major_and_padding():
    panels = Layout.panels(("column", 72), ("k", 10), 24)
    column, k = np.mgrid[:72, :10]
    assert (panels.offset(column=column, k=k) == column // 24 * 240 + k * 24 + column % 24).all()
    row, column = np.mgrid[:6, :64]
    assert (Layout.row_major(("row", 6), ("column", 64), pad=8).at(row, column) == row * 72 + column).all()
    assert (Layout.column_major(("row", 6), ("column", 64), pad=2).at(row, column) == row + column * 8).all()
    assert Layout.row_major(("row", 6), ("column", 64), pad=8).size == 5 * 72 + 64


@pytest.mark.parametrize("layout", SAMPLES, ids=str)
def test_proofs_agree_with_enumeration(layout):
    offsets = layout.offsets()
    assert offsets.shape == layout.shape
    assert offsets.min() >= 0
    assert offsets.max() + 1 == layout.size
    distinct = len(np.unique(offsets)) == layout.count
    assert layout.is_injective() == distinct
    assert layout.is_dense() == (distinct and layout.size == layout.count)
    proof = layout.injectivity()
    if not distinct:
        assert proof.witness is not None
        first, second = proof.witness
        assert first != second
        assert layout.at(*first) == layout.at(*second)
    assert Layout.from_json(layout.to_json()) == layout


@pytest.mark.parametrize("layout", SAMPLES, ids=str)
def test_contiguous_runs_are_contiguous_aligned_and_longest(layout):
    for position, name in enumerate(layout.names):
        offsets = np.moveaxis(layout.offsets(), position, -1)

        def legal(run, offsets=offsets):
            if offsets.shape[-1] % run:
                return False
            runs = offsets.reshape(*offsets.shape[:-1], -1, run)
            return bool((runs == runs[..., :1] + np.arange(run)).all() and (runs[..., 0] % run == 0).all())

        found = layout.contiguous(name)
        assert legal(found)
        assert not legal(2 * found)


def test_linear_gives_the_whole_map_where_there_is_one():
    for layout in SAMPLES:
        matrix = layout.linear()
        if matrix is None:
            continue
        extents = layout.shape
        index = np.arange(layout.count)
        assert (matrix.apply(index) == layout.at(*np.unravel_index(index, extents))).all()
    linear = SWIZZLED.linear()
    assert linear is not None
    assert linear.is_bijective()
    assert Layout.row_major(("row", 6), ("column", 64)).linear() is None
    assert Layout.row_major(("row", 8), ("column", 64), pad=8).linear() is None


def test_addressing_is_by_exactly_the_axes_and_within_them():
    assert SWIZZLED.offset(row=0, column=np.arange(64)).shape == (64,)
    for wrong in ({"row": 0}, {"row": 0, "column": 0, "k": 0}, {"row": 128, "column": 0}, {"row": -1, "column": 0}):
        with pytest.raises(ConfigurationError):
            SWIZZLED.offset(**wrong)


def test_planted_faults_are_caught():
    overlapping = Layout.strided((("row", 6), ("column", 64)), (63, 1))
    assert not overlapping.is_injective()
    assert not Layout.strided((("row", 6), ("column", 64)), (0, 1)).is_injective()
    singular = Layout.xored(("row", 8), ("column", 64), xor=Matrix(9, (*(1 << i for i in range(8)), 1 << 3)))
    assert not singular.is_injective()
    assert "rank 8 of 9" in singular.injectivity().argument
    with pytest.raises(ConfigurationError, match="carry"):
        Layout((Axis("row", (Digit(4, 9),)), Axis("column", (), 3)), Matrix.identity(3))
    with pytest.raises(ConfigurationError, match="input bits"):
        Layout((Axis("column", (), 3),), Matrix.identity(2))
    with pytest.raises(ConfigurationError, match="one name"):
        Layout.row_major(("row", 2), ("row", 2))


def test_what_does_not_divide_is_refused():
    with pytest.raises(ConfigurationError, match="power of two"):
        Layout.swizzled(("row", 8), ("column", 96), bits=3, base=3, shift=3)
    with pytest.raises(ConfigurationError, match="atoms"):
        Layout.swizzled(("row", 12), ("column", 64), bits=3, base=3, shift=3)
    with pytest.raises(ConfigurationError, match="panels"):
        Layout.panels(("column", 50), ("k", 4), 24)
    with pytest.raises(ConfigurationError, match="row axis"):
        Layout.swizzled(("column", 64), bits=3, base=3, shift=3)
    with pytest.raises(ConfigurationError, match="no axis"):
        SWIZZLED.contiguous("k")
