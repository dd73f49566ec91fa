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
from tracea_core.semantic.build.approximation import approximation
from tracea_core.semantic.build.banded_tile import BANDS, CHANNELS, PERIOD, ROWS, TOGETHER, BandedTile
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import WARP, projection, scalar
from tracea_core.semantic.build.strip_arguments import operand_run, parameters, sizes
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
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Join, Mask
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

_PASSES = 2
"""Of copies of long lines that are printed in a row."""
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
            (f.taps[1] < PERIOD, f"rows of filters have fewer than {PERIOD} elements"),
            (config.tile_m == 16 and config.tile_n == CHANNELS * config.warps and config.tile_k % 8 == 0 and config.tile_k > 0,
             "a warp takes 16 pixels of lines in eights by eight channels"),
            (config.vector_a == config.vector_c == CHANNELS and f.out.dtype.bytes == 2, "runs are those of eight channels"),
            (f.out.dtype is f.image.dtype, "results wait where rows did"),
            (config.warps and config.tile_k % config.warps == 0, f"{config.warps} warps do not store {config.tile_k} lines evenly"),
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
            found.append(Fragment(f"read{lanes.k}", dtype, self.tile.operand(lanes)[0]))
            found.append(Fragment(f"filters{lanes.k}", dtype, self.tile.filters(lanes)))
            found += [Fragment(f"band{lanes.k}", dtype, lanes.a), Fragment(f"columns{lanes.k}", dtype, lanes.b)]
        kept = {self.tile.sorted(*part, tile): part[1] for part in self.tile.parts for tile in range(self.tiles)}
        found += [Fragment(name, dtype, self.tile.operand(lanes)[1]) for name, lanes in kept.items()]
        found += [Fragment("joined", f.compute, self.tile.joined), Fragment("result", f.out.dtype, self.tile.held)]
        found += [Fragment(_held(term), term.dtype, self._layout(term)) for term in f.epilogue_terms]
        found += [Fragment("copied", dtype, self.tile.copied), Fragment("stored", dtype, self.tile.stored)]
        return (*found, Fragment("staged", f.b.dtype, self.tile.staged))

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
        kept = len(self.tile.parts) if self.tile.follow else 1
        spare = _SPARE_REGISTERS if f.stride[0] == f.stride[1] == 1 else 2 * _SPARE_REGISTERS
        needed = 4 * self.tiles * CHANNELS + 16 * (self.tiles * kept + 1) + sum(held) + spare
        several = min(together(config, self.profile, needed), self.profile.shared_bytes // bytes_)
        while (
            several > 1
            and -(-several * config.warps // 4) * 4 * needed * self.profile.lanes > self.profile.registers_per_processor
        ):
            several -= 1  # each of the processor's four parts has registers of its own
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
        # down to the next row each lane copies what it has stored itself
        free = (Barrier(Scope.BLOCK, "filtered"),) if self.f.stride[0] > 1 else ()
        if self.config.stages > 1:
            turn: tuple[Node, ...] = (*more, Wait(AsyncKind.COPY, 1), there, *strip, *free)
        else:
            turn = (Wait(AsyncKind.COPY, 0), there, *strip, *free, *more)
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
        f, tap, element = self.f, Sym("staged_tap"), ROW
        channel = WARP * CHANNELS + COLUMN
        offset = substitute(f.b.offset, {R.name: tap, S.name: element, J.name: COLUMN0 + channel})
        guard = (less(element, f.taps[1]), less(COLUMN0 + channel, f.n))
        nodes: list[Node] = [Load("staged", Access(f.b.operand, offset), Transfer.GATHER, guard)]
        for second in range(2):  # an element is the first one of its own pair, and the second one of the pair before
            place = (ROW + (PERIOD - 1)) % PERIOD if second else ROW
            target = BufferRef(BANDS, self.tile.pair(COLUMN, tap, place, Const(second)))
            nodes.append(Store(target, "staged", Transfer.GATHER))
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
        turns = self.tile.turns
        down = (row % turns, row // turns) if turns > 1 else (Const(0), row)
        target = BufferRef(ROWS, (COLUMN // CHANNELS, *down, ROW, COLUMN % CHANNELS), slot)
        copy = AsyncCopy("copied", Access("x", substitute(offset, names)), target, guard, CHANNELS)
        return (
            *self._place(place, _COPIED),
            Loop("pass", Const(0), Const(self.tile.passes), (copy,), unroll=self._passes),
        )

    def _filtered(self, slot: Index) -> tuple[Node, ...]:
        """Multiply and store a strip, eight channels a warp."""
        f, lines = self.f, self.lanes.n
        names = [[self._total(tile, one) for one in range(CHANNELS)] for tile in range(self.tiles)]
        nodes: list[Node] = [Fill(name) for row in names for name in row]
        row: list[Node] = []
        for k, lanes in self.tile.parts:
            band, columns = f"band{lanes.k}", f"columns{lanes.k}"
            seen = [self.tile.sorted(k, lanes, tile) for tile in range(self.tiles)]
            before = self.tiles - 1 if self.tile.follow else 0
            for tile in range(self.tiles):
                below = _TAP + tile * f.stride[0] if tile else _TAP
                if (
                    tile < before
                ):  # what a line sees through a row of the filter its next line has seen through the one before
                    nodes += self._row(Const(tile), k, lanes, seen[tile], slot)
                else:
                    row += self._row(below, k, lanes, seen[tile], slot)
            for channel in range(CHANNELS):
                if channel % TOGETHER == 0:
                    row.append(self._filters(lanes, k, channel))
                row += self._band(lanes, k, channel)
                for tile in range(self.tiles):
                    row.append(Extract(columns, seen[tile], Const(0), Const(channel * lines)))
                    row.append(Mma(lanes.name, names[tile][channel], band, columns))
            for tile in range(before):  # the loop is printed whole: nothing moves
                row.append(Compute(seen[tile], Accumulator(0), f.image.dtype, (seen[tile + 1],)))
        nodes.append(
            Loop(_TAP.name, Const(0), Const(f.taps[0]), tuple(row), unroll=self.tiles if self.tile.follow else 1)
        )
        nodes.append(Barrier(Scope.BLOCK, "multiplied"))
        for tile in range(self.tiles):
            nodes += self._end(tile, tuple(names[tile]), slot)
        return (*nodes, Barrier(Scope.BLOCK, "ended"), self._store(slot))

    @property
    def _passes(self) -> int:
        """Passes of copies that are printed one after the other: all where each is one or two copies, whose places differ by constants."""
        return self.tile.passes if self.tile.short else _PASSES

    def _store(self, slot: Index) -> Node:
        """Bring the results to the output, whole runs of a block's channels at a time."""
        f, row = self.f, Sym("ended_pass") * self.config.warps + WARP
        places: dict[str, Index] = {
            I.name: _PIXEL0 + ROW, LINE.name: _FIRST_LINE + row, J.name: COLUMN0 + COLUMN, ITEM.name: Const(0)
        }  # fmt: skip
        guard: Guard = (less(places[I.name], f.m), less(places[LINE.name], f.lines), less(places[J.name], f.n))
        if self.tile.stored.shape[0] > self.config.tile_m:  # lanes that have no pixel
            guard = (*guard, less(ROW, self.config.tile_m))
        down = (row % self.tiles, row // self.tiles) if self.tiles > 1 else (Const(0), row)
        source = BufferRef(ROWS, (COLUMN // CHANNELS, *down, ROW, COLUMN % CHANNELS), slot)
        target = Access(f.out.operand, substitute(f.out.offset, places))
        nodes = (
            Load("stored", source, Transfer.GATHER, width=CHANNELS),
            Store(target, "stored", Transfer.GATHER, guard, CHANNELS),
        )
        passes = self.config.tile_k // self.config.warps
        return Loop("ended_pass", Const(0), Const(passes), nodes, unroll=passes)

    def _row(self, below: Index, k: int, lanes: InstructionLanes, name: str, slot: Index) -> tuple[Node, ...]:
        """Read the row that lies so far below the first one that each lane's first line sees, and sort it by channels."""
        turns, read = self.tile.turns, f"read{lanes.k}"
        turn, down = (below % turns, below // turns) if turns > 1 else (Const(0), below)
        place = (WARP, turn, COLUMN % self.lanes.n + down, ROW + k, COLUMN // self.lanes.n)
        return (
            Load(read, BufferRef(ROWS, place, slot), Transfer.GATHER, width=CHANNELS),
            Compute(name, Accumulator(0), self.f.image.dtype, (read,)),
        )

    def _filters(self, lanes: InstructionLanes, k: int, first: int) -> Node:
        """Read the pairs of some channels that a lane multiplies with columns from `k` on; those of columns a period apart are the same."""
        _, second = self.tile.place(lanes, k)
        step = self.f.stride[1]
        place = (COLUMN % PERIOD // 2 * 2 + ROW % PERIOD * (-step % PERIOD) + (k + self.tile.before) % PERIOD) % PERIOD
        source = BufferRef(BANDS, self.tile.pair(COLUMN // lanes.k + first, _TAP, place, second))
        return Load(f"filters{lanes.k}", source, Transfer.GATHER, width=CHANNELS)

    def _band(self, lanes: InstructionLanes, k: int, channel: int) -> tuple[Node, ...]:
        """Leave of a channel's pairs those that meet the filter."""
        name, (element, _) = f"band{lanes.k}", self.tile.place(lanes, k)
        inside = (at_least(element, -1), less(element, self.f.taps[1]))
        return (
            Extract(name, f"filters{lanes.k}", Const(0), Const(channel % TOGETHER * lanes.k)),
            Mask(name, inside, 0.0),
        )

    # ---- the end of a strip

    def _end(self, tile: int, names: tuple[str, ...], slot: Index) -> list[Node]:
        f, places = self.f, self._places(tile)
        guard: Guard = (less(places[I.name], f.m), less(places[LINE.name], f.lines), less(places[J.name], f.n))
        nodes: list[Node] = [Join("joined", names)]
        for term in f.epilogue_terms:
            tall, wide = self._layout(term).shape
            kept = tuple(test for test, needed in zip(guard, (tall > 1, tall > 1, wide > 1), strict=True) if needed)
            kind = Transfer.GATHER if tall > 1 or wide > 1 else Transfer.BROADCAST
            width = min(operand_run(f, self.config, term), CHANNELS)
            nodes.append(
                Load(_held(term), Access(term.operand, substitute(term.offset, places)), kind, kept, width=width)
            )
        approximate = approximation(f.epilogue.expr, f.out.dtype)
        operands = tuple(_held(term) for term in f.epilogue_terms)
        nodes.append(computed("result", f.epilogue.expr, f.compute, ("joined",), operands, approximate))
        lines = self.lanes.n
        target = BufferRef(ROWS, (WARP, Const(tile), COLUMN % lines, ROW, COLUMN // lines), slot)
        return [*nodes, Store(target, "result", Transfer.GATHER, width=CHANNELS)]

    def _places(self, tile: int) -> dict[str, Index]:
        lines = self.lanes.n
        return {
            I.name: _PIXEL0 + ROW,
            LINE.name: _FIRST_LINE + (COLUMN % lines * self.tiles + tile),
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
