# SPDX-License-Identifier: MIT
"""What training asks of convolutions beside the forward pass: gradients against cuDNN's, and the memory that calls take for themselves.

Gradients are those of ``aten.convolution_backward``, one at a time, channels-last fp16. Memory is what the driver has free before a call
and after it, workspaces given back and code loaded before: PyTorch's own count would not see workspaces.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks.cuda_cases import Bench, Case, bench_of
from benchmarks.cuda_conv import Layer, tensors
from benchmarks.row import Row

MOST_MEBIBYTES = 32.0
_EVERY = 4
"""Of so many layers the memory of one is asked in planes, too."""
_MEBIBYTE = 1 << 20


def gradient(layer: Layer, of_filters: bool) -> Callable[[str], Case]:
    """Return one gradient of a convolution against cuDNN's."""

    def make(options: Any) -> Bench:
        import torch
        from torch.nn import grad as untyped

        grad: Any = untyped
        torch.backends.cudnn.benchmark = True
        x, w, _, result = tensors(options, layer, "float16")
        slopes = torch.randn_like(result)
        twice = [layer.stride] * 2, [layer.padding] * 2, [1, 1]
        wanted = [not of_filters, of_filters, False]
        out = torch.empty_like(w if of_filters else x)
        settings = (layer.stride, layer.padding, 1, layer.groups)

        def theirs() -> Any:
            return torch.ops.aten.convolution_backward(slopes, x, w, None, *twice, False, [0, 0], layer.groups, wanted)

        def expected() -> Any:
            if of_filters:
                return grad.conv2d_weight(x.float(), w.shape, slopes.float(), *settings)
            return grad.conv2d_input(x.shape, w.float(), slopes.float(), *settings)

        call = filters if of_filters else image
        return bench_of(lambda: call(layer, x if of_filters else w, slopes, out), {"cuDNN": theirs}, out, expected)

    return lambda group: Case(group, str(layer), layer.flops, make)


def image(layer: Layer, w: Any, slopes: Any, out: Any) -> Any:
    """Compute the gradient of a convolution's image."""
    from tracea import ops

    rest = layer.size - ((slopes.shape[2] - 1) * layer.stride - 2 * layer.padding + layer.r)
    steps = (layer.stride, layer.padding, rest)
    return ops.conv_transpose2d(slopes, w, None, *steps, layer.groups, out=out, fallback="error")


def filters(layer: Layer, x: Any, slopes: Any, out: Any) -> Any:
    """Compute the gradient of a convolution's filters."""
    from tracea import ops

    return ops.conv2d_filters(x, slopes, layer.r, layer.stride, layer.padding, 1, layer.groups, out=out)


def memory_rows(options: Any, layers: tuple[Layer, ...]) -> list[Row]:
    """Return the most MiB that a convolution, and each of its gradients, takes beside its tensors; of some layers also in planes (NCHW)."""
    from tracea import ops

    names = ("a convolution", "the gradient of its image", "the gradient of its filters", "a convolution of planes")
    most = dict.fromkeys(names, (0.0, ""))
    for number, layer in enumerate(layers):
        x, w, _, out = tensors(options, layer, "float16")
        slopes = out.clone().normal_()
        settings = (layer.stride, layer.padding, 1, layer.groups)
        calls: list[Callable[[], Any]] = [
            functools.partial(ops.conv2d, x, w, None, *settings, out=out, fallback="error"),
            functools.partial(image, layer, w, slopes, x),
            functools.partial(filters, layer, x, slopes, w),
        ]
        if number % _EVERY == 0:
            planes = (x.contiguous(), w.contiguous(), None, *settings)
            calls.append(functools.partial(ops.conv2d, *planes, out=out.contiguous(), fallback="error"))
        for name, call in zip(names, calls, strict=False):
            most[name] = max(most[name], (taken(options.device, call), str(layer)))
    return [
        Row(f"memory of {name} beside its tensors ({layer})", "MiB", found, None, MOST_MEBIBYTES, True)
        for name, (found, layer) in most.items()
    ]


def taken(device: str, call: Callable[[], Any]) -> float:
    """Return how many MiB less the device has free after a call than before it."""
    import torch
    from tracea_core.pipeline.runtimes import runtime
    from tracea_core.runtime.interface import ScratchRuntime

    call()
    opened = runtime("cuda", device)
    assert isinstance(opened, ScratchRuntime)
    torch.cuda.synchronize(device)
    opened.scratch.trim()
    torch.cuda.empty_cache()
    before = torch.cuda.mem_get_info(device)[0]
    call()
    torch.cuda.synchronize(device)
    return float(before - torch.cuda.mem_get_info(device)[0]) / _MEBIBYTE
