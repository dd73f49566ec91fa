# SPDX-License-Identifier: MIT
"""CUDA C++ for every NVIDIA GPU: types, conversions, functions, threads and ordinary shared memory."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.ops.expr import BinaryFn, UnaryFn
from tracea_core.semantic.kernel import Buffer, Role, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of
from tracea_core.semantic.steps import AsyncKind, Scope

TYPES = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "int8", DType.UINT8: "uint8", DType.FP8_E4M3: "fp8_e4m3", DType.FP8_E5M2: "fp8_e5m2",
}  # fmt: skip
_FUNCTIONS = {
    UnaryFn.ABS: "fabs", UnaryFn.EXP: "exp", UnaryFn.LOG: "log", UnaryFn.SQRT: "sqrt", UnaryFn.RSQRT: "rsqrt",
    UnaryFn.TANH: "tanh", UnaryFn.ERF: "erf", UnaryFn.FLOOR: "floor", UnaryFn.RINT: "rint",
}  # fmt: skip
_FAST = {UnaryFn.EXP: "fast_exp", UnaryFn.RECIPROCAL: "fast_reciprocal", UnaryFn.SQRT: "fast_sqrt"}
_COMPUTED = (DType.FP64, DType.FP32, DType.INT32)
_RUN = {1: "unsigned", 2: "uint2", 4: "uint4"}
_LANES = "xyzw"
_TO_TF32 = "INLINE float to_tf32(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u); }"


def device_text(name: str) -> str:
    """Return one of the hand-written headers of idioms in ``device/``."""
    return importlib.resources.files("tracea_cuda").joinpath("device", name).read_text("utf-8")


class CudaDialect(Dialect):
    """What all architectures share; `tracea_cuda.emit.hopper` adds the idioms of sm_90a."""

    language = "cuda"
    headers: tuple[str, ...] = ("common.cuh",)
    power_of_two = "fast_exp2"

    def __init__(self) -> None:
        self.kernel: SemanticKernel | None = None
        self.used: dict[str, str] = {}
        self.warp_idioms = self.short_floats = False

    # ---- types and values

    def scalar(self, dtype: DType) -> str:
        """Return the C++ type."""
        return TYPES[dtype]

    def constant(self, value: float, dtype: DType) -> str:
        """Return a literal that reads back as exactly the value rounded to `dtype`."""
        if not dtype.is_float:
            return str(int(value))
        if dtype is DType.FP64:
            return repr(float(value))
        import numpy as np

        text = np.format_float_positional(np.float32(value), unique=True, trim="0")
        if len(text) > 14:
            text = np.format_float_scientific(np.float32(value), unique=True, trim="0")
        return f"{text}f"

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return the call of a function of the CUDA math library, in the precision of `dtype`, or of the special function unit."""
        if approximate and dtype is DType.FP32 and fn in _FAST:
            return f"{_FAST[fn]}({x})"
        if dtype is DType.INT32 and fn in (UnaryFn.ABS, UnaryFn.FLOOR, UnaryFn.RINT):
            return f"abs({x})" if fn is UnaryFn.ABS else x
        suffix = "f" if dtype is not DType.FP64 else ""
        if fn is UnaryFn.RECIPROCAL:
            return f"({self.constant(1.0, dtype)} / {x})"
        return f"{_FUNCTIONS[fn]}{suffix}({x})"

    def quotient(self, dtype: DType, x: str, y: str) -> str:
        """Return a quotient by way of the reciprocal."""
        return f"({x} * fast_reciprocal({y}))" if dtype is DType.FP32 else f"({x} / {y})"

    def binary(self, fn: BinaryFn, dtype: DType, x: str, y: str) -> str:
        """Return the maximum or minimum."""
        if not dtype.is_float:
            return f"{'max' if fn is BinaryFn.MAXIMUM else 'min'}({x}, {y})"
        return f"{fn.value}({x}, {y})"

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return the conversion to what is stored."""
        if source is target:
            return value
        if target is DType.TF32 and source is DType.FP32:
            self.used.setdefault("to_tf32", _TO_TF32)
            return f"to_tf32({value})"
        if not target.is_float:
            if source is DType.INT32:
                low, high = int(target.lowest), int(target.largest)
                return f"({TYPES[target]})min(max({value}, {low}), {high})"
            return f"to_{target.value}((float){value})"
        if saturate and target in (DType.FP16, DType.BF16):
            limit = self.constant(target.largest, DType.FP32)
            value = f"minimum(maximum({value}, -{limit}), {limit})"
        if target in (DType.BF16, DType.FP16):
            return f"to_{target.value}((float)({value}))" if source is not DType.FP32 else f"to_{target.value}({value})"
        if target in (DType.FP32, DType.FP64):
            return f"({TYPES[target]})({value})"
        if target in (DType.FP8_E4M3, DType.FP8_E5M2):
            self.short_floats = True
            return f"to_{target.value}((float)({value}))"
        raise self._none(f"conversion from {source.value} to {target.value}")

    def round_pair(self, low: str, high: str, source: DType, target: DType) -> str | None:
        """Return two conversions in one instruction."""
        if source is not DType.FP32 or target not in (DType.BF16, DType.FP16):
            return None
        return f"pair_{target.value}({low}, {high})"

    def cast(self, value: str, source: DType, target: DType) -> str:
        """Return the conversion to what is computed."""
        if source is target:
            return value
        if target not in _COMPUTED:
            raise self._none(f"arithmetic in {target.value}")
        if source in (DType.BF16, DType.FP16):
            text = f"from_{source.value}({value})"
            return text if target is DType.FP32 else f"({TYPES[target]}){text}"
        if source in (DType.FP8_E4M3, DType.FP8_E5M2):
            self.short_floats = True
            text = f"from_{source.value}({value})"
            return text if target is DType.FP32 else f"({TYPES[target]}){text}"
        if source in (DType.INT8, DType.UINT8):  # bytes are read from words without their sign
            return f"({TYPES[target]})({TYPES[source]}){value}"
        return f"({TYPES[target]}){value}"

    # ---- structure

    def preamble(self) -> str:
        """Return the idioms, and the instructions that this kernel uses; an emulator that brings its own defines the macro."""
        used = (("ampere.cuh", self.warp_idioms), ("fp8.cuh", self.short_floats))
        headers = (*self.headers, *(name for name, wanted in used if wanted))
        idioms = "\n".join(device_text(name).strip() for name in headers)
        lines = [*self.instructions()]
        tail = "\n" + "\n".join(lines) if lines else ""
        return f"#ifndef TRACEA_DEVICE_TWINS\n{idioms}{tail}\n#endif"

    def instructions(self) -> Iterable[str]:
        """Return the wrappers of the matrix instructions that were printed."""
        return self.used.values()

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return a pointer that nothing else aliases."""
        return f"{'const ' if constant else ''}{TYPES[dtype]}* __restrict__ {name}"

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the kernel's head."""
        cluster = f" __cluster_dims__({kernel.launch.cluster}, 1, 1)" if kernel.launch.cluster > 1 else ""
        arguments = ",\n    ".join((*self.leading_parameters(kernel), *pointers, *symbols))
        bounds = f"__launch_bounds__({kernel.launch.threads}, 1)"
        return f'extern "C" __global__ void{cluster} {bounds} {kernel.name}(\n    {arguments})'

    def leading_parameters(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return parameters before the pointers."""
        return ()

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and block numbers, and where each shared buffer begins."""
        self.kernel = kernel
        yield "const int thread = threadIdx.x;"
        yield "const int block = blockIdx.x, blocks = gridDim.x;"
        plan = plan_of(kernel)
        if not plan.bytes:
            return
        yield "extern __shared__ unsigned char shared_memory[];"
        mask = plan.alignment - 1
        yield f"unsigned char* const shared = shared_memory + (-(size_t)shared_memory & {mask});"
        for name, place in plan.buffers:
            kind = TYPES[kernel.buffer(name).dtype]
            yield f"{kind}* const {name} = ({kind}*)(shared + {place});"

    # ---- memory

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element."""
        if rank is not None:
            raise self._none("shared memory of other blocks")
        return f"{buffer.name}[{offset.text}]"

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide load, spread over the words."""
        kind = _RUN[words]
        take = "" if packed.per_word > 1 or packed.dtype is DType.INT32 else "__uint_as_float"
        if words == 1:
            return f"{packed.name}[{word.text}] = {take}(*(const {kind}*)&{address});"
        spread = " ".join(f"{packed.name}[{_plus(word, i)}] = {take}(run.{_LANES[i]});" for i in range(words))
        return f"{{ const {kind} run = *(const {kind}*)&{address}; {spread} }}"

    def store_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return one wide store."""
        kind = _RUN[words]
        give = "" if packed.per_word > 1 or packed.dtype is DType.INT32 else "__float_as_uint"
        values = ", ".join(f"{give}({packed.name}[{_plus(word, i)}])" for i in range(words))
        value = values if words == 1 else f"make_{kind}({values})"
        return f"*({kind}*)&{address} = {value};"

    def matrix_load(
        self, packed: Packed, word: int, matrices: int, buffer: Buffer, offset: Term, transposed: bool
    ) -> str:
        """Return ldmatrix."""
        self.warp_idioms = True
        turned = "_transposed" if transposed else ""
        return f"matrices{matrices}{turned}(&{packed.name}[{word}], &{buffer.name}[{offset.text}]);"

    def async_copy(self, bytes_: int, target: str, source: str, test: str) -> str:
        """Return cp.async."""
        self.warp_idioms = True
        return f"copy_async{bytes_}(&{target}, &{source}, {test});"

    def commit(self, kind: AsyncKind) -> str:
        """Return the end of a group of copies."""
        if kind is not AsyncKind.COPY:
            return super().commit(kind)
        return "copy_commit();"

    def wait(self, kind: AsyncKind, pending: int) -> str:
        """Return the wait for groups of copies."""
        if kind is not AsyncKind.COPY:
            return super().wait(kind, pending)
        return f"copy_wait<{pending}>();"

    # ---- steps

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return a barrier of the whole block."""
        if scope is not Scope.BLOCK:
            raise self._none(f"barriers of a {scope.value}")
        return "__syncthreads();"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return a shuffle of the whole warp."""
        return f"__shfl_xor_sync(0xffffffffu, {value}, {distance})"

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return mma.sync."""
        self.used.setdefault(lanes.name, warp_mma(lanes))
        return f"{lanes.name}({c.name}, {a.name}, {b.name});"

    def scheduling_fence(self) -> str:
        """Return the compiler barrier."""
        return 'asm volatile("" ::: "memory");'


PTX = {
    DType.BF16: "bf16", DType.FP16: "f16", DType.TF32: "tf32", DType.FP8_E4M3: "e4m3", DType.FP8_E5M2: "e5m2", DType.INT8: "s8",
    DType.UINT8: "u8", DType.FP32: "f32", DType.INT32: "s32", DType.FP64: "f64",
}  # fmt: skip
"""Names of element types in PTX."""


def warp_mma(lanes: InstructionLanes) -> str:
    """Return the wrapper of one mma.sync: a function of arrays of registers."""
    assert lanes.a is not None and lanes.b is not None
    words = [part.registers * lanes.operand.bytes // 4 for part in (lanes.a, lanes.b)]
    count = lanes.c.registers
    kind, letter = ("float", "f") if lanes.accumulator is DType.FP32 else ("int", "r")
    places = iter(range(count + sum(words)))
    sums, a, b = (", ".join(f"%{next(places)}" for _ in range(size)) for size in (count, *words))
    outputs = ", ".join(f'"+{letter}"(c[{i}])' for i in range(count))
    source = TYPES[lanes.operand] if lanes.operand is DType.TF32 else "unsigned"
    give = "__float_as_uint" if lanes.operand is DType.TF32 else ""
    inputs = ", ".join(f'"r"({give}({name}[{i}]))' for name, size in zip("ab", words, strict=True) for i in range(size))
    types = f"{PTX[lanes.accumulator]}.{PTX[lanes.operand]}.{PTX[lanes.operand]}.{PTX[lanes.accumulator]}"
    shape = f"m{lanes.m}n{lanes.n}k{lanes.k}"
    return (
        f"INLINE void {lanes.name}({kind} (&c)[{count}], const {source} (&a)[{words[0]}], const {source} (&b)[{words[1]}]) {{\n"
        f'  asm volatile("mma.sync.aligned.{shape}.row.col.{types} {{{sums}}}, {{{a}}}, {{{b}}}, {{{sums}}};"\n'
        f"      : {outputs}\n"
        f"      : {inputs});\n"
        f"}}"
    )


def _plus(word: Term, offset: int) -> str:
    return f"{word.text} + {offset}" if offset else word.text
