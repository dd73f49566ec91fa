# SPDX-License-Identifier: MIT
"""Whether a product runs in one kernel or in several, with copies of operands before it and a sum of partial results after it.

Operands that wide copies cannot read are copied into aligned rows; a reduction whose tiles leave processors idle is divided. Every
arrangement that is possible is stated as a problem of its own (the same product, reading and writing workspaces), so that variant and
configuration are chosen for it as for any other, and its time is estimated:

    seconds = contraction + Σ copies + sum
    contraction = max(roofline, accesses / (2 · processors · clock))
    copy        = (bytes read + bytes written) / (0.8 · bandwidth) + launch
    sum         = (parts · m · n · bytes of a sum + bytes of the output) / (0.8 · bandwidth) + launch

An access moves what one lane finds aligned; those of 16 bytes do not count. The least wins; one kernel wins a tie. An operand
that needs no copy is never copied.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from tracea_core.data import Data
from tracea_core.doctor.choose import Choice, choose
from tracea_core.doctor.variants import Variant
from tracea_core.errors import ConfigurationError, UnsupportedError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import topology_of
from tracea_core.target import CapabilityProfile, Target

CHUNK = 16
"""Bytes that wide copies move, and that rows and addresses are then multiples of."""
ROW_BYTES = 128
"""Rows of a workspace begin at multiples of this: a line of the L2 cache."""
ACCESSES_PER_CLOCK = 2.0
"""Accesses of single lanes that a processor serves in a cycle (H200, five odd bf16 products: 0.42 × cuBLAS)."""
COPY_SHARE = 0.8
"""Share of a device's bandwidth that a pass reaches (H200: row-wise kernels move 3.9 of 4.8 TB/s)."""
LAUNCH_SECONDS = 2.0e-6
"""From the end of one kernel to the first bytes of the next."""
_STEP = 64
_FEWEST_STEPS = 4
_MOST_PARTS = 64
_PART_TILES = ((128, 256), (128, 128), (64, 256), (64, 128))
"""Tiles whose waves decide which numbers of parts are tried."""


class Packing(Data, frozen=True, kw_only=True):
    """An operand that is copied into a workspace before the product.

    Attributes
    ----------
    operand : int
        Which input.
    copied : TensorSpec
        How it lies in the workspace: the same shape, aligned rows.
    along : int
        The axis along which rows run, -1 or -2.
    depth : int
        Elements that are written in each row, zeros included.
    reason : str
        Why it is not read in place.
    """

    operand: int
    copied: TensorSpec
    along: int
    depth: int
    reason: str

    @property
    def bytes(self) -> int:
        """Size of the workspace."""
        matrices = math.prod(self.copied.shape[:-2])
        across = self.copied.shape[-3 - self.along]
        return matrices * across * self.copied.strides[-3 - self.along] * self.copied.dtype.bytes


class Arrangement(Data, frozen=True, kw_only=True):
    """One way to compute a product.

    Attributes
    ----------
    problem : Problem
        What the contraction computes: the product asked for, reading copies; or partial sums of it, one matrix for each part.
    packed : tuple of Packing
        The operands that are copied.
    partial : TensorSpec, optional
        The partial sums, shape (parts, m, n), where the reduction is divided.
    seconds : float
        The estimate; see the module's text.
    reason : str
        The estimate's terms.
    """

    problem: Problem
    packed: tuple[Packing, ...] = ()
    partial: TensorSpec | None = None
    seconds: float = 0.0
    reason: str = ""

    @property
    def parts(self) -> int:
        """Kernels' worth of reduction whose sums are added afterwards; 1 if it is not divided."""
        return 1 if self.partial is None else self.partial.shape[0]

    @property
    def kernels(self) -> int:
        """Kernels of the plan."""
        return 1 + len(self.packed) + (self.partial is not None)

    def describe(self) -> str:
        """Return the arrangement in a line."""
        words = [f"input {p.operand} copied into rows of {_row(p)} bytes ({p.bytes:,} in all)" for p in self.packed]
        if self.partial is not None:
            words.append(f"k in {self.parts} parts, sums added afterwards ({self.partial.bytes:,} bytes)")
        return f"{' and '.join(words) or 'one kernel, operands read in place'}: {self.reason}"


class Arranged(Data, frozen=True):
    """An arrangement and the variant that was chosen for its contraction."""

    arrangement: Arrangement
    choice: Choice


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
    for arrangement in possible(problem, target.profile) if several else (Arrangement(problem=problem),):
        try:
            choice = choose(arrangement.problem, target, variants)
            if choice.fallback is not None and arrangement.kernels > 1:
                continue  # inputs are then converted first, which leaves them contiguous in another type
            found.append(Arranged(arrangement, choice))
        except UnsupportedError as error:
            refused = refused or error
    if not found:
        raise refused or UnsupportedError("no arrangement is possible")
    if len(found) == 1:
        return (found[0],)
    timed = [entry for one in found if (entry := _timed(one, problem)) is not None]
    return tuple(sorted(timed, key=lambda one: (one.arrangement.seconds, one.arrangement.kernels))) or (found[0],)


# ---- what is possible


def possible(problem: Problem, profile: CapabilityProfile) -> Iterator[Arrangement]:
    """Yield every arrangement worth an estimate, that of one kernel first."""
    yield Arrangement(problem=problem)
    op = problem.op
    if is_cpu(profile) or not isinstance(op, GemmOp) or problem.is_empty or not op.k:
        return
    faults = {
        i: fault
        for i in (0, 1)
        if (fault := alignment_fault(problem, i)) and copy_fault(problem.inputs[i].settled()) is None
    }
    packs = [chosen for count in range(len(faults) + 1) for chosen in itertools.combinations(sorted(faults), count)]
    for chosen in packs:
        reasons = {i: faults[i] for i in chosen}
        whole = _arrangement(problem, reasons, 1)
        if chosen:
            yield whole
        divided = (_arrangement(problem, reasons, parts) for parts in _divisions(problem, profile))
        yield from dict.fromkeys(found for found in divided if found.parts > 1)


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


def _divisions(problem: Problem, profile: CapabilityProfile) -> list[int]:
    """Numbers of parts that could fill a wave of tiles that does not fill the processors."""
    op = problem.op
    assert isinstance(op, GemmOp)
    if math.prod(op.batch) != 1 or problem.epilogue.gated or op.k < 2 * _STEP * _FEWEST_STEPS:
        return []
    room = min(op.k // (_STEP * _FEWEST_STEPS), _MOST_PARTS)
    found: set[int] = set()
    for tall, wide in _PART_TILES:
        tiles = -(-op.m // tall) * -(-op.n // wide)
        if 2 * tiles <= profile.processors:
            most = min(profile.processors // tiles, room)
            found |= {most, 1 << (most.bit_length() - 1)}
    return sorted(parts for parts in found if parts > 1)


def _arrangement(problem: Problem, reasons: dict[int, str], parts: int) -> Arrangement:
    """The arrangement that copies some inputs and divides the reduction; undivided if the parts would not come out even."""
    op = problem.op
    assert isinstance(op, GemmOp)
    parts, each = _division(problem, reasons, parts)
    packed = tuple(_packing(problem, i, reason, parts * each) for i, reason in reasons.items())
    specs = list(problem.inputs)
    for one in packed:
        specs[one.operand] = one.copied
    options = problem.options.replace(placed=tuple(one.operand for one in packed)) if packed else problem.options
    if parts == 1:
        return Arrangement(problem=problem.replace(inputs=tuple(specs), options=options), packed=packed)
    n = problem.output.shape[-1]
    row = -(-n // 4) * 4
    partial = TensorSpec((parts, op.m, n), op.accumulator, (op.m * row, row, 1))
    inner = op.replace(batch=(parts,), k=each, out_dtype=op.accumulator, alpha=1.0, beta=0.0)
    inputs = (_divided(specs[0], -1, parts, each), _divided(specs[1], -2, parts, each))
    return Arrangement(problem=Problem(inner, inputs, partial, options=options), packed=packed, partial=partial)


def _division(problem: Problem, reasons: dict[int, str], parts: int) -> tuple[int, int]:
    """Parts, and the length of one: all alike, so without a rest, unless copies of both operands are padded with zeros."""
    op = problem.op
    assert isinstance(op, GemmOp)
    along_k = [(i, problem.inputs[i].settled(), axis) for i, axis in ((0, -1), (1, -2))]
    if all(i in reasons and _along(spec, axis) == axis for i, spec, axis in along_k):
        each = -(-op.k // parts // _STEP) * _STEP
        return (-(-op.k // each), each) if each < op.k else (1, op.k)
    step = CHUNK // op.dtype.bytes
    starts = any(spec.strides[axis] == 1 or i in reasons for i, spec, axis in along_k)
    even = op.k % parts == 0 and not (starts and op.k // parts % step)
    return (parts, op.k // parts) if even else (1, op.k)


def _along(spec: TensorSpec, k_axis: int) -> int:
    """The axis along which a copy's rows run: the contiguous one, or k."""
    return next((axis for axis in (k_axis, -3 - k_axis) if spec.strides[axis] == 1), k_axis)


def _packing(problem: Problem, operand: int, reason: str, padded_k: int) -> Packing:
    spec = problem.inputs[operand].settled()
    k_axis = -1 if operand == 0 else -2
    along = _along(spec, k_axis)
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
        reason=reason,
    )


def _divided(spec: TensorSpec, k_axis: int, parts: int, each: int) -> TensorSpec:
    """An operand as one matrix for each part of the reduction."""
    rank = spec.rank
    shape, strides = list(spec.shape[rank - 2 :]), list(spec.strides[rank - 2 :])
    shape[k_axis] = each
    return TensorSpec((parts, *shape), spec.dtype, (each * strides[k_axis], *strides))


def _row(packing: Packing) -> int:
    return packing.copied.strides[-3 - packing.along] * packing.copied.dtype.bytes


# ---- how long it takes


def _timed(one: Arranged, problem: Problem) -> Arranged | None:
    """Return an arrangement with its estimate, None where no configuration fits."""
    arrangement, choice = one.arrangement, one.choice
    profile = choice.target.profile
    engine = PolicyEngine(profile)
    try:
        hero = engine.decide(choice.problem, choice.variant).hero
    except ConfigurationError:
        return None
    topology = topology_of(choice.problem).replace(
        instruction=choice.variant.instruction, accumulate=choice.variant.accumulate
    )
    roofline = engine.predict(hero, topology)
    terms = [f"product {roofline * 1e6:.1f} us"]
    clock = (profile.clock_mhz or 1000.0) * 1e6
    lanes = _accesses(choice.problem, hero) / (ACCESSES_PER_CLOCK * profile.processors * clock)
    if lanes > roofline:
        terms = [f"product {lanes * 1e6:.1f} us by narrow accesses"]
    seconds = max(roofline, lanes)
    bandwidth = COPY_SHARE * (profile.memory_gbps or 100.0) * 1e9
    for packing in arrangement.packed:
        spec = packing.copied
        moved = spec.bytes + spec.size // spec.shape[packing.along] * packing.depth * spec.dtype.bytes
        terms.append(f"copy of input {packing.operand} {moved / 1e6:.1f} MB {moved / bandwidth * 1e6:.1f} us")
        seconds += moved / bandwidth + LAUNCH_SECONDS
    if arrangement.partial is not None:
        moved = arrangement.partial.bytes + problem.output.bytes
        terms.append(f"sum {moved / 1e6:.1f} MB {moved / bandwidth * 1e6:.1f} us")
        seconds += moved / bandwidth + LAUNCH_SECONDS
    launches = f" + {arrangement.kernels - 1} launches" if arrangement.kernels > 1 else ""
    reason = f"{' + '.join(terms)}{launches} = {seconds * 1e6:.1f} us"
    return Arranged(arrangement.replace(seconds=seconds, reason=reason), choice)


def _accesses(problem: Problem, hero: PipelineConfig) -> float:
    """Accesses narrower than 16 bytes with which tiles read their operands; copy engines have none."""
    if not isinstance(problem.op, GemmOp) or hero.barrier_mode is not BarrierMode.NONE:
        return 0.0
    op = problem.op
    rows, columns = -(-op.m // hero.tile_m), -(-op.n // hero.tile_n)
    total = 0.0
    for operand, (extent, again) in enumerate(((rows * hero.tile_m, columns), (columns * hero.tile_n, rows))):
        width = _access_bytes(problem, operand)
        if width < CHUNK:
            total += math.prod(op.batch) * extent * again * op.k * op.dtype.bytes / width
    return total


def _access_bytes(problem: Problem, operand: int) -> int:
    """Bytes that one lane finds together and aligned in rows of an input."""
    spec = problem.inputs[operand].settled()
    size = spec.dtype.bytes
    if 1 not in spec.strides[-2:]:
        return size
    along = [extent for extent, stride in zip(spec.shape, spec.strides, strict=True) if stride == 1]
    steps = [stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1 and stride != 1]
    whole = math.gcd(problem.options.aligned(operand), CHUNK, *(count * size for count in (*along, *steps)))
    return whole if whole >= 4 else size
