# SPDX-License-Identifier: MIT
"""How many clocks the synchronous steps of a role take under a pace, and which steps concern nobody else."""

from __future__ import annotations

from collections import defaultdict

from tracea_core.ops.expr import walk as walk_expr
from tracea_core.semantic.index import Value, evaluate, holds
from tracea_core.semantic.kernel import Role, SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.peel import offsets
from tracea_core.semantic.steps import (
    Acquire,
    Advance,
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
    Staged,
    Store,
    Transfer,
    Wait,
)
from tracea_core.semantic.timeline import Pace, SpanKind


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
        return SpanKind.MULTIPLY, shape.m * shape.n * shape.k / pace.multiplies
    if isinstance(step, Load | Store):
        fragment = role.fragment(step.fragment)
        lanes = 1 if step.transfer is Transfer.BROADCAST else fragment.layout.lanes
        size = fragment.layout.registers * lanes * fragment.dtype.bytes
        kind = SpanKind.MOVE if isinstance(step, Load) or isinstance(step.target, BufferRef) else SpanKind.STORE
        return kind, size / pace.move_bytes
    if isinstance(step, Compute):
        layout = role.fragment(step.target).layout
        return SpanKind.COMPUTE, layout.lanes * layout.registers * operations(step) / pace.arithmetic
    if isinstance(
        step, Barrier | Acquire | Expect | Release | Advance | AsyncLoad | AsyncMma | Commit | Wait | AsyncStore
    ):
        return None
    return SpanKind.COMPUTE, 1.0 if isinstance(step, Fill) else 0.0


def is_pipelined(kernel: SemanticKernel) -> bool:
    """Whether a kernel overlaps steps: it has rings, or a loop with staged steps."""
    return bool(kernel.rings) or any(isinstance(node, Staged) for role in kernel.roles for node in walk(role.body))


def operations(step: Compute) -> int:
    """Return the nodes of the step's expression: what one element costs."""
    return sum(1 for _ in walk_expr(step.expr))


def main_kind(work: dict[SpanKind, float]) -> SpanKind:
    """What a stretch of work is for: multiplying if it multiplies at all, else whatever takes longest."""
    if work.get(SpanKind.MULTIPLY):
        return SpanKind.MULTIPLY
    return max(work, key=lambda kind: work[kind], default=SpanKind.COMPUTE)
