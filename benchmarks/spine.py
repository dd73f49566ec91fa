# SPDX-License-Identifier: MIT
"""What a person meets first on a CPU: seconds of importing, of a first call, of a planned one, and a product beside NumPy's."""

from __future__ import annotations

import functools
import os
import statistics
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable

from benchmarks.row import Row


def import_time() -> Row:
    """Milliseconds that ``import tracea`` adds to ``import numpy``, the median of fresh processes."""
    added = _seconds_in_fresh_processes("import numpy", "import tracea")
    alone = _seconds_in_fresh_processes("", "import numpy")
    return Row("import tracea, added to import numpy", "ms", added * 1e3, alone * 1e3, 100.0, at_most=True)


def import_ops() -> Row:
    """The same for ``tracea.ops``, which is loaded when it is first used."""
    added = _seconds_in_fresh_processes("import numpy", "import tracea; tracea.ops.matmul")
    return Row("import tracea and its ops, added to import numpy", "ms", added * 1e3, None, 100.0, at_most=True)


def first_call() -> Row:
    """Milliseconds of a process's first product, whose kernel another process has compiled: backends, certificate, code, workers."""
    before = "import numpy; from tracea import ops; a = numpy.ones((256, 256), numpy.float32)"
    taken = _seconds_in_fresh_processes(before, "ops.matmul(a, a)")
    return Row("first call, kernel in the cache", "ms", taken * 1e3, None, 100.0, at_most=True)


def _seconds_in_fresh_processes(before: str, timed: str) -> float:
    """The median of nine processes, after one that fills caches: of kernels, and of Python's byte code as installed packages have it."""
    code = f"import time; {before}\nt = time.perf_counter(); {timed}; print(time.perf_counter() - t)"
    with tempfile.TemporaryDirectory() as directory:
        settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        settings["PYTHONPYCACHEPREFIX"] = directory
        run = functools.partial(
            subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        return statistics.median([float(run(env=settings).stdout) for _ in range(10)][1:])


def planned_call() -> Row:
    """Microseconds of a planned 8×8 product, where the call is all there is; NumPy's own call beside it."""
    import numpy as np

    from tracea import ops

    a = np.ones((8, 8), np.float32)
    ours, theirs = [], []
    ops.matmul(a, a)
    for _ in range(25):
        ours.append(timeit.timeit(lambda: ops.matmul(a, a), number=2000) / 2000 * 1e6)
        theirs.append(timeit.timeit(lambda: np.matmul(a, a), number=2000) / 2000 * 1e6)
    return Row("planned call, 8×8 fp32", "µs", statistics.median(ours), statistics.median(theirs), 10.0, at_most=True)


def gemm_ratio() -> Row:
    """NumPy's time over tracea's for 1024³ in fp32, measured in turns."""
    from tracea_core.plugin.select import resolve

    from tracea.graduation.rounds import gemm
    from tracea.graduation.run import run_bout

    bout = gemm("spine", 1024, 1024, 1024, resolve("cpu").target.profile.processors)
    bout.contestants.pop("torch", None)
    row = run_bout(bout, 11, 0.08)
    rates = ", ".join(f"{name} {row.gflops(name):.0f}" for name in ("tracea", "numpy"))
    print(f"  {rates} GFLOP/s; against itself tracea {row.noise:.2f}, NumPy {row.peer_noise:.2f}")
    return Row("GEMM 1024³ fp32, NumPy's time over tracea's", "×", row.ratio, 1.0, 0.5, at_most=False)


ROWS: tuple[Callable[[], Row], ...] = (import_time, import_ops, first_call, planned_call, gemm_ratio)
"""The table, in the order in which it is printed."""
