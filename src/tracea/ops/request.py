# SPDX-License-Identifier: MIT
"""What every op is asked beside its own settings: tensors, epilogue, output, options; each op's `*_problem` makes a problem of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.problem import AnyOp, Options, Problem
from tracea_core.ops.spec import TensorSpec

PLAIN = Options()
"""Options of a call that asks for nothing special."""


class Asked(NamedTuple):
    """How a caller wants a call carried out, whatever the op.

    Attributes
    ----------
    out : array, optional
        Where the result goes; a new array by default.
    backend : str, optional
        A backend's name; by default the best one for the arrays' device.
    fallback : {"torch", "error"}
        What happens to torch tensors that no kernel takes.
    """

    out: Any = None
    backend: str | None = None
    fallback: str = "torch"


def number(op: str, name: str, value: Any) -> float:
    """Return an argument that must be a number.

    Raises
    ------
    OptionError
        If it is none.
    """
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} must be a number, not {value!r}", op=op) from error


@dataclass(frozen=True, slots=True)
class Request:
    """The tensors of a call and what is done with the result.

    Attributes
    ----------
    inputs : tuple of TensorSpec
        The op's inputs in its order.
    epilogue : Epilogue
        Applied to the result.
    operands : tuple of TensorSpec
        The epilogue's.
    out : TensorSpec, optional
        Where the result goes; by default what the op would allocate.
    options : Options
        Of the call.
    """

    inputs: tuple[TensorSpec, ...]
    epilogue: Epilogue = IDENTITY
    operands: tuple[TensorSpec, ...] = ()
    out: TensorSpec | None = None
    options: Options = PLAIN

    def problem(self, op: AnyOp, like: TensorSpec | None = None) -> Problem:
        """Return the problem of an op on these tensors; an output that is not given is `like` this one, or contiguous."""
        shape = self.epilogue.output_shape(op.output_shape())
        output = self.out or like or TensorSpec.contiguous(shape, op.output_dtype())
        return Problem(op, self.inputs, output, self.epilogue, self.operands, self.options)
