# SPDX-License-Identifier: MIT
"""What the columns of a tile of strips are: channels of one image, of one image after the other, or of one strip after the other.

Where channels end within a tile, its last lanes have nothing to do. With images side by side they go on with the next image, whose rows
and columns, and hence edges, are the same. With strips side by side the lanes of all warps of a block go on with the strip to the right,
whose rows are the same. Columns are divided by numbers that are fixed.
"""

from __future__ import annotations

import math

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.contraction import I, J
from tracea_core.semantic.depthwise import IMAGE, Depthwise
from tracea_core.semantic.index import Const, Guard, Index, Sym, coefficient, less
from tracea_core.semantic.steps import Let

COLUMN0 = Sym("column0")
"""The first column of a tile."""
_WARP_COLUMN = Sym("warp_column")


class StripColumns:
    """The columns of all tiles.

    Parameters
    ----------
    apart : int
        So many columns for each image, where images follow one another; 0 where they do not.

    Attributes
    ----------
    tile : int
        Columns of a tile.
    copies, filters : int
        How often its filters are in shared memory, and how far apart.
    all : bool
        Whether a tile is known to hold all columns.
    takers : int
        How many places on the images the warps of a block take.
    reach : int
        Pixels of a line that belong to a place.
    """

    def __init__(self, form: Depthwise, configuration: PipelineConfig, apart: int = 0) -> None:
        self.channels, self.apart = form.n, apart
        self.tile, self.takers, self.reach = configuration.tile_n, configuration.warps, configuration.tile_m
        self.copies, self.filters, self.all = 1, self.tile, False
        self.count: Index = form.items // form.lines * apart if apart else form.n

    def places(self, column: Index) -> dict[str, Index]:
        """Return the channel, and where images follow one another the image, of a column of the tile."""
        place = COLUMN0 + column
        if not self.apart:
            return {J.name: place}
        return {J.name: place % self.apart, IMAGE.name: place // self.apart}

    def filter(self, column: Index) -> Index:
        """Return the channel of a column of the filters."""
        return self.places(column)[J.name]

    def of_filters(self, column: Index) -> Index:
        """Return which column of the filters a column of the tile is multiplied with."""
        return column

    def further(self, column: Index) -> Index:
        """Return how many pixels after the place's first the column's strip begins."""
        return Const(0)

    def begin(self) -> tuple[Let, ...]:
        """Return what is named once for each warp."""
        return ()

    def there(self, column: Index) -> Guard:
        """Return whether a column is a channel of an image."""
        place = COLUMN0 + column
        inside = less(place, self.count)
        return (inside, less(place % self.apart, self.channels)) if self.apart else (inside,)

    def all_there(self) -> Guard:
        """Return whether all columns are."""
        inside = less(COLUMN0 + (self.tile - 1), self.count)
        return (inside, less(self.apart - 1, self.channels)) if self.apart else (inside,)


class StripsSideBySide(StripColumns):
    """The columns of blocks whose warps take ``row_block`` strips of one place together, as many channels of each as they hold.

    Where that is not all channels, blocks share them evenly. Filters are there as often as it takes for the next strip's to begin in the
    bank that follows.
    """

    def __init__(self, form: Depthwise, configuration: PipelineConfig, banks: int) -> None:
        super().__init__(form, configuration)
        apart = coefficient(form.out.offset, I.name)
        channels = apart.value if isinstance(apart, Const) else 0
        self.strips, self.pixels, self.warp = configuration.row_block, configuration.tile_m, configuration.tile_n
        self.step = max(configuration.vector_a, configuration.vector_c, _LEAST)
        most = configuration.warps * self.warp // self.strips // self.step * self.step
        tiles = -(-channels // max(most, 1))
        self.tile, self.all = -(-channels // max(tiles, 1) // self.step) * self.step, tiles == 1
        self.takers, self.reach = 1, self.pixels * self.strips
        self.copies = min(banks // math.gcd(self.tile, banks), -(-configuration.warps * self.warp // max(self.tile, 1)))
        left = -self.tile % (_LEAST * configuration.warps)  # what warps bring too much
        self.filters = self.tile + -(-left // banks) * banks

    def begin(self) -> tuple[Let, ...]:
        """Return the warp's first column of the block."""
        return (Let(_WARP_COLUMN.name, WARP * self.warp),)

    def _block(self, column: Index) -> Index:
        return _WARP_COLUMN + column

    def places(self, column: Index) -> dict[str, Index]:
        """Return the channel of a column of a warp."""
        return {J.name: COLUMN0 + self._block(column) % self.tile}

    def filter(self, column: Index) -> Index:
        """Return the channel of a column of the filters."""
        return COLUMN0 + column

    def of_filters(self, column: Index) -> Index:
        """Return which column of the filters a column of a warp is multiplied with."""
        place = WARP * self.warp + column
        return place // self.tile % self.copies * self.filters + place % self.tile

    def further(self, column: Index) -> Index:
        """Return how many pixels after the place's first the column's strip begins."""
        return self._block(column) // self.tile * self.pixels

    def there(self, column: Index) -> Guard:
        """Return whether a column is a channel of a strip of the place."""
        within = less(self._block(column), self.strips * self.tile)
        return (within, less(self.places(column)[J.name], self.channels))


_LEAST = 4
"""Channels whose filters lanes stage together."""
