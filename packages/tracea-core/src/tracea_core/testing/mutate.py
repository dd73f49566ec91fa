# SPDX-License-Identifier: MIT
"""Small changes to a semantic kernel, one node each: what a faithful emitter cannot fail to print.

An emitter that ignores a field has decided something itself, and its text no longer says what was certified. Changing one field
at a time finds it. Hints that change speed and never meaning are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from tracea_core.data import Data
from tracea_core.errors import TraceaError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Cast, Compare, Constant, Operand, Select, Unary
from tracea_core.semantic.index import Const, IndexOp, Sym, Test
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import If, Load, Loop, Mma, Node, SchedulingFence, Staged, Store, Transfer

_EXPRESSIONS = (Accumulator, Binary, Cast, Compare, Constant, Operand, Select, Unary)
_BODIES = frozenset({"body", "then", "otherwise"})
_DIGITS = re.compile(r"\d+")
Change: TypeAlias = tuple[str, Any]


def mutants(kernel: SemanticKernel, limit: int) -> tuple[tuple[str, SemanticKernel], ...]:
    """Return up to `limit` kernels that differ from `kernel` in one place, spread evenly over it, each with what was changed.

    Of those that differ alike, numbers aside, three are left: unrolled kernels repeat one node a hundred times.
    """
    found = list(_mutants(kernel))
    step = max(1, -(-len(found) // limit))
    return tuple(_few_alike(found[::step]))


def _few_alike(found: list[tuple[str, SemanticKernel]]) -> Iterator[tuple[str, SemanticKernel]]:
    """Yield the first, middle and last of every kind of change, in their order."""
    alike: dict[str, list[int]] = {}
    for place, (words, _) in enumerate(found):
        alike.setdefault(_DIGITS.sub("#", words), []).append(place)
    kept = {places[at] for places in alike.values() for at in (0, len(places) // 2, -1)}
    return (one for place, one in enumerate(found) if place in kept)


def _mutants(kernel: SemanticKernel) -> Iterator[tuple[str, SemanticKernel]]:
    for place, role in enumerate(kernel.roles):
        for words, body in _bodies(role.body):
            yield words, _with(kernel, "roles", place, role.replace(body=body))
    for place, buffer in enumerate(kernel.buffers):
        if buffer.extent is not None:
            changed = buffer.replace(extent=buffer.extent + 1)
            yield f"{buffer.name}: extent one larger", _with(kernel, "buffers", place, changed)


def _with(kernel: SemanticKernel, field: str, place: int, item: Data) -> SemanticKernel:
    items = getattr(kernel, field)
    return kernel.replace(**{field: (*items[:place], item, *items[place + 1 :])})


def _bodies(nodes: tuple[Node, ...]) -> Iterator[tuple[str, tuple[Node, ...]]]:
    for place, node in enumerate(nodes):
        before, after = nodes[:place], nodes[place + 1 :]
        for words, changed in _nodes(node):
            yield words, (*before, *changed, *after)
        fields = ("then", "otherwise") if isinstance(node, If) else ("body",) if isinstance(node, Loop | Staged) else ()
        for field in fields:
            for words, body in _bodies(getattr(node, field)):
                yield words, (*before, node.replace(**{field: body}), *after)


def _nodes(node: Node) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """What one node may become: nothing, or itself with one field changed."""
    if isinstance(node, SchedulingFence):
        return
    name = _label(node)
    yield f"{name} left out", ()
    if isinstance(node, Mma) and node.a != node.b:
        yield f"{name}: factors exchanged", (node.replace(a=node.b, b=node.a),)
    if isinstance(node, Load | Store) and node.transfer is Transfer.VECTOR:
        yield f"{name}: broadcast instead of a vector", (node.replace(transfer=Transfer.BROADCAST),)
    for words, changed in _changes(node):
        yield f"{name}: {words}", (changed,)


def _label(node: Node) -> str:
    subject = next((getattr(node, f) for f in ("name", "var", "fragment", "target", "ring") if hasattr(node, f)), "")
    return f"{type(node).__name__} {subject}".strip() if isinstance(subject, str) else type(node).__name__


def _changes(value: Data) -> Iterator[Change]:
    """Yield (words, copy of `value` with one number, expression or test changed)."""
    for field in value.__struct_fields__:
        if field in _BODIES or (field == "fill" and not getattr(value, "guard", ())):
            continue  # what unguarded elements would be filled with has no meaning
        for words, changed in _field(getattr(value, field)):
            try:
                yield f"{field}{words}", value.replace(**{field: changed})
            except TraceaError:
                continue  # the data itself excludes it


def _field(old: Any) -> Iterator[Change]:
    if isinstance(old, bool) or old is None:
        return
    if isinstance(old, float) and old + 1 == old:
        yield " / 2", old / 2
    elif isinstance(old, int | float | Const | Sym | IndexOp):
        yield " + 1", old + 1
    elif isinstance(old, _EXPRESSIONS):
        yield " + 1", Binary(BinaryFn.ADD, old, Constant(1.0))
    elif isinstance(old, tuple):
        for place, item in enumerate(old):
            if isinstance(item, Test):
                yield f" without {place}", (*old[:place], *old[place + 1 :])
            else:
                for words, changed in _field(item):
                    yield f"[{place}]{words}", (*old[:place], changed, *old[place + 1 :])
    elif isinstance(old, Data):
        for words, changed in _changes(old):
            yield f".{words}", changed
