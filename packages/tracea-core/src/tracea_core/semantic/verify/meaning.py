# SPDX-License-Identifier: MIT
r"""The kernel computes its contraction: settled by running it on integers at sizes that reach every edge.

A schedule without data-dependent branches computes, for given sizes, a fixed polynomial of its inputs. Two polynomials
of degree d that differ agree on a random point of {−s, …, s}ⁿ with probability at most d/(2s + 1) (Schwartz–Zippel),
and float64 arithmetic on such integers is exact, so one run decides equality up to that probability; it also sees
every read of unwritten memory, every address out of bounds, and every output element that is not written exactly once.

Sizes: all expressions are quasi-affine in m, n and k, with periods that follow from the tile sizes and from what the
expressions divide by (`periods`). The sample holds, for each of the three, 0, 1, one less than, equal to and one more
than a period, and a size of several periods, combined with several worker counts, splits and interleavings; problems with
padding are run at further strides, dilations and borders.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.expr import evaluate as evaluate_expr
from tracea_core.semantic.contraction import (
    HALO_CHANNEL,
    HALO_COLUMN,
    HALO_ROW,
    ITEM,
    Contraction,
    Halo,
    I,
    J,
    Term,
    Windows,
)
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, Value, evaluate, holds, symbols
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel, shares_memory, walk
from tracea_core.semantic.quotient import divisor_of, reciprocals
from tracea_core.semantic.steps import Let, Loop
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.sizes import block_sizes, borders, divisors, strides

Array = npt.NDArray[np.float64]
Summed: TypeAlias = Contraction | Sweep
"""The forms whose elements are an expression of sums."""
_NEAR = 9
"""How far from an extent symbols are drawn that lie near it: one more than the longest run of elements."""
_LARGEST = 1 << 12
_DRAWN = 6
_AGAIN = 4
_BORDERS = 12
_LONGEST_PERIOD = 64
_ALIGNED = 16
_SHORTEST_STRIDE = 4
_SHORT_AXES = (3, 2, 1)
"""Extents of several nested reduction axes: each is the longest in some run, and their product stays small."""


class Instance:
    """A contraction with numbers for its symbols: random operands, and the result by definition."""

    def __init__(self, contraction: Summed, symbols: Mapping[str, int], seed: int) -> None:
        self.c = contraction
        self.symbols: dict[str, Value] = dict(symbols)
        self.random = np.random.default_rng(seed)
        sizes = (contraction.items, contraction.m, contraction.n)
        self.items, self.m, self.n = (int(evaluate(size, self.symbols)) for size in sizes)
        extents = [int(evaluate(axis.extent, self.symbols)) for axis in contraction.k_axes]
        grid = np.ogrid[tuple(slice(extent) for extent in (self.items, self.m, self.n, *extents))]
        names = (ITEM.name, I.name, J.name, *(axis.name for axis in contraction.k_axes))
        self.places: dict[str, Value] = {**self.symbols, **dict(zip(names, grid, strict=True))}
        for named in contraction.item_names:
            self.places[named.name] = evaluate(named.value, self.places)
        self.shape = (self.items, self.m, self.n, *extents)
        self.memory: dict[str, Array] = {}

    def expected(self) -> tuple[npt.NDArray[np.int64], Array]:
        """Return the output's offsets and values, as arrays of shape (items, m, n)."""
        sums = self._sums()
        operands = [
            np.squeeze(self._operand(term), axis=tuple(range(3, len(self.shape)))) for term in self.c.epilogue_terms
        ]
        values = np.broadcast_to(evaluate_expr(self.c.epilogue.expr, sums, operands), self.shape[:3])
        offsets, _ = self._address(self.c.out)
        return np.broadcast_to(offsets.reshape(offsets.shape[:3]), self.shape[:3]), values

    def _sums(self) -> list[Array]:
        """What the epilogue is applied to: products, one for each gate, or what a pass adds up."""
        if isinstance(self.c, Sweep):
            return [np.broadcast_to(self._operand(self.c.source), self.shape).sum(axis=3)]
        a = self._operand(self.c.a)
        return [self._product(a, self._operand(self.c.b, shift=gate * self.n)) for gate in range(self.c.gates)]

    def _product(self, a: Array, b: Array) -> Array:
        """Σ over the K axes of a·b; exact in any order, so as a matrix product (a has no j, b no i)."""
        items, m, n, *axes = self.shape
        deep = int(np.prod(axes, dtype=np.int64))
        left = np.broadcast_to(a, (a.shape[0], m, 1, *axes)).reshape(a.shape[0], m, deep)
        right = np.broadcast_to(b, (b.shape[0], 1, n, *axes)).reshape(b.shape[0], n, deep)
        return np.broadcast_to(left @ right.transpose(0, 2, 1), (items, m, n))

    def _address(self, term: Term, shift: int = 0) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        places = dict(self.places)
        places[J.name] = places[J.name] + shift
        for named in term.hoisted:
            places[named.name] = evaluate(named.value, places)
        offsets = np.asarray(evaluate(term.offset, places), np.int64)
        offsets = offsets.reshape(offsets.shape or (1,) * len(self.shape))
        return offsets, np.asarray(holds(term.guard, places), np.bool_)

    def hold_image(self, halo: Halo) -> None:
        """Make the image's memory large enough for all of it: a copy reads what no window may touch."""
        extents = (self.items, *(int(evaluate(e, self.symbols)) for e in (halo.height, halo.width, halo.channels)))
        names = (ITEM.name, HALO_ROW.name, HALO_COLUMN.name, HALO_CHANNEL.name)
        places = {**self.symbols, **dict(zip(names, np.ogrid[tuple(slice(extent) for extent in extents)], strict=True))}
        offsets = np.broadcast_to(np.asarray(evaluate(halo.source.offset, places), np.int64), extents)
        used = offsets[np.broadcast_to(np.asarray(holds(halo.source.guard, places), np.bool_), extents)]
        self._random(halo.source.operand, int(used.max()) + 1 if used.size else 0)

    def hold_windows(self, operand: str, windows: Windows) -> None:
        """Make the images' memory large enough for all of them: an engine that walks over windows does not stop at the last row."""
        extents, strides = (
            [int(evaluate(part, self.symbols)) for part in parts] for parts in (windows.extents, windows.strides)
        )
        last = sum((extent - 1) * stride for extent, stride in zip(extents, strides, strict=True))
        self._random(operand, last + 1 if min(extents) > 0 else 0)

    def _random(self, operand: str, size: int) -> Array:
        """The operand's memory, of `size` elements at least: random integers."""
        known = self.memory.get(operand, np.zeros(0))
        if size > known.size:
            fresh = self.random.integers(-_LARGEST, _LARGEST, size - known.size).astype(np.float64)
            self.memory[operand] = known = np.concatenate([known, fresh])
        return known

    def _operand(self, term: Term, shift: int = 0) -> Array:
        offsets, inside = self._address(term, shift)
        offsets, inside = np.broadcast_arrays(offsets, inside)
        used = offsets[inside]
        if used.size and used.min() < 0:
            raise CertificationError(f"the definition itself reads before the start of {term.operand!r}")
        known = self._random(term.operand, int(used.max()) + 1 if used.size else 0)
        values = np.zeros(offsets.shape)
        values[inside] = known[used]
        return values


def check_meaning(
    kernel: SemanticKernel, contraction: Summed, seed: int = 0, *, elsewhere: bool = False
) -> tuple[Proof, ...]:
    """Prove by exact evaluation that `kernel` computes `contraction`.

    Parameters
    ----------
    seed : int
        Seed of operands, free strides and interleavings.
    elsewhere : bool
        Run at sizes drawn at random around the edges of tiles instead of the chosen ones: a second opinion.

    Raises
    ------
    CertificationError
        If a run differs from the definition, writes an element not exactly once, or does what no correct kernel does.
    """
    runs = 0
    for number, (values, workers) in enumerate(samples(kernel, contraction, seed, elsewhere)):
        instance = Instance(contraction, values, seed + number)
        offsets, expected = instance.expected()
        if isinstance(contraction, Contraction) and contraction.halo is not None and kernel.configuration.halo:
            instance.hold_image(contraction.halo)
        if isinstance(contraction, Contraction) and contraction.windows is not None:
            instance.hold_windows(contraction.a.operand, contraction.windows)
        counts = np.bincount(offsets.ravel()) if offsets.size else offsets.ravel()
        if counts.size and counts.max() > 1:
            continue
        sizes = dict(m=instance.m, n=instance.n, items=instance.items, k=instance.shape[3:], workers=workers)
        out = contraction.out.operand
        operands = {name: np.zeros(0) for name in (p.name for p in kernel.parameters)} | instance.memory
        operands[out] = np.zeros(int(offsets.max()) + 1 if offsets.size else 0)
        run = interpreter(kernel, values, operands, workers, seed + number)
        try:
            run.run()
        except (InterpretError, ConfigurationError) as error:
            raise CertificationError(f"the schedule fails: {error}", sizes=sizes) from error
        memory = run.memory[out]
        _compare(memory.written, memory.values, offsets, counts, expected, sizes)
        runs += 1
    if runs < 3:
        raise CertificationError("too few sizes could be tried", runs=runs)
    chance = 2 * max(1, runs) / (2 * _LARGEST)
    return (
        Proof(
            "meaning",
            "every output element is written once, with the value the contraction defines",
            f"{runs} exact runs over edge sizes, workers and interleavings; a wrong kernel passes one with probability below "
            f"{chance / runs:.1e}",
        ),
    )


def _compare(
    written: Integers, values: Array, offsets: Integers, counts: Integers, expected: Array, sizes: object
) -> None:
    """Compare with the definition: the output's elements (`counts` is 1) are written once, gaps never, values are equal."""
    if np.any(written != counts):
        place = int(np.argmax(written != counts))
        raise CertificationError(
            f"output element {place} is written {written[place]} times instead of {counts[place]}", sizes=sizes
        )
    got = values[offsets]
    if not np.array_equal(got, expected, equal_nan=True):
        wrong = np.argwhere(~((got == expected) | (np.isnan(got) & np.isnan(expected))))
        raise CertificationError(
            f"{len(wrong)} of {got.size} output elements are wrong, the first at (item, i, j) = {tuple(wrong[0])}",
            sizes=sizes,
        )


def samples(
    kernel: SemanticKernel, contraction: Summed, seed: int, elsewhere: bool = False
) -> Iterator[tuple[dict[str, int], int]]:
    """Yield symbol values and a number of workers for each run (see the module's text for the choice)."""
    random = np.random.default_rng(seed)
    tall, wide, deep = periods(kernel, contraction)
    blocks = bool(kernel.rings) or shares_memory(kernel)
    extents_of_k = [axis.extent for axis in contraction.k_axes]
    k_name = extents_of_k[0].name if len(extents_of_k) == 1 and isinstance(extents_of_k[0], Sym) else ""
    if elsewhere:
        sizes = [_anywhere(kernel, random) for _ in range(_DRAWN)]
    else:
        sizes = block_sizes(kernel, k_name) if blocks else _sizes(tall, wide, deep)
    if any(term.guard for term in contraction.factors):  # padding: strides, dilations and borders vary as well
        sizes = [*sizes, *((min(m, tall + 1), min(n, wide + 1), k) for m, n, k in _sizes(tall, wide, deep)[:_AGAIN])]
        sizes += [(1 + number % 3, number % 2 * wide + wide // 2 + number, 3) for number in range(_BORDERS)]
    if isinstance(contraction, Sweep):  # whole tiles and edges add several parts
        sizes = [*sizes, *(((2 * tall, 2 * wide, 3),) * 3), (tall + 1, 2 * wide + 1, 2), (tall, wide - 1, 2)]
    launch = {symbol.name: symbol.minimum for symbol in kernel.symbols} if not elsewhere else {}
    launch = {name: least for name, least in launch.items() if name not in {s.name for s in contraction.symbols}}
    for number, (m, n, k) in enumerate(sizes):
        values = {symbol.name: int(random.integers(1, 3)) for symbol in kernel.symbols}
        extents = [(contraction.m, m), (contraction.n, n), *_axis_extents(contraction, k, number, long=blocks)]
        given = {expr.name: value for expr, value in extents if isinstance(expr, Sym)}
        values |= given | (launch if number == 0 else {})  # what is chosen at launch takes its least value too
        for symbol in kernel.symbols:
            if symbol.name not in given and (symbol.minimum < 0 or symbol.multiple > 1):
                values[symbol.name] = int(random.integers(2, 9)) * symbol.multiple
        padded = any(term.guard for term in contraction.factors)
        if isinstance(contraction, Contraction) and blocks and not padded and number % 4:
            values |= strides(contraction, values, random)
        if isinstance(contraction, Contraction) and padded:
            values |= {name: int(random.integers(1, 6)) for name in divisors(contraction) - given.keys()}
            values |= borders(contraction, values, random)
        for name, extent in contraction.near:
            off = (int(random.integers(1, _NEAR)), -1, int(random.integers(-_NEAR, 1)))[number % 3]
            values[name] = max(int(evaluate(extent, values)) + off, 0)
        for symbol in kernel.symbols:
            least = max(values[symbol.name], symbol.minimum)
            values[symbol.name] = -(-least // symbol.multiple) * symbol.multiple
        _spread_output(contraction, values, random, aligned=blocks)
        if isinstance(contraction, Contraction) and contraction.halo is not None and kernel.configuration.halo:
            extents_of = {axis.name: int(evaluate(axis.extent, values)) for axis in contraction.k_axes}
            values |= contraction.halo.large_enough(n, extents_of["r"], extents_of["s"], values)
        values |= reciprocals(values, [d for symbol in kernel.symbols if (d := divisor_of(symbol.name)) is not None])
        yield values, kernel.launch.cluster * (1 + number % (2 if blocks else 3))


def _anywhere(kernel: SemanticKernel, random: np.random.Generator) -> tuple[int, int, int]:
    """A size around one or two tiles in each direction."""
    config = kernel.configuration
    periods = (config.tile_m * config.cluster_m, config.tile_n * config.cluster_n, config.tile_k * config.split_k)
    m, n, k = (
        max(
            0,
            int(random.integers(0, 3)) * period
            + int(random.integers(-3, 4)) * int(random.choice([1, max(period // 7, 1)])),
        )
        for period in periods
    )
    return m, n, k + (int(random.integers(0, config.stages + 1)) * config.tile_k if config.stages > 1 else 0)


def periods(kernel: SemanticKernel, contraction: Summed) -> tuple[int, int, int]:
    """Return the periods in m, n and k after which what the kernel does repeats: its tile, and what it divides by.

    A quotient by c of something with period p repeats after p·c; periods through lets are followed, those beyond 64 left out
    (what they are composed of stays).
    """
    config = kernel.configuration
    values = {node.name: node.value for role in kernel.roles for node in walk(role.body) if isinstance(node, Let)}
    loops = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Loop)]

    @functools.cache
    def period(expr: Index, name: str) -> int:
        """How far `name` goes until `expr` has gone a whole step; 0 if it does not depend on it."""
        if isinstance(expr, Sym):
            return 1 if expr.name == name else period(values[expr.name], name) if expr.name in values else 0
        if not isinstance(expr, IndexOp):
            return 0
        left, right = period(expr.left, name), period(expr.right, name)
        if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD) and isinstance(expr.right, Const):
            return left * expr.right.value
        return math.lcm(left or 1, right or 1) if left or right else 0

    found = []
    k_names = [axis.extent.name for axis in contraction.k_axes if isinstance(axis.extent, Sym)]
    outer = [expr.name for expr in (contraction.m, contraction.n) if isinstance(expr, Sym)]
    for tile, names in ((config.tile_m, outer[:1]), (config.tile_n, outer[1:]), (config.tile_k, k_names)):
        every = [period(expr, name) for expr in values.values() for name in names]
        for loop, name in itertools.product(loops, names):
            if whole := period(loop.stop, name):
                every += [whole, loop.step, math.lcm(whole, loop.step)]
        longest = [p for p in every if p <= max(_LONGEST_PERIOD, tile)]
        found.append(max([tile, *longest]) if tile <= _LONGEST_PERIOD else tile)
    return found[0], found[1], found[2]


def _axis_extents(contraction: Summed, k: int, number: int, long: bool) -> list[tuple[Index, int]]:
    """Extents of the K axes for a reduction of about `k`: several are short but one, which is long where `long` says so."""
    axes = contraction.k_axes
    if len(axes) == 1:
        return [(axes[0].extent, k)]
    found = []
    for position, axis in enumerate(axes):
        short = _SHORT_AXES[(number + position) % 3]
        longest = -(-k // (_SHORT_AXES[1] * _SHORT_AXES[2])) if short == _SHORT_AXES[0] and long else short
        found.append((axis.extent, min(k, longest)))
    return found


def _sizes(tall: int, wide: int, deep: int) -> list[tuple[int, int, int]]:
    return [
        (tall, wide, deep),
        (1, 1, 1),
        (tall + 1, wide - 1, 0),
        (max(tall - 1, 1), wide + 1, deep + 1),
        (0, wide, deep),
        (tall, 0, deep),
        (2 * tall + 1, 1, max(deep - 1, 1)),
        (1, 2 * wide + 3, 2 * deep + 1),
        (3 * tall, 2 * wide, 3 * deep),
        (3 * tall + 2, 3 * wide - 1, deep),
    ]


def _spread_output(contraction: Summed, values: dict[str, int], random: np.random.Generator, aligned: bool) -> None:
    """Give the output's strides values under which its elements are distinct, with gaps between them.

    A stride is a little longer than what the strides inside it reach, not more: memory holds every gap. With `aligned` they are
    multiples of what copy engines want.
    """
    used = symbols(contraction.out.offset)
    free = [symbol for symbol in contraction.symbols if symbol.name in used and symbol.minimum < 0]
    values |= {symbol.name: 0 for symbol in free}
    sizes = [int(evaluate(extent, values)) for extent in (contraction.items, contraction.m, contraction.n)]
    grid = np.ogrid[tuple(slice(size) for size in sizes)]
    places: dict[str, Value] = {**values, **dict(zip((ITEM.name, I.name, J.name), grid, strict=True))}

    def reach() -> int:
        """Elements from the first to the last that the strides given so far touch."""
        for named in (*contraction.item_names, *contraction.out.hoisted):
            places[named.name] = evaluate(named.value, places)
        offsets = np.asarray(evaluate(contraction.out.offset, places))
        return int(offsets.max()) + 1 if offsets.size else 1

    for symbol in reversed(free):
        step = max(reach(), _SHORTEST_STRIDE) + int(random.integers(0, 3))
        multiple = math.lcm(symbol.multiple, _ALIGNED if aligned else 1)
        values[symbol.name] = places[symbol.name] = -(-step // multiple) * multiple
