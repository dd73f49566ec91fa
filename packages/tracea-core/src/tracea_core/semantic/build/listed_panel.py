# SPDX-License-Identifier: MIT
"""The CPU schedule of a reduction over lists of blocks: register tiles pass over the blocks of their line, both operands in place.

A unit of work is (line of blocks, column panel). A worker sweeps the rows of the line; each register tile looks up one block after the
other, broadcasts its elements and reads the rows of B that meet them where they lie. Which blocks there are is data, so B is not packed:
nobody knows before which of its rows a panel would need, and each of them serves a whole line from the caches.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.build.register_tile import WORKER, WORKERS, RegisterTile, at, lets
from tracea_core.semantic.contraction import ITEM, LIST_BEGIN, LIST_DEPTH, I, J, Named
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, coefficient, less, minimum, substitute
from tracea_core.semantic.kernel import Buffer, Fragment, Symbol
from tracea_core.semantic.steps import Access, Compute, If, Let, Load, Loop, Node, Transfer

_STEP, _WITHIN = Sym("list_step"), Sym("within")
"""Which block of a list, and which of its positions along k."""

Parts = tuple[list[Node], list[Buffer], tuple[Symbol, ...], list[Fragment]]


def listed_parts(tile: RegisterTile) -> Parts:
    """Return body, buffers, launch symbols and further fragments of the schedule.

    Raises
    ------
    ConfigurationError
        If the configuration cuts the reduction or packs an operand.
    """
    config = tile.config
    if config.split_k > 1 or config.block_k or config.pack_a or config.pack_b or config.halo:
        raise ConfigurationError(
            "lists of blocks are gone over whole, with both operands in place", configuration=config.describe()
        )
    return _ListedBuilder(tile).body(), [], (), []


class _ListedBuilder:
    def __init__(self, tile: RegisterTile) -> None:
        self.t, self.c, self.config = tile, tile.c, tile.config
        assert self.c.lists is not None
        self.lists = self.c.lists
        self.k = self.c.k_axes[0].name
        self.places: dict[str, Index] = {LIST_BEGIN.name: Const(0), self.k: _WITHIN}
        """What stands for a position along k and for the first of its block: addresses hold their difference."""

    def body(self) -> list[Node]:
        """Deal lines and panels to the workers."""
        panels = Sym("panels")
        decode = (
            Let("column0", Sym("unit") % panels * self.config.tile_n),
            Let(ITEM.name, Sym("unit") // panels),
            *lets(self.c.item_names),
        )
        sweep = Loop("tile", Const(0), self.t.row_tiles(), (
            Let("row0", Sym("tile") * self.t.rows),
            *self.t.clear(),
            Loop(_STEP.name, Const(0), LIST_DEPTH // self.lists.run, self._block()),
            *self.t.epilogue.nodes(),
        ))  # fmt: skip
        units = Sym("units")
        return [
            Let("panels", self.t.panels()),
            Let("units", self.c.items * panels),
            Loop("unit", WORKER * units // WORKERS, (WORKER + 1) * units // WORKERS, (*decode, sweep)),
        ]

    def _block(self) -> tuple[Node, ...]:
        """One block of a list: where it lies, and its positions along k."""
        named = tuple(
            Named(one.name, substitute(one.value, {self.k: _STEP * self.lists.run}))
            for one in self.lists.names
            if one.name not in self.places
        )
        source = at(self.c.a, {I.name: minimum(Sym("row0") + ROW, self.c.m - 1), **self.places})
        along = coefficient(source.offset, _WITHIN.name)
        assert along is not None
        base = Named("a_base", substitute(source.offset, {_WITHIN.name: Const(0)}))
        column = Sym("column0") + COLUMN
        full = (less(Sym("column0") + (self.config.tile_n - 1), self.c.n),)
        a = Sym(base.name) + _WITHIN * along
        inside, edge = (
            Loop(
                _WITHIN.name, Const(0), Const(self.lists.run),
                (*self._load_b(mask), *self.t.load_a(a), *self.t.multiply()), unroll=self.config.tile_k,
            )
            for mask in ((), (less(column, self.c.n),))
        )  # fmt: skip
        return (*lets(named), *lets((base,), self.t.a_fragment.name), If(full, (inside,), (edge,)))

    def _load_b(self, mask: Guard) -> tuple[Node, ...]:
        """The row of B at a position, read in place."""
        (fragment,) = self.t.b_fragments
        source = at(self.c.b, {J.name: Sym("column0") + COLUMN, **self.places})
        along = coefficient(source.offset, COLUMN.name) == Const(1)
        raw = self.t.raw.name if self.c.b.dtype is not self.c.compute else fragment.name
        load = Load(raw, Access(source.operand, source.offset), Transfer.VECTOR if along else Transfer.GATHER, mask)
        if raw == fragment.name:
            return (load,)
        return (load, Compute(fragment.name, Accumulator(0), self.c.compute, (raw,)))
