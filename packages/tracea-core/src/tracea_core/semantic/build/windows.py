# SPDX-License-Identifier: MIT
"""The CPU schedule of a convolution as windows: rows are output pixels, read in place from a copy of the image with its padding.

All workers first copy the images, channels together and zeros around them. Then a window's row is one run of memory, so A needs no
packing, no mask and no test. A worker owns parts of the output (row split × column split) and packs each of its weights once, when
the first block of its pixels needs them. A block of pixels is one whose part of the images stays in the second cache while all panels
pass over it. Output channels are the columns, so a channels-last output is stored by whole vectors.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS, ROW_BLOCKS
from tracea_core.semantic.build.padded_images import PaddedImages
from tracea_core.semantic.build.register_tile import ROW_SPLITS, WORKER, WORKERS, RegisterTile, lets, vectors
from tracea_core.semantic.contraction import (
    ITEM,
    Contraction,
    Halo,
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
    divided_by,
    equal,
    minimum,
    substitute,
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

_SWAP: dict[str, Index] = {I.name: J, J.name: I}


def pixels_first(contraction: Contraction) -> Contraction:
    """Return the contraction with rows and columns exchanged: rows are output pixels, columns output channels.

    Raises
    ------
    ConfigurationError
        If it is no convolution with padding and one group.
    """
    if contraction.halo is None:
        raise ConfigurationError("a halo needs a convolution with padding and one group", title=contraction.title)
    halo = contraction.halo
    axes = {axis.name: axis for axis in contraction.k_axes}
    return contraction.replace(
        m=contraction.n,
        n=contraction.m,
        k_axes=(axes["r"], axes["s"], axes["c"]),
        a=_swapped(contraction.b),
        b=_swapped(contraction.a),
        a_step=None,
        out=_swapped(contraction.out),
        epilogue_terms=tuple(_swapped(term) for term in contraction.epilogue_terms),
        halo=halo.replace(
            first_row=substitute(halo.first_row, _SWAP), first_column=substitute(halo.first_column, _SWAP)
        ),
    )


def _filters_as_runs(contraction: Contraction, swapped: Contraction) -> Contraction:
    """Return `swapped` with a single reduction axis where each filter is one run of memory in the order of the panels.

    Packing then loads blocks along the runs and turns them in registers, as for a matrix.
    """
    if contraction.a_step != Const(1) or tuple(axis.name for axis in contraction.k_axes) != ("r", "s", "c"):
        return swapped
    total: Index = Const(1)
    for axis in swapped.k_axes:
        total = total * axis.extent
    first = substitute(swapped.b.offset, dict.fromkeys(("r", "s", "c"), Const(0)))
    return swapped.replace(
        k_axes=(KAxis("filter_at", total),), b=swapped.b.replace(offset=first + Sym("filter_at")), halo=None
    )


def _swapped(term: Term) -> Term:
    hoisted = tuple(Named(named.name, substitute(named.value, _SWAP)) for named in term.hoisted)
    return term.replace(offset=substitute(term.offset, _SWAP), hoisted=hoisted)


class _Windows:
    """The nodes of one kernel, for a contraction whose rows are pixels."""

    def __init__(self, tile: RegisterTile, packer: RegisterTile, halo: Halo) -> None:
        self.t, self.c, self.halo, self.config = tile, tile.c, halo, tile.config
        self.packer = packer
        places = (halo.first_row, halo.first_column)
        self.divisors = frozenset(name for place in places for name in divided_by(place))
        if tile.config.split_k > 1 or tile.c.gates > 1:
            raise ConfigurationError("a halo excludes split_k and gated epilogues")
        self.images = PaddedImages(halo, tile.c.items, tile.c.compute, tile.lanes)
        self.line, self.image = self.images.line, self.images.image

    def symbols(self) -> tuple[Symbol, ...]:
        return (
            *reciprocal_symbols(sorted(self.divisors)),
            Symbol(ROW_SPLITS, minimum=1, meaning="parts that the tiles of all images are cut into"),
            Symbol(COLUMN_SPLITS, minimum=1, meaning="parts that the panels are cut into"),
            Symbol(ROW_BLOCKS, minimum=1, meaning="blocks that the tiles of a part are cut into"),
        )

    def buffers(self) -> list[Buffer]:
        row = vectors(self.config.tile_n, self.t.lanes)
        extent = ceil_div(self.t.panels(), Sym(COLUMN_SPLITS)) * self.t.k_total()
        panel = Buffer(self.t.panel_name(0), Space.PANEL, self.c.compute, row, Lifetime.TILE_COLUMN, extent=extent)
        return [panel, self.images.buffer()]

    def fragments(self) -> list[Fragment]:
        known = {fragment.name for fragment in self.t.fragments()}
        turned = [fragment for fragment in self.packer.fragments() if fragment.name not in known]
        return [*self.images.fragments(), *turned]

    def body(self) -> list[Node]:
        return [
            Let("panels", self.t.panels()),
            Let("row_tiles", self.t.row_tiles()),
            Let("k_rows", self.t.k_total()),
            *self.images.nodes(),
            Barrier(Scope.WORKERS, "images_written"),
            self._multiply(),
        ]

    # ---- multiplying

    def _multiply(self) -> Node:
        unit, panels, tiles = Sym("unit"), Sym("panels"), self.c.items * Sym("row_tiles")
        splits, parts, blocks = Sym(ROW_SPLITS), Sym(COLUMN_SPLITS), Sym(ROW_BLOCKS)
        units, block, held = splits * parts, Sym("row_part"), Sym("last_tile") - Sym("first_tile")
        first = Sym("first_tile") + block * held // blocks
        last = Sym("first_tile") + (block + 1) * held // blocks
        sweep = Loop("place", Sym("block_first"), Sym("block_last"), (
            Let(ITEM.name, Sym("place") // Sym("row_tiles")),
            Let("row0", Sym("place") % Sym("row_tiles") * self.t.rows),
            *self._accumulate(),
            *self.t.epilogue.nodes(),
        ))  # fmt: skip
        pass_over = Loop("panel", Sym("first_panel"), Sym("last_panel"), (
            Let("column0", Sym("panel") * self.config.tile_n),
            Let("panel_row", (Sym("panel") - Sym("first_panel")) * Sym("k_rows")),
            If((equal(block, 0),), self.packer.pack_b(Const(0), Sym("k_rows"), Sym("panel_row"))),
            sweep,
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

    def _accumulate(self) -> tuple[Node, ...]:
        """Sweep a window: along each of its rows, which is one run where the filter is not spread."""
        row = minimum(Sym("row0") + ROW, self.c.m - 1)
        first = substitute(self.halo.first_row * self.halo.width + self.halo.first_column, {I.name: row})
        base = Named("window", Sym(ITEM.name) * self.image + multiplied(first, self.divisors) * self.halo.channels)
        rows, columns, channels = self.c.k_axes
        run: tuple[KAxis, ...] = (columns, channels)
        if self.halo.across == Const(1):
            run = (KAxis("run", columns.extent * channels.extent),)
        along, position = self._along(rows, run)
        place = BufferRef("images", (Sym(base.name) + along, Const(0)))
        load = Load(self.t.a_fragment.name, place, Transfer.BROADCAST)
        nodes: tuple[Node, ...] = (*self.t.load_panels(Sym("panel_row") + position), load, *self.t.multiply())
        for depth, axis in enumerate((*run[::-1], rows)):
            unroll = self.config.tile_k if depth == 0 else 1
            nodes = (Loop(axis.name, Const(0), axis.extent, nodes, unroll=unroll),)
        return (*lets((base,), self.t.a_fragment.name), *self.t.clear(), *nodes)

    def _along(self, rows: KAxis, run: tuple[KAxis, ...]) -> tuple[Index, Index]:
        """Where the window's current element lies, from its first, and the row of the panel that goes with it."""
        down = Sym(rows.name) * self.halo.down * self.line
        if len(run) == 1:
            return down + Sym(run[0].name), Sym(rows.name) * run[0].extent + Sym(run[0].name)
        columns, channels = run
        along = Sym(columns.name) * self.halo.across * self.halo.channels + Sym(channels.name)
        position = (Sym(rows.name) * columns.extent + Sym(columns.name)) * channels.extent + Sym(channels.name)
        return down + along, position


def window_parts(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile
) -> tuple[RegisterTile, tuple[list[Node], list[Buffer], tuple[Symbol, ...], list[Fragment]]]:
    """Return the register tile, and body, buffers, launch symbols and further fragments of the schedule by windows.

    Raises
    ------
    ConfigurationError
        If the contraction is no convolution with padding and one group, or the register tile does not fit.
    """
    swapped = pixels_first(contraction)
    assert swapped.halo is not None
    tile = RegisterTile(swapped, configuration, profile)
    packer = RegisterTile(_filters_as_runs(contraction, swapped), configuration, profile)
    windows = _Windows(tile, packer, swapped.halo)
    return tile, (windows.body(), windows.buffers(), windows.symbols(), windows.fragments())
