# SPDX-License-Identifier: MIT
"""Patterns answer questions about boxes as their elements would."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.policy.pattern import Band, Blocks, Plane

X, Y = 13, 17
sides = st.one_of(st.none(), st.integers(0, 20))


def element_mask(pattern: Band | Blocks, offset: int) -> npt.NDArray[np.bool_]:
    """Return the pattern of an X × Y matrix element by element."""
    x, y = np.arange(X)[:, None], np.arange(Y)
    if isinstance(pattern, Blocks):
        return pattern.mask()[x // pattern.block_x, y // pattern.block_y]
    wanted = np.ones((X, Y), dtype=np.bool_)
    if pattern.left is not None:
        wanted &= y >= x + offset - pattern.left
    if pattern.right is not None:
        wanted &= y <= x + offset + pattern.right
    return wanted


def assert_boxes_agree(pattern: Band | Blocks, offset: int) -> None:
    """Compare `some` and `every` with the elements, for all boxes."""
    mask = element_mask(pattern, offset)
    x0, x1, y0, y1 = (
        box.ravel() for box in np.meshgrid(np.arange(X), np.arange(1, X + 1), np.arange(Y), np.arange(1, Y + 1))
    )
    held = (x0 < x1) & (y0 < y1)
    x0, x1, y0, y1 = (side[held] for side in (x0, x1, y0, y1))
    sums = np.zeros((X + 1, Y + 1), dtype=np.int64)
    sums[1:, 1:] = mask.cumsum(0).cumsum(1)
    count = sums[x1, y1] - sums[x0, y1] - sums[x1, y0] + sums[x0, y0]
    shift = np.full(x0.shape, offset)
    assert np.array_equal(pattern.some(x0, x1, y0, y1, shift), count > 0)
    assert np.array_equal(pattern.every(x0, x1, y0, y1, shift), count == (x1 - x0) * (y1 - y0))


@given(sides, sides, st.integers(-20, 20))
def test_bands(left: int | None, right: int | None, offset: int) -> None:
    """A box holds a wanted element exactly if one of its elements is wanted."""
    assert_boxes_agree(Band(left, right), offset)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 1000))
def test_blocks(block_x: int, block_y: int, seed: int) -> None:
    """The same for blocks that do not divide the extents."""
    mask = np.random.default_rng(seed).random((-(-X // block_x), -(-Y // block_y))) < 0.3
    pattern = Blocks.from_mask(mask, block_x, block_y)
    assert np.array_equal(pattern.mask(), mask)
    assert pattern.density == pytest.approx(mask.mean())
    assert_boxes_agree(pattern, 0)


def compressed(stored: npt.NDArray[np.bool_], seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where rows end and the columns of each, in any order: a matrix in CSR."""
    random = np.random.default_rng(seed)
    rows = [random.permutation(np.flatnonzero(row)) for row in stored]
    return np.cumsum([0, *(len(row) for row in rows)]), np.concatenate(rows)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 1000))
def test_blocks_of_compressed_rows(block_x: int, block_y: int, seed: int) -> None:
    """CSR's elements are blocks of 1 × 1; larger ones are those that hold an element."""
    stored = np.random.default_rng(seed).random((X, Y)) < 0.1
    elements = Blocks.from_csr(*compressed(stored, seed), Y)
    assert np.array_equal(elements.mask(), stored)
    assert_boxes_agree(elements, 0)
    larger = Blocks.from_csr(*compressed(stored, seed), Y, block_x, block_y, Plane.NK)
    padded = np.zeros((larger.rows * block_x, larger.columns * block_y), np.bool_)
    padded[:X, :Y] = stored
    wanted = padded.reshape(larger.rows, block_x, larger.columns, block_y).any(axis=(1, 3))
    assert larger == Blocks.from_mask(wanted, block_x, block_y, Plane.NK)


def test_compressed_rows_may_be_empty() -> None:
    """No rows, no columns, no elements."""
    assert Blocks.from_csr([0], [], 7, 2, 3) == Blocks(2, 3, (0,), (), 3)
    assert Blocks.from_csr([0, 0, 0], [], 0, 2, 2) == Blocks(2, 2, (0, 0), (), 0)
    assert Blocks.from_csr([0, 0, 2], [6, 6], 7) == Blocks(1, 1, (0, 0, 1), (6,), 7)


@pytest.mark.parametrize(
    ("indptr", "indices"), [([], []), ([1, 2], [0]), ([0, 2], [0]), ([0, 2, 1], [0]), ([0, 1], [4]), ([0, 1], [-1])]
)
def test_malformed_compressed_rows_are_refused(indptr: list[int], indices: list[int]) -> None:
    with pytest.raises(ConfigurationError):
        Blocks.from_csr(indptr, indices, 4)
    with pytest.raises(ConfigurationError, match="at least 1"):
        Blocks.from_csr([0, 1], [0], 4, 0)


def test_malformed_patterns_are_refused() -> None:
    """Compressed rows that contradict themselves, windows that hold no diagonal."""
    for indptr, indices, columns in (((1, 2), (0,), 4), ((0, 2), (0,), 4), ((0, 2), (1, 0), 4), ((0, 1), (4,), 4)):
        with pytest.raises(ConfigurationError):
            Blocks(8, 8, indptr, indices, columns)
    with pytest.raises(ConfigurationError, match="left \\+ right"):
        Band(left=-3, right=2)
    with pytest.raises(ConfigurationError, match="at least 1"):
        Blocks(0, 8, (0,), (), 0)
    with pytest.raises(ConfigurationError, match="two dimensions"):
        Blocks.from_mask(np.ones(3), 8, 8, Plane.MN)
