# SPDX-License-Identifier: MIT
"""Every share of a launch is run once, by whichever worker is free, in memory of that worker."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certificate import Certificate
from tracea_cpu import compile as compiler
from tracea_cpu import deal as deals
from tracea_cpu import pool as pools
from tracea_cpu.compile import host_triple
from tracea_cpu.deal import DEALT, Deal
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.pool import Pool, PortablePool, ThreadedPool, WorkerPool
from tracea_cpu.pool_text import has_futex
from tracea_cpu.runtime import CpuLauncher, CpuRuntime

KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
KINDS: list[type[ThreadedPool]] = [Pool, PortablePool] if has_futex(host_triple()) else [PortablePool]
_BYTES = 64


def dealt(pool: WorkerPool, shares: int, sizes: list[int], words: int = 4) -> list[tuple[int, int, list[int]]]:
    """Return (share, shares, argument words with each own address moved to where the kernel would look) of every call."""
    seen: list[tuple[int, int, list[int]]] = []

    @KERNEL
    def kernel(arguments: int, share: int, total: int) -> None:
        found = list((ctypes.c_int64 * words).from_address(arguments))
        for place, size in zip(range(words - len(sizes), words), sizes, strict=True):
            found[place] += share * size
        seen.append((share, total, found))

    address = ctypes.cast(kernel, ctypes.c_void_p).value
    assert address is not None
    block = (ctypes.c_int64 * words)(*range(1000, 1000 * (words + 1), 1000))
    deal = Deal(address, ctypes.addressof(block), shares, words, sizes)
    for _ in range(2):
        seen.clear()
        pool.run(deal.function, deal.code, deal.begin(), pool.size)
    return seen


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size, shares", [(1, 1), (1, 7), (2, 3), (3, 50), (4, 2)])
def test_every_share_is_run_once_in_the_memory_of_a_worker(kind: type[ThreadedPool], size: int, shares: int) -> None:
    pool = kind(size)
    try:
        seen = dealt(pool, shares, [_BYTES, 0])
    finally:
        pool.retire()
    assert sorted(share for share, _, _ in seen) == list(range(shares))
    for _, total, words in seen:
        assert total == shares
        assert words[:2] == [1000, 2000] and words[3] == 4000
        assert words[2] - 3000 in [worker * _BYTES for worker in range(size)]


def test_arguments_without_memory_are_passed_on() -> None:
    pool = KINDS[0](2)
    try:
        assert [words for _, _, words in dealt(pool, 3, [], words=2)] == [[1000, 2000]] * 3
    finally:
        pool.retire()


def test_code_stays_as_long_as_what_runs_it(monkeypatch: Any) -> None:
    """Threads that need it first at the same time load it once each, whatever a cache keeps."""
    loaded: list[weakref.ref[Any]] = []

    def fresh(text: str) -> Any:
        found = compiler.load(text, hashlib.sha256(text.encode()).hexdigest())
        loaded.append(weakref.ref(found))
        return found

    monkeypatch.setattr(deals, "_code", lambda: fresh(deals.DEAL_TEXT))
    block = (ctypes.c_int64 * 2)(1, 2)
    deal = Deal(0, ctypes.addressof(block), 0, 2, [])
    gc.collect()
    assert loaded[-1]() is not None
    deal.function(deal.begin(), 0, 1)  # there are no shares, so nothing is called
    if has_futex(host_triple()):
        monkeypatch.setattr(pools, "_pool_code", lambda: fresh(pools.pool_text(host_triple())))
        pool = Pool(2)
        gc.collect()
        assert loaded[-1]() is not None
        pool.retire()


def launcher(symbols: dict[str, int], shape: tuple[int, int, int], config: PipelineConfig) -> tuple[CpuLauncher, Any]:
    m, n, k = shape
    specs = [TensorSpec.contiguous(extents, DType.FP32) for extents in ((m, k), (k, n), (m, n))]
    lowered = lower(Problem(GemmOp(m, n, k), tuple(specs[:2]), specs[2]))
    kernel = panel_kernel(lowered.contraction, config, preset("avx2"), "cpu.contraction.avx2", "kernel")
    source = emit_contraction(kernel, Certificate(kernel.digest(), ()))
    return CpuRuntime().compile(source).prepare({**lowered.symbols, "workers": 2, **symbols}), lowered.operands


TILE = PipelineConfig(tile_m=4, tile_n=8, tile_k=2, stages=1, warps=1)
BLOCKS = {"row_splits": 2, "column_splits": 3, "row_blocks": 2, "k_blocks": 3}


@pytest.mark.parametrize(
    "config, symbols",
    [
        (TILE, {"row_splits": 2, DEALT: 10}),
        (TILE.replace(block_k=8), {**BLOCKS, DEALT: 6}),
        (TILE.replace(block_k=8, pack_a=True), {**BLOCKS, DEALT: 50}),
        (TILE.replace(split_k=3), {"row_splits": 1, DEALT: 9}),  # its workers meet at a barrier, so it is not dealt
    ],
)
def test_dealt_products_are_right_whoever_calls(
    config: PipelineConfig, symbols: dict[str, int], monkeypatch: Any
) -> None:
    monkeypatch.setenv("TRACEA_NUM_THREADS", "2")
    m, n, k = 21, 37, 29
    launch, _ = launcher(symbols, (m, n, k), config)
    assert bool(launch._shares) == (config.split_k == 1)
    random = np.random.default_rng(7)
    wrong: list[float] = []

    def calls() -> None:
        for _ in range(20):
            a, b = (random.integers(-9, 9, shape).astype(np.float32) for shape in ((m, k), (k, n)))
            out = np.full((m, n), np.nan, np.float32)
            launch(a.ctypes.data, b.ctypes.data, out.ctypes.data)
            if not np.array_equal(out, a @ b):
                wrong.append(1.0)

    threads = [threading.Thread(target=calls) for _ in range(3)]
    for thread in threads:
        thread.start()
    calls()
    for thread in threads:
        thread.join()
    assert not wrong
