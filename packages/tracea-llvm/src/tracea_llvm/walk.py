# SPDX-License-Identifier: MIT
"""The walk: every node of a worker's body becomes its text, in order.

Fragments are SSA values, one a register, so a loop carries what it updates in phi nodes and no optimisation pass is
needed to keep it out of memory. An unrolled loop prints its copies in a row and a loop for the rest.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TypeAlias

from tracea_core.emit import held, linear
from tracea_core.emit.linear import Atom, Linear
from tracea_core.emit.registers import part, partner, registers
from tracea_core.emit.turning import turn
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Expr
from tracea_core.semantic import words
from tracea_core.semantic.index import Const, Sym, text
from tracea_core.semantic.kernel import Role, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.liveness import assigned, live_before
from tracea_core.semantic.peel import expand
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.row_steps import Count, Fold, Mask, Prefetch
from tracea_core.semantic.steps import (
    Barrier,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Scope,
    Store,
    Turn,
)

from tracea_llvm.access import Memory, splat
from tracea_llvm.across import Across
from tracea_llvm.builder import Builder
from tracea_llvm.convert import Converter, element
from tracea_llvm.expressions import Calls, ExpressionPrinter
from tracea_llvm.groups import Groups
from tracea_llvm.indices import IndexPrinter
from tracea_llvm.products import multiply, raised
from tracea_llvm.symbols import Environment, Symbols

Registers: TypeAlias = dict[str, tuple[str, ...]]
_FEW = 1 << 12
"""Positions of a loop for which there may be as many zeros to read."""
_SWEPT = ("rowwise", "chained")
"""Families whose functions stand in sweeps over rows, where they are printed in place."""


class Walk:
    """Prints the body of one role."""

    def __init__(self, kernel: SemanticKernel, role: Role, calls: Calls) -> None:
        self.role = role
        self.builder = Builder()
        self.index = IndexPrinter(self.builder, role.lanes, lambda: self.memory.pointers[GROUP_ENDS])
        self.symbols = Symbols(role, self.index)
        self.converter = Converter(self.builder, role.lanes, rounds_bf16=held.multiplies_bf16(role))
        self.expressions = ExpressionPrinter(self.builder, self.converter, calls, in_place=kernel.family in _SWEPT)
        self.memory = Memory(kernel, self.builder, self.index, self.symbols.at, self.symbols.scalar)
        self.groups = Groups(self.memory, role)
        self.across = Across(self.builder, self.converter, self.expressions)
        self._few = {symbol.name: symbol.maximum for symbol in kernel.symbols if symbol.maximum <= _FEW}
        self.values: Registers = {}
        self.barrier, self.uses_barrier = "%barrier", False
        self._quiet = False

    def print(self, environment: Environment) -> None:
        """Print the role's body, with values for every symbol that is bound outside it."""
        self.groups.begin()
        self._body(self.role.body, environment, frozenset())
        self.groups.finish()

    # ---- control

    def _body(self, nodes: tuple[Node, ...], environment: Environment, live: frozenset[str]) -> None:
        """Print `nodes`; the fragments in `live` matter after them."""
        plain = tuple(part for node in nodes for part in (expand(node) if isinstance(node, Loop) else (node,)))
        after = [live]
        for node in reversed(plain):
            after.append(live_before((node,), after[-1]))
        with self.symbols.scope(environment) as scope:
            for node, following, matters, later in _with_next(plain, tuple(reversed(after[:-1]))):
                if isinstance(node, Let):
                    each = f" for each element of {node.fragment}" if node.fragment else ""
                    self._comment(f"{node.name} = {text(node.value)}{each}")
                    scope[node.name] = self.symbols.let(node)
                elif isinstance(node, Loop):
                    self._loop(node, matters)
                elif isinstance(node, If):
                    self._if(node, matters)
                else:
                    self._comment(words.step(node))
                    self._step(node, turned=_is_turned(node, following, later))

    def _comment(self, words: str) -> None:
        if not self._quiet:
            self.builder.comment(words)

    def _loop(self, loop: Loop, live: frozenset[str]) -> None:
        self._comment(words.loop(loop))
        first = self.symbols.pin(
            self.index.evaluate(loop.start, self.symbols.scalar, f"{loop.var}_first"), f"{loop.var}_first"
        )
        stop = self.index.evaluate(loop.stop, self.symbols.scalar, f"{loop.var}_stop")
        if loop.unroll > 1:
            first = self._rounds(loop, live_before((loop,), live), first, stop, loop.unroll)
            self._comment(f"what is left of {loop.var}")
        self._rounds(loop, live, first, stop, 1)

    def _rounds(self, loop: Loop, live: frozenset[str], first: Linear, stop: Linear, copies: int) -> Linear:
        """Print a loop whose every round runs `copies` bodies; return the first position that it leaves over."""
        builder, var = self.builder, loop.var
        matters = live | live_before(loop.body, live)
        changed = assigned(loop.body)
        carried = [name for name in self._ordered(changed & live_before(loop.body, matters)) if name in self.values]
        moved = builder.slot()
        limit = linear.subtract(stop, Linear((copies - 1) * loop.step))
        start, bound = self.index.scalar(first)[0], self.index.scalar(limit, f"{var}_limit")[0]
        body, done, entered = builder.fresh(f"{var}_loop"), builder.fresh(f"{var}_done"), builder.block
        before = dict(self.values)
        runs = self._certainly(first, limit)
        if runs is False:
            return first
        if runs is None:
            enters = builder.here(f"icmp slt i64 {start}, {bound}", f"{var}_any")
            builder.line(f"br i1 {enters}, label %{body}, label %{done}")
        else:
            builder.line(f"br label %{body}")
        builder.label(body)
        with builder.divert(moved), builder.region(is_branch=False):
            phis = builder.slot()
            variable = f"%{builder.fresh(var)}"
            for name in carried:
                self.values[name] = tuple(f"%{builder.fresh(hint)}" for hint in self._hints(name))
            heads = {name: self.values[name] for name in carried}
            position = Atom(variable, builder.depth, False, first.non_negative)
            if loop.start == Const(0) and isinstance(loop.stop, Sym) and loop.stop.name in self._few:
                self.memory.walked[variable] = self._few[loop.stop.name]
            self._copies(loop, position, copies, matters)
            following = builder.value(f"add i64 {variable}, {copies * loop.step}", f"{var}_next")
            more = builder.value(f"icmp slt i64 {following}, {bound}", f"{var}_more")
            latch = builder.block
            builder.line(f"br i1 {more}, label %{body}, label %{done}")
        phis.append(f"{variable} = phi i64 [ {start}, %{entered} ], [ {following}, %{latch} ]")
        for name in carried:
            for head, old, new in zip(heads[name], before[name], self.values[name], strict=True):
                phis.append(f"{head} = phi {self._type(name)} [ {old}, %{entered} ], [ {new}, %{latch} ]")
        builder.label(done)
        after = {name: self.values[name] for name in changed if name in self.values}
        if runs is None:
            after = self._merge(self._ordered(changed & live), before, entered, self.values, latch)
        self.values = {**before, **after}
        if copies == 1:
            return first
        if runs is None:
            following = builder.value(f"phi i64 [ {start}, %{entered} ], [ {following}, %{latch} ]", f"{var}_rest")
        return linear.of(Atom(following, builder.depth, False, first.non_negative))

    def _copies(self, loop: Loop, position: Atom, copies: int, live: frozenset[str]) -> None:
        """Print the bodies of one round; steps are explained in the first."""
        loud = not self._quiet
        for copy in range(copies):
            if copy and loud:
                self._quiet = False
                self._comment(f"{loop.var} + {copy * loop.step}")
                self._quiet = True
            value = linear.add(linear.of(position), Linear(copy * loop.step))
            self._body(loop.body, {**self.symbols.environment, loop.var: value}, live)
        self._quiet = not loud

    def _certainly(self, first: Linear, limit: Linear) -> bool | None:
        """Whether a loop runs at all, where that is known."""
        distance = linear.subtract(limit, first)
        if not distance.is_constant or not isinstance(distance.constant, int):
            return None
        return distance.constant > 0

    def _if(self, node: If, live: frozenset[str]) -> None:
        builder = self.builder
        self._comment(f"if {words.guard(node.guard)}")
        condition = self.index.condition(node.guard, self.symbols.scalar)
        if condition.never or condition.always:
            self._body(node.then if condition.always else node.otherwise, self.symbols.environment, live)
            return
        then, otherwise, joined = builder.fresh("then"), builder.fresh("otherwise"), builder.fresh("joined")
        entered, before = builder.block, dict(self.values)
        sides = ((then if node.then else joined, node.then), (otherwise if node.otherwise else joined, node.otherwise))
        builder.line(f"br i1 {condition.scalar}, label %{sides[0][0]}, label %{sides[1][0]}")
        ends = []
        for label, nodes in sides:
            if not nodes:
                ends.append((entered, before))
                continue
            builder.label(label)
            self.values = dict(before)
            with builder.region(is_branch=True):
                self._body(nodes, self.symbols.environment, live)
                ends.append((builder.block, self.values))
                builder.line(f"br label %{joined}")
        builder.label(joined)
        changed = self._ordered((assigned(node.then) | assigned(node.otherwise)) & live)
        (one_from, one), (two_from, two) = ends
        self.values = {**before, **self._merge(changed, one, one_from, two, two_from)}

    def _merge(self, names: list[str], one: Registers, one_from: str, two: Registers, two_from: str) -> Registers:
        """Print phi nodes for what may hold either of two values; a value that one path does not set is poison there."""
        merged: Registers = {}
        for name in names:
            hints = self._hints(name)
            nothing = ("poison",) * len(hints)
            pairs = zip(one.get(name, nothing), two.get(name, nothing), hints, strict=True)
            merged[name] = tuple(
                self.builder.value(f"phi {self._type(name)} [ {a}, %{one_from} ], [ {b}, %{two_from} ]", hint)
                for a, b, hint in pairs
            )
        return merged

    # ---- fragments

    def _ordered(self, names: frozenset[str]) -> list[str]:
        """The role's own order, so that equal kernels give equal text."""
        return [fragment.name for fragment in self.role.fragments if fragment.name in names]

    def _hints(self, name: str) -> list[str]:
        found = [] if name in self.groups.tiles else registers(self.role.fragment(name).layout)
        hints = [f"{name}_{register.suffix}" if register.suffix else name for register in found]
        return hints[:: self.groups.words.get(name, 1)]

    def _type(self, name: str) -> str:
        kind = "i32" if name in self.groups.words else element(self.role.fragment(name).dtype)
        return f"<{self.role.lanes} x {kind}>"

    def _held(self, name: str) -> tuple[str, ...]:
        if name not in self.values:
            raise EmitError(f"the fragment {name!r} holds nothing here", role=self.role.name)
        return self.values[name]

    # ---- steps

    def _step(self, step: Node, *, turned: bool = False) -> None:
        if isinstance(step, Fill):
            fragment = self.role.fragment(step.fragment)
            plain = (splat(step.value, fragment.dtype),) * fragment.layout.registers
            self.values[step.fragment] = self.groups.fill(step, fragment) if step.fragment in self.groups else plain
        elif isinstance(step, Load):
            fragment = self.role.fragment(step.fragment)
            if step.fragment in self.groups:
                self.values[step.fragment] = self.groups.load(step, fragment)
            else:
                self.values[step.fragment] = self.memory.load(step, fragment, turned=turned)
        elif isinstance(step, Store):
            moved = self.groups if step.fragment in self.groups or step.width > 1 else self.memory
            moved.store(step, self.role.fragment(step.fragment), self._held(step.fragment))
        elif isinstance(step, Mma):
            self.values[step.accumulator] = self._mma(step)
        elif isinstance(step, Compute):
            self.values[step.target] = self._compute(step)
        elif isinstance(step, Extract):
            self.values[step.target] = self._extract(step)
        elif isinstance(step, Turn):
            source, target = self.role.fragment(step.source).layout, self.role.fragment(step.target)
            shuffle, values = functools.partial(self.builder.shuffle, self._type(step.target)), self._held(step.source)
            self.values[step.target] = turn(shuffle, values, source, target.layout, target.dtype.bytes)
        elif isinstance(step, Fold) and not step.chains:
            self.values[step.target] = self.across.fold(
                step.fn, self.role.fragment(step.source), self._held(step.source), self.role.fragment(step.target)
            )
        elif isinstance(step, Mask):
            self.values[step.fragment] = self._mask(step)
        elif isinstance(step, Count):
            fragment = self.role.fragment(step.fragment)
            value, _ = self.index.scalar(self.index.evaluate(step.value, self.symbols.scalar), step.fragment)
            self.values[step.fragment] = (self.across.count(value, fragment),) * fragment.layout.registers
        elif isinstance(step, Prefetch):
            self.memory.prefetch(step)
        elif isinstance(step, SchedulingFence):
            self.builder.line('call void asm sideeffect "", "~{memory}"()')
        elif isinstance(step, Barrier) and step.scope is Scope.WORKERS:
            self.uses_barrier = True
            self.builder.settle()
            self.builder.line(f"call void @tracea_barrier(ptr {self.barrier}, i64 %workers)")
        else:
            raise EmitError(f"LLVM IR for one worker cannot express {words.step(step)}", role=self.role.name)

    def _mma(self, step: Mma) -> tuple[str, ...]:
        if step.accumulator in self.groups.tiles:
            self.groups.multiply(step)
            return ()
        a, b, sums = self._held(step.a), self._held(step.b), self._held(step.accumulator)
        return multiply(self.builder, instruction(step.instruction), a, b, sums, self._hints(step.accumulator))

    def _compute(self, step: Compute) -> tuple[str, ...]:
        if step.approximate:
            raise EmitError("functions in LLVM IR are exact", fragment=step.target)
        target = self.role.fragment(step.target)
        if held.raises_bytes(step, self.role):
            return raised(self.builder, self.role.lanes, self._held(step.accumulators[0]), self._hints(step.target))
        result = []
        for number, hint in enumerate(self._hints(step.target)):

            def leaf(node: Expr, number: int = number) -> str:
                name = step.accumulators[node.index] if isinstance(node, Accumulator) else step.operands[node.slot]  # type: ignore[union-attr]
                source = self.role.fragment(name)
                place = partner(target.layout, source.layout, number, f"the fragment {name!r}")
                return self.converter.convert(
                    self._held(name)[place], source.dtype, step.dtype, f"{self._hints(name)[place]}_{step.dtype.value}"
                )

            is_sum = step.target in step.accumulators and target.dtype is step.dtype
            value = self.expressions.print(step.expr, step.dtype, leaf, hint, is_sum=is_sum)
            result.append(self.converter.convert(value, step.dtype, target.dtype, hint))
        return tuple(result)

    def _mask(self, step: Mask) -> tuple[str, ...]:
        fragment, kind = self.role.fragment(step.fragment), self._type(step.fragment)
        result = []
        for number, (value, hint) in enumerate(zip(self._held(step.fragment), self._hints(step.fragment), strict=True)):
            mask = self.index.mask(self.index.condition(step.guard, self.symbols.at(fragment, number)))
            filled = f"{kind} {splat(step.value, fragment.dtype)}"
            result.append(self.builder.here(f"select <{self.role.lanes} x i1> {mask}, {kind} {value}, {filled}", hint))
        return tuple(result)

    def _extract(self, step: Extract) -> tuple[str, ...]:
        row, column = (self.index.evaluate(place, self.symbols.scalar) for place in (step.row, step.column))
        if not (row.is_constant and column.is_constant):
            raise EmitError(f"where {step.target!r} lies in {step.source!r} must be known when printing")
        assert isinstance(row.constant, int) and isinstance(column.constant, int)
        if step.apart != 1:
            raise EmitError(f"the columns of {step.target!r} are no neighbours in {step.source!r}")
        held = self._held(step.source)
        layouts = self.role.fragment(step.target).layout, self.role.fragment(step.source).layout
        return tuple(held[number] for number in part(*layouts, row.constant, column.constant))


def _with_next(
    nodes: tuple[Node, ...], after: tuple[frozenset[str], ...]
) -> Iterator[tuple[Node, Node | None, frozenset[str], frozenset[str]]]:
    """Yield each node, the one behind it, and the fragments that matter after the one and after the other."""
    for number, node in enumerate(nodes):
        following = nodes[number + 1] if number + 1 < len(nodes) else None
        yield node, following, after[number], after[min(number + 1, len(nodes) - 1)]


def _is_turned(node: Node, following: Node | None, later: frozenset[str]) -> bool:
    """Whether a load is followed by the turning of what it loads, which does not matter `later`."""
    if not (isinstance(node, Load) and isinstance(following, Turn)):
        return False
    return following.source == node.fragment and node.fragment not in later
