# SPDX-License-Identifier: MIT
"""Products with a matrix of few blocks: only stored blocks are read and multiplied, in one kernel for every pattern.

Which blocks there are is data. The lists that a kernel goes over are made on the host, once for each pattern, and kept where they are used.
"""

from __future__ import annotations

import functools
from typing import Any

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError, UnsupportedError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.named import bias as bias_stage
from tracea_core.ops.problem import Problem
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.ops.stages import StageLike, join

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, run
from tracea.ops.request import Asked, Request

NAME = "block_sparse_matmul"
_KEPT = 64
"""Patterns whose lists are kept."""


def block_sparse_matmul(
    a: Any,
    b: Any,
    pattern: Any,
    *,
    sparse: str = "b",
    bias: Any = None,
    out: Any = None,
    epilogue: StageLike = None,
    out_dtype: str | DType | None = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(a @ b + bias)`` where one of the matrices consists of few blocks; the others are zero and cost nothing.

    Parameters
    ----------
    a, b : array
        The dense matrix, shape (m, k) or (k, n), and the blocks of the sparse one, shape (blocks, block rows, block columns), in the
        order of the pattern: block row after block row.
    pattern : BlockPattern or array of bool
        Which blocks are stored: `tracea_core.ops.sparse.BlockPattern` (the compressed rows of SciPy's ``bsr_array``), whose lists are
        made once, or a matrix with one entry for each block.
    sparse : {"b", "a"}
        Which of the two is given as blocks.
    bias : array, optional
        One element for each column of the result.
    out : array, optional
        Where the result goes, shape (m, n); it must not overlap an input.
    epilogue : stage, chain of stages, function or str, optional
        What happens to each sum, after the bias, before it is stored.
    out_dtype : str or DType, optional
        Type of the result; by default that of `a`.
    backend : str, optional
        A backend's name; by default the best one for the arrays' device.
    fallback : {"torch", "error"}
        For torch tensors that no kernel takes: let PyTorch multiply the matrix with its zeros, or raise.

    Returns
    -------
    array
        Shape (m, n), of the library and on the device of `a`.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.

    Examples
    --------
    >>> import numpy as np
    >>> x, blocks = np.ones((2, 4), np.float32), np.ones((2, 2, 2), np.float32)
    >>> block_sparse_matmul(x, blocks, [[True, False, False], [True, False, False]])
    array([[4., 4., 0., 0., 0., 0.],
           [4., 4., 0., 0., 0., 0.]], dtype=float32)
    """
    fall_back.check_mode(fallback)
    if sparse not in ("a", "b"):
        raise OptionError(f"sparse is 'a' or 'b', not {sparse!r}", op=NAME)
    which, dtype = SparseOperand(sparse), None if out_dtype is None else DType.parse(str(_spelled(out_dtype)))
    a, b = adopt(a, "a"), adopt(b, "b")
    blocks = a if which is SparseOperand.A else b
    if len(blocks.shape) != 3 or len((b if which is SparseOperand.A else a).shape) != 2:
        raise ShapeError(
            f"{NAME} takes a matrix and blocks of shape (blocks, rows, columns), not {tuple(a.shape)} and {tuple(b.shape)}",
            op=NAME,
        )
    held = (
        pattern if isinstance(pattern, BlockPattern) else BlockPattern.from_mask(pattern, *map(int, blocks.shape[1:]))
    )
    _check(held, which, a, b)
    if kind_of(a) is TORCH:
        from tracea.torch.block_sparse import call

        return call((a, b), held, which, bias, epilogue, dtype, Asked(out, backend, fallback))
    bound, operands = bind_epilogue(epilogue)
    if bias is not None:
        bound, operands = join(bias_stage(), bound), (adopt(bias, "bias"), *operands)
    grid = len(held.indptr) - 1, held.columns
    return compute((a, b, _lists(held, which)), grid, which, bound, operands, dtype, out, backend)


def _spelled(dtype: str | DType) -> str:
    return dtype.value if isinstance(dtype, DType) else dtype


def _check(pattern: BlockPattern, sparse: SparseOperand, a: Any, b: Any) -> None:
    """Refuse what does not fit together, in words about the pattern."""
    blocks, dense, axis = (a, b, 0) if sparse is SparseOperand.A else (b, a, 1)
    wanted = (pattern.blocks, pattern.block_rows, pattern.block_columns)
    if tuple(blocks.shape) != wanted:
        raise ShapeError(f"the pattern has blocks of shape {wanted}, given are {tuple(blocks.shape)}", op=NAME)
    along = pattern.shape[1 - axis]
    if dense.shape[axis] != along:
        raise ShapeError(
            f"the inner extents differ: the blocks span {along}, the dense matrix is {tuple(dense.shape)}", op=NAME
        )


@functools.lru_cache(maxsize=_KEPT)
def _lists(pattern: BlockPattern, sparse: SparseOperand) -> Any:
    """Return the lists of a pattern in host memory; whoever got them must not write to them."""
    found = pattern.lists(sparse)
    found.flags.writeable = False
    return found


def compute(
    inputs: tuple[Any, Any, Any],
    grid: tuple[int, int],
    sparse: SparseOperand,
    epilogue: Epilogue,
    operands: tuple[Any, ...],
    out_dtype: DType | None,
    out: Any,
    backend: str | None,
) -> Any:
    """Run the kernel that goes over the lists, the third of the inputs; `grid` has the numbers of block rows and columns.

    Raises
    ------
    TraceaError
        As `block_sparse_matmul`; UnsupportedError where no kernel takes blocks of that depth.
    """
    return run(NAME, inputs, epilogue, operands, out, (out_dtype, sparse, grid), block_sparse_problem, backend)


def block_sparse_problem(
    out_dtype: DType | None, sparse: SparseOperand, grid: tuple[int, int], request: Request
) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    a, b, _ = request.inputs
    blocks, extent = (a, b.shape[1]) if sparse is SparseOperand.A else (b, a.shape[0])
    kind = out_dtype or request.epilogue.stored_dtype
    if request.epilogue.gated:
        raise UnsupportedError(
            "a product of few blocks takes no gated epilogue", hint="Apply the gate afterwards", op=NAME
        )
    count, rows, columns = blocks.shape
    return request.problem(BlockSparseGemmOp(extent, *grid, count, rows, columns, sparse, a.dtype, kind))
