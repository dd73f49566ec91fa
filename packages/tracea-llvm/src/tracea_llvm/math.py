# SPDX-License-Identifier: MIT
"""Elementary functions on vectors, as LLVM IR text: what `UnaryFn`, `BinaryFn` and `CompareFn` mean to LLVM.

Arithmetic maps to instructions and intrinsics; exp, log, tanh and erf are functions of their own, written once per
module for the vector type in use. They hold no operation that a vector of up to 256 bits lacks on AVX2 or NEON (exponents are
moved into and out of the integer by adding a large number, whose bits are positive and shifted as such), and no table. The
polynomials are in `tracea_core.ops.polynomials`.

Bounds, tested over all magnitudes and at ±0, ±∞ and NaN, in fp32 and in fp64: 2 ulp, of the smallest subnormal number at
least.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn, CompareFn, UnaryFn
from tracea_core.ops.polynomials import ERF, EXP, LOG, LOG_ERFC, TANH

_LN2 = {"float": (0.693359375, -2.12194440e-4), "double": (0.693147180369123816490, 1.90821492927058770002e-10)}
"""ln 2 in two parts, the first short enough that n times it is exact (Cody and Waite)."""

_SCALED_BITS = 512
"""A vector so wide is one of AVX-512, which multiplies by powers of two in one instruction and rounds once, subnormals as well."""
_CALLED = (UnaryFn.EXP, UnaryFn.LOG, UnaryFn.TANH, UnaryFn.ERF, UnaryFn.RSQRT)
_INTRINSIC = {
    UnaryFn.ABS: "fabs",
    UnaryFn.SQRT: "sqrt",
    UnaryFn.FLOOR: "floor",
    UnaryFn.RINT: "rint",
    BinaryFn.MAXIMUM: "maximum",
    BinaryFn.MINIMUM: "minimum",
}
_ARITHMETIC = {BinaryFn.ADD: "fadd", BinaryFn.SUB: "fsub", BinaryFn.MUL: "fmul", BinaryFn.DIV: "fdiv"}
_PREDICATE = {
    CompareFn.LT: "olt", CompareFn.LE: "ole", CompareFn.GT: "ogt", CompareFn.GE: "oge", CompareFn.EQ: "oeq",
    CompareFn.NE: "une",
}  # fmt: skip


def constant(value: float, element: str) -> str:
    """Return a floating-point constant as LLVM writes it: the bits, as a double, of what `element` rounds it to."""
    if element == "float":
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class MathLibrary:
    """The functions that one module needs, for one vector type.

    Parameters
    ----------
    lanes : int
        Elements of a vector.
    element : str
        ``float`` or ``double``.
    """

    def __init__(self, lanes: int, element: str) -> None:
        if element not in _LN2:
            raise EmitError(f"expressions are evaluated in float or double, not {element}")
        self.lanes, self.element = lanes, element
        self.type = f"<{lanes} x {element}>"
        bits = 32 if element == "float" else 64
        self.suffix = f"v{lanes}f{bits}"
        self.scales = lanes * bits == _SCALED_BITS
        self._functions: dict[str, list[str]] = {}
        self._declarations: set[str] = set()

    def splat(self, value: float) -> str:
        """Return the constant vector whose every lane is `value` (without its type)."""
        return f"splat ({self.element} {constant(value, self.element)})"

    def unary(self, fn: UnaryFn, x: str) -> str:
        """Return the right-hand side that applies `fn` to `x`."""
        if fn is UnaryFn.NEG:
            return f"fneg {self.type} {x}"
        if fn is UnaryFn.RECIPROCAL:
            return f"fdiv {self.type} {self.splat(1.0)}, {x}"
        if fn in _CALLED:
            return f"call {self.type} @{self._define(fn)}({self.type} {x})"
        return self.intrinsic(_INTRINSIC[fn], x)

    def in_place(self, fn: UnaryFn, x: str, let: Callable[[str], str]) -> str | None:
        """Print a function's operations one by one instead of a call; return the result, None where `unary` is one operation.

        Parameters
        ----------
        let : callable
            Prints an operation and returns the name of its value.
        """
        if fn not in _CALLED:
            return None
        result: str = getattr(_Body(self, let), fn.value)(x)
        return result

    def binary(self, fn: BinaryFn, x: str, y: str) -> str:
        """Return the right-hand side that applies `fn` to `x` and `y`."""
        if fn in _ARITHMETIC:
            return f"{_ARITHMETIC[fn]} {self.type} {x}, {y}"
        return self.intrinsic(_INTRINSIC[fn], x, y)

    def compare(self, fn: CompareFn, x: str, y: str) -> str:
        """Return the right-hand side that compares `x` and `y` into a vector of i1."""
        return f"fcmp {_PREDICATE[fn]} {self.type} {x}, {y}"

    def intrinsic(self, name: str, *arguments: str) -> str:
        """Return a call of ``llvm.name`` on vectors, and see that it is declared."""
        full = f"llvm.{name}.{self.suffix}"
        self._declarations.add(f"declare {self.type} @{full}({', '.join([self.type] * len(arguments))})")
        return f"call {self.type} @{full}({', '.join(f'{self.type} {argument}' for argument in arguments)})"

    def scale(self, x: str, n: str) -> str:
        """Return `x` times 2^n for whole numbers n, by AVX-512's instruction."""
        name = f"llvm.x86.avx512.mask.scalef.p{'s' if self.element == 'float' else 'd'}.{_SCALED_BITS}"
        mask, rounding = f"i{self.lanes}", 4  # as the processor is set
        self._declarations.add(f"declare {self.type} @{name}({self.type}, {self.type}, {self.type}, {mask}, i32)")
        return f"call {self.type} @{name}({self.type} {x}, {self.type} {n}, {self.type} zeroinitializer, {mask} -1, i32 {rounding})"

    def definitions(self) -> str:
        """Return the text of everything used so far: declarations, then functions."""
        bodies = ["\n".join(lines) for lines in self._functions.values()]
        return "\n\n".join([*(["\n".join(sorted(self._declarations))] if self._declarations else []), *bodies])

    def declarations(self) -> frozenset[str]:
        """Return the declarations used so far, for emitters that merge them with their own."""
        return frozenset(self._declarations)

    def functions(self) -> str:
        """Return the function definitions used so far, without declarations."""
        return "\n\n".join("\n".join(lines) for lines in self._functions.values())

    def _define(self, fn: UnaryFn) -> str:
        name = f"tracea_{fn.value}_{self.suffix}"
        if name not in self._functions:
            body = _Body(self)
            result = getattr(body, fn.value)("%x")
            head = f"define internal {self.type} @{name}({self.type} %x) noinline nounwind {{"
            self._functions[name] = [f"; {_COMMENT[fn]}", head, *body.lines, f"  ret {self.type} {result}", "}"]
        return name


_COMMENT = {
    UnaryFn.EXP: "e^x = 2^n e^r, n = rint(x / ln 2); subnormal results are rounded once",
    UnaryFn.LOG: "log x = n ln 2 + log(1 + f), with 1 + f between the square roots of 1/2 and 2",
    UnaryFn.TANH: "tanh x = x + x^3 P(x^2) below 0.625, 1 - 2 / (e^(2x) + 1) above",
    UnaryFn.ERF: "erf x = x + x (P(x^2) - 1) below 1, 1 - e^L(x) above",
    UnaryFn.RSQRT: "1 / sqrt x",
}


class _Body:
    """Straight-line text of one function; every method returns the name of its result."""

    def __init__(self, library: MathLibrary, let: Callable[[str], str] | None = None) -> None:
        self.library, self.lines = library, list[str]()
        self._print = let
        self.type, self.element = library.type, library.element
        wide = library.element == "double"
        self.int_name = "i64" if wide else "i32"
        self.integer = f"<{library.lanes} x {self.int_name}>"
        self.fraction_bits, self.bias = (52, 1023) if wide else (23, 127)

    # ---- single operations

    def let(self, text: str) -> str:
        if self._print is not None:
            return self._print(text)
        name = f"%t{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def c(self, value: float) -> str:
        return self.library.splat(value)

    def i(self, value: int) -> str:
        return f"splat ({self.int_name} {value})"

    def fma(self, x: str, y: str, z: str) -> str:
        return self.let(self.library.intrinsic("fma", x, y, z))

    def call(self, name: str, *arguments: str) -> str:
        return self.let(self.library.intrinsic(name, *arguments))

    def op(self, name: str, x: str, y: str) -> str:
        return self.let(f"{name} {self.type} {x}, {y}")

    def int_op(self, name: str, x: str, y: str) -> str:
        return self.let(f"{name} {self.integer} {x}, {y}")

    def bits(self, x: str) -> str:
        return self.let(f"bitcast {self.type} {x} to {self.integer}")

    def floating(self, x: str) -> str:
        return self.let(f"bitcast {self.integer} {x} to {self.type}")

    def choose(self, predicate: str, x: str, y: str, then: str, otherwise: str) -> str:
        condition = self.let(f"fcmp {predicate} {self.type} {x}, {y}")
        lanes = self.library.lanes
        return self.let(f"select <{lanes} x i1> {condition}, {self.type} {then}, {self.type} {otherwise}")

    def at_most(self, x: str, high: float) -> str:
        """Return the smaller of `x` and `high`. NaN stays NaN; AVX's minimum does that, too, if `x` comes second."""
        return self.choose("olt", self.c(high), x, self.c(high), x)

    def clamp(self, x: str, low: float, high: float) -> str:
        """Return `x` within bounds; NaN stays NaN."""
        return self.at_most(self.choose("ogt", self.c(low), x, self.c(low), x), high)

    def horner(self, coefficients: tuple[float, ...], x: str) -> str:
        value = self.c(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = self.fma(value, x, self.c(coefficient))
        return value

    # ---- functions

    def rsqrt(self, x: str) -> str:
        return self.op("fdiv", self.c(1.0), self.call("sqrt", x))

    def reduce(self, x: str) -> tuple[str, str, str]:
        """Return n = rint(x / ln 2), also as the low bits of a large number, and e^r with x = n ln 2 + r."""
        large = self.c(1.5 * 2.0**self.fraction_bits)  # numbers of this size are whole, so the sum rounds
        bits = self.fma(x, self.c(1.4426950408889634), large)
        n = self.op("fsub", bits, large)
        ln2_high, ln2_low = _LN2[self.element]
        r = self.fma(n, self.c(-ln2_low), self.fma(n, self.c(-ln2_high), x))
        q = self.horner(EXP[self.element], r)
        return n, bits, self.op("fadd", self.fma(q, self.op("fmul", r, r), r), self.c(1.0))

    def exp(self, x: str) -> str:
        inside = self.clamp(x, *((-746.0, 710.0) if self.element == "double" else (-105.0, 89.0)))
        n, bits, power = self.reduce(inside)
        if self.library.scales:
            return self.let(self.library.scale(power, n))
        whole = self.bits(bits)
        half = self.int_op("lshr", whole, self.i(1))  # n / 2, rounded down, as the low bits of what is positive
        for part in (half, self.int_op("sub", whole, half)):
            power = self.op("fmul", power, self.power_of_two(part))
        return power

    def exp_normal(self, x: str) -> str:
        """e^x where x and the result are known to be normal numbers."""
        _, bits, power = self.reduce(x)
        return self.op("fmul", power, self.power_of_two(self.bits(bits)))

    def power_of_two(self, n: str) -> str:
        """Return 2^n for the integer in the low bits of `n`: a factor, so that NaN stays NaN whatever it carries."""
        moved = self.int_op("shl", n, self.i(self.fraction_bits))
        return self.floating(self.int_op("add", moved, self.i(self.bias << self.fraction_bits)))

    def log(self, x: str) -> str:
        wide = self.element == "double"
        is_small = (x, self.c(2.2250738585072014e-308 if wide else 1.1754943508222875e-38))
        scaled = self.choose("olt", *is_small, self.op("fmul", x, self.c(2.0 ** (self.fraction_bits + 1))), x)
        shift = self.choose("olt", *is_small, self.c(self.fraction_bits + 1.0), self.c(0.0))
        code = ("<q", "<d") if wide else ("<i", "<f")
        root_half = struct.unpack(code[0], struct.pack(code[1], 0.7071067811865476))[0]
        # The exponent counts from the root of 1/2; its field, put below the leading one of a large number, is its value.
        from_root = self.i((self.bias << self.fraction_bits) - root_half)
        moved = self.int_op("add", self.bits(scaled), from_root)
        large = 2.0**self.fraction_bits
        large_bits = (self.fraction_bits + self.bias) << self.fraction_bits
        field = self.int_op("or", self.int_op("lshr", moved, self.i(self.fraction_bits)), self.i(large_bits))
        n = self.op("fsub", self.op("fsub", self.floating(field), self.c(large + self.bias)), shift)
        fraction = self.int_op("and", moved, self.i((1 << self.fraction_bits) - 1))
        f = self.op("fsub", self.floating(self.int_op("add", fraction, self.i(root_half))), self.c(1.0))
        square = self.op("fmul", f, f)
        tail = self.op("fmul", self.op("fmul", square, f), self.horner(LOG[self.element], f))
        ln2_high, ln2_low = _LN2[self.element]
        tail = self.fma(square, self.c(-0.5), self.fma(n, self.c(ln2_low), tail))
        result = self.fma(n, self.c(ln2_high), self.op("fadd", tail, f))
        result = self.choose("oeq", x, self.c(float("inf")), self.c(float("inf")), result)
        result = self.choose("oeq", x, self.c(0.0), self.c(float("-inf")), result)
        return self.choose("ult", x, self.c(0.0), self.c(float("nan")), result)

    def tanh(self, x: str) -> str:
        square = self.op("fmul", x, x)
        near = self.fma(self.op("fmul", self.horner(TANH[self.element], square), square), x, x)
        magnitude = self.call("fabs", x)
        inside = self.at_most(magnitude, 19.1 if self.element == "double" else 9.1)
        power = self.exp_normal(self.op("fadd", inside, inside))
        far = self.op("fsub", self.c(1.0), self.op("fdiv", self.c(2.0), self.op("fadd", power, self.c(1.0))))
        # Taking the sign last makes tanh(-0) -0, where the sum above is +0.
        return self.call("copysign", self.choose("olt", magnitude, self.c(0.625), near, far), x)

    def erf(self, x: str) -> str:
        first, *others = ERF[self.element]
        excess = self.horner((first - 1.0, *others), self.op("fmul", x, x))
        near = self.fma(excess, x, x)  # so that the polynomial's rounding counts for an eighth only
        magnitude = self.call("fabs", x)
        inside = self.at_most(magnitude, 5.93 if self.element == "double" else 3.93)
        complement = self.exp_normal(self.horner(LOG_ERFC[self.element], inside))
        far = self.call("copysign", self.op("fsub", self.c(1.0), complement), x)
        return self.choose("olt", magnitude, self.c(1.0), near, far)
