# SPDX-License-Identifier: MIT
"""How fast a device is where no query tells: kernels of ours, timed by the device's own clock with empty caches.

Memory is what a norm of rows reaches, which reads and writes each element once; products are square, and as large as it takes for one to
last a millisecond. Both are what kernels have of a device, a little less than what it could give. They run in a process of their own.
"""

from __future__ import annotations

import functools
from typing import Any

import msgspec

from tracea_core.dtypes import DType
from tracea_core.errors import TraceaError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.measure_task import Bench, Operands, device_memory
from tracea_core.pipeline.plan import plan
from tracea_core.plugin.rates import Rates, keep
from tracea_core.plugin.select import resolve
from tracea_core.target import CapabilityProfile, Target
from tracea_core.tuner.measure import Timer
from tracea_core.tuner.worker import Worker

_ENTRY = "tracea_core.pipeline.rates:task"
_SECONDS = 300.0
"""A device may be slow, and its compiler, too."""
_COLUMNS = 4096
_LEAST_BYTES, _MOST_BYTES = 64 << 20, 512 << 20
_BEYOND_CACHES = 4
_SMALLEST, _LARGEST = 1024, 8192
"""Extents of products."""
_LONG_ENOUGH = 1e-3
_PRODUCTS = (DType.FP32, DType.BF16, DType.FP16)


def measure_rates(target: Target) -> Rates:
    """Return the rates of a device, measured now, and remember them for what its backend could only guess.

    Raises
    ------
    CandidateError, CandidateCrashError, CandidateTimeoutError
        If no kernel runs there, the process dies, or takes longer than five minutes.
    """
    with Worker() as worker:
        answer = worker.run(_ENTRY, {"device": target.device, "backend": target.backend}, _SECONDS)
    rates = msgspec.convert(answer, Rates)
    keep(target, rates)
    return rates


def task(payload: dict[str, str]) -> dict[str, Any]:
    """Measure the rates of a device in this process; the payload names it, and its backend."""
    device, backend = payload["device"], payload["backend"]
    profile = resolve(device, backend).target.profile
    products: dict[str, float] = {}
    for dtype in (one for one in _PRODUCTS if one in profile.native_dtypes):
        try:
            products[dtype.value] = _product_rate(dtype, device, backend)
        except TraceaError:
            if dtype is DType.FP32:  # what every device can do
                raise
    return {"memory_gbps": _memory_rate(profile, device, backend), "products": products}


def _memory_rate(profile: CapabilityProfile, device: str, backend: str) -> float:
    caches = max((cache.bytes for cache in profile.caches), default=0)
    size = min(max(_LEAST_BYTES, _BEYOND_CACHES * caches), _MOST_BYTES)
    if profile.memory_bytes:
        size = min(size, profile.memory_bytes // 8)
    rows = max(size // (_COLUMNS * DType.FP32.bytes), 1)
    x = TensorSpec.contiguous((rows, _COLUMNS), DType.FP32)
    problem = Problem(NormOp(x.shape, weight=False), (x,), x)
    return 2 * rows * _COLUMNS * DType.FP32.bytes / _seconds(problem, device, backend) / 1e9


def _product_rate(dtype: DType, device: str, backend: str) -> float:
    """Return GFLOP/s of the first product that lasts long enough, starting with a small one whose result is compared."""
    extent = _SMALLEST
    seconds = _seconds(_product(extent, dtype), device, backend, compared=True)
    while seconds < _LONG_ENOUGH and extent < _LARGEST:
        extent *= 2
        seconds = _seconds(_product(extent, dtype), device, backend)
    return 2 * extent**3 / seconds / 1e9


def _product(extent: int, dtype: DType) -> Problem:
    tensor = TensorSpec.contiguous((extent, extent), dtype)
    return Problem(
        GemmOp(extent, extent, extent, dtype=dtype), (tensor, tensor), tensor, options=Options(allow_fallback=False)
    )


def _seconds(problem: Problem, device: str, backend: str, *, compared: bool = False) -> float:
    place = device_memory(device, backend)
    made = plan(problem, device, backend)
    if compared:
        bench = Bench(problem, place)
        bench.check(made)
        operands: Operands = bench
    else:
        operands = Operands(problem, place)
    timer = Timer() if place is None else place.timer()
    return timer.measure(functools.partial(made.launch, *operands.pointers(made))).seconds
