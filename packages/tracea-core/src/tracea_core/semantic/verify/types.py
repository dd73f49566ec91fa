# SPDX-License-Identifier: MIT
"""Types: what moves keeps its type, what is computed loses nothing that the contraction keeps.

The interpreter computes in float64 whatever a kernel says, so types are not among what it decides. They are settled here: moves and
instructions name equal types at both ends, and arithmetic is done in the contraction's own type or in one that holds every
value of its operands.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.semantic.build.approximation import fast_form
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.forms import Form
from tracea_core.semantic.index import TestFn
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel, Space, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lanes_nvidia import SHORT_SUMS
from tracea_core.semantic.row_steps import STREAM_BYTES, Fold, Join
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    AsyncMma,
    BufferRef,
    Compute,
    Extract,
    HeldOperand,
    Load,
    Mma,
    Node,
    Store,
    Transfer,
    Turn,
)
from tracea_core.semantic.verify.certificate import Proof

_MOVES = frozenset((AsyncCopy, Load, Store))
_MATRICES = (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED)
LONGEST = 128
"""Products that may be added in fewer bits than an accumulator has (`tracea_core.ops.error_bounds` counts them)."""
_SHORT = 2
"""Bytes of the widest result that does not show what a device's fast functions lose."""


def holds_all(wide: DType, narrow: DType) -> bool:
    """Whether `wide` represents every value of `narrow`.

    A float holds another with no more fraction bits and no larger range, and integers below 2^(fraction bits + 1).

    >>> holds_all(DType.FP32, DType.BF16), holds_all(DType.FP32, DType.INT32), holds_all(DType.FP16, DType.BF16)
    (True, False, False)
    """
    if wide is narrow:
        return True
    if not wide.is_float:
        return not narrow.is_float and wide.lowest <= narrow.lowest and narrow.largest <= wide.largest
    if not narrow.is_float:
        return max(narrow.largest, -narrow.lowest) <= 1 / wide.eps
    return wide.eps <= narrow.eps and wide.largest >= narrow.largest and wide.smallest <= narrow.smallest


def check_types(kernel: SemanticKernel, contraction: Form) -> tuple[Proof, ...]:
    """Prove that every step keeps the types that the contraction asks for.

    Raises
    ------
    CertificationError
        If a move or an instruction joins different types, or arithmetic could lose what its operands hold.
    """
    count = 0
    for role in kernel.roles:
        if not contraction.fast_accumulation:
            _check_sums(role, role.body)
        for node in walk(role.body):
            count += 1
            if type(node) in _MOVES:
                _check_move(kernel, role, node)
            elif isinstance(node, Mma | AsyncMma):
                _check_product(kernel, role, node)
            elif isinstance(node, Extract | Turn | Fold):
                _same(role, node.target, role.fragment(node.source).dtype, node.source)
            elif isinstance(node, Join):
                for name in node.sources:
                    _same(role, node.target, role.fragment(name).dtype, name)
            elif isinstance(node, Compute):
                _check_arithmetic(role, node, contraction.compute, _weighs(contraction))
    return (Proof("types", "moves and products keep types, arithmetic loses nothing", f"{count} steps"),)


def _same(role: Role, fragment: str, dtype: DType, other: str) -> None:
    found = role.fragment(fragment).dtype
    if found is not dtype:
        raise CertificationError(f"{fragment!r} holds {found.value}, {other!r} {dtype.value}", role=role.name)


def _check_move(kernel: SemanticKernel, role: Role, node: Node) -> None:
    if isinstance(node, AsyncCopy):
        source, target = kernel.parameter(node.source.operand).dtype, kernel.buffer(node.target.buffer).dtype
        if source is not target:
            raise CertificationError(f"a copy turns {source.value} into {target.value}", role=role.name)
        return
    if not isinstance(node, Load | Store):
        return
    place = node.source if isinstance(node, Load) else node.target
    if isinstance(place, Access):
        _same(role, node.fragment, kernel.parameter(place.operand).dtype, place.operand)
    else:
        _same(role, node.fragment, kernel.buffer(place.buffer).dtype, place.buffer)
    shared = isinstance(place, BufferRef) and kernel.buffer(place.buffer).space is Space.SHARED
    if node.transfer in _MATRICES and not shared:
        raise CertificationError(f"matrices of {node.fragment!r} are moved outside shared memory", role=role.name)
    if node.transfer is Transfer.STREAM:
        _check_streamed(kernel, role, node, place)


def _check_streamed(kernel: SemanticKernel, role: Role, node: Load | Store, place: Access | BufferRef) -> None:
    """What passes the caches is a worker's store into an operand, of whole vectors that begin where the operand's alignment says."""
    if not isinstance(node, Store) or node.guard or role.actor is not Actor.WORKER or isinstance(place, BufferRef):
        raise CertificationError(
            f"only whole vectors that a worker stores pass the caches: {node.fragment!r}", role=role.name
        )
    if kernel.parameter(place.operand).alignment % STREAM_BYTES:
        raise CertificationError(
            f"{place.operand!r} passes the caches and is not aligned to {STREAM_BYTES} bytes", role=role.name
        )


def _check_product(kernel: SemanticKernel, role: Role, node: Mma | AsyncMma) -> None:
    lanes = instruction(node.instruction)
    _same(role, node.accumulator, lanes.accumulator, node.instruction)
    if isinstance(node, Mma):
        _same(role, node.a, lanes.operand, node.instruction)
        _same(role, node.b, lanes.b_type, node.instruction)
        return
    for operand, wanted in ((node.a, lanes.operand), (node.b, lanes.b_type)):
        if isinstance(operand, HeldOperand):
            _same(role, operand.fragment, wanted, node.instruction)
            continue
        found = kernel.buffer(operand.buffer).dtype
        if found is not wanted:
            raise CertificationError(f"{operand.buffer!r} holds {found.value}, {node.instruction} wants {wanted.value}")


def _check_sums(role: Role, body: tuple[Node, ...]) -> None:
    """Where an instruction adds in fewer bits than its accumulator has, sums are put aside after so many products."""
    for node in body:
        for inner in (getattr(node, "body", ()), getattr(node, "then", ()), getattr(node, "otherwise", ())):
            if inner:
                _check_sums(role, inner)
    products: dict[str, int] = {}
    for node in body:
        if isinstance(node, AsyncMma) and instruction(node.instruction).operand in SHORT_SUMS:
            fresh = any(test.fn is TestFn.LT and test.left == test.right for test in node.accumulate)
            depth = instruction(node.instruction).k
            products[node.accumulator] = depth if fresh else products.get(node.accumulator, LONGEST) + depth
            if products[node.accumulator] > LONGEST:
                raise CertificationError(
                    f"{node.accumulator!r} adds more than {LONGEST} products of fp8 in a matrix unit's own bits",
                    hint="Put sums aside after every step (block_k), or allow fast accumulation", role=role.name,
                )  # fmt: skip


def _weighs(form: Form) -> bool:
    """Whether what is computed fast are weights of 16-bit values, rounded to 16 bits before they multiply, and their total."""
    return isinstance(form, Chained) and form.softmax and form.right.dtype.bytes <= _SHORT


def _check_arithmetic(role: Role, node: Compute, compute: DType, weighs: bool) -> None:
    for name in (*node.accumulators, *node.operands):
        held = role.fragment(name).dtype
        if held is compute and not held.is_float and node.dtype is DType.FP32 and node.target not in node.accumulators:
            continue  # a finished sum of integers is rounded once, as tolerances allow; what is still added to stays whole
        if node.dtype is not compute and not holds_all(node.dtype, held):
            raise CertificationError(
                f"{node.target!r} is computed in {node.dtype.value}, which does not hold every {held.value} of {name!r}",
                role=role.name, contraction=compute.value,
            )  # fmt: skip
    if not isinstance(node.approximate, bool) and node.approximate != fast_form(node.expr):
        raise CertificationError(
            f"{node.target!r} is computed by another expression, which is not known to be near it", role=role.name
        )
    if node.approximate and role.fragment(node.target).dtype.bytes > _SHORT and not weighs:
        raise CertificationError(
            f"{node.target!r} is computed by fast functions, and wide enough to show it", role=role.name
        )
