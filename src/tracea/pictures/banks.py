# SPDX-License-Identifier: MIT
"""Shared memory as the banks see it: what lies where, without and with the solved swizzle, and what one read touches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.kernel import Buffer, SemanticKernel, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.verify.block import first_read
from tracea_core.target import CapabilityProfile

from tracea.pictures.palette import on, wheel
from tracea.pictures.section import Section, row, size, table
from tracea.pictures.svg import Drawing, escape

_CHUNK = 16  # bytes that the widest access of one lane moves
_WORD = 4  # bytes of a bank's word
_LABEL = 30.0  # width from which a cell has room for its label
_NARROW = 17.0  # the same of a cell of a panel
_LINES = 16  # memory lines drawn
_LINE, _LEFT, _TOP = 21.0, 58.0, 40.0
_WIDTH = 430.0


def banks_section(kernel: SemanticKernel, profile: CapabilityProfile) -> Section:
    """Return the bank maps of the kernel's swizzled buffers, or how its panels lie where there is no shared memory."""
    shared = [buffer for buffer in kernel.buffers if buffer.space is Space.SHARED]
    if not shared:
        return _panels(kernel)
    banks = BankConflictSimulator(profile.shared_banks or 32, profile.shared_bank_bytes)
    parts, drawn = [], set()
    for buffer in shared:
        chunks, key = _chunks(buffer.layout, buffer.dtype.bytes), _kind(buffer.layout)
        if chunks is None or key in drawn:
            continue
        drawn.add(key)
        same = " and ".join(b.name for b in shared if _kind(b.layout) == key)
        parts.append(f"<h3>{escape(same)}: {buffer.dtype.value}, {escape(buffer.layout)}</h3>")
        after = _map(chunks, _read(kernel, buffer, chunks), banks, "as the kernel lays it out")
        if buffer.layout.atom.is_identity:
            parts.append(row(after))
        else:
            flat = buffer.replace(layout=_unswizzled(buffer.layout))
            plain = replace(chunks, addresses=_addresses(flat.layout, buffer.dtype.bytes, chunks.width))
            parts.append(row(_map(plain, _read(kernel, flat, plain), banks, "without a swizzle"), after))
    rows = [(b.name, b.dtype.value, " × ".join(map(str, b.layout.shape)), b.slots, size(b.layout.size * b.dtype.bytes))
            for b in shared]  # fmt: skip
    parts.append(table(("buffer", "type", "shape", "slots|", "one slot|"), rows))
    lead = (
        f"Each line is {banks.period} bytes, all {banks.banks} banks of shared memory once. A cell is a run of elements that lies "
        "together, 16 bytes at most, coloured by its column in the tile and, where there is room, labelled row.column. Framed is what "
        "the first phase of a read wants at once: 8 rows of one column where whole matrices are read, else what its lanes ask for."
    )
    return Section("banks", "Swizzle as a bank map", lead, "".join(parts))


@dataclass(frozen=True)
class _Chunks:
    """Pieces of a tile that lie together, of `width` bytes: byte address of piece (row, column)."""

    addresses: npt.NDArray[np.int64]
    width: int


def _read(kernel: SemanticKernel, buffer: Buffer, chunks: _Chunks) -> _Chunks:
    """What the lanes of one access read: 8 rows of the first column, unless the kernel's steps name the lanes."""
    found = first_read(kernel, buffer)
    return _Chunks(chunks.addresses[:8, 0], chunks.width) if found is None else _Chunks(*found)


def _kind(layout: Layout) -> object:
    """What layouts that look alike have in common: the swizzle, or the distances of a padding."""
    return layout.axes if layout.atom.is_identity else (layout.atom, layout.axes[-1].bits)


def _chunks(layout: Layout, element_bytes: int) -> _Chunks | None:
    """The pieces of the last two axes, the others at 0; None where less than a bank's word lies together."""
    if len(layout.shape) < 2:
        return None
    width = min(layout.contiguous(layout.names[-1]) * element_bytes, _CHUNK)
    return _Chunks(_addresses(layout, element_bytes, width), width) if width >= _WORD else None


def _addresses(layout: Layout, element_bytes: int, width: int) -> npt.NDArray[np.int64]:
    rows, columns = layout.shape[-2:]
    place = [np.zeros((1, 1), np.int64)] * (len(layout.shape) - 2)
    grid = np.ogrid[0 : min(rows, 64), 0 : columns : width // element_bytes]
    return layout.at(*place, *grid) * element_bytes


def _unswizzled(layout: Layout) -> Layout:
    return layout.replace(atom=Matrix.identity(layout.atom.rows))


def _map(chunks: _Chunks, read: _Chunks, banks: BankConflictSimulator, title: str) -> Drawing:
    degree = banks.access(read.addresses, read.width).worst
    verdict = "no conflict" if degree == 1 else f"{degree}-way conflict: {degree} cycles instead of 1"
    lines = _LINES
    inside = chunks.addresses < lines * banks.period
    lines = int((chunks.addresses[inside] // banks.period).max(initial=0)) + 1
    picture = Drawing(_LEFT + _WIDTH + 6, _TOP + lines * _LINE + 8, f"Bank map {title}")
    picture.text(_LEFT, 12, f"{title}: {verdict}", bold=True)
    for bank in range(0, banks.banks, 4):
        x = _LEFT + bank * _WIDTH / banks.banks
        picture.text(x + 2, _TOP - 8, bank or "bank 0", size=9, fill="faint")
    cell = _WIDTH * chunks.width / banks.period
    columns = chunks.addresses.shape[1]
    for line in range(lines):
        picture.text(_LEFT - 6, _TOP + line * _LINE + 14, line * banks.period, size=9.5, anchor="end", fill="faint")
    colours = min(columns, 8)
    for r, c in np.argwhere(inside):
        address = int(chunks.addresses[r, c])
        x = _LEFT + address % banks.period / banks.period * _WIDTH
        y = _TOP + address // banks.period * _LINE
        colour = wheel(int(c) % colours, colours)
        tip = f"row {r}, elements from column chunk {c}: byte {address}"
        picture.rect(x + 0.8, y + 0.8, cell - 1.6, _LINE - 1.6, colour, radius=2, tip=tip)
        if cell > _LABEL:
            picture.text(x + cell / 2, y + 14, f"{r}.{c}", size=9.5, anchor="middle", fill=on(colour))
    frame = _WIDTH * read.width / banks.period
    for address in np.unique(read.addresses[: banks.lanes_per_phase(read.width)]).tolist():
        if address < lines * banks.period:
            x = _LEFT + address % banks.period / banks.period * _WIDTH
            picture.outline(x + 1, _TOP + address // banks.period * _LINE + 1, frame - 2, _LINE - 2, "ink", 2)
    return picture


def _panels(kernel: SemanticKernel) -> Section:
    """How a packed panel lies in memory: every row of K one run of whole vectors."""
    panels = [buffer for buffer in kernel.buffers if buffer.space is Space.PANEL and buffer.name.startswith("panel")]
    lead = "A CPU has no shared memory with banks, so nothing is swizzled. "
    if not panels:
        return Section("banks", "Layout of buffers", lead + "This kernel packs no B either: it reads it in place.", "")
    buffer = panels[0]
    columns, bytes_ = buffer.layout.shape[-1], buffer.dtype.bytes
    lanes = kernel.roles[0].lanes
    steps, cell, height = 4, min(_WIDTH * 2 / columns, 34.0), 24.0
    lead += (
        f"B is packed into panels of {columns} columns: one step of K reads {columns * bytes_} bytes in a row. A cell is one "
        f"element, coloured by the vector it belongs to{' and labelled with its offset' if cell > _NARROW else ''}."
    )
    picture = Drawing(_LEFT + columns * cell + 8, 24 + steps * height + 8, "A packed panel")
    offsets = buffer.layout.offsets().ravel()
    for k in range(steps):
        picture.text(_LEFT - 6, 24 + k * height + 16, f"k = {k}", size=10, anchor="end", fill="faint")
        for column in range(columns):
            colour = wheel(column // max(lanes, 1), max(columns // max(lanes, 1), 1))
            x, y = _LEFT + column * cell, 24 + k * height
            offset = int(offsets[column]) + k * buffer.layout.size
            picture.rect(x + 0.5, y + 0.5, cell - 1, height - 1, colour, radius=2, tip=f"byte {offset * bytes_}")
            if cell > _NARROW:
                picture.text(x + cell / 2, y + 15.5, offset, size=9, anchor="middle", fill=on(colour))
    return Section("banks", "Layout of a packed panel", lead, picture.render())
