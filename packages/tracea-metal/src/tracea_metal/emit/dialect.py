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

import importlib.resources
from collections.abc import Iterable, Sequence

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn, UnaryFn
from tracea_core.semantic.kernel import Buffer, Role, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of
from tracea_core.semantic.steps import Scope

TYPES = {
    DType.FP32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int", DType.INT8: "int8", DType.UINT8: "uint8",
}  # fmt: skip
_PRECISE = {
    UnaryFn.EXP: "exp", UnaryFn.LOG: "log", UnaryFn.SQRT: "sqrt", UnaryFn.RSQRT: "rsqrt", UnaryFn.TANH: "tanh",
}  # fmt: skip
_EXACT = {UnaryFn.ABS: "fabs", UnaryFn.FLOOR: "floor", UnaryFn.RINT: "rint"}
_FAST = (UnaryFn.EXP, UnaryFn.SQRT)
_COMPUTED = (DType.FP32, DType.INT32)
_RUN = {1: "uint", 2: "uint2", 4: "uint4"}
_MATRIX = {DType.FP16: "half", DType.BF16: "bfloat", DType.FP32: "float"}
_CHUNK = 16
_ATTRIBUTES = (
    "uint thread_index [[thread_index_in_threadgroup]]",
    "uint block_index [[threadgroup_position_in_grid]]",
    "uint block_count [[threadgroups_per_grid]]",
)


def device_text(name: str) -> str:
    """Return one of the hand-written headers of idioms in ``device/``."""
    return importlib.resources.files("tracea_metal").joinpath("device", name).read_text("utf-8").strip()


class MetalDialect(Dialect):
    """The words of MSL 2.3 (3.1 where bfloat matrices are multiplied)."""

    language = "metal"
    function = "inline"
    thread = "thread_number"  # `thread` is an address space

    def __init__(self) -> None:
        self.instructions: dict[str, str] = {}
        self.functions = False
        self.spaces: dict[str, str] = {}

    # ---- types and values

    def scalar(self, dtype: DType) -> str:
        """Return the type's name.

        Raises
        ------
        EmitError
            If Metal has no such type; it has no doubles.
        """
        if dtype not in TYPES:
            raise self._none(f"values of {dtype.value}")
        return TYPES[dtype]

    def constant(self, value: float, dtype: DType) -> str:
        """Return a literal that reads back as exactly the value rounded to `dtype`."""
        if not dtype.is_float:
            return str(int(value))
        if not np.isfinite(value):
            return "NAN" if np.isnan(value) else f"{'-' if value < 0 else ''}INFINITY"
        text = np.format_float_positional(np.float32(value), unique=True, trim="0")
        if len(text) > 14:
            text = np.format_float_scientific(np.float32(value), unique=True, trim="0")
        return f"{text}f"

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return the call of a library function, precise or fast by name, whatever the compiler's own mode is."""
        if dtype is DType.INT32 and fn in _EXACT:
            return f"abs({x})" if fn is UnaryFn.ABS else x
        if fn is UnaryFn.RECIPROCAL:
            return f"(1.0f / {x})"
        if fn is UnaryFn.ERF:
            self.functions = True
            return f"erf_of({x})"
        if fn in _EXACT:
            return f"{_EXACT[fn]}({x})"
        return f"{'fast' if approximate and fn in _FAST else 'precise'}::{_PRECISE[fn]}({x})"

    def binary(self, fn: BinaryFn, dtype: DType, x: str, y: str) -> str:
        """Return the maximum or minimum."""
        if not dtype.is_float:
            return f"{'max' if fn is BinaryFn.MAXIMUM else 'min'}({x}, {y})"
        return f"{fn.value}({x}, {y})"

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return the conversion to what is stored."""
        if source is target:
            return value
        if not target.is_float:
            if source is DType.INT32:
                return f"{self.scalar(target)}(min(max({value}, {int(target.lowest)}), {int(target.largest)}))"
            return f"to_{target.value}({value})"
        if saturate and target in (DType.FP16, DType.BF16):
            limit = self.constant(target.largest, DType.FP32)
            value = f"minimum(maximum({value}, -{limit}), {limit})"
        if target in (DType.BF16, DType.FP16):
            return f"to_{target.value}(float({value}))" if source is not DType.FP32 else f"to_{target.value}({value})"
        if target is DType.FP32:
            return f"float({value})"
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
        if source is target:
            return value
        if source in (DType.BF16, DType.FP16) and target is DType.FP32:
            return f"from_{source.value}({value})"
        if source in (DType.INT8, DType.UINT8):  # bytes are read from words without their sign
            return f"{TYPES[target]}({TYPES[source]}({value}))"
        if source in _COMPUTED:
            return f"{TYPES[target]}({value})"
        raise self._none(f"conversion from {source.value}")

    # ---- structure

    def preamble(self) -> str:
        """Return the idioms, and the matrix instructions that were printed."""
        parts = [device_text("common.metal")]
        if self.functions:
            parts.append(device_text("functions.metal"))
        if self.instructions:
            parts.append(
                "// Matrix instructions of a simdgroup: sums += a · b.\n" + "\n".join(self.instructions.values())
            )
        return "\n\n".join(parts)

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

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element."""
        if rank is not None:
            raise self._none("threadgroup memory of other blocks")
        return f"{buffer.name}[{offset.text}]"

    def _wide(self, kind: str, address: str, constant: bool) -> str:
        """Return the place of an lvalue as one of another type in the same address space."""
        space = self.spaces[address.split("[", 1)[0]]
        return f"*reinterpret_cast<{space} {'const ' if constant else ''}{kind}*>(&{address})"

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load, spread over the words."""
        kind = _RUN[words]
        take = "as_type<float>" if packed.dtype is DType.FP32 else ""
        place = self._wide(kind, address, True)
        if words == 1:
            return f"{packed.name}[{word.text}] = {take}({place});"
        spread = " ".join(f"{packed.name}[{_plus(word, i)}] = {take}(run[{i}]);" for i in range(words))
        return f"{{ const {kind} run = {place}; {spread} }}"

    def store_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide store."""
        kind = _RUN[words]
        give = "as_type<uint>" if packed.dtype is DType.FP32 else "uint" if packed.per_word == 1 else ""
        values = ", ".join(f"{give}({packed.name}[{_plus(word, i)}])" for i in range(words))
        return f"{self._wide(kind, address, False)} = {values if words == 1 else f'{kind}({values})'};"

    # ---- steps

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return a barrier of the whole threadgroup."""
        if scope is not Scope.BLOCK:
            raise self._none(f"barriers of a {scope.value}")
        return f"threadgroup_barrier(mem_flags::mem_threadgroup);  // {name}"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return a shuffle of the simdgroup."""
        if dtype is not DType.FP32:
            raise self._none(f"exchanges of {dtype.value} between lanes")
        return f"simd_shuffle_xor({value}, ushort({distance}))"

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the call of a simdgroup matrix multiplication."""
        self.instructions.setdefault(lanes.name, wrapper(lanes))
        return f"{lanes.name}({c.name}, {a.name}, {b.name});"

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


def _plus(word: Term, offset: int) -> str:
    return f"{word.text} + {offset}" if offset else word.text
