# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.conv2d_filters``: the gradient of a convolution's filters as an operator of PyTorch, with gradients of its own.

It is linear in both of its arguments, and so the gradient of either is a convolution again: of the image's, by the filters that the
result's gradient is, the other way round; of the gradient's, forwards. Where no kernel takes it, PyTorch computes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.ops.call import run
from tracea.ops.request import Asked
from tracea.torch import kernels
from tracea.torch.epilogues import apply, epilogue_of
from tracea.torch.filters import image_gradient
from tracea.torch.forward_mode import records
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.kernels import NO_KERNEL
from tracea.torch.naming import text_and_arrays
from tracea.torch.recording import Recorded
from tracea.torch.registration import Cast, register
from tracea.torch.shapes import Layout, is_channels_last, result_dtype
from tracea.torch.stated import STATED, Stated
from tracea.torch.tails import apply_tail

NAME = "conv2d_filters"
_SCHEMA = (
    "(Tensor x, Tensor gradient, Tensor[] operands, str epilogue, int[] size, int[] stride, int[] padding, int[] dilation, int groups, "
    "int parts, str backend, str fallback) -> Tensor"
)


def call(
    inputs: tuple[torch.Tensor, torch.Tensor],
    epilogue: StageLike,
    settings: tuple[Any, ...],
    asked: Asked,
) -> Any:
    """Return the gradient of filters of torch tensors; see `tracea.ops.conv2d_filters`.

    Parameters
    ----------
    inputs : (Tensor, Tensor)
        The images and the gradient of the convolution's result.
    settings : tuple
        Size, stride, padding, dilation, groups and parts.
    """
    text, operands = text_and_arrays(epilogue)
    after = [_tensor(operand, inputs[0]) for operand in operands]
    tensors = [*inputs, *after]
    check_devices(NAME, tensors)
    recorded = records(tensors)
    if not recorded and _plain(tensors if asked.out is None else [*tensors, asked.out]):
        return _compute(inputs, text, after, settings, asked)
    operator = torch.ops.tracea.conv2d_filters.default
    rest = [list(part) if isinstance(part, tuple) else part for part in settings]
    if recorded and text:
        value = apply_tail(text, operator(*inputs, [], "", *rest, asked.backend or "", asked.fallback), after, -1)
    else:
        value = operator(*inputs, after, text, *rest, asked.backend or "", asked.fallback)
    return value if asked.out is None else asked.out.copy_(value)


def _compute(
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: Sequence[torch.Tensor],
    settings: tuple[Any, ...],
    asked: Asked,
) -> torch.Tensor:
    """Run the kernel, or PyTorch where there is none."""
    if asked.out is None and asked.fallback == "torch":
        return kernels.run(NAME, [*inputs, *operands], text, settings, asked.backend or "")
    epilogue = epilogue_of(text)
    try:
        return run(NAME, inputs, epilogue, tuple(operands), asked.out, settings, _problem_of, asked.backend)  # type: ignore[no-any-return]
    except NO_KERNEL as error:
        if asked.backend:
            raise
        place = asked.out
        if place is None:
            place = _layout(inputs[0], inputs[1], epilogue, settings).empty(inputs[0])
        return fall_back.to_torch(  # type: ignore[no-any-return]
            NAME,
            error,
            asked.fallback,
            lambda: place.copy_(apply(epilogue, _in_torch(inputs[0], inputs[1], settings), operands, -1)),
        )


def _problem_of(*given: Any) -> Problem:
    from tracea.ops.conv_filters import conv2d_filters_problem

    return conv2d_filters_problem(*given)


def _in_torch(x: torch.Tensor, gradient: torch.Tensor, settings: tuple[Any, ...]) -> torch.Tensor:
    """PyTorch's computation of the same, before the epilogue."""
    size, stride, padding, dilation, groups, parts = settings
    weight = x.new_empty((gradient.shape[1], x.shape[1] // groups, *size))

    def of(images: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = torch.ops.aten.convolution_backward.default(
            slopes, images, weight, None, stride, padding, dilation, False, [0, 0], groups, [False, True, False]
        )[1]
        return found

    if parts == 1:
        return of(x, gradient)
    return torch.stack([of(*both) for both in zip(x.chunk(parts), gradient.chunk(parts), strict=True)])


def _layout(x: torch.Tensor, gradient: torch.Tensor, epilogue: Epilogue, settings: tuple[Any, ...]) -> Layout:
    """Return the layout of the result: channels-last where x is, one filter bank for each part."""
    size, *_, groups, parts = settings
    shape = (gradient.shape[1], x.shape[1] // groups, *size)
    k, c, r, s = shape
    dtype = result_dtype(x, epilogue, None)
    strides = (r * s * c, 1, s * c, c) if is_channels_last(x) else (c * r * s, r * s, s, 1)
    if parts == 1:
        return Layout(shape, dtype, strides)
    return Layout((parts, *shape), dtype, (k * c * r * s, *strides))


def _settings(size: Any, stride: Any, padding: Any, dilation: Any, groups: int, parts: int) -> tuple[Any, ...]:
    return tuple(size), tuple(stride), tuple(padding), tuple(dilation), groups, parts


def _kernel(*arguments: Any) -> torch.Tensor:
    *inputs, operands, text = arguments[:4]
    *settings, backend, fallback = arguments[4:]
    return _compute(inputs, text, operands, _settings(*settings), Asked(None, backend or None, fallback))


def _fake(*arguments: Any) -> torch.Tensor:
    x, gradient, _, text, *settings = arguments[:-2]
    return _layout(x, gradient, epilogue_of(text), _settings(*settings)).empty(x)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, gradient, (text, *settings), *operands = inputs
    if text or operands:
        raise OptionError(
            "the operator records no gradient through an epilogue", hint="Call tracea.ops, which splits it off", op=NAME
        )
    ctx.settings, ctx.asked = settings[:-2], tuple(ctx.needs_input_grad)
    ctx.save_for_backward(x, gradient)


def _backward(ctx: Any, filters: torch.Tensor) -> tuple[Any, ...]:
    x, gradient = ctx.saved_tensors
    *_, parts = ctx.settings
    if parts == 1:
        return *_of_part(ctx, x, gradient, filters), None
    found = [_of_part(ctx, *each) for each in zip(x.chunk(parts), gradient.chunk(parts), filters.unbind(), strict=True)]
    return *(None if own[0] is None else torch.cat(own) for own in zip(*found, strict=True)), None


def _of_part(
    ctx: Any, x: torch.Tensor, gradient: torch.Tensor, filters: torch.Tensor
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    _, stride, padding, dilation, groups, _ = ctx.settings
    by_x = by_gradient = None
    filters = filters.to(x.dtype)
    if ctx.asked[0]:
        by_x = image_gradient(gradient, filters, x.shape[2:], stride, padding, dilation, groups)
    if ctx.asked[1]:
        operator = torch.ops.tracea.conv2d.default
        by_gradient = operator(x, filters, [], "", list(stride), list(padding), list(dilation), groups, "")
    return by_x, by_gradient


STATED[NAME] = Stated(_problem_of, _layout, _in_torch)
register(NAME, _SCHEMA, _kernel, _fake, recorded=Recorded(2, _keep, _backward), cast=Cast(2), twin=True)
