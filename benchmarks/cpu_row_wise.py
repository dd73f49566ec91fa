# SPDX-License-Identifier: MIT
"""Softmax and layer norm against PyTorch, and against copying the same bytes: the speed of memory is what they cannot exceed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from tracea import ops
from tracea.graduation.rounds import OURS, Bout

_RELATIVE = 1e-4
"""A result is right if it lies so close, of the row's largest value: 70 roundings of fp32 for the longest sum here."""


_OPERATIONS = 5
"""An element's, by which rates are told."""


def moved_gbps(gflops: float) -> float:
    """Return what a call at this rate reads and writes of its rows, in GB/s: 8 bytes of fp32 an element."""
    return round(gflops * 8 / _OPERATIONS, 1)


def softmax(rows: int, columns: int) -> Callable[[int], Bout]:
    """A softmax of standard normal fp32 rows."""
    return lambda threads: _bout(
        f"softmax {rows}×{columns}", torch.randn(rows, columns), threads,
        lambda x, out: ops.softmax(x, out=out), lambda x, out: torch.softmax(x, -1, out=out), lambda x: torch.softmax(x, -1),
    )  # fmt: skip


def layer_norm(rows: int, columns: int) -> Callable[[int], Bout]:
    """A layer norm of standard normal fp32 rows, with weight and bias."""
    weight, bias = torch.randn(columns), torch.randn(columns)

    def exact(x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (columns,), weight.double(), bias.double())

    return lambda threads: _bout(
        f"layer norm {rows}×{columns}", torch.randn(rows, columns), threads,
        lambda x, out: ops.layer_norm(x, weight, bias, out=out), lambda x, _: F.layer_norm(x, (columns,), weight, bias), exact,
    )  # fmt: skip


def _bout(
    name: str,
    x: torch.Tensor,
    threads: int,
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    exact: Callable[..., Any],
) -> Bout:
    torch.set_num_threads(threads)
    expected = exact(x.double())
    size, result = expected.abs().amax(-1, keepdim=True), expected.float()
    outs = [torch.empty_like(x) for _ in range(3)]
    contestants: dict[str, Callable[[], Any]] = {
        OURS: lambda: ours(x, outs[0]),
        "torch": lambda: theirs(x, outs[1]),
        "copy": lambda: outs[2].copy_(result),
    }
    return Bout(
        "row-wise",
        name,
        _OPERATIONS * x.numel(),
        contestants,
        lambda got: float(((got.double() - expected).abs() / size).max()) / _RELATIVE,
    )
