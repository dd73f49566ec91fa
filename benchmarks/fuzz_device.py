# SPDX-License-Identifier: MIT
"""Memory of a device for random problems: every buffer between bands of poison, gaps of its strides poisoned too.

A buffer starts on an aligned address or a few elements behind one, as slices of larger arrays do. What a kernel may not write (inputs,
bands, gaps) is compared byte by byte after it has run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tracea_core.dtypes import DType

POISON = 0xA5
BAND_BYTES = 1024
_MOST_SHIFT = 8


@dataclass
class Placed:
    """One buffer: its bytes as they were placed, where they are now, and which of them are elements."""

    content: np.ndarray
    memory: Any
    kind: DType
    first: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    written: bool

    def elements(self, content: np.ndarray) -> np.ndarray:
        """Return the elements within some bytes of this form, in the storage of their type; strides count elements."""
        flat = content.view(self.kind.storage)[self.first :]
        size = self.kind.bytes
        return np.lib.stride_tricks.as_strided(flat, self.shape, tuple(stride * size for stride in self.strides))

    def after(self) -> np.ndarray:
        """Return all bytes as they are now."""
        return np.array(self.memory.cpu().numpy())

    def stray(self) -> int | None:
        """Return the first byte that changed and was nobody's to change, counted from the first element, or None."""
        now = self.after()
        mine = np.ones(now.size, bool)
        if self.written and 0 not in self.shape:
            inside = np.zeros(now.size, np.uint8)
            self.elements(inside)[...] = np.frombuffer(b"\xff" * self.kind.bytes, self.kind.storage)[0]
            mine = inside == 0
        changed = np.flatnonzero(mine & (now != self.content))
        return int(changed[0]) - self.first * self.kind.bytes if changed.size else None


class DeviceMemory:
    """The buffers of one problem on a device that PyTorch knows."""

    def __init__(self, device: str, random: np.random.Generator) -> None:
        import torch

        torch.backends.cudnn.allow_tf32 = (
            False  # PyTorch lets convolutions round fp32 by default; bounds here are fp32's
        )
        self.device, self.random = device, random
        self.placed: list[Placed] = []

    def show(self, array: np.ndarray, kind: DType, torch: bool, written: bool = False) -> Any:
        """Return a torch tensor on the device with the stored values and the strides of `array`, which may be `written`."""
        return self._place(array, kind, written=written)

    def output(self, shape: tuple[int, ...], kind: DType, axes: tuple[int, ...]) -> Any:
        """Return a tensor to write to, full of NaN, or of the lowest integer; `axes` from the outermost in memory to the innermost."""
        array = np.empty([shape[axis] for axis in axes], kind.storage)
        array[...] = kind.encode(np.nan if kind.is_float else kind.lowest)
        return self._place(array.transpose(np.argsort(axes)), kind, written=True)

    def _place(self, array: np.ndarray, kind: DType, *, written: bool) -> Any:
        import torch

        from tracea.arrays import torch_dtype

        size = kind.bytes
        strides = tuple(stride // size for stride in array.strides)
        if min(strides, default=0) < 0:
            raise ValueError("PyTorch has no negative strides")
        reach = 1 + sum((extent - 1) * stride for extent, stride in zip(array.shape, strides, strict=True) if extent)
        band = BAND_BYTES // size
        shift = int(self.random.integers(1, _MOST_SHIFT)) if self.random.random() < 0.2 else 0
        bytes_ = -(-(reach + 2 * band + _MOST_SHIFT) * size // 16) * 16
        content = np.full(bytes_, POISON, np.uint8)
        placed = Placed(content, None, kind, band + shift, array.shape, strides, written)
        placed.elements(content)[...] = array
        placed.memory = torch.from_numpy(content.copy()).to(self.device)
        self.placed.append(placed)
        flat = placed.memory.view(torch_dtype(kind))
        return torch.as_strided(flat, array.shape, strides, placed.first)

    def result(self) -> np.ndarray:
        """Return the stored values of the last output."""
        placed = next(buffer for buffer in reversed(self.placed) if buffer.written)
        return np.array(placed.elements(placed.after()))

    def damage(self) -> str:
        """Say which buffer was changed where it may not be; empty if none was."""
        for number, placed in enumerate(self.placed):
            stray = placed.stray()
            if stray is not None:
                what = "the output" if placed.written else f"input buffer {number}"
                return f"byte {stray} of {what} (counted from its first element) was changed"
        return ""
