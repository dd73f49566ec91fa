# SPDX-License-Identifier: MIT
"""Cutting an epilogue for training, and the part that is left to PyTorch, stage by stage in PyTorch's own functions.

Before, with gradients: ``bias,gelu`` in the kernel; the backward pass computes the product again. After: ``bias`` in the kernel, whose
result is stored, and ``torch.nn.functional.gelu``, whose backward reads it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from tracea_core.ops.named import parse_epilogue

from tracea.torch.epilogues import apply_text, epilogue_of, stores
from tracea.torch.slopes import slopes_of
from tracea.tracing import constant_while_tracing

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu6": F.relu6,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "softplus": F.softplus,
    "mish": F.mish,
    "elu": F.elu,
    "leaky_relu": F.leaky_relu,
    "square": torch.square,
    "abs": torch.abs,
}
"""PyTorch's functions for activations that tracea knows by name."""


@constant_while_tracing
@functools.lru_cache(maxsize=1024)
def cut(text: str) -> tuple[str, str, int]:
    """Return the part whose backward pass needs no sums, the rest, and how many operands the first part has.

    Examples
    --------
    >>> cut("bias,gelu")
    ('bias', 'gelu', 1)
    >>> cut("bias,residual,relu")
    ('bias,residual,relu', '', 2)
    """
    if not text:
        return "", "", 0
    if text.startswith("{"):
        epilogue = epilogue_of(text)
        free = not slopes_of(text).needs_sums(tuple(range(len(epilogue.operands))))
        return (text, "", len(epilogue.operands)) if free else ("", text, 0)
    stages = text.split(",")
    for length in range(len(stages), 0, -1):
        head = ",".join(stages[:length])
        operands = tuple(range(len(parse_epilogue(head).operands)))
        if not parse_epilogue(head).gated and _free(head, operands):
            gate_follows = parse_epilogue(text).gated
            if gate_follows and operands:
                continue  # its operands are split in halves for the gate, and only the whole chain knows how
            return head, ",".join(stages[length:]), len(operands)
    return "", text, 0


def _free(head: str, operands: tuple[int, ...]) -> bool:
    slopes = slopes_of(head)
    return not slopes.needs_sums(operands)


def apply_tail(text: str, value: torch.Tensor, operands: Sequence[torch.Tensor], column_axis: int) -> torch.Tensor:
    """Return the stages in `text` of `value`, each by PyTorch's function where it has one."""
    taken = 0
    for stage, count in steps(text):
        given = operands[taken : taken + count]
        value = FUNCTIONS[stage](value) if stage in FUNCTIONS else _in_type(stage, value, given, column_axis)
        taken += count
    return value


@constant_while_tracing
@functools.lru_cache(maxsize=1024)
def steps(text: str) -> tuple[tuple[str, int], ...]:
    """Return the stages that can be applied one after the other, each with its number of operands.

    Examples
    --------
    >>> steps("gelu,residual")
    (('gelu', 0), ('residual', 1))
    """
    if not text:
        return ()
    if text.startswith("{") or parse_epilogue(text).gated:
        return ((text, len(epilogue_of(text).operands)),)
    return tuple((stage, len(parse_epilogue(stage).operands)) for stage in text.split(","))


def _in_type(text: str, value: torch.Tensor, operands: Sequence[torch.Tensor], column_axis: int) -> torch.Tensor:
    """Return an epilogue in the type of the product, as a kernel stores it; a quantizing cast keeps its own."""
    if text == "swiglu":
        gate, up = value.chunk(2, -1)
        return F.silu(gate) * up
    if text == "residual":
        return (value + operands[0]).to(value.dtype)
    result = apply_text(text, value, operands, column_axis)
    return result if stores(text) is not None else result.to(value.dtype)
