# SPDX-License-Identifier: MIT
"""Planes filtered by matrix instructions: right for every stride, padding and length of lines, and planted faults are refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from tracea_core.doctor.depthwise import planes_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.multistage_lanes import scalar
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.index import Const, IndexFn, IndexOp
from tracea_core.semantic.steps import Compute, Fill, Let, Load, Mma, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.structure import check_structure
from tracea_core.semantic.widths import width_fault
from tracea_core.testing.edit import Edit, edited
from tracea_core.testing.strips import (
    PLANES,
    built,
    check_refused,
    check_strips,
    lowered,
    own_filters,
    pieces,
    strip,
)

SMALL: dict[str, Any] = {"c": 3, "k": 3, "groups": 3, "dtype": DType.FP16}


def planes(epilogue: str = "", **fields: Any) -> Problem:
    return own_filters(epilogue, PLANES, **SMALL | fields)


KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "odd lines": (planes(), pieces(4)),
    "pairs": (planes("bias,residual,relu", w=18, h=9), pieces(4, 2, 2, 2)),
    "7x7": (planes("bias,residual,relu", w=28, h=11, r=7, s=7, padding=(3, 3)), pieces(8, 4, 2, 2)),
    "bf16": (planes("bias,residual,relu", w=24, h=5, dtype=DType.BF16), pieces(2, 1, 2, 2)),
    "strided": (planes(w=26, h=13, r=5, s=5, stride=(2, 2), padding=(2, 2)), pieces(4, 2, 2, 1)),
    "far apart": (planes(w=31, h=9, r=2, s=3, stride=(3, 3), padding=(0, 2)), pieces(2)),
    "across": (planes(w=33, h=9, stride=(1, 2)), pieces(6)),
    "down": (planes(w=16, h=19, stride=(2, 1), padding=(0, 0)), pieces(4, 2, 2, 2)),
    "one column": (planes(w=9, h=9, r=3, s=1, padding=(1, 0)), pieces(4)),
    "wide": (planes(w=20, h=4, r=1, s=11, padding=(0, 5)), pieces(2, 2, 2, 2)),
    "a short line": (planes("bias,residual,relu", w=7, h=7, r=5, s=5, padding=(2, 2)), pieces(4)),
    "a short strided line": (planes(w=8, h=8, stride=(2, 2)), pieces(2, 2, 2, 2)),
    "spread": (planes("bias,residual,relu", w=28, h=13, dilation=(3, 2), padding=(3, 2)), pieces(8, 2, 2, 2)),
    "far spread": (planes(w=21, h=9, r=2, dilation=(1, 6), stride=(2, 1), padding=(0, 6)), pieces(4)),
    "several of a channel": (planes(w=18, k=6), pieces(4, 2, 2, 2)),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


def test_a_row_is_multiplied_into_every_line_that_sees_it() -> None:
    kernel = built(*KINDS["7x7"])
    products = [node for node in _strip(kernel.roles[0].body) if isinstance(node, Mma)]
    loads = [node for node in _strip(kernel.roles[0].body) if isinstance(node, Load) and "seen" in node.fragment]
    assert len(loads) == 4 - 1 + 7  # half a strip of eight lines, each row of the image once
    assert len(products) == 4 * 7
    # seven lines would be summed at a time, the half has four
    assert len({node.accumulator for node in products}) == 4


def test_short_lines_have_half_as_many_columns() -> None:
    products = [node for node in _strip(built(*KINDS["a short line"]).roles[0].body) if isinstance(node, Mma)]
    assert {node.instruction for node in products} == {"mma_m16n8k8_fp16"}


def _strip(nodes: tuple[Node, ...]) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        inner = [getattr(node, field) for field in ("body", "then") if hasattr(node, field)]
        found += [node] if not inner else [one for body in inner for one in _strip(body)]
    return found


def changed(name: str, fn: IndexFn, by: int) -> Edit:
    """A named number is more or less."""

    def edit(node: Node) -> Node | None:
        return (
            node.replace(value=IndexOp(fn, node.value, Const(by)))
            if isinstance(node, Let) and node.name == name
            else node
        )

    return edit


def without_test(kind: type[Node], fragment: str, number: int) -> Edit:
    """An access forgets one of its tests."""

    def edit(node: Node) -> Node | None:
        if not isinstance(node, kind) or not getattr(node, "fragment", "").startswith(fragment):
            return node
        assert isinstance(node, Load | Store)
        return node.replace(guard=tuple(test for place, test in enumerate(node.guard) if place != number))

    return edit


def of_one_row(node: Node) -> Node | None:
    """Every row of the filter is the first one."""
    return node.replace(b="band0_0") if isinstance(node, Mma) else node


def unfilled(node: Node) -> Node | None:
    """Sums go on from those of the line above."""
    return None if isinstance(node, Fill) else node


FAULTS = [
    (of_one_row, "wrong"),
    (unfilled, "never set|wrong|before"),
    *(
        (changed(name, IndexFn.ADD, 1), "wrong|touches|written|before|masks")
        for name in ("piece", "pixel0", "first_line", "image")
    ),
    *(
        (changed(name, IndexFn.ADD, 1), "wrong|touches|written|before")
        for name in ("rows0", "lines_there", "first_row")
    ),
    *((changed(name, IndexFn.SUB, 1), "wrong|touches|written|before") for name in ("rows0", "lines_there")),
    *(
        (changed(name, IndexFn.ADD, 2), "wrong|touches|aligned")
        for name in ("seen0_0_corner", "out_corner", "x_down1", "out_down1")
    ),
    (without_test(Load, "seen0", 0), "wrong|touches|before"),
    (without_test(Load, "seen1", 0), "wrong|touches|before"),
    (without_test(Load, "band", 0), "wrong|touches|before"),
    (without_test(Load, "band", 1), "wrong|touches|before"),
    (without_test(Store, "result", 0), "written|touches"),
]


@pytest.mark.parametrize(("edit", "words"), FAULTS)
def test_planted_faults_are_refused(edit: Edit, words: str) -> None:
    check_refused(*KINDS["pairs"], edit, words)


REFUSED = [
    (pieces(4).replace(tile_m=16), "pieces of 8 pixels"),
    (pieces(4).replace(tile_n=2), "a filter of its own"),
    (pieces(3), "in two halves"),
    (pieces(4).replace(vector_a=4), "two columns of a line"),
    (pieces(4).replace(stages=2), "nothing is copied ahead"),
    (pieces(4).replace(barrier_mode=BarrierMode.PING_PONG), "roles"),
    (pieces(120), "too many for a thread"),
]


@pytest.mark.parametrize(("configuration", "reason"), REFUSED)
def test_what_cannot_be_built(configuration: PipelineConfig, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(planes(), configuration)


@pytest.mark.parametrize(
    ("fields", "reason"), [({"dtype": DType.FP32}, "16-bit elements"), ({"c": 6}, "a filter of its own")]
)
def test_what_has_no_bands(fields: dict[str, Any], reason: str) -> None:
    form = lowered(planes(**fields)).form
    with pytest.raises(ConfigurationError, match=reason):
        build_kernel(form, pieces(4), preset("h200"), planes_variant("cuda", DType.FP16))


def test_images_whose_channels_lie_together_are_refused() -> None:
    problem = own_filters(**SMALL)
    with pytest.raises(ConfigurationError, match="a filter of its own"):
        build_kernel(lowered(problem).form, pieces(4), preset("h200"), planes_variant("cuda", DType.FP16))


def test_planes_are_no_strips_of_channels() -> None:
    problem = planes()
    with pytest.raises(ConfigurationError, match="does not fit"):
        build_kernel(lowered(problem).form, strip(3, 64), preset("mi300x"), planes_variant("cuda", DType.FP16))


def test_places_beyond_32_bits_are_tables_of_64() -> None:
    problem, configuration = KINDS["odd lines"]
    kernel, sizes = built(problem, configuration), lowered(problem).symbols
    far = sizes | {"x_image": 1 << 40}
    assert width_fault(kernel, far) is None

    def narrow(node: Node) -> Node | None:
        return node.replace(wide=UNSET) if isinstance(node, Let) and node.wide is True else node

    fault = width_fault(edited(kernel, narrow), far)
    assert fault is not None and "could reach" in fault


def test_lines_so_far_apart_are_refused() -> None:
    problem, configuration = KINDS["odd lines"]
    fault = width_fault(built(problem, configuration), lowered(problem).symbols | {"x_row": 1 << 30})
    assert fault is not None and "x_row * 2" in fault


def test_a_table_serves_fragments_with_its_rows() -> None:
    problem, configuration = KINDS["odd lines"]
    kernel = built(problem, configuration)
    (role,) = kernel.roles
    turned = tuple(
        one.replace(layout=scalar(32).repeat(columns=16)) if one.name == "rows" else one for one in role.fragments
    )
    with pytest.raises(CertificationError, match="is held for 1x16 elements and used for 16x"):
        check_structure(kernel.replace(roles=(role.replace(fragments=turned),)))


@pytest.mark.parametrize(("dtype", "stored"), [(DType.FP16, DType.FP32), (DType.BF16, None), (DType.FP32, None)])
def test_results_that_show_it_are_not_approximated(dtype: DType, stored: DType | None) -> None:
    problem = planes(w=20, dtype=dtype, out_dtype=stored)
    problem = problem.replace(epilogue=parse_epilogue("gelu"))
    configuration = pieces(2) if dtype is not DType.FP32 else pieces(2).replace(tile_m=4)
    kernel = built(problem, configuration)
    certify(kernel, lowered(problem).form, preset("h200"))
    fast = [
        node.approximate
        for node in _strip(kernel.roles[0].body)
        if isinstance(node, Compute) and node.target == "result"
    ]
    assert all(bool(one) == (problem.output.dtype.bytes == 2) for one in fast) and fast
