# SPDX-License-Identifier: MIT
"""Matrices that lie in panels: so many columns of them, row by row, then the next ones. What a register tile reads lies in a row.

Element (k, j) of a matrix with K rows, in panels of w columns, is at ``(j // w)·K·w + k·w + j % w``. That address is all there is: the
form of a product whose second operand lies so says it (`tracea_core.semantic.contraction.Term`), schedules recognise the width in it,
and the certificate runs the kernel against it. A copy into panels is a pass (`tracea_core.semantic.sweep`) with this address as its
output.
"""

from __future__ import annotations

from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import I, J, KAxis, Term
from tracea_core.semantic.index import COLUMN, Const, Index, IndexFn, IndexOp, binary
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import SymbolTable, pointer
from tracea_core.semantic.sweep import OUT, PART, SOURCE, LoweredSweep, Sweep


def panel_offset(rows: Index, width: int, row: Index, column: Index) -> Index:
    """Return where element (row, column) of a matrix of `rows` rows lies in panels of `width` columns."""
    return column // width * (rows * width) + row * width + column % width


def panel_width(term: Term) -> int:
    """Return the columns of the panels in which an operand's columns `J` lie, 0 if it is an ordinary matrix."""
    return _remainder(term.offset)


def _remainder(expr: Index) -> int:
    if not isinstance(expr, IndexOp):
        return 0
    if expr.fn is IndexFn.MOD and expr.left == J and isinstance(expr.right, Const):
        return expr.right.value
    return _remainder(expr.left) or _remainder(expr.right)


def within_panel(offset: Index, panel: Index, together: int = 1) -> Index:
    """Return an operand's offset at the columns of one panel, which `COLUMN` counts: j = panel·w + column, column < w.

    With `together`, at those of so many panels side by side, which `panel` counts: j = panel·together·w + column.
    """
    if isinstance(offset, IndexOp):
        if offset.left == J and offset.fn in (IndexFn.FLOORDIV, IndexFn.MOD):
            first = offset.fn is IndexFn.FLOORDIV
            if together == 1:
                return panel if first else COLUMN
            return panel * together + COLUMN // offset.right if first else COLUMN % offset.right
        left, right = (within_panel(side, panel, together) for side in (offset.left, offset.right))
        return binary(offset.fn, left, right)
    return offset


def panel_elements(rows: int, columns: int, width: int) -> int:
    """Return how many elements a matrix takes in panels, those beyond its last column included.

    >>> panel_elements(10, 25, 24)
    480
    """
    return -(-columns // width) * width * rows


def lower_panels(operand: str, spec: TensorSpec, target: str, width: int) -> LoweredSweep:
    """Return the pass that copies a matrix into panels.

    Parameters
    ----------
    operand, target : str
        What the pointers are called.
    spec : TensorSpec
        The matrix, any strides.
    width : int
        Columns of a panel. The places beyond the matrix's last column are not written.

    Raises
    ------
    UnsupportedError
        If it is no matrix.
    """
    if spec.rank != 2:
        raise UnsupportedError("only matrices are copied into panels", shape=spec.shape, hint="Copy each of a batch")
    plain, table = spec.settled(), SymbolTable()
    m = table.extent("m", spec.shape[0], "rows of the matrix: the length of the reduction")
    n = table.extent("n", spec.shape[1], "columns of the matrix")
    down = table.stride("source_row", plain.strides[0], "source: next row")
    across = table.stride("source_column", plain.strides[1], "source: next column")
    sweep = Sweep(
        title=f"copy {spec.dtype.value} into panels of {width} columns", m=m, n=n, items=Const(1), parts=KAxis(PART, Const(1)),
        source=Term(SOURCE, spec.dtype, I * down + J * across), out=Term(OUT, spec.dtype, panel_offset(m, width, I, J)),
        compute=spec.dtype, epilogue=IDENTITY, epilogue_terms=(),
        parameters=(pointer(SOURCE, spec.dtype, Direction.READ), pointer(OUT, spec.dtype, Direction.WRITE)),
        symbols=tuple(table.symbols),
    )  # fmt: skip
    return LoweredSweep(sweep, tuple(table.values), (operand, target))
