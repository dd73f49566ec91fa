# SPDX-License-Identifier: MIT
"""Persistent schedules compute every tile exactly once: settled by enumerating the kernel's own index expressions.

The raster's divisions have periods of the group, the grid and the number of blocks; the grids tried lie below, at and
above one and several groups, in both directions, with few blocks and with more blocks than tiles. Where blocks divide the
reduction, each part visits every tile once. Rows that fall into groups are tried in divisions with empty groups, groups of one row,
and groups that end one row before, at and behind the end of a tile.

Roles of a block hand slots to each other in the order of their tiles, so that order is one and the same for all of them: a producer that
went through a band from its other end would visit every tile once, too, and feed each to the consumers of another.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from tracea_core.data import Data
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import Ragged, Value, evaluate, symbols
from tracea_core.semantic.kernel import Role, SemanticKernel, reads_groups
from tracea_core.semantic.ragged import GROUP_ENDS, Looked
from tracea_core.semantic.ring_events import extent_names
from tracea_core.semantic.steps import Let, Loop, Node
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.groups import divisions

_PLACE = ("row0", "column0")
_NUMBER = "grid number"
_BEYOND = 1 << 20
"""How far ends lie beyond the last row where they do."""


class _Grid(Data, frozen=True):
    """One grid to try: rows and columns of clusters' tiles, the last of them full or as empty as can be; batch; clusters.

    With `groups`, the lengths of groups that rows fall into.
    """

    rows: int
    columns: int
    full: bool
    items: int
    clusters: int
    groups: tuple[int, ...] = ()


def check_cover(kernel: SemanticKernel, tall: int | None = None) -> tuple[Proof, ...]:
    """Prove that the persistent loop of every role visits each output tile once, and that the roles of a block do so in one order.

    Parameters
    ----------
    tall : int, optional
        Rows of the output, where the form says how many: a kernel that says so by itself leaves tiles out.

    Raises
    ------
    CertificationError
        If a tile is skipped or computed twice, or a role takes its tiles in another order than the first one.
    """
    grids = _grids(kernel, tall)
    expected = _expected(kernel, grids)
    proved: list[tuple[Node, ...]] = []
    first: tuple[str, Integers] | None = None
    for role in kernel.roles:
        order = _order(role)
        if order not in proved:  # roles that decode their tiles by the same expressions visit the same tiles
            try:
                found = _visits(kernel, role, grids)
            except ConfigurationError:
                _blame(kernel, role, grids)
                raise
            _compare(kernel, role, grids, found, expected)
            proved.append(order)
            first = first or (role.name, found)
            if not np.array_equal(found, first[1]):
                place = int(np.argmax((found != first[1]).any(axis=0)))
                grid = grids[int(found[0, place])]
                raise CertificationError(
                    f"{role.name!r} computes its tiles in another order than {first[0]!r}",
                    tiles=(grid.rows, grid.columns), blocks=grid.clusters * kernel.launch.cluster, items=grid.items,
                )  # fmt: skip
    _check_launch(kernel, grids)
    count = len(grids) * len(kernel.roles)
    return (Proof("cover", "persistent blocks visit every output tile exactly once", f"{count} grids enumerated"),)


def _check_launch(kernel: SemanticKernel, grids: list[_Grid]) -> None:
    """The launch has whole clusters, at least one where there is work, and leaves none of them without work."""
    cluster = kernel.launch.cluster
    scope: dict[str, Value] = {symbol.name: max(1, symbol.minimum) for symbol in kernel.symbols}
    scope |= _extents_of_all(kernel, grids)
    scope |= {"groups": np.array([len(g.groups) for g in grids]), "items": np.array([g.items for g in grids])}
    launched = np.broadcast_to(evaluate(kernel.launch.blocks, scope), len(grids))
    for grid, blocks in zip(grids, launched.tolist(), strict=True):
        # tiles of ragged groups are not counted by then
        tiles = (grid.rows + len(grid.groups)) * grid.columns * grid.items
        if blocks % cluster or not cluster <= blocks <= tiles * cluster:
            raise CertificationError(f"the launch has {blocks} blocks for {tiles} tiles of {cluster} blocks", grid=grid)


def _grids(kernel: SemanticKernel, tall: int | None) -> list[_Grid]:
    group = kernel.configuration.group
    spans = sorted({1, 2, 3, group - 1 or 1, group, group + 1, 2 * group + 1})
    if reads_groups(kernel):
        tile = kernel.configuration.tile_m
        return [
            _Grid(sum(lengths) // tile + 1, columns, full, 1, clusters, lengths)
            for lengths in divisions(tile)
            for columns, full, clusters in itertools.product((1, 2, 5), (True, False), (1, 4))
        ]
    batches = (1, 2) if any(symbol.name == "items" for symbol in kernel.symbols) else (1,)
    rows = spans if tall is None else [-(-tall // (kernel.configuration.tile_m * kernel.configuration.cluster_m))]
    return list(itertools.starmap(_Grid, itertools.product(rows, (1, 2, 5), (True, False), batches, (1, 4))))


def _order(role: Role) -> tuple[Node, ...]:
    """What decides which tiles a role visits: its lets, and the loop over tiles with its own."""
    lets = tuple(node for node in role.body if isinstance(node, Let))
    loops = (node for node in role.body if isinstance(node, Loop) and _places(node))
    return (*lets, *(loop.replace(body=_scalars(loop)) for loop in loops))


def _scalars(loop: Loop) -> tuple[Let, ...]:
    return tuple(node for node in loop.body if isinstance(node, Let) and node.fragment is None)


def _expected(kernel: SemanticKernel, grids: list[_Grid]) -> Integers:
    """Every tile of every grid, as sorted rows of (grid, part, item, row, column)."""
    config = kernel.configuration
    if grids[0].groups:
        return np.concatenate([_expected_in_groups(i, grid, config) for i, grid in enumerate(grids)], axis=1)
    shapes = [(grid.items, grid.rows * config.cluster_m, grid.columns * config.cluster_n) for grid in grids]
    counts = [config.split_k * math.prod(shape) for shape in shapes]
    number = np.repeat(np.arange(len(grids)), counts)
    items, rows, columns = np.array(shapes)[number].T
    place = np.arange(number.size) - np.repeat(np.cumsum(counts) - counts, counts)
    place, column = np.divmod(place, columns)
    place, row = np.divmod(place, rows)
    part, item = np.divmod(place, items)
    return np.stack([number, part, item, row * config.tile_m, column * config.tile_n])


def _expected_in_groups(number: int, grid: _Grid, config: PipelineConfig) -> Integers:
    """The same of one grid whose rows fall into groups, each of which has tiles of its own."""
    starts = (0, *itertools.accumulate(grid.groups))
    down = [(g, starts[g] + row) for g, rows in enumerate(grid.groups) for row in range(0, rows, config.tile_m)]
    across = range(0, grid.columns * config.cluster_n * config.tile_n, config.tile_n)
    return np.array([(number, 0, group, row, column) for group, row in down for column in across], np.int64).T


def _compare(kernel: SemanticKernel, role: Role, grids: list[_Grid], found: Integers, expected: Integers) -> None:
    found = found[:, np.lexsort(found[::-1])]
    if np.array_equal(found, expected):
        return
    visited, wanted = (set(map(tuple, tiles.T.tolist())) for tiles in (found, expected))
    missing = sorted(wanted - visited)
    wrong = missing or sorted(visited - wanted) or [tuple(t) for t, u in itertools.pairwise(found.T.tolist()) if t == u]
    number, *tile = wrong[0]
    grid = grids[number]
    what = f"tile {tuple(tile)} is never computed" if missing else "a tile is computed twice or does not exist"
    blocks = grid.clusters * kernel.launch.cluster
    raise CertificationError(
        f"{what} by {role.name!r}", tiles=(grid.rows, grid.columns), blocks=blocks, items=grid.items
    )


def _blame(kernel: SemanticKernel, role: Role, grids: list[_Grid]) -> None:
    """Name the first grid on which an order fails that cannot be evaluated on all of them."""
    for grid in grids:
        try:
            found = _visits(kernel, role, [grid])
        except ConfigurationError as error:
            raise CertificationError(f"{role.name!r} decodes a tile beyond the grid: {error}", grid=grid) from error
        _compare(kernel, role, [grid], found, _expected(kernel, [grid]))


def _visits(kernel: SemanticKernel, role: Role, grids: list[_Grid]) -> Integers:
    """Every (grid, part, item, row, column) that blocks visit, block by block in their order, all grids evaluated at once."""
    cluster = kernel.launch.cluster
    number, block = (
        np.concatenate([values(i, grid.clusters * cluster) for i, grid in enumerate(grids)])
        for values in (lambda i, count: np.full(count, i), lambda _, count: np.arange(count))
    )
    items, clusters = np.array([(g.items, g.clusters) for g in grids])[number].T
    scope: dict[str, Value] = {symbol.name: max(1, symbol.minimum) for symbol in kernel.symbols}
    scope |= {name: extents[number] for name, extents in _extents_of_all(kernel, grids).items()}
    scope |= {"items": items, "blocks": clusters * cluster, "block": block}
    scope |= {"cluster_rank": block % cluster, _NUMBER: number}
    if grids[0].groups:  # shorter divisions end in empty groups here, which `groups` does not count
        most = max(len(grid.groups) for grid in grids)
        ends = np.array([np.cumsum((*grid.groups, *(0,) * (most - len(grid.groups)))) for grid in grids])
        ends += [
            [_BEYOND * (grid.full and end == sum(grid.groups)) for end in own]
            for grid, own in zip(grids, ends, strict=True)
        ]
        scope |= {"groups": np.array([len(grid.groups) for grid in grids])[number], GROUP_ENDS: ends[number].T}
    found = [np.zeros((7, 0), np.int64)]
    for instance in range(role.instances if _shared_out(role) else 1):
        known = scope | {role.name: instance}
        for node in role.body:
            if isinstance(node, Let):
                known[node.name] = evaluate(node.value, known)
            elif isinstance(node, Loop) and _places(node):
                found.append(_loop(node, known, number.size))
    rounds, blocks, *tiles = np.concatenate(found, axis=1)
    in_order = np.lexsort((rounds, blocks)) if len(found) > 2 else slice(None)  # instances take turns
    return np.stack(tiles)[:, in_order]


def _shared_out(role: Role) -> bool:
    """Whether which tiles an instance of a role visits depends on its number."""
    order = _order(role)
    wanted = {"item", "split_rank", *_PLACE}
    for loop in (node for node in order if isinstance(node, Loop)):
        wanted |= symbols(loop.start) | symbols(loop.stop)
        lets = [node for node in (*order, *loop.body) if isinstance(node, Let)]
        for let in reversed(lets):
            wanted |= symbols(let.value) if let.name in wanted else set()
    return role.name in wanted


def _extents_of_all(kernel: SemanticKernel, grids: list[_Grid]) -> dict[str, Integers]:
    """The extents of every grid, by symbol."""
    every = [_extents(kernel, grid) for grid in grids]
    return {name: np.array([extents[name] for extents in every]) for name in every[0]}


def _extents(kernel: SemanticKernel, grid: _Grid) -> dict[str, int]:
    """The largest admissible extents of so many tiles, or the smallest, by symbol."""
    config = kernel.configuration
    rows, columns = extent_names(kernel)
    tiles = (
        (rows, grid.rows, config.tile_m * config.cluster_m),
        (columns, grid.columns, config.tile_n * config.cluster_n),
    )
    found: dict[str, int] = {}
    for name, count, tile in tiles:
        step = next((symbol.multiple for symbol in kernel.symbols if symbol.name == name), 1)
        if grid.groups and name == rows:  # the last end lies beyond the last row, or one row belongs to no group
            found[name] = sum(grid.groups) + (not grid.full)
            continue
        found[name] = count * tile // step * step if grid.full else ((count - 1) * tile // step + 1) * step
    return found


def _loop(loop: Loop, scope: dict[str, Value], size: int) -> Integers:
    """Round, block and tile of one loop: its rounds are laid out one after the other, each with the values of its block."""
    start, stop = (np.broadcast_to(np.asarray(evaluate(bound, scope)), size) for bound in (loop.start, loop.stop))
    rounds = np.maximum(-(-(stop - start) // loop.step), 0)
    of = np.repeat(np.arange(size), rounds)
    inner: dict[str, Value] = {
        name: value[..., of] if isinstance(value, np.ndarray) else value for name, value in scope.items()
    }
    within = np.arange(of.size) - np.repeat(np.cumsum(rounds) - rounds, rounds)
    inner[loop.var] = start[of] + within * loop.step
    unknown: set[str] = set()  # what is looked up in lists decides how deep a tile's reduction is, not which it is
    for step in _scalars(loop):
        if GROUP_ENDS not in inner and (isinstance(step.value, Ragged) or symbols(step.value) & unknown):
            unknown.add(step.name)
            continue
        if isinstance(step.value, Ragged) and step.value.fn is Looked.PLACE:
            _check_rising(np.broadcast_to(np.asarray(evaluate(step.value.position, inner)), of.size), of)
        inner[step.name] = evaluate(step.value, inner)
    names = (_NUMBER, "split_rank", "item", *_PLACE)
    if unknown & {*names}:
        raise CertificationError("which tile a block computes is looked up in lists", names=sorted(unknown))
    tiles = (np.broadcast_to(np.asarray(inner.get(name, 0)), of.size) for name in names)
    return np.stack([inner[loop.var], of, *tiles])


def _check_rising(looked_up: Integers, of: Integers) -> None:
    """Tile rows that a block looks up do not fall from one round to the next, so the text may go on where it stopped."""
    if np.any((np.diff(looked_up) < 0) & (np.diff(of) == 0)):
        raise CertificationError("a block looks groups up backwards")


def _places(loop: Loop) -> bool:
    """Whether the loop decodes tiles."""
    return {*_PLACE} <= {step.name for step in loop.body if isinstance(step, Let)}
