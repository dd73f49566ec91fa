# SPDX-License-Identifier: MIT
"""Tensors that notice what happens around them: poison between guard bands, in host or device memory.

A kernel that skips an element leaves poison in it, one that writes beside its output changes a band or a gap between rows,
and one that writes an input changes that. All three are seen by comparing bytes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.spec import TensorSpec

BAND = 128
"""Elements of poison on either side of a tensor."""
POISON = 0xA5
"""Every byte of what nobody has written. As fp32 −2.9e-16, as fp64 −1.6e-128: finite, so that a sum does not hide it as NaN."""


class Memory(Protocol):
    """Bytes that a kernel can reach, seen from the host."""

    @property
    def address(self) -> int:
        """Where the bytes start, as the kernel addresses them."""
        ...

    def read(self) -> npt.NDArray[np.uint8]:
        """Return the bytes as they are now."""
        ...


class HostMemory:
    """Bytes in the host's own memory."""

    def __init__(self, content: npt.NDArray[np.uint8]) -> None:
        self._content = content.copy()
        self.address = int(self._content.ctypes.data)

    def read(self) -> npt.NDArray[np.uint8]:
        """Return the bytes as they are now."""
        return self._content.copy()


class TorchMemory:
    """Bytes on a device that PyTorch knows by the same name."""

    def __init__(self, content: npt.NDArray[np.uint8], device: str) -> None:
        torch = importlib.import_module("torch")
        self._content: Any = torch.from_numpy(content.copy()).to(device)
        self.address = int(self._content.data_ptr())

    def read(self) -> npt.NDArray[np.uint8]:
        """Return the bytes once everything queued on the device has run (the copy waits for it)."""
        return np.array(self._content.cpu().numpy())


def place(content: npt.NDArray[np.uint8], device: str, kind: str) -> Memory:
    """Return a copy of `content` that kernels of `device` can reach.

    Parameters
    ----------
    kind : str
        What the runtime says about its memory: ``host``, or anything else for memory that PyTorch allocates.

    Raises
    ------
    BackendUnavailableError
        If PyTorch is needed and cannot be used.
    """
    if kind == "host":
        return HostMemory(content)
    try:
        return TorchMemory(content, device)
    except Exception as error:
        raise BackendUnavailableError(
            f"memory of {device} is reached through PyTorch, which fails: {type(error).__name__}: {error}",
            hint="Install a PyTorch for the device, or give the runtime memory = 'host' if it works on host addresses",
        ) from error


class Tensor:
    """A tensor of `spec` in memory whose every other byte is poison. The elements are poison too until `fill`."""

    def __init__(self, spec: TensorSpec) -> None:
        self.spec = spec
        steps = [(extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent]
        below, above = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
        self._first = BAND - below
        size = spec.dtype.bytes
        self.content = np.full((above - below + 1 + 2 * BAND) * size, POISON, np.uint8)
        self.memory: Memory | None = None

    def _elements(self, content: npt.NDArray[np.uint8]) -> npt.NDArray[np.generic]:
        flat = content.view(self.spec.dtype.storage)[self._first :]
        strides = tuple(stride * self.spec.dtype.bytes for stride in self.spec.strides)
        return np.lib.stride_tricks.as_strided(flat, self.spec.shape, strides)

    def fill(self, values: npt.ArrayLike) -> Tensor:
        """Store `values`, rounded to the tensor's type."""
        self._elements(self.content)[...] = self.spec.dtype.encode(values)
        return self

    def values(self, content: npt.NDArray[np.uint8] | None = None) -> npt.NDArray[np.float64]:
        """Return the exact values of the elements, as they were placed or in other bytes of the same form."""
        return self.spec.dtype.decode(np.array(self._elements(self.content if content is None else content)))

    def place(self, device: str, kind: str, put: Callable[[npt.NDArray[np.uint8], int], Memory] | None = None) -> int:
        """Put the tensor where kernels can reach it and return the address of its first element.

        Parameters
        ----------
        put : callable, optional
            ``put(content, guard_bytes) -> Memory`` of a device that watches its guard bands itself.
        """
        guard = BAND * self.spec.dtype.bytes
        self.memory = put(self.content, guard) if put else place(self.content, device, kind)
        return self.memory.address + self._first * self.spec.dtype.bytes

    def after(self) -> npt.NDArray[np.uint8]:
        """Return all bytes as they are now, bands included."""
        assert self.memory is not None, "the tensor was never placed"
        return self.memory.read()

    def changed_outside(self, content: npt.NDArray[np.uint8]) -> int | None:
        """Return the first byte beyond the elements that differs from poison, counted from the first element, or None."""
        inside = np.zeros(content.size, np.uint8)
        self._elements(inside)[...] = np.frombuffer(b"\xff" * self.spec.dtype.bytes, self.spec.dtype.storage)[0]
        beyond = np.flatnonzero((inside == 0) & (content != POISON))
        return int(beyond[0]) - self._first * self.spec.dtype.bytes if beyond.size else None
