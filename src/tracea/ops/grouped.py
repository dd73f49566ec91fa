# SPDX-License-Identifier: MIT
"""Products of ragged groups: rows of one matrix, sorted by group, each group multiplied with a weight of its own.

Where the rows of a group end is data: the kernel reads it where it lies, so another division neither compiles nor waits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError, UnsupportedError
from tracea_core.ops.epilogue import Epilogue, OperandAxes
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias as bias_stage
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import StageLike, join

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.dispatch import check_out, common_device
from tracea.ops.call import bind_epilogue, run
from tracea.ops.matmul import matmul_problem
from tracea.ops.request import PLAIN, Asked, Request

NAME = "grouped_matmul"


def grouped_matmul(
    x: Any,
    weights: Any,
    offsets: Any = None,
    *,
    sizes: Any = None,
    bias: Any = None,
    out: Any = None,
    epilogue: StageLike = None,
    out_dtype: str | DType | None = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(x[rows of g] @ weights[g] + bias[g])`` for every group g of consecutive rows, in one kernel.

    Parameters
    ----------
    x : array
        Shape (m, k), its rows sorted by group.
    weights : array
        Shape (groups, k, n), any strides: weights stored as (groups, n, k) are given as ``weights.transpose(1, 2)``.
    offsets : array of int32, optional
        Shape (groups,): where the rows of each group end, as `torch.nn.functional.grouped_mm` takes it. Group g has the rows from
        ``offsets[g - 1]`` (0 for the first) to ``offsets[g]``; it may have none. It may lie on the device: it is data, and read there.
    sizes : array of integers, optional
        Shape (groups,): how many rows each group has, instead of `offsets`.
    bias : array, optional
        Shape (groups, n), a row for each group, or (n,) for all.
    out : array, optional
        Where the result goes, shape (m, n); it must not overlap an input.
    epilogue : stage, chain of stages, function or str, optional
        What happens to each sum, after the bias, before it is stored.
    out_dtype : str or DType, optional
        Type of the result; by default that of `x`.
    backend : str, optional
        A backend's name; by default the best one for the arrays' device.
    fallback : {"torch", "error"}
        For torch tensors that no kernel takes in one launch: multiply group by group, after reading the offsets back, or raise.

    Returns
    -------
    array
        Shape (m, n), of the library and on the device of `x`. Rows behind the last offset belong to no group, and are not written.

    Raises
    ------
    ShapeError
        If shapes do not fit, or offsets in host memory fall or leave 0 … m. Offsets on a device are not looked at before the launch: each
        is moved into 0 … m there, so nothing outside is touched, and where they fall, groups that overlap write the same rows.
    DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones((3, 2), np.float32)
    >>> grouped_matmul(x, np.stack([np.eye(2), 2 * np.eye(2)]).astype(np.float32), sizes=[1, 2])
    array([[1., 1.],
           [2., 2.],
           [2., 2.]], dtype=float32)
    """
    fall_back.check_mode(fallback)
    x, weights = adopt(x, "x"), adopt(weights, "weights")
    if len(x.shape) != 2 or len(weights.shape) != 3:
        raise ShapeError(
            f"{NAME} takes x of shape (m, k) and weights of shape (groups, k, n), not {tuple(x.shape)} and {tuple(weights.shape)}",
            op=NAME,
        )
    if (offsets is None) == (sizes is None):
        raise OptionError("give offsets or sizes, one of them", op=NAME)
    dtype = out_dtype if out_dtype is None or isinstance(out_dtype, DType) else DType.parse(out_dtype)
    asked = Asked(out, backend, fallback)
    if kind_of(x) is TORCH:
        from tracea.torch.grouped import call, ends_of

        ends = ends_of(x, offsets, sizes, weights.shape[0])
        return call((x, weights, ends), bias, epilogue, dtype, asked)
    ends = host_ends(offsets, sizes, weights.shape[0], x.shape[0])
    bound, operands = bind_epilogue(epilogue)
    if bias is not None:
        bound, operands = join(bias_stage(), bound), (adopt(bias, "bias"), *operands)
    return compute((x, weights, ends), bound, operands, dtype, asked)


def compute(
    inputs: Sequence[Any],
    epilogue: Epilogue,
    operands: tuple[Any, ...],
    out_dtype: DType | None,
    asked: Asked,
) -> Any:
    """Run the kernel that takes all groups at once, or one product after another where there is none.

    Raises
    ------
    TraceaError
        As `grouped_matmul`.
    """
    kinds: list[Any] = [kind_of(array) for array in inputs]
    on_host = common_device(NAME, list(inputs), kinds) == "cpu"
    try:
        return run(NAME, inputs, epilogue, operands, asked.out, (out_dtype,), grouped_problem, asked.backend)
    except UnsupportedError as error:
        again = functools.partial(_one_by_one, inputs, epilogue, operands, out_dtype, asked)
        if on_host:  # where groups end is known, and each is a product of its own
            return again()
        if asked.backend:
            raise
        return fall_back.to_torch(NAME, error, asked.fallback, again)


def grouped_problem(out_dtype: DType | None, request: Request) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    x, w, ends = request.inputs
    if x.shape[1] != w.shape[1]:
        raise ShapeError(
            f"the inner extents differ: x is {x.shape}, weights are {w.shape}",
            hint="Weights have shape (groups, k, n); transpose their last two axes?",
            op=NAME,
        )
    if ends.dtype is not DType.INT32:
        raise DTypeError(f"offsets are int32, not {ends.dtype.value}", op=NAME)
    kind = out_dtype or request.epilogue.stored_dtype
    op = GroupedGemmOp(x.shape[0], w.shape[0], w.shape[2], x.shape[1], dtype=x.dtype, out_dtype=kind)
    return request.problem(op)


def host_ends(offsets: Any, sizes: Any, groups: int, rows: int) -> Any:
    """Return where groups end, as int32 of NumPy, from offsets or sizes in host memory.

    Raises
    ------
    ShapeError
        If they do not divide so many rows.
    """
    host = np.asarray(sizes if offsets is None else offsets)
    if host.shape != (groups,) or host.dtype.kind not in "iu":
        raise wrong_shape(groups, host)
    host = host.astype(np.int64)
    host = np.cumsum(host) if offsets is None else host
    if groups and (np.any(np.diff(host, prepend=0) < 0) or host[-1] > rows):
        raise ShapeError(
            f"the groups do not divide {rows} rows: they end at {host.tolist()[:16]}",
            hint="Offsets are the ends of the groups, in order, and no more than there are rows",
            op=NAME,
        )
    return host.astype(np.int32)


def wrong_shape(groups: int, given: Any) -> ShapeError:
    """Return the error of offsets or sizes of which there are not as many as groups, or that are no integers."""
    return ShapeError(
        f"there are {groups} groups of weights, so as many offsets or sizes, integers; given are {tuple(given.shape)} {given.dtype}",
        op=NAME,
    )


def _one_by_one(
    inputs: Sequence[Any],
    epilogue: Epilogue,
    operands: tuple[Any, ...],
    out_dtype: DType | None,
    asked: Asked,
) -> Any:
    """Multiply one group after another; each is a product of any shape."""
    (x, weights, ends), (out, backend, _) = inputs, asked
    operands = tuple(adopt(operand, f"epilogue operand {i}") for i, operand in enumerate(operands))
    problem = _stated(inputs, epilogue, operands, out_dtype, out)
    if out is None:
        kind: Any = kind_of(x)
        out = kind.allocator(x, problem.output)()
    rows = np.asarray(ends.cpu() if kind_of(ends) is TORCH else ends)
    for group, own in enumerate(problem.op.rows(rows)):  # type: ignore[union-attr]
        if own:
            part = slice(own.start, own.stop)
            terms = _of_group(problem, operands, group, part)
            settings = (1.0, 0.0, problem.output.dtype)
            run(
                "matmul",
                (x[part], weights[group]),
                epilogue,
                terms,
                out[part],
                settings,
                matmul_problem,
                backend,
                PLAIN,
            )
    return out


def _stated(
    inputs: Sequence[Any], epilogue: Epilogue, operands: tuple[Any, ...], out_dtype: DType | None, out: Any
) -> Problem:
    """Return the problem of all groups, with which everything is checked before the first of them is computed."""
    arrays = [*inputs, *operands] if out is None else [*inputs, *operands, out]
    specs = [kind.spec(array) for array in arrays if (kind := kind_of(array)) is not None]
    given = None if out is None else specs.pop()
    count = len(inputs)
    problem = grouped_problem(out_dtype, Request(tuple(specs[:count]), epilogue, tuple(specs[count:]), given))
    if given is not None:
        check_out(NAME, given, problem.output)
    return problem


def _of_group(problem: Problem, operands: tuple[Any, ...], group: int, rows: slice) -> tuple[Any, ...]:
    """Return the epilogue's operands as the rows of one group see them."""
    found = []
    for slot, (stated, array) in enumerate(zip(problem.epilogue.operands, operands, strict=True)):
        if problem.by_group(slot):
            array = array[group]
        elif stated.axes is OperandAxes.FULL:
            array = array[rows]
        elif stated.axes is OperandAxes.ROW:
            array = array[..., rows]
        found.append(array)
    return tuple(found)
