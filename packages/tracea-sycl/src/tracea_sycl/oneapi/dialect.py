# SPDX-License-Identifier: MIT
"""SYCL C++: types, functions, work-groups, sub-groups and local memory.

The text is one translation unit, in which the kernel is a function of a work-item, behind which stands what launches it
(`tracea_sycl.oneapi.launch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from tracea_core.dtypes import DType
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.words import Words
from tracea_core.ops.expr import UnaryFn
from tracea_core.semantic.kernel import Opaque, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.shared_plan import plan_of

from tracea_sycl.oneapi import matrix

STORED = {
    DType.FP64: "double", DType.FP32: "float", DType.TF32: "float", DType.BF16: "bf16", DType.FP16: "fp16", DType.INT32: "int",
    DType.INT8: "int8", DType.UINT8: "uint8",
}  # fmt: skip
_NAMES = {
    UnaryFn.ABS: "fabs", UnaryFn.LOG: "log", UnaryFn.SQRT: "sqrt", UnaryFn.FLOOR: "floor", UnaryFn.RINT: "rint",
    UnaryFn.EXP: "exp", UnaryFn.TANH: "tanh", UnaryFn.ERF: "erf",
}  # fmt: skip


class SyclDialect(Words):
    """The words of SYCL C++."""

    language = "sycl"
    package = "tracea_sycl"
    types = STORED
    computed = (DType.FP64, DType.FP32, DType.INT32)
    library: ClassVar[Mapping[UnaryFn, str]] = {fn: f"sycl::{name}" for fn, name in _NAMES.items()}
    whole_abs = "sycl::abs"
    runs: ClassVar[Mapping[int, str]] = {1: "unsigned", 2: "Run2", 4: "Run4"}
    float_of_bits = "float_of"
    bits_of_float = "bits_of"
    bits_of_int = "unsigned"
    infinity = "std::numeric_limits<float>::infinity()"
    not_a_number = "std::numeric_limits<float>::quiet_NaN()"

    matrix_words = "// Joint matrices: sums += a · b."

    def __init__(self) -> None:
        super().__init__()
        self.doubles = False
        self.name = ""

    # ---- values

    def scalar(self, dtype: DType) -> str:
        """Return the type."""
        self.doubles |= dtype is DType.FP64
        return super().scalar(dtype)

    # ---- structure

    def headers(self) -> Iterable[str]:
        """Return the idioms of what was printed."""
        yield "common.hpp"
        if self.doubles:
            yield "double.hpp"

    def preamble(self) -> str:
        """Return what the text includes, and its own namespace, so that several kernels may stand in one file."""
        includes = "#include <cstdint>\n#include <limits>\n#include <vector>\n\n#include <sycl/sycl.hpp>"
        return f"{includes}\n\nnamespace {self.name}_tracea {{\n\n{super().preamble()}"

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return a pointer that nothing else aliases."""
        return f"{'const ' if constant else ''}{self.scalar(dtype)}* __restrict {name}"

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the head of the function that a work-item runs."""
        memory = ["unsigned char* shared"] if plan_of(kernel).bytes else []
        arguments = ",\n    ".join((*pointers, *symbols, "const sycl::nd_item<1>& sycl_item", *memory))
        return f"INLINE void work_item(\n    {arguments})"

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and block numbers, and where each shared buffer begins."""
        self.name = kernel.name
        yield "const int thread = sycl_item.get_local_id(0);"
        yield "const int block = sycl_item.get_group(0), blocks = sycl_item.get_group_range(0);"
        if any(isinstance(fragment.opaque, Opaque) for role in kernel.roles for fragment in role.fragments):
            yield "const sycl::sub_group sycl_group = sycl_item.get_sub_group();"
        for name, place in plan_of(kernel).buffers:
            kind = self.scalar(kernel.buffer(name).dtype)
            yield f"{kind}* const {name} = ({kind}*)(shared + {place});"

    # ---- matrices

    def registers(self, packed: Packed, kind: str) -> str:
        """Return the declaration of registers, or of a joint matrix."""
        return super().registers(packed, kind) if packed.opaque is None else matrix.declaration(packed)

    def tile_fill(self, packed: Packed, value: str) -> str:
        """Return the call that fills a joint matrix."""
        return f"matrix::joint_matrix_fill(sycl_group, {packed.name}, {value});"

    def tile_load(self, packed: Packed, address: str, stride: int) -> str:
        """Return the call that loads a joint matrix."""
        return matrix.move("load", packed, address, stride)

    def tile_store(self, packed: Packed, address: str, stride: int) -> str:
        """Return the call that stores a joint matrix."""
        return matrix.move("store", packed, address, stride)

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the call that multiplies joint matrices."""
        if not lanes.opaque or None in (c.opaque, a.opaque, b.opaque):
            raise self._none(lanes.name)
        self.used["joint"] = matrix.WORDS
        return f"matrix::joint_matrix_mad(sycl_group, {c.name}, {a.name}, {b.name}, {c.name});"

    # ---- steps

    def block_barrier(self, name: str) -> str:
        """Return a barrier of the whole work-group."""
        return f"sycl::group_barrier(sycl_item.get_group());  // {name}"

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return an exchange between the lanes of a sub-group."""
        if dtype is not DType.FP32:
            raise self._none(f"exchanges of {dtype.value} between lanes")
        return f"sycl::permute_group_by_xor(sycl_item.get_sub_group(), {value}, {distance})"

    def scheduling_fence(self) -> str:
        """Return a fence of the work-item's own accesses, across which compilers move none."""
        return "sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);"
