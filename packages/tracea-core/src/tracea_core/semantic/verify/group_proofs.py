# SPDX-License-Identifier: MIT
r"""Ragged groups, proved for all ends at once with z3 (the optional extra ``proofs``).

Where groups of rows end is data, so no list of divisions is all of them. A kernel looks tile rows up as
`tracea_core.semantic.ragged` says: with c(g) the end of group g moved into 0 … rows, c(−1) = 0, and T the tiles between two of them,

    first(0) = 0        first(g + 1) = first(g) + T(c(g − 1), c(g))        group(t) = the g with first(g) ≤ t < first(g + 1)

and tile row t of group g holds the rows from c(g − 1) + (t − first(g))·tile on, those before c(g). The statements below, about all
integers, say that every row of a group lies in one of its tiles and in no two, that no tile is empty or leaves the rows that exist, and
that no tile row belongs to two groups; since first(0) = 0 and one group's tile rows begin where those of the one before end, each belongs
to one. What is said of all groups is proved by induction over them: the step is what the solver settles. `clipped` and
`tiles_between`, with which look-ups are computed, are called with terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tracea_core.policy.symbolic import SymbolicProof, picks, settle, solver
from tracea_core.semantic.ragged import clipped, tiles_between

TILES = (1, 8, 16, 32, 48, 64, 96, 128, 192, 256)
"""Rows of the tiles for which the statements are proved."""


def prove_groups(
    tiles: tuple[int, ...] = TILES,
    clip: Callable[..., Any] = clipped,
    count: Callable[..., Any] = tiles_between,
) -> tuple[SymbolicProof, ...]:
    """Prove that tiles of ragged groups cover each group's rows exactly once, for all ends and numbers of rows.

    Parameters
    ----------
    tiles : tuple of int
        Rows of a tile.
    clip, count : callable
        What to prove, with the signatures of `tracea_core.semantic.ragged.clipped` and `tracea_core.semantic.ragged.tiles_between`.

    Raises
    ------
    CertificationError
        With the numbers of a case in which a statement fails.
    ConfigurationError
        If z3 is not installed.
    """
    z3 = solver()
    proofs = []
    for tile in tiles:
        for statement, claim in _statements(z3, tile, clip, count):
            settle(z3, statement, claim)
            proofs.append(SymbolicProof(statement, f"tiles of {tile}"))
    return tuple(proofs)


def _statements(z3: Any, tile: int, clip: Callable[..., Any], count: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    before, end, later, last, rows, x, r, q = z3.Ints("before end later last rows x r q")
    larger, smaller = picks(z3)
    start, stop, from_, to = (clip(bound, rows, larger, smaller) for bound in (before, end, later, last))
    number = count(start, stop, tile, larger, _divide)
    given = rows >= 0

    def holds(which: Any) -> Any:
        """Whether a tile of the group holds row x."""
        first = start + which * tile
        return z3.And(which >= 0, which < number, first <= x, x < first + tile, x < stop)

    own = z3.And(start <= x, x < stop)
    yield (
        "every row of a group lies in one of its tiles",
        z3.Implies(z3.And(given, own), holds(_divide(x - start, tile))),
    )
    yield "no two tiles of a group share a row", z3.Implies(z3.And(given, holds(r), holds(q)), r == q)
    yield (
        "no tile is without rows",
        z3.Implies(z3.And(given, r >= 0, r < number), start + r * tile < stop),
    )
    yield (
        "a tile holds rows of its group alone, and they exist",
        z3.Implies(z3.And(given, holds(r)), z3.And(own, x >= 0, x < rows)),
    )
    yield (
        "groups in order share no row",
        z3.Implies(z3.And(given, before <= end, end <= later, later <= last, own), z3.Not(z3.And(from_ <= x, x < to))),
    )
    yield from _looked_up(z3, number, count(from_, to, tile, larger, _divide), given)


def _looked_up(z3: Any, number: Any, other: Any, given: Any) -> Iterator[tuple[str, Any]]:
    """That no tile row belongs to two groups: `number` and `other` are the tiles of two groups, the second behind the first."""
    t, first, second = z3.Ints("t first second")
    behind = first + number
    yield (
        "the first tile rows of groups never fall",
        z3.Implies(z3.And(given, second >= behind), second + other >= behind),
    )
    yield (
        "no tile row belongs to two groups",
        z3.Implies(
            z3.And(given, second >= behind, first <= t, t < behind), z3.Not(z3.And(second <= t, t < second + other))
        ),
    )


def _divide(one: Any, other: int) -> Any:
    """The quotient of a term by a positive number, rounded down, as a solver's integers have it."""
    return one / other
