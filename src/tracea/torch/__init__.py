# SPDX-License-Identifier: MIT
"""tracea inside PyTorch: operators, a ``torch.compile`` backend, modules. Importing it imports torch; ``import tracea`` does not."""

from __future__ import annotations

import importlib.util

from tracea_core.errors import BackendUnavailableError

if importlib.util.find_spec("torch") is None:
    raise BackendUnavailableError("PyTorch is not installed", hint="pip install tracea[torch]")

from tracea.torch import block_sparse, chains, feed_forward, filter_gradients, grouped, rows, scaled  # noqa: F401 - registers their operators
from tracea.torch.compiler.report import Stats, reset_stats, stats
from tracea.torch.library import conv2d, conv_transpose2d, linear, matmul
from tracea.torch.registration import OPERATORS

OPS = tuple(OPERATORS)
"""Names of the operators under ``torch.ops.tracea``."""

__all__ = ["OPS", "Stats", "conv2d", "conv_transpose2d", "linear", "matmul", "reset_stats", "stats"]
