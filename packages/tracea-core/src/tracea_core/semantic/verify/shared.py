# SPDX-License-Identifier: MIT
"""Shared memory: hardware addressing equals the buffers' layouts, no bank conflicts, and all budgets hold.

A buffer's layout is what the schedule means. Copy engines and descriptors have address functions of their own
(`tracea_core.semantic.hardware`); here both are compared for every element that is moved or multiplied. Conflicts are
counted twice, by the rank formula on the layout's own bits and by simulation of the addresses, which must agree.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator, rank_degree
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers, Matrix
from tracea_core.semantic.hardware import BOX_PLACE, CHUNK, GROUP, box_addresses, operand_addresses
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Value, evaluate, symbols
from tracea_core.semantic.kernel import Actor, Buffer, Role, SemanticKernel, Space, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.shared_plan import plan_of, slot_bytes
from tracea_core.semantic.steps import (
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Box,
    BufferRef,
    Fetch,
    Load,
    Loop,
    SharedOperand,
    Store,
    Transfer,
)
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.periods import period
from tracea_core.target import CapabilityProfile

_ADDRESS_REGISTERS = 16
_STEP_REGISTERS = 8
_WARP = 32
_SWIZZLE_PERIOD = 1024
"""Bytes after which every hardware swizzle repeats: it reads address bits 7 to 9 and changes bits 4 to 6."""


def check_shared(kernel: SemanticKernel, profile: CapabilityProfile) -> tuple[Proof, ...]:
    """Prove addressing, conflict freedom and budgets of a kernel with shared memory.

    Raises
    ------
    CertificationError
        Naming the buffer, box or descriptor that breaks a rule.
    """
    try:
        descriptors = _check_descriptors(kernel)
        boxes = _check_boxes(kernel)
        accesses = _check_conflicts(kernel, profile)
    except ConfigurationError as error:
        raise CertificationError(f"shared memory is addressed wrongly: {error}") from error
    bytes_, registers = _check_budgets(kernel, profile)
    return (
        Proof("addressing", "descriptors and boxes reach exactly the elements that the layouts mean",
              f"{descriptors} descriptors and {boxes} boxes compared element by element"),
        Proof("banks", "no access to shared memory has a bank conflict", f"{accesses} access patterns, rank and simulation"),
        Proof("budgets", f"the block fits {profile.name}",
              f"{bytes_} of {profile.shared_bytes} shared bytes, {registers} of {profile.registers_per_processor} registers, "
              f"{kernel.launch.threads} threads"),
    )  # fmt: skip


# ---- addressing


def _scopes(kernel: SemanticKernel, role: Role, reference: object) -> list[dict[str, Value]]:
    """Values for the symbols of a reference to shared memory: all instances, ranks and slots."""
    used: set[str] = set()
    if isinstance(reference, BufferRef | SharedOperand):
        for index in (*reference.coordinates, *((reference.slot,) if reference.slot is not None else ())):
            used |= symbols(index)
    ranges: dict[str, range] = {}
    for ring in kernel.rings:
        ranges[f"{ring.name}_slot"] = range(ring.slots)
    ranges[role.name] = range(role.instances)
    cluster = kernel.configuration.cluster_n
    ranges |= {"row_rank": range(kernel.configuration.cluster_m), "column_rank": range(cluster)}
    ranges["cluster_rank"] = range(kernel.launch.cluster)
    for node in walk(role.body):
        if isinstance(node, Loop) and isinstance(node.start, Const) and isinstance(node.stop, Const):
            ranges[node.var] = range(node.start.value, node.stop.value, node.step)
    used -= {ROW.name, COLUMN.name}
    coordinates = reference.coordinates if isinstance(reference, BufferRef) else ()
    periods = {name: period(coordinates, name) for name in used - ranges.keys()}
    ranges |= {name: range(values) for name, values in periods.items() if values}
    unknown = used - ranges.keys()
    if unknown:
        raise CertificationError(f"a place in shared memory depends on {sorted(unknown)}", role=role.name)
    names = sorted(used)
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*(ranges[name] for name in names))]


def _start(buffer: Buffer, reference: BufferRef | SharedOperand, scope: dict[str, Value]) -> tuple[int, list[int]]:
    """Byte address within the buffer of a reference's first element, and its coordinates."""
    coordinates = [int(evaluate(c, scope)) for c in reference.coordinates]
    slot = 0 if reference.slot is None else int(evaluate(reference.slot, scope))
    if not 0 <= slot < buffer.slots:
        raise CertificationError(f"{buffer.name!r} has {buffer.slots} slots, slot {slot} is used")
    return slot * slot_bytes(buffer) + buffer.layout.place(*coordinates) * buffer.dtype.bytes, coordinates


def _meant(
    buffer: Buffer, reference: BufferRef | SharedOperand, scope: dict[str, Value], shape: tuple[int, int]
) -> Integers:
    """Byte addresses that the layout gives to the block of `shape` (last two coordinates) at a reference."""
    _, coordinates = _start(buffer, reference, scope)
    slot = 0 if reference.slot is None else int(evaluate(reference.slot, scope))
    *leading, first, second = coordinates
    rows, columns = np.ogrid[first : first + shape[0], second : second + shape[1]]
    addresses: Integers = slot * slot_bytes(buffer) + buffer.layout.at(*leading, rows, columns) * buffer.dtype.bytes
    return addresses


def _distinct(
    buffer: Buffer, reference: BufferRef | SharedOperand, scopes: list[dict[str, Value]]
) -> list[dict[str, Value]]:
    """The scopes that need comparing: of slots a multiple of the swizzle's period apart, one.

    Adding a multiple of the period commutes with the hardware's XOR, and a slot's layout is the same in every slot, so both
    sides of the comparison move by the same number of bytes. That each slot exists is still checked for all.
    """
    known: dict[tuple[int, ...], dict[str, Value]] = {}
    for scope in scopes:
        start, coordinates = _start(buffer, reference, scope)
        whole = slot_bytes(buffer) % _SWIZZLE_PERIOD == 0
        known.setdefault((*coordinates, 0 if whole else start), scope)
    return list(known.values())


def _check_descriptors(kernel: SemanticKernel) -> int:
    seen: set[tuple[str, SharedOperand, int, int]] = set()
    for role in kernel.roles:
        for node in walk(role.body):
            if isinstance(node, AsyncMma):
                lanes = instruction(node.instruction)
                for operand in node.shared:
                    outer = lanes.n if operand is node.b else lanes.m
                    key = (role.name, operand, outer, lanes.k)
                    if key not in seen:
                        seen.add(key)
                        _check_descriptor(kernel, role, operand, outer, lanes.k)
    return len(seen)


def _check_descriptor(kernel: SemanticKernel, role: Role, operand: SharedOperand, outer: int, k: int) -> None:
    buffer = kernel.buffer(operand.buffer)
    scopes = _scopes(kernel, role, operand)
    for scope in _distinct(buffer, operand, scopes):
        start, _ = _start(buffer, operand, scope)
        found = operand_addresses(operand, outer, k, buffer.dtype.bytes, start)
        meant = _meant(buffer, operand, scope, (k, outer) if operand.transposed else (outer, k))
        if not np.array_equal(found, meant.T if operand.transposed else meant):
            raise CertificationError(
                f"a descriptor of {operand.buffer!r} does not address the buffer's layout", role=role.name,
                swizzle=operand.swizzle_bytes, leading=operand.leading_bytes, stride=operand.stride_bytes, start=start,
            )  # fmt: skip
    for scope in scopes:
        for field in (_start(buffer, operand, scope)[0], operand.leading_bytes, operand.stride_bytes):
            if field % CHUNK or not 0 <= field < 1 << 18:
                raise CertificationError(f"{field} does not fit a descriptor's field (a multiple of 16 below 2^18)")


def _check_boxes(kernel: SemanticKernel) -> int:
    count = 0
    multiples = {symbol.name: symbol.multiple for symbol in kernel.symbols}
    for role in kernel.roles:
        for node in walk(role.body):
            if isinstance(node, AsyncLoad):
                box, place = node.source, node.target
            elif isinstance(node, AsyncStore):
                box, place = node.target, node.source
            elif isinstance(node, Fetch):
                _check_engine(kernel, node.source, multiples)
                continue
            else:
                continue
            count += 1
            _check_box(kernel, role, box, place, multiples)
    return count


def _check_box(kernel: SemanticKernel, role: Role, box: Box, place: BufferRef, multiples: dict[str, int]) -> None:
    buffer, parameter = kernel.buffer(place.buffer), kernel.parameter(box.operand)
    if parameter.dtype is not buffer.dtype:
        raise CertificationError(f"a box copies {parameter.dtype.value} into {buffer.dtype.value}", buffer=buffer.name)
    _check_engine(kernel, box, multiples)
    if buffer.alignment % BOX_PLACE:
        raise CertificationError(f"{buffer.name!r} is not aligned to the {BOX_PLACE} bytes at which boxes begin")
    for scope in _distinct(buffer, place, _scopes(kernel, role, place)):
        start, _ = _start(buffer, place, scope)
        if start % BOX_PLACE:
            raise CertificationError(
                f"a box at {buffer.name!r} begins {start} bytes along it, no multiple of {BOX_PLACE}"
            )
        found = box_addresses(box.shape[:2], box.swizzle_bytes, buffer.dtype.bytes, start)
        if not np.array_equal(found, _meant(buffer, place, scope, (box.shape[1], box.shape[0]))):
            raise CertificationError(
                f"a box at {buffer.name!r} does not fill the buffer's layout", start=start, swizzle=box.swizzle_bytes
            )


def _check_engine(kernel: SemanticKernel, box: Box, multiples: dict[str, int]) -> None:
    """A copy engine can follow the box: contiguous rows, everything else a multiple of 16 bytes."""
    parameter = kernel.parameter(box.operand)
    if box.strides[0] != Const(1) or math.prod(box.shape[2:]) != 1 or len(box.shape) < 2:
        raise CertificationError(f"a box of {box.operand!r} is no two-dimensional, contiguous one", shape=box.shape)
    if parameter.alignment % CHUNK:
        raise CertificationError(f"{box.operand!r} is not known to be aligned to 16 bytes")
    for stride in box.strides[1:]:
        if _multiple(stride, multiples) * parameter.dtype.bytes % CHUNK:
            raise CertificationError(f"a stride of {box.operand!r} is not known to be a multiple of 16 bytes")


def _multiple(stride: Index, multiples: dict[str, int]) -> int:
    """A number that divides the stride whatever its symbols are."""
    if isinstance(stride, Const):
        return stride.value
    return math.gcd(*(multiples.get(name, 1) for name in symbols(stride))) if symbols(stride) else 1


# ---- bank conflicts


def _check_conflicts(kernel: SemanticKernel, profile: CapabilityProfile) -> int:
    """Every way in which a buffer is touched: box rows, descriptor columns, and matrix stores of registers."""
    simulator = BankConflictSimulator(profile.shared_banks, profile.shared_bank_bytes)
    count = 0
    for buffer in kernel.buffers:
        if buffer.space is not Space.SHARED:
            continue
        if buffer.name not in _in_chunks(kernel):
            continue
        *leading, rows, _ = buffer.layout.axes
        width = buffer.layout.contiguous(buffer.layout.axes[-1].name)
        if width * buffer.dtype.bytes < CHUNK or rows.extent % GROUP:
            raise CertificationError(f"{buffer.name!r} has no 16-byte chunks of 8-row groups")
        step = CHUNK // buffer.dtype.bytes
        zeros = [0] * len(leading)
        at = [buffer.layout.at(*zeros, row, 0) for row in range(GROUP)]
        _conflict_free(buffer, "a column of 8 rows", np.array(at), simulator)
        linear = [buffer.layout.at(*zeros, 1 << bit, 0) for bit in range(3)]
        _rank_free(buffer, "a column of 8 rows", [int(x) for x in linear], simulator)
        plain = np.arange(GROUP) * step
        columns = buffer.layout.axes[-1].extent
        if columns >= GROUP * step:
            _conflict_free(buffer, "a row", np.array([buffer.layout.at(*zeros, 0, int(c)) for c in plain]), simulator)
        count += 2
    stored: set[tuple[str, FragmentLayout, bool]] = set()
    for role in kernel.roles:
        for node in walk(role.body):
            place = node.target if isinstance(node, Store) else node.source if isinstance(node, Load) else None
            if not isinstance(place, BufferRef) or not isinstance(node, Load | Store):
                continue
            turned = node.transfer is Transfer.MATRIX_TRANSPOSED
            if isinstance(node, Store) and (turned or node.transfer is Transfer.MATRIX):
                layout = role.fragment(node.fragment).layout
                if (place.buffer, layout, turned) not in stored:  # where in the buffer it begins permutes banks alike
                    _check_matrix_store(kernel.buffer(place.buffer), layout, turned, simulator)
                stored.add((place.buffer, layout, turned))
            else:
                _check_runs(kernel, role, node, place, simulator)
            count += 1
    return count


def _in_chunks(kernel: SemanticKernel) -> set[str]:
    """The buffers that descriptors, matrix stores and boxes with a swizzle reach, in 16-byte chunks; rows of others are filled in order."""
    found: set[str] = set()
    for role in kernel.roles:
        for node in walk(role.body):
            if isinstance(node, AsyncLoad) and node.source.swizzle_bytes:
                found.add(node.target.buffer)
            elif isinstance(node, AsyncStore):
                found.add(node.source.buffer)
            elif isinstance(node, AsyncMma):
                found |= {operand.buffer for operand in node.shared}
    return found


def _check_runs(
    kernel: SemanticKernel, role: Role, node: Load | Store, place: BufferRef, simulator: BankConflictSimulator
) -> None:
    """Each lane's runs of registers: the 32 lanes of a warp address memory together."""
    buffer, layout = kernel.buffer(place.buffer), role.fragment(node.fragment).layout
    rows, columns = layout.elements()
    for scope in _scopes(kernel, role, place)[:1]:
        places: dict[str, Value] = {**scope, "row": rows, "column": columns}
        at = [np.broadcast_to(np.asarray(evaluate(c, places)), rows.shape) for c in place.coordinates]
        offsets = buffer.layout.at(*at)[:, :: node.width] * buffer.dtype.bytes
        warp = min(_WARP, len(offsets))
        together = offsets.reshape(-1, warp, offsets.shape[1]).transpose(0, 2, 1).reshape(-1, warp)
        worst = simulator.worst(together, node.width * buffer.dtype.bytes)
        if worst > 1:
            raise CertificationError(
                f"{node.fragment!r} reaches {buffer.name!r} with bank conflicts: {worst} cycles instead of 1",
                role=role.name,
            )


def _conflict_free(buffer: Buffer, what: str, offsets: Integers, simulator: BankConflictSimulator) -> None:
    worst = simulator.worst(offsets.reshape(-1, offsets.shape[-1]) * buffer.dtype.bytes, CHUNK)
    if worst > 1:
        raise CertificationError(f"{what} of {buffer.name!r} has bank conflicts: {worst} cycles instead of 1")


def _rank_free(buffer: Buffer, what: str, steps: list[int], simulator: BankConflictSimulator) -> None:
    bytes_ = [step * buffer.dtype.bytes for step in steps]
    lanes = Matrix(max(max(bytes_).bit_length(), 1), tuple(bytes_))
    degree = rank_degree(lanes, banks=simulator.banks, bank_bytes=simulator.bank_bytes, width=CHUNK)
    if degree != 1:
        raise CertificationError(f"{what} of {buffer.name!r} has rank too low: {degree} cycles instead of 1")


def _check_matrix_store(
    buffer: Buffer, layout: FragmentLayout, transposed: bool, simulator: BankConflictSimulator
) -> None:
    """Each 8×8 matrix: four lanes hold a row's 8 elements in pairs, and what is stored as rows falls into different banks."""
    rows, columns = layout.elements()
    lanes, registers = rows.shape
    shape = (lanes // 32, GROUP, 4, registers // 2, 2)
    row, column = rows.reshape(shape), columns.reshape(shape)
    pairs = (np.arange(4)[:, None] * 2 + np.arange(2))[:, None, :]
    in_order = np.all(column - column[:, :, :1, :, :1] == pairs) and not np.any(column[:, :, 0, :, 0] % GROUP)
    held = [in_order, np.all(row == row[:, :, :1, :, :1])]
    if transposed:  # a stored row is a column of the fragment, which the matrix' eight rows have in common
        held += [np.all(row - row[:, :1] == np.arange(GROUP).reshape(-1, 1, 1, 1)), not np.any(row[:, 0] % GROUP)]
        held.append(np.all(column == column[:, :1]))
    if not all(held):
        raise CertificationError(
            f"a fragment stored to {buffer.name!r} does not hold 8×8 matrices as a matrix store wants"
        )
    leading = [0] * (len(buffer.layout.axes) - 2)
    if transposed:
        across = column[:, 0].transpose(0, 2, 1, 3).reshape(shape[0], shape[3], GROUP)
        first = buffer.layout.at(*leading, across, row[:, 0, 0, :, 0][:, :, None])
    else:
        first = buffer.layout.at(*leading, row[:, :, 0, :, 0], column[:, :, 0, :, 0]).transpose(0, 2, 1)
    _conflict_free(buffer, "a matrix store", first, simulator)


# ---- budgets


def _check_budgets(kernel: SemanticKernel, profile: CapabilityProfile) -> tuple[int, int]:
    launch = kernel.launch
    plan = plan_of(kernel)
    if launch.shared_bytes != plan.bytes or plan.bytes * (launch.together or 1) > profile.shared_bytes:
        raise CertificationError(
            f"the plan needs {plan.bytes} shared bytes, the launch asks for {launch.shared_bytes}, there are "
            f"{profile.shared_bytes}"
        )
    for buffer in kernel.buffers:
        atom = (1 << buffer.layout.atom.rows) * buffer.dtype.bytes
        if buffer.space is Space.SHARED and (buffer.alignment % atom or slot_bytes(buffer) % atom):
            raise CertificationError(
                f"{buffer.name!r} is aligned to {buffer.alignment} bytes, its swizzle repeats every {atom}"
            )
    threads = sum(_threads(role) * role.instances for role in kernel.roles)
    if launch.threads != threads or threads > profile.max_threads_per_block:
        raise CertificationError(
            f"the roles have {threads} threads, the launch {launch.threads}", limit=profile.max_threads_per_block
        )
    if (
        launch.cluster > profile.max_cluster
        or launch.cluster != kernel.configuration.cluster * kernel.configuration.split_k
    ):
        raise CertificationError(f"a cluster of {launch.cluster} blocks", limit=profile.max_cluster)
    registers = 0
    for role in kernel.roles:
        if role.lanes != _threads(role):
            raise CertificationError(f"{role.name!r} has {role.lanes} lanes, its actor {_threads(role)} threads")
        needed = _registers(role)
        if role.registers % 8 or not 24 <= role.registers <= 256 or needed > role.registers:
            raise CertificationError(
                f"{role.name!r} needs {needed} registers, its budget is {role.registers} (24 to 256 by 8)"
            )
        registers += role.registers * _threads(role) * role.instances * (launch.together or 1)
    if registers > profile.registers_per_processor:
        raise CertificationError(f"the roles hold {registers} registers", limit=profile.registers_per_processor)
    return plan.bytes, registers


def _threads(role: Role) -> int:
    return {Actor.WARPGROUP: 128, Actor.WARP: 32}.get(role.actor, 1)


def _registers(role: Role) -> int:
    """Accumulators, operands in registers, and addresses; an 8-column piece of the epilogue is live at a time."""
    held = {name for node in walk(role.body) if isinstance(node, AsyncMma) for name in node.registers}
    fragments = [role.fragment(name) for name in held]
    registers = sum(f.layout.registers * f.dtype.bytes // 4 for f in fragments if f.dtype.is_float)
    return registers + (_ADDRESS_REGISTERS + _STEP_REGISTERS if held else _ADDRESS_REGISTERS)
