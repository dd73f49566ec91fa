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
from tracea_core.ops.stages import StageLike

from tracea.arrays import torch_dtype
from tracea.torch.epilogues import apply_text, epilogue_of, program_of
from tracea.torch.functional import _PLAIN as PLAIN
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.naming import after_bias

_SCHEMA = (
    "(Tensor x, Tensor weights, Tensor offsets, Tensor[] operands, str epilogue, ScalarType? out_dtype, str backend, "
    "str fallback) -> Tensor"
)
_library: Any = torch.library.Library("tracea", "FRAGMENT")  # type: ignore[no-untyped-call]


def call(
    inputs: Sequence[torch.Tensor],
    bias: Any,
    epilogue: StageLike,
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

    text, operands = after_bias(bias, epilogue)
    after = [_tensor(operand, inputs[0]) for operand in operands]
    tensors = [*inputs, *after]
    check_devices("grouped_matmul", tensors)
    recorded = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    if not recorded and _plain(tensors if out is None else [*tensors, out]):
        return compute(inputs, epilogue_of(text), tuple(after), out_dtype, out, backend, fallback)
    kind = None if out_dtype is None else torch_dtype(out_dtype)
    operator = torch.ops.tracea.grouped_matmul.default
    if not recorded or not text:
        value = operator(*inputs, after, text, kind, backend or "", fallback)
    else:
        sums = operator(*inputs, [], "", None, backend or "", fallback)
        value = apply_text(text, sums, _of_rows(text, after, inputs[2], sums.shape[0]), -1)
        value = value if kind is None else value.to(kind)
    return value if out is None else out.copy_(value)


def ends_of(x: torch.Tensor, offsets: Any, sizes: Any, groups: int) -> torch.Tensor:
    """Return where groups end, as int32 on the device of `x`; what is on another device than the host, or traced, is not looked at.

    Raises
    ------
    ShapeError
        If there are not as many as groups, or those in host memory do not divide the rows of `x`.
    """
    from tracea.ops.grouped import host_ends, wrong_shape

    given = sizes if offsets is None else offsets
    traced = torch.compiler.is_compiling()
    if not traced and not (
        isinstance(given, torch.Tensor) and (given.device.type != "cpu" or type(given) not in PLAIN)
    ):
        return torch.from_numpy(host_ends(offsets, sizes, groups, x.shape[0])).to(x.device)
    if not isinstance(given, torch.Tensor):
        given = torch.tensor(given, device=x.device)
    if tuple(given.shape) != (groups,) or given.is_floating_point():
        raise wrong_shape(groups, given)
    ends = given if sizes is None else given.cumsum(0, dtype=torch.int32)
    return ends.to(x.device, torch.int32).contiguous()


def groups_of(rows: int, ends: torch.Tensor) -> torch.Tensor:
    """Return the group of every row, without waiting for the device; rows of none count to the last."""
    places = torch.arange(rows, dtype=ends.dtype, device=ends.device)
    return torch.searchsorted(ends, places, right=True).clamp_(max=ends.numel() - 1)


def _of_rows(text: str, operands: Sequence[torch.Tensor], ends: torch.Tensor, rows: int) -> list[torch.Tensor]:
    """Return the epilogue's operands with those that have a row for each group spread to the rows of the product."""
    axes = program_of(text)[0]
    return [
        given[groups_of(rows, ends)]
        if how == "column" and given.dim() == 2 and given.shape[0] == ends.numel()
        else given
        for how, given in zip(axes, operands, strict=True)
    ]


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
