# SPDX-License-Identifier: MIT
"""An array copied once into rows that every kernel reads at full width, for weights that are used again and again.

A product copies operands that no copy engine can address at each call, since it cannot know that they have not changed. Whoever knows
copies them once: the result has the same shape and values, and rows that are multiples of 128 bytes apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tracea_core.errors import ShapeError

from tracea.arrays import TORCH, Kind, adopt, kind_of

_ROW_BYTES = 128
_CHUNK = 16
"""What addresses must be multiples of for the widest copies."""


def aligned(array: Any) -> Any:
    """Return an array of the same shape and values whose rows are multiples of 128 bytes apart, and whose address of 16.

    Parameters
    ----------
    array : array
        Shape (…, m, n), of NumPy, PyTorch or a library with DLPack. Where its columns are contiguous instead of its rows, so are those
        of the result.

    Returns
    -------
    array
        `array` itself if its rows are aligned already, else a view of a larger new array: changes of one do not reach the other.

    Raises
    ------
    ShapeError
        If it has fewer than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> aligned(np.ones((3, 5), np.float32)).strides
    (128, 4)
    """
    if kind_of(array) is None:
        array = adopt(array, "array")
    if len(array.shape) < 2:
        raise ShapeError("only arrays of two or more axes have rows to align", op="aligned", shape=tuple(array.shape))
    kind = kind_of(array)
    assert kind is not None
    strides, size = _steps(kind, array)
    if strides[-2] == 1 and strides[-1] != 1:
        return _swapped(aligned(_swapped(array)))
    steps = [stride * size for extent, stride in zip(array.shape[:-1], strides[:-1], strict=True) if extent > 1]
    if strides[-1] == 1 and not any(step % _ROW_BYTES for step in steps) and _begins_well(kind, array):
        return array
    line = max(_ROW_BYTES // size, 1)
    shape = (*array.shape[:-1], -(-array.shape[-1] // line) * line)
    if kind is TORCH:
        found = array.new_empty(shape)[..., : array.shape[-1]]
        return found.copy_(array)
    room = np.empty(int(np.prod(shape)) * size + _ROW_BYTES, np.uint8)
    start = -room.ctypes.data % _ROW_BYTES
    rows = room[start : start + room.size - _ROW_BYTES].view(array.dtype).reshape(shape)
    rows[..., : array.shape[-1]] = array
    return rows[..., : array.shape[-1]]


def _steps(kind: Kind, array: Any) -> tuple[tuple[int, ...], int]:
    """Return the strides in elements, and bytes of an element; what traces tensors can follow this."""
    if kind is TORCH and _is_traced():
        return tuple(array.stride()), array.element_size()
    spec = kind.spec(array)
    return spec.strides, spec.dtype.bytes


def _begins_well(kind: Kind, array: Any) -> bool:
    """Whether the address is a multiple of what the widest copies want; one that is traced has none yet, and allocators give such."""
    return (kind is TORCH and _is_traced()) or kind.pointer(array) % _CHUNK == 0


def _is_traced() -> bool:
    """Whether PyTorch, which is loaded then, traces the code that calls this."""
    import torch

    return torch.compiler.is_compiling()


def _swapped(array: Any) -> Any:
    """The last two axes exchanged, as a view."""
    return array.swapaxes(-1, -2)
