# SPDX-License-Identifier: MIT
"""Sums of columns as they run: held to what float64 says, at ragged shapes, however the rows are divided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.column_sums import counts, joined, sums_dtype, sums_reference, sums_tolerance
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.tolerance import reference, tolerance
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.quotient import reciprocals
from tracea_cpu.runtime import CpuRuntime

WINDOWS = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, stages=1, pack_b=True, halo=True)
PANELS = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, stages=1, pack_b=True)
PLANES, LAST = (0, 1, 2, 3), (0, 2, 3, 1)


def launch(problem: Problem, tensors: dict[str, Any], configuration: PipelineConfig, built: Any, splits: int) -> None:
    """Run a kernel whose results start as poison, and hold values and sums to their bounds."""
    made = built(problem, configuration)
    parts = {"row_splits": splits, "column_splits": 1 + splits % 2, "row_blocks": splits}
    values = {**made.symbols, **parts, "workers": 2}
    values |= reciprocals(values, ("n",))
    CpuRuntime().compile(made.source).prepare(values)(*(tensors[name].pointer for name in made.operands))
    inputs = [tensors["input0"].values, tensors["input1"].values]
    slots = range(len(problem.epilogue_inputs))
    operands = [np.nan_to_num(tensors[f"epilogue{slot}"].values) for slot in slots]
    sums = tensors[f"epilogue{slots[-1]}"]
    off = np.abs(tensors["output"].values - reference(problem, inputs, operands))
    assert (off <= tolerance(problem, inputs, operands)).all()
    off = np.abs(sums.values - sums_reference(problem, inputs, operands))
    assert (off <= sums_tolerance(problem, inputs, operands)).all()
    assert tensors["output"].outside_is_untouched() and sums.outside_is_untouched()


@pytest.mark.parametrize("splits", [1, 3])
@pytest.mark.parametrize("block", [6, 24, 168])
@pytest.mark.parametrize("order", [PLANES, LAST])
@pytest.mark.parametrize("size", [(2, 4, 7, 5, 6), (1, 3, 9, 11, 37), (3, 8, 8, 8, 16)])
def test_convolutions_store_sums_of_their_pixels(
    random: np.random.Generator,
    poisoned: Callable[..., Any],
    built: Callable[..., Any],
    size: tuple[int, int, int, int, int],
    order: tuple[int, ...],
    block: int,
    splits: int,
) -> None:
    op, dtype = Conv2dOp(*size, 3, 3, (1, 1), (1, 1)), DType.FP32
    x, w = (poisoned(s, dtype, order).fill(random.normal(size=s)) for s in op.input_shapes())
    y, bias = poisoned(op.output_shape(), dtype, order), poisoned((op.k,), dtype).fill(random.normal(size=op.k))
    pixels = y.spec.size // op.k
    sums = poisoned((3, -(-pixels // block), op.k), dtype)
    epilogue = parse_epilogue(f"bias,sums:{block}")
    problem = Problem(op, (x.spec, w.spec), y.spec, epilogue, (bias.spec, sums.spec))
    named = {"input0": x, "input1": w, "output": y, "epilogue0": bias, "epilogue1": sums}
    launch(problem, named, WINDOWS, built, splits)
    mean, variance = joined(sums.values, counts(pixels, block))
    np.testing.assert_allclose(mean, y.values.mean(axis=(0, 2, 3)), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(variance, y.values.var(axis=(0, 2, 3)), rtol=1e-4)


@pytest.mark.parametrize("splits", [1, 2, 5])
@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
@pytest.mark.parametrize("block", [6, 48])
@pytest.mark.parametrize(("m", "n", "k"), [(70, 33, 9), (5, 16, 40), (97, 100, 3)])
def test_products_store_sums_of_their_rows(
    random: np.random.Generator,
    poisoned: Callable[..., Any],
    built: Callable[..., Any],
    m: int,
    n: int,
    k: int,
    block: int,
    dtype: DType,
    splits: int,
) -> None:
    x, w = (poisoned(s, dtype).fill(random.normal(size=s)) for s in ((m, k), (k, n)))
    y, sums = poisoned((m, n), dtype, gap=3), poisoned((3, -(-m // block), n), sums_dtype(dtype))
    op, epilogue = GemmOp(m, n, k, dtype=dtype), parse_epilogue(f"relu,sums:{block}")
    problem = Problem(op, (x.spec, w.spec), y.spec, epilogue, (sums.spec,))
    launch(problem, {"input0": x, "input1": w, "output": y, "epilogue0": sums}, PANELS, built, splits)
