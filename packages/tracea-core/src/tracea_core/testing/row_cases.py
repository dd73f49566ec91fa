# SPDX-License-Identifier: MIT
"""The row-wise problems that a backend must get right: every length around a vector, every way rows lie in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.ops.activations import BiasAdd, Gelu, ReLU, Residual, Scale
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage

RowOp = SoftmaxOp | NormOp | NormalizeOp
_EXACT = Options(allow_fallback=False)
_SHAPES = ((1, 1), (7, 3), (5, 8), (3, 31), (4, 32), (9, 33), (2, 70), (3, 257), (1, 1500), (11, 40))
_FEW = ((7, 3), (9, 33), (11, 40))
_OPS: dict[str, Callable[[tuple[int, ...], DType], RowOp]] = {
    "softmax": lambda shape, dtype: SoftmaxOp(shape, dtype),
    "log_softmax": lambda shape, dtype: SoftmaxOp(shape, dtype, log=True, scale=0.5),
    "layer_norm": lambda shape, dtype: NormOp(shape, NormKind.LAYER, bias=True, dtype=dtype),
    "rms_norm": lambda shape, dtype: NormOp(shape, NormKind.RMS, dtype=dtype),
    "normalize": lambda shape, dtype: NormalizeOp(shape, dtype=dtype),
}


def row_cases(dtypes: Sequence[DType]) -> Iterator[tuple[str, Problem]]:
    """Yield (name, problem): all shapes in the first type, which meets every layout and epilogue too; a few in the others."""
    for index, dtype in enumerate(dtypes):
        for name, make in _OPS.items():
            for shape in _SHAPES if index == 0 else _FEW:
                yield f"{name}-{dtype.value}-{'x'.join(map(str, shape))}", row_problem(make(shape, dtype))
    yield from _memory(dtypes[0])
    yield from _epilogues(dtypes[0])


def row_problem(
    op: RowOp, x: TensorSpec | None = None, out: TensorSpec | None = None, epilogue: Epilogue = IDENTITY,
    extra: tuple[TensorSpec, ...] = (),
) -> Problem:  # fmt: skip
    """Return the problem of a row-wise op, with contiguous tensors but for those that are given."""
    plain = [TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True)]
    output = out or TensorSpec.contiguous(op.output_shape(), op.output_dtype())
    return Problem(op, (x or plain[0], *plain[1:]), output, epilogue, extra, _EXACT)


def _memory(dtype: DType) -> Iterator[tuple[str, Problem]]:
    softmax, layer = _OPS["softmax"], _OPS["layer_norm"]

    def spec(shape: tuple[int, ...], strides: tuple[int, ...]) -> TensorSpec:
        return TensorSpec(shape, dtype, strides)

    yield "rows-vector", row_problem(softmax((37,), dtype))
    yield "rows-gaps", row_problem(softmax((6, 37), dtype), spec((6, 37), (41, 1)), spec((6, 37), (50, 1)))
    yield "rows-every-second", row_problem(layer((6, 37), dtype), spec((6, 37), (80, 2)), spec((6, 37), (37, 1)))
    yield "rows-transposed", row_problem(layer((6, 37), dtype), spec((6, 37), (1, 6)), spec((6, 37), (1, 7)))
    yield "rows-backwards", row_problem(softmax((6, 37), dtype), spec((6, 37), (-37, 1)))
    yield "rows-one-for-all", row_problem(softmax((6, 37), dtype), spec((6, 37), (0, 1)))
    yield "rows-batch", row_problem(softmax((2, 3, 5, 19), dtype))
    permuted = spec((3, 5, 19), (19, 3 * 19, 1))
    yield "rows-permuted", row_problem(layer((3, 5, 19), dtype), permuted)
    yield "rows-permuted-runs", row_problem(layer((3, 5, 24), dtype), spec((3, 5, 24), (24, 3 * 24, 1)))
    yield "rows-long", row_problem(softmax((2, 8296), dtype))
    yield "rows-permuted-output", row_problem(softmax((3, 5, 19), dtype), None, permuted)


def _epilogues(dtype: DType) -> Iterator[tuple[str, Problem]]:
    rows, columns = 6, 37
    real = DType.FP64 if dtype is DType.FP64 else DType.FP32
    full, flat, down = np.ones((rows, columns), np.float32), np.ones(columns, np.float32), np.ones(rows, np.float32)
    stages: dict[str, Stage] = {
        "residual-relu": Residual(full) | ReLU(),
        "bias-gelu": BiasAdd(flat) | Gelu(),
        "rows": Scale(down, "row"),
        "scale": Scale(0.25),
    }
    for name, stage in stages.items():
        epilogue, arrays = stage.bind()
        extra = tuple(TensorSpec.contiguous(np.shape(array), real) for array in arrays)
        for op in ("softmax", "layer_norm"):
            made = _OPS[op]((rows, columns), dtype)
            yield f"rows-{op}-{name}", row_problem(made, epilogue=epilogue, extra=extra)
