# SPDX-License-Identifier: MIT
"""The contraction family as LLVM IR: a walk over the nodes of a certified kernel, one short method for each kind of node.

Registers of a fragment become SSA values ``%acc_2_1`` (row 2, vector 1), loops become blocks with phi nodes for what they carry,
tables of coordinates become one value per register. The text needs no optimisation pass: what stands here is what runs.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.emit.source import KernelSource, Workspace, header
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Expr
from tracea_core.semantic.index import Const, ceil_div
from tracea_core.semantic.index import text as index_text
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Role, SemanticKernel, Space
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.peel import expand
from tracea_core.semantic.steps import (
    Barrier,
    Compute,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Store,
)
from tracea_core.semantic.steps import (
    Scope as BarrierScope,
)
from tracea_core.semantic.verify.certificate import Certificate

from tracea_cpu.compile import host_triple
from tracea_cpu.emit.fragments import elements, matching, register_by_column, register_by_row
from tracea_cpu.emit.indexing import IndexPrinter, Lanes, Scope, Table
from tracea_cpu.emit.memory import MemoryPrinter
from tracea_cpu.emit.text import ELEMENT, FunctionText, mangled, vector
from tracea_cpu.emit.values import ValuePrinter
from tracea_cpu.pool_text import barrier_text

_WORD = 8
_BYTES_ALIGNED = 64


def emit_contraction(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` printed as LLVM IR.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the kernel holds a step that a CPU cannot express.
    """
    certificate.require(kernel)
    printer = KernelPrinter(kernel)
    return KernelSource(
        language="llvm-ir",
        arch=kernel.arch,
        entry=kernel.name,
        text=printer.text(header(kernel, certificate)),
        parameters=kernel.parameters,
        symbols=kernel.symbols,
        workspaces=tuple(workspace(buffer) for buffer in kernel.buffers),
        launch=kernel.launch,
        kernel_digest=kernel.digest(),
        certificate=certificate.digest(),
    )


def workspace(buffer: Buffer) -> Workspace:
    """Return the memory that a buffer needs."""
    repetitions = Const(1) if buffer.extent is None else buffer.extent
    size = repetitions * (buffer.layout.size * buffer.slots * buffer.dtype.bytes)
    rounded = ceil_div(size, _BYTES_ALIGNED) * _BYTES_ALIGNED
    return Workspace(buffer.name, rounded, buffer.space is Space.PANEL, buffer.alignment)


class KernelPrinter:
    """One kernel being printed."""

    def __init__(self, kernel: SemanticKernel) -> None:
        if len(kernel.roles) != 1 or kernel.roles[0].actor is not Actor.WORKER:
            raise EmitError("a CPU kernel has one role, the worker", roles=[role.name for role in kernel.roles])
        self.kernel = kernel
        self.role: Role = kernel.roles[0]
        self.f = FunctionText()
        self.index = IndexPrinter(self.f, self.role.lanes)
        self.values = ValuePrinter(self.f, self.role.lanes)
        self.memory = MemoryPrinter(kernel, self.role, self.f, self.index)
        self.registers: dict[str, list[str]] = {}
        self.uses_barrier = False

    def text(self, head: str) -> str:
        """Return the module's text."""
        scope = Scope()
        body = self.f.writer
        with body.indented():
            self._arguments(scope)
            self._body(self.role.body, scope)
            self.f.line("ret void")
        function = body.text()
        libraries = self.values.libraries()
        declarations = set(self.f.declarations)
        for library in libraries:
            declarations |= library.declarations()
        parts = ["\n".join(f"; {line}" for line in head.split("\n"))]
        if self.uses_barrier:
            parts.append(barrier_text(host_triple()).strip())
        if declarations:
            parts.append("\n".join(sorted(declarations)))
        parts += [library.functions() for library in libraries if library.functions()]
        opening = f"define void @{self.kernel.name}(ptr %arguments, i64 %worker, i64 %workers) nounwind {{\nentry:"
        parts.append(f"{opening}\n{function}}}")
        return "\n\n".join(parts) + "\n"

    def _arguments(self, scope: Scope) -> None:
        """Read the argument block: pointers, symbols, the barrier, workspaces."""
        scope.names["worker"], scope.names["workers"] = Lanes("%worker"), Lanes("%workers")
        for name in ("worker", "workers", "arguments"):
            self.f.name(name)
        position = 0

        def word(name: str, kind: str) -> str:
            nonlocal position
            place = self.f.let(f"{name}_word", f"getelementptr i8, ptr %arguments, i64 {position}")
            position += _WORD
            return self.f.let(name, f"load {kind}, ptr {place}, align 8")

        for parameter in self.kernel.parameters:
            self.f.comment(
                f"{parameter.name}: {parameter.dtype.value}, {parameter.direction.value}, aligned to {parameter.alignment}"
            )
            self.memory.pointers[parameter.name] = word(parameter.name, "ptr")
        for symbol in self.kernel.symbols:
            if symbol.meaning:
                self.f.comment(f"{symbol.name}: {symbol.meaning}")
            scope.names[symbol.name] = Lanes(word(symbol.name, "i64"))
        self.barrier = word("barrier", "ptr")
        for buffer in self.kernel.buffers:
            self.f.comment(
                f"{buffer.name}: {buffer.space.value}, {buffer.dtype.value}, {buffer.layout}, kept for one {buffer.lifetime.value}"
            )
            base = word(f"{buffer.name}_memory", "ptr")
            if buffer.space is Space.PANEL:
                size = self.index.value(workspace(buffer).bytes, scope).text
                own = self.f.let(f"{buffer.name}_place", f"mul i64 %worker, {size}")
                base = self.f.let(buffer.name, f"getelementptr i8, ptr {base}, i64 {own}")
            self.memory.buffers[buffer.name] = base

    # ---- control

    def _body(self, nodes: tuple[Node, ...], scope: Scope) -> None:
        for node in nodes:
            if isinstance(node, Let):
                self._let(node, scope)
            elif isinstance(node, Loop):
                plain = expand(node)
                if plain == (node,):
                    self._loop(node, scope)
                else:
                    self._body(plain, scope)
            elif isinstance(node, If):
                self._if(node, scope)
            else:
                self._step(node, scope)

    def _let(self, let: Let, scope: Scope) -> None:
        self.f.comment(
            f"{let.name} = {index_text(let.value)}" + (f", for each element of {let.fragment}" if let.fragment else "")
        )
        if let.fragment is None:
            value = self.index.value(let.value, scope)
            scope.names[let.name] = self._named(let.name, value)
            return
        layout = self.role.fragment(let.fragment).layout
        places = [self.index.place(layout, register) for register in range(layout.registers)]
        scope.names[let.name] = Table(layout, tuple(self.index.value(let.value, scope, place) for place in places))

    def _named(self, name: str, value: Lanes) -> Lanes:
        """Give a computed value the name that the schedule gives it, where it has only a working name."""
        if not value.text.startswith("%"):
            return value
        return Lanes(self.f.let(name, f"add i64 {value.text}, 0"))

    def _loop(self, loop: Loop, scope: Scope) -> None:
        start, stop = (self.index.value(bound, scope).text for bound in (loop.start, loop.stop))
        spelled = f"{loop.var} from {index_text(loop.start)} to {index_text(loop.stop)}"
        self.f.comment(f"for {spelled}" + (f" by {loop.step}" if loop.step > 1 else ""))
        if loop.unroll == 1:
            self._rounds(loop, scope, start, stop, 1)
            return
        if loop.step != 1:
            raise EmitError("only loops with step 1 are unrolled", loop=loop.var)
        length = self.f.let(f"{loop.var}_length", f"sub i64 {stop}, {start}")
        rest = self.f.let(f"{loop.var}_rest", f"srem i64 {length}, {loop.unroll}")
        whole = self.f.let(f"{loop.var}_whole", f"sub i64 {stop}, {rest}")
        self._rounds(loop, scope, start, whole, loop.unroll)
        self.f.comment(f"the last rounds of {loop.var}")
        self._rounds(loop, scope, whole, stop, 1)

    def _rounds(self, loop: Loop, scope: Scope, start: str, stop: str, copies: int) -> None:
        """One loop, tested at the bottom; each pass runs `copies` bodies."""
        carried = [name for name in self._assigned(loop.body) if name in self.registers]
        before = {name: list(self.registers[name]) for name in carried}
        known = set(self.registers)
        body, done = self.f.label(f"{loop.var}.loop"), self.f.label(f"{loop.var}.done")
        entered = self.f.block
        enters = self.f.let(f"{loop.var}.any", f"icmp slt i64 {start}, {stop}")
        self.f.branch(enters, body, done)
        self.f.start(body)
        mark = self.f.writer.mark()
        variable = self.f.name(loop.var)
        phis = {
            name: [self.f.name(value[1:].split(".")[0] if value.startswith("%") else name) for value in before[name]]
            for name in carried
        }
        for name in carried:
            self.registers[name] = list(phis[name])
        position = variable
        for copy in range(copies):
            inner = Scope(scope)
            inner.names[loop.var] = Lanes(position)
            self._body(loop.body, inner)
            position = self.f.let(f"{loop.var}.next", f"add i64 {position}, {loop.step}")
        latch = self.f.block
        lines = [f"{variable} = phi i64 [ {start}, %{entered} ], [ {position}, %{latch} ]"]
        for name in carried:
            kind = self._type(name)
            for phi, old, new in zip(phis[name], before[name], self.registers[name], strict=True):
                lines.append(f"{phi} = phi {kind} [ {old}, %{entered} ], [ {new}, %{latch} ]")
        self.f.writer.insert(mark, lines)
        again = self.f.let(f"{loop.var}.more", f"icmp slt i64 {position}, {stop}")
        self.f.branch(again, body, done)
        self.f.start(done)
        for name in carried:
            self.registers[name] = self._merge(name, before[name], entered, self.registers[name], latch)
        for name in set(self.registers) - known:
            del self.registers[name]

    def _if(self, node: If, scope: Scope) -> None:
        self.f.comment("if " + " and ".join(index_text(test) for test in node.guard))
        condition = self.index.all_of(node.guard, scope)
        then, otherwise, done = self.f.label("inside"), self.f.label("edge"), self.f.label("joined")
        self.f.branch(condition, then, otherwise)
        before = {name: list(values) for name, values in self.registers.items()}
        ends: list[tuple[str, dict[str, list[str]]]] = []
        for label, body in ((then, node.then), (otherwise, node.otherwise)):
            self.registers = {name: list(values) for name, values in before.items()}
            self.f.start(label)
            self._body(body, Scope(scope))
            ends.append((self.f.block, self.registers))
            self.f.jump(done)
        self.f.start(done)
        (first, in_first), (second, in_second) = ends
        self.registers = {name: self._merge(name, in_first[name], first, in_second[name], second) for name in before}

    def _merge(self, name: str, one: list[str], one_from: str, two: list[str], two_from: str) -> list[str]:
        """Return registers that hold `one` or `two`, depending on the block control came from."""
        kind, merged = self._type(name), []
        for a, b in zip(one, two, strict=True):
            if a == b:
                merged.append(a)
            else:
                wish = b[1:].split(".")[0] if b.startswith("%") else name
                merged.append(self.f.let(wish, f"phi {kind} [ {a}, %{one_from} ], [ {b}, %{two_from} ]"))
        return merged

    def _assigned(self, nodes: tuple[Node, ...]) -> list[str]:
        """Names of the fragments that these nodes change, in order."""
        names: dict[str, None] = {}
        for node in nodes:
            if isinstance(node, Loop):
                names |= dict.fromkeys(self._assigned(node.body))
            elif isinstance(node, If):
                names |= dict.fromkeys([*self._assigned(node.then), *self._assigned(node.otherwise)])
            elif isinstance(node, Fill | Load):
                names[node.fragment] = None
            elif isinstance(node, Mma):
                names[node.accumulator] = None
            elif isinstance(node, Compute):
                names[node.target] = None
        return list(names)

    def _type(self, name: str) -> str:
        return vector(self.role.lanes, ELEMENT[self.role.fragment(name).dtype])

    # ---- steps

    def _step(self, step: Node, scope: Scope) -> None:
        if isinstance(step, Fill):
            fragment = self.role.fragment(step.fragment)
            constant = self.values.splat(step.value, fragment.dtype)
            self.registers[step.fragment] = [constant] * fragment.layout.registers
        elif isinstance(step, Load):
            self.registers[step.fragment] = self.memory.load(step, scope)
        elif isinstance(step, Store):
            self.memory.store(step, scope, self._held(step.fragment))
        elif isinstance(step, Mma):
            self._mma(step)
        elif isinstance(step, Compute):
            self._compute(step)
        elif isinstance(step, SchedulingFence):
            self.f.line('call void asm sideeffect "", "~{memory}"()')
        elif isinstance(step, Barrier) and step.scope is BarrierScope.WORKERS:
            self.uses_barrier = True
            self.f.comment(f"all workers meet: {step.name}")
            self.f.line(f"call void @tracea_barrier(ptr {self.barrier}, i64 %workers)")
        else:
            raise EmitError(f"a CPU has no {type(step).__name__}", role=self.role.name)

    def _held(self, name: str) -> list[str]:
        if name not in self.registers:
            raise EmitError(f"the fragment {name!r} holds nothing here", role=self.role.name)
        return self.registers[name]

    def _mma(self, step: Mma) -> None:
        """One fused multiply-add for each accumulator register, with the row's broadcast and the vector's lanes."""
        lanes = instruction(step.instruction)
        if not step.instruction.startswith("fma_outer_") or lanes.k != 1 or lanes.a is None or lanes.b is None:
            raise EmitError(f"a CPU has no instruction {step.instruction}")
        dtype = self.role.fragment(step.accumulator).dtype
        kind = vector(self.role.lanes, ELEMENT[dtype])
        a, b, c = self._held(step.a), self._held(step.b), list(self._held(step.accumulator))
        rows, columns = elements(lanes.c)
        row_of, column_of = register_by_row(lanes.a), register_by_column(lanes.b)
        for register in range(lanes.c.registers):
            row, column = int(rows[0, register]), int(columns[0, register])
            left, right = a[row_of[row]], b[column_of[column]]
            wish = f"{step.accumulator}_{row}_{column // lanes.lanes}"
            if dtype.is_float:
                call = self.f.intrinsic(
                    f"fma.{mangled(self.role.lanes, ELEMENT[dtype])}",
                    kind,
                    (kind, left),
                    (kind, right),
                    (kind, c[register]),
                )
                c[register] = self.f.let(wish, call)
            else:
                product = self.f.let("product", f"mul {kind} {left}, {right}")
                c[register] = self.f.let(wish, f"add {kind} {c[register]}, {product}")
        self.registers[step.accumulator] = c

    def _compute(self, step: Compute) -> None:
        target = self.role.fragment(step.target)
        accumulators = [self._reader(name, target, step) for name in step.accumulators]
        operands = [self._reader(name, target, step) for name in step.operands]
        results = []
        for register in range(target.layout.registers):

            def leaf(node: Expr, register: int = register) -> str:
                if isinstance(node, Accumulator):
                    return accumulators[node.index](register)
                return operands[node.slot](register)  # type: ignore[union-attr]

            value = self.values.expression(step.expr, step.dtype, leaf)
            results.append(self.values.convert(value, step.dtype, target.dtype))
        self.registers[step.target] = results

    def _reader(self, name: str, target: Fragment, step: Compute) -> Callable[[int], str]:
        """Return what gives the operand's value for a register of the target, broadcast and converted."""
        source = self.role.fragment(name)
        held = self._held(name)
        where = matching(source.layout, target.layout)
        done: dict[int, str] = {}

        def read(register: int) -> str:
            place = where[register]
            if place not in done:
                done[place] = self.values.convert(held[place], source.dtype, step.dtype)
            return done[place]

        return read
