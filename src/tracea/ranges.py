# SPDX-License-Identifier: MIT
"""Ranges around launches, which profilers show by name; on where ``TRACEA_NVTX`` is, and of no cost where it is not.

Timelines of the GPU show kernels by their entry points in any case. A range adds the op and its shapes on the side of the host, and
joins the kernels of a plan. It is pushed with NVTX (PyTorch's where it is built for CUDA, else the package ``nvtx``) and, where PyTorch is
loaded, as a `torch.profiler.record_function`. Whether there are ranges is decided when a plan is made.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from tracea_core.environment import is_on
from tracea_core.ops.problem import Problem

if TYPE_CHECKING:
    from tracea_core.pipeline.known import Known

VARIABLE = "TRACEA_NVTX"
_log = logging.getLogger("tracea")


class _Nvtx(NamedTuple):
    """What begins a range of a name, and what ends it."""

    push: Callable[[str], Any]
    pop: Callable[[], Any]


def ranged(launch: Callable[..., None], problem: Problem, known: Known) -> Callable[..., None]:
    """Return `launch` within a range, or `launch` itself where nobody asked for ranges."""
    if not is_on(VARIABLE):
        return launch
    name, nvtx, record = name_of(problem, known), _nvtx(), _record_function()
    if nvtx is None and record is None:
        _log.warning(
            "%s is set, but neither a CUDA build of PyTorch nor nvtx is installed (pip install nvtx)", VARIABLE
        )
        return launch

    def recorded(*arguments: Any, **options: Any) -> None:
        if record is None:
            launch(*arguments, **options)
        else:
            with record(name):
                launch(*arguments, **options)

    if nvtx is None:
        return recorded

    def call(*arguments: Any, **options: Any) -> None:
        nvtx.push(name)
        try:
            recorded(*arguments, **options)
        finally:
            nvtx.pop()

    return call


def name_of(problem: Problem, known: Known) -> str:
    """Return what a range is called: op, shapes and type of the inputs, kernels."""
    shapes = " ".join("x".join(map(str, spec.shape)) for spec in problem.inputs)
    kernels = " + ".join(step.source.entry for step in known.steps)
    return f"tracea {type(problem.op).__name__} {shapes} {problem.inputs[0].dtype.value}: {kernels}"


def _nvtx() -> _Nvtx | None:
    torch = sys.modules.get("torch")
    if torch is not None and getattr(torch._C, "_nvtx", None) is not None:
        return _Nvtx(torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop)
    try:
        import nvtx
    except ImportError:
        return None
    return _Nvtx(nvtx.push_range, nvtx.pop_range)


def _record_function() -> Callable[[str], AbstractContextManager[Any]] | None:
    torch = sys.modules.get("torch")
    return None if torch is None else torch.autograd.profiler.record_function
