# SPDX-License-Identifier: MIT
"""Rules for ``torch.vmap``: a mapped axis becomes a batch axis where the operator has one, else one call for each element.

A product and an operator on rows take a mapped axis as another leading axis; a convolution takes it into its images while filters are
shared, attention into its batch. Operands of an epilogue that would need values of their own for each element leave only the loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from tracea_core.ops.epilogue import OperandAxes

from tracea.torch.epilogues import epilogue_of

Mapped = tuple[torch.Tensor, int | None]
Rule = Callable[..., tuple[torch.Tensor, int]]


def matmul_rule(info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
    """Map ``tracea::matmul``: both matrices may have the axis, ahead of batch axes that broadcast."""
    a, b, operands, epilogue, *rest = arguments
    if not _operands_fit(operands, in_dims[2], epilogue):
        return _loop("matmul", info, in_dims, arguments)
    places = in_dims[:2]
    if places[0] is None and places[1] is None:  # the axis is one of an operand alone, and of the result
        a, places = a.expand(info.batch_size, *a.shape), (0, None)
    rank = max(t.dim() - (d is not None) for t, d in ((a, places[0]), (b, places[1])))
    lifted = [_leading(t, d, rank) for t, d in ((a, places[0]), (b, places[1]))]
    moved = [t if d is None else t.movedim(d, 0) for t, d in zip(operands, in_dims[2], strict=True)]
    return torch.ops.tracea.matmul.default(*lifted, moved, epilogue, *rest), 0


def linear_rule(info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
    """Map ``tracea::linear``: x may have the axis; with weights for each element it is a batched product."""
    x, weight, operands, epilogue, backend = arguments
    if not _operands_fit(operands, in_dims[2], epilogue):
        return _loop("linear", info, in_dims, arguments)
    moved = [t if d is None else t.movedim(d, 0) for t, d in zip(operands, in_dims[2], strict=True)]
    if in_dims[1] is None:
        rows = x.expand(info.batch_size, *x.shape) if in_dims[0] is None else x.movedim(in_dims[0], 0)
        return torch.ops.tracea.linear.default(rows, weight, moved, epilogue, backend), 0
    right = weight.movedim(in_dims[1], 0).transpose(-1, -2)
    left = x.unsqueeze(0) if in_dims[0] is None else x.movedim(in_dims[0], 0)
    right = right.reshape(right.shape[0], *([1] * (left.dim() - 3)), *right.shape[1:])
    return torch.ops.tracea.matmul.default(left, right, moved, epilogue, None, False, False, backend), 0


def image_rule(name: str, info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
    """Map a convolution, transposed or not: images of all elements in one call where filters and vectors are shared."""
    x, weight, operands, epilogue, *rest = arguments
    if in_dims[1] is not None or in_dims[0] is None or not _operands_fit(operands, in_dims[2], epilogue):
        return _loop(name, info, in_dims, arguments)
    images = x.movedim(in_dims[0], 0)
    moved = [t if d is None else t.movedim(d, 0).flatten(0, 1) for t, d in zip(operands, in_dims[2], strict=True)]
    operator = getattr(torch.ops.tracea, name).default
    result = operator(images.flatten(0, 1), weight, moved, epilogue, *rest)
    return result.unflatten(0, (images.shape[0], images.shape[1])), 0


def row_rule(name: str, count: int) -> Rule:
    """Return the rule of an operator on rows: a mapped axis of its first argument is one more leading axis.

    Parameters
    ----------
    count : int
        Tensors ahead of the operands; the others must be shared.
    """

    def rule(info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
        x, operands, text = arguments[0], arguments[count], arguments[count + 1]
        shared = in_dims[0] is not None and all(dim is None for dim in in_dims[1:count])
        if not shared or not _operands_fit(operands, in_dims[count], text):
            return _loop(name, info, in_dims, arguments)
        moved = [t if d is None else t.movedim(d, 0) for t, d in zip(operands, in_dims[count], strict=True)]
        operator = getattr(torch.ops.tracea, name).default
        return operator(x.movedim(in_dims[0], 0), *arguments[1:count], moved, *arguments[count + 1 :]), 0

    return rule


def attention_rule(info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
    """Map ``tracea::attention``: a mapped axis goes into the batch, and what is shared is repeated."""
    *inputs, operands, text = arguments[:5]
    if not _operands_fit(operands, in_dims[3], text):
        return _loop("attention", info, in_dims, arguments)
    count = info.batch_size
    lifted = [
        t.expand(count, *t.shape) if d is None else t.movedim(d, 0) for t, d in zip(inputs, in_dims[:3], strict=True)
    ]
    moved = [t if d is None else t.movedim(d, 0).flatten(0, 1) for t, d in zip(operands, in_dims[3], strict=True)]
    result = torch.ops.tracea.attention.default(*(t.flatten(0, 1) for t in lifted), moved, *arguments[4:])
    return result.unflatten(0, (count, -1)), 0


def block_sparse_rule(info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
    """Map ``tracea::block_sparse_matmul``: a mapped axis of the dense matrix goes into the rows or columns that it shares with nobody."""
    a, b, lists, operands, text, _, sparse, *_ = arguments
    of_a = sparse == "a"
    dense, dim, others = (b, in_dims[1], in_dims[0]) if of_a else (a, in_dims[0], in_dims[1])
    fit = not operands if of_a else _operands_fit(operands, in_dims[3], text)
    if dim is None or others is not None or in_dims[2] is not None or not fit:
        return _loop("block_sparse_matmul", info, in_dims, arguments)
    operator = torch.ops.tracea.block_sparse_matmul.default
    if of_a:
        flat = dense.movedim(dim, 1).flatten(1, 2)
        return operator(a, flat, lists, operands, *arguments[4:]).unflatten(1, (info.batch_size, -1)), 1
    moved = [t if d is None else t.movedim(d, 0).flatten(0, 1) for t, d in zip(operands, in_dims[3], strict=True)]
    flat = dense.movedim(dim, 0).flatten(0, 1)
    return operator(flat, b, lists, moved, *arguments[4:]).unflatten(0, (info.batch_size, -1)), 0


def _each(name: str) -> Rule:
    """Return the rule of an operator that has no axis to map to: one call for each element."""
    return lambda info, in_dims, *arguments: _loop(name, info, in_dims, arguments)


BATCH_RULES: dict[str, Rule] = {
    "matmul": matmul_rule,
    "linear": linear_rule,
    "conv2d": functools.partial(image_rule, "conv2d"),
    "conv_transpose2d": functools.partial(image_rule, "conv_transpose2d"),
    "softmax": row_rule("softmax", 1),
    "norm": row_rule("norm", 3),
    "attention": attention_rule,
    "low_rank_mlp": row_rule("low_rank_mlp", 3),
    "block_sparse_matmul": block_sparse_rule,
    **{
        name: _each(name)
        for name in (
            "grouped_matmul",
            "grouped_outer",
            "scaled_matmul",
            "scaled_grouped_matmul",
            "conv2d_filters",
            "masked_attention",
        )
    },
}


class _Mapped(NamedTuple):
    """What a rule is told of a mapped axis."""

    batch_size: int


def earlier_rule(name: str) -> Callable[..., torch.Tensor]:
    """Return the same for the mapping that came before ``torch.func``, which gradients of several vectors at once still go by.

    Those are ``torch.autograd.grad(is_grads_batched=True)`` and ``torch.autograd.functional.jacobian(vectorize=True)``.
    """

    def rule(*arguments: Any) -> torch.Tensor:
        level = torch._C._vmapmode_increment_nesting() - 1
        torch._C._vmapmode_decrement_nesting()
        sizes: list[int] = []

        def inside(value: Any) -> tuple[Any, Any]:
            if isinstance(value, list | tuple):
                pairs = [inside(each) for each in value]
                return [each for each, _ in pairs], [dim for _, dim in pairs]
            if not isinstance(value, torch.Tensor) or not torch._C._functorch.is_legacy_batchedtensor(value):
                return value, None
            found = torch._remove_batch_dim(value, level, 1, 0)
            sizes.append(found.shape[0])
            return found, 0

        given, dims = inside(arguments)
        result, dim = BATCH_RULES[name](_Mapped(sizes[0]), dims, *given)
        mapped: torch.Tensor = torch._add_batch_dim(result, dim, level)
        return mapped

    return rule


def _operands_fit(operands: Sequence[torch.Tensor], dims: Sequence[int | None], epilogue: str) -> bool:
    """Whether operands of the output's shape are all mapped, and the others are not."""
    axes = [operand.axes for operand in epilogue_of(epilogue).operands]
    return all((dim is not None) == (kind is OperandAxes.FULL) for kind, dim in zip(axes, dims, strict=True))


def _leading(tensor: torch.Tensor, dim: int | None, rank: int) -> torch.Tensor:
    """Return `tensor` with the mapped axis ahead of `rank` others, so that it broadcasts as a batch axis."""
    if dim is None:
        return tensor
    moved = tensor.movedim(dim, 0)
    missing = rank - (moved.dim() - 1)
    return moved.reshape(moved.shape[0], *([1] * missing), *moved.shape[1:])


def _loop(name: str, info: Any, in_dims: Sequence[Any], arguments: Sequence[Any]) -> tuple[torch.Tensor, int]:
    """Return the stacked results of one call for each element."""

    def element(value: Any, dim: Any, index: int) -> Any:
        if isinstance(value, list | tuple) and isinstance(dim, list | tuple):
            return [element(v, d, index) for v, d in zip(value, dim, strict=True)]
        return value.select(dim, index) if isinstance(dim, int) and isinstance(value, torch.Tensor) else value

    operator = getattr(torch.ops.tracea, name).default
    results = [
        operator(*(element(v, d, index) for v, d in zip(arguments, in_dims, strict=True)))
        for index in range(info.batch_size)
    ]
    return torch.stack(results), 0
