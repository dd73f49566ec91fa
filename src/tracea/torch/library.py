# SPDX-License-Identifier: MIT
"""The products that PyTorch knows under ``torch.ops.tracea``, and functions that call them.

``Library.define`` and ``impl`` rather than ``custom_op``, whose calls cost more than twice as much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from tracea.torch import kernels, shapes
from tracea.torch.autograd import recorded
from tracea.torch.registration import Cast, register

_SCHEMAS = {
    "matmul": "(Tensor a, Tensor b, Tensor[] operands, str epilogue, ScalarType? out_dtype, bool deterministic, "
    "bool fast_accumulation, str backend) -> Tensor",
    "linear": "(Tensor x, Tensor weight, Tensor[] operands, str epilogue, str backend) -> Tensor",
    "conv2d": "(Tensor x, Tensor weight, Tensor[] operands, str epilogue, int[] stride, int[] padding, int[] dilation, int groups, "
    "str backend) -> Tensor",
    "conv_transpose2d": "(Tensor x, Tensor weight, Tensor[] operands, str epilogue, int[] stride, int[] padding, "
    "int[] output_padding, int[] dilation, int groups, str backend) -> Tensor",
}
_FAKES: dict[str, Callable[..., torch.Tensor]] = {
    "matmul": shapes.fake_matmul,
    "linear": shapes.fake_linear,
    "conv2d": shapes.fake_conv2d,
    "conv_transpose2d": shapes.fake_conv_transpose2d,
}


def _register() -> None:
    for name, schema in _SCHEMAS.items():
        register(name, schema, kernels.KERNELS[name], _FAKES[name], recorded=recorded(name), cast=Cast(2), twin=True)


_register()


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    operands: Sequence[torch.Tensor] = (),
    epilogue: str = "",
    out_dtype: torch.dtype | None = None,
    deterministic: bool = False,
    fast_accumulation: bool = False,
    backend: str = "",
) -> torch.Tensor:
    """Return ``epilogue(a @ b)`` through ``torch.ops.tracea.matmul``.

    Parameters
    ----------
    a, b : Tensor
        Shapes (…, m, k) and (…, k, n) with leading axes that broadcast.
    operands : sequence of Tensor
        The epilogue's, by slot.
    epilogue : str
        Stages by name, such as ``bias,gelu``, or the JSON of an `Epilogue`.
    out_dtype, deterministic, fast_accumulation, backend
        As for `tracea.ops.matmul`.
    """
    settings = (out_dtype, deterministic, fast_accumulation)
    return _call("matmul", a, b, list(operands), epilogue, *settings, backend)


def linear(
    x: torch.Tensor, weight: torch.Tensor, operands: Sequence[torch.Tensor] = (), epilogue: str = "", backend: str = ""
) -> torch.Tensor:
    """Return ``epilogue(x @ weightᵀ)`` through ``torch.ops.tracea.linear``; x has shape (…, k), weight (n, k)."""
    return _call("linear", x, weight, list(operands), epilogue, backend)


def conv2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    operands: Sequence[torch.Tensor] = (),
    epilogue: str = "",
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
    backend: str = "",
) -> torch.Tensor:
    """Return ``epilogue(conv2d(x, weight))`` through ``torch.ops.tracea.conv2d``."""
    return _call(
        "conv2d", x, weight, list(operands), epilogue, list(stride), list(padding), list(dilation), groups, backend
    )


def conv_transpose2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    operands: Sequence[torch.Tensor] = (),
    epilogue: str = "",
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    output_padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
    backend: str = "",
) -> torch.Tensor:
    """Return ``epilogue(conv_transpose2d(x, weight))`` through ``torch.ops.tracea.conv_transpose2d``."""
    settings = (list(stride), list(padding), list(output_padding), list(dilation), groups)
    return _call("conv_transpose2d", x, weight, list(operands), epilogue, *settings, backend)


def _call(name: str, *arguments: Any) -> torch.Tensor:
    result: torch.Tensor = getattr(torch.ops.tracea, name).default(*arguments)
    return result
