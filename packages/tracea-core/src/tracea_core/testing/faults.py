# SPDX-License-Identifier: MIT
"""Faults planted by rule: every way in which one place of a semantic kernel can be wrong, generated from its data.

A verifier is as good as the faults it finds, and hand-picked faults are those somebody thought of. So they are derived
from the kernel itself: every step is dropped, doubled and exchanged with its neighbour; every number, expression, test, name
and mode in every field is changed to its neighbours; so is every declaration of a buffer, ring, role, fragment and launch.
`tracea_core.testing.survey` says of each whether certification refuses it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, TypeAlias

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import TraceaError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Call, Cast, Compare, Constant, Operand, Select, Unary
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, Test, TestFn
from tracea_core.semantic.kernel import Fragment, Role, SemanticKernel
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.steps import (
    Acquire,
    Advance,
    AsyncKind,
    Barrier,
    Commit,
    Compute,
    Expect,
    If,
    Let,
    Loop,
    Mma,
    Node,
    Release,
    SchedulingFence,
    Scope,
    Side,
    Staged,
    Transfer,
    Wait,
)

Change: TypeAlias = tuple[str, str, Any]
"""(kind, words, new value)."""

_EXPRESSIONS = (Accumulator, Binary, Call, Cast, Compare, Constant, Operand, Select, Unary)
_CONTROL = (Loop, Staged, If)
_KINDS = {
    "start": "bound", "stop": "bound", "step": "bound", "extent": "bound", "extents": "bound", "unroll": "bound",
    "strides": "stride", "leading_bytes": "stride", "stride_bytes": "stride", "swizzle_bytes": "swizzle",
    "origin": "address", "offset": "address", "coordinates": "address", "row": "address", "column": "address",
    "slot": "slot", "rank": "rank", "shape": "box", "guard": "guard", "accumulate": "guard", "expr": "epilogue",
    "fill": "fill", "value": "fill", "bytes": "count", "pending": "count", "lag": "count", "side": "parity",
    "kind": "mode", "scope": "mode", "transfer": "transfer", "width": "transfer", "dtype": "type", "multicast": "multicast",
    "transposed": "stride", "fragment": "register", "accumulator": "register", "accumulators": "register", "a": "register",
    "b": "register", "target": "register", "source": "register", "operands": "register", "threads": "turn",
}  # fmt: skip
_STEPS = {  # what the fields of a step are called in the table, where the step itself says it better
    Wait: "wait", Acquire: "wait", Barrier: "wait", Release: "release", Advance: "parity", Commit: "wait", Expect: "wait",
    Skip: "parity", Await: "turn", Signal: "turn",
}  # fmt: skip
_BY_16 = frozenset({"bytes", "leading_bytes", "stride_bytes"})
_DOUBLED = frozenset({"swizzle_bytes", "width", "unroll"})
_OPPOSITE = {
    IndexFn.ADD: IndexFn.SUB, IndexFn.SUB: IndexFn.ADD, IndexFn.MIN: IndexFn.MAX, IndexFn.MAX: IndexFn.MIN,
    IndexFn.FLOORDIV: IndexFn.MOD, IndexFn.MOD: IndexFn.FLOORDIV,
}  # fmt: skip
_WEAKER = {TestFn.LT: TestFn.LE, TestFn.LE: TestFn.LT, TestFn.EQ: TestFn.NE, TestFn.NE: TestFn.EQ}
_OTHER_EXPR = {BinaryFn.ADD: BinaryFn.SUB, BinaryFn.SUB: BinaryFn.ADD, BinaryFn.MUL: BinaryFn.ADD,
               BinaryFn.MAXIMUM: BinaryFn.MINIMUM, BinaryFn.MINIMUM: BinaryFn.MAXIMUM}  # fmt: skip
_SAME_SIZE = {DType.FP32: DType.INT32, DType.INT32: DType.FP32, DType.BF16: DType.FP16, DType.FP16: DType.BF16}
_MODES: dict[type[enum.Enum], tuple[enum.Enum, ...]] = {
    Side: tuple(Side), Transfer: tuple(Transfer), Scope: tuple(Scope), AsyncKind: tuple(AsyncKind)
}  # fmt: skip


class Fault(Data, frozen=True):
    """A kernel with one thing wrong: the kind of fault for a table, where and what, and the kernel."""

    kind: str
    words: str
    kernel: SemanticKernel


def faults(kernel: SemanticKernel) -> Iterator[Fault]:
    """Yield every fault that the rules derive from `kernel`, each once; kernels that the data itself excludes are left out."""
    seen = {kernel.digest()}
    for kind, words, changed in _kernels(kernel):
        digest = changed.digest()
        if digest not in seen:
            seen.add(digest)
            yield Fault(kind, words, changed)


def _kernels(kernel: SemanticKernel) -> Iterator[tuple[str, str, SemanticKernel]]:
    for place, role in enumerate(kernel.roles):
        for kind, words, body in _bodies(role.body, _Names(kernel, role)):
            yield kind, f"{role.name}: {words}", _with(kernel, "roles", place, role.replace(body=body))
        for kind, words, changed in _role(role):
            yield kind, f"{role.name}: {words}", _with(kernel, "roles", place, changed)
    for field in ("buffers", "rings", "parameters", "symbols"):
        for place, item in enumerate(getattr(kernel, field)):
            for kind, words, changed in _declaration(item, kernel):
                yield kind, f"{item.name}: {words}", _with(kernel, field, place, changed)
    for kind, words, changed in _numbers(kernel.launch, "launch", {"threads": 32, "cluster": 1, "shared_bytes": 16}):
        yield kind, words, kernel.replace(launch=changed)
    for _, words, blocks in _index(kernel.launch.blocks):
        yield "launch", f"blocks{words}", kernel.replace(launch=kernel.launch.replace(blocks=blocks))


def _with(kernel: SemanticKernel, field: str, place: int, item: Data) -> SemanticKernel:
    items = getattr(kernel, field)
    return kernel.replace(**{field: (*items[:place], item, *items[place + 1 :])})


# ---- steps


class _Names:
    """What else a step could name by mistake."""

    def __init__(self, kernel: SemanticKernel, role: Role) -> None:
        self.fragments = {f.name: f for f in role.fragments}
        self.operands = {p.name: p for p in kernel.parameters}
        self.buffers = {b.name: b for b in kernel.buffers}

    def others(self, field: str, name: str) -> Iterator[str]:
        """Yield names that stand for something of the same type and shape."""
        if field == "operand":
            mine = self.operands.get(name)
            yield from (p.name for p in self.operands.values() if mine and p.name != name and p.dtype is mine.dtype)
        elif field == "buffer":
            layout = self.buffers[name].layout if name in self.buffers else None
            yield from (b.name for b in self.buffers.values() if b.name != name and b.layout == layout)
        else:
            shape = self.fragments[name].layout if name in self.fragments else None
            yield from (f.name for f in self.fragments.values() if f.name != name and f.layout == shape)


def _bodies(nodes: tuple[Node, ...], names: _Names) -> Iterator[tuple[str, str, tuple[Node, ...]]]:
    for place, node in enumerate(nodes):
        before, after = nodes[:place], nodes[place + 1 :]
        name = label(node)
        if not isinstance(node, SchedulingFence):
            yield "drop", f"{name} left out", (*before, *after)
            if not isinstance(node, Let):
                yield "duplicate", f"{name} twice", (*before, node, node, *after)
            if after and after[0] != node and not isinstance(after[0], SchedulingFence):
                yield "swap", f"{name} after {label(after[0])}", (*before, after[0], node, *after[1:])
            for kind, words, changed in _node(node, names):
                yield kind, f"{name}: {words}", (*before, changed, *after)
        if isinstance(node, Loop | Staged):
            yield "drop", f"{name}: the body once, outside", (*before, *node.body, *after)
        for field in _fields(node):
            for kind, words, body in _bodies(getattr(node, field), names):
                yield kind, words, (*before, node.replace(**{field: body}), *after)


def _fields(node: Node) -> tuple[str, ...]:
    return ("then", "otherwise") if isinstance(node, If) else ("body",) if isinstance(node, Loop | Staged) else ()


def label(node: Node) -> str:
    """Return what a node is called in a report: its type and what it works on."""
    subject = next(
        (getattr(node, f) for f in ("name", "var", "fragment", "target", "ring", "kind") if hasattr(node, f)), ""
    )
    text = subject.value if isinstance(subject, enum.Enum) else subject if isinstance(subject, str) else ""
    return f"{type(node).__name__} {text}".strip()


def _node(node: Node, names: _Names) -> Iterator[Change]:
    if isinstance(node, Mma) and node.a != node.b:
        yield "operand", "factors exchanged", node.replace(a=node.b, b=node.a)
    if isinstance(node, If) and node.otherwise:
        yield "guard", "branches exchanged", node.replace(then=node.otherwise, otherwise=node.then)
    for field in node.__struct_fields__:
        if field in ("body", "then", "otherwise", "name", "var", "ring", "instruction"):
            continue
        old = getattr(node, field)
        default = _STEPS.get(type(node), "")
        kind = "stage" if isinstance(node, Staged) else default or _KINDS.get(field, field)
        if isinstance(node, Let) and field == "value":
            kind = "tile order" if names.fragments.keys().isdisjoint({node.fragment}) else "table"
        for words, changed in _value(old, field, names):
            made = _evaluating(node, changed) if field == "expr" else _try(node, field, changed)
            if made is not None:
                yield (kind if words[:1] != "." else words[1:].split(" ")[0].split(".")[0], f"{field}{words}", made)


def _evaluating(node: Any, expr: Any) -> Compute:
    """A step that evaluates another expression and lists what that one uses: what is wrong is the value, not the list."""
    return computed(node.target, expr, node.dtype, node.accumulators, node.operands, node.approximate)


def _try(item: Data, field: str, value: Any) -> Any:
    try:
        return item.replace(**{field: value})
    except TraceaError:
        return None  # the data itself excludes it


def _value(old: Any, field: str, names: _Names) -> Iterator[tuple[str, Any]]:
    """Yield (words, neighbour) for one field; words begin with ``.kind`` where a nested field decides the kind."""
    if isinstance(old, bool):
        yield f" {not old}", not old
    elif isinstance(old, int | float):
        yield from _number(old, field)
    elif isinstance(old, enum.Enum):
        yield from ((f" {other.value}", other) for other in _MODES.get(type(old), ()) if other is not old)
        if isinstance(old, DType) and old in _SAME_SIZE:
            yield f" {_SAME_SIZE[old].value}", _SAME_SIZE[old]
    elif isinstance(old, str):
        if field in ("fragment", "accumulator", "a", "b", "target", "source", "operand", "buffer"):
            yield from ((f" {other}", other) for other in names.others(field, old))
    elif isinstance(old, Const | Sym | IndexOp):
        yield from ((words, changed) for _, words, changed in _index(old))
    elif isinstance(old, _EXPRESSIONS):
        yield from _expression(old)
    elif isinstance(old, tuple):
        yield from _items(old, field, names)
    elif isinstance(old, Data):
        for inner in old.__struct_fields__:
            for words, changed in _value(getattr(old, inner), inner, names):
                made = _try(old, inner, changed)
                if made is not None:
                    yield f".{_KINDS.get(inner, inner)} {inner}{words.replace('.', ' ', 1)}", made
        if type(old).__name__ == "Multicast":
            yield ".multicast left out", None


def _items(old: tuple[Any, ...], field: str, names: _Names) -> Iterator[tuple[str, Any]]:
    for place, item in enumerate(old):
        before, after = old[:place], old[place + 1 :]
        if isinstance(item, Test):
            yield f" without {place}", (*before, *after)
            yield f" {_WEAKER[item.fn].value}", (*before, item.replace(fn=_WEAKER[item.fn]), *after)
            yield " + 1", (*before, item.replace(left=item.left + 1), *after)
            yield " - 1", (*before, item.replace(left=item.left - 1), *after)
            continue
        inner = "fragment" if isinstance(item, str) else field
        for words, changed in _value(item, inner, names):
            yield f"[{place}]{words}", (*before, changed, *after)
        if after and not isinstance(item, str) and item != after[0]:
            yield f"[{place}] exchanged", (*before, after[0], item, *after[1:])


def _number(old: float, field: str) -> Iterator[tuple[str, float]]:
    if field in _DOUBLED:
        yield " doubled", old * 2
        if old > 1:  # less than one is no number of elements, and half of no swizzle is none
            yield " halved", old // 2 if isinstance(old, int) else old / 2
        return
    by = 16 if field in _BY_16 else 1
    yield f" + {by}", old + by
    yield f" - {by}", old - by


def _index(old: Index) -> Iterator[tuple[str, str, Index]]:
    """The expression one more and one less; each of its constants one off; each operator replaced by its opposite."""
    yield "", " + 1", old + 1
    yield "", " - 1", old - 1
    if isinstance(old, IndexOp):
        yield from (("", words, changed) for words, changed in _parts(old))


def _parts(old: Index) -> Iterator[tuple[str, Index]]:
    if not isinstance(old, IndexOp):
        return
    if old.fn in _OPPOSITE:
        yield f": {_OPPOSITE[old.fn].value} for {old.fn.value}", IndexOp(_OPPOSITE[old.fn], old.left, old.right)
    for side in ("left", "right"):
        part = getattr(old, side)
        if isinstance(part, Const):
            for by in (1, -1):
                yield f": {part.value + by} for {part.value}", old.replace(**{side: Const(part.value + by)})
        for words, changed in _parts(part):
            yield words, old.replace(**{side: changed})


def _expression(old: Any) -> Iterator[tuple[str, Any]]:
    yield " + 1", Binary(BinaryFn.ADD, old, Constant(1.0))
    if isinstance(old, Binary):
        yield " first only", old.x
        yield " second only", old.y
        if old.fn in _OTHER_EXPR:
            yield f" {_OTHER_EXPR[old.fn].value}", Binary(_OTHER_EXPR[old.fn], old.x, old.y)
    elif isinstance(old, Unary):
        yield " without its function", old.x
    elif isinstance(old, Call):
        yield " without its function", old.arguments[0]
        yield " arguments turned round", old.replace(arguments=old.arguments[::-1])


# ---- declarations


def _role(role: Role) -> Iterator[tuple[str, str, Role]]:
    yield from _numbers(role, "role", {"instances": 1, "registers": 8})
    yield "role", f"elected {not role.elected}", role.replace(elected=not role.elected)
    yield "role", "lanes doubled", role.replace(lanes=2 * role.lanes)
    for place, fragment in enumerate(role.fragments):
        for words, changed in _fragment(fragment):
            parts = (*role.fragments[:place], changed, *role.fragments[place + 1 :])
            yield "lane map", f"{fragment.name}: {words}", role.replace(fragments=parts)
        if fragment.dtype in _SAME_SIZE:
            other = fragment.replace(dtype=_SAME_SIZE[fragment.dtype])
            parts = (*role.fragments[:place], other, *role.fragments[place + 1 :])
            yield "type", f"{fragment.name}: {other.dtype.value}", role.replace(fragments=parts)


def _fragment(fragment: Fragment) -> Iterator[tuple[str, Fragment]]:
    layout = fragment.layout
    yield "transposed", fragment.replace(layout=layout.transposed())
    for words, atom in _matrix(layout.atom):
        yield words, fragment.replace(layout=layout.replace(atom=atom))
    for place in range(len(layout.repeats) - 1):
        turned = list(layout.repeats)
        turned[place], turned[place + 1] = turned[place + 1], turned[place]
        made: FragmentLayout | None = _try(layout, "repeats", tuple(turned))
        if made is not None:
            yield f"repetitions {place} and {place + 1} exchanged", fragment.replace(layout=made)


def _matrix(matrix: Matrix) -> Iterator[tuple[str, Matrix]]:
    """Neighbouring columns exchanged, each column cleared, each given its neighbour's bits as well."""
    columns = matrix.columns
    for i, column in enumerate(columns):
        if column:
            yield f"bit {i} cleared", matrix.replace(columns=(*columns[:i], 0, *columns[i + 1 :]))
        if i + 1 < len(columns):
            swapped = (*columns[:i], columns[i + 1], column, *columns[i + 2 :])
            yield f"bits {i} and {i + 1} exchanged", matrix.replace(columns=swapped)
            mixed = (*columns[:i], column ^ columns[i + 1], *columns[i + 1 :])
            yield f"bit {i + 1} added to bit {i}", matrix.replace(columns=mixed)


def _declaration(item: Any, kernel: SemanticKernel) -> Iterator[tuple[str, str, Any]]:
    numbers = {"slots": 1, "transaction_bytes": 16, "full_arrivals": 1, "empty_arrivals": 1, "minimum": 1, "maximum": 1}
    what = type(item).__name__.lower()
    yield from _numbers(item, what, {field: by for field, by in numbers.items() if hasattr(item, field)})
    for field in ("alignment", "multiple"):
        if hasattr(item, field):
            for words, number in _number(getattr(item, field), "width"):
                if number >= 1:
                    yield what, f"{field}{words}", item.replace(**{field: number})
    if getattr(item, "extent", None) is not None:
        yield from (("bound", f"extent{w}", item.replace(extent=e)) for _, w, e in _index(item.extent))
    if hasattr(item, "layout"):
        yield from (("swizzle" if "bit" in w else "layout", w, item.replace(layout=x)) for w, x in _layout(item.layout))
    if getattr(item, "dtype", None) in _SAME_SIZE:
        yield "type", f"dtype {_SAME_SIZE[item.dtype].value}", item.replace(dtype=_SAME_SIZE[item.dtype])
    if hasattr(item, "direction"):
        others = (other for other in type(item.direction) if other is not item.direction)
        yield from ((what, f"direction {other.value}", item.replace(direction=other)) for other in others)
    if hasattr(item, "consumers"):
        yield what, "no multicast", item.replace(multicast=())
        for role in kernel.roles:
            yield what, f"producer {role.name}", item.replace(producer=role.name)
        for place in range(len(item.buffers)):
            yield (
                what,
                f"without buffer {place}",
                item.replace(buffers=(*item.buffers[:place], *item.buffers[place + 1 :])),
            )


def _layout(layout: Layout) -> Iterator[tuple[str, Layout]]:
    for words, atom in _matrix(layout.atom):
        yield words, layout.replace(atom=atom)
    for place, axis in enumerate(layout.axes):
        for number, digit in enumerate(axis.digits):
            for field in ("stride", "extent"):
                for by in (1, -1):
                    changed = _try(digit, field, getattr(digit, field) + by)
                    if changed is None:
                        continue
                    digits = (*axis.digits[:number], changed, *axis.digits[number + 1 :])
                    axes = (*layout.axes[:place], axis.replace(digits=digits), *layout.axes[place + 1 :])
                    made = _try(layout, "axes", axes)
                    if made is not None:
                        yield f"{axis.name}: {field} {by:+d}", made


def _numbers(item: Any, kind: str, fields: dict[str, int]) -> Iterator[tuple[str, str, Any]]:
    for field, by in fields.items():
        for change in (by, -by):
            made = _try(item, field, getattr(item, field) + change)
            if made is not None:
                yield kind, f"{field} {change:+d}", made
