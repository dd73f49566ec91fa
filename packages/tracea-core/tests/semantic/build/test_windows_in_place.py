# SPDX-License-Identifier: MIT
"""Windows that are tested in images with padding: proved, and refused where a test or a step is wrong; asked for a tile ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.kernel import SemanticKernel, Space, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.quotient import reciprocals
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, Barrier, Let, Load, Node, Transfer
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

AVX2 = preset("avx2")
LAST, PLANAR = (0, 2, 3, 1), (0, 1, 2, 3)
TILE = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, stages=2, warps=1, in_flight=1)


def convolution(
    order: tuple[int, ...] = LAST,
    dtype: DType = DType.FP32,
    padding: int = 1,
    stride: int = 2,
    stored: tuple[int, ...] = LAST,
) -> Problem:
    op = Conv2dOp(2, 19, 7, 10, 20, 3, 3, (stride, stride), (padding, padding), dtype=dtype)
    inputs = tuple(dense(shape, dtype, order) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype(), stored))


def built(problem: Problem, tile: PipelineConfig = TILE) -> SemanticKernel:
    return panel_kernel(lower(problem).contraction, tile, AVX2, "cpu.contraction.test", "kernel")


def certified(kernel: SemanticKernel, problem: Problem) -> None:
    assert certify(kernel, lower(problem).contraction, AVX2).proofs


def read(kernel: SemanticKernel) -> list[Load]:
    """The loads of the image."""
    return [
        node
        for node in walk(kernel.roles[0].body)
        if isinstance(node, Load) and isinstance(node.source, Access) and node.source.operand == "x"
    ]


@pytest.mark.parametrize("stored", [LAST, PLANAR])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(("rows", "unroll"), [(3, 2), (1, 1), (5, 4)])
def test_windows_that_are_tested_are_proved(stored: tuple[int, ...], stride: int, rows: int, unroll: int) -> None:
    problem = convolution(stored=stored, stride=stride)
    certified(built(problem, TILE.replace(tile_m=rows, tile_k=unroll)), problem)


def test_nothing_is_copied_and_nobody_waits() -> None:
    kernel = built(convolution())
    assert not any(isinstance(node, Barrier) for node in walk(kernel.roles[0].body))
    assert all(buffer.space is Space.PANEL for buffer in kernel.buffers)
    (load,) = read(kernel)
    assert len(load.guard) == 4 and load.transfer is Transfer.BROADCAST
    assert len(read(built(convolution(), TILE.replace(in_flight=0, halo=True)))) > 1, (
        "a copy reads runs and single pixels"
    )


@pytest.mark.parametrize("number", range(4))
def test_a_test_that_is_left_out_is_refused(number: int) -> None:
    problem = convolution()

    def without(node: Node) -> Node:
        if isinstance(node, Load) and len(node.guard) == 4:
            return node.replace(guard=node.guard[:number] + node.guard[number + 1 :])
        return node

    with pytest.raises(CertificationError):
        certified(edited(built(problem), without), problem)


@pytest.mark.parametrize("name", ["y0", "x0", "a_base"])
def test_a_row_of_the_tile_that_is_found_wrongly_is_refused(name: str) -> None:
    problem = convolution()

    def further(node: Node) -> Node:
        return node.replace(value=node.value + 1) if isinstance(node, Let) and node.name == name else node

    with pytest.raises(CertificationError):
        certified(edited(built(problem), further), problem)


@pytest.mark.parametrize("row0", [0, 12, 33])
def test_the_steps_of_a_row_of_the_filter_ask_for_the_windows_of_the_next_tile(row0: int) -> None:
    """From the first element of the first of them to the last of the last, in one line; behind the last tile for what is there again."""
    problem = convolution()
    kernel, lowered = built(problem), lower(problem)
    nodes = list(walk(kernel.roles[0].body))
    (ask,) = (node for node in nodes if isinstance(node, Prefetch))
    values: dict[str, Any] = dict(lowered.symbols)
    values |= reciprocals(values, ["n", "out_width"]) | {"row0": row0}
    lets = {node.name: node.value for node in nodes if isinstance(node, Let)}
    values |= {name: evaluate(lets[name], values) for name in ("next_windows", "asked_each")}
    steps: list[Any] = [evaluate(ask.offset, values | {"r": 1, "s": s, "c": c}) for s in range(3) for c in range(19)]
    first = values | {"row0": min(row0 + 3, 39), "row": 0}
    first["a_base"] = evaluate(lets["a_base"], first)
    (load,) = read(kernel)
    assert isinstance(load.source, Access)
    assert steps[0] == evaluate(load.source.offset, first | {"r": 1, "s": 0, "c": 0})
    assert set(np.diff(steps)) == {2}, "3 windows that lie 38 elements apart, among 57 steps"


@pytest.mark.parametrize(
    "fields", [{"order": PLANAR}, {"dtype": DType.BF16}, {"padding": 0}], ids=["planes", "narrow", "no padding"]
)
def test_other_images_are_not_tested_in_place(fields: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="tested in place in images with padding"):
        built(convolution(**fields))  # type: ignore[arg-type]
