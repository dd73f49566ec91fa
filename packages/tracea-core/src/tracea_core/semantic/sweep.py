# SPDX-License-Identifier: MIT
"""One pass over a matrix: out[i, j] = epilogue(Σ over parts of source[part, i, j]), nothing multiplied.

What a plan does around a contraction is of this form: an operand that no copy engine can address is copied into rows that it can
(one part, zeros beyond the operand's own columns), and the partial sums of a divided reduction are added, in the order of their
parts, before the epilogue. Sizes and strides are symbols, as in a contraction.
"""

from __future__ import annotations

import math

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import IDENTITY, Epilogue, OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange import copy_fault
from tracea_core.semantic.contraction import ITEM, I, J, KAxis, Named, Term
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, TestFn, less, substitute
from tracea_core.semantic.kernel import Direction, Parameter, Symbol
from tracea_core.semantic.lower import Axis, SymbolTable, merge_axes, operand_names, operand_pointers, pointer
from tracea_core.target import CapabilityProfile

PART = "part"
SHORT_COLUMN, LANES, WORD = 63, 32, 4
"""Elements of a column that is transposed as a run of memory at most, lanes of the warps that do so, and bytes that each of them reads."""
SOURCE, OUT = "source", "out"


class Sweep(Data, frozen=True, kw_only=True):
    """A pass over a matrix with its addresses; see the module's text.

    Attributes
    ----------
    title : str
        What it does, in words.
    m, n, items : Index
        Extents of i, j and of the batch.
    parts : KAxis
        What is added up.
    source, out : Term
        Where elements come from and where results go. Where the source's guard fails, it counts as zero.
    compute : DType
        Type of the sums.
    epilogue, epilogue_terms
        Expression of the sum, and the address of each of its operands.
    parameters, symbols
        Arguments of the kernel.
    """

    title: str
    m: Index
    n: Index
    items: Index
    parts: KAxis
    source: Term
    out: Term
    compute: DType
    epilogue: Epilogue
    epilogue_terms: tuple[Term, ...]
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]

    @property
    def k_axes(self) -> tuple[KAxis, ...]:
        """The axes that are added up."""
        return (self.parts,)

    @property
    def item_names(self) -> tuple[Named, ...]:
        """Coordinates decoded from the item: there are none."""
        return ()

    @property
    def divisors(self) -> tuple[str, ...]:
        """Symbols that coordinates are divided by through reciprocals: there are none."""
        return ()

    @property
    def runs_along_k(self) -> bool:
        """Whether runs may cross nested axes: there is one axis."""
        return False

    @property
    def near(self) -> tuple[tuple[str, Index], ...]:
        """Symbols that lie near an extent: where the source ends; of what repeats along a row (channels of pixels), near its period."""
        found = []
        for test in self.source.guard:
            if isinstance(test.right, Sym):
                left = test.left
                period = left.right if isinstance(left, IndexOp) and left.fn is IndexFn.MOD else None
                end = substitute(left, {I.name: self.m, J.name: self.n}) if period is None else period
                found.append((test.right.name, end))
        return tuple(found)

    @property
    def ends(self) -> tuple[Index, ...] | None:
        """Where rows of the source end; None where it has more gaps than that."""
        plain = all(test.fn is TestFn.LT and test.left == J for test in self.source.guard)
        return tuple(test.right for test in self.source.guard) if plain else None

    @property
    def fast_accumulation(self) -> bool:
        """Whether sums may be kept in fewer bits: never."""
        return False

    @property
    def factors(self) -> tuple[Term, ...]:
        """What is read besides the epilogue's operands."""
        return (self.source,)


class LoweredSweep(Data, frozen=True):
    """A pass, the values its symbols take, and what each pointer is (``input0``, ``workspace1``, ``output``, …)."""

    form: Sweep
    values: tuple[tuple[str, int], ...]
    operands: tuple[str, ...]

    @property
    def symbols(self) -> dict[str, int]:
        """The values by name."""
        return dict(self.values)


def is_short(spec: TensorSpec, along: int, profile: CapabilityProfile) -> bool:
    """Whether the columns of what is transposed are short and of an odd length, for lanes that read words of as many banks."""
    tall = spec.shape[-3 - along]
    return tall % 2 == 1 and tall <= SHORT_COLUMN and profile.lanes == LANES and spec.dtype.bytes <= WORD


def lower_copy(
    operand: str, spec: TensorSpec, target: str, copied: TensorSpec, along: int, depth: int, held: int | None = None,
    short: bool = False,
) -> LoweredSweep:  # fmt: skip
    """Return the pass that copies a tensor into a workspace, with zeros beyond its own columns.

    Parameters
    ----------
    operand, target : str
        What the pointers are called in the plan.
    spec, copied : TensorSpec
        The tensor, and how it will lie in the workspace: the same shape, one of the last two axes contiguous.
    along : int
        That axis, -1 or -2.
    depth : int
        Columns that are written in the workspace, zeros included; elements along `along`.
    held : int, optional
        Columns that are read, all by default; of none, only zeros are written.
    short : bool
        Whether a tensor whose columns follow one another in memory has them as long as they are, by a form of their own: they are short.

    Raises
    ------
    UnsupportedError
        With the reason of `copy_fault`.
    """
    fault = copy_fault(spec)
    if fault:
        raise UnsupportedError(f"{operand} cannot be copied: {fault}", hint="Make it contiguous first")
    across = -3 - along
    table = SymbolTable()
    tall = spec.shape[across]
    short = short and spec.strides[across] == 1 and spec.strides[along] == tall > 1
    m = Const(tall) if short else table.extent("m", tall, "rows that are copied")
    n = table.extent("n", depth, "columns of a row in the workspace, zeros included")
    columns = table.extent("columns", spec.shape[along] if held is None else held, "columns of a row of the operand")
    leading = zip(spec.shape[:-2], spec.strides[:-2], copied.strides[:-2], strict=True)
    axes = merge_axes([Axis(extent, (theirs, ours)) for extent, theirs, ours in leading])
    items: Index = Const(1)
    read: Index = Const(0)
    write: Index = Const(0)
    if axes:
        items = table.extent("items", axes[0].extent, "matrices in the batch")
        read = ITEM * table.stride("source_batch", axes[0].strides[0], "source: next matrix")
        write = ITEM * table.stride("out_batch", axes[0].strides[1], "out: next matrix")
    down = table.stride("source_row", spec.strides[across], "source: next row")
    aside = Const(tall) if short else table.stride("source_column", spec.strides[along], "source: next column")
    wide = table.stride("out_row", copied.strides[across], "out: next row")
    source = Term(SOURCE, spec.dtype, read + I * down + J * aside, (less(J, columns),))
    words = "into aligned rows" if copied.strides[across] * spec.dtype.bytes % 16 == 0 else "into rows of any length"
    verb = "transpose" if down == Const(1) and aside != Const(1) else "copy"
    verb = "zeros of" if held == 0 else f"{verb} columns of {tall}" if short else verb
    sweep = Sweep(
        title=f"{verb} {spec.dtype.value} {words}", m=m, n=n, items=items, parts=KAxis(PART, Const(1)), source=source,
        out=Term(OUT, spec.dtype, write + I * wide + J), compute=spec.dtype, epilogue=IDENTITY, epilogue_terms=(),
        parameters=(pointer(SOURCE, spec.dtype, Direction.READ), pointer(OUT, spec.dtype, Direction.WRITE)),
        symbols=tuple(table.symbols),
    )  # fmt: skip
    return LoweredSweep(sweep, tuple(table.values), (operand, target))


def lower_sum(problem: Problem, source: str, partial: TensorSpec) -> LoweredSweep:
    """Return the pass that adds partial sums and finishes a product.

    Parameters
    ----------
    problem : Problem
        A product without a batch; its epilogue is applied to the sums.
    source : str
        What the partial sums' workspace is called in the plan.
    partial : TensorSpec
        Shape (parts, m, n).

    Raises
    ------
    UnsupportedError
        If the product has a batch, or a gated epilogue.
    """
    plain = problem.normalized()
    out = plain.output.settled()
    if math.prod(out.shape[:-2]) != 1 or plain.epilogue.gated:
        raise UnsupportedError("only plain products have their reduction divided into kernels", shape=out.shape)
    table = SymbolTable()
    m = table.extent("m", out.shape[-2], "rows of the output")
    n = table.extent("n", out.shape[-1], "columns of the output")
    parts = table.extent("parts", partial.shape[0], "partial sums of an element", 1)

    def matrix(name: str, spec: TensorSpec) -> Index:
        down = table.stride(f"{name}_row", spec.strides[-2], f"{name}: next row")
        return I * down + J * table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")

    next_part = table.stride("source_part", partial.strides[0], "source: next partial sum")
    read = Sym(PART) * next_part + matrix(SOURCE, partial)
    store = Term(OUT, out.dtype, matrix(OUT, out))
    terms: list[Term] = []
    for slot, (operand, given) in enumerate(zip(plain.epilogue.operands, plain.epilogue_inputs, strict=True)):
        spec, name = given.settled(), f"{operand.name}_{slot}"
        if operand.axes is OperandAxes.FULL:
            offset = matrix(name, spec)
        elif operand.axes is OperandAxes.SCALAR:
            offset = Const(0)
        else:
            step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
            along = I if operand.axes is OperandAxes.ROW else J
            offset = along * table.stride(f"{name}_stride", step, f"{name}: next element")
        terms.append(Term(name, spec.dtype, offset))
    described = plain.epilogue.describe()
    sweep = Sweep(
        title=f"sum of parts {partial.dtype.value} -> {out.dtype.value}" + (f", epilogue {described}" if described else ""),
        m=m, n=n, items=Const(1), parts=KAxis(PART, parts), source=Term(SOURCE, partial.dtype, read), out=store,
        compute=partial.dtype, epilogue=plain.epilogue, epilogue_terms=tuple(terms),
        parameters=(
            pointer(SOURCE, partial.dtype, Direction.READ), pointer(OUT, out.dtype, Direction.WRITE),
            *operand_pointers(plain.epilogue, terms),
        ),
        symbols=tuple(table.symbols),
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    return LoweredSweep(sweep, tuple(table.values), (source, *operand_names(("output", *tail), problem, plain)))
