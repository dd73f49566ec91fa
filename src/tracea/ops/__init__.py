# SPDX-License-Identifier: MIT
"""The ops: each takes NumPy arrays, torch tensors or DLPack objects, an optional ``out=`` and an optional ``epilogue=``."""

from __future__ import annotations

from tracea.ops.conv import conv2d
from tracea.ops.matmul import linear, matmul

__all__ = ["conv2d", "linear", "matmul"]
