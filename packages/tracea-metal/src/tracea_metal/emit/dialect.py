# SPDX-License-Identifier: MIT
"""The Metal Shading Language: types, conversions, functions, simdgroup matrices and threadgroup memory.

Every pointer names its address space, so a wide access does too: the name before its bracket says where it lies. Casts are those that
compilers refuse between spaces. Shape symbols
are passed in one structure, since a kernel has no more than 31 buffers. Fragments are arrays of words, which a matrix
instruction puts into its operands' ``thread_elements()`` by the lane map of `tracea_core.semantic.lanes_other`, as MLX does
(steel/gemm/mma.h); that products of half or bfloat matrices are summed in float matrices is what llama.cpp relies on
(ggml-metal.metal, ``kernel_mul_mm``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.c.words import Words
from tracea_core.errors import EmitError
from tracea_core.ops.expr import UnaryFn
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of

TYPES = {
    DType.FP32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int", DType.INT8: "int8", DType.UINT8: "uint8",
}  # fmt: skip
_PRECISE = (UnaryFn.EXP, UnaryFn.LOG, UnaryFn.SQRT, UnaryFn.RSQRT, UnaryFn.TANH)
_FAST = (UnaryFn.EXP, UnaryFn.SQRT)
_FUNCTIONS: dict[UnaryFn, str] = {fn: fn.value for fn in (*_PRECISE, UnaryFn.FLOOR, UnaryFn.RINT)} | {
    UnaryFn.ABS: "fabs", UnaryFn.ERF: "erf_of",
}  # fmt: skip
_RUNS = {1: "uint", 2: "uint2", 4: "uint4"}
_MATRIX = {DType.FP16: "half", DType.BF16: "bfloat", DType.FP32: "float"}
_CHUNK = 16
_ATTRIBUTES = (
    "uint thread_index [[thread_index_in_threadgroup]]",
    "uint block_index [[threadgroup_position_in_grid]]",
    "uint block_count [[threadgroups_per_grid]]",
)


class MetalDialect(Words):
    """The words of MSL 2.3 (3.1 where bfloat matrices are multiplied). It has no doubles."""

    language = "metal"
    package = "tracea_metal"
    function = "inline"
    thread = "thread_number"  # `thread` is an address space
    types = TYPES
    library = _FUNCTIONS
    runs = _RUNS
    float_of_bits = "as_type<float>"
    bits_of_float = "as_type<uint>"
    bits_of_int = "uint"
    matrix_words = "// Matrix instructions of a simdgroup: sums += a · b."

    def __init__(self) -> None:
        super().__init__()
        self.own_functions = False
        self.spaces: dict[str, str] = {}

    # ---- values

    def callee(self, fn: UnaryFn, dtype: DType, approximate: bool) -> str:
        """Return a library function, precise or fast by name, whatever the compiler's own mode is."""
        self.own_functions |= fn is UnaryFn.ERF
        space = ("fast::" if approximate and fn in _FAST else "precise::") if fn in _PRECISE else ""
        return space + _FUNCTIONS[fn]

    def converted(self, value: str, dtype: DType) -> str:
        """Return a conversion written as a call."""
        return f"{self.scalar(dtype)}({value})"

    def widened(self, value: str, source: DType, target: DType) -> str:
        """Return a conversion written as a call; a byte is read from a word without its sign."""
        return self.converted(self.converted(value, source) if source.bytes == 1 else value, target)

    def clamped(self, value: str, target: DType) -> str:
        """Return an int as the nearest value of a shorter type."""
        return self.converted(f"min(max({value}, {int(target.lowest)}), {int(target.largest)})", target)

    # ---- structure

    def headers(self) -> Iterable[str]:
        """Return the idioms of what was printed."""
        yield "common.metal"
        if self.own_functions:
            yield "functions.metal"

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return a pointer to device memory."""
        return f"device {'const ' if constant else ''}{self.scalar(dtype)}* {name}"

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the structure of the symbols, and the kernel's head with a number for every buffer."""
        given = [*pointers, *(["constant Sizes& sizes"] if symbols else [])]
        arguments = ",\n    ".join((*(f"{text} [[buffer({i})]]" for i, text in enumerate(given)), *_ATTRIBUTES))
        fields = "".join(f"  {symbol};\n" for symbol in symbols)
        sizes = f"struct Sizes {{\n{fields}}};\n\n" if symbols else ""
        bound = f"[[max_total_threads_per_threadgroup({kernel.launch.threads})]]"
        return f"{sizes}{bound}\nkernel void {kernel.name}(\n    {arguments})"

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and threadgroup numbers, the symbols, and where each shared buffer begins."""
        self.spaces = {parameter.name: "device" for parameter in kernel.parameters}
        yield f"const int {self.thread} = int(thread_index), block = int(block_index), blocks = int(block_count);"
        for symbol in kernel.symbols:
            yield f"const {'i64' if symbol.wide else 'int'} {symbol.name} = sizes.{symbol.name};"
        plan = plan_of(kernel)
        if not plan.bytes:
            return
        if plan.alignment > _CHUNK:
            raise EmitError(f"threadgroup memory is aligned to {_CHUNK} bytes, not {plan.alignment}")
        yield f"threadgroup uint4 shared[{-(-plan.bytes // _CHUNK)}];"
        for name, place in plan.buffers:
            kind = self.scalar(kernel.buffer(name).dtype)
            self.spaces[name] = "threadgroup"
            yield f"threadgroup {kind}* const {name} = reinterpret_cast<threadgroup {kind}*>(shared + {place // _CHUNK});"

    # ---- memory

    def _wide(self, kind: str, address: str, constant: bool) -> str:
        """Return the place of an lvalue as one of another type in the same address space."""
        name, _, _ = (
            address.split("[", 1)[0].lstrip("(").partition(" ")
        )  # an element's, or a sum's that it is counted from
        space = self.spaces[name]
        return f"*reinterpret_cast<{space} {'const ' if constant else ''}{kind}*>(&{address})"

    def run_at(self, words: int, address: str) -> str:
        """Return the words at an lvalue's place."""
        return self._wide(_RUNS[words], address, True)

    def half_at(self, address: str) -> str:
        """Return the 16 bits at an lvalue's place."""
        return self._wide("ushort", address, True)

    def run_to(self, words: int, values: str, address: str) -> str:
        """Return the store of words to an lvalue's place."""
        value = values if words == 1 else f"{_RUNS[words]}({values})"
        return f"{self._wide(_RUNS[words], address, False)} = {value};"

    # ---- steps

    def block_barrier(self, name: str) -> str:
        """Return a barrier of the whole threadgroup."""
        return f"threadgroup_barrier(mem_flags::mem_threadgroup);  // {name}"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return a shuffle of the simdgroup."""
        if dtype is not DType.FP32:
            raise self._none(f"exchanges of {dtype.value} between lanes")
        return f"simd_shuffle_xor({value}, ushort({distance}))"

    def wrapper(self, lanes: InstructionLanes) -> str:
        """Return the function that executes a simdgroup matrix multiplication."""
        return wrapper(lanes)

    def scheduling_fence(self) -> str:
        """Return a barrier of the simdgroup, across which the compiler moves nothing."""
        return "simdgroup_barrier(mem_flags::mem_none);"


def wrapper(lanes: InstructionLanes) -> str:
    """Return the function ``name(sums, a, b)`` of a lane's words that executes one instruction.

    Raises
    ------
    EmitError
        If Metal has no such matrices.
    """
    element = _MATRIX.get(lanes.operand)
    if not lanes.name.startswith("simdgroup_") or element is None:
        raise EmitError(f"Apple GPUs have no {lanes.name}")
    word = "float" if element == "float" else "uint"
    lines = [f"inline void {lanes.name}(thread float* sums, const thread {word}* a, const thread {word}* b) {{"]
    lines.append(f"  simdgroup_{element}8x8 left, right;")
    lines.append("  simdgroup_float8x8 total;")
    for name, given in (("left", "a"), ("right", "b")):
        pair = f"float2({given}[0], {given}[1])" if element == "float" else f"as_type<{element}2>({given}[0])"
        lines.append(f"  const {element}2 {given}_pair = {pair};")
        lines += [f"  {name}.thread_elements()[{i}] = {given}_pair[{i}];" for i in range(2)]
    lines += [f"  total.thread_elements()[{i}] = sums[{i}];" for i in range(2)]
    lines.append("  simdgroup_multiply_accumulate(total, left, right, total);")
    lines += [f"  sums[{i}] = total.thread_elements()[{i}];" for i in range(2)]
    return "\n".join((*lines, "}"))
