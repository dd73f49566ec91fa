# SPDX-License-Identifier: MIT
"""Parts of an epilogue that depend on the column (or the row) alone: computed once, before the tiles, and kept.

Batch norm divides by a square root for each channel. Inside a tile that costs as much as the whole reduction of a first convolution,
whose windows hold 27 elements; here it is done once for each channel and worker. Only what is slow is moved: roots, quotients,
exponentials. Everything is computed as it would have been, so results stay the same to the bit.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.ops.expr import Binary, BinaryFn, Constant, Expr, Operand, Unary, UnaryFn, children, rewrite, walk
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import COLUMN, Const, Index, Sym, coefficient, less, substitute, symbols
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.steps import Access, BufferRef, Compute, Load, Loop, Node, Store, Transfer

_SLOW = (
    UnaryFn.EXP, UnaryFn.LOG, UnaryFn.SQRT, UnaryFn.RSQRT, UnaryFn.RECIPROCAL, UnaryFn.TANH, UnaryFn.ERF,
)  # fmt: skip
_POSITION = Sym("prepared_at")


class Part(Data, frozen=True):
    """A subexpression of an epilogue over operands that depend on `axis` (`I` or `J`) alone, and the buffer that keeps its values."""

    name: str
    expr: Expr
    axis: Sym


class Split(Data, frozen=True):
    """An epilogue in two: what tiles still evaluate, over `slots` of the operands and then `parts`, and the parts."""

    expr: Expr
    slots: tuple[int, ...]
    parts: tuple[Part, ...]


def split(contraction: Contraction) -> Split:
    """Return the epilogue of `contraction` with its slow parts of one axis taken out.

    Before: ``(acc - mean) · (rsqrt(var + ε) · γ) + β``. After: ``(acc - mean) · prepared0 + β``.
    """
    terms = contraction.epilogue_terms
    batch = {ITEM.name, *(named.name for named in contraction.item_names)}
    axes = [_axes(term, batch) for term in terms]
    known: dict[int, frozenset[str] | None] = {}
    slow: dict[int, bool] = {}

    def study(node: Expr) -> None:
        """Note which axes a subexpression depends on (None: on more than operands of known axes), and whether it is slow."""
        if id(node) in known:
            return
        inner = children(node)
        for child in inner:
            study(child)
        slow[id(node)] = _is_slow(node) or any(slow[id(child)] for child in inner)
        found = [known[id(child)] for child in inner]
        if isinstance(node, Operand):
            known[id(node)] = axes[node.slot]
        elif inner or isinstance(node, Constant):
            known[id(node)] = None if None in found else frozenset().union(*(axis or frozenset() for axis in found))
        else:
            known[id(node)] = None

    expr = contraction.epilogue.expr
    study(expr)
    parts: dict[Expr, Part] = {}

    def whole(node: Expr) -> Expr | None:
        axis = known[id(node)]
        if axis is None or len(axis) != 1 or not slow[id(node)]:
            return None
        part = parts.setdefault(node, Part(f"prepared{len(parts)}", node, I if I.name in axis else J))
        return Operand(len(terms) + list(parts).index(part.expr))

    rest = rewrite(expr, lambda leaf: leaf, whole)
    slots = tuple(sorted({leaf.slot for leaf in walk(rest) if isinstance(leaf, Operand) and leaf.slot < len(terms)}))
    places = {slot: place for place, slot in enumerate((*slots, *range(len(terms), len(terms) + len(parts))))}
    renumbered = rewrite(rest, lambda leaf: Operand(places[leaf.slot]) if isinstance(leaf, Operand) else leaf)
    return Split(renumbered, slots, tuple(parts.values()))


def _is_slow(node: Expr) -> bool:
    return (isinstance(node, Unary) and node.fn in _SLOW) or (isinstance(node, Binary) and node.fn is BinaryFn.DIV)


def _axes(term: Term, batch: set[str]) -> frozenset[str] | None:
    """The axes that an operand depends on; None where it also depends on the batch."""
    used = symbols(term.offset)
    if term.hoisted or term.guard or used & batch:
        return None
    return used & {I.name, J.name}


class PreparedValues:
    """The nodes that compute and read a split epilogue's parts.

    Parameters
    ----------
    padded : dict
        For each axis in use, its extent rounded up to what tiles read; the surplus is never stored.
    dtype : DType
        Type of the arithmetic.
    vector : FragmentLayout
        One vector of the machine, 1 × lanes.
    """

    def __init__(
        self,
        contraction: Contraction,
        parts: tuple[Part, ...],
        padded: dict[str, Index],
        dtype: DType,
        vector: FragmentLayout,
    ) -> None:
        self.c, self.parts, self.padded, self.dtype, self.vector = contraction, parts, padded, dtype, vector
        used = {leaf.slot for part in parts for leaf in walk(part.expr) if isinstance(leaf, Operand)}
        self._raw = {
            slot: Fragment(
                f"{contraction.epilogue_terms[slot].operand}_whole", contraction.epilogue_terms[slot].dtype, vector
            )
            for slot in sorted(used)
        }

    def fragments(self) -> list[Fragment]:
        """Return the fragments that `nodes` use."""
        return [*self._raw.values(), *(Fragment(f"{part.name}_whole", self.dtype, self.vector) for part in self.parts)]

    def buffers(self) -> list[Buffer]:
        """Return the memory of each worker that keeps the parts."""
        element = Layout.row_major(("element", 1))
        return [
            Buffer(part.name, Space.PANEL, self.dtype, element, Lifetime.CALL, extent=self.padded[part.axis.name])
            for part in self.parts
        ]

    def nodes(self) -> tuple[Node, ...]:
        """Compute every part, a vector at a time."""
        return tuple(self._loop(part) for part in self.parts)

    def load(self, part: Part, target: Fragment, place: Index) -> Load:
        """Read a part's values at `place`, one for each row or column of a tile."""
        transfer = Transfer.VECTOR if part.axis == J else Transfer.BROADCAST
        return Load(target.name, BufferRef(part.name, (place, Const(0))), transfer)

    def _loop(self, part: Part) -> Loop:
        place = _POSITION + COLUMN
        slots = sorted({leaf.slot for leaf in walk(part.expr) if isinstance(leaf, Operand)})
        extent = self.c.m if part.axis == I else self.c.n
        loads = []
        for slot in slots:
            offset = substitute(self.c.epilogue_terms[slot].offset, {part.axis.name: place})
            if part.axis.name not in symbols(self.c.epilogue_terms[slot].offset):
                loads.append(Load(self._raw[slot].name, self._access(slot, offset), Transfer.BROADCAST))
                continue
            transfer = Transfer.VECTOR if coefficient(offset, COLUMN.name) == Const(1) else Transfer.GATHER
            loads.append(Load(self._raw[slot].name, self._access(slot, offset), transfer, (less(place, extent),)))
        numbers = {slot: number for number, slot in enumerate(slots)}
        expr = rewrite(part.expr, lambda leaf: Operand(numbers[leaf.slot]) if isinstance(leaf, Operand) else leaf)
        name = f"{part.name}_whole"
        compute = Compute(name, expr, self.dtype, (), tuple(self._raw[slot].name for slot in slots))
        store = Store(BufferRef(part.name, (place, Const(0))), name, Transfer.VECTOR)
        return Loop(
            _POSITION.name, Const(0), self.padded[part.axis.name], (*loads, compute, store), step=self.vector.lanes
        )

    def _access(self, slot: int, offset: Index) -> Access:
        return Access(self.c.epilogue_terms[slot].operand, offset)
