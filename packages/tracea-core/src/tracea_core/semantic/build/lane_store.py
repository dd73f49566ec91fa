# SPDX-License-Identifier: MIT
"""Results of 16 bits that lanes store themselves, side by side: those whose rows begin anywhere, or lie at no one distance."""

from __future__ import annotations

from tracea_core.semantic.build.store_layouts import at_once, row_of
from tracea_core.semantic.contraction import Contraction, I
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import ROW, Const, Guard, Sym, coefficient, symbols
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Access, Barrier, BufferRef, Load, Loop, Node, Scope, Store, Transfer


def run_of(c: Contraction, vector: int) -> int:
    """Return how many columns a lane stores at once: whole chunks where rows lie at no one distance but begin at multiples of one."""
    whole = coefficient(c.out.offset, I.name) is None and vector * c.out.dtype.bytes >= CHUNK
    return CHUNK // c.out.dtype.bytes if whole else 1


def run_multiples(c: Contraction, run: int) -> dict[str, int]:
    """Return what symbols must be multiples of, so that runs are aligned and masked together."""
    names = (symbols(c.out.offset) - set(c.divisors)) | symbols(c.n) if run > 1 else frozenset[str]()
    return dict.fromkeys(names & {symbol.name for symbol in c.symbols}, run)


def stored_by_lanes(
    staged: BufferRef, result: str, held: str, target: Access, edge: Guard, width: int, run: int
) -> list[Node]:
    """Return the steps that put a chunk of `width` columns into shared memory, from where lanes side by side store it."""
    count = at_once(width, run)
    leave = (Load(held, staged, Transfer.GATHER, width=run), Store(target, held, Transfer.GATHER, edge, width=run))
    return [
        Barrier(Scope.ROLE, "staging_free"),
        Store(staged, result, Transfer.MATRIX),
        Barrier(Scope.ROLE, "staging_full"),
        Loop("number", Const(0), Const(16 // count), replace_symbols(leave, {ROW.name: row_of(Sym("number"), count)})),
    ]
