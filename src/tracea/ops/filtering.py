# SPDX-License-Identifier: MIT
"""Which calls take minimal filtering without having been asked (`tracea_core.doctor.winograd`), and how a caller refuses it.

The choice is made where a call becomes a problem, so that everything that is derived from the problem knows of it: the plan and its key,
the certificate, the tolerance. PyTorch's operators have no argument for it; a caller's refusal holds for what is called meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec
from tracea_core.doctor.winograd import filtered_by_default
from tracea_core.errors import TraceaError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.plugin.select import resolve

_BACKEND = "cpu"
_refused: ContextVar[bool] = ContextVar("tracea_windows_alone", default=False)


def by_default(
    problem: Problem, device: str | None = None, backend: str | None = None, preset: str | None = None
) -> Problem:
    """Return a problem as a call makes it that leaves minimal filtering to tracea; `device`, `backend`, `preset` as for `resolve`."""
    if not isinstance(problem.op, Conv2dOp) or problem.options.allow_winograd is not msgspec.UNSET:
        return problem
    if device is not None and device != _BACKEND:
        return problem
    try:
        target = resolve(device, backend or None, preset).target
    except TraceaError:
        return problem  # whoever looks for a kernel says why there is none
    return filtered_by_default(problem, target.profile) if target.backend == _BACKEND else problem


def refused() -> bool:
    """Whether windows alone were asked for by a caller further up."""
    return _refused.get()


@contextmanager
def windows_alone(asked: bool = True) -> Iterator[None]:
    """Let convolutions that are called meanwhile multiply windows by filters as they are, if that is asked."""
    token = _refused.set(asked)
    try:
        yield
    finally:
        _refused.reset(token)


def options_of(allow_winograd: bool | None, usual: Options) -> Options:
    """Return the options of a call that says yes, no, or nothing."""
    return usual if allow_winograd is None else usual.replace(allow_winograd=allow_winograd)
