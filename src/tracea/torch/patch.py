# SPDX-License-Identifier: MIT
"""`patch_conv2d`: every `torch.nn.Conv2d` of the process computes with tracea, those that exist already included.

What is replaced is the one method that all of them share, so parameters, hooks and state dicts are untouched, and taking the patch back
leaves nothing behind. Patches nest: the last `unpatch_conv2d` restores PyTorch's own.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import torch

from tracea.torch.modules import ORIGINAL, convolve

_guard = threading.Lock()
_depth = 0


class Patch:
    """An active patch; leaving it as a context, or `undo`, takes it back once."""

    def __init__(self) -> None:
        self._active = True

    def undo(self) -> None:
        """Take this patch back; a second time does nothing."""
        if self._active:
            self._active = False
            unpatch_conv2d()

    def __enter__(self) -> Patch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()


def patch_conv2d() -> Patch:
    """Let every `torch.nn.Conv2d` compute with tracea, until `unpatch_conv2d` or the end of a ``with`` block.

    Returns
    -------
    Patch
        A context manager.

    Examples
    --------
    >>> import torch, tracea
    >>> layer = torch.nn.Conv2d(3, 8, 3)
    >>> with tracea.patch_conv2d():
    ...     layer(torch.zeros(1, 3, 8, 8)).shape
    torch.Size([1, 8, 6, 6])
    """
    global _depth
    with _guard:
        _depth += 1
        torch.nn.Conv2d._conv_forward = _patched  # type: ignore[method-assign]
    return Patch()


def unpatch_conv2d() -> None:
    """Take one `patch_conv2d` back; without one, nothing happens."""
    global _depth
    with _guard:
        _depth = max(0, _depth - 1)
        if _depth == 0:
            torch.nn.Conv2d._conv_forward = ORIGINAL  # type: ignore[method-assign]


def is_patched() -> bool:
    """Whether a patch is active."""
    return torch.nn.Conv2d._conv_forward is _patched


def _patched(self: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    result: torch.Tensor = convolve(self, input, weight, bias)
    return result
