# SPDX-License-Identifier: MIT
"""What happens when no kernel of tracea takes a call on torch tensors: PyTorch computes it, and the log says why, once.

``fallback="error"`` raises instead. NumPy arrays have nothing to fall back to, so for them the error is always raised.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from tracea_core.errors import OptionError, TraceaError, UnsupportedError
from tracea_core.ops.epilogue import Epilogue, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, Cast, Compare, Constant, Expr, Operand, Select, Unary

_log = logging.getLogger("tracea")
_told: set[str] = set()
MODES = ("torch", "error")


def check_mode(fallback: str) -> None:
    """Raise unless `fallback` is a known mode."""
    if fallback not in MODES:
        raise OptionError(f"fallback={fallback!r} is unknown", hint="Use 'torch' or 'error'")


def records_gradients(*tensors: Any) -> bool:
    """Whether PyTorch would record a backward pass for an op on these tensors."""
    import torch

    return torch.is_grad_enabled() and any(getattr(tensor, "requires_grad", False) for tensor in tensors)


def to_torch(op: str, reason: TraceaError | str, fallback: str, compute: Callable[[], Any]) -> Any:
    """Return ``compute()`` and log why, or raise if the caller asked for errors.

    Raises
    ------
    UnsupportedError
        With the reason, if ``fallback="error"``.
    """
    if fallback == "error":
        if isinstance(reason, TraceaError):
            raise reason
        raise UnsupportedError(reason, op=op, hint="Allow fallback='torch'")
    text = f"{op} runs in PyTorch: {reason if isinstance(reason, str) else reason.message}"
    if text not in _told:
        _told.add(text)
        _log.warning("%s", text)
    return compute()


def apply_epilogue(epilogue: Epilogue, value: Any, operands: Sequence[Any], column_axis: int = -1) -> Any:
    """Return the epilogue of a torch tensor, computed by PyTorch (so that gradients flow)."""
    import torch

    accumulators = list(torch.chunk(value, 2, dim=-1)) if epilogue.gated else [value]
    rank = accumulators[0].dim()
    shaped = []
    for operand, tensor in zip(epilogue.operands, operands, strict=True):
        given = torch.as_tensor(tensor, device=value.device)
        if operand.axes is OperandAxes.COLUMN and column_axis % rank != rank - 1:
            given = given.reshape(-1, *([1] * (rank - 1 - column_axis % rank)))
        elif operand.axes is OperandAxes.ROW:
            given = given.reshape(-1, 1)
        shaped.append(given)
    return _torch(epilogue.expr, accumulators, shaped)


def _torch(expr: Expr, accumulators: Sequence[Any], operands: Sequence[Any]) -> Any:
    import torch

    def inner(part: Expr) -> Any:
        return _torch(part, accumulators, operands)

    if isinstance(expr, Accumulator):
        return accumulators[expr.index]
    if isinstance(expr, Operand):
        return operands[expr.slot]
    if isinstance(expr, Constant):
        return torch.tensor(expr.value, dtype=accumulators[0].dtype, device=accumulators[0].device)
    if isinstance(expr, Unary):
        name = {"rint": "round"}.get(expr.fn.value, expr.fn.value)
        return getattr(torch, name)(inner(expr.x))
    if isinstance(expr, Binary):
        return getattr(torch, expr.fn.value)(inner(expr.x), inner(expr.y))
    if isinstance(expr, Compare):
        return getattr(torch, expr.fn.value)(inner(expr.x), inner(expr.y)).to(accumulators[0].dtype)
    if isinstance(expr, Select):
        return torch.where(inner(expr.condition) != 0, inner(expr.x), inner(expr.y))
    assert isinstance(expr, Cast)
    from tracea.arrays import torch_dtype

    value = inner(expr.x)
    if not expr.dtype.is_float:
        limits = torch.iinfo(torch_dtype(expr.dtype))
        return torch.clamp(torch.round(value), limits.min, limits.max).to(torch_dtype(expr.dtype))
    return value.to(torch_dtype(expr.dtype))
