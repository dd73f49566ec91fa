# SPDX-License-Identifier: MIT
r"""The kernel computes its row-wise form: settled by running it in float64 at sizes that reach every edge.

A schedule without data-dependent branches computes, for given sizes, one analytic function of its inputs on each side of a maximum's
comparisons. Two such functions that differ agree on random reals with probability 0, and float64 shows a difference unless it is a
:math:`10^{-9}` of the value; inputs are drawn so that no element weighs less: within ±3 of each other, where an exponential's share
of n columns is at least :math:`e^{-6}/n`. A softmax does not depend on the maximum that it subtracts as long as nothing overflows,
so in further runs one element of each row, at a random place, towers 1500 above the rest, and all elements lie 1500 below 0: a
maximum that misses an element overflows, one that starts at 0 underflows. Where rows stay in registers each part of them is once the
last, whole and one element short, with the tower at its end. Every run also sees reads of unwritten memory, addresses
out of bounds, and outputs that are not written exactly once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from tracea_core.errors import CertificationError
from tracea_core.semantic.contraction import Term
from tracea_core.semantic.index import Sym, evaluate
from tracea_core.semantic.kernel import SemanticKernel, shares_memory
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.runs import Case, check_runs, launched

Array = npt.NDArray[np.float64]
_RELATIVE = 1e-9
_SMALL = 1e-3
"""Elements smaller than this part of their row's largest are compared with it: a mean far from 0 leaves an error of its own size."""
_SPREAD, _TOWER = 3.0, 1500.0
_TOWERS = "tower"
_KINDS = ("even", _TOWERS, "deep")
"""How elements of x are drawn: alike; one of each row far above; all far below 0."""


class RowInstance:
    """A row-wise form with numbers for its symbols: random operands, and the result by definition."""

    def __init__(self, form: Rowwise, symbols: Mapping[str, int], kind: str, seed: int) -> None:
        self.form, self.random = form, np.random.default_rng(seed)
        self.places = form.places(symbols)
        self.rows, self.columns = (int(evaluate(extent, symbols)) for extent in (form.m, form.n))
        self.memory: dict[str, Array] = {}
        self.x = self._draw(form.x, kind)
        self.operands = [self._draw(term, "even") for term in form.operands]

    def expected(self) -> tuple[npt.NDArray[np.int64], Array]:
        """Return the output's offsets and values, as arrays of shape (rows, columns)."""
        return self._offsets(self.form.out), self.form.define(self.x, self.operands)

    def _offsets(self, term: Term) -> npt.NDArray[np.int64]:
        offsets = np.asarray(evaluate(term.offset, self.places), np.int64)
        return np.broadcast_to(offsets.reshape(offsets.shape or (1, 1)), (self.rows, self.columns))

    def _draw(self, term: Term, kind: str) -> Array:
        """Fill the operand's memory and return what each element of the output reads of it."""
        offsets = self._offsets(term)
        if offsets.size and offsets.min() < 0:
            raise CertificationError(f"the definition itself reads before the start of {term.operand!r}")
        memory = self.random.uniform(-_SPREAD, _SPREAD, int(offsets.max()) + 1 if offsets.size else 0)
        if kind == "deep":
            memory -= _TOWER
        elif kind == _TOWERS and offsets.size:
            columns = self.random.integers(0, self.columns, self.rows)
            columns[0] = self.columns - 1  # what a mask leaves out is the last, or the first behind it
            memory[offsets[np.arange(self.rows), columns]] += _TOWER
        self.memory[term.operand] = memory
        return memory[offsets]


def check_row_meaning(kernel: SemanticKernel, form: Rowwise, seed: int = 0) -> tuple[Proof, ...]:
    """Prove by evaluation in float64 that `kernel` computes `form`.

    Parameters
    ----------
    seed : int
        Seed of operands, free strides and interleavings.

    Raises
    ------
    CertificationError
        If a run differs from the definition, writes an element not exactly once, or does what no correct kernel does.
    """
    out = form.out.operand

    def cases() -> Iterator[Case]:
        for number, (values, workers, kind) in enumerate(_samples(kernel, form, seed)):
            instance = RowInstance(form, values, kind, seed + number)
            offsets, expected = instance.expected()
            sizes = dict(rows=instance.rows, columns=instance.columns, workers=workers, inputs=kind)
            launch = launched(kernel, out, values, instance.memory, offsets, workers, seed + number)
            yield Case(launch, offsets, expected, sizes)

    runs = check_runs(kernel, out, cases(), compare)
    return (
        Proof(
            "meaning",
            "every output element is written once, with the value the row-wise form defines",
            f"{runs} runs in float64 over edge sizes, workers, interleavings and kinds of input, within {_RELATIVE:g}",
        ),
    )


def compare(
    written: npt.NDArray[np.int64], values: Array, offsets: npt.NDArray[np.int64], expected: Array, sizes: object,
    rounding: float = 0.0,
) -> None:  # fmt: skip
    """Compare with the definition: the output's elements are written once, gaps never, values are equal but for rounding.

    Parameters
    ----------
    rounding : float
        Share of a row's largest element that rounding may come to, however small an element is.

    Raises
    ------
    CertificationError
        Naming the first element that is not.
    """
    counts = np.bincount(offsets.ravel(), minlength=written.size) if offsets.size else np.zeros_like(written)
    if np.any(written != counts):
        place = int(np.argmax(written != counts))
        raise CertificationError(
            f"output element {place} is written {written[place]} times instead of {counts[place]}", sizes=sizes
        )
    got = values[offsets]
    size = np.abs(expected).max(
        axis=-1, keepdims=True, initial=0.0, where=~np.isnan(expected)
    )  # as roots of random numbers are
    good = np.abs(got - expected) <= _RELATIVE * np.maximum(np.abs(expected), _SMALL * size)
    good |= (np.abs(got - expected) <= rounding * size) | (np.isnan(got) & np.isnan(expected))
    if not good.all():
        raise CertificationError(
            f"{int((~good).sum())} of {got.size} output elements are wrong, the first at {tuple(np.argwhere(~good)[0])}",
            sizes=sizes,
        )


def _samples(kernel: SemanticKernel, form: Rowwise, seed: int) -> Iterator[tuple[dict[str, int], int, str]]:
    """Yield symbol values, a number of workers and a kind of input for each run: around the edges of steps, groups of rows and parts."""
    random = np.random.default_rng(seed)
    config = kernel.configuration
    together = config.warps if config.row_block else 1  # warps that take a row
    tall, wide = config.tile_m * config.warps // together, config.tile_n * together
    sizes = [
        (2 * tall + 1, wide), (1, 1), (tall, wide + 1), (3 * tall, 2 * wide + 3), (tall + 1, wide - 1), (2, 2 * wide),
        (max(tall - 1, 1), 3), (0, wide), (tall, 0), (3 * tall + 2, 3 * wide - 1), (4, 1), (1, 3 * wide),
    ]  # fmt: skip
    kinds = [_KINDS[number % len(_KINDS)] for number in range(len(sizes))]
    part = wide
    if config.block_k == config.tile_n:
        part = config.tile_n // config.unroll_k
        ends = [*range(part, config.tile_n + 1, part), wide]
        sizes += [(2, end - short) for end in ends for short in (0, 1)]
        kinds += [_TOWERS] * (2 * len(ends))
    for number, (rows, columns) in enumerate(sizes):
        values = {symbol.name: int(random.integers(1, 4)) for symbol in kernel.symbols}
        given = {extent.name: value for extent, value in ((form.m, rows), (form.n, columns)) if isinstance(extent, Sym)}
        values |= given
        for symbol in kernel.symbols:
            if symbol.name not in given and symbol.minimum < 0:
                values[symbol.name] = int(random.integers(2, 9))
        for (
            symbol
        ) in kernel.symbols:  # what the kernel does not take is moved to the nearest that it takes, strides as well
            if symbol.name in given:
                least = max(values[symbol.name], symbol.minimum)
                whole = least // symbol.multiple * symbol.multiple
                below = (
                    least + 1
                ) % part == 0 and whole >= symbol.minimum  # one less than a step stays less than a step
                values[symbol.name] = min(
                    whole if below else -(-least // symbol.multiple) * symbol.multiple, symbol.maximum
                )
        values |= _spread_rows(form, values, random)
        for symbol in kernel.symbols:
            least = max(values[symbol.name], symbol.minimum)
            values[symbol.name] = min(-(-least // symbol.multiple) * symbol.multiple, symbol.maximum)
        blocks = max(int(evaluate(kernel.launch.blocks, values)), 1) if shares_memory(kernel) else 1 + number % 3
        yield values, blocks, kinds[number]


def _spread_rows(form: Rowwise, values: dict[str, int], random: np.random.Generator) -> dict[str, int]:
    """Strides of x, the output and operands with a row each, under which their elements are distinct, with gaps between them."""
    found: dict[str, int] = {}
    inner = [(named.name.removeprefix("row_"), values[named.name.removeprefix("row_")]) for named in form.row_names]
    rows = -(-values["m"] // math.prod(extent for _, extent in inner))
    for term in (form.out, form.x, *form.operands):
        axes = [("column", values["n"]), *inner, ("axis0", rows) if inner else ("row", rows)]
        used = [(f"{term.operand}_{axis}", extent) for axis, extent in axes]
        reach = 1
        for symbol, extent in sorted(used, key=lambda entry: entry[0] in values):  # what is fixed has stride 1
            if symbol in values:
                found[symbol] = reach + int(random.integers(0, 3))
                reach = found[symbol]
            reach *= max(extent, 1)
    return found
