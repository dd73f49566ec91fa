# SPDX-License-Identifier: MIT
"""What a dialect gets from its tables: literals that read back, conversions, runs of words, and refusals by name."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import number
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.words import Words
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn, UnaryFn
from tracea_core.semantic.lanes import instruction

LANES = instruction("simt_2x2_4x4_fp32")


class Tiny(Words):
    """A language without a reciprocal root."""

    language = "tiny"
    types = {DType.FP32: "f32", DType.FP16: "f16", DType.INT32: "i32", DType.INT8: "i8"}  # noqa: RUF012
    library = {UnaryFn.SQRT: "root", UnaryFn.ABS: "size"}  # noqa: RUF012
    float_of_bits = "f"
    bits_of_float = "b"


WORDS = Tiny()
assert LANES.a is not None
FLOATS = Packed("x", DType.FP32, LANES.a, 1)
HALVES = Packed("h", DType.FP16, LANES.a, 2)


@pytest.mark.parametrize("value", [0.5, 1e-30, 1 / 3, -65504.0, 3e38])
def test_literals_read_back(value: float) -> None:
    text = WORDS.constant(value, DType.FP32)
    assert text.endswith("f") and np.float32(text[:-1]) == np.float32(value)
    assert float(WORDS.constant(value, DType.FP64)) == value


def test_what_is_no_number() -> None:
    assert WORDS.constant(float("-inf"), DType.FP32) == "-INFINITY"
    assert WORDS.constant(float("nan"), DType.FP32) == "NAN"
    assert WORDS.constant(7.0, DType.INT8) == "7"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WORDS.round("v", DType.FP32, DType.FP32, True), "v"),
        (WORDS.round("v", DType.FP32, DType.FP16, False), "to_fp16(v)"),
        (WORDS.round("v", DType.FP32, DType.FP16, True), "to_fp16(minimum(maximum(v, -65504.0f), 65504.0f))"),
        (WORDS.round("v", DType.INT32, DType.FP16, False), "to_fp16((f32)(v))"),
        (WORDS.round("v", DType.INT32, DType.INT8, True), "(i8)min(max(v, -128), 127)"),
        (WORDS.round("v", DType.FP32, DType.INT8, True), "to_int8(v)"),
        (WORDS.round("v", DType.INT32, DType.FP32, False), "(f32)(v)"),
        (WORDS.cast("v", DType.INT8, DType.INT32), "(i32)(i8)v"),
        (WORDS.cast("v", DType.FP16, DType.FP32), "from_fp16(v)"),
        (WORDS.cast("v", DType.FP16, DType.INT32), "(i32)from_fp16(v)"),
        (WORDS.unary(UnaryFn.RSQRT, DType.FP32, "v"), "(1.0f / root(v))"),
        (WORDS.unary(UnaryFn.RECIPROCAL, DType.FP32, "v"), "(1.0f / v)"),
        (WORDS.unary(UnaryFn.ABS, DType.FP32, "v"), "size(v)"),
        (WORDS.unary(UnaryFn.ABS, DType.INT32, "v"), "abs(v)"),
        (WORDS.unary(UnaryFn.FLOOR, DType.INT32, "v"), "v"),
        (WORDS.binary(BinaryFn.MAXIMUM, DType.INT32, "v", "w"), "max(v, w)"),
        (WORDS.binary(BinaryFn.MAXIMUM, DType.FP32, "v", "w"), f"{BinaryFn.MAXIMUM.value}(v, w)"),
    ],
)
def test_conversions_and_functions(text: str, expected: str) -> None:
    assert text == expected


def test_runs_of_words() -> None:
    assert WORDS.load_run(FLOATS, number(0), 1, "p[3]") == "x[0] = f(*(const unsigned*)&p[3]);"
    load = WORDS.load_run(FLOATS, number(0), 2, "p[3]")
    assert load == "{ const uint2 run = *(const uint2*)&p[3]; x[0] = f(run[0]); x[0 + 1] = f(run[1]); }"
    assert WORDS.store_run(HALVES, number(0), 2, "p[3]") == "*(uint2*)&p[3] = uint2{(h[0]), (h[0 + 1])};"


def test_what_has_no_word_is_refused() -> None:
    with pytest.raises(EmitError, match="values of bf16"):
        WORDS.scalar(DType.BF16)
    with pytest.raises(EmitError, match="fp32 to bf16"):
        WORDS.round("v", DType.FP32, DType.BF16, False)
    with pytest.raises(EmitError, match="arithmetic in fp16"):
        WORDS.cast("v", DType.FP32, DType.FP16)
    with pytest.raises(EmitError, match="64 bits of fp64"):
        WORDS.load_run(Packed("d", DType.FP64, LANES.a, 1), number(0), 2, "p[0]")  # type: ignore[arg-type]
