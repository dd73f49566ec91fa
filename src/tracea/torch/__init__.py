# SPDX-License-Identifier: MIT
"""tracea inside PyTorch: operators, a ``torch.compile`` backend, modules. Importing it imports torch; ``import tracea`` does not."""

from __future__ import annotations

from tracea.torch.compiler.report import Stats, reset_stats, stats
from tracea.torch.library import OPS, conv2d, linear, matmul

__all__ = ["OPS", "Stats", "conv2d", "linear", "matmul", "reset_stats", "stats"]
