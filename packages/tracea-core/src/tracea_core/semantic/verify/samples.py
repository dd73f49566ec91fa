# SPDX-License-Identifier: MIT
"""Sizes that a kernel's meaning is tried at, few and enough.

All expressions are quasi-affine in m, n and k, with periods that follow from the tile sizes and from what the expressions divide by
(`periods`). The sample holds, for each of the three, 0, 1, one less than, equal to and one more than a period, and a size of several
periods, combined with several worker counts, splits and interleavings; problems with padding are run at further strides,
dilations and borders.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tracea_core.semantic.contraction import ITEM, LIST_DEPTH, Contraction
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import Index, Sym, evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel, shares_memory
from tracea_core.semantic.quotient import divisor_of, reciprocals
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.verify.apart import answered, branches, images_summed, outermost
from tracea_core.semantic.verify.groups import drawn, lists_drawn
from tracea_core.semantic.verify.image_lines import Line, gradient_lines, image_lines, reached
from tracea_core.semantic.verify.line_sizes import crowd, line_sizes
from tracea_core.semantic.verify.listed import longest
from tracea_core.semantic.verify.output_strides import spread_outputs
from tracea_core.semantic.verify.sample_sizes import Size, Summed, anywhere, around_tiles, padded_sizes, periods
from tracea_core.semantic.verify.sizes import SEVERAL, block_sizes, borders, divisors, strides

_NEAR = 9
"""How far from an extent symbols are drawn that lie near it: one more than the longest run of elements."""
_DRAWN = 6
_DEEP = 1
"""The run of one tile whose reduction is as deep as its extents ask for."""
_CARRIED = (0, 4)
"""The runs of uniform kernels in which one block computes all tiles, of many steps and of one: what it leaves behind meets the next."""
_PARTED = 5
"""The run of uniform kernels in which several blocks compute tiles of two items."""
_PARTS = 10
"""The run of a CPU kernel in which all that is chosen at launch takes the value 2: several parts in every direction."""
_APART = 3
"""Choices at launch from which each is 2 alone in some run: where all are, parts of rows and blocks of them hide each other's faults."""
_ALIKE = 4
"""Every so many runs of blocks strides are as they come, and rows may share memory."""
_TURNS = (1, 0, -1, 0)
"""How far strides that a schedule branches on are from what it asks, by turns: the branch is taken with and without padding."""
_INSIDE = (0, 1)
"""The runs of several steps, of a whole tile and of few columns, in which no window begins before its image, so that every step counts."""
_ROOM = 2
"""The run of a CPU kernel whose image goes on beyond its windows: one window too many reads what is not there."""
_SPARE = 3
_SINGLE, _WIDE = 1, 5
"""The run of a CPU kernel with one window, whose image of padded copies is narrower than a row: what is read lies at its very end."""
_PADDING = ("pad_h", "pad_w")
_IMAGES = (2, 2, 3)
"""Images of two lines of three windows, which gradients of filters add up."""
_SMALL = 2
"""The last runs of a CPU kernel, of few rows and two whole panels of one part."""
_LINES = 3
"""Lines of blocks at most, each with a list of its own."""
_MOST_LISTED = 3
"""Entries of a short list at most; of one after the other in one block, one."""
_ASTRAY = (0, 1, -1, 0)
"""On which side of what there is the first entry of the longest list points, run by run."""
_COLUMNS_OF_TAPS = 3
"""Columns of filters whose reductions end within a step."""
_SHORT_AXES = (3, 2, 1)
"""Extents of several nested reduction axes: each is the longest in some run, and their product stays small."""


def samples(
    kernel: SemanticKernel, contraction: Summed, seed: int, elsewhere: bool = False
) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield symbol values and a number of workers for each run (see the module's text for the choice)."""
    random = np.random.default_rng(seed)
    if isinstance(contraction, Depthwise):
        for number, sizes_of_lines in enumerate(line_sizes(kernel, contraction, random, elsewhere)):
            spread_outputs(kernel, contraction, sizes_of_lines, random, aligned=True)
            yield sizes_of_lines, crowd(kernel, number, sizes_of_lines)
        return
    runs = _Runs(kernel, contraction, random, elsewhere)
    for number in range(len(runs.sizes)):
        values = runs.values(number)
        yield values, runs.workers(number, values)


class _Runs:
    """The runs of one proof: sizes, and what else symbols are worth in each.

    Attributes
    ----------
    carried : tuple of int
        The runs that one block computes: of a pass whole tiles, too, one after the other.
    whole : int
        So many sizes are those of whole tiles and their edges; those behind them vary borders.
    usual : int
        So many are a kernel's of its kind; those behind them have long lines.
    """

    def __init__(
        self, kernel: SemanticKernel, form: Contraction | Sweep, random: np.random.Generator, elsewhere: bool
    ) -> None:
        self.kernel, self.form, self.random, self.elsewhere = kernel, form, random, elsewhere
        self.blocks = bool(kernel.rings) or shares_memory(kernel)
        self.multiples = _multiples(kernel, form) if self.blocks else None
        self.taken = {symbol.name: symbol.multiple for symbol in kernel.symbols}
        launch = {symbol.name: symbol.minimum for symbol in kernel.symbols} if not elsewhere else {}
        own = {symbol.name for symbol in form.symbols}
        self.launch = {name: least for name, least in launch.items() if name not in own}
        self.added = self.blocks and isinstance(form, Contraction) and bool(images_summed(form))
        self.padded = any(term.guard for term in form.factors)
        self.asked = branches(kernel)
        self.divided = [d for symbol in kernel.symbols if (d := divisor_of(symbol.name)) is not None]
        self.divisors = divisors(form) if isinstance(form, Contraction) else frozenset[str]()
        self.carried: tuple[int, ...] = _CARRIED
        self.sizes, self.whole = self._sizes()
        self.alone = self._alone()
        self.usual = len(self.sizes)
        self.lines = self._lines()
        self.sizes += [line.size for line in self.lines]
        self.roomy = () if kernel.rings else (_INSIDE[-1], self.whole - 1) if self.blocks else (_ROOM,)

    def _sizes(self) -> tuple[list[Size], int]:
        """Sizes of a kernel of its kind, and how many of them are those of whole tiles and their edges."""
        kernel, form = self.kernel, self.form
        tall, wide, deep = periods(kernel, form)
        extents_of_k = [axis.extent for axis in form.k_axes]
        k_names = [extent.name for extent in extents_of_k if isinstance(extent, Sym)]
        k_name, others = k_names[-1] if k_names else "", tuple(k_names[:-1])
        if len(k_names) != len(extents_of_k) or (others and kernel.rings):
            k_name, others = "", ()
        sizes: list[Size] = []
        if self.elsewhere:
            sizes += [anywhere(kernel, self.random) for _ in range(_DRAWN)]
        elif self.blocks:
            sizes += block_sizes(kernel, k_name, form if isinstance(form, Contraction) else None, others)
        else:
            sizes += around_tiles(tall, wide, deep)
        whole = len(sizes)
        if self.padded:  # strides, dilations and borders vary as well
            sizes += padded_sizes(kernel, form, (tall, wide, deep))
            if (
                isinstance(form, Contraction)
                and self.blocks
                and not (kernel.rings or kernel.configuration.halo or self.elsewhere)
            ):
                sizes += self._last_taps()
        if isinstance(form, Contraction) and form.scales is not None:  # tiles of a second block of each
            shared = form.scales
            sizes.append((shared.rows + tall + 1, shared.columns + wide + 1, 2 * shared.run + 1))
            sizes.append(
                (shared.rows, shared.columns, shared.run)
            )  # one whole block: who divides by less counts another
        if isinstance(form, Sweep):  # whole tiles and edges add several parts
            whole_tiles = (2 * tall, 2 * wide, 3)
            self.carried = (*_CARRIED, len(sizes))
            sizes += [whole_tiles, whole_tiles]
            sizes += [(tall - 1, 2 * wide, 3), (tall + 1, 2 * wide + 1, 2), (tall, wide - 1, 2)]
        return sizes, whole

    def _alone(self) -> dict[int, str]:
        """Add runs of three tiles of rows and two whole panels, each with one choice at launch as 2: what waits between blocks is full."""
        kernel = self.kernel
        if self.blocks or kernel.configuration.halo or len(self.launch) < _APART:
            return {}
        tall, wide, deep = periods(kernel, self.form)
        first = len(self.sizes)
        self.sizes += [(2 * tall + 1, 2 * wide, max(deep - 1, 1))] * len(self.launch)
        return dict(enumerate(self.launch, first))

    def _last_taps(self) -> list[Size]:
        """One run whose last step, behind more steps than are in flight, has several taps of filters and is not full."""
        form, configuration = self.form, self.kernel.configuration
        if len(form.k_axes) < len(_IMAGES):
            return []
        channels = form.k_axes[-1].extent
        each = _COLUMNS_OF_TAPS * (self.taken.get(channels.name, 1) if isinstance(channels, Sym) else 1)
        least = configuration.stages * configuration.tile_k // each + 1
        rows = max(range(least | 1, least + 9, 2), key=lambda count: count * each % configuration.tile_k)
        taps = (1,) * (len(form.k_axes) - len(_IMAGES)) + (rows, _COLUMNS_OF_TAPS, each // _COLUMNS_OF_TAPS)
        return [(configuration.tile_m - 1, 2, taps)]

    def _lines(self) -> list[Line]:
        """Runs of a kernel of images whose lines are so long, or filters so wide, that a wrong count of them shows."""
        form = self.form
        if not isinstance(form, Contraction):
            return []
        if self.kernel.rings and not self.elsewhere and form.b.guard:
            return gradient_lines(self.kernel, form)
        return list(image_lines(self.kernel, form, bool(self.asked)))

    def values(self, number: int) -> dict[str, Any]:
        """Return what every symbol is worth in one run."""
        kernel, form, random = self.kernel, self.form, self.random
        m, n, k = self.sizes[number]
        line = self.lines[number - self.usual] if number >= self.usual else None
        values: dict[str, Any] = {symbol.name: int(random.integers(1, 3)) for symbol in kernel.symbols}
        turn = number % len(_TURNS) if line is None else _TURNS.index(0 if line.joined else 1)
        if isinstance(form, Contraction) and form.groups is not None:
            m, ends = drawn(m, kernel.configuration.tile_m, random)
            values |= {"groups": ends.size, GROUP_ENDS: ends}
        given = self._given(number, (m, n, k))
        values |= given
        plain = not self.blocks and not self.elsewhere and self.whole - _SMALL <= number < self.whole
        if isinstance(form.items, Sym) and (items := self._items(number)):
            values[form.items.name] = items
        if number == 0 or plain:  # what is chosen at launch takes its least value too
            values |= self.launch
        elif number == _PARTS and not self.blocks:
            values |= dict.fromkeys(self.launch, 2)
        elif number in self.alone:
            values |= self.launch | {self.alone[number]: 2}
        if isinstance(form, Contraction) and form.lists is not None:
            depth = given.pop(LIST_DEPTH.name, 0)
            values.pop(LIST_DEPTH.name, None)
            lines, astray = 1 + number % _LINES, _ASTRAY[number % len(_ASTRAY)]
            if number == 1 and depth:
                depth, lines = longest(kernel, form.lists.run) * form.lists.run, _LINES + 1
            behind = number in _CARRIED
            most = 1 if behind else _MOST_LISTED
            listed = lists_drawn(
                depth, form.lists.run, lines, astray, random, every=number == 1, most=most, behind=behind
            )
            values, given = values | listed, given | {name: size for name, size in listed.items() if name != GROUP_ENDS}
        for symbol in kernel.symbols:
            if symbol.name not in given and (symbol.minimum < 0 or symbol.multiple > 1):
                odd = 1 - number % 2  # in half of all runs strides are multiples of nothing more
                times = int(random.integers(2, 9)) | odd
                values[symbol.name] = times * symbol.multiple
        values |= self._padding(number, (m, n, k), turn)
        if isinstance(form, Contraction) and self.blocks and (number % _ALIKE or not number):
            values |= strides(form, values, random)
        if isinstance(form, Contraction) and self.padded:
            values |= self._image(number, values, given)
        if isinstance(form, Contraction) and self.added:
            values |= outermost(form, values)
        values |= answered(self.asked, values, off=_TURNS[turn])
        for position, (name, extent) in enumerate(
            form.near
        ):  # where one is beyond what there is, another is at its end
            off = (int(random.integers(1, _NEAR)), -1, int(random.integers(-_NEAR, 1)))[(number + position) % 3]
            values[name] = max(int(evaluate(extent, values)) + off, 0)
        if isinstance(form.items, Sym) and form.items.name not in given and not _kept_apart(form):
            values[form.items.name] = 1
        for symbol in kernel.symbols:
            least = max(values[symbol.name], symbol.minimum)
            values[symbol.name] = -(-least // symbol.multiple) * symbol.multiple
        spread_outputs(kernel, form, values, random, aligned=self.blocks)
        if isinstance(form, Contraction) and form.halo is not None and kernel.configuration.halo:
            extents_of = {axis.name: int(evaluate(axis.extent, values)) for axis in form.k_axes}
            values |= form.halo.large_enough(n, extents_of["r"], extents_of["s"], values)
            if line is not None and line.padded:
                values |= reached(form.halo, values)
        return values | reciprocals(values, self.divided)

    def _items(self, number: int) -> int:
        """How many items a run of uniform blocks has, where its size says that; else 0.

        One block goes through tiles alone, then through tiles of two items, and so do several blocks; ranges of tests are cut, and borders
        of images are met, within one item.
        """
        if not self.blocks or self.kernel.rings or self.elsewhere or self.added or number >= self.usual:
            return 0
        if number in _CARRIED or number == _PARTED:
            return 1 if number == _CARRIED[0] else 2
        return int(number >= SEVERAL)

    def _given(self, number: int, size: Size) -> dict[str, int]:
        """The extents that a size decides."""
        m, n, k = size
        extents: list[tuple[Index, int]] = [(self.form.m, m), (self.form.n, n)]
        if isinstance(k, tuple):
            extents += zip((axis.extent for axis in self.form.k_axes), k, strict=True)
        else:
            deep = number == _DEEP and self.blocks and not self.kernel.rings
            extents += _axis_extents(self.form, k, number, {} if deep else self.multiples)
        return {expr.name: value for expr, value in extents if isinstance(expr, Sym)}

    def _padding(self, number: int, size: Size, turn: int) -> dict[str, int]:
        """Padding where a run decides it: none, or one pixel around images whose lines are long."""
        m, n, k = size
        names = [symbol for symbol in self.kernel.symbols if symbol.name in _PADDING]
        if number >= self.usual:
            return {symbol.name: max(symbol.minimum, int(self.lines[number - self.usual].padded)) for symbol in names}
        alone = (
            self.added and isinstance(k, tuple) and number < self.whole
        )  # windows of the image behind the last one lie inside
        last = turn >= len(_TURNS) // 2 or m == n == k == 1  # windows reach the last pixels
        unpadded = bool(self.asked) and bool(k) and last
        if (number in _INSIDE and self.blocks) or number in self.roomy or alone or unpadded:
            return {symbol.name: symbol.minimum for symbol in names}
        return {}

    def _image(self, number: int, values: dict[str, Any], given: dict[str, int]) -> dict[str, int]:
        """Widths of rows of windows, and extents of the images that they lie in."""
        form = self.form
        assert isinstance(form, Contraction)
        found: dict[str, int] = {}
        least = 3 if self.blocks and number >= self.whole else 1  # some window lies inside, whatever the padding
        for name in sorted(self.divisors - given.keys()):
            count, multiple = int(self.random.integers(least, 6)), self.taken.get(name, 1)
            found[name] = count if multiple == 1 else multiple * (1 + count % 2 * 2)
        if number in self.roomy[1:]:
            found |= dict.fromkeys(self.divisors, 1)
        if number == _SINGLE and not self.blocks and form.halo is not None and self.kernel.configuration.halo:
            found |= dict.fromkeys(self.divisors, _WIDE)
        line = self.lines[number - self.usual] if number >= self.usual else None
        if line is not None and line.taps:
            names = self.divisors - given.keys()
            found |= {name: line.taps if self.taken.get(name, 1) == 1 else self.taken[name] for name in names}
        if line is not None and line.across:  # several images, rows and columns
            found |= dict.fromkeys(self.divisors, line.across)
        if line is not None and line.padded and form.items == Sym("items"):
            found["items"] = 2
        reach = borders(form, {**values, **found}, self.random, beyond=self.blocks and number >= self.whole)
        spare = number in self.roomy or (line is not None and line.taps > 0)
        return found | {name: extent + _SPARE * spare for name, extent in reach.items()}

    def workers(self, number: int, values: dict[str, Any]) -> int:
        """Return by how many blocks or workers one run is computed."""
        if self.blocks and not self.kernel.rings:
            tiles = max(int(evaluate(self.kernel.launch.blocks, values)), 1)
            return 1 if number in self.carried else tiles + number % 2
        if number >= self.usual and (crowd := self.lines[number - self.usual].workers):
            return crowd
        return self.kernel.launch.cluster * (1 + number % (2 if self.blocks else 3))


def _kept_apart(contraction: Summed) -> bool:
    """Whether items are written to places of their own: else, as where images are not divided among sums, there is only one."""
    used = set(symbols(contraction.out.offset))
    for named in reversed((*contraction.item_names, *contraction.out.hoisted)):
        used |= symbols(named.value) if named.name in used else set()
    return ITEM.name in used


def _multiples(kernel: SemanticKernel, contraction: Summed) -> dict[str, int]:
    """What the extents of K axes count as multiples of: what is declared of them, or a whole step where one pads channels to it."""
    found = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    windows = contraction.windows if isinstance(contraction, Contraction) else None
    if kernel.rings and windows is not None and windows.operand == contraction.factors[0].operand:
        channels = contraction.k_axes[-1].extent
        assert isinstance(channels, Sym)
        found[channels.name] = kernel.configuration.tile_k
    return found


def _axis_extents(
    contraction: Summed, k: int, number: int, multiples: Mapping[str, int] | None
) -> list[tuple[Index, int]]:
    """Extents of the K axes for a reduction of about `k`: several are short but one, which is long where `multiples` are given.

    Short ones count as what they are rounded up to, so that a ring is no deeper than was asked for. Uniform kernels decode a step into its
    rows, columns and channels by their own arithmetic, whose every carry only deeper reductions reach: in one of their runs, of a single
    tile, `multiples` are none.
    """
    axes = contraction.k_axes
    if len(axes) == 1:
        return [(axes[0].extent, k)]
    short = [_SHORT_AXES[(number + position) % len(_SHORT_AXES)] for position in range(len(axes))]
    counted = [1] * len(axes)
    if multiples is not None:
        rounded = [multiples.get(axis.extent.name, 1) if isinstance(axis.extent, Sym) else 1 for axis in axes]
        whole = [-(-extent // multiple) * multiple for extent, multiple in zip(short, rounded, strict=True)]
        counted = [-(-k * extent // math.prod(whole)) for extent in whole]
    found = []
    for axis, least, deep in zip(axes, short, counted, strict=True):
        found.append((axis.extent, min(k, max(least, deep) if least == _SHORT_AXES[0] else least)))
    return found
