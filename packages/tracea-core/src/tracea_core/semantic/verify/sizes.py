# SPDX-License-Identifier: MIT
"""Sizes at which every test of a kernel is at its edge: derived from the tests and boxes themselves.

A test ``x < n`` guards a step whose elements have x from a low to a high value. A wrong bound shows only where n cuts
that range: where some x just fails and another just holds. Steps that were printed apart (peeled loads, parts of a tile that
are stored one after the other) have ranges of their own, so each range is cut by the size of some run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.contraction import ITEM, LIST_DEPTH, Contraction, I, J
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    IndexFn,
    IndexOp,
    Ragged,
    Sym,
    TestFn,
    Value,
    divided_by,
    evaluate,
    substitute,
    symbols,
)
from tracea_core.semantic.interpret_registers import elements
from tracea_core.semantic.interpret_tables import Tables, tables
from tracea_core.semantic.kernel import Role, SemanticKernel, one_group, shares_memory
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import (
    AccumulatorFence,
    AsyncCopy,
    AsyncLoad,
    AsyncStore,
    Box,
    Commit,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Staged,
    Store,
    Turn,
    Wait,
)
from tracea_core.semantic.verify.edges import box_settled, extents_of, settled

_LARGE = 1 << 20
"""An extent beyond every range; a multiple of every period, so that what follows from it is simple."""
_FAR = 1 << 10
"""Iterations that begin beyond so many follow from the extent; the first one stands for them."""
_OWN = 4
"""As many columns may be a lane's own."""
_FARTHEST = 8
"""Ranges further than so many tiles from the start repeat nearer ones."""

SEVERAL = 8
"""So many sizes of blocks come first, some of several tiles and items; those behind them cut ranges of tests, each within one tile."""

Range = tuple[int, int]


Depth: TypeAlias = int | tuple[int, ...]
"""Elements of a reduction, or the extent of each of its axes."""


def block_sizes(
    kernel: SemanticKernel, k_name: str, form: Contraction | None = None, others: Sequence[str] = ()
) -> list[tuple[int, int, Depth]]:
    """Return the sizes (m, n, k) at which a kernel of blocks is run.

    They cut every range of every test and box; one block computes several tiles, so slots carry over between them; and
    reductions take 0, 1, fewer, as many and more steps than there are slots.

    Parameters
    ----------
    k_name : str
        The symbol of the reduction's extent, or of its last axis.
    form : Contraction or None
        What the kernel computes: along m and n, ranges of tests that fit its addresses (`tracea_core.semantic.verify.edges`) need no cut.
    others : sequence of str
        The symbols of the reduction's other axes, in their order, which are 1 where its ranges are cut.
    """
    config = kernel.configuration
    tall, wide, deep = config.tile_m, config.tile_n, config.tile_k * config.split_k
    slots = max((ring.slots for ring in kernel.rings), default=config.stages)
    uniform = shares_memory(kernel)
    rows, columns = names = _outer(form)
    lone = form if uniform and not others else None  # a reduction along one axis
    heights, widths, depths = (
        _extents(kernel, name, tile, chosen, others if name == k_name else ())
        for name, tile, chosen in ((rows, tall, form), (columns, wide, form), (k_name, config.tile_k, lone))
    )
    short, narrow = (_just_below(kernel, name, tile) for name, tile in ((rows, tall), (columns, wide)))
    # What else is as deep leaves the last columns out: where they come in several, all that are a warp's or a lane's own.
    few = 2 if narrow > wide - _OWN else wide
    # Steps are counted by a quotient: as many as what is left over has elements, a divisor one larger, or a remainder, gives too few.
    rest = next((symbol.multiple for symbol in kernel.symbols if symbol.name == k_name), 1)
    if (
        lone is not None and lone.lists is None
    ):  # how a reduction ends also decides what registers hold: little is left over behind each step, or much
        ends = [*(step * deep + rest for step in range(slots + 2)), (slots + 2) * deep - rest]
        depths += [depth for depth in ends if depth not in depths]
    # One block goes from tile to tile: through three, or through two of each of two items.
    rows_of_tiles = 1 if uniform and form is not None and isinstance(form.items, Sym) else 2
    first: list[tuple[int, int, Depth]] = [
        (tall + 1, narrow, max(slots + 2, 8) * deep - 8) if uniform else (tall + 1, wide + narrow, deep + 1),
        (1, few, _along(others, max(2 * slots + 1, rest) * deep + rest))
        if uniform
        else (short, narrow, (slots + 1) * deep - 1),
        (short, narrow, (slots + 2) * deep if uniform else deep),
        (short, narrow, 0),
        (rows_of_tiles * tall * config.cluster_m + 3, 5, deep - (config.tile_k if config.split_k > 1 else 1)),
        (3, wide * config.cluster_n + 9, max(slots - 1, 1) * deep),
        (0, wide, deep),
        (tall, 0, deep),
    ]
    whole = [(tall, wide, count * deep) for count in range(1, slots)] if uniform else []
    if uniform and 2 * narrow <= wide:  # extents are such multiples that only the first run of a tile lies below them
        whole.append((short, wide + narrow, (slots + 3) * deep - 8))
    if config.value("hoisted"):  # steps beyond those whose coordinates are looked up
        whole.append((short, narrow, (_looked_up(kernel) + slots + 1) * deep + 1))
    corners = [*((height, narrow) for height in heights), *((short, width) for width in widths)]
    cut = [
        (*corners[number % len(corners)], _along(others, depths[number % len(depths)]))
        for number in range(max(len(corners), len(depths)))
    ]
    chosen = [corner for corner in corners if uniform and _inside(kernel, names, corner, (tall, wide))]
    steep: list[tuple[int, int, Depth]] = [(*corner, (slots + 2) * deep - rest) for corner in chosen]
    if others and uniform:  # one element less than whole steps along an axis: divided by one less, it makes a step more
        steep.append((1, 2, _along(others, max(slots + 2, rest) * deep - rest)))
    return [*first, *whole, *cut, *steep]


def _along(others: Sequence[str], depth: int) -> Depth:
    """A reduction along the last axis alone."""
    return (*(1 for _ in others), depth) if others else depth


def _outer(form: Contraction | None) -> tuple[str, str]:
    """The symbols of m and n: gradients of filters call them otherwise, and exchanged products the other way round."""
    extents = (form.m, form.n) if form is not None else ()
    m, n = (extent.name if isinstance(extent, Sym) else "" for extent in extents) if extents else "mn"
    return m, n


def _inside(kernel: SemanticKernel, names: tuple[str, str], corner: tuple[int, int], tile: tuple[int, int]) -> bool:
    """Whether a corner was chosen for a range within a tile: copies of every step of the reduction have it, the last ones as well."""
    usual = [{0, extent, _just_below(kernel, name, extent)} for name, extent in zip(names, tile, strict=True)]
    return any(extent not in known for extent, known in zip(corner, usual, strict=True))


def _looked_up(kernel: SemanticKernel) -> int:
    """Steps whose coordinates lie in tables: slots of integers in shared memory."""
    return max((buffer.slots for buffer in kernel.buffers if buffer.dtype is DType.INT32), default=0)


def _just_below(kernel: SemanticKernel, name: str, tile: int) -> int:
    """The largest extent that leaves the last element of a tile out."""
    multiple = next((symbol.multiple for symbol in kernel.symbols if symbol.name == name), 1)
    return max((tile - 1) // multiple * multiple, multiple)


def strides(form: Contraction, values: Mapping[str, int], random: np.random.Generator) -> dict[str, int]:
    """Return strides of matrices under which no two rows share memory, so that the row after the last one is not there.

    Those of a batch stay as they are: matrices as far apart as their elements reach would take gigabytes.
    """
    most: dict[str, Value] = {ITEM.name: 0}
    if form.lists is not None:  # the last element of a block; which block, its names say
        values = {**values, LIST_DEPTH.name: form.lists.run}
    for name, extent in ((I.name, form.m), (J.name, form.n), *((axis.name, axis.extent) for axis in form.k_axes)):
        most[name] = max(int(evaluate(extent, values)) - 1, 0)
    found: dict[str, int] = {}
    for term in (form.a, form.b):
        if term.guard:  # an image, whose tests say what lies in it
            continue
        used = symbols(term.offset)
        if form.lists is None and not isinstance(form.items, Const) and (form.item_names or ITEM.name in used):
            continue  # each item has a matrix of its own; filters of all images are one
        chosen = [s for s in form.symbols if s.name in used and s.minimum < 0]
        apart = {**values, **most, **dict.fromkeys((symbol.name for symbol in chosen), 0)}
        apart |= _last_entry(form, apart)
        for named in (*form.item_names, *term.hoisted) if form.lists is None else term.hoisted:
            apart[named.name] = evaluate(named.value, apart)
        start = int(evaluate(term.offset, apart))
        step = abs(start) + 1 + int(random.integers(0, 3))
        for symbol in reversed(chosen):
            step = -(-step // symbol.multiple) * symbol.multiple
            found[symbol.name] = step
            reached = abs(int(evaluate(term.offset, {**apart, symbol.name: 1})) - start)
            step *= reached + 2
    return found


def _last_entry(form: Contraction, values: Mapping[str, Value]) -> dict[str, Value]:
    """What names of a list are worth at most: a look-up is moved into what there is."""
    found: dict[str, Value] = {}
    if form.lists is not None:
        known = {**values, **{named.name: 0 for named in form.item_names}}
        for named in form.lists.names:
            bound = named.value.rows if isinstance(named.value, Ragged) else named.value
            found[named.name] = known[named.name] = max(int(evaluate(bound, known)), 0)
    return found


def borders(
    form: Contraction, values: Mapping[str, int], random: np.random.Generator, beyond: bool = False
) -> dict[str, int]:
    """Return extents of the image that a padded operand lies in, so that windows reach its border and hardly beyond.

    Every symbol that coordinates of an operand are tested against is set near the largest such coordinate: a test that is
    off by one then lets something in or keeps something out.

    Parameters
    ----------
    beyond : bool
        Let some windows reach beyond the border in every direction, instead of in some runs.
    """
    extents = {axis.name: int(evaluate(axis.extent, values)) for axis in form.k_axes}
    m, n = int(evaluate(form.m, values)), int(evaluate(form.n, values))
    if not m or not n or not all(extents.values()):
        return {}
    found: dict[str, int] = {}
    for term in (form.a, form.b):
        places: dict[str, Value] = {**values, ITEM.name: 0, I.name: 0, J.name: np.arange(n)}
        if term is form.a:
            places |= {I.name: np.arange(m), J.name: 0}
        places |= {name: extent - 1 for name, extent in extents.items()}
        for named in (*form.item_names, *term.hoisted):
            places[named.name] = evaluate(named.value, places)
        for test in term.guard:
            if test.fn is TestFn.LT and isinstance(test.right, Sym):
                farthest = int(np.max(evaluate(test.left, places)))
                found[test.right.name] = max(farthest + 1 - int(random.choice([1, 2] if beyond else [0, 0, 1, 2])), 1)
    return found


def divisors(form: Contraction) -> frozenset[str]:
    """Return the symbols that coordinates of operands are divided by: the width of a row of output pixels."""
    named = (named.value for term in (form.a, form.b) for named in term.hoisted)
    return frozenset(name for value in named for name in divided_by(value))


def _extents(
    kernel: SemanticKernel, name: str, tile: int, form: Contraction | None, ones: Sequence[str] = ()
) -> list[int]:
    """Values of one extent that cut every range tested against it."""
    multiple = next((symbol.multiple for symbol in kernel.symbols if symbol.name == name), 1)
    found: list[int] = []
    for low, high in sorted(ranges(kernel, name, form, ones)):
        if not 0 <= low <= high < _FARTHEST * tile:
            continue
        inside = [value for value in range(-(-(low + 1) // multiple) * multiple, high + 1, multiple)]
        edges = [value for value in (low, high + 1) if value % multiple == 0 and value]
        if not any(value in found for value in inside):
            found += [value for value in inside[:1] or edges if value not in found]
    return found or [tile]


def ranges(kernel: SemanticKernel, name: str, form: Contraction | None = None, ones: Sequence[str] = ()) -> set[Range]:
    """Return the ranges of what is tested against the extent called `name`, counted from the first tile and iteration.

    A test counts if its right side is the extent, up to a constant; a box if it lies along a dimension of that extent. With `form`
    those are left out that fit the addresses of what the kernel computes, and so hold at every size. Symbols in `ones` are 1.
    """
    found: set[Range] = set()
    for role in kernel.roles:
        known: dict[str, Value] = {symbol.name: _LARGE for symbol in kernel.symbols}
        known |= one_group(kernel, 2 * _LARGE)
        known |= dict.fromkeys(ones, 1)
        known |= {"block": 0, "blocks": kernel.launch.cluster, "cluster_rank": 0, "worker": 0, "workers": 1}
        known |= {f"{ring.name}_slot": 0 for ring in kernel.rings}
        known[role.name] = np.arange(max(role.instances, 1))[:, None, None]
        found.update(_walk(role, role.body, _Scope(name, known, {}, tables(kernel), form)))
    return found


_IN_REGISTERS = (AccumulatorFence, Commit, Fill, Mma, SchedulingFence, Turn, Wait)
"""Steps that test nothing and name no place."""


class _Scope(NamedTuple):
    """The extent in question, what symbols are worth at the first tile, what lets stand for, and what extents tests around look at."""

    extent: str
    known: dict[str, Value]
    lets: dict[str, Index]
    tables: Tables
    form: Contraction | None = None
    whole: frozenset[str] = frozenset()

    def fits(self, node: Node | Box) -> bool:
        """Whether the tests of a step, or a box's bounds, fit its address, found once for all extents."""
        form = self.form
        if form is None:
            return False

        def compute() -> tuple[Node | Box, bool]:
            if isinstance(node, Box):
                return node, box_settled(node, form, self.lets)
            multiples = {symbol.name: symbol.multiple for symbol in self.tables.kernel.symbols}
            return node, settled(node, form, self.lets, multiples, self.whole)

        return self.tables.once(("fits", id(node)), compute)[1]

    def clamps(self, node: Node) -> tuple[tuple[Index, Index], ...]:
        """What a step's addresses take the minimum of, found once for all extents."""
        return self.tables.once(("clamps", id(node)), lambda: (node, tuple(_clamps(node))))[1]

    def inside(self) -> _Scope:
        """The same, to be changed."""
        return self._replace(known=dict(self.known), lets=dict(self.lets))

    def where(self, guard: Guard) -> _Scope:
        """The same where a guard holds."""
        return self._replace(whole=self.whole | extents_of(guard, self.lets))

    def value(self, expr: Index, **places: Value) -> Value | None:
        """What an expression is worth; None if it depends on what has no simple value here."""
        try:
            return evaluate(expr, {**self.known, **places})
        except ConfigurationError:
            return None

    def beyond(self, right: Index) -> int | None:
        """The constant c if `right` is the extent plus c, else None."""
        if isinstance(right, Const):
            return None
        if isinstance(right, Sym) and right.name not in self.lets:
            return 0 if right.name == self.extent else None
        plain = substitute(right, self.lets)
        if self.extent not in symbols(plain):
            return None
        first, second = (self.value(plain, **{self.extent: _LARGE + more}) for more in (0, 1))
        if not isinstance(first, int) or not isinstance(second, int) or second - first != 1:
            return None
        return first - _LARGE


def _walk(role: Role, nodes: tuple[Node, ...], outer: _Scope) -> Iterator[Range]:
    scope = outer.inside()
    for node in nodes:
        if isinstance(node, Let):
            value = scope.value(node.value) if node.fragment is None else None
            if value is not None:
                scope.known[node.name] = value
                scope.lets[node.name] = substitute(node.value, scope.lets)
            continue
        if isinstance(node, _IN_REGISTERS):
            continue
        yield from _tests(role, node, scope)
        if isinstance(node, Loop):
            start = scope.value(node.start)
            scope.known[node.var] = start if isinstance(start, int) and start < _FAR else 0
            yield from _walk(role, node.body, scope)
        elif isinstance(node, Staged):
            yield from _walk(role, node.body, scope)
        elif isinstance(node, If):
            yield from _walk(role, node.then, scope.where(node.guard))
            yield from _walk(role, node.otherwise, scope)


def _tests(role: Role, node: Node, scope: _Scope) -> Iterator[Range]:
    box = node.source if isinstance(node, AsyncLoad) else node.target if isinstance(node, AsyncStore) else None
    if isinstance(box, Box) and scope.fits(box):
        return
    if isinstance(box, Box) and box.pixels is not None:
        return  # windows beyond the last one are zeros, and where the images end is not an extent of the form
    if isinstance(box, Box):
        for origin, extent, count in zip(box.origin, box.extents, box.shape, strict=True):
            shift, start = scope.beyond(extent), scope.value(origin)
            if shift is not None and start is not None:
                low = int(np.min(start)) - shift
                yield low, low + count - 1
        return
    tests = [(t.left, t.right, t.fn) for t in getattr(node, "guard", ()) if t.fn in (TestFn.LT, TestFn.LE)]
    tests += [(left, right, TestFn.LE) for left, right in scope.clamps(node)]
    if not tests or (isinstance(node, Load | Store | AsyncCopy) and scope.fits(node)):
        return
    places: dict[str, Value] = {}
    for smaller, larger, fn in tests:
        shift = scope.beyond(larger)
        if shift is None:
            continue
        fragment = getattr(node, "fragment", None)
        if isinstance(fragment, str) and fragment and not places:
            places[ROW.name], places[COLUMN.name], _ = elements(role.fragment(fragment).layout)
        left = scope.value(smaller, **places)
        if left is not None:
            less = shift + (fn is TestFn.LE)
            yield int(np.min(left)) - less, int(np.max(left)) - less


def _clamps(node: Node) -> Iterator[tuple[Index, Index]]:
    """What a step's addresses, or a loop's bounds, take the minimum of: a coordinate and the last one that exists."""
    own = (node.start, node.stop) if isinstance(node, Loop) else () if isinstance(node, If | Staged) else node
    pending = [index for index in indices(own) if isinstance(index, IndexOp)]
    while pending:
        index = pending.pop()
        if index.fn is IndexFn.MIN:
            yield index.left, index.right
            yield index.right, index.left
        pending += [part for part in (index.left, index.right) if isinstance(part, IndexOp)]
