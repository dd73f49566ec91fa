# SPDX-License-Identifier: MIT
"""A variant is a kind of kernel that a backend can make: which instruction, which schedule, for which problems.

Backends list their variants as data; the decision (`tracea_core.doctor.choose`) and everything below it read only this.
A variant names a core schedule and an instruction, so that two backends with the same idea share the same mathematics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tracea_core.data import Data
from tracea_core.doctor.requirements import Preference, Requirement
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.target import CapabilityProfile

if TYPE_CHECKING:
    from tracea_core.ops.problem import Problem

FAMILIES = ("contraction", "chained", "rowwise")
"""The three schedules that almost everything is one of."""

_MATRIX_OPERANDS = {"contraction": 2, "chained": 3, "rowwise": 1}
_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")


class Variant(Data, frozen=True, kw_only=True):
    """A kind of kernel.

    Attributes
    ----------
    name : str
        Unique, dotted, starting with the backend: ``cpu.contraction.avx2``.
    backend : str
        Name of the backend that emits it.
    family : str
        One of `FAMILIES`.
    schedule : str
        The core schedule it follows: ``panel``, ``warp_specialized``, …
    instruction : str
        Name of the lane maps (`tracea_core.semantic.lanes`) of the instruction that multiplies and adds.
    operand_dtypes : tuple of DType
        What the matrix operands may be (inputs 0 and 1 of a contraction, 0 to 2 of a chained one, 0 of a row-wise op).
    accumulate : DType
        What sums are kept in.
    output_dtypes : tuple of DType
        What it can store; empty for whatever the emitter can convert to.
    priority : int
        0 to 99; the larger is preferred where several qualify.
    requirements : tuple of Requirement
        Each must hold.
    preferences : tuple of Preference
        Each that holds adds its weight to the score.
    summary : str
        One line for people: the idea, and what its speed was measured on.
    """

    name: str
    backend: str
    family: str
    schedule: str
    instruction: str
    operand_dtypes: tuple[DType, ...]
    accumulate: DType
    output_dtypes: tuple[DType, ...] = ()
    priority: int = 50
    requirements: tuple[Requirement, ...] = ()
    preferences: tuple[Preference, ...] = ()
    summary: str = ""

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ConfigurationError(
                f"{self.family!r} is not a kernel family", hint="These are: " + ", ".join(FAMILIES), variant=self.name
            )
        if not _NAME.fullmatch(self.name) or self.name.split(".")[0] != self.backend:
            raise ConfigurationError(
                "a variant's name is dotted lower-case words, the first of them its backend",
                variant=self.name,
                backend=self.backend,
            )
        if not self.operand_dtypes:
            raise ConfigurationError("a variant takes at least one operand dtype", variant=self.name)
        if not 0 <= self.priority <= 99:
            raise ConfigurationError("a variant's priority lies in 0 to 99", variant=self.name, priority=self.priority)
        if not self.schedule or not self.instruction:
            raise ConfigurationError("a variant names its schedule and its instruction", variant=self.name)

    def uses_matrix_unit(self, profile: CapabilityProfile) -> bool:
        """Whether its instruction is one of the device's matrix instructions."""
        return any(instruction.name == self.instruction for instruction in profile.matrix_instructions)

    def misfit(self, problem: Problem) -> str | None:
        """Return why family, sums or output do not fit the problem, or None; whatever the operands' dtypes are."""
        family = problem.op.family
        if family != self.family:
            return f"is a {self.family} kernel; {type(problem.op).__name__} is {family}"
        wanted = getattr(problem.op, "accumulator", None)
        if isinstance(wanted, DType) and wanted is not self.accumulate:
            return f"accumulates in {self.accumulate.value}, not {wanted.value}"
        if self.output_dtypes and problem.output.dtype not in self.output_dtypes:
            return f"stores {_either(self.output_dtypes)}; the output is {problem.output.dtype.value}"
        return None

    def refuses(self, dtypes: tuple[DType, ...]) -> str | None:
        """Return why it does not multiply operands of these dtypes, or None."""
        strange = tuple(dict.fromkeys(dtype for dtype in dtypes if dtype not in self.operand_dtypes))
        return f"takes {_either(self.operand_dtypes)} operands, not {_either(strange)}" if strange else None

    def unmet(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return the first requirement's reason that rejects this variant, or None if all of them hold."""
        for requirement in self.requirements:
            reason = requirement.reason(problem, profile)
            if reason:
                return reason
        return None

    def describe(self) -> str:
        """Return the variant in a few lines, with everything it asks for."""
        takes = "/".join(dtype.value for dtype in self.operand_dtypes)
        lines = [
            f"{self.name}: {self.schedule} schedule, {self.instruction}, {takes} -> {self.accumulate.value}, "
            f"priority {self.priority}"
        ]
        lines += [f"    {self.summary}"] if self.summary else []
        lines += [f"    needs {requirement.describe()}" for requirement in self.requirements]
        lines += [f"    prefers {preference.describe()}" for preference in self.preferences]
        return "\n".join(lines)


def _either(dtypes: tuple[DType, ...]) -> str:
    return " or ".join(dtype.value for dtype in dtypes)


def matrix_dtypes(problem: Problem) -> tuple[DType, ...]:
    """Return the dtypes of the operands that the multiply-add instruction reads (one element per operand)."""
    return problem.op.input_dtypes()[: _MATRIX_OPERANDS[problem.op.family]]
