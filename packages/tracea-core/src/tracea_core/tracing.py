# SPDX-License-Identifier: MIT
"""What PyTorch's compiler calls while it traces, rather than following it into what it cannot trace.

Nothing here imports PyTorch.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def constant_while_tracing(function: Function) -> Function:
    """Mark a function of constants, so that Dynamo calls it and keeps its result (`torch.compiler.assume_constant_result`).

    Setting the mark by hand spares the import of the compiler, which takes a second. Only Python functions are called so; a cache is
    looked through, and gets one around it.
    """
    if isinstance(function, FunctionType):
        vars(function)["_dynamo_marked_constant"] = True
        return function

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return function(*arguments)

    call._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def is_traced() -> bool:
    """Whether PyTorch's compiler is following the code that called this (a function of constants then, as above)."""
    guards = sys.modules.get("torch._guards")
    return guards is not None and guards.TracingContext.try_get() is not None
