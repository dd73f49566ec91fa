# SPDX-License-Identifier: MIT
"""Weights in panels, executed: copies touch only what is theirs, and products from them agree with float64 at every edge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel_copy import copy_configuration, panel_copy_kernel
from tracea_core.semantic.panels import lower_panels, panel_elements
from tracea_core.semantic.verify.certificate import Certificate
from tracea_cpu.emit.contraction import emit_kernel
from tracea_cpu.runtime import CpuRuntime

AVX2 = preset("avx2")
SHAPES = [(1, 1, 1), (13, 50, 0), (8, 48, 17), (0, 5, 3), (11, 71, 33)]


def in_panels(weight: Any, width: int, workers: int) -> Any:
    """Copy a poisoned tensor into panels between guard bands and return them; nothing else may be written."""
    lowered = lower_panels("input1", weight.spec, "panels", width)
    kernel = panel_copy_kernel(lowered.form, copy_configuration(lowered.form, AVX2), AVX2, "copy")
    source = emit_kernel(kernel, Certificate(kernel.digest(), ()))
    k, n = weight.spec.shape
    panels = np.full(panel_elements(k, n, width) + 128, np.nan, weight.spec.dtype.numpy)
    launch = CpuRuntime().compile(source).prepare({**lowered.symbols, "workers": workers})
    launch(weight.pointer, panels.ctypes.data + 64 * panels.itemsize)
    body = panels[64:-64].reshape(-(-n // width), k, width)
    values = weight.values
    for number, panel in enumerate(body):
        wanted = values[:, number * width : (number + 1) * width]
        assert np.array_equal(panel[:, : wanted.shape[1]], wanted)
        assert np.isnan(panel[:, wanted.shape[1] :]).all()
    assert np.isnan(panels[:64]).all()
    assert np.isnan(panels[-64:]).all()
    return panels


@pytest.mark.parametrize("dtype, width", [(DType.FP32, 24), (DType.FP32, 16), (DType.FP64, 12)])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    "fields",
    [
        {"stages": 1},
        {"stages": 2},
        {"stages": 2, "block_k": 16},
        {"stages": 1, "block_k": 8, "tile_m": 3},
        {"stages": 1, "tile_m": 1, "together": 2},
        {"stages": 2, "tile_m": 1, "together": 2},
    ],
)
def test_products_from_panels_agree_with_float64(
    dtype: DType, width: int, order: tuple[int, int], fields: dict[str, int], poisoned: Callable[..., Any],
    built: Callable[..., Any], random: np.random.Generator,
) -> None:  # fmt: skip
    for m, n, k in SHAPES:
        a = poisoned((m, k), dtype, gap=3).fill(random.standard_normal((m, k)))
        weight = poisoned((k, n), dtype, order, gap=2).fill(random.standard_normal((k, n)))
        out = poisoned((m, n), dtype, gap=5)
        panels = in_panels(weight, width, workers=2)
        op = GemmOp(m, n, k, dtype=dtype)
        spec = TensorSpec((k, n), dtype, (width, 1))
        problem = Problem(op, (a.spec, spec), out.spec, options=Options(panel_columns=width))
        own = {name: value for name, value in fields.items() if name != "together"}
        tile = {"tile_m": 4, "tile_n": width * fields.get("together", 1), "tile_k": 4, "warps": 1, "pack_b": False}
        config = PipelineConfig(**tile | own)
        kernel = built(problem, config)
        splits = {"row_splits": 2, "column_splits": 2, "row_blocks": 2, "k_blocks": 3}
        known = {symbol.name for symbol in kernel.source.symbols}
        values = {**kernel.symbols, "workers": 2} | {name: s for name, s in splits.items() if name in known}
        launch = CpuRuntime().compile(kernel.source).prepare(values)
        places = {"input0": a.pointer, "input1": panels.ctypes.data + 64 * panels.itemsize, "output": out.pointer}
        launch(*(places[name] for name in kernel.operands))
        plain = Problem(op, (a.spec, weight.spec), out.spec)
        exact = [a.values, weight.values], []
        assert agrees(out.values, reference(plain, *exact), tolerance(plain, *exact)).all(), (m, n, k)
        assert out.outside_is_untouched()
