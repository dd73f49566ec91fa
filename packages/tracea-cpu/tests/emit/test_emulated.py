# SPDX-License-Identifier: MIT
"""Kernels for Arm run under qemu's user emulation and agree with float64, one worker at a time.

The program has no C library: it reads one block of memory (the argument block, then barrier, workspaces and tensors), adds the block's
address to the pointers in it, calls the kernel for each worker in turn where no barrier stands between them, and writes the block back.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.activations import BatchNorm, BiasAdd, Gelu, ReLU, SwiGLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import StageLike, as_chain
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.shares import panel_symbols
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.lower import lower
from tracea_cpu.compile import cross_object
from tracea_llvm.barrier import BARRIER_BYTES, LINE

TRIPLE, CPU = "aarch64-unknown-linux-gnu", "neoverse-n1"
EMULATOR = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
LINKER, ASSEMBLER = shutil.which("aarch64-linux-gnu-ld"), shutil.which("aarch64-linux-gnu-as")
SYSTEM_CALL = """
.globl system
system:
  mov x8, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  svc #0
  ret
"""
"""``system(number, a, b, c)``, which LLVM's text cannot say without an assembler for the target."""
NEON = preset("neon")
_READ, _WRITE, _EXIT = 63, 64, 93  # system calls of Linux on AArch64

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(EMULATOR is None, reason="qemu's user emulation of AArch64 is not installed"),
    pytest.mark.skipif(LINKER is None or ASSEMBLER is None, reason="binutils for AArch64 are not installed"),
]


def driver(entry: str, size: int, pointers: list[int], workers: int) -> str:
    """Return the program around a kernel: `pointers` are the argument block's words that hold distances into the block."""
    moved = "\n".join(
        f"  %p{i} = getelementptr i64, ptr @block, i64 {word}\n  %d{i} = load i64, ptr %p{i}\n"
        f"  %a{i} = add i64 %d{i}, %base\n  store i64 %a{i}, ptr %p{i}"
        for i, word in enumerate(pointers)
    )
    calls = "\n".join(f"  call void @{entry}(ptr @block, i64 {w}, i64 {workers})" for w in range(workers))
    return f"""
@block = global [{size} x i8] zeroinitializer, align 64
declare void @{entry}(ptr, i64, i64)
define i32 @sched_yield() {{
  ret i32 0
}}
declare i64 @system(i64, i64, ptr, i64)
define internal void @transfer(i64 %number, i64 %file) {{
entry:
  br label %more
more:
  %done = phi i64 [ 0, %entry ], [ %next, %go ]
  %left = sub i64 {size}, %done
  %at = getelementptr i8, ptr @block, i64 %done
  %moved = call i64 @system(i64 %number, i64 %file, ptr %at, i64 %left)
  %stopped = icmp sle i64 %moved, 0
  br i1 %stopped, label %end, label %go
go:
  %next = add i64 %done, %moved
  %finished = icmp eq i64 %next, {size}
  br i1 %finished, label %end, label %more
end:
  ret void
}}
define void @_start() {{
  call void @transfer(i64 {_READ}, i64 0)
  %base = ptrtoint ptr @block to i64
{moved}
{calls}
  call void @transfer(i64 {_WRITE}, i64 1)
  %over = call i64 @system(i64 {_EXIT}, i64 0, ptr null, i64 0)
  unreachable
}}
"""


def emulate(built: Any, tensors: dict[str, Any], symbols: dict[str, int], workers: int, directory: Path) -> None:
    """Run a kernel on the tensors' memory, which takes what the emulated program leaves in it."""
    source = built.source
    memories = [tensors[name] for name in built.operands]
    sizes = [BARRIER_BYTES]
    for space in source.workspaces:
        size = -(-int(evaluate(space.bytes, {**symbols, "workers": workers})) // LINE) * LINE
        sizes.append(size * (workers if space.per_worker else 1))
    sizes += [-(-tensor.memory.nbytes // LINE) * LINE for tensor in memories]
    words = len(memories) + len(source.symbols) + 1 + len(source.workspaces)
    starts = (-(-8 * words // LINE) * LINE + np.cumsum([0, *sizes])).tolist()
    places = starts[1 + len(source.workspaces) :]
    inside = [tensor.pointer - int(tensor.memory.ctypes.data) for tensor in memories]
    block = bytearray(starts[-1])
    values = [place + first for place, first in zip(places, inside, strict=False)]
    values += [symbols[symbol.name] for symbol in source.symbols] + starts[: 1 + len(source.workspaces)]
    struct.pack_into(f"<{words}q", block, 0, *values)
    for tensor, place in zip(memories, places, strict=False):
        block[place : place + tensor.memory.nbytes] = tensor.memory.tobytes()
    pointers = [*range(len(memories)), *range(len(memories) + len(source.symbols), words)]
    objects = {"kernel": source.text, "driver": driver(source.entry, len(block), pointers, workers)}
    for name, text in objects.items():
        (directory / f"{name}.o").write_bytes(cross_object(text, TRIPLE, CPU))
    assert LINKER is not None and ASSEMBLER is not None and EMULATOR is not None
    program = directory / "program"
    files = [str(directory / f"{name}.o") for name in (*objects, "system")]
    subprocess.run([ASSEMBLER, "-o", files[-1], "-"], input=SYSTEM_CALL.encode(), check=True, capture_output=True)
    subprocess.run([LINKER, "-static", "-o", str(program), *files], check=True, capture_output=True)
    done = subprocess.run([EMULATOR, str(program)], input=bytes(block), capture_output=True, check=True, timeout=500)
    assert len(done.stdout) == len(block), done.stderr.decode()
    for tensor, place in zip(memories, places, strict=False):
        tensor.memory[:] = np.frombuffer(done.stdout[place : place + tensor.memory.nbytes], np.uint8)


def check(
    op: Any, inputs: list[Any], output: Any, built: Callable[..., Any], directory: Path, *, epilogue: Any = None,
    operands: list[Any] | None = None, configuration: PipelineConfig | None = None, workers: int = 2,
) -> None:  # fmt: skip
    """Emulate a problem's kernel, by default with the policy's configuration, and compare with float64."""
    rest = operands or []
    bound = as_chain(epilogue).epilogue
    problem = Problem(op, tuple(t.spec for t in inputs), output.spec, bound, tuple(t.spec for t in rest))
    configuration = configuration or PolicyEngine(NEON).decide(problem).hero
    kernel = built(problem, configuration, NEON)
    tensors = {f"input{i}": t for i, t in enumerate(inputs)} | {"output": output}
    tensors |= {f"epilogue{i}": t for i, t in enumerate(rest)}
    symbols = panel_symbols(lower(problem), configuration, NEON)
    apart = workers if "call void @tracea_barrier" not in kernel.source.text else 1
    emulate(kernel, tensors, symbols, apart, directory)
    exact = [t.values for t in inputs], [t.values for t in rest]
    expected, got = reference(problem, *exact), output.values
    good = agrees(got, expected, tolerance(problem, *exact)) | (
        got == output.spec.dtype.decode(output.spec.dtype.encode(expected))
    )
    assert good.all(), f"{np.count_nonzero(~good)} of {good.size} elements differ"
    assert output.outside_is_untouched()


def values(random: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Any:
    if dtype.is_float:
        return random.standard_normal(shape)
    return random.integers(int(dtype.lowest), int(dtype.largest) + 1, shape)


@pytest.mark.parametrize("dtype", [DType.FP32, DType.FP64, DType.BF16, DType.FP16, DType.INT8, DType.UINT8])
@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_products_agree(
    dtype: DType,
    layout: str,
    random: np.random.Generator,
    poisoned: Callable[..., Any],
    built: Callable[..., Any],
    tmp_path: Path,
) -> None:
    m, n, k = 37, 41, 29
    orders = [(0, 1) if way == "n" else (1, 0) for way in layout]
    a = poisoned((m, k), dtype, orders[0], gap=3).fill(values(random, (m, k), dtype))
    b = poisoned((k, n), dtype, orders[1]).fill(values(random, (k, n), dtype))
    op = GemmOp(m, n, k, dtype=dtype)
    check(op, [a, b], poisoned((m, n), op.output_dtype()), built, tmp_path)


@pytest.mark.parametrize("m", [1, 3, 7, 20])
@pytest.mark.parametrize("layout", ["n", "t"])
def test_few_rows_and_long_reductions_agree(
    m: int,
    layout: str,
    random: np.random.Generator,
    poisoned: Callable[..., Any],
    built: Callable[..., Any],
    tmp_path: Path,
) -> None:
    n, k = 53, 300
    a = poisoned((m, k), DType.FP32).fill(random.standard_normal((m, k)))
    b = poisoned((k, n), DType.FP32, (0, 1) if layout == "n" else (1, 0)).fill(random.standard_normal((k, n)))
    check(GemmOp(m, n, k), [a, b], poisoned((m, n), DType.FP32), built, tmp_path)


@pytest.mark.parametrize("gated", [False, True])
def test_epilogues_agree(
    gated: bool, random: np.random.Generator, poisoned: Callable[..., Any], built: Callable[..., Any], tmp_path: Path
) -> None:
    m, n, k = 19, 26, 17
    bias = random.standard_normal(2 * n if gated else n).astype(np.float32)
    chain: StageLike = SwiGLU() if gated else BiasAdd(bias) | Gelu()
    columns = 2 * n if gated else n
    a = poisoned((m, k), DType.FP32).fill(random.standard_normal((m, k)))
    b = poisoned((k, columns), DType.FP32).fill(random.standard_normal((k, columns)))
    rest = [] if gated else [poisoned((n,), DType.FP32).fill(bias)]
    check(GemmOp(m, columns, k), [a, b], poisoned((m, n), DType.FP32), built, tmp_path, epilogue=chain, operands=rest)


@pytest.mark.parametrize("last", [False, True])
def test_convolutions_agree(
    last: bool, random: np.random.Generator, poisoned: Callable[..., Any], built: Callable[..., Any], tmp_path: Path
) -> None:
    op, order = Conv2dOp(2, 9, 10, 7, 13, 3, 3, (2, 1), (1, 1)), (0, 2, 3, 1) if last else (0, 1, 2, 3)
    x = poisoned((2, 9, 10, 7), DType.FP32, order).fill(random.standard_normal((2, 9, 10, 7)))
    w = poisoned((13, 9, 3, 3), DType.FP32, order).fill(random.standard_normal((13, 9, 3, 3)))
    vectors = [random.random(13) + 0.5 for _ in range(4)]
    rest = [poisoned((13,), DType.FP32).fill(v) for v in vectors]
    out = poisoned(op.output_shape(), DType.FP32, order)
    check(
        op,
        [x, w],
        out,
        built,
        tmp_path,
        epilogue=BatchNorm(vectors[0], vectors[1], vectors[2], vectors[3]) | ReLU(),
        operands=rest,
    )


@pytest.mark.parametrize("sizes", [(5, 0, 17, 1), (1,) * 9])
def test_groups_of_rows_agree(
    sizes: tuple[int, ...],
    random: np.random.Generator,
    poisoned: Callable[..., Any],
    built: Callable[..., Any],
    tmp_path: Path,
) -> None:
    op = GroupedGemmOp(sum(sizes), len(sizes), 26, 17)
    x, w, _ = (poisoned(shape, DType.FP32, gap=1) for shape in op.input_shapes())
    ends = poisoned((op.groups,), DType.INT32).fill(np.cumsum(sizes))
    given = [x.fill(random.standard_normal(x.spec.shape)), w.fill(random.standard_normal(w.spec.shape)), ends]
    check(op, given, poisoned((op.m, op.n), DType.FP32), built, tmp_path)


def test_a_kernel_that_is_wrong_is_noticed(
    random: np.random.Generator, poisoned: Callable[..., Any], built: Callable[..., Any], tmp_path: Path
) -> None:
    a, b = (poisoned((16, 16), DType.FP32).fill(random.standard_normal((16, 16))) for _ in range(2))

    def wrong(*arguments: Any) -> Any:
        found = built(*arguments)
        define = "define internal <4 x float> @wrong(<4 x float> %a, <4 x float> %b, <4 x float> %c) {\n  ret <4 x float> %c\n}\n"
        first = found.source.text.index("call <4 x float> @llvm.fma.v4f32(")
        text = found.source.text[:first] + found.source.text[first:].replace("@llvm.fma.v4f32(", "@wrong(", 1) + define
        found.source = found.source.replace(text=text)
        return found

    with pytest.raises(AssertionError, match="elements differ"):
        check(GemmOp(16, 16, 16), [a, b], poisoned((16, 16), DType.FP32), wrong, tmp_path)
