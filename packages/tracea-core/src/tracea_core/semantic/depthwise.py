# SPDX-License-Identifier: MIT
"""The form of a convolution whose channels are filtered each on its own: nothing is multiplied as matrices.

out[line, i, j] = epilogue(Σ over (r, s[, c]) of x[image, y(r), x(i, s), channel(j, c)]·w[j, c, r, s]), where a line is a row of pixels of
one output image, i a pixel of it and j a channel. Unlike in a contraction both factors depend on j, so neighbouring channels share
nothing, and neighbouring pixels share the filter and most of the window: that is what a schedule can keep in registers. What decides
which pixels share what (filter, stride, dilation, padding) is fixed here; sizes and distances in memory stay symbols.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.ops.epilogue import Epilogue
from tracea_core.semantic.contraction import ITEM, I, KAxis, Named, Term
from tracea_core.semantic.index import Const, Guard, Index, Sym, at_least, less
from tracea_core.semantic.kernel import Parameter, Symbol

IMAGE, LINE = Sym("image"), Sym("line")
"""The output image that an item belongs to, and which of its rows the item is."""
R, S, C = Sym("r"), Sym("s"), Sym("c")
"""Row and column of the filter, and the channel within a group where it has several."""


class Image(Data, frozen=True, kw_only=True):
    """The images that windows lie in.

    Attributes
    ----------
    dtype : DType
        Stored element type.
    origin : Index
        Offset of the first pixel's element, over `IMAGE`, the output's channel J and the channel `C` within a group.
    by_row, by_column : Index
        Distance of neighbouring pixels, in elements.
    height, width : Index
        Extents; pixels outside them count as zero.
    """

    dtype: DType
    origin: Index
    by_row: Index
    by_column: Index
    height: Index
    width: Index

    def pixel(self, y: Index, x: Index) -> tuple[Index, Guard]:
        """Return the offset of an element at row `y` and column `x`, and where it exists."""
        guard = (at_least(y, 0), less(y, self.height), at_least(x, 0), less(x, self.width))
        return self.origin + y * self.by_row + x * self.by_column, guard


class Depthwise(Data, frozen=True, kw_only=True):
    """Channels filtered each on its own; see the module's text.

    Attributes
    ----------
    title : str
        What it does, in words.
    m, n, items : Index
        Pixels of an output line, output channels, and lines of all images.
    lines : Index
        Lines of one output image.
    taps : (int, int)
        Rows and columns of the filter.
    deep : int
        Input channels of a group.
    stride, padding, dilation : (int, int)
        For rows and columns.
    image : Image
        What is read through windows.
    b, out : Term
        The filters, and where results go.
    compute : DType
        Type of products and sums.
    epilogue, epilogue_terms
        Expression of the sum, and the address of each of its operands.
    parameters, symbols
        Arguments of the kernel.
    """

    title: str
    m: Index
    n: Index
    items: Index
    lines: Index
    taps: tuple[int, int]
    deep: int
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    image: Image
    b: Term
    out: Term
    compute: DType
    epilogue: Epilogue
    epilogue_terms: tuple[Term, ...]
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]

    @property
    def planes(self) -> bool:
        """Whether pixels of a line lie next to each other; otherwise channels do."""
        return self.image.by_column == Const(1)

    @property
    def a(self) -> Term:
        """The window's element at (`R`, `S`, `C`) for pixel I of a line and channel J."""
        down, across = (place * spread for place, spread in zip((R, S), self.dilation, strict=True))
        offset, guard = self.image.pixel(self.first_row + down, I * self.stride[1] - self.padding[1] + across)
        return Term("x", self.image.dtype, offset, guard)

    @property
    def first_row(self) -> Index:
        """The image's row at which the windows of a line begin."""
        return LINE * self.stride[0] - self.padding[0]

    def image_row(self, tap_row: Index) -> Index:
        """The image's row that a row of the filter sees."""
        return self.first_row + tap_row * self.dilation[0]

    @property
    def k_axes(self) -> tuple[KAxis, ...]:
        """What is added up."""
        axes = (KAxis(R.name, Const(self.taps[0])), KAxis(S.name, Const(self.taps[1])))
        return (*axes, KAxis(C.name, Const(self.deep))) if self.deep > 1 else axes

    @property
    def item_names(self) -> tuple[Named, ...]:
        """Which image and line an item is."""
        return Named(IMAGE.name, ITEM // self.lines), Named(LINE.name, ITEM % self.lines)

    @property
    def factors(self) -> tuple[Term, ...]:
        """What is multiplied."""
        return self.a, self.b

    @property
    def near(self) -> tuple[tuple[str, Index], ...]:
        """Symbols that lie near an extent whatever they are: none."""
        return ()

    @property
    def fast_accumulation(self) -> bool:
        """Whether sums may be kept in fewer bits: never."""
        return False


class LoweredDepthwise(Data, frozen=True):
    """Such a form, the values its symbols take, and what each pointer is (``input0``, ``output``, …)."""

    form: Depthwise
    values: tuple[tuple[str, int], ...]
    operands: tuple[str, ...]

    @property
    def symbols(self) -> dict[str, int]:
        """The values by name."""
        return dict(self.values)
