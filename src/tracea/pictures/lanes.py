# SPDX-License-Identifier: MIT
"""Fragments as coloured grids: which lane holds which element, and in which of its registers."""

from __future__ import annotations

import numpy as np
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.kernel import Fragment, SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.steps import AsyncMma, Mma

from tracea.pictures.palette import on, wheel
from tracea.pictures.section import Section
from tracea.pictures.svg import Drawing, escape

_ROWS, _COLUMNS = 16, 16  # of the piece that is labelled
_LEFT, _TOP = 34.0, 26.0


def lanes_section(kernel: SemanticKernel) -> Section:
    """Return the fragments that the kernel's matrix instruction reads and writes."""
    parts, words = [], []
    for title, layout in _layouts(kernel):
        parts.append(f"<div>{_piece(title, layout).render()}</div>")
        words.append(
            f"{title}: {layout.shape[0]} × {layout.shape[1]} elements in {layout.registers} registers of {layout.lanes} lanes"
        )
        if layout.shape[0] * layout.shape[1] > _ROWS * _COLUMNS * 4 and layout.lanes > 32:
            parts.append(f"<div>{_whole(title, layout).render()}</div>")
    names = sorted(
        {node.instruction for role in kernel.roles for node in walk(role.body) if isinstance(node, Mma | AsyncMma)}
    )
    sources = "; ".join(dict.fromkeys(instruction(name).source for name in names))
    lead = (
        f"Lane maps of <code>{escape(', '.join(names))}</code>. A cell is one element: its colour is the lane, the label says "
        f"lane and register (of the elements a lane holds, in the operand's order). Source: {escape(sources)}."
    )
    return Section(
        "lanes", "Lane map of the fragments", lead,
        f'<div class="row">{"".join(parts)}</div><p class="note">{escape("; ".join(words))}.</p>',
    )  # fmt: skip


def _layouts(kernel: SemanticKernel) -> list[tuple[str, FragmentLayout]]:
    """Accumulator and register operands of the first matrix step, each layout once."""
    for role in kernel.roles:
        for node in walk(role.body):
            if isinstance(node, Mma | AsyncMma):
                names = [node.accumulator] if isinstance(node, AsyncMma) else [node.accumulator, node.a, node.b]
                found: list[tuple[str, FragmentLayout]] = []
                for name in names:
                    fragment: Fragment = role.fragment(name)
                    if all(fragment.layout != layout for _, layout in found):
                        found.append((f"{name} ({fragment.dtype.value})", fragment.layout))
                return found
    return []


def _owners(layout: FragmentLayout, rows: int, columns: int) -> tuple[Integers, Integers, Integers]:
    """Lane, register and number of holders of every element of the top left piece (of several holders the first lane)."""
    lane = np.full((rows, columns), -1, np.int64)
    register = np.full((rows, columns), -1, np.int64)
    row, column = layout.elements()
    inside = (row < rows) & (column < columns)
    lanes, registers = np.nonzero(inside)
    for i in range(len(lanes) - 1, -1, -1):
        at = row[lanes[i], registers[i]], column[lanes[i], registers[i]]
        lane[at], register[at] = lanes[i], registers[i]
    return lane, register, layout.holders()[:rows, :columns]


def _piece(title: str, layout: FragmentLayout) -> Drawing:
    """The top left corner with a label on every element."""
    rows, columns = min(layout.shape[0], _ROWS), min(layout.shape[1], _COLUMNS)
    lane, register, holders = _owners(layout, rows, columns)
    cell, height = 33.0, 22.0
    picture = Drawing(max(_LEFT + columns * cell + 6, 300), _TOP + rows * height + 20, f"Lane map of {title}")
    whole = "" if (rows, columns) == layout.shape else f", rows 0–{rows - 1} and columns 0–{columns - 1}"
    picture.text(_LEFT, 11, f"{title}{whole}", bold=True)
    wheel_size = min(layout.lanes, 32)
    for r in range(rows):
        picture.text(_LEFT - 5, _TOP + r * height + 15, r, size=9.5, anchor="end", fill="faint")
        for c in range(columns):
            holder = int(lane[r, c])
            colour = wheel(holder % wheel_size, wheel_size)
            x, y = _LEFT + c * cell, _TOP + r * height
            many = int(holders[r, c])
            tip = f"row {r}, column {c}: lane {holder}, register {int(register[r, c])}"
            tip += f"; held by {many} lanes" if many > 1 else ""
            picture.rect(x + 0.5, y + 0.5, cell - 1, height - 1, colour, radius=2, tip=tip)
            label = f"{holder}·{int(register[r, c])}" if many == 1 else f"all·{int(register[r, c])}"
            picture.text(x + cell / 2, y + 14.5, label, size=9.5, anchor="middle", fill=on(colour))
    picture.text(_LEFT, _TOP + rows * height + 15, "lane·register", size=10, fill="faint")
    return picture


def _whole(title: str, layout: FragmentLayout) -> Drawing:
    """The whole fragment by warp: 32 lanes have one colour, and every 8 × 8 block shows the registers that hold it."""
    rows, columns = layout.shape
    across, down = -(-columns // 8), -(-rows // 8)
    cell, height = min(440 / across, 34.0), min(352 / down, 34.0)
    picture = Drawing(_LEFT + across * cell + 6, _TOP + down * height + 26, f"Warps of {title}")
    picture.text(_LEFT, 11, f"{title}, all {rows} × {columns} in blocks of 8 × 8", bold=True)
    lane, register, _ = _owners(layout, rows, columns)
    for r in range(down):
        picture.text(_LEFT - 5, _TOP + (r + 0.7) * height, 8 * r, size=9.5, anchor="end", fill="faint")
        for c in range(across):
            block = (slice(8 * r, 8 * r + 8), slice(8 * c, 8 * c + 8))
            warp = int(lane[block].min()) // 32
            low, high = int(register[block].min()), int(register[block].max())
            colour = wheel(warp, max(layout.lanes // 32, 1), 0.62 + 0.1 * (c % 2))
            x, y = _LEFT + c * cell, _TOP + r * height
            tip = f"rows {8 * r}–{8 * r + 7}, columns {8 * c}–{8 * c + 7}: warp {warp}, registers {low}–{high}"
            picture.rect(x + 0.4, y + 0.4, cell - 0.8, height - 0.8, colour, tip=tip)
            if cell > 30:
                picture.text(
                    x + cell / 2, y + height * 0.6, f"{low}–{high}", size=8.5, anchor="middle", fill=on(colour)
                )
    picture.legend(_LEFT, _TOP + down * height + 18, [
        (wheel(warp, max(layout.lanes // 32, 1), 0.67), f"warp {warp}") for warp in range(layout.lanes // 32)
    ])  # fmt: skip
    return picture
