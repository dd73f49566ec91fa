# SPDX-License-Identifier: MIT
"""Element types as LLVM sees them, and conversions between what is stored and what is computed with.

bf16, tf32 and fp8 are kept as the integers or floats that carry their bytes and converted by arithmetic on bits,
because LLVM turns their own types into library calls on processors without such instructions. Rounding is to nearest,
ties to even; integers saturate, and NaN becomes 0 in them.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import EmitError

from tracea_llvm.builder import Builder
from tracea_llvm.math import constant

_ELEMENT = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "i16", DType.FP16: "half",
    DType.FP8_E4M3: "i8", DType.FP8_E5M2: "i8", DType.INT8: "i8", DType.UINT8: "i8", DType.INT32: "i32",
}  # fmt: skip
_SUFFIX = {"double": "f64", "float": "f32", "half": "f16"}


def element(dtype: DType) -> str:
    """Return the LLVM type of one stored element."""
    return _ELEMENT[dtype]


def suffix(lanes: int, kind: str) -> str:
    """Return how intrinsics' names spell a vector: ``v8f32``."""
    return f"v{lanes}{_SUFFIX.get(kind, kind)}"


def literal(value: float, dtype: DType) -> str:
    """Return `value` as a constant of the stored type `dtype`.

    Raises
    ------
    EmitError
        If an integer type cannot hold it.
    """
    kind = element(dtype)
    if kind in ("float", "double"):
        return constant(value, kind)
    if kind == "half":
        return f"0xH{int(dtype.encode([value]).view('uint16')[0]):04X}"
    if not dtype.is_float and float(int(value)) != value:
        raise EmitError(f"{value} is no {dtype.value}")
    return str(int(dtype.encode([value])[0]))


class Converter:
    """Converts vectors of `lanes` elements; every method returns the name of the result.

    Parameters
    ----------
    rounds_bf16 : bool
        Whether the processor has an instruction that rounds to bf16 (VCVTNEPS2BF16, which counts subnormal numbers as zero).
    """

    def __init__(self, builder: Builder, lanes: int, rounds_bf16: bool = False) -> None:
        self.builder, self.lanes, self.rounds_bf16 = builder, lanes, rounds_bf16

    def vector(self, kind: str) -> str:
        """Return the LLVM type of a vector."""
        return f"<{self.lanes} x {kind}>"

    def convert(self, value: str, source: DType, target: DType, hint: str) -> str:
        """Return `value`, stored as `source`, as `target` stores it."""
        if source is target or (source is DType.TF32 and target is DType.FP32):
            return value
        if not source.is_float and not target.is_float:
            return self._between_integers(value, source, target, hint)
        if not target.is_float:
            return self._to_integer(*self._floating(value, source, hint), target, hint)
        if target is DType.FP64:
            found, kind = self._floating(value, source, hint)
            return found if kind == "double" else self._op(f"fpext {self.vector('float')} {found} to", "double", hint)
        return self.from_single(self._single(value, source, hint), target, hint)

    # ---- widening

    def _op(self, text: str, kind: str, hint: str) -> str:
        """Print a cast that ends in the resulting type."""
        return self.builder.here(f"{text} {self.vector(kind)}", hint)

    def _floating(self, value: str, source: DType, hint: str) -> tuple[str, str]:
        """Return the value as float, or as double where float would round it."""
        if source is DType.FP64:
            return value, "double"
        if source is DType.INT32:
            return self._op(f"sitofp {self.vector('i32')} {value} to", "double", hint), "double"
        return self._single(value, source, hint), "float"

    def _single(self, value: str, source: DType, hint: str) -> str:
        here = self.builder.here
        if source in (DType.FP32, DType.TF32):
            return value
        if source is DType.FP64:
            return self._op(f"fptrunc {self.vector('double')} {value} to", "float", hint)
        if source is DType.FP16:
            return self._op(f"fpext {self.vector('half')} {value} to", "float", hint)
        if source is DType.BF16:
            wide = self._op(f"zext {self.vector('i16')} {value} to", "i32", f"{hint}_bits")
            high = here(f"shl {self.vector('i32')} {wide}, splat (i32 16)", f"{hint}_bits")
            return self._op(f"bitcast {self.vector('i32')} {high} to", "float", hint)
        if source is DType.FP8_E5M2:
            wide = self._op(f"zext {self.vector('i8')} {value} to", "i16", f"{hint}_bits")
            high = here(f"shl {self.vector('i16')} {wide}, splat (i16 8)", f"{hint}_bits")
            half = self._op(f"bitcast {self.vector('i16')} {high} to", "half", f"{hint}_half")
            return self._op(f"fpext {self.vector('half')} {half} to", "float", hint)
        if source is DType.FP8_E4M3:
            return self._single_of_e4m3(value, hint)
        signed = "u" if source is DType.UINT8 else "s"
        return self._op(f"{signed}itofp {self.vector(element(source))} {value} to", "float", hint)

    def _single_of_e4m3(self, value: str, hint: str) -> str:
        """Exponent and fraction moved to where fp32 has them are the value times 2^-120, subnormals included."""
        here, i32, single = self.builder.here, self.vector("i32"), self.vector("float")
        wide = self._op(f"zext {self.vector('i8')} {value} to", "i32", f"{hint}_bits")
        magnitude = here(f"and {i32} {wide}, splat (i32 127)", f"{hint}_magnitude")
        shifted = here(f"shl {i32} {magnitude}, splat (i32 20)", f"{hint}_bits")
        tiny = self._op(f"bitcast {i32} {shifted} to", "float", hint)
        plain = here(f"fmul {single} {tiny}, splat (float {constant(2.0**120, 'float')})", hint)
        is_nan = here(f"icmp eq {i32} {magnitude}, splat (i32 127)", f"{hint}_is_nan")
        nan = f"splat (float {constant(float('nan'), 'float')})"
        known = here(f"select {self.vector('i1')} {is_nan}, {single} {nan}, {single} {plain}", hint)
        sign = here(f"shl {i32} {wide}, splat (i32 24)", f"{hint}_sign")
        signed = self._op(f"bitcast {i32} {sign} to", "float", f"{hint}_sign")
        copy = self.builder.intrinsic(
            single, f"llvm.copysign.{suffix(self.lanes, 'float')}", (single, known), (single, signed)
        )
        return here(copy, hint)

    # ---- narrowing

    def from_single(self, value: str, target: DType, hint: str) -> str:
        """Return float lanes rounded to the stored type `target`."""
        if target is DType.FP32:
            return value
        if target is DType.FP16:
            return self._op(f"fptrunc {self.vector('float')} {value} to", "half", hint)
        if target is DType.TF32:
            rounded = self._round_bits(value, 13, hint)
            kept = self.builder.here(f"and {self.vector('i32')} {rounded}, splat (i32 -8192)", f"{hint}_bits")
            return self._op(f"bitcast {self.vector('i32')} {kept} to", "float", hint)
        if target is DType.BF16 and self.rounds_bf16:
            kind, single = self.vector("bfloat"), self.vector("float")
            name = f"llvm.x86.avx512bf16.cvtneps2bf16.{32 * self.lanes}"
            short = self.builder.here(self.builder.intrinsic(kind, name, (single, value)), f"{hint}_short")
            return self._op(f"bitcast {kind} {short} to", "i16", hint)
        if target is DType.BF16:
            rounded = self._round_bits(value, 16, hint)
            high = self.builder.here(f"lshr {self.vector('i32')} {rounded}, splat (i32 16)", f"{hint}_bits")
            return self._op(f"trunc {self.vector('i32')} {high} to", "i16", hint)
        return self._to_fp8(value, target, hint)

    def _round_bits(self, value: str, dropped: int, hint: str) -> str:
        """Return the bits of float lanes after rounding away the `dropped` low ones; NaN stays NaN."""
        here, i32 = self.builder.here, self.vector("i32")
        bits = self._op(f"bitcast {self.vector('float')} {value} to", "i32", f"{hint}_bits")
        above = here(f"lshr {i32} {bits}, splat (i32 {dropped})", f"{hint}_above")
        odd = here(f"and {i32} {above}, splat (i32 1)", f"{hint}_odd")
        half = here(f"add {i32} {odd}, splat (i32 {(1 << (dropped - 1)) - 1})", f"{hint}_half")
        rounded = here(f"add {i32} {bits}, {half}", f"{hint}_bits")
        is_nan = here(f"fcmp uno {self.vector('float')} {value}, {value}", f"{hint}_is_nan")
        quiet = f"splat (i32 {0x7FC00000})"
        return here(f"select {self.vector('i1')} {is_nan}, {i32} {quiet}, {i32} {rounded}", f"{hint}_bits")

    def _to_fp8(self, value: str, target: DType, hint: str) -> str:
        """Round on the bits, and below the smallest normal number by adding 2^k, whose last place is a subnormal's step.

        Beyond the largest number is infinity in e5m2 and NaN in e4m3.
        """
        here, i32, single, i1 = self.builder.here, self.vector("i32"), self.vector("float"), self.vector("i1")
        fraction, bias = (3, 7) if target is DType.FP8_E4M3 else (2, 15)
        dropped = 23 - fraction
        absolute = self.builder.intrinsic(single, f"llvm.fabs.{suffix(self.lanes, 'float')}", (single, value))
        magnitude = here(absolute, f"{hint}_magnitude")
        bits = self._op(f"bitcast {single} {magnitude} to", "i32", f"{hint}_bits")
        rounded = self._round_bits(magnitude, dropped, hint)
        moved = here(f"lshr {i32} {rounded}, splat (i32 {dropped})", f"{hint}_bits")
        normal = here(f"sub {i32} {moved}, splat (i32 {(127 - bias) << fraction})", f"{hint}_normal")
        anchor = constant(2.0 ** (24 - bias - fraction), "float")
        lifted = here(f"fadd {single} {magnitude}, splat (float {anchor})", f"{hint}_lifted")
        lifted_bits = self._op(f"bitcast {single} {lifted} to", "i32", f"{hint}_lifted")
        anchor_bits = (127 + 24 - bias - fraction) << 23
        small = here(f"sub {i32} {lifted_bits}, splat (i32 {anchor_bits})", f"{hint}_small")
        is_small = here(f"icmp ult {i32} {bits}, splat (i32 {(128 - bias) << 23})", f"{hint}_is_small")
        code = here(f"select {i1} {is_small}, {i32} {small}, {i32} {normal}", f"{hint}_code")
        over = 0x7F if target is DType.FP8_E4M3 else 0x7C
        beyond = here(f"icmp ugt {i32} {code}, splat (i32 {126 if over == 0x7F else over})", f"{hint}_beyond")
        code = here(f"select {i1} {beyond}, {i32} splat (i32 {over}), {i32} {code}", f"{hint}_code")
        is_nan = here(f"fcmp uno {single} {value}, {value}", f"{hint}_is_nan")
        code = here(f"select {i1} {is_nan}, {i32} splat (i32 127), {i32} {code}", f"{hint}_code")
        raw = self._op(f"bitcast {single} {value} to", "i32", f"{hint}_raw")
        high = here(f"lshr {i32} {raw}, splat (i32 24)", f"{hint}_sign")
        sign = here(f"and {i32} {high}, splat (i32 128)", f"{hint}_sign")
        signed = here(f"or {i32} {code}, {sign}", f"{hint}_code")
        return self._op(f"trunc {i32} {signed} to", "i8", hint)

    # ---- integers

    def _between_integers(self, value: str, source: DType, target: DType, hint: str) -> str:
        wide = value
        if source is not DType.INT32:
            extend = "zext" if source is DType.UINT8 else "sext"
            wide = self._op(f"{extend} {self.vector('i8')} {value} to", "i32", hint)
        return self._narrow(wide, target, hint)

    def _narrow(self, value: str, target: DType, hint: str) -> str:
        if target is DType.INT32:
            return value
        low, high = (0, 255) if target is DType.UINT8 else (-128, 127)
        clamped = self._clamp("smin", self._clamp("smax", value, low, hint), high, hint)
        return self._op(f"trunc {self.vector('i32')} {clamped} to", "i8", hint)

    def _clamp(self, fn: str, value: str, limit: int, hint: str) -> str:
        i32 = self.vector("i32")
        bound = f"splat (i32 {limit})" if limit else "zeroinitializer"
        call = self.builder.intrinsic(i32, f"llvm.{fn}.{suffix(self.lanes, 'i32')}", (i32, value), (i32, bound))
        return self.builder.here(call, f"{hint}_clamped")

    def _to_integer(self, value: str, kind: str, target: DType, hint: str) -> str:
        vector, i32 = self.vector(kind), self.vector("i32")
        whole = self.builder.intrinsic(vector, f"llvm.rint.{suffix(self.lanes, kind)}", (vector, value))
        rounded = self.builder.here(whole, f"{hint}_rounded")
        name = f"llvm.fptosi.sat.{suffix(self.lanes, 'i32')}.{suffix(self.lanes, kind)}"
        return self._narrow(self.builder.here(self.builder.intrinsic(i32, name, (vector, rounded)), hint), target, hint)
