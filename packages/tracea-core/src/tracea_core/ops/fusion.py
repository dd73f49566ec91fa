# SPDX-License-Identifier: MIT
"""Pattern fusion: several nodes become one kernel where nobody else needs what lies between them.

Three rules, each with what it does:

* *epilogue*: ``gemm → bias → gelu``, ``conv → batch norm → relu``, ``gemm → + residual`` become one node whose epilogue does the rest;
* *attention*: ``softmax(scale·q·kᵀ)·v`` becomes an `AttentionOp`, so the scores never exist in memory;
* *prune*: nodes whose value nobody takes vanish.

What stands next to each other and is not fused is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from tracea_core.data import Data
from tracea_core.errors import TraceaError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.graph import Graph, GraphOp, Node
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.pointwise import PointwiseOp, TransposeOp
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.sparse import BlockSparseGemmOp

Accept: TypeAlias = Callable[[GraphOp, Epilogue], str | None]
"""Why an op cannot carry an epilogue, or None; what a backend's variants say about fusion."""

_WORDS: dict[type, str] = {
    GemmOp: "gemm",
    Conv2dOp: "conv",
    ConvTranspose2dOp: "conv_transpose",
    AttentionOp: "attention",
}
_SHORT = {"batch_norm": "bn"}
_MATRIX_OPS = (GemmOp, LowRankOp, BlockSparseGemmOp, GroupedGemmOp)


class FusionStep(Data, frozen=True):
    """Nodes that became one: the pattern, such as ``conv+bn+relu``, their names, and the one that is left."""

    pattern: str
    nodes: tuple[str, ...]
    into: str


class Refusal(Data, frozen=True):
    """Neighbours that stayed apart, and why."""

    nodes: tuple[str, ...]
    reason: str


class Fusion(Data, frozen=True):
    """The graph after fusion, and an account of it."""

    graph: Graph
    steps: tuple[FusionStep, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def describe(self) -> str:
        """Return one line for each step and refusal."""
        lines = [f"{step.pattern}: {', '.join(step.nodes)} -> {step.into}" for step in self.steps]
        lines += [f"not fused: {', '.join(refusal.nodes)}: {refusal.reason}" for refusal in self.refused]
        return "\n".join(lines)


def fuse(graph: Graph, accept: Accept | None = None) -> Fusion:
    """Return `graph` with every pattern fused that keeps its meaning.

    Parameters
    ----------
    graph : Graph
        What to fuse; it is not changed.
    accept : callable, optional
        Asked before an op takes an epilogue; a reason refuses it. By default `accept_sums`.
    """
    work = _Fuser(graph, accept or accept_sums)
    work.prune()
    work.attention()
    work.epilogues()
    work.prune()
    return work.result()


class _Fuser:
    """A graph while it changes: nodes by name."""

    def __init__(self, graph: Graph, accept: Accept) -> None:
        self.graph, self.accept = graph, accept
        self.nodes = {node.name: node for node in graph.order()}
        self.shapes = {value.name: value.shape for value in graph.makers()}
        self.refused: list[Refusal] = []
        self.attended: set[str] = set()

    def readers(self, name: str) -> list[str]:
        """Nodes that take `name`, once for each time; giving it back counts, too."""
        found = [node.name for node in self.nodes.values() for read in node.reads if read == name]
        return found + ["the caller"] * self.graph.outputs.count(name)

    def refuse(self, nodes: tuple[str, ...], reason: str) -> None:
        refusal = Refusal(nodes, reason)
        if refusal not in self.refused:
            self.refused.append(refusal)

    def prune(self) -> None:
        """Drop nodes whose value nobody takes, last first."""
        for name in reversed(list(self.nodes)):
            if not self.readers(name):
                del self.nodes[name]

    def result(self) -> Fusion:
        """Return what has become of the graph."""
        steps = tuple(
            FusionStep(self._pattern(node), (*node.fused, node.name), node.name)
            for node in self.nodes.values()
            if node.fused
        )
        home = {part: node.name for node in self.nodes.values() for part in (*node.fused, node.name)}
        refused = tuple(  # unless another rule brought them together after all, or nobody needed them
            refusal for refusal in self.refused if len({home[name] for name in refusal.nodes if name in home}) > 1
        )
        return Fusion(Graph(self.graph.inputs, tuple(self.nodes.values()), self.graph.outputs), steps, refused)

    def _pattern(self, node: Node) -> str:
        """Name a fused node: what it was, and the stages of its epilogue."""
        own = node.op.epilogue if isinstance(node.op, PointwiseOp) else node.epilogue
        head = "pointwise" if isinstance(node.op, PointwiseOp) else _WORDS.get(type(node.op), type(node.op).__name__)
        if node.name in self.attended:
            head = "qk-softmax-v"
        return "+".join([head, *(_SHORT.get(stage, stage) for stage in own.label.split(", ") if stage)])

    # Epilogues.

    def epilogues(self) -> None:
        """Let each pointwise node vanish into the one that makes its input, in the order of the graph."""
        for node in list(self.nodes.values()):
            if not isinstance(node.op, PointwiseOp):
                continue
            reasons: list[Refusal] = []
            for candidate in _orders(node):
                producer = self.nodes.get(candidate.inputs[0])
                if producer is None or producer.is_view:
                    continue
                merged = self._absorb(producer, candidate)
                if isinstance(merged, Node):
                    self._replace(producer.name, merged)
                    reasons = []
                    break
                reasons.append(Refusal((producer.name, node.name), merged))
            for refusal in reasons:
                self.refuse(refusal.nodes, refusal.reason)

    def _absorb(self, producer: Node, consumer: Node) -> Node | str:
        """Return the producer with the consumer as its epilogue, under the consumer's name, or why not."""
        after = consumer.op
        assert isinstance(after, PointwiseOp)
        others = [reader for reader in self.readers(producer.name) if reader != consumer.name]
        if others:
            return f"{producer.name} is also needed by {', '.join(dict.fromkeys(others))}"
        if self.readers(producer.name).count(consumer.name) > 1:
            return f"{consumer.name} takes {producer.name} more than once"
        before = producer.op
        own = before.epilogue if isinstance(before, PointwiseOp) else producer.epilogue
        operands = after.epilogue.operands
        axis = before.axis if isinstance(before, PointwiseOp) else before.column_axis
        if any(operand.axes is OperandAxes.COLUMN for operand in operands) and (axis == 1) != after.channels:
            return f"the columns of {consumer.name} are not those of {producer.name}"
        if any(operand.axes is OperandAxes.ROW for operand in operands) and axis == 1:
            return f"{producer.name} has channels, not rows"
        if after.epilogue.gated:
            if not isinstance(before, (*_MATRIX_OPS, PointwiseOp)) or (isinstance(before, GemmOp) and before.beta):
                return "a gate pairs columns of a plain matrix product"
            if own.pre_gate_slots():
                return f"the operands of {producer.name} would have to be split in two halves"
        try:
            epilogue = own.then(after.epilogue)
        except TraceaError as error:
            return error.message
        reason = None if isinstance(before, PointwiseOp) else self.accept(before, epilogue)
        if reason:
            return reason
        reads = consumer.inputs[1:]
        fused = (*producer.fused, producer.name)
        priority = max(producer.priority, consumer.priority)
        stored = after.output_dtype()
        if isinstance(before, PointwiseOp):
            dtypes = (*before.input_dtypes()[1:], *after.input_dtypes()[1:])
            op = PointwiseOp(before.shape, epilogue, axis == 1 or after.channels, before.dtype, stored, dtypes)
            return Node(consumer.name, op, (*producer.inputs, *reads), priority=priority, fused=fused)
        return Node(
            consumer.name,
            before.replace(out_dtype=stored),
            producer.inputs,
            epilogue,
            (*producer.epilogue_inputs, *reads),
            priority,
            fused,
        )

    def _replace(self, producer: str, merged: Node) -> None:
        """Put `merged` where its last part was; all it takes is made before."""
        if producer in self.attended:
            self.attended.add(merged.name)
        self.nodes[merged.name] = merged
        del self.nodes[producer]

    # Attention.

    def attention(self) -> None:
        """Find each softmax between two products."""
        for node in list(self.nodes.values()):
            if isinstance(node.op, SoftmaxOp) and not node.op.log and node.name in self.nodes:
                self._attend(node)

    def _attend(self, softmax: Node) -> None:
        assert isinstance(softmax.op, SoftmaxOp)
        scores, factor, between = self._unscaled(softmax.inputs[0])
        first = self.nodes.get(scores)
        readers = self.readers(softmax.name)
        second = self.nodes.get(readers[0]) if len(readers) == 1 else None
        if first is None or not isinstance(first.op, GemmOp):
            return
        names = (first.name, *between, softmax.name)
        if second is None or not isinstance(second.op, GemmOp) or second.inputs[0] != softmax.name:
            self.refuse(names, "the softmax is not the left factor of exactly one product")
            return
        names = (*names, second.name)
        reason = self._attention_reason(first, softmax, second, between)
        if reason:
            self.refuse(names, reason)
            return
        q, k, v = first.inputs[0], first.inputs[1], second.inputs[1]
        transposed = self.nodes.get(k)
        if transposed is not None and isinstance(transposed.op, TransposeOp):
            keys = transposed.inputs[0]
        else:
            keys = f"{second.name}.keys"
            view = Node(keys, TransposeOp(self.shapes[k], first.op.dtype), (k,))
            self._insert_before(second.name, view)
        batch, heads = first.op.batch
        op = AttentionOp(
            batch, heads, first.op.m, first.op.n, first.op.k, second.op.n,
            kv_heads=self.shapes[k][1],
            scale=first.op.alpha * factor * softmax.op.scale,
            dtype=first.op.dtype,
            out_dtype=second.dtype,
        )  # fmt: skip
        priority = max(node.priority for node in (first, softmax, second))
        self.nodes[second.name] = Node(second.name, op, (q, keys, v), priority=priority, fused=names[:-1])
        self.attended.add(second.name)
        for name in names[:-1]:
            del self.nodes[name]

    def _insert_before(self, name: str, added: Node) -> None:
        nodes = dict(self.nodes)
        self.nodes.clear()
        for known, node in nodes.items():
            if known == name:
                self.nodes[added.name] = added
                self.shapes[added.name] = added.shape
            self.nodes[known] = node

    def _unscaled(self, name: str) -> tuple[str, float, tuple[str, ...]]:
        """Follow multiplications by a number upwards: what is scaled, the product of the numbers, and the nodes between."""
        factor, between = 1.0, list[str]()
        while (node := self.nodes.get(name)) is not None and isinstance(node.op, PointwiseOp):
            expr = node.op.epilogue.expr
            if not isinstance(expr, Binary) or expr.x != Accumulator() or not isinstance(expr.y, Constant):
                break
            if expr.fn is BinaryFn.MUL:
                factor *= expr.y.value
            elif expr.fn is BinaryFn.DIV and expr.y.value:
                factor /= expr.y.value
            else:
                break
            between.insert(0, name)
            name = node.inputs[0]
        return name, factor, tuple(between)

    def _attention_reason(self, first: Node, softmax: Node, second: Node, between: tuple[str, ...]) -> str | None:
        """Why these nodes are not an attention, or None."""
        scores, product = first.op, second.op
        assert isinstance(scores, GemmOp) and isinstance(product, GemmOp)
        chain = (first.name, *between, softmax.name)
        for name, after in pairwise(chain):
            if self.readers(name) != [after]:
                return f"{name} is also needed by others"
        if scores.beta or product.beta or product.alpha != 1.0:
            return "a product has alpha or beta that attention does not have"
        if len(scores.batch) != 2 or scores.batch != product.batch:
            return "attention takes values with the axes batch, heads, rows and columns"
        k, v = self.shapes[first.inputs[1]], self.shapes[second.inputs[1]]
        q = self.shapes[first.inputs[0]]
        if q[:-2] != scores.batch or len(k) != 4 or k[:2] != v[:2] or k[0] != scores.batch[0]:
            return "keys and values are not shared in the same way"
        if {scores.dtype, *scores.input_dtypes(), *product.input_dtypes()} != {
            scores.dtype
        } or not scores.dtype.is_float:
            return "queries, keys, probabilities and values have different types"
        if softmax.epilogue.operands or first.epilogue.operands or not first.epilogue.is_identity:
            return f"{first.name} has an epilogue"
        return None


def accept_sums(op: GraphOp, epilogue: Epilogue) -> str | None:
    """Refuse ops that do not end with a sum in registers, where an epilogue costs nothing; what `fuse` asks by default."""
    if isinstance(op, FusedGemmOp):
        return "it has an epilogue of its own"
    return None if op.family in ("contraction", "chained") else f"{type(op).__name__} takes no epilogue"


def _orders(node: Node) -> tuple[Node, ...]:
    """The node, and for the sum of two values of one shape the same sum with them exchanged."""
    assert isinstance(node.op, PointwiseOp)
    epilogue = node.op.epilogue
    adds = epilogue.expr == Binary(BinaryFn.ADD, Accumulator(), Operand(0))
    if not adds or len(epilogue.operands) != 1 or epilogue.operands[0].axes is not OperandAxes.FULL:
        return (node,)
    first, second = node.op.input_dtypes()
    op = node.op.replace(dtype=second, operand_dtypes=(first,), out_dtype=node.op.output_dtype())
    operand = EpilogueOperand(epilogue.operands[0].name, OperandAxes.FULL)
    swapped = op.replace(epilogue=epilogue.replace(operands=(operand,)))
    return node, node.replace(op=swapped, inputs=node.inputs[::-1])
