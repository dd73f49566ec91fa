# SPDX-License-Identifier: MIT
r"""The CPU schedule of a 3×3 convolution by minimal filtering, F(2×2, 3×3): 16 multiplications for 4 pixels where windows take 36.

A tile of 2×2 pixels sees 4×4 of the image. Along one axis, with a filter :math:`g` and pixels :math:`d`,

.. math::

    y_0 = m_0 + m_1 + m_2, \quad y_1 = m_1 - m_2 - m_3, \qquad
    m = \bigl(g_0\,(d_0 - d_2),\ \tfrac{g_0 + g_1 + g_2}{2}(d_1 + d_2),\ \tfrac{g_0 - g_1 + g_2}{2}(d_2 - d_1),\ g_2\,(d_1 - d_3)\bigr),

and along both the same twice (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015). Summed over channels, the
:math:`m` of each of the 16 places are a matrix product of their own, of tiles by filters: these keep the register tile busy.

All workers copy the images with their padding and turn the filters; then each takes blocks of tiles that fit its second cache: it turns
their pixels, multiplies one panel of filters at a time, and turns the sums back as it finishes and stores them: channels-last images tile
by tile, planes by way of `finished_tiles`. Every pixel depends on its own window alone, so what a tile reads beyond the image is never
stored.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Expr
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS
from tracea_core.semantic.build.epilogue import TileEpilogue
from tracea_core.semantic.build.finished_planes import PIXEL
from tracea_core.semantic.build.finished_tiles import (
    TILE_COLUMN,
    TILE_IMAGE,
    TILE_LINES,
    TILE_ROW,
    TILES_ACROSS,
    FinishedTiles,
)
from tracea_core.semantic.build.padded_images import PaddedImages
from tracea_core.semantic.build.register_tile import ROW_SPLITS, WORKER, WORKERS, RegisterTile, vectors
from tracea_core.semantic.build.turned_filters import (
    PLACES,
    SEEN,
    TILE,
    VECTOR,
    TurnedFilters,
    add,
    register,
    registers,
    subtract,
)
from tracea_core.semantic.build.windows import divisors_of, pixels_first
from tracea_core.semantic.contraction import Contraction, J
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    IndexFn,
    IndexOp,
    Sym,
    ceil_div,
    coefficient,
    less,
    minimum,
)
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Launch, Lifetime, Role, SemanticKernel, Space, Symbol
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.quotient import reciprocal_symbols
from tracea_core.semantic.steps import (
    Barrier,
    BufferRef,
    Compute,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Scope,
    Store,
    Transfer,
)
from tracea_core.target import CapabilityProfile

TILES_EACH = "tiles_each"
"""Launch symbol: tiles of pixels that a worker turns at a time."""
_TILES, _SUMS = "seen_tiles", "sums"
_CHUNK, _SLOT = Sym("chunk"), Sym("slot")
_FIRST, _LAST = Sym("block_first"), Sym("block_last")


def winograd_kernel(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of a 3×3 convolution with stride 1 by minimal filtering.

    Parameters
    ----------
    configuration : PipelineConfig
        The register tile, ``tile_m`` tiles of pixels by ``tile_n`` channels, its reduction unrolled by ``tile_k``; with `halo`.

    Raises
    ------
    ConfigurationError
        If it is no such convolution of images with padding, or the register tile does not fit.
    """
    builder = _Builder(contraction, configuration, profile)
    prepared = builder.epilogue.prepared
    role = Role(
        "worker", Actor.WORKER, 0, builder.lanes, tuple(builder.fragments()), (*prepared.nodes(), *builder.body())
    )
    return SemanticKernel(
        name=name, title=f"{contraction.title}, by minimal filtering", family="contraction", variant=variant, arch=profile.arch,
        configuration=configuration, parameters=contraction.parameters, symbols=(*contraction.symbols, *builder.symbols()),
        buffers=(*builder.buffers(), *prepared.buffers()), rings=(), roles=(role,), launch=Launch(blocks=WORKERS, threads=1),
    )  # fmt: skip


class _Builder:
    def __init__(self, contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        if contraction.sums is not None:
            raise ConfigurationError("minimal filtering sums no columns")
        self.f, self.width = contraction, _line(contraction)
        self.c = pixels_first(contraction)
        plain = configuration.replace(halo=True, split_k=1, block_k=0, pack_a=False, pack_b=True, row_block=0)
        if configuration != plain or self.c.gates > 1:
            raise ConfigurationError("minimal filtering takes whole panels, one block of k, and no gated epilogue")
        self.t = RegisterTile(self.c, configuration, profile)
        self.lanes, self.compute = self.t.lanes, self.c.compute
        assert self.c.halo is not None
        self.channels = self.c.halo.channels
        self.filters = TurnedFilters(contraction, self.t, self.channels)
        several, vector = (fma_outer(1, count, self.lanes, self.compute) for count in (self.filters.beside, 1))
        assert vector.b is not None
        self.vector = vector.b
        self.result = Fragment("pixel", self.compute, several.c)
        self.epilogue = TileEpilogue(self.c, several, [self.result])
        self.images = PaddedImages(self.c.halo, contraction.items, self.compute, self.lanes)
        planar = coefficient(self.c.out.offset, PIXEL.name) == Const(1) and self.c.out.dtype is self.compute
        self.planes = FinishedTiles(self.t, self.width, contraction.n) if planar and self.lanes > 1 else None

    # ---- declarations

    def symbols(self) -> tuple[Symbol, ...]:
        return (
            *reciprocal_symbols(sorted(divisors_of(self.f))),
            Symbol(ROW_SPLITS, minimum=1, meaning="parts that the tiles of all images are cut into"),
            Symbol(COLUMN_SPLITS, minimum=1, meaning="parts that the panels are cut into"),
            Symbol(TILES_EACH, minimum=least_tiles(self.t.rows), meaning="tiles of pixels that are turned at a time"),
        )

    def buffers(self) -> list[Buffer]:
        panel, element = vectors(self.t.config.tile_n, self.lanes), Layout.row_major(("element", 1))
        tiles = self._tile_rows() * PLACES
        return [
            *self.filters.buffers(),
            Buffer(_TILES, Space.PANEL, self.compute, element, Lifetime.TILE_COLUMN, extent=tiles),
            Buffer(_SUMS, Space.PANEL, self.compute, panel, Lifetime.TILE_COLUMN, extent=self._slots() * PLACES),
            *(part.buffer() for part in (self.images, self.planes) if part),
        ]

    def fragments(self) -> list[Fragment]:
        own = [
            Fragment(name, self.compute, self.filters.layout())
            for name in (*registers("p"), *registers("q"), "tap_sum")
        ]
        own += [Fragment(name, self.compute, self.vector) for name in (*registers("d"), *registers("e"))]
        found = [
            *self.t.accumulators,
            *self.t.b_fragments,
            self.t.a_fragment,
            self.t.square,
            self.t.turned,
            self.result,
            *self.epilogue.fragments,
            *(one for part in (self.images, self.planes) if part for one in part.fragments()),
            *own,
        ]
        return list({fragment.name: fragment for fragment in found}.values())

    def _slots(self) -> Index:
        """Rows of the sums of one place: whole register tiles."""
        return ceil_div(Sym(TILES_EACH), self.t.rows) * self.t.rows

    def _tile_rows(self) -> Index:
        """Elements of the turned tiles of one place; a vector more, or the places of a tile would fall into one set of a cache."""
        return Sym(TILES_EACH) * self.channels + self.lanes

    # ---- the program

    def body(self) -> list[Node]:
        splits, parts, each = Sym(ROW_SPLITS), Sym(COLUMN_SPLITS), Sym(TILES_EACH)
        panels, tiles = Sym("panels"), Sym("tiles")
        filters = panels * Sym("chunks")
        held = Sym("last_tile") - Sym("first_tile")
        block = (
            Let(_FIRST.name, Sym("first_tile") + Sym("tile_block") * each),
            Let(_LAST.name, minimum(Sym("block_first") + each, Sym("last_tile"))),
            Loop("tile", _FIRST, _LAST, (*self._place(), *self._turn_tile())),
            Loop("panel", Sym("first_panel"), Sym("last_panel"), (
                self._multiply(),
                *self._finish_block(),
            )),
        )  # fmt: skip
        unit = Loop("unit", WORKER * splits * parts // WORKERS, (WORKER + 1) * splits * parts // WORKERS, (
            Let("part", Sym("unit") % parts),
            Let("split", Sym("unit") // parts),
            Let("first_panel", Sym("part") * panels // parts),
            Let("last_panel", (Sym("part") + 1) * panels // parts),
            Let("first_tile", Sym("split") * tiles // splits),
            Let("last_tile", (Sym("split") + 1) * tiles // splits),
            Loop("tile_block", Const(0), ceil_div(held, each), block),
        ))  # fmt: skip
        return [
            Let("panels", self.t.panels()),
            Let(TILES_ACROSS.name, ceil_div(self.width, TILE)),
            Let(TILE_LINES.name, ceil_div(ceil_div(self.f.n, self.width), TILE)),
            Let("tiles_of_image", TILE_LINES * TILES_ACROSS),
            Let("tiles", self.f.items * Sym("tiles_of_image")),
            *self.images.nodes(),
            Let("chunks", ceil_div(self.channels, self.lanes)),
            Loop("filter", WORKER * filters // WORKERS, (WORKER + 1) * filters // WORKERS, self.filters.nodes()),
            Barrier(Scope.WORKERS, "filters_turned"),
            unit,
        ]

    def _place(self) -> tuple[Node, ...]:
        """Which image a tile belongs to, the pixel at which it begins, and which of the block's tiles it is."""
        inside = Sym("tile") % Sym("tiles_of_image")
        return (
            Let(TILE_IMAGE.name, Sym("tile") // Sym("tiles_of_image")),
            Let(TILE_ROW.name, inside // TILES_ACROSS * TILE),
            Let(TILE_COLUMN.name, inside % TILES_ACROSS * TILE),
            Let(_SLOT.name, Sym("tile") - _FIRST),
        )

    def _turn_tile(self) -> tuple[Node, ...]:
        """Turn the pixels that a tile sees: Bᵀ·d·B; rows and columns beyond the image repeat the last one."""
        halo = self.images.halo
        rows = [
            (TILE_IMAGE * halo.height + minimum(TILE_ROW + i, halo.height - 1)) * self.images.line for i in range(SEEN)
        ]
        columns = [minimum(TILE_COLUMN + j, halo.width - 1) * self.channels for j in range(SEEN)]
        lets = [Let(f"seen_row{i}", value) for i, value in enumerate(rows)]
        lets += [Let(f"seen_column{j}", value) for j, value in enumerate(columns)]

        def turn(guard: Guard) -> tuple[Node, ...]:
            channel = minimum(_CHUNK + COLUMN, self.channels - 1) if guard else _CHUNK + COLUMN
            nodes: list[Node] = []
            for i in range(SEEN):
                for j in range(SEEN):
                    place = Sym(f"seen_row{i}") + Sym(f"seen_column{j}") + channel
                    nodes.append(
                        Load(register("d", i, j), BufferRef("images", (place, Const(0))), Transfer.VECTOR, guard)
                    )
            for j in range(SEEN):
                nodes += self._seen(
                    [register("d", i, j) for i in range(SEEN)], [register("e", i, j) for i in range(SEEN)]
                )
            for i in range(SEEN):
                nodes += self._seen(
                    [register("e", i, j) for j in range(SEEN)], [register("d", i, j) for j in range(SEEN)]
                )
            for number, name in enumerate(registers("d")):
                element = self._tile_rows() * number + _SLOT * self.channels + channel
                nodes.append(Store(BufferRef(_TILES, (element, Const(0))), name, Transfer.VECTOR, guard))
            return tuple(nodes)

        whole = Sym("whole_channels")
        rest = (Let(_CHUNK.name, whole), *turn((less(_CHUNK + COLUMN, self.channels),)))
        return (
            *lets,
            Loop(_CHUNK.name, Const(0), whole, turn(()), step=self.lanes),
            If((less(whole, self.channels),), rest),
        )

    def _seen(self, pixels: list[str], out: list[str]) -> list[Node]:
        """Four pixels along one axis as four differences and sums."""
        pairs = ((0, 2, subtract), (1, 2, add), (2, 1, subtract), (1, 3, subtract))
        return [
            self._compute(name, of(Accumulator(0), Accumulator(1)), (pixels[a], pixels[b]))
            for name, (a, b, of) in zip(out, pairs, strict=True)
        ]

    def _multiply(self) -> Node:
        """Multiply the block's tiles by a panel of filters, for each of the places."""
        c, place, high = Sym("c"), Sym("place"), Sym("high")
        row = minimum(high * self.t.rows + ROW, _LAST - _FIRST - 1)
        pixels = BufferRef(_TILES, (Sym("tile_base") + c, Const(0)))
        filters = self.filters.row(Sym("panel"), place, c)
        step = (
            Load(self.t.b_fragments[0].name, filters, Transfer.VECTOR),
            Load(self.t.a_fragment.name, pixels, Transfer.BROADCAST),
            *self.t.multiply(),
        )
        sums = BufferRef(_SUMS, (place * self._slots() + high * self.t.rows + ROW, COLUMN))
        sweep = (
            Let("tile_base", place * self._tile_rows() + row * self.channels, self.t.a_fragment.name),
            *self.t.clear(),
            Loop(c.name, Const(0), self.channels, step, unroll=self.t.config.tile_k),
            Store(sums, self.t.accumulators[0].name, Transfer.VECTOR),
        )
        tall = ceil_div(_LAST - _FIRST, self.t.rows)
        return Loop(place.name, Const(0), Const(PLACES), (Loop(high.name, Const(0), tall, sweep),))

    def _finish_block(self) -> tuple[Node, ...]:
        """Finish the block's tiles for a panel of filters, and store them."""
        if self.planes is None:
            return (Loop("tile", _FIRST, _LAST, (*self._place(), self._finish())),)
        return self.planes.nodes(_FIRST, _LAST, (Let(_SLOT.name, Sym("tile") - _FIRST), self._finish()))

    def _finish(self) -> Node:
        """Turn the sums of a tile back, Aᵀ·m·A, and finish those pixels that exist; store them, or let them wait."""
        nodes: list[Node] = [Let("column0", self.filters.first(Sym("panel")))]
        for place, name in enumerate(registers("p")):
            row = self._slots() * place + _SLOT
            nodes.append(Load(name, BufferRef(_SUMS, (row, VECTOR * self.filters.across + COLUMN)), Transfer.VECTOR))
        for i in range(TILE):
            for j in range(SEEN):
                nodes.append(self._back(register("q", i, j), [register("p", place, j) for place in range(SEEN)], i))
        for i in range(TILE):
            for j in range(TILE):
                line, column = TILE_ROW + i, TILE_COLUMN + j
                held = self.planes.held(i, j, VECTOR * self.filters.across) if self.planes else None
                pixel = line * self.width + column
                finish = (
                    self._back(self.result.name, [register("q", i, place) for place in range(SEEN)], j),
                    Let("row0", TILE_IMAGE * self.f.n + pixel),
                    *self.epilogue.nodes(held),
                )
                nodes.append(If((less(column, self.width), less(pixel, self.f.n)), finish, self._nothing(held)))
        used = ceil_div(self.c.n - Sym("panel") * self.t.config.tile_n, self.filters.across)
        return Loop(VECTOR.name, Const(0), minimum(used, Const(self.t.vectors // self.filters.beside)), tuple(nodes))

    def _nothing(self, held: BufferRef | None) -> tuple[Node, ...]:
        """Leave zeros where a pixel that does not exist would wait, so that no tile's results depend on what waited there before."""
        result = self.epilogue.result.name
        return () if held is None else (Fill(result), Store(held, result, Transfer.VECTOR))

    def _back(self, target: str, sums: list[str], pixel: int) -> Compute:
        """One of the two pixels along an axis from its four sums."""
        a, b, c = (Accumulator(number) for number in range(3))
        expr = subtract(subtract(a, b), c) if pixel else add(add(a, b), c)
        return self._compute(target, expr, tuple(sums[pixel : pixel + 3]))

    def _compute(self, target: str, expr: Expr, accumulators: tuple[str, ...]) -> Compute:
        return Compute(target, expr, self.compute, accumulators)


def least_tiles(rows: int) -> int:
    """Return the fewest tiles that are turned at a time: more than two register tiles of so many rows, and no whole number of them."""
    return 2 * rows + 1


def _line(contraction: Contraction) -> Index:
    """The pixels of an output line, by which a pixel's window is found."""
    halo = contraction.halo
    first = halo.first_row if halo is not None else None
    if halo is None or not isinstance(first, IndexOp) or first.fn is not IndexFn.FLOORDIV or first.left != J:
        raise ConfigurationError("minimal filtering takes convolutions of stride 1 of images with padding")
    if halo.down != Const(1) or halo.across != Const(1) or halo.first_column != J % first.right:
        raise ConfigurationError("minimal filtering takes filters whose elements lie next to each other")
    return first.right
