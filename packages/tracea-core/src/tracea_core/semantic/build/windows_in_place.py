# SPDX-License-Identifier: MIT
"""Windows of images with padding, swept where the images lie: there is no copy, and nobody waits for one.

Whether an element of the filter meets its image or the padding is tested for each row of a tile, ahead of the loop over channels; what
meets the padding reads zeros. Windows that lie apart read lines that no window before them has read, in as many places as a tile has rows,
which is more than a processor foresees. So each step of the sweep asks for its share of the next tile's windows, which lie side by side in
a line of the image; where the tile goes on in another line, it asks for what lies behind the end of the first.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.ops.pixels import MOST_TESTED_CHANNELS
from tracea_core.semantic.build.register_tile import RegisterTile, at, lets
from tracea_core.semantic.contraction import Contraction, I
from tracea_core.semantic.index import ROW, Const, Index, Sym, ceil_div, coefficient, maximum, minimum, substitute
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, Let, Load, Node, Transfer

_SOON_LEVEL = 2
_NEXT, _EACH = Sym("next_windows"), Sym("asked_each")
"""Where the windows of the next tile begin, and how many elements of them a step of the sweep asks for."""


def without_copy(contraction: Contraction) -> Contraction:
    """Return a convolution whose images with padding are read where they lie.

    Raises
    ------
    ConfigurationError
        If there is no padding, or channels do not lie next to each other in the type of the sums.

    Notes
    -----
    Channels are so few that there can be as many zeros for what meets the padding.
    """
    image = contraction.b
    if not image.guard or coefficient(image.offset, "c") != Const(1) or image.dtype is not contraction.compute:
        raise ConfigurationError(
            "windows are tested in place in images with padding, whose channels lie next to each other in the type of the sums",
            title=contraction.title,
        )
    channels = next(axis.extent for axis in contraction.k_axes if axis.name == "c")
    few = (s.replace(maximum=MOST_TESTED_CHANNELS) if Sym(s.name) == channels else s for s in contraction.symbols)
    return contraction.replace(halo=None, symbols=tuple(few))


class TestedWindows:
    """What reads the windows of a register tile, whose A is an image with tests for its padding."""

    __test__ = False

    def __init__(self, tile: RegisterTile) -> None:
        self.t, self.image = tile, tile.c.a

    def nodes(self, position: Index) -> tuple[tuple[Let, ...], tuple[Node, ...]]:
        """Return what is found ahead of a tile's sweep, and the load of its column of A at `position`, with what is asked for."""
        row, fragment = minimum(Sym("row0") + ROW, self.t.c.m - 1), self.t.a_fragment.name
        source, (bases, offset) = at(self.image, {I.name: row}), self.t.a_in_place(position, Const(0))
        load = Load(fragment, Access(source.operand, offset), Transfer.BROADCAST, source.guard)
        return (*bases, *lets(source.hoisted, fragment), *self._ahead()), (load, self._ask())

    def _ahead(self) -> tuple[Let, ...]:
        """Name where the windows of the next tile begin, and how far a step of the sweep moves along them to ask for all of them."""
        axes = [axis.name for axis in self.t.c.k_axes]
        first = substitute(self.image.offset, dict.fromkeys(axes, Const(0)))
        _, columns, channels = (axis.extent for axis in self.t.c.k_axes)
        apart = substitute(first, {I.name: Const(1)}) - substitute(first, {I.name: Const(0)})
        return (
            Let(_NEXT.name, substitute(first, {I.name: minimum(Sym("row0") + self.t.rows, self.t.c.m - 1)})),
            Let(_EACH.name, ceil_div(maximum(apart, 0) * self.t.rows, maximum(columns * channels, 1))),
        )

    def _ask(self) -> Prefetch:
        """Ask for a part of the next tile's windows: those of a row of the filter lie side by side, and its steps share them."""
        rows, columns, channels = self.t.c.k_axes
        down = coefficient(self.image.offset, rows.name)
        assert down is not None
        step = Sym(columns.name) * channels.extent + Sym(channels.name)
        return Prefetch(self.image.operand, _NEXT + Sym(rows.name) * down + step * _EACH, _SOON_LEVEL)
