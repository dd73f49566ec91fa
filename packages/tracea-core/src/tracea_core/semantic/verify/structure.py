# SPDX-License-Identifier: MIT
"""Well-formedness: every name a step uses exists, is bound where it is used, and means one thing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.expr import named
from tracea_core.semantic.forms import Form
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import COLUMN, ROW, symbols
from tracea_core.semantic.kernel import Actor, Direction, Overlap, Role, SemanticKernel, walk
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.row_steps import FOLDS, Count, Fold, Join, Mask, Prefetch
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    AsyncMma,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SharedOperand,
    Staged,
    Store,
    Turn,
)
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.target import CapabilityProfile

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
LAUNCH_SYMBOLS = frozenset({"worker", "workers", "block", "blocks", "cluster_rank"})
"""Symbols that the launch binds in every kernel."""
_OF_ONE = frozenset((Load, Store, AsyncCopy, Mask, Count))
_OF_TWO = frozenset((Extract, Turn, Fold))
"""Steps that name one fragment, and those that make one of another."""


def check_structure(kernel: SemanticKernel) -> tuple[Proof, ...]:
    """Prove that names are identifiers, unique, and bound wherever they are used.

    Raises
    ------
    CertificationError
        If a name is missing, used before it is bound, or stands for two things.
    """
    names = [p.name for p in kernel.parameters] + [s.name for s in kernel.symbols] + [b.name for b in kernel.buffers]
    names += [ring.name for ring in kernel.rings] + [role.name for role in kernel.roles]
    duplicates = {name for name in names if names.count(name) > 1} - {role.name for role in kernel.roles}
    if duplicates:
        raise CertificationError("two things in the kernel have one name", names=sorted(duplicates))
    for name in (kernel.name, *names):
        if not _IDENTIFIER.fullmatch(name):
            raise CertificationError(f"{name!r} is no identifier", kernel=kernel.name)
    bound = {symbol.name for symbol in kernel.symbols} | LAUNCH_SYMBOLS
    bound |= {f"{ring.name}_slot" for ring in kernel.rings}
    count = 0
    for role in kernel.roles:
        if role.elected and role.actor is Actor.WORKER:
            raise CertificationError(f"{role.name!r} elects one thread of a worker, which has no others")
        if role.elected and (role.fragments or any(isinstance(node, Barrier) for node in walk(role.body))):
            raise CertificationError(
                f"{role.name!r} is one elected thread, which holds no fragments and meets nobody at barriers"
            )
        count += _check_body(kernel, role, role.body, bound | {role.name}, in_loop=False)
    return (Proof("structure", "every name is bound where it is used", f"{count} nodes in {len(kernel.roles)} roles"),)


def check_overlap(kernel: SemanticKernel, profile: CapabilityProfile) -> tuple[Proof, ...]:
    """Prove that a kernel that overlaps its neighbours on the stream is for a device whose launches may depend on each other.

    Raises
    ------
    CertificationError
        If the device has no instructions for that.
    """
    overlap = kernel.launch.overlap
    if not isinstance(overlap, Overlap):
        return ()
    if not profile.has("griddepcontrol"):
        raise CertificationError(f"launches on {profile.name} do not overlap", launch=kernel.launch)
    return (Proof("overlap", "the device knows launches that wait for what the one before has written", overlap.value),)


def check_domains(kernel: SemanticKernel, contraction: Form) -> tuple[Proof, ...]:
    """Prove that the kernel takes no argument beyond what the contraction is defined for, of the same types.

    Raises
    ------
    CertificationError
        If an argument is missing, its domain is wider, or a pointer has another element type or direction.
    """
    known = {symbol.name: symbol for symbol in kernel.symbols}
    for defined in contraction.symbols:
        taken = known.get(defined.name)
        if taken is None:
            raise CertificationError(f"the kernel takes no {defined.name!r}")
        inside = defined.minimum <= taken.minimum <= taken.maximum <= defined.maximum
        if not inside or taken.multiple % defined.multiple:
            raise CertificationError(f"the kernel takes values of {taken.name!r} that have no meaning", taken=taken)
    meant = {parameter.name: parameter for parameter in contraction.parameters}
    for parameter in kernel.parameters:
        wanted = meant.pop(parameter.name, None)
        if wanted is None or (parameter.dtype, parameter.direction) != (wanted.dtype, wanted.direction):
            raise CertificationError(f"the pointer {parameter.name!r} is not the one of the contraction", wanted=wanted)
        if parameter.alignment % wanted.alignment:
            raise CertificationError(
                f"the alignment of {parameter.name!r} drops what its type needs", wanted=wanted.alignment
            )
    if meant:
        raise CertificationError(f"the kernel takes no {sorted(meant)}")
    statement = "arguments are those of the contraction, within its domains"
    return (Proof("domains", statement, f"{len(contraction.symbols)} integers, {len(kernel.parameters)} pointers"),)


def _check_body(
    kernel: SemanticKernel,
    role: Role,
    nodes: tuple[Node, ...],
    bound: set[str],
    in_loop: bool,
    tables: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Check every node of a body; `tables` names the fragments that hoisted integers are held for."""
    bound = set(bound)
    within = bound | {ROW.name, COLUMN.name}
    count = 0
    node: Any
    for node in nodes:
        count += 1
        kind = type(node)
        if kind is Let:
            own = {node.fragment} if node.fragment and held_let(node) else set()
            _check_symbols(role, node, bound | own | ({ROW.name, COLUMN.name} if node.fragment else set()))
            if node.fragment and own and role.fragment(node.fragment).dtype is not DType.INT32:
                raise CertificationError(
                    f"{node.fragment!r} holds no integers that could be coordinates", role=role.name
                )
            if node.fragment:
                role.fragment(node.fragment)
                _check_tables(role, node, tables)
                tables = {**tables, node.name: node.fragment}
            if node.name in bound:
                raise CertificationError(f"the let {node.name!r} hides another name", role=role.name)
            bound.add(node.name)
            within.add(node.name)
        elif kind is Loop:
            _check_symbols(role, (node.start, node.stop), bound)
            if node.var in bound:
                raise CertificationError(f"the loop variable {node.var!r} hides another name", role=role.name)
            count += _check_body(kernel, role, node.body, bound | {node.var}, in_loop=True, tables=tables)
        elif kind is If:
            _check_symbols(role, node.guard, bound)
            count += _check_body(kernel, role, node.then, bound, in_loop=False, tables=tables)
            count += _check_body(kernel, role, node.otherwise, bound, in_loop=False, tables=tables)
        elif kind is Staged:
            if not in_loop:
                raise CertificationError("a staged step stands outside a loop", role=role.name)
            count += _check_body(kernel, role, node.body, bound, in_loop=False, tables=tables)
        else:
            _check_symbols(role, node, within)
            _check_references(kernel, role, node)
            if tables and kind in _OF_ONE:
                _check_tables(role, node, tables)
    return count


def _check_tables(role: Role, node: Any, tables: Mapping[str, str]) -> None:
    """Refuse a table that is held for other rows or columns than those of the fragment that uses it: neither one nor as many."""
    shape = role.fragment(node.fragment).layout.shape
    for name in {name for expr in indices(node) for name in symbols(expr) if name in tables}:
        held = role.fragment(tables[name]).layout.shape
        if any(extent not in (1, wanted) for extent, wanted in zip(held, shape, strict=True)):
            raise CertificationError(
                f"{name!r} is held for {held[0]}x{held[1]} elements and used for {shape[0]}x{shape[1]}", role=role.name
            )


def _check_symbols(role: Role, value: object, bound: set[str]) -> None:
    for expr in indices(value):
        if not symbols(expr) <= bound:
            unbound = symbols(expr) - bound
            raise CertificationError(
                f"{', '.join(sorted(unbound))} is used where it is not bound", role=role.name, step=type(value).__name__
            )


def _check_lists(role: Role, step: Compute) -> None:
    """What an expression uses is what its step lists: of a fragment listed besides, nothing printed or computed would tell."""
    for kind, listed, used in zip(
        ("accumulators", "operands"), (step.accumulators, step.operands), named(step.expr), strict=True
    ):
        if used != tuple(range(len(listed))):
            raise CertificationError(
                f"{step.target!r} lists {len(listed)} {kind}, its expression uses {list(used)}", role=role.name
            )


def _check_references(kernel: SemanticKernel, role: Role, step: Any) -> None:
    for field in ("pending", "lag", "bytes"):
        if getattr(step, field, 0) < 0:
            raise CertificationError(f"a {type(step).__name__} counts {field} below 0", role=role.name)
    if getattr(step, "width", 1) < 1:
        raise CertificationError(f"a {type(step).__name__} moves runs of {step.width}", role=role.name)
    kind = type(step)
    if kind in _OF_ONE:
        fragments: tuple[str, ...] = (step.fragment,)
    elif kind is Mma:
        fragments = (step.accumulator, step.a, step.b)
    elif kind is Compute:
        _check_lists(role, step)
        fragments = (step.target, *step.accumulators, *step.operands)
    elif kind in _OF_TWO:
        fragments = (step.target, step.source)
    elif kind is Join:
        fragments = (step.target, *step.sources)
    else:
        fragments = step.registers if kind is AsyncMma else ()
    if kind is Fold and step.fn not in FOLDS:
        raise CertificationError(f"columns are not reduced by {step.fn.value}", role=role.name)
    if kind is Prefetch:
        kernel.parameter(step.operand)
    for name in fragments:
        role.fragment(name)
    for field in step.__struct_fields__:
        value = getattr(step, field)
        if type(value) is Access:
            direction = kernel.parameter(value.operand).direction
            if direction is Direction.READ and kind is Store:
                raise CertificationError(f"the input {value.operand!r} is written", role=role.name)
            if direction is Direction.WRITE and (kind is Load or kind is AsyncCopy):
                raise CertificationError(f"the output {value.operand!r} is read", role=role.name)
        elif type(value) is BufferRef or type(value) is SharedOperand:
            buffer = kernel.buffer(value.buffer)
            wanted = len(buffer.layout.axes) + (buffer.extent is not None)
            if len(value.coordinates) != wanted:
                raise CertificationError(
                    f"{buffer.name!r} has {wanted} coordinates, {len(value.coordinates)} are given", role=role.name
                )
    ring = getattr(step, "ring", None)
    if isinstance(ring, str):
        kernel.ring(ring)
