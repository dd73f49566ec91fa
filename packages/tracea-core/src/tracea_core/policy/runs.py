# SPDX-License-Identifier: MIT
"""How elements of a tensor lie together: runs that are whole, strides that are aligned, and how far the tensor reaches."""

from __future__ import annotations

import math

from tracea_core.ops.spec import TensorSpec


def whole_runs(spec: TensorSpec) -> int:
    """Return the largest power of two up to 16 bytes into which the contiguous axis divides without a rest."""
    plain = spec.settled()
    extents = [extent for extent, stride in zip(plain.shape, plain.strides, strict=True) if stride == 1]
    return math.gcd(16, *(extent * spec.dtype.bytes for extent in extents))


def alignment(spec: TensorSpec, most: int = 16) -> int:
    """Return the largest power of two up to `most` that divides every stride of more than one element, in bytes."""
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    return math.gcd(most, *(stride * spec.dtype.bytes for stride in steps))


def span(spec: TensorSpec) -> int:
    """Return the elements of memory from a tensor's first element to its last one, 0 if it has none."""
    if 0 in spec.shape:
        return 0
    return 1 + sum((extent - 1) * abs(stride) for extent, stride in zip(spec.shape, spec.strides, strict=True))
