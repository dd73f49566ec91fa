# SPDX-License-Identifier: MIT
"""A plan that is made for less alignment takes every address of that alignment, bias vectors' too."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import AlignmentError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.pipeline.passes import scratch
from tracea_core.pipeline.path import Path, trace
from tracea_core.pipeline.plan import _steps
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.runtime.sequence import Call, Sequence
from tracea_core.testing.cases import dense
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)
BASE = 1 << 20
ONE_BY_ONE = PipelineConfig(
    tile_m=64,
    tile_n=64,
    tile_k=64,
    stages=4,
    warps=8,
    swizzle=SwizzleMode.B128,
    barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    vector_a=8,
    vector_b=8,
    vector_c=1,
)


def problem(op: Conv2dOp | GemmOp, tail: str, alignment: int, order: tuple[int, ...] = LAST) -> Problem:
    """Return a problem on dense tensors, vectors of the epilogue in fp32, all addresses a multiple of `alignment`."""
    fused, out = parse_epilogue(tail), op.output_shape()
    shapes = [fused.operand_shape(slot, out, 1) for slot in range(len(fused.operands))]

    def tensor(shape: tuple[int, ...], dtype: DType) -> Any:
        return dense(shape, dtype, order) if len(shape) == 4 else dense(shape, dtype)

    inputs = tuple(map(tensor, op.input_shapes(), op.input_dtypes()))
    extra = tuple(tensor(shape, op.output_dtype() if shape == out else DType.FP32) for shape in shapes)
    return Problem(op, inputs, tensor(out, op.output_dtype()), fused, extra, Options(alignment=alignment))


def launched(path: Path, addresses: dict[str, int]) -> list[tuple[int, ...]]:
    """Launch the plan's kernels on addresses, aligned ones where none is given, and return what each would get."""
    seen: list[tuple[int, ...]] = []
    spaces = {space.name: space.bytes for space in scratch(path.arrangement)}
    calls = [
        Call(
            lambda *at, stream=0: seen.append(at), step.operands,
            tuple(parameter.alignment for parameter in step.kernel.parameters),
        )
        for step in _steps(path)
    ]  # fmt: skip
    given = tuple(dict.fromkeys(name for call in calls for name in call.operands if name not in spaces))
    lent: Any = SimpleNamespace(lock=threading.Lock(), borrow=lambda size, stream: 1 << 30)
    Sequence(calls, given, spaces, lent if spaces else None)(*(addresses.get(name, BASE) for name in given))
    return seen


CASES: list[tuple[Conv2dOp | GemmOp, str, tuple[int, ...]]] = [
    (Conv2dOp(8, 128, 11, 8, 16, 1, 3, (1, 1), (0, 1), (2, 1), dtype=DType.FP16), "bias,relu", LAST),
    (Conv2dOp(1, 192, 14, 19, 24, 3, 2, (2, 1), (2, 0), (2, 1), dtype=DType.FP16), "bias,relu", LAST),
    (Conv2dOp(1, 24, 5, 13, 16, 5, 5, (3, 1), (1, 3), dtype=DType.BF16), "batch_norm,relu", FIRST),
    (Conv2dOp(64, 64, 56, 56, 64, 3, 3, (1, 1), (1, 1), dtype=DType.BF16), "batch_norm,residual,relu", LAST),
    (GemmOp(1024, 1024, 1024, dtype=DType.FP16), "bias,relu", LAST),
    (GemmOp(1024, 1022, 1024, dtype=DType.BF16), "column_scale,bias", LAST),
]


@pytest.mark.parametrize(("op", "tail", "order"), CASES)
@pytest.mark.parametrize("alignment", [4, 8])
def test_vectors_of_an_epilogue_begin_anywhere_that_is_promised(
    op: Conv2dOp | GemmOp, tail: str, order: tuple[int, ...], alignment: int
) -> None:
    path = trace(problem(op, tail, alignment, order), preset="h200")
    names = [f"epilogue{slot}" for slot in range(len(parse_epilogue(tail).operands))]
    every = dict.fromkeys(("input0", "input1", "output", *names), BASE + alignment)
    for odd in ({name: BASE + alignment for name in names}, every):
        assert len(launched(path, odd)) == path.arrangement.kernels


def test_a_plan_for_aligned_addresses_reads_pairs_of_a_vector_and_refuses_half_a_pair() -> None:
    path = trace(problem(CASES[0][0], "bias,relu", 16), preset="h200")
    assert launched(path, {})
    with pytest.raises(AlignmentError, match="epilogue0 starts at 0x100004"):
        launched(path, {"epilogue0": BASE + 4})


@pytest.mark.toolchain
def test_the_emulator_agrees_where_vectors_are_read_one_by_one() -> None:
    need_emulator()
    op = Conv2dOp(2, 64, 6, 7, 64, 3, 3, (1, 1), (1, 1), dtype=DType.FP16)
    placed = Options(alignment=4, placed=(0, 1))  # its inputs are copies, as in the plan

    def asked(**changes: Any) -> Problem:
        return problem(op.replace(**changes), "bias,relu", 4).replace(options=placed)

    served = Served(tracea_register_backend(), "h200", asked(), ONE_BY_ONE, "cuda.contraction.wgmma_windows_fp16")
    for seed, changes in enumerate(({}, {"n": 3, "h": 4, "c": 72, "k": 67})):
        assert served.run(asked(**changes), seed).findings == ()
