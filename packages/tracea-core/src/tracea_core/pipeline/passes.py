# SPDX-License-Identifier: MIT
"""The kernels of a plan besides its contraction: copies of operands before it, the sum of divided reductions after it."""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.pixels import matrices_of_pixels
from tracea_core.ops.problem import Neighbour, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange import copy_fault
from tracea_core.policy.arrange_filters import as_matrices
from tracea_core.policy.arrangement import Arrangement
from tracea_core.policy.budget import is_cpu
from tracea_core.semantic.build.schedules import kernel_name
from tracea_core.semantic.kernel import Overlap, SemanticKernel
from tracea_core.semantic.sweep import LoweredSweep, is_short, lower_copy, lower_sum
from tracea_core.semantic.sweep_images import lower_lines, lower_merged, lower_windows
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile

PARTIAL, STORED = "partial", "stored"
"""What the workspaces of partial sums and of the output are called; that of the i-th input is ``copy{i}``."""

_OF_PARTS = {Neighbour.FIRST: Overlap.LEADS, Neighbour.BESIDE: Overlap.BESIDE, Neighbour.AFTER: Overlap.FOLLOWS}

Certify = Callable[[SemanticKernel, LoweredSweep], Certificate]
Emit = Callable[[SemanticKernel, Certificate], KernelSource | None]


class Pass(Data, frozen=True, kw_only=True):
    """One such kernel, from its form to its source. `source` is None where the backend prints no kernels of the family."""

    purpose: str
    lowered: LoweredSweep
    kernel: SemanticKernel
    certificate: Certificate
    source: KernelSource | None


class Scratch(Data, frozen=True):
    """Memory between the kernels of a plan: its name among the operands, and bytes."""

    name: str
    bytes: int


def copy_name(operand: int) -> str:
    """Return what the copy of an input is called among a plan's operands."""
    return f"copy{operand}"


def scratch(arrangement: Arrangement) -> tuple[Scratch, ...]:
    """Return the workspaces of an arrangement."""
    found = [Scratch(copy_name(packing.operand), packing.bytes) for packing in arrangement.packed]
    if arrangement.partial is not None:
        partial = arrangement.partial
        found.append(Scratch(PARTIAL, partial.shape[0] * partial.strides[0] * partial.dtype.bytes))
    if arrangement.stored is not None:
        found.append(Scratch(STORED, arrangement.stored_bytes))
    return tuple(found)


def contraction_operands(arrangement: Arrangement, operands: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the contraction's pointers are, workspaces where the arrangement has put them."""
    names = {f"input{packing.operand}": copy_name(packing.operand) for packing in arrangement.packed}
    if arrangement.partial is not None:
        names["output"] = PARTIAL
    if arrangement.stored is not None:
        names["output"] = STORED
    return tuple(names.get(name, name) for name in operands)


def in_plan(
    kernel: SemanticKernel, arrangement: Arrangement, profile: CapabilityProfile, place: int | None = None
) -> SemanticKernel:
    """Return a kernel as it meets its neighbours, where launches may depend on each other: copies and the product overlap.

    So do the parts of a problem that is several contractions, those that are one kernel each. A sum of parts begins when the product has
    ended: on an H200 overlapping took 0.5 µs more for one divided product, 0.8 less for another. A plan that is one kernel follows whatever
    is before it on the stream: its blocks are placed while that one ends, which takes an H200 1 µs less from launch to launch.

    Parameters
    ----------
    place : int, optional
        Which kernel of the plan it is; by default the contraction.
    """
    last = len(arrangement.packed) + (arrangement.stored is not None)
    place = len(arrangement.packed) if place is None else place
    neighbour = arrangement.problem.options.neighbour
    if arrangement.kernels == 1 and profile.has("griddepcontrol"):
        met = _OF_PARTS[neighbour] if isinstance(neighbour, Neighbour) else Overlap.FOLLOWS
        return kernel.replace(launch=kernel.launch.replace(overlap=met))
    if not last or place > last or not profile.has("griddepcontrol"):
        return kernel
    middle = Overlap.BESIDE if place < len(arrangement.packed) else Overlap.BOTH  # copies need nothing of each other
    overlap = Overlap.FOLLOWS if place == last else middle if place else Overlap.LEADS
    return kernel.replace(launch=kernel.launch.replace(overlap=overlap))


def passes(
    problem: Problem, arrangement: Arrangement, profile: CapabilityProfile, certify: Certify, emit: Emit
) -> tuple[tuple[Pass, ...], tuple[Pass, ...]]:
    """Return the kernels before and after the contraction of an arrangement.

    Parameters
    ----------
    certify, emit : callable
        How a kernel is certified and printed.

    Raises
    ------
    ConfigurationError, CertificationError
        If a pass cannot be built, or a proof fails.
    """

    def made(place: int, purpose: str, lowered: LoweredSweep, read: int, write: int) -> Pass:
        kernel = in_plan(_built(lowered, profile, read, write), arrangement, profile, place)
        certificate = certify(kernel, lowered)
        return Pass(
            purpose=purpose, lowered=lowered, kernel=kernel, certificate=certificate, source=emit(kernel, certificate)
        )

    before = []
    for place, packing in enumerate(arrangement.packed):
        name, target, given = f"input{packing.operand}", copy_name(packing.operand), problem.inputs[packing.operand]
        if packing.merged:
            assert isinstance(problem.op, Conv2dOp)
            lowered = lower_merged(name, given.settled(), target, problem.op.groups, packing.merged)
        elif packing.pixel:
            spec = given.settled()
            pixels = (packing.pixel, packing.lead, packing.together, packing.above)
            lowered = lower_lines(name, spec, target, packing.copied, *pixels)
        elif packing.window is not None:
            last = packing.channels_last
            lowered = lower_windows(name, given.settled(), target, packing.copied, packing.window, last)
        else:
            spec = _matrices(problem, given)
            short = is_short(spec, packing.along, profile)
            lowered = lower_copy(name, spec, target, packing.copied, packing.along, packing.depth, short=short)
        before.append(
            made(place, f"copy input {packing.operand}: {packing.reason}", lowered, problem.options.alignment, 16)
        )
    after = []
    if arrangement.partial is not None:
        whole = as_matrices(problem) if isinstance(problem.op, Conv2dFiltersOp) else problem
        lowered = lower_sum(whole, PARTIAL, arrangement.partial)
        after.append(
            made(len(before) + 1, f"add {arrangement.parts} partial sums", lowered, 16, problem.options.alignment)
        )
    if arrangement.stored is not None:
        out = _matrices(problem, problem.output)
        along = -1 if out.strides[-1] == 1 else -2
        lowered = lower_copy(STORED, arrangement.stored, "output", out, along, out.shape[along])
        after.append(
            made(arrangement.kernels - 1, "copy the output into its own rows", lowered, 16, problem.options.alignment)
        )
    return tuple(before), tuple(after)


def zeros(
    problem: Problem, arrangement: Arrangement, profile: CapabilityProfile, certify: Certify, emit: Emit
) -> Pass | None:
    """Return the pass that is all there is to a product of no elements, stored as it is, on a GPU; None for any other problem.

    A schedule of products would store its sums from registers in the order in which an instruction holds them: 1.2 TB/s on an H200.
    """
    op, out = problem.op, problem.output.settled()
    nothing = isinstance(op, GemmOp) and not op.k and not op.beta and problem.epilogue == IDENTITY
    if not nothing or arrangement.kernels > 1 or is_cpu(profile) or out.strides[-1] != 1 or copy_fault(out) is not None:
        return None
    lowered = lower_copy("input0", out, "output", out, -1, out.shape[-1], held=0)
    kernel = in_plan(_built(lowered, profile, out.dtype.bytes, problem.options.alignment), arrangement, profile)
    certificate = certify(kernel, lowered)
    return Pass(
        purpose="write zeros", lowered=lowered, kernel=kernel, certificate=certificate, source=emit(kernel, certificate)
    )


def _built(lowered: LoweredSweep, profile: CapabilityProfile, read: int, write: int) -> SemanticKernel:
    """The kernel of a pass whose pointers are aligned so; its builder is imported when there is one to be built."""
    from tracea_core.semantic.build.sweep import sweep_configuration, sweep_kernel

    configuration = sweep_configuration(lowered, profile, read, write)
    return sweep_kernel(lowered.form, configuration, profile, kernel_name(lowered.form, configuration))


def _matrices(problem: Problem, spec: TensorSpec) -> TensorSpec:
    """A tensor as matrices, which those of products are already."""
    rows = matrices_of_pixels(spec) if isinstance(problem.op, Conv2dOp | ConvTranspose2dOp) else None
    return spec.settled() if rows is None else rows
