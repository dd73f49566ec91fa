# SPDX-License-Identifier: MIT
"""What the columns of a tile of strips are: channels of one image, or channels of one image after the other.

Where channels end within a tile, its last lanes have nothing to do. With images side by side they go on with the next image, whose rows
and columns, and hence edges, are the same. Columns are divided by the distance of pixels, which is fixed.
"""

from __future__ import annotations

from tracea_core.semantic.contraction import J
from tracea_core.semantic.depthwise import IMAGE, Depthwise
from tracea_core.semantic.index import Guard, Index, less


class StripColumns:
    """The columns of all tiles.

    Parameters
    ----------
    apart : int
        So many columns for each image, where images follow one another; 0 where they do not.
    """

    def __init__(self, form: Depthwise, apart: int = 0) -> None:
        self.channels, self.apart = form.n, apart
        self.count: Index = form.items // form.lines * apart if apart else form.n

    def places(self, column: Index) -> dict[str, Index]:
        """Return the channel, and where images follow one another the image, of a column."""
        if not self.apart:
            return {J.name: column}
        return {J.name: column % self.apart, IMAGE.name: column // self.apart}

    def there(self, column: Index) -> Guard:
        """Return whether a column is a channel of an image."""
        inside = less(column, self.count)
        return (inside, less(column % self.apart, self.channels)) if self.apart else (inside,)

    def all_there(self, last: Index) -> Guard:
        """Return whether all columns up to one are."""
        inside = less(last, self.count)
        return (inside, less(self.apart - 1, self.channels)) if self.apart else (inside,)
