# SPDX-License-Identifier: MIT
"""Inductor's code calls the operators' kernels themselves instead of going through PyTorch's dispatcher, which costs as much as they do.

Before: ``buf0 = torch.ops.tracea._linear.default(arg0, arg1, [arg2], 'bias,gelu', '')``. After: ``torch.ops.tracea.call_linear(…)``, a
plain function under the operators' namespace, with the same arguments. The graph is past autograd, autocast and fakes then, so nothing
listens to the dispatcher. Where Inductor is not as expected (these parts of it are private), the calls stay as they were.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import torch

from tracea.torch import kernels

_log = logging.getLogger("tracea")
for _name, _kernel in kernels.KERNELS.items():
    setattr(
        torch.ops.tracea, f"call_{_name}", _kernel
    )  # whatever happens below, code in Inductor's cache may name them


@functools.lru_cache(maxsize=1)
def call_directly() -> bool:
    """Make Inductor call products directly from now on; return whether it does."""
    try:
        for name in kernels.KERNELS:
            _name_in_code(getattr(torch.ops.tracea, f"_{name}").default, f"torch.ops.tracea.call_{name}")
    except (AttributeError, ImportError, KeyError, TypeError, AssertionError) as error:
        _log.info("compiled graphs call operators through PyTorch's dispatcher: %s", error)
        return False
    return True


def _name_in_code(operator: Any, name: str) -> None:
    """Let what Inductor prints for `operator` be a call of `name`."""
    from torch._inductor import lowering

    exact = lowering.tag_to_layout_constraint(torch.Tag.needs_exact_strides)
    lowering.make_fallback(operator, layout_constraint=exact, warn=False)  # type: ignore[no-untyped-call]
    plain: Callable[..., Any] = lowering.lowerings[operator]

    @functools.wraps(plain)
    def lowered(*arguments: Any, **settings: Any) -> Any:
        result = plain(*arguments, **settings)
        _rename(result, name)
        return result

    lowering.lowerings[operator] = lowered


def _rename(result: Any, name: str) -> None:
    """Change the function that the node behind a lowered tensor calls."""
    from torch._inductor import ir
    from torch._inductor.virtualized import V

    node = result
    while isinstance(node, ir.TensorBox | ir.StorageBox):
        node = node.data
    kernel = node.inputs[0] if isinstance(node, ir.MultiOutput) else node
    if isinstance(kernel, ir.FallbackKernel) and not V.graph.cpp_wrapper:
        kernel.python_kernel_name = name
        V.graph.unaligned_buffers.discard(
            node.get_name()
        )  # results are allocated, so whoever reads them may do so in full width
