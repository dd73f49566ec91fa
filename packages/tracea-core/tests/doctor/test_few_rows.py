# SPDX-License-Identifier: MIT
"""Products of a few rows in single precision: which ones lanes take, and why others are left to tiles."""

from __future__ import annotations

import pytest
from tracea_core.doctor.few_rows import FEW_ROWS
from tracea_core.doctor.presets import preset
from tracea_core.doctor.row_count import MOST_ROWS, RequiresFewRows
from tracea_core.dtypes import DType
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.pipeline.path import trace
from tracea_core.testing.cases import dense, gemm

WISH = RequiresFewRows(MOST_ROWS)
FP32 = DType.FP32
TAKEN: dict[str, Problem] = {
    "one row": gemm((1, 512, 256), FP32, "nt"),
    "weights along columns": gemm((16, 512, 256), FP32, "nn"),
    "odd weights along columns": gemm((8, 511, 256), FP32, "nn"),
    "odd weights along the reduction": gemm((16, 511, 255), FP32, "nt"),
    "a vector": gemm((512, 1, 256), FP32, "nn"),
    "a batch": gemm((2, 512, 64), FP32, "nt", (8,)),
}
LEFT: dict[str, tuple[Problem, str]] = {
    "rows": (gemm((17, 512, 256), FP32, "nt"), "it has 17"),
    "odd columns": (gemm((9, 511, 256), FP32, "nn"), "at most 8 rows"),
    "unaligned": (
        gemm((9, 512, 256), FP32, "nn").replace(options=Options(alignment=4, allow_fallback=False)),
        "at most 8",
    ),
    "a padded row of odd columns": (
        gemm((9, 511, 256), FP32, "nn", b=dense((256, 511), FP32, gap=1)),
        "at most 8",
    ),
    "rows across": (gemm((4, 512, 256), FP32, "tt"), "along the reduction"),
    "weights apart": (
        gemm((4, 512, 256), FP32, "nn", b=dense((256, 512), FP32, step=2)),
        "along one of its axes",
    ),
    "gates": (gemm((4, 512, 256), FP32, "nn", epilogue=parse_epilogue("swiglu")), "without gates"),
    "a batch by one matrix": (
        gemm((4, 512, 64), FP32, "nn", (8,)).replace(
            inputs=(dense((8, 4, 64), FP32), dense((1, 64, 512), FP32)),
        ),
        "it has 32",
    ),
}


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize(("device", "backend"), [("h200", "cuda"), ("mi300x", "hip"), ("m1", "metal"), ("pvc", "sycl")])
def test_lanes_take_what_waits_for_memory(name: str, device: str, backend: str) -> None:
    assert WISH.reason(TAKEN[name], preset(device)) is None
    path = trace(TAKEN[name], preset=device, backend=backend)
    assert path.choice.variant.name == f"{backend}.contraction.few_rows_fp32"
    assert path.choice.variant.schedule == FEW_ROWS
    assert path.arrangement.kernels == 1 or device != "h200"  # where accesses are slow, odd operands are copied first


@pytest.mark.parametrize("name", LEFT)
def test_others_are_left_to_tiles(name: str) -> None:
    problem, words = LEFT[name]
    reason = WISH.reason(problem, preset("h200"))
    assert reason is not None and words in reason


def test_convolutions_are_no_products() -> None:
    from tracea_core.ops.conv import Conv2dOp

    op = Conv2dOp(1, 8, 9, 9, 8, 3, 3, dtype=FP32)
    problem = Problem(op, tuple(dense(shape, FP32) for shape in op.input_shapes()), dense(op.output_shape(), FP32))
    assert WISH.reason(problem, preset("h200")) == f"needs {WISH.describe()}"
