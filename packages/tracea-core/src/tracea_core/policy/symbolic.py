# SPDX-License-Identifier: MIT
r"""Window and causal bounds, proved for every size at once with z3 (the optional extra ``proofs``).

The builder gives rows [x0, x1) the y range [first, last): what `wanted_range` says, rounded out to whole blocks. Three statements
about all integers make that exact, and each is settled by showing that its negation has no solution:

* *Cover.* If 0 ≤ y < extent and −left ≤ y − (x + offset) ≤ right for a row x of the tile, then first ≤ y < last.
* *Tight ends.* If the range is not empty, the block that begins at `first` and the block that ends at `last` each hold
  such a y. The solver is given the witness: (max(x0, low − offset − right), low) and (min(x1 − 1, high − 1 − offset +
  left), high − 1).
* *Inside.* 0 ≤ first ≤ last ≤ extent.

Rounding down to a multiple of the block enters by what defines it, first ≤ low < first + step, so everything is linear and the
block is any positive integer. Bounds are those that the builder itself computes with: the same function is called with terms.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tracea_core.data import Data
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.policy.build import wanted_range

Range = Callable[..., tuple[Any, Any]]


class SymbolicProof(Data, frozen=True):
    """One statement about all integers, for bands closed on the named sides."""

    statement: str
    sides: str


def prove_windows(bounds: Range = wanted_range) -> tuple[SymbolicProof, ...]:
    """Prove that window, causal and open bounds are exact for every extent, offset, window and tile.

    Parameters
    ----------
    bounds : callable
        The formula to prove, with the signature of `tracea_core.policy.build.wanted_range`.

    Raises
    ------
    CertificationError
        With the numbers of a case in which a statement fails.
    ConfigurationError
        If z3 is not installed.
    """
    z3 = solver()
    proofs = []
    for has_left, has_right in itertools.product((True, False), repeat=2):
        for statement, claim in _statements(z3, bounds, has_left, has_right):
            sides = {
                (True, True): "both sides",
                (True, False): "left",
                (False, True): "right",
                (False, False): "no side",
            }
            settle(z3, statement, claim)
            proofs.append(SymbolicProof(statement, sides[has_left, has_right]))
    return tuple(proofs)


def _statements(z3: Any, bounds: Range, has_left: bool, has_right: bool) -> list[tuple[str, Any]]:
    x0, x1, extent, offset, step, x, y, first, last, up = z3.Ints("x0 x1 extent offset step x y first last up")
    left: Any = z3.Int("left") if has_left else None
    right: Any = z3.Int("right") if has_right else None
    larger, smaller = picks(z3)
    low, high = bounds(left, right, x0, x1, extent, offset, larger, smaller)

    def wanted(row: Any, column: Any) -> Any:
        distance = column - (row + offset)
        sides = [distance >= -left] if has_left else []
        sides += [distance <= right] if has_right else []
        return z3.And(x0 <= row, row < x1, column >= 0, column < extent, *sides)

    given = [x0 >= 0, x0 < x1, extent >= 0, step >= 1]
    given += [left + right >= 0] if has_left and has_right else []
    rounded = z3.And(
        first <= low, low < first + step, up >= high, up < high + step, last == smaller(up, extent), first >= 0
    )
    some = z3.And(*given, rounded, low < high)
    row_low = larger(x0, low - offset - right) if has_right else x0
    row_high = smaller(x1 - 1, high - 1 - offset + left) if has_left else x1 - 1
    return [
        ("every wanted element lies in the range",
         z3.Implies(z3.And(*given, rounded, wanted(x, y)), z3.And(low < high, first <= y, y < last))),
        ("the first block holds a wanted element", z3.Implies(some, z3.And(wanted(row_low, low), low < first + step))),
        ("the last block holds a wanted element",
         z3.Implies(some, z3.And(wanted(row_high, high - 1), high - 1 < last, high - 1 >= last - step))),
        ("the range lies within the extent", z3.Implies(some, z3.And(first >= 0, first <= last, last <= extent))),
    ]  # fmt: skip


def solver() -> Any:
    """Return the module `z3`.

    Raises
    ------
    ConfigurationError
        If it is not installed.
    """
    try:
        import z3
    except ImportError as error:
        raise ConfigurationError(
            "symbolic proofs need z3", hint="pip install 'tracea-core[proofs]'; concrete graphs are proved without it"
        ) from error
    return z3


def picks(z3: Any) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the maximum and the minimum of two terms."""
    return (lambda one, other: z3.If(one > other, one, other)), (lambda one, other: z3.If(one < other, one, other))


def settle(z3: Any, statement: str, claim: Any) -> None:
    """Show that a claim about all integers has no counterexample.

    Raises
    ------
    CertificationError
        With the numbers of one.
    """
    found = z3.Solver()
    found.add(z3.Not(claim))
    answer = found.check()
    if answer == z3.unsat:
        return
    case = found.model() if answer == z3.sat else "the solver could not decide"
    raise CertificationError(f"not for all integers: {statement}", case=str(case))
