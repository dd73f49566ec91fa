# SPDX-License-Identifier: MIT
"""How many clocks the synchronous steps of a role take under a pace, and which steps concern nobody else."""

from __future__ import annotations

from collections import defaultdict

from tracea_core.ops.expr import walk as walk_expr
from tracea_core.semantic.index import Value, evaluate, holds
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.peel import offsets
from tracea_core.semantic.steps import (
    Access,
    Acquire,
    Advance,
    AsyncCopy,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Barrier,
    BufferRef,
    Commit,
    Compute,
    Expect,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    Release,
    Store,
    Transfer,
    Wait,
)
from tracea_core.semantic.timeline import Pace, SpanKind

_SHARED = (
    Barrier
    | Acquire
    | Expect
    | Release
    | Advance
    | Skip
    | Await
    | Signal
    | AsyncLoad
    | AsyncCopy
    | AsyncMma
    | Commit
    | Wait
    | AsyncStore
)
"""Steps that others take part in: engines, other roles, other threads."""


def own_work(pace: Pace, role: Role, nodes: tuple[Node, ...], scope: dict[str, Value]) -> dict[SpanKind, float] | None:
    """The clocks of nodes that nobody else sees, an inner loop taken as often as its first iteration; else None."""
    total: dict[SpanKind, float] = defaultdict(float)
    scope = dict(scope)
    for node in nodes:
        if isinstance(node, Loop):
            if offsets(node) != (0, 0) or any(isinstance(inner, Let) and not inner.fragment for inner in node.body):
                return None
            start, stop = int(evaluate(node.start, scope)), int(evaluate(node.stop, scope))
            inner = own_work(pace, role, node.body, {**scope, node.var: start})
            if inner is None:
                return None
            for kind, clocks in inner.items():
                total[kind] += clocks * max(0, -(-(stop - start) // node.step))
        elif isinstance(node, If):
            branch = node.then if bool(holds(node.guard, scope)) else node.otherwise
            chosen = own_work(pace, role, branch, scope)
            if chosen is None:
                return None
            for kind, clocks in chosen.items():
                total[kind] += clocks
        elif isinstance(node, Let):
            if node.fragment is None:
                scope[node.name] = int(evaluate(node.value, scope))
        else:
            single = cost(pace, role, node)
            if single is None:
                return None
            total[single[0]] += single[1]
    return total


def cost(pace: Pace, role: Role, step: Node) -> tuple[SpanKind, float] | None:
    """Kind and clocks of a synchronous step; None for one that others take part in."""
    if isinstance(step, Mma):
        shape = instruction(step.instruction)
        return SpanKind.MULTIPLY, share(role) * shape.m * shape.n * shape.k / pace.multiplies
    if isinstance(step, Load) and role.actor is not Actor.WORKER and isinstance(step.source, Access):
        return None  # a load from global memory arrives while the role goes on
    if isinstance(step, Load | Store):
        fragment = role.fragment(step.fragment)
        lanes = 1 if step.transfer is Transfer.BROADCAST else fragment.layout.lanes
        size = fragment.layout.registers * lanes * fragment.dtype.bytes
        kind = SpanKind.MOVE if isinstance(step, Load) or isinstance(step.target, BufferRef) else SpanKind.STORE
        return kind, share(role) * size / pace.move_bytes
    if isinstance(step, Compute):
        layout = role.fragment(step.target).layout
        return SpanKind.COMPUTE, share(role) * layout.lanes * layout.registers * operations(step) / pace.arithmetic
    if isinstance(step, _SHARED):
        return None
    return SpanKind.COMPUTE, 1.0 if isinstance(step, Fill) else 0.0


def runs_in_blocks(kernel: SemanticKernel) -> bool:
    """Whether a kernel is a GPU's: it has blocks of threads, not workers."""
    return all(role.actor is not Actor.WORKER for role in kernel.roles)


def share(role: Role) -> float:
    """Return by how much a role instance is slower than the whole processor: a warp has one of four quarters of it."""
    return float(max(4, role.instances)) if role.actor is Actor.WARP else 1.0


def reads(step: Node) -> tuple[str, ...]:
    """Return the fragments whose registers a step needs."""
    if isinstance(step, Store):
        return (step.fragment,)
    if isinstance(step, Compute):
        return step.accumulators + step.operands
    return (step.accumulator, step.a, step.b) if isinstance(step, Mma) else ()


def fragment_bytes(role: Role, name: str) -> int:
    """Return the bytes of a fragment, all lanes together."""
    fragment = role.fragment(name)
    return fragment.layout.registers * fragment.layout.lanes * fragment.dtype.bytes


def operations(step: Compute) -> int:
    """Return the nodes of the step's expression: what one element costs."""
    return sum(1 for _ in walk_expr(step.expr))


def main_kind(work: dict[SpanKind, float]) -> SpanKind:
    """What a stretch of work is for: multiplying if it multiplies at all, else whatever takes longest."""
    if work.get(SpanKind.MULTIPLY):
        return SpanKind.MULTIPLY
    return max(work, key=lambda kind: work[kind], default=SpanKind.COMPUTE)
