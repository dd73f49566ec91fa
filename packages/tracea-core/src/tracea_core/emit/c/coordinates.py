# SPDX-License-Identifier: MIT
"""Which element a thread's register holds, and where a buffer keeps it, as C.

Both are read off the layouts: bit fields of the lane and register number, digits of a coordinate, an XOR of shifted fields.
A register's partner in another fragment (a bias, a part of an accumulator) is found by equality of what the lanes hold,
and printed as an expression of the register number where it is one.
"""

from __future__ import annotations

import functools

import numpy as np

from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term
from tracea_core.errors import EmitError
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.radix import Digit


def element(layout: FragmentLayout, lane: Term, register: Term) -> tuple[Term, Term]:
    """Return the row and column of the element in `register` of `lane`.

    A coordinate whose bits are XORs of several, as of fragments that fill banks, is an XOR of shifted fields; no instruction's is.
    """
    fields = layout.fields()
    given = {Holder.LANE: lane, Holder.REGISTER: register}
    place = {FragmentAxis.ROW: algebra.ZERO, FragmentAxis.COLUMN: algebra.ZERO}
    digits: list[tuple[FragmentAxis, Term]] = []
    rest = {
        Holder.LANE: algebra.shifted(_bounded(lane, layout.lanes), layout.lane_bits),
        Holder.REGISTER: algebra.shifted(_bounded(register, layout.registers), layout.register_bits),
    }
    for repeat in reversed(layout.repeats):
        value = rest[repeat.holder]
        rest[repeat.holder] = algebra.divide(value, algebra.number(repeat.extent))
        if repeat.step and repeat.extent > 1:
            digit = algebra.modulo(value, algebra.number(repeat.extent))
            digits.append((repeat.axis, algebra.multiply(digit, algebra.number(repeat.step))))
    for axis, digit in reversed(digits):
        place[axis] = algebra.add(place[axis], digit)
    if fields is None:
        for axis, bits in _exclusive(layout, given).items():
            place[axis] = algebra.add(place[axis], bits)
    for part in fields or ():
        count = layout.lanes if part.holder is Holder.LANE else layout.registers
        bits = algebra.field(_bounded(given[part.holder], count), part.source, part.width, part.target)
        place[part.axis] = algebra.add(place[part.axis], bits)
    return place[FragmentAxis.ROW], place[FragmentAxis.COLUMN]


def _exclusive(layout: FragmentLayout, given: dict[Holder, Term]) -> dict[FragmentAxis, Term]:
    """Return what the atom gives each axis, as an XOR of shifted fields of the lane and register numbers."""
    masks: dict[tuple[FragmentAxis, Holder, int], int] = {}
    for number, column in enumerate(layout.atom.columns):
        in_lane = number >= layout.register_bits
        holder, source = (Holder.LANE, number - layout.register_bits) if in_lane else (Holder.REGISTER, number)
        for bit in (bit for bit in range(column.bit_length()) if column >> bit & 1):
            in_row = bit >= layout.column_bits
            axis, target = (FragmentAxis.ROW, bit - layout.column_bits) if in_row else (FragmentAxis.COLUMN, bit)
            key = (axis, holder, target - source)
            masks[key] = masks.get(key, 0) | 1 << source
    found = dict.fromkeys(FragmentAxis, algebra.ZERO)
    for (axis, holder, shift), mask in masks.items():
        value = _bounded(given[holder], layout.lanes if holder is Holder.LANE else layout.registers)
        for source, width in _runs(mask):
            found[axis] = algebra.exclusive_or(found[axis], algebra.field(value, source, width, source + shift))
    return found


def _bounded(value: Term, count: int) -> Term:
    return (
        value if value.constant is not None else value._replace(low=max(value.low, 0), high=min(value.high, count - 1))
    )


def offset(layout: Layout, coordinates: tuple[Term, ...]) -> Term:
    """Return the element offset of `coordinates` in a buffer."""
    outer, inner = algebra.ZERO, algebra.ZERO
    shifts: dict[int, Term] = {}
    low = len(layout.atom.columns)
    for axis, given in zip(layout.axes, coordinates, strict=True):
        low -= axis.bits
        value = _bounded(given, axis.extent)
        outer = algebra.add(outer, _digits(algebra.shifted(value, axis.bits), axis.digits))
        if axis.bits:
            inner_part = _atom(layout.atom, low, axis.bits, value)
            for shift, part in inner_part.items():
                shifts[shift] = algebra.exclusive_or(shifts.get(shift, algebra.ZERO), part)
    for part in shifts.values():
        inner = algebra.exclusive_or(inner, part)
    return algebra.add(outer, inner)


def _digits(value: Term, digits: tuple[Digit, ...]) -> Term:
    total = algebra.ZERO
    for position, digit in reversed(list(enumerate(digits))):
        part = value if position == 0 else algebra.modulo(value, algebra.number(digit.extent))
        total = algebra.add(algebra.multiply(part, algebra.number(digit.stride)), total)
        value = algebra.divide(value, algebra.number(digit.extent))
    return total


def _atom(atom: Matrix, low: int, count: int, value: Term) -> dict[int, Term]:
    """Return the XOR of shifted fields that `count` bits of a coordinate give the atom, by how far they move."""
    masks: dict[int, int] = {}
    for bit in range(count):
        column = atom.columns[low + bit]
        while column:
            lowest = column & -column
            column ^= lowest
            shift = lowest.bit_length() - 1 - bit
            masks[shift] = masks.get(shift, 0) | 1 << bit
    parts: dict[int, Term] = {}
    for shift, mask in masks.items():
        for source, width in _runs(mask):
            part = algebra.field(value, source, width, source + shift)
            parts[shift] = algebra.exclusive_or(parts.get(shift, algebra.ZERO), part)
    return parts


def _runs(mask: int) -> list[tuple[int, int]]:
    """Return (first bit, width) of each run of ones."""
    found, bit = [], 0
    while mask >> bit:
        if mask >> bit & 1:
            width = (~(mask >> bit) & ((mask >> bit) + 1)).bit_length() - 1
            found.append((bit, width))
            bit += width
        else:
            bit += 1
    return found


@functools.lru_cache(maxsize=256)
def partners(
    layout: FragmentLayout, other: FragmentLayout, row: int = 0, column: int = 0, apart: int = 1
) -> tuple[int, ...]:
    """Return, for each register of `layout`, the register of `other` in which every lane holds the same element moved by (row, column).

    Along an axis in which `other` has extent 1 it serves every coordinate. Neighbouring columns lie so far `apart` in `other`.

    Raises
    ------
    EmitError
        If lanes would have to exchange elements.
    """
    rows, columns = layout.elements()
    other_rows, other_columns = other.elements()
    tall, wide = other.shape[0] > 1, other.shape[1] > 1
    places = {
        (tuple(np.atleast_1d(other_rows[:, r] * tall)), tuple(np.atleast_1d(other_columns[:, r] * wide))): r
        for r in reversed(range(other.registers))
    }
    found = []
    for r in range(layout.registers):
        key = (tuple((rows[:, r] + row) * tall), tuple((columns[:, r] * apart + column) * wide))
        if key not in places:
            raise EmitError(
                "a fragment is used by other lanes than those that hold it", hint="Give it a matching lane map"
            )
        found.append(places[key])
    return tuple(found)


def register_map(found: tuple[int, ...], register: Term) -> Term | None:
    """Return the partner of `register` as an expression of it, or None if bit fields and an offset do not spell it."""
    if register.constant is not None:
        return algebra.number(found[register.constant])
    if len(set(found)) == 1:
        return algebra.number(found[0])
    base = found[0]
    if all(value == base + r for r, value in enumerate(found)):
        return algebra.add(register, algebra.number(base))
    bits = (len(found) - 1).bit_length()
    images = [found[1 << bit] - base if 1 << bit < len(found) else 0 for bit in range(bits)]
    if any(
        value != base + sum(image for bit, image in enumerate(images) if r >> bit & 1) for r, value in enumerate(found)
    ):
        return None
    total, bit = algebra.ZERO, 0
    bounded = _bounded(register, len(found))
    while bit < bits:
        width = 1
        while bit + width < bits and images[bit] > 0 and images[bit + width] == images[bit] << width:
            width += 1
        if images[bit] < 0 or images[bit] & (images[bit] - 1):
            return None
        if images[bit]:
            part = algebra.field(bounded, bit, width, images[bit].bit_length() - 1)
            total = algebra.add(total, part)
        bit += width
    return algebra.add(total, algebra.number(base))
