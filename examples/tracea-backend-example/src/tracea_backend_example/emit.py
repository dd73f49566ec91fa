# SPDX-License-Identifier: MIT
"""The emitter: one walk over a semantic kernel that spells every node as one bracketed line. It decides nothing.

The language in short: ``(let name value)``, ``(for var start stop step unroll …)``, ``(if (tests) (then …) (else …))``, and
instructions that move fragments of registers, ``(load.vector b (at panel k column) …)``. A fragment is declared with the row and the
column that each register of each lane holds, a buffer with the offset of each of its elements.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from tracea_core.emit.source import KernelSource, header
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Binary, Cast, Compare, Constant, Expr, Operand, Select, Unary, linearize
from tracea_core.semantic import steps
from tracea_core.semantic.index import Const, Guard, Index, Sym
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, SemanticKernel
from tracea_core.semantic.peel import expand
from tracea_core.semantic.verify.certificate import Certificate


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` as text.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the kernel holds what the machine does not have.
    """
    certificate.require(kernel)
    return KernelSource(
        language="example",
        arch=kernel.arch,
        entry=kernel.name,
        text=_text(kernel, header(kernel, certificate)),
        parameters=kernel.parameters,
        symbols=kernel.symbols,
        workspaces=(),  # the machine allocates the buffers that the text declares
        launch=kernel.launch,
        kernel_digest=kernel.digest(),
        certificate=certificate.digest(),
    )


def _text(kernel: SemanticKernel, head: str) -> str:
    if len(kernel.roles) != 1 or kernel.roles[0].actor is not Actor.WORKER or kernel.rings:
        raise EmitError("the machine has workers and nothing else", roles=[role.name for role in kernel.roles])
    writer = SourceWriter(comment=";")
    writer.comment(head)
    with _block(writer, f"kernel {kernel.name}"):
        for pointer in kernel.parameters:
            writer.line(f"(pointer {pointer.name} {pointer.dtype.value} {pointer.direction.value} {pointer.alignment})")
        for symbol in kernel.symbols:
            writer.line(f"(symbol {symbol.name} {symbol.minimum} {symbol.maximum} {symbol.multiple})")
        for buffer in kernel.buffers:
            writer.line(_buffer(buffer))
        for fragment in kernel.roles[0].fragments:
            writer.line(_fragment(fragment))
        with _block(writer, "body"):
            _body(writer, kernel.roles[0].body)
    return writer.text()


def _block(writer: SourceWriter, head: str) -> AbstractContextManager[None]:
    return writer.block(f"({head}", open_with="", close_with=")")


def _buffer(buffer: Buffer) -> str:
    extent = "1" if buffer.extent is None else _index(buffer.extent)
    shape, table = " ".join(map(str, buffer.layout.shape)), " ".join(str(x) for x in buffer.layout.offsets().ravel())
    repeats = "repeated" if buffer.extent is not None else "once"
    return (
        f"(buffer {buffer.name} {buffer.space.value} {buffer.dtype.value} {repeats} {extent} {buffer.slots} "
        f"{buffer.layout.size} (shape {shape}) (offsets {table}))"
    )


def _fragment(fragment: Fragment) -> str:
    rows, columns = fragment.layout.elements()
    held = [
        f"({word} {' '.join(str(x) for x in table.ravel())})" for word, table in (("rows", rows), ("columns", columns))
    ]
    shape = " ".join(map(str, (*fragment.layout.shape, *rows.shape)))
    return f"(fragment {fragment.name} {fragment.dtype.value} {shape} {' '.join(held)})"


def _body(writer: SourceWriter, nodes: tuple[steps.Node, ...]) -> None:
    for node in nodes:
        if isinstance(node, steps.Loop):
            plain = expand(node)  # pipelined loops become prologue, loop and drain
            if plain != (node,):
                _body(writer, plain)
                continue
            with _block(writer, f"for {node.var} {_index(node.start)} {_index(node.stop)} {node.step} {node.unroll}"):
                _body(writer, node.body)
        elif isinstance(node, steps.If):
            with _block(writer, f"if {_guard(node.guard)}"):
                for word, branch in (("then", node.then), ("else", node.otherwise)):
                    with _block(writer, word):
                        _body(writer, branch)
        elif not isinstance(
            node, steps.SchedulingFence
        ):  # a hint for compilers that move accesses; the machine moves none
            writer.line(_step(node))


def _step(node: steps.Node) -> str:
    if isinstance(node, steps.Load | steps.Store) and node.width != 1:
        raise EmitError("the machine moves elements one by one", width=node.width)
    if isinstance(node, steps.Compute) and node.approximate:
        raise EmitError("the machine's functions are exact")
    match node:
        case steps.Let(name, value, None):
            return f"(let {name} {_index(value)})"
        case steps.Let(name, value, fragment):
            return f"(table {name} {fragment} {_index(value)})"
        case steps.Fill(fragment, number):
            return f"(fill {fragment} {number!r})"
        case steps.Load():
            return (
                f"(load.{node.transfer.value} {node.fragment} {_place(node.source)} {_guard(node.guard)} {node.fill!r})"
            )
        case steps.Store():
            return f"(store.{node.transfer.value} {_place(node.target)} {node.fragment} {_guard(node.guard)})"
        case steps.Mma():
            return f"({node.instruction} {node.accumulator} {node.a} {node.b})"
        case steps.Compute():
            return f"(compute {node.target} {node.dtype.value} {_expression(node)})"
        case steps.Extract(target, source, row, column):
            return f"(part {target} {source} {_index(row)} {_index(column)})"
        case steps.Turn(target, source):
            return f"(turn {target} {source})"
        case steps.Barrier():
            return f"(meet {node.scope.value} {node.name})"
    raise EmitError(f"the machine has no {type(node).__name__}")


def _index(expr: Index) -> str:
    if isinstance(expr, Const):
        return str(expr.value)
    if isinstance(expr, Sym):
        return expr.name
    return f"({expr.fn.value} {_index(expr.left)} {_index(expr.right)})"


def _guard(tests: Guard) -> str:
    return f"({' '.join(f'({test.fn.value} {_index(test.left)} {_index(test.right)})' for test in tests)})"


def _place(place: steps.Access | steps.BufferRef) -> str:
    if isinstance(place, steps.Access):
        return f"(at {place.operand} {_index(place.offset)})"
    slot = "0" if place.slot is None else _index(place.slot)
    return f"(in {place.buffer} {slot} {' '.join(_index(c) for c in place.coordinates)})"


def _expression(node: steps.Compute) -> str:
    """Every operation once, in order; an operation names earlier ones by number."""
    return " ".join(_operation(node, expr, arguments) for expr, arguments in linearize(node.expr))


def _operation(node: steps.Compute, expr: Expr, arguments: tuple[int, ...]) -> str:
    places = " ".join(map(str, arguments))
    match expr:
        case Accumulator(index):
            return f"(fragment {node.accumulators[index]})"
        case Operand(slot):
            return f"(fragment {node.operands[slot]})"
        case Constant(value):
            return f"(number {value!r})"
        case Select():
            return f"(select {places})"
        case Cast():
            return f"(cast {places} {expr.dtype.value} {'saturate' if expr.saturate else 'overflow'})"
        case Unary() | Binary() | Compare():
            return f"({expr.fn.value} {places})"
    raise EmitError(f"the machine has no {type(expr).__name__}")
