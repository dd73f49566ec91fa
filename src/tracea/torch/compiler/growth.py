# SPDX-License-Identifier: MIT
"""How a region grows: node by node in graph order, each with the expression that it is of the product's sums.

Expressions are the core's (`tracea_core.ops.expr`), so whatever a region turns out to compute is differentiated, verified and printed
like any other epilogue. Where every step so far has a name of its own, the names are kept, because people read them.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import torch
from tracea_core.ops.epilogue import EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Expr, Operand, rewrite
from tracea_core.ops.proxy import Scope, Value

from tracea.torch import shapes
from tracea.torch.compiler.anchors import Anchor, is_wrapped, same, value_of
from tracea.torch.compiler.pointwise import argument, is_identity, is_in_place, name_of, normalize, step

_VIEWS = ("view", "reshape", "unflatten")
_COMMUTES = ("add", "mul")
Label = tuple[str, ...]


@dataclass
class State:
    """What a node is of the sums.

    Attributes
    ----------
    expr : Expr
        Its value.
    label : tuple of str
        Names of the steps.
    sources : tuple of torch.fx.Node
        The nodes inside the region that it takes.
    views : tuple of torch.fx.Node
        Views between the product and it.
    half : bool
        It has half the columns, as what follows a gate has.
    pair : bool
        It is the pair of both halves, which is no tensor.
    """

    expr: Expr
    label: Label
    sources: tuple[torch.fx.Node, ...] = ()
    views: tuple[torch.fx.Node, ...] = ()
    half: bool = False
    pair: bool = False


class Growth:
    """A region while it grows; `states` has an entry for each node that can be inside."""

    def __init__(self, anchor: Anchor, taken: set[torch.fx.Node]) -> None:
        self.anchor, self.taken = anchor, taken
        self.column_axis = shapes.column_axis(anchor.op)
        self.scope = Scope()
        self.operands: list[EpilogueOperand] = []
        self.feeds: list[tuple[torch.fx.Node, str]] = []
        self.problem = ""
        start = value_of(anchor.node)
        assert start is not None
        self.shape = tuple(start.shape)
        self.device = start.device
        self.halved = False
        state = State(Accumulator(), ())
        if anchor.bias is not None:
            bias = self._operand(anchor.bias, "bias", None)
            if bias is None:
                self.problem = "its bias does not have one value for each column"
            else:
                state = State((self.scope.value(Accumulator()) + bias).expr, ("bias",))
        self.states: dict[torch.fx.Node, State] = {anchor.node: state}
        self.order: list[torch.fx.Node] = [anchor.node]

    def visit(self, node: torch.fx.Node) -> None:
        """Give `node` a state if it is a step of something that has one."""
        sources = tuple(dict.fromkeys(n for n in node.all_input_nodes if n in self.states))
        if not sources or node in self.taken or node.op not in ("call_function", "call_method"):
            return
        if is_in_place(node) and node.args[0] not in self.states:
            return  # it changes something else, which may be seen elsewhere
        own = value_of(node)
        if own is not None and is_wrapped(own):
            return  # from here on a transform of torch.func has it
        state = self._state(node, sources)
        if state is not None:
            state.sources = sources
            self.states[node] = state
            self.order.append(node)

    def _state(self, node: torch.fx.Node, sources: tuple[torch.fx.Node, ...]) -> State | None:
        first, name = self.states[sources[0]], name_of(node)
        if name in ("chunk", "split"):
            return self._gate(node, first)
        if node.target is operator.getitem:
            return self._half(node, first)
        kinds = {(self.states[source].views, self.states[source].half) for source in sources}
        if len(kinds) > 1 or first.pair:
            return None
        if is_identity(node):
            return State(first.expr, first.label, views=first.views, half=first.half)
        if name in _VIEWS:
            return self._view(node, first)
        if not self._keeps_shape(node, first):
            return None
        if name == "batch_norm":
            return self._batch_norm(node, first)
        return self._step(node, sources, first.views)

    def _step(
        self, node: torch.fx.Node, sources: tuple[torch.fx.Node, ...], views: tuple[torch.fx.Node, ...]
    ) -> State | None:
        name = name_of(node)
        arguments = list(node.args)
        if name in _COMMUTES and len(arguments) == 2 and self._inside(arguments[1]) and not self._inside(arguments[0]):
            arguments.reverse()
        added: list[str] = []

        def value(argument: Any) -> Any:
            if not isinstance(argument, torch.fx.Node):
                return argument if isinstance(argument, int | float | bool | str | torch.dtype) else None
            if self._inside(argument):
                return self.scope.value(self.states[argument].expr)
            role = "residual" if name in ("add", "sub") else "scale"
            found = self._operand(argument, role, views, self.states[sources[0]].half)
            if found is not None:
                added.append(self.operands[-1].axes.value)
            return found

        before = len(self.operands)
        shadow = _Reordered(node, tuple(arguments))
        made = step(shadow, value)  # type: ignore[arg-type]  # it answers what `step` asks of a node
        if made is None:
            del self.operands[before:], self.feeds[before:]
            return None
        result, stage = made
        first = self.states[sources[0]]
        label = first.label
        if result.expr != first.expr:
            longest = max((self.states[source].label for source in sources), key=len)
            label = (*longest, stage or _linear_stage(name, arguments, added) or name)
        return State(result.expr, label, views=views, half=first.half)

    def _inside(self, argument: Any) -> bool:
        return isinstance(argument, torch.fx.Node) and argument in self.states

    def _keeps_shape(self, node: torch.fx.Node, first: State) -> bool:
        made = value_of(node)
        if made is None:
            return False
        if first.views:
            return value_of(first.views[-1]) is not None and same(made.shape, value_of(first.views[-1]).shape)  # type: ignore[union-attr]
        shape = self.shape
        if first.half:
            shape = (*shape[:-1], shape[-1] // 2)
        return same(made.shape, shape)

    def _view(self, node: torch.fx.Node, first: State) -> State | None:
        made = value_of(node)
        if made is None or len(self.shape) != 2 or first.half or made.dim() < 2:
            return None
        if not same(made.shape[-1:], self.shape[-1:]) or any(
            isinstance(a, torch.fx.Node) and a in self.states for a in node.args[1:]
        ):
            return None
        return State(first.expr, first.label, views=(*first.views, node))

    def _batch_norm(self, node: torch.fx.Node, first: State) -> State | None:
        mean, var, gamma, beta = (
            argument(node, i, n) for i, n in ((1, "running_mean"), (2, "running_var"), (3, "weight"), (4, "bias"))
        )
        training, eps = argument(node, 5, "training", False), argument(node, 7, "eps", 1e-5)
        if training is not False or not isinstance(eps, float) or mean is None or var is None or self.column_axis != 1:
            return None
        before = len(self.operands)
        given: list[Any] = []
        for vector, role in ((mean, "mean"), (var, "var"), (gamma, "gamma"), (beta, "beta")):
            found = None if vector is None else self._operand(vector, role, None)
            if found is None and vector is not None:
                del self.operands[before:], self.feeds[before:]
                return None
            given.append(found)
        value = normalize(self.scope.value(first.expr), given[0], given[1], given[2], given[3], eps)
        return State(value.expr, (*first.label, f"batch_norm:{eps!r}"))

    def _gate(self, node: torch.fx.Node, first: State) -> State | None:
        """Both halves of the columns, as ``chunk(2, -1)`` or ``split(n / 2, -1)`` makes them."""
        columns = self.shape[-1]
        dim, parts = argument(node, 2, "dim", 0), argument(node, 1, "chunks", node.kwargs.get("split_size_or_sections"))
        halves = parts == 2 if name_of(node) == "chunk" else isinstance(columns, int) and parts == columns // 2
        plain = (
            self.anchor.op not in shapes.CONVOLUTIONS
            and not first.views
            and isinstance(columns, int)
            and columns % 2 == 0
        )
        if not halves or dim not in (-1, len(self.shape) - 1) or not plain or self.halved:
            return None
        if first.label not in ((), ("bias",)):
            return None
        self.halved = True
        return State(first.expr, first.label, pair=True)

    def _half(self, node: torch.fx.Node, first: State) -> State | None:
        index = node.args[1]
        if not first.pair or not isinstance(index, int) or index not in (0, 1) or value_of(node) is None:
            return None
        expr = first.expr
        slot = len(self.operands)
        if first.label == ("bias",):
            source, _ = self.feeds[0]
            self.operands.append(EpilogueOperand("bias_up" if index else "bias", OperandAxes.COLUMN))
            self.feeds.append((source, "upper" if index else "lower"))

        def moved(leaf: Expr) -> Expr:
            if isinstance(leaf, Accumulator):
                return Accumulator(index)
            return Operand(slot) if isinstance(leaf, Operand) else leaf

        return State(rewrite(expr, moved), (), half=True)

    def _operand(
        self, node: torch.fx.Node, role: str, views: tuple[torch.fx.Node, ...] | None, half: bool = False
    ) -> Value | None:
        """Return the value of an operand from outside, or None if a kernel cannot spread it."""
        tensor = value_of(node)
        if tensor is None or tensor.device != self.device or not tensor.dtype.is_floating_point:
            return None
        place = self._axes(tensor, views, half)
        if place is None:
            return None
        axes, how = place
        if role == "residual" and axes is not OperandAxes.FULL:
            role = "bias"
        self.operands.append(EpilogueOperand(role, axes))
        self.feeds.append((node, how))
        return self.scope.value(Operand(len(self.operands) - 1))

    def _axes(
        self, tensor: torch.Tensor, views: tuple[torch.fx.Node, ...] | None, half: bool
    ) -> tuple[OperandAxes, str] | None:
        """Return how an operand is spread over the output, and what makes it so."""
        shape = tuple(tensor.shape)
        columns = self.shape[self.column_axis]
        seen = value_of(views[-1]).shape if views else self.shape  # type: ignore[union-attr]
        if shape == ():
            return OperandAxes.SCALAR, "as_is"
        if self.column_axis == 1:
            if views is None and len(shape) == 1 and same(shape, (columns,)):
                return OperandAxes.COLUMN, "as_is"
            if len(shape) >= 3 and same(shape[-3:], (columns, 1, 1)) and all(_is_one(e) for e in shape[:-3]):
                return OperandAxes.COLUMN, "flat"
        else:
            wide = columns // 2 if half else columns
            if same(shape[-1:], (wide,)) and all(_is_one(e) for e in shape[:-1]) and not _is_one(wide):
                return OperandAxes.COLUMN, "flat" if len(shape) > 1 else "as_is"
            if half:
                seen = (*seen[:-1], wide)
        if same(shape, seen):
            return OperandAxes.FULL, "rows" if views else "as_is"
        return None


class _Reordered:
    """A node with its arguments in another order, for functions whose arguments commute."""

    def __init__(self, node: torch.fx.Node, args: tuple[Any, ...]) -> None:
        self.op, self.target, self.kwargs, self.args, self.meta = node.op, node.target, node.kwargs, args, node.meta


def _linear_stage(name: str, arguments: list[Any], axes: list[str]) -> str | None:
    """Return the name of an addition or a product, if it has one."""
    if name == "add" and len(arguments) == 2 and len(axes) == 1:
        return {"full": "residual", "column": "bias"}.get(axes[0])
    if name == "mul" and len(arguments) == 2:
        if len(axes) == 1:
            return {"scalar": "scale", "column": "column_scale"}.get(axes[0])
        if isinstance(arguments[1], int | float) and not isinstance(arguments[1], bool):
            return f"scale:{float(arguments[1]):g}"
    return None


def _is_one(extent: Any) -> bool:
    return isinstance(extent, int) and extent == 1
