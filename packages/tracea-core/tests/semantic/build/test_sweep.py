# SPDX-License-Identifier: MIT
"""Passes over a matrix: copies into aligned rows and sums of parts are right, and every planted fault is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError, UnsupportedError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange import copy_fault
from tracea_core.semantic.build.sweep import sweep_configuration, sweep_kernel
from tracea_core.semantic.index import less
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Fill, Load, Loop, Node, Store
from tracea_core.semantic.sweep import LoweredSweep, lower_copy, lower_sum
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.edit import edited

H200 = preset("h200")
BF16, FP32 = DType.BF16, DType.FP32


def copy(rows: int = 5, columns: int = 133, stride: int = 133, step: int = 1, batch: int = 0) -> LoweredSweep:
    wide = -(-columns // 64) * 64
    lead, far = ((batch,), (rows * stride + 3,)) if batch else ((), ())
    spec = TensorSpec((*lead, rows, columns), BF16, (*far, stride, step))
    copied = TensorSpec((*lead, rows, columns), BF16, (*((rows * wide,) if batch else ()), wide, 1))
    return lower_copy("input0", spec, "copy0", copied, -1, -(-columns // 8) * 8)


def total(epilogue: str = "", n: int = 48, stride: int = 0, dtype: DType = BF16) -> LoweredSweep:
    m, k, parts = 6, 512, 4
    fused = parse_epilogue(epilogue) if epilogue else None
    inputs = (TensorSpec.contiguous((m, k), BF16), TensorSpec.contiguous((k, n), BF16))
    out = TensorSpec((m, n), dtype, (stride or n, 1))
    op = GemmOp(m, n, k, dtype=BF16, out_dtype=dtype)
    if fused is None:
        problem = Problem(op, inputs, out)
    else:
        shapes = {"bias": (n,), "residual": (m, n)}
        operands = tuple(TensorSpec.contiguous(shapes[operand.name], BF16) for operand in fused.operands)
        problem = Problem(op, inputs, out, fused, operands)
    return lower_sum(problem, "partial", TensorSpec((parts, m, n), FP32, (m * n, n, 1)))


def built(lowered: LoweredSweep) -> SemanticKernel:
    return sweep_kernel(lowered.form, sweep_configuration(lowered, H200), H200, "kernel")


CASES: dict[str, Callable[[], LoweredSweep]] = {
    "odd rows": copy,
    "even rows": lambda: copy(columns=134, stride=134),
    "strided": lambda: copy(stride=400, step=3),
    "batched": lambda: copy(batch=3),
    "sum": total,
    "sum into odd rows": lambda: total(n=47, stride=47),
    "sum in fp32": lambda: total(dtype=FP32),
    "sum, bias, gelu and residual": lambda: total("bias,gelu,residual"),
}


@pytest.mark.parametrize("name", CASES)
def test_passes_are_certified(name: str) -> None:
    lowered = CASES[name]()
    assert certify(built(lowered), lowered.form, H200).proofs[-1].property == "meaning"


@pytest.mark.parametrize(
    ("columns", "stride", "read"), [(133, 133, 1), (134, 134, 2), (136, 136, 8), (136, 140, 4), (135, 136, 1)]
)
def test_runs_are_as_wide_as_rows_allow(columns: int, stride: int, read: int) -> None:
    assert sweep_configuration(copy(columns=columns, stride=stride), H200).vector_a == read


def test_runs_are_no_wider_than_addresses_allow() -> None:
    lowered = copy(columns=136, stride=136)
    assert sweep_configuration(lowered, H200, read_alignment=4).vector_a == 2
    assert sweep_configuration(lowered, H200, read_alignment=2).vector_a == 1


def test_a_copy_holds_the_operand_and_zeros_beyond_its_columns() -> None:
    lowered = copy(rows=70, columns=133, stride=135)
    random = np.random.default_rng(3)
    source = random.standard_normal(70 * 135)
    run = interpreter(built(lowered), lowered.symbols, {"source": source, "out": np.zeros(70 * 192)}, 4, 1)
    out = run.run()["out"].reshape(70, 192)
    np.testing.assert_array_equal(out[:, :133], source.reshape(70, 135)[:, :133])
    assert (out[:, 133:136] == 0).all() and np.isnan(out[:, 136:]).all()


def test_a_sum_adds_all_parts_before_the_epilogue() -> None:
    lowered = total("bias,residual", n=47, stride=49)
    random = np.random.default_rng(4)
    parts, bias, residual = (random.standard_normal(shape) for shape in ((4, 6, 47), (47,), (6, 47)))
    names = [term.operand for term in lowered.form.epilogue_terms]
    memory = {"source": parts.ravel(), "out": np.zeros(6 * 49), names[0]: bias, names[1]: residual.ravel()}
    out = interpreter(built(lowered), lowered.symbols, memory, 2, 1).run()["out"]
    got = np.pad(out, (0, 6 * 49 - out.size)).reshape(6, 49)[:, :47]
    np.testing.assert_allclose(got, parts.sum(axis=0) + bias + residual, rtol=1e-12)


def _past_the_end(node: Node) -> Node | None:
    """Read a column more than there are."""
    if not isinstance(node, Load) or len(node.guard) < 3:
        return node
    *rest, end = node.guard
    return node.replace(guard=(*rest, less(end.left, end.right + 1)))


FAULTS: dict[str, tuple[Callable[[], LoweredSweep], Callable[[Node], Node | None]]] = {
    "a column too many is copied": (copy, _past_the_end),
    "padding is not zero": (copy, lambda node: node.replace(fill=1.0) if isinstance(node, Load) else node),
    "the last row is left out": (
        copy, lambda node: node.replace(guard=(less(node.guard[0].left + 1, node.guard[0].right), *node.guard[1:]))
        if isinstance(node, Store) and node.guard else node,
    ),
    "rows are not masked": (copy, lambda node: node.replace(guard=node.guard[1:]) if isinstance(node, Store) else node),
    "a part is left out": (
        total, lambda node: node.replace(stop=node.stop - 1) if isinstance(node, Loop) and node.var == "part" else node,
    ),
    "sums start with another": (total, lambda node: None if isinstance(node, Fill) else node),
    "runs are not aligned": (
        lambda: copy(columns=134, stride=134),
        lambda node: node.replace(width=4) if isinstance(node, Load) else node,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_refused(name: str) -> None:
    make, edit = FAULTS[name]
    lowered = make()
    with pytest.raises(CertificationError):
        certify(edited(built(lowered), edit), lowered.form, H200)


def test_what_cannot_be_copied_is_named() -> None:
    repeated = TensorSpec((4, 3, 5), BF16, (0, 5, 1))
    assert "repeat" in str(copy_fault(repeated))
    assert "no single axis" in str(copy_fault(TensorSpec((2, 3, 4, 5), BF16, (100, 20, 5, 1))))
    assert "no matrix" in str(copy_fault(TensorSpec((0, 5), BF16, (5, 1))))
    with pytest.raises(UnsupportedError, match="cannot be copied"):
        lower_copy("input0", repeated, "copy0", repeated, -1, 8)


def test_sums_have_no_batch() -> None:
    op = GemmOp(4, 8, 64, batch=(2,), dtype=BF16)
    tensors = tuple(TensorSpec.contiguous(shape, BF16) for shape in op.input_shapes())
    problem = Problem(op, tensors, TensorSpec.contiguous(op.output_shape(), BF16))
    with pytest.raises(UnsupportedError, match="plain products"):
        lower_sum(problem, "partial", TensorSpec.contiguous((2, 4, 8), FP32))


@pytest.mark.parametrize("change", [{"tile_n": 96}, {"tile_m": 24}, {"stages": 2}, {"vector_c": 16, "tile_n": 512}])
def test_configurations_that_do_not_fit_are_refused(change: dict[str, int]) -> None:
    lowered = copy()
    with pytest.raises(ConfigurationError, match="does not fit"):
        sweep_kernel(lowered.form, sweep_configuration(lowered, H200).replace(**change), H200, "kernel")
