# SPDX-License-Identifier: MIT
"""Strips of a CPU's workers: right for every stride, dilation, line and type, and planted faults are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.depthwise import strips_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel, launch_symbols
from tracea_core.semantic.build.strip_shares import strip_symbols
from tracea_core.semantic.build.worker_strips import CHANNEL_SPLITS, LINES_EACH
from tracea_core.semantic.depthwise import LoweredDepthwise
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.index import Const
from tracea_core.semantic.interpret import Interpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Extract, If, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

AVX2 = preset("avx2")
LAST = (0, 2, 3, 1)


def variant(compute: DType = DType.FP32, operands: tuple[DType, ...] = (DType.FP32, DType.BF16, DType.FP16)) -> Any:
    return strips_variant("avx2", compute, operands)


def conv(epilogue: str = "", **fields: Any) -> Problem:
    """Return a depthwise convolution of channels-last tensors."""
    sizes = {"n": 2, "c": 20, "h": 5, "w": 19, "r": 3, "s": 3, "padding": (1, 1)}
    channels = fields.get("c", sizes["c"])
    op = Conv2dOp(**({"k": channels, "groups": channels} | sizes | fields))
    inputs = tuple(dense(shape, op.dtype, LAST) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), LAST)
    if not epilogue:
        return Problem(op, inputs, out)
    fused = parse_epilogue(epilogue)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(dense(shape, op.dtype, LAST) if shape == out.shape else dense(shape, DType.FP32) for shape in shapes)
    return Problem(op, inputs, out, fused, extra)


def strip(pixels: int, channels: int = 8, stages: int = 1) -> PipelineConfig:
    return PipelineConfig(tile_m=pixels, tile_n=channels, tile_k=1, stages=stages, warps=1)


def lowered(problem: Problem) -> LoweredDepthwise:
    found = lower_any(problem, variant())
    assert isinstance(found, LoweredDepthwise)
    return found


def built(problem: Problem, configuration: PipelineConfig) -> SemanticKernel:
    return build_kernel(lowered(problem).form, configuration, AVX2, variant(problem.op.accumulator))


KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "narrow types": (conv("bias,residual,relu", dtype=DType.FP16), strip(5)),
    "strided": (conv(stride=(2, 2)), strip(3, 16)),
    "spread": (conv(r=2, s=5, stride=(1, 3), dilation=(2, 2), padding=(0, 4), dtype=DType.BF16), strip(4)),
    "far": (conv(dilation=(7, 7), padding=(7, 7)), strip(2)),
    "asked for": (conv("bias,residual,relu", w=25), strip(4, 8, 2)),
    "long lines": (conv(w=150, h=3, n=1, c=9), strip(6, 8, 2)),
    "short lines": (conv(w=7, r=5, s=5, padding=(2, 2), n=3, h=6), strip(4)),
    "one pixel": (conv(r=1, s=1, padding=(0, 0)), strip(1)),
    "fp64": (conv(dtype=DType.FP64), strip(6, 4)),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("division", [(1, 1, 1), (3, 2, 2)])
def test_certified_and_equal_to_the_reference(name: str, division: tuple[int, int, int]) -> None:
    problem, configuration = KINDS[name]
    kernel, found = built(problem, configuration), lowered(problem)
    if division == (1, 1, 1):
        certify(kernel, found.form, AVX2)
    random = np.random.default_rng(3)
    specs = {"input0": problem.inputs[0], "input1": problem.inputs[1], "output": problem.output}
    specs |= {f"epilogue{slot}": spec for slot, spec in enumerate(problem.epilogue_inputs)}
    values = {name: random.integers(-9, 9, spec.shape).astype(np.float64) for name, spec in specs.items()}
    held = dict(zip((p.name for p in kernel.parameters), found.operands, strict=True))
    memory = {name: _in_memory(values[what], specs[what].strides) for name, what in held.items()}
    sizes = found.symbols | dict(zip(("row_splits", CHANNEL_SPLITS, LINES_EACH), division, strict=True))
    result = Interpreter(kernel, sizes, memory, 2, seed=1).run()["out"]
    expected = problem.op.reference(values["input0"], values["input1"])
    extra = [values[f"epilogue{slot}"] for slot in range(len(problem.epilogue_inputs))]
    if extra:
        expected = np.maximum(expected + extra[0][None, :, None, None] + extra[1], 0)
    assert np.array_equal(result, _in_memory(expected, problem.output.strides))


def _in_memory(values: np.ndarray, strides: tuple[int, ...]) -> np.ndarray:
    """Return the elements of a dense tensor in the order of their addresses."""
    order = sorted(range(values.ndim), key=lambda axis: -strides[axis])
    return np.ascontiguousarray(values.transpose(order)).ravel()


def shifted(node: Node) -> Node:
    return node.replace(row=Const(0)) if isinstance(node, Extract) else node


def unmasked(node: Node) -> Node:
    return node.replace(guard=node.guard[1:]) if isinstance(node, Store) and node.guard else node


def beyond_the_image(node: Node) -> Node:
    return node.replace(guard=node.guard[1:]) if _reads_columns(node) else node  # type: ignore[union-attr]


def _reads_columns(node: Node) -> bool:
    return isinstance(node, Load) and node.fragment.startswith("window") and bool(node.guard)


def one_row_less(node: Node) -> Node:
    return node.replace(stop=Const(2)) if isinstance(node, Loop) and node.var == "tap_row" else node


def one_element_less(node: Node) -> Node:
    return node.replace(stop=Const(8)) if isinstance(node, Loop) and node.var == "tap" else node


def last_block_left_out(node: Node) -> Node:
    return node.replace(stop=node.stop - 1) if isinstance(node, Loop) and node.var == "line_block" else node


def any_row(node: Node) -> Node:
    rows = isinstance(node, If) and any(isinstance(inner, Load) and inner.fragment == "window0" for inner in node.then)
    return node.replace(guard=node.guard[1:]) if rows else node  # type: ignore[union-attr]


FAULTS = [
    (shifted, "wrong"),
    (unmasked, "touches|written"),
    (beyond_the_image, "before the start|touches|wrong"),
    (one_row_less, "wrong"),
    (one_element_less, "read where nothing was written"),
    (last_block_left_out, "is written 0 times"),
    (any_row, "touches|wrong|before"),
]


@pytest.mark.parametrize(("edit", "words"), FAULTS)
@pytest.mark.parametrize("width", [19, 150])
def test_planted_faults_are_refused(edit: Callable[[Node], Node], words: str, width: int) -> None:
    problem = conv(w=width)
    kernel = built(problem, strip(4))
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError, match=words):
        certify(wrong, lowered(problem).form, AVX2)


REFUSED = [
    (conv(), strip(3, 12), "no vectors of 8 lanes"),
    (conv(), strip(8), "registers"),
    (conv(), strip(3).replace(stages=3), "one or two stages"),
    (conv(), strip(3).replace(split_k=2), "one or two stages"),
    (conv(k=40), strip(3), "a channel of the image"),
]


@pytest.mark.parametrize(("problem", "configuration", "reason"), REFUSED)
def test_what_cannot_be_built(problem: Problem, configuration: PipelineConfig, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(problem, configuration)


def test_channels_are_shared_where_lines_are_few() -> None:
    few, many = (conv(n=n, c=768, h=7, w=7, r=7, s=7, padding=(3, 3)) for n in (1, 32))
    profile = AVX2.replace(processors=2)
    for problem, splits in ((few, 2), (many, 1)):
        found = launch_symbols(lowered(problem), strip(7), profile, "strips")
        assert found == strip_symbols(lowered(problem), strip(7), profile)
        assert found[CHANNEL_SPLITS] == splits and found["row_splits"] * splits == found["workers"] == 2
    assert strip_symbols(lowered(conv()), strip(4), profile)["workers"] == 1


def test_lines_pass_together_as_far_as_the_first_cache_holds_them() -> None:
    wide, narrow = (conv(c=96, h=size, w=size, r=7, s=7, padding=(3, 3)) for size in (100, 7))
    found = [strip_symbols(lowered(problem), strip(7), AVX2)[LINES_EACH] for problem in (wide, narrow)]
    assert found[0] == 1 and found[1] > 7
