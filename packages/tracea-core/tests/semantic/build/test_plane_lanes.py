# SPDX-License-Identifier: MIT
"""Planes filtered by lanes: right for every stride, padding and length of lines, and planted faults are refused."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.depthwise import lane_planes_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.index import Const, IndexFn, IndexOp
from tracea_core.semantic.steps import Compute, Extract, Fill, Let, Load, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.edit import Edit
from tracea_core.testing.strips import PLANES, built, check_refused, check_strips, lowered, own_filters

SMALL: dict[str, Any] = {"c": 3, "k": 3, "groups": 3, "dtype": DType.FP32}


def planes(epilogue: str = "", **fields: Any) -> Problem:
    return own_filters(epilogue, PLANES, **SMALL | fields)


def piece(pixels: int, lines: int, warps: int = 2, read: int = 1, stored: int = 1) -> PipelineConfig:
    return PipelineConfig(tile_m=pixels, tile_n=1, tile_k=lines, stages=1, warps=warps, vector_a=read, vector_c=stored)


KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "odd lines": (planes(), piece(2, 3)),
    "runs": (planes("bias,residual,relu", w=28, h=9), piece(4, 4, 2, 4, 4)),
    "5x5": (planes("bias,residual,relu", w=18, h=11, r=5, s=5, padding=(2, 2)), piece(2, 7, 4, 2, 2)),
    "more pixels than a run": (planes(w=24, h=5), piece(8, 2, 1, 4, 4)),
    "strided": (planes(w=26, h=13, r=5, s=5, stride=(2, 2), padding=(2, 2)), piece(2, 3, 2, 1, 1)),
    "far apart": (planes(w=31, h=9, r=2, s=3, stride=(3, 3), padding=(0, 2)), piece(2, 1)),
    "across": (planes(w=33, h=9, stride=(1, 2)), piece(4, 5)),
    "down": (planes(w=16, h=19, stride=(2, 1), padding=(0, 0)), piece(4, 2, 2, 4, 2)),
    "a short line": (planes("bias,residual,relu", w=7, h=7), piece(2, 2)),
    "spread": (planes(w=28, h=13, dilation=(3, 2), padding=(3, 2)), piece(4, 6, 2, 4, 4)),
    "spread and strided": (planes(w=27, h=13, dilation=(1, 3), stride=(1, 2), padding=(1, 3)), piece(2, 4)),
    "several of a channel": (planes(w=20, k=6), piece(4, 3, 2, 4, 4)),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


def test_lanes_of_other_vendors_do_as_well() -> None:
    problem, configuration = KINDS["runs"]
    form, profile = lowered(problem).form, preset("mi300x")
    kernel = build_kernel(form, configuration, profile, lane_planes_variant("hip"))
    assert kernel.roles[0].lanes == 64
    certify(kernel, form, profile)


def changed(name: str, by: int) -> Edit:
    """A named number is more."""

    def edit(node: Node) -> Node | None:
        if not (isinstance(node, Let) and node.name == name):
            return node
        return node.replace(value=IndexOp(IndexFn.ADD, node.value, Const(by)))

    return edit


def without_tests(kind: type[Node], fragment: str) -> Edit:
    """An access forgets its tests."""

    def edit(node: Node) -> Node | None:
        if not isinstance(node, kind) or not getattr(node, "fragment", "").startswith(fragment):
            return node
        assert isinstance(node, Load | Store)
        return node.replace(guard=())

    return edit


def shifted(node: Node) -> Node | None:
    """Every element of the filter sees the column before its own."""
    return node.replace(column=Const(node.column.value - 1)) if _is_part(node) else node  # type: ignore[union-attr]


def _is_part(node: Node) -> bool:
    return isinstance(node, Extract) and isinstance(node.column, Const) and node.column.value > 0


def of_one_element(node: Node) -> Node | None:
    return node.replace(operands=("weight0_0",)) if isinstance(node, Compute) and "part" in node.accumulators else node


def unfilled(node: Node) -> Node | None:
    return None if isinstance(node, Fill) else node


WRONG = "wrong|touches|written|before|aligned|masks"
FAULTS = [
    shifted,
    of_one_element,
    unfilled,
    *(changed(name, 1) for name in ("piece", "first_line", "image", "first_row", "rows0", "lines_there")),
    *(changed(name, -1) for name in ("rows0", "lines_there")),
    *(changed(name, 4) for name in ("pixel0", "x_corner", "out_corner", "x_down1", "out_down1")),
    *(without_tests(kind, fragment) for kind, fragment in ((Load, "seen0"), (Load, "seen1"), (Store, "result"))),
]


@pytest.mark.parametrize("edit", FAULTS)
def test_planted_faults_are_refused(edit: Edit) -> None:
    check_refused(*KINDS["runs"], edit, WRONG)


REFUSED = [
    (piece(3, 4, 2, 2, 1), "no runs of 2 and 1"),
    (piece(4, 4, 2, 8, 1), "no runs of 8 and 1"),
    (piece(4, 40), "too many for a thread"),
    (piece(4, 4).replace(stages=2), "nothing is copied ahead"),
]


@pytest.mark.parametrize(("configuration", "reason"), REFUSED)
def test_what_cannot_be_built(configuration: PipelineConfig, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(planes(w=28), configuration)


def test_columns_that_a_stride_leaves_apart_are_loaded_one_by_one() -> None:
    with pytest.raises(ConfigurationError, match="loaded one by one"):
        built(planes(w=28, stride=(1, 2)), piece(4, 4, 2, 4, 1))


def test_lanes_multiply_single_precision_only() -> None:
    problem = planes(dtype=DType.FP16)
    with pytest.raises(ConfigurationError, match="lanes multiply fp32"):
        build_kernel(lowered(problem).form, piece(2, 3), preset("h200"), lane_planes_variant("cuda"))
