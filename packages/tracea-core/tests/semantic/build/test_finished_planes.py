# SPDX-License-Identifier: MIT
"""Planar results of windows wait until whole vectors of pixels are there; each is stored once, in the image that it is of."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.finished_planes import FinishedPlanes
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import COLUMN, Const, Guard, Index, substitute
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Store
from tracea_core.semantic.verify.meaning import check_meaning

AVX2 = preset("avx2")


def form(channels_last: bool = False) -> Contraction:
    """A convolution of three images of 30 pixels: no whole number of vectors."""
    op = Conv2dOp(3, 5, 6, 5, 19, 3, 3, padding=(1, 1))
    order = (0, 2, 3, 1) if channels_last else (0, 1, 2, 3)
    specs = []
    for shape in (*op.input_shapes(), op.output_shape()):
        strides, step = [0, 0, 0, 0], 1
        for axis in reversed(order):
            strides[axis], step = step, step * shape[axis]
        specs.append(TensorSpec.contiguous(shape, DType.FP32).replace(strides=tuple(strides)))
    return lower(Problem(op, tuple(specs[:2]), specs[2])).contraction


def kernel(contraction: Contraction, rows: int = 3) -> SemanticKernel:
    tile = PipelineConfig(tile_m=rows, tile_n=8, tile_k=2, stages=1, warps=1, halo=True)
    return panel_kernel(contraction, tile, AVX2, "test", "kernel")


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_kernels_compute_the_convolution(rows: int) -> None:
    planar = form()
    made = kernel(planar, rows)
    assert {buffer.name for buffer in made.buffers} >= {"finished"}
    check_meaning(made, planar)


def test_channels_last_results_do_not_wait() -> None:
    assert "finished" not in {buffer.name for buffer in kernel(form(channels_last=True)).buffers}


def refused(monkeypatch: pytest.MonkeyPatch, name: str, planted: object) -> None:
    monkeypatch.setattr(FinishedPlanes, name, planted)
    planar = form()
    with pytest.raises(CertificationError):
        check_meaning(kernel(planar), planar)


def test_a_run_that_begins_a_pixel_late_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    planes = FinishedPlanes._planes

    def late(self: FinishedPlanes, guard: Guard) -> Store:
        store = planes(self, guard)
        return store.replace(
            target=store.target.replace(offset=substitute(store.target.offset, {COLUMN.name: COLUMN + 1}))
        )

    refused(monkeypatch, "_planes", late)


def test_blocks_that_reach_into_the_next_image_without_masks_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    planes = FinishedPlanes._planes

    def unmasked(self: FinishedPlanes, guard: Guard) -> Store:
        return planes(self, guard[:1] + guard[3:])

    refused(monkeypatch, "_planes", unmasked)


def test_asking_for_other_lines_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(self: FinishedPlanes, line: int) -> Index:
        return Const(-1000 - line)

    monkeypatch.setattr(FinishedPlanes, "_line", elsewhere)
    planar = form()
    check_meaning(kernel(planar), planar)
