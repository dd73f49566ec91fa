# SPDX-License-Identifier: MIT
"""HIP C++ for AMD GPUs: types, functions, waves and shared memory (LDS).

Fragments are vectors of the compiler's own kind, indexed like arrays, so that a matrix instruction finds its operands in
neighbouring registers without copies. No header of ROCm is used: what is needed stands in ``device/``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.words import Words
from tracea_core.ops.expr import UnaryFn
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of

from tracea_hip.emit.matrix import wrapper

TYPES = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "int8", DType.UINT8: "uint8", DType.FP8_E4M3: "fp8_e4m3", DType.FP8_E5M2: "fp8_e5m2",
    DType.FP8_E4M3FNUZ: "unsigned char", DType.FP8_E5M2FNUZ: "unsigned char",
}  # fmt: skip
_FUNCTIONS = {
    UnaryFn.ABS: "__builtin_fabsf", UnaryFn.LOG: "__builtin_logf", UnaryFn.SQRT: "__builtin_sqrtf",
    UnaryFn.FLOOR: "__builtin_floorf", UnaryFn.RINT: "__builtin_rintf",
    UnaryFn.EXP: "exp_of", UnaryFn.TANH: "tanh_of", UnaryFn.ERF: "erf_of",
}  # fmt: skip
_RUNS = {1: "unsigned", 2: "vector<unsigned, 2>", 4: "vector<unsigned, 4>"}


class HipDialect(Words):
    """The words of HIP C++ with the builtins of clang for AMD GPUs."""

    language = "hip"
    package = "tracea_hip"
    types = TYPES
    saturated = (DType.FP16, DType.BF16, DType.FP8_E4M3, DType.FP8_E5M2, DType.FP8_E4M3FNUZ, DType.FP8_E5M2FNUZ)
    infinity = "__builtin_inff()"
    not_a_number = '__builtin_nanf("")'
    library = _FUNCTIONS
    whole_abs = "__builtin_abs"
    whole_order = ("smaller", "larger")
    runs = _RUNS
    float_of_bits = "float_of"
    bits_of_float = "bits_of"
    bits_of_int = "unsigned"

    def __init__(self) -> None:
        super().__init__()
        self.own_functions = self.exchanges = self.short_floats = False

    # ---- values

    def callee(self, fn: UnaryFn, dtype: DType, approximate: bool) -> str:
        """Return a builtin, or a function of ``device/functions.h``, in single precision."""
        self.own_functions |= _FUNCTIONS[fn].endswith("_of")
        return _FUNCTIONS[fn]

    def narrowed(self, value: str, source: DType, target: DType) -> str:
        """Return the call of a conversion."""
        self.short_floats |= target.is_float and target.bytes == 1
        return super().narrowed(value, source, target)

    def cast(self, value: str, source: DType, target: DType) -> str:
        """Return the conversion to what is computed."""
        self.short_floats |= source.is_float and source.bytes == 1
        return super().cast(value, source, target)

    # ---- structure

    def headers(self) -> Iterable[str]:
        """Return the idioms of what was printed."""
        yield "common.h"
        if self.short_floats:
            yield "short_floats.h"
        if self.own_functions:
            yield "functions.h"
        if self.exchanges:
            yield "lanes.h"

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

    # ---- steps

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load: of the whole vector, or spread over the words."""
        if 1 < words == packed.words and packed.per_word > 1:
            return f"{packed.name} = {self.run_at(words, address)};"
        return super().load_run(packed, word, words, address)

    def block_barrier(self, name: str) -> str:
        """Return a barrier of the whole block."""
        return f"block_barrier();  // {name}"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return a shuffle of the whole wave."""
        if dtype is not DType.FP32:
            raise self._none(f"exchanges of {dtype.value} between lanes")
        self.exchanges = True
        return f"of_lane({value}, lane ^ {distance})"

    def wrapper(self, lanes: InstructionLanes) -> str:
        """Return the function that calls a matrix instruction's builtin."""
        return wrapper(lanes)

    def scheduling_fence(self) -> str:
        """Return the barrier across which nothing is scheduled."""
        return "__builtin_amdgcn_sched_barrier(0);"
