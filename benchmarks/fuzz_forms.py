# SPDX-License-Identifier: MIT
"""What random problems of one kernel share, and how one of them is drawn: layouts, batches, epilogues, convolutions, ragged groups.

A form depends on the seed and its number; `benchmarks.fuzz_fused` draws those of chains and of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tracea_core.doctor.few_rows import FEW_ROWS
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.ops.activations import Auxiliary, BatchNorm, BiasAdd, Gelu, Lambda, ReLU, Residual, Scale, SiLU, SwiGLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage, join
from tracea_core.target import Target
from tracea_core.testing.cases import dense

from benchmarks import fuzz_fused
from benchmarks.fuzz_shares import Kind, family_of, kind_of, takes, turn_of

EXACT = Options(allow_fallback=False)
_DRAWS = 60
_APART = 1000
"""How far apart the numbers are of forms that are tried for one kernel."""
Draw = Callable[[np.random.Generator], Problem]


@dataclass(frozen=True)
class Form:
    """What problems of one kernel share; `draw` makes one of them with random sizes."""

    target: Target
    variant: Variant
    words: str
    draw: Draw


def form_of(seed: int, number: int, listed: Sequence[Kind], again: int = 0) -> Form:
    """Return what the problems of kernel `number` share: of the kind that `fuzz_shares` says, and `again` another form of it."""
    random = np.random.default_rng((seed, number + again * _APART, 1))
    target, variant = kind_of(seed, number, listed)
    dtype = variant.operand_dtypes[int(random.integers(len(variant.operand_dtypes)))]
    turn, family = turn_of(seed, number, listed), family_of(number, listed)
    if family != "contraction":
        made = fuzz_fused.rows if family == "rowwise" else fuzz_fused.chains
        return Form(target, variant, *made(variant, dtype, turn, random))
    if variant.schedule in ("depthwise", "planes", "plane_lanes"):
        return _convolutions(target, variant, dtype, random)
    if turn % 6 == 5 and takes(variant, GroupedGemmOp):
        return _groups(target, variant, dtype, random)
    if random.random() < 0.25 and takes(variant, Conv2dOp):
        return _convolutions(target, variant, dtype, random)
    return _products(target, variant, dtype, random)


def _products(target: Target, variant: Variant, dtype: DType, random: np.random.Generator) -> Form:
    ragged = bool(random.random() < 0.4)
    few = variant.schedule == FEW_ROWS
    layout = str(random.choice(["nn", "nt"] if few else ["nn", "nt", "tn", "tt"]))
    batch = bool(random.random() < 0.25)
    tail = int(random.integers(11)) if dtype.is_float and random.random() < 0.7 else -1
    across = bool(random.random() < 0.2)
    exchanged = variant.schedule == "warp_specialized" and bool(random.random() < 0.4)
    words = f"{dtype.value} {layout}{' batch' if batch else ''}{' ragged' if ragged else ''}{f' tail {tail}' if tail >= 0 else ''}"
    words += " exchanged" if exchanged else ""
    options = EXACT.replace(exchanged=exchanged)

    def draw(random: np.random.Generator) -> Problem:
        step = 1 if ragged else 8
        m, n, k = (_extent(random, step) for _ in range(3))
        if exchanged:  # few rows
            m, n = int(random.choice([1, 2, 3, 8, 16, 17, 24, 31, 48, 65])), 4 * n
        if few:
            m, k = int(random.integers(1, 9 if ragged and layout == "nn" else 17)), k * int(random.choice([1, 1, 2, 8]))
        lead = (int(random.integers(2, 4)),) if batch else ()
        epilogue, extra = _epilogue(tail, lead, m, n)
        op = GemmOp(m, n * (2 if epilogue.gated else 1), k, batch=lead, dtype=dtype)
        axes = tuple(range(len(lead)))
        orders = [(*axes, len(axes) + 1, len(axes)) if letter == "t" else None for letter in layout]

        def gap() -> int:
            return step * int(random.choice([0, 0, 1, 3]))

        a = dense((*lead, m, k), dtype, orders[0], gap())
        b = dense((*lead, k, op.n), dtype, orders[1], gap())
        out = dense((*lead, m, n), op.output_dtype(), (*axes, len(axes) + 1, len(axes)) if across else None, gap())
        return Problem(op, (a, b), out, epilogue, extra, options)

    return Form(target, variant, words, draw)


def _extent(random: np.random.Generator, step: int) -> int:
    """Around what instructions and tiles are, or anything up to a tile and a half."""
    near = int(random.choice([1, 8, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129]))
    extent = near if random.random() < 0.4 else int(random.integers(1, 180))
    return max(-(-extent // step) * step, 1)


def _epilogue(tail: int, lead: tuple[int, ...], m: int, n: int) -> tuple[Epilogue, tuple[TensorSpec, ...]]:
    if tail < 0:
        return IDENTITY, ()
    flat, full = np.ones(n, np.float32), np.ones((*lead, m, n), np.float32)
    stages: list[Callable[[], Stage]] = [
        lambda: BiasAdd(flat) | ReLU(),
        lambda: BiasAdd(flat) | Gelu(),
        lambda: Gelu("tanh"),
        lambda: Residual(full) | SiLU(),
        lambda: BatchNorm(flat, flat, flat, flat) | ReLU(),
        lambda: Scale(np.ones(m, np.float32), "row"),
        lambda: BiasAdd(flat) | Gelu() | Residual(full) | Scale(0.5),
        lambda: Lambda(lambda x: np.where(x > 0.25, x, x * 0.125) / (1 + abs(x))),
        lambda: SwiGLU(),
        lambda: BiasAdd(flat) | Auxiliary(full) | Gelu(),
        lambda: Auxiliary(np.ones((*lead, m, 2 * n), np.float32)) | SwiGLU(),
    ]
    epilogue, arrays = stages[tail]().bind()
    return epilogue, tuple(dense(np.shape(array), DType.FP32) for array in arrays)


def _groups(target: Target, variant: Variant, dtype: DType, random: np.random.Generator) -> Form:
    """Rows that fall into ragged groups, whose ends are drawn where the kernel runs."""
    layout, tail = str(random.choice(["n", "t"])), bool(random.random() < 0.5) and dtype.is_float
    words = f"grouped {dtype.value} weights {layout}{' bias, relu' if tail else ''}"

    def draw(random: np.random.Generator) -> Problem:
        m, n, k = int(random.integers(1, 500)), _extent(random, 8), _extent(random, 8)
        op = GroupedGemmOp(m, int(random.integers(1, 12)), n, k, dtype=dtype)
        weights = dense((op.groups, k, n), dtype, (0, 2, 1) if layout == "t" else None)
        inputs = (dense((m, k), dtype), weights, dense((op.groups,), DType.INT32))
        epilogue, extra = IDENTITY, ()
        if tail:
            epilogue, extra = join(bias(), ReLU().bind()[0]), (dense((op.groups, n), DType.FP32),)
        return Problem(op, inputs, dense((m, n), op.output_dtype()), epilogue, extra, EXACT)

    return Form(target, variant, words, draw)


def _convolutions(target: Target, variant: Variant, dtype: DType, random: np.random.Generator) -> Form:
    own = variant.schedule in ("depthwise", "planes", "plane_lanes")
    last = variant.schedule == "depthwise" or (not own and bool(random.random() < 0.5))
    r, s, groups = int(random.integers(1, 4)), int(random.integers(1, 4)), int(random.choice([1, 1, 2]))
    deep, each = (int(random.choice([1, 1, 1, 2, 3])), int(random.choice([1, 1, 2]))) if own else (0, 0)
    channels = 8 * int(random.integers(1, 9)) + int(random.choice([0, 0, 1]))
    stride, padding, dilation = (tuple(int(x) for x in random.integers(low, 3, 2)) for low in (1, 0, 1))
    tail = bool(random.random() < 0.5) and dtype.is_float
    if variant.schedule.startswith("plane"):
        deep, dilation = 1, (1, 1)
    words = f"conv {r}x{s} {dtype.value} groups {groups} {'channels last' if last else 'channels second'}"
    words += f" stride {stride} padding {padding} dilation {dilation}"

    def draw(random: np.random.Generator) -> Problem:
        c, k = groups * int(random.integers(2, 9)), groups * int(random.integers(2, 24))
        if own:  # the distance of pixels is a part of the form
            c, k = channels * deep, channels * each
        h, w = ((size - 1) * d + 2 + int(random.integers(0, 9)) for size, d in zip((r, s), dilation, strict=True))
        parts = channels if own else groups
        op = Conv2dOp(int(random.integers(1, 3)), c, h, w, k, r, s, stride, padding, dilation, parts, dtype=dtype)
        order = (0, 2, 3, 1) if last else (0, 1, 2, 3)
        tensors = tuple(dense(shape, dtype, order) for shape in op.input_shapes())
        epilogue, arrays = (BiasAdd(np.ones(k, np.float32)) | ReLU()).bind() if tail else (IDENTITY, ())
        extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
        return Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), order), epilogue, extra, EXACT)

    return Form(target, variant, words, draw)


def small(draw: Draw, most: int) -> Draw:
    """Return a draw of problems of at most so many operations, or the smallest of many draws."""

    def again(random: np.random.Generator) -> Problem:
        drawn = []
        for _ in range(_DRAWS):
            drawn.append(draw(random))
            if drawn[-1].flops() <= most:
                return drawn[-1]
        return min(drawn, key=lambda problem: problem.flops())

    return again
