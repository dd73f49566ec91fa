# SPDX-License-Identifier: MIT
"""A semantic kernel as people read it: declarations, then each role's program, one line for each node."""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.ops.printing import text as expression_text
from tracea_core.semantic.index import Guard, text
from tracea_core.semantic.kernel import Overlap, SemanticKernel
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask, Prefetch
from tracea_core.semantic.steps import (
    Access,
    AccumulatorFence,
    Acquire,
    Advance,
    AsyncCopy,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Barrier,
    Box,
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
    SharedOperand,
    Staged,
    Store,
    Turn,
    Wait,
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
    if launch.early:
        when = "ends after it" if launch.overlap is Overlap.BESIDE else "waits for all that it wrote"
        yield f"    begins while the kernel before it ends, and {when}"
    if launch.leads:
        yield "    lets the next kernel begin once all blocks have"


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
    """Return the line of a node that holds no others."""
    if isinstance(node, Let | Fill | Load | Store | Mma | Compute | Extract | Turn):
        return _register_step(node)
    if isinstance(node, AsyncCopy | AsyncLoad | AsyncStore | AsyncMma):
        return _asynchronous_step(node)
    if isinstance(node, Acquire | Expect | Release | Advance | Skip):
        return _ring_step(node)
    if isinstance(node, Fetch):
        return f"fetch {_box(node.source)} into the cache"
    if isinstance(node, Await):
        return f"await the {node.token}, {node.threads} threads"
    if isinstance(node, Signal):
        return f"signal the {node.token} of instance {text(node.target)}, {node.threads} threads"
    if isinstance(node, Fold | Mask | Count | Join | Prefetch):
        return _row_step(node)
    if isinstance(node, Barrier):
        return f"barrier {node.name} of the {node.scope.value}"
    if isinstance(node, Commit):
        return f"commit {node.kind.value} group"
    if isinstance(node, Wait):
        return f"wait until at most {node.pending} {node.kind.value} groups run"
    if isinstance(node, AccumulatorFence):
        return f"fence accumulator {node.fragment}"
    return (
        "fence shared memory for the copy engine" if isinstance(node, ProxyFence) else "fence the compiler's scheduling"
    )


def _moved(node: Load | Store) -> str:
    return node.transfer.value + (f", runs of {node.width}" if node.width > 1 else "")


def _register_step(node: Let | Fill | Load | Store | Mma | Compute | Extract | Turn) -> str:
    if isinstance(node, Let):
        each = f" for each element of {node.fragment}" if node.fragment else ""
        return f"let {node.name} = {text(node.value)}{each}"
    if isinstance(node, Fill):
        return f"{node.fragment} <- {node.value:g}"
    if isinstance(node, Load):
        masked = f" where {_guard(node.guard)}, else {node.fill:g}" if node.guard else ""
        return f"{node.fragment} <- {_place(node.source)} ({_moved(node)}){masked}"
    if isinstance(node, Store):
        masked = f" where {_guard(node.guard)}" if node.guard else ""
        return f"{_place(node.target)} <- {node.fragment} ({_moved(node)}){masked}"
    if isinstance(node, Mma):
        return f"{node.accumulator} += {node.a} * {node.b} ({node.instruction})"
    if isinstance(node, Extract):
        every = f", every {node.apart} columns" if node.apart != 1 else ""
        return f"{node.target} = part of {node.source} from ({text(node.row)}, {text(node.column)}){every}"
    if isinstance(node, Turn):
        return f"{node.target} <- {node.source}, lanes along the other axis"
    names = {"accumulators": ", ".join(node.accumulators), "operands": ", ".join(node.operands)}
    given = "; ".join(f"{name} {value}" for name, value in names.items() if value)
    form = "" if isinstance(node.approximate, bool) else f", evaluated as {expression_text(node.approximate)}"
    fast = "approximate " if node.approximate else ""
    return f"{node.target} <- {expression_text(node.expr)} in {fast}{node.dtype.value} ({given}){form}"


def _row_step(node: Fold | Mask | Count | Join | Prefetch) -> str:
    if isinstance(node, Fold):
        chains = f", in {node.chains} chains" if node.chains else ""
        return f"{node.target} <- {node.fn.value} over the columns of {node.source}{chains}"
    if isinstance(node, Mask):
        return f"{node.fragment} <- {node.value:g} unless {_guard(node.guard)}"
    if isinstance(node, Count):
        return f"{node.fragment} <- {text(node.value)}"
    if isinstance(node, Join):
        return f"{node.target} <- {' | '.join(node.sources)}"
    return f"prefetch {'to write ' * node.write}{node.operand}[{text(node.offset)}] into cache level {node.level}"


def _asynchronous_step(node: AsyncCopy | AsyncLoad | AsyncStore | AsyncMma) -> str:
    if isinstance(node, AsyncCopy):
        where = f" where {_guard(node.guard)}, else 0" if node.guard else ""
        return f"start {_place(node.target)} <- {_place(node.source)} by lanes of {node.fragment}, runs of {node.width}{where}"
    if isinstance(node, AsyncMma):
        first = f", overwriting unless {_guard(node.accumulate)}" if node.accumulate else ""
        a = f"{node.a.fragment}[:, {node.a.column}..]" if isinstance(node.a, HeldOperand) else _shared(node.a)
        return f"start {node.accumulator} += {a} * {_shared(node.b)} ({node.instruction}{first})"
    if isinstance(node, AsyncStore):
        return f"start {_box(node.target)} <- {_place(node.source)} ({node.kind.value})"
    cast = node.multicast
    group = f", to {cast.count} blocks {cast.stride} apart" if cast is not None else ""
    return f"start {_place(node.target)} <- {_box(node.source)} ({node.kind.value}, counted by {node.ring}{group})"


def _ring_step(node: Acquire | Expect | Release | Advance | Skip) -> str:
    if isinstance(node, Acquire):
        return f"acquire {node.ring}: wait until its slot is {node.side.value}"
    if isinstance(node, Expect):
        return f"expect {node.bytes} bytes in {node.ring}"
    if isinstance(node, Release):
        return (
            f"release {node.ring}"
            + (" by warps" if node.for_warps else "")
            + (f", {node.lag} slots behind" if node.lag else "")
        )
    return f"skip {text(node.count)} slots of {node.ring}" if isinstance(node, Skip) else f"advance {node.ring}"


def _place(place: Access | BufferRef) -> str:
    if isinstance(place, Access):
        return f"{place.operand}[{text(place.offset)}]"
    slot = f" slot {text(place.slot)}" if place.slot is not None else ""
    return f"{place.buffer}[{', '.join(text(c) for c in place.coordinates)}]{slot}"


def _box(box: Box) -> str:
    origin = ", ".join(text(coordinate) for coordinate in box.origin)
    swizzle = f" swizzle {box.swizzle_bytes}" if box.swizzle_bytes else ""
    once = "" if box.once is None else f", read once where {_guard(box.once)}"
    if box.pixels is not None:
        origin += f" + window {', '.join(text(part) for part in box.pixels.offset)}"
    return f"{box.operand}[{origin}; {'x'.join(map(str, box.shape))}{swizzle}{once}]"


def _shared(operand: SharedOperand) -> str:
    place = _place(BufferRef(operand.buffer, operand.coordinates, operand.slot))
    steps = f"swizzle {operand.swizzle_bytes}, leading {operand.leading_bytes}, stride {operand.stride_bytes}"
    return f"{place}{'ᵀ' if operand.transposed else ''} {{{steps}}}"
