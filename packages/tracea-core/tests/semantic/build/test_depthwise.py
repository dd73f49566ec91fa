# SPDX-License-Identifier: MIT
"""Channels filtered on their own: schedules are right for every stride, dilation and group, and planted faults are refused."""

from __future__ import annotations

import pytest
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.pieces import pieces
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.index import Const, Sym, less
from tracea_core.semantic.steps import Extract, If, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.edit import Edit
from tracea_core.testing.strips import (
    VARIANT,
    built,
    check_refused,
    check_strips,
    lowered,
    own_filters,
    strip,
    without_barrier,
)

KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "runs": (own_filters("bias,residual,relu", dtype=DType.FP16), strip(5, 128, 4, 4, 4)),
    "strided": (own_filters(stride=(2, 2)), strip(3, 64, 2, 2, 2)),
    "spread": (own_filters(r=2, s=5, stride=(1, 3), dilation=(2, 2), padding=(0, 4), dtype=DType.BF16), strip(4)),
    "far": (own_filters(dilation=(7, 7), padding=(7, 7)), strip(2)),
    "multiplied": (own_filters(k=36, dtype=DType.FP16), strip(3, 64, 4, 1, 2)),
    "grouped": (own_filters(c=12, k=8, groups=4, dtype=DType.FP16), strip(3)),
    "ahead": (own_filters("bias,residual,relu", dtype=DType.FP16), strip(5, 64, 4, 2, 2).replace(stages=2)),
    "ahead single": (own_filters(stride=(2, 2), h=7), strip(3, 32, 2).replace(stages=2)),
    "short lines": (own_filters(w=9, dtype=DType.FP16, r=5, s=5, padding=(2, 2)), strip(9, 64, 4, 2, 2)),
    "short strips": (own_filters(w=9, stride=(1, 2)), strip(2)),
    "lines": (own_filters("bias,residual,relu", dtype=DType.FP16, h=7), strip(5, 64, 4, 2, 2).replace(tile_k=4)),
    "lines strided": (
        own_filters(r=5, s=3, stride=(2, 1), padding=(2, 1), h=9),
        strip(3, 64, 2, 2, 4).replace(tile_k=2),
    ),
    "lines apart": (own_filters(r=2, s=2, stride=(3, 3), padding=(0, 0), h=11), strip(2).replace(tile_k=2)),
    "lines ahead": (
        own_filters(c=16, k=16, groups=16, dtype=DType.FP16),
        strip(6, 64, 4, 2, 8).replace(tile_k=2, stages=2),
    ),
    "exchanged": (own_filters("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16), strip(4, 64, 4, 2, 8)),
    "exchanged again": (
        own_filters("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16),
        strip(7, 64, 4, 2, 8),
    ),
    "exchanged known": (
        own_filters("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16, w=14),
        strip(14, 64, 4, 2, 8),
    ),
    "exchanged sums": (
        own_filters("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16),
        strip(4, 32, 4, 1, 4),
    ),
    "known ends": (
        own_filters(c=8, k=8, groups=8, w=14, r=7, s=7, padding=(3, 3), dtype=DType.BF16),
        strip(14, 64, 4, 2, 8).replace(tile_k=2),
    ),
    "all ends": (own_filters(c=8, k=8, groups=8, w=3, r=7, s=7, padding=(3, 3)), strip(4, 32, 4, 1, 4)),
    "pixelwise": (own_filters(r=1, s=1, padding=(0, 0)), strip(1, 32, 1)),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


@pytest.mark.parametrize("preset_name", ["a100", "mi300x", "m1", "pvc"])
def test_any_number_of_lanes(preset_name: str) -> None:
    profile, problem = preset(preset_name), own_filters("relu", dtype=DType.FP16)
    heroes = PolicyEngine(profile).decide(problem, VARIANT).heroes
    configuration = first_buildable(lowered(problem), heroes, profile, VARIANT)
    kernel = build_kernel(lowered(problem).form, configuration, profile, VARIANT)
    assert certify(kernel, lowered(problem).form, profile).kernel == kernel.digest()
    assert kernel.roles[0].lanes == profile.lanes


def test_columns_are_loaded_in_runs_of_a_stride() -> None:
    plain = pieces(columns=7, stride=1, dilation=1, pixels=14)
    assert [(piece.first, piece.count, len(piece.taps)) for piece in plain] == [(0, 20, 7)]
    assert [(p.first, p.count) for p in pieces(columns=3, stride=1, dilation=9, pixels=4)] == [(0, 4), (9, 4), (18, 4)]
    for columns, stride, dilation, pixels in ((5, 3, 2, 4), (3, 2, 2, 3), (4, 1, 5, 5), (2, 5, 1, 1)):
        reached = {}
        for piece in pieces(columns, stride, dilation, pixels):
            for tap, place in piece.taps:
                assert place + pixels <= piece.count
                reached[tap] = [piece.first + (place + pixel) * stride for pixel in range(pixels)]
        assert reached == {tap: [tap * dilation + pixel * stride for pixel in range(pixels)] for tap in range(columns)}


def looser(place: int) -> Edit:
    """The image's end, or its beginning, one column further out."""

    def edit(node: Node) -> Node | None:
        if isinstance(node, Load) and node.fragment.startswith("window") and node.guard:
            test = node.guard[place]
            return node.replace(
                guard=(*node.guard[:place], less(test.left, test.right + 1), *node.guard[place + 1 :])
                if place
                else node.guard[1:]
            )
        return node

    return edit


def shifted(node: Node) -> Node | None:
    return node.replace(row=Const(0)) if isinstance(node, Extract) else node


def unmasked(node: Node) -> Node | None:
    return node.replace(guard=node.guard[1:]) if isinstance(node, Store) and node.guard else node


def one_row_less(node: Node) -> Node | None:
    return node.replace(stop=Const(2)) if isinstance(node, Loop) and node.var == "tap_row" else node


def any_row(node: Node) -> Node | None:
    tests = node.guard if isinstance(node, If) else ()
    return node.replace(guard=tests[1:]) if tests and Sym("height") == tests[-1].right else node


FAULTS = [
    (without_barrier("staged"), "without a barrier"),
    (without_barrier("used"), "without a barrier"),
    (looser(0), "before the start|touches element|wrong"),
    (looser(1), "touches element|wrong"),
    (shifted, "wrong"),
    (unmasked, "touches|written"),
    (one_row_less, "wrong"),
    (any_row, "touches|wrong|before"),
]


@pytest.mark.parametrize(("edit", "words"), FAULTS)
def test_planted_faults_are_refused(edit: Edit, words: str) -> None:
    # a block may have several columns of channels
    check_refused(own_filters(c=72, k=72, groups=72), strip(3), edit, words)


REFUSED = [
    (strip(3, 96), "a power of two each"),
    (strip(3, 32, 3), "do not share"),
    (strip(3, 64, 4, 4), "no accesses"),
    (strip(16, 128, 8), "too many for a thread"),
    (strip(3).replace(stages=3), "not loaded 2 ahead"),
    (strip(3, 32, 4, 1, 4), "no accesses"),  # three pixels are no four for each lane
]


@pytest.mark.parametrize(("configuration", "reason"), REFUSED)
def test_what_cannot_be_built(configuration: PipelineConfig, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(own_filters(r=7, s=7, padding=(3, 3)), configuration)


def test_lines_share_rows_of_the_image() -> None:
    for configuration in (strip(3).replace(tile_k=2), strip(3).replace(unroll_k=3)):
        with pytest.raises(ConfigurationError, match="do not share"):
            built(own_filters(dilation=(2, 1)), configuration)


def test_runs_follow_the_distance_of_pixels() -> None:
    with pytest.raises(ConfigurationError, match="no multiple of 4"):
        built(own_filters(c=6, k=6, groups=6), strip(3, 128, 4, 4, 4))
    with pytest.raises(ConfigurationError, match="no accesses"):
        built(own_filters(k=24), strip(3, 128, 4, 4, 4))  # neighbouring channels of the output read one of the image


def test_filters_that_lanes_would_read_in_pieces_are_refused() -> None:
    """Sixteen banks leave rows two words apart: a lane's four filters would be read in two halves, between those of its neighbours."""
    arc, variant = preset("arc_a770"), depthwise_variant("sycl")
    form = lower_any(own_filters(c=32, k=32, groups=32), variant).form
    with pytest.raises(ConfigurationError, match="4 filters of a lane are read in pieces"):
        build_kernel(form, strip(1, 32), arc, variant)
    certify(kernel := build_kernel(form, strip(1, 16), arc, variant), form, arc)
    assert kernel.arch == "dg2"
