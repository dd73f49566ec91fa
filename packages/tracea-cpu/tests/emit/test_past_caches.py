# SPDX-License-Identifier: MIT
"""Results that pass the caches: right to the last element, nothing beyond them touched, and aligned addresses asked for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import AlignmentError
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.policy.config import PipelineConfig
from tracea_core.runtime.interface import Launcher
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.testing.row_cases import row_problem
from tracea_cpu.emit.contraction import emit_kernel
from tracea_cpu.runtime import CpuRuntime

ROWS = 5
POISON = -7.0


def _launcher(problem: Problem, dtype: DType) -> Launcher:
    lowered = lower_rowwise(problem)
    step = PipelineConfig(tile_m=1, tile_n=16, tile_k=1, stages=1, warps=1, vector_c=16 // dtype.bytes)
    kernel = rows_kernel(lowered.form, step, preset("avx2"), "cpu.rowwise.avx2", "kernel")
    source = emit_kernel(kernel, Certificate(kernel.digest(), ()))
    return CpuRuntime().compile(source).prepare({**lowered.symbols, "workers": 2})


def _aligned(elements: int, dtype: DType) -> npt.NDArray[np.generic]:
    """Poisoned memory whose first element lies at a multiple of 16 bytes."""
    memory = np.zeros((elements + 16) * dtype.bytes, np.uint8)
    first = -memory.ctypes.data % 16
    found = memory[first : first + elements * dtype.bytes].view(dtype.storage)
    found[...] = dtype.encode(np.full(elements, POISON))
    return found


@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
@pytest.mark.parametrize("columns", [1, 15, 16, 40, 67])
@pytest.mark.parametrize("layer", [False, True])
def test_every_length_of_a_row(dtype: DType, columns: int, layer: bool) -> None:
    shape, gap = (ROWS, columns), -columns % (16 // dtype.bytes) + 16 // dtype.bytes
    op: NormOp | SoftmaxOp = NormOp(shape, NormKind.LAYER, bias=True, dtype=dtype) if layer else SoftmaxOp(shape, dtype)
    problem = row_problem(op, out=TensorSpec(shape, dtype, (columns + gap, 1)))
    random = np.random.default_rng(columns)
    given = [dtype.encode(random.standard_normal(s)) for s in op.input_shapes()]
    out = _aligned(ROWS * (columns + gap), dtype)
    _launcher(problem, dtype)(given[0].ctypes.data, out.ctypes.data, *(x.ctypes.data for x in given[1:]))
    exact = [dtype.decode(x) for x in given]
    rows = dtype.decode(out).reshape(ROWS, columns + gap)
    expected, bound = reference(problem, exact, []), tolerance(problem, exact, [])
    rounded = dtype.decode(dtype.encode(expected))
    assert (agrees(rows[:, :columns], expected, bound) | (rows[:, :columns] == rounded)).all()
    assert (rows[:, columns:] == POISON).all()


def test_an_address_between_two_vectors_is_refused_before_anything_is_written() -> None:
    problem = row_problem(SoftmaxOp((ROWS, 32)))
    x, out = np.zeros((ROWS, 32), np.float32), _aligned(ROWS * 32 + 4, DType.FP32)
    launch = _launcher(problem, DType.FP32)
    with pytest.raises(AlignmentError, match="relies on 16-byte alignment"):
        launch(x.ctypes.data, out.ctypes.data + 4)
    assert (out == POISON).all()
    launch(x.ctypes.data, out.ctypes.data)
    assert (out[: ROWS * 32] == np.float32(1 / 32)).all()


def test_the_text_says_what_passes_and_settles_it() -> None:
    lowered = lower_rowwise(row_problem(SoftmaxOp((ROWS, 32))))
    step = PipelineConfig(tile_m=1, tile_n=16, tile_k=1, stages=1, warps=1)
    for run, count in ((4, 2), (1, 0)):
        kernel = rows_kernel(lowered.form, step.replace(vector_c=run), preset("avx2"), "cpu.rowwise.avx2", "kernel")
        lines = emit_kernel(kernel, Certificate(kernel.digest(), ())).text.splitlines()
        assert sum("!nontemporal" in line for line in lines) == count
        assert any("fence seq_cst" in line for line in lines) is bool(count)
