# SPDX-License-Identifier: MIT
"""What a kind of kernel needs of a device and of a problem, as data that can say why it is not met.

A requirement is hard: one that fails rejects the variant, with its reason. A preference is soft: it holds (`reason` is None) and earns
its weight, or it does not. They are data, so that a decision can be printed, stored and compared, and listed without a problem at hand.

Negative axes count from the end of the logical shape, as in NumPy. An operand is an index into `Problem.inputs`, or `OUTPUT`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracea_core.data import Data
from tracea_core.doctor.device_requirements import (
    RequiresArch,
    RequiresArchAtLeast,
    RequiresAsyncCopy,
    RequiresFeatures,
    RequiresInstruction,
    RequiresRegisters,
    RequiresSharedMemory,
)
from tracea_core.doctor.image_walk import (
    RequiresFilterForEach,
    RequiresImageWalk,
    RequiresOwnFilters,
    RequiresOwnPlanes,
)
from tracea_core.doctor.option_given import RequiresOption
from tracea_core.doctor.row_count import RequiresFewRows
from tracea_core.doctor.turned_rows import RequiresRightAlongReduction
from tracea_core.doctor.winograd import RequiresMinimalFiltering
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.target import CapabilityProfile

if TYPE_CHECKING:
    from tracea_core.ops.problem import Problem
    from tracea_core.ops.spec import TensorSpec

OUTPUT = -1
"""The operand index that stands for the output."""


class RequiresOps(Data, frozen=True, tag=True):
    """The op is of one of these classes."""

    names: tuple[str, ...]

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "an op that is one of " + ", ".join(self.names)

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        name, *kinds = (kind.__name__ for kind in type(problem.op).__mro__)  # part of a convolution is a convolution
        return None if not {name, *kinds}.isdisjoint(self.names) else f"takes {', '.join(self.names)}, not {name}"


class RequiresAttribute(Data, frozen=True, tag=True):
    """A field of the op, if the op has it, has one of `values` (a tuple-valued field: every component has)."""

    attribute: str
    values: tuple[int, ...]

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"{self.attribute} = " + " or ".join(str(value) for value in self.values)

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        if not hasattr(problem.op, self.attribute):
            return None
        held: object = getattr(problem.op, self.attribute)
        components = held if isinstance(held, tuple) else (held,)
        if all(component in self.values for component in components):
            return None
        return f"needs {self.describe()}; the op has {self.attribute} = {held}"


class RequiresDType(Data, frozen=True, tag=True):
    """One operand has one of these dtypes (for operands that differ, such as unsigned times signed bytes)."""

    operand: int
    dtypes: tuple[DType, ...]

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"{operand_name(self.operand)} of dtype " + " or ".join(dtype.value for dtype in self.dtypes)

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        spec = operand_spec(problem, self.operand)
        if spec is None or spec.dtype in self.dtypes:
            return None
        return f"needs {self.describe()}; it is {spec.dtype.value}"


class RequiresExtent(Data, frozen=True, tag=True):
    """The extent of one axis of one operand lies in a range and is a multiple of `multiple`."""

    operand: int
    axis: int
    minimum: int = 0
    maximum: int | None = None
    multiple: int = 1

    def __post_init__(self) -> None:
        if self.multiple < 1 or self.minimum < 0 or (self.maximum is not None and self.maximum < self.minimum):
            raise ConfigurationError("an extent requirement that nothing can meet", requirement=self.describe())

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        parts = [f"at least {self.minimum}"] if self.minimum else []
        parts += [f"at most {self.maximum}"] if self.maximum is not None else []
        parts += [f"a multiple of {self.multiple}"] if self.multiple > 1 else []
        return f"axis {self.axis} of {operand_name(self.operand)} " + (" and ".join(parts) or "of any extent")

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        spec = operand_spec(problem, self.operand)
        if spec is None or not -spec.rank <= self.axis < spec.rank:
            return f"{operand_name(self.operand)} has no axis {self.axis}"
        extent = spec.shape[self.axis]
        if extent >= self.minimum and (self.maximum is None or extent <= self.maximum) and extent % self.multiple == 0:
            return None
        return f"needs {self.describe()}; it is {extent}"


class RequiresAlignment(Data, frozen=True, tag=True):
    """Addresses, and every stride of an operand but those equal to 1, are multiples of `bytes` (what wide copies need).

    So is the distance of an epilogue's gates in rows of the second operand.
    """

    operand: int
    bytes: int

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"rows of {operand_name(self.operand)} aligned to {self.bytes} bytes"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        spec = operand_spec(problem, self.operand)
        if spec is None:
            return None
        aligned = problem.options.aligned(self.operand)
        if aligned < self.bytes:
            return f"needs {self.describe()}; addresses are aligned to {aligned}"
        for extent, stride in zip(spec.shape, spec.strides, strict=True):
            if extent > 1 and stride != 1 and (stride * spec.dtype.bytes) % self.bytes:
                return f"needs {self.describe()}; a stride is {stride * spec.dtype.bytes} bytes"
        if self.operand == 1 and problem.gate_bytes % self.bytes:
            return f"needs {self.describe()}; the second gate begins {problem.gate_bytes} bytes into them"
        return None


class RequiresUnitStride(Data, frozen=True, tag=True):
    """One of the `axes` of an operand has stride 1, as `TensorSpec.settled` settles the strides of axes of one element."""

    operand: int
    axes: tuple[int, ...] = (-1,)

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"unit stride in axis {' or '.join(str(axis) for axis in self.axes)} of {operand_name(self.operand)}"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        spec = operand_spec(problem, self.operand)
        if spec is None:
            return None
        strides = spec.settled().strides
        if any(strides[axis] == 1 for axis in self.axes if -spec.rank <= axis < spec.rank):
            return None
        return f"needs {self.describe()}; the strides are {strides}"


class RequiresReductionContiguous(Data, frozen=True, tag=True):
    """Rows of A and columns of B, the operands of a product, are contiguous: both are read along k."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "contiguous rows of A and columns of B, as in x @ w.t()"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        for operand, name, axis in ((0, "A", -1), (1, "B", -2)):
            spec = operand_spec(problem, operand)
            if spec is not None and spec.rank >= 2 and spec.settled().strides[axis] != 1:
                dtype, strides = problem.op.input_dtypes()[operand], spec.settled().strides
                return f"the matrix unit reads {dtype.value} along k only, and {name} has strides {strides}"
        return None


class RequiresPlainEpilogue(Data, frozen=True, tag=True):
    """The epilogue is the identity."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "no fused epilogue"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        plain = not problem.epilogue_inputs and type(problem.epilogue.expr).__name__ == "Accumulator"
        return None if plain else "cannot fuse an epilogue"


class RequiresUngatedEpilogue(Data, frozen=True, tag=True):
    """The epilogue does not combine two halves of the accumulator (SwiGLU and GeGLU do)."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "an epilogue that is not gated"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        return "cannot fuse a gated epilogue" if problem.epilogue.gated else None


class RequiresNondeterminism(Data, frozen=True, tag=True):
    """The caller did not ask for bitwise reproducible results; `why` says where this variant's order comes from."""

    why: str

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "leave to vary between runs"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        return (
            f"results vary between runs ({self.why}), and deterministic=True was asked for"
            if problem.options.deterministic
            else None
        )


class RequiresIndexBits(Data, frozen=True, tag=True):
    """Every element offset of every operand and of the output fits `bits` bits (31 for signed 32-bit addressing)."""

    bits: int

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"offsets below 2^{self.bits} elements"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        for operand, spec in enumerate((*problem.inputs, problem.output)):
            span = sum(
                (extent - 1) * abs(stride) for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent
            )
            if span >= 1 << self.bits:
                name = operand_name(operand if operand < len(problem.inputs) else OUTPUT)
                return f"needs {self.describe()}; {name} reaches {span}"
        return None


Requirement = (
    RequiresArch
    | RequiresArchAtLeast
    | RequiresFeatures
    | RequiresInstruction
    | RequiresAsyncCopy
    | RequiresSharedMemory
    | RequiresRegisters
    | RequiresOps
    | RequiresAttribute
    | RequiresDType
    | RequiresExtent
    | RequiresAlignment
    | RequiresUnitStride
    | RequiresReductionContiguous
    | RequiresRightAlongReduction
    | RequiresImageWalk
    | RequiresOwnFilters
    | RequiresFilterForEach
    | RequiresOwnPlanes
    | RequiresFewRows
    | RequiresMinimalFiltering
    | RequiresPlainEpilogue
    | RequiresUngatedEpilogue
    | RequiresNondeterminism
    | RequiresOption
    | RequiresIndexBits
)


class Preference(Data, frozen=True):
    """A soft requirement: a variant whose `wish` is met gains `weight` points (which may be negative)."""

    wish: Requirement
    weight: int

    def describe(self) -> str:
        """Return what is preferred, with its weight."""
        return f"{self.wish.describe()} ({self.weight:+d})"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        return self.wish.reason(problem, profile)


def operand_name(operand: int) -> str:
    """Return how messages call an operand."""
    return "the output" if operand == OUTPUT else f"input {operand}"


def operand_spec(problem: Problem, operand: int) -> TensorSpec | None:
    """Return the tensor that an operand index stands for, or None if the problem has no such input."""
    if operand == OUTPUT:
        return problem.output
    return problem.inputs[operand] if 0 <= operand < len(problem.inputs) else None
