# SPDX-License-Identifier: MIT
"""Rows of filters as bands of matrices: right for every stride, padding and length of lines, and planted faults are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.index import Const, Index, Sym, symbols
from tracea_core.semantic.row_steps import Mask
from tracea_core.semantic.steps import AsyncCopy, BufferRef, Extract, Let, Load, Loop, Node, Store, Wait
from tracea_core.semantic.verify.structure import check_structure
from tracea_core.testing.edit import Edit
from tracea_core.testing.strips import built, check_refused, check_strips, lowered, own_filters, without_barrier


def bands(warps: int, lines: int = 8, stages: int = 1) -> PipelineConfig:
    """Return strips of 16 pixels, eight channels a warp."""
    return PipelineConfig(
        tile_m=16, tile_n=8 * warps, tile_k=lines, stages=stages, warps=warps, vector_a=8, vector_c=8, halo=True
    )


SMALL = {"c": 24, "k": 24, "groups": 24, "dtype": DType.FP16}
KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "a line": (own_filters("bias,residual,relu", w=14, h=9, r=7, s=7, padding=(3, 3), **SMALL), bands(2)),
    "more lines": (own_filters(w=7, h=17, **SMALL), bands(4, lines=16)),
    "long lines": (own_filters("bias,residual,relu", w=35, r=5, s=5, padding=(2, 2), **SMALL), bands(2)),
    "strided": (own_filters(w=27, h=27, r=5, s=5, stride=(2, 2), padding=(2, 2), **SMALL), bands(2)),
    "long strided": (own_filters(w=70, h=5, stride=(2, 2), **SMALL), bands(1)),
    "far apart": (own_filters(w=31, h=9, r=2, s=3, stride=(3, 3), padding=(0, 2), **SMALL), bands(2)),
    "across": (own_filters(w=33, h=9, stride=(1, 2), **SMALL), bands(2)),
    "down": (own_filters(w=16, h=19, stride=(2, 1), padding=(0, 0), **SMALL), bands(2)),
    "wide": (own_filters(w=12, h=9, r=9, s=7, padding=(4, 3), **SMALL), bands(2)),
    "apart by five": (own_filters(w=40, h=9, r=1, s=4, stride=(1, 5), padding=(0, 1), **SMALL), bands(2)),
    "ahead": (own_filters(n=5, w=14, h=9, **SMALL | {"dtype": DType.BF16}), bands(2, stages=2)),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    check_strips(*KINDS[name])


def late(node: Node) -> Node | None:
    """Rows are read while their copies may be under way."""
    return node.replace(pending=node.pending + 1) if isinstance(node, Wait) else node


def shifted(node: Node) -> Node | None:
    """Pairs are read a row of the filter too far."""
    if not (isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "bands"):
        return node
    warp, tap, *others = node.source.coordinates
    return node.replace(source=node.source.replace(coordinates=(warp, (tap + 1) % 7, *others)))


def unpaired(node: Node) -> Node | None:
    """Nobody writes the second elements of pairs."""
    second = isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.coordinates[-1] == Const(1)
    return None if second else node


def unmasked(node: Node) -> Node | None:
    """A row of the filter begins anew where its band has ended."""
    return None if isinstance(node, Mask) else node


def masked(number: int) -> Edit:
    """A band goes on before its first element, or behind its last one."""

    def edit(node: Node) -> Node | None:
        return node.replace(guard=node.guard[number : number + 1]) if isinstance(node, Mask) else node

    return edit


def of_one_channel(node: Node) -> Node | None:
    """All channels are multiplied with the columns of the first one."""
    return node.replace(column=Const(0)) if isinstance(node, Extract) else node


def one_row_less(node: Node) -> Node | None:
    return node.replace(stop=Const(6)) if isinstance(node, Loop) and node.var == "tap" else node


def beyond(number: int) -> Edit:
    """Results are stored without one of the tests: pixel, line, channel."""

    def edit(node: Node) -> Node | None:
        if not isinstance(node, Store) or isinstance(node.target, BufferRef):
            return node
        return node.replace(guard=tuple(test for place, test in enumerate(node.guard) if place != number))

    return edit


def without(number: int) -> Edit:
    """Rows are copied without one of the tests: above, below, left of and right of the image, channel."""

    def edit(node: Node) -> Node | None:
        if not isinstance(node, AsyncCopy):
            return node
        return node.replace(guard=tuple(test for place, test in enumerate(node.guard) if place != number))

    return edit


FAULTS = [
    (late, "under way|copy|barrier"),
    (shifted, "wrong|nothing was written"),
    (unpaired, "wrong|nothing was written"),
    (unmasked, "wrong"),
    *((masked(number), "wrong") for number in range(2)),
    (of_one_channel, "wrong"),
    (one_row_less, "wrong"),
    *((beyond(number), "touches|written|wrong") for number in range(3)),
    *((without(number), "touches|wrong|before") for number in range(5)),
    *((without_barrier(name), "without a barrier|under way") for name in ("copied", "multiplied", "ended")),
]


@pytest.mark.parametrize(("edit", "words"), FAULTS)
def test_planted_faults_are_refused(edit: Edit, words: str) -> None:
    # lines of any length, two strips of which and several columns of channels come to a block
    check_refused(own_filters(w=35, r=7, s=7, padding=(3, 3), **SMALL), bands(2), edit, words)


def test_copies_wait_for_results_that_other_lanes_store() -> None:
    problem, configuration = KINDS["strided"]
    check_refused(problem, configuration, without_barrier("filtered"), "without a barrier|under way")


REFUSED = [
    (bands(2).replace(tile_m=8), "16 pixels"),
    (bands(2).replace(tile_n=32), "16 pixels"),
    (bands(2, lines=12), "in eights"),
    (bands(2).replace(vector_a=4), "runs are those of eight channels"),
    (bands(2).replace(unroll_k=3), "one strip ahead"),
    (bands(2, stages=3), "one strip ahead"),
    (bands(8, lines=64), "too many for a thread"),
    (bands(16), "do not store 8 lines evenly"),
]


@pytest.mark.parametrize(("configuration", "reason"), REFUSED)
def test_what_cannot_be_built(configuration: PipelineConfig, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(own_filters(w=35, r=7, s=7, padding=(3, 3), **SMALL), configuration)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"dtype": DType.FP32}, "16-bit elements"),
        ({"dilation": (2, 2)}, "whose elements touch"),
        ({"k": 48}, "whose elements touch"),
        ({"c": 12, "k": 12, "groups": 12}, "no multiple of eight"),
        ({"s": 8}, "fewer than 8 elements"),
    ],
)
def test_what_has_no_bands(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(own_filters(**SMALL | fields), bands(2))


def test_rows_that_shared_memory_does_not_hold_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="bytes of shared memory"):
        built(own_filters(w=70, r=7, s=7, stride=(2, 2), padding=(3, 3), **SMALL), bands(8, stages=2))


def test_devices_without_such_instructions_are_refused() -> None:
    problem = own_filters(**SMALL)
    with pytest.raises(ConfigurationError, match="16-bit elements"):
        build_kernel(lowered(problem).form, bands(2), preset("mi300x"), depthwise_variant("hip"))


def begun(name: str, edited: Callable[[Index], Index]) -> Edit:
    """Where the strip lies that a block copies before its first one is filtered."""
    seen: list[str] = []

    def edit(node: Node) -> Node | None:
        if isinstance(node, Let) and node.name == name and not seen:
            seen.append(name)
            return node.replace(value=edited(node.value))
        return node

    return edit


def groups_of(count: int) -> Callable[[Index], Index]:
    """An image has as many groups of lines as if each had so many."""
    return lambda value: Sym("first_place") // ((Sym("lines") + 7) // count)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("pixel0_copied", lambda value: value - value // 16),
        ("rest_copied", groups_of(7)),
        ("rest_copied", groups_of(9)),
    ],
)
def test_the_strip_that_is_copied_first_is_the_blocks_own(name: str, other: Callable[[Index], Index]) -> None:
    problem = own_filters(w=40, h=5, stride=(1, 2), **SMALL)
    check_refused(problem, bands(2, stages=2), begun(name, other), "wrong")


def test_the_strips_above_each_other_are_counted_to_the_last_line() -> None:
    """A strip is left over of one line more than fit: whoever counts none there begins elsewhere, where a block begins with it."""

    def edit(node: Node) -> Node | None:
        first = isinstance(node, Let) and node.name == "first_line_copied" and "first_place" in symbols(node.value)
        return node.replace(value=Sym("first_place") % ((Sym("lines") + 6) // 8) * 8) if first else node

    check_refused(own_filters(w=35, r=7, s=7, padding=(3, 3), **SMALL), bands(2), edit, "wrong")


def test_one_thread_of_a_warp_does_not_hold_what_lanes_hold() -> None:
    """Printed, such a role is a body that one lane runs: no run in the interpreter would show it."""
    problem = own_filters(w=14, h=9, **SMALL)
    kernel = built(problem, bands(2))
    wrong = kernel.replace(roles=tuple(role.replace(elected=True) for role in kernel.roles))
    with pytest.raises(CertificationError, match="is one elected thread"):
        check_structure(wrong)
