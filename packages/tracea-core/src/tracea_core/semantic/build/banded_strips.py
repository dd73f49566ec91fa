# SPDX-License-Identifier: MIT
"""Channels filtered on their own by matrix instructions: a row of a filter is a matrix with a band.

For one channel, a row of the filter gives 16 neighbouring pixels of 8 lines the product of a band (pixel by column: an element of the
filter where the window holds the column, else zero) and of the image's columns (column by line). The instruction multiplies many zeros,
and has so many products more that it ends before lanes which multiply one by one.

A warp takes eight channels. Their columns wait in shared memory, 16 bytes a pixel, so that a lane reads the pixels that it holds of the
instruction's operand for all eight channels at once; and where the sums end, a lane holds its pixels' eight channels, which are 16 bytes of
the output. So nothing is exchanged between lanes. Filters wait as rows with zeros around them, of which a band's lanes read their pairs
(`tracea_core.semantic.build.banded_tile`).

A zero of a band times what is no number is none: what is not finite reaches all pixels of its line that are multiplied with it.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.approximation import stands_approximation
from tracea_core.semantic.build.banded_tile import BANDS, CHANNELS, ROWS, BandedTile
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import WARP, projection, scalar
from tracea_core.semantic.build.strip_arguments import parameters, sizes
from tracea_core.semantic.build.strip_blocks import blocks, dealt, together
from tracea_core.semantic.build.strip_columns import COLUMN0, StripColumns
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.depthwise import IMAGE, LINE, Depthwise, R, S
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    addends,
    at_least,
    ceil_div,
    less,
    substitute,
    substitute_test,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Role, SemanticKernel
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Join
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    AsyncKind,
    Barrier,
    BufferRef,
    Commit,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    Scope,
    Store,
    Transfer,
    Wait,
)
from tracea_core.target import AsyncCopyKind, CapabilityProfile

_SPARE_REGISTERS = 40
"""Of a thread, for addresses, tests and operands on their way."""
_COPIED = "_copied"
"""What the names of a strip end with that is copied while another one is filtered."""
_PIXEL0, _FIRST_LINE, _PLACE, _ROUND, _TAP = Sym("pixel0"), Sym("first_line"), Sym("place"), Sym("round"), Sym("tap")


def banded_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of channels filtered on their own by matrix instructions.

    Parameters
    ----------
    configuration : PipelineConfig
        A block takes ``tile_m`` pixels of ``tile_k`` lines by ``tile_n`` channels, each of its warps eight of them. With two ``stages``
        the rows of the next strip are copied while one is filtered.

    Raises
    ------
    ConfigurationError
        If the device has no such instruction or copies, tiles are not made up of it, or registers or shared memory do not suffice.
    """
    return BandedStrips(form, configuration, profile).kernel(variant, name)


class _OneForAll(StripColumns):
    """The columns of blocks whose warps take one strip together."""

    def __init__(self, form: Depthwise, configuration: PipelineConfig) -> None:
        super().__init__(form, configuration)
        self.takers = 1


class BandedStrips:
    """The schedule for one form and configuration."""

    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.config, self.profile = form, configuration, profile
        self._require()
        self.tile = BandedTile(form, configuration, profile)
        self.lanes, self.columns = self.tile.lanes, _OneForAll(form, configuration)
        self.tiles = configuration.tile_k // self.lanes.n
        start = _PIXEL0 * form.stride[1] - form.padding[1]
        self.first_column: Index = Const(0) if self.tile.short else start
        self.buffers = self.tile.buffers()
        self.fragments = self._fragments()
        words = sum(-(-f.layout.registers * f.dtype.bytes // 4) for f in self.fragments)
        self.registers = min(words + 20, profile.max_registers_per_thread)
        if words > self.registers or self.registers * self._threads > profile.registers_per_processor:
            raise ConfigurationError(
                f"{words} registers of fragments are too many for a thread", configuration=configuration.describe()
            )

    @property
    def _threads(self) -> int:
        return self.config.warps * self.profile.lanes

    def _require(self) -> None:
        f, config, profile = self.f, self.config, self.profile
        rules = (
            (f.image.dtype in (DType.FP16, DType.BF16) and f.b.dtype is f.image.dtype and f.compute is DType.FP32
             and profile.lanes == 32 and profile.vendor == "nvidia" and AsyncCopyKind.CP_ASYNC in profile.async_copies,
             "bands are multiplied by instructions for 16-bit elements, from rows that copies bring"),
            (f.deep == 1 and f.dilation == (1, 1) and J in addends(f.image.origin),
             "bands are those of one channel's filter whose elements touch"),
            (config.tile_m == 16 and config.tile_n == CHANNELS * config.warps and config.tile_k % 8 == 0 and config.tile_k > 0,
             "a warp takes 16 pixels of lines in eights by eight channels"),
            (config.vector_a == config.vector_c == CHANNELS and f.out.dtype.bytes == 2, "runs are those of eight channels"),
            (config.stages <= 2 and config.unroll_k == 1 and not config.row_block, "rows are copied one strip ahead at most"),
            (config.barrier_mode is BarrierMode.NONE and config.cluster == config.split_k == 1,
             "roles, clusters and divisions are not part of this schedule"),
            (self._threads <= profile.max_threads_per_block and not config.warps & (config.warps - 1),
             f"{config.warps} warps do not copy columns evenly"),
            (self._apart(f.image.by_column) % CHANNELS == 0, "pixels are no multiple of eight channels apart"),
        )  # fmt: skip
        fault = next((reason for holds, reason in rules if not holds), None)
        if fault:
            raise ConfigurationError(f"the convolution does not fit: {fault}", configuration=config.describe())

    def _apart(self, distance: Index) -> int:
        return distance.value if isinstance(distance, Const) else 0

    def _fragments(self) -> tuple[Fragment, ...]:
        f, dtype = self.f, self.f.image.dtype
        found = [
            Fragment(self._total(tile, channel), f.compute, self.lanes.c)
            for tile in range(self.tiles)
            for channel in range(CHANNELS)
        ]
        for lanes in dict.fromkeys(lanes for _, lanes in self.tile.parts):
            assert lanes.a is not None and lanes.b is not None
            read, ordered = self.tile.operand(lanes)
            found += [Fragment(f"read{lanes.k}", dtype, read)]
            found += [Fragment(f"sorted{lanes.k}_{tile}", dtype, ordered) for tile in range(self.tiles)]
            found += [Fragment(f"band{lanes.k}", dtype, lanes.a), Fragment(f"columns{lanes.k}", dtype, lanes.b)]
        found += [Fragment("joined", f.compute, self.tile.joined), Fragment("result", f.out.dtype, self.tile.held)]
        found += [Fragment(_held(term), term.dtype, self._layout(term)) for term in f.epilogue_terms]
        return (*found, Fragment("copied", dtype, self.tile.copied), Fragment("staged", f.b.dtype, self.tile.staged))

    def _total(self, tile: int, channel: int) -> str:
        return f"total{tile}_{channel}"

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel."""
        f, config = self.f, self.config
        bytes_ = shared_plan(self.buffers, ()).bytes
        if bytes_ > self.profile.shared_bytes:
            raise ConfigurationError(
                f"rows and bands need {bytes_} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer lines or channels", configuration=config.describe(),
            )  # fmt: skip
        held = (self._layout(term).registers * term.dtype.bytes // 4 for term in f.epilogue_terms)
        needed = 4 * self.tiles * CHANNELS + 16 * (self.tiles + 1) + sum(held) + _SPARE_REGISTERS
        several = min(together(config, self.profile, needed), self.profile.shared_bytes // bytes_)
        needed = self.profile.registers_per_processor // (several * self._threads)
        rows, columns = self._groups * self._strips * f.items // f.lines, ceil_div(self.columns.count, config.tile_n)
        role = Role(
            WARP.name, Actor.WARP, config.warps, self.profile.lanes, self.fragments, self._body(), self.registers
        )
        found = SemanticKernel(
            name=name, title=f.title, family="contraction", variant=variant, arch=self.profile.arch, configuration=config,
            parameters=parameters(f, config), symbols=sizes(f, config), buffers=self.buffers, rings=(), roles=(role,),
            launch=Launch(blocks(config, self.profile, rows, columns, needed), self._threads, shared_bytes=bytes_),
        )  # fmt: skip
        return found.replace(launch=found.launch.replace(together=several))

    @property
    def _groups(self) -> Index:
        """How many times a strip's lines fit into those of an image."""
        return ceil_div(self.f.lines, self.config.tile_k)

    @property
    def _strips(self) -> Index:
        return ceil_div(self.f.m, self.config.tile_m)

    def _body(self) -> tuple[Node, ...]:
        first, each = Sym("first_place"), Sym("blocks_each")
        begin = (If((less(first, Sym("places")),), self._copy(first, Const(0))), Commit(AsyncKind.COPY))
        staged = (*begin, self._stage())
        following = _PLACE + each
        slot = (_ROUND + 1) % self.config.stages if self.config.stages > 1 else Const(0)
        more = (If((less(following, Sym("places")),), self._copy(following, slot)), Commit(AsyncKind.COPY))
        there = Barrier(Scope.BLOCK, "copied")
        strip = (
            *self._place(_PLACE),
            *self._filtered(_ROUND % self.config.stages if self.config.stages > 1 else Const(0)),
        )
        free = Barrier(Scope.BLOCK, "filtered")
        if self.config.stages > 1:
            turn: tuple[Node, ...] = (*more, Wait(AsyncKind.COPY, 1), there, *strip, free)
        else:
            turn = (Wait(AsyncKind.COPY, 0), there, *strip, free, *more)
        counts = (self._strips, self._groups * self._strips * self.f.items // self.f.lines)
        return (*dealt(self.columns, counts, staged, turn), Wait(AsyncKind.COPY, 0))

    def _place(self, place: Index, tag: str = "") -> tuple[Node, ...]:
        """Name what a strip is: its image, and the first of its lines and pixels."""
        rest = Sym("rest" + tag)
        return (
            Let(_FIRST_LINE.name + tag, place % self._groups * self.config.tile_k),
            Let(rest.name, place // self._groups),
            Let(_PIXEL0.name + tag, rest % Sym("strips") * self.config.tile_m),
            Let(IMAGE.name + tag, rest // Sym("strips")),
        )

    def _stage(self) -> Node:
        """Bring the filters of the block's channels, zeros around each of their rows, eight channels a warp."""
        f, tap = self.f, Sym("staged_tap")
        element = ROW - self.tile.zeros
        channel = WARP * CHANNELS + COLUMN
        offset = substitute(f.b.offset, {R.name: tap, S.name: element, J.name: COLUMN0 + channel})
        guard = (at_least(element, 0), less(element, f.taps[1]), less(COLUMN0 + channel, f.n))
        nodes: list[Node] = [Load("staged", Access(f.b.operand, offset), Transfer.GATHER, guard)]
        for copy in range(self.tile.copies):
            place = ROW + copy if copy else ROW  # where a band begins in the second copy, nobody reads
            nodes.append(Store(BufferRef(BANDS, (channel, tap, Const(copy), place)), "staged", Transfer.GATHER))
        return Loop(tap.name, Const(0), Const(f.taps[0]), tuple(nodes), unroll=f.taps[0])

    def _copy(self, place: Index, slot: Index) -> tuple[Node, ...]:
        """Ask for the rows of a strip; what is outside the image arrives as zeros."""
        f = self.f
        row: Index = Sym("pass") * self.config.warps + WARP
        line = _FIRST_LINE * f.stride[0] + (row - f.padding[0])
        offset, tests = f.image.pixel(line, self.first_column + ROW)
        names: dict[str, Index] = {name: Sym(name + _COPIED) for name in (_FIRST_LINE.name, _PIXEL0.name, IMAGE.name)}
        names[J.name] = COLUMN0 + COLUMN
        guard = tuple(substitute_test(test, names) for test in (*tests, less(J, f.n)))
        step = f.stride[0]
        down = (row % step, row // step) if step > 1 else (Const(0), row)
        target = BufferRef(ROWS, (COLUMN // CHANNELS, *down, ROW, COLUMN % CHANNELS), slot)
        copy = AsyncCopy("copied", Access("x", substitute(offset, names)), target, guard, CHANNELS)
        return (*self._place(place, _COPIED), Loop("pass", Const(0), Const(self.tile.passes), (copy,)))

    def _filtered(self, slot: Index) -> tuple[Node, ...]:
        """Multiply and store a strip, eight channels a warp."""
        f, lines = self.f, self.lanes.n
        names = [[self._total(tile, one) for one in range(CHANNELS)] for tile in range(self.tiles)]
        nodes: list[Node] = [Fill(name) for row in names for name in row]
        row: list[Node] = []
        for k, lanes in self.tile.parts:
            read, band, columns = (f"{name}{lanes.k}" for name in ("read", "band", "columns"))
            ordered = [f"sorted{lanes.k}_{tile}" for tile in range(self.tiles)]
            for tile in range(self.tiles):
                place = (WARP, *self._turned(COLUMN % lines + tile * lines), ROW + k, COLUMN // lines)
                row.append(Load(read, BufferRef(ROWS, place, slot), Transfer.GATHER, width=CHANNELS))
                row.append(Compute(ordered[tile], Accumulator(0), f.image.dtype, (read,)))
            for channel in range(CHANNELS):
                row.append(self._band(band, k, channel))
                for tile in range(self.tiles):
                    row.append(Extract(columns, ordered[tile], Const(0), Const(channel * lines)))
                    row.append(Mma(lanes.name, names[tile][channel], band, columns))
        nodes.append(Loop(_TAP.name, Const(0), Const(f.taps[0]), tuple(row)))
        for tile in range(self.tiles):
            nodes += self._end(tile, tuple(names[tile]))
        return tuple(nodes)

    def _turned(self, line: Index) -> tuple[Index, Index]:
        """Where the row that a line sees through a row of the filter waits: rows that a stride leaves apart lie together."""
        step = self.f.stride[0]
        return (_TAP % step, line + _TAP // step) if step > 1 else (Const(0), line + _TAP)

    def _band(self, name: str, k: int, channel: int) -> Node:
        copy = (ROW + self.tile.first) % self.tile.copies if self.tile.copies > 1 else Const(0)
        place = COLUMN - ROW * self.f.stride[1] + (k + self.tile.first)
        place = place + copy if self.tile.copies > 1 else place
        source = BufferRef(BANDS, (WARP * CHANNELS + channel, _TAP, copy, place))
        return Load(name, source, Transfer.GATHER, width=2)

    # ---- the end of a strip

    def _end(self, tile: int, names: tuple[str, ...]) -> list[Node]:
        f, places = self.f, self._places(tile)
        guard: Guard = (less(places[I.name], f.m), less(places[LINE.name], f.lines), less(places[J.name], f.n))
        nodes: list[Node] = [Join("joined", names)]
        for term in f.epilogue_terms:
            tall, wide = self._layout(term).shape
            kept = tuple(test for test, needed in zip(guard, (tall > 1, tall > 1, wide > 1), strict=True) if needed)
            kind = Transfer.GATHER if tall > 1 or wide > 1 else Transfer.BROADCAST
            nodes.append(Load(_held(term), Access(term.operand, substitute(term.offset, places)), kind, kept))
        approximate = f.out.dtype.is_float and stands_approximation(f.epilogue.expr)
        operands = tuple(_held(term) for term in f.epilogue_terms)
        nodes.append(computed("result", f.epilogue.expr, f.compute, ("joined",), operands, approximate))
        target = Access(f.out.operand, substitute(f.out.offset, places))
        return [*nodes, Store(target, "result", Transfer.GATHER, guard, CHANNELS)]

    def _places(self, tile: int) -> dict[str, Index]:
        lines = self.lanes.n
        return {
            I.name: _PIXEL0 + ROW,
            LINE.name: _FIRST_LINE + (COLUMN % lines + tile * lines),
            J.name: COLUMN0 + (WARP * CHANNELS + COLUMN // lines),
            ITEM.name: Const(0),
        }

    def _layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if I.name in used:
            return self.tile.held
        return projection(self.tile.held, 1) if J.name in used else scalar(self.profile.lanes)


def _held(term: Term) -> str:
    return f"{term.operand}_held"
