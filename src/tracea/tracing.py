# SPDX-License-Identifier: MIT
"""Functions that Dynamo calls while it traces, rather than following them into what it cannot trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


def constant(function: Function) -> Function:
    """Mark a function of constants whose result stays the same: `torch.compile` calls it while tracing and keeps the result.

    This is what `torch.compiler.assume_constant_result` does, without importing PyTorch's compiler, which takes a second.
    """
    vars(function)["_dynamo_marked_constant"] = True
    return function
