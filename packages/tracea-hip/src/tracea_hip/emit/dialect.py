# SPDX-License-Identifier: MIT
"""HIP C++ for AMD GPUs: types, conversions, functions, waves and shared memory (LDS).

Fragments are vectors of the compiler's own kind, indexed like arrays, so that a matrix instruction finds its operands in
neighbouring registers without copies. No header of ROCm is used: what is needed stands in ``device/``.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Sequence

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.ops.expr import BinaryFn, UnaryFn
from tracea_core.semantic.kernel import Buffer, Role, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of
from tracea_core.semantic.steps import Scope

from tracea_hip.emit.matrix import wrapper

TYPES = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "int8", DType.UINT8: "uint8", DType.FP8_E4M3: "fp8_e4m3", DType.FP8_E5M2: "fp8_e5m2",
}  # fmt: skip
_BUILTIN = {UnaryFn.ABS: "fabs", UnaryFn.LOG: "log", UnaryFn.SQRT: "sqrt", UnaryFn.FLOOR: "floor", UnaryFn.RINT: "rint"}
_OWN = {UnaryFn.EXP: "exp_of", UnaryFn.TANH: "tanh_of", UnaryFn.ERF: "erf_of"}
_COMPUTED = (DType.FP32, DType.INT32)
_WORDS = {1: "unsigned", 2: "vector<unsigned, 2>", 4: "vector<unsigned, 4>"}


def device_text(name: str) -> str:
    """Return one of the hand-written headers of idioms in ``device/``."""
    return importlib.resources.files("tracea_hip").joinpath("device", name).read_text("utf-8").strip()


class HipDialect(Dialect):
    """The words of HIP C++ with the builtins of clang for AMD GPUs."""

    language = "hip"

    def __init__(self) -> None:
        self.instructions: dict[str, str] = {}
        self.functions = self.exchanges = self.short_floats = False

    # ---- types and values

    def scalar(self, dtype: DType) -> str:
        """Return the C++ type."""
        return TYPES[dtype]

    def constant(self, value: float, dtype: DType) -> str:
        """Return a literal that reads back as exactly the value rounded to `dtype`."""
        if not dtype.is_float:
            return str(int(value))
        if not np.isfinite(value):
            sign = "-" if value < 0 else ""
            return '__builtin_nanf("")' if np.isnan(value) else f"{sign}__builtin_inff()"
        text = np.format_float_positional(np.float32(value), unique=True, trim="0")
        if len(text) > 14:
            text = np.format_float_scientific(np.float32(value), unique=True, trim="0")
        return f"{text}f"

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return the call of a builtin, or of a function of ``device/functions.h``, in single precision."""
        if dtype is DType.INT32:
            if fn is UnaryFn.ABS:
                return f"__builtin_abs({x})"
            if fn in (UnaryFn.FLOOR, UnaryFn.RINT):
                return x
        if fn is UnaryFn.RECIPROCAL:
            return f"(1.0f / {x})"
        if fn is UnaryFn.RSQRT:
            return f"(1.0f / __builtin_sqrtf({x}))"
        if fn in _OWN:
            self.functions = True
            return f"{_OWN[fn]}({x})"
        return f"__builtin_{_BUILTIN[fn]}f({x})"

    def binary(self, fn: BinaryFn, dtype: DType, x: str, y: str) -> str:
        """Return the maximum or minimum."""
        if not dtype.is_float:
            return f"{'larger' if fn is BinaryFn.MAXIMUM else 'smaller'}({x}, {y})"
        return f"{fn.value}({x}, {y})"

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return the conversion to what is stored."""
        if source is target or (target is DType.TF32 and source is DType.FP32):
            return value
        if not target.is_float:
            if source is DType.INT32:
                return f"({TYPES[target]})smaller(larger({value}, {int(target.lowest)}), {int(target.largest)})"
            return f"to_{target.value}({value})"
        if saturate and target.bytes < 4:
            limit = self.constant(target.largest, DType.FP32)
            value = f"minimum(maximum({value}, -{limit}), {limit})"
        self.short_floats |= target in (DType.FP8_E4M3, DType.FP8_E5M2)
        if target.bytes < 4:
            return f"to_{target.value}((float)({value}))" if source is not DType.FP32 else f"to_{target.value}({value})"
        if target is DType.FP32:
            return f"(float)({value})"
        raise self._none(f"conversion from {source.value} to {target.value}")

    def round_pair(self, low: str, high: str, source: DType, target: DType) -> str | None:
        """Return two conversions into one word."""
        if source is not DType.FP32 or target not in (DType.BF16, DType.FP16):
            return None
        return f"pair_{target.value}({low}, {high})"

    def cast(self, value: str, source: DType, target: DType) -> str:
        """Return the conversion to what is computed."""
        if target not in _COMPUTED:
            raise self._none(f"arithmetic in {target.value}")
        if source is target or (source is DType.TF32 and target is DType.FP32):
            return value
        if source in (DType.BF16, DType.FP16, DType.FP8_E4M3, DType.FP8_E5M2) and target is DType.FP32:
            self.short_floats |= source.bytes == 1
            return f"from_{source.value}({value})"
        if source in (DType.INT8, DType.UINT8):  # bytes are read from words without their sign
            return f"({TYPES[target]})({TYPES[source]}){value}"
        if source in (DType.FP32, DType.INT32):
            return f"({TYPES[target]}){value}"
        raise self._none(f"conversion from {source.value}")

    # ---- structure

    def preamble(self) -> str:
        """Return the idioms, and the matrix instructions that were printed."""
        parts = [device_text("common.h")]
        if self.short_floats:
            parts.append(device_text("short_floats.h"))
        if self.functions:
            parts.append(device_text("functions.h"))
        if self.exchanges:
            parts.append(device_text("lanes.h").strip())
        if self.instructions:
            parts.append("// Matrix instructions: sums += a · b.\n" + "\n".join(self.instructions.values()))
        return "\n\n".join(parts)

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return a pointer that nothing else aliases."""
        return f"{'const ' if constant else ''}{TYPES[dtype]}* __restrict__ {name}"

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the kernel's head. The size of a block is fixed, so that the compiler knows how many registers a thread may have."""
        arguments = ",\n    ".join((*pointers, *symbols))
        return f'extern "C" __global__ void __launch_bounds__({kernel.launch.threads}) {kernel.name}(\n    {arguments})'

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and block numbers, and where each shared buffer begins."""
        yield "const int thread = __builtin_amdgcn_workitem_id_x();"
        yield f"const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / {kernel.launch.threads};"
        plan = plan_of(kernel)
        if not plan.bytes:
            return
        yield f"__shared__ __attribute__((aligned(16))) unsigned char shared[{plan.bytes}];"
        for name, place in plan.buffers:
            kind = TYPES[kernel.buffer(name).dtype]
            yield f"{kind}* const {name} = ({kind}*)(shared + {place});"

    def uniform(self, value: str) -> str:
        """Return the value of the first lane, which lives in a scalar register."""
        return f"__builtin_amdgcn_readfirstlane({value})"

    def registers(self, packed: Packed, kind: str) -> str:
        """Return a vector where there are several words."""
        return f"{kind} {packed.name}[1]" if packed.words == 1 else f"vector<{kind}, {packed.words}> {packed.name}"

    # ---- memory

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element."""
        if rank is not None:
            raise self._none("shared memory of other blocks")
        return f"{buffer.name}[{offset.text}]"

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load, spread over the words."""
        kind = _WORDS[words]
        take = "" if packed.per_word > 1 or packed.dtype is DType.INT32 else "float_of"
        if words == 1:
            return f"{packed.name}[{word.text}] = {take}(*(const {kind}*)&{address});"
        if words == packed.words and not take:
            return f"{packed.name} = *(const {kind}*)&{address};"
        spread = " ".join(f"{packed.name}[{_plus(word, i)}] = {take}(run[{i}]);" for i in range(words))
        return f"{{ const {kind} run = *(const {kind}*)&{address}; {spread} }}"

    def store_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide store."""
        kind = _WORDS[words]
        give = "" if packed.per_word > 1 else "unsigned" if packed.dtype is DType.INT32 else "bits_of"
        values = ", ".join(f"{give}({packed.name}[{_plus(word, i)}])" for i in range(words))
        value = values if words == 1 else f"{kind}{{{values}}}"
        return f"*({kind}*)&{address} = {value};"

    # ---- steps

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return a barrier of the whole block."""
        if scope is not Scope.BLOCK:
            raise self._none(f"barriers of a {scope.value}")
        return f"block_barrier();  // {name}"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return a shuffle of the whole wave."""
        if dtype is not DType.FP32:
            raise self._none(f"exchanges of {dtype.value} between lanes")
        self.exchanges = True
        return f"of_lane({value}, lane ^ {distance})"

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the call of a matrix instruction."""
        self.instructions.setdefault(lanes.name, wrapper(lanes))
        return f"{lanes.name}({c.name}, {a.name}, {b.name});"

    def scheduling_fence(self) -> str:
        """Return the barrier across which nothing is scheduled."""
        return "__builtin_amdgcn_sched_barrier(0);"


def _plus(word: Term, offset: int) -> str:
    return f"{word.text} + {offset}" if offset else word.text
