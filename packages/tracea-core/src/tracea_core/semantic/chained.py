# SPDX-License-Identifier: MIT
"""One form for two contractions with something between them: attention, and a product with a weight of low rank.

``s[i, j] = Σ_c left[i, c]·middle[c, j]``, ``w = between(s)``, ``out[i, e] = value(Σ_j w[i, j]·right[j, e])``. Between them stands a
softmax over the j that i may see, or an activation. The middle never leaves the processor: it exists a block of j at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.ops.expr import Expr
from tracea_core.semantic.contraction import I, J, Named, Term
from tracea_core.semantic.index import Index, Sym, Value, evaluate
from tracea_core.semantic.kernel import Parameter, Symbol

Array = npt.NDArray[np.float64]
KEY = Sym("key_index")
"""Row of the right operand, 0 ≤ key < keys: a key's number, or a column of the middle."""
DEPTH = Sym("depth")
"""Position in the first reduction, 0 ≤ depth < k."""


class Window(Data, frozen=True):
    """Which keys a row sees: ``−left ≤ key − (row + keys − m) ≤ right``; None leaves a side open."""

    left: Index | None = None
    right: Index | None = None


class Chained(Data, frozen=True, kw_only=True):
    """Two contractions in a chain, with their addresses; see the module's text.

    Attributes
    ----------
    title : str
        The op in words.
    items, m, n, k, keys : Index
        Extents of the batch, of rows, of columns of the result, of the first reduction and of the second.
    item_names : tuple of Named
        Coordinates decoded from `ITEM`.
    left, middle, right, out : Term
        left over (`I`, `DEPTH`), middle over (`DEPTH`, `KEY`), right over (`KEY`, `J`), out over (`I`, `J`).
    softmax : bool
        Whether a softmax over visible keys stands between; `between` comes first then (a scale).
    between : Expr
        What happens to each score: over `Accumulator(0)`, and over `Operand(0)` where there is a bias.
    bias : Term, optional
        Over `I` and `KEY`: a number for each score. A score that is no more than the lowest number of `compute` then counts as hidden.
    window : Window
        Which keys a row sees, where there is a softmax; a row that sees none gives 0.
    value : Expr
        The stored value: `Accumulator(0)` is the second sum, divided by the softmax's total; operands by slot.
    operands : tuple of Term
        Over `I` and `J`.
    compute : DType
        Type of sums and of what is between.
    """

    title: str
    items: Index
    m: Index
    n: Index
    k: Index
    keys: Index
    item_names: tuple[Named, ...]
    left: Term
    middle: Term
    right: Term
    out: Term
    softmax: bool
    between: Expr
    window: Window
    value: Expr
    operands: tuple[Term, ...]
    compute: DType
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]
    bias: Term | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        names = [symbol.name for symbol in self.symbols] + [named.name for named in self.item_names]
        names += [I.name, J.name, KEY.name, DEPTH.name]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigurationError(f"{', '.join(twice)} would mean two things in one kernel", title=self.title)

    @property
    def fast_accumulation(self) -> bool:
        """Whether sums may be kept in fewer bits than `compute` has: never."""
        return False

    @property
    def added(self) -> tuple[Term, ...]:
        """What `between` reads besides a score: the bias, or nothing."""
        return () if self.bias is msgspec.UNSET else (self.bias,)

    def visible(self, values: Mapping[str, Value]) -> npt.NDArray[np.bool_]:
        """Return which row sees which key."""
        m, keys = (int(evaluate(extent, values)) for extent in (self.m, self.keys))
        distance = np.arange(keys)[None, :] - (np.arange(m)[:, None] + keys - m)
        seen: npt.NDArray[np.bool_] = np.ones((m, keys), np.bool_)
        if self.window.left is not None:
            seen &= distance >= -evaluate(self.window.left, values)
        if self.window.right is not None:
            seen &= distance <= evaluate(self.window.right, values)
        return seen

    def define(
        self,
        left: Array,
        middle: Array,
        right: Array,
        operands: Sequence[Array],
        seen: npt.NDArray[np.bool_],
        added: Sequence[Array] = (),
    ) -> Array:
        """Return what is stored for operands of shapes (items, m, k), (items, k, keys), (items, keys, n), and (items, m, keys) `added`."""
        with np.errstate(all="ignore"):
            weights = evaluate_expr(self.between, [left @ middle], added)
            if self.softmax:
                if added:
                    seen = seen & (weights > self.compute.lowest)
                scores = np.where(seen, weights, -np.inf)
                top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
                powers = np.where(seen, np.exp(scores - np.where(np.isneginf(top), 0.0, top)), 0.0)
                total = powers.sum(axis=-1, keepdims=True)
                weights = powers / np.where(total == 0, 1.0, total)
        summed = weights @ right
        return np.broadcast_to(evaluate_expr(self.value, [summed], operands), summed.shape)
