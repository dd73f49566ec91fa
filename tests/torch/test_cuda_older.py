# SPDX-License-Identifier: MIT
"""Kernels printed for sm_80 compute the same on a newer device that compiles their text: products, all layouts, ragged sizes."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)
pytestmark = pytest.mark.device

from tracea_core.doctor.presets import preset  # noqa: E402
from tracea_core.dtypes import DType  # noqa: E402
from tracea_core.emit.source import KernelSource  # noqa: E402
from tracea_core.ops.gemm import GemmOp  # noqa: E402
from tracea_core.ops.problem import Options, Problem  # noqa: E402
from tracea_core.plugin.manager import plugins  # noqa: E402
from tracea_core.plugin.manifest import BackendManifest, ProbeReport  # noqa: E402
from tracea_core.runtime.interface import CompiledKernel  # noqa: E402
from tracea_core.target import Target  # noqa: E402
from tracea_core.testing.cases import dense  # noqa: E402
from tracea_core.testing.simt.served import Served  # noqa: E402

KINDS: dict[str, tuple[DType, dict[str, bool]]] = {
    "mma_bf16": (DType.BF16, {}),
    "mma_fp16": (DType.FP16, {}),
    "mma_product_int8": (DType.INT8, {}),
    "mma_tf32": (DType.TF32, {"allow_tf32": True}),
    "mma_tf32x3": (DType.FP32, {"tf32x3": True}),
    "simt_fp32": (DType.FP32, {}),
}
SIZES = ((8, 16, 48), (40, 72, 136), (136, 264, 40), (1000, 520, 264))


class Newer:
    """A device that compiles for itself what was printed for an older one."""

    def __init__(self, runtime: Any, arch: str) -> None:
        self._runtime, self._arch = runtime, arch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runtime, name)

    def compile(self, source: KernelSource) -> CompiledKernel:
        assert source.arch == "sm_80"
        return self._runtime.compile(source.replace(arch=self._arch))  # type: ignore[no-any-return]


@functools.cache
def printing_for_sm_80() -> BackendManifest:
    manifest = plugins().manifest("cuda")
    (device, *_) = manifest.probe().devices
    report = ProbeReport(devices=(Target("cuda", device.device, preset("a100")),))
    return dataclasses.replace(
        manifest,
        probe=lambda: report,
        open_runtime=lambda name: Newer(manifest.open_runtime(name), device.profile.arch),
    )


def problem(m: int, n: int, k: int, name: str, layout: str, aligned: bool = True) -> Problem:
    dtype, options = KINDS[name]
    stored = DType.FP32 if dtype is DType.TF32 else dtype
    wide, order = 16 // stored.bytes if aligned else 1, {"n": None, "t": (1, 0)}
    op = GemmOp(m, n, k, dtype=dtype, out_dtype=DType.FP32 if dtype is DType.TF32 else None)
    inputs = (
        dense((m, k), stored, order[layout[0]], -(m if layout[0] == "t" else k) % wide),
        dense((k, n), stored, order[layout[1]], -(k if layout[1] == "t" else n) % wide),
    )
    return Problem(op, inputs, dense((m, n), op.output_dtype()), options=Options(allow_fallback=False, **options))


@pytest.mark.parametrize("layout", ["nt", "nn", "tn", "tt"])
@pytest.mark.parametrize("name", KINDS)
def test_kernels_for_sm_80_agree_with_float64(name: str, layout: str) -> None:
    kernel = Served.on_first_device(
        printing_for_sm_80(), problem(1032, 1032, 1032, name, layout), variant=f"cuda.contraction.{name}"
    )
    assert kernel.source.arch == "sm_80"
    for m, n, k in SIZES:
        kernel.run(problem(m, n, k, name, layout), seed=m)


@pytest.mark.parametrize("name", KINDS)
def test_rows_that_begin_anywhere_agree_with_float64(name: str) -> None:
    first = problem(1031, 1031, 1031, name, "nt", aligned=False)
    kernel = Served.on_first_device(printing_for_sm_80(), first, variant=f"cuda.contraction.{name}")
    for m, n, k in [(3, 9, 33), (33, 70, 129), (1031, 517, 263)]:
        kernel.run(problem(m, n, k, name, "nt", aligned=False), seed=m)
