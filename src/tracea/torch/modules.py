# SPDX-License-Identifier: MIT
"""`TraceaConv2d` and `TraceaLinear`: PyTorch's modules with tracea's kernels inside.

They are subclasses with the same parameters, so state dicts, initialization, pruning and ``isinstance`` checks work unchanged. What
no kernel takes is computed by PyTorch, and `fallback_reason` says so before anyone has to look into a log.
"""

from __future__ import annotations

from typing import Any, Self

import torch
from tracea_core.doctor.winograd import is_default
from tracea_core.errors import UnsupportedError

from tracea import fallback as fall_back
from tracea.ops.conv import conv2d, windows_alone_eagerly
from tracea.torch import filters, kernels, shapes
from tracea.torch.forward_mode import records
from tracea.torch.functional import call_named
from tracea.torch.naming import after_bias, names
from tracea.torch.tails import apply_tail


def same_padding(module: torch.nn.Conv2d) -> tuple[int, int] | None:
    """Return the padding of a convolution as numbers, None where its two sides differ (``"same"`` with an even filter)."""
    if module.padding == "valid":
        return 0, 0
    if module.padding == "same":
        reach = [d * (k - 1) for d, k in zip(module.dilation, module.kernel_size, strict=True)]
        return None if any(r % 2 for r in reach) else (reach[0] // 2, reach[1] // 2)
    edge = module.padding
    assert not isinstance(edge, str)
    return int(edge[0]), int(edge[1])


def convolve(
    module: torch.nn.Conv2d,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    activation: str = "",
    fallback: str = "torch",
    allow_winograd: bool | None = None,
) -> Any:
    """Return what a convolution module computes, by tracea where its settings can be stated."""
    reason = refusal(module, x, weight) or (slower(module, x) if fallback == "torch" else None)
    if reason is not None:
        return fall_back.to_torch("conv2d", reason, fallback, lambda: _in_torch(module, x, weight, bias, activation))
    edge = same_padding(module)
    if module.padding_mode != "zeros":
        x = torch.nn.functional.pad(x, module._reversed_padding_repeated_twice, mode=module.padding_mode)
        edge = 0, 0
    settings = (_pair(module.stride), edge, _pair(module.dilation), module.groups)
    batched = x if x.dim() == 4 else x.unsqueeze(0)
    if allow_winograd and may_filter_less(module, x, weight, bias):
        assert edge is not None
        own = None if bias is None else bias.detach()
        tail = activation or None
        value = conv2d(batched.detach(), weight.detach(), own, padding=edge, epilogue=tail, allow_winograd=True)
        return value if x.dim() == 4 else value.squeeze(0)
    matrices = [batched, weight]
    if x.device.type in shapes.LAID_OUT and not _of_planes(module, batched, weight):
        matrices = [_laid_out(tensor) for tensor in matrices]
    text, operands = after_bias(bias, activation)
    if allow_winograd is False and is_default():
        with windows_alone_eagerly():
            value = call_named("conv2d", [*matrices, *operands], text, settings, fallback=fallback)
    else:
        value = call_named("conv2d", [*matrices, *operands], text, settings, fallback=fallback)
    return value if x.dim() == 4 else value.squeeze(0)


def may_filter_less(module: torch.nn.Conv2d, *tensors: torch.Tensor | None) -> bool:
    """Return whether minimal filtering may be asked for: 3×3 filters with stride 1 on a CPU, nothing that records or traces."""
    given = [tensor for tensor in tensors if tensor is not None]
    if torch.compiler.is_compiling() or any(type(t) not in (torch.Tensor, torch.nn.Parameter) for t in given):
        return False
    recorded = records(given)
    plain = (module.kernel_size, module.stride, module.dilation, module.groups) == ((3, 3), (1, 1), (1, 1), 1)
    return plain and not recorded and all((t.device.type, t.dtype) == ("cpu", torch.float32) for t in given)


def _laid_out(tensor: torch.Tensor) -> torch.Tensor:
    """Return images or filters channels-last: themselves where they lie so, else a copy."""
    return tensor.contiguous(memory_format=torch.channels_last)


def refusal(module: torch.nn.Conv2d, x: torch.Tensor, weight: torch.Tensor) -> str | None:
    """Return why the settings of a convolution cannot be stated to tracea, None if they can.

    On a GPU PyTorch's result is channels-last if the images or the filters are, and the other ones are copied. So is tracea's; where
    neither is, the result could not be what PyTorch's is without two more copies, unless planes have filters of their own.
    """
    if same_padding(module) is None:
        return "padding='same' with an even filter pads its two sides differently"
    if x.dim() not in (3, 4):
        return f"an image has three or four axes, not {x.dim()}"
    if not x.dtype.is_floating_point:
        return f"{x.dtype} is no floating-point type"
    last = weight.dim() == 4 and shapes.is_channels_last(weight)
    last = last or (x.dim() == 4 and shapes.is_channels_last(x))
    if x.device.type in shapes.LAID_OUT and not last and not _of_planes(module, x, weight):
        return "neither images nor filters are channels-last; convert the model with .to(memory_format=torch.channels_last)"
    return None


def _of_planes(module: torch.nn.Conv2d, x: torch.Tensor, weight: torch.Tensor) -> bool:
    """Whether images are planes whose filters a kernel multiplies where they lie: nothing is laid out then."""
    return filters.of_planes(x, weight, _pair(module.dilation), module.groups)


def slower(module: torch.nn.Conv2d, x: torch.Tensor) -> str | None:
    """Return why PyTorch computes a convolution sooner than a kernel of tracea that takes it, None if it is not known to.

    On a CPU the products of a group are as narrow as its channels: 0.08 to 0.98 of PyTorch's speed for two groups and more, and 1.3 to 1.9
    only where each channel of channels-last images has its own filter (fp32, two cores; sixteen layers in turns with PyTorch 2.13).
    """
    if x.device.type != "cpu" or module.groups == 1:
        return None
    own = module.groups == module.in_channels == module.out_channels
    if own and x.dim() == 4 and shapes.is_channels_last(x):
        return None
    return f"PyTorch computes {module.groups} groups of channels sooner on a CPU, unless each channel of channels-last images has a filter"


def _in_torch(module: torch.nn.Conv2d, x: Any, weight: Any, bias: Any, activation: str) -> Any:
    return apply_tail(activation, ORIGINAL(module, x, weight, bias), [], 1)


ORIGINAL = torch.nn.Conv2d._conv_forward
"""PyTorch's own, whatever has been patched since."""


def _pair(value: Any) -> tuple[int, int]:
    return int(value[0]), int(value[1])


class TraceaConv2d(torch.nn.Conv2d):
    """`torch.nn.Conv2d` computed by tracea; all of its arguments, its state dict, its gradients.

    Parameters
    ----------
    *arguments, **settings
        As `torch.nn.Conv2d` takes them.
    activation : str
        Names of activations that ride along, such as ``relu`` (see `tracea.ops.conv2d`); they are not part of the state dict.
    fallback : {"torch", "error"}
        What to do where no kernel takes the call.
    allow_winograd : bool, optional
        Whether 3×3 filters with stride 1 may be multiplied by way of sums on a CPU: see `tracea.ops.conv2d`, also for its errors. By
        default the engine decides. ``True`` also allows it for small layers where no gradients are recorded and nothing is compiled; a
        layer that refuses it with ``False`` breaks compiled graphs, unless ``TRACEA_ALLOW_WINOGRAD`` is 0.
    """

    allow_winograd: bool | None = None  # of modules that were stored before there was such a setting

    def __init__(
        self,
        *arguments: Any,
        activation: str = "",
        fallback: str = "torch",
        allow_winograd: bool | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.activation, self.fallback = _checked(activation, fallback)
        self.allow_winograd = allow_winograd

    @classmethod
    def from_module(
        cls,
        module: torch.nn.Conv2d,
        activation: str = "",
        fallback: str = "torch",
        allow_winograd: bool | None = None,
    ) -> Self:
        """Return a convolution with the settings and the very parameters of `module`."""
        made = cls.__new__(cls)
        made.__dict__.update(module.__dict__)
        made.activation, made.fallback = _checked(activation, fallback)
        made.allow_winograd = allow_winograd
        return made

    def _conv_forward(self, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        settings = self.activation, self.fallback, self.allow_winograd
        result: torch.Tensor = convolve(self, input, weight, bias, *settings)
        return result

    def fallback_reason(self, x: torch.Tensor) -> str | None:
        """Return why PyTorch would compute the result for `x`, None if a kernel does."""
        stated = refusal(self, x, self.weight) or (slower(self, x) if self.fallback == "torch" else None)
        if stated is not None:
            return stated
        text, operands = after_bias(self.bias, self.activation)
        settings = (_pair(self.stride), same_padding(self), _pair(self.dilation), self.groups)
        matrices = [x if x.dim() == 4 else x.unsqueeze(0), self.weight]
        if x.device.type in shapes.LAID_OUT and not _of_planes(self, *matrices):
            matrices = [_laid_out(tensor) for tensor in matrices]
        return _reason("conv2d", [*matrices, *operands], text, settings)

    def extra_repr(self) -> str:
        """Return the settings, the activation among them."""
        said: str = super().extra_repr()  # type: ignore[no-untyped-call]
        said += f", activation={self.activation!r}" if self.activation else ""
        return said + ("" if self.allow_winograd is None else f", allow_winograd={self.allow_winograd}")


class TraceaLinear(torch.nn.Linear):
    """`torch.nn.Linear` computed by tracea; `activation` and `fallback` as for `TraceaConv2d`."""

    def __init__(self, *arguments: Any, activation: str = "", fallback: str = "torch", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.activation, self.fallback = _checked(activation, fallback)

    @classmethod
    def from_module(cls, module: torch.nn.Linear, activation: str = "", fallback: str = "torch") -> Self:
        """Return a layer with the very parameters of `module`."""
        made = cls.__new__(cls)
        made.__dict__.update(module.__dict__)
        made.activation, made.fallback = _checked(activation, fallback)
        return made

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return ``activation(input @ weightᵀ + bias)``; input has shape (…, in_features)."""
        rows = input if input.dim() > 1 else input.unsqueeze(0)
        text, operands = after_bias(self.bias, self.activation)
        result: torch.Tensor = call_named("linear", [rows, self.weight, *operands], text, (), fallback=self.fallback)
        return result if input.dim() > 1 else result.squeeze(0)

    def fallback_reason(self, x: torch.Tensor) -> str | None:
        """Return why PyTorch would compute the result for `x`, None if a kernel does."""
        rows = x if x.dim() > 1 else x.unsqueeze(0)
        text, operands = after_bias(self.bias, self.activation)
        return _reason("linear", [rows, self.weight, *operands], text, ())

    def extra_repr(self) -> str:
        """Return the settings, the activation among them."""
        return super().extra_repr() + (f", activation={self.activation!r}" if self.activation else "")


def _checked(activation: str, fallback: str) -> tuple[str, str]:
    """Raise unless both are known and the activation needs no arrays."""
    fall_back.check_mode(fallback)
    names(activation)
    return activation, fallback


def _reason(name: str, tensors: list[torch.Tensor], text: str, settings: tuple[Any, ...]) -> str | None:
    try:
        found = kernels.find(name, tensors, text, settings, "").reason
    except UnsupportedError as error:
        return error.message
    return None if found is None else found.message
