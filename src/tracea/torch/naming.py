# SPDX-License-Identifier: MIT
"""From what users write to what PyTorch's operators carry: an epilogue as text, and its tensors.

Everything that looks into an epilogue is a function of constants that Dynamo calls while it traces, so the first call of an op may stand
in ``torch.compile(fullgraph=True)``: what is left to trace are strings and tensors.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import check_finite
from tracea_core.ops.epilogue import IDENTITY, Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand
from tracea_core.ops.named import residual, scale_constant
from tracea_core.ops.stages import Stage, StageLike, as_chain, join

from tracea.ops.call import know_plugin_activations
from tracea.torch.epilogues import epilogue_of, text_of
from tracea.tracing import constant_while_tracing


def text_and_arrays(epilogue: StageLike) -> tuple[str, tuple[Any, ...]]:
    """Return an epilogue as the operators take it: its text, and its arrays by slot.

    Raises
    ------
    OptionError
        If it is unknown; in code that is compiled also if it is a function that uses arrays.
    """
    if epilogue is None:
        return "", ()
    if isinstance(epilogue, str):
        return names(epilogue), ()
    if isinstance(epilogue, Stage):
        return text_of(epilogue.structure), epilogue.operands
    if torch.compiler.is_compiling():
        return text_of_function(epilogue), ()
    bound, operands = as_chain(epilogue).bind()
    return text_of(bound), operands


def after_bias(bias: Any, epilogue: StageLike) -> tuple[str, list[Any]]:
    """Return the same for an epilogue behind a bias, where there is one.

    Ahead of a gate the bias has a value for each of the product's 2·n columns, and its halves become two operands.
    """
    text, operands = text_and_arrays(epilogue)
    if bias is None:
        return text, list(operands)
    whole, split = joined("bias", text)
    if not split:
        return whole, [bias, *operands]
    columns = bias.shape[-1]
    if columns % 2:
        raise ShapeError("ahead of a gate a bias has an even number of values", operand="bias", shape=tuple(bias.shape))
    return whole, [bias[: columns // 2], bias[columns // 2 :], *operands]


@constant_while_tracing
@functools.lru_cache(maxsize=1024)
def names(text: str | None) -> str:
    """Return activations by name as an operator takes them.

    Raises
    ------
    OptionError
        If a name is unknown or needs arrays.
    """
    if not text:
        return ""
    know_plugin_activations()
    as_chain(text)
    return text.replace(" ", "")


@constant_while_tracing
def text_of_function(function: StageLike) -> str:
    """Return the text of a function of one element, or of a structural epilogue, that uses no arrays.

    Raises
    ------
    OptionError
        If it uses some: what they are is known only when the compiled code runs.
    """
    bound, operands = as_chain(function).bind()
    if operands:
        raise OptionError(
            "a function that uses arrays cannot be taken from code that is compiled",
            hint="Give its arrays to a stage, as in Scale(s) | Gelu(), made outside, or to the functions of tracea.torch",
        )
    return text_of(bound)


@constant_while_tracing
@functools.lru_cache(maxsize=1024)
def joined(first: str, second: str) -> tuple[str, tuple[int, ...]]:
    """Return two epilogues one after the other, and the operands of the first that a gate in the second splits in halves.

    Examples
    --------
    >>> joined("bias", "gelu"), joined("bias", "swiglu")[1]
    (('bias,gelu', ()), (0,))
    """
    before, after = epilogue_of(first), epilogue_of(second)
    return text_of(join(before, after)), before.pre_gate_slots() if after.gated else ()


@constant_while_tracing
@functools.lru_cache(maxsize=256)
def scaled(text: str, alpha: float, beta: float) -> str:
    """Return an epilogue with ``alpha`` and ``+ beta · c`` as its first stages; then c is its first operand.

    Raises
    ------
    OptionError
        If a scale is not finite, or beta is given to a gate.
    """
    check_finite("matmul", alpha=alpha, beta=beta)
    epilogue, first = epilogue_of(text), IDENTITY
    if alpha != 1.0:
        first = scale_constant(float(alpha))
    if beta != 0.0:
        if epilogue.gated:
            raise OptionError(
                "beta has no meaning with a gated epilogue", hint="Add c with Residual instead", op="matmul"
            )
        first = join(first, _plus_scaled(float(beta)))
    return text_of(join(first, epilogue))


@functools.lru_cache(maxsize=256)
def _plus_scaled(beta: float) -> Epilogue:
    """Return x + beta · c."""
    if beta == 1.0:
        return residual()
    expr = Binary(BinaryFn.ADD, Accumulator(), Binary(BinaryFn.MUL, Operand(0), Constant(beta)))
    return Epilogue(expr, (EpilogueOperand("c", OperandAxes.FULL),), label=f"plus_scaled:{beta:g}")
