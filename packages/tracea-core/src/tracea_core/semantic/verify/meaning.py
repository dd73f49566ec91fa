# SPDX-License-Identifier: MIT
r"""The kernel computes its contraction: settled by running it on integers at sizes that reach every edge.

A schedule without data-dependent branches computes, for given sizes, a fixed polynomial of its inputs. Two polynomials
of degree d that differ agree on a random point of {−s, …, s}ⁿ with probability at most d/(2s + 1) (Schwartz–Zippel),
and float64 arithmetic on such integers is exact, so one run decides equality up to that probability; it also sees
every read of unwritten memory, every address out of bounds, and every output element that is not written exactly once.

`tracea_core.semantic.verify.samples` says at which sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from tracea_core.errors import CertificationError
from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.ops.expr import Expr
from tracea_core.semantic.closures import Closures
from tracea_core.semantic.contraction import (
    HALO_CHANNEL,
    HALO_COLUMN,
    HALO_ROW,
    ITEM,
    LIST_DEPTH,
    SCALED_RUN,
    Contraction,
    Halo,
    I,
    J,
    Term,
    Windows,
)
from tracea_core.semantic.depthwise import IMAGE, C, Depthwise, R, S
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import Const, Value, evaluate, holds
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.verify import groups
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.runs import Case, Stored, check_runs, launched
from tracea_core.semantic.verify.sample_sizes import Summed
from tracea_core.semantic.verify.samples import samples

Array = npt.NDArray[np.float64]
_LARGEST = 1 << 12
_LARGEST_SCALE = 1 << 8
"""Of scales, which multiply products: sums of them stay below 2^53 too."""


class Instance:
    """A contraction with numbers for its symbols: random operands, and the result by definition."""

    def __init__(
        self, contraction: Summed, symbols: Mapping[str, int], seed: int, known: Closures | None = None
    ) -> None:
        self.c = contraction
        self.known = known or Closures()  # the same expressions in every run
        self.symbols: dict[str, Value] = dict(symbols)
        self.random = np.random.default_rng(seed)
        sizes = (contraction.items, contraction.m, contraction.n)
        self.items, self.m, self.n = (int(evaluate(size, self.symbols)) for size in sizes)
        self.lists = contraction.lists if isinstance(contraction, Contraction) else None
        extents = [self._deepest()] if self.lists is not None else [
            int(evaluate(axis.extent, self.symbols)) for axis in contraction.k_axes
        ]  # fmt: skip
        grid = np.ogrid[tuple(slice(extent) for extent in (self.items, self.m, self.n, *extents))]
        names = (ITEM.name, I.name, J.name, *(axis.name for axis in contraction.k_axes))
        self.places: dict[str, Value] = {**self.symbols, **dict(zip(names, grid, strict=True))}
        self.group_of = groups.group_of_rows(self.symbols, self.m)
        if self.group_of is not None:
            self.places[ITEM.name] = np.maximum(self.group_of, 0).reshape(1, -1, *(1 for _ in grid[2:]))
        for named in contraction.item_names:
            self.places[named.name] = evaluate(named.value, self.places)
        for named in self.lists.names if self.lists is not None else ():
            self.places[named.name] = evaluate(named.value, self.places)
        self.shape = (self.items, self.m, self.n, *extents)
        self.memory: dict[str, Array] = groups.memory_of(self.symbols)
        self.scales = contraction.scales if isinstance(contraction, Contraction) else None
        self._known_sums: tuple[list[Array], list[Array]] | None = None
        if self.scales is not None:
            self.places[SCALED_RUN.name] = self.places[names[-1]] // self.scales.run

    def _deepest(self) -> int:
        """How long the longest list of an item is, in elements."""
        known: dict[str, Value] = {**self.symbols, ITEM.name: np.arange(self.items)}
        for named in self.c.item_names:
            known[named.name] = evaluate(named.value, known)
        return int(np.max(known[LIST_DEPTH.name], initial=0))

    def expected(self) -> tuple[npt.NDArray[np.int64], Array]:
        """Return the output's offsets and values, as arrays of shape (items, m, n)."""
        return self._stored(self.c.epilogue.expr, self.c.out)

    def auxiliary(self) -> tuple[Stored, ...]:
        """Return the second results in the same way, and forget what their memory was thought to hold."""
        found = []
        for slot, expr in self.c.epilogue.auxiliaries.items():
            term = self.c.epilogue_terms[slot]
            offsets, values = self._stored(expr, term)
            self.memory[term.operand] = np.zeros(int(offsets.max()) + 1 if offsets.size else 0)
            found.append(Stored(term.operand, offsets, values))
        return tuple(found)

    def _stored(self, expr: Expr, target: Term) -> tuple[npt.NDArray[np.int64], Array]:
        """What an expression of the sums is at every place of a term."""
        if self._known_sums is None:
            self._known_sums = (
                self._sums(),
                [
                    np.squeeze(self._operand(term), axis=tuple(range(3, len(self.shape))))
                    for term in self.c.epilogue_terms
                ],
            )
        values = np.broadcast_to(evaluate_expr(expr, *self._known_sums), self.shape[:3])
        offsets, _ = self._address(target)
        offsets = np.broadcast_to(offsets.reshape(offsets.shape[:3]), self.shape[:3])
        if self.group_of is not None:  # rows of no group are nobody's
            offsets, values = offsets[:, self.group_of >= 0], values[:, self.group_of >= 0]
        return offsets, values

    def _sums(self) -> list[Array]:
        """What the epilogue is applied to: products, one for each gate, or what a pass adds up."""
        if isinstance(self.c, Sweep):
            return [np.broadcast_to(self._operand(self.c.source), self.shape).sum(axis=3)]
        if isinstance(self.c, Depthwise):
            return [self._windowed(self.c)]
        a = self._operand(self.c.a) * (1 if self.scales is None else self._operand(self.scales.a))
        if self.group_of is not None:
            return [groups.product(a, self._weights(gate * self.n), self.group_of) for gate in range(self.c.gates)]
        if self.lists is not None:  # the reduction of each item ends with its list
            a = a * (self.places[self.c.k_axes[0].name] < self.places[LIST_DEPTH.name])
        if self.scales is not None:
            return [self._product(a, self._operand(self.c.b) * self._operand(self.scales.b))]
        return [self._product(a, self._operand(self.c.b, shift=gate * self.n)) for gate in range(self.c.gates)]

    def _windowed(self, form: Depthwise) -> Array:
        """Σ over its window of each channel's image times its filter: tap by tap, over images with their zeros around them."""
        filters = np.broadcast_to(self._operand(form.b), (1, 1, *self.shape[2:])).reshape(self.n, *form.taps, form.deep)
        lines = int(evaluate(form.lines, self.symbols))
        extents = (lines, self.m)
        found = np.zeros((self.items // max(lines, 1), *extents, self.n))
        if not found.size:
            return found.reshape(self.shape[:3])
        pixels = self._pixels(form, extents)
        part = np.empty_like(found)
        for r, s, c in np.ndindex(*form.taps, form.deep):
            rows, columns = (
                slice(tap * apart, tap * apart + (extent - 1) * step + 1, step)
                for tap, apart, extent, step in zip((r, s), form.dilation, extents, form.stride, strict=True)
            )
            found += np.multiply(pixels[:, rows, columns, :, c], filters[:, r, s, c], out=part)
        return found.reshape(self.shape[:3])

    def _pixels(self, form: Depthwise, extents: tuple[int, int]) -> Array:
        """What the windows of an output of such extents see, of shape (image, row, column, channel, channel within a group)."""
        limits = [int(evaluate(extent, self.symbols)) for extent in (form.image.height, form.image.width)]
        seen = [
            (extent - 1) * step + (tap - 1) * apart + 1
            for extent, step, tap, apart in zip(extents, form.stride, form.taps, form.dilation, strict=True)
        ]
        around = np.zeros((self.items // extents[0], *seen, self.n, form.deep))
        inside = [
            slice(max(edge, 0), min(limit + edge, size))
            for edge, limit, size in zip(form.padding, limits, seen, strict=True)
        ]
        held = around[:, inside[0], inside[1]]
        if not held.size:
            self._random(form.a.operand, 0)
            return around
        image, row, column, channel, within = np.ogrid[tuple(slice(extent) for extent in held.shape)]
        first = [part.start - edge for part, edge in zip(inside, form.padding, strict=True)]
        places = {IMAGE.name: image, R.name: row + first[0], S.name: column + first[1], J.name: channel, C.name: within}
        offset, _ = form.image.pixel(R, S)
        offsets = np.broadcast_to(np.asarray(evaluate(offset, {**self.symbols, **places}), np.int64), held.shape)
        if offsets.min() < 0:
            raise CertificationError(f"the definition itself reads before the start of {form.a.operand!r}")
        held[...] = self._random(form.a.operand, int(offsets.max()) + 1).take(offsets)
        return around

    def _weights(self, shift: int) -> Array:
        """The matrices of all groups, shape (groups, 1, n, k)."""
        own = self.places[ITEM.name]
        assert isinstance(self.c, Contraction) and self.c.groups is not None
        self.places[ITEM.name] = np.arange(int(evaluate(self.c.groups, self.symbols))).reshape(-1, 1, 1, 1)
        found = self._operand(self.c.b, shift) * (1 if self.scales is None else self._operand(self.scales.b))
        self.places[ITEM.name] = own
        return found

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
            places[named.name] = self.known.value(named.value, places)
        offsets = np.asarray(self.known.value(term.offset, places), np.int64)
        offsets = offsets.reshape(offsets.shape or (1,) * len(self.shape))
        return offsets, np.asarray(self.known.holds(term.guard, places), np.bool_)

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

    def hold_pixels(self, form: Depthwise) -> None:
        """Make the images' memory large enough for all of them: a strip reads the columns of windows that nobody asked for."""
        image = form.image
        extents = [int(evaluate(extent, self.symbols)) for extent in (image.height, image.width)]
        if self.items and self.n:
            last = self.items // int(evaluate(form.lines, self.symbols)) - 1
            corner = {**self.symbols, IMAGE.name: last, J.name: self.n - 1, C.name: form.deep - 1}
            offset, _ = image.pixel(Const(extents[0] - 1), Const(extents[1] - 1))
            self._random(form.a.operand, int(evaluate(offset, corner)) + 1)

    def _random(self, operand: str, size: int) -> Array:
        """The operand's memory, of `size` elements at least: random integers."""
        known = self.memory.get(operand, np.zeros(0))
        if size > known.size:
            scaling = self.scales is not None and operand in (self.scales.a.operand, self.scales.b.operand)
            most = _LARGEST_SCALE if scaling else _LARGEST
            fresh = self.random.integers(-most, most, size - known.size).astype(np.float64)
            self.memory[operand] = known = np.concatenate([known, fresh]) if known.size else fresh
        return known

    def _operand(self, term: Term, shift: int = 0) -> Array:
        offsets, inside = self._address(term, shift)
        offsets, inside = np.broadcast_arrays(offsets, inside)
        whole = bool(inside.all())
        if not whole and not inside.any():
            self._random(term.operand, 0)
            return np.zeros(offsets.shape)
        used = offsets if whole else np.where(inside, offsets, 0)
        if used.size and used.min() < 0:
            raise CertificationError(f"the definition itself reads before the start of {term.operand!r}")
        values = self._random(term.operand, int(used.max()) + 1 if used.size else 0).take(used)
        return values if whole else np.where(inside, values, 0.0)


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

    def cases() -> Iterator[Case]:
        known = Closures()
        for number, (values, workers) in enumerate(samples(kernel, contraction, seed, elsewhere)):
            instance = Instance(contraction, values, seed + number, known)
            offsets, expected = instance.expected()
            if isinstance(contraction, Contraction) and contraction.halo is not None and kernel.configuration.halo:
                instance.hold_image(contraction.halo)
            if isinstance(contraction, Contraction) and contraction.windows is not None:
                instance.hold_windows(contraction.windows.operand, contraction.windows)
            if isinstance(contraction, Depthwise):
                instance.hold_pixels(contraction)
            more = instance.auxiliary()
            if any(one.size and np.bincount(one.ravel()).max() > 1 for one in (offsets, *(s.offsets for s in more))):
                continue
            sizes = dict(m=instance.m, n=instance.n, items=instance.items, k=instance.shape[3:], workers=workers)
            launch = launched(kernel, out, values, instance.memory, offsets, workers, seed + number)
            yield Case(launch, offsets, expected, sizes, more)

    out = contraction.out.operand
    runs = check_runs(kernel, out, cases(), _compare)
    if runs < 3:
        raise CertificationError("too few sizes could be tried", runs=runs)
    scaled = isinstance(contraction, Contraction) and contraction.scales is not None
    chance = max(1, runs) * (1 / _LARGEST + (1 / _LARGEST_SCALE if scaled else 0.0))
    return (
        Proof(
            "meaning",
            "every output element is written once, with the value the contraction defines" + _and_more(contraction),
            f"{runs} exact runs over edge sizes, workers and interleavings; a wrong kernel passes one with probability below "
            f"{chance / runs:.1e}",
        ),
    )


def _and_more(contraction: Summed) -> str:
    """Words for second results."""
    names = [contraction.epilogue.operands[slot].name for slot in contraction.epilogue.auxiliaries]
    return f", and so is every element of {' and '.join(names)}" if names else ""


def _compare(written: Integers, values: Array, offsets: Integers, expected: Array, sizes: object) -> None:
    """Compare with the definition: the output's elements are written once, gaps never, values are equal."""
    counts = np.zeros_like(written)
    counts[offsets] = 1
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
