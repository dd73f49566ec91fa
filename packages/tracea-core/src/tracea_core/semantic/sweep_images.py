# SPDX-License-Identifier: MIT
"""Passes that copy images and filters into rows of a workspace: lines of pixels, windows that do not overlap, groups that become one."""

from __future__ import annotations

from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import ITEM, I, J, KAxis, Term
from tracea_core.semantic.index import Const, Guard, Index, at_least, equal, less
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import SymbolTable, pointer
from tracea_core.semantic.sweep import OUT, PART, SOURCE, LoweredSweep, Sweep


def lower_lines(
    operand: str,
    spec: TensorSpec,
    target: str,
    copied: TensorSpec,
    pixel: int,
    lead: int,
    together: int = 1,
    above: int = 0,
) -> LoweredSweep:
    """Return the pass that copies lines of images into rows of a workspace, where pixels have room for `pixel` channels.

    Parameters
    ----------
    spec : TensorSpec
        Images, shape (images, channels, lines, columns), or filters. Contiguous channels whose lines are not put together follow
        one another at one distance, across images.
    copied : TensorSpec
        The workspace, shape (images * rows of an image, elements of a row).
    pixel : int
        Elements from one pixel of a row to the next; those beyond the channels are zero.
    lead : int
        Pixels of zeros before each line; what follows it is zero as well.
    together : int
        Lines that share a row: the pixels of a column lie next to each other.
    above : int
        Lines of zeros above an image; what is below it is zero as well. Of single lines, none.
    """
    by_image = together > 1 or (spec.shape[1] > 1 and spec.strides[1] != 1)
    rows = copied.shape[0] // spec.shape[0] if by_image else copied.shape[0]
    table = SymbolTable()
    m = table.extent("m", rows, "rows of an image in the workspace" if by_image else "lines of all images")
    n = table.extent("n", copied.shape[1], "elements of a row in the workspace, zeros included")
    columns = table.extent("columns", spec.shape[3], "pixels of a line")
    channels = table.extent("channels", spec.shape[1], "channels of a pixel")
    before = table.extent("lead", lead, "pixels of zeros before each line")
    down = table.stride("source_line", spec.strides[2], "source: next line")
    aside = table.stride("source_pixel", spec.strides[3], "source: next pixel")
    wide = table.stride("out_row", copied.strides[0], "out: next row")
    place, channel = J // (pixel * together) - before, J % pixel
    guard: Guard = (less(place, columns), at_least(place, 0), less(channel, channels))
    items: Index = Const(1)
    read, write = I * down + place * aside + channel, I * wide + J
    words = "pixels"
    if by_image:
        items = table.extent("items", spec.shape[0], "images")
        plane = table.stride("source_plane", spec.strides[1], "source: next channel")
        image = table.stride("source_image", spec.strides[0], "source: next image")
        room = table.stride("out_image", rows * copied.strides[0], "out: next image")
        line: Index = I
        if together > 1:
            lines = table.extent("lines", spec.shape[2], "lines of an image")
            line = I * together + J // pixel % together - table.extent("above", above, "lines of zeros above an image")
            guard = (*guard, less(line, lines), at_least(line, 0))
        read, write = ITEM * image + line * down + place * aside + channel * plane, ITEM * room + I * wide + J
        words = f"{'planes' if plane != Const(1) else 'pixels'}, {together} together," if together > 1 else "planes"
    into = f" into pixels of {pixel} channels" if by_image else f" of {pixel} channels"
    sweep = Sweep(
        title=f"copy {spec.dtype.value} lines of {words}{into}", m=m, n=n, items=items,
        parts=KAxis(PART, Const(1)), source=Term(SOURCE, spec.dtype, read, guard), out=Term(OUT, spec.dtype, write),
        compute=spec.dtype, epilogue=IDENTITY, epilogue_terms=(),
        parameters=(pointer(SOURCE, spec.dtype, Direction.READ), pointer(OUT, spec.dtype, Direction.WRITE)),
        symbols=tuple(table.symbols),
    )  # fmt: skip
    return LoweredSweep(sweep, tuple(table.values), (operand, target))


def lower_windows(
    operand: str, spec: TensorSpec, target: str, copied: TensorSpec, window: tuple[int, int], channels_last: bool
) -> LoweredSweep:
    """Return the pass that copies windows that do not overlap, each into neighbouring elements of a row of a workspace.

    Parameters
    ----------
    spec : TensorSpec
        Images, shape (images, channels, lines, columns), each a grid of windows from its first pixel on, or filters, of which
        each is one window.
    copied : TensorSpec
        The workspace, shape (images * rows of windows, elements of a row), or one row for each window. What is left of a window's
        elements is zero.
    window : tuple of int
        Lines and columns of a window.
    channels_last : bool
        Whether channels run fastest in a window, or slowest.
    """
    images, deep, height, width = spec.shape
    tall, wide = window
    across = width // wide
    rows = copied.shape[0] // images
    each = copied.shape[1] if rows > height // tall else copied.shape[1] // across
    table = SymbolTable()
    m = table.extent("m", rows, "rows of an image in the workspace")
    n = table.extent("n", copied.shape[1], "elements of a row in the workspace, zeros included")
    items = table.extent("items", images, "images")
    strides = [
        table.stride(f"source_{name}", stride, f"source: next {name}")
        for name, stride in zip(("image", "plane", "line", "pixel"), spec.strides, strict=True)
    ]
    row = table.stride("out_row", copied.strides[0], "out: next row")
    room = table.stride("out_image", rows * copied.strides[0], "out: next image")
    down, place, within = (
        (I, J // each, J % each) if each < copied.shape[1] or across == 1 else (I // across, I % across, J)
    )
    if channels_last:
        channel, line, column = within % deep, within // (wide * deep), within // deep % wide
    else:
        channel, line, column = within // (tall * wide), within // wide % tall, within % wide
    source = (
        ITEM * strides[0]
        + channel * strides[1]
        + (down * tall + line) * strides[2]
        + (place * wide + column) * strides[3]
    )
    guard: Guard = () if each == tall * wide * deep else (less(within, tall * wide * deep),)
    sweep = Sweep(
        title=f"copy {spec.dtype.value} windows of {tall}x{wide} pixels of {deep} {'channels' if channels_last else 'planes'}",
        m=m, n=n, items=items, parts=KAxis(PART, Const(1)), source=Term(SOURCE, spec.dtype, source, guard),
        out=Term(OUT, spec.dtype, ITEM * room + I * row + J), compute=spec.dtype, epilogue=IDENTITY, epilogue_terms=(),
        parameters=(pointer(SOURCE, spec.dtype, Direction.READ), pointer(OUT, spec.dtype, Direction.WRITE)),
        symbols=tuple(table.symbols),
    )  # fmt: skip
    return LoweredSweep(sweep, tuple(table.values), (operand, target))


def lower_merged(operand: str, spec: TensorSpec, target: str, groups: int, merged: int) -> LoweredSweep:
    """Return the pass that copies filters of some groups into those of fewer, zeros where a filter has no channel of its own.

    Parameters
    ----------
    spec : TensorSpec
        Filters, shape (filters, channels of a group, rows, columns), one after the other, channels contiguous or planes.
    groups : int
        Into which they are divided.
    merged : int
        Groups that become one, whose filters have the channels of all of them.
    """
    filters, deep, rows, columns = spec.shape
    table = SymbolTable()
    m = table.extent("m", filters // groups * rows * columns, "elements of the filters of a group")
    n = table.extent("n", merged * deep, "channels of the groups that become one")
    items = table.extent("items", groups, "groups of filters")
    channels = table.extent("channels", deep, "channels of a group", 1)
    member = ITEM % merged
    own = J - member * channels
    source = (ITEM * m + I) * channels + own
    taps = rows * columns
    planes = spec.strides[1] != 1 and taps > 1 and deep > 1
    if planes:
        each = table.extent("filters", filters // groups, "filters of a group", 1)
        source = ((ITEM * each + I // taps) * channels + own) * taps + I % taps
    sweep = Sweep(
        title=f"copy {spec.dtype.value} {'planes of ' if planes else ''}filters of {merged} groups into one", m=m, n=n, items=items,
        parts=KAxis(PART, Const(1)), source=Term(SOURCE, spec.dtype, source, (equal(J // channels, member),)),
        out=Term(OUT, spec.dtype, ITEM * m * n + I * n + J), compute=spec.dtype, epilogue=IDENTITY, epilogue_terms=(),
        parameters=(pointer(SOURCE, spec.dtype, Direction.READ), pointer(OUT, spec.dtype, Direction.WRITE)),
        symbols=tuple(table.symbols),
    )  # fmt: skip
    return LoweredSweep(sweep, tuple(table.values), (operand, target))
