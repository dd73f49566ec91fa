# SPDX-License-Identifier: MIT
"""The problems that a backend must get right: every edge of a tile, every way operands lie in memory, every kind of epilogue.

Sizes are primes and tile multiples plus or minus one at the scale of register tiles, because what breaks is an edge, not bulk.
A variant is given the cases of its family and of the types that it claims; one that its requirements exclude is skipped, by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from tracea_core.data import Data
from tracea_core.doctor.image_walk import RequiresFilterForEach, RequiresImageWalk, RequiresOwnPlanes
from tracea_core.doctor.option_given import RequiresOption
from tracea_core.doctor.requirements import RequiresDType
from tracea_core.doctor.row_count import RequiresFewRows
from tracea_core.doctor.variants import Variant
from tracea_core.doctor.winograd import RequiresMinimalFiltering
from tracea_core.dtypes import DType
from tracea_core.ops.activations import (
    Auxiliary,
    BatchNorm,
    BiasAdd,
    GeGLU,
    Gelu,
    Lambda,
    ReLU,
    Residual,
    Scale,
    SwiGLU,
)
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage
from tracea_core.testing.chain_cases import chain_cases
from tracea_core.testing.row_cases import row_cases

_EXACT = Options(allow_fallback=False)
"""A variant is tested in its own types; a fallback would test another one."""
_SHAPES = ((1, 1, 1), (13, 29, 17), (1, 37, 5), (41, 1, 9), (24, 48, 16), (25, 49, 15), (70, 131, 33))
_FEW = _SHAPES[:2]
"""For the types after a variant's first: what differs is how elements are converted, not where they lie."""
_ODD = (11, 23, 7)


class Case(Data, frozen=True):
    """A problem and the name that a test report shows for it."""

    name: str
    problem: Problem


def cases(variant: Variant) -> tuple[Case, ...]:
    """Return every case for `variant`; none for families that no schedule of this core lowers."""
    if variant.family != "contraction":
        own = [dtype for dtype in variant.operand_dtypes if dtype.accumulator is variant.accumulate and dtype.is_float]
        made = row_cases(own) if variant.family == "rowwise" else chain_cases(own) if own else ()
        return tuple(Case(name, problem) for name, problem in made)
    found: list[Case] = []
    for index, dtype in enumerate(variant.operand_dtypes):
        if GemmOp(1, 1, 1, dtype=dtype).accumulator is not variant.accumulate:
            continue
        if any(isinstance(wanted, RequiresFilterForEach) for wanted in variant.requirements):
            found += _filters_of_channels(dtype)
        if any(isinstance(wanted, RequiresOwnPlanes) for wanted in variant.requirements):
            found += _filters_of_planes(dtype)
            continue
            continue
        if any(isinstance(wanted, RequiresFewRows) for wanted in variant.requirements):
            found += _of_few_rows(dtype)
        if any(isinstance(wanted, RequiresMinimalFiltering) for wanted in variant.requirements):
            found += _of_three_taps(dtype)
            continue
        found += _basic(dtype, _SHAPES if index == 0 else _FEW)
        if index == 0:
            found += [*_memory(dtype), *_convolutions(dtype), *(_epilogues(dtype) if dtype.is_float else ())]
            found += _walked(dtype) if any(isinstance(r, RequiresImageWalk) for r in variant.requirements) else ()
    asked = {wanted.name: True for wanted in variant.requirements if isinstance(wanted, RequiresOption)}
    return tuple(_asking(case, asked) for case in (*found, *_mixed(variant)))


def _asking(case: Case, asked: dict[str, bool]) -> Case:
    """The case with the options without which a variant takes nothing."""
    if not asked:
        return case
    return case.replace(problem=case.problem.replace(options=case.problem.options.replace(**asked)))


def _mixed(variant: Variant) -> Iterator[Case]:
    """Products of two types, for a variant that asks for them."""
    asked = {wanted.operand: wanted.dtypes for wanted in variant.requirements if isinstance(wanted, RequiresDType)}
    for a, b in itertools.product(asked.get(0, ()), asked.get(1, ())):
        for shape in _SHAPES if a is not b else ():
            yield Case(
                f"gemm-{a.value}-{b.value}-{'x'.join(map(str, shape))}", gemm(shape, a, b=dense(shape[2:0:-1], b))
            )


def dense(
    shape: Sequence[int], dtype: DType, order: Sequence[int] | None = None, gap: int = 0, step: int = 1
) -> TensorSpec:
    """Return a tensor whose axes lie in memory in `order`, slowest first.

    Parameters
    ----------
    gap : int
        Unused elements after each run of the fastest axis.
    step : int
        Distance of neighbours along the fastest axis.
    """
    strides, reach = [0] * len(shape), step
    for position, axis in enumerate(reversed(tuple(range(len(shape)) if order is None else order))):
        strides[axis] = reach
        reach = reach * max(1, shape[axis]) + (gap if position == 0 else 0)
    return TensorSpec(tuple(shape), dtype, tuple(strides))


def gemm(
    shape: tuple[int, int, int],
    dtype: DType,
    layout: str = "nn",
    batch: tuple[int, ...] = (),
    epilogue: Epilogue = IDENTITY,
    extra: tuple[TensorSpec, ...] = (),
    **places: TensorSpec,
) -> Problem:
    """Return a matrix product; ``t`` in `layout` stores an operand (a, then b) column by column.

    `places` gives ``a``, ``b`` or ``out`` other strides.
    """
    m, n, k = shape
    given = places["b"].dtype if "b" in places else dtype
    op = GemmOp(m, n, k, batch=batch, dtype=dtype, b_dtype=given if given is not dtype else None)
    axes = range(len(batch))
    orders = [(*axes, len(batch) + 1, len(batch)) if letter == "t" else None for letter in layout]
    a = places.get("a", dense((*batch, m, k), dtype, orders[0]))
    b = places.get("b", dense((*batch, k, n), dtype, orders[1]))
    out = places.get("out", dense((*batch, *epilogue.output_shape((m, n))), op.output_dtype()))
    return Problem(op, (a, b), out, epilogue, extra, _EXACT)


def storing(problem: Problem) -> Problem:
    """Return a product that a bias is added to, which is then stored besides its GELU, both as the product was."""
    columns = dense(problem.output.shape[-1:], problem.output.dtype)
    epilogue = parse_epilogue("bias,auxiliary,gelu")
    return problem.replace(epilogue=epilogue, epilogue_inputs=(columns, problem.output))


def _basic(dtype: DType, shapes: tuple[tuple[int, int, int], ...]) -> Iterator[Case]:
    """Shapes and layouts: what every type that a variant claims must survive."""
    name = dtype.value
    for shape in shapes:
        yield Case(f"gemm-{name}-{'x'.join(map(str, shape))}", gemm(shape, dtype))
    yield Case(f"gemm-{name}-empty_k", gemm((5, 19, 0), dtype))
    for layout in ("nt", "tn", "tt"):
        yield Case(f"gemm-{name}-{layout}", gemm((13, 29, 17), dtype, layout))


def _memory(dtype: DType) -> Iterator[Case]:
    """Batches and strides that no allocator makes."""
    m, n, k = _ODD
    out = GemmOp(1, 1, 1, dtype=dtype).output_dtype()
    yield Case("batch", gemm(_ODD, dtype, batch=(2, 3)))
    yield Case("batch-shared-b", gemm(_ODD, dtype, batch=(4,), b=dense((k, n), dtype)))
    yield Case("batch-broadcast-a", gemm(_ODD, dtype, batch=(2, 3), a=dense((2, 1, m, k), dtype)))
    yield Case("strides-gaps", gemm(_ODD, dtype, a=dense((m, k), dtype, gap=3), b=dense((k, n), dtype, gap=1)))
    yield Case("strides-output-gaps", gemm(_ODD, dtype, out=dense((m, n), out, gap=5)))
    a, b = dense((m, k), dtype, gap=-k % 16), dense((k, n), dtype, (1, 0), gap=-k % 16)
    yield Case("strides-aligned", gemm(_ODD, dtype, a=a, b=b, out=dense((m, n), out, gap=-n % 16)))
    yield Case("strides-aligned-columns", gemm(_ODD, dtype, a=a, b=b, out=dense((m, n), out, (1, 0), gap=-m % 16)))
    yield Case("strides-output-transposed", gemm(_ODD, dtype, out=dense((m, n), out, (1, 0), gap=2)))
    yield Case("strides-every-second", gemm(_ODD, dtype, a=dense((m, k), dtype, step=2), b=dense((k, n), dtype, step=2),
                                            out=dense((m, n), out, step=3)))  # fmt: skip
    backwards = TensorSpec((m, k), dtype, (-(k + 2), 1))
    yield Case("strides-backwards", gemm(_ODD, dtype, a=backwards, b=TensorSpec((k, n), dtype, (n, -1))))
    yield Case("strides-one-row", gemm(_ODD, dtype, a=TensorSpec((m, k), dtype, (0, 1))))


def _epilogues(dtype: DType) -> Iterator[Case]:
    """One epilogue of each kind on an edge-rich product, with the output row by row and column by column."""
    m, n, k = 13, 29, 9
    real = DType.FP64 if dtype is DType.FP64 else DType.FP32
    flat = np.ones(n, np.float32)
    stages: dict[str, Stage] = {
        "bias": BiasAdd(flat),
        "relu": ReLU(),
        "gelu": Gelu(),
        "gelu-tanh": Gelu("tanh"),
        "residual": Residual(np.ones((m, n), np.float32)),
        "batchnorm": BatchNorm(flat, flat, flat, flat),
        "rows": Scale(np.ones(m, np.float32), "row"),
        "lambda": Lambda(lambda x: x * 0.5 + 1.0),
        "auxiliary": BiasAdd(flat) | Auxiliary(np.ones((m, n), np.float32)) | Gelu(),
        "chain": BiasAdd(flat) | Gelu() | Residual(np.ones((m, n), np.float32)) | Scale(0.5),
    }
    for name, stage in stages.items():
        epilogue, arrays = stage.bind()
        kinds = [dtype if slot in epilogue.auxiliaries and dtype.is_float else real for slot in range(len(arrays))]
        extra = tuple(dense(np.shape(array), kind) for array, kind in zip(arrays, kinds, strict=True))
        yield Case(f"epilogue-{name}", gemm((m, n, k), dtype, epilogue=epilogue, extra=extra))
        if name in ("bias", "residual", "auxiliary", "chain"):
            out = dense((m, n), GemmOp(1, 1, 1, dtype=dtype).output_dtype(), (1, 0), gap=1)
            yield Case(f"epilogue-{name}-transposed", gemm((m, n, k), dtype, epilogue=epilogue, extra=extra, out=out))
    yield Case("epilogue-gated", gemm((m, 2 * n, k), dtype, epilogue=SwiGLU().epilogue))
    yield Case("epilogue-gated-gelu", gemm((m, 2 * n, k), dtype, epilogue=GeGLU().epilogue))
    both = Auxiliary(np.ones((m, 2 * n), np.float32)) | SwiGLU()
    halves = (dense((m, n), real, gap=n), dense((m, n), real, gap=3))
    yield Case("epilogue-auxiliary-gated", gemm((m, 2 * n, k), dtype, epilogue=both.epilogue, extra=halves))
    pair = Auxiliary(np.ones((m, n), np.float32)) | ReLU() | Auxiliary(np.ones((m, n), np.float32)) | Scale(0.5)
    wide = dense((3, m, n), real, gap=2), dense((3, m, n), real)
    yield Case("epilogue-auxiliary-batch", gemm((m, n, k), dtype, batch=(3,), epilogue=pair.epilogue, extra=wide))


def _convolutions(dtype: DType) -> Iterator[Case]:
    """Convolutions with padding, strides, dilation and groups, channels second and channels last."""
    forms = {
        "3x3": Conv2dOp(2, 5, 7, 9, 6, 3, 3, (1, 1), (1, 1), dtype=dtype),
        "1x1": Conv2dOp(2, 5, 4, 3, 7, 1, 1, dtype=dtype),
        "to-one-pixel": Conv2dOp(3, 4, 3, 2, 6, 3, 2, dtype=dtype),
        "of-one-pixel": Conv2dOp(3, 5, 1, 1, 7, 1, 1, dtype=dtype),
        "one-column": Conv2dOp(2, 4, 5, 1, 6, 3, 1, dtype=dtype),
        "strided": Conv2dOp(1, 4, 9, 8, 5, 3, 2, (2, 1), (2, 0), (1, 2), dtype=dtype),
        "groups": Conv2dOp(2, 6, 5, 6, 4, 3, 3, (1, 1), (1, 1), (1, 1), 2, dtype=dtype),
    }
    bias = BiasAdd(np.ones(1, np.float32)) | ReLU()
    twice = BiasAdd(np.ones(1, np.float32)) | Auxiliary(np.ones(1, np.float32)) | Gelu()
    for name, op in forms.items():
        for order, word in (((0, 1, 2, 3), "nchw"), ((0, 2, 3, 1), "channels_last")):
            tensors = [dense(shape, dtype, order) for shape in op.input_shapes()]
            out = dense(op.output_shape(), op.output_dtype(), order)
            yield Case(f"conv-{name}-{word}", Problem(op, tuple(tensors), out, options=_EXACT))
            if name == "3x3" and dtype.is_float:
                real = DType.FP64 if dtype is DType.FP64 else DType.FP32
                extra = (dense((op.output_shape()[1],), real),)
                fused = Problem(op, tuple(tensors), out, bias.epilogue, extra, _EXACT)
                yield Case(f"conv-{name}-bias-relu-{word}", fused)
                stored = Problem(op, tuple(tensors), out, twice.epilogue, (*extra, out), _EXACT)
                yield Case(f"conv-{name}-auxiliary-{word}", stored)


def _walked(dtype: DType) -> Iterator[Case]:
    """Channels-last convolutions whose pixels are whole runs of 16 bytes, for a copy engine that walks over their windows."""
    run = 16 // dtype.bytes
    forms = {
        "3x3": Conv2dOp(2, 5 * run, 7, 9, 2 * run, 3, 3, (1, 1), (1, 1), dtype=dtype),
        "1x1-strided": Conv2dOp(2, 8 * run, 5, 4, 9 * run, 1, 1, (2, 1), dtype=dtype),
        "dilated": Conv2dOp(3, 9 * run, 9, 8, 3 * run, 3, 2, (2, 1), (2, 0), (1, 2), dtype=dtype),
        "groups": Conv2dOp(2, 15 * run, 7, 9, 6 * run, 3, 3, (2, 1), (1, 1), groups=3, dtype=dtype),
    }
    for name, op in forms.items():
        images, filters = (dense(shape, dtype, (0, 2, 3, 1)) for shape in op.input_shapes())
        out = dense(op.output_shape(), op.output_dtype(), (0, 2, 3, 1))
        yield Case(f"conv-walked-{name}", Problem(op, (images, filters), out, options=_EXACT))


def _of_three_taps(dtype: DType) -> Iterator[Case]:
    """Convolutions of enough pixels to repay turned filters: odd lines and channels, planes and channels-last, with an epilogue."""
    for order, word in ((None, "planes"), ((0, 2, 3, 1), "last")):
        op = Conv2dOp(2, 19, 15, 9, 70, 3, 3, padding=(1, 2), dtype=dtype)
        tensors = [dense(shape, dtype, order) for shape in (*op.input_shapes(), op.output_shape())]
        chain = BiasAdd(np.ones(1, np.float32)) | ReLU()
        extra = (dense((70,), dtype),)
        yield Case(f"conv-turned-{word}", Problem(op, tuple(tensors[:2]), tensors[2], chain.epilogue, extra, _EXACT))


def _filters_of_channels(dtype: DType) -> Iterator[Case]:
    """Channels-last convolutions with one filter for each channel: lines of one strip, of several, and long ones."""
    forms = {
        "7x7": Conv2dOp(2, 21, 7, 7, 21, 7, 7, (1, 1), (3, 3), groups=21, dtype=dtype),
        "3x3": Conv2dOp(1, 35, 4, 33, 35, 3, 3, (1, 1), (1, 1), groups=35, dtype=dtype),
        "dilated": Conv2dOp(3, 9, 9, 8, 9, 3, 2, (2, 1), (2, 0), (1, 2), 9, dtype=dtype),
        "long": Conv2dOp(2, 18, 3, 150, 18, 2, 3, (1, 1), (0, 1), groups=18, dtype=dtype),
    }
    for name, op in forms.items():
        yield from _each(f"conv-each-{name}", op, (0, 2, 3, 1))


def _of_few_rows(dtype: DType) -> Iterator[Case]:
    """Products of so few rows that memory is what they wait for: deep and shallow ones, by weights along either axis, with an epilogue."""
    for m, n, k in ((1, 300, 1032), (3, 129, 520), (8, 64, 260), (13, 40, 384), (16, 1100, 24)):
        for layout in ("nt", "nn"):
            yield Case(f"gemm-rows-{layout}-{m}x{n}x{k}", gemm((m, n, k), dtype, layout))
    epilogue, arrays = (BiasAdd(np.ones(96, np.float32)) | ReLU()).bind()
    extra = tuple(dense(np.shape(array), dtype) for array in arrays)
    yield Case("gemm-rows-fused", gemm((5, 96, 200), dtype, "nt", epilogue=epilogue, extra=extra))
    yield Case("gemm-rows-batch", gemm((2, 72, 64), dtype, "nt", (3,)))
    yield Case("gemm-rows-vector", gemm((260, 1, 96), dtype, "nn"))


def _filters_of_planes(dtype: DType) -> Iterator[Case]:
    """Convolutions of planes with filters for each: lines of one piece, of several, and at a stride."""
    forms = {
        "7x7": Conv2dOp(9, 2, 7, 7, 2, 7, 7, (1, 1), (3, 3), groups=2, dtype=dtype),
        "3x3": Conv2dOp(1, 3, 6, 36, 3, 3, 3, (1, 1), (1, 1), groups=3, dtype=dtype),
        "strided": Conv2dOp(3, 2, 9, 21, 4, 3, 2, (2, 2), (2, 0), (1, 2), 2, dtype=dtype),
    }
    for name, op in forms.items():
        yield from _each(f"conv-planes-{name}", op, None)


def _each(name: str, op: Conv2dOp, order: tuple[int, ...] | None) -> Iterator[Case]:
    """A convolution of tensors in one order alone, with a bias, and with what a gradient wants to know."""
    dtype, bias = op.dtype, BiasAdd(np.ones(1, np.float32)) | ReLU()
    images, filters = (dense(shape, dtype, order) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), order)
    yield Case(name, Problem(op, (images, filters), out, options=_EXACT))
    extra = (dense((op.k,), DType.FP64 if dtype is DType.FP64 else DType.FP32),)
    yield Case(f"{name}-bias-relu", Problem(op, (images, filters), out, bias.epilogue, extra, _EXACT))
    if dtype.is_float:
        stored = (BiasAdd(np.ones(1, np.float32)) | Auxiliary(np.ones(1, np.float32)) | Gelu()).epilogue
        yield Case(f"{name}-auxiliary", Problem(op, (images, filters), out, stored, (*extra, out), _EXACT))
