# SPDX-License-Identifier: MIT
"""What no system call tells: how fast this processor multiplies and adds, and how fast it reads memory.

Two emitted kernels run on the worker pool: one keeps twelve accumulators in registers and does nothing but fused
multiply-adds, one reads a block far larger than the caches once. The best of several runs counts, since whatever else
the machine does can only slow one down.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
import time
from collections.abc import Callable

from tracea_core.data import Data

from tracea_cpu import compile as compiler
from tracea_cpu.shared import shared_pool

_CHAINS = 12  # latency of an FMA times the number of pipes is 8 to 10 on every core of the last decade
_RUNS = 5
_FMA_STEPS = 2_000_000
_UNROLL = 8  # 64-byte lines that one step of the reading loop covers


class Rates(Data, frozen=True):
    """Measured rates of all workers together: GFLOP/s of fp32 multiply-adds, and GB/s read from memory."""

    gflops_fp32: float
    memory_gbps: float


def fma_text(lanes: int) -> str:
    """Return ``tracea_fma_rate``: `_FMA_STEPS` steps of `_CHAINS` independent multiply-adds of `lanes` floats."""
    vector = f"<{lanes} x float>"
    start = "\n".join(f"  %x{i} = phi {vector} [ zeroinitializer, %entry ], [ %y{i}, %step ]" for i in range(_CHAINS))
    steps = "\n".join(
        f"  %y{i} = call {vector} @llvm.fma.v{lanes}f32({vector} %factor, {vector} %factor, {vector} %x{i})"
        for i in range(_CHAINS)
    )
    total, sums = "%y0", []
    for i in range(1, _CHAINS):
        sums.append(f"  %sum{i} = fadd {vector} {total}, %y{i}")
        total = f"%sum{i}"
    joined = "\n".join(sums)
    return f"""declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})

define void @tracea_fma_rate(ptr %arguments, i64 %worker, i64 %workers) nounwind {{
entry:
  %out = load ptr, ptr %arguments, align 8
  %factor_bits = load {vector}, ptr %out, align 4
  %factor = fadd {vector} %factor_bits, splat (float 0.5)
  br label %step
step:
  %i = phi i64 [ {_FMA_STEPS}, %entry ], [ %next, %step ]
{start}
{steps}
  %next = sub i64 %i, 1
  %is_done = icmp eq i64 %next, 0
  br i1 %is_done, label %end, label %step
end:
{joined}
  %offset = mul i64 %worker, {lanes * 4}
  %place = getelementptr i8, ptr %out, i64 %offset
  store {vector} {total}, ptr %place, align 4
  ret void
}}
"""


def read_text() -> str:
    """Return ``tracea_read_rate``: each worker reads its share of a block and stores the exclusive or of it."""
    vector = "<8 x i64>"
    start = "\n".join(f"  %x{i} = phi {vector} [ zeroinitializer, %entry ], [ %y{i}, %step ]" for i in range(_UNROLL))
    steps = "\n".join(
        f"  %p{i} = getelementptr i8, ptr %line, i64 {64 * i}\n"
        f"  %v{i} = load {vector}, ptr %p{i}, align 64\n"
        f"  %y{i} = xor {vector} %x{i}, %v{i}"
        for i in range(_UNROLL)
    )
    total, sums = "%y0", []
    for i in range(1, _UNROLL):
        sums.append(f"  %all{i} = xor {vector} {total}, %y{i}")
        total = f"%all{i}"
    joined = "\n".join(sums)
    return f"""define void @tracea_read_rate(ptr %arguments, i64 %worker, i64 %workers) nounwind {{
entry:
  %out = load ptr, ptr %arguments, align 8
  %block_word = getelementptr i64, ptr %arguments, i64 1
  %block = load ptr, ptr %block_word, align 8
  %steps_word = getelementptr i64, ptr %arguments, i64 2
  %steps = load i64, ptr %steps_word, align 8
  %share = udiv i64 %steps, %workers
  %before = mul i64 %worker, %share
  %first_byte = mul i64 %before, {64 * _UNROLL}
  %first = getelementptr i8, ptr %block, i64 %first_byte
  br label %step
step:
  %i = phi i64 [ %share, %entry ], [ %next, %step ]
  %line = phi ptr [ %first, %entry ], [ %next_line, %step ]
{start}
{steps}
  %next_line = getelementptr i8, ptr %line, i64 {64 * _UNROLL}
  %next = sub i64 %i, 1
  %is_done = icmp eq i64 %next, 0
  br i1 %is_done, label %end, label %step
end:
{joined}
  %offset = mul i64 %worker, 64
  %place = getelementptr i8, ptr %out, i64 %offset
  store {vector} {total}, ptr %place, align 64
  ret void
}}
"""


def measure(lanes: int, last_level_bytes: int) -> Rates:
    """Return the rates of this machine, measured now (about 0.2 s).

    Parameters
    ----------
    lanes : int
        fp32 lanes of a vector register.
    last_level_bytes : int
        Size of the largest cache; four times as much is read, at least 64 and at most 512 MiB.
    """
    pool = shared_pool()
    block_bytes = min(512 << 20, max(64 << 20, 4 * last_level_bytes))
    out = (ctypes.c_char * (64 * (pool.size + 1)))()
    block = (ctypes.c_char * (block_bytes + 64))()
    ctypes.memset(block, 1, block_bytes)  # untouched pages would all be the same page of zeros
    aligned = [-(-ctypes.addressof(memory) // 64) * 64 for memory in (out, block)]
    steps = block_bytes // (64 * _UNROLL)
    arguments = ctypes.create_string_buffer(struct.pack("3q", *aligned, steps))
    fma = _best(_launch(fma_text(lanes), "tracea_fma_rate", ctypes.addressof(arguments)))
    read = _best(_launch(read_text(), "tracea_read_rate", ctypes.addressof(arguments)))
    done = steps // pool.size * pool.size * 64 * _UNROLL
    return Rates(2 * lanes * _CHAINS * _FMA_STEPS * pool.size / fma / 1e9, done / read / 1e9)


def _launch(text: str, name: str, arguments: int) -> Callable[[], None]:
    code = compiler.load(text, hashlib.sha256(text.encode()).hexdigest())
    address = code.address(name)
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(address)

    def launch(code: compiler.LoadedObject = code) -> None:  # holds on to the machine code
        pool = shared_pool()
        pool.run(kernel, address, arguments, pool.size)

    return launch


def _best(launch: Callable[[], None]) -> float:
    """Return the shortest time of several runs, in seconds."""
    best = float("inf")
    for _ in range(_RUNS):
        start = time.perf_counter()
        launch()
        best = min(best, time.perf_counter() - start)
    return best
