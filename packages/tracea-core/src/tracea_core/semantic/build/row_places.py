# SPDX-License-Identifier: MIT
"""Where the rows of a warpgroup's tile lie in tensors of planes, computed once for each row a lane holds, not for each element.

A pixel's image is a quotient of its number, twice; a lane holds two rows of 64, and as many elements of each as the tile has columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.semantic.build.store_layouts import column_vector
from tracea_core.semantic.contraction import I, J, Term
from tracea_core.semantic.index import Const, Index, Sym, coefficient, substitute
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.quotient import multiplied
from tracea_core.semantic.steps import Let

_TABLE = "row_table"


class RowPlaces:
    """Tables of the terms among `terms` whose rows lie at no one distance and whose columns are more than one element apart."""

    def __init__(self, terms: Sequence[Term], divisors: Sequence[str]) -> None:
        self.divisors = frozenset(divisors)
        self.terms = tuple(term for term in terms if _in_planes(term))

    def fragments(self) -> list[Fragment]:
        """Return what says which lane holds which row."""
        return [Fragment(_TABLE, DType.INT32, column_vector())] if self.terms else []

    @property
    def registers(self) -> int:
        """Registers of a lane that the tables of one piece of rows take: 64 bits for each row."""
        return 2 * column_vector().registers * len(self.terms)

    def lets(self, rows: Sequence[Index]) -> tuple[Let, ...]:
        """Return the tables of pieces of 64 rows, each of which begins with `rows`."""
        return tuple(
            Let(_name(term, piece), self._of_row(term, row), _TABLE, wide=True)
            for piece, row in enumerate(rows)
            for term in self.terms
        )

    def place(self, term: Term, piece: int, row: Index, column: Index) -> Index:
        """Return the offset of an element in its tensor, by the table if there is one."""
        along = coefficient(term.offset, J.name)
        if term in self.terms and along is not None:
            return Sym(_name(term, piece)) + column * along
        return multiplied(substitute(term.offset, {I.name: row, J.name: column}), self.divisors)

    def _of_row(self, term: Term, row: Index) -> Index:
        return multiplied(substitute(term.offset, {I.name: row, J.name: Const(0)}), self.divisors)


def _in_planes(term: Term) -> bool:
    """Whether rows lie at no one distance, and columns at one that is not of neighbours."""
    return coefficient(term.offset, I.name) is None and coefficient(term.offset, J.name) not in (
        None,
        Const(0),
        Const(1),
    )


def _name(term: Term, piece: int) -> str:
    return f"{term.operand}_row{piece}"
