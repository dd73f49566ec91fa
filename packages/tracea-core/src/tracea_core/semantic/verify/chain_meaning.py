# SPDX-License-Identifier: MIT
"""The kernel computes its chain of contractions: settled by running it in float64 at sizes that reach every edge.

As for row-wise ops (`tracea_core.semantic.verify.row_meaning`) a schedule without data-dependent branches is, for given sizes, one
analytic function of its inputs on each side of a maximum's comparisons, and random reals tell two of them apart. Windows
reach from nothing to everything. In some runs each row has a key of its own that towers so far above the others that a maximum which
misses it overflows, or, where the key is hidden, that a maximum which sees it leaves nothing of the others; and in some all scores
lie so far below 0 that a maximum which starts there underflows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from tracea_core.ops.evaluate import evaluate as evaluate_expr
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.chained import DEPTH, KEY, Chained
from tracea_core.semantic.contraction import ITEM, I, J, Term
from tracea_core.semantic.index import Sym, Value, evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel, shares_memory
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.row_meaning import compare
from tracea_core.semantic.verify.runs import Case, check_runs, launched

Array = npt.NDArray[np.float64]
_DEEP, _HIGH = 3000.0, 10000.0
"""How far scores lie below 0, and how much higher than other elements those of a row are that has a tower."""
_HIDDEN = 0.125
"""The share of scores that a bias hides."""
_DEEPEST = "largest score possible"
_ROUNDINGS = 4 * np.finfo(np.float64).eps / math.log(2.0)
"""What weights are off by for each unit of the largest score possible: powers of scores that were rounded, as multiples of ln 2 or not."""
_OVERFLOWS = 710.0
"""The exponential of this, and of anything larger, is infinite."""
_KINDS = ("even", "tower", "deep", "even", "even", "tower", "deep", "even", "even", "tower", "even", "tower", "tower")
_SIDES = {9: (1, 1), 10: (1, 1), 11: (1, 0)}
"""Runs of kernels without warps whose windows are open to the left and to the right, or closed: their maxima rise from block to block."""
_APART = 13
"""The run of kernels without warps in which each tile has a worker of its own (`_single_keys`)."""
_KINDS_OF_WARPS = ("tower", "even", "deep", "even", "deep", "even", "tower", "even")
"""How scores are drawn: alike; one key of each row, seen or not, far above the others; all far below 0."""


class ChainInstance:
    """A chain with numbers for its symbols: random operands, and the result by definition."""

    def __init__(self, form: Chained, values: Mapping[str, int], kind: str, seed: int) -> None:
        self.form, self.random, self.symbols = form, np.random.default_rng(seed), dict(values)
        extents = (form.items, form.m, form.n, form.k, form.keys)
        self.items, self.m, self.n, self.k, self.keys = (int(evaluate(extent, values)) for extent in extents)
        self.memory: dict[str, Array] = {}
        self.left = self._draw(form.left, (I, DEPTH), (self.m, self.k))
        self.middle = self._draw(form.middle, (DEPTH, KEY), (self.k, self.keys))
        if kind != "even" and self.middle.size and form.softmax:
            self._spread_scores(kind)
        self.right = self._draw(form.right, (KEY, J), (self.keys, self.n))
        self.operands = [self._draw(term, (I, J), (self.m, self.n)) for term in form.operands]
        self.added = [self._draw_bias(term, kind) for term in form.added]

    def _draw_bias(self, term: Term, kind: str) -> Array:
        """Draw what is added to scores; where these are alike, some is −∞, and all of some rows, if rows differ."""
        drawn = self._draw(term, (I, KEY), (self.m, self.keys))
        memory, offsets = self.memory[term.operand], self._offsets(term, (I, KEY), (self.m, self.keys))
        hides = -np.inf
        if not term.dtype.is_float:
            memory[...], hides = 1.0, 0.0
        if kind == "even" and drawn.size:
            memory[self.random.random(memory.size) < _HIDDEN] = hides
            if I.name in symbols(term.offset):
                memory[offsets[:, self.m // 2]] = hides
        return memory[offsets]

    def _spread_scores(self, kind: str) -> None:
        """Let one key of each row tower above the others, or bring all scores far below 0."""
        left, middle = self.memory[self.form.left.operand], self.memory[self.form.middle.operand]
        offsets = self._offsets(self.form.middle, (DEPTH, KEY), (self.k, self.keys))
        if kind == "tower":
            towers = self._towers()
            for row, item in np.argwhere(
                ~self._seen()[np.arange(self.m), towers].T
            ):  # nothing that a row sees comes near it
                middle[offsets[item, :, towers[item, row]]] = 2.0
            self.middle = middle[offsets]
            rows = self._offsets(self.form.left, (I, DEPTH), (self.m, self.k))
            left[rows] = _HIGH * self._towards(towers)
        else:
            left[...] = np.abs(left) + 1.0
            middle -= _DEEP / math.sqrt(self.k)  # and as far apart as else, so that each key counts
        self.left = left[self._offsets(self.form.left, (I, DEPTH), (self.m, self.k))]
        self.middle = middle[offsets]

    def _towards(self, towers: npt.NDArray[np.int64]) -> Array:
        """Return for each row a direction in which its tower is far above all else that the row sees.

        That is the tower's own, but where a key that is hidden from another row, all of whose elements are alike, comes near it: such
        keys lie in no direction whose elements add up to 0.
        """
        own = self.middle[np.arange(self.items)[:, None], :, towers]
        level = own - own.mean(axis=2, keepdims=True)
        enough = _OVERFLOWS * math.sqrt(self.k) / _HIGH
        low = (self._above(own, towers) < enough) & (self._above(level, towers) >= enough)
        return np.where(low[..., None], level, own)

    def _above(self, way: Array, towers: npt.NDArray[np.int64]) -> Array:
        """How far in a direction each row's tower, if the row sees it, lies above the other keys that the row sees."""
        scores = np.where(self._seen(), way @ self.middle, -np.inf)
        tower = np.take_along_axis(scores, towers[..., None], axis=2)[..., 0]
        np.put_along_axis(scores, towers[..., None], -np.inf, axis=2)
        others = scores.max(axis=2)
        compared = np.isfinite(tower) & np.isfinite(others)
        return np.where(compared, tower, np.inf) - np.where(compared, others, 0.0)

    def _towers(self) -> npt.NDArray[np.int64]:
        """Return a key for each row of each item: those that the row sees in turn, or for every other row a hidden one beside them.

        Consecutive rows take keys that lie evenly apart, so that no group of keys is without a tower.
        """
        towers = self.random.integers(0, self.keys, (self.items, self.m))
        seen, item = self._seen(), np.arange(self.items)
        beside = np.zeros_like(seen)
        beside[:, 1:] |= seen[:, :-1]
        beside[:, :-1] |= seen[:, 1:]
        taken = np.zeros((self.items, self.keys), bool)
        hiding = [
            (row, int(self.random.choice(np.flatnonzero(hidden))))
            for row, hidden in enumerate(beside & ~seen)
            if hidden.any()
        ]
        for row, key in hiding:
            taken[row % 2 :: 2, key] = True
        for row, visible in enumerate(seen):
            for one in item[: self.items * bool(visible.any())]:
                free = np.flatnonzero(visible & ~taken[one])  # not one of those that are alike
                free = free if free.size else np.flatnonzero(visible)
                towers[one, row] = free[(row * free.size // self.m + one * free.size // self.items) % free.size]
        for row, key in hiding:
            towers[row % 2 :: 2, row] = key
        return towers

    def _seen(self) -> npt.NDArray[np.bool_]:
        return np.broadcast_to(self.form.visible(self.symbols), (self.m, self.keys))

    def deepest(self) -> float:
        """Return what no score is larger than, whichever its sign: the longest row times the longest column."""
        if not (self.form.softmax and self.left.size and self.middle.size):
            return 0.0
        longest = float(np.linalg.norm(self.left, axis=2).max() * np.linalg.norm(self.middle, axis=1).max())
        added = [np.array([1.0, -1.0])] * len(self.form.added)
        return float(np.abs(evaluate_expr(self.form.between, [np.array([longest, -longest])], added)).max())

    def expected(self) -> tuple[npt.NDArray[np.int64], Array]:
        """Return the output's offsets and values, as arrays of shape (items, m, n)."""
        seen = self.form.visible(self.symbols)
        values = self.form.define(self.left, self.middle, self.right, self.operands, seen, self.added)
        return self._offsets(self.form.out, (I, J), (self.m, self.n)), values

    def _offsets(self, term: Term, axes: tuple[Sym, Sym], extents: tuple[int, int]) -> npt.NDArray[np.int64]:
        places: dict[str, Value] = {**self.symbols, ITEM.name: np.arange(self.items)[:, None, None]}
        places |= {axes[0].name: np.arange(extents[0])[:, None], axes[1].name: np.arange(extents[1])[None, :]}
        for named in self.form.item_names:
            places[named.name] = evaluate(named.value, places)
        offsets = np.asarray(evaluate(term.offset, places), np.int64)
        return np.broadcast_to(offsets, (self.items, *extents))

    def _draw(self, term: Term, axes: tuple[Sym, Sym], extents: tuple[int, int]) -> Array:
        offsets = self._offsets(term, axes, extents)
        memory = self.random.uniform(-1, 1, int(offsets.max()) + 1 if offsets.size else 0)
        self.memory[term.operand] = memory
        return memory[offsets]


def check_chain_meaning(kernel: SemanticKernel, form: Chained, seed: int = 0) -> tuple[Proof, ...]:
    """Prove by evaluation in float64 that `kernel` computes `form`.

    Raises
    ------
    CertificationError
        If a run differs from the definition, writes an element not exactly once, or does what no correct kernel does.
    """
    kinds = _KINDS_OF_WARPS if _of_blocks(kernel) else _KINDS
    out = form.out.operand

    def cases() -> Iterator[Case]:
        for number, values in enumerate(_samples(kernel, form, seed)):
            instance = ChainInstance(form, values, kinds[number % len(kinds)], seed + number)
            offsets, expected = instance.expected()
            sizes: dict[str, object] = {
                name: values[name] for name in ("items", "m", "n", "k", "keys") if name in values
            }
            sizes[_DEEPEST] = instance.deepest()
            apart = not _of_blocks(kernel) and number == _APART
            alone = instance.items * values["row_splits"] if apart else 1 + number % 3
            tiles = int(evaluate(kernel.launch.blocks, values)) if _of_blocks(kernel) else alone
            few = (1 + number % 3) * kernel.launch.cluster  # persistent blocks take several tiles each
            workers = min(tiles, few) if kernel.rings else tiles
            launch = launched(kernel, out, values, instance.memory, offsets, workers, seed + number)
            yield Case(launch, offsets, expected, sizes)

    runs = check_runs(kernel, out, cases(), _compare)
    return (
        Proof(
            "meaning",
            "every output element is written once, with the value the chain defines",
            f"{runs} runs in float64 over edge sizes, windows, workers and interleavings",
        ),
    )


def _compare(
    written: npt.NDArray[np.int64], values: Array, offsets: npt.NDArray[np.int64], expected: Array, sizes: object
) -> None:
    assert isinstance(sizes, dict)
    compare(written, values, offsets, expected, sizes, rounding=_ROUNDINGS * sizes[_DEEPEST])


def _of_blocks(kernel: SemanticKernel) -> bool:
    """Whether the kernel's tiles are of blocks of a GPU, not of workers."""
    return shares_memory(kernel) or bool(kernel.rings)


def _samples(kernel: SemanticKernel, form: Chained, seed: int) -> Iterator[dict[str, int]]:
    random = np.random.default_rng(seed)
    config = kernel.configuration
    tall, wide, block = config.tile_m, config.tile_n, config.block_k
    if _of_blocks(kernel):
        block, wide = config.tile_n, config.tile_k
    middles = _of_blocks(kernel) and not form.softmax
    around = max(3, config.stages + 1 if kernel.rings else 0)
    of_blocks = _sizes_of_warps(tall, wide, block, around * config.split_k)
    sizes = _sizes_of_middles(config) if middles else of_blocks if _of_blocks(kernel) else [
        (tall + 1, wide + 1, 2, block + 1), (1, 1, 1, 1), (tall, 3, 1, 2 * block + 3), (2 * tall + 1, wide - 1, 1, block - 1),
        (0, wide, 1, 3), (2, 2, 3, 2 * block), (block // 2 + tall, 2, 1, 5), (tall, wide, 0, 7), (3, 2 * wide, 1, 2),
        (7, 2, 2, 2 * block), (3, wide + 1, 2, 2 * block), (5, 2, 2, 7), (2, 2, 3, 2 * block),
        (tall + block - 1, 2, 2, 2 * block),
    ]  # fmt: skip
    for number, (m, n, k, keys) in enumerate(sizes):
        values = {symbol.name: 1 for symbol in kernel.symbols}
        # Where keys are divided each item takes a cluster, which is much to evaluate.
        items = (2, 1, 4)[number % 3] if number < 3 or config.split_k == 1 else 1
        extents = ((form.items, items), (form.m, m), (form.n, n), (form.k, k), (form.keys, keys))
        values |= {extent.name: value for extent, value in extents if isinstance(extent, Sym)}
        values["row_splits"] = values["column_splits"] = 1 + number % 3
        if form.item_names:
            heads, group = (4, 2) if items == 4 else (1, 1)  # heads of a sequence, or sequences
            values |= {"heads": heads, "group": group}
        for side in (form.window.left, form.window.right):
            if isinstance(side, Sym):
                values[side.name] = int(random.choice([0, 1, wide, block, keys + m]))
        if _of_blocks(kernel) and m >= tall:
            values |= _edge_windows(kernel, form, m, keys)
        elif (
            _of_blocks(kernel) and keys > 2 * block
        ):  # several blocks of keys, and the last row's window ends where they do
            values |= _window(form, keys + m, 0)
        elif _of_blocks(kernel) and not keys:
            values |= _window(form, 0, block)  # reaches beyond the keys that there are
        if not _of_blocks(kernel) and number in _SIDES:
            left, right = (reach and keys + m for reach in _SIDES[number])
            values |= _window(form, left, right)
        if not _of_blocks(kernel) and m == 2 and keys == 2 * block:
            values |= _nearly_open(form, m, keys)
        if not _of_blocks(kernel) and m == tall + block - 1:
            values |= _single_keys(form, m // tall + 1)
        values = _served(kernel, values)
        runs = {symbol.name: symbol.multiple for symbol in kernel.symbols}
        yield values | _strides(form, values, random, runs)


def _sizes_of_warps(tall: int, wide: int, block: int, most: int) -> list[tuple[int, int, int, int]]:
    """Sizes (m, n, k, keys) for blocks of `tall` rows by `block` keys and `wide` columns: around every edge, few blocks in all.

    Some keys are more than `most` blocks, which is more than a ring has slots, in each part of the keys. The longest run is of a single
    item (`_samples` takes 2, 1 and 4 in turn), the ones of four items are short.
    """
    return [
        (tall + 1, wide, wide, block + 1), (tall, wide, wide, 2 * block - 1), (17, wide, 5, block - 1),
        (tall, wide, wide, 2 * block), (3, wide - 1, wide - 1, most * block + 3), (2, 2, 3, 0), (1, 1, 1, 1), (0, wide, 1, 3),
    ]  # fmt: skip


def _sizes_of_middles(config: PipelineConfig) -> list[tuple[int, int, int, int]]:
    """Sizes (m, n, k, keys) for blocks that hold the middle of a low-rank product: around every edge of rows, columns, depth and rank.

    The longest reductions go once around the ring and beyond, and the most columns once around the slots; with more blocks for the
    columns than there are tiles of them, some have none.
    """
    tall, wide, deep, rank = config.tile_m, config.tile_n, config.tile_k, config.block_k
    round_ = (config.stages + 1) * deep
    return [
        (tall + 1, wide + 1, round_ + 1, rank), (tall, 4 * wide, deep, rank - 1), (17, wide, 5, rank // 2 + 1),
        (tall - 1, 3 * wide - 1, round_ + deep - 1, rank), (3, wide - 1, 2 * deep, 1), (2, 2, 0, 3), (1, 1, 1, 1), (0, wide, 1, 3),
    ]  # fmt: skip


def _edge_windows(kernel: SemanticKernel, form: Chained, m: int, keys: int) -> dict[str, int]:
    """Windows under which a warp's rows see all keys of a block but the last, or all but the first.

    On the right that is the last warp, so that the rows above end within the block, each at a key of its own. Its keys begin where that
    block does, just so, and those of the rows above at a key of their own each. All but the first are seen by windows open to the right.
    """
    config = kernel.configuration
    actors = sum(role.instances for role in kernel.roles if not role.elected) or 1
    own, block, diagonal = config.tile_m // actors, config.tile_n, keys - m
    right, left = (block - 2 - diagonal - (config.tile_m - own)) % block, (own - 2 + diagonal) % block
    places = ((form.window.right, right, keys + m), (form.window.left, max(block, own) - 1, left))
    last = keys % block == 0
    return {side.name: (first if last else second) for side, first, second in places if isinstance(side, Sym)}


def _nearly_open(form: Chained, m: int, keys: int) -> dict[str, int]:
    """Windows, open to the right, that hide no key from the first row, the first key from the second, and so on."""
    return _window(form, keys - m, keys + m)


def _single_keys(form: Chained, tiles: int) -> dict[str, int]:
    """Of ``block - 1`` rows more than a tile and two blocks of keys: windows of which one block holds a single key.

    The first row of the second tile sees the last key of the first block and two of the next, the last row of the first tile
    the first key of the second block: what divides by a block one too short or too long finds other blocks. Each tile is dealt
    out on its own, so that what is packed for it begins and ends there, too.
    """
    return {"row_splits": tiles, **_window(form, 2, 0)}


def _window(form: Chained, left: int, right: int) -> dict[str, int]:
    """Values of the window's sides that are symbols."""
    sides = ((form.window.left, left), (form.window.right, right))
    return {side.name: reach for side, reach in sides if isinstance(side, Sym)}


def _served(kernel: SemanticKernel, values: dict[str, int]) -> dict[str, int]:
    """Return `values` moved to the nearest that the kernel takes: multiples of its runs."""
    declared = {symbol.name: symbol for symbol in kernel.symbols}
    near = dict(values)
    for name in values.keys() & declared.keys():
        multiple = declared[name].multiple
        near[name] = min(-(-values[name] // multiple) * multiple, declared[name].maximum)
    return near


def _strides(
    form: Chained, values: Mapping[str, int], random: np.random.Generator, runs: Mapping[str, int]
) -> dict[str, int]:
    """Strides under which each tensor's elements are distinct, the fixed ones (1) innermost, with gaps between rows.

    They are multiples of `runs`, odd ones: the least that a kernel takes.
    """
    found: dict[str, int] = {}
    extents = (form.items, form.m, form.n, form.k, form.keys)
    last = [max(int(evaluate(extent, values)) - 1, 0) for extent in extents]
    places: dict[str, Value] = {
        **values,
        **dict(zip((ITEM.name, I.name, J.name, DEPTH.name, KEY.name), last, strict=True)),
    }
    for named in form.item_names:  # the last of each, whichever item it belongs to
        item = np.arange(last[0] + 1)
        places[named.name] = int(np.max(evaluate(named.value, {**places, ITEM.name: item})))
    for term in (form.left, form.middle, form.right, form.out, *form.operands, *form.added):
        if term in form.added:  # whose gaps leave those of further runs as they are without a mask, which were tried
            random = np.random.default_rng(len(found))
        names = [s.name for s in form.symbols if s.minimum < 0 and s.name.startswith(f"{term.operand}_")]
        chosen: dict[str, Value] = dict.fromkeys(names, 0)
        for name in sorted(names, key=lambda n: ("column", "step", "row", "head", "batch").index(n.rsplit("_", 1)[1])):
            reach = int(evaluate(term.offset, {**places, **chosen})) + 1 + int(random.integers(0, 3))
            chosen[name] = found[name] = (-(-reach // runs[name]) | 1) * runs[name]
    return found
