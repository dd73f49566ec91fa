# SPDX-License-Identifier: MIT
"""OpenCL C: types, conversions, functions, work-groups, sub-groups and local memory.

The text is OpenCL C 1.2 with functions overloaded by type and address space, which every OpenCL compiler that is built on clang
has; what goes beyond (sub-groups of a fixed size, matrix instructions) is an extension that the text asks for by name.
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

from tracea_sycl.emit.matrix import wrapper

TYPES = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "char", DType.UINT8: "uchar",
}  # fmt: skip
_FUNCTIONS = {UnaryFn.ABS: "fabs"}
"""Functions that OpenCL C calls otherwise than core; each is one name for all floating-point types."""
_COMPUTED = (DType.FP64, DType.FP32, DType.INT32)
_ZERO_FILLED = (DType.INT8, DType.UINT8)
_MEMBERS = "0123"
_VECTORS = {"unsigned": "uint", "float": "float", "int": "int", "double": "double"}
_WIDTHS = (2, 4, 8, 16)


def device_text(name: str) -> str:
    """Return one of the hand-written headers of idioms in ``device/``."""
    return importlib.resources.files("tracea_sycl").joinpath("device", name).read_text("utf-8").strip()


class OpenClDialect(Dialect):
    """The words of OpenCL C."""

    language = "opencl"

    def __init__(self) -> None:
        self.instructions: dict[str, str] = {}
        self.doubles = False

    # ---- types and values

    def scalar(self, dtype: DType) -> str:
        """Return the type."""
        if dtype not in TYPES:
            raise self._none(f"values of {dtype.value}")
        self.doubles |= dtype is DType.FP64
        return TYPES[dtype]

    def constant(self, value: float, dtype: DType) -> str:
        """Return a literal that reads back as exactly the value rounded to `dtype`."""
        if not dtype.is_float:
            return str(int(value))
        double = dtype is DType.FP64
        if not np.isfinite(value):
            sign = "-" if value < 0 else ""
            return ("nan(0ul)" if double else "NAN") if np.isnan(value) else f"{sign}INFINITY"
        number = np.float64(value) if double else np.float32(value)
        text = np.format_float_positional(number, unique=True, trim="0")
        if len(text) > 14:
            text = np.format_float_scientific(number, unique=True, trim="0")
        return text if double else f"{text}f"

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return the call of a built-in function; `approximate` takes the device's native one where it is exact enough."""
        if dtype is DType.INT32:
            if fn is UnaryFn.ABS:
                return f"(int)abs({x})"
            if fn in (UnaryFn.FLOOR, UnaryFn.RINT):
                return x
        one = self.constant(1.0, dtype)
        if fn is UnaryFn.RECIPROCAL:
            return f"({one} / {x})"
        if fn is UnaryFn.RSQRT:
            return f"({one} / sqrt({x}))"
        return f"{_FUNCTIONS.get(fn, fn.value)}({x})"

    def binary(self, fn: BinaryFn, dtype: DType, x: str, y: str) -> str:
        """Return the maximum or minimum."""
        return f"{fn.value if dtype.is_float else fn.value[:3]}({x}, {y})"

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return the conversion to what is stored."""
        if source is target or (target is DType.TF32 and source is DType.FP32):
            return value
        if not target.is_float:
            if source is DType.INT32:
                return f"convert_{self.scalar(target)}_sat({value})"
            return f"to_{target.value}((float)({value}))" if source is DType.FP64 else f"to_{target.value}({value})"
        if saturate and target in (DType.FP16, DType.BF16):
            limit = self.constant(target.largest, DType.FP32)
            value = f"minimum(maximum({value}, -{limit}), {limit})"
        if target in (DType.BF16, DType.FP16):
            return f"to_{target.value}((float)({value}))" if source is not DType.FP32 else f"to_{target.value}({value})"
        if target in _COMPUTED:
            return f"({self.scalar(target)})({value})"
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
        if source in (DType.BF16, DType.FP16) and target.is_float:
            return f"from_{source.value}({value})"
        if source in _ZERO_FILLED:  # bytes are read from words without their sign
            return f"({self.scalar(target)})({TYPES[source]}){value}"
        if source in _COMPUTED:
            return f"({self.scalar(target)}){value}"
        raise self._none(f"conversion from {source.value}")

    # ---- structure

    def preamble(self) -> str:
        """Return the idioms, and the matrix instructions that were printed."""
        parts = [device_text("common.cl")]
        if self.doubles:
            parts.append(device_text("double.cl"))
        if self.instructions:
            parts.append(
                "// Matrix instructions of a sub-group: sums += a · b.\n" + "\n".join(self.instructions.values())
            )
        return "\n\n".join(parts)

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
        """Return a vector where the language has one so wide: Intel's compiler keeps arrays of larger kernels in memory."""
        if packed.words in _WIDTHS and kind in _VECTORS:
            return f"{_VECTORS[kind]}{packed.words} {packed.name}"
        return super().registers(packed, kind)

    # ---- memory

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element."""
        if rank is not None:
            raise self._none("shared memory of other blocks")
        return f"{buffer.name}[{offset.text}]"

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load, spread over the words."""
        take = self._words(packed, "as_float", words)
        if words == 1:
            return f"{packed.name}[{word.text}] = {take}(load_1(&{address}));"
        spread = " ".join(f"{packed.name}[{_plus(word, i)}] = {take}(run.s{_MEMBERS[i]});" for i in range(words))
        return f"{{ const uint{words} run = load_{words}(&{address}); {spread} }}"

    def store_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide store."""
        give = self._words(packed, "as_uint", words)
        values = ", ".join(f"{give}({packed.name}[{_plus(word, i)}])" for i in range(words))
        return f"store_run(&{address}, {values if words == 1 else f'(uint{words})({values})'});"

    def _words(self, packed: Packed, convert: str, words: int) -> str:
        """Return what turns a word into what the fragment holds, or back."""
        if packed.dtype is DType.FP64:
            raise self._none(f"{32 * words} bits of fp64 at once")
        return "" if packed.per_word > 1 or packed.dtype is DType.INT32 else convert

    # ---- steps

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return a barrier of the whole work-group."""
        if scope is not Scope.BLOCK:
            raise self._none(f"barriers of a {scope.value}")
        return f"barrier(CLK_LOCAL_MEM_FENCE);  // {name}"

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the call of a matrix instruction."""
        self.instructions.setdefault(lanes.name, wrapper(lanes))
        return f"{lanes.name}(&{c.name}, {a.name}, {b.name});"

    def scheduling_fence(self) -> str:
        """Return a fence of local memory, across which compilers move no access."""
        return "mem_fence(CLK_LOCAL_MEM_FENCE);"


def _plus(word: Term, offset: int) -> str:
    return f"{word.text} + {offset}" if offset else word.text
