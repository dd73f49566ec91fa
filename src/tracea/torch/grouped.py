# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.grouped_matmul``: products of ragged groups as an operator of PyTorch, with a fake and gradients.

The gradient of the rows is a grouped product again, whose offsets stay on the device. That of the weights sums over the rows of each
group (``torch.ops.tracea.grouped_outer``); PyTorch computes it group by group, for which the offsets are read back. Where a gradient
is recorded, the epilogue is PyTorch's, so that its slopes are known there. Calls that nothing listens to skip the dispatcher.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.stages import StageLike

from tracea.arrays import torch_dtype
from tracea.ops.request import Asked
from tracea.torch.epilogues import apply_text, epilogue_of, program_of
from tracea.torch.forward_mode import records
from tracea.torch.functional import _PLAIN as PLAIN
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.naming import after_bias
from tracea.torch.recording import Recorded
from tracea.torch.registration import Cast, register
from tracea.torch.shapes import result_dtype

_SCHEMA = (
    "(Tensor x, Tensor weights, Tensor offsets, Tensor[] operands, str epilogue, ScalarType? out_dtype, str backend, "
    "str fallback) -> Tensor"
)
_OUTER = "(Tensor x, Tensor gradient, Tensor offsets, Tensor[] operands, str backend, str fallback) -> Tensor"


def call(
    inputs: Sequence[torch.Tensor],
    bias: Any,
    epilogue: StageLike,
    out_dtype: DType | None,
    asked: Asked,
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
    recorded = records(tensors)
    if not recorded and _plain(tensors if asked.out is None else [*tensors, asked.out]):
        return compute(inputs, epilogue_of(text), tuple(after), out_dtype, asked)
    kind = None if out_dtype is None else torch_dtype(out_dtype)
    operator = torch.ops.tracea.grouped_matmul.default
    if not recorded or not text:
        value = operator(*inputs, after, text, kind, asked.backend or "", asked.fallback)
    else:
        sums = operator(*inputs, [], "", None, asked.backend or "", asked.fallback)
        value = apply_text(text, sums, _of_rows(text, after, inputs[2], sums.shape[0]), -1)
        value = value if kind is None else value.to(kind)
    return value if asked.out is None else asked.out.copy_(value)


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


def _kernel(*arguments: Any) -> torch.Tensor:
    from tracea.ops.grouped import compute

    *inputs, operands, text, out_dtype, backend, fallback = arguments
    kind = None if out_dtype is None else DType.parse(str(out_dtype))
    value: torch.Tensor = compute(
        inputs, epilogue_of(text), tuple(operands), kind, Asked(None, backend or None, fallback)
    )
    return value


def _fake(*arguments: Any) -> torch.Tensor:
    x, weights, _, _, text, out_dtype, *_ = arguments
    columns = weights.shape[2] // (2 if epilogue_of(text).gated else 1)
    return torch.empty((x.shape[0], columns), dtype=result_dtype(x, epilogue_of(text), out_dtype), device=x.device)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, weights, offsets, (text, _, *settings), *operands = inputs
    if text or operands:
        raise OptionError(
            "the operator records no gradient through an epilogue",
            hint="Call tracea.ops, which splits it off",
            op="grouped_matmul",
        )
    ctx.save_for_backward(x, weights, offsets)
    ctx.settings, ctx.asked = tuple(settings), tuple(ctx.needs_input_grad)


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    x, weights, offsets = ctx.saved_tensors
    given, dx, dw = gradient.to(x.dtype), None, None
    if ctx.asked[0]:
        dx = _of_groups(given, weights.transpose(1, 2), offsets, ctx.settings)
    if ctx.asked[1]:
        dw = torch.ops.tracea.grouped_outer.default(x, given, offsets, [], *ctx.settings).to(weights.dtype)
    return dx, dw, None, None


def _of_groups(
    x: torch.Tensor, weights: torch.Tensor, offsets: torch.Tensor, settings: tuple[str, str]
) -> torch.Tensor:
    """Return the product of every group, and zeros in rows of none, which a grouped product does not write."""
    found = torch.ops.tracea.grouped_matmul.default(x, weights, offsets, [], "", None, *settings)
    places = torch.arange(x.shape[0], device=x.device)
    return torch.where((places < offsets[-1])[:, None], found, 0)


def _outer(
    x: torch.Tensor, gradient: torch.Tensor, offsets: torch.Tensor, operands: Any, backend: str, fallback: str
) -> torch.Tensor:
    """Return xᵀ·gradient over the rows of each group, shape (groups, k, n)."""
    if offsets.is_cuda and torch.cuda.is_current_stream_capturing():
        return _outer_of_all_rows(x, gradient, offsets)
    ends = [0, *offsets.clamp(0, x.shape[0]).tolist()]
    parts = [x[start:stop].t() @ gradient[start:stop] for start, stop in itertools.pairwise(ends)]
    return torch.stack(parts)


def _outer_of_all_rows(x: torch.Tensor, gradient: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return the same without asking the device where groups end, which a graph that is captured cannot: zeros stand for other rows."""
    places = torch.arange(x.shape[0], device=x.device)
    ends = offsets.clamp(0, x.shape[0])
    starts = torch.cat([ends.new_zeros(1), ends[:-1]])
    parts = []
    for group in range(offsets.shape[0]):
        inside = ((places >= starts[group]) & (places < ends[group]))[:, None]
        parts.append(torch.where(inside, x, 0).t() @ torch.where(inside, gradient, 0))
    return torch.stack(parts)


def _fake_outer(
    x: torch.Tensor, gradient: torch.Tensor, offsets: torch.Tensor, operands: Any, backend: str, fallback: str
) -> torch.Tensor:
    return x.new_empty((offsets.shape[0], x.shape[1], gradient.shape[1]))


def _keep_outer(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, gradient, offsets, ctx.settings = inputs[:4]
    ctx.save_for_backward(x, gradient, offsets)


def _through_outer(ctx: Any, weights: torch.Tensor) -> tuple[Any, ...]:
    x, gradient, offsets = ctx.saved_tensors
    by_x = _of_groups(gradient, weights.transpose(1, 2), offsets, ctx.settings)
    return by_x, _of_groups(x, weights, offsets, ctx.settings), None, None


def _register() -> None:
    register("grouped_matmul", _SCHEMA, _kernel, _fake, recorded=Recorded(3, _keep, _backward), cast=Cast(2))
    through = Recorded(3, _keep_outer, _through_outer)
    register("grouped_outer", _OUTER, _outer, _fake_outer, recorded=through, cast=Cast(2))


_register()
