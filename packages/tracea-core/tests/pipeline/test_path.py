# SPDX-License-Identifier: MIT
"""The path of a call on the interpreter backend: what each stage hands on, and what a broken backend does to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, DeviceError
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import configure, path, plan, runtimes, trace
from tracea_core.pipeline.configure import Origin
from tracea_core.plugin import manager as managers
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.select import Selection
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.null import null_backend


def gemm(m: int = 5, n: int = 30, k: int = 7) -> Problem:
    t = TensorSpec.contiguous
    return Problem(GemmOp(m, n, k), (t((m, k), DType.FP32), t((k, n), DType.FP32)), t((m, n), DType.FP32))


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Any]:
    """Let a manifest serve every call, with stores and caches of its own."""
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    configure.store.cache_clear()
    configure.forget_lock_file()
    path._certificate_cache.cache_clear()  # else it is still the one of an earlier test, in the user's own directory

    class Only:
        def __init__(self, manifest: BackendManifest) -> None:
            self._manifest = manifest
            self.faults: list[tuple[str, BaseException]] = []

        def manifest(self, name: str) -> BackendManifest:
            return self._manifest

        def load(self, name: str) -> str:
            return name

        def fault(self, record: str, where: str, error: BaseException) -> None:
            self.faults.append((where, error))

    def install(manifest: BackendManifest) -> Only:
        only = Only(manifest)
        target = manifest.probe().devices[0]
        monkeypatch.setattr(path, "resolve", lambda *a, **k: Selection(target, manifest))
        monkeypatch.setattr(runtimes, "plugins", lambda: only)
        return only

    yield install
    runtimes.forget()
    configure.store.cache_clear()
    path._certificate_cache.cache_clear()
    managers.reset_plugins()


def test_every_stage_is_there_and_belongs_together(use: Any) -> None:
    use(null_backend())
    found = trace(gemm())
    found.certificate.require(found.kernel)
    assert found.source is not None and found.source.kernel_digest == found.kernel.digest()
    assert found.configured.origin is Origin.HERO
    assert found.tile_graph().tiles > 0
    assert plan(gemm()).operands == ("input0", "input1", "output")


def test_a_fused_op_goes_as_its_product_with_an_epilogue(use: Any) -> None:
    use(null_backend())
    t = TensorSpec.contiguous
    fused = FusedGemmOp(GemmOp(5, 8, 7), parse_epilogue("bias,relu"))
    specs = tuple(t(shape, DType.FP32) for shape in fused.input_shapes())
    found = trace(Problem(fused, specs, t((5, 8), DType.FP32)))
    assert isinstance(found.problem.op, GemmOp) and found.problem.epilogue.describe() == "bias, relu"


def test_a_given_configuration_is_used(use: Any) -> None:
    use(null_backend())
    wanted = trace(gemm()).configuration.replace(tile_m=2)
    found = trace(gemm(), configuration=wanted)
    assert found.configuration == wanted and found.configured.origin is Origin.GIVEN
    assert isinstance(found.configuration, PipelineConfig)


def test_another_shape_of_the_class_shares_the_kernel(use: Any) -> None:
    use(null_backend())
    first, second = trace(gemm(5, 30, 7)), trace(gemm(6, 31, 6))
    assert first.lowered.contraction == second.lowered.contraction
    assert first.lowered.symbols != second.lowered.symbols


@pytest.mark.parametrize("field", ["variants", "emitters", "open_runtime"])
def test_a_backend_that_raises_is_named_and_recorded(use: Any, field: str) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("planted")

    manifest = null_backend()
    broken = {"emitters": {"contraction": fail}}.get(field, fail)
    only = use(dataclasses.replace(manifest, **{field: broken}))
    with pytest.raises(BackendUnavailableError, match="ZeroDivisionError: planted"):
        plan(gemm())
    assert [type(error) for _, error in only.faults] == [ZeroDivisionError]


def test_a_backend_without_an_emitter_is_explained_but_not_launched(use: Any) -> None:
    use(dataclasses.replace(null_backend(), emitters={}))
    assert trace(gemm()).source is None
    with pytest.raises(BackendUnavailableError, match="prints no contraction kernels"):
        plan(gemm())


def test_a_preset_is_never_launched_on(use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = null_backend()
    use(manifest)
    target = manifest.probe().devices[0].replace(device="preset:avx2")
    monkeypatch.setattr(path, "resolve", lambda *a, **k: Selection(target, manifest))
    with pytest.raises(DeviceError, match="published profile"):
        plan(gemm())


def test_a_damaged_certificate_is_proved_again(use: Any) -> None:
    use(null_backend())
    first = trace(gemm())
    cache = path._certificate_cache()
    stored = cache.keys()
    for key in stored:
        cache.put(key, b'{"kernel": "other", "proofs": []}')
    path._certificates.clear()
    assert trace(gemm()).certificate.kernel == first.kernel.digest()
