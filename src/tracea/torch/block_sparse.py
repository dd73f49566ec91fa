# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.block_sparse_matmul``: a product with a matrix of few blocks as an operator of PyTorch, with a fake and gradients.

The pattern is a tensor, the lists that kernels read (`tracea_core.ops.sparse.BlockSparseGemmOp`); the numbers of block rows and columns
are arguments. The gradient of the dense matrix is a product with the transposed pattern, whose lists are made of the given ones on
their device. That of the blocks is a product for each stored block, or, where every fourth block is stored, the whole product and what
is stored of it. Where a gradient is recorded, the epilogue is PyTorch's, so that its slopes are known there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.sparse import BlockPattern, SparseOperand
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import torch_dtype
from tracea.ops.request import Asked
from tracea.torch.autograd import product
from tracea.torch.epilogues import apply, apply_text, epilogue_of
from tracea.torch.forward_mode import records
from tracea.torch.functional import _PLAIN as PLAIN
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.kernels import NO_KERNEL
from tracea.torch.naming import after_bias
from tracea.torch.recording import Recorded
from tracea.torch.registration import Cast, register
from tracea.torch.shapes import result_dtype
from tracea.tracing import constant_while_tracing

NAME = "block_sparse_matmul"
_SCHEMA = (
    "(Tensor a, Tensor b, Tensor lists, Tensor[] operands, str epilogue, int[] grid, str sparse, ScalarType? out_dtype, "
    "str backend, str fallback) -> Tensor"
)
_KEPT = 64
"""Patterns whose lists are kept on a device."""
_FEW = 4
"""Where more than one block of so many is stored, the gradient of all blocks is no dearer than that of the stored ones one by one."""
_lists: OrderedDict[tuple[BlockPattern, SparseOperand, torch.device], torch.Tensor] = OrderedDict()


def call(
    factors: tuple[torch.Tensor, torch.Tensor],
    pattern: BlockPattern,
    sparse: SparseOperand,
    bias: Any,
    epilogue: StageLike,
    out_dtype: DType | None,
    asked: Asked,
) -> Any:
    """Return the product of torch tensors; see `tracea.ops.block_sparse_matmul`."""
    text, operands = after_bias(bias, epilogue)
    after = [_tensor(operand, factors[0]) for operand in operands]
    tensors = [*factors, *after]
    check_devices(NAME, tensors)
    inputs = (*factors, lists_on(pattern, sparse, factors[0].device))
    grid = (len(pattern.indptr) - 1, pattern.columns)
    recorded = records(tensors)
    if not recorded and _plain(tensors if asked.out is None else [*tensors, asked.out]):
        return _compute(inputs, epilogue_of(text), after, grid, sparse, out_dtype, asked)
    kind = None if out_dtype is None else torch_dtype(out_dtype)
    operator = torch.ops.tracea.block_sparse_matmul.default
    rest = (list(grid), sparse.value)
    if not recorded or not text:
        value = operator(*inputs, after, text, *rest, kind, asked.backend or "", asked.fallback)
    else:
        value = apply_text(text, operator(*inputs, [], "", *rest, None, asked.backend or "", asked.fallback), after, -1)
        value = value if kind is None else value.to(kind)
    return value if asked.out is None else asked.out.copy_(value)


@constant_while_tracing
def lists_on(pattern: BlockPattern, sparse: SparseOperand, device: torch.device) -> torch.Tensor:
    """Return the lists of a pattern on a device, where they were put when they were first asked for; a constant of graphs."""
    key = (pattern, sparse, device)
    if key in _lists:
        _lists.move_to_end(key)
        return _lists[key]
    found = torch.from_numpy(pattern.lists(sparse)).to(device)
    if type(found) in PLAIN:  # no stand-in that a tracer makes
        _lists[key] = found
        if len(_lists) > _KEPT:
            _lists.popitem(last=False)
    return found


class _Entries(NamedTuple):
    """What lists say: of each entry the number of its stored block, its place along k and its line, in the order of the lines."""

    number: torch.Tensor
    along: torch.Tensor
    line: torch.Tensor


class _Sizes(NamedTuple):
    """Stored blocks; lines, and blocks along k; extents of a block along k and along the result."""

    blocks: int
    lines: int
    steps: int
    depth: int
    width: int


def _sizes(blocks: torch.Tensor, grid: Sequence[int], sparse: str) -> _Sizes:
    count, rows, columns = blocks.shape
    if sparse == "a":
        return _Sizes(count, grid[0], grid[1], columns, rows)
    return _Sizes(count, grid[1], grid[0], rows, columns)


def _entries(lists: torch.Tensor, sizes: _Sizes) -> _Entries:
    """Read lists; what points elsewhere is moved into what there is, as kernels do."""
    count, lines = sizes.blocks, sizes.lines
    ends, number, along = lists[:lines], lists[lines : lines + count], lists[lines + count :]
    places = torch.arange(count, dtype=lists.dtype, device=lists.device)
    line = torch.searchsorted(ends.contiguous(), places, right=True).clamp(max=max(lines - 1, 0))
    return _Entries(number.clamp(0, max(count - 1, 0)), along.clamp(0, max(sizes.steps - 1, 0)), line)


def transposed(lists: torch.Tensor, blocks: torch.Tensor, grid: Sequence[int], sparse: str) -> torch.Tensor:
    """Return the lists of the transposed matrix from those of a matrix, on their device and without waiting for it."""
    sizes = _sizes(blocks, grid, sparse)
    number, along, line = _entries(lists, sizes)
    sorted_along, order = along.sort(stable=True)
    places = torch.arange(sizes.steps, dtype=along.dtype, device=along.device)
    ends = torch.searchsorted(sorted_along, places, right=True)
    return torch.cat([ends.to(lists.dtype), number[order], line[order].to(lists.dtype)])


def _compute(
    inputs: Sequence[torch.Tensor],
    epilogue: Epilogue,
    operands: Sequence[torch.Tensor],
    grid: tuple[int, int],
    sparse: SparseOperand,
    out_dtype: DType | None,
    asked: Asked,
) -> torch.Tensor:
    """Run the kernel, or let PyTorch multiply the zeros, too, where there is none."""
    from tracea.ops.block_sparse import compute

    a, b, lists = inputs
    try:
        return compute((a, b, lists), grid, sparse, epilogue, tuple(operands), out_dtype, asked.out, asked.backend)  # type: ignore[no-any-return]
    except NO_KERNEL as error:
        if asked.backend:
            raise

        def with_zeros() -> torch.Tensor:
            value = apply(epilogue, _with_zeros(a, b, lists, grid, sparse.value), operands, -1)
            value = value.to(result_dtype(a, epilogue, None if out_dtype is None else torch_dtype(out_dtype)))
            return value if asked.out is None else asked.out.copy_(value)

        return fall_back.to_torch(NAME, error, asked.fallback, with_zeros)  # type: ignore[no-any-return]


def _with_zeros(
    a: torch.Tensor, b: torch.Tensor, lists: torch.Tensor, grid: Sequence[int], sparse: str
) -> torch.Tensor:
    """The product of the dense matrix and the other with all its zeros."""
    blocks = a if sparse == "a" else b
    sizes = _sizes(blocks, grid, sparse)
    number, along, line = _entries(lists, sizes)
    places = (line, along) if sparse == "a" else (along, line)
    whole = blocks.new_zeros((*grid, *blocks.shape[1:])).index_put(places, blocks[number], accumulate=True)
    matrix = whole.transpose(1, 2).reshape(grid[0] * blocks.shape[1], grid[1] * blocks.shape[2])
    return matrix @ b if sparse == "a" else a @ matrix


def _kernel(*arguments: Any) -> torch.Tensor:
    *inputs, operands, text, grid, sparse, out_dtype, backend, fallback = arguments
    kind = None if out_dtype is None else DType.parse(str(out_dtype))
    rows, columns = grid
    settings = ((rows, columns), SparseOperand(sparse), kind, Asked(None, backend or None, fallback))
    return _compute(inputs, epilogue_of(text), operands, *settings)


def _fake(*arguments: Any) -> torch.Tensor:
    a, b, _, _, text, grid, sparse, out_dtype, *_ = arguments
    shape = (grid[0] * a.shape[1], b.shape[1]) if sparse == "a" else (a.shape[0], grid[1] * b.shape[2])
    return torch.empty(shape, dtype=result_dtype(a, epilogue_of(text), out_dtype), device=a.device)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    a, b, lists, (text, grid, sparse, _, *settings), *operands = inputs
    if text or operands:
        raise OptionError(
            "the operator records no gradient through an epilogue", hint="Call tracea.ops, which splits it off", op=NAME
        )
    ctx.save_for_backward(a, b, lists)
    ctx.grid, ctx.sparse, ctx.settings = tuple(grid), sparse, tuple(settings)
    ctx.asked = tuple(ctx.needs_input_grad)


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    a, b, lists = ctx.saved_tensors
    of_a, given = ctx.sparse == "a", gradient.to(a.dtype)
    dense, blocks = (b, a) if of_a else (a, b)
    by_dense = by_blocks = None
    if ctx.asked[1 if of_a else 0]:
        turned = transposed(lists, blocks, ctx.grid, ctx.sparse)
        lying = blocks.transpose(1, 2)
        pair = (lying, given) if of_a else (given, lying)
        operator = torch.ops.tracea.block_sparse_matmul.default
        by_dense = operator(*pair, turned, [], "", [*reversed(ctx.grid)], ctx.sparse, None, *ctx.settings)
    if ctx.asked[0 if of_a else 1]:
        by_blocks = _of_blocks(dense, given, blocks, lists, ctx.grid, ctx.sparse)
    return (by_blocks, by_dense, None, None) if of_a else (by_dense, by_blocks, None, None)


def _of_blocks(
    dense: torch.Tensor,
    gradient: torch.Tensor,
    blocks: torch.Tensor,
    lists: torch.Tensor,
    grid: Sequence[int],
    sparse: str,
) -> torch.Tensor:
    """Return the gradient of the blocks: of every entry the product of what its block met."""
    sizes = _sizes(blocks, grid, sparse)
    number, along, line = _entries(lists, sizes)
    deep, wide = (sizes.steps, sizes.depth), (sizes.lines, sizes.width)
    many = sizes.blocks * _FEW > sizes.lines * sizes.steps
    if sparse == "a":  # gradient (lines·width, n) times denseᵀ (n, steps·depth)
        if many:
            found = _split(_split(product(gradient, dense.t()), 1, deep), 0, wide).transpose(1, 2)[line, along]
        else:
            found = product(_split(gradient, 0, wide)[line], _split(dense, 0, deep)[along].transpose(1, 2))
    elif many:  # denseᵀ (steps·depth, m) times gradient (m, lines·width)
        found = _split(_split(product(dense.t(), gradient), 1, wide), 0, deep).transpose(1, 2)[along, line]
    else:
        met = _split(dense, 1, deep)[:, along].permute(1, 2, 0)
        found = product(met, _split(gradient, 1, wide)[:, line].transpose(0, 1))
    return torch.zeros_like(blocks).index_add(0, number, found.to(blocks.dtype))


def _split(tensor: torch.Tensor, axis: int, sizes: tuple[int, int]) -> torch.Tensor:
    """Return a tensor one of whose axes has become two."""
    found: torch.Tensor = tensor.unflatten(axis, sizes)  # type: ignore[no-untyped-call]
    return found


register(NAME, _SCHEMA, _kernel, _fake, recorded=Recorded(3, _keep, _backward), cast=Cast(2))
