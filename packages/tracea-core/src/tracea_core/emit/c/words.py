# SPDX-License-Identifier: MIT
"""What C-like languages spell alike: conversions, literals, functions, runs of words. A dialect fills in its tables and its few own forms.

Types are called by `Words.types`, and a conversion that rounds is a function of the language's headers, ``to_bf16`` or
``from_fp16``, so that most of a dialect is names.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.ops.expr import BinaryFn, UnaryFn
from tracea_core.semantic.kernel import Buffer, Role, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.steps import Scope

_BYTES = (DType.INT8, DType.UINT8)
_WHOLE = (UnaryFn.FLOOR, UnaryFn.RINT)
_LONGEST = 14
"""Characters of a positional literal; longer ones are written with an exponent."""


class Words(Dialect):
    """A dialect whose tables do most of the work.

    `package` holds the headers of idioms in ``device/``. `types` names what is stored, `computed` says what is computed with; values of
    `saturated` types are clamped by minimum and maximum where a schedule says so. `library` names functions of one argument, of which
    a square root stands in for a reciprocal one; `whole_abs` and `whole_order` are the functions of whole numbers. `runs` are the types
    of 1, 2 and 4 words; `float_of_bits`, `bits_of_float` and `bits_of_int` turn words into what a fragment holds, and back.
    """

    package: ClassVar[str] = ""
    types: ClassVar[Mapping[DType, str]] = {}
    computed: ClassVar[tuple[DType, ...]] = (DType.FP32, DType.INT32)
    saturated: ClassVar[tuple[DType, ...]] = (DType.FP16, DType.BF16)
    infinity: ClassVar[str] = "INFINITY"
    not_a_number: ClassVar[str] = "NAN"
    library: ClassVar[Mapping[UnaryFn, str]] = {}
    whole_abs: ClassVar[str] = "abs"
    whole_order: ClassVar[tuple[str, str]] = ("min", "max")
    runs: ClassVar[Mapping[int, str]] = {1: "unsigned", 2: "uint2", 4: "uint4"}
    float_of_bits: ClassVar[str] = ""
    bits_of_float: ClassVar[str] = ""
    bits_of_int: ClassVar[str] = ""
    matrix_words: ClassVar[str] = "// Matrix instructions: sums += a · b."

    def __init__(self) -> None:
        self.used: dict[str, str] = {}

    # ---- headers

    def headers(self) -> Iterable[str]:
        """Return the names of the idioms' headers that this kernel needs; asked once all of it is printed."""
        return ()

    def device_text(self, name: str) -> str:
        """Return one of the hand-written headers of idioms."""
        return importlib.resources.files(self.package).joinpath("device", name).read_text("utf-8").strip()

    def preamble(self) -> str:
        """Return the idioms, and the matrix instructions that were printed."""
        parts = [self.device_text(name) for name in self.headers()]
        if self.used:
            parts.append("\n".join((self.matrix_words, *self.used.values())))
        return "\n\n".join(parts)

    # ---- values

    def scalar(self, dtype: DType) -> str:
        """Return the type's name.

        Raises
        ------
        EmitError
            If the language has none.
        """
        if dtype not in self.types:
            raise self._none(f"values of {dtype.value}")
        return self.types[dtype]

    def constant(self, value: float, dtype: DType) -> str:
        """Return a literal that reads back as exactly the value rounded to `dtype`, or to fp32 if that is shorter."""
        if not dtype.is_float:
            return str(int(value))
        if not np.isfinite(value):
            return self.not_a_number if np.isnan(value) else f"{'-' if value < 0 else ''}{self.infinity}"
        double = dtype is DType.FP64
        number = np.float64(value) if double else np.float32(value)
        text = np.format_float_positional(number, unique=True, trim="0")
        if len(text) > _LONGEST:
            text = np.format_float_scientific(number, unique=True, trim="0")
        return text if double else f"{text}f"

    def callee(self, fn: UnaryFn, dtype: DType, approximate: bool) -> str:
        """Return the name of the function that computes `fn` in floating-point type `dtype`."""
        return self.library[fn]

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return the call of a function, or what it is made of."""
        if dtype is DType.INT32 and (fn is UnaryFn.ABS or fn in _WHOLE):
            return x if fn in _WHOLE else f"{self.whole_abs}({x})"
        one = self.constant(1.0, dtype)
        if fn is UnaryFn.RECIPROCAL:
            return f"({one} / {x})"
        if fn is UnaryFn.RSQRT and fn not in self.library:
            return f"({one} / {self.callee(UnaryFn.SQRT, dtype, approximate)}({x}))"
        return f"{self.callee(fn, dtype, approximate)}({x})"

    def binary(self, fn: BinaryFn, dtype: DType, x: str, y: str) -> str:
        """Return the maximum or minimum."""
        return f"{fn.value if dtype.is_float else self.whole_order[fn is BinaryFn.MAXIMUM]}({x}, {y})"

    # ---- conversions

    def converted(self, value: str, dtype: DType) -> str:
        """Return the language's own conversion of an expression to a computed type."""
        return f"({self.scalar(dtype)})({value})"

    def widened(self, value: str, source: DType, target: DType) -> str:
        """Return the language's own conversion of a name or call; a byte is read from a word without its sign."""
        through = f"({self.scalar(source)})" if source in _BYTES else ""
        return f"({self.scalar(target)}){through}{value}"

    def clamped(self, value: str, target: DType) -> str:
        """Return an int as the nearest value of a shorter type."""
        low, high = self.whole_order
        return f"({self.scalar(target)}){low}({high}({value}, {int(target.lowest)}), {int(target.largest)})"

    def narrowed(self, value: str, source: DType, target: DType) -> str:
        """Return the call of the header's function that rounds a float to a stored type."""
        return f"to_{target.value}({value if source is DType.FP32 else self.converted(value, DType.FP32)})"

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return the conversion to what is stored."""
        if source is target or (target is DType.TF32 and source is DType.FP32):
            return value
        if not target.is_float:
            return self.clamped(value, target) if source is DType.INT32 else self.narrowed(value, source, target)
        if target in self.computed:
            return self.converted(value, target)
        if target not in self.types or target.bytes > 2:
            raise self._none(f"conversion from {source.value} to {target.value}")
        if saturate and target in self.saturated:
            limit = self.constant(target.largest, DType.FP32)
            value = f"minimum(maximum({value}, -{limit}), {limit})"
        return self.narrowed(value, source, target)

    def round_pair(self, low: str, high: str, source: DType, target: DType) -> str | None:
        """Return two conversions into one word."""
        if source is not DType.FP32 or target not in (DType.BF16, DType.FP16):
            return None
        return f"pair_{target.value}({low}, {high})"

    def cast(self, value: str, source: DType, target: DType) -> str:
        """Return the conversion to what is computed."""
        if target not in self.computed:
            raise self._none(f"arithmetic in {target.value}")
        if source is target or (source is DType.TF32 and target is DType.FP32):
            return value
        if source in self.types and source.is_float and source.bytes <= 2:
            text = f"from_{source.value}({value})"
            return text if target is DType.FP32 else self.widened(text, DType.FP32, target)
        if source in _BYTES or source in self.computed:
            return self.widened(value, source, target)
        raise self._none(f"conversion from {source.value}")

    # ---- memory

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element."""
        if rank is not None:
            raise self._none("shared memory of other blocks")
        return f"{buffer.name}[{offset.text}]"

    def run_at(self, words: int, address: str) -> str:
        """Return the words at an lvalue's place, as a value of ``runs[words]``."""
        return f"*(const {self.runs[words]}*)&{address}"

    def half_at(self, address: str) -> str:
        """Return the 16 bits at an lvalue's place."""
        return f"*(const unsigned short*)&{address}"

    def run_to(self, words: int, values: str, address: str) -> str:
        """Return the statement that stores words to an lvalue's place."""
        value = values if words == 1 else f"{self.runs[words]}{{{values}}}"
        return f"*({self.runs[words]}*)&{address} = {value};"

    def member(self, number: int) -> str:
        """Return a word of the value ``run``."""
        return f"run[{number}]"

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load, spread over the words."""
        self._refuse_double(packed, words)
        take = self.float_of_bits if packed.per_word == 1 and packed.dtype.is_float else ""
        run = self.run_at(words, address)
        if words == 1:
            return f"{packed.name}[{word.text}] = {take}({run});"
        spread = " ".join(f"{packed.name}[{plus(word, i)}] = {take}({self.member(i)});" for i in range(words))
        return f"{{ const {self.runs[words]} run = {run}; {spread} }}"

    def store_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide store."""
        self._refuse_double(packed, words)
        give = "" if packed.per_word > 1 else self.bits_of_float if packed.dtype.is_float else self.bits_of_int
        values = ", ".join(f"{give}({packed.name}[{plus(word, i)}])" for i in range(words))
        return self.run_to(words, values, address)

    def _refuse_double(self, packed: Packed, words: int) -> None:
        if packed.dtype is DType.FP64:
            raise self._none(f"{32 * words} bits of fp64 at once")

    # ---- steps

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return a barrier of the whole block."""
        if scope is not Scope.BLOCK:
            raise self._none(f"barriers of a {scope.value}")
        return self.block_barrier(name)

    def block_barrier(self, name: str) -> str:
        """Return the statement that waits for the whole block."""
        raise self._none("barriers")

    def wrapper(self, lanes: InstructionLanes) -> str:
        """Return the definition of the function that executes a matrix instruction."""
        raise self._none(lanes.name)

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the call of a matrix instruction."""
        if lanes.name not in self.used:
            self.used[lanes.name] = self.wrapper(lanes)
        return f"{lanes.name}({c.name}, {a.name}, {b.name});"


def plus(word: Term, offset: int) -> str:
    """Return the number of a register behind another one."""
    return f"{word.text} + {offset}" if offset else word.text
