# SPDX-License-Identifier: MIT
"""Random forms of chains and of rows: attention under every mask, low-rank products, softmax and norms.

A form fixes what a kernel is printed for: the mask's kind, where columns lie, what stands between the contractions and behind them.
Everything else is drawn for each problem: lengths (of queries and of keys, each sequence's own), heads and how many of them share keys,
windows, columns, rows and gaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from msgspec import UNSET
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.ops.activations import BiasAdd, Gelu, ReLU, Residual, Scale, SiLU
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage
from tracea_core.testing.cases import dense
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import RowOp, row_problem

from benchmarks.fuzz_shares import takes

Fused: TypeAlias = tuple[str, Callable[[np.random.Generator], Problem]]
"""A form in words, and what draws one of its problems."""
MASKS = ("full", "causal", "window", "causal, window")
ROWS = ("softmax", "layer_norm", "log_softmax", "rms_norm", "normalize")
_EDGES = (1, 8, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129)
_COLUMNS = (16, 32, 64, 128)
"""How far columns of heads and ranks of a form go: those of one order mostly share a tile, and so a kernel."""
_LENGTHS = (32, 129, 400, 1500)
"""How long rows of a form are, at most: a lane holds its part of the shorter ones, and the longer ones are swept."""
_MOST = 6_000_000
"""Operations of a chain: the emulator takes a second for some millions."""
_ELEMENTS = 9000
"""Of all rows of a problem."""
_DRAWS = 100
_Choice = TypeVar("_Choice")
_Op = TypeVar("_Op", AttentionOp, LowRankOp)


def chains(variant: Variant, dtype: DType, turn: int, random: np.random.Generator) -> Fused:
    """Return a form of a chain that the kind of kernel takes, with another mask or activation than the kernels in the turns before."""
    served = [draw for op, draw in ((AttentionOp, _attention), (LowRankOp, _low_rank)) if takes(variant, op)]
    return served[turn % len(served)](dtype, turn // len(served), random)


def _attention(dtype: DType, turn: int, random: np.random.Generator) -> Fused:
    mask = MASKS[turn % len(MASKS)]
    memory = _one(random, ("plain", "plain", "heads inside", "columns apart"))
    reach, ragged, own_values = _one(random, _COLUMNS), bool(random.random() < 0.5), bool(random.random() < 0.3)
    tail = _one(random, (None, None, "bias, gelu", "residual, relu"))
    scale = float(np.float32(random.uniform(0.1, 0.5)))
    bias = _one(random, (UNSET, UNSET, UNSET, dtype, DType.UINT8))
    spread = [bool(random.random() < 0.4) for _ in range(4)]
    stored = DType.FP32 if random.random() < 0.2 else None
    words = f"attention {dtype.value} {mask}, {memory}{', ragged' if ragged else ''}, up to {reach} columns"
    words += (
        f"{', values of their own' if own_values else ''}{f', {tail}' if tail else ''}{' -> fp32' if stored else ''}"
    )
    words += "" if bias is UNSET else f", mask of {bias.value}, spread {''.join('01'[axis] for axis in spread)}"

    def op_of(random: np.random.Generator) -> AttentionOp:
        step = 1 if ragged else 8
        width = _extent(random, reach, step)
        heads = int(random.integers(1, 5))
        shared = _one(random, [count for count in range(1, heads + 1) if heads % count == 0])
        queries = 1 if random.random() < 0.15 else _extent(random, 150)
        left, right = (int(random.integers(0, 70)) if "window" in mask else None for _ in range(2))
        return AttentionOp(
            int(random.integers(1, 4)), heads, queries, _extent(random, 180), width,
            _extent(random, reach, step) if own_values else None, shared, "causal" in mask, left,
            None if "causal" in mask else right, scale, dtype=dtype, out_dtype=stored, bias=bias,
        )  # fmt: skip

    def draw(random: np.random.Generator) -> Problem:
        op = _few(op_of, random)
        names = [f"input{i}" for i in range(3)] + ["out"]
        shapes, kinds = (*op.input_shapes()[:3], op.output_shape()), (*op.input_dtypes()[:3], op.output_dtype())
        mask_shape = op.input_shapes()[-1]
        order = {"plain": (0, 1, 2, 3), "heads inside": (0, 2, 1, 3), "columns apart": (0, 1, 3, 2)}[memory]
        longer = int(random.integers(0, 40)) if random.random() < 0.5 else 0  # sequences are parts of longer ones
        places = {
            name: _part(dense(_longer(shape, longer if name in names[1:3] else 0), kind, order), shape)
            for name, shape, kind in zip(names, shapes, kinds, strict=True)
        }
        if bias is not UNSET:
            own = [1 if alike else extent for alike, extent in zip(spread, mask_shape, strict=True)]
            steps = tuple(math.prod(own[axis + 1 :]) if extent > 1 else 0 for axis, extent in enumerate(own))
            places["input3"] = TensorSpec(mask_shape, bias, steps)
        return _with(chain_problem(op, **places), tail)

    return words, draw


def _low_rank(dtype: DType, turn: int, random: np.random.Generator) -> Fused:
    middle = (IDENTITY, ReLU().epilogue, Gelu().epilogue, SiLU().epilogue)[turn % 4]
    layout = [bool(random.random() < 0.4) for _ in range(3)]
    across, batch = bool(random.random() < 0.2), bool(random.random() < 0.3)
    reach, ragged = _one(random, _COLUMNS), bool(random.random() < 0.5)
    tail = _one(random, (None, None, "bias, gelu", "residual, relu"))
    words = f"low rank {dtype.value} {''.join('t' if turned else 'n' for turned in layout)}{' batch' if batch else ''}"
    words += f"{' ragged' if ragged else ''} up to rank {reach}, {middle.describe() or 'nothing'} between{f', {tail}' if tail else ''}"

    def op_of(random: np.random.Generator) -> LowRankOp:
        step = 1 if ragged else 8
        m, n, k = (_extent(random, 180, step) for _ in range(3))
        lead = (int(random.integers(2, 4)),) if batch else ()
        return LowRankOp(m, n, k, _extent(random, reach, step), lead, middle, dtype)

    def draw(random: np.random.Generator) -> Problem:
        op = _few(op_of, random)
        gap = _one(random, (0, 0, 1, 3)) * (1 if ragged else 8)
        places = {
            f"input{i}": _matrices(shape, dtype, turned, gap)
            for i, (shape, turned) in enumerate(zip(op.input_shapes(), layout, strict=True))
        }
        places["out"] = _matrices(op.output_shape(), op.output_dtype(), across, gap)
        return _with(chain_problem(op, **places), tail)

    return words, draw


def rows(variant: Variant, dtype: DType, turn: int, random: np.random.Generator) -> Fused:
    """Return a form of rows; kernels in turn compute every op in turn."""
    name = ROWS[turn % len(ROWS)]
    memory = _one(random, ("plain", "plain", "gaps", "every second", "transposed", "permuted", "one for all"))
    lead, reach = (
        _one(random, (0, 1, 1, 1, 3)) if memory == "plain" else 2 if memory == "permuted" else 1,
        _one(random, _LENGTHS),
    )
    tail = _one(random, (None, None, "bias, gelu", "residual, relu", "rows", "scale"))
    stored = DType.FP32 if dtype.bytes == 2 and random.random() < 0.2 else None
    factor = float(np.float32(random.uniform(-1.5, 1.5)))
    weight, bias = (bool(random.random() < share) for share in (0.8, 0.5))
    words = f"{name} {dtype.value}{' -> fp32' if stored else ''}, {memory}, {lead} leading axes, up to {reach} columns"
    words += f"{f', {tail}' if tail else ''}"

    def op_of(random: np.random.Generator) -> RowOp:
        columns = _extent(random, reach)
        most = max(_ELEMENTS // columns, 1)
        shape = [1] * lead
        for axis in random.permutation(lead):
            shape[axis] = int(random.integers(1, min(40, most // math.prod(shape)) + 1))
        whole = (*shape, columns)
        if name.endswith("softmax"):
            return SoftmaxOp(whole, dtype, stored, name.startswith("log"), factor)
        if name == "normalize":
            return NormalizeOp(whole, dtype=dtype, out_dtype=stored)
        kind = NormKind.LAYER if name == "layer_norm" else NormKind.RMS
        return NormOp(whole, kind, weight=weight, bias=bias, dtype=dtype, out_dtype=stored)

    def draw(random: np.random.Generator) -> Problem:
        op = op_of(random)
        shape, gap = op.output_shape(), int(random.integers(1, 20))
        x = out = None
        if memory == "gaps":
            x, out = dense(shape, dtype, None, gap), dense(shape, op.output_dtype(), None, int(random.integers(1, 20)))
        elif memory == "every second":
            x = dense(shape, dtype, None, gap, 2)
        elif memory == "transposed":
            x, out = dense(shape, dtype, (1, 0), gap), dense(shape, op.output_dtype(), (1, 0))
        elif memory == "permuted":
            x = dense(shape, dtype, (1, 0, 2))
        elif memory == "one for all":
            x = TensorSpec(shape, dtype, (0, 1))
        return _with(row_problem(op, x, out), tail)

    return words, draw


def _with(problem: Problem, tail: str | None) -> Problem:
    """The problem with an epilogue, whose operands lie as arrays do."""
    if tail is None:
        return problem
    shape = problem.output.shape
    flat, full = np.ones(shape[-1:], np.float32), np.ones(shape, np.float32)
    made: dict[str, Callable[[], Stage]] = {
        "bias, gelu": lambda: BiasAdd(flat) | Gelu(),
        "residual, relu": lambda: Residual(full) | ReLU(),
        "rows": lambda: Scale(np.ones(shape[-2:-1], np.float32), "row"),
        "scale": lambda: Scale(0.25) | SiLU(),
    }
    if tail == "rows" and len(shape) < 2:
        return problem
    epilogue, arrays = made[tail]().bind()
    real = DType.FP64 if problem.inputs[0].dtype is DType.FP64 else DType.FP32
    return problem.replace(epilogue=epilogue, epilogue_inputs=tuple(dense(np.shape(array), real) for array in arrays))


def _few(draw: Callable[[np.random.Generator], _Op], random: np.random.Generator) -> _Op:
    """An op of at most so many operations, or the smallest of many draws."""
    drawn = []
    for _ in range(_DRAWS):
        drawn.append(draw(random))
        if drawn[-1].flops() <= _MOST:
            return drawn[-1]
    return min(drawn, key=lambda op: op.flops())


def _matrices(shape: Sequence[int], dtype: DType, turned: bool, gap: int) -> TensorSpec:
    """Matrices by rows or by columns, with a gap behind each row and, in a batch, behind each matrix."""
    lead = len(shape) - 2
    spec = dense(shape, dtype, (*range(lead), lead + 1, lead) if turned else None, gap)
    return TensorSpec(spec.shape, dtype, (spec.strides[0] + 16, *spec.strides[1:])) if lead else spec


def _longer(shape: Sequence[int], more: int) -> tuple[int, ...]:
    return (*shape[:2], shape[2] + more, shape[3])


def _part(spec: TensorSpec, shape: Sequence[int]) -> TensorSpec:
    """The first positions of longer sequences."""
    return TensorSpec(tuple(shape), spec.dtype, spec.strides)


def _extent(random: np.random.Generator, most: int, step: int = 1) -> int:
    """Around what instructions and tiles are, or anything, up to `most`."""
    near = _one(random, [edge for edge in _EDGES if edge <= most])
    extent = near if random.random() < 0.4 else int(random.integers(1, most + 1))
    return max(-(-extent // step) * step, 1)


def _one(random: np.random.Generator, choices: Sequence[_Choice]) -> _Choice:
    return choices[int(random.integers(len(choices)))]
