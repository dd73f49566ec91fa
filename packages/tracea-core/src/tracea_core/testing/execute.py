# SPDX-License-Identifier: MIT
"""Launch a case on fresh random numbers and hold it to its derived tolerance, and to the memory it was given.

Outputs start as poison, everything lies between guard bands, and the error of each element is compared with what rounding can
explain (`tracea_core.ops.tolerance`), not with what happened to pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.sparse import BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.testing.errors import ConformanceError, demand
from tracea_core.testing.executions import name_of
from tracea_core.testing.simt.runtime import SimtRuntime
from tracea_core.testing.subject import Subject, Unserved, Walked
from tracea_core.testing.tensors import POISON, Tensor

_SHOWN = 3
_Given: TypeAlias = tuple[list[npt.NDArray[np.float64]], list[npt.NDArray[np.float64]]]
"""Exact values of inputs and of epilogue operands."""


def check_run(subject: Subject, walked: Walked, **divisions: int) -> None:
    """The kernel computes its problem within tolerance and writes nothing but its output.

    Parameters
    ----------
    **divisions
        Launch symbols to use instead of core's choice; they change how work is divided, never what is computed.
    """
    problem = walked.problem
    inputs, operands, output = _tensors(problem, subject.random(walked.case))
    named = {f"input{i}": tensor for i, tensor in enumerate(inputs)} | {"output": output}
    named |= {f"epilogue{i}": tensor for i, tensor in enumerate(operands)}
    given = [tensor.values() for tensor in inputs], [tensor.values() for tensor in operands]
    stored = [_Stored.of(problem, output, given)]
    stored += [_Stored.of(problem.auxiliary(slot), operands[slot], given) for slot in problem.epilogue.auxiliaries]
    symbols = {**walked.symbols, **divisions}
    runtime, name = subject.runtime(), ""
    executions = runtime.executions if isinstance(runtime, SimtRuntime) else None
    if isinstance(runtime, SimtRuntime) and executions is not None:
        memory = {key: tensor.content for key, tensor in named.items()}
        name = name_of(runtime, walked, symbols, memory, [(one.expected, one.bound) for one in stored])
        report = executions.known(name)
        if report is not None:
            runtime.reports.append(report)
            return
    try:
        addresses = _placed(subject, named)
    except BackendUnavailableError as error:
        raise Unserved(str(error)) from error
    walked, kernel = subject.kept(walked, subject.compiled)
    launcher = kernel.prepare({**walked.symbols, **divisions})
    launcher(*(addresses[name] for name in walked.lowered.operands))
    for key, tensor in named.items():
        if not any(tensor is one.tensor for one in stored):
            demand(
                np.array_equal(tensor.after(), tensor.content), "a kernel changes nothing but its output", changed=key
            )
    for one in stored:
        after = one.tensor.after()
        _check_values(one, after)
        stray = one.tensor.changed_outside(after)
        demand(
            stray is None,
            "a kernel writes the elements of its output and nothing beside them",
            byte=stray,
            case=walked.case.name,
        )
    if isinstance(runtime, SimtRuntime) and executions is not None:
        executions.add(name, runtime.reports[-1])


@dataclass(frozen=True, eq=False)
class _Stored:
    """A tensor that a kernel writes: what is expected of its elements, and how far each may be from that."""

    problem: Problem
    tensor: Tensor
    expected: npt.NDArray[np.float64]
    bound: npt.NDArray[np.float64]

    @classmethod
    def of(cls, problem: Problem, tensor: Tensor, given: _Given) -> _Stored:
        return cls(problem, tensor, reference(problem, *given), tolerance(problem, *given))


def _tensors(problem: Problem, random: np.random.Generator) -> tuple[list[Tensor], list[Tensor], Tensor]:
    inputs = [Tensor(spec).fill(_numbers(random, spec.shape, spec.dtype)) for spec in problem.inputs]
    if isinstance(problem.op, GroupedGemmOp):
        inputs[2].fill(_ends(random, problem.op))
    if isinstance(problem.op, BlockSparseGemmOp):
        inputs[2].fill(_lists(random, problem.op))
    if isinstance(problem.op, AttentionOp) and problem.op.bias is not UNSET:
        inputs[3].fill(_mask(random, problem.inputs[3]))
    operands = []
    written = problem.epilogue.auxiliaries
    for slot, (operand, spec) in enumerate(zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)):
        if slot in written:
            operands.append(Tensor(spec))
            continue
        values = _numbers(random, spec.shape, spec.dtype)
        operands.append(Tensor(spec).fill(np.abs(values) + 0.5 if operand.name.endswith("var") else values))
    return inputs, operands, Tensor(problem.output)


def _numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> npt.NDArray[np.float64]:
    if dtype.is_float:
        return random.standard_normal(shape)
    return random.integers(int(dtype.lowest), int(dtype.largest) + 1, shape).astype(np.float64)


def _mask(random: np.random.Generator, spec: TensorSpec) -> npt.NDArray[np.float64]:
    """What hides a fifth of the keys, and all of some rows where rows differ; no two places of one element differ."""
    shape = tuple(extent if step else 1 for extent, step in zip(spec.shape, spec.strides, strict=True))
    hidden = random.random(shape) < 0.2
    hidden[:, :, 1::7] |= shape[2] > 1
    values = np.where(hidden, -np.inf, random.standard_normal(shape)) if spec.dtype.is_float else ~hidden
    return np.broadcast_to(values, spec.shape).astype(np.float64)


def _ends(random: np.random.Generator, op: GroupedGemmOp) -> npt.NDArray[np.int64]:
    """Ends of groups that hold every row between them, a third of the groups empty."""
    weights = np.where(random.random(op.groups) < 1 / 3, 0.0, random.random(op.groups))
    ends = np.floor(np.cumsum(weights) / max(weights.sum(), 1e-9) * op.m)
    ends[-1] = op.m
    return np.asarray(ends, np.int64)


def _lists(random: np.random.Generator, op: BlockSparseGemmOp) -> npt.NDArray[np.int64]:
    """Lists that hold every stored block once, in any order, some of them empty."""
    ends = np.sort(random.integers(0, op.blocks + 1, op.lines))
    ends[-1:] = op.blocks
    places = random.integers(0, max(op.steps, 1), op.blocks)
    return np.concatenate([ends, random.permutation(op.blocks), places]).astype(np.int64)


def _placed(subject: Subject, named: dict[str, Tensor]) -> dict[str, int]:
    """Put tensors where kernels reach them: between guard bands, in PyTorch's memory, or in what the runtime allocates itself."""
    runtime = subject.runtime()
    kind, device = str(getattr(runtime, "memory", "device")), subject.target.device
    put, own = getattr(runtime, "place_guarded", None), getattr(runtime, "place", None)
    try:
        return {name: tensor.place(device, kind, put) for name, tensor in named.items()}
    except BackendUnavailableError:
        if own is None:
            raise
        return {name: tensor.place(device, kind, lambda content, guard: own(content)) for name, tensor in named.items()}


def _check_values(stored: _Stored, after: npt.NDArray[np.uint8]) -> None:
    problem, output, expected, bound = stored.problem, stored.tensor, stored.expected, stored.bound
    got, dtype = output.values(after), output.spec.dtype
    poison = dtype.decode(np.full(dtype.bytes, POISON, np.uint8).view(dtype.storage))[0]
    good = agrees(got, expected, bound)
    if good.all():
        return
    bad = np.argwhere(~good)
    lines = [f"{len(bad)} of {got.size} elements are wrong, of {type(problem.op).__name__} {problem.inputs[0].shape}:"]
    for place in map(tuple, bad[:_SHOWN]):
        what = "nobody wrote it" if got[place] == poison else f"got {got[place]:.9g}"
        where = tuple(int(index) for index in place)
        lines.append(f"  {where}: {what}, expected {expected[place]:.9g} within {bound[place]:.3g}")
    lines.append(f"  wrong along the axes: {_pattern(bad)}")
    raise ConformanceError("\n".join(lines))


def _pattern(bad: npt.NDArray[np.int64]) -> str:
    """Say between which indices the wrong elements lie: an edge of a tile shows at once."""
    return ", ".join(f"{int(column.min())} to {int(column.max())}" for column in bad.T)
