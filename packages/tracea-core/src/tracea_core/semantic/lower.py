# SPDX-License-Identifier: MIT
"""From a problem to its contraction form and the values of its symbols.

Everything that shapes the schedule is decided from the strides here: a stride of 1 becomes a constant, batch axes that
one stride describes are merged, a batch that shares its weights is folded into the rows, and the output is transposed
when its rows are contiguous instead of its columns, so that stores are whole vectors. What remains are symbols: any
shape of the class runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.pixels import rows_are_pixels
from tracea_core.ops.problem import Problem
from tracea_core.ops.scaled import ScaledGemmOp
from tracea_core.ops.sparse import BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import Contraction, Term
from tracea_core.semantic.index import Const, Index, Sym
from tracea_core.semantic.kernel import Direction, Parameter, Symbol
from tracea_core.semantic.quotient import reciprocals


class Lowered(Data, frozen=True):
    """A contraction and the values its symbols take for one problem.

    `operands` says what each pointer parameter is: ``input0``, ``input1``, ``output``, ``epilogue0``, …
    """

    contraction: Contraction
    values: tuple[tuple[str, int], ...]
    operands: tuple[str, ...]

    @property
    def form(self) -> Contraction:
        """The contraction, under the name that all families share."""
        return self.contraction

    @property
    def symbols(self) -> dict[str, int]:
        """The values by name, with the reciprocals of those that coordinates are divided by."""
        values = dict(self.values)
        return values | reciprocals(values, self.contraction.divisors)


def lower(problem: Problem, *, pixels: bool = False, walked: bool = False) -> Lowered:
    """Return the contraction form of `problem`.

    Parameters
    ----------
    pixels : bool
        Rows of a convolution are the output pixels of all images where its tensors are channels-last; else, and where they are not,
        they are output channels (`tracea_core.semantic.lower_pixels`).
    walked : bool
        A copy engine walks over windows: of gradients of filters too (`tracea_core.semantic.lower_filters`), to pixels at any distances.

    Raises
    ------
    UnsupportedError
        If the op is not of the contraction family, or no lowering knows it.
    """
    from tracea_core.semantic import (
        lower_conv,
        lower_filters,
        lower_gemm,
        lower_grouped,
        lower_pixels,
        lower_scaled,
        lower_sparse,
    )
    from tracea_core.semantic.lower_sums import with_sums, without_sums

    if isinstance(problem.op, GemmOp) and problem.op.beta and problem.epilogue.gated:
        raise UnsupportedError("beta cannot be combined with a gated epilogue", op="matmul", hint="Add c afterwards")
    asked = plain_problem(problem)
    plain = without_sums(asked)
    if isinstance(plain.op, GemmOp):
        lowered = lower_gemm.lower_gemm(plain)
    elif isinstance(plain.op, GroupedGemmOp):
        lowered = lower_grouped.lower_grouped(plain)
    elif isinstance(plain.op, ScaledGemmOp):
        lowered = lower_scaled.lower_scaled(plain)
    elif isinstance(plain.op, BlockSparseGemmOp):
        lowered = lower_sparse.lower_sparse(plain)
    elif isinstance(plain.op, Conv2dFiltersOp):
        lowered = lower_filters.lower_filters(plain, in_place=not pixels, walked=walked)
    elif pixels and rows_are_pixels(plain, walked):
        lowered = lower_pixels.lower_pixels(plain)
    elif isinstance(plain.op, Conv2dOp):
        lowered = lower_conv.lower_conv2d(plain)
    else:
        raise UnsupportedError(
            f"{type(plain.op).__name__} has no contraction form", hint="Use PyTorch for it, or another op"
        )
    lowered = with_sums(lowered, asked)
    return lowered.replace(operands=operand_names(lowered.operands, problem, asked))


def plain_problem(problem: Problem) -> Problem:
    """Return the normalized problem, with settled strides."""
    plain = problem.normalized()
    return plain.replace(
        inputs=tuple(spec.settled() for spec in plain.inputs),
        output=plain.output.settled(),
        epilogue_inputs=tuple(spec.settled() for spec in plain.epilogue_inputs),
    )


def operand_names(names: Sequence[str], problem: Problem, plain: Problem) -> tuple[str, ...]:
    """Return what tensors of a normalized problem (``input0``, ``epilogue1``, ``output``) are called in the original one."""
    return tuple(_place(name, problem, plain) for name in names)


def _place(name: str, problem: Problem, plain: Problem) -> str:
    """What a tensor of the normalized problem is in the original one; both list inputs, then epilogue operands, in one order."""
    if name == "output":
        return name
    index = int(name.removeprefix("input").removeprefix("epilogue"))
    index += 0 if name.startswith("input") else len(plain.inputs)
    given = len(problem.inputs)
    return f"input{index}" if index < given else f"epilogue{index - given}"


class SymbolTable:
    """Collects dynamic symbols with their values; strides of 1 become constants."""

    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self.values: list[tuple[str, int]] = []

    def extent(self, name: str, value: int, meaning: str, minimum: int = 0) -> Index:
        """Declare a size."""
        self.symbols.append(Symbol(name, minimum=minimum, meaning=meaning))
        self.values.append((name, value))
        return Sym(name)

    def stride(self, name: str, value: int, meaning: str) -> Index:
        """Declare a distance in elements; 1 is fixed in the form, because it decides how lanes reach memory."""
        if value == 1:
            return Const(1)
        self.symbols.append(Symbol(name, minimum=-(2**62), meaning=meaning))
        self.values.append((name, value))
        return Sym(name)


class Axis(Data, frozen=True):
    """One batch axis: its extent, and the stride of every tensor along it."""

    extent: int
    strides: tuple[int, ...]


def merge_axes(axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """Return fewer axes that visit the same elements in the same order.

    Axes of extent 1 vanish; neighbours merge where, for every tensor, the outer stride is the inner stride times the
    inner extent.
    """
    merged: list[Axis] = []
    for axis in axes:
        if axis.extent == 1:
            continue
        if merged:
            outer = merged[-1]
            pairs = zip(outer.strides, axis.strides, strict=True)
            if all(big == small * axis.extent for big, small in pairs):
                merged[-1] = Axis(outer.extent * axis.extent, axis.strides)
                continue
        merged.append(axis)
    return tuple(merged)


def broadcast_strides(spec: TensorSpec, leading: tuple[int, ...], inner: int) -> tuple[int, ...]:
    """Return the strides of the batch axes `leading` (0 where `spec` is broadcast), its last `inner` axes aside."""
    own = len(spec.shape) - inner
    missing = len(leading) - own
    strides = [0] * missing
    for axis in range(own):
        broadcast = spec.shape[axis] == 1 and leading[missing + axis] != 1
        strides.append(0 if broadcast else spec.strides[axis])
    return tuple(strides)


def operand_pointers(epilogue: Epilogue, terms: Sequence[Term]) -> tuple[Parameter, ...]:
    """Declare the operands of an epilogue: what it reads, and where its second results go."""
    return tuple(
        pointer(term.operand, term.dtype, Direction.WRITE if slot in epilogue.auxiliaries else Direction.READ)
        for slot, term in enumerate(terms)
    )


def refuse_sums(problem: Problem) -> None:
    """Refuse a problem that sums columns, for forms that have no rows to sum.

    Raises
    ------
    UnsupportedError
        If it does.
    """
    if problem.epilogue.sums is not None:
        raise UnsupportedError("columns are summed of convolutions of one group and of products of two matrices")


def pointer(name: str, dtype: DType, direction: Direction) -> Parameter:
    """Declare a pointer that is aligned to its elements only, as NumPy and PyTorch guarantee no more."""
    return Parameter(name, dtype, direction, dtype.bytes)
