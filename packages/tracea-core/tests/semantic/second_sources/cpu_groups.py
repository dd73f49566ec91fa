# SPDX-License-Identifier: MIT
"""Write down what vector instructions of CPUs that add up groups of k multiply with what: a second source for our register tiles.

    python cpu_groups.py > cpu_groups.json    # on x86-64 with AVX-512 BF16 and VNNI; a compiler and an emulator of AArch64 for Arm's

The instructions themselves are run, by this processor and by QEMU: a vector of A with a single one and a vector of B with a number in every
place show which two places meet, and in which sum. A place is an element of a word, and a word, which is a lane. A register tile holds
one group of A in all lanes: no instruction names its k, so an element of A is called by where it stands in its word.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

Vector = np.ndarray
Run = Callable[[Vector, Vector], Vector]


@dataclass(frozen=True)
class Instruction:
    """What is run, and which register tile of one vector is made of it; `exchanged` where its first operand is B."""

    tile: str
    assembly: str
    lanes: int
    group: int
    exchanged: bool = False

    @property
    def floats(self) -> bool:
        """Whether it adds floating-point numbers."""
        return not self.tile.endswith("int8")

    @property
    def bytes(self) -> int:
        """Size of a vector."""
        return self.lanes * (8 if "fp64" in self.tile else 4)

    def stored(self, vector: Vector) -> Vector:
        """The bytes of elements: bf16 is the upper half of fp32."""
        if not self.floats:
            return vector.astype(np.uint8)
        if self.group == 2:
            return (vector.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return vector.astype(np.float64 if "fp64" in self.tile else np.float32)

    @property
    def sums(self) -> type[Any]:
        """Type of a sum."""
        return (np.float64 if "fp64" in self.tile else np.float32) if self.floats else np.int32


X86 = (
    Instruction("fma_outer_1x1x16_fp32", "vfmadd231ps", 16, 1),
    Instruction("fma_outer_1x1x8_fp64", "vfmadd231pd", 8, 1),
    Instruction("fma_outer_1x1x8_fp32", "vfmadd231ps", 8, 1),
    Instruction("fma_outer_1x1x4_fp64", "vfmadd231pd", 4, 1),
    Instruction("fma_outer_1x1x16_bf16", "vdpbf16ps", 16, 2),
    Instruction("fma_outer_1x1x8_bf16", "vdpbf16ps", 8, 2),
    Instruction("fma_outer_1x1x16_uint8xint8", "vpdpbusd", 16, 4),
    Instruction("fma_outer_1x1x16_int8xuint8", "vpdpbusd", 16, 4, exchanged=True),
    Instruction("fma_outer_1x1x8_uint8xint8", "vpdpbusd", 8, 4),
)
ARM = (
    Instruction("fma_outer_1x1x4_fp32", "fmla %0.4s, %1.4s, %2.4s", 4, 1),
    Instruction("fma_outer_1x1x2_fp64", "fmla %0.2d, %1.2d, %2.2d", 2, 1),
    Instruction("fma_outer_1x1x4_bf16", "bfdot %0.4s, %1.8h, %2.8h", 4, 2),
    Instruction("fma_outer_1x1x4_int8", "sdot %0.4s, %1.16b, %2.16b", 4, 4),
    Instruction("fma_outer_1x1x4_uint8", "udot %0.4s, %1.16b, %2.16b", 4, 4),
)


def native(instruction: Instruction) -> tuple[Run, object]:
    """The instruction as a function of this process, and what must live as long as it does."""
    kind = f"<{instruction.bytes // 4} x i32>"
    text = f"""define void @run(ptr %pa, ptr %pb, ptr %pc) {{
  %a = load {kind}, ptr %pa, align 1
  %b = load {kind}, ptr %pb, align 1
  %c = call {kind} asm "{instruction.assembly} $2, $1, $0", "=x,x,x,0"({kind} %a, {kind} %b, {kind} zeroinitializer)
  store {kind} %c, ptr %pc, align 1
  ret void
}}
"""
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=0, jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(engine.get_function_address("run"))

    def run(a: Vector, b: Vector) -> Vector:
        c = np.zeros(instruction.lanes, instruction.sums)
        call(a.ctypes.data, b.ctypes.data, c.ctypes.data)
        return c

    return run, engine


def emulated(instruction: Instruction, folder: Path) -> Run:
    """The instruction as a program of AArch64 under QEMU, which reads two vectors and writes one."""
    source, program = folder / "run.c", folder / f"run-{instruction.tile}"
    source.write_text(
        "#include <unistd.h>\ntypedef unsigned char V __attribute__((vector_size(16)));\nint main(void) {\n"
        "  V in[2], c = {0};\n  if (read(0, in, 32) != 32) return 1;\n"
        f'  __asm__("{instruction.assembly}" : "+w"(c) : "w"(in[0]), "w"(in[1]));\n  return write(1, &c, 16) != 16;\n}}\n'
    )
    subprocess.run(
        ["aarch64-linux-gnu-gcc", "-static", "-O1", "-march=armv8.6-a", "-o", program, source], check=True
    )  # fmt: skip

    def run(a: Vector, b: Vector) -> Vector:
        told = subprocess.run(
            ["qemu-aarch64-static", program], input=a.tobytes() + b.tobytes(), capture_output=True, check=True
        )
        return np.frombuffer(told.stdout, instruction.sums)

    return run


def layouts(instruction: Instruction, run: Run) -> dict[str, Any]:
    """The images of bits, which are all there is to the maps: every place is compared with them."""
    shape, b = (instruction.lanes, instruction.group), {}
    places = np.indices(shape)
    for lane in range(instruction.lanes):
        for k in range(instruction.group):
            one = np.zeros(shape)
            one[lane, k] = 1
            met = []
            for axis in range(2):
                sides = [np.ascontiguousarray(instruction.stored(side)) for side in (one, places[axis] + 1)]
                found = run(*(sides[::-1] if instruction.exchanged else sides)).astype(np.int64)
                (into,) = np.nonzero(found)[0].tolist()
                assert into == lane  # a sum lies where its group of A does
                met.append(int(found[into]) - 1)
            b[tuple(met)] = (k, lane)
    lane_bits, bits_of_k = instruction.lanes.bit_length() - 1, instruction.group.bit_length() - 1
    lane_images = [list(b[1 << bit, 0]) for bit in range(lane_bits)]
    register_images = [list(b[0, 1 << bit]) for bit in range(bits_of_k)]
    for (lane, element), (row, column) in b.items():
        images = [image for bit, image in enumerate(lane_images) if lane >> bit & 1]
        images += [image for bit, image in enumerate(register_images) if element >> bit & 1]
        assert (row, column) == (sum(image[0] for image in images), sum(image[1] for image in images))
    return {
        "a": {"register": [[0, 1 << bit] for bit in range(bits_of_k)], "lane": [[0, 0]] * lane_bits},
        "b": {"register": register_images, "lane": lane_images},
        "c": {"register": [], "lane": [[0, 1 << bit] for bit in range(lane_bits)]},
    }


def signed(instruction: Instruction, run: Run) -> list[bool]:
    """Whether all bits of a byte of A, and of B, are -1."""
    shape = (instruction.lanes, instruction.group)
    one, ones = np.ones(shape, np.uint8), np.full(shape, 255, np.uint8)
    pairs = [(ones, one), (one, ones)]
    return [bool(run(*(pair[::-1] if instruction.exchanged else pair))[0] < 0) for pair in pairs]


def main() -> None:
    """Print all of them as JSON."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    told = {}
    with tempfile.TemporaryDirectory() as name:
        for instruction in (*X86, *ARM):
            run, _kept = native(instruction) if instruction in X86 else (emulated(instruction, Path(name)), None)
            more = {} if instruction.floats else {"signed": signed(instruction, run)}
            by = "the processor" if instruction in X86 else "QEMU"
            spelled = instruction.assembly.split()[0]
            told[instruction.tile] = {"instruction": spelled, "by": by, **layouts(instruction, run), **more}
    version = subprocess.run(["qemu-aarch64-static", "--version"], capture_output=True, text=True, check=True).stdout
    source = f"instructions executed: by {llvm.get_host_cpu_name()}, and by {version.splitlines()[0]}"
    lines = [f" {json.dumps(name)}: {json.dumps(one)}" for name, one in told.items()]
    text = ",\n".join(lines)
    print(f'{{"source": {json.dumps(source)},\n"instructions": {{\n{text}\n}}}}')


if __name__ == "__main__":
    main()
