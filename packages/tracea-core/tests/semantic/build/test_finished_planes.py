# SPDX-License-Identifier: MIT
"""Planar results of windows wait until whole vectors of pixels are there; each is stored once, in the image that it is of."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.activations import Residual
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.asking_sweep import PAUSE
from tracea_core.semantic.build.finished_planes import FinishedPlanes
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import COLUMN, Const, Guard, Index, substitute
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Loop, Mma, Node, Store
from tracea_core.semantic.verify.meaning import check_meaning
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

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


def test_tiles_as_high_as_vectors_are_long_wait_too() -> None:
    """The image and the pixel of each row are tables of a fragment as high as the blocks, which have an image and a pixel of their own."""
    op = Conv2dOp(2, 71, 9, 40, 33, 1, 1, (1, 3), dtype=DType.FP64)
    x, w, out = (dense(shape, DType.FP64) for shape in (*op.input_shapes(), op.output_shape()))
    tail = Residual(np.ones(op.output_shape())).bind()[0]
    planar = lower(Problem(op, (x, w), out, tail, (dense(op.output_shape(), DType.FP64),))).contraction
    tile = PipelineConfig(tile_m=4, tile_n=12, tile_k=4, stages=1, warps=1, halo=True)
    made = panel_kernel(planar, tile, AVX2, "test", "kernel")
    assert {buffer.name for buffer in made.buffers} >= {"finished"}
    check_meaning(made, planar)


def test_channels_last_results_do_not_wait() -> None:
    assert "finished" not in {buffer.name for buffer in kernel(form(channels_last=True)).buffers}


def pixels_alone() -> Contraction:
    """Single pixels of planar images, every second one along both axes."""
    op = Conv2dOp(3, 13, 6, 5, 19, 1, 1, (2, 2))
    x, w, out = (dense(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape()))
    return lower(Problem(op, (x, w), out)).contraction


def sweeps(made: SemanticKernel) -> tuple[list[Loop], list[Prefetch]]:
    """The loops that multiply, and what is asked for in a loop that has one of them inside."""
    nodes = list(walk(made.roles[0].body))
    loops = [node for node in nodes if isinstance(node, Loop)]
    pauses = (loop for loop in loops if loop.var == PAUSE.name)
    asked = [node for loop in pauses for node in loop.body if isinstance(node, Prefetch)]
    return [loop for loop in loops if any(isinstance(node, Mma) for node in loop.body)], asked


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_sweeps_over_single_pixels_pause_to_ask_for_lines(rows: int) -> None:
    alone = pixels_alone()
    made = kernel(alone, rows)
    loops, asked = sweeps(made)
    assert asked and all(ask.write and ask.operand == "out" for ask in asked)
    assert not [node for loop in loops for node in loop.body if isinstance(node, Prefetch)], "none between two pauses"
    check_meaning(made, alone)
    assert not sweeps(kernel(form(), rows))[1], "sweeps over larger windows ask before they begin"


def test_a_pause_of_such_a_sweep_that_loses_steps_is_noticed() -> None:
    def shorter(node: Node) -> Node:
        return node.replace(stop=node.stop - 1) if isinstance(node, Loop) and node.var == PAUSE.name else node

    alone = pixels_alone()
    with pytest.raises(CertificationError):
        check_meaning(edited(kernel(alone), shorter), alone)


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
