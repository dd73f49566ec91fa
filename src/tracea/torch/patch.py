# SPDX-License-Identifier: MIT
"""`patch_conv2d`: every `torch.nn.Conv2d` of the process computes with tracea, those that exist already included.

What is replaced is the one method that all of them share, so parameters, hooks and state dicts are untouched. Patches nest. What stands in
the method's place asks how many are active, an attribute that Dynamo follows, guards and writes: so patches may begin and end inside
compiled code, whose tracer refuses to set attributes of classes, and code that was traced under one is compiled again when it is taken
back. Once it has been traced it stays, since compiled code relies on it; otherwise the last `unpatch_conv2d` restores PyTorch's own.
"""

from __future__ import annotations

import functools
import threading
from types import TracebackType
from typing import Any

import torch
import torch.nn.functional as F  # noqa: F401 - TorchScript reads the source of ORIGINAL and looks up its names here
from torch.nn.modules.utils import _pair  # noqa: F401 - the same

from tracea.torch.modules import ORIGINAL, convolve
from tracea.tracing import constant_while_tracing


class _State:
    """How many patches are active, and whether compiled code may ask."""

    def __init__(self) -> None:
        self.depth = 0
        self.traced = False


_guard = threading.Lock()
_state = _State()


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
    if torch.compiler.is_compiling():
        _be_traced()
        _state.depth += 1
    else:
        with _guard:
            _state.depth += 1
            torch.nn.Conv2d._conv_forward = _forward  # type: ignore[method-assign]
    return Patch()


def unpatch_conv2d() -> None:
    """Take one `patch_conv2d` back; without one, nothing happens."""
    if torch.compiler.is_compiling():
        _be_traced()
        _state.depth = max(0, _state.depth - 1)
        return
    with _guard:
        _state.depth = max(0, _state.depth - 1)
        if not _state.depth and not _state.traced:
            torch.nn.Conv2d._conv_forward = ORIGINAL  # type: ignore[method-assign]


def is_patched() -> bool:
    """Whether a patch is active."""
    return _state.depth > 0


@functools.wraps(ORIGINAL)
def _forward(self: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """Return what a convolution module computes, by whoever is asked at the moment."""
    if torch.compiler.is_compiling():
        _be_traced()
    compute = convolve if _state.depth else ORIGINAL
    result: torch.Tensor = compute(self, input, weight, bias)
    return result


@constant_while_tracing
def _be_traced() -> None:
    """Let `_forward` stand for good; what is traced may not do so itself."""
    with _guard:
        _state.traced = True
        torch.nn.Conv2d._conv_forward = _forward  # type: ignore[method-assign]
