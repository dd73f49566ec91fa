# SPDX-License-Identifier: MIT
"""Convolutions whose rows are pixels: interpreted exactly across images and ragged edges, certified, and refused with reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.pixels import rows_are_pixels
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import IndexFn, IndexOp
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.rewrite import map_indices
from tracea_core.semantic.steps import AsyncCopy, Let, Load
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)
AMPERE = "mma_m16n8k16_fp16"
SMALL = PipelineConfig(tile_m=32, tile_n=32, tile_k=32, stages=3, warps=2, vector_a=8, vector_b=8, vector_c=2)
SUM = Binary(BinaryFn.ADD, Binary(BinaryFn.ADD, Accumulator(0), Operand(0)), Operand(1))
FUSED = Epilogue(
    Binary(BinaryFn.MAXIMUM, SUM, Constant(0.0)),
    (EpilogueOperand("bias", OperandAxes.COLUMN), EpilogueOperand("residual", OperandAxes.FULL)),
)


def conv(order: tuple[int, ...] = LAST, filters: tuple[int, ...] = LAST, fused: bool = False, **fields: Any) -> Problem:
    sizes: dict[str, Any] = {
        "n": 3,
        "c": 8,
        "h": 7,
        "w": 6,
        "k": 6,
        "r": 3,
        "s": 3,
        "padding": (1, 1),
        "dtype": DType.FP16,
    }
    op = Conv2dOp(**(sizes | fields))
    x, w = op.input_shapes()
    out = dense(op.output_shape(), op.output_dtype(), order)
    inputs = (dense(x, op.dtype, order), dense(w, op.dtype, filters))
    if not fused:
        return Problem(op, inputs, out)
    return Problem(op, inputs, out, FUSED, (dense((op.k,), DType.FP32), dense(op.output_shape(), op.dtype, order)))


def build(problem: Problem, config: PipelineConfig = SMALL, name: str = AMPERE) -> tuple[SemanticKernel, Lowered]:
    low = lower(problem, pixels=True)
    return multistage_kernel(low.contraction, config, preset("a100"), "x.contraction.x", "conv", name), low


def exact(problem: Problem, config: PipelineConfig = SMALL, blocks: int = 3) -> None:
    """Interpret the kernel on integers and compare with the definition."""
    kernel, low = build(problem, config)
    assert all(symbol.admits(low.symbols[symbol.name]) for symbol in kernel.symbols)
    random = np.random.default_rng(5)
    names = [p.name for p in low.contraction.parameters]
    roles = dict(zip(low.operands, names, strict=True))
    tensors = {f"input{i}": spec for i, spec in enumerate(problem.inputs)}
    tensors |= {f"epilogue{i}": spec for i, spec in enumerate(problem.epilogue_inputs)}
    logical = {name: random.integers(-5, 6, spec.shape).astype(np.float64) for name, spec in tensors.items()}
    memory = {}
    for name, spec in tensors.items():
        flat = np.full(int(places(spec).max()) + 1, np.nan)
        flat[places(spec)] = logical[name]
        memory[roles[name]] = flat
    expected = problem.op.reference(logical["input0"], logical["input1"])
    if problem.epilogue_inputs:
        expected = np.maximum(expected + logical["epilogue0"][:, None, None] + logical["epilogue1"], 0)
    memory["out"] = np.zeros(int(places(problem.output).max()) + 1)
    run = interpreter(kernel, low.symbols, memory, blocks, 1)
    found = run.run()["out"][places(problem.output)]
    assert np.array_equal(found, expected)
    assert run.memory["out"].written.sum() == expected.size


def places(spec: TensorSpec) -> Any:
    axes = np.ogrid[tuple(slice(extent) for extent in spec.shape)]
    return sum(axis * stride for axis, stride in zip(axes, spec.strides, strict=True))


@pytest.mark.parametrize(
    ("fields", "vector"),
    [
        ({}, 8),
        ({"stride": (2, 1), "padding": (2, 1), "dilation": (1, 2), "w": 9}, 8),
        ({"c": 16, "k": 12, "groups": 2}, 8),
        ({"r": 1, "s": 1, "stride": (2, 2), "padding": (0, 0), "c": 40}, 8),
        ({"c": 12, "k": 40}, 4),
        ({"c": 6, "padding": (0, 0)}, 2),
        ({"c": 3, "r": 5, "s": 5, "padding": (2, 2), "k": 5}, 1),
        ({"n": 17, "h": 2, "w": 2, "c": 8}, 8),
        ({"fused": True}, 8),
        ({"filters": (0, 1, 2, 3)}, 8),
    ],
)
def test_pixels_of_all_images_are_computed_exactly(fields: dict[str, Any], vector: int) -> None:
    config = SMALL.replace(vector_a=vector, vector_b=vector, vector_c=min(vector, 2))
    if fields.get("filters"):
        config = config.replace(vector_b=1)
    exact(conv(**fields), config)


def test_windows_are_read_from_their_end_where_filters_lie_turned() -> None:
    sizes: dict[str, Any] = {
        "n": 3,
        "c": 8,
        "h": 7,
        "w": 6,
        "k": 6,
        "r": 3,
        "s": 2,
        "padding": (2, 1),
        "dtype": DType.FP16,
    }
    op = CroppedConv2dOp(**sizes, size=(8, 6), origin=(1, 1), turned=True)
    x, w, out = (dense(shape, DType.FP16, LAST) for shape in (*op.input_shapes(), op.output_shape()))
    exact(Problem(op, (x, w), out))
    exchanged = TensorSpec(w.shape, w.dtype, (1, 6 * 6, 2 * 6, 6))  # channels have changed places
    exact(Problem(op, (x, exchanged), out), SMALL.replace(vector_b=1))
    first = tuple(dense(shape, DType.FP16) for shape in (*op.input_shapes(), op.output_shape()))
    exact(Problem(op, first[:2], first[2]), SMALL.replace(vector_a=1, vector_b=1, vector_c=1))  # rows are channels
    plain = Problem(op.replace(turned=False), (x, w), out)
    assert lower(plain, pixels=True).form != lower(Problem(op, (x, w), out), pixels=True).form


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({}, SMALL),
        ({"padding": (0, 0), "fused": True}, SMALL),
        ({"c": 16, "groups": 2, "stride": (2, 2)}, SMALL.replace(stages=2)),
        ({"c": 3}, SMALL.replace(vector_a=1, vector_b=1, vector_c=1)),
    ],
)
def test_kernels_are_certified(fields: dict[str, Any], config: PipelineConfig) -> None:
    kernel, low = build(conv(**fields), config)
    certificate = certify(kernel, low.contraction, preset("a100"))
    assert {"banks", "budgets", "cover", "meaning"} <= {proof.property for proof in certificate.proofs}


def test_both_operands_pass_no_registers_and_channels_move_in_whole_vectors() -> None:
    kernel, _ = build(conv(c=64, k=64))
    (role,) = kernel.roles
    copies = [node for node in walk(role.body) if isinstance(node, AsyncCopy)]
    assert {copy.source.operand for copy in copies} == {"x", "w"} and {copy.width for copy in copies} == {8}
    assert any(len(copy.guard) >= 4 for copy in copies), "padding arrives as zeros, without a read"
    assert not [node for node in walk(role.body) if isinstance(node, Load) and node.fragment.startswith("a_tile")]


def test_nothing_divides_by_an_argument() -> None:
    kernel, _ = build(conv())
    declared = {symbol.name for symbol in kernel.symbols}
    for role in kernel.roles:
        tables = [node for node in walk(role.body) if isinstance(node, Let) and node.fragment]
        assert tables and not any(_divides(table.value, declared) for table in tables)


def _divides(expr: Any, names: set[str]) -> bool:
    if not isinstance(expr, IndexOp):
        return False
    if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD) and getattr(expr.right, "name", "") in names:
        return True
    return _divides(expr.left, names) or _divides(expr.right, names)


def test_other_layouts_keep_channels_as_rows() -> None:
    first = (0, 1, 2, 3)
    assert rows_are_pixels(conv()) and not rows_are_pixels(conv(order=first))
    assert lower(conv(order=first), pixels=True) == lower(conv(order=first))
    spaced = conv()
    wide = spaced.output.replace(strides=tuple(2 * s if s > 6 else s for s in spaced.output.strides))
    assert not rows_are_pixels(spaced.replace(output=wide.replace(strides=(999, 1, 99, 6))))
    assert not rows_are_pixels(Problem(GemmOp(2, 2, 2), (dense((2, 2), DType.FP32),) * 2, dense((2, 2), DType.FP32)))


# ---- planted bugs


def changed(kernel: SemanticKernel, edit: Any) -> SemanticKernel:
    (role,) = kernel.roles
    body = map_indices(role.body, edit, lambda test: test.replace(left=edit(test.left)))
    assert body != role.body
    return kernel.replace(roles=(role.replace(body=body),))


def swapped(expr: Any, name: str, other: str) -> Any:
    if getattr(expr, "name", "") == name:
        return expr.replace(name=other)
    if isinstance(expr, IndexOp):
        return expr.replace(left=swapped(expr.left, name, other), right=swapped(expr.right, name, other))
    return expr


@pytest.mark.parametrize(
    ("name", "other"),
    [("out_width_reciprocal", "out_height_reciprocal"), ("k_s_reciprocal", "k_c_reciprocal"), ("pad_h", "pad_w")],
)
def test_a_mistaken_argument_is_found(name: str, other: str) -> None:
    kernel, low = build(conv())
    with pytest.raises(CertificationError):
        certify(changed(kernel, lambda expr: swapped(expr, name, other)), low.contraction, preset("a100"))
