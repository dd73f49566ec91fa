# SPDX-License-Identifier: MIT
"""What a role does to a ring, in order: the kernel's own steps, walked with concrete trip counts.

Only waits, arrivals, loads and reads matter to a ring's automaton; addresses, arithmetic and everything else are left
out. A read lasts from the instruction that starts it to the wait that retires its group. Lanes that
read a slot by themselves do so at once, and each of their warps gives it back for itself.
"""

from __future__ import annotations

import enum
import functools
from collections import deque
from collections.abc import Collection
from typing import Any

from tracea_core.data import Data
from tracea_core.errors import CertificationError
from tracea_core.semantic.index import Index, Value, symbols
from tracea_core.semantic.interpret_tables import tables
from tracea_core.semantic.kernel import Role, SemanticKernel, one_group, walk
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.peel import expand
from tracea_core.semantic.phases import PhaseTransition, sharers
from tracea_core.semantic.steps import (
    Acquire,
    Advance,
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    BufferRef,
    Commit,
    Expect,
    If,
    Let,
    Load,
    Loop,
    Node,
    Release,
    Side,
    Wait,
)


class Kind(enum.Enum):
    """What an event does."""

    __hash__ = object.__hash__

    WAIT = "waits for"
    ARRIVE = "arrives at"
    LOAD = "starts loading"
    READ = "starts reading"
    DONE = "is done reading"
    END = "the end"


class Scenario(Data, frozen=True):
    """Trip counts: tiles of one cluster, steps of the reduction in each."""

    tiles: int
    steps: int


class Event(Data, frozen=True):
    """One event; `round` counts how often the slot was used before, `blocks` are the blocks it reaches, each so many `times`.

    With a `token`, the event concerns the barrier of that name of the role's instance `slot`, and `bytes` counts threads.
    """

    kind: Kind
    slot: int = 0
    side: Side = Side.FULL
    parity: int = 0
    round: int = 0
    bytes: int = 0
    blocks: tuple[int, ...] = ()
    token: str = ""
    times: int = 1

    def __str__(self) -> str:
        """As in ``waits for slot 2 empty, parity 1``."""
        if self.kind is Kind.END:
            return str(self.kind.value)
        if self.token:
            return f"{self.kind.value} the {self.token} of instance {self.slot}"
        text = f"{self.kind.value} slot {self.slot}"
        if self.kind in (Kind.WAIT, Kind.ARRIVE):
            text += f" {self.side.value}"
        if self.kind is Kind.WAIT:
            text += f", parity {self.parity}"
        if len(self.blocks) > 1:
            text += f" of blocks {', '.join(map(str, self.blocks))}"
        return text


@functools.lru_cache(maxsize=512)
def ring_events(
    kernel: SemanticKernel, ring: str, role: str, number: int, rank: int, scenario: Scenario
) -> tuple[Event, ...]:
    """Return the events of one role instance on `ring`, in the block of rank `rank` of a single cluster."""
    found = next(candidate for candidate in kernel.roles if candidate.name == role)
    return _Walk(kernel, ring, found, number, rank, scenario).events()


def extent_names(kernel: SemanticKernel) -> tuple[str, str]:
    """Return the symbols that count rows and columns of the output: m and n, exchanged in what is computed transposed."""
    return tables(kernel).once(("extent names",), lambda: _extent_names(kernel))


def _extent_names(kernel: SemanticKernel) -> tuple[str, str]:
    found = {"tile_rows": "m", "tile_columns": "n"}
    for role in kernel.roles:
        for node in role.body:
            used = symbols(node.value) if isinstance(node, Let) and node.name in found else frozenset()
            if isinstance(node, Let) and len(used) == 1:
                found[node.name] = next(iter(used))
    return found["tile_rows"], found["tile_columns"]


def depends_on(kernel: SemanticKernel, ring: str, role: str, symbol: str) -> bool:
    """Whether the events of a role on `ring` could depend on a symbol: whether a bound, test or let that decides uses it."""
    found = next(candidate for candidate in kernel.roles if candidate.name == role)
    for node in walk(skeleton(found.body, ring, kernel.ring(ring).buffers)):
        deciding = (node.start, node.stop) if isinstance(node, Loop) else node.guard if isinstance(node, If) else ()
        values = _moving(node) or ((node.value,) if isinstance(node, Let) else deciding)
        if any(symbol in symbols(value) for value in values):
            return True
    return False


def takes_turns(kernel: SemanticKernel, ring: str, role: str) -> bool:
    """Whether the instances of a role use different slots of `ring`: what each does depends on its number."""
    return depends_on(kernel, ring, role, role)


def _moving(node: Node) -> tuple[Index, ...]:
    """The expressions of a step that decide whose turn it is, or which slot is next."""
    return (node.count,) if isinstance(node, Skip) else (node.target,) if isinstance(node, Signal) else ()


@functools.lru_cache(maxsize=64)
def skeleton(body: tuple[Node, ...], ring: str, buffers: tuple[str, ...]) -> tuple[Node, ...]:
    """Return the part of a body that decides what happens to a ring: its steps, and the loops, tests and lets around them.

    Software pipelines are peeled. Of several instructions that read the same slot in a row, the first one stands for all.
    """
    return _skeleton(body, ring, frozenset(buffers), set())


def _multiplies(node: AsyncMma, buffers: Collection[str]) -> bool:
    return any(operand.buffer in buffers for operand in node.shared)


def _reads(node: Load, buffers: Collection[str]) -> bool:
    return isinstance(node.source, BufferRef) and node.source.buffer in buffers


def _skeleton(nodes: tuple[Node, ...], ring: str, buffers: frozenset[str], used: set[str]) -> tuple[Node, ...]:
    """Walk backwards, so that it is known which lets are `used` by what is kept."""
    kept: list[Node] = []
    for node in reversed(nodes):
        if isinstance(node, Let):
            if node.name in used:
                used |= symbols(node.value)
                kept.append(node)
        elif isinstance(node, Loop):
            plain = expand(node)
            if plain != (node,):
                kept += reversed(_skeleton(plain, ring, buffers, used))
            elif inner := _skeleton(node.body, ring, buffers, used):
                used |= symbols(node.start) | symbols(node.stop)
                kept.append(node.replace(body=inner))
        elif isinstance(node, If):
            branches = [_skeleton(branch, ring, buffers, used) for branch in (node.then, node.otherwise)]
            if any(branches):
                used |= {name for test in node.guard for name in symbols(test)}
                kept.append(node.replace(then=branches[0], otherwise=branches[1]))
        elif isinstance(node, AsyncMma):
            if _multiplies(node, buffers) and not (kept and isinstance(kept[-1], AsyncMma)):
                kept.append(node)
        elif isinstance(node, Load):
            if _reads(node, buffers) and not (kept and isinstance(kept[-1], Load)):
                kept.append(node)
        elif (
            getattr(node, "ring", None) == ring
            or isinstance(node, Await | Signal)
            or (isinstance(node, Wait | Commit) and node.kind is AsyncKind.MMA)
        ):
            used |= {name for value in _moving(node) for name in symbols(value)}
            kept.append(node)
    return tuple(reversed(kept))


_OF_COPIES = (Wait, Commit)


class _Walk:
    def __init__(
        self, kernel: SemanticKernel, ring: str, role: Role, number: int, rank: int, scenario: Scenario
    ) -> None:
        self.kernel, self.ring, self.role, self.rank, self.scenario = kernel, kernel.ring(ring), role, rank, scenario
        self.number = number
        config = kernel.configuration
        self.scope: dict[str, Value] = {symbol.name: max(1, symbol.minimum) for symbol in kernel.symbols}
        rows, columns = extent_names(kernel)
        self.scope |= {
            columns: config.tile_n * config.cluster_n,
            rows: config.tile_m * config.cluster_m * scenario.tiles,
        }
        self.scope |= one_group(kernel, config.tile_m * config.cluster_m * scenario.tiles)
        self.scope |= {"k": config.tile_k * scenario.steps * config.split_k, "items": 1}
        if kernel.family == "chained":  # blocks of keys are the steps, and every tile sees all of them
            seen = config.tile_n * scenario.steps * config.split_k
            reach = seen + config.tile_m * scenario.tiles
            self.scope |= {"keys": seen, **{s.name: reach for s in kernel.symbols if s.name.startswith("window_")}}
        self.scope |= {"block": rank, "blocks": kernel.launch.cluster, "cluster_rank": rank, role.name: number}
        self.position = 0
        self.turns: dict[str, int] = {}
        self.found: list[Event] = []
        self.body = skeleton(role.body, ring, self.ring.buffers)
        self.tables = tables(kernel)
        self.open: list[int] = []
        self.groups: deque[list[int]] = deque()
        self.by_lanes = False  # whether lanes have read a slot by themselves

    def events(self) -> tuple[Event, ...]:
        self._body(self.body, self.scope)
        if self.open or any(self.groups):
            raise CertificationError(f"{self.role.name} ends while it may still read {self.ring.name!r}")
        return tuple(self.found)

    def _body(self, nodes: tuple[Node, ...], scope: dict[str, Value]) -> None:
        scope, value = dict(scope), self.tables.value
        node: Any
        for node in nodes:
            kind = type(node)
            if kind is Let:
                if node.fragment is None:
                    scope[node.name] = int(value(node.value, scope))
            elif kind is Loop:
                for index in range(int(value(node.start, scope)), int(value(node.stop, scope)), node.step):
                    self._body(node.body, {**scope, node.var: index})
            elif kind is If:
                self._body(node.then if bool(self.tables.holds(node.guard, scope)) else node.otherwise, scope)
            elif kind is Skip:
                count = int(value(node.count, scope))
                if count < 0:
                    raise CertificationError(f"{self.role.name} moves back in {self.ring.name!r}", slots=count)
                self.position += count
            elif kind is Signal:
                self._arrive(node.token, int(value(node.target, scope)))
            else:
                self._step(node)

    def _arrive(self, token: str, instance: int) -> None:
        self.found.append(Event(Kind.ARRIVE, instance, bytes=self.role.lanes, blocks=(self.rank,), token=token))

    def _step(self, step: Any) -> None:
        ring, kind = self.ring, type(step)
        slot, uses = self.position % ring.slots, self.position // ring.slots
        if kind in _OF_COPIES:
            self._retire(step)
        elif kind is Await:
            self._arrive(step.token, self.number)
            turn = self.turns.get(step.token, 0)
            self.turns[step.token] = turn + 1
            self.found.append(Event(Kind.WAIT, self.number, parity=turn % 2, round=turn, token=step.token))
        elif getattr(step, "ring", None) == ring.name:
            if kind is Acquire:
                cycle = PhaseTransition(ring.slots)
                wait = cycle.full(self.position) if step.side is Side.FULL else cycle.empty(self.position)
                self.found.append(Event(Kind.WAIT, wait.slot, step.side, wait.parity, uses))
            elif kind is Expect:
                self.found.append(Event(Kind.ARRIVE, slot, Side.FULL, bytes=step.bytes, blocks=(self.rank,)))
            elif kind is AsyncLoad:
                blocks = step.multicast.group(self.rank) if step.multicast else (self.rank,)
                size = self.kernel.buffer(step.target.buffer).dtype.bytes
                for extent in step.source.shape:
                    size *= extent
                self.found.append(Event(Kind.LOAD, slot, round=uses, bytes=size, blocks=blocks))
            elif kind is Release:
                if self.by_lanes and not step.for_warps:
                    raise CertificationError(
                        f"a lane of {self.role.name} releases {ring.name!r} for other warps, whose lanes may still read the slot"
                    )
                lagging = (self.position - step.lag) % ring.slots
                blocks, times = sharers(self.rank, ring.multicast), step.arrivals(self.role.lanes)
                self.found.append(Event(Kind.ARRIVE, lagging, Side.EMPTY, blocks=blocks, times=times))
            elif kind is Advance:
                self.position += 1
        elif kind is AsyncMma and _multiplies(step, ring.buffers) and self.position not in self.open:
            self.open.append(self.position)
            self.found.append(Event(Kind.READ, slot, round=uses))
        elif kind is Load and _reads(step, ring.buffers):
            self.by_lanes = True
            # Lanes read at once; while instructions read the slot it is held anyway.
            if not any(self.position in positions for positions in (self.open, *self.groups)):
                self.found += [Event(Kind.READ, slot, round=uses), Event(Kind.DONE, slot, round=uses)]

    def _retire(self, step: Wait | Commit) -> None:
        if step.kind is not AsyncKind.MMA:
            return
        if isinstance(step, Commit):
            self.groups.append(self.open)
            self.open = []
            return
        while len(self.groups) > step.pending:
            for position in self.groups.popleft():
                self.found.append(Event(Kind.DONE, position % self.ring.slots, round=position // self.ring.slots))
