# SPDX-License-Identifier: MIT
"""Where an element of a buffer lies, as an expression over its coordinates: for printers that fold expressions themselves."""

from __future__ import annotations

from tracea_core.errors import EmitError
from tracea_core.semantic.index import Const, Index, as_index
from tracea_core.semantic.kernel import Buffer
from tracea_core.semantic.layout import Axis
from tracea_core.semantic.steps import BufferRef


def buffer_offset(buffer: Buffer, reference: BufferRef) -> Index:
    """Return the element offset of a reference within its buffer, as an expression.

    Raises
    ------
    EmitError
        If the layout permutes elements by XOR, as those of shared memory do.
    """
    coordinates = list(reference.coordinates)
    offset: Index = Const(0)
    if buffer.extent is not None:
        offset = coordinates.pop(0) * buffer.layout.size
    if reference.slot is not None:
        offset = offset + reference.slot * buffer.layout.size
    if not buffer.layout.atom.is_identity:
        raise EmitError(f"the layout of {buffer.name!r} is no sum of its coordinates", layout=str(buffer.layout))
    shift = len(buffer.layout.atom.columns)
    for axis, coordinate in zip(buffer.layout.axes, coordinates, strict=True):
        shift -= axis.bits
        offset = offset + _axis_offset(axis, as_index(coordinate), shift)
    return offset


def _axis_offset(axis: Axis, coordinate: Index, shift: int) -> Index:
    """Spell a coordinate in the digits of its axis."""
    block = 1 << axis.bits
    rest: Index = coordinate // block
    offset: Index = (coordinate % block) * (1 << shift) if axis.bits else Const(0)
    for place, digit in enumerate(reversed(axis.digits)):
        leading = place == len(axis.digits) - 1
        offset = offset + (rest if leading else rest % digit.extent) * digit.stride
        rest = rest // digit.extent
    return offset
