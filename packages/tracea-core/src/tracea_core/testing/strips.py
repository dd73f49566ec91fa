# SPDX-License-Identifier: MIT
"""Schedules of channels filtered on their own, as their tests build them: small problems, strips, and what each has to stand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.doctor.depthwise import depthwise_variant, lane_planes_variant, planes_variant
from tracea_core.doctor.presets import preset
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.depthwise import LoweredDepthwise
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Barrier, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import Edit, edited
from tracea_core.testing.errors import ConformanceError, demand

PROFILE = preset("h200")
VARIANT = depthwise_variant("cuda")
LAST, PLANES = (0, 2, 3, 1), (0, 1, 2, 3)
"""Orders of axes in memory: channels or pixels of a line next to each other."""


def own_filters(epilogue: str = "", order: tuple[int, ...] = LAST, **fields: Any) -> Problem:
    """Return a convolution, channels-last or in another order, 3×3 filters of 12 channels of their own unless `fields` say otherwise."""
    sizes: dict[str, Any] = {"n": 2, "c": 12, "h": 5, "w": 19, "k": 12, "r": 3, "s": 3, "padding": (1, 1), "groups": 12}
    op = Conv2dOp(**(sizes | fields))
    inputs = tuple(dense(shape, op.dtype, order) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), order)
    if not epilogue:
        return Problem(op, inputs, out)
    fused = parse_epilogue(epilogue)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(dense(shape, op.dtype, order) if shape == out.shape else dense(shape, DType.FP32) for shape in shapes)
    return Problem(op, inputs, out, fused, extra)


def strip(pixels: int, channels: int = 32, warps: int = 4, read: int = 1, stored: int = 1) -> PipelineConfig:
    """Return strips of one line."""
    return PipelineConfig(
        tile_m=pixels, tile_n=channels, tile_k=1, stages=1, warps=warps, vector_a=read, vector_c=stored
    )


def pieces(lines: int, warps: int = 2, read: int = 1, stored: int = 1) -> PipelineConfig:
    """Return strips of planes: eight pieces of eight pixels of so many lines."""
    return PipelineConfig(tile_m=8, tile_n=1, tile_k=lines, stages=1, warps=warps, vector_a=read, vector_c=stored)


def variant_for(problem: Problem) -> Variant:
    """Return the kind of kernel that takes the order of a problem's axes."""
    dtype = problem.inputs[0].dtype
    if problem.output.strides[1] == 1:
        return VARIANT
    return lane_planes_variant("cuda") if dtype is DType.FP32 else planes_variant("cuda", dtype)


def lowered(problem: Problem) -> LoweredDepthwise:
    """Return a problem as the form of such schedules."""
    found = lower_any(problem, variant_for(problem))
    assert isinstance(found, LoweredDepthwise)
    return found


def built(problem: Problem, configuration: PipelineConfig) -> SemanticKernel:
    """Return the kernel for an H200.

    Raises
    ------
    ConfigurationError
        If it cannot be built.
    """
    return build_kernel(lowered(problem).form, configuration, PROFILE, variant_for(problem))


def check_strips(problem: Problem, configuration: PipelineConfig) -> None:
    """The kernel is certified, and its interpretation equals the reference on small integers, epilogues being sums under a ReLU.

    Raises
    ------
    CertificationError
        If a property does not hold.
    ConformanceError
        If an element is wrong.
    """
    kernel, found = built(problem, configuration), lowered(problem)
    certify(kernel, found.form, PROFILE)
    random = np.random.default_rng(3)
    specs = {"input0": problem.inputs[0], "input1": problem.inputs[1], "output": problem.output}
    specs |= {f"epilogue{slot}": spec for slot, spec in enumerate(problem.epilogue_inputs)}
    values = {name: random.integers(-9, 9, spec.shape).astype(np.float64) for name, spec in specs.items()}
    held = dict(zip((p.name for p in kernel.parameters), found.operands, strict=True))
    memory = {name: _in_memory(values[what], specs[what].strides) for name, what in held.items()}
    result = interpreter(kernel, found.symbols, memory, 2, seed=1).run()["out"]
    expected = problem.op.reference(values["input0"], values["input1"])
    extra = [values[f"epilogue{slot}"] for slot in range(len(problem.epilogue_inputs))]
    if extra:
        expected = np.maximum(expected + extra[0][None, :, None, None] + extra[1], 0)
    demand(np.array_equal(result, _in_memory(expected, problem.output.strides)), "the kernel computes its problem")


def check_refused(problem: Problem, configuration: PipelineConfig, edit: Edit, words: str) -> None:
    """The kernel with a fault planted in it gets no certificate, for a reason in `words`, a pattern.

    Raises
    ------
    ConformanceError
        If it gets one, or for another reason.
    ValueError
        If nothing was planted.
    """
    wrong = edited(built(problem, configuration), edit)
    try:
        certify(wrong, lowered(problem).form, PROFILE)
    except CertificationError as error:
        demand(re.search(words, str(error)) is not None, f"the refusal says {words!r}", said=str(error))
        return
    raise ConformanceError("a kernel with a planted fault is certified", configuration=configuration.describe())


def without_barrier(name: str) -> Edit:
    """Return what leaves a barrier out."""

    def edit(node: Node) -> Node | None:
        return None if isinstance(node, Barrier) and node.name == name else node

    return edit


def _in_memory(values: npt.NDArray[np.float64], strides: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the elements of a dense tensor in the order of their addresses."""
    order = sorted(range(values.ndim), key=lambda axis: -strides[axis])
    return np.ascontiguousarray(values.transpose(order)).ravel()
