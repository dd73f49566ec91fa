# SPDX-License-Identifier: MIT
"""Under autocast the operands of products and of attention are cast to its type, as PyTorch does for its own; what an epilogue reads stays.

Epilogue operands keep their type because a kernel adds them to sums that are wider than either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(
    torch._C.DispatchKey.AutocastCUDA
)


def autocast_rule(
    name: str, device: str, count: int = 2, dtype: torch.dtype | None = None
) -> Callable[..., torch.Tensor]:
    """Return the kernel that stands for the operator `name` while autocast is on for `device` (``CPU`` or ``CUDA``).

    Parameters
    ----------
    count : int
        How many of the operator's first arguments are cast.
    dtype : torch.dtype, optional
        To what, if not to autocast's type: PyTorch casts what softmax and norms read to fp32.
    """
    kind = device.lower()

    def rule(*arguments: Any) -> torch.Tensor:
        target = torch.get_autocast_dtype(kind) if dtype is None else dtype
        with torch._C._ExcludeDispatchKeyGuard(_KEYS):
            operator = getattr(torch.ops.tracea, name).default
            cast = [None if given is None else cast_to(given, target) for given in arguments[:count]]
            result: torch.Tensor = operator(*cast, *arguments[count:])
        return result

    return rule


def cast_to(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return `tensor` in `dtype` if autocast would cast it: floating-point, and not fp64."""
    if tensor.dtype.is_floating_point and tensor.dtype is not torch.float64:
        return tensor.to(dtype)
    return tensor
