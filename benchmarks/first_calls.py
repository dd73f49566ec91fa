# SPDX-License-Identifier: MIT
"""``python -m benchmarks.first_calls --device cuda:0``: a process's first product, with a kernel that is made and with one on the disk.

Each call is timed in a process of its own, in which PyTorch has multiplied before, so that what PyTorch needs is loaded: from the call
until the device is done. Everything else is in it: plugins, the device's profile, the plan, the binary, the launch. What importing
``tracea.ops`` takes beside PyTorch, whose operators it registers, is a figure of its own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.row import Row

NEW_SECONDS, STORED_MS = 2.0, 50.0
"""What a first call may take: with a kernel that nobody made before, and with one on the disk."""
IMPORT_MS = 250.0
"""What importing may take."""
_CODE = """
import sys, time, torch
begin = time.perf_counter()
from tracea import ops
imported = time.perf_counter() - begin
device, dtype, (m, n, k) = torch.device(sys.argv[1]), getattr(torch, sys.argv[2]), map(int, sys.argv[3].split("x"))
settle = torch.cuda.synchronize if device.type == "cuda" else lambda: None
a, b = torch.randn(m, k, device=device, dtype=dtype), torch.randn(n, k, device=device, dtype=dtype).t()
torch.mm(a, b)
settle()
begin = time.perf_counter()
ops.matmul(a, b, fallback="error")
settle()
print(imported, time.perf_counter() - begin)
"""


def first_calls(device: str, dtype: str, extents: str, processes: int = 5) -> list[Row]:
    """Return the figures of one product: one process is made for the new kernel, `processes` for that on the disk, whose medians count."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

        def seconds(cache: str) -> tuple[float, float]:
            command = [sys.executable, "-c", _CODE, device, dtype, extents]
            done = subprocess.run(
                command, env={**settings, "TRACEA_CACHE_DIR": cache}, capture_output=True, text=True, check=True
            )
            imported, called = map(float, done.stdout.split())
            return imported, called

        seconds(f"{folder}/warming")  # byte code is stored, as where a package is installed
        new = seconds(f"{folder}/kernels")[1]
        imported, stored = map(
            statistics.median, zip(*(seconds(f"{folder}/kernels") for _ in range(processes)), strict=True)
        )
    title = f"{dtype} {extents}"
    return [
        Row(f"first call, new kernel, {title}", "s", new, None, NEW_SECONDS, at_most=True),
        Row(f"first call, kernel on the disk, {title}", "ms", stored * 1e3, None, STORED_MS, at_most=True),
        Row(f"importing tracea.ops before, {title}", "ms", imported * 1e3, None, IMPORT_MS, at_most=True),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--processes", type=int, default=5, help="that call the kernel on the disk; the median counts")
    given = parser.parse_args(arguments)
    cases = (("bfloat16", "4096x4096x4096"), ("float16", "1000x3000x2000"))
    found: list[Row] = []
    for case in cases if given.device != "cpu" else (("float32", "256x256x256"),):
        for row in first_calls(given.device, *case, given.processes):
            print(row, flush=True)
            found.append(row)
    return 0 if all(row.met for row in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
