# SPDX-License-Identifier: MIT
"""Channels filtered on their own: schedules are right for every stride, dilation and group, and planted faults are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.pieces import pieces
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.depthwise import LoweredDepthwise
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.index import COLUMN, Const, Index, IndexOp, Sym, evaluate, less
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Store,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense

H200 = preset("h200")
VARIANT = depthwise_variant("cuda")
LAST = (0, 2, 3, 1)


def conv(epilogue: str = "", **fields: Any) -> Problem:
    """Return a depthwise convolution of channels-last tensors."""
    sizes = {"n": 2, "c": 12, "h": 5, "w": 19, "k": 12, "r": 3, "s": 3, "padding": (1, 1), "groups": 12}
    op = Conv2dOp(**(sizes | fields))
    inputs = tuple(dense(shape, op.dtype, LAST) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), LAST)
    if not epilogue:
        return Problem(op, inputs, out)
    fused = parse_epilogue(epilogue)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(dense(shape, op.dtype, LAST) if shape == out.shape else dense(shape, DType.FP32) for shape in shapes)
    return Problem(op, inputs, out, fused, extra)


def strip(pixels: int, channels: int = 32, warps: int = 4, read: int = 1, stored: int = 1) -> PipelineConfig:
    return PipelineConfig(
        tile_m=pixels, tile_n=channels, tile_k=1, stages=1, warps=warps, vector_a=read, vector_c=stored
    )


def lowered(problem: Problem) -> LoweredDepthwise:
    found = lower_any(problem, VARIANT)
    assert isinstance(found, LoweredDepthwise)
    return found


def built(problem: Problem, configuration: PipelineConfig) -> SemanticKernel:
    return build_kernel(lowered(problem).form, configuration, H200, VARIANT)


KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "runs": (conv("bias,residual,relu", dtype=DType.FP16), strip(5, 128, 4, 4, 4)),
    "strided": (conv(stride=(2, 2)), strip(3, 64, 2, 2, 2)),
    "spread": (conv(r=2, s=5, stride=(1, 3), dilation=(2, 2), padding=(0, 4), dtype=DType.BF16), strip(4)),
    "far": (conv(dilation=(7, 7), padding=(7, 7)), strip(2)),
    "multiplied": (conv(k=36, dtype=DType.FP16), strip(3, 64, 4, 1, 2)),
    "grouped": (conv(c=12, k=8, groups=4, dtype=DType.FP16), strip(3)),
    "ahead": (conv("bias,residual,relu", dtype=DType.FP16), strip(5, 64, 4, 2, 2).replace(stages=2)),
    "ahead single": (conv(stride=(2, 2), h=7), strip(3, 32, 2).replace(stages=2)),
    "short lines": (conv(w=9, dtype=DType.FP16, r=5, s=5, padding=(2, 2)), strip(9, 64, 4, 2, 2)),
    "short strips": (conv(w=9, stride=(1, 2)), strip(2)),
    "lines": (conv("bias,residual,relu", dtype=DType.FP16, h=7), strip(5, 64, 4, 2, 2).replace(tile_k=4)),
    "lines strided": (conv(r=5, s=3, stride=(2, 1), padding=(2, 1), h=9), strip(3, 64, 2, 2, 4).replace(tile_k=2)),
    "lines apart": (conv(r=2, s=2, stride=(3, 3), padding=(0, 0), h=11), strip(2).replace(tile_k=2)),
    "lines ahead": (conv(c=16, k=16, groups=16, dtype=DType.FP16), strip(6, 64, 4, 2, 8).replace(tile_k=2, stages=2)),
    "exchanged": (conv("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16), strip(4, 64, 4, 2, 8)),
    "exchanged again": (conv("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16), strip(7, 64, 4, 2, 8)),
    "exchanged known": (
        conv("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16, w=14),
        strip(14, 64, 4, 2, 8),
    ),
    "exchanged sums": (conv("bias,residual,relu", c=16, k=16, groups=16, dtype=DType.FP16), strip(4, 32, 4, 1, 4)),
    "known ends": (
        conv(c=8, k=8, groups=8, w=14, r=7, s=7, padding=(3, 3), dtype=DType.BF16),
        strip(14, 64, 4, 2, 8).replace(tile_k=2),
    ),
    "all ends": (conv(c=8, k=8, groups=8, w=3, r=7, s=7, padding=(3, 3)), strip(4, 32, 4, 1, 4)),
    "rolling": (conv(h=7, dtype=DType.FP16), strip(5, 64, 4, 2, 2).replace(tile_k=4, unroll_k=3)),
    "rolling ahead": (
        conv("bias,residual,relu", c=16, k=16, groups=16, h=9, dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=5, unroll_k=3, stages=2),
    ),
    "rolling strided": (
        conv(c=16, k=16, groups=16, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=3, unroll_k=3, stages=2),
    ),
    "rolling one line": (conv(dtype=DType.FP16), strip(5, 64, 4, 2, 2).replace(unroll_k=3)),
    "rolling apart": (conv(r=2, s=2, stride=(3, 3), padding=(0, 0), h=11), strip(2).replace(tile_k=2, unroll_k=2)),
    "rolling known": (
        conv(c=8, k=8, groups=8, w=14, h=14, r=7, s=7, padding=(3, 3), dtype=DType.BF16),
        strip(14, 32, 4).replace(tile_k=7, unroll_k=7, stages=2),
    ),
    "rolling in place": (
        conv(c=64, k=64, groups=64, dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=2, unroll_k=3),
    ),
    "staged": (
        conv("bias,residual,relu", c=16, k=16, groups=16, h=9, dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=5, unroll_k=3, stages=4),
    ),
    "staged strided": (
        conv(c=16, k=16, groups=16, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(4, 64, 4, 2, 8).replace(tile_k=3, unroll_k=3, stages=3),
    ),
    "staged columns": (
        conv(c=72, k=72, groups=72, h=9, dtype=DType.BF16),
        strip(4, 64, 2, 2, 8).replace(tile_k=5, unroll_k=3, stages=8),
    ),
    "staged for others": (
        conv("bias,residual,relu", c=72, k=72, groups=72, h=9, dtype=DType.FP16),
        strip(4, 64, 4, 8, 8).replace(tile_k=5, unroll_k=3, stages=4),
    ),
    "staged for others, strided": (
        conv(c=16, k=16, groups=16, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(4, 64, 1, 4, 8).replace(tile_k=3, unroll_k=3, stages=3),
    ),
    "side by side": (
        conv("bias,residual,relu", c=24, k=24, groups=24, h=9, dtype=DType.FP16),
        strip(2, 128, 2, 4, 4).replace(tile_k=5, unroll_k=3, stages=4, row_block=7),
    ),
    "side by side, two tiles": (
        conv(c=70, k=70, groups=70, h=9, dtype=DType.BF16),
        strip(2, 64, 3, 2, 2).replace(tile_k=5, unroll_k=3, stages=4, row_block=4),
    ),
    "side by side, strided": (
        conv(c=40, k=40, groups=40, h=19, r=5, s=5, stride=(2, 2), padding=(2, 2), dtype=DType.FP16),
        strip(2, 64, 4, 2, 2).replace(tile_k=3, unroll_k=3, stages=3, row_block=5),
    ),
    "side by side, exchanged": (
        conv("bias,residual,relu", c=72, k=72, groups=72, h=9, dtype=DType.FP16),
        strip(2, 128, 2, 4, 8).replace(tile_k=5, unroll_k=3, stages=4, row_block=3),
    ),
    "rolling multiplied": (
        conv("bias,residual,relu", k=36, dtype=DType.FP16),
        strip(3, 64, 4, 1, 2).replace(tile_k=3, unroll_k=3),
    ),
    "pixelwise": (conv(r=1, s=1, padding=(0, 0)), strip(1, 32, 1)),
}


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    problem, configuration = KINDS[name]
    kernel, found = built(problem, configuration), lowered(problem)
    certify(kernel, found.form, H200)
    random = np.random.default_rng(3)
    specs = {"input0": problem.inputs[0], "input1": problem.inputs[1], "output": problem.output}
    specs |= {f"epilogue{slot}": spec for slot, spec in enumerate(problem.epilogue_inputs)}
    values = {name: random.integers(-9, 9, spec.shape).astype(np.float64) for name, spec in specs.items()}
    held = dict(zip((p.name for p in kernel.parameters), found.operands, strict=True))
    flat = {name: np.lib.stride_tricks.as_strided(values[what], writeable=False) for name, what in held.items()}
    memory = {name: _in_memory(flat[name], specs[what].strides) for name, what in held.items()}
    run = interpreter(kernel, found.symbols, memory, 2, seed=1)
    result = run.run()["out"]
    expected = problem.op.reference(values["input0"], values["input1"])
    extra = [values[f"epilogue{slot}"] for slot in range(len(problem.epilogue_inputs))]
    if extra:
        expected = np.maximum(expected + extra[0][None, :, None, None] + extra[1], 0)
    assert np.array_equal(result, _in_memory(expected, problem.output.strides))


def _in_memory(values: np.ndarray, strides: tuple[int, ...]) -> np.ndarray:
    """Return the elements of a dense tensor in the order of their addresses."""
    order = sorted(range(values.ndim), key=lambda axis: -strides[axis])
    return np.ascontiguousarray(values.transpose(order)).ravel()


@pytest.mark.parametrize("preset_name", ["a100", "mi300x", "m1", "pvc"])
def test_any_number_of_lanes(preset_name: str) -> None:
    profile, problem = preset(preset_name), conv("relu", dtype=DType.FP16)
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


def edited(kernel: SemanticKernel, edit: Callable[[Node], Node | None]) -> SemanticKernel:
    """Return the kernel with every node replaced by what `edit` makes of it (None drops it)."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found = []
        for node in nodes:
            new = edit(node)
            if isinstance(new, Loop):
                new = new.replace(body=visit(new.body))
            elif isinstance(new, If):
                new = new.replace(then=visit(new.then), otherwise=visit(new.otherwise))
            if new is not None:
                found.append(new)
        return tuple(found)

    (role,) = kernel.roles
    return kernel.replace(roles=(role.replace(body=visit(role.body)),))


def without_barrier(name: str) -> Callable[[Node], Node | None]:
    return lambda node: None if isinstance(node, Barrier) and node.name == name else node


def looser(place: int) -> Callable[[Node], Node | None]:
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
def test_planted_faults_are_refused(edit: Callable[[Node], Node | None], words: str) -> None:
    problem, configuration = conv(c=72, k=72, groups=72), strip(3)  # a block may have several columns of channels
    kernel = built(problem, configuration)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError, match=words):
        certify(wrong, lowered(problem).form, H200)


def staying(node: Node) -> Node | None:
    """Sums of a line that do not take the place of those above it."""
    return None if isinstance(node, Compute) and node.target == node.accumulators[0][:-3] + "0_0" else node


def too_early(node: Node) -> Node | None:
    """A line is finished a step before its last row came."""
    return node.replace(value=node.value + 1) if isinstance(node, Let) and node.name == "line" else node


def not_emptied(node: Node) -> Node | None:
    return None if isinstance(node, Fill) and node.fragment == "total2_0" else node


def beyond(node: Node) -> Node | None:
    """Columns behind the last image's channels are stored, too."""
    return node.replace(guard=(node.guard[0], *node.guard[2:])) if isinstance(node, Store) and node.guard else node


def below(node: Node) -> Node | None:
    """The last step's line may lie behind the image."""
    tests = node.guard if isinstance(node, If) else ()
    return node.replace(guard=tests[:1]) if tests and Sym("lines") == tests[-1].right else node


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (staying, "wrong"),
        (too_early, "wrong|touches|written|before"),
        (beyond, "touches|written"),
        (not_emptied, "wrong|unwritten|before"),
        (below, "touches|written"),
        (any_row, "touches|wrong|before"),
    ],
)
def test_planted_faults_of_walks_are_refused(edit: Callable[[Node], Node | None], words: str) -> None:
    problem, configuration = KINDS["rolling ahead"]
    kernel = built(problem, configuration)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError, match=words):
        certify(wrong, lowered(problem).form, H200)


def late(node: Node) -> Node | None:
    """Rows are read while their copies may be under way."""
    return node.replace(pending=node.pending + 1) if isinstance(node, Wait) and node.pending else node


def next_slot(node: Node) -> Node | None:
    reads = isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "rows"
    if not (reads and isinstance(node, Load) and isinstance(node.source, BufferRef)):
        return node
    return node.replace(source=node.source.replace(slot=(Sym("step") + 1) % 4))


def of_nobody(node: Node) -> Node | None:
    """Warps without a strip copy, too."""
    return node.replace(guard=node.guard[1:]) if isinstance(node, AsyncCopy) else node


def without_column(node: Node) -> Node | None:
    """Columns beyond the image are copied as if they were there."""
    if not isinstance(node, AsyncCopy):
        return node
    return node.replace(guard=tuple(test for test in node.guard if Sym("width") != test.right))


@pytest.mark.parametrize("name", ["staged columns", "staged for others"])
@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (late, "under way|copy|barrier"),
        (next_slot, "wrong|under way|before|barrier"),
        (of_nobody, "touches|before|wrong"),
        (without_column, "touches|wrong|before"),
        (without_barrier("copied"), "without a barrier"),
        (without_barrier("walked"), "without a barrier|under way"),
    ],
)
def test_planted_faults_of_copied_rows_are_refused(name: str, edit: Callable[[Node], Node | None], words: str) -> None:
    problem, configuration = KINDS[name]
    kernel = built(problem, configuration)
    wrong = edited(kernel, edit)
    if wrong == kernel:
        assert name == "staged columns"  # whose warps meet nowhere
        return
    with pytest.raises(CertificationError, match=words):
        certify(wrong, lowered(problem).form, H200)


def on_the_spot(node: Node) -> Node | None:
    """Lanes whose channels have ended copy the strip that they were in."""
    if not isinstance(node, AsyncCopy):
        return node
    first = Sym("warp_column") + COLUMN
    return node.replace(source=node.source.replace(offset=replaced(node.source.offset, first // 36, Const(0))))


def replaced(expr: Index, what: Index, by: Index) -> Index:
    if expr == what:
        return by
    if isinstance(expr, IndexOp):
        return expr.replace(left=replaced(expr.left, what, by), right=replaced(expr.right, what, by))
    return expr


def of_the_first_warp(node: Node) -> Node | None:
    """Every warp takes the filters of the first one's channels."""
    reads = isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "filters"
    if not (reads and isinstance(node, Load) and isinstance(node.source, BufferRef)):
        return node
    return node.replace(source=node.source.replace(coordinates=(node.source.coordinates[0], COLUMN)))


def stored_once(node: Node) -> Node | None:
    """Filters are there once, where the second strip's lanes look for them in the banks that follow."""
    if isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.buffer == "filters":
        return (
            None
            if isinstance(node.target.coordinates[1], IndexOp) and isinstance(node.target.coordinates[1].right, Const)
            else node
        )
    return node


def strips_too_many(node: Node) -> Node | None:
    """Lanes behind the block's last strip store, too: the next block's pixels."""
    stores = isinstance(node, Store) and isinstance(node.target, Access)
    return node.replace(guard=(node.guard[0], *node.guard[2:])) if stores and isinstance(node, Store) else node


def channels_too_many(node: Node) -> Node | None:
    """Columns behind the last channel are stored, too: the next pixel's channels."""
    stores = isinstance(node, Store) and isinstance(node.target, Access)
    return node.replace(guard=node.guard[:2]) if stores and isinstance(node, Store) else node


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (on_the_spot, "wrong|touches"),
        (of_the_first_warp, "wrong"),
        (stored_once, "wrong|nothing was written"),
        (strips_too_many, "touches|written"),
        (channels_too_many, "touches|written"),
        (without_barrier("staged"), "without a barrier"),
        (without_barrier("used"), "without a barrier"),
        (late, "under way|copy|barrier"),
        (without_column, "touches|wrong|before"),
    ],
)
def test_planted_faults_of_strips_side_by_side_are_refused(edit: Callable[[Node], Node | None], words: str) -> None:
    problem, configuration = KINDS["side by side, two tiles"]
    kernel = built(problem, configuration)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError, match=words):
        certify(wrong, lowered(problem).form, H200)


def test_blocks_hold_whole_pixels_of_as_many_strips_as_fit() -> None:
    """Of 144 channels 7 strips lie in 8 warps of 128 columns: one tile. Of 384 three tiles of 128 channels fill 7 warps."""
    for channels, warps, blocks in ((144, 8, 2), (384, 7, 6)):
        problem = conv(n=1, c=channels, k=channels, groups=channels, w=28, h=9, dtype=DType.FP16)
        kernel = built(problem, strip(2, 128, warps, 4, 4).replace(tile_k=9, unroll_k=3, stages=4, row_block=7))
        assert evaluate(kernel.launch.blocks, lowered(problem).symbols) == blocks


@pytest.mark.parametrize(
    "configuration",
    [
        strip(2, 128, 2, 4, 4).replace(row_block=7),  # rows wait in registers
        strip(2, 128, 2, 8, 4).replace(row_block=7, tile_k=5, unroll_k=3, stages=4),  # lanes copy for each other
        strip(2, 128, 1, 4, 4).replace(row_block=64, tile_k=5, unroll_k=3, stages=4),  # two columns for each strip
        strip(19, 32, 2, 2, 2).replace(row_block=2, tile_k=5, unroll_k=3, stages=4),  # strips that are whole lines
    ],
)
def test_strips_that_do_not_lie_side_by_side(configuration: PipelineConfig) -> None:
    with pytest.raises(ConfigurationError, match="side by side"):
        built(conv(c=24, k=24, groups=24, dtype=DType.FP16), configuration)


@pytest.mark.parametrize(("channels", "blocks"), [(16, 1), (24, 2)])
def test_images_follow_one_another_where_channels_fill_half_of_a_tile(channels: int, blocks: int) -> None:
    """Two images of 16 channels are one tile of 32 columns, whose three strips one block takes; of 24 a tile each, whose six two take."""
    problem = conv(c=channels, k=channels, groups=channels, dtype=DType.FP16)
    kernel = built(problem, strip(8, 32, 4, 1, 8).replace(tile_k=5, unroll_k=3))
    assert evaluate(kernel.launch.blocks, lowered(problem).symbols) == blocks


def test_elements_of_small_filters_stay_in_registers() -> None:
    """Nine elements of two channels are loaded once for all strips of a block, 49 anew for each row."""
    for name, where in (("rolling ahead", "column"), ("rolling known", "step")):
        kernel, found = built(*KINDS[name]), set()

        def visit(nodes: tuple[Node, ...], loop: str, found: set[str] = found) -> None:
            for node in nodes:
                if isinstance(node, Loop):
                    visit(node.body, node.var)
                elif isinstance(node, If):
                    visit((*node.then, *node.otherwise), loop)
                elif isinstance(node, Load) and isinstance(node.source, BufferRef):
                    found.add(loop)

        visit(kernel.roles[0].body, "")
        assert found == {"turn" if where == "column" else where}


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
        built(conv(r=7, s=7, padding=(3, 3)), configuration)


def test_rows_that_shared_memory_does_not_hold_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="bytes of shared memory"):
        built(conv(dtype=DType.FP16, stride=(2, 2)), strip(8, 64, 8, 4, 2).replace(tile_k=4, unroll_k=2, stages=8))


def test_lines_share_rows_of_the_image() -> None:
    for configuration in (strip(3).replace(tile_k=2), strip(3).replace(unroll_k=3)):
        with pytest.raises(ConfigurationError, match="do not share"):
            built(conv(dilation=(2, 1)), configuration)


def test_runs_follow_the_distance_of_pixels() -> None:
    with pytest.raises(ConfigurationError, match="no multiple of 4"):
        built(conv(c=6, k=6, groups=6), strip(3, 128, 4, 4, 4))
    with pytest.raises(ConfigurationError, match="no accesses"):
        built(conv(k=24), strip(3, 128, 4, 4, 4))  # neighbouring channels of the output read one of the image


def test_filters_that_lanes_would_read_in_pieces_are_refused() -> None:
    """Sixteen banks leave rows two words apart: a lane's four filters would be read in two halves, between those of its neighbours."""
    arc, variant = preset("arc_a770"), depthwise_variant("sycl")
    form = lower_any(conv(c=32, k=32, groups=32), variant).form
    with pytest.raises(ConfigurationError, match="4 filters of a lane are read in pieces"):
        build_kernel(form, strip(1, 32), arc, variant)
    certify(kernel := build_kernel(form, strip(1, 16), arc, variant), form, arc)
    assert kernel.arch == "dg2"
