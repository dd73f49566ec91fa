# SPDX-License-Identifier: MIT
"""The schedule of chained contractions on a CPU: a few rows, a block of keys at a time, sums kept where they are hot.

A worker takes tiles of rows of one item. Their keys are packed as columns once for all tiles of its share. For each block of keys a
register tile makes the scores, the softmax's running maximum and total are updated, and the sums so far, kept in the worker's own
memory, are rescaled and added to (online softmax: Milakov and Gimelshein, arXiv 1805.02867; Dao et al., arXiv 2205.14135). Blocks that
no row of a tile sees are not visited, and only blocks on the window's edge are masked. Without a softmax the same loops compute a
low-rank product: an activation stands between.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
    rewrite,
)
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.register_tile import WORKER, WORKERS, slope, vector_lanes, vectors
from tracea_core.semantic.chained import DEPTH, KEY, Chained
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    at_least,
    ceil_div,
    coefficient,
    less,
    maximum,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import (
    Actor,
    Buffer,
    Fragment,
    Launch,
    Lifetime,
    Role,
    SemanticKernel,
    Space,
    Symbol,
)
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.row_steps import Fold, Mask
from tracea_core.semantic.steps import Access, BufferRef, Compute, Fill, If, Let, Load, Loop, Mma, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

SPLITS = "row_splits"
_UNROLL = 2
_ADD = Binary(BinaryFn.ADD, Accumulator(1), Accumulator(0))


def chain_kernel(
    form: Chained, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `form` on a CPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows by ``tile_n`` keys or columns of accumulators; ``block_k`` keys at a time, a multiple of ``tile_n``.

    Raises
    ------
    ConfigurationError
        If the register tile does not fit, or the block is no multiple of it.
    """
    builder = _Chain(form, configuration, profile)
    body = builder.body()
    role = Role("worker", Actor.WORKER, 0, builder.lanes, tuple(builder.fragments), tuple(body))
    return SemanticKernel(
        name=name, title=form.title, family="chained", variant=variant, arch=profile.arch, configuration=configuration,
        parameters=form.parameters,
        symbols=(*form.symbols, Symbol(SPLITS, minimum=1, meaning="parts that each item's rows are cut into")),
        buffers=builder.buffers(), rings=(), roles=(role,), launch=Launch(blocks=WORKERS, threads=1),
    )  # fmt: skip


class _Chain:
    def __init__(self, form: Chained, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.rows, self.columns, self.block = (
            form,
            configuration.tile_m,
            configuration.tile_n,
            configuration.block_k,
        )
        self.lanes = vector_lanes(profile, form.compute)
        if self.columns % self.lanes or not self.block or self.block % self.columns:
            raise ConfigurationError(
                f"a chain takes tiles of a multiple of {self.lanes} columns and blocks (block_k) of whole tiles",
                configuration=configuration.describe(),
            )
        count = self.columns // self.lanes
        if profile.vector_registers and (self.rows + 1) * count + 1 > profile.vector_registers:
            raise ConfigurationError(f"a {self.rows}x{self.columns} register tile does not fit {profile.name}")
        self.instruction = fma_outer(self.rows, count, self.lanes, form.compute)
        tile, row, column = self.instruction.c, self.instruction.a, self.instruction.b
        assert row is not None and column is not None
        self.tile, self.row, self.column = tile, row, column
        self.fragments: list[Fragment] = []
        for name, layout in (("tile", tile), ("part", tile), ("vector", column), ("one", row)):
            self._fragment(name, layout)
        for name in ("top", "total", "block_top", "block_total", "correction") if form.softmax else ():
            self._fragment(name, row)
        if form.added:
            self._fragment("shift", row)
        for name, term, layout in (
            ("left_raw", form.left, row),
            ("middle_raw", form.middle, column),
            ("right_raw", form.right, column),
        ):
            if term.dtype is not form.compute:
                self.fragments.append(Fragment(name, term.dtype, layout))
        self.fragments.append(Fragment("result", form.out.dtype, tile))
        self.bias = [Fragment(f"{t.operand}_values", t.dtype, self._layout(t, KEY)) for t in form.added]
        self.operands = [Fragment(f"{t.operand}_values", t.dtype, self._layout(t)) for t in form.operands]
        self.fragments += [*self.bias, *self.operands]

    def _fragment(self, name: str, layout: FragmentLayout) -> None:
        self.fragments.append(Fragment(name, self.f.compute, layout))

    def _layout(self, term: Term, along: Sym = J) -> FragmentLayout:
        used = symbols(term.offset)
        if along.name in used:
            return self.tile if I.name in used else self.column
        return self.row

    def buffers(self) -> tuple[Buffer, ...]:
        """Keys as columns, the scores of one tile and block, and the sums of one tile: memory of each worker."""
        compute, tile = self.f.compute, Layout.row_major(("row", self.rows), ("column", self.columns))
        scores = Layout.row_major(("row", self.rows), ("column", self.block))
        packed = ceil_div(self.f.keys, self.columns) * self.f.k
        return (
            Buffer(
                "packed", Space.PANEL, compute, vectors(self.columns, self.lanes), Lifetime.TILE_COLUMN, extent=packed
            ),
            Buffer("scores", Space.PANEL, compute, scores, Lifetime.TILE),
            Buffer("sums", Space.PANEL, compute, tile, Lifetime.TILE, extent=ceil_div(self.f.n, self.columns)),
        )

    # ---- who does what

    def body(self) -> list[Node]:
        """Deal parts of items to the workers, one each in turn: neighbouring parts of a causal item differ in length."""
        splits, units = Sym(SPLITS), Sym("units")
        decode = (
            Let("unit", Sym("round") * WORKERS + WORKER),
            Let("split", Sym("unit") % splits),
            Let(ITEM.name, Sym("unit") // splits),
            *(Let(named.name, named.value) for named in self.f.item_names),
            Let("first_tile", Sym("split") * Sym("row_tiles") // splits),
            Let("last_tile", (Sym("split") + 1) * Sym("row_tiles") // splits),
        )
        last_row = minimum(Sym("last_tile") * self.rows, self.f.m)
        packed = (
            Let("first_packed", self._first_block(Sym("first_tile") * self.rows)),
            Let("last_packed", self._stop_block(last_row)),
            *self._pack(),
        )
        tiles = Loop("tile_number", Sym("first_tile"), Sym("last_tile"), self._tile())
        return [
            Let("row_tiles", ceil_div(self.f.m, self.rows)),
            Let("blocks_of_keys", ceil_div(self.f.keys, self.block)),
            Let("units", self.f.items * splits),
            Loop("round", Const(0), (units - WORKER + WORKERS - 1) // WORKERS, (*decode, *packed, tiles)),
        ]

    @property
    def _offset(self) -> Index:
        """How far the diagonal lies to the right in the first row."""
        return self.f.keys - self.f.m

    def _first_block(self, row: Index) -> Index:
        if self.f.window.left is None:
            return Const(0)
        return minimum(maximum(row + self._offset - self.f.window.left, 0) // self.block, Sym("blocks_of_keys"))

    def _stop_block(self, after: Index) -> Index:
        """The block behind the last that rows before `after` see."""
        if self.f.window.right is None:
            return Sym("blocks_of_keys")
        seen = maximum(minimum(after + self._offset + self.f.window.right, self.f.keys), 0)
        return ceil_div(seen, self.block)

    # ---- packing keys as columns

    def _pack(self) -> tuple[Node, ...]:
        per_block = self.block // self.columns
        panels = ceil_div(self.f.keys, self.columns)
        stop = minimum(Sym("last_packed") * per_block, panels)
        full = (less(Sym("panel") * self.columns + (self.columns - 1), self.f.keys),)
        column = Sym("panel") * self.columns + COLUMN
        inside, edge = (self._pack_panel(column, guard) for guard in ((), (less(column, self.f.keys),)))
        return (Loop("panel", Sym("first_packed") * per_block, stop, (If(full, inside, edge),)),)

    def _pack_panel(self, column: Index, guard: Guard) -> tuple[Node, ...]:
        offset = substitute(self.f.middle.offset, {KEY.name: column})
        raw = self._raw("middle_raw", self.f.middle, "vector")
        nodes = (
            Load(raw, Access(self.f.middle.operand, offset), self._transfer(offset), guard),
            *self._widen("vector", raw),
            Store(BufferRef("packed", (Sym("panel") * self.f.k + DEPTH, COLUMN)), "vector", Transfer.VECTOR),
        )
        return (Loop(DEPTH.name, Const(0), self.f.k, nodes),)

    def _raw(self, name: str, term: Term, plain: str) -> str:
        return plain if term.dtype is self.f.compute else name

    def _widen(self, target: str, raw: str) -> tuple[Node, ...]:
        return () if raw == target else (Compute(target, Accumulator(0), self.f.compute, (raw,)),)

    def _transfer(self, offset: Index) -> Transfer:
        return Transfer.VECTOR if coefficient(offset, COLUMN.name) == Const(1) else Transfer.GATHER

    # ---- one tile of rows

    def _tile(self) -> tuple[Node, ...]:
        base = substitute(self.f.left.offset, {I.name: Sym("at_row"), DEPTH.name: Const(0)})
        after = minimum(Sym("row0") + self.rows, self.f.m)
        return (
            Let("row0", Sym("tile_number") * self.rows),
            Let("at_row", minimum(Sym("row0") + ROW, self.f.m - 1), "one"),
            Let("left_base", base, "one"),
            *(Let("bias_base", substitute(term.offset, {I.name: Sym("at_row"), KEY.name: Const(0)}),
                  "one" if I.name in symbols(term.offset) else None) for term in self.f.added),
            *((Fill("top", self.f.compute.lowest), Fill("total", 0.0)) if self.f.softmax else ()),
            Loop("panel_of_sums", Const(0), ceil_div(self.f.n, self.columns), (
                Fill("tile"), Store(BufferRef("sums", (Sym("panel_of_sums"), ROW, COLUMN)), "tile", Transfer.VECTOR),
            )),
            Let("first_block", self._first_block(Sym("row0"))),
            Let("stop_block", self._stop_block(after)),
            Loop("block_number", Sym("first_block"), Sym("stop_block"), self._block()),
            *self._finish(),
        )  # fmt: skip

    def _block(self) -> tuple[Node, ...]:
        """Scores, statistics and weights of a block, then its share of the sums."""
        key0 = Sym("key0")
        inside: list[Guard] = [(less(key0 + (self.block - 1), self.f.keys),)]
        if self.f.window.right is not None:
            inside.append((less(key0 + (self.block - 1), Sym("row0") + self._offset + self.f.window.right + 1),))
        if self.f.window.left is not None:
            inside.append((at_least(key0, Sym("row0") + (self.rows - 1) + self._offset - self.f.window.left),))
        everywhere = tuple(test for guard in inside for test in guard)
        return (
            Let("key0", Sym("block_number") * self.block),
            Let("key_count", minimum(self.f.keys - key0, self.block)),
            *self._weights(everywhere),
            *self._add_values(),
        )

    def _seen(self) -> Guard:
        key = Sym("key0") + Sym("chunk") * self.columns + COLUMN
        guard: Guard = (less(key, self.f.keys),)
        if self.f.window.right is not None:
            guard = (*guard, less(key, Sym("at_row") + self._offset + self.f.window.right + 1))
        if self.f.window.left is not None:
            guard = (*guard, at_least(key, Sym("at_row") + self._offset - self.f.window.left))
        return guard

    def _chunks(self, nodes: tuple[Node, ...]) -> Loop:
        return Loop("chunk", Const(0), ceil_div(Sym("key_count"), self.columns), nodes)

    def _scores_at(self) -> BufferRef:
        return BufferRef("scores", (ROW, Sym("chunk") * self.columns + COLUMN))

    def _weights(self, everywhere: Guard) -> tuple[Node, ...]:
        """Scores of a block and what stands between; masked unless all of it is seen from everywhere in the tile."""
        compute = self.f.compute

        def mask(value: float) -> tuple[Node, ...]:
            return (If(everywhere, (), (Mask("tile", self._seen(), value),)),)

        given = tuple(fragment.name for fragment in self.bias)
        between = () if self.f.between == Accumulator() else (
            *self._add(), computed("tile", self.f.between, compute, ("tile",), given),
        )  # fmt: skip
        store = Store(self._scores_at(), "tile", Transfer.VECTOR)
        if not self.f.softmax:
            return (self._chunks((*self._multiply(), *between, *mask(0.0), store)),)
        top = Binary(BinaryFn.MAXIMUM, Accumulator(1), Accumulator(0))
        power = Unary(UnaryFn.EXP, Binary(BinaryFn.SUB, Accumulator(0), Operand(0)))
        lowest, shift, shifted = Constant(compute.lowest), "top", tuple[Node, ...]()
        if self.f.added:  # what sees nothing yet has 0 taken from its scores: the lowest number less 0 has the weight 0
            least = Select(Compare(CompareFn.EQ, Accumulator(0), lowest), Constant(0.0), Accumulator(0))
            shift, shifted = "shift", (Compute("shift", least, compute, ("block_top",)),)
        scores = self._chunks(
            (*self._multiply(), *between, *mask(compute.lowest), Compute("part", top, compute, ("tile", "part")), store)
        )
        powers = self._chunks((
            Load("tile", self._scores_at(), Transfer.VECTOR),
            Compute("tile", power, compute, ("tile",), (shift,)),
            *mask(0.0), Compute("part", _ADD, compute, ("tile", "part")), store,
        ))  # fmt: skip
        rescaled = Binary(BinaryFn.ADD, Binary(BinaryFn.MUL, Accumulator(0), Operand(0)), Accumulator(1))
        return (
            Fill("part", compute.lowest), scores, Fold("block_top", "part", BinaryFn.MAXIMUM),
            Compute("block_top", top, compute, ("block_top", "top")),
            *shifted,
            Compute("correction", power, compute, ("top",), ("shift" if shifted else "block_top",)),
            Compute("top", Accumulator(0), compute, ("block_top",)),
            Fill("part"), powers, Fold("block_total", "part", BinaryFn.ADD),
            Compute("total", rescaled, compute, ("total", "block_total"), ("correction",)),
        )  # fmt: skip

    def _add(self) -> tuple[Node, ...]:
        """Read what is added to a register tile of scores."""
        key = Sym("key0") + Sym("chunk") * self.columns + COLUMN
        nodes: list[Node] = []
        for term, fragment in zip(self.f.added, self.bias, strict=True):
            step = coefficient(term.offset, KEY.name)
            assert step is not None  # strides are what the lowering makes offsets of
            at = Sym("bias_base") + key * step
            if fragment.layout is self.row:
                nodes.append(Load(fragment.name, Access(term.operand, at), Transfer.BROADCAST))
            else:
                guard = (less(key, self.f.keys),)
                nodes.append(Load(fragment.name, Access(term.operand, at), self._transfer(at), guard))
        return tuple(nodes)

    def _multiply(self) -> tuple[Node, ...]:
        """The first product: one register tile of scores."""
        panel = Sym("block_number") * (self.block // self.columns) + Sym("chunk")
        offset = Sym("left_base") + slope(self.f.left.offset, [DEPTH.name])
        raw = self._raw("left_raw", self.f.left, "one")
        nodes = (
            Load("vector", BufferRef("packed", (panel * self.f.k + DEPTH, COLUMN)), Transfer.VECTOR),
            Load(raw, Access(self.f.left.operand, offset), Transfer.BROADCAST),
            *self._widen("one", raw),
            Mma(self.instruction.name, "tile", "one", "vector"),
        )
        return (Fill("tile"), Loop(DEPTH.name, Const(0), self.f.k, nodes, unroll=_UNROLL))

    def _add_values(self) -> tuple[Node, ...]:
        """The second product: what the block adds to each register tile of the sums, rescaled first."""
        panel = Sym("panel_of_sums")
        column = panel * self.columns + COLUMN
        at = BufferRef("sums", (panel, ROW, COLUMN))
        scale = Binary(BinaryFn.MUL, Accumulator(0), Operand(0))
        rescale = (Compute("tile", scale, self.f.compute, ("tile",), ("correction",)),) if self.f.softmax else ()

        def panel_of(guard: Guard) -> tuple[Node, ...]:
            offset = substitute(self.f.right.offset, {KEY.name: Sym("key0") + Sym("key_in_block"), J.name: column})
            raw = self._raw("right_raw", self.f.right, "vector")
            nodes = (
                Load(raw, Access(self.f.right.operand, offset), self._transfer(offset), guard),
                *self._widen("vector", raw),
                Load("one", BufferRef("scores", (ROW, Sym("key_in_block"))), Transfer.BROADCAST),
                Mma(self.instruction.name, "tile", "one", "vector"),
            )
            return (
                Load("tile", at, Transfer.VECTOR), *rescale,
                Loop("key_in_block", Const(0), Sym("key_count"), nodes, unroll=_UNROLL),
                Store(at, "tile", Transfer.VECTOR),
            )  # fmt: skip

        return self._panels(panel_of)

    def _panels(self, panel_of: Callable[[Guard], tuple[Node, ...]]) -> tuple[Node, ...]:
        """Visit the register tiles of the sums: whole ones, and one at the right edge."""
        column = Sym("panel_of_sums") * self.columns + COLUMN
        full = (less(Sym("panel_of_sums") * self.columns + (self.columns - 1), self.f.n),)
        return (
            Loop("panel_of_sums", Const(0), ceil_div(self.f.n, self.columns), (
                If(full, panel_of(()), panel_of((less(column, self.f.n),))),
            )),
        )  # fmt: skip

    # ---- the end of a tile

    def _finish(self) -> tuple[Node, ...]:
        row = less(Sym("row0") + ROW, self.f.m)

        def panel_of(guard: Guard) -> tuple[Node, ...]:
            loads = [
                self._operand(term, fragment, guard)
                for term, fragment in zip(self.f.operands, self.operands, strict=True)
            ]
            given = (*(fragment.name for fragment in self.operands), *(("total",) if self.f.softmax else ()))
            at = self._place(self.f.out)
            return (
                Load("tile", BufferRef("sums", (Sym("panel_of_sums"), ROW, COLUMN)), Transfer.VECTOR),
                *loads,
                computed("result", self._value(), self.f.compute, ("tile",), given),
                Store(Access(self.f.out.operand, at), "result", self._transfer(at), (row, *guard)),
            )

        return self._panels(panel_of)

    def _value(self) -> Expr:
        """The epilogue of the sum over the total; a row that sees no key gives 0."""
        if not self.f.softmax:
            return self.f.value
        total = Operand(len(self.operands))
        share = Binary(BinaryFn.DIV, Accumulator(0), total)
        mean = Select(Compare(CompareFn.EQ, total, Constant(0.0)), Constant(0.0), share)
        return rewrite(self.f.value, lambda leaf: mean if isinstance(leaf, Accumulator) else leaf)

    def _place(self, term: Term) -> Index:
        column = Sym("panel_of_sums") * self.columns + COLUMN
        return substitute(term.offset, {I.name: Sym("at_row"), J.name: column})

    def _operand(self, term: Term, fragment: Fragment, guard: Guard) -> Load:
        at = self._place(term)
        if fragment.layout is self.row:
            return Load(fragment.name, Access(term.operand, at), Transfer.BROADCAST)
        return Load(fragment.name, Access(term.operand, at), self._transfer(at), guard)
