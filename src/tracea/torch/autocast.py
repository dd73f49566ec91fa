# SPDX-License-Identifier: MIT
"""Under autocast the matrix operands are cast to its type, as PyTorch does for its own products; what an epilogue reads stays.

Epilogue operands keep their type because a kernel adds them to sums that are wider than either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(
    torch._C.DispatchKey.AutocastCUDA
)


def autocast_rule(name: str, device: str) -> Callable[..., torch.Tensor]:
    """Return the kernel that stands for the operator `name` while autocast is on for `device` (``CPU`` or ``CUDA``)."""
    kind = device.lower()

    def rule(x: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
        dtype = torch.get_autocast_dtype(kind)
        with torch._C._ExcludeDispatchKeyGuard(_KEYS):
            operator = getattr(torch.ops.tracea, name).default
            result: torch.Tensor = operator(_cast(x, dtype), _cast(weight, dtype), *rest)
        return result

    return rule


def _cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return `tensor` in `dtype` if autocast would cast it: floating-point, and not fp64."""
    if tensor.dtype.is_floating_point and tensor.dtype is not torch.float64:
        return tensor.to(dtype)
    return tensor
