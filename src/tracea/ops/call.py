# SPDX-License-Identifier: MIT
"""What all ops share: key, plan, output, overlap, launch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tracea_core.errors import AliasError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.stages import Stage, StageLike, as_chain

from tracea.arrays import Kind, adopt, kind_of
from tracea.dispatch import BoundPlan, check_out, common_device, find, remember
from tracea.ops.filtering import by_default
from tracea.ops.request import PLAIN, Request
from tracea.tracing import constant_while_tracing, is_traced

ProblemOf = Callable[..., Problem]
again: Callable[..., Any] | None = None
"""``again(a, b, out, out_dtype, fast)`` launches a product that was planned before and returns its result, or None; set once torch
tensors have been multiplied (`tracea.torch.replay`)."""


@constant_while_tracing
def ready() -> None:
    """Let `again` be set before code that is traced reads it: compiled code depends on what it was."""
    if again is None and is_traced():
        import tracea.torch.replay  # noqa: F401 - sets it


NO_EPILOGUE = as_chain(None).bind()


def bind_epilogue(epilogue: StageLike) -> tuple[Epilogue, tuple[Any, ...]]:
    """Return the structural epilogue and its arrays."""
    if epilogue is None:
        return NO_EPILOGUE
    if isinstance(epilogue, str):
        know_plugin_activations()
    return (epilogue if isinstance(epilogue, Stage) else as_chain(epilogue)).bind()


@functools.lru_cache(maxsize=1)
def know_plugin_activations() -> None:
    """Make the activations that plugins bring known by name, once."""
    from tracea_core.plugin.manager import plugins

    plugins().activations()


def run(
    name: str,
    inputs: Sequence[Any],
    epilogue: Epilogue,
    operands: tuple[Any, ...],
    out: Any,
    settings: tuple[Any, ...],
    problem_of: ProblemOf,
    backend: str | None = None,
    options: Options = PLAIN,
) -> Any:
    """Compute an op and return its output.

    Parameters
    ----------
    name : str
        The op's name, for errors and keys.
    inputs : sequence of arrays
        Each with a `Kind` already (see `tracea.arrays.adopt`).
    settings : tuple
        Everything else that the problem depends on, hashable.
    problem_of : callable
        ``problem_of(*settings, request)`` builds the problem of a `Request`.

    Raises
    ------
    TraceaError
        Before anything is launched or written.
    """
    arrays = [*inputs, *operands] if out is None else [*inputs, out, *operands]
    kinds: list[Any] = [kind_of(array) for array in arrays]
    if None in kinds:
        return run(
            name, [adopt(x, f"input {i}") for i, x in enumerate(inputs)], epilogue,
            tuple(adopt(x, f"epilogue operand {i}") for i, x in enumerate(operands)),
            None if out is None else adopt(out, "out"), settings, problem_of, backend, options,
        )  # fmt: skip
    key = (
        name,
        settings,
        epilogue,
        out is None,
        backend,
        options,
        *[k.key(x) for k, x in zip(kinds, arrays, strict=True)],
    )
    plan = find(key)
    if plan is None:
        plan = remember(key, _plan(name, inputs, out, arrays, kinds, epilogue, settings, problem_of, backend, options))
    count = len(inputs)
    if out is None:
        out = plan.allocate()
        arrays.insert(count, out)
        kinds.insert(count, kinds[0])
        pointers = [kind.pointer(x) for kind, x in zip(kinds, arrays)]  # noqa: B905 - of equal length, and hot
        if plan.second:
            plan.check_overlap(pointers, count)
    else:
        if not kinds[count].writable(out):
            raise AliasError("out is read-only", hint="Give a writable array", op=name, shape=tuple(out.shape))
        pointers = [kind.pointer(x) for kind, x in zip(kinds, arrays)]  # noqa: B905 - of equal length, and hot
        plan.check_overlap(pointers, count)
    for place in plan.second:
        if not kinds[place].writable(arrays[place]):
            raise AliasError(
                "the array of a second result is read-only", hint="Give Auxiliary a writable array", op=name
            )
    if plan.converted:
        temporary = [(index, kinds[index].convert(arrays[index], dtype)) for index, dtype in plan.converted]
        for index, array in temporary:
            pointers[index] = kinds[index].pointer(array)
    if plan.launch is not None:
        plan.launch(*[pointers[index] for index in plan.order])
    return out


def _plan(
    name: str,
    inputs: Sequence[Any],
    out: Any,
    arrays: list[Any],
    kinds: list[Kind],
    epilogue: Epilogue,
    settings: tuple[Any, ...],
    problem_of: ProblemOf,
    backend: str | None,
    options: Options,
) -> BoundPlan:
    device = common_device(name, arrays, kinds)
    specs = [kind.spec(array) for kind, array in zip(kinds, arrays, strict=True)]
    count = len(inputs)
    given = None if out is None else specs[count]
    tail = specs[count:] if out is None else specs[count + 1 :]
    problem = problem_of(*settings, Request(tuple(specs[:count]), epilogue, tuple(tail), given, options))
    problem = by_default(problem, device, backend)
    if given is not None:
        check_out(name, given, problem.output)
    return BoundPlan(problem, backend, device, kinds[0].allocator(arrays[0], problem.output))


def in_torch(
    name: str,
    inputs: tuple[Any, ...],
    bias: Any,
    epilogue: StageLike,
    settings: tuple[Any, ...],
    out: Any,
    backend: str | None,
    fallback: str,
) -> Any:
    """Compute an op on torch tensors (`tracea.torch.functional.call`); torch is there, since its tensors are."""
    from tracea.torch.functional import call
    from tracea.torch.naming import after_bias

    text, operands = after_bias(bias, epilogue)
    return call(name, inputs, text, operands, settings, out, backend, fallback)
