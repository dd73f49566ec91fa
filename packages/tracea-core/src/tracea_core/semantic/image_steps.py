# SPDX-License-Identifier: MIT
"""What copies of windows of images add to boxes (`tracea_core.semantic.steps.Box`)."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.semantic.index import Index


class Pixels(Data, frozen=True):
    """How a copy engine walks over the pixels of images, columns before rows: those at which the windows of a filter begin.

    Attributes
    ----------
    first : (Index, Index)
        Column and row of the first window of an image; those outside the image are its padding.
    last : (Index, Index)
        Column and row of the last window.
    step : (Index, Index)
        Distance between neighbouring windows, in columns and in rows.
    offset : (Index, Index)
        Which element of each window is loaded, in columns and rows from the window's first.
    """

    first: tuple[Index, Index]
    last: tuple[Index, Index]
    step: tuple[Index, Index]
    offset: tuple[Index, Index]
