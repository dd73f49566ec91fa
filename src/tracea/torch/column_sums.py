# SPDX-License-Identifier: MIT
"""Convolutions that return sums of their result with it: what a batch norm in training asks of the batch, without a pass of its own.

``torch.ops.tracea._conv2d_sums`` stands in compiled graphs past autograd only (`tracea.torch.compiler.sums`). For each block of 64
pixels and each channel it returns the first value y₀, Σ(y − y₀) and Σ(y − y₀)², of the values as they are stored
(`tracea_core.ops.column_sums`). Where no kernel sums columns, PyTorch reads the result once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.ops.problem import Problem

from tracea.torch import kernels, shapes
from tracea.torch.epilogues import epilogue_of
from tracea.torch.outline import Outline
from tracea.torch.registration import register_plain

NAME = "conv2d_sums"
BLOCK = 64
"""Pixels of a block: the rows that a warpgroup stages at a time."""
_SCHEMA = (
    "(Tensor x, Tensor weight, Tensor[] operands, str epilogue, int[] stride, int[] padding, int[] dilation, int groups, "
    "str backend) -> (Tensor, Tensor)"
)


def text_with_sums(text: str) -> str:
    """Return an epilogue whose columns are summed as well."""
    if text.startswith("{"):
        from tracea_core.ops.named import column_sums

        return epilogue_of(text).then(column_sums(BLOCK)).to_json()
    return ",".join(part for part in (text, f"sums:{BLOCK}") if part)


def shape_of(result: Sequence[int]) -> tuple[int, int, int]:
    """Return the shape of the sums of a result (n, k, p, q): three numbers for each block and channel.

    >>> shape_of((2, 8, 5, 7))
    (3, 2, 8)
    """
    n, k, p, q = result
    return 3, (n * p * q + BLOCK - 1) // BLOCK, k


def entry(tensors: Sequence[Outline], text: str, settings: tuple[Any, ...]) -> kernels.Entry:
    """Return what a call of the convolution with its sums becomes."""
    given = _with_sums(tensors, text, settings)
    return kernels.find("conv2d", given, text_with_sums(text), settings, "")  # type: ignore[arg-type]


def problem(tensors: Sequence[Outline], text: str, settings: tuple[Any, ...]) -> Problem:
    """Return the problem of that very entry."""
    given = _with_sums(tensors, text, settings)
    return kernels.problem_of("conv2d", given, epilogue_of(text_with_sums(text)), settings)  # type: ignore[arg-type]


def _with_sums(tensors: Sequence[Outline], text: str, settings: tuple[Any, ...]) -> list[Outline]:
    layout = kernels.layout_of("conv2d", tensors, epilogue_of(text), settings)  # type: ignore[arg-type]
    return [*tensors, Outline.contiguous(shape_of(layout.shape), torch.float32, tensors[0].device)]


def run(
    tensors: list[torch.Tensor], text: str, settings: tuple[Any, ...], backend: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a convolution and its sums."""
    layout = kernels.layout_of("conv2d", tensors, epilogue_of(text), settings)
    sums = torch.empty(shape_of(layout.shape), dtype=torch.float32, device=tensors[0].device)
    return kernels.run("conv2d", [*tensors, sums], text_with_sums(text), settings, backend), sums


def _kernel(
    x: torch.Tensor, weight: torch.Tensor, operands: Sequence[torch.Tensor], epilogue: str, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], groups: int, backend: str,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    settings = (tuple(stride), tuple(padding), tuple(dilation), groups)
    return run([x, weight, *operands], epilogue, settings, backend)


def _fake(x: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, torch.Tensor]:
    y = shapes.fake_conv2d(x, *arguments)
    return y, torch.empty(shape_of(y.shape), dtype=torch.float32, device=y.device)


register_plain(f"_{NAME}", _SCHEMA, _kernel, _fake)
