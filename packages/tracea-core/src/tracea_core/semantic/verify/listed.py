# SPDX-License-Identifier: MIT
r"""Reductions over lists of blocks: what their positions and lengths are divided by, read off the kernel.

A step of t elements at position p of a list lies in the block ⌊p / d⌋. A kernel that divides by d − 1 or d + 1, or whose steps are taken
to be t ± 1 apart, finds the same blocks for a while: the shortest list that shows it has t, or t²/d, blocks, and one whose whole steps are
counted by t ± 1 many more. So no run has to be as long: every such quotient is by d, of a position that goes by whole steps or blocks; and
of a length every one is by t or by d, ⌊n / t⌋ whole steps or ⌈n / t⌉ steps. Then lists of a few blocks, and a ring that goes round twice,
show the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.errors import CertificationError
from tracea_core.semantic.contraction import LIST_DEPTH, Contraction
from tracea_core.semantic.forms import Form
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Ragged, Sym, symbols, text
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import If, Let, Loop, Node, Staged
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.edges import polynomial


def check_lists(kernel: SemanticKernel, form: Form) -> tuple[Proof, ...]:
    """Refuse a kernel over lists of blocks that divides a position or a length by anything but what a step or a block has.

    That is a part of "domains", as `tracea_core.semantic.verify.reads` is.

    Raises
    ------
    CertificationError
        Naming the quotient.
    """
    if isinstance(form, Contraction) and form.lists is not None:
        for role in kernel.roles:
            _check(role.body, frozenset(), {LIST_DEPTH.name}, (form.lists.run, kernel.configuration.tile_k))
    return ()


def longest(kernel: SemanticKernel, run: int) -> int:
    """Return the blocks of the longest list of a proof's runs: steps enough for each slot to be used twice and more, and four at least."""
    steps = 2 * kernel.configuration.stages + 3
    return max(4, -(-steps * kernel.configuration.tile_k // run) + 1)


def _check(nodes: tuple[Node, ...], counted: frozenset[str], lengths: set[str], sizes: tuple[int, int]) -> None:
    """Check quotients in lets and bounds of loops; `counted` are variables of loops around, `lengths` what lists' lengths are called."""
    run, step = sizes
    for node in nodes:
        if isinstance(node, Let) and isinstance(node.value, Sym) and node.value.name in lengths:
            lengths.add(node.name)
        own: object = (
            () if isinstance(node, If | Staged) else (node.start, node.stop) if isinstance(node, Loop) else node
        )
        for index in indices(own) if isinstance(node, Let | Loop) else ():
            for quotient in _quotients(index):
                divisor, used = quotient.right.value, symbols(quotient.left)  # type: ignore[union-attr]
                if used & lengths and not (divisor in sizes and _of_length(quotient.left, divisor, lengths)):
                    raise CertificationError(
                        f"a list's length is divided otherwise than by steps of {step}: {text(quotient)}"
                    )
                if isinstance(node, Let) and used & counted and not (divisor == run and _by_steps(quotient.left, run)):
                    raise CertificationError(
                        f"a position is divided otherwise than by blocks of {run}: {text(quotient)}"
                    )
        if isinstance(node, Loop):
            _check(node.body, counted | {node.var}, lengths, sizes)
        elif isinstance(node, Staged):
            _check(node.body, counted, lengths, sizes)
        elif isinstance(node, If):
            _check((*node.then, *node.otherwise), counted, lengths, sizes)


def _of_length(expr: Index, divisor: int, lengths: set[str]) -> bool:
    """Whether an expression is a length, or so much more that its quotient is rounded up."""
    found = polynomial(expr)
    shift = found.pop((), 0)
    return (
        shift in (0, divisor - 1)
        and len(found) == 1
        and all(len(key) == 1 and key[0] in lengths and factor == 1 for key, factor in found.items())
    )


def _by_steps(expr: Index, run: int) -> bool:
    """Whether a position goes by parts of a block, or by blocks, and begins with one."""
    found = polynomial(expr)
    shift, steps = found.pop((), 0), set(found.values())
    return (
        len(steps) == 1
        and all((run % each == 0 or each % run == 0) and shift % each == 0 for each in steps if each > 0)
        and min(steps) > 0
    )


def _quotients(expr: object) -> Iterator[IndexOp]:
    """Yield the quotients and remainders by constants in an expression."""
    if isinstance(expr, Ragged):
        for part in (expr.position, expr.count, expr.rows):
            yield from _quotients(part)
    if isinstance(expr, IndexOp):
        if expr.fn in (IndexFn.FLOORDIV, IndexFn.MOD) and isinstance(expr.right, Const):
            yield expr
        yield from _quotients(expr.left)
        yield from _quotients(expr.right)
