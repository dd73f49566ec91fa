# SPDX-License-Identifier: MIT
"""Layouts: no two elements of a buffer share a place, fragments hold everything, instructions get the lanes they expect."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from tracea_core.errors import CertificationError
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel, walk
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Fold, Join
from tracea_core.semantic.steps import AsyncMma, Compute, Extract, HeldOperand, Mma, Turn
from tracea_core.semantic.verify.certificate import Proof


def check_layouts(kernel: SemanticKernel) -> tuple[Proof, ...]:
    """Prove that buffer layouts are injective, fragments cover their shape, operands match their instruction, lanes suffice.

    Raises
    ------
    CertificationError
        If two elements collide, an element is held by no lane, a fragment's lane map is not the instruction's, or a step in
        registers needs an element that its own lane does not hold.
    """
    arguments = []
    for buffer in kernel.buffers:
        found = buffer.layout.injectivity()
        if not found.holds:
            raise CertificationError(f"two elements of {buffer.name!r} share a place: {found.argument}")
        arguments.append(f"{buffer.name}: {found.argument}")
    proofs = []
    if arguments:
        proofs.append(Proof("layouts", "every buffer layout is injective", "; ".join(arguments)))
    fragments = steps = 0
    for role in kernel.roles:
        for fragment in role.fragments:
            fragments += 1
            if not fragment.layout.covers():
                raise CertificationError(f"the fragment {fragment.name!r} leaves elements unheld", role=role.name)
            if fragment.layout.lanes != role.lanes:
                raise CertificationError(
                    f"the fragment {fragment.name!r} spans {fragment.layout.lanes} lanes, its role has {role.lanes}"
                )
        _check_instructions(role)
        steps += _check_lanes(role)
    proofs.append(
        Proof(
            "lanes",
            "fragments hold every element, match their instructions' lane maps and never need another lane's registers",
            f"{fragments} fragments, {steps} steps in registers",
        )
    )
    return tuple(proofs)


def _check_instructions(role: Role) -> None:
    for node in walk(role.body):
        if isinstance(node, Mma | AsyncMma):
            lanes = instruction(node.instruction)
            if lanes.faults():
                raise CertificationError(f"{node.instruction}: {lanes.faults()[0]}")
            _match(role, node.accumulator, lanes.c, "accumulator")
            if isinstance(node, Mma):
                _match(role, node.a, lanes.a, "a")
                _match(role, node.b, lanes.b, "b")
            else:
                _match_operand(role, node, lanes)


def _match_operand(role: Role, node: AsyncMma, lanes: InstructionLanes) -> None:
    """An operand comes from where its instruction reads it: of a fragment, columns that lie in lanes as the instruction's do."""
    held = node.a if isinstance(node.a, HeldOperand) else None
    if (held is None) != lanes.a_from_shared:
        place = "shared memory" if lanes.a_from_shared else "registers"
        raise CertificationError(f"{node.instruction} reads its operand a from {place}", role=role.name)
    if held is None or lanes.a is None:
        return
    layout = role.fragment(held.fragment).layout
    rows, columns = layout.elements()
    count, first = lanes.a.registers, held.column // lanes.k * lanes.a.registers
    wanted = lanes.a.elements()
    own = (rows[:, first : first + count], columns[:, first : first + count] - held.column)
    if held.column % lanes.k or not all(np.array_equal(x, y) for x, y in zip(own, wanted, strict=True)):
        raise CertificationError(
            f"the fragment {held.fragment!r} is not laid out as the instruction's a from column {held.column} on",
            role=role.name, shape=layout.shape,
        )  # fmt: skip


def _match(role: Role, name: str, expected: FragmentLayout | None, what: str) -> None:
    layout = role.fragment(name).layout
    if layout != expected:
        raise CertificationError(
            f"the fragment {name!r} is not laid out as the instruction's {what}", role=role.name, shape=layout.shape
        )


_WARP = 32
_WITHIN_LANES = frozenset((Extract, Compute, Turn, Fold, Join))


def _check_lanes(role: Role) -> int:
    """Every lane finds what it names or computes with in its own registers: no data moves between lanes in these steps."""
    count = 0
    for node in walk(role.body):
        if type(node) not in _WITHIN_LANES:
            continue
        if isinstance(node, Extract):
            if not isinstance(node.row, Const) or not isinstance(node.column, Const):
                raise CertificationError(
                    f"the place of {node.target!r} in {node.source!r} is no fixed one", role=role.name
                )
            if node.apart < 1:
                raise CertificationError(f"the columns of {node.target!r} follow no order", role=role.name)
            parts: Iterator[tuple[str, int, int]] = iter([(node.source, node.row.value, node.column.value)])
        elif isinstance(node, Compute):
            parts = ((name, 0, 0) for name in (*node.accumulators, *node.operands))
        elif isinstance(node, Turn):
            source, target = role.fragment(node.source), role.fragment(node.target)
            if source.dtype is not target.dtype or source.layout.shape != target.layout.shape:
                raise CertificationError(f"{node.target!r} is not {node.source!r} turned", role=role.name)
            count += 1
            continue
        elif isinstance(node, Fold):
            count += 1
            _check_fold(role, node)
            continue
        elif isinstance(node, Join):
            count += 1
            _check_join(role, node)
            continue
        else:
            continue
        count += 1
        wanted = role.fragment(node.target).layout
        for name, row, column in parts:
            broadcast, apart = isinstance(node, Compute), node.apart if isinstance(node, Extract) else 1
            if not _within_lanes(role.fragment(name).layout, wanted, row, column, broadcast, apart):
                raise CertificationError(
                    f"a lane of {node.target!r} needs an element of {name!r} that it does not hold", role=role.name
                )
    return count


def _check_fold(role: Role, node: Fold) -> None:
    source, target = (role.fragment(name).layout for name in (node.source, node.target))
    if target.shape != (source.shape[0], 1):
        raise CertificationError(f"{node.target!r} does not hold one element for each row of {node.source!r}")
    own = source.registers // target.registers
    if node.chains and not 2 <= node.chains <= own:
        raise CertificationError(
            f"a lane joins {own} elements of {node.source!r} in {node.chains} chains", role=role.name
        )
    apart = role.actor is Actor.WARPGROUP and _rows_within_warps(source) and _rows_within_warps(target)
    if role.actor not in (Actor.WORKER, Actor.WARP) and not apart:
        raise CertificationError(
            f"lanes of a {role.actor.value} cannot reduce {node.source!r} among themselves", role=role.name
        )


def _rows_within_warps(layout: FragmentLayout) -> bool:
    """Whether all elements of a row are held by lanes of one warp: lanes of several exchange nothing."""
    rows = layout.elements()[0].reshape(-1, _WARP * layout.registers)
    return sum(len(np.unique(held)) for held in rows) == len(np.unique(rows))


def _check_join(role: Role, node: Join) -> None:
    """Each lane holds what it holds of the target in its own registers of the source that the column lies in."""
    target, sources = role.fragment(node.target).layout, [role.fragment(name).layout for name in node.sources]
    if {source.shape[0] for source in sources} != {target.shape[0]} or target.shape[1] != sum(
        source.shape[1] for source in sources
    ):
        raise CertificationError(f"{node.target!r} is not made up of {node.sources}", role=role.name)
    if not _joined_within_lanes(target, tuple(sources)):
        raise CertificationError(
            f"a lane of {node.target!r} needs an element of {node.sources} that it does not hold", role=role.name
        )


@functools.lru_cache(maxsize=64)
def _joined_within_lanes(target: FragmentLayout, sources: tuple[FragmentLayout, ...]) -> bool:
    """Whether each lane that holds (i, j) of `target` holds it in the sources, which lie side by side."""
    if any(source.lanes != target.lanes for source in sources):
        return False
    held = np.zeros((target.lanes, *target.shape), np.bool_)
    lanes, first = np.arange(target.lanes)[:, None], 0
    for source in sources:
        rows, columns = source.elements()
        held[lanes, rows, columns + first] = True
        first += source.shape[1]
    rows, columns = target.elements()
    return bool(held[lanes, rows, columns].all())


@functools.lru_cache(maxsize=512)
def _within_lanes(
    source: FragmentLayout, target: FragmentLayout, row: int, column: int, broadcast: bool, apart: int = 1
) -> bool:
    """Whether each lane that holds (i, j) of `target` holds (i + row, j·apart + column) of `source`, or what is broadcast to it."""
    if source.lanes != target.lanes:
        return False
    rows, columns = target.elements()
    if broadcast:
        if any(mine not in (1, wanted) for mine, wanted in zip(source.shape, target.shape, strict=True)):
            return False
        rows, columns = (rows if source.shape[0] > 1 else rows * 0), (columns if source.shape[1] > 1 else columns * 0)
    rows, columns = rows + row, columns * apart + column
    if rows.min() < 0 or columns.min() < 0 or rows.max() >= source.shape[0] or columns.max() >= source.shape[1]:
        return False
    held = np.zeros((source.lanes, source.shape[0] * source.shape[1]), np.bool_)
    from_rows, from_columns = source.elements()
    lanes = np.arange(source.lanes)[:, None]
    held[lanes, from_rows * source.shape[1] + from_columns] = True
    return bool(held[lanes, rows * source.shape[1] + columns].all())
