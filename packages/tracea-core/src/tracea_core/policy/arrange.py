# SPDX-License-Identifier: MIT
"""Whether a product runs in one kernel or in several, with copies of operands before it and a sum of partial results after it.

Operands that wide copies cannot read are copied into aligned rows, those that a matrix unit reads along k alone into rows along k
(transposed, if need be); results whose rows no copy engine can write are stored in rows that it can, and copied; a reduction whose
tiles leave processors idle is divided. Every arrangement that is possible is stated as a problem of its own (the same product, reading
and writing workspaces), so that variant and configuration are chosen for it as for any other, and its time is estimated:

    seconds = conversion + contraction + Σ copies + sum
    contraction = max(roofline, rounds · accesses / (2 · processors · clock)) + stores / (6 · processors · clock) + start
    copy        = (bytes read + bytes written) / (0.8 · bandwidth) + launch
    sum         = (parts · m · n · bytes of a sum + bytes of the output) / (0.8 · bandwidth) + launch + its start
    conversion  = as a copy, for each operand that a wider type stands in for

Estimates of warp-specialized kernels have their start in them; rounds are whole tiles of the busiest processor over its even share.
An access moves what one lane finds aligned; those of 16 bytes do not count, and of stores only those of less than 16 bytes of results
of 16 bits. The least wins; one kernel wins a tie. An operand that needs no copy is never copied.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracea_core.doctor.choose import choose
from tracea_core.doctor.requirements import RequiresReductionContiguous
from tracea_core.doctor.turned_rows import RequiresRightAlongReduction, turns_either_way
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange_filters import divided_filters
from tracea_core.policy.arrange_groups import merged_groups
from tracea_core.policy.arrange_images import arranged_images, stores_planes
from tracea_core.policy.arrange_time import timed
from tracea_core.policy.arrangement import CHUNK, Arranged, Arrangement, Packing
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.streaming import FEW, streams
from tracea_core.policy.topology import topology_of
from tracea_core.target import AsyncCopyKind, CapabilityProfile, Target

ROW_BYTES = 128
"""Rows of a workspace begin at multiples of this: a line of the L2 cache."""
_STEP = 64
_FEWEST_STEPS = 4
_MOST_PARTS = 64
_PART_TILES = ((128, 256), (128, 208), (128, 128), (64, 256), (64, 128))
_NARROW_TILES = ((64, FEW), (128, FEW))
"""Tiles whose waves decide which numbers of parts are tried, and those of few columns."""
_EXCHANGED_ROWS = 512
"""Rows up to which exchanged factors may cut a product into fewer, fuller tiles: 408 rows are 4 × 128 or 2 × 208."""
_LARGE = 1 << 33
"""Products of fp32 from which a transposition can pay: 2048³."""
_ALONG_K = (RequiresReductionContiguous, RequiresRightAlongReduction)
_NARROW_SCHEDULES = ("warp_specialized",)
"""Schedules whose tiles may have far fewer columns than rows."""


class Fault(NamedTuple):
    """Why an input is worth a copy, and the axis along which the copy's rows run."""

    reason: str
    along: int


def arranged(
    problem: Problem, target: Target, variants: Sequence[Variant], *, several: bool = True
) -> tuple[Arranged, ...]:
    """Return every arrangement that a variant can run, the fastest by estimate first.

    Parameters
    ----------
    several : bool
        Whether plans of more than one kernel count.

    Raises
    ------
    UnsupportedError
        If no variant runs the problem in any arrangement.
    """
    refused: UnsupportedError | None = None
    found: list[Arranged] = []
    stated = _unread(problem)
    along_k = read_along_k(variants)
    for arrangement in possible(stated, target.profile, along_k):
        if arrangement.kernels > 1 and not several:
            continue
        try:
            choice = choose(arrangement.problem, target, variants)
            if arrangement.kernels > 1 and choice.fallback is not None and choice.fallback.used is not DType.TF32:
                continue  # inputs are then converted first, which leaves them contiguous in another type
            if arrangement.problem.options.exchanged and choice.variant.schedule not in _NARROW_SCHEDULES:
                continue
            found.append(Arranged(arrangement, choice))
        except UnsupportedError as error:
            refused = refused or error
    if not found:
        raise refused or UnsupportedError("no arrangement is possible")
    if len(found) == found[0].arrangement.kernels == 1:
        return (found[0],)
    estimated = [entry for one in found if (entry := timed(one, problem)) is not None]
    return tuple(sorted(estimated, key=_preference)) or (found[0],)


def _preference(one: Arranged) -> tuple[int, int, bool, float]:
    """By whole microseconds of the estimate; among equals the fewest kernels, then factors whose tiles are at least as many down as across.

    Tiles that all run at once then go row by row (`tracea_core.policy.rules.order_by_reuse_or_length`): on an H200 13 products of 128 to
    512 rows took 2.1 % less so in the geometric mean, 200×1000×600 12 %. And few rows become columns, which tiles read once.
    """
    arrangement, problem = one.arrangement, one.arrangement.problem
    seconds = arrangement.seconds
    across = isinstance(problem.op, GemmOp) and (topology := topology_of(problem)).m < topology.n
    return round(seconds * 1e6), arrangement.kernels, across, seconds


# ---- what is possible


def read_along_k(variants: Sequence[Variant]) -> frozenset[DType]:
    """Return the types of operands that some variant reads along k alone."""
    return frozenset(
        dtype
        for variant in variants
        if any(isinstance(wanted, _ALONG_K) for wanted in variant.requirements)
        for dtype in variant.operand_dtypes
    )


def _unread(problem: Problem) -> Problem:
    """The same product with operands that have no elements in the order that every kernel takes: nothing of them is read."""
    if not isinstance(problem.op, GemmOp) or problem.op.k or problem.op.beta:
        return problem
    a, b = problem.inputs[:2]
    apart = 16  # elements from one of their rows to the next, as if they had some: any access would do
    rows = TensorSpec(a.shape, a.dtype, TensorSpec.contiguous((*a.shape[:-1], apart), a.dtype).strides)
    turned = TensorSpec.contiguous((*b.shape[:-2], b.shape[-1], apart), b.dtype)
    columns = TensorSpec(b.shape, b.dtype, (*turned.strides[:-2], turned.strides[-1], turned.strides[-2]))
    return problem.replace(inputs=(rows, columns, *problem.inputs[2:]))


def possible(
    problem: Problem, profile: CapabilityProfile, along_k: frozenset[DType] = frozenset()
) -> Iterator[Arrangement]:
    """Yield every arrangement worth an estimate, that of one kernel first.

    Parameters
    ----------
    along_k : frozenset of DType
        Types of operands that are read along k alone (`read_along_k`).
    """
    yield from _copied_and_divided(problem, profile, along_k)
    if may_exchange(problem, profile):
        options = problem.options.replace(exchanged=not problem.options.exchanged)
        yield from _copied_and_divided(problem.replace(options=options), profile, along_k)


def may_exchange(problem: Problem, profile: CapabilityProfile) -> bool:
    """Whether the factors of a product may change roles: it has few rows, and instructions take fewer columns than rows.

    A warpgroup instruction multiplies 64 rows by as few as 8 columns, and reads the left factor of a product of tf32 either way. A gated
    epilogue pairs columns, which stay columns.
    """
    if not isinstance(problem.op, GemmOp) or problem.epilogue.gated or not profile.has("wgmma"):
        return False
    single = problem.op.dtype is DType.TF32 or (problem.op.dtype is DType.FP32 and problem.options.allow_tf32)
    if single and turns_either_way(problem):
        return True
    topology = topology_of(problem)
    return topology.m < topology.n and (streams(topology) or topology.m <= _EXCHANGED_ROWS)


def _copied_and_divided(
    problem: Problem, profile: CapabilityProfile, along_k: frozenset[DType]
) -> Iterator[Arrangement]:
    yield Arrangement(problem=problem)
    op = problem.op
    if isinstance(op, Conv2dOp) and not is_cpu(profile):
        yield from arranged_images(problem, planes=stores_planes(problem, profile))
        yield from merged_groups(problem, profile)
    if isinstance(op, Conv2dFiltersOp) and not is_cpu(profile):
        yield from divided_filters(problem, profile)
    if is_cpu(profile) or not isinstance(op, GemmOp) or problem.is_empty or not op.k:
        return
    single = op.dtype is DType.FP32 and problem.options.allow_tf32
    narrow = (DType.TF32 if single else op.dtype) in along_k
    faults = {i: fault for i in (0, 1) if (fault := _fault(problem, i, narrow) or _lane_fault(problem, profile, i))}
    packs = [chosen for count in range(len(faults) + 1) for chosen in itertools.combinations(sorted(faults), count)]
    for chosen in packs:
        reasons = {i: faults[i] for i in chosen}
        whole = _arrangement(problem, reasons, 1)
        if chosen:
            yield whole
        if narrow_store(problem):
            yield _stored(whole)
        divided = (_arrangement(problem, reasons, parts) for parts in _divisions(problem, profile))
        yield from dict.fromkeys(found for found in divided if found.parts > 1)


def _fault(problem: Problem, operand: int, narrow: bool) -> Fault | None:
    """Why an input is worth a copy, or None; with `narrow`, it is read along k alone."""
    spec = problem.inputs[operand].settled()
    k_axis = (-1, -2)[operand]
    reason = alignment_fault(problem, operand)
    if narrow and reason is None and spec.strides[k_axis] != 1:
        reason = f"{spec.dtype.value} is multiplied along k, and it is contiguous along {'nm'[k_axis]}"
    gates = operand == 1 and problem.gate_bytes % CHUNK != 0
    if gates and reason is None:
        reason = f"columns of the second gate begin {problem.gate_bytes} bytes into its rows"
    if reason is None or copy_fault(spec) is not None:
        return None
    return Fault(reason, k_axis if narrow or gates else _along(spec, k_axis))


def _lane_fault(problem: Problem, profile: CapabilityProfile, operand: int) -> Fault | None:
    """Why an input of a large fp32 product is worth a transposition, or None: lanes multiply columns of A by rows of B.

    What runs along k has to pass registers on its way to shared memory, where what runs along m or n is copied past them. One
    operand of that kind costs no more than its transposition.
    """
    op = problem.op
    assert isinstance(op, GemmOp)
    exact = op.dtype is DType.FP32 and not (problem.options.allow_tf32 or problem.options.tf32x3)
    large = op.m * op.n * op.k >= _LARGE and math.prod(op.batch) == 1
    if not (exact and large) or AsyncCopyKind.CP_ASYNC not in profile.async_copies:
        return None
    a, b = (spec.settled() for spec in problem.inputs[:2])
    if a.strides[-1] != 1 or b.strides[-2] != 1 or copy_fault(a) or copy_fault(b):
        return None
    return Fault(
        f"lanes copy fp32 past registers, and it is contiguous along k, not {'mn'[operand]}", (-2, -1)[operand]
    )


def alignment_fault(problem: Problem, operand: int) -> str | None:
    """Return why wide copies cannot read an input where it lies, or None."""
    spec = problem.inputs[operand].settled()
    if problem.options.aligned(operand) < CHUNK:
        return f"addresses are multiples of {problem.options.aligned(operand)} bytes only"
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    odd = [stride * spec.dtype.bytes for stride in steps if stride * spec.dtype.bytes % CHUNK]
    if odd:
        return f"a stride of {odd[0]} bytes is no multiple of {CHUNK}"
    return None if 1 in spec.strides[-2:] else "neither its rows nor its columns are contiguous"


def copy_fault(spec: TensorSpec) -> str | None:
    """Return why no pass can copy a tensor into a workspace, or None: its batch must be one axis, or none."""
    if spec.rank < 2 or 0 in spec.shape:
        return f"a tensor of shape {spec.shape} is no matrix to copy"
    if any(stride <= 0 for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1):
        return f"strides {spec.strides} repeat elements or run backwards"
    batch = [(e, s) for e, s in zip(spec.shape[:-2], spec.strides[:-2], strict=True) if e > 1]
    single = all(outer == inner * extent for (_, outer), (extent, inner) in itertools.pairwise(batch))
    return None if single else f"its batch of shape {spec.shape[:-2]} is no single axis"


def narrow_store(problem: Problem) -> bool:
    """Whether rows of the output, and they alone, keep elements of 16 bits from being stored in wide runs."""
    out = problem.output.settled()
    if out.dtype.bytes != 2 or out.strides[-1] != 1 or problem.options.alignment < CHUNK or copy_fault(out):
        return False
    if out.shape[-1] * out.dtype.bytes % CHUNK:
        return False  # a copy engine stores whole chunks into aligned rows, or nothing

    def odd(spec: TensorSpec) -> bool:
        steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
        return any(stride * spec.dtype.bytes % CHUNK for stride in steps)

    plain = problem.normalized()
    columns = out.shape[-1]
    if columns % 2 and any(spec.shape and spec.shape[-1] == columns for spec in plain.epilogue_inputs):
        return False  # what is read for pairs of columns is masked with them
    return odd(out) and not any(odd(spec.settled()) for spec in plain.epilogue_inputs if spec.size > spec.shape[-1])


def _stored(whole: Arrangement) -> Arrangement:
    """The same with the output in a workspace of aligned rows."""
    out = whole.problem.output
    line = ROW_BYTES // out.dtype.bytes
    row = -(-out.shape[-1] // line) * line
    strides = TensorSpec.contiguous((*out.shape[:-1], row), out.dtype).strides
    stored = TensorSpec(out.shape, out.dtype, strides)
    return whole.replace(problem=whole.problem.replace(output=stored), stored=stored)


def _divisions(problem: Problem, profile: CapabilityProfile) -> list[int]:
    """Numbers of parts that could fill a wave of tiles that does not fill the processors."""
    op = problem.op
    assert isinstance(op, GemmOp)
    if math.prod(op.batch) != 1 or problem.epilogue.gated or op.k < 2 * _STEP * _FEWEST_STEPS:
        return []
    room = min(op.k // (_STEP * _FEWEST_STEPS), _MOST_PARTS)
    found: set[int] = set()
    exchanged = problem.options.exchanged
    few = exchanged and op.m <= FEW
    rows, columns = (op.n, op.m) if exchanged else (op.m, op.n)
    shapes = _NARROW_TILES if few else _PART_TILES
    for tall, wide in shapes:
        tiles = -(-rows // tall) * -(-columns // wide)
        if 2 * tiles <= profile.processors:
            most = min(profile.processors // tiles, room)
            found |= {most, 1 << (most.bit_length() - 1)}
    return sorted(parts for parts in found if parts > 1)


def _arrangement(problem: Problem, reasons: dict[int, Fault], parts: int) -> Arrangement:
    """The arrangement that copies some inputs and divides the reduction; undivided if the parts would not come out even."""
    op = problem.op
    assert isinstance(op, GemmOp)
    parts, each = _division(problem, reasons, parts)
    packed = tuple(_packing(problem, i, fault, parts * each) for i, fault in reasons.items())
    specs = list(problem.inputs)
    for one in packed:
        specs[one.operand] = one.copied
    options = problem.options.replace(placed=tuple(one.operand for one in packed)) if packed else problem.options
    if parts == 1:
        for i, axis in ((0, -1), (1, -2)) if each != op.k else ():
            shape = list(specs[i].shape)
            shape[axis] = each
            specs[i] = specs[i].replace(shape=tuple(shape))
        stated = problem.replace(op=op.replace(k=each), inputs=tuple(specs), options=options)
        return Arrangement(problem=stated, packed=packed)
    n = problem.output.shape[-1]
    row = -(-n // 4) * 4
    partial = TensorSpec((parts, op.m, n), op.accumulator, (op.m * row, row, 1))
    inner = op.replace(batch=(parts,), k=each, out_dtype=op.accumulator, alpha=1.0, beta=0.0)
    inputs = (_divided(specs[0], -1, parts, each), _divided(specs[1], -2, parts, each))
    return Arrangement(problem=Problem(inner, inputs, partial, options=options), packed=packed, partial=partial)


def _division(problem: Problem, reasons: dict[int, Fault], parts: int) -> tuple[int, int]:
    """Parts, and the length of one: all alike, so without a rest, unless copies of both operands are padded with zeros.

    Where both are copied, even an undivided reduction is padded to whole lines, so that no box of a copy engine ends within a row.
    """
    op = problem.op
    assert isinstance(op, GemmOp)
    along_k = [(i, problem.inputs[i].settled(), axis) for i, axis in ((0, -1), (1, -2))]
    if all(i in reasons and reasons[i].along == axis for i, _, axis in along_k):
        if parts == 1:
            line = ROW_BYTES // problem.inputs[0].dtype.bytes
            return 1, -(-op.k // line) * line
        each = -(-op.k // parts // _STEP) * _STEP
        return (-(-op.k // each), each) if each < op.k else (1, op.k)
    step = CHUNK // op.dtype.bytes
    starts = any(spec.strides[axis] == 1 or i in reasons for i, spec, axis in along_k)
    even = op.k % parts == 0 and not (starts and op.k // parts % step)
    return (parts, op.k // parts) if even else (1, op.k)


def _along(spec: TensorSpec, k_axis: int) -> int:
    """The axis along which a copy's rows run: the contiguous one, or k."""
    return next((axis for axis in (k_axis, -3 - k_axis) if spec.strides[axis] == 1), k_axis)


def _packing(problem: Problem, operand: int, fault: Fault, padded_k: int) -> Packing:
    spec = problem.inputs[operand].settled()
    k_axis, along = (-1, -2)[operand], fault.along
    step = CHUNK // spec.dtype.bytes
    depth = padded_k if along == k_axis else spec.shape[along]
    depth = -(-depth // step) * step
    line = ROW_BYTES // spec.dtype.bytes
    row = -(-depth // line) * line
    across = spec.shape[-3 - along]
    inner = (1, row) if along == -2 else (row, 1)
    outer = [s * across * row for s in TensorSpec.contiguous((*spec.shape[:-2], 1, 1), spec.dtype).strides[:-2]]
    return Packing(
        operand=operand,
        copied=TensorSpec(spec.shape, spec.dtype, (*outer, *inner)),
        along=along,
        depth=depth,
        reason=fault.reason,
        transposed=spec.strides[along] != 1 and spec.strides[-3 - along] == 1,
    )


def _divided(spec: TensorSpec, k_axis: int, parts: int, each: int) -> TensorSpec:
    """An operand as one matrix for each part of the reduction."""
    rank = spec.rank
    shape, strides = list(spec.shape[rank - 2 :]), list(spec.strides[rank - 2 :])
    shape[k_axis] = each
    return TensorSpec((parts, *shape), spec.dtype, (each * strides[k_axis], *strides))
