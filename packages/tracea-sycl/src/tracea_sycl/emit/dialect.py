# SPDX-License-Identifier: MIT
"""OpenCL C: types, functions, work-groups, sub-groups and local memory.

The text is OpenCL C 1.2 with functions overloaded by type and address space, which every OpenCL compiler that is built on clang
has; what goes beyond (sub-groups of a fixed size, matrix instructions) is an extension that the text asks for by name. Fragments
are vectors of the language where it has one so wide, since Intel's compiler keeps arrays of larger kernels in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term, multiply, symbol
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.words import Words
from tracea_core.ops.expr import UnaryFn
from tracea_core.semantic.kernel import Actor, Buffer, SemanticKernel, Space
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
_ELEMENTS = {DType.BF16: "ushort", DType.FP16: "ushort"}
"""What vectors hold of types that have names of their own here."""


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
        self.doubles = self.vectors = self.exchanges = False

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
        if self.vectors:
            yield "vectors.cl"
        if self.exchanges:
            yield "lanes.cl"

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return a pointer that nothing else aliases."""
        return f"__global {'const ' if constant else ''}{self.scalar(dtype)}* restrict {name}"

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the kernel's head. Its work-groups have one size; its sub-groups are the schedule's warps on devices that are told."""
        arguments = ",\n    ".join((*pointers, *symbols))
        attributes = f"__attribute__((reqd_work_group_size({kernel.launch.threads}, 1, 1)))"
        role = kernel.roles[0]
        if (
            role.actor is Actor.WORKER
        ):  # its compiler shall not put work-items into the lanes that the text fills itself
            widths = f"__attribute__((vec_type_hint({self.vector(DType.FP32, role.lanes)})))"
        else:
            widths = f"SUB_GROUPS_OF({role.lanes})"
        return f"{attributes}\n{widths}\n__kernel void {kernel.name}(\n    {arguments})"

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and block numbers, and where each shared buffer begins."""
        if kernel.roles[0].actor is not Actor.WORKER:
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

    # ---- vectors of a CPU

    def vector(self, dtype: DType, lanes: int) -> str:
        """Return the type."""
        self.vectors = True
        return f"{_ELEMENTS.get(dtype) or self.scalar(dtype)}{lanes}"

    def vector_of(self, kind: str, parts: Sequence[str]) -> str:
        """Return a vector literal."""
        return f"({kind})({', '.join(parts)})"

    def vector_part(self, vector: str, lane: int) -> str:
        """Return an element by its hexadecimal number."""
        return f"{vector}.s{lane:x}"

    def vector_load(self, lanes: int, address: str) -> str:
        """Return a load that needs the alignment of an element."""
        return f"vload{lanes}(0, &{address})"

    def vector_store(self, lanes: int, value: str, address: str) -> str:
        """Return a store that needs the alignment of an element."""
        return f"vstore{lanes}({value}, 0, &{address});"

    def prefetch(self, address: str, level: int, write: bool) -> str:
        """Return the language's one kind of request."""
        return f"prefetch(&{address}, 1);  // into cache {level}{', to write' if write else ''}"

    def worker_buffer(self, buffer: Buffer) -> str:
        """Return a pointer; a worker's own is named once its place is known."""
        return self.pointer(
            buffer.dtype, f"{buffer.name}_{'of_all' if buffer.space is Space.PANEL else 'own'}", constant=False
        )

    def own_buffer(self, buffer: Buffer, elements: Term) -> str:
        """Return the pointer to a worker's part."""
        kind = self.scalar(buffer.dtype)
        part = multiply(symbol("worker", 0, wide=True), elements)
        return f"__global {kind}* const {buffer.name}_own = {buffer.name}_of_all + {part.text};"

    # ---- memory

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element, or one of global memory, whose pointer is not called as loops over its content are."""
        if buffer.space is Space.SHARED:
            return super().element(buffer, offset, rank)
        return f"{buffer.name}_own[{offset.text}]"

    def run_at(self, words: int, address: str) -> str:
        """Return a load by a function that is overloaded by address space."""
        return f"load_{words}(&{address})"

    def half_at(self, address: str) -> str:
        """Return a load by a function that is overloaded by address space."""
        return f"load_half(&{address})"

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

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return an exchange between the lanes of a sub-group."""
        if dtype is not DType.FP32:
            raise self._none(f"exchanges of {dtype.value} between lanes")
        self.exchanges = True
        return f"of_lane({value}, {distance})"

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
