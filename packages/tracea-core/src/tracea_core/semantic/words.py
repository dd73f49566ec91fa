# SPDX-License-Identifier: MIT
"""Steps in words, for the comments of emitted text."""

from __future__ import annotations

from tracea_core.ops import printing
from tracea_core.semantic.index import Guard, text
from tracea_core.semantic.row_steps import Count, Fold, Mask, Prefetch
from tracea_core.semantic.steps import (
    Access,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fill,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Store,
    Turn,
)


def reference(place: Access | BufferRef) -> str:
    """Return an element's place as in ``out[row * out_row + column]``."""
    if isinstance(place, Access):
        return f"{place.operand}[{text(place.offset)}]"
    slot = "" if place.slot is None else f"{text(place.slot)}; "
    return f"{place.buffer}[{slot}{', '.join(text(c) for c in place.coordinates)}]"


def guard(tests: Guard) -> str:
    """Return a conjunction."""
    return " and ".join(text(test) for test in tests)


def loop(node: Loop) -> str:
    """Return the head of a loop."""
    words = f"for {node.var} from {text(node.start)} to {text(node.stop)}"
    words += f" by {node.step}" if node.step > 1 else ""
    return words + (f", {node.unroll} at a time" if node.unroll > 1 else "")


def step(node: Node) -> str:
    """Return what a step does."""
    if isinstance(node, Fill):
        return f"{node.fragment} = {node.value:g}"
    if isinstance(node, Load):
        where = f" where {guard(node.guard)}, else {node.fill:g}" if node.guard else ""
        return f"{node.fragment} = {reference(node.source)}, {node.transfer.value}{where}"
    if isinstance(node, Store):
        where = f" where {guard(node.guard)}" if node.guard else ""
        return f"{reference(node.target)} = {node.fragment}, {node.transfer.value}{where}"
    if isinstance(node, Mma):
        return f"{node.accumulator} += {node.a} * {node.b}, {node.instruction}"
    if isinstance(node, Compute):
        value = printing.text(node.expr, node.operands, node.accumulators)
        return f"{node.target} = {value}, in {node.dtype.value}"
    if isinstance(node, Extract):
        every = f", every {node.apart} columns" if node.apart != 1 else ""
        return f"{node.target} = the part of {node.source} at ({text(node.row)}, {text(node.column)}){every}"
    if isinstance(node, Turn):
        return f"{node.target} = {node.source}, lanes along the other axis"
    if isinstance(node, Fold):
        return f"{node.target} = {node.fn.value} over the columns of {node.source}"
    if isinstance(node, Mask):
        return f"{node.fragment} = {node.value:g} unless {guard(node.guard)}"
    if isinstance(node, Count):
        return f"{node.fragment} = {text(node.value)}"
    if isinstance(node, Prefetch):
        return f"{node.operand}[{text(node.offset)}] is {'written' if node.write else 'read'} soon, in cache level {node.level}"
    if isinstance(node, Barrier):
        return f"all {node.scope.value} meet: {node.name}"
    if isinstance(node, SchedulingFence):
        return "no memory access moves across this point"
    return type(node).__name__
