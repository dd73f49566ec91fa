# SPDX-License-Identifier: MIT
"""A semantic kernel as people read it: declarations, then each role's program, one line for each node."""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.ops.printing import text as expression_text
from tracea_core.semantic.index import Const, Guard, IndexOp, Sym, Test, text
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import (
    Access,
    Box,
    BufferRef,
    Compute,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SharedOperand,
    Staged,
    Store,
)


def show(kernel: SemanticKernel) -> str:
    """Return the whole kernel as text."""
    return "\n".join((*_declarations(kernel), *_roles(kernel)))


def _declarations(kernel: SemanticKernel) -> Iterator[str]:
    yield f"kernel {kernel.name}: {kernel.title}"
    yield f"  {kernel.variant} for {kernel.arch}, {kernel.configuration.describe()}"
    for parameter in kernel.parameters:
        direction = parameter.direction.value
        yield f"  pointer {parameter.name}: {parameter.dtype.value}, {direction}, aligned to {parameter.alignment}"
    yield "  symbols " + ", ".join(symbol.name for symbol in kernel.symbols)
    for buffer in kernel.buffers:
        times = f", {text(buffer.extent)} times" if buffer.extent is not None else ""
        slots = f", {buffer.slots} slots" if buffer.slots > 1 else ""
        kept = f", kept for one {buffer.lifetime.value}"
        yield f"  buffer {buffer.name}: {buffer.space.value} {buffer.dtype.value}, {buffer.layout}{times}{slots}{kept}"
    for ring in kernel.rings:
        yield f"  ring {ring.name}: {ring.slots} slots of {', '.join(ring.buffers)}; {ring.producer} -> {', '.join(ring.consumers)}"
        yield f"    {ring.transaction_bytes} bytes, {ring.full_arrivals} arrivals full, {ring.empty_arrivals} empty"
    launch = kernel.launch
    yield f"  launch {text(launch.blocks)} blocks of {launch.threads} threads"
    if launch.shared_bytes:
        yield f"    clusters of {launch.cluster}, {launch.shared_bytes} bytes of shared memory"


def _roles(kernel: SemanticKernel) -> Iterator[str]:
    for role in kernel.roles:
        count = f" x {role.instances}" if role.instances else ""
        registers = f", {role.registers} registers" if role.registers else ""
        elected = ", one elected thread" if role.elected else ""
        yield f"role {role.name}: {role.actor.value}{count}, {role.lanes} lanes{registers}{elected}"
        for fragment in role.fragments:
            rows, columns = fragment.layout.shape
            held = f"{fragment.layout.registers} registers a lane"
            yield f"  fragment {fragment.name}: {rows}x{columns} {fragment.dtype.value}, {held}"
        yield from (f"  {line}" for line in program(role.body))


def program(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Yield the lines of a body."""
    for node in nodes:
        if isinstance(node, Loop):
            unrolled = f", {node.unroll} at a time" if node.unroll > 1 else ""
            step = f" by {node.step}" if node.step > 1 else ""
            yield f"for {node.var} in [{text(node.start)}, {text(node.stop)}){step}{unrolled}:"
            yield from _inside(node.body)
        elif isinstance(node, Staged):
            yield f"{node.offset:+d} iterations:"
            yield from _inside(node.body)
        elif isinstance(node, If):
            yield f"if {_guard(node.guard)}:"
            yield from _inside(node.then)
            if node.otherwise:
                yield "else:"
                yield from _inside(node.otherwise)
        else:
            yield _step(node)


def _inside(nodes: tuple[Node, ...]) -> Iterator[str]:
    return (f"  {line}" for line in program(nodes))


def _guard(guard: Guard) -> str:
    return " and ".join(text(test) for test in guard)


def _step(node: Node) -> str:
    if isinstance(node, Let):
        return f"let {node.name} = {text(node.value)}" + (
            f" for each element of {node.fragment}" if node.fragment else ""
        )
    if isinstance(node, Load):
        masked = f" where {_guard(node.guard)}, else {node.fill:g}" if node.guard else ""
        return f"{node.fragment} <- {_place(node.source)} ({node.transfer.value}){masked}"
    if isinstance(node, Store):
        masked = f" where {_guard(node.guard)}" if node.guard else ""
        return f"{_place(node.target)} <- {node.fragment} ({node.transfer.value}){masked}"
    if isinstance(node, Mma):
        return f"{node.accumulator} += {node.a} * {node.b} ({node.instruction})"
    if isinstance(node, Compute):
        names = {"accumulators": ", ".join(node.accumulators), "operands": ", ".join(node.operands)}
        given = "; ".join(f"{name} {value}" for name, value in names.items() if value)
        return f"{node.target} <- {expression_text(node.expr)} in {node.dtype.value} ({given})"
    parts = [f"{name}={_value(getattr(node, name))}" for name in node.__struct_fields__]
    return f"{type(node).__name__}({', '.join(parts)})"


def _place(place: Access | BufferRef) -> str:
    if isinstance(place, Access):
        return f"{place.operand}[{text(place.offset)}]"
    slot = f" slot {text(place.slot)}" if place.slot is not None else ""
    return f"{place.buffer}[{', '.join(text(c) for c in place.coordinates)}]{slot}"


def _value(value: object) -> str:
    if isinstance(value, Const | Sym | IndexOp | Test):
        return text(value)
    if isinstance(value, Access | BufferRef):
        return _place(value)
    if isinstance(value, Box):
        origin = ", ".join(text(coordinate) for coordinate in value.origin)
        return f"{value.operand}[{origin}; {'x'.join(map(str, value.shape))}]"
    if isinstance(value, SharedOperand):
        place = _place(BufferRef(value.buffer, value.coordinates, value.slot))
        turned = ", transposed" if value.transposed else ""
        return f"{place} (swizzle {value.swizzle_bytes}, leading {value.leading_bytes}, stride {value.stride_bytes}{turned})"
    if isinstance(value, tuple):
        return "(" + ", ".join(_value(item) for item in value) + ")"
    return str(getattr(value, "value", value))
