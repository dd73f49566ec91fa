# SPDX-License-Identifier: MIT
"""Blocks that are turned ask for the lines of a later block: of the same filters or pixels, further along, where a vector is a line."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.asked_lines import block_asks
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.winograd import winograd_kernel
from tracea_core.semantic.contraction import Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, evaluate, substitute
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, If, Load, Loop, Turn
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import dense

AVX2, AVX512 = preset("avx2"), preset("avx512")
Builder = Callable[[CapabilityProfile], SemanticKernel]


def windows(profile: CapabilityProfile) -> SemanticKernel:
    tile = PipelineConfig(tile_m=2, tile_n=2 * profile.lanes, tile_k=2, stages=1, warps=1, halo=True)
    return panel_kernel(lower(convolution()).contraction, tile, profile, "cpu.contraction.test", "kernel")


def winograd(profile: CapabilityProfile) -> SemanticKernel:
    tile = PipelineConfig(tile_m=2, tile_n=2 * profile.lanes, tile_k=1, stages=1, warps=1, halo=True)
    form = of_three_taps(lower(convolution())).contraction
    return winograd_kernel(form, tile, profile, "cpu.contraction.test", "kernel")


def pixels(profile: CapabilityProfile) -> SemanticKernel:
    tile = PipelineConfig(tile_m=2, tile_n=2 * profile.lanes, tile_k=2, stages=1, warps=1, halo=True)
    return panel_kernel(lower(convolution(1)).contraction, tile, profile, "cpu.contraction.test", "kernel")


def convolution(taps: int = 3) -> Problem:
    op = Conv2dOp(2, 19, 7, 20, 9, taps, taps, padding=(taps // 2, taps // 2))
    inputs = tuple(dense(shape, op.dtype) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype()))


def turned(kernel: SemanticKernel, operand: str) -> list[tuple[list[Index], list[Index]]]:
    """For each block of an operand that is turned, where its vectors begin, and what is asked for beside it."""
    found = []
    nodes = list(walk(kernel.roles[0].body))
    bodies = [node.body for node in nodes if isinstance(node, Loop)]
    bodies += [node.then for node in nodes if isinstance(node, If)]
    for body in bodies:
        for number, node in enumerate(body):
            if not isinstance(node, Load) or not isinstance(node.source, Access) or node.source.operand != operand:
                continue
            if not isinstance(body[number + 1], Turn):
                continue
            before = itertools.takewhile(lambda one: isinstance(one, Prefetch), reversed(body[:number]))
            asked = [one.offset for one in before if isinstance(one, Prefetch)][::-1]
            lanes = range(kernel.roles[0].lanes)
            firsts = [substitute(node.source.offset, {ROW.name: Const(0), COLUMN.name: Const(i)}) for i in lanes]
            found.append((firsts, asked))
    return found


@pytest.mark.parametrize("build", [windows, winograd])
@pytest.mark.parametrize("operand", ["x", "w"])
def test_short_vectors_ask_for_nothing(build: Builder, operand: str) -> None:
    blocks = turned(build(AVX2), operand)
    assert blocks and not any(asked for _, asked in blocks)


@pytest.mark.parametrize("build", [windows, winograd])
def test_padded_planes_ask_for_what_lies_two_blocks_further_along_them(build: Builder) -> None:
    blocks = turned(build(AVX512), "x")
    # Behind the last channels, of which some may be missing, nothing is asked for: of whole blocks of pixels, and of what is left.
    assert [bool(asked) for _, asked in blocks] == [True, True, False, False]
    for firsts, asked in blocks[:2]:
        assert asked == [substitute(first, {"pixel": Sym("pixel") + 2 * 16}) for first in firsts]


def test_planes_of_single_pixels_ask_for_the_same_ones_of_the_next_channels() -> None:
    blocks = turned(pixels(AVX512), "x")
    assert [bool(asked) for _, asked in blocks] == [True, False]
    firsts, asked = blocks[0]
    assert asked == [substitute(first, {"chunk": Sym("chunk") + 16}) for first in firsts]


def test_filters_ask_for_what_lies_some_blocks_further_along_each() -> None:
    (block,) = turned(windows(AVX512), "w")
    known = {"m": 1000, "column0": 64, "vector": 3, "filter_at": 32, "w_out": 171}
    assert [evaluate(one, known) for one in block[1]] == [evaluate(one, known) + 8 * 16 for one in block[0]]


def test_filters_that_are_filtered_ask_for_those_of_the_next_channels() -> None:
    blocks = turned(winograd(AVX512), "w")
    assert len(blocks) == 9  # a run of 16 channels of nine elements
    for firsts, asked in blocks:
        assert asked == [substitute(first, {"first_channel": Sym("first_channel") + 16}) for first in firsts]


@pytest.mark.parametrize("build", [windows, winograd])
def test_kernels_that_ask_are_certified(build: Builder) -> None:
    form = lower(convolution())
    form = of_three_taps(form) if build is winograd else form
    assert certify(build(AVX512), form.contraction, AVX512).proofs


def test_a_block_of_bytes_is_no_line() -> None:
    term = Term("x", DType.INT8, Sym("first") + ROW + COLUMN * 100)
    assert not block_asks(term, term.offset, 16)
    assert len(block_asks(term, term.offset, 64)) == 64
