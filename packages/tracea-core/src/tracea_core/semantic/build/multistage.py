# SPDX-License-Identifier: MIT
"""The uniform schedule: every warp of a block loads, multiplies and stores alike, over a ring of shared-memory tiles.

While a step of the reduction is multiplied out of one slot, the next tiles are on their way: through registers (loaded two
steps ahead, stored to shared memory one step ahead) or by asynchronous copies that land in the slots themselves. Everything a
device differs in is data: the instruction's lane maps, lanes of a warp, banks, copy mechanism. So this is the schedule of every
GPU without a faster one of its own, of operands that no copy engine can move, and of convolutions, whose operands are gathered.

Steps within the reduction load without masks; the last ones take a masked version of the same body. What waits for what follows
from distances in the ring (`tracea_core.semantic.phases`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.multistage_products import Products, in_parts
from tracea_core.semantic.build.multistage_store import WARP_COLUMN, WARP_ROW, WarpEpilogue
from tracea_core.semantic.build.multistage_tile import DEPTH, OperandTile, depth
from tracea_core.semantic.build.raster import COLUMN0, ROW0, Raster
from tracea_core.semantic.contraction import Contraction, I, J, Term
from tracea_core.semantic.index import Const, Index, Sym, ceil_div, maximum, minimum, symbols
from tracea_core.semantic.kernel import Actor, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.lanes_simt import parse, smaller_blocks
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.phases import AwaitAsync, Mechanism, PhaseTransition
from tracea_core.semantic.quotient import reciprocal_symbols
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    AsyncKind,
    Barrier,
    Commit,
    Fill,
    Let,
    Loop,
    Node,
    SchedulingFence,
    Scope,
    Wait,
)
from tracea_core.target import CapabilityProfile

STEP, STEPS, WHOLE = Sym("k_step"), Sym("k_steps"), Sym("whole_steps")
_OUTSIDE_REGISTERS = 64
"""Registers of a thread besides fragments and the addresses of loads: counters, masks, addresses within the block."""
_OUTSIDE_PADDED = 32
"""The same where addresses within the block are one register and constants."""


def warp_grid(configuration: PipelineConfig, lanes: InstructionLanes) -> tuple[int, int] | None:
    """Return how many warps divide the rows and the columns of the tile: the division that reads least from shared memory.

    None if no division gives every warp whole instruction tiles.
    """
    config = configuration
    found = [
        (rows * config.tile_n + config.warps // rows * config.tile_m, rows)
        for rows in range(1, config.warps + 1)
        if config.warps % rows == 0
        and config.tile_m % (rows * lanes.m) == 0
        and config.tile_n % (config.warps // rows * lanes.n) == 0
    ]
    if not found:
        return None
    rows = min(found)[1]
    return rows, config.warps // rows


def fitting_instruction(configuration: PipelineConfig, profile: CapabilityProfile, preferred: str) -> InstructionLanes:
    """Return the instruction called `preferred`, or where its pieces are too large for the tile a smaller one of its kind.

    Its kind are those of the same family and types that the device lists; lanes that multiply themselves take fewer results each.
    """
    first = instruction(preferred)
    family = preferred.split("_", 1)[0]
    listed = (i.name for i in profile.matrix_instructions if i.name.startswith(family))
    for found in (first, *(instruction(name) for name in (*listed, *smaller_blocks(preferred)))):
        same = (found.operand, found.accumulator) == (first.operand, first.accumulator)
        if same and warp_grid(configuration, found) is not None and configuration.tile_k % found.k == 0:
            return found
    return first


def multistage_fault(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, name: str
) -> str | None:
    """Return why this schedule cannot run the problem with the instruction called `name`, or None if it can."""
    c, config, lanes = contraction, configuration, fitting_instruction(configuration, profile, name)
    threads = config.warps * profile.lanes
    rules = (
        (lanes.a is not None and lanes.b is not None, f"{lanes.name} does not take its operands from registers"),
        (lanes.lanes == profile.lanes, f"{lanes.name} runs on {lanes.lanes} lanes, a warp of {profile.name} has {profile.lanes}"),
        (c.a.dtype is c.b.dtype and (c.a.dtype is lanes.operand or in_parts(c.a.dtype, lanes)),
         f"operands are {c.a.dtype.value} and {c.b.dtype.value}, not {lanes.operand.value}"),
        (c.compute is lanes.accumulator, f"sums are {c.compute.value}, not {lanes.accumulator.value}"),
        (config.barrier_mode is BarrierMode.NONE, f"{config.barrier_mode.value} is another schedule"),
        (c.lists is None or c.lists.run % config.tile_k == 0,
         f"steps of {config.tile_k} do not divide blocks of {c.lists.run if c.lists is not None else 0} along k"),
        (config.split_k == 1, "split_k is not part of this schedule"),
        (config.cluster == 1, "clusters are not part of this schedule"),
        (config.tile_k % lanes.k == 0 and not config.tile_k & (config.tile_k - 1),
         f"tile_k {config.tile_k} is no power of two and multiple of {lanes.k}"),
        (warp_grid(config, lanes) is not None,
         f"{config.warps} warps do not divide {config.tile_m}x{config.tile_n} into whole {lanes.m}x{lanes.n} pieces"),
        (threads <= profile.max_threads_per_block, f"{threads} threads exceed {profile.max_threads_per_block} per block"),
    )  # fmt: skip
    return next((reason for holds, reason in rules if not holds), None)


def multistage_kernel(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str,
    instruction_name: str,
) -> SemanticKernel:  # fmt: skip
    """Return the uniform schedule of `contraction` with a matrix instruction.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` by ``tile_n`` per block, ``tile_k`` per slot, ``stages`` slots, ``warps`` warps. ``vector_a``,
        ``vector_b`` and ``vector_c`` are promises: so many elements lie together, aligned, in rows of a, b and out.

    Raises
    ------
    ConfigurationError
        With the reason of `multistage_fault`, or if registers or shared memory do not suffice.
    """
    fault = multistage_fault(contraction, configuration, profile, instruction_name)
    if fault:
        raise ConfigurationError(f"the uniform schedule does not fit: {fault}", configuration=configuration.describe())
    lanes = fitting_instruction(configuration, profile, instruction_name)
    return MultistageBuilder(contraction, configuration, profile, lanes).kernel(variant, name)


class MultistageBuilder:
    """Builds one kernel; see `multistage_kernel`."""

    def __init__(
        self,
        contraction: Contraction,
        configuration: PipelineConfig,
        profile: CapabilityProfile,
        lanes: InstructionLanes,
    ) -> None:
        self.c, self.config, self.profile, self.lanes = contraction, configuration, profile, lanes
        c, config = contraction, configuration
        grid = warp_grid(config, lanes)
        assert grid is not None and lanes.a is not None and lanes.b is not None
        self.grid = grid
        self.warp_m, self.warp_n = config.tile_m // grid[0], config.tile_n // grid[1]
        self.raster = Raster(c, config)
        self.a = self._tile("a_tile", c.a, I, c.m, Const(0), config.tile_m, config.vector_a, lanes.a)
        self.b = [
            self._tile(
                self._gated("b_tile", gate), c.b, J, c.n, c.n * gate, config.tile_n, config.vector_b, lanes.b.transposed()
            )
            for gate in range(c.gates)
        ]  # fmt: skip
        self.looked_up = min((tile.tables.slots for tile in self.tiles if tile.tables.slots), default=0)
        if config.value("hoisted") and not self.looked_up:
            raise ConfigurationError("there are no coordinates to hoist", configuration=config.describe())
        if config.value("divided") and not self.c.divisors:
            raise ConfigurationError("there are no coordinates to divide for", configuration=config.describe())
        self.products = Products(config, lanes, grid, self.a, self.b)
        self.sums = self.products.sums
        self.epilogue = self._epilogue()

    def _tile(
        self, name: str, term: Term, coordinate: Sym, extent: Index, shift: Index, outer: int, vector: int, fragment: FragmentLayout
    ) -> OperandTile:  # fmt: skip
        config, padded = self.config, parse(self.lanes.name) is not None
        return OperandTile(
            name, self.c, term, coordinate, extent, shift, outer, config.tile_k, config.warps, config.stages, vector, fragment,
            self.profile, padded, config.value("hoisted"), bool(config.value("divided")),
        )  # fmt: skip

    def _epilogue(self) -> WarpEpilogue:
        return WarpEpilogue(
            self.c, self.lanes, self.sums, self.config.vector_c, exchanged=self.profile.vendor == "nvidia"
        )

    def _gated(self, name: str, gate: int) -> str:
        return name if self.c.gates == 1 else f"{name}_{gate}"

    @property
    def tiles(self) -> list[OperandTile]:
        """Return the tiles, that of A first."""
        return [self.a, *self.b]

    # ---- the kernel

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel."""
        buffers = (*(tile.buffer() for tile in self.tiles), *(b for tile in self.tiles for b in tile.tables.buffers()))
        plan = shared_plan(buffers, ())
        if plan.bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"the tiles need {plan.bytes} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer stages or smaller tiles", configuration=self.config.describe(),
            )  # fmt: skip
        fragments = self._fragments()
        threads = self.config.warps * self.profile.lanes
        budget = min(self.profile.registers_per_processor // threads, self.profile.max_registers_per_thread)
        needed = max(self._register_need(), words(fragments))
        if needed > budget:
            raise ConfigurationError(
                f"fragments and addresses need {needed} registers of a thread's {budget}",
                hint="Choose smaller tiles or more warps", configuration=self.config.describe(),
            )  # fmt: skip
        role = Role(WARP.name, Actor.WARP, self.config.warps, self.profile.lanes, fragments, self._body(), budget)
        rows, columns = self.raster.counts
        return SemanticKernel(
            name=name, title=self.c.title, family="contraction", variant=variant, arch=self.profile.arch,
            configuration=self.config, parameters=self._parameters(), symbols=self._symbols(), buffers=buffers,
            rings=(), roles=(role,), launch=Launch(rows * columns * self.c.items, threads, 1, plan.bytes),
        )  # fmt: skip

    def _register_need(self) -> int:
        """32-bit registers of a thread: sums, and either what the reduction or what the epilogue takes besides."""
        sums = words(self.products.all_sums())
        reduction = words(
            [*self.products.parts(), *(f for tile in self.tiles if not tile.direct for f in tile.fragments())]
        )
        reduction += sum(tile.address_registers for tile in self.tiles)
        epilogue = words(self.epilogue.fragments()) + self.epilogue.address_registers
        return sums + max(reduction, epilogue) + (_OUTSIDE_PADDED if self.products.ahead else _OUTSIDE_REGISTERS)

    def _fragments(self) -> tuple[Fragment, ...]:
        found = [*self.products.all_sums(), *self.products.parts()]
        for tile in self.tiles:
            found += tile.fragments()
        return (*found, *self.epilogue.fragments())

    def _parameters(self) -> tuple[Parameter, ...]:
        needed = self.epilogue.alignments()
        for tile in self.tiles:
            needed[tile.term.operand] = max(needed.get(tile.term.operand, 1), tile.alignment)
        return tuple(p.replace(alignment=max(p.alignment, needed.get(p.name, 1))) for p in self.c.parameters)

    def _symbols(self) -> tuple[Symbol, ...]:
        """The contraction's symbols: multiples of the runs that follow them, positive where they divide, sizes within 32 bits."""
        needed: dict[str, int] = {}
        for multiples in (self.epilogue.multiples(), *(tile.multiples() for tile in self.tiles)):
            for name, value in multiples.items():
                needed[name] = max(needed.get(name, 1), value)
        divisors = {name for axis in self.c.k_axes[1:] for name in symbols(axis.extent)}
        multiplied = frozenset[str]().union(*(tile.reciprocals for tile in self.tiles))
        own = reciprocal_symbols(name for name in self.c.divisors if name in multiplied)
        return own + tuple(
            s.replace(
                maximum=min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 else s.maximum,
                multiple=max(s.multiple, needed.get(s.name, 1)),
                minimum=max(s.minimum, 1) if s.name in divisors else s.minimum,
            )
            for s in self.c.symbols
        )

    # ---- the body

    def _body(self) -> tuple[Node, ...]:
        start = (
            Let(DEPTH.name, depth(self.c)),
            Let(STEPS.name, ceil_div(DEPTH, self.config.tile_k)),
            Let(WHOLE.name, DEPTH // self.config.tile_k),
        )
        tile = (
            *(Let(named.name, named.value) for named in self.c.item_names),
            *(start if self.c.lists is not None else ()),  # each item goes over a list of its own
            Let(WARP_ROW.name, ROW0 + WARP // self.grid[1] * self.warp_m),
            Let(WARP_COLUMN.name, COLUMN0 + WARP % self.grid[1] * self.warp_n),
            *self.a.hoisted(ROW0),
            *(node for tile in self.b for node in tile.hoisted(COLUMN0)),
            *(Fill(part.name) for part in self.products.all_sums()),
            *self._reduce(),
            *self.epilogue.nodes(),
        )
        tables = tuple(node for one in self.tiles for node in one.fill_tables(minimum(STEPS, self.looked_up)))
        first = start if self.c.lists is None else ()
        return (*first, *tables, *self.raster.over_tiles(tile))  # a tile has a barrier before its first step

    @property
    def _copied(self) -> list[tuple[OperandTile, Index]]:
        """The operands that go straight to shared memory, with the first coordinate of the block's tile."""
        return [(tile, origin) for tile, origin in self._placed if tile.direct]

    @property
    def _placed(self) -> list[tuple[OperandTile, Index]]:
        return [(self.a, ROW0), *((tile, COLUMN0) for tile in self.b)]

    def _reduce(self) -> tuple[Node, ...]:
        """The reduction: tiles through registers are loaded two steps ahead and stored one step ahead of their use.

        Tiles that pass no registers are copied as far ahead as there are slots. Where products read ahead, what was loaded is stored, and
        loaded anew, just before a step's barrier, which compilers move no loads across: else they start them as late as they dare.
        """
        slots, through_registers = self.config.stages, len(self._copied) < len(self.tiles)
        ahead = max(slots - 1 if self._copied else 0, min(slots, 2) if through_registers else 0)
        prologue: tuple[Node, ...] = (*self._fetch(Const(0), True, "_first"), Barrier(Scope.BLOCK, "tile_done"))
        for step in range(slots - 1):
            prologue = (*prologue, *self._copy(Const(step), Const(step), True, f"_{step}"))
        if slots > 1:
            prologue = (*prologue, *self._deposit(Const(0)), *self._fetch(Const(1), True, "_second"))
        if self.products.ahead:
            prologue = (*prologue, *self._visible, *self.products.first(Const(0)))
        turns = slots if self._in_turns else 1
        count = (WHOLE - ahead) // turns * turns if turns > 1 else WHOLE - ahead

        def steps(looked_up: bool) -> tuple[Node, ...]:
            every = (self._step(STEP + turn, turn if turns > 1 else None, looked_up=looked_up) for turn in range(turns))
            return tuple(node for one in every for node in one)

        whole: list[Loop] = []
        if self.looked_up > ahead:
            known = minimum(count, (self.looked_up - ahead) // turns * turns)
            whole.append(Loop(STEP.name, Const(0), known, steps(True), step=turns))
            whole.append(Loop(STEP.name, maximum(known, 0), count, steps(False), step=turns))
        else:
            whole.append(Loop(STEP.name, Const(0), count, steps(False), step=turns))
        last = Loop(STEP.name, maximum(count, 0), STEPS, self._step(STEP, None, edge=True))
        drain: tuple[Node, ...] = (Wait(AsyncKind.COPY, 0),) if self._copied else ()
        return (*prologue, *whole, last, *drain)

    @property
    def _in_turns(self) -> bool:
        """Whether the steps of a whole round of the ring stand in a row, and loads before the multiplications that they pass.

        On AMD GPUs places in LDS are then offsets of instructions, and loads start early, which LLVM puts last to save registers.
        """
        return self.profile.vendor == "amd" and not self._copied and parse(self.lanes.name) is None

    def _step(self, step: Index, turn: int | None, edge: bool = False, looked_up: bool = False) -> tuple[Node, ...]:
        """One step of the reduction: what was loaded goes to its slot, later tiles are loaded, this one is multiplied.

        Its slot is `turn` where the steps of a whole round of the ring stand in a row, so that places in it are constants.
        """
        slots, tag = self.config.stages, f"_{turn}" if turn else ""
        fence = (SchedulingFence(),) if self._in_turns and not edge else ()

        def slot(ahead: int) -> Index:
            return (step + ahead) % slots if turn is None else Const((turn + ahead) % slots)

        if slots == 1:
            return (
                Barrier(Scope.BLOCK, "slot_read"), *self._deposit(Const(0)), Barrier(Scope.BLOCK, "slot_written"),
                *self._fetch(step + 1, edge, looked_up=looked_up), *fence, *self.products.step(Const(0)),
            )  # fmt: skip
        copies = self._copy(step + (slots - 1), slot(slots - 1), edge, looked_up=looked_up)
        fetches = self._fetch(step + 2, edge, tag, looked_up=looked_up)
        if self.products.ahead:
            passed = (*self._deposit(slot(1)), *fetches)
            return (*copies, *self.products.step_ahead(slot(0), slot(1), passed, self._visible))
        return (
            *self._visible, *copies, *self._deposit(slot(1)), *fetches, *fence,
            *self.products.step(slot(0)),
        )  # fmt: skip

    @property
    def _visible(self) -> tuple[Node, ...]:
        """What makes the slot that is read next visible to all warps, and frees the one that was read last."""
        landed: tuple[Node, ...] = ()
        if self._copied:  # by now the copies of slots - 1 steps beginning with it have been started
            slots = self.config.stages
            needed = PhaseTransition(slots).requirement(slots - 1, 0, Mechanism.COPY_GROUPS)
            assert isinstance(needed, AwaitAsync)
            landed = (Wait(AsyncKind.COPY, needed.pending),)
        return (*landed, Barrier(Scope.BLOCK, "slot_written"))

    def _copy(self, step: Index, slot: Index, edge: bool, tag: str = "", looked_up: bool = False) -> tuple[Node, ...]:
        """The copies of one step, closed as a group."""
        k0, known = step * self.config.tile_k, step if looked_up else None
        nodes = [node for tile, origin in self._copied for node in tile.copy(origin, k0, slot, edge, tag, known)]
        return (*nodes, Commit(AsyncKind.COPY)) if nodes else ()

    def _fetch(self, step: Index, edge: bool, tag: str = "", looked_up: bool = False) -> tuple[Node, ...]:
        k0, known = step * self.config.tile_k, step if looked_up else None
        fetched = ((tile, origin) for tile, origin in self._placed if not tile.direct)
        return tuple(node for tile, origin in fetched for node in tile.fetch(origin, k0, edge, tag, known))

    def _deposit(self, slot: Index) -> tuple[Node, ...]:
        return tuple(node for tile in self.tiles if not tile.direct for node in tile.deposit(slot))


def words(fragments: Sequence[Fragment]) -> int:
    """Return the 32-bit registers of a thread that `fragments` take together, packed."""
    return sum(-(-fragment.layout.registers * fragment.dtype.bytes // 4) for fragment in fragments)
