# SPDX-License-Identifier: MIT
"""The element types, what each stores and how exactly it computes.

``eps`` is the unit roundoff u (half the spacing of 1.0), the quantity in the standard bound of a dot product,
|error| ≤ γ_k·Σ|a·b| with γ_k = k·u / (1 − k·u) (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed.,
§3.1).
"""

from __future__ import annotations

import enum
import functools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.errors import DTypeError


class _Facts(NamedTuple):
    bits: int
    kind: str  # "float" or "int"
    mantissa_bits: int  # explicit fraction bits; 0 for integers
    exponent_bits: int
    numpy_name: str | None  # the NumPy dtype with the same bytes and meaning, if NumPy has one
    storage_name: str  # the NumPy dtype that carries the bytes where it has none


class DType(enum.Enum):
    """An element type; the value is its public name, as in ``--dtype bf16``."""

    __hash__ = (
        object.__hash__
    )  # there is one of each: that of its name would be asked for in Python, thousands of times

    FP64 = "fp64"
    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8_E4M3 = "fp8_e4m3"
    FP8_E5M2 = "fp8_e5m2"
    FP8_E4M3FNUZ = "fp8_e4m3fnuz"
    FP8_E5M2FNUZ = "fp8_e5m2fnuz"
    INT8 = "int8"
    UINT8 = "uint8"
    INT32 = "int32"

    @classmethod
    def parse(cls, name: object) -> DType:
        """Return the type called `name` (also NumPy's and torch's names: ``float32``, ``half``, ``bfloat16``, …), or a type of theirs.

        Raises
        ------
        DTypeError
            If no type has that name.
        """
        if not isinstance(name, str):  # torch.float16 prints its name, numpy.float16 and numpy.dtype("float16") bear it
            name = getattr(name, "__name__", None) or getattr(name, "name", None) or str(name)
        key = str(name).removeprefix("torch.").lower()
        try:
            return cls(_ALIASES.get(key, key))
        except ValueError:
            raise DTypeError(
                f"unknown dtype {name!r}", hint="Known dtypes: " + ", ".join(d.value for d in cls)
            ) from None

    @property
    def bits(self) -> int:
        """Storage size of one element in bits (tf32 is stored in 32)."""
        return _FACTS[self].bits

    @property
    def bytes(self) -> int:
        """Storage size of one element in bytes."""
        return _FACTS[self].bits // 8

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return _FACTS[self].kind == "float"

    @property
    def eps(self) -> float:
        """Unit roundoff u = 2^-(fraction bits + 1); 0.0 for integers, which are exact."""
        facts = _FACTS[self]
        return 2.0 ** -(facts.mantissa_bits + 1) if facts.kind == "float" else 0.0

    @property
    def is_fnuz(self) -> bool:
        """Whether it is one of the 8-bit floats of gfx942: finite, one NaN where −0 would be, an exponent's bias larger by one."""
        return self in (DType.FP8_E4M3FNUZ, DType.FP8_E5M2FNUZ)

    @property
    def bias(self) -> int:
        """What is added to a floating-point type's exponent where it is stored."""
        return int(2 ** (_FACTS[self].exponent_bits - 1)) - 1 + self.is_fnuz

    @property
    def largest(self) -> float:
        """The largest finite value."""
        facts = _FACTS[self]
        if facts.kind == "int":
            return float(2 ** (facts.bits - (self is not DType.UINT8)) - 1)
        if self is DType.FP8_E4M3:
            return 448.0  # no infinities: its top exponent holds numbers, and only its last code is NaN
        top = 2**facts.exponent_bits - (
            1 if self.is_fnuz else 2
        )  # infinities and NaNs take the last exponent of others
        return math.ldexp(2.0 - 2.0**-facts.mantissa_bits, top - self.bias)

    @property
    def smallest(self) -> float:
        """The smallest positive value, subnormal for floating-point types."""
        facts = _FACTS[self]
        return math.ldexp(1.0, 1 - self.bias - facts.mantissa_bits) if self.is_float else 1.0

    @property
    def accumulator(self) -> DType:
        """The type that sums of products of this type are kept in unless another is asked for."""
        if not self.is_float:
            return DType.INT32
        return DType.FP64 if self is DType.FP64 else DType.FP32

    @property
    def numpy(self) -> np.dtype[np.generic] | None:
        """The NumPy dtype of the same meaning, or None (bf16, tf32 and fp8 have none)."""
        name = _FACTS[self].numpy_name
        return np.dtype(name) if name else None

    @property
    def storage(self) -> np.dtype[np.generic]:
        """The NumPy dtype whose arrays carry this type's bytes (uint16 for bf16, uint8 for fp8)."""
        return np.dtype(_FACTS[self].storage_name)

    @property
    def lowest(self) -> float:
        """The most negative finite value."""
        facts = _FACTS[self]
        if facts.kind == "int":
            return 0.0 if self is DType.UINT8 else -self.largest - 1
        return -self.largest

    @property
    def smallest_normal(self) -> float:
        """Smallest positive number with full precision; 0.0 for integers."""
        return 2.0 ** (1 - self.bias) if self.is_float else 0.0

    def encode(self, values: npt.ArrayLike) -> npt.NDArray[np.generic]:
        """Round float64 or integer `values` to this type and return its storage array (nearest, ties to even).

        Values beyond the largest finite one become infinite in types that have infinities, NaN in fp8 e4m3 and FNUZ; integers
        saturate, and take 0 for NaN.
        """
        array = np.asarray(values)
        facts = _FACTS[self]
        if facts.kind == "int":
            whole = np.rint(np.nan_to_num(array.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
            return np.clip(whole, self.lowest, self.largest).astype(self.storage)
        if facts.numpy_name:
            with np.errstate(over="ignore"):
                return array.astype(facts.numpy_name)
        return _encode_minifloat(array.astype(np.float64), self)

    def decode(self, stored: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        """Return the float64 values held by a storage array of this type (exact)."""
        facts = _FACTS[self]
        array = np.asarray(stored)
        if facts.numpy_name or self is DType.TF32:
            return array.astype(np.float64)
        if self is DType.BF16:
            with np.errstate(invalid="ignore"):  # widening a signalling NaN raises the flag
                return np.asarray((array.astype(np.uint32) << np.uint32(16)).view(np.float32), np.float64)
        return np.asarray(_fp8_table(self)[array])


_ALIASES = {
    "float64": "fp64", "double": "fp64", "f64": "fp64", "float32": "fp32", "float": "fp32", "f32": "fp32",
    "float16": "fp16", "half": "fp16", "f16": "fp16", "bfloat16": "bf16", "tfloat32": "tf32",
    "float8_e4m3fn": "fp8_e4m3", "float8_e5m2": "fp8_e5m2", "e4m3": "fp8_e4m3", "e5m2": "fp8_e5m2",
    "float8_e4m3fnuz": "fp8_e4m3fnuz", "float8_e5m2fnuz": "fp8_e5m2fnuz",
    "i8": "int8", "s8": "int8", "u8": "uint8", "i32": "int32", "int": "int32",
}  # fmt: skip

_FACTS = {
    DType.FP64: _Facts(64, "float", 52, 11, "float64", "float64"),
    DType.FP32: _Facts(32, "float", 23, 8, "float32", "float32"),
    DType.TF32: _Facts(32, "float", 10, 8, None, "float32"),
    DType.BF16: _Facts(16, "float", 7, 8, None, "uint16"),
    DType.FP16: _Facts(16, "float", 10, 5, "float16", "float16"),
    DType.FP8_E4M3: _Facts(8, "float", 3, 4, None, "uint8"),
    DType.FP8_E5M2: _Facts(8, "float", 2, 5, None, "uint8"),
    DType.FP8_E4M3FNUZ: _Facts(8, "float", 3, 4, None, "uint8"),
    DType.FP8_E5M2FNUZ: _Facts(8, "float", 2, 5, None, "uint8"),
    DType.INT8: _Facts(8, "int", 0, 0, "int8", "int8"),
    DType.UINT8: _Facts(8, "int", 0, 0, "uint8", "uint8"),
    DType.INT32: _Facts(32, "int", 0, 0, "int32", "int32"),
}


def _encode_minifloat(values: npt.NDArray[np.float64], dtype: DType) -> npt.NDArray[np.generic]:
    """Round to bf16, tf32 or fp8 by rounding the significand at its own exponent (subnormals included)."""
    facts, bias = _FACTS[dtype], dtype.bias
    finite = np.isfinite(values)
    _, exponent = np.frexp(np.where(finite, values, 0.0))
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, 1 - bias) - facts.mantissa_bits)
    rounded = np.where(finite, np.rint(np.where(finite, values, 0.0) / quantum) * quantum, values)
    if dtype in (DType.TF32, DType.BF16):
        with np.errstate(over="ignore"):
            single = rounded.astype(np.float32)
        if dtype is DType.TF32:
            return single
        bits = (single.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
        return np.where(np.isnan(single), np.uint16(0x7FC0), bits).astype(np.uint16)
    table = _fp8_table(dtype)
    overflow = np.abs(rounded) > dtype.largest
    rounded = np.where(overflow, np.copysign(np.inf if dtype is DType.FP8_E5M2 else np.nan, values), rounded)
    positive = table[:128]
    order = np.argsort(np.where(np.isnan(positive), np.inf, positive), kind="stable")
    numbers = positive[order][: np.count_nonzero(~np.isnan(positive))]
    codes = order[np.minimum(np.searchsorted(numbers, np.abs(rounded)), 127)]
    if dtype.is_fnuz:  # minus zero's code is NaN
        codes = np.where(codes == 0, 0, codes | np.where(np.signbit(rounded), 0x80, 0))
        return np.where(np.isnan(rounded), 0x80, codes).astype(np.uint8)
    codes = np.where(np.isnan(rounded), 0x7F, codes)
    return (codes | np.where(np.signbit(rounded), 0x80, 0)).astype(np.uint8)


@functools.cache
def _fp8_table(dtype: DType) -> npt.NDArray[np.float64]:
    """The 256 values of an 8-bit type.

    Sources: OFP8 Formats for Deep Learning, rev. 1.0, table 1; FNUZ: Noune et al., arXiv:2206.02915.
    """
    facts, bias = _FACTS[dtype], dtype.bias
    codes = np.arange(256)
    exponent = (codes >> facts.mantissa_bits) & (2**facts.exponent_bits - 1)
    fraction = (codes & (2**facts.mantissa_bits - 1)) / 2**facts.mantissa_bits
    magnitude = np.where(exponent == 0, np.ldexp(fraction, 1 - bias), np.ldexp(1 + fraction, exponent - bias))
    if dtype.is_fnuz:
        magnitude = np.where(codes == 0x80, np.nan, magnitude)
    elif dtype is DType.FP8_E4M3:
        magnitude = np.where(codes & 0x7F == 0x7F, np.nan, magnitude)
    else:
        magnitude = np.where(exponent == 31, np.where(fraction == 0, np.inf, np.nan), magnitude)
    return np.where(codes & 0x80, -magnitude, magnitude)
