# SPDX-License-Identifier: MIT
"""One call of a library: a problem, planned for a target, with the tensors that its function takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tracea_core.errors import OptionError, UnsupportedError
from tracea_core.export.c_text import is_name
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.known import Known, KnownStep
from tracea_core.pipeline.path import Path
from tracea_core.pipeline.plan import known_of

MOST_RANK, MOST_TENSORS = 8, 24
"""As ``tracea_library.h`` says."""


class Step(NamedTuple):
    """One kernel of a call: by number, which of the call's tensors (and behind them its workspaces) its pointers are, and their shifts."""

    known: KnownStep
    operands: tuple[int, ...]
    shifts: tuple[int, ...]


@dataclass(frozen=True)
class ExportedCall:
    """A planned call.

    Attributes
    ----------
    name : str
        Of its function, behind the library's own name and an underscore.
    line : str
        The call in words.
    problem : Problem
        What it computes.
    path : Path
        How its kernels came about.
    known : Known
        Its kernels.
    """

    name: str
    line: str
    problem: Problem
    path: Path
    known: Known

    @property
    def tensors(self) -> Mapping[str, TensorSpec]:
        """The tensors in the order of the function's pointers: inputs, operands of the epilogue, output."""
        inputs = {f"input{place}": spec for place, spec in enumerate(self.problem.inputs)}
        operands = {f"epilogue{place}": spec for place, spec in enumerate(self.problem.epilogue_inputs)}
        return {**inputs, **operands, "output": self.problem.output}

    @property
    def meanings(self) -> Mapping[str, str]:
        """What the operands of the epilogue are called."""
        return {f"epilogue{place}": operand.name for place, operand in enumerate(self.problem.epilogue.operands)}

    @property
    def op(self) -> str:
        """Which function of ``tracea.h`` may be called for it; ``OTHER`` for none."""
        op = self.problem.op
        if (
            isinstance(op, GemmOp)
            and op.alpha == 1.0
            and not op.beta
            and len(self.problem.inputs) == 2
            and self.problem.inputs[0].rank == 2
        ):
            return "GEMM"
        return "CONV2D" if type(op) is Conv2dOp else "OTHER"

    @property
    def window(self) -> tuple[int, ...]:
        """Stride, padding and dilation (rows and columns each) and groups of a convolution; zeros otherwise."""
        op = self.problem.op
        return (
            (*op.stride, *op.padding, *op.dilation, op.groups)
            if self.op == "CONV2D" and isinstance(op, Conv2dOp)
            else (0,) * 7
        )

    @property
    def steps(self) -> tuple[Step, ...]:
        """The kernels in the order in which they run."""
        places = {name: place for place, name in enumerate((*self.tensors, *self.known.spaces))}
        return tuple(
            Step(
                step,
                tuple(places[name] for name in step.operands),
                tuple(step.shifts.get(name, 0) for name in step.operands),
            )
            for step in self.known.steps
        )


def exported_call(name: str, line: str, problem: Problem, path: Path) -> ExportedCall:
    """Return the call at the end of a problem's path, which may be that of a device that is not here.

    Raises
    ------
    OptionError
        If C does not take the name.
    UnsupportedError
        If the kernels compute something else than was asked for, or take what a library cannot give them.
    BackendUnavailableError, LaunchError
        As `tracea_core.pipeline.plan.known_of`.
    """
    if not is_name(name):
        raise OptionError(f"{name!r} cannot name a function of C", hint="Use letters, digits and underscores")
    known = known_of(path)
    made = ExportedCall(name, line, problem, path, known)
    if known.fallback or known.inputs != tuple(spec.dtype for spec in problem.inputs):
        why = known.fallback or "its inputs are read in another type"
        raise UnsupportedError(
            f"no kernel computes {line!r} as it is stated, and a library converts nothing: {why}",
            hint="Export the call in the type that its kernel takes",
        )
    given = {name for step in known.steps for name in step.operands} - set(made.tensors) - set(known.spaces)
    if given:
        raise UnsupportedError(
            f"the kernels of {line!r} take {', '.join(sorted(given))}, which no caller of a library has"
        )
    if len(made.tensors) + len(known.spaces) > MOST_TENSORS or any(
        spec.rank > MOST_RANK for spec in made.tensors.values()
    ):
        raise UnsupportedError(f"{line!r} takes more tensors, or tensors of more axes, than a library passes")
    return made
