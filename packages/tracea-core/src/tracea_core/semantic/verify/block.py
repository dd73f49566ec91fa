# SPDX-License-Identifier: MIT
"""Blocks of uniform warps: every access to shared memory is aligned and free of bank conflicts, and all budgets hold.

Conflicts are counted twice where lanes address memory linearly, by the rank formula on the addresses' own bits and by simulation
of the banks, which must agree; elsewhere by simulation. Races are found while the kernel's meaning is proved, exactly
(`tracea_core.semantic.interpret_block`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator, rank_degree
from tracea_core.semantic.gf2 import Integers, Matrix
from tracea_core.semantic.index import COLUMN, ROW, Const, Value, evaluate, symbols
from tracea_core.semantic.kernel import Buffer, Fragment, Role, SemanticKernel, Space
from tracea_core.semantic.shared_plan import shared_plan, slot_bytes
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, If, Load, Loop, Node, Staged, Store, Transfer
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.target import CapabilityProfile

_MATRIX_ROW = 16
"""Bytes of a row of the 8×8 matrices that a warp moves together."""
_WHOLE = (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED, Transfer.TILE)
"""How matrices are moved that no lane reads on its own."""


def check_block(kernel: SemanticKernel, profile: CapabilityProfile) -> tuple[Proof, ...]:
    """Prove alignment, conflict freedom and budgets of a kernel whose warps share memory without rings.

    Raises
    ------
    CertificationError
        Naming the access or the budget that breaks a rule.
    """
    tiles = 0
    for role in kernel.roles:
        known: set[tuple[object, ...]] = set()
        for node, ranges in _moves(role.body, {role.name: range(role.instances)}):
            _check_global(kernel, node)
            if not isinstance(node, AsyncCopy) and node.transfer is Transfer.TILE:
                tiles += 1  # which lane reaches what is not known (`tracea_core.semantic.verify.opaque`)
                continue
            place = node.source if isinstance(node, Load) else node.target
            if not isinstance(place, BufferRef) or kernel.buffer(place.buffer).space is not Space.SHARED:
                continue
            transfer = node.transfer if not isinstance(node, AsyncCopy) else None
            variables = tuple((name, known_range) for name, known_range in ranges.items())
            key = (role.fragment(node.fragment), place.buffer, place.coordinates, transfer, node.width, variables)
            if key not in known:
                known.add(key)
                _check_place(kernel, profile, role, node, place, ranges)
    accesses = sum(1 for role in kernel.roles for _ in _moves(role.body, {})) - tiles
    whose = " whose lanes are known" if tiles else ""
    bytes_, registers = _check_budgets(kernel, profile)
    return (
        Proof("banks", f"no access to shared memory{whose} has a bank conflict",
              f"{accesses} steps, every warp, slot and k; simulation, and rank where lanes are linear"),
        Proof("budgets", f"the block fits {profile.name}",
              f"{bytes_} of {profile.shared_bytes} shared bytes, {registers} of {profile.registers_per_processor} registers, "
              f"{kernel.launch.threads} threads"),
    )  # fmt: skip


def _moves(
    nodes: tuple[Node, ...], ranges: dict[str, range]
) -> Iterator[tuple[Load | Store | AsyncCopy, dict[str, range]]]:
    """Yield every step that moves elements, with the values of the loop variables around it that are known."""
    for node, known in constant_ranges(nodes, ranges):
        if isinstance(node, Load | Store | AsyncCopy):
            yield node, known


def constant_ranges(nodes: tuple[Node, ...], ranges: dict[str, range]) -> Iterator[tuple[Node, dict[str, range]]]:
    """Yield every node, with the values of the loop variables around it that are known."""
    node: Any
    for node in nodes:
        yield node, ranges
        kind = type(node)
        if kind is Loop:
            known = dict(ranges)
            if type(node.start) is Const and type(node.stop) is Const:
                known[node.var] = range(node.start.value, node.stop.value, node.step)
            yield from constant_ranges(node.body, known)
        elif kind is If:
            yield from constant_ranges(node.then, ranges)
            yield from constant_ranges(node.otherwise, ranges)
        elif kind is Staged:
            yield from constant_ranges(node.body, ranges)


def _check_global(kernel: SemanticKernel, node: Load | Store | AsyncCopy) -> None:
    place = node.target if isinstance(node, Store) else node.source
    if isinstance(place, Access):
        parameter = kernel.parameter(place.operand)
        needed = node.width * parameter.dtype.bytes
        if parameter.alignment % needed:
            raise CertificationError(
                f"{place.operand!r} moves in runs of {needed} bytes and is aligned to {parameter.alignment}"
            )


def _check_place(
    kernel: SemanticKernel, profile: CapabilityProfile, role: Role, node: Load | Store | AsyncCopy, place: BufferRef,
    ranges: dict[str, range],
) -> None:  # fmt: skip
    buffer, fragment = kernel.buffer(place.buffer), role.fragment(node.fragment)
    if fragment.dtype is not buffer.dtype:
        raise CertificationError(
            f"{fragment.name!r} of {fragment.dtype.value} meets {buffer.dtype.value}", role=role.name
        )
    matrices = not isinstance(node, AsyncCopy) and node.transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED)
    width = _MATRIX_ROW if matrices else node.width * buffer.dtype.bytes
    if buffer.alignment % width or slot_bytes(buffer) % width:
        raise CertificationError(f"{buffer.name!r} moves in runs of {width} bytes and is aligned to {buffer.alignment}")
    simulator = BankConflictSimulator(profile.shared_banks, profile.shared_bank_bytes)
    try:  # within a slot: all lanes reach the same one, and where it begins turns the banks without merging any
        bytes_ = _addresses(buffer, fragment, place, ranges)
        if matrices:
            turned = not isinstance(node, AsyncCopy) and node.transfer is Transfer.MATRIX_TRANSPOSED
            _check_matrices(buffer, fragment, bytes_, turned, simulator)
        else:
            accesses = bytes_[:, :, :: node.width].transpose(0, 2, 1).reshape(-1, bytes_.shape[1])
            _conflict_free(buffer, fragment, accesses, width, simulator)
    except ConfigurationError as error:
        raise CertificationError(f"{buffer.name!r} is reached wrongly: {error}", role=role.name) from error


def _addresses(buffer: Buffer, fragment: Fragment, place: BufferRef, ranges: dict[str, range]) -> Integers:
    """The byte addresses within a slot, by (value of what the coordinates depend on, lane, register)."""
    used = {name for index in place.coordinates for name in symbols(index)} - {ROW.name, COLUMN.name}
    unknown = used - ranges.keys()
    if unknown:
        raise CertificationError(f"a place in {buffer.name!r} depends on {sorted(unknown)}")
    rows, columns = fragment.layout.elements()
    names = sorted(used)
    given = list(itertools.product(*(ranges[name] for name in names)))
    values = np.array(given, np.int64).reshape(len(given), len(names))
    places: dict[str, Value] = {name: values[:, number, None, None] for number, name in enumerate(names)}
    places |= {ROW.name: rows, COLUMN.name: columns}
    shape = (len(values), *rows.shape)
    at = [np.broadcast_to(np.asarray(evaluate(index, places), np.int64), shape) for index in place.coordinates]
    return buffer.layout.at(*at) * buffer.dtype.bytes


def first_read(kernel: SemanticKernel, buffer: Buffer) -> tuple[Integers, int] | None:
    """Return the byte addresses of the lanes in one of the accesses that read `buffer` into registers, and the bytes of each.

    None where no step does so lane by lane: a matrix unit reads it, or 8×8 matrices are moved by their rows. The layout may be another than
    the kernel's own, to see what that would cost.
    """
    for role in kernel.roles:
        for node, ranges in _moves(role.body, {role.name: range(role.instances)}):
            if not isinstance(node, Load) or node.transfer in _WHOLE or not isinstance(node.source, BufferRef):
                continue
            used = {name for index in node.source.coordinates for name in symbols(index)}
            if node.source.buffer == buffer.name and used <= {ROW.name, COLUMN.name, *ranges}:
                bytes_ = _addresses(buffer, role.fragment(node.fragment), node.source, ranges)
                return bytes_[0, :, 0], node.width * buffer.dtype.bytes
    return None


def _conflict_free(
    buffer: Buffer, fragment: Fragment, addresses: Integers, width: int, simulator: BankConflictSimulator
) -> None:
    """No access, a row of `addresses` each, has a conflict: simulated, and by the rank formula where it is linear."""
    worst = simulator.worst(addresses, width)
    if worst > 1:
        raise CertificationError(
            f"{fragment.name!r} reaches {buffer.name!r} with bank conflicts: {worst} cycles instead of 1"
        )
    lanes = np.arange(addresses.shape[1])
    bits = (addresses.shape[1] - 1).bit_length()
    steps = addresses[:, [1 << bit for bit in range(bits)]] ^ addresses[:, :1]
    linear = np.zeros_like(addresses)
    for bit in range(bits):
        linear ^= steps[:, bit, None] * (lanes >> bit & 1)
    for columns in dict.fromkeys(map(tuple, steps[(linear == addresses ^ addresses[:, :1]).all(axis=1)].tolist())):
        degree = _degree(columns, simulator.banks, simulator.bank_bytes, width)
        if degree != 1:
            raise CertificationError(f"{fragment.name!r} reaches {buffer.name!r} with rank too low: {degree} cycles")


@functools.lru_cache(maxsize=1 << 10)
def _degree(columns: tuple[int, ...], banks: int, bank_bytes: int, width: int) -> int:
    """The rank formula's degree of an access whose lane bits move its addresses by `columns`."""
    matrix = Matrix(max(1, *(step.bit_length() for step in columns)), columns)
    return rank_degree(matrix, banks=banks, bank_bytes=bank_bytes, width=width)


def _check_matrices(
    buffer: Buffer, fragment: Fragment, addresses: Integers, transposed: bool, simulator: BankConflictSimulator
) -> None:
    """Each 8×8 matrix: rows of 8 elements lie together, held as the instruction distributes them, in different banks."""
    size = buffer.dtype.bytes
    if addresses.shape[1] != 32:
        raise CertificationError(f"matrices are moved by 32 lanes, {fragment.name!r} has {addresses.shape[1]}")
    if addresses.shape[2] % 2:
        raise CertificationError(f"{fragment.name!r} does not hold 8×8 matrices of {buffer.name!r}")
    lanes = np.arange(32)[:, None]
    half = np.arange(2)[None, :]
    if transposed:
        row, column = lanes % 4 * 2 + half, lanes // 4 + 0 * half
    else:
        row, column = lanes // 4 + 0 * half, lanes % 4 * 2 + half
    held = addresses.reshape(len(addresses), 32, -1, 2).transpose(0, 2, 1, 3).reshape(-1, 32, 2)
    rows = np.zeros((len(held), 8), np.int64)
    rows[:, row[column == 0]] = held[:, column == 0]
    if np.any(held != rows[:, row] + column * size) or np.any(rows % _MATRIX_ROW):
        raise CertificationError(f"{fragment.name!r} does not hold 8×8 matrices of {buffer.name!r}")
    _conflict_free(buffer, fragment, rows, _MATRIX_ROW, simulator)


def _check_budgets(kernel: SemanticKernel, profile: CapabilityProfile) -> tuple[int, int]:
    launch, plan = kernel.launch, shared_plan(kernel.buffers, ())
    if launch.shared_bytes != plan.bytes or plan.bytes > profile.shared_bytes:
        raise CertificationError(
            f"the plan needs {plan.bytes} shared bytes, the launch asks for {launch.shared_bytes}, there are "
            f"{profile.shared_bytes}"
        )
    threads = sum(role.lanes * role.instances for role in kernel.roles)
    if launch.threads != threads or threads > profile.max_threads_per_block:
        raise CertificationError(
            f"the roles have {threads} threads, the launch {launch.threads}", limit=profile.max_threads_per_block
        )
    if launch.cluster != 1:
        raise CertificationError("blocks without rings form no clusters", cluster=launch.cluster)
    held = 0
    for role in kernel.roles:
        if role.lanes != profile.lanes:
            raise CertificationError(f"{role.name!r} has {role.lanes} lanes, a warp of {profile.name} {profile.lanes}")
        words = sum(-(-f.layout.registers * f.dtype.bytes // 4) for f in role.fragments)
        if words > role.registers or role.registers > profile.max_registers_per_thread:
            raise CertificationError(
                f"the fragments of {role.name!r} take {words} registers, its budget is {role.registers}",
                limit=profile.max_registers_per_thread,
            )
        held += role.registers * role.lanes * role.instances
    if held > profile.registers_per_processor:
        raise CertificationError(f"the roles hold {held} registers", limit=profile.registers_per_processor)
    return plan.bytes, held
