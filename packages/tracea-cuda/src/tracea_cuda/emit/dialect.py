# SPDX-License-Identifier: MIT
"""CUDA C++ for every NVIDIA GPU: types, conversions, functions, threads and ordinary shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.words import Words
from tracea_core.ops.expr import UnaryFn
from tracea_core.semantic.kernel import Buffer, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of
from tracea_core.semantic.steps import AsyncKind

TYPES = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "int8", DType.UINT8: "uint8", DType.FP8_E4M3: "fp8_e4m3", DType.FP8_E5M2: "fp8_e5m2",
}  # fmt: skip
_FUNCTIONS: dict[UnaryFn, str] = {fn: fn.value for fn in UnaryFn} | {UnaryFn.ABS: "fabs"}
_FAST = {UnaryFn.EXP: "fast_exp", UnaryFn.RECIPROCAL: "fast_reciprocal", UnaryFn.SQRT: "fast_sqrt"}
_LANES = "xyzw"
_TO_TF32 = "INLINE float to_tf32(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u); }"


class CudaDialect(Words):
    """What all architectures share; `tracea_cuda.emit.hopper` adds the idioms of sm_90a."""

    language = "cuda"
    package = "tracea_cuda"
    idioms: tuple[str, ...] = ("common.cuh",)
    power_of_two = "fast_exp2"
    types = TYPES
    computed = (DType.FP64, DType.FP32, DType.INT32)
    infinity = "__int_as_float(0x7f800000)"
    not_a_number = "__int_as_float(0x7fffffff)"
    library = _FUNCTIONS
    float_of_bits = "__uint_as_float"
    bits_of_float = "__float_as_uint"
    begin_next_kernel = 'asm volatile("griddepcontrol.launch_dependents;" ::: "memory");'
    await_kernel = 'asm volatile("griddepcontrol.wait;" ::: "memory");'

    def __init__(self) -> None:
        super().__init__()
        self.kernel: SemanticKernel | None = None
        self.warp_idioms = self.short_floats = False

    # ---- values

    def halves(self, words: str, low: int, high: int) -> str:
        """Return two 16-bit elements in one word, by one permutation of bytes."""
        pick = ("54", "76")[high % 2] + ("10", "32")[low % 2]
        return f"__byte_perm({words}[{low // 2}], {words}[{high // 2}], 0x{pick})"

    def callee(self, fn: UnaryFn, dtype: DType, approximate: bool) -> str:
        """Return a function of the CUDA math library in the precision of `dtype`."""
        return f"{_FUNCTIONS[fn]}{'' if dtype is DType.FP64 else 'f'}"

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return the call of a function, of the special function unit's where that is exact enough."""
        if approximate and dtype is DType.FP32 and fn in _FAST:
            return f"{_FAST[fn]}({x})"
        return super().unary(fn, dtype, x)

    def quotient(self, dtype: DType, x: str, y: str) -> str:
        """Return a quotient by way of the reciprocal."""
        return f"({x} * fast_reciprocal({y}))" if dtype is DType.FP32 else f"({x} / {y})"

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return the conversion to what is stored; tensor cores read tf32 rounded."""
        if target is DType.TF32 and source is DType.FP32:
            self.used.setdefault("to_tf32", _TO_TF32)
            return f"to_tf32({value})"
        return super().round(value, source, target, saturate)

    def narrowed(self, value: str, source: DType, target: DType) -> str:
        """Return the call of a conversion; those to bytes take any number."""
        self.short_floats |= target.is_float and target.bytes == 1
        if target.bytes > 1:
            return super().narrowed(value, source, target)
        return f"to_{target.value}((float){f'({value})' if target.is_float else value})"

    def cast(self, value: str, source: DType, target: DType) -> str:
        """Return the conversion to what is computed."""
        self.short_floats |= source.is_float and source.bytes == 1
        return super().cast(value, source, target)

    # ---- structure

    def preamble(self) -> str:
        """Return the idioms, and the instructions that this kernel uses; an emulator that brings its own defines the macro."""
        used = (("ampere.cuh", self.warp_idioms), ("fp8.cuh", self.short_floats))
        headers = (*self.idioms, *(name for name, wanted in used if wanted))
        idioms = "\n".join(map(self.device_text, headers))
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
        bounds = f"__launch_bounds__({kernel.launch.threads}, {kernel.launch.together or 1})"
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

    def member(self, number: int) -> str:
        """Return a word of a vector."""
        return f"run.{_LANES[number]}"

    def run_to(self, words: int, values: str, address: str) -> str:
        """Return the store of a vector.

        NVRTC 13.0 divides some of these into words. To row-wise kernels, which do little else than load and store, that costs up to a
        fourth of their time, so they ask for the instruction; to others it costs nothing (docs/cuda.md). It stores in global memory.
        """
        kind, value = self.runs[words], values if words == 1 else f"make_{self.runs[words]}({values})"
        rows = self.kernel if self.kernel is not None and self.kernel.family == "rowwise" else None
        if words > 1 and rows and address.partition("[")[0] not in {buffer.name for buffer in rows.buffers}:
            return f"__stwb(({kind}*)&{address}, {value});"
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

    def block_barrier(self, name: str) -> str:
        """Return a barrier of the whole block."""
        return "__syncthreads();"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return a shuffle of the whole warp."""
        return f"__shfl_xor_sync(0xffffffffu, {value}, {distance})"

    def wrapper(self, lanes: InstructionLanes) -> str:
        """Return mma.sync."""
        return warp_mma(lanes)

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
