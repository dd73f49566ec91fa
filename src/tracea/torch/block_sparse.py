# SPDX-License-Identifier: MIT
"""Products with few blocks on torch tensors: lists lie on the tensors' device; what is recorded or traced multiplies the zeros, too."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.sparse import BlockPattern, SparseOperand
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import torch_dtype
from tracea.torch.epilogues import apply_text
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.naming import after_bias

_KEPT = 64
_lists: OrderedDict[tuple[BlockPattern, SparseOperand, torch.device], torch.Tensor] = OrderedDict()


def call(
    factors: tuple[torch.Tensor, torch.Tensor],
    pattern: BlockPattern,
    sparse: SparseOperand,
    bias: Any,
    epilogue: StageLike,
    bound: tuple[Epilogue, tuple[Any, ...]],
    out_dtype: DType | None,
    asked: tuple[Any, str | None, str],
) -> Any:
    """Return the product of torch tensors; see `tracea.ops.block_sparse_matmul`."""
    from tracea.ops.block_sparse import NAME, compute

    out, backend, fallback = asked
    operands = tuple(_tensor(operand, factors[0]) for operand in bound[1])
    tensors = [*factors, *operands, *([] if out is None else [out])]
    check_devices(NAME, tensors)

    def with_zeros() -> torch.Tensor:
        text, after = after_bias(bias, epilogue)
        value = _with_zeros(factors, pattern, sparse)
        value = apply_text(text, value, [_tensor(one, factors[0]) for one in after], -1) if text else value
        value = value.to(factors[0].dtype if out_dtype is None else torch_dtype(out_dtype))
        return value if out is None else out.copy_(value)

    recorded = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    if recorded or torch.compiler.is_compiling() or not _plain(tensors):
        why = "its gradient is recorded" if recorded else "it is traced"
        return fall_back.to_torch(NAME, f"{why}, which no kernel is", fallback, with_zeros)
    try:
        inputs = (*factors, lists_on(pattern, sparse, factors[0].device))
        return compute(inputs, pattern, sparse, bound[0], operands, out_dtype, out, backend)
    except UnsupportedError as error:
        if backend:
            raise
        return fall_back.to_torch(NAME, error, fallback, with_zeros)


def lists_on(pattern: BlockPattern, sparse: SparseOperand, device: torch.device) -> torch.Tensor:
    """Return the lists of a pattern on a device, where they were put when they were first asked for."""
    key = (pattern, sparse, device)
    if key in _lists:
        _lists.move_to_end(key)
        return _lists[key]
    found = _lists[key] = torch.from_numpy(pattern.lists(sparse)).to(device)
    if len(_lists) > _KEPT:
        _lists.popitem(last=False)
    return found


def _with_zeros(
    factors: tuple[torch.Tensor, torch.Tensor], pattern: BlockPattern, sparse: SparseOperand
) -> torch.Tensor:
    """The product of the dense matrix and the other with all its zeros."""
    a, b = factors
    blocks = a if sparse is SparseOperand.A else b
    lines = torch.from_numpy(pattern.block_row_of()).to(blocks.device)
    columns = torch.tensor(pattern.indices, dtype=torch.int64, device=blocks.device)
    rows = len(pattern.indptr) - 1
    grid = blocks.new_zeros((rows, pattern.columns, pattern.block_rows, pattern.block_columns))
    whole = grid.index_put((lines, columns), blocks).transpose(1, 2).reshape(pattern.shape)
    return whole @ b if sparse is SparseOperand.A else a @ whole
