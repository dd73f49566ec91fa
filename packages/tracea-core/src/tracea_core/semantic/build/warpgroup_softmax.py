# SPDX-License-Identifier: MIT
"""The softmax of a warpgroup's scores: maxima, weights and totals of 64 rows, a block of keys after the other, in registers.

Weights are powers of two, so that each takes one multiplication with addition and one fast function. A thread joins its scores four at
a time, row by row and column by column, so that chains of maxima and sums stay short.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
)
from tracea_core.semantic.build.chain_window import KEY0, STOP, hidden, kept
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import projection
from tracea_core.semantic.build.score_bias import ScoreBias
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Const, Index, Sym, less
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Fold
from tracea_core.semantic.steps import Compute, Extract, If, Let, Node

PIECE = 8
"""Columns of scores that a thread joins with others: four registers."""
ROWS = 64
"""Rows of a warpgroup's instruction."""
WARP_ROW = Sym("warp_row")
"""The warpgroup's first row."""
_LANES = 128
"""Of a warpgroup."""
_LN2 = math.log(2.0)


class Weights:
    """Turns the fragment ``score`` into weights; keeps ``top``, ``total0`` and, for what was added before, ``correction``."""

    def __init__(self, form: Chained, keys: int, operand: DType) -> None:
        piece = instruction(f"wgmma_m64n{PIECE}k16_bf16").c
        self.bias = ScoreBias(form, piece, _LANES, keys // PIECE)
        self.f, self.keys, self.operand = form, keys, operand
        self.before, self.behind = kept(form.between)
        self.names = tuple(f"score{j}" for j in range(keys // PIECE))

    def fragments(self, scores: FragmentLayout) -> list[Fragment]:
        """Return the fragments besides the scores, which are laid out so."""
        piece, wide = instruction(f"wgmma_m64n{PIECE}k16_bf16").c, self.f.compute
        row = projection(piece, 0)
        return [
            Fragment("weights", self.operand, scores),
            Fragment("total0", wide, piece),
            Fragment("part", wide, piece),
            *(Fragment(name, wide, row) for name in ("top", "shift", "found", "correction")),
            *(Fragment(name, wide, piece) for name in self.names),
            *self.bias.fragments(),
        ]

    def asked(self, block: Index, *, first: bool) -> tuple[Node, ...]:
        """Ask for what is added to a block's scores, while these are multiplied, if nobody has asked before."""
        return self.bias.load(0, block * self.keys) if first or not self.bias.ahead else ()

    def _following(self, block: Index) -> tuple[Node, ...]:
        """Ask for that of the next block, if there is one, as soon as registers are free: it has a softmax and a product to arrive in."""
        if not self.f.added or not self.bias.ahead:
            return ()
        return (If((less(block, STOP),), self.bias.load(0, block * self.keys)),)

    def steps(self, block: Index, *, first: bool) -> tuple[Node, ...]:
        """Turn scores into weights, with what the maximum so far leaves of sums and total before.

        Where a row has seen nothing, 0 is taken from scores: the lowest number less 0 has the weight 0. Of the `first` block of a tile
        there is nothing before.
        """
        compute, top, names = self.f.compute, Accumulator(0), self.names
        lowest, both = Constant(compute.lowest), Binary(BinaryFn.MAXIMUM, Accumulator(0), Accumulator(1))
        between = () if self.before == Accumulator() else (
            computed("score", self.before, compute, ("score",), self.bias.names), *self._following(block + 1),
        )  # fmt: skip
        joined = [Accumulator(j) for j in range(len(names))]
        pieces = tuple(Extract(name, "score", Const(0), Const(j * PIECE)) for j, name in enumerate(names))
        hide = hidden(self.f, WARP_ROW, ROWS, self.keys, [(WARP_ROW, [("score", 0)])], "found")
        shift = Select(Compare(CompareFn.EQ, top, lowest), Constant(0.0), self.exponent(top))
        power = power_of_two(Binary(BinaryFn.SUB, self.exponent(Accumulator(0)), Operand(0)))
        nodes: list[Node] = [
            Let(KEY0.name, block * self.keys), *between, hide, *pieces,
            Compute("part", tree(BinaryFn.MAXIMUM, joined), compute, names), Fold("found", "part", BinaryFn.MAXIMUM),
        ]  # fmt: skip
        if not first:
            nodes.append(Compute("found", both, compute, ("found", "top")))
        elif self.f.added:  # all of a row may be −∞, which less itself is no number
            nodes.append(Compute("found", Binary(BinaryFn.MAXIMUM, Accumulator(0), lowest), compute, ("found",)))
        nodes.append(Compute("shift", shift, compute, ("found",)))
        if not first:
            nodes.append(Compute("correction", power, compute, ("top",), ("shift",), approximate=True))
        nodes += [
            Compute("top", Accumulator(0), compute, ("found",)),
            Compute("score", power, compute, ("score",), ("shift",), approximate=True), *pieces,
        ]  # fmt: skip
        if first:
            return (*nodes, Compute("total0", tree(BinaryFn.ADD, joined), compute, names))
        kept = Binary(BinaryFn.MUL, Accumulator(0), Operand(0))
        added = Binary(BinaryFn.ADD, kept, tree(BinaryFn.ADD, [Accumulator(j + 1) for j in range(len(names))]))
        return (*nodes, Compute("total0", added, compute, ("total0", *names), ("correction",)))

    def rounded(self) -> Node:
        """Round weights to the operands' type, once nothing reads those of the block before."""
        return Compute("weights", Accumulator(0), self.f.compute, ("score",))

    def exponent(self, score: Expr) -> Expr:
        """Return the power of two that e to what stands between is, of a score as it is kept."""
        value = self.behind
        factor = value.y.value if isinstance(value, Binary) and isinstance(value.y, Constant) else 1.0
        return Binary(BinaryFn.MUL, score, Constant(factor / _LN2))


def power_of_two(exponent: Expr) -> Expr:
    """Return 2 to an exponent, as e^(ln 2 · x)."""
    return Unary(UnaryFn.EXP, Binary(BinaryFn.MUL, Constant(_LN2), exponent))


def tree(fn: BinaryFn, parts: Sequence[Expr]) -> Expr:
    """Return expressions joined in pairs, so that few wait for one another."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return Binary(fn, tree(fn, parts[:half]), tree(fn, parts[half:]))
