# SPDX-License-Identifier: MIT
"""The entry points of compilation: ``torch.compile(model, backend="tracea")`` finds `dynamo_backend`; `compile` is a shorthand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["compile", "dynamo_backend"]


def dynamo_backend(module: torch.fx.GraphModule, inputs: list[Any], **given: Any) -> Callable[..., Any]:
    """Compile one graph of Dynamo; see `tracea.torch.compiler.backend.dynamo_backend`."""
    from tracea.torch.compiler import backend

    return backend.dynamo_backend(module, inputs, **given)


def compile(model: Any = None, **given: Any) -> Any:
    """Return ``torch.compile(model, backend="tracea", …)``.

    Parameters
    ----------
    model : Module or callable, optional
        What to compile; without it, a decorator is returned.
    **given
        As `torch.compile` takes them: ``dynamic``, ``fullgraph``, ``mode``, ``options``.
    """
    import torch

    return torch.compile(model, backend=dynamo_backend, **given)
