# SPDX-License-Identifier: MIT
"""Matrices in CSR are patterns of 1×1 blocks: their values are the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.ops.sparse import SparseOperand

import tracea


@pytest.mark.parametrize("sparse", ["a", "b"])
def test_elements_of_compressed_rows_are_blocks(sparse: str) -> None:
    random = np.random.default_rng(7)
    matrix = random.integers(-3, 4, (19, 23)) * (random.random((19, 23)) < 0.2)
    rows, columns = np.nonzero(matrix)
    indptr = tuple(np.searchsorted(rows, np.arange(20)).tolist())
    pattern = tracea.BlockPattern(1, 1, indptr, tuple(columns.tolist()), 23)
    values = matrix[rows, columns].astype(np.float32).reshape(-1, 1, 1)
    assert np.array_equal(pattern.dense(values), matrix)
    if SparseOperand(sparse) is SparseOperand.A:
        dense = random.integers(-3, 4, (23, 11)).astype(np.float32)
        found, wanted = (
            tracea.ops.block_sparse_matmul(values, dense, pattern, sparse="a", fallback="error"),
            matrix @ dense,
        )
    else:
        dense = random.integers(-3, 4, (11, 19)).astype(np.float32)
        found, wanted = tracea.ops.block_sparse_matmul(dense, values, pattern, fallback="error"), dense @ matrix
    assert np.array_equal(found, wanted)
