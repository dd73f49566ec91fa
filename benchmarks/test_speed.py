# SPDX-License-Identifier: MIT
"""The same work by each library, for comparison between commits and backends.

    pytest benchmarks --benchmark-autosave                    # this commit
    pytest benchmarks --benchmark-compare --benchmark-group-by=group

Every result of a comparison is checked against float64 before it is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.pipeline import trace
from tracea_core.plugin.select import resolve

import tracea
from tracea import ops
from tracea.cli.problems import make_problem
from tracea.graduation.rounds import EPS, Bout, Layer, fused_convolution, gemm

GEMMS = ((256, 256, 256), (1024, 1024, 1024), (997, 1009, 1013), (1, 4096, 4096), (8, 8, 8))
LAYERS = (Layer(1, 64, 56, 64, 3), Layer(1, 64, 56, 256, 1))


@pytest.fixture(scope="module")
def threads() -> int:
    """Processors that every library may use."""
    return resolve("cpu").target.profile.processors


def timed(benchmark: Any, bout: Bout, library: str) -> None:
    """Check one library's result, then time it."""
    if library not in bout.contestants:
        pytest.skip(f"{library} takes no part")
    call = bout.contestants[library]
    assert bout.off(call()) <= 1, f"{library} is wrong"
    benchmark.group, benchmark.name = f"{bout.round} {bout.name}", library
    benchmark.extra_info["flops"] = bout.flops
    benchmark(call)


@pytest.mark.parametrize("library", ["tracea", "numpy", "torch"])
@pytest.mark.parametrize("shape", GEMMS, ids=lambda shape: "x".join(map(str, shape)))
def test_gemm(benchmark: Any, threads: int, shape: tuple[int, int, int], library: str) -> None:
    """Square, odd, thin and tiny products."""
    timed(benchmark, gemm("gemm", *shape, threads), library)


@pytest.mark.parametrize("library", ["tracea", "torch eager", "torch, BN folded", "numpy, BN folded"])
@pytest.mark.parametrize("channels_last", [False, True], ids=["nchw", "nhwc"])
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_fused_convolution(benchmark: Any, threads: int, layer: Layer, channels_last: bool, library: str) -> None:
    """Convolution → batch norm → ReLU."""
    timed(benchmark, fused_convolution(layer, channels_last, threads), library)


@pytest.mark.parametrize("epilogue", ["none", "bias,relu", "bias,gelu", "batchnorm,relu"])
def test_what_an_epilogue_costs(benchmark: Any, epilogue: str) -> None:
    """One product with and without what follows it."""
    random = np.random.default_rng(0)
    a, b = random.standard_normal((512, 512), np.float32), random.standard_normal((512, 512), np.float32)
    v = np.abs(random.standard_normal(512, np.float32)) + 0.5
    stages: dict[str, Callable[[], Any]] = {
        "none": lambda: None,
        "bias,relu": lambda: tracea.BiasAdd(v) | tracea.ReLU(),
        "bias,gelu": lambda: tracea.BiasAdd(v) | tracea.Gelu(),
        "batchnorm,relu": lambda: tracea.BatchNorm(v, v, v, v, eps=EPS) | tracea.ReLU(),
    }
    stage, out = stages[epilogue](), np.empty((512, 512), np.float32)
    benchmark.group, benchmark.name = "epilogue 512×512×512", epilogue
    benchmark(lambda: ops.matmul(a, b, out=out, epilogue=stage, backend="cpu"))


def test_walking_the_path(benchmark: Any) -> None:
    """What a new signature costs before compilation, with its certificate in the cache."""
    problem = make_problem("matmul", [640, 640, 640], epilogue="bias,gelu")
    benchmark.group = "path"
    benchmark(lambda: trace(problem, backend="cpu"))
