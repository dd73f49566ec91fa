# SPDX-License-Identifier: MIT
"""One form for every contraction: out[i, j] = epilogue(Σ over K axes of a[i, k]·b[k, j]), with addresses as expressions.

A GEMM, a batched GEMM and a convolution differ only in how an operand's offset follows from (item, i, j, k axes):
dense strides, or the coordinates of an image with a guard for its padding. So a schedule is built once from this form,
and an op joins the family by saying its addresses. Sizes and strides stay symbols; only what changes the schedule is
fixed here (strides that are 1, the number of batch axes, which operand plays which part), and two problems with equal
forms share one kernel.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.semantic.index import Guard, Index, Sym, Value, divided_by, evaluate, symbols
from tracea_core.semantic.kernel import Parameter, Symbol

ITEM = Sym("item")
"""Which element of the batch (and, in a convolution, which image and group) a tile belongs to."""
I = Sym("i")  # noqa: E741 - the field's name for it
"""Row of the output matrix, 0 ≤ i < m."""
J = Sym("j")
"""Column of the output matrix, 0 ≤ j < n."""
GROUP_STOP = Sym("group_stop")
"""Where the rows of a tile's group end."""


class KAxis(Data, frozen=True):
    """One of the nested reduction axes (a GEMM has one, a convolution channel, row and column of the filter)."""

    name: str
    extent: Index


class Named(Data, frozen=True):
    """A subexpression worth a name, because it is shared or must be hoisted out of an inner loop."""

    name: str
    value: Index


class Term(Data, frozen=True):
    """How an operand is addressed.

    Attributes
    ----------
    operand : str
        Name of its pointer parameter.
    dtype : DType
        Stored element type.
    offset : Index
        Element offset from the pointer, over `ITEM`, `I`, `J`, the K axes and the names in `hoisted`.
    guard : Guard
        Where it fails the element counts as zero (padding).
    hoisted : tuple of Named
        Coordinates that do not depend on the K axes.
    """

    operand: str
    dtype: DType
    offset: Index
    guard: Guard = ()
    hoisted: tuple[Named, ...] = ()


HALO_ROW, HALO_COLUMN, HALO_CHANNEL = Sym("halo_row"), Sym("halo_column"), Sym("halo_channel")
"""Coordinates of an element of an image with its padding."""


class Halo(Data, frozen=True, kw_only=True):
    """The image that a convolution's windows lie in, with its padding around it; or of an image those pixels alone that are windows.

    Attributes
    ----------
    height, width, channels : Index
        Extents of the image, padding included.
    source : Term
        The element at (`HALO_ROW`, `HALO_COLUMN`, `HALO_CHANNEL`) of image `ITEM`; its guard fails in the padding.
    first_row, first_column : Index
        Where the window of output column `J` begins.
    down, across : Index
        Distance between neighbouring rows and columns of the filter.
    image : (Index, Index)
        Extents of the image without its padding: symbols, or what follows from the number of windows.
    """

    height: Index
    width: Index
    channels: Index
    source: Term
    first_row: Index
    first_column: Index
    down: Index
    across: Index
    image: tuple[Index, Index]

    def large_enough(self, pixels: int, rows: int, columns: int, values: Mapping[str, int]) -> dict[str, int]:
        """Return extents of an image in which `pixels` windows of `rows` by `columns` lie, with `values` for other symbols.

        A schedule by windows reads what the op promises to exist; whoever makes sizes up asks here.
        """
        places: dict[str, Value] = {**values, J.name: np.arange(max(pixels, 1))}
        needs = ((self.first_row, self.down, rows), (self.first_column, self.across, columns))
        return {
            name.name: int(np.max(evaluate(first, places))) + max(extent - 1, 0) * int(evaluate(step, places)) + 1
            for name, (first, step, extent) in zip(self.image, needs, strict=True)
            if isinstance(name, Sym) and name.name not in symbols(first)
        }


class Windows(Data, frozen=True, kw_only=True):
    """The images that rows, or steps of the reduction, are windows of, channels last, as an engine walks over them.

    It goes over columns before rows before images.

    Attributes
    ----------
    operand : str
        Name of their pointer parameter.
    extents, strides : tuple of Index
        Of the images: channels, columns, rows and images.
    first, last : (Index, Index)
        Column and row at which the first and the last window of an image begin.
    step : (Index, Index)
        Distance between neighbouring windows, in columns and rows.
    element : (Index, Index)
        How far an element lies from its window's first, in columns and rows.
    named : int
        How many of a's hoisted names decode a row into ``image``, ``y0`` and ``x0``, where its window begins; 0 where windows are
        steps of the reduction.
    """

    operand: str
    extents: tuple[Index, ...]
    strides: tuple[Index, ...]
    first: tuple[Index, Index]
    last: tuple[Index, Index]
    step: tuple[Index, Index]
    element: tuple[Index, Index]
    named: int


SCALED_RUN = Sym("k_run")
"""Which run of k, of those that share their scales."""


class Scales(Data, frozen=True):
    """What multiplies the sum of every run of k, before sums of runs are added: a scale of the row times one of the column.

    Attributes
    ----------
    a, b : Term
        The scales; both use `SCALED_RUN` and no K axis, `a` does not use j, `b` does not use i.
    run : int
        How many neighbouring positions of k share their scales.
    rows, columns : int
        How many neighbouring rows and columns do.
    """

    a: Term
    b: Term
    run: int
    rows: int
    columns: int


LIST_DEPTH = Sym("list_depth")
"""Length of the reduction of an item, where it goes over a list of blocks."""
LIST_BEGIN = Sym("list_begin")
"""The first position of the block that a position lies in; addresses hold the difference of the two."""


class Lists(Data, frozen=True):
    """Lists of blocks that reductions go over, one for each item: data, which lie behind their ends (`tracea_core.semantic.ragged`).

    The only K axis counts the elements of an item's blocks one after the other; its extent is `LIST_DEPTH`, one of the `item_names`.

    Attributes
    ----------
    run : int
        Extent of a block along k: so many neighbouring positions of the K axis lie in one block.
    names : tuple of Named
        What follows from the block that a position lies in; nothing else of an operand's address but the position itself does.
    """

    run: int
    names: tuple[Named, ...]


class ColumnSums(Data, frozen=True):
    """Sums over blocks of rows of what is stored: its first value, and sums of differences from it and of their squares.

    Attributes
    ----------
    term : Term
        Where the first value of the block of element (`I`, `J`) goes.
    plane : Index
        Distance in elements from there to the sum, and from that to the sum of squares.
    rows : int
        Rows of a block.
    """

    term: Term
    plane: Index
    rows: int


class Contraction(Data, frozen=True, kw_only=True, omit_defaults=True):
    """A contraction with its addresses; see the module's text.

    Attributes
    ----------
    title : str
        The op in words.
    m, n, items : Index
        Extents of i, j and of the batch.
    k_axes : tuple of KAxis
        Reduction axes, slowest first, in the order in which packed panels hold them.
    a_step : Index, optional
        Distance in elements between a's values at neighbouring K positions, where that is the same across all K axes;
        None where `a.offset` spells the axes out.
    b_step : Index, optional
        The same for b.
    runs_along_k : bool
        Whether operands are to be moved in runs along the last K axis, which no guard names: its extent is then a multiple of them.
    windows : Windows, optional
        What rows are windows of, where they are: for engines that walk over images.
    groups : Index, optional
        How many groups rows fall into, where they do: `ITEM` then is the group of row `I`, and the ends of the groups are data
        (`tracea_core.semantic.ragged`). Rows that belong to none are not computed.
    item_names : tuple of Named
        Coordinates decoded from `ITEM`.
    a, b, out : Term
        The operands; `a` does not use j, `b` does not use i.
    gates : int
        2 for gated epilogues: the columns j + n of `b` feed a second accumulator.
    compute : DType
        Type of products and sums.
    epilogue, epilogue_terms
        Expression and the address of each of its operands.
    parameters, symbols
        Arguments of the kernel.
    halo : Halo, optional
        What `b` is windows of, where it is: for schedules that copy the image with its padding.
    fast_accumulation : bool
        Whether sums of fp8 may be kept in the fewer bits of a matrix instruction's own accumulator.
    lists : Lists, optional
        The lists that reductions go over, where they do.
    scales : Scales, optional
        What multiplies the sums of runs of k, where something does.
    ragged : bool
        Whether rows of the output begin at multiples of 16 bytes and end within 16: a copy engine then stores what is whole.
    sums : ColumnSums, optional
        What is stored besides of blocks of rows.
    """

    title: str
    m: Index
    n: Index
    items: Index
    k_axes: tuple[KAxis, ...]
    a_step: Index | None
    item_names: tuple[Named, ...]
    a: Term
    b: Term
    out: Term
    gates: int
    compute: DType
    epilogue: Epilogue
    epilogue_terms: tuple[Term, ...]
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]
    halo: Halo | None = None
    fast_accumulation: bool = False
    b_step: Index | None = None
    runs_along_k: bool = False
    windows: Windows | None = None
    groups: Index | None = None
    scales: Scales | None = None
    ragged: bool = False
    lists: Lists | None = None
    sums: ColumnSums | None = None

    @property
    def row_stop(self) -> Index:
        """Where the rows end that a tile may store: with those of its group, where there are groups."""
        return self.m if self.groups is None else GROUP_STOP

    @property
    def divisors(self) -> tuple[str, ...]:
        """Symbols that coordinates of operands are divided by, those of the K axes included, in order."""
        hoisted = (named.value for term in self.factors for named in term.hoisted)
        inner = (axis.extent for axis in self.k_axes[1:])
        declared = {symbol.name for symbol in self.symbols}
        names = (
            *(name for value in hoisted for name in divided_by(value)),
            *(name for e in inner for name in symbols(e)),
        )
        return tuple(dict.fromkeys(name for name in names if name in declared))

    @property
    def factors(self) -> tuple[Term, ...]:
        """What is multiplied."""
        return self.a, self.b

    @property
    def near(self) -> tuple[tuple[str, Index], ...]:
        """Symbols that lie near an extent whatever they are: none."""
        return ()

    def __post_init__(self) -> None:
        terms = (self.a, self.b, self.out, *self.epilogue_terms)
        named = {named for term in terms for named in term.hoisted} | set(self.item_names)
        names = [symbol.name for symbol in self.symbols] + [item.name for item in named]
        names += [named.name for named in self.lists.names] if self.lists is not None else []
        names += [axis.name for axis in self.k_axes] + [ITEM.name, I.name, J.name]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigurationError(f"{', '.join(twice)} would mean two things in one contraction", title=self.title)
