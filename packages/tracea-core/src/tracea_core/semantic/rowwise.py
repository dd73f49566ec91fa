# SPDX-License-Identifier: MIT
"""One form for every op that treats each row on its own: a few statistics of the row, then a value for each element.

``statistic s = finish(fold over j of term(x[i, j], earlier statistics))`` and ``out[i, j] = value(x[i, j], statistics, operands)``.
A softmax has two statistics (its maximum and its sum), a layer norm two (mean and 1/deviation), an RMS norm one. Sizes and strides
are symbols, as in `tracea_core.semantic.contraction`; two problems with equal forms share one kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.ops.expr import BinaryFn, Expr
from tracea_core.semantic.contraction import I, J, Named, Term
from tracea_core.semantic.index import Index, Value, evaluate
from tracea_core.semantic.kernel import Parameter, Symbol
from tracea_core.semantic.row_steps import FOLDS

Array = npt.NDArray[np.float64]
_NUMPY_FOLDS: dict[BinaryFn, tuple[Callable[..., Array], float]] = {
    BinaryFn.ADD: (np.sum, 0.0), BinaryFn.MAXIMUM: (np.max, -np.inf),
}  # fmt: skip


class Statistic(Data, frozen=True):
    """One number for each row.

    Attributes
    ----------
    name : str
        What it is called in the kernel.
    fold : BinaryFn
        ADD or MAXIMUM.
    term : Expr
        What is folded: `Accumulator(0)` is the element, `Operand(i)` the i-th statistic before this one.
    finish : Expr
        The statistic: `Accumulator(0)` is the fold, `Accumulator(1)` the number of columns, `Operand(i)` as in `term`.
    """

    name: str
    fold: BinaryFn
    term: Expr
    finish: Expr


class Rowwise(Data, frozen=True, kw_only=True):
    """A row-wise op with its addresses; see the module's text.

    Attributes
    ----------
    title : str
        The op in words.
    m, n : Index
        Rows (all leading axes together) and columns.
    row_names : tuple of Named
        Coordinates decoded from the row `I`.
    x, out : Term
        Where elements come from and go, over `I`, `J` and the row names.
    statistics : tuple of Statistic
        In the order in which they need each other.
    value : Expr
        What is stored: `Accumulator(0)` is the element, `Operand(i)` a statistic, then the operands.
    operands : tuple of Term
        Weights, biases and the epilogue's operands.
    compute : DType
        Type of statistics and values.
    parameters, symbols
        Arguments of the kernel.
    """

    title: str
    m: Index
    n: Index
    row_names: tuple[Named, ...]
    x: Term
    out: Term
    statistics: tuple[Statistic, ...]
    value: Expr
    operands: tuple[Term, ...]
    compute: DType
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]

    def __post_init__(self) -> None:
        names = [symbol.name for symbol in self.symbols] + [named.name for named in self.row_names]
        names += [statistic.name for statistic in self.statistics] + [I.name, J.name]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigurationError(f"{', '.join(twice)} would mean two things in one kernel", title=self.title)
        if any(statistic.fold not in FOLDS for statistic in self.statistics):
            raise ConfigurationError("a statistic adds up or takes the maximum", title=self.title)

    @property
    def fast_accumulation(self) -> bool:
        """Whether sums may be kept in fewer bits than `compute` has: never."""
        return False

    def places(self, symbols: Mapping[str, int]) -> dict[str, Value]:
        """Return values for every name an offset may use, for all rows and columns at once."""
        rows, columns = (int(evaluate(extent, symbols)) for extent in (self.m, self.n))
        places: dict[str, Value] = {**symbols, I.name: np.arange(rows)[:, None], J.name: np.arange(columns)[None, :]}
        for named in self.row_names:
            places[named.name] = evaluate(named.value, places)
        return places

    def define(self, x: Array, operands: Sequence[Array]) -> Array:
        """Return what is stored for elements `x` of shape (rows, columns) and operands that broadcast to it."""
        count = np.asarray(float(x.shape[1]))
        found: list[Array] = []
        for statistic in self.statistics:
            terms = np.broadcast_to(evaluate_expr(statistic.term, [x], found), x.shape)
            reduce, nothing = _NUMPY_FOLDS[statistic.fold]
            folded = reduce(terms, axis=1, keepdims=True, initial=nothing)
            found.append(np.broadcast_to(evaluate_expr(statistic.finish, [folded, count], found), (x.shape[0], 1)))
        return np.broadcast_to(evaluate_expr(self.value, [x], [*found, *operands]), x.shape)
