# SPDX-License-Identifier: MIT
"""Filters packed along their runs, whatever the order of their axes, for a sweep along rows, columns and channels."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.filter_panels import FilterPanels
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.windows import pixels_first
from tracea_core.semantic.index import Index, Sym, evaluate
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.quotient import reciprocals
from tracea_core.semantic.verify.meaning import check_meaning

AVX2 = preset("avx2")
WINDOWS = PipelineConfig(tile_m=3, tile_n=8, tile_k=2, stages=1, warps=1, halo=True)
ORDERS = {"kcrs": (0, 1, 2, 3), "krsc": (0, 2, 3, 1), "kscr": (0, 3, 1, 2), "rsck": (2, 3, 1, 0)}


def lowered(order: str, channels: int = 5, padding: int = 1) -> Lowered:
    """A convolution by 3×2 filters whose axes lie in memory as `order` says."""
    op = Conv2dOp(2, channels, 6, 5, 9, 3, 2, padding=(padding, padding))
    x, w = (TensorSpec.contiguous(shape, DType.FP32) for shape in op.input_shapes())
    extents, strides, step = op.input_shapes()[1], [0, 0, 0, 0], 1
    for axis in reversed(ORDERS[order]):
        strides[axis], step = step, step * extents[axis]
    out = TensorSpec.contiguous(op.output_shape(), DType.FP32)
    return lower(Problem(op, (x, w.replace(strides=tuple(strides))), out))


def packer(made: Lowered) -> FilterPanels:
    return FilterPanels(made.contraction, pixels_first(made.contraction), WINDOWS, AVX2)


@pytest.mark.parametrize("order", ["kcrs", "krsc", "kscr"])
def test_each_element_of_a_run_has_the_row_that_the_sweep_reads_it_at(order: str) -> None:
    made = lowered(order)
    panels, symbols = packer(made), made.symbols
    assert panels.turns
    extents = {"c": symbols["k_c"], "r": symbols["k_r"], "s": symbols["k_s"]}
    names = order.removeprefix("k")
    place = panels.row_in_panel(Sym("at"))
    for at in range(extents["c"] * extents["r"] * extents["s"]):
        rest, found = at, {}
        for name in reversed(names):
            rest, found[name] = divmod(rest, extents[name])
        wanted = (found["r"] * extents["s"] + found["s"]) * extents["c"] + found["c"]
        known = {**symbols, "at": at}
        assert evaluate(place, {**known, **reciprocals(known, panels.divisors)}) == wanted


def test_filters_whose_channels_are_innermost_are_packed_as_they_lie() -> None:
    panels = packer(lowered("krsc"))
    assert panels.row_in_panel(Sym("at")) == Sym("at") and not panels.divisors


def test_filters_that_are_no_runs_are_gathered() -> None:
    panels = packer(lowered("rsck"))
    assert not panels.turns and not panels.divisors


@pytest.mark.parametrize("order", ORDERS)
def test_kernels_compute_the_convolution(order: str) -> None:
    form = lowered(order).contraction
    check_meaning(panel_kernel(form, WINDOWS, AVX2, "test", "kernel"), form)


def test_a_panel_in_the_order_of_the_run_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_it_lies(self: FilterPanels, k: Index) -> Index:
        return k

    monkeypatch.setattr(FilterPanels, "row_in_panel", as_it_lies)
    form = lowered("kcrs").contraction
    with pytest.raises(CertificationError, match="output elements are wrong"):
        check_meaning(panel_kernel(form, WINDOWS, AVX2, "test", "kernel"), form)
