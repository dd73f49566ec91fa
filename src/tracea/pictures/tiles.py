# SPDX-License-Identifier: MIT
"""The output matrix as a grid of tiles: in which order they run, what runs together, and what then is read together."""

from __future__ import annotations

import numpy as np
from tracea_core.policy.tiles import TileGraph

from tracea.pictures.palette import KINDS, scale
from tracea.pictures.section import Section, counted, row
from tracea.pictures.svg import Drawing, escape
from tracea.pictures.visits import Visits

_MOST = 64  # cells along one side; of a larger grid every n-th tile is drawn
_SIDE = 440.0
_MARGIN = 26.0
_FOLLOWED = 130  # tiles of the first processor that the line joins
_FEW = 8  # processors that have a colour each


def tiles_section(graph: TileGraph, seen: Visits) -> Section:
    """Return the order and the sharing of tiles."""
    rows, columns = seen.grid
    step = (max(-(-rows // _MOST), 1), max(-(-columns // _MOST), 1))
    lead = (
        f"{rows} × {columns} tiles of {graph.tile[0]} × {graph.tile[1]} on {seen.processors} "
        f"{'blocks' if seen.processors > _FEW else 'workers or blocks'}, "
        + ("as the kernel's own loops visit them. " if seen.from_kernel else "in the tile graph's order. ")
        + "Left: early tiles are dark, late ones bright; the line follows the first processor. "
        + ("Right: tiles of one colour belong to one processor." if seen.processors <= _FEW else
           "Right: tiles of one colour run at the same time; frames mark the first processor's, and the strips "
           "beside the grid what the first wave reads of A (left) and B (top).")
    )  # fmt: skip
    body = row(_order(seen, step), _together(seen, step))
    if step != (1, 1):
        parts = [f"one tile {word} in {n}" for word, n in zip(("row", "column"), step, strict=True) if n > 1]
        body += f'<p class="note">Drawn: {" and ".join(parts)}.</p>'
    body += f"<pre>{escape(graph.describe())}</pre>"
    return Section("tiles", "Tile graph and order", lead, body)


class _Grid:
    """Where the drawn tiles lie on the canvas."""

    def __init__(self, seen: Visits, step: tuple[int, int], title: str) -> None:
        rows, columns = seen.grid
        self.step, self.shown = step, (-(-rows // step[0]), -(-columns // step[1]))
        self.cell = (
            min(_SIDE / max(self.shown[1], 1), 46.0),
            min(_SIDE / max(self.shown[0], 1), 46.0),
        )
        self.width, self.height = self.cell[0] * self.shown[1], self.cell[1] * self.shown[0]
        self.picture = Drawing(max(_MARGIN + self.width + 8, 330), _MARGIN + self.height + 50, title)
        self.picture.text(
            _MARGIN + self.width / 2, 10, f"n: {counted(columns, 'tile column')}", anchor="middle", fill="faint"
        )
        middle = _MARGIN + self.height / 2
        self.picture.text(9, middle, f"m: {counted(rows, 'tile row')}", anchor="middle", fill="faint", turn=-90)
        self.keep = (seen.rows % step[0] == 0) & (seen.columns % step[1] == 0)

    def place(self, row: int, column: int) -> tuple[float, float]:
        return _MARGIN + column / self.step[1] * self.cell[0], _MARGIN + row / self.step[0] * self.cell[1]

    def paint(self, row: int, column: int, fill: str) -> None:
        gap = 0.8 if min(self.cell) > 5 else 0.0
        x, y = self.place(row, column)
        self.picture.cell(x + gap / 2, y + gap / 2, self.cell[0] - gap, self.cell[1] - gap, fill)


def _order(seen: Visits, step: tuple[int, int]) -> Drawing:
    grid = _Grid(seen, step, "Order of the tiles")
    order = np.argsort(np.argsort(seen.order, kind="stable"), kind="stable")
    last = max(int(order.max(initial=0)), 1)
    for i in np.flatnonzero(grid.keep):
        share = round(float(order[i]) / last * 40) / 40
        grid.paint(int(seen.rows[i]), int(seen.columns[i]), scale(share))
    mine = np.flatnonzero((seen.actors == 0) & grid.keep)
    mine = mine[np.argsort(seen.turns[mine])]
    if mine.size > 1:
        points = []
        for tile in mine[:_FOLLOWED]:
            x, y = grid.place(int(seen.rows[tile]), int(seen.columns[tile]))
            points.append((x + grid.cell[0] / 2, y + grid.cell[1] / 2))
        grid.picture.line(points, "#ffffff", weight=1.8, opacity=0.9, arrow=True)
    bottom = _MARGIN + grid.height + 26
    for piece in range(60):
        grid.picture.rect(_MARGIN + 34 + 2 * piece, bottom - 9, 2, 10, scale(piece / 59))
    grid.picture.text(_MARGIN, bottom, "first", fill="faint")
    grid.picture.text(_MARGIN + 160, bottom, "last", fill="faint")
    return grid.picture


def _together(seen: Visits, step: tuple[int, int]) -> Drawing:
    few = seen.processors <= _FEW
    grid = _Grid(seen, step, "Tiles by processor" if few else "Tiles by wave")
    group = seen.actors if few else seen.turns
    for i in np.flatnonzero(grid.keep):
        grid.paint(int(seen.rows[i]), int(seen.columns[i]), KINDS[int(group[i]) % len(KINDS)])
    bottom = _MARGIN + grid.height + 26
    drawn = np.unique(group[grid.keep]).tolist()
    word = "processor" if few else "wave"
    shown = [(KINDS[i % len(KINDS)], f"{word} {i}") for i in drawn[:4]]
    grid.picture.legend(_MARGIN, bottom, shown + ([("paper", f"… {len(drawn)} in all")] if len(drawn) > 4 else []))
    if not few:
        _first_wave(grid, seen)
    return grid.picture


def _first_wave(grid: _Grid, seen: Visits) -> None:
    wave = seen.turns == 0
    for row_number in np.unique(seen.rows[wave & grid.keep]):
        _, y = grid.place(int(row_number), 0)
        grid.picture.rect(_MARGIN - 7, y, 4, grid.cell[1], KINDS[0])
    for column in np.unique(seen.columns[wave & grid.keep]):
        x, _ = grid.place(0, int(column))
        grid.picture.rect(x, _MARGIN - 7, grid.cell[0], 4, KINDS[0])
    for i in np.flatnonzero((seen.actors == 0) & grid.keep):
        x, y = grid.place(int(seen.rows[i]), int(seen.columns[i]))
        grid.picture.outline(x + 1, y + 1, grid.cell[0] - 2, grid.cell[1] - 2, "ink")
