# SPDX-License-Identifier: MIT
"""PyTorch's own computation of what an operator does, in the layout that the operator promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from tracea_core.errors import TraceaError
from tracea_core.ops.epilogue import Epilogue, block_rows

from tracea import fallback as fall_back
from tracea.torch import epilogues, shapes
from tracea.torch.stated import STATED


def call_of(
    name: str, reason: TraceaError, epilogue: Epilogue, settings: tuple[Any, ...], layout: shapes.Layout
) -> Callable[[list[torch.Tensor]], torch.Tensor]:
    """Return what computes an operator on its tensors where no kernel does, and says why once."""
    summed, epilogue = epilogue.sums, epilogue.without_sums()

    def compute(tensors: list[torch.Tensor]) -> torch.Tensor:
        x, w, *operands = tensors
        sums = operands.pop() if summed is not None else x
        if name in STATED:
            value = epilogues.apply(epilogue, STATED[name].in_torch(x, w, settings), operands, -1)
        elif name == "conv2d":
            value = epilogues.apply(epilogue, torch.nn.functional.conv2d(x, w, None, *settings), operands, 1)
        elif name == "conv_transpose2d":
            stride, edge, extra, spread, groups = settings
            sums = torch.nn.functional.conv_transpose2d(x, w, None, stride, edge, extra, groups, spread)
            value = epilogues.apply(epilogue, sums, operands, 1)
        else:
            product = torch.nn.functional.linear(x, w) if name == "linear" else torch.matmul(x, w)
            value = epilogues.apply(epilogue, product, operands, -1)
        if summed is not None:
            sums.copy_(block_sums(value.to(layout.dtype), shapes.column_axis(name), block_rows(summed)))
        if (
            value.dtype == layout.dtype
            and value.shape == layout.shape
            and layout.strides is None
            and value.is_contiguous()
        ):
            return value
        return layout.empty(x).copy_(value)

    def call(tensors: list[torch.Tensor]) -> torch.Tensor:
        return fall_back.to_torch(name, reason, "torch", lambda: compute(tensors))  # type: ignore[no-any-return]

    return call


def block_sums(y: torch.Tensor, column_axis: int, block: int) -> torch.Tensor:
    """Return the sums of a result that lies in memory, read once more (`tracea_core.ops.column_sums`)."""
    wide = torch.float64 if y.dtype is torch.float64 else torch.float32
    rows = y.movedim(column_axis, -1).reshape(-1, y.shape[column_axis]).to(wide)
    first = rows[::block]
    apart = rows - first.repeat_interleave(block, 0)[: len(rows)]
    whole = torch.nn.functional.pad(apart, (0, 0, 0, len(first) * block - len(rows))).view(len(first), block, -1)
    return torch.stack([first, whole.sum(1), whole.square().sum(1)])
