# SPDX-License-Identifier: MIT
"""Sweeps that pause to ask for lines: proved like those that do not, and refused where a pause loses steps or nothing can be asked for."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.index import evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Let, Loop, Mma, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.edit import edited

ASKING = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, stages=2, warps=1, in_flight=1)
AVX2 = preset("avx2")
PLANES = gemm((20, 40, 24), DType.FP32, batch=(3,))
PAUSES = "pause"


def kernel_of(problem: Problem = PLANES, configuration: PipelineConfig = ASKING) -> SemanticKernel:
    form = lower(problem).contraction
    return panel_kernel(form, configuration, AVX2, "cpu.contraction.avx2_fp32", "kernel")


def certified(kernel: SemanticKernel, problem: Problem = PLANES) -> None:
    assert certify(kernel, lower(problem).contraction, AVX2)


def asks(kernel: SemanticKernel) -> list[Prefetch]:
    return [node for node in walk(kernel.roles[0].body) if isinstance(node, Prefetch)]


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("tile_k", [1, 2, 4])
def test_every_step_is_multiplied_once_whatever_the_pauses(rows: int, tile_k: int) -> None:
    certified(kernel_of(configuration=ASKING.replace(tile_m=rows, tile_k=tile_k)))


def test_a_pause_asks_for_lines_of_one_row_and_of_the_next_panel() -> None:
    found = asks(kernel_of())
    written = [ask for ask in found if ask.write]
    assert len(written) == 1 and {ask.operand for ask in written} == {"out"}, "16 columns of fp32 are a line"
    assert {ask.operand for ask in found if not ask.write} == {"b"}
    assert not asks(kernel_of(configuration=ASKING.replace(in_flight=0)))


def test_what_lies_between_two_pauses_is_the_loop_of_a_sweep_without() -> None:
    def sweep(configuration: PipelineConfig) -> tuple[tuple[Node, ...], int]:
        loops = [node for node in walk(kernel_of(configuration=configuration).roles[0].body) if isinstance(node, Loop)]
        innermost = [loop for loop in loops if any(isinstance(node, Mma) for node in loop.body)]
        return innermost[0].body, innermost[0].unroll

    assert sweep(ASKING) == sweep(ASKING.replace(in_flight=0))


def test_a_pause_that_loses_steps_is_refused() -> None:
    kernel = kernel_of()
    certified(kernel)

    def shorter(node: Node) -> Node:
        return node.replace(stop=node.stop - 1) if isinstance(node, Loop) and node.var == PAUSES else node

    with pytest.raises(CertificationError):
        certified(edited(kernel, shorter))


def test_a_sweep_that_goes_on_where_it_paused_before_is_refused() -> None:
    def again(node: Node) -> Node:
        inner = isinstance(node, Loop) and node.unroll == ASKING.tile_k and any(isinstance(n, Mma) for n in node.body)
        return node.replace(start=node.start * 0) if isinstance(node, Loop) and inner else node

    with pytest.raises(CertificationError):
        certified(edited(kernel_of(), again))


def packed_before(m: int = 20) -> Problem:
    """A product of weights in panels of 16 columns, the last one of 8."""
    found = gemm((m, 40, 24), DType.FP32)
    weight = found.inputs[1].replace(strides=(16, 1))
    return found.replace(inputs=(found.inputs[0], weight), options=found.options.replace(panel_columns=16))


@pytest.mark.parametrize("rows", [1, 3, 5])
def test_tiles_over_weights_packed_before_ask_for_their_results_alone(rows: int) -> None:
    problem = packed_before()
    kernel = kernel_of(problem, ASKING.replace(tile_m=rows, pack_b=False))
    certified(kernel, problem)
    nodes = list(walk(kernel.roles[0].body))
    (loop,) = (node for node in nodes if isinstance(node, Loop) and node.var == "asked")
    row, *found = loop.body
    assert isinstance(row, Let) and evaluate(loop.stop, {}) == rows and asks(kernel) == found
    places: dict[str, Any] = {"row0": 18, "asked": rows - 1, "m": 20, "column0": 32, "out_row": 40, "out_column": 1}
    places |= lower(problem).symbols
    places["asked_row"] = evaluate(row.value, places)
    assert places["asked_row"] == min(18 + rows - 1, 19), "rows behind the last one are not asked for"
    offsets = [evaluate(ask.offset, places) for ask in found if isinstance(ask, Prefetch)]
    assert offsets == [places["asked_row"] * 40 + 32, places["asked_row"] * 40 + 47], (
        "where rows begin within lines, too"
    )
    assert all(isinstance(ask, Prefetch) and ask.write and ask.operand == "out" for ask in found)


@pytest.mark.parametrize("fields", [{"block_k": 8}, {"pack_a": True}])
def test_panels_in_blocks_and_packed_rows_ask_for_no_results(fields: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="only sweeps of whole dense panels ask for lines"):
        kernel_of(packed_before(), ASKING.replace(pack_b=False, **fields))


@pytest.mark.parametrize("fields", [{"block_k": 8}, {"pack_a": True}, {"pack_b": False}, {"split_k": 2}])
def test_other_schedules_ask_for_no_lines(fields: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="only sweeps of whole dense panels ask for lines"):
        kernel_of(configuration=ASKING.replace(**fields))


def test_rows_of_groups_and_images_are_not_asked_for() -> None:
    grouped = Problem(
        GroupedGemmOp(20, 3, 40, 24),
        (dense((20, 24), DType.FP32), dense((3, 24, 40), DType.FP32), dense((3,), DType.INT32)),
        dense((20, 40), DType.FP32),
    )
    op = Conv2dOp(2, 5, 7, 9, 6, 3, 3)
    tensors = [dense(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    images = Problem(op, tuple(tensors[:2]), tensors[2])
    for problem, reason in ((grouped, "only sweeps of whole dense panels"), (images, "in images with padding")):
        with pytest.raises(ConfigurationError, match=reason):
            kernel_of(problem)


@pytest.mark.parametrize(("n", "item", "column"), [(40, 0, 16), (40, 2, 0), (16, 1, 0)])
def test_the_panel_of_the_next_unit_is_asked_for_in_the_matrix_that_it_is_of(n: int, item: int, column: int) -> None:
    lets = {node.name: node.value for node in walk(kernel_of().roles[0].body) if isinstance(node, Let)}
    panels = -(-n // 16)
    unit = item * panels + column // 16 - 1
    known = {"unit": unit, "panels": panels, "row_splits": 1}
    assert (evaluate(lets["next_item"], known), evaluate(lets["next_column"], known)) == (item, column)
    read = [ask for ask in asks(kernel_of()) if not ask.write]
    assert all({"next_item", "next_column"} <= symbols(ask.offset) for ask in read)


@pytest.mark.parametrize(("k", "m", "parts"), [(24, 20, 2), (240, 20, 12), (8, 100, 1), (600, 1, 50), (2, 0, 1)])
def test_a_row_has_as_many_pauses_as_rows_of_the_next_panel_fall_to_it(k: int, m: int, parts: int) -> None:
    lets = {node.name: node.value for node in walk(kernel_of().roles[0].body) if isinstance(node, Let)}
    known = {"k": k, "m": m, "pause_parts": parts}
    assert evaluate(lets["pause_parts"], known) == parts, "and no more than one for every two rounds"
    assert int(evaluate(lets["asked_each"], known)) * parts * max(m, 1) >= k, "all rows are asked for"


def test_a_part_of_a_pause_that_is_left_out_is_refused() -> None:
    def shorter(node: Node) -> Node:
        return node.replace(start=node.start + 1) if isinstance(node, Loop) and node.var == "pause_part" else node

    with pytest.raises(CertificationError):
        certified(edited(kernel_of(), shorter))
