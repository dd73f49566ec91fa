# SPDX-License-Identifier: MIT
"""Products of a few rows by lanes, as backends' tests look at them: weights along either axis, and other sizes through the same text."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.errors import demand
from tracea_core.testing.simt.served import Served

LAYOUTS = ("nt", "nn")
"""Weights along the reduction, and along the columns."""
_SIZES = ((1, 4, 4), (3, 36, 260), (5, 52, 516), (9, 20, 128))
"""Of further problems: fewer rows than a tile's and more, columns and a reduction that end within one."""


def few_rows(m: int, n: int, k: int, layout: str) -> Problem:
    """Return a product in fp32 with a bias, a residual and a ReLU."""
    epilogue = parse_epilogue("bias,residual,relu")
    extra = (dense((n,), DType.FP32), dense((m, n), DType.FP32))
    problem = gemm((m, n, k), DType.FP32, layout, epilogue=epilogue, extra=extra)
    return problem.replace(options=Options(allow_fallback=False))


def shares(layout: str, lanes: int) -> PipelineConfig:
    """Return four rows by eight columns for a block of two warps, whose lanes move runs of 16 bytes."""
    groups = 2 if layout == "nn" else 4
    return PipelineConfig(
        tile_m=4, tile_n=8, tile_k=lanes // groups * 4, stages=1, warps=2, vector_a=4, vector_b=4, unroll_k=2
    )


def check_few_rows(manifest: BackendManifest, device: str, layout: str, lanes: int) -> None:
    """The kernel of a published device computes products of other sizes, and the emulator finds nothing.

    Raises
    ------
    ConformanceError
        If a value is wrong, or the emulator finds a fault.
    BackendUnavailableError
        If there is no compiler for the emulator.
    """
    variant = f"{manifest.name}.contraction.few_rows_fp32"
    served = Served(manifest, device, few_rows(3, 68, 196, layout), shares(layout, lanes), variant)
    for seed, sizes in enumerate(_SIZES):
        demand(not served.run(few_rows(*sizes, layout), seed).findings, "the emulator finds nothing", sizes=sizes)
