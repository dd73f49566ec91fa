# SPDX-License-Identifier: MIT
"""The walk: every node of a role's body becomes C, in order, and nothing else does.

A fragment is an array that each thread holds; loops over its registers are unrolled, so the compiler keeps it in registers.
`Staged` loops arrive peeled (`tracea_core.semantic.peel`), so what is printed is what the interpreter runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tracea_core.emit.c import algebra, indices
from tracea_core.emit.c.across import RowSteps
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.coordinates import offset as layout_offset
from tracea_core.emit.c.copies import OUTER, outer_product
from tracea_core.emit.c.dialect import Dialect
from tracea_core.emit.c.exchange import turn
from tracea_core.emit.c.ragged import print_cursors, print_lookup
from tracea_core.emit.c.registers import RegisterSteps, Table
from tracea_core.emit.c.vectors import VectorSteps
from tracea_core.emit.c.worker_rows import WorkerRowSteps
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.semantic.index import Guard, Index, Ragged, text
from tracea_core.semantic.kernel import Actor, Buffer, Role, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.peel import expand
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask, Prefetch
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    Advance,
    AsyncCopy,
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Barrier,
    BufferRef,
    Commit,
    Compute,
    Expect,
    Extract,
    Fetch,
    Fill,
    HeldOperand,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    ProxyFence,
    Release,
    SchedulingFence,
    SharedOperand,
    Side,
    Staged,
    Store,
    Turn,
    Wait,
)


@dataclass(frozen=True)
class Ring:
    """How the text calls a role's position in a ring."""

    slot: str
    phase: str


def _names(kernel: SemanticKernel) -> frozenset[str]:
    """What arguments and buffers are called."""
    named = (kernel.parameters, kernel.symbols, kernel.buffers)
    return frozenset(item.name for items in named for item in items)


class Walk:
    """Prints the body of one role into `writer`."""

    def __init__(self, kernel: SemanticKernel, role: Role, dialect: Dialect, writer: SourceWriter) -> None:
        self.kernel, self.role, self.dialect, self.writer = kernel, role, dialect, writer
        self.scope: dict[str, Term | Table] = {}
        self.rings = {ring.name: Ring(f"{ring.name}_slot", f"{ring.name}_phase") for ring in kernel.rings}
        steps = (role, dialect, writer, self.lookup, self.buffer_offset)
        self.registers = VectorSteps(*steps, _names(kernel)) if role.actor is Actor.WORKER else RegisterSteps(*steps)

    def print(self, environment: Mapping[str, Term]) -> None:
        """Print the role's body, with values for every symbol that is bound outside it."""
        self.scope = dict(environment)
        for ring in self.kernel.rings:
            if self._uses(ring.name, self.role.body):
                names = self.rings[ring.name]
                self.scope[names.slot] = algebra.symbol(names.slot, 0, ring.slots - 1)
                self.writer.line(f"int {names.slot} = 0, {names.phase} = 0;")
        self.registers.declare()
        self._body(self.role.body)

    def _uses(self, ring: str, nodes: tuple[Node, ...]) -> bool:
        for node in nodes:
            if getattr(node, "ring", None) == ring:
                return True
            inner = (*getattr(node, "body", ()), *getattr(node, "then", ()), *getattr(node, "otherwise", ()))
            if inner and self._uses(ring, inner):
                return True
        return False

    # ---- symbols

    def lookup(self, name: str) -> Term | Table:
        """Return what a symbol stands for here."""
        found = self.scope.get(name)
        if found is None:
            raise EmitError(f"{name!r} has no value here", role=self.role.name)
        return found

    def _single(self, name: str) -> Term:
        found = self.lookup(name)
        if isinstance(found, Table):
            raise EmitError(f"{name!r} has a value for each element and none of its own", role=self.role.name)
        return found

    def index(self, expr: Index) -> Term:
        """Return an index expression as C."""
        return indices.term(expr, self._single)

    def condition(self, guard: Guard) -> str | None:
        """Return a guard as C, or None where it always holds."""
        return indices.condition(guard, self._single)

    # ---- control

    def _body(self, nodes: tuple[Node, ...]) -> None:
        before = self.scope
        self.scope = dict(before)
        for node in nodes:
            for plain in expand(node) if isinstance(node, Loop) else (node,):
                self._node(plain)
        self.scope = before

    def _node(self, node: Node) -> None:
        if isinstance(node, Let):
            self._let(node)
        elif isinstance(node, Loop):
            self._loop(node)
        elif isinstance(node, If):
            self._if(node)
        elif isinstance(node, Staged):
            raise EmitError("a staged step stands outside a loop", role=self.role.name)
        else:
            self._step(node)

    def _let(self, let: Let) -> None:
        if let.fragment is not None:
            self.scope[let.name] = self.registers.table(let)
            return
        if isinstance(let.value, Ragged):
            self.scope[let.name] = print_lookup(let.name, let.value, self.index, self.writer)
            return
        value = self.index(let.value)
        if value.constant is not None:
            self.writer.comment(f"{let.name} = {text(let.value)}")
            self.scope[let.name] = value
            return
        self.writer.line(f"const {'i64' if value.wide else 'int'} {let.name} = {value.text};")
        self.scope[let.name] = value.named(let.name)

    def _loop(self, loop: Loop) -> None:
        start, stop = self.index(loop.start), self.index(loop.stop)
        wide = start.wide or stop.wide
        step = f"++{loop.var}" if loop.step == 1 else f"{loop.var} += {loop.step}"
        print_cursors(loop, self.writer)
        self.writer.line(self.dialect.unroll(loop.unroll))
        kind = "i64" if wide else "int"
        head = f"for ({kind} {loop.var} = {start.text}; {loop.var} < {stop.at(algebra.SHIFT)}; {step})"
        with self.writer.block(head):
            before = self.scope
            counter = algebra.symbol(loop.var, start.low, max(stop.high - 1, start.low), wide=wide)
            counter = counter._replace(multiple=max(math.gcd(start.multiple, loop.step), 1))
            self.scope = {**before, loop.var: counter}
            self._body(loop.body)
            self.scope = before

    def _if(self, node: If) -> None:
        test = self.condition(node.guard)
        if test is None or test == "false":
            with self.writer.block("", open_with="{"):
                self._body(node.then if test is None else node.otherwise)
            return
        with self.writer.block(f"if ({test})"):
            self._body(node.then)
        if node.otherwise:
            with self.writer.block("else"):
                self._body(node.otherwise)

    # ---- places

    def buffer_offset(
        self, reference: BufferRef | SharedOperand, coordinates: tuple[Term, ...], slot: Term | None
    ) -> tuple[Buffer, Term]:
        """Return the buffer and the element offset of a place in it, from its first slot."""
        buffer = self.kernel.buffer(reference.buffer)
        if buffer.extent is None:
            place = layout_offset(buffer.layout, coordinates)
        else:
            first = algebra.multiply(coordinates[0], algebra.number(buffer.layout.size))
            place = algebra.add(first, layout_offset(buffer.layout, coordinates[1:]))
        if slot is not None:
            place = algebra.add(algebra.multiply(slot, algebra.number(buffer.layout.size)), place)
        return buffer, place

    def _place(self, reference: BufferRef | SharedOperand) -> tuple[Buffer, Term]:
        slot = None if reference.slot is None else self.index(reference.slot)
        return self.buffer_offset(reference, tuple(self.index(c) for c in reference.coordinates), slot)

    # ---- steps

    def _step(self, node: Node) -> None:
        line, dialect = self.writer.line, self.dialect
        match node:
            case Fill() | Load() | Store() | Compute() | Extract() | AsyncCopy():
                self.registers.step(node)
            case Fold() | Mask() | Count() | Join() if isinstance(self.registers, VectorSteps):
                WorkerRowSteps(self.registers).step(node)
            case Fold() | Mask() | Count() | Join():
                RowSteps(self.registers).step(node)
            case Mma():
                lanes, packed = instruction(node.instruction), self.registers.packed
                sums, left, right = packed(node.accumulator), packed(node.a), packed(node.b)
                if lanes.name.startswith(OUTER):
                    outer_product(sums, left, right, dialect, self.writer)
                elif lanes.turns:
                    line(dialect.mma(instruction(lanes.turns), sums, right, left))
                else:
                    line(dialect.mma(lanes, sums, left, right))
            case Barrier():
                line(dialect.barrier(self.kernel, self.role, node.scope, node.name))
            case Acquire():
                names = self.rings[node.ring]
                phase = names.phase if node.side is Side.FULL else f"{names.phase} ^ 1"
                line(dialect.acquire(node.ring, node.side, names.slot, phase))
            case Expect():
                line(dialect.expect(node.ring, self.rings[node.ring].slot, node.bytes))
            case Release():
                behind = self._behind(node.ring, node.lag)
                line(dialect.release(self.kernel, self.role, node.ring, behind, node.for_warps))
            case Advance():
                self._advance(node.ring)
            case Skip():
                self._skip(node.ring, self.index(node.count))
            case Await():
                line(dialect.await_turn(self.role, node.token, node.threads))
            case Signal():
                line(dialect.signal_turn(self.role, node.token, self.index(node.target), node.threads))
            case AsyncLoad():
                buffer, place = self._place(node.target)
                walked = node.source.pixels.offset if node.source.pixels else ()
                origin = [self.index(coordinate) for coordinate in (*node.source.origin, *walked)]
                once = None if node.source.once is None else self.condition(node.source.once) or "true"
                line(dialect.async_load(node.source, origin, buffer, place, node.ring, node.multicast, once))
            case AsyncStore():
                buffer, place = self._place(node.source)
                origin = [self.index(coordinate) for coordinate in node.target.origin]
                self._elected(dialect.async_store(node.target, origin, buffer, place))
            case Fetch():
                self._elected(dialect.fetch(node.source, [self.index(coordinate) for coordinate in node.source.origin]))
            case AsyncMma():
                a = self._held_operand(node) if isinstance(node.a, HeldOperand) else (node.a, *self._place(node.a))
                b = (node.b, *self._place(node.b))
                accumulate = self.condition(node.accumulate) or "true"
                accumulator = self.registers.packed(node.accumulator)
                line(dialect.async_mma(instruction(node.instruction), accumulator, a, b, accumulate))
            case Commit() | Wait() if (node.kind is AsyncKind.COPY) == bool(self.kernel.rings):
                raise EmitError(f"{node.kind.value} steps have no groups in this schedule", role=self.role.name)
            case Commit():
                self._group(node.kind, dialect.commit(node.kind))
            case Wait():
                self._group(node.kind, dialect.wait(node.kind, node.pending))
            case AccumulatorFence():
                line(dialect.accumulator_fence(self.registers.packed(node.fragment)))
            case ProxyFence():
                line(dialect.proxy_fence())
            case SchedulingFence() if isinstance(self.registers, VectorSteps):
                line("// hint: what follows stays behind")  # fences of memory cost tens of cycles on processors
            case SchedulingFence():
                line(dialect.scheduling_fence())
            case Turn() if isinstance(self.registers, VectorSteps):
                self.registers.turn(node)
            case Turn():
                turn(self.registers, node)
            case Prefetch() if isinstance(self.registers, VectorSteps):
                self.registers.prefetch(node)
            case _:
                raise EmitError(f"{type(node).__name__} has no text", role=self.role.name)

    def _held_operand(self, node: AsyncMma) -> tuple[str, ...]:
        """The words of a fragment that an instruction reads as its left operand."""
        lanes = instruction(node.instruction)
        assert isinstance(node.a, HeldOperand) and lanes.a is not None
        packed = self.registers.packed(node.a.fragment)
        count = lanes.a.registers // packed.per_word
        if node.a.column % lanes.k:
            raise EmitError(f"{node.a.fragment!r} has no operand from column {node.a.column} on", role=self.role.name)
        first = node.a.column // lanes.k * count
        return tuple(f"{packed.name}[{first + i}]" for i in range(count))

    def _elected(self, statement: str) -> None:
        self.writer.line(statement if self.role.elected else f"if (lane == 0) {statement}")

    def _group(self, kind: AsyncKind, statement: str) -> None:
        """Groups of stores belong to the one thread that starts them."""
        if kind is AsyncKind.STORE:
            self._elected(statement)
        else:
            self.writer.line(statement)

    def _behind(self, ring: str, lag: int) -> str:
        """Return the slot `lag` positions behind the role's own."""
        slot, slots = self.rings[ring].slot, self.kernel.ring(ring).slots
        lag %= slots
        return slot if lag == 0 else f"({slot} >= {lag} ? {slot} - {lag} : {slot} + {slots - lag})"

    def _skip(self, ring: str, count: Term) -> None:
        names, slots = self.rings[ring], self.kernel.ring(ring).slots
        moved = algebra.add(self._single(names.slot), count)
        with self.writer.block("", open_with="{"):
            self.writer.line(f"const {'i64' if moved.wide else 'int'} moved = {moved.text};")
            self.writer.line(f"{names.phase} ^= moved / {slots} & 1;")
            self.writer.line(f"{names.slot} = moved % {slots};")

    def _advance(self, ring: str) -> None:
        names, slots = self.rings[ring], self.kernel.ring(ring).slots
        with self.writer.block(f"if (++{names.slot} == {slots})"):
            self.writer.line(f"{names.slot} = 0;")
            self.writer.line(f"{names.phase} ^= 1;")
