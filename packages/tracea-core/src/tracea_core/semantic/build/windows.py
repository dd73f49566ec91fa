# SPDX-License-Identifier: MIT
"""The CPU schedule of a convolution as windows: rows are output pixels, read in place from a copy of the image with its padding.

All workers first copy the images, channels together and zeros around them. Then a window's row is one run of memory, so A needs no
packing, no mask and no test. Images without padding whose channels lie together are not copied: their windows are read where they are.
With `in_flight` instead of `halo` neither are those with padding: their windows are tested (`windows_in_place`).
A worker owns parts of the output (row split × column split) and packs each of its weights once, when the first block of its pixels
needs them. A block of pixels is one whose part of the images stays in the second cache while all panels pass over it. Output channels
are the columns, so a channels-last output is stored by whole vectors; planes are by way of `finished_planes`.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.asking_sweep import PAUSE, pausing
from tracea_core.semantic.build.blocked import COLUMN_SPLITS, ROW_BLOCKS
from tracea_core.semantic.build.filter_panels import SWEPT, FilterPanels
from tracea_core.semantic.build.finished_planes import IMAGE, PIXEL, FinishedPlanes
from tracea_core.semantic.build.padded_images import PaddedImages
from tracea_core.semantic.build.register_tile import ROW_SPLITS, WORKER, WORKERS, RegisterTile, lets, vectors
from tracea_core.semantic.build.windows_in_place import TestedWindows, without_copy
from tracea_core.semantic.contraction import (
    ITEM,
    Contraction,
    I,
    J,
    KAxis,
    Named,
    Term,
)
from tracea_core.semantic.index import (
    ROW,
    Const,
    Index,
    Sym,
    ceil_div,
    coefficient,
    divided_by,
    equal,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space, Symbol
from tracea_core.semantic.quotient import multiplied, reciprocal_symbols
from tracea_core.semantic.steps import (
    Barrier,
    BufferRef,
    If,
    Let,
    Load,
    Loop,
    Node,
    Scope,
    Transfer,
)
from tracea_core.target import CapabilityProfile

_KEEPS = minimum(Sym(ROW_BLOCKS) - 1, 1)
"""Whether panels are kept for further blocks of pixels: else each takes the place of the one before, in the caches."""


def pixels_first(contraction: Contraction) -> Contraction:
    """Return the contraction with rows and columns exchanged: rows are the output pixels of all images, columns output channels.

    Rows go from one image to the next, so that the tiles of small images have no empty rows: 49 pixels fill 54 rows of tiles of 6.

    Raises
    ------
    ConfigurationError
        If it is no convolution of one group, or its images have neither padding nor channels next to each other.
    """
    axes = {axis.name: axis for axis in contraction.k_axes}
    halo, image = contraction.halo, contraction.b
    in_place = coefficient(image.offset, "c") == Const(1)
    if set(axes) != set(SWEPT) or contraction.item_names or (halo is None and not in_place):
        raise ConfigurationError(
            "windows are those of one group, of images with padding or with channels next to each other",
            title=contraction.title,
        )
    divisors = divisors_of(contraction)
    places: dict[str, Index] = {J.name: I % contraction.n, ITEM.name: I // contraction.n}
    if halo is not None:
        first = (multiplied(substitute(place, places), divisors) for place in (halo.first_row, halo.first_column))
        halo = halo.replace(first_row=next(first), first_column=next(first))
    else:
        tested = frozenset(name for test in image.guard for name in symbols(test))
        kept = (named for named in image.hoisted if named.name in tested)
        spelt = image.offset
        for named in reversed(image.hoisted):
            spelt = substitute(spelt, {named.name: named.value})
        image = image.replace(
            offset=multiplied(substitute(spelt, places), divisors),
            hoisted=tuple(Named(one.name, multiplied(substitute(one.value, places), divisors)) for one in kept),
        )
    return contraction.replace(
        m=contraction.items * contraction.n,
        n=contraction.m,
        items=Const(1),
        k_axes=tuple(axes[name] for name in SWEPT),
        a=image,
        b=contraction.a.replace(offset=substitute(contraction.a.offset, {I.name: J})),
        a_step=None,
        out=_by_rows(contraction.out, contraction),
        epilogue_terms=tuple(_by_rows(term, contraction) for term in contraction.epilogue_terms),
        halo=halo,
    )


def divisors_of(contraction: Contraction) -> frozenset[str]:
    """What rows are divided by: the pixels of an image, and of a line of it."""
    halo = contraction.halo
    decoded = [named.value for named in contraction.b.hoisted] if halo is None else [halo.first_row, halo.first_column]
    return frozenset(name for place in (I // contraction.n, *decoded) for name in divided_by(place))


def _by_rows(term: Term, contraction: Contraction) -> Term:
    """Return a term whose rows are the pixels of all images and whose columns are channels."""
    divisors = divisors_of(contraction)
    image, pixel = (multiplied(place, divisors) for place in (I // contraction.n, I % contraction.n))
    offset = substitute(term.offset, {I.name: J, J.name: PIXEL, ITEM.name: IMAGE})
    places: dict[str, Index] = {I.name: J, J.name: pixel, ITEM.name: image}
    hoisted = [Named(named.name, multiplied(substitute(named.value, places), divisors)) for named in term.hoisted]
    rows = (Named(IMAGE.name, image), Named(PIXEL.name, pixel))
    return term.replace(offset=offset, hoisted=(*(one for one in rows if one.name in symbols(offset)), *hoisted))


class _Windows:
    """The nodes of one kernel, for a contraction whose rows are pixels of so many images."""

    def __init__(self, tile: RegisterTile, packer: FilterPanels, contraction: Contraction) -> None:
        self.t, self.c, self.config = tile, tile.c, tile.config
        self.packer, self.pixels = packer, contraction.n
        self.divisors = divisors_of(contraction)
        if tile.config.split_k > 1 or tile.c.gates > 1 or tile.config.block_k:
            raise ConfigurationError("a halo excludes split_k, block_k and gated epilogues")
        halo = tile.c.halo
        planar = coefficient(tile.c.out.offset, PIXEL.name) == Const(1) and tile.c.out.dtype is tile.c.compute
        alone = halo is not None and halo.across == Const(0)  # windows are single pixels
        self.tested = TestedWindows(tile) if tile.config.in_flight else None
        self.planes = FinishedPlanes(tile, self.pixels, self.divisors, alone) if planar and tile.lanes > 1 else None
        self.images = None if halo is None else PaddedImages(halo, contraction.items, tile.c.compute, tile.lanes)

    def symbols(self) -> tuple[Symbol, ...]:
        return (
            *reciprocal_symbols(sorted(self.divisors | self.packer.divisors)),
            Symbol(ROW_SPLITS, minimum=1, meaning="parts that the tiles of all images are cut into"),
            Symbol(COLUMN_SPLITS, minimum=1, meaning="parts that the panels are cut into"),
            Symbol(ROW_BLOCKS, minimum=1, meaning="blocks that the tiles of a part are cut into"),
        )

    def buffers(self) -> list[Buffer]:
        row = vectors(self.config.tile_n, self.t.lanes)
        others = (ceil_div(self.t.panels(), Sym(COLUMN_SPLITS)) - 1) * _KEEPS
        extent = (others + 1) * self.t.k_total()
        panel = Buffer(self.t.panel_name(0), Space.PANEL, self.c.compute, row, Lifetime.TILE_COLUMN, extent=extent)
        return [panel, *(part.buffer() for part in (self.images, self.planes) if part)]

    def fragments(self) -> list[Fragment]:
        known = {fragment.name for fragment in self.t.fragments()}
        turned = [fragment for fragment in self.packer.fragments() if fragment.name not in known]
        return [*(one for part in (self.images, self.planes) if part for one in part.fragments()), *turned]

    def body(self) -> list[Node]:
        copied = (*self.images.nodes(), Barrier(Scope.WORKERS, "images_written")) if self.images else ()
        return [
            Let("panels", self.t.panels()),
            Let("row_tiles", self.t.row_tiles()),
            Let("k_rows", self.t.k_total()),
            *copied,
            self._multiply(),
        ]

    # ---- multiplying

    def _multiply(self) -> Node:
        unit, panels, tiles = Sym("unit"), Sym("panels"), Sym("row_tiles")
        splits, parts, blocks = Sym(ROW_SPLITS), Sym(COLUMN_SPLITS), Sym(ROW_BLOCKS)
        units, block, held = splits * parts, Sym("row_part"), Sym("last_tile") - Sym("first_tile")
        first = Sym("first_tile") + block * held // blocks
        last = Sym("first_tile") + (block + 1) * held // blocks
        pass_over = Loop("panel", Sym("first_panel"), Sym("last_panel"), (
            Let("column0", Sym("panel") * self.config.tile_n),
            Let("panel_row", (Sym("panel") - Sym("first_panel")) * _KEEPS * Sym("k_rows")),
            If((equal(block, 0),), self.packer.pack_b(Const(0), Sym("k_rows"), Sym("panel_row"))),
            *self._sweep(Sym("block_first"), Sym("block_last")),
        ))  # fmt: skip
        return Loop("unit", WORKER * units // WORKERS, (WORKER + 1) * units // WORKERS, (
            Let("part", unit % parts),
            Let("split", unit // parts),
            Let("first_panel", Sym("part") * panels // parts),
            Let("last_panel", (Sym("part") + 1) * panels // parts),
            Let("first_tile", Sym("split") * tiles // splits),
            Let("last_tile", (Sym("split") + 1) * tiles // splits),
            Loop(block.name, Const(0), blocks, (Let("block_first", first), Let("block_last", last), pass_over)),
        ))  # fmt: skip

    def _sweep(self, first: Index, last: Index) -> tuple[Node, ...]:
        """Pass a panel over the tiles from `first` to `last`."""

        def finish(held: BufferRef | None = None) -> tuple[Node, ...]:
            return (
                Let("row0", Sym("place") * self.t.rows),
                *(self._accumulate(self.images) if self.images else self._accumulate_in_place()),
                *self.t.epilogue.nodes(held),
            )

        return self.planes.nodes(first, last, finish) if self.planes else (Loop("place", first, last, finish()),)

    def _accumulate(self, images: PaddedImages) -> tuple[Node, ...]:
        """Sweep a window of the copy: along each of its rows, which is one run where the filter is not spread."""
        halo = images.halo
        row = minimum(Sym("row0") + ROW, self.c.m - 1)
        first = substitute(halo.first_row * halo.width + halo.first_column, {I.name: row})
        image = multiplied(row // self.pixels, self.divisors) * images.image
        base = Named("window", image + first * halo.channels)
        rows, columns, channels = self.c.k_axes
        run: tuple[KAxis, ...] = (columns, channels)
        along: Index = Sym("s") * halo.across * halo.channels + Sym("c")
        position: Index = (Sym("r") * columns.extent + Sym("s")) * channels.extent + Sym("c")
        if halo.across == Const(1):
            run = (KAxis("run", columns.extent * channels.extent),)
            along, position = Sym("run"), Sym("r") * run[0].extent + Sym("run")
        place = BufferRef("images", (Sym(base.name) + (Sym("r") * halo.down * images.line + along), Const(0)))
        load = Load(self.t.a_fragment.name, place, Transfer.BROADCAST)
        return (*lets((base,), self.t.a_fragment.name), *self._loops((rows, *run), position, (load,)))

    def _accumulate_in_place(self) -> tuple[Node, ...]:
        """Sweep a window of the images themselves, whose channels lie next to each other."""
        rows, columns, channels = self.c.k_axes
        position = (Sym("r") * columns.extent + Sym("s")) * channels.extent + Sym("c")
        if self.tested:
            hoisted, load = self.tested.nodes(position)
        else:
            hoisted, offset = self.t.a_in_place(position, Const(0))
            load = self.t.load_a(offset)
        return (*hoisted, *self._loops((rows, columns, channels), position, load))

    def _loops(self, axes: tuple[KAxis, ...], position: Index, load: tuple[Node, ...]) -> tuple[Node, ...]:
        """Clear the sums, and add products along `axes`; `position` is the row of the panel that goes with what `load` loads."""
        nodes: tuple[Node, ...] = (*self.t.load_panels(Sym("panel_row") + position), *load, *self.t.multiply())
        last, unroll = axes[-1], self.config.tile_k
        if self.planes and self.planes.in_sweep:
            nodes = pausing(last, nodes, unroll, self.planes.channels, self.planes.asks(PAUSE))
        else:
            nodes = (Loop(last.name, Const(0), last.extent, nodes, unroll=unroll),)
        for axis in reversed(axes[:-1]):
            nodes = (Loop(axis.name, Const(0), axis.extent, nodes),)
        return (*self.t.clear(), *nodes)


def window_parts(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile
) -> tuple[RegisterTile, tuple[list[Node], list[Buffer], tuple[Symbol, ...], list[Fragment]]]:
    """Return the register tile, and body, buffers, launch symbols and further fragments of the schedule by windows.

    Raises
    ------
    ConfigurationError
        If the contraction is no convolution of one group that has windows, or the register tile does not fit.
    """
    if configuration.in_flight:
        contraction = without_copy(contraction)
    swapped = pixels_first(contraction)
    tile = RegisterTile(swapped, configuration, profile)
    packer = FilterPanels(contraction, swapped, configuration, profile)
    windows = _Windows(tile, packer, contraction)
    return tile, (windows.body(), windows.buffers(), windows.symbols(), windows.fragments())
