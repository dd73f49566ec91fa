# SPDX-License-Identifier: MIT
"""The schedule of processors in OpenCL C: golden texts, products and convolutions against float64, and what has no word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, ConfigurationError, EmitError
from tracea_core.ops.activations import BiasAdd, Gelu, Lambda
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import Stage
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import SEPARATE_WORKERS
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.golden import check_golden
from tracea_core.testing.simt.served import Served
from tracea_sycl.plugin import emit, tracea_register_backend
from tracea_sycl.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden"
PROFILE = preset("avx2").replace(backend="sycl", arch="opencl", features=(SEPARATE_WORKERS,))
VARIANT = variants(PROFILE)[0]


def tile(rows: int, columns: int, unroll: int = 4, block_k: int = 0, pack_a: bool = False) -> PipelineConfig:
    return PipelineConfig(tile_m=rows, tile_n=columns, tile_k=unroll, stages=1, warps=1, block_k=block_k, pack_a=pack_a)


def finished(problem: Problem, stages: Stage) -> Problem:
    epilogue, arrays = stages.bind()
    return problem.replace(
        epilogue=epilogue, epilogue_inputs=tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    )


BIASED = BiasAdd(np.ones(131, np.float32)) | Gelu("tanh")
BENT = Lambda(lambda x: np.where(x > 0.25, x, x * 0.125) / (1 + abs(x)))
KERNELS = {
    "gemm_fp32_processor": (finished(gemm((70, 131, 33), DType.FP32, "nn"), BIASED), tile(4, 24)),
    "gemm_blocks_processor": (gemm((70, 131, 500), DType.FP32, "tt"), tile(6, 16, block_k=64, pack_a=True)),
}


def printed(problem: Problem, configuration: PipelineConfig) -> KernelSource:
    contraction = lower(problem).contraction
    kernel = build_kernel(contraction, configuration, PROFILE, VARIANT)
    return emit(kernel, certify(kernel, contraction, PROFILE))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    source = printed(*KERNELS[name])
    assert [space.per_worker for space in source.workspaces] == [True] * len(source.workspaces)
    check_golden(GOLDEN / f"{name}.cl", source.text)


def test_divisions_that_workers_wait_for_are_refused() -> None:
    problem = gemm((64, 64, 512), DType.FP32, "nn")
    with pytest.raises(ConfigurationError, match="cannot wait for one another"):
        printed(problem, tile(4, 24).replace(split_k=2))
    plain = PROFILE.replace(features=())
    contraction = lower(problem).contraction
    kernel = build_kernel(contraction, tile(4, 24).replace(split_k=2), plain, VARIANT)
    with pytest.raises(EmitError, match="barriers of a workers"):
        emit(kernel, certify(kernel, contraction, plain))


def run(problem: Problem, configuration: PipelineConfig | None = None) -> None:
    manifest: BackendManifest = tracea_register_backend()
    devices = [target for target in manifest.probe().devices if target.device == "cpu"]
    if not devices:
        pytest.skip("OpenCL has no processor here")
    if configuration is not None:  # as many vectors as in the texts above, of the processor's own width
        vectors = configuration.tile_n // PROFILE.lanes
        configuration = configuration.replace(tile_n=vectors * devices[0].profile.lanes)
    try:
        Served.on_first_device(manifest, problem, configuration).run(problem, seed=3)
    except BackendUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.toolchain
@pytest.mark.parametrize("name", KERNELS)
def test_processors_agree_with_float64(name: str) -> None:
    run(*KERNELS[name])


@pytest.mark.toolchain
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_few_rows(rows: int) -> None:
    run(gemm((rows, 61, 77), DType.FP32, "nt"))


@pytest.mark.toolchain
@pytest.mark.parametrize("dtype", [DType.BF16, DType.FP16])
def test_shorter_types_are_widened(dtype: DType) -> None:
    run(finished(gemm((29, 61, 83), dtype, "nt"), BiasAdd(np.ones(61, np.float32)) | Gelu()))


@pytest.mark.toolchain
def test_conditions_are_lanes_of_their_own() -> None:
    run(finished(gemm((23, 50, 19), DType.FP32, "tn"), BENT))


@pytest.mark.toolchain
def test_windows_are_gathered() -> None:
    op = Conv2dOp(2, 5, 11, 9, 13, 3, 3, (2, 1), (1, 1), dtype=DType.FP32)
    run(
        Problem(
            op, tuple(dense(shape, DType.FP32) for shape in op.input_shapes()), dense(op.output_shape(), DType.FP32)
        )
    )
