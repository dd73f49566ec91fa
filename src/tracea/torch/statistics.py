# SPDX-License-Identifier: MIT
"""Convolutions with mean and variance of each channel of their result: what a batch norm in training asks of the batch.

Where a kernel sums what it stores (`tracea_core.ops.column_sums`), the result is not read again for them; the few sums of each block of
pixels are joined here. Elsewhere PyTorch reads it once more. The backward pass adds what flows through mean and variance to what flows
through the result, and goes on as that of the convolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tracea import fallback as fall_back
from tracea.torch import autograd, kernels, shapes
from tracea.torch.epilogues import epilogue_of
from tracea.torch.forward_mode import records
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.recording import Recorded
from tracea.torch.registration import Cast, register

NAME = "conv2d_stats"
BLOCK = 168
"""Pixels of a block on processors: what the rows of most register tiles divide, and so many that sums take 2 % of the result's memory."""
BLOCK_OF_WARPS = 64
"""Pixels of a block elsewhere: the rows that a warpgroup stages at a time."""
_SCHEMA = (
    "(Tensor x, Tensor weight, Tensor[] operands, str epilogue, int[] stride, int[] padding, int[] dilation, int groups, "
    "str backend) -> (Tensor, Tensor, Tensor)"
)
Results = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def call(
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: Sequence[Any],
    settings: tuple[Any, ...],
    backend: str,
    fallback: str,
) -> Results:
    """Return a convolution with its statistics on torch tensors; see `tracea.ops.conv2d_stats`."""
    tensors = [*inputs, *(_tensor(operand, inputs[0]) for operand in operands)]
    if not records(tensors) and _plain(tensors):
        check_devices(NAME, tensors)
        return compute(tensors, text, settings, backend, fallback)
    if fallback == "error" and _plain(tensors):
        reason = entry(tensors, text, settings, backend).reason
        if reason is not None:
            raise reason
    lists = [list(each) if isinstance(each, tuple) else each for each in settings]
    found: Results = torch.ops.tracea.conv2d_stats.default(tensors[0], tensors[1], tensors[2:], text, *lists, backend)
    return found


def block_of(device: torch.device) -> int:
    """Return how many pixels a block has on a device."""
    return BLOCK if device.type in ("cpu", "meta") else BLOCK_OF_WARPS


def text_with_sums(text: str, block: int = BLOCK) -> str:
    """Return an epilogue whose columns are summed as well, in blocks of so many pixels."""
    if text.startswith("{"):
        from tracea_core.ops.named import column_sums

        return epilogue_of(text).then(column_sums(block)).to_json()
    return ",".join(part for part in (text, f"sums:{block}") if part)


def sums_for(tensors: Sequence[torch.Tensor], text: str, settings: tuple[Any, ...]) -> torch.Tensor:
    """Return memory for the sums of a call."""
    layout = kernels.layout_of("conv2d", tensors, epilogue_of(text), settings)
    n, k, p, q = layout.shape
    blocks = -(-n * p * q // block_of(tensors[0].device))
    return torch.empty((3, blocks, k), dtype=_wide(layout.dtype), device=tensors[0].device)


def entry(tensors: Sequence[torch.Tensor], text: str, settings: tuple[Any, ...], backend: str = "") -> kernels.Entry:
    """Return what a call of the convolution that sums its columns becomes."""
    given = [*tensors, sums_for(tensors, text, settings)]
    return kernels.find("conv2d", given, text_with_sums(text, block_of(tensors[0].device)), settings, backend)


def compute(
    tensors: Sequence[torch.Tensor], text: str, settings: tuple[Any, ...], backend: str, fallback: str = "torch"
) -> Results:
    """Run the kernel and join its sums, or let PyTorch read the result once more where no kernel sums columns."""
    sums = sums_for(tensors, text, settings)
    given, summed = [*tensors, sums], text_with_sums(text, block_of(sums.device))
    try:
        reason = kernels.find("conv2d", given, summed, settings, backend).reason
    except kernels.NO_KERNEL as error:  # of the backend that was asked for, which may have the convolution alone
        reason = error
    if reason is None:
        y = kernels.run("conv2d", given, summed, settings, backend)
        if y.numel():
            return y, *joined(sums, y.numel() // y.shape[1])

    def apart() -> Results:
        y = kernels.run("conv2d", list(tensors), text, settings, backend)
        variance, mean = torch.var_mean(y.to(_wide(y.dtype)), (0, 2, 3), correction=0)
        return y, mean, variance

    return apart() if reason is None else fall_back.to_torch(NAME, reason, fallback, apart)


def joined(sums: torch.Tensor, every: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return mean and variance of every channel by the sums of its blocks, of `every` pixels in total (`tracea_core.ops.column_sums`).

    They are added in double precision, whose few numbers cost nothing and leave the sums' own rounding.
    """
    first, total, squares = sums.double()
    block = block_of(sums.device)
    each = torch.full((first.shape[0],), float(block), dtype=torch.float64, device=sums.device)
    each[-1:] = every - (first.shape[0] - 1) * block
    means = torch.addcdiv(first, total, each[:, None])
    mean = torch.mv(means.t(), each) / every
    within = (squares - total * (means - first)).sum(0)
    variance = (within + torch.mv((means - mean).square_().t(), each)) / every
    return mean.to(sums.dtype), variance.to(sums.dtype)


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype is torch.float64 else torch.float32


def _kernel(
    x: torch.Tensor, weight: torch.Tensor, operands: Sequence[torch.Tensor], epilogue: str, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], groups: int, backend: str,
) -> Results:  # fmt: skip
    settings = (tuple(stride), tuple(padding), tuple(dilation), groups)
    return compute([x, weight, *operands], epilogue, settings, backend)


def _fake(x: torch.Tensor, *arguments: Any) -> Results:
    y = shapes.fake_conv2d(x, *arguments)
    mean = torch.empty((y.shape[1],), dtype=_wide(y.dtype), device=y.device)
    return y, mean, torch.empty_like(mean)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Results) -> None:
    y, mean, _ = output
    ctx.save_for_backward(*autograd.kept("conv2d", ctx, tuple(ctx.needs_input_grad), inputs, y), y, mean)


def _through(ctx: Any, by_result: torch.Tensor, by_mean: torch.Tensor, by_variance: torch.Tensor) -> tuple[Any, ...]:
    """With n pixels: dmean/dy = 1/n, dvar/dy = 2·(y − mean)/n."""
    *saved, y, mean = ctx.saved_tensors
    every = y.numel() // max(y.shape[1], 1) if isinstance(y.shape[1], int) else y.shape[0] * y.shape[2] * y.shape[3]
    along = (1, -1, 1, 1)
    apart = y.to(mean.dtype) - mean.view(along)
    added = (by_mean / every).view(along) + apart * (2 * by_variance / every).view(along)
    return autograd.through("conv2d", ctx, saved, by_result + added.to(y.dtype))


register(
    NAME, _SCHEMA, _kernel, _fake, recorded=Recorded(2, _keep, _through), cast=Cast(2), twin=True, results=3
)  # fmt: skip
