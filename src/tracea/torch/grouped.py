# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.grouped_matmul``: products of ragged groups as an operator of PyTorch, with a fake and gradients.

The offsets stay where they are, on the device, in the backward pass too: the gradient of the rows is a grouped product again. That of
the weights sums over the rows of each group; PyTorch computes it, group by group where it has no kernel of its own for it. Where a
gradient is recorded, the epilogue is PyTorch's, so that its slopes are known there. Calls that nothing listens to skip the dispatcher.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.ops.epilogue import Epilogue, OperandAxes

from tracea.arrays import torch_dtype
from tracea.torch.epilogues import epilogue_of, evaluate, halves, spread, text_of
from tracea.torch.functional import _plain, _tensor, check_devices

_SCHEMA = (
    "(Tensor x, Tensor weights, Tensor offsets, Tensor[] operands, str epilogue, ScalarType? out_dtype, str backend, "
    "str fallback) -> Tensor"
)
_library: Any = torch.library.Library("tracea", "FRAGMENT")  # type: ignore[no-untyped-call]


def call(
    inputs: Sequence[torch.Tensor],
    epilogue: Epilogue,
    operands: Sequence[Any],
    out_dtype: DType | None,
    out: Any = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return a grouped product of torch tensors; see `tracea.ops.grouped_matmul`.

    Parameters
    ----------
    inputs : sequence of Tensor
        x, the weights, and the ends of the groups.
    """
    from tracea.ops.grouped import compute

    after = [_tensor(operand, inputs[0]) for operand in operands]
    tensors = [*inputs, *after]
    check_devices("grouped_matmul", tensors)
    recorded = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    if not recorded and _plain(tensors if out is None else [*tensors, out]):
        return compute(inputs, epilogue, tuple(after), out_dtype, out, backend, fallback)
    kind = None if out_dtype is None else torch_dtype(out_dtype)
    operator = torch.ops.tracea.grouped_matmul.default
    if not recorded or epilogue.is_identity:
        value = operator(*inputs, after, text_of(epilogue), kind, backend or "", fallback)
    else:
        sums = operator(*inputs, [], "", None, backend or "", fallback)
        value = _applied(epilogue, sums, after, inputs[2])
        value = value if kind is None else value.to(kind)
    return value if out is None else out.copy_(value)


def groups_of(rows: int, ends: torch.Tensor) -> torch.Tensor:
    """Return the group of every row, without waiting for the device; rows of none count to the last."""
    places = torch.arange(rows, dtype=ends.dtype, device=ends.device)
    return torch.searchsorted(ends, places, right=True).clamp_(max=ends.numel() - 1)


def _applied(
    epilogue: Epilogue, sums: torch.Tensor, operands: Sequence[torch.Tensor], ends: torch.Tensor
) -> torch.Tensor:
    shaped = spread(epilogue, operands, 2, -1)
    for slot, (stated, given) in enumerate(zip(epilogue.operands, operands, strict=True)):
        if stated.axes is OperandAxes.COLUMN and given.dim() == 2 and given.shape[0] == ends.numel():
            shaped[slot] = given[groups_of(sums.shape[0], ends)]
    return evaluate(epilogue.expr, halves(sums, epilogue.gated), shaped)


def _kernel(
    x: torch.Tensor,
    weights: torch.Tensor,
    offsets: torch.Tensor,
    operands: Sequence[torch.Tensor],
    text: str,
    out_dtype: torch.dtype | None,
    backend: str,
    fallback: str,
) -> torch.Tensor:
    from tracea.ops.grouped import compute

    kind = None if out_dtype is None else DType.parse(str(out_dtype))
    value: torch.Tensor = compute(
        (x, weights, offsets), epilogue_of(text), tuple(operands), kind, None, backend or None, fallback
    )
    return value


def _fake(
    x: torch.Tensor,
    weights: torch.Tensor,
    offsets: torch.Tensor,
    operands: Sequence[torch.Tensor],
    text: str,
    out_dtype: torch.dtype | None,
    backend: str,
    fallback: str,
) -> torch.Tensor:
    columns = weights.shape[2] // (2 if epilogue_of(text).gated else 1)
    stored = epilogue_of(text).stored_dtype
    default = torch.int32 if not x.dtype.is_floating_point else x.dtype
    dtype = out_dtype or (default if stored is None else torch_dtype(stored))
    return x.new_empty((x.shape[0], columns), dtype=dtype)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, weights, offsets, _, text, _, backend, fallback = inputs
    if text:
        raise NotImplementedError(
            "the operator records gradients of plain products; tracea.ops.grouped_matmul cuts epilogues off"
        )
    ctx.save_for_backward(x, weights, offsets)
    ctx.settings = (backend, fallback)


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    x, weights, offsets = ctx.saved_tensors
    dx = dw = None
    if ctx.needs_input_grad[0]:
        given = gradient.to(x.dtype)
        dx = torch.ops.tracea.grouped_matmul.default(
            given, weights.transpose(1, 2), offsets, [], "", None, *ctx.settings
        )
        places = torch.arange(x.shape[0], device=x.device)
        dx = torch.where((places < offsets[-1])[:, None], dx, 0)  # rows of no group are not written
    if ctx.needs_input_grad[1]:
        dw = _of_weights(x, gradient.to(x.dtype), offsets).to(weights.dtype)
    return dx, dw, None, [], None, None, None, None


def _of_weights(x: torch.Tensor, gradient: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return xᵀ·gradient over the rows of each group, shape (groups, k, n)."""
    ends = [0, *offsets.clamp(0, x.shape[0]).tolist()]
    parts = [x[start:stop].t() @ gradient[start:stop] for start, stop in itertools.pairwise(ends)]
    return torch.stack(parts)


def _register() -> None:
    _library.define("grouped_matmul" + _SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
    for device in ("CPU", "CUDA"):
        _library.impl("grouped_matmul", _kernel, device)
    torch.library.register_fake("tracea::grouped_matmul", _fake, lib=_library)
    torch.library.register_autograd("tracea::grouped_matmul", _backward, setup_context=_keep, lib=_library)


_register()
