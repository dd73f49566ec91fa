# SPDX-License-Identifier: MIT
"""What all ops share: key, plan, output, overlap, launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage, StageLike, as_chain

from tracea.arrays import Kind, adopt, kind_of
from tracea.dispatch import BoundPlan, check_out, common_device, find, remember

ProblemOf = Callable[[tuple[TensorSpec, ...], Epilogue, tuple[TensorSpec, ...], TensorSpec | None, Options], Problem]
_PLAIN = Options()


def bind_epilogue(epilogue: StageLike) -> tuple[Epilogue, tuple[Any, ...]]:
    """Return the structural epilogue and its arrays."""
    return (epilogue if isinstance(epilogue, Stage) else as_chain(epilogue)).bind()


def run(
    name: str,
    inputs: Sequence[Any],
    epilogue: Epilogue,
    operands: tuple[Any, ...],
    out: Any,
    settings: tuple[Any, ...],
    problem_of: ProblemOf,
    backend: str | None = None,
    options: Options = _PLAIN,
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
        Builds the problem from the specifications of inputs, epilogue, its operands, and ``out`` if there is one.

    Raises
    ------
    TraceaError
        Before anything is launched or written.
    """
    arrays = [*inputs, *operands] if out is None else [*inputs, out, *operands]
    kinds = []
    for array in arrays:
        kind = kind_of(array)
        if kind is None:
            return run(
                name, [adopt(x, f"input {i}") for i, x in enumerate(inputs)], epilogue,
                tuple(adopt(x, f"epilogue operand {i}") for i, x in enumerate(operands)),
                None if out is None else adopt(out, "out"), settings, problem_of, backend, options,
            )  # fmt: skip
        kinds.append(kind)
    key = (name, settings, epilogue, out is None, backend, options, *[k.key(x) for k, x in zip(kinds, arrays, strict=True)])
    plan = find(key)
    if plan is None:
        plan = remember(key, _plan(name, inputs, operands, out, arrays, kinds, epilogue, problem_of, backend, options))
    count = len(inputs)
    if out is None:
        out = kinds[0].empty(arrays[0], plan.output)
        arrays.insert(count, out)
        kinds.insert(count, kinds[0])
    else:
        kind = kinds[count]
        check_out(name, out, kind, plan.output)
        pointers = [k.pointer(x) for k, x in zip(kinds, arrays, strict=True)]
        specs = (*plan.problem.inputs, plan.problem.output, *plan.problem.epilogue_inputs)
        plan.check_overlap(pointers, tuple(spec.strides for spec in specs), count)
    plan.run(arrays, kinds)
    return out


def _plan(
    name: str,
    inputs: Sequence[Any],
    operands: tuple[Any, ...],
    out: Any,
    arrays: list[Any],
    kinds: list[Kind],
    epilogue: Epilogue,
    problem_of: ProblemOf,
    backend: str | None,
    options: Options,
) -> BoundPlan:
    device = common_device(name, arrays, kinds)
    specs = [kind.spec(array) for kind, array in zip(kinds, arrays, strict=True)]
    count = len(inputs)
    given = None if out is None else specs[count]
    tail = specs[count:] if out is None else specs[count + 1 :]
    problem = problem_of(tuple(specs[:count]), epilogue, tuple(tail), given, options)
    if out is not None:
        check_out(name, out, kinds[count], problem.output)
    return BoundPlan(problem, backend, device)
