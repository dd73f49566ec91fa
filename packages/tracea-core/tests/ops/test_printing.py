# SPDX-License-Identifier: MIT
"""Printed expressions mean what the tree means: Python reads them back to the same number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Cast,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
)
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.printing import text

arithmetic: st.SearchStrategy[Expr] = st.recursive(
    st.just(Accumulator()) | st.builds(Operand, st.integers(0, 1)) | st.builds(Constant, st.floats(-9, 9)),
    lambda inner: (
        st.builds(Binary, st.sampled_from(BinaryFn), inner, inner)
        | st.builds(Unary, st.sampled_from([UnaryFn.NEG, UnaryFn.ABS]), inner)
    ),
    max_leaves=10,
)


class Parser:
    """A reader of printed arithmetic, written independently of the printer: sums of products of signed atoms."""

    def __init__(self, words: str, names: dict[str, np.float64]) -> None:
        for symbol in "()+*/,":
            words = words.replace(symbol, f" {symbol} ")
        self.tokens = words.replace("-", " - ").replace("e - ", "e-").replace("e + ", "e+").split()
        self.names = names

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def sum(self) -> np.float64:
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.tokens.pop(0) == "+" else value - self.product()
        return value

    def product(self) -> np.float64:
        value = self.signed()
        while self.peek() in ("*", "/"):
            value = value * self.signed() if self.tokens.pop(0) == "*" else value / self.signed()
        return value

    def signed(self) -> np.float64:
        if self.peek() == "-":
            self.tokens.pop(0)
            return -self.signed()
        return self.atom()

    def atom(self) -> np.float64:
        word = self.tokens.pop(0)
        if word == "(":
            value = self.sum()
            assert self.tokens.pop(0) == ")"
            return value
        if self.peek() == "(":
            self.tokens.pop(0)
            arguments = [self.sum()]
            while self.tokens.pop(0) == ",":
                arguments.append(self.sum())
            return {"max": np.maximum, "min": np.minimum, "abs": np.abs}[word](*arguments)
        return self.names[word] if word in self.names else np.float64(word)


@given(arithmetic)
def test_reading_the_text_gives_the_same_value(expr: Expr) -> None:
    names = {"acc": np.float64(1.25), "u": np.float64(-0.75), "v": np.float64(3.5)}
    parser = Parser(text(expr, ["u", "v"]), names)
    with np.errstate(all="ignore"):
        value = parser.sum()
    assert not parser.tokens
    expected = evaluate(expr, [1.25], [-0.75, 3.5])
    assert np.array_equal(value, expected, equal_nan=True), text(expr)


def test_every_kind_of_node() -> None:
    x, b = Accumulator(), Operand(0)
    condition = Compare(CompareFn.GE, x, Constant(0.0))
    assert text(Select(condition, x, Binary(BinaryFn.MUL, x, Constant(0.1)))) == "where(acc >= 0, acc, acc * 0.1)"
    assert text(Cast(DType.INT8, Binary(BinaryFn.DIV, x, b)), ["scale"]) == "int8(acc / scale)"
    assert text(Cast(DType.FP16, x, saturate=False)) == "fp16_unsaturated(acc)"
    assert text(Binary(BinaryFn.MUL, condition, x)) == "(acc >= 0) * acc"
    assert text(Binary(BinaryFn.SUB, x, Binary(BinaryFn.SUB, x, b))) == "acc - (acc - operand0)"
    assert text(Unary(UnaryFn.RSQRT, Binary(BinaryFn.ADD, x, b)), ["eps"]) == "rsqrt(acc + eps)"


def test_named_epilogues_read_well() -> None:
    relu = parse_epilogue("bias,relu")
    assert text(relu.expr, [operand.name for operand in relu.operands]) == "max(acc + bias, 0)"
