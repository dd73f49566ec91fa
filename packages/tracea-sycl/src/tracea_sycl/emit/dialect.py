# SPDX-License-Identifier: MIT
"""OpenCL C: types, functions, work-groups, sub-groups and local memory.

The text is OpenCL C 1.2 with functions overloaded by type and address space, which every OpenCL compiler that is built on clang
has; what goes beyond (sub-groups of a fixed size, matrix instructions) is an extension that the text asks for by name. Fragments
are vectors of the language where it has one so wide, since Intel's compiler keeps arrays of larger kernels in memory.
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

from tracea_sycl.emit.matrix import wrapper

TYPES = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "char", DType.UINT8: "uchar",
}  # fmt: skip
_INEXACT = (UnaryFn.RSQRT,)
_FUNCTIONS = {fn: fn.value for fn in UnaryFn if fn not in _INEXACT} | {UnaryFn.ABS: "fabs"}
"""One name for all floating-point types. Every device has a square root that is rounded well, few its reciprocal."""
_RUNS = {1: "uint", 2: "uint2", 4: "uint4"}
_VECTORS = {"unsigned": "uint", "float": "float", "int": "int", "double": "double"}
_WIDTHS = (2, 4, 8, 16)


class OpenClDialect(Words):
    """The words of OpenCL C."""

    language = "opencl"
    package = "tracea_sycl"
    types = TYPES
    computed = (DType.FP64, DType.FP32, DType.INT32)
    library = _FUNCTIONS
    whole_abs = "(int)abs"
    runs = _RUNS
    float_of_bits = "as_float"
    bits_of_float = "as_uint"
    matrix_words = "// Matrix instructions of a sub-group: sums += a · b."

    def __init__(self) -> None:
        super().__init__()
        self.doubles = False

    # ---- values

    def scalar(self, dtype: DType) -> str:
        """Return the type."""
        self.doubles |= dtype is DType.FP64
        return super().scalar(dtype)

    def clamped(self, value: str, target: DType) -> str:
        """Return an int as the nearest value of a shorter type."""
        return f"convert_{self.scalar(target)}_sat({value})"

    # ---- structure

    def headers(self) -> Iterable[str]:
        """Return the idioms of what was printed."""
        yield "common.cl"
        if self.doubles:
            yield "double.cl"

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return a pointer that nothing else aliases."""
        return f"__global {'const ' if constant else ''}{self.scalar(dtype)}* restrict {name}"

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the kernel's head. Its work-groups have one size; its sub-groups are the schedule's warps on devices that are told."""
        arguments = ",\n    ".join((*pointers, *symbols))
        attributes = f"__attribute__((reqd_work_group_size({kernel.launch.threads}, 1, 1)))"
        return f"{attributes}\nSUB_GROUPS_OF({kernel.roles[0].lanes})\n__kernel void {kernel.name}(\n    {arguments})"

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and block numbers, and where each shared buffer begins."""
        yield "const int thread = get_local_id(0);"
        yield "const int block = get_group_id(0), blocks = get_num_groups(0);"
        plan = plan_of(kernel)
        if not plan.bytes:
            return
        yield f"__local uchar shared[{plan.bytes}] __attribute__((aligned(16)));"
        for name, place in plan.buffers:
            kind = self.scalar(kernel.buffer(name).dtype)
            yield f"__local {kind}* const {name} = (__local {kind}*)(shared + {place});"

    def registers(self, packed: Packed, kind: str) -> str:
        """Return a vector where the language has one so wide."""
        if packed.words in _WIDTHS and kind in _VECTORS:
            return f"{_VECTORS[kind]}{packed.words} {packed.name}"
        return super().registers(packed, kind)

    # ---- memory

    def run_at(self, words: int, address: str) -> str:
        """Return a load by a function that is overloaded by address space."""
        return f"load_{words}(&{address})"

    def run_to(self, words: int, values: str, address: str) -> str:
        """Return a store by a function that is overloaded by address space."""
        return f"store_run(&{address}, {values if words == 1 else f'(uint{words})({values})'});"

    def member(self, number: int) -> str:
        """Return a word of a vector."""
        return f"run.s{number}"

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load: of the whole vector, or spread over the words."""
        if 1 < words == packed.words and packed.per_word > 1:
            return f"{packed.name} = {self.run_at(words, address)};"
        return super().load_run(packed, word, words, address)

    # ---- steps

    def block_barrier(self, name: str) -> str:
        """Return a barrier of the whole work-group."""
        return f"barrier(CLK_LOCAL_MEM_FENCE);  // {name}"

    def wrapper(self, lanes: InstructionLanes) -> str:
        """Return the function that calls a matrix instruction's built-in function."""
        return wrapper(lanes)

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the call of a matrix instruction on vectors."""
        super().mma(lanes, c, a, b)
        return f"{lanes.name}(&{c.name}, {a.name}, {b.name});"

    def scheduling_fence(self) -> str:
        """Return a fence of local memory, across which compilers move no access."""
        return "mem_fence(CLK_LOCAL_MEM_FENCE);"
