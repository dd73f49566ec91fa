# SPDX-License-Identifier: MIT
"""Plans for other extents with a kernel that exists: right results, and nothing where another kernel is needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import configure, path, plan, runtimes
from tracea_core.pipeline.rebind import rebound
from tracea_core.plugin.select import Selection
from tracea_core.testing.null import null_backend


def gemm(m: int, n: int = 30, k: int = 7, *, transposed: bool = False, dtype: DType = DType.FP32) -> Problem:
    t = TensorSpec.contiguous
    a = TensorSpec((m, k), dtype, (1, m)) if transposed else t((m, k), dtype)
    return Problem(GemmOp(m, n, k, dtype=dtype), (a, t((k, n), dtype)), t((m, n), dtype))


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[list[str]]:
    """Let the interpreter serve every call, and list what it prints."""
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    configure.store.cache_clear()
    configure.forget_lock_file()
    path._certificate_cache.cache_clear()
    seen: list[str] = []
    manifest = null_backend()
    emit = manifest.emitters["contraction"]

    def counted(kernel: Any, certificate: Any) -> Any:
        seen.append(kernel.digest())
        return emit(kernel, certificate)

    manifest = dataclasses.replace(manifest, emitters={**manifest.emitters, "contraction": counted})

    class Only:
        def manifest(self, name: str) -> Any:
            return manifest

        def load(self, name: str) -> str:
            return name

    target = manifest.probe().devices[0]
    monkeypatch.setattr(path, "resolve", lambda *a, **k: Selection(target, manifest))
    monkeypatch.setattr(runtimes, "plugins", Only)
    yield seen
    runtimes.forget()
    configure.store.cache_clear()
    path._certificate_cache.cache_clear()


def result(made: Any, problem: Problem) -> tuple[Any, Any]:
    """What a plan computes on random matrices, and the product."""
    m, k = problem.inputs[0].shape
    n = problem.inputs[1].shape[1]
    random = np.random.default_rng(m)
    a, b = (random.standard_normal(shape, dtype=np.float32) for shape in ((m, k), (k, n)))
    out = np.full((m, n), np.nan, np.float32)
    arrays = {"input0": a, "input1": b, "output": out}
    made.launch(*(arrays[name].ctypes.data for name in made.operands))
    return out, a @ b


def test_a_kernel_serves_other_extents(printed: list[str]) -> None:
    made = plan(gemm(64))
    for m in (1, 33, 50, 63, 64):
        again = rebound(made, gemm(m))
        assert again is not None
        np.testing.assert_allclose(*result(again, gemm(m)), rtol=1e-4, atol=1e-5)
        assert again.path.problem == gemm(m) and again.path.kernel is made.path.kernel
    assert len(printed) == 1


def test_what_needs_another_kernel_is_not_served(printed: list[str]) -> None:
    made = plan(gemm(64))
    assert rebound(made, gemm(50, transposed=True)) is None
    assert rebound(made, gemm(50, dtype=DType.FP64)) is None
    assert rebound(made, gemm(0)) is None


def test_extents_that_a_kernel_does_not_count_on_are_not_served(printed: list[str]) -> None:
    made = plan(gemm(64))
    kernel = made.path.kernel
    strict = tuple(s.replace(multiple=64) if s.name == "m" else s for s in kernel.symbols)
    assert strict != kernel.symbols
    changed = dataclasses.replace(made, made=dataclasses.replace(made.path, kernel=kernel.replace(symbols=strict)))
    assert rebound(changed, gemm(64)) is not None
    assert rebound(changed, gemm(50)) is None


def test_what_was_printed_is_remembered(printed: list[str]) -> None:
    for m in (64, 65, 66):
        configured = plan(gemm(64)).path.configuration
        plan(gemm(m), configuration=configured)
    assert len(printed) == len(set(printed))
