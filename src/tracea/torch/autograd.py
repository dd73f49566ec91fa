# SPDX-License-Identifier: MIT
"""The backward pass of every operator: through the epilogue by its slopes, then through the product by products.

Everything here is made of differentiable operators, so second derivatives, ``torch.func`` and compilation of the backward pass
come with it. Gradients of matrix products are tracea's products again; those of convolutions are convolutions the other way round where
`tracea.torch.filters` expects them to be faster, else PyTorch's (``aten.convolution_backward``). In graphs that are compiled for a GPU,
gradients of products are PyTorch's, those of convolutions as long as they are short.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.expr import Expr

from tracea.ops import filtering
from tracea.torch import epilogues, filters, shapes
from tracea.torch.recording import Recorded
from tracea.torch.slopes import Slopes, fused_slope, is_one, is_zero, slopes_of, uses_sums

Gradients = tuple[torch.Tensor | None, torch.Tensor | None]


def setup_context(name: str, ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    """Keep what the backward pass of operator `name` needs: only what some gradient that is asked for reads."""
    ctx.save_for_backward(*kept(name, ctx, tuple(ctx.needs_input_grad), inputs, output))


def kept(
    name: str, ctx: Any, asked: tuple[bool, ...], inputs: tuple[Any, ...], output: torch.Tensor, in_torch: bool = False
) -> tuple[torch.Tensor | None, ...]:
    """Return the tensors that it needs, where the inputs that are `asked` for get a gradient; note the rest in `ctx`.

    With `in_torch`, gradients of a matrix product are PyTorch's.
    """
    first, second, (text, *settings), *operands = inputs
    slots = tuple(slot for slot in range(len(operands)) if asked[3 + slot])
    slopes = slopes_of(text)
    again = slopes.needs_sums(slots)
    used = slopes.used_operands(slots)
    if again and fused_slope(text) is not None:
        used = frozenset(range(len(operands)))  # the kernel that computes the sums again reads its epilogue's operands
    ctx.text, ctx.settings, ctx.asked, ctx.slots = text, settings, asked[:2], slots
    ctx.windows_alone, ctx.in_torch = filtering.refused(), in_torch
    ctx.shapes = first.shape, second.shape, [operand.shape for operand in operands]
    ctx.dtypes = first.dtype, second.dtype, [operand.dtype for operand in operands]
    return (
        first if asked[1] or again or name in shapes.CONVOLUTIONS else None,
        second if asked[0] or again or name in shapes.CONVOLUTIONS else None,
        output if slopes.outer is not None else None,
        *(operand if slot in used else None for slot, operand in enumerate(operands)),
    )


def backward(name: str, ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    """Return the gradients of what `setup_context` was given."""
    return through(name, ctx, ctx.saved_tensors, gradient)


def through(name: str, ctx: Any, saved: Sequence[torch.Tensor | None], gradient: torch.Tensor) -> tuple[Any, ...]:
    """Return the same by the tensors that `kept` returned."""
    first, second, output, *operands = saved
    chain = _Chain(name, ctx, slopes_of(ctx.text), first, second, operands, output, gradient)
    gradients: Gradients = (None, None)
    if any(ctx.asked):  # ahead of the operands': what a product reads, a compiler stores, and sums then read it, too
        gradients = _PRODUCTS[name](ctx, chain.sums().to(ctx.dtypes[0]), first, second)
    given = [chain.operand(slot) if slot in ctx.slots else None for slot in range(len(operands))]
    return (*gradients, None, *given)


def recorded(name: str) -> Recorded:
    """Return what records the backward pass of operator `name`."""
    return Recorded(2, functools.partial(setup_context, name), functools.partial(backward, name))


class _Chain:
    """One backward pass through an epilogue; what several gradients share is computed once."""

    def __init__(
        self,
        name: str,
        ctx: Any,
        slopes: Slopes,
        first: torch.Tensor | None,
        second: torch.Tensor | None,
        operands: list[torch.Tensor | None],
        output: torch.Tensor | None,
        gradient: torch.Tensor,
    ) -> None:
        self.name, self.ctx, self.slopes = name, ctx, slopes
        self.first, self.second, self.operands = first, second, operands
        self.column_axis = shapes.column_axis(name)
        self.epilogue = epilogues.epilogue_of(ctx.text)
        self.gradient = gradient
        if slopes.outer is not None:
            assert output is not None
            self.gradient = gradient * epilogues.evaluate(slopes.outer, [output], [])
        self._full: dict[Expr, torch.Tensor] = {}
        self._product: list[torch.Tensor] | None = None

    def sums(self) -> torch.Tensor:
        """Return the gradient of the accumulators; with a gate, of both halves side by side."""
        parts = [self._by(slope) for slope in self.slopes.sums]
        return torch.cat(parts, -1) if len(parts) > 1 else parts[0]

    def operand(self, slot: int) -> torch.Tensor:
        """Return the gradient of one operand, summed over what it was spread over."""
        slope, shape, dtype = self.slopes.operands[slot], self.ctx.shapes[2][slot], self.ctx.dtypes[2][slot]
        axes = self.epilogue.operands[slot].axes
        full = self._by(slope)
        rank = full.dim()
        kept = {OperandAxes.COLUMN: self.column_axis % rank, OperandAxes.ROW: rank - 2}.get(axes)
        if axes is OperandAxes.SCALAR:
            full = full.sum(dtype=wide(full.dtype))
        elif kept is not None:
            others = [axis for axis in range(rank) if axis != kept]
            full = full.sum(others, dtype=wide(full.dtype)) if others else full
        return full.reshape(shape).to(dtype)

    def _by(self, slope: Expr) -> torch.Tensor:
        """Return gradient · slope, with the shape of the result."""
        known = self._full.get(slope)
        if known is None:
            known = self._full[slope] = self._compute(slope)
        return known

    def _compute(self, slope: Expr) -> torch.Tensor:
        if is_one(slope):
            return self.gradient
        if is_zero(slope):
            return torch.zeros_like(self.gradient)
        if uses_sums(slope) and slope == self.slopes.sums[0] and self._product is None:
            fused = fused_slope(self.ctx.text)
            if fused is not None:
                given = [*self.operands, self.gradient.to(self.ctx.dtypes[0])]
                return self._again(epilogues.text_of(fused), given)
        kind = wide(self.gradient.dtype)
        shaped = self._spread(kind)
        sums = self._sums(kind) if uses_sums(slope) else []
        return self.gradient * self._value(slope, sums, shaped)

    def _value(self, slope: Expr, sums: list[torch.Tensor], shaped: list[torch.Tensor]) -> torch.Tensor:
        # without sums, something of the right type stands in for them where constants need one
        return epilogues.evaluate(slope, sums or [self.gradient], shaped)

    def _spread(self, dtype: torch.dtype) -> list[torch.Tensor]:
        missing = self.gradient.new_zeros(1)
        given = [missing if operand is None else operand.to(dtype) for operand in self.operands]
        spread = epilogues.spread(self.epilogue, given, self.gradient.dim(), self.column_axis)
        return [missing if operand is None else s for operand, s in zip(self.operands, spread, strict=True)]

    def _sums(self, dtype: torch.dtype) -> list[torch.Tensor]:
        if self._product is None:
            product = self._again("", []).to(dtype)
            self._product = epilogues.halves(product, self.epilogue.gated)
        return self._product

    def _again(self, text: str, operands: Sequence[Any]) -> torch.Tensor:
        settings = self.ctx.settings
        if self.name == "matmul":
            settings = (None, *settings[1:])
        operator = getattr(torch.ops.tracea, self.name).default
        with filtering.windows_alone(self.ctx.windows_alone):
            result: torch.Tensor = operator(self.first, self.second, list(operands), text, *settings)
        return result


def wide(dtype: torch.dtype) -> torch.dtype:
    """Return the type to evaluate slopes and sums in: fp32 for narrower ones."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def product(a: torch.Tensor, b: torch.Tensor, dtype: torch.dtype | None = None, in_torch: bool = False) -> torch.Tensor:
    """Return a @ b by tracea, in another type than theirs if asked to; by PyTorch `in_torch` and where a graph for a GPU is compiled.

    There nothing rides along: its libraries are as fast, and no kernel has to be proved and compiled while somebody waits for a first step.
    """
    kind = None if dtype is a.dtype else dtype
    if kind is None and (in_torch or (a.device.type == "cuda" and is_compiled())):
        return torch.matmul(a, b)
    result: torch.Tensor = torch.ops.tracea.matmul.default(a, b, [], "", kind, False, False, "")
    return result


def is_compiled() -> bool:
    """Whether a backward pass is being traced for a compiler."""
    return torch._guards.TracingContext.try_get() is not None


def _through_linear(ctx: Any, sums: torch.Tensor, x: Any, weight: Any) -> Gradients:
    rows = sums if sums.dim() == 2 else sums.flatten(0, -2)  # once, or a compiler keeps two of them
    multiplied = functools.partial(product, in_torch=ctx.in_torch)
    by_x = by_weight = None
    if ctx.asked[0]:
        by_x = multiplied(rows, weight).reshape(*sums.shape[:-1], weight.shape[1]).to(ctx.dtypes[0])
    if ctx.asked[1]:
        by_weight = multiplied(rows.t(), x.reshape(-1, x.shape[-1])).to(ctx.dtypes[1])
    return by_x, by_weight


def _through_matmul(ctx: Any, sums: torch.Tensor, a: Any, b: Any) -> Gradients:
    multiplied = functools.partial(product, in_torch=ctx.in_torch)
    by_a = by_b = None
    if ctx.asked[0]:
        by_a = multiplied(sums, b.transpose(-1, -2)).sum_to_size(ctx.shapes[0]).to(ctx.dtypes[0])
    if ctx.asked[1]:
        if len(ctx.shapes[1]) == 2 and sums.dim() > 2 and len(ctx.shapes[0]) == sums.dim():
            by_b = multiplied(a.reshape(-1, a.shape[-1]).t(), sums.reshape(-1, sums.shape[-1]))
        else:
            by_b = multiplied(a.transpose(-1, -2), sums).sum_to_size(ctx.shapes[1])
        by_b = by_b.to(ctx.dtypes[1])
    return by_a, by_b


def _through_conv2d(ctx: Any, sums: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> Gradients:
    stride, padding, dilation, groups = ctx.settings[:4]
    by_image, by_filter = ctx.asked
    gathered = added = None
    size = weight.shape[2:]
    if sums.device.type in shapes.LAID_OUT and shapes.is_channels_last(x):
        sums = sums.contiguous(
            memory_format=torch.channels_last
        )  # as PyTorch's own would, and a compiler joins it to what is ahead
    if by_image and filters.worthwhile(sums, weight, stride, padding, dilation, groups) and _pays(sums, weight, groups):
        by_image = False
        gathered = filters.image_gradient(sums, weight, ctx.shapes[0][2:], stride, padding, dilation, groups)
    if (
        by_filter
        and filters.filters_worthwhile(x, sums, size, stride, dilation, groups)
        and _pays(sums, weight, groups)
    ):
        by_filter = False
        added = filters.filter_gradient(x, sums, size, stride, padding, dilation, groups)
    if by_filter and x.dtype is not torch.float32 and filters.of_planes(x, weight, dilation, groups):
        by_filter = False
        added = filters.filter_gradient_of_planes(x, sums, weight, stride, padding, dilation, groups)
    if not by_image and not by_filter:
        return gathered, added
    found = torch.ops.aten.convolution_backward.default(
        sums, x, weight, None, stride, padding, dilation, False, [0, 0], groups, [by_image, by_filter, False]
    )
    return found[0] if gathered is None else gathered, found[1] if added is None else added


def _pays(sums: torch.Tensor, weight: torch.Tensor, groups: int) -> bool:
    """Whether what a kernel gains is not eaten by the host's time for its call: in graphs compiled for a GPU short ones are PyTorch's."""
    return sums.device.type != "cuda" or not is_compiled() or filters.is_long(sums, weight, groups)


def _through_conv_transpose2d(ctx: Any, sums: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> Gradients:
    stride, padding, output_padding, dilation, groups = ctx.settings[:5]
    by_image, by_filter = ctx.asked
    convolved = None
    if by_image and max(stride) == 1 and filters.is_fast(sums, weight, stride, groups):
        by_image = False
        operator = torch.ops.tracea.conv2d.default
        whole = operator(sums, weight, [], "", stride, padding, dilation, groups, "")
        convolved = whole[:, :, : x.shape[2], : x.shape[3]]
    if not by_image and not by_filter:
        return convolved, None
    found = torch.ops.aten.convolution_backward.default(
        sums, x, weight, None, stride, padding, dilation, True, output_padding, groups, [by_image, by_filter, False]
    )
    return found[0] if convolved is None else convolved, found[1]


_PRODUCTS: dict[str, Callable[..., Gradients]] = {
    "matmul": _through_matmul,
    "linear": _through_linear,
    "conv2d": _through_conv2d,
    "conv_transpose2d": _through_conv_transpose2d,
}
