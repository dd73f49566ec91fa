# SPDX-License-Identifier: MIT
"""The ops: each takes NumPy arrays, torch tensors or DLPack objects, an optional ``out=`` and an optional ``epilogue=``."""

from __future__ import annotations

import sys

from tracea.ops.aligned import aligned
from tracea.ops.block_sparse import block_sparse_matmul
from tracea.ops.chains import attention, low_rank_mlp
from tracea.ops.conv import conv2d
from tracea.ops.conv_filters import conv2d_filters
from tracea.ops.conv_stats import conv2d_stats
from tracea.ops.conv_transpose import conv_transpose2d
from tracea.ops.grouped import grouped_matmul
from tracea.ops.matmul import linear, matmul
from tracea.ops.prepacked import prepacked
from tracea.ops.rows import layer_norm, log_softmax, normalize, rms_norm, softmax
from tracea.ops.scaled import scaled_matmul
from tracea.ops.scaled_groups import scaled_grouped_matmul

if (
    "torch" in sys.modules
):  # its operators are registered where one imports, which takes as long as a first call may, and not in that call
    import tracea.torch  # noqa: F401

__all__ = [
    "aligned",
    "attention",
    "block_sparse_matmul",
    "conv2d",
    "conv2d_filters",
    "conv2d_stats",
    "conv_transpose2d",
    "grouped_matmul",
    "layer_norm",
    "linear",
    "log_softmax",
    "low_rank_mlp",
    "matmul",
    "normalize",
    "prepacked",
    "rms_norm",
    "scaled_grouped_matmul",
    "scaled_matmul",
    "softmax",
]
