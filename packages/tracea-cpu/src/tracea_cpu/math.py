# SPDX-License-Identifier: MIT
"""Elementary functions on vectors, as LLVM IR text: what `UnaryFn`, `BinaryFn` and `CompareFn` mean on a CPU.

Arithmetic maps to instructions and intrinsics; exp, log, tanh and erf are functions of their own, written once per
module for the vector type in use. Their polynomials come from ``tools/fit_polynomials.py``. Bounds, tested over all
magnitudes and at ±0, ±∞ and NaN: exp, log and tanh within 2 ulp and erf within 4 ulp in fp32; all within 4 ulp in fp64
(exp of a result below the smallest normal number within one unit of its last place; tanh and erf near ±1 count ulps of
1).
"""

from __future__ import annotations

import struct

from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn, CompareFn, UnaryFn

EXP = {
    "float": (0.5000000013, 0.16666577, 0.04166646498, 0.008363175565, 0.001393364352),
    "double": (
        0.5, 0.1666666666666667099, 0.04166666666666667676, 0.008333333333326140323, 0.001388888888887908126,
        0.0001984126987480217347, 0.00002480158733642268478, 2.755725542387984165e-6, 2.755726330017861774e-7,
        2.510520706464423844e-8, 2.091812988660952101e-9,
    ),
}  # fmt: skip
LOG = {
    "float": (
        0.333333286, -0.2500029655, 0.2000146858, -0.166422476, 0.1420217382, -0.1297223899, 0.1271230768,
        -0.08101558333,
    ),
    "double": (
        0.333333333333333376, -0.2499999999999996707, 0.1999999999999293891, -0.1666666666667876136,
        0.1428571428764613884, -0.1249999999984582411, 0.1111111090708597464, -0.09999999813433898749,
        0.09090919843176910797, -0.08333351558154618028, 0.07691994959425623017, -0.071421019415739939,
        0.06671753751728686768, -0.06266466226088553322, 0.05840634276576145252, -0.05360856701882465373,
        0.05344417697462542429, -0.06134296167269101583, 0.0574855404875158491, -0.0257562736636062442,
    ),
}  # fmt: skip
TANH = {
    "float": (-0.333333291, 0.1333278226, -0.05385249747, 0.02100364122, -0.006104948011),
    "double": (
        -0.3333333333333333333, 0.1333333333333333281, -0.05396825396825309862, 0.02186948853609777145,
        -0.008863235527920382181, 0.003592127995535253651, -0.001455833835235048035, 0.0005900223876223104435,
        -0.0002390967072428805179, 0.00009676787232392471463, -0.00003880136237582776074, 0.00001483643998661233464,
        -4.773984115887860341e-6, 9.18393596276932587e-7,
    ),
}  # fmt: skip
ERF = {
    "float": (1.128379166, -0.376126269, 0.1128359746, -0.0268543288, 0.005189311943, -0.0008018854993, 7.88249711e-5),
    "double": (
        1.128379167095512574, -0.3761263890318374812, 0.1128379167095488157, -0.0268661706450773342,
        0.005223977624823222568, -0.0008548326981129665996, 0.0001205533112229926526, -0.00001492559551959604345,
        1.646100448096203468e-6, -1.635035446195965564e-7, 1.466005199839484768e-8, -1.137390229643091163e-9,
        5.958930743134941219e-11,
    ),
}  # fmt: skip
ERFCX = {
    "float": (
        -9.300192555e-5, 0.2839694354, 0.2658405277, 0.3257775735, -0.05688348934, 0.5044974423, -0.4306118101,
        0.1074706893,
    ),
    "double": (
        -1.249822465462930653e-8, 0.282095364356003943, 0.2820824999121366992, 0.2469971101223197437,
        0.1747823080654022441, 0.09423330591686367251, -0.05938751277171662179, 0.1674819112249960963,
        -0.7707715670617890099, 1.794310995404745155, -3.440517138279464187, 5.155124942169564029,
        -5.297352220617949767, 3.268470691697872577, -0.6688999443595840099, -0.6697814531903643411,
        0.6462158115129989585, -0.2408456939199437763, 0.03576087353247563974,
    ),
}  # fmt: skip

_LN2 = {"float": (0.693359375, -2.12194440e-4), "double": (0.693147180369123816490, 1.90821492927058770002e-10)}
"""ln 2 in two parts, the first short enough that n times it is exact (Cody and Waite)."""

_CALLED = (UnaryFn.EXP, UnaryFn.LOG, UnaryFn.TANH, UnaryFn.ERF)
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
    """Return a floating-point constant as LLVM writes it: the bits of the double with the value that `element` rounds
    to.
    """
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
        if element not in EXP:
            raise EmitError(f"expressions are evaluated in float or double, not {element}")
        self.lanes, self.element = lanes, element
        self.type = f"<{lanes} x {element}>"
        self.suffix = f"v{lanes}f{32 if element == 'float' else 64}"
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
        if fn is UnaryFn.RSQRT:
            return f"call {self.type} @{self._define(fn)}({self.type} {x})"
        return self.intrinsic(_INTRINSIC[fn], x)

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
    UnaryFn.EXP: "e^x = 2^n * e^r with n = rint(x / ln 2), scaled in two halves, so subnormals are rounded once",
    UnaryFn.LOG: "log x = n ln 2 + log(1 + f), with 1 + f between the square roots of 1/2 and 2",
    UnaryFn.TANH: "tanh x = x + x^3 P(x^2) below 0.625, 1 - 2 / (e^(2x) + 1) above",
    UnaryFn.ERF: "erf x = x P(x^2) below 1, 1 - e^(-x^2) Q(1 / (1 + x/2)) above",
    UnaryFn.RSQRT: "1 / sqrt(x)",
}


class _Body:
    """Straight-line text of one function; every method returns the name of its result."""

    def __init__(self, library: MathLibrary) -> None:
        self.library, self.lines = library, list[str]()
        self.type, self.element = library.type, library.element
        wide = library.element == "double"
        self.integer = f"<{library.lanes} x {'i64' if wide else 'i32'}>"
        self.int_suffix = f"v{library.lanes}{'i64' if wide else 'i32'}"
        self.fraction_bits, self.bias = (52, 1023) if wide else (23, 127)
        self.int_name = "i64" if wide else "i32"

    # ---- single operations

    def let(self, text: str) -> str:
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

    def horner(self, coefficients: tuple[float, ...], x: str) -> str:
        value = self.c(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = self.fma(value, x, self.c(coefficient))
        return value

    # ---- functions

    def rsqrt(self, x: str) -> str:
        return self.op("fdiv", self.c(1.0), self.call("sqrt", x))

    def exp(self, x: str) -> str:
        wide = self.element == "double"
        low, high = (-746.0, 710.0) if wide else (-105.0, 89.0)
        inside = self.call("maximum", self.call("minimum", x, self.c(high)), self.c(low))
        n = self.call("rint", self.op("fmul", inside, self.c(1.4426950408889634)))
        ln2_high, ln2_low = _LN2[self.element]
        r = self.fma(n, self.c(-ln2_high), inside)
        r = self.fma(n, self.c(-ln2_low), r)
        q = self.horner(EXP[self.element], r)
        p = self.op("fadd", self.fma(q, self.op("fmul", r, r), r), self.c(1.0))
        saturating = f"llvm.fptosi.sat.{self.int_suffix}.{self.library.suffix}"
        self.library._declarations.add(f"declare {self.integer} @{saturating}({self.type})")
        whole = self.let(f"call {self.integer} @{saturating}({self.type} {n})")
        half = self.int_op("ashr", whole, self.i(1))
        rest = self.int_op("sub", whole, half)
        result = p
        for part in (half, rest):
            biased = self.int_op("add", part, self.i(self.bias))
            result = self.op("fmul", result, self.floating(self.int_op("shl", biased, self.i(self.fraction_bits))))
        return result

    def log(self, x: str) -> str:
        smallest = 2.2250738585072014e-308 if self.element == "double" else 1.17549435e-38
        lift = float(2 ** (self.fraction_bits + 1))
        scaled = self.choose("olt", x, self.c(smallest), self.op("fmul", x, self.c(lift)), x)
        shift = self.choose("olt", x, self.c(smallest), self.c(self.fraction_bits + 1.0), self.c(0.0))
        root_half = struct.unpack("<q", struct.pack("<d", 0.7071067811865476))[0]
        if self.element == "float":
            root_half = struct.unpack("<i", struct.pack("<f", 0.70710678))[0]
        above = self.int_op("sub", self.bits(scaled), self.i(root_half))
        exponent = self.int_op("ashr", above, self.i(self.fraction_bits))
        mantissa_bits = self.int_op("sub", self.bits(scaled), self.int_op("shl", exponent, self.i(self.fraction_bits)))
        f = self.op("fsub", self.floating(mantissa_bits), self.c(1.0))
        n = self.op("fsub", self.let(f"sitofp {self.integer} {exponent} to {self.type}"), shift)
        square = self.op("fmul", f, f)
        tail = self.op("fmul", self.op("fmul", square, f), self.horner(LOG[self.element], f))
        ln2_high, ln2_low = _LN2[self.element]
        tail = self.fma(n, self.c(ln2_low), tail)
        tail = self.fma(square, self.c(-0.5), tail)
        result = self.fma(n, self.c(ln2_high), self.op("fadd", tail, f))
        result = self.choose("oeq", x, self.c(float("inf")), self.c(float("inf")), result)
        result = self.choose("oeq", x, self.c(0.0), self.c(float("-inf")), result)
        return self.choose("ult", x, self.c(0.0), self.c(float("nan")), result)

    def tanh(self, x: str) -> str:
        square = self.op("fmul", x, x)
        near = self.fma(self.op("fmul", self.horner(TANH[self.element], square), square), x, x)
        near = self.call("copysign", near, x)  # the sum of -0 and +0 is +0
        magnitude = self.call("fabs", x)
        power = self.let(self.library.unary(UnaryFn.EXP, self.op("fadd", magnitude, magnitude)))
        quotient = self.op("fdiv", self.c(2.0), self.op("fadd", power, self.c(1.0)))
        far = self.call("copysign", self.op("fsub", self.c(1.0), quotient), x)
        return self.choose("olt", magnitude, self.c(0.625), near, far)

    def erf(self, x: str) -> str:
        square = self.op("fmul", x, x)
        near = self.op("fmul", x, self.horner(ERF[self.element], square))
        magnitude = self.call("minimum", self.call("fabs", x), self.c(6.0))
        t = self.op("fdiv", self.c(1.0), self.fma(magnitude, self.c(0.5), self.c(1.0)))
        power = self.let(
            self.library.unary(UnaryFn.EXP, self.let(f"fneg {self.type} {self.op('fmul', magnitude, magnitude)}"))
        )
        product = self.op("fmul", power, self.horner(ERFCX[self.element], t))
        far = self.call("copysign", self.op("fsub", self.c(1.0), product), x)
        return self.choose("olt", self.call("fabs", x), self.c(1.0), near, far)
